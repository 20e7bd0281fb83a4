#include "report/brief.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/printable.hpp"

namespace isolde::report {
namespace {

/// The beginning and the end of a long text, as often the end says what came of it.
std::string middle_cut(const std::string& text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = text.size() - max_bytes / 3;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  return base::shortened(text, max_bytes - max_bytes / 3) + text.substr(end);
}

/// "a, b and 3 more": the first ones of a list.
class ShortList {
 public:
  void add(const std::string& one) {
    if (told_ == BriefTexts::kRows) {
      ++more_;
      return;
    }
    ++told_;
    text_ += (text_.empty() ? "" : ", ") + one;
  }
  std::size_t told() const { return told_; }
  std::string text(std::size_t more) const {
    more += more_;
    return text_ + (more > 0 ? " and " + std::to_string(more) + " more" : "");
  }

 private:
  std::string text_;
  std::size_t told_ = 0;
  std::size_t more_ = 0;
};

/// What is known of a column among the versions of one row that the story tells of.
struct Column {
  Value name;
  std::size_t place = 0;  // in the order of the columns
  std::size_t told = 0;
  std::set<std::uint64_t> values;
};

/// The columns that tell the most versions apart; where all are the same, the first ones.
std::vector<Value> decisive(std::vector<Column> columns) {
  const bool differ = std::ranges::any_of(
      columns, [](const Column& column) { return column.values.size() > 1; });
  if (differ) {
    std::erase_if(columns, [](const Column& column) { return column.values.size() < 2; });
    std::ranges::stable_sort(columns, [](const Column& a, const Column& b) {
      return std::pair(a.values.size(), a.told) > std::pair(b.values.size(), b.told);
    });
  }
  if (columns.size() > BriefTexts::kColumns) columns.resize(BriefTexts::kColumns);
  std::ranges::sort(columns, {}, &Column::place);
  std::vector<Value> names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

}  // namespace

BriefTexts::BriefTexts(const History& history, const explain::Scenario& scenario)
    : history_(history) {
  if (scenario.finding) wrong_ = {scenario.finding->txn, scenario.finding->op};
  if (!history.has_rows()) return;
  std::map<KeyId, std::vector<Column>> columns;
  for (const explain::ScenarioTxn& member : scenario.txns) {
    for (const std::uint32_t number : member.ops) {
      const Op& op = history.ops(member.txn)[number];
      const Value row = row_of(op);
      if (row.is_null()) continue;
      std::vector<Column>& known = columns[op.key];
      for (const ColumnValue& each : history.columns(row)) {
        auto own = std::ranges::find(known, each.name, &Column::name);
        if (own == known.end())
          own = known.insert(known.end(), {each.name, known.size(), 0, {}});
        ++own->told;
        own->values.insert(each.value.bits());
      }
    }
  }
  for (auto& [key, known] : columns) decisive_.emplace(key, decisive(std::move(known)));
}

Value BriefTexts::row_of(const Op& op) const {
  Value row;
  if (op.kind == OpKind::kWrite) row = op.value;
  if (op.kind == OpKind::kRead) row = history_.seen(op);
  if (op.kind == OpKind::kReadMatch) {
    row = history_.read_value(op);
    if (row.is_null() && !history_.read_columns(op).empty()) row = History::read_row(op);
  }
  // A version that the history names stands behind the row, and tells it from all others.
  const bool is_plain = history_.trusted_version(row).is_null();
  return is_plain && history_.is_row(row) ? row : Value();
}

std::string BriefTexts::row_text(KeyId key, Value row) const {
  const std::span<const ColumnValue> columns = history_.columns(row);
  const auto chosen = decisive_.find(key);
  const bool has_room = columns.size() <= kColumns || chosen == decisive_.end();
  std::string text;
  std::size_t shown = 0;
  for (const ColumnValue& column : columns) {
    if (!has_room && std::ranges::find(chosen->second, column.name) == chosen->second.end()) {
      continue;
    }
    ++shown;
    text += (text.empty() ? "{" : ", ") + history_.text(column.name) + ": " +
            base::shortened(history_.text(column.value), kValueBytes);
  }
  const bool left_out = shown < columns.size();
  if (text.empty()) return left_out ? "{\u2026}" : "{}";
  return text + (left_out ? ", \u2026}" : "}");
}

std::string BriefTexts::of(explain::OpRef ref, const std::string& whole) const {
  const Op& op = explain::op_at(history_, ref);
  const Value row = row_of(op);
  std::string text = whole;
  if (!row.is_null()) {
    const std::string all = history_.text(row);
    const std::size_t begin = text.rfind(all);
    if (begin != std::string::npos) text.replace(begin, all.size(), row_text(op.key, row));
  }
  return middle_cut(text, kTextBytes);
}

std::string BriefTexts::named_row(const Op& op, bool with_key) const {
  const std::string key = history_.text(op.key);
  const Value row = row_of(op);
  if (!row.is_null()) return (with_key ? key + " = " : "") + row_text(op.key, row);
  if (op.kind != OpKind::kRead) return key;
  const std::string value = history_.text(op.key, history_.seen(op));
  return (with_key ? key + " = " : "") + base::shortened(value, kValueBytes);
}

std::string BriefTexts::of_selection(TxnId txn, const Selection& selection,
                                     std::span<const std::uint32_t> named) const {
  const std::string condition = history_.text(selection);
  if (selection.is_aggregate()) return middle_cut(condition, kTextBytes);
  const std::span<const Op> ops = history_.ops(txn);
  std::vector<std::uint32_t> order(named.begin(), named.end());
  std::stable_partition(order.begin(), order.end(),
                        [&](std::uint32_t at) { return wrong_.txn == txn && wrong_.op == at; });
  ShortList rows;
  ShortList left_out;
  std::size_t others = selection.rows;
  for (const std::uint32_t at : order) {
    const bool is_row = ops[at].kind != OpKind::kReadAbsent;
    const bool names_it = condition == "select(" + history_.text(ops[at].key) + ")";
    (is_row ? rows : left_out).add(named_row(ops[at], !names_it));
    if (is_row && others > 0) --others;
  }
  std::string text = condition;
  if (condition.size() > kConditionBytes) {
    text = base::shortened(condition, kConditionBytes) + ")";
  }
  text += " -> ";
  if (rows.told() > 0) {
    text += rows.text(others);
  } else {
    text += others == 0 ? "nothing" : std::to_string(others) + (others == 1 ? " row" : " rows");
  }
  return text + (left_out.told() > 0 ? "; left out " + left_out.text(0) : "");
}

}  // namespace isolde::report
