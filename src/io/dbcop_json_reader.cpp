// dbcop's JSON: {"params": ..., "info": ..., "start": ..., "end": ..., "data": [sessions]} or
// the bare array of sessions. A session is an array of transactions
//   {"events": [{"Read": {"variable": 0, "version": 1}}, {"Write": {...}}], "committed": true}
// A null version reads nothing, and version 0 does so too unless a committed transaction writes
// 0 (dbcop's own rule). Sessions are numbered from 0.
#include <cstdint>
#include <string>

#include "base/budget.hpp"
#include "io/bad_input.hpp"
#include "io/file_names.hpp"
#include "io/json_text.hpp"
#include "io/reader.hpp"
#include "io/register_log.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

namespace json = simdjson::ondemand;

class DbcopJsonReader {
 public:
  DbcopJsonReader(const Inputs& inputs, base::Budget& budget)
      : inputs_(inputs),
        file_(inputs.files.front()),
        budget_(budget),
        text_(file_),
        log_(builder_, {.zero_is_initial = true, .find_initial = false}) {}

  Result<History> read() {
    const auto error = parser_.iterate(text_.padded(text_.text())).get(document_);
    if (error) return text_.expected(text_.text().data(), error, "JSON");
    json::json_type type{};
    const auto type_error = document_.type().get(type);
    if (type_error) return broken(type_error, "an object or an array of sessions");
    const Status status =
        type == json::json_type::object ? read_object() : read_array_document();
    if (!status) return status.error();
    if (json_place(document_) != nullptr) return broken(simdjson::SUCCESS, "end of file");
    if (!log_.pass_on(budget_)) return out_of_budget(inputs_.name, budget_);
    return finish_history(builder_, inputs_, "dbcop-json");
  }

 private:
  Error broken(simdjson::error_code reason, std::string_view expected) {
    return text_.expected(document_, text_.text(), reason, expected);
  }

  const char* place() {
    const char* where = json_place(document_);
    return where != nullptr ? where : text_.text().data();
  }

  Status read_object() {
    json::object object;
    const auto error = document_.get_object().get(object);
    if (error) return broken(error, "an object with \"data\" or an array of sessions");
    bool found = false;
    for (auto field : object) {
      std::string_view name;
      const auto name_error = field.unescaped_key().get(name);
      if (name_error) return broken(name_error, "a field of the history");
      if (name != "data") continue;
      json::array sessions;
      const auto data_error = field.value().get_array().get(sessions);
      if (data_error) return broken(data_error, "\"data\" to be an array of sessions");
      found = true;
      const Status status = read_sessions(sessions);
      if (!status) return status.error();
    }
    if (!found) {
      return text_.expected(text_.text().data(), simdjson::SUCCESS,
                            "an object with the field \"data\", the array of sessions");
    }
    return ok_status();
  }

  Status read_array_document() {
    json::array sessions;
    const auto error = document_.get_array().get(sessions);
    if (error) return broken(error, "an object with \"data\" or an array of sessions");
    return read_sessions(sessions);
  }

  Status read_sessions(json::array sessions) {
    for (auto element : sessions) {
      json::array txns;
      const auto error = element.get_array().get(txns);
      if (error) return broken(error, "a session, an array of transactions");
      const std::uint32_t session = log_.session(std::to_string(session_++));
      for (auto txn : txns) {
        const Status status = read_txn(session, txn);
        if (!status) return status.error();
      }
    }
    return ok_status();
  }

  Status read_txn(std::uint32_t session, simdjson::simdjson_result<json::value> element) {
    const char* begin = place();
    json::object txn;
    const auto error = element.get_object().get(txn);
    if (error) return broken(error, "a transaction {\"events\": [...], \"committed\": true}");
    log_.begin(session, text_.line_of(begin));
    bool has_committed = false;
    bool has_events = false;
    for (auto field : txn) {
      std::string_view name;
      const auto name_error = field.unescaped_key().get(name);
      if (name_error) return broken(name_error, "a field of the transaction");
      if (name == "events") {
        has_events = true;
        const Status status = read_events(field.value());
        if (!status) return status.error();
      } else if (name == "committed") {
        has_committed = true;
        bool committed = false;
        const auto flag_error = field.value().get_bool().get(committed);
        if (flag_error) return broken(flag_error, "\"committed\" to be true or false");
        if (!committed) log_.set_status(TxnStatus::kAborted);
      }
    }
    if (!has_committed || !has_events) {
      return text_.expected(begin, simdjson::SUCCESS,
                            "a transaction with the fields \"events\" and \"committed\"");
    }
    return ok_status();
  }

