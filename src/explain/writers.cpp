#include "explain/writers.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/memory_guard.hpp"
#include "explain/evidence.hpp"

namespace isolde::explain {
namespace {

using Left = Writers::Left;

std::span<const Left> same_value(std::span<const Left> sorted, KeyId key, Value value) {
  const auto below = [](const Left& entry, const Left& wanted) {
    return entry.key != wanted.key ? entry.key < wanted.key : entry.value < wanted.value;
  };
  const auto [first, last] =
      std::equal_range(sorted.begin(), sorted.end(), Left{key, value.bits(), {}}, below);
  return {first, last};
}

/// One entry for each append, so that equal ones of one transaction count as several.
std::vector<Left> all_appends(const History& history) {
  std::vector<Left> appends;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    base::MemoryGuard::spend(history.ops(txn).size());
    for (const Op& op : history.ops(txn)) {
      if (op.kind == OpKind::kAppend) appends.push_back({op.key, op.value.bits(), txn});
    }
  }
  std::sort(appends.begin(), appends.end());
  return appends;
}

}  // namespace

std::span<const Left> Writers::who_left(KeyId key, Value value) const {
  return same_value(all_left_to(key), key, value);
}

std::span<const Left> Writers::all_left_to(KeyId key) const {
  if (!left_) left_ = all_left();
  const std::size_t first = left_->begin[key.raw()];
  const std::span<Left> left =
      std::span(left_->all).subspan(first, left_->begin[key.raw() + 1] - first);
  if (left_->is_sorted[key.raw()] == 0) {
    base::MemoryGuard::spend(left.size());
    std::sort(left.begin(), left.end());
    left_->is_sorted[key.raw()] = 1;
  }
  return left;
}

std::span<const TxnId> Writers::who_fits(KeyId key, const Partial& partial) const {
  const auto [entry, is_new] = fitting_.try_emplace({key, partial});
  if (is_new) {
    base::MemoryGuard::spend(2 * all_left_to(key).size());
    for (const Left& left : all_left_to(key)) {
      const Value value = Value::from_bits(left.value);
      if (history_.fits(key, partial, value)) entry->second.push_back(left.writer);
    }
    std::sort(entry->second.begin(), entry->second.end());
  }
  return entry->second;
}

std::span<const TxnId> Writers::users_of_list(KeyId key) const {
  if (!list_users_) list_users_ = all_list_users();
  const std::vector<std::size_t>& begin = list_users_->begin;
  return std::span<const TxnId>(list_users_->txns)
      .subspan(begin[key.raw()], begin[key.raw() + 1] - begin[key.raw()]);
}

bool Writers::took_effect(TxnId txn) const {
  if (history_.status(txn) != TxnStatus::kIndeterminate) {
    return history_.status(txn) == TxnStatus::kCommitted;
  }
  if (!in_effect_) in_effect_ = all_in_effect();
  return (*in_effect_)[txn.raw()] != 0;
}

Writers::LeftByKey Writers::all_left() const {
  std::vector<TxnId> met_in;  // by key: who wrote it later on
  const auto for_each_left = [&](const auto& take) {
    met_in.assign(history_.key_count(), TxnId());
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (history_.status(txn) == TxnStatus::kAborted) continue;
      const std::span<const Op> ops = history_.ops(txn);
      base::MemoryGuard::spend(ops.size());
      for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
        if (!op->is_write() || met_in[op->key.raw()] == txn) continue;
        met_in[op->key.raw()] = txn;
        take(*op, txn);
      }
    }
  };
  LeftByKey left;
  left.begin.assign(history_.key_count() + 1, 0);
  left.is_sorted.assign(history_.key_count(), 0);
  for_each_left([&](const Op& op, TxnId) { ++left.begin[op.key.raw()]; });
  // Where each key ends; filling goes down from there.
  for (std::size_t key = 0; key < history_.key_count(); ++key) {
    left.begin[key + 1] += left.begin[key];
  }
  left.all.resize(left.begin.back());
  for_each_left([&](const Op& op, TxnId txn) {
    left.all[--left.begin[op.key.raw()]] = {op.key, op.value.bits(), txn};
  });
  return left;
}

