// isolde-http.so: see watch/http.hpp.
#include <httplib.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "watch/http.hpp"

namespace isolde::watch {
namespace {

/// Of requests at the same time, and of these, streams, which last. Whoever wants more waits.
constexpr std::size_t kThreads = 12;
constexpr int kMostStreams = 8;
constexpr int kSeconds = 5;  // for a request to come, and for a part of an answer to leave

std::thread started(const std::function<void(const std::function<void()>&)>& within,
                    const std::function<void()>& work) {
  // Signals are for the thread that checks.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread([within, work] { within(work); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

/// Threads as ours have to be.
class Tasks : public httplib::TaskQueue {
 public:
  explicit Tasks(const std::function<void(const std::function<void()>&)>& within) {
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads_.push_back(started(within, [this] { run(); }));
    }
  }
  void enqueue(std::function<void()> task) override {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }
  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void run() {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return over_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

class Server : public HttpServer {
 public:
  explicit Server(ServeOptions options) : options_(std::move(options)) {}
  ~Server() override {
    if (!thread_.joinable()) return;
    // Streams end by themselves, and a moment later than that by force.
    for (int i = 0; i < 1000 && streams_ > 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    server_->stop();
    thread_.join();
  }
  /// Empty, or why it does not listen.
  std::string start();
  int port() const override { return port_; }

 private:
  std::string make();
  void answer(const httplib::Request& request, httplib::Response& response);

  const ServeOptions options_;
  std::unique_ptr<httplib::Server> server_;
  std::thread thread_;
  std::atomic<int> streams_{0};
  int port_ = 0;
};

std::string last_of_openssl() {
  const unsigned long code = ERR_peek_last_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "the certificate cannot be used" : reason;
}

std::string Server::make() {
  if (options_.certificate.empty()) {
    server_ = std::make_unique<httplib::Server>();
    return "";
  }
  ERR_clear_error();
  // Without a password nobody is asked for one.
  auto server = std::make_unique<httplib::SSLServer>(
      options_.certificate.c_str(), options_.key.c_str(), nullptr, nullptr, "");
  if (!server->is_valid()) {
    return options_.certificate + " and " + options_.key + ": " + last_of_openssl();
  }
  SSL_CTX* const context = server->ssl_context();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  if (SSL_CTX_check_private_key(context) != 1) {
    return options_.key + " is not the key of " + options_.certificate;
  }
  server_ = std::move(server);
  return "";
}

void Server::answer(const httplib::Request& request, httplib::Response& response) {
  const HttpRequest ours{request.path, request.get_header_value("Host"),
                         request.get_header_value("Authorization")};
  const HttpAnswer answer = options_.answer(ours);
  response.status = answer.status;
  for (const auto& [name, value] : answer.headers) response.set_header(name, value);
  if (!answer.more) return response.set_content(answer.body, answer.type);
  if (request.method == "HEAD") return response.set_content("", answer.type);
  if (streams_.fetch_add(1) >= kMostStreams) {
    streams_.fetch_sub(1);
    response.status = 503;
    return response.set_content("too many streams\n", "text/plain; charset=utf-8");
  }
  response.set_chunked_content_provider(
      answer.type,
      [more = answer.more](std::size_t, httplib::DataSink& sink) {
        std::string part;
        const bool goes_on = more(part);
        if (!part.empty() && !sink.write(part.data(), part.size())) return false;
        if (!goes_on) sink.done();
        return true;
      },
      [this](bool) { streams_.fetch_sub(1); });
}

std::string Server::start() {
  if (std::string error = make(); !error.empty()) return error;
  server_->new_task_queue = [this] {
    return std::make_unique<Tasks>(options_.on_thread).release();
  };
  // The library's own options let several programs listen at one port, who would share what
  // comes.
  server_->set_socket_options([](int socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server_->set_tcp_nodelay(true);
  server_->set_read_timeout(kSeconds);
  server_->set_write_timeout(kSeconds);
  server_->set_keep_alive_timeout(kSeconds);
  server_->set_payload_max_length(0);
  server_->set_pre_routing_handler(
      [](const httplib::Request& request, httplib::Response& response) {
        if (request.method == "GET" || request.method == "HEAD") {
          return httplib::Server::HandlerResponse::Unhandled;
        }
        response.status = 405;
        response.set_header("Allow", "GET, HEAD");
        return httplib::Server::HandlerResponse::Handled;
      });
  server_->Get(".*", [this](const httplib::Request& request, httplib::Response& response) {
    answer(request, response);
  });
  errno = 0;
  port_ = options_.port;
  if (port_ == 0) {
    port_ = server_->bind_to_any_port(options_.address);
  } else if (!server_->bind_to_port(options_.address, port_)) {
    port_ = -1;
  }
  if (port_ <= 0) return errno == 0 ? "it cannot be bound" : std::strerror(errno);
  thread_ = started(options_.on_thread, [this] { server_->listen_after_bind(); });
  // Only one that runs can be stopped.
  while (!server_->is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return "";
}

std::unique_ptr<HttpServer> serve(const ServeOptions& options, std::string& error) {
  auto server = std::make_unique<Server>(options);
  error = server->start();
  if (!error.empty()) return nullptr;
  return server;
}

int post(const HttpPost& post, std::string& error) {
  httplib::Client client(post.origin);
  client.set_connection_timeout(post.seconds);
  client.set_read_timeout(post.seconds);
  client.set_write_timeout(post.seconds);
  const httplib::Result result = client.Post(post.path, post.body, "application/json");
  if (result) return result->status;
  error = httplib::to_string(result.error());
  return 0;
}

constexpr HttpModule kModule{kHttpModuleVersion, serve, post};

}  // namespace
}  // namespace isolde::watch

extern "C" __attribute__((visibility("default"))) const isolde::watch::HttpModule*
isolde_http_module();
extern "C" const isolde::watch::HttpModule* isolde_http_module() {
  return &isolde::watch::kModule;
}
