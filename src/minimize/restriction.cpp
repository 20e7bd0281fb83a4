#include "minimize/restriction.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "history/copier.hpp"
#include "history/event_spans.hpp"
#include "history/texts.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::minimize {
namespace {

/// A value of a key.
struct Version {
  KeyId key;
  Value value;
  friend bool operator==(const Version&, const Version&) = default;
};

struct VersionHash {
  std::size_t operator()(const Version& version) const {
    return base::mix2(version.key.raw(), version.value.bits());
  }
};

/// What became of the writes of a version.
struct Fate {
  bool kept = false;
  bool lost = false;          ///< a transaction that may have taken effect no longer writes it
  bool lost_aborted = false;  ///< an aborted one
  /// The earliest start of the transactions that lost it; none: unknown.
  std::int64_t first_lost_start = std::numeric_limits<std::int64_t>::max();

  /// Fewer transactions write it than before.
  bool is_touched() const { return lost || lost_aborted; }
};

struct LostWrite {
  Value value;
  std::int64_t start = kNoTime;  ///< of the transaction
};

/// All writes of a key.
struct KeyWrites {
  std::vector<Value> kept;
  std::vector<Value> visible;   ///< of the kept ones those by transactions that did not abort
  std::vector<LostWrite> lost;  ///< by transactions that did not abort
  std::vector<Value> lost_aborted;  ///< by others
};

/// An increment whose sum is not known goes as a whole.
Choice with_whole_increments(const History& whole, Choice choice) {
  for (const Increment& each : whole.increments()) {
    if (each.is_known) continue;
    std::uint8_t& read = choice.ops[each.op];
    std::uint8_t& write = choice.ops[each.op + std::size_t{1}];
    read = write = read != 0 && write != 0 ? 1 : 0;
  }
  return choice;
}

class Restrictor {
 public:
  Restrictor(const History& whole, const Choice& choice, RealTime time)
      : whole_(whole),
        choice_(with_whole_increments(whole, choice)),
        time_(time),
        copier_(whole, builder_),
        is_read_(whole.key_count()),
        is_used_(whole.key_count()) {}

  Part run(const std::vector<std::string>& notes);

 private:
  bool is_kept(TxnId txn) const { return choice_.txns[txn.raw()] != 0; }
  bool is_kept(TxnId txn, std::uint32_t op) const {
    return is_kept(txn) && choice_.ops[whole_.first_op(txn) + op] != 0;
  }

  bool keeps_most() const;
  void collect_lost();
  void collect_reads();
  void add(bool kept, TxnId writer, Fate& fate) const;
  void collect_writes();

  void copy(TxnId txn);
  void copy_initial();
  void copy_events();
  void copy_op(const Op& op);
  void copy_list(const Op& op);
  void copy_increment(const Op& read);
  void copy_aggregate(const Selection& selection, std::span<const Op> items);
  void copy_selection(const Selection& selection, std::span<const Op> ops);

  Fate fate_of(const Version& version) const {
    const auto known = fates_.find(version);
    return known == fates_.end() ? Fate() : known->second;
  }
  bool is_too_late(std::int64_t start) const;
  bool is_lost(const Fate& fate) const;
  bool own_write_is_kept(const Op& read) const;
  std::size_t own_part(const Op& read) const;
  bool own_appends_are_kept(const Op& read) const;
  bool is_fixed(const Op& read) const;
  bool keeps(const Op& read) const;
  bool keeps_match(const Op& read) const;
  bool keeps_exclusion(const Op& read) const;
  bool keeps_refusal(const Op& refused) const;
  bool may_miss(KeyId key, const PredicateView& selected) const;

