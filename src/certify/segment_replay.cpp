#include "certify/segment_replay.hpp"

#include <fnmatch.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "certify/level_rules.hpp"

namespace isolde::certify {
namespace {

/// What a segment's order cannot be about, a clause; empty: nothing. `counts(key)`: the key is
/// one that it is about.
template <typename Counts>
std::string not_replayed(const History& part, const Counts& counts) {
  if (part.has_selections()) return "selections";
  if (part.has_increments()) return "increments";
  if (part.has_refused_inserts()) return "refused inserts";
  if (part.origin().rows_are_deleted) return "rows with columns and rows that are deleted";
  for (const Op& op : part.all_ops()) {
    const bool is_known = op.kind == OpKind::kRead || op.kind == OpKind::kReadUnknown ||
                          (op.kind == OpKind::kReadMatch && !part.read_value(op).is_absent()) ||
                          part.found_nothing(op) || op.kind == OpKind::kReadList ||
                          op.kind == OpKind::kAppend ||
                          (op.kind == OpKind::kWrite && !op.value.is_absent());
    if (!is_known && counts(op.key)) return "other operations than reads and writes";
  }
  return {};
}

/// What was written or returned, which may be what the register held at the start or nothing.
Value value_of(const History& part, const Op& op) {
  if (op.kind == OpKind::kReadList) return Value();
  if (op.kind == OpKind::kReadMatch) return part.read_value(op);
  if (op.kind == OpKind::kReadExcept) return Value();
  return op.kind == OpKind::kRead ? part.seen(op) : op.value;
}

bool is_of_list(OpKind kind) { return kind == OpKind::kReadList || kind == OpKind::kAppend; }

std::string named(std::uint64_t number) { return "transaction " + std::to_string(number + 1); }

/// The letter keeps a string, a literal and an integer of the same digits apart.
std::string tagged(Value::Kind kind, std::int64_t integer, std::string_view text) {
  switch (kind) {
    case Value::Kind::kNull:
      return "n";
    case Value::Kind::kInteger:
      return "i" + std::to_string(integer);
    case Value::Kind::kString:
      return "s" + std::string(text);
    case Value::Kind::kLiteral:
      return "l" + std::string(text);
  }
  return {};
}

}  // namespace

SegmentReplay::SegmentReplay(Level level, std::int64_t clock_error_ns, bool initial_is_unknown,
                             std::string keys)
    : has_snapshots_(rules(info(level)).has_snapshot()),
      keeps_real_time_(info(level).real_time),
      forbids_concurrent_writers_(rules(info(level)).keeps_writers_apart),
      clock_error_ns_(clock_error_ns),
      initial_is_unknown_(initial_is_unknown),
      keys_(std::move(keys)) {
  ISOLDE_CHECK(proves(level));
}

bool SegmentReplay::proves(Level level) {
  return level == Level::kStrictSerializable || level == Level::kStrongSnapshotIsolation ||
         level == Level::kStrongPrefixConsistency ||
         level == Level::kStrongSessionSerializable ||
         level == Level::kStrongSessionSnapshotIsolation ||
         level == Level::kStrongSessionPrefixConsistency;
}

SegmentReplay::Held SegmentReplay::content(const History& history, Value value) {
  if (value.is_absent()) return {};
  if (value.kind() == Value::Kind::kInteger) return {value.kind(), value.as_integer(), {}};
  return {value.kind(), 0, std::string(history.pooled_text(value))};
}

bool SegmentReplay::counts(const History& history, KeyId key) const {
  if (keys_.empty()) return true;
  const Held name = content(history, history.key_name(key));
  const std::string text =
      name.kind == Value::Kind::kInteger ? std::to_string(name.integer) : name.text;
  return fnmatch(keys_.c_str(), text.c_str(), 0) == 0;
}

std::uint32_t SegmentReplay::register_of(const History& history, Value name) {
  const auto next = static_cast<std::uint32_t>(registers_.size());
  const Held told = content(history, name);
  std::uint32_t at = next;
  if (told.kind == Value::Kind::kInteger) {
    at = by_number_.try_emplace(told.integer, next).first->second;
  } else {
    at = by_name_.try_emplace(tagged(told.kind, 0, told.text), next).first->second;
  }
  if (at == next) {
    registers_.emplace_back().name = tagged(told.kind, told.integer, told.text);
    registers_.back().is_known = !initial_is_unknown_;
  }
  return at;
}

SegmentReplay::List SegmentReplay::extended(List list, const Held& element) {
  const std::string text = tagged(element.kind, element.integer, element.text);
  return {list.length + 1, XXH3_64bits_withSeed(text.data(), text.size(), list.chain)};
}

/// The list that begins so and goes on with these.
SegmentReplay::List SegmentReplay::list_of(List list, const History& history,
                                           std::span<const Value> elements) {
  for (const Value element : elements) list = extended(list, content(history, element));
  return list;
}

/// A list as a checkpoint has it: its length and the halves of its chain.
SegmentReplay::List SegmentReplay::list_told(std::span<const Value> numbers) {
  constexpr std::size_t kCount = 3;
  constexpr int kHalf = 32;
  std::array<std::uint64_t, kCount> told{};
  for (std::size_t i = 0; i < kCount && numbers.size() == kCount; ++i) {
    if (numbers[i].kind() == Value::Kind::kInteger) {
      told[i] = static_cast<std::uint64_t>(numbers[i].as_integer());
    }
  }
  return {told[0], told[1] << kHalf | told[2]};
}

void SegmentReplay::set(std::uint32_t at, Held held, List list) {
  Register& changed = registers_[at];
  changed.held = std::move(held);
  changed.list = list;
  if (!std::exchange(changed.is_changed, true)) changed_.push_back(at);
}

void SegmentReplay::update_state() {
  for (const std::uint32_t at : changed_) {
    Register& changed = registers_[at];
    changed.is_changed = false;
    const Held& held = changed.held;
    const List& list = changed.list;
    const std::string value =
        list.length > 0 ? "a" + std::to_string(list.length) + ":" + std::to_string(list.chain)
                        : tagged(held.kind, held.integer, held.text);
    const std::uint64_t name = XXH3_64bits(changed.name.data(), changed.name.size());
    const std::uint64_t sum = XXH3_64bits_withSeed(value.data(), value.size(), name);
    state_ += sum - std::exchange(changed.sum, sum);
  }
  changed_.clear();
}

std::string SegmentReplay::take(History part) {
  if (part.origin().truncated) return "the history is cut off";
  const auto is_checked = [&](KeyId key) { return counts(part, key); };
  if (std::string what = not_replayed(part, is_checked); !what.empty()) {
    return what + " are not verified in segments";
  }
  empty_old_parts();
  Part entered{std::move(part), came_, {}, {}, 0, {}, {}};
  const History& history = entered.history;
  for (std::size_t key = 0; key < history.key_count(); ++key) {
    const KeyId id = KeyId::at(key);
    if (!counts(history, id)) {
      entered.registers.push_back(kLeftOut);
      continue;
    }
    entered.registers.push_back(register_of(history, history.key_name(id)));
    if (!history.has_initial(id)) continue;
    if (came_ > 0) return "only the first part of a history tells initial contents";
    set(entered.registers.back(), content(history, history.initial(id)),
        list_of({}, history, history.initial_list(id)));
    registers_[entered.registers.back()].is_known = true;
    registers_[entered.registers.back()].use =
        history.initial_list(id).empty() ? Use::kRegister : Use::kList;
  }
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnStatus status = history.status(TxnId::at(i));
    committed_ += status == TxnStatus::kCommitted ? 1 : 0;
    entered.may_come.push_back(status != TxnStatus::kAborted);
    entered.left += status != TxnStatus::kAborted ? 1 : 0;
  }
  for (std::size_t s = 0; s < history.session_count() && !keeps_real_time_; ++s) {
    const auto next = static_cast<std::uint32_t>(sessions_.size());
    const auto [known, is_new] =
        session_names_.try_emplace(std::string(history.session_name(SessionId::at(s))), next);
    if (is_new) sessions_.emplace_back();
    entered.sessions.push_back(known->second);
  }
  came_ += history.txn_count();
  parts_.push_back(std::move(entered));
  return {};
}

