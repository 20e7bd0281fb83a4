#include "db/own_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

namespace isolde::db {
namespace {

namespace fs = std::filesystem;

class OwnFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "isolde-folder-XXXXXX";
    base_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(base_); }

  OwnFolder at(const std::string& name, const std::string& database = "lmdb") const {
    Result<OwnFolder> folder = OwnFolder::at(name.empty() ? "" : base_ + "/" + name, database);
    EXPECT_TRUE(folder.ok()) << folder.error().message;
    return std::move(*folder);
  }

  std::string base_;
};

TEST_F(OwnFolderTest, TemporaryOnesGoWithTheObject) {
  std::string path;
  {
    OwnFolder folder = at("");
    path = folder.path();
    EXPECT_TRUE(folder.temporary());
    EXPECT_FALSE(folder.marked());
    EXPECT_TRUE(folder.claim().ok());
    std::ofstream(path + "/data") << "x";
    const OwnFolder moved = std::move(folder);
    EXPECT_TRUE(moved.marked());
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(OwnFolderTest, NamedOnesStayUntilReleased) {
  { EXPECT_TRUE(at("a/b").claim().ok()); }
  OwnFolder folder = at("a/b");
  EXPECT_TRUE(folder.marked());
  EXPECT_TRUE(folder.claim().ok());
  EXPECT_TRUE(folder.release().ok());
  EXPECT_FALSE(fs::exists(base_ + "/a/b"));
}

TEST_F(OwnFolderTest, OthersAreRefused) {
  fs::create_directory(base_ + "/full");
  std::ofstream(base_ + "/full/theirs") << "x";
  OwnFolder folder = at("full");
  EXPECT_FALSE(folder.marked());
  const Status refused = folder.claim();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_FALSE(OwnFolder::at(base_ + "/full/theirs", "lmdb").ok());
  // So are folders of another database of ours.
  EXPECT_TRUE(at("rocks", "rocksdb").claim().ok());
  EXPECT_FALSE(at("rocks").claim().ok());
}

}  // namespace
}  // namespace isolde::db
