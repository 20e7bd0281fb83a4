// Reading histories: the registry of formats, detection, and the one entry point.
//
// A reader turns bytes into HistoryBuilder calls. It stops at the first byte that breaks the
// format with an Error whose message starts with "<file>:<line>: " (text) or
// "<file>@<byte offset>: " (binary) and says what was found, what was expected and what to do.
// Memory stays proportional to the input's size whatever lengths the bytes claim.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/mapped_file.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::base {
class Budget;
}

namespace isolde::io {

/// One decompressed input file, in memory or, if it is large, mapped to it. Readers see its
/// bytes through view() alone, so that they cannot tell which.
class Input {
 public:
  static constexpr std::size_t kPadding = 64;

  Input() = default;
  Input(std::string path, std::string bytes)
      : name(std::move(path)), bytes_(std::move(bytes)) {}
  Input(std::string path, MappedFile mapped)
      : name(std::move(path)), mapped_(std::move(mapped)) {}
  /// In memory, with kPadding zeros behind the end, so that what simdjson reads beyond it is
  /// the same in every run.
  static Input padded(std::string path, std::string bytes);

  std::string name;  ///< path as given, "-" for standard input; a member's path in directories
  bool compressed = false;  ///< before it was unpacked

  std::string_view view() const {
    return mapped_ ? mapped_->bytes() : std::string_view(bytes_);
  }
  bool is_mapped() const { return mapped_.has_value(); }
  /// How many bytes behind view() may be read. load() gives at least kPadding, which simdjson
  /// needs.
  std::size_t padding() const { return mapped_ ? kPadding : bytes_.capacity() - bytes_.size(); }
  /// Gives back the memory of what was read. It may be read again.
  void forget(std::size_t begin, std::size_t end) const {
    if (mapped_) mapped_->forget(begin, end);
  }

 private:
  std::string bytes_;  // empty when it is mapped
  std::optional<MappedFile> mapped_;
};

/// What a recorder that died has left beside its history (history/inflight.hpp).
struct Leftovers {
  enum class State : std::uint8_t {
    kNone,      ///< there is no such folder
    kInUse,     ///< the recorder is still at work
    kOtherRun,  ///< the machine was started anew since, or is another one
    kRead,
  };
  State state = State::kNone;
  std::string name;          ///< path of the folder
  std::vector<Input> files;  ///< kRead: the ledger, then the slots
};

/// Is told how many bytes of a file have been read so far, and how many it has, unpacked. From
/// the thread that reads, about every 4 MiB.
using ReadProgress = std::function<void(std::uint64_t bytes, std::uint64_t size)>;

/// The files of one history: one, or the members of a directory sorted by natural name order
/// (T2 before T10).
struct Inputs {
  std::string name;
  bool is_directory = false;
  std::vector<Input> files;
  Leftovers leftovers = {};
  std::string stands_for =
      {};  ///< the recording in groups that is not finished (path), or empty
  /// How many threads a reader may use, its own among them, and how large the pieces are that
  /// it then cuts a file into. Neither changes the result.
  unsigned threads = 1;
  std::size_t block_bytes = std::size_t{2} << 20;
  ReadProgress progress = {};  ///< may be empty; told by the native text format's reader alone
  bool lists_rows_later = false;  ///< HistoryBuilder::list_rows_later(), in the native formats
};

/// Reads a file, a directory (regular files in it, not recursive) or standard input ("-"),
/// unpacking gzip and zstd by their magic bytes. A plain file of the native text format comes
/// with its leftovers. ERRORS: kEnvironment with path and reason;
/// kBadInput for broken compression; kLimit when the budget's memory is used up.
Result<Inputs> load(const std::string& path, base::Budget& budget);

/// How many bytes of a file detection looks at.
constexpr std::size_t kHeadBytes = 4096;

/// A format that histories come in: what a file NAME_reader.cpp ends with, NAME_format().
/// docs/formats/ describes each.
struct Format {
  std::string_view name;     ///< as in --format
  std::string_view summary;  ///< one line for --help and docs
  bool directory = false;    ///< reads directories
  /// How sure the format is that it recognises the input, 0 (no) to 100, from a look at names
  /// and first bytes. COST: a few kilobytes.
  int (*detect)(const Inputs& inputs);
  Result<History> (*read)(const Inputs& inputs, base::Budget& budget);
  /// Of a directory: whether it reads the member with this path. Of others it has the name and
  /// the first bytes.
  bool (*takes)(std::string_view path) = nullptr;
};

/// All formats, in the order of help texts: the list in CMakeLists.txt.
std::span<const Format* const> formats();

/// By name; nullptr when there is none.
const Format* find_format(std::string_view name);

/// The histories that a path stands for, each for read_history(). A folder that no format reads
/// as one history stands for the files in it, in natural name order, but for those that are
/// none by their names or first bytes, which are `left_out`; where Jepsen has stored a run, for
/// history.edn. ERRORS: as load(); kUsage for an unknown format name; kBadInput where all are
/// left out. COST: names and first bytes of a folder's files.
Result<std::vector<std::string>> histories_at(const std::string& path, std::string_view format,
                                              base::Budget& budget,
                                              std::vector<std::string>* left_out = nullptr);

/// Loads and reads `path`; of a run that Jepsen stored, history.edn. `format` empty means
/// detect. ERRORS: as load(); kUsage for an unknown format name; kBadInput when no format or
/// more than one recognises the input equally well. `threads`, `progress` and
/// `lists_rows_later` as in Inputs.
Result<History> read_history(const std::string& path, std::string_view format,
                             base::Budget& budget, unsigned threads = 1,
                             const ReadProgress& progress = {}, bool lists_rows_later = false);

/// The same from memory, where nothing is unpacked. `name` is for messages.
Result<History> read_bytes(std::string_view bytes, const std::string& name,
                           std::string_view format, base::Budget& budget, unsigned threads = 1);

}  // namespace isolde::io
