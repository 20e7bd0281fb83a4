#include "support/added_notes.hpp"

#include <span>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "history/copier.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::support {

History with_added(const History& bare, Added added, base::Rng& rng, Refusals refusals) {
  HistoryBuilder builder;
  history::Copier copier(bare, builder);
  builder.origin().truncated = bare.origin().truncated;
  builder.origin().rows_are_deleted = true;  // all three as files of version 2
  for (std::size_t s = 0; s < bare.session_count(); ++s) {
    builder.session(bare.session_name(SessionId::at(s)));
  }
  for (std::size_t k = 0; k < bare.key_count(); ++k) {
    const KeyId key = copier.key(KeyId::at(k));
    copier.initial(KeyId::at(k), key);
    if (bare.is_list(KeyId::at(k))) builder.holds_list(key);
  }
  const auto lock = [&] {
    if (added != Added::kLocks || rng.chance(0.5)) return;
    builder.set_lock(rng.chance(0.5) ? LockMode::kShare : LockMode::kUpdate);
  };
  std::vector<Row> rows;
  for (std::size_t t = 0; t < bare.txn_count(); ++t) {
    copier.begin_txn(TxnId::at(t));
    const std::span<const Op> ops = bare.ops(TxnId::at(t));
    std::span<const Selection> left = bare.selections(TxnId::at(t));
    for (std::uint32_t at = 0; at < ops.size() || !left.empty();) {
      if (added == Added::kRefusals && bare.key_count() > 0 && rng.chance(0.15)) {
        builder.insert_refused(copier.key(KeyId::at(rng.below(bare.key_count()))));
      }
      if (!left.empty() && left.front().first == at) {
        const Selection& selection = left.front();
        rows.clear();
        for (const Op& op : ops.subspan(at, selection.rows)) {
          rows.push_back(copier.selected(op, copier.key(op.key)));
        }
        builder.select(copier.predicate(bare.predicates()[selection.predicate]), rows);
        lock();
        at = selection.end();
        left = left.subspan(1);
        continue;
      }
      if (refusals == Refusals::kReads && bare.is_refused_insert(ops[at]) &&
          !bare.is_list(ops[at].key)) {
        builder.read(copier.key(ops[at].key), builder.row({}));
        ++at;
        continue;
      }
      copier.op(ops[at], copier.key(ops[at].key));
      const OpKind kind = ops[at].kind;
      if (ops[at].is_read() || kind == OpKind::kReadExcept || kind == OpKind::kReadMatch)
        lock();
      ++at;
    }
  }
  Result<History> history = builder.finish();
  ISOLDE_CHECK(history.ok());
  return std::move(history).value();
}

}  // namespace isolde::support
