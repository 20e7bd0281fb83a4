// A publisher and a source with a stream in memory between them, which loses acknowledgements,
// is away, repeats and forgets as it is told.
#include "stream/nats_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "group_files.hpp"
#include "stream/nats.hpp"
#include "stream/publisher.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::stream {
namespace {

/// What a server has, and how it behaves.
struct Fake {
  std::vector<NatsMessage> messages;
  std::set<std::string> ids;
  std::uint64_t most_bytes = 2048;
  bool is_there = false;
  int lost_answers = 0;  // so many messages are stored, and it is not told
  int away = 0;          // so many questions are not answered
  std::uint64_t acknowledged = 0;
  std::string consumer;
};
Fake* fake = nullptr;

class FakeConnection : public NatsConnection {
 public:
  NatsOutcome next(const std::string& /*stream*/, const std::string& subject,
                   std::uint64_t from, NatsMessage& message, std::string& /*error*/) override {
    if (is_away()) return NatsOutcome::kAway;
    for (const NatsMessage& each : fake->messages) {
      if (each.sequence < from || each.subject != subject) continue;
      message = each;
      return NatsOutcome::kDone;
    }
    return NatsOutcome::kNone;
  }
  NatsOutcome at(const std::string& /*stream*/, std::uint64_t place, NatsMessage& message,
                 std::string& /*error*/) override {
    for (const NatsMessage& each : fake->messages) {
      if (each.sequence != place) continue;
      message = each;
      return NatsOutcome::kDone;
    }
    return NatsOutcome::kNone;
  }
  NatsOutcome last(const std::string& /*stream*/, const std::string& subject,
                   NatsMessage& message, std::string& /*error*/) override {
    if (is_away()) return NatsOutcome::kAway;
    NatsOutcome outcome = NatsOutcome::kNone;
    for (const NatsMessage& each : fake->messages) {
      if (each.subject != subject) continue;
      message = each;
      outcome = NatsOutcome::kDone;
    }
    return outcome;
  }
  NatsOutcome about(const std::string& /*stream*/, NatsStream& found,
                    std::string& /*error*/) override {
    if (!fake->is_there) return NatsOutcome::kNone;
    found.first = 1;
    found.last = fake->messages.empty() ? 0 : fake->messages.back().sequence;
    found.most_bytes = fake->most_bytes;
    found.gives_by_place = true;
    return NatsOutcome::kDone;
  }
  NatsOutcome create(const std::string& /*stream*/, std::string& /*error*/) override {
    fake->is_there = true;
    return NatsOutcome::kDone;
  }
  NatsOutcome publish(const std::string& stream, const NatsMessage& message,
                      const std::string& id, std::uint64_t behind, std::uint64_t& sequence,
                      std::string& error) override {
    EXPECT_LE(message.data.size() + message.block.size(), fake->most_bytes);
    if (is_away()) return NatsOutcome::kAway;
    NatsMessage last_one;
    last(stream, message.subject, last_one, error);
    if (last_one.sequence != behind) return NatsOutcome::kBehind;
    EXPECT_TRUE(fake->ids.insert(id).second) << id;
    sequence = fake->messages.empty() ? 1 : fake->messages.back().sequence + 1;
    fake->messages.push_back(message);
    fake->messages.back().sequence = sequence;
    return fake->lost_answers-- > 0 ? NatsOutcome::kAway : NatsOutcome::kDone;
  }
  NatsOutcome acknowledge(const std::string& /*stream*/, const std::string& /*subject*/,
                          const std::string& consumer, std::uint64_t up_to,
                          std::uint64_t /*most*/, std::string& /*error*/) override {
    fake->acknowledged = up_to;
    fake->consumer = consumer;
    return NatsOutcome::kDone;
  }

 private:
  static bool is_away() { return fake->away-- > 0; }
};

constexpr NatsModule kModule{
    kNatsModuleVersion, [](const NatsAccess&, bool&, std::string&) {
      return std::unique_ptr<NatsConnection>(std::make_unique<FakeConnection>());
    }};

class NatsSourceTest : public testing::Test {
 protected:
  NatsSourceTest() { fake = &fake_; }

  static NatsAddress address(const std::string& recorder = "one") {
    return *parse_nats_address("nats://host:4222/SHOP/" + recorder);
  }
  /// Why it failed.
  std::string publish(const std::string& name, const std::string& recorder = "one") {
    Result<io::GroupReader> file = io::GroupReader::open(folder_.path(name));
    EXPECT_TRUE(file.ok());
    const auto tell = [this](const std::string& line) { told_.push_back(line); };
    Publisher publisher(kModule, address(recorder), {.follows = false, .tell = tell});
    const Status published = publisher.publish(*file, budget_);
    counts_ = publisher.counts();
    return published ? "" : published.error().message;
  }
  NatsSource source() {
    const auto tell = [this](const std::string& line) { told_.push_back(line); };
    return {kModule, address(), {.follows = false, .session_prefix = "", .tell = tell}};
  }
  /// Of each part that comes, how many transactions; why it ended in `problem_`.
  std::vector<std::size_t> rest(Source& source) {
    std::vector<std::size_t> sizes;
    for (bool is_over = false; !is_over;) {
      const Result<Source::Next> next = source.next(budget_);
      problem_ = next ? source.cut_off() : next.error().message;
      if (next && next->part) sizes.push_back(next->part->history.txn_count());
      is_over = !next || next->is_over;
    }
    return sizes;
  }
  /// A file of three groups.
  void write(const std::string& name, std::int64_t first = 1) {
    Starts many;  // which do not pack well
    for (std::int64_t i = 0; i < 1000; ++i) many.push_back(first + i * i * 7919 % 4999);
    append(folder_.path(name), group_text(0, {many, 5000, false}) +
                                   group_text(1, {{5011, 5012}, 6000, false}) +
                                   group_text(2, {{6031}, 7000, true}));
  }

