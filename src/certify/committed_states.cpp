#include "certify/committed_states.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/assert.hpp"
#include "certify/proof_parts.hpp"

namespace isolde::certify {

void CommittedStates::commit(TxnId txn, std::uint32_t at) {
  const std::span<const Op> ops = history_.ops(txn);
  for (const Op& op : ops) {
    if (op.kind != OpKind::kAppend) continue;
    std::vector<Element>& list = list_[op.key.raw()];
    ISOLDE_INVARIANT(list.empty() || list.back().writer <= at);  // C1
    list.push_back({op.value, at});
  }
  // Backwards, because the last write of a key is the one that counts.
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    if (!op->is_write()) continue;
    std::vector<std::uint32_t>& versions = versions_[op->key.raw()];
    if (!versions.empty() && versions.back() == at) continue;
    ISOLDE_INVARIANT(versions.empty() || versions.back() < at);  // C1
    versions.push_back(at);
    if (!values_.empty()) values_[op->key.raw()].push_back(op->value);
    ISOLDE_INVARIANT(values_.empty() ||
                     values_[op->key.raw()].size() == versions.size());  // C2
    if (op->kind == OpKind::kWrite) last_writer_.add(op->key, op->value) = at;
  }
  if (!commit_.empty()) commit_[txn.raw()] = at;
}

Position CommittedStates::find_source(TxnId reader, const ExternalRead& read) {
  const auto named = named_.find({reader, read.op});
  return named == named_.end() ? latest_source(read) : named_source(named->second, read);
}

Value CommittedStates::version_at(KeyId key, Position position) const {
  if (position == kInitial) return Value();
  const std::vector<std::uint32_t>& versions = versions_[key.raw()];
  const auto at = std::lower_bound(versions.begin(), versions.end(), position);
  ISOLDE_INVARIANT(at != versions.end() && *at == position);
  return values_[key.raw()][static_cast<std::size_t>(at - versions.begin())];
}

/// The named writer must have committed, and the value be the last that it wrote.
Position CommittedStates::named_source(TxnId writer, const ExternalRead& read) const {
  if (writer.is_none()) return read.fits(history_, Value()) ? kInitial : kNowhere;
  if (!exists(history_, writer)) return kNowhere;
  ISOLDE_ASSERT(commit_.size() == history_.txn_count());
  const std::span<const Op> ops = history_.ops(writer);
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    if (op->key != read.key || op->kind != OpKind::kWrite) continue;
    return read.fits(history_, op->value) ? commit_[writer.raw()] : kNowhere;
  }
  return kNowhere;
}

Position CommittedStates::latest_source(const ExternalRead& read) {
  if (read.is_initial()) return kInitial;
  if (read.partial) return find_fitting(read);
  if (!read.value.is_null()) {
    const std::uint32_t* writer = last_writer_.find(read.key, read.value);
    return writer == nullptr ? kNowhere : Position{*writer};
  }
  const std::vector<Element>& list = list_[read.key.raw()];
  const std::size_t length = read.list.size();
  ISOLDE_INVARIANT(length > 0);
  if (length > list.size()) return kNowhere;
  for (std::size_t i = 0; i < length; ++i) {
    if (list[i].value != read.list[i]) return kNowhere;
  }
  // A transaction's appends appear together: the read may not end in the middle of them.
  const std::uint32_t writer = list[length - 1].writer;
  if (length < list.size() && list[length].writer == writer) return kNowhere;
  return Position{writer};
}

/// The latest version that fits.
Position CommittedStates::find_fitting(const ExternalRead& read) const {
  const Position initial = read.fits_initial(history_) ? kInitial : kNowhere;
  if (!read.may_be_of_a_write(history_)) return initial;
  ISOLDE_ASSERT(!values_.empty());
  const std::vector<Value>& values = values_[read.key.raw()];
  ISOLDE_ASSERT(values.size() == versions_[read.key.raw()].size());  // C2
  for (std::size_t i = values.size(); i-- > 0;) {
    if (read.fits(history_, values[i])) return Position{versions_[read.key.raw()][i]};
  }
  return initial;
}

}  // namespace isolde::certify
