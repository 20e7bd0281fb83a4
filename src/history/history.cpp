// History: rendering of values, names and operations, and the digest. The data itself is laid
// out by HistoryBuilder.
#include "isolde/history.hpp"

#include <xxhash.h>

#include <algorithm>

#include "base/assert.hpp"
#include "base/printable.hpp"
#include "history/initial.hpp"
#include "history/notation.hpp"
#include "history/quoted.hpp"
#include "history/texts.hpp"

namespace isolde {
namespace {

/// Feeds a digest with words and strings in a fixed byte order.
class Digester {
 public:
  Digester() : state_(XXH3_createState()) {
    ISOLDE_CHECK(state_ != nullptr);
    XXH3_64bits_reset(state_);
  }
  ~Digester() { XXH3_freeState(state_); }
  Digester(const Digester&) = delete;
  Digester& operator=(const Digester&) = delete;

  void word(std::uint64_t word) {
    if (used_ == sizeof buffer_) flush();
    for (int byte = 0; byte < 8; ++byte) {
      buffer_[used_++] = static_cast<unsigned char>(word >> (8 * byte));
    }
  }
  void text(std::string_view text) {
    word(text.size());
    flush();
    XXH3_64bits_update(state_, text.data(), text.size());
  }
  /// By content, not by pool slot, so that the order of interning does not matter.
  void value(const History& history, Value value) {
    if (value.kind() == Value::Kind::kInteger || value.is_absent()) return word(value.bits());
    word(static_cast<std::uint64_t>(value.kind()));
    text(history.pooled_text(value));
  }
  /// The columns that a kReadMatch told.
  void row(const History& history, const Op& op) {
    if (!history.read_columns(op).empty()) return value(history, History::read_row(op));
    word(static_cast<std::uint64_t>(Value::Kind::kLiteral));
    text("{}");
  }
  void predicate(const History& history, const PredicateView& predicate) {
    bounds(predicate.keys);
    bounds(predicate.values);
    value(history, predicate.equal);
    for (const PredicateView::Test& test : predicate.tests) this->test(history, test);
  }
  std::uint64_t result() {
    flush();
    return XXH3_64bits_digest(state_);
  }

 private:
  void bounds(const std::optional<Predicate::Bounds>& bounds) {
    word(bounds ? 1 : 0);
    if (!bounds) return;
    word(static_cast<std::uint64_t>(bounds->min));
    word(static_cast<std::uint64_t>(bounds->max));
  }
  void test(const History& history, const PredicateView::Test& test) {
    value(history, test.column);
    word((test.is_null ? 1 : 0) + (test.in ? 2 : 0));
    bounds(test.bounds);
    for (const std::span<const Value> values :
         {test.in.value_or(std::span<const Value>()), test.not_in}) {
      word(values.size());
      for (const Value each : values) value(history, each);
    }
  }
  void flush() {
    XXH3_64bits_update(state_, buffer_, used_);
    used_ = 0;
  }

