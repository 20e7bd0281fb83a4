#include "watch/routes.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include "base/secrets.hpp"
#include "report/watch_page.hpp"
#include "watch/address.hpp"
#include "watch/metrics.hpp"
#include "watch/status_json.hpp"

namespace isolde::watch {
namespace {

constexpr const char* kJson = "application/json";
constexpr const char* kHtml = "text/html; charset=utf-8";

/// Takes as long wherever they differ.
bool same_secret(std::string_view given, std::string_view secret) {
  unsigned different = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    const char c = i < given.size() ? given[i] : '\0';
    different |= static_cast<unsigned char>(c ^ secret[i]);
  }
  return different == 0;
}

std::string from_base64(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = (bits << 6) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>((bits >> count) & 0xff);
  }
  return out;
}

/// "Bearer T" of programs, and "Basic" with T for a password, which browsers ask for.
std::string given_token(std::string_view header) {
  constexpr std::string_view kBearer = "Bearer ";
  constexpr std::string_view kBasic = "Basic ";
  if (header.starts_with(kBearer)) return std::string(header.substr(kBearer.size()));
  if (!header.starts_with(kBasic)) return "";
  const std::string both = from_base64(header.substr(kBasic.size()));
  const std::size_t colon = both.find(':');
  return colon == std::string::npos ? "" : both.substr(colon + 1);
}

HttpAnswer refused(int status, const std::string& why) {
  return {status, HttpAnswer{}.type, why};
}

/// First all samples, then each new one.
std::function<bool(std::string&)> events(const Board& board) {
  return [&board, first = true, seen = std::uint64_t{0}](std::string& out) mutable {
    if (first) {
      seen = board.sampled();
    } else if (!board.wait(seen)) {
      return false;
    }
    const View view = board.view();
    const std::vector<Sample> samples = first ? board.samples() : std::vector<Sample>{view.now};
    out += "event: " + std::string(first ? "all" : "now") +
           "\ndata: " + status_json(view, samples) + "\n\n";
    first = false;
    return true;
  };
}

HttpAnswer violation(const Board& board) {
  const std::optional<Found> found = board.found();
  if (!found) return refused(404, "no violation was found\n");
  if (found->page.empty()) return {200, HttpAnswer{}.type, found->text};
  return {200, kHtml, found->page};
}

HttpAnswer at(const Board& board, const std::string& path) {
  if (path == "/") {
    return {200, kHtml, report::watch_page(status_json(board.view(), board.samples()))};
  }
  if (path == "/metrics") {
    return {200, "text/plain; version=0.0.4; charset=utf-8", metrics(board.view())};
  }
  if (path == "/status.json") return {200, kJson, status_json(board.view()) + "\n"};
  if (path == "/violation") return violation(board);
  if (path == "/events") {
    HttpAnswer answer{200, "text/event-stream"};
    answer.more = events(board);
    return answer;
  }
  return refused(404, "there is nothing here\n");
}

}  // namespace

Result<std::string> read_token(const std::string& path) {
  constexpr std::size_t kLeast = 16;
  struct stat is {};
  std::ifstream file(path);
  std::string token;
  if (stat(path.c_str(), &is) != 0 || !file) {
    return Error{ErrorCode::kEnvironment, path + ": " + std::strerror(errno)};
  }
  if ((is.st_mode & S_IROTH) != 0) {
    return Error{ErrorCode::kUsage, path + ": every user of the machine may read this token"};
  }
  std::getline(file, token);
  while (!token.empty() && (token.back() == '\r' || token.back() == ' ')) token.pop_back();
  if (token.size() < kLeast) {
    return Error{ErrorCode::kUsage, path + ": a token has at least " + std::to_string(kLeast) +
                                        " characters, all on the first line"};
  }
  base::keep_secret(token);
  return token;
}

bool Routes::may(const HttpRequest& request) const {
  return access_.token.empty() ||
         same_secret(given_token(request.authorization), access_.token);
}

HttpAnswer Routes::answer(const HttpRequest& request) const {
  HttpAnswer answer;
  if (access_.loopback_only && !names_loopback(request.host)) {
    answer = refused(421, "this is for the machine itself, by the name localhost\n");
  } else if (request.path == "/healthz") {
    // For whoever restarts programs, and has no secrets: nothing but that it runs.
    answer = {200, HttpAnswer{}.type, "ok\n"};
  } else if (!may(request)) {
    answer = refused(401, "a token is needed\n");
    answer.headers.emplace_back("WWW-Authenticate",
                                "Basic realm=\"isolde\", charset=\"UTF-8\"");
  } else {
    answer = at(board_, request.path);
  }
  for (const auto& [name, value] : std::array<std::pair<const char*, const char*>, 4>{
           {{"Cache-Control", "no-store"},
            {"X-Content-Type-Options", "nosniff"},
            {"X-Frame-Options", "DENY"},
            {"Referrer-Policy", "no-referrer"}}}) {
    answer.headers.emplace_back(name, value);
  }
  return answer;
}

}  // namespace isolde::watch