SegmentReplay::Step SegmentReplay::step_of(const Part& part, const Op& op) const {
  const History& history = part.history;
  Step step{part.registers[op.key.raw()], op.kind, content(history, value_of(history, op))};
  const List base = part.bases.empty() ? List() : part.bases[op.key.raw()];
  if (op.kind == OpKind::kReadList) {
    const std::vector<Value> elements = history.seen_list(op);
    step.list = list_of(base, history, elements);
    for (const Value element : elements) {
      if (registers_[step.at].is_known) break;
      step.elements.push_back(content(history, element));
    }
  } else if (op.kind == OpKind::kRead && step.value == Held()) {
    step.list = base;  // an empty list, where nobody else says that the key is one
  }
  return step;
}

/// Where the order of sessions counts.
std::uint32_t SegmentReplay::session_of(const Part& part, TxnId txn) {
  return part.sessions.empty() ? kNoSession : part.sessions[part.history.session_of(txn).raw()];
}

SegmentReplay::Late SegmentReplay::late_of(const Part& part, std::size_t i) const {
  const History& history = part.history;
  const TxnId txn = TxnId::at(i);
  Late late{history.times(txn), history.status(txn), {}, session_of(part, txn)};
  for (const Op& op : history.ops(txn)) {
    if (part.registers[op.key.raw()] == kLeftOut) continue;
    late.steps.push_back(step_of(part, op));
  }
  return late;
}

