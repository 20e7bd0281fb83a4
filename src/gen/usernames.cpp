// usernames: accounts with names that should be unique. Who wants a name looks whether somebody
// has it, and takes it if not. With index=1 the database guards that, too; without, only its
// isolation does.
//
//   register  selects the account of a name, and inserts one where there is none; one in 16 is
//             rolled back by the client
//   try       inserts an account after a savepoint, goes back, looks for another name, and
//             inserts that where it is free
//   rename    selects the accounts of two names, and gives the first one's the second name if
//             that is free
//   leave     deletes the account of a name
//   visit     counts a visit of the account of a name
//   audit     selects the accounts of some names, twice
#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

using table::Condition;

enum Column : std::size_t { kName, kVisits };
constexpr std::array kColumns = {table::Column{.name = "name", .unique = true},
                                 table::Column{.name = "visits"}};
constexpr std::array kTables = {table::Table{"account", kColumns}};

enum Type : std::uint32_t { kRegister, kTry, kRename, kLeave, kVisit, kAudit };

/// Of those that change something.
constexpr std::array kShares = {Share{kRegister, 35}, Share{kTry, 10}, Share{kRename, 20},
                                Share{kLeave, 20}, Share{kVisit, 15}};

enum Choice : std::size_t { kFirst, kSecond };

constexpr std::uint64_t kRolledBack = 16;
constexpr std::uint64_t kNamesMost = 100'000;

class Usernames final : public Generator {
 public:
  explicit Usernames(const WorkloadOptions& options)
      : reads_(options.reads), most_(options.ops), names_(options.distribution, options.keys) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;

  void initial_keys(std::vector<std::int64_t>&) const override {}
  std::span<const table::Table> tables() const override { return kTables; }

 private:
  double reads_;
  std::int64_t most_;
  Sampler names_;
};

Condition named(std::int64_t name) { return {{.column = kName, .least = name, .most = name}}; }

void Usernames::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  plan.type = kAudit;
  if (!rng.chance(reads_)) plan.type = draw(kShares, rng);
  plan.choices = {static_cast<std::int64_t>(names_.sample(rng)),
                  static_cast<std::int64_t>(names_.sample(rng))};
  const bool gives_up = rng.below(kRolledBack) == 0;
  plan.rolls_back = plan.type == kRegister && gives_up;
  Draft draft(plan);
  const Condition first = named(plan.choices[kFirst]);
  switch (plan.type) {
    case kRegister:
    case kTry:
      draft.select_rows(0, first);
      break;
    case kRename:
      draft.select_rows(0, first);
      draft.select_rows(0, named(plan.choices[kSecond]));
      break;
    case kLeave:
      draft.remove_rows(0, first);
      break;
    case kVisit:
      draft.update_rows(0, first, {{.column = kVisits, .value = 1, .adds = true}});
      break;
    default: {
      const Condition some = {{.column = kName,
                               .least = plan.choices[kFirst],
                               .most = plan.choices[kFirst] + most_ - 1}};
      draft.select_rows(0, some);
      draft.select_rows(0, some);
      break;
    }
  }
}

void Usernames::extend(std::uint32_t /*session*/, Plan& plan, std::span<const Seen> results) {
  Draft draft(plan, results);
  const auto is_free = [&](std::size_t op) { return results[op].rows == 0; };
  if (plan.type == kTry && plan.stage == 2 && results.size() == 5 && is_free(4)) {
    draft.insert_row(0, {plan.choices[kSecond], 0});
  }
  if (plan.stage > 1) return;
  if (plan.type == kRegister && is_free(0)) draft.insert_row(0, {plan.choices[kFirst], 0});
  if (plan.type == kTry && is_free(0)) {
    draft.savepoint();
    draft.insert_row(0, {plan.choices[kFirst], 0});
    draft.roll_back_to_savepoint();
    draft.select_rows(0, named(plan.choices[kSecond]));
  }
  if (plan.type == kRename && !is_free(0) && is_free(1)) {
    const std::int64_t id = draft.found_by(0).front().id;
    draft.update_rows(0, {{.least = id, .most = id}},
                      {{.column = kName, .value = plan.choices[kSecond]}});
  }
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<Usernames>(options);
}

Status fits(const WorkloadOptions& options) {
  if (options.ops > kGroupMost) return out_of_range("ops", options.ops, 1, kGroupMost);
  if (options.keys > kNamesMost) return out_of_range("keys", options.keys, 1, kNamesMost);
  return ok_status();
}

constexpr std::array kRows = {
    WorkloadInfo{.name = "usernames",
                 .summary = "accounts whose names only a look before the insert keeps unique",
                 .source = "Bailis et al., Feral Concurrency Control (SIGMOD 2015), section 5",
                 .make = make,
                 .needs = {.tables = true, .savepoints = true},
                 .ops_text = "names of an audit",
                 .keys_text = "names",
                 .reads_text = kReadOnly,
                 .ops = 5,
                 .keys = 30,
                 .reads = 0.2,
                 .validate = fits}};

}  // namespace

const Workloads& usernames_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
