// tpcc: the five transactions of TPC-C (revision 5.11, clause 2), in the mix that Cobra uses,
// with rows as registers. What later operations need is the row's payload:
//   district       number of its next order (at first 1: the workload starts without orders)
//   delivery       number of the oldest order of a district that is not delivered
//   order          customer, number of lines, carrier
//   new-order      1, or 0 when it was delivered: the tombstone of a deleted row
//   order-line     item, and whether it was delivered
//   last-order     a customer's last order: what an index on orders would find
//   customer-name  the customer whom a last name means (clause 2.5.2.2: the one in the middle)
//   stock          quantity;   warehouse, customer: amounts
//
// Rows that were never written are as TPC-C loads them: stock of 50, no amounts, and the name
// number n belongs to customer n + 1. Customers and items are chosen by TPC-C's NURand, whose
// constants shrink with the tables. Warehouses and districts are chosen evenly, as in Cobra.
#include <algorithm>

#include "base/hash.hpp"
#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

enum Row : std::size_t {
  kWarehouse,
  kDistrict,
  kCustomer,
  kCustomerName,
  kLastOrder,
  kOrder,
  kNewOrder,
  kOrderLine,
  kItem,
  kStock,
  kHistory,
  kDelivery,
};
enum Type : std::uint32_t {
  kNewOrders,
  kPayments,
  kOrderStatuses,
  kDeliveries,
  kStockLevels,
};

constexpr unsigned kWarehouseBits = 12;
constexpr unsigned kDistrictBits = 4;
constexpr unsigned kCustomerBits = 12;
constexpr unsigned kLineBits = 4;
constexpr unsigned kItemBits = 17;

constexpr std::array<Table, 12> kTables = {{
    {"warehouse", {kWarehouseBits}},
    {"district", {kWarehouseBits, kDistrictBits}},
    {"customer", {kWarehouseBits, kDistrictBits, kCustomerBits}},
    {"customer-name", {kWarehouseBits, kDistrictBits, 10}},
    {"last-order", {kWarehouseBits, kDistrictBits, kCustomerBits}},
    {"order", {kWarehouseBits, kDistrictBits, kPayloadBits}},
    {"new-order", {kWarehouseBits, kDistrictBits, kPayloadBits}},
    {"order-line", {kWarehouseBits, kDistrictBits, kPayloadBits, kLineBits}},
    {"item", {kItemBits}},
    {"stock", {kWarehouseBits, kItemBits}},
    {"history", {16, 40}},  // session, number
    {"delivery", {kWarehouseBits, kDistrictBits}},
}};

constexpr std::int64_t kDistricts = 10;
constexpr std::int64_t kFirstOrder = 1;
constexpr std::int64_t kStockAtFirst = 50;
constexpr std::int64_t kOrdersLookedAt = 20;  // stock-level
constexpr std::int64_t kNames = 1'000;
constexpr std::int64_t kPendingOrder = 1;
constexpr std::int64_t kTombstone = 0;
constexpr std::int64_t kItemMask = (std::int64_t{1} << kItemBits) - 1;
constexpr std::int64_t kDeliveredLine = std::int64_t{1} << kItemBits;

// An order's payload: customer, lines, carrier (0: not delivered).
std::int64_t order_payload(std::int64_t customer, std::int64_t lines, std::int64_t carrier) {
  return (customer << 8) | (lines << 4) | carrier;
}
std::int64_t lines_of(std::int64_t order) { return (order >> 4) & 15; }
std::int64_t customer_of(std::int64_t order) { return order >> 8; }

