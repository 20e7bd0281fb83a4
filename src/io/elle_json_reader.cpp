// Jepsen histories as JSON, as elle-cli takes them: the maps of the EDN form with strings for
// keywords, in one array or one after the other, a line each:
//   {"type": "ok", "f": "txn", "value": [["w", "x", 2], ["r", "y", null]], "process": 0}
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "io/bad_input.hpp"
#include "io/file_names.hpp"
#include "io/jepsen_ops.hpp"
#include "io/json_text.hpp"
#include "io/reader.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

namespace json = simdjson::ondemand;

class JsonOperations final : public JepsenSyntax {
 public:
  JsonOperations(HistoryBuilder& builder, JsonText& text) : builder_(builder), text_(text) {}

  bool has_no_value(const JepsenEntry& entry) override {
    return entry.value.empty() || entry.value == "null";
  }

  bool has_operations(const JepsenEntry& entry) override {
    const std::size_t first = entry.value.find_first_not_of("[ \t\r\n");
    const std::string_view brackets = entry.value.substr(0, first);
    const std::size_t inner = brackets.find_last_of('[');
    return inner != std::string_view::npos && inner > 0;
  }

  std::string_view covered() const override { return "list-append and rw-register"; }

  Status read_operations(const JepsenEntry& entry, JepsenOps& ops) override {
    if (entry.value.empty()) {
      return text_.expected(text_.text().data(), simdjson::SUCCESS,
                            "every entry with a \"value\", an array of operations");
    }
    part_ = entry.value;
    auto error = parser_.iterate(text_.padded(part_)).get(document_);
    if (error) return text_.expected(part_.data(), error, "an array of operations");
    json::array operations;
    error = document_.get_array().get(operations);
    if (error) return broken(error, "\"value\" to be an array of operations [\"w\", k, v]");
    for (auto element : operations) {
      json::array parts;
      const auto parts_error = element.get_array().get(parts);
      if (parts_error) return broken(parts_error, "an operation [\"w\", k, v]");
      const Status status = read_operation(parts, ops);
      if (!status) return status.error();
    }
    if (json_place(document_) != nullptr)
      return broken(simdjson::SUCCESS, "the end of \"value\"");
    return ok_status();
  }

 private:
  Error broken(simdjson::error_code reason, std::string_view expected) {
    return text_.expected(document_, part_, reason, expected);
  }

  Status read_operation(json::array parts, JepsenOps& ops) {
    JepsenOpKind kind = JepsenOpKind::kOther;
    Value key;
    Value value;
    bool is_list = false;
    std::size_t count = 0;
    for (auto part : parts) {
      json::value item;
      auto error = part.get(item);
      if (!error && count == 0) {
        std::string_view name;
        error = item.get_string().get(name);
        if (!error) kind = parse_jepsen_op(name);
        if (!error && (kind == JepsenOpKind::kOther || kind == JepsenOpKind::kPredicate)) {
          return broken(simdjson::SUCCESS,
                        "the last operation to be covered: " + uncovered_operation(kind, name));
        }
      } else if (!error && count == 1) {
        error = json_scalar(builder_, item, key);
      } else if (!error && count == 2) {
        error = read_result(item, value, is_list);
      }
      if (error)
        return broken(error,
                      "an operation [\"append\", k, v], [\"w\", k, v] or "
                      "[\"r\", k, v or [v ...]]");
      ++count;
    }
    const bool reads = kind == JepsenOpKind::kRead;
    if (count < 2 || key.is_null() || (!reads && (value.is_null() || is_list))) {
      return broken(simdjson::SUCCESS,
                    "the last operation to have a key and, unless it reads, a single value");
    }
    if (reads && is_list) {
      ops.read_list(key, elements_);
    } else if (reads) {
      ops.read(key, value);
    } else if (kind == JepsenOpKind::kAppend) {
      ops.append(key, value);
    } else {
      ops.write(key, value);
    }
    return ok_status();
  }

  simdjson::error_code read_result(json::value& item, Value& value, bool& is_list) {
    json::json_type type{};
    auto error = item.type().get(type);
    if (error) return error;
    is_list = type == json::json_type::array;
    if (!is_list) return json_scalar(builder_, item, value);
    json::array elements;
    error = item.get_array().get(elements);
    if (error) return error;
    elements_.clear();
    for (auto element : elements) {
      json::value scalar;
      error = element.get(scalar);
      Value one;
      if (!error) error = json_scalar(builder_, scalar, one);
      if (!error && one.is_null()) error = simdjson::INCORRECT_TYPE;
      if (error) return error;
      elements_.push_back(one);
    }
    return simdjson::SUCCESS;
  }

  HistoryBuilder& builder_;
  JsonText& text_;
  json::parser parser_;
  json::document document_;
  std::string_view part_;
  std::vector<Value> elements_;
};

class ElleJsonReader {
 public:
  ElleJsonReader(const Inputs& inputs, base::Budget& budget)
      : inputs_(inputs),
        file_(inputs.files.front()),
        budget_(budget),
        text_(file_),
        log_(builder_, file_.name) {}

