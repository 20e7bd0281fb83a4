// isolde verify of an archive: the digests of its files, and the order of rounds against what
// came, from the first file that was kept on. docs/formats/archive.md.
#pragma once

#include <cstdint>
#include <string>

#include "certify/archive_chain.hpp"
#include "certify/part_of_whole.hpp"
#include "isolde/status.hpp"

namespace isolde::cli {

struct ArchiveProof {
  certify::ArchiveHeader header;
  std::int64_t clock_error_ns = 0;  ///< the largest that it assumes
  std::string objection;            ///< one line; empty: nothing is wrong with it
  bool has_end = false;             ///< all has come; with no objection, the level holds
  std::uint64_t first = 0;          ///< from that transaction on; what came before was deleted
  std::uint64_t files = 0;          ///< that were verified
  std::uint64_t placed = 0;
  std::uint64_t committed = 0;
  bool has_open_file = false;  ///< the last one, which is not complete: the chain lacks it
  std::string chain;           ///< digest of all of it, but for such a file
};

/// Whether the path is a folder with a chain.
bool is_archive(const std::string& path);

/// `part`: is given all that was kept. Memory: the chain, a group, what each register holds and
/// what has no place yet. ERRORS: those of the files, where they cannot be read; kLimit: more
/// memory than there is.
Result<ArchiveProof> verify_archive(const std::string& folder,
                                    certify::PartOfWhole* part = nullptr);

}  // namespace isolde::cli
