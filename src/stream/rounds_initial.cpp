// Rounds where it is not known what keys held at the start (stream/initial_contents.hpp).
#include <span>
#include <utility>
#include <vector>

#include "stream/initial_contents.hpp"
#include "stream/joiner.hpp"
#include "stream/rounds.hpp"
#include "stream/settled_lists.hpp"

namespace isolde::stream {

/// By its keys: it is not known what was there before.
std::vector<bool> Rounds::open_keys(const Round& round) const {
  std::vector<bool> is_open(round.keys.size());
  for (std::size_t key = 0; key < is_open.size(); ++key) {
    is_open[key] = !boundary_.is_known(round.keys[key]);
  }
  return is_open;
}

Rounds::Shown Rounds::shown_by(const Round& round) {
  Shown shown;
  if (!options_.initial_is_unknown) return shown;
  const History& history = round.part.history;
  const std::vector<bool> is_open = open_keys(round);
  shown.contents = initial_contents(history, is_open, options_.clock_error_ns);
  if (!has_lists(history) && !boundary_.has_lists()) return shown;
  std::vector<ListPrefix> settled;
  for (const Boundary::Key key : round.keys) settled.push_back(boundary_.list(key));
  shown.fronts = list_fronts(history, is_open, settled, options_.clock_error_ns);
  return shown;
}

/// The same transactions, and registers that held that at the start; nothing: what they do in
/// the round. Lists begin behind their fronts. What is read of incomplete keys says nothing.
Result<Rounds::Round> Rounds::with_initial(const Round& round, const Shown& shown) {
  const History& history = round.part.history;
  const std::vector<Value>& contents = shown.contents;
  if (!budget_.spend(history.txn_count() + history.op_count())) {
    return Error{ErrorCode::kLimit, budget_.reason()};
  }
  Round changed;
  Joiner joiner;
  joiner.reserve(history.txn_count(), history.op_count());
  joiner.edit_lists(cut_to_fronts(shown.fronts));
  joiner.add(
      history, Joiner::kOwnNumbers, kAll,
      [&](HistoryBuilder& into, KeyId key, KeyId old) {
        changed.keys.push_back(round.keys[old.raw()]);
        changed.fronts.emplace_back();
        if (!shown.fronts.empty() && shown.fronts[old.raw()].is_told) {
          changed.fronts.back() = extended({}, history, shown.fronts[old.raw()].elements);
        }
        const Value told = contents.empty() ? Value() : contents[old.raw()];
        const Value held = told.is_null() ? history.initial(old) : told;
        if (held.is_null()) return;
        into.set_initial(key, history::Copier(history, into).value(held));
      },
      [&](std::size_t, const Op& op) { return !is_incomplete(round.keys[op.key.raw()]); });
  Result<History> joined = joiner.finish();
  if (!joined) return joined.error();
  changed.part = {std::move(joined).value(), Joiner::kOwnNumbers};
  return changed;
}

/// What a list began with that a settled transaction has read. What is open of it has all of
/// that, still.
void Rounds::learn_list(const Round& round, KeyId key) {
  const Boundary::Key known = round.keys[key.raw()];
  if (boundary_.is_known(known)) return;
  lists_before_.emplace(Boundary::place(known), ListPrefix());
  boundary_.begin_list(known, round.fronts[key.raw()].value());
}

/// What a settled transaction was the first to use, and read, was there at the start.
void Rounds::learn_initial(const Round& round, std::span<const TxnId> order, int mentions) {
  if (!options_.initial_is_unknown) return;
  const History& history = round.part.history;
  std::vector<bool> is_open = open_keys(round);
  std::vector<TxnId> writers(is_open.size());  // who reads what it wrote itself
  std::vector<bool> has_begun(history.txn_count());
  const auto read = [&](TxnId txn, const Op& op) {
    if (!op.uses_item() || writers[op.key.raw()] == txn) return;
    is_open[op.key.raw()] = false;
    const Value initial = history.initial(op.key);
    if (initial.is_null()) {
      boundary_.hold_nothing(round.keys[op.key.raw()]);
    } else {
      boundary_.hold(round.keys[op.key.raw()], history, initial);
    }
  };
  for (const TxnId txn : order) {
    const bool begins = !has_begun[txn.raw()];
    const bool commits = mentions == 1 || !begins;
    has_begun[txn.raw()] = true;
    for (const Op& op : history.ops(txn)) {
      if (!round.fronts.empty() && round.fronts[op.key.raw()]) {
        const bool is_read = op.kind == OpKind::kReadList || op.kind == OpKind::kRead;
        if (begins && is_read) learn_list(round, op.key);
        continue;
      }
      if (op.is_write()) writers[op.key.raw()] = txn;
      if (begins && !op.is_write() && is_open[op.key.raw()]) read(txn, op);
      if (commits && op.is_write()) is_open[op.key.raw()] = false;
    }
  }
}

}  // namespace isolde::stream
