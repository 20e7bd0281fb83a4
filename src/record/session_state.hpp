// What a session holds. session.cpp has its transactions, selection.cpp rows with columns and
// selections.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/recorder.hpp"
#include "record/state.hpp"

namespace isolde {

struct RecordedSession::State {
  State(Recorder::State& owner, std::string_view name) : recorder(owner), base(name) {}

  bool begin();
  template <typename Put>
  void operation(std::size_t room, Put put_all);
  template <typename PutRest>
  void operation(std::string_view kind, RecordedValue key, std::size_t room, PutRest put_rest);
  void one_value(std::string_view kind, RecordedValue key, RecordedValue value);
  template <typename Element>
  void list(RecordedValue key, std::span<const Element> elements);
  void row(std::string_view kind, RecordedValue key, std::span<const RecordedColumn> columns);
  void select(const RecordedCondition& condition, std::span<const RecordedRow> rows);
  void aggregate(const RecordedCondition& condition, const RecordedAggregate& computed);
  void drop_last();
  void version(RecordedValue version);
  void version_of_writes(RecordedValue version);
  void set_version(std::size_t op, RecordedValue version);
  void locked(RecordedLock mode);
  void increment(RecordedValue key, std::int64_t by);
  void sum(std::int64_t result);
  void sums(std::span<const std::int64_t> results);
  bool set_sum(std::size_t op, std::int64_t result);
  std::string_view text_of(std::size_t op) const;
  std::string with_versions(std::size_t end) const;
  /// Ends the transaction. `status` is the field in front of the end, which is left out when it
  /// means nothing.
  bool finish(std::string_view status, bool has_end);
  void give_back_slot();

  /// After a failed operation: the transaction stays in the slot without it and without an
  /// outcome, because with later operations it could contradict itself.
  void give_up() { in_transaction = false; }
  bool reserve(std::size_t bytes);
  void fail(std::string problem) {
    recorder.fail(record::usage("session " + record::shown(base) + ": " + std::move(problem)));
  }
  char* put_value(char* at, RecordedValue value, bool may_be_null);
  /// Notes that `what` cannot be in a file of version 1 where this is one.
  bool is_version_2(std::string_view what);
  bool check(std::span<const RecordedColumn> columns);
  bool check(const RecordedTest& test);
  bool check(const RecordedCondition& condition);
  bool check(std::span<const RecordedRow> rows);
  bool check(const RecordedAggregate& computed);
  char* put_name(char* at, std::string_view column);
  char* put_row(char* at, std::span<const RecordedColumn> columns);
  char* put_values(char* at, std::string_view name, std::span<const RecordedValue> values);
  char* put_test(char* at, const RecordedTest& test);
  char* put_tests(char* at, std::span<const RecordedTest> tests);
  char* put_condition(char* at, const RecordedCondition& condition);
  char* put_rows(char* at, std::span<const RecordedRow> rows);
  void set_name();
  void set_opening();

  Recorder::State& recorder;
  record::Slot* slot = nullptr;  // none when the session does not record
  std::string base;              // the name as given
  std::string server;            // where its transactions run; empty: not told
  std::string opening;           // beginning of each line, up to the start time
  std::uint64_t generation = 1;
  std::uint64_t position = 0;
  std::int64_t last_end = -1;
  bool in_transaction = false;
  std::vector<std::size_t> before;      // length of the text before each operation
  std::vector<std::string> versions;    // as JSON, by operation; may be shorter
  std::vector<std::string_view> locks;  // likewise
  std::vector<std::string> added;       // sums as JSON, likewise
  std::size_t unknown_read = 0;         // the last one, from 1
  std::vector<std::string_view> names;  // of columns, for a moment
};

namespace record {

inline std::size_t room_of(RecordedValue value) {
  return value.is_text() ? text_room(value.text()) : kNumberRoom;
}
inline std::size_t room_of(std::int64_t) { return kNumberRoom; }

}  // namespace record

/// One operation: `put_all` writes it but for the bracket at its end, at most `room` bytes, and
/// returns the place behind it, or nullptr.
template <typename Put>
void RecordedSession::State::operation(std::size_t room, Put put_all) {
  if (slot == nullptr) return;
  if (!in_transaction) {
    if (recorder.active.load(std::memory_order_relaxed)) {
      fail("an operation outside of a transaction; call begin() first");
    }
    return;
  }
  constexpr std::size_t kCommaAndBracket = 2;
  if (!reserve(room + kCommaAndBracket)) return give_up();
  const std::size_t length = slot->length();
  char* at = slot->end();
  if (!before.empty()) *at++ = ',';
  at = put_all(at);
  if (at == nullptr) return give_up();
  *at++ = ']';
  slot->publish(at);
  before.push_back(length);
}

/// One of one key: `put_rest` writes what follows it.
template <typename PutRest>
void RecordedSession::State::operation(std::string_view kind, RecordedValue key,
                                       std::size_t room, PutRest put_rest) {
  operation(kind.size() + record::room_of(key) + room, [&](char* at) {
    at = put_value(record::put(at, kind), key, false);
    return at == nullptr ? at : put_rest(at);
  });
}

}  // namespace isolde
