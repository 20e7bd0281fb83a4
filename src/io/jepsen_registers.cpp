// Jepsen's register and cas-register: :read, :write VALUE and :cas [EXPECTED NEW] of a register
// that begins with nil; with jepsen.independent of one for each key, where values are
// [KEY VALUE] and [KEY [EXPECTED NEW]]. Each operation is a transaction:
//
//   :ok cas   a read of the expected value and a write
//   :fail     of any operation says that it did not happen, not why. Clients report :fail for a
//             value that was not the expected one, but also for a refused connection, or for
//             another write in between that left the same value behind (ABA). So a failed cas
//             is aborted, as for Knossos, and no observation. (The etcd logs that come as text
//             do say why, and their reader, porcupine_reader.cpp, makes use of it.)
//   :info     a cas may have happened: if so, it had read the expected value
//
// The initial value may be another one than nil (jepsen_initial.hpp).
#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "io/bad_input.hpp"
#include "io/jepsen_initial.hpp"
#include "io/jepsen_workloads.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

enum class RegisterOp : std::uint8_t { kRead, kWrite, kCompareAndSet };

/// A scalar, or two of them in a vector.
struct FormItem {
  Value first;
  Value second;
  bool is_pair = false;
  friend bool operator==(const FormItem&, const FormItem&) = default;
};

/// What stands behind :value: nothing or nil, an item, or a vector of two.
struct RegisterForm {
  FormItem items[2];
  std::size_t count = 0;
  friend bool operator==(const RegisterForm&, const RegisterForm&) = default;
};

class FormParser {
 public:
  FormParser(HistoryBuilder& builder, std::string_view file, const JepsenEntry& entry,
             base::Budget& budget)
      : builder_(builder), lexer_(file, entry.value, entry.value_line, &budget) {}

  Result<RegisterForm> parse() {
    RegisterForm form;
    EdnToken token;
    if (!lexer_.next(token)) return lexer_.error();
    if (token.kind == EdnKind::kEnd || token.is_nil()) return form;
    // jepsen.independent's tuples, should they ever be printed as records.
    const bool record = token.opens("{");
    if (!record && !token.opens_sequence()) {
      form.count = 1;
      return with(form, take_item(token, form.items[0]));
    }
    while (true) {
      if (!lexer_.next(token)) return lexer_.error();
      if (token.kind == EdnKind::kClose) break;
      if (record) {
        const std::string_view wanted = form.count == 0 ? ":key" : ":value";
        if (token.text != wanted) return lexer_.expected(token, "{:key KEY, :value VALUE}");
        if (!lexer_.next(token)) return lexer_.error();
      }
      if (form.count == 2) return lexer_.expected(token, "']' behind two elements");
      const Status status = take_item(token, form.items[form.count++]);
      if (!status) return status.error();
    }
    if (form.count == 2) return form;
    return lexer_.expected(token, "two elements in a vector");
  }

 private:
  static Result<RegisterForm> with(const RegisterForm& form, const Status& status) {
    if (!status) return status.error();
    return form;
  }

  Status take_item(const EdnToken& token, FormItem& item) {
    if (!token.opens_sequence()) return take_scalar(token, item.first);
    item.is_pair = true;
    EdnToken part;
    for (Value* const value : {&item.first, &item.second}) {
      if (!lexer_.next(part)) return lexer_.error();
      const Status status = take_scalar(part, *value);
      if (!status) return status.error();
    }
    if (!lexer_.next(part)) return lexer_.error();
    if (part.kind == EdnKind::kClose) return ok_status();
    return lexer_.expected(part, "']' behind two elements");
  }

  Status take_scalar(const EdnToken& token, Value& value) {
    if (token.kind == EdnKind::kOpen || token.kind == EdnKind::kClose) {
      return lexer_.expected(token, "a value, not a collection");
    }
    value = edn_scalar(builder_, token);
    return ok_status();
  }

  HistoryBuilder& builder_;
  EdnLexer lexer_;
};

class RegisterWorkload final : public JepsenWorkload {
 public:
  RegisterWorkload(const JepsenLog& log, HistoryBuilder& builder, base::Budget& budget)
      : log_(log), builder_(builder), budget_(budget), initial_(builder) {}

  Status understand() {
    for (std::size_t number = 0; number < log_.size(); ++number) {
      const JepsenOperation operation = log_.operation(number);
      const Status status = parse(operation);
      if (budget_.exhausted()) return out_of_budget(log_.file(), budget_);
      if (!status) return status.error();
    }
    return log_.has_invocations() ? find_initial_values() : ok_status();
  }

  Status pass_on(const JepsenOperation& operation) override {
    const Call& call = calls_[operation.number];
    if (!call.key) {
      if (!keyed_.value_or(false)) builder_.read_unknown(plain_key());
      return ok_status();
    }
    const bool happened = operation.end == JepsenType::kOk;
    const bool failed = operation.end == JepsenType::kFail;
    if (call.op != RegisterOp::kWrite) {
      const bool known = call.op == RegisterOp::kRead ? happened : !failed;
      known ? builder_.read(*call.key, initial_.read_value(*call.key, call.read))
            : builder_.read_unknown(*call.key);
    }
    if (call.op != RegisterOp::kRead) builder_.write(*call.key, call.written);
    return ok_status();
  }

