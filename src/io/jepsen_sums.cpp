// Jepsen's counters and banks: operations that add to numbers and do not say to what.
//
//   counter  :add N is an increment of the register `x` by N, :read reads it
//   bank     :transfer {:from A :to B :amount N} is an increment of A by -N and one of B by N,
//   in
//            a transaction; :read {A 5, B 7} is one that reads these accounts
//
// Increments with unknown results say exactly that much. What the numbers begin with is not in
// the log. Where an :ok read of an account ended before anybody had begun to change it, be it
// in vain, it shows that: no other value was there to be read. Nothing else in a log tells, nor
// does the test's map: its :total-amount is distributed as the client likes. So a bank with
// another account that is read is refused; who knows the beginning writes it in front, as a
// read. Accounts that nobody read may begin with anything. A counter begins with 0 then, which
// Jepsen's checker of counters says, and a note does.
//
// That a balance is not negative is a promise of the workload, which no level makes.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "io/bad_input.hpp"
#include "io/jepsen_workloads.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

constexpr std::string_view kRange = "an integer from -2^61 to 2^61 - 1";

/// A number in a register.
struct Balance {
  KeyId key;
  Value value;
  friend bool operator==(const Balance&, const Balance&) = default;
};

/// What the log says of a register's beginning.
class Beginnings {
 public:
  struct Register {
    KeyId key;
    std::int64_t first_change = std::numeric_limits<std::int64_t>::max();
    std::uint64_t read_line = 0;   ///< of the first read that shows it; 0: none does
    std::optional<Value> shown{};  ///< before the first change began
  };

  void see_change(KeyId key, std::int64_t begin) {
    Register& changed = at(key);
    changed.first_change = std::min(changed.first_change, begin);
  }
  /// REQUIRES: all changes have been seen. The first read that tells is the one that counts.
  void see_read(const Balance& balance, std::uint64_t line, std::optional<std::int64_t> end) {
    Register& read = at(balance.key);
    if (read.read_line == 0) read.read_line = line;
    if (!read.shown && end && *end < read.first_change) read.shown = balance.value;
  }
  /// In the order in which they were seen.
  const std::vector<Register>& all() const { return registers_; }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  Register& at(KeyId key) {
    if (key.raw() >= place_.size()) place_.resize(key.raw() + std::size_t{1}, kNone);
    std::size_t& place = place_[key.raw()];
    if (place == kNone) {
      place = registers_.size();
      registers_.push_back(Register{.key = key});
    }
    return registers_[place];
  }

  std::vector<std::size_t> place_;  // by key
  std::vector<Register> registers_;
};

/// Parses the values and finds the beginnings; what an operation changes and shows is up to the
/// workload.
class SumWorkload : public JepsenWorkload {
 public:
  SumWorkload(const JepsenLog& log, HistoryBuilder& builder, base::Budget& budget)
      : log_(log), builder_(builder), budget_(budget) {}

  Status understand() {
    for (const bool reads : {false, true}) {
      for (std::size_t number = 0; number < log_.size(); ++number) {
        const JepsenOperation operation = log_.operation(number);
        if ((operation.first->f == "read") != reads) continue;
        const Status status = reads ? see_read(operation) : see_change(operation);
        if (budget_.exhausted()) return out_of_budget(log_.file(), budget_);
        if (!status) return status.error();
      }
    }
    return ok_status();
  }

  Status pass_on(const JepsenOperation& operation) override {
    const bool reads = operation.first->f == "read";
    // Of any other read nothing is known.
    if (reads && operation.end != JepsenType::kOk) return ok_status();
    const Result<std::vector<Balance>> found = parse(operation, reads);
    if (!found) return found.error();
    for (const Balance& each : *found) {
      reads ? builder_.read(each.key, each.value)
            : builder_.increment(each.key, each.value.as_integer());
    }
    return ok_status();
  }

  const Beginnings& beginnings() const { return beginnings_; }

 protected:
  /// What a change adds, as its entry says it.
  virtual Result<std::vector<Balance>> changes(EdnLexer& lexer, const EdnToken& first) = 0;
  /// What a read with :ok shows.
  virtual Result<std::vector<Balance>> shown(EdnLexer& lexer, const EdnToken& first) = 0;

  HistoryBuilder& builder() { return builder_; }

  /// REQUIRES: the token begins a form.
  Result<Value> number(const EdnLexer& lexer, const EdnToken& token) {
    if (token.kind == EdnKind::kNumber) {
      const Value value = edn_scalar(builder_, token);
      if (value.kind() == Value::Kind::kInteger) return value;
    }
    return lexer.expected(token, kRange);
  }

