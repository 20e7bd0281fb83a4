#include "report/page_data.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/memory_guard.hpp"
#include "base/moment.hpp"
#include "base/printable.hpp"
#include "explain/dot.hpp"
#include "explain/edge_kinds.hpp"
#include "explain/level_rows.hpp"
#include "explain/lists.hpp"
#include "explain/narrate.hpp"
#include "explain/phrase.hpp"
#include "explain/place.hpp"
#include "explain/promise.hpp"
#include "explain/story.hpp"
#include "explain/summary.hpp"
#include "explain/times.hpp"
#include "history/event_spans.hpp"
#include "history/stats.hpp"
#include "history/texts.hpp"
#include "report/brief.hpp"
#include "report/measures.hpp"
#include "report/story.hpp"
#include "report/svg.hpp"
#include "report/window.hpp"

namespace isolde::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kStories = 12;
constexpr std::size_t kEvents = 500;
constexpr std::size_t kTextBytes = 240;        // of one operation, name or key
constexpr std::size_t kStoryTextBytes = 2000;  // of an operation that a story is about
constexpr std::size_t kTextOnPage = 1U << 20;  // of the operations of all transactions
constexpr std::size_t kTextLeast = 500;        // of those of one, however many there are
constexpr std::size_t kTextMost = 8000;
constexpr std::size_t kAroundText = 10;  // numbers and marks of one operation

Json text_json(std::string_view text) { return base::shortened(text, kTextBytes); }

/// Times count from the first start of the history; differences need not fit 63 bits.
Json time_json(std::int64_t time, std::int64_t origin) {
  if (time == kNoTime) return nullptr;
  return static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(origin);
}

std::int64_t first_time(const History& history) {
  std::int64_t first = kNoTime;
  for (std::size_t i = 0; history.has_times() && i < history.txn_count(); ++i) {
    const TxnTimes times = history.times(TxnId::at(i));
    for (const std::int64_t time : {times.start, times.end}) {
      if (time != kNoTime && (first == kNoTime || time < first)) first = time;
    }
  }
  return first;
}

/// Keys that the page mentions, numbered in the order of first mention.
class Keys {
 public:
  explicit Keys(const History& history)
      : history_(history), number_(history.key_count(), kNone) {}

  Json number(KeyId key) {
    if (key.is_none()) return nullptr;
    std::uint32_t& own = number_[key.raw()];
    if (own == kNone) {
      own = static_cast<std::uint32_t>(names_.size());
      names_.push_back(text_json(history_.text(key)));
    }
    return own;
  }

  Json names() const { return names_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  const History& history_;
  std::vector<std::uint32_t> number_;
  Json names_ = Json::array();
};

class PageData {
 public:
  explicit PageData(const explain::ReportModel& input)
      : input_(input), history_(input.history), keys_(input.history) {
    stories_ = tell_stories(history_, input.levels, input.weakest_violated);
    std::ranges::stable_sort(stories_, {}, [&](const Story& story) {
      return !explain::breaks_promise(input_, story.levels);
    });
    stories_total_ = stories_.size();
    if (stories_.size() > kStories) stories_.resize(kStories);
    collect_focus();
    shown_ = choose_window(history_, focus_, focus_keys_);
    origin_ = first_time(history_);
  }

