// Goal: a cluster's folder is new, empty, reachable for the server's user, and not too deep.
// Method: folders of each sort.
#include "server/folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace isolde::server {
namespace {

class FolderTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::string> made = make_cluster_folder("", std::nullopt);
    ASSERT_TRUE(made.ok());
    folder_ = made.value();
  }
  void TearDown() override { remove_all(folder_); }
  std::string folder_;
};

TEST_F(FolderTest, TemporaryFoldersCanBeEnteredByAll) {
  struct stat status {};
  ASSERT_EQ(stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0755U);
}

TEST_F(FolderTest, GivenFoldersAreMadeOrMustBeEmpty) {
  const std::string wanted = folder_ + "/a/b/";
  const Result<std::string> made = make_cluster_folder(wanted, std::nullopt);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(*made, folder_ + "/a/b");
  EXPECT_TRUE(make_cluster_folder(wanted, std::nullopt).ok());
  ASSERT_TRUE(write_file(*made + "/file", "text", std::nullopt).ok());
  const Result<std::string> again = make_cluster_folder(wanted, std::nullopt);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::kUsage);
  EXPECT_EQ(again.error().message,
            "the folder " + wanted + " is not empty; a new server needs a new folder");
  EXPECT_EQ(read_file(*made + "/file"), "text");
}

TEST_F(FolderTest, FilesAreNoFolders) {
  ASSERT_TRUE(write_file(folder_ + "/file", "", std::nullopt).ok());
  const Result<std::string> made = make_cluster_folder(folder_ + "/file/x", std::nullopt);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kEnvironment);
}

TEST_F(FolderTest, TooDeepForASocket) {
  const Result<std::string> made =
      make_cluster_folder(folder_ + "/" + std::string(80, 'x'), std::nullopt);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("too long for unix sockets"), std::string::npos);
}

TEST_F(FolderTest, TheServersUserMustGetThrough) {
  ASSERT_TRUE(make_folder(folder_ + "/closed", std::nullopt).ok());
  const Owner owner{"somebody", 12345, 12345};
  const Result<std::string> made = make_cluster_folder(folder_ + "/closed/data", owner);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message, "user somebody, which the server runs as, cannot enter " +
                                      folder_ + "/closed; choose a folder elsewhere");
  EXPECT_TRUE(make_cluster_folder(folder_ + "/open", owner).ok());
}

TEST_F(FolderTest, SubfoldersArePrivate) {
  const std::string path = folder_ + "/n1";
  ASSERT_TRUE(make_folder(path, std::nullopt).ok());
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  EXPECT_FALSE(make_folder(path, std::nullopt).ok());
  remove_all(path);
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace isolde::server
