// Files in TOML, recipes and scenarios, by toml++: the same thing wrong with either is told in
// the same words. Only for sources that are compiled where toml++ is there.
#pragma once

#include <toml++/toml.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "isolde/status.hpp"

namespace isolde::recipe {

inline Error toml_error(std::string message) {
  return {ErrorCode::kBadInput, std::move(message)};
}

inline Error wrong_type(std::string_view field, std::string_view expected) {
  return toml_error(std::string(field) + ": expected " + std::string(expected));
}

/// `known`: the fields that there are. `see`: which page tells of them.
inline Error unknown_field(std::string_view field, std::span<const std::string_view> known,
                           std::string_view see) {
  return toml_error("'" + std::string(field) + "' is unknown" +
                    base::did_you_mean(base::plain_name(field), known) + "; see " +
                    std::string(see));
}

/// The error, of what begins there.
inline Error at_line(const toml::node& node, const Error& error) {
  return {error.code,
          "line " + std::to_string(node.source().begin.line) + ": " + error.message};
}

inline Error missing_field(std::string_view field) {
  return toml_error(std::string(field) + " is missing");
}

/// ERRORS: kBadInput, with the line.
inline Result<toml::table> parse_toml(std::string_view text) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& problem) {
    // "Error while parsing array: encountered end-of-file".
    std::string_view what = problem.description();
    if (what.starts_with("Error while parsing ")) what.remove_prefix(what.find(": ") + 2);
    const toml::source_position& at = problem.source().begin;
    return toml_error("line " + std::to_string(at.line) + ", column " +
                      std::to_string(at.column) + ": this is no TOML: " + std::string(what) +
                      R"(; a line is NAME = "TEXT", NAME = 5, NAME = ["TEXT"] or [TABLE])");
  }
}

/// ERRORS: kBadInput, where it is none.
inline Result<std::string> string_in(const toml::node& node, std::string_view field) {
  if (!node.is_string()) return wrong_type(field, "a string");
  return node.as_string()->get();
}

}  // namespace isolde::recipe
