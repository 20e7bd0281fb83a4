// exec:COMMAND: a program of the user's that drives a database, in any language. What it can do
// and what its isolations promise it tells itself; docs/adapters.md is its side of this file.
//
// Outcomes: nothing that a program says or fails to say makes a transaction aborted but its own
// "aborted" or "failed". A time-out, an end or a line that is no answer leaves the outcome
// unknown, in whatever request that was: who knows what the program did before. An answer that
// breaks the rules is a bug of the program and ends the run: what it says of other transactions
// is worth no more.
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "base/secrets.hpp"
#include "base/text.hpp"
#include "db/adapter_process.hpp"
#include "db/driver.hpp"
#include "db/exec_rows.hpp"
#include "db/sql.hpp"
#include "history/level_names.hpp"

namespace isolde::db {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

std::chrono::nanoseconds time_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(seconds));
}

/// What an adapter has told of itself. Its row of the table of databases refers to the texts.
struct Described {
  std::string command;
  std::string name;
  bool one_process = false;  ///< for all sessions
  std::map<std::string, std::string> texts;
  std::vector<IsolationInfo> isolations;
  DatabaseInfo row;
};

Error wrong(const std::string& what) {
  return {ErrorCode::kEnvironment,
          "adapter: " + base::without_secrets(base::printable_line(what))};
}

/// What an adapter tells people, often in a library's words, which may quote how it connects.
std::string said(std::string message) {
  return base::without_secrets(sql::one_line(std::move(message)));
}

/// A text field; `otherwise` where it is absent. ERRORS: it is no text.
Result<std::string> text_field(const Json& object, const char* field, std::string otherwise) {
  if (!object.contains(field)) return otherwise;
  if (!object[field].is_string()) return wrong(std::string(field) + " is not a text");
  return object[field].get<std::string>();
}

/// One request to a process and its answer, an object.
Result<Json> ask(AdapterProcess& process, Json request, double seconds,
                 const Cancelled& cancelled = {}) {
  const std::uint64_t id = process.next_id();
  Json line;
  line["id"] = id;
  line.update(request);
  const Result<std::string> answer = process.ask(id, line.dump(), time_of(seconds), cancelled);
  if (answer) return Json::parse(*answer);
  Error error = answer.error();
  error.message.insert(0, "adapter: ");
  if (error.code == ErrorCode::kLimit)
    error.message += " to " + request["do"].get<std::string>();
  return error;
}

/// A new process that has said what it is.
Result<std::unique_ptr<AdapterProcess>> greeted(const std::string& command, double seconds,
                                                Json& said, const Cancelled& cancelled = {}) {
  Result<std::unique_ptr<AdapterProcess>> process = AdapterProcess::start(command);
  if (!process) return process;
  Result<Json> answer =
      ask(**process, {{"do", "hello"}, {"version", kVersion}}, seconds, cancelled);
  if (!answer) {
    const bool is_silent = answer.error().code == ErrorCode::kLimit;
    return Error{ErrorCode::kEnvironment,
                 answer.error().message +
                     (is_silent ? "; does it flush each line that it writes? If it only starts "
                                  "slowly, give a longer --request-timeout"
                                : "")};
  }
  said = *std::move(answer);
  return process;
}

class Handshake {
 public:
  explicit Handshake(Described& to) : to_(to) {}

  Status take(const Json& answer) {
    if (!answer.contains("version") || answer["version"] != kVersion) {
      return wrong("its handshake has no \"version\":1");
    }
    const Result<std::string> name = text_field(answer, "name", "");
    if (!name) return name.error();
    if (name->empty()) return wrong("its handshake has no \"name\"");
    to_.name = base::without_secrets(base::printable_line(*name));
    const Result<std::string> sessions = text_field(answer, "sessions", "one");
    if (!sessions) return sessions.error();
    if (*sessions != "one" && *sessions != "many") {
      return wrong("\"sessions\" is neither \"one\" nor \"many\"");
    }
    to_.one_process = *sessions == "many";
    if (const Status taken = take_operations(answer); !taken) return taken.error();
    return take_isolations(answer);
  }

