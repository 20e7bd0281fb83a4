// What the store does wrong when it is told to: the parts of the faults that are more than a
// line in store.cpp.
#include <algorithm>

#include "sim/store.hpp"

namespace isolde::sim {

bool Store::strikes(StoreTxn& txn, Fault fault) {
  if (!fault_is(fault) || !strikes()) return false;
  ++faults_injected_;
  txn.fault_seen = true;
  return true;
}

// The faults that are drawn for a transaction as a whole.
bool Store::strikes_at_begin() const {
  switch (options_.fault) {
    case Fault::kAbortedRead:
    case Fault::kStaleRead:
    case Fault::kSessionViolation:
    case Fault::kReadSkew:
    case Fault::kCircularFlow:
      return true;
    case Fault::kWriteSkew:
      return options_.level == StoreLevel::kStrictSerializable;
    default:
      return false;
  }
}

// non-repeatable-read: what was read before is read again as it is now.
bool Store::later_version(StoreTxn& txn, StoreTxn::ReadEntry& entry) {
  if (!fault_is(Fault::kNonRepeatableRead) || entry.dirty) return false;
  bool skipped = false;
  const Version latest = visible(txn, entry.key, last_, skipped);
  if (latest.seq == entry.version.seq || !strikes(txn, Fault::kNonRepeatableRead)) return false;
  entry.version = latest;
  return true;
}

// non-monotonic-read: of a transaction that has been seen already, a second write is missed.
// The entry counts as dirty from then on: the commit does not look at it.
bool Store::earlier_version(StoreTxn& txn, StoreTxn::ReadEntry& entry) {
  if (!fault_is(Fault::kNonMonotonicRead) || entry.version.seq == 0) return false;
  const bool seen = std::ranges::any_of(txn.reads, [&](const StoreTxn::ReadEntry& other) {
    return other.key != entry.key && !other.dirty && other.version.seq == entry.version.seq;
  });
  if (!seen || !strikes(txn, Fault::kNonMonotonicRead)) return false;
  const Chain& versions = chains_[entry.key];
  const auto at = std::ranges::find(versions, entry.version.seq, &Version::seq);
  entry.version = at == versions.begin() || at == versions.end() ? Version{} : *(at - 1);
  entry.dirty = true;
  return true;
}

// Whether the transaction appends to another list whose latest appender is the same as that of
// `key`.
bool Store::lists_of_one_writer(const StoreTxn& txn, std::uint32_t key) const {
  const Seq writer = chains_[key].back().seq;
  return std::ranges::any_of(txn.writes, [&](const StoreTxn::WriteEntry& other) {
    // The transaction's own version may be there already.
    if (!other.list || other.key == key || other.key >= chains_.size()) return false;
    const Chain& versions = chains_[other.key];
    return std::ranges::find(versions, writer, &Version::seq) != versions.end() &&
           std::ranges::none_of(versions, [&](const Version& version) {
             return version.seq > writer && version.seq != last_;
           });
  });
}

// dirty-write: puts the elements below those of the last appender, who is above them in another
// list. Not when somebody has read the list as it is: then it would be the reader that shows
// the fault, by two orders of one list.
bool Store::slips_below(StoreTxn& txn, const StoreTxn::WriteEntry& entry, Version& version) {
  if (!fault_is(Fault::kDirtyWrite) || txn.struck) return false;
  if (entry.key >= chains_.size() || chains_[entry.key].empty()) return false;
  const Version& top = chains_[entry.key].back();
  if (list_read_[entry.key] >= top.seq || !lists_of_one_writer(txn, entry.key)) return false;
  if (!strikes(txn, Fault::kDirtyWrite)) return false;
  txn.struck = true;
  const std::vector<std::int64_t> log = logs_[static_cast<std::size_t>(top.value)];
  std::vector<std::int64_t> elements(log.begin(), log.begin() + top.base);
  elements.insert(elements.end(), entry.elements.begin(), entry.elements.end());
  elements.insert(elements.end(), log.begin() + top.base, log.begin() + top.length);
  const std::uint32_t base = top.base;
  version = extended({}, elements);  // a log of its own
  version.base = base;
  return true;
}

// Shows a write to others before the commit, when a fault asks for it. An intermediate write is
// withdrawn by the second one of its key.
void Store::expose(const StoreTxn& txn, const StoreTxn::WriteEntry& write, bool again) {
  if (fault_is(Fault::kIntermediateRead)) {
    if (write.key != txn.exposed_key) return;
    if (again) return conceal(txn);
    ++faults_injected_;
  } else if (!txn.struck) {
    return;
  } else if (!fault_is(Fault::kAbortedRead) && !fault_is(Fault::kCircularFlow)) {
    return;
  }
  Version version;
  version.value = write.value;
  if (write.list) {
    const Version base = base_of(txn, write.key);
    std::vector<std::int64_t> elements;
    if (base.length > 0) {
      const std::vector<std::int64_t>& log = logs_[static_cast<std::size_t>(base.value)];
      elements.assign(log.begin(), log.begin() + base.length);
    }
    elements.insert(elements.end(), write.elements.begin(), write.elements.end());
    version = extended({}, elements);  // a log of its own: nothing will extend it
  }
  dirty_[write.key] = {txn.session, version};
}

void Store::conceal(const StoreTxn& txn) {
  if (dirty_.empty()) return;
  for (const StoreTxn::WriteEntry& entry : txn.writes) {
    const auto dirty = dirty_.find(entry.key);
    if (dirty != dirty_.end() && dirty->second.session == txn.session) dirty_.erase(dirty);
  }
}

}  // namespace isolde::sim
