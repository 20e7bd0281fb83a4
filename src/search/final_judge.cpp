// Judges a full choice of sources, at the levels where no order of events tells them: reads may
// return versions that were replaced long before, or the database's times fix the order and
// leave only the sources. Once all are chosen, the history is decided as one with unique
// values. A refutation of that history becomes a conflict of the choices that it rests on: each
// of its steps is restated with the denials of those choices, so that all steps hold of the
// history itself.
//
// Where each session has an execution of its own, a refutation goes a long way round, from one
// read to the next, and a conflict of ten choices excludes little. So it is shortened: without
// one of the choices after the other the level is decided again, and where it is refuted still,
// the choices of that refutation are the conflict. What is left needs each of its choices.
//
// COST: a decision of the level for each choice, and where conflicts are shortened for each
// literal of one, of a history without the other open reads; what a conflict excludes is never
// tried again.
#include <algorithm>
#include <deque>
#include <variant>

#include "base/assert.hpp"
#include "history/base_levels.hpp"
#include "search/version_theory.hpp"
#include "weak/visible.hpp"

namespace isolde::checker {

using infer::OpenRead;
using infer::ReadFrom;
using solver::Lit;
using solver::Var;

namespace {

/// The version order that the edge rests on.
std::optional<VersionOrder> order_under(const Edge& edge) {
  if (edge.kind == EdgeKind::kVersionOrder) return VersionOrder{edge.from, edge.to};
  if (edge.kind == EdgeKind::kAntiDependency && edge.via.is_some()) {
    return VersionOrder{edge.via, edge.to};
  }
  return std::nullopt;
}

bool is_in(const std::vector<VersionOrder>& clause, VersionOrder order) {
  return std::find(clause.begin(), clause.end(), order) != clause.end();
}

}  // namespace

class VersionTheory::Judging final : public FinalCheck {
 public:
  explicit Judging(VersionTheory& theory)
      : theory_(theory),
        seen_(theory.seen_),
        history_(theory.history_),
        level_(theory.level()),
        meanings_(theory.meanings_),
        open_index_(*theory.open_index_),
        budget_(theory.budget_) {}

  Final run(std::vector<std::vector<Lit>>& conflicts) override {
    const infer::Observations chosen = observe_choices();
    if (budget_.exhausted()) return Final::kStopped;
    std::optional<Proof> proof = theory_.choosing_->judge(chosen);
    if (!proof) return Final::kStopped;
    if (auto* witness = std::get_if<Witness>(&*proof)) {
      theory_.judged_ = std::move(*witness);
      return Final::kModel;
    }
    std::vector<Lit>& conflict = conflicts.emplace_back();
    Lemma lemma = under_choice(chosen, std::get<Refutation>(*proof), conflict);
    if (traits(level_.base).method == Method::kSessions) shorten(lemma, conflict);
    theory_.lemmas_.push_back(std::move(lemma));
    ISOLDE_INVARIANT(std::all_of(conflict.begin(), conflict.end(),
                                 [&](Lit each) { return theory_.solver_->is_true(each); }));
    return Final::kMore;
  }

 private:
  /// The read's choice, as far as it counts.
  Lit judged_source(std::uint32_t read) const {
    const Lit lit = theory_.true_source(read);
    const bool counts =
        judged_with_.empty() ||
        std::find(judged_with_.begin(), judged_with_.end(), lit) != judged_with_.end();
    return counts ? lit : Lit();
  }

  infer::Observations observe_choices() const {
    const infer::SourceOf source_of = [&](TxnId reader, std::uint32_t op) {
      const std::uint32_t read = infer::find_open(seen_, reader, op);
      ISOLDE_ASSERT(read != infer::kNotOpen);
      const Lit lit = theory_.true_source(read);
      ISOLDE_INVARIANT(lit != Lit());
      return meanings_[lit.var().raw()].second;
    };
    const infer::ReadCounts counts = [&](TxnId reader, std::uint32_t op) {
      const std::uint32_t read = infer::find_open(seen_, reader, op);
      return read == infer::kNotOpen || judged_source(read) != Lit();
    };
    infer::Observations chosen = infer::observe_chosen(
        history_, source_of, budget_, judged_with_.empty() ? infer::ReadCounts() : counts);
    ISOLDE_CHECK(budget_.exhausted() || (!chosen.finding() && chosen.ambiguity().empty()));
    return chosen;
  }

