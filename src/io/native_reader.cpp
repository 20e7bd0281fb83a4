// The native JSON Lines format: a header line, then one transaction a line.
// docs/formats/native.md is the specification.
//
// Each line is parsed by itself with simdjson's On-Demand front end instead of the whole file
// as a document stream: that costs about 40 ns a line, and buys exact line numbers, one place
// to decide what a torn last line is, and errors that cannot leak from one line into the next.
// A line is first taken apart into a LineTxn and handed to the HistoryBuilder only when all of
// it was understood, so that a torn line leaves no half transaction behind.
//
// With several threads, other readers of this kind parse blocks of lines, each into a history
// of its own (io/native_blocks.hpp), and this one joins them.
//
// When a recorder has died, transactions that were under way stand in FILE.inflight
// (io/leftovers.hpp). Taken in like further lines, they make the history complete.
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "base/phrases.hpp"
#include "history/inflight.hpp"
#include "history/level_names.hpp"
#include "io/bad_input.hpp"
#include "io/file_names.hpp"
#include "io/leftovers.hpp"
#include "io/native.hpp"
#include "io/native_blocks.hpp"
#include "io/native_event.hpp"
#include "io/native_initial.hpp"
#include "io/native_line.hpp"
#include "io/native_operation.hpp"
#include "io/native_recording.hpp"
#include "io/scalar_text.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

