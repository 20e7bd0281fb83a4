// Which events of a history belong together: the beginning of something that lasts and its end,
// and those of one kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::history {

/// One thing that happened, at a moment or from one event to another.
struct EventSpan {
  std::size_t first = 0;            ///< in History::events()
  std::optional<std::size_t> last;  ///< where its end was recorded
  bool is_open = false;             ///< it begins, and no end was recorded

  /// Whether it lies at least in part between these times; false where its first has none.
  bool overlaps(const History& history, std::int64_t begin, std::int64_t end) const;
};

/// All of them in the order of their first events. An end closes the last span of its name that
/// is open; one without any is a moment. COST: linear.
std::vector<EventSpan> event_spans(const History& history);

struct EventKind {
  Value kind;  ///< RecordedEvent::kind
  std::size_t count = 0;
};

/// Of events, so that what began and ended counts twice; in the order in which kinds first
/// appear. COST: linear.
std::vector<EventKind> event_kinds(const History& history);

/// How many of each kind happened, "fault 2, phase 1", printable; empty where there are none.
/// What began and ended is one.
std::string events_text(const History& history);

}  // namespace isolde::history
