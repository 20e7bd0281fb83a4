// A finding proves a violation by one or two reads that no execution can explain. Each kind is
// checked literally, by going through the whole history. All but the non-repeatable read
// violate every level of the table: each level asks that an external read returns a state that
// committed transactions left behind, and that a transaction sees its own writes.
//
// "Kept" below means committed or indeterminate: not surely undone. COST: linear.
#include <algorithm>
#include <optional>

#include "base/assert.hpp"
#include "certify/external_reads.hpp"
#include "certify/facts.hpp"
#include "certify/own_level.hpp"
#include "certify/sum_range.hpp"

namespace isolde::certify {
namespace {

constexpr const char* kNotByOther = "the other transaction it names did not write the value";

class FindingCheck {
 public:
  FindingCheck(const History& history, const LevelInfo& level, std::int64_t clock_error_ns,
               const Finding& finding)
      : history_(history),
        level_(level),
        clock_error_ns_(clock_error_ns),
        finding_(finding),
        reader_(finding.txn) {}

  Objection run();

 private:
  /// A write of the value that the finding is about.
  struct Writer {
    TxnId txn;
    std::uint32_t op = 0;
  };

  bool kept(TxnId txn) const { return history_.status(txn) != TxnStatus::kAborted; }
  bool took_effect(TxnId txn) const {
    return history_.status(txn) == TxnStatus::kCommitted ||
           Facts(history_, rules(level_).absent_rows).certain(txn);
  }
  /// External part of the read, or nothing when it contradicts the transaction's own writes.
  std::optional<ExternalRead> external(TxnId txn, std::uint32_t op) const;
  /// Every operation of every transaction that writes to the key what the read can have found:
  /// value_, or what fits a row that it read in part.
  std::vector<Writer> possible_writers() const;
  /// What the transaction wrote last to the key of the read.
  std::optional<Value> final_write(TxnId txn) const;
  bool is_it(Value written) const;

  Objection find_read();
  Objection find_value();
  Objection internal() const;
  Objection aborted_read() const;
  Objection intermediate_read() const;
  Objection intermediate_element() const;
  Objection future_read() const;
  Objection unwritten_read() const;
  Objection non_repeatable_read() const;
  Objection share_no_version(const ExternalRead& one, const ExternalRead& two) const;
  Objection incompatible_order() const;
  Objection duplicate_element() const;
  Objection unselected_row() const;
  Objection impossible_sum() const;

