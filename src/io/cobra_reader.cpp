// Cobra's logs: a directory with one file *.log for each client (session), a concatenation of
// records, big-endian, no header:
//
//   S txn [time]                       begin        txn and all other fields are i64
//   W write key value                  write        key is a hash or, in a variant, u32 length
//   R writer write key value           read           and characters
//   C txn [time]                       commit       time (ms) only when the producer was told
//   to A txn                              abort
//
// Nothing says whether times are there and what keys are, so the four layouts are tried in
// turn.
//
// A read names the write it saw by (writer, write), and values are hashes, so the write's
// identity becomes the value. Special writers: INIT and NULL (the initial state), DELETE. In
// the logs of another CobraBench all reads name the writer 0xabddefee; there the value hash is
// the value. A writer that never began anywhere did not commit before the logs were collected:
// it becomes an aborted transaction that wrote what was read from it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/budget.hpp"
#include "io/bad_input.hpp"
#include "io/byte_cursor.hpp"
#include "io/file_names.hpp"
#include "io/reader.hpp"
#include "io/register_log.hpp"
#include "io/text_cursor.hpp"
#include "io/write_identity.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

constexpr std::int64_t kInit = 0xbebeebee;    // the row existed before the first transaction
constexpr std::int64_t kNull = 0xdeadbeef;    // there was no row
constexpr std::int64_t kDelete = 0xabcdefab;  // the row was deleted
constexpr std::int64_t kMissing = 0xadeafbee;
constexpr std::int64_t kAnyWriter = 0xabddefee;
constexpr std::int64_t kInitialTxn = -1;  // PolySI's converter writes T-1.log, transaction -1

struct Layout {
  bool times = false;
  bool string_keys = false;
};

struct CobraRecord {
  char tag = 0;
  std::uint64_t offset = 0;
  std::int64_t txn = 0;   ///< S, C, A: the transaction. R: the writer
  std::int64_t time = 0;  ///< S, C with times, in milliseconds
  std::int64_t write = 0;
  std::int64_t value = 0;
  std::int64_t key_hash = 0;
  std::string_view key_text;
};

/// Splits one file into records and checks their nesting.
class CobraScanner {
 public:
  CobraScanner(const Input& file, std::string_view bytes, Layout layout)
      : file_(file), cursor_(bytes), layout_(layout) {}

  /// False at the end and when the file breaks the format; error() tells which.
  bool next(CobraRecord& record) {
    record = CobraRecord();
    record.offset = cursor_.offset();
    if (cursor_.at_end()) return false;
    record.tag = static_cast<char>(cursor_.u8());
    switch (record.tag) {
      case 'S':
      case 'C':
      case 'A':
        record.txn = cursor_.i64_big();
        if (layout_.times && record.tag != 'A') record.time = cursor_.i64_big();
        break;
      case 'R':
        record.txn = cursor_.i64_big();
        [[fallthrough]];
      case 'W':
        record.write = cursor_.i64_big();
        take_key(record);
        record.value = cursor_.i64_big();
        break;
      default:
        // VeriStrong met files that end in 0xff.
        if (record.tag == '\xff' && cursor_.at_end()) return false;
        return fail(record, "found byte " + shown({&record.tag, 1}) +
                                "; expected a record S, W, R, C or A");
    }
    if (cursor_.overrun()) {
      return fail(record, std::string("found end of file inside a record ") + record.tag +
                              "; expected " + layout_name() + "; the file is cut off");
    }
    return check_nesting(record);
  }

  bool broken() const { return broken_; }
  bool overrun() const { return cursor_.overrun(); }
  const Error& error() const { return error_; }

 private:
  bool fail(const CobraRecord& record, std::string_view what) {
    broken_ = true;
    error_ = bad_byte(file_.name, record.offset, what);
    return false;
  }

  std::string layout_name() const {
    std::string name = layout_.times ? "records with times" : "records without times";
    name += layout_.string_keys ? " and with text keys" : " and with key hashes";
    return name;
  }

  void take_key(CobraRecord& record) {
    if (layout_.string_keys) {
      record.key_text = cursor_.bytes(cursor_.u32_big());
    } else {
      record.key_hash = cursor_.i64_big();
    }
  }

