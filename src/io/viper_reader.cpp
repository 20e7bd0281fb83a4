// Viper's JSON logs: one file J*.log for each session, one committed transaction a line,
//   {"value": [["w", 1, 2, true], ["r", 1, 2, true], ["i", 3, 4, true]]}
// Operations: r read, w write, i insert (a write here), d delete, range. The fourth element of
// a write tells whether it succeeded; that of a read says "dead" for deleted rows, but
// generators without deletes set it at will, so it is ignored. 0 and "nil" are initial. A line
// with "isInitial": true holds the initial state, as writes or as one range over everything.
// Without such a line, one value of a key that nobody wrote is its initial one (Viper's rule).
//
// Histories have no deletes, and ranges are not taken as selections: both are refused.
#include <cstdint>
#include <string>
#include <vector>

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

class ViperReader {
 public:
  ViperReader(const Inputs& inputs, base::Budget& budget)
      : inputs_(inputs),
        budget_(budget),
        log_(builder_,
             {.zero_is_initial = true, .find_initial = false, .unwritten_is_initial = true}) {}

  Result<History> read(const std::vector<const Input*>& files) {
    for (const Input* file : files) {
      const Status status = read_file(*file);
      if (!status) return status.error();
    }
    if (!log_.pass_on(budget_)) return out_of_budget(inputs_.name, budget_);
    std::vector<std::string>& notes = builder_.origin().notes;
    const std::size_t ignored = inputs_.files.size() - files.size();
    if (ignored > 0) notes.push_back(counted(ignored, "file") + " not called J*.log left out");
    if (failed_writes_ > 0) {
      notes.push_back(counted(failed_writes_, "write") + " without success left out");
    }
    return finish_history(builder_, inputs_, "viper");
  }

 private:
  /// Where the reader stands, for messages.
  struct Place {
    JsonText& text;
    json::document& document;
    std::string_view file;
    std::string_view row;
    std::uint64_t line = 0;

    Error expected(simdjson::error_code reason, std::string_view what) {
      return text.expected(document, row, reason, what);
    }
  };

  Status read_file(const Input& file) {
    JsonText text(file);
    const std::uint32_t session = log_.session(session_of_file(file.name));
    std::string_view rest = text.text();
    for (std::uint64_t line = 1; !rest.empty(); ++line) {
      const std::string_view row = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(row.size() < rest.size() ? row.size() + 1 : row.size());
      if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      json::document document;
      const auto error = parser_.iterate(text.padded(row)).get(document);
      if (error) return text.expected(row.data(), error, "a JSON object per line");
      Place place{text, document, file.name, row, line};
      const Status status = read_row(place, session);
      if (!status) return status.error();
      if (!budget_.spend(row.size())) return out_of_budget(file.name, budget_);
    }
    return ok_status();
  }

  Status read_row(Place& place, std::uint32_t session) {
    json::object row;
    const auto error = place.document.get_object().get(row);
    if (error) return place.expected(error, "a transaction {\"value\": [...]}");
    log_.begin(session, place.line);
    bool initial = false;
    bool has_value = false;
    auto flag = row.find_field_unordered("isInitial");
    if (flag.error() == simdjson::SUCCESS) {
      const auto flag_error = flag.get_bool().get(initial);
      if (flag_error) return place.expected(flag_error, "\"isInitial\" to be true or false");
    }
    const auto reset = row.reset().error();
    if (reset) return place.expected(reset, "a transaction {\"value\": [...]}");
    for (auto field : row) {
      std::string_view name;
      const auto name_error = field.unescaped_key().get(name);
      if (name_error) return place.expected(name_error, "a field of the transaction");
      if (name != "value") continue;
      has_value = true;
      const Status status = read_operations(place, field.value(), initial);
      if (!status) return status.error();
    }
    if (!has_value) {
      return bad_line(place.file, place.line,
                      "found an object without \"value\"; expected {\"value\": [operations]}");
    }
    if (json_place(place.document) != nullptr) {
      return place.expected(simdjson::SUCCESS, "end of line; one transaction per line");
    }
    if (initial) log_.set_initial();
    return ok_status();
  }

  Status read_operations(Place& place, simdjson::simdjson_result<json::value> element,
                         bool initial) {
    json::array operations;
    const auto error = element.get_array().get(operations);
    if (error) return place.expected(error, "\"value\" to be an array of operations");
    for (auto operation : operations) {
      json::array parts;
      const auto parts_error = operation.get_array().get(parts);
      if (parts_error) return place.expected(parts_error, "an operation [\"r\", key, value]");
      const Status status = read_operation(place, parts, initial);
      if (!status) return status.error();
    }
    return ok_status();
  }

