// Vbox's logs: a directory with one file *.log for each session, a concatenation of records,
// little-endian:
//
//   T tid:u32 start:u64 end:u64                      opens a transaction
//   S oid:u32 start:u64 end:u64                      its begin statement
//   W oid start end key:u64 field:u64 value:u32      a write
//   R oid start end key:u64 from_tid:u32 from_oid:u32    a read; 0, 0 is the initial state
//   P oid start end field:u64 low:u32 high:u32 n:u32, then n keys:u64, n from_tid:u32,
//     n from_oid:u32                                 all rows with a field within bounds
//   C oid start end                                  commit; A the same: abort
//
// start and end are the client's clock around the call, in nanoseconds. A read names the write
// it saw by (tid, oid) and the row by its key only, so keys are registers and the write's
// identity is the value; one statement that writes several fields of a row is one write.
//
// A write names the fields that it changed, so that of a row's version nobody knows what the
// other fields hold. But of each field it is known what was written to it. So where a log has
// predicates, a row has another register for each field that they ask about, called like the
// row with the field's number behind it, which holds a row of that one column; and a predicate
// selects among these. The records of one statement are in any order, of which an update by a
// condition needs its predicate first, then what it read, then what it wrote.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>
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
  std::uint64_t field = 0;
  std::uint32_t value = 0;
  std::uint32_t from_txn = 0;
  std::uint32_t from_op = 0;
  std::uint32_t low = 0;  ///< P: bounds of the field, both included
  std::uint32_t high = 0;
  std::vector<std::uint64_t> rows;  ///< P: their keys
  bool has_initial_row = false;     ///< P: one of them is as it was before the log

  bool is_statement() const { return tag == 'W' || tag == 'R' || tag == 'P'; }
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
    constexpr std::string_view kTags = "TSWRPCA";
    if (kTags.find(record.tag) == std::string_view::npos) {
      return fail(record,
                  "found byte " + shown({&record.tag, 1}) + "; expected T, S, W, R, P, C or A");
    }
    record.id = cursor_.u32_little();
    record.start = cursor_.u64_little();
    record.end = cursor_.u64_little();
    if (record.tag == 'W' || record.tag == 'R') record.key = cursor_.u64_little();
    if (record.tag == 'W' || record.tag == 'P') record.field = cursor_.u64_little();
    if (record.tag == 'W') record.value = cursor_.u32_little();
    if (record.tag == 'P') read_rows(record);
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
  void read_rows(VboxRecord& record) {
    record.low = cursor_.u32_little();
    record.high = cursor_.u32_little();
    const std::uint64_t count = cursor_.u32_little();
    constexpr std::uint64_t kRowBytes = 16;
    if (cursor_.remaining() < count * kRowBytes) {
      cursor_.bytes(count * kRowBytes);  // overruns
      return;
    }
    record.rows.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) record.rows.push_back(cursor_.u64_little());
    std::vector<std::uint32_t> txns(count);
    for (std::uint32_t& txn : txns) txn = cursor_.u32_little();
    for (const std::uint32_t txn : txns) {
      const std::uint32_t op = cursor_.u32_little();
      record.has_initial_row = record.has_initial_row || (txn == 0 && op == 0);
    }
  }

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
      if (record.tag != 'P') continue;
      fields_.insert(record.field);
      budget_.spend(record.rows.size() * kRecordTicks);
      if (record.has_initial_row) {
        return bad_byte(file.name, record.offset,
                        "a predicate read returned a row from before the log, of which nobody "
                        "knows what it held; expected that the log begins with a transaction "
                        "that writes all rows");
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
    std::vector<VboxRecord> statement;
    std::uint32_t txn = 0;
    TxnTimes times;
    while (scanner.next(record) && budget_.spend(kRecordTicks)) {
      const bool goes_on =
          record.is_statement() && !statement.empty() && statement.front().id == record.id;
      if (!goes_on) pass_on(statement, txn);
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
        case 'C':
        case 'A':
          builder_.set_status(record.tag == 'C' ? TxnStatus::kCommitted : TxnStatus::kAborted);
          times.end = static_cast<std::int64_t>(record.end);
          builder_.set_times(times);
          break;
        case 'S':
          break;
        default:
          statement.push_back(std::move(record));
          break;
      }
      if (!builder_.status()) {
        return bad_byte(file.name, record.offset, builder_.status().error().message);
      }
    }
    pass_on(statement, txn);
    if (scanner.broken()) return passes_differ(file.name, record.offset);
    if (!budget_.spend(file.view().size())) return out_of_budget(file.name, budget_);
    return ok_status();
  }

  /// The records of one statement of the transaction, which are then gone.
  void pass_on(std::vector<VboxRecord>& statement, std::uint32_t txn) {
    const auto for_each = [&](char tag, const auto& visit) {
      for (const VboxRecord& record : statement) {
        if (record.tag == tag) visit(record);
      }
    };
    if (fields_.empty()) {
      const VboxRecord* last = nullptr;
      for (const VboxRecord& record : statement) {
        const bool repeats = last != nullptr && last->tag == 'W' && last->key == record.key;
        last = &record;
        if (record.tag == 'R') read(record);
        if (record.tag == 'W' && !repeats) write(record, txn);
      }
      return statement.clear();
    }
    for_each('P', [&](const VboxRecord& record) { select(record); });
    for_each('R', [&](const VboxRecord& record) { read(record); });
    std::unordered_set<std::uint64_t> written;
    for_each('W', [&](const VboxRecord& record) {
      if (written.insert(record.key).second) write(record, txn);
      if (fields_.contains(record.field)) write_field(record);
    });
    statement.clear();
  }

  void read(const VboxRecord& record) { builder_.read(key_of(record), read_value(record)); }

  void write(const VboxRecord& record, std::uint32_t txn) {
    builder_.write(key_of(record), identity_.value(builder_, record.id, txn));
  }

  void write_field(const VboxRecord& record) {
    const ColumnValue column{name_of(record.field), builder_.integer(record.value)};
    builder_.write(field_of(record.key, record.field), builder_.row({&column, 1}));
  }

  void select(const VboxRecord& record) {
    Predicate predicate;
    Predicate::Test test;
    test.column = name_of(record.field);
    test.bounds = {record.low, record.high};
    predicate.tests.push_back(std::move(test));
    std::vector<Row> rows;
    for (const std::uint64_t key : record.rows) {
      rows.push_back({field_of(key, record.field), builder_.row({})});
      budget_.spend(kRecordTicks);
    }
    builder_.select(predicate, rows);
  }

  Value name_of(std::uint64_t field) { return builder_.string(std::to_string(field)); }

  KeyId field_of(std::uint64_t key, std::uint64_t field) {
    return builder_.key(builder_.string(std::to_string(key) + "." + std::to_string(field)));
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
  std::unordered_set<std::uint64_t> fields_;  // that predicates ask about
  std::uint64_t seen_txns_ = 0;               // by the first pass
  std::uint64_t passed_txns_ = 0;             // by the second
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
    return count >= 2 && (!scanner.broken() || cut) ? 90 : 0;
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