std::string SegmentReplay::begin(const Start& start) {
  ISOLDE_CHECK(came_ == 0 && registers_.empty() && !has_snapshots_);
  for (const History* const told : {&start.registers, &start.open}) {
    const auto all = [](KeyId) { return true; };
    if (std::string what = not_replayed(*told, all); !what.empty()) {
      return what + " are not verified in segments";
    }
  }
  for (std::size_t key = 0; key < start.registers.key_count(); ++key) {
    const KeyId id = KeyId::at(key);
    const std::uint32_t at = register_of(start.registers, start.registers.key_name(id));
    const Value held = start.registers.initial(id);
    const std::span<const Value> list = start.registers.initial_list(id);
    if (!held.is_null() || !list.empty()) {
      set(at, content(start.registers, held), list_told(list));
      registers_[at].use = list.empty() ? Use::kRegister : Use::kList;
    }
  }
  Part open{start.open, 0, {}, {}, 0, {}, {}};
  for (std::size_t key = 0; key < open.history.key_count(); ++key) {
    open.registers.push_back(register_of(open.history, open.history.key_name(KeyId::at(key))));
    open.bases.push_back(registers_[open.registers.back()].list);
  }
  for (std::size_t i = 0; i < open.history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    const Value label = open.history.label(txn);
    const bool is_number = label.kind() == Value::Kind::kInteger && label.as_integer() > 0;
    const std::uint64_t number =
        is_number ? static_cast<std::uint64_t>(label.as_integer()) - 1 : start.came;
    if (number >= start.came) return "an open transaction has no number of an earlier one";
    const TxnStatus status = open.history.status(txn);
    if (status == TxnStatus::kAborted) continue;
    if (!late_.emplace(number, late_of(open, i)).second) {
      return named(number) + " is open twice";
    }
    committed_ += status == TxnStatus::kCommitted ? 1 : 0;
  }
  came_ = start.came;
  latest_start_ = start.latest_start;
  update_state();
  return {};
}

/// Reads are what they returned, whichever way the history tells it. Those of lists by who may
/// take no effect are left out: where it can take none any more, a start does not tell them.
std::uint64_t SegmentReplay::sum_of(std::uint64_t number, const Late& late) const {
  std::string text = std::to_string(number) + ' ' + std::to_string(late.times.start) + ' ' +
                     std::to_string(late.times.end) +
                     (late.status == TxnStatus::kCommitted ? " c" : " i");
  for (const Step& step : late.steps) {
    const bool is_unknown = step.kind == OpKind::kReadUnknown;
    const bool is_write = step.kind == OpKind::kWrite || step.kind == OpKind::kAppend;
    text += is_write ? 'w' : is_unknown ? 'u' : 'r';
    std::string value = tagged(step.value.kind, step.value.integer, step.value.text);
    if (step.list.length > 0 && late.status == TxnStatus::kCommitted) {
      value = std::to_string(step.list.length) + ":" + std::to_string(step.list.chain);
    }
    for (const std::string& each : {registers_[step.at].name, value}) {
      (text += std::to_string(each.size()) + ':') += each;
    }
  }
  return XXH3_64bits(text.data(), text.size());
}

std::uint64_t SegmentReplay::sum_of_open() const {
  std::uint64_t sum = 0;
  for (const auto& [number, late] : late_) sum += sum_of(number, late);
  for (const Part& part : parts_) {
    for (std::size_t i = 0; i < part.may_come.size(); ++i) {
      if (part.may_come[i]) sum += sum_of(part.first + i, late_of(part, i));
    }
  }
  return sum;
}

