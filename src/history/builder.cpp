// HistoryBuilder: interning of names and values, the checks that make a History well formed,
// and the final layout.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/assert.hpp"
#include "history/aggregates.hpp"
#include "history/builder_state.hpp"
#include "history/selections.hpp"
#include "isolde/history_builder.hpp"

namespace isolde {
namespace {

constexpr const char* kRowInList =
    "a row cannot be an element of a list; write rows with \"w\"";

constexpr const char* kReadDead =
    "the dead value is what a deletion writes; who reads a deleted row reads null";

}  // namespace

HistoryBuilder::HistoryBuilder() : state_(std::make_unique<State>()) {}
HistoryBuilder::~HistoryBuilder() = default;
HistoryBuilder::HistoryBuilder(HistoryBuilder&&) noexcept = default;
HistoryBuilder& HistoryBuilder::operator=(HistoryBuilder&&) noexcept = default;

void HistoryBuilder::reserve(std::size_t txns, std::size_t ops) {
  History& history = state_->history;
  history.txn_session_.reserve(txns);
  history.txn_status_.reserve(txns);
  history.txn_times_.reserve(txns);
  history.op_begin_.reserve(txns + 1);
  history.ops_.reserve(ops);
}

SessionId HistoryBuilder::session(std::string_view name) {
  std::vector<std::string>& names = state_->history.session_names_;
  const auto fresh = static_cast<std::uint32_t>(names.size());
  const std::uint32_t slot = state_->sessions.find_or_insert(
      name, fresh, [&](std::uint32_t known) { return names[known] == name; });
  if (slot == fresh) names.emplace_back(name);
  return SessionId(slot);
}

KeyId HistoryBuilder::key(Value name) {
  ISOLDE_ASSERT(!name.is_null());
  const auto fresh = static_cast<std::uint32_t>(state_->history.keys_.size());
  const std::uint32_t slot = state_->find_or_insert_key(name, fresh);
  if (slot == fresh) {
    if (fresh == 0xfffffffeU) state_->fail("more than 2^32 - 2 keys; split the history");
    state_->history.keys_.push_back(name);
  }
  return KeyId(slot);
}

Value HistoryBuilder::integer(std::int64_t number) {
  if (number >= Value::kIntegerMin && number <= Value::kIntegerMax) {
    return Value::integer(number);
  }
  return literal(std::to_string(number));
}

Value HistoryBuilder::string(std::string_view text) {
  return state_->pooled(Value::Kind::kString, text);
}

Value HistoryBuilder::literal(std::string_view text) {
  return state_->pooled(Value::Kind::kLiteral, text);
}

void HistoryBuilder::add_event(const RecordedEvent& event) {
  ISOLDE_ASSERT(!event.kind.is_null() &&
                event.name.is_null() == (event.part == RecordedEvent::Part::kMoment));
  state_->history.events_.push_back(event);
}

void HistoryBuilder::refuse(std::string why) { state_->fail(std::move(why)); }

TxnId HistoryBuilder::begin_txn(SessionId session, std::uint64_t position_in_input) {
  History& history = state_->history;
  if (history.txn_status_.size() >= 0xfffffffeU) {
    state_->fail("more than 2^32 - 2 transactions; split the history");
  }
  history.txn_session_.push_back(session);
  history.txn_status_.push_back(TxnStatus::kCommitted);
  history.txn_times_.push_back({});
  history.op_begin_.push_back(static_cast<std::uint32_t>(history.ops_.size()));
  if (position_in_input != 0) {
    history.txn_input_.resize(history.txn_status_.size());
    history.txn_input_.back() = position_in_input;
  }
  return TxnId::at(history.txn_status_.size() - 1);
}

void HistoryBuilder::set_status(TxnStatus status) {
  ISOLDE_CHECK(!state_->history.txn_status_.empty());
  state_->history.txn_status_.back() = status;
}

void HistoryBuilder::set_times(TxnTimes times) {
  ISOLDE_CHECK(!state_->history.txn_status_.empty());
  if (times.start != kNoTime && times.end != kNoTime && times.end < times.start) {
    state_->fail("the transaction ends before it starts");
  }
  state_->history.txn_times_.back() = times;
  state_->any_times = state_->any_times || times.start != kNoTime || times.end != kNoTime;
}

void HistoryBuilder::set_database_times(DatabaseTimes times) {
  History& history = state_->history;
  ISOLDE_CHECK(!history.txn_status_.empty());
  if (times.start == kNoTime && times.commit == kNoTime) return;
  if (times.start != kNoTime && times.commit != kNoTime && times.commit <= times.start) {
    state_->fail("by the database's clock the transaction does not commit after its start");
  }
  // Few histories have them, and the others must not pay.
  state_->any_database_times = true;
  history.txn_database_times_.resize(history.txn_status_.size());
  history.txn_database_times_.back() = times;
}

void HistoryBuilder::set_stated_level(Level level) {
  History& history = state_->history;
  ISOLDE_CHECK(!history.txn_status_.empty());
  history.txn_level_.resize(history.txn_status_.size());
  history.txn_level_.back() = static_cast<std::uint8_t>(1 + static_cast<unsigned>(level));
}

void HistoryBuilder::set_label(Value label) {
  History& history = state_->history;
  ISOLDE_CHECK(!history.txn_status_.empty());
  if (label.is_null() && history.txn_label_.size() < history.txn_status_.size()) return;
  history.txn_label_.resize(history.txn_status_.size());
  history.txn_label_.back() = label;
}

void HistoryBuilder::set_server(Value server) {
  History& history = state_->history;
  ISOLDE_CHECK(!history.txn_status_.empty());
  if (server.is_null() && history.txn_server_.size() < history.txn_status_.size()) return;
  history.txn_server_.resize(history.txn_status_.size());
  history.txn_server_.back() = server;
}

void HistoryBuilder::set_completion_in_input(std::uint64_t position) {
  History& history = state_->history;
  ISOLDE_CHECK(!history.txn_status_.empty());
  if (position == 0) return;
  history.txn_completion_.resize(history.txn_status_.size());
  history.txn_completion_.back() = position;
}

void HistoryBuilder::read(KeyId key, Value value) {
  if (value.is_dead()) state_->fail(kReadDead);
  // A null read is the initial value of a register or the empty list.
  if (!value.is_null()) state_->use(key, history::KeyUse::kRegister);
  state_->add_here({value, key, OpKind::kRead});
}

void HistoryBuilder::write(KeyId key, Value value) {
  if (value.is_null()) state_->fail("null is the initial value and cannot be written");
  if (value.is_dead()) state_->history.origin_.rows_are_deleted = true;
  if (state_->history.is_row(value)) value = state_->without_nulls(value);
  state_->use(key, history::KeyUse::kRegister);
  state_->add_here({value, key, OpKind::kWrite});
}

void HistoryBuilder::remove(KeyId key) { write(key, Value::dead()); }

void HistoryBuilder::append(KeyId key, Value element) {
  if (element.is_absent()) state_->fail("null cannot be appended");
  if (state_->history.is_row(element)) state_->fail(kRowInList);
  state_->use(key, history::KeyUse::kList);
  state_->add({element, key, OpKind::kAppend});
}

void HistoryBuilder::read_list(KeyId key, std::span<const Value> elements) {
  History& history = state_->history;
  // An empty list says nothing about the key's kind, like a null read.
  if (!elements.empty()) state_->use(key, history::KeyUse::kList);
  for (const Value element : elements) {
    if (element.is_absent()) state_->fail("null cannot be an element of a list");
  }
  // Loading many lists takes no time for what few histories have.
  if (history.has_rows()) {
    const auto is_row = [&](Value element) { return history.is_row(element); };
    if (std::any_of(elements.begin(), elements.end(), is_row)) state_->fail(kRowInList);
  }
  const std::uint64_t slot = history.list_begin_.size() - 1;
  history.list_values_.insert(history.list_values_.end(), elements.begin(), elements.end());
  history.list_begin_.push_back(history.list_values_.size());
  state_->add({Value::from_bits(slot), key, OpKind::kReadList});
}

void HistoryBuilder::holds_list(KeyId key) { state_->use(key, history::KeyUse::kList); }

void HistoryBuilder::read_unknown(KeyId key) {
  state_->add({Value(), key, OpKind::kReadUnknown});
}

/// Each column at most once, and at most one test of the key; none holds a row.
void HistoryBuilder::check_tests(const PredicateView& predicate) {
  const PredicateView::Tests& tests = predicate.tests;
  for (auto test = tests.begin(); test != tests.end(); ++test) {
    const Value column = (*test).column;
    const auto same = [&](const PredicateView::Test& other) { return other.column == column; };
    if (std::find_if(tests.begin(), test, same) != test) {
      state_->fail("a condition names column " + state_->history.json(column) + " twice");
    }
  }
}

namespace {

/// With bounds and a test of the key in one, and in front of those of columns.
Predicate joined(const PredicateView& asked) {
  Predicate predicate{asked.keys, asked.values, asked.equal, {}};
  for (const bool of_key : {true, false}) {
    for (const PredicateView::Test& test : asked.tests) {
      if (test.column.is_null() == of_key) predicate.tests.push_back(test.owned());
    }
  }
  for (Predicate::Test& test : predicate.tests) {
    if (!test.column.is_null() || !predicate.keys) continue;
    const Predicate::Bounds all;
    Predicate::Bounds& bounds = test.bounds ? *test.bounds : test.bounds.emplace(all);
    bounds.min = std::max(bounds.min, predicate.keys->min);
    bounds.max = std::min(bounds.max, predicate.keys->max);
    predicate.keys.reset();
  }
  return predicate;
}

/// joined() would change it: a test of the key comes later, or there are bounds besides.
bool is_to_be_joined(const PredicateView& predicate) {
  bool may_be_of_key = !predicate.keys;
  for (const PredicateView::Test& test : predicate.tests) {
    if (test.column.is_null() && !may_be_of_key) return true;
    may_be_of_key = false;
  }
  return false;
}

}  // namespace

void HistoryBuilder::check_condition(const PredicateView& predicate) {
  ISOLDE_CHECK(!state_->history.txn_status_.empty());
  const auto check = [&](const std::optional<Predicate::Bounds>& bounds) {
    if (!bounds || bounds->are_valid()) return;
    state_->fail("the bounds of a selection do not lie between -2^61 and 2^61 - 1");
  };
  check(predicate.keys);
  check(predicate.values);
  for (const PredicateView::Test& test : predicate.tests) check(test.bounds);
  check_tests(predicate);
}

void HistoryBuilder::aggregate(const PredicateView& asked_for, const Aggregate& aggregate) {
  const Predicate predicate = joined(asked_for);
  State& state = *state_;
  check_condition(predicate);
  if (const char* const why = history::trouble(aggregate)) state.fail(why);
  if (!state.status.ok()) return;
  // Who does not know aggregates must not read on.
  state.history.origin_.rows_are_deleted = true;
  const auto number = static_cast<std::uint32_t>(state.history.aggregates_.size());
  state.history.aggregates_.push_back(aggregate);
  const std::uint32_t slot = state.slot_of(predicate);
  state.asked.push_back({state.history.ops_.size(), 0, slot,
                         TxnId::at(state.history.txn_status_.size() - 1), number,
                         state.slot_of(history::excluded_by(predicate, aggregate))});
}

void HistoryBuilder::select(const PredicateView& asked_for, std::span<const Row> rows) {
  std::optional<Predicate> changed;
  if (is_to_be_joined(asked_for)) changed = joined(asked_for);
  const PredicateView predicate = changed ? PredicateView(*changed) : asked_for;
  State& state = *state_;
  check_condition(predicate);
  const std::uint32_t slot = state.slot_of(predicate);
  state.asked.push_back({state.history.ops_.size(), 0, slot,
                         TxnId::at(state.history.txn_status_.size() - 1),
                         Selection::kNoAggregate, slot});
  const std::size_t first = state.history.ops_.size();
  state.selected_in.resize(state.history.keys_.size(), 0);
  // Once a key has come again: keys, values and versions.
  std::set<std::array<std::uint64_t, 3>> seen;
  for (const Row& row : rows) {
    if (row.value.is_absent()) state.fail("a selection returns no row with a null value");
    std::size_t& last = state.selected_in[row.key.raw()];
    const bool again = last == state.asked.size();
    last = state.asked.size();
    if (again && seen.empty()) {
      for (std::size_t at = first; at < state.history.ops_.size(); ++at) {
        const Op& op = state.history.ops_[at];
        seen.insert({op.key.raw(), op.value.bits(), state.version_at(at).bits()});
      }
    }
    if ((again || !seen.empty()) &&
        !seen.insert({row.key.raw(), row.value.bits(), row.version.bits()}).second) {
      continue;  // in the same version, which tells nothing new
    }
    read(row.key, row.value);
    set_version(row.version);
  }
  state.asked.back().rows = static_cast<std::uint32_t>(state.history.ops_.size() - first);
}

void HistoryBuilder::read_except(KeyId key, const PredicateView& excluded) {
  Predicate values = excluded.owned();
  values.keys.reset();
  std::erase_if(values.tests,
                [](const Predicate::Test& test) { return test.column.is_null(); });
  state_->use(key, history::KeyUse::kRegister);
  state_->add({Value::from_bits(state_->slot_of(values)), key, OpKind::kReadExcept});
}

void HistoryBuilder::read_except(KeyId key, Value excluded) {
  if (excluded.is_dead()) state_->fail(kReadDead);
  if (state_->history.is_row(excluded)) {
    state_->fail("a read that did not return a row needs a selection by its key");
  }
  Predicate predicate;
  predicate.equal = excluded;
  read_except(key, predicate);
}

/// A read that found no row says nothing about which version it saw where the row may have been
/// deleted: the first one, or that of a deletion.
void HistoryBuilder::State::open_reads_of_nothing() {
  if (!history.origin_.rows_are_deleted) return;
  std::vector<bool> is_deleted(history.keys_.size(), history.origin_.truncated);
  for (const Op& op : history.ops_) {
    if (op.is_delete()) is_deleted[op.key.raw()] = true;
  }
  for (Op& op : history.ops_) {
    if (op.kind != OpKind::kRead || !op.value.is_null() || !is_deleted[op.key.raw()]) continue;
    if (!history.initial(op.key).is_null()) continue;  // it is the read of that
    op.kind = OpKind::kReadExcept;
    op.value = Value::from_bits(slot_of(Predicate{}));
  }
}

/// Selections as their transactions have them, and the rows that they left out. Nobody can have
/// seen what an aborted transaction wrote, and what one saw counts at no level: neither its
/// writes nor its selections leave a row out. Where transactions often abort, these are most
/// rows.
void HistoryBuilder::State::lower_selections(const GoOn& go_on) {
  if (asked.empty() || !status.ok()) return;
  std::size_t next = 0;  // of `asked`
  std::vector<std::uint32_t> excluded;
  for (std::size_t txn = 0; txn < history.txn_status_.size(); ++txn) {
    history.selection_begin_.push_back(static_cast<std::uint32_t>(history.selections_.size()));
    for (; next < asked.size() && asked[next].txn == TxnId::at(txn); ++next) {
      const Asked& each = asked[next];
      history.selections_.push_back(
          {static_cast<std::uint32_t>(each.op - history.op_begin_[txn]), each.rows, 0,
           each.predicate, each.aggregate, each.lock});
      excluded.push_back(each.excluded);
    }
  }
  history.selection_begin_.push_back(static_cast<std::uint32_t>(history.selections_.size()));
  history.rows_are_unlisted_ = true;
  if (!lists_rows_later || !history.rows_may_be_unlisted()) {
    status = history.list_rows(excluded, go_on);
  }
}

namespace {

/// Translates a value of another history, whose pooled values are `pooled` here.
Value translated(Value value, const std::vector<Value>& pooled) {
  const bool in_place = value.is_absent() || value.kind() == Value::Kind::kInteger;
  return in_place ? value : pooled[value.slot()];
}

}  // namespace

void HistoryBuilder::State::append_txns(const State& other,
                                        const std::vector<SessionId>& sessions_there,
                                        const std::vector<Value>& values_there,
                                        std::uint64_t position_offset) {
  const History& more = other.history;
  const std::size_t before = history.txn_status_.size();
  const auto first_op = static_cast<std::uint32_t>(history.ops_.size());
  const auto extend = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  extend(history.txn_status_, more.txn_status_);
  extend(history.txn_times_, more.txn_times_);
  for (const SessionId session : more.txn_session_) {
    history.txn_session_.push_back(sessions_there[session.raw()]);
  }
  for (RecordedEvent event : more.events_) {
    for (Value* const text : {&event.kind, &event.what, &event.name}) {
      *text = translated(*text, values_there);
    }
    history.events_.push_back(event);
  }
  if (!more.txn_label_.empty()) history.txn_label_.resize(before);
  for (const Value label : more.txn_label_) {
    history.txn_label_.push_back(translated(label, values_there));
  }
  if (!more.txn_server_.empty()) history.txn_server_.resize(before);
  for (const Value server : more.txn_server_) {
    history.txn_server_.push_back(translated(server, values_there));
  }
  if (!more.txn_input_.empty()) history.txn_input_.resize(before);
  const auto moved = [&](std::uint64_t position) {
    return position == 0 ? 0 : position + position_offset;
  };
  for (const std::uint64_t position : more.txn_input_) {
    history.txn_input_.push_back(moved(position));
  }
  if (!more.txn_completion_.empty()) history.txn_completion_.resize(before);
  for (const std::uint64_t position : more.txn_completion_) {
    history.txn_completion_.push_back(moved(position));
  }
  for (const std::uint32_t begin : more.op_begin_) {
    history.op_begin_.push_back(first_op + begin);
  }
  if (other.any_database_times) {
    history.txn_database_times_.resize(before);
    extend(history.txn_database_times_, more.txn_database_times_);
  }
  if (more.has_stated_levels()) {
    history.txn_level_.resize(before);
    extend(history.txn_level_, more.txn_level_);
  }
  any_times = any_times || other.any_times;
  any_database_times = any_database_times || other.any_database_times;
}

void HistoryBuilder::State::append_ops(const State& other, const std::vector<KeyId>& keys_there,
                                       const std::vector<Value>& values_there,
                                       const std::vector<std::uint32_t>& predicates_there) {
  const History& more = other.history;
  const std::size_t first_op = history.ops_.size();
  const std::size_t first_txn = history.txn_status_.size() - more.txn_status_.size();
  const auto first_aggregate = static_cast<std::uint32_t>(history.aggregates_.size());
  for (Aggregate aggregate : more.aggregates_) {
    aggregate.column = translated(aggregate.column, values_there);
    history.aggregates_.push_back(aggregate);
  }
  for (Asked selection : other.asked) {
    selection.op += first_op;
    selection.predicate = predicates_there[selection.predicate];
    selection.excluded = predicates_there[selection.excluded];
    selection.txn = TxnId::at(first_txn + selection.txn.raw());
    if (selection.aggregate != Selection::kNoAggregate) selection.aggregate += first_aggregate;
    asked.push_back(selection);
  }
  const std::uint64_t first_list = history.list_begin_.size() - 1;
  const std::uint64_t first_element = history.list_values_.size();
  for (Increment each : more.increments_) {
    each.op += static_cast<std::uint32_t>(first_op);
    history.increments_.push_back(each);
  }
  for (LockedRead each : more.locked_reads_) {
    each.op += static_cast<std::uint32_t>(first_op);
    history.locked_reads_.push_back(each);
  }
  for (const std::uint32_t op : more.refused_inserts_) {
    history.refused_inserts_.push_back(op + static_cast<std::uint32_t>(first_op));
  }
  for (Op op : more.ops_) {
    op.key = keys_there[op.key.raw()];
    if (op.kind == OpKind::kReadList) {
      op.value = Value::from_bits(op.value.bits() + first_list);
    } else if (op.kind == OpKind::kReadExcept) {
      op.value = Value::from_bits(predicates_there[op.value.bits()]);
    } else {
      op.value = translated(op.value, values_there);
    }
    history.ops_.push_back(op);
  }
  if (!more.op_version_.empty()) history.op_version_.resize(first_op);
  for (const Value version : more.op_version_) {
    history.op_version_.push_back(translated(version, values_there));
  }
  for (std::size_t list = 1; list < more.list_begin_.size(); ++list) {
    history.list_begin_.push_back(first_element + more.list_begin_[list]);
  }
  for (const Value element : more.list_values_) {
    history.list_values_.push_back(translated(element, values_there));
  }
}

std::vector<std::uint32_t> HistoryBuilder::State::append_predicates(
    const State& other, const std::vector<Value>& values_there) {
  std::vector<std::uint32_t> slots;
  for (std::size_t number = 0; number < other.history.predicates_.size(); ++number) {
    const std::span<const Value> there = other.history.predicates_->words(number);
    words.assign(there.begin(), there.end());
    history::for_each_value(words,
                            [&](Value& value) { value = translated(value, values_there); });
    slots.push_back(slot_of_words());
  }
  return slots;
}

/// The texts of a history that is appended, one after the other. Each is looked up in tables
/// larger than the caches, by four reads that wait for each other: those of a few texts ahead
/// are on their way meanwhile.
class HistoryBuilder::State::ComingTexts {
 public:
  ComingTexts(const State& to, const State& from)
      : to_(to), from_(from), count_(from.pool_kinds.size()) {
    for (; ahead_ < kCells; ++ahead_) look_ahead();
  }