  const History& whole_;
  const Choice choice_;
  const RealTime time_;
  HistoryBuilder builder_;
  history::Copier copier_;
  Part part_;
  std::vector<std::uint8_t> is_read_;  // by key, in a way that makes its writes matter
  std::vector<std::uint8_t> is_used_;  // by key, in the part
  // Of versions that were read, or where most is kept, of those that lost a write.
  std::unordered_map<Version, Fate, VersionHash> fates_;
  // Of keys of which it matters what was not read.
  std::unordered_map<std::uint32_t, KeyWrites> writes_;
  TxnId txn_;  // that is being copied
  // Its operations so far that write a key, by key.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> own_;
  std::vector<Value> elements_;
  std::vector<Row> rows_;
};

bool Restrictor::keeps_most() const {
  std::size_t kept = 0;
  for (std::size_t t = 0; t < whole_.txn_count(); ++t) {
    if (is_kept(TxnId::at(t))) kept += whole_.ops(TxnId::at(t)).size();
  }
  return kept > whole_.op_count() / 2;
}

void Restrictor::collect_lost() {
  for (std::size_t t = 0; t < whole_.txn_count(); ++t) {
    const std::span<const Op> ops = whole_.ops(TxnId::at(t));
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      if (!ops[i].is_write() || is_kept(TxnId::at(t), i)) continue;
      fates_[{ops[i].key, ops[i].value}];
    }
  }
}

void Restrictor::collect_reads() {
  const bool by_reads = !keeps_most();
  if (!by_reads) collect_lost();
  for (std::size_t t = 0; t < whole_.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (!is_kept(txn)) continue;
    for (const Op& op : whole_.ops(txn)) {
      const bool is_refused = whole_.is_refused_insert(op);
      if (op.is_write() || (op.kind == OpKind::kReadUnknown && !is_refused)) continue;
      is_read_[op.key.raw()] = 1;
      if (op.is_partial() || is_refused) {
        writes_[op.key.raw()];
      } else if (by_reads && op.kind == OpKind::kRead) {
        if (!op.value.is_null()) fates_[{op.key, op.value}];
      } else if (by_reads) {
        for (const Value element : whole_.list(op)) fates_[{op.key, element}];
      }
    }
    for (const Selection& selection : whole_.selections(txn)) {
      for (const Op& row : whole_.ops(txn).subspan(selection.first, selection.rows)) {
        writes_[row.key.raw()];
      }
    }
  }
}

void Restrictor::add(bool kept, TxnId writer, Fate& fate) const {
  const bool aborted = whole_.status(writer) == TxnStatus::kAborted;
  bool& what = kept ? fate.kept : aborted ? fate.lost_aborted : fate.lost;
  what = true;
  if (kept || aborted) return;
  fate.first_lost_start = std::min(fate.first_lost_start, whole_.times(writer).start);
}

void Restrictor::collect_writes() {
  for (std::size_t t = 0; t < whole_.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const bool aborted = whole_.status(txn) == TxnStatus::kAborted;
    const std::span<const Op> ops = whole_.ops(txn);
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      if (!ops[i].is_write() || is_read_[ops[i].key.raw()] == 0) continue;
      const bool kept = is_kept(txn, i);
      const auto fate = fates_.find({ops[i].key, ops[i].value});
      if (fate != fates_.end()) {
        add(kept, txn, fate->second);
      }
      const auto writes = writes_.find(ops[i].key.raw());
      if (writes == writes_.end()) continue;
      if (kept) {
        writes->second.kept.push_back(ops[i].value);
        if (!aborted) writes->second.visible.push_back(ops[i].value);
      } else if (!aborted) {
        writes->second.lost.push_back({ops[i].value, whole_.times(txn).start});
      } else {
        writes->second.lost_aborted.push_back(ops[i].value);
      }
    }
  }
}

/// A writer that started then cannot be the transaction's source.
bool Restrictor::is_too_late(std::int64_t start) const {
  if (!time_.binds || whole_.status(txn_) != TxnStatus::kCommitted) return false;
  const std::int64_t end = whole_.times(txn_).end;
  // Unknown starts are smaller than all others. The difference of the two may need 65 bits.
  if (end == kNoTime || start <= end) return false;
  return static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(end) >
         static_cast<std::uint64_t>(time_.clock_error_ns);
}

/// A read of such a version may have lost its source.
bool Restrictor::is_lost(const Fate& fate) const {
  if (fate.lost && !is_too_late(fate.first_lost_start)) return true;
  // Non-sources may go while some writer is left: reading an unwritten value is another
  // anomaly.
  return fate.is_touched() && !fate.kept;
}

/// The transaction's last write of the key so far. REQUIRES: there is one.
bool Restrictor::own_write_is_kept(const Op& read) const {
  return is_kept(txn_, own_.at(read.key.raw()).back());
}

