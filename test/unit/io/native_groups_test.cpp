// Files of the native binary format in several groups: the same history as in one, also where a
// recorder stopped early.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "history/copier.hpp"
#include "history/initial.hpp"
#include "io/native_binary.hpp"
#include "io_inputs.hpp"
#include "isolde/history_builder.hpp"
#include "odd_history.hpp"
#include "sealed.hpp"

namespace isolde::io {
namespace {

using binary::Header;

/// The transactions from `begin` on, up to `end`; the first part has what holds for all.
History part_of(const History& history, std::size_t begin, std::size_t end) {
  HistoryBuilder builder;
  history::Copier copier(history, builder);
  builder.origin() = history.origin();
  if (begin > 0) builder.origin().notes.clear();
  for (std::size_t i = 0; i < history.session_count(); ++i) {
    builder.session(history.session_name(SessionId::at(i)));
  }
  if (begin == 0) {
    for (const KeyId key : history::keys_with_contents(history)) {
      copier.initial(key, copier.key(key));
    }
  }
  for (std::size_t i = begin; i < end; ++i) {
    copier.begin_txn(TxnId::at(i));
    for (const Op& op : history.ops(TxnId::at(i))) copier.op(op, copier.key(op.key));
  }
  if (end == history.txn_count()) {
    for (const RecordedEvent& event : history.events()) copier.event(event);
  }
  Result<History> part = builder.finish();
  EXPECT_TRUE(part.ok()) << message_of(part);
  return std::move(part).value();
}

std::string group_text(const History& part, const BinaryGroup& group) {
  StringSink sink;
  const Status status = write_native_binary(part, sink, group.number % 2 == 0, group);
  EXPECT_TRUE(status.ok()) << status.error().message;
  return sink.text();
}

TEST(NativeGroups, AreReadAsOneHistory) {
  base::Rng rng(7);
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const History history = OddHistory(seed).make();
    std::string file;
    std::size_t begin = 0;
    for (std::uint32_t number = 0; begin < history.txn_count() || number == 0; ++number) {
      const std::size_t left = history.txn_count() - begin;
      const std::size_t end = begin + std::min<std::size_t>(left, 1 + rng.below(12));
      file += group_text(part_of(history, begin, end), {.number = number,
                                                        .ends = number == 0 && seed % 2 == 0,
                                                        .is_last = end == history.txn_count()});
      begin = end;
    }
    const Result<History> again = read_binary_text(file);
    ASSERT_TRUE(again.ok()) << message_of(again);
    expect_same(history, *again);
    if (HasFatalFailure()) return;
  }
}

/// So many groups of a transaction, each with strings and keys of its own.
std::vector<std::string> groups(std::uint32_t count, bool ends) {
  std::vector<std::string> texts;
  for (std::uint32_t number = 0; number < count; ++number) {
    HistoryBuilder builder;
    const std::string name = std::to_string(number);
    builder.begin_txn(builder.session(number == 1 ? "other" : "a"));
    builder.set_times({100 * number, 100 * number + 50});
    builder.write(builder.key(builder.string("key " + name)), builder.string("value " + name));
    if (number > 0)
      builder.read(builder.key(builder.string("key 0")), builder.string("value 0"));
    texts.push_back(group_text(std::move(builder.finish()).value(),
                               {.number = number,
                                .ends = ends && number == 0,
                                .is_last = ends && number + 1 == count}));
  }
  return texts;
}

/// Transactions and notes, or the message.
std::string account_of(const std::string& file) {
  const Result<History> history = read_binary_text(file);
  if (!history) return history.error().message;
  std::string text = std::to_string(history->txn_count()) + " transactions";
  if (history->origin().truncated) text += ", truncated";
  for (const std::string& note : history->origin().notes) text += "; " + note;
  return text;
}

TEST(NativeGroups, MayBeTorn) {
  for (const bool ends : {false, true}) {
    const std::vector<std::string> texts = groups(3, ends);
    const std::string whole = texts[0] + texts[1];
    const std::string file = whole + texts[2];
    EXPECT_EQ(account_of(file), "3 transactions");
    EXPECT_EQ(account_of(whole),
              ends
                  ? "2 transactions, truncated; no group says that it is the last, as the file "
                    "promises; the recorder seems to have stopped early"
                  : "2 transactions");
    const std::string torn =
        "2 transactions, truncated; the group at byte " + std::to_string(whole.size()) +
        " is cut off and left out; the recorder seems to have stopped while "
        "writing it";
    for (std::size_t size = whole.size() + 1; size < file.size(); ++size) {
      ASSERT_EQ(account_of(file.substr(0, size)), torn) << size;
    }
    for (const std::size_t zeros : {std::size_t{1}, std::size_t{39}, std::size_t{5000}}) {
      EXPECT_EQ(account_of(whole + std::string(zeros, '\0')), torn);
    }
    // The first group is all that there is.
    EXPECT_NE(account_of(texts[0].substr(0, texts[0].size() - 1)).find("it was cut"),
              std::string::npos);
  }
}

TEST(NativeGroups, SayWhatIsWrong) {
  const std::vector<std::string> texts = groups(3, false);
  const auto at = [&](std::size_t byte, const std::string& problem) {
    return "h@" + std::to_string(texts[0].size() + byte) + ": " + problem;
  };
  EXPECT_EQ(
      account_of(texts[0] + texts[2]),
      at(28, "here is group 2 and should be group 1; put the parts of the file in order"));
  EXPECT_EQ(account_of(texts[0] + "something else, which is longer than a header"),
            at(0, "what follows a group does not begin with ISOLDEB1"));
  EXPECT_EQ(account_of(texts[1]),
            "h@28: here is group 1 and should be group 0; put the parts of the file in order");
  // Sections say where they are wrong in the file.
  std::string damaged = texts[0] + texts[1];
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  EXPECT_TRUE(account_of(damaged).starts_with("h@")) << account_of(damaged);
  for (std::size_t i = 0; i < texts[1].size(); ++i) {
    std::string flipped = texts[0] + texts[1];
    char& byte = flipped[texts[0].size() + i];
    byte = static_cast<char>(byte ^ 4);
    const std::string account = account_of(flipped);
    if (account.starts_with("h@")) {
      EXPECT_GE(std::stoull(account.substr(2)), texts[0].size()) << i << ": " << account;
    } else {
      // Of a table that is longer than the file nobody knows the checksum, and zeros between
      // columns say nothing.
      const bool is_count = i >= offsetof(Header, section_count) && i < offsetof(Header, group);
      EXPECT_TRUE((is_count && account.find("is cut off") != std::string::npos) ||
                  (byte == 4 && account == "2 transactions"))
          << i << ": " << account;
    }
  }
  const std::vector<std::string> ended = groups(2, true);
  EXPECT_EQ(account_of(ended[0] + ended[1] + texts[2]),
            "h@" + std::to_string(ended[0].size() + ended[1].size()) +
                ": a group follows the one that says it is the last");
}

TEST(NativeGroups, LeaveTheWholeToTheFirst) {
  HistoryBuilder builder;
  builder.origin().database = "db";
  builder.begin_txn(builder.session("a"));
  builder.write(builder.key(builder.string("x")), builder.integer(1));
  const History history = std::move(builder.finish()).value();
  const std::string first = group_text(history, {});
  std::string forged = first;
  Header header;
  std::memcpy(&header, forged.data(), sizeof header);
  header.group = 1;
  std::memcpy(forged.data(), &header, sizeof header);
  seal(forged);
  EXPECT_NE(account_of(first + forged).find("only the first group of a file may tell this"),
            std::string::npos);
}

}  // namespace
}  // namespace isolde::io
