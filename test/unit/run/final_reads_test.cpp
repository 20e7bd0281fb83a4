// Goal: after a run each key that it began with is read once more by each session asked for,
// and a database that has gone harms nothing. Method: SQLite in this process.
#include "run/final_reads.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/budget.hpp"
#include "io/reader.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::run {
namespace {

History history_of(gen::Workload workload, std::size_t sessions, std::uint64_t keys) {
  const io::TemporaryFolder folder;
  const std::string path = folder.path() + "/history.jsonl";
  gen::WorkloadOptions options = gen::default_options(workload);
  options.keys = keys;
  gen::Planner planner(options);
  Result<std::unique_ptr<db::Database>> database = db::open_database("sqlite:", {});
  EXPECT_TRUE(database.ok());
  EXPECT_TRUE((*database)->create(planner.initial_keys(), planner.initial_lists()).ok());
  Result<std::unique_ptr<Recorder>> recorder = Recorder::open(path);
  EXPECT_TRUE(recorder.ok());
  read_finally(**database, planner, **recorder, sessions);
  EXPECT_TRUE((*recorder)->close().ok());
  base::Budget budget;
  Result<History> history = io::read_history(path, "native", budget);
  EXPECT_TRUE(history.ok()) << history.error().message;
  return std::move(history).value();
}

TEST(FinalReads, ReadEachKeyInEachSession) {
  for (const gen::Workload workload :
       {gen::Workload("mini"), gen::Workload("list-append"), gen::Workload("long-fork")}) {
    const History history = history_of(workload, 3, 10);
    EXPECT_EQ(history.session_count(), 3U);
    // Groups of the long fork have three keys each.
    const std::size_t keys = workload == gen::Workload("long-fork") ? 30 : 10;
    EXPECT_EQ(history.op_count(), 3 * keys);
    EXPECT_EQ(history.txn_count(), 3 * ((keys + 7) / 8));
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      EXPECT_EQ(history.status(TxnId::at(i)), TxnStatus::kCommitted);
    }
  }
}

TEST(FinalReads, EndAfterSomeHundredKeys) {
  EXPECT_EQ(history_of(gen::Workload("mini"), 1, 5000).op_count(), 256U);
}

/// Its sessions get no connection.
class Gone : public db::Database {
 public:
  std::string version() const override { return "none"; }
  Status create(std::span<const db::Key>, std::span<const db::Key>) override {
    return ok_status();
  }
  Result<std::unique_ptr<db::Session>> connect(std::uint32_t) override {
    return Error{ErrorCode::kEnvironment, "gone"};
  }
  Status destroy() override { return ok_status(); }
};

TEST(FinalReads, LeaveOutWhatIsGone) {
  const io::TemporaryFolder folder;
  Gone database;
  gen::Planner planner(gen::default_options(gen::Workload("mini")));
  Result<std::unique_ptr<Recorder>> recorder = Recorder::open(folder.path() + "/h.jsonl");
  ASSERT_TRUE(recorder.ok());
  read_finally(database, planner, **recorder, 3);
  EXPECT_TRUE((*recorder)->close().ok());
}

}  // namespace
}  // namespace isolde::run
