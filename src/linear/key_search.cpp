#include "linear/key_search.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace isolde::checker {
namespace {

/// Numbers what a key can hold. 0 is the initial value; a register's values and a list's
/// contents are steps from a state by a value (a register's always from 0).
class States {
 public:
  using Id = std::uint32_t;
  static constexpr Id kInitial = 0;

  Id step(Id from, Value value) {
    const auto [entry, fresh] =
        ids_.try_emplace({from, value.bits()}, static_cast<Id>(ids_.size() + 1));
    if (fresh) values_.push_back(value);
    return entry->second;
  }
  /// What a register holds.
  Value value(Id state) const { return values_[state]; }

 private:
  std::map<std::pair<Id, std::uint64_t>, Id> ids_;
  std::vector<Value> values_ = {Value::null()};
};

constexpr States::Id kAnyState = 0xffffffffU;
constexpr States::Id kNoState = 0xfffffffeU;  // reads that no state can satisfy

struct Operation {
  TxnId txn;
  Interval time;
  States::Id reads = kAnyState;
  std::vector<Value> writes;   // a register's last value, or all elements appended
  std::vector<Partial> tells;  // of what the register holds
};

bool alike(const Operation& a, const Operation& b) {
  return a.reads == b.reads && a.writes == b.writes && a.tells == b.tells;
}

/// Equal operations of unknown outcome, by start.
using Kind = std::vector<Operation>;

KeyId key_of(const History& history, std::span<const KeyTable::Entry> entries) {
  return history.ops(entries.front().txn)[entries.front().op].key;
}

/// The operations of a key, read from the history.
class Collector {
 public:
  Collector(const History& history, std::span<const KeyTable::Entry> entries,
            std::int64_t clock_error_ns, States& states)
      : history_(history),
        clock_error_ns_(clock_error_ns),
        states_(states),
        key_(key_of(history, entries)),
        is_list_(history.is_list(key_)) {
    for (std::size_t at = 0; at < entries.size(); at += same_txn(entries, at).size()) {
      add(same_txn(entries, at));
    }
    group();
  }

  std::vector<Operation> committed;
  std::vector<Kind> kinds;

 private:
  void add(std::span<const KeyTable::Entry> group) {
    const TxnId txn = group.front().txn;
    const TxnStatus status = history_.status(txn);
    if (status == TxnStatus::kAborted) return;
    Operation operation{txn, interval_of(history_, txn, clock_error_ns_), kAnyState, {}, {}};
    for (const KeyTable::Entry& entry : group) {
      add(history_.ops(txn)[entry.op], operation);
      // No state makes a selection return what it does not select.
      if (is_unselected_row(history_, entry)) operation.reads = kNoState;
    }
    if (status == TxnStatus::kCommitted) {
      committed.push_back(std::move(operation));
    } else if (operation.reads != kNoState && !operation.writes.empty()) {
      unknown_.push_back(std::move(operation));
    }
  }

  void add(const Op& op, Operation& operation) {
    switch (op.kind) {
      case OpKind::kWrite:
        operation.writes = {op.value};
        break;
      case OpKind::kAppend:
        operation.writes.push_back(op.value);
        break;
      case OpKind::kRead:
        seen_.insert(op.value.bits());
        if (operation.writes.empty()) {
          meet(operation, op.value.is_null() ? States::kInitial
                                             : states_.step(States::kInitial, op.value));
        } else if (op.value != operation.writes.back()) {
          operation.reads = kNoState;
        }
        break;
      case OpKind::kReadList:
        read_list(history_.list(op), operation);
        break;
      case OpKind::kReadAbsent:
      case OpKind::kReadExcept:
      case OpKind::kReadMatch:
        tell(op.partial(), operation);
        break;
      case OpKind::kReadUnknown:
        break;
    }
  }