  Result<KeyId> account(const EdnLexer& lexer, const EdnToken& token) {
    const bool is_scalar = token.kind != EdnKind::kOpen && token.kind != EdnKind::kClose &&
                           token.kind != EdnKind::kEnd;
    if (!is_scalar || token.is_nil()) {
      return lexer.expected(token, "an account, not nil and not a collection");
    }
    return builder_.key(edn_scalar(builder_, token));
  }

 private:
  Result<std::vector<Balance>> parse(const JepsenEntry& entry, bool reads) {
    EdnLexer lexer(log_.file(), entry.value, entry.value_line, &budget_);
    EdnToken token;
    if (!lexer.next(token)) return lexer.error();
    if (token.kind == EdnKind::kEnd) {
      return bad_line(log_.file(), entry.line,
                      "found :f " + shown_function(entry.f) + " without :value");
    }
    return reads ? shown(lexer, token) : changes(lexer, token);
  }

  Result<std::vector<Balance>> parse(const JepsenOperation& operation, bool reads) {
    return parse(reads ? operation.source() : *operation.first, reads);
  }

  Status see_change(const JepsenOperation& operation) {
    const JepsenEntry& first = *operation.first;
    const Result<std::vector<Balance>> found = parse(first, false);
    if (!found) return found.error();
    const JepsenEntry& source = operation.source();
    if (source.f != first.f) {
      return bad_line(log_.file(), source.line,
                      "found the end of a different operation than the one in line " +
                          std::to_string(first.line));
    }
    if (&source != &first && !source.value.empty() && source.value != "nil") {
      const Result<std::vector<Balance>> told = parse(source, false);
      if (!told || !(*told == *found)) {
        return bad_line(log_.file(), source.line,
                        "found another :value than that of the invocation in line " +
                            std::to_string(first.line) + "; expected the same, or nil");
      }
    }
    for (const Balance& each : *found) beginnings_.see_change(each.key, first.time);
    return ok_status();
  }

  Status see_read(const JepsenOperation& operation) {
    if (operation.source().f != operation.first->f) {
      return bad_line(log_.file(), operation.source().line,
                      "found the end of a different operation than the one in line " +
                          std::to_string(operation.first->line));
    }
    if (operation.end != JepsenType::kOk) return ok_status();
    const Result<std::vector<Balance>> found = parse(operation, true);
    if (!found) return found.error();
    std::optional<std::int64_t> end;
    if (log_.has_invocations()) end = operation.completion->time;
    for (const Balance& each : *found) {
      beginnings_.see_read(each, operation.source().line, end);
    }
    return ok_status();
  }

  const JepsenLog& log_;
  HistoryBuilder& builder_;
  base::Budget& budget_;
  Beginnings beginnings_;
};

class CounterWorkload final : public SumWorkload {
 public:
  using SumWorkload::SumWorkload;

 private:
  Result<std::vector<Balance>> changes(EdnLexer& lexer, const EdnToken& first) override {
    const Result<Value> by = number(lexer, first);
    if (!by) return by.error();
    return std::vector<Balance>{{builder().key(builder().string("x")), *by}};
  }

  Result<std::vector<Balance>> shown(EdnLexer& lexer, const EdnToken& first) override {
    return changes(lexer, first);
  }
};

class BankWorkload final : public SumWorkload {
 public:
  using SumWorkload::SumWorkload;

 private:
  Result<std::vector<Balance>> changes(EdnLexer& lexer, const EdnToken& first) override;
  Result<std::vector<Balance>> shown(EdnLexer& lexer, const EdnToken& first) override;
};

Result<std::vector<Balance>> BankWorkload::changes(EdnLexer& lexer, const EdnToken& first) {
  constexpr std::string_view kExpected = "{:from ACCOUNT, :to ACCOUNT, :amount NUMBER}";
  std::optional<KeyId> from;
  std::optional<KeyId> to;
  std::optional<Value> amount;
  if (!first.opens("{")) return lexer.expected(first, kExpected);
  EdnToken token;
  while (true) {
    EdnToken name;
    if (!lexer.next(name)) return lexer.error();
    if (name.kind == EdnKind::kClose) {
      token = name;
      break;
    }
    if (!lexer.skip_form(name) || !lexer.next(token)) return lexer.error();
    // A name without a value: the map ends here, and the text after it.
    if (token.kind == EdnKind::kClose || token.kind == EdnKind::kEnd) {
      return lexer.expected(token, kExpected);
    }
    if (name.text == ":from" || name.text == ":to") {
      const Result<KeyId> found = account(lexer, token);
      if (!found) return found.error();
      (name.text == ":from" ? from : to) = *found;
    } else if (name.text == ":amount") {
      const Result<Value> found = number(lexer, token);
      if (!found) return found.error();
      // It is taken away from one account.
      if (found->as_integer() == Value::kIntegerMin) {
        return lexer.expected(token, "an amount greater than -2^61");
      }
      amount = *found;
    } else if (!lexer.skip_form(token)) {
      return lexer.error();
    }
  }
  if (!from || !to || !amount) return lexer.expected(token, kExpected);
  if (*from == *to) {
    return lexer.expected(token,
                          "a transfer between two accounts; what one from an account to itself "
                          "does is up to the test");
  }
  return std::vector<Balance>{{*from, Value::integer(-amount->as_integer())}, {*to, *amount}};
}

