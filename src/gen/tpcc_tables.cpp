// tpcc-tables: the five transactions of TPC-C (revision 5.11, clause 2) as programs run them in
// SQL, on its nine tables with the columns that are integers and matter. Names of customers are
// numbers, and three customers of a district share one. Ids are made of the parts of TPC-C's
// primary keys, the last one lowest, so that a district's rows, or an order's lines, are a
// range.
//
//   new order     counts up the district's next order, whose number the UPDATE returns, and
//                 inserts the order; for each line selects the item and its stock, sets the
//                 stock and inserts the line. One in a hundred asks for an item that does not
//                 exist, and is rolled back
//   payment       adds to warehouse and district, selects the customer by id or name (of those
//                 of a name it is the one in the middle), changes the balance, inserts a
//                 payment
//   order status  selects the customer likewise, the customer's orders, and the last one's
//   lines delivery      of each district selects the oldest new order (ORDER BY id LIMIT 1) and
//   deletes
//                 it; sets carrier and date, and adds what the lines cost to the balance
//   stock level   selects the lines of the last 20 orders, and of their items those of which
//                 there is little in stock
//
// Stock is selected without a lock and set to what the client makes of it, as in the sample
// programs of the specification (A.1), which loses updates where nothing prevents that. Two
// deliveries that select the same order are told apart by its deletion: who deletes nothing
// leaves the district alone.
#include <algorithm>

#include "base/hash.hpp"
#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

using table::Column;
using table::Condition;

// In an order in which rows can be inserted.
enum Tables : std::size_t {
  kItem,
  kWarehouse,
  kDistrict,
  kCustomer,
  kStock,
  kHistory,
  kOrders,
  kNewOrder,
  kOrderLine,
};

enum ItemColumn : std::size_t { kPrice };
enum DistrictColumn : std::size_t { kInWarehouse, kTax, kDistrictYtd, kNextOrder };
enum WarehouseColumn : std::size_t { kWarehouseTax, kWarehouseYtd };
enum CustomerColumn : std::size_t {
  kInDistrict,
  kName,
  kDiscount,
  kBalance,
  kPaid,
  kPayments,
  kDeliveries,
};
enum StockColumn : std::size_t { kStockItem, kQuantity, kStockYtd, kOrderCount, kRemoteCount };
enum OrdersColumn : std::size_t { kBuyer, kCarrier, kLineCount };
enum OrderLineColumn : std::size_t {
  kLineOrder,
  kLineStock,
  kLineQuantity,
  kAmount,
  kDelivered
};

constexpr std::array kItemColumns = {Column{.name = "price", .least = 1}};
constexpr std::array kWarehouseColumns = {Column{.name = "tax"}, Column{.name = "ytd"}};
constexpr std::array kDistrictColumns = {Column{.name = "warehouse", .refers_to = kWarehouse},
                                         Column{.name = "tax"}, Column{.name = "ytd"},
                                         Column{.name = "next_order", .least = 1}};
constexpr std::array kCustomerColumns = {Column{.name = "district", .refers_to = kDistrict},
                                         Column{.name = "name", .indexed = true},
                                         Column{.name = "discount"},
                                         Column{.name = "balance"},
                                         Column{.name = "paid"},
                                         Column{.name = "payments", .least = 0},
                                         Column{.name = "deliveries", .least = 0}};
constexpr std::array kStockColumns = {
    Column{.name = "item", .refers_to = kItem}, Column{.name = "quantity", .least = 0},
    Column{.name = "ytd"}, Column{.name = "order_count"}, Column{.name = "remote_count"}};
constexpr std::array kHistoryColumns = {Column{.name = "customer", .refers_to = kCustomer},
                                        Column{.name = "district", .refers_to = kDistrict},
                                        Column{.name = "amount", .least = 1}};
constexpr std::array kOrdersColumns = {
    Column{.name = "customer", .indexed = true, .refers_to = kCustomer},
    Column{.name = "carrier"}, Column{.name = "line_count", .least = 1}};
