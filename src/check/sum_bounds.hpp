// Numbers that no increments add up to. Whoever reads a number that transactions only ever add
// to learns what some of them added. Where even the most that can be among them is too little,
// or the least too much, no sums explain the read, however the sums are chosen. So Jepsen's
// checkers judge a counter, by what had certainly and what had possibly been added, and a bank,
// by the total of all accounts.
//
// Why this is enough. From read committed up, an external read returns what a transaction left
// that took effect, and a chain of increments leads from there down to the initial contents,
// each at a transaction that the execution has earlier: so their steps are those of a set of
// transactions, the reader not among them. Where no update is lost, the chain holds every
// transaction that the reader sees and that adds to the key, and those that it must see, in its
// session or in real time, are in the set. There the reads of several keys are also of one set,
// for whoever is in a chain is seen with all that it did.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "history/certificate.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::base {
class Budget;
}

namespace isolde::checker {

class SumBounds {
 public:
  /// COST: linear in the history, for each set of keys that some transaction reads together:
  /// n log n in the transactions that add to one of them, and logarithmic for each read; memory
  /// linear in the history.
  SumBounds(const History& history, std::int64_t clock_error_ns, base::Budget& budget);

  /// The first read, or the reads of a transaction together, that nothing explains at the
  /// level. COST: constant; all is found when this is made.
  std::optional<Finding> find(const LevelInfo& level) const;

 private:
  __extension__ using Wide = __int128;

  /// What binds a reader to others.
  enum class Order : std::uint8_t { kNone, kSession, kTime };

  /// All that a level says here.
  struct Rules {
    Order order = Order::kNone;
    bool sees_all_before = false;  ///< the reader sees all that come before it
    bool together = false;         ///< the reads of all keys are of one set of transactions
    friend auto operator<=>(const Rules&, const Rules&) = default;
  };
  /// What a transaction read of the keys of a group.
  struct Reading {
    TxnId txn;
    std::uint32_t op = 0;  ///< the last of the reads
    Wide total = 0;
  };
  /// What a transaction adds to the keys of a group.
  struct Step {
    TxnId txn;
    Wide by = 0;
  };
  struct Totals {
    Wide all = 0;
    Wide less = 0;  ///< of the negative steps
    Wide more = 0;  ///< of the others

    void add(Wide by);
    Totals operator-(const Totals& other) const;
  };
  /// Steps in some order, and what those before each, and all, come to.
  struct Line {
    std::vector<Step> steps;
    std::vector<Totals> sums;

    void sum_up();
    const Totals& all() const { return sums.back(); }
    /// Of the first steps, for which this is true.
    template <typename Predicate>
    const Totals& while_true(const Predicate& predicate) const;
  };
  /// Keys that some transactions read together.
  struct Group {
    std::vector<Reading> readings;
    Wide begin = 0;   ///< what they held in all
    Line by_session;  ///< and within each in its order
    Line committed;   ///< the same, of those that surely took effect
    Line by_end;      ///< of those that surely took effect and say when they had
    Line by_start;    ///< of those that say when they started
  };

  /// Nothing: no read says anything at the level.
  static std::optional<Rules> rules_of(const LevelInfo& level);
  void note_steps();
  void note_reads(TxnId txn);
  void sum_up(const std::vector<KeyId>& keys, Group& group);
  std::optional<Finding> find_in(const std::vector<KeyId>& keys, const Group& group,
                                 const Rules& rules) const;
  bool explains(const Group& group, const Reading& reading, const Rules& rules) const;

  const History& history_;
  const std::int64_t clock_error_ns_;
  base::Budget& budget_;
  std::vector<std::uint8_t> is_counted_;  // by key: whoever did not abort only adds to it
  std::vector<std::vector<Step>> steps_;  // by key, ascending
  std::vector<TxnId> changed_by_;         // by key: the last one that was looked at and adds
  std::vector<TxnId> read_by_;            // by key: the last one that was looked at and reads
  std::map<std::vector<KeyId>, Group> groups_;  // by their keys, ascending
  std::map<Rules, std::optional<Finding>> found_;
};

}  // namespace isolde::checker
