// Writes the native binary format (docs/formats/native-binary.md) column by column. Strings are
// numbered anew by first use, so that what nobody refers to is not written.
#include <simdjson.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "history/initial.hpp"
#include "history/key_columns.hpp"
#include "history/notation.hpp"
#include "io/native.hpp"
#include "io/native_binary.hpp"
#include "io/native_rows.hpp"
#include "io/scalar_text.hpp"

namespace isolde::io {
namespace {

using binary::Column;
using binary::Encoding;
using binary::Header;
using binary::Section;

template <typename T>
void append_raw(std::string& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  bytes.append(raw, sizeof(T));
}

class BinaryWriter {
 public:
  BinaryWriter(const History& history, Sink& sink, bool compressed, const BinaryGroup& group)
      : history_(history),
        sink_(sink),
        compressed_(compressed),
        group_(group),
        key_columns_(history, history.all_ops()) {}

  Status write();

 private:
  struct Stored {
    Section section;
    std::string bytes;
  };

  /// Adds a column of `count` elements of type T, each made by make(index).
  template <typename T, typename Make>
  void add(Column column, std::size_t count, Make make) {
    std::string raw;
    raw.reserve(count * sizeof(T));
    for (std::size_t i = 0; i < count; ++i) append_raw(raw, static_cast<T>(make(i)));
    store(column, std::move(raw));
  }
  void store(Column column, std::string raw);
  void add_txns();
  template <typename Of>
  void add_times(Column first, Column second, const Of& of);
  std::uint64_t value_of(const Op& op);
  void add_ops();
  void add_predicates();
  void add_tests();
  void add_lists();
  void add_initial();
  void add_events();
  void add_clock();
  void add_texts(Column ends, Column chars, const std::vector<std::string_view>& texts);
  void add_levels();
  Status add_strings();
  std::uint64_t renumbered(Value value);
  std::uint64_t renumbered_result(const Op& op);
  Status write_out();
  /// What holds for the whole file is written with it.
  bool is_first() const { return group_.number == 0; }

  const History& history_;
  Sink& sink_;
  bool compressed_;
  const BinaryGroup& group_;
  std::vector<Stored> stored_;
  /// A string or a literal.
  struct Text {
    Value::Kind kind = Value::Kind::kString;
    std::string_view text;
  };
  std::vector<Text> strings_;             // by new slot
  std::vector<std::uint32_t> new_slots_;  // by old slot
  const history::KeyColumns key_columns_;
  std::map<std::string, std::uint32_t, std::less<>> rows_;  // not in the history: new slots
};

std::uint64_t BinaryWriter::renumbered(Value value) {
  value = history_.plain(value);
  if (value.is_null() || value.kind() == Value::Kind::kInteger) return value.bits();
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  const std::size_t slot = value.slot();
  if (slot >= new_slots_.size()) new_slots_.resize(std::max(slot + 1, slot * 2), kNone);
  if (new_slots_[slot] == kNone) {
    new_slots_[slot] = static_cast<std::uint32_t>(strings_.size());
    strings_.push_back({value.kind(), history_.pooled_text(value)});
  }
  return Value::pooled(value.kind(), new_slots_[slot]).bits();
}

/// What a read returned; of a row that it told as a whole all columns that the key ever had, so
/// that it is read as a whole again.
std::uint64_t BinaryWriter::renumbered_result(const Op& op) {
  const bool is_match = op.kind == OpKind::kReadMatch;
  const Value whole = is_match ? history_.read_value(op) : history_.seen(op);
  if (is_match && whole.is_null()) return renumbered(History::read_row(op));
  if (!history_.is_row(whole)) return renumbered(whole);
  const std::vector<ColumnValue> columns = key_columns_.with_nulls(op.key, whole);
  if (columns.size() == history_.columns(whole).size()) return renumbered(whole);
  std::string text;
  append_row(text, history_, columns);
  const auto fresh = static_cast<std::uint32_t>(strings_.size());
  const auto [entry, is_new] = rows_.try_emplace(std::move(text), fresh);
  if (is_new) strings_.push_back({Value::Kind::kLiteral, entry->first});
  return Value::pooled(Value::Kind::kLiteral, entry->second).bits();
}

/// Keeps the column packed when that saves a tenth and the ratio stays within the format's
/// bound.
void BinaryWriter::store(Column column, std::string raw) {
  Stored stored;
  stored.section.column = static_cast<std::uint32_t>(column);
  stored.section.raw_bytes = raw.size();
  if (compressed_ && !raw.empty()) {
    constexpr int kFast = 1;
    std::string packed(ZSTD_compressBound(raw.size()), '\0');
    const std::size_t size =
        ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(), kFast);
    if (ZSTD_isError(size) == 0U && size < raw.size() - raw.size() / 10 &&
        raw.size() / binary::kRatioMax < size) {
      packed.resize(size);
      packed.shrink_to_fit();
      raw = std::move(packed);
      stored.section.encoding = Encoding::kZstd;
    }
  }
  stored.section.stored_bytes = raw.size();
  stored.section.hash = XXH3_64bits(raw.data(), raw.size());
  stored.bytes = std::move(raw);
  stored_.push_back(std::move(stored));
}

void BinaryWriter::add_texts(Column ends, Column chars,
                             const std::vector<std::string_view>& texts) {
  std::uint64_t end = 0;
  add<std::uint64_t>(ends, texts.size(), [&](std::size_t i) { return end += texts[i].size(); });
  std::string all;
  for (const std::string_view text : texts) all += text;
  store(chars, std::move(all));
}

/// Two columns of times, `of(txn)` being a pair. Differences wrap around, so that any pair of
/// 64-bit times survives, kNoTime too.
template <typename Of>
void BinaryWriter::add_times(Column first, Column second, const Of& of) {
  std::uint64_t before = 0;
  add<std::uint64_t>(first, history_.txn_count(), [&](std::size_t txn) {
    const auto start = static_cast<std::uint64_t>(of(TxnId::at(txn)).first);
    return start - std::exchange(before, start);
  });
  add<std::uint64_t>(second, history_.txn_count(), [&](std::size_t txn) {
    const auto [start, end] = of(TxnId::at(txn));
    return static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start);
  });
}

