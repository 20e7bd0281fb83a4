#include "replay/steps.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/printable.hpp"
#include "history/aggregate_names.hpp"
#include "history/initial.hpp"
#include "history/texts.hpp"
#include "isolde/history_builder.hpp"
#include "replay/numbering.hpp"

namespace isolde::replay {
namespace {

using Json = nlohmann::json;

bool is_word_byte(unsigned char c) {
  return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-' || c >= 0x80;
}

/// Bare words that are no strings.
bool is_reserved(std::string_view word) {
  return word == "null" || word == "true" || word == "false" || word.empty() ||
         word[0] == '-' || std::isdigit(static_cast<unsigned char>(word[0])) != 0;
}

Error error(std::string message) { return {ErrorCode::kBadInput, std::move(message)}; }

/// Goes through a line.
class Scanner {
 public:
  Scanner(std::string_view line, HistoryBuilder& builder) : rest_(line), builder_(builder) {}

  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// A word of letters that stands before a blank, a bracket or the end.
  std::string_view keyword() {
    skip_blanks();
    std::size_t end = 0;
    while (end < rest_.size() && std::isalpha(static_cast<unsigned char>(rest_[end])) != 0) {
      ++end;
    }
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string_view rest() {
    skip_blanks();
    return rest_;
  }
  bool at_end() { return rest().empty() || rest_[0] == '#'; }

  /// The bytes of a bare word or of a string in quotes, and whether it was in quotes.
  std::optional<std::pair<std::string, bool>> token() {
    skip_blanks();
    if (!rest_.empty() && rest_[0] == '"') return quoted();
    std::size_t end = 0;
    while (end < rest_.size() && is_word_byte(static_cast<unsigned char>(rest_[end]))) ++end;
    if (end == 0) return std::nullopt;
    std::string word(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return std::make_pair(std::move(word), false);
  }
  /// Null is a value, too.
  std::optional<Value> value() {
    const auto word = token();
    if (!word) return std::nullopt;
    if (word->second || !is_reserved(word->first)) return builder_.string(word->first);
    if (word->first == "null") return Value::null();
    std::int64_t number = 0;
    const char* const end = word->first.data() + word->first.size();
    const auto [stop, failed] = std::from_chars(word->first.data(), end, number);
    if (failed == std::errc() && stop == end) return builder_.integer(number);
    if (!Json::accept(word->first)) return std::nullopt;
    return builder_.literal(word->first);
  }

 private:
  std::optional<std::pair<std::string, bool>> quoted() {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    if (end >= rest_.size()) return std::nullopt;
    const Json text = Json::parse(rest_.substr(0, end + 1), nullptr, false);
    if (!text.is_string()) return std::nullopt;
    rest_.remove_prefix(end + 1);
    return std::make_pair(text.get<std::string>(), true);
  }

  std::string_view rest_;
  HistoryBuilder& builder_;
};

struct DraftOp {
  OpKind kind = OpKind::kReadUnknown;
  KeyId key;
  Value value;
  std::vector<Value> elements;
};

struct DraftTxn {
  SessionId session;
  std::vector<DraftOp> ops;
  TxnStatus status = TxnStatus::kCommitted;
};

class StepsParser {
 public:
  Result<Steps> parse(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++line_;
      if (const Status read = parse_line(line); !read) return at_line(read.error());
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return finish();
  }

 private:
  struct SessionState {
    std::string name;
    std::optional<std::size_t> open;  ///< transaction
    std::optional<std::size_t> last;
    bool speaks = false;  ///< has statements, or crashes the servers
  };

  Error at_line(const Error& what) const {
    return error("line " + std::to_string(line_) + ": " + what.message);
  }
  std::string session_word(const SessionState& session) const {
    return base::printable_name(session.name);
  }

  Status parse_line(std::string_view line);
  Result<SessionState*> parse_session(Scanner& scanner);
  Status parse_step(Scanner& scanner, SessionState& session, Step::Pace pace);
  Status parse_operation(Scanner& scanner, std::string_view word, SessionState& session,
                         Step::Pace pace);
  Status parse_returned(Scanner& scanner, DraftOp& op);
  Status parse_until(const DraftOp& op, const DraftTxn& txn) const;
  void add_outside(Step step, SessionState& session);
  Status parse_begin(SessionState& session, Step::Pace pace);
  Status parse_end(bool commits, SessionState& session, Step::Pace pace);
  Status parse_statement(Scanner& scanner, SessionState& session, Step::Pace pace);
  Status parse_crash(SessionState& session);
  Status parse_condition(Scanner& scanner, const std::string& word, SessionState& session,
                         Step::Pace pace);
  Status parse_delete(Scanner& scanner, SessionState& session, Step::Pace pace);
  Status check_conditions(const History& history) const;
  Result<Steps> finish();

  HistoryBuilder builder_;
  std::map<std::string, SessionState> sessions_;
  std::vector<DraftTxn> txns_;
  std::vector<Step> steps_;
  /// Of steps that came before their session's first transaction.
  std::vector<std::pair<std::size_t, SessionState*>> early_;
  std::vector<std::string> statements_;
  std::map<std::uint32_t, db::Condition> conditions_;
  std::map<std::uint32_t, AggregateKind> computed_;
  bool has_sql_ = false;
  bool deletes_ = false;
  bool crashes_ = false;
  std::size_t line_ = 0;
};

Status StepsParser::parse_line(std::string_view line) {
  Scanner scanner(line, builder_);
  if (scanner.at_end()) return ok_status();
  const Result<SessionState*> session = parse_session(scanner);
  if (!session) return session.error();
  return parse_step(scanner, **session, Step::Pace::kUsual);
}

Result<StepsParser::SessionState*> StepsParser::parse_session(Scanner& scanner) {
  const auto name = scanner.token();
  if (!name || !scanner.take(':')) {
    return error("expected a session and a step, such as 'A: r(x)' or '\"a b\": commit'");
  }
  const auto [found, fresh] = sessions_.try_emplace(name->first);
  if (fresh) {
    found->second.name = name->first;
    builder_.session(name->first);  // numbered as they come
  }
  return &found->second;
}

Status StepsParser::parse_step(Scanner& scanner, SessionState& session, Step::Pace pace) {
  const std::string word(scanner.keyword());
  const bool plain = pace == Step::Pace::kUsual;
  if (plain && word == "send") return parse_step(scanner, session, Step::Pace::kSend);
  if (plain && word == "until") return parse_step(scanner, session, Step::Pace::kUntil);
  const bool any = pace != Step::Pace::kUntil;
  if (any && word == "sql") return parse_statement(scanner, session, pace);
  Status parsed = ok_status();
  if (any && word == "begin") {
    parsed = parse_begin(session, pace);
  } else if (any && (word == "commit" || word == "rollback")) {
    parsed = parse_end(word == "commit", session, pace);
  } else if (plain && word == "wait") {
    add_outside({Step::Kind::kWait, {}, 0}, session);
  } else if (plain && word == "crash") {
    parsed = parse_crash(session);
  } else if (any && (word == "select" || word == "delete" || history::aggregate_named(word))) {
    parsed = parse_condition(scanner, word, session, pace);
  } else if (any && word == "d") {
    parsed = parse_delete(scanner, session, pace);
  } else {
    parsed = parse_operation(scanner, word, session, pace);
  }
  if (!parsed || scanner.at_end()) return parsed;
  return error("'" + base::printable_line(scanner.rest()) +
               "' follows the step; each step has a line of its own");
}

/// A step that needs no transaction.
void StepsParser::add_outside(Step step, SessionState& session) {
  if (!session.last) early_.emplace_back(steps_.size(), &session);
  step.txn = TxnId::at(session.last.value_or(0));
  steps_.push_back(step);
}

Status StepsParser::parse_end(bool commits, SessionState& session, Step::Pace pace) {
  if (!session.open) return error("no transaction is open; begin comes first");
  steps_.push_back({commits ? Step::Kind::kCommit : Step::Kind::kRollback,
                    TxnId::at(*session.open), 0, pace});
  if (!commits) txns_[*session.open].status = TxnStatus::kAborted;
  session.open.reset();
  return ok_status();
}

Status StepsParser::parse_begin(SessionState& session, Step::Pace pace) {
  if (session.open) {
    return error("begin: session " + session_word(session) + " has a transaction open");
  }
  session.open = session.last = txns_.size();
  txns_.push_back({builder_.session(session.name), {}, TxnStatus::kCommitted});
  steps_.push_back({Step::Kind::kBegin, TxnId::at(*session.open), 0, pace});
  return ok_status();
}

Status StepsParser::parse_statement(Scanner& scanner, SessionState& session, Step::Pace pace) {
  const std::string statement(scanner.rest());
  if (statement.empty()) return error("sql: expected a statement after it, on the same line");
  add_outside({Step::Kind::kStatement,
               {},
               static_cast<std::uint32_t>(statements_.size()),
               pace,
               session.open.has_value()},
              session);
  statements_.push_back(statement);
  session.speaks = true;
  has_sql_ = true;
  return ok_status();
}

/// To follow `text`.
std::string bounds_text(std::string_view text, std::string_view name,
                        const Predicate::Bounds& bounds) {
  return (text.ends_with('(') ? "" : ", ") + std::string(name) + ' ' +
         std::to_string(bounds.min) + " to " + std::to_string(bounds.max);
}

/// Bounds as "keys 1 to 9", after the bracket. False where there are none of that name.
Result<bool> parse_bounds(Scanner& scanner, std::string_view name,
                          std::optional<Predicate::Bounds>& bounds, std::string& text) {
  if (!scanner.take_word(name)) return false;
  const std::optional<Value> first = scanner.value();
  const bool has_to = scanner.take_word("to");
  const std::optional<Value> last = has_to ? scanner.value() : std::nullopt;
  const auto is_number = [](const std::optional<Value>& value) {
    return value && value->kind() == Value::Kind::kInteger;
  };
  if (!is_number(first) || !is_number(last)) {
    return error("expected two numbers, such as " + std::string(name) + " 1 to 9");
  }
  bounds = Predicate::Bounds{first->as_integer(), last->as_integer()};
  text += bounds_text(text, name, *bounds);
  return true;
}

Status StepsParser::parse_condition(Scanner& scanner, const std::string& word,
                                    SessionState& session, Step::Pace pace) {
  std::string text = word + "(";
  db::Condition condition;
  if (!scanner.take('('))
    return error("expected ( and a condition, such as " + text + "keys 1 to 9)");
  const Result<bool> keys = parse_bounds(scanner, "keys", condition.keys, text);
  if (!keys) return keys.error();
  if (*keys) scanner.take(',');
  const Result<bool> values = parse_bounds(scanner, "values", condition.values, text);
  if (!values) return values.error();
  if (!scanner.take(')')) {
    return error("expected keys FROM to TO, values FROM to TO, or both, and )");
  }
  if (!session.open) return error("no transaction is open; begin comes first");
  const auto number = static_cast<std::uint32_t>(statements_.size());
  const std::optional<AggregateKind> computed = history::aggregate_named(word);
  const bool deletes = word == "delete";
  steps_.push_back({computed  ? Step::Kind::kAggregate
                    : deletes ? Step::Kind::kDeleteSelected
                              : Step::Kind::kSelect,
                    TxnId::at(*session.open), number, pace});
  statements_.push_back(text + ")");
  conditions_[number] = condition;
  if (computed) computed_[number] = *computed;
  deletes_ = deletes_ || deletes;
  return ok_status();
}

Status StepsParser::parse_delete(Scanner& scanner, SessionState& session, Step::Pace pace) {
  const std::optional<Value> key = scanner.take('(') ? scanner.value() : std::optional<Value>();
  if (!key || key->is_null() || !scanner.take(')')) return error("expected d(KEY)");
  if (!session.open) return error("no transaction is open; begin comes first");
  DraftTxn& txn = txns_[*session.open];
  steps_.push_back({Step::Kind::kOperation, TxnId::at(*session.open),
                    static_cast<std::uint32_t>(txn.ops.size()), pace});
  txn.ops.push_back({OpKind::kWrite, builder_.key(*key), Value::dead(), {}});
  deletes_ = true;
  return ok_status();
}

/// Names are played as numbers of their own, which a condition must not meet.
Status StepsParser::check_conditions(const History& history) const {
  for (const auto& [number, condition] : conditions_) {
    const auto computed = computed_.find(number);
    const bool needs_numbers = condition.values || (computed != computed_.end() &&
                                                    computed->second >= AggregateKind::kSum);
    for (std::size_t k = 0; condition.keys && k < history.key_count(); ++k) {
      const Value name = history.key_name(KeyId::at(k));
      if (name.kind() == Value::Kind::kInteger) continue;
      return error(statements_[number] +
                   ": a condition on keys needs keys that are numbers, and " +
                   history.text(name) + " is none");
    }
    for (const DraftTxn& txn : txns_) {
      for (const DraftOp& op : txn.ops) {
        const bool is_name = op.kind == OpKind::kWrite && !op.value.is_dead() &&
                             op.value.kind() != Value::Kind::kInteger;
        if (!needs_numbers || !is_name) continue;
        return error(statements_[number] +
                     (condition.values ? ": a condition on values needs"
                                       : ": what is computed of values needs") +
                     " values that are numbers, and " + history.text(op.value) + " is none");
      }
    }
  }
  return ok_status();
}

Status StepsParser::parse_crash(SessionState& session) {
  if (session.open) {
    return error("crash: session " + session_word(session) +
                 " has a transaction open; let another session crash the servers");
  }
  add_outside({Step::Kind::kCrash, {}, 0}, session);
  crashes_ = true;
  session.speaks = true;
  return ok_status();
}

Status StepsParser::parse_returned(Scanner& scanner, DraftOp& op) {
  if (!scanner.take('=')) return ok_status();
  if (!scanner.take('[')) {
    const std::optional<Value> value = scanner.value();
    if (!value) return error("expected a value after =, such as 5, null, word, \"two words\"");
    op.kind = OpKind::kRead;
    op.value = *value;
    return ok_status();
  }
  op.kind = OpKind::kReadList;
  while (!scanner.take(']')) {
    const std::optional<Value> element = scanner.value();
    if (!element || element->is_null()) {
      return error("expected the elements of a list, such as [1 2], after =");
    }
    op.elements.push_back(*element);
  }
  return ok_status();
}

Status StepsParser::parse_until(const DraftOp& op, const DraftTxn& txn) const {
  if (op.kind != OpKind::kRead && op.kind != OpKind::kReadList) {
    return error("until: expected a read with the value to wait for, such as until r(x)=5");
  }
  if (txn.ops.empty()) return ok_status();
  return error("until: the read is not the first operation of its transaction");
}

Status StepsParser::parse_operation(Scanner& scanner, std::string_view word,
                                    SessionState& session, Step::Pace pace) {
  const bool reads = word == "r";
  if ((!reads && word != "w" && word != "append") || !scanner.take('(')) {
    return error(
        "expected begin, r(KEY), w(KEY, VALUE), append(KEY, VALUE), d(KEY), select(CONDITION), "
        "delete(CONDITION), count(CONDITION) or another aggregate, sql STATEMENT, commit, "
        "rollback, wait, crash, or one of these "
        "after "
        "send or until");
  }
  const std::optional<Value> key = scanner.value();
  if (!key || key->is_null()) return error("expected a key after the bracket");
  DraftOp op;
  op.key = builder_.key(*key);
  if (!reads) {
    op.kind = word == "w" ? OpKind::kWrite : OpKind::kAppend;
    const std::optional<Value> value =
        scanner.take(',') ? scanner.value() : std::optional<Value>();
    if (!value || value->is_null()) return error("expected a value, such as w(x, 5)");
    op.value = *value;
  }
  if (!scanner.take(')')) return error("expected ) after the key or the value");
  if (reads) {
    if (const Status read = parse_returned(scanner, op); !read) return read;
  }
  if (!session.open) return error("no transaction is open; begin comes first");
  DraftTxn& txn = txns_[*session.open];
  if (pace == Step::Pace::kUntil) {
    if (const Status fits = parse_until(op, txn); !fits) return fits;
  }
  steps_.push_back({Step::Kind::kOperation, TxnId::at(*session.open),
                    static_cast<std::uint32_t>(txn.ops.size()), pace});
  txn.ops.push_back(std::move(op));
  return ok_status();
}

Result<Steps> StepsParser::finish() {
  if (txns_.empty()) return error("there is no transaction; expected steps such as 'A: begin'");
  for (auto& [name, session] : sessions_) {
    if (session.open) {
      return error("session " + session_word(session) +
                   " ends with a transaction open; commit or rollback is missing");
    }
    if (session.last) continue;
    if (!session.speaks) return error("session " + session_word(session) + " does nothing");
    // Steps belong to transactions. One that never begins stands for a session without any.
    session.last = txns_.size();
    txns_.push_back({builder_.session(name), {}, TxnStatus::kAborted});
  }
  for (const auto& [step, session] : early_) steps_[step].txn = TxnId::at(*session->last);
  for (const DraftTxn& txn : txns_) {
    builder_.begin_txn(txn.session);
    builder_.set_status(txn.status);
    for (const DraftOp& op : txn.ops) {
      switch (op.kind) {
        case OpKind::kWrite:
          op.value.is_dead() ? builder_.remove(op.key) : builder_.write(op.key, op.value);
          break;
        case OpKind::kAppend:
          builder_.append(op.key, op.value);
          break;
        case OpKind::kRead:
          builder_.read(op.key, op.value);
          break;
        case OpKind::kReadList:
          builder_.read_list(op.key, op.elements);
          break;
        default:
          builder_.read_unknown(op.key);
      }
    }
  }
  Result<History> history = builder_.finish();
  if (!history) return history.error();
  if (const Status fits = check_conditions(*history); !fits) return fits.error();
  Steps steps;
  steps.history = std::move(history).value();
  steps.steps = std::move(steps_);
  steps.statements = std::move(statements_);
  steps.conditions = std::move(conditions_);
  steps.computed = std::move(computed_);
  steps.has_sql = has_sql_;
  steps.deletes = deletes_;
  steps.crashes = crashes_;
  return steps;
}

/// A scalar as it stands in steps.
std::string scalar_text(const History& history, Value value) {
  value = history.plain(value);
  if (value.kind() != Value::Kind::kString) return history.json(value);
  return step_word(history.pooled_text(value));
}

std::string operation_text(const History& history, const Op& op) {
  const std::string key = "(" + scalar_text(history, history.key_name(op.key));
  if (op.is_delete()) return "d" + key + ")";
  if (op.is_write()) {
    return (op.kind == OpKind::kAppend ? "append" : "w") + key + ", " +
           scalar_text(history, op.value) + ")";
  }
  std::string text = "r" + key + ")";
  if (op.kind == OpKind::kRead) text += "=" + scalar_text(history, history.seen(op));
  if (const Value either = history.read_value(op); !either.is_null()) {
    text += "=" + scalar_text(history, either);
  }
  if (history.found_nothing(op)) text += "=null";
  if (op.kind != OpKind::kReadList) return text;
  text += "=[";
  for (const Value element : history.seen_list(op)) {
    if (text.back() != '[') text += " ";
    text += scalar_text(history, element);
  }
  return text + "]";
}

/// What the selection returned, as a comment.
std::string returned_text(const History& history, TxnId txn, const Selection& selection) {
  if (const Aggregate* const computed = history.aggregate(selection); computed != nullptr) {
    return computed->result ? std::to_string(*computed->result) : "null";
  }
  std::string text = "[";
  for (const Op& op : history.ops(txn).subspan(selection.first, selection.rows)) {
    if (text.back() != '[') text += ' ';
    text += scalar_text(history, history.key_name(op.key));
    Value value = op.kind == OpKind::kRead ? history.seen(op) : Value();
    if (op.kind == OpKind::kReadMatch) value = history.read_value(op);
    if (!value.is_null()) text += "=" + scalar_text(history, value);
  }
  return text + "]";
}

std::string selection_text(const History& history, const Step& step) {
  const Selection& selection = history.selections(step.txn)[step.op];
  const db::Condition where = Numbering::condition(history.predicates()[selection.predicate]);
  std::string text = step.kind == Step::Kind::kDeleteSelected ? "delete(" : "select(";
  if (const Aggregate* const computed = history.aggregate(selection); computed != nullptr) {
    text = std::string(history::name_of(computed->kind)) + "(";
  }
  if (where.keys) text += bounds_text(text, "keys", *where.keys);
  if (where.values) text += bounds_text(text, "values", *where.values);
  return text + ")  # recorded " + returned_text(history, step.txn, selection);
}

std::string step_text(const History& history, const Step& step) {
  switch (step.kind) {
    case Step::Kind::kBegin:
      return "begin";
    case Step::Kind::kCommit:
      return "commit";
    case Step::Kind::kRollback:
      return "rollback";
    case Step::Kind::kSelect:
    case Step::Kind::kDeleteSelected:
    case Step::Kind::kAggregate:
      return selection_text(history, step);
    default:
      return operation_text(history, history.ops(step.txn)[step.op]);
  }
}

}  // namespace

std::string step_word(std::string_view name) {
  const bool bare = !is_reserved(name) && std::all_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return is_word_byte(byte) && byte < 0x80;
  });
  if (bare) return std::string(name);
  return Json(name).dump(-1, ' ', true, Json::error_handler_t::replace);
}

Result<Steps> parse_steps(std::string_view text) { return StepsParser().parse(text); }

bool begins_like_steps(std::string_view text) {
  constexpr std::array<std::string_view, 14> kWords = {
      // and aggregates
      "begin", "r",      "w",        "append", "d",    "select", "delete",
      "sql",   "commit", "rollback", "send",   "wait", "until",  "crash"};
  HistoryBuilder builder;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Scanner scanner(text.substr(0, end), builder);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (scanner.at_end()) continue;
    if (!scanner.token() || !scanner.take(':')) return false;
    const std::string_view word = scanner.keyword();
    return std::ranges::find(kWords, word) != kWords.end() ||
           history::aggregate_named(word).has_value();
  }
  return false;
}

