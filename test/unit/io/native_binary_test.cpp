// The native binary reader against damaged and forged files. Round trips are in
// native_round_trip_test.cpp.
#include "io/native_binary.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "io_inputs.hpp"
#include "isolde/history_builder.hpp"
#include "sealed.hpp"

namespace isolde::io {
namespace {

using binary::Column;
using binary::Encoding;
using binary::Header;
using binary::Section;

/// A small history with rows, conditions on them, versions, initial contents and an aggregate,
/// as an uncompressed file of version 2.
std::string sample_with_rows() {
  HistoryBuilder builder;
  builder.origin().notation.tables = {"item"};
  builder.begin_txn(builder.session("a"));
  const ColumnValue columns[] = {{builder.string("c"), builder.integer(1)}};
  builder.write(builder.key(builder.string("x")), builder.row(columns));
  builder.set_version(builder.integer(17));
  Predicate predicate;
  predicate.keys = Predicate::Bounds{0, 9};
  predicate.tests.push_back({builder.string("c"), true, {}, {}, {}});
  builder.select(predicate, {});
  builder.set_lock(LockMode::kShare);
  builder.set_initial(builder.key(builder.string("held")), Value::integer(3));
  const Value element = Value::integer(4);
  builder.set_initial_list(builder.key(builder.string("list")), std::span(&element, 1));
  builder.aggregate(predicate, {AggregateKind::kSum, builder.string("c"), std::nullopt});
  builder.increment(builder.key(builder.string("n")), 2);
  builder.origin().clock_host = "host";
  builder.origin().clock_monotonic_ns = 11;
  builder.origin().clock_error_ns = 12;
  StringSink sink;
  EXPECT_TRUE(
      write_native_binary(std::move(builder.finish()).value(), sink, false, {.open_since = 9})
          .ok());
  return sink.text();
}

/// A small history with every column of version 1, as an uncompressed file.
std::string sample() {
  HistoryBuilder builder;
  builder.origin().notes = {"note"};
  builder.origin().database = "db";
  builder.origin().promise = Level::kSnapshotIsolation;
  builder.origin().notation.tables = {"item"};
  builder.begin_txn(builder.session("a"));
  builder.set_times({10, 20});
  builder.set_database_times({3, 4});
  builder.set_stated_level(Level::kSnapshotIsolation);
  builder.set_label(builder.string("T0"));
  builder.set_server(builder.string("T0"));
  builder.origin().clock_origin = 7;
  builder.write(builder.key(builder.string("x")), builder.integer(1));
  builder.read(builder.key(builder.string("x")), builder.literal("1.5"));
  builder.begin_txn(builder.session("b"));
  builder.append(builder.key(builder.integer(7)), builder.integer(3));
  const Value elements[] = {builder.integer(3), builder.string("T0")};
  builder.read_list(builder.key(builder.integer(7)), elements);
  Predicate predicate;
  predicate.keys = Predicate::Bounds{100, 200};
  builder.select(predicate, {});
  builder.read_except(builder.key(builder.string("x")), builder.string("T0"));
  builder.add_event({builder.string("T0"), {}, {}, 5, RecordedEvent::Part::kMoment});
  builder.add_event({builder.string("T0"), builder.string("T0"), builder.string("T0"), 6,
                     RecordedEvent::Part::kBegins});
  StringSink sink;
  const Status status = write_native_binary(std::move(builder.finish()).value(), sink, false);
  EXPECT_TRUE(status.ok());
  return sink.text();
}

constexpr std::uint32_t kColumnsOfSample = static_cast<std::uint32_t>(Column::kTestEnds) - 1;

template <typename T>
std::string with_element(Column column, std::size_t row, T value) {
  return with_element_in(sample(), column, row, value);
}

/// Changes the table entry of a column and seals the file.
void change_section(std::string& file, Column column,
                    const std::function<void(Section&)>& change) {
  for (std::size_t at = sizeof(Header);; at += sizeof(Section)) {
    Section section;
    std::memcpy(&section, file.data() + at, sizeof section);
    if (section.column != static_cast<std::uint32_t>(column)) continue;
    change(section);
    std::memcpy(file.data() + at, &section, sizeof section);
    return seal(file);
  }
}

std::string with_section(Column column, const std::function<void(Section&)>& change) {
  std::string file = sample();
  change_section(file, column, change);
  return file;
}

std::string with_header(const std::function<void(Header&)>& change) {
  std::string file = sample();
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  change(header);
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

void expect_problem(const std::string& file, std::uint64_t offset, std::string_view problem) {
  const std::string expected = "h@" + std::to_string(offset) + ": " + std::string(problem);
  const std::string message = message_of(read_binary_text(file));
  EXPECT_EQ(message.substr(0, expected.size()), expected);
}

std::uint64_t at(Column column, std::size_t byte = 0) {
  return section_of(sample(), column).offset + byte;
}

TEST(NativeBinary, ReadsItsSample) {
  const Result<History> history = read_binary_text(sample());
  ASSERT_TRUE(history.ok()) << message_of(history);
  EXPECT_EQ(history->op_count(), 5U);
  EXPECT_EQ(history->selections(TxnId(1)).size(), 1U);
}

TEST(NativeBinary, ColumnsLieAtMultiplesOfEight) {
  const std::string plain = sample();
  const std::string rows = sample_with_rows();
  for (std::uint32_t column = 1; column <= binary::kColumnCount; ++column) {
    const bool is_of_rows = column > kColumnsOfSample;
    const Section section = section_of(is_of_rows ? rows : plain, static_cast<Column>(column));
    EXPECT_EQ(section.offset % 8, 0U);
    EXPECT_EQ(section.encoding, Encoding::kRaw);
  }
}

TEST(NativeBinary, TellsOfItsClock) {
  const Result<History> history = read_binary_text(sample_with_rows());
  ASSERT_TRUE(history.ok()) << message_of(history);
  EXPECT_EQ(history->origin().clock_host, "host");
  EXPECT_EQ(history->origin().clock_monotonic_ns, 11);
  EXPECT_EQ(history->origin().clock_error_ns, 12);
  const auto with_error = [](std::int64_t error) {
    const Result<History> read =
        read_binary_text(with_element_in(sample_with_rows(), Column::kClockError, 0, error));
    return read ? read->origin().clock_error_ns : -7;
  };
  EXPECT_EQ(with_error(0), 0);
  EXPECT_EQ(with_error(-1), kNoTime);
  EXPECT_EQ(with_error(std::int64_t{86'400} * 1'000'000'000),
            std::int64_t{86'400} * 1'000'000'000);
  EXPECT_EQ(with_error(std::int64_t{86'400} * 1'000'000'000 + 1), kNoTime);
}

TEST(NativeBinary, ABoundIsKnownWhereEachGroupTellsIt) {
  const auto group = [](std::uint32_t number, std::int64_t error) {
    StringSink sink;
    HistoryBuilder builder;
    builder.begin_txn(builder.session("a"));
    builder.origin().clock_error_ns = error;
    EXPECT_TRUE(write_native_binary(std::move(builder.finish()).value(), sink, false,
                                    {.number = number})
                    .ok());
    return sink.text();
  };
  const auto error_of = [&](std::int64_t first, std::int64_t second) {
    const Result<History> read = read_binary_text(group(0, first) + group(1, second));
    EXPECT_TRUE(read.ok()) << message_of(read);
    return read->origin().clock_error_ns;
  };
  EXPECT_EQ(error_of(5, 7), 7);
  EXPECT_EQ(error_of(7, 5), 7);
  EXPECT_EQ(error_of(kNoTime, 5), kNoTime);
  EXPECT_EQ(error_of(5, kNoTime), kNoTime);
}

TEST(NativeBinary, RejectsEveryCut) {
  const std::string file = sample();
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::string message = message_of(read_binary_text(file.substr(0, size)));
    EXPECT_EQ(message.substr(0, 2), "h@") << size;
  }
}

// One flipped bit anywhere is noticed, but for the padding between columns.
TEST(NativeBinary, RejectsEveryFlippedByte) {
  const std::string file = sample();
  std::vector<bool> padding(file.size(), true);
  for (std::size_t i = 0; i < sizeof(Header) + kColumnsOfSample * sizeof(Section); ++i) {
    padding[i] = false;
  }
  for (std::uint32_t column = 1; column <= kColumnsOfSample; ++column) {
    const Section section = section_of(file, static_cast<Column>(column));
    for (std::uint64_t i = 0; i < section.stored_bytes; ++i)
      padding[section.offset + i] = false;
  }
  for (std::size_t i = 0; i < file.size(); ++i) {
    if (padding[i]) continue;
    std::string damaged = file;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    EXPECT_FALSE(read_binary_text(damaged).ok()) << i;
  }
}

TEST(NativeBinary, SaysWhatIsWrongWithTheHeader) {
  expect_problem("ISOLDEB1", 8, "the file ends in a header");
  expect_problem(with_header([](Header& h) { h.magic[7] = '2'; }), 0,
                 "the file does not begin with ISOLDEB1; this is another format");
  expect_problem(
      with_header([](Header& h) { h.version = 9; }), 16,
      "this is version 9 of the native binary format and this Isolde reads versions 1 and "
      "2");
  expect_problem(with_header([](Header& h) { h.section_count = 1'000'000'000; }), 24,
                 "the section table is longer than the group");
  expect_problem(with_header([](Header& h) { h.flags = 1; }), 8,
                 "wrong checksum of the header");
  expect_problem(with_header([](Header& h) { h.group = 1; }), 28,
                 "here is group 1 and should be group 0");
  expect_problem(with_header([](Header& h) { h.group_bytes = 39; }), 24,
                 "the section table is longer than the group");
  expect_problem(with_header([](Header& h) { h.group_bytes += 1; }), 32, "the file has");
}

TEST(NativeBinary, SaysWhatIsWrongWithASection) {
  const Column column = Column::kOpKinds;
  expect_problem(with_section(column, [](Section& s) { s.offset += 4; }),
                 at(Column::kTxnOpCounts, 8),
                 "section 13 does not lie after the previous one and within the group");
  expect_problem(with_section(column, [](Section& s) { s.stored_bytes = ~std::uint64_t{0}; }),
                 at(Column::kTxnOpCounts, 8), "section 13 does not lie after");
  expect_problem(with_section(column, [](Section& s) { s.encoding = Encoding{7}; }), at(column),
                 "section 13 has an encoding that is neither raw nor zstd");
  expect_problem(with_section(column, [](Section& s) { s.raw_bytes = 1000; }), at(column),
                 "section 13 has an impossible size");
  expect_problem(with_section(column,
                              [](Section& s) {
                                s.encoding = Encoding::kZstd;
                                s.raw_bytes = std::uint64_t{1} << 60;
                              }),
                 at(column), "section 13 has an impossible size");
  expect_problem(with_section(column, [](Section& s) { s.encoding = Encoding::kZstd; }),
                 at(column), "broken zstd data: Unknown frame descriptor");
  expect_problem(with_section(column, [](Section& s) { s.column = 8; }), at(column),
                 "section 8 occurs twice");
  expect_problem(
      with_section(Column::kOpKeys, [](Section& s) { s.raw_bytes = s.stored_bytes = 15; }),
      at(Column::kOpKeys), "section 14 does not hold whole elements");
  expect_problem(
      with_section(Column::kOpKeys, [](Section& s) { s.raw_bytes = s.stored_bytes = 12; }),
      at(Column::kOpKeys), "the operation columns differ in length");
  expect_problem(
      with_section(Column::kTxnStatuses, [](Section& s) { s.raw_bytes = s.stored_bytes = 1; }),
      at(Column::kTxnStatuses), "the transaction columns differ in length");
  expect_problem(with_section(Column::kTxnEnds, [](Section& s) { s.column = 99; }), 0,
                 "only one of the two columns of times is present");
}

// A frame that unpacks to more or less than its table entry says.
TEST(NativeBinary, RejectsWrongSizesOfPackedSections) {
  HistoryBuilder builder;
  std::vector<Value> elements;
  for (int i = 0; i < 500; ++i) elements.push_back(builder.integer(i % 7));
  builder.begin_txn(builder.session("a"));
  builder.read_list(builder.key(builder.integer(1)), elements);
  StringSink sink;
  ASSERT_TRUE(write_native_binary(std::move(builder.finish()).value(), sink).ok());
  ASSERT_EQ(section_of(sink.text(), Column::kListValues).encoding, Encoding::kZstd);
  for (const std::uint64_t size : {std::uint64_t{4000 - 8}, std::uint64_t{4000 + 8}}) {
    std::string file = sink.text();
    change_section(file, Column::kListValues, [&](Section& s) { s.raw_bytes = size; });
    expect_problem(file, section_of(file, Column::kListValues).offset,
                   "the section does not unpack to as many bytes as the table says");
  }
}

TEST(NativeBinary, SkipsSectionsOfLaterRevisions) {
  const auto history = read_binary_text(with_section(Column::kNoteChars, [](Section& s) {
    s.column = 77;
    s.encoding = Encoding{5};
  }));
  // The notes then lack their characters; everything else about the section is ignored.
  EXPECT_EQ(
      message_of(history).find("a text ends outside of its characters") != std::string::npos,
      true);
}

TEST(NativeBinary, SaysWhatIsWrongWithAnElement) {
  expect_problem(with_element<std::uint32_t>(Column::kTxnSessions, 1, 2),
                 at(Column::kTxnSessions, 4), "no such session");
  expect_problem(with_element<std::uint8_t>(Column::kTxnStatuses, 1, 3),
                 at(Column::kTxnStatuses, 1), "unknown status 3");
  expect_problem(with_element<std::uint64_t>(Column::kTxnEnds, 0, ~std::uint64_t{0}),
                 at(Column::kOpKinds, 1), "the transaction ends before it starts");
  expect_problem(with_element<std::uint32_t>(Column::kTxnOpCounts, 1, 5),
                 at(Column::kOpKinds, 5), "the column ends too early");
  expect_problem(with_element<std::uint32_t>(Column::kTxnOpCounts, 1, 1),
                 at(Column::kOpKinds, 2), "section 13 has unused data at its end");
  expect_problem(with_element<std::uint8_t>(Column::kOpKinds, 1, 7), at(Column::kOpKinds, 1),
                 "unknown kind of operation 7");
  expect_problem(with_element<std::uint32_t>(Column::kOpKeys, 0, 2), at(Column::kOpKeys),
                 "a key is not in the table");
  expect_problem(with_element<std::uint64_t>(Column::kOpValues, 0, 2 | (9U << 2)),
                 at(Column::kOpValues), "a value refers to a text that does not exist");
  expect_problem(with_element<std::uint64_t>(Column::kOpValues, 0, 0), at(Column::kOpKinds, 1),
                 "null is the initial value and cannot be written");
  expect_problem(with_element<std::uint32_t>(Column::kListCounts, 0, 3),
                 at(Column::kListValues, 8), "the column ends too early");
  expect_problem(with_element<std::uint64_t>(Column::kListValues, 0, 0),
                 at(Column::kListValues), "null cannot be an element of a list");
  expect_problem(with_element<std::uint64_t>(Column::kKeys, 0, 0), at(Column::kKeys),
                 "null cannot be a key");
  expect_problem(with_element<std::uint8_t>(Column::kStringKinds, 0, 1),
                 at(Column::kStringKinds), "a text is neither a string, a literal nor a row");
  expect_problem(with_element<std::uint8_t>(Column::kStringKinds, 0, 3),
                 at(Column::kStringKinds), "a text is neither a string, a literal nor a row");
  expect_problem(with_element<char>(Column::kStringChars, 0, '\xff'), at(Column::kStringChars),
                 "a text is not valid UTF-8");
  expect_problem(with_element<std::uint64_t>(Column::kStringEnds, 0, 1000),
                 at(Column::kStringEnds), "a text ends outside of its characters");
  expect_problem(with_element<char>(Column::kSessionChars, 1, 'a'), at(Column::kSessionEnds, 8),
                 "two sessions have the same name");
}

TEST(NativeBinary, SaysWhatIsWrongWithASelection) {
  expect_problem(with_element<std::uint32_t>(Column::kOpKeys, 4, 2), at(Column::kOpKeys, 16),
                 "the rows of a selection are missing");
  expect_problem(with_element<std::uint32_t>(Column::kOpKeys, 4, 1), at(Column::kOpKinds, 5),
                 "a row of a selection is not a read of a value");
  expect_problem(with_element<std::uint64_t>(Column::kOpValues, 4, Value::integer(2).bits()),
                 at(Column::kOpValues, 32), "a selection has no condition");
  expect_problem(with_element<std::uint64_t>(Column::kPredicateBounds, 0, 8),
                 at(Column::kPredicateBounds, 32), "unknown flags of a condition");
  expect_problem(with_element<std::uint64_t>(Column::kPredicateBounds, 0, 4), 0,
                 "the column ends too early; the file is inconsistent");
  expect_problem(
      with_element<std::int64_t>(Column::kPredicateBounds, 2, Value::kIntegerMax + 1),
      at(Column::kPredicateBounds, 32), "a bound is not a 62-bit integer");
  expect_problem(with_element<std::uint64_t>(Column::kOpValues, 5, 0),
                 at(Column::kOpValues, 40), "null is not a value to exclude");
}

TEST(NativeBinary, SaysWhatIsWrongWithAServerOrTheClock) {
  expect_problem(with_element<std::uint64_t>(Column::kTxnServers, 1, Value::integer(5).bits()),
                 at(Column::kTxnServers, 8), "a server is not a string");
  expect_problem(with_section(Column::kClockOrigin,
                              [](Section& s) {
                                s.raw_bytes = 0;
                                s.stored_bytes = 0;
                              }),
                 at(Column::kClockOrigin), "what is told of the clock is not one number");
  expect_problem(with_section(Column::kTxnServers,
                              [](Section& s) {
                                s.raw_bytes -= 8;
                                s.stored_bytes -= 8;
                              }),
                 at(Column::kTxnServers), "the transaction columns differ in length");
}

// Goal: a promise of a level that a later version may know is no error, and no promise here.
TEST(NativeBinary, NotesAPromiseThatIsNoLevel) {
  const Result<History> known = read_binary_text(sample());
  ASSERT_TRUE(known.ok()) << message_of(known);
  EXPECT_EQ(known->origin().promise, Level::kSnapshotIsolation);
  const Result<History> other =
      read_binary_text(with_element<char>(Column::kPromiseChars, 0, 'X'));
  ASSERT_TRUE(other.ok()) << message_of(other);
  EXPECT_EQ(other->origin().promise, std::nullopt);
  EXPECT_EQ(other->origin().notes.back(),
            "the promise in the header, Xnapshot-isolation, is not the name of a level and is "
            "not used");
}

TEST(NativeBinary, NotesTablesThatAreNoNames) {
  const Result<History> known = read_binary_text(sample());
  ASSERT_TRUE(known.ok()) << message_of(known);
  EXPECT_EQ(known->origin().notation.tables, std::vector<std::string>{"item"});
  const Result<History> other =
      read_binary_text(with_element<char>(Column::kNotationChars, 0, '/'));
  ASSERT_TRUE(other.ok()) << message_of(other);
  EXPECT_EQ(other->origin().notation, Notation());
  EXPECT_EQ(other->origin().notes.back(),
            "the tables in the header, /tem, are no names and are not used");
}

TEST(NativeBinary, SaysWhatIsWrongWithAnEvent) {
  expect_problem(with_element<std::uint8_t>(Column::kEventParts, 1, 3),
                 at(Column::kEventParts, 1), "unknown part of an event 3");
  expect_problem(with_element<std::uint64_t>(Column::kEventKinds, 0, 0),
                 at(Column::kEventKinds), "a kind is not a string");
  expect_problem(with_element<std::uint64_t>(Column::kEventTexts, 1, Value::integer(5).bits()),
                 at(Column::kEventTexts, 8), "the text of an event is not a string");
  for (const std::size_t row : {0U, 1U}) {
    const auto other = static_cast<std::uint8_t>(1 - row);
    expect_problem(with_element<std::uint8_t>(Column::kEventParts, row, other),
                   at(Column::kEventNames, 8 * row),
                   "an event that begins or ends has no name, or another one has");
  }
  expect_problem(with_section(Column::kEventTimes,
                              [](Section& s) {
                                s.raw_bytes -= 8;
                                s.stored_bytes -= 8;
                              }),
                 at(Column::kEventTimes), "the columns of events differ in length");
}

TEST(NativeBinary, StopsAtTheBudget) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("a"));
  const KeyId key = builder.key(builder.integer(1));
  for (int i = 0; i < 2'000'000; ++i) builder.write(key, builder.integer(i));
  StringSink sink;
  ASSERT_TRUE(write_native_binary(std::move(builder.finish()).value(), sink).ok());
  base::Budget budget;
  budget.cancel();
  const Result<History> history = read_native_binary(inputs_of(sink.text()), budget);
  ASSERT_FALSE(history.ok());
  EXPECT_EQ(history.error().message, "h: interrupted while reading the input");
}

}  // namespace
}  // namespace isolde::io