 private:
  Status take_operations(const Json& answer) {
    if (!answer.contains("operations") || !answer["operations"].is_array()) {
      return wrong("its handshake has no list \"operations\"");
    }
    const auto has = [&](const char* operation) {
      for (const Json& each : answer["operations"]) {
        if (each == operation) return true;
      }
      return false;
    };
    to_.row.capabilities.unknown = kept(unknown_of(answer["operations"]));
    if (!has("read") || !has("write")) return lacking("\"operations\" lacks read or write");
    if (has("append") != has("read-list")) {
      return lacking("of \"append\" and \"read-list\" there is one without the other");
    }
    if (has("select") != has("delete")) {
      return lacking("of \"select\" and \"delete\" there is one without the other");
    }
    if (has("delete-selected") && !has("select")) {
      return lacking("there is \"delete-selected\" without \"select\" and \"delete\"");
    }
    constexpr std::array kRows = {"insert-row", "select-rows", "update-rows", "delete-rows",
                                  "upsert-row"};
    const auto rows = std::ranges::count_if(kRows, has);
    if (rows != 0 && rows != std::ssize(kRows)) {
      return lacking(
          "of \"insert-row\", \"select-rows\", \"update-rows\", \"delete-rows\" and "
          "\"upsert-row\" there are some without the others");
    }
    if (has("try-insert-row") && rows == 0) {
      return lacking("there is \"try-insert-row\" without \"insert-row\" and its like");
    }
    if (has("aggregate-rows") && rows == 0) {
      return lacking("there is \"aggregate-rows\" without \"select-rows\" and its like");
    }
    if (has("savepoint") != has("roll-back-to-savepoint")) {
      return lacking(
          "of \"savepoint\" and \"roll-back-to-savepoint\" there is one without the other");
    }
    Capabilities& can = to_.row.capabilities;
    can.tables = rows != 0;
    can.aggregates = has("aggregate-rows");
    can.savepoints = has("savepoint");
    can.tries_inserts = has("try-insert-row");
    can.rows = has("select");
    can.deletes_selected = has("delete-selected");
    can.lists = has("append");
    can.compare_and_set = has("compare-and-set");
    can.increments = has("increment");
    return ok_status();
  }

  /// Those that this version does not know: later ones may have them, or they are misspelt.
  static std::string unknown_of(const Json& operations) {
    static constexpr std::array<std::string_view, 18> kKnown = {
        "read",           "write",           "append",
        "read-list",      "compare-and-set", "increment",
        "select",         "delete",          "delete-selected",
        "insert-row",     "select-rows",     "update-rows",
        "delete-rows",    "upsert-row",      "try-insert-row",
        "aggregate-rows", "savepoint",       "roll-back-to-savepoint"};
    std::vector<std::string> unknown;
    for (const Json& each : operations) {
      const std::string name = each.is_string() ? each.get<std::string>() : each.dump();
      if (std::ranges::find(kKnown, name) != kKnown.end()) continue;
      unknown.push_back(base::without_secrets(base::printable_name(name)) +
                        base::did_you_mean(base::plain_name(name), kKnown));
    }
    return base::joined(unknown, "and");
  }

  /// Of operations that need one another; what was misspelt is named.
  Error lacking(const std::string& what) const {
    const std::string unknown(to_.row.capabilities.unknown);
    return wrong(what + (unknown.empty() ? "" : "; not known: " + unknown));
  }

  Status take_isolations(const Json& answer) {
    const bool any = answer.contains("isolations") && answer["isolations"].is_array() &&
                     !answer["isolations"].empty();
    if (!any) return wrong("its handshake has no list \"isolations\" with a name in it");
    for (const Json& each : answer["isolations"]) {
      if (!each.is_object()) return wrong("an isolation is not an object");
      const Result<std::string> name = text_field(each, "name", "");
      const Result<std::string> note = text_field(each, "note", "");
      const Result<std::string> promise = text_field(each, "promise", "");
      for (const Result<std::string>* field : {&name, &note, &promise}) {
        if (!*field) return field->error();
      }
      if (name->empty()) return wrong("an isolation has no \"name\"");
      if (std::ranges::find(to_.isolations, *name, &IsolationInfo::name) !=
          to_.isolations.end()) {
        return wrong("its handshake has two isolations of the name \"" + *name + "\"");
      }
      IsolationInfo row{kept(*name), std::nullopt,
                        kept(base::without_secrets(base::printable_line(*note)))};
      if (!promise->empty()) {
        const Result<Level> level = history::level_named(*promise);
        if (!level) return wrong("its handshake promises an " + level.error().message);
        row.claims = *level;
      } else {
        row.no_claim = "its adapter names no level";
      }
      to_.isolations.push_back(row);
    }
    return ok_status();
  }

