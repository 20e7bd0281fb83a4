// Reads the native binary format (docs/formats/native-binary.md), group by group. Columns are
// walked side by side, each unpacked in pieces of 64 KiB, so that reading needs little more
// memory than the History it makes. Nothing is allocated by a length that the file claims;
// every number is checked before it is used.
#include "io/native_binary_group.hpp"

namespace isolde::io {

void BinaryReader::read_flags() {
  HistoryOrigin& origin = builder_.origin();
  const auto has_flag = [this](std::uint32_t flag) { return (header().flags & flag) != 0; };
  origin.truncated = origin.truncated || has_flag(binary::kFlagTruncated);
  origin.rows_are_deleted = origin.rows_are_deleted || knows_deletes();
  before_.at_end = has_flag(binary::kFlagLast);
  if (header().group > 0) return;
  origin.times_are_order = has_flag(binary::kFlagTimesAreOrder);
  origin.versions_are_ordered = has_flag(binary::kFlagVersionsAreOrdered);
  before_.end_is_told = has_flag(binary::kFlagEnds);
}

/// What holds for the whole file stands in its first group.
bool BinaryReader::may_follow() {
  for (const Column column :
       {Column::kClockOrigin, Column::kClockHost, Column::kClockMonotonic, Column::kSettingEnds,
        Column::kPromiseEnds, Column::kNotationEnds, Column::kInitialKeys}) {
    if (has(column)) return fail_in(column, "only the first group of a file may tell this");
  }
  return true;
}

/// The bound of several groups is known where that of each is.
bool BinaryReader::read_clock() {
  HistoryOrigin& origin = builder_.origin();
  std::int64_t error = kNoTime;
  const bool is_read = read_number(Column::kClockOrigin, origin.clock_origin) &&
                       read_number(Column::kClockMonotonic, origin.clock_monotonic_ns) &&
                       read_number(Column::kClockError, error);
  if (!is_read) return false;
  error = base::ClockBound::known(error);
  const bool is_first = groups_read_++ == 0;
  const bool is_known = error != kNoTime && (is_first || origin.clock_error_ns != kNoTime);
  origin.clock_error_ns = is_known ? std::max(error, origin.clock_error_ns) : kNoTime;
  return take_all(Column::kClockHost, binary::kMostOfHost, origin.clock_host);
}

/// Of the file, from its first group on.
bool BinaryReader::take_shift() {
  if (!before_.clock || before_.groups > 0) return true;
  const Result<std::int64_t> shift = before_.clock->shift_of(builder_.origin());
  if (!shift) return fail(shift.error());
  before_.shift_ns = *shift;
  return true;
}

bool BinaryReader::shift(Column column, std::int64_t& time) {
  if (time == kNoTime || before_.shift_ns == 0) return true;
  if (!__builtin_add_overflow(time, before_.shift_ns, &time) && time != kNoTime) return true;
  return fail_in(column, "a time is too far from those of other files");
}

bool BinaryReader::read_open_since() {
  std::int64_t since = kNoTime;
  if (!read_number(Column::kOpenSince, since)) return false;
  if (!has(Column::kOpenSince)) return true;
  if (!shift(Column::kOpenSince, since)) return false;
  before_.open_since = since;
  return true;
}

template <typename Take>
bool BinaryReader::read_texts(Column ends, Column chars, const Take& take) {
  std::uint64_t begin = 0;
  std::string text;
  while (of(ends).left() > 0) {
    if (!next_text(ends, chars, begin, text) || !take(text)) return false;
  }
  return true;
}

bool BinaryReader::read_sessions() {
  return read_texts(Column::kSessionEnds, Column::kSessionChars, [this](const auto& name) {
    const SessionId session = builder_.session(before_.session_prefix + name);
    if (session.raw() >= seen_in_.size()) seen_in_.resize(session.raw() + 1);
    if (std::exchange(seen_in_[session.raw()], header().group + 1) > header().group) {
      return fail_in(Column::kSessionEnds, "two sessions have the same name");
    }
    sessions_.push_back(session);
    return true;
  });
}

bool BinaryReader::read_notes() {
  return read_texts(Column::kNoteEnds, Column::kNoteChars, [this](const std::string& note) {
    builder_.origin().notes.push_back(note);
    return true;
  });
}

bool BinaryReader::read_setting() {
  std::uint64_t begin = 0;
  if (of(Column::kSettingEnds).left() == 0) return true;
  HistoryOrigin& origin = builder_.origin();
  return next_text(Column::kSettingEnds, Column::kSettingChars, begin, origin.database) &&
         next_text(Column::kSettingEnds, Column::kSettingChars, begin, origin.isolation);
}

bool BinaryReader::read_promise() {
  if (of(Column::kPromiseEnds).left() == 0) return true;
  HistoryOrigin& origin = builder_.origin();
  std::uint64_t begin = 0;
  std::string level;
  std::string by;
  if (!next_text(Column::kPromiseEnds, Column::kPromiseChars, begin, origin.product) ||
      !next_text(Column::kPromiseEnds, Column::kPromiseChars, begin, level) ||
      !next_text(Column::kPromiseEnds, Column::kPromiseChars, begin, origin.no_promise)) {
    return false;
  }
  const bool tells_whose = of(Column::kPromiseEnds).left() > 0;
  if (tells_whose && !next_text(Column::kPromiseEnds, Column::kPromiseChars, begin, by)) {
    return false;
  }
  if (!level.empty()) take_promise(level, origin);
  origin.promised_by_user = by == "user";
  return true;
}

bool BinaryReader::read_notation() {
  if (of(Column::kNotationEnds).left() == 0) return true;
  std::uint64_t begin = 0;
  std::string tables;
  std::string values;
  if (!next_text(Column::kNotationEnds, Column::kNotationChars, begin, tables) ||
      !next_text(Column::kNotationEnds, Column::kNotationChars, begin, values)) {
    return false;
  }
  take_tables(tables, builder_.origin());
  take_values(values, builder_.origin());
  return true;
}

bool BinaryReader::read_level_names() {
  return read_texts(Column::kLevelEnds, Column::kLevelChars, [this](const auto& name) {
    const std::optional<Level> level = history::level_written(name);
    if (!level) return fail_in(Column::kLevelEnds, "a text is not the name of a level");
    levels_.push_back(*level);
    return true;
  });
}

bool BinaryReader::read_strings() {
  std::uint64_t begin = 0;
  std::string text;
  while (of(Column::kStringEnds).left() > 0) {
    std::uint8_t kind = 0;
    if (!next(Column::kStringKinds, kind) ||
        !next_text(Column::kStringEnds, Column::kStringChars, begin, text)) {
      return false;
    }
    if (kind == static_cast<std::uint8_t>(Value::Kind::kString)) {
      strings_.push_back(builder_.string(text));
    } else if (kind == static_cast<std::uint8_t>(Value::Kind::kLiteral) &&
               is_json_literal(text)) {
      strings_.push_back(builder_.literal(text));
    } else if (kind == static_cast<std::uint8_t>(Value::Kind::kLiteral) && knows_deletes() &&
               text.starts_with('{')) {
      simdjson::ondemand::object row;
      if (!open_json(Column::kStringKinds, text, row) ||
          !row_parser_.row(row, strings_.emplace_back())) {
        return false;
      }
    } else {
      return fail_in(Column::kStringKinds, "a text is neither a string, a literal nor a row");
    }
  }
  return true;
}

bool BinaryReader::next_value(Column column, Value& value) {
  std::uint64_t bits = 0;
  if (!next(column, bits)) return false;
  const Value stored = Value::from_bits(bits);
  if (stored.is_null() || stored.kind() == Value::Kind::kInteger) {
    value = stored;
    return true;
  }
  const std::uint64_t slot = bits >> 2;
  if (slot >= strings_.size() || strings_[slot].kind() != stored.kind()) {
    return fail_in(column, "a value refers to a text that does not exist");
  }
  value = strings_[slot];
  return true;
}

bool BinaryReader::read_keys() {
  while (of(Column::kKeys).left() > 0) {
    Value name;
    if (!next_value(Column::kKeys, name)) return false;
    if (name.is_null()) return fail_in(Column::kKeys, "null cannot be a key");
    keys_.push_back(builder_.key(name));
    keys_are_rows_ = keys_are_rows_ && keys_.back().raw() + 1 == keys_.size();
  }
  return true;
}

/// The next row of two columns of times; `before` is the first one of the row before.
bool BinaryReader::read_times(Column first, Column second, std::uint64_t& before,
                              std::int64_t& start, std::int64_t& end) {
  std::uint64_t difference = 0;
  std::uint64_t length = 0;
  if (!next(first, difference) || !next(second, length)) return false;
  before += difference;
  start = static_cast<std::int64_t>(before);
  end = static_cast<std::int64_t>(before + length);
  return true;
}

/// Those of the next list.
bool BinaryReader::read_elements(Column counts, Column values) {
  std::uint32_t count = 0;
  if (!next(counts, count)) return false;
  list_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    Value element;
    if (!next_value(values, element)) return false;
    if (element.is_null()) return fail_in(values, "null cannot be an element of a list");
    list_.push_back(element);
  }
  return true;
}

