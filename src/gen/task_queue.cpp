// task-queue: workers that share tasks in a table, as queues in SQL do. A task is open (0),
// taken (1) by a worker, or done (2).
//
//   take      selects up to --ops open tasks, FOR UPDATE SKIP LOCKED, and takes them
//   grab      selects an open task without a lock, and takes it: two may take the same one
//   finish    sets all tasks that it has taken to done, by one UPDATE
//   submit    opens a task again, or inserts it where there was none yet, by one upsert
//   reopen    opens all tasks that are done and were taken often, by one UPDATE
//   bounce    takes as `take` does, and after a savepoint sets them to done; goes back to the
//             savepoint, and opens them again
//   audit     selects the tasks of a state, then those of a worker
//
// The session is the worker. Half of the tasks are there at the beginning.
#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

using table::Condition;

enum Column : std::size_t { kState, kWorker, kTries };
constexpr std::array kColumns = {table::Column{.name = "state", .least = 0, .indexed = true},
                                 table::Column{.name = "worker", .indexed = true},
                                 table::Column{.name = "tries"}};
constexpr std::array kTables = {table::Table{"task", kColumns}};

enum State : std::int64_t { kOpen, kTaken, kDone };
enum Type : std::uint32_t { kTake, kGrab, kFinish, kSubmit, kReopen, kBounce, kAudit };

/// Of those that change something.
constexpr std::array kShares = {Share{kTake, 30},   Share{kGrab, 10},  Share{kFinish, 20},
                                Share{kSubmit, 25}, Share{kReopen, 5}, Share{kBounce, 10}};

enum Choice : std::size_t { kTask, kMost, kWho };

constexpr std::int64_t kOften = 3;
constexpr std::uint64_t kTasksMost = 100'000;

class TaskQueue final : public Generator {
 public:
  explicit TaskQueue(const WorkloadOptions& options)
      : reads_(options.reads),
        most_(options.ops),
        sessions_(options.sessions),
        tasks_(options.distribution, options.keys) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;

  void initial_keys(std::vector<std::int64_t>&) const override {}
  std::span<const table::Table> tables() const override { return kTables; }
  void initial_rows(std::vector<InitialRow>& rows) const override {
    for (std::uint64_t task = 0; task < tasks_.key_count(); task += 2) {
      rows.push_back({0, {.id = static_cast<std::int64_t>(task), .cells = {kOpen, {}, 0}}});
    }
  }

 private:
  double reads_;
  std::uint64_t most_;
  std::uint64_t sessions_;
  Sampler tasks_;
};

Condition in_state(std::int64_t state) {
  return {{.column = kState, .least = state, .most = state}};
}
Condition of_worker(std::int64_t worker) {
  return {{.column = kWorker, .least = worker, .most = worker}};
}

/// The tasks that the first operation returned.
Condition those(const Draft& draft) {
  Condition condition(1);
  for (const table::Row& row : draft.found_by(0)) condition[0].in.push_back(row.id);
  return condition;
}

void take(Draft& draft, std::uint32_t worker) {
  draft.update_rows(0, those(draft),
                    {{.column = kState, .value = kTaken},
                     {.column = kWorker, .value = worker},
                     {.column = kTries, .value = 1, .adds = true}});
}

void TaskQueue::plan(std::uint32_t session, base::Rng& rng, Plan& plan) {
  plan.type = kAudit;
  if (!rng.chance(reads_)) plan.type = draw(kShares, rng);
  plan.choices = {static_cast<std::int64_t>(tasks_.sample(rng)),
                  static_cast<std::int64_t>(1 + rng.below(most_)),
                  static_cast<std::int64_t>(rng.below(sessions_))};
  Draft draft(plan);
  switch (plan.type) {
    case kTake:
    case kBounce:
      draft.request(Action::kLockRows,
                    {.where = in_state(kOpen),
                     .limit = static_cast<std::uint32_t>(plan.choices[kMost]),
                     .lock = table::Lock::kUpdate,
                     .skip_locked = true});
      break;
    case kGrab:
      draft.request(Action::kSelectRows, {.where = in_state(kOpen), .limit = 1});
      break;
    case kFinish: {
      Condition taken = of_worker(session);
      taken.push_back(in_state(kTaken)[0]);
      draft.update_rows(0, std::move(taken), {{.column = kState, .value = kDone}});
      break;
    }
    case kSubmit:
      draft.request(Action::kUpsertRow, {.set = {{.column = kState, .value = kOpen},
                                                 {.column = kWorker, .value = {}}},
                                         .id = plan.choices[kTask],
                                         .cells = {kOpen, {}, 0}});
      break;
    case kReopen: {
      Condition done = in_state(kDone);
      done.push_back({.column = kTries, .least = kOften});
      draft.update_rows(0, std::move(done),
                        {{.column = kState, .value = kOpen},
                         {.column = kWorker, .value = {}},
                         {.column = kTries, .value = 0}});
      break;
    }
    default:
      draft.request(Action::kSelectRows,
                    {.where = in_state(plan.choices[kTask] % 3), .columns = {kWorker}});
      draft.select_rows(0, of_worker(plan.choices[kWho]));
      break;
  }
}

void TaskQueue::extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) {
  Draft draft(plan, results);
  const bool takes = plan.type == kTake || plan.type == kGrab || plan.type == kBounce;
  if (plan.stage > 1 || !takes || results[0].rows == 0) return;
  take(draft, session);
  if (plan.type != kBounce) return;
  draft.savepoint();
  draft.update_rows(0, those(draft), {{.column = kState, .value = kDone}});
  draft.roll_back_to_savepoint();
  draft.update_rows(0, those(draft),
                    {{.column = kState, .value = kOpen}, {.column = kWorker, .value = {}}});
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<TaskQueue>(options);
}

Status fits(const WorkloadOptions& options) {
  if (options.ops > kGroupMost) return out_of_range("ops", options.ops, 1, kGroupMost);
  if (options.keys > kTasksMost) return out_of_range("keys", options.keys, 1, kTasksMost);
  return ok_status();
}

constexpr std::array kRows = {WorkloadInfo{
    .name = "task-queue",
    .summary = "workers take tasks from a table, by SKIP LOCKED and without",
    .source = "queues in SQL tables, as the manual of PostgreSQL has them under SELECT",
    .make = make,
    .needs = {.tables = true, .savepoints = true},
    .ops_text = "tasks taken at once at most",
    .keys_text = "tasks",
    .reads_text = kReadOnly,
    .ops = 3,
    .keys = 40,
    .reads = 0.15,
    .own = kOnlyRollbacks,
    .validate = fits}};

}  // namespace

const Workloads& task_queue_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