  /// A view of a text that stays.
  std::string_view kept(const std::string& text) {
    return to_.texts.emplace(text, text).first->second;
  }

  Described& to_;
};

Reply lost(const Error& error) {
  return {Outcome::kUnknown, false, error.message, error.code == ErrorCode::kBadInput};
}

/// What processes have said at their end. Thread-safe.
class LastWords {
 public:
  void of(AdapterProcess& process) {
    const Status ended = process.end();
    const std::lock_guard lock(mutex_);
    if (!ended && !wrong_) wrong_ = wrong(ended.error().message);
  }
  /// ERRORS: the first that were no answer.
  Status heard() {
    const std::lock_guard lock(mutex_);
    return wrong_ ? Status(*wrong_) : ok_status();
  }

 private:
  std::mutex mutex_;
  std::optional<Error> wrong_;
};

/// A count is no negative number and never null.
bool is_possible(AggregateKind kind, const table::Cell& result) {
  if (kind >= AggregateKind::kSum) return true;
  return result && *result >= 0 && (kind == AggregateKind::kCount || *result <= 1);
}

class ExecSession final : public Session {
 public:
  /// `own`: the session's process, or nothing where all share one.
  ExecSession(AdapterProcess& process, std::unique_ptr<AdapterProcess> own,
              LastWords& last_words, std::uint64_t number, const OpenOptions& options,
              const Capabilities& can, std::span<const table::Table> tables)
      : process_(process),
        own_(std::move(own)),
        last_words_(last_words),
        number_(number),
        options_(options),
        can_(can),
        tables_(tables) {}

  ~ExecSession() override {
    if (own_ != nullptr) last_words_.of(*own_);
    // Whoever has been given up may be busy still; its answer is not waited for.
    if (alive_ && own_ == nullptr) {
      Json answer;
      request({{"do", "close"}}, answer);
    }
  }

  Status open() {
    Json answer;
    const Reply reply = request({{"do", "open"}, {"isolation", options_.isolation}}, answer);
    if (!reply.ok()) return Error{ErrorCode::kEnvironment, reply.message};
    Result<std::string> server = text_field(answer, "server", "");
    if (!server) return server.error();
    server_ = base::without_secrets(*std::move(server));
    return ok_status();
  }

  Reply begin() override {
    Json answer;
    return request({{"do", "begin"}, {"isolation", options_.isolation}}, answer);
  }

  Reply read(Key key, std::optional<std::int64_t>& value) override {
    Json answer;
    Reply reply = request({{"do", "read"}, {"key", key}}, answer);
    if (!reply.ok()) return reply;
    return take(answer, "value", value) ? reply : no_value("value", answer);
  }

  Reply write(Key key, std::int64_t value) override {
    Json answer;
    return request({{"do", "write"}, {"key", key}, {"value", value}}, answer);
  }

  Reply read_list(Key key, std::vector<std::int64_t>& elements) override {
    Json answer;
    Reply reply = request({{"do", "read-list"}, {"key", key}}, answer);
    if (!reply.ok()) return reply;
    if (!answer.contains("values") || !answer["values"].is_array()) {
      return no_value("values", answer);
    }
    elements.clear();
    for (const Json& each : answer["values"]) {
      if (!is_integer(each)) return no_value("values", answer);
      elements.push_back(each.get<std::int64_t>());
    }
    return reply;
  }

  Reply append(Key key, std::int64_t element) override {
    Json answer;
    return request({{"do", "append"}, {"key", key}, {"value", element}}, answer);
  }