/// Nothing follows the value that was parsed. (On-Demand by itself does not look.)
bool is_at_end(ondemand::document& document) {
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

class NativeReader {
 public:
  NativeReader(const Inputs& inputs, base::Budget& budget)
      : NativeReader(inputs.files.front(), inputs.leftovers, budget) {
    inputs_ = &inputs;
  }
  NativeReader(const Input& file, const Leftovers& leftovers, base::Budget& budget)
      : file_(file), leftovers_(leftovers), budget_(budget), end_(file.view().size()) {}

  Result<History> read();
  NativeBlock read_block(std::size_t begin, std::size_t end);

 private:
  // Parsing functions return false after the first problem and leave its text in problem_.
  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  bool check(error_code code) {
    if (code == SUCCESS) return true;
    return fail(std::string("malformed JSON: ") + simdjson::error_message(code));
  }

  bool next_line();
  bool iterate(ondemand::document& document);
  bool finish(ondemand::document& document);

  bool parse_header();
  bool parse_header_field(ondemand::field& field);
  bool parse_texts(ondemand::value value, std::string_view name, std::vector<std::string>& out);
  bool is_header_cut() const;

  bool parse_txn();
  bool parse_txn_field(ondemand::field& field);
  bool parse_session(ondemand::value value);
  bool parse_status(ondemand::value value);
  bool parse_level(ondemand::value value);
  bool parse_server(ondemand::value value);
  bool parse_time(ondemand::value value, std::string_view name, std::int64_t& out);
  bool parse_ops(ondemand::value value);
  bool parse_scalar(ondemand::value value, std::string_view what, Value& out);
  bool parse_number(ondemand::value value, Value& out);
  bool parse_string(ondemand::value value, std::string_view& out);
  bool parse_event();
  void add_txn();
  /// What found nothing in a file of version 1 was read before there was anything, by
  /// definition: readers that know no deletions would decide wrongly.
  bool has_early_delete(HistoryBuilder& builder) const {
    return version_ < kVersionOfDeletes && builder.origin().rows_are_deleted;
  }

  Error error_here() const {
    if (budget_.exhausted()) return out_of_budget().error();
    if (has_memory_) return bad_line(file_.name, line_number_, problem_);
    return {ErrorCode::kLimit, file_.name + ": not enough memory while reading the input"};
  }
  void note(std::string text) { builder_.origin().notes.push_back(std::move(text)); }
  void note_truncation();

  Result<History> finish_history();
  Status read_lines();
  Status read_blocks();
  void reserve_by_sample();
  void forget_read();
  Status out_of_budget() const {
    return Error{ErrorCode::kLimit,
                 file_.name + ": " + budget_.reason() + " while reading the input"};
  }
  Status stopped_early();
  Status take_leftovers();
  bool take_leftover(const LeftoverText& leftover, std::string_view line);

  const Input& file_;
  const Leftovers& leftovers_;
  base::Budget& budget_;
  const Inputs* inputs_ = nullptr;  // none for a block alone
  HistoryBuilder builder_;
  ondemand::parser parser_;
  std::size_t parser_capacity_ = 0;
  bool has_memory_ = true;  // for the parser

  std::string_view line_;
  std::size_t line_capacity_ = 0;  // from its beginning to the end of what may be read
  std::size_t next_begin_ = 0;
  std::size_t end_;                // of the lines to read, in the file
  std::uint64_t line_number_ = 0;  // 0: the line is not of the file
  bool line_is_ended_ = false;     // by a newline, or by zeros that nobody changes

  LineTxn txn_;
  OperationParser operations_{[this](ondemand::value value, std::string_view what, Value& out) {
                                return parse_scalar(value, what, out);
                              },
                              [this](std::string problem) { return fail(std::move(problem)); },
                              builder_};
  InitialParser initial_{[this](ondemand::value value, std::string_view what, Value& out) {
                           return parse_scalar(value, what, out);
                         },
                         [this](std::string problem) { return fail(std::move(problem)); },
                         builder_};
  std::string problem_;
  std::int64_t version_ = 0;
  bool has_initial_ = false;
  std::string kind_;
  bool truncated_ = false;
  LineEvent event_;  // what the line is, if it is no transaction

  bool ends_ = false;                        // the header promises such a line at the end
  bool has_end_ = false;                     // it was the last line so far
  std::int64_t end_error_ns_ = kNoTime;      // and told this of the clock
  bool last_cut_ = false;                    // the last line is cut off
  std::vector<std::uint64_t> session_txns_;  // so far
  std::uint64_t open_leftovers_ = 0;
  std::uint64_t whole_leftovers_ = 0;
  static constexpr std::int64_t kVersionOfDeletes = 2;
  static constexpr const char* kEarlyDelete =
      "a deletion, an increment, an aggregate, a compare-and-set, a refused insert, a lock, a "
      "row with columns or a version in a file of version 1; its first line must say "
      "\"isolde\":2";
  static constexpr std::size_t kLongLine = std::size_t{4} << 20;
  static constexpr std::size_t kSample = std::size_t{1} << 20;
  std::size_t forgotten_ = 0;  // bytes before this were given back
  bool is_sampled_ = false;    // what the rest of the file will need has been reserved
  bool has_gap_ = false;       // a leftover stands behind transactions that are not in the file
};

bool NativeReader::next_line() {
  const std::string_view rest = file_.view().substr(0, end_).substr(next_begin_);
  line_capacity_ = file_.view().size() + file_.padding() - next_begin_;
  if (rest.empty()) return false;
  const std::size_t length = rest.find('\n');
  line_is_ended_ = length != std::string_view::npos;
  line_ = rest.substr(0, length);
  next_begin_ += line_.size() + (line_is_ended_ ? 1 : 0);
  ++line_number_;
  return true;
}

/// Starts parsing the current line.
bool NativeReader::iterate(ondemand::document& document) {
  if (line_.size() > parser_capacity_) {
    // With room for longer ones; but the parser takes almost six bytes for each of the line.
    const std::size_t more = std::min(line_.size(), kLongLine);
    parser_capacity_ = std::max<std::size_t>(line_.size() + more, std::size_t{1} << 16);
    const error_code allocated = parser_.allocate(parser_capacity_);
    has_memory_ = has_memory_ && allocated != simdjson::MEMALLOC;
    if (!check(allocated)) return false;
  }
  return check(parser_.iterate(line_, line_capacity_).get(document));
}

bool NativeReader::finish(ondemand::document& document) {
  return is_at_end(document) || fail("malformed JSON: text after the object");
}

bool NativeReader::parse_texts(ondemand::value value, std::string_view name,
                               std::vector<std::string>& out) {
  ondemand::array array;
  const std::string wrong =
      '"' + std::string(name) + "\" of the header is not an array of strings";
  if (value.get_array().get(array) != SUCCESS) return fail(wrong);
  for (auto element : array) {
    std::string_view text;
    if (element.get_string().get(text) != SUCCESS) return fail(wrong);
    out.emplace_back(text);
  }
  return true;
}

bool NativeReader::parse_header_field(ondemand::field& field) {
  const ondemand::raw_json_string name = field.key();
  ondemand::value value = field.value();
  if (name.unsafe_is_equal("isolde")) {
    return value.get_int64().get(version_) == SUCCESS ||
           fail("\"isolde\" is not a version number");
  }
  if (name.unsafe_is_equal("kind")) {
    std::string_view kind;
    if (value.get_string().get(kind) != SUCCESS) return fail("\"kind\" is not a string");
    kind_ = kind;
    return true;
  }
  if (name.unsafe_is_equal("truncated")) {
    return value.get_bool().get(truncated_) == SUCCESS ||
           fail("\"truncated\" is not true or false");
  }
  if (name.unsafe_is_equal("ends")) {
    return value.get_bool().get(ends_) == SUCCESS || fail("\"ends\" is not true or false");
  }
  if (name.unsafe_is_equal("sessions")) {
    std::vector<std::string> sessions;
    if (!parse_texts(value, "sessions", sessions)) return false;
    for (const std::string& session : sessions) builder_.session(session);
    return true;
  }
  if (name.unsafe_is_equal("initial")) {
    if (has_initial_) return fail("\"initial\" occurs twice");
    has_initial_ = true;
    return initial_.parse(value);
  }
  std::vector<std::string>& notes = builder_.origin().notes;
  if (name.unsafe_is_equal("notes")) return parse_texts(value, "notes", notes);
  return check(read_recording(name, value, builder_.origin()));
}

bool NativeReader::parse_header() {
  constexpr const char* kExpected =
      R"(the first line is not a header; it must be {"isolde":1,"kind":"history"})";
  ondemand::document document;
  ondemand::object object;
  if (!is_closed(line_) || !iterate(document) || document.get_object().get(object) != SUCCESS) {
    return fail(kExpected);
  }
  for (auto item : object) {
    ondemand::field field;
    if (!check(std::move(item).get(field)) || !parse_header_field(field)) return false;
  }
  if (!finish(document)) return false;
  if (version_ == 0) return fail(kExpected);
  if (version_ < 1 || version_ > kVersionOfDeletes) {
    return fail("this is version " + std::to_string(version_) +
                " of the native format and this Isolde reads versions 1 and 2; use a newer "
                "Isolde");
  }
  if (has_initial_ && version_ < kVersionOfDeletes) {
    return fail(
        "initial contents in a file of version 1; its first line must say \"isolde\":2");
  }
  builder_.origin().rows_are_deleted = version_ >= kVersionOfDeletes;
  if (kind_ != "history") {
    return fail("this is a file of kind '" + printable_excerpt(kind_) +
                "'; expected \"kind\":\"history\"");
  }
  return true;
}

/// A recorder may die while it writes the header. Nothing else is accepted without one.
bool NativeReader::is_header_cut() const {
  constexpr std::string_view kBegin = "{\"isolde\":";
  return !line_is_ended_ && !is_closed(line_) &&
         (line_.starts_with(kBegin) || kBegin.starts_with(line_));
}

/// The characters of a string, without a copy when it has no escapes.
bool NativeReader::parse_string(ondemand::value value, std::string_view& out) {
  std::string_view token = value.raw_json_token();
  const std::size_t end = token.find('"', 1);
  if (end != std::string_view::npos && std::memchr(token.data(), '\\', end) == nullptr) {
    out = token.substr(1, end - 1);
    return true;
  }
  return check(value.get_string().get(out));
}

bool NativeReader::parse_number(ondemand::value value, Value& out) {
  std::int64_t number = 0;
  if (value.get_int64().get(number) == SUCCESS) {
    out = builder_.integer(number);
    return true;
  }
  const std::string_view token = trim_json(value.raw_json_token());
  if (!is_json_number(token))
    return fail("malformed JSON: '" + printable_excerpt(token) + "' is not a number");
  out = builder_.literal(token);
  return true;
}

/// Any scalar; null is left for the caller to judge. `what` names the place in messages.
bool NativeReader::parse_scalar(ondemand::value value, std::string_view what, Value& out) {
  ondemand::json_type type{};
  if (!check(value.type().get(type))) return false;
  switch (type) {
    case ondemand::json_type::number:
      return parse_number(value, out);
    case ondemand::json_type::string: {
      std::string_view text;
      if (!parse_string(value, text)) return false;
      out = builder_.string(text);
      return true;
    }
    case ondemand::json_type::boolean: {
      bool flag = false;
      if (!check(value.get_bool().get(flag))) return false;
      out = builder_.literal(flag ? "true" : "false");
      return true;
    }
    case ondemand::json_type::null: {
      bool null = false;
      if (!check(value.is_null().get(null))) return false;
      out = Value::null();
      return true;
    }
    case ondemand::json_type::array:
    case ondemand::json_type::object:
      break;
  }
  return fail(std::string(what) + " is an " +
              (type == ondemand::json_type::array ? "array" : "object") +
              "; expected a number, a string, true or false");
}

bool NativeReader::parse_ops(ondemand::value value) {
  ondemand::array ops;
  if (txn_.has_ops) return fail("\"ops\" occurs twice");
  txn_.has_ops = true;
  if (value.get_array().get(ops) != SUCCESS) return fail("\"ops\" is not an array");
  for (auto item : ops) {
    ondemand::array op;
    if (item.get_array().get(op) != SUCCESS) return fail("an operation is not an array");
    if (!budget_.spend(1) || !operations_.parse(op, txn_)) return false;
  }
  return true;
}

bool NativeReader::parse_session(ondemand::value value) {
  if (txn_.has_session) return fail("\"session\" occurs twice");
  txn_.has_session = true;
  std::int64_t number = 0;
  if (value.get_int64().get(number) == SUCCESS) {
    txn_.session = std::to_string(number);
    return true;
  }
  ondemand::json_type type{};
  if (!check(value.type().get(type))) return false;
  if (type != ondemand::json_type::string)
    return fail("\"session\" is neither a string nor an integer");
  std::string_view name;
  if (!parse_string(value, name)) return false;
  txn_.session = name;
  return true;
}

bool NativeReader::parse_status(ondemand::value value) {
  const std::string_view token = trim_json(value.raw_json_token());
  if (token == "\"committed\"") {
    txn_.status = TxnStatus::kCommitted;
  } else if (token == "\"aborted\"") {
    txn_.status = TxnStatus::kAborted;
  } else if (token == "\"indeterminate\"") {
    txn_.status = TxnStatus::kIndeterminate;
  } else {
    return fail("unknown status " + printable_excerpt(token) +
                R"(; expected "committed", "aborted" or "indeterminate")");
  }
  return true;
}

bool NativeReader::parse_level(ondemand::value value) {
  std::string_view name;
  if (value.get_string().get(name) == SUCCESS) txn_.level = history::level_written(name);
  return txn_.level.has_value() || fail("\"level\" is not the name of a level; " +
                                        std::string(base::kListOfLevels.of_library));
}

/// Anything but a string is ignored, for version 1 did not always look at this field.
bool NativeReader::parse_server(ondemand::value value) {
  const bool is_string = value.raw_json_token().starts_with('"');
  txn_.server = Value::null();
  return !is_string || parse_scalar(value, "\"server\"", txn_.server);
}

bool NativeReader::parse_time(ondemand::value value, std::string_view name, std::int64_t& out) {
  if (value.get_int64().get(out) == SUCCESS) return true;
  bool null = false;
  if (value.is_null().get(null) == SUCCESS && null) return true;
  const char* unit = name.starts_with("db_") ? " units" : " nanoseconds";
  return fail('"' + std::string(name) + "\" is not a time in integer" + unit);
}

bool NativeReader::parse_txn_field(ondemand::field& field) {
  const ondemand::raw_json_string name = field.key();
  ondemand::value value = field.value();
  // By first letter: five comparisons a line are otherwise felt.
  switch (name.raw()[0]) {
    case 'o':
      if (name.unsafe_is_equal("ops")) return parse_ops(value);
      break;
    case 's':
      if (name.unsafe_is_equal("session")) return parse_session(value);
      if (name.unsafe_is_equal("status")) return parse_status(value);
      if (name.unsafe_is_equal("start")) return parse_time(value, "start", txn_.times.start);
      if (name.unsafe_is_equal("server")) return parse_server(value);
      break;
    case 'e':
      if (name.unsafe_is_equal("end")) return parse_time(value, "end", txn_.times.end);
      if (name.unsafe_is_equal("event")) event_.is_event = true;
      break;
    case 'd':
      if (name.unsafe_is_equal("db_start")) {
        return parse_time(value, "db_start", txn_.database_times.start);
      }
      if (name.unsafe_is_equal("db_commit")) {
        return parse_time(value, "db_commit", txn_.database_times.commit);
      }
      break;
    case 'l':
      if (name.unsafe_is_equal("level")) return parse_level(value);
      break;
    case 'i':
      if (name.unsafe_is_equal("id")) return parse_scalar(value, "\"id\"", txn_.label);
      if (name.unsafe_is_equal("isolde")) {
        return fail("a second header; write each history to a file of its own");
      }
      break;
    default:
      break;
  }
  return true;
}

bool NativeReader::parse_txn() {
  txn_.clear();
  event_ = {};
  // Behind the end of a mapped file there may be what somebody appends to it just now.
  if (line_is_ended_ && parse_usual_line(line_, builder_, txn_, budget_)) return true;
  if (budget_.exhausted()) return false;
  txn_.clear();
  ondemand::document document;
  ondemand::object object;
  if (!iterate(document)) return false;
  if (document.get_object().get(object) != SUCCESS) {
    return fail("the line is not a JSON object; expected {\"session\":...,\"ops\":[...]}");
  }
  for (auto item : object) {
    ondemand::field field;
    if (!check(std::move(item).get(field)) || !parse_txn_field(field)) return false;
  }
  if (!finish(document)) return false;
  if (event_.is_event) return parse_event();
  if (!txn_.has_session) return fail("the transaction has no \"session\"");
  if (!txn_.has_ops) return fail("the transaction has no \"ops\"");
  return true;
}

/// The line as an event, whatever it would be as a transaction.
bool NativeReader::parse_event() {
  ondemand::document document;
  return iterate(document) && check(read_event(document, event_)) && finish(document);
}

void NativeReader::add_txn() {
  const SessionId session = builder_.session(txn_.session);
  if (session.raw() >= session_txns_.size()) session_txns_.resize(session.raw() + 1, 0);
  ++session_txns_[session.raw()];
  add_line_txn(txn_, session, line_number_, builder_, budget_);
}

void NativeReader::note_truncation() {
  builder_.origin().truncated = true;
  note(last_cut_ ? "line " + std::to_string(line_number_) +
                       " is cut off and left out; the recorder seems to have stopped while "
                       "writing it"
                 : "the last line is not the {\"event\":\"end\"} that the header promises; the "
                   "recorder seems to have stopped early");
}

/// The recorder did not come to the end of its history.
Status NativeReader::stopped_early() {
  if (ends_ && leftovers_.state == Leftovers::State::kRead) return take_leftovers();
  note_truncation();
  if (!ends_) return ok_status();
  if (leftovers_.state == Leftovers::State::kInUse) {
    note("the recorder is still running; what it writes from here on is missing");
  } else if (leftovers_.state == Leftovers::State::kOtherRun) {
    note(leftovers_.name +
         " is left out: it can only be used on the recorder's machine, and until that machine "
         "restarts; convert the history there");
  }
  return ok_status();
}

/// Adds the transaction of a slot unless the file has it. `line` is the text made whole.
bool NativeReader::take_leftover(const LeftoverText& leftover, std::string_view line) {
  line_ = line;
  line_number_ = 0;
  line_is_ended_ = true;
  if (!parse_txn()) return false;
  if (event_.is_event) return fail("the text is not a transaction");
  const std::size_t session = builder_.session(txn_.session).raw();
  const std::uint64_t known = session < session_txns_.size() ? session_txns_[session] : 0;
  if (known > leftover.position) return true;
  has_gap_ = has_gap_ || known < leftover.position;
  if (leftover.is_whole()) {
    ++whole_leftovers_;
  } else {
    ++open_leftovers_;
    txn_.status = TxnStatus::kIndeterminate;
    txn_.times.end = kNoTime;
  }
  add_txn();
  if (has_early_delete(builder_)) return fail(kEarlyDelete);
  return builder_.status().ok() || fail(builder_.status().error().message);
}

Status NativeReader::take_leftovers() {
  const Result<LeftoverTexts> left = parse_leftovers(leftovers_);
  if (!left) return left.error();
  const bool lost_line = last_cut_ && !is_cut_line_known(*left, line_);
  if (lost_line) note_truncation();
  for (const LeftoverText& leftover : left->texts) {
    std::string line(leftover.text);
    if (!leftover.is_whole()) line += "]}";
    line.resize(line.size() + Input::kPadding);
    line_capacity_ = line.size();
    const std::size_t length = line.size() - Input::kPadding - (leftover.is_whole() ? 1 : 0);
    const bool taken = take_leftover(leftover, std::string_view(line).substr(0, length));
    if (budget_.exhausted() || !has_memory_) return error_here();
    if (taken) continue;
    return bad_leftover(leftovers_, *leftover.file, sizeof(inflight::SlotHeader), problem_);
  }
  if (open_leftovers_ > 0) {
    note(counted(open_leftovers_, "transaction") + (open_leftovers_ == 1 ? " was" : " were") +
         " under way when the recorder stopped; taken from " + leftovers_.name +
         " with unknown outcome");
  }
  if (whole_leftovers_ > 0) {
    note(counted(whole_leftovers_, "transaction") +
         " had just ended when the recorder stopped; taken from " + leftovers_.name);
  }
  if (left->recording_stopped || has_gap_) {
    builder_.origin().truncated = true;
    note(left->recording_stopped
             ? "the recorder stopped at an error, such as a full disk; what followed is missing"
             : "the file lacks transactions that stood before those; it seems to be cut off");
  } else if (!lost_line && open_leftovers_ + whole_leftovers_ == 0) {
    note("the recorder stopped early, with no transaction under way; none is missing");
  }
  return ok_status();
}

Status NativeReader::read_lines() {
  while (next_line()) {
    if (is_blank(line_)) continue;
    if (next_begin_ >= kSample) reserve_by_sample();
    has_end_ = false;
    if (!parse_txn()) {
      if (budget_.exhausted() || !has_memory_) return error_here();
      if (!line_is_ended_ && !is_closed(line_)) {
        last_cut_ = true;
        return ok_status();
      }
      const std::string problem = problem_;
      if (!parse_event() || !event_.is_event) {
        problem_ = problem;
        return error_here();
      }
    }
    has_end_ = event_.ends_history();
    end_error_ns_ = event_.clock_error_ns;
    if (event_.is_event) {
      add_event(event_, builder_);
    } else {
      add_txn();
    }
    if (!builder_.status().ok()) {
      problem_ = builder_.status().error().message;
      return error_here();
    }
    if (has_early_delete(builder_)) {
      problem_ = kEarlyDelete;
      return error_here();
    }
    if (!budget_.spend(line_.size() / 8 + 1)) return out_of_budget();
    forget_read();
  }
  return ok_status();
}

/// Lines, as read_lines() does, for as long as all is well. Events that are not understood are
/// left to that as well, and so are lines that take so long that the budget must be asked.
NativeBlock NativeReader::read_block(std::size_t begin, std::size_t end) {
  NativeBlock block;
  block.begin = next_begin_ = begin;
  block.end = end_ = end;
  while (next_line()) {
    if (!line_is_ended_ || line_.size() > kLongLine) return block;
    if (is_blank(line_)) continue;
    block.has_line = true;
    if (!parse_txn()) return block;
    block.ends_history = event_.ends_history();
    block.end_error_ns = event_.clock_error_ns;
    if (event_.stops_run()) return block;  // its note is the reader's
    if (event_.is_event) {
      add_event(event_, builder_);
      continue;
    }
    add_txn();
    if (!builder_.status().ok()) return block;
  }
  block.is_plain = true;
  block.line_count = line_number_;
  block.transactions = std::move(builder_);
  return block;
}

/// Guesses from the first part of the file how large the history will be.
void NativeReader::reserve_by_sample() {
  if (is_sampled_ || next_begin_ < kSample || next_begin_ >= end_) return;
  is_sampled_ = true;
  const double times = 1.05 * static_cast<double>(end_) / static_cast<double>(next_begin_);
  const auto txns = static_cast<std::size_t>(times * static_cast<double>(builder_.txn_count()));
  const auto ops = static_cast<std::size_t>(times * static_cast<double>(builder_.op_count()));
  constexpr std::size_t kTxnBytes = 2 * sizeof(TxnTimes);  // and what else there is of each
  if (budget_.has_room(txns * kTxnBytes + ops * sizeof(Op))) builder_.reserve(txns, ops);
}

/// Now and then gives back the memory of the lines before the current one, and tells of them.
void NativeReader::forget_read() {
  constexpr std::size_t kStep = std::size_t{4} << 20;
  if (next_begin_ - forgotten_ < kStep) return;
  file_.forget(forgotten_, next_begin_);
  forgotten_ = next_begin_;
  if (inputs_->progress) inputs_->progress(next_begin_, file_.view().size());
}

Status NativeReader::read_blocks() {
  // What is in a folder beside the history is compared with each session's transactions so far.
  const bool is_small = file_.view().size() - next_begin_ < 2 * inputs_->block_bytes;
  if (inputs_->threads <= 1 || is_small || leftovers_.state != Leftovers::State::kNone) {
    return read_lines();
  }
  NativeBlocks blocks(file_, next_begin_, inputs_->block_bytes, inputs_->threads);
  while (!blocks.at_end()) {
    reserve_by_sample();
    NativeBlock block = blocks.take();
    const bool is_plain = block.is_plain && !has_early_delete(block.transactions);
    if (is_plain && builder_.append(block.transactions, line_number_)) {
      line_number_ += block.line_count;
      next_begin_ = block.end;
      if (block.has_line) has_end_ = block.ends_history;
      if (block.has_line) end_error_ns_ = block.end_error_ns;
      if (!budget_.spend((block.end - block.begin) / 8 + 1)) return out_of_budget();
      forget_read();
      continue;
    }
    next_begin_ = block.begin;
    end_ = block.end;
    if (Status lines = read_lines(); !lines || last_cut_) return lines;
  }
  return ok_status();
}

/// What only shows when all is known.
Result<History> NativeReader::finish_history() {
  if (inputs_ != nullptr && inputs_->lists_rows_later) builder_.list_rows_later();
  Result<History> history =
      builder_.finish([this](std::uint64_t rows) { return budget_.spend(rows); });
  if (history.ok()) return history;
  return Error{history.error().code, file_.name + ": " + history.error().message};
}

Result<History> NativeReader::read() {
  builder_.origin().file = file_.name;
  builder_.origin().format = "native";
  builder_.origin().compressed = file_.compressed;
  next_line();
  if (is_header_cut()) {
    last_cut_ = true;
    note_truncation();
    return finish_history();
  }
  if (!parse_header()) return error_here();
  builder_.origin().truncated = truncated_;
  if (inputs_ != nullptr && !inputs_->stands_for.empty()) {
    note("read from " + file_.name + ", because " + inputs_->stands_for + " was not finished");
  }
  if (Status lines = read_blocks(); !lines) return lines.error();
  if (last_cut_ || (ends_ && !has_end_)) {
    if (Status stopped = stopped_early(); !stopped) return stopped.error();
  } else if (has_end_ && end_error_ns_ != kNoTime) {
    builder_.origin().clock_error_ns = end_error_ns_;
  }
  return finish_history();
}

}  // namespace

int detect_native(const Inputs& inputs) {
  const std::string_view head = head_of(inputs);
  const std::string_view line = head.substr(0, head.find('\n'));
  return line.starts_with('{') && line.find("\"isolde\":") != std::string_view::npos ? 100 : 0;
}

Result<History> read_native(const Inputs& inputs, base::Budget& budget) {
  return NativeReader(inputs, budget).read();
}

const Format& native_format() {
  static constexpr Format kFormat = {
      .name = "native",
      .summary = "Isolde's JSON Lines, one transaction per line",
      .detect = detect_native,
      .read = read_native,
  };
  return kFormat;
}

NativeBlock parse_native_block(const Input& file, std::size_t begin, std::size_t end) {
  base::Budget unlimited;  // the reader that joins the blocks asks the real one
  const Leftovers none;
  return NativeReader(file, none, unlimited).read_block(begin, end);
}

}  // namespace isolde::io
