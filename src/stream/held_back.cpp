#include "stream/held_back.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/hash.hpp"

namespace isolde::stream {
namespace {

/// A value of a key. What two have by chance in common makes somebody wait in vain.
std::uint64_t cell(const Op& op) { return base::mix2(op.value.bits(), op.key.raw()); }

bool tells_a_version(const Op& op) { return op.kind == OpKind::kRead && !op.value.is_null(); }

class Waiting {
 public:
  Waiting(const History& open, std::int64_t open_since, std::int64_t clock_error_ns)
      : open_(open), held_(open.txn_count()) {
    const std::int64_t latest = std::max(open_since, kNoTime + clock_error_ns) - clock_error_ns;
    for (std::size_t t = 0; t < open.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (open.status(txn) == TxnStatus::kAborted) continue;
      const std::int64_t end = open.times(txn).end;
      if (end == kNoTime || end >= latest) late_.push_back(txn);
    }
  }

  std::vector<bool> find() {
    for (std::vector<TxnId> held = without_source(); !held.empty(); held = readers_of(held)) {
      for (const TxnId txn : held) held_[txn.raw()] = true;
    }
    return std::move(held_);
  }

 private:
  bool is_indeterminate(TxnId txn) const {
    return open_.status(txn) == TxnStatus::kIndeterminate;
  }

  /// Those of the late ones that read what nobody here has written.
  std::vector<TxnId> without_source() {
    std::unordered_set<std::uint64_t> missing;
    for (const TxnId txn : late_) {
      for (const Op& op : open_.ops(txn)) {
        if (tells_a_version(op)) missing.insert(cell(op));
      }
    }
    if (missing.empty()) return {};
    for (const Op& op : open_.all_ops()) {
      if (op.is_write()) missing.erase(cell(op));
    }
    std::vector<TxnId> found;
    if (missing.empty()) return found;
    for (const TxnId txn : late_) {
      const bool waits = std::ranges::any_of(open_.ops(txn), [&](const Op& op) {
        return tells_a_version(op) && missing.contains(cell(op));
      });
      if (waits) found.push_back(txn);
    }
    drop_those_that_others_saw(found);
    return found;
  }

  /// One with unknown outcome had made its reads when somebody read from it, and so had those
  /// whom it read from begun.
  void drop_those_that_others_saw(std::vector<TxnId>& found) {
    std::unordered_set<std::uint64_t> written;
    for (const TxnId txn : found) {
      if (is_indeterminate(txn)) add_writes(txn, written);
    }
    if (written.empty()) return;
    std::vector<bool> is_late(open_.txn_count());
    for (const TxnId txn : late_) is_late[txn.raw()] = true;
    std::unordered_set<std::uint64_t> seen;
    for (std::size_t t = 0; t < open_.txn_count(); ++t) {
      if (is_late[t] || open_.status(TxnId::at(t)) != TxnStatus::kCommitted) continue;
      for (const Op& op : open_.ops(TxnId::at(t))) {
        if (tells_a_version(op) && written.contains(cell(op))) seen.insert(cell(op));
      }
    }
    std::erase_if(found, [&](TxnId txn) {
      return is_indeterminate(txn) && std::ranges::any_of(open_.ops(txn), [&](const Op& op) {
               return op.is_write() && seen.contains(cell(op));
             });
    });
  }

  std::vector<TxnId> readers_of(const std::vector<TxnId>& held) {
    std::unordered_set<std::uint64_t> written;
    for (const TxnId txn : held) add_writes(txn, written);
    std::vector<TxnId> found;
    for (std::size_t t = 0; t < open_.txn_count() && !written.empty(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (held_[t] || open_.status(txn) == TxnStatus::kAborted) continue;
      const bool reads = std::ranges::any_of(open_.ops(txn), [&](const Op& op) {
        return tells_a_version(op) && written.contains(cell(op));
      });
      if (reads) found.push_back(txn);
    }
    return found;
  }

  void add_writes(TxnId txn, std::unordered_set<std::uint64_t>& written) const {
    for (const Op& op : open_.ops(txn)) {
      if (op.is_write()) written.insert(cell(op));
    }
  }

  const History& open_;
  std::vector<bool> held_;
  std::vector<TxnId> late_;
};

}  // namespace

std::vector<bool> held_back(const History& open, std::int64_t open_since,
                            std::int64_t clock_error_ns) {
  return Waiting(open, open_since, clock_error_ns).find();
}

}  // namespace isolde::stream