/// By name, because the numbers of levels may change.
void BinaryWriter::add_levels() {
  std::vector<std::string_view> names;
  std::array<std::uint8_t, 256> number{};  // by level, from 1
  add<std::uint8_t>(Column::kTxnLevels, history_.txn_count(), [&](std::size_t txn) {
    const std::optional<Level> level = history_.stated_level(TxnId::at(txn));
    if (!level) return std::uint8_t{0};
    std::uint8_t& known = number[static_cast<std::uint8_t>(*level)];
    if (known == 0) {
      names.push_back(info(*level).name);
      known = static_cast<std::uint8_t>(names.size());
    }
    return known;
  });
  add_texts(Column::kLevelEnds, Column::kLevelChars, names);
}

void BinaryWriter::add_txns() {
  const std::size_t count = history_.txn_count();
  bool labelled = false;
  for (std::size_t txn = 0; txn < count && !labelled; ++txn) {
    labelled = !history_.label(TxnId::at(txn)).is_null();
  }
  add<std::uint32_t>(Column::kTxnSessions, count,
                     [&](std::size_t i) { return history_.session_of(TxnId::at(i)).raw(); });
  add<std::uint8_t>(Column::kTxnStatuses, count,
                    [&](std::size_t i) { return history_.status(TxnId::at(i)); });
  if (history_.has_times()) {
    add_times(Column::kTxnStarts, Column::kTxnEnds, [&](TxnId txn) {
      const TxnTimes times = history_.times(txn);
      return std::pair(times.start, times.end);
    });
  }
  if (history_.has_database_times()) {
    add_times(Column::kTxnDatabaseStarts, Column::kTxnDatabaseCommits, [&](TxnId txn) {
      const DatabaseTimes times = history_.database_times(txn);
      return std::pair(times.start, times.commit);
    });
  }
  if (history_.has_stated_levels()) add_levels();
  if (labelled) {
    add<std::uint64_t>(Column::kTxnLabels, count,
                       [&](std::size_t i) { return renumbered(history_.label(TxnId::at(i))); });
  }
  if (history_.has_servers()) {
    add<std::uint64_t>(Column::kTxnServers, count, [&](std::size_t i) {
      return renumbered(history_.server(TxnId::at(i)));
    });
  }
  std::span<const Increment> increments = history_.increments();
  add<std::uint32_t>(Column::kTxnOpCounts, count, [&](std::size_t i) {
    std::size_t ops = history_.ops(TxnId::at(i)).size();
    for (const Selection& selection : history_.selections(TxnId::at(i))) {
      ops += 1 - std::size_t{selection.absents};
    }
    const std::size_t end = history_.first_op(TxnId::at(i)) + history_.ops(TxnId::at(i)).size();
    for (; !increments.empty() && increments.front().op < end; --ops) {
      increments = increments.subspan(1);
    }
    return ops;
  });
}