bool BinaryReader::read_list(KeyId key) {
  if (!read_elements(Column::kListCounts, Column::kListValues)) return false;
  builder_.read_list(key, list_);
  return true;
}

bool BinaryReader::read_initial() {
  if (of(Column::kInitialKeys).left() > 0 && !knows_deletes()) {
    return fail_in(Column::kInitialKeys, "initial contents in a file of version 1");
  }
  while (of(Column::kInitialKeys).left() > 0) {
    std::uint32_t key_row = 0;
    Value value;
    if (!next(Column::kInitialKeys, key_row) || !next_value(Column::kInitialValues, value) ||
        !read_elements(Column::kInitialCounts, Column::kInitialElements)) {
      return false;
    }
    if (key_row >= keys_.size())
      return fail_in(Column::kInitialKeys, "a key is not in the table");
    if (value.is_null() == list_.empty()) {
      return fail_in(Column::kInitialValues, "initial contents are neither a value nor a list");
    }
    builder_.set_initial(keys_[key_row], value);
    builder_.set_initial_list(keys_[key_row], list_);
    if (!builder_.status().ok()) {
      return fail_in(Column::kInitialKeys, builder_.status().error().message);
    }
    if (!budget_.spend(list_.size() + 1)) return fail_at_budget();
  }
  return true;
}

