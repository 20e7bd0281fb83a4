#include "run/executor.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "base/rng.hpp"
#include "run/initial_rows.hpp"
#include "run/reason.hpp"
#include "run/recorded_ops.hpp"
#include "run/recorded_tables.hpp"

namespace isolde::run {
namespace {

using Clock = std::chrono::steady_clock;

/// Who hears nothing for so long waits for more than another transaction.
constexpr std::chrono::seconds kSilence(3);
/// A run without success at its end is no run of its length any more: for this share of it, and
/// at least so long.
constexpr double kFruitlessShare = 0.25;
constexpr double kFruitlessSeconds = 2;
/// So many in one session, with no faults about, are no accident.
constexpr std::uint32_t kUnknownInARow = 50;

std::chrono::nanoseconds seconds(double count) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(count));
}

std::string tenths(double count) {
  const long tenth = std::lround(count * 10);
  return std::to_string(tenth / 10) + "." + std::to_string(tenth % 10);
}

/// What all sessions share.
class Run {
 public:
  Run(db::Database& target, gen::Planner& plans, Recorder& records, const ExecutorOptions& how,
      base::Budget& limits)
      : database(target),
        planner(plans),
        recorder(records),
        options(how),
        budget_(limits),
        left_(how.workload.txns) {}

  /// Whether the session may start one more transaction; it then owes end_claim().
  bool claim() {
    if (stopping()) return false;
    if (options.duration_seconds > 0) return true;
    std::uint64_t left = left_.load(std::memory_order_relaxed);
    while (left > 0) {
      if (left_.compare_exchange_weak(left, left - 1)) return true;
    }
    // Others may give theirs back.
    return false;
  }
  void end_claim(bool committed) {
    if (!committed && options.duration_seconds <= 0) left_.fetch_add(1);
    if (committed) committed_.fetch_add(1, std::memory_order_relaxed);
  }
  bool all_committed() const {
    return options.duration_seconds <= 0 && committed_.load() >= options.workload.txns;
  }

  bool stopping() const { return stop_.load(std::memory_order_relaxed); }
  void stop() { stop_.store(true); }

  /// Ends the run because of something that trying again will not help.
  void fail(const std::string& why) {
    note(why);
    stop();
  }
  /// The run is not what it should have been; others go on.
  void note(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = why;
  }
  std::string failure() {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

  bool interrupted() { return !budget_.look(); }

  /// Whether sessions have to drop the transaction in hand.
  bool overdue() const { return overdue_.load(std::memory_order_relaxed); }
  void set_overdue() { overdue_.store(true); }

  // Thread-safe objects, and constants of the run.
  db::Database& database;
  gen::Planner& planner;
  Recorder& recorder;
  const ExecutorOptions& options;
  std::atomic<bool> go{false};  ///< all threads are there

 private:
  base::Budget& budget_;
  std::atomic<std::uint64_t> left_;
  std::atomic<std::uint64_t> committed_{0};
  std::atomic<bool> stop_{false};
  std::atomic<bool> overdue_{false};
  std::mutex mutex_;
  std::string failure_;
};

/// A session's connection, which another thread may cut. The socket is held by a second
/// descriptor: the client library may close its own at any time, and the number be used again.
class Connection {
 public:
  ~Connection() { reset(nullptr); }

  db::Session* get() { return session_.get(); }
  bool is_open() const { return session_ != nullptr; }
  void reset(std::unique_ptr<db::Session> session) {
    const std::lock_guard lock(mutex_);
    if (socket_ >= 0) close(socket_);
    session_ = std::move(session);
    socket_ = session_ && session_->socket() >= 0 ? dup(session_->socket()) : -1;
  }
  /// Whether there was a connection to cut.
  bool cut() {
    const std::lock_guard lock(mutex_);
    return socket_ >= 0 && shutdown(socket_, SHUT_RDWR) == 0;
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<db::Session> session_;
  int socket_ = -1;
};

class Client {
 public:
  Client(Run& run, std::uint32_t number)
      : run_(run),
        number_(number),
        recorded_(run.recorder.session(std::to_string(number))),
        ops_(recorded_),
        tables_(recorded_, run.planner.tables()),
        has_tables_(!run.planner.tables().empty()),
        rng_(base::mix2(run.options.workload.seed ^ 0xc11e47ULL, number)) {}

  Status connect() {
    Result<std::unique_ptr<db::Session>> session = run_.database.connect(number_);
    if (!session) return session.error();
    recorded_.server((*session)->server());
    connection_.reset(std::move(session).value());
    return ok_status();
  }

