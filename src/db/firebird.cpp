// Firebird through its client library: a file in this process (embedded engine), or a server.
//
// The library's own interface: a status vector for errors, byte strings of options for
// attachments and transactions, XSQLDA for parameters and columns. Two things differ from the
// other SQL databases: every statement needs a transaction that was started by hand, and what a
// DDL statement made can be used only after a commit; execute() sees to both.
#include <ibase.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "base/assert.hpp"
#include "db/driver.hpp"
#include "db/sql_database.hpp"

namespace isolde::db {
namespace {

using sql::Answer;
using sql::Said;
using Kind = sql::Said::Kind;
using StatusVector = std::array<ISC_STATUS, ISC_STATUS_LENGTH>;

constexpr std::uint16_t kUsualPort = 3050;

constexpr sql::Dialect kDialect = {
    .upsert = sql::Dialect::Upsert::kMerge,
    .from_nothing = " FROM RDB$DATABASE",
    // Text of any length would be a BLOB, which is another interface.
    .list_type = "VARCHAR(32000) CHARACTER SET ASCII",
    .locking = " WITH LOCK",
    .share_locking = " WITH LOCK",  // there is no other
    .relations =
        "SELECT TRIM(RDB$RELATION_NAME) FROM RDB$RELATIONS WHERE RDB$RELATION_NAME "
        "STARTING WITH 'ISOLDE_'",
};

constexpr std::array<IsolationInfo, 3> kIsolations = {{
    {"snapshot", Level::kSnapshotIsolation,
     "SNAPSHOT (concurrency): reads from a snapshot, conflicting writes are refused"},
    {"read-committed", Level::kReadCommitted,
     "READ COMMITTED RECORD_VERSION: each statement sees what was committed before it"},
    {"snapshot-table-stability", Level::kSerializable,
     "SNAPSHOT TABLE STABILITY (consistency): locks whole tables, but only from their first "
     "use"},
}};

/// A byte string of options: tags, each with a length and a value where it has one.
class Options {
 public:
  explicit Options(char version) : bytes_(1, version) {}
  void tag(char name) { bytes_ += name; }
  void text(char name, const std::string& value) {
    if (value.empty() || value.size() > 255) return;
    bytes_ += name;
    bytes_ += static_cast<char>(value.size());
    bytes_ += value;
  }
  void number(char name, std::uint32_t value) {
    bytes_ += name;
    bytes_ += char{4};
    for (int shift = 0; shift < 32; shift += 8) {
      bytes_ += static_cast<char>((value >> shift) & 0xff);
    }
  }
  const char* data() const { return bytes_.data(); }
  short size() const { return static_cast<short>(bytes_.size()); }