  XXH3_state_t* state_;
  unsigned char buffer_[4096];
  std::size_t used_ = 0;
};

}  // namespace

std::string History::json(Value value) const {
  value = plain(value);
  switch (value.kind()) {
    case Value::Kind::kNull:
      return "null";
    case Value::Kind::kInteger:
      return std::to_string(value.as_integer());
    case Value::Kind::kString:
      return base::printable_json(history::quoted(pooled_text(value)));
    case Value::Kind::kLiteral:
      return std::string(pooled_text(value));
  }
  return {};
}

/// A single value is printed as such.
std::string History::excluded_text(const PredicateView& excluded) const {
  return excluded.values || excluded.equal.is_null() ? text(excluded) : text(excluded.equal);
}

/// "1", "initial", "balance 100 (initial)".
std::string History::read_text(const Op& read) const {
  if (!seen(read).is_null()) return text(read.key, seen(read));
  const ValueNotation* const notation = history::notation_of(*this, read.key);
  if (notation == nullptr || !notation->initial) return "initial";
  return text(read.key, read.value) + " (initial)";
}

std::string History::op_text(const Op& op) const {
  const std::string key = text(op.key);
  const std::string locked(history::lock_text(lock(op)));
  if (is_refused_insert(op)) return "insert(" + key + ") refused";
  switch (op.kind) {
    case OpKind::kRead:
      return "r(" + key + ")=" + read_text(op) + locked;
    case OpKind::kWrite:
      if (op.is_delete()) return "d(" + key + ")";
      return "w(" + key + ")=" + text(op.key, op.value);
    case OpKind::kAppend:
      return "append(" + key + ", " + text(op.value) + ")";
    case OpKind::kReadUnknown:
      return "r(" + key + ")=?";
    case OpKind::kReadAbsent:
      return "select(" + text(predicate(op)) + ") without " + history::key_text(*this, op.key);
    case OpKind::kReadExcept:
      if (found_nothing(op)) return "r(" + key + ")=nothing" + locked;
      if (is_of_any_number(op)) return "r(" + key + ")=?";
      return "r(" + key + ")=not " + excluded_text(predicate(op)) + locked;
    case OpKind::kReadMatch: {
      if (const Value whole = read_value(op); !whole.is_null()) {
        return "r(" + key + ")=" + text(op.key, whole) + locked;
      }
      if (read_columns(op).empty()) return "r(" + key + ")=a row" + locked;
      return "r(" + key + ")=" + text(read_row(op)) + locked;
    }
    case OpKind::kReadList:
      break;
  }
  std::string out = "r(" + key + ")=[";
  bool first = true;
  for (const Value element : seen_list(op)) {
    if (!first) out += ' ';
    first = false;
    out += text(element);
  }
  return (out += ']') += locked;
}

std::string History::text(const PredicateView& predicate) const {
  std::string out;
  const auto add = [&](std::string_view what, const Predicate::Bounds& bounds,
                       const std::string& named) {
    if (!out.empty()) out += " with ";
    if (!named.empty()) {
      out += named;
      return;
    }
    out += what;
    if (bounds.min == bounds.max) {
      out += ' ' + std::to_string(bounds.min);
      return;
    }
    out += "s " + std::to_string(bounds.min) + " to " + std::to_string(bounds.max);
  };
  if (predicate.keys) add("key", *predicate.keys, history::rows_name(*this, *predicate.keys));
  if (predicate.values) {
    const std::string named = history::fields_text(*this, *predicate.values);
    add("value", *predicate.values,
        out.empty() && !named.empty() ? "rows with " + named : named);
  }
  if (!predicate.equal.is_null()) {
    if (!out.empty()) out += predicate.values ? " and " : " with ";
    out += "value " + text(predicate.equal);
  }
  bool is_first = true;
  for (const PredicateView::Test& test : predicate.tests) {
    out += out.empty() ? "rows with " : is_first ? " with " : " and ";
    is_first = false;
    out += text(test);
  }
  return out.empty() ? "all rows" : out;
}

std::string History::text(const Selection& selection) const {
  const std::string condition = text(predicates_[selection.predicate]);
  const Aggregate* const computed = aggregate(selection);
  if (computed == nullptr) {
    return "select(" + condition + ")" + std::string(history::lock_text(selection.lock));
  }
  const std::string result = computed->result ? std::to_string(*computed->result) : "null";
  const auto of_column = [&](const char* name) {
    const std::string column =
        computed->column.is_null() ? "" : " " + text(computed->column) + " of";
    return std::string(name) + "(" + (column.empty() ? "" : column.substr(1) + " ") +
           condition + ") = " + result;
  };
  switch (computed->kind) {
    case AggregateKind::kCount:
      return "count(" + condition + ") = " + result;
    case AggregateKind::kExists:
      return "exists(" + condition + ") = " + (computed->result == 1 ? "true" : "false");
    case AggregateKind::kSum:
      return of_column("sum");
    case AggregateKind::kMin:
      return of_column("min");
    case AggregateKind::kMax:
      return of_column("max");
  }
  return {};
}

/// "qty at least 3", "state not in (open, closed)".
std::string History::text(const PredicateView::Test& test) const {
  const bool is_key = test.column.is_null();
  const std::string name = is_key ? "key" : text(test.column);
  if (test.is_null) return name + " null";
  std::string out;
  const auto add = [&](const std::string& what) {
    if (!out.empty()) out += " and ";
    out += name + ' ' + what;
  };
  const auto value_text = [&](Value value) {
    const std::string row = is_key ? history::row_name(*this, value) : std::string();
    return row.empty() ? text(value) : row;
  };
  const auto add_values = [&](std::span<const Value> values, bool is_in) {
    if (values.size() == 1) return add((is_in ? "" : "not ") + value_text(values.front()));
    std::string list;
    for (const Value value : values) list += (list.empty() ? "" : ", ") + value_text(value);
    add((is_in ? "in (" : "not in (") + list + ")");
  };
  if (test.bounds) {
    const auto& [min, max] = *test.bounds;
    const std::string rows = is_key ? history::rows_name(*this, *test.bounds) : std::string();
    if (!rows.empty()) {
      add(rows);
    } else if (min == max) {
      add(std::to_string(min));
    } else if (max == Value::kIntegerMax) {
      add("at least " + std::to_string(min));
    } else if (min == Value::kIntegerMin) {
      add("at most " + std::to_string(max));
    } else {
      add(std::to_string(min) + " to " + std::to_string(max));
    }
  }
  if (test.in) add_values(*test.in, true);
  if (!test.not_in.empty()) add_values(test.not_in, false);
  if (out.empty()) add("not null");
  return out;
}

const Selection* History::selection_of(TxnId txn, std::size_t op) const {
  const std::span<const Selection> all = selections(txn);
  // An empty selection begins where the next operation does.
  const auto after = std::partition_point(
      all.begin(), all.end(), [&](const Selection& each) { return each.first <= op; });
  if (after == all.begin() || op >= (after - 1)->end()) return nullptr;
  return &*(after - 1);
}

std::uint64_t History::digest() const {
  Digester digester;
  digester.word(session_count());
  for (std::size_t s = 0; s < session_count(); ++s) {
    digester.text(session_names_[s]);
    digester.word(session_txns(SessionId::at(s)).size());
    for (const TxnId txn : session_txns(SessionId::at(s))) {
      digester.word(static_cast<std::uint64_t>(status(txn)));
      const TxnTimes when = times(txn);
      digester.word(static_cast<std::uint64_t>(when.start));
      digester.word(static_cast<std::uint64_t>(when.end));
      if (has_database_times()) {
        digester.word(static_cast<std::uint64_t>(database_times(txn).start));
        digester.word(static_cast<std::uint64_t>(database_times(txn).commit));
      }
      // By name, because the numbers of levels may change.
      if (const auto level = stated_level(txn)) digester.text(info(*level).name);
      // Which rows selections left out follows from the rest, and need not be listed.
      std::size_t left_out = 0;
      for (const Selection& selection : selections(txn)) left_out += selection.absents;
      digester.word(ops(txn).size() - left_out);
      for (const Op& op : ops(txn)) {
        if (op.kind == OpKind::kReadAbsent) continue;
        digester.word(static_cast<std::uint64_t>(op.kind));
        digester.value(*this, key_name(op.key));
        if (op.is_partial()) {
          digester.predicate(*this, predicate(op));
          if (op.kind == OpKind::kReadMatch) digester.row(*this, op);
          continue;
        }
        if (op.kind != OpKind::kReadList) {
          digester.value(*this, op.value);
          continue;
        }
        digester.word(list(op).size());
        for (const Value element : list(op)) digester.value(*this, element);
      }
      left_out = 0;
      for (const Selection& selection : selections(txn)) {
        digester.word(selection.first - left_out);
        left_out += selection.absents;
        digester.word(selection.rows);
        digester.predicate(*this, predicates_[selection.predicate]);
        if (const Aggregate* const computed = aggregate(selection)) {
          digester.word(static_cast<std::uint64_t>(computed->kind));
          digester.value(*this, computed->column);
          digester.word(computed->result ? 1 : 0);
          digester.word(static_cast<std::uint64_t>(computed->result.value_or(0)));
        }
      }
    }
  }
  for (const KeyId key : history::keys_with_contents(*this)) {
    digester.value(*this, key_name(key));
    digester.value(*this, initial(key));
    digester.word(initial_list(key).size());
    for (const Value element : initial_list(key)) digester.value(*this, element);
  }
  return digester.result();
}

}  // namespace isolde
