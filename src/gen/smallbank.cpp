// smallbank: customers with a savings and a checking account each. A customer is looked up by
// name first, as in the paper; the rows of the table of accounts never change.
//
//   balance     reads both accounts of a customer
//   deposit     adds to the checking account
//   savings     adds to the savings account or takes from it; rolled back where it would go
//               below 0
//   amalgamate  reads both accounts of a customer, empties them, and gives all of it to the
//               checking account of another one
//   check       reads both accounts of a customer and takes a check's amount from the checking
//               account, and 1 more if both together do not cover it
//
// Under snapshot isolation `check` reads what `savings` changes, and writes what `savings` does
// not look at. So they may run at the same time, and a `balance` that sees the second and not
// the first leaves no order of the three. All other pairs that conflict write the same row.
#include <algorithm>

#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

using table::Condition;

enum Tables : std::size_t { kAccount, kSavings, kChecking };
constexpr std::array kAccountColumns = {table::Column{.name = "name", .unique = true}};
constexpr std::array kBalanceColumns = {table::Column{.name = "balance"}};
constexpr std::array kTables = {table::Table{"account", kAccountColumns},
                                table::Table{"savings", kBalanceColumns},
                                table::Table{"checking", kBalanceColumns}};
constexpr std::size_t kName = 0;
constexpr std::size_t kBalance = 0;

enum Type : std::uint32_t { kLook, kDeposit, kTransactSavings, kAmalgamate, kWriteCheck };
/// Of those that change something.
constexpr std::array kShares = {Share{kDeposit, 25}, Share{kTransactSavings, 25},
                                Share{kAmalgamate, 25}, Share{kWriteCheck, 25}};

enum Choice : std::size_t { kAmount, kFirst, kSecond };

constexpr std::int64_t kAtFirst = 100;  // in each account
constexpr std::uint64_t kAmountMost = 60;
constexpr std::int64_t kPenalty = 1;
constexpr std::int64_t kNames = 1'000'000;  // customer 0 has this name
constexpr std::uint64_t kCustomersMost = 100'000;

Condition by_id(std::int64_t id) { return {{.least = id, .most = id}}; }
Condition named(std::int64_t customer) {
  return {{.column = kName, .least = kNames + customer, .most = kNames + customer}};
}

void add(Draft& draft, std::size_t table, std::int64_t customer, std::int64_t amount) {
  draft.update_rows(table, by_id(customer),
                    {{.column = kBalance, .value = amount, .adds = true}});
}

std::int64_t balance(const Draft& draft, std::size_t op) {
  std::int64_t sum = 0;
  for (const table::Row& row : draft.found_by(op)) sum += row.cells[kBalance].value_or(0);
  return sum;
}

class SmallBank final : public Generator {
 public:
  explicit SmallBank(const WorkloadOptions& options)
      : reads_(options.reads), customers_(options.distribution, options.keys) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;

  void initial_keys(std::vector<std::int64_t>&) const override {}
  std::span<const table::Table> tables() const override { return kTables; }
  void initial_rows(std::vector<InitialRow>& rows) const override {
    for (std::uint64_t i = 0; i < customers_.key_count(); ++i) {
      const auto id = static_cast<std::int64_t>(i);
      rows.push_back({kAccount, {.id = id, .cells = {kNames + id}}});
      rows.push_back({kSavings, {.id = id, .cells = {kAtFirst}}});
      rows.push_back({kChecking, {.id = id, .cells = {kAtFirst}}});
    }
  }

 private:
  static void look_at_both(Draft& draft, std::int64_t customer) {
    draft.select_rows(kSavings, by_id(customer));
    draft.select_rows(kChecking, by_id(customer));
  }
  static void look_first(Draft& draft, const Plan& plan, std::int64_t customer);
  static void finish(Draft& draft, Plan& plan, std::size_t first_look);

  double reads_;
  Sampler customers_;
};

void SmallBank::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  plan.type = kLook;
  if (!rng.chance(reads_)) plan.type = draw(kShares, rng);
  const auto amount = 1 + static_cast<std::int64_t>(rng.below(kAmountMost));
  // Two of three take from the savings, so that these run short now and then.
  const bool takes = plan.type == kTransactSavings && rng.below(3) > 0;
  const std::uint64_t first = customers_.sample(rng);
  std::uint64_t second = customers_.sample(rng);
  if (second == first) second = (first + 1) % customers_.key_count();
  plan.choices = {takes ? -amount : amount, static_cast<std::int64_t>(first),
                  static_cast<std::int64_t>(second)};
  Draft draft(plan);
  draft.select_rows(kAccount, named(plan.choices[kFirst]));
  if (plan.type == kAmalgamate) draft.select_rows(kAccount, named(plan.choices[kSecond]));
}

/// What comes once it is known who the customer is.
void SmallBank::look_first(Draft& draft, const Plan& plan, std::int64_t customer) {
  switch (plan.type) {
    case kDeposit:
      return add(draft, kChecking, customer, plan.choices[kAmount]);
    case kTransactSavings:
      return add(draft, kSavings, customer, plan.choices[kAmount]);
    default:
      return look_at_both(draft, customer);
  }
}

/// What follows from what the accounts hold.
void SmallBank::finish(Draft& draft, Plan& plan, std::size_t first_look) {
  const std::int64_t customer = draft.found_by(0).front().id;
  switch (plan.type) {
    case kTransactSavings:
      plan.rolls_back = balance(draft, first_look) < 0;
      break;
    case kAmalgamate: {
      const std::int64_t total = balance(draft, first_look) + balance(draft, first_look + 1);
      const std::int64_t other = draft.found_by(1).front().id;
      draft.update_rows(kSavings, by_id(customer), {{.column = kBalance, .value = 0}});
      draft.update_rows(kChecking, by_id(customer), {{.column = kBalance, .value = 0}});
      add(draft, kChecking, other, total);
      break;
    }
    case kWriteCheck: {
      const std::int64_t total = balance(draft, first_look) + balance(draft, first_look + 1);
      const std::int64_t amount = plan.choices[kAmount];
      add(draft, kChecking, customer, total < amount ? -amount - kPenalty : -amount);
      break;
    }
    default:
      break;
  }
}

void SmallBank::extend(std::uint32_t /*session*/, Plan& plan, std::span<const Seen> results) {
  const std::size_t first_look = plan.type == kAmalgamate ? 2 : 1;
  for (std::size_t op = 0; op < first_look; ++op) {
    if (results[op].rows == 0) return;  // a database that loses rows
  }
  Draft draft(plan, results);
  if (plan.stage == 1) look_first(draft, plan, draft.found_by(0).front().id);
  if (plan.stage == 2) finish(draft, plan, first_look);
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<SmallBank>(options);
}

Status fits(const WorkloadOptions& options) {
  if (options.keys < 2 || options.keys > kCustomersMost) {
    return out_of_range("keys", options.keys, 2, kCustomersMost);
  }
  return ok_status();
}

constexpr std::array kRows = {
    WorkloadInfo{.name = "smallbank",
                 .summary = "savings and checking accounts: balances, deposits, checks",
                 .source = "Alomari et al., The Cost of Serializability (ICDE 2008)",
                 .make = make,
                 .needs = {.tables = true},
                 .keys_text = "customers",
                 .reads_text = "share of transactions that read a balance",
                 .keys = 50,
                 .reads = 0.2,
                 .distribution = DistributionKind::kHotspot,
                 .own = kOnlySavepoints,
                 .validate = fits}};

}  // namespace

const Workloads& smallbank_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