 private:
  std::string bytes_;
};

std::uint32_t whole_seconds(double seconds) {
  return static_cast<std::uint32_t>(std::max(1.0, std::ceil(seconds)));
}

/// An isolation as an option of a transaction, and in SQL for people.
struct IsolationWords {
  std::string_view name;
  std::array<char, 2> tags;  ///< the second may be 0
  std::string_view sql;
};
constexpr std::array<IsolationWords, 3> kIsolationWords = {{
    {"snapshot", {isc_tpb_concurrency, 0}, "SNAPSHOT"},
    {"read-committed",
     {isc_tpb_read_committed, isc_tpb_rec_version},
     "READ COMMITTED RECORD_VERSION"},
    {"snapshot-table-stability", {isc_tpb_consistency, 0}, "SNAPSHOT TABLE STABILITY"},
}};

const IsolationWords& words_of(const std::string& isolation) {
  for (const IsolationWords& words : kIsolationWords) {
    if (words.name == isolation) return words;
  }
  ISOLDE_CHECK(false);
  return kIsolationWords[0];
}

/// Parameters of the data source name that all transactions take.
struct Manner {
  /// Deadlocks are looked for only after ten seconds (DeadlockTimeout of firebird.conf), so the
  /// usual choice here is not to wait for locks at all.
  std::uint32_t wait_seconds = 0;
  /// Whether a rollback takes back each change and then counts as a commit of nothing, which is
  /// Firebird's usual way, or leaves them as those of a transaction that is dead.
  bool auto_undo = true;
};

Result<Manner> manner_of(const Dsn& dsn) {
  const Result<std::uint32_t> wait = number_in(dsn, "wait", 0, 3600, 0);
  if (!wait) return wait.error();
  const Result<bool> auto_undo = flag_in(dsn, "auto_undo", true);
  if (!auto_undo) return auto_undo.error();
  return Manner{*wait, *auto_undo};
}

/// What transaction_options() says, for a shell.
std::string begin_text(const std::string& isolation, const Manner& manner) {
  const std::string waiting = manner.wait_seconds == 0
                                  ? "NO WAIT"
                                  : "WAIT LOCK TIMEOUT " + std::to_string(manner.wait_seconds);
  return "SET TRANSACTION READ WRITE " + waiting + " ISOLATION LEVEL " +
         std::string(words_of(isolation).sql) + (manner.auto_undo ? "" : " NO AUTO UNDO");
}

Options transaction_options(const std::string& isolation, const Manner& manner) {
  Options options(isc_tpb_version3);
  options.tag(isc_tpb_write);
  for (const char tag : words_of(isolation).tags) {
    if (tag != 0) options.tag(tag);
  }
  if (!manner.auto_undo) options.tag(isc_tpb_no_auto_undo);
  if (manner.wait_seconds == 0) {
    options.tag(isc_tpb_nowait);
  } else {
    options.tag(isc_tpb_wait);
    options.number(isc_tpb_lock_timeout, manner.wait_seconds);
  }
  return options;
}

bool failed(const StatusVector& status) { return status[0] == 1 && status[1] != 0; }

std::string sqlstate_of(const StatusVector& status) {
  std::array<char, 6> state{};
  fb_sqlstate(state.data(), status.data());
  return state.data();
}

std::string text_of(const StatusVector& status) {
  std::string text;
  std::array<char, 512> line{};
  const ISC_STATUS* at = status.data();
  while (fb_interpret(line.data(), line.size(), &at) != 0) {
    text += (text.empty() ? "" : "; ") + std::string(line.data());
  }
  return sql::one_line(text);
}

/// Whether the vector has one of these codes, which come in several places.
bool tells(const StatusVector& status, std::initializer_list<ISC_STATUS> codes) {
  for (std::size_t i = 0; i + 1 < status.size() && status[i] != isc_arg_end; i += 2) {
    if (status[i] == isc_arg_gds && std::ranges::count(codes, status[i + 1]) > 0) return true;
    if (status[i] == isc_arg_cstring) ++i;
  }
  return false;
}

/// Whether the row was deleted by a transaction that has committed since the statement found
/// it, at READ COMMITTED. There is no code of its own for that, only the text.
bool tells_of_erased(const StatusVector& status) {
  constexpr std::string_view kErased = "cannot update erased record";
  return status[0] == isc_arg_gds && status[1] == isc_random && status[2] == isc_arg_string &&
         reinterpret_cast<const char*>(status[3]) == kErased;
}

Said said_of(const StatusVector& status) {
  // The last one: another transaction replaced the version that a statement had found.
  static constexpr std::initializer_list<ISC_STATUS> kConflicts = {
      isc_deadlock,         isc_lock_conflict, isc_lock_timeout,
      isc_update_conflict,  isc_no_dup,        isc_unique_key_violation,
      isc_check_constraint, isc_foreign_key,   isc_no_cur_rec};
  static constexpr std::initializer_list<ISC_STATUS> kGone = {
      isc_network_error, isc_net_read_err,       isc_net_write_err, isc_att_shutdown,
      isc_shutdown,      isc_lost_db_connection, isc_bad_db_handle};
  const std::string state = sqlstate_of(status);
  Said said{Kind::kHopeless, text_of(status) + " (SQLSTATE " + state + ")"};
  if (tells(status, kGone) || state.starts_with("08")) {
    said.kind = Kind::kLost;
  } else if (tells(status, kConflicts) || tells_of_erased(status) || state.starts_with("40")) {
    said.kind = Kind::kRefused;
    said.met = tells(status, {isc_no_dup}) ? Said::Met::kColumn : Said::Met::kNothing;
    if (tells(status, {isc_unique_key_violation})) said.met = Said::Met::kKey;  // no index
  }
  return said;
}

/// A database that we are attached to.
struct Attachment {
  Attachment() = default;
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
  ~Attachment() {
    StatusVector status{};
    if (handle != 0) isc_detach_database(status.data(), &handle);
  }
  isc_db_handle handle = 0;
};

/// Rows inserted, updated and deleted when the statement was last executed.
std::uint64_t changed_by(isc_stmt_handle statement) {
  StatusVector status{};
  const char wanted = isc_info_sql_records;
  std::array<char, 64> buffer{};
  isc_dsql_sql_info(status.data(), &statement, 1, &wanted, buffer.size(), buffer.data());
  if (failed(status) || buffer[0] != isc_info_sql_records) return 0;
  std::uint64_t sum = 0;
  std::size_t at = 3;
  while (at + 3 < buffer.size() && buffer[at] != isc_info_end) {
    const auto size = static_cast<short>(isc_vax_integer(&buffer[at + 1], 2));
    const bool counts = buffer[at] == isc_info_req_insert_count ||
                        buffer[at] == isc_info_req_update_count ||
                        buffer[at] == isc_info_req_delete_count;
    if (counts) sum += static_cast<std::uint64_t>(isc_vax_integer(&buffer[at + 3], size));
    at += 3 + static_cast<std::size_t>(size);
  }
  return sum;
}

/// A prepared statement with room for its parameters and its columns.
class Prepared {
 public:
  Prepared() = default;
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  ~Prepared() {
    StatusVector status{};
    if (handle_ != 0) isc_dsql_free_statement(status.data(), &handle_, DSQL_drop);
  }

