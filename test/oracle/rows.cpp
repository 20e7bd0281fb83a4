#include "oracle/rows.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace isolde::oracle {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostKnown = 1'000;

/// The values that were asked for so far. An execution asks for the same ones again and again,
/// and reading JSON took most of the oracle's time.
std::map<std::string, Json>& known_values() {
  thread_local std::map<std::string, Json> known;
  return known;
}

/// Stays until meets() is called.
const Json& json_of(const History& history, Value value) {
  const std::string text(history.json(value));
  const auto found = known_values().find(text);
  if (found != known_values().end()) return found->second;
  return known_values().emplace(text, Json::parse(text)).first->second;
}

/// What the column of the row holds; null where it has none.
Json held(const Json& row, const std::string& name) {
  const auto found = row.find(name);
  return found == row.end() ? Json() : *found;
}

bool lies_within(const Json& found, const Predicate::Bounds& bounds) {
  return found.is_number_integer() && found.get<std::int64_t>() >= bounds.min &&
         found.get<std::int64_t>() <= bounds.max;
}

bool passes(const History& history, const PredicateView::Test& test, const Json& found) {
  if (test.is_null || found.is_null()) return test.is_null && found.is_null();
  if (test.bounds && !lies_within(found, *test.bounds)) return false;
  const auto is_it = [&](Value value) { return json_of(history, value) == found; };
  if (test.in && std::none_of(test.in->begin(), test.in->end(), is_it)) return false;
  return std::none_of(test.not_in.begin(), test.not_in.end(), is_it);
}

std::string name_of(const History& history, const PredicateView::Test& test) {
  return std::string(history.pooled_text(test.column));
}

bool meets_tests(const History& history, const PredicateView& predicate, const Json& version) {
  for (const PredicateView::Test& test : predicate.tests) {
    if (test.column.is_null()) continue;  // of the key
    if (!version.is_object()) return false;
    if (!passes(history, test, held(version, name_of(history, test)))) return false;
  }
  return true;
}

}  // namespace

bool meets(const History& history, const PredicateView& predicate, Value version) {
  if (version.is_absent()) return false;
  if (known_values().size() > kMostKnown) known_values().clear();
  const Json& found = json_of(history, version);
  if (predicate.values && !lies_within(found, *predicate.values)) return false;
  if (!predicate.equal.is_null() && version != predicate.equal) return false;
  return meets_tests(history, predicate, found);
}

bool may_have_returned(const History& history, const Op& read, Value version) {
  if (!meets(history, history.predicate(read), version)) return false;
  const Json& found = json_of(history, version);
  for (const ColumnValue& column : history.read_columns(read)) {
    if (!found.is_object()) return false;
    const std::string name(history.pooled_text(column.name));
    if (held(found, name) != json_of(history, column.value)) return false;
  }
  return true;
}

bool is_outside(const History& history, const PredicateView& predicate, const Op& read) {
  if (!predicate.selects_key(history.key_name(read.key))) return true;
  if (read.kind != OpKind::kReadMatch) return !meets(history, predicate, history.seen(read));
  const Value whole = history.read_value(read);
  if (!whole.is_null()) return !meets(history, predicate, whole);
  if (history.read_columns(read).empty()) return false;
  if (predicate.values || !predicate.equal.is_null()) return true;
  for (const ColumnValue& column : history.read_columns(read)) {
    for (const PredicateView::Test& test : predicate.tests) {
      if (test.column != column.name) continue;
      if (!passes(history, test, json_of(history, column.value))) return true;
    }
  }
  return false;
}

}  // namespace isolde::oracle
