#include "db/dsn.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/secrets.hpp"
#include "base/text.hpp"

namespace isolde::db {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// As names of parameters are written.
std::string with_underscores(std::string_view name) {
  std::string plain = base::plain_name(name);
  std::ranges::replace(plain, '-', '_');
  return plain;
}

/// With %XX in the place of these characters.
std::string encoded(std::string_view text, std::string_view special) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (special.find(c) == std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte / 16], kDigits[byte % 16]};
  }
  return out;
}

/// As a data source name has it.
std::string host_text(const std::string& host) {
  const bool is_address = host.find(':') != std::string::npos && !host.starts_with('/');
  return is_address ? "[" + encoded(host, "%/?@,") + "]" : encoded(host, "%/?:@,");
}

/// Splits at the first `mark`; the second part is empty when there is none.
std::pair<std::string_view, std::string_view> split(std::string_view text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

constexpr std::string_view kKeywordsAsUrl =
    "write SCHEME://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETER=VALUE, for example "
    "postgres://me@localhost:5432/mine";

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Dsn> parse() {
    const std::size_t colon = text_.find(':');
    // Schemes are the same in either case.
    if (colon != std::string_view::npos) dsn_.scheme = lower_case(text_.substr(0, colon));
    const bool is_scheme = !dsn_.scheme.empty() && std::ranges::all_of(dsn_.scheme, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    });
    if (!is_scheme) {
      // The text may hold a password.
      if (is_keyword_form(text_)) {
        return usage_error("NAME=VALUE pairs are no data source name; " +
                           std::string(kKeywordsAsUrl));
      }
      return usage_error(
          "the data source name has no scheme; expected SCHEME://HOST:PORT/..., "
          "SCHEME:PATH or exec:COMMAND, see isolde databases");
    }
    if (dsn_.scheme == "exec") {  // a command, in which nothing is special
      dsn_.path = text_.substr(colon + 1);
      return std::move(dsn_);
    }
    const std::string_view named = text_.substr(colon + 1);
    auto [body, parameters] = split(named, '?');
    if (body.starts_with("//")) {
      parse_server(body.substr(2));
    } else {
      dsn_.path = text(body, "path");
    }
    refuse_password_in(named);
    while (!parameters.empty()) {
      const auto [parameter, rest] = split(parameters, '&');
      const auto [name, value] = split(parameter, '=');
      dsn_.parameters[text(name, "parameter")] = text(value, "parameter");
      parameters = rest;
    }
    if (!problem_.empty()) return usage_error("DSN: " + problem_);
    return std::move(dsn_);
  }

 private:
  void parse_server(std::string_view body) {
    const std::size_t end = body.find('/');
    dsn_.third_slash = end == 0;
    std::string_view server = body.substr(0, end);
    if (end != std::string_view::npos) dsn_.path = text(body.substr(end + 1), "path");
    const std::size_t at = server.rfind('@');
    if (at != std::string_view::npos) {
      const auto [user, password] = split(server.substr(0, at), ':');
      dsn_.user = text(user, "user");
      dsn_.password = text(password, "password");
      dsn_.names_password = server.find(':') < at;
      server.remove_prefix(at + 1);
    }
    while (!server.empty()) {
      const auto [endpoint, rest] = split(server, ',');
      add_endpoint(endpoint);
      server = rest;
    }
  }

  /// An @ that is not that of the user may end a password that was not encoded:
  /// //bob:12/s3cr3t@host, //bob:s3@c/r3t@host, or, without the //, bob:s3cr3t@host.
  void refuse_password_in(std::string_view named) {
    const bool is_server = !dsn_.endpoints.empty() || !dsn_.user.empty();
    if (is_server) {
      const std::size_t end = named.find_first_of("/?", 2);
      if (end != std::string_view::npos && named.find('@', end) != std::string_view::npos) {
        refuse_at();
      }
      return;
    }
    const std::size_t at = named.rfind('@');
    if (at == std::string_view::npos || named.rfind(':', at) == std::string_view::npos) return;
    if (!problem_.empty()) return;
    problem_ =
        "an @ behind a : in a path; a server is SCHEME://USER:PASSWORD@HOST:PORT, and in a "
        "path write @ as %40";
  }

  void refuse_at() {
    if (!problem_.empty()) return;
    problem_ =
        "an @ behind the servers; in a user or password write / @ : ? as %2F %40 %3A %3F, and "
        "elsewhere @ as %40";
  }

  void add_endpoint(std::string_view endpoint) {
    Endpoint result;
    std::string_view host = endpoint;
    std::string_view port;
    const std::size_t bracket = endpoint.starts_with('[') ? endpoint.find(']') : 0;
    const std::size_t colon = endpoint.rfind(':');
    if (colon != std::string_view::npos && colon >= bracket) {
      host = endpoint.substr(0, colon);
      port = endpoint.substr(colon + 1);
    }
    if (host.starts_with('[') && host.ends_with(']')) {
      host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string_view::npos) {
      // A user and a password, if the host was forgotten.
      problem_ =
          "more than one : in a host; expected USER:PASSWORD@HOST:PORT, an IPv6 address in "
          "brackets";
    }
    result.host = text(host, "host");
    if (!port.empty()) {
      const auto [last, error] =
          std::from_chars(port.data(), port.data() + port.size(), result.port);
      if (error != std::errc() || last != port.data() + port.size() || result.port == 0) {
        // What stands there may be the rest of a password.
        problem_ =
            "the port is not a number from 1 to 65535; in a user or password write / @ : ? as "
            "%2F %40 %3A %3F";
      }
    }
    dsn_.endpoints.push_back(std::move(result));
  }

  std::string text(std::string_view raw, std::string_view what) {
    std::optional<std::string> result = decoded(raw);
    if (!result) {
      problem_ = "a % in the " + std::string(what) + " is not followed by two hex digits";
      return {};
    }
    return *std::move(result);
  }

  std::string_view text_;
  Dsn dsn_;
  std::string problem_;
};

}  // namespace

