// Operations of the C interface: as records, and from there into a recording.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "isolde/c_operation.h"
#include "isolde/operation_record.hpp"
#include "isolde/recorder.hpp"

namespace isolde::api {

/// An operation of the C interface as a record that refers to its texts, or why it is none.
class Translated {
 public:
  explicit Translated(const isolde_operation& from);
  Translated(const Translated&) = delete;
  Translated& operator=(const Translated&) = delete;

  /// nullptr: none.
  const char* problem() const { return problem_; }
  /// REQUIRES: no problem().
  const OperationRecord& record() const { return record_; }

 private:
  void fill(const isolde_operation& from);
  std::span<const Scalar> scalars(const isolde_value* from, std::size_t count);
  std::span<const ColumnRecord> columns(const isolde_column* from, std::size_t count);
  TestRecord test(const isolde_test& from);
  ConditionRecord condition(const isolde_condition& from);

  OperationRecord record_;
  std::vector<RowRecord> rows_;
  std::vector<TestRecord> tests_;
  std::deque<std::vector<Scalar>> scalars_;
  std::deque<std::vector<ColumnRecord>> columns_;
  const char* problem_ = nullptr;
};

/// Whether recorders take it for what is added to a number, and for a sum: it has 62 bits.
bool is_small_number(std::int64_t number);
/// Why the operation cannot be recorded, or nullptr.
const char* recording_trouble(const OperationRecord& operation);
/// Why it needs a recorder that was opened with `deletes`, or nullptr.
const char* needs_deletes(const OperationRecord& operation);
/// Records the operation's version, or tells why it cannot. `told`: as what, such as
/// RecordedSession::version.
const char* record_version(RecordedSession& session, const OperationRecord& operation,
                           void (RecordedSession::*told)(RecordedValue));
/// Records it. REQUIRES: no recording_trouble().
void record(RecordedSession& session, const OperationRecord& operation);

}  // namespace isolde::api