  void tell(const Partial& partial, Operation& operation) {
    told_.insert(partial);
    if (operation.writes.empty()) {
      operation.tells.push_back(partial);
    } else if (!history_.fits(key_, partial, operation.writes.back())) {
      operation.reads = kNoState;
    }
  }

  void read_list(std::span<const Value> list, Operation& operation) {
    const std::vector<Value>& own = operation.writes;
    if (list.size() < own.size() || !std::equal(own.rbegin(), own.rend(), list.rbegin())) {
      operation.reads = kNoState;
      return;
    }
    States::Id state = States::kInitial;
    for (const Value element : list.first(list.size() - own.size())) {
      seen_.insert(element.bits());
      state = states_.step(state, element);
    }
    meet(operation, state);
  }

  /// All reads before the own writes return one state.
  static void meet(Operation& operation, States::Id state) {
    if (operation.reads == kAnyState) operation.reads = state;
    if (operation.reads != state) operation.reads = kNoState;
  }

  /// Only now are all reads known. A write that no read returned as a whole may still explain a
  /// partial one.
  void group() {
    for (Operation& operation : committed) generalize(operation);
    std::sort(unknown_.begin(), unknown_.end(), [](const Operation& a, const Operation& b) {
      return a.time.start < b.time.start;
    });
    for (Operation& operation : unknown_) {
      const bool was_seen =
          std::any_of(operation.writes.begin(), operation.writes.end(),
                      [&](Value value) { return seen_.contains(value.bits()); });
      if (!was_seen && told_.empty()) continue;
      generalize(operation);
      auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& known) {
        return alike(known.front(), operation);
      });
      if (kind == kinds.end()) kind = kinds.insert(kinds.end(), Kind());
      kind->push_back(std::move(operation));
    }
  }

  /// Unseen values of a register are equivalent, except for the partial reads that they fit.
  void generalize(Operation& operation) {
    if (is_list_ || operation.writes.empty()) return;
    Value& written = operation.writes.back();
    if (seen_.contains(written.bits())) return;
    std::vector<bool> fits;
    for (const Partial& partial : told_) fits.push_back(history_.fits(key_, partial, written));
    written = unseen_.try_emplace(std::move(fits), written).first->second;
  }

  const History& history_;
  const std::int64_t clock_error_ns_;
  States& states_;
  const KeyId key_;
  const bool is_list_;
  std::vector<Operation> unknown_;
  std::set<std::uint64_t> seen_;
  std::set<Partial> told_;
  std::map<std::vector<bool>, Value> unseen_;  // one for all, by what they fit
};

class Search {
 public:
  Search(const History& history, std::span<const KeyTable::Entry> entries,
         std::int64_t clock_error_ns, base::Budget& budget)
      : history_(history),
        budget_(budget),
        key_(key_of(history, entries)),
        is_list_(history.is_list(key_)) {
    Collector collected(history, entries, clock_error_ns, states_);
    ops_ = std::move(collected.committed);
    kinds_ = std::move(collected.kinds);
  }

  KeySearchAnswer run();

 private:
  struct Configuration {
    std::uint32_t returns = 0;  // how many operations have returned
    States::Id state = States::kInitial;
    std::vector<std::uint64_t> done;  // by slot: running, and in the order
    std::vector<std::uint32_t> used;  // by kind
  };
  struct Frame {
    Configuration at;
    std::size_t path = 0;                // length of the order
    std::vector<std::uint32_t> choices;  // operations; kinds after these, counted on
    std::size_t next = 0;
  };