constexpr std::array kNewOrderColumns = {Column{.name = "order_id", .refers_to = kOrders}};
constexpr std::array kOrderLineColumns = {
    Column{.name = "order_id", .refers_to = kOrders},
    Column{.name = "stock", .refers_to = kStock}, Column{.name = "quantity", .least = 1},
    Column{.name = "amount", .least = 0}, Column{.name = "delivered"}};
constexpr std::array kTables = {
    table::Table{"item", kItemColumns},           table::Table{"warehouse", kWarehouseColumns},
    table::Table{"district", kDistrictColumns},   table::Table{"customer", kCustomerColumns},
    table::Table{"stock", kStockColumns},         table::Table{"history", kHistoryColumns},
    table::Table{"orders", kOrdersColumns},       table::Table{"new_order", kNewOrderColumns},
    table::Table{"order_line", kOrderLineColumns}};

// The parts of ids; what is left of 40 is the warehouse's.
constexpr unsigned kDistrictBits = 4;
constexpr unsigned kCustomerBits = 12;
constexpr unsigned kOrderBits = 20;
constexpr unsigned kLineBits = 4;
constexpr unsigned kItemBits = 17;
constexpr std::int64_t kOrderMask = (std::int64_t{1} << kOrderBits) - 1;
constexpr std::int64_t kItemMask = (std::int64_t{1} << kItemBits) - 1;

constexpr std::int64_t kDistricts = 10;
constexpr std::int64_t kCustomersOfAName = 3;
constexpr std::int64_t kOrdersLookedAt = 20;  // stock level
constexpr std::uint64_t kRowsAtFirstMost = 1'000'000;

std::int64_t district_id(std::int64_t w, std::int64_t d) { return (w << kDistrictBits) | d; }
// What belongs to a district, or an order, and has that number there.
std::int64_t id_in(std::int64_t owner, unsigned bits, std::int64_t number) {
  return (owner << bits) | number;
}
std::int64_t stock_id(std::int64_t w, std::int64_t item) { return id_in(w, kItemBits, item); }

Condition by_id(std::int64_t id) { return {{.least = id, .most = id}}; }
// All that belongs to it.
Condition all_of(std::int64_t owner, unsigned bits) {
  return {{.least = id_in(owner, bits, 0), .most = id_in(owner + 1, bits, 0) - 1}};
}

enum Type : std::uint32_t { kNewOrders, kPayment, kOrderStatus, kDelivery, kStockLevel };