/// How many elements at the end of the list are the transaction's own appends so far; none when
/// the list does not end in them.
std::size_t Restrictor::own_part(const Op& read) const {
  const auto own = own_.find(read.key.raw());
  if (own == own_.end()) return 0;
  const std::vector<std::uint32_t>& appends = own->second;
  const std::span<const Value> list = whole_.list(read);
  const std::span<const Op> ops = whole_.ops(txn_);
  const bool ends_in_them =
      appends.size() <= list.size() &&
      std::equal(appends.begin(), appends.end(),
                 list.end() - static_cast<std::ptrdiff_t>(appends.size()),
                 [&](std::uint32_t op, Value element) { return ops[op].value == element; });
  return ends_in_them ? appends.size() : 0;
}

bool Restrictor::own_appends_are_kept(const Op& read) const {
  const auto own = own_.find(read.key.raw());
  return own == own_.end() || std::all_of(own->second.begin(), own->second.end(),
                                          [&](std::uint32_t op) { return is_kept(txn_, op); });
}

bool Restrictor::is_fixed(const Op& read) const {
  const auto op = static_cast<std::size_t>(&read - whole_.all_ops().data());
  return std::ranges::find(choice_.fixed, op) != choice_.fixed.end();
}

/// Whether a read of a register means the same in the part.
bool Restrictor::keeps(const Op& read) const {
  if (own_.contains(read.key.raw())) return own_write_is_kept(read);
  return read.value.is_null() || !is_lost(fate_of({read.key, read.value}));
}

/// The selection would miss a row of the key if it left it out.
bool Restrictor::may_miss(KeyId key, const PredicateView& selected) const {
  if (whole_.selects(selected, whole_.initial(key))) return true;
  return std::ranges::any_of(writes_.at(key.raw()).visible,
                             [&](Value value) { return whole_.selects(selected, value); });
}

/// Whether a read of a row in part means the same: it has lost none of its possible sources,
/// and not all of those who wrote what fits.
bool Restrictor::keeps_match(const Op& read) const {
  if (is_fixed(read)) return true;
  if (own_.contains(read.key.raw())) return own_write_is_kept(read);
  const KeyWrites& writes = writes_.at(read.key.raw());
  // Which sums an increment may have is up to all writes of the key.
  const bool lost_none = writes.lost.empty() && writes.lost_aborted.empty();
  if (whole_.open_numbers(read.key) != nullptr && !lost_none) return false;
  const auto fits = [&](Value value) { return whole_.fits(read, value); };
  const auto is_lost = [&](const LostWrite& write) { return fits(write.value); };
  const bool lost_source = std::any_of(
      writes.lost.begin(), writes.lost.end(),
      [&](const LostWrite& write) { return is_lost(write) && !is_too_late(write.start); });
  if (lost_source) return false;
  const bool lost_any =
      std::any_of(writes.lost.begin(), writes.lost.end(), is_lost) ||
      std::any_of(writes.lost_aborted.begin(), writes.lost_aborted.end(), fits);
  return !lost_any || fits(Value()) ||
         std::any_of(writes.kept.begin(), writes.kept.end(), fits);
}

bool Restrictor::keeps_exclusion(const Op& read) const {
  if (is_fixed(read)) return true;
  if (own_.contains(read.key.raw())) return own_write_is_kept(read);
  const PredicateView excluded = whole_.predicate(read);
  if (!may_miss(read.key, excluded)) return true;
  const std::vector<LostWrite>& lost = writes_.at(read.key.raw()).lost;
  return std::all_of(lost.begin(), lost.end(), [&](const LostWrite& write) {
    return whole_.selects(excluded, write.value) || is_too_late(write.start);
  });
}

/// Whether all rows that may have refused the insert are kept. Of a list it says nothing, but
/// reads that make a key a list may go.
bool Restrictor::keeps_refusal(const Op& refused) const {
  if (is_fixed(refused)) return true;
  if (whole_.is_list(refused.key)) return false;
  const std::vector<LostWrite>& lost = writes_.at(refused.key.raw()).lost;
  return std::ranges::all_of(lost,
                             [](const LostWrite& write) { return write.value.is_dead(); });
}

