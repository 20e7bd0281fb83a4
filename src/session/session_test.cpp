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
    served[s] = serves(SessionId::at(s), nullptr, budget);
    budget.spend(seen_.history().session_txns(SessionId::at(s)).size() * 8);
  }
  return served;
}

std::optional<std::vector<SessionTest::Read>> SessionTest::in_the_way(
    std::span<const TxnId> order, std::span<const SessionId> sessions, base::Budget& budget) {
  place(order, budget);
  Trouble trouble;
  if (all_reads_count_) {
    for (const TxnId txn : order) add_without_source(txn, trouble, budget);
  }
  for (const SessionId session : sessions) {
    if (budget.exhausted()) break;
    serves(session, &trouble, budget);
    budget.spend(seen_.history().session_txns(session).size() * 8);
  }
  if (!trouble.is_of_reads || budget.exhausted()) return std::nullopt;
  return std::move(trouble.reads);
}

/// The read itself, and the one that moved the bound so far.
void SessionTest::Trouble::add(const std::optional<Read>& read, const Bound& bound) {
  if (read) reads.push_back(*read);
  if (bound.by) reads.push_back(*bound.by);
  is_of_reads = is_of_reads && (read || bound.by);
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

bool SessionTest::has_source(const infer::OpenRead& read, base::Budget& budget) const {
  if (read.is_initial) return true;
  for (const WriteId source : seen_.sources(read)) {
    budget.spend(1);
    if (place_[seen_.writer(source).raw()] < place_[read.txn.raw()]) return true;
  }
  return false;
}

/// Each open read of the transaction has a source before it.
bool SessionTest::have_sources(TxnId txn, base::Budget& budget) const {
  for (std::uint32_t i = open_index_.begin(txn); i < open_index_.end(txn); ++i) {
    if (!has_source(seen_.open_reads()[i], budget)) return false;
  }
  return true;
}

/// The reads of the transaction whose sources all come later.
void SessionTest::add_without_source(TxnId txn, Trouble& trouble, base::Budget& budget) const {
  for (std::uint32_t i = open_index_.begin(txn); i < open_index_.end(txn); ++i) {
    const infer::OpenRead& read = seen_.open_reads()[i];
    if (has_source(read, budget)) continue;
    trouble.reads.push_back({txn, seen_.history().step(txn, read.op), read.key});
  }
  const std::span<const ReadFrom> reads = seen_.reads(txn);
  for (std::uint32_t i = 0; i < reads.size(); ++i) {
    if (reads[i].source.is_none() || first_state(reads[i]) < place_[txn.raw()]) continue;
    trouble.reads.push_back({txn, step_of(txn, i), reads[i].key});
  }
  budget.spend(reads.size() + 1);
}

std::uint32_t SessionTest::step_of(TxnId txn, std::uint32_t read) const {
  return seen_.history().has_selections() ? seen_.step(txn, read) : 0;
}

bool SessionTest::serves(SessionId session, Trouble* trouble, base::Budget& budget) const {
  Bound bound;
  bool all = true;
  for (const TxnId txn : seen_.history().session_txns(session)) {
    if (budget.exhausted()) return false;
    if (place_[txn.raw()] == kNever) continue;
    all = serves(txn, bound, trouble, budget) && all;
    if (!all && trouble == nullptr) return false;
  }
  return all;
}

bool SessionTest::serves(TxnId txn, Bound& bound, Trouble* trouble,
                         base::Budget& budget) const {
  const std::uint32_t parent = place_[txn.raw()] - 1;
  const bool has_bound = bound_by_ != Of::kNothing;
  bool all = true;
  if (has_bound && bound.state > parent) {
    if (trouble == nullptr) return false;
    all = false;
    trouble->add(std::nullopt, bound);
    bound = {};
  }
  Bound next_bound = bound;  // reads of one selection do not bind each other
  std::uint32_t step = 0;
  const bool has_steps = seen_.history().has_selections();
  const auto passes = [&](const States& states, std::uint32_t own, KeyId key) {
    if (!has_steps || own != step) bound = next_bound;
    step = own;
    const bool is_right = states.first <= parent &&
                          (!has_bound || std::max(bound.state, states.first) <= states.last);
    if (!is_right) {
      all = false;
      if (trouble != nullptr) trouble->add(Read{txn, own, key}, bound);
      return trouble != nullptr;
    }
    const bool moves = has_bound && bound_by_ != Of::kUpdates;
    if (moves && states.first > next_bound.state) {
      next_bound = {states.first, Read{txn, own, key}};
    }
    return true;
  };
  const std::span<const ReadFrom> reads = seen_.reads(txn);
  std::uint32_t open = open_index_.begin(txn);
  for (std::uint32_t i = 0; i <= reads.size(); ++i) {
    for (; open < open_index_.end(txn) && seen_.open_reads()[open].place == i; ++open) {
      const infer::OpenRead& read = seen_.open_reads()[open];
      const std::uint32_t own = seen_.history().step(txn, read.op);
      const std::uint32_t from = has_steps && own == step ? bound.state : next_bound.state;
      if (!passes(first_fit(read, from, budget), own, read.key)) return false;
    }
    if (i < reads.size() && !passes(states_of(reads[i]), step_of(txn, i), reads[i].key)) {
      return false;
    }
  }
  bound = next_bound;
  const bool updates = !seen_.writes(txn).empty();
  const bool raises = bound_by_ == Of::kAll || (bound_by_ == Of::kUpdates && updates);
  if (raises && place_[txn.raw()] > bound.state) bound = {place_[txn.raw()], std::nullopt};
  return all;
}

}  // namespace isolde::checker
