#include "stream/gathered.hpp"

#include <utility>

#include "base/assert.hpp"

namespace isolde::stream {

bool Gathered::can_hold(const History& part) {
  const HistoryOrigin& origin = part.origin();
  return !origin.truncated && !origin.rows_are_deleted && !part.has_selections() &&
         !part.has_increments() && !part.has_refused_inserts() &&
         (part.txn_count() == 0 || part.has_times());
}

Status Gathered::add(History part) {
  const TxnNumber first = txn_count_;
  if (++count_ == 1) {
    txn_count_ = part.txn_count();
    op_count_ = part.op_count();
    only_ = std::move(part);
    return ok_status();
  }
  if (only_) {
    joiner_.emplace();
    joiner_->set_origin(only_->origin());
    if (const Status joined = join(*std::exchange(only_, {}), 0); !joined) return joined;
  }
  txn_count_ += part.txn_count();
  op_count_ += part.op_count();
  return join(part, first);
}

Status Gathered::join(const History& part, TxnNumber first) {
  joiner_->add(part, first, kAll, kEnterNothing);
  if (joiner_->add_initial(part)) return ok_status();
  return Error{ErrorCode::kBadInput,
               part.origin().file + ": its initial contents are not those of another file"};
}

Result<History> Gathered::take() {
  ISOLDE_CHECK(!is_empty());
  count_ = txn_count_ = op_count_ = 0;
  if (only_) return *std::exchange(only_, {});
  return std::exchange(joiner_, {})->finish();
}

}  // namespace isolde::stream
