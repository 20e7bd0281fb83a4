// Goal: what a database answers is on record as it came, also where a scan returned a row
// twice. Method: a session that answers so, which the databases at hand do by chance only.
#include "run/recorded_ops.hpp"

#include <gtest/gtest.h>

#include "io/reader.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::run {
namespace {

/// Finds row 4 in two places, with a version in each.
class Scan : public db::Session {
 public:
  db::Reply begin() override { return {}; }
  db::Reply read(db::Key, std::optional<std::int64_t>&) override { return {}; }
  db::Reply write(db::Key, std::int64_t) override { return {}; }
  db::Reply select(const db::Condition&, std::vector<db::Row>& rows) override {
    rows = {{9, 90}, {4, 41}, {4, 40}};
    return {};
  }
  db::Reply remove(const db::Condition& condition, std::vector<db::Row>& removed) override {
    return select(condition, removed);
  }
  db::Reply commit() override { return {}; }
  db::Reply rollback() override { return {}; }
};

TEST(RecordedOps, ARowThatComesTwiceIsReadTwiceAndDeletedOnce) {
  const io::TemporaryFolder folder;
  RecorderOptions options;
  options.deletes = true;
  auto recorder = Recorder::open(folder.path("h"), options);
  ASSERT_TRUE(recorder.ok());
  RecordedSession recorded = (*recorder)->session("a");
  RecordedOps ops(recorded);
  Scan scan;
  std::vector<db::Row> rows;
  const auto name = [](db::Key key) { return RecordedValue(key); };
  recorded.begin();
  EXPECT_TRUE(ops.select(scan, {}, name, rows).ok());
  EXPECT_TRUE(ops.remove(scan, {}, name, rows).ok());
  ops.end({});
  ASSERT_TRUE((*recorder)->close().ok());
  const std::string rows_text = R"(["select",{},[[4,41],[4,40],[9,90]]])";
  const std::string text = folder.get("h");
  EXPECT_NE(text.find("[" + rows_text + "," + rows_text + R"(,["delete",4],["delete",9]])"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace isolde::run
