#include "search/groups.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/assert.hpp"
#include "history/base_levels.hpp"
#include "level/level_traits.hpp"

namespace isolde::checker {

using history::Share;
using history::Span;
using history::Tally;
using infer::OpenRead;
using infer::WriteId;

namespace {

/// What the transaction has written before the operation, by key.
std::map<KeyId, Value> own_writes(const History& history, TxnId txn, std::uint32_t before) {
  std::map<KeyId, Value> own;
  for (const Op& op : history.ops(txn).first(before)) {
    if (op.kind == OpKind::kWrite) own[op.key] = op.value;
  }
  return own;
}

/// The item reads say all of it.
bool is_told_by_items(const Aggregate& aggregate) { return aggregate.is_of_nothing(); }

/// What the item read, where that follows from the history alone: the initial version, where
/// nobody left another one that fits, or the only other one. None: more than one fits, or none.
std::optional<Value> only_version(const History& history, TxnId txn, const Op& item,
                                  base::Budget& budget) {
  std::optional<Value> only;
  if (history.fits_initial(item)) only = Value();
  budget.spend(history.txn_count());
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId writer = TxnId::at(t);
    if (writer == txn || history.status(writer) == TxnStatus::kAborted) continue;
    Value left;
    for (const Op& write : history.ops(writer)) {
      if (write.kind == OpKind::kWrite && write.key == item.key) left = write.value;
    }
    if (left.is_null() || !history.fits(item, left)) continue;
    if (only) return std::nullopt;
    only = left;
  }
  return only;
}

template <typename Visit>
void for_each_aggregate(const History& history, TxnId txn, const Visit& visit) {
  const std::span<const Selection> selections = history.selections(txn);
  for (std::uint32_t i = 0; i < selections.size(); ++i) {
    if (selections[i].is_aggregate()) visit(i, selections[i]);
  }
}

}  // namespace

bool has_result(const History& history, TxnId txn, const Selection& selection,
                const VersionOf& version_of) {
  const Aggregate& aggregate = *history.aggregate(selection);
  const std::map<KeyId, Value> own = own_writes(history, txn, selection.first);
  Tally tally(aggregate);
  for (std::uint32_t op = selection.first; op < selection.end(); ++op) {
    const KeyId key = history.ops(txn)[op].key;
    const auto written = own.find(key);
    const Value version = written == own.end() ? version_of(op) : written->second;
    tally.add(Span::of(history::share_of(history, selection, key, version), aggregate));
  }
  return tally.allows();
}

// ---- Groups

Groups::Groups(const infer::Observations& seen, base::Budget& budget)
    : seen_(seen), history_(seen.history()), budget_(budget) {
  if (!history_.has_aggregates()) return;
  of_read_.resize(seen.open_reads().size());
  // What is missing may have been counted.
  if (history_.origin().truncated) return;
  std::uint32_t next = 0;  // open read
  for (std::size_t t = 0; t < seen.txn_count() && !budget.exhausted(); ++t) {
    const TxnId txn = TxnId::at(t);
    const auto is_before = [&](std::uint32_t op) {
      const OpenRead& read = seen.open_reads()[next];
      return read.txn < txn || (read.txn == txn && read.op < op);
    };
    if (!seen.is_included(txn)) continue;
    for_each_aggregate(history_, txn, [&](std::uint32_t number, const Selection& selection) {
      const Aggregate& aggregate = *history_.aggregate(selection);
      if (is_told_by_items(aggregate)) return;
      const std::map<KeyId, Value> own = own_writes(history_, txn, selection.first);
      Group group{{txn, number}, {}};
      for (std::uint32_t op = selection.first; op < selection.end(); ++op) {
        while (next < seen.open_reads().size() && is_before(op)) ++next;
        const bool is_open = next < seen.open_reads().size() &&
                             seen.open_reads()[next].txn == txn &&
                             seen.open_reads()[next].op == op;
        const KeyId key = history_.ops(txn)[op].key;
        const auto written = own.find(key);
        Item item;
        if (written != own.end() || !is_open) {
          Value version;
          if (written != own.end()) {
            version = written->second;
          } else if (const Op& read = history_.ops(txn)[op]; !history_.fits_initial(read)) {
            version = only_version(history_, txn, read, budget_).value_or(Value());
          }
          item.known =
              Span::of(history::share_of(history_, selection, key, version), aggregate);
          item.any = item.known;
        } else {
          const OpenRead& read = seen.open_reads()[next];
          bool first = true;
          const auto offer = [&](Value version) {
            item.any.add(history::share_of(history_, selection, key, version), aggregate,
                         first);
            first = false;
          };
          if (read.is_initial) offer(Value());
          for (const WriteId source : seen.sources(read)) offer(value_of(source));
          budget_.spend(8 * (seen.sources(read).size() + 1));
          item.read = next;
          of_read_[next].push_back(static_cast<std::uint32_t>(groups_.size()));
        }
        group.items.push_back(item);
      }
      groups_.push_back(std::move(group));
    });
  }
}