/// What it read, wrote, appended or did not read.
std::uint64_t BinaryWriter::value_of(const Op& op) {
  switch (op.kind) {
    case OpKind::kReadList:
    case OpKind::kReadUnknown:
      return 0;
    case OpKind::kRead:
    case OpKind::kReadMatch:
      return renumbered_result(op);
    case OpKind::kReadExcept:
      return renumbered(history_.predicate(op).equal);
    default:
      return renumbered(op.is_delete() ? Value::null() : op.value);
  }
}

namespace {

std::uint8_t kind_of(const History& history, const Op& op) {
  if (history.is_refused_insert(op)) return binary::kRefusedInsert;
  const bool is_read = history.found_nothing(op) || op.kind == OpKind::kReadMatch;
  return static_cast<std::uint8_t>(is_read ? OpKind::kRead : op.kind);
}

}  // namespace

void BinaryWriter::add_ops() {
  std::string kinds;
  std::string keys;
  std::string values;
  std::string versions;
  std::string locks;
  const bool has_locks = history_.has_locks();
  const auto add_op = [&](std::uint8_t kind, std::uint32_t key, std::uint64_t value,
                          Value version = {}, LockMode lock = LockMode::kNone) {
    append_raw(kinds, kind);
    append_raw(keys, key);
    append_raw(values, value);
    if (history_.has_versions()) append_raw(versions, renumbered(version));
    if (has_locks) append_raw(locks, static_cast<std::uint8_t>(lock));
  };
  std::string columns;
  std::string results;
  const auto add_selection = [&](const Selection& selection) {
    const std::uint64_t predicate = Value::integer(selection.predicate).bits();
    const Aggregate* const computed = history_.aggregate(selection);
    const LockMode lock = selection.lock;
    if (!computed) return add_op(binary::kSelection, selection.rows, predicate, {}, lock);
    const auto kind = static_cast<std::uint32_t>(computed->kind);
    add_op(binary::kAggregate, kind | (computed->result ? 0 : binary::kNullResult), predicate);
    append_raw(columns, renumbered(computed->column));
    append_raw(results, computed->result.value_or(0));
  };
  const auto add_selections = [&](std::span<const Selection>& left, std::uint32_t at) {
    for (; !left.empty() && left.front().first == at; left = left.subspan(1)) {
      const Selection& selection = left.front();
      add_selection(selection);
      // One without operations does not stand in the way of the next.
      if (selection.end() > at) {
        left = left.subspan(1);
        return;
      }
    }
  };
  std::string sums;
  std::span<const Increment> increments = history_.increments();
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    const std::span<const Op> ops = history_.ops(TxnId::at(t));
    std::span<const Selection> left = history_.selections(TxnId::at(t));
    for (std::uint32_t at = 0; at < ops.size(); ++at) {
      add_selections(left, at);
      const Op& op = ops[at];
      if (op.kind == OpKind::kReadAbsent) continue;
      if (!increments.empty() && &op == &history_.all_ops()[increments.front().op]) {
        const Increment& increment = increments.front();
        add_op(binary::kIncrement, op.key.raw(), Value::integer(increment.by).bits());
        append_raw(sums, increment.is_known ? ops[at + 1].value.bits() : Value().bits());
        ++at;  // its write
        increments = increments.subspan(1);
        continue;
      }
      add_op(kind_of(history_, op), op.key.raw(), value_of(op), history_.version(op),
             history_.lock(op));
    }
    add_selections(left, static_cast<std::uint32_t>(ops.size()));
  }
  store(Column::kOpKinds, std::move(kinds));
  store(Column::kOpKeys, std::move(keys));
  store(Column::kOpValues, std::move(values));
  if (history_.has_versions()) store(Column::kOpVersions, std::move(versions));
  if (has_locks) store(Column::kOpLocks, std::move(locks));
  if (!sums.empty()) store(Column::kIncrementSums, std::move(sums));
  if (columns.empty()) return;
  store(Column::kAggregateColumns, std::move(columns));
  store(Column::kAggregateResults, std::move(results));
}

void BinaryWriter::add_tests() {
  std::vector<std::string> texts;
  for (const PredicateView& predicate : history_.predicates()) {
    std::string& text = texts.emplace_back();
    if (predicate.tests.empty()) continue;
    text = "{";
    for (const PredicateView::Test& test : predicate.tests) {
      if (!test.column.is_null()) continue;
      text += R"("keys":)";
      append_test(text, history_, test);
    }
    if (predicate.asks_for_columns() && text.size() > 1) text += ',';
    append_column_tests(text, history_, predicate);
    text += '}';
  }
  add_texts(Column::kTestEnds, Column::kTestChars, {texts.begin(), texts.end()});
}

