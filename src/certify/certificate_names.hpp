// The words that the certificate format uses for kinds of findings and edges.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "history/certificate.hpp"

namespace isolde::certify {

inline constexpr std::array<std::pair<FindingKind, std::string_view>, kFindingKindCount>
    kFindingNames = {{
        {FindingKind::kInternal, "internal"},
        {FindingKind::kAbortedRead, "aborted-read"},
        {FindingKind::kIntermediateRead, "intermediate-read"},
        {FindingKind::kFutureRead, "future-read"},
        {FindingKind::kUnwrittenRead, "unwritten-read"},
        {FindingKind::kNonRepeatableRead, "non-repeatable-read"},
        {FindingKind::kIncompatibleOrder, "incompatible-order"},
        {FindingKind::kDuplicateElement, "duplicate-element"},
        {FindingKind::kUnselectedRow, "unselected-row"},
        {FindingKind::kImpossibleNumber, "impossible-number"},
        {FindingKind::kImpossibleTotal, "impossible-total"},
    }};

inline constexpr std::array<std::pair<EdgeKind, std::string_view>, 11> kEdgeNames = {{
    {EdgeKind::kSessionOrder, "so"},
    {EdgeKind::kRealTime, "rt"},
    {EdgeKind::kReadFrom, "wr"},
    {EdgeKind::kVersionOrder, "ww"},
    {EdgeKind::kAntiDependency, "rw"},
    {EdgeKind::kMonotonicView, "mv"},
    {EdgeKind::kAtomicView, "av"},
    {EdgeKind::kCausalView, "cv"},
    {EdgeKind::kCommitOrder, "co"},
    {EdgeKind::kStartedBefore, "sc"},
    {EdgeKind::kCommittedBefore, "cs"},
}};

}  // namespace isolde::certify
