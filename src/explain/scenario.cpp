#include "explain/scenario.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/assert.hpp"
#include "explain/evidence.hpp"
#include "explain/results.hpp"
#include "explain/sight.hpp"
#include "explain/simplify.hpp"
#include "explain/statement.hpp"
#include "explain/supply_text.hpp"
#include "history/base_levels.hpp"
#include "history/current_reads.hpp"

namespace isolde::explain {
namespace {

constexpr std::size_t kLastCyclesShown = 3;  // of proofs that are too long to show

/// Collects transactions in the order of first mention, each with the keys that matter for it.
class Cast {
 public:
  void add(TxnId txn, KeyId key) {
    if (txn.is_none()) return;
    const auto [known, is_new] = place_.try_emplace(txn, members_.size());
    if (is_new) members_.push_back({txn, {}});
    if (key.is_some()) members_[known->second].keys.push_back(key);
  }

  void add(const Cast& other) {
    for (const Member& member : other.members_) {
      add(member.txn, KeyId::none());
      for (const KeyId key : member.keys) add(member.txn, key);
    }
  }

  std::vector<ScenarioTxn> with_ops(const History& history) const {
    std::vector<ScenarioTxn> txns;
    for (const Member& member : members_) {
      txns.push_back({member.txn, ops_on(history, member.txn, member.keys)});
    }
    return txns;
  }

 private:
  struct Member {
    TxnId txn;
    std::vector<KeyId> keys;
  };
  std::vector<Member> members_;
  std::map<TxnId, std::size_t> place_;  // among these
};

/// True when the sentence about the edge names the transaction in `via`. `direct`: what shows
/// the order behind it, or null.
bool mentions_via(const Writers& writers, const Edge& edge, const DirectOrder* direct,
                  Taken taken) {
  const History& history = writers.history();
  if (is_view(edge.kind)) return true;
  if (edge.kind != EdgeKind::kAntiDependency || edge.via.is_none()) return false;
  if (history.is_list(edge.key)) return false;
  // "T1 read x = 1, which T2 read as well and replaced" does not say whose it was.
  const bool is_read_as_well = direct != nullptr && direct->kind == DirectOrder::Kind::kRead &&
                               direct->key == edge.key &&
                               op_at(history, direct->read).is_read();
  if (!is_read_as_well) return true;
  // A row that was not among those selected, or counted, is told by why T2 came later.
  const auto told = told_read_of(writers, edge.from, edge.key, edge.via, taken);
  if (!told) return false;
  const Op& op = op_at(history, *told);
  return op.kind == OpKind::kReadAbsent || history.found_nothing(op) ||
         aggregate_of(history, *told) != nullptr;
}

/// Keys of reads by which the viewer of a view edge saw its source.
void add_view(const Writers& writers, const Edge& edge, const ScenarioEdge& step, Cast& cast) {
  const History& history = writers.history();
  if (const auto read = sure_read_of(writers, edge.via, edge.from, step.taken)) {
    cast.add(edge.via, op_at(history, *read).key);
    cast.add(edge.from, op_at(history, *read).key);
    return;
  }
  for (const CausalStep& each : step.path) {
    cast.add(each.from, each.key);
    cast.add(each.to, each.key);
  }
}

/// What shows the order that the edge rests on.
void add_direct(const History& history, const Edge& edge, const DirectOrder& direct,
                Cast& cast) {
  // That a list lacks an append needs no other reason.
  if (edge.kind == EdgeKind::kAntiDependency && history.is_list(edge.key)) return;
  if (direct.read.txn.is_none()) return;
  const VersionOrder order = rests_on(edge);
  if (direct.key != edge.key) cast.add(order.before, direct.key);
  if (direct.key != edge.key || direct.read.txn != order.after) {
    cast.add(direct.read.txn, direct.key);
  }
}

void add_edge(const Writers& writers, const ScenarioEdge& step, Cast& cast) {
  const History& history = writers.history();
  const Edge& edge = step.edge;
  const DirectOrder* const direct = step.direct ? &*step.direct : nullptr;
  cast.add(edge.from, edge.key);
  if (mentions_via(writers, edge, step.shown_by ? nullptr : direct, step.taken)) {
    cast.add(edge.via, edge.key);
  }
  cast.add(edge.to, edge.key);
  if (is_view(edge.kind)) add_view(writers, edge, step, cast);
  const Edge& shown = step.shown_by ? *step.shown_by : edge;
  if (step.shown_by) {
    cast.add(shown.from, shown.key);
    if (mentions_via(writers, shown, direct, step.taken)) cast.add(shown.via, shown.key);
    cast.add(shown.to, shown.key);
    if (is_view(shown.kind)) add_view(writers, shown, step, cast);
  }
  if (direct != nullptr) add_direct(history, shown, *direct, cast);
}

/// A step whose two transactions rule out one of their orders by themselves needs no number:
/// the dependency between them is the reason wherever the order is used.
std::optional<Edge> evidence_of(const CoreStep& step) {
  if (!is_between_two(step.clause, step.claims, step.cycle)) return {};
  for (std::size_t i = 0; i < 2; ++i) {
    if (step.grounds[i] == Ground::kCertain && step.grounds[1 - i] == Ground::kAssumed) {
      return step.cycle[i];
    }
  }
  return {};
}

/// The steps of a core, and which of them are told.
struct Argument {
  std::vector<CoreStep> core;
  std::vector<std::optional<Edge>>
      evidence;                     // by step; such steps are told where they are used
  std::vector<std::size_t> number;  // by step, from 1; 0: not told
  std::size_t steps_total = 0;