  bool check_nesting(const CobraRecord& record) {
    const bool begins = record.tag == 'S';
    const bool ends = record.tag == 'C' || record.tag == 'A';
    if (begins && open_) {
      return fail(record, "found S of transaction " + std::to_string(record.txn) +
                              "; expected C of transaction " + std::to_string(txn_) + " first");
    }
    if (!begins && !open_) {
      return fail(record, std::string("found a record ") + record.tag +
                              " outside of a transaction; expected S");
    }
    if (ends && record.txn != txn_) {
      return fail(record, "found the end of transaction " + std::to_string(record.txn) +
                              "; expected that of transaction " + std::to_string(txn_));
    }
    if (!is_utf8(record.key_text)) {
      return fail(record, "found a key that is not UTF-8; expected text");
    }
    if (begins) txn_ = record.txn;
    open_ = !ends;
    return true;
  }

  const Input& file_;
  ByteCursor cursor_;
  Layout layout_;
  bool open_ = false;
  std::int64_t txn_ = 0;
  bool broken_ = false;
  Error error_;
};

/// What it takes to look a record up, or to pass it on.
constexpr std::uint64_t kSurveyTicks = 8;

constexpr std::array<Layout, 4> kLayouts = {
    {{false, false}, {true, false}, {false, true}, {true, true}}};

bool is_initial(const CobraRecord& read) { return read.txn == kInit || read.txn == kNull; }

bool is_delete(std::int64_t write) { return write == kDelete || write == kNull; }

class CobraReader {
 public:
  CobraReader(const Inputs& inputs, std::vector<const Input*> files, base::Budget& budget)
      : inputs_(inputs),
        files_(std::move(files)),
        budget_(budget),
        log_(builder_, {.zero_is_initial = false, .find_initial = false}) {}

  Result<History> read() {
    Status status = choose_layout();
    if (!status) return status.error();
    status = survey();
    if (!status) return status.error();
    for (const Input* file : files_) {
      status = pass_on_file(*file);
      if (!status) return status.error();
    }
    if (passed_txns_ != txns_.size()) return passes_differ(inputs_.name, 0);
    pass_on_unknown_writers();
    if (!log_.pass_on(budget_)) return out_of_budget(inputs_.name, budget_);
    note_what_was_interpreted();
    return finish_history(builder_, inputs_, "cobra");
  }

 private:
  struct Unknown {
    std::int64_t writer = 0;
    std::vector<std::pair<KeyId, Value>> writes;
  };

  Status choose_layout() {
    Error best_error;
    std::uint64_t best_count = 0;
    for (const Layout layout : kLayouts) {
      std::uint64_t count = 0;
      Error error;
      bool broken = false;
      for (const Input* file : files_) {
        CobraScanner scanner(*file, file->view(), layout);
        CobraRecord record;
        while (scanner.next(record) && budget_.spend(1)) ++count;
        if (scanner.broken() && !broken) error = scanner.error();
        broken = broken || scanner.broken();
        if (!budget_.spend(file->view().size())) return out_of_budget(file->name, budget_);
      }
      layout_ = layout;
      if (!broken) return ok_status();
      // None may fit; then the one that got further tells what is wrong.
      if (best_error.message.empty() || count > best_count) best_error = error;
      best_count = std::max(best_count, count);
    }
    return best_error;
  }

  KeyId key_of(const CobraRecord& record) {
    return builder_.key(layout_.string_keys ? builder_.string(record.key_text)
                                            : builder_.integer(record.key_hash));
  }

