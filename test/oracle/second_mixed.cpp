// Mixed levels by the axioms of Bouajjani, Enea and Roman-Calvo (On the Complexity of Checking
// Mixed Isolation Levels for SQL Transactions, 2025): there is a commit order that contains
// session order (and real time at strong-mixed) and read-from, in which for each t that reads x
// from t1, and each other t2 that writes x: when t2 was visible to t, then t2 precedes t1. What
// t's level makes visible:
//   serializable            what precedes t
//   snapshot-isolation      what precedes, or is, something that t reads from or that precedes
//   t
//                           in its session; or the last one before t that writes a key that t
//                           writes, unless it deletes it: then t writes another row
//   prefix-consistency      the first of the two
//   transactional-causal    what leads to t by read-from and session order
//   read-atomic             what t reads from or that precedes it in its session
//   monotonic-atomic-view   what t has read from before, in another statement
//   read-committed          nothing
#include <algorithm>
#include <numeric>

#include "oracle/level_tests.hpp"
#include "oracle/plain_summary.hpp"
#include "oracle/second_opinion.hpp"

namespace isolde::oracle {
namespace {

constexpr std::size_t kNoTxn = ~std::size_t{0};

class Axioms {
 public:
  Axioms(const support::PlainHistory& history, const std::vector<Summary>& txns, Level level,
         std::int64_t clock_error_ns)
      : history_(history), txns_(txns), sources_(txns.size()) {
    for (const Summary& a : txns) {
      for (const Summary& b : txns) {
        bound_.push_back(&a != &b &&
                         must_precede(history, *a.txn, *b.txn, level, clock_error_ns));
      }
    }
  }

  bool some_order() {
    std::vector<std::size_t> order(txns_.size());
    std::iota(order.begin(), order.end(), 0);
    const bool possible = std::none_of(
        txns_.begin(), txns_.end(), [](const Summary& txn) { return txn.contradicts_itself; });
    do {
      if (possible && accepts(order)) return true;
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
  }

 private:
  bool bound(std::size_t a, std::size_t b) const { return bound_[a * txns_.size() + b]; }

  bool accepts(const std::vector<std::size_t>& order) {
    place_.assign(order.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
    for (std::size_t a = 0; a < txns_.size(); ++a) {
      for (std::size_t b = 0; b < txns_.size(); ++b) {
        if (bound(a, b) && place_[a] > place_[b]) return false;
      }
    }
    return find_sources(order) && all_obey();
  }

  bool find_sources(const std::vector<std::size_t>& order) {
    for (std::size_t t = 0; t < txns_.size(); ++t) {
      sources_[t].clear();
      for (const auto& [key, version] : txns_[t].reads) {
        std::size_t source = kNoTxn;
        Version state;
        bool found = version.empty();
        for (std::size_t i = 0; i < order.size() && order[i] != t && !found; ++i) {
          const auto written = txns_[order[i]].writes.find(key);
          if (written == txns_[order[i]].writes.end()) continue;
          if (!is_list_key(history_, key)) state.clear();
          state.insert(state.end(), written->second.begin(), written->second.end());
          found = state == version;
          if (found) source = order[i];
        }
        if (!found) return false;
        sources_[t].push_back(source);
      }
    }
    return true;
  }

  bool all_obey() const {
    for (std::size_t t = 0; t < txns_.size(); ++t) {
      for (std::size_t read = 0; read < txns_[t].reads.size(); ++read) {
        const std::size_t source = sources_[t][read];
        for (std::size_t other = 0; other < txns_.size(); ++other) {
          if (other == t || other == source) continue;
          if (!txns_[other].writes.contains(txns_[t].reads[read].first)) continue;
          const bool precedes = source != kNoTxn && place_[other] < place_[source];
          if (!precedes && is_visible(other, t, read)) return false;
        }
      }
    }
    return true;
  }

  bool direct(std::size_t a, std::size_t t) const {
    return bound(a, t) ||
           std::find(sources_[t].begin(), sources_[t].end(), a) != sources_[t].end();
  }
  bool leads(std::size_t a, std::size_t t) const {
    for (std::size_t middle = 0; middle < txns_.size(); ++middle) {
      if (place_[middle] < place_[t] && direct(middle, t) &&
          (middle == a || leads(a, middle))) {
        return true;
      }
    }
    return false;
  }
  // t makes a new version of a row that a wrote: nobody between them writes the key.
  bool is_overwritten(std::size_t a, std::size_t t) const {
    return std::any_of(txns_[a].writes.begin(), txns_[a].writes.end(), [&](const auto& write) {
      const auto& [key, version] = write;
      if (is_deletion(version) || !txns_[t].writes.contains(key)) return false;
      for (std::size_t other = 0; other < txns_.size(); ++other) {
        const bool between = place_[a] < place_[other] && place_[other] < place_[t];
        if (between && txns_[other].writes.contains(key)) return false;
      }
      return true;
    });
  }
  // Something that makes `is_reason` true is before t, and a comes before it or is it.
  template <typename IsReason>
  bool up_to(std::size_t a, std::size_t t, const IsReason& is_reason) const {
    for (std::size_t reason = 0; reason < txns_.size(); ++reason) {
      const bool between = place_[a] <= place_[reason] && place_[reason] < place_[t];
      if (between && is_reason(reason)) return true;
    }
    return false;
  }

  bool is_visible(std::size_t a, std::size_t t, std::size_t read) const {
    const auto seen = [&](std::size_t reason) { return direct(reason, t); };
    const auto conflicting = [&](std::size_t reason) { return is_overwritten(reason, t); };
    switch (level_test(info(*txns_[t].txn->level).base).second) {
      case Second::kGraphWithReads:
        return place_[a] < place_[t];
      case Second::kEventsOfOneWriter:
        return up_to(a, t, seen) || up_to(a, t, conflicting);
      case Second::kEvents:
        return up_to(a, t, seen);
      case Second::kGraphCausal:
        return leads(a, t);
      case Second::kGraphAtomic:
        return direct(a, t);
      case Second::kGraphMonotonic: {
        for (std::size_t other = 0; other < sources_[t].size(); ++other) {
          const bool is_earlier = txns_[t].statements[other] < txns_[t].statements[read];
          if (is_earlier && sources_[t][other] == a) return true;
        }
        return false;
      }
      default:
        return false;
    }
  }

  const support::PlainHistory& history_;
  const std::vector<Summary>& txns_;
  std::vector<bool> bound_;
  std::vector<std::size_t> place_;
  std::vector<std::vector<std::size_t>> sources_;  // by transaction and read
};

}  // namespace

bool holds_by_axioms(const support::PlainHistory& history, Level level,
                     std::int64_t clock_error_ns) {
  return some_choice(history, [&](const std::vector<Summary>& txns) {
    return Axioms(history, txns, level, clock_error_ns).some_order();
  });
}

}  // namespace isolde::oracle
