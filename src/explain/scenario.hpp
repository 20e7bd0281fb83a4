// From a proof of violation to the data that a person needs to believe it: the anomaly's name,
// the transactions involved with the operations that matter, and the steps of the argument,
// each a cycle of edges with a reason. Rendering is elsewhere: narrate.hpp (text), dot.hpp
// (picture), report_json.hpp (machines).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "certify/sum_range.hpp"
#include "explain/classify.hpp"
#include "explain/core.hpp"
#include "explain/evidence.hpp"
#include "explain/furthest.hpp"
#include "explain/phrase.hpp"
#include "explain/sight.hpp"
#include "explain/supply.hpp"
#include "explain/two_updates.hpp"
#include "explain/writers.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

struct ScenarioEdge {
  Edge edge;
  Ground ground = Ground::kCertain;
  std::size_t step = 0;   ///< kEstablished: number of the step that shows it; else 0
  std::string because;    ///< with the transactions' own names, without full stop
  bool supposed = false;  ///< where a read came from is assumed
  /// A dependency between the same two transactions that alone rules out the opposite of the
  /// version order; the ground is then kCertain.
  std::optional<Edge> shown_by = {};
  /// Where it is kCertain: what shows the order that the edge rests on, or that `shown_by`
  /// does.
  std::optional<DirectOrder> direct = {};
  /// Where reads came from for the sake of the step.
  std::vector<ReadSource> taken = {};
  /// Where it, or `shown_by`, is a cv edge: how its source came to be a cause of the reader.
  std::vector<CausalStep> path = {};
};

struct ScenarioTxn {
  TxnId txn;
  std::vector<std::uint32_t> ops;  ///< indexes of the operations that matter, in program order
};

/// One step of the argument: a cycle that rules something out, or a conclusion from others.
struct ScenarioStep {
  std::size_t number = 0;            ///< from 1, among all steps of the argument
  std::vector<VersionOrder> clause;  ///< one of these holds; empty: contradiction
  std::vector<ScenarioEdge> cycle;
  std::vector<std::size_t> from;   ///< steps without a cycle: numbers of the steps used
  std::vector<Claim> claims = {};  ///< the rest of the clause
  std::optional<WrongResult> wrong_result = {};  ///< in place of a cycle
  /// Then: what its transaction computed and what it had to, as result_text().
  std::string result = {};
  /// Whom it speaks of, in the order of first mention, with what matters for it alone.
  std::vector<ScenarioTxn> txns = {};
};

/// The key that the step is about where it takes the two transactions' writes in the order, or
/// in the opposite one; none when it does not.
KeyId key_of(const ScenarioStep& step, VersionOrder order);

struct Scenario {
  /// Where the certificate's verdict follows from that of another level, that other one.
  Level level = Level::kSerializable;
  Anomaly anomaly;
  std::string statement;  ///< one sentence with own names, without full stop
  std::optional<Finding> finding;
  /// Of a finding: who else may have written what the reads returned, unless the finding has
  /// it.
  std::vector<ReadSource> sources;
  std::optional<certify::SumRange> sums;  ///< of a finding about what increments add up to
  std::optional<LostUpdate> lost_update;
  std::optional<LostUpdate> seen_update;  ///< find_seen_update(), in place of the proof's steps
  SessionId session;  ///< whose view of things is impossible; none: everybody's
  std::optional<KeyExhaustion> exhaustion;
  std::optional<Unsupplied> unsupplied;  ///< what shows the exhaustion by times alone
  /// Of an exhaustion: find_furthest(), unless clocks may be apart.
  Furthest furthest;
  /// In the order in which the argument mentions them.
  std::vector<ScenarioTxn> txns;
  /// The argument in order, ending in a contradiction. Empty for findings and exhaustions. When
  /// the proof is long only its last steps with cycles are here, and steps_total tells how many
  /// there are.
  std::vector<ScenarioStep> steps;
  std::size_t steps_total = 0;
  std::size_t txns_total = 0;  ///< transactions and keys in the whole core of the proof
  std::size_t keys_total = 0;

  bool complete() const { return steps.size() == steps_total; }
  /// For machines: the edges of the final cycle or, after a case split, of all shown cycles,
  /// without repetition.
  std::vector<const ScenarioEdge*> edges() const;
};

/// A reader that missed part of a transaction altogether is a cycle of one edge: of itself it
/// orders nothing, and its reason is all there is to tell.
inline bool is_alone(const ScenarioEdge& step) { return step.edge.from == step.edge.to; }

/// Phrase::because() of the edge, with what it takes for granted.
std::string because(const Phrase& phrase, const ScenarioEdge& step);

/// Phrase::finding() or Phrase::sums(). REQUIRES: scenario.finding.
std::string finding_text(const Phrase& phrase, const Scenario& scenario);

/// Beside the reader of a finding: who wrote what it saw, or saw something else. None where it
/// contradicts only itself.
struct Counterparts {
  std::vector<TxnId> txns;
  bool wrote = false;  ///< else they are readers
};
/// REQUIRES: scenario.finding.
Counterparts counterparts_of(const Scenario& scenario);

/// The same transactions doing the same wrong.
bool same_story(const Scenario& a, const Scenario& b);

/// How many transactions that added to a number are shown at most.
inline constexpr std::size_t kAddersShown = 6;

/// How many transactions at most are shown of an exhaustion.
inline constexpr std::size_t kRunningShown = 12;

/// Proofs with more steps than this are summarised.
inline constexpr std::size_t kStepsShown = 8;

/// REQUIRES: !certificate.holds(); ids in the proof belong to `history`.
/// COST: linear in history and proof.
Scenario make_scenario(const History& history, const Certificate& certificate);
/// The same for several certificates of a history, which share the tables.
Scenario make_scenario(const Writers& writers, const Certificate& certificate);

}  // namespace isolde::explain
