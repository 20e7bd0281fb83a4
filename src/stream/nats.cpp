#include "stream/nats.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "base/secrets.hpp"

namespace isolde::stream {
namespace {

constexpr std::string_view kForm = "nats://HOST:PORT/STREAM/RECORDER";

/// What is a name of a stream, of a consumer and of a token in a subject alike.
bool is_name(std::string_view name) {
  constexpr std::size_t kMost = 64;
  return !name.empty() && name.size() <= kMost && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-';
  });
}

Error wrong(const std::string& what) {
  return {ErrorCode::kUsage, what + "; write " + std::string(kForm) +
                                 ", where names have letters, digits, _ and - (several "
                                 "recorders: a,b)"};
}

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string NatsAddress::name_of(const std::string& recorder) const {
  return server + "/" + stream + "/" + recorder;
}

bool is_nats_address(std::string_view path) {
  return path.starts_with("nats://") || path.starts_with("tls://");
}

Result<NatsAddress> parse_nats_address(std::string_view path) {
  NatsAddress address;
  const std::size_t server_at = path.find("://") + 3;
  const std::size_t at = path.rfind('@');
  std::string_view rest = path.substr(server_at);
  if (at != std::string_view::npos) {
    const std::string_view user = path.substr(server_at, at - server_at);
    if (user.find(':') != std::string_view::npos) {
      return Error{ErrorCode::kUsage,
                   "an address of NATS with a password, which whoever lists processes sees; "
                   "give the password in NATS_PASSWORD"};
    }
    address.user = user;
    rest = path.substr(at + 1);
  }
  const std::size_t slash = rest.find('/');
  const std::string_view host = rest.substr(0, slash);
  address.server = std::string(path.substr(0, server_at)) + std::string(host);
  if (host.empty()) return wrong(address.server + ": no host");
  rest = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
  const std::size_t second = rest.find('/');
  address.stream = rest.substr(0, second);
  if (!is_name(address.stream)) return wrong(address.server + ": no name of a stream");
  rest = second == std::string_view::npos ? "" : rest.substr(second + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    std::string recorder(rest.substr(0, comma));
    if (!is_name(recorder)) {
      return wrong(address.server + "/" + address.stream + ": no name of a recorder");
    }
    if (std::ranges::find(address.recorders, recorder) != address.recorders.end()) {
      return Error{ErrorCode::kUsage, address.name_of(recorder) + " is given twice"};
    }
    address.recorders.push_back(std::move(recorder));
    if (comma == std::string_view::npos) return address;
    rest.remove_prefix(comma + 1);
  }
}

std::string NatsBlock::text() const {
  return std::to_string(group) + " " + std::to_string(offset) + " " + std::to_string(total) +
         " " + std::to_string(contents);
}

bool parse_nats_block(std::string_view text, NatsBlock& block) {
  std::array<std::uint64_t, 4> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && !text.starts_with(' ')) return false;
    if (i > 0) text.remove_prefix(1);
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), numbers[i]);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  block.group = static_cast<std::uint32_t>(numbers[0]);
  block.offset = numbers[1];
  block.total = numbers[2];
  block.contents = numbers[3];
  return text.empty() && block.group == numbers[0] && block.offset < block.total;
}

NatsAccess nats_access(const NatsAddress& address) {
  NatsAccess access;
  access.server = address.server;
  access.user = address.user.empty() ? from_environment("NATS_USER") : address.user;
  access.password = from_environment("NATS_PASSWORD");
  access.credentials = from_environment("NATS_CREDS");
  access.authority = from_environment("NATS_CA");
  access.certificate = from_environment("NATS_CERT");
  access.key = from_environment("NATS_KEY");
  base::keep_secret(access.password);
  return access;
}

#ifdef ISOLDE_WITH_NATS

Status can_use_nats() { return ok_status(); }

Result<const NatsModule*> nats_module() {
  const auto cannot = [](const std::string& why) {
    return Error{ErrorCode::kEnvironment, "what speaks with NATS cannot be loaded: " + why};
  };
  // By the program's run path (src/cli/CMakeLists.txt), and never unloaded.
  void* const module = dlopen("isolde-nats.so", RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return cannot(dlerror());
  void* const symbol = dlsym(module, "isolde_nats_module");
  if (symbol == nullptr) return cannot("isolde-nats.so is something else");
  const auto* const found = reinterpret_cast<const NatsModule* (*)()>(symbol)();
  if (found->version != kNatsModuleVersion) {
    return cannot("isolde-nats.so is of another version");
  }
  return found;
}

#else

Status can_use_nats() {
  return Error{ErrorCode::kUsage,
               "this isolde was built without libnats (Debian: libnats-dev), which speaks with "
               "NATS"};
}

Result<const NatsModule*> nats_module() { return can_use_nats().error(); }

#endif

}  // namespace isolde::stream
