// Jepsen and Elle histories in EDN: maps one after the other (a line each, as a rule) or one
// vector of maps. Here are list-append and rw-register: values that are vectors of operations
// [:append k v], [:r k nil], [:r k [v ...]], [:w k v], [:r k v]; further elements of an
// operation are ignored. jepsen_workloads.hpp has the others. Entries of processes that are not
// integers (:nemesis) are no client operations.
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "io/bad_input.hpp"
#include "io/edn_lexer.hpp"
#include "io/file_names.hpp"
#include "io/jepsen_initial.hpp"
#include "io/jepsen_ops.hpp"
#include "io/jepsen_workloads.hpp"
#include "io/reader.hpp"
#include "io/text_cursor.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

bool parse_integer(const EdnToken& token, std::int64_t& number) {
  if (token.kind != EdnKind::kNumber) return false;
  std::string_view text = token.text;
  if (text.front() == '+') text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

/// The operations of one value.
class EdnOperations final : public JepsenSyntax {
 public:
  EdnOperations(HistoryBuilder& builder, std::string_view file, base::Budget& budget)
      : builder_(builder), file_(file), budget_(budget) {}

  bool has_no_value(const JepsenEntry& entry) override {
    return entry.value.empty() || entry.value == "nil";
  }

  bool has_operations(const JepsenEntry& entry) override {
    return edn_has_operations(file_, entry, budget_);
  }

  std::string_view covered() const override { return kJepsenCovered; }

  Status read_operations(const JepsenEntry& entry, JepsenOps& ops) override {
    if (entry.value.empty()) {
      return bad_line(file_, entry.line,
                      "found an entry without :value; expected a vector of operations");
    }
    EdnLexer lexer(file_, entry.value, entry.value_line, &budget_);
    EdnToken token;
    if (!lexer.next(token)) return lexer.error();
    if (!token.opens_sequence()) {
      return lexer.expected(token, "a vector of operations like [:append k v] or [:w k v]");
    }
    while (true) {
      if (!lexer.next(token)) return lexer.error();
      if (token.kind == EdnKind::kClose) return ok_status();
      if (!token.opens_sequence()) {
        return lexer.expected(token, "an operation like [:append k v], [:w k v] or [:r k v]");
      }
      const Status status = read_operation(lexer, ops);
      if (!status) return status.error();
    }
  }

 private:
  Status read_operation(EdnLexer& lexer, JepsenOps& ops) {
    EdnToken token;
    if (!lexer.next(token)) return lexer.error();
    const JepsenOpKind kind = token.kind == EdnKind::kOpen || token.kind == EdnKind::kClose
                                  ? JepsenOpKind::kOther
                                  : parse_jepsen_op(token.text);
    if (kind == JepsenOpKind::kOther || kind == JepsenOpKind::kPredicate) {
      return bad_line(file_, token.line, uncovered_operation(kind, token.text));
    }
    if (!lexer.next(token)) return lexer.error();
    if (token.kind == EdnKind::kOpen || token.kind == EdnKind::kClose || token.is_nil()) {
      return lexer.expected(token, "a key, a number, keyword or string");
    }
    const Value key = edn_scalar(builder_, token);
    if (!lexer.next(token)) return lexer.error();
    bool closed = token.kind == EdnKind::kClose;
    if (kind == JepsenOpKind::kRead) {
      const Status status = closed ? ok_status() : read_result(lexer, token, ops, key);
      if (!status) return status.error();
      if (closed) ops.read(key, Value::null());
    } else {
      if (token.kind == EdnKind::kOpen || closed || token.is_nil()) {
        return lexer.expected(token, "a value to write, not nil and not a collection");
      }
      const Value value = edn_scalar(builder_, token);
      if (kind == JepsenOpKind::kAppend) {
        ops.append(key, value);
      } else {
        ops.write(key, value);
      }
    }
    while (!closed) {
      if (!lexer.next(token)) return lexer.error();
      closed = token.kind == EdnKind::kClose;
      if (!lexer.skip_form(token)) return lexer.error();
    }
    return ok_status();
  }

  Status read_result(EdnLexer& lexer, const EdnToken& first, JepsenOps& ops, Value key) {
    if (first.kind != EdnKind::kOpen) {
      ops.read(key, edn_scalar(builder_, first));
      return ok_status();
    }
    if (!first.opens_sequence()) {
      return lexer.expected(first, "what was read, a value or a vector of elements");
    }
    elements_.clear();
    while (true) {
      EdnToken token;
      if (!lexer.next(token)) return lexer.error();
      if (token.kind == EdnKind::kClose) break;
      if (token.kind == EdnKind::kOpen || token.is_nil()) {
        return lexer.expected(token, "an element, not nil and not a collection");
      }
      elements_.push_back(edn_scalar(builder_, token));
    }
    ops.read_list(key, elements_);
    return ok_status();
  }

  HistoryBuilder& builder_;
  std::string_view file_;
  base::Budget& budget_;
  std::vector<Value> elements_;
};

class JepsenEdnReader {
 public:
  JepsenEdnReader(const Inputs& inputs, base::Budget& budget)
      : inputs_(inputs),
        file_(inputs.files.front()),
        budget_(budget),
        lexer_(file_.name, file_.view(), 1, &budget_),
        log_(builder_, file_.name) {}

  Result<History> read() {
    const Status text = check_utf8(file_.name, file_.view());
    if (!text) return text.error();
    const Status parsed = read_entries();
    if (!parsed) return parsed.error();
    const Status status = pass_on();
    if (!status) return status.error();
    if (other_entries_ > 0) {
      builder_.origin().notes.push_back(counted(other_entries_, "log line") +
                                        " of processes that are not clients left out");
    }
    return finish_history(builder_, inputs_, "jepsen");
  }

 private:
  Status pass_on() {
    const Result<JepsenKind> kind = jepsen_kind(log_, budget_);
    if (!kind) return kind.error();
    if (*kind == JepsenKind::kRegisters) return pass_on_registers(log_, builder_, budget_);
    if (*kind == JepsenKind::kSets) return pass_on_sets(log_, builder_, budget_);
    if (*kind == JepsenKind::kCounter) return pass_on_counter(log_, builder_, budget_);
    if (*kind == JepsenKind::kBank) return pass_on_bank(log_, builder_, budget_);
    EdnOperations operations(builder_, file_.name, budget_);
    JepsenTransactions transactions(builder_, file_.name, operations);
    InitialValues initial(builder_);
    if (*kind == JepsenKind::kMultiRegister) {
      const Status found = transactions.find_initial_values(log_, initial, budget_);
      if (!found) return found.error();
    }
    if (const Status status = log_.pass_on(transactions, budget_); !status) return status;
    initial.add_note();
    return ok_status();
  }

  Status read_entries() {
    EdnToken token;
    bool in_vector = false;
    for (bool first = true;; first = false) {
      if (!lexer_.next(token)) return lexer_.error();
      if (first && token.opens_sequence()) {
        in_vector = true;
      } else if (token.opens("{")) {
        const Status status = read_entry(token.line);
        if (!status) return status.error();
      } else if (in_vector && token.kind == EdnKind::kClose) {
        in_vector = false;
        if (!lexer_.next(token)) return lexer_.error();
        if (token.kind == EdnKind::kEnd) return ok_status();
        return lexer_.expected(token, "end of file after the vector of operations");
      } else if (!in_vector && token.kind == EdnKind::kEnd) {
        return ok_status();
      } else {
        return lexer_.expected(token, "an operation {:type :ok, :f :txn, :value [...], ...}");
      }
    }
  }

  /// Behind the opening brace.
  Status read_entry(std::uint64_t line) {
    JepsenEntry entry;
    entry.line = line;
    EdnToken type;
    bool client = true;
    while (true) {
      EdnToken key;
      if (!lexer_.next(key)) return lexer_.error();
      if (key.kind == EdnKind::kClose) {
        if (key.text != "}") return lexer_.expected(key, "'}' or another key of the operation");
        break;
      }
      EdnToken value;
      if (!lexer_.skip_form(key) || !lexer_.next(value)) return lexer_.error();
      if (value.kind == EdnKind::kClose || value.kind == EdnKind::kEnd) {
        return lexer_.expected(value, "a value for the key " + shown(key.text));
      }
      if (!lexer_.skip_form(value)) return lexer_.error();
      if (key.text == ":type") type = value;
      if (key.text == ":process") client = take_process(value, entry);
      take_field(key, value, entry);
    }
    if (!client) {
      ++other_entries_;
      return ok_status();
    }
    if (type.kind == EdnKind::kEnd) {
      return bad_line(file_.name, line,
                      "found a map without :type; expected an operation {:type :ok, ...}");
    }
    if (!parse_jepsen_type(type.text, entry.type)) {
      return lexer_.expected(type, ":type to be :invoke, :ok, :fail or :info");
    }
    return log_.add(entry);
  }

  /// False when the entry is not a client's.
  static bool take_process(const EdnToken& value, JepsenEntry& entry) {
    entry.has_process = parse_integer(value, entry.process);
    return entry.has_process || value.is_nil();
  }

  void take_field(const EdnToken& key, const EdnToken& value, JepsenEntry& entry) {
    if (key.text == ":value") {
      entry.value = file_.view().substr(value.offset, lexer_.offset() - value.offset);
      entry.value_line = value.line;
    } else if (key.text == ":f" && !value.is_nil()) {
      entry.f = value.text.substr(value.kind == EdnKind::kKeyword ? 1 : 0);
    } else if (key.text == ":time") {
      entry.has_time = parse_integer(value, entry.time);
    } else if (key.text == ":index" && value.kind == EdnKind::kNumber) {
      entry.index = edn_scalar(builder_, value);
    }
  }

  const Inputs& inputs_;
  const Input& file_;
  base::Budget& budget_;
  EdnLexer lexer_;
  HistoryBuilder builder_;
  JepsenLog log_;
  std::uint64_t other_entries_ = 0;
};

int detect_jepsen_edn(const Inputs& inputs) {
  const std::string_view head = head_of(inputs);
  EdnLexer lexer("", head);
  EdnToken token;
  if (!lexer.next(token) || token.kind != EdnKind::kOpen) return 0;
  if (token.opens_sequence() && (!lexer.next(token) || !token.opens("{"))) return 0;
  const auto has = [head](std::string_view word) {
    return head.find(word) != std::string_view::npos;
  };
  if (!has(":type") || !(has(":invoke") || has(":ok") || has(":fail") || has(":info")))
    return 0;
  // Key-value logs of Porcupine look alike but are another format.
  return has(":key ") ? 20 : 85;
}

Result<History> read_jepsen_edn(const Inputs& inputs, base::Budget& budget) {
  if (inputs.files.size() != 1) {
    return Error{ErrorCode::kBadInput, inputs.name + ": expected one file"};
  }
  return JepsenEdnReader(inputs, budget).read();
}

}  // namespace

const Format& jepsen_edn_format() {
  static constexpr Format kFormat = {
      .name = "jepsen",
      .summary = "Jepsen and Elle EDN",
      .detect = detect_jepsen_edn,
      .read = read_jepsen_edn,
  };
  return kFormat;
}

}  // namespace isolde::io