  void work();

  /// The counts, from another thread. COST: a lock that a session takes once a transaction.
  void add_to(RunStatistics& total) {
    const std::lock_guard lock(mutex_);
    total.committed += statistics_.committed;
    total.aborted += statistics_.aborted;
    total.rolled_back += statistics_.rolled_back;
    total.unknown += statistics_.unknown;
    total.given_up += statistics_.given_up;
    total.reconnects += statistics_.reconnects;
    total.reasons.add(statistics_.reasons);
  }

  bool cut() { return connection_.cut(); }
  /// When the last transaction ended as the workload wants it; from any thread.
  Clock::time_point succeeded_at() {
    const std::lock_guard lock(mutex_);
    return succeeded_at_;
  }

  // Once work() has returned.
  /// Since when there was no database to work on, if that was so at the end.
  std::optional<Clock::time_point> cut_off_since() const;
  /// What was the last that was heard of it.
  const std::string& complaint() const { return complaint_; }

 private:
  enum class End : std::uint8_t { kCommitted, kRolledBack, kAborted, kUnknown };

  void transaction();
  End attempt();
  db::Reply perform();
  db::Reply perform(const gen::PlannedOp& op, gen::Seen& seen);
  db::Reply compare_and_set(const gen::PlannedOp& op, gen::Seen& seen);
  db::Reply select(const gen::PlannedOp& op, gen::Seen& seen);
  db::Reply perform_on_tables(const gen::PlannedOp& op, gen::Seen& seen);
  /// On record, what a savepoint holds back.
  void release() {
    tables_.end();
    ops_.release();
  }
  End end(const db::Reply& reply);
  bool is_due(End result) const;
  void hear(const db::Reply& reply);
  db::Reply drop();
  bool reconnect();
  void pause(std::uint32_t attempts);
  RecordedValue key(std::int64_t number);