void Restrictor::copy_list(const Op& op) {
  const std::size_t own = own_part(op);
  if (own == 0 && !own_appends_are_kept(op)) return;
  const std::span<const Value> list = whole_.list(op);
  elements_.clear();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Fate fate = fate_of({op.key, list[i]});
    if (!fate.is_touched()) {
      elements_.push_back(list[i]);
    } else if (fate.kept || i + own + 1 == list.size()) {
      return;
    } else {
      part_.lists_are_shorter = true;
    }
  }
  is_used_[op.key.raw()] = 1;
  if (!whole_.lacks_initial_list(op)) {
    const std::span<const Value> first = whole_.initial_list(op.key);
    elements_.insert(elements_.begin(), first.begin(), first.end());
  } else {
    std::erase(elements_, Value::null());
  }
  copier_.read_list(copier_.key(op.key), elements_);
}

void Restrictor::copy_op(const Op& op) {
  if (op.kind == OpKind::kReadList) return copy_list(op);
  if (op.kind == OpKind::kRead && !keeps(op)) return;
  if (op.kind == OpKind::kReadExcept && !keeps_exclusion(op)) return;
  if (op.kind == OpKind::kReadMatch && !keeps_match(op)) return;
  if (whole_.is_refused_insert(op) && !keeps_refusal(op)) return;
  is_used_[op.key.raw()] = 1;
  copier_.op(op, copier_.key(op.key));
}

/// `read`: of one whose sum is not known.
void Restrictor::copy_increment(const Op& read) {
  const auto op = static_cast<std::uint32_t>(&read - whole_.all_ops().data());
  const std::span<const Increment> all = whole_.increments();
  const auto increment = std::ranges::lower_bound(all, op, {}, &Increment::op);
  ISOLDE_CHECK(increment != all.end() && increment->op == op);
  is_used_[read.key.raw()] = 1;
  builder_.increment(copier_.key(read.key), increment->by);
}

/// An aggregate stays where all that may have been counted does; with one version missing its
/// result says nothing.
void Restrictor::copy_aggregate(const Selection& selection, std::span<const Op> items) {
  for (const Op& item : items) {
    const auto writes = writes_.find(item.key.raw());
    if (writes != writes_.end() && !writes->second.lost.empty()) return;
    if (const auto own = own_.find(item.key.raw()); own != own_.end()) {
      const auto is_lost = [&](std::uint32_t op) { return !is_kept(txn_, op); };
      if (std::any_of(own->second.begin(), own->second.end(), is_lost)) return;
    }
  }
  for (const Op& item : items) is_used_[item.key.raw()] = 1;
  builder_.aggregate(copier_.predicate(whole_.predicates()[selection.predicate]),
                     copier_.aggregate(*whole_.aggregate(selection)));
}

/// `ops`: its rows and the keys that it left out.
void Restrictor::copy_selection(const Selection& selection, std::span<const Op> ops) {
  const PredicateView selected = whole_.predicates()[selection.predicate];
  std::vector<const Op*> kept;
  std::vector<KeyId> used;
  bool says_something = false;
  for (const Op& op : ops) {
    const bool is_row = !op.is_exclusion();
    if (is_row && (op.kind == OpKind::kReadMatch ? keeps_match(op) : keeps(op))) {
      kept.push_back(&op);
      used.push_back(op.key);
    } else if (may_miss(op.key, selected)) {
      if (is_row || !keeps_exclusion(op)) return;
      says_something = true;
      used.push_back(op.key);
    }
  }
  if (kept.empty() && !says_something) return;
  for (const KeyId key : used) is_used_[key.raw()] = 1;
  part_.rows_are_missing = part_.rows_are_missing || kept.size() < selection.rows;
  // Only now: a key of a selection that goes must get no number, or the part of the part would
  // have others, and a proof names keys by number.
  rows_.clear();
  for (const Op* const op : kept) {
    rows_.push_back(copier_.selected(*op, copier_.key(op->key)));
  }
  builder_.select(copier_.predicate(selected), rows_);
  builder_.set_lock(selection.lock);
}

