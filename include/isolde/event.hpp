// What happened beside the transactions, as far as the recording tells: faults, restarts,
// phases of a test. No verdict depends on it.
#pragma once

#include <cstdint>

#include "isolde/operation.hpp"
#include "isolde/times.hpp"

namespace isolde {

/// Texts are strings of the history's pool.
struct RecordedEvent {
  enum class Part : std::uint8_t {
    kMoment,  ///< all of it
    kBegins,  ///< the beginning of something that lasts
    kEnds,    ///< the end of the last one of that name that is open
  };

  Value kind;                 ///< "fault"
  Value what;                 ///< "pause n2"; null: not told
  Value name;                 ///< of what begins or ends, "n2"; null for kMoment
  std::int64_t at = kNoTime;  ///< on the clients' clock, as TxnTimes
  Part part = Part::kMoment;
};

}  // namespace isolde
