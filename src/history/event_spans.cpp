#include "history/event_spans.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/text.hpp"

namespace isolde::history {

bool EventSpan::overlaps(const History& history, std::int64_t begin, std::int64_t end) const {
  const std::int64_t from = history.events()[first].at;
  const std::int64_t to = last ? history.events()[*last].at : kNoTime;
  return from != kNoTime && from <= end && (is_open || std::max(from, to) >= begin);
}

std::vector<EventSpan> event_spans(const History& history) {
  using Part = RecordedEvent::Part;
  std::vector<EventSpan> spans;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> open;  // by name
  for (std::size_t i = 0; i < history.events().size(); ++i) {
    const RecordedEvent& event = history.events()[i];
    if (event.part == Part::kMoment) {
      spans.push_back({i, std::nullopt, false});
      continue;
    }
    std::vector<std::size_t>& begun = open[event.name.bits()];
    if (event.part == Part::kBegins) {
      begun.push_back(spans.size());
      spans.push_back({i, std::nullopt, true});
    } else if (begun.empty()) {
      spans.push_back({i, std::nullopt, false});
    } else {
      spans[begun.back()].last = i;
      spans[begun.back()].is_open = false;
      begun.pop_back();
    }
  }
  return spans;
}

std::vector<EventKind> event_kinds(const History& history) {
  std::vector<EventKind> kinds;
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (const RecordedEvent& event : history.events()) {
    const auto [place, is_new] = places.emplace(event.kind.bits(), kinds.size());
    if (is_new) kinds.push_back({event.kind, 0});
    ++kinds[place->second].count;
  }
  return kinds;
}

std::string events_text(const History& history) {
  constexpr std::size_t kNamed = 6;
  std::vector<EventKind> kinds = event_kinds(history);
  if (kinds.empty()) return {};
  // A fault that ended is one fault, and not two.
  for (const EventSpan& span : event_spans(history)) {
    if (!span.last) continue;
    const Value kind = history.events()[*span.last].kind;
    --std::ranges::find(kinds, kind, &EventKind::kind)->count;
  }
  std::erase_if(kinds, [](const EventKind& each) { return each.count == 0; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kinds.size(), kNamed); ++i) {
    text +=
        (i > 0 ? ", " : "") + history.text(kinds[i].kind) + " " + base::grouped(kinds[i].count);
  }
  if (kinds.size() > kNamed) {
    text += " and " + base::plural(kinds.size() - kNamed, "other kind");
  }
  return text;
}

}  // namespace isolde::history
