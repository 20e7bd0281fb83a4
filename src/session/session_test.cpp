#include "session/session_test.hpp"

#include <algorithm>

namespace isolde::checker {

using infer::ReadFrom;
using infer::WriteId;
using Of = SessionRules::Of;

std::vector<bool> SessionTest::served(std::span<const TxnId> order, base::Budget& budget) {
  place(order, budget);
  std::vector<bool> served(seen_.history().session_count());
  for (std::size_t s = 0; s < served.size() && !budget.exhausted(); ++s) {
    served[s] = serves(SessionId::at(s));
    budget.spend(seen_.history().session_txns(SessionId::at(s)).size() * 8);
  }
  return served;
}

void SessionTest::place(std::span<const TxnId> order, base::Budget& budget) {
  place_.assign(seen_.txn_count(), kNever);
  overwritten_.assign(seen_.write_count(), kNever);
  first_write_.assign(seen_.history().key_count(), kNever);
  std::vector<WriteId> last(seen_.history().key_count());
  std::uint32_t state = 0;
  for (const TxnId txn : order) {
    place_[txn.raw()] = ++state;
    for (WriteId write = seen_.first_write(txn); write != seen_.end_write(txn);
         write = WriteId(write.raw() + 1)) {
      const std::size_t key = seen_.written_key(write).raw();
      if (last[key].is_some()) overwritten_[last[key].raw()] = state;
      if (last[key].is_none()) first_write_[key] = state;
      last[key] = write;
    }
    budget.spend(8);
  }
}

std::uint32_t SessionTest::first_state(const ReadFrom& read) const {
  return read.source.is_none() ? 0 : place_[seen_.writer(read.source).raw()];
}

std::uint32_t SessionTest::last_state(const ReadFrom& read) const {
  const std::uint32_t next =
      read.source.is_none() ? first_write_[read.key.raw()] : overwritten_[read.source.raw()];
  return next - 1;  // for kNever: still later than all
}

bool SessionTest::serves(SessionId session) const {
  std::uint32_t bound = 0;  // the state that all further reads of the session reach
  for (const TxnId txn : seen_.history().session_txns(session)) {
    if (seen_.is_included(txn) && !serves(txn, bound)) return false;
  }
  return true;
}

bool SessionTest::serves(TxnId txn, std::uint32_t& bound) const {
  const std::uint32_t parent = place_[txn.raw()] - 1;
  const bool has_bound = bound_by_ != Of::kNothing;
  if (has_bound && bound > parent) return false;
  const std::span<const ReadFrom> reads = seen_.reads(txn);
  for (std::size_t i = 0; i < reads.size();) {
    std::uint32_t next_bound = bound;  // reads of one selection do not bind each other
    for (const std::size_t end = seen_.end_of_step(txn, i); i < end; ++i) {
      const std::uint32_t first = first_state(reads[i]);
      if (first > parent) return false;
      if (!has_bound) continue;
      if (std::max(bound, first) > last_state(reads[i])) return false;
      if (bound_by_ != Of::kUpdates) next_bound = std::max(next_bound, first);
    }
    bound = next_bound;
  }
  const bool updates = seen_.first_write(txn) != seen_.end_write(txn);
  const bool raises = bound_by_ == Of::kAll || (bound_by_ == Of::kUpdates && updates);
  if (raises) bound = std::max(bound, place_[txn.raw()]);
  return true;
}

}  // namespace isolde::checker