bool BinaryReader::read_events() {
  using Part = RecordedEvent::Part;
  const auto is_text = [](Value value) { return value.kind() == Value::Kind::kString; };
  while (of(Column::kEventParts).left() > 0) {
    std::uint8_t part = 0;
    std::uint64_t at = 0;
    RecordedEvent event;
    if (!next(Column::kEventParts, part) || !next(Column::kEventTimes, at) ||
        !next_value(Column::kEventKinds, event.kind) ||
        !next_value(Column::kEventTexts, event.what) ||
        !next_value(Column::kEventNames, event.name)) {
      return false;
    }
    if (part > static_cast<std::uint8_t>(Part::kEnds)) {
      return fail_in(Column::kEventParts, "unknown part of an event " + std::to_string(part));
    }
    event.part = static_cast<Part>(part);
    event.at = static_cast<std::int64_t>(at);
    if (!shift(Column::kEventTimes, event.at)) return false;
    if (!is_text(event.kind)) return fail_in(Column::kEventKinds, "a kind is not a string");
    if (!event.what.is_null() && !is_text(event.what)) {
      return fail_in(Column::kEventTexts, "the text of an event is not a string");
    }
    if (event.part == Part::kMoment ? !event.name.is_null() : !is_text(event.name)) {
      return fail_in(Column::kEventNames,
                     "an event that begins or ends has no name, or another one has");
    }
    builder_.add_event(event);
    if (!budget_.spend(1)) return fail_at_budget();
  }
  return true;
}

