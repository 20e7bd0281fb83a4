#include "io/native_operation.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "history/aggregate_names.hpp"
#include "io/scalar_text.hpp"

namespace isolde::io {
namespace {

/// `token`: a JSON text.
std::optional<AggregateKind> find_aggregate(std::string_view token) {
  if (token.size() < 2 || token.front() != '"' || token.back() != '"') return std::nullopt;
  return history::aggregate_named(token.substr(1, token.size() - 2));
}

}  // namespace

namespace ondemand = simdjson::ondemand;
using simdjson::SUCCESS;

constexpr const char* kDeletion =
    R"(a deletion does not have two parts; expected ["delete", key])";
constexpr const char* kIncrement =
    R"(an increment is ["inc", key, what is added] or ["inc", key, what is added, the sum], )"
    "with integers of 62 bits";
constexpr const char* kCas =
    R"(a compare-and-set is ["cas", key, expected, new], behind which false says that it )"
    R"(failed, or {"found":value} why)";
constexpr const char* kTooMany =
    "an operation has more than three parts; expected [kind, key, value]";

bool OperationParser::check(simdjson::error_code code) {
  if (code == SUCCESS) return true;
  return fail_(std::string("malformed JSON: ") + simdjson::error_message(code));
}

bool OperationParser::kind(JsonValue value, LineOp& op, LineTxn& txn) {
  const std::string_view token = trim_json(value.raw_json_token());
  if (token == "\"r\"") {
    op.kind = OpKind::kReadUnknown;  // until a result follows
  } else if (token == "\"w\"") {
    op.kind = OpKind::kWrite;
  } else if (token == "\"append\"") {
    op.kind = OpKind::kAppend;
  } else if (token == "\"select\"") {
    op.kind = OpKind::kReadAbsent;
  } else if (token == "\"delete\"") {
    op.kind = OpKind::kWrite;
    op.value = Value::dead();
  } else if (token == "\"inc\"") {
    op.kind = OpKind::kReadMatch;
  } else if (token == "\"refused\"") {
    op.kind = OpKind::kReadUnknown;
    op.is_refused = true;
  } else if (token == "\"cas\"") {
    op.kind = OpKind::kReadMatch;
    op.is_cas = true;
  } else if (const auto aggregate = find_aggregate(token)) {
    op.kind = OpKind::kReadAbsent;
    op.is_aggregate = true;
    op.list_begin = txn.aggregates.size();
    txn.aggregates.push_back({*aggregate, {}, std::nullopt});
  } else {
    return fail_(
        "unknown operation " + printable_excerpt(token) +
        R"(; expected "r", "w", "append", "delete", "inc", "cas", "refused", "select" )"
        "or an aggregate");
  }
  return true;
}

/// The third part on: a column, where the kind looks at one and the values are rows, and the
/// result.
bool OperationParser::aggregate(int part, JsonValue value, LineOp& op, LineTxn& txn) {
  constexpr const char* kExpected =
      R"(expected ["count", condition, number], ["exists", condition, true] or )"
      R"(["sum", condition, "column", number or null])";
  Aggregate& aggregate = txn.aggregates[op.list_begin];
  bool yes = false;
  std::int64_t number = 0;
  if (op.list_end != 0 || part > 3) {
    return fail_(std::string("an aggregate has too many parts; ") + kExpected);
  }
  ondemand::json_type type{};
  if (!check(value.type().get(type))) return false;
  if (part == 2 && aggregate.looks_at_values() && type == ondemand::json_type::string) {
    return read_scalar_(value, "the column of an aggregate", aggregate.column);
  }
  op.list_end = 1;  // the result is here
  if (aggregate.kind == AggregateKind::kExists) {
    if (value.get_bool().get(yes) == SUCCESS) aggregate.result = yes ? 1 : 0;
    return aggregate.result || fail_("whether rows exist is true or false");
  }
  if (aggregate.looks_at_values() && type == ondemand::json_type::null) return true;
  if (value.get_int64().get(number) != SUCCESS) {
    return fail_(std::string("the result of an aggregate is not an integer of 64 bits; ") +
                 kExpected);
  }
  aggregate.result = number;
  return true;
}

bool OperationParser::second(JsonValue value, LineOp& op, Predicate& condition) {
  if (op.kind == OpKind::kReadAbsent) return selections_.condition(value, condition);
  if (!read_scalar_(value, "a key", op.key)) return false;
  return !op.key.is_null() || fail_("null cannot be a key");
}

/// What is added, and then the sum.
bool OperationParser::increment(int part, JsonValue value, LineOp& op, LineTxn& txn) {
  Value number;
  if (part > 3) return fail_(kIncrement);
  if (!read_scalar_(value, "a number", number)) return false;
  if (number.kind() != Value::Kind::kInteger) return fail_(kIncrement);
  if (part == 2) {
    op.value = number;
    return true;
  }
  op.list_begin = txn.elements.size();
  txn.elements.push_back(number);
  op.list_end = txn.elements.size();
  return true;
}

/// What was expected, what was to be written, and how it went.
bool OperationParser::compare_and_set(int part, JsonValue value, LineOp& op) {
  if (part == 2) return read_scalar_(value, "the expected value", op.value);
  if (part == 3) {
    if (!read_scalar_(value, "a written value", op.written)) return false;
    return !op.written.is_null() || fail_("null is the initial value and cannot be written");
  }
  if (part > 4) return fail_(kCas);
  bool took_place = true;
  if (value.get_bool().get(took_place) == SUCCESS) {
    if (!took_place) op.swap = HistoryBuilder::Swap::kFailed;
    return true;
  }
  ondemand::object object;
  if (value.get_object().get(object) != SUCCESS) return fail_(kCas);
  for (auto item : object) {
    ondemand::field field;
    if (!check(std::move(item).get(field))) return false;
    const bool is_again = op.swap == HistoryBuilder::Swap::kFound;
    if (is_again || !field.key().unsafe_is_equal("found")) return fail_(kCas);
    op.swap = HistoryBuilder::Swap::kFound;
    if (!read_scalar_(field.value(), "the value that was found", op.found)) return false;
  }
  return op.swap == HistoryBuilder::Swap::kFound || fail_(kCas);
}

bool OperationParser::third(JsonValue value, LineOp& op, LineTxn& txn) {
  if (op.value.is_dead()) return extras(value, kDeletion, op, txn);
  if (op.kind == OpKind::kReadAbsent) {
    op.list_begin = txn.elements.size();
    if (!selections_.rows(value, txn)) return false;
    op.list_end = txn.elements.size();
    return true;
  }
  if (op.is_refused) return fail_(R"(a refused insert has two parts: ["refused", key])");
  if (op.kind == OpKind::kReadUnknown) return result(value, op, txn);
  ondemand::object object;
  if (op.kind == OpKind::kWrite && value.get_object().get(object) == SUCCESS) {
    return selections_.row(object, op.value);
  }
  if (!read_scalar_(value, "a written value", op.value)) return false;
  return !op.value.is_null() || fail_("null is the initial value and cannot be written");
}

bool OperationParser::result(JsonValue value, LineOp& op, LineTxn& txn) {
  ondemand::array elements;
  if (value.get_array().get(elements) == SUCCESS) return list(elements, op, txn);
  ondemand::object object;
  if (value.get_object().get(object) == SUCCESS) {
    return selections_.result(object, op.kind, op.value);
  }
  op.kind = OpKind::kRead;
  return read_scalar_(value, "a read value", op.value);
}

bool OperationParser::list(ondemand::array list, LineOp& op, LineTxn& txn) {
  op.kind = OpKind::kReadList;
  op.list_begin = txn.elements.size();
  for (auto item : list) {
    ondemand::value element;
    Value scalar;
    if (!check(item.get(element)) || !read_scalar_(element, "an element of a list", scalar)) {
      return false;
    }
    if (scalar.is_null()) return fail_("null cannot be an element of a list");
    txn.elements.push_back(scalar);
  }
  op.list_end = txn.elements.size();
  return true;
}

/// {"version":17}, {"lock":"update"}; `other`: what is wrong when it is no object.
bool OperationParser::extras(JsonValue value, const char* other, const LineOp& op,
                             LineTxn& txn) {
  ondemand::json_type type{};
  if (!check(value.type().get(type))) return false;
  if (type != ondemand::json_type::object) return fail_(other);
  Value version;
  LockMode lock = LockMode::kNone;
  if (!selections_.extras(value, version, op.kind == OpKind::kWrite ? nullptr : &lock)) {
    return false;
  }
  const bool takes_version = op.kind == OpKind::kRead || op.kind == OpKind::kWrite;
  if (!version.is_null() && !takes_version) {
    return fail_("only reads and writes of registers have versions, and rows of selections");
  }
  if (!version.is_null()) txn.set_version(version);
  if (lock != LockMode::kNone) txn.set_lock(lock);
  return true;
}

bool OperationParser::has_all(const LineOp& op, int part_count) {
  if (op.is_cas) return part_count > 3 || fail_(kCas);
  if (op.kind == OpKind::kReadMatch) return part_count > 2 || fail_(kIncrement);
  if (op.value.is_dead()) {
    return part_count == 2 || part_count == 3 || fail_(kDeletion);
  }
  if (op.is_aggregate) {
    return op.list_end != 0 || fail_("an aggregate has no result");
  }
  if (op.kind == OpKind::kReadAbsent) {
    return part_count >= 3 ||
           fail_(R"(a selection has too few parts; expected ["select", condition, rows])");
  }
  const int least = op.kind == OpKind::kReadUnknown ? 2 : 3;
  return part_count >= least ||
         fail_(R"(an operation has too few parts; expected [kind, key, value] or ["r", key])");
}

bool OperationParser::parse(ondemand::array array, LineTxn& txn) {
  LineOp op;
  Predicate condition;
  int part = 0;
  for (auto item : array) {
    ondemand::value value;
    if (!check(item.get(value))) return false;
    if (op.kind == OpKind::kReadMatch && part >= 2) {
      const bool is_taken =
          op.is_cas ? compare_and_set(part++, value, op) : increment(part++, value, op, txn);
      if (!is_taken) return false;
      continue;
    }
    if (op.is_aggregate && part >= 2) {
      if (!aggregate(part++, value, op, txn)) return false;
      continue;
    }
    switch (part++) {
      case 0:
        if (!kind(value, op, txn)) return false;
        break;
      case 1:
        if (!second(value, op, condition)) return false;
        break;
      case 2:
        if (!third(value, op, txn)) return false;
        break;
      case 3: {
        const bool takes_some = op.kind != OpKind::kAppend && op.kind != OpKind::kReadUnknown;
        if (!takes_some || op.value.is_dead()) return fail_(kTooMany);
        if (!extras(value, kTooMany, op, txn)) return false;
        break;
      }
      default:
        return fail_(
            "an operation has more than four parts; expected [kind, key, value, "
            "{\"version\":v}] or [kind, key, value, {\"lock\":mode}]");
    }
  }
  if (!has_all(op, part)) return false;
  if (op.kind == OpKind::kReadAbsent) {
    op.predicate = txn.predicates.size();
    txn.predicates.push_back(std::move(condition));
  }
  txn.ops.push_back(op);
  return true;
}

}  // namespace isolde::io