  Status read_operation(Place& place, json::array parts, bool initial) {
    std::string_view kind;
    Value key;
    Value value;
    bool success = true;
    std::size_t count = 0;
    for (auto part : parts) {
      json::value item;
      auto error = part.get(item);
      if (!error && count == 0) {
        error = item.get_string().get(kind);
        if (!error && !is_kind(kind)) return unknown_kind(place, kind);
      } else if (!error && kind == "range") {
        if (initial && count == 3) return read_initial_rows(place, item);
        if (!initial) return unknown_kind(place, kind);
      } else if (!error && count == 3 && kind != "r") {
        // Inserts of other tools carry other things here.
        if (item.get_bool().get(success) != simdjson::SUCCESS) success = true;
      } else if (!error && count < 3) {
        error = json_scalar(builder_, item, count == 1 ? key : value);
      }
      if (error) return place.expected(error, "an operation [\"r\" or \"w\", key, value]");
      ++count;
    }
    if (kind == "range") return ok_status();
    if (count < 3 || key.is_null()) {
      return bad_line(place.file, place.line,
                      "found an operation with " + counted(count, "element") +
                          " or a null key; expected [\"r\" or \"w\", key, value, flag]");
    }
    return add(place, kind, key, value, success);
  }

  Status add(const Place& place, std::string_view kind, Value key, Value value, bool success) {
    const bool nothing = value.is_null() || value == builder_.string("nil");
    if (kind == "r") {
      log_.read(builder_.key(key), nothing ? Value::null() : value);
    } else if (!success) {
      ++failed_writes_;
      log_.add_failed_write(builder_.key(key), value);
    } else if (nothing) {
      return bad_line(place.file, place.line,
                      "found a write of nil; expected a value; nil is the initial state");
    } else {
      log_.write(builder_.key(key), value);
    }
    return ok_status();
  }

  /// [{"id": key, "val": value}, ...], the live rows of the initial range.
  Status read_initial_rows(Place& place, json::value& item) {
    json::array rows;
    const auto error = item.get_array().get(rows);
    if (error) return place.expected(error, "the rows of the initial range, an array");
    for (auto element : rows) {
      json::object row;
      const auto row_error = element.get_object().get(row);
      if (row_error) return place.expected(row_error, "a row {\"id\": key, \"val\": value}");
      Value key;
      Value value;
      for (auto field : row) {
        std::string_view name;
        auto field_error = field.unescaped_key().get(name);
        json::value scalar;
        if (!field_error) field_error = field.value().get(scalar);
        if (!field_error && name == "id") field_error = json_scalar(builder_, scalar, key);
        if (!field_error && name == "val") field_error = json_scalar(builder_, scalar, value);
        if (field_error) return place.expected(field_error, "\"id\" and \"val\" as scalars");
      }
      if (key.is_null() || value.is_null()) {
        return bad_line(place.file, place.line,
                        "found a row without \"id\" or \"val\"; expected both");
      }
      log_.write(builder_.key(key), value);
    }
    return ok_status();
  }

  static bool is_kind(std::string_view kind) {
    return kind == "r" || kind == "w" || kind == "i" || kind == "range";
  }

  static Error unknown_kind(const Place& place, std::string_view kind) {
    return bad_line(place.file, place.line,
                    "found operation " + shown(kind) +
                        "; expected \"r\", \"w\" or \"i\"; deletes and reads of ranges are "
                        "not covered yet");
  }

  const Inputs& inputs_;
  base::Budget& budget_;
  json::parser parser_;
  HistoryBuilder builder_;
  RegisterLog log_;
  std::uint64_t failed_writes_ = 0;
};

/// J*.log of a directory, or the one file.
std::vector<const Input*> find_files(const Inputs& inputs) {
  std::vector<const Input*> files;
  for (const Input* file : files_ending_in(inputs, ".log")) {
    if (!inputs.is_directory || is_viper_log(file->name)) files.push_back(file);
  }
  return files;
}

int detect_viper(const Inputs& inputs) {
  const std::vector<const Input*> files = find_files(inputs);
  for (const Input* file : files) {
    const std::string_view head = head_of(*file);
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) continue;
    if (head[first] != '{' || head.find("\"type\"") != std::string_view::npos) return 0;
    const bool value = head.find("\"value\"") != std::string_view::npos;
    const bool initial = head.find("\"isInitial\"") != std::string_view::npos;
    return value || initial ? 85 : 0;
  }
  // Sessions in which nothing committed: only the names speak.
  return inputs.is_directory && !files.empty() ? 50 : 0;
}

Result<History> read_viper(const Inputs& inputs, base::Budget& budget) {
  const std::vector<const Input*> files = find_files(inputs);
  if (files.empty()) {
    return Error{ErrorCode::kBadInput,
                 inputs.name + ": found no J*.log file; expected one for each session"};
  }
  return ViperReader(inputs, budget).read(files);
}

}  // namespace

const Format& viper_format() {
  static constexpr Format kFormat = {
      .name = "viper",
      .summary = "Viper JSON (J*.log, a file for each session)",
      .directory = true,
      .detect = detect_viper,
      .read = read_viper,
      .takes = is_viper_log,
  };
  return kFormat;
}

}  // namespace isolde::io