class TpccTables final : public Generator {
 public:
  explicit TpccTables(const WorkloadOptions& options)
      : warehouses_(options.warehouses),
        customers_(options.customers),
        items_(options.items),
        names_((customers_ + kCustomersOfAName - 1) / kCustomersOfAName),
        seed_(options.seed),
        customer_numbers_(customers_, 1'023, base::mix2(options.seed, 0xc1d)),
        customer_names_(names_, 255, base::mix2(options.seed, 0x1a57)),
        item_numbers_(items_, 8'191, base::mix2(options.seed, 0x17e3)) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;

  void initial_keys(std::vector<std::int64_t>&) const override {}
  std::span<const table::Table> tables() const override { return kTables; }
  void initial_rows(std::vector<InitialRow>& rows) const override;

 private:
  // Positions in Plan::choices. All types begin with the warehouse and the district's id, of
  // which delivery needs no district.
  enum Choice : std::size_t { kW, kD, kThird, kFourth, kFifth, kSixth };
  static constexpr std::size_t kByName = kThird;  // payment, order status
  static constexpr std::size_t kWho = kFourth;    // likewise: number of the customer or name
  static constexpr std::size_t kHome = kFifth;    // payment: district of the customer
  static constexpr std::size_t kSum = kSixth;
  static constexpr std::size_t kCustomerId = kThird;  // new order
  static constexpr std::size_t kFirstLine = kFourth;  // item, supplying warehouse, quantity
  static constexpr std::size_t kBy = kThird;          // delivery: carrier
  static constexpr std::size_t kBound = kThird;       // stock level

  std::int64_t other_warehouse(base::Rng& rng, std::int64_t home) const;
  void choose_customer(base::Rng& rng, Plan& plan) const;
  void plan_new_order(base::Rng& rng, Plan& plan) const;
  void plan_payment(base::Rng& rng, Plan& plan) const;
  void plan_delivery(base::Rng& rng, Plan& plan) const;
  static void select_customer(const Plan& plan, std::int64_t district, Draft& draft);
  static void fetch_line(const Plan& plan, std::size_t line, Draft& draft);
  static void extend_new_order(const Plan& plan, std::size_t done, Draft& draft);
  static void finish_line(const Plan& plan, std::size_t line, std::size_t done, Draft& draft);
  static void pay(const Plan& plan, Draft& draft);
  static void extend_order_status(const Plan& plan, Draft& draft);
  static void extend_delivery(const Plan& plan, std::size_t done, Draft& draft);
  static void extend_stock_level(const Plan& plan, Draft& draft);

  std::int64_t drawn(std::int64_t of, std::int64_t least, std::int64_t most) const {
    base::Rng rng(base::mix2(seed_, static_cast<std::uint64_t>(of)));
    return between(rng, least, most);
  }

  std::int64_t warehouses_;
  std::int64_t customers_;  // of a district
  std::int64_t items_;
  std::int64_t names_;
  std::uint64_t seed_;
  NonUniform customer_numbers_;
  NonUniform customer_names_;
  NonUniform item_numbers_;
};

// Clause 4.3.3, without orders and payments.
void TpccTables::initial_rows(std::vector<InitialRow>& rows) const {
  const auto add = [&](Tables table, std::int64_t id, std::vector<table::Cell> cells) {
    rows.push_back({table, {.id = id, .cells = std::move(cells)}});
  };
  for (std::int64_t i = 1; i <= items_; ++i) add(kItem, i, {drawn(i, 1, 100)});
  for (std::int64_t w = 1; w <= warehouses_; ++w) {
    add(kWarehouse, w, {drawn(w, 0, 20), 0});
    for (std::int64_t d = 1; d <= kDistricts; ++d) {
      const std::int64_t district = district_id(w, d);
      add(kDistrict, district, {w, drawn(district, 0, 20), 0, 1});
      for (std::int64_t c = 1; c <= customers_; ++c) {
        const std::int64_t id = id_in(district, kCustomerBits, c);
        add(kCustomer, id, {district, (c - 1) % names_ + 1, drawn(id, 0, 50), 0, 0, 0, 0});
      }
    }
    for (std::int64_t i = 1; i <= items_; ++i) {
      add(kStock, stock_id(w, i), {i, drawn(stock_id(w, i), 10, 100), 0, 0, 0});
    }
  }
}

void TpccTables::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  const std::uint64_t dice = rng.below(100);
  const std::int64_t w = between(rng, 1, warehouses_);
  plan.choices = {w, district_id(w, between(rng, 1, kDistricts))};
  if (dice < 45) return plan_new_order(rng, plan);
  if (dice < 88) return plan_payment(rng, plan);
  if (dice < 92) return plan_delivery(rng, plan);
  Draft draft(plan);
  if (dice < 96) {
    plan.type = kOrderStatus;
    choose_customer(rng, plan);
    return select_customer(plan, plan.choices[kD], draft);
  }
  plan.type = kStockLevel;
  plan.choices.push_back(between(rng, 10, 20));
  draft.request(
      Action::kSelectRows,
      {.table = kDistrict, .where = by_id(plan.choices[kD]), .columns = {kNextOrder}});
}

void TpccTables::extend(std::uint32_t /*session*/, Plan& plan, std::span<const Seen> results) {
  Draft draft(plan, results);
  switch (plan.type) {
    case kNewOrders:
      return extend_new_order(plan, results.size(), draft);
    case kPayment:
      if (plan.stage == 1) pay(plan, draft);
      return;
    case kOrderStatus:
      return extend_order_status(plan, draft);
    case kDelivery:
      return extend_delivery(plan, results.size(), draft);
    default:
      return extend_stock_level(plan, draft);
  }
}

// REQUIRES: more than one warehouse.
std::int64_t TpccTables::other_warehouse(base::Rng& rng, std::int64_t home) const {
  return (home - 1 + between(rng, 1, warehouses_ - 1)) % warehouses_ + 1;
}

// --- Customers

// Six in ten say their name, the others their number.
void TpccTables::choose_customer(base::Rng& rng, Plan& plan) const {
  const bool by_name = rng.below(100) < 60;
  plan.choices.push_back(by_name ? 1 : 0);
  plan.choices.push_back(by_name ? customer_names_.draw(rng) : customer_numbers_.draw(rng));
}

void TpccTables::select_customer(const Plan& plan, std::int64_t district, Draft& draft) {
  const std::int64_t who = plan.choices[kWho];
  if (plan.choices[kByName] == 0) {
    return draft.select_rows(kCustomer, by_id(id_in(district, kCustomerBits, who)));
  }
  Condition named = all_of(district, kCustomerBits);
  named.push_back({.column = kName, .least = who, .most = who});
  draft.select_rows(kCustomer, std::move(named));
}

// Clause 2.5.2.2: position n/2 rounded up, from 1. REQUIRES: any.
std::int64_t middle_id(std::span<const table::Row> rows) {
  return rows[(rows.size() - 1) / 2].id;
}

// Clause 2.5.1: 15 % of the customers live elsewhere.
void TpccTables::plan_payment(base::Rng& rng, Plan& plan) const {
  plan.type = kPayment;
  choose_customer(rng, plan);
  const std::int64_t w = plan.choices[kW];
  const bool remote = rng.below(100) < 15 && warehouses_ > 1;
  plan.choices.push_back(remote
                             ? district_id(other_warehouse(rng, w), between(rng, 1, kDistricts))
                             : plan.choices[kD]);
  plan.choices.push_back(between(rng, 1, 5'000));
  const std::int64_t sum = plan.choices[kSum];
  Draft draft(plan);
  draft.update_rows(kWarehouse, by_id(w),
                    {{.column = kWarehouseYtd, .value = sum, .adds = true}});
  draft.update_rows(kDistrict, by_id(plan.choices[kD]),
                    {{.column = kDistrictYtd, .value = sum, .adds = true}});
  select_customer(plan, plan.choices[kHome], draft);
}

void TpccTables::pay(const Plan& plan, Draft& draft) {
  if (draft.found_by(2).empty()) return;
  const std::int64_t customer = middle_id(draft.found_by(2));
  const std::int64_t sum = plan.choices[kSum];
  draft.update_rows(kCustomer, by_id(customer),
                    {{.column = kBalance, .value = -sum, .adds = true},
                     {.column = kPaid, .value = sum, .adds = true},
                     {.column = kPayments, .value = 1, .adds = true}});
  draft.insert_row(kHistory, {customer, plan.choices[kD], sum});
}

void TpccTables::extend_order_status(const Plan& plan, Draft& draft) {
  if (plan.stage > 2 || draft.found_by(plan.stage - 1).empty()) return;
  if (plan.stage == 2) {
    const std::int64_t last = draft.found_by(1).back().id;
    return draft.select_rows(kOrderLine, all_of(last, kLineBits));
  }
  const std::int64_t customer = middle_id(draft.found_by(0));
  Condition orders = all_of(plan.choices[kD], kOrderBits);
  orders.push_back({.column = kBuyer, .least = customer, .most = customer});
  draft.select_rows(kOrders, std::move(orders));
}

// --- New orders

// Clause 2.4.1: 5 to 15 lines, of which 1 % come from another warehouse; 1 % of the orders end
// with an item that does not exist. Items ascend, so that transactions seldom wait for one
// another in a circle.
void TpccTables::plan_new_order(base::Rng& rng, Plan& plan) const {
  plan.type = kNewOrders;
  const std::int64_t w = plan.choices[kW];
  const std::int64_t district = plan.choices[kD];
  plan.choices.push_back(id_in(district, kCustomerBits, customer_numbers_.draw(rng)));
  plan.rolls_back = rng.below(100) == 0;
  std::vector<std::int64_t> items(rng.below(11) + 5);
  for (std::int64_t& item : items) item = item_numbers_.draw(rng);
  std::ranges::sort(items);
  if (plan.rolls_back) items.back() = items_ + 1;
  for (const std::int64_t item : items) {
    const bool remote = rng.below(100) == 0 && warehouses_ > 1;
    plan.choices.push_back(item);
    plan.choices.push_back(remote ? other_warehouse(rng, w) : w);
    plan.choices.push_back(between(rng, 1, 10));
  }
  Draft draft(plan);
  draft.update_rows(kDistrict, by_id(district),
                    {{.column = kNextOrder, .value = 1, .adds = true}});
  draft.request(Action::kSelectRows,
                {.table = kWarehouse, .where = by_id(w), .columns = {kWarehouseTax}});
  draft.request(Action::kSelectRows, {.table = kCustomer,
                                      .where = by_id(plan.choices[kCustomerId]),
                                      .columns = {kName, kDiscount}});
}

// Stage 1 inserts the order; then each stage finishes a line and fetches the next one.
void TpccTables::extend_new_order(const Plan& plan, std::size_t done, Draft& draft) {
  if (draft.found_by(0).empty()) return;
  const std::size_t lines = (plan.choices.size() - kFirstLine) / 3;
  if (plan.stage > 1) {
    const std::size_t line = plan.stage - 1;
    if (line > lines || draft.found_by(done - 1).empty()) return;
    finish_line(plan, line, done, draft);
  } else {
    const std::int64_t next = draft.found_by(0).front().cells[kNextOrder].value_or(1);
    const std::int64_t order = id_in(plan.choices[kD], kOrderBits, (next - 1) & kOrderMask);
    draft.request(Action::kInsertRow,
                  {.table = kOrders,
                   .id = order,
                   .cells = {plan.choices[kCustomerId], {}, static_cast<std::int64_t>(lines)}});
    draft.request(Action::kInsertRow, {.table = kNewOrder, .id = order, .cells = {order}});
  }
  if (plan.stage <= lines) fetch_line(plan, plan.stage, draft);
}

void TpccTables::fetch_line(const Plan& plan, std::size_t line, Draft& draft) {
  const std::size_t at = kFirstLine + 3 * (line - 1);
  const std::int64_t item = plan.choices[at];
  // No stock of an item that does not exist either.
  draft.select_rows(kItem, by_id(item));
  draft.select_rows(kStock, by_id(stock_id(plan.choices[at + 1], item)));
}

// Clause 2.4.2.2: stock is refilled by 91 when it would fall below 10.
void TpccTables::finish_line(const Plan& plan, std::size_t line, std::size_t done,
                             Draft& draft) {
  const std::size_t at = kFirstLine + 3 * (line - 1);
  const std::int64_t price = draft.found_by(done - 2).front().cells[kPrice].value_or(0);
  const table::Row stock = draft.found_by(done - 1).front();
  const std::int64_t quantity = plan.choices[at + 2];
  const std::int64_t left = stock.cells[kQuantity].value_or(0) - quantity;
  const std::int64_t remote = plan.choices[at + 1] == plan.choices[kW] ? 0 : 1;
  draft.update_rows(kStock, by_id(stock.id),
                    {{.column = kQuantity, .value = left >= 10 ? left : left + 91},
                     {.column = kStockYtd, .value = quantity, .adds = true},
                     {.column = kOrderCount, .value = 1, .adds = true},
                     {.column = kRemoteCount, .value = remote, .adds = true}});
  const std::int64_t next = draft.found_by(0).front().cells[kNextOrder].value_or(1);
  const std::int64_t order = id_in(plan.choices[kD], kOrderBits, (next - 1) & kOrderMask);
  draft.request(Action::kInsertRow,
                {.table = kOrderLine,
                 .id = id_in(order, kLineBits, static_cast<std::int64_t>(line)),
                 .cells = {order, stock.id, quantity, quantity * price, {}}});
}

// --- Delivery and stock level

void TpccTables::plan_delivery(base::Rng& rng, Plan& plan) const {
  plan.type = kDelivery;
  plan.choices.push_back(between(rng, 1, 10));
  Draft draft(plan);
  for (std::int64_t d = 1; d <= kDistricts; ++d) {
    const std::int64_t district = district_id(plan.choices[kW], d);
    draft.request(Action::kSelectRows,
                  {.table = kNewOrder, .where = all_of(district, kOrderBits), .limit = 1});
  }
}

// All districts at once: the new orders that were found, then the orders of those that were
// there to be deleted, then their customers.
void TpccTables::extend_delivery(const Plan& plan, std::size_t done, Draft& draft) {
  if (plan.stage > 3) return;
  for (std::size_t op = 0; op < done; ++op) {
    const Action kind = draft.planned(op).kind;
    const auto request = static_cast<std::size_t>(draft.planned(op).expected);
    if (draft.found_by(op).empty()) continue;
    const table::Row row = draft.found_by(op).front();
    if (plan.stage == 1) {
      draft.remove_rows(kNewOrder, by_id(row.id));
    } else if (plan.stage == 2 && kind == Action::kDeleteRows) {
      draft.update_rows(kOrders, by_id(row.id),
                        {{.column = kCarrier, .value = plan.choices[kBy]}});
      draft.select_rows(kOrderLine, all_of(row.id, kLineBits));
      draft.update_rows(kOrderLine, all_of(row.id, kLineBits),
                        {{.column = kDelivered, .value = 1}});
    } else if (plan.stage == 3 && kind == Action::kUpdateRows &&
               plan.requests[request].table == kOrders) {
      std::int64_t sum = 0;
      for (const table::Row& line : draft.found_by(op + 1)) {
        sum += line.cells[kAmount].value_or(0);
      }
      draft.update_rows(kCustomer, by_id(row.cells[kBuyer].value_or(0)),
                        {{.column = kBalance, .value = sum, .adds = true},
                         {.column = kDeliveries, .value = 1, .adds = true}});
    }
  }
}

void TpccTables::extend_stock_level(const Plan& plan, Draft& draft) {
  if (plan.stage > 2 || draft.found_by(plan.stage - 1).empty()) return;
  if (plan.stage == 1) {
    const std::int64_t next = draft.found_by(0).front().cells[0].value_or(1) & kOrderMask;
    const std::int64_t first = std::max<std::int64_t>(1, next - kOrdersLookedAt);
    const auto at = [&](std::int64_t order) {
      return id_in(id_in(plan.choices[kD], kOrderBits, order), kLineBits, 0);
    };
    return draft.request(Action::kSelectRows,
                         {.table = kOrderLine,
                          .where = {{.least = at(first), .most = at(next) - 1}},
                          .columns = {kLineStock}});
  }
  Condition little(1);
  std::vector<std::int64_t>& ids = little[0].in;
  for (const table::Row& line : draft.found_by(1)) {
    ids.push_back(stock_id(plan.choices[kW], line.cells[0].value_or(0) & kItemMask));
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  little.push_back({.column = kQuantity, .most = plan.choices[kBound] - 1});
  draft.select_rows(kStock, std::move(little));
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<TpccTables>(options);
}

// All rows are inserted before the run, and on record.
Status fits(const WorkloadOptions& options) {
  const std::uint64_t each =
      1 + kDistricts * (1 + std::uint64_t{options.customers}) + options.items;
  const std::uint64_t most = (kRowsAtFirstMost - options.items) / each;
  if (options.warehouses <= most) return ok_status();
  return out_of_range("warehouses", options.warehouses, 1, most);
}

constexpr std::array kOwn = {
    OwnParameter{&WorkloadOptions::warehouses, "the scale, 10 districts each", 1, 1, 4'000},
    OwnParameter{&WorkloadOptions::customers, "customers of a district; TPC-C: 3000", 30, 1,
                 3'000},
    OwnParameter{&WorkloadOptions::items, "items, in stock in each warehouse; TPC-C: 100000",
                 100, 1, 100'000},
    kSavepoints};

constexpr std::array kRows = {
    WorkloadInfo{.name = "tpcc-tables",
                 .summary = "tpcc in tables, with its conditions as SQL",
                 .source = "TPC-C, revision 5.11",
                 .make = make,
                 .needs = {.tables = true},
                 .own = kOwn,
                 .validate = fits}};

}  // namespace

const Workloads& tpcc_tables_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
