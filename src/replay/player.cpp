#include "replay/player.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "run/recorded_ops.hpp"

namespace isolde::replay {
namespace {

/// What the sessions share.
struct Stage {
  db::Database& database;
  const Numbering& numbering;
  const std::span<const Step> steps;
  const PlayOptions& options;
  std::vector<StepResult> results;

  std::mutex mutex;
  std::condition_variable changed;
  bool closing = false;        // under the mutex, like all below
  std::size_t given_last = 0;  // the step that was given out last
  std::string failure;
  std::atomic<std::size_t> crashes = 0;  // of the servers, with all connections
};

class Player {
 public:
  Player(Stage& stage, std::size_t number, Recorder& recorder)
      : stage_(stage),
        number_(static_cast<std::uint32_t>(number)),
        recorded_(recorder.session(stage.numbering.recorded_session(number))),
        ops_(recorded_,
             [&stage](std::int64_t value) { return stage.numbering.recorded_value(value); }) {}
  ~Player() { join(); }
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  Status connect() {
    crashes_seen_ = stage_.crashes;
    Result<std::unique_ptr<db::Session>> session = stage_.database.connect(number_);
    if (!session) return session.error();
    session_ = std::move(session).value();
    recorded_.server(session_->server());
    return ok_status();
  }
  void start() {
    thread_ = std::thread([this] { work(); });
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  // With the stage's mutex held.
  void give(std::size_t step) { queue_.push_back(step); }
  bool is_idle() const { return queue_.empty(); }
  std::size_t current() const { return queue_.front(); }

 private:
  void work();
  void perform(std::size_t index);
  db::Reply be_connected();
  db::Reply begin();
  db::Reply statement(const Step& step);
  db::Reply crash();
  db::Reply until(const Step& step, StepResult& result);
  bool has_returned(const Step& step, const StepResult& result) const;
  db::Reply send(const Step& step, StepResult& result);
  db::Reply operation(const Step& step, StepResult& result);
  db::Reply condition(const Step& step, StepResult& result);

  Stage& stage_;
  const std::uint32_t number_;
  RecordedSession recorded_;
  run::RecordedOps ops_;
  std::unique_ptr<db::Session> session_;
  bool is_open_ = false;          // a transaction is
  std::size_t crashes_seen_ = 0;  // before the connection was made
  std::deque<std::size_t> queue_;
  std::thread thread_;
};

void Player::work() {
  std::unique_lock lock(stage_.mutex);
  while (true) {
    stage_.changed.wait(lock, [this] { return !queue_.empty() || stage_.closing; });
    if (queue_.empty()) return;
    const std::size_t step = queue_.front();
    lock.unlock();
    perform(step);
    lock.lock();
    stage_.results[step].done_at = stage_.given_last;
    queue_.pop_front();
    stage_.changed.notify_all();
  }
}

/// Connects again where the connection has been lost.
db::Reply Player::be_connected() {
  if (!is_open_ && crashes_seen_ != stage_.crashes) session_.reset();
  if (session_ != nullptr) return {};
  if (const Status connected = connect(); !connected) {
    return {db::Outcome::kFailed, false, connected.error().message};
  }
  return {};
}

db::Reply Player::begin() {
  if (db::Reply reply = be_connected(); !reply.ok()) return reply;
  recorded_.begin();
  is_open_ = true;
  return session_->begin();
}

db::Reply Player::operation(const Step& step, StepResult& result) {
  const Numbering& numbering = stage_.numbering;
  const Op& op = numbering.history().ops(step.txn)[step.op];
  const db::Key key = numbering.key(op.key);
  const RecordedValue name = numbering.recorded_key(op.key);
  const bool is_list = numbering.history().is_list(op.key);
  if (!op.is_write()) {
    session_->lock_next(numbering.history().lock(op));  // where the database can
    return is_list ? ops_.read_list(*session_, key, name, result.elements)
                   : ops_.read(*session_, key, name, result.value);
  }
  if (op.is_delete()) {
    bool was_there = false;
    return ops_.remove(*session_, key, name, was_there);
  }
  const std::int64_t value = numbering.value(op.value);
  return is_list ? ops_.append(*session_, key, name, value)
                 : ops_.write(*session_, key, name, value);
}

db::Reply Player::condition(const Step& step, StepResult& result) {
  const History& history = stage_.numbering.history();
  const bool scripted = stage_.options.conditions != nullptr;
  const Selection* const selection =
      scripted ? nullptr : &history.selections(step.txn)[step.op];
  const db::Condition where =
      scripted ? stage_.options.conditions->at(step.op)
               : Numbering::condition(history.predicates()[selection->predicate]);
  if (step.kind == Step::Kind::kAggregate) {
    const AggregateKind computed =
        scripted ? stage_.options.computed->at(step.op) : history.aggregate(*selection)->kind;
    return ops_.aggregate(*session_, where, computed, result.value);
  }
  const run::KeyNames names = [this](db::Key key) {
    return stage_.numbering.recorded_key(key);
  };
  if (step.kind != Step::Kind::kSelect) {
    return ops_.remove(*session_, where, names, result.rows);
  }
  if (!scripted) session_->lock_next(selection->lock);
  return ops_.select(*session_, where, names, result.rows);
}

db::Reply Player::statement(const Step& step) {
  if (db::Reply reply = be_connected(); !reply.ok()) return reply;
  return session_->statement(stage_.options.statements[step.op]);
}

db::Reply Player::crash() {
  if (const Status crashed = stage_.options.crash(); !crashed) {
    return {db::Outcome::kFailed, false, crashed.error().message};
  }
  ++stage_.crashes;
  return {};
}

/// Whether the read returned what the history has for it.
bool Player::has_returned(const Step& step, const StepResult& result) const {
  const Numbering& numbering = stage_.numbering;
  const Op& op = numbering.history().ops(step.txn)[step.op];
  if (op.kind == OpKind::kReadList) {
    const std::vector<Value> wanted = numbering.history().seen_list(op);
    return std::equal(
        wanted.begin(), wanted.end(), result.elements.begin(), result.elements.end(),
        [&](Value value, std::int64_t element) { return numbering.value(value) == element; });
  }
  const Value wanted = op.kind == OpKind::kReadMatch ? numbering.history().read_value(op)
                                                     : numbering.history().seen(op);
  if (wanted.is_null()) return !result.value.has_value();
  return result.value == numbering.value(wanted);
}

/// Who waits for so long: a tenth on top, but neither busy nor late. Each attempt is on record.
std::chrono::nanoseconds pause_after(std::chrono::nanoseconds waited) {
  return std::clamp<std::chrono::nanoseconds>(waited / 10, std::chrono::milliseconds(1),
                                              std::chrono::milliseconds(20));
}

/// The transaction is open and has read nothing yet.
db::Reply Player::until(const Step& step, StepResult& result) {
  const auto begin_time = std::chrono::steady_clock::now();
  const auto give_up = begin_time + stage_.options.until_wait;
  while (true) {
    db::Reply reply = operation(step, result);
    if (reply.ok() && has_returned(step, result)) return reply;
    const bool late = std::chrono::steady_clock::now() >= give_up;
    if (reply.ok()) {
      reply = session_->rollback();
      if (late) return {db::Outcome::kAborted, reply.connected, "the value did not appear"};
    } else if (late || reply.outcome != db::Outcome::kAborted) {
      return reply;
    }
    recorded_.abort();
    is_open_ = false;  // begin() may find no connection
    if (!reply.connected) session_.reset();
    ++result.tries;
    std::this_thread::sleep_for(pause_after(std::chrono::steady_clock::now() - begin_time));
    if (reply = begin(); !reply.ok()) return reply;
  }
}

db::Reply Player::send(const Step& step, StepResult& result) {
  switch (step.kind) {
    case Step::Kind::kBegin:
      return begin();
    case Step::Kind::kOperation:
      return step.pace == Step::Pace::kUntil ? until(step, result) : operation(step, result);
    case Step::Kind::kSelect:
    case Step::Kind::kDeleteSelected:
    case Step::Kind::kAggregate:
      return condition(step, result);
    case Step::Kind::kStatement:
      return statement(step);
    case Step::Kind::kWait:
      return {};
    case Step::Kind::kCrash:
      return crash();
    case Step::Kind::kCommit:
      return session_->commit();
    case Step::Kind::kRollback:
      return session_->rollback();
  }
  return {};
}

void Player::perform(std::size_t index) {
  using State = StepResult::State;
  const Step& step = stage_.steps[index];
  StepResult& result = stage_.results[index];
  const bool outside = step.kind == Step::Kind::kBegin || step.kind == Step::Kind::kWait ||
                       step.kind == Step::Kind::kCrash ||
                       (step.kind == Step::Kind::kStatement && !step.inside);
  if (!outside && !is_open_) return;  // skipped
  const db::Reply reply = send(step, result);
  if (!reply.connected) session_.reset();
  result.is_disconnected = !reply.connected;
  result.state = State::kDone;
  if (step.kind == Step::Kind::kRollback) {
    // Whatever the database answers, nobody has asked it to commit.
    recorded_.abort();
    is_open_ = false;
    return;
  }
  if (reply.ok()) {
    if (step.kind != Step::Kind::kCommit) return;
    ops_.end(reply);
    is_open_ = false;
    return;
  }
  result.state = reply.outcome == db::Outcome::kUnknown ? State::kUnknown : State::kAborted;
  result.message = reply.message;
  if (is_open_) ops_.end(reply);
  is_open_ = false;
  // A statement of the user's own may well fail.
  if (reply.outcome != db::Outcome::kFailed || step.kind == Step::Kind::kStatement) return;
  const std::lock_guard lock(stage_.mutex);
  if (!stage_.failure.empty()) return;
  const bool refused = step.kind != Step::Kind::kCrash;
  stage_.failure = (refused ? "the database refused a step: " : "") + reply.message;
}

/// Gives out the steps and waits for them.
class Conductor {
 public:
  Conductor(Stage& stage, Recorder& recorder) : stage_(stage) {
    for (std::size_t s = 0; s < stage.numbering.history().session_count(); ++s) {
      players_.push_back(std::make_unique<Player>(stage, s, recorder));
    }
  }