  using Starts = std::vector<std::int64_t>;
  io::TemporaryFolder folder_;
  base::Budget budget_;
  Fake fake_;
  Publisher::Counts counts_;
  std::vector<std::string> told_;
  std::string problem_;
};

TEST_F(NatsSourceTest, GivesWhatTheFileHas) {
  write("a");
  EXPECT_EQ(publish("a"), "");
  EXPECT_EQ(counts_.groups, 3U);
  EXPECT_EQ(counts_.messages, fake_.messages.size());
  EXPECT_GE(counts_.messages, 3U);
  NatsSource of_messages = source();
  const Result<std::unique_ptr<Source>> of_file = open_source(folder_.path("a"), {});
  ASSERT_TRUE(of_file.ok());
  EXPECT_EQ(rest(of_messages), (std::vector<std::size_t>{1000, 2, 1}));
  EXPECT_EQ(problem_, "");
  EXPECT_EQ(rest(**of_file), (std::vector<std::size_t>{1000, 2, 1}));
  EXPECT_EQ(of_messages.position().contents(), (*of_file)->position().contents());
  EXPECT_EQ(of_messages.position().files.front().place, fake_.messages.back().sequence);
  EXPECT_TRUE(told_.empty());
}

TEST_F(NatsSourceTest, LargeGroupsAreSeveralMessages) {
  write("a");
  fake_.most_bytes = 2048;
  EXPECT_EQ(publish("a"), "");
  const std::size_t few = fake_.messages.size();
  fake_ = {};
  fake_.most_bytes = 1 << 20;
  EXPECT_EQ(publish("a"), "");
  EXPECT_EQ(fake_.messages.size(), 3U);
  EXPECT_GT(few, 4U);
  fake_ = {};
  fake_.most_bytes = 1000;
  EXPECT_NE(publish("a").find("raise its max_payload"), std::string::npos);
}

TEST_F(NatsSourceTest, PublishedTwiceIsThereOnce) {
  write("a");
  EXPECT_EQ(publish("a"), "");
  const std::size_t all = fake_.messages.size();
  EXPECT_EQ(publish("a"), "");
  EXPECT_EQ(fake_.messages.size(), all);
  EXPECT_EQ(counts_.there, 3U);
  EXPECT_EQ(counts_.messages, 0U);
  // From any place.
  for (std::size_t left = 0; left < all; ++left) {
    fake_.messages.resize(left);
    fake_.ids.clear();
    EXPECT_EQ(publish("a"), "");
    EXPECT_EQ(fake_.messages.size(), all);
    NatsSource again = source();
    EXPECT_EQ(rest(again), (std::vector<std::size_t>{1000, 2, 1}));
  }
}

TEST_F(NatsSourceTest, AnAnswerMayBeLost) {
  write("a");
  fake_.lost_answers = 2;
  EXPECT_EQ(publish("a"), "");
  fake_.away = 2;
  NatsSource all = source();
  EXPECT_EQ(rest(all), (std::vector<std::size_t>{1000, 2, 1}));
  EXPECT_EQ(problem_, "");
  EXPECT_EQ(std::ranges::count_if(
                told_, [](const std::string& line) { return line.ends_with("answers again"); }),
            3);
}

TEST_F(NatsSourceTest, AnotherFileIsRefused) {
  write("a");
  write("b", 2);
  append(folder_.path("shorter"), group_text(0, {Starts(1000, 1), 10, false}));
  EXPECT_EQ(publish("a"), "");
  EXPECT_NE(publish("b").find("the recorder has published another file: its group 2"),
            std::string::npos);
  EXPECT_NE(publish("shorter").find("has published more groups than"), std::string::npos);
  // While neither is complete.
  fake_.messages.resize(1);
  EXPECT_NE(publish("b").find("its group 0 is another one"), std::string::npos);
}

TEST_F(NatsSourceTest, WhatIsRepeatedIsPassedOver) {
  write("a");
  EXPECT_EQ(publish("a"), "");
  std::vector<NatsMessage> twice;
  for (std::size_t i = 0; i < fake_.messages.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) twice.push_back(fake_.messages[j]);
  }
  for (std::size_t i = 0; i < twice.size(); ++i) twice[i].sequence = i + 1;
  fake_.messages = std::move(twice);
  NatsSource all = source();
  EXPECT_EQ(rest(all), (std::vector<std::size_t>{1000, 2, 1}));
  EXPECT_EQ(problem_, "");
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_NE(told_.front().find("message 2 repeats a part of group 0"), std::string::npos);
}

