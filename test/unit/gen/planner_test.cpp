// Goal: whatever the workload, plans depend on the seed alone, values are unique, a repeated
// transaction is the same one, and sessions may plan at once. Method: all rows of the table.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>

#include "gen/workload.hpp"
#include "unit/gen/serial_run.hpp"

namespace isolde::gen {
namespace {

// Small tables, so that later stages find something.
WorkloadOptions small(Workload workload) {
  WorkloadOptions options = default_options(workload);
  options.users = 30;
  options.items = workload == Workload("tpcc") ? 200 : 100;
  options.customers = 20;
  options.warehouses = 2;
  return options;
}

using Shape = std::vector<std::pair<Action, std::int64_t>>;

Shape shape_of(const Plan& plan) {
  Shape shape;
  for (const PlannedOp& op : plan.ops) shape.emplace_back(op.kind, op.key);
  return shape;
}

TEST(Planner, SameSeedSamePlansAndOtherSeedOthers) {
  for (const WorkloadInfo& row : all_workloads()) {
    WorkloadOptions options = small(row.workload());
    const auto shapes = [&] {
      std::vector<Shape> result;
      for (const Plan& plan : plan_many(options, 300)) result.push_back(shape_of(plan));
      return result;
    };
    const std::vector<Shape> first = shapes();
    EXPECT_EQ(first, shapes()) << row.name;
    options.seed = 1;
    EXPECT_NE(first, shapes()) << row.name;
  }
}

TEST(Planner, SessionsDoNotDependOnEachOther) {
  for (const WorkloadInfo& row : all_workloads()) {
    // Keys that are replaced are handed out in the order of the calls.
    if (takes(row.workload(), "appends-per-key") || takes(row.workload(), "writes-per-key")) {
      continue;
    }
    Planner alone(small(row.workload()));
    Planner together(small(row.workload()));
    Plan a;
    Plan b;
    for (int i = 0; i < 50; ++i) {
      alone.plan(3, a);
      together.plan(5, b);
      together.plan(3, b);
      EXPECT_EQ(shape_of(a), shape_of(b)) << row.name;
      for (std::size_t k = 0; k < a.ops.size(); ++k) {
        EXPECT_EQ(a.ops[k].value, b.ops[k].value) << row.name;
      }
    }
  }
}

TEST(Planner, ValuesAreUniqueAlsoWhenRenewed) {
  for (const WorkloadInfo& row : all_workloads()) {
    SerialRun run(small(row.workload()));
    const std::uint32_t sessions = small(row.workload()).sessions;
    std::set<std::int64_t> seen;
    const auto look_at = [&](const Plan& plan) {
      ASSERT_FALSE(plan.ops.empty());
      for (const PlannedOp& op : plan.ops) {
        EXPECT_EQ(op.key >= 0, !op.has_condition() && !op.is_of_tables());
        if (!op.has_value()) {
          EXPECT_EQ(op.value != 0, op.kind == Action::kIncrement);
          continue;
        }
        EXPECT_GT(op.value, 0);
        EXPECT_LT(op.value, std::int64_t{1} << 61);
        EXPECT_TRUE(seen.insert(op.value).second) << row.name;
      }
    };
    for (std::uint32_t i = 0; i < 1'000; ++i) {
      look_at(run.step(i % sessions));
      if (i % 3 == 0) look_at(run.repeat(i % sessions));
    }
  }
}

TEST(Planner, RenewedPlansBeginAsBefore) {
  for (const WorkloadInfo& row : all_workloads()) {
    const WorkloadOptions options = small(row.workload());
    SerialRun run(options);
    for (std::uint32_t i = 0; i < 300; ++i) {
      Plan plan = run.step(i % options.sessions);
      const Shape whole = shape_of(plan);
      const std::vector<std::int64_t> choices = plan.choices;
      const bool rolls_back = plan.rolls_back;
      run.planner().renew(i % options.sessions, plan);
      const Shape again = shape_of(plan);
      ASSERT_LE(again.size(), whole.size());
      EXPECT_TRUE(std::equal(again.begin(), again.end(), whole.begin())) << row.name;
      EXPECT_EQ(plan.choices, choices);
      // Where it is decided on the way, it will be decided again.
      const bool is_planned = plan.detour.rolls_back;
      EXPECT_EQ(plan.rolls_back, is_planned);
      if (row.workload() != Workload("smallbank")) {
        EXPECT_EQ(is_planned, rolls_back) << row.name;
      }
      EXPECT_EQ(plan.stage, 0U);
    }
  }
}

// By itself or by the planner, every workload on tables or with conditions rolls back, and goes
// back to savepoints.
TEST(Planner, TransactionsOnRowsTurnBack) {
  for (const WorkloadInfo& row : all_workloads()) {
    if (!row.needs.tables && !row.needs.rows) continue;
    SerialRun run(small(row.workload()));
    int rolled_back = 0;
    int taken_back = 0;
    for (int i = 0; i < 600; ++i) {
      const Plan& plan = run.step();
      rolled_back += plan.rolls_back ? 1 : 0;
      taken_back += std::ranges::any_of(plan.ops, [](const PlannedOp& op) {
        return op.kind == Action::kRollBackToSavepoint;
      });
    }
    EXPECT_GT(rolled_back, 0) << row.name;
    EXPECT_GT(taken_back, 0) << row.name;
  }
}

TEST(Planner, NothingTurnsBackUnlessAsked) {
  for (const WorkloadInfo& row : all_workloads()) {
    if (!takes(row.workload(), "savepoints") || !takes(row.workload(), "rollbacks")) continue;
    WorkloadOptions options = small(row.workload());
    options.savepoints = 0;
    options.rollbacks = 0;
    for (const Plan& plan : plan_many(options, 300)) {
      EXPECT_FALSE(plan.rolls_back) << row.name;
      EXPECT_TRUE(std::ranges::none_of(plan.ops, [](const PlannedOp& op) {
        return op.kind == Action::kSavepoint;
      })) << row.name;
    }
    options.rollbacks = 1;
    for (const Plan& plan : plan_many(options, 50)) EXPECT_TRUE(plan.rolls_back) << row.name;
  }
}

// One transaction after the other does the same with a detour as without, but for numbers that
// it gives out; and what is taken back begins as what is done afterwards.
TEST(Planner, ADetourChangesNothing) {
  for (const WorkloadInfo& row : all_workloads()) {
    if (!takes(row.workload(), "savepoints")) continue;
    WorkloadOptions options = small(row.workload());
    options.sessions = 3;
    options.rollbacks = 0;
    options.savepoints = 0;
    SerialRun straight(options);
    options.savepoints = 1;
    SerialRun winding(options);
    std::size_t detours = 0;
    for (std::uint32_t i = 0; i < 400; ++i) {
      const Plan& expected = straight.step(i % 3);
      const std::vector<Seen> found = straight.results();
      const Plan& plan = winding.step(i % 3);
      const Plan::Detour& detour = plan.detour;
      if (detour.savepoint == Plan::Detour::kNone) {
        ASSERT_TRUE(plan.requests[0].may_meet) << row.name;
        ASSERT_EQ(shape_of(plan), shape_of(expected)) << row.name << " " << i;
        continue;
      }
      ASSERT_GT(detour.savepoint, 0U);
      ASSERT_LT(detour.savepoint, plan.first_ops);
      ASSERT_EQ(plan.ops[detour.savepoint].kind, Action::kSavepoint);
      Shape shape = shape_of(plan);
      const auto from = shape.begin() + static_cast<std::ptrdiff_t>(detour.savepoint);
      if (detour.end != Plan::Detour::kNone) {
        ++detours;
        ASSERT_EQ(plan.ops[detour.end].kind, Action::kRollBackToSavepoint);
        const std::size_t hidden = detour.end - detour.savepoint;
        EXPECT_TRUE(std::equal(from + 1, from + static_cast<std::ptrdiff_t>(hidden),
                               from + static_cast<std::ptrdiff_t>(hidden) + 1, shape.end()))
            << row.name;
      }
      shape.erase(from, from + static_cast<std::ptrdiff_t>(detour.hidden()));
      ASSERT_EQ(shape, shape_of(expected)) << row.name << " " << i;
      for (std::size_t op = 0; op < found.size(); ++op) {
        const Seen& seen = winding.results()[detour.place_of(op)];
        ASSERT_EQ(seen.rows, found[op].rows) << row.name << " " << i;
        ASSERT_EQ(seen.applied, found[op].applied) << row.name;
      }
    }
    EXPECT_GT(detours, 20U) << row.name;
  }
}

// All rows that read at all; those of other sessions are as ever.
TEST(Planner, ReadersOnlyRead) {
  for (const WorkloadInfo& row : all_workloads()) {
    WorkloadOptions options = small(row.workload());
    ASSERT_TRUE(validate_readers(options).ok()) << row.name;
    options.readers = {false, true};
    SerialRun run(options);
    std::size_t writes = 0;
    std::size_t most = 0;
    for (std::uint32_t i = 0; i < 300; ++i) {
      const Plan& plan = run.step(i % 3);
      for (const PlannedOp& op : plan.ops) {
        if (i % 3 == 1) {
          EXPECT_TRUE(op.changes_nothing()) << row.name;
        }
        writes += op.changes_nothing() ? 0 : 1;
      }
      if (i % 3 != 1) continue;
      EXPECT_FALSE(plan.ops.empty()) << row.name;
      most = std::max(most, plan.ops.size());
      const Shape whole = shape_of(plan);
      EXPECT_EQ(shape_of(run.repeat(1)), whole) << row.name;
    }
    EXPECT_GT(writes, 0U) << row.name;
    EXPECT_GT(most, 0U);
  }
}

TEST(Planner, ReadersNeedAWorkloadThatReads) {
  WorkloadOptions options = default_options(Workload("long-fork"));
  options.reads = 0;
  const Status refused = validate_readers(options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "workload long-fork does not read with these parameters, so sessions on replicas "
            "would have nothing to do; raise --reads");
  options.reads = 0.01;
  EXPECT_TRUE(validate_readers(options).ok());
}

TEST(Planner, WritesAgainWithAFreshValueAndTheSamePayload) {
  Planner planner(default_options(Workload("c-twitter")));
  Plan plan;
  do {
    planner.plan(0, plan);
  } while (plan.type != 0);  // a tweet: a read, then two writes
  const std::vector<Seen> results(1);
  ASSERT_TRUE(planner.extend(0, plan, results));
  const PlannedOp first = plan.ops.back();
  planner.write_again(0, plan, plan.ops.size() - 1);
  EXPECT_EQ(plan.ops.back().key, first.key);
  EXPECT_EQ(plan.ops.back().kind, first.kind);
  EXPECT_NE(plan.ops.back().value, first.value);
  EXPECT_EQ(payload(plan.ops.back().value), payload(first.value));
}

TEST(Planner, KeysHaveNamesOfTheirOwn) {
  for (const WorkloadInfo& row : all_workloads()) {
    SerialRun run(small(row.workload()));
    const Planner& planner = run.planner();
    std::set<std::int64_t> keys;
    for (const std::int64_t key : planner.initial_keys()) {
      EXPECT_TRUE(keys.insert(key).second);
    }
    for (const std::int64_t key : planner.initial_lists()) {
      EXPECT_TRUE(keys.insert(key).second);
    }
    EXPECT_EQ(planner.initial_lists().empty(), !info(row.workload()).needs.lists);
    EXPECT_EQ(planner.initial_keys().empty(), info(row.workload()).needs.lists ||
                                                  info(row.workload()).needs.rows ||
                                                  info(row.workload()).needs.tables);
    EXPECT_EQ(planner.tables().empty(), !info(row.workload()).needs.tables);
    for (int i = 0; i < 300; ++i) {
      for (const PlannedOp& op : run.step().ops) {
        if (!op.has_condition() && !op.is_of_tables()) keys.insert(op.key);
      }
    }
    std::set<std::string> names;
    for (const std::int64_t key : keys) {
      const std::string name = planner.key_name(key);
      EXPECT_TRUE(names.insert(name).second) << name;
      if (planner.is_integer_key()) {
        EXPECT_EQ(name, std::to_string(key));
      }
    }
  }
}

// Reads that a database answers wrongly must not lead the planner astray.
TEST(Planner, SurvivesNonsenseFromTheDatabase) {
  for (const WorkloadInfo& row : all_workloads()) {
    Planner planner(small(row.workload()));
    base::Rng rng(5);
    Plan plan;
    std::vector<Seen> results;
    for (int i = 0; i < 500; ++i) {
      planner.plan(0, plan);
      results.clear();
      do {
        while (results.size() < plan.ops.size()) {
          const auto value = static_cast<std::int64_t>(rng.next());
          results.push_back({value, rng.chance(0.5), rng.chance(0.5)});
        }
        ASSERT_LT(plan.stage, 40U) << row.name;
      } while (planner.extend(0, plan, results));
    }
  }
}

bool is_fence(const Plan& plan) { return plan.ops.front().key == kFenceKey; }

// Every session begins with a fence, whatever the others do, and the workload does not notice.
TEST(Planner, FencesComeBetweenTransactionsThatStayTheSame) {
  for (const WorkloadInfo& row : all_workloads()) {
    WorkloadOptions options = small(row.workload());
    options.sessions = 2;
    SerialRun without(options);
    options.fence_every = 3;
    EXPECT_EQ(validate(options).ok(), takes(row.workload(), "fence-every")) << row.name;
    if (!takes_fences(row.workload())) continue;
    SerialRun with(options);
    std::vector<bool> fences;
    for (std::uint32_t i = 0; i < 40; ++i) {
      const Plan& plan = with.step(i % 2);
      fences.push_back(is_fence(plan));
      if (is_fence(plan)) {
        EXPECT_EQ(shape_of(plan),
                  (Shape{{Action::kRead, kFenceKey}, {Action::kWrite, kFenceKey}}));
        EXPECT_FALSE(plan.rolls_back);
      } else if (!takes(row.workload(), "appends-per-key") &&
                 !takes(row.workload(), "writes-per-key")) {
        EXPECT_EQ(shape_of(plan), shape_of(without.step(i % 2))) << row.name;
      }
      EXPECT_EQ(fences.back(), i / 2 % 4 == 0) << row.name << " " << i;
    }
    const std::vector<std::int64_t> keys = with.planner().initial_keys();
    EXPECT_EQ(std::ranges::count(keys, kFenceKey), 1);
    EXPECT_EQ(with.planner().key_name(kFenceKey), "fence");
    EXPECT_FALSE(with.planner().is_named_by_number(kFenceKey));
  }
}

TEST(Planner, AFenceThatIsAskedForComesNext) {
  WorkloadOptions options = default_options(Workload("blindw-rw"));
  options.sessions = 2;
  options.fence_every = 4;
  Planner planner(options);
  Plan plan;
  const auto is_next = [&](std::uint32_t session) {
    planner.plan(session, plan);
    return is_fence(plan);
  };
  EXPECT_TRUE(is_next(0));
  EXPECT_TRUE(is_next(1));
  EXPECT_FALSE(is_next(0));
  planner.fence(0);
  EXPECT_FALSE(is_next(1));
  EXPECT_TRUE(is_next(0));
  const std::int64_t value = plan.ops.back().value;
  planner.renew(0, plan);
  EXPECT_TRUE(is_fence(plan));
  EXPECT_NE(plan.ops.back().value, value);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(is_next(0)) << i;
  EXPECT_TRUE(is_next(0));
}

TEST(Planner, FencesHaveValuesOfTheirOwnWhereOthersRepeat) {
  WorkloadOptions options = default_options(Workload("general"));
  options.fence_every = 1;
  options.values = 1;
  Planner planner(options);
  Plan plan;
  std::set<std::int64_t> values;
  for (int i = 0; i < 20; ++i) {
    planner.plan(0, plan);
    EXPECT_EQ(is_fence(plan), i % 2 == 0);
    if (!is_fence(plan)) continue;
    EXPECT_TRUE(values.insert(plan.ops.back().value).second);
  }
}

TEST(Planner, WhoOnlyReadsMakesNoFences) {
  WorkloadOptions options = default_options(Workload("blindw-rw"));
  options.fence_every = 1;
  options.readers = {true};
  EXPECT_TRUE(validate_readers(options).ok());
  Planner planner(options);
  Plan plan;
  for (int i = 0; i < 5; ++i) {
    planner.plan(0, plan);
    EXPECT_FALSE(is_fence(plan));
  }
  options = default_options(Workload("mini"));
  options.fence_every = 1;
  options.workload = Workload("blindw-wh");
  options.reads = 0;
  EXPECT_FALSE(validate_readers(options).ok());
}

TEST(Planner, SessionsMayPlanAtOnce) {
  for (const WorkloadInfo& row : all_workloads()) {
    WorkloadOptions options = small(row.workload());
    options.sessions = 4;
    Planner planner(options);
    std::vector<std::vector<std::int64_t>> values(options.sessions);
    std::vector<std::thread> threads;
    for (std::uint32_t session = 0; session < options.sessions; ++session) {
      threads.emplace_back([&planner, &values, session] {
        Plan plan;
        std::vector<Seen> results;
        for (int i = 0; i < 300; ++i) {
          planner.plan(session, plan);
          results.clear();
          do {
            results.resize(plan.ops.size());
          } while (planner.extend(session, plan, results));
          for (const PlannedOp& op : plan.ops) {
            if (op.has_value()) values[session].push_back(op.value);
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::set<std::int64_t> all;
    std::size_t count = 0;
    for (const auto& of_session : values) {
      all.insert(of_session.begin(), of_session.end());
      count += of_session.size();
    }
    EXPECT_EQ(all.size(), count) << row.name;
  }
}

}  // namespace
}  // namespace isolde::gen
