// Dependencies (Adya 1999, adapted to clients that see no version order): a level holds when
// for some version order of each key the following is true, with edges
//   ww  writer of a version to the writer of the next
//   wr  writer of a version to its readers
//   rw  readers of a version to the writer of the next
//   so, rt  session order and real time, where the level says so
// A version of a list is the whole list.
//   serializable                no cycle
//   parallel-snapshot-isolation no cycle without rw, and none with exactly one rw (PL-2+),
//                               where rows are deleted as said below
//   read-committed              no cycle without rw (G1)
//   read-atomic                 the same, and no fractured read (App. B of the thesis): who
//                               reads a version of t2 reads no version of another key older
//                               than that of t2; the same for t2 with so or rt to the reader
//   transactional-causal        the same, for t2 with a path of wr, so and rt to the reader
//   monotonic-atomic-view       the same, for t2 from which the reader read earlier in its
//                               program, in another statement; said with edges: T reads x from
//                               t1, having read from t2, a writer of x: t2 to t1
//   session guarantees          for each session: no cycle of ww, wr of the reads in question,
//                               and edges that say what the operations of the session must not
//                               miss: to see A with an operation of T on a version, A precedes
//                               T and the writer of the next version
//   causal                      the four session guarantees together (Theorem 1 of chapter 4)
//
// PL-2+ and deletions. A cycle with exactly one rw, from t to u, says that t missed a write of
// u although it depends on u. In Adya's model a key that is written again after a deletion is a
// new object, with a version order of its own: the edge from the deletion to that write is none
// of his ww edges, so that no dependency comes from it, and it has no place in a cycle with an
// rw edge. Two things remain of it:
// - The old object was gone before the new one came. So the key has one order of versions all
//   the same, and that edge has its place in cycles without rw: all transactions together must
//   have an order of commits that goes along with the versions of every key.
// - The key is read as one. Who depends on the writer of the new object must not read the old
//   one, or that it was deleted, although it need not depend on who deleted it. That is what
//   rw edges between a reader and later objects say (of the unborn version of the new object,
//   in Adya's terms). So rw leads from a reader to the writer of every later version, not only
//   of the next one: where a path of ww edges from the next to the later ones is broken,
//   nothing else says it. Where nothing is deleted, each of them is on a path from the next
//   one, and this comes to the same.
#include <algorithm>
#include <set>

#include "oracle/level_tests.hpp"
#include "oracle/plain_summary.hpp"
#include "oracle/second_opinion.hpp"

namespace isolde::oracle {
namespace {

using support::PlainHistory;
using support::PlainTxn;

class Graph {
 public:
  explicit Graph(std::size_t count) : next_(count) {}
  void add(std::size_t from, std::size_t to) { next_[from].insert(to); }
  void add(const Graph& other) {
    for (std::size_t n = 0; n < next_.size(); ++n) {
      next_[n].insert(other.next_[n].begin(), other.next_[n].end());
    }
  }
  const std::set<std::size_t>& from(std::size_t node) const { return next_[node]; }
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
  // What can be reached from where by one edge or more.
  Graph closure() const {
    Graph all = *this;
    for (std::size_t k = 0; k < next_.size(); ++k) {
      for (auto& targets : all.next_) {
        if (targets.contains(k)) targets.insert(all.next_[k].begin(), all.next_[k].end());
      }
    }
    return all;
  }

 private:
  std::vector<std::set<std::size_t>> next_;
};

constexpr std::size_t kNobody = ~std::size_t{0};

// A read of a version in one way to order the versions.
struct ReadVersion {
  std::size_t reader;
  std::size_t read;  // position in Summary::reads
  std::string key;
  std::size_t number;  // of the version, 0 = initial
  std::size_t source;  // its writer
  std::size_t next;    // writer of the next version
};

// One way to order the versions of one key.
struct KeyOrder {
  std::map<std::size_t, std::size_t> number_of;  // version of each writer, from 1
  Graph ww;
  Graph ww_of_rows;  // without those from a deletion to another row
  std::vector<ReadVersion> reads;
};

// All ways to order the versions of all keys that explain the reads in question.
class VersionOrders {
 public:
  VersionOrders(const PlainHistory& history, const std::vector<Summary>& txns)
      : history_(history), txns_(txns) {}
  virtual ~VersionOrders() = default;