bool is_keyword_form(std::string_view text) {
  const std::size_t end = text.find('=');
  if (end == std::string_view::npos) return false;
  constexpr std::array<std::string_view, 14> kFirst = {
      "host",    "hostaddr", "port",     "user",   "username",    "password", "dbname",
      "sslmode", "service",  "database", "server", "data source", "driver",   "uid"};
  std::string name = lower_case(text.substr(0, end));
  name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
  name.erase(name.find_last_not_of(' ') + 1);
  return std::ranges::find(kFirst, name) != kFirst.end();
}

Status refuse_keywords(const Dsn& dsn) {
  const auto is_one = [](const Endpoint& each) { return is_keyword_form(each.host); };
  if (!is_keyword_form(dsn.path) && std::ranges::none_of(dsn.endpoints, is_one)) {
    return ok_status();
  }
  return usage_error("NAME=VALUE pairs stand behind " + dsn.scheme +
                     ": where a server belongs; " + std::string(kKeywordsAsUrl));
}

std::string address_text(const Endpoint& endpoint) {
  if (endpoint.host.starts_with('/')) return endpoint.host;
  const bool colons = endpoint.host.find(':') != std::string::npos;
  const std::string host = colons ? "[" + endpoint.host + "]" : endpoint.host;
  return endpoint.port == 0 ? host : host + ":" + std::to_string(endpoint.port);
}

std::string Dsn::display() const {
  std::string out = scheme + ":";
  if (scheme == "exec") return out + base::command_without_secrets(path);
  const bool is_server = !endpoints.empty() || !user.empty();
  if (is_server) {
    out += "//";
    if (!user.empty()) out += encoded(user, "%/?:@") + "@";
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
      if (i > 0) out += ',';
      out += host_text(endpoints[i].host);
      if (endpoints[i].port != 0) out += ":" + std::to_string(endpoints[i].port);
    }
    if (!path.empty()) out += "/";
  } else if (third_slash) {
    out += "///";
  }
  // What a password may end with is refused elsewhere.
  const bool no_at = is_server || path.find(':') != std::string::npos;
  out += encoded(path, no_at ? "%?@" : "%?");
  char mark = '?';
  for (const auto& [name, value] : parameters) {
    out += mark + encoded(name, "%&=@") + "=" + encoded(value, "%&@");
    mark = '&';
  }
  return out;
}

Result<Dsn> parse_dsn(std::string_view text) { return Parser(text).parse(); }

Status check_parameters(const Dsn& dsn, const std::vector<std::string_view>& known) {
  for (const auto& [name, value] : dsn.parameters) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string message = dsn.scheme + " has no parameter '" + name + "'" +
                          base::did_you_mean(with_underscores(name), known);
    for (const std::string_view& other : known) {
      message += (&other == known.data() ? "; it has " : ", ") + std::string(other);
    }
    return usage_error(std::move(message));
  }
  return ok_status();
}

std::string with_parameter(std::string_view dsn, std::string_view parameter) {
  std::string text(dsn);
  text += text.find('?') == std::string::npos ? '?' : '&';
  return text.append(parameter);
}

Result<bool> flag_in(const Dsn& dsn, const std::string& name, bool otherwise) {
  const auto found = dsn.parameters.find(name);
  if (found == dsn.parameters.end()) return otherwise;
  const std::string& value = found->second;
  if (value == "1" || value == "on" || value == "yes") return true;
  if (value == "0" || value == "off" || value == "no") return false;
  return usage_error("parameter " + name + "=" + value +
                     " is neither on (yes, 1) nor off (no, 0)");
}

Result<std::uint32_t> number_in(const Dsn& dsn, const std::string& name, std::uint32_t least,
                                std::uint32_t most, std::uint32_t otherwise) {
  const auto found = dsn.parameters.find(name);
  if (found == dsn.parameters.end()) return otherwise;
  const std::string& text = found->second;
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || value < least || value > most) {
    return usage_error("parameter " + name + "=" + text + " is not a number from " +
                       std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

Result<std::string> word_in(const Dsn& dsn, const std::string& name,
                            std::span<const std::string_view> values,
                            std::string_view otherwise) {
  const auto found = dsn.parameters.find(name);
  if (found == dsn.parameters.end()) return std::string(otherwise);
  std::string list;
  for (const std::string_view value : values) {
    if (value == found->second) return found->second;
    list += (list.empty() ? "" : ", ") + std::string(value);
  }
  return usage_error("parameter " + name + "=" + found->second + " is not one of " + list +
                     base::did_you_mean(base::plain_name(found->second), values));
}

}  // namespace isolde::db
