#include "explain/two_updates.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/memory_guard.hpp"
#include "explain/evidence.hpp"

namespace isolde::explain {
namespace {

/// A read before the transaction's own writes that returns one of them: it says of nobody that
/// it came first.
bool shows_own_write(const History& history, TxnId txn, const Op& read) {
  const std::span<const Op> ops = history.ops(txn);
  return std::any_of(ops.begin(), ops.end(), [&](const Op& op) {
    if (!op.is_write() || op.key != read.key) return false;
    if (read.is_partial()) return history.fits(read, op.value);
    if (read.kind != OpKind::kReadList) return op.value == read.value;
    const std::span<const Value> list = history.list(read);
    return std::find(list.begin(), list.end(), op.value) != list.end();
  });
}

std::set<KeyId> written_keys(const History& history, TxnId txn) {
  std::set<KeyId> keys;
  for (const Op& op : history.ops(txn)) {
    if (op.is_write()) keys.insert(op.key);
  }
  return keys;
}

/// Who wrote each of some versions. A proof may speak of thousands, and one pass over the
/// history finds all writers.
class VersionWriters {
 public:
  explicit VersionWriters(const History& history) : history_(history) {}

  void ask_for(KeyId key, std::uint64_t value) { found_.push_back({key, value, {}, 0}); }

  /// Once all are asked for.
  void find() {
    std::sort(found_.begin(), found_.end(), is_less);
    found_.erase(
        std::unique(found_.begin(), found_.end(),
                    [](const Found& a, const Found& b) { return a.name() == b.name(); }),
        found_.end());
    std::vector<char> is_asked(history_.key_count(), 0);
    for (const Found& version : found_) is_asked[version.key.raw()] = 1;
    for (std::size_t t = 0; t < history_.txn_count() && !found_.empty(); ++t) {
      const std::span<const Op> ops = history_.ops(TxnId::at(t));
      base::MemoryGuard::spend(ops.size() + 1);
      for (std::uint32_t i = 0; i < ops.size(); ++i) {
        if (!ops[i].is_write() || is_asked[ops[i].key.raw()] == 0) continue;
        Found* const version = place_of(ops[i].key, ops[i].value.bits());
        if (version == nullptr) continue;
        version->write = OpRef{TxnId::at(t), i};
        ++version->writes;
      }
    }
  }

  /// The one that wrote the value, if that became a version: neither undone nor replaced by
  /// itself. None too where several wrote it. REQUIRES: it was asked for.
  TxnId of(KeyId key, std::uint64_t value) {
    const Found& found = *place_of(key, value);
    const TxnId txn = found.write.txn;
    if (found.writes != 1 || history_.status(txn) == TxnStatus::kAborted) return {};
    return final_write(history_, txn, key)->op == found.write.op ? txn : TxnId::none();
  }

 private:
  struct Found {
    KeyId key;
    std::uint64_t value;
    OpRef write;  // the last one
    std::size_t writes;
    std::pair<KeyId, std::uint64_t> name() const { return {key, value}; }
  };
  static bool is_less(const Found& a, const Found& b) { return a.name() < b.name(); }

  Found* place_of(KeyId key, std::uint64_t value) {
    const auto at =
        std::lower_bound(found_.begin(), found_.end(), Found{key, value, {}, 0}, is_less);
    return at == found_.end() || at->name() != std::pair(key, value) ? nullptr : &*at;
  }

  const History& history_;
  std::vector<Found> found_;  // by name
};

/// By key and version, the transactions that surely read it and then wrote the key.
using Replacing = std::map<std::tuple<KeyId, std::vector<std::uint64_t>>, std::set<TxnId>>;

Replacing replacing(const Writers& writers, std::span<const TxnId> txns) {
  const History& history = writers.history();
  Replacing found;
  for (const TxnId txn : txns) {
    if (!writers.took_effect(txn)) continue;
    std::set<KeyId> open = written_keys(history, txn);  // whose first write is still to come
    base::MemoryGuard::spend(history.ops(txn).size());
    for (const Op& op : history.ops(txn)) {
      if (op.is_write()) open.erase(op.key);
      if (!op.is_read() || !open.contains(op.key)) continue;
      if (op.kind == OpKind::kReadUnknown || op.is_partial()) continue;
      if (shows_own_write(history, txn, op)) continue;
      std::vector<std::uint64_t> version;
      if (op.kind == OpKind::kReadList) {
        for (Value element : history.list(op)) version.push_back(element.bits());
      } else if (!op.value.is_null()) {
        version.push_back(op.value.bits());
      }
      found[{op.key, std::move(version)}].insert(txn);
    }
  }
  return found;
}

/// Of those that replaced one version so many are looked at; a proof may speak of thousands.
constexpr std::size_t kReplacing = 64;

/// The first two of `txns` that replaced one version and for which `are_meant(first, second,
/// key)`, in either order.
template <typename AreMeant>
std::optional<LostUpdate> find_replacing(const Writers& writers, std::span<const TxnId> txns,
                                         const AreMeant& are_meant) {
  const History& history = writers.history();
  const Replacing found = replacing(writers, txns);
  VersionWriters replaced(history);
  for (const auto& [read, all] : found) {
    const auto& [key, version] = read;
    if (all.size() > 1 && !version.empty()) replaced.ask_for(key, version.back());
  }
  replaced.find();
  for (const auto& [read, all] : found) {
    if (all.size() < 2) continue;
    const auto& [key, version] = read;
    const TxnId writer = version.empty() ? TxnId::none() : replaced.of(key, version.back());
    if (!version.empty() && writer.is_none()) continue;
    const auto end =
        std::next(all.begin(), static_cast<std::ptrdiff_t>(std::min(all.size(), kReplacing)));
    const std::vector<TxnId> who(all.begin(), end);
    for (const TxnId second : who) {
      for (const TxnId first : who) {
        base::MemoryGuard::spend(history.ops(first).size());
        if (first == second || !are_meant(first, second, key)) continue;
        return LostUpdate{first, second, key, writer};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<LostUpdate> find_lost_update(const Writers& writers,
                                           std::span<const TxnId> txns) {
  const History& history = writers.history();
  return find_replacing(writers, txns, [&](TxnId first, TxnId second, KeyId key) {
    return first < second && !may_have_met(history, first, key, second) &&
           !may_have_met(history, second, key, first);
  });
}

std::optional<LostUpdate> find_seen_update(const Writers& writers,
                                           std::span<const TxnId> txns) {
  return find_replacing(writers, txns, [&](TxnId first, TxnId second, KeyId key) {
    return sure_read_of(writers, second, key, first, {}).has_value();
  });
}

}  // namespace isolde::explain