  bool prepare(StatusVector& status, Attachment& attachment, isc_tr_handle* transaction,
               const std::string& text) {
    columns()->version = SQLDA_VERSION1;
    columns()->sqln = kMostColumns;
    parameters()->version = SQLDA_VERSION1;
    parameters()->sqln = kMost;
    isc_dsql_allocate_statement(status.data(), &attachment.handle, &handle_);
    if (failed(status)) return false;
    isc_dsql_prepare(status.data(), transaction, &handle_, 0, text.c_str(), SQL_DIALECT_V6,
                     columns());
    if (failed(status)) return false;
    isc_dsql_describe_bind(status.data(), &handle_, 1, parameters());
    if (failed(status)) return false;
    prepare_columns();
    return true;
  }

  bool execute(StatusVector& status, isc_tr_handle* transaction,
               std::span<const std::int64_t> values) {
    ISOLDE_CHECK(values.size() <= kMost &&
                 parameters()->sqld == static_cast<short>(values.size()));
    XSQLVAR* const variables = parameters()->sqlvar;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values_[i] = values[i];
      XSQLVAR& variable = variables[i];
      variable.sqltype = SQL_INT64;
      variable.sqlscale = 0;
      variable.sqllen = sizeof(std::int64_t);
      variable.sqldata = reinterpret_cast<char*>(&values_[i]);
      variable.sqlind = nullptr;
    }
    isc_dsql_execute(status.data(), transaction, &handle_, 1, parameters());
    return !failed(status);
  }

  bool has_rows() const { return columns()->sqld > 0; }
  bool has_two_columns() const { return columns()->sqld == 2; }

