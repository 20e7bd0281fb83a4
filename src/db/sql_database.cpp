#include "db/sql_database.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "base/assert.hpp"

namespace isolde::db::sql {
namespace {

using Kind = Said::Kind;
using Clock = std::chrono::steady_clock;

/// A name for this run that no other run has: process and time.
std::string fresh_token() {
  static std::atomic<int> count{0};
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  return std::to_string(getpid()) + '-' + std::to_string(micros) + '-' +
         std::to_string(++count);
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

Error failure(const Said& said, const std::string& what) {
  const ErrorCode code =
      said.kind == Kind::kHopeless ? ErrorCode::kUsage : ErrorCode::kEnvironment;
  return {code, what + ": " + said.message};
}

Status execute(Connection& connection, const std::string& text, const std::string& what) {
  std::vector<std::string> unused;
  const Said said = connection.execute(text, unused);
  if (!said.done()) return failure(said, what);
  return ok_status();
}

Status add_note(Connection& connection, const std::string& note) {
  const std::string table(kOwnerTable);
  return execute(connection,
                 "INSERT INTO " + table + " (note) VALUES (" + in_quotes(note) + ")",
                 "writing to table " + table);
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

Status drop(Connection& connection, const std::vector<std::string>& tables) {
  for (const std::string& table : tables) {
    Status done = execute(connection, "DROP TABLE " + table, "dropping table " + table);
    if (!done) return done;
  }
  return ok_status();
}

/// Runs `work` in a transaction, so that it is done whole or not at all where the database's
/// DDL allows that.
template <typename Work>
Status in_transaction(Connection& connection, Work work) {
  Said said = connection.begin();
  if (!said.done()) return failure(said, "begin");
  Status done = work();
  if (!done) {
    connection.rollback();
    return done;
  }
  said = connection.commit();
  if (!said.done()) return failure(said, "commit");
  return ok_status();
}

}  // namespace

Result<std::string> temporary_folder(const std::string& scheme) {
  std::error_code error;
  const std::filesystem::path base = std::filesystem::temp_directory_path(error);
  if (error) {
    return Error{ErrorCode::kEnvironment,
                 scheme + ": the folder for temporary files (TMPDIR): " + error.message()};
  }
  std::string pattern = (base / ("isolde-" + scheme + "-XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return Error{ErrorCode::kEnvironment, scheme + ": cannot create a folder in " +
                                              base.string() + ": " + std::strerror(errno)};
  }
  return pattern;
}

void remove_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::remove_all(folder, ignored);
}

// --- Sessions

Reply SqlSession::reply(Said said, bool may_commit) {
  if (said.done()) return {};
  const bool was_open = std::exchange(open_, false);
  Reply reply{Outcome::kAborted, true, std::move(said.message)};
  switch (said.kind) {
    case Kind::kDone:
      break;
    case Kind::kHopeless:
      reply.outcome = Outcome::kFailed;
      [[fallthrough]];
    case Kind::kRefused:
      // Some databases roll back by themselves, some only the statement.
      if (was_open) reply.connected = connection_->rollback().done();
      break;
    case Kind::kInDoubt:
    case Kind::kLost:
      if (may_commit) reply.outcome = Outcome::kUnknown;
      reply.connected = false;
      break;
  }
  return reply;
}

Said SqlSession::run(Statement statement, Key key, std::initializer_list<std::int64_t> values) {
  return connection_->run(statement_index(statement, key, layout_),
                          {values.begin(), values.size()}, answer_);
}

Reply SqlSession::begin() {
  ISOLDE_CHECK(!open_);
  Said said = connection_->begin();
  open_ = said.done();
  return reply(std::move(said), false);
}

namespace {

/// Several tables would take several statements, which need not see the same.
Said of_several_tables() {
  return {Kind::kHopeless, "conditions select rows of one table only; use tables=1"};
}

std::vector<std::span<const table::Cell>> rows_of(const Sheet& sheet) {
  std::vector<std::span<const table::Cell>> rows;
  const std::span<const table::Cell> all = sheet.cells;
  for (std::size_t at = 0; at < all.size(); at += sheet.columns) {
    rows.push_back(all.subspan(at, sheet.columns));
  }
  return rows;
}

}  // namespace

bool SqlSession::lock_next(LockMode mode) {
  Locking next = locking(dialect_, layout_, mode);
  if (next.mode == LockMode::kNone) return false;
  next_lock_ = std::move(next);
  return true;
}

/// REQUIRES: lock_next().
Locking SqlSession::taken_lock() {
  Locking taken = *std::exchange(next_lock_, std::nullopt);
  lock_ = taken.mode;
  return taken;
}

// What locks at times is not prepared: only replays ask for it.

Reply SqlSession::read_locked(Key key, std::optional<std::int64_t>& value) {
  const Locking by = taken_lock();
  Sheet sheet;
  answer_.version.reset();
  Said said =
      connection_->query(request_text(by.dialect, by.layout, Request::kRead, key, 0), sheet);
  if (said.done() && !sheet.cells.empty()) value = sheet.cells[0];
  if (value && sheet.columns > 1) answer_.version = sheet.cells[1];
  return reply(std::move(said), false);
}

Reply SqlSession::read_list_locked(Key key, std::vector<std::int64_t>& elements) {
  const Locking by = taken_lock();
  std::vector<std::string> column;
  Said said = connection_->execute(
      request_text(by.dialect, by.layout, Request::kReadList, key, 0), column);
  if (said.done() && !column.empty() && !parse_list(column.front(), elements)) {
    said = {Kind::kHopeless, "list " + std::to_string(key) + " holds no list"};
  }
  return reply(std::move(said), false);
}

Reply SqlSession::select_locked(const Condition& condition, std::vector<Row>& rows) {
  const Locking by = taken_lock();
  rows.clear();
  if (layout_.tables > 1) return reply(of_several_tables(), false);
  Sheet sheet;
  const std::vector<std::string> texts =
      condition_texts(by.dialect, by.layout, Statement::kSelect, condition);
  Said said = connection_->query(texts.front(), sheet);
  if (!said.done()) return reply(std::move(said), false);
  for (const auto& cells : rows_of(sheet)) {
    Row& row = rows.emplace_back(Row{*cells[0], *cells[1]});
    if (cells.size() > 2) row.version = cells[2];
  }
  return {};
}

/// What the last statement told of the register, if anything.
Said SqlSession::take_number(Key key, std::optional<std::int64_t>& number) const {
  if (!answer_.found || answer_.null) return {};
  std::int64_t told = 0;
  const char* const end = answer_.text.data() + answer_.text.size();
  const auto [last, error] = std::from_chars(answer_.text.data(), end, told);
  if (error != std::errc() || last != end) {
    return {Kind::kHopeless, "register " + std::to_string(key) + " holds '" + answer_.text +
                                 "', which is not an integer"};
  }
  number = told;
  return {};
}

Reply SqlSession::read(Key key, std::optional<std::int64_t>& value) {
  value.reset();
  if (next_lock_) return read_locked(key, value);
  lock_ = usual_lock(dialect_, layout_);
  Said said = run(Statement::kRead, key, {key});
  if (!answer_.found || answer_.null) answer_.version.reset();
  if (said.done()) said = take_number(key, value);
  return reply(std::move(said), false);
}

Reply SqlSession::read_list(Key key, std::vector<std::int64_t>& elements) {
  elements.clear();
  if (next_lock_) return read_list_locked(key, elements);
  lock_ = usual_lock(dialect_, layout_);
  Said said = run(Statement::kReadList, key, {key});
  if (said.done() && answer_.found && !answer_.null && !parse_list(answer_.text, elements)) {
    said = {Kind::kHopeless, "list " + std::to_string(key) + " holds '" +
                                 answer_.text.substr(0, 40) +
                                 "', which is not a comma before each integer"};
  }
  return reply(std::move(said), false);
}

Reply SqlSession::change(Statement update, Statement upsert, Key key, std::int64_t value) {
  const bool may_commit = !open_;
  if (!layout_.upsert) {
    Said said = run(update, key, {value, key});
    if (!said.done() || answer_.changed > 0) return reply(std::move(said), may_commit);
  }
  return reply(run(upsert, key, {key, value}), may_commit);
}

Reply SqlSession::write(Key key, std::int64_t value) {
  return change(Statement::kWrite, Statement::kUpsert, key, value);
}

Reply SqlSession::increment(Key key, std::int64_t by, std::optional<std::int64_t>& sum) {
  sum.reset();
  const bool may_commit = !open_;
  Reply changed = change(Statement::kIncrement, Statement::kIncrementUpsert, key, by);
  if (!changed.ok() || !dialect_.returns_rows) return changed;
  return reply(take_number(key, sum), may_commit);
}

Reply SqlSession::append(Key key, std::int64_t element) {
  return change(Statement::kAppend, Statement::kAppendUpsert, key, element);
}

Reply SqlSession::compare_and_set(Key key, std::optional<std::int64_t> expected,
                                  std::int64_t value, CasResult& result) {
  result = {};
  const bool may_commit = !open_;
  Said said = expected ? run(Statement::kCas, key, {value, key, *expected})
                       : run(Statement::kCasNull, key, {value, key});
  if (said.done() && answer_.changed == 0 && !expected) {
    // No row, or one with a value. Nobody ever writes NULL, so if there is a row now, it has a
    // value, and this statement alone decides.
    said = run(Statement::kCasInsert, key, {key, value});
  }
  result.applied = said.done() && answer_.changed > 0;
  return reply(std::move(said), may_commit);
}

Reply SqlSession::rows(Statement kind, const Condition& condition, std::vector<Row>& found) {
  found.clear();
  if (layout_.tables > 1) return reply(of_several_tables(), false);
  const bool may_commit = !open_ && kind == Statement::kDeleteAll;
  const std::vector<std::int64_t> values = parameters_of(condition);
  answer_.rows.clear();
  Said said = connection_->run(static_cast<std::size_t>(statement_for(kind, condition)), values,
                               answer_);
  if (said.done()) found = answer_.rows;
  return reply(std::move(said), may_commit);
}

Reply SqlSession::select(const Condition& condition, std::vector<Row>& selected) {
  if (next_lock_) return select_locked(condition, selected);
  lock_ = usual_lock(dialect_, layout_);
  return rows(Statement::kSelect, condition, selected);
}

Reply SqlSession::remove(const Condition& condition, std::vector<Row>& removed) {
  return rows(Statement::kDeleteAll, condition, removed);
}

Reply SqlSession::remove(Key key, bool& removed) {
  const bool may_commit = !open_;
  Said said = run(Statement::kDelete, key, {key});
  removed = said.done() && answer_.changed > 0;
  return reply(std::move(said), may_commit);
}

namespace {

/// From id, stamp and `columns` more.
table::Row row_of(std::span<const table::Cell> cells, std::size_t columns) {
  ISOLDE_CHECK(cells.size() >= columns + 2 && cells[0] && cells[1]);
  const std::span<const table::Cell> rest = cells.subspan(2, columns);
  return {*cells[0], *cells[1], {rest.begin(), rest.end()}};
}

}  // namespace

Said SqlSession::insert(const table::Request& request, std::int64_t stamp) {
  answer_.version.reset();
  Sheet sheet;
  Said said = connection_->query(table_texts_.insert(request, stamp), sheet);
  if (said.done() && !sheet.cells.empty()) answer_.version = sheet.cells[0];
  return said;
}

Reply SqlSession::insert_row(const table::Request& request, std::int64_t stamp) {
  return reply(insert(request, stamp), false);
}

Reply SqlSession::try_insert_row(const table::Request& request, std::int64_t stamp,
                                 Inserted& inserted) {
  inserted = Inserted::kDone;
  Sheet sheet;
  Said said;
  if (!dialect_.fails_alone) said = connection_->query("SAVEPOINT isolde_insert", sheet);
  if (!said.done()) return reply(std::move(said), false);
  said = insert(request, stamp);
  if (said.met != Said::Met::kNothing) {
    inserted = said.met == Said::Met::kKey ? Inserted::kMetKey : Inserted::kMetColumn;
    said = {};
    if (!dialect_.fails_alone) {
      said = connection_->query("ROLLBACK TO SAVEPOINT isolde_insert", sheet);
    }
  }
  return reply(std::move(said), false);
}

Reply SqlSession::select_rows(const table::Request& request, table::Selected& selected) {
  selected = {};
  Sheet sheet;
  Said said = connection_->query(table_texts_.select(request), sheet);
  if (!said.done()) return reply(std::move(said), false);
  const std::size_t behind = table_texts_.tells_versions() ? 1 : 0;
  for (const auto& cells : rows_of(sheet)) {
    table::Row& row = selected.rows.emplace_back(row_of(cells, cells.size() - 2 - behind));
    if (behind > 0) row.version = cells.back();
  }
  std::ranges::stable_sort(selected.rows, {}, &table::Row::id);
  const bool reached = request.limit > 0 && selected.rows.size() >= request.limit;
  selected.is_whole = !reached && !table_texts_.skips(request);
  selected.lock = table_texts_.lock(request);
  return {};
}

Reply SqlSession::aggregate(const Condition& condition, AggregateKind kind,
                            table::Cell& result) {
  if (layout_.tables > 1) return reply(of_several_tables(), false);
  return compute(aggregate_text(dialect_, layout_, condition, kind), result);
}

Reply SqlSession::aggregate_rows(const table::Request& request, table::Cell& result) {
  return compute(table_texts_.aggregate(request), result);
}

Reply SqlSession::compute(const std::string& text, table::Cell& result) {
  Sheet sheet;
  Said said = connection_->query(text, sheet);
  if (said.done() && sheet.cells.size() != 1) {
    said = {Kind::kHopeless, "an aggregate is of " + std::to_string(sheet.cells.size()) +
                                 " values instead of one"};
  }
  if (said.done()) result = sheet.cells.front();
  return reply(std::move(said), false);
}

/// From id, stamp, the columns, was, and where versions are told was_version and the version.
table::Change SqlSession::change_of(std::span<const table::Cell> cells) const {
  const bool tells = table_texts_.tells_versions();
  const std::size_t was = cells.size() - (tells ? 3 : 1);
  table::Change change{row_of(cells, was - 2), cells[was]};
  if (!tells) return change;
  change.after.version = cells[was + 2];
  change.replaced_version = cells[was + 1];
  return change;
}

/// Runs a statement that changes rows. Where it cannot tell which, those that have its stamp
/// now, which no other statement gives, are asked for in the same transaction.
Said SqlSession::changes(const std::string& text, const table::Request& request,
                         std::int64_t stamp, std::vector<table::Change>& found) {
  found.clear();
  Sheet sheet;
  Said said = connection_->query(text, sheet);
  if (!said.done()) return said;
  const bool asks = sheet.columns == 0;
  const std::uint64_t changed = sheet.changed;
  if (asks && changed > 0) {
    said = connection_->query(table_texts_.changed(request.table, stamp), sheet);
    if (!said.done()) return said;
  }
  // An upsert counts in a way of its own.
  if (asks && request.cells.empty() && changed * sheet.columns != sheet.cells.size()) {
    return {Kind::kHopeless, "an update of " + std::to_string(changed) +
                                 " rows is to be seen in " +
                                 std::to_string(rows_of(sheet).size())};
  }
  for (const auto& cells : rows_of(sheet)) found.push_back(change_of(cells));
  std::ranges::stable_sort(found, {}, [](const table::Change& each) { return each.after.id; });
  return {};
}

Reply SqlSession::update_rows(const table::Request& request, std::int64_t stamp,
                              std::vector<table::Change>& found) {
  return reply(changes(table_texts_.update(request, stamp), request, stamp, found), false);
}

Reply SqlSession::upsert_row(const table::Request& request, std::int64_t stamp,
                             table::Change& change) {
  std::vector<table::Change> found;
  Said said = changes(table_texts_.upsert(request, stamp), request, stamp, found);
  if (said.done() && found.size() != 1) {
    said = {Kind::kHopeless, "an upsert of one row made " + std::to_string(found.size())};
  }
  if (said.done()) change = std::move(found.front());
  return reply(std::move(said), false);
}

Reply SqlSession::remove_rows(const table::Request& request, std::vector<table::Row>& removed) {
  removed.clear();
  Sheet sheet;
  Said said = connection_->query(table_texts_.remove(request), sheet);
  if (!said.done()) return reply(std::move(said), false);
  for (const auto& cells : rows_of(sheet)) removed.push_back(change_of(cells).after);
  std::ranges::stable_sort(removed, {}, &table::Row::id);
  return {};
}

Reply SqlSession::savepoint() {
  Sheet sheet;
  return reply(connection_->query("SAVEPOINT isolde", sheet), false);
}

Reply SqlSession::roll_back_to_savepoint() {
  Sheet sheet;
  return reply(connection_->query("ROLLBACK TO SAVEPOINT isolde", sheet), false);
}

Reply SqlSession::statement(const std::string& text) {
  const bool may_commit = !open_;
  std::vector<std::string> ignored;
  return reply(connection_->execute(text, ignored), may_commit);
}

Reply SqlSession::commit() {
  ISOLDE_CHECK(open_);
  Said said = connection_->commit();
  if (said.done()) open_ = false;
  return reply(std::move(said), true);
}

Reply SqlSession::rollback() {
  ISOLDE_CHECK(open_);
  open_ = false;
  return reply(connection_->rollback(), false);
}

// --- Tables

SqlDatabase::SqlDatabase(const Dialect& dialect, const Layout& layout, double timeout_seconds,
                         bool force_reset, std::vector<bool> replicas)
    : dialect_(dialect),
      layout_(layout),
      timeout_seconds_(timeout_seconds),
      force_reset_(force_reset),
      replicas_(std::move(replicas)),
      texts_(statement_texts(dialect, layout)),
      table_texts_(dialect_, layout_, tables_),
      token_(fresh_token()) {}

Result<std::unique_ptr<Session>> SqlDatabase::connect(std::uint32_t session) {
  Result<std::unique_ptr<Connection>> connection = open_connection(session % replicas_.size());
  if (!connection) return connection.error();
  if (!tables_.empty() && !dialect_.before_tables.empty()) {
    Status ready = execute(**connection, std::string(dialect_.before_tables), "preparing");
    if (!ready) return ready.error();
  }
  return std::unique_ptr<Session>(
      std::make_unique<SqlSession>(std::move(*connection), layout_, dialect_, table_texts_));
}

void SqlDatabase::use_tables(std::span<const table::Table> tables) {
  ISOLDE_CHECK(!created_);
  tables_ = tables;
  table_texts_ = TableTexts(dialect_, layout_, tables_);
}

std::vector<std::string> SqlDatabase::row_tables() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tables_.size(); ++i) names.push_back(table_texts_.name(i));
  return names;
}