  bool some_is_accepted() const {
    std::set<std::string> keys;
    for (const Summary& txn : txns_) {
      for (const auto& [key, version] : txn.reads) keys.insert(key);
      for (const auto& [key, version] : txn.writes) keys.insert(key);
    }
    std::vector<std::vector<KeyOrder>> choices;
    for (const std::string& key : keys) choices.push_back(orders_of(key));
    std::map<std::string, const KeyOrder*> chosen;
    return some_orders({keys.begin(), keys.end()}, choices, chosen);
  }

 protected:
  using Orders = std::map<std::string, const KeyOrder*>;

  virtual bool must_be_explained(std::size_t txn) const = 0;
  virtual bool accepts(const Orders& orders) const = 0;

  const std::vector<Summary>& txns() const { return txns_; }
  // By the same transaction, in a statement before.
  bool is_earlier_read(const ReadVersion& a, const ReadVersion& b) const {
    const std::vector<std::size_t>& statements = txns_[a.reader].statements;
    return a.reader == b.reader && statements[a.read] < statements[b.read];
  }
  static std::vector<ReadVersion> all_reads(const Orders& orders) {
    std::vector<ReadVersion> reads;
    for (const auto& [key, order] : orders) {
      reads.insert(reads.end(), order->reads.begin(), order->reads.end());
    }
    return reads;
  }
  // ww, and wr of the reads in question. A read of the reader's own future is a cycle, rightly.
  Graph dependencies(const Orders& orders) const {
    Graph graph = sources(orders);
    for (const auto& [key, order] : orders) graph.add(order->ww);
    return graph;
  }
  Graph dependencies_of_rows(const Orders& orders) const {
    Graph graph = sources(orders);
    for (const auto& [key, order] : orders) graph.add(order->ww_of_rows);
    return graph;
  }
  Graph sources(const Orders& orders) const {
    Graph graph(txns_.size());
    for (const ReadVersion& read : all_reads(orders)) {
      if (read.source != kNobody) graph.add(read.source, read.reader);
    }
    return graph;
  }

 private:
  std::vector<KeyOrder> orders_of(const std::string& key) const {
    std::vector<std::size_t> writers;
    for (std::size_t t = 0; t < txns_.size(); ++t) {
      if (txns_[t].writes.contains(key)) writers.push_back(t);
    }
    std::vector<KeyOrder> orders;
    do {
      KeyOrder order{{}, Graph(txns_.size()), Graph(txns_.size()), {}};
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
      order.number_of[writer] = versions.size();
      versions.push_back(std::move(next));
    }
    for (std::size_t i = 1; i < writers.size(); ++i) {
      order.ww.add(writers[i - 1], writers[i]);
      if (!is_deletion(versions[i])) order.ww_of_rows.add(writers[i - 1], writers[i]);
    }
    for (std::size_t t = 0; t < txns_.size(); ++t) {
      if (!must_be_explained(t)) continue;
      for (std::size_t r = 0; r < txns_[t].reads.size(); ++r) {
        if (txns_[t].reads[r].first != key) continue;
        const auto found =
            std::find(versions.begin(), versions.end(), txns_[t].reads[r].second);
        if (found == versions.end()) return false;
        const auto at = static_cast<std::size_t>(found - versions.begin());
        order.reads.push_back({t, r, key, at, at == 0 ? kNobody : writers[at - 1],
                               at < writers.size() ? writers[at] : kNobody});
      }
    }
    return true;
  }

  bool some_orders(const std::vector<std::string>& keys,
                   const std::vector<std::vector<KeyOrder>>& choices, Orders& chosen) const {
    if (chosen.size() == choices.size()) return accepts(chosen);
    const std::string& key = keys[chosen.size()];
    for (const KeyOrder& order : choices[chosen.size()]) {
      chosen[key] = &order;
      if (some_orders(keys, choices, chosen)) return true;
      chosen.erase(key);
    }
    return false;
  }

