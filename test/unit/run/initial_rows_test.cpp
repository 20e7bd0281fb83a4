// Goal: the rows that a workload begins with are on record as a transaction that wrote them,
// before anybody can read them.
#include "run/initial_rows.hpp"

#include <gtest/gtest.h>

#include "unit/io/temporary_folder.hpp"

namespace isolde::run {
namespace {

class Inserts final : public db::Session {
 public:
  explicit Inserts(db::Reply reply) : reply_(std::move(reply)) {}
  db::Reply begin() override { return {}; }
  db::Reply read(db::Key, std::optional<std::int64_t>&) override { return {}; }
  db::Reply write(db::Key, std::int64_t) override { return {}; }
  db::Reply insert_row(const table::Request&, std::int64_t) override { return reply_; }
  db::Reply commit() override { return {}; }
  db::Reply rollback() override { return {}; }

 private:
  db::Reply reply_;
};

class Shop final : public db::Database {
 public:
  std::string version() const override { return "shop 1"; }
  Status create(std::span<const db::Key>, std::span<const db::Key>) override {
    return ok_status();
  }
  Result<std::unique_ptr<db::Session>> connect(std::uint32_t) override {
    return std::unique_ptr<db::Session>(std::make_unique<Inserts>(reply));
  }
  Status destroy() override { return ok_status(); }

  db::Reply reply;
};

struct Inserted {
  Status done = ok_status();
  std::string history;
};

Inserted insert(const char* workload, std::uint64_t keys, const db::Reply& reply) {
  const io::TemporaryFolder folder;
  gen::WorkloadOptions options = gen::default_options(gen::Workload(workload));
  options.keys = keys;
  const gen::Planner planner(options);
  RecorderOptions about;
  about.deletes = true;
  auto recorder = Recorder::open(folder.path("h"), about);
  EXPECT_TRUE(recorder.ok());
  Shop shop;
  shop.reply = reply;
  Inserted run;
  run.done = insert_initial_rows(shop, planner, **recorder);
  EXPECT_TRUE((*recorder)->close().ok());
  run.history = folder.get("h");
  return run;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

TEST(InitialRows, AreWrittenOnRecord) {
  const Inserted run = insert("inventory", 2, {});
  EXPECT_TRUE(run.done.ok());
  EXPECT_NE(run.history.find(R"({"session":"initial",)"), std::string::npos);
  EXPECT_NE(run.history.find(R"(["r",1,null],["w",1,{"stamp":2,"qty":10,"reserved":0}])"),
            std::string::npos)
      << run.history;
}

TEST(InitialRows, ComeInTransactionsOfBoundedSize) {
  const Inserted run = insert("inventory", 1100, {});
  EXPECT_EQ(count(run.history, R"("session":"initial")"), 3U);
  EXPECT_EQ(count(run.history, R"(["w",)"), 1100U);
}

TEST(InitialRows, AreNotThereWhenTheDatabaseRefuses) {
  const Inserted run = insert("inventory", 2, {db::Outcome::kAborted, true, "no room"});
  ASSERT_FALSE(run.done.ok());
  EXPECT_EQ(run.done.error().message, "inserting the first rows: no room");
  EXPECT_EQ(count(run.history, R"("status":"aborted")"), 1U);
}

TEST(InitialRows, AreFewWhereWorkloadsHaveNone) {
  const Inserted run = insert("bank", 5, {});
  EXPECT_TRUE(run.done.ok());
  EXPECT_EQ(count(run.history, "session"), 0U);
}

}  // namespace
}  // namespace isolde::run
