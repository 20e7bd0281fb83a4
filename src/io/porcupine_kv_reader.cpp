// Key-value logs of Porcupine's tests: a line is
// {:process 0, :type :invoke, :f :append, :key "0", :value "x"}. Keys hold strings, at first
// the empty one; :get returns the whole, :put replaces it, :append adds to its end. A process
// invokes one operation and learns its end, in the order of the lines.
//
// They become registers. An append that a get shows is a read of the string in front of the
// appended value and a write of the string with it, in one transaction. One that no get shows
// is a write of something that nobody reads. Both are exact:
//   - what stood in front of a value is the same wherever the value shows, because an append
//     takes effect once; a string that contradicts this is one that nobody wrote, and cannot be
//     explained either way;
//   - until the next put, whatever is appended behind a value that no get shows, and whatever a
//     get returned, would show it. So next come only further appends that no get shows, or a
//     put, just as after a write of something that nobody reads.
// The rest is how to tell what a get shows (string_states.hpp). Where that is not certain, the
// log is refused.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "io/bad_input.hpp"
#include "io/edn_lexer.hpp"
#include "io/file_names.hpp"
#include "io/jepsen_calls.hpp"
#include "io/reader.hpp"
#include "io/string_states.hpp"
#include "io/text_cursor.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

enum class Function : std::uint8_t { kGet, kPut, kAppend };

bool parse_function(std::string_view text, Function& function) {
  if (text == ":get") {
    function = Function::kGet;
  } else if (text == ":put") {
    function = Function::kPut;
  } else if (text == ":append") {
    function = Function::kAppend;
  } else {
    return false;
  }
  return true;
}

struct CallLine {
  std::uint64_t number = 0;
  std::int64_t process = 0;
  JepsenType type = JepsenType::kInvoke;
  Function function = Function::kGet;
  Value key;
  std::optional<std::string> value;  // none: nil, a keyword, or absent
};

/// The lines of a file.
class LineParser {
 public:
  LineParser(const Input& file, HistoryBuilder& builder)
      : lexer_(file.name, file.view()), builder_(builder) {}

  /// False at the end of the file.
  Result<bool> next(CallLine& line) {
    EdnToken token;
    if (!lexer_.next(token)) return lexer_.error();
    if (token.kind == EdnKind::kEnd) return false;
    if (!token.opens("{")) {
      return lexer_.expected(token, "{:process 0, :type :invoke, :f :append, ...}");
    }
    line = {};
    line.number = token.line;
    missing_ = {":process", ":type", ":f", ":key"};
    while (true) {
      EdnToken name;
      EdnToken value;
      if (!lexer_.next(name)) return lexer_.error();
      if (name.kind == EdnKind::kClose && name.text == "}") break;
      if (name.kind == EdnKind::kClose || name.kind == EdnKind::kEnd) {
        return lexer_.expected(name, "'}' or another key of the operation");
      }
      if (!lexer_.skip_form(name) || !lexer_.next(value)) return lexer_.error();
      if (value.kind == EdnKind::kClose || value.kind == EdnKind::kEnd) {
        return lexer_.expected(value, "a value for the key " + shown(name.text));
      }
      const Status status = take(name.text, value, line);
      if (!status) return status.error();
      if (!lexer_.skip_form(value)) return lexer_.error();
    }
    if (missing_.empty()) return true;
    return lexer_.expected(token, "an operation with " + std::string(missing_.front()));
  }

  std::size_t offset() const { return lexer_.offset(); }

 private:
  Status take(std::string_view name, const EdnToken& value, CallLine& line) {
    if (name == ":process") {
      TextCursor digits("", value.text);
      const auto process = digits.integer();
      if (!process || !digits.at_end()) return lexer_.expected(value, "an integer :process");
      line.process = *process;
    } else if (name == ":type") {
      if (!parse_jepsen_type(value.text, line.type)) {
        return lexer_.expected(value, ":type to be :invoke, :ok, :fail or :info");
      }
    } else if (name == ":f") {
      if (!parse_function(value.text, line.function)) {
        return lexer_.expected(value, ":f to be :get, :put or :append");
      }
    } else if (name == ":key") {
      if (value.kind == EdnKind::kOpen || value.is_nil()) {
        return lexer_.expected(value, "a key, a string, number or keyword");
      }
      line.key = edn_scalar(builder_, value);
    } else if (name == ":value" && value.kind == EdnKind::kString) {
      line.value = edn_string(value);
    }
    std::erase(missing_, name);
    return ok_status();
  }

