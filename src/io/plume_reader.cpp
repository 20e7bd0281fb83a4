// The text of PolySI, Plume, MTC and IsoVista: one operation a line, r(K,V,S,T) or w(K,V,S,T)
// with key, value, session and transaction. Lines of different transactions may interleave, so
// operations are collected first and grouped by transaction in order of first appearance.
// A transaction is named by session and id together because MTC reuses ids across sessions.
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "io/bad_input.hpp"
#include "io/file_names.hpp"
#include "io/reader.hpp"
#include "io/register_log.hpp"
#include "io/text_cursor.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

constexpr std::string_view kShape = "r(key,value,session,txn) or w(key,value,session,txn)";
constexpr std::int64_t kAbortedId = -1;

struct PlumeLine {
  bool write = false;
  std::string_view key;
  std::string_view value;
  std::int64_t session = 0;
  std::int64_t txn = 0;
};

bool parse_field(TextCursor& cursor, char before, std::string_view& digits) {
  if (!cursor.accept(before)) return false;
  cursor.skip_blanks();
  const auto found = cursor.digits();
  if (!found) return false;
  digits = *found;
  cursor.skip_blanks();
  return true;
}

bool parse_field(TextCursor& cursor, char before, std::int64_t& number) {
  if (!cursor.accept(before)) return false;
  cursor.skip_blanks();
  const auto found = cursor.integer();
  if (!found) return false;
  number = *found;
  cursor.skip_blanks();
  return true;
}

/// One operation; the cursor ends behind it, or where the line breaks the format.
bool parse_line(TextCursor& cursor, PlumeLine& line) {
  line.write = cursor.peek() == 'w';
  if (!cursor.accept(line.write ? 'w' : 'r')) return false;
  cursor.skip_blanks();
  return parse_field(cursor, '(', line.key) && parse_field(cursor, ',', line.value) &&
         parse_field(cursor, ',', line.session) && parse_field(cursor, ',', line.txn) &&
         cursor.accept(')');
}

class PlumeReader {
 public:
  explicit PlumeReader(const Inputs& inputs) : inputs_(inputs) {}

  Result<History> read(base::Budget& budget) {
    for (const Input& file : inputs_.files) {
      const Status status = read_file(file, budget);
      if (!status) return status.error();
    }
    if (!pass_on(budget)) return out_of_budget(inputs_.name, budget);
    note_what_was_left_out();
    return finish_history(builder_, inputs_, "plume");
  }

 private:
  static constexpr std::uint32_t kNoTxn = std::numeric_limits<std::uint32_t>::max();

  struct Operation {
    Value value;
    KeyId key;
    std::uint32_t txn = 0;
    bool write = false;
  };
  struct Txn {
    std::int64_t session = 0;
    std::int64_t id = 0;
    std::uint64_t line = 0;
    std::size_t op_count = 0;
  };
  struct Name {
    std::int64_t session = 0;
    std::int64_t id = 0;
    friend bool operator==(const Name&, const Name&) = default;
  };
  struct Hash {
    std::size_t operator()(const Name& name) const {
      return base::mix2(static_cast<std::uint64_t>(name.session),
                        static_cast<std::uint64_t>(name.id));
    }
  };

  Status read_file(const Input& file, base::Budget& budget) {
    TextCursor cursor(file.name, file.view());
    while (true) {
      cursor.skip_space();
      if (cursor.at_end()) return ok_status();
      const std::size_t begin = cursor.offset();
      const std::uint64_t number = cursor.line();
      PlumeLine line;
      if (!parse_line(cursor, line)) return cursor.expected(kShape);
      cursor.skip_blanks();
      if (!cursor.at_end() && cursor.peek() != '\n') {
        return cursor.expected("end of line; one operation per line");
      }
      if (line.session < 0 || line.txn < kAbortedId) {
        return bad_line(file.name, number,
                        "found session " + std::to_string(line.session) + " and transaction " +
                            std::to_string(line.txn) +
                            "; expected numbers from 0, or transaction -1 for a write that "
                            "was aborted");
      }
      add(line, number);
      if (txns_.size() >= kNoTxn) {
        return bad_line(file.name, number, "found transaction 2^32; split the history");
      }
      if (!budget.spend(cursor.offset() - begin)) return out_of_budget(file.name, budget);
    }
  }

