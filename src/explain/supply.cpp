#include "explain/supply.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace isolde::explain {
namespace {

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kDepth = 8;
constexpr std::size_t kMostLooks = 1000;         // at the supplies of some value, for one read
constexpr std::size_t kMostOperations = 20'000;  // on the key
constexpr std::size_t kMostLacking = 6;          // more would be no explanation

/// When something took effect, both ends included.
struct Moment {
  std::int64_t earliest;
  std::int64_t latest;
};

struct Write {
  TxnId txn;
  std::uint32_t op;
  Value value;
  std::optional<Value> needed;  // what the transaction read of the key before
  Moment when;
  bool certain;
};

struct Read {
  TxnId txn;
  std::uint32_t op;
  Value value;
  Moment when;
};

class Supplies {
 public:
  Supplies(const History& history, KeyId key) : history_(history), key_(key) {}

  /// False where times are missing, or there is too much to look at.
  bool collect() {
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (history_.status(txn) != TxnStatus::kAborted && !add(txn)) return false;
    }
    std::stable_sort(writes_.begin(), writes_.end(), [](const Write& a, const Write& b) {
      return a.when.earliest < b.when.earliest;
    });
    std::stable_sort(reads_.begin(), reads_.end(), [](const Read& a, const Read& b) {
      return a.when.latest < b.when.latest;
    });
    return writes_.size() + reads_.size() <= kMostOperations;
  }

  std::optional<Unsupplied> find() {
    for (const Read& read : reads_) {
      looks_ = 0;
      path_ = {read.txn};
      auto supplies = excluded(read.value, read.when, nullptr);
      if (supplies) return Unsupplied{read.txn, read.op, std::move(*supplies)};
    }
    return std::nullopt;
  }

 private:
  bool add(TxnId txn) {
    const std::span<const Op> ops = history_.ops(txn);
    const bool committed = history_.status(txn) == TxnStatus::kCommitted;
    const TxnTimes times = history_.times(txn);
    std::optional<Value> seen;
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      if (ops[i].key != key_ || !ops[i].uses_item()) continue;
      if (times.start == kNoTime || (committed && times.end == kNoTime)) return false;
      const Moment when{times.start, committed ? times.end : kForever};
      if (ops[i].kind == OpKind::kRead) {
        if (committed && !seen) reads_.push_back({txn, i, ops[i].value, when});
        seen = ops[i].value;
      } else if (ops[i].kind == OpKind::kWrite) {
        // What replaces a write of its own transaction needs nothing that others wrote.
        if (!writes_.empty() && writes_.back().txn == txn) return false;
        writes_.push_back({txn, i, ops[i].value, seen, when, committed});
      } else if (!ops[i].is_exclusion()) {
        return false;
      }
    }
    return true;
  }

  /// The certain write of another value that began last of those that had ended when `reader`
  /// began: who supplies the reader comes after it.
  const Write* last_before(Moment reader, Value value) const {
    const Write* last = nullptr;
    for (const Write& write : writes_) {
      if (write.when.earliest >= reader.earliest) break;
      if (write.certain && write.when.latest < reader.earliest && write.value != value) {
        last = &write;
      }
    }
    return last;
  }

  /// All writes of the value with what excludes them, or none when one is not excluded. The
  /// supplier comes after `floor`, if there is one, or is it.
  std::optional<std::vector<Supply>> excluded(Value value, Moment reader, const Write* floor) {
    if (++looks_ > kMostLooks) return std::nullopt;
    const Write* last = last_before(reader, value);
    const bool is_higher = floor != nullptr && floor->value != value &&
                           (last == nullptr || last->when.earliest < floor->when.earliest);
    if (is_higher) last = floor;
    std::vector<Supply> supplies;
    Supply replaced{{}, 0, Supply::Why::kReplaced, {}, {}, {}};
    Supply late{{}, 0, Supply::Why::kTooLate, {}, {}, {}};
    if (last != nullptr) replaced.by = last->txn;
    if (value.is_null()) {
      if (last == nullptr) return std::nullopt;
      ++replaced.count;
    }
    std::int64_t replaced_end = 0;
    for (const Write& write : writes_) {
      if (write.value != value) continue;
      if (std::find(path_.begin(), path_.end(), write.txn) != path_.end()) {
        supplies.push_back({write.txn, 1, Supply::Why::kNeedsIt, {}, {}, {}});
      } else if (write.when.earliest > reader.latest) {
        if (late.count++ == 0) late.writer = write.txn;
      } else if (last != nullptr && write.when.latest < last->when.earliest) {
        const bool is_nearest = replaced.writer.is_none() || write.when.latest > replaced_end;
        if (is_nearest) replaced.writer = write.txn;
        if (is_nearest) replaced_end = write.when.latest;
        ++replaced.count;
      } else {
        auto lacking = lacks(write, reader, last);
        if (!lacking || supplies.size() >= kMostLacking) return std::nullopt;
        supplies.push_back(std::move(*lacking));
      }
    }
    if (replaced.count > 0) supplies.insert(supplies.begin(), std::move(replaced));
    if (late.count > 0) supplies.push_back(std::move(late));
    return supplies;
  }

  /// The writer needed a value that cannot have been there when it took effect.
  std::optional<Supply> lacks(const Write& write, Moment reader, const Write* last) {
    if (!write.needed || path_.size() > kDepth) return std::nullopt;
    Moment when{write.when.earliest, std::min(write.when.latest, reader.latest)};
    if (last != nullptr) when.earliest = std::max(when.earliest, last->when.earliest);
    path_.push_back(write.txn);
    auto needs = excluded(*write.needed, when, last);
    path_.pop_back();
    if (!needs) return std::nullopt;
    return Supply{write.txn, 1, Supply::Why::kLacking, {}, *write.needed, std::move(*needs)};
  }

  const History& history_;
  KeyId key_;
  std::vector<Write> writes_;  // by start
  std::vector<Read> reads_;    // by end
  std::vector<TxnId> path_;  // the reader, and those that each need a value for the one before
  std::size_t looks_ = 0;
};

}  // namespace

std::optional<Unsupplied> find_unsupplied(const History& history, KeyId key) {
  Supplies supplies(history, key);
  if (!supplies.collect()) return std::nullopt;
  return supplies.find();
}

}  // namespace isolde::explain
