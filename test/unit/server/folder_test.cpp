// Goal: a cluster's folder is new, empty, reachable for the server's user, and not too deep.
// Method: folders of each sort.
#include "server/folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

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

unsigned mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777U;
}

TEST_F(FolderTest, TemporaryFoldersArePrivate) { EXPECT_EQ(mode_of(folder_), 0700U); }

TEST_F(FolderTest, TheServersUserMayOnlyPassThrough) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make folders for somebody else";
  const Result<std::string> made = make_cluster_folder("", Owner{"somebody", 12345, 12346});
  ASSERT_TRUE(made.ok()) << made.error().message;
  struct stat status {};
  ASSERT_EQ(stat(made->c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0710U);
  EXPECT_EQ(status.st_uid, 0U);
  EXPECT_EQ(status.st_gid, 12346U);
  remove_all(*made);
}

TEST_F(FolderTest, FilesArePrivateAlsoWhereTheyReplaceOthers) {
  const std::string path = folder_ + "/file";
  ASSERT_TRUE(write_file(path, "a program", std::nullopt, FileKind::kProgram).ok());
  EXPECT_EQ(mode_of(path), 0700U);
  ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  ASSERT_TRUE(write_file(path, "text", std::nullopt).ok());
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(read_file(path), "text");
}

// A server's user could make us write elsewhere.
TEST_F(FolderTest, LinksAreNotFollowedWhereAFileIsWritten) {
  ASSERT_TRUE(write_file(folder_ + "/other", "other", std::nullopt).ok());
  std::filesystem::create_symlink(folder_ + "/other", folder_ + "/file");
  EXPECT_FALSE(write_file(folder_ + "/file", "text", std::nullopt).ok());
  EXPECT_EQ(read_file(folder_ + "/other"), "other");
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
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
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