  Run& run_;
  const std::uint32_t number_;
  RecordedSession recorded_;
  RecordedOps ops_;
  RecordedTables tables_;
  const bool has_tables_;
  base::Rng rng_;
  Connection connection_;
  bool given_up_ = false;    ///< there is no connection, and will be none
  bool refused_ = false;     ///< the last attempt to connect has failed
  bool was_silent_ = false;  ///< for long, before the connection broke
  std::string complaint_;
  std::uint32_t unknown_in_a_row_ = 0;
  std::string last_unknown_;    ///< its message
  Clock::time_point heard_at_;  ///< the last answer
  gen::Plan plan_;
  std::vector<gen::Seen> results_;
  std::vector<std::int64_t> elements_;
  std::vector<db::Row> rows_;
  std::vector<table::Change> changes_;
  std::string key_text_;
  std::mutex mutex_;  // of what follows
  Clock::time_point succeeded_at_;
  RunStatistics statistics_;
};

void Client::work() {
  run_.go.wait(false);  // so that no fast session is done before the others begin
  heard_at_ = Clock::now();
  while (!run_.stopping() && !given_up_) {
    if (connection_.get() == nullptr && !reconnect()) return;
    if (run_.claim()) {
      transaction();
    } else if (run_.all_committed()) {
      return;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

/// One transaction of the workload, sent until it commits or there is no point.
void Client::transaction() {
  run_.planner.plan(number_, plan_);
  End result = End::kAborted;
  std::uint32_t attempts = 0;
  for (; attempts < run_.options.attempts_max; ++attempts) {
    if (attempts > 0) {
      pause(attempts);
      if (run_.stopping()) break;
      if (connection_.get() == nullptr && !reconnect()) break;
      run_.planner.renew(number_, plan_);
    }
    result = attempt();
    if (result != End::kAborted) break;
  }
  unknown_in_a_row_ = result == End::kUnknown ? unknown_in_a_row_ + 1 : 0;
  if (unknown_in_a_row_ >= kUnknownInARow && run_.options.faults.empty()) {
    run_.fail("the outcomes of " + std::to_string(kUnknownInARow) +
              " transactions in a row are unknown, the last: " + last_unknown_);
  }
  const std::lock_guard lock(mutex_);
  if (result == End::kCommitted || result == End::kRolledBack) succeeded_at_ = Clock::now();
  if (result == End::kCommitted) ++statistics_.committed;
  if (result == End::kRolledBack) ++statistics_.rolled_back;
  if (result == End::kUnknown) ++statistics_.unknown;
  if (attempts == run_.options.attempts_max) ++statistics_.given_up;
  if (is_due(result)) run_.planner.fence(number_);
  run_.end_claim(result == End::kCommitted);
}

/// A fence that did not commit is none, and a session goes on under a new name with one.
bool Client::is_due(End result) const {
  const bool is_fence = plan_.ops.front().key == gen::kFenceKey;
  return result == End::kUnknown || (is_fence && result != End::kCommitted);
}

Client::End Client::attempt() {
  db::Session& session = *connection_.get();
  results_.clear();
  const bool single = plan_.ops.size() == 1 && plan_.ops[0].kind == gen::Action::kCompareAndSet;
  recorded_.begin();
  if (single) {
    gen::Seen seen;
    const db::Reply reply = perform(plan_.ops[0], seen);
    results_.push_back(seen);
    if (reply.ok()) run_.planner.extend(number_, plan_, results_);
    return end(reply);
  }
  db::Reply reply = session.begin();
  if (reply.ok()) reply = perform();
  if (!reply.ok()) return end(reply);
  release();
  if (!plan_.rolls_back) return end(session.commit());
  reply = session.rollback();
  recorded_.abort();
  hear(reply);
  return End::kRolledBack;
}

/// All operations, those of later stages as well.
db::Reply Client::perform() {
  do {
    while (results_.size() < plan_.ops.size()) {
      if (run_.overdue()) return drop();
      gen::Seen seen;
      db::Reply reply = perform(plan_.ops[results_.size()], seen);
      if (!reply.ok()) return reply;
      heard_at_ = Clock::now();
      results_.push_back(seen);
    }
  } while (run_.planner.extend(number_, plan_, results_));
  return {};
}

db::Reply Client::perform(const gen::PlannedOp& op, gen::Seen& seen) {
  db::Session& session = *connection_.get();
  db::Reply reply;
  switch (op.kind) {
    case gen::Action::kRead: {
      std::optional<std::int64_t> value;
      reply = ops_.read(session, op.key, key(op.key), value);
      if (reply.ok()) seen.value = value.value_or(0);
      break;
    }
    case gen::Action::kReadList:
      reply = ops_.read_list(session, op.key, key(op.key), elements_);
      break;
    case gen::Action::kWrite:
      reply = ops_.write(session, op.key, key(op.key), op.value);
      break;
    case gen::Action::kAppend:
      reply = ops_.append(session, op.key, key(op.key), op.value);
      break;
    case gen::Action::kCompareAndSet:
      reply = compare_and_set(op, seen);
      break;
    case gen::Action::kIncrement: {
      std::optional<std::int64_t> sum;
      reply = ops_.increment(session, op.key, key(op.key), op.value, sum);
      seen.value = sum.value_or(0);
      seen.known = sum.has_value();
      break;
    }
    case gen::Action::kDelete:
      reply = ops_.remove(session, op.key, key(op.key), seen.applied);
      break;
    case gen::Action::kSelect:
    case gen::Action::kDeleteSelected:
      reply = select(op, seen);
      break;
    case gen::Action::kInsertRow:
    case gen::Action::kSelectRows:
    case gen::Action::kAggregateRows:
    case gen::Action::kLockRows:
    case gen::Action::kUpdateRows:
    case gen::Action::kDeleteRows:
    case gen::Action::kUpsertRow:
    case gen::Action::kSavepoint:
    case gen::Action::kRollBackToSavepoint:
      reply = perform_on_tables(op, seen);
      break;
  }
  return reply;
}

db::Reply Client::perform_on_tables(const gen::PlannedOp& op, gen::Seen& seen) {
  db::Session& session = *connection_.get();
  if (op.kind == gen::Action::kSavepoint) {
    return has_tables_ ? tables_.savepoint(session) : ops_.savepoint(session);
  }
  if (op.kind == gen::Action::kRollBackToSavepoint) {
    return has_tables_ ? tables_.roll_back_to_savepoint(session)
                       : ops_.roll_back_to_savepoint(session);
  }
  const table::Request& request = plan_.requests[static_cast<std::size_t>(op.expected)];
  std::vector<table::Row> rows;
  db::Reply reply;
  if (op.kind == gen::Action::kInsertRow) {
    reply = tables_.insert(session, request, op.value, seen.applied);
    if (seen.applied) rows.push_back({request.id, op.value, request.cells});
  } else if (op.kind == gen::Action::kUpdateRows) {
    reply = tables_.update(session, request, op.value, changes_);
    for (const table::Change& change : changes_) rows.push_back(change.after);
  } else if (op.kind == gen::Action::kUpsertRow) {
    table::Change change;
    reply = tables_.upsert(session, request, op.value, change);
    seen.applied = !change.replaced;
    rows.push_back(std::move(change.after));
  } else if (op.kind == gen::Action::kAggregateRows) {
    table::Cell result;
    reply = tables_.aggregate(session, request, result);
    seen.value = result.value_or(0);
    seen.known = result.has_value();
  } else if (op.kind == gen::Action::kDeleteRows) {
    reply = tables_.remove(session, request, rows);
  } else {
    table::Selected selected;
    reply = tables_.select(session, request, selected);
    rows = std::move(selected.rows);
  }
  if (!reply.ok()) return reply;
  seen.first_row = static_cast<std::uint32_t>(plan_.found.size());
  seen.rows = static_cast<std::uint32_t>(rows.size());
  std::ranges::move(rows, std::back_inserter(plan_.found));
  return reply;
}

db::Reply Client::select(const gen::PlannedOp& op, gen::Seen& seen) {
  const Predicate& where = plan_.conditions[static_cast<std::size_t>(op.expected)].predicate;
  const db::Condition condition{where.keys, where.values};
  ISOLDE_CHECK(run_.planner.is_integer_key());
  const auto name = [](db::Key number) { return RecordedValue(number); };
  db::Session& session = *connection_.get();
  db::Reply reply = op.kind == gen::Action::kSelect
                        ? ops_.select(session, condition, name, rows_)
                        : ops_.remove(session, condition, name, rows_);
  if (!reply.ok()) return reply;
  seen.first_row = static_cast<std::uint32_t>(plan_.rows.size());
  seen.rows = static_cast<std::uint32_t>(rows_.size());
  for (const db::Row& row : rows_) plan_.rows.push_back({row.key, row.value});
  return reply;
}

/// On record as a read and a write; where it did not happen, as the read that it was. Of a
/// value where there should have been none nothing is said, for histories have no words for it.
db::Reply Client::compare_and_set(const gen::PlannedOp& op, gen::Seen& seen) {
  std::optional<std::int64_t> expected;
  if (op.expected != 0) expected = op.expected;
  recorded_.read(key(op.key), expected ? RecordedValue(*expected) : RecordedValue::null());
  recorded_.write(key(op.key), op.value);
  db::CasResult result;
  db::Reply reply = connection_.get()->compare_and_set(op.key, expected, op.value, result);
  if (!reply.ok()) return reply;
  seen.applied = result.applied;
  if (result.applied) {
    seen.value = op.value;
    return reply;
  }
  recorded_.drop_last();
  recorded_.drop_last();
  seen.known = result.seen.has_value();
  if (result.seen) {
    const std::optional<std::int64_t>& found = *result.seen;
    seen.value = found.value_or(0);
    recorded_.read(key(op.key), found ? RecordedValue(*found) : RecordedValue::null());
  } else if (expected) {
    recorded_.read_not(key(op.key), *expected);
  }
  return reply;
}

/// Records the outcome of the transaction that `reply` has ended.
Client::End Client::end(const db::Reply& reply) {
  release();
  ops_.end(reply);
  if (reply.outcome == db::Outcome::kFailed) run_.fail(reply.message);
  const End result = reply.ok()                               ? End::kCommitted
                     : reply.outcome == db::Outcome::kUnknown ? End::kUnknown
                                                              : End::kAborted;
  hear(reply);
  if (result == End::kUnknown) last_unknown_ = reply.message;
  if (!reply.ok()) {
    const std::lock_guard lock(mutex_);
    if (result == End::kAborted) ++statistics_.aborted;
    statistics_.reasons.add(reply.message);
  }
  return result;
}

/// A transaction is over, and perhaps the connection.
void Client::hear(const db::Reply& reply) {
  if (reply.is_broken) run_.fail(reply.message);
  if (reply.connected) {
    heard_at_ = Clock::now();
    return;
  }
  was_silent_ = Clock::now() - heard_at_ >= kSilence;
  complaint_ = reply.message;
  connection_.reset(nullptr);
}

std::optional<Clock::time_point> Client::cut_off_since() const {
  if (connection_.is_open()) return std::nullopt;
  // A connection that breaks as the run ends has nobody to replace it, which is no news. One
  // that broke after a long silence has lost its database before.
  return refused_ || was_silent_ ? std::optional(heard_at_) : std::nullopt;
}

/// The run is over and cannot wait for the rest of the transaction.
db::Reply Client::drop() {
  db::Reply reply = connection_.get()->rollback();
  return {db::Outcome::kAborted, reply.connected, "the run was over"};
}

/// Tries until there is a connection, the run stops, or the time for it is over.
bool Client::reconnect() {
  const Clock::time_point deadline = Clock::now() + seconds(run_.options.reconnect_seconds);
  std::chrono::milliseconds wait(5);
  while (!run_.stopping()) {
    const Status connected = connect();
    refused_ = !connected;
    if (connected) {
      heard_at_ = Clock::now();
      const std::lock_guard lock(mutex_);
      ++statistics_.reconnects;
      return true;
    }
    complaint_ = connected.error().message;
    if (Clock::now() >= deadline) {
      given_up_ = true;
      run_.note("session " + std::to_string(number_) + " had no connection for " +
                std::to_string(std::lround(run_.options.reconnect_seconds)) +
                " s: " + complaint_);
      return false;
    }
    std::this_thread::sleep_for(wait);
    wait = std::min(wait * 2, std::chrono::milliseconds(500));
  }
  return false;
}

/// Random and growing, so that transactions that have met do not meet again.
void Client::pause(std::uint32_t attempts) {
  const std::uint64_t most_us = std::uint64_t{50} << std::min(attempts, 9U);
  std::this_thread::sleep_for(std::chrono::microseconds(rng_.below(most_us)));
}

RecordedValue Client::key(std::int64_t number) {
  if (run_.planner.is_named_by_number(number)) return number;
  key_text_ = run_.planner.key_name(number);
  return std::string_view(key_text_);
}

/// Cuts a random connection at random times until told to stop.
class Cutter {
 public:
  Cutter(Run& run, std::vector<std::unique_ptr<Client>>& clients, const server::FaultSpec& spec)
      : run_(run),
        clients_(clients),
        every_(static_cast<double>(spec.every_ns) * 1e-9),
        rng_(base::mix2(run.options.workload.seed, 0xc07ULL)),
        next_(Clock::now() + seconds(every_)) {}

  void tick() {
    if (Clock::now() < next_) return;
    next_ = Clock::now() + seconds(every_ * (0.5 + rng_.unit()));
    const std::size_t victim = rng_.below(clients_.size());
    if (!clients_[victim]->cut()) return;
    ++cuts_;
    run_.recorder.event("cut", "connection of session " + std::to_string(victim));
  }
  std::uint64_t cuts() const { return cuts_; }

 private:
  Run& run_;
  std::vector<std::unique_ptr<Client>>& clients_;
  double every_;
  base::Rng rng_;
  Clock::time_point next_;
  std::uint64_t cuts_ = 0;
};

class Executor {
 public:
  Executor(Run& run, const ProgressFunction& progress) : run_(run), progress_(progress) {
    for (std::uint32_t i = 0; i < run.options.workload.sessions; ++i) {
      clients_.push_back(std::make_unique<Client>(run, i));
    }
    for (const server::FaultSpec& spec : run.options.faults) {
      if (spec.kind == server::FaultKind::kCut) cutter_.emplace(run, clients_, spec);
    }
  }

  Result<RunStatistics> run() {
    for (const auto& client : clients_) {
      if (const Status connected = client->connect(); !connected) return connected.error();
    }
    const Status made = insert_initial_rows(run_.database, run_.planner, run_.recorder);
    if (!made) return made.error();
    begin_ = Clock::now();
    launch();
    wait();
    for (std::thread& thread : threads_) thread.join();
    if (ended_) judge_end();
    judge_outcomes();
    return statistics();
  }

 private:
  /// A thread for each session. Where the system gives too few, the run fails, and those that
  /// there are end.
  void launch() {
    threads_.reserve(clients_.size());
    try {
      for (const auto& client : clients_) {
        threads_.emplace_back([this, &client] {
          client->work();
          const std::lock_guard lock(mutex_);
          ++finished_;
          done_.notify_one();
        });
      }
    } catch (const std::system_error& error) {
      run_.fail("started only " + std::to_string(threads_.size()) + " of " +
                std::to_string(clients_.size()) + " threads: " + error.code().message());
    } catch (const std::bad_alloc&) {
      run_.fail("no memory for more than " + std::to_string(threads_.size()) + " threads");
    }
    run_.go = true;
    run_.go.notify_all();
  }

  /// Until all sessions have ended; tells them to when it is time.
  void wait() {
    std::unique_lock lock(mutex_);
    while (finished_ < threads_.size()) {
      done_.wait_for(lock, std::chrono::milliseconds(20));
      lock.unlock();
      if (!run_.stopping()) look();
      if (run_.stopping()) hurry();
      progress_(statistics());
      lock.lock();
    }
  }

  /// Whether it is time to end.
  void look() {
    const double most = run_.options.duration_seconds;
    if (most > 0 && Clock::now() >= begin_ + seconds(most)) {
      ended_ = Clock::now();
      run_.stop();
    } else if (run_.interrupted()) {
      run_.fail("interrupted");
    } else if (const Status recording = run_.recorder.status(); !recording) {
      run_.fail(recording.error().message);
    } else if (std::string trouble = run_.options.trouble ? run_.options.trouble() : "";
               !trouble.empty()) {
      run_.fail(trouble);
    } else if (const double idle = seconds_since_success();
               most <= 0 && idle >= run_.options.fruitless_seconds) {
      run_.fail("no transaction committed in the last " + tenths(idle) + " s");
    } else if (cutter_) {
      cutter_->tick();
    }
  }

  double seconds_since_success() {
    Clock::time_point success = begin_;
    for (const auto& client : clients_) success = std::max(success, client->succeeded_at());
    return std::chrono::duration<double>(Clock::now() - success).count();
  }

  /// Sessions that still wait for an answer after the end wait no longer.
  void hurry() {
    if (!overdue_from_) overdue_from_ = Clock::now() + seconds(run_.options.finish_seconds);
    if (Clock::now() < *overdue_from_) return;
    run_.set_overdue();
    for (const auto& client : clients_) client->cut();
  }

  /// A run whose time is up has been one for all that time only if its sessions had a database.
  /// Servers that the run itself pauses and kills are watched by whoever does that.
  void judge_end() {
    const auto breaks_servers = [](const server::FaultSpec& fault) {
      return fault.kind != server::FaultKind::kCut;
    };
    if (std::ranges::any_of(run_.options.faults, breaks_servers)) return;
    Clock::time_point success = begin_;
    Clock::time_point first_lost = *ended_;
    std::size_t lost = 0;
    std::string complaint;
    for (const auto& client : clients_) {
      success = std::max(success, client->succeeded_at());
      const std::optional<Clock::time_point> since = client->cut_off_since();
      if (!since) continue;
      ++lost;
      if (complaint.empty()) complaint = client->complaint();
      first_lost = std::min(first_lost, *since);
    }
    const double fruitless = seconds_before_end(success);
    if (lost > 0) {
      run_.note(std::to_string(lost) + " of " + std::to_string(clients_.size()) +
                " sessions had no connection at the end, for " +
                tenths(seconds_before_end(first_lost)) + " s: " + complaint);
    } else if (fruitless >=
               std::max(kFruitlessSeconds, kFruitlessShare * run_.options.duration_seconds)) {
      run_.note("no transaction committed in the last " + tenths(fruitless) + " s");
    }
  }

  /// A history of transactions of which mostly nobody knows what became proves little.
  void judge_outcomes() {
    const RunStatistics all = statistics();
    const std::uint64_t known = all.committed + all.aborted + all.rolled_back;
    if (all.unknown > known && run_.options.faults.empty()) {
      run_.note("the outcomes of " + std::to_string(all.unknown) + " of " +
                std::to_string(all.unknown + known) + " transactions are unknown");
    }
  }

  double seconds_before_end(Clock::time_point time) const {
    return std::max(0.0, std::chrono::duration<double>(*ended_ - time).count());
  }

  RunStatistics statistics() {
    RunStatistics total;
    for (const auto& client : clients_) client->add_to(total);
    if (cutter_) total.cuts = cutter_->cuts();
    total.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    total.stopped = run_.failure();
    total.ending = run_.stopping() || run_.all_committed();
    return total;
  }

  Run& run_;
  const ProgressFunction& progress_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::optional<Cutter> cutter_;
  std::vector<std::thread> threads_;
  Clock::time_point begin_;
  std::optional<Clock::time_point> ended_;  ///< when the time was up
  std::optional<Clock::time_point> overdue_from_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::size_t finished_ = 0;
};

}  // namespace

Result<RunStatistics> execute(db::Database& database, gen::Planner& planner, Recorder& recorder,
                              const ExecutorOptions& options, base::Budget& budget,
                              const ProgressFunction& progress) {
  ISOLDE_CHECK(options.workload.sessions > 0);
  Run run(database, planner, recorder, options, budget);
  Executor executor(run, progress);
  return executor.run();
}

}  // namespace isolde::run
