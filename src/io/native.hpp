// Isolde's own history formats: `native`, JSON Lines that anybody can write and that survives a
// crash of the writer at any byte (docs/formats/native.md), and `native-binary`, checksummed
// columns for histories beyond ten million transactions (docs/formats/native-binary.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "io/reader.hpp"
#include "io/sink.hpp"
#include "io/writer.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::io {

int detect_native(const Inputs& inputs);
Result<History> read_native(const Inputs& inputs, base::Budget& budget);

int detect_native_binary(const Inputs& inputs);
Result<History> read_native_binary(const Inputs& inputs, base::Budget& budget);

/// Writes what read_native gives back: sessions, transactions in input order with statuses,
/// times and labels, operations, the truncated mark and the notes. ERRORS: kBadInput for names
/// or values that are not valid UTF-8, which JSON cannot carry; those of the sink.
Status write_native(const History& history, Sink& sink, Remarks remarks = Remarks::kNone);

/// A group of a file in the binary format: which one it is, and what it says of the end.
struct BinaryGroup {
  std::uint32_t number = 0;
  bool ends = false;  ///< of the first one: the last one of the complete file says that it is
  bool is_last = false;
  std::int64_t open_since = kNoTime;  ///< no transaction of a later group started before
  /// HistoryOrigin::clock_error_ns of the groups so far, in place of the history's.
  std::optional<std::int64_t> clock_error_ns = {};
};

/// As write_native, in the binary format. `compressed` false keeps every column raw, so that
/// the file can be mapped. As group of a file the history has the transactions that come next;
/// what holds of the whole file (setting, promise, notation, clock, initial contents) is
/// written with the first group alone. COST: memory for one copy of the output.
Status write_native_binary(const History& history, Sink& sink, bool compressed = true,
                           const BinaryGroup& group = {});

/// The most of one group, but for a transaction that is larger by itself.
struct GroupLimits {
  std::size_t txns = std::size_t{1} << 17;
  std::size_t ops = 2'000'000;
};

/// A whole file of the history, in groups that tell since when later ones are open. Histories
/// without times, and those that rounds do not check (of rows, selections or increments), are
/// one group. COST: memory for a copy of the largest group, and for what it becomes.
Status write_native_binary_groups(const History& history, Sink& sink,
                                  const GroupLimits& limits = {});

struct GroupsBefore;

/// What puts the times of several files on one clock. Threads: one at a time.
class OneClock {
 public:
  virtual ~OneClock() = default;
  /// To be added to the times of the file, whose first group tells `first`. ERRORS: kBadInput:
  /// they cannot be compared with those of other files.
  virtual Result<std::int64_t> shift_of(const HistoryOrigin& first) = 0;
  /// So much was read of the file of that name.
  virtual void has_read(const std::string& file, const GroupsBefore& before) = 0;
};

/// What was read of a file in the binary format so far.
struct GroupsBefore {
  std::uint64_t bytes = 0;
  std::uint32_t groups = 0;
  bool end_is_told = false;             ///< the last group says that it is
  bool at_end = false;                  ///< it was the last one
  std::int64_t open_since = kNoTime;    ///< no transaction of a later group started before
  std::int64_t clock_origin = kNoTime;  ///< as HistoryOrigin's, of which the first group tells
  std::string clock_host = {};
  std::int64_t clock_monotonic_ns = kNoTime;
  std::int64_t clock_error_ns = kNoTime;  ///< the largest so far; one that is unknown counts
  std::int64_t shift_ns = 0;        ///< was added to all times of the file, open_since included
  OneClock* clock = nullptr;        ///< tells what to add, and outlives this; null: nothing
  std::string session_prefix = {};  ///< names of sessions begin with it, whatever the file says
};

/// The group that comes next, by itself: sessions and keys are those that occur in it. ERRORS:
/// as a reader's; places are those in the file.
Result<History> read_native_binary_group(const Input& group, GroupsBefore& before,
                                         base::Budget& budget);

}  // namespace isolde::io
