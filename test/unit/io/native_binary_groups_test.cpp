// Goal: a whole history that is written in groups is the same, read as a whole and group by
// group, and its groups tell since when later ones are open.
// Method: histories of all that the model allows, in groups of a few transactions.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "history/copier.hpp"
#include "io/native_binary.hpp"
#include "io_inputs.hpp"
#include "odd_history.hpp"

namespace isolde::io {
namespace {

std::string text_of(const History& history, const GroupLimits& limits) {
  StringSink sink;
  const Status status = write_native_binary_groups(history, sink, limits);
  EXPECT_TRUE(status.ok()) << status.error().message;
  return sink.text();
}

struct ReadGroups {
  std::vector<History> groups;
  std::vector<std::int64_t> open_since;
};

ReadGroups read_groups(const std::string& text) {
  ReadGroups read;
  GroupsBefore before;
  base::Budget budget;
  while (before.bytes < text.size()) {
    binary::Header header;
    std::memcpy(&header, text.data() + before.bytes, sizeof header);
    const Inputs input =
        inputs_of(std::string_view(text).substr(before.bytes, header.group_bytes));
    before.open_since = kNoTime;
    Result<History> group = read_native_binary_group(input.files.front(), before, budget);
    EXPECT_TRUE(group.ok()) << message_of(group);
    if (!group.ok()) return read;
    read.groups.push_back(std::move(group).value());
    read.open_since.push_back(before.open_since);
  }
  EXPECT_TRUE(before.end_is_told && before.at_end);
  return read;
}

/// All that the groups tell, one behind the other.
History joined(const std::vector<History>& groups) {
  HistoryBuilder into;
  into.origin() = groups.front().origin();
  for (const History& group : groups) {
    history::Copier copier(group, into);
    for (std::size_t s = 0; s < group.session_count(); ++s) {
      into.session(group.session_name(SessionId::at(s)));
    }
    for (std::size_t k = 0; k < group.key_count(); ++k) {
      const KeyId key = KeyId::at(k);
      if (group.has_initial(key)) copier.initial(key, copier.key(key));
    }
    for (std::size_t t = 0; t < group.txn_count(); ++t) {
      copier.begin_txn(TxnId::at(t));
      for (const Op& op : group.ops(TxnId::at(t))) copier.op(op, copier.key(op.key));
    }
    for (const RecordedEvent& event : group.events()) copier.event(event);
  }
  Result<History> whole = into.finish();
  EXPECT_TRUE(whole.ok()) << message_of(whole);
  return std::move(whole).value();
}

/// The earliest start behind each group, where all are known.
std::vector<std::int64_t> earliest_behind(const std::vector<History>& groups) {
  std::vector<std::int64_t> all(groups.size(), kNoTime);
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = groups.size(); i-- > 1;) {
    for (std::size_t t = 0; t < groups[i].txn_count(); ++t) {
      earliest = std::min(earliest, groups[i].times(TxnId::at(t)).start);
    }
    all[i - 1] = earliest;
  }
  return all;
}

TEST(NativeBinaryGroups, AreTheHistoryInBothReaders) {
  std::size_t in_groups = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const History history = OddHistory(seed, seed % 4 == 0).make();
    const std::string text = text_of(history, {.txns = 1 + seed % 5, .ops = 1 + seed % 17});
    const Result<History> whole = read_binary_text(text);
    ASSERT_TRUE(whole.ok()) << message_of(whole);
    expect_same(history, *whole);
    const ReadGroups read = read_groups(text);
    ASSERT_FALSE(read.groups.empty());
    if (read.groups.size() == 1) continue;
    ++in_groups;
    expect_same(history, joined(read.groups));
    EXPECT_EQ(read.open_since, earliest_behind(read.groups));
  }
  EXPECT_GT(in_groups, 50U);
}

/// Each of `ops` writes, at times that follow each other.
History writers(std::size_t txns, std::size_t ops) {
  HistoryBuilder builder;
  for (std::size_t t = 0; t < txns; ++t) {
    const auto start = static_cast<std::int64_t>(10 * t);
    builder.begin_txn(builder.session("s"));
    builder.set_times({start, start + 15});
    for (std::size_t i = 0; i < ops; ++i) {
      builder.write(builder.key(builder.integer(static_cast<std::int64_t>(i))),
                    builder.integer(start));
    }
  }
  return std::move(builder.finish()).value();
}

