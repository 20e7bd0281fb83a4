// dbcop's text: transactions in brackets, [x:=1 y==2 z==?], with a '!' behind those that did
// not commit; sessions separated by a line of dashes; // begins a comment. "==?" reads nothing,
// and
// "==0" does so too unless a committed transaction writes 0 (dbcop's own rule). Sessions are
// numbered from 0.
#include <cstdint>
#include <string>

#include "base/budget.hpp"
#include "io/bad_input.hpp"
#include "io/file_names.hpp"
#include "io/reader.hpp"
#include "io/register_log.hpp"
#include "io/text_cursor.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

bool skip_comment(TextCursor& cursor) {
  if (!cursor.rest().starts_with("//")) return false;
  cursor.skip_line();
  return true;
}

class DbcopHistReader {
 public:
  explicit DbcopHistReader(const Inputs& inputs)
      : inputs_(inputs), log_(builder_, {.zero_is_initial = true, .find_initial = false}) {}

  Result<History> read(base::Budget& budget) {
    for (const Input& file : inputs_.files) {
      const Status status = read_file(file, budget);
      if (!status) return status.error();
    }
    if (!log_.pass_on(budget)) return out_of_budget(inputs_.name, budget);
    return finish_history(builder_, inputs_, "dbcop-hist");
  }

 private:
  Status read_file(const Input& file, base::Budget& budget) {
    TextCursor cursor(file.name, file.view());
    while (true) {
      cursor.skip_space();
      if (cursor.at_end()) break;
      const std::size_t begin = cursor.offset();
      if (cursor.peek() == '-') {
        while (cursor.accept('-')) {
        }
        ++session_;
      } else if (!skip_comment(cursor)) {
        const Status status = read_txn(cursor);
        if (!status) return status.error();
      }
      if (!budget.spend(cursor.offset() - begin)) return out_of_budget(file.name, budget);
    }
    ++session_;
    return ok_status();
  }

  Status read_txn(TextCursor& cursor) {
    const std::uint64_t line = cursor.line();
    if (!cursor.accept('[')) {
      return cursor.expected("[ (a transaction), a line of dashes or a // comment");
    }
    log_.begin(log_.session(std::to_string(session_)), line);
    while (true) {
      cursor.skip_space();
      if (cursor.accept(']')) break;
      const Status status = read_event(cursor);
      if (!status) return status.error();
    }
    if (cursor.accept('!')) log_.set_status(TxnStatus::kAborted);
    return ok_status();
  }

  Status read_event(TextCursor& cursor) {
    const std::string_view variable = cursor.word();
    if (variable.empty()) return cursor.expected("a variable or ] (end of transaction)");
    const KeyId key = builder_.key(builder_.string(variable));
    const bool write = cursor.accept(':');
    if (!write && !cursor.accept('=')) return cursor.expected(":= (write) or == (read)");
    if (!cursor.accept('=')) return cursor.expected(":= (write) or == (read)");
    if (!write && cursor.accept('?')) {
      log_.read(key, Value::null());
      return ok_status();
    }
    if (cursor.peek() == '-') return cursor.expected("a version, an integer from 0");
    const auto version = cursor.digits();
    if (!version) {
      return cursor.expected(write ? "a version, an integer from 0"
                                   : "a version, an integer from 0, or ? for nothing");
    }
    const Value value = integer_value(builder_, *version);
    if (write) {
      log_.write(key, value);
    } else {
      log_.read(key, value);
    }
    return ok_status();
  }

  const Inputs& inputs_;
  HistoryBuilder builder_;
  RegisterLog log_;
  std::uint64_t session_ = 0;
};

int detect_dbcop_hist(const Inputs& inputs) {
  TextCursor cursor("", head_of(inputs));
  do {
    cursor.skip_space();
    while (cursor.accept('-')) {
    }
    cursor.skip_space();
  } while (skip_comment(cursor));
  if (!cursor.accept('[')) return 0;
  cursor.skip_space();
  if (cursor.word().empty()) return 0;
  return cursor.rest().starts_with(":=") || cursor.rest().starts_with("==") ? 90 : 0;
}

Result<History> read_dbcop_hist(const Inputs& inputs, base::Budget& budget) {
  return DbcopHistReader(inputs).read(budget);
}

}  // namespace

const Format& dbcop_hist_format() {
  static constexpr Format kFormat = {
      .name = "dbcop-hist",
      .summary = "dbcop text: [x:=1 y==2]",
      .detect = detect_dbcop_hist,
      .read = read_dbcop_hist,
  };
  return kFormat;
}

}  // namespace isolde::io