class Tpcc : public Generator {
 public:
  explicit Tpcc(const WorkloadOptions& options)
      : warehouses_(options.warehouses),
        customers_(options.customers),
        items_(options.items),
        names_(std::min<std::int64_t>(customers_, kNames)),
        customer_ids_(customers_, 1'023, base::mix2(options.seed, 0xc1d)),
        customer_names_(names_, 255, base::mix2(options.seed, 0x1a57)),
        item_ids_(items_, 8'191, base::mix2(options.seed, 0x17e3)),
        sessions_(options.sessions) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;
  bool has_payload() const override { return true; }
  bool is_integer_key() const override { return false; }
  std::string key_name(std::int64_t key) const override { return space_.name(key); }
  // Amounts may be below zero, which a payload does not tell.
  std::string values_text() const override {
    const std::string bits = "@0+" + std::to_string(kPayloadBits);
    return "district/* next-order" + bits + " initial=" + std::to_string(kFirstOrder) +
           "; delivery/* oldest-order" + bits + " initial=" + std::to_string(kFirstOrder) +
           "; stock/* quantity" + bits + " initial=" + std::to_string(kStockAtFirst) +
           "; new-order/* pending" + bits;
  }
  void initial_keys(std::vector<std::int64_t>& keys) const override;

 private:
  struct alignas(64) Session {
    std::int64_t payments = 0;
  };
  // Positions in Plan::choices. All types begin with a warehouse; all but delivery go on with a
  // district.
  enum Choice : std::size_t { kW, kD, kThird, kFourth, kFifth, kSixth, kSeventh };
  static constexpr std::size_t kCarrier = kD;     // delivery
  static constexpr std::size_t kByName = kThird;  // payment, order status
  static constexpr std::size_t kWho = kFourth;    // likewise: customer, or number of a name
  static constexpr std::size_t kHomeW = kFifth;   // payment: of the customer
  static constexpr std::size_t kHomeD = kSixth;
  static constexpr std::size_t kAmount = kSeventh;
  static constexpr std::size_t kHistoryNumber = kSeventh + 1;
  static constexpr std::size_t kBuyer = kThird;  // new order
  static constexpr std::size_t kLines = kFourth;
  static constexpr std::size_t kFirstLine = kFifth;  // item, supplying warehouse, quantity

  std::int64_t row(Row table, std::int64_t a, std::int64_t b = 0, std::int64_t c = 0,
                   std::int64_t d = 0) const {
    return space_.key(table, a, b, c, d);
  }
  std::int64_t other_warehouse(base::Rng& rng, std::int64_t home) const;
  void choose_customer(base::Rng& rng, Plan& plan) const;
  std::int64_t customer(const Plan& plan, const Draft& draft, std::int64_t w,
                        std::int64_t d) const;

  void plan_new_order(base::Rng& rng, Plan& plan) const;
  void plan_payment(base::Rng& rng, std::uint32_t session, Plan& plan);
  void plan_order_status(base::Rng& rng, Plan& plan) const;
  void plan_delivery(base::Rng& rng, Plan& plan) const;
  void extend_new_order(const Plan& plan, Draft& draft) const;
  void order_line(const Plan& plan, std::int64_t line, Draft& draft) const;
  void fetch_line(const Plan& plan, std::int64_t line, Draft& draft) const;
  void extend_payment(std::uint32_t session, const Plan& plan, Draft& draft) const;
  void pay(std::uint32_t session, const Plan& plan, Draft& draft) const;
  void extend_order_status(const Plan& plan, Draft& draft) const;
  void extend_delivery(const Plan& plan, Draft& draft) const;
  void deliver(const Plan& plan, std::int64_t d, Draft& draft) const;
  void extend_stock_level(const Plan& plan, std::span<const Seen> results, Draft& draft) const;

  std::int64_t warehouses_;
  std::int64_t customers_;  // of a district
  std::int64_t items_;
  std::int64_t names_;
  NonUniform customer_ids_;
  NonUniform customer_names_;
  NonUniform item_ids_;
  std::vector<Session> sessions_;
  KeySpace space_{kTables};
};

void Tpcc::plan(std::uint32_t session, base::Rng& rng, Plan& plan) {
  const std::uint64_t dice = rng.below(100);
  plan.choices = {between(rng, 1, warehouses_), between(rng, 1, kDistricts)};
  if (dice < 45) return plan_new_order(rng, plan);
  if (dice < 88) return plan_payment(rng, session, plan);
  if (dice < 92) return plan_order_status(rng, plan);
  if (dice < 96) return plan_delivery(rng, plan);
  plan.type = kStockLevels;
  Draft(plan).read(row(kDistrict, plan.choices[kW], plan.choices[kD]));
}

void Tpcc::extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) {
  Draft draft(plan, results);
  switch (plan.type) {
    case kNewOrders:
      return extend_new_order(plan, draft);
    case kPayments:
      return extend_payment(session, plan, draft);
    case kOrderStatuses:
      return extend_order_status(plan, draft);
    case kDeliveries:
      return extend_delivery(plan, draft);
    default:
      return extend_stock_level(plan, results, draft);
  }
}

// REQUIRES: more than one warehouse.
std::int64_t Tpcc::other_warehouse(base::Rng& rng, std::int64_t home) const {
  return (home - 1 + between(rng, 1, warehouses_ - 1)) % warehouses_ + 1;
}

// Six in ten say their last name, the others their number.
void Tpcc::choose_customer(base::Rng& rng, Plan& plan) const {
  const bool by_name = rng.below(100) < 60;
  plan.choices.push_back(by_name ? 1 : 0);
  plan.choices.push_back(by_name ? customer_names_.draw(rng) - 1 : customer_ids_.draw(rng));
}

// The customer of a payment or an order status, once a name has been looked up.
std::int64_t Tpcc::customer(const Plan& plan, const Draft& draft, std::int64_t w,
                            std::int64_t d) const {
  const std::int64_t who = plan.choices[kWho];
  if (plan.choices[kByName] == 0) return who;
  constexpr std::int64_t kMask = (std::int64_t{1} << kCustomerBits) - 1;
  return draft.payload_of(row(kCustomerName, w, d, who), who + 1) & kMask;
}

// Clause 2.4.1: 5 to 15 lines, of which 1 % come from another warehouse; 1 % of the orders end
// with an item that does not exist, and are rolled back.
void Tpcc::plan_new_order(base::Rng& rng, Plan& plan) const {
  plan.type = kNewOrders;
  const std::int64_t w = plan.choices[kW];
  const std::int64_t lines = between(rng, 5, 15);
  plan.choices.push_back(customer_ids_.draw(rng));
  plan.choices.push_back(lines);
  plan.rolls_back = rng.below(100) == 0;
  for (std::int64_t line = 1; line <= lines; ++line) {
    const bool unknown = plan.rolls_back && line == lines;
    const std::int64_t item = item_ids_.draw(rng);
    const bool remote = rng.below(100) == 0 && warehouses_ > 1;
    plan.choices.push_back(unknown ? items_ + 1 : item);
    plan.choices.push_back(remote ? other_warehouse(rng, w) : w);
    plan.choices.push_back(between(rng, 1, 10));
  }
  Draft draft(plan);
  draft.read(row(kWarehouse, w));
  draft.read(row(kDistrict, w, plan.choices[kD]));
  draft.read(row(kCustomer, w, plan.choices[kD], plan.choices[kBuyer]));
}

// Stage 1 enters the order; then each stage finishes a line and fetches the next one.
void Tpcc::extend_new_order(const Plan& plan, Draft& draft) const {
  const std::int64_t w = plan.choices[kW];
  const std::int64_t d = plan.choices[kD];
  const std::int64_t lines = plan.choices[kLines];
  const std::int64_t stage = plan.stage;
  if (stage > 1) {
    if (stage - 1 > lines || (plan.rolls_back && stage - 1 == lines)) return;
    order_line(plan, stage - 1, draft);
  } else {
    const std::int64_t order = draft.payload_of(row(kDistrict, w, d), kFirstOrder);
    const std::int64_t buyer = plan.choices[kBuyer];
    draft.write(row(kDistrict, w, d), order + 1);
    draft.write(row(kOrder, w, d, order), order_payload(buyer, lines, 0));
    draft.write(row(kNewOrder, w, d, order), kPendingOrder);
    draft.write(row(kLastOrder, w, d, buyer), order);
  }
  if (stage <= lines) fetch_line(plan, stage, draft);
}

void Tpcc::fetch_line(const Plan& plan, std::int64_t line, Draft& draft) const {
  const std::size_t at = kFirstLine + 3 * static_cast<std::size_t>(line - 1);
  const std::int64_t item = plan.choices[at];
  draft.read(row(kItem, item));
  if (item <= items_) draft.read(row(kStock, plan.choices[at + 1], item));
}

// Clause 2.4.2.2: stock is refilled by 91 when it would fall below 10.
void Tpcc::order_line(const Plan& plan, std::int64_t line, Draft& draft) const {
  const std::size_t at = kFirstLine + 3 * static_cast<std::size_t>(line - 1);
  const std::int64_t w = plan.choices[kW];
  const std::int64_t d = plan.choices[kD];
  const std::int64_t item = plan.choices[at];
  const std::int64_t stock = row(kStock, plan.choices[at + 1], item);
  const std::int64_t left = draft.payload_of(stock, kStockAtFirst) - plan.choices[at + 2];
  const std::int64_t next = draft.payload_of(row(kDistrict, w, d), kFirstOrder);
  draft.write(stock, left >= 10 ? left : left + 91);
  draft.write(row(kOrderLine, w, d, payload(next - 1), line), item);
}

// Clause 2.5.1: 15 % of the customers live elsewhere.
void Tpcc::plan_payment(base::Rng& rng, std::uint32_t session, Plan& plan) {
  plan.type = kPayments;
  const std::int64_t w = plan.choices[kW];
  const std::int64_t d = plan.choices[kD];
  choose_customer(rng, plan);
  const bool remote = rng.below(100) < 15 && warehouses_ > 1;
  const std::int64_t home_w = remote ? other_warehouse(rng, w) : w;
  const std::int64_t home_d = remote ? between(rng, 1, kDistricts) : d;
  plan.choices.push_back(home_w);
  plan.choices.push_back(home_d);
  plan.choices.push_back(between(rng, 1, 5'000));
  plan.choices.push_back(sessions_[session].payments++);
  Draft draft(plan);
  draft.read(row(kWarehouse, w));
  draft.read(row(kDistrict, w, d));
  const bool by_name = plan.choices[kByName] != 0;
  draft.read(row(by_name ? kCustomerName : kCustomer, home_w, home_d, plan.choices[kWho]));
}

// The payment of a customer known by name takes a stage more, to read the customer.
void Tpcc::extend_payment(std::uint32_t session, const Plan& plan, Draft& draft) const {
  const std::int64_t w = plan.choices[kW];
  const std::int64_t district = row(kDistrict, w, plan.choices[kD]);
  const bool by_name = plan.choices[kByName] != 0;
  if (plan.stage == 1) {
    const std::int64_t amount = plan.choices[kAmount];
    draft.write(row(kWarehouse, w), draft.payload_of(row(kWarehouse, w)) + amount);
    draft.write(district, draft.payload_of(district, kFirstOrder));
    if (!by_name) return pay(session, plan, draft);
    const std::int64_t home_w = plan.choices[kHomeW];
    const std::int64_t home_d = plan.choices[kHomeD];
    draft.read(row(kCustomer, home_w, home_d, customer(plan, draft, home_w, home_d)));
  } else if (plan.stage == 2 && by_name) {
    pay(session, plan, draft);
  }
}

void Tpcc::pay(std::uint32_t session, const Plan& plan, Draft& draft) const {
  const std::int64_t home_w = plan.choices[kHomeW];
  const std::int64_t home_d = plan.choices[kHomeD];
  const std::int64_t who =
      row(kCustomer, home_w, home_d, customer(plan, draft, home_w, home_d));
  draft.write(who, draft.payload_of(who) - plan.choices[kAmount]);
  draft.write(row(kHistory, session, plan.choices[kHistoryNumber]), plan.choices[kAmount]);
}

void Tpcc::plan_order_status(base::Rng& rng, Plan& plan) const {
  plan.type = kOrderStatuses;
  const std::int64_t w = plan.choices[kW];
  const std::int64_t d = plan.choices[kD];
  choose_customer(rng, plan);
  const std::int64_t who = plan.choices[kWho];
  Draft draft(plan);
  if (plan.choices[kByName] != 0) return draft.read(row(kCustomerName, w, d, who));
  draft.read(row(kCustomer, w, d, who));
  draft.read(row(kLastOrder, w, d, who));
}

// The customer (unless known by number: then stage 1 is skipped), the order, its lines.
void Tpcc::extend_order_status(const Plan& plan, Draft& draft) const {
  const std::int64_t w = plan.choices[kW];
  const std::int64_t d = plan.choices[kD];
  const std::int64_t who = customer(plan, draft, w, d);
  const std::uint32_t step = plan.stage + (plan.choices[kByName] != 0 ? 0 : 1);
  if (step == 1) {
    draft.read(row(kCustomer, w, d, who));
    draft.read(row(kLastOrder, w, d, who));
    return;
  }
  const std::int64_t order = draft.payload_of(row(kLastOrder, w, d, who));
  if (order == 0 || step > 3) return;
  if (step == 2) return draft.read(row(kOrder, w, d, order));
  const std::int64_t lines = lines_of(draft.payload_of(row(kOrder, w, d, order)));
  for (std::int64_t line = 1; line <= lines; ++line) {
    draft.read(row(kOrderLine, w, d, order, line));
  }
}

void Tpcc::plan_delivery(base::Rng& rng, Plan& plan) const {
  plan.type = kDeliveries;
  plan.choices[kCarrier] = between(rng, 1, 10);
  Draft draft(plan);
  for (std::int64_t d = 1; d <= kDistricts; ++d) {
    draft.read(row(kDelivery, plan.choices[kW], d));
  }
}

// The oldest pending order of each district that has one: find it, take it off the list and
// read it, read its lines and its customer, write those.
void Tpcc::extend_delivery(const Plan& plan, Draft& draft) const {
  const std::int64_t w = plan.choices[kW];
  for (std::int64_t d = 1; d <= kDistricts; ++d) {
    const std::int64_t pointer = row(kDelivery, w, d);
    const std::int64_t order = draft.payload_of(pointer, kFirstOrder);
    if (plan.stage == 1) {
      draft.read(row(kNewOrder, w, d, order));
    } else if (plan.stage == 2) {
      const std::int64_t pending = row(kNewOrder, w, d, order);
      if (draft.payload_of(pending, kTombstone) != kPendingOrder) continue;
      draft.write(pending, kTombstone);
      draft.write(pointer, order + 1);
      draft.read(row(kOrder, w, d, order));
    } else if (draft.wrote(pointer)) {
      deliver(plan, d, draft);
    }
  }
}

// Stages 3 and 4 for one district.
void Tpcc::deliver(const Plan& plan, std::int64_t d, Draft& draft) const {
  const std::int64_t w = plan.choices[kW];
  const std::int64_t number = payload(draft.payload_of(row(kDelivery, w, d), kFirstOrder) - 1);
  const std::int64_t order = draft.payload_of(row(kOrder, w, d, number));
  if (order == 0 || plan.stage > 4) return;
  const std::int64_t lines = lines_of(order);
  const std::int64_t buyer = row(kCustomer, w, d, customer_of(order));
  if (plan.stage == 3) {
    draft.write(row(kOrder, w, d, number),
                order_payload(customer_of(order), lines, plan.choices[kCarrier]));
    for (std::int64_t line = 1; line <= lines; ++line) {
      draft.read(row(kOrderLine, w, d, number, line));
    }
    return draft.read(buyer);
  }
  std::int64_t amount = 0;
  for (std::int64_t line = 1; line <= lines; ++line) {
    const std::int64_t key = row(kOrderLine, w, d, number, line);
    const std::int64_t item = draft.payload_of(key) & kItemMask;
    amount += item;  // its price: any number that the lines determine
    draft.write(key, item | kDeliveredLine);
  }
  draft.write(buyer, draft.payload_of(buyer) + amount);
}

// The last 20 orders of a district, their lines, and the stock of the items on them.
void Tpcc::extend_stock_level(const Plan& plan, std::span<const Seen> results,
                              Draft& draft) const {
  const std::int64_t w = plan.choices[kW];
  const std::int64_t d = plan.choices[kD];
  const std::int64_t next = draft.payload_of(row(kDistrict, w, d), kFirstOrder);
  const std::int64_t first = std::max(kFirstOrder, next - kOrdersLookedAt);
  if (plan.stage > 3) return;
  if (plan.stage == 3) {
    std::vector<std::int64_t> items;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (KeySpace::table_of(plan.ops[i].key) != kOrderLine) continue;
      items.push_back(payload(results[i].value) & kItemMask);
    }
    std::ranges::sort(items);
    items.erase(std::unique(items.begin(), items.end()), items.end());
    for (const std::int64_t item : items) {
      if (item != 0) draft.read(row(kStock, w, item));
    }
    return;
  }
  for (std::int64_t order = first; order < next; ++order) {
    if (plan.stage == 1) {
      draft.read(row(kOrder, w, d, order));
      continue;
    }
    const std::int64_t lines = lines_of(draft.payload_of(row(kOrder, w, d, order)));
    for (std::int64_t line = 1; line <= lines; ++line) {
      draft.read(row(kOrderLine, w, d, order, line));
    }
  }
}

// All rows that TPC-C loads, without orders. The item that does not exist is not among them.
void Tpcc::initial_keys(std::vector<std::int64_t>& keys) const {
  for (std::int64_t item = 1; item <= items_; ++item) keys.push_back(row(kItem, item));
  for (std::int64_t w = 1; w <= warehouses_; ++w) {
    keys.push_back(row(kWarehouse, w));
    for (std::int64_t item = 1; item <= items_; ++item) keys.push_back(row(kStock, w, item));
    for (std::int64_t d = 1; d <= kDistricts; ++d) {
      keys.push_back(row(kDistrict, w, d));
      keys.push_back(row(kDelivery, w, d));
      for (std::int64_t n = 0; n < names_; ++n) keys.push_back(row(kCustomerName, w, d, n));
      for (std::int64_t c = 1; c <= customers_; ++c) {
        keys.push_back(row(kCustomer, w, d, c));
        keys.push_back(row(kLastOrder, w, d, c));
      }
    }
  }
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<Tpcc>(options);
}

constexpr std::array kOwn = {
    OwnParameter{&WorkloadOptions::warehouses, "the scale, 10 districts each", 1, 1, 4'000},
    OwnParameter{&WorkloadOptions::customers, "customers of a district; TPC-C: 3000", 300, 1,
                 3'000},
    OwnParameter{&WorkloadOptions::items, "items, in stock in each warehouse; TPC-C: 100000",
                 10'000, 1, 100'000}};

constexpr std::array kRows = {
    WorkloadInfo{.name = "tpcc",
                 .summary = "order processing of a wholesaler, five kinds of transactions",
                 .source = "TPC-C, revision 5.11, in the mix of Cobra's section 6",
                 .make = make,
                 .own = kOwn}};

}  // namespace

const Workloads& tpcc_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
