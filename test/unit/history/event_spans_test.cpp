#include "history/event_spans.hpp"

#include <gtest/gtest.h>

#include <string>

#include "isolde/history_builder.hpp"

namespace isolde::history {
namespace {

using Part = RecordedEvent::Part;

class EventSpans : public testing::Test {
 protected:
  void add(Part part, std::string_view name, std::int64_t at) {
    const Value what = builder_.string("fault");
    builder_.add_event(
        {what, {}, part == Part::kMoment ? Value() : builder_.string(name), at, part});
  }

  /// Each as "first-last", "first-" where it is open, "first" for a moment.
  std::string text() {
    history_ = std::move(builder_.finish()).value();
    std::string out;
    for (const EventSpan& span : event_spans(history_)) {
      out += (out.empty() ? "" : " ") + std::to_string(span.first);
      if (span.last) out += "-" + std::to_string(*span.last);
      if (span.is_open) out += "-";
    }
    return out;
  }

  HistoryBuilder builder_;
  History history_;
};

TEST_F(EventSpans, NamesTellWhatBelongsTogether) {
  add(Part::kBegins, "n1", 1);
  add(Part::kMoment, "", 2);
  add(Part::kBegins, "n2", 3);
  add(Part::kEnds, "n1", 4);
  add(Part::kBegins, "n1", 5);
  add(Part::kEnds, "n1", 6);
  EXPECT_EQ(text(), "0-3 1 2- 4-5");
}

TEST_F(EventSpans, AnEndClosesTheLastThatIsOpen) {
  add(Part::kEnds, "n1", 1);
  add(Part::kBegins, "n1", 2);
  add(Part::kBegins, "n1", 3);
  add(Part::kEnds, "n1", 4);
  add(Part::kEnds, "n1", 5);
  add(Part::kEnds, "n1", 6);
  EXPECT_EQ(text(), "0 1-4 2-3 5");
}

TEST_F(EventSpans, KindsAreCounted) {
  EXPECT_EQ(events_text(std::move(HistoryBuilder().finish()).value()), "");
  for (const char* kind : {"b", "a\n", "b", "c", "d", "e", "f", "g", "h", "b"}) {
    builder_.add_event({builder_.string(kind), {}, {}, 1, Part::kMoment});
  }
  const History history = std::move(builder_.finish()).value();
  const std::vector<EventKind> kinds = event_kinds(history);
  ASSERT_EQ(kinds.size(), 8U);
  EXPECT_EQ(kinds[0].count, 3U);
  EXPECT_EQ(history.text(kinds[1].kind), "a\\x0a");
  EXPECT_EQ(events_text(history), "b 3, a\\x0a 1, c 1, d 1, e 1, f 1 and 2 other kinds");
}

// Goal: what people read counts faults and not their ends; an end without a beginning counts.
TEST_F(EventSpans, AFaultThatEndedIsOne) {
  const Value fault = builder_.string("fault");
  const Value heal = builder_.string("heal");
  for (const char* name : {"n1", "n2"}) {
    builder_.add_event({fault, {}, builder_.string(name), 1, Part::kBegins});
  }
  builder_.add_event({fault, {}, builder_.string("n1"), 2, Part::kEnds});
  builder_.add_event({fault, {}, builder_.string("n3"), 3, Part::kEnds});
  builder_.add_event({heal, {}, builder_.string("n2"), 4, Part::kEnds});
  const History history = std::move(builder_.finish()).value();
  EXPECT_EQ(event_kinds(history)[0].count, 4U);
  EXPECT_EQ(events_text(history), "fault 3");
}

TEST_F(EventSpans, OverlapTimes) {
  add(Part::kBegins, "a", 10);
  add(Part::kEnds, "a", 20);
  add(Part::kMoment, "", 15);
  add(Part::kBegins, "b", 12);
  add(Part::kBegins, "c", kNoTime);
  add(Part::kBegins, "d", 14);
  add(Part::kEnds, "d", kNoTime);
  ASSERT_EQ(text(), "0-1 2 3- 4- 5-6");
  const auto overlapping = [&](std::int64_t begin, std::int64_t end) {
    std::string out;
    for (const EventSpan& span : event_spans(history_)) {
      out += span.overlaps(history_, begin, end) ? 'x' : '.';
    }
    return out;
  };
  EXPECT_EQ(overlapping(0, 9), ".....");
  EXPECT_EQ(overlapping(0, 10), "x....");
  EXPECT_EQ(overlapping(11, 13), "x.x..");
  EXPECT_EQ(overlapping(14, 15), "xxx.x");
  EXPECT_EQ(overlapping(21, 99), "..x..");
}

}  // namespace
}  // namespace isolde::history
