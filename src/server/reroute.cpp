#include "server/reroute.hpp"

namespace isolde::server {

std::string reroute_variable(const std::map<std::uint16_t, std::uint16_t>& ways) {
  std::string text = "ISOLDE_REROUTE=";
  for (const auto& [from, to] : ways) {
    text += (text.back() == '=' ? "" : ",") + std::to_string(from) + "=" + std::to_string(to);
  }
  return text;
}

}  // namespace isolde::server
