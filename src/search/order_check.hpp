// OrderCheck: the engine's own commit test. Given positions of all events, it finds the pairs
// of writers whose order the positions get wrong: these must be decided next. It tests the
// first guess and the solver's models; a key is checked again only when one of its transactions
// has moved.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "infer/event_graph.hpp"

namespace isolde::checker {

using infer::EventGraph;
using infer::NodeId;
using infer::Observations;
using infer::WriteId;

/// Two writers of a common key between which the present positions break a read or, with
/// separate begin and commit events, overlap. `first` commits before `second`.
struct BrokenPair {
  TxnId first;
  TxnId second;
  KeyId key;
};

/// Invariant: a key is listed in marked_ once when is_marked_ says so, else not at all.
class OrderCheck {
 public:
  explicit OrderCheck(const EventGraph& events);

  /// Marks the keys of the node's transaction for the next look; auxiliary nodes have none.
  void touch(NodeId node);

  /// Checks the marked keys (all keys the first time) against position(node) and appends the
  /// broken pairs. Keys with nothing broken are unmarked. REQUIRES: the positions agree with
  /// all certain edges.
  template <typename Position>
  void find_broken(const Position& position, std::vector<BrokenPair>& broken,
                   base::Budget& budget) {
    std::size_t kept = 0;
    for (const KeyId key : marked_) {
      ISOLDE_INVARIANT(is_marked_[key.raw()] != 0);
      const std::size_t before = broken.size();
      check_key(key, position, broken);
      budget.spend(sorted_.row(key.raw()).size() * 4);
      if (broken.size() > before) {
        marked_[kept++] = key;
      } else {
        is_marked_[key.raw()] = 0;
      }
    }
    marked_.resize(kept);
  }

 private:
  template <typename Position>
  void check_key(KeyId key, const Position& position, std::vector<BrokenPair>& broken);
  void mark(KeyId key);

  const EventGraph* events_;
  base::Csr<WriteId> sorted_;  // by key, in the order of the last look
  std::vector<KeyId> marked_;
  std::vector<std::uint8_t> is_marked_;
};

template <typename Position>
void OrderCheck::check_key(KeyId key, const Position& position,
                           std::vector<BrokenPair>& broken) {
  const Observations& seen = events_->observations();
  const auto commit_at = [&](WriteId write) {
    return position(events_->commit(seen.writer(write)));
  };
  const std::span<WriteId> writes = sorted_.row(key.raw());
  const auto earlier = [&](WriteId a, WriteId b) { return commit_at(a) < commit_at(b); };
  if (!std::is_sorted(writes.begin(), writes.end(), earlier)) {
    std::sort(writes.begin(), writes.end(), earlier);
  }
  // Checks readers of each version against the next write. Readers of the initial version need
  // no check: the frontier edges order them.
  for (std::size_t i = 0; i + 1 < writes.size(); ++i) {
    const TxnId writer = seen.writer(writes[i]);
    const TxnId next = seen.writer(writes[i + 1]);
    ISOLDE_INVARIANT(writer != next);
    bool wrong =
        position(events_->replace(writes[i], next)) < position(events_->commit(writer));
    for (const TxnId reader : seen.readers(writes[i])) {
      if (wrong) break;
      wrong = reader != next && events_->role(reader).has_anti_dependencies &&
              position(events_->commit(next)) < position(events_->reads_at(reader));
    }
    if (wrong) broken.push_back({writer, next, key});
  }
}

}  // namespace isolde::checker