  /// The next row. False at the end, and on errors, which are in `status`.
  bool fetch(StatusVector& status, Answer& answer) {
    if (isc_dsql_fetch(status.data(), &handle_, 1, columns()) != 0) return false;
    answer.found = true;
    answer.null = null_ < 0;
    if (has_two_columns()) {
      Row row{0, second_};
      std::memcpy(&row.key, text_.data(), sizeof row.key);
      answer.rows.push_back(row);
      return true;
    }
    if (answer.null) {
      answer.text.clear();
    } else if (number()) {
      std::int64_t value = 0;
      std::memcpy(&value, text_.data(), sizeof value);
      answer.text = std::to_string(value);
    } else {
      std::uint16_t length = 0;
      std::memcpy(&length, text_.data(), sizeof length);
      answer.text.assign(text_.data() + sizeof length, length);
    }
    return true;
  }

  void close() {
    StatusVector status{};
    isc_dsql_free_statement(status.data(), &handle_, DSQL_close);
  }

  /// Rows inserted, updated and deleted by the last execute().
  std::uint64_t changed() { return changed_by(handle_); }

 private:
  static constexpr std::size_t kMost = sql::kMostParameters;
  static constexpr std::size_t kMostColumns = 2;

  XSQLDA* parameters() { return reinterpret_cast<XSQLDA*>(area_.data()); }
  XSQLDA* columns() { return reinterpret_cast<XSQLDA*>(column_area_.data()); }
  const XSQLDA* columns() const { return reinterpret_cast<const XSQLDA*>(column_area_.data()); }
  bool number() const { return (columns()->sqlvar[0].sqltype & ~1) == SQL_INT64; }

  /// A second column is an integer, and so is the first one then; neither is ever null.
  void prepare_columns() {
    if (!has_rows()) return;
    if (has_two_columns()) {
      XSQLVAR& second = columns()->sqlvar[1];
      ISOLDE_CHECK(number() && (second.sqltype & ~1) == SQL_INT64);
      second.sqltype = SQL_INT64 | 1;
      second.sqldata = reinterpret_cast<char*>(&second_);
      second.sqlind = &second_null_;
    }
    XSQLVAR& variable = columns()->sqlvar[0];
    if (!number()) variable.sqltype = SQL_VARYING | 1;
    variable.sqltype = static_cast<short>(variable.sqltype | 1);  // can be null
    text_.resize(number() ? sizeof(std::int64_t)
                          : static_cast<std::size_t>(variable.sqllen) + 2);
    variable.sqldata = text_.data();
    variable.sqlind = &null_;
  }

  isc_stmt_handle handle_ = 0;
  alignas(XSQLDA) std::array<char, XSQLDA_LENGTH(kMostColumns)> column_area_{};
  alignas(XSQLDA) std::array<char, XSQLDA_LENGTH(kMost)> area_{};
  std::array<std::int64_t, kMost> values_{};
  std::string text_;  // the column's value as the library lays it out
  short null_ = 0;
  std::int64_t second_ = 0;  // the second column
  short second_null_ = 0;
};

/// A statement without parameters, of which all columns are integers.
class IntegerQuery {
 public:
  IntegerQuery() = default;
  IntegerQuery(const IntegerQuery&) = delete;
  IntegerQuery& operator=(const IntegerQuery&) = delete;
  ~IntegerQuery() {
    StatusVector status{};
    if (handle_ != 0) isc_dsql_free_statement(status.data(), &handle_, DSQL_drop);
  }

  Said run(Attachment& attachment, isc_tr_handle* transaction, const std::string& text,
           sql::Sheet& sheet) {
    StatusVector status{};
    columns()->version = SQLDA_VERSION1;
    columns()->sqln = kMost;
    isc_dsql_allocate_statement(status.data(), &attachment.handle, &handle_);
    if (failed(status)) return said_of(status);
    isc_dsql_prepare(status.data(), transaction, &handle_, 0, text.c_str(), SQL_DIALECT_V6,
                     columns());
    if (failed(status)) return said_of(status);
    bind();
    isc_dsql_execute(status.data(), transaction, &handle_, 1, nullptr);
    if (failed(status)) return said_of(status);
    sheet = {.columns = static_cast<std::size_t>(columns()->sqld)};
    if (sheet.columns == 0) {
      sheet.changed = changed_by(handle_);
      return {};
    }
    while (isc_dsql_fetch(status.data(), &handle_, 1, columns()) == 0) {
      for (std::size_t i = 0; i < sheet.columns; ++i) {
        sheet.cells.push_back(nulls_[i] < 0 ? table::Cell() : table::Cell(values_[i]));
      }
    }
    return failed(status) ? said_of(status) : Said{};
  }

