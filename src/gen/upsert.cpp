// upsert: the same rows come, go and come again, by all the ways that SQL has for it. Half of
// them are there at the beginning.
//
//   put      upserts up to --ops rows, each by one statement
//   by hand  updates a row, and inserts it where the update has met none
//   insert   inserts a row without a look; where there is one, the statement fails, and the
//            transaction goes on and updates the row
//   replace  deletes a row, and inserts it again in the same transaction
//   touch    changes the values of all rows with some value
//   remove   deletes a row
//   clear    deletes all rows with some values, or with some ids
//   audit    selects a range of rows, and then the same once more or the rows with some values
//
// Any other insert that meets a row, which somebody else has made in the meantime, is refused,
// and the transaction is sent again.
#include <algorithm>

#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

using table::Condition;

enum Column : std::size_t { kValue, kVersion };
constexpr std::array kColumns = {table::Column{.name = "amount", .indexed = true},
                                 table::Column{.name = "version", .least = 1}};
constexpr std::array kTables = {table::Table{"setting", kColumns}};

enum Type : std::uint32_t { kPut, kByHand, kInsert, kReplace, kTouch, kRemove, kClear, kAudit };
/// Of those that change something.
constexpr std::array kShares = {Share{kPut, 25},     Share{kByHand, 15}, Share{kInsert, 15},
                                Share{kReplace, 15}, Share{kTouch, 10},  Share{kRemove, 12},
                                Share{kClear, 8}};

/// Then the ids of the rows, ascending.
enum Choice : std::size_t { kNewValue, kOldValue, kCoin, kFirstRow };

constexpr std::uint64_t kValues = 10;
constexpr std::int64_t kRange = 4;  // rows of an audit, less 1
constexpr std::uint64_t kRowsAtMost = 100'000;

class Upsert final : public Generator {
 public:
  explicit Upsert(const WorkloadOptions& options)
      : reads_(options.reads),
        most_(std::min<std::uint64_t>(options.ops, options.keys)),
        rows_(options.distribution, options.keys) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;

  void initial_keys(std::vector<std::int64_t>&) const override {}
  std::span<const table::Table> tables() const override { return kTables; }
  void initial_rows(std::vector<InitialRow>& rows) const override {
    for (std::uint64_t i = 0; i < rows_.key_count(); i += 2) {
      const auto id = static_cast<std::int64_t>(i);
      rows.push_back({0, {.id = id, .cells = {id % 10, 1}}});
    }
  }

 private:
  void choose(base::Rng& rng, Plan& plan) const;

  double reads_;
  std::uint64_t most_;
  Sampler rows_;
};

Condition by_id(std::int64_t least, std::int64_t most) {
  return {{.least = least, .most = most}};
}
Condition by_value(std::int64_t least, std::int64_t most) {
  return {{.column = kValue, .least = least, .most = most}};
}
std::int64_t first_row(const Plan& plan) { return plan.choices[kFirstRow]; }

void put(Draft& draft, const Plan& plan, std::int64_t id) {
  const std::int64_t value = plan.choices[kNewValue];
  draft.request(Action::kUpsertRow, {.set = {{.column = kValue, .value = value},
                                             {.column = kVersion, .value = 1, .adds = true}},
                                     .id = id,
                                     .cells = {value, 1}});
}

void insert(Draft& draft, const Plan& plan) {
  draft.request(Action::kInsertRow, {.id = first_row(plan),
                                     .may_meet = plan.type == kInsert,
                                     .cells = {plan.choices[kNewValue], 1}});
}

void update(Draft& draft, const Plan& plan, Condition where) {
  draft.update_rows(0, std::move(where),
                    {{.column = kValue, .value = plan.choices[kNewValue]},
                     {.column = kVersion, .value = 1, .adds = true}});
}

void Upsert::choose(base::Rng& rng, Plan& plan) const {
  plan.type = kAudit;
  if (!rng.chance(reads_)) plan.type = draw(kShares, rng);
  plan.choices = {static_cast<std::int64_t>(rng.below(kValues)),
                  static_cast<std::int64_t>(rng.below(kValues)),
                  static_cast<std::int64_t>(rng.below(2))};
  const std::uint64_t count = plan.type == kPut ? 1 + rng.below(most_) : 1;
  while (plan.choices.size() < kFirstRow + count) {
    const auto next = static_cast<std::int64_t>(rows_.sample(rng));
    const auto chosen = std::span(plan.choices).subspan(kFirstRow);
    if (std::ranges::find(chosen, next) == chosen.end()) plan.choices.push_back(next);
  }
  // So that transactions seldom wait for one another in a circle.
  std::sort(plan.choices.begin() + kFirstRow, plan.choices.end());
}

void Upsert::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  choose(rng, plan);
  const std::int64_t row = first_row(plan);
  const std::int64_t value = plan.choices[kOldValue];
  Draft draft(plan);
  switch (plan.type) {
    case kPut:
      for (std::size_t i = kFirstRow; i < plan.choices.size(); ++i) {
        put(draft, plan, plan.choices[i]);
      }
      break;
    case kByHand:
      update(draft, plan, by_id(row, row));
      break;
    case kInsert:
      insert(draft, plan);
      break;
    case kReplace:
      draft.remove_rows(0, by_id(row, row));
      insert(draft, plan);
      break;
    case kTouch:
      update(draft, plan, by_value(value, value));
      break;
    case kRemove:
      draft.remove_rows(0, by_id(row, row));
      break;
    case kClear:
      draft.remove_rows(
          0, plan.choices[kCoin] == 0 ? by_value(value, value + 1) : by_id(row, row + 1));
      break;
    default:
      draft.select_rows(0, by_id(row, row + kRange));
      draft.select_rows(
          0, plan.choices[kCoin] == 0 ? by_id(row, row + kRange) : by_value(value, value + 1));
      break;
  }
}

void Upsert::extend(std::uint32_t /*session*/, Plan& plan, std::span<const Seen> results) {
  if (plan.stage > 1) return;
  Draft draft(plan, results);
  if (plan.type == kByHand && results[0].rows == 0) insert(draft, plan);
  if (plan.type == kInsert && !results[0].applied) {
    update(draft, plan, by_id(first_row(plan), first_row(plan)));
  }
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<Upsert>(options);
}

Status fits(const WorkloadOptions& options) {
  if (options.ops > kGroupMost) return out_of_range("ops", options.ops, 1, kGroupMost);
  if (options.keys > kRowsAtMost) return out_of_range("keys", options.keys, 1, kRowsAtMost);
  return ok_status();
}

constexpr std::array kRows = {
    WorkloadInfo{.name = "upsert",
                 .summary = "the same rows are upserted, deleted and inserted again",
                 .source = "INSERT ... ON CONFLICT and what programs write in its place",
                 .make = make,
                 .needs = {.tables = true, .savepoints = true},
                 .ops_text = "rows upserted at most",
                 .keys_text = "rows",
                 .reads_text = kReadOnly,
                 .ops = 3,
                 .keys = 20,
                 .reads = 0.2,
                 .own = kTurningBack,
                 .validate = fits}};

}  // namespace

const Workloads& upsert_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