  bool prepare();
  bool is_done(const Configuration& at, std::uint32_t op) const {
    return (at.done[slot_[op] / 64] >> (slot_[op] % 64) & 1U) != 0;
  }
  void put(Configuration& at, std::uint32_t op) {
    at.done[slot_[op] / 64] |= std::uint64_t{1} << (slot_[op] % 64);
    path_.push_back(ops_[op].txn);
  }
  bool fits(const Operation& operation, States::Id state) const {
    if (operation.reads != kAnyState && operation.reads != state) return false;
    return std::all_of(operation.tells.begin(), operation.tells.end(),
                       [&](const Partial& partial) {
                         return history_.fits(key_, partial, states_.value(state));
                       });
  }
  States::Id apply(States::Id state, const std::vector<Value>& writes) {
    if (!is_list_) state = States::kInitial;
    for (const Value value : writes) state = states_.step(state, value);
    return state;
  }
  std::span<const std::uint32_t> running(std::uint32_t returns) const {
    return std::span(running_).subspan(running_begin_[returns],
                                       running_begin_[returns + 1] - running_begin_[returns]);
  }

  void advance(Configuration& at);
  bool is_new(const Configuration& at);
  void list_choices(Frame& frame);
  void choose(const Frame& frame, std::uint32_t choice, Configuration& at);

  const History& history_;
  base::Budget& budget_;
  const KeyId key_;
  const bool is_list_;
  States states_;
  std::vector<Operation> ops_;  // by return
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> slot_;  // by operation: its bit while it runs
  std::uint32_t slots_ = 0;
  std::vector<std::size_t> running_begin_;  // CSR by return: who runs then, by return
  std::vector<std::uint32_t> running_;
  std::vector<TxnId> path_;
  /// Configurations tried: by all but the counts of unknown operations used, those counts.
  std::unordered_map<std::string, std::vector<std::vector<std::uint32_t>>> tried_;
  std::uint64_t tried_count_ = 0;
  std::uint32_t furthest_ = 0;
};

/// False when too many operations run concurrently.
bool Search::prepare() {
  constexpr std::size_t kRunningLimit = 100'000'000;
  std::sort(ops_.begin(), ops_.end(), [](const Operation& a, const Operation& b) {
    return a.time.end != b.time.end ? a.time.end < b.time.end : a.txn < b.txn;
  });
  std::vector<std::uint32_t> by_start(ops_.size());
  for (std::uint32_t i = 0; i < by_start.size(); ++i) by_start[i] = i;
  std::sort(by_start.begin(), by_start.end(), [&](std::uint32_t a, std::uint32_t b) {
    return ops_[a].time.start < ops_[b].time.start;
  });
  slot_.assign(ops_.size(), 0);
  std::vector<std::uint32_t> free_slots;
  std::set<std::uint32_t> open;
  std::size_t started = 0;
  for (std::uint32_t returned = 0; returned < ops_.size(); ++returned) {
    for (; started < by_start.size(); ++started) {
      const std::uint32_t op = by_start[started];
      if (ops_[op].time.start > ops_[returned].time.end) break;
      if (free_slots.empty()) free_slots.push_back(slots_++);
      slot_[op] = free_slots.back();
      free_slots.pop_back();
      open.insert(op);
    }
    running_begin_.push_back(running_.size());
    running_.insert(running_.end(), open.begin(), open.end());
    if (running_.size() > kRunningLimit || !budget_.spend(open.size())) return false;
    open.erase(returned);
    free_slots.push_back(slot_[returned]);
  }
  running_begin_.push_back(running_.size());
  return true;
}

