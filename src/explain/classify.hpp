// Names for what went wrong: Adya's phenomena with Elle's suffixes, and the plain name that a
// textbook would use.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/writers.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// Classes of dependency cycles, the ones that break more levels first.
enum class CycleClass : std::uint8_t {
  kG0,            ///< version orders only
  kG1c,           ///< version orders and reads-from
  kGSingle,       ///< exactly one anti-dependency
  kGNonadjacent,  ///< several anti-dependencies, never two in a row
  kG2Item,        ///< two anti-dependencies in a row
};

/// A cycle, edge by edge; see RefutationStep::cycle.
using Cycle = std::vector<Edge>;

struct Anomaly {
  std::string type;         ///< "G2-item", "G-single-realtime", "G1a", "internal"
  std::string_view name;    ///< "write skew"
  std::string_view lesson;  ///< one sentence for somebody who never heard of it
  std::string_view cause;   ///< and one on which mechanism of a database usually breaks so
};

/// "write skew (G2-item)", or only the name where the type says the same.
std::string label(const Anomaly& anomaly);

/// The anti-dependency rests on a row that a selection left out or an aggregate looked at:
/// Adya's predicate anti-dependency.
bool is_of_predicate(const History& history, const Edge& edge);

/// Session and real-time edges count as neither reads nor writes.
CycleClass cycle_class(const Cycle& cycle);

/// Nobody wrote what was read, from a key with increments whose sums are not known: nobody
/// writes there what is read.
inline bool is_of_counted(const History& history, const Finding& finding) {
  return finding.kind == FindingKind::kUnwrittenRead &&
         history.open_numbers(history.ops(finding.txn)[finding.op].key) != nullptr;
}

/// A read that misses what had been added before it, and could be right without that.
Anomaly missed_increment();

/// The name that all findings of the kind have.
Anomaly classify(FindingKind kind);

/// The read did not find what was there at the start, and nobody can have taken it away.
/// REQUIRES: the finding's ids belong to `history`.
bool is_about_initial_contents(const History& history, const Finding& finding);

/// The same, or a narrower name by what the reader did besides. REQUIRES: the finding's ids
/// belong to `history`. COST: linear in the history for aborted elements of lists.
Anomaly classify(const History& history, const Finding& finding);

/// Names a violation whose every case ends in one of `cycles`. The type is the last of the
/// classes of the cycles, the one claim that all cases justify. The session guarantees lend
/// their names to what breaks them, and only what binds at `level` can have made visible what
/// was missed. `evidence`: other dependencies that the cases rest on. REQUIRES: cycles not
/// empty.
Anomaly classify(const Writers& writers, std::span<const Cycle> cycles,
                 Level level = Level::kStrictSerializable, std::span<const Edge> evidence = {});

Anomaly lost_update_anomaly();

/// No order of the operations on one key, without a cycle that would show it.
Anomaly exhaustion_anomaly();

/// An aggregate that no versions of its rows explain.
Anomaly wrong_result_anomaly();

}  // namespace isolde::explain