  Reply compare_and_set(Key key, std::optional<std::int64_t> expected, std::int64_t value,
                        CasResult& result) override {
    Json answer;
    Json line = {{"do", "compare-and-set"}, {"key", key}};
    line["expected"] = expected ? Json(*expected) : Json(nullptr);
    line["value"] = value;
    Reply reply = request(std::move(line), answer);
    if (!reply.ok()) return reply;
    if (!answer.contains("applied") || !answer["applied"].is_boolean()) {
      return no_value("applied", answer);
    }
    result.applied = answer["applied"].get<bool>();
    if (result.applied || !answer.contains("value")) return reply;
    result.seen.emplace();
    return take(answer, "value", *result.seen) ? reply : no_value("value", answer);
  }

  Reply increment(Key key, std::int64_t by, std::optional<std::int64_t>& sum) override {
    sum.reset();
    Json answer;
    Reply reply = request({{"do", "increment"}, {"key", key}, {"by", by}}, answer);
    if (!reply.ok() || !answer.contains("value")) return reply;
    return take(answer, "value", sum) && sum ? reply : no_value("value", answer);
  }

  Reply select(const Condition& condition, std::vector<Row>& rows) override {
    return rows_of("select", condition, rows);
  }

  Reply remove(const Condition& condition, std::vector<Row>& removed) override {
    return rows_of("delete-selected", condition, removed);
  }

  Reply remove(Key key, bool& removed) override {
    Json answer;
    Reply reply = request({{"do", "delete"}, {"key", key}}, answer);
    if (!reply.ok()) return reply;
    if (!answer.contains("deleted") || !answer["deleted"].is_boolean()) {
      return no_value("deleted", answer);
    }
    removed = answer["deleted"].get<bool>();
    return reply;
  }

  Reply insert_row(const table::Request& request, std::int64_t stamp) override {
    Json answer;
    return ask_rows("insert-row", RowStatement::kInsert, request, stamp, answer);
  }

  Reply try_insert_row(const table::Request& request, std::int64_t stamp,
                       Inserted& inserted) override {
    if (!can_.tries_inserts) return Session::try_insert_row(request, stamp, inserted);
    inserted = Inserted::kDone;
    Json answer;
    Reply reply = ask_rows("try-insert-row", RowStatement::kInsert, request, stamp, answer);
    if (!reply.ok()) return reply;
    if (!answer.contains("inserted") || !answer["inserted"].is_boolean()) {
      return no_value("inserted", answer);
    }
    if (answer["inserted"].get<bool>()) return reply;
    const Json met = answer.value("met", Json());
    if (met != "key" && met != "column") return no_value("met", answer);
    inserted = met == "key" ? Inserted::kMetKey : Inserted::kMetColumn;
    return reply;
  }

  Reply select_rows(const table::Request& request, table::Selected& selected) override {
    selected = {};
    Json answer;
    Reply reply = ask_rows("select-rows", RowStatement::kSelect, request, {}, answer);
    if (!reply.ok()) return reply;
    if (!answer.contains("whole") || !answer["whole"].is_boolean()) {
      return no_value("whole", answer);
    }
    selected.is_whole = answer["whole"].get<bool>();
    selected.lock = request.lock;
    const std::vector<std::size_t> columns =
        request.columns.empty() ? all_columns(tables_[request.table]) : request.columns;
    return take_rows(answer, reply, request, columns, selected.rows);
  }

  Reply aggregate_rows(const table::Request& request, table::Cell& result) override {
    Json answer;
    Reply reply = ask_rows("aggregate-rows", RowStatement::kAggregate, request, {}, answer);
    if (!reply.ok()) return reply;
    return take(answer, "value", result) && is_possible(request.computed.kind, result)
               ? reply
               : no_value("value", answer);
  }

  Reply update_rows(const table::Request& request, std::int64_t stamp,
                    std::vector<table::Change>& changes) override {
    changes.clear();
    Json answer;
    Reply reply = ask_rows("update-rows", RowStatement::kUpdate, request, stamp, answer);
    if (!reply.ok()) return reply;
    if (!answer.contains("rows") || !answer["rows"].is_array()) return no_value("rows", answer);
    std::set<std::int64_t> ids;
    for (const Json& each : answer["rows"]) {
      table::Change change;
      const bool is_right = take_change(each, request, stamp, change) && change.replaced &&
                            ids.insert(change.after.id).second;
      if (!is_right) return no_value("rows", answer);
      changes.push_back(std::move(change));
    }
    std::ranges::sort(changes, {}, [](const table::Change& each) { return each.after.id; });
    return reply;
  }

