#include "check/linear.hpp"

#include <utility>
#include <variant>
#include <vector>

#include "check/key_search.hpp"
#include "check/key_table.hpp"
#include "check/projection.hpp"
#include "check/register_zones.hpp"

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

  /// A violated key decides; otherwise the first key that stays open leaves all open.
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
      collect_register(history_, entries, clock_error_ns_, ops_);
      Refutation refutation;
      switch (zones_.decide(key, ops_, witness_.order, refutation)) {
        case RegisterZones::Outcome::kHolds:
          return std::nullopt;
        case RegisterZones::Outcome::kViolated:
          return refutation;
        case RegisterZones::Outcome::kUnclear:
          break;
      }
    }
    const Projection projection(history_, entries);
    if (const std::optional<Proof> proof = decide_strict_(projection.history())) {
      if (const auto* finding = std::get_if<Finding>(&*proof)) {
        return projection.original(*finding);
      }
      if (const auto* refutation = std::get_if<Refutation>(&*proof)) {
        return projection.original(*refutation);
      }
      add(projection.original(std::get<Witness>(*proof).order));
      return std::nullopt;
    }
    return search(key, entries);
  }

  std::optional<Proof> search(KeyId key, std::span<const KeyTable::Entry> entries) {
    if (budget_.exhausted()) return std::nullopt;
    const KeySearchAnswer answer = search_key(history_, entries, clock_error_ns_, budget_);
    const std::string name = history_.text(history_.key_name(key));
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
        leave_open("values of " + name +
                   " repeat, and too many orders of its operations are possible to try all");
        return std::nullopt;
    }
    return std::nullopt;
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
  std::vector<RegisterOp> ops_;
  RegisterZones zones_;
};

}  // namespace

LinearAnswer decide_linear(const History& history, std::int64_t clock_error_ns,
                           const DecideStrict& decide_strict, base::Budget& budget) {
  return Linear(history, clock_error_ns, decide_strict, budget).run();
}

}  // namespace isolde::checker