void BinaryWriter::add_predicates() {
  std::string bounds;
  std::string equals;
  bool has_tests = false;
  for (const PredicateView& predicate : history_.predicates()) {
    const Predicate::Bounds none{0, 0};
    const Predicate::Bounds keys = predicate.keys.value_or(none);
    const Predicate::Bounds values = predicate.values.value_or(none);
    has_tests = has_tests || !predicate.tests.empty();
    append_raw(bounds,
               std::uint64_t{(predicate.keys ? 1U : 0U) | (predicate.values ? 2U : 0U)} |
                   (predicate.tests.empty() ? 0 : binary::kPredicateHasTests));
    for (const std::int64_t end : {keys.min, keys.max, values.min, values.max}) {
      append_raw(bounds, end);
    }
    append_raw(equals, renumbered(predicate.equal));
  }
  store(Column::kPredicateBounds, std::move(bounds));
  store(Column::kPredicateEquals, std::move(equals));
  if (has_tests) add_tests();
}

void BinaryWriter::add_lists() {
  std::string counts;
  std::string values;
  for (std::size_t txn = 0; txn < history_.txn_count(); ++txn) {
    for (const Op& op : history_.ops(TxnId::at(txn))) {
      if (op.kind != OpKind::kReadList) continue;
      const std::vector<Value> list = history_.seen_list(op);
      append_raw(counts, static_cast<std::uint32_t>(list.size()));
      for (const Value element : list) append_raw(values, renumbered(element));
    }
  }
  store(Column::kListCounts, std::move(counts));
  store(Column::kListValues, std::move(values));
}

void BinaryWriter::add_initial() {
  const std::vector<KeyId> keys = history::keys_with_contents(history_);
  add<std::uint32_t>(Column::kInitialKeys, keys.size(),
                     [&](std::size_t i) { return keys[i].raw(); });
  add<std::uint64_t>(Column::kInitialValues, keys.size(),
                     [&](std::size_t i) { return renumbered(history_.initial(keys[i])); });
  add<std::uint32_t>(Column::kInitialCounts, keys.size(),
                     [&](std::size_t i) { return history_.initial_list(keys[i]).size(); });
  std::string elements;
  for (const KeyId key : keys) {
    for (const Value element : history_.initial_list(key)) {
      append_raw(elements, renumbered(element));
    }
  }
  store(Column::kInitialElements, std::move(elements));
}

void BinaryWriter::add_events() {
  const std::span<const RecordedEvent> events = history_.events();
  const auto add_values = [&](Column column, Value RecordedEvent::*text) {
    add<std::uint64_t>(column, events.size(),
                       [&](std::size_t i) { return renumbered(events[i].*text); });
  };
  add<std::uint8_t>(Column::kEventParts, events.size(),
                    [&](std::size_t i) { return events[i].part; });
  add<std::int64_t>(Column::kEventTimes, events.size(),
                    [&](std::size_t i) { return events[i].at; });
  add_values(Column::kEventKinds, &RecordedEvent::kind);
  add_values(Column::kEventTexts, &RecordedEvent::what);
  add_values(Column::kEventNames, &RecordedEvent::name);
}

Status BinaryWriter::add_strings() {
  std::vector<std::string_view> texts;
  for (const Text& each : strings_) texts.push_back(each.text);
  std::vector<std::string_view> sessions;
  for (std::size_t session = 0; session < history_.session_count(); ++session) {
    sessions.push_back(history_.session_name(SessionId::at(session)));
  }
  const std::vector<std::string>& origin_notes = history_.origin().notes;
  std::vector<std::string_view> notes(origin_notes.begin(), origin_notes.end());
  std::vector<std::string_view> setting = {history_.origin().database,
                                           history_.origin().isolation};
  const HistoryOrigin& origin = history_.origin();
  std::vector<std::string_view> promise = {origin.product, "", ""};
  if (origin.promise) {
    promise[1] = info(*origin.promise).name;
    if (origin.promised_by_user) promise.emplace_back("user");
  } else {
    promise[2] = origin.no_promise;
  }
  const std::string tables = history::tables_text(origin.notation.tables);
  const std::string values = history::values_text(origin.notation.values);
  for (const std::vector<std::string_view>* table :
       {&texts, &sessions, &notes, &setting, &promise}) {
    for (const std::string_view text : *table) {
      if (simdjson::validate_utf8(text)) continue;
      return Error{ErrorCode::kBadInput, "a name or value is not valid UTF-8: '" +
                                             printable_excerpt(text) +
                                             "'; rename it in the source of the history"};
    }
  }
  add<std::uint8_t>(Column::kStringKinds, strings_.size(),
                    [&](std::size_t i) { return strings_[i].kind; });
  add_texts(Column::kStringEnds, Column::kStringChars, texts);
  add_texts(Column::kSessionEnds, Column::kSessionChars, sessions);
  add_texts(Column::kNoteEnds, Column::kNoteChars, notes);
  if (!is_first()) return ok_status();
  if (!setting[0].empty() || !setting[1].empty()) {
    add_texts(Column::kSettingEnds, Column::kSettingChars, setting);
  }
  if (std::ranges::any_of(promise, [](std::string_view text) { return !text.empty(); })) {
    add_texts(Column::kPromiseEnds, Column::kPromiseChars, promise);
  }
  if (!tables.empty() || !values.empty()) {
    add_texts(Column::kNotationEnds, Column::kNotationChars, {tables, values});
  }
  return ok_status();
}

