// The engine decides of what is there. Of a part, two of its arguments do not stand: that
// nobody else wrote a value, where values repeat, and that no row was deleted between two
// writes. Reads that tell a version in part are open from the start (infer/observations.cpp).
#include "check/cut_off.hpp"

#include <algorithm>

#include "history/certificate.hpp"
#include "level/level_traits.hpp"

namespace isolde::checker {
namespace {

constexpr const char* kMayRepeat =
    "the input is cut off and its values repeat: what is missing may have written the values "
    "that were read, too";

/// Whether the proof of a violation asks for no writer of a value.
bool stands_where_values_repeat(const History& history, const Proof& proof) {
  const auto* const finding = std::get_if<Finding>(&proof);
  if (finding == nullptr) return false;
  const auto took_effect = [&](TxnId txn) {
    return history.status(txn) == TxnStatus::kCommitted;
  };
  switch (finding->kind) {
    case FindingKind::kInternal:
    case FindingKind::kUnselectedRow:
    case FindingKind::kNonRepeatableRead:
      return took_effect(finding->txn);
    case FindingKind::kIncompatibleOrder:
      return took_effect(finding->txn) && took_effect(finding->other);
    case FindingKind::kAbortedRead:
    case FindingKind::kIntermediateRead:
    case FindingKind::kFutureRead:
    case FindingKind::kUnwrittenRead:
    case FindingKind::kDuplicateElement:
    case FindingKind::kImpossibleNumber:
    case FindingKind::kImpossibleTotal:
      return false;
  }
  return false;
}

constexpr const char* kMayBeDeleted =
    "the input is cut off: what is missing may have deleted a row in between, which was then "
    "inserted again";

/// Whether the proof asks for no writer that must have seen the version before its own.
bool stands_where_rows_may_be_deleted(const Proof& proof) {
  const auto* const refutation = std::get_if<Refutation>(&proof);
  if (refutation == nullptr) return true;
  const auto replaces = [](const Edge& edge) {
    return edge.kind == EdgeKind::kVersionOrder || edge.kind == EdgeKind::kMonotonicView ||
           edge.kind == EdgeKind::kAtomicView || edge.kind == EdgeKind::kCausalView;
  };
  const auto is_missed = [](const Edge& edge) {
    return edge.kind == EdgeKind::kAntiDependency || edge.kind == EdgeKind::kStartedBefore;
  };
  return std::ranges::none_of(refutation->steps, [&](const RefutationStep& step) {
    return std::ranges::any_of(step.cycle, replaces) &&
           std::ranges::any_of(step.cycle, is_missed);
  });
}

}  // namespace

void open_what_may_be_missing(const History& history, CheckReport& report) {
  const HistoryOrigin& origin = history.origin();
  if (!origin.truncated) return;
  for (LevelReport& level : report.levels) {
    if (level.verdict != Verdict::kViolated) continue;
    const Proof& proof = report.proofs[level.proof];
    const BaseLevel base = info(level.level).base;
    const bool may_insert_again = lets_insert_again(base);
    if (origin.values_repeat && !stands_where_values_repeat(history, proof)) {
      level.reason = kMayRepeat;
    } else if (origin.rows_are_deleted && may_insert_again &&
               !stands_where_rows_may_be_deleted(proof)) {
      level.reason = kMayBeDeleted;
    } else {
      continue;
    }
    level.verdict = Verdict::kUnknown;
  }
}

}  // namespace isolde::checker
