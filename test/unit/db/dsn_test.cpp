#include "db/dsn.hpp"

#include <gtest/gtest.h>

namespace isolde::db {
namespace {

Dsn parsed(std::string_view text) {
  const Result<Dsn> dsn = parse_dsn(text);
  if (dsn) return *dsn;
  ADD_FAILURE() << text << ": " << dsn.error().message;
  return {};
}

std::string error_of(std::string_view text) {
  const Result<Dsn> dsn = parse_dsn(text);
  if (dsn.ok()) return "no error";
  EXPECT_EQ(dsn.error().code, ErrorCode::kUsage);
  return dsn.error().message;
}

TEST(Dsn, SplitsAServersName) {
  const Dsn dsn = parsed("mariadb://me:secret@one:13306,two/base?sync_wait=1&upsert=0");
  EXPECT_EQ(dsn.scheme, "mariadb");
  EXPECT_EQ(dsn.user, "me");
  EXPECT_EQ(dsn.password, "secret");
  ASSERT_EQ(dsn.endpoints.size(), 2u);
  EXPECT_EQ(dsn.endpoints[0].host, "one");
  EXPECT_EQ(dsn.endpoints[0].port, 13306);
  EXPECT_EQ(dsn.endpoints[1].host, "two");
  EXPECT_EQ(dsn.endpoints[1].port, 0);
  EXPECT_EQ(dsn.path, "base");
  EXPECT_EQ(dsn.parameters.at("sync_wait"), "1");
  EXPECT_EQ(dsn.parameters.at("upsert"), "0");
}

TEST(Dsn, SplitsAPath) {
  EXPECT_EQ(parsed("sqlite:").path, "");
  EXPECT_EQ(parsed("sqlite:a/b.db").path, "a/b.db");
  const Dsn dsn = parsed("sqlite:/tmp/x%3fy.db?journal=wal");
  EXPECT_EQ(dsn.path, "/tmp/x?y.db");
  EXPECT_TRUE(dsn.endpoints.empty());
  EXPECT_EQ(dsn.parameters.at("journal"), "wal");
}

TEST(Dsn, TakesSocketsAndAddressesAsHosts) {
  EXPECT_EQ(parsed("postgres://%2Frun%2Fpg:5433/d").endpoints[0].host, "/run/pg");
  const Endpoint address = parsed("etcd://[::1]:2379/").endpoints[0];
  EXPECT_EQ(address.host, "::1");
  EXPECT_EQ(address.port, 2379);
  EXPECT_EQ(parsed("etcd://[::1]/").endpoints[0].host, "::1");
}

TEST(Dsn, DecodesWhatWouldSeparate) {
  const Dsn dsn = parsed("postgres://a%40b:p%3A%2f%40@host/d");
  EXPECT_EQ(dsn.user, "a@b");
  EXPECT_EQ(dsn.password, "p:/@");
  EXPECT_EQ(dsn.endpoints[0].host, "host");
}

TEST(Dsn, ShowsAllButThePassword) {
  EXPECT_EQ(parsed("mariadb://me:secret@one:1,two/base?b=2&a=1").display(),
            "mariadb://me@one:1,two/base?a=1&b=2");
  EXPECT_EQ(parsed("sqlite:/tmp/x.db").display(), "sqlite:/tmp/x.db");
  EXPECT_EQ(parsed("redis://localhost").display(), "redis://localhost");
}

// Goal: what is shown names the same database, to be given again.
TEST(Dsn, ShowsWhatCanBeGivenAgain) {
  for (const char* const shown :
       {"postgres://me@%2Frun%2Fpg:5433/d", "redis://%2Frun%2Fredis.sock/1",
        "etcd://[::1]:2379", "etcd://[fe80::1%25eth0]",
        "postgres://a%40b%3A@h/d%3F%40%25?sslrootcert=/a%26b%40c=d", "sqlite:///tmp/x.db",
        "sqlite:/tmp/x.db", "sqlite:x@y%3F.db", "sqlite:x:y%40z.db", "mariadb://one,two:2/d",
        "rocksdb:"}) {
    const Dsn dsn = parsed(shown);
    EXPECT_EQ(dsn.display(), shown);
  }
  Dsn file = parsed("sqlite:///tmp/x.db");
  file.take_third_slash();
  EXPECT_EQ(file.path, "/tmp/x.db");
  EXPECT_EQ(file.display(), "sqlite:/tmp/x.db");
}

// Goal: a scheme is the same in either case, and nothing else is.
TEST(Dsn, TakesSchemesInEitherCase) {
  const Dsn dsn = parsed("POSTGRES://Me:Secret@Host/Base?Index=1");
  EXPECT_EQ(dsn.scheme, "postgres");
  EXPECT_EQ(dsn.password, "Secret");
  EXPECT_EQ(dsn.display(), "postgres://Me@Host/Base?Index=1");
  EXPECT_EQ(parsed("Exec:Say HELLO").scheme, "exec");
  EXPECT_EQ(parsed("Exec:Say HELLO").path, "Say HELLO");
}

TEST(Dsn, TellsWhatIsWrong) {
  EXPECT_NE(error_of("nothing").find("has no scheme"), std::string::npos);
  EXPECT_NE(error_of(":x").find("has no scheme"), std::string::npos);
  for (const char* const port : {"http", "0", "65536"}) {
    EXPECT_NE(error_of("redis://host:" + std::string(port) + "/").find("the port is not"),
              std::string::npos)
        << port;
  }
  EXPECT_NE(error_of("sqlite:a%2").find("% in the path"), std::string::npos);
  EXPECT_NE(error_of("sqlite:a%zz").find("% in the path"), std::string::npos);
}

// Goal: a password that was not encoded as it has to be is not shown either.
TEST(Dsn, NeverShowsAPassword) {
  for (const char* const text :
       {"postgres://bob:s3cr3t/x@h", "postgres://bob:s3cr3t?x@h",
        "postgres://bob:s3cr3t:1@h:x/y", "s3cr3t", "postgres//bob:s3cr3t@h",
        "postgres://bob:%zzs3cr3t@h", "postgres://bob:s3cr3t:5432/x",
        "postgres://bob:12/s3cr3t@h/d", "postgres://bob:12?s3cr3t@h/d",
        "postgres://bob:s3@c/s3cr3t@h/d", "postgres://bob:s3@c?s3cr3t@h/d",
        "postgres://bob:s3@/s3cr3t@h/d", "firebird:bob:s3cr3t@h/d", "firebird:/bob:s3cr3t@h/d",
        "firebird:///bob:s3cr3t@h/d", "firebird:bob:12?s3cr3t@h/d"}) {
    const Result<Dsn> dsn = parse_dsn(text);
    const std::string shown = dsn ? dsn->display() : dsn.error().message;
    EXPECT_EQ(shown.find("s3cr3t"), std::string::npos) << shown;
  }
}

// Goal: what stands in a path and can be no password is taken as it is.
TEST(Dsn, TakesAPathWithAnAt) {
  EXPECT_EQ(parsed("sqlite:x/me@work/a:b.db").path, "x/me@work/a:b.db");
  EXPECT_EQ(parsed("sqlite:a:b%40c.db").path, "a:b@c.db");
  EXPECT_EQ(parsed("postgres://me:x@h/d%40e").path, "d@e");
}

TEST(Dsn, TakesACommandAsItIs) {
  const Dsn dsn = parsed("exec:python3 'my adapter.py' %41 a=b?c=d&e http://x@y");
  EXPECT_EQ(dsn.scheme, "exec");
  EXPECT_EQ(dsn.path, "python3 'my adapter.py' %41 a=b?c=d&e http://x@y");
  EXPECT_EQ(dsn.display(), "exec:python3 'my adapter.py' %41 a=b?c=d&e http://x@y");
}

// Goal: what libpq and ODBC take is told apart from a name, and from a file's.
TEST(Dsn, TellsPairsFromNames) {
  for (const char* const text : {"host=h user=u", " dbname = x", "Server=h;Database=d",
                                 "Data Source=h", "port=1 host=::1"}) {
    EXPECT_TRUE(is_keyword_form(text)) << text;
    EXPECT_NE(error_of(text).find("NAME=VALUE pairs"), std::string::npos) << text;
    EXPECT_NE(refuse_keywords(parsed("x:" + std::string(text))).ok(), true) << text;
  }
  EXPECT_FALSE(refuse_keywords(parsed("x://host=h user=u/d")).ok());
  EXPECT_FALSE(refuse_keywords(parsed("x:///user=u")).ok());
  for (const char* const text :
       {"x:a=b", "x:/host=h", "x://host/d=e", "x:host", "x:host?a=b"}) {
    EXPECT_TRUE(refuse_keywords(parsed(text)).ok()) << text;
  }
}

TEST(Dsn, ChecksParameters) {
  EXPECT_TRUE(check_parameters(parsed("x:?a=1&b=2"), {"a", "b", "c"}).ok());
  const Status bad = check_parameters(parsed("x:?a=1&d=2"), {"a", "b"});
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, ErrorCode::kUsage);
  EXPECT_EQ(bad.error().message, "x has no parameter 'd'; it has a, b");
  const Status close = check_parameters(parsed("x:?For-up=1"), {"upsert", "for_update"});
  ASSERT_FALSE(close.ok());
  EXPECT_EQ(close.error().message,
            "x has no parameter 'For-up' (did you mean for_update?); it has upsert, "
            "for_update");
  const Status none = check_parameters(parsed("x:?d=2"), {});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "x has no parameter 'd'");
}

TEST(Endpoint, IsToldAsServersTellIt) {
  EXPECT_EQ(address_text({"127.0.0.1", 5432}), "127.0.0.1:5432");
  EXPECT_EQ(address_text({"::1", 5432}), "[::1]:5432");
  EXPECT_EQ(address_text({"db1", 0}), "db1");
  EXPECT_EQ(address_text({"/run/redis.sock", 0}), "/run/redis.sock");
  EXPECT_EQ(address_text({}), "");
}

}  // namespace
}  // namespace isolde::db
