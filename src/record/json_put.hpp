// JSON into memory that is already there. The recorder writes its lines straight into a mapped
// file, so these functions take a place and give back the place behind what they wrote; the
// caller has made room.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace isolde::record {

/// Room that put_number() needs.
inline constexpr std::size_t kNumberRoom = 20;
/// Room that put_text() needs: a control character becomes six.
constexpr std::size_t text_room(std::string_view text) { return text.size() * 6 + 2; }

inline char* put(char* at, std::string_view bytes) {
  if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  return at + bytes.size();
}

inline char* put_number(char* at, std::int64_t number) {
  return std::to_chars(at, at + kNumberRoom, number).ptr;
}

/// The text as a JSON string with its quotes; nullptr when it is not valid UTF-8.
char* put_text(char* at, std::string_view text);

/// As a JSON string, with U+FFFD for what is not UTF-8. For texts that only people read.
std::string readable_text(std::string_view text);

}  // namespace isolde::record
