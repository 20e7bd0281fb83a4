#include "explain/lost_updates.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace isolde::explain {
namespace {

/// A version that several committed transactions have read and then replaced.
struct Contended {
  KeyId key;
  Value value;
  std::uint64_t updates = 1;
  std::uint64_t writes = 0;

  auto name() const { return std::tuple(key.raw(), value.bits()); }
};

bool is_less(const Contended& a, const Contended& b) { return a.name() < b.name(); }

class Counter {
 public:
  explicit Counter(const History& history)
      : history_(history), is_open_(history.key_count(), 0), uses_(history.key_count()) {}

  std::uint64_t count() {
    find_open_keys();
    for (std::size_t t = 0; t < history_.txn_count(); ++t) add_updates(TxnId::at(t));
    keep_contended();
    if (found_.empty()) return 0;
    for (const Op& op : history_.all_ops()) {
      if (op.is_write()) count_write({op.key, op.value});
    }
    std::uint64_t lost = 0;
    for (const Contended& version : found_) {
      const std::uint64_t makers = version.value.is_null() ? 1 : version.writes;
      if (makers == 1) lost += version.updates - 1;
    }
    return lost;
  }

 private:
  /// Lists lose nothing, and a deleted row looks like one that was never there.
  void find_open_keys() {
    for (const Op& op : history_.all_ops()) {
      if (op.is_write() && (op.kind != OpKind::kWrite || op.is_delete())) {
        is_open_[op.key.raw()] = 1;
      }
    }
  }

  /// Of each register that the transaction writes, the one version that it read before.
  void add_updates(TxnId txn) {
    if (history_.status(txn) != TxnStatus::kCommitted) return;
    for (const Op& op : history_.ops(txn)) {
      const std::size_t key = op.key.raw();
      if (is_open_[key] != 0) continue;
      Use& use = uses_[key];
      if (use.txn != txn) use = {txn, nullptr, false};
      if (use.is_over) continue;
      if (op.is_write()) {
        if (use.read != nullptr) found_.push_back({op.key, use.read->value});
        use.is_over = true;
      } else if (op.kind == OpKind::kRead) {
        // Whoever saw two versions may have seen that of the other.
        use.is_over = use.read != nullptr && use.read->value != op.value;
        use.read = &op;
      } else {
        use.is_over = true;  // what it returned is not known in whole
      }
    }
  }

  /// Of equal versions the first, if there are several.
  void keep_contended() {
    std::sort(found_.begin(), found_.end(), is_less);
    std::vector<Contended> kept;
    for (auto at = found_.begin(); at != found_.end();) {
      const auto end = std::upper_bound(at, found_.end(), *at, is_less);
      at->updates = static_cast<std::uint64_t>(end - at);
      if (at->updates > 1) kept.push_back(*at);
      at = end;
    }
    found_ = std::move(kept);
  }

  /// Whatever became of the transaction.
  void count_write(const Contended& version) {
    const auto at = std::lower_bound(found_.begin(), found_.end(), version, is_less);
    if (at != found_.end() && at->name() == version.name()) ++at->writes;
  }

  struct Use {
    TxnId txn;                 // the last one so far
    const Op* read = nullptr;  // what it read before it wrote
    bool is_over = false;      // it wrote, or what it read says nothing for certain
  };

  const History& history_;
  std::vector<char> is_open_;  // by key: versions are not told by values
  std::vector<Use> uses_;      // by key
  std::vector<Contended> found_;
};

}  // namespace

std::uint64_t lost_updates(const History& history) { return Counter(history).count(); }

}  // namespace isolde::explain
