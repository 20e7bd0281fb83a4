// Goal: each key is another, its certificate is believed by those who know this certificate, at
// any time, and by nobody else. Method: the program of OpenSSL.
#include "server/key_pair.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "server/folder.hpp"

namespace isolde::server {
namespace {

TEST(KeyPair, ItsCertificateIsItsOwnAuthority) {
  const Result<KeyPair> a = make_key_pair();
  const Result<KeyPair> b = make_key_pair();
  if (!a) GTEST_SKIP() << a.error().message;
  ASSERT_TRUE(b.ok());
  EXPECT_NE(a->key, b->key);
  const Result<std::string> folder = make_cluster_folder("", std::nullopt);
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(write_file(*folder + "/a.key", a->key, std::nullopt).ok());
  ASSERT_TRUE(write_file(*folder + "/a.pem", a->certificate, std::nullopt).ok());
  ASSERT_TRUE(write_file(*folder + "/b.pem", b->certificate, std::nullopt).ok());
  const auto good = [&](const std::string& arguments) {
    const std::string command =
        "cd " + *folder + " && openssl " + arguments + " > /dev/null 2>&1";
    return std::system(command.c_str()) == 0;
  };
  const std::string strict = "verify -x509_strict -no-CApath -no-CAstore -CAfile ";
  for (const char* const second : {"1", "1800000000", "9999999999"}) {
    const std::string then = strict + "a.pem -attime " + second;
    EXPECT_TRUE(good(then + " a.pem")) << second;
    EXPECT_FALSE(good(then + " b.pem")) << second;
  }
  EXPECT_TRUE(good("pkey -in a.key -pubout -out a.pub"));
  EXPECT_TRUE(good("x509 -in a.pem -pubkey -noout | cmp - a.pub"));
  remove_all(*folder);
}

}  // namespace
}  // namespace isolde::server
