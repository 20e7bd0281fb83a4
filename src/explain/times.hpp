// When the transactions of a scenario ran: by the calendar where the history tells what the
// clients' clock showed, so that people find the place in a server's log; else from the first
// start of the history.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "explain/scenario.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// The time as nanoseconds since 1970 in UTC; none when the history does not tell.
std::optional<std::int64_t> moment_of(const History& history, std::int64_t time);

/// When the first transaction started; none when no start is known. COST: linear.
std::int64_t first_start(const History& history);

class TimeTexts {
 public:
  /// Without a place on the calendar times count from `zero_point`, or else from the first
  /// start of the history. COST: linear in the history to find that.
  TimeTexts(const History& history, const Scenario& scenario,
            std::int64_t zero_point = kNoTime);

  /// What all times have in common: "Times are of 2026-11-20, in UTC." Empty when there is
  /// nothing to say.
  std::string heading() const;
  /// "14:03:22.822000 to 14:03:22.823376", "from 22.822 ms to 23.376 ms", "events 6 to 7" where
  /// times are only an order; empty when not known.
  std::string of(TxnId txn) const;

 private:
  std::string text(std::int64_t moment) const;

  const History& history_;
  bool on_calendar_ = false;
  std::string day_;               // of all moments; empty: they differ
  std::size_t digits_ = 6;        // of a second's fraction
  std::int64_t first_ = kNoTime;  // start of the history
};

}  // namespace isolde::explain
