// Several threads read and write the same few keys. What they saw becomes a history, in which
// each isolation must reach the level that the driver's table claims, and lose updates only
// where it may.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "base/rng.hpp"
#include "check/check.hpp"
#include "db/driver.hpp"
#include "db/kv_rows.hpp"
#include "isolde/history_builder.hpp"
#include "support/seed.hpp"

namespace isolde::db {
namespace {

constexpr Key kKeyCount = 4;
constexpr std::uint32_t kThreads = 4;

using Value = std::optional<std::int64_t>;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// A transaction that reads two keys and then writes the first of them.
struct Seen {
  Key keys[2] = {};
  Value values[2];
  std::int64_t written = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  Outcome outcome = Outcome::kOk;
  std::string message;
};

Seen attempt(Session& session, Key first, Key second, std::int64_t value) {
  Seen seen;
  seen.keys[0] = first;
  seen.keys[1] = second;
  seen.written = value;
  seen.start = now_ns();
  Reply reply = session.begin();
  for (int i = 0; reply.ok() && i < 2; ++i) reply = session.read(seen.keys[i], seen.values[i]);
  std::this_thread::yield();
  if (reply.ok()) reply = session.write(first, value);
  if (reply.ok()) reply = session.commit();
  seen.end = now_ns();
  seen.outcome = reply.outcome;
  seen.message = reply.message;
  return seen;
}

std::vector<Seen> play(Database& database, std::uint32_t number, int count, base::Rng rng) {
  std::vector<Seen> all;
  Result<std::unique_ptr<Session>> session = database.connect(number);
  if (!session) {
    ADD_FAILURE() << session.error().message;
    return all;
  }
  for (int i = 0; i < count; ++i) {
    const Key first = static_cast<Key>(rng.below(kKeyCount));
    const Key second = (first + 1 + static_cast<Key>(rng.below(kKeyCount - 1))) % kKeyCount;
    all.push_back(attempt(**session, first, second, std::int64_t{number} * 1000000 + i + 1));
  }
  return all;
}

/// Committed transactions that wrote a key after reading a value of it that another committed
/// one also read and replaced.
int lost_updates(const std::vector<std::vector<Seen>>& threads) {
  std::set<std::pair<Key, Value>> replaced;
  int lost = 0;
  for (const std::vector<Seen>& thread : threads) {
    for (const Seen& seen : thread) {
      if (seen.outcome != Outcome::kOk) continue;
      lost += replaced.insert({seen.keys[0], seen.values[0]}).second ? 0 : 1;
    }
  }
  return lost;
}

History history_of(const std::vector<std::vector<Seen>>& threads) {
  HistoryBuilder builder;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    const SessionId session = builder.session("s" + std::to_string(t));
    for (const Seen& seen : threads[t]) {
      if (seen.outcome != Outcome::kOk) continue;
      builder.begin_txn(session);
      builder.set_times({seen.start, seen.end});
      for (int i = 0; i < 2; ++i) {
        builder.read(builder.key(builder.integer(seen.keys[i])),
                     seen.values[i] ? builder.integer(*seen.values[i]) : isolde::Value::null());
      }
      builder.write(builder.key(builder.integer(seen.keys[0])), builder.integer(seen.written));
    }
  }
  Result<History> history = builder.finish();
  EXPECT_TRUE(history.ok());
  return std::move(*history);
}

class KvStress : public testing::TestWithParam<KvRow> {};

TEST_P(KvStress, ReachesTheLevelItClaims) {
  const KvRow& row = GetParam();
  if (!have_server(row.server)) GTEST_SKIP() << "the server is not installed";
  OpenOptions options;
  options.isolation = row.isolation;
  options.timeout_seconds = 10;
  options.force_reset = true;
  Result<std::unique_ptr<Database>> database = open_database(dsn_of(row), options);
  ASSERT_TRUE(database.ok()) << database.error().message;
  std::vector<Key> keys;
  for (Key key = 0; key < kKeyCount; ++key) keys.push_back(key);
  ASSERT_TRUE((*database)->create(keys, {}).ok());

  const int count = row.server == Server::kEtcd ? 150 : 500;
  const std::uint64_t seed = support::run_seed();
  std::vector<std::vector<Seen>> threads(kThreads);
  std::vector<std::thread> running;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    running.emplace_back([&threads, &database, t, count, seed] {
      threads[t] = play(**database, t, count, base::Rng(seed + t));
    });
  }
  for (std::thread& thread : running) thread.join();
  const Status destroyed = (*database)->destroy();
  EXPECT_TRUE(destroyed.ok()) << destroyed.error().message;

  int committed = 0;
  for (const std::vector<Seen>& thread : threads) {
    for (const Seen& seen : thread) {
      EXPECT_TRUE(seen.outcome == Outcome::kOk || seen.outcome == Outcome::kAborted)
          << seen.message;
      committed += seen.outcome == Outcome::kOk ? 1 : 0;
    }
  }
  const int lost = lost_updates(threads);
  std::printf("%s: %d committed, %d lost updates\n", row.name, committed, lost);
  EXPECT_GT(committed, count / 4);
  EXPECT_EQ(lost > 0, row.loses_updates);

  const std::optional<Level> level = claimed(row);
  ASSERT_TRUE(level.has_value());
  CheckOptions wanted;
  wanted.levels = {*level};
  base::Budget budget;
  const CheckReport report = check(history_of(threads), wanted, budget);
  for (const LevelReport& each : report.levels) {
    if (each.level == *level) {
      EXPECT_EQ(each.verdict, Verdict::kHolds) << info(*level).name << " " << each.reason;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, KvStress, testing::ValuesIn(built_rows()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace isolde::db
