#include "watch/webhook.hpp"

#include <csignal>
#include <utility>

#include "base/memory_guard.hpp"
#include "base/text.hpp"

namespace isolde::watch {

Result<WebhookUrl> parse_webhook(std::string_view url) {
  const bool known = url.starts_with("http://") || url.starts_with("https://");
  const std::size_t host = url.find("://") + 3;
  const std::size_t end = known ? std::min(url.find_first_of("/?#", host), url.size()) : 0;
  // What is wrong with it is told without it: it may be a secret.
  if (!known || end == host) {
    return Error{ErrorCode::kUsage, "a webhook is a URL that begins with http:// or https://"};
  }
  if (url.substr(host, end - host).find('@') != std::string_view::npos) {
    return Error{ErrorCode::kUsage, "a webhook's URL has no name and password before its host"};
  }
  for (const char c : url) {
    if (static_cast<unsigned char>(c) > ' ' && c != '\x7f') continue;
    return Error{ErrorCode::kUsage, "a webhook's URL has blanks or control characters"};
  }
  std::string path(url.substr(end, url.find('#') - end));
  if (!path.starts_with('/')) path.insert(0, "/");
  return WebhookUrl{std::string(url.substr(0, end)), std::move(path)};
}

Webhook::Webhook(Post post, std::chrono::milliseconds first_pause)
    : post_(std::move(post)), first_pause_(first_pause) {
  // Signals are for the thread that checks.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] {
    // A limit on memory is for the check; a refusal here would end the program.
    const base::MemoryGuard::Deferral deferral;
    run();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Webhook::~Webhook() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Webhook::send(std::string body) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMostWaiting) {
      ++lost_;
      why_ = "too many were waiting";
      return;
    }
    waiting_.push_back(std::move(body));
  }
  changed_.notify_all();
}

/// False: it is over.
bool Webhook::pause(std::chrono::milliseconds length) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, length, [this] { return over_; });
}

bool Webhook::sent(const std::string& body) {
  std::chrono::milliseconds length = first_pause_;
  for (int tries = 1;; ++tries) {
    std::string error;
    const int status = post_(body, error);
    constexpr int kGood = 200;
    constexpr int kRedirects = 300;
    constexpr int kClientErrors = 400;
    constexpr int kServerErrors = 500;
    constexpr int kTooMany = 429;
    if (status >= kGood && status < kRedirects) return true;
    {
      const std::lock_guard lock(mutex_);
      why_ = status == 0 ? error : "the answer was " + std::to_string(status);
    }
    // What is wrong with the message stays wrong.
    const bool refused = status >= kRedirects && status < kServerErrors && status != kTooMany &&
                         (status < kClientErrors || status != 408);
    if (refused || tries == kTries || !pause(length)) return false;
    length *= 2;
  }
}

void Webhook::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return over_ || !waiting_.empty(); });
    if (over_) return;
    const std::string body = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    lock.unlock();
    const bool was_sent = sent(body);
    lock.lock();
    busy_ = false;
    lost_ += was_sent ? 0 : 1;
    changed_.notify_all();
  }
}

Status Webhook::finish(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, longest, [this] { return waiting_.empty() && !busy_; });
  const std::uint64_t lost = lost_ + waiting_.size() + (busy_ ? 1 : 0);
  if (lost == 0) return ok_status();
  return Error{ErrorCode::kEnvironment,
               base::plural(lost, "message") + " to the webhook not sent: " +
                   (why_.empty() ? "there was no answer in time" : why_)};
}

}  // namespace isolde::watch
