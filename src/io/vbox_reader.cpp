// Vbox's logs: a directory with one file *.log for each session, a concatenation of records,
// little-endian:
//
//   T tid:u32 start:u64 end:u64                      opens a transaction
//   S oid:u32 start:u64 end:u64                      its begin statement
//   W oid start end key:u64 field:u64 value:u32      a write
//   R oid start end key:u64 from_tid:u32 from_oid:u32    a read; 0, 0 is the initial state
//   C oid start end                                  commit; A the same: abort
//   P ...                                            a predicate read, not covered yet
//
// start and end are the client's clock around the call, in nanoseconds. A read names the write
// it saw by (tid, oid) and the row by its key only, so keys are registers and the write's
// identity is the value; one statement that writes several fields of a row is one write.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "io/bad_input.hpp"
#include "io/byte_cursor.hpp"
#include "io/file_names.hpp"
#include "io/reader.hpp"
#include "io/write_identity.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

struct VboxRecord {
  char tag = 0;
  std::uint64_t offset = 0;
  std::uint32_t id = 0;  ///< T: the transaction. Others: the operation
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t key = 0;
  std::uint32_t from_txn = 0;
  std::uint32_t from_op = 0;
};

/// Splits one file into records and checks their nesting.
class VboxScanner {
 public:
  VboxScanner(const Input& file, std::string_view bytes) : file_(file), cursor_(bytes) {}

  /// False at the end and when the file breaks the format, see broken().
  bool next(VboxRecord& record) {
    record = VboxRecord();
    record.offset = cursor_.offset();
    if (cursor_.at_end()) return false;
    record.tag = static_cast<char>(cursor_.u8());
    constexpr std::string_view kTags = "TSWRCA";
    if (record.tag == 'P') {
      return fail(record,
                  "found a predicate read (record P); expected T, S, W, R, C or A; "
                  "predicate reads are not covered yet");
    }
    if (kTags.find(record.tag) == std::string_view::npos) {
      return fail(record,
                  "found byte " + shown({&record.tag, 1}) + "; expected T, S, W, R, C or A");
    }
    record.id = cursor_.u32_little();
    record.start = cursor_.u64_little();
    record.end = cursor_.u64_little();
    if (record.tag == 'W' || record.tag == 'R') record.key = cursor_.u64_little();
    if (record.tag == 'W') cursor_.bytes(12);  // field and value
    if (record.tag == 'R') {
      record.from_txn = cursor_.u32_little();
      record.from_op = cursor_.u32_little();
    }
    if (cursor_.overrun()) {
      return fail(record, std::string("found end of file inside a record ") + record.tag +
                              "; the file is cut off");
    }
    return check(record);
  }

  bool broken() const { return broken_; }
  bool overrun() const { return cursor_.overrun(); }
  const Error& error() const { return error_; }

 private:
  bool fail(const VboxRecord& record, std::string_view what) {
    broken_ = true;
    error_ = bad_byte(file_.name, record.offset, what);
    return false;
  }

  bool check(const VboxRecord& record) {
    constexpr auto kMost = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    if (record.start > record.end || record.end > kMost) {
      return fail(record, "found the interval " + std::to_string(record.start) + " to " +
                              std::to_string(record.end) +
                              "; expected nanoseconds with start <= end < 2^63");
    }
    const bool begins = record.tag == 'T';
    if (begins && open_) {
      return fail(record, "found T of transaction " + std::to_string(record.id) +
                              "; expected C or A of the one before first");
    }
    if (!begins && !open_) {
      return fail(record, std::string("found a record ") + record.tag +
                              " outside of a transaction; expected T");
    }
    open_ = record.tag != 'C' && record.tag != 'A';
    return true;
  }

  const Input& file_;
  ByteCursor cursor_;
  bool open_ = false;
  bool broken_ = false;
  Error error_;
};

/// What it takes to look a record up, or to pass it on.
constexpr std::uint64_t kRecordTicks = 8;

class VboxReader {
 public:
  VboxReader(const Inputs& inputs, base::Budget& budget) : inputs_(inputs), budget_(budget) {}

  Result<History> read(const std::vector<const Input*>& files) {
    for (const Input* file : files) {
      const Status status = survey(*file);
      if (!status) return status.error();
    }
    for (const Input* file : files) {
      const Status status = pass_on(*file);
      if (!status) return status.error();
    }
    if (passed_txns_ != seen_txns_) return passes_differ(inputs_.name, 0);
    const std::size_t ignored = inputs_.files.size() - files.size();
    if (ignored > 0) {
      builder_.origin().notes.push_back(counted(ignored, "file") +
                                        " not called *.log left out");
    }
    return finish_history(builder_, inputs_, "vbox");
  }

