#include "session/session_view.hpp"

#include <span>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "history/copier.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::checker {
namespace {

class View {
 public:
  View(const History& history, const infer::Observations& seen, SessionId session,
       const std::vector<Effect>& effects)
      : history_(history),
        seen_(seen),
        session_(session),
        effects_(effects),
        copier_(history, builder_) {}

  History build() {
    builder_.origin() = history_.origin();
    for (std::size_t s = 0; s < history_.session_count(); ++s) {
      sessions_.push_back(builder_.session(history_.session_name(SessionId::at(s))));
    }
    for (std::size_t k = 0; k < history_.key_count(); ++k) {
      keys_.push_back(copier_.key(KeyId::at(k)));
      copier_.initial(KeyId::at(k), keys_.back());
    }
    for (std::size_t t = 0; t < history_.txn_count(); ++t) add(TxnId::at(t));
    Result<History> view = builder_.finish();
    ISOLDE_CHECK(view.ok());
    return std::move(view).value();
  }

 private:
  void add(TxnId txn) {
    const SessionId session = history_.session_of(txn);
    builder_.begin_txn(sessions_[session.raw()], history_.position_in_input(txn));
    builder_.set_status(status(txn));
    const bool has_reads = session_.is_none() || session == session_;
    const std::span<const Op> ops = history_.ops(txn);
    std::size_t next = 0;
    const auto add_to = [&](std::size_t end) {
      for (; next < end; ++next) {
        if (ops[next].is_write() || has_reads) add(ops[next]);
      }
    };
    for (const Selection& selection : history_.selections(txn)) {
      add_to(selection.first);
      if (has_reads) add(ops, selection);
      next = selection.end();
    }
    add_to(ops.size());
  }

  TxnStatus status(TxnId txn) const {
    if (!seen_.is_included(txn)) return history_.status(txn);
    if (!seen_.is_doubtful(txn)) return TxnStatus::kCommitted;
    const Effect effect = effects_.empty() ? Effect::kOpen : effects_[txn.raw()];
    if (effect == Effect::kExcluded) return TxnStatus::kAborted;
    return effect == Effect::kSettled ? TxnStatus::kCommitted : history_.status(txn);
  }

  /// As a selection, because its reads have no order. The view has all writes of the history,
  /// so it leaves out the same rows.
  void add(std::span<const Op> ops, const Selection& selection) {
    if (const Aggregate* const computed = history_.aggregate(selection)) {
      return builder_.aggregate(copier_.predicate(history_.predicates()[selection.predicate]),
                                copier_.aggregate(*computed));
    }
    std::vector<Row> rows;
    for (const Op& row : ops.subspan(selection.first, selection.rows)) {
      rows.push_back(copier_.selected(row, keys_[row.key.raw()]));
    }
    builder_.select(copier_.predicate(history_.predicates()[selection.predicate]), rows);
  }

  void add(const Op& op) {
    const KeyId key = keys_[op.key.raw()];
    // A row that was not selected is a negative read here, and not an unknown one.
    if (op.is_exclusion()) {
      builder_.read_except(key, copier_.predicate(history_.predicate(op)));
    } else {
      copier_.op(op, key);
    }
  }

  const History& history_;
  const infer::Observations& seen_;
  SessionId session_;
  const std::vector<Effect>& effects_;
  HistoryBuilder builder_;
  history::Copier copier_;
  std::vector<SessionId> sessions_;
  std::vector<KeyId> keys_;
};

}  // namespace

History session_view(const History& history, const infer::Observations& seen, SessionId session,
                     const std::vector<Effect>& effects) {
  return View(history, seen, session, effects).build();
}

}  // namespace isolde::checker
