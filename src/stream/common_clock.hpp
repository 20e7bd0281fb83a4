// CommonClock: the times of several files on one clock, and by how much they may be wrong.
//
// Files with the same `clock_host` count the same monotonic clock, so their times can be put
// side by side exactly. All others are put where their origins, moments in UTC, say. Each clock
// is off from UTC by at most its bound, so two of them tell the order of two moments only where
// these are further apart than both bounds together. What is taken for all of them is the
// largest of these sums.
//
// Files that tell no origin, or the very same one, are taken to be of one clock, as nothing
// says otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/native.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::stream {

/// What is known depends on what was read and in which order, and on nothing else.
class CommonClock : public io::OneClock {
 public:
  /// A clock, and by how much its times may be off.
  struct Bound {
    std::string file;  ///< the first one with that clock
    std::int64_t error_ns = kNoTime;
  };

  /// The times are counted from the origin of the first file that tells one.
  Result<std::int64_t> shift_of(const HistoryOrigin& first) override;
  /// Also of a file that an earlier process has read.
  void has_read(const std::string& file, const io::GroupsBefore& before) override;

  /// In the order in which they came.
  std::vector<Bound> bounds() const;
  /// How far apart two moments of different clocks may be told in the wrong order; 0: there is
  /// one clock. Nothing: the bound of one of several is not known.
  std::optional<std::int64_t> error_ns() const;
  /// Where error_ns() has nothing: why, a clause.
  std::string why_unknown() const;

 private:
  struct File {
    std::size_t clock = 0;
    std::int64_t shift_ns = 0;
    std::int64_t error_ns = kNoTime;
    /// The wall clock was set by so much between its origin and that of the clock's first file.
    std::int64_t set_by_ns = 0;
    bool is_read = false;
  };
  struct Clock {
    std::string first_file;
    std::string host;
    std::int64_t origin = kNoTime;
    std::int64_t monotonic_ns = kNoTime;
    std::int64_t shift_ns = 0;
  };

  std::size_t clock_of(const std::string& file, const std::string& host, std::int64_t origin,
                       std::int64_t monotonic_ns);
  void enter(const std::string& file, const std::string& host, std::int64_t origin,
             std::int64_t monotonic_ns, std::optional<std::int64_t> shift);

  std::vector<Clock> clocks_;
  std::map<std::string, File, std::less<>> files_;
  std::int64_t base_ = kNoTime;  // the origin of all times
  std::string places_;           // the file whose times are places in it
};

/// What is true of the beginning of a history, and so of first parts alone.
bool tells_initial(const History& part);

}  // namespace isolde::stream
