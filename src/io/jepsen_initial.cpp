#include "io/jepsen_initial.hpp"

#include <algorithm>

#include "base/budget.hpp"
#include "io/bad_input.hpp"

namespace isolde::io {

// A write that failed is a better explanation than the initial value, too.
void InitialValues::see_write(KeyId key, Value value, const JepsenOperation& operation) {
  std::int64_t& begun = begun_.try_emplace({key.raw(), value.bits()}, kNever).first->second;
  begun = std::min(begun, operation.first->time);
  if (operation.end != JepsenType::kOk) return;
  Beginning& beginning = beginnings_[key.raw()];
  beginning.first_write_end = std::min(beginning.first_write_end, operation.completion->time);
}

void InitialValues::see_failed_change(KeyId key, Value value) {
  begun_.try_emplace({key.raw(), value.bits()}, kNever);
}

void InitialValues::see_read(KeyId key, Value value, bool shown,
                             const JepsenOperation& operation) {
  Beginning& beginning = beginnings_[key.raw()];
  if (value.is_null()) {
    (shown ? beginning.shows_nil : beginning.may_show_nil) = true;
  } else if (shown && operation.first->time < beginning.first_write_end) {
    // Writes that end before it begins have begun before, and have been seen.
    candidates_.push_back({key, value, operation.completion->time});
  } else if (!shown && operation.end == JepsenType::kInfo) {
    expected_.push_back({key, value, kNever});
  }
}

/// Unless there is one already, or the value may have been written by then.
void InitialValues::take(const Candidate& candidate) {
  if (initial_.contains(candidate.key.raw())) return;
  const auto writer = begun_.find({candidate.key.raw(), candidate.value.bits()});
  if (writer != begun_.end() && writer->second < candidate.end) return;
  const bool is_written =
      writer != begun_.end() || beginnings_[candidate.key.raw()].may_show_nil;
  initial_[candidate.key.raw()] = {candidate.value, is_written};
  if (is_written) order_.push_back(candidate.key);
}

Status InitialValues::find(const JepsenLog& log, base::Budget& budget) {
  for (const Candidate& read : candidates_) {
    if (!beginnings_[read.key.raw()].shows_nil) take(read);
  }
  for (const Candidate& change : expected_) {
    const Beginning& beginning = beginnings_[change.key.raw()];
    if (!beginning.shows_nil && !beginning.may_show_nil) take(change);
  }
  return budget.spend(log.size()) ? write_in_front(log) : out_of_budget(log.file(), budget);
}

Status InitialValues::write_in_front(const JepsenLog& log) {
  if (order_.empty()) return ok_status();
  const JepsenEntry& begin = *log.operation(0).first;
  const auto steps = static_cast<std::int64_t>(2 * order_.size());
  if (begin.time < std::numeric_limits<std::int64_t>::min() / 2) {
    return bad_line(log.file(), begin.line, "found a :time before -2^62; expected nanoseconds");
  }
  std::int64_t time = begin.time - steps;
  for (const KeyId key : order_) {
    builder_.begin_txn(builder_.session("initial"));
    builder_.set_times({time, time + 1});
    builder_.write(key, initial_[key.raw()].value);
    time += 2;
  }
  return ok_status();
}

Value InitialValues::read_value(KeyId key, Value value) const {
  const auto initial = initial_.find(key.raw());
  const bool is_initial = initial != initial_.end() && !initial->second.is_written &&
                          initial->second.value == value;
  return is_initial ? Value::null() : value;
}

void InitialValues::add_note() const {
  if (initial_.empty()) return;
  builder_.origin().notes.push_back(
      "the initial value of " + counted(initial_.size(), "register") +
      " is not given; the value that was read there before anybody wrote it was taken as "
      "the initial one");
}

}  // namespace isolde::io
