// Jepsen's log of an etcd test, in the form in which Porcupine's tests hold it: a line is
// "INFO  jepsen.util - P :type :f value", about one register. Operations are :read, :write and
// :cas; a process invokes one and learns its end, in the order of the lines (jepsen_calls.hpp).
//
//   :ok cas      a read of the expected value and a write
//   :fail cas    a read of which only is said what it did not return, the expected value
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "io/bad_input.hpp"
#include "io/file_names.hpp"
#include "io/jepsen_calls.hpp"
#include "io/reader.hpp"
#include "io/text_cursor.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

constexpr std::string_view kPrefix = "INFO";
constexpr std::string_view kLogger = "jepsen.util";

enum class RegisterFunction : std::uint8_t { kRead, kWrite, kCompareAndSet };

struct RegisterLine {
  std::int64_t process = 0;
  JepsenType type = JepsenType::kInvoke;
  RegisterFunction function = RegisterFunction::kRead;
  /// Numbers in the value: one, or two for a cas that says them; empty for anything else.
  std::vector<std::string_view> numbers;
  bool is_nil = false;
};

bool accept_word(TextCursor& cursor, std::string_view word) {
  if (!cursor.rest().starts_with(word)) return false;
  for (std::size_t i = 0; i < word.size(); ++i) cursor.advance();
  cursor.skip_blanks();
  return true;
}

std::string_view keyword(TextCursor& cursor) {
  if (!cursor.accept(':')) return {};
  const std::string_view word = cursor.word();
  cursor.skip_blanks();
  return word;
}

/// Of a colon without a name, the line was cut off behind it.
bool skip_keyword(TextCursor& cursor) {
  const std::string_view rest = cursor.rest();
  const std::size_t length = std::min(rest.find_first_of(" \t\r\n"), rest.size());
  if (length < 2 || rest.front() != ':') return false;
  for (std::size_t i = 0; i < length; ++i) cursor.advance();
  return true;
}

class PorcupineReader {
 public:
  explicit PorcupineReader(const Inputs& inputs) : inputs_(inputs) {}

  Result<History> read(base::Budget& budget) {
    key_ = builder_.key(builder_.string("x"));
    for (const Input& file : inputs_.files) {
      const Status status = read_file(file, budget);
      if (!status) return status.error();
    }
    for (std::size_t call = 0; call < operations_.size(); ++call) pass_on(call);
    return finish_history(builder_, inputs_, "porcupine");
  }

 private:
  struct Operation {
    RegisterFunction function = RegisterFunction::kRead;
    Value expected;  // kCompareAndSet
    Value value;     // written; or returned, for a read
    bool read_known = false;
  };

  Status read_file(const Input& file, base::Budget& budget) {
    TextCursor cursor(file.name, file.view());
    while (true) {
      cursor.skip_space();
      if (cursor.at_end()) return ok_status();
      const std::size_t begin = cursor.offset();
      const std::uint64_t number = cursor.line();
      RegisterLine line;
      Status status = parse(cursor, line);
      if (status) status = add(line, file.name, number);
      if (!status) return status.error();
      if (!budget.spend(cursor.offset() - begin)) return out_of_budget(file.name, budget);
    }
  }

  static Status parse(TextCursor& cursor, RegisterLine& line) {
    if (!accept_word(cursor, kPrefix) || !accept_word(cursor, kLogger) ||
        !accept_word(cursor, "-")) {
      return cursor.expected("INFO jepsen.util - PROCESS :TYPE :FUNCTION VALUE");
    }
    const auto process = cursor.integer();
    if (!process) return cursor.expected("the process, an integer");
    line.process = *process;
    cursor.skip_blanks();
    const Error no_type = cursor.expected(":invoke, :ok, :fail or :info");
    if (!parse_jepsen_type(keyword(cursor), line.type)) return no_type;
    const Error no_function = cursor.expected(":read, :write or :cas");
    const std::string_view function = keyword(cursor);
    if (function == "read") {
      line.function = RegisterFunction::kRead;
    } else if (function == "write") {
      line.function = RegisterFunction::kWrite;
    } else if (function == "cas") {
      line.function = RegisterFunction::kCompareAndSet;
    } else {
      return no_function;
    }
    return parse_value(cursor, line);
  }