  /// Until the refutation needs each of its choices.
  void shorten(Lemma& lemma, std::vector<Lit>& conflict) {
    std::vector<Lit> needed;
    while (!budget_.exhausted()) {
      const auto next = std::find_if(conflict.begin(), conflict.end(), [&](Lit lit) {
        return meanings_[lit.var().raw()].kind == Kind::kSource &&
               std::find(needed.begin(), needed.end(), lit) == needed.end();
      });
      if (next == conflict.end() || conflict.size() == 1) break;
      const Lit lit = *next;
      if (!is_shorter_without(lit, lemma, conflict)) needed.push_back(lit);
    }
  }

  bool is_shorter_without(Lit dropped, Lemma& lemma, std::vector<Lit>& conflict) {
    judged_with_ = conflict;
    std::erase(judged_with_, dropped);
    const infer::Observations chosen = observe_choices();
    const std::optional<Proof> proof =
        budget_.exhausted() ? std::nullopt : theory_.choosing_->judge(chosen);
    const auto* const refutation = proof ? std::get_if<Refutation>(&*proof) : nullptr;
    if (refutation != nullptr) {
      std::vector<Lit> shorter;
      lemma = under_choice(chosen, *refutation, shorter);
      conflict = std::move(shorter);
    }
    judged_with_.clear();
    return refutation != nullptr;
  }

  void deny(const std::vector<Lit>& lits, RefutationStep& step) const {
    for (const Lit lit : lits) theory_.state(~lit, step);
  }

  /// Restates the steps. An order that a step of its own established now has choices in its
  /// clause, so a cycle that takes it for granted must deny it, too, and another step removes
  /// it.
  Lemma under_choice(const infer::Observations& chosen, const Refutation& refutation,
                     std::vector<Lit>& conflict) const {
    /// A step of the refutation: where it is restated, and the choices in its clause.
    struct Restated {
      std::uint32_t place = 0;
      std::vector<Lit> lits;
    };
    Lemma lemma;
    std::vector<Restated> all;
    std::unordered_map<std::uint64_t, std::size_t> established;
    for (const RefutationStep& step : refutation.steps) {
      Restated now;
      std::vector<std::size_t> rests_on(step.from.begin(), step.from.end());
      RefutationStep first{step.clause, step.cycle, {}, {}};
      const auto rest_on = [&](VersionOrder order) {
        if (is_in(first.clause, {order.after, order.before})) return true;
        const auto at = established.find(infer::packed(order));
        if (at == established.end()) return explain_order(order, now.lits);
        rests_on.push_back(at->second);
        first.clause.push_back({order.after, order.before});
        return true;
      };
      for (const Edge& edge : step.cycle) {
        const bool explained = explain_edge(chosen, edge, now.lits);
        ISOLDE_CHECK(explained);
        const std::optional<VersionOrder> order = order_under(edge);
        const bool is_explained = !order || rest_on(*order);
        ISOLDE_CHECK(is_explained);
        // That the second writer has seen the first one's version may rest on where other
        // deletions of the key are.
        if (edge.kind == EdgeKind::kVersionOrder && seen_.has_deletions() &&
            lets_insert_again(level_.base)) {
          for_deleters(seen_, {edge.from, edge.to, edge.key}, [&](TxnId txn) {
            static_cast<void>(rest_on({txn, edge.from}) || rest_on({edge.to, txn}));
          });
        }
      }
      theory_.add_effects(step.cycle, now.lits);
      budget_.spend(16 * (1 + step.cycle.size() + rests_on.size()));
      deny(now.lits, first);
      RefutationStep second{step.clause, {}, {}, {}};
      if (!step.cycle.empty()) {
        second.from.push_back(static_cast<std::uint32_t>(lemma.steps.size()));
        lemma.steps.push_back(std::move(first));
      }
      if (!rests_on.empty()) {
        for (const std::size_t each : rests_on) {
          second.from.push_back(all[each].place);
          for (const Lit lit : all[each].lits) add_once(now.lits, lit);
        }
        deny(now.lits, second);
        lemma.steps.push_back(std::move(second));
      }
      now.place = static_cast<std::uint32_t>(lemma.steps.size() - 1);
      if (step.clause.size() == 1)
        established.emplace(infer::packed(step.clause[0]), all.size());
      all.push_back(std::move(now));
    }
    conflict = all.back().lits;
    return lemma;
  }