Result<Found> SqlDatabase::look(Connection& connection) {
  Found found;
  const Said said = connection.execute(std::string(dialect_.relations), found.relations);
  if (!said.done()) return failure(said, "listing the tables");
  bool has_owner = false;
  for (std::string& name : found.relations) {
    name = lower(std::move(name));
    has_owner = has_owner || name == kOwnerTable;
  }
  if (!has_owner) return found;
  const Said notes =
      connection.execute("SELECT note FROM " + std::string(kOwnerTable), found.notes);
  if (notes.kind == Kind::kLost) return failure(notes, "reading table isolde_owner");
  // A table of that name which cannot be read that way is not ours.
  if (!notes.done()) found.notes.clear();
  return found;
}

Status SqlDatabase::make_tables(Connection& connection) {
  const std::vector<std::string> texts = create_texts(dialect_, layout_);
  const std::vector<std::string> names = table_names(layout_);
  ISOLDE_CHECK(texts.size() == names.size() + 1);
  Status done = execute(connection, texts[0], "creating table isolde_owner");
  if (done) done = add_note(connection, made_by_note(token_));
  for (std::size_t i = 0; done && i < names.size(); ++i) {
    // The note comes after its table: when another one of that name gets in first, it must
    // never be taken for ours.
    done = execute(connection, texts[i + 1], "creating table " + names[i]);
    if (done) done = add_note(connection, table_note(names[i]));
  }
  for (std::size_t i = 0; done && i < tables_.size(); ++i) {
    const std::string name = table_texts_.name(i);
    done = execute(connection, table_texts_.create(i), "creating table " + name);
    if (done) done = add_note(connection, table_note(name));
    for (const std::string& text : table_texts_.indexes(i)) {
      if (done) done = execute(connection, text, "creating an index");
    }
  }
  for (const std::string& text : index_texts(layout_)) {
    if (done) done = execute(connection, text, "creating an index");
  }
  return done;
}

