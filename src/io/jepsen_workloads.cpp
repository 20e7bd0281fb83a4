// Which workload a log is of. :f says so, except where it is :read alone.
//
// A lock's :acquire may be that of a mutex, of a reentrant lock or of a semaphore.
#include "io/jepsen_workloads.hpp"

#include <optional>
#include <string>

#include "base/budget.hpp"
#include "io/bad_input.hpp"

namespace isolde::io {
namespace {

/// What :f says, or nothing does.
enum class FunctionKind : std::uint8_t {
  kTransaction,
  kRegister,
  kAdd,
  kTransfer,
  kLock,
  kRead
};

std::optional<FunctionKind> function_kind(std::string_view f) {
  if (f.empty() || f == "txn") return FunctionKind::kTransaction;
  if (f == "read") return FunctionKind::kRead;
  if (f == "write" || f == "cas") return FunctionKind::kRegister;
  if (f == "add") return FunctionKind::kAdd;
  if (f == "transfer") return FunctionKind::kTransfer;
  if (f == "acquire" || f == "release") return FunctionKind::kLock;
  return std::nullopt;
}

Error refuse_lock(const JepsenLog& log, const JepsenEntry& entry) {
  return bad_line(
      log.file(), entry.line,
      "found :f " + shown_function(entry.f) +
          " of a lock, which does not say whether it is a mutex, a reentrant lock or "
          "a semaphore, so that no level can be decided; expected, of a mutex, {:f "
          ":write, :value :free}, then {:f :cas, :value [:free :held]} for each "
          ":acquire and {:f :cas, :value [:held :free]} for each :release");
}

/// The first token of an :ok read's value.
EdnToken read_token(const JepsenLog& log, const JepsenOperation& operation,
                    base::Budget& budget) {
  EdnToken token;
  const JepsenEntry& source = operation.source();
  EdnLexer lexer(log.file(), source.value, source.value_line, &budget);
  // What is no token has been refused when the entry was read.
  lexer.next(token);
  return token;
}

/// Sets and counters: both add, and what is read tells which it is.
Result<JepsenKind> kind_of_adds(const JepsenLog& log, base::Budget& budget) {
  for (std::size_t number = 0; number < log.size(); ++number) {
    const JepsenOperation operation = log.operation(number);
    if (operation.end != JepsenType::kOk || operation.first->f != "read") continue;
    if (read_token(log, operation, budget).kind == EdnKind::kNumber)
      return JepsenKind::kCounter;
  }
  if (budget.exhausted()) return out_of_budget(log.file(), budget);
  return JepsenKind::kSets;
}

/// Nothing but reads: the first that returned anything tells.
Result<JepsenKind> kind_of_reads(const JepsenLog& log, base::Budget& budget) {
  for (std::size_t number = 0; number < log.size(); ++number) {
    const JepsenOperation operation = log.operation(number);
    if (operation.end != JepsenType::kOk) continue;
    const EdnToken token = read_token(log, operation, budget);
    if (budget.exhausted()) return out_of_budget(log.file(), budget);
    if (token.is_nil()) continue;
    const JepsenEntry& source = operation.source();
    if (token.opens("{")) return JepsenKind::kBank;
    if (token.opens("#{")) return JepsenKind::kSets;
    if (!token.opens_sequence()) return JepsenKind::kRegisters;
    return bad_line(log.file(), source.line,
                    "found a vector that was read and nothing that writes; expected :f :write, "
                    ":cas or :add, which tell whether it is a key with its value or a set");
  }
  return JepsenKind::kRegisters;
}

/// Transactions: how the first operation is called.
JepsenKind kind_of_transactions(std::string_view file, const JepsenEntry& entry,
                                base::Budget& budget) {
  EdnLexer lexer(file, entry.value, entry.value_line, &budget);
  EdnToken token;
  const bool is_long = lexer.next(token) && token.opens_sequence() && lexer.next(token) &&
                       token.opens_sequence() && lexer.next(token) &&
                       (token.text == ":read" || token.text == ":write");
  return is_long ? JepsenKind::kMultiRegister : JepsenKind::kTransactions;
}

}  // namespace

bool edn_has_operations(std::string_view file, const JepsenEntry& entry, base::Budget& budget) {
  EdnLexer lexer(file, entry.value, entry.value_line, &budget);
  EdnToken token;
  return lexer.next(token) && token.opens_sequence() && lexer.next(token) &&
         token.opens_sequence();
}

Result<JepsenKind> jepsen_kind(const JepsenLog& log, base::Budget& budget) {
  std::optional<FunctionKind> kind;
  const JepsenEntry* decisive = nullptr;
  for (std::size_t number = 0; number < log.size(); ++number) {
    const JepsenOperation operation = log.operation(number);
    const JepsenEntry& source = operation.source();
    std::optional<FunctionKind> of_this = function_kind(source.f);
    if (edn_has_operations(log.file(), source, budget)) {
      if (!of_this || *of_this != FunctionKind::kAdd) of_this = FunctionKind::kTransaction;
    }
    if (budget.exhausted()) return out_of_budget(log.file(), budget);
    if (of_this == FunctionKind::kRead) continue;
    // JepsenTransactions says what is wrong with those that nobody knows.
    if (!of_this || of_this == FunctionKind::kTransaction) {
      return kind_of_transactions(log.file(), source, budget);
    }
    if (kind && kind != of_this) {
      return bad_line(log.file(), source.line,
                      "found :f " + shown_function(source.f) + " in a log with :f " +
                          shown_function(decisive->f) + " in line " +
                          std::to_string(decisive->line) +
                          ", which are different workloads; expected one of them in a file");
    }
    kind = of_this;
    if (decisive == nullptr) decisive = &source;
  }
  if (!kind) return kind_of_reads(log, budget);
  if (*kind == FunctionKind::kTransfer) return JepsenKind::kBank;
  if (*kind == FunctionKind::kLock) return refuse_lock(log, *decisive);
  if (*kind == FunctionKind::kAdd) return kind_of_adds(log, budget);
  return JepsenKind::kRegisters;
}

}  // namespace isolde::io
