// Checkpoints are read as they were written, and what is damaged is told. That rounds go on
// from them as if nothing had happened is the subject of test/prop/stream_prop.cpp, and that a
// process does of test/cli/watch_kills_test.py.
#include "stream/checkpoint.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <xxhash.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "isolde/history_builder.hpp"
#include "stream/segments_file.hpp"
#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

RoundsState a_state() {
  base::Budget budget;
  RoundsOptions options;
  options.left_open = 1;
  Rounds rounds(options, budget);
  rounds.take(support::parse("start(k=7 t=word)\nA: w(x=1) @5,10\nB: w(y=a) r(k=7) @6,20"), 15);
  rounds.take(support::parse("C: r(x=1) @15,30\nD: w(x=2) ? @22,_"), 25);
  Result<RoundsState> state = rounds.state();
  EXPECT_TRUE(state);
  return std::move(state).value();
}

Checkpoint a_checkpoint() {
  Checkpoint checkpoint{.options = {}, .rounds = a_state(), .position = {}, .segments = {}};
  checkpoint.options.clock_error_ns = 3;
  checkpoint.options.left_open = 4;
  checkpoint.options.most_open = 5;
  checkpoint.options.kept_ops = 6;
  checkpoint.options.initial_is_unknown = true;
  checkpoint.options.is_incomplete = true;
  checkpoint.options.keys = "x*";
  checkpoint.options.takes_effect_within_ns = 0;
  checkpoint.rounds.forgotten = 20;
  checkpoint.rounds.clock_error_ns = 22;
  checkpoint.rounds.uses = {21, kNoTime};
  checkpoint.rounds.known_empty = {1};
  checkpoint.rounds.incomplete = {{2, "y", 3}};
  checkpoint.rounds.reread = 19;
  checkpoint.committed = 2;
  FilePosition& file = checkpoint.position.files.emplace_back();
  file = {.source = 1, .name = "some \"file\"", .before = {}, .contents = 11, .is_over = true};
  file.before = {
      .bytes = 12, .groups = 13, .end_is_told = true, .at_end = true, .open_since = -14};
  file.before.clock_origin = 18;
  file.before.clock_host = "host";
  file.before.clock_monotonic_ns = 19;
  file.before.clock_error_ns = 20;
  file.before.shift_ns = -21;
  checkpoint.segments = SegmentsFile::Place{{15, 0xffffffffffffffffU}, 17};
  return checkpoint;
}

TEST(Checkpoint, RemembersWhichKeysAreKnownToBeEmpty) {
  base::Budget budget;
  RoundsOptions options;
  options.initial_is_unknown = true;
  options.left_open = 0;
  Rounds before(options, budget);
  before.take(support::parse("A: r(x=_) w(y=1) @0,10"), 15);
  Result<RoundsState> state = before.state();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->known_empty.size(), 1U);
  Rounds after(options, budget);
  ASSERT_TRUE(after.restore(std::move(state).value()));
  after.take(support::parse("A: r(x=7) @15,16"), 20);
  after.finish();
  EXPECT_EQ(after.verdict(), Verdict::kUnknown);
  Rounds damaged(options, budget);
  RoundsState wrong = a_state();
  wrong.known_empty = {99};
  EXPECT_FALSE(damaged.restore(std::move(wrong)));
}

TEST(Checkpoint, IsNotGoneOnFromWhereWhoIsOpenHasNoNumber) {
  base::Budget budget;
  for (const std::string number : {"5", "0", "none", "one"}) {
    HistoryBuilder builder;
    builder.begin_txn(builder.session("A"));
    if (number == "one") builder.set_label(builder.string(number));
    if (number.size() == 1) builder.set_label(builder.integer(std::stoi(number)));
    builder.write(builder.key(builder.string("x")), builder.integer(1));
    RoundsOptions options;
    options.left_open = 1;
    Rounds rounds(options, budget);
    RoundsState state = a_state();
    state.open = std::move(builder.finish()).value();
    state.apart = {};
    const Status restored = rounds.restore(std::move(state));
    ASSERT_EQ(restored.ok(), number == "5") << number;
    if (restored) continue;
    EXPECT_EQ(restored.error().message,
              "the checkpoint tells of a transaction that has no number");
  }
}