Value Groups::value_of(WriteId write) const {
  const std::span<const Op> ops = history_.ops(seen_.writer(write));
  const KeyId key = seen_.written_key(write);
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    if (op->kind == OpKind::kWrite && op->key == key) return op->value;
  }
  return Value();
}

Span Groups::span_of(const Group& group, const Item& item, WriteId source) const {
  const Selection& selection = selection_of(group);
  const Value version = source.is_none() ? Value() : value_of(source);
  const KeyId key = seen_.open_reads()[item.read].key;
  return Span::of(history::share_of(history_, selection, key, version), aggregate_of(group));
}

std::optional<WrongResult> Groups::find_impossible() const {
  for (const Group& group : groups_) {
    if (seen_.is_doubtful(group.name.txn)) continue;
    const bool is_impossible = explain(
                                   group, [](const Item&) { return std::optional<WriteId>(); },
                                   [](const Item&) { return false; })
                                   .has_value();
    if (is_impossible) return group.name;
  }
  return std::nullopt;
}

bool Groups::are_explained_by(Witness& witness, const LevelInfo& level) const {
  if (groups_.empty() && !history_.origin().truncated) return true;
  return tells_results(level) && wrong_results(history_, level, witness, budget_).empty() &&
         !budget_.exhausted();
}

std::optional<std::vector<std::uint32_t>> Groups::explain(
    const Group& group, const std::function<std::optional<WriteId>(const Item&)>& known,
    const std::function<bool(const Item&)>& costs) const {
  Tally tally(aggregate_of(group));
  std::vector<std::pair<std::uint32_t, Span>> given;  // items whose sources count
  for (std::uint32_t i = 0; i < group.items.size(); ++i) {
    const Item& item = group.items[i];
    const std::optional<WriteId> source = item.read == kNone ? std::nullopt : known(item);
    if (!source) {
      tally.add(item.read == kNone ? item.known : item.any);
      continue;
    }
    given.emplace_back(i, span_of(group, item, *source));
    tally.add(given.back().second);
  }
  budget_.spend(16 * group.items.size() + 1);
  if (tally.allows()) return std::nullopt;
  std::stable_partition(given.begin(), given.end(),
                        [&](const auto& each) { return costs(group.items[each.first]); });
  std::vector<std::uint32_t> needed;
  for (const auto& [place, span] : given) {
    const Item& item = group.items[place];
    tally.remove(span);
    tally.add(item.any);
    if (!tally.allows()) continue;
    tally.remove(item.any);
    tally.add(span);
    needed.push_back(place);
  }
  std::sort(needed.begin(), needed.end());
  return needed;
}

// ---- Along an execution

namespace {

class ResultsAlong {
 public:
  ResultsAlong(const History& history, const LevelInfo& level, Witness& witness,
               base::Budget& budget)
      : history_(history),
        level_(level),
        witness_(witness),
        budget_(budget),
        versions_(history.key_count()) {
    for (const ReadSource& source : witness.sources) {
      named_[{source.txn, source.op}] = source.writer;
    }
  }

  std::vector<WrongResult> run() {
    std::vector<std::uint8_t> has_begun(history_.txn_count(), 0);
    for (const TxnId txn : witness_.order) {
      const bool begins = std::exchange(has_begun[txn.raw()], std::uint8_t{1}) == 0;
      const bool commits = !begins || witness_.mentions == 1;
      const BaseLevel base = base_of(txn);
      if (reads_state(base) ? (is_serial(base) ? commits : begins) : commits) {
        read(txn, base);
      }
      if (commits) write(txn);
      if (!budget_.spend(history_.ops(txn).size() + 1)) break;
    }
    std::ranges::sort(wrong_, {}, [](const WrongResult& each) {
      return std::pair(each.txn, each.selection);
    });
    return std::move(wrong_);
  }

 private:
  struct Version {
    TxnId writer;
    Value value;
  };

