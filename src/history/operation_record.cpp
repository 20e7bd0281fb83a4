// HistoryBuilder::add(): records become the builder's calls.
#include "isolde/operation_record.hpp"

#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/utf8.hpp"
#include "isolde/history_builder.hpp"

namespace isolde {
namespace {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const base::Character next = base::first_character(text);
    if (!next.valid) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

std::size_t digits(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

/// A JSON number (RFC 8259, section 6).
bool is_json_number(std::string_view text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  std::size_t at = digits(text, sign);
  if (at == sign || (text[sign] == '0' && at > sign + 1)) return false;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = at + 1;
    at = digits(text, fraction);
    if (at == fraction) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const bool has_sign = at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-');
    const std::size_t exponent = at + (has_sign ? 2 : 1);
    at = digits(text, exponent);
    if (at == exponent) return false;
  }
  return at == text.size();
}

Value literal_value(HistoryBuilder& builder, std::string_view text) {
  if (text == "true" || text == "false") return builder.literal(text);
  if (!is_json_number(text)) {
    builder.refuse("a literal is neither a number nor true nor false");
    return builder.integer(0);
  }
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  // Where it fits, it has to equal the integer.
  if (error == std::errc() && stop == end) return builder.integer(number);
  return builder.literal(text);
}

Value value_of(HistoryBuilder& builder, const Scalar& scalar) {
  switch (scalar.kind()) {
    case Scalar::Kind::kInteger:
      return builder.integer(scalar.number());
    case Scalar::Kind::kText:
      if (is_utf8(scalar.text())) return builder.string(scalar.text());
      builder.refuse("a text is not UTF-8; encode other bytes, for example in hexadecimal");
      return builder.integer(0);
    case Scalar::Kind::kLiteral:
      return literal_value(builder, scalar.text());
    case Scalar::Kind::kNull:
      break;
  }
  return {};
}

/// What is wrong with the record itself, or nothing.
const char* trouble(const OperationRecord& record) {
  const bool is_selection = record.kind == RecordKind::kSelect;
  if (!record.columns.empty()) return "columns are not supported yet";
  if (record.version) return "versions are not supported yet";
  if (is_selection != record.condition.has_value()) {
    return is_selection ? "a selection needs a condition" : "only selections have a condition";
  }
  if (is_selection) {
    for (const RowRecord& row : record.rows) {
      if (row.key.kind() == Scalar::Kind::kNull) return "a row needs a key";
    }
    return nullptr;
  }
  if (record.kind == RecordKind::kReadNot && record.value.kind() == Scalar::Kind::kNull) {
    return "a read that did not return null shows nothing; leave it out or say what it "
           "returned";
  }
  return record.key.kind() == Scalar::Kind::kNull ? "an operation needs a key" : nullptr;
}

void select(HistoryBuilder& builder, const OperationRecord& record) {
  const ConditionRecord& asked = *record.condition;
  const Predicate condition{asked.keys, asked.values, value_of(builder, asked.equal), {}};
  std::vector<Row> rows;
  for (const RowRecord& row : record.rows) {
    const KeyId key = builder.key(value_of(builder, row.key));
    rows.push_back({key, value_of(builder, row.value)});
  }
  builder.select(condition, rows);
}

void read_list(HistoryBuilder& builder, KeyId key, std::span<const Scalar> seen) {
  std::vector<Value> elements;
  elements.reserve(seen.size());
  for (const Scalar& element : seen) elements.push_back(value_of(builder, element));
  builder.read_list(key, elements);
}

}  // namespace

void HistoryBuilder::add(const OperationRecord& record) {
  if (txn_count() == 0) return refuse("an operation needs a transaction; begin one first");
  if (const char* const why = trouble(record)) return refuse(why);
  if (record.kind == RecordKind::kSelect) return isolde::select(*this, record);
  const KeyId key = this->key(value_of(*this, record.key));
  switch (record.kind) {
    case RecordKind::kRead:
      return read(key, value_of(*this, record.value));
    case RecordKind::kWrite:
      return write(key, value_of(*this, record.value));
    case RecordKind::kAppend:
      return append(key, value_of(*this, record.value));
    case RecordKind::kReadList:
      return isolde::read_list(*this, key, record.elements);
    case RecordKind::kReadUnknown:
      return read_unknown(key);
    case RecordKind::kReadNot:
      return read_except(key, value_of(*this, record.value));
    case RecordKind::kDelete:
      return remove(key);
    case RecordKind::kSelect:
      break;
  }
}

}  // namespace isolde