TEST(Checkpoint, RemembersHowFarClocksMayBeOff) {
  base::Budget budget;
  RoundsOptions options;
  options.level = Level::kStrongSessionSerializable;
  options.left_open = 0;
  const auto restored = [&](std::int64_t raised) {
    Rounds before(options, budget);
    before.raise_clock_error(2);
    before.take(support::parse("A: w(x=1) @0,10\nA: w(x=2) @15,20"), 30);
    Result<RoundsState> state = before.state();
    EXPECT_TRUE(state);
    Checkpoint checkpoint{
        .options = options, .rounds = std::move(state).value(), .position = {}, .segments = {}};
    const Result<std::string> text = checkpoint_text(checkpoint);
    EXPECT_TRUE(text);
    Result<Checkpoint> read = parse_checkpoint(*text, "it", budget);
    EXPECT_TRUE(read) << read.error().message;
    Rounds after(options, budget);
    EXPECT_TRUE(after.restore(std::move(read->rounds)));
    EXPECT_EQ(after.clock_error_ns(), 2);
    after.raise_clock_error(raised);
    return after.reason();
  };
  EXPECT_EQ(restored(4), "");
  // The gap between both is 5.
  EXPECT_NE(restored(5).find("sooner than its clock may be off"), std::string::npos);
}

TEST(Checkpoint, IsReadAsItWasWritten) {
  const Checkpoint checkpoint = a_checkpoint();
  const Result<std::string> text = checkpoint_text(checkpoint);
  ASSERT_TRUE(text);
  base::Budget budget;
  const Result<Checkpoint> read = parse_checkpoint(*text, "it", budget);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->options.clock_error_ns, 3);
  EXPECT_EQ(read->options.left_open, 4U);
  EXPECT_EQ(read->options.most_open, 5U);
  EXPECT_EQ(read->options.kept_ops, 6U);
  EXPECT_TRUE(read->options.initial_is_unknown);
  EXPECT_EQ(read->rounds.known_empty, std::vector<std::uint32_t>{1});
  EXPECT_TRUE(read->options.is_incomplete);
  EXPECT_EQ(read->options.keys, "x*");
  EXPECT_EQ(read->options.takes_effect_within_ns, 0);
  EXPECT_EQ(read->rounds.forgotten, 20U);
  EXPECT_EQ(read->rounds.clock_error_ns, 22);
  EXPECT_EQ(read->rounds.uses, (std::vector<std::int64_t>{21, kNoTime}));
  ASSERT_EQ(read->rounds.incomplete.size(), 1U);
  EXPECT_EQ(read->rounds.incomplete[0].place, 2U);
  EXPECT_EQ(read->rounds.incomplete[0].name, "y");
  EXPECT_EQ(read->rounds.incomplete[0].reads, 3U);
  EXPECT_EQ(read->rounds.reread, 19U);
  EXPECT_EQ(read->committed, 2U);
  ASSERT_EQ(read->position.files.size(), 1U);
  const FilePosition& file = read->position.files.front();
  EXPECT_EQ(file.source, 1U);
  EXPECT_EQ(file.name, "some \"file\"");
  EXPECT_EQ(file.contents, 11U);
  EXPECT_TRUE(file.is_over);
  EXPECT_EQ(file.before.bytes, 12U);
  EXPECT_EQ(file.before.groups, 13U);
  EXPECT_TRUE(file.before.end_is_told && file.before.at_end);
  EXPECT_EQ(file.before.open_since, -14);
  EXPECT_EQ(file.before.clock_origin, 18);
  EXPECT_EQ(file.before.clock_host, "host");
  EXPECT_EQ(file.before.clock_monotonic_ns, 19);
  EXPECT_EQ(file.before.clock_error_ns, 20);
  EXPECT_EQ(file.before.shift_ns, -21);
  ASSERT_TRUE(read->segments);
  EXPECT_EQ(read->segments->text.segments, 15U);
  EXPECT_EQ(read->segments->text.chain, 0xffffffffffffffffU);
  EXPECT_EQ(read->segments->bytes, 17U);
  EXPECT_EQ(read->rounds.txn_count, 4U);
  EXPECT_EQ(read->rounds.settled, 2U);
  EXPECT_EQ(read->rounds.rounds, 2U);
  EXPECT_EQ(read->rounds.open_since, 25);
  EXPECT_EQ(read->rounds.first_start, 5);
  EXPECT_EQ(read->rounds.boundary.key_count(), checkpoint.rounds.boundary.key_count());
  EXPECT_EQ(read->rounds.open.txn_count(), 2U);
  ASSERT_EQ(read->rounds.parts.size(), 2U);
  EXPECT_EQ(read->rounds.parts[1].first, 2U);
  EXPECT_EQ(read->rounds.parts[1].history.digest(),
            checkpoint.rounds.parts[1].history.digest());
  // Written once more, it is the same.
  const Result<std::string> again = checkpoint_text(*read);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *text);
}

