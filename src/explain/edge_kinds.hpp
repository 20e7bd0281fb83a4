// What the kinds of edges are called, in short and in words.
#pragma once

#include <array>
#include <string_view>

#include "history/certificate.hpp"

namespace isolde::explain {

struct EdgeKindWords {
  EdgeKind kind;
  std::string_view letters;  ///< "rw"
  std::string_view name;     ///< "anti-dependency"
  std::string_view meaning;  ///< of A < B: "A read a version that B replaced"
};

inline constexpr std::array kEdgeKinds = {
    EdgeKindWords{EdgeKind::kReadFrom, "wr", "read-from", "B read what A wrote"},
    EdgeKindWords{EdgeKind::kVersionOrder, "ww", "version order", "B replaced what A wrote"},
    EdgeKindWords{EdgeKind::kAntiDependency, "rw", "anti-dependency",
                  "A read a version that B replaced, so it did not see B"},
    EdgeKindWords{EdgeKind::kSessionOrder, "so", "session order",
                  "A came earlier in the same session"},
    EdgeKindWords{EdgeKind::kRealTime, "rt", "real time", "A had ended before B started"},
    EdgeKindWords{EdgeKind::kMonotonicView, "mv", "monotonic view",
                  "a reader that had read from A then read from B what A also wrote, so B's "
                  "version is newer"},
    EdgeKindWords{EdgeKind::kAtomicView, "av", "atomic view",
                  "A was visible to a reader that read from B what A also wrote, so B's "
                  "version is newer"},
    EdgeKindWords{EdgeKind::kCausalView, "cv", "causal view",
                  "A was visible, through others, to a reader that read from B what A also "
                  "wrote, so B's version is newer"},
    EdgeKindWords{EdgeKind::kCommitOrder, "co", "commit order",
                  "the database committed A before B"},
    EdgeKindWords{EdgeKind::kStartedBefore, "sc", "start before commit",
                  "A started no later than B committed"},
    EdgeKindWords{EdgeKind::kCommittedBefore, "cs", "commit before start",
                  "A committed before B started"},
};

/// What a causal view rests on, in pictures: an arrow to the reader itself.
inline constexpr EdgeKindWords kThroughOthers{EdgeKind::kCausalView, "vi", "visible",
                                              "A was visible to B, through others"};

constexpr const EdgeKindWords& words_of(EdgeKind kind) {
  for (const EdgeKindWords& words : kEdgeKinds) {
    if (words.kind == kind) return words;
  }
  return kEdgeKinds.front();
}

constexpr std::string_view edge_kind_name(EdgeKind kind) { return words_of(kind).letters; }

}  // namespace isolde::explain
