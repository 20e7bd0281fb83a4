// isolde verify of a file of segments: the order of rounds against the history, both read piece
// by piece.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "certify/segments.hpp"
#include "isolde/status.hpp"

namespace isolde::cli {

struct SegmentsProof {
  certify::SegmentsHeader header;
  std::int64_t clock_error_ns = 0;  ///< the largest that it assumes
  std::string objection;            ///< one line; empty: it proves that the level holds
  std::uint64_t segments = 0;
  std::uint64_t came = 0;
  std::uint64_t placed = 0;
  std::uint64_t committed = 0;
};

/// Whether the file is one of segments. Pipes are not looked into.
bool is_segments_file(const std::string& path);

/// `histories` is what was watched, in the same order; one of another format than
/// native-binary is read as a whole. Memory: what each register holds and what has no place
/// yet. ERRORS: those of the files; kLimit: more memory than there is.
Result<SegmentsProof> verify_segments(const std::string& segments,
                                      const std::vector<std::string>& histories,
                                      const std::string& format);

}  // namespace isolde::cli