 private:
  static constexpr std::size_t kMost = 16;

  XSQLDA* columns() { return reinterpret_cast<XSQLDA*>(area_.data()); }

  void bind() {
    const auto count = static_cast<std::size_t>(columns()->sqld);
    ISOLDE_CHECK(count <= kMost);
    XSQLVAR* const variables = columns()->sqlvar;
    for (std::size_t i = 0; i < count; ++i) {
      XSQLVAR& variable = variables[i];
      variable.sqltype = SQL_INT64 | 1;  // can be null
      variable.sqlscale = 0;
      variable.sqllen = sizeof(std::int64_t);
      variable.sqldata = reinterpret_cast<char*>(&values_[i]);
      variable.sqlind = &nulls_[i];
    }
  }

  isc_stmt_handle handle_ = 0;
  alignas(XSQLDA) std::array<char, XSQLDA_LENGTH(kMost)> area_{};
  std::array<std::int64_t, kMost> values_{};
  std::array<short, kMost> nulls_{};
};

class FirebirdConnection final : public sql::Connection {
 public:
  /// `address`: of the server, empty where there is none.
  FirebirdConnection(std::unique_ptr<Attachment> attachment, std::string address,
                     Options transaction, const std::vector<std::string>& texts)
      : attachment_(std::move(attachment)),
        address_(std::move(address)),
        options_(std::move(transaction)),
        texts_(texts),
        statements_(texts.size()) {}

  ~FirebirdConnection() override { static_cast<void>(rollback()); }

  std::string server() const override {
    const char wanted = isc_info_attachment_id;
    std::array<char, 32> buffer{};
    StatusVector status{};
    if (address_.empty()) return {};
    isc_database_info(status.data(), &attachment_->handle, 1, &wanted,
                      static_cast<short>(buffer.size()), buffer.data());
    if (failed(status) || buffer[0] != isc_info_attachment_id) return address_;
    const auto length = static_cast<short>(isc_vax_integer(&buffer[1], 2));
    return address_ + " attachment " + std::to_string(isc_vax_integer(&buffer[3], length));
  }

  Said begin() override {
    StatusVector status{};
    isc_start_transaction(status.data(), &transaction_, 1, &attachment_->handle,
                          options_.size(), options_.data());
    return failed(status) ? said_of(status) : Said{};
  }

  Said commit() override {
    StatusVector status{};
    isc_commit_transaction(status.data(), &transaction_);
    if (!failed(status)) return {};
    Said said = said_of(status);
    // Constraints and DDL are refused here too, but so is a full disk.
    if (said.kind == Kind::kHopeless && !sqlstate_of(status).starts_with("42")) {
      said.kind = Kind::kInDoubt;
    }
    return said;
  }

  Said rollback() override {
    if (transaction_ == 0) return {};
    StatusVector status{};
    isc_rollback_transaction(status.data(), &transaction_);
    return failed(status) ? said_of(status) : Said{};
  }

  Said run(std::size_t statement, std::span<const std::int64_t> values,
           Answer& answer) override {
    answer.found = false;
    return bracketed([&] {
      StatusVector status{};
      std::unique_ptr<Prepared>& prepared = statements_[statement];
      if (prepared == nullptr) {
        auto fresh = std::make_unique<Prepared>();
        if (!fresh->prepare(status, *attachment_, &transaction_, texts_[statement])) {
          return said_of(status);
        }
        prepared = std::move(fresh);
      }
      if (!prepared->execute(status, &transaction_, values)) return said_of(status);
      if (!prepared->has_rows()) {
        answer.changed = prepared->changed();
        return Said{};
      }
      while (prepared->fetch(status, answer) && prepared->has_two_columns()) {
      }
      prepared->close();
      return failed(status) ? said_of(status) : Said{};
    });
  }

