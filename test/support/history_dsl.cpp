// Recursive-descent parser for the notation of history_dsl.hpp, and its inverse.
#include "support/history_dsl.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/assert.hpp"
#include "history/initial.hpp"
#include "history/key_columns.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::support {
namespace {

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         c == '-' || c == '.';
}

std::optional<std::int64_t> as_integer(std::string_view word) {
  std::int64_t number = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  // "007" and "-0" stay words, so that text and number are the same thing both ways.
  if (error != std::errc() || stop != end || std::to_string(number) != word)
    return std::nullopt;
  return number;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  PlainHistory history() {
    while (true) {
      skip_blank(/*with_lines=*/true);
      if (at_ >= text_.size()) return std::move(history_);
      if (take(';')) continue;
      if (text_.substr(at_).starts_with("start(")) {
        at_ += 6;
        contents();
        continue;
      }
      session();
    }
  }

 private:
  [[noreturn]] void fail(const char* expected) const {
    std::size_t line = 1;
    for (std::size_t i = 0; i < at_ && i < text_.size(); ++i) line += text_[i] == '\n' ? 1 : 0;
    std::fprintf(stderr, "history notation, line %zu: expected %s at \"%.30s\" in:\n%.*s\n",
                 line, expected, std::string(text_.substr(at_)).c_str(),
                 static_cast<int>(text_.size()), text_.data());
    std::abort();
  }

  void skip_blank(bool with_lines) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == ' ' || c == '\t' || (with_lines && c == '\n')) {
        ++at_;
      } else {
        return;
      }
    }
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void need(char c, const char* expected) {
    if (!take(c)) fail(expected);
  }
  std::string word(const char* expected) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
    if (at_ == begin) fail(expected);
    return std::string(text_.substr(begin, at_ - begin));
  }
  /// A scalar or a row.
  std::string value_word(const char* expected) {
    const std::size_t begin = at_;
    constexpr std::string_view kOfRows = ":/_!";
    while (at_ < text_.size() &&
           (is_word_char(text_[at_]) || kOfRows.find(text_[at_]) != std::string_view::npos)) {
      ++at_;
    }
    if (at_ == begin) fail(expected);
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::int64_t time() {
    if (take('_')) return kNoTime;
    const std::optional<std::int64_t> number = as_integer(word("a time"));
    if (!number) fail("an integer or _ as the time before");
    return *number;
  }

  void contents() {
    while (true) {
      skip_blank(false);
      if (take(')')) return;
      PlainOp& op = history_.start.emplace_back();
      op.kind = OpKind::kWrite;
      op.key = word("a key or ')'");
      need('=', "'=' after the key");
      if (take('[')) {
        elements(op);
      } else {
        op.value = value_word("a value");
      }
    }
  }

  /// Behind the bracket.
  void elements(PlainOp& op) {
    op.kind = OpKind::kReadList;
    skip_blank(false);
    while (!take(']')) {
      op.list.push_back(word("an element or ']'"));
      skip_blank(false);
    }
  }

  void session() {
    const std::string name = word("the name of a session");
    skip_blank(false);
    need(':', "':' after the name of the session");
    do {
      history_.push_back({});
      history_.back().session = name;
      transaction(history_.back());
    } while (take('|'));
    if (at_ < text_.size() && text_[at_] != ';' && text_[at_] != '\n') {
      fail("an operation, '!', '?', '@', '|', ';' or the end of the line");
    }
  }

  void transaction(PlainTxn& txn) {
    bool empty = true;
    while (true) {
      skip_blank(false);
      if (at_ >= text_.size()) break;
      const char c = text_[at_];
      if (c == '!' || c == '?') {
        ++at_;
        if (txn.status != TxnStatus::kCommitted) fail("only one of '!' and '?'");
        txn.status = c == '!' ? TxnStatus::kAborted : TxnStatus::kIndeterminate;
      } else if (c == '@') {
        ++at_;
        txn.times.start = time();
        need(',', "',' between start and end");
        txn.times.end = time();
      } else if (c == '%') {
        ++at_;
        txn.level = find_level(word("a level"));
        if (!txn.level) fail("the name of a level");
      } else if (c == '~') {
        ++at_;
        txn.database_times.start = time();
        need(',', "',' between start and commit");
        txn.database_times.commit = time();
      } else if (c == 'n') {
        if (word("nop") != "nop") fail("nop");
        empty = false;
      } else if (c == 'r' || c == 'w' || c == 'd' || c == 'a' || c == 's' || c == 'i') {
        ++at_;
        txn.ops.push_back(c == 's' ? selection() : operation(c));
        empty = false;
      } else {
        break;
      }
    }
    if (empty) fail("an operation or nop");
  }

  PlainOp selection() {
    PlainOp op;
    op.kind = OpKind::kReadAbsent;
    need('(', "'(' after s");
    while (true) {
      skip_blank(false);
      if (take(':')) break;
      const std::string name = word("a condition or ':'");
      need('=', "'=' after the name of a condition");
      std::string& condition = name == "keys"     ? op.selection.keys
                               : name == "values" ? op.selection.values
                               : name == "cols"   ? op.selection.columns
                               : name == "get"    ? op.selection.get
                                                  : op.selection.equal;
      if (name != "keys" && name != "values" && name != "equal" && name != "cols" &&
          name != "get") {
        fail("keys, values, equal, cols or get");
      }
      condition = name == "cols" ? value_word("tests of columns") : word("a range or value");
      if (name == "cols" && condition.back() == ':') {
        condition.pop_back();  // the one before the rows
        break;
      }
    }
    if (!op.selection.get.empty()) {
      skip_blank(false);
      op.selection.result = value_word("a result");
      if (op.selection.result == "_") op.selection.result.clear();
      need(')', "')' after a result");
      return op;
    }
    while (true) {
      skip_blank(false);
      if (take(')')) return op;
      const std::string key = word("a key or ')'");
      need('=', "'=' after the key");
      op.selection.rows.emplace_back(key, value_word("a value"));
    }
  }

  PlainOp operation(char letter) {
    PlainOp op;
    need('(', "'(' after r, w, d, a or i");
    op.key = word("a key");
    if (letter == 'i') {
      op.adds = true;
      need('+', "'+' after the key");
      op.value = word("a number");
      need(')', "')' at the end of the operation");
      return op;
    }
    if (letter == 'd') {
      op.kind = OpKind::kWrite;
      need(')', "')' at the end of the operation");
      return op;
    }
    need('=', "'=' after the key");
    if (letter == 'w' || letter == 'a') {
      op.kind = letter == 'w' ? OpKind::kWrite : OpKind::kAppend;
      op.value = value_word("a value");
    } else if (take('[')) {
      elements(op);
    } else if (take('?')) {
      op.kind = OpKind::kReadUnknown;
    } else if (take('<')) {
      need('>', "'>' after '<'");
      op.kind = OpKind::kReadExcept;
      op.value = word("a value");
    } else if (!take('_')) {
      op.value = value_word("a value, '_', '?' or '['");
    }
    need(')', "')' at the end of the operation");
    return op;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  PlainHistory history_;
};

Value to_value(HistoryBuilder& builder, const std::string& word);

Value to_row(HistoryBuilder& builder, const std::string& word) {
  std::vector<ColumnValue> columns;
  for (const auto& [name, held] : columns_of(word)) {
    const Value value = held == "_" ? Value() : to_value(builder, held);
    columns.push_back({builder.string(name), value});
  }
  return builder.row(columns);
}

Value to_value(HistoryBuilder& builder, const std::string& word) {
  if (is_row(word)) return to_row(builder, word);
  if (const std::optional<std::int64_t> number = as_integer(word)) {
    return builder.integer(*number);
  }
  return builder.string(word);
}

std::optional<Predicate::Bounds> as_bounds(const std::string& range) {
  if (range.empty()) return std::nullopt;
  const std::size_t dots = range.find("..");
  const std::optional<std::int64_t> min = as_integer(range.substr(0, dots));
  const std::optional<std::int64_t> max =
      dots == std::string::npos ? min : as_integer(range.substr(dots + 2));
  ISOLDE_CHECK(min && max);
  return Predicate::Bounds{*min, *max};
}

bool is_within(const std::string& range, const std::string& word) {
  const std::optional<Predicate::Bounds> bounds = as_bounds(range);
  const std::optional<std::int64_t> number = as_integer(word);
  return !bounds || (number && *number >= bounds->min && *number <= bounds->max);
}

Predicate::Test to_test(HistoryBuilder& builder, const std::string& name,
                        const std::string& wanted) {
  Predicate::Test test;
  test.column = builder.string(name);
  if (wanted == "_") {
    test.is_null = true;
  } else if (wanted.starts_with('!')) {
    if (wanted != "!_") test.not_in = {to_value(builder, wanted.substr(1))};
  } else if (wanted.find("..") != std::string::npos) {
    test.bounds = as_bounds(wanted);
  } else {
    test.in = {to_value(builder, wanted)};
  }
  return test;
}

constexpr const char* kAggregates[] = {"count", "exists", "sum", "min", "max"};

AggregateKind kind_of(const std::string& name) {
  for (std::size_t kind = 0; kind < kAggregateKindCount; ++kind) {
    if (name == kAggregates[kind]) return static_cast<AggregateKind>(kind);
  }
  ISOLDE_CHECK(false);
  return AggregateKind::kCount;
}

void add_selection(HistoryBuilder& builder, const PlainSelection& selection) {
  Predicate predicate;
  predicate.keys = as_bounds(selection.keys);
  predicate.values = as_bounds(selection.values);
  if (!selection.equal.empty()) predicate.equal = to_value(builder, selection.equal);
  for (const auto& [name, wanted] : columns_of(selection.columns)) {
    predicate.tests.push_back(to_test(builder, name, wanted));
  }
  if (!selection.get.empty()) {
    const std::size_t dot = selection.get.find('.');
    Aggregate aggregate{
        kind_of(selection.get.substr(0, dot)), {}, as_integer(selection.result)};
    if (dot != std::string::npos) {
      aggregate.column = builder.string(selection.get.substr(dot + 1));
    }
    return builder.aggregate(predicate, aggregate);
  }
  std::vector<Row> rows;
  for (const auto& [key, value] : selection.rows) {
    rows.push_back({builder.key(to_value(builder, key)), to_value(builder, value)});
  }
  builder.select(predicate, rows);
}

std::string range_text(const Predicate::Bounds& bounds) {
  return std::to_string(bounds.min) + ".." + std::to_string(bounds.max);
}

std::string row_text(const History& history, std::span<const ColumnValue> columns) {
  if (columns.empty()) return "/";
  std::string out;
  for (const ColumnValue& column : columns) {
    out += (out.empty() ? "" : "/") + history.text(column.name) + ':' +
           (column.value.is_null() ? "_" : history.text(column.value));
  }
  return out;
}

/// Of a row that was read as a whole with the columns that it lacks.
std::string value_text(const History& history, const Op& op) {
  const bool is_match = op.kind == OpKind::kReadMatch;
  const Value whole = is_match ? history.read_value(op) : history.seen(op);
  if (is_match && whole.is_null()) return row_text(history, history.read_columns(op));
  if (!history.is_row(whole)) return history.text(whole);
  if (op.is_write()) return row_text(history, history.columns(whole));
  const history::KeyColumns written(history, history.all_ops());
  return row_text(history, written.with_nulls(op.key, whole));
}

std::string test_text(const History& history, const PredicateView::Test& test) {
  if (test.is_null) return "_";
  if (test.bounds) return range_text(*test.bounds);
  if (test.in) return history.text(test.in->front());
  return "!" + (test.not_in.empty() ? "_" : history.text(test.not_in.front()));
}

PlainOp to_plain(const History& history, TxnId txn, const Selection& selection) {
  PlainOp out;
  out.kind = OpKind::kReadAbsent;
  const PredicateView predicate = history.predicates()[selection.predicate];
  if (predicate.keys) out.selection.keys = range_text(*predicate.keys);
  if (predicate.values) out.selection.values = range_text(*predicate.values);
  if (!predicate.equal.is_null()) out.selection.equal = history.text(predicate.equal);
  for (const PredicateView::Test& test : predicate.tests) {
    if (!out.selection.columns.empty()) out.selection.columns += '/';
    out.selection.columns += history.text(test.column) + ':' + test_text(history, test);
  }
  if (const Aggregate* const computed = history.aggregate(selection)) {
    out.selection.get = kAggregates[static_cast<std::size_t>(computed->kind)];
    if (!computed->column.is_null()) out.selection.get += '.' + history.text(computed->column);
    if (computed->result) out.selection.result = std::to_string(*computed->result);
  }
  for (const Op& row : history.ops(txn).subspan(selection.first, selection.rows)) {
    out.selection.rows.emplace_back(history.text(history.key_name(row.key)),
                                    value_text(history, row));
  }
  return out;
}

PlainOp to_plain(const History& history, const Op& op) {
  PlainOp out{op.kind, history.text(history.key_name(op.key)), {}, {}};
  if (op.kind == OpKind::kReadList) {
    for (const Value element : history.seen_list(op)) out.list.push_back(history.text(element));
  } else if (history.found_nothing(op)) {
    out.kind = OpKind::kRead;
  } else if (op.kind == OpKind::kReadExcept) {
    out.value = history.text(history.predicate(op).equal);
  } else if (op.kind == OpKind::kReadMatch) {
    out.kind = OpKind::kRead;
    out.value = value_text(history, op);
  } else if (!op.is_delete() && op.kind != OpKind::kReadUnknown &&
             !history.seen(op).is_null()) {
    out.value = value_text(history, op);
  }
  return out;
}

void add_contents(HistoryBuilder& builder, const PlainOp& held) {
  const KeyId key = builder.key(to_value(builder, held.key));
  if (held.kind == OpKind::kWrite)
    return builder.set_initial(key, to_value(builder, held.value));
  std::vector<Value> elements;
  for (const std::string& element : held.list) elements.push_back(to_value(builder, element));
  builder.set_initial_list(key, elements);
}

PlainOp contents_of(const History& history, KeyId key) {
  PlainOp held{OpKind::kWrite, history.text(history.key_name(key)), {}, {}};
  if (history.is_list(key)) held.kind = OpKind::kReadList;
  for (const Value element : history.initial_list(key))
    held.list.push_back(history.text(element));
  const Value value = history.initial(key);
  if (value.is_null()) return held;
  held.value =
      history.is_row(value) ? row_text(history, history.columns(value)) : history.text(value);
  return held;
}

void add_op(HistoryBuilder& builder, const PlainOp& op) {
  if (op.kind == OpKind::kReadAbsent) return add_selection(builder, op.selection);
  const KeyId key = builder.key(to_value(builder, op.key));
  if (op.adds) return builder.increment(key, to_value(builder, op.value).as_integer(), {});
  switch (op.kind) {
    case OpKind::kRead:
      return builder.read(key, op.value.empty() ? Value() : to_value(builder, op.value));
    case OpKind::kWrite:
      if (op.value.empty()) return builder.remove(key);
      return builder.write(key, to_value(builder, op.value));
    case OpKind::kAppend:
      return builder.append(key, to_value(builder, op.value));
    case OpKind::kReadUnknown:
      return builder.read_unknown(key);
    case OpKind::kReadExcept:
      return builder.read_except(key, to_value(builder, op.value));
    case OpKind::kReadAbsent:
    case OpKind::kReadMatch:  // plain histories have kRead
    case OpKind::kReadList:
      break;
  }
  std::vector<Value> elements;
  for (const std::string& element : op.list) elements.push_back(to_value(builder, element));
  builder.read_list(key, elements);
}

std::string selection_to_text(const PlainSelection& selection) {
  std::string out = "s(";
  const auto add = [&](const std::string& what, const std::string& condition) {
    if (condition.empty()) return;
    if (out.back() != '(') out += ' ';
    out += what + "=" + condition;
  };
  add("keys", selection.keys);
  add("values", selection.values);
  add("equal", selection.equal);
  add("cols", selection.columns);
  add("get", selection.get);
  out += ':';
  if (!selection.get.empty()) {
    return out + ' ' + (selection.result.empty() ? "_" : selection.result) + ")";
  }
  for (const auto& [key, value] : selection.rows) {
    out += ' ';
    out += key + "=" + value;
  }
  return out + ")";
}

std::string op_to_text(const PlainOp& op) {
  if (op.kind == OpKind::kReadAbsent) return selection_to_text(op.selection);
  if (op.kind == OpKind::kWrite && op.value.empty()) return "d(" + op.key + ")";
  std::string out(1, op.kind == OpKind::kWrite ? 'w' : op.kind == OpKind::kAppend ? 'a' : 'r');
  (((out += '(') += op.key) += '=');
  if (op.kind == OpKind::kReadList) {
    out += '[';
    for (std::size_t i = 0; i < op.list.size(); ++i) (out += i == 0 ? "" : " ") += op.list[i];
    out += ']';
  } else if (op.kind == OpKind::kReadUnknown) {
    out += '?';
  } else if (op.kind == OpKind::kReadExcept) {
    out += "<>" + op.value;
  } else {
    out += op.value.empty() ? "_" : op.value;
  }
  return out += ')';
}

std::string time_to_text(std::int64_t time) {
  return time == kNoTime ? "_" : std::to_string(time);
}

}  // namespace

