#include "replay/wording.hpp"

#include <vector>

#include "base/printable.hpp"

namespace isolde::replay {

std::string Wording::step(const Step& step, std::span<const std::string> statements) const {
  const std::string text = action(step, statements);
  if (step.pace == Step::Pace::kSend) return "send " + text;
  if (step.pace == Step::Pace::kUntil) {
    return "until " + text + "=" + recorded(step.txn, step.op);
  }
  return text;
}

std::string Wording::action(const Step& step, std::span<const std::string> statements) const {
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
      return statements[step.op];
    case Step::Kind::kStatement:
      return "sql " + base::printable_line(statements[step.op]);
    case Step::Kind::kWait:
      return "wait";
    case Step::Kind::kCrash:
      return "crash";
    case Step::Kind::kOperation:
      break;
  }
  const Op& op = numbering_.history().ops(step.txn)[step.op];
  const std::string key = numbering_.key_text(op.key);
  if (!op.is_write()) return "r(" + key + ")";
  if (op.is_delete()) return "d(" + key + ")";
  const std::int64_t number = numbering_.value(op.value);
  const std::string written = explained(op.key, number, numbering_.text(number));
  return (op.kind == OpKind::kAppend ? "append(" : "w(") + key + ", " + written + ")";
}

std::string Wording::explained(KeyId key, std::optional<std::int64_t> value,
                               std::string text) const {
  const std::string told = numbering_.told(key, value);
  if (notation_ == Notation::kTold) return told;
  const std::string plain = value ? numbering_.text(*value) : "null";
  return told == plain ? text : text + " = " + told;
}

std::string Wording::number(KeyId key, std::optional<std::int64_t> value) const {
  return explained(key, value, number(value));
}

std::string Wording::number(std::optional<std::int64_t> value) const {
  if (!value) return notation_ == Notation::kSql ? "NULL" : "null";
  return notation_ == Notation::kSql ? std::to_string(*value) : numbering_.text(*value);
}

std::string Wording::numbers(std::span<const std::int64_t> elements) const {
  const bool is_sql = notation_ == Notation::kSql;
  std::string text = is_sql ? "'" : "[";
  for (const std::int64_t& element : elements) {
    if (is_sql) {
      text += ',' + std::to_string(element);
    } else {
      text += (&element == elements.data() ? "" : " ") + numbering_.text(element);
    }
  }
  return text + (is_sql ? "'" : "]");
}

std::string Wording::rows(std::span<const db::Row> rows) const {
  std::string text = "[";
  for (const db::Row& row : rows) {
    text +=
        (&row == rows.data() ? "" : " ") + std::to_string(row.key) + "=" + number(row.value);
  }
  return text + "]";
}

std::string Wording::value(KeyId key, Value value) const {
  if (value.is_absent()) return number(key, std::nullopt);
  return number(key, numbering_.value(value));
}

std::string Wording::list(std::span<const Value> elements) const {
  std::vector<std::int64_t> all;
  for (const Value element : elements) all.push_back(numbering_.value(element));
  return numbers(all);
}

std::string Wording::recorded(TxnId txn, std::uint32_t op) const {
  const History& history = numbering_.history();
  const Op& read = history.ops(txn)[op];
  switch (read.kind) {
    case OpKind::kRead:
      return value(read.key, history.seen(read));
    case OpKind::kReadMatch:
      return value(read.key, history.read_value(read));
    case OpKind::kReadList:
      return list(history.seen_list(read));
    case OpKind::kReadExcept:
      if (history.found_nothing(read)) return number(read.key, std::nullopt);
      return "not " + value(read.key, history.predicate(read).equal);
    default:
      return "no answer";
  }
}

std::string Wording::expected(const SerialRun& serial, TxnId txn, std::uint32_t op) const {
  const History& history = numbering_.history();
  const KeyId key = history.ops(txn)[op].key;
  if (history.is_list(key)) return list(serial.list(txn, op));
  return value(key, serial.value(txn, op));
}

std::string sessions_text(std::size_t count) {
  if (count == 1) return "session A";
  return std::string("sessions A ") + (count == 2 ? "and " : "to ") +
         Numbering::session_letter(count - 1);
}

}  // namespace isolde::replay
