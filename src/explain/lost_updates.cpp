#include "explain/lost_updates.hpp"

#include <unordered_map>
#include <vector>

namespace isolde::explain {
namespace {

struct Version {
  KeyId key;
  Value value;
  friend bool operator==(const Version&, const Version&) = default;
};

struct Hash {
  std::size_t operator()(const Version& version) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>((version.value.bits() ^ (version.key.raw() * kOdd)) * kOdd);
  }
};

class Counter {
 public:
  explicit Counter(const History& history)
      : history_(history), is_open_(history.key_count(), 0) {}

  std::uint64_t count() {
    for (std::size_t t = 0; t < history_.txn_count(); ++t) count_writes(TxnId::at(t));
    for (std::size_t t = 0; t < history_.txn_count(); ++t) count_updates(TxnId::at(t));
    std::uint64_t lost = 0;
    for (const auto& [version, updates] : updates_) {
      const auto writes = writes_.find(version);
      const std::uint64_t makers = version.value.is_null()   ? 1
                                   : writes == writes_.end() ? 0
                                                             : writes->second;
      if (makers == 1 && updates > 1) lost += updates - 1;
    }
    return lost;
  }

 private:
  /// Whatever became of the transaction.
  void count_writes(TxnId txn) {
    for (const Op& op : history_.ops(txn)) {
      if (!op.is_write()) continue;
      // Lists lose nothing, and a deleted row looks like one that was never there.
      if (op.kind != OpKind::kWrite || op.is_delete()) is_open_[op.key.raw()] = 1;
      ++writes_[Version{op.key, op.value}];
    }
  }

  /// Of each register that the transaction writes, what it read of it first, and before.
  void count_updates(TxnId txn) {
    if (history_.status(txn) != TxnStatus::kCommitted) return;
    std::unordered_map<std::uint32_t, const Op*> first;
    for (const Op& op : history_.ops(txn)) {
      if (is_open_[op.key.raw()] != 0) continue;
      const auto [before, is_first] = first.try_emplace(op.key.raw(), &op);
      if (is_first || !op.is_write() || before->second->kind != OpKind::kRead) continue;
      ++updates_[Version{op.key, before->second->value}];
      before->second = &op;  // once
    }
  }

  const History& history_;
  std::vector<char> is_open_;  // by key: versions are not told by values
  std::unordered_map<Version, std::uint64_t, Hash> writes_;
  std::unordered_map<Version, std::uint64_t, Hash> updates_;
};

}  // namespace

std::uint64_t lost_updates(const History& history) { return Counter(history).count(); }

}  // namespace isolde::explain