  /// `rows_are_deleted`: where deletions are makes a difference to steps that do not name their
  /// orders, so every step is told.
  Argument(std::vector<CoreStep> steps, bool rows_are_deleted)
      : core(std::move(steps)), evidence(core.size()), number(core.size(), 0) {
    std::vector<std::uint8_t> is_premise(core.size(), 0);
    for (const CoreStep& step : core) {
      for (const std::size_t earlier : step.from) is_premise[earlier] = 1;
    }
    for (std::size_t i = 0; i < core.size(); ++i) {
      const bool may_wait = is_premise[i] == 0 && i + 1 < core.size() && !rows_are_deleted;
      if (may_wait) evidence[i] = evidence_of(core[i]);
      if (!evidence[i]) number[i] = ++steps_total;
    }
  }

  std::vector<Cycle> cycles() const {
    std::vector<Cycle> cycles;
    for (std::size_t i = 0; i < core.size(); ++i) {
      if (!evidence[i] && !core[i].cycle.empty()) cycles.push_back(core[i].cycle);
    }
    return cycles;
  }

  std::vector<Edge> all_evidence() const {
    std::vector<Edge> edges;
    for (const std::optional<Edge>& edge : evidence) {
      if (edge) edges.push_back(*edge);
    }
    return edges;
  }

