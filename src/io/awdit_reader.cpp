// AWDIT's test text: "r K V" and "w K V", separated by white space; a run of '-' ends a
// transaction, a run of '=' ends a session. Sessions are numbered from 0.
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

void skip_run(TextCursor& cursor, char c) {
  while (cursor.accept(c)) {
  }
}

class AwditReader {
 public:
  explicit AwditReader(const Inputs& inputs)
      : inputs_(inputs), log_(builder_, {.zero_is_initial = true, .find_initial = true}) {}

  Result<History> read(base::Budget& budget) {
    for (const Input& file : inputs_.files) {
      const Status status = read_file(file, budget);
      if (!status) return status.error();
    }
    if (!log_.pass_on(budget)) return out_of_budget(inputs_.name, budget);
    return finish_history(builder_, inputs_, "awdit");
  }

 private:
  Status read_file(const Input& file, base::Budget& budget) {
    TextCursor cursor(file.name, file.view());
    while (true) {
      cursor.skip_space();
      if (cursor.at_end()) break;
      const std::size_t begin = cursor.offset();
      if (cursor.peek() == '-') {
        skip_run(cursor, '-');
        in_txn_ = false;
      } else if (cursor.peek() == '=') {
        skip_run(cursor, '=');
        in_txn_ = false;
        ++session_;
      } else {
        const Status status = read_operation(cursor);
        if (!status) return status.error();
      }
      if (!budget.spend(cursor.offset() - begin)) return out_of_budget(file.name, budget);
    }
    in_txn_ = false;
    ++session_;
    return ok_status();
  }

  Status read_operation(TextCursor& cursor) {
    const std::uint64_t line = cursor.line();
    const bool write = cursor.peek() == 'w';
    if (!cursor.accept(write ? 'w' : 'r')) {
      return cursor.expected("r, w, a run of - (end of transaction) or = (end of session)");
    }
    cursor.skip_space();
    const auto key = cursor.digits();
    if (!key) return cursor.expected("the key, an integer: r KEY VALUE or w KEY VALUE");
    cursor.skip_space();
    const auto value = cursor.digits();
    if (!value) return cursor.expected("the value, an integer: r KEY VALUE or w KEY VALUE");
    if (!in_txn_) log_.begin(log_.session(std::to_string(session_)), line);
    in_txn_ = true;
    const KeyId id = builder_.key(integer_value(builder_, *key));
    if (write) {
      log_.write(id, integer_value(builder_, *value));
    } else {
      log_.read(id, integer_value(builder_, *value));
    }
    return ok_status();
  }

  const Inputs& inputs_;
  HistoryBuilder builder_;
  RegisterLog log_;
  std::uint64_t session_ = 0;
  bool in_txn_ = false;
};

int detect_awdit(const Inputs& inputs) {
  const std::string_view head = head_of(inputs);
  if (head.find_first_not_of("rw0123456789-= \t\r\n") != std::string_view::npos) return 0;
  TextCursor cursor("", head);
  while (cursor.peek() == '-' || cursor.peek() == '=' || cursor.peek() == '\n')
    cursor.advance();
  if (!cursor.accept('r') && !cursor.accept('w')) return 0;
  cursor.skip_space();
  if (!cursor.digits()) return 0;
  cursor.skip_space();
  return cursor.digits() ? 90 : 0;
}

Result<History> read_awdit(const Inputs& inputs, base::Budget& budget) {
  return AwditReader(inputs).read(budget);
}

}  // namespace

const Format& awdit_format() {
  static constexpr Format kFormat = {
      .name = "awdit",
      .summary = "AWDIT text: r key value",
      .detect = detect_awdit,
      .read = read_awdit,
  };
  return kFormat;
}

}  // namespace isolde::io