  Said query(const std::string& text, sql::Sheet& sheet) override {
    return bracketed([&] {
      IntegerQuery statement;
      return statement.run(*attachment_, &transaction_, text, sheet);
    });
  }

  Said execute(const std::string& text, std::vector<std::string>& column) override {
    const bool ddl = text.starts_with("CREATE ") || text.starts_with("DROP ");
    const bool commits = ddl && transaction_ != 0;
    if (commits) {
      // What was noted about earlier tables must not go when this one fails.
      const Said before = commit_and_begin();
      if (!before.done()) return before;
    }
    Said said = bracketed([&] {
      StatusVector status{};
      Prepared statement;
      if (!statement.prepare(status, *attachment_, &transaction_, text) ||
          !statement.execute(status, &transaction_, {})) {
        return said_of(status);
      }
      Answer answer;
      while (statement.has_rows() && statement.fetch(status, answer)) {
        column.push_back(answer.text);
      }
      return failed(status) ? said_of(status) : Said{};
    });
    return said.done() && commits ? commit_and_begin() : said;
  }

 private:
  Said commit_and_begin() {
    Said said = commit();
    return said.done() ? begin() : said;
  }

  /// Runs it in the transaction that is open, or else in one of its own.
  template <typename Work>
  Said bracketed(Work work) {
    if (transaction_ != 0) return work();
    Said said = begin();
    if (!said.done()) return said;
    said = work();
    if (said.done()) return commit();
    static_cast<void>(rollback());
    return said;
  }

  // Statements after the attachment, so that they go first.
  std::unique_ptr<Attachment> attachment_;
  const std::string address_;
  isc_tr_handle transaction_ = 0;
  const Options options_;
  const std::vector<std::string>& texts_;
  std::vector<std::unique_ptr<Prepared>> statements_;
};

/// The engine takes SIGINT and SIGTERM for itself when it is first attached to, to shut down
/// all attachments. What to do then is for the program to say, so it gets them back. What comes
/// meanwhile waits for that, also from the threads that the engine starts.
class KeepSignals {
 public:
  KeepSignals() {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaddset(&blocked, kSignals[i]);
      sigaction(kSignals[i], nullptr, &old_[i]);
    }
    pthread_sigmask(SIG_BLOCK, &blocked, &old_mask_);
  }
  ~KeepSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_[i], nullptr);
    pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  }
  KeepSignals(const KeepSignals&) = delete;
  KeepSignals& operator=(const KeepSignals&) = delete;

 private:
  static constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};
  std::array<struct sigaction, 2> old_{};
  sigset_t old_mask_{};
};

/// What the client library takes for the name of a database. Without the brackets it would take
/// the colons of an address for the one before the path.
std::string library_name(const Dsn& dsn) {
  if (dsn.endpoints.empty()) return dsn.path;
  const Endpoint& at = dsn.endpoints[0];
  return address_text({at.host, 0}) + (at.port == 0 ? "" : "/" + std::to_string(at.port)) +
         ":" + dsn.path;
}

