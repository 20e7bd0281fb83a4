// CommonClock: whether times of several files can be compared.
#pragma once

#include <cstdint>
#include <string>

#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::stream {

/// Where files tell when their clocks stood at 0, it is the same moment. Of one that does not
/// tell it is taken for granted.
class CommonClock {
 public:
  /// Of a file the first part. ERRORS: kBadInput: its clock is another one, or its times are
  /// places in it.
  Status add(const History& first);
  /// What a file has told before.
  void know(const std::string& file, std::int64_t origin);

 private:
  std::string file_;  // the first one that told
  std::int64_t origin_ = kNoTime;
};

/// What is true of the beginning of a history, and so of first parts alone.
bool tells_initial(const History& part);

}  // namespace isolde::stream
