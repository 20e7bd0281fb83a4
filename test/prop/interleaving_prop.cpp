// Is the order of steps that replay plays one that could have been, and where it must be able
// to show the same again, does it? On any history: all steps once, the orders that bind, no
// dependence on chance. On histories that a store with locks and visible commits has made, or
// one with snapshots where the first of two writers wins: the same store, driven through the
// steps, returns to every read what the history has.
//
// The keys of these are lists and a last transaction reads all, so that the order of all
// versions is known; then interleaving.hpp says that nothing is left to guess.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "replay/interleaving.hpp"
#include "replay/steps.hpp"
#include "support/history_dsl.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using replay::Interleaving;
using replay::Statement;
using replay::Statements;
using replay::Step;
using support::PlainHistory;
using support::PlainOp;
using support::PlainTxn;

// --- Any history

/// Index of each transaction's first and last step; empty when steps are missing or out of
/// order.
struct Places {
  std::vector<std::size_t> begin, end;
};

std::string place(const History& history, const std::vector<Step>& steps, Places& places) {
  const Statements statements(history, replay::Deletions::kSelected);
  std::vector<std::size_t> next(history.txn_count(), 0);
  places.begin.resize(history.txn_count());
  places.end.resize(history.txn_count());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const TxnId txn = steps[i].txn;
    const std::span<const Statement> sent = statements.of(txn);
    const std::size_t count = sent.size();
    const std::size_t number = next[txn.raw()]++;
    const bool aborts = history.status(txn) == TxnStatus::kAborted;
    Step wanted{Step::Kind::kOperation, txn, 0};
    if (number == 0) {
      wanted.kind = Step::Kind::kBegin;
      places.begin[txn.raw()] = i;
    } else if (number <= count) {
      wanted.kind = sent[number - 1].kind;
      wanted.op = sent[number - 1].op;
    } else {
      wanted.kind = aborts ? Step::Kind::kRollback : Step::Kind::kCommit;
      places.end[txn.raw()] = i;
    }
    if (number > count + 1 || steps[i] != wanted) return "out of program order";
  }
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    if (next[t] != statements.of(TxnId::at(t)).size() + 2) return "not all steps";
  }
  return "";
}

std::string complaint(const History& history, const std::vector<Step>& steps, bool with_times) {
  Places places;
  const std::string wrong = place(history, steps, places);
  if (!wrong.empty()) return wrong;
  for (std::size_t s = 0; s < history.session_count(); ++s) {
    const std::span<const TxnId> txns = history.session_txns(SessionId::at(s));
    for (std::size_t i = 0; i + 1 < txns.size(); ++i) {
      if (places.end[txns[i].raw()] > places.begin[txns[i + 1].raw()]) return "session order";
    }
  }
  for (std::size_t a = 0; with_times && a < history.txn_count(); ++a) {
    if (history.status(TxnId::at(a)) == TxnStatus::kIndeterminate) continue;
    for (std::size_t b = 0; b < history.txn_count(); ++b) {
      const std::int64_t end = history.times(TxnId::at(a)).end;
      const std::int64_t start = history.times(TxnId::at(b)).start;
      if (end == kNoTime || start == kNoTime || end >= start) continue;
      if (places.end[a] > places.begin[b]) return "real time";
    }
  }
  return "";
}

/// Whether times and sessions agree, so that both can bind.
bool can_keep_times(const History& history) {
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnTimes times = history.times(TxnId::at(t));
    const bool backwards =
        times.start != kNoTime && times.end != kNoTime && times.end < times.start;
    if (backwards) return false;
  }
  return support::sessions_respect_time(support::to_plain(history), 0);
}

/// Every other one selects rows.
PlainHistory any_history(std::uint64_t seed) {
  if (seed % 2 == 0) return support::random_history(seed);
  base::Rng rng(seed);
  const support::RandomHistoryOptions options =
      support::random_selection_options(rng, rng.chance(0.5));
  return support::random_history(rng, options);
}