  BaseLevel base_of(TxnId txn) const {
    if (traits(level_.base).method != Method::kMixedVersionOrders) return level_.base;
    const std::optional<Level> stated = history_.stated_level(txn);
    ISOLDE_CHECK(stated.has_value());
    return info(*stated).base;
  }

  /// The items of an aggregate are from one state, whatever sources are named.
  static bool reads_state(BaseLevel base) {
    return reads_one_state(base) && !disregards_left_out_rows(base);
  }

  /// Each item may be from any earlier version.
  static bool may_choose_versions(BaseLevel base) {
    return reads_bind_apart(base) || disregards_left_out_rows(base);
  }

  void write(TxnId txn) {
    const std::span<const Op> ops = history_.ops(txn);
    for (const Op& op : ops) {
      if (op.kind != OpKind::kWrite) continue;
      std::vector<Version>& versions = versions_[op.key.raw()];
      if (!versions.empty() && versions.back().writer == txn) {
        versions.back().value = op.value;
      } else {
        versions.push_back({txn, op.value});
      }
    }
    if (place_.empty()) place_.assign(history_.txn_count(), 0);
    place_[txn.raw()] = ++committed_;
  }

  const Value& last_of(KeyId key) const {
    static const Value kInitial;
    const std::vector<Version>& versions = versions_[key.raw()];
    return versions.empty() ? kInitial : versions.back().value;
  }

  void read(TxnId txn, BaseLevel base) {
    for_each_aggregate(history_, txn, [&](std::uint32_t number, const Selection& selection) {
      if (!reads_state(base) && is_told_by_items(*history_.aggregate(selection))) return;
      if (!is_named(txn, selection, base)) return wrong_.push_back({txn, number});
      budget_.spend(16 * std::uint64_t{selection.absents} + selection.first + 1);
      const std::span<const Op> ops = history_.ops(txn);
      bool any_named = false;
      const bool is_right =
          has_result(history_, txn, selection, [&](std::uint32_t op) -> Value {
            const KeyId key = ops[op].key;
            if (reads_state(base)) return last_of(key);
            const auto named = named_.find({txn, op});
            any_named = any_named || named != named_.end();
            return named != named_.end() ? value_from(named->second, key)
                                         : latest_fitting(ops[op]);
          });
      if (is_right) return;
      if (may_choose_versions(base) && !any_named && choose(txn, selection)) return;
      wrong_.push_back({txn, number});
    });
  }

  /// Where it matters which version a read returned, each item has one that is known.
  bool is_named(TxnId txn, const Selection& selection, BaseLevel base) const {
    if (reads_state(base) || may_choose_versions(base)) return true;
    const std::map<KeyId, Value> own = own_writes(history_, txn, selection.first);
    const std::span<const Op> ops = history_.ops(txn);
    for (std::uint32_t op = selection.first; op < selection.end(); ++op) {
      const bool is_told =
          own.contains(ops[op].key) || named_.contains({txn, op}) ||
          latest_fitting(ops[op]).is_null() ||
          (!history_.fits_initial(ops[op]) && only_version(history_, txn, ops[op], budget_));
      if (!is_told) return false;
    }
    return true;
  }

  Value value_from(TxnId writer, KeyId key) const {
    if (writer.is_none()) return Value();
    for (const Version& version : versions_[key.raw()]) {
      if (version.writer == writer) return version.value;
    }
    return Value();
  }

  Value latest_fitting(const Op& item) const {
    if (!history_.may_have_seen_a_write(item)) return Value();
    const std::vector<Version>& versions = versions_[item.key.raw()];
    for (auto at = versions.rbegin(); at != versions.rend(); ++at) {
      if (history_.fits(item, at->value)) return at->value;
    }
    return Value();
  }

