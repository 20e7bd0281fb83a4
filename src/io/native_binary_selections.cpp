// Conditions of the native binary format, and the selections and aggregates by them.
#include "io/native_binary_group.hpp"

namespace isolde::io {

/// REQUIRES: what was opened before is no longer needed.
bool BinaryReader::open_json(Column column, std::string_view text,
                             simdjson::ondemand::object& object) {
  json_in_ = column;
  json_.assign(text);
  json_.append(simdjson::SIMDJSON_PADDING, ' ');
  const simdjson::padded_string_view padded(json_.data(), text.size(), json_.size());
  return (parser_.iterate(padded).get(document_) == simdjson::SUCCESS &&
          document_.get_object().get(object) == simdjson::SUCCESS) ||
         fail_in(column, "a text is not a JSON object");
}

/// Nothing, or {"keys":...,"columns":...}.
bool BinaryReader::read_tests(std::uint64_t& begin, Predicate& predicate) {
  std::string text;
  if (!next_text(Column::kTestEnds, Column::kTestChars, begin, text)) return false;
  if (text.empty()) return fail_in(Column::kTestEnds, "the tests of a condition are missing");
  simdjson::ondemand::object object;
  if (!open_json(Column::kTestEnds, text, object)) return false;
  for (auto item : object) {
    simdjson::ondemand::field field;
    std::string_view name;
    if (std::move(item).get(field) != simdjson::SUCCESS ||
        field.unescaped_key().get(name) != simdjson::SUCCESS) {
      return fail_in(Column::kTestEnds, "malformed JSON");
    }
    if (name == "columns") {
      if (!row_parser_.columns(field.value(), predicate)) return false;
    } else if (name == "keys") {
      if (!row_parser_.keys(field.value(), predicate)) return false;
    } else {
      return fail_in(Column::kTestEnds, "an unknown test of a condition");
    }
  }
  return true;
}

bool BinaryReader::read_predicates() {
  std::uint64_t begin = 0;
  while (of(Column::kPredicateEquals).left() > 0) {
    Predicate predicate;
    std::array<std::uint64_t, binary::kBoundsWords> words{};
    if (!next_value(Column::kPredicateEquals, predicate.equal)) return false;
    for (std::uint64_t& word : words) {
      if (!next(Column::kPredicateBounds, word)) return false;
    }
    constexpr std::uint64_t kFlags = 3 | binary::kPredicateHasTests;
    if ((words[0] & ~kFlags) != 0) {
      return fail_in(Column::kPredicateBounds, "unknown flags of a condition");
    }
    const auto bounds = [&](std::size_t at) {
      return Predicate::Bounds{static_cast<std::int64_t>(words[at]),
                               static_cast<std::int64_t>(words[at + 1])};
    };
    if ((words[0] & 1) != 0) predicate.keys = bounds(1);
    if ((words[0] & 2) != 0) predicate.values = bounds(3);
    for (const auto& each : {predicate.keys, predicate.values}) {
      if (each && !each->are_valid()) {
        return fail_in(Column::kPredicateBounds, "a bound is not a 62-bit integer");
      }
    }
    if ((words[0] & binary::kPredicateHasTests) != 0) {
      if (!read_tests(begin, predicate)) return false;
    } else if (has(Column::kTestEnds)) {
      std::uint64_t end = 0;
      if (!next(Column::kTestEnds, end)) return false;
      if (end != begin) return fail_in(Column::kTestEnds, "tests of a condition without any");
    }
    predicates_.add(predicate);
  }
  return true;
}

/// The condition in that row.
std::optional<PredicateView> BinaryReader::find_predicate(Value row) const {
  const bool is_known = row.kind() == Value::Kind::kInteger && row.as_integer() >= 0 &&
                        static_cast<std::uint64_t>(row.as_integer()) < predicates_.size();
  if (!is_known) return std::nullopt;
  return predicates_[static_cast<std::size_t>(row.as_integer())];
}

/// `left`: operations of the transaction that follow.
bool BinaryReader::read_selection(std::uint32_t row_count, Value predicate, LockMode lock,
                                  std::uint32_t& left) {
  const std::optional<PredicateView> condition = find_predicate(predicate);
  if (!condition) return fail_in(Column::kOpValues, "a selection has no condition");
  if (row_count > left) return fail_in(Column::kOpKeys, "the rows of a selection are missing");
  rows_.clear();
  for (std::uint32_t i = 0; i < row_count; ++i, --left) {
    std::uint8_t kind = 0;
    std::uint32_t key_row = 0;
    Value value;
    Value version;
    LockMode none{};
    if (!next(Column::kOpKinds, kind) || !next(Column::kOpKeys, key_row) ||
        !next_value(Column::kOpValues, value) || !next_version(version) || !next_lock(none)) {
      return false;
    }
    if (none != LockMode::kNone) {
      return fail_in(Column::kOpLocks, "a row of a selection has a lock of its own");
    }
    if (key_row >= keys_.size()) return fail_in(Column::kOpKeys, "a key is not in the table");
    if (kind != static_cast<std::uint8_t>(OpKind::kRead) || value.is_null()) {
      return fail_in(Column::kOpKinds, "a row of a selection is not a read of a value");
    }
    rows_.push_back({keys_[key_row], value, version});
  }
  builder_.select(*condition, rows_);
  builder_.set_lock(lock);
  return true;
}

bool BinaryReader::read_aggregate(std::uint32_t what, Value predicate) {
  const std::optional<PredicateView> condition = find_predicate(predicate);
  if (!condition) return fail_in(Column::kOpValues, "an aggregate has no condition");
  const std::uint32_t kind = what & ~binary::kNullResult;
  std::uint64_t result = 0;
  Aggregate aggregate;
  if (kind >= kAggregateKindCount) return fail_in(Column::kOpKeys, "no such aggregate");
  if (!next_value(Column::kAggregateColumns, aggregate.column) ||
      !next(Column::kAggregateResults, result)) {
    return false;
  }
  if (!aggregate.column.is_null() && aggregate.column.kind() != Value::Kind::kString) {
    return fail_in(Column::kAggregateColumns, "the name of a column is not a string");
  }
  aggregate.kind = static_cast<AggregateKind>(kind);
  if (kind == what) aggregate.result = static_cast<std::int64_t>(result);
  builder_.aggregate(*condition, aggregate);
  return true;
}

}  // namespace isolde::io
