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
// The initial value is not in the log. It is nil, unless the log itself shows another one: no
// operation shows nil, and the first that show anything show a value that nobody had begun to
// write, be it in vain, while no write had ended yet. That value is the initial one then. Where
// nobody writes it, and no cas may have found nil, it is just called initial; else a
// transaction in front writes it, so that reads may have it from either.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "io/bad_input.hpp"
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
      : log_(log), builder_(builder), budget_(budget) {}

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
      known ? builder_.read(*call.key, read_value(*call.key, call.read))
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
    if (!initial_.empty()) {
      builder_.origin().notes.push_back(
          "the initial value of " + counted(initial_.size(), "register") +
          " is not given; the value that was read there before anybody wrote it was taken as "
          "the initial one");
    }
  }

 private:
  struct Call {
    RegisterOp op = RegisterOp::kRead;
    std::optional<KeyId>
        key;     // none: a read of which nothing is known, perhaps not even the key
    Value read;  // of a cas: the expected value
    Value written;
  };
  struct Version {
    std::uint32_t key = 0;
    std::uint64_t value = 0;
    friend bool operator==(const Version&, const Version&) = default;
  };
  struct VersionHash {
    std::size_t operator()(const Version& version) const {
      return base::mix2(version.key, version.value);
    }
  };
  /// What the beginning of the log says about a key.
  struct Beginning {
    std::int64_t first_write_end = std::numeric_limits<std::int64_t>::max();
    bool shows_nil = false;
    bool may_show_nil = false;  // a cas expects it
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

  static Version version(KeyId key, Value value) { return {key.raw(), value.bits()}; }

  static bool shows_value(const Call& call, const JepsenOperation& operation) {
    return call.op != RegisterOp::kWrite && operation.end == JepsenType::kOk;
  }

  /// Times of entries rise along the log.
  void see_beginnings() {
    for (std::size_t number = 0; number < calls_.size(); ++number) {
      const Call& call = calls_[number];
      if (!call.key) continue;
      const JepsenOperation operation = log_.operation(number);
      Beginning& beginning = beginnings_[call.key->raw()];
      if (call.read.is_null() && shows_value(call, operation)) beginning.shows_nil = true;
      if (call.op == RegisterOp::kRead) continue;
      if (call.op == RegisterOp::kCompareAndSet && call.read.is_null()) {
        beginning.may_show_nil = true;
      }
      // In the order of invocations, so that the first stays. One that failed is a better
      // explanation, too.
      begun_.try_emplace(version(*call.key, call.written), operation.first->time);
      if (operation.end != JepsenType::kOk) continue;
      beginning.first_write_end =
          std::min(beginning.first_write_end, operation.completion->time);
    }
  }

  Status find_initial_values() {
    see_beginnings();
    for (std::size_t number = 0; number < calls_.size(); ++number) {
      const Call& call = calls_[number];
      const JepsenOperation operation = log_.operation(number);
      if (!call.key || !shows_value(call, operation) || initial_.contains(call.key->raw())) {
        continue;
      }
      const Beginning& beginning = beginnings_[call.key->raw()];
      const auto writer = begun_.find(version(*call.key, call.read));
      const bool written_before =
          writer != begun_.end() && writer->second < operation.completion->time;
      const bool may_be_first = operation.first->time < beginning.first_write_end;
      if (beginning.shows_nil || written_before || !may_be_first) continue;
      const bool is_written = writer != begun_.end() || beginning.may_show_nil;
      initial_[call.key->raw()] = {call.read, is_written};
      if (is_written) order_.push_back(*call.key);
    }
    return budget_.spend(calls_.size()) ? write_initial_values()
                                        : out_of_budget(log_.file(), budget_);
  }

  /// Those that a value of the log is to be told from.
  Status write_initial_values() {
    if (order_.empty()) return ok_status();
    const JepsenEntry& begin = *log_.operation(0).first;
    const auto steps = static_cast<std::int64_t>(2 * order_.size());
    if (begin.time < std::numeric_limits<std::int64_t>::min() / 2) {
      return bad(begin, "found a :time before -2^62; expected nanoseconds");
    }
    std::int64_t time = begin.time - steps;
    for (const KeyId key : order_) {
      builder_.begin_txn(builder_.session("initial"));
      builder_.set_times({time, time + 1});
      builder_.write(key, initial_[key.raw()].value);
      time += 2;
    }
    return ok_status();
  }

  Value read_value(KeyId key, Value value) const {
    const auto initial = initial_.find(key.raw());
    const bool is_initial = initial != initial_.end() && !initial->second.is_written &&
                            initial->second.value == value;
    return is_initial ? Value::null() : value;
  }

  struct Initial {
    Value value;
    bool is_written = false;  // by a transaction in front
  };

  const JepsenLog& log_;
  HistoryBuilder& builder_;
  base::Budget& budget_;
  std::vector<Call> calls_;  // by operation
  std::optional<bool> keyed_;
  std::uint64_t failed_ = 0;
  std::unordered_map<Version, std::int64_t, VersionHash> begun_;  // first write of the value
  std::unordered_map<std::uint32_t, Beginning> beginnings_;       // by key
  std::unordered_map<std::uint32_t, Initial> initial_;            // by key
  std::vector<KeyId> order_;  // of those that a transaction in front writes
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
