// Which workload a log is of. :f says so, except where it is :read alone.
//
// A bank's transfer says which accounts and which amount, not what it read nor what it wrote.
// These do not follow either: a balance is the initial one, which is not in the log, and the
// sum of some transfers, and many sets of them have the same sum. So there are no reads and
// writes that must have been. What can be told is that transfers keep the sum of all accounts
// that they use, wherever none of them undoes another; two reads of these accounts with
// different sums therefore rule out serializability and snapshot isolation. They rule out
// nothing weaker, where updates may be lost, so they are no finding about reads and writes; the
// refusal tells of them.
//
// A counter's read is the sum of some additions. Which they are it does not say.
//
// A lock's :acquire may be that of a mutex, of a reentrant lock or of a semaphore.
#include "io/jepsen_workloads.hpp"

#include <charconv>
#include <map>
#include <optional>
#include <set>
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

/// Scalars of a map by their texts: {0 10, 1 20}, {:from 0, :to 1, :amount 5}.
using TextMap = std::map<std::string_view, std::string_view>;

/// None for anything else.
std::optional<TextMap> map_of(std::string_view file, const JepsenEntry& entry,
                              base::Budget& budget) {
  EdnLexer lexer(file, entry.value, entry.value_line, &budget);
  EdnToken key;
  if (!lexer.next(key) || !key.opens("{")) return std::nullopt;
  TextMap map;
  while (true) {
    EdnToken value;
    if (!lexer.next(key) || key.kind == EdnKind::kOpen) return std::nullopt;
    if (key.kind == EdnKind::kClose) return map;
    if (!lexer.next(value) || value.kind == EdnKind::kOpen || value.kind == EdnKind::kClose) {
      return std::nullopt;
    }
    map[key.text] = value.text;
  }
}

/// What reads and transfers of a bank tell together.
class BankSums {
 public:
  BankSums(const JepsenLog& log, base::Budget& budget) {
    for (std::size_t number = 0; number < log.size(); ++number) {
      const JepsenOperation operation = log.operation(number);
      const bool transfers = operation.first->f == "transfer";
      if (!transfers && operation.end != JepsenType::kOk) continue;
      const std::optional<TextMap> map = map_of(log.file(), operation.source(), budget);
      if (transfers) {
        see_transfer(map);
      } else if (map) {
        see_read(*map, operation.source().line);
      }
    }
  }

  /// How the sums contradict each other; empty when they do not, or may well differ.
  std::string contradiction() const {
    if (!all_clear_ || other_line_ == 0) return {};
    for (const std::string_view account : used_) {
      if (!accounts_.contains(account)) return {};
    }
    return "; what can be told: reads of all accounts show the sums " + std::to_string(sum_) +
           " (line " + std::to_string(line_) + ") and " + std::to_string(other_sum_) +
           " (line " + std::to_string(other_line_) +
           "), which neither serializability nor snapshot isolation allows";
  }

 private:
  void see_transfer(const std::optional<TextMap>& map) {
    all_clear_ = all_clear_ && map && map->contains(":from") && map->contains(":to");
    if (!all_clear_) return;
    used_.insert(map->at(":from"));
    used_.insert(map->at(":to"));
  }

  void see_read(const TextMap& balances, std::uint64_t line) {
    std::set<std::string_view> accounts;
    std::int64_t sum = 0;
    for (const auto& [account, balance] : balances) {
      std::int64_t number = 0;
      const char* const end = balance.data() + balance.size();
      const auto [stop, error] = std::from_chars(balance.data(), end, number);
      if (error != std::errc() || stop != end) return;
      if (__builtin_add_overflow(sum, number, &sum)) return;
      accounts.insert(account);
    }
    if (line_ == 0) {
      accounts_ = std::move(accounts);
      sum_ = sum;
      line_ = line;
    } else if (other_line_ == 0 && accounts == accounts_ && sum != sum_) {
      other_sum_ = sum;
      other_line_ = line;
    }
  }

  bool all_clear_ = true;
  std::set<std::string_view> used_;
  std::set<std::string_view> accounts_;
  std::int64_t sum_ = 0;
  std::uint64_t line_ = 0;  // 0: no read yet
  std::int64_t other_sum_ = 0;
  std::uint64_t other_line_ = 0;
};

Error refuse_bank(const JepsenLog& log, const JepsenEntry& entry, base::Budget& budget) {
  const BankSums sums(log, budget);
  if (budget.exhausted()) return out_of_budget(log.file(), budget);
  return bad_line(
      log.file(), entry.line,
      "found :f " + shown_function(entry.f) +
          " of a bank, which does not say what transfers read and wrote, so that no "
          "level can be decided; expected each transfer as a transaction, like {:f "
          ":txn, :value [[:r 0 10] [:w 0 7] [:r 1 5] [:w 1 8]]}" +
          sums.contradiction());
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
    if (read_token(log, operation, budget).kind != EdnKind::kNumber) continue;
    return bad_line(log.file(), operation.source().line,
                    "found a number that was read where others :add, so this is a counter; a "
                    "sum does not say which additions it includes, so that no level can be "
                    "decided; expected a set (:add of elements, :read of all) or transactions");
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
    if (token.opens("{")) return refuse_bank(log, source, budget);
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
  if (*kind == FunctionKind::kTransfer) return refuse_bank(log, *decisive, budget);
  if (*kind == FunctionKind::kLock) return refuse_lock(log, *decisive);
  if (*kind == FunctionKind::kAdd) return kind_of_adds(log, budget);
  return JepsenKind::kRegisters;
}

}  // namespace isolde::io
