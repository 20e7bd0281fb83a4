// Data source names. Whatever follows a password, no message and no history shows it.
#include <string>

#include "db/dsn.hpp"
#include "fuzz_input.hpp"

namespace {

constexpr std::string_view kSecret = "Tr0ubadour";

void check_hidden(const std::string& text) {
  isolde::fuzz::require(text.find(kSecret) == std::string::npos, "no password", text);
}

/// Of what is made of it, nothing shows the password.
void check_name(const std::string& name) {
  const isolde::Result<isolde::db::Dsn> dsn = isolde::db::parse_dsn(name);
  if (!dsn) {
    check_hidden(dsn.error().message);
    return;
  }
  check_hidden(dsn->display());
  const isolde::Status known = isolde::db::check_parameters(*dsn, {"sslmode"});
  if (!known) check_hidden(known.error().message);
  for (const isolde::db::Endpoint& endpoint : dsn->endpoints) {
    check_hidden(isolde::db::address_text(endpoint));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string rest(reinterpret_cast<const char*>(data), size);
  static_cast<void>(isolde::db::parse_dsn(rest));
  if (rest.find(kSecret.substr(1)) != std::string::npos) return 0;  // told elsewhere as well
  const std::string secret(kSecret);
  check_name("postgres://user:" + secret + rest);
  // What stands before it in the password looks like a port.
  check_name("postgres://user:12/" + secret + "@" + rest);
  check_name("postgres://user:12?" + secret + "@" + rest);
  // Or like a host.
  check_name("postgres://user:x@y/" + secret + "@" + rest);
  check_name("postgres://user:x@y?" + secret + "@" + rest);
  check_name("firebird:user:" + secret + "@" + rest);
  return 0;
}