  EdnLexer lexer_;
  HistoryBuilder& builder_;
  std::vector<std::string_view> missing_;
};

class PorcupineKvReader {
 public:
  PorcupineKvReader(const Inputs& inputs, base::Budget& budget)
      : inputs_(inputs), file_(inputs.files.front()), budget_(budget) {}

  Result<History> read() {
    Status status = check_utf8(file_.name, file_.view());
    if (status) status = read_lines();
    if (status) status = understand();
    for (std::size_t i = 0; status && i < operations_.size(); ++i) status = pass_on(i);
    if (!status) return status.error();
    if (!unseen_.empty()) {
      builder_.origin().notes.push_back(counted(unseen_.size(), "append") +
                                        " that no get shows; what they left behind is written "
                                        "as '?' and the appended value");
    }
    return finish_history(builder_, inputs_, "porcupine-kv");
  }

 private:
  struct Operation {
    Function function = Function::kGet;
    KeyId key;
    std::optional<std::string> text;  // put or appended; or returned, for a get
  };

  Status read_lines() {
    LineParser parser(file_, builder_);
    CallLine line;
    for (std::size_t begin = 0;; begin = parser.offset()) {
      const Result<bool> more = parser.next(line);
      if (!more) return more.error();
      if (!*more) return ok_status();
      const Status status = add(line);
      if (!status) return status.error();
      if (!budget_.spend(parser.offset() - begin)) return out_of_budget(file_.name, budget_);
    }
  }

  Status add(CallLine& line) {
    const Result<std::size_t> call =
        calls_.add(line.type, line.process, file_.name, line.number);
    if (!call) return call.error();
    const KeyId key = builder_.key(line.key);
    if (line.type == JepsenType::kInvoke) {
      operations_.push_back({line.function, key, std::move(line.value)});
      if (line.function == Function::kGet) operations_.back().text.reset();
      return check_invocation(operations_.back(), line.number);
    }
    Operation& operation = operations_[*call];
    if (line.function != operation.function || key != operation.key) {
      return bad_line(file_.name, line.number,
                      "found the end of a different operation than the one in line " +
                          std::to_string(calls_[*call].line));
    }
    if (line.type != JepsenType::kOk || line.function != Function::kGet) return ok_status();
    if (!line.value) {
      return bad_line(file_.name, line.number, "expected the :value that was read, a string");
    }
    operation.text = std::move(line.value);
    return ok_status();
  }

  Status check_invocation(const Operation& operation, std::uint64_t line) const {
    if (operation.function == Function::kGet) return ok_status();
    if (!operation.text) {
      return bad_line(file_.name, line, "expected the :value to write, a string");
    }
    if (operation.function == Function::kPut && operation.text->empty()) {
      return bad_line(file_.name, line,
                      "found a :put of the empty string, which is the initial state and not "
                      "supported as a value");
    }
    return ok_status();
  }