/// Returns operations that are in the order, and adds reads that fit.
void Search::advance(Configuration& at) {
  for (; at.returns < ops_.size(); ++at.returns) {
    for (const std::uint32_t op : running(at.returns)) {
      if (ops_[op].writes.empty() && !is_done(at, op) && fits(ops_[op], at.state)) put(at, op);
    }
    if (!is_done(at, at.returns)) break;
    const std::uint32_t slot = slot_[at.returns];
    at.done[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  }
  furthest_ = std::max(furthest_, at.returns);
}

/// False when an equal one was tried before, with no more unknown operations used.
bool Search::is_new(const Configuration& at) {
  std::string name(sizeof at.returns + sizeof at.state + at.done.size() * 8, '\0');
  char* out = name.data();
  const auto write = [&out](const void* from, std::size_t size) {
    const char* bytes = static_cast<const char*>(from);
    out = std::copy(bytes, bytes + size, out);
  };
  write(&at.returns, sizeof at.returns);
  write(&at.state, sizeof at.state);
  write(at.done.data(), at.done.size() * 8);
  std::vector<std::vector<std::uint32_t>>& like = tried_[name];
  for (const std::vector<std::uint32_t>& used : like) {
    if (std::equal(used.begin(), used.end(), at.used.begin(), std::less_equal<>())) {
      return false;
    }
  }
  like.push_back(at.used);
  ++tried_count_;
  return true;
}

/// First those that leave a state that the returning operation may have found; then running
/// ones by return, itself before all others; unknown ones last.
void Search::list_choices(Frame& frame) {
  const Configuration& at = frame.at;
  for (const std::uint32_t op : running(at.returns)) {
    const bool possible = !ops_[op].writes.empty() && fits(ops_[op], at.state);
    if (possible && !is_done(at, op)) frame.choices.push_back(op);
  }
  for (std::uint32_t kind = 0; kind < kinds_.size(); ++kind) {
    const Kind& members = kinds_[kind];
    const std::uint32_t used = at.used[kind];
    const bool possible = fits(members.front(), at.state) && used < members.size() &&
                          members[used].time.start <= ops_[at.returns].time.end;
    if (possible) frame.choices.push_back(static_cast<std::uint32_t>(ops_.size()) + kind);
  }
  const Operation& returning = ops_[at.returns];
  if (fits(returning, at.state)) return;
  std::stable_partition(frame.choices.begin(), frame.choices.end(), [&](std::uint32_t choice) {
    const bool known = choice < ops_.size();
    const Operation& chosen = known ? ops_[choice] : kinds_[choice - ops_.size()].front();
    return fits(returning, apply(at.state, chosen.writes));
  });
}

void Search::choose(const Frame& frame, std::uint32_t choice, Configuration& at) {
  at = frame.at;
  path_.resize(frame.path);
  if (choice < ops_.size()) {
    put(at, choice);
    at.state = apply(at.state, ops_[choice].writes);
    return;
  }
  const Kind& kind = kinds_[choice - ops_.size()];
  std::uint32_t& used = at.used[choice - ops_.size()];
  path_.push_back(kind[used++].txn);
  at.state = apply(at.state, kind.front().writes);
}

KeySearchAnswer Search::run() {
  using Outcome = KeySearchAnswer::Outcome;
  if (!prepare()) return {Outcome::kStopped, {}, {}};
  Configuration at;
  at.done.assign(slots_ / 64 + 1, 0);
  at.used.assign(kinds_.size(), 0);
  std::vector<Frame> stack;
  for (bool entering = true;;) {
    if (entering) {
      advance(at);
      if (at.returns == ops_.size()) return {Outcome::kHolds, path_, {}};
      if (is_new(at)) {
        stack.push_back({at, path_.size(), {}, 0});
        list_choices(stack.back());
      }
    }
    if (!budget_.spend(ops_.size() / 64 + 64) || tried_count_ > kConfigurationLimit) {
      return {Outcome::kStopped, {}, {}};
    }
    if (stack.empty()) {
      const bool provable = tried_count_ <= kProvableLimit;
      return {provable ? Outcome::kViolated : Outcome::kStopped, {}, ops_[furthest_].txn};
    }
    Frame& top = stack.back();
    entering = top.next < top.choices.size();
    if (entering) {
      choose(top, top.choices[top.next++], at);
    } else {
      stack.pop_back();
    }
  }
}

}  // namespace

KeySearchAnswer search_key(const History& history, std::span<const KeyTable::Entry> entries,
                           std::int64_t clock_error_ns, base::Budget& budget) {
  return Search(history, entries, clock_error_ns, budget).run();
}

}  // namespace isolde::checker
