#include "replay/wording.hpp"

#include <algorithm>
#include <vector>

#include "base/printable.hpp"
#include "history/aggregate_names.hpp"

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
      return statements.empty() ? selection(step) : statements[step.op];
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

std::string Wording::selection(const Step& step) const {
  const History& history = numbering_.history();
  const Selection& selection = history.selections(step.txn)[step.op];
  const Aggregate* const computed = history.aggregate(selection);
  const bool deletes = step.kind == Step::Kind::kDeleteSelected;
  const std::string_view word = computed != nullptr ? history::name_of(computed->kind)
                                : deletes           ? "delete"
                                                    : "select";
  return std::string(word) + "(" + history.text(history.predicates()[selection.predicate]) +
         ")";
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

std::string Wording::computed(std::optional<std::int64_t> result) const {
  return result ? std::to_string(*result) : number(result);
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

std::string Wording::row(db::Key key, std::optional<std::int64_t> value) const {
  const std::optional<KeyId> known =
      notation_ == Notation::kSql ? std::nullopt : numbering_.key_of(key);
  const std::string name = known ? numbering_.key_text(*known) : std::to_string(key);
  if (!value) return name;
  return name + "=" + (known ? number(*known, value) : number(value));
}

std::string Wording::rows(std::span<const db::Row> rows) const {
  std::string text = "[";
  for (const db::Row& each : rows) {
    text += (&each == rows.data() ? "" : " ") + row(each.key, each.value);
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

std::string Wording::recorded(TxnId txn, const Selection& selection) const {
  const History& history = numbering_.history();
  if (selection.is_aggregate()) return computed(history.aggregate(selection)->result);
  std::string text = "[";
  for (const Op& op : history.ops(txn).subspan(selection.first, selection.rows)) {
    const Value value =
        op.kind == OpKind::kReadMatch ? history.read_value(op) : history.seen(op);
    if (text.back() != '[') text += ' ';
    text += row(numbering_.key(op.key),
                value.is_null() ? std::nullopt : std::optional(numbering_.value(value)));
  }
  return text + "]";
}

std::string Wording::expected(const SerialRun& serial, TxnId txn,
                              const Selection& selection) const {
  if (selection.is_aggregate()) return computed(serial.computed(txn, selection));
  std::vector<db::Row> found;
  for (const Row& each : serial.rows(txn, selection)) {
    found.push_back({numbering_.key(each.key), numbering_.value(each.value)});
  }
  std::ranges::sort(found, {}, &db::Row::key);
  return rows(found);
}

std::string sessions_text(std::size_t count) {
  if (count == 1) return "session A";
  return std::string("sessions A ") + (count == 2 ? "and " : "to ") +
         Numbering::session_letter(count - 1);
}

}  // namespace isolde::replay
