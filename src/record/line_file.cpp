#include "record/line_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace isolde::record {

LineFile::~LineFile() { close(descriptor_); }

/// Returns 0 or errno. After an error the file is as long as before, if the system lets us.
int LineFile::write_all(std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = write(descriptor_, bytes.data() + done, bytes.size() - done);
    if (count > 0) {
      done += static_cast<std::size_t>(count);
      continue;
    }
    const int reason = count < 0 ? errno : EIO;
    if (reason == EINTR) continue;
    struct stat about {};
    if (done > 0 && fstat(descriptor_, &about) == 0) {
      // A failure leaves half a line, which readers of the format know how to take.
      static_cast<void>(!ftruncate(descriptor_, about.st_size - static_cast<off_t>(done)));
    }
    return reason;
  }
  return 0;
}

Status LineFile::append(std::string_view line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (reason_ == 0) reason_ = write_all(line);
  if (reason_ == 0) return ok_status();
  return Error{ErrorCode::kEnvironment,
               path_ + ": cannot be written: " + std::strerror(reason_) +
                   "; what the clients do from here on is not recorded"};
}

}  // namespace isolde::record
