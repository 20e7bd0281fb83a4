// The event loop. Each session is a client that sends one request at a time and waits for the
// reply. A request takes effect in the store at one instant of virtual time, after a random
// delay for the network and the server's work; the reply takes another. So transactions of
// different sessions overlap at random, and the order in which clients learn of commits is only
// roughly the order of the commits: what a recorder in front of a real database sees.
//
// Every session has exactly one event pending, so the queue never holds more than that, and
// ties are broken by session number: the run is a function of the options.
#include "sim/simulate.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "base/rng.hpp"
#include "history/notation.hpp"
#include "isolde/history_builder.hpp"
#include "sim/tables.hpp"

namespace isolde::sim {
namespace {

Status usage(std::string message) { return Error{ErrorCode::kUsage, std::move(message)}; }

// What a session's next event is.
enum class Step : std::uint8_t {
  kOperation,  // the next operation reaches the store
  kFinish,     // the commit or rollback reaches the store
  kReply,      // the client learns the outcome, or gives up waiting
};

enum class Outcome : std::uint8_t { kCommitted, kConflict, kRolledBack, kLost };

struct Client {
  std::optional<SessionId> session;  // of the builder; a new one once it is needed
  std::uint32_t lost = 0;            // replies
  Step step = Step::kOperation;
  Outcome outcome = Outcome::kCommitted;
  std::uint32_t attempts = 0;  // at the present plan
  bool adds = false;           // operations at the end, for the fault
  std::uint32_t added = 0;     // so many by now
  std::size_t first_write = kNoOp;
  std::size_t first_read = kNoOp;
  std::size_t next_op = 0;
  std::int64_t clock_offset_ns = 0;
  std::int64_t start_ns = 0;
  TxnTruth truth;
  StoreTxn txn;
  TableTxn tables;
  bool refused = false;  // an operation: the transaction has to be rolled back
  bool is_done = false;  // begins no transaction any more
  gen::Plan plan;
  std::vector<gen::Seen> seen;         // one for each operation done
  std::vector<std::int64_t> elements;  // of the lists read, one after the other
  std::vector<std::size_t> list_ends;  // in `elements`, one for each list read

  static constexpr std::size_t kNoOp = ~std::size_t{0};
};

// Clocks begin here, so that a clock that is off does not show negative times.
constexpr std::int64_t kOriginNs = 1'000'000'000;

// Operations in a part, for each transaction that it may have.
constexpr std::uint64_t kPartOps = 16;

// A transaction that the database refuses so often is given up.
constexpr std::uint32_t kRefusalsMost = 100;

// The faults that show only where a transaction touches a key once more.
bool adds_operations(Fault fault) {
  return fault == Fault::kIntermediateRead || fault == Fault::kNotMyLastWrite ||
         fault == Fault::kNotMyOwnWrite || fault == Fault::kNonRepeatableRead;
}

class Simulation {
 public:
  Simulation(const SimulationOptions& options, SimulationTrace* trace)
      : options_(options),
        trace_(trace),
        planner_(options.workload),
        rng_(base::mix2(options.workload.seed, 1)),
        store_({options.level, options.staleness, options.fault, options.fault_rate,
                options.workload.sessions, base::mix2(options.workload.seed, 2)}),
        tables_(store_, planner_.tables()) {}

  Result<History> run();
  /// In parts: without the last one.
  void take_parts(std::uint64_t part_txns, const TakePart& take) {
    part_txns_ = part_txns;
    take_ = &take;
  }

 private:
  struct Event {
    std::int64_t time_ns = 0;
    std::uint32_t client = 0;
    bool operator>(const Event& other) const {
      return time_ns != other.time_ns ? time_ns > other.time_ns : client > other.client;
    }
  };

