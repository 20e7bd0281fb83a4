// Sessions and tables of the SQL drivers. A driver only has to make connections that run
// statements and tell truthfully how they ended; what that means for a transaction, and whose
// tables may be made and dropped, is decided here, once for all.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/sql.hpp"
#include "db/sql_tables.hpp"

namespace isolde::db::sql {

/// How a statement ended.
struct Said {
  enum class Kind : std::uint8_t {
    kDone,
    kRefused,   ///< had no effect (conflict, deadlock, time limit); the connection goes on
    kHopeless,  ///< as kRefused, and trying again will not help
    kLost,      ///< the connection is gone; the statement may have had its effect
    kInDoubt,   ///< the server answered, but cannot tell whether the statement had its effect
  };
  /// kRefused, of an insert: a row was in its way. Where it was not certainly the one with the
  /// primary key, kColumn.
  enum class Met : std::uint8_t { kNothing, kKey, kColumn };
  Kind kind = Kind::kDone;
  std::string message;  ///< what the database said, one line
  Met met = Met::kNothing;

  bool done() const { return kind == Kind::kDone; }
};

struct Answer {
  std::uint64_t changed = 0;  ///< rows that an UPDATE matched, or an INSERT made or changed
  bool found = false;         ///< whether there is a row; below: the value of its first column
  bool null = false;
  std::string text;
  std::vector<Row> rows;  ///< all of them, of a statement that selects or deletes rows
  /// Where the statement returns Dialect::version: that of the first row.
  std::optional<std::int64_t> version = {};
};

/// Rows of any number of columns, all integers.
struct Sheet {
  std::uint64_t changed = 0;  ///< as Answer::changed
  std::size_t columns = 0;
  std::vector<table::Cell> cells = {};  ///< row by row
};

/// One connection of a driver. After kLost nothing more is asked of it.
class Connection {
 public:
  virtual ~Connection() = default;

  virtual Said begin() = 0;
  virtual Said commit() = 0;
  /// Also after a statement that failed, where the server may have rolled back already.
  virtual Said rollback() = 0;
  /// Runs a statement of statement_texts(), by its index.
  virtual Said run(std::size_t statement, std::span<const std::int64_t> values,
                   Answer& answer) = 0;
  /// Runs any statement and gives the first column of its rows.
  virtual Said execute(const std::string& text, std::vector<std::string>& column) = 0;
  /// Runs any statement and gives all columns of its rows.
  virtual Said query(const std::string& text, Sheet& sheet) = 0;
  /// As Session::socket().
  virtual int socket() const { return -1; }
  /// As Session::server().
  virtual std::string server() const { return {}; }
};

class SqlSession final : public Session {
 public:
  /// `dialect` and `texts` must outlive it.
  SqlSession(std::unique_ptr<Connection> connection, const Layout& layout,
             const Dialect& dialect, const TableTexts& texts)
      : connection_(std::move(connection)),
        layout_(layout),
        dialect_(dialect),
        table_texts_(texts) {}

  Reply begin() override;
  Reply read(Key key, std::optional<std::int64_t>& value) override;
  std::optional<std::int64_t> version() const override { return answer_.version; }
  Reply write(Key key, std::int64_t value) override;
  Reply read_list(Key key, std::vector<std::int64_t>& elements) override;
  Reply append(Key key, std::int64_t element) override;
  /// `seen` stays empty: a failed UPDATE does not tell what it found.
  Reply compare_and_set(Key key, std::optional<std::int64_t> expected, std::int64_t value,
                        CasResult& result) override;
  bool lock_next(LockMode mode) override;
  LockMode lock() const override { return lock_; }
  Reply increment(Key key, std::int64_t by, std::optional<std::int64_t>& sum) override;
  Reply select(const Condition& condition, std::vector<Row>& rows) override;
  Reply aggregate(const Condition& condition, AggregateKind kind, table::Cell& result) override;
  Reply remove(Key key, bool& removed) override;
  Reply remove(const Condition& condition, std::vector<Row>& removed) override;
  Reply insert_row(const table::Request& request, std::int64_t stamp) override;
  Reply try_insert_row(const table::Request& request, std::int64_t stamp,
                       Inserted& inserted) override;
  Reply select_rows(const table::Request& request, table::Selected& selected) override;
  Reply aggregate_rows(const table::Request& request, table::Cell& result) override;
  Reply update_rows(const table::Request& request, std::int64_t stamp,
                    std::vector<table::Change>& changes) override;
  Reply remove_rows(const table::Request& request, std::vector<table::Row>& removed) override;
  Reply upsert_row(const table::Request& request, std::int64_t stamp,
                   table::Change& change) override;
  Reply savepoint() override;
  Reply roll_back_to_savepoint() override;
  Reply statement(const std::string& text) override;
  Reply commit() override;
  Reply rollback() override;
  int socket() const override { return connection_->socket(); }
  std::string server() const override { return connection_->server(); }

