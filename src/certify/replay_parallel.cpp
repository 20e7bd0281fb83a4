// Executions at parallel snapshot isolation: commit test I4 of Crooks 2019, on the one order of
// the witness. What precedes a transaction are those it reads from, those whose live versions
// it replaces, and what precedes these; where sessions or real time bind, what they put before
// it, too. No read may miss a write of a transaction that precedes its reader.
#include <algorithm>
#include <cstddef>

#include "base/assert.hpp"
#include "certify/aggregates.hpp"
#include "certify/committed_states.hpp"
#include "certify/replay.hpp"

namespace isolde::certify {
namespace {

class ParallelReplay {
 public:
  ParallelReplay(const History& history, const LevelInfo& level, std::int64_t clock_error_ns,
                 const Witness& witness)
      : history_(history),
        level_(level),
        clock_error_ns_(clock_error_ns),
        order_(witness.order),
        splitter_(history),
        states_(history, witness.sources),
        last_of_session_(history.session_count(), kInitial),
        precedes_(order_.size(), kNever) {}

  Objection run() {
    for (std::uint32_t at = 0; at < order_.size(); ++at) {
      const TxnId txn = order_[at];
      splitter_.split(txn);
      if (!splitter_.inconsistent().empty()) {
        return name_of(history_, txn) + " contradicts its own writes";
      }
      sources_.clear();
      for (const ExternalRead& read : splitter_.external()) {
        sources_.push_back(states_.find_source(txn, read));
        if (sources_.back() == kNowhere) {
          return at_op(history_, txn, read) + " does not return an earlier committed state";
        }
      }
      link(txn);
      Objection objection =
          check_aggregates(history_, txn, splitter_.external(), sources_, states_);
      if (objection.empty()) objection = check_reads(txn, at);
      if (!objection.empty()) return objection;
      states_.commit(txn, at);
    }
    return kNoObjection;
  }

 private:
  /// Notes what directly precedes the transaction, which comes next.
  void link(TxnId txn) {
    link_begin_.push_back(links_.size());
    const auto add = [&](Position position) {
      if (position == kInitial) return;
      // Only what stands before the transaction precedes it.
      ISOLDE_INVARIANT(position >= 0 &&
                       position + 1 < static_cast<Position>(link_begin_.size()));
      links_.push_back(static_cast<std::uint32_t>(position));
    };
    for (const Position source : sources_) add(source);
    for (const Op& op : history_.ops(txn)) {
      if (!op.is_write()) continue;
      const std::vector<std::uint32_t>& versions = states_.versions(op.key);
      if (!versions.empty() && !leaves_deleted(order_[versions.back()], op.key)) {
        add(versions.back());
      }
    }
    if (level_.session_order) {
      Position& last = last_of_session_[history_.session_of(txn).raw()];
      add(last);
      last = static_cast<Position>(link_begin_.size()) - 1;
    }
  }

  bool leaves_deleted(TxnId txn, KeyId key) const {
    bool is_dead = false;
    for (const Op& op : history_.ops(txn)) {
      if (op.key == key && op.is_write()) is_dead = op.is_delete();
    }
    return is_dead;
  }

  Objection check_reads(TxnId txn, std::uint32_t at) {
    ISOLDE_ASSERT(link_begin_.size() == std::size_t{at} + 1);
    ISOLDE_ASSERT(sources_.size() == splitter_.external().size());
    std::uint32_t lowest = at;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      lowest = std::min(lowest, missed_write(i));
    }
    if (lowest == at) return kNoObjection;
    find_preceding(at, lowest);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const std::vector<std::uint32_t>& versions =
          states_.versions(splitter_.external()[i].key);
      auto missed = std::upper_bound(versions.begin(), versions.end(), sources_[i]);
      for (; missed != versions.end(); ++missed) {
        if (precedes_[*missed] == at) {
          return at_op(history_, txn, splitter_.external()[i]) + " misses a write of " +
                 name_of(history_, order_[*missed]) + ", which precedes it";
        }
        // When a later one precedes the reader, so does this one, unless it may be dead.
        if (!history_.origin().rows_are_deleted) break;
      }
    }
    return kNoObjection;
  }

  /// The first write of the key after what the read returned.
  std::uint32_t missed_write(std::size_t read) const {
    const std::vector<std::uint32_t>& versions =
        states_.versions(splitter_.external()[read].key);
    const auto next = std::upper_bound(versions.begin(), versions.end(), sources_[read]);
    return next == versions.end() ? kNever : *next;
  }

  /// Sets precedes_ to `at` for the positions from `lowest` on that precede it. Everything that
  /// precedes a transaction stands before it, so one look at each position, backwards, is
  /// enough. What had ended before one of them precedes, too; the one that started last tells.
  void find_preceding(std::uint32_t at, std::uint32_t lowest) {
    ISOLDE_INVARIANT(lowest < at);
    TxnId last_to_start;
    for (std::uint32_t position = at + 1; position-- > lowest;) {
      const TxnId txn = order_[position];
      const bool found = position == at || precedes_[position] == at ||
                         (last_to_start.is_some() &&
                          ended_before(history_, txn, last_to_start, clock_error_ns_));
      if (!found) continue;
      precedes_[position] = at;
      const std::size_t end =
          position + 1 < link_begin_.size() ? link_begin_[position + 1] : links_.size();
      for (std::size_t i = link_begin_[position]; i < end; ++i) precedes_[links_[i]] = at;
      if (level_.real_time && starts_after(txn, last_to_start)) last_to_start = txn;
    }
  }

  bool starts_after(TxnId txn, TxnId other) const {
    const std::int64_t start = history_.times(txn).start;
    return start != kNoTime && (other.is_none() || start > history_.times(other).start);
  }

  const History& history_;
  const LevelInfo& level_;
  const std::int64_t clock_error_ns_;
  const std::span<const TxnId> order_;
  ReadSplitter splitter_;
  CommittedStates states_;
  std::vector<Position> sources_;          // of the transaction's external reads
  std::vector<std::size_t> link_begin_;    // by position: CSR into links_
  std::vector<std::uint32_t> links_;       // positions
  std::vector<Position> last_of_session_;  // so far
  std::vector<std::uint32_t> precedes_;    // by position: for which one it was found last
};

}  // namespace

Objection replay_parallel(const History& history, const LevelInfo& level,
                          std::int64_t clock_error_ns, const Witness& witness) {
  return ParallelReplay(history, level, clock_error_ns, witness).run();
}

}  // namespace isolde::certify
