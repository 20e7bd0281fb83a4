// Increments. One whose sum is known is a read of what it found and a write of the sum, and
// whatever decides of reads and writes decides of it. So is one whose sum follows from what its
// own transaction did before or read afterwards.
//
// Where it stays open, the sum is some number that the key can hold. The write then has a value
// that nothing else is equal to, the increment's own read is one of which nothing is known, and
// each other read of the key is a partial read: of a version with its number, or of one whose
// number is open and may be that one. So the history as it is built allows whatever it allows
// with some sums (History::with_sums()), and perhaps more: what it refutes is refuted, and what
// holds is tried with sums (check/sums.hpp).
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/assert.hpp"
#include "history/builder_state.hpp"
#include "history/copier.hpp"

namespace isolde {
namespace {

__extension__ using Wide = __int128;

bool fits_62_bits(Wide number) {
  return number >= Value::kIntegerMin && number <= Value::kIntegerMax;
}

std::int64_t clamped(Wide number) {
  return static_cast<std::int64_t>(
      std::clamp(number, Wide{Value::kIntegerMin}, Wide{Value::kIntegerMax}));
}

bool is_integer(Value value) { return value.kind() == Value::Kind::kInteger; }

/// No number, and so no value of a key that holds numbers.
std::string open_text(std::size_t number, std::int64_t by) {
  return std::string("? ") + (by < 0 ? "- " : "+ ") + std::to_string(by < 0 ? -by : by) +
         " (#" + std::to_string(number) + ")";
}

Predicate of_no_value() {
  Predicate none;
  none.values = Predicate::Bounds{1, 0};
  return none;
}

/// What the increments of a history say, and of which keys; for HistoryBuilder::finish().
class Sums {
 public:
  Sums(std::size_t key_count, std::vector<Op>& ops, std::vector<Increment>& increments)
      : ops_(ops), increments_(increments), counts_(key_count) {
    for (const Increment& each : increments) counts_[ops[each.op].key.raw()] = true;
  }

  bool counts(KeyId key) const { return counts_[key.raw()]; }

  /// Finds the sums that follow from the operations of their own transaction, which are those
  /// from `begin` up to `end`. False where one is no integer of 62 bits.
  bool close(std::size_t begin, std::size_t end);

 private:
  /// The transaction's own last version of a key.
  struct Own {
    std::optional<std::int64_t> number;
    std::vector<std::size_t> open;  ///< increments that it rests on, the last one last
  };

  bool settle(std::size_t increment, Wide sum);
  bool settle(Own& own, std::int64_t number);
  bool add(std::size_t increment, Own& own);

