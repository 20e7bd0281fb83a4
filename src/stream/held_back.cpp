#include "stream/held_back.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/hash.hpp"

namespace isolde::stream {
namespace {

/// A value of a key. What two have by chance in common makes somebody wait in vain.
std::uint64_t cell(KeyId key, Value value) { return base::mix2(value.bits(), key.raw()); }
std::uint64_t cell(const Op& op) { return cell(op.key, op.value); }

/// What the operation returned that somebody wrote, or appended: visit(cell).
template <typename Visit>
void each_seen(const History& history, const Op& op, const Visit& visit) {
  if (op.kind == OpKind::kRead && !op.value.is_null()) visit(cell(op.key, op.value));
  if (op.kind != OpKind::kReadList) return;
  for (const Value element : history.list(op)) visit(cell(op.key, element));
}

class Waiting {
 public:
  Waiting(const History& open, const std::vector<bool>& begun, std::int64_t open_since,
          std::int64_t clock_error_ns)
      : open_(open), held_(open.txn_count()) {
    const std::int64_t late_from =
        std::max(open_since, kNoTime + clock_error_ns) - clock_error_ns;
    for (std::size_t t = 0; t < open.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (open.status(txn) == TxnStatus::kAborted || begun[t]) continue;
      const std::int64_t end = open.times(txn).end;
      if (end == kNoTime || end >= late_from) late_.push_back(txn);
    }
  }

  std::vector<bool> find() {
    std::unordered_set<std::uint64_t> missing = missing_of_late();
    if (!missing.empty() && leave_out_read()) missing = missing_of_late();
    // What those who wait have written is as good as missing.
    while (!missing.empty()) missing = hold_readers_of(missing);
    return std::move(held_);
  }

 private:
  /// What they have read and nobody here has written.
  std::unordered_set<std::uint64_t> missing_of_late() const {
    std::unordered_set<std::uint64_t> missing;
    for (const TxnId txn : late_) {
      for (const Op& op : open_.ops(txn)) {
        each_seen(open_, op, [&](std::uint64_t seen) { missing.insert(seen); });
      }
    }
    for (const Op& op : open_.all_ops()) {
      if (missing.empty()) break;
      if (op.is_write()) missing.erase(cell(op));
    }
    return missing;
  }

  /// Of whom somebody has read who is not late was not late either, whenever the client learnt
  /// of it, or never. Where several have written the value, nobody knows of whom that was.
  /// False: there is no such one.
  bool leave_out_read() {
    std::unordered_map<std::uint64_t, TxnId> writers;  // of late ones; none: several
    for (const TxnId txn : late_) {
      for (const Op& op : open_.ops(txn)) {
        if (!op.is_write()) continue;
        const auto [known, is_new] = writers.try_emplace(cell(op), txn);
        if (!is_new && known->second != txn) known->second = TxnId();
      }
    }
    std::vector<bool> is_late(open_.txn_count());
    for (const TxnId txn : late_) is_late[txn.raw()] = true;
    std::vector<TxnId> readers;
    for (std::size_t t = 0; t < is_late.size(); ++t) {
      const TxnId txn = TxnId::at(t);
      const bool counts = open_.status(txn) != TxnStatus::kAborted;
      if (counts && !is_late[t]) readers.push_back(txn);
      if (is_late[t] || !counts) continue;
      for (const Op& op : open_.ops(txn)) {
        const auto known = op.is_write() ? writers.find(cell(op)) : writers.end();
        if (known != writers.end()) known->second = TxnId();
      }
    }
    while (!readers.empty()) {
      const TxnId reader = readers.back();
      readers.pop_back();
      for (const Op& op : open_.ops(reader)) {
        each_seen(open_, op, [&](std::uint64_t seen) {
          const auto known = writers.find(seen);
          if (known == writers.end() || known->second.is_none()) return;
          if (!is_late[known->second.raw()]) return;
          is_late[known->second.raw()] = false;
          readers.push_back(known->second);
        });
      }
    }
    return std::erase_if(late_, [&](TxnId txn) { return !is_late[txn.raw()]; }) > 0;
  }

  /// Returns what these have written.
  std::unordered_set<std::uint64_t> hold_readers_of(
      const std::unordered_set<std::uint64_t>& missing) {
    std::unordered_set<std::uint64_t> written;
    for (const TxnId txn : late_) {
      if (held_[txn.raw()]) continue;
      const auto ops = open_.ops(txn);
      bool waits = false;
      for (const Op& op : ops) {
        each_seen(open_, op,
                  [&](std::uint64_t seen) { waits = waits || missing.contains(seen); });
      }
      if (!waits) continue;
      held_[txn.raw()] = true;
      for (const Op& op : ops) {
        if (op.is_write()) written.insert(cell(op));
      }
    }
    return written;
  }

  const History& open_;
  std::vector<bool> held_;
  std::vector<TxnId> late_;
};

}  // namespace

std::vector<bool> held_back(const History& open, const std::vector<bool>& begun,
                            std::int64_t open_since, std::int64_t clock_error_ns) {
  return Waiting(open, begun, open_since, clock_error_ns).find();
}

}  // namespace isolde::stream
