// The planner: unique values, random numbers of sessions, stages and repetition. What the
// operations are is the generators' business (gen/generator.hpp).
//
// So is why a transaction comes to its end, but for two things that happen to any program and
// that any workload can be asked for (WorkloadOptions::savepoints, rollbacks): the client rolls
// back what it has done, or a part of it. A part is what comes after a savepoint somewhere
// among the first operations. When the generator has nothing to add, the client goes back to
// the savepoint and does the part once more, with fresh values, as programs do that try again.
// The generator is asked for the later stages again and sees what it would see without the
// detour, so no generator has to know of it. Both are drawn from random numbers of their own:
// without them the transactions are the same.
//
// Values are unique without anything shared: session s of n gives its i-th update the number
// i * n + s + 1. Sessions lie on cache lines of their own, since each has its own thread in a
// run against a real database.
#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "gen/generator.hpp"
#include "gen/workload.hpp"
#include "history/notation.hpp"

namespace isolde::gen {
namespace {

constexpr std::int64_t kValueEnd = std::int64_t{1} << 61;
constexpr std::uint64_t kSecondThoughts = 0x5345434f4e44;  // random numbers apart

bool is_refusable(const Plan& plan, const PlannedOp& op) {
  return op.kind == Action::kInsertRow &&
         plan.requests[static_cast<std::size_t>(op.expected)].may_meet;
}

}  // namespace

struct alignas(64) Planner::Session {
  base::Rng rng;
  base::Rng second_thoughts;
  std::int64_t next;  // the next unique number
  bool reads_only;
  std::uint32_t until_fence = 0;  // so many transactions
  std::vector<Seen> seen = {};    // what a generator sees of a plan with a detour
};

Planner::Planner(const WorkloadOptions& options) {
  ISOLDE_CHECK(validate(options).ok());
  generator_ = info(options.workload).make(options);
  has_payload_ = generator_->has_payload();
  payload_leads_ = generator_->payload_leads();
  seed_ = options.seed;
  values_ = options.values;
  fence_every_ = options.fence_every;
  savepoints_ = options.savepoints;
  rollbacks_ = options.rollbacks;
  const auto first = static_cast<std::int64_t>(initial_rows().size());
  sessions_.reserve(options.sessions);
  for (std::uint32_t session = 0; session < options.sessions; ++session) {
    const bool reads_only = session < options.readers.size() && options.readers[session];
    sessions_.push_back(
        {base::Rng(base::mix2(options.seed, session)),
         base::Rng(base::mix2(base::mix2(options.seed, kSecondThoughts), session)),
         first + session + 1, reads_only, 0});
  }
}

Planner::~Planner() = default;
Planner::Planner(Planner&&) noexcept = default;
Planner& Planner::operator=(Planner&&) noexcept = default;

void Planner::plan(std::uint32_t session, Plan& plan) {
  if (is_time_for_fence(session)) return plan_fence(session, plan);
  do {
    draw_transaction(session, plan);
  } while (!leave_reads(session, plan, 0));
  have_second_thoughts(session, plan);
  plan.first_ops = plan.ops.size();
  plan.first_conditions = plan.conditions.size();
  plan.first_requests = plan.requests.size();
  stamp(session, plan, 0);
}

/// Who only reads cannot make one.
bool Planner::is_time_for_fence(std::uint32_t session) {
  Session& state = sessions_[session];
  if (fence_every_ == 0 || state.reads_only) return false;
  if (state.until_fence == 0) {
    state.until_fence = fence_every_;
    return true;
  }
  --state.until_fence;
  return false;
}

/// It is the same whatever the workload, which does not hear of it.
void Planner::plan_fence(std::uint32_t session, Plan& plan) {
  clear(plan);
  plan.last_stage = 0;
  Draft draft(plan);
  draft.read(kFenceKey);
  draft.write(kFenceKey);
  plan.first_ops = plan.ops.size();
  plan.first_conditions = 0;
  plan.first_requests = 0;
  stamp(session, plan, 0);
}

void Planner::fence(std::uint32_t session) { sessions_[session].until_fence = 0; }

void Planner::clear(Plan& plan) {
  plan.ops.clear();
  plan.conditions.clear();
  plan.rows.clear();
  plan.requests.clear();
  plan.found.clear();
  plan.choices.clear();
  plan.rolls_back = false;
  plan.detour = {};
  plan.type = 0;
  plan.stage = 0;
  plan.last_stage = Plan::kNoStage;
}

void Planner::draw_transaction(std::uint32_t session, Plan& plan) {
  clear(plan);
  generator_->plan(session, sessions_[session].rng, plan);
  ISOLDE_ASSERT(!plan.ops.empty());
}

/// Who only reads has nothing to take back.
void Planner::have_second_thoughts(std::uint32_t session, Plan& plan) {
  Session& state = sessions_[session];
  if (state.reads_only) return;
  if (rollbacks_ > 0 && state.second_thoughts.chance(rollbacks_)) plan.rolls_back = true;
  if (savepoints_ > 0 && state.second_thoughts.chance(savepoints_)) {
    // Not before the first one: MariaDB begins the transaction anew when it goes back to a
    // savepoint at which its storage engine had no part in it, and what was read is free. Nor
    // has it a part after an insert that was refused, and taken back.
    const std::size_t last = plan.ops.size() - 1;
    const std::size_t at = 1 + (last == 0 ? 0 : state.second_thoughts.below(last));
    if (!is_refusable(plan, plan.ops.front())) {
      plan.ops.insert(plan.ops.begin() + static_cast<std::ptrdiff_t>(at),
                      {0, 0, kNoKey, Action::kSavepoint});
      plan.detour.savepoint = at;
    }
  }
  plan.detour.rolls_back = plan.rolls_back;
}

/// Without the writes from there on, if the session only reads. Later stages would look for
/// what they wrote, so there are none. Returns whether any operation is left.
bool Planner::leave_reads(std::uint32_t session, Plan& plan, std::size_t from) const {
  if (!sessions_[session].reads_only) return plan.ops.size() > from;
  const auto begin = plan.ops.begin() + static_cast<std::ptrdiff_t>(from);
  const auto end = std::remove_if(begin, plan.ops.end(),
                                  [](const PlannedOp& op) { return !op.changes_nothing(); });
  if (end != plan.ops.end()) plan.last_stage = plan.stage;
  plan.ops.erase(end, plan.ops.end());
  return plan.ops.size() > from;
}

bool Planner::extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) {
  ISOLDE_ASSERT(results.size() == plan.ops.size());
  if (plan.stage >= plan.last_stage) return false;
  const std::size_t before = plan.ops.size();
  ++plan.stage;
  generator_->extend(session, plan, without_detour(session, plan, results));
  if (plan.ops.size() == before && plan.detour.is_open()) go_back(plan);
  stamp(session, plan, before);
  return leave_reads(session, plan, before);
}