  Status conduct() {
    for (const auto& player : players_) {
      if (const Status connected = player->connect(); !connected) return connected.error();
    }
    for (const auto& player : players_) player->start();
    stage_.options.together ? at_once() : one_by_one();
    {
      const std::lock_guard lock(stage_.mutex);
      stage_.closing = true;
      stage_.changed.notify_all();
    }
    for (const auto& player : players_) player->join();
    if (stage_.failure.empty()) return ok_status();
    return Error{ErrorCode::kEnvironment, stage_.failure};
  }

 private:
  Player& player_of(const Step& step) {
    return *players_[stage_.numbering.history().session_of(step.txn).raw()];
  }
  bool all_idle() const {
    return std::all_of(players_.begin(), players_.end(),
                       [](const auto& player) { return player->is_idle(); });
  }

  void at_once() {
    const std::lock_guard lock(stage_.mutex);
    for (std::size_t i = 0; i < stage_.steps.size(); ++i) player_of(stage_.steps[i]).give(i);
    stage_.given_last = stage_.steps.size() - 1;
    stage_.changed.notify_all();
  }

  void one_by_one() {
    std::unique_lock lock(stage_.mutex);
    for (std::size_t i = 0; i < stage_.steps.size(); ++i) {
      Player& player = player_of(stage_.steps[i]);
      const bool is_behind = !player.is_idle();
      player.give(i);
      stage_.given_last = i;
      stage_.changed.notify_all();
      await(lock, i, player, is_behind);
    }
    stage_.changed.wait(lock, [this] { return all_idle(); });
  }

