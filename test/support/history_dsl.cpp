// Recursive-descent parser for the notation of history_dsl.hpp, and its inverse.
#include "support/history_dsl.hpp"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/assert.hpp"

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
  std::int64_t time() {
    if (take('_')) return kNoTime;
    const std::optional<std::int64_t> number = as_integer(word("a time"));
    if (!number) fail("an integer or _ as the time before");
    return *number;
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
      } else if (c == 'r' || c == 'w' || c == 'a') {
        ++at_;
        txn.ops.push_back(operation(c));
        empty = false;
      } else {
        break;
      }
    }
    if (empty) fail("an operation or nop");
  }

  PlainOp operation(char letter) {
    PlainOp op;
    need('(', "'(' after r, w or a");
    op.key = word("a key");
    need('=', "'=' after the key");
    if (letter == 'w' || letter == 'a') {
      op.kind = letter == 'w' ? OpKind::kWrite : OpKind::kAppend;
      op.value = word("a value");
    } else if (take('[')) {
      op.kind = OpKind::kReadList;
      skip_blank(false);
      while (!take(']')) {
        op.list.push_back(word("an element or ']'"));
        skip_blank(false);
      }
    } else if (take('?')) {
      op.kind = OpKind::kReadUnknown;
    } else if (!take('_')) {
      op.value = word("a value, '_', '?' or '['");
    }
    need(')', "')' at the end of the operation");
    return op;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  PlainHistory history_;
};

Value to_value(HistoryBuilder& builder, const std::string& word) {
  if (const std::optional<std::int64_t> number = as_integer(word)) {
    return builder.integer(*number);
  }
  return builder.string(word);
}

void add_op(HistoryBuilder& builder, const PlainOp& op) {
  const KeyId key = builder.key(to_value(builder, op.key));
  switch (op.kind) {
    case OpKind::kRead:
      return builder.read(key, op.value.empty() ? Value() : to_value(builder, op.value));
    case OpKind::kWrite:
      return builder.write(key, to_value(builder, op.value));
    case OpKind::kAppend:
      return builder.append(key, to_value(builder, op.value));
    case OpKind::kReadUnknown:
      return builder.read_unknown(key);
    case OpKind::kReadList:
      break;
  }
  std::vector<Value> elements;
  for (const std::string& element : op.list) elements.push_back(to_value(builder, element));
  builder.read_list(key, elements);
}

std::string op_to_text(const PlainOp& op) {
  std::string out(1, op.kind == OpKind::kWrite ? 'w' : op.kind == OpKind::kAppend ? 'a' : 'r');
  (((out += '(') += op.key) += '=');
  if (op.kind == OpKind::kReadList) {
    out += '[';
    for (std::size_t i = 0; i < op.list.size(); ++i) (out += i == 0 ? "" : " ") += op.list[i];
    out += ']';
  } else if (op.kind == OpKind::kReadUnknown) {
    out += '?';
  } else {
    out += op.value.empty() ? "_" : op.value;
  }
  return out += ')';
}

std::string time_to_text(std::int64_t time) {
  return time == kNoTime ? "_" : std::to_string(time);
}

}  // namespace

PlainHistory parse_plain(std::string_view text) { return Parser(text).history(); }

History build(const PlainHistory& plain) {
  HistoryBuilder builder;
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
  for (std::size_t t = 0; t < plain.size(); ++t) {
    const TxnId txn = TxnId::at(t);
    plain[t].session = history.session_name(history.session_of(txn));
    plain[t].status = history.status(txn);
    plain[t].times = history.times(txn);
    plain[t].database_times = history.database_times(txn);
    plain[t].level = history.stated_level(txn);
    for (const Op& op : history.ops(txn)) {
      PlainOp out{op.kind, history.text(history.key_name(op.key)), {}, {}};
      if (op.kind == OpKind::kReadList) {
        for (const Value element : history.list(op)) out.list.push_back(history.text(element));
      } else if (!op.value.is_null()) {
        out.value = history.text(op.value);
      }
      plain[t].ops.push_back(std::move(out));
    }
  }
  return plain;
}

History parse(std::string_view text) { return build(parse_plain(text)); }

std::string to_text(const PlainHistory& plain) {
  std::string out;
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
