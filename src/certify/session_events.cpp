// Which events an edge joins:
//
//   wr   commit -> the read; where reads are no events, the reader's commit
//   rw   the read -> commit
//   ww   commit -> commit
//   so   sequential, causal   commit -> whatever `to` does
//        read-your-writes     commit of an update of the session -> whatever `to` does
//        monotonic-reads      a read of the session -> whatever `to` does
//        monotonic-writes     commit of an update -> commit of an update
//        writes-follow-reads  a read -> commit of an update
//
// Reads of a transaction are events at sequential and writes-follow-reads; at causal,
// read-your-writes and monotonic-reads those of the session. They follow each other in program
// order, but not at read-your-writes and writes-follow-reads, and those of one selection do
// not.
#include "certify/session_events.hpp"

#include <algorithm>
#include <vector>

#include "base/assert.hpp"
#include "certify/external_reads.hpp"

namespace isolde::certify {
namespace {

using From = SessionRules::From;
using To = SessionRules::To;
using Events = SessionRules::Events;

bool is_update(const History& history, TxnId txn) {
  const std::span<const Op> ops = history.ops(txn);
  return std::any_of(ops.begin(), ops.end(), [](const Op& op) { return op.is_write(); });
}

}  // namespace

Objection SessionEvents::check_session() const {
  if (rules_.events == Events::kAll) {
    return session_.is_none() ? kNoObjection : "at this level it is about no session alone";
  }
  if (session_.is_none()) return "it does not say which session it is about";
  return session_.raw() < history_.session_count() ? kNoObjection : "there is no such session";
}

bool SessionEvents::asks_for_reads(TxnId txn) const {
  return asks_for_all_reads() || is_own(txn);
}

bool SessionEvents::has_read_events(TxnId txn) const {
  return rules_.events == Events::kAll || (rules_.events == Events::kOwn && is_own(txn));
}

Objection SessionEvents::check_edge(const Edge& edge) const {
  switch (edge.kind) {
    case EdgeKind::kReadFrom:
      return asks_for_reads(edge.to) ? kNoObjection
                                     : "the level asks nothing of another session's reads";
    case EdgeKind::kAntiDependency: {
      const bool counts = rules_.to == To::kAll && has_read_events(edge.from);
      return counts ? kNoObjection : "the read may miss what commits before its transaction";
    }
    case EdgeKind::kSessionOrder:
      break;
    default:
      return kNoObjection;
  }
  const bool own_only = rules_.own_only;
  if (own_only && !is_own(edge.from)) return "the level does not ask for another's order";
  const bool from_update = rules_.from == From::kCommitOfUpdate;
  if (from_update && !is_update(history_, edge.from)) return "the first writes nothing";
  const bool to_update = rules_.to == To::kCommitOfUpdate;
  if (to_update && !is_update(history_, edge.to)) return "the second writes nothing";
  if (own_only && history_.ops(edge.to).empty()) return "the second does nothing";
  return kNoObjection;
}

/// The first event of `edge.to` that the edge precedes.
std::uint32_t SessionEvents::arrival(const Edge& edge) const {
  if (!has_read_events(edge.to)) return kCommit;
  if (edge.kind == EdgeKind::kSessionOrder) {
    return rules_.to == To::kCommitOfUpdate ? kCommit : 0;
  }
  if (edge.kind != EdgeKind::kReadFrom) return kCommit;
  const std::vector<SourcedRead> reads = facts_.reads(edge.to);
  for (const SourcedRead& read : reads) {
    if (read.key == edge.key && read.writer == edge.from) return read.op;
  }
  return kCommit;
}

/// The last event of `edge.from` that precedes the edge; found: there is one.
std::uint32_t SessionEvents::departure(const Edge& edge, bool& found) const {
  found = true;
  const bool leaves_read = edge.kind == EdgeKind::kSessionOrder && rules_.from == From::kRead;
  if (!leaves_read && edge.kind != EdgeKind::kAntiDependency) return kCommit;
  const std::vector<SourcedRead> reads = facts_.reads(edge.from);
  for (auto read = reads.rbegin(); read != reads.rend(); ++read) {
    if (leaves_read || (read->key == edge.key && read->writer == edge.via)) return read->op;
  }
  found = false;
  return 0;
}

Objection SessionEvents::check_connection(const Edge& edge, const Edge& next) const {
  ISOLDE_ASSERT(edge.to == next.from);
  bool found = false;
  const std::uint32_t leaves = departure(next, found);
  if (!found) return "the next edge leaves from no read";
  const bool two_reads = edge.kind == EdgeKind::kReadFrom && leaves != kCommit;
  if (!rules_.chained && two_reads && next.kind == EdgeKind::kAntiDependency &&
      (edge.key != next.key || edge.from != next.via)) {
    return "at this level the reads of a transaction may happen in any order";
  }
  const std::uint32_t arrives = arrival(edge);
  // Session order arrives before all reads, and leaves from any of them.
  const bool any_read =
      edge.kind == EdgeKind::kSessionOrder || next.kind == EdgeKind::kSessionOrder;
  if (leaves == kCommit || arrives == leaves || (any_read && arrives < leaves)) {
    return kNoObjection;
  }
  const bool same_step =
      arrives != kCommit && history_.step(edge.to, arrives) == history_.step(edge.to, leaves);
  if (same_step) return "it arrives at one row of a selection, the next edge leaves another";
  return arrives < leaves ? kNoObjection
                          : "it arrives after the read from which the next edge leaves";
}

bool SessionEvents::direct(VersionOrder order) const {
  if (asks_for_reads(order.after) && facts_.read_from(order.after, order.before)) return true;
  if (asks_for_all_reads()) return facts_.listed_before(order.before, order.after);
  const Facts& known = facts_.known();
  return known.certain(order.before) && known.certain(order.after) && shown_by_own_list(order);
}

/// Every list that the session read is the state of its key after some commit.
bool SessionEvents::shown_by_own_list(VersionOrder order) const {
  ISOLDE_ASSERT(session_.raw() < history_.session_count());  // check_session() was asked
  ReadSplitter splitter(history_);
  for (const TxnId txn : history_.session_txns(session_)) {
    if (!facts_.known().certain(txn)) continue;
    splitter.split(txn);
    for (const ExternalRead& read : splitter.external()) {
      if (!read.list.empty() && shows(read.list, read.key, order)) return true;
    }
  }
  return false;
}

/// The list holds an element that only `before` can have appended, and of those of `after`,
/// which appends to the key, a later one or none. Everything is as in Facts::listed_before().
bool SessionEvents::shows(std::span<const Value> list, KeyId key, VersionOrder order) const {
  if (history_.origin().values_repeat) return false;  // what is missing may have appended it
  const auto place_of = [&](TxnId txn, bool& appends) {
    std::size_t place = list.size();
    appends = false;
    for (const Op& op : history_.ops(txn)) {
      if (op.kind != OpKind::kAppend || op.key != key) continue;
      appends = true;
      const auto at = std::find(list.begin(), list.end(), op.value) - list.begin();
      place = std::min(place, static_cast<std::size_t>(at));
    }
    return place;
  };
  bool before_appends = false;
  bool after_appends = false;
  const std::size_t before = place_of(order.before, before_appends);
  const std::size_t after = place_of(order.after, after_appends);
  if (!after_appends || before >= after) return false;
  ISOLDE_ASSERT(before_appends && before < list.size());
  // Elements that somebody else appended too show nothing.
  for (std::size_t i = 0; i < history_.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    if (history_.status(txn) == TxnStatus::kAborted) continue;
    for (const Op& op : history_.ops(txn)) {
      if (op.kind != OpKind::kAppend || op.key != key) continue;
      if (txn != order.before && op.value == list[before]) return false;
      if (after < list.size() && txn != order.after && op.value == list[after]) return false;
    }
  }
  return true;
}

}  // namespace isolde::certify
