#include "session/session_test.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace isolde::checker {

using infer::ReadFrom;
using infer::WriteId;
using Of = SessionRules::Of;

SessionTest::SessionTest(const infer::Observations& seen, BaseLevel base)
    : seen_(seen),
      open_index_(seen),
      bound_by_(traits(base).session.seen),
      all_reads_count_(traits(base).session.all_reads_count) {
  ISOLDE_ASSERT(seen.open_reads().empty() || !traits(base).session.writes_follow_reads);
}

std::vector<bool> SessionTest::served(std::span<const TxnId> order, base::Budget& budget) {
  place(order, budget);
  std::vector<bool> served(seen_.history().session_count());
  if (all_reads_count_) {
    for (const TxnId txn : order) {
      if (budget.exhausted() || !have_sources(txn, budget)) return served;
    }
  }
  for (std::size_t s = 0; s < served.size() && !budget.exhausted(); ++s) {
    served[s] = serves(SessionId::at(s), budget);
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
    for (const WriteId write : seen_.writes(txn)) {
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

/// The first possible version that was in place at the bound or later; where there is none, one
/// that nothing reaches.
SessionTest::States SessionTest::first_fit(const infer::OpenRead& read, std::uint32_t bound,
                                           base::Budget& budget) const {
  States best{kNever, 0};
  const auto offer = [&](const ReadFrom& from) {
    const States states = states_of(from);
    if (states.first < best.first && std::max(bound, states.first) <= states.last)
      best = states;
  };
  if (read.is_initial) offer({read.key, WriteId::none()});
  for (const WriteId source : seen_.sources(read)) offer({read.key, source});
  budget.spend(seen_.sources(read).size() * 2);
  return best;
}

/// An open read of the transaction has a source before it.
bool SessionTest::have_sources(TxnId txn, base::Budget& budget) const {
  for (std::uint32_t i = open_index_.begin(txn); i < open_index_.end(txn); ++i) {
    const infer::OpenRead& read = seen_.open_reads()[i];
    bool any = read.is_initial;
    for (const WriteId source : seen_.sources(read)) {
      any = any || place_[seen_.writer(source).raw()] < place_[txn.raw()];
      budget.spend(1);
      if (any) break;
    }
    if (!any) return false;
  }
  return true;
}

bool SessionTest::serves(SessionId session, base::Budget& budget) const {
  std::uint32_t bound = 0;  // the state that all further reads of the session reach
  for (const TxnId txn : seen_.history().session_txns(session)) {
    if (budget.exhausted()) return false;
    if (seen_.is_included(txn) && !serves(txn, bound, budget)) return false;
  }
  return true;
}

bool SessionTest::serves(TxnId txn, std::uint32_t& bound, base::Budget& budget) const {
  const std::uint32_t parent = place_[txn.raw()] - 1;
  const bool has_bound = bound_by_ != Of::kNothing;
  if (has_bound && bound > parent) return false;
  std::uint32_t next_bound = bound;  // reads of one selection do not bind each other
  std::uint32_t step = 0;
  const auto passes = [&](const States& states) {
    if (states.first > parent) return false;
    if (!has_bound) return true;
    if (std::max(bound, states.first) > states.last) return false;
    if (bound_by_ != Of::kUpdates) next_bound = std::max(next_bound, states.first);
    return true;
  };
  const bool has_steps = seen_.history().has_selections();
  const auto enter = [&](std::uint32_t own) {
    if (!has_steps || own != step) bound = next_bound;
    step = own;
  };
  const std::span<const ReadFrom> reads = seen_.reads(txn);
  std::uint32_t open = open_index_.begin(txn);
  for (std::uint32_t i = 0; i <= reads.size(); ++i) {
    for (; open < open_index_.end(txn) && seen_.open_reads()[open].place == i; ++open) {
      const infer::OpenRead& read = seen_.open_reads()[open];
      enter(seen_.history().step(txn, read.op));
      if (!passes(first_fit(read, bound, budget))) return false;
    }
    if (i == reads.size()) break;
    enter(seen_.step(txn, i));
    if (!passes(states_of(reads[i]))) return false;
  }
  bound = next_bound;
  const bool updates = !seen_.writes(txn).empty();
  const bool raises = bound_by_ == Of::kAll || (bound_by_ == Of::kUpdates && updates);
  if (raises) bound = std::max(bound, place_[txn.raw()]);
  return true;
}

}  // namespace isolde::checker
