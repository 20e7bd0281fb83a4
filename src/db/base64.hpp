// Base64 as in RFC 4648, section 4: how bytes travel in JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace isolde::db {

std::string base64_encode(std::string_view bytes);
/// Nothing when the text is not what base64_encode() makes.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace isolde::db