bool BinaryReader::read_increment(std::uint32_t key_row, Value by) {
  Value sum;
  if (!next_value(Column::kIncrementSums, sum)) return false;
  if (key_row >= keys_.size()) return fail_in(Column::kOpKeys, "a key is not in the table");
  if (by.kind() != Value::Kind::kInteger) {
    return fail_in(Column::kOpValues, "what an increment adds is no integer of 62 bits");
  }
  if (sum.is_null()) {
    builder_.increment(keys_[key_row], by.as_integer());
    return true;
  }
  if (sum.kind() != Value::Kind::kInteger) {
    return fail_in(Column::kIncrementSums, "the sum of an increment is no integer of 62 bits");
  }
  builder_.increment(keys_[key_row], by.as_integer(), sum.as_integer());
  return true;
}

bool BinaryReader::next_version(Value& version) {
  return !has(Column::kOpVersions) || next_value(Column::kOpVersions, version);
}

bool BinaryReader::next_lock(LockMode& lock) {
  if (!has(Column::kOpLocks)) return true;
  std::uint8_t mode = 0;
  if (!next(Column::kOpLocks, mode)) return false;
  if (mode > static_cast<std::uint8_t>(LockMode::kUpdate)) {
    return fail_in(Column::kOpLocks, "unknown lock " + std::to_string(mode));
  }
  lock = static_cast<LockMode>(mode);
  return true;
}

bool BinaryReader::set_lock(LockMode lock) {
  // What was wrong before is told at the end of the transaction.
  if (lock == LockMode::kNone || !builder_.status().ok()) return true;
  builder_.set_lock(lock);
  return builder_.status().ok() || fail_in(Column::kOpLocks, builder_.status().error().message);
}

bool BinaryReader::read_op(std::uint32_t& left) {
  std::uint8_t kind = 0;
  std::uint32_t key_row = 0;
  Value value;
  Value version;
  LockMode lock{};
  if (!next(Column::kOpKinds, kind) || !next(Column::kOpKeys, key_row) ||
      !next_value(Column::kOpValues, value) || !next_version(version) || !next_lock(lock)) {
    return false;
  }
  if (kind == binary::kSelection || is_aggregate(kind)) {
    if (!version.is_null()) return fail_in(Column::kOpVersions, "a version of a selection");
    if (!is_aggregate(kind)) return read_selection(key_row, value, lock, left);
    if (lock != LockMode::kNone) return fail_in(Column::kOpLocks, "a lock of an aggregate");
    return read_aggregate(key_row, value);
  }
  if (kind == binary::kIncrement && knows_deletes()) {
    if (!version.is_null()) return fail_in(Column::kOpVersions, "a version of an increment");
    if (lock != LockMode::kNone) return fail_in(Column::kOpLocks, "a lock of an increment");
    return read_increment(key_row, value);
  }
  if (!add_op(kind, key_row, value)) return false;
  builder_.set_version(version);
  return set_lock(lock);
}

bool BinaryReader::add_op(std::uint8_t kind, std::uint32_t key_row, Value value) {
  if (key_row >= keys_.size()) return fail_in(Column::kOpKeys, "a key is not in the table");
  const KeyId key = keys_[key_row];
  switch (kind) {
    case static_cast<std::uint8_t>(OpKind::kRead):
      builder_.read(key, value);
      return true;
    case static_cast<std::uint8_t>(OpKind::kWrite):
      if (value.is_null() && knows_deletes()) {
        builder_.remove(key);
      } else {
        builder_.write(key, value);
      }
      return true;
    case static_cast<std::uint8_t>(OpKind::kAppend):
      builder_.append(key, value);
      return true;
    case static_cast<std::uint8_t>(OpKind::kReadList):
      return read_list(key);
    case static_cast<std::uint8_t>(OpKind::kReadUnknown):
      builder_.read_unknown(key);
      return true;
    case static_cast<std::uint8_t>(OpKind::kReadExcept):
      if (value.is_null()) return fail_in(Column::kOpValues, "null is not a value to exclude");
      builder_.read_except(key, value);
      return true;
    case binary::kRefusedInsert:
      if (!knows_deletes()) break;
      builder_.insert_refused(key);
      return true;
    default:
      break;
  }
  return fail_in(Column::kOpKinds, "unknown kind of operation " + std::to_string(kind));
}

