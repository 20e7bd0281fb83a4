// Does the order of steps that replay plays show the same again where transactions select rows
// by conditions? Histories are made by small stores of rows, one with locks and visible commits
// and one with snapshots where the first of two writers wins; the same store, driven through
// the steps, must return to every read and every selection what the history has.
//
// Who writes a row has read it, so that the order of its versions is known. In some histories
// no row ever leaves a condition that it has met, so that a row that was not selected was
// missed at one time only; then nothing is left to guess. In the others rows also leave, and
// are deleted: one of several times is chosen, and the choice is wrong now and then.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "replay/interleaving.hpp"
#include "support/history_dsl.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using replay::Interleaving;
using replay::Step;
using support::PlainHistory;
using support::PlainOp;
using support::PlainTxn;

using Rows = std::map<std::int64_t, std::int64_t>;
using Bounds = Predicate::Bounds;

constexpr std::int64_t kKeys = 4;
constexpr std::int64_t kClasses = 3;
constexpr std::int64_t kOfClass = 1000;  ///< values of a class; each value is written once

/// Commits are visible to each read, or to transactions whose first operation comes later.
class RowStore {
 public:
  explicit RowStore(bool snapshots) : snapshots_(snapshots) {}

  struct Txn {
    bool is_open = false;
    std::map<std::int64_t, std::optional<std::int64_t>> own;  ///< none: deleted
    std::optional<Rows> snapshot;                             ///< of its first operation
    std::size_t version = 0;                                  ///< then
  };

  Rows rows(Txn& txn, const std::optional<Bounds>& keys, const std::optional<Bounds>& values) {
    Rows found = view(txn);
    std::erase_if(found, [&](const auto& row) {
      return (keys && !keys->contain(Value::integer(row.first))) ||
             (values && !values->contain(Value::integer(row.second)));
    });
    return found;
  }
  std::optional<std::int64_t> read(Txn& txn, std::int64_t key) {
    const Rows all = view(txn);
    const auto found = all.find(key);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  }
  void write(Txn& txn, std::int64_t key, std::optional<std::int64_t> value) {
    touch(txn);
    txn.own[key] = value;
  }
  /// Whether somebody else has committed to one of its keys since its snapshot.
  bool conflicts(const Txn& txn) const {
    return std::ranges::any_of(txn.own, [&](const auto& entry) {
      const auto found = changed_.find(entry.first);
      return snapshots_ && found != changed_.end() && found->second > txn.version;
    });
  }
  void commit(const Txn& txn) {
    ++version_;
    for (const auto& [key, value] : txn.own) {
      changed_[key] = version_;
      state_.erase(key);
      if (value) state_[key] = *value;
    }
  }

 private:
  void touch(Txn& txn) {
    if (txn.snapshot) return;
    txn.snapshot = state_;
    txn.version = version_;
  }
  Rows view(Txn& txn) {
    touch(txn);
    Rows all = snapshots_ ? *txn.snapshot : state_;
    for (const auto& [key, value] : txn.own) {
      all.erase(key);
      if (value) all[key] = *value;
    }
    return all;
  }

  const bool snapshots_;
  Rows state_;
  std::size_t version_ = 0;
  std::map<std::int64_t, std::size_t> changed_;
};

/// Makes a history: sessions take turns at random; who would write what an open transaction has
/// written does something else.
class RowMaker {
 public:
  RowMaker(base::Rng& rng, bool snapshots, bool rows_leave)
      : rng_(rng),
        store_(snapshots),
        rows_leave_(rows_leave),
        has_times_(rng.chance(0.5)),
        clients_(2 + rng.below(3)) {
    for (Client& client : clients_) client.txns_left = 1 + rng.below(3);
  }

  PlainHistory make() {
    while (true) {
      std::vector<std::size_t> movable;
      for (std::size_t i = 0; i < clients_.size(); ++i) {
        if (clients_[i].txn.is_open || clients_[i].txns_left > 0) movable.push_back(i);
      }
      if (movable.empty()) return std::move(history_);
      ++clock_;
      move(movable[rng_.below(movable.size())]);
    }
  }

 private:
  struct Client {
    std::uint64_t txns_left = 0;
    std::uint64_t ops_left = 0;
    RowStore::Txn txn;
    PlainTxn plain;
  };

