// A history without the rows that selections left out, or with only what repeatable read asks
// of them; or without the reads of all sessions but one.
#include <algorithm>
#include <map>
#include <utility>

#include "base/assert.hpp"
#include "isolde/history.hpp"

namespace isolde {

namespace {

Predicate of_nothing() {
  Predicate none;
  none.values = Predicate::Bounds{1, 0};
  return none;
}

}  // namespace

History History::without_absent_reads(std::span<const std::uint32_t> kept,
                                      std::vector<std::uint32_t>& numbers) const {
  History copy{static_cast<const HistoryTables&>(*this)};
  numbers.clear();
  // Large blocks are fresh pages each time, so they are not grown. Nearly all is known ahead.
  std::size_t left_out = 0;
  for (const Selection& selection : selections_) left_out += selection.absents;
  const std::size_t about = op_count() - left_out + kept.size();
  numbers.reserve(about + about / 16);
  copy.ops_.reserve(about + about / 16);
  auto next_kept = kept.begin();
  const auto nothing = static_cast<std::uint32_t>(copy.predicates_.size());
  if (has_aggregates()) copy.predicates_.edit().add(of_nothing());
  std::vector<TxnId> written_by(key_count());  // by key: the last transaction that wrote it
  for (std::size_t t = 0; t < txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const std::span<const Op> all = ops(txn);
    const auto begin = static_cast<std::uint32_t>(copy.ops_.size());
    std::uint32_t at = 0;
    const auto copy_to = [&](std::size_t end, const auto& counts) {
      for (; at < end; ++at) {
        if (!counts(all[at])) continue;
        if (all[at].is_write()) written_by[all[at].key.raw()] = txn;
        copy.ops_.push_back(all[at]);
        if (has_versions()) copy.op_version_.push_back(version(all[at]));
        numbers.push_back(at);
      }
    };
    const auto any = [](const Op&) { return true; };
    const auto counts = [&](const Op& op) {
      const bool is_kept = next_kept != kept.end() && *next_kept == op_begin_[t] + at;
      if (is_kept) ++next_kept;
      return is_kept || written_by[op.key.raw()] == txn;
    };
    copy.op_begin_[t] = begin;
    const std::span<const Selection> selections = this->selections(txn);
    for (std::size_t i = 0; i < selections.size(); ++i) {
      Selection& selection = copy.selections_[selection_begin_[t] + i];
      copy_to(selections[i].first, any);
      selection.first = static_cast<std::uint32_t>(copy.ops_.size()) - begin;
      copy_to(selections[i].first + selection.rows, any);
      copy_to(selections[i].end(), counts);
      selection.absents = static_cast<std::uint32_t>(copy.ops_.size()) - begin -
                          selection.first - selection.rows;
      if (selection.is_aggregate() && selection.absents < selections[i].absents) {
        selection.aggregate = Selection::kNoAggregate;
        selection.predicate = nothing;
      }
    }
    copy_to(all.size(), any);
  }
  copy.op_begin_.back() = static_cast<std::uint32_t>(copy.ops_.size());
  ISOLDE_ASSERT(next_kept == kept.end() && numbers.size() == copy.ops_.size());
  return copy;
}

History History::with_reads_of(SessionId session, std::span<const TxnStatus> statuses) const {
  ISOLDE_ASSERT(statuses.size() == txn_count());
  History copy{static_cast<const HistoryTables&>(*this)};
  copy.txn_status_.assign(statuses.begin(), statuses.end());
  copy.selections_.clear();
  for (std::size_t t = 0; t < txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const bool has_reads = session.is_none() || session_of(txn) == session;
    copy.op_begin_[t] = static_cast<std::uint32_t>(copy.ops_.size());
    for (const Op& op : ops(txn)) {
      if (!has_reads && !op.is_write()) continue;
      copy.ops_.push_back(op);
      if (has_versions()) copy.op_version_.push_back(version(op));
    }
    if (selection_begin_.empty()) continue;
    copy.selection_begin_[t] = static_cast<std::uint32_t>(copy.selections_.size());
    const std::span<const Selection> own = selections(txn);
    if (has_reads) copy.selections_.insert(copy.selections_.end(), own.begin(), own.end());
  }
  copy.op_begin_.back() = static_cast<std::uint32_t>(copy.ops_.size());
  if (!selection_begin_.empty()) {
    copy.selection_begin_.back() = static_cast<std::uint32_t>(copy.selections_.size());
  }
  return copy;
}

namespace {

/// The final writes of a transaction, as places among its operations, ascending.
std::vector<std::uint32_t> final_writes(std::span<const Op> ops) {
  std::vector<std::uint32_t> found;
  std::vector<KeyId> met;
  for (std::uint32_t at = static_cast<std::uint32_t>(ops.size()); at-- > 0;) {
    if (ops[at].kind != OpKind::kWrite) continue;
    if (std::ranges::find(met, ops[at].key) != met.end()) continue;
    met.push_back(ops[at].key);
    found.push_back(at);
  }
  std::ranges::reverse(found);
  return found;
}

}  // namespace

/// Who left a version that the predicate does not select writes a key that stands for the row
/// and the predicate, always the same value; and who left the row out reads that value. In an
/// order of transactions the read is right exactly when somebody wrote the key before.
History History::with_replaced_rows(std::span<const std::uint32_t> kept,
                                    std::vector<std::uint32_t>& numbers,
                                    std::vector<KeyId>& stands_for) const {
  History copy = without_absent_reads(kept, numbers);
  stands_for.clear();
  if (kept.empty()) return copy;
  const Value replaced = Value::integer(1);
  std::map<std::pair<KeyId, std::uint64_t>, KeyId> stand_ins;  // by row and predicate
  for (const std::uint32_t place : kept) {
    const Op& op = ops_[place];
    const auto [entry, is_new] = stand_ins.try_emplace(
        {op.key, op.value.bits()}, KeyId::at(key_count() + stands_for.size()));
    if (is_new) stands_for.push_back(op.key);
  }
  for (const KeyId key : stands_for) {
    copy.keys_.push_back(key_name(key));
    copy.key_is_list_.push_back(0);
    copy.key_initial_.resize(copy.keys_.size());
    if (!key_initial_list_.empty()) copy.key_initial_list_.push_back(0);
  }
  const std::vector<Op> ops = std::exchange(copy.ops_, {});
  const std::vector<Value> versions = std::exchange(copy.op_version_, {});
  const std::vector<std::uint32_t> begin = copy.op_begin_;
  const std::vector<std::uint32_t> known = std::exchange(numbers, {});
  auto next = kept.begin();
  for (std::size_t t = 0; t < txn_count(); ++t) {
    const std::span<const Op> own = std::span(ops).subspan(begin[t], begin[t + 1] - begin[t]);
    copy.op_begin_[t] = static_cast<std::uint32_t>(copy.ops_.size());
    auto selection = copy.selections_.begin() + selection_begin_[t];
    const auto last = copy.selections_.begin() + selection_begin_[t + 1];
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::uint32_t number = known[begin[t] + i];
      const bool is_kept = next != kept.end() && *next == op_begin_[t] + number;
      if (is_kept) ++next;
      // Its items are from one version set, but here they are from any.
      while (is_kept && selection != last && selection->end() <= i) ++selection;
      if (is_kept && selection->is_aggregate()) {
        selection->aggregate = Selection::kNoAggregate;
        selection->predicate = static_cast<std::uint32_t>(predicates_.size());
      }
      copy.ops_.push_back(
          is_kept ? Op{replaced, stand_ins.at({own[i].key, own[i].value.bits()}), OpKind::kRead}
                  : own[i]);
      if (has_versions()) copy.op_version_.push_back(versions[begin[t] + i]);
      numbers.push_back(number);
    }
    if (status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    for (const std::uint32_t at : final_writes(own)) {
      const Op& write = own[at];
      for (auto stand_in = stand_ins.lower_bound({write.key, 0});
           stand_in != stand_ins.end() && stand_in->first.first == write.key; ++stand_in) {
        const std::uint64_t predicate = stand_in->first.second;
        if (selects(predicates_[predicate], write.value)) continue;
        copy.ops_.push_back({replaced, stand_in->second, OpKind::kWrite});
        if (has_versions()) copy.op_version_.emplace_back();
        numbers.push_back(known[begin[t] + at]);
      }
    }
  }
  copy.op_begin_.back() = static_cast<std::uint32_t>(copy.ops_.size());
  ISOLDE_ASSERT(next == kept.end() && numbers.size() == copy.ops_.size());
  return copy;
}

}  // namespace isolde