  /// The hash of the next one. REQUIRES: there is one.
  std::uint64_t next() {
    const std::uint64_t hash = hashes_[(ahead_ - kCells) % hashes_.size()];
    look_ahead();
    ++ahead_;
    return hash;
  }

 private:
  // How many texts ahead which read begins.
  static constexpr std::size_t kCells = 12;
  static constexpr std::size_t kBegins = 8;
  static constexpr std::size_t kTexts = 4;

  void look_ahead() {
    if (ahead_ < count_) {
      const auto slot = static_cast<std::uint32_t>(ahead_);
      const std::uint64_t hash = history::TextTable::hash(
          from_.history.pooled_text(Value::pooled(Value::Kind::kString, slot)));
      hashes_[ahead_ % hashes_.size()] = hash;
      to_.pool.slots().prefetch(hash);
    }
    if (const std::uint32_t known = slot_ahead(kCells - kBegins); known != kNone) {
      __builtin_prefetch(&to_.history.pool_begin_[known]);
      __builtin_prefetch(&to_.pool_kinds[known]);
    }
    if (const std::uint32_t known = slot_ahead(kCells - kTexts); known != kNone) {
      __builtin_prefetch(&(*to_.history.pool_chars_)[to_.history.pool_begin_[known]]);
    }
  }