  const History& history_;
  const LevelInfo& level_;
  const std::int64_t clock_error_ns_;
  const Finding& finding_;
  const TxnId reader_;
  Op read_;                      // the read
  std::span<const Value> list_;  // what it returned, for a list
  Value value_;                  // the value or element that the finding is about
};

std::optional<ExternalRead> FindingCheck::external(TxnId txn, std::uint32_t op) const {
  ReadSplitter splitter(history_, rules(level_).absent_rows);
  splitter.split(txn);
  for (const ExternalRead& read : splitter.external()) {
    if (read.op == op) return read;
  }
  return std::nullopt;
}

bool FindingCheck::is_it(Value written) const {
  return read_.is_partial() ? history_.fits(read_, written) : written == value_;
}

std::vector<FindingCheck::Writer> FindingCheck::possible_writers() const {
  std::vector<Writer> writers;
  for (std::size_t i = 0; i < history_.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    const std::span<const Op> ops = history_.ops(txn);
    for (std::uint32_t at = 0; at < ops.size(); ++at) {
      if (ops[at].is_write() && ops[at].key == read_.key && is_it(ops[at].value)) {
        writers.push_back({txn, at});
      }
    }
  }
  return writers;
}

std::optional<Value> FindingCheck::final_write(TxnId txn) const {
  std::optional<Value> last;
  for (const Op& op : history_.ops(txn)) {
    if (op.is_write() && op.key == read_.key) last = op.value;
  }
  return last;
}

Objection FindingCheck::find_read() {
  if (!exists(history_, reader_)) return "the finding names " + name_of(history_, reader_);
  if (finding_.op >= history_.ops(reader_).size()) return "there is no such operation";
  read_ = history_.ops(reader_)[finding_.op];
  if (!read_.is_read() && !read_.is_partial()) {
    return "the operation is not a read with a known result";
  }
  if (!took_effect(reader_)) return name_of(history_, reader_) + " may not have taken effect";
  if (read_.kind == OpKind::kReadList) list_ = history_.list(read_);
  return kNoObjection;
}

/// For the kinds that are about one value: the one the read returned, or one element of a list.
Objection FindingCheck::find_value() {
  if (history_.origin().values_repeat) {
    return "the history is cut off and its values repeat: the missing end may have written "
           "this one";
  }
  if (read_.is_partial() && history_.fits_initial(read_)) {
    return "what the read returned is not known";
  }
  if (read_.is_partial()) {
    return history_.origin().truncated
               ? "the history is cut off: the missing end may have written what the read found"
               : kNoObjection;
  }
  if (read_.kind == OpKind::kRead) {
    value_ = read_.value;
    return value_.is_null() ? "the read returned the initial value" : kNoObjection;
  }
  if (finding_.element >= list_.size()) return "there is no such element";
  value_ = list_[finding_.element];
  return kNoObjection;
}

Objection FindingCheck::run() {
  if (rules(level_).test == Test::kLists) return "this level allows any single read";
  Objection objection = find_read();
  if (!objection.empty()) return objection;
  switch (finding_.kind) {
    case FindingKind::kInternal:
      return internal();
    case FindingKind::kNonRepeatableRead:
      return non_repeatable_read();
    case FindingKind::kIncompatibleOrder:
      return incompatible_order();
    case FindingKind::kUnselectedRow:
      return unselected_row();
    case FindingKind::kImpossibleNumber:
    case FindingKind::kImpossibleTotal:
      return impossible_sum();
    default:
      break;
  }
  objection = find_value();
  if (!objection.empty()) return objection;
  switch (finding_.kind) {
    case FindingKind::kAbortedRead:
      return aborted_read();
    case FindingKind::kIntermediateRead:
      return read_.kind != OpKind::kReadList ? intermediate_read() : intermediate_element();
    case FindingKind::kFutureRead:
      return future_read();
    case FindingKind::kUnwrittenRead:
      return unwritten_read();
    case FindingKind::kDuplicateElement:
      return duplicate_element();
    default:
      return "the kind of finding does not exist";
  }
}

/// ReadSplitter's rule: after own writes a register read returns the last of them, and a list
/// read ends with all of them.
Objection FindingCheck::internal() const {
  ReadSplitter splitter(history_, rules(level_).absent_rows);
  splitter.split(reader_);
  const std::vector<std::uint32_t>& wrong = splitter.inconsistent();
  if (std::find(wrong.begin(), wrong.end(), finding_.op) != wrong.end()) return kNoObjection;
  return "the read agrees with the transaction's own writes";
}

/// Adya's G1a: whoever wrote the value was undone.
Objection FindingCheck::aborted_read() const {
  bool named = false;
  for (const Writer& writer : possible_writers()) {
    if (kept(writer.txn)) {
      return name_of(history_, writer.txn) + " wrote the value and did not abort";
    }
    named = named || writer.txn == finding_.other;
  }
  return named ? kNoObjection : kNotByOther;
}

/// Adya's G1b for registers: whoever may have written the value replaced it before committing,
/// but for the reader itself, whose own writes come too late.
Objection FindingCheck::intermediate_read() const {
  bool named = false;
  const bool own_are_later = external(reader_, finding_.op).has_value();
  for (const Writer& writer : possible_writers()) {
    if (!kept(writer.txn)) continue;
    if (writer.txn == reader_ && own_are_later) continue;
    if (writer.txn == reader_) return "the transaction wrote the value itself";
    if (is_it(final_write(writer.txn).value())) {
      return name_of(history_, writer.txn) + " wrote the value last";
    }
    named = named || writer.txn == finding_.other;
  }
  return named ? kNoObjection : kNotByOther;
}

/// Adya's G1b for lists: the element is surely from `other`, whose appends all go to one place
/// in the list, together and in its program order; but they are not all there.
Objection FindingCheck::intermediate_element() const {
  const std::optional<ExternalRead> read = external(reader_, finding_.op);
  if (!read) return "the read contradicts the transaction's own appends";
  if (finding_.element >= read->list.size()) return "the element is the transaction's own";
  std::optional<Writer> source;
  for (const Writer& writer : possible_writers()) {
    if (!kept(writer.txn)) continue;
    if (source) return "the element was appended more than once";
    source = writer;
  }
  if (!source || source->txn != finding_.other || source->txn == reader_) {
    return kNotByOther;
  }
  std::vector<Value> block;
  std::size_t place = 0;
  const std::span<const Op> ops = history_.ops(source->txn);
  for (std::uint32_t at = 0; at < ops.size(); ++at) {
    if (!ops[at].is_write() || ops[at].key != read_.key) continue;
    if (at == source->op) place = block.size();
    block.push_back(ops[at].value);
  }
  ISOLDE_ASSERT(place < block.size() && block[place] == value_);
  if (place > finding_.element) return kNoObjection;
  const std::span<const Value> rest = read->list.subspan(finding_.element - place);
  if (rest.size() < block.size() || !std::equal(block.begin(), block.end(), rest.begin())) {
    return kNoObjection;
  }
  return "the read shows all appends of " + name_of(history_, source->txn);
}

Objection FindingCheck::future_read() const {
  bool later = false;
  for (const Writer& writer : possible_writers()) {
    if (!kept(writer.txn)) continue;
    if (writer.txn != reader_) return name_of(history_, writer.txn) + " wrote the value too";
    if (writer.op < finding_.op) return "the transaction had written the value before";
    later = true;
  }
  return later ? kNoObjection : "the transaction does not write the value later";
}

Objection FindingCheck::unwritten_read() const {
  if (history_.origin().truncated) {
    return "the history is cut off: the missing end may have written the value";
  }
  const std::vector<Writer> writers = possible_writers();
  return writers.empty() ? kNoObjection
                         : name_of(history_, writers.front().txn) + " wrote the value";
}

/// Not where each read may come from a state of its own.
Objection FindingCheck::non_repeatable_read() const {
  if (!own_rules(history_, level_, reader_).repeats()) {
    return "this level allows two reads of a key to differ";
  }
  if (finding_.other_op >= finding_.op) return "the other read is not an earlier one";
  const std::optional<ExternalRead> one = external(reader_, finding_.other_op);
  const std::optional<ExternalRead> two = external(reader_, finding_.op);
  if (!one || !two) return "one of the two is not a read from another transaction";
  if (one->key != two->key) return "the reads are of different keys";
  for (const ExternalRead* const read : {&*one, &*two}) {
    if (history_.ops(reader_)[read->op].kind == OpKind::kReadAbsent &&
        !own_rules(history_, level_, reader_).absent_rows) {
      return "at this level what a selection left out need not be what other reads returned";
    }
  }
  // Where a session need not know what others saw, each may have its own order.
  const bool own_reads_only = !rules(level_).session.all_reads;
  if (own_reads_only && history_.session_of(reader_) != history_.session_of(finding_.other)) {
    return "at this level two sessions may see different orders";
  }
  if (one->partial && two->partial) return share_no_version(*one, *two);
  if (one->partial || two->partial) {
    const ExternalRead& partial = one->partial ? *one : *two;
    const Value value = one->partial ? two->value : one->value;
    return partial.fits(history_, value) ? "the reads may have returned the same"
                                         : kNoObjection;
  }
  const bool same = one->value == two->value && std::equal(one->list.begin(), one->list.end(),
                                                           two->list.begin(), two->list.end());
  return same ? "the reads returned the same" : kNoObjection;
}

/// Of two partial reads: the key has no version that both can have returned. Those that it may
/// have are the initial one and the final writes of the others that did not abort.
Objection FindingCheck::share_no_version(const ExternalRead& one,
                                         const ExternalRead& two) const {
  if (history_.origin().truncated) {
    return "the history is cut off: the missing end may have written what both reads returned";
  }
  if (one.fits_initial(history_) && two.fits_initial(history_)) {
    return "both reads may have returned the initial value";
  }
  for (std::size_t i = 0; i < history_.txn_count(); ++i) {
    const TxnId writer = TxnId::at(i);
    if (writer == reader_ || !kept(writer)) continue;
    const std::optional<Value> left = final_write(writer);
    if (left && one.fits(history_, *left) && two.fits(history_, *left)) {
      return "both reads may have returned what " + name_of(history_, writer) + " wrote";
    }
  }
  return kNoObjection;
}

/// All states of a list in one execution are prefixes of the longest of them.
Objection FindingCheck::incompatible_order() const {
  if (!exists(history_, finding_.other)) {
    return "the finding names " + name_of(history_, finding_.other);
  }
  if (!took_effect(finding_.other)) {
    return name_of(history_, finding_.other) + " may not have taken effect";
  }
  const std::optional<ExternalRead> one = external(reader_, finding_.op);
  const std::optional<ExternalRead> two = external(finding_.other, finding_.other_op);
  if (!one || !two) return "one of the two is not a read from another transaction";
  if (one->key != two->key) return "the reads are of different keys";
  // Where a session need not know what others saw, each may have its own order.
  const bool own_reads_only = !rules(level_).session.all_reads;
  if (own_reads_only && history_.session_of(reader_) != history_.session_of(finding_.other)) {
    return "at this level two sessions may see different orders";
  }
  const std::size_t shared = std::min(one->list.size(), two->list.size());
  const bool prefix =
      std::equal(one->list.begin(), one->list.begin() + static_cast<std::ptrdiff_t>(shared),
                 two->list.begin());
  return prefix ? "one list is a prefix of the other" : kNoObjection;
}

/// An append adds one element, so a list cannot hold more copies than there were appends.
Objection FindingCheck::duplicate_element() const {
  if (read_.kind != OpKind::kReadList) return "the read is not of a list";
  const auto copies = std::count(list_.begin(), list_.end(), value_);
  std::ptrdiff_t appends = 0;
  for (const Writer& writer : possible_writers()) {
    if (kept(writer.txn)) ++appends;
  }
  if (copies < 2) return "the element is in the list only once";
  return copies > appends ? kNoObjection : "the element was appended that often";
}

/// A row is returned for its condition only.
Objection FindingCheck::unselected_row() const {
  for (const Selection& selection : history_.selections(reader_)) {
    if (finding_.op < selection.first || finding_.op >= selection.first + selection.rows) {
      continue;
    }
    return is_wrong_row(history_, reader_, finding_.op)
               ? kNoObjection
               : "the row matches what it was selected by";
  }
  return "the read is not a row of a selection";
}

/// More, or less, than was there and can have been added.
Objection FindingCheck::impossible_sum() const {
  const std::optional<SumRange> range =
      sum_range(history_, level_, clock_error_ns_, reader_, finding_.op,
                finding_.kind == FindingKind::kImpossibleTotal);
  if (!range) return "it is not known between which numbers the read lies";
  return range->explains() ? "increments can add up to what was read" : kNoObjection;
}

}  // namespace

Objection check_finding(const History& history, const LevelInfo& level,
                        std::int64_t clock_error_ns, const Finding& finding) {
  return FindingCheck(history, level, clock_error_ns, finding).run();
}

}  // namespace isolde::certify