/// The quick way through register reads and writes of null and integers. Gives the number of
/// operations read; what comes then is for read_op(), right or wrong.
std::uint32_t BinaryReader::read_plain_ops(std::uint32_t count) {
  if (has(Column::kOpVersions) || has(Column::kOpLocks)) return 0;
  ColumnBytes& kinds = of(Column::kOpKinds);
  ColumnBytes& key_rows = of(Column::kOpKeys);
  ColumnBytes& values = of(Column::kOpValues);
  const std::size_t at_hand =
      std::min({std::size_t{count}, kinds.at_hand<std::uint8_t>(),
                key_rows.at_hand<std::uint32_t>(), values.at_hand<std::uint64_t>()});
  std::uint32_t done = 0;
  for (; done < at_hand; ++done) {
    const auto kind = kinds.peek<std::uint8_t>(done);
    const auto key_row = key_rows.peek<std::uint32_t>(done);
    const Value value = Value::from_bits(values.peek<std::uint64_t>(done));
    const bool plain = value.is_null() || value.kind() == Value::Kind::kInteger;
    if (!plain || key_row >= keys_.size()) break;
    const KeyId key = keys_are_rows_ ? KeyId(key_row) : keys_[key_row];
    if (kind == static_cast<std::uint8_t>(OpKind::kRead)) {
      builder_.read(key, value);
    } else if (kind == static_cast<std::uint8_t>(OpKind::kWrite) && !value.is_null()) {
      builder_.write(key, value);
    } else {
      break;
    }
  }
  kinds.skip<std::uint8_t>(done);
  key_rows.skip<std::uint32_t>(done);
  values.skip<std::uint64_t>(done);
  return done;
}

bool BinaryReader::read_txn() {
  std::uint32_t session = 0;
  std::uint8_t status = 0;
  std::uint32_t op_count = 0;
  if (!next(Column::kTxnSessions, session) || !next(Column::kTxnStatuses, status) ||
      !next(Column::kTxnOpCounts, op_count)) {
    return false;
  }
  if (session >= sessions_.size()) return fail_in(Column::kTxnSessions, "no such session");
  if (status > static_cast<std::uint8_t>(TxnStatus::kIndeterminate)) {
    return fail_in(Column::kTxnStatuses, "unknown status " + std::to_string(status));
  }
  builder_.begin_txn(sessions_[session]);
  builder_.set_status(static_cast<TxnStatus>(status));
  if (has(Column::kTxnStarts)) {
    TxnTimes times;
    if (!read_times(Column::kTxnStarts, Column::kTxnEnds, start_before_, times.start,
                    times.end)) {
      return false;
    }
    if (!shift(Column::kTxnStarts, times.start) || !shift(Column::kTxnEnds, times.end)) {
      return false;
    }
    if (times.start < before_.open_since && times.start != kNoTime) {
      return fail_in(Column::kTxnStarts,
                     "a transaction started before what an earlier group says was open");
    }
    builder_.set_times(times);
  }
  if (has(Column::kTxnDatabaseStarts)) {
    DatabaseTimes times;
    if (!read_times(Column::kTxnDatabaseStarts, Column::kTxnDatabaseCommits,
                    database_start_before_, times.start, times.commit)) {
      return false;
    }
    builder_.set_database_times(times);
  }
  if (has(Column::kTxnLevels)) {
    std::uint8_t number = 0;
    if (!next(Column::kTxnLevels, number)) return false;
    if (number > levels_.size()) return fail_in(Column::kTxnLevels, "no such level");
    if (number > 0) builder_.set_stated_level(levels_[number - 1]);
  }
  if (has(Column::kTxnLabels)) {
    Value label;
    if (!next_value(Column::kTxnLabels, label)) return false;
    builder_.set_label(label);
  }
  if (has(Column::kTxnServers)) {
    Value server;
    if (!next_value(Column::kTxnServers, server)) return false;
    if (!server.is_null() && server.kind() != Value::Kind::kString) {
      return fail_in(Column::kTxnServers, "a server is not a string");
    }
    builder_.set_server(server);
  }
  for (op_count -= read_plain_ops(op_count); op_count > 0;
       op_count -= read_plain_ops(op_count)) {
    --op_count;
    if (!read_op(op_count)) return false;
  }
  if (!builder_.status().ok()) {
    return fail_in(Column::kOpKinds, builder_.status().error().message);
  }
  return true;
}

