// Checkpoints: all that a later process needs to go on where this one stands, whatever happens
// to it (docs/watching.md).
//
// A file of one line of JSON, with numbers and with where the source stands, and of histories
// in the native binary format behind it: what registers hold, what is open, and what came last.
// It takes the place of the one before at once, so there is a whole one at any time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "isolde/status.hpp"
#include "stream/archive.hpp"
#include "stream/rounds.hpp"
#include "stream/segments_file.hpp"
#include "stream/source.hpp"

namespace isolde::stream {

struct Checkpoint {
  RoundsOptions options;  ///< as far as verdicts depend on them
  RoundsState rounds;
  Position position;
  std::uint64_t committed = 0;
  std::uint64_t violations = 0;  ///< that were told before
  std::string lost = {};         ///< why there was no order of what came before; or empty
  /// Files by the names they were given, so that no other ones are taken for them.
  std::vector<std::string> sources = {};
  std::string segments_file = {};
  std::string archive_folder = {};
  std::optional<SegmentsFile::Place> segments;
  std::optional<Archive::Place> archive = {};
};

/// On return it is on the disk. ERRORS: kEnvironment; then the one before is still there.
Status write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// What is in the file.
Result<std::string> checkpoint_text(const Checkpoint& checkpoint);
/// `path` is for messages. ERRORS: kBadInput: it is none, or damaged; kLimit.
Result<Checkpoint> parse_checkpoint(const std::string& text, const std::string& path,
                                    base::Budget& budget);

/// Nothing: there is none. ERRORS: as parse_checkpoint(); kEnvironment.
Result<std::optional<Checkpoint>> read_checkpoint(const std::string& path,
                                                  base::Budget& budget);

}  // namespace isolde::stream
