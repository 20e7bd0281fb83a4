// Looks for changes that Firebird keeps although their transaction was rolled back. By itself,
// without Isolde: sessions append their own numbers to rows of text, and roll back when the
// database refuses an append. Right after a rollback the session looks whether its number is
// gone.
//
//     g++ -std=c++17 rollback.cpp -lfbclient -pthread && ./a.out FOLDER snapshot|read-committed
//
// With a third argument the transactions are NO AUTO UNDO. Exit code 1: something was kept.
#include <ibase.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kSessions = 6;
constexpr int kRows = 3;
constexpr int kTransactions = 20000;

using Status = std::array<ISC_STATUS, ISC_STATUS_LENGTH>;

bool failed(const Status& status) { return status[0] == 1 && status[1] != 0; }

void must(const Status& status, const char* what) {
  if (!failed(status)) return;
  std::array<char, 512> line{};
  const ISC_STATUS* at = status.data();
  fb_interpret(line.data(), line.size(), &at);
  std::fprintf(stderr, "%s: %s\n", what, line.data());
  std::exit(2);
}

/// A prepared statement with two whole numbers as parameters.
struct Statement {
  isc_stmt_handle handle = 0;
  std::array<ISC_INT64, 2> values{};
  ISC_INT64 result = 0;
  alignas(XSQLDA) std::array<char, XSQLDA_LENGTH(2)> in_area{};
  alignas(XSQLDA) std::array<char, XSQLDA_LENGTH(1)> out_area{};
  XSQLDA* in = reinterpret_cast<XSQLDA*>(in_area.data());
  XSQLDA* out = reinterpret_cast<XSQLDA*>(out_area.data());

  void prepare(isc_db_handle& database, isc_tr_handle& transaction, const char* text) {
    Status status{};
    in->version = out->version = SQLDA_VERSION1;
    in->sqln = 2;
    out->sqln = 1;
    isc_dsql_allocate_statement(status.data(), &database, &handle);
    isc_dsql_prepare(status.data(), &transaction, &handle, 0, text, 3, out);
    must(status, "prepare");
    isc_dsql_describe_bind(status.data(), &handle, 1, in);
    must(status, "describe");
    for (int i = 0; i < in->sqld; ++i) {
      XSQLVAR& variable = in->sqlvar[i];
      variable.sqltype = SQL_INT64;
      variable.sqllen = sizeof(ISC_INT64);
      variable.sqlscale = 0;
      variable.sqldata = reinterpret_cast<char*>(&values[static_cast<std::size_t>(i)]);
    }
    out->sqlvar[0].sqldata = reinterpret_cast<char*>(&result);
  }
  bool run(isc_tr_handle& transaction, long first, long second) {
    Status status{};
    values = {first, second};
    isc_dsql_execute(status.data(), &transaction, &handle, 1, in);
    if (failed(status)) return false;
    if (out->sqld > 0) {
      isc_dsql_fetch(status.data(), &handle, 1, out);
      must(status, "fetch");
      isc_dsql_free_statement(status.data(), &handle, DSQL_close);
    }
    return true;
  }
};

struct Session {
  isc_db_handle database = 0;
  isc_tr_handle transaction = 0;

  Session(const std::string& file, bool creates) {
    Status status{};
    // Version 1; the user SYSDBA; SQL dialect 3; no waiting for the disk.
    const std::string options("\x01\x1c\x06SYSDBA\x3f\x01\x03\x18\x01\x00", 15);
    const auto size = static_cast<short>(options.size());
    if (creates) {
      isc_create_database(status.data(), 0, file.c_str(), &database, size, options.data(), 0);
    } else {
      isc_attach_database(status.data(), 0, file.c_str(), &database, size, options.data());
    }
    must(status, "attach");
  }
  void begin(const std::string& how) {
    Status status{};
    const auto size = static_cast<unsigned short>(how.size());
    isc_start_transaction(status.data(), &transaction, 1, &database, size, how.data());
    must(status, "begin");
  }
  void end(bool commits) {
    Status status{};
    if (commits) {
      isc_commit_transaction(status.data(), &transaction);
    } else {
      isc_rollback_transaction(status.data(), &transaction);
    }
    must(status, commits ? "commit" : "rollback");
  }
  void once(const std::string& how, const std::string& text) {
    Status status{};
    begin(how);
    isc_dsql_execute_immediate(status.data(), &database, &transaction, 0, text.c_str(), 3,
                               nullptr);
    must(status, text.c_str());
    end(true);
  }
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const std::string file = std::string(arguments[1]) + "/rollback.fdb";
  std::string how = {isc_tpb_version3, isc_tpb_write, isc_tpb_nowait};
  if (std::string(arguments[2]) == "snapshot") {
    how += isc_tpb_concurrency;
  } else {
    how += {isc_tpb_read_committed, isc_tpb_rec_version};
  }
  if (count > 3) how += isc_tpb_no_auto_undo;

  Session first(file, true);
  first.once(how,
             "CREATE TABLE t (k BIGINT NOT NULL PRIMARY KEY, "
             "v VARCHAR(32000) CHARACTER SET ASCII)");
  for (int row = 0; row < kRows; ++row) {
    first.once(how, "INSERT INTO t VALUES (" + std::to_string(row) + ", '')");
  }

  std::atomic<int> left(kTransactions), commits(0), rollbacks(0), kept(0);
  const auto work = [&](int number) {
    Session session(file, false);
    Statement append, look;
    session.begin(how);
    append.prepare(session.database, session.transaction,
                   "UPDATE t SET v = v || ',' || CAST(? AS BIGINT) WHERE k = ?");
    look.prepare(session.database, session.transaction,
                 "SELECT COUNT(*) FROM t WHERE v LIKE '%,' || CAST(? AS BIGINT) AND k = ?");
    session.end(true);
    std::mt19937 random(static_cast<unsigned>(number));
    long next = number;
    while (left.fetch_sub(1) > 0) {
      session.begin(how);
      std::vector<std::pair<long, long>> done;
      bool refused = false;
      const auto most = 1 + random() % 3;
      while (!refused && done.size() < most) {
        const auto row = static_cast<long>(random() % kRows);
        next += kSessions;
        refused = !append.run(session.transaction, next, row);
        if (!refused) done.emplace_back(next, row);
      }
      session.end(!refused);
      ++(refused ? rollbacks : commits);
      if (!refused || done.empty()) continue;
      session.begin(how);
      look.run(session.transaction, done.back().first, done.back().second);
      if (look.result > 0) ++kept;
      session.end(true);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kSessions; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  std::printf("%d commits, %d rollbacks, %d of them kept a change\n", commits.load(),
              rollbacks.load(), kept.load());
  std::fflush(stdout);
  std::quick_exit(kept > 0 ? 1 : 0);
}
