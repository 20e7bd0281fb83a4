// Runs of imaginary databases: a level holds when some course of events gives all results.
//   snapshot-isolation   transactions start and commit at moments of one order; a transaction
//                        reads what is committed at its start, and may commit only when no
//                        row that it writes, and that is there, has a newer version; for a key
//                        without a row it makes one
//   prefix-consistency   the same, and it may always commit
//   sequential           each session runs its operations one after the other, but the reads of
//                        one selection in any order; reads return the present value, and a
//                        transaction's writes all happen at its end
//   linearizable         each key by itself: every transaction happens at a point of time
//   inside
//                        its interval
//   read-uncommitted     no course of events but Adya's G0: some choice of transactions that
//                        took effect, and no cycle of those that lists show one after the other
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "oracle/level_tests.hpp"
#include "oracle/plain_summary.hpp"
#include "oracle/second_opinion.hpp"

namespace isolde::oracle {
namespace {

using support::PlainHistory;
using support::PlainOp;
using support::PlainTxn;

using Database = std::map<std::string, Version>;

void commit(const PlainHistory& history, const Summary& txn, Database& database) {
  for (const auto& [key, written] : txn.writes) {
    Version& version = database[key];
    if (!is_list_key(history, key)) version.clear();
    version.insert(version.end(), written.begin(), written.end());
  }
}

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
        const auto before = std::pair(database_, rows_);
        commit(history_, txns_[t], database_);
        store_rows(txns_[t], committed_[t]);
        if (some_order()) return true;
        std::tie(database_, rows_) = before;
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
          must_precede(history_, *txns_[other].txn, *txns_[t].txn, level_, clock_error_ns_)) {
        return false;
      }
    }
    return std::all_of(txns_[t].reads.begin(), txns_[t].reads.end(),
                       [&](const auto& read) { return database_[read.first] == read.second; });
  }

  bool can_commit(std::size_t t) const {
    if (level_test(info(level_).base).second == Second::kEvents) return true;
    const auto& writes = txns_[t].writes;
    return std::none_of(writes.begin(), writes.end(), [&](const auto& write) {
      const auto row = rows_.find(write.first);
      return row != rows_.end() && row->second > started_[t];
    });
  }

  void store_rows(const Summary& txn, int moment) {
    for (const auto& [key, version] : txn.writes) {
      if (is_deletion(version)) {
        rows_.erase(key);
      } else {
        rows_[key] = moment;
      }
    }
  }

  const PlainHistory& history_;
  const std::vector<Summary>& txns_;
  Level level_;
  std::int64_t clock_error_ns_;
  std::vector<int> started_;    // moment, -1 = not yet
  std::vector<int> committed_;  // moment, -1 = not yet
  Database database_;
  std::map<std::string, int> rows_;  // those that are there: moment of the newest version
  int now_ = 0;
};

class Interleaving {
 public:
  Interleaving(const PlainHistory& history, const std::vector<Summary>& txns)
      : history_(history) {
    std::map<std::string, std::size_t> number;
    for (const Summary& txn : txns) {
      const auto [at, is_new] = number.insert({txn.txn->session, sessions_.size()});
      if (is_new) sessions_.emplace_back();
      std::vector<Event>& events = sessions_[at->second];
      for (std::size_t r = 0; r < txn.reads.size(); ++r) events.push_back({&txn, r});
      events.push_back({&txn, kCommit});
    }
  }

  bool some_order() {
    Done done;
    for (const std::vector<Event>& events : sessions_) done.emplace_back(events.size());
    Database database;
    return go_on(done, database);
  }

 private:
  static constexpr std::size_t kCommit = ~std::size_t{0};
  using Done = std::vector<std::vector<bool>>;  // by session and event
  struct Event {
    const Summary* txn;
    std::size_t read;
  };

  static bool are_together(const Event& a, const Event& b) {
    return a.txn == b.txn && a.read != kCommit && b.read != kCommit &&
           a.txn->statements[a.read] == b.txn->statements[b.read];
  }

  // All events before it are done but for those of its own selection.
  bool is_next(const Done& done, std::size_t s, std::size_t e) const {
    if (done[s][e]) return false;
    for (std::size_t before = 0; before < e; ++before) {
      if (!done[s][before] && !are_together(sessions_[s][before], sessions_[s][e]))
        return false;
    }
    return true;
  }

  bool go_on(Done& done, const Database& database) {
    if (!tried_.insert({done, database}).second) return false;
    bool is_over = true;
    for (std::size_t s = 0; s < sessions_.size(); ++s) {
      for (std::size_t e = 0; e < sessions_[s].size(); ++e) {
        if (!done[s][e]) is_over = false;
        if (!is_next(done, s, e)) continue;
        const Event& event = sessions_[s][e];
        Database next = database;
        if (event.read == kCommit) {
          commit(history_, *event.txn, next);
        } else if (next[event.txn->reads[event.read].first] !=
                   event.txn->reads[event.read].second) {
          continue;
        }
        done[s][e] = true;
        if (go_on(done, next)) return true;
        done[s][e] = false;
      }
    }
    return is_over;
  }