TEST(Interleaving, KeepsWhatBindsOnAnyHistory) {
  std::uint64_t timed = 0;
  std::uint64_t count = 0;
  std::uint64_t selecting = 0;
  for (std::uint64_t i = 0; i < support::case_count(20'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    const History history = support::build(any_history(seed));
    if (!replay::can_be_replayed(history)) continue;
    const Interleaving order(history);
    const std::vector<Step> steps = order.steps();
    const bool with_times = history.has_times() && can_keep_times(history);
    ASSERT_EQ(complaint(history, steps, with_times), "") << "seed " << seed << "\n"
                                                         << support::to_text(history);
    ASSERT_EQ(Interleaving(history).steps(), steps) << "seed " << seed;
    base::Rng rng(seed);
    base::Rng same(seed);
    const std::vector<Step> shuffled = order.shuffled(rng);
    ASSERT_EQ(complaint(history, shuffled, with_times), "") << "shuffled, seed " << seed << "\n"
                                                            << support::to_text(history);
    ASSERT_EQ(order.shuffled(same), shuffled) << "seed " << seed;
    ++count;
    timed += with_times ? 1U : 0U;
    selecting += history.has_selections() ? 1U : 0U;
  }
  std::printf("%llu histories, %llu with times that bind, %llu with selections\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(timed),
              static_cast<unsigned long long>(selecting));
  EXPECT_GT(timed, 0U);
  EXPECT_GT(selecting, 0U);
}

// --- As text

/// What a text of steps keeps of a transaction.
std::vector<std::string> kept(const History& history, TxnId txn) {
  std::vector<std::string> ops;
  for (const Op& op : history.ops(txn)) {
    const bool says_nothing = op.kind == OpKind::kReadExcept ||
                              op.kind == OpKind::kReadUnknown ||
                              (op.kind == OpKind::kRead && history.seen(op).is_null());
    ops.push_back(says_nothing ? "r(" + history.text(history.key_name(op.key)) + ")"
                               : history.op_text(op));
  }
  ops.emplace_back(history.status(txn) == TxnStatus::kAborted ? "rollback" : "commit");
  return ops;
}

/// Steps of the transaction that writes initial contents.
std::size_t writes_before(const History& history) {
  std::size_t writes = 0;
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    writes += history.initial_list(KeyId::at(k)).size();
    writes += history.initial(KeyId::at(k)).is_null() ? 0 : 1;
  }
  return writes == 0 ? 0 : writes + 2;
}

TEST(Interleaving, AsTextIsReadBack) {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < support::case_count(5000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    const History history = support::build(any_history(seed));
    if (!replay::can_be_replayed(history)) continue;
    base::Rng rng(seed);
    const std::vector<Step> steps = Interleaving(history).shuffled(rng);
    const std::string text = replay::steps_text(history, steps);
    const Result<replay::Steps> again = replay::parse_steps(text);
    ASSERT_TRUE(again.ok()) << "seed " << seed << ": " << again.error().message << "\n" << text;
    // Initial contents are written by a transaction before all others.
    const std::size_t more = writes_before(history);
    ASSERT_EQ(again->steps.size(), steps.size() + more) << "seed " << seed;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const TxnId before = steps[s].txn;
      const TxnId now = again->steps[s + more].txn;
      ASSERT_EQ(again->steps[s + more].kind, steps[s].kind) << "seed " << seed;
      if (!history.has_selections()) {
        ASSERT_EQ(again->steps[s + more].op, steps[s].op) << "seed " << seed;
      }
      ASSERT_EQ(again->history.position_of(now), history.position_of(before))
          << "seed " << seed;
      ASSERT_EQ(again->history.session_name(again->history.session_of(now)),
                history.session_name(history.session_of(before)))
          << "seed " << seed;
      if (history.has_selections()) continue;  // which are no operations there
      ASSERT_EQ(kept(again->history, now), kept(history, before)) << "seed " << seed;
    }
    ++count;
    if (history.has_selections()) continue;
    ASSERT_EQ(replay::steps_text(again->history, again->steps), text) << "seed " << seed;
  }
  EXPECT_GT(count, 0U);
}

// Any text is read or refused, and what is read can be written.
TEST(Interleaving, AnyTextIsReadOrRefused) {
  constexpr std::string_view kParts[] = {
      "A",   "B",  ":",     " ",  "begin", "commit", "\n",      "r(",      "x",    ")",
      "=",   "[",  "]",     "w(", ",",     "5",      "append(", "until",   "send", "wait",
      "sql", "\"", "\\u00", "#",  "null",  "0.5",    "\xff",    "rollback"};
  const std::uint64_t cases = support::case_count(20'000);
  std::uint64_t read = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(base::mix2(support::run_seed(), i));
    std::string text = rng.below(2) == 0 ? "A: begin\nA: w(x, 1)\nA: commit\n" : "";
    for (std::uint64_t left = rng.below(30); left > 0; --left) {
      const std::string_view part = kParts[rng.below(std::size(kParts))];
      text.insert(rng.below(text.size() + 1), part);
    }
    const Result<replay::Steps> steps = replay::parse_steps(text);
    if (!steps) continue;
    ++read;
    if (!steps->statements.empty()) continue;
    const bool waits = std::ranges::any_of(steps->steps, [](const Step& step) {
      return step.kind == Step::Kind::kWait || step.pace != Step::Pace::kUsual;
    });
    if (waits) continue;
    ASSERT_TRUE(replay::parse_steps(replay::steps_text(steps->history, steps->steps)).ok())
        << text;
  }
  EXPECT_TRUE(support::met(read, 100, cases));
}

