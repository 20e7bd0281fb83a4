#include "io/native_initial.hpp"

#include <string>
#include <vector>

#include "history/initial.hpp"

namespace isolde::io {

namespace ondemand = simdjson::ondemand;
using simdjson::SUCCESS;

bool InitialParser::check(simdjson::error_code code) {
  if (code == SUCCESS) return true;
  return fail_(std::string("malformed JSON: ") + simdjson::error_message(code));
}

bool InitialParser::parse(JsonValue value) {
  ondemand::array pairs;
  if (value.get_array().get(pairs) != SUCCESS) {
    return fail_(R"("initial" of the header is not an array of pairs [key, value])");
  }
  for (auto item : pairs) {
    ondemand::array pair;
    if (item.get_array().get(pair) != SUCCESS) {
      return fail_(R"("initial" of the header is not an array of pairs [key, value])");
    }
    if (!this->pair(pair)) return false;
    if (!builder_.status().ok()) return fail_(builder_.status().error().message);
  }
  return true;
}

bool InitialParser::pair(ondemand::array pair) {
  KeyId key;
  int parts = 0;
  for (auto item : pair) {
    ondemand::value value;
    if (!check(item.get(value))) return false;
    if (++parts > 2) break;
    if (parts == 2) {
      if (!contents(value, key)) return false;
      continue;
    }
    Value name;
    if (!read_scalar_(value, "a key", name)) return false;
    if (name.is_null()) return fail_("null cannot be a key");
    key = builder_.key(name);
  }
  return parts == 2 || fail_("initial contents are pairs [key, value]");
}

bool InitialParser::contents(JsonValue value, KeyId key) {
  ondemand::array elements;
  if (value.get_array().get(elements) == SUCCESS) return list(elements, key);
  ondemand::object columns;
  Value held;
  if (value.get_object().get(columns) == SUCCESS) {
    if (!rows_.row(columns, held)) return false;
  } else if (!read_scalar_(value, "an initial value", held)) {
    return false;
  }
  if (held.is_null()) return fail_("null is no initial value; leave out keys without one");
  builder_.set_initial(key, held);
  return true;
}

bool InitialParser::list(ondemand::array list, KeyId key) {
  std::vector<Value> elements;
  for (auto item : list) {
    ondemand::value element;
    Value scalar;
    if (!check(item.get(element)) || !read_scalar_(element, "an element of a list", scalar)) {
      return false;
    }
    if (scalar.is_null()) return fail_("null cannot be an element of a list");
    elements.push_back(scalar);
  }
  if (elements.empty())
    return fail_("an empty list is no contents; leave out keys without any");
  builder_.set_initial_list(key, elements);
  return true;
}

void append_initial(std::string& out, const History& history) {
  if (!history.has_initial_contents()) return;
  out += R"(,"initial":[)";
  for (const KeyId key : history::keys_with_contents(history)) {
    if (out.back() == ']') out += ',';
    out += '[';
    append_value(out, history, history.key_name(key));
    out += ',';
    if (!history.is_list(key)) {
      append_value(out, history, history.initial(key));
      out += ']';
      continue;
    }
    out += '[';
    for (const Value element : history.initial_list(key)) {
      if (out.back() != '[') out += ',';
      append_value(out, history, element);
    }
    out += "]]";
  }
  out += ']';
}

}  // namespace isolde::io
