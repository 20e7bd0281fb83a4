// Archive: the transactions that came, in files that follow one another, each with the order
// that rounds settled meanwhile, and a chain of digests (docs/formats/archive.md).
//
// In a folder, N being the number of its first transaction, a file is N.isob, the transactions;
// N.segments, the order; and, but for the first one, N.start: what the registers held, and who
// was open, when it was begun. From there an order can be verified when what came before was
// deleted. A file that is complete has a line in the chain, and is not written to any more.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "certify/archive_chain.hpp"
#include "stream/rounds.hpp"
#include "stream/segments_file.hpp"
#include "stream/source.hpp"
#include "stream/suspects.hpp"

namespace isolde::stream {

struct ArchiveOptions {
  certify::SegmentsHeader segments = {};  ///< of all files of segments
  /// A file with so many bytes of transactions is complete.
  std::uint64_t file_bytes = std::uint64_t{64} << 20;
  /// Files are deleted whose transactions ended longer before the newest one's end.
  std::optional<std::int64_t> keep_ns = {};
  /// The oldest files are deleted while those that are complete have more bytes together.
  std::optional<std::uint64_t> keep_bytes = {};
};

/// Threads: one at a time. What cannot be written is told by the functions that return Status,
/// from then on by all of them, and nothing more is written.
class Archive {
 public:
  /// How much of it there is: from here a later process goes on.
  struct Place {
    certify::ArchiveLine::File file;  ///< that is not complete
    SegmentsFile::Place order;        ///< of it
    std::uint64_t chain_bytes = 0;
    std::string chain;
  };

  Archive() = default;
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// Whether there is room for a new one: an empty folder, or nothing. ERRORS: kUsage: there is
  /// something; kEnvironment.
  static Status check_new(const std::string& folder);
  /// A new one there. ERRORS: as check_new().
  Status begin(const std::string& folder, const ArchiveOptions& options);
  /// That of an earlier process, without what it wrote behind that place; behind Place() there
  /// is nothing. ERRORS: kEnvironment, also where it does not reach there, or another one is
  /// there; kBadInput. Then all of it is as it was.
  Status go_on(const std::string& folder, const ArchiveOptions& options, const Place& place);
  bool is_open() const { return is_open_; }
  /// ERRORS: what could not be written so far.
  const Status& status() const { return status_; }

  /// The part that rounds take next.
  void came(const History& part, std::int64_t open_since);
  void settled(std::span<const TxnNumber> order, std::uint64_t state,
               std::optional<std::int64_t> clock_error_ns = {});
  /// A round was made: the file may be complete. REQUIRES: rounds.verdict() is kHolds.
  void round_is_over(const Rounds& rounds);
  /// visit_again() can be of use.
  bool has_all() const { return is_open_ && status_.ok() && deleted_ == 0; }
  /// Whether something may be deleted that nobody needs who goes on from sync().
  bool has_doomed() const { return !doomed_.empty(); }
  /// All of it is on the disk. ERRORS: as status().
  Result<Place> sync();
  /// What the last sync() returned will not be gone behind: deletes what is too old.
  void pass();
  /// Nothing more comes. `end`: number of transactions, if the level holds. ERRORS: as
  /// status().
  Status finish(std::optional<std::uint64_t> end, bool deletes = true);

  /// All that came so far, once more. ERRORS: as Source::visit_again(); kEnvironment: some was
  /// deleted.
  Status visit_again(const Visit& visit, base::Budget& budget) const;

 private:
  std::string path(TxnNumber first, std::string_view suffix) const;
  void open_file(TxnNumber first);
  void close_file(const Rounds* rounds);
  void retire();
  void put_line(const certify::ArchiveLine& line);
  Result<std::string> write_start(const Rounds& rounds);
  Status check_nothing_came() const;
  Status read_chain(const Place& place);
  Status check_last(const Place& place) const;
  Status restore(const Place& place);
  Status create();
  Status remove_from(TxnNumber first);
  void heed(const Status& status);

  std::string folder_;
  ArchiveOptions options_;
  bool is_open_ = false;
  Status status_ = ok_status();
  std::deque<certify::ArchiveLine::File> kept_;  // that are complete
  certify::ArchiveLine::File file_;              // that is not
  int history_ = -1;                             // descriptors
  int chain_file_ = -1;
  std::optional<SegmentsFile> order_;
  certify::ArchiveChainText chain_;
  std::uint64_t chain_bytes_ = 0;
  TxnNumber deleted_ = 0;          // what came before that was, or will be
  std::vector<TxnNumber> doomed_;  // files
};

}  // namespace isolde::stream
