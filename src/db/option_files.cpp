#include "db/option_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

namespace isolde::db {
namespace {

constexpr std::array<std::string_view, 3> kGroups = {"client", "client-server",
                                                     "client-mariadb"};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Up to a # that is not in quotes.
std::string_view without_comment(std::string_view line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\') {
      ++i;
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      return line.substr(0, i);
    }
  }
  return line;
}

std::string value_of(std::string_view text) {
  const bool quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
                      text.front() == text.back();
  if (quoted) text = text.substr(1, text.size() - 2);
  constexpr std::string_view kNames = "btnrs\"'\\;#";
  constexpr std::string_view kSigns = "\b\t\n\r \"'\\;#";
  std::string value;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t sign =
        text[i] == '\\' && i + 1 < text.size() ? kNames.find(text[i + 1]) : kNames.npos;
    value += sign == kNames.npos ? text[i] : kSigns[sign];
    if (sign != kNames.npos) ++i;
  }
  return value;
}

class Reader {
 public:
  Status read(const std::string& path) {
    // Files may include one another.
    if (std::ranges::find(open_, path) != open_.end()) return ok_status();
    struct stat about = {};
    std::ifstream file(path);
    if (!file || stat(path.c_str(), &about) != 0 || S_ISDIR(about.st_mode)) {
      return usage_error("option file " + path + " cannot be read");
    }
    if (S_ISREG(about.st_mode) && (about.st_mode & S_IWOTH) != 0) {
      return usage_error("option file " + path + " is writable for all users");
    }
    open_.push_back(path);
    bool is_ours = false;
    std::string line;
    while (std::getline(file, line)) {
      if (const Status taken = take(trimmed(line), is_ours); !taken) return taken;
    }
    open_.pop_back();
    return ok_status();
  }

  ClientOptions options;

 private:
  Status take(std::string_view line, bool& is_ours) {
    if (line.empty() || line.front() == '#' || line.front() == ';') return ok_status();
    if (line.starts_with("!includedir")) return read_folder(trimmed(line.substr(11)));
    if (line.starts_with("!include")) return read(std::string(trimmed(line.substr(8))));
    if (line.front() == '[') {
      const std::string_view group = line.substr(1, line.find(']') - 1);
      is_ours = std::ranges::find(kGroups, group) != kGroups.end();
      return ok_status();
    }
    if (!is_ours) return ok_status();
    line = trimmed(without_comment(line));
    const std::size_t equals = line.find('=');
    std::string name(trimmed(line.substr(0, equals)));
    std::ranges::replace(name, '_', '-');
    if (name.starts_with("loose-")) name.erase(0, 6);
    std::string& value = options[name];
    value.clear();
    if (equals != line.npos) value = value_of(trimmed(line.substr(equals + 1)));
    return ok_status();
  }

  Status read_folder(std::string_view path) {
    std::vector<std::string> files;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(path, ignored)) {
      if (entry.path().extension() == ".cnf") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    for (const std::string& file : files) {
      if (!std::ifstream(file)) continue;  // not for this user
      if (const Status done = read(file); !done) return done;
    }
    return ok_status();
  }

  std::vector<std::string> open_;
};

/// Nothing: the options do not say.
std::optional<bool> flag_of(const ClientOptions& options, const std::string& name) {
  if (options.contains("skip-" + name) || options.contains("disable-" + name)) return false;
  const auto found = options.find(name);
  if (found == options.end()) return std::nullopt;
  constexpr std::array<std::string_view, 6> kOff = {"0", "off", "OFF", "false", "FALSE", "no"};
  return std::ranges::find(kOff, found->second) == kOff.end();
}

void take_server(Dsn& dsn, const ClientOptions& options) {
  const auto value = [&options](const char* name) {
    const auto found = options.find(name);
    return found == options.end() ? std::string() : found->second;
  };
  Endpoint at{value("host"), 0};
  const std::string socket = value("socket");
  std::string protocol = value("protocol");
  const bool by_socket =
      (at.host.empty() || at.host == "localhost") && protocol != "tcp" && protocol != "TCP";
  if (by_socket) {
    if (socket.empty()) return;  // that of the library
    at.host = socket;
  } else {
    if (at.host.empty()) at.host = "localhost";
    const std::string port = value("port");
    std::from_chars(port.data(), port.data() + port.size(), at.port);
    if (at.port == 0) at.port = 3306;  // by name only, "localhost" would be a socket
  }
  dsn.third_slash = false;
  dsn.endpoints.push_back(std::move(at));
}

void take_encryption(Dsn& dsn, const ClientOptions& options) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kFiles = {
      {{"ssl-ca", "sslrootcert"}, {"ssl-cert", "sslcert"}, {"ssl-key", "sslkey"}}};
  const bool is_socket = dsn.endpoints.empty() || dsn.endpoints.front().host.starts_with('/');
  if (is_socket || dsn.parameters.contains("sslmode")) return;
  for (const auto& [_, parameter] : kFiles) {
    if (dsn.parameters.contains(parameter)) return;
  }
  if (flag_of(options, "ssl") == false) return;
  bool names_file = false;
  for (const auto& [option, parameter] : kFiles) {
    const auto found = options.find(option);
    if (found == options.end() || found->second.empty()) continue;
    dsn.parameters[parameter] = found->second;
    names_file = true;
  }
  const std::optional<bool> verifies = flag_of(options, "ssl-verify-server-cert");
  if (verifies == true) {
    dsn.parameters["sslmode"] = "verify-full";
  } else if (verifies == false && names_file) {
    dsn.parameters["sslmode"] = "require";
  } else if (!names_file && flag_of(options, "ssl") == true) {
    dsn.parameters["sslmode"] = "require";
  }
}

}  // namespace

Result<ClientOptions> read_option_files(const std::vector<std::string>& paths) {
  Reader reader;
  for (const std::string& path : paths) {
    if (const Status done = reader.read(path); !done) return done.error();
  }
  return std::move(reader.options);
}

std::vector<std::string> usual_option_files() {
  std::vector<std::string> paths = {"/etc/my.cnf", "/etc/mysql/my.cnf"};
  const auto in_folder = [&paths](const char* variable, const char* file) {
    const char* const folder = std::getenv(variable);
    if (folder == nullptr) return false;
    paths.push_back(std::string(folder) + file);
    return true;
  };
  if (!in_folder("MARIADB_HOME", "/my.cnf")) in_folder("MYSQL_HOME", "/my.cnf");
  in_folder("HOME", "/.my.cnf");
  std::erase_if(paths, [](const std::string& path) { return !std::ifstream(path); });
  return paths;
}

Dsn with_client_options(Dsn dsn, const ClientOptions& options) {
  if (dsn.endpoints.empty()) take_server(dsn, options);
  const auto take = [&options](const char* name, std::string& into) {
    const auto found = options.find(name);
    if (into.empty() && found != options.end()) into = found->second;
  };
  take("user", dsn.user);
  if (!dsn.names_password) take("password", dsn.password);
  take("database", dsn.path);
  take_encryption(dsn, options);
  return dsn;
}

}  // namespace isolde::db