bool is_selected(const PlainSelection& selection, const std::string& key,
                 const std::string& value) {
  return !value.empty() && selects_key(selection, key) && selects_value(selection, value);
}

bool selects_key(const PlainSelection& selection, const std::string& key) {
  return is_within(selection.keys, key);
}

bool is_row(const std::string& word) { return word.find_first_of(":/") != std::string::npos; }

std::map<std::string, std::string> columns_of(const std::string& row) {
  std::map<std::string, std::string> columns;
  for (std::size_t at = 0; at < row.size();) {
    const std::size_t end = std::min(row.find('/', at), row.size());
    const std::string column = row.substr(at, end - at);
    const std::size_t colon = column.find(':');
    if (colon != std::string::npos) columns[column.substr(0, colon)] = column.substr(colon + 1);
    at = end + 1;
  }
  return columns;
}

namespace {

std::string held(const std::map<std::string, std::string>& columns, const std::string& name) {
  const auto found = columns.find(name);
  return found == columns.end() ? "_" : found->second;
}

bool passes(const std::string& wanted, const std::string& found) {
  if (wanted == "_") return found == "_";
  if (found == "_") return false;
  if (wanted.starts_with('!')) return wanted.substr(1) != found;
  if (wanted.find("..") != std::string::npos) return is_within(wanted, found);
  return wanted == found;
}

}  // namespace

