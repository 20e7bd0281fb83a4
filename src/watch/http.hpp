// What of HTTP a watch needs: to answer requests, and to post a message. cpp-httplib does it.
// That library, its compression and encryption would cost every start of the program a tenth of
// its instructions, so what uses it is a module of its own, isolde-http.so, which is loaded
// when it is asked for. This header is all that the two have in common.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "isolde/status.hpp"

namespace isolde::watch {

struct HttpRequest {
  std::string path;
  std::string host;           ///< the header of that name
  std::string authorization;  ///< likewise
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// In place of a body, where it is there: appends what comes next, which may take seconds;
  /// false: that was all.
  std::function<bool(std::string&)> more = {};
};

struct ServeOptions {
  std::string address;      ///< in digits
  int port = 0;             ///< 0: any
  std::string certificate;  ///< files; both or none
  std::string key;
  /// Called by several threads at once.
  std::function<HttpAnswer(const HttpRequest&)> answer;
  /// Each thread does all of its work within this.
  std::function<void(const std::function<void()>&)> on_thread;
};

/// Answers until its end, which waits for answers under way.
class HttpServer {
 public:
  virtual ~HttpServer() = default;
  virtual int port() const = 0;
};

struct HttpPost {
  std::string origin;  ///< "https://host:port"
  std::string path;    ///< "/x?y=z"
  std::string body;    ///< JSON
  int seconds = 10;    ///< for connecting, and for each answer to come
};

/// What the module has. `error` says why something failed.
struct HttpModule {
  int version;
  std::unique_ptr<HttpServer> (*serve)(const ServeOptions& options, std::string& error);
  /// The status of the answer; 0: there was none.
  int (*post)(const HttpPost& post, std::string& error);
};
/// Changes with what is above.
constexpr int kHttpModuleVersion = 1;

/// Whether this build has the module. ERRORS: kUsage, saying what it lacks.
Status can_use_http();
/// Loads it. ERRORS: kUsage as above; kEnvironment: it is not where it was installed.
Result<const HttpModule*> http_module();

}  // namespace isolde::watch