  void begin_history();
  void end_part(const Client& client, std::int64_t now_ns);
  std::int64_t open_since(const Client& client, std::int64_t now_ns) const;
  void add_initial_rows();
  void add_clients();
  void schedule(Client& client, Step step, std::int64_t time_ns);
  void begin_plan(Client& client, std::int64_t now_ns);
  bool faults_strike() const;
  void begin_attempt(Client& client, std::int64_t now_ns);
  bool more_to_do(Client& client);
  bool add_operation(Client& client);
  std::int64_t later_write(const Client& client, std::int64_t key) const;
  void on_operation(Client& client, std::int64_t now_ns);
  void on_finish(Client& client, std::int64_t now_ns);
  void on_reply(Client& client, std::int64_t now_ns);
  void perform(Client& client, const gen::PlannedOp& op);
  void perform_on_tables(Client& client, const gen::PlannedOp& op);
  gen::Seen select(Client& client, const gen::PlannedOp& op);
  void enter_session(Client& client);
  void record(Client& client, std::int64_t now_ns);
  void record_ops(const Client& client);
  void record_rows(const Client& client, const gen::PlannedOp& op, const gen::Seen& seen);
  void record_taken_back(const Client& client, const gen::PlannedOp& op, const gen::Seen& seen,
                         std::set<std::int64_t>& written);
  std::uint32_t number_of(std::int64_t key) {
    if (!integer_keys_) return number_of_row(key);
    if (!planner_.has_fences()) return static_cast<std::uint32_t>(key);
    return key == gen::kFenceKey ? 0 : static_cast<std::uint32_t>(key) + 1;
  }
  std::uint32_t number_of_row(std::int64_t key);
  KeyId key_id(std::int64_t key);
  std::uint32_t index_of(const Client& client) const {
    return static_cast<std::uint32_t>(&client - clients_.data());
  }
  std::int64_t jitter(std::int64_t mean_ns);
  std::int64_t hop() { return jitter(options_.network_ns); }
  std::int64_t work() { return jitter(options_.service_ns); }

