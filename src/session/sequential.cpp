#include "session/sequential.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "refute/renumber.hpp"
#include "search/event_level.hpp"

namespace isolde::checker {
namespace {

using infer::Observations;
using infer::ReadFrom;
using infer::WriteId;

class Splitter {
 public:
  explicit Splitter(const Observations& seen)
      : seen_(seen), history_(seen.history()), builder_(seen) {}

  Split run() {
    for (std::size_t s = 0; s < history_.session_count(); ++s) {
      lines_.push_back({{builder_.session(std::to_string(s))}, {}, {}});
    }
    for (std::size_t t = 0; t < seen_.txn_count(); ++t) {
      if (seen_.is_included(TxnId::at(t))) split(TxnId::at(t));
    }
    std::sort(links_.begin(), links_.end());
    return {builder_.finish(), std::move(has_writes_), std::move(links_)};
  }

 private:
  /// Where a session's parts go.
  struct Line {
    std::vector<SessionId> sessions;  ///< first its own, then those for reads of selections
    TxnId last;                       ///< part in its own
    std::vector<TxnId> open;          ///< parts in the others since
  };

  /// Reads are guessed at the start of the transaction, the writes at its end.
  void split(TxnId txn) {
    for (std::size_t i = 0; i < seen_.reads(txn).size();) {
      const std::size_t end = seen_.end_of_step(txn, i);
      split_step(txn, i, end);
      i = end;
    }
    begin(txn, true);
    for (const WriteId write : seen_.writes(txn)) {
      builder_.write(write);
    }
  }

  /// A read, or those of a selection: those from `first` up to `end`.
  void split_step(TxnId txn, std::size_t first, std::size_t end) {
    const std::span<const ReadFrom> reads = seen_.reads(txn);
    std::size_t others = 0;
    for (std::size_t i = first; i < end; ++i) {
      others += reads[i].source.is_some() ? 1 : 0;
      if (reads[i].source.is_some()) continue;
      begin(txn, false);
      builder_.read(txn, i);
    }
    Line& line = lines_[history_.session_of(txn).raw()];
    // An empty part after one selection and before the next.
    if (others > 1 && !line.open.empty()) begin(txn, false);
    const TxnId before = line.last;
    std::size_t place = 0;
    for (std::size_t i = first; i < end; ++i) {
      if (reads[i].source.is_none()) continue;
      if (place == 0) {
        begin(txn, false);
      } else {
        begin_beside(txn, place, before);
      }
      builder_.read(txn, i);
      ++place;
    }
  }

  /// A part in the line of its session.
  void begin(TxnId txn, bool has_writes) {
    Line& line = lines_[history_.session_of(txn).raw()];
    line.last = begin(txn, line.sessions[0], has_writes);
    for (const TxnId part : line.open) links_.emplace_back(part, line.last);
    line.open.clear();
  }

  /// A part with one read of a selection, after `before`.
  void begin_beside(TxnId txn, std::size_t place, TxnId before) {
    const SessionId session = history_.session_of(txn);
    Line& line = lines_[session.raw()];
    if (line.sessions.size() == place) {
      line.sessions.push_back(
          builder_.session(std::to_string(session.raw()) + "." + std::to_string(place)));
    }
    line.open.push_back(begin(txn, line.sessions[place], false));
    if (before.is_some()) links_.emplace_back(before, line.open.back());
  }

  TxnId begin(TxnId txn, SessionId session, bool has_writes) {
    const TxnTimes times = history_.times(txn);
    const std::int64_t at = has_writes ? times.end : times.start;
    has_writes_.push_back(has_writes);
    return builder_.begin(txn, session, {at, at});
  }

  const Observations& seen_;
  const History& history_;
  infer::PartBuilder builder_;
  std::vector<Line> lines_;  // by session
  std::vector<bool> has_writes_;
  std::vector<std::pair<TxnId, TxnId>> links_;
};

/// Translates proofs about the split into proofs about the history.
class Joiner {
 public:
  explicit Joiner(const Split& split) : split_(split) {}

  Proof join(const Proof& proof) const {
    if (const auto* witness = std::get_if<Witness>(&proof)) return join(*witness);
    return join(std::get<Refutation>(proof));
  }

 private:
  Witness join(const Witness& parts) const {
    Witness witness;
    for (const TxnId part : parts.order) {
      if (split_.has_writes[part.raw()]) witness.order.push_back(split_.part.whole(part));
    }
    return witness;
  }

  /// Edges inside a transaction vanish.
  Refutation join(const Refutation& parts) const {
    Refutation refutation = renumbered(parts, split_.part);
    for (RefutationStep& step : refutation.steps) {
      std::vector<Edge> joined;
      for (const Edge& edge : step.cycle) add(edge, joined);
      step.cycle = std::move(joined);
    }
    return refutation;
  }

  static void add(const Edge& edge, std::vector<Edge>& cycle) {
    if (edge.from == edge.to) return;
    const bool joins = edge.kind == EdgeKind::kSessionOrder && !cycle.empty() &&
                       cycle.back().kind == EdgeKind::kSessionOrder;
    if (joins) {
      cycle.back().to = edge.to;
    } else {
      cycle.push_back(edge);
    }
  }

  const Split& split_;
};

infer::Encoding encoding_of(const Split& split, const Observations& seen,
                            const CheckOptions& options) {
  infer::Encoding encoding;
  encoding.session_order = true;
  encoding.clock_error_ns = options.clock_error_ns;
  encoding.links = split.links;
  encoding.line_count = seen.history().session_count();
  return encoding;
}

}  // namespace

Split split_reads(const Observations& seen) { return Splitter(seen).run(); }

SequentialLevel::SequentialLevel(const Observations& seen, const CheckOptions& options,
                                 CheckStatistics& statistics, base::Budget& budget)
    : split_(split_reads(seen)),
      budget_(budget),
      level_(split_.part.seen(), encoding_of(split_, seen, options), true, options, statistics,
             budget) {
  budget.spend(split_.has_writes.size() * 32);
}

std::optional<Proof> SequentialLevel::guess() {
  if (budget_.exhausted()) return std::nullopt;
  return join(level_.guess());
}

std::optional<Proof> SequentialLevel::decide() {
  if (budget_.exhausted()) return std::nullopt;
  if (auto proof = level_.saturate(false)) return join(proof);
  if (budget_.exhausted()) return std::nullopt;
  return join(level_.search());
}

std::optional<Proof> SequentialLevel::join(const std::optional<Proof>& proof) const {
  if (!proof || budget_.exhausted()) return std::nullopt;
  return Joiner(split_).join(*proof);
}

}  // namespace isolde::checker