std::span<const Seen> Planner::without_detour(std::uint32_t session, const Plan& plan,
                                              std::span<const Seen> results) {
  if (plan.detour.hidden() == 0) return results;
  std::vector<Seen>& seen = sessions_[session].seen;
  seen.assign(results.begin(), results.end());
  const auto from = seen.begin() + static_cast<std::ptrdiff_t>(plan.detour.savepoint);
  seen.erase(from, from + static_cast<std::ptrdiff_t>(plan.detour.hidden()));
  return seen;
}

/// And begins once more with what came after the savepoint. Where nothing was changed since,
/// there is nothing to take back, and the transaction is complete.
void Planner::go_back(Plan& plan) {
  const std::size_t first = plan.detour.savepoint + 1;
  const auto changes = [](const PlannedOp& op) { return !op.changes_nothing(); };
  if (std::none_of(plan.ops.begin() + static_cast<std::ptrdiff_t>(first), plan.ops.end(),
                   changes)) {
    return;
  }
  plan.detour.end = plan.ops.size();
  plan.ops.push_back({0, 0, kNoKey, Action::kRollBackToSavepoint});
  for (std::size_t i = first; i < plan.first_ops; ++i) {
    PlannedOp again = plan.ops[i];
    if (again.is_of_tables()) {
      // A request of its own, since a fresh id is put into it.
      table::Request request = plan.requests[static_cast<std::size_t>(again.expected)];
      again.expected = static_cast<std::int64_t>(plan.requests.size());
      plan.requests.push_back(std::move(request));
    }
    plan.ops.push_back(again);
  }
  plan.stage = 0;
  plan.rolls_back = plan.detour.rolls_back;
}

