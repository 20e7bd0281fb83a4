#include "run/initial_rows.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "run/recorded_ops.hpp"
#include "run/recorded_tables.hpp"

namespace isolde::run {
namespace {

constexpr std::size_t kRowsInOneTxn = 500;

db::Reply insert(db::Session& session, RecordedTables& tables,
                 std::span<const gen::InitialRow> rows) {
  db::Reply reply = session.begin();
  for (const gen::InitialRow& each : rows) {
    if (!reply.ok()) return reply;
    const table::Request request{
        .table = each.table, .id = each.row.id, .cells = each.row.cells};
    bool inserted = false;
    reply = tables.insert(session, request, each.row.stamp, inserted);
  }
  return reply.ok() ? session.commit() : reply;
}

}  // namespace

Status insert_initial_rows(db::Database& database, const gen::Planner& planner,
                           Recorder& recorder) {
  const std::vector<gen::InitialRow> all = planner.initial_rows();
  if (all.empty()) return ok_status();
  const Result<std::unique_ptr<db::Session>> session = database.connect(0);
  if (!session) return session.error();
  RecordedSession recorded = recorder.session("initial");
  recorded.server((*session)->server());
  RecordedOps ops(recorded);
  RecordedTables tables(recorded, planner.tables());
  std::span<const gen::InitialRow> rows = all;
  while (!rows.empty()) {
    const std::size_t count = std::min(rows.size(), kRowsInOneTxn);
    recorded.begin();
    const db::Reply reply = insert(**session, tables, rows.first(count));
    ops.end(reply);
    if (!reply.ok()) {
      return Error{ErrorCode::kEnvironment, "inserting the first rows: " + reply.message};
    }
    rows = rows.subspan(count);
  }
  return ok_status();
}

}  // namespace isolde::run
