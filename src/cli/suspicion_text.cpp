#include "cli/suspicion_text.hpp"

#include <vector>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "explain/phrase.hpp"
#include "isolde/times.hpp"

namespace isolde::cli {
namespace {

/// "#12", as reports number transactions.
std::string name_of(stream::TxnNumber number) { return "#" + base::grouped(number + 1); }

/// The first few of them.
std::string names_of(const std::vector<stream::TxnNumber>& numbers) {
  constexpr std::size_t kMostNames = 6;
  std::vector<std::string> names;
  for (const stream::TxnNumber number : numbers) {
    if (names.size() < kMostNames) names.push_back(name_of(number));
  }
  if (numbers.size() > kMostNames) {
    names.push_back(base::plural(numbers.size() - kMostNames, "other"));
  }
  return base::joined(names, "and");
}

}  // namespace

std::string suspicion_text(const stream::Suspicion& suspicion, std::int64_t first_start,
                           bool searches) {
  std::string text = "suspected, which is no verdict yet: no order was found of " +
                     name_of(suspicion.first) + " to " + name_of(suspicion.last);
  if (first_start != kNoTime && suspicion.begin != kNoTime && suspicion.end != kNoTime) {
    text += ", from " + explain::duration_text(suspicion.begin - first_start) + " to " +
            explain::duration_text(suspicion.end - first_start);
  }
  text += " of the history";
  if (!suspicion.named.empty()) text += ", because of " + names_of(suspicion.named);
  return text + (searches ? "; a violation that stands by itself is looked for"
                          : "; a pipe cannot be read again to look for a violation");
}

std::string violation_text(const stream::Rounds& rounds, Level level,
                           const std::string& bundle) {
  const History& history = rounds.violation()->history;
  std::vector<stream::TxnNumber> numbers;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    numbers.push_back(history.position_in_input(TxnId::at(t)) - 1);
  }
  return "violated: " + std::string(info(level).name) + " is violated by " +
         base::plural(numbers.size(), "transaction") + ", " + names_of(numbers) +
         (bundle.empty() ? "" : ", which are in " + base::printable_path(bundle));
}

}  // namespace isolde::cli