  /// First pass: which transactions there are and how writes are told apart.
  Status survey() {
    for (const Input* file : files_) {
      CobraScanner scanner(*file, file->view(), layout_);
      CobraRecord record;
      std::int64_t txn = 0;
      while (scanner.next(record) && budget_.spend(kSurveyTicks)) {
        if (record.tag == 'S') {
          txn = record.txn;
          if (!txns_.insert(txn).second) {
            return bad_byte(file->name, record.offset,
                            "found transaction " + std::to_string(txn) +
                                " once more; expected every id once in the directory");
          }
        } else if (record.tag == 'W') {
          const KeyId key = key_of(record);
          if (is_delete(record.write)) {
            deleted_keys_.insert(key.raw());
          } else {
            identity_.see(key, record.write, txn);
          }
        } else if (record.tag == 'R') {
          reads_init_ = reads_init_ || record.txn == kInit;
          by_value_ = by_value_ || record.txn == kAnyWriter;
          if (!is_initial(record) && !is_delete(record.txn) && !is_delete(record.write)) {
            identity_.see(key_of(record), record.write, record.txn);
          }
        }
      }
      if (scanner.broken()) return passes_differ(file->name, record.offset);
      if (!budget_.spend(file->view().size())) return out_of_budget(file->name, budget_);
    }
    return ok_status();
  }

  Status pass_on_file(const Input& file) {
    const std::uint32_t session = log_.session(session_of_file(file.name));
    CobraScanner scanner(file, file.view(), layout_);
    CobraRecord record;
    std::int64_t txn = 0;
    TxnTimes times;
    while (scanner.next(record) && budget_.spend(kSurveyTicks)) {
      switch (record.tag) {
        case 'S':
          txn = record.txn;
          if (!txns_.contains(txn)) return passes_differ(file.name, record.offset);
          ++passed_txns_;
          log_.begin(session, record.offset);
          log_.set_label(builder_.integer(txn));
          // Until its end is seen nobody knows what became of it.
          log_.set_status(TxnStatus::kIndeterminate);
          times = {};
          break;
        case 'C':
          log_.set_status(TxnStatus::kCommitted);
          // Logs with reads of INIT have their initial state outside of all transactions.
          if (txn == kInitialTxn && session_of_file(file.name) == "-1" && !reads_init_) {
            log_.set_initial();
          }
          break;
        case 'A':
          log_.set_status(TxnStatus::kAborted);
          break;
        case 'W':
          log_.write(key_of(record), written_value(record, txn));
          break;
        default:
          pass_on_read(record);
          break;
      }
      if (layout_.times && (record.tag == 'S' || record.tag == 'C')) {
        const Status status = take_time(file, record, times);
        if (!status) return status.error();
      }
    }
    if (scanner.broken()) return passes_differ(file.name, record.offset);
    if (budget_.exhausted()) return out_of_budget(file.name, budget_);
    return ok_status();
  }