  /// A number, a pair of them, nil, or what went wrong.
  static Status parse_value(TextCursor& cursor, RegisterLine& line) {
    const bool pair = cursor.accept('[');
    for (auto digits = cursor.digits(); digits; digits = cursor.digits()) {
      line.numbers.push_back(*digits);
      cursor.skip_blanks();
    }
    if (pair && (line.numbers.size() != 2 || !cursor.accept(']'))) {
      return cursor.expected("a pair of integers, [EXPECTED NEW]");
    }
    line.is_nil = line.numbers.empty() && accept_word(cursor, "nil");
    if (!line.is_nil && line.numbers.empty() && !skip_keyword(cursor)) {
      return cursor.expected("an integer, a pair of integers, nil or a keyword");
    }
    cursor.skip_blanks();
    if (cursor.at_end() || cursor.peek() == '\n') return ok_status();
    return cursor.expected("the end of the line");
  }

  Status add(const RegisterLine& line, std::string_view file, std::uint64_t number) {
    const Result<std::size_t> call = calls_.add(line.type, line.process, file, number);
    if (!call) return call.error();
    if (line.type == JepsenType::kInvoke) return invoke(line, file, number);
    if (line.function != operations_[*call].function) {
      return bad_line(file, number,
                      "found the end of a different operation than the one in line " +
                          std::to_string(calls_[*call].line));
    }
    return end(line, *call, file, number);
  }

  Status invoke(const RegisterLine& line, std::string_view file, std::uint64_t number) {
    const std::size_t needed = line.function == RegisterFunction::kCompareAndSet ? 2
                               : line.function == RegisterFunction::kWrite       ? 1
                                                                                 : 0;
    if (line.numbers.size() != needed && needed > 0) {
      return bad_line(file, number,
                      needed == 2 ? "expected :cas [EXPECTED NEW]" : "expected :write VALUE");
    }
    Operation& operation = operations_.emplace_back();
    operation.function = line.function;
    if (needed > 0) operation.value = integer_value(builder_, line.numbers.back());
    if (needed == 2) operation.expected = integer_value(builder_, line.numbers.front());
    return ok_status();
  }

  Status end(const RegisterLine& line, std::size_t call, std::string_view file,
             std::uint64_t number) {
    Operation& operation = operations_[call];
    if (line.type == JepsenType::kFail) {
      // What failed with the values in it failed because it compared.
      if (operation.function == RegisterFunction::kCompareAndSet && line.numbers.size() == 2) {
        calls_[call].status = TxnStatus::kCommitted;
      }
      return ok_status();
    }
    if (line.type == JepsenType::kInfo) return ok_status();
    operation.read_known = true;
    if (operation.function != RegisterFunction::kRead) return ok_status();
    if (line.numbers.size() != 1 && !line.is_nil) {
      return bad_line(file, number, "expected the value that was read, an integer or nil");
    }
    if (!line.is_nil) operation.value = integer_value(builder_, line.numbers.front());
    return ok_status();
  }

  void pass_on(std::size_t call) {
    const Operation& operation = operations_[call];
    calls_.begin_txn(builder_, call);
    const bool committed = calls_[call].status == TxnStatus::kCommitted;
    switch (operation.function) {
      case RegisterFunction::kRead:
        if (operation.read_known) return builder_.read(key_, operation.value);
        return builder_.read_unknown(key_);
      case RegisterFunction::kWrite:
        return builder_.write(key_, operation.value);
      case RegisterFunction::kCompareAndSet:
        if (committed && !operation.read_known) {
          return builder_.read_except(key_, operation.expected);
        }
        builder_.read(key_, operation.expected);
        return builder_.write(key_, operation.value);
    }
  }

  const Inputs& inputs_;
  HistoryBuilder builder_;
  KeyId key_;
  JepsenCalls calls_;
  std::vector<Operation> operations_;  // by call
};

int detect_porcupine(const Inputs& inputs) {
  TextCursor cursor("", head_of(inputs));
  cursor.skip_space();
  return accept_word(cursor, kPrefix) && accept_word(cursor, kLogger) ? 95 : 0;
}

Result<History> read_porcupine(const Inputs& inputs, base::Budget& budget) {
  return PorcupineReader(inputs).read(budget);
}

}  // namespace

const Format& porcupine_format() {
  static constexpr Format kFormat = {
      .name = "porcupine",
      .summary = "Jepsen's log of an etcd register, as in Porcupine's tests",
      .detect = detect_porcupine,
      .read = read_porcupine,
  };
  return kFormat;
}

}  // namespace isolde::io
