#include "watch/webhook.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace isolde::watch {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Webhook, PartsOfAUrl) {
  const Result<WebhookUrl> url = parse_webhook("https://example.org:8443/a/b?c=d#e");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->origin, "https://example.org:8443");
  EXPECT_EQ(url->path, "/a/b?c=d");
  EXPECT_EQ(parse_webhook("http://[::1]:80")->origin, "http://[::1]:80");
  EXPECT_EQ(parse_webhook("http://h")->path, "/");
  EXPECT_EQ(parse_webhook("http://h?x=/y")->path, "/?x=/y");
  for (const char* const text :
       {"", "example.org", "ftp://h/", "http://", "http:///x", "https://user:secret@h/",
        "http://h/a b", "http://h/\r\nX: y"}) {
    const Result<WebhookUrl> wrong = parse_webhook(text);
    ASSERT_FALSE(wrong.ok()) << text;
    EXPECT_EQ(wrong.error().message.find("secret"), std::string::npos);
  }
}

/// What the service answers in turn, and what it got.
struct Service {
  std::vector<int> answers;
  std::vector<std::string> got;
  Webhook::Post post() {
    return [this](const std::string& body, std::string& error) {
      got.push_back(body);
      error = "nobody is there";
      return got.size() <= answers.size() ? answers[got.size() - 1] : 200;
    };
  }
};

TEST(Webhook, SendsInOrder) {
  Service service;
  Webhook hook(service.post(), milliseconds(1));
  hook.send("a");
  hook.send("b");
  EXPECT_TRUE(hook.finish(seconds(30)).ok());
  EXPECT_EQ(service.got, (std::vector<std::string>{"a", "b"}));
}

TEST(Webhook, TriesAgainWhereThatMayHelp) {
  Service service{{0, 503, 429}, {}};
  Webhook hook(service.post(), milliseconds(1));
  hook.send("a");
  EXPECT_TRUE(hook.finish(seconds(30)).ok());
  EXPECT_EQ(service.got.size(), 4U);
}

TEST(Webhook, GivesUp) {
  Service service{{500, 500, 500, 0}, {}};
  Webhook hook(service.post(), milliseconds(1));
  hook.send("a");
  hook.send("b");
  const Status done = hook.finish(seconds(30));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, "1 message to the webhook not sent: nobody is there");
  EXPECT_EQ(service.got.size(), 5U);
}

TEST(Webhook, WhatIsRefusedStaysRefused) {
  for (const int status : {301, 400, 404}) {
    Service service{{status}, {}};
    Webhook hook(service.post(), milliseconds(1));
    hook.send("a");
    EXPECT_EQ(hook.finish(seconds(30)).error().message,
              "1 message to the webhook not sent: the answer was " + std::to_string(status));
    EXPECT_EQ(service.got.size(), 1U);
  }
}

TEST(Webhook, NeverWaitsAndKeepsFew) {
  std::atomic<bool> goes_on{false};
  Webhook hook(
      [&](const std::string&, std::string&) {
        while (!goes_on) std::this_thread::sleep_for(milliseconds(1));
        return 200;
      },
      milliseconds(1));
  for (int i = 0; i < 200; ++i) hook.send("a");
  ASSERT_FALSE(hook.finish(milliseconds(10)).ok());
  goes_on = true;
  const Status done = hook.finish(seconds(30));
  // Of those that were dropped; one may have been on its way before the others came.
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().message.find("13"), std::string::npos) << done.error().message;
  EXPECT_NE(done.error().message.find("too many"), std::string::npos);
}

TEST(Webhook, EndsWhileItPauses) {
  Service service{{500}, {}};
  const auto begin = std::chrono::steady_clock::now();
  {
    Webhook hook(service.post(), seconds(60));
    hook.send("a");
    ASSERT_FALSE(hook.finish(milliseconds(50)).ok());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(30));
}

}  // namespace
}  // namespace isolde::watch
