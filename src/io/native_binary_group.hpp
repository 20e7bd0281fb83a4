// A file in the native binary format, group by group, as a history. For the reader of the
// format and its parts alone.
#pragma once

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/budget.hpp"
#include "base/clock_bound.hpp"
#include "history/level_names.hpp"
#include "io/json_text.hpp"
#include "io/native.hpp"
#include "io/native_binary.hpp"
#include "io/native_binary_columns.hpp"
#include "io/native_recording.hpp"
#include "io/native_rows.hpp"
#include "io/scalar_text.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {

class BinaryReader : private BinaryColumns {
 public:
  BinaryReader(const Input& input, bool lists_rows_later, base::Budget& budget)
      : BinaryColumns(input), budget_(budget) {
    if (lists_rows_later) builder_.list_rows_later();
  }
  /// For a group alone.
  BinaryReader(const Input& input, const GroupsBefore& before, base::Budget& budget)
      : BinaryColumns(input, before.bytes, before.groups), budget_(budget), before_(before) {}

  Result<History> read();
  Result<History> read_alone(GroupsBefore& before);

 private:
  bool fail_at_budget() {
    return fail(ErrorCode::kLimit, ": " + budget_.reason() + " while reading the input");
  }
  bool next_value(Column column, Value& value);
  Result<History> finish();
  void tell_origin() {
    builder_.origin().file = input().name;
    builder_.origin().format = "native-binary";
  }
  bool read_group();
  bool may_follow();
  void read_flags();
  bool read_clock();
  bool take_shift();
  bool shift(Column column, std::int64_t& time);
  bool read_open_since();
  template <typename Take>
  bool read_texts(Column ends, Column chars, const Take& take);
  bool read_sessions();
  bool read_notes();
  bool read_setting();
  bool read_promise();
  bool read_notation();
  bool read_level_names();
  bool read_strings();
  bool read_keys();
  bool read_initial();
  bool read_elements(Column counts, Column values);
  bool read_txns();
  bool read_txn();
  bool read_times(Column first, Column second, std::uint64_t& before, std::int64_t& start,
                  std::int64_t& end);
  std::uint32_t read_plain_ops(std::uint32_t count);
  bool read_predicates();
  bool read_tests(std::uint64_t& begin, Predicate& predicate);
  bool open_json(Column column, std::string_view text, simdjson::ondemand::object& object);
  bool read_events();
  bool next_version(Value& version);
  bool next_lock(LockMode& lock);
  bool set_lock(LockMode lock);
  bool read_op(std::uint32_t& left);
  bool add_op(std::uint8_t kind, std::uint32_t key_row, Value value);
  bool is_aggregate(std::uint8_t kind) { return kind == binary::kAggregate && knows_deletes(); }
  std::optional<PredicateView> find_predicate(Value row) const;
  bool read_aggregate(std::uint32_t what, Value predicate);
  bool read_increment(std::uint32_t key_row, Value by);
  bool read_selection(std::uint32_t row_count, Value predicate, LockMode lock,
                      std::uint32_t& left);
  bool read_list(KeyId key);

  base::Budget& budget_;
  HistoryBuilder builder_;
  simdjson::ondemand::parser parser_;
  std::string json_;  // what the parser is at, and room behind it
  simdjson::ondemand::document document_;
  Column json_in_ = Column::kStringKinds;  // where it is from
  RowParser row_parser_{
      [this](RowParser::JsonValue value, std::string_view what, Value& out) {
        return json_scalar(builder_, value, out) == simdjson::SUCCESS ||
               fail_in(json_in_, std::string(what) + " is no scalar");
      },
      [this](const std::string& problem) { return fail_in(json_in_, problem); }, builder_};
  // Of the group:
  std::vector<Value> strings_;
  std::vector<Level> levels_;  // by row of the names
  std::vector<KeyId> keys_;
  bool keys_are_rows_ = true;  // each key has its row as id, and need not be looked up
  std::vector<Value> list_;
  PredicateTable predicates_;
  std::vector<Row> rows_;
  std::vector<SessionId> sessions_;
  // Of the file:
  std::vector<std::uint32_t> seen_in_;  // by session: 1 + the last group with it
  GroupsBefore before_;                 // and of this group, as far as it is known
  std::uint32_t groups_read_ = 0;
  std::uint64_t start_before_ = 0;
  std::uint64_t database_start_before_ = 0;
};

}  // namespace isolde::io