// --- Stores

using List = std::vector<std::string>;
using State = std::map<std::string, List>;

/// Lists with transactions. Commits are visible to each read, or to transactions whose first
/// operation comes later.
class Store {
 public:
  explicit Store(bool snapshots) : snapshots_(snapshots) {}

  struct Txn {
    bool is_open = false;
    State own;                      ///< what it appended
    std::optional<State> snapshot;  ///< of its first operation
    std::size_t version = 0;        ///< then
  };

  List read(Txn& txn, const std::string& key) {
    touch(txn);
    const State& base = snapshots_ ? *txn.snapshot : state_;
    List list = base.contains(key) ? base.at(key) : List{};
    if (txn.own.contains(key)) {
      list.insert(list.end(), txn.own[key].begin(), txn.own[key].end());
    }
    return list;
  }
  void append(Txn& txn, const std::string& key, const std::string& element) {
    touch(txn);
    txn.own[key].push_back(element);
  }
  /// Whether somebody else has committed to one of its keys since its snapshot.
  bool conflicts(const Txn& txn) const {
    return std::any_of(txn.own.begin(), txn.own.end(), [&](const auto& entry) {
      const auto found = changed_.find(entry.first);
      return snapshots_ && found != changed_.end() && found->second > txn.version;
    });
  }
  void commit(Txn& txn) {
    ++version_;
    for (const auto& [key, elements] : txn.own) {
      state_[key].insert(state_[key].end(), elements.begin(), elements.end());
      changed_[key] = version_;
    }
  }

 private:
  void touch(Txn& txn) {
    if (txn.snapshot) return;
    txn.snapshot = state_;
    txn.version = version_;
  }

  const bool snapshots_;
  State state_;
  std::size_t version_ = 0;
  std::map<std::string, std::size_t> changed_;
};

/// Makes a history: sessions take turns at random; who would write what an open transaction has
/// written waits; when all wait, one aborts.
class Maker {
 public:
  Maker(base::Rng& rng, bool snapshots)
      : rng_(rng), store_(snapshots), has_times_(rng.chance(0.5)), clients_(2 + rng.below(3)) {
    for (Client& client : clients_) client.txns_left = 1 + rng.below(3);
  }

  PlainHistory make() {
    while (true) {
      std::vector<std::size_t> movable;
      std::vector<std::size_t> waiting;
      for (std::size_t i = 0; i < clients_.size(); ++i) {
        if (is_over(clients_[i])) continue;
        (waits(i) ? waiting : movable).push_back(i);
      }
      ++clock_;
      if (!movable.empty()) {
        move(movable[rng_.below(movable.size())]);
      } else if (!waiting.empty()) {
        end(waiting[rng_.below(waiting.size())], TxnStatus::kAborted);
      } else {
        break;
      }
    }
    read_all();
    return std::move(history_);
  }

 private:
  struct Client {
    std::uint64_t txns_left = 0;
    std::uint64_t ops_left = 0;
    std::string key;  ///< of the next operation; empty: none
    bool appends = false;
    Store::Txn txn;
    PlainTxn plain;
  };

  static bool is_over(const Client& client) {
    return !client.txn.is_open && client.txns_left == 0;
  }