  void move(std::size_t index) {
    Client& client = clients_[index];
    if (!client.txn.is_open) {
      client.txn = {};
      client.txn.is_open = true;
      client.ops_left = 1 + rng_.below(4);
      client.plain = {};
      client.plain.session = std::string(1, static_cast<char>('A' + index));
      if (has_times_) client.plain.times.start = clock_;
      return;
    }
    if (client.ops_left == 0) return end(client);
    --client.ops_left;
    const auto key = static_cast<std::int64_t>(rng_.below(kKeys));
    if (rng_.chance(0.5) || is_locked(client, key)) return select(client);
    change(client, key);
  }

  bool is_locked(const Client& client, std::int64_t key) const {
    return std::ranges::any_of(clients_, [&](const Client& other) {
      return &other != &client && other.txn.is_open && other.txn.own.contains(key);
    });
  }

  static std::string text(const Bounds& bounds) {
    return std::to_string(bounds.min) + ".." + std::to_string(bounds.max);
  }

  void select(Client& client) {
    std::optional<Bounds> keys;
    std::optional<Bounds> values;
    if (rng_.chance(0.4)) {
      const auto first = static_cast<std::int64_t>(rng_.below(kKeys));
      keys = Bounds{first, first + static_cast<std::int64_t>(rng_.below(kKeys))};
    }
    if (rng_.chance(0.5)) {
      const auto first = static_cast<std::int64_t>(rng_.below(kClasses));
      const std::int64_t end = rows_leave_ ? first + 1 : kClasses;
      values = Bounds{first * kOfClass, end * kOfClass - 1};
    }
    PlainOp op;
    op.kind = OpKind::kReadAbsent;
    if (keys) op.selection.keys = text(*keys);
    if (values) op.selection.values = text(*values);
    const Rows found = store_.rows(client.txn, keys, values);
    for (const auto& [key, value] : found) {
      op.selection.rows.emplace_back(std::to_string(key), std::to_string(value));
    }
    client.plain.ops.push_back(op);
    const bool deletes =
        rows_leave_ && rng_.chance(0.2) && std::ranges::none_of(found, [&](const auto& row) {
          return is_locked(client, row.first);
        });
    for (const auto& [key, value] : found) {
      if (deletes) write(client, key, std::nullopt);
    }
  }

  void change(Client& client, std::int64_t key) {
    const std::optional<std::int64_t> held = store_.read(client.txn, key);
    PlainOp read;
    read.key = std::to_string(key);
    if (held) read.value = std::to_string(*held);
    client.plain.ops.push_back(read);
    if (rows_leave_ && held && rng_.chance(0.3)) return write(client, key, std::nullopt);
    const std::int64_t least = rows_leave_ || !held ? 0 : *held / kOfClass;
    const auto more =
        static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(kClasses - least)));
    write(client, key, (least + more) * kOfClass + ++written_);
  }

  void write(Client& client, std::int64_t key, std::optional<std::int64_t> value) {
    PlainOp op;
    op.kind = OpKind::kWrite;
    op.key = std::to_string(key);
    if (value) op.value = std::to_string(*value);
    client.plain.ops.push_back(op);
    store_.write(client.txn, key, value);
  }

  void end(Client& client) {
    const bool aborts = rng_.chance(0.15) || store_.conflicts(client.txn);
    if (!aborts) store_.commit(client.txn);
    client.txn.is_open = false;
    --client.txns_left;
    client.plain.status = aborts ? TxnStatus::kAborted : TxnStatus::kCommitted;
    if (has_times_) client.plain.times.end = clock_;
    history_.push_back(client.plain);
  }

  base::Rng& rng_;
  RowStore store_;
  const bool rows_leave_;
  const bool has_times_;
  std::vector<Client> clients_;
  std::int64_t clock_ = 0;
  std::int64_t written_ = 0;
  PlainHistory history_;
};

/// Drives a store through the steps; what it does differently from the history.
class Driver {
 public:
  Driver(const History& history, bool snapshots)
      : history_(history), store_(snapshots), txns_(history.txn_count()) {}

