#include "watch/event_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/moment.hpp"
#include "base/printable.hpp"

namespace isolde::watch {

EventLog::~EventLog() {
  if (descriptor_ > STDERR_FILENO) close(descriptor_);
}

Status EventLog::open(const std::string& path) {
  path_ = path == "-" ? "standard error" : path;
  constexpr mode_t kMode = 0644;
  descriptor_ = path == "-"
                    ? STDERR_FILENO
                    : ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kMode);
  if (descriptor_ >= 0) return ok_status();
  return Error{ErrorCode::kEnvironment, path_ + ": " + std::strerror(errno)};
}

void EventLog::write(std::string_view event, const nlohmann::ordered_json& fields) {
  if (!is_open()) return;
  nlohmann::ordered_json line = {{"time", base::moment_text(clock_())}, {"event", event}};
  if (fields.is_object()) line.update(fields);
  using Handler = nlohmann::ordered_json::error_handler_t;
  const std::string text =
      base::printable_json(line.dump(-1, ' ', false, Handler::replace)) + "\n";
  const std::lock_guard lock(mutex_);
  for (std::size_t done = 0; done < text.size() && error_ == 0;) {
    const ssize_t written = ::write(descriptor_, text.data() + done, text.size() - done);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
}

Status EventLog::status() const {
  const std::lock_guard lock(mutex_);
  if (error_ == 0) return ok_status();
  return Error{ErrorCode::kEnvironment, path_ + ": " + std::strerror(error_)};
}

}  // namespace isolde::watch
