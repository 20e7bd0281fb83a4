// Files in TOML, recipes and scenarios, by toml++: the same thing wrong with either is told in
// the same words. Only for sources that are compiled where toml++ is there.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <utility>

#include "isolde/status.hpp"

namespace isolde::recipe {

inline Error toml_error(std::string message) {
  return {ErrorCode::kBadInput, std::move(message)};
}

inline Error wrong_type(std::string_view field, std::string_view expected) {
  return toml_error(std::string(field) + ": expected " + std::string(expected));
}

/// `see`: which page tells what there is.
inline Error unknown_field(std::string_view field, std::string_view see) {
  return toml_error("'" + std::string(field) + "' is unknown; see " + std::string(see));
}

inline Error missing_field(std::string_view field) {
  return toml_error(std::string(field) + " is missing");
}

/// ERRORS: kBadInput, with the line.
inline Result<toml::table> parse_toml(std::string_view text) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& problem) {
    return toml_error("line " + std::to_string(problem.source().begin.line) + ": " +
                      std::string(problem.description()));
  }
}

/// ERRORS: kBadInput, where it is none.
inline Result<std::string> string_in(const toml::node& node, std::string_view field) {
  if (!node.is_string()) return wrong_type(field, "a string");
  return node.as_string()->get();
}

}  // namespace isolde::recipe
