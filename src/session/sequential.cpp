#include "session/sequential.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/assert.hpp"
#include "search/event_level.hpp"

namespace isolde::checker {
namespace {

using infer::Observations;
using infer::ReadFrom;
using infer::WriteId;

/// Values stand for writes, so that each is unique.
Value name_of(WriteId write) { return Value::integer(write.raw()); }

class Splitter {
 public:
  explicit Splitter(const Observations& seen) : seen_(seen), history_(seen.history()) {}

  SplitHistory run() {
    for (std::size_t s = 0; s < history_.session_count(); ++s) {
      lines_.push_back({{builder_.session(std::to_string(s))}, {}, {}});
    }
    for (std::size_t k = 0; k < history_.key_count(); ++k) {
      keys_.push_back(builder_.key(Value::integer(static_cast<std::int64_t>(k))));
    }
    for (std::size_t t = 0; t < seen_.txn_count(); ++t) {
      if (seen_.is_included(TxnId::at(t))) split(TxnId::at(t));
    }
    Result<History> split = builder_.finish();
    ISOLDE_CHECK(split.ok());
    std::sort(links_.begin(), links_.end());
    return {std::move(split).value(), std::move(whole_), std::move(has_writes_),
            std::move(links_)};
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
    const std::span<const ReadFrom> reads = seen_.reads(txn);
    for (std::size_t i = 0; i < reads.size();) {
      const std::size_t end = seen_.end_of_step(txn, i);
      split_step(txn, reads.subspan(i, end - i));
      i = end;
    }
    begin(txn, true);
    for (WriteId write = seen_.first_write(txn); write != seen_.end_write(txn);
         write = WriteId(write.raw() + 1)) {
      const KeyId key = keys_[seen_.written_key(write).raw()];
      if (seen_.is_list(seen_.written_key(write))) {
        builder_.append(key, name_of(write));
      } else {
        builder_.write(key, name_of(write));
      }
    }
  }

  /// A read, or those of a selection.
  void split_step(TxnId txn, std::span<const ReadFrom> reads) {
    std::size_t others = 0;
    for (const ReadFrom& read : reads) {
      others += read.source.is_some() ? 1 : 0;
      if (read.source.is_some()) continue;
      begin(txn, false);
      add_read(read);
    }
    Line& line = lines_[history_.session_of(txn).raw()];
    // An empty part after one selection and before the next.
    if (others > 1 && !line.open.empty()) begin(txn, false);
    const TxnId before = line.last;
    std::size_t place = 0;
    for (const ReadFrom& read : reads) {
      if (read.source.is_none()) continue;
      if (place == 0) {
        begin(txn, false);
      } else {
        begin_beside(txn, place, before);
      }
      add_read(read);
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
    const TxnId part = builder_.begin_txn(session);
    if (history_.has_times()) {
      const TxnTimes times = history_.times(txn);
      const std::int64_t at = has_writes ? times.end : times.start;
      builder_.set_times({at, at});
    }
    whole_.push_back(txn);
    has_writes_.push_back(has_writes);
    return part;
  }

  void add_read(const ReadFrom& read) {
    const KeyId key = keys_[read.key.raw()];
    if (!seen_.is_list(read.key)) {
      builder_.read(key, read.source.is_none() ? Value::null() : name_of(read.source));
      return;
    }
    elements_.clear();
    for (const WriteId write : seen_.list_order(read.key)) {
      if (read.source.is_none()) break;
      elements_.push_back(name_of(write));
      if (write == read.source) break;
    }
    builder_.read_list(key, elements_);
  }

  const Observations& seen_;
  const History& history_;
  HistoryBuilder builder_;
  std::vector<Line> lines_;  // by session
  std::vector<KeyId> keys_;
  std::vector<TxnId> whole_;
  std::vector<bool> has_writes_;
  std::vector<std::pair<TxnId, TxnId>> links_;
  std::vector<Value> elements_;
};

/// Translates proofs about the split into proofs about the history.
class Joiner {
 public:
  explicit Joiner(const SplitHistory& split) : split_(split) {}

  Proof join(const Proof& proof) const {
    if (const auto* witness = std::get_if<Witness>(&proof)) return join(*witness);
    return join(std::get<Refutation>(proof));
  }

 private:
  TxnId whole(TxnId part) const { return part.is_none() ? part : split_.whole[part.raw()]; }
  VersionOrder whole(VersionOrder order) const {
    return {whole(order.before), whole(order.after)};
  }

  Witness join(const Witness& parts) const {
    Witness witness;
    for (const TxnId part : parts.order) {
      if (split_.has_writes[part.raw()]) witness.order.push_back(whole(part));
    }
    return witness;
  }

  /// Edges inside a transaction vanish.
  Refutation join(const Refutation& parts) const {
    Refutation refutation;
    for (const RefutationStep& step : parts.steps) {
      RefutationStep joined;
      for (const VersionOrder& order : step.clause) joined.clause.push_back(whole(order));
      for (const Edge& edge : step.cycle) add(edge, joined.cycle);
      joined.from = step.from;
      refutation.steps.push_back(std::move(joined));
    }
    return refutation;
  }

  void add(Edge edge, std::vector<Edge>& cycle) const {
    edge.from = whole(edge.from);
    edge.to = whole(edge.to);
    edge.via = whole(edge.via);
    if (edge.from == edge.to) return;
    const bool joins = edge.kind == EdgeKind::kSessionOrder && !cycle.empty() &&
                       cycle.back().kind == EdgeKind::kSessionOrder;
    if (joins) {
      cycle.back().to = edge.to;
    } else {
      cycle.push_back(edge);
    }
  }

  const SplitHistory& split_;
};

}  // namespace

SplitHistory split_reads(const Observations& seen) { return Splitter(seen).run(); }

SequentialLevel::SequentialLevel(const Observations& seen, const CheckOptions& options,
                                 CheckStatistics& statistics, base::Budget& budget)
    : split_(split_reads(seen)),
      parts_(infer::observe(split_.history, budget)),
      budget_(budget) {
  budget.spend(split_.whole.size() * 16);
  if (budget.exhausted()) return;  // then the observations are meaningless
  ISOLDE_CHECK(!parts_.finding() && parts_.ambiguity().empty() && !parts_.non_repeatable());
  infer::Encoding encoding;
  encoding.session_order = true;
  encoding.clock_error_ns = options.clock_error_ns;
  encoding.links = split_.links;
  encoding.line_count = seen.history().session_count();
  level_.emplace(parts_, encoding, true, options, statistics, budget);
}

std::optional<Proof> SequentialLevel::guess() {
  if (budget_.exhausted()) return std::nullopt;
  return join(level_->guess());
}

std::optional<Proof> SequentialLevel::decide() {
  if (budget_.exhausted()) return std::nullopt;
  if (auto proof = level_->saturate(false)) return join(proof);
  if (budget_.exhausted()) return std::nullopt;
  return join(level_->search());
}

std::optional<Proof> SequentialLevel::join(const std::optional<Proof>& proof) const {
  if (!proof || budget_.exhausted()) return std::nullopt;
  return Joiner(split_).join(*proof);
}

}  // namespace isolde::checker
