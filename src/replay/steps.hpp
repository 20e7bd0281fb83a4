// Scripted steps: an interleaving as text, for people to write and for Isolde to play.
//
//   # A line for each step: who, and what.
//   P:    begin
//   P:    r(x)
//   Tout: begin
//   Tout: w(x, 1)
//   Tout: sql SELECT pg_advisory_xact_lock(1)
//   P:    w(y, 2)
//   Tout: send commit
//   Tin:  begin
//   Tin:  until r(x)=1
//   P:    commit
//   Tout: wait
//   ...
//
//   begin, commit, rollback
//   r(KEY)              a read; r(KEY)=VALUE and r(KEY)=[A B] also say what it returned where
//                       the steps come from
//   w(KEY, VALUE), append(KEY, VALUE)
//   d(KEY)              the key's row is deleted
//   select(keys FROM to TO, values FROM to TO)
//                       the rows whose keys and values, which are numbers, lie between these,
//                       ends included; either may be left out, and select() takes all rows
//   delete(...)         likewise, and deletes them
//   count(...), exists(...), sum(...), min(...), max(...)
//                       what the database computes of how many these are, or of their values
//   sql STATEMENT       in the database's own words. It must not touch what Isolde keeps there:
//                       the history would not show it
//   send STEP           the next step comes at once, and not when this one is done
//   wait                for the answers to all that the session was told to do
//   until r(KEY)=VALUE  rolls back and begins again until the read, the first of its
//                       transaction, returns that
//   crash               all servers are killed at once and started again; the session waits
//                       until they serve. Whoever has a transaction open loses it
//
// Keys, values and names of sessions are words (letters, digits, _ . - and more than 7-bit
// ASCII), numbers, or strings as in JSON. A key that is appended to holds a list.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/driver.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"
#include "replay/step.hpp"

namespace isolde::replay {

struct Steps {
  /// The transactions as far as they are written down: reads without a value are kReadUnknown,
  /// those with one have it, transactions commit, or abort where they roll back.
  History history;
  std::vector<Step> steps;
  std::vector<std::string> statements;
  /// Of steps that are kSelect, kDeleteSelected or kAggregate, by their Step::op; the statement
  /// of that number is the step as it was written.
  std::map<std::uint32_t, db::Condition> conditions;
  std::map<std::uint32_t, AggregateKind> computed;  ///< likewise of those that are kAggregate
  bool has_sql = false;
  bool deletes = false;  ///< rows
  bool crashes = false;  ///< a step is kCrash
};

/// ERRORS: kBadInput, "line 3: what is wrong and what was expected". COST: linear.
Result<Steps> parse_steps(std::string_view text);

/// Whether the first line that says anything is a step, as far as its first word. No format of
/// histories begins like that.
bool begins_like_steps(std::string_view text);

/// Steps of a history without statements as such a text; parse_steps() reads the same again,
/// but that outcomes are known, there are no times, and conditions need keys and values that
/// are numbers. What selections returned stands in comments behind them. REQUIRES:
/// can_be_replayed().
std::string steps_text(const History& history, std::span<const Step> steps);

/// A name as it stands in such a text: bare, or in quotes.
std::string step_word(std::string_view name);

}  // namespace isolde::replay