Status SqlDatabase::make(Connection& connection, const std::vector<std::string>& in_the_way,
                         std::span<const Key> registers, std::span<const Key> lists) {
  // Two transactions: some databases see a table only after its DDL was committed.
  Status done = in_transaction(connection, [&] {
    Status dropped = drop(connection, in_the_way);
    return dropped ? make_tables(connection) : dropped;
  });
  if (!done) return done;
  return in_transaction(connection, [&] {
    for (const std::string& text : row_texts(dialect_, layout_, registers, lists)) {
      Status inserted = execute(connection, text, "inserting rows");
      if (!inserted) return inserted;
    }
    return add_note(connection, ready_note(token_));
  });
}

Status SqlDatabase::create(std::span<const Key> registers, std::span<const Key> lists) {
  if (replicas_.front()) {
    return usage_error(
        "the first endpoint of the DSN is a replica, which takes no writes; name "
        "the primary first");
  }
  Result<std::unique_ptr<Connection>> connection = open_connection(0);
  if (!connection) return connection.error();
  const Result<Found> found = look(**connection);
  if (!found) return found.error();
  const Result<std::vector<std::string>> in_the_way =
      tables_in_the_way(*found, layout_, force_reset_, row_tables());
  if (!in_the_way) return in_the_way.error();
  created_ = true;
  Status done = make(**connection, *in_the_way, registers, lists);
  if (done) done = await_copies();
  // The first error is the one to tell. Some databases drop nothing that a connection has used.
  connection->reset();
  if (!done) static_cast<void>(destroy());
  return done;
}

