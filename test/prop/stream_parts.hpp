// A history in parts, as rounds take them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <utility>

#include "base/rng.hpp"
#include "history/copier.hpp"
#include "isolde/history.hpp"
#include "stream/joiner.hpp"
#include "stream/suspects.hpp"

namespace isolde::prop {

struct Part {
  History history;
  std::int64_t open_since = kNoTime;
};

/// The first parts again, as many as were taken.
inline stream::Reread reread_of(const std::deque<Part>& parts, const std::size_t& taken) {
  return [&](const stream::Visit& visit) {
    stream::TxnNumber first = 0;
    for (std::size_t i = 0; i < taken; ++i) {
      visit(parts[i].history, first);
      first += parts[i].history.txn_count();
    }
    return ok_status();
  };
}

/// The history in parts of random sizes. What comes later started at their open_since or later.
inline std::deque<Part> cut(const History& whole, base::Rng& rng) {
  std::deque<Part> parts;
  const std::size_t most = 1 + rng.below(6);
  for (std::size_t begin = 0; begin < whole.txn_count();) {
    const std::size_t end = std::min(whole.txn_count(), begin + 1 + rng.below(most));
    stream::Joiner joiner;
    bool has_contents = begin > 0;
    joiner.add(
        whole, 0, [&](std::size_t i) { return i >= begin && i < end; },
        [&](HistoryBuilder& into, KeyId, KeyId) {
          if (std::exchange(has_contents, true)) return;
          history::Copier copier(whole, into);
          for (std::size_t k = 0; k < whole.key_count(); ++k) {
            copier.initial(KeyId::at(k), copier.key(KeyId::at(k)));
          }
        });
    Result<History> part = joiner.finish();
    EXPECT_TRUE(part.ok()) << part.error().message;
    std::int64_t open_since = std::numeric_limits<std::int64_t>::max() - 1;
    for (std::size_t i = end; i < whole.txn_count(); ++i) {
      open_since = std::min(open_since, whole.times(TxnId::at(i)).start);
    }
    // It may tell less than is known, or nothing.
    if (rng.chance(0.2)) open_since = kNoTime;
    if (open_since != kNoTime && rng.chance(0.3)) {
      open_since -= static_cast<std::int64_t>(rng.below(20));
    }
    parts.push_back({std::move(part).value(), open_since});
    begin = end;
  }
  return parts;
}

}  // namespace isolde::prop