TEST_F(NatsSourceTest, WhatIsMissingEndsIt) {
  write("a");
  EXPECT_EQ(publish("a"), "");
  const std::vector<NatsMessage> all = fake_.messages;
  for (std::size_t gone = 0; gone < all.size(); ++gone) {
    fake_.messages = all;
    fake_.messages.erase(fake_.messages.begin() + static_cast<std::ptrdiff_t>(gone));
    NatsSource some = source();
    EXPECT_LT(rest(some).size(), 3U);
    // The file does not promise an end.
    EXPECT_EQ(problem_.empty(), gone + 1 == all.size()) << problem_;
  }
}

TEST_F(NatsSourceTest, MessagesOfTwoFilesAreToldApart) {
  write("a");
  write("b", 2);
  EXPECT_EQ(publish("a"), "");
  const std::vector<NatsMessage> all = std::exchange(fake_.messages, {});
  fake_.ids.clear();
  EXPECT_EQ(publish("b"), "");
  for (std::size_t begin = 1; begin < all.size(); ++begin) {
    std::copy(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(begin),
              fake_.messages.begin());
    NatsSource some = source();
    rest(some);
    EXPECT_NE(problem_.find("published under one name"), std::string::npos) << problem_;
  }
}

TEST_F(NatsSourceTest, WhatOthersWroteIsRefused) {
  fake_.is_there = true;
  for (const char* block : {"", "0 0 8", "0 0 4 1", "0 8 8 1", "4294967296 0 8 1"}) {
    fake_.messages = {{1, "SHOP.one", block, "12345678"}};
    NatsSource some = source();
    rest(some);
    EXPECT_NE(problem_.find("message 1 of the stream was not written by isolde publish"),
              std::string::npos)
        << block;
  }
}

TEST_F(NatsSourceTest, GoesOnFromAPosition) {
  write("a");
  EXPECT_EQ(publish("a"), "");
  NatsSource first = source();
  ASSERT_TRUE(first.next(budget_).ok());
  const Position position = first.position();
  first.acknowledge(position);
  EXPECT_EQ(fake_.acknowledged, position.files.front().place);
  EXPECT_EQ(fake_.consumer, "isolde-one");
  NatsSource second = source();
  ASSERT_TRUE(second.resume(position, budget_).ok());
  EXPECT_EQ(rest(second), (std::vector<std::size_t>{2, 1}));
  const Result<std::unique_ptr<Source>> again = second.again();
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(rest(**again), (std::vector<std::size_t>{1000, 2, 1}));
  // What was acknowledged may be gone, but is not there again then.
  while (fake_.messages.front().sequence <= position.files.front().place) {
    fake_.messages.erase(fake_.messages.begin());
  }
  NatsSource third = source();
  ASSERT_TRUE(third.resume(position, budget_).ok());
  EXPECT_EQ(rest(third), (std::vector<std::size_t>{2, 1}));
  const Result<std::unique_ptr<Source>> gone = third.again();
  ASSERT_TRUE(gone.ok());
  rest(**gone);
  EXPECT_NE(problem_.find("the stream has no longer what was read"), std::string::npos);
}

TEST_F(NatsSourceTest, DoesNotGoOnInAnotherStream) {
  write("a");
  write("b", 2);
  EXPECT_EQ(publish("a"), "");
  NatsSource first = source();
  rest(first);
  const Position position = first.position();
  fake_.messages.clear();
  NatsSource second = source();
  EXPECT_FALSE(second.resume(position, budget_).ok());
  fake_.ids.clear();
  EXPECT_EQ(publish("b"), "");
  NatsSource third = source();
  EXPECT_FALSE(third.resume(position, budget_).ok());
}

TEST(NatsAddressTest, HasPartsAndNoPassword) {
  const Result<NatsAddress> address = parse_nats_address("tls://me@host:4222/SHOP/a,b-2");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->server, "tls://host:4222");
  EXPECT_EQ(address->user, "me");
  EXPECT_EQ(address->stream, "SHOP");
  EXPECT_EQ(address->recorders, (std::vector<std::string>{"a", "b-2"}));
  EXPECT_EQ(address->name_of("a"), "tls://host:4222/SHOP/a");
  for (const char* wrong : {"nats://", "nats:///S/a", "nats://h", "nats://h/", "nats://h/S",
                            "nats://h/S/", "nats://h/S/a,", "nats://h/S/a.b", "nats://h/S/*",
                            "nats://h/S/a/b", "nats://h/S/a,a", "nats://me:secret1@h/S/a"}) {
    const Result<NatsAddress> refused = parse_nats_address(wrong);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
    EXPECT_EQ(refused.error().message.find("secret1"), std::string::npos);
  }
}

}  // namespace
}  // namespace isolde::stream