  /// Steps to show: all of a small proof, else the last few cycles and what ends it.
  std::vector<std::size_t> shown() const {
    std::vector<std::size_t> shown;
    std::size_t cycles = 0;
    for (std::size_t i = core.size(); i-- > 0;) {
      if (number[i] == 0) continue;
      const bool is_last = i + 1 == core.size();
      const bool is_reason = !core[i].cycle.empty() || core[i].wrong_result;
      if (steps_total > kStepsShown && !is_reason && !is_last) continue;
      shown.insert(shown.begin(), i);
      if (is_reason) ++cycles;
      if (steps_total > kStepsShown && cycles == kLastCyclesShown) break;
    }
    return shown;
  }
};

/// Transactions and keys of the whole argument, sorted.
struct Extent {
  std::set<TxnId> txns;
  std::set<KeyId> keys;
};

Extent extent_of(const History& history, const Argument& argument) {
  Extent extent;
  const auto add = [&](TxnId txn, KeyId key) {
    if (txn.is_some()) extent.txns.insert(txn);
    if (key.is_some()) extent.keys.insert(key);
  };
  for (std::size_t i = 0; i < argument.core.size(); ++i) {
    if (argument.evidence[i]) continue;
    for (const Edge& edge : argument.core[i].cycle) {
      add(edge.from, edge.key);
      add(edge.via, edge.key);
    }
    if (const auto& wrong = argument.core[i].wrong_result) {
      for (const Op& item : items_of(history, *wrong)) add(wrong->txn, item.key);
    }
    for (const Claim& claim : argument.core[i].claims) {
      const bool about_read = claim.source.op != Claim::kNoOp;
      add(claim.source.txn,
          about_read ? history.ops(claim.source.txn)[claim.source.op].key : KeyId::none());
      add(claim.source.writer, KeyId::none());
    }
  }
  return extent;
}

/// Sources of reads that the step takes for granted.
std::vector<ReadSource> taken_by(const CoreStep& step) {
  std::vector<ReadSource> taken;
  for (const Claim& claim : step.claims) {
    const bool about_read = claim.source.op != Claim::kNoOp;
    if (claim.denied && about_read) taken.push_back(claim.source);
  }
  return taken;
}

/// What shows the order that the edge rests on, if it needs no step.
void add_direct(const Writers& writers, Witnesses witnesses, ScenarioEdge& edge) {
  const Edge& shown = edge.shown_by ? *edge.shown_by : edge.edge;
  const VersionOrder order = rests_on(shown);
  if (edge.ground != Ground::kCertain || order.before.is_none()) return;
  edge.direct = direct_order(writers, order, shown.key, witnesses);
  if (edge.direct || edge.taken.empty()) return;
  witnesses.taken = edge.taken;
  edge.direct = direct_order(writers, order, shown.key, witnesses);
  edge.supposed = edge.supposed || edge.direct;
}

/// What the sentences about an argument may rest on.
struct Grounds {
  Witnesses witnesses;
  std::optional<std::int64_t> clock_error_ns;  ///< as in Causality
};

/// How the source of a cv edge came to be a cause of the reader.
void add_path(const Writers& writers, const Grounds& grounds, ScenarioEdge& edge) {
  const Edge& view = edge.shown_by ? *edge.shown_by : edge.edge;
  if (view.kind != EdgeKind::kCausalView) return;
  edge.path = causal_path(writers, view.from, view.via, {edge.taken, grounds.clock_error_ns});
  // That the source had ended is told without a path.
  if (edge.path.size() == 1 && edge.path.front().by_time) edge.path.clear();
}

ScenarioEdge edge_of(const Writers& writers, const Argument& argument, const CoreStep& step,
                     std::size_t at, const Grounds& grounds) {
  const History& history = writers.history();
  ScenarioEdge edge{step.cycle[at], step.grounds[at], 0, {}};
  edge.taken = taken_by(step);
  edge.supposed = rests_on_claim(history, edge.edge, step.claims);
  if (edge.edge.kind == EdgeKind::kCausalView && !edge.taken.empty()) {
    edge.supposed = edge.supposed || causal_path(writers, edge.edge.from, edge.edge.via,
                                                 {{}, grounds.clock_error_ns})
                                         .empty();
  }
  if (edge.ground == Ground::kEstablished) {
    edge.shown_by = argument.evidence[step.facts[at]];
    edge.step = argument.number[step.facts[at]];
    if (edge.shown_by) edge.ground = Ground::kCertain;
  }
  add_direct(writers, grounds.witnesses, edge);
  // What needs no supposing is not told by what is supposed.
  if (!edge.supposed) edge.taken.clear();
  add_path(writers, grounds, edge);
  return edge;
}

void add_clause(const History& history, const ScenarioStep& step, Cast& cast) {
  for (const VersionOrder order : step.clause) {
    KeyId key = key_of(step, order);
    if (key.is_none()) {
      const auto common = common_written_key(history, order.before, order.after);
      key = common ? *common : KeyId();
    }
    cast.add(order.before, key);
    cast.add(order.after, key);
  }
  for (const Claim& claim : step.claims) {
    const bool about_read = claim.source.op != Claim::kNoOp;
    const KeyId key =
        about_read ? history.ops(claim.source.txn)[claim.source.op].key : KeyId::none();
    cast.add(claim.source.writer, key);
    cast.add(claim.source.txn, key);
  }
}

/// When all transactions are known that are told of.
void add_reasons(const Writers& writers, Scenario& scenario) {
  Names names(writers.history());
  for (const ScenarioTxn& member : scenario.txns) names.mention(member.txn);
  const Phrase phrase(writers, names);
  for (ScenarioStep& step : scenario.steps) {
    for (ScenarioEdge& edge : step.cycle) edge.because = because(phrase, edge);
  }
}

void add_steps(const Writers& writers, const Argument& argument, std::int64_t clock_error_ns,
               Scenario& scenario) {
  const History& history = writers.history();
  const BaseLevel base = info(scenario.level).base;
  const bool asks_all = !explains_sessions_apart(base) || base == BaseLevel::kCausal;
  const std::optional<std::int64_t> clocks =
      info(scenario.level).real_time ? std::optional(clock_error_ns) : std::nullopt;
  const Grounds grounds{{base, asks_all ? SessionId() : scenario.session, {}}, clocks};
  Cast cast;
  for (const std::size_t at : argument.shown()) {
    const CoreStep& source = argument.core[at];
    Cast own;
    ScenarioStep step{argument.number[at], source.clause, {}, {}, source.claims};
    for (const std::size_t earlier : source.from) {
      step.from.push_back(argument.number[earlier]);
    }
    for (std::size_t i = 0; i < source.cycle.size(); ++i) {
      step.cycle.push_back(edge_of(writers, argument, source, i, grounds));
      add_edge(writers, step.cycle.back(), own);
    }
    if (source.wrong_result) {
      step.wrong_result = source.wrong_result;
      step.result = result_text(history, *source.wrong_result, source.claims);
      for (const Op& item : items_of(history, *source.wrong_result)) {
        own.add(source.wrong_result->txn, item.key);
      }
    }
    add_clause(history, step, own);
    cast.add(own);
    step.txns = own.with_ops(history);
    scenario.steps.push_back(std::move(step));
  }
  scenario.steps_total = argument.steps_total;
  scenario.txns = cast.with_ops(history);
  add_reasons(writers, scenario);
}

/// A lost update explains itself: whichever of the two came first, the other missed it.
/// Replaces the argument of the proof, which needs the two cases and often more.
std::vector<CoreStep> lost_update_argument(const LostUpdate& lost) {
  CoreStep step;
  step.cycle = {
      {lost.first, lost.second, EdgeKind::kAntiDependency, lost.key, lost.version},
      {lost.second, lost.first, EdgeKind::kAntiDependency, lost.key, lost.version},
  };
  step.grounds = {Ground::kCertain, Ground::kCertain};
  step.facts = {0, 0};
  return {step};
}

/// The same, where the second one saw what the first one wrote beside what that replaced.
std::vector<CoreStep> seen_update_argument(const LostUpdate& seen) {
  CoreStep step;
  step.cycle = {
      {seen.second, seen.first, EdgeKind::kAntiDependency, seen.key, seen.version},
      {seen.first, seen.second, EdgeKind::kReadFrom, seen.key, {}},
  };
  step.grounds = {Ground::kCertain, Ground::kCertain};
  step.facts = {0, 0};
  return {step};
}

/// An argument with the name that it gives the violation.
struct Told {
  Argument argument;
  Anomaly anomaly;
  std::optional<LostUpdate> lost_update;
  std::optional<LostUpdate> seen_update;
};

Told told_by(const Writers& writers, Level level, const Refutation& refutation) {
  const History& history = writers.history();
  std::vector<CoreStep> core = proof_core(history, refutation);
  for (CoreStep& step : core) straighten(history, step);
  Told told{Argument(std::move(core), history.origin().rows_are_deleted), {}, {}, {}};
  const Extent whole = extent_of(history, told.argument);
  const std::vector<TxnId> txns(whole.txns.begin(), whole.txns.end());
  const BaseLevel base = info(level).base;
  // Where writers must only not overlap, one of the two may have inserted the row again.
  const bool may_insert_again = history.origin().rows_are_deleted && !is_serial(base);
  if (forbids_lost_updates(base) && !may_insert_again) {
    told.lost_update = find_lost_update(writers, txns);
    if (!told.lost_update) told.seen_update = find_seen_update(writers, txns);
  }
  if (told.seen_update)
    told.argument = Argument(seen_update_argument(*told.seen_update), false);
  if (told.lost_update) {
    told.argument = Argument(lost_update_argument(*told.lost_update), false);
    told.anomaly = lost_update_anomaly();
  } else if (told.argument.cycles().empty()) {
    // Whoever may have written what was read did not take effect.
    const bool is_result =
        std::any_of(told.argument.core.begin(), told.argument.core.end(),
                    [](const CoreStep& step) { return step.wrong_result.has_value(); });
    told.anomaly = is_result ? wrong_result_anomaly() : classify(FindingKind::kAbortedRead);
  } else {
    told.anomaly =
        classify(writers, told.argument.cycles(), level, told.argument.all_evidence());
  }
  return told;
}

void explain_refutation(const Writers& writers, const Refutation& refutation,
                        std::int64_t clock_error_ns, Scenario& scenario) {
  const History& history = writers.history();
  const BaseLevel base = info(scenario.level).base;
  Told told = told_by(writers, scenario.level, simplified(writers, base, refutation));
  // Which cycle comes last is a matter of telling. What the violation is called is not.
  if (const auto turned = settled_first(writers, base, refutation)) {
    Told other = told_by(writers, scenario.level, *turned);
    const bool same_name =
        other.anomaly.name == told.anomaly.name && other.anomaly.type == told.anomaly.type;
    if (same_name && other.argument.steps_total < told.argument.steps_total) {
      told = std::move(other);
    }
  }
  scenario.lost_update = told.lost_update;
  scenario.seen_update = told.seen_update;
  scenario.anomaly = told.anomaly;
  scenario.session = refutation.session;
  const Extent extent = extent_of(history, told.argument);
  scenario.txns_total = extent.txns.size();
  scenario.keys_total = extent.keys.size();
  add_steps(writers, told.argument, clock_error_ns, scenario);
}

/// Who else wrote what the reader saw, as far as few transactions can have: the two reads of a
/// non-repeatable read differ because somebody wrote in between.
std::vector<ReadSource> sources_of(const Writers& writers, const Finding& finding) {
  const History& history = writers.history();
  std::vector<ReadSource> sources;
  const auto add = [&](std::uint32_t op, const std::vector<TxnId>& who) {
    if (who.size() > kWritersTold) return;
    for (const TxnId writer : who) sources.push_back({finding.txn, op, writer});
  };
  const Op& read = history.ops(finding.txn)[finding.op];
  switch (finding.kind) {
    case FindingKind::kNonRepeatableRead:
      add(finding.other_op, writers_of(writers, {finding.txn, finding.other_op}));
      [[fallthrough]];
    case FindingKind::kInternal:
    case FindingKind::kUnselectedRow:
      add(finding.op, writers_of(writers, {finding.txn, finding.op}));
      break;
    case FindingKind::kDuplicateElement:
      add(finding.op,
          appenders_of(writers, finding.txn, read.key, history.list(read)[finding.element]));
      break;
    default:
      break;
  }
  return sources;
}

/// Shows those who added, where they are few.
void add_sums(const History& history, const Finding& finding, std::int64_t clock_error_ns,
              Scenario& scenario, Cast& cast) {
  const bool together = finding.kind == FindingKind::kImpossibleTotal;
  const bool is_one =
      finding.kind == FindingKind::kImpossibleNumber || is_of_counted(history, finding);
  if (!together && !is_one) return;
  scenario.sums = certify::sum_range(history, info(scenario.level), clock_error_ns, finding.txn,
                                     finding.op, together);
  if (scenario.sums && scenario.sums->explains()) scenario.sums.reset();
  if (!scenario.sums) return;
  const auto anywhen = certify::sum_range(history, info(Level::kReadCommitted), 0, finding.txn,
                                          finding.op, false);
  if (!together && anywhen && anywhen->explains()) scenario.anomaly = missed_increment();
  for (const KeyId key : scenario.sums->keys) {
    cast.add(finding.txn, key);
    if (scenario.sums->adders.size() > kAddersShown) continue;
    for (const TxnId txn : scenario.sums->adders) cast.add(txn, key);
  }
  scenario.keys_total = scenario.sums->keys.size();
}

void explain_finding(const Writers& writers, const Finding& finding,
                     std::int64_t clock_error_ns, Scenario& scenario) {
  const History& history = writers.history();
  scenario.finding = finding;
  scenario.anomaly = classify(history, finding);
  const KeyId key = history.ops(finding.txn)[finding.op].key;
  Cast cast;
  cast.add(finding.txn, key);
  cast.add(finding.other, key);
  scenario.sources = sources_of(writers, finding);
  for (const ReadSource& source : scenario.sources) cast.add(source.writer, key);
  scenario.keys_total = 1;
  add_sums(history, finding, clock_error_ns, scenario, cast);
  scenario.txns = cast.with_ops(history);
  scenario.txns_total = scenario.txns.size();
  const Names names(history);
  scenario.statement = std::string(scenario.anomaly.name) + ": " +
                       finding_text(Phrase(writers, names), scenario);
}

void add_supplies(const std::vector<Supply>& supplies, KeyId key, Cast& cast) {
  for (const Supply& supply : supplies) {
    cast.add(supply.writer, key);
    cast.add(supply.by, key);
    add_supplies(supply.needs, key, cast);
  }
}

/// Shows what returned last and what ran or ended shortly before: there the contradiction is.
/// Or else the read that nobody can have supplied.
void explain_exhaustion(const History& history, const KeyExhaustion& exhaustion,
                        std::int64_t clock_error_ns, Scenario& scenario) {
  scenario.exhaustion = exhaustion;
  scenario.anomaly = exhaustion_anomaly();
  scenario.keys_total = 1;
  if (clock_error_ns == 0) {
    scenario.unsupplied = find_unsupplied(history, exhaustion.key);
    scenario.furthest = find_furthest(history, exhaustion.key, exhaustion.until);
  }
  if (scenario.unsupplied) {
    const Unsupplied& read = *scenario.unsupplied;
    Cast cast;
    cast.add(read.reader, exhaustion.key);
    add_supplies(read.supplies, exhaustion.key, cast);
    scenario.txns = cast.with_ops(history);
    scenario.txns_total = scenario.txns.size();
    scenario.statement = std::string(scenario.anomaly.name) + ": " +
                         unsupplied_text(history, Names(history), read);
    return;
  }
  const std::int64_t until = history.times(exhaustion.until).end;
  std::vector<TxnId> txns;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    const bool began = until == kNoTime || history.times(txn).start <= until;
    if (history.status(txn) == TxnStatus::kAborted || !began) continue;
    const std::span<const Op> ops = history.ops(txn);
    const bool uses = std::any_of(ops.begin(), ops.end(), [&](const Op& op) {
      return op.key == exhaustion.key && op.kind != OpKind::kReadUnknown;
    });
    if (uses) txns.push_back(txn);
  }
  scenario.txns_total = txns.size();
  const auto start = [&](TxnId txn) { return history.times(txn).start; };
  std::stable_sort(txns.begin(), txns.end(),
                   [&](TxnId a, TxnId b) { return start(a) < start(b); });
  if (txns.size() > kRunningShown) txns.erase(txns.begin(), txns.end() - kRunningShown);
  Cast cast;
  for (const TxnId txn : txns) cast.add(txn, exhaustion.key);
  cast.add(exhaustion.until, exhaustion.key);
  scenario.txns = cast.with_ops(history);
  const Names names(history);
  scenario.statement = std::string(scenario.anomaly.name) + ": no order of the operations on " +
                       Phrase(history, names).key(exhaustion.key) +
                       " explains what had returned when " +
                       history.txn_name(exhaustion.until) + " returned";
}

}  // namespace

