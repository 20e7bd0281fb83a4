#include "explain/scenario.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/assert.hpp"
#include "explain/evidence.hpp"
#include "explain/phrase.hpp"

namespace isolde::explain {
namespace {

constexpr std::size_t kLastCyclesShown = 3;  // of proofs that are too long to show

/// Collects transactions in the order of first mention, each with the keys that matter for it.
class Cast {
 public:
  void add(TxnId txn, KeyId key) {
    if (txn.is_none()) return;
    auto member = std::find_if(members_.begin(), members_.end(),
                               [&](const Member& known) { return known.txn == txn; });
    if (member == members_.end()) {
      members_.push_back({txn, {}});
      member = members_.end() - 1;
    }
    if (key.is_some()) member->keys.push_back(key);
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
};

/// True when the sentence about the edge names the transaction in `via`.
bool mentions_via(const History& history, const ScenarioEdge& step) {
  const Edge& edge = step.edge;
  if (is_view(edge.kind)) return true;
  if (edge.kind != EdgeKind::kAntiDependency || edge.via.is_none()) return false;
  if (history.is_list(edge.key)) return false;
  return step.ground != Ground::kCertain || !read_of(history, edge.to, edge.key, edge.via);
}

/// Keys of reads by which the viewer of a view edge saw its source.
void add_view(const History& history, const Edge& edge, Cast& cast) {
  for (const Op& op : history.ops(edge.via)) {
    if (op.is_read() && read_of(history, edge.via, op.key, edge.from)) {
      cast.add(edge.via, op.key);
      cast.add(edge.from, op.key);
      return;
    }
  }
}

void add_edge(const History& history, const ScenarioEdge& step, Cast& cast) {
  const Edge& edge = step.edge;
  cast.add(edge.from, edge.key);
  if (mentions_via(history, step)) cast.add(edge.via, edge.key);
  cast.add(edge.to, edge.key);
  if (is_view(edge.kind)) add_view(history, edge, cast);
  const VersionOrder order = rests_on(edge);
  if (step.ground != Ground::kCertain || order.before.is_none()) return;
  const auto direct = direct_order(history, order);
  if (!direct || direct->key == edge.key) return;
  cast.add(order.before, direct->key);
  cast.add(direct->read.txn, direct->key);
}

std::vector<Cycle> cycles_of(const std::vector<CoreStep>& core) {
  std::vector<Cycle> cycles;
  for (const CoreStep& step : core) {
    if (!step.cycle.empty()) cycles.push_back(step.cycle);
  }
  return cycles;
}

/// Transactions and keys of the whole core, sorted.
struct Extent {
  std::set<TxnId> txns;
  std::set<KeyId> keys;
};

Extent extent_of(const std::vector<Cycle>& cycles) {
  Extent extent;
  for (const Cycle& cycle : cycles) {
    for (const Edge& edge : cycle) {
      extent.txns.insert(edge.from);
      if (edge.via.is_some()) extent.txns.insert(edge.via);
      if (edge.key.is_some()) extent.keys.insert(edge.key);
    }
  }
  return extent;
}

/// Core steps to show: all of a small proof, else the last few cycles.
std::vector<std::size_t> shown_steps(const std::vector<CoreStep>& core) {
  std::vector<std::size_t> shown;
  if (core.size() <= kStepsShown) {
    for (std::size_t i = 0; i < core.size(); ++i) shown.push_back(i);
    return shown;
  }
  for (std::size_t i = core.size(); i-- > 0 && shown.size() < kLastCyclesShown;) {
    if (!core[i].cycle.empty()) shown.insert(shown.begin(), i);
  }
  return shown;
}

void add_steps(const History& history, const std::vector<CoreStep>& core, Scenario& scenario) {
  const Names names(history);
  const Phrase phrase(history, names);
  Cast cast;
  for (std::size_t at : shown_steps(core)) {
    const CoreStep& source = core[at];
    ScenarioStep step{at + 1, source.clause, {}, {}, source.claims};
    for (std::size_t earlier : source.from) step.from.push_back(earlier + 1);
    for (std::size_t i = 0; i < source.cycle.size(); ++i) {
      const bool established = source.grounds[i] == Ground::kEstablished;
      ScenarioEdge edge{source.cycle[i],
                        source.grounds[i],
                        established ? source.facts[i] + 1 : 0,
                        {},
                        rests_on_claim(history, source.cycle[i], source.claims)};
      edge.because = phrase.because(edge.edge, edge.ground, edge.step);
      if (edge.supposed) edge.because += kSupposed;
      step.cycle.push_back(std::move(edge));
      add_edge(history, step.cycle.back(), cast);
    }
    for (VersionOrder order : step.clause) {
      const auto key = common_written_key(history, order.before, order.after);
      cast.add(order.before, key ? *key : KeyId());
      cast.add(order.after, key ? *key : KeyId());
    }
    for (const Claim& claim : step.claims) {
      const bool about_read = claim.source.op != Claim::kNoOp;
      const KeyId key =
          about_read ? history.ops(claim.source.txn)[claim.source.op].key : KeyId::none();
      cast.add(claim.source.writer, key);
      cast.add(claim.source.txn, key);
    }
    scenario.steps.push_back(std::move(step));
  }
  scenario.txns = cast.with_ops(history);
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

void explain_refutation(const History& history, const Refutation& refutation,
                        Scenario& scenario) {
  std::vector<CoreStep> core = proof_core(refutation);
  std::vector<Cycle> cycles = cycles_of(core);
  ISOLDE_CHECK(!cycles.empty());
  const Extent whole = extent_of(cycles);
  const std::vector<TxnId> txns(whole.txns.begin(), whole.txns.end());
  if (forbids_lost_updates(info(scenario.level).base)) {
    scenario.lost_update = find_lost_update(history, txns);
  }
  if (scenario.lost_update) {
    core = lost_update_argument(*scenario.lost_update);
    cycles = cycles_of(core);
    scenario.anomaly = lost_update_anomaly();
  } else {
    scenario.anomaly = classify(history, cycles, info(scenario.level).base);
  }
  scenario.session = refutation.session;
  const Extent extent = extent_of(cycles);
  scenario.txns_total = extent.txns.size();
  scenario.keys_total = extent.keys.size();
  scenario.steps_total = core.size();
  add_steps(history, core, scenario);
}

void explain_finding(const History& history, const Finding& finding, Scenario& scenario) {
  scenario.finding = finding;
  scenario.anomaly = classify(history, finding);
  const KeyId key = history.ops(finding.txn)[finding.op].key;
  Cast cast;
  cast.add(finding.txn, key);
  cast.add(finding.other, key);
  scenario.txns = cast.with_ops(history);
  scenario.txns_total = scenario.txns.size();
  scenario.keys_total = 1;
  const Names names(history);
  scenario.statement =
      std::string(scenario.anomaly.name) + ": " + Phrase(history, names).finding(finding);
}

/// Shows what returned last and what ran or ended shortly before: there the contradiction is.
void explain_exhaustion(const History& history, const KeyExhaustion& exhaustion,
                        Scenario& scenario) {
  scenario.exhaustion = exhaustion;
  scenario.anomaly = exhaustion_anomaly();
  scenario.keys_total = 1;
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

std::string cycle_statement(const History& history, const std::vector<ScenarioEdge>& edges) {
  std::string text;
  for (const ScenarioEdge& edge : edges) text += history.txn_name(edge.edge.from) + " < ";
  return text + history.txn_name(edges.front().edge.from) + " is a contradiction";
}

std::string refutation_statement(const History& history, const Scenario& scenario) {
  if (scenario.lost_update) {
    const LostUpdate& lost = *scenario.lost_update;
    const Names names(history);
    return history.txn_name(lost.first) + " and " + history.txn_name(lost.second) +
           " both read and then wrote " + Phrase(history, names).key(lost.key) +
           ", and neither saw the other's write";
  }
  if (scenario.steps_total == 1) return cycle_statement(history, scenario.steps[0].cycle);
  if (scenario.session.is_some()) {
    return "no order of " + std::to_string(scenario.txns_total) +
           " transactions explains what session " + history.session_name(scenario.session) +
           " saw, by " + std::to_string(scenario.steps_total) + " steps";
  }
  return "no order of " + std::to_string(scenario.txns_total) +
         " transactions is possible, by " + std::to_string(scenario.steps_total) + " steps";
}

}  // namespace

std::vector<ScenarioEdge> Scenario::edges() const {
  std::vector<ScenarioEdge> all;
  if (steps.empty()) return all;
  const bool is_last_word = steps.back().clause.empty() && steps.back().claims.empty();
  if (!steps.back().cycle.empty() && is_last_word) return steps.back().cycle;
  for (const ScenarioStep& step : steps) {
    for (const ScenarioEdge& edge : step.cycle) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const ScenarioEdge& other) {
        return other.edge.from == edge.edge.from && other.edge.to == edge.edge.to &&
               other.edge.kind == edge.edge.kind && other.edge.key == edge.edge.key;
      });
      if (!known) all.push_back(edge);
    }
  }
  return all;
}

bool same_story(const Scenario& a, const Scenario& b) {
  const auto same = [](const ScenarioTxn& x, const ScenarioTxn& y) { return x.txn == y.txn; };
  return a.anomaly.type == b.anomaly.type && a.anomaly.name == b.anomaly.name &&
         std::is_permutation(a.txns.begin(), a.txns.end(), b.txns.begin(), b.txns.end(), same);
}

Scenario make_scenario(const History& history, const Certificate& certificate) {
  ISOLDE_CHECK(!certificate.holds());
  Scenario scenario;
  scenario.level = certificate.level;
  if (const auto* finding = std::get_if<Finding>(&certificate.proof)) {
    explain_finding(history, *finding, scenario);
    return scenario;
  }
  if (const auto* exhaustion = std::get_if<KeyExhaustion>(&certificate.proof)) {
    explain_exhaustion(history, *exhaustion, scenario);
    return scenario;
  }
  explain_refutation(history, std::get<Refutation>(certificate.proof), scenario);
  scenario.statement =
      std::string(scenario.anomaly.name) + ": " + refutation_statement(history, scenario);
  return scenario;
}

}  // namespace isolde::explain
