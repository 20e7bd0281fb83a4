// What the drivers of key-value stores share: names of keys, values as text, and short ways to
// say how a request ended.
//
// A register is the key `isolde:register:17` and holds its value as a decimal number; a
// register that was never written has no key. A list is the key `isolde:list:17` and holds its
// elements as decimal numbers with commas between them, unless the store has lists of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/driver.hpp"

namespace isolde::db::kv {

/// "isolde:register:17" for the separator ':'.
std::string register_name(Key key, char separator = ':');
/// "isolde:list:17".
std::string list_name(Key key, char separator = ':');
/// "isolde:owner": holds kOwner in a store that Isolde's keys share with others.
std::string owner_name(char separator = ':');
/// Whether the name is one that the functions above make.
bool is_own_name(std::string_view name, char separator = ':');

inline constexpr std::string_view kOwner = "made by isolde";

/// A whole decimal number, or nothing.
std::optional<std::int64_t> parse_number(std::string_view text);
/// "1,2,3".
std::string list_text(const std::vector<std::int64_t>& elements);
/// Replaces `elements`. False when the text is not a list of numbers.
bool parse_list(std::string_view text, std::vector<std::int64_t>& elements);

inline Reply aborted(std::string message) {
  return {Outcome::kAborted, true, std::move(message)};
}
inline Reply failed(std::string message) {
  return {Outcome::kFailed, true, std::move(message)};
}
inline Reply unknown(std::string message) {
  return {Outcome::kUnknown, true, std::move(message)};
}
/// The connection is gone as well.
inline Reply lost(Outcome outcome, std::string message) {
  return {outcome, false, std::move(message)};
}
/// Compare-and-set by a read and a write of the transaction that is open.
Reply read_and_set(Session& session, Key key, std::optional<std::int64_t> expected,
                   std::int64_t value, CasResult& result);
/// Something that no client of Isolde writes stands where a value should be.
Reply not_a_value(const std::string& name, std::string_view text);

}  // namespace isolde::db::kv