  /// Goes back from state to state until the items have the result in one of them, and names
  /// what they read there.
  bool choose(TxnId txn, const Selection& selection) {
    const Aggregate& aggregate = *history_.aggregate(selection);
    const std::span<const Op> ops = history_.ops(txn);
    const std::map<KeyId, Value> own = own_writes(history_, txn, selection.first);
    struct Item {
      std::uint32_t op;
      const std::vector<Version>* versions;
      std::size_t left;  // versions up to here are there
    };
    const auto span_of = [&](KeyId key, Value version) {
      return Span::of(history::share_of(history_, selection, key, version), aggregate);
    };
    const auto span_now = [&](const Item& item) {
      return span_of(ops[item.op].key,
                     item.left == 0 ? Value() : (*item.versions)[item.left - 1].value);
    };
    Tally tally(aggregate);
    std::vector<Item> items;
    std::vector<std::pair<std::uint32_t, std::size_t>> changes;  // place and item
    for (std::uint32_t op = selection.first; op < selection.end(); ++op) {
      const KeyId key = ops[op].key;
      if (const auto written = own.find(key); written != own.end()) {
        tally.add(span_of(key, written->second));
        continue;
      }
      items.push_back({op, &versions_[key.raw()], versions_[key.raw()].size()});
      tally.add(span_now(items.back()));
      for (const Version& version : versions_[key.raw()]) {
        changes.emplace_back(place_[version.writer.raw()], items.size() - 1);
      }
    }
    std::sort(changes.rbegin(), changes.rend());
    for (std::size_t i = 0; i < changes.size() && budget_.spend(32);) {
      const std::uint32_t place = changes[i].first;
      for (; i < changes.size() && changes[i].first == place; ++i) {
        Item& item = items[changes[i].second];
        tally.remove(span_now(item));
        --item.left;
        tally.add(span_now(item));
      }
      if (!tally.allows()) continue;
      for (const Item& item : items) {
        const TxnId writer =
            item.left == 0 ? TxnId::none() : (*item.versions)[item.left - 1].writer;
        witness_.sources.push_back({txn, item.op, writer});
      }
      return true;
    }
    return false;
  }

  const History& history_;
  const LevelInfo& level_;
  Witness& witness_;
  base::Budget& budget_;
  std::map<std::pair<TxnId, std::uint32_t>, TxnId> named_;
  std::vector<std::vector<Version>> versions_;  // by key, so far
  std::vector<std::uint32_t> place_;            // by transaction: of its commit, from 1
  std::uint32_t committed_ = 0;
  std::vector<WrongResult> wrong_;
};

}  // namespace

bool tells_results(const LevelInfo& level) {
  const Method method = traits(level.base).method;
  return !tests_each_read(level.base) && method != Method::kKeyByKey &&
         method != Method::kShownOrders;
}

std::vector<WrongResult> wrong_results(const History& history, const LevelInfo& level,
                                       Witness& witness, base::Budget& budget) {
  ISOLDE_ASSERT(tells_results(level));
  return ResultsAlong(history, level, witness, budget).run();
}

std::optional<WrongResult> impossible_result(const History& history, base::Budget& budget) {
  if (!history.has_aggregates() || history.origin().truncated) return std::nullopt;
  struct FinalWrite {
    TxnId writer;
    Value value;
  };
  std::vector<std::vector<FinalWrite>> writes(history.key_count());
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    for (const Op& op : history.ops(txn)) {
      if (op.kind != OpKind::kWrite) continue;
      std::vector<FinalWrite>& of_key = writes[op.key.raw()];
      if (!of_key.empty() && of_key.back().writer == txn) of_key.pop_back();
      of_key.push_back({txn, op.value});
    }
    budget.spend(history.ops(txn).size());
  }
  std::optional<WrongResult> found;
  for (std::size_t t = 0; t < history.txn_count() && !found && !budget.exhausted(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (history.status(txn) != TxnStatus::kCommitted) continue;
    for_each_aggregate(history, txn, [&](std::uint32_t number, const Selection& selection) {
      const Aggregate& aggregate = *history.aggregate(selection);
      const std::map<KeyId, Value> own = own_writes(history, txn, selection.first);
      Tally tally(aggregate);
      bool has_none = false;  // an item, of versions that it may have read
      for (std::uint32_t at = selection.first; at < selection.end(); ++at) {
        const Op& op = history.ops(txn)[at];
        Span any;
        bool first = true;
        const auto offer = [&](Value version) {
          any.add(history::share_of(history, selection, op.key, version), aggregate, first);
          first = false;
        };
        if (const auto written = own.find(op.key); written != own.end()) {
          offer(written->second);
        } else {
          if (history.fits_initial(op)) offer(Value());
          for (const FinalWrite& write : writes[op.key.raw()]) {
            if (write.writer != txn && history.fits(op, write.value)) {
              offer(write.value);
            }
          }
          budget.spend(8 * (writes[op.key.raw()].size() + 1));
        }
        tally.add(any);
        has_none = has_none || first;
      }
      if (!found && (has_none || !tally.allows())) found = WrongResult{txn, number};
    });
  }
  return found;
}

}  // namespace isolde::checker