 private:
  Said run(Statement statement, Key key, std::initializer_list<std::int64_t> values);
  Locking taken_lock();
  Reply read_locked(Key key, std::optional<std::int64_t>& value);
  Reply read_list_locked(Key key, std::vector<std::int64_t>& elements);
  Reply select_locked(const Condition& condition, std::vector<Row>& rows);
  /// `may_commit`: whether the statement, had it been done, could have committed something.
  Reply reply(Said said, bool may_commit);
  Said take_number(Key key, std::optional<std::int64_t>& number) const;
  Reply compute(const std::string& text, table::Cell& result);
  Reply rows(Statement kind, const Condition& condition, std::vector<Row>& found);
  Said changes(const std::string& text, const table::Request& request, std::int64_t stamp,
               std::vector<table::Change>& found);
  table::Change change_of(std::span<const table::Cell> cells) const;
  Said insert(const table::Request& request, std::int64_t stamp);
  Reply change(Statement update, Statement upsert, Key key, std::int64_t value);

  std::unique_ptr<Connection> connection_;
  Layout layout_;
  const Dialect& dialect_;
  const TableTexts& table_texts_;
  Answer answer_;  // kept for its buffer
  bool open_ = false;
  std::optional<Locking> next_lock_ = {};  // of the next read
  LockMode lock_ = LockMode::kNone;        // of the last one
};

/// A fresh folder for a database that has no place of its own. ERRORS: kEnvironment.
Result<std::string> temporary_folder(const std::string& scheme);
/// With all that is in it; does nothing when `folder` is empty.
void remove_folder(const std::filesystem::path& folder);

/// What all SQL databases do the same way.
class SqlDatabase : public Database {
 public:
  /// `replicas`: for each endpoint, whether it takes no writes.
  SqlDatabase(const Dialect& dialect, const Layout& layout, double timeout_seconds,
              bool force_reset, std::vector<bool> replicas);

  Status create(std::span<const Key> registers, std::span<const Key> lists) override;
  void use_tables(std::span<const table::Table> tables) override;
  Result<std::unique_ptr<Session>> connect(std::uint32_t session) override;
  bool only_reads(std::uint32_t session) const override {
    return replicas_[session % replicas_.size()];
  }
  bool locks_reads() const override { return usual_lock(dialect_, layout_) != LockMode::kNone; }
  Status destroy() override;

  /// Connects to the endpoint of that number. ERRORS: as Database::connect().
  virtual Result<std::unique_ptr<Connection>> open_connection(std::size_t endpoint) = 0;

 protected:
  const Layout& layout() const { return layout_; }
  /// The texts of Connection::run().
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> row_tables() const;
  Result<Found> look(Connection& connection);
  Status make(Connection& connection, const std::vector<std::string>& in_the_way,
              std::span<const Key> registers, std::span<const Key> lists);
  Status make_tables(Connection& connection);
  Status await_copies();

  const Dialect& dialect_;
  const Layout layout_;
  const double timeout_seconds_;
  const bool force_reset_;
  const std::vector<bool> replicas_;  ///< by endpoint
  const std::vector<std::string> texts_;
  std::span<const table::Table> tables_;
  TableTexts table_texts_;
  const std::string token_;  // of this run, in the table of the owner
  bool created_ = false;
};

}  // namespace isolde::db::sql