void Planner::renew(std::uint32_t session, Plan& plan) {
  plan.ops.resize(plan.first_ops);
  plan.conditions.resize(plan.first_conditions);
  plan.rows.clear();
  plan.requests.resize(plan.first_requests);
  plan.found.clear();
  plan.detour.end = Plan::Detour::kNone;
  plan.rolls_back = plan.detour.rolls_back;
  plan.stage = 0;
  stamp(session, plan, 0);
}

void Planner::write_again(std::uint32_t session, Plan& plan, std::size_t op) {
  const PlannedOp again = plan.ops[op];
  plan.ops.push_back(again);
  stamp(session, plan, plan.ops.size() - 1);
}

/// Where values repeat, they are drawn by the number that would have been unique.
std::uint64_t Planner::draw(std::int64_t number) const {
  return base::mix2(seed_, static_cast<std::uint64_t>(number));
}

void Planner::stamp(std::uint32_t session, Plan& plan, std::size_t from) {
  Session& state = sessions_[session];
  const auto step = static_cast<std::int64_t>(sessions_.size());
  for (std::size_t i = from; i < plan.ops.size(); ++i) {
    PlannedOp& op = plan.ops[i];
    if (!op.has_value()) continue;
    const bool repeats = values_ > 0 && op.key != kFenceKey;
    const std::int64_t number =
        repeats ? 1 + static_cast<std::int64_t>(draw(state.next) % values_) : state.next;
    const std::int64_t data = payload(op.value);
    op.value = number;
    if (op.is_of_tables()) {
      table::Request& request = plan.requests[static_cast<std::size_t>(op.expected)];
      if (request.takes_fresh_id) request.id = number;
    }
    if (has_payload_) {
      op.value =
          payload_leads_ ? (data << kLeadShift) | number : (number << kPayloadBits) | data;
    }
    state.next += step;
  }
  ISOLDE_CHECK(state.next < (has_payload_ ? kValueEnd >> kPayloadBits : kValueEnd));
}

std::vector<std::int64_t> Planner::initial_keys() const {
  std::vector<std::int64_t> keys;
  if (!generator_->has_lists()) generator_->initial_keys(keys);
  if (has_fences()) keys.push_back(kFenceKey);
  return keys;
}

std::vector<std::int64_t> Planner::initial_lists() const {
  std::vector<std::int64_t> keys;
  if (generator_->has_lists()) generator_->initial_keys(keys);
  return keys;
}

std::span<const table::Table> Planner::tables() const { return generator_->tables(); }

std::vector<InitialRow> Planner::initial_rows() const {
  std::vector<InitialRow> rows;
  generator_->initial_rows(rows);
  std::int64_t stamp = 0;
  for (InitialRow& each : rows) each.row.stamp = ++stamp;
  return rows;
}

std::vector<std::pair<std::string, std::string>> Planner::notation() const {
  std::vector<std::pair<std::string, std::string>> fields;
  std::vector<std::string> names;
  for (const table::Table& each : tables()) names.emplace_back(each.name);
  if (!names.empty()) fields.emplace_back("tables", history::tables_text(names));
  if (std::string values = generator_->values_text(); !values.empty()) {
    fields.emplace_back("values", std::move(values));
  }
  return fields;
}

bool Planner::is_integer_key() const { return generator_->is_integer_key(); }

std::string Planner::key_name(std::int64_t key) const {
  return key == kFenceKey ? std::string(kFenceName) : generator_->key_name(key);
}

Status validate_readers(const WorkloadOptions& options) {
  constexpr int kDraws = 10'000;
  WorkloadOptions alone = options;
  alone.sessions = 1;
  alone.readers.clear();
  alone.fence_every = 0;
  Planner planner(alone);
  Plan plan;
  for (int i = 0; i < kDraws; ++i) {
    planner.plan(0, plan);
    if (std::ranges::any_of(plan.ops, &PlannedOp::changes_nothing)) return ok_status();
  }
  return usage_error("workload " + std::string(info(options.workload).name) +
                     " does not read with these parameters, so sessions on replicas would have "
                     "nothing to do; raise --reads");
}

}  // namespace isolde::gen
