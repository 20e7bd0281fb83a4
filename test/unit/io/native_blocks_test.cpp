// Goal: a text that several threads read gives the same history, to the numbers of keys and
// values, or the same error, as one that is read line by line. Method: random histories as
// text, cut into blocks of a few lines; the same with bytes changed, lines doubled and the end
// torn off.
#include "io/native_blocks.hpp"

#include <gtest/gtest.h>

#include "io_inputs.hpp"
#include "odd_history.hpp"
#include "support/failing_memory.hpp"
#include "support/seed.hpp"

namespace isolde::io {
namespace {

Result<History> read_with(std::string_view text, unsigned threads, std::size_t block_bytes) {
  base::Budget budget;
  Inputs inputs = inputs_of(text);
  inputs.threads = threads;
  inputs.block_bytes = block_bytes;
  return read_native(inputs, budget);
}

void expect_same_numbers(const History& a, const History& b) {
  expect_same(a, b);
  ASSERT_EQ(a.key_count(), b.key_count());
  for (std::size_t k = 0; k < a.key_count(); ++k) {
    EXPECT_EQ(a.key_name(KeyId::at(k)), b.key_name(KeyId::at(k)));
    EXPECT_EQ(a.is_list(KeyId::at(k)), b.is_list(KeyId::at(k)));
  }
  for (std::size_t s = 0; s < a.session_count(); ++s) {
    EXPECT_EQ(a.session_name(SessionId::at(s)), b.session_name(SessionId::at(s)));
  }
  ASSERT_EQ(a.has_times(), b.has_times());
  ASSERT_EQ(a.has_database_times(), b.has_database_times());
  ASSERT_EQ(a.has_stated_levels(), b.has_stated_levels());
  EXPECT_TRUE(std::equal(a.predicates().begin(), a.predicates().end(), b.predicates().begin(),
                         b.predicates().end()));
  for (std::size_t t = 0; t < a.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    EXPECT_EQ(a.label(txn), b.label(txn));
    EXPECT_EQ(a.server(txn), b.server(txn));
    EXPECT_EQ(a.session_of(txn), b.session_of(txn));
    EXPECT_EQ(a.position_in_input(txn), b.position_in_input(txn));
    EXPECT_EQ(a.database_times(txn).commit, b.database_times(txn).commit);
    EXPECT_EQ(a.stated_level(txn), b.stated_level(txn));
    for (std::size_t i = 0; i < a.selections(txn).size(); ++i) {
      EXPECT_EQ(a.selections(txn)[i].lock, b.selections(txn)[i].lock);
    }
    for (std::size_t i = 0; i < a.ops(txn).size(); ++i) {
      const Op& op = a.ops(txn)[i];
      const Op& same = b.ops(txn)[i];
      EXPECT_EQ(op.key, same.key);
      EXPECT_EQ(op.value, same.value);
      EXPECT_EQ(a.lock(op), b.lock(same));
      EXPECT_EQ(a.is_refused_insert(op), b.is_refused_insert(same));
      if (op.kind != OpKind::kReadList) continue;
      EXPECT_TRUE(std::equal(a.list(op).begin(), a.list(op).end(), b.list(same).begin(),
                             b.list(same).end()));
    }
  }
}

/// True when the text was read.
bool expect_same_reading(std::string_view text) {
  const Result<History> whole = read_with(text, 1, 64);
  for (const unsigned threads : {2U, 3U, 8U}) {
    for (const std::size_t block_bytes : {1U, 70U, 300U}) {
      const Result<History> blocks = read_with(text, threads, block_bytes);
      EXPECT_EQ(message_of(whole), message_of(blocks)) << text;
      if (whole.ok() && blocks.ok()) expect_same_numbers(*whole, *blocks);
    }
  }
  return whole.ok();
}

std::string random_text(std::uint64_t seed) {
  const bool selects = seed % 3 == 0;
  StringSink sink;
  EXPECT_TRUE(write_native(OddHistory(seed, selects).make(), sink).ok());
  std::string text = sink.text();
  base::Rng rng(seed);
  for (int more = static_cast<int>(rng.below(3)); more > 0; --more) {
    // What numbers of keys and values depend on must come from several blocks.
    StringSink other;
    EXPECT_TRUE(write_native(OddHistory(seed + 1'000'000, selects).make(), other).ok());
    text += other.text().substr(other.text().find('\n') + 1);
  }
  return text;
}

TEST(NativeBlocks, GiveTheHistoryOfTheWholeText) {
  std::uint64_t read = 0;
  const std::uint64_t cases = support::case_count(60);
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::uint64_t seed = support::run_seed() + i;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    if (expect_same_reading(random_text(seed))) ++read;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_TRUE(support::met(read, 2, cases));
}

/// Changes that make most texts wrong, but not all.
std::string damaged(std::string text, base::Rng& rng) {
  constexpr std::string_view kBytes = "\"{}[],:0x\n\\ ";
  for (std::uint64_t change = rng.below(3); change > 0; --change) {
    const std::size_t at = rng.below(text.size());
    switch (rng.below(4)) {
      case 0:
        text[at] = kBytes[rng.below(kBytes.size())];
        break;
      case 1:
        text.insert(at, 1, kBytes[rng.below(kBytes.size())]);
        break;
      case 2:
        text.insert(text.find('\n', at) + 1, "{\"event\":\"end\"}\n");
        break;
      default:
        text.insert(text.find('\n', at) + 1,
                    "{\"session\":\"a\",\"ops\":[[\"append\",\"0. register\",1]]}\n");
        break;
    }
  }
  if (rng.chance(0.4)) text.resize(1 + rng.below(text.size()));
  return text;
}

TEST(NativeBlocks, GiveTheFirstErrorOfTheWholeText) {
  std::uint64_t read = 0;
  std::uint64_t refused = 0;
  const std::uint64_t cases = support::case_count(160);
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::uint64_t seed = support::run_seed() + i;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    base::Rng rng(seed);
    std::string text = random_text(seed);
    if (rng.chance(0.3)) text.insert(1, "\"ends\":true,");
    ++(expect_same_reading(damaged(text, rng)) ? read : refused);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_TRUE(support::met(read, 3, cases));
  EXPECT_TRUE(support::met(refused, 3, cases));
}

TEST(NativeBlocks, LevelsAndConditionsComeFromEachBlock) {
  std::string text = "{\"isolde\":1,\"kind\":\"history\"}\n";
  for (int i = 0; i < 50; ++i) {
    const std::string n = std::to_string(i);
    const std::string word = "\"word " + std::to_string(i % 7) + '"';
    text += R"({"session":1,)";
    // Blocks without levels before, between and behind those with them.
    if (i % 10 == 5) text += R"("level":"serializable",)";
    if (i % 10 == 7) text += R"("server":"db)" + n + "\",";
    text += R"("ops":[["w",)" + n + ',' + word + R"(],["r",3,{"not":)" + word + "}]";
    if (i % 4 == 1) {
      text += R"(,["select",{"keys":[0,9],"equal":)" + word + "},[[" + n + ',' + word +
              R"(]]],["r",2,null])";
    }
    text += "]}\n";
  }
  ASSERT_TRUE(expect_same_reading(text));
  const Result<History> history = read_with(text, 3, 100);
  EXPECT_EQ(history->predicates().size(), 14U);  // with a condition on keys and without
  EXPECT_EQ(history->selections(TxnId::at(49)).size(), 1U);
  EXPECT_EQ(history->stated_level(TxnId::at(45)), Level::kSerializable);
  EXPECT_FALSE(history->stated_level(TxnId::at(46)));
  EXPECT_EQ(history->text(history->server(TxnId::at(47))), "db47");
  EXPECT_TRUE(history->server(TxnId::at(48)).is_null());
}

TEST(NativeBlocks, LocksAndRefusedInsertsComeFromEachBlock) {
  std::string text = "{\"isolde\":2,\"kind\":\"history\"}\n";
  for (int i = 0; i < 30; ++i) {
    const std::string n = std::to_string(i);
    text += R"({"session":1,"ops":[["w",)" + n + "," + n + R"(],["r",40])";
    if (i % 3 == 1) text += R"(,["r",)" + n + "," + n + R"(,{"lock":"update"}],["r",41,null])";
    if (i % 3 == 2) text += R"(,["refused",41],["r",41])";
    if (i % 4 == 2) text += R"(,["select",{"keys":[0,9]},[],{"lock":"share"}])";
    text += "]}\n";
  }
  EXPECT_TRUE(expect_same_reading(text));
}

TEST(NativeBlocks, KindsOfKeysAreComparedAcrossBlocks) {
  std::string text = "{\"isolde\":1,\"kind\":\"history\"}\n";
  for (int i = 0; i < 50; ++i) {
    text += R"({"session":1,"ops":[["w","x",)" + std::to_string(i) + "]]}\n";
  }
  text += R"({"session":1,"ops":[["append","x",99]]})"
          "\n";
  EXPECT_EQ(
      message_of(read_with(text, 3, 100)),
      "h:52: key \"x\" is used both as a register (write) and as a list (append); use one "
      "of them");
  EXPECT_FALSE(expect_same_reading(text));
}

// The block with the first list uses a register before it.
TEST(NativeBlocks, RegistersBesideTheFirstListAreRemembered) {
  std::string text = "{\"isolde\":1,\"kind\":\"history\"}\n";
  text += R"({"session":1,"ops":[["w","x",1],["append","l",1]]})"
          "\n"
          R"({"session":1,"ops":[["append","x",2]]})"
          "\n";
  for (int i = 2; i < 50; ++i) {
    text += R"({"session":1,"ops":[["append","l",)" + std::to_string(i) + "]]}\n";
  }
  EXPECT_EQ(message_of(read_with(text, 3, 50)),
            "h:3: key \"x\" is used both as a register (write) and as a list (append); use one "
            "of them");
  EXPECT_FALSE(expect_same_reading(text));
}

TEST(NativeBlocks, ABudgetThatRunsOutStopsThem) {
  std::string text = "{\"isolde\":1,\"kind\":\"history\"}\n";
  for (int i = 0; i < 50'000; ++i) {
    text += R"({"session":1,"ops":[["w","x",)" + std::to_string(i) + "]]}\n";
  }
  base::Budget budget;
  budget.cancel();
  budget.look();
  Inputs inputs = inputs_of(text);
  inputs.threads = 2;
  inputs.block_bytes = 1000;
  EXPECT_EQ(message_of(read_native(inputs, budget)), "h: interrupted while reading the input");
}

// Goal: the blocks are all there when there is no memory for a thread. Method: each of the
// first allocations fails once.
TEST(NativeBlocks, DoWithTheThreadsThatThereIsMemoryFor) {
  const std::string text(1000, '\n');
  const Input file = Input::padded("h", text);
  int done = 0;
  for (int allocations = 0; allocations < 10; ++allocations) {
    std::optional<NativeBlocks> blocks;
    try {
      const support::OneLackOfMemory lack(allocations);
      blocks.emplace(file, 0, 100, 4);
    } catch (const std::bad_alloc&) {
      continue;  // before there was any thread
    }
    std::size_t end = 0;
    for (; !blocks->at_end(); end = blocks->take().end) {
    }
    EXPECT_EQ(end, text.size());
    ++done;
  }
  EXPECT_GT(done, 5);
}

}  // namespace
}  // namespace isolde::io