  void add(const PlumeLine& line, std::uint64_t number) {
    std::uint32_t txn = kNoTxn;
    if (line.txn != kAbortedId) {
      txn = find_txn({line.session, line.txn}, number);
    } else if (line.write) {
      // Lines say nothing about which aborted writes belong together.
      txn = static_cast<std::uint32_t>(txns_.size());
      txns_.push_back({line.session, kAbortedId, number, 0});
    } else {
      ++aborted_reads_;
      return;
    }
    ++txns_[txn].op_count;
    operations_.push_back({integer_value(builder_, line.value),
                           builder_.key(integer_value(builder_, line.key)), txn, line.write});
  }

  std::uint32_t find_txn(Name name, std::uint64_t number) {
    if (last_txn_ != kNoTxn && name == last_name_) return last_txn_;
    const auto fresh = static_cast<std::uint32_t>(txns_.size());
    const auto [entry, inserted] = slots_.try_emplace(name, fresh);
    if (inserted) {
      txns_.push_back({name.session, name.id, number, 0});
      const auto owner = owners_.try_emplace(name.id, name.session).first;
      if (owner->second != name.session) ++reused_ids_;
    }
    last_name_ = name;
    last_txn_ = entry->second;
    return last_txn_;
  }

  bool pass_on(base::Budget& budget) {
    std::vector<std::size_t> next(txns_.size() + 1, 0);
    for (std::size_t txn = 0; txn < txns_.size(); ++txn) {
      next[txn + 1] = next[txn] + txns_[txn].op_count;
    }
    std::vector<std::size_t> order(operations_.size());
    for (std::size_t at = 0; at < operations_.size(); ++at) {
      order[next[operations_[at].txn]++] = at;
    }
    RegisterLog log(builder_, {.zero_is_initial = true, .find_initial = true});
    std::size_t at = 0;
    for (const Txn& txn : txns_) {
      log.begin(log.session(std::to_string(txn.session)), txn.line);
      if (txn.id == kAbortedId) {
        log.set_status(TxnStatus::kAborted);
      } else {
        log.set_label(builder_.integer(txn.id));
      }
      for (const std::size_t end = at + txn.op_count; at < end; ++at) {
        const Operation& op = operations_[order[at]];
        if (op.write) {
          log.write(op.key, op.value);
        } else {
          log.read(op.key, op.value);
        }
      }
    }
    return log.pass_on(budget);
  }

  void note_what_was_left_out() {
    std::vector<std::string>& notes = builder_.origin().notes;
    if (aborted_reads_ > 0) {
      notes.push_back(counted(aborted_reads_, "read") +
                      " with transaction id -1 (aborted) left out");
    }
    if (reused_ids_ > 0) {
      notes.push_back(counted(reused_ids_, "transaction id") +
                      " used again in another session; taken as different transactions");
    }
  }

  const Inputs& inputs_;
  HistoryBuilder builder_;
  std::vector<Operation> operations_;
  std::vector<Txn> txns_;
  std::unordered_map<Name, std::uint32_t, Hash> slots_;
  std::unordered_map<std::int64_t, std::int64_t> owners_;  // session of a transaction id
  Name last_name_;
  std::uint32_t last_txn_ = kNoTxn;
  std::uint64_t aborted_reads_ = 0;
  std::uint64_t reused_ids_ = 0;
};

int detect_plume(const Inputs& inputs) {
  TextCursor cursor("", head_of(inputs));
  cursor.skip_space();
  PlumeLine line;
  return parse_line(cursor, line) ? 95 : 0;
}

Result<History> read_plume(const Inputs& inputs, base::Budget& budget) {
  return PlumeReader(inputs).read(budget);
}

}  // namespace

const Format& plume_format() {
  static constexpr Format kFormat = {
      .name = "plume",
      .summary = "PolySI, Plume and MTC text: r(key,value,session,txn)",
      .detect = detect_plume,
      .read = read_plume,
  };
  return kFormat;
}

}  // namespace isolde::io