 private:
  /// First pass: how writes are told apart.
  Status survey(const Input& file) {
    VboxScanner scanner(file, file.view());
    VboxRecord record;
    std::uint32_t txn = 0;
    while (scanner.next(record) && budget_.spend(kRecordTicks)) {
      if (record.tag == 'T') {
        txn = record.id;
        ++seen_txns_;
      }
      if (record.tag == 'W') identity_.see(key_of(record), record.id, txn);
      if (record.tag == 'R' && !reads_initial(record)) {
        identity_.see(key_of(record), record.from_op, record.from_txn);
      }
    }
    if (scanner.broken()) return scanner.error();
    if (!budget_.spend(file.view().size())) return out_of_budget(file.name, budget_);
    return ok_status();
  }

  Status pass_on(const Input& file) {
    const SessionId session = builder_.session(session_of_file(file.name));
    VboxScanner scanner(file, file.view());
    VboxRecord record;
    VboxRecord last;
    std::uint32_t txn = 0;
    TxnTimes times;
    while (scanner.next(record) && budget_.spend(kRecordTicks)) {
      switch (record.tag) {
        case 'T':
          txn = record.id;
          ++passed_txns_;
          times = {static_cast<std::int64_t>(record.start), kNoTime};
          builder_.begin_txn(session, record.offset);
          builder_.set_label(builder_.integer(txn));
          // Until its end is seen nobody knows what became of it.
          builder_.set_status(TxnStatus::kIndeterminate);
          builder_.set_times(times);
          break;
        case 'W':
          if (last.tag != 'W' || last.id != record.id || last.key != record.key) {
            builder_.write(key_of(record), identity_.value(builder_, record.id, txn));
          }
          break;
        case 'R':
          builder_.read(key_of(record), read_value(record));
          break;
        case 'C':
        case 'A':
          builder_.set_status(record.tag == 'C' ? TxnStatus::kCommitted : TxnStatus::kAborted);
          times.end = static_cast<std::int64_t>(record.end);
          builder_.set_times(times);
          break;
        default:
          break;
      }
      if (!builder_.status()) {
        return bad_byte(file.name, record.offset, builder_.status().error().message);
      }
      last = record;
    }
    if (scanner.broken()) return passes_differ(file.name, record.offset);
    if (!budget_.spend(file.view().size())) return out_of_budget(file.name, budget_);
    return ok_status();
  }

  static bool reads_initial(const VboxRecord& read) {
    return read.from_txn == 0 && read.from_op == 0;
  }

  Value read_value(const VboxRecord& read) {
    if (reads_initial(read)) return Value::null();
    return identity_.value(builder_, read.from_op, read.from_txn);
  }

  KeyId key_of(const VboxRecord& record) {
    constexpr auto kMost = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    if (record.key <= kMost) {
      return builder_.key(builder_.integer(static_cast<std::int64_t>(record.key)));
    }
    return builder_.key(builder_.literal(std::to_string(record.key)));
  }

  const Inputs& inputs_;
  base::Budget& budget_;
  HistoryBuilder builder_;
  WriteIdentity identity_;
  std::uint64_t seen_txns_ = 0;    // by the first pass
  std::uint64_t passed_txns_ = 0;  // by the second
};

int detect_vbox(const Inputs& inputs) {
  for (const Input* file : files_ending_in(inputs, ".log")) {
    const std::string_view head = head_of(*file);
    if (head.empty()) continue;
    if (head.front() != 'T') return 0;
    VboxScanner scanner(*file, head);
    VboxRecord record;
    int count = 0;
    while (scanner.next(record)) ++count;
    const bool cut = scanner.overrun() && head.size() < file->view().size();
    // A predicate read is Vbox all the same; the reader says why it is refused.
    const bool predicate = record.tag == 'P';
    return count >= 2 && (!scanner.broken() || cut || predicate) ? 90 : 0;
  }
  return 0;
}

Result<History> read_vbox(const Inputs& inputs, base::Budget& budget) {
  const std::vector<const Input*> files = files_ending_in(inputs, ".log");
  if (files.empty()) {
    return Error{ErrorCode::kBadInput,
                 inputs.name + ": found no *.log file; expected one for each session"};
  }
  return VboxReader(inputs, budget).read(files);
}

}  // namespace

const Format& vbox_format() {
  static constexpr Format kFormat = {
      .name = "vbox",
      .summary = "Vbox binary logs (a file for each session)",
      .directory = true,
      .detect = detect_vbox,
      .read = read_vbox,
      .takes = is_log,
  };
  return kFormat;
}

}  // namespace isolde::io