  std::vector<Op>& ops_;
  std::vector<Increment>& increments_;
  std::vector<bool> counts_;  // by key
  std::size_t next_ = 0;      // of increments_
};

bool Sums::settle(std::size_t increment, Wide sum) {
  Increment& each = increments_[increment];
  if (!fits_62_bits(sum) || !fits_62_bits(sum - each.by)) return false;
  each.is_known = true;
  Op& read = ops_[each.op];
  read.kind = OpKind::kRead;
  read.value = Value::integer(static_cast<std::int64_t>(sum - each.by));
  ops_[each.op + 1].value = Value::integer(static_cast<std::int64_t>(sum));
  return true;
}

/// The own version turns out to be that number.
bool Sums::settle(Own& own, std::int64_t number) {
  Wide sum = number;
  for (; !own.open.empty(); own.open.pop_back()) {
    const std::size_t last = own.open.back();
    if (!settle(last, sum)) return false;
    sum -= increments_[last].by;
  }
  own.number = number;
  return true;
}

bool Sums::add(std::size_t increment, Own& own) {
  const Increment& each = increments_[increment];
  if (each.is_known) {
    const std::int64_t found = ops_[each.op].value.as_integer();
    if (!own.open.empty() && !settle(own, found)) return false;
    own = {ops_[each.op + 1].value.as_integer(), {}};
    return true;
  }
  if (!own.number) {
    own.open.push_back(increment);
    return true;
  }
  const Wide sum = Wide{*own.number} + each.by;
  if (!settle(increment, sum)) return false;
  own.number = static_cast<std::int64_t>(sum);
  return true;
}

bool Sums::close(std::size_t begin, std::size_t end) {
  std::map<std::uint32_t, Own> own;
  for (std::size_t at = begin; at < end; ++at) {
    const Op& op = ops_[at];
    if (next_ < increments_.size() && increments_[next_].op == at) {
      if (!add(next_++, own[op.key.raw()])) return false;
      ++at;
      continue;
    }
    if (!counts(op.key)) continue;
    if (op.is_write()) {
      own[op.key.raw()] = {op.value.as_integer(), {}};
    } else if (op.kind == OpKind::kRead && is_integer(op.value)) {
      const auto known = own.find(op.key.raw());
      if (known == own.end() || known->second.open.empty()) continue;
      if (!settle(known->second, op.value.as_integer())) return false;
    }
  }
  return true;
}

}  // namespace

bool History::may_be_sum(KeyId key, Value written, Value number) const {
  const Predicate::Bounds* const numbers = open_numbers(key);
  return numbers != nullptr && written.kind() == Value::Kind::kString &&
         numbers->contain(number);
}

void HistoryBuilder::increment(KeyId key, std::int64_t by, std::optional<std::int64_t> sum) {
  State& state = *state_;
  const bool is_small =
      fits_62_bits(by) && (!sum || (fits_62_bits(*sum) && fits_62_bits(Wide{*sum} - by)));
  if (!is_small) {
    state.fail("what is added, and the numbers before and after, are integers of 62 bits");
    by = 0;
    sum = 0;
  }
  state.use(key, history::KeyUse::kRegister);
  // Who does not know increments must not read on.
  state.history.origin_.rows_are_deleted = true;
  state.history.increments_.push_back(
      {static_cast<std::uint32_t>(state.history.ops_.size()), by, sum.has_value()});
  if (sum) {
    state.add({Value::integer(*sum - by), key, OpKind::kRead});
    state.add({Value::integer(*sum), key, OpKind::kWrite});
  } else {
    state.add({Value::from_bits(state.slot_of(of_no_value())), key, OpKind::kReadExcept});
    state.add({Value::integer(0), key, OpKind::kWrite});  // until finish() knows more
  }
}

void HistoryBuilder::hold_open(KeyId key, const Predicate::Bounds& numbers) {
  state_->held_open.emplace_back(key, numbers);
}

/// Keys of numbers hold nothing else, and what they hold at the start is one, too. Then sums
/// that follow are filled in, and reads of keys with others are opened.
void HistoryBuilder::State::settle_increments() {
  std::vector<Increment>& increments = history.increments_;
  if (increments.empty() && held_open.empty()) return;
  std::vector<Op>& ops = history.ops_;
  Sums sums(history.keys_.size(), ops, increments);
  const auto refuse = [&](KeyId key, const char* what) {
    fail("key " + history.json(history.keys_[key.raw()]) + " is incremented, and " + what);
  };
  std::vector<bool> has_initial(history.keys_.size(), false);
  for (const Initial& each : initial) {
    has_initial[each.key.raw()] = true;
    if (!sums.counts(each.key)) continue;
    if (!is_integer(each.value)) refuse(each.key, "begins with something else than a number");
  }
  const std::vector<bool> is_given = has_initial;
  for (const Increment& each : increments) {
    const KeyId key = ops[each.op].key;
    if (!has_initial[key.raw()]) initial.push_back({key, Value::integer(0), {}});
    has_initial[key.raw()] = true;
  }
  for (Op& op : ops) {
    if (!sums.counts(op.key)) continue;
    if (op.kind == OpKind::kRead && op.value.is_null() && !is_given[op.key.raw()]) {
      op.value = Value::integer(0);
    }
    if (op.is_delete()) refuse(op.key, "deleted; Isolde does not decide what that means");
    const bool has_value = op.is_write() || (op.kind == OpKind::kRead && !op.value.is_null());
    if (has_value && !is_integer(op.value) && !op.is_delete()) {
      refuse(op.key, "holds something else than integers of 62 bits");
    }
  }
  if (!status.ok()) return;
  for (std::size_t txn = 0; txn + 1 < history.op_begin_.size(); ++txn) {
    if (!sums.close(history.op_begin_[txn], history.op_begin_[txn + 1])) {
      return fail("the numbers of an increment's key leave 62 bits");
    }
  }
  open_numbers();
}

void HistoryBuilder::State::open_numbers() {
  std::vector<Op>& ops = history.ops_;
  constexpr Predicate::Bounds kClosed{1, 0};
  std::vector<Predicate::Bounds>& open = history.key_open_;
  const auto open_key = [&](KeyId key) -> Predicate::Bounds& {
    open.resize(history.keys_.size(), kClosed);
    return open[key.raw()];
  };
  std::size_t number = 0;
  for (const Increment& each : history.increments_) {
    if (each.is_known) continue;
    open_key(ops[each.op].key) = {};
    const std::string text = open_text(++number, each.by);
    ops[each.op + 1].value = pooled(Value::Kind::kString, text);
  }
  history.open_increments_ = number;
  if (number > 0) bound_sums();
  for (const auto& [key, numbers] : held_open) open_key(key) = numbers;
  if (open.empty()) return;
  for (Op& op : ops) {
    if (op.kind != OpKind::kRead || !is_integer(op.value)) continue;
    if (history.open_numbers(op.key) == nullptr) continue;
    Predicate whole;
    whole.equal = op.value;
    op = {Value::from_bits((History::kNoRow << 32) | slot_of(whole)), op.key,
          OpKind::kReadMatch};
  }
  for (const Asked& each : asked) {
    for (std::size_t k = 0; k < open.size(); ++k) {
      const KeyId key = KeyId::at(k);
      if (history.open_numbers(key) == nullptr) continue;
      if (!history.predicates_[each.predicate].selects_key(history.keys_[k])) continue;
      return fail("a selection or an aggregate covers key " + history.json(history.keys_[k]) +
                  ", which an increment with unknown result changed; Isolde does not decide "
                  "what it saw");
    }
  }
}

/// An open sum is a number that somebody wrote, or that was there at the start, and what the
/// open increments between added to it, each at most once.
void HistoryBuilder::State::bound_sums() {
  struct Ends {
    bool any = false;
    Wide least = 0, most = 0, less = 0, more = 0;
    void take(std::int64_t number) {
      least = any ? std::min(least, Wide{number}) : Wide{number};
      most = any ? std::max(most, Wide{number}) : Wide{number};
      any = true;
    }
  };
  std::vector<Ends> ends(history.keys_.size());
  for (const Initial& each : initial) {
    if (is_integer(each.value)) ends[each.key.raw()].take(each.value.as_integer());
  }
  for (const Op& op : history.ops_) {
    if (op.is_write() && is_integer(op.value)) ends[op.key.raw()].take(op.value.as_integer());
  }
  std::size_t txn = 0;
  for (const Increment& each : history.increments_) {
    while (history.op_begin_[txn + 1] <= each.op) ++txn;
    if (each.is_known || history.txn_status_[txn] == TxnStatus::kAborted) continue;
    Ends& key = ends[history.ops_[each.op].key.raw()];
    (each.by < 0 ? key.less : key.more) += each.by;
  }
  for (std::size_t k = 0; k < ends.size(); ++k) {
    if (history.open_numbers(KeyId::at(k)) == nullptr) continue;
    ISOLDE_ASSERT(ends[k].any);
    history.key_open_[k] = {clamped(ends[k].least + ends[k].less),
                            clamped(ends[k].most + ends[k].more)};
  }
}

Result<History> History::with_sums(std::span<const std::int64_t> sums) const {
  if (sums.size() != open_increments_) {
    return Error{ErrorCode::kBadInput, "there are " + std::to_string(sums.size()) +
                                           " sums and " + std::to_string(open_increments_) +
                                           " increments with unknown result"};
  }
  HistoryBuilder builder;
  history::Copier copier(*this, builder);
  builder.origin() = origin_;
  for (const std::string& name : session_names_) builder.session(name);
  for (std::size_t k = 0; k < key_count(); ++k) {
    const KeyId key = copier.key(KeyId::at(k));
    copier.initial(KeyId::at(k), key);
    if (is_list(KeyId::at(k))) builder.holds_list(key);
  }
  auto increment = increments_.begin();
  std::size_t next_sum = 0;
  std::vector<Row> rows;
  for (std::size_t t = 0; t < txn_count(); ++t) {
    copier.begin_txn(TxnId::at(t));
    const std::span<const Op> ops = this->ops(TxnId::at(t));
    std::span<const Selection> selections = this->selections(TxnId::at(t));
    for (std::uint32_t at = 0; at < ops.size() || !selections.empty();) {
      if (!selections.empty() && selections.front().first == at) {
        const Selection& selection = selections.front();
        const Predicate predicate = copier.predicate(predicates_[selection.predicate]);
        rows.clear();
        for (const Op& op : ops.subspan(at, selection.rows)) {
          rows.push_back(copier.selected(op, copier.key(op.key)));
        }
        const Aggregate* const computed = aggregate(selection);
        computed == nullptr ? builder.select(predicate, rows)
                            : builder.aggregate(predicate, copier.aggregate(*computed));
        builder.set_lock(selection.lock);
        at = selection.end();
        selections = selections.subspan(1);
        continue;
      }
      if (increment != increments_.end() && increment->op == first_op(TxnId::at(t)) + at) {
        const Op& write = ops[at + 1];
        const std::int64_t sum =
            increment->is_known ? write.value.as_integer() : sums[next_sum++];
        const Predicate::Bounds* const numbers = open_numbers(write.key);
        if (!increment->is_known && !numbers->contain(Value::integer(sum))) {
          return Error{ErrorCode::kBadInput, "the sum " + std::to_string(sum) +
                                                 " is none that key " +
                                                 json(key_name(write.key)) + " can hold"};
        }
        builder.increment(copier.key(write.key), increment->by, sum);
        ++increment;
        at += 2;
        continue;
      }
      const KeyId key = copier.key(ops[at].key);
      is_refused_insert(ops[at]) ? builder.insert_refused(key) : copier.op(ops[at], key);
      ++at;
    }
  }
  Result<History> told = builder.finish();
  if (!told.ok() || !has_refused_inserts()) return told;
  // The same are reads as here: only with_current_reads() may read some row of numbers.
  std::vector<bool> are_read;
  for (const std::uint32_t place : refused_inserts_) {
    are_read.push_back(ops_[place].kind == OpKind::kReadMatch);
  }
  return told->with_refused_inserts_read(are_read);
}

}  // namespace isolde