  const PlainHistory& history_;
  std::vector<std::vector<Event>> sessions_;
  std::set<std::pair<Done, Database>> tried_;
};

// Of a selection stays what it says of the key: its row, matching or not, or that there was
// none.
PlainHistory project(const PlainHistory& history, const std::string& key) {
  PlainHistory out;
  for (const PlainOp& held : history.start) {
    if (held.key == key) out.start.push_back(held);
  }
  for (const PlainTxn& txn : history) {
    PlainTxn left = txn;
    for (PlainOp& op : left.ops) {
      if (op.kind != OpKind::kReadAbsent) continue;
      std::erase_if(op.selection.rows, [&](const auto& row) { return row.first != key; });
      const bool fits = support::selects_key(op.selection, key);
      if (fits || !op.selection.rows.empty()) op.key = key;
    }
    std::erase_if(left.ops, [&](const PlainOp& op) { return op.key != key; });
    if (!left.ops.empty()) out.push_back(std::move(left));
  }
  return out;
}

// Times count double, so that half the clock error on either side of an interval is a number.
struct Interval {
  std::int64_t from = std::numeric_limits<std::int64_t>::min();
  std::int64_t to = std::numeric_limits<std::int64_t>::max();
};

Interval interval_of(const PlainTxn& txn, std::int64_t clock_error_ns) {
  Interval out;
  if (txn.times.start != kNoTime) out.from = 2 * txn.times.start - clock_error_ns;
  if (txn.times.end != kNoTime && txn.status == TxnStatus::kCommitted) {
    out.to = 2 * txn.times.end + clock_error_ns;
  }
  return out;
}

// Whether the transactions, in this order, can each happen at a point inside its interval.
bool has_points(const PlainHistory& history, const std::vector<const Summary*>& order,
                std::int64_t clock_error_ns) {
  Database database;
  std::int64_t now = std::numeric_limits<std::int64_t>::min();
  for (const Summary* const txn : order) {
    const Interval interval = interval_of(*txn->txn, clock_error_ns);
    now = std::max(now, interval.from);
    if (now > interval.to) return false;
    for (const auto& [key, version] : txn->reads) {
      if (database[key] != version) return false;
    }
    commit(history, *txn, database);
  }
  return true;
}

// The choice of the transactions of a history that lists put in order.
class ShownOrder {
 public:
  ShownOrder(const PlainHistory& history, std::uint32_t choice, Level level,
             std::int64_t clock_error_ns)
      : before_(history.size(), std::vector<bool>(history.size())) {
    for (std::size_t a = 0; a < history.size(); ++a) {
      if ((choice >> a & 1U) == 0) continue;
      for (std::size_t b = 0; b < history.size(); ++b) {
        if (a != b && (choice >> b & 1U) != 0 &&
            must_precede(history, history[a], history[b], level, clock_error_ns)) {
          before_[a][b] = true;
        }
      }
      for (const PlainOp& op : history[a].ops) {
        if (op.kind == OpKind::kReadList) add(history, choice, op);
      }
    }
  }

  bool has_cycle() const {
    std::vector<std::vector<bool>> path = before_;
    for (std::size_t k = 0; k < path.size(); ++k) {
      for (std::size_t i = 0; i < path.size(); ++i) {
        for (std::size_t j = 0; j < path.size(); ++j) {
          if (path[i][k] && path[k][j]) path[i][j] = true;
        }
      }
    }
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path[i][i]) return true;
    }
    return false;
  }

 private:
  // REQUIRES: no element is appended twice.
  static std::size_t writer_of(const PlainHistory& history, const std::string& key,
                               const std::string& element) {
    for (std::size_t t = 0; t < history.size(); ++t) {
      for (const PlainOp& op : history[t].ops) {
        if (op.kind == OpKind::kAppend && op.key == key && op.value == element) return t;
      }
    }
    return history.size();
  }

  void add(const PlainHistory& history, std::uint32_t choice, const PlainOp& read) {
    std::vector<std::size_t> writers;
    for (const std::string& element : read.list) {
      const std::size_t writer = writer_of(history, read.key, element);
      if (writer < history.size() && (choice >> writer & 1U) != 0) writers.push_back(writer);
    }
    for (std::size_t j = 0; j < writers.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        if (writers[i] != writers[j]) before_[writers[i]][writers[j]] = true;
      }
    }
  }

  std::vector<std::vector<bool>> before_;
};

// Definitions 15 and 16 of the thesis (App. D: GSI and PC-SI) and R6 (App. C: Strong SI), by
// times: a transaction looks at what had committed at some moment no later than its start.
class DatabaseTimeline {
 public:
  DatabaseTimeline(const PlainHistory& history, const std::vector<Summary>& txns, Level level)
      : history_(history), second_(level_test(info(level).base).second) {
    for (const Summary& txn : txns) order_.push_back(&txn);
    std::sort(order_.begin(), order_.end(), [](const Summary* a, const Summary* b) {
      return a->txn->database_times.commit < b->txn->database_times.commit;
    });
  }

