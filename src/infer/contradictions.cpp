// Going through a transaction's reads of a key, one version that explains all so far is kept:
// as long as the next read fits it, no two of them contradict each other, and pairs need not be
// compared. Otherwise another such version is looked for, and only where there is none, pairs
// are.
#include "infer/contradictions.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "infer/partial_sources.hpp"
#include "infer/read_walk.hpp"

namespace isolde::infer {
namespace {

class ContradictionFinder {
 public:
  ContradictionFinder(const History& history, bool of_items, base::Budget& budget)
      : history_(history), of_items_(of_items), budget_(budget), met_(history.key_count()) {}

  Contradictions run() {
    for (std::size_t t = 0; t < history_.txn_count() && !is_done(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (!budget_.spend(history_.ops(txn).size() / 4 + 1)) break;
      if (history_.status(txn) != TxnStatus::kCommitted || !may_contradict(txn)) continue;
      look_at(txn);
    }
    return found_;
  }

 private:
  static constexpr std::uint32_t kNoOp = ReadWalk::kNoOp;

  /// Reads of a key so far, by the transaction that looked at it last.
  struct Met {
    TxnId txn;
    bool any_sure = false;  ///< some cannot have returned the initial version
  };
  /// Reads of one key by the transaction.
  struct Reads {
    std::uint32_t last = kNoOp;
    bool is_known = false;  ///< `version` explains all of them
    TxnId version;          ///< none: the initial one
  };

  bool is_done() const { return found_.first && (!of_items_ || found_.first_of_items); }
  /// Of no use any more.
  bool is_passed_over(const Op& op) const {
    return !op.is_partial() || (found_.first && op.kind == OpKind::kReadAbsent);
  }

  bool is_sure(const Op& op) const {
    // Unborn rows match nothing, and nothing says that they were not there.
    if (!history_.has_initial_contents() && op.kind != OpKind::kReadMatch) return false;
    return !history_.fits_initial(op);
  }

  /// Whether two partial reads are of one key, and not both may be of its initial version.
  bool may_contradict(TxnId txn) {
    for (const Op& op : history_.ops(txn)) {
      if (is_passed_over(op)) continue;
      Met& met = met_[op.key.raw()];
      const bool is_first = met.txn != txn;
      if (is_first) met = {txn, false};
      met.any_sure = met.any_sure || is_sure(op);
      if (!is_first && met.any_sure) return true;
    }
    return false;
  }

  void look_at(TxnId txn) {
    const std::size_t size = history_.ops(txn).size();
    if (!budget_.spend(4 * size)) return;
    reads_.assign(size, {});
    earlier_.resize(size);
    walk_.visit(
        history_, txn,
        [&](std::size_t i, const Op& op, std::span<const Value>) {
          if (!is_passed_over(op)) add(txn, static_cast<std::uint32_t>(i), op);
        },
        [](std::size_t, const Op&) {});
  }

  /// The same, and at all levels at which the other one counts.
  static bool says_more(const Op& read, const Op& other) {
    const bool counts = read.kind != OpKind::kReadAbsent || read.kind == other.kind;
    return counts && read.partial() == other.partial();
  }

  void add(TxnId txn, std::uint32_t i, const Op& op) {
    Reads& reads = reads_[walk_.first_uses()[i]];
    const std::span<const Op> ops = history_.ops(txn);
    if (reads.last != kNoOp && says_more(ops[reads.last], op)) return;
    earlier_[i] = reads.last;
    reads.last = i;
    budget_.spend(1);
    if (reads.is_known && explains(reads.version, op)) return;
    const bool is_first = earlier_[i] == kNoOp;
    if (is_first && !history_.fits_initial(op)) return;  // known when there is another one
    if (is_first) {
      reads.is_known = true;
      return;
    }
    together_.clear();
    for (std::uint32_t at = i; at != kNoOp && budget_.spend(1); at = earlier_[at]) {
      together_.push_back(&ops[at]);
    }
    reads.version = sources().common(txn, together_);
    reads.is_known = reads.version.is_some();
    for (std::uint32_t at = earlier_[i]; !reads.is_known && at != kNoOp; at = earlier_[at]) {
      if (budget_.exhausted() || is_done()) return;
      if (contradict(txn, ops[at], op)) note(txn, at, i);
    }
  }

  bool explains(TxnId version, const Op& op) {
    if (version.is_none()) return history_.fits_initial(op);
    return std::ranges::binary_search(sources().find(op), version);
  }

  bool contradict(TxnId reader, const Op& a, const Op& b) {
    const bool a_initial = history_.fits_initial(a);
    const bool b_initial = history_.fits_initial(b);
    if (a_initial && b_initial) return false;
    const Op* const both[] = {&a, &b};
    if (sources().common(reader, both).is_some()) return false;
    // What nothing explains by itself is worse than two reads that differ.
    const bool are_explained =
        (a_initial || sources().any(reader, a)) && (b_initial || sources().any(reader, b));
    return are_explained && !budget_.exhausted();
  }

  void note(TxnId txn, std::uint32_t earlier, std::uint32_t later) {
    const Finding finding{
        FindingKind::kNonRepeatableRead, txn, later, 0, TxnId::none(), earlier};
    const std::span<const Op> ops = history_.ops(txn);
    if (!found_.first) found_.first = finding;
    const bool are_items =
        ops[earlier].kind != OpKind::kReadAbsent && ops[later].kind != OpKind::kReadAbsent;
    if (are_items && !found_.first_of_items) found_.first_of_items = finding;
  }

  PartialSources& sources() {
    if (!sources_) sources_.emplace(history_, budget_);
    return *sources_;
  }

  const History& history_;
  const bool of_items_;
  base::Budget& budget_;
  Contradictions found_;
  std::vector<Met> met_;  // by key
  ReadWalk walk_;
  std::vector<Reads> reads_;            // by first use of a key, of one transaction
  std::vector<std::uint32_t> earlier_;  // by read: the one of the same key before it
  std::vector<const Op*> together_;
  std::optional<PartialSources> sources_;
};

}  // namespace

Contradictions find_contradictions(const History& history, bool of_items,
                                   base::Budget& budget) {
  if (history.predicates().empty() || history.origin().truncated) return {};
  return ContradictionFinder(history, of_items, budget).run();
}

}  // namespace isolde::infer
