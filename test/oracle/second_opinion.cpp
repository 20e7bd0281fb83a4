// Dependencies (Adya 1999, adapted to clients that see no version order): a level holds when
// for some version order of each key the graph of these edges is acyclic.
//   ww  writer of a version to the writer of the next          all levels
//   wr  writer of a version to its readers                     all levels
//   rw  readers of a version to the writer of the next         serializable
//   mv  T reads x from t1, having read from t2, a writer of x: t2 to t1   monotonic-atomic-view
//   so, rt  session order and real time                        where the level says so
// A version of a list is the whole list.
//
// Events (Adya's snapshot isolation as a database would run it): transactions start and commit
// at moments of one order; a transaction reads what is committed at its start, and may commit
// only when nobody committed a write of its keys since.
#include "oracle/second_opinion.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace isolde::oracle {
namespace {

using support::PlainHistory;
using support::PlainOp;
using support::PlainTxn;
using Version = std::vector<std::string>;

struct Summary {
  const PlainTxn* txn = nullptr;
  std::vector<std::pair<std::string, Version>> reads;
  std::map<std::string, Version> writes;
  bool contradicts_itself = false;
};

Summary summarise(const PlainTxn& txn) {
  Summary out;
  out.txn = &txn;
  for (const PlainOp& op : txn.ops) {
    Version& own = out.writes[op.key];
    switch (op.kind) {
      case OpKind::kWrite:
        own.assign(1, op.value);
        break;
      case OpKind::kAppend:
        own.push_back(op.value);
        break;
      case OpKind::kRead:
        if (own.empty()) {
          out.reads.push_back({op.key, op.value.empty() ? Version() : Version(1, op.value)});
        } else if (own.back() != op.value) {
          out.contradicts_itself = true;
        }
        break;
      case OpKind::kReadList: {
        Version seen = op.list;
        for (std::size_t i = own.size(); i > 0; --i) {
          if (seen.empty() || seen.back() != own[i - 1]) out.contradicts_itself = true;
          if (!seen.empty()) seen.pop_back();
        }
        out.reads.push_back({op.key, seen});
        break;
      }
      case OpKind::kReadUnknown:
        break;
    }
  }
  std::erase_if(out.writes, [](const auto& write) { return write.second.empty(); });
  return out;
}

bool is_list_key(const PlainHistory& history, const std::string& key) {
  for (const PlainTxn& txn : history) {
    for (const PlainOp& op : txn.ops) {
      if (op.key == key && op.kind == OpKind::kAppend) return true;
    }
  }
  return false;
}

bool must_precede(const PlainTxn& a, const PlainTxn& b, Level level,
                  std::int64_t clock_error_ns) {
  const LevelInfo& row = info(level);
  // Transactions are numbered in the order of the input, so addresses tell session order.
  if (row.session_order && a.session == b.session && &a < &b) return true;
  if (a.status == TxnStatus::kIndeterminate) return false;  // may take effect after its end
  return row.real_time && a.times.end != kNoTime && b.times.start != kNoTime &&
         b.times.start - a.times.end > clock_error_ns;
}

// Calls `holds` with every choice of transactions that may have happened; true when one holds.
bool some_choice(const PlainHistory& history,
                 const std::function<bool(const std::vector<Summary>&)>& holds) {
  for (std::uint32_t choice = 0; choice < (1U << history.size()); ++choice) {
    std::vector<Summary> chosen;
    bool is_possible = true;
    for (std::size_t t = 0; t < history.size() && is_possible; ++t) {
      const bool is_in = (choice >> t & 1U) != 0;
      if (history[t].status == TxnStatus::kCommitted) is_possible = is_in;
      if (history[t].status == TxnStatus::kAborted) is_possible = !is_in;
      if (is_in) chosen.push_back(summarise(history[t]));
    }
    for (const Summary& txn : chosen) is_possible = is_possible && !txn.contradicts_itself;
    if (is_possible && holds(chosen)) return true;
  }
  return false;
}

class Graph {
 public:
  explicit Graph(std::size_t count) : next_(count) {}
  void add(std::size_t from, std::size_t to) { next_[from].insert(to); }
  void add(const Graph& other) {
    for (std::size_t n = 0; n < next_.size(); ++n) {
      next_[n].insert(other.next_[n].begin(), other.next_[n].end());
    }
  }
  bool is_acyclic() const {
    std::vector<std::set<std::size_t>> left = next_;
    std::vector<bool> gone(left.size());
    for (std::size_t round = 0; round < left.size(); ++round) {
      for (std::size_t n = 0; n < left.size(); ++n) {
        if (gone[n] || !left[n].empty()) continue;
        gone[n] = true;
        for (auto& targets : left) targets.erase(n);
      }
    }
    return std::all_of(gone.begin(), gone.end(), [](bool is_gone) { return is_gone; });
  }