  const PlainHistory& history_;
  const std::vector<Summary>& txns_;
};

class LevelGraphs : public VersionOrders {
 public:
  LevelGraphs(const PlainHistory& history, const std::vector<Summary>& txns, Level level,
              std::int64_t clock_error_ns)
      : VersionOrders(history, txns),
        second_(level_test(info(level).base).second),
        bound_(txns.size()) {
    for (std::size_t a = 0; a < txns.size(); ++a) {
      for (std::size_t b = 0; b < txns.size(); ++b) {
        if (a != b &&
            must_precede(history, *txns[a].txn, *txns[b].txn, level, clock_error_ns)) {
          bound_.add(a, b);
        }
      }
    }
  }

 private:
  bool must_be_explained(std::size_t) const override { return true; }

  bool accepts(const Orders& orders) const override {
    Graph graph = dependencies(orders);
    graph.add(bound_);
    switch (second_) {
      case Second::kGraphWithReads:
        for (const ReadVersion& read : all_reads(orders)) {
          if (txns()[read.reader].predicate_reads.contains(read.read)) continue;
          if (has_anti_dependency(read)) graph.add(read.reader, read.next);
        }
        return graph.is_acyclic();
      case Second::kGraphOfRows: {
        Graph needed = dependencies_of_rows(orders);
        needed.add(bound_);
        // A cycle with one rw: who read a version depends on the writer of a later one.
        return graph.is_acyclic() && !is_fractured(orders, needed.closure());
      }
      case Second::kGraphCausal: {
        Graph causes = sources(orders);
        causes.add(bound_);
        return graph.is_acyclic() && !is_fractured(orders, causes.closure());
      }
      case Second::kGraphAtomic: {
        Graph causes = sources(orders);
        causes.add(bound_);
        return graph.is_acyclic() && !is_fractured(orders, causes);
      }
      case Second::kGraphMonotonic:
        return add_views(orders, graph) && graph.is_acyclic();
      default:
        return graph.is_acyclic();
    }
  }

  static bool has_anti_dependency(const ReadVersion& read) {
    return read.next != kNobody && read.next != read.reader;
  }

  static bool is_fractured(const Orders& orders, const Graph& causes) {
    for (const ReadVersion& read : all_reads(orders)) {
      for (const auto& [writer, number] : orders.at(read.key)->number_of) {
        if (number > read.number && causes.from(writer).contains(read.reader)) return true;
      }
    }
    return false;
  }

  // False when the initial value would have to come after a write.
  bool add_views(const Orders& orders, Graph& graph) const {
    const std::vector<ReadVersion> reads = all_reads(orders);
    for (const ReadVersion& later : reads) {
      for (const ReadVersion& earlier : reads) {
        if (!is_earlier_read(earlier, later)) continue;
        if (earlier.source == kNobody || earlier.source == later.source) continue;
        if (!orders.at(later.key)->number_of.contains(earlier.source)) continue;
        if (later.source == kNobody) return false;
        graph.add(earlier.source, later.source);
      }
    }
    return true;
  }

  Second second_;
  Graph bound_;
};

// Which of the four session guarantees are wanted.
struct Guarantees {
  bool read_your_writes = false;
  bool monotonic_reads = false;
  bool monotonic_writes = false;
  bool writes_follow_reads = false;
};

Guarantees guarantees_of(BaseLevel base) {
  if (base == BaseLevel::kCausal) return {true, true, true, true};
  return {base == BaseLevel::kReadYourWrites, base == BaseLevel::kMonotonicReads,
          base == BaseLevel::kMonotonicWrites, base == BaseLevel::kWritesFollowReads};
}

class SessionGraphs : public VersionOrders {
 public:
  SessionGraphs(const PlainHistory& history, const std::vector<Summary>& txns,
                const Guarantees& wanted, const std::string& session)
      : VersionOrders(history, txns), wanted_(wanted), session_(session) {}

