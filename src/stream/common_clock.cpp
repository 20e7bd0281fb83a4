#include "stream/common_clock.hpp"

#include "base/moment.hpp"

namespace isolde::stream {

Status CommonClock::add(const History& first) {
  const HistoryOrigin& origin = first.origin();
  if (origin.times_are_order) {
    return Error{
        ErrorCode::kBadInput,
        origin.file + ": its times are places in it, which tell nothing of other files"};
  }
  if (origin.clock_origin == kNoTime) return ok_status();
  if (origin_ != kNoTime && origin_ != origin.clock_origin) {
    return Error{ErrorCode::kBadInput,
                 origin.file + ": its times are counted from " +
                     base::moment_text(origin.clock_origin) + ", those of " + file_ + " from " +
                     base::moment_text(origin_) + "; together they need one clock"};
  }
  know(origin.file, origin.clock_origin);
  return ok_status();
}

void CommonClock::know(const std::string& file, std::int64_t origin) {
  if (origin_ != kNoTime || origin == kNoTime) return;
  file_ = file;
  origin_ = origin;
}

bool tells_initial(const History& part) {
  for (std::size_t k = 0; k < part.key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    if (!part.initial(key).is_null() || !part.initial_list(key).empty()) return true;
  }
  return false;
}

}  // namespace isolde::stream