  Result<History> read() {
    const std::size_t first = text_.text().find_first_not_of(" \t\r\n");
    const bool array = first != std::string_view::npos && text_.text()[first] == '[';
    const Status parsed = array ? read_array() : read_lines();
    if (!parsed) return parsed.error();
    JsonOperations operations(builder_, text_);
    JepsenTransactions transactions(builder_, file_.name, operations);
    const Status status = log_.pass_on(transactions, budget_);
    if (!status) return status.error();
    if (other_entries_ > 0) {
      builder_.origin().notes.push_back(counted(other_entries_, "log line") +
                                        " of processes that are not clients left out");
    }
    return finish_history(builder_, inputs_, "elle-json");
  }

 private:
  Error broken(simdjson::error_code reason, std::string_view expected) {
    return text_.expected(document_, part_, reason, expected);
  }

  Status read_array() {
    part_ = text_.text();
    auto error = parser_.iterate(text_.padded(part_)).get(document_);
    if (error) return text_.expected(part_.data(), error, "a JSON array of operations");
    json::array entries;
    error = document_.get_array().get(entries);
    if (error) return broken(error, "an array of operations");
    for (auto element : entries) {
      const Status status = read_entry(element.get_object());
      if (!status) return status.error();
    }
    if (json_place(document_) != nullptr) return broken(simdjson::SUCCESS, "end of file");
    return ok_status();
  }

  Status read_lines() {
    std::string_view rest = text_.text();
    while (!rest.empty()) {
      part_ = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(part_.size() < rest.size() ? part_.size() + 1 : part_.size());
      if (part_.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      const auto error = parser_.iterate(text_.padded(part_)).get(document_);
      if (error) return text_.expected(part_.data(), error, "a JSON object per line");
      const Status status = read_entry(document_.get_object());
      if (!status) return status.error();
      if (json_place(document_) != nullptr) return broken(simdjson::SUCCESS, "end of line");
    }
    return ok_status();
  }

  Status read_entry(simdjson::simdjson_result<json::object> element) {
    json::object object;
    const auto error = std::move(element).get(object);
    if (error) return broken(error, "an operation {\"type\": \"ok\", \"value\": [...]}");
    const char* begin = json_place(document_);
    JepsenEntry entry;
    entry.line = text_.line_of(begin != nullptr ? begin : part_.data());
    bool client = true;
    bool has_type = false;
    for (auto field : object) {
      std::string_view name;
      json::value value;
      auto field_error = field.unescaped_key().get(name);
      if (!field_error) field_error = field.value().get(value);
      if (field_error) return broken(field_error, "a field of the operation");
      if (name == "type") {
        has_type = parse_jepsen_type(raw_word(value), entry.type);
        if (!has_type) {
          return broken(simdjson::SUCCESS, "\"type\" to be invoke, ok, fail or info");
        }
      } else if (name == "process") {
        entry.has_process = value.get_int64().get(entry.process) == simdjson::SUCCESS;
        client = entry.has_process || raw_word(value) == "null";
      } else {
        const Status status = take_field(name, value, entry);
        if (!status) return status.error();
      }
    }
    if (!budget_.spend(64)) return out_of_budget(file_.name, budget_);
    if (!client) {
      ++other_entries_;
      return ok_status();
    }
    if (!has_type) {
      return bad_line(file_.name, entry.line,
                      "found an operation without \"type\"; expected {\"type\": \"ok\", ...}");
    }
    return log_.add(entry);
  }

  Status take_field(std::string_view name, json::value& value, JepsenEntry& entry) {
    if (name == "value") {
      entry.value = raw_word(value);
      entry.value_line = entry.line;
      json::json_type type{};
      auto error = value.type().get(type);
      if (!error && type == json::json_type::array) {
        json::array array;
        error = value.get_array().get(array);
        if (!error) error = array.raw_json().get(entry.value);
      }
      if (error) return broken(error, "\"value\" to be an array of operations");
    } else if (name == "f" && raw_word(value) != "null") {
      entry.f = raw_word(value);
      if (entry.f.starts_with(':')) entry.f.remove_prefix(1);
    } else if (name == "time") {
      entry.has_time = value.get_int64().get(entry.time) == simdjson::SUCCESS;
    } else if (name == "index") {
      Value index;
      if (json_scalar(builder_, value, index) == simdjson::SUCCESS) entry.index = index;
    }
    return ok_status();
  }

  const Inputs& inputs_;
  const Input& file_;
  base::Budget& budget_;
  JsonText text_;
  json::parser parser_;
  json::document document_;
  std::string_view part_;
  HistoryBuilder builder_;
  JepsenLog log_;
  std::uint64_t other_entries_ = 0;
};

int detect_elle_json(const Inputs& inputs) {
  const std::string_view head = head_of(inputs);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (head[first] != '{' && head[first] != '[')) return 0;
  if (head.starts_with("{\"isolde\"")) return 0;
  const auto has = [head](std::string_view word) {
    return head.find(word) != std::string_view::npos;
  };
  const bool typed = has("\"invoke\"") || has("\"ok\"") || has("\"fail\"") || has("\"info\"");
  return has("\"type\"") && typed ? 85 : 0;
}

Result<History> read_elle_json(const Inputs& inputs, base::Budget& budget) {
  if (inputs.files.size() != 1) {
    return Error{ErrorCode::kBadInput, inputs.name + ": expected one file"};
  }
  return ElleJsonReader(inputs, budget).read();
}

}  // namespace

const Format& elle_json_format() {
  static constexpr Format kFormat = {
      .name = "elle-json",
      .summary = "Jepsen histories as JSON (elle-cli)",
      .detect = detect_elle_json,
      .read = read_elle_json,
  };
  return kFormat;
}

}  // namespace isolde::io
