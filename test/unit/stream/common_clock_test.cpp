// The times of several files on one clock, and what real time tells where they have several.
#include "stream/common_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <vector>

#include "base/budget.hpp"
#include "base/rng.hpp"
#include "group_files.hpp"
#include "stream/gatherer.hpp"
#include "stream/rounds.hpp"
#include "stream/rounds_reader.hpp"
#include "stream/source.hpp"
#include "support/seed.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::stream {
namespace {

constexpr std::int64_t kDay = std::int64_t{86'400} * 1'000'000'000;

HistoryOrigin file_of(const std::string& name, const std::string& host, std::int64_t origin,
                      std::int64_t monotonic = kNoTime) {
  HistoryOrigin made;
  made.file = name;
  made.clock_host = host;
  made.clock_origin = origin;
  made.clock_monotonic_ns = monotonic;
  return made;
}

/// A group of it was read.
void read(CommonClock& clock, const HistoryOrigin& file, std::int64_t error_ns) {
  const Result<std::int64_t> shift = clock.shift_of(file);
  ASSERT_TRUE(shift.ok()) << shift.error().message;
  clock.has_read(file.file, {.groups = 1,
                             .clock_origin = file.clock_origin,
                             .clock_host = file.clock_host,
                             .clock_monotonic_ns = file.clock_monotonic_ns,
                             .clock_error_ns = error_ns,
                             .shift_ns = *shift});
}

TEST(CommonClock, PutsFilesWhereTheirOriginsAre) {
  CommonClock clock;
  EXPECT_EQ(*clock.shift_of(file_of("a", "h", 1000, 7)), 0);
  EXPECT_EQ(*clock.shift_of(file_of("b", "i", 1300, 7)), 300);
  EXPECT_EQ(*clock.shift_of(file_of("c", "", 400)), -600);
  EXPECT_EQ(*clock.shift_of(file_of("d", "", kNoTime)), 0);
  // The monotonic clock of one host is exact; the wall clock was set by 40 in between.
  EXPECT_EQ(*clock.shift_of(file_of("e", "i", 1350, 17)), 310);
  EXPECT_EQ(*clock.shift_of(file_of("b", "i", 1300, 7)), 300) << "it is read again";
}

TEST(CommonClock, OneClockIsNeverWrong) {
  CommonClock clock;
  EXPECT_EQ(clock.error_ns(), 0);
  read(clock, file_of("a", "h", 1000, 7), kNoTime);
  read(clock, file_of("b", "h", 1300, 307), kNoTime);
  EXPECT_EQ(clock.error_ns(), 0);
  // Where nothing is told, nothing says that it is another one.
  read(clock, file_of("c", "", kNoTime), kNoTime);
  EXPECT_EQ(clock.error_ns(), 0);
}

TEST(CommonClock, SeveralMayDifferByTheTwoLargestBounds) {
  CommonClock clock;
  read(clock, file_of("a", "h", 1000, 7), 5);
  read(clock, file_of("b", "i", 1000, 7), 7);
  EXPECT_EQ(clock.error_ns(), 12);
  read(clock, file_of("c", "j", 1000, 7), 6);
  EXPECT_EQ(clock.error_ns(), 13);
  read(clock, file_of("c", "j", 1000, 7), 30);
  EXPECT_EQ(clock.error_ns(), 37);
  read(clock, file_of("c", "j", 1000, 7), 2);  // again
  EXPECT_EQ(clock.error_ns(), 37);
  // A second file of a host is of the same clock, whose wall clock was set by 100.
  read(clock, file_of("d", "h", 1150, 57), 8);
  EXPECT_EQ(clock.error_ns(), 138);
  ASSERT_EQ(clock.bounds().size(), 3U);
  EXPECT_EQ(clock.bounds()[0].file, "a");
  EXPECT_EQ(clock.bounds()[0].error_ns, 108);
}

TEST(CommonClock, ABoundThatIsUnknownMakesAllUnknown) {
  CommonClock clock;
  read(clock, file_of("a", "h", 1000, 7), 5);
  read(clock, file_of("b", "i", 1000, 7), kNoTime);
  EXPECT_EQ(clock.error_ns(), std::nullopt);
  EXPECT_EQ(clock.why_unknown(),
            "the sources have different clocks, and by how much that of b may be off is not "
            "known; give --clock-error the most by which two of them differ");
  read(clock, file_of("b", "i", 1000, 7), 5);
  EXPECT_EQ(clock.error_ns(), std::nullopt) << "what was unknown once";
  CommonClock without_host;
  read(without_host, file_of("a", "h", 1000, 7), 5);
  read(without_host, file_of("b", "", 1001), kNoTime);
  EXPECT_EQ(without_host.error_ns(), std::nullopt);
  CommonClock far;
  read(far, file_of("a", "h", 1000, 7), kDay - 4);
  read(far, file_of("b", "i", 1000, 7), 4);
  EXPECT_EQ(far.error_ns(), kDay);
  read(far, file_of("b", "i", 1000, 7), 5);
  EXPECT_EQ(far.error_ns(), std::nullopt);
}

TEST(CommonClock, ALaterProcessKnowsWhatWasReadBefore) {
  CommonClock before;
  CommonClock later;
  const std::vector<HistoryOrigin> files = {
      file_of("a", "", kNoTime), file_of("b", "i", 1300, 7), file_of("c", "h", 900, 7)};
  for (const HistoryOrigin& file : files) {
    read(before, file, 5);
    later.has_read(file.file, {.groups = 2,
                               .clock_origin = file.clock_origin,
                               .clock_host = file.clock_host,
                               .clock_monotonic_ns = file.clock_monotonic_ns,
                               .clock_error_ns = 5,
                               .shift_ns = *before.shift_of(file)});
  }
  EXPECT_EQ(later.error_ns(), before.error_ns());
  const HistoryOrigin next = file_of("d", "h", 1900, 1007);
  EXPECT_EQ(*later.shift_of(next), *before.shift_of(next));
  EXPECT_EQ(*later.shift_of(files[1]), *before.shift_of(files[1]));
}

/// A transaction as it was, by true time.
struct Txn {
  std::string session;
  std::size_t file = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t commit = 0;
  struct Use {
    std::int64_t key = 0;
    std::int64_t written = 0;  // 0: a read
    std::int64_t seen = 0;     // 0: nothing was there
  };
  std::vector<Use> uses = {};
};

/// A host by true time: its wall clock is off by `off`, and goes wrong by `drift` in a million.
struct Host {
  std::string name;
  std::int64_t off = 0;
  std::int64_t drift = 0;
  std::int64_t booted = 0;

  std::int64_t error(std::int64_t at) const { return off + at * drift / 1'000'000; }
  std::int64_t wall(std::int64_t at) const { return kUtc + at + error(at); }
  std::int64_t monotonic(std::int64_t at) const { return wall(at) - kUtc - off + booted; }
  static constexpr std::int64_t kUtc = 1'700'000'000'000'000'000;
};

struct Recording {
  const Host* host = nullptr;
  std::int64_t opened = 0;
  /// What is told, where it is not the truth.
  std::optional<std::int64_t> error = {};
};

/// Transactions by their starts, in groups of `most`. Each tells the bound up to its end.
std::string text_of(const Recording& recording, const std::vector<Txn>& txns,
                    std::size_t most) {
  const Host& host = *recording.host;
  const auto stamp = [&](std::int64_t at) {
    return host.monotonic(at) - host.monotonic(recording.opened);
  };
  std::string text;
  std::uint32_t number = 0;
  for (std::size_t begin = 0; begin == 0 || begin < txns.size(); begin += most) {
    const std::size_t end = std::min(txns.size(), begin + most);
    HistoryBuilder builder;
    std::int64_t latest = recording.opened;
    for (std::size_t i = begin; i < end; ++i) {
      const Txn& txn = txns[i];
      latest = std::max(latest, txn.end);
      builder.begin_txn(builder.session(txn.session));
      builder.set_times({stamp(txn.start), stamp(txn.end)});
      for (const Txn::Use& use : txn.uses) {
        const KeyId key = builder.key(builder.integer(use.key));
        if (use.written != 0) {
          builder.write(key, builder.integer(use.written));
        } else {
          builder.read(key, use.seen == 0 ? Value() : builder.integer(use.seen));
        }
      }
    }
    std::int64_t open_since = kNoTime;
    if (end < txns.size()) open_since = stamp(txns[end].start);
    if (end < txns.size()) latest = std::max(latest, txns[end].start);
    builder.origin().clock_host = host.name;
    builder.origin().clock_origin = host.wall(recording.opened);
    builder.origin().clock_monotonic_ns = host.monotonic(recording.opened);
    // It goes wrong in one direction.
    builder.origin().clock_error_ns = recording.error.value_or(
        std::max(std::abs(host.error(0)), std::abs(host.error(latest))));
    const bool is_last = end == txns.size();
    io::StringSink sink;
    EXPECT_TRUE(io::write_native_binary(std::move(builder.finish()).value(), sink, true,
                                        {number++, true, is_last, open_since})
                    .ok());
    text += sink.text();
  }
  return text;
}

struct Watched {
  Verdict verdict = Verdict::kUnknown;
  std::int64_t clock_error_ns = 0;
  std::string reason;
  bool lacks_clock = false;
};

Watched watch(const io::TemporaryFolder& folder, const std::vector<Recording>& recordings,
              const std::vector<Txn>& txns, std::size_t most_of_group, RoundsOptions options,
              const GathererOptions& gathering) {
  std::vector<std::string> paths;
  for (std::size_t file = 0; file < recordings.size(); ++file) {
    std::vector<Txn> own;
    for (const Txn& txn : txns) {
      if (txn.file == file) own.push_back(txn);
    }
    std::ranges::stable_sort(own, {}, &Txn::start);
    paths.push_back(folder.path("f" + std::to_string(file)));
    std::ofstream(paths.back(), std::ios::binary)
        << text_of(recordings[file], own, most_of_group);
  }
  CommonClock clock;
  Result<std::unique_ptr<Source>> source = open_sources(paths, {.clock = &clock});
  EXPECT_TRUE(source.ok()) << source.error().message;
  base::Budget budget;
  Rounds rounds(options, budget);
  RoundsReader reader;
  reader.clock = &clock;
  reader.let_reread(rounds,
                    [&](const Visit& visit) { return (*source)->visit_again(visit, budget); });
  const Status read = reader.read(**source, rounds, gathering, budget);
  EXPECT_TRUE(read.ok()) << read.error().message;
  if (rounds.verdict() == Verdict::kHolds && !reader.lacks_clock()) {
    EXPECT_EQ((*source)->cut_off(), "");
  }
  return {reader.lacks_clock() ? Verdict::kNotApplicable : rounds.verdict(),
          rounds.clock_error_ns(), reader.why_unknown(rounds), reader.lacks_clock()};
}

/// x is written on one host, and then read on another one that lacks it.
class StaleRead : public testing::Test {
 protected:
  Watched after(std::int64_t gap, RoundsOptions options = {}) const {
    const io::TemporaryFolder folder;
    return watch(folder, {{&east_, 0, east_error_}, {&west_, 0, west_error_}},
                 {{"a", 0, 10, 100, 50, {{.key = 1, .written = 1}}},
                  {"b", 1, 100 + gap, 200 + gap, 150 + gap, {{.key = 1, .seen = 0}}}},
                 5, options, {});
  }
  Host east_{"e", 0, 0, 700};
  Host west_{"w", 0, 0, -90};
  std::optional<std::int64_t> east_error_ = 5;
  std::optional<std::int64_t> west_error_ = 7;
};

TEST_F(StaleRead, IsAViolationBeyondBothBounds) {
  EXPECT_EQ(after(12).verdict, Verdict::kHolds);
  EXPECT_EQ(after(12).clock_error_ns, 12);
  EXPECT_EQ(after(13).verdict, Verdict::kViolated);
  EXPECT_EQ(after(-50).verdict, Verdict::kHolds);
}

TEST_F(StaleRead, OnOneHostEveryGapCounts) {
  west_.name = "e";
  west_.booted = 700;
  EXPECT_EQ(after(1).verdict, Verdict::kViolated);
  EXPECT_EQ(after(0).verdict, Verdict::kHolds);
  EXPECT_EQ(after(1).clock_error_ns, 0);
}

TEST_F(StaleRead, TellsNothingWhereABoundIsUnknown) {
  west_error_ = kNoTime;
  const Watched found = after(1'000'000'000);
  EXPECT_EQ(found.verdict, Verdict::kNotApplicable);
  EXPECT_TRUE(found.reason.ends_with(
      "/f1 may be off is not known; give --clock-error the most by which two of them differ"))
      << found.reason;
  // What is not about real time is decided.
  RoundsOptions options;
  options.level = Level::kSerializable;
  EXPECT_EQ(after(1'000'000'000, options).verdict, Verdict::kHolds);
}

/// Hosts whose clocks are off by what they tell, and a history that was strictly serial.
class Hosts {
 public:
  explicit Hosts(base::Rng& rng) : rng_(rng) {
    const std::size_t hosts = 2 + rng_.below(2);
    for (std::size_t i = 0; i < hosts; ++i) {
      hosts_.push_back({"h" + std::to_string(i), some(3'000), some(30'000),
                        static_cast<std::int64_t>(rng_.below(1'000'000))});
    }
    const std::size_t files = hosts + rng_.below(2);
    for (std::size_t i = 0; i < files; ++i) {
      recordings_.push_back({&hosts_[i % hosts], static_cast<std::int64_t>(rng_.below(500))});
    }
    for (std::size_t s = 0; s < files + rng_.below(4); ++s) add_session(s);
    std::ranges::stable_sort(txns_, {}, &Txn::commit);
  }

  /// What each reads is there when it commits. But one read, perhaps, lacks a write whose
  /// transaction ended more than `stale_after` before; not negative. False: there is none.
  bool run(std::int64_t stale_after) {
    std::map<std::int64_t, std::vector<const Txn*>> writers;
    std::int64_t value = 0;
    bool is_stale = false;
    for (Txn& txn : txns_) {
      for (Txn::Use& use : txn.uses) {
        std::vector<const Txn*>& all = writers[use.key];
        if (use.written != 0) {
          use.written = ++value;
          all.push_back(&txn);
          held_[use.key].push_back(value);
          continue;
        }
        const std::vector<std::int64_t>& held = held_[use.key];
        use.seen = held.empty() ? 0 : held.back();
        const bool may_be_stale = stale_after >= 0 && !is_stale && !all.empty() &&
                                  all.back()->end + stale_after < txn.start;
        if (!may_be_stale) continue;
        // Of the first one, where that was surely before the last, or nothing at all.
        const bool is_replaced = all.front()->end + stale_after < all.back()->start;
        use.seen = is_replaced ? held.front() : 0;
        is_stale = true;
      }
    }
    return is_stale;
  }

  /// More than two of them can differ.
  std::int64_t farthest() const {
    std::int64_t most = 0;
    for (const Host& host : hosts_) {
      most = std::max({most, std::abs(host.error(0)), std::abs(host.error(kEnd))});
    }
    return 4 * most + 1'000;
  }
  const std::vector<Recording>& recordings() const { return recordings_; }
  const std::vector<Txn>& txns() const { return txns_; }

 private:
  static constexpr std::int64_t kEnd = 100'000;

  std::int64_t some(std::uint64_t most) {
    return static_cast<std::int64_t>(rng_.below(2 * most + 1)) -
           static_cast<std::int64_t>(most);
  }
  void add_session(std::size_t number) {
    const std::size_t file = number % recordings_.size();
    std::int64_t at = 600 + static_cast<std::int64_t>(rng_.below(4'000));
    for (std::uint64_t left = 3 + rng_.below(12); left > 0 && at < kEnd - 5'000; --left) {
      Txn txn{"s" + std::to_string(number), file, at,
              at + 10 + static_cast<std::int64_t>(rng_.below(2'500))};
      txn.commit = txn.start + 1 +
                   static_cast<std::int64_t>(
                       rng_.below(static_cast<std::uint64_t>(txn.end - txn.start - 1)));
      // Of each key one use, so that nobody reads what it has written itself.
      for (std::int64_t key = 0; key < 3; ++key) {
        if (!rng_.chance(0.6)) continue;
        txn.uses.push_back({.key = key, .written = rng_.chance(0.5) ? 1 : 0});
      }
      if (txn.uses.empty()) txn.uses.push_back({.key = 0});
      at = txn.end + 1 + static_cast<std::int64_t>(rng_.below(6'000));
      txns_.push_back(std::move(txn));
    }
  }

  base::Rng& rng_;
  std::vector<Host> hosts_;
  std::vector<Recording> recordings_;
  std::vector<Txn> txns_;
  std::map<std::int64_t, std::vector<std::int64_t>> held_;
};

RoundsOptions some_options(base::Rng& rng) {
  RoundsOptions options;
  options.level =
      rng.chance(0.6) ? Level::kStrictSerializable : Level::kStrongSnapshotIsolation;
  options.left_open = rng.below(12);
  options.kept_ops = rng.below(200);
  options.verifies = true;
  return options;
}

TEST(ClocksApart, WhatWasStrictlySerialIsNoViolation) {
  const std::uint64_t cases = support::case_count(400);
  std::uint64_t holds = 0;
  std::uint64_t raised = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    Hosts hosts(rng);
    hosts.run(-1);
    const io::TemporaryFolder folder;
    const Watched found =
        watch(folder, hosts.recordings(), hosts.txns(), 1 + rng.below(9), some_options(rng),
              {.txns = 1 + rng.below(20), .ops = 1 + rng.below(60)});
    ASSERT_NE(found.verdict, Verdict::kViolated) << "case " << i;
    ASSERT_NE(found.verdict, Verdict::kNotApplicable) << "case " << i << found.reason;
    holds += found.verdict == Verdict::kHolds ? 1 : 0;
    raised += found.clock_error_ns > 0 ? 1 : 0;
  }
  std::printf("%llu of %llu hold\n", static_cast<unsigned long long>(holds),
              static_cast<unsigned long long>(cases));
  EXPECT_TRUE(support::met(holds, 2, cases));
  EXPECT_TRUE(support::met(raised, 2, cases));
}

TEST(ClocksApart, AStaleReadBeyondTheBoundsIsFound) {
  const std::uint64_t cases = support::case_count(400);
  std::uint64_t stale = 0;
  std::uint64_t violated = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    Hosts hosts(rng);
    if (!hosts.run(hosts.farthest())) continue;
    ++stale;
    const io::TemporaryFolder folder;
    const Watched found =
        watch(folder, hosts.recordings(), hosts.txns(), 1 + rng.below(9), some_options(rng),
              {.txns = 1 + rng.below(20), .ops = 1 + rng.below(60)});
    ASSERT_NE(found.verdict, Verdict::kHolds) << "case " << i;
    violated += found.verdict == Verdict::kViolated ? 1 : 0;
  }
  std::printf("%llu stale reads, of which %llu were found\n",
              static_cast<unsigned long long>(stale),
              static_cast<unsigned long long>(violated));
  EXPECT_TRUE(support::met(stale, 10, cases));
  EXPECT_TRUE(support::met(violated, 2, stale));
}

}  // namespace
}  // namespace isolde::stream