 private:
  bool is_own(std::size_t t) const { return txns()[t].txn->session == session_; }
  bool must_be_explained(std::size_t t) const override {
    return wanted_.writes_follow_reads || is_own(t);
  }

  // The external read behind an operation; none for writes and internal reads.
  static const ReadVersion* find(const std::vector<ReadVersion>& reads, std::size_t t, int op) {
    const auto found = std::find_if(reads.begin(), reads.end(), [&](const ReadVersion& read) {
      return op >= 0 && read.reader == t && read.read == static_cast<std::size_t>(op);
    });
    return found == reads.end() ? nullptr : &*found;
  }

  bool accepts(const Orders& orders) const override {
    Graph graph = dependencies(orders);
    const std::vector<ReadVersion> reads = all_reads(orders);
    for (std::size_t j = 0; j < txns().size(); ++j) {
      if (is_own(j) && wanted_.monotonic_reads) read_forward(reads, j, graph);
      for (std::size_t i = 0; i < txns().size(); ++i) {
        if (is_earlier_in_session(*txns()[i].txn, *txns()[j].txn)) relate(reads, i, j, graph);
      }
    }
    return graph.is_acyclic();
  }

  // Operation `op` of t sees what `seen` wrote.
  static void see(std::size_t seen, std::size_t t, const ReadVersion* op, Graph& graph) {
    graph.add(seen, t);
    if (op != nullptr && op->next != kNobody) graph.add(seen, op->next);
  }

  void read_forward(const std::vector<ReadVersion>& reads, std::size_t t, Graph& graph) const {
    const std::vector<int>& ops = txns()[t].ops;
    for (std::size_t later = 0; later < ops.size(); ++later) {
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        const ReadVersion* const before = find(reads, t, ops[earlier]);
        if (before == nullptr || before->source == kNobody) continue;
        const ReadVersion* const after = find(reads, t, ops[later]);
        if (after != nullptr && !is_earlier_read(*before, *after)) continue;
        see(before->source, t, after, graph);
      }
    }
  }

  // i is earlier in the session of j.
  void relate(const std::vector<ReadVersion>& reads, std::size_t i, std::size_t j,
              Graph& graph) const {
    const bool i_writes = !txns()[i].writes.empty();
    const bool j_writes = !txns()[j].writes.empty();
    if (wanted_.monotonic_writes && i_writes && j_writes) graph.add(i, j);
    for (const int op_of_i : txns()[i].ops) {
      const ReadVersion* const before = find(reads, i, op_of_i);
      if (before == nullptr || before->source == kNobody) continue;
      if (wanted_.writes_follow_reads && j_writes) graph.add(before->source, j);
      if (!wanted_.monotonic_reads || !is_own(j)) continue;
      for (const int op : txns()[j].ops) see(before->source, j, find(reads, j, op), graph);
    }
    if (!wanted_.read_your_writes || !i_writes || !is_own(j)) return;
    for (const int op : txns()[j].ops) see(i, j, find(reads, j, op), graph);
  }

  Guarantees wanted_;
  std::string session_;
};

}  // namespace

bool holds_by_graphs(const PlainHistory& history, Level level, std::int64_t clock_error_ns) {
  return some_choice(
      history,
      [&](const std::vector<Summary>& txns) {
        return LevelGraphs(history, txns, level, clock_error_ns).some_is_accepted();
      },
      level_test(info(level).base).absent_rows);
}

bool holds_by_session_graphs(const PlainHistory& history, Level level) {
  const Guarantees wanted = guarantees_of(info(level).base);
  return some_population(history, [&](const std::vector<Summary>& chosen) {
    std::set<std::string> sessions;
    for (const PlainTxn& txn : history) sessions.insert(txn.session);
    // Each session has its own idea of what reads have seen that tell little.
    return std::all_of(sessions.begin(), sessions.end(), [&](const std::string& session) {
      return some_versions(chosen, [&](const std::vector<Summary>& txns) {
        return SessionGraphs(history, txns, wanted, session).some_is_accepted();
      });
    });
  });
}

}  // namespace isolde::oracle