  Result<std::string> write() {
    const base::MemoryGuard::Deferral deferral;
    Json out;
    out["file"] = text_json(base::printable_path(history_.origin().file));
    out["format"] = history_.origin().format;
    out["setting"] = text_json(explain::setting_text(history_.origin()));
    out["loaded"] = input_.loaded;
    out["calendar"] = calendar_json();
    out["order_only"] = history_.has_times() && history_.origin().times_are_order;
    out["kinds"] = kinds_json();
    out["summary"] = summary_json();
    out["counts"] = counts_json();
    out["run"] = run_json();
    out["evidence"] = explain::evidence_text(input_);
    out["notes"] = explain::remarks(input_);
    out["levels"] = levels_json();
    out["columns"] = explain::columns_text();
    out["settings"] = base::printable_lines(explain::settings_text(input_));
    out["strongest"] = names_json(input_.strongest);
    out["weakest"] = names_json(input_.weakest_violated);
    Result<Json> stories = stories_json();
    if (!stories) return stories.error();
    out["stories"] = std::move(stories).value();
    out["stories_total"] = stories_total_;
    out["stories_in_text"] = explain::main_stories(input_).size();
    out["measures"] = measures_json();
    out["sessions"] = Json::array();
    out["txns"] = txns_json(out["sessions"]);
    out["keys"] = keys_.names();
    add_events(out);
    const base::MemoryGuard::Deferral not_here(false);
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  void collect_focus() {
    std::set<TxnId> txns;
    std::set<KeyId> keys;
    const auto add = [&](TxnId txn) {
      if (txn.is_some() && txns.insert(txn).second) focus_.push_back(txn);
    };
    for (const Story& story : stories_) {
      for (const explain::ScenarioTxn& member : story.txns) {
        add(member.txn);
        const std::span<const Op> ops = history_.ops(member.txn);
        for (const std::uint32_t op : member.ops) keys.insert(ops[op].key);
      }
      for (const Arrow& arrow : story.arrows) {
        add(arrow.from);
        add(arrow.to);
      }
    }
    focus_keys_.assign(keys.begin(), keys.end());
  }

  /// The moment at which the time axis of the page begins, in UTC. Numbers of JavaScript do not
  /// hold nanoseconds since 1970.
  Json calendar_json() const {
    const auto moment = explain::moment_of(history_, origin_);
    if (!moment) return nullptr;
    const base::DayAndTime parts = base::day_and_time(*moment);
    constexpr std::int64_t kDay = std::int64_t{24 * 60 * 60} * 1000000000;
    Json out;
    out["day"] = parts.day;
    out["ns"] = (*moment % kDay + kDay) % kDay;
    return out;
  }

  Json summary_json() const {
    const explain::Summary summary = explain::summary_of(input_);
    Json out;
    out["verdict"] = base::printable_lines(summary.verdict);
    out["totals"] = base::printable_lines(summary.totals);
    out["lost"] = base::printable_lines(summary.lost);
    out["one_change"] = base::printable_lines(summary.one_change);
    out["meaning"] = base::printable_lines(summary.meaning);
    out["remedy"] = base::printable_lines(summary.remedy);
    out["advice"] = Json::array();
    for (const explain::Advice& each : summary.more_remedies) {
      out["advice"].push_back(
          {"Against " + explain::against_text(each), base::printable_lines(each.text)});
    }
    if (!summary.locking.empty()) {
      out["advice"].push_back({"What locks bring", base::printable_lines(summary.locking)});
    }
    std::string promise;
    for (const std::string& each : {summary.promise, summary.keeper, summary.namesake}) {
      promise += (promise.empty() || each.empty() ? "" : " ") + each;
    }
    out["promise"] = base::printable_lines(promise);
    return out;
  }

  Json counts_json() const {
    const history::HistoryStats stats = history::stats_of(history_);
    Json out;
    const explain::Extent extent = explain::extent_of(input_);
    const std::optional<explain::Streamed>& streamed = input_.streamed;
    out["sessions"] = extent.sessions;
    out["transactions"] = extent.transactions;
    out["operations"] = streamed ? extent.operations : stats.operations;
    out["keys"] = extent.keys;
    out["committed"] = extent.transactions - extent.aborted - extent.indeterminate;
    out["aborted"] = extent.aborted;
    out["indeterminate"] = extent.indeterminate;
    out["reads"] =
        streamed ? streamed->reads : stats.reads + stats.list_reads + stats.unknown_reads;
    out["writes"] = streamed ? streamed->writes : stats.writes + stats.appends;
    const bool timed = stats.timed > 0 && !history_.origin().times_are_order;
    out["span_ns"] = timed ? Json(stats.span_ns) : Json(nullptr);
    out["open_max"] = stats.concurrency_max;
    out["in_parts"] = streamed.has_value();  // of which the page has a violation at most
    return out;
  }

  Json run_json() const {
    if (!input_.run) return nullptr;
    const explain::RunReport& run = *input_.run;
    Json out;
    out["database"] = text_json(run.database);
    out["version"] = text_json(run.version);
    out["isolation"] = text_json(run.isolation);
    out["workload"] = run.workload;
    out["seed"] = std::to_string(run.seed);
    out["faults"] = run.faults;
    out["reconnects"] = run.reconnects;
    out["given_up"] = run.given_up;
    out["stopped"] = text_json(run.stopped);
    out["reasons"] = Json::array();
    for (const auto& reason : run.reasons) {
      out["reasons"].push_back({text_json(reason.first), reason.second});
    }
    return out;
  }

  static Json names_json(const std::vector<Level>& levels) {
    Json names = Json::array();
    for (Level level : levels) names.push_back(info(level).name);
    return names;
  }

  /// Position of the story that breaks the level, if it is on the page.
  Json story_of(Level level) const {
    for (std::size_t i = 0; i < stories_.size(); ++i) {
      const std::vector<Level>& levels = stories_[i].levels;
      if (std::find(levels.begin(), levels.end(), level) != levels.end()) return i;
    }
    return nullptr;
  }

  /// Levels of one family differ in whether session order or real time binds.
  static std::string_view family(Level level) {
    std::string_view name = info(level).name;
    for (const LevelInfo& row : all_levels()) {
      if (row.base != info(level).base) continue;
      name = row.name;
      if (!row.session_order && !row.real_time) break;
    }
    return name;
  }

  Json levels_json() const {
    Json out = Json::array();
    for (const explain::LevelOutcome& outcome : input_.levels) {
      const LevelInfo& row = info(outcome.level);
      Json level;
      level["name"] = row.name;
      level["alias"] = row.alias;
      level["family"] = family(outcome.level);
      level["session_order"] = row.session_order;
      level["real_time"] = row.real_time;
      level["summary"] = row.summary;
      level["verdict"] = name(outcome.verdict);
      level["promised"] = &outcome == explain::promised_outcome(input_);
      std::string reason = outcome.why();
      const std::string basis = explain::basis_text(outcome);
      if (!basis.empty()) reason += (reason.empty() ? "" : "; ") + basis;
      level["reason"] = base::printable_lines(reason);
      level["story"] = story_of(outcome.level);
      out.push_back(std::move(level));
    }
    return out;
  }

  /// The level that the tab of the story names.
  Level headline_of(const Story& story) const {
    explain::Story told;
    told.scenario = story.scenario;
    std::ranges::copy_if(story.levels, std::back_inserter(told.levels), [&](Level level) {
      return std::ranges::find(input_.weakest_violated, level) != input_.weakest_violated.end();
    });
    if (told.levels.empty()) told.levels.push_back(story.levels.back());
    return explain::headline_levels(input_, told).front();
  }

  Result<Json> stories_json() {
    Json out = Json::array();
    for (const Story& story : stories_) {
      const std::string dot =
          explain::to_dot(history_, *story.scenario, {.stands_alone = false, .whole = false});
      Result<std::string> svg = to_svg(dot);
      if (!svg) return svg.error();
      Json one;
      one["label"] = explain::label(story.scenario->anomaly);
      one["lesson"] = story.scenario->anomaly.lesson;
      one["cause"] = story.scenario->anomaly.cause;
      one["statement"] = base::printable_lines(story.scenario->statement);
      one["finding"] = base::printable_lines(story.finding);
      one["text"] = base::printable_lines(story.text);
      one["text_is_cut"] = story.text_is_cut;
      one["levels"] = names_json(story.levels);
      one["headline"] = info(headline_of(story)).name;
      const SessionId session = story.scenario->session;
      one["session"] = session.is_some() ? text_json(history::session_text(history_, session))
                                         : Json(nullptr);
      const explain::OperationTexts texts(history_, *story.scenario);
      one["txns"] = members_json(story.txns, &texts);
      add_brief(BriefTexts(history_, *story.scenario), texts, story.txns, one["txns"]);
      one["left_out"] = story.scenario->txns.size() - story.txns.size();
      one["txns_total"] = story.scenario->txns_total;
      one["steps_total"] = story.scenario->steps_total;
      one["complete"] = story.scenario->complete();
      one["kind"] = story.scenario->finding      ? "finding"
                    : story.scenario->exhaustion ? "exhaustion"
                                                 : "argument";
      one["bad"] = bad_json(*story.scenario);
      one["closing"] = base::printable_lines(story.closing);
      one["reasons"] = Json::array();
      for (const explain::SupplyLine& reason : story.reasons) {
        one["reasons"].push_back(
            {{"depth", reason.depth}, {"text", base::printable_lines(reason.text)}});
      }
      one["order"] = order_json(story);
      one["arrows"] = arrows_json(story);
      one["chapters"] = Json::array();
      for (const Chapter& chapter : story.chapters) {
        one["chapters"].push_back(chapter_json(chapter));
      }
      one["svg"] = std::move(svg).value();
      out.push_back(std::move(one));
    }
    return out;
  }

  /// What became of the search for an order of the others, in the page's words.
  static std::string_view search_text(explain::Furthest::Search search) {
    using Search = explain::Furthest::Search;
    switch (search) {
      case Search::kFound:
        return "found";
      case Search::kExhausted:
        return "no order without it was found";
      case Search::kGivenUp:
        return "the search for an order without it took too long";
      case Search::kNone:
        break;
    }
    return "no order without it was looked for";
  }

  /// How far the transactions of what is not linearizable can be put in order: the last names,
  /// how many there are, the places of those of the story from 1, and whom no order has room
  /// for.
  Json order_json(const Story& story) const {
    if (story.ordered_key.is_none()) return nullptr;
    Json out = {{"unplaced", text_json(story.unplaced)}, {"names", Json::array()}};
    for (const std::string& name : story.order) out["names"].push_back(text_json(name));
    out["key"] = text_json(history::key_text(history_, story.ordered_key));
    // Where arrows tell what went wrong, numbers in the boxes are noise.
    out["in_boxes"] = story.scenario->exhaustion.has_value();
    const explain::Furthest& furthest = story.furthest;
    const bool is_shown = furthest.found() || !furthest.order.empty();
    out["total"] = is_shown ? Json(furthest.order.size()) : Json(nullptr);
    out["found"] = furthest.found();
    out["search"] = search_text(furthest.search);
    out["places"] = Json::array();
    for (const explain::ScenarioTxn& member : story.txns) {
      if (!is_shown) break;
      const auto found = std::ranges::find(furthest.order, member.txn);
      const bool is_placed = found != furthest.order.end();
      out["places"].push_back(is_placed ? found - furthest.order.begin() + 1 : 0);
    }
    return out;
  }

  /// What an arrow from A to B of each kind says.
  static Json kinds_json() {
    Json out = Json::object();
    for (const explain::EdgeKindWords& words : explain::kEdgeKinds) {
      out[std::string(words.letters)] = {words.name, words.meaning};
    }
    return out;
  }

  /// Reads of long lists, by number of the operation, as differences to another of the story;
  /// and selections, whose other operations are told by nothing.
  Json told_json(const explain::OperationTexts& texts,
                 const explain::ScenarioTxn& member) const {
    Json out = Json::object();
    for (const explain::OperationTexts::Told& told : texts.of(member)) {
      if (!told.is_long) continue;
      const std::uint32_t first = shown_op(member.txn, told.ops.front());
      if (const Selection* const selection = history_.selection_of(member.txn, first)) {
        for (std::uint32_t op = selection->first; op < selection->first + selection->rows;
             ++op) {
          out[std::to_string(op)] = "";
        }
        for (const std::uint32_t op : told.ops) out[std::to_string(op)] = "";
      }
      out[std::to_string(first)] = base::shortened(told.text, kStoryTextBytes);
    }
    return out;
  }

  /// What boxes say of operations that they do not tell as a whole, by number of the operation.
  void add_brief(const BriefTexts& brief, const explain::OperationTexts& texts,
                 const std::vector<explain::ScenarioTxn>& members, Json& out) const {
    for (std::size_t i = 0; i < members.size(); ++i) {
      const TxnId txn = members[i].txn;
      Json one = Json::object();
      for (const explain::OperationTexts::Told& told : texts.of(members[i])) {
        const std::uint32_t first = shown_op(txn, told.ops.front());
        const Selection* const selection = history_.selection_of(txn, first);
        std::string text = selection != nullptr ? brief.of_selection(txn, *selection, told.ops)
                                                : brief.of({txn, first}, told.text);
        if (text.size() >= told.text.size()) continue;
        one[std::to_string(first)] = std::move(text);
      }
      out[i]["brief"] = std::move(one);
    }
  }

  /// An aggregate is one operation, whichever of its items matters.
  std::uint32_t shown_op(TxnId txn, std::uint32_t op) const {
    const Selection* const selection = history_.selection_of(txn, op);
    return selection != nullptr && selection->is_aggregate() ? selection->first : op;
  }
  std::vector<std::uint32_t> shown_ops(const explain::ScenarioTxn& member) const {
    std::vector<std::uint32_t> ops;
    for (const std::uint32_t op : member.ops) {
      const std::uint32_t shown = shown_op(member.txn, op);
      if (ops.empty() || ops.back() != shown) ops.push_back(shown);
    }
    return ops;
  }

  Json members_json(const std::vector<explain::ScenarioTxn>& txns,
                    const explain::OperationTexts* texts = nullptr) const {
    Json out = Json::array();
    for (const explain::ScenarioTxn& member : txns) {
      out.push_back({{"txn", place(member.txn)}, {"ops", shown_ops(member)}});
      if (texts != nullptr) out.back()["told"] = told_json(*texts, member);
    }
    return out;
  }

  Json chapter_json(const Chapter& chapter) const {
    Json out;
    out["number"] = chapter.number;
    out["heading"] = base::printable_lines(chapter.heading);
    out["conclusion"] = base::printable_lines(chapter.conclusion);
    out["arrows"] = chapter.arrows;
    out["evidence"] = chapter.evidence;
    out["txns"] = members_json(chapter.txns);
    out["from"] = chapter.from;
    out["left_out"] = chapter.left_out;
    return out;
  }

  /// The operations that no order has room for: the finding's, all that make up a total, or
  /// those of the transaction with whose end the last possible order was gone.
  static Json bad_json(const explain::Scenario& scenario) {
    Json out = Json::array();
    if (scenario.finding && scenario.sums) {
      for (const std::uint32_t read : scenario.sums->reads) out.push_back({0, read});
    } else if (scenario.finding) {
      out.push_back({0, scenario.finding->op});
    }
    if (!scenario.exhaustion) return out;
    // The reader that nobody can have supplied is told of first.
    if (scenario.unsupplied) return Json::array({{0, scenario.unsupplied->op}});
    for (std::size_t i = 0; i < scenario.txns.size(); ++i) {
      if (scenario.txns[i].txn != scenario.exhaustion->until) continue;
      for (const std::uint32_t op : scenario.txns[i].ops) out.push_back({i, op});
    }
    return out;
  }

  Json arrows_json(const Story& story) {
    Json out = Json::array();
    for (const Arrow& arrow : story.arrows) {
      Json one;
      one["from"] = place(arrow.from);
      one["to"] = place(arrow.to);
      one["kind"] = arrow.kind;
      one["key"] = keys_.number(arrow.key);
      one["because"] = base::printable_lines(arrow.because);
      one["assumed"] = arrow.assumed;
      out.push_back(std::move(one));
    }
    return out;
  }

  /// Of the transaction among those on the page.
  std::size_t place(TxnId txn) const {
    const auto found = std::lower_bound(shown_.begin(), shown_.end(), txn);
    return static_cast<std::size_t>(found - shown_.begin());
  }

  Json measures_json() {
    const Measures measures = measure(history_, focus_keys_);
    Json out;
    out["timed"] = measures.timed;
    out["length"] = measures.length;
    // Where the first interval begins, on the time axis of the page.
    out["begin"] = measures.timed ? time_json(measures.origin, origin_) : Json(0);
    out["left_out"] = measures.left_out;
    out["intervals"] = Json::array();
    for (const Interval& one : measures.intervals) {
      const auto time = [](std::int64_t ns) { return ns == kNoTime ? Json() : Json(ns); };
      out["intervals"].push_back(
          {one.committed, one.aborted, one.indeterminate, time(one.median_ns), time(one.p95_ns),
           time(one.max_ns),
           static_cast<double>(static_cast<std::int64_t>(one.open * 1000)) / 1000});
    }
    out["keys"] = Json::array();
    for (const KeyHeat& heat : measures.keys) {
      const bool marked = std::binary_search(focus_keys_.begin(), focus_keys_.end(), heat.key);
      out["keys"].push_back({{"key", keys_.number(heat.key)},
                             {"reads", heat.reads},
                             {"writes", heat.writes},
                             {"marked", marked},
                             {"uses", heat.uses}});
    }
    out["keys_total"] = measures.keys_total;
    add_measured_events(measures, out);
    return out;
  }

  /// What happened in the whole history beside its transactions, the first ones of very many.
  void add_measured_events(const Measures& measures, Json& out) const {
    Json events = Json::array();
    std::size_t left_out = 0;
    for (const history::EventSpan& span : history::event_spans(history_)) {
      if (!measures.timed || history_.events()[span.first].at == kNoTime) continue;
      if (events.size() < kEvents) {
        events.push_back(event_json(span));
      } else {
        ++left_out;
      }
    }
    out["events"] = std::move(events);
    out["events_left_out"] = left_out;
  }

  Json txns_json(Json& sessions) {
    // Operations that the stories are about are on the page whatever its limits.
    for (const Story& story : stories_) {
      for (const explain::ScenarioTxn& member : story.txns) {
        for (const std::uint32_t op : member.ops) needed_.emplace(member.txn, op);
      }
    }
    std::vector<std::uint32_t> session_number(history_.session_count(), kNone);
    Json out = Json::array();
    for (const TxnId txn : shown_) {
      const SessionId session = history_.session_of(txn);
      std::uint32_t& number = session_number[session.raw()];
      if (number == kNone) {
        number = static_cast<std::uint32_t>(sessions.size());
        sessions.push_back(text_json(history::session_text(history_, session)));
      }
      out.push_back(txn_json(txn, number));
    }
    return out;
  }

  Json txn_json(TxnId txn, std::uint32_t session) {
    const TxnTimes times = history_.times(txn);
    Json one;
    one["id"] = text_json(history_.txn_name(txn));
    one["number"] = txn.raw();
    one["session"] = session;
    one["status"] = static_cast<int>(history_.status(txn));
    const Json start = time_json(times.start, origin_);
    const Json end = time_json(times.end, origin_);
    const bool only_order = history_.origin().times_are_order;
    one["start"] = only_order ? Json() : start;
    one["end"] = only_order ? Json() : end;
    if (only_order) one["order"] = {start, end};
    const std::string where = explain::place_text(history_, txn);
    if (!where.empty()) one["where"] = text_json(where);
    if (const auto level = history_.stated_level(txn)) one["level"] = info(*level).name;
    if (!history_.server(txn).is_null()) {
      one["server"] = text_json(history_.text(history_.server(txn)));
    }
    add_ops(txn, one);
    return one;
  }

  /// What happened while the transactions of the page ran, the nearest before and after, and
  /// how much more there is.
  void add_events(Json& out) const {
    std::int64_t begin = kNoTime;
    std::int64_t end = kNoTime;
    for (const TxnId txn : shown_) {
      const TxnTimes times = history_.times(txn);
      for (const std::int64_t time : {times.start, times.end}) {
        if (time == kNoTime) continue;
        begin = begin == kNoTime ? time : std::min(begin, time);
        end = std::max(end, time);
      }
    }
    Json events = Json::array();
    std::size_t left_out = 0;
    std::optional<history::EventSpan> before;  // the last one, and the first one behind
    std::optional<history::EventSpan> behind;
    const std::vector<history::EventSpan> spans = history::event_spans(history_);
    for (const history::EventSpan& span : spans) {
      const std::int64_t at = history_.events()[span.first].at;
      const bool is_here = begin != kNoTime && span.overlaps(history_, begin, end);
      if (is_here && events.size() < kEvents) {
        events.push_back(event_json(span));
        continue;
      }
      ++left_out;
      if (is_here || begin == kNoTime || at == kNoTime) continue;
      if (at < begin) before = span;
      if (at > end && !behind) behind = span;
    }
    // A fault that is felt later is worth a look.
    if (before) events.insert(events.begin(), event_json(*before));
    if (behind) events.push_back(event_json(*behind));
    left_out -= (before ? 1 : 0) + (behind ? 1 : 0);
    out["events"] = std::move(events);
    out["events_left_out"] = left_out;
  }

  Json event_json(const history::EventSpan& span) const {
    const RecordedEvent& event = history_.events()[span.first];
    const auto text = [&](Value value) {
      return value.is_null() ? Json("") : text_json(history_.text(value));
    };
    // It may have begun before the first transaction; JavaScript has no more digits than this.
    const auto time = [&](std::int64_t at) -> Json {
      if (at == kNoTime || at >= origin_) return time_json(at, origin_);
      return static_cast<double>(at) - static_cast<double>(origin_);
    };
    return {{"kind", text(event.kind)},
            {"what", text(event.what)},
            {"at", time(event.at)},
            {"until", span.last ? time(history_.events()[*span.last].at) : Json()},
            {"open", span.is_open}};
  }

  /// As many as the transaction's share of the page has room for.
  void add_ops(TxnId txn, Json& one) {
    const std::size_t share = std::clamp(kTextOnPage / shown_.size(), kTextLeast, kTextMost);
    std::size_t used = 0;
    std::size_t hidden = 0;
    one["ops"] = Json::array();
    const std::span<const Op> ops = history_.ops(txn);
    for (std::uint32_t op = 0; op < ops.size(); ++op) {
      const bool needed = needed_.contains({txn, op});
      if (ops[op].kind == OpKind::kReadAbsent && !needed) continue;
      if (used >= share && !needed) {
        ++hidden;
        continue;
      }
      std::string text = base::shortened(explain::op_text(history_, explain::OpRef{txn, op}),
                                         needed ? kStoryTextBytes : kTextBytes);
      used += text.size() + kAroundText;
      one["ops"].push_back({op, keys_.number(ops[op].key), std::move(text)});
    }
    if (hidden > 0) one["hidden"] = hidden;
  }

  static constexpr std::uint32_t kNone = 0xffffffffU;

  const explain::ReportModel& input_;
  const History& history_;
  Keys keys_;
  std::vector<Story> stories_;
  std::size_t stories_total_ = 0;
  std::vector<TxnId> focus_;
  std::vector<KeyId> focus_keys_;  // ascending
  std::vector<TxnId> shown_;       // ascending
  std::set<std::pair<TxnId, std::uint32_t>> needed_;
  std::int64_t origin_ = kNoTime;
};

}  // namespace

Result<std::string> page_data(const explain::ReportModel& input) {
  return PageData(input).write();
}

}  // namespace isolde::report