  /// For the step that was given out last, as long as its pace says.
  void await(std::unique_lock<std::mutex>& lock, std::size_t index, Player& player,
             bool is_behind) {
    using Pace = Step::Pace;
    const Step& step = stage_.steps[index];
    const auto idle = [&player] { return player.is_idle(); };
    if (step.pace == Pace::kSend || (is_behind && step.kind != Step::Kind::kWait)) return;
    if (step.pace == Pace::kUntil || step.kind == Step::Kind::kStatement ||
        step.kind == Step::Kind::kWait || step.kind == Step::Kind::kCrash) {
      return stage_.changed.wait(lock, idle);
    }
    stage_.changed.wait_for(lock, stage_.options.step_wait, idle);
    if (!player.is_idle()) {
      stage_.results[index].waited = true;
    } else if (may_free_others(index)) {
      // Who waited for this one gets the time to notice.
      stage_.changed.wait_for(lock, stage_.options.step_wait, [this] { return !any_waits(); });
    }
  }

  /// Whether a step that others went around is not done yet.
  bool any_waits() const {
    return std::any_of(players_.begin(), players_.end(), [this](const auto& player) {
      return !player->is_idle() && stage_.results[player->current()].waited;
    });
  }

  /// Locks go when a transaction ends.
  bool may_free_others(std::size_t step) const {
    return stage_.steps[step].kind == Step::Kind::kCommit ||
           stage_.steps[step].kind == Step::Kind::kRollback ||
           stage_.results[step].state == StepResult::State::kAborted;
  }

  Stage& stage_;
  std::vector<std::unique_ptr<Player>> players_;
};

}  // namespace

Result<std::vector<StepResult>> play(db::Database& database, const Numbering& numbering,
                                     std::span<const Step> steps, Recorder& recorder,
                                     const PlayOptions& options) {
  Stage stage{database, numbering, steps, options, {}, {}, {}, false, 0, {}, 0};
  stage.results.resize(steps.size());
  {
    Conductor conductor(stage, recorder);
    if (const Status conducted = conductor.conduct(); !conducted) return conducted.error();
  }
  return std::move(stage.results);
}

}  // namespace isolde::replay