Status BinaryWriter::write_out() {
  std::sort(stored_.begin(), stored_.end(), [](const Stored& a, const Stored& b) {
    return a.section.column < b.section.column;
  });
  std::uint64_t offset = sizeof(Header) + stored_.size() * sizeof(Section);
  for (Stored& stored : stored_) {
    stored.section.offset = offset;
    offset = binary::aligned(offset + stored.section.stored_bytes);
  }
  Header header;
  std::copy(binary::kMagic.begin(), binary::kMagic.end(), header.magic.begin());
  header.flags =
      (history_.origin().truncated ? binary::kFlagTruncated : 0) |
      (history_.origin().times_are_order ? binary::kFlagTimesAreOrder : 0) |
      (history_.origin().versions_are_ordered ? binary::kFlagVersionsAreOrdered : 0) |
      (group_.ends ? binary::kFlagEnds : 0) | (group_.is_last ? binary::kFlagLast : 0);
  header.group = group_.number;
  if (needs_version_2(history_)) header.version = binary::kVersionOfDeletes;
  header.section_count = static_cast<std::uint32_t>(stored_.size());
  header.group_bytes = offset;
  std::string front;
  append_raw(front, header);
  for (const Stored& stored : stored_) append_raw(front, stored.section);
  header.hash =
      XXH3_64bits(front.data() + binary::kHashedFrom, front.size() - binary::kHashedFrom);
  std::memcpy(front.data(), &header, sizeof header);

  if (Status status = sink_.write(front); !status) return status;
  for (Stored& stored : stored_) {
    stored.bytes.append(binary::aligned(stored.bytes.size()) - stored.bytes.size(), '\0');
    if (Status status = sink_.write(stored.bytes); !status) return status;
    stored.bytes = {};
  }
  return ok_status();
}

void BinaryWriter::add_clock() {
  const HistoryOrigin& origin = history_.origin();
  const auto add_number = [&](Column column, std::int64_t number) {
    if (number == kNoTime) return;
    add<std::int64_t>(column, 1, [&](std::size_t) { return number; });
  };
  if (is_first()) {
    add_number(Column::kClockOrigin, origin.clock_origin);
    add_number(Column::kClockMonotonic, origin.clock_monotonic_ns);
    const std::string& host = origin.clock_host;
    if (!host.empty()) {
      add<std::uint8_t>(Column::kClockHost, host.size(),
                        [&](std::size_t i) { return static_cast<std::uint8_t>(host[i]); });
    }
  }
  add_number(Column::kClockError, group_.clock_error_ns.value_or(origin.clock_error_ns));
}

Status BinaryWriter::write() {
  add<std::uint64_t>(Column::kKeys, history_.key_count(), [&](std::size_t key) {
    return renumbered(history_.key_name(KeyId::at(key)));
  });
  add_txns();
  add_ops();
  if (!history_.predicates().empty()) add_predicates();
  add_clock();
  if (group_.open_since != kNoTime) {
    add<std::int64_t>(Column::kOpenSince, 1, [&](std::size_t) { return group_.open_since; });
  }
  add_lists();
  if (is_first() && history_.has_initial_contents()) add_initial();
  if (!history_.events().empty()) add_events();
  if (Status status = add_strings(); !status) return status;
  return write_out();
}

}  // namespace

Status write_native_binary(const History& history, Sink& sink, bool compressed,
                           const BinaryGroup& group) {
  return BinaryWriter(history, sink, compressed, group).write();
}

}  // namespace isolde::io