bool agrees(const std::string& told, const std::string& version) {
  if (told.empty() || version.empty() || !is_row(told)) return told == version;
  const auto columns = columns_of(told);
  const auto there = columns_of(version);
  return columns.empty() ||
         (is_row(version) &&
          std::all_of(columns.begin(), columns.end(), [&](const auto& column) {
            return held(there, column.first) == column.second;
          }));
}

bool may_return(const PlainSelection& selection, const std::string& key,
                const std::string& told) {
  if (!selects_key(selection, key)) return false;
  if (!is_row(told)) return selects_value(selection, told);
  const auto columns = columns_of(told);
  if (!columns.empty() && (!selection.values.empty() || !selection.equal.empty())) return false;
  const auto tests = columns_of(selection.columns);
  return std::all_of(columns.begin(), columns.end(), [&](const auto& column) {
    const auto test = tests.find(column.first);
    return test == tests.end() || passes(test->second, column.second);
  });
}

bool selects_value(const PlainSelection& selection, const std::string& value) {
  if (is_row(value) && (!selection.values.empty() || !selection.equal.empty())) return false;
  const auto tests = columns_of(selection.columns);
  if (!tests.empty() && !is_row(value)) return false;
  const auto columns = columns_of(value);
  for (const auto& [name, wanted] : tests) {
    if (!passes(wanted, held(columns, name))) return false;
  }
  return !value.empty() && is_within(selection.values, value) &&
         (selection.equal.empty() || selection.equal == value);
}