  Reply remove_rows(const table::Request& request, std::vector<table::Row>& removed) override {
    removed.clear();
    Json answer;
    Reply reply = ask_rows("delete-rows", RowStatement::kDelete, request, {}, answer);
    if (!reply.ok()) return reply;
    return take_rows(answer, reply, request, all_columns(tables_[request.table]), removed);
  }

  Reply upsert_row(const table::Request& request, std::int64_t stamp,
                   table::Change& change) override {
    Json answer;
    Reply reply = ask_rows("upsert-row", RowStatement::kUpsert, request, stamp, answer);
    if (!reply.ok()) return reply;
    const bool is_right = answer.contains("row") &&
                          take_change(answer["row"], request, stamp, change) &&
                          change.after.id == request.id;
    return is_right ? reply : no_value("row", answer);
  }

  Reply savepoint() override {
    Json answer;
    return request({{"do", "savepoint"}}, answer);
  }

  Reply roll_back_to_savepoint() override {
    Json answer;
    return request({{"do", "roll-back-to-savepoint"}}, answer);
  }

  Reply commit() override {
    Json answer;
    Reply reply = request({{"do", "commit"}}, answer);
    if (!reply.ok()) return reply;
    // Nothing is committed unless the program says so.
    return answer.contains("outcome") ? reply : no_value("outcome", answer);
  }

  Reply rollback() override {
    Json answer;
    Reply reply = request({{"do", "abort"}}, answer);
    if (reply.outcome == Outcome::kAborted) reply.outcome = Outcome::kOk;
    return reply;
  }

  std::string server() const override { return server_; }

 private:
  Reply rows_of(const char* what, const Condition& condition, std::vector<Row>& rows) {
    rows.clear();
    Json line = {{"do", what}};
    if (condition.keys) line["keys"] = {condition.keys->min, condition.keys->max};
    if (condition.values) line["values"] = {condition.values->min, condition.values->max};
    Json answer;
    Reply reply = request(std::move(line), answer);
    if (!reply.ok()) return reply;
    if (!answer.contains("rows") || !answer["rows"].is_array()) return no_value("rows", answer);
    std::set<Key> keys;
    for (const Json& each : answer["rows"]) {
      const bool is_row = each.is_array() && each.size() == 2 && is_integer(each[0]) &&
                          is_integer(each[1]) && keys.insert(each[0].get<Key>()).second;
      if (!is_row) return no_value("rows", answer);
      rows.push_back({each[0].get<Key>(), each[1].get<std::int64_t>()});
    }
    return reply;
  }

  Reply ask_rows(const char* what, RowStatement statement, const table::Request& asked,
                 std::optional<std::int64_t> stamp, Json& answer) {
    Json line = request_json(statement, asked, tables_[asked.table]);
    line["do"] = what;
    if (stamp) line["stamp"] = *stamp;
    return request(std::move(line), answer);
  }

  /// In the order of ids. Of a select a row may come twice, as scans have it.
  Reply take_rows(const Json& answer, Reply reply, const table::Request& request,
                  std::span<const std::size_t> columns, std::vector<table::Row>& rows) {
    if (!answer.contains("rows") || !answer["rows"].is_array()) return no_value("rows", answer);
    for (const Json& each : answer["rows"]) {
      std::optional<table::Row> row = row_of(each, tables_[request.table], columns);
      if (!row) return no_value("rows", answer);
      rows.push_back(*std::move(row));
    }
    std::ranges::stable_sort(rows, {}, &table::Row::id);
    return reply;
  }

  bool take_change(const Json& json, const table::Request& request, std::int64_t stamp,
                   table::Change& change) const {
    const table::Table& table = tables_[request.table];
    std::optional<table::Row> row = row_of(json, table, all_columns(table), &change.replaced);
    if (!row || row->stamp != stamp) return false;
    change.after = *std::move(row);
    return true;
  }