  /// Finds out from the gets what the appends did.
  Status understand() {
    std::size_t keys = 0;
    for (const Operation& operation : operations_) {
      keys = std::max<std::size_t>(keys, operation.key.raw() + std::size_t{1});
    }
    states_.resize(keys);
    std::vector<std::size_t> gets;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (!operations_[i].text) continue;
      if (operations_[i].function == Function::kGet) {
        gets.push_back(i);
      } else if (!operations_[i].text->empty()) {
        add_write(i);
      }
    }
    std::sort(gets.begin(), gets.end(), [&](std::size_t a, std::size_t b) {
      return calls_[a].times.end < calls_[b].times.end;
    });
    for (const std::size_t get : gets) {
      StringStates& states = states_[operations_[get].key.raw()];
      switch (states.see(*operations_[get].text, time_of(get), budget_)) {
        case StringStates::Seen::kUnderstood:
          break;
        case StringStates::Seen::kStopped:
          return out_of_budget(file_.name, budget_);
        case StringStates::Seen::kAmbiguous:
          return bad_line(
              file_.name, calls_[get].line,
              "found a :get whose string can be put together in several ways from what was put "
              "and appended; only distinguishable values are supported");
      }
    }
    for (std::size_t key = 0; key < keys; ++key) {
      if (!states_[key].resolve()) return unclear(key);
    }
    return ok_status();
  }

  StringStates::Time time_of(std::size_t number) const {
    const JepsenCall& call = calls_[number];
    const bool ended = call.status == TxnStatus::kCommitted;
    return {call.times.start, ended ? call.times.end : StringStates::kNever};
  }

  void add_write(std::size_t number) {
    const Operation& operation = operations_[number];
    StringStates& states = states_[operation.key.raw()];
    const bool failed = calls_[number].status == TxnStatus::kAborted;
    if (operation.function == Function::kPut) {
      if (failed) return states.failed_put(*operation.text);
      return states.put(*operation.text, time_of(number));
    }
    if (failed) return states.failed_append(*operation.text, number);
    states.append(*operation.text, number, time_of(number));
  }

  Error unclear(std::size_t key) const {
    const std::string_view text = states_[key].unresolved();
    std::uint64_t line = 0;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const Operation& operation = operations_[i];
      const bool appends = operation.function == Function::kAppend && operation.text == text;
      if (appends && operation.key.raw() == key) line = calls_[i].line;
    }
    return bad_line(
        file_.name, line,
        "found an :append of " + shown(text) +
            ", which another operation puts or appends as well, and it is not certain which of "
            "them a :get shows; only distinguishable values are supported");
  }

  Status pass_on(std::size_t number) {
    const Operation& operation = operations_[number];
    const KeyId key = operation.key;
    calls_.begin_txn(builder_, number);
    if (operation.function == Function::kPut) {
      builder_.write(key, builder_.string(*operation.text));
    } else if (operation.function == Function::kGet && operation.text) {
      builder_.read(key, state(*operation.text));
    } else if (operation.function == Function::kGet || operation.text->empty()) {
      builder_.read_unknown(key);  // appending nothing changes nothing
    } else {
      pass_on_append(number);
    }
    const std::size_t size = operation.text ? operation.text->size() : 0;
    return budget_.spend(size + 1) ? ok_status() : out_of_budget(file_.name, budget_);
  }

  void pass_on_append(std::size_t number) {
    const Operation& operation = operations_[number];
    const StringStates& states = states_[operation.key.raw()];
    if (const auto effect = states.effect(number)) {
      builder_.read(operation.key, state(effect->before));
      builder_.write(operation.key, state(effect->after));
      budget_.spend(effect->after.size());
      return;
    }
    std::string unlike = "?" + *operation.text;
    while (states.is_state(unlike) || !unseen_.emplace(operation.key, unlike).second) {
      unlike.insert(0, 1, '?');
    }
    builder_.write(operation.key, builder_.string(unlike));
  }

  Value state(std::string_view text) {
    return text.empty() ? Value::null() : builder_.string(text);
  }

  const Inputs& inputs_;
  const Input& file_;
  base::Budget& budget_;
  HistoryBuilder builder_;
  JepsenCalls calls_;
  std::vector<Operation> operations_;               // by call
  std::vector<StringStates> states_;                // by key
  std::set<std::pair<KeyId, std::string>> unseen_;  // appends that no get shows, by new name
};

int detect_porcupine_kv(const Inputs& inputs) {
  const std::string_view head = head_of(inputs);
  EdnLexer lexer("", head);
  EdnToken token;
  if (!lexer.next(token) || !token.opens("{")) return 0;
  const auto has = [head](std::string_view word) {
    return head.find(word) != std::string_view::npos;
  };
  const bool function = has(":f :get") || has(":f :put") || has(":f :append");
  return function && has(":process ") && has(":type :") && has(":key ") ? 90 : 0;
}

Result<History> read_porcupine_kv(const Inputs& inputs, base::Budget& budget) {
  if (inputs.files.size() != 1) {
    return Error{ErrorCode::kBadInput, inputs.name + ": expected one file"};
  }
  return PorcupineKvReader(inputs, budget).read();
}

}  // namespace

const Format& porcupine_kv_format() {
  static constexpr Format kFormat = {
      .name = "porcupine-kv",
      .summary = "Porcupine's logs of key-value stores with append",
      .detect = detect_porcupine_kv,
      .read = read_porcupine_kv,
  };
  return kFormat;
}

}  // namespace isolde::io
