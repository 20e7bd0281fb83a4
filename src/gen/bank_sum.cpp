// bank-sum: accounts in a table, of which programs know sums. Each owner has two at the
// beginning, and no owner may owe money: one of the accounts may, as long as the others cover
// it. That is the rule of Fekete et al., "A read-only transaction anomaly under snapshot
// isolation" (2004), told by a SUM.
//
//   transfer  takes an amount from an account and adds it to another one, by two UPDATEs; one
//   in
//             16 is called off at the end
//   withdraw  sums the accounts of an owner, and if these cover the amount takes it from one of
//             them to an account of the next owner
//   open      counts the accounts of an owner and opens one more where there are fewer than
//   four,
//             with what it takes from another one; after a savepoint, to which it goes back
//             when that one has less than the amount
//   close     deletes an account that was opened, and adds what it held to another of the owner
//   audit     sums and counts all accounts, and sums them once more; or tells the least and the
//             most that accounts of an owner hold, and whether any holds less than nothing
//
// All money stays in the bank, so every sum of all accounts is the same.
#include <algorithm>

#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

using table::Condition;

enum Column : std::size_t { kOwner, kBalance };
constexpr std::array kColumns = {table::Column{.name = "owner", .indexed = true},
                                 table::Column{.name = "balance"}};
constexpr std::array kTables = {table::Table{"account", kColumns}};

enum Type : std::uint32_t { kTransfer, kWithdraw, kOpen, kClose, kAudit };
/// Of those that change something.
constexpr std::array kShares = {Share{kTransfer, 40}, Share{kWithdraw, 40}, Share{kOpen, 10},
                                Share{kClose, 10}};

enum Choice : std::size_t { kAmount, kFirst, kSecond, kCoin };

constexpr std::int64_t kEach = 2;      // accounts of an owner at first
constexpr std::int64_t kAtMost = 4;    // from which on an owner gets no more
constexpr std::int64_t kAtFirst = 50;  // in each account
constexpr std::uint64_t kAmountMost = 60;
constexpr std::uint64_t kCalledOff = 16;
constexpr std::uint64_t kOwnersMost = 100'000;

Condition by_id(std::int64_t id) { return {{.least = id, .most = id}}; }
Condition by_owner(std::int64_t owner) {
  return {{.column = kOwner, .least = owner, .most = owner}};
}

void add(Draft& draft, Condition where, std::int64_t amount) {
  draft.update_rows(0, std::move(where), {{.column = kBalance, .value = amount, .adds = true}});
}

class BankSum final : public Generator {
 public:
  explicit BankSum(const WorkloadOptions& options)
      : reads_(options.reads), owners_(options.distribution, options.keys) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;

  void initial_keys(std::vector<std::int64_t>&) const override {}
  std::span<const table::Table> tables() const override { return kTables; }
  void initial_rows(std::vector<InitialRow>& rows) const override {
    for (std::int64_t id = 0; id < owners() * kEach; ++id) {
      rows.push_back({0, {.id = id, .cells = {id / kEach, kAtFirst}}});
    }
  }

 private:
  std::int64_t owners() const { return static_cast<std::int64_t>(owners_.key_count()); }
  /// One of those that the owner has had from the beginning.
  static std::int64_t account(std::int64_t owner, const Plan& plan) {
    return owner * kEach + plan.choices[kCoin] % kEach;
  }
  void audit(Draft& draft, const Plan& plan) const;

  double reads_;
  Sampler owners_;
};

void BankSum::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  plan.type = kAudit;
  if (!rng.chance(reads_)) plan.type = draw(kShares, rng);
  const auto amount = 1 + static_cast<std::int64_t>(rng.below(kAmountMost));
  const auto first = static_cast<std::int64_t>(owners_.sample(rng));
  plan.choices = {amount, first, (first + 1) % owners(),
                  static_cast<std::int64_t>(rng.below(kCalledOff))};
  const std::int64_t mine = account(first, plan);
  Draft draft(plan);
  switch (plan.type) {
    case kTransfer:
      plan.rolls_back = plan.choices[kCoin] == 0;
      add(draft, by_id(mine), -amount);
      add(draft, by_id(account(plan.choices[kSecond], plan)), amount);
      break;
    case kWithdraw:
      draft.aggregate_rows(0, by_owner(first), AggregateKind::kSum, kBalance);
      break;
    case kOpen:
      draft.aggregate_rows(0, by_owner(first), AggregateKind::kCount);
      break;
    case kClose:
      draft.select_rows(
          0, {{.least = owners() * kEach}, {.column = kOwner, .least = first, .most = first}});
      break;
    default:
      audit(draft, plan);
      break;
  }
}

void BankSum::audit(Draft& draft, const Plan& plan) const {
  if (plan.choices[kCoin] % 2 == 0) {
    draft.aggregate_rows(0, {}, AggregateKind::kSum, kBalance);
    draft.aggregate_rows(0, {}, AggregateKind::kCount);
    draft.aggregate_rows(0, {}, AggregateKind::kSum, kBalance);
    return;
  }
  const Condition mine = by_owner(plan.choices[kFirst]);
  draft.aggregate_rows(0, mine, AggregateKind::kMin, kBalance);
  draft.aggregate_rows(0, mine, AggregateKind::kMax, kBalance);
  Condition in_debt = mine;
  in_debt.push_back({.column = kBalance, .most = -1});
  draft.aggregate_rows(0, std::move(in_debt), AggregateKind::kExists);
}

void BankSum::extend(std::uint32_t /*session*/, Plan& plan, std::span<const Seen> results) {
  Draft draft(plan, results);
  const std::int64_t amount = plan.choices[kAmount];
  const std::int64_t mine = account(plan.choices[kFirst], plan);
  if (plan.type == kWithdraw && plan.stage == 1 && results[0].value >= amount) {
    add(draft, by_id(mine), -amount);
    add(draft, by_id(account(plan.choices[kSecond], plan)), amount);
  } else if (plan.type == kOpen && plan.stage == 1 && results[0].value < kAtMost) {
    draft.savepoint();
    Condition enough = by_id(mine);
    enough.push_back({.column = kBalance, .least = amount});
    draft.insert_row(0, {plan.choices[kFirst], amount});
    add(draft, std::move(enough), -amount);
  } else if (plan.type == kOpen && plan.stage == 2 && results[3].rows == 0) {
    draft.roll_back_to_savepoint();
  } else if (plan.type == kClose && plan.stage == 1 && results[0].rows > 0) {
    draft.remove_rows(0, by_id(draft.found_by(0).front().id));
  } else if (plan.type == kClose && plan.stage == 2 && results[1].rows > 0) {
    add(draft, by_id(mine), draft.found_by(1).front().cells[kBalance].value_or(0));
  }
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<BankSum>(options);
}

Status fits(const WorkloadOptions& options) {
  if (options.keys < 2 || options.keys > kOwnersMost) {
    return out_of_range("keys", options.keys, 2, kOwnersMost);
  }
  return ok_status();
}

constexpr std::array kRows = {
    WorkloadInfo{.name = "bank-sum",
                 .summary = "accounts whose sums must cover what is withdrawn",
                 .source = "the bank of Fekete et al. 2004, with SUM and COUNT",
                 .make = make,
                 .needs = {.tables = true, .aggregates = true, .savepoints = true},
                 .keys_text = "owners, with two accounts each at first",
                 .reads_text = kReadOnly,
                 .keys = 5,
                 .reads = 0.2,
                 .txns = 300,
                 .validate = fits}};

}  // namespace

const Workloads& bank_sum_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