namespace {

/// The session that writes what keys held before all transactions: none of the history's.
std::string first_session(const History& history) {
  std::string name = "start";
  for (std::size_t s = 0; s < history.session_count();) {
    const bool is_taken = history.session_name(SessionId::at(s)) == name;
    if (is_taken) name += '_';
    s = is_taken ? 0 : s + 1;
  }
  return name;
}

/// Its only transaction, as steps.
std::vector<std::string> first_steps(const History& history) {
  const std::vector<KeyId> keys = history::keys_with_contents(history);
  if (keys.empty()) return {};
  std::vector<std::string> steps = {"begin"};
  for (const KeyId key : keys) {
    const std::string of = "(" + scalar_text(history, history.key_name(key)) + ", ";
    for (const Value element : history.initial_list(key)) {
      steps.push_back("append" + of + scalar_text(history, element) + ")");
    }
    if (history.is_list(key)) continue;
    steps.push_back("w" + of + scalar_text(history, history.initial(key)) + ")");
  }
  steps.emplace_back("commit");
  return steps;
}

}  // namespace

std::string steps_text(const History& history, std::span<const Step> steps) {
  std::size_t width = 0;
  for (std::size_t s = 0; s < history.session_count(); ++s) {
    width = std::max(width, step_word(history.session_name(SessionId::at(s))).size() + 1);
  }
  const std::vector<std::string> before = first_steps(history);
  const std::string first = before.empty() ? "" : step_word(first_session(history));
  width = std::max(width, first.size() + 1);
  std::string text;
  const auto add = [&](std::string who, const std::string& what) {
    who += ':';
    who.resize(std::max(width, who.size()), ' ');
    text += who + " " + what + "\n";
  };
  for (const std::string& step : before) add(first, step);
  for (const Step& step : steps) {
    add(step_word(history.session_name(history.session_of(step.txn))),
        step_text(history, step));
  }
  return text;
}

}  // namespace isolde::replay
