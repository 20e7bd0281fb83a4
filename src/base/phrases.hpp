// Words for what a user of the library calls one way and one of the program another. Messages
// below the command line have the library's; the command line puts its own in their place,
// where messages leave it (cli/command.hpp). No other message of a layer below names an option
// or a command (test/library/words_test.py).
#pragma once

#include <array>
#include <string_view>

namespace isolde::base {

struct Phrase {
  std::string_view of_library;
  std::string_view of_program;
};

/// LoadOptions::format, isolde_options_format(), Python's format.
inline constexpr Phrase kFormatOption = {"the option 'format'", "--format"};
inline constexpr Phrase kTakersOfCertificates = {
    "verify() and explanation() take it",
    "isolde verify, isolde explain and isolde minimize --from take it"};
inline constexpr Phrase kListOfLevels = {"docs/LEVELS.md has them all",
                                         "isolde levels lists them all"};

inline constexpr std::array kPhrases = {kFormatOption, kTakersOfCertificates, kListOfLevels};

}  // namespace isolde::base