Result<std::unique_ptr<Attachment>> attach(const Dsn& dsn, double timeout_seconds,
                                           bool create_file, bool keep_safe) {
  Options options(isc_dpb_version1);
  const bool embedded = dsn.endpoints.empty();
  options.text(isc_dpb_user_name, embedded && dsn.user.empty() ? "SYSDBA" : dsn.user);
  options.text(isc_dpb_password, dsn.password);
  options.number(isc_dpb_connect_timeout, whole_seconds(timeout_seconds));
  options.number(isc_dpb_sql_dialect, SQL_DIALECT_V6);
  if (create_file) options.number(isc_dpb_force_write, keep_safe ? 1 : 0);
  const std::string name = library_name(dsn);
  auto attachment = std::make_unique<Attachment>();
  StatusVector status{};
  static std::mutex first;
  static bool loaded = false;
  std::unique_lock lock(first);
  std::optional<KeepSignals> keep;
  loaded ? lock.unlock() : static_cast<void>(keep.emplace());
  if (create_file) {
    isc_create_database(status.data(), 0, name.c_str(), &attachment->handle, options.size(),
                        options.data(), 0);
  } else {
    isc_attach_database(status.data(), 0, name.c_str(), &attachment->handle, options.size(),
                        options.data());
  }
  if (keep) loaded = !failed(status);
  if (!failed(status)) return attachment;
  const bool by_user = sqlstate_of(status).starts_with("28") ||
                       tells(status, {isc_bad_db_format}) ||
                       (!embedded && tells(status, {isc_io_error}));
  // A library without an engine takes a file's name for one of a server on this machine.
  const bool no_engine = embedded && tells(status, {isc_network_error, isc_unavailable});
  const char* hint = "; no embedded engine was found (Debian: firebird3.0-server-core)";
  return Error{by_user ? ErrorCode::kUsage : ErrorCode::kEnvironment,
               sql::connecting_to(dsn, 0) + text_of(status) + (no_engine ? hint : "")};
}

class Firebird final : public sql::SqlDatabase {
 public:
  /// `folder`: a temporary one that is ours; empty: none.
  Firebird(Dsn dsn, const OpenOptions& options, const sql::Layout& layout, const Manner& manner,
           std::filesystem::path folder, bool new_file)
      : SqlDatabase(kDialect, layout, options.timeout_seconds, options.force_reset, {false}),
        dsn_(std::move(dsn)),
        isolation_(options.isolation),
        timeout_seconds_(options.timeout_seconds),
        manner_(manner),
        folder_(std::move(folder)),
        new_file_(new_file) {}

  ~Firebird() override {
    if (!created_) remove_file();
    sql::remove_folder(folder_);
  }

  Status start() {
    Result<std::unique_ptr<Attachment>> attachment =
        attach(dsn_, timeout_seconds_, new_file_, folder_.empty());
    if (!attachment) return attachment.error();
    FirebirdConnection connection(std::move(*attachment), {}, options(), texts());
    std::vector<std::string> column;
    const Said said = connection.execute(
        "SELECT RDB$GET_CONTEXT('SYSTEM', 'ENGINE_VERSION') FROM RDB$DATABASE", column);
    if (!said.done()) return Error{ErrorCode::kEnvironment, "firebird: " + said.message};
    version_ = "Firebird " + (column.empty() ? "" : column[0]);
    return ok_status();
  }

  std::string version() const override { return version_; }

  Status create(std::span<const Key> registers, std::span<const Key> lists) override {
    Status done = SqlDatabase::create(registers, lists);
    created_ = created_ || done.ok();
    return done;
  }

  Status destroy() override {
    Status done = SqlDatabase::destroy();
    if (!done || !created_) return done;
    remove_file();
    sql::remove_folder(folder_);
    created_ = false;
    return done;
  }

  Result<std::unique_ptr<sql::Connection>> open_connection(std::size_t) override {
    Result<std::unique_ptr<Attachment>> attachment =
        attach(dsn_, timeout_seconds_, false, false);
    if (!attachment) return attachment.error();
    Endpoint at = dsn_.endpoints.empty() ? Endpoint{} : dsn_.endpoints[0];
    if (at.port == 0 && !dsn_.endpoints.empty()) at.port = kUsualPort;
    return std::unique_ptr<sql::Connection>(std::make_unique<FirebirdConnection>(
        std::move(*attachment), address_text(at), options(), texts()));
  }

 private:
  Options options() const { return transaction_options(isolation_, manner_); }

  /// The file, when there was none before and nobody's tables are in it.
  void remove_file() {
    std::error_code ignored;
    if (new_file_ && holds_nothing()) std::filesystem::remove(dsn_.path, ignored);
  }