  bool explain_edge(const infer::Observations& chosen, const Edge& edge,
                    std::vector<Lit>& lits) const {
    switch (edge.kind) {
      case EdgeKind::kReadFrom:
        return explain_read(edge.to, edge.key, edge.from, lits);
      case EdgeKind::kAntiDependency:
        return explain_read(edge.from, edge.key, edge.via, lits);
      case EdgeKind::kMonotonicView:
      case EdgeKind::kAtomicView:
        return explain_view(edge, lits);
      case EdgeKind::kCausalView:
        return explain_read(edge.via, edge.key, edge.from == edge.to ? TxnId::none() : edge.to,
                            lits) &&
               explain_past(edge, lits);
      case EdgeKind::kSessionOrder:
        return traits(level_.base).session.seen != SessionRules::Of::kReads ||
               explain_leaving(edge.from, lits);
      case EdgeKind::kVersionOrder:
        return traits(level_.base).method != Method::kViews || chosen.is_list(edge.key);
      default:
        return true;
    }
  }

  /// The order holds because the later transaction read from the earlier one, by a list, or by
  /// the database's times.
  bool explain_order(VersionOrder order, std::vector<Lit>& lits) const {
    if (theory_.is_direct(order)) return true;
    if (goes_by_database_times(level_.base) &&
        history_.database_times(order.before).commit <
            history_.database_times(order.after).commit) {
      return true;
    }
    for (std::uint32_t i = open_index_.begin(order.after); i < open_index_.end(order.after);
         ++i) {
      const Lit lit = judged_source(i);
      if (lit == Lit() || meanings_[lit.var().raw()].second != order.before) continue;
      add_once(lits, lit);
      return true;
    }
    return false;
  }

  /// A certain read says it, or a choice. Where reads are events, all choices that say so
  /// count: the edge does not tell which of the reads it is about.
  bool explain_read(TxnId reader, KeyId key, TxnId writer, std::vector<Lit>& lits) const {
    const std::span<const ReadFrom> known = seen_.reads(reader);
    bool found = std::any_of(known.begin(), known.end(), [&](const ReadFrom& read) {
      return read.key == key && seen_.writer_or_none(read.source) == writer;
    });
    const bool all = tests_each_read(level_.base);
    for (std::uint32_t i = open_index_.begin(reader); i < open_index_.end(reader); ++i) {
      if (found && !all) break;
      if (seen_.open_reads()[i].key != key) continue;
      const Lit lit = judged_source(i);
      if (lit == Lit() || meanings_[lit.var().raw()].second != writer) continue;
      add_once(lits, lit);
      found = true;
    }
    return found;
  }

  /// Where only reads bind a session, the edge leaves a read of the transaction, so one must be
  /// known. The one that an earlier edge arrives at is among the literals already.
  bool explain_leaving(TxnId txn, std::vector<Lit>& lits) const {
    const bool is_named = std::any_of(lits.begin(), lits.end(), [&](Lit lit) {
      const Meaning& meaning = meanings_[lit.var().raw()];
      return meaning.kind == Kind::kSource && meaning.first == txn;
    });
    if (is_named || !seen_.reads(txn).empty()) return true;
    for (std::uint32_t i = open_index_.begin(txn); i < open_index_.end(txn); ++i) {
      const Lit lit = judged_source(i);
      if (lit == Lit()) continue;
      add_once(lits, lit);
      return true;
    }
    return false;
  }