 private:
  std::vector<std::set<std::size_t>> next_;
};

constexpr std::size_t kInitial = ~std::size_t{0};
// Of each read of each transaction, by position: where it comes from.
using Sources = std::map<std::pair<std::size_t, std::size_t>, std::size_t>;

// One way to order the versions of one key.
struct KeyOrder {
  Graph ww_wr;
  Graph rw;
  Sources sources;
};

class Dependencies {
 public:
  Dependencies(const PlainHistory& history, const std::vector<Summary>& txns, Level level,
               std::int64_t clock_error_ns)
      : history_(history), txns_(txns), level_(level), clock_error_ns_(clock_error_ns) {}

  bool hold() const {
    std::set<std::string> keys;
    for (const Summary& txn : txns_) {
      for (const auto& [key, version] : txn.reads) keys.insert(key);
      for (const auto& [key, version] : txn.writes) keys.insert(key);
    }
    std::vector<std::vector<KeyOrder>> choices;
    for (const std::string& key : keys) choices.push_back(orders_of(key));
    std::vector<const KeyOrder*> chosen;
    return some_orders(choices, chosen);
  }

 private:
  std::vector<KeyOrder> orders_of(const std::string& key) const {
    std::vector<std::size_t> writers;
    for (std::size_t t = 0; t < txns_.size(); ++t) {
      if (txns_[t].writes.contains(key)) writers.push_back(t);
    }
    std::vector<KeyOrder> orders;
    do {
      KeyOrder order{Graph(txns_.size()), Graph(txns_.size()), {}};
      if (explains(key, writers, order)) orders.push_back(std::move(order));
    } while (std::next_permutation(writers.begin(), writers.end()));
    return orders;
  }

  bool explains(const std::string& key, const std::vector<std::size_t>& writers,
                KeyOrder& order) const {
    std::vector<Version> versions = {{}};
    for (const std::size_t writer : writers) {
      const Version& written = txns_[writer].writes.at(key);
      Version next = is_list_key(history_, key) ? versions.back() : Version();
      next.insert(next.end(), written.begin(), written.end());
      versions.push_back(std::move(next));
    }
    for (std::size_t i = 1; i < writers.size(); ++i)
      order.ww_wr.add(writers[i - 1], writers[i]);
    for (std::size_t t = 0; t < txns_.size(); ++t) {
      for (std::size_t r = 0; r < txns_[t].reads.size(); ++r) {
        if (txns_[t].reads[r].first != key) continue;
        const auto found =
            std::find(versions.begin(), versions.end(), txns_[t].reads[r].second);
        if (found == versions.end()) return false;
        const auto at = static_cast<std::size_t>(found - versions.begin());
        order.sources[{t, r}] = at == 0 ? kInitial : writers[at - 1];
        if (at > 0) order.ww_wr.add(writers[at - 1], t);  // to itself: a cycle, rightly
        if (at < writers.size() && writers[at] != t) order.rw.add(t, writers[at]);
      }
    }
    return true;
  }

  bool some_orders(const std::vector<std::vector<KeyOrder>>& choices,
                   std::vector<const KeyOrder*>& chosen) const {
    if (chosen.size() == choices.size()) return is_acyclic(chosen);
    for (const KeyOrder& order : choices[chosen.size()]) {
      chosen.push_back(&order);
      if (some_orders(choices, chosen)) return true;
      chosen.pop_back();
    }
    return false;
  }