  static bool is_integer(const Json& value) {
    return value.is_number_integer() &&
           (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  }

  /// False: there is no value.
  static bool take(const Json& answer, const char* field, std::optional<std::int64_t>& value) {
    if (!answer.contains(field)) return false;
    const Json& found = answer[field];
    value.reset();
    if (found.is_null()) return true;
    if (!is_integer(found)) return false;
    value = found.get<std::int64_t>();
    return true;
  }

  /// An answer without a field that it has to have, or with another kind of value there.
  Reply no_value(const char* field, const Json& answer) {
    return broken("no valid " + std::string(field) + " in the answer", answer);
  }

  Reply broken(const std::string& how, const Json& answer) {
    alive_ = false;
    return lost(
        {ErrorCode::kBadInput,
         "adapter: " + how + " " + base::printable_line(base::shortened(answer.dump(), 120))});
  }

  Reply request(Json line, Json& answer) {
    line["session"] = number_;
    const std::string what = line["do"].get<std::string>();
    Result<Json> said = ask(process_, std::move(line), options_.timeout_seconds);
    if (!said) {
      alive_ = false;
      return lost(said.error());
    }
    answer = *std::move(said);
    return reply_of(answer, what);
  }

  /// What the fields that every answer may have say.
  Reply reply_of(const Json& answer, const std::string& request) {
    const Result<std::string> outcome = text_field(answer, "outcome", "");
    const Result<std::string> message = text_field(answer, "message", "");
    if (!outcome || !message) return no_value("outcome or message", answer);
    const Json connected = answer.value("connected", Json(true));
    if (!connected.is_boolean()) return no_value("connected", answer);
    // Who says so by a word of its own is not to be taken for somebody who has done it.
    if (answer.contains("error") && outcome->empty()) {
      return broken("\"error\" without \"outcome\" in the answer", answer);
    }
    alive_ = connected.get<bool>();
    Reply reply{Outcome::kOk, alive_, {}};
    if (outcome->empty()) return reply;
    if (*outcome == "committed") {
      return request == "commit" ? reply
                                 : broken("committed is no outcome of " + request, answer);
    }
    reply.message = message->empty() ? *outcome : said(*message);
    if (*outcome == "aborted") {
      reply.outcome = Outcome::kAborted;
    } else if (*outcome == "failed") {
      reply.outcome = Outcome::kFailed;
    } else if (*outcome == "unknown") {
      reply.outcome = Outcome::kUnknown;
    } else {
      return broken("the outcome is none of committed, aborted, unknown, failed in", answer);
    }
    return reply;
  }

  AdapterProcess& process_;
  std::unique_ptr<AdapterProcess> own_;
  LastWords& last_words_;
  const std::uint64_t number_;
  const OpenOptions options_;
  const Capabilities& can_;
  const std::span<const table::Table> tables_;
  std::string server_;
  bool alive_ = true;
};

class ExecDatabase final : public Database {
 public:
  ExecDatabase(std::unique_ptr<Described> described, std::unique_ptr<AdapterProcess> process,
               const OpenOptions& options)
      : described_(std::move(described)), options_(options) {
    processes_.push_back(std::move(process));
  }

  std::string version() const override { return described_->name; }

  Status create(std::span<const Key> registers, std::span<const Key> lists) override {
    Json line = {{"do", "create"},
                 {"registers", std::vector<Key>(registers.begin(), registers.end())},
                 {"lists", std::vector<Key>(lists.begin(), lists.end())},
                 {"reset", options_.force_reset}};
    if (!tables_.empty()) line["tables"] = tables_json(tables_);
    return control(std::move(line));
  }

  void use_tables(std::span<const table::Table> tables) override { tables_ = tables; }

  Result<std::unique_ptr<Session>> connect(std::uint32_t) override {
    std::unique_ptr<AdapterProcess> own;
    if (!described_->one_process) {
      Json answer;
      Result<std::unique_ptr<AdapterProcess>> process =
          greeted(described_->command, options_.timeout_seconds, answer);
      if (!process) return process.error();
      own = std::move(process).value();
    }
    Result<AdapterProcess*> process = own != nullptr ? own.get() : shared();
    if (!process) return process.error();
    auto session =
        std::make_unique<ExecSession>(**process, std::move(own), last_words_, next_number(),
                                      options_, described_->row.capabilities, tables_);
    if (const Status opened = session->open(); !opened) return opened.error();
    return std::unique_ptr<Session>(std::move(session));
  }

