// What logs of sums tell by themselves, whatever the additions acted on. These are no verdicts,
// for nothing here proves them to the certificate's verifier; histories carry them as notes,
// and the refusal of a bank does.
//
// Transfers keep the sum of all accounts that they use, wherever none of them undoes another:
// two reads of these accounts with different sums rule out serializability and snapshot
// isolation. They rule out nothing weaker, where updates may be lost.
//
// A read of a counter shows all additions that had ended before it began, and none that began
// after it had ended, where the level keeps real time. This is the interval of Jepsen's own
// checker, with additions of less than nothing besides.
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "io/jepsen_workloads.hpp"

namespace isolde::io {
namespace {

__extension__ using Wide = __int128;

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
    if (!lexer.next(key) || key.kind == EdnKind::kOpen || key.kind == EdnKind::kEnd) {
      return std::nullopt;
    }
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
    return "reads of all accounts show the sums " + std::to_string(sum_) + " (line " +
           std::to_string(line_) + ") and " + std::to_string(other_sum_) + " (line " +
           std::to_string(other_line_) +
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

std::optional<std::int64_t> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// The sums that reads may show, along the log.
class CounterSums {
 public:
  CounterSums(const JepsenLog& log, std::int64_t initial, base::Budget& budget)
      : low_(initial), high_(initial) {
    for (std::size_t number = 0; number < log.size(); ++number) add(log.operation(number));
    std::sort(events_.begin(), events_.end());
    for (const Event& event : events_) {
      if (!budget.spend(1 + reading_.size())) return;
      pass(event);
    }
  }

  std::string contradiction() const { return contradiction_; }

 private:
  /// An operation begins or ends. An entry is one of the two.
  struct Event {
    std::int64_t time = 0;
    bool begins = false;
    std::size_t call = 0;
    friend auto operator<=>(const Event&, const Event&) = default;
  };
  struct Call {
    bool reads = false;
    std::int64_t number = 0;
    std::uint64_t line = 0;
    Wide low = 0;  // of a read: what it may show, as far as it has got
    Wide high = 0;
  };

  void add(const JepsenOperation& operation) {
    const bool reads = operation.first->f == "read";
    const bool ended = operation.end == JepsenType::kOk;
    if (operation.end == JepsenType::kFail || (reads && !ended)) return;
    const JepsenEntry& entry = reads ? operation.source() : *operation.first;
    const std::optional<std::int64_t> number = number_of(entry.value);
    if (!number) return;
    calls_.push_back({reads, *number, operation.source().line});
    events_.push_back({operation.first->time, true, calls_.size() - 1});
    if (ended) events_.push_back({operation.completion->time, false, calls_.size() - 1});
  }

  /// What an addition that is under way may change is taken into account from its beginning,
  /// and whatever has not been at its end, from there; of reads under way only the former.
  void pass(const Event& event) {
    Call& call = calls_[event.call];
    if (!call.reads) {
      const Wide by = call.number;
      if (event.begins) {
        (by < 0 ? low_ : high_) += by;
        for (const std::size_t read : reading_)
          (by < 0 ? calls_[read].low : calls_[read].high) += by;
      } else {
        (by < 0 ? high_ : low_) += by;
      }
      return;
    }
    if (event.begins) {
      call.low = low_;
      call.high = high_;
      reading_.insert(event.call);
      return;
    }
    reading_.erase(event.call);
    if (!contradiction_.empty() || (call.low <= call.number && call.number <= call.high))
      return;
    const auto shown = [](Wide sum) {
      return std::to_string(static_cast<std::int64_t>(
          std::clamp(sum, Wide{std::numeric_limits<std::int64_t>::min()},
                     Wide{std::numeric_limits<std::int64_t>::max()})));
    };
    contradiction_ = "a read shows " + std::to_string(call.number) + " (line " +
                     std::to_string(call.line) + "), where by real time the sum was between " +
                     shown(call.low) + " and " + shown(call.high) +
                     ", which strict serializability does not allow";
  }

  std::vector<Call> calls_;
  std::vector<Event> events_;
  std::set<std::size_t> reading_;
  Wide low_;
  Wide high_;
  std::string contradiction_;
};

}  // namespace

std::string told_by_bank(const JepsenLog& log, base::Budget& budget) {
  return BankSums(log, budget).contradiction();
}

std::string told_by_counter(const JepsenLog& log, std::int64_t initial, base::Budget& budget) {
  if (!log.has_invocations()) return {};
  return CounterSums(log, initial, budget).contradiction();
}

}  // namespace isolde::io