  std::uint32_t slot_ahead(std::size_t before) const {
    if (ahead_ < before || ahead_ - before >= count_) return kNone;
    return to_.pool.slots().first_slot(hashes_[(ahead_ - before) % hashes_.size()]);
  }

  static constexpr std::uint32_t kNone = history::SlotTable::kEmpty;
  const State& to_;
  const State& from_;
  const std::size_t count_;
  std::size_t ahead_ = 0;
  std::array<std::uint64_t, 16> hashes_{};
};

bool HistoryBuilder::append(const HistoryBuilder& other, std::uint64_t position_offset) {
  const State& from = *other.state_;
  const History& more = from.history;
  const auto fits = [](std::size_t here, std::size_t there) {
    return here + there < 0xfffffffeU;
  };
  if (!state_->status.ok() || !from.status.ok() ||
      !fits(state_->history.ops_.size(), more.ops_.size()) ||
      !fits(state_->history.txn_status_.size(), more.txn_status_.size()) ||
      !fits(state_->history.keys_.size(), more.keys_.size()) ||
      !fits(state_->pool_kinds.size(), from.pool_kinds.size())) {
    return false;
  }
  std::vector<SessionId> sessions;
  for (const std::string& name : more.session_names_) sessions.push_back(session(name));
  std::vector<Value> values;
  values.reserve(from.pool_kinds.size());
  std::vector<ColumnValue> columns;  // of a row
  State::ComingTexts coming(*state_, from);
  for (std::size_t slot = 0; slot < from.pool_kinds.size(); ++slot) {
    const std::uint64_t hash = coming.next();
    const Value value = Value::pooled(from.pool_kinds[slot], static_cast<std::uint32_t>(slot));
    if (more.is_row(value) && more.find_versioned(value) == nullptr) {
      // Its names and values were interned before it.
      columns.clear();
      for (const ColumnValue& column : more.columns(value)) {
        columns.push_back({translated(column.name, values), translated(column.value, values)});
      }
      values.push_back(state_->add_row(
          columns, state_->pooled(Value::Kind::kLiteral, more.pooled_text(value), hash)));
      continue;
    }
    if (more.find_versioned(value) != nullptr) {
      values.push_back(versioned(translated(more.plain(value), values),
                                 translated(more.trusted_version(value), values)));
      continue;
    }
    values.push_back(state_->pooled(value.kind(), more.pooled_text(value), hash));
  }
  std::vector<KeyId> keys;
  keys.reserve(more.keys_.size());
  for (const Value name : more.keys_) keys.push_back(key(translated(name, values)));
  if (state_->any_list || from.any_list) {
    const std::vector<history::KeyUse> uses = from.uses();
    // Registers of `other` that come before its first list count too.
    state_->keep_uses();
    for (std::size_t k = 0; k < uses.size(); ++k) {
      if (uses[k] != history::KeyUse::kUnknown) state_->use(keys[k], uses[k]);
    }
  }
  if (!state_->status.ok()) {
    state_->status = ok_status();  // reported better where it happens
    return false;
  }
  const std::vector<std::uint32_t> predicates = state_->append_predicates(from, values);
  for (const State::Initial& each : from.initial) {
    std::vector<Value> elements;
    for (const Value element : each.elements) elements.push_back(translated(element, values));
    state_->initial.push_back(
        {keys[each.key.raw()], translated(each.value, values), std::move(elements)});
  }
  if (more.origin_.rows_are_deleted) state_->history.origin_.rows_are_deleted = true;
  state_->append_txns(from, sessions, values, position_offset);
  state_->append_ops(from, keys, values, predicates);
  return true;
}

std::size_t HistoryBuilder::txn_count() const { return state_->history.txn_status_.size(); }

std::size_t HistoryBuilder::op_count() const { return state_->history.ops_.size(); }

void HistoryBuilder::list_rows_later() { state_->lists_rows_later = true; }

HistoryOrigin& HistoryBuilder::origin() { return state_->history.origin_; }

const Status& HistoryBuilder::status() const { return state_->status; }

/// What growing tables have to spare is of use to nobody from here on.
void HistoryBuilder::State::give_back_spare() {
  constexpr std::size_t kWorthIt = 4096;
  const auto of = [&](auto& table) {
    if (table.size() >= kWorthIt) table.edit().shrink_to_fit();
  };
  of(history.predicates_);
  of(history.columns_);
  of(history.column_begin_);
  of(history.row_of_slot_);
  of(history.pool_begin_);
  of(history.pool_chars_);
  // Readers guess how many there are.
  if (history.ops_.capacity() - history.ops_.size() > history.ops_.size() / 8) {
    history.ops_.shrink_to_fit();
  }
}

Result<History> HistoryBuilder::finish(const GoOn& go_on) {
  if (!state_->status.ok()) return state_->status.error();
  History history = std::move(state_->history);
  const std::size_t txn_count = history.txn_status_.size();
  history.op_begin_.push_back(static_cast<std::uint32_t>(history.ops_.size()));

  history.key_is_list_.resize(history.keys_.size());
  for (std::size_t key = 0; key < state_->key_use.size(); ++key) {
    history.key_is_list_[key] = state_->key_use[key] == history::KeyUse::kList ? 1 : 0;
  }
  // Reads of the initial value take the kind of their key, so that later stages see one form.
  const bool any_list = history.list_begin_.size() > 1 ||
                        std::find(history.key_is_list_.begin(), history.key_is_list_.end(),
                                  1) != history.key_is_list_.end();
  for (std::size_t i = 0; any_list && i < history.ops_.size(); ++i) {
    Op& op = history.ops_[i];
    const bool list = history.key_is_list_[op.key.raw()] != 0;
    if (op.kind == OpKind::kRead && list) {
      op.kind = OpKind::kReadList;
      op.value = Value::from_bits(history.list_begin_.size() - 1);
      history.list_begin_.push_back(history.list_values_.size());
    } else if (op.kind == OpKind::kReadList && !list) {
      op.kind = OpKind::kRead;
      op.value = Value();
    }
  }

  state_->history = std::move(history);
  state_->check_versions();
  state_->place_initial();
  state_->settle_rows();
  state_->settle_initial_values();
  state_->settle_what_is_missing();
  state_->check_aggregates();
  state_->lower_selections(go_on);
  if (!state_->status.ok()) return state_->status.error();
  state_->give_back_spare();
  history = std::move(state_->history);

  const std::size_t session_count = history.session_names_.size();
  history.session_begin_.assign(session_count + 1, 0);
  for (SessionId session : history.txn_session_) ++history.session_begin_[session.raw() + 1];
  for (std::size_t s = 0; s < session_count; ++s) {
    history.session_begin_[s + 1] += history.session_begin_[s];
  }
  std::vector<std::uint32_t> next(history.session_begin_.begin(),
                                  history.session_begin_.end() - 1);
  history.session_txns_.resize(txn_count);
  history.txn_position_.resize(txn_count);
  for (std::size_t txn = 0; txn < txn_count; ++txn) {
    const std::uint32_t session = history.txn_session_[txn].raw();
    const std::uint32_t at = next[session]++;
    history.session_txns_[at] = TxnId::at(txn);
    history.txn_position_[txn] = at - history.session_begin_[session];
  }

  if (history.has_versions()) history.op_version_.resize(history.ops_.size());
  if (!state_->any_times) history.txn_times_ = {};
  if (state_->any_database_times) history.txn_database_times_.resize(txn_count);
  if (history.has_stated_levels()) history.txn_level_.resize(txn_count);
  if (!history.txn_label_.empty()) history.txn_label_.resize(txn_count);
  if (!history.txn_server_.empty()) history.txn_server_.resize(txn_count);
  if (!history.txn_input_.empty()) history.txn_input_.resize(txn_count);
  if (!history.txn_completion_.empty()) history.txn_completion_.resize(txn_count);
  // Whatever is built on here would be a history without what came before.
  state_ = std::make_unique<State>();
  state_->status = usage_error(
      "the builder has given its history already; a new history takes a new builder");
  return history;
}

}  // namespace isolde