void Restrictor::copy(TxnId txn) {
  txn_ = txn;
  own_.clear();
  copier_.begin_txn(txn);
  if (whole_.label(txn).is_null())
    builder_.set_label(builder_.string(history::exact_txn_name(whole_, txn)));
  part_.txns.push_back(txn);
  const std::span<const Op> ops = whole_.ops(txn);
  const std::span<const Selection> selections = whole_.selections(txn);
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < ops.size();) {
    while (next < selections.size() && selections[next].end() <= i) {  // empty ones
      if (selections[next].is_aggregate()) copy_aggregate(selections[next], {});
      ++next;
    }
    if (next < selections.size() && selections[next].first == i) {
      const Selection& selection = selections[next++];
      if (is_kept(txn, i) && selection.is_aggregate()) {
        copy_aggregate(selection, ops.subspan(i, selection.absents));
      } else if (is_kept(txn, i)) {
        copy_selection(selection, ops.subspan(i, selection.rows + selection.absents));
      }
      i = selection.end();
      continue;
    }
    if (whole_.open_increments() > 0 && whole_.is_of_any_number(ops[i])) {
      if (is_kept(txn, i)) copy_increment(ops[i]);
      own_[ops[i].key.raw()].push_back(i + 1);
      i += 2;
      continue;
    }
    if (is_kept(txn, i)) copy_op(ops[i]);
    if (ops[i].is_write()) own_[ops[i].key.raw()].push_back(i);
    ++i;
  }
  for (; next < selections.size(); ++next) {
    if (selections[next].is_aggregate()) copy_aggregate(selections[next], {});
  }
}

/// Of the keys that the part uses, and of those that its selections would otherwise miss.
void Restrictor::copy_initial() {
  if (!whole_.has_initial_contents()) return;
  for (std::size_t k = 0; k < whole_.key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    if (is_used_[k] != 0 && whole_.has_initial(key)) copier_.initial(key, copier_.key(key));
  }
}

/// What happened while the part ran, its beginnings and ends.
void Restrictor::copy_events() {
  if (whole_.events().empty()) return;
  std::int64_t begin = kNoTime;
  std::int64_t end = kNoTime;
  for (const TxnId txn : part_.txns) {
    const TxnTimes times = whole_.times(txn);
    for (const std::int64_t time : {times.start, times.end}) {
      if (time == kNoTime) continue;
      begin = begin == kNoTime ? time : std::min(begin, time);
      end = std::max(end, time);
    }
  }
  if (begin == kNoTime) return;
  std::vector<std::uint8_t> kept(whole_.events().size(), 0);
  for (const history::EventSpan& span : history::event_spans(whole_)) {
    if (!span.overlaps(whole_, begin, end)) continue;
    kept[span.first] = 1;
    if (span.last) kept[*span.last] = 1;
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] != 0) copier_.event(whole_.events()[i]);
  }
}

Part Restrictor::run(const std::vector<std::string>& notes) {
  collect_reads();
  collect_writes();
  builder_.origin() = whole_.origin();
  std::vector<std::string>& all_notes = builder_.origin().notes;
  all_notes.insert(all_notes.end(), notes.begin(), notes.end());
  builder_.origin().failed_ops.clear();
  for (std::size_t t = 0; t < whole_.txn_count(); ++t) {
    if (!is_kept(TxnId::at(t))) continue;
    copy(TxnId::at(t));
    const auto failed = whole_.origin().failed_ops.find(t);
    if (failed == whole_.origin().failed_ops.end()) continue;
    builder_.origin().failed_ops[builder_.txn_count() - 1] = failed->second;
  }
  copy_initial();
  copy_events();
  Result<History> history = builder_.finish();
  ISOLDE_CHECK(history.ok());
  part_.history = std::move(history).value();
  return std::move(part_);
}

}  // namespace

RealTime RealTime::of(Level level, std::int64_t clock_error_ns) {
  const LevelInfo& about = info(level);
  const bool orders_reads =
      about.base != BaseLevel::kReadUncommitted && about.base != BaseLevel::kMixed;
  return {needs_times(about) && orders_reads, clock_error_ns};
}

Part restrict(const History& whole, const Choice& choice, RealTime time,
              const std::vector<std::string>& notes) {
  return Restrictor(whole, choice, time).run(notes);
}

}  // namespace isolde::minimize