Writers::ListUsers Writers::all_list_users() const {
  std::vector<std::pair<KeyId, TxnId>> uses;
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    base::MemoryGuard::spend(history_.ops(TxnId::at(t)).size());
    for (const Op& op : history_.ops(TxnId::at(t))) {
      if (op.kind != OpKind::kAppend && op.kind != OpKind::kReadList) continue;
      uses.emplace_back(op.key, TxnId::at(t));
    }
  }
  std::sort(uses.begin(), uses.end());
  uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
  ListUsers users;
  users.begin.resize(history_.key_count() + 1, 0);
  for (const auto& [key, txn] : uses) {
    users.txns.push_back(txn);
    users.begin[key.raw() + 1] = users.txns.size();
  }
  // Keys that are no lists begin and end where the one before ends.
  for (std::size_t key = 0; key < history_.key_count(); ++key) {
    users.begin[key + 1] = std::max(users.begin[key], users.begin[key + 1]);
  }
  return users;
}

TxnId only_other(std::span<const TxnId> writers, TxnId reader) {
  TxnId only;
  for (const TxnId writer : writers) {
    if (writer == reader) continue;
    if (only.is_some()) return {};
    only = writer;
  }
  return only;
}

/// Of a list any element tells, for it was there.
std::vector<TxnId> Writers::surely_read_from(TxnId reader,
                                             std::span<const Left> appends) const {
  std::vector<TxnId> writers;
  const auto add_only = [&](std::span<const Left> who) {
    const auto own = [&](const Left& one) { return one.writer == reader; };
    const auto other = std::find_if_not(who.begin(), who.end(), own);
    if (other == who.end()) return;
    if (std::find_if_not(other + 1, who.end(), own) == who.end()) {
      writers.push_back(other->writer);
    }
  };
  std::set<KeyId> written;  // registers; what is read of them then is the reader's own
  for (const Op& op : history_.ops(reader)) {
    if (op.kind == OpKind::kWrite) written.insert(op.key);
    if (op.kind == OpKind::kReadList) {
      const std::span<const Value> front = before_own_elements(history_, reader, op);
      if (!front.empty()) add_only(who_left(op.key, front.back()));
      for (const Value element : history_.list(op)) {
        const std::span<const Left> who = same_value(appends, op.key, element);
        if (who.size() == 1) writers.push_back(who.front().writer);
      }
    } else if (op.kind == OpKind::kRead && !op.value.is_null()) {
      if (written.count(op.key) == 0) add_only(who_left(op.key, op.value));
    } else if (op.is_partial() && !history_.fits_initial(op) && written.count(op.key) == 0) {
      const TxnId only = only_other(who_fits(op.key, op.partial()), reader);
      if (only.is_some()) writers.push_back(only);
    }
  }
  return writers;
}

std::vector<std::uint8_t> Writers::all_in_effect() const {
  const std::vector<Left> appends = all_appends(history_);
  std::vector<std::uint8_t> in_effect(history_.txn_count(), 0);
  std::vector<TxnId> open;
  const auto add = [&](TxnId txn) {
    if (in_effect[txn.raw()] != 0) return;
    in_effect[txn.raw()] = 1;
    open.push_back(txn);
  };
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    if (history_.status(TxnId::at(t)) == TxnStatus::kCommitted) add(TxnId::at(t));
  }
  while (!open.empty()) {
    const TxnId reader = open.back();
    open.pop_back();
    base::MemoryGuard::spend(history_.ops(reader).size());
    for (const TxnId writer : surely_read_from(reader, appends)) add(writer);
  }
  return in_effect;
}

}  // namespace isolde::explain