  bool is_acyclic(const std::vector<const KeyOrder*>& orders) const {
    Graph graph(txns_.size());
    Sources sources;
    for (const KeyOrder* order : orders) {
      graph.add(order->ww_wr);
      if (info(level_).base == BaseLevel::kSerializable) graph.add(order->rw);
      sources.insert(order->sources.begin(), order->sources.end());
    }
    for (std::size_t a = 0; a < txns_.size(); ++a) {
      for (std::size_t b = 0; b < txns_.size(); ++b) {
        if (a != b && must_precede(*txns_[a].txn, *txns_[b].txn, level_, clock_error_ns_)) {
          graph.add(a, b);
        }
      }
    }
    if (info(level_).base == BaseLevel::kMonotonicAtomicView && !add_views(sources, graph)) {
      return false;
    }
    return graph.is_acyclic();
  }

  // False when the initial value would have to come after a write.
  bool add_views(const Sources& sources, Graph& graph) const {
    for (const auto& [later, t1] : sources) {
      const std::string& key = txns_[later.first].reads[later.second].first;
      for (const auto& [earlier, t2] : sources) {
        if (earlier.first != later.first || earlier.second >= later.second) continue;
        if (t2 == kInitial || t2 == t1 || !txns_[t2].writes.contains(key)) continue;
        if (t1 == kInitial) return false;
        graph.add(t2, t1);
      }
    }
    return true;
  }

  const PlainHistory& history_;
  const std::vector<Summary>& txns_;
  Level level_;
  std::int64_t clock_error_ns_;
};

class Events {
 public:
  Events(const PlainHistory& history, const std::vector<Summary>& txns, Level level,
         std::int64_t clock_error_ns)
      : history_(history),
        txns_(txns),
        level_(level),
        clock_error_ns_(clock_error_ns),
        started_(txns.size(), -1),
        committed_(txns.size(), -1) {}

  bool some_order() {
    if (now_ == 2 * static_cast<int>(txns_.size())) return true;
    for (std::size_t t = 0; t < txns_.size(); ++t) {
      if (started_[t] < 0 && can_start(t)) {
        started_[t] = now_++;
        if (some_order()) return true;
        --now_;
        started_[t] = -1;
      } else if (started_[t] >= 0 && committed_[t] < 0 && can_commit(t)) {
        committed_[t] = now_++;
        const std::map<std::string, Version> before = database_;
        commit(t);
        if (some_order()) return true;
        database_ = before;
        --now_;
        committed_[t] = -1;
      }
    }
    return false;
  }

 private:
  bool can_start(std::size_t t) {
    for (std::size_t other = 0; other < txns_.size(); ++other) {
      if (other != t && committed_[other] < 0 &&
          must_precede(*txns_[other].txn, *txns_[t].txn, level_, clock_error_ns_)) {
        return false;
      }
    }
    return std::all_of(txns_[t].reads.begin(), txns_[t].reads.end(),
                       [&](const auto& read) { return database_[read.first] == read.second; });
  }

  bool can_commit(std::size_t t) const {
    for (std::size_t other = 0; other < txns_.size(); ++other) {
      if (committed_[other] < started_[t]) continue;
      for (const auto& [key, version] : txns_[t].writes) {
        if (txns_[other].writes.contains(key)) return false;
      }
    }
    return true;
  }

  void commit(std::size_t t) {
    for (const auto& [key, written] : txns_[t].writes) {
      Version& version = database_[key];
      if (!is_list_key(history_, key)) version.clear();
      version.insert(version.end(), written.begin(), written.end());
    }
  }

  const PlainHistory& history_;
  const std::vector<Summary>& txns_;
  Level level_;
  std::int64_t clock_error_ns_;
  std::vector<int> started_;    // moment, -1 = not yet
  std::vector<int> committed_;  // moment, -1 = not yet
  std::map<std::string, Version> database_;
  int now_ = 0;
};

}  // namespace

bool holds_by_dependencies(const PlainHistory& history, Level level,
                           std::int64_t clock_error_ns) {
  return some_choice(history, [&](const std::vector<Summary>& txns) {
    return Dependencies(history, txns, level, clock_error_ns).hold();
  });
}

bool holds_by_events(const PlainHistory& history, Level level, std::int64_t clock_error_ns) {
  return some_choice(history, [&](const std::vector<Summary>& txns) {
    return Events(history, txns, level, clock_error_ns).some_order();
  });
}

}  // namespace isolde::oracle
