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
  find_broken();
  if (budget_.exhausted()) return Final::kStopped;
  if (broken_.empty() && unsettled_.empty()) return Final::kModel;
  bool any = false;
  for (const BrokenPair& pair : broken_) any = ask_for_order(pair.first, pair.second) || any;
  for (const std::uint32_t read : unsettled_) {
    // Each may make as many variables as its key has writes.
    if (budget_.exhausted()) break;
    any = ask_for_source(read) || any;
  }
  if (!stopped_.empty() || budget_.exhausted()) return Final::kStopped;
  if (any) return Final::kMore;
  ISOLDE_CHECK(seen_.has_deletions());
  return replace_live_versions(conflicts);
}

/// All orders are decided, and their edges do not say that a writer has seen the version before
/// its own, because deletions might be in between. Where they are not, this adds that edge.
solver::Theory::Final ChoiceTheory::replace_live_versions(
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
    touch_moved();
  }
  if (any) return final_check(conflicts);
  stopped_ = kInsertedAgain;
  return Final::kStopped;
}

/// What has changed its place in the order.
void ChoiceTheory::touch_moved() {
  for (const NodeId node : order_.moved()) {
    if (events_.is_txn(node)) touch(events_.txn(node));
  }
  order_.moved().clear();
}

void ChoiceTheory::touch(KeyId key) {
  if (is_marked_[key.raw()] != 0) return;
  is_marked_[key.raw()] = 1;
  marked_.push_back(key);
}

void ChoiceTheory::touch(TxnId txn) {
  for (const WriteId write : seen_.writes(txn)) {
    touch(seen_.written_key(write));
  }
  for (const ReadFrom& read : seen_.reads(txn)) touch(read.key);
  for (std::uint32_t i = open_index_.begin(txn); i < open_index_.end(txn); ++i) {
    touch(seen_.open_reads()[i].key);
  }
}

/// As OrderCheck, with chosen readers and without transactions that did not take effect.
void ChoiceTheory::find_broken() {
  broken_.clear();
  unsettled_.clear();
  std::size_t kept = 0;
  for (const KeyId key : marked_) {
    ISOLDE_INVARIANT(is_marked_[key.raw()] != 0);
    const std::size_t before = broken_.size() + unsettled_.size();
    check_key(key);
    check_reads(key);
    budget_.spend((sorted_.row(key.raw()).size() + reads_of_.row(key.raw()).size()) * 4);
    if (broken_.size() + unsettled_.size() > before) {
      marked_[kept++] = key;
    } else {
      is_marked_[key.raw()] = 0;
    }
  }
  marked_.resize(kept);
}

void ChoiceTheory::check_key(KeyId key) {
  const auto commit_at = [&](TxnId txn) { return order_.position(events_.commit(txn)); };
  const std::span<WriteId> writes = sorted_.row(key.raw());
  const auto earlier = [&](WriteId a, WriteId b) {
    return commit_at(seen_.writer(a)) < commit_at(seen_.writer(b));
  };
  if (!std::is_sorted(writes.begin(), writes.end(), earlier)) {
    std::sort(writes.begin(), writes.end(), earlier);
  }
  WriteId last;
  for (const WriteId write : writes) {
    const TxnId next = seen_.writer(write);
    if (!took_effect(next)) continue;
    const WriteId here = std::exchange(last, write);
    if (here.is_none()) continue;
    bool wrong = order_.position(events_.replace(here, next)) < commit_at(seen_.writer(here));
    const auto look = [&](TxnId reader) {
      wrong =
          wrong || (reader != next && commit_at(next) < order_.position(events_.begin(reader)));
    };
    for (const TxnId reader : seen_.readers(here)) look(reader);
    for (const Chosen& chosen : readers_[here.raw()]) look(chosen.txn);
    if (wrong) broken_.push_back({seen_.writer(here), next, key});
  }
}

/// Reads without a true source: the version that each finds in the current order must be one of
/// its sources. REQUIRES: the key's writes are sorted.
void ChoiceTheory::check_reads(KeyId key) {
  for (const std::uint32_t read : reads_of_.row(key.raw())) {
    ISOLDE_INVARIANT(same_as_[read] == read);
    const TxnId reader = seen_.open_reads()[read].txn;
    if (!took_effect(reader) || !chosen_[read].is_none()) continue;
    by_order_[read] = version_before(events_.begin(reader), sorted_.row(key.raw()));
    if (!may_come_from(read, by_order_[read])) unsettled_.push_back(read);
  }
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
  // C3: there are variables for all candidates, or for none.
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

void ChoiceTheory::on_new_order(VersionOrder pair) {
  meanings_.push_back({Kind::kOrder, pair.before, pair.after, 0, {}});
  ISOLDE_ASSERT(meanings_.size() == solver_->var_count());  // C1
}

}  // namespace isolde::checker