Result<std::vector<Balance>> BankWorkload::shown(EdnLexer& lexer, const EdnToken& first) {
  if (!first.opens("{")) {
    return lexer.expected(first, "the balances that were read, {ACCOUNT BALANCE, ...}");
  }
  std::vector<Balance> balances;
  std::map<std::uint32_t, bool> seen;
  while (true) {
    EdnToken token;
    if (!lexer.next(token)) return lexer.error();
    if (token.kind == EdnKind::kClose) return balances;
    const Result<KeyId> key = account(lexer, token);
    if (!key) return key.error();
    if (!seen.try_emplace(key->raw()).second) {
      return lexer.expected(token, "each account once in a read");
    }
    if (!lexer.next(token)) return lexer.error();
    const Result<Value> balance = number(lexer, token);
    if (!balance) return balance.error();
    balances.push_back({*key, *balance});
  }
}

void note_beginnings(HistoryBuilder& builder, std::size_t shown, std::string_view what) {
  if (shown == 0) return;
  builder.origin().notes.push_back(
      "the initial value of " + counted(shown, what) +
      " is not given; the value that was read there before anybody began to change it was "
      "taken as the initial one");
}

/// One of the accounts is read in that line.
Error without_beginning(const JepsenLog& log, std::uint64_t line, base::Budget& budget) {
  std::string what =
      log.has_invocations()
          ? "found a balance of an account of which no :ok read ended before the first "
            "transfer "
            "began, so that nobody knows what the account begins with; expected, in front of "
            "the log, what all accounts begin with, as a read: {:type :invoke, :f :read, "
            ":process -1} {:type :ok, :f :read, :process -1, :value {0 10, 1 10}}"
          : "found a bank in a log with a completion without :invoke, which does not say what "
            "came first, so that nobody knows what the accounts begin with; expected a log "
            "with invocations";
  const std::string told = told_by_bank(log, budget);
  if (budget.exhausted()) return out_of_budget(log.file(), budget);
  if (!told.empty()) what += "; what can be told: " + told;
  return bad_line(log.file(), line, what);
}

void note(HistoryBuilder& builder, const std::string& told) {
  if (!told.empty()) builder.origin().notes.push_back(told);
}

}  // namespace

Status pass_on_counter(JepsenLog& log, HistoryBuilder& builder, base::Budget& budget) {
  CounterWorkload workload(log, builder, budget);
  if (const Status status = workload.understand(); !status) return status.error();
  std::size_t shown = 0;
  std::int64_t initial = 0;
  for (const Beginnings::Register& counter : workload.beginnings().all()) {
    if (counter.shown) initial = counter.shown->as_integer();
    shown += counter.shown ? 1 : 0;
    builder.set_initial(counter.key, Value::integer(initial));
  }
  if (const Status status = log.pass_on(workload, budget); !status) return status.error();
  note_beginnings(builder, shown, "counter");
  if (shown == 0) {
    builder.origin().notes.push_back(
        "the initial value of the counter is not given; taken as 0, as Jepsen's own checker "
        "does");
  }
  note(builder, told_by_counter(log, initial, budget));
  return ok_status();
}

Status pass_on_bank(JepsenLog& log, HistoryBuilder& builder, base::Budget& budget) {
  BankWorkload workload(log, builder, budget);
  if (const Status status = workload.understand(); !status) return status.error();
  std::size_t shown = 0;
  for (const Beginnings::Register& account : workload.beginnings().all()) {
    if (!account.shown && account.read_line > 0) {
      return without_beginning(log, account.read_line, budget);
    }
    // Where nobody read, any beginning explains the same.
    builder.set_initial(account.key, account.shown.value_or(Value::integer(0)));
    shown += account.shown ? 1 : 0;
  }
  if (const Status status = log.pass_on(workload, budget); !status) return status.error();
  note_beginnings(builder, shown, "account");
  note(builder, told_by_bank(log, budget));
  return ok_status();
}

}  // namespace isolde::io
