// Source: where the transactions of a history come from, part by part.
//
// Which part comes after which depends on what the files hold and on nothing else: not on when
// it was written, nor on how much of it was there at the time of a look. So a part can be read
// again, in this process or in a later one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "io/native.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"
#include "stream/common_clock.hpp"
#include "stream/suspects.hpp"

namespace isolde::stream {

/// Transactions that come next, with sessions, keys and values of their own.
struct Part {
  History history;
  /// No transaction of a later part starts before; kNoTime: nobody knows.
  std::int64_t open_since = kNoTime;
  bool is_last = false;  ///< it says that no other will come
};

/// What was read of a file so far.
struct FilePosition {
  std::uint32_t source = 0;    ///< of which one of several sources it is, from 0
  std::string name;            ///< its path
  io::GroupsBefore before;     ///< where the next group begins, and what is known before it
  std::uint64_t contents = 0;  ///< a checksum of the groups
  bool is_over = false;        ///< nothing more comes of it, whatever is written to it
  /// Of a stream of messages (nats_source.hpp) the place of the last one; 0: it is a file.
  std::uint64_t place = 0;
};

/// What was read of a source so far: of each of its files that were begun, in the order in
/// which they were. A few words for each file, whatever they hold.
struct Position {
  std::vector<FilePosition> files;

  /// A checksum of all of it.
  std::uint64_t contents() const;
};

/// Nothing is read before the first call of next(). Threads: one at a time.
class Source {
 public:
  struct Next {
    std::optional<Part> part = {};  ///< nothing: no whole one is there now
    bool is_over = false;           ///< nor will there be one
  };

  virtual ~Source() = default;

  /// ERRORS: kBadInput with file and place; kLimit; kEnvironment. COST: linear in the part.
  virtual Result<Next> next(base::Budget& budget) = 0;

  /// Otherwise again(), visit_again(), position() and resume() are of no use: it is a pipe.
  virtual bool can_begin_anew() const = 0;
  /// A source of the parts that next() gave, from the first one on, and of no others. Whatever
  /// has the names of the files by now, it reads those that were read. REQUIRES:
  /// can_begin_anew(). ERRORS: kEnvironment.
  virtual Result<std::unique_ptr<Source>> again() const = 0;
  /// The same parts in the same order, with the numbers of their first transactions. REQUIRES:
  /// can_begin_anew(). ERRORS: as next(); kEnvironment where a file has changed since, of which
  /// it is known at the end that what was visited is of no use.
  Status visit_again(const Visit& visit, base::Budget& budget) const;

  /// From here a source of the same files, perhaps of a later process, goes on.
  virtual Position position() const = 0;
  /// Before the first part: that next() gives what comes behind that position. again() has
  /// what came before, too. ERRORS: kEnvironment: the files are not those that were read.
  virtual Status resume(const Position& position, base::Budget& budget) = 0;

  /// Once nothing is read any more: why the parts are not all that there should be, a clause;
  /// empty: they are.
  virtual std::string cut_off() const = 0;

  /// A checkpoint with that position is where it outlives this process: who has sent what comes
  /// before it may forget it.
  virtual void acknowledge(const Position& /*position*/) {}
};

struct SourceOptions {
  /// A file is not over where it ends, but where it says so. Nor is anything waited for: a pipe
  /// gives what is there.
  bool follows = false;
  std::string session_prefix = {};  ///< names of sessions begin with it
  /// Files that were over may have gone, if resume() tells of them (consumption.hpp).
  bool may_be_gone = false;
  /// On which the times of all files are put; it outlives the source. Null: they stay as they
  /// are told.
  CommonClock* clock = nullptr;
  /// Is told what is worth a line, though it changes no verdict. May be empty.
  std::function<void(const std::string& line)> tell = {};
};

/// Until there is something of each name, which a writer may not have begun; each that is
/// waited for is told once. ERRORS: kLimit, also where the program is interrupted.
Status wait_until_there(std::span<const std::string> paths,
                        const std::function<void(const std::string& line)>& tell,
                        base::Budget& budget);

/// A file in the native binary format, a pipe, standard input ("-"), a folder with files that
/// follow one another (folder_source.hpp), or a recorder's messages (nats_source.hpp). ERRORS:
/// kEnvironment with path and reason; kUsage: an address that is none.
Result<std::unique_ptr<Source>> open_source(const std::string& path,
                                            const SourceOptions& options);
/// Several of them as one (joint_source.hpp), where names of sessions begin with "PATH/".
/// ERRORS: as open_source(); kUsage: one of them is given twice. REQUIRES: at least one.
Result<std::unique_ptr<Source>> open_sources(std::span<const std::string> paths,
                                             SourceOptions options);

}  // namespace isolde::stream
