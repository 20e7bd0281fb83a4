// Judges a full choice of sources: at the levels that do not order versions, the history with
// these sources is decided as one with unique values, and a violation becomes a conflict of the
// choices that it rests on.
#include <algorithm>
#include <deque>
#include <variant>

#include "base/assert.hpp"
#include "source/choice_theory.hpp"
#include "weak/visible.hpp"
#include "weak/weak.hpp"

namespace isolde::checker {

using infer::OpenRead;
using infer::ReadFrom;
using solver::Lit;
using solver::Var;

/// With all sources chosen, the weaker levels are decided as with unique values.
solver::Theory::Final ChoiceTheory::judge_sources() {
  const infer::SourceOf source_of = [&](TxnId reader, std::uint32_t op) {
    const auto all = seen_.open_reads().begin();
    const auto read = std::lower_bound(
        all + first_open_[reader.raw()], all + first_open_[reader.raw() + 1], op,
        [](const OpenRead& each, std::uint32_t wanted) { return each.op < wanted; });
    ISOLDE_INVARIANT(read != all + first_open_[reader.raw() + 1] && read->op == op);
    const Lit lit = true_source(static_cast<std::uint32_t>(read - all));
    ISOLDE_INVARIANT(lit != Lit());
    return meanings_[lit.var().raw()].second;
  };
  const infer::Observations chosen = infer::observe_chosen(history_, source_of, budget_);
  if (budget_.exhausted()) return Final::kStopped;
  ISOLDE_CHECK(!chosen.finding() && chosen.ambiguity().empty());
  const std::optional<Proof> proof = decide_weak(chosen, level_, clock_error_ns_, budget_);
  if (!proof) return Final::kStopped;
  if (const auto* witness = std::get_if<Witness>(&*proof)) {
    weak_witness_ = *witness;
    return Final::kModel;
  }
  objection_.clear();
  const std::vector<Edge>& cycle = std::get<Refutation>(*proof).steps.back().cycle;
  for (const Edge& edge : cycle) {
    const bool explained = explain_edge(chosen, edge);
    ISOLDE_CHECK(explained);
  }
  add_effects(cycle, objection_);
  ISOLDE_INVARIANT(std::all_of(objection_.begin(), objection_.end(),
                               [&](Lit each) { return solver_->is_true(each); }));
  lemmas_.push_back({cycle, {}});
  return Final::kMore;
}

bool ChoiceTheory::explain_edge(const infer::Observations& chosen, const Edge& edge) {
  switch (edge.kind) {
    case EdgeKind::kReadFrom:
      return explain_read(edge.to, edge.key, edge.from);
    case EdgeKind::kMonotonicView:
    case EdgeKind::kAtomicView:
      return explain_view(edge);
    case EdgeKind::kCausalView:
      return explain_read(edge.via, edge.key, edge.from == edge.to ? TxnId::none() : edge.to) &&
             explain_past(edge);
    case EdgeKind::kVersionOrder:
      return chosen.is_list(edge.key);
    default:
      return true;
  }
}

/// The true literal that the read rests on, or none. REQUIRES: no certain read says the same.
Lit ChoiceTheory::source_lit(TxnId reader, KeyId key, TxnId writer) const {
  for (std::uint32_t i = first_open_[reader.raw()]; i < first_open_[reader.raw() + 1]; ++i) {
    if (seen_.open_reads()[i].key != key) continue;
    const Lit lit = true_source(i);
    if (lit != Lit() && meanings_[lit.var().raw()].second == writer) return lit;
  }
  return {};
}

bool ChoiceTheory::explain_read(TxnId reader, KeyId key, TxnId writer) {
  for (const ReadFrom& read : seen_.reads(reader)) {
    if (read.key == key && writer_of(read.source) == writer) return true;
  }
  const Lit lit = source_lit(reader, key, writer);
  add_once(objection_, lit);
  return lit != Lit();
}

/// A read that showed `from`, and a read of the key: the first pair that rests on few literals.
bool ChoiceTheory::explain_view(const Edge& edge) {
  struct Seen {
    bool shows_from;
    bool is_target;
    Lit lit;
    std::uint32_t step;
  };
  const TxnId target = edge.from == edge.to ? TxnId::none() : edge.to;
  std::vector<Seen> reads;
  const bool has_steps = history_.has_selections();
  const auto add = [&](KeyId key, TxnId writer, Lit lit, std::uint32_t step) {
    const auto rank = static_cast<std::uint32_t>(reads.size());
    reads.push_back({writer == edge.from, key == edge.key && writer == target, lit,
                     has_steps ? step : rank});
  };
  const std::span<const ReadFrom> known = seen_.reads(edge.via);
  std::uint32_t next = 0;
  const auto add_known = [&](std::uint32_t end) {
    ISOLDE_INVARIANT(next <= end && end <= known.size());
    for (; next < end; ++next) {
      add(known[next].key, writer_of(known[next].source), Lit(), seen_.step(edge.via, next));
    }
  };
  for (std::uint32_t i = first_open_[edge.via.raw()]; i < first_open_[edge.via.raw() + 1];
       ++i) {
    add_known(seen_.open_reads()[i].place);
    const Lit lit = true_source(i);
    if (lit == Lit()) continue;
    const OpenRead& read = seen_.open_reads()[i];
    add(read.key, meanings_[lit.var().raw()].second, lit, history_.step(edge.via, read.op));
  }
  add_known(static_cast<std::uint32_t>(known.size()));

  const bool later_only = edge.kind == EdgeKind::kMonotonicView;
  const bool by_order =
      !later_only && ((level_.session_order &&
                       history_.session_of(edge.from) == history_.session_of(edge.via) &&
                       history_.position_of(edge.from) < history_.position_of(edge.via)) ||
                      (level_.real_time &&
                       infer::ended_before(history_, edge.from, edge.via, clock_error_ns_)));
  std::optional<std::array<Lit, 2>> best;
  const auto count = [](const std::array<Lit, 2>& lits) {
    return (lits[0] == Lit() ? 0 : 1) + (lits[1] == Lit() || lits[1] == lits[0] ? 0 : 1);
  };
  const auto offer = [&](const std::array<Lit, 2>& lits) {
    if (!best || count(lits) < count(*best)) best = lits;
  };
  for (std::size_t j = 0; j < reads.size(); ++j) {
    if (!reads[j].is_target) continue;
    if (by_order) offer({reads[j].lit, Lit()});
    for (std::size_t i = 0; i < (later_only ? j : reads.size()); ++i) {
      const bool counts = later_only ? reads[i].step < reads[j].step : i != j;
      if (counts && reads[i].shows_from) offer({reads[i].lit, reads[j].lit});
    }
  }
  if (!best) return false;
  for (const Lit lit : *best) add_once(objection_, lit);
  return true;
}

/// A path of causes from `from` to `via` with the fewest choices on it, found backwards.
bool ChoiceTheory::explain_past(const Edge& edge) {
  struct Step {
    TxnId after;
    Lit lit;
    std::uint32_t cost = 0xffffffffU;
  };
  std::vector<Step> steps(history_.txn_count());
  std::vector<std::uint8_t> done(history_.txn_count(), 0);
  std::deque<TxnId> work{edge.via};
  steps[edge.via.raw()].cost = 0;
  const auto reach = [&](TxnId txn, TxnId after, Lit lit) {
    if (txn.is_none() || !took_effect(txn) || txn == after) return;
    const std::uint32_t cost = steps[after.raw()].cost + (lit == Lit() ? 0 : 1);
    if (cost >= steps[txn.raw()].cost) return;
    steps[txn.raw()] = {after, lit, cost};
    if (lit == Lit()) {
      work.push_front(txn);
    } else {
      work.push_back(txn);
    }
  };
  while (!work.empty()) {
    const TxnId txn = work.front();
    work.pop_front();
    if (txn == edge.from) break;
    if (done[txn.raw()] != 0) continue;
    done[txn.raw()] = 1;
    budget_.spend(8);
    for (const ReadFrom& read : seen_.reads(txn)) reach(writer_of(read.source), txn, Lit());
    for (std::uint32_t i = first_open_[txn.raw()]; i < first_open_[txn.raw() + 1]; ++i) {
      const Lit lit = true_source(i);
      if (lit != Lit()) reach(meanings_[lit.var().raw()].second, txn, lit);
    }
    const std::span<const TxnId> session = history_.session_txns(history_.session_of(txn));
    for (std::size_t at = history_.position_of(txn); level_.session_order && at-- > 0;) {
      if (!took_effect(session[at])) continue;
      const bool is_doubtful = seen_.is_doubtful(session[at]);
      reach(session[at], txn, is_doubtful ? effect_lit(session[at]) : Lit());
      if (!is_doubtful) break;
    }
    if (!level_.real_time) continue;
    budget_.spend(history_.txn_count());
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      if (infer::ended_before(history_, TxnId::at(t), txn, clock_error_ns_)) {
        reach(TxnId::at(t), txn, Lit());
      }
    }
  }
  if (steps[edge.from.raw()].cost == 0xffffffffU) return false;
  for (TxnId at = edge.from; at != edge.via; at = steps[at.raw()].after) {
    ISOLDE_INVARIANT(steps[at.raw()].after.is_some());
    add_once(objection_, steps[at.raw()].lit);
  }
  return true;
}

}  // namespace isolde::checker
