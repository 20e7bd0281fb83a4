// Goal: tracks tell which value a key held when, and sessions find their places by them.
// Method: small histories in which it is plain where a read or a write fits; a serial
// execution, whose places are known, from places that are hundreds off.
#include "source/alignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "isolde/history_builder.hpp"
#include "source/value_tracks.hpp"

namespace isolde::checker {
namespace {

using Use = ValueTracks::Use;

/// One key, and a transaction for each operation.
class OneKey {
 public:
  TxnId read(int value) {
    start();
    if (value == 0) {
      builder_.read(key_, Value::null());
    } else {
      builder_.read(key_, Value::integer(value));
    }
    return TxnId::at(count_++);
  }
  TxnId write(int value) {
    start();
    builder_.write(key_, Value::integer(value));
    return TxnId::at(count_++);
  }
  History finish() { return std::move(builder_.finish()).value(); }

 private:
  void start() {
    builder_.begin_txn(session_);
    builder_.set_status(TxnStatus::kCommitted);
  }

  HistoryBuilder builder_;
  SessionId session_ = builder_.session("s");
  KeyId key_ = builder_.key(Value::integer(1));
  std::size_t count_ = 0;
};

/// The bin in which it fits best; the first of several.
std::size_t best_bin(const ValueTracks& tracks, Use use) {
  const std::span<const float> fits = tracks.fits(use);
  return static_cast<std::size_t>(std::max_element(fits.begin(), fits.end()) - fits.begin());
}

constexpr std::array<float, 1> kCertainly = {1};

TEST(ValueTracks, ReadsFitWhereTheKeyHeldTheirValue) {
  OneKey one;
  const TxnId first = one.write(1);   // in bin 2
  const TxnId second = one.write(2);  // in bin 6
  const TxnId third = one.write(1);   // in bin 9
  const TxnId fourth = one.write(2);  // nowhere: it only makes reads of 2 open
  const TxnId reader_of_1 = one.read(1);
  const TxnId reader_of_2 = one.read(2);
  const TxnId reader_of_none = one.read(0);
  const History history = one.finish();
  base::Budget budget;
  const infer::Observations seen = infer::observe_open(history, budget);
  ValueTracks tracks(seen, budget);
  EXPECT_EQ(tracks.state_count(), 4U);  // initial, unread, 1, 2
  ASSERT_EQ(tracks.uses(fourth).size(), 1U);
  EXPECT_TRUE(tracks.uses(fourth)[0].is_write);
  tracks.start(12);
  tracks.add(first, 2, kCertainly);
  tracks.add(second, 6, kCertainly);
  tracks.add(third, 9, kCertainly);
  ASSERT_TRUE(tracks.follow(0.1F));
  const auto fits = [&](TxnId reader) { return tracks.fits(tracks.uses(reader)[0]); };
  for (const std::size_t bin : {0U, 1U}) {
    EXPECT_GT(fits(reader_of_none)[bin], 0.9F);
    EXPECT_LT(fits(reader_of_1)[bin], 0.1F);
  }
  for (const std::size_t bin : {3U, 4U, 5U, 10U, 11U}) {
    EXPECT_GT(fits(reader_of_1)[bin], 2 * fits(reader_of_2)[bin]);
  }
  for (const std::size_t bin : {7U, 8U}) {
    EXPECT_GT(fits(reader_of_2)[bin], fits(reader_of_1)[bin]);
  }
  // What is removed tells no more.
  tracks.remove(second, 6, kCertainly);
  ASSERT_TRUE(tracks.follow(0.1F));
  EXPECT_GT(fits(reader_of_1)[7], 2 * fits(reader_of_2)[7]);
}

TEST(ValueTracks, WritesFitWhereTheirValueIsReadNext) {
  OneKey one;
  const TxnId write_of_1 = one.write(1);
  const TxnId write_of_2 = one.write(2);
  one.write(1);
  one.write(2);
  const TxnId reader_of_2 = one.read(2);  // in bin 3
  const TxnId reader_of_1 = one.read(1);  // in bin 7
  const History history = one.finish();
  base::Budget budget;
  const infer::Observations seen = infer::observe_open(history, budget);
  ValueTracks tracks(seen, budget);
  tracks.start(10);
  tracks.add(reader_of_2, 3, kCertainly);
  tracks.add(reader_of_1, 7, kCertainly);
  // Some write is between the two, and some before the first.
  const std::array<float, 4> anywhere = {0.25F, 0.25F, 0.25F, 0.25F};
  tracks.add(TxnId::at(2), 4, anywhere);
  tracks.add(TxnId::at(3), 0, anywhere);
  ASSERT_TRUE(tracks.follow(0.1F));
  EXPECT_LE(best_bin(tracks, tracks.uses(write_of_2)[0]), 3U);
  const std::size_t best = best_bin(tracks, tracks.uses(write_of_1)[0]);
  EXPECT_GE(best, 4U);
  EXPECT_LE(best, 7U);
}

/// Only the order counts: how far off the ranks of nine in ten are at most. Transactions have
/// the numbers of their true ranks.
double most_are_within(const std::vector<double>& places) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  std::vector<double> off(order.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    off[rank] = std::abs(static_cast<double>(rank) - static_cast<double>(order[rank]));
  }
  std::sort(off.begin(), off.end());
  return off[off.size() * 9 / 10];
}

/// Sessions take turns by chance; one of them stops for a third of the time.
TEST(Alignment, SessionsFindTheirPlaces) {
  constexpr std::size_t kTxns = 2000;
  constexpr std::size_t kSessions = 10;
  constexpr std::size_t kKeys = 100;
  base::Rng rng(3);
  HistoryBuilder builder;
  std::vector<SessionId> sessions;
  for (std::size_t s = 0; s < kSessions; ++s) {
    sessions.push_back(builder.session("s" + std::to_string(s)));
  }
  std::vector<KeyId> keys(kKeys);
  std::vector<Value> values(kKeys);
  for (std::size_t k = 0; k < kKeys; ++k) {
    keys[k] = builder.key(Value::integer(static_cast<std::int64_t>(k)));
  }
  std::vector<std::vector<TxnId>> chains(kSessions);
  for (std::size_t t = 0; t < kTxns; ++t) {
    const bool stops = t > kTxns / 3 && t < 2 * kTxns / 3;
    const std::size_t session = rng.below(stops ? kSessions - 1 : kSessions);
    const TxnId txn = builder.begin_txn(sessions[session]);
    builder.set_status(TxnStatus::kCommitted);
    for (std::size_t i = 0; i < 10; ++i) {
      const std::size_t key = rng.below(kKeys);
      if (i < 5) {
        builder.read(keys[key], values[key]);
      } else {
        values[key] = Value::integer(static_cast<std::int64_t>(1 + rng.below(10)));
        builder.write(keys[key], values[key]);
      }
    }
    chains[session].push_back(txn);
  }
  const History history = std::move(builder.finish()).value();
  std::vector<double> places(kTxns);
  for (const std::vector<TxnId>& chain : chains) {
    for (std::size_t i = 0; i < chain.size(); ++i) {
      places[chain[i].raw()] = static_cast<double>(kTxns) * (static_cast<double>(i) + 0.5) /
                               static_cast<double>(chain.size());
    }
  }
  EXPECT_GT(most_are_within(places), 60);
  base::Budget budget;
  const infer::Observations seen = infer::observe_open(history, budget);
  const std::vector<SupposedPlace> aligned = align_by_values(seen, chains, places, budget);
  ASSERT_EQ(aligned.size(), kTxns);
  std::vector<double> middles;
  for (const SupposedPlace& place : aligned) middles.push_back(place.middle);
  EXPECT_LT(most_are_within(middles), 15);
  // No session goes backwards.
  for (const std::vector<TxnId>& chain : chains) {
    for (std::size_t i = 1; i < chain.size(); ++i) {
      EXPECT_LE(aligned[chain[i - 1].raw()].middle, aligned[chain[i].raw()].middle + 1e-3);
    }
  }
  // Without budget there are no places.
  base::Budget little;
  const base::Budget::Allowance allowance(little, 100'000);
  EXPECT_TRUE(align_by_values(seen, chains, places, little).empty());
}

}  // namespace
}  // namespace isolde::checker
