// The final check of ChoiceTheory at the levels that order all versions of a key: finds what
// the current order of events gets wrong, so that only this is decided.
//
// The order is total and agrees with every edge. It fixes the version order of each key, and
// for each read without a true source the version that it finds. Wrong are
//
//   pairs  of adjacent versions whose ww edge, or whose rw edge from a known or chosen reader,
//          the order violates: as in order_check.hpp
//   reads  that cannot have returned the version before them, or must not by what is decided
//
// A wrong pair becomes a variable; for a wrong read the best source must be decided. Where
// nothing is wrong, the order with these sources is a witness. Terminates because there are
// finitely many variables, and each check creates one or gets one decided.
//
// COST: linear in the writes and open reads of the keys touched since they were last correct,
// with a logarithm for each read.
#include <algorithm>

#include "base/assert.hpp"
#include "source/choice_theory.hpp"

namespace isolde::checker {

using infer::OpenRead;
using infer::ReadFrom;
using solver::Lit;
using solver::Var;

solver::Theory::Final ChoiceTheory::final_check(std::vector<std::vector<Lit>>& conflicts) {
  if (!order_tells_sources()) {
    std::vector<Lit> conflict;
    const Final found = judge_sources(conflict);
    if (found == Final::kMore) conflicts.push_back(std::move(conflict));
    return found;
  }
  const Final found = OrderTheory::final_check(conflicts);
  if (found != Final::kModel || groups_.empty() || !ask_for_results(conflicts)) return found;
  return stopped_.empty() && !budget_.exhausted() ? Final::kMore : Final::kStopped;
}

bool ChoiceTheory::ask_for_more() {
  bool any = false;
  for (const std::uint32_t read : unsettled_) {
    // Each may make as many variables as its key has writes.
    if (budget_.exhausted()) break;
    any = ask_for_source(read) || any;
  }
  return any;
}

void ChoiceTheory::on_move(NodeId node) {
  if (events_.is_txn(node)) touch(events_.txn(node));
}

void ChoiceTheory::touch(TxnId txn) {
  check_.touch(txn);
  for (std::uint32_t i = open_index_.begin(txn); i < open_index_.end(txn); ++i) {
    check_.mark(seen_.open_reads()[i].key);
  }
}

/// Chosen readers count, and transactions that did not take effect do not.
struct ChoiceTheory::Choices {
  ChoiceTheory& theory;

  bool took_effect(TxnId txn) const { return theory.took_effect(txn); }
  template <typename Visit>
  void for_readers(WriteId version, const Visit& visit) const {
    for (const Chosen& reader : theory.readers_[version.raw()]) visit(reader.txn);
  }
  bool fits(KeyId key, std::span<const WriteId> writes) const {
    return theory.fits(key, writes);
  }
};

bool ChoiceTheory::look() {
  broken_.clear();
  unsettled_.clear();
  check_.find_broken([&](NodeId node) { return order_.position(node); }, broken_, budget_,
                     Choices{*this});
  return broken_.empty() && unsettled_.empty();
}

/// Reads without a true source: the version that each finds in the current order must be one of
/// its sources. REQUIRES: `writes` are the key's, in that order.
bool ChoiceTheory::fits(KeyId key, std::span<const WriteId> writes) {
  const std::size_t before = unsettled_.size();
  for (const std::uint32_t read : reads_of_.row(key.raw())) {
    ISOLDE_INVARIANT(same_as_[read] == read);
    const TxnId reader = seen_.open_reads()[read].txn;
    if (!took_effect(reader) || !chosen_[read].is_none()) continue;
    by_order_[read] = version_before(events_.begin(reader), writes);
    if (!may_come_from(read, by_order_[read])) unsettled_.push_back(read);
  }
  budget_.spend(reads_of_.row(key.raw()).size() * 4);
  return unsettled_.size() == before;
}

/// The last of the sorted writes that took effect before the event.
WriteId ChoiceTheory::version_before(NodeId event, std::span<const WriteId> writes) const {
  const std::uint32_t here = order_.position(event);
  auto next = std::partition_point(writes.begin(), writes.end(), [&](WriteId write) {
    return order_.position(events_.commit(seen_.writer(write))) < here;
  });
  while (next != writes.begin()) {
    --next;
    if (took_effect(seen_.writer(*next))) return *next;
  }
  return WriteId::none();
}

/// It is one of the read's sources, and no decision excludes it.
bool ChoiceTheory::may_come_from(std::uint32_t read, WriteId source) const {
  if (!is_candidate(read, source)) return false;
  const auto first = meanings_.begin() + sources_[read].begin;
  const auto last = meanings_.begin() + sources_[read].end;
  const auto at = std::lower_bound(
      first, last, source,
      [](const Meaning& each, WriteId wanted) { return each.source < wanted; });
  // C1: there are variables for all candidates, or for none.
  ISOLDE_INVARIANT(first == last || (at != last && at->source == source));
  return at == last || !solver_->is_true(Lit(
                           Var::at(static_cast<std::size_t>(at - meanings_.begin())), true));
}

/// Requests a decision on the best source that is not excluded; false when none is open, or
/// there is no room for the read's variables.
bool ChoiceTheory::ask_for_source(std::uint32_t read) {
  const bool is_new = sources_[read].begin == sources_[read].end;
  if (is_new && !make_sources(read)) return false;
  Var best;
  std::int64_t best_place = 0;
  for (std::uint32_t var = sources_[read].begin; var < sources_[read].end; ++var) {
    ISOLDE_INVARIANT(meanings_[var].kind == Kind::kSource && meanings_[var].read == read);
    if (!solver_->is_open(Var(var))) continue;
    const std::int64_t own = place(read, meanings_[var].source);
    if (best.is_some() && own <= best_place) continue;
    best = Var(var);
    best_place = own;
  }
  budget_.spend((sources_[read].end - sources_[read].begin) * 2);
  if (best.is_none()) return false;
  wanted_[read] = best;
  solver_->ask(best);
  return true;
}

}  // namespace isolde::checker
