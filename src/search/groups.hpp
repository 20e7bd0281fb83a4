// Groups: the aggregates of a history as constraints on the sources of several reads together.
// Each item of an aggregate is an open read of its row, of any version that the result does not
// exclude by itself. The group says that the result computed from what all items read is the
// one recorded.
//
// A group that is violated has an *explanation*: a few of its items, whose sources alone, with
// any sources of the others, give another result. Counts and sums are compared by bounds over
// the versions that the other items may have read; that is exact once all sources are known.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/budget.hpp"
#include "history/aggregates.hpp"
#include "history/certificate.hpp"
#include "infer/observations.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::checker {

/// What the items of an aggregate read, along an execution in which each read has one version.
/// The transaction's own writes are added here.
using VersionOf = std::function<Value(std::uint32_t op)>;

/// COST: linear in the transaction's operations before the selection, and the condition for
/// each item.
bool has_result(const History& history, TxnId txn, const Selection& selection,
                const VersionOf& version_of);

class Groups {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct Item {
    std::uint32_t read = kNone;  ///< in open_reads(), or none:
    history::Span known;         ///< its version is known
    history::Span any;           ///< of all its possible versions
  };
  struct Group {
    WrongResult name;
    std::vector<Item> items;
  };

  /// The groups of included transactions; those that say no more than their items do are left
  /// out. COST: linear in the items' possible sources.
  Groups(const infer::Observations& seen, base::Budget& budget);

  const std::vector<Group>& all() const { return groups_; }
  bool empty() const { return groups_.empty(); }
  /// Numbers of the groups with an item that is this open read.
  const std::vector<std::uint32_t>& of_read(std::uint32_t read) const { return of_read_[read]; }

  /// One that no versions explain, of a transaction that certainly took effect.
  std::optional<WrongResult> find_impossible() const;

  const Aggregate& aggregate_of(const Group& group) const {
    return *history_.aggregate(selection_of(group));
  }

  /// What an item contributes when it reads this version; none: the initial one.
  history::Span span_of(const Group& group, const Item& item, infer::WriteId source) const;

  /// Sources of some items, of which `known` tells: places in Group::items that suffice for
  /// another result; none when the result is possible. Those for which `costs` is true are
  /// dropped first.
  std::optional<std::vector<std::uint32_t>> explain(
      const Group& group,
      const std::function<std::optional<infer::WriteId>(const Item&)>& known,
      const std::function<bool(const Item&)>& costs) const;

  /// The witness explains all aggregates, and names the sources that do. False: not all, or not
  /// at a level whose witnesses tell, or the budget ran out.
  bool are_explained_by(Witness& witness, const LevelInfo& level) const;

 private:
  const Selection& selection_of(const Group& group) const {
    return history_.selections(group.name.txn)[group.name.selection];
  }
  Value value_of(infer::WriteId write) const;

  const infer::Observations& seen_;
  const History& history_;
  base::Budget& budget_;
  std::vector<Group> groups_;
  std::vector<std::vector<std::uint32_t>> of_read_;
};

/// Aggregates that do not have their results in an execution at a level where this is told by
/// the order and the sources that the witness names, ascending. At read committed and
/// repeatable read, sources that explain an aggregate are added to the witness where there are
/// none. Where it matters which version a read returned, the witness must name what items read;
/// that their sources fit the level is the caller's concern. REQUIRES: tells_results(level).
std::vector<WrongResult> wrong_results(const History& history, const LevelInfo& level,
                                       Witness& witness, base::Budget& budget);

/// Witnesses of the level tell what each item of an aggregate read.
bool tells_results(const LevelInfo& level);

/// An aggregate of a committed transaction that no versions of its rows explain. COST: linear
/// in the items' possible versions.
std::optional<WrongResult> impossible_result(const History& history, base::Budget& budget);

}  // namespace isolde::checker
