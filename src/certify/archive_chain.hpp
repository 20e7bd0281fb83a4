// The chain of an archive: one line for each file that is complete, with digests of it and of
// all lines before. The page is docs/formats/archive.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "isolde/level.hpp"
#include "isolde/status.hpp"
#include "isolde/times.hpp"

namespace isolde::certify {

/// How every chain begins, and what it is called in its folder.
inline constexpr std::string_view kArchiveBegin = R"({"isolde-archive":)";
inline constexpr std::string_view kArchiveChain = "chain";

struct ArchiveHeader {
  Level level = Level::kStrictSerializable;
  std::int64_t clock_error_ns = 0;
  std::string keys = {};  ///< as in segments
};

/// A line behind the header.
struct ArchiveLine {
  /// A file of transactions that is complete, with the order that its rounds settled.
  struct File {
    std::uint64_t first = 0;         ///< number of its first transaction, which names it
    std::uint64_t transactions = 0;  ///< how many it has
    std::uint64_t bytes = 0;         ///< of these
    std::uint32_t groups = 0;        ///< in which they are
    std::uint64_t contents = 0;      ///< a checksum of the groups
    std::uint64_t size = 0;          ///< bytes of all that belongs to it
    std::int64_t until = kNoTime;    ///< the latest end of all that came so far
    std::string history;             ///< digest of the transactions
    std::string order;               ///< digest of the segments
    /// Digest of what the next file begins with; empty: there is none.
    std::string next;
    /// The latest start of those that have a place before the next file.
    std::int64_t latest_start = kNoTime;
  };
  std::optional<File> file = {};
  /// Files of earlier transactions than that were deleted.
  std::optional<std::uint64_t> deleted = {};
  /// All has come, and the level holds: number of transactions.
  std::optional<std::uint64_t> end = {};
};

/// Makes the lines of a chain.
class ArchiveChainText {
 public:
  std::string header(const ArchiveHeader& header);
  std::string line(const ArchiveLine& line);
  /// Digest of all lines so far, which the last one ends with.
  const std::string& chain() const { return chain_; }
  /// The next line is one behind that.
  void go_on(std::string chain) { chain_ = std::move(chain); }

 private:
  std::string sealed(const std::string& line);
  std::string chain_;
};

/// Reads a chain line by line.
class ArchiveChainReader {
 public:
  /// `text` is that of the file with that path. ERRORS: kBadInput with the line.
  static Result<ArchiveChainReader> open(std::string text, const std::string& path);

  const ArchiveHeader& header() const { return header_; }
  /// Nothing: there is no more. A last line without its line break is left out. ERRORS:
  /// kBadInput with the line: it is not what was written.
  Result<std::optional<ArchiveLine>> next();
  const std::string& chain() const { return chain_; }

 private:
  ArchiveChainReader() = default;
  Result<std::optional<std::string>> line();
  Error error(const std::string& problem) const;

  std::string path_;
  std::string text_;
  std::size_t at_ = 0;
  std::size_t lines_ = 0;
  std::string chain_;
  ArchiveHeader header_;
};

}  // namespace isolde::certify