bool SegmentReplay::is_at(const Start& start) const {
  ISOLDE_CHECK(!has_snapshots_);
  SegmentReplay there(Level::kStrictSerializable, clock_error_ns_);
  return there.begin(start).empty() && there.came_ == came_ &&
         there.latest_start_ == latest_start_ && there.state_ == state_ &&
         there.sum_of_open() == sum_of_open();
}

/// Parts of which most transactions have a place give the rest away.
void SegmentReplay::empty_old_parts() {
  constexpr std::size_t kMost = 16;  // one in so many may be left
  while (!parts_.empty() && parts_.front().left <= parts_.front().may_come.size() / kMost) {
    const Part& part = parts_.front();
    const History& history = part.history;
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      if (part.may_come[i]) late_.emplace(part.first + i, late_of(part, i));
    }
    parts_.pop_front();
  }
}

/// What it reads comes now.
std::string SegmentReplay::begin(std::uint64_t number, TxnTimes times, TxnStatus status,
                                 std::uint32_t session) {
  running_ = {number, times, status, {}, session};
  latest_start_ = std::max(latest_start_, times.start);
  if (session == kNoSession) return {};
  Session& known = sessions_[session];
  if (number < known.next || known.is_running) {
    return named(number) +
           " comes before an earlier one of its session has committed, or behind "
           "a later one";
  }
  known = {number + 1, true};
  return {};
}

/// What it writes of the key.
SegmentReplay::Write& SegmentReplay::own_write(std::uint32_t at) {
  Register& used = registers_[at];
  if (used.writer != running_.number + 1) {
    used.writer = running_.number + 1;
    used.own_write = static_cast<std::uint32_t>(running_.writes.size());
    running_.writes.push_back({at, {}, used.version, {}, used.list});
  }
  return running_.writes[used.own_write];
}

/// What a list began with is what the first one read of it in front of `there`, which was
/// appended since then, at the end by the reader. False: that is not there.
bool SegmentReplay::begins_list(const Step& step, List there, std::size_t own_count) {
  const std::vector<Held>& elements = step.elements;
  if (elements.size() < there.length) return false;
  List behind;
  for (std::size_t i = elements.size() - there.length; i < elements.size(); ++i) {
    behind = extended(behind, elements[i]);
  }
  if (behind != there) return false;
  List whole;
  for (std::size_t i = 0; i < elements.size() - own_count; ++i) {
    whole = extended(whole, elements[i]);
  }
  registers_[step.at].is_known = true;
  if (whole.length > 0) set(step.at, {}, whole);  // an empty list has no share of the checksum
  return true;
}

std::string SegmentReplay::step_on_list(const Step& step) {
  if (step.kind == OpKind::kAppend) {
    Write& write = own_write(step.at);
    write.elements.push_back(step.value);
    write.list = extended(write.list, step.value);
    return {};
  }
  Register& used = registers_[step.at];
  const bool is_own = used.writer == running_.number + 1;
  if (!used.is_known) {
    Write* const own = is_own ? &running_.writes[used.own_write] : nullptr;
    const List there = own != nullptr ? own->list : used.list;
    const std::size_t own_count = own != nullptr ? own->elements.size() : 0;
    if (begins_list(step, there, own_count)) {
      if (own != nullptr) own->list = step.list;
      return {};
    }
  }
  if (step.list == (is_own ? running_.writes[used.own_write].list : used.list)) return {};
  return named(running_.number) + " did not read the list that " + used.name.substr(1) +
         " holds there";
}

std::string SegmentReplay::step(const Step& step) {
  Register& used = registers_[step.at];
  const bool is_own = used.writer == running_.number + 1;
  // To have read nothing is to have read the empty list as well.
  const bool is_nothing = step.kind == OpKind::kRead && step.value == Held();
  if (step.kind != OpKind::kReadUnknown && !is_nothing) {
    const bool is_list = is_of_list(step.kind);
    if (std::exchange(used.use, is_list ? Use::kList : Use::kRegister) ==
        (is_list ? Use::kRegister : Use::kList)) {
      return used.name.substr(1) + " is used as a register and as a list";
    }
    if (is_list) return step_on_list(step);
  }
  if (step.kind == OpKind::kWrite) {
    own_write(step.at).value = step.value;
    return {};
  }
  if (is_nothing && (used.use == Use::kList || used.list.length > 0)) return step_on_list(step);
  if (!is_own && !used.is_known && step.kind != OpKind::kReadUnknown) {
    // A register that holds nothing has no share of the checksum.
    used.is_known = true;
    if (step.value != Held()) set(step.at, step.value, {});
    return {};
  }
  const Held& there = is_own ? running_.writes[used.own_write].value : used.held;
  if (step.kind == OpKind::kReadUnknown || step.value == there) return {};
  return named(running_.number) + " did not read what " + used.name.substr(1) + " holds there";
}

