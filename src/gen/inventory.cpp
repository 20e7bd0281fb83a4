// inventory: a shop with its stock in a table of items and its orders in another one. What a
// program does in SQL, as careful and as careless ones do it:
//
//   order     takes each of up to --ops items, if there is enough of it, by one UPDATE, and
//             inserts an order of each that it got; one in 16 is called off at the end
//   bundle    takes an item, and after a savepoint another one; goes back to the savepoint when
//             there was not enough of it, or the customer wants no more than the first
//   careless  reads a quantity and sets it to what it makes of it
//   either    reads two items of which one replaces the other, and takes from the first if both
//             together leave one in stock
//   restock   adds to all items that run short; or looks for these and adds to one of them
//   ship      deletes the orders of an item, and takes what they had from what is reserved
//   audit     selects the items of which there is so much, twice, or the orders of one of them
#include <algorithm>

#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

using table::Condition;

enum Tables : std::size_t { kItem, kOrders };
enum ItemColumn : std::size_t { kQty, kReserved };
enum OrderColumn : std::size_t { kOrderItem, kOrderQty };

constexpr std::array kItemColumns = {
    table::Column{.name = "qty", .least = 0, .indexed = true},
    table::Column{.name = "reserved", .least = 0},
};
constexpr std::array kOrderColumns = {
    table::Column{.name = "item", .indexed = true, .refers_to = kItem},
    table::Column{.name = "qty", .least = 1},
};
constexpr std::array kTables = {table::Table{"item", kItemColumns},
                                table::Table{"orders", kOrderColumns}};

enum Type : std::uint32_t { kOrder, kBundle, kCareless, kEither, kRestock, kShip, kAudit };
/// Of those that change something.
constexpr std::array kShares = {Share{kOrder, 35},  Share{kBundle, 15},  Share{kCareless, 15},
                                Share{kEither, 15}, Share{kRestock, 10}, Share{kShip, 10}};

/// Then the items, ascending.
enum Choice : std::size_t { kQuantity, kCoin, kFirstItem };

constexpr std::int64_t kStock = 10;  // of each item at first, and what a restock adds
constexpr std::int64_t kShort = 2;
constexpr std::uint64_t kQuantityMost = 3;
constexpr std::uint64_t kCalledOff = 16;
constexpr std::uint64_t kItemsMost = 100'000;

Condition by_id(std::int64_t id) { return {{.least = id, .most = id}}; }
Condition by_qty(std::int64_t least, std::int64_t most) {
  return {{.column = kQty, .least = least, .most = most}};
}

class Inventory final : public Generator {
 public:
  explicit Inventory(const WorkloadOptions& options)
      : reads_(options.reads),
        most_(std::min<std::uint64_t>(options.ops, options.keys)),
        items_(options.distribution, options.keys) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;

  void initial_keys(std::vector<std::int64_t>&) const override {}
  std::span<const table::Table> tables() const override { return kTables; }
  void initial_rows(std::vector<InitialRow>& rows) const override {
    for (std::uint64_t item = 0; item < items_.key_count(); ++item) {
      rows.push_back({kItem, {.id = static_cast<std::int64_t>(item), .cells = {kStock, 0}}});
    }
  }

 private:
  void choose(base::Rng& rng, Plan& plan) const;
  void begin(Plan& plan) const;

  double reads_;
  std::uint64_t most_;
  Sampler items_;
};

std::int64_t item(const Plan& plan, std::size_t index) {
  return plan.choices[kFirstItem + index];
}
std::size_t item_count(const Plan& plan) { return plan.choices.size() - kFirstItem; }

/// As much of the item as is wanted, if there is so much.
void take(Draft& draft, const Plan& plan, std::size_t index) {
  const std::int64_t quantity = plan.choices[kQuantity];
  Condition enough = by_id(item(plan, index));
  enough.push_back({.column = kQty, .least = quantity});
  draft.update_rows(kItem, std::move(enough),
                    {{.column = kQty, .value = -quantity, .adds = true},
                     {.column = kReserved, .value = quantity, .adds = true}});
}

void insert_order(Draft& draft, const Plan& plan, std::size_t index) {
  draft.insert_row(kOrders, {item(plan, index), plan.choices[kQuantity]});
}

void Inventory::choose(base::Rng& rng, Plan& plan) const {
  plan.type = kAudit;
  if (!rng.chance(reads_)) plan.type = draw(kShares, rng);
  std::uint64_t count = 1;
  if (plan.type == kOrder) count = 1 + rng.below(most_);
  if (plan.type == kBundle || plan.type == kEither) count = 2;
  count = std::min(count, items_.key_count());
  plan.choices = {1 + static_cast<std::int64_t>(rng.below(kQuantityMost)),
                  static_cast<std::int64_t>(rng.below(kCalledOff))};
  while (item_count(plan) < count) {
    const auto next = static_cast<std::int64_t>(items_.sample(rng));
    const auto chosen = std::span(plan.choices).subspan(kFirstItem);
    if (std::ranges::find(chosen, next) == chosen.end()) plan.choices.push_back(next);
  }
  // So that transactions seldom wait for one another in a circle.
  std::sort(plan.choices.begin() + kFirstItem, plan.choices.end());
}