  void add_notes() {
    if (failed_ > 0) {
      builder_.origin().notes.push_back(
          counted(failed_, "compare-and-set") +
          " that failed; taken as not happened, for the log does not say why");
    }
    initial_.add_note();
  }

 private:
  struct Call {
    RegisterOp op = RegisterOp::kRead;
    std::optional<KeyId>
        key;     // none: a read of which nothing is known, perhaps not even the key
    Value read;  // of a cas: the expected value
    Value written;
  };

  Error bad(const JepsenEntry& entry, const std::string& what) const {
    return bad_line(log_.file(), entry.line, what);
  }

  Status parse(const JepsenOperation& operation) {
    const JepsenEntry& first = *operation.first;
    const JepsenEntry& source = operation.source();
    if (source.f != first.f) {
      return bad(source, "found the end of a different operation than the one in line " +
                             std::to_string(first.line));
    }
    Call& call = calls_.emplace_back();
    call.op = first.f == "write" ? RegisterOp::kWrite
              : first.f == "cas" ? RegisterOp::kCompareAndSet
                                 : RegisterOp::kRead;
    const bool reads = call.op == RegisterOp::kRead;
    const Result<RegisterForm> form =
        FormParser(builder_, log_.file(), reads ? source : first, budget_).parse();
    if (!form) return form.error();
    if (operation.end == JepsenType::kFail && !reads) {
      failed_ += call.op == RegisterOp::kCompareAndSet ? 1 : 0;
    }
    if (!reads && operation.end == JepsenType::kOk) {
      const Result<RegisterForm> told =
          FormParser(builder_, log_.file(), source, budget_).parse();
      if (!told) return told.error();
      if (told->count > 0 && !(*told == *form)) {
        return bad(source, "found another :value than that of the invocation in line " +
                               std::to_string(first.line) +
                               "; expected the same, or nil, for what was written");
      }
    }
    return take(operation, *form, call);
  }

  Status take(const JepsenOperation& operation, const RegisterForm& form, Call& call) {
    const JepsenEntry& entry =
        call.op == RegisterOp::kRead ? operation.source() : *operation.first;
    const bool is_cas = call.op == RegisterOp::kCompareAndSet;
    const bool is_nil = form.count == 0;
    if (is_nil && call.op == RegisterOp::kRead && operation.end != JepsenType::kOk) {
      return ok_status();
    }
    const bool keyed = form.count == 2 && (!is_cas || form.items[1].is_pair);
    if (keyed_.value_or(keyed) != keyed) {
      return bad(entry, keyed ? "found [KEY VALUE] in a log of one register; expected all "
                                "values with keys, or none"
                              : "found a value without key in a log of registers by key; "
                                "expected [KEY VALUE]");
    }
    keyed_ = keyed;
    const FormItem& value =
        is_cas && !keyed ? FormItem{form.items[0].first, form.items[1].first, form.count == 2}
                         : form.items[keyed ? 1 : 0];
    if (value.is_pair != is_cas || (!keyed && form.items[0].is_pair)) {
      return bad(entry, is_cas ? "found a :cas without two values; expected [EXPECTED NEW], or "
                                 "[KEY [EXPECTED NEW]]"
                               : "found a vector as value; expected a value, or [KEY VALUE]");
    }
    if (keyed && (form.items[0].is_pair || form.items[0].first.is_null())) {
      return bad(entry,
                 "found a key that is nil or a vector; expected a number, keyword or "
                 "string");
    }
    call.key = keyed ? builder_.key(form.items[0].first) : plain_key();
    call.read = value.first;
    call.written = is_cas ? value.second : value.first;
    if (call.op != RegisterOp::kRead && call.written.is_null()) {
      return bad(entry,
                 "found nil, or nothing, as the value to write; expected a value; nil is "
                 "the initial state");
    }
    return ok_status();
  }

  KeyId plain_key() { return builder_.key(builder_.string("x")); }

  Status find_initial_values() {
    for (std::size_t number = 0; number < calls_.size(); ++number) {
      const Call& call = calls_[number];
      if (!call.key) continue;
      const JepsenOperation operation = log_.operation(number);
      const bool happened = operation.end == JepsenType::kOk;
      if (call.op == RegisterOp::kRead ? happened : call.op == RegisterOp::kCompareAndSet) {
        initial_.see_read(*call.key, call.read, happened, operation);
      }
      if (call.op == RegisterOp::kCompareAndSet && operation.end == JepsenType::kFail) {
        initial_.see_failed_change(*call.key, call.written);
      } else if (call.op != RegisterOp::kRead) {
        initial_.see_write(*call.key, call.written, operation);
      }
    }
    return initial_.find(log_, budget_);
  }

  const JepsenLog& log_;
  HistoryBuilder& builder_;
  base::Budget& budget_;
  std::vector<Call> calls_;  // by operation
  std::optional<bool> keyed_;
  std::uint64_t failed_ = 0;
  InitialValues initial_;
};

}  // namespace

Status pass_on_registers(JepsenLog& log, HistoryBuilder& builder, base::Budget& budget) {
  RegisterWorkload workload(log, builder, budget);
  if (const Status status = workload.understand(); !status) return status.error();
  if (const Status status = log.pass_on(workload, budget); !status) return status.error();
  workload.add_notes();
  return ok_status();
}

}  // namespace isolde::io
