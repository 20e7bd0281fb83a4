#include "db/tls.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

namespace isolde::db {
namespace {

struct ModeName {
  std::string_view name;
  Tls::Mode mode;
};
constexpr std::array<ModeName, 4> kModes = {{{"disable", Tls::Mode::kOff},
                                             {"require", Tls::Mode::kRequire},
                                             {"verify-ca", Tls::Mode::kVerifyCa},
                                             {"verify-full", Tls::Mode::kVerifyFull}}};

Result<Tls::Mode> mode_named(const std::string& name) {
  std::string names;
  for (const ModeName& row : kModes) {
    if (row.name == name) return row.mode;
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return usage_error("sslmode '" + name + "' is none of " + names);
}

/// A file that is named is one that can be read; which of them a library could not read, few
/// tell.
Status check_readable(const char* parameter, const std::string& path) {
  if (path.empty()) return ok_status();
  errno = 0;
  if (std::ifstream(path).peek() != std::ifstream::traits_type::eof()) return ok_status();
  return usage_error(std::string(parameter) + ": " + path + ": " +
                     (errno != 0 ? std::strerror(errno) : "is empty"));
}

}  // namespace

std::string hint_at_client_certificate(const Tls& tls) {
  if (!tls.is_on() || !tls.certificate.empty()) return {};
  return " (after the TLS handshake; a server that asks for a client's certificate needs "
         "sslcert "
         "and sslkey)";
}

std::vector<std::string_view> with_tls_parameters(std::vector<std::string_view> others) {
  others.insert(others.end(), {"sslmode", "sslrootcert", "sslcert", "sslkey"});
  return others;
}

Result<Tls> tls_of(const Dsn& dsn, Tls::Mode otherwise) {
  const auto value = [&dsn](const char* name) {
    const auto found = dsn.parameters.find(name);
    return found == dsn.parameters.end() ? std::string() : found->second;
  };
  Tls tls{otherwise, value("sslrootcert"), value("sslcert"), value("sslkey")};
  const bool names_file =
      !tls.authorities.empty() || !tls.certificate.empty() || !tls.key.empty();
  if (names_file) tls.mode = Tls::Mode::kVerifyFull;
  if (const std::string name = value("sslmode"); !name.empty()) {
    const Result<Tls::Mode> mode = mode_named(name);
    if (!mode) return mode.error();
    tls.mode = *mode;
  }
  if (tls.certificate.empty() != tls.key.empty()) {
    return usage_error("sslcert and sslkey come together: a certificate and its key");
  }
  for (const auto& [parameter, path] :
       {std::pair("sslrootcert", &tls.authorities), std::pair("sslcert", &tls.certificate),
        std::pair("sslkey", &tls.key)}) {
    if (const Status readable = check_readable(parameter, *path); !readable) {
      return readable.error();
    }
  }
  return tls;
}

}  // namespace isolde::db
