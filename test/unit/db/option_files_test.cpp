#include "db/option_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace isolde::db {
namespace {

class OptionFiles : public testing::Test {
 protected:
  OptionFiles() {
    std::string pattern = testing::TempDir() + "option-files-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~OptionFiles() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  ClientOptions read(const std::string& text) const {
    return read_option_files({write("my.cnf", text)}).value();
  }

  std::filesystem::path folder_;
};

Dsn parsed(const char* text) { return parse_dsn(text).value(); }

TEST_F(OptionFiles, GroupsOfAllClientsAreReadAndTheLastWordCounts) {
  const ClientOptions options = read(
      "user=nobody\n# [client]\n[client]\n user = ann \nssl\n[mysqld]\nuser=daemon\n"
      "[client-server]\nsocket=/"
      "a\n[client-mariadb]\nuser=bob\n;port=1\n[mysql]\ndatabase=no\n");
  EXPECT_EQ(options, (ClientOptions{{"user", "bob"}, {"ssl", ""}, {"socket", "/a"}}));
}

TEST_F(OptionFiles, ValuesMayBeQuotedAndHaveEscapes) {
  const ClientOptions options = read(
      "[client]\na=\"x # y\" # z\nb='it\\'s'\nc=p\\sq\\\\r\nd=x#y\nloose_ssl_ca=/f\ne=\"\n");
  EXPECT_EQ(options, (ClientOptions{{"a", "x # y"},
                                    {"b", "it's"},
                                    {"c", "p q\\r"},
                                    {"d", "x"},
                                    {"e", "\""},
                                    {"ssl-ca", "/f"}}));
}

TEST_F(OptionFiles, OthersAreIncluded) {
  std::filesystem::create_directory(folder_ / "d");
  write("d/2.cnf", "[client]\nuser=two\n");
  write("d/1.cnf", "[client]\nuser=one\nport=1\n");
  write("d/3.txt", "[client]\nuser=three\n");
  const std::string mine = folder_ / "my.cnf";
  const ClientOptions options =
      read("!includedir " + (folder_ / "d").string() + "\n!include " + mine + "\n");
  EXPECT_EQ(options, (ClientOptions{{"user", "two"}, {"port", "1"}}));
}

TEST_F(OptionFiles, WhatIsNotThereOrOfAllIsRefused) {
  EXPECT_EQ(read_option_files({folder_ / "none"}).error().code, ErrorCode::kUsage);
  EXPECT_FALSE(read_option_files({folder_}).ok());
  const std::string path = write("my.cnf", "[client]\npassword=s3cret\n");
  chmod(path.c_str(), 0666);
  const Result<ClientOptions> read = read_option_files({path});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "option file " + path + " is writable for all users");
}

TEST(ClientOptionsTest, FillWhatTheDataSourceNameLeavesOpen) {
  const ClientOptions options = {{"host", "db"},         {"port", "4711"},  {"user", "bob"},
                                 {"password", "s3cret"}, {"database", "x"}, {"ssl-ca", "/ca"}};
  const Dsn all = with_client_options(parsed("mariadb:"), options);
  EXPECT_EQ(all.display(), "mariadb://bob@db:4711/x?sslrootcert=/ca");
  EXPECT_EQ(all.password, "s3cret");
  const Dsn slashes = with_client_options(parsed("mariadb:///y"), options);
  EXPECT_EQ(slashes.display(), "mariadb://bob@db:4711/y?sslrootcert=/ca");
  const Dsn other = with_client_options(parsed("mariadb://ann@b/y?sslmode=disable"), options);
  EXPECT_EQ(other.display(), "mariadb://ann@b/y?sslmode=disable");
  EXPECT_EQ(other.password, "s3cret");
  EXPECT_EQ(with_client_options(parsed("mariadb://ann:@b/y"), options).password, "");
  EXPECT_EQ(with_client_options(parsed("mariadb://ann:z@b/y"), options).password, "z");
}

TEST(ClientOptionsTest, ChooseASocketAsTheClientsDo) {
  const auto server = [](ClientOptions options) {
    return with_client_options(parsed("mariadb:///x"), options).display();
  };
  EXPECT_EQ(server({{"port", "1"}}), "mariadb:///x");
  EXPECT_EQ(server({{"socket", "/s"}, {"port", "1"}, {"ssl-ca", "/ca"}}), "mariadb://%2Fs/x");
  EXPECT_EQ(server({{"socket", "/s"}, {"host", "localhost"}}), "mariadb://%2Fs/x");
  EXPECT_EQ(server({{"socket", "/s"}, {"host", "db"}}), "mariadb://db:3306/x");
  EXPECT_EQ(server({{"socket", "/s"}, {"protocol", "tcp"}}), "mariadb://localhost:3306/x");
}

TEST(ClientOptionsTest, NeverWeakenTheEncryptionThatIsAskedFor) {
  const auto mode = [](const char* dsn, ClientOptions options) {
    const Dsn dsn_now = with_client_options(parsed(dsn), options);
    const auto found = dsn_now.parameters.find("sslmode");
    return found == dsn_now.parameters.end() ? std::string() : found->second;
  };
  constexpr const char* kOpen = "mariadb://b/y";
  EXPECT_EQ(mode(kOpen, {{"ssl", ""}}), "require");
  EXPECT_EQ(mode(kOpen, {{"ssl", "1"}, {"ssl-verify-server-cert", ""}}), "verify-full");
  EXPECT_EQ(mode(kOpen, {{"ssl-ca", "/ca"}}), "");  // as with the parameter: verify-full
  EXPECT_EQ(mode(kOpen, {{"ssl-ca", "/ca"}, {"ssl-verify-server-cert", "0"}}), "require");
  EXPECT_EQ(mode(kOpen, {{"ssl", ""}, {"skip-ssl", ""}}), "");
  EXPECT_EQ(mode(kOpen, {{"ssl", "OFF"}}), "");
  EXPECT_EQ(mode("mariadb://b/y?sslmode=verify-full",
                 {{"ssl-ca", "/ca"}, {"ssl-verify-server-cert", "0"}}),
            "verify-full");
  EXPECT_EQ(mode("mariadb://b/y?sslrootcert=/c",
                 {{"ssl", ""}, {"disable-ssl-verify-server-cert", ""}}),
            "");
}

}  // namespace
}  // namespace isolde::db
