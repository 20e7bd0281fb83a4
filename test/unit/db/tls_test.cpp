// Goal: what a data source name asks for in the way of encryption. Method: names, and files
// that are there, empty or not there.
#include "db/tls.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace isolde::db {
namespace {

class TlsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/file") << "x";
    std::ofstream(folder_ + "/empty").flush();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// DIR stands for the folder.
  Result<Tls> of(std::string parameters, Tls::Mode otherwise = Tls::Mode::kOff) const {
    for (std::size_t at; (at = parameters.find("DIR")) != std::string::npos;) {
      parameters.replace(at, 3, folder_);
    }
    const Result<Dsn> dsn = parse_dsn("redis://host" + parameters);
    EXPECT_TRUE(dsn);
    return tls_of(*dsn, otherwise);
  }
  std::string error_of(const std::string& parameters) const {
    const Result<Tls> tls = of(parameters);
    EXPECT_FALSE(tls) << parameters;
    if (tls) return {};
    EXPECT_EQ(tls.error().code, ErrorCode::kUsage);
    return tls.error().message;
  }

  std::string folder_ = testing::TempDir() + "isolde-tls-" + std::to_string(getpid());
};

TEST_F(TlsTest, IsOffUnlessAskedFor) {
  EXPECT_FALSE(of("")->is_on());
  EXPECT_EQ(of("", Tls::Mode::kVerifyFull)->mode, Tls::Mode::kVerifyFull);
  EXPECT_FALSE(of("?sslmode=disable", Tls::Mode::kVerifyFull)->is_on());
}

// Who names an authority and no mode does not mean a connection that anybody can read.
TEST_F(TlsTest, AFileAsksForAllThereIs) {
  EXPECT_EQ(of("?sslrootcert=DIR/file")->mode, Tls::Mode::kVerifyFull);
  EXPECT_EQ(of("?sslcert=DIR/file&sslkey=DIR/file")->mode, Tls::Mode::kVerifyFull);
  EXPECT_EQ(of("?sslrootcert=DIR/file&sslmode=verify-ca")->mode, Tls::Mode::kVerifyCa);
  EXPECT_EQ(of("?sslmode=require")->mode, Tls::Mode::kRequire);
}

TEST_F(TlsTest, TellsWhatIsWrong) {
  EXPECT_EQ(error_of("?sslmode=on"),
            "sslmode 'on' is none of disable, require, verify-ca, verify-full");
  EXPECT_EQ(error_of("?sslrootcert=DIR/none"),
            "sslrootcert: " + folder_ + "/none: No such file or directory");
  EXPECT_EQ(error_of("?sslrootcert=DIR/empty"), "sslrootcert: " + folder_ + "/empty: is empty");
  EXPECT_EQ(error_of("?sslcert=DIR/file"),
            "sslcert and sslkey come together: a certificate and its key");
  EXPECT_EQ(error_of("?sslkey=DIR/file"), error_of("?sslcert=DIR/file"));
}

}  // namespace
}  // namespace isolde::db
