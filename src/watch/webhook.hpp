// Messages to a service of the user's. A thread of their own sends them, so that whoever has
// one to send never waits for the network.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "isolde/status.hpp"

namespace isolde::watch {

/// Of a URL what is needed to post to it.
struct WebhookUrl {
  std::string origin;  ///< "https://host:port", which may be told; the path may be a secret
  std::string path;
};

/// ERRORS: kUsage: it is no http:// or https:// URL, or has a name and a password in it.
Result<WebhookUrl> parse_webhook(std::string_view url);

class Webhook {
 public:
  /// Posts the body. Returns the status of the answer; 0: there was none, and `error` says why.
  using Post = std::function<int(const std::string& body, std::string& error)>;
  using Clock = std::chrono::steady_clock;

  /// A message is tried so often, with a pause in between that doubles.
  static constexpr int kTries = 4;
  /// More than so many do not wait: what is new is dropped.
  static constexpr std::size_t kMostWaiting = 64;

  Webhook(Post post, std::chrono::milliseconds first_pause);
  /// Gives up what was not sent.
  ~Webhook();
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;

  /// Never waits. A message that cannot be sent is one lost.
  void send(std::string body);
  /// Waits until all are sent, or for so long. ERRORS: kEnvironment: how many were lost, and
  /// why the last one.
  Status finish(std::chrono::milliseconds longest);

 private:
  void run();
  bool sent(const std::string& body);
  bool pause(std::chrono::milliseconds length);

  const Post post_;
  const std::chrono::milliseconds first_pause_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  bool busy_ = false;
  bool over_ = false;
  std::uint64_t lost_ = 0;
  std::string why_;
  std::thread thread_;
};

}  // namespace isolde::watch
