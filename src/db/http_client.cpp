#include "db/http_client.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/assert.hpp"

namespace isolde::db {
namespace {

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeHeaders {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

/// The body on its way out.
struct Upload {
  std::string_view rest;
  bool begun = false;
};

std::size_t read_body(char* buffer, std::size_t size, std::size_t count, void* upload) {
  Upload& from = *static_cast<Upload*>(upload);
  from.begun = true;
  const std::size_t bytes = std::min(size * count, from.rest.size());
  std::memcpy(buffer, from.rest.data(), bytes);
  from.rest.remove_prefix(bytes);
  return bytes;
}

int refuse_rewind(void*, curl_off_t, int) { return CURL_SEEKFUNC_FAIL; }

std::size_t write_body(char* data, std::size_t size, std::size_t count, void* body) {
  static_cast<std::string*>(body)->append(data, size * count);
  return size * count;
}

/// libcurl asks at least once a second.
int is_cancelled(void* cancelled, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return asks(*static_cast<const Cancelled*>(cancelled)) ? 1 : 0;
}

void initialise_curl() {
  // Not thread-safe in older versions; a local static is.
  static const CURLcode kDone = curl_global_init(CURL_GLOBAL_DEFAULT);
  ISOLDE_CHECK(kDone == CURLE_OK);
}

}  // namespace

struct HttpClient::State {
  std::string server;
  std::string url;
  std::unique_ptr<CURL, FreeEasy> easy;
  std::unique_ptr<curl_slist, FreeHeaders> headers;
  std::array<char, CURL_ERROR_SIZE> message = {};
  std::string hint;  // until the server has said something
  Cancelled cancelled;

  template <typename T>
  void set(CURLoption option, T value) {
    const CURLcode code = curl_easy_setopt(easy.get(), option, value);
    ISOLDE_CHECK(code == CURLE_OK);
  }

  void encrypt(const Tls& tls) {
    if (!tls.is_on()) return;
    hint = hint_at_client_certificate(tls);
    set(CURLOPT_PROTOCOLS_STR, "https");
    set(CURLOPT_SSL_VERIFYPEER, tls.mode == Tls::Mode::kRequire ? 0L : 1L);
    set(CURLOPT_SSL_VERIFYHOST, tls.mode == Tls::Mode::kVerifyFull ? 2L : 0L);
    if (!tls.authorities.empty()) set(CURLOPT_CAINFO, tls.authorities.c_str());
    if (tls.certificate.empty()) return;
    set(CURLOPT_SSLCERT, tls.certificate.c_str());
    set(CURLOPT_SSLKEY, tls.key.c_str());
  }

  HttpAnswer perform(const std::string& path, const Upload* upload) {
    HttpAnswer answer;
    set(CURLOPT_URL, (url + path).c_str());
    set(CURLOPT_WRITEDATA, &answer.body);
    message[0] = '\0';
    const CURLcode code = curl_easy_perform(easy.get());
    answer.sent = upload != nullptr && upload->begun;
    if (code == CURLE_OK) {
      answer.arrived = true;
      hint.clear();
      curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &answer.status);
    } else {
      answer.problem = message[0] != '\0' ? message.data() : curl_easy_strerror(code);
      const bool lost = code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR ||
                        code == CURLE_GOT_NOTHING || code == CURLE_SSL_CONNECT_ERROR;
      if (lost) answer.problem += hint;
    }
    return answer;
  }
};

HttpClient::HttpClient(std::string server, double timeout_seconds, const Tls& tls,
                       Cancelled cancelled)
    : state_(std::make_unique<State>()) {
  initialise_curl();
  State& state = *state_;
  state.server = std::move(server);
  const bool by_socket = state.server.starts_with('/');
  state.url = !by_socket    ? state.server
              : tls.is_on() ? "https://localhost"
                            : "http://localhost";
  state.easy.reset(curl_easy_init());
  ISOLDE_CHECK(state.easy != nullptr);
  const long timeout_ms = std::max(1L, static_cast<long>(timeout_seconds * 1000));
  state.set(CURLOPT_TIMEOUT_MS, timeout_ms);
  state.set(CURLOPT_CONNECTTIMEOUT_MS, timeout_ms);
  state.set(CURLOPT_NOSIGNAL, 1L);
  if (by_socket) state.set(CURLOPT_UNIX_SOCKET_PATH, state.server.c_str());
  // A database is not reached through the user's web proxy.
  state.set(CURLOPT_PROXY, "");
  state.set(CURLOPT_ERRORBUFFER, state.message.data());
  state.set(CURLOPT_WRITEFUNCTION, write_body);
  state.set(CURLOPT_READFUNCTION, read_body);
  state.set(CURLOPT_SEEKFUNCTION, refuse_rewind);
  state.encrypt(tls);
  if (cancelled) {
    state.cancelled = std::move(cancelled);
    state.set(CURLOPT_NOPROGRESS, 0L);
    state.set(CURLOPT_XFERINFODATA, &state.cancelled);
    state.set(CURLOPT_XFERINFOFUNCTION, is_cancelled);
  }
  // Else libcurl asks before a long body, and waits.
  add_header("Expect:");
  add_header("Content-Type: application/json");
}

HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

const std::string& HttpClient::server() const { return state_->server; }

void HttpClient::add_header(const std::string& line) {
  curl_slist* longer = curl_slist_append(state_->headers.get(), line.c_str());
  ISOLDE_CHECK(longer != nullptr);
  static_cast<void>(state_->headers.release());
  state_->headers.reset(longer);
  state_->set(CURLOPT_HTTPHEADER, state_->headers.get());
}

int HttpClient::socket() const {
  curl_socket_t socket = CURL_SOCKET_BAD;
  curl_easy_getinfo(state_->easy.get(), CURLINFO_ACTIVESOCKET, &socket);
  return socket == CURL_SOCKET_BAD ? -1 : static_cast<int>(socket);
}

HttpAnswer HttpClient::get(const std::string& path) {
  state_->set(CURLOPT_HTTPGET, 1L);
  return state_->perform(path, nullptr);
}

HttpAnswer HttpClient::post(const std::string& path, std::string_view body) {
  Upload upload = {body};
  state_->set(CURLOPT_POST, 1L);
  state_->set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  state_->set(CURLOPT_READDATA, &upload);
  return state_->perform(path, &upload);
}

}  // namespace isolde::db