std::vector<std::size_t> sizes(const std::string& text) {
  std::vector<std::size_t> all;
  for (const History& group : read_groups(text).groups) all.push_back(group.txn_count());
  return all;
}

TEST(NativeBinaryGroups, EndWhereTheyAreFull) {
  using Sizes = std::vector<std::size_t>;
  EXPECT_EQ(sizes(text_of(writers(7, 1), {.txns = 3, .ops = 100})), (Sizes{3, 3, 1}));
  EXPECT_EQ(sizes(text_of(writers(6, 1), {.txns = 3, .ops = 100})), (Sizes{3, 3}));
  EXPECT_EQ(sizes(text_of(writers(5, 4), {.txns = 100, .ops = 8})), (Sizes{2, 2, 1}));
  EXPECT_EQ(sizes(text_of(writers(2, 9), {.txns = 100, .ops = 8})), (Sizes{1, 1}));
  EXPECT_EQ(sizes(text_of(writers(0, 0), {.txns = 1, .ops = 1})), Sizes{0});
}

TEST(NativeBinaryGroups, AreOneWhereRowsHaveColumns) {
  HistoryBuilder builder;
  const KeyId x = builder.key(builder.string("x"));
  const auto row = [&](std::vector<const char*> names) {
    std::vector<ColumnValue> columns;
    for (const char* const name : names) {
      columns.push_back({builder.string(name), builder.integer(1)});
    }
    return builder.row(columns);
  };
  builder.begin_txn(builder.session("s"));
  builder.set_times({0, 5});
  builder.write(x, row({"a"}));
  builder.read(x, row({"a"}));
  builder.begin_txn(builder.session("s"));
  builder.set_times({10, 15});
  builder.write(x, row({"a", "b"}));
  const History history = std::move(builder.finish()).value();
  const std::string text = text_of(history, {.txns = 1, .ops = 9});
  EXPECT_EQ(sizes(text), std::vector<std::size_t>{2});
}

TEST(NativeBinaryGroups, TellInitialContentsInTheFirst) {
  HistoryBuilder builder;
  const KeyId x = builder.key(builder.string("x"));
  const KeyId unused = builder.key(builder.string("unused"));
  const KeyId list = builder.key(builder.string("l"));
  const Value elements[] = {builder.integer(1), builder.string("two")};
  builder.set_initial(x, builder.integer(7));
  builder.set_initial(unused, builder.integer(8));
  builder.set_initial_list(list, elements);
  for (std::int64_t start = 0; start < 40; start += 10) {
    builder.begin_txn(builder.session("s"));
    builder.set_times({start, start + 5});
    builder.read(x, builder.integer(7));
    builder.read_list(list, elements);
  }
  const History history = std::move(builder.finish()).value();
  const ReadGroups read = read_groups(text_of(history, {.txns = 2, .ops = 9}));
  ASSERT_EQ(read.groups.size(), 2U);
  EXPECT_TRUE(read.groups[0].has_initial_contents());
  EXPECT_FALSE(read.groups[1].has_initial_contents());
  EXPECT_EQ(read.groups[1].op_text(read.groups[1].ops(TxnId(0))[0]),
            history.op_text(history.ops(TxnId(0))[0]));
  expect_same(history, joined(read.groups));
}

TEST(NativeBinaryGroups, TellAnEventWithWhatEndedByThen) {
  HistoryBuilder builder;
  for (std::int64_t start = 0; start < 30; start += 10) {
    builder.begin_txn(builder.session("s"));
    builder.set_times({start, start + 5});
    builder.write(builder.key(builder.string("x")), builder.integer(start));
    if (start > 0) continue;
    const Value kill = builder.string("kill");
    for (const std::int64_t at : {3, 99, 12}) {
      builder.add_event({kill, {}, {}, at, RecordedEvent::Part::kMoment});
    }
  }
  const History history = std::move(builder.finish()).value();
  std::vector<std::size_t> events;
  for (const History& group : read_groups(text_of(history, {.txns = 1, .ops = 9})).groups) {
    events.push_back(group.events().size());
  }
  EXPECT_EQ(events, (std::vector<std::size_t>{1, 0, 2}));
}

}  // namespace
}  // namespace isolde::io
