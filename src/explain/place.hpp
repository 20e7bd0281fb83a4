// Where in the input a transaction stands.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "isolde/history.hpp"

namespace isolde::explain {

/// What positions in the input count: lines, or bytes in binary formats.
bool has_lines(std::string_view format);

/// For histories that are folders with a file for each session: the files by the names of the
/// sessions. Empty for histories that are one file.
using SessionFiles = std::map<std::string, std::string, std::less<>>;

struct Place {
  std::string file;         ///< a path; empty for standard input
  std::uint64_t line = 0;   ///< from 1; 0: unknown
  std::uint64_t bytes = 0;  ///< in front of it; 0: unknown, or at the beginning
};

Place place_of(const History& history, const SessionFiles& files, TxnId txn);

}  // namespace isolde::explain