bool BinaryReader::read_txns() {
  // The claim of a packed column is believed up to a point. Room for a group at a time would be
  // made again for each of many.
  const std::uint64_t believed = header().group_bytes * 8;
  if (!has_more()) {
    builder_.reserve(std::min(rows(Column::kTxnSessions), believed),
                     std::min(rows(Column::kOpKinds), believed));
  }
  while (of(Column::kTxnSessions).left() > 0) {
    const std::uint64_t before = of(Column::kOpKinds).left();
    if (!read_txn()) return false;
    if (!budget_.spend(before - of(Column::kOpKinds).left() + 1)) return fail_at_budget();
  }
  return true;
}

bool BinaryReader::read_group() {
  if (before_.at_end) {
    return fail(ErrorCode::kBadInput, "@" + std::to_string(begin()) +
                                          ": a group follows the one that says it is the last");
  }
  read_flags();
  strings_.clear();
  levels_.clear();
  keys_.clear();
  keys_are_rows_ = true;
  predicates_.clear();
  sessions_.clear();
  start_before_ = 0;
  database_start_before_ = 0;
  if (header().group > 0 && !may_follow()) return false;
  return read_clock() && take_shift() && read_sessions() && read_notes() && read_setting() &&
         read_promise() && read_notation() && read_level_names() && read_strings() &&
         read_keys() && read_initial() && read_predicates() && read_events() && read_txns() &&
         read_open_since() && check_ends();
}

Result<History> BinaryReader::finish() {
  predicates_ = {};  // the builder has its own
  Result<History> history =
      builder_.finish([this](std::uint64_t rows) { return budget_.spend(rows); });
  if (history.ok()) return history;
  return Error{history.error().code, input().name + ": " + history.error().message};
}

Result<History> BinaryReader::read() {
  tell_origin();
  builder_.origin().positions_are_numbers = true;
  bool is_torn = false;
  do {
    is_torn = !open();
    if (is_torn ? !BinaryColumns::is_torn() : !read_group()) return error();
  } while (!is_torn && has_more());
  if (is_torn) note_torn_group(begin(), builder_.origin());
  if (!is_torn && before_.end_is_told && !before_.at_end) note_no_last_group(builder_.origin());
  return finish();
}

/// What holds for the whole file is in the history of its first group alone.
Result<History> BinaryReader::read_alone(GroupsBefore& before) {
  tell_origin();
  if (!open() || !read_group()) return error();
  before_.bytes += header().group_bytes;
  const HistoryOrigin& origin = builder_.origin();
  const std::int64_t error = origin.clock_error_ns;
  if (before_.groups++ == 0) {
    before_.clock_origin = origin.clock_origin;
    before_.clock_host = origin.clock_host;
    before_.clock_monotonic_ns = origin.clock_monotonic_ns;
    before_.clock_error_ns = error;
  } else if (error == kNoTime || before_.clock_error_ns == kNoTime) {
    before_.clock_error_ns = kNoTime;
  } else {
    before_.clock_error_ns = std::max(before_.clock_error_ns, error);
  }
  before = before_;
  if (before.clock) before.clock->has_read(input().name, before);
  return finish();
}

Result<History> read_native_binary_group(const Input& group, GroupsBefore& before,
                                         base::Budget& budget) {
  return BinaryReader(group, before, budget).read_alone(before);
}

int detect_native_binary(const Inputs& inputs) {
  return inputs.files.front().view().starts_with(binary::kMagic) ? 100 : 0;
}

Result<History> read_native_binary(const Inputs& inputs, base::Budget& budget) {
  return BinaryReader(inputs.files.front(), inputs.lists_rows_later, budget).read();
}

const Format& native_binary_format() {
  static constexpr Format kFormat = {
      .name = "native-binary",
      .summary = "Isolde's columns for very large histories",
      .detect = detect_native_binary,
      .read = read_native_binary,
  };
  return kFormat;
}

}  // namespace isolde::io