  std::string difference(const std::vector<Step>& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::string wrong = take(steps[i]);
      if (!wrong.empty()) return "step " + std::to_string(i + 1) + ": " + wrong;
    }
    return "";
  }

 private:
  std::string take(const Step& step) {
    RowStore::Txn& txn = txns_[step.txn.raw()];
    switch (step.kind) {
      case Step::Kind::kBegin:
        txn.is_open = true;
        return "";
      case Step::Kind::kCommit:
        if (store_.conflicts(txn)) return "the commit is refused";
        store_.commit(txn);
        txn.is_open = false;
        return "";
      case Step::Kind::kOperation:
        return operation(step, txn);
      case Step::Kind::kSelect:
      case Step::Kind::kDeleteSelected:
        return select(step, txn);
      default:
        txn.is_open = false;
        return "";
    }
  }

  std::string operation(const Step& step, RowStore::Txn& txn) {
    const Op& op = history_.ops(step.txn)[step.op];
    const std::int64_t key = history_.key_name(op.key).as_integer();
    if (op.is_write()) {
      if (waits(step.txn, key)) return "it waits";
      store_.write(txn, key,
                   op.is_delete() ? std::nullopt : std::optional(op.value.as_integer()));
      return "";
    }
    std::optional<std::int64_t> wanted;
    if (op.kind == OpKind::kRead && !op.value.is_null()) wanted = op.value.as_integer();
    return store_.read(txn, key) == wanted ? "" : "the read returns something else";
  }

  std::string select(const Step& step, RowStore::Txn& txn) {
    const Selection& selection = history_.selections(step.txn)[step.op];
    const PredicateView predicate = history_.predicates()[selection.predicate];
    Rows wanted;
    for (const Op& op : history_.ops(step.txn).subspan(selection.first, selection.rows)) {
      wanted[history_.key_name(op.key).as_integer()] = op.value.as_integer();
    }
    // What aborted transactions did not find is not in the history.
    const bool aborts = history_.status(step.txn) == TxnStatus::kAborted;
    if (!aborts && store_.rows(txn, predicate.keys, predicate.values) != wanted) {
      return "the selection returns something else";
    }
    for (const auto& [key, value] : wanted) {
      if (step.kind == Step::Kind::kSelect) continue;
      if (waits(step.txn, key)) return "it waits";
      store_.write(txn, key, std::nullopt);
    }
    return "";
  }

  /// Those that abort hold locks as well, but who was to wait for them is not in the history.
  bool waits(TxnId txn, std::int64_t key) const {
    for (std::size_t u = 0; u < txns_.size(); ++u) {
      const bool counts = u != txn.raw() &&
                          history_.status(TxnId::at(u)) != TxnStatus::kAborted &&
                          history_.status(txn) != TxnStatus::kAborted;
      if (counts && txns_[u].is_open && txns_[u].own.contains(key)) return true;
    }
    return false;
  }

  const History& history_;
  RowStore store_;
  std::vector<RowStore::Txn> txns_;
};

class RowStores : public testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(RowStores, ShowTheSameAgain) {
  const auto [snapshots, rows_leave] = GetParam();
  const std::uint64_t cases = support::case_count(20'000);
  std::uint64_t missing = 0;
  std::uint64_t deleting = 0;
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::uint64_t which = (snapshots ? 1U : 0U) + (rows_leave ? 2U : 0U);
    const std::uint64_t seed = base::mix2(support::run_seed(), i * 4 + which);
    base::Rng rng(seed);
    PlainHistory plain = RowMaker(rng, snapshots, rows_leave).make();
    // By the name of the session, so that the order of the input does not give it away.
    std::stable_sort(plain.begin(), plain.end(), [](const PlainTxn& a, const PlainTxn& b) {
      return a.session < b.session;
    });
    const History history = support::build(plain);
    ASSERT_TRUE(replay::can_be_replayed(history).ok());
    const Interleaving order(history);
    const std::string difference = Driver(history, snapshots).difference(order.steps());
    if (!rows_leave) {
      ASSERT_EQ(difference, "") << "seed " << seed << "\n" << support::to_text(plain);
    }
    wrong += difference.empty() ? 0U : 1U;
    deleting += order.statements().delete_selected() ? 1U : 0U;
    missing += std::ranges::any_of(history.all_ops(),
                                   [](const Op& op) { return op.kind == OpKind::kReadAbsent; });
  }
  std::printf(
      "%llu of %llu with rows that were missed, %llu delete by conditions, %llu wrong\n",
      static_cast<unsigned long long>(missing), static_cast<unsigned long long>(cases),
      static_cast<unsigned long long>(deleting), static_cast<unsigned long long>(wrong));
  EXPECT_TRUE(support::met(missing, 10, cases));
  if (!rows_leave) return;
  EXPECT_TRUE(support::met(deleting, 100, cases));
  EXPECT_LE(wrong * 20, cases + 100);
}

INSTANTIATE_TEST_SUITE_P(, RowStores, testing::Combine(testing::Bool(), testing::Bool()),
                         [](const auto& param) {
                           return std::string(std::get<0>(param.param) ? "Snapshots"
                                                                       : "Locks") +
                                  (std::get<1>(param.param) ? "AndRowsLeave" : "");
                         });

}  // namespace
}  // namespace isolde::prop