/// All its operations were looked at.
std::string SegmentReplay::end_step() {
  if (!has_snapshots_) return commit(running_);
  begun_.emplace(running_.number, std::move(running_));
  return {};
}

/// What had ended before another one started comes before that.
std::string SegmentReplay::check_time(const Running& running) const {
  const bool has_ended =
      running.status == TxnStatus::kCommitted && running.times.end != kNoTime;
  if (has_ended && latest_start_ > running.times.end) {
    // Without a sign, since differences of 64-bit times may not fit.
    const std::uint64_t gap = static_cast<std::uint64_t>(latest_start_) -
                              static_cast<std::uint64_t>(running.times.end);
    if (gap > static_cast<std::uint64_t>(clock_error_ns_)) {
      return named(running.number) +
             " ended before one started that comes before it in the order, against real time";
    }
  }
  return {};
}

/// What it wrote comes now.
std::string SegmentReplay::commit(const Running& running) {
  if (keeps_real_time_) {
    if (std::string objection = check_time(running); !objection.empty()) return objection;
  }
  if (running.session != kNoSession) sessions_[running.session].is_running = false;
  for (const Write& write : running.writes) {
    Register& written = registers_[write.at];
    if (forbids_concurrent_writers_ && written.version != write.replaced) {
      return named(running.number) + " overlaps another one that wrote " +
             written.name.substr(1);
    }
    ++written.version;
    List list = written.list;
    for (const Held& element : write.elements) list = extended(list, element);
    // What a list began with is still not known where only appends came.
    if (write.elements.empty()) written.is_known = true;
    set(write.at, write.value, list);
  }
  committed_placed_ += running.status == TxnStatus::kCommitted ? 1 : 0;
  ++placed_;
  return {};
}

std::string SegmentReplay::run_late(std::uint64_t number) {
  const auto found = late_.find(number);
  if (found == late_.end()) return named(number) + " has a place already, or takes no effect";
  const Late late = std::move(found->second);
  late_.erase(found);
  std::string objection = begin(number, late.times, late.status, late.session);
  if (!objection.empty()) return objection;
  for (const Step& each : late.steps) {
    objection = step(each);
    if (!objection.empty()) return objection;
  }
  return end_step();
}

std::string SegmentReplay::run(std::uint64_t number) {
  if (number >= came_) return named(number) + " has not come";
  if (const auto found = begun_.find(number); found != begun_.end()) {
    const Running running = std::move(found->second);
    begun_.erase(found);
    return commit(running);
  }
  const auto after = std::upper_bound(
      parts_.begin(), parts_.end(), number,
      [](std::uint64_t wanted, const Part& part) { return wanted < part.first; });
  if (after == parts_.begin()) return run_late(number);
  Part& part = *std::prev(after);
  const auto i = static_cast<std::size_t>(number - part.first);
  ISOLDE_INVARIANT(i < part.may_come.size());
  if (!part.may_come[i]) return named(number) + " has a place already, or takes no effect";
  part.may_come[i] = false;
  --part.left;
  const History& history = part.history;
  const TxnId txn = TxnId::at(i);
  std::string objection =
      begin(number, history.times(txn), history.status(txn), session_of(part, txn));
  if (!objection.empty()) return objection;
  for (const Op& op : history.ops(txn)) {
    if (part.registers[op.key.raw()] == kLeftOut) continue;
    objection = step(step_of(part, op));
    if (!objection.empty()) return objection;
  }
  return end_step();
}

std::string SegmentReplay::place(std::span<const std::uint64_t> numbers) {
  std::string objection;
  for (const std::uint64_t number : numbers) {
    objection = run(number);
    if (!objection.empty()) return objection;
  }
  update_state();
  return objection;
}

std::string SegmentReplay::finish() const {
  if (!begun_.empty()) {
    return base::plural(begun_.size(), "transaction") + " of the order did not commit in it";
  }
  const std::uint64_t missing = committed_ - committed_placed_;
  if (missing == 0) return {};
  return base::plural(missing, "transaction") + " that committed " +
         (missing == 1 ? "has" : "have") + " no place in the order";
}

}  // namespace isolde::certify