  /// A read that showed `from`, and a read of the key: the first pair that rests on few
  /// literals.
  bool explain_view(const Edge& edge, std::vector<Lit>& lits) const {
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
        add(known[next].key, seen_.writer_or_none(known[next].source), Lit(),
            seen_.step(edge.via, next));
      }
    };
    for (std::uint32_t i = open_index_.begin(edge.via); i < open_index_.end(edge.via); ++i) {
      add_known(seen_.open_reads()[i].place);
      const Lit lit = judged_source(i);
      if (lit == Lit()) continue;
      const OpenRead& read = seen_.open_reads()[i];
      add(read.key, meanings_[lit.var().raw()].second, lit, history_.step(edge.via, read.op));
    }
    add_known(static_cast<std::uint32_t>(known.size()));

    budget_.spend(reads.size() * reads.size());
    const bool later_only = edge.kind == EdgeKind::kMonotonicView;
    const bool by_order =
        !later_only &&
        ((level_.session_order &&
          history_.session_of(edge.from) == history_.session_of(edge.via) &&
          history_.position_of(edge.from) < history_.position_of(edge.via)) ||
         (level_.real_time && infer::ended_before(history_, edge.from, edge.via,
                                                  theory_.choosing_->clock_error_ns)));
    std::optional<std::array<Lit, 2>> best;
    const auto count = [](const std::array<Lit, 2>& pair) {
      return (pair[0] == Lit() ? 0 : 1) + (pair[1] == Lit() || pair[1] == pair[0] ? 0 : 1);
    };
    const auto offer = [&](const std::array<Lit, 2>& pair) {
      if (!best || count(pair) < count(*best)) best = pair;
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
    for (const Lit lit : *best) add_once(lits, lit);
    return true;
  }

  /// A path of causes from `from` to `via` with the fewest choices on it, found backwards.
  bool explain_past(const Edge& edge, std::vector<Lit>& lits) const {
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
      if (txn.is_none() || !theory_.took_effect(txn) || txn == after) return;
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
      for (const ReadFrom& read : seen_.reads(txn))
        reach(seen_.writer_or_none(read.source), txn, Lit());
      for (std::uint32_t i = open_index_.begin(txn); i < open_index_.end(txn); ++i) {
        const Lit lit = judged_source(i);
        if (lit != Lit()) reach(meanings_[lit.var().raw()].second, txn, lit);
      }
      const std::span<const TxnId> session = history_.session_txns(history_.session_of(txn));
      for (std::size_t at = history_.position_of(txn); level_.session_order && at-- > 0;) {
        if (!theory_.took_effect(session[at])) continue;
        const bool is_doubtful = seen_.is_doubtful(session[at]);
        reach(session[at], txn, is_doubtful ? theory_.effect_lit(session[at]) : Lit());
        if (!is_doubtful) break;
      }
      if (!level_.real_time) continue;
      budget_.spend(history_.txn_count());
      for (std::size_t t = 0; t < history_.txn_count(); ++t) {
        if (infer::ended_before(history_, TxnId::at(t), txn,
                                theory_.choosing_->clock_error_ns)) {
          reach(TxnId::at(t), txn, Lit());
        }
      }
    }
    if (steps[edge.from.raw()].cost == 0xffffffffU) return false;
    for (TxnId at = edge.from; at != edge.via; at = steps[at.raw()].after) {
      ISOLDE_INVARIANT(steps[at.raw()].after.is_some());
      add_once(lits, steps[at.raw()].lit);
    }
    return true;
  }

  VersionTheory& theory_;
  const Observations& seen_;
  const History& history_;
  const LevelInfo& level_;
  const std::vector<Meaning>& meanings_;
  const infer::OpenIndex& open_index_;
  base::Budget& budget_;
  std::vector<Lit> judged_with_;  // the only choices that count while a conflict is shortened
};

void VersionTheory::judge_sources() { other_check_ = std::make_unique<Judging>(*this); }

}  // namespace isolde::checker