  Status read_events(simdjson::simdjson_result<json::value> element) {
    json::array events;
    const auto error = element.get_array().get(events);
    if (error) return broken(error, "\"events\" to be an array");
    for (auto event : events) {
      json::object object;
      const auto event_error = event.get_object().get(object);
      if (event_error) return broken(event_error, "an event {\"Read\": {...}}");
      for (auto field : object) {
        std::string_view kind;
        const auto kind_error = field.unescaped_key().get(kind);
        if (kind_error) return broken(kind_error, "\"Read\" or \"Write\"");
        const bool write = kind == "Write";
        if (!write && kind != "Read") {
          return broken(simdjson::SUCCESS, "an event of kind \"Read\" or \"Write\" before");
        }
        const Status status = read_event(field.value(), write);
        if (!status) return status.error();
      }
      if (!budget_.spend(64)) return out_of_budget(file_.name, budget_);
    }
    return ok_status();
  }

  Status read_event(simdjson::simdjson_result<json::value> element, bool write) {
    const char* begin = place();
    json::object object;
    const auto error = element.get_object().get(object);
    if (error) return broken(error, "{\"variable\": v, \"version\": n}");
    Value variable;
    Value version;
    for (auto field : object) {
      std::string_view name;
      const auto name_error = field.unescaped_key().get(name);
      if (name_error) return broken(name_error, "\"variable\" or \"version\"");
      if (name != "variable" && name != "version") continue;
      json::value scalar;
      auto scalar_error = field.value().get(scalar);
      if (!scalar_error) {
        scalar_error = json_scalar(builder_, scalar, name == "variable" ? variable : version);
      }
      if (scalar_error) return broken(scalar_error, "a number, string or null");
    }
    if (variable.is_null()) {
      return text_.expected(begin, simdjson::SUCCESS, "an event with a \"variable\"");
    }
    if (!write) {
      log_.read(builder_.key(variable), version);
    } else if (version.is_null()) {
      return text_.expected(begin, simdjson::SUCCESS, "a write with a \"version\"");
    } else {
      log_.write(builder_.key(variable), version);
    }
    return ok_status();
  }

  const Inputs& inputs_;
  const Input& file_;
  base::Budget& budget_;
  JsonText text_;
  json::parser parser_;
  json::document document_;
  HistoryBuilder builder_;
  RegisterLog log_;
  std::uint64_t session_ = 0;
};

int detect_dbcop_json(const Inputs& inputs) {
  const std::string_view head = head_of(inputs);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (head[first] != '{' && head[first] != '[')) return 0;
  if (head.starts_with("{\"isolde\"")) return 0;
  const auto has = [head](std::string_view word) {
    return head.find(word) != std::string_view::npos;
  };
  if (has("\"events\"") && (has("\"Read\"") || has("\"Write\"") || has("\"committed\""))) {
    return 90;
  }
  return has("\"params\"") && has("\"n_node\"") ? 80 : 0;
}

Result<History> read_dbcop_json(const Inputs& inputs, base::Budget& budget) {
  if (inputs.files.size() != 1) {
    return Error{ErrorCode::kBadInput, inputs.name + ": expected one file"};
  }
  return DbcopJsonReader(inputs, budget).read();
}

}  // namespace

const Format& dbcop_json_format() {
  static constexpr Format kFormat = {
      .name = "dbcop-json",
      .summary = "dbcop JSON",
      .detect = detect_dbcop_json,
      .read = read_dbcop_json,
  };
  return kFormat;
}

}  // namespace isolde::io
