// The final check of VersionTheory where an order of events tells the version that each read
// found: finds what the current order gets wrong, so that only this is decided.
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
#include <utility>

#include "base/assert.hpp"
#include "search/version_theory.hpp"

namespace isolde::checker {

using solver::Lit;
using solver::Var;

/// Chosen readers count, and transactions that did not take effect do not.
struct VersionTheory::Choices {
  VersionTheory& theory;

  bool took_effect(TxnId txn) const { return theory.took_effect(txn); }
  template <typename Visit>
  void for_readers(WriteId version, const Visit& visit) const {
    for (const Chosen& reader : theory.readers_[version.raw()]) visit(reader.txn);
  }
  bool fits(KeyId key, std::span<const WriteId> writes) const {
    return theory.fits(key, writes);
  }
};

/// All decisions are in the graph, so no conflict can occur here, but where rows are deleted or
/// aggregates have other results.
solver::Theory::Final VersionTheory::check_order(std::vector<std::vector<Lit>>& conflicts) {
  broken_.clear();
  unsettled_.clear();
  const auto position = [&](NodeId node) { return order_.position(node); };
  if (choosing_) {
    check_->find_broken(position, broken_, budget_, Choices{*this});
  } else {
    check_->find_broken(position, broken_, budget_);
  }
  if (budget_.exhausted()) return Final::kStopped;
  if (broken_.empty() && unsettled_.empty()) {
    if (!choosing_ || groups().empty() || !ask_for_results(conflicts)) {
      return Final::kModel;
    }
    return stopped_.empty() && !budget_.exhausted() ? Final::kMore : Final::kStopped;
  }
  const bool any = ask_for_broken();
  if (!stopped_.empty() || budget_.exhausted()) return Final::kStopped;
  if (any) return Final::kMore;
  // Where a row may have been inserted again, the edges of an order do not say all.
  ISOLDE_CHECK(seen_.has_deletions());
  return replace_live_versions(conflicts);
}

/// Requests what is to be decided; false when nothing is left.
bool VersionTheory::ask_for_broken() {
  bool any = false;
  for (const BrokenPair& pair : broken_) any = ask_for_order(pair.first, pair.second) || any;
  for (const std::uint32_t read : unsettled_) {
    // Each may make as many variables as its key has writes.
    if (budget_.exhausted()) break;
    any = ask_for_source(read) || any;
  }
  return any;
}

void VersionTheory::touch(TxnId txn) {
  if (!check_) return;
  check_->touch(txn);
  if (!open_index_) return;
  for (std::uint32_t i = open_index_->begin(txn); i < open_index_->end(txn); ++i) {
    check_->mark(seen_.open_reads()[i].key);
  }
}

/// Reads without a true source: the version that each finds in the current order must be one of
/// its sources. REQUIRES: `writes` are the key's, in that order.
bool VersionTheory::fits(KeyId key, std::span<const WriteId> writes) {
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
WriteId VersionTheory::version_before(NodeId event, std::span<const WriteId> writes) const {
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
bool VersionTheory::may_come_from(std::uint32_t read, WriteId source) const {
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
bool VersionTheory::ask_for_source(std::uint32_t read) {
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

/// All orders are decided, and their edges do not say that a writer has seen the version before
/// its own, because deletions might be in between. Where they are not, this adds that edge.
solver::Theory::Final VersionTheory::replace_live_versions(
    std::vector<std::vector<Lit>>& conflicts) {
  bool any = false;
  for (const BrokenPair& pair : broken_) any = ask_for_deletions(pair) || any;
  if (any) return Final::kMore;
  for (const BrokenPair& pair : broken_) {
    const std::optional<LabelledEdge> replaces = replacement(pair);
    if (!replaces) continue;
    any = true;
    std::vector<Lit> conflict;
    if (!insert(events_.commit(pair.first), events_.begin(pair.second), *replaces, conflict)) {
      conflicts.push_back(std::move(conflict));
      return Final::kMore;
    }
    report_moves();
  }
  if (any) return check_order(conflicts);
  stopped_ = kInsertedAgain;
  return Final::kStopped;
}

/// Requests the orders that say of each deletion of the key where it is; false when all are
/// decided.
bool VersionTheory::ask_for_deletions(const BrokenPair& pair) {
  bool any = false;
  for_deleters(seen_, pair, [&](TxnId txn) {
    any = ask_for_order(txn, pair.first) || any;
    any = ask_for_order(txn, pair.second) || any;
  });
  return any;
}

/// The edge that makes the second writer see the first one's version, which it replaces, with
/// the orders that say so; none where the version is dead, or a deletion may not have taken
/// effect. REQUIRES: all these orders are decided, and nothing is between the two now.
std::optional<LabelledEdge> VersionTheory::replacement(const BrokenPair& pair) {
  const WriteId version = seen_.find_write(pair.first, pair.key);
  if (seen_.is_dead(version) ||
      events_.replace(version, pair.second) != events_.begin(pair.second) ||
      !seen_.all_deleters_are_certain(pair.key)) {
    return std::nullopt;
  }
  const auto position = [&](TxnId txn) { return order_.position(events_.commit(txn)); };
  std::vector<Lit> lits;
  const auto add = [&](TxnId before, TxnId after) {
    const std::optional<Lit> lit = find_literal({before, after});
    ISOLDE_CHECK(lit && solver_->is_true(*lit));
    add_once(lits, *lit);
  };
  add(pair.first, pair.second);
  for_deleters(seen_, pair, [&](TxnId txn) {
    if (position(txn) < position(pair.first)) return add(txn, pair.first);
    ISOLDE_CHECK(position(pair.second) < position(txn));
    add(pair.second, txn);
  });
  LabelledEdge label;
  label.edge = {pair.first, pair.second, EdgeKind::kVersionOrder, pair.key, TxnId::none()};
  label.replaces = static_cast<std::uint32_t>(replacements_.size());
  replacements_.push_back(std::move(lits));
  return label;
}

}  // namespace isolde::checker