  bool waits(std::size_t index) {
    Client& client = clients_[index];
    if (!client.txn.is_open || client.ops_left == 0) return false;
    if (client.key.empty()) {
      client.key = std::string(1, static_cast<char>('x' + rng_.below(3)));
      client.appends = rng_.chance(0.5);
    }
    for (std::size_t i = 0; i < clients_.size() && client.appends; ++i) {
      const bool locked = clients_[i].txn.is_open && clients_[i].txn.own.contains(client.key);
      if (i != index && locked) return true;
    }
    return false;
  }

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
    if (client.ops_left == 0) {
      const bool aborts = rng_.chance(0.15) || store_.conflicts(client.txn);
      return end(index, aborts ? TxnStatus::kAborted : TxnStatus::kCommitted);
    }
    --client.ops_left;
    PlainOp op;
    op.key = std::exchange(client.key, "");
    if (client.appends) {
      op.kind = OpKind::kAppend;
      op.value = std::to_string(++elements_);
      store_.append(client.txn, op.key, op.value);
    } else {
      op.kind = OpKind::kReadList;
      op.list = store_.read(client.txn, op.key);
    }
    client.plain.ops.push_back(op);
  }

  void end(std::size_t index, TxnStatus status) {
    Client& client = clients_[index];
    if (status == TxnStatus::kCommitted) store_.commit(client.txn);
    client.txn.is_open = false;
    client.key.clear();
    --client.txns_left;
    client.plain.status = status;
    if (has_times_) client.plain.times.end = clock_;
    history_.push_back(client.plain);
  }

  void read_all() {
    Store::Txn txn;
    PlainTxn last;
    last.session = "Z";
    for (const char* key : {"x", "y", "z"}) {
      PlainOp op;
      op.kind = OpKind::kReadList;
      op.key = key;
      op.list = store_.read(txn, key);
      last.ops.push_back(op);
    }
    history_.push_back(last);
  }

  base::Rng& rng_;
  Store store_;
  const bool has_times_;
  std::vector<Client> clients_;
  std::int64_t clock_ = 0;
  std::uint64_t elements_ = 0;
  PlainHistory history_;
};

/// Drives a store through the steps; what it does differently from the history.
std::string difference(const PlainHistory& plain, const History& history,
                       const std::vector<Step>& steps, bool snapshots) {
  Store store(snapshots);
  std::vector<Store::Txn> txns(history.txn_count());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::size_t t = steps[i].txn.raw();
    Store::Txn& txn = txns[t];
    const std::string at = "step " + std::to_string(i + 1) + ": ";
    if (steps[i].kind == Step::Kind::kBegin) txn.is_open = true;
    if (steps[i].kind == Step::Kind::kCommit) {
      if (store.conflicts(txn)) return at + "the commit is refused";
      store.commit(txn);
    }
    if (steps[i].kind != Step::Kind::kOperation) {
      txn.is_open = steps[i].kind == Step::Kind::kBegin;
      continue;
    }
    const PlainOp& op = plain[t].ops[steps[i].op];
    if (op.kind == OpKind::kReadList) {
      if (store.read(txn, op.key) != op.list) return at + "the read returns something else";
      continue;
    }
    for (std::size_t u = 0; u < txns.size(); ++u) {
      // Those that abort hold locks as well, but who was to wait for them is not in the
      // history.
      const bool counts = u != t && plain[u].status != TxnStatus::kAborted &&
                          plain[t].status != TxnStatus::kAborted;
      if (counts && txns[u].is_open && txns[u].own.contains(op.key)) return at + "it waits";
    }
    store.append(txn, op.key, op.value);
  }
  return "";
}

class Stores : public testing::TestWithParam<bool> {};

TEST_P(Stores, ShowTheSameAgain) {
  const bool snapshots = GetParam();
  std::uint64_t txns = 0;
  for (std::uint64_t i = 0; i < support::case_count(20'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i * 2 + (snapshots ? 1 : 0));
    base::Rng rng(seed);
    PlainHistory plain = Maker(rng, snapshots).make();
    // By the name of the session, so that the order of the input does not give it away.
    std::stable_sort(plain.begin(), plain.end(), [](const PlainTxn& a, const PlainTxn& b) {
      return a.session < b.session;
    });
    const History history = support::build(plain);
    const std::vector<Step> steps = Interleaving(history).steps();
    ASSERT_EQ(complaint(history, steps, history.has_times()), "") << "seed " << seed << "\n"
                                                                  << support::to_text(plain);
    ASSERT_EQ(difference(plain, history, steps, snapshots), "") << "seed " << seed << "\n"
                                                                << support::to_text(plain);
    txns += plain.size();
  }
  std::printf("%llu transactions\n", static_cast<unsigned long long>(txns));
}

INSTANTIATE_TEST_SUITE_P(, Stores, testing::Bool(), [](const auto& param) {
  return param.param ? "WithSnapshots" : "WithLocks";
});

}  // namespace
}  // namespace isolde::prop