  bool holds_nothing() {
    const Result<std::unique_ptr<sql::Connection>> connection = open_connection(0);
    if (!connection) return false;
    std::vector<std::string> tables;
    const Said said =
        (*connection)
            ->execute(
                "SELECT TRIM(RDB$RELATION_NAME) FROM RDB$RELATIONS WHERE RDB$SYSTEM_FLAG = 0",
                tables);
    return said.done() && tables.empty();
  }

  const Dsn dsn_;
  const std::string isolation_;
  const double timeout_seconds_;
  const Manner manner_;
  const std::filesystem::path folder_;
  const bool new_file_;
  std::string version_;
  bool created_ = false;
};

Status known_parameters(const Dsn& dsn) {
  return check_parameters(dsn,
                          {"upsert", "tables", "for_update", "index", "wait", "auto_undo"});
}

Result<sql::Shell> shell(const Dsn& dsn, const OpenOptions& options) {
  Status known = known_parameters(dsn);
  if (!known) return known.error();
  const Result<sql::Layout> layout = sql::layout_of(dsn);
  if (!layout) return layout.error();
  const Result<Manner> manner = manner_of(dsn);
  if (!manner) return manner.error();
  return sql::Shell{.database = "Firebird",
                    .program = "isql-fb",
                    // It would fill the column of a list up to its 32,000 characters.
                    .connect = {"SET LIST ON"},
                    .begin = begin_text(options.isolation, *manner),
                    .commits_alone = false,
                    .dialect = &kDialect,
                    .layout = *layout};
}

Result<std::unique_ptr<Database>> open(const Dsn& dsn, const OpenOptions& options,
                                       const Cancelled&) {
  Status known = known_parameters(dsn);
  if (!known) return known.error();
  const Result<sql::Layout> layout = sql::layout_of(dsn);
  if (!layout) return layout.error();
  const Result<Manner> manner = manner_of(dsn);
  if (!manner) return manner.error();
  const bool embedded = dsn.endpoints.empty();
  // The client library would connect to what stands before a colon in a path.
  if (embedded ? dsn.path.find(':') != std::string::npos : dsn.path.empty()) {
    return usage_error(
        (embedded ? "firebird: a : in a path is for servers, which stand in front of it"
                  : std::string("firebird: no database in the DSN")) +
        "; expected firebird://USER:PASSWORD@HOST:PORT/ALIAS, or //PATH in place of /ALIAS, "
        "with an IPv6 address in brackets");
  }
  Dsn place = dsn;
  std::filesystem::path folder;
  if (embedded && dsn.path.empty()) {
    Result<std::string> made = sql::temporary_folder("firebird");
    if (!made) return made.error();
    folder = *made;
    place.path = (folder / "isolde.fdb").string();
  }
  std::error_code ignored;
  const bool new_file = embedded && !std::filesystem::exists(place.path, ignored);
  auto database =
      std::make_unique<Firebird>(place, options, *layout, *manner, folder, new_file);
  Status started = database->start();
  if (!started) return started.error();
  return std::unique_ptr<Database>(std::move(database));
}

}  // namespace

const DatabaseInfo& firebird_info() {
  static const DatabaseInfo kInfo = {
      .name = "firebird",
      .summary = "Firebird, embedded or a server, through libfbclient",
      .dsn =
          "firebird:PATH or firebird://USER:PASSWORD@HOST:PORT/ALIAS, with ?wait=0&auto_undo=1"
          "&upsert=0&tables=1&for_update=0&index=0; without PATH in a temporary folder",
      .capabilities = {.sql = true,
                       .lists = true,
                       .compare_and_set = true,
                       .increments = true,
                       .rows = true,
                       .deletes_selected = true,
                       .indexes = true,
                       .computes = true,
                       .tables = true,
                       .aggregates = true,
                       .savepoints = true,
                       .tries_inserts = true,
                       .embedded = true},
      .isolations = kIsolations,
      .open = open,
      .shell = shell};
  return kInfo;
}

}  // namespace isolde::db