  const SimulationOptions& options_;
  SimulationTrace* trace_;
  gen::Planner planner_;
  base::Rng rng_;
  Store store_;
  Tables tables_;
  HistoryBuilder builder_;
  std::vector<Client> clients_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  // The store's keys are numbered without gaps; integer keys are their own numbers, behind that
  // of fences, if there are any.
  const bool integer_keys_ = planner_.is_integer_key();
  std::unordered_map<std::int64_t, std::uint32_t> numbers_;  // looked up, never walked through
  std::vector<KeyId> key_ids_;                               // by number
  std::vector<Value> list_values_;
  std::vector<Row> rows_;
  std::uint64_t in_flight_ = 0;  // plans that have not come to their end
  SimulationStatistics statistics_;
  std::uint64_t part_txns_ = 0;  // 0: there is but one part
  const TakePart* take_ = nullptr;
  Status status_ = ok_status();
};

void Simulation::begin_history() {
  builder_.origin().format = "generated";
  for (const auto& [name, text] : planner_.notation()) {
    if (name != "values") continue;
    if (auto values = history::parse_values(text)) {
      builder_.origin().notation.values = std::move(*values);
    }
  }
}

// By the clients' clocks, when the transaction of `client` has just ended.
std::int64_t Simulation::open_since(const Client& client, std::int64_t now_ns) const {
  if (!options_.times) return kNoTime;
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (const Client& each : clients_) {
    if (each.is_done) continue;
    const std::int64_t start_ns = &each == &client ? now_ns : each.start_ns;
    const std::int64_t start = kOriginNs + start_ns + each.clock_offset_ns;
    earliest = std::min(start, earliest);
  }
  return earliest;
}

// What builders give ids to gets them anew.
void Simulation::end_part(const Client& client, std::int64_t now_ns) {
  const Result<History> part = builder_.finish();
  status_ = part ? (*take_)(*part, open_since(client, now_ns), false) : Status(part.error());
  builder_ = HistoryBuilder();
  key_ids_.clear();
  begin_history();
  for (Client& each : clients_) {
    if (each.session) enter_session(each);
  }
}

Result<History> Simulation::run() {
  begin_history();
  add_initial_rows();
  add_clients();
  while (!events_.empty() && status_.ok()) {
    const Event event = events_.top();
    events_.pop();
    Client& client = clients_[event.client];
    statistics_.duration_ns = event.time_ns;
    switch (client.step) {
      case Step::kOperation:
        on_operation(client, event.time_ns);
        break;
      case Step::kFinish:
        on_finish(client, event.time_ns);
        break;
      case Step::kReply:
        on_reply(client, event.time_ns);
        break;
    }
  }
  statistics_.faults_injected = store_.faults_injected();
  if (trace_ != nullptr) trace_->statistics = statistics_;
  if (!status_) return status_.error();
  return builder_.finish();
}

// In a transaction of their own, before all others.
void Simulation::add_initial_rows() {
  const std::vector<gen::InitialRow> rows = planner_.initial_rows();
  if (rows.empty()) return;
  TableTxn done;
  tables_.load(rows, done);
  builder_.begin_txn(builder_.session("initial"));
  if (options_.times) {
    builder_.set_times({.start = 0, .end = kOriginNs - options_.clock_error_ns});
  }
  tables_.record(builder_, done);
  if (trace_ != nullptr) trace_->txns.push_back({.commit = 1});
}

// No more clients than transactions, so that every session has one.
void Simulation::add_clients() {
  const std::uint64_t count =
      std::min<std::uint64_t>(options_.workload.sessions, options_.workload.txns);
  clients_.resize(count);
  const auto range = static_cast<std::uint64_t>(options_.clock_error_ns) * 2 + 1;
  for (std::size_t i = 0; i < count; ++i) {
    Client& client = clients_[i];
    enter_session(client);
    client.clock_offset_ns =
        static_cast<std::int64_t>(rng_.below(range)) - options_.clock_error_ns;
    begin_plan(client, jitter(options_.think_ns));
  }
}

void Simulation::schedule(Client& client, Step step, std::int64_t time_ns) {
  client.step = step;
  events_.push({time_ns, index_of(client)});
}

void Simulation::begin_plan(Client& client, std::int64_t now_ns) {
  client.is_done = statistics_.committed + in_flight_ >= options_.workload.txns;
  if (client.is_done) return;
  ++in_flight_;
  client.attempts = 0;
  planner_.plan(index_of(client), client.plan);
  store_.let_faults_strike(faults_strike());
  client.adds =
      adds_operations(options_.fault) && faults_strike() && rng_.chance(options_.fault_rate);
  begin_attempt(client, now_ns);
}

bool Simulation::faults_strike() const {
  const auto committed = static_cast<double>(statistics_.committed);
  const auto all = static_cast<double>(options_.workload.txns);
  return committed >= options_.fault_after * all && committed <= options_.fault_before * all;
}

void Simulation::begin_attempt(Client& client, std::int64_t now_ns) {
  client.start_ns = now_ns;
  client.next_op = 0;
  client.added = 0;
  client.first_write = Client::kNoOp;
  client.first_read = Client::kNoOp;
  client.seen.clear();
  client.elements.clear();
  client.list_ends.clear();
  client.truth = {};
  schedule(client, Step::kOperation, now_ns + hop() + work());
}

void Simulation::on_operation(Client& client, std::int64_t now_ns) {
  if (client.next_op == 0) {
    store_.begin(client.txn, index_of(client), client.attempts == 0, StoreTxn::kNoKey);
    tables_.begin(client.tables);
    client.refused = false;
    client.truth.begin_ns = now_ns;
    // A read-committed transaction has no snapshot.
    const bool snapshot = options_.level != StoreLevel::kReadCommitted;
    client.truth.snapshot = snapshot ? client.txn.snapshot : 0;
  }
  perform(client, client.plan.ops[client.next_op]);
  ++client.next_op;
  const Step next = more_to_do(client) ? Step::kOperation : Step::kFinish;
  schedule(client, next, now_ns + hop() + hop() + work());
}

bool Simulation::more_to_do(Client& client) {
  if (client.refused) return false;
  if (client.next_op < client.plan.ops.size()) return true;
  if (client.added == 0 && planner_.extend(index_of(client), client.plan, client.seen)) {
    return true;
  }
  return client.adds && add_operation(client);
}

// The operation that gives the fault its opportunity, at the end of a transaction.
bool Simulation::add_operation(Client& client) {
  const bool reads_again = options_.fault == Fault::kNonRepeatableRead;
  const std::size_t op = reads_again ? client.first_read : client.first_write;
  if (op == Client::kNoOp) return false;
  const bool writes = options_.fault == Fault::kIntermediateRead ||
                      (options_.fault == Fault::kNotMyLastWrite && client.added == 0);
  const bool done =
      options_.fault == Fault::kNotMyLastWrite ? client.added == 2 : client.added == 1;
  if (done) return false;
  ++client.added;
  if (writes) {
    planner_.write_again(index_of(client), client.plan, op);
    return true;
  }
  const gen::PlannedOp first = client.plan.ops[op];
  if (first.is_of_tables()) {
    client.plan.ops.push_back(first);
    return true;
  }
  const bool list = first.kind == gen::Action::kAppend || first.kind == gen::Action::kReadList;
  client.plan.ops.push_back(
      {0, 0, first.key, list ? gen::Action::kReadList : gen::Action::kRead});
  return true;
}

// What the transaction is known to write to the key later; 0 for nothing.
std::int64_t Simulation::later_write(const Client& client, std::int64_t key) const {
  if (options_.fault != Fault::kFutureRead) return 0;
  for (std::size_t op = client.next_op + 1; op < client.plan.ops.size(); ++op) {
    const gen::PlannedOp& later = client.plan.ops[op];
    if (later.key == key && later.kind == gen::Action::kWrite) return later.value;
  }
  return 0;
}

void Simulation::perform(Client& client, const gen::PlannedOp& op) {
  if (op.is_of_tables()) return perform_on_tables(client, op);
  const std::uint32_t key = op.has_condition() ? StoreTxn::kNoKey : number_of(op.key);
  gen::Seen seen;
  const bool writes = op.kind == gen::Action::kWrite || op.kind == gen::Action::kAppend;
  if (writes && client.adds && client.first_write == Client::kNoOp) {
    client.first_write = client.next_op;
    client.txn.exposed_key = key;
  }
  if (op.is_read() && client.first_read == Client::kNoOp) client.first_read = client.next_op;
  switch (op.kind) {
    case gen::Action::kRead:
      seen.value = store_.read(client.txn, key, later_write(client, op.key));
      break;
    case gen::Action::kReadList:
      store_.read_list(client.txn, key, client.elements);
      client.list_ends.push_back(client.elements.size());
      break;
    case gen::Action::kWrite:
      store_.write(client.txn, key, op.value);
      break;
    case gen::Action::kAppend:
      store_.append(client.txn, key, op.value);
      break;
    case gen::Action::kCompareAndSet:
      seen.value = store_.compare_and_set(client.txn, key, op.expected, op.value);
      seen.applied = seen.value == op.expected;
      break;
    case gen::Action::kIncrement:
      seen.value = store_.increment(client.txn, key, op.value);
      break;
    case gen::Action::kDelete:
      // A row that is not there: nothing to delete, and a read that found none.
      seen.applied = store_.read(client.txn, key) != 0;
      if (seen.applied) store_.write(client.txn, key, 0);
      break;
    case gen::Action::kSelect:
    case gen::Action::kDeleteSelected:
      seen = select(client, op);
      break;
    default:
      ISOLDE_CHECK(false);
  }
  client.seen.push_back(seen);
}

void Simulation::perform_on_tables(Client& client, const gen::PlannedOp& op) {
  // Selecting once more gives the fault non-repeatable-read its opportunity.
  if (op.kind == gen::Action::kSelectRows && client.first_read == Client::kNoOp) {
    client.first_read = client.next_op;
  }
  gen::Seen seen;
  client.refused = !tables_.perform(client.txn, client.tables, op, client.plan, seen);
  // What a fault would show again is to be what stays.
  if (op.kind == gen::Action::kRollBackToSavepoint) client.first_write = Client::kNoOp;
  client.seen.push_back(seen);
}

// Reads all rows that can ever meet the condition, so that what it did not find is guarded like
// what it did.
gen::Seen Simulation::select(Client& client, const gen::PlannedOp& op) {
  const gen::RowCondition condition =
      client.plan.conditions[static_cast<std::size_t>(op.expected)];
  const PredicateView predicate = condition.predicate;
  gen::Seen seen;
  seen.first_row = static_cast<std::uint32_t>(client.plan.rows.size());
  for (std::int64_t key = condition.first; key <= condition.last; ++key) {
    const std::int64_t value = store_.read(client.txn, number_of(key));
    if (value == 0 || !predicate.selects_value(Value::integer(value))) continue;
    client.plan.rows.push_back({key, value});
    ++seen.rows;
    if (op.kind == gen::Action::kDeleteSelected) store_.write(client.txn, number_of(key), 0);
  }
  return seen;
}

// Rolls back by the client's wish, or commits. When the connection breaks, the request may have
// been lost as well as the reply.
void Simulation::on_finish(Client& client, std::int64_t now_ns) {
  const bool planned = client.plan.rolls_back && !client.refused;
  const bool lost = !planned && !client.refused && rng_.chance(options_.lost_reply_rate);
  const bool arrives = !lost || rng_.chance(0.5);
  const bool rolls_back =
      planned || (!lost && !client.refused && rng_.chance(options_.user_abort_rate));
  Seq seq = 0;
  if (arrives && !rolls_back && !client.refused) {
    tables_.guard(client.txn, client.tables);
    seq = store_.commit(client.txn);
  } else {
    store_.abort(client.txn);
  }
  tables_.end(client.tables, seq);
  client.truth.commit = seq;
  client.truth.commit_ns = now_ns;
  client.truth.fault_seen = seq != 0 && client.txn.fault_seen;
  std::int64_t wait_ns = hop();
  if (lost) {
    client.outcome = Outcome::kLost;
    wait_ns += 20 * (options_.network_ns + options_.service_ns);
  } else if (rolls_back) {
    client.outcome = Outcome::kRolledBack;
  } else {
    client.outcome = seq == 0 ? Outcome::kConflict : Outcome::kCommitted;
  }
  schedule(client, Step::kReply, now_ns + wait_ns);
}

void Simulation::on_reply(Client& client, std::int64_t now_ns) {
  record(client, now_ns);
  if (client.truth.fault_seen) ++statistics_.faults_seen;
  // At least a nanosecond later, so that a session's transactions do not touch in time.
  if (client.outcome == Outcome::kConflict) {
    ++statistics_.conflict_aborts;
    ++client.attempts;
    // A row that a fault left as it should not be may be in the way for ever.
    if (client.refused && client.attempts == kRefusalsMost) {
      --in_flight_;
      return begin_plan(client, now_ns + 1 + jitter(options_.think_ns));
    }
    planner_.renew(index_of(client), client.plan);
    const std::int64_t pause_ns = options_.think_ns * std::min(client.attempts, 16U);
    return begin_attempt(client, now_ns + 1 + jitter(pause_ns));
  }
  --in_flight_;
  switch (client.outcome) {
    case Outcome::kCommitted:
      ++statistics_.committed;
      break;
    case Outcome::kRolledBack:
      ++statistics_.user_aborts;
      break;
    default:
      ++statistics_.indeterminate;
      ++client.lost;
      client.session.reset();
  }
  // A fence that did not commit is none, and a session goes on under a new name with one.
  const bool is_fence = client.plan.ops.front().key == gen::kFenceKey;
  const bool is_lost = client.outcome == Outcome::kLost;
  if (is_lost || (is_fence && client.outcome != Outcome::kCommitted)) {
    planner_.fence(index_of(client));
  }
  begin_plan(client, now_ns + 1 + jitter(options_.think_ns));
}

// As a recorder does: behind a lost reply the client goes on under another name, for what it
// does then is not ordered after a transaction that may still be running.
void Simulation::enter_session(Client& client) {
  std::string name = std::to_string(index_of(client));
  if (client.lost > 0) name += "/" + std::to_string(client.lost + 1);
  client.session = builder_.session(name);
}

void Simulation::record(Client& client, std::int64_t now_ns) {
  if (!client.session) enter_session(client);
  builder_.begin_txn(*client.session);
  TxnTimes times;
  times.start = kOriginNs + client.start_ns + client.clock_offset_ns;
  if (client.outcome == Outcome::kLost) {
    builder_.set_status(TxnStatus::kIndeterminate);
  } else {
    times.end = kOriginNs + now_ns + client.clock_offset_ns;
    if (client.outcome != Outcome::kCommitted) builder_.set_status(TxnStatus::kAborted);
  }
  if (options_.times) builder_.set_times(times);
  if (planner_.tables().empty()) {
    record_ops(client);
  } else {
    tables_.record(builder_, client.tables);
  }
  if (trace_ != nullptr) trace_->txns.push_back(client.truth);
  // A part of long transactions ends sooner, or it would take more memory.
  const bool is_full =
      builder_.txn_count() == part_txns_ || builder_.op_count() / kPartOps >= part_txns_;
  if (part_txns_ > 0 && is_full) end_part(client, now_ns);
}

// A compare-and-set is a read and, where it was applied, a write.
void Simulation::record_ops(const Client& client) {
  // What is added to begins with 0, which is a number like others there.
  const bool counts = gen::info(options_.workload.workload).needs.increments;
  const auto value_of = [counts](std::int64_t value) {
    return value == 0 && !counts ? Value() : Value::integer(value);
  };
  std::size_t lists = 0;
  std::size_t element = 0;
  const auto take_list = [&] {
    list_values_.clear();
    for (; element < client.list_ends[lists]; ++element) {
      list_values_.push_back(Value::integer(client.elements[element]));
    }
    ++lists;
  };
  const gen::Plan::Detour& detour = client.plan.detour;
  std::set<std::int64_t> taken_back;
  for (std::size_t i = 0; i < client.plan.ops.size(); ++i) {
    const gen::PlannedOp& op = client.plan.ops[i];
    const gen::Seen& seen = client.seen[i];
    if (op.is_of_tables()) continue;  // a savepoint
    if (detour.end != gen::Plan::Detour::kNone && i > detour.savepoint && i < detour.end) {
      if (op.kind == gen::Action::kReadList) take_list();
      record_taken_back(client, op, seen, taken_back);
      continue;
    }
    const KeyId key = op.has_condition() ? KeyId() : key_id(op.key);
    switch (op.kind) {
      case gen::Action::kRead:
        builder_.read(key, value_of(seen.value));
        break;
      case gen::Action::kWrite:
        builder_.write(key, Value::integer(op.value));
        break;
      case gen::Action::kAppend:
        builder_.append(key, Value::integer(op.value));
        break;
      case gen::Action::kReadList:
        take_list();
        builder_.read_list(key, list_values_);
        break;
      case gen::Action::kCompareAndSet:
        builder_.read(key, value_of(seen.value));
        if (seen.applied) builder_.write(key, Value::integer(op.value));
        break;
      case gen::Action::kIncrement:
        builder_.increment(key, op.value, seen.value);
        break;
      case gen::Action::kDelete:
        if (seen.applied) builder_.remove(key);
        break;
      case gen::Action::kSelect:
      case gen::Action::kDeleteSelected:
        record_rows(client, op, seen);
        break;
      default:
        ISOLDE_CHECK(false);
    }
  }
}

void Simulation::record_rows(const Client& client, const gen::PlannedOp& op,
                             const gen::Seen& seen) {
  rows_.clear();
  const std::span all(client.plan.rows);
  for (const gen::SeenRow& row : all.subspan(seen.first_row, seen.rows)) {
    rows_.push_back({key_id(row.key), Value::integer(row.value)});
  }
  builder_.select(client.plan.conditions[static_cast<std::size_t>(op.expected)].predicate,
                  rows_);
  if (op.kind != gen::Action::kDeleteSelected) return;
  for (const Row& row : rows_) builder_.remove(row.key);
}

// What was done after a savepoint, to which the client went back: no writes, and no reads that
// may have seen them, as table::drop_taken_back() has it. Of a list, list_values_ has what was
// read.
void Simulation::record_taken_back(const Client& client, const gen::PlannedOp& op,
                                   const gen::Seen& seen, std::set<std::int64_t>& written) {
  if (op.kind == gen::Action::kReadList) {
    if (!written.contains(op.key)) builder_.read_list(key_id(op.key), list_values_);
    return;
  }
  if (!op.has_condition()) {
    const bool writes =
        op.kind == gen::Action::kWrite || op.kind == gen::Action::kAppend || seen.applied;
    if (writes) written.insert(op.key);
    return;
  }
  rows_.clear();
  const std::span all = std::span(client.plan.rows).subspan(seen.first_row, seen.rows);
  for (const gen::SeenRow& row : all) {
    if (written.contains(row.key)) continue;
    rows_.push_back({key_id(row.key), Value::integer(row.value)});
  }
  if (written.empty()) {
    builder_.select(client.plan.conditions[static_cast<std::size_t>(op.expected)].predicate,
                    rows_);
  } else {
    for (const Row& row : rows_) builder_.read(row.key, row.value);
  }
  if (op.kind != gen::Action::kDeleteSelected) return;
  for (const gen::SeenRow& row : all) written.insert(row.key);
}

std::uint32_t Simulation::number_of_row(std::int64_t key) {
  const auto next = static_cast<std::uint32_t>(numbers_.size());
  return numbers_.try_emplace(key, next).first->second;
}

KeyId Simulation::key_id(std::int64_t key) {
  const std::uint32_t number = number_of(key);
  if (number >= key_ids_.size()) {
    key_ids_.resize(std::max<std::size_t>(number + std::size_t{1}, key_ids_.size() * 2));
  }
  KeyId& id = key_ids_[number];
  if (id.is_none()) {
    id = builder_.key(planner_.is_named_by_number(key)
                          ? Value::integer(key)
                          : builder_.string(planner_.key_name(key)));
  }
  return id;
}

// Half to three halves of the mean, and once in 32 times a pause of up to eight times more.
std::int64_t Simulation::jitter(std::int64_t mean_ns) {
  const auto mean = static_cast<std::uint64_t>(mean_ns);
  std::uint64_t delay = mean / 2 + rng_.below(mean + 1);
  if (rng_.below(32) == 0) delay += rng_.below(8 * mean + 1);
  return static_cast<std::int64_t>(delay);
}

// Below 1, or a run with many retries might not end.
Status check_rate(std::string_view option, double rate, double most) {
  if (rate >= 0 && rate <= most) return ok_status();
  const std::string limit = most == 1 ? "1" : "0.9";
  return usage("--" + std::string(option) + " must be between 0 and " + limit);
}

std::string levels_for(const FaultInfo& fault) {
  std::string names;
  for (const StoreLevelInfo& row : all_store_levels()) {
    if (((fault.applies_to >> static_cast<unsigned>(row.level)) & 1U) == 0) continue;
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

}  // namespace

Status validate(const SimulationOptions& options) {
  if (const Status status = gen::validate(options.workload); !status.ok()) return status;
  const gen::WorkloadInfo& row = gen::info(options.workload.workload);
  const bool writes_again =
      adds_operations(options.fault) && options.fault != Fault::kNonRepeatableRead;
  if (row.needs.tables && writes_again) {
    return usage("workload " + std::string(row.name) + " is on tables, where the fault " +
                 std::string(info(options.fault).name) + " cannot be made");
  }
  if (row.needs.increments && options.fault == Fault::kThinAirRead) {
    return usage("workload " + std::string(row.name) +
                 " adds to what it finds, where the fault thin-air-read cannot be made");
  }
  if (const Status status = check_rate("fault-rate", options.fault_rate, 1); !status.ok()) {
    return status;
  }
  if (const Status status = check_rate("abort-rate", options.user_abort_rate, 0.9);
      !status.ok()) {
    return status;
  }
  if (const Status status = check_rate("lost-reply-rate", options.lost_reply_rate, 0.9);
      !status.ok()) {
    return status;
  }
  const std::int64_t longest_ns = std::max(
      {options.network_ns, options.service_ns, options.think_ns, options.clock_error_ns});
  const std::int64_t shortest_ns = std::min(
      {options.network_ns, options.service_ns, options.think_ns, options.clock_error_ns});
  if (shortest_ns < 0 || longest_ns > 1'000'000'000) {
    return usage("network, service, think and clock error times must be between 0 and 1 s");
  }
  if (options.level == StoreLevel::kStrictSerializable &&
      options.staleness != Staleness::kFresh) {
    return usage(
        "stale snapshots are not strict-serializable; use level serializable, "
        "snapshot-isolation or read-committed, or fault stale-read");
  }
  // Written so that not-a-number fails.
  if (!(options.fault_after >= 0 && options.fault_after < options.fault_before &&
        options.fault_before <= 1)) {
    return usage("--fault-after must be less than --fault-before, both between 0 and 1");
  }
  const FaultInfo& fault = info(options.fault);
  if (((fault.applies_to >> static_cast<unsigned>(options.level)) & 1U) == 0) {
    return usage("fault " + std::string(fault.name) + " has no effect at level " +
                 std::string(info(options.level).name) + "; use " + levels_for(fault));
  }
  return ok_status();
}

Result<History> simulate(const SimulationOptions& options, SimulationTrace* trace) {
  if (const Status status = validate(options); !status.ok()) return status.error();
  if (trace != nullptr) *trace = {};
  Simulation simulation(options, trace);
  return simulation.run();
}

Status simulate_in_parts(const SimulationOptions& options, std::uint64_t part_txns,
                         const TakePart& take) {
  if (Status status = validate(options); !status) return status;
  Simulation simulation(options, nullptr);
  simulation.take_parts(part_txns, take);
  const Result<History> last = simulation.run();
  return last ? take(*last, kNoTime, true) : Status(last.error());
}

bool can_be_taken_in_parts(const SimulationOptions& options) {
  return !gen::info(options.workload.workload).needs.tables;
}

}  // namespace isolde::sim