/// With several endpoints, until all have the tables with all rows: replicas lag behind.
Status SqlDatabase::await_copies() {
  const auto end = Clock::now() + std::chrono::duration<double>(timeout_seconds_);
  for (std::size_t i = 1; i < replicas_.size(); ++i) {
    Result<std::unique_ptr<Connection>> connection = open_connection(i);
    if (!connection) return connection.error();
    while (true) {
      const Result<Found> found = look(**connection);
      if (!found) return found.error();
      bool ready = false;
      for (const std::string& note : found->notes) {
        ready = ready || note == ready_note(token_);
      }
      if (ready) break;
      if (Clock::now() > end) {
        return Error{ErrorCode::kEnvironment,
                     "endpoint " + std::to_string(i + 1) +
                         " of the DSN does not show the tables created through the first one; "
                         "do they belong to one cluster?"};
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  return ok_status();
}

Status SqlDatabase::destroy() {
  if (!created_) return ok_status();
  Result<std::unique_ptr<Connection>> connection = open_connection(0);
  if (!connection) return connection.error();
  const Result<Found> found = look(**connection);
  if (!found) return found.error();
  const std::vector<std::string> ours = tables_of_run(*found, token_);
  Status done = in_transaction(**connection, [&] { return drop(**connection, ours); });
  created_ = !done.ok();
  return done;
}

}  // namespace isolde::db::sql