  Status destroy() override { return control({{"do", "destroy"}}); }

  Status end() override {
    for (const auto& process : processes_) last_words_.of(*process);
    return last_words_.heard();
  }

 private:
  Status control(Json line) {
    const Result<AdapterProcess*> process = shared();
    if (!process) return process.error();
    const Result<Json> answer = ask(**process, std::move(line), options_.timeout_seconds);
    if (!answer) return Error{ErrorCode::kEnvironment, answer.error().message};
    const Result<std::string> outcome = text_field(*answer, "outcome", "");
    const Result<std::string> message = text_field(*answer, "message", "");
    if (!outcome || !message) return wrong("outcome or message is not a text");
    if (outcome->empty() && !answer->contains("error")) return ok_status();
    if (outcome->empty()) return wrong("\"error\" without \"outcome\" in " + answer->dump());
    return wrong(message->empty() ? *outcome : said(*message));
  }

  /// The process for what is not a session's own; a new one when it has come to its end.
  Result<AdapterProcess*> shared() {
    const std::lock_guard lock(mutex_);
    if (processes_.back()->is_over()) {
      Json answer;
      Result<std::unique_ptr<AdapterProcess>> process =
          greeted(described_->command, options_.timeout_seconds, answer);
      if (!process) return process.error();
      processes_.push_back(std::move(process).value());
    }
    return processes_.back().get();
  }

  std::uint64_t next_number() {
    const std::lock_guard lock(mutex_);
    return ++last_number_;
  }

  const std::unique_ptr<Described> described_;
  const OpenOptions options_;
  LastWords last_words_;
  std::span<const table::Table> tables_;
  std::mutex mutex_;                                        // of what follows
  std::vector<std::unique_ptr<AdapterProcess>> processes_;  // sessions use former ones, too
  std::uint64_t last_number_ = 0;
};

/// Starts the command and listens to what it says of itself.
Result<std::unique_ptr<AdapterProcess>> greet(Described& described, double seconds,
                                              const Cancelled& cancelled) {
  Json answer;
  Result<std::unique_ptr<AdapterProcess>> process =
      greeted(described.command, seconds, answer, cancelled);
  if (!process) return process;
  if (const Status taken = Handshake(described).take(answer); !taken) return taken.error();
  return process;
}

Result<std::unique_ptr<Database>> open(const Dsn& dsn, const OpenOptions& options,
                                       const Cancelled& cancelled);

Result<const DatabaseInfo*> describe(const Dsn& dsn, double timeout_seconds,
                                     const Cancelled& cancelled) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<Described>> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(dsn.path);
  if (found != known.end()) return &found->second->row;
  if (dsn.path.find_first_not_of(' ') == std::string::npos) {
    return usage_error("exec: needs a command, see isolde databases exec");
  }
  auto described = std::make_unique<Described>();
  described->command = dsn.path;
  base::keep_secrets_of(dsn.path);  // the adapter may quote what it was given
  if (const auto process = greet(*described, timeout_seconds, cancelled); !process) {
    return process.error();
  }
  described->row.name = described->name;
  described->row.summary = described->name;
  described->row.dsn = "exec:COMMAND";
  described->row.isolations = described->isolations;
  described->row.open = open;
  return &known.emplace(dsn.path, std::move(described)).first->second->row;
}

Result<std::unique_ptr<Database>> open(const Dsn& dsn, const OpenOptions& options,
                                       const Cancelled& cancelled) {
  auto described = std::make_unique<Described>();
  described->command = dsn.path;
  Result<std::unique_ptr<AdapterProcess>> process =
      greet(*described, options.timeout_seconds, cancelled);
  if (!process) return process.error();
  return std::unique_ptr<Database>(
      std::make_unique<ExecDatabase>(std::move(described), std::move(*process), options));
}

}  // namespace

const DatabaseInfo& exec_info() {
  static const DatabaseInfo kInfo = {
      .name = "exec",
      .summary = "Any database, through a program of yours",
      .dsn = "exec:COMMAND, which speaks the protocol of docs/adapters.md",
      .capabilities = {.lists = true, .compare_and_set = true},
      .isolations = {},
      .open = open,
      .describe = describe,
  };
  return kInfo;
}

}  // namespace isolde::db