std::vector<const ScenarioEdge*> Scenario::edges() const {
  std::vector<const ScenarioEdge*> all;
  const auto add = [&all](const ScenarioEdge& edge) { all.push_back(&edge); };
  if (steps.empty()) return all;
  const bool is_last_word = steps.back().clause.empty() && steps.back().claims.empty();
  if (!steps.back().cycle.empty() && is_last_word) {
    std::ranges::for_each(steps.back().cycle, add);
    return all;
  }
  for (const ScenarioStep& step : steps) {
    for (const ScenarioEdge& edge : step.cycle) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const ScenarioEdge* other) {
        return other->edge.from == edge.edge.from && other->edge.to == edge.edge.to &&
               other->edge.kind == edge.edge.kind && other->edge.key == edge.edge.key;
      });
      if (!known) add(edge);
    }
  }
  return all;
}

std::string because(const Phrase& phrase, const ScenarioEdge& step) {
  std::string text = phrase.because(
      step.edge, {step.ground, step.step, step.shown_by ? &*step.shown_by : nullptr,
                  step.direct ? &*step.direct : nullptr, step.taken, step.path});
  if (step.supposed) phrase.add_supposed(step.ground, text);
  return text;
}

KeyId key_of(const ScenarioStep& step, VersionOrder order) {
  const VersionOrder opposite{order.after, order.before};
  for (const ScenarioEdge& edge : step.cycle) {
    const VersionOrder used = rests_on(edge.edge);
    if (used == order || used == opposite) return edge.edge.key;
  }
  return {};
}