  /// Milliseconds as the nanoseconds that they may stand for.
  Status take_time(const Input& file, const CobraRecord& record, TxnTimes& times) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1'000'000 - 1;
    if (record.time < 0 || record.time > kMost) {
      return bad_byte(
          file.name, record.offset,
          "found time " + std::to_string(record.time) + "; expected milliseconds since 1970");
    }
    const std::int64_t begin = record.time * 1'000'000;
    if (record.tag == 'S') {
      times.start = begin;
    } else {
      times.end = begin + 999'999;
    }
    // A clock that was set back in between says nothing about this transaction.
    if (record.tag == 'C' && times.end < times.start) {
      times = {};
      ++useless_times_;
    }
    log_.set_times(times);
    return ok_status();
  }

  Value written_value(const CobraRecord& record, std::int64_t txn) {
    if (is_delete(record.write)) return deleted_by(txn);
    return by_value_ ? builder_.integer(record.value)
                     : identity_.value(builder_, record.write, txn);
  }

  Value deleted_by(std::int64_t txn) {
    return builder_.string("deleted by " + std::to_string(txn));
  }

  void pass_on_read(const CobraRecord& record) {
    const KeyId key = key_of(record);
    if (record.txn == kInit) {
      log_.read(key, Value::null());
    } else if (is_delete(record.txn) || record.txn == kMissing) {
      // No row, but if somebody deletes it, this does not tell whether before or after.
      if (deleted_keys_.contains(key.raw()) || record.txn == kMissing) {
        ++unclear_reads_;
        log_.read_unknown(key);
      } else {
        log_.read(key, Value::null());
      }
    } else if (by_value_ && record.txn == kAnyWriter) {
      log_.read(key, builder_.integer(record.value));
    } else {
      const Value value = is_delete(record.write) ? deleted_by(record.txn)
                          : by_value_             ? builder_.integer(record.value)
                                      : identity_.value(builder_, record.write, record.txn);
      log_.read(key, value);
      if (!txns_.contains(record.txn)) note_unknown_writer(record.txn, key, value);
    }
  }

  void note_unknown_writer(std::int64_t writer, KeyId key, Value value) {
    const auto [entry, fresh] = unknown_slots_.try_emplace(writer, unknown_.size());
    if (fresh) unknown_.push_back({writer, {}});
    unknown_[entry->second].writes.emplace_back(key, value);
  }

  void pass_on_unknown_writers() {
    if (unknown_.empty()) return;
    const std::uint32_t session = log_.session("uncommitted");
    for (Unknown& unknown : unknown_) {
      log_.begin(session, 0);
      log_.set_status(TxnStatus::kAborted);
      log_.set_label(builder_.integer(unknown.writer));
      auto& writes = unknown.writes;
      const auto less = [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : a.second.bits() < b.second.bits();
      };
      std::sort(writes.begin(), writes.end(), less);
      writes.erase(std::unique(writes.begin(), writes.end()), writes.end());
      for (const auto& [key, value] : writes) log_.write(key, value);
    }
  }

  void note_what_was_interpreted() {
    std::vector<std::string>& notes = builder_.origin().notes;
    const std::size_t ignored = inputs_.files.size() - files_.size();
    if (ignored > 0) notes.push_back(counted(ignored, "file") + " not called *.log left out");
    if (!unknown_.empty()) {
      notes.push_back(counted(unknown_.size(), "transaction") +
                      " that others read from never began in any log; taken as aborted, in "
                      "session uncommitted");
    }
    if (unclear_reads_ > 0) {
      notes.push_back(counted(unclear_reads_, "read") +
                      " of a deleted or missing row do not name the delete; taken as unknown");
    }
    if (useless_times_ > 0) {
      notes.push_back(counted(useless_times_, "transaction") +
                      " whose clock ran backwards; their times left out");
    }
    if (by_value_) {
      notes.push_back("reads do not name their writer (0xabddefee); matched by value hash");
    }
  }

  const Inputs& inputs_;
  std::vector<const Input*> files_;
  base::Budget& budget_;
  Layout layout_;
  HistoryBuilder builder_;
  RegisterLog log_;
  WriteIdentity identity_;
  bool by_value_ = false;
  bool reads_init_ = false;
  std::unordered_set<std::int64_t> txns_;
  std::size_t passed_txns_ = 0;
  std::unordered_set<std::uint32_t> deleted_keys_;
  std::unordered_map<std::int64_t, std::size_t> unknown_slots_;
  std::vector<Unknown> unknown_;
  std::uint64_t unclear_reads_ = 0;
  std::uint64_t useless_times_ = 0;
};

int detect_cobra(const Inputs& inputs) {
  for (const Input* file : files_ending_in(inputs, ".log")) {
    const std::string_view head = head_of(*file);
    if (head.empty()) continue;
    if (head.front() != 'S') return 0;
    for (const Layout layout : kLayouts) {
      CobraScanner scanner(*file, head, layout);
      CobraRecord record;
      int count = 0;
      while (scanner.next(record)) ++count;
      const bool cut = scanner.overrun() && head.size() < file->view().size();
      if (count >= 2 && (!scanner.broken() || cut)) return 90;
    }
    return 0;
  }
  return 0;
}

Result<History> read_cobra(const Inputs& inputs, base::Budget& budget) {
  std::vector<const Input*> files = files_ending_in(inputs, ".log");
  if (files.empty()) {
    return Error{ErrorCode::kBadInput,
                 inputs.name + ": found no *.log file; expected one for each client"};
  }
  return CobraReader(inputs, std::move(files), budget).read();
}

}  // namespace

const Format& cobra_format() {
  static constexpr Format kFormat = {
      .name = "cobra",
      .summary = "Cobra binary logs (T*.log, a file for each client)",
      .directory = true,
      .detect = detect_cobra,
      .read = read_cobra,
      .takes = is_log,
  };
  return kFormat;
}

}  // namespace isolde::io
