#include "unit/certify/literal.hpp"

#include <algorithm>

#include "oracle/execution.hpp"
#include "oracle/level_tests.hpp"

namespace isolde::certify::test {
namespace {

/// Tries every way in which the rest of the order passes: where values repeat, reads have
/// several possible sources.
bool passes(oracle::Execution& execution, Level level, std::span<const TxnId> rest) {
  if (rest.empty()) return true;
  for (oracle::Step& step : execution.acceptable_steps(level, rest.front())) {
    execution.push(std::move(step));
    const bool good = passes(execution, level, rest.subspan(1));
    execution.pop();
    if (good) return true;
  }
  return false;
}

}  // namespace

bool asks_for_one_execution(const LevelInfo& level) {
  using oracle::Asks;
  const oracle::LevelTest& test = oracle::level_test(level.base);
  return test.asks != Asks::kSessionTest && test.asks != Asks::kKeyByKey &&
         test.asks != Asks::kShownOrder && test.asks != Asks::kOwnLevel &&
         !test.by_database_times;
}

bool acceptable(const History& history, const LevelInfo& level, std::int64_t clock_error_ns,
                const std::vector<TxnId>& order) {
  oracle::Execution execution(history, order, clock_error_ns);
  return passes(execution, level.level, order);
}

void each_acceptable_order(const History& history, const LevelInfo& level,
                           std::int64_t clock_error_ns,
                           const std::function<void(const std::vector<TxnId>&)>& visit) {
  std::vector<TxnId> open;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    if (history.status(TxnId::at(i)) == TxnStatus::kIndeterminate) open.push_back(TxnId::at(i));
  }
  for (std::size_t choice = 0; choice < (std::size_t{1} << open.size()); ++choice) {
    std::vector<TxnId> order;
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      if (history.status(TxnId::at(i)) == TxnStatus::kCommitted) order.push_back(TxnId::at(i));
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
      if ((choice >> i & 1U) != 0) order.push_back(open[i]);
    }
    std::sort(order.begin(), order.end());
    do {
      if (acceptable(history, level, clock_error_ns, order)) visit(order);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

}  // namespace isolde::certify::test