std::string finding_text(const Phrase& phrase, const Scenario& scenario) {
  return scenario.sums ? phrase.sums(*scenario.sums, scenario.finding->txn)
                       : phrase.finding(*scenario.finding);
}

Counterparts counterparts_of(const Scenario& scenario) {
  const Finding& finding = *scenario.finding;
  Counterparts others;
  if (finding.other.is_some() && finding.other != finding.txn) others.txns = {finding.other};
  for (const ReadSource& source : scenario.sources) {
    if (std::ranges::find(others.txns, source.writer) == others.txns.end()) {
      others.txns.push_back(source.writer);
    }
  }
  others.wrote = finding.kind != FindingKind::kIncompatibleOrder;
  return others;
}

bool same_story(const Scenario& a, const Scenario& b) {
  const auto txns_of = [](const Scenario& scenario) {
    std::vector<TxnId> txns;
    for (const ScenarioTxn& member : scenario.txns) txns.push_back(member.txn);
    std::sort(txns.begin(), txns.end());
    return txns;
  };
  return a.anomaly.type == b.anomaly.type && a.anomaly.name == b.anomaly.name &&
         a.txns.size() == b.txns.size() && txns_of(a) == txns_of(b);
}

static Scenario scenario_of(const Writers& writers, const Certificate& certificate) {
  const History& history = writers.history();
  Scenario scenario;
  scenario.level = certificate.level;
  if (const auto* finding = std::get_if<Finding>(&certificate.proof)) {
    explain_finding(writers, *finding, certificate.assumed_clock_error_ns(), scenario);
    return scenario;
  }
  if (const auto* exhaustion = std::get_if<KeyExhaustion>(&certificate.proof)) {
    explain_exhaustion(history, *exhaustion, certificate.clock_error_ns, scenario);
    return scenario;
  }
  explain_refutation(writers, std::get<Refutation>(certificate.proof),
                     certificate.clock_error_ns, scenario);
  scenario.statement =
      std::string(scenario.anomaly.name) + ": " + refutation_statement(history, scenario);
  return scenario;
}

Scenario make_scenario(const Writers& writers, const Certificate& certificate) {
  ISOLDE_CHECK(!certificate.holds());
  if (std::holds_alternative<Implication>(certificate.proof)) {
    return make_scenario(writers, certificate.direct());
  }
  const History& history = writers.history();
  if (!history.has_refused_inserts()) return scenario_of(writers, certificate);
  const History as_read = history::as_read_at(history, certificate.level);
  return scenario_of(Writers(as_read), certificate);
}

Scenario make_scenario(const History& history, const Certificate& certificate) {
  return make_scenario(Writers(history), certificate);
}

}  // namespace isolde::explain