void Inventory::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  choose(rng, plan);
  begin(plan);
}

void Inventory::begin(Plan& plan) const {
  Draft draft(plan);
  const bool coin = plan.choices[kCoin] % 2 == 0;
  switch (plan.type) {
    case kOrder:
      plan.rolls_back = plan.choices[kCoin] == 0;
      for (std::size_t i = 0; i < item_count(plan); ++i) take(draft, plan, i);
      break;
    case kBundle:
      take(draft, plan, 0);
      draft.savepoint();
      take(draft, plan, item_count(plan) - 1);
      break;
    case kCareless:
      draft.select_rows(kItem, by_id(item(plan, 0)));
      break;
    case kEither: {
      Condition both(1);
      for (std::size_t i = 0; i < item_count(plan); ++i) both[0].in.push_back(item(plan, i));
      draft.select_rows(kItem, std::move(both));
      break;
    }
    case kRestock:
      if (coin) {
        draft.update_rows(kItem, by_qty(0, kShort),
                          {{.column = kQty, .value = kStock, .adds = true}});
      } else {
        draft.select_rows(kItem, by_qty(0, kShort));
      }
      break;
    case kShip:
      draft.remove_rows(
          kOrders, {{.column = kOrderItem, .least = item(plan, 0), .most = item(plan, 0)}});
      break;
    default: {
      const std::int64_t least = plan.choices[kQuantity] * 3;
      draft.select_rows(kItem, by_qty(least, least + 2));
      break;
    }
  }
}

void Inventory::extend(std::uint32_t /*session*/, Plan& plan, std::span<const Seen> results) {
  Draft draft(plan, results);
  const bool coin = plan.choices[kCoin] % 2 == 0;
  const std::int64_t quantity = plan.choices[kQuantity];
  const auto got = [&](std::size_t op) { return results[op].rows > 0; };
  // A bundle that has gone back goes on as an order of the first item.
  if (plan.type == kBundle && plan.stage == 1 && (!got(2) || coin)) {
    return draft.roll_back_to_savepoint();
  }
  const bool went_back = plan.type == kBundle && plan.stage == 2;
  if (plan.stage > 1 &&
      !(went_back && plan.ops[results.size() - 1].kind == Action::kRollBackToSavepoint)) {
    return;
  }
  switch (plan.type) {
    case kOrder:
      for (std::size_t i = 0; i < item_count(plan); ++i) {
        if (got(i)) insert_order(draft, plan, i);
      }
      break;
    case kBundle:
      if (got(0)) insert_order(draft, plan, 0);
      if (!went_back) insert_order(draft, plan, item_count(plan) - 1);
      break;
    case kCareless:
    case kEither: {
      std::int64_t total = 0;
      for (const table::Row& row : draft.found_by(0)) total += row.cells[kQty].value_or(0);
      const std::int64_t rest = plan.type == kEither ? 1 : 0;
      if (!got(0) || total < quantity + rest) break;
      const table::Row row = draft.found_by(0).front();
      const std::int64_t held = row.cells[kQty].value_or(0);
      if (held >= quantity) {
        draft.update_rows(kItem, by_id(row.id), {{.column = kQty, .value = held - quantity}});
      }
      break;
    }
    case kRestock:
      if (!coin && got(0)) {
        draft.update_rows(kItem, by_id(draft.found_by(0).front().id),
                          {{.column = kQty, .value = kStock, .adds = true}});
      }
      break;
    case kShip: {
      std::int64_t sum = 0;
      for (const table::Row& row : draft.found_by(0)) sum += row.cells[kOrderQty].value_or(0);
      if (sum > 0) {
        draft.update_rows(kItem, by_id(item(plan, 0)),
                          {{.column = kReserved, .value = -sum, .adds = true}});
      }
      break;
    }
    default:
      if (coin) {
        draft.request(Action::kSelectRows, plan.requests[0]);
      } else {
        draft.select_rows(
            kOrders, {{.column = kOrderItem, .least = item(plan, 0), .most = item(plan, 0)}});
      }
  }
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<Inventory>(options);
}

Status fits(const WorkloadOptions& options) {
  if (options.ops > kGroupMost) return out_of_range("ops", options.ops, 1, kGroupMost);
  if (options.keys > kItemsMost) return out_of_range("keys", options.keys, 1, kItemsMost);
  return ok_status();
}

constexpr std::array kRows = {
    WorkloadInfo{.name = "inventory",
                 .summary = "stock and orders in tables: updates and deletes by conditions",
                 .source = "stock of a shop, as programs keep it in SQL",
                 .make = make,
                 .needs = {.tables = true, .savepoints = true},
                 .ops_text = "items of an order at most",
                 .keys_text = "items",
                 .reads_text = kReadOnly,
                 .ops = 3,
                 .keys = 50,
                 .reads = 0.2,
                 .validate = fits}};

}  // namespace

const Workloads& inventory_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