TEST(Checkpoint, IsRefusedWhereItIsDamaged) {
  const Result<std::string> text = checkpoint_text(a_checkpoint());
  ASSERT_TRUE(text);
  base::Budget budget;
  for (std::size_t size = 0; size < text->size(); size += size < 700 ? 1 : 13) {
    const Result<Checkpoint> read = parse_checkpoint(text->substr(0, size), "it", budget);
    ASSERT_FALSE(read) << size;
    ASSERT_EQ(read.error().code, ErrorCode::kBadInput);
  }
  for (std::size_t at = 0; at < text->size(); ++at) {
    std::string damaged = *text;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    ASSERT_FALSE(parse_checkpoint(damaged, "it", budget)) << at;
  }
  std::string other = *text;
  other.replace(other.find(":4,"), 3, ":3,");
  const Result<Checkpoint> read = parse_checkpoint(other, "it", budget);
  ASSERT_FALSE(read);
  EXPECT_EQ(
      read.error().message,
      "it: it is of another version; remove it to begin from the beginning of the source");
}

TEST(Checkpoint, IsRefusedWhereANumberIsNoWholeOne) {
  const Result<std::string> text = checkpoint_text(a_checkpoint());
  ASSERT_TRUE(text);
  base::Budget budget;
  const std::size_t end = text->find('\n');
  const std::string histories = text->substr(end + 1);
  for (const auto* const number : {"3", "3.0", "-9.3e18", "1e99"}) {
    std::string line = text->substr(0, text->rfind(",\"checksum\"", end)) + "}";
    line.replace(line.find("_ns\":3,") + 5, 1, number);
    line = nlohmann::ordered_json::parse(line).dump();
    const std::uint64_t checksum = XXH3_64bits_withSeed(histories.data(), histories.size(),
                                                        XXH3_64bits(line.data(), line.size()));
    line.pop_back();
    line += ",\"checksum\":" + std::to_string(checksum) + "}\n";
    const Result<Checkpoint> read = parse_checkpoint(line + histories, "it", budget);
    EXPECT_EQ(read.ok(), std::string_view(number) == "3") << number;
  }
}

class CheckpointFile : public testing::Test {
 protected:
  CheckpointFile() : path_(testing::TempDir() + "checkpoint." + std::to_string(getpid())) {}
  ~CheckpointFile() override { std::filesystem::remove(path_); }
  std::string path_;
  base::Budget budget_;
};

TEST_F(CheckpointFile, TakesThePlaceOfTheOneBefore) {
  const Result<std::optional<Checkpoint>> none = read_checkpoint(path_, budget_);
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
  Checkpoint checkpoint = a_checkpoint();
  ASSERT_TRUE(write_checkpoint(path_, checkpoint));
  checkpoint.committed = 99;
  ASSERT_TRUE(write_checkpoint(path_, checkpoint));
  const Result<std::optional<Checkpoint>> read = read_checkpoint(path_, budget_);
  ASSERT_TRUE(read);
  ASSERT_TRUE(*read);
  EXPECT_EQ((*read)->committed, 99U);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
  // Where it cannot be written the one before stays.
  std::filesystem::create_directory(path_ + ".new");
  const Status written = write_checkpoint(path_, checkpoint);
  std::filesystem::remove(path_ + ".new");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kEnvironment);
  EXPECT_TRUE(*read_checkpoint(path_, budget_));
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(CheckpointFile, SegmentsGoOnBehindTheirPlace) {
  const std::vector<TxnNumber> orders[] = {{0, 1}, {2}, {4, 3}};
  SegmentsFile whole;
  ASSERT_TRUE(whole.begin(path_, {}));
  for (const auto& order : orders) whole.settled(order, 5);
  ASSERT_TRUE(whole.finish(nullptr));
  const std::string expected = bytes_of(path_);
  SegmentsFile::Place place;
  {
    SegmentsFile first;
    ASSERT_TRUE(first.begin(path_, {}));
    first.settled(orders[0], 5);
    Result<SegmentsFile::Place> synced = first.sync();
    ASSERT_TRUE(synced);
    place = *synced;
    first.settled(orders[2], 7);  // behind the checkpoint, and lost
  }
  SegmentsFile second;
  ASSERT_TRUE(second.go_on(path_, place));
  second.settled(orders[1], 5);
  second.settled(orders[2], 5);
  ASSERT_TRUE(second.finish(nullptr));
  EXPECT_EQ(bytes_of(path_), expected);
  SegmentsFile::Place other = place;
  other.text.chain += 1;
  EXPECT_EQ(SegmentsFile().go_on(path_, other).error().message,
            path_ + ": it is not that of the checkpoint");
  EXPECT_EQ(bytes_of(path_), expected);  // nothing is lost
  std::filesystem::resize_file(path_, place.bytes - 1);
  SegmentsFile third;
  const Status status = third.go_on(path_, place);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            path_ + ": it has become shorter since the checkpoint; nothing can be added");
}

}  // namespace
}  // namespace isolde::stream
