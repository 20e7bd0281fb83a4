// What happens to a watch, as lines of JSON for whoever collects logs.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "isolde/status.hpp"

namespace isolde::watch {

/// Lines go out whole and at once. Any thread may write.
class EventLog {
 public:
  /// Nanoseconds since 1970.
  using Clock = std::function<std::int64_t()>;

  explicit EventLog(Clock clock) : clock_(std::move(clock)) {}
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  /// Appends to the file; "-" is standard error, for standard output has the report. Not
  /// opened: nothing is written. ERRORS: kEnvironment.
  Status open(const std::string& path);
  bool is_open() const { return descriptor_ >= 0; }

  /// {"time": ..., "event": event} and the fields of the object behind that.
  void write(std::string_view event, const nlohmann::ordered_json& fields);

  /// ERRORS: kEnvironment, the first time that a line could not be written. The watch went on.
  Status status() const;

 private:
  const Clock clock_;
  mutable std::mutex mutex_;
  std::string path_;
  int descriptor_ = -1;
  int error_ = 0;
};

}  // namespace isolde::watch
