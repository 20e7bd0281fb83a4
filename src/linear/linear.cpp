#include "linear/linear.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "linear/key_search.hpp"
#include "linear/key_table.hpp"
#include "linear/partial_reads.hpp"
#include "linear/projection.hpp"
#include "linear/register_zones.hpp"

namespace isolde::checker {
namespace {

class Linear {
 public:
  Linear(const History& history, std::int64_t clock_error_ns, const DecideStrict& decide_strict,
         base::Budget& budget)
      : history_(history),
        clock_error_ns_(clock_error_ns),
        decide_strict_(decide_strict),
        budget_(budget),
        table_(history) {}

  /// A violated key decides; otherwise the first undecided key leaves all open.
  LinearAnswer run() {
    for (std::size_t k = 0; k < history_.key_count(); ++k) {
      const KeyId key = KeyId::at(k);
      witness_.begin.push_back(witness_.order.size());
      const std::span<const KeyTable::Entry> entries = table_.entries(key);
      if (!budget_.spend(entries.size() * 4 + 1)) return {std::nullopt, budget_.reason(), 0};
      if (entries.empty()) continue;
      if (std::optional<Proof> violation = decide(key, entries)) return {violation, "", 0};
    }
    if (budget_.exhausted()) return {std::nullopt, budget_.reason(), 0};
    witness_.begin.push_back(witness_.order.size());
    if (!open_.empty()) return {std::nullopt, open_, 0};
    const std::uint64_t included = count_included();
    return {std::move(witness_), "", included};
  }

 private:
  std::optional<Proof> decide(KeyId key, std::span<const KeyTable::Entry> entries) {
    if (!history_.is_list(key)) {
      register_.collect(history_, entries, clock_error_ns_);
      Refutation refutation;
      const std::size_t begin = witness_.order.size();
      switch (zones_.decide(key, register_.ops, witness_.order, refutation)) {
        case RegisterZones::Outcome::kHolds:
          if (register_.partial.empty()) return std::nullopt;
          if (place_partial_reads(history_, register_, witness_.order, begin))
            return std::nullopt;
          witness_.order.resize(begin);
          return search(key, entries);
        case RegisterZones::Outcome::kViolated:
          return refutation;
        case RegisterZones::Outcome::kUnclear:
          break;
      }
    }
    const Projection projection(history_, entries);
    const StrictAnswer answer = decide_strict_(projection.history());
    if (const std::optional<Proof>& proof = answer.proof) {
      if (const auto* finding = std::get_if<Finding>(&*proof)) {
        return projection.original(*finding);
      }
      if (const auto* refutation = std::get_if<Refutation>(&*proof)) {
        return projection.original(*refutation);
      }
      // What a partial read tells is not part of the projection.
      if (has_partial_reads(entries)) return search(key, entries);
      add(projection.original(std::get<Witness>(*proof).order));
      return std::nullopt;
    }
    return search(key, entries, answer.stopped);
  }

  /// `stopped`: what ended an attempt that could have decided the key.
  std::optional<Proof> search(KeyId key, std::span<const KeyTable::Entry> entries,
                              const std::string& stopped = {}) {
    if (budget_.exhausted()) return std::nullopt;
    const KeySearchAnswer answer = search_key(history_, entries, clock_error_ns_, budget_);
    const std::string name = history_.text(key);
    switch (answer.outcome) {
      case KeySearchAnswer::Outcome::kHolds:
        add(answer.order);
        return std::nullopt;
      case KeySearchAnswer::Outcome::kViolated:
        if (!history_.origin().truncated) return KeyExhaustion{key, answer.until};
        leave_open("the input is cut off, and what is missing may explain the reads of " +
                   name);
        return std::nullopt;
      case KeySearchAnswer::Outcome::kStopped:
        leave_open(!stopped.empty() ? stopped
                                    : "values of " + name +
                                          " repeat, and too many orders of its operations "
                                          "are possible to try all");
        return std::nullopt;
    }
    return std::nullopt;
  }

  bool has_partial_reads(std::span<const KeyTable::Entry> entries) const {
    return std::any_of(entries.begin(), entries.end(), [&](const KeyTable::Entry& entry) {
      return history_.ops(entry.txn)[entry.op].is_partial();
    });
  }

  void add(const std::vector<TxnId>& order) {
    witness_.order.insert(witness_.order.end(), order.begin(), order.end());
  }

  void leave_open(std::string reason) {
    if (open_.empty()) open_ = std::move(reason);
  }

  std::uint64_t count_included() const {
    std::vector<bool> met(history_.txn_count(), false);
    std::uint64_t count = 0;
    for (const TxnId txn : witness_.order) {
      if (!met[txn.raw()]) ++count;
      met[txn.raw()] = true;
    }
    return count;
  }

  const History& history_;
  const std::int64_t clock_error_ns_;
  const DecideStrict& decide_strict_;
  base::Budget& budget_;
  const KeyTable table_;
  KeyWitness witness_;
  std::string open_;  // why a key is not decided
  RegisterOps register_;
  RegisterZones zones_;
};

}  // namespace

LinearAnswer decide_linear(const History& history, std::int64_t clock_error_ns,
                           const DecideStrict& decide_strict, base::Budget& budget) {
  return Linear(history, clock_error_ns, decide_strict, budget).run();
}

}  // namespace isolde::checker
