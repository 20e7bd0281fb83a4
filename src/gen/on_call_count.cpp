// on-call-count: doctors in a table, of whom somebody must be on call in each shift. That is
// the example of Cahill et al., "Serializable isolation for snapshot databases" (2008), as
// programs write it: by a COUNT.
//
//   leave    counts who is on call in the doctor's shift, and takes the doctor off when these
//   are
//            two or more
//   careful  takes the doctor off after a savepoint, counts, and goes back to the savepoint
//   when
//            nobody is left
//   come     puts the doctor on call; one in 16 is called off at the end
//   hire     inserts a doctor who is on call
//   quit     counts likewise, and deletes a doctor who was hired when two or more are on call
//   check    asks for a shift whether anybody is on call, and counts the doctors of the shift
//            and those on call; or counts those on call in all shifts, twice
//
// Nobody who runs these one after the other leaves a shift alone.
#include <algorithm>

#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

using table::Condition;

enum Column : std::size_t { kShift, kOnCall };
constexpr std::array kColumns = {table::Column{.name = "shift", .indexed = true},
                                 table::Column{.name = "on_call", .least = 0}};
constexpr std::array kTables = {table::Table{"doctor", kColumns}};

enum Type : std::uint32_t { kLeave, kCareful, kCome, kHire, kQuit, kCheck };
/// Of those that change something.
constexpr std::array kShares = {Share{kLeave, 35}, Share{kCareful, 15}, Share{kCome, 35},
                                Share{kHire, 5}, Share{kQuit, 10}};

enum Choice : std::size_t { kShiftOf, kDoctor, kCoin };

constexpr std::int64_t kEach = 2;  // doctors of a shift at first, all on call
constexpr std::uint64_t kCalledOff = 16;
constexpr std::uint64_t kShiftsMost = 100'000;

Condition by_id(std::int64_t id) { return {{.least = id, .most = id}}; }
Condition in_shift(std::int64_t shift) {
  return {{.column = kShift, .least = shift, .most = shift}};
}
Condition on_call(std::int64_t shift) {
  Condition where = in_shift(shift);
  where.push_back({.column = kOnCall, .least = 1, .most = 1});
  return where;
}

void set(Draft& draft, std::int64_t doctor, std::int64_t is_on_call) {
  draft.update_rows(0, by_id(doctor), {{.column = kOnCall, .value = is_on_call}});
}

class OnCallCount final : public Generator {
 public:
  explicit OnCallCount(const WorkloadOptions& options)
      : reads_(options.reads), shifts_(options.distribution, options.keys) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;

  void initial_keys(std::vector<std::int64_t>&) const override {}
  std::span<const table::Table> tables() const override { return kTables; }
  void initial_rows(std::vector<InitialRow>& rows) const override {
    for (std::int64_t id = 0; id < doctors(); ++id) {
      rows.push_back({0, {.id = id, .cells = {id / kEach, 1}}});
    }
  }

 private:
  /// At first.
  std::int64_t doctors() const {
    return static_cast<std::int64_t>(shifts_.key_count()) * kEach;
  }
  static void check(Draft& draft, const Plan& plan);

  double reads_;
  Sampler shifts_;
};

void OnCallCount::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  plan.type = kCheck;
  if (!rng.chance(reads_)) plan.type = draw(kShares, rng);
  const auto shift = static_cast<std::int64_t>(shifts_.sample(rng));
  const auto coin = static_cast<std::int64_t>(rng.below(kCalledOff));
  const std::int64_t doctor = shift * kEach + coin % kEach;
  plan.choices = {shift, doctor, coin};
  Draft draft(plan);
  switch (plan.type) {
    case kLeave:
      draft.aggregate_rows(0, on_call(shift), AggregateKind::kCount);
      break;
    case kCareful:
      draft.savepoint();
      set(draft, doctor, 0);
      draft.aggregate_rows(0, on_call(shift), AggregateKind::kCount);
      break;
    case kCome:
      plan.rolls_back = coin == 0;
      set(draft, doctor, 1);
      break;
    case kHire:
      draft.insert_row(0, {shift, 1});
      break;
    case kQuit: {
      Condition hired = in_shift(shift);
      hired.push_back({.least = doctors()});
      draft.aggregate_rows(0, on_call(shift), AggregateKind::kCount);
      draft.select_rows(0, std::move(hired));
      break;
    }
    default:
      check(draft, plan);
      break;
  }
}

void OnCallCount::check(Draft& draft, const Plan& plan) {
  const std::int64_t shift = plan.choices[kShiftOf];
  if (plan.choices[kCoin] % 2 == 0) {
    draft.aggregate_rows(0, on_call(shift), AggregateKind::kExists);
    draft.aggregate_rows(0, in_shift(shift), AggregateKind::kCount);
    draft.aggregate_rows(0, on_call(shift), AggregateKind::kCount);
    return;
  }
  for (int i = 0; i < 2; ++i) {
    draft.aggregate_rows(0, {{.column = kOnCall, .least = 1, .most = 1}},
                         AggregateKind::kCount);
  }
}

void OnCallCount::extend(std::uint32_t /*session*/, Plan& plan, std::span<const Seen> results) {
  if (plan.stage > 1) return;
  Draft draft(plan, results);
  if (plan.type == kLeave && results[0].value >= 2) set(draft, plan.choices[kDoctor], 0);
  if (plan.type == kCareful && results[2].value == 0) draft.roll_back_to_savepoint();
  if (plan.type == kQuit && results[0].value >= 2 && results[1].rows > 0) {
    draft.remove_rows(0, by_id(draft.found_by(1).front().id));
  }
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<OnCallCount>(options);
}

Status fits(const WorkloadOptions& options) {
  if (options.keys > kShiftsMost) return out_of_range("keys", options.keys, 1, kShiftsMost);
  return ok_status();
}

constexpr std::array kRows = {
    WorkloadInfo{.name = "on-call-count",
                 .summary = "doctors who go off call when a count says that others are on",
                 .source = "the doctors of Cahill et al. 2008, with COUNT and EXISTS",
                 .make = make,
                 .needs = {.tables = true, .aggregates = true, .savepoints = true},
                 .keys_text = "shifts, with two doctors each at first",
                 .reads_text = kReadOnly,
                 .keys = 5,
                 .reads = 0.2,
                 .txns = 300,
                 .validate = fits}};

}  // namespace

const Workloads& on_call_count_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
