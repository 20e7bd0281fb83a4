// OrderCheck: the engine's own commit test. Given positions of all events, it finds the pairs
// of writers whose order the positions get wrong: these must be decided next. It tests the
// first guess and the solver's models; a key is checked again only when one of its transactions
// has moved.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
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

/// Visits those who delete the key, but the two.
template <typename Visit>
void for_deleters(const Observations& seen, const BrokenPair& pair, const Visit& visit) {
  for (const WriteId write : seen.writes_of(pair.key)) {
    const TxnId txn = seen.writer(write);
    if (seen.is_dead(write) && txn != pair.first && txn != pair.second) visit(txn);
  }
}

/// What a search has decided beyond what the observations say: nothing, by default.
struct NoChoices {
  static constexpr bool took_effect(TxnId) { return true; }
  /// Visits the readers of the version that are not certain.
  template <typename Visit>
  static constexpr void for_readers(WriteId, const Visit&) {}
  /// Whether the key's open reads fit its writes, which ascend by their positions.
  static constexpr bool fits(KeyId, std::span<const WriteId>) { return true; }
};

/// Sorts writes by place(write), which costs little where nothing has changed.
template <typename Place>
void sort_by(std::span<WriteId> writes, const Place& place) {
  const auto earlier = [&](WriteId a, WriteId b) { return place(a) < place(b); };
  if (std::is_sorted(writes.begin(), writes.end(), earlier)) return;
  std::sort(writes.begin(), writes.end(), earlier);
}

/// Invariant: a key is listed in marked_ once when is_marked_ says so, else not at all.
class OrderCheck {
 public:
  explicit OrderCheck(const EventGraph& events);

  /// Marks the key, or those of the transaction, for the next look; auxiliary nodes have none.
  void mark(KeyId key);
  void touch(TxnId txn);
  void touch(NodeId node) {
    if (events_->is_txn(node)) touch(events_->txn(node));
  }

  /// Checks the marked keys (all keys the first time) against position(node) and appends the
  /// broken pairs. Keys with nothing broken are unmarked. REQUIRES: the positions agree with
  /// all certain edges.
  template <typename Position, typename Choices = NoChoices>
  void find_broken(const Position& position, std::vector<BrokenPair>& broken,
                   base::Budget& budget, const Choices& choices = {}) {
    std::size_t kept = 0;
    for (const KeyId key : marked_) {
      ISOLDE_INVARIANT(is_marked_[key.raw()] != 0);
      const std::size_t before = broken.size();
      check_key(key, position, choices, broken);
      const bool fits = choices.fits(key, sorted_.row(key.raw()));
      budget.spend(sorted_.row(key.raw()).size() * 4);
      if (broken.size() > before || !fits) {
        marked_[kept++] = key;
      } else {
        is_marked_[key.raw()] = 0;
      }
    }
    marked_.resize(kept);
  }

 private:
  template <typename Position, typename Choices>
  void check_key(KeyId key, const Position& position, const Choices& choices,
                 std::vector<BrokenPair>& broken);

  const EventGraph* events_;
  base::Csr<WriteId> sorted_;  // by key, in the order of the last look
  std::vector<KeyId> marked_;
  std::vector<std::uint8_t> is_marked_;
};

template <typename Position, typename Choices>
void OrderCheck::check_key(KeyId key, const Position& position, const Choices& choices,
                           std::vector<BrokenPair>& broken) {
  const Observations& seen = events_->observations();
  const auto commit_at = [&](WriteId write) {
    return position(events_->commit(seen.writer(write)));
  };
  const std::span<WriteId> writes = sorted_.row(key.raw());
  sort_by(writes, commit_at);
  // Checks readers of each version against the next write. Readers of the initial version need
  // no check: the frontier edges order them.
  WriteId here;
  std::uint32_t here_at = 0;
  for (const WriteId write : writes) {
    const TxnId next = seen.writer(write);
    if (!choices.took_effect(next)) continue;
    const std::uint32_t next_at = commit_at(write);
    const WriteId version = std::exchange(here, write);
    const std::uint32_t version_at = std::exchange(here_at, next_at);
    if (version.is_none()) continue;
    bool wrong = position(events_->replace(version, next)) < version_at;
    const auto look = [&](TxnId reader) {
      wrong = wrong || (reader != next && events_->role(reader).has_anti_dependencies &&
                        next_at < position(events_->reads_at(reader)));
    };
    for (const TxnId reader : seen.readers(version)) {
      if (wrong) break;
      look(reader);
    }
    choices.for_readers(version, look);
    if (wrong) broken.push_back({seen.writer(version), next, key});
  }
}

}  // namespace isolde::checker
