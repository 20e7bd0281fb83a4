// Since when transactions are under way in a recorder at work, by what it tells in
// FILE.inflight (history/inflight.hpp). It asks nothing of the recorder, which may be another
// process.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isolde/status.hpp"

namespace isolde::io {

/// Of the recording of text at that path: its recorder ended without coming to an end, so that
/// what it has written by now is all that it ever will. False where that is not known. COST: a
/// look at one file.
bool recorder_has_died(const std::string& history);

class InflightWatch {
 public:
  /// Of the recording at that path. ERRORS: kEnvironment where no recorder of this machine is
  /// at work there, or none that tells.
  static Result<InflightWatch> open(const std::string& recording);

  InflightWatch(InflightWatch&& other) noexcept;
  InflightWatch& operator=(InflightWatch&& other) noexcept;
  ~InflightWatch();

  /// A time, on the clock of the history: what is not in the recording when this returns has
  /// not started before. Nothing where the recorder does not tell just now. COST: linear in the
  /// sessions; a new one is a file to open.
  std::optional<std::int64_t> open_since();

  /// Whether the recorder lives, which a lock tells that ends with it.
  bool is_at_work() const;

 private:
  /// The first page of a file of the folder.
  class Page;
  explicit InflightWatch(std::string folder);
  bool map_slots();

  std::string folder_;
  int ledger_ = -1;  // stays open: the folder goes away when the history is complete
  std::vector<std::unique_ptr<const Page>> pages_;  // the ledger, then the slots
};

}  // namespace isolde::io
