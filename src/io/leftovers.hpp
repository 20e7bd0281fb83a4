// The files of FILE.inflight, checked and taken apart (layout: history/inflight.hpp).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "io/reader.hpp"
#include "isolde/status.hpp"

namespace isolde::io {

/// The text of one slot: a line of the history, or as much of it as was on record.
struct LeftoverText {
  const Input* file = nullptr;
  std::uint64_t position = 0;  ///< of the transaction in its session
  std::string_view text;       ///< not empty
  /// The line has come to its end, newline included.
  bool is_whole() const { return text.ends_with('\n'); }
};

struct LeftoverTexts {
  bool recording_stopped = false;  ///< at an error, so that more is missing
  std::vector<LeftoverText> texts;
};

/// REQUIRES: state is kRead; leftovers outlive the result. ERRORS: kBadInput.
Result<LeftoverTexts> parse_leftovers(const Leftovers& leftovers);

/// Whether nothing is lost with the line at which a file is cut off: events may be lost, and
/// anything else must stand in a slot, where it was first.
bool is_cut_line_known(const LeftoverTexts& leftovers, std::string_view line);

/// The problem at that byte of the file, with the way out.
Error bad_leftover(const Leftovers& leftovers, const Input& file, std::uint64_t offset,
                   std::string_view problem);

}  // namespace isolde::io