PlainHistory parse_plain(std::string_view text) { return Parser(text).history(); }

History build(const PlainHistory& plain, bool lists_rows_later) {
  HistoryBuilder builder;
  if (lists_rows_later) builder.list_rows_later();
  builder.origin().truncated = plain.truncated;
  if (plain.lacks_deletions) builder.origin().rows_are_deleted = true;
  for (const PlainOp& held : plain.start) add_contents(builder, held);
  for (const PlainTxn& txn : plain) {
    builder.begin_txn(builder.session(txn.session));
    builder.set_status(txn.status);
    builder.set_times(txn.times);
    builder.set_database_times(txn.database_times);
    if (txn.level) builder.set_stated_level(*txn.level);
    for (const PlainOp& op : txn.ops) add_op(builder, op);
  }
  Result<History> history = builder.finish();
  if (!history.ok()) {
    std::fprintf(stderr, "not a history: %s\n%s", history.error().message.c_str(),
                 to_text(plain).c_str());
    std::abort();
  }
  return std::move(history).value();
}

PlainHistory to_plain(const History& history) {
  PlainHistory plain(history.txn_count());
  plain.truncated = history.origin().truncated;
  for (const KeyId key : history::keys_with_contents(history)) {
    plain.start.push_back(contents_of(history, key));
  }
  for (std::size_t t = 0; t < plain.size(); ++t) {
    const TxnId txn = TxnId::at(t);
    plain[t].session = history.session_name(history.session_of(txn));
    plain[t].status = history.status(txn);
    plain[t].times = history.times(txn);
    plain[t].database_times = history.database_times(txn);
    plain[t].level = history.stated_level(txn);
    const std::span<const Op> ops = history.ops(txn);
    std::span<const Selection> left = history.selections(txn);
    for (std::size_t at = 0; at < ops.size() || !left.empty();) {
      if (!left.empty() && left.front().first == at) {
        plain[t].ops.push_back(to_plain(history, txn, left.front()));
        at = left.front().end();
        left = left.subspan(1);
      } else {
        plain[t].ops.push_back(to_plain(history, ops[at++]));
      }
    }
  }
  return plain;
}

