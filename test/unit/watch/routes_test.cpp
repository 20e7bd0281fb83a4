#include "watch/routes.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>

namespace isolde::watch {
namespace {

constexpr const char* kToken = "correct-horse-battery";

struct RoutesTest : testing::Test {
  Board board{"a.isob", "strict-serializable", [] { return std::int64_t{5'000'000'000}; }};

  int status(const Access& access, const HttpRequest& request) {
    return Routes(board, access).answer(request).status;
  }
  HttpAnswer get(const std::string& path) {
    return Routes(board, {}).answer({path, "localhost:1", ""});
  }
};

TEST_F(RoutesTest, AnswersByPath) {
  EXPECT_EQ(get("/").type, "text/html; charset=utf-8");
  EXPECT_NE(get("/").body.find("connect-src 'self'"), std::string::npos);
  EXPECT_EQ(get("/metrics").type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(get("/status.json").body.front(), '{');
  EXPECT_EQ(get("/healthz").body, "ok\n");
  EXPECT_EQ(get("/violation").status, 404);
  for (const char* const path : {"", "//", "/metrics/", "/../etc/passwd", "/index.html"}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
}

TEST_F(RoutesTest, ViolationIsAPageOrAText) {
  board.find(Found{2, "the text", ""});
  board.end("violated", "");
  EXPECT_EQ(get("/violation").body, "the text");
  EXPECT_EQ(get("/violation").type, "text/plain; charset=utf-8");
  board.find(Found{2, "the text", "<html>"});
  board.end("violated", "");
  EXPECT_EQ(get("/violation").body, "<html>");
  EXPECT_EQ(get("/violation").type, "text/html; charset=utf-8");
}

TEST_F(RoutesTest, EventsAreAllAndThenNews) {
  board.sample();
  const HttpAnswer answer = get("/events");
  ASSERT_TRUE(answer.more);
  std::string part;
  EXPECT_TRUE(answer.more(part));
  EXPECT_TRUE(part.starts_with("event: all\ndata: {"));
  EXPECT_TRUE(part.ends_with("}\n\n"));
  board.sample();
  part.clear();
  EXPECT_TRUE(answer.more(part));
  EXPECT_TRUE(part.starts_with("event: now\ndata: {"));
  board.close();
  part.clear();
  EXPECT_FALSE(answer.more(part));
  EXPECT_EQ(part, "");
}

TEST_F(RoutesTest, OtherPagesCannotReadAlong) {
  EXPECT_EQ(status({}, {"/metrics", "127.0.0.1:9464", ""}), 200);
  EXPECT_EQ(status({}, {"/metrics", "evil.example:9464", ""}), 421);
  EXPECT_EQ(status({}, {"/healthz", "", ""}), 421);
  EXPECT_EQ(status({"", false}, {"/metrics", "db1.example:9464", ""}), 200);
}

TEST_F(RoutesTest, TokenAsBearerOrPassword) {
  const Access access{kToken, false};
  const auto with = [&](const std::string& header) {
    return status(access, {"/status.json", "db1.example", header});
  };
  EXPECT_EQ(with(std::string("Bearer ") + kToken), 200);
  // anyone:correct-horse-battery, :correct-horse-battery
  EXPECT_EQ(with("Basic YW55b25lOmNvcnJlY3QtaG9yc2UtYmF0dGVyeQ=="), 200);
  EXPECT_EQ(with("Basic OmNvcnJlY3QtaG9yc2UtYmF0dGVyeQ=="), 200);
  for (const std::string header :
       {"", "Bearer ", "Bearer correct-horse-batter", "Bearer correct-horse-battery2",
        "Bearer Correct-horse-battery", "correct-horse-battery",
        "Basic Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5", "Basic ????", "Basic "}) {
    EXPECT_EQ(with(header), 401) << header;
  }
  for (const char* const path : {"/", "/metrics", "/events", "/violation", "/x"}) {
    EXPECT_EQ(status(access, {path, "db1.example", ""}), 401) << path;
  }
  EXPECT_EQ(status(access, {"/healthz", "db1.example", ""}), 200);
}

TEST(Token, IsSecretAndLongEnough) {
  const std::string path = testing::TempDir() + "token";
  const auto written = [&](const std::string& text, mode_t mode) {
    std::ofstream(path) << text;
    chmod(path.c_str(), mode);
    return read_token(path);
  };
  EXPECT_EQ(*written("0123456789abcdef\r\nmore\n", 0600), "0123456789abcdef");
  EXPECT_EQ(*written("0123456789abcdef", 0640), "0123456789abcdef");
  EXPECT_EQ(written("0123456789abcdef\n", 0644).error().code, ErrorCode::kUsage);
  EXPECT_EQ(written("0123456789abcde\n", 0600).error().code, ErrorCode::kUsage);
  std::remove(path.c_str());
  EXPECT_EQ(read_token(path).error().code, ErrorCode::kEnvironment);
}

}  // namespace
}  // namespace isolde::watch