  bool holds() const {
    return std::all_of(order_.begin(), order_.end(), [&](const Summary* txn) {
      if (txn->contradicts_itself) return false;
      const std::int64_t start = txn->txn->database_times.start;
      if (suits(*txn, start)) return true;
      if (second_ == Second::kTimelineNow) return false;
      return suits(*txn, std::numeric_limits<std::int64_t>::min()) ||
             std::any_of(order_.begin(), order_.end(), [&](const Summary* other) {
               const std::int64_t moment = other->txn->database_times.commit + 1;
               return moment <= start && suits(*txn, moment);
             });
    });
  }

 private:
  // Everything that committed before the moment is in the snapshot, nothing else.
  bool suits(const Summary& txn, std::int64_t moment) const {
    std::map<std::string, Version> state;
    std::set<std::string> changed;
    for (const Summary* other : order_) {
      const std::int64_t commit = other->txn->database_times.commit;
      if (commit >= moment) {
        if (commit < txn.txn->database_times.commit) change(*other, changed);
        if (second_ == Second::kTimelineOfSessions &&
            is_earlier_in_session(*other->txn, *txn.txn)) {
          return false;
        }
        continue;
      }
      for (const auto& [key, version] : other->writes) {
        Version& now = state[key];
        if (!is_list_key(history_, key)) now.clear();
        now.insert(now.end(), version.begin(), version.end());
      }
    }
    return !impacted(changed, txn) &&
           std::all_of(txn.reads.begin(), txn.reads.end(),
                       [&](const auto& read) { return state[read.first] == read.second; });
  }

  // `changed`: rows that have changed since the snapshot and are there. A deleted one is gone;
  // who writes its key then makes another row.
  static void change(const Summary& writer, std::set<std::string>& changed) {
    for (const auto& [key, version] : writer.writes) {
      if (is_deletion(version)) {
        changed.erase(key);
      } else {
        changed.insert(key);
      }
    }
  }
  static bool impacted(const std::set<std::string>& changed, const Summary& txn) {
    return std::any_of(changed.begin(), changed.end(),
                       [&](const std::string& key) { return txn.writes.contains(key); });
  }

  const PlainHistory& history_;
  Second second_;
  std::vector<const Summary*> order_;
};

}  // namespace

bool holds_by_events(const PlainHistory& history, Level level, std::int64_t clock_error_ns) {
  return some_choice(history, [&](const std::vector<Summary>& txns) {
    return Events(history, txns, level, clock_error_ns).some_order();
  });
}

bool is_interleaving(const PlainHistory& history) {
  return some_choice(history, [&](const std::vector<Summary>& txns) {
    return Interleaving(history, txns).some_order();
  });
}

bool has_linearization_points(const PlainHistory& history, std::int64_t clock_error_ns) {
  std::set<std::string> keys;
  for (const PlainOp& held : history.start) keys.insert(held.key);
  for (const PlainTxn& txn : history) {
    for (const PlainOp& op : txn.ops) {
      if (op.kind != OpKind::kReadAbsent) keys.insert(op.key);
      for (const auto& [key, value] : op.selection.rows) keys.insert(key);
    }
  }
  return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
    const PlainHistory projected = project(history, key);
    return some_choice(projected, [&](const std::vector<Summary>& txns) {
      std::vector<const Summary*> order;
      for (const Summary& txn : txns) order.push_back(&txn);
      std::sort(order.begin(), order.end());
      do {
        if (has_points(projected, order, clock_error_ns)) return true;
      } while (std::next_permutation(order.begin(), order.end()));
      return false;
    });
  });
}

bool has_no_g0(const PlainHistory& history, Level level, std::int64_t clock_error_ns) {
  for (std::uint32_t choice = 0; choice < (1U << history.size()); ++choice) {
    bool is_possible = true;
    for (std::size_t t = 0; t < history.size(); ++t) {
      const bool is_in = (choice >> t & 1U) != 0;
      if (history[t].status == TxnStatus::kCommitted && !is_in) is_possible = false;
      if (history[t].status == TxnStatus::kAborted && is_in) is_possible = false;
    }
    if (!is_possible) continue;
    if (!ShownOrder(history, choice, level, clock_error_ns).has_cycle()) return true;
  }
  return false;
}

bool second_opinion(const PlainHistory& history, Level level, std::int64_t clock_error_ns) {
  switch (level_test(info(level).base).second) {
    case Second::kEventsOfOneWriter:
    case Second::kEvents:
      return holds_by_events(history, level, clock_error_ns);
    case Second::kTimeline:
    case Second::kTimelineOfSessions:
    case Second::kTimelineNow:
      return some_choice(history, [&](const std::vector<Summary>& txns) {
        return DatabaseTimeline(history, txns, level).holds();
      });
    case Second::kInterleaving:
      return is_interleaving(history);
    case Second::kPoints:
      return has_linearization_points(history, clock_error_ns);
    case Second::kAxioms:
      return holds_by_axioms(history, level, clock_error_ns);
    case Second::kShownCycles:
      return has_no_g0(history, level, clock_error_ns);
    case Second::kSessionGraphs:
      return holds_by_session_graphs(history, level);
    default:
      return holds_by_graphs(history, level, clock_error_ns);
  }
}

}  // namespace isolde::oracle