History parse(std::string_view text) { return build(parse_plain(text)); }

std::string to_text(const PlainHistory& plain) {
  std::string out;
  for (const PlainOp& held : plain.start) {
    out += (out.empty() ? "start(" : " ") + held.key + '=';
    if (held.kind == OpKind::kReadList) {
      out += '[';
      for (std::size_t i = 0; i < held.list.size(); ++i) {
        (out += i == 0 ? "" : " ") += held.list[i];
      }
      out += ']';
    } else {
      out += held.value;
    }
  }
  if (!out.empty()) out += ")\n";
  for (const PlainTxn& txn : plain) {
    out += txn.session + ":";
    if (txn.ops.empty()) out += " nop";
    for (const PlainOp& op : txn.ops) (out += ' ') += op_to_text(op);
    if (txn.status == TxnStatus::kAborted) out += " !";
    if (txn.status == TxnStatus::kIndeterminate) out += " ?";
    if (txn.times.start != kNoTime || txn.times.end != kNoTime) {
      (out += " @") += time_to_text(txn.times.start);
      (out += ',') += time_to_text(txn.times.end);
    }
    const DatabaseTimes database = txn.database_times;
    if (database.start != kNoTime || database.commit != kNoTime) {
      (out += " ~") += time_to_text(database.start);
      (out += ',') += time_to_text(database.commit);
    }
    // The first of its names that is one word.
    if (txn.level) (out += " %") += info(*txn.level).alias;
    out += "\n";
  }
  return out;
}

std::string to_text(const History& history) { return to_text(to_plain(history)); }

}  // namespace isolde::support
