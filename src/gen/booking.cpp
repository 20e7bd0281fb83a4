// booking: rooms, and bookings of them that should not overlap. A booking is for the nights
// from its arrival up to its departure. Who wants to book looks whether there is a booking that
// overlaps, by a condition on two columns, and inserts one if there is none. Nothing in the
// tables keeps two from doing so at the same time.
//
//   book     a room, if it is free; one in 16 is rolled back by the client
//   careful  likewise, but locks the row of the room first
//   any      looks at two rooms together, and books one that is free
//   move     takes a booking of a room to other nights, if the room is free then
//   cancel   deletes the bookings of a room with an arrival in some nights
//   audit    selects the bookings of a room twice, or those of some nights in all rooms
#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

using table::Condition;

enum Tables : std::size_t { kRoom, kBooking };
enum BookingColumn : std::size_t { kBookedRoom, kArrival, kDeparture };

constexpr std::array kRoomColumns = {table::Column{.name = "beds", .least = 1}};
constexpr std::array kBookingColumns = {
    table::Column{.name = "room", .indexed = true, .refers_to = kRoom},
    table::Column{.name = "arrival", .least = 0, .indexed = true},
    table::Column{.name = "departure", .least = 1},
};
constexpr std::array kTables = {table::Table{"room", kRoomColumns},
                                table::Table{"booking", kBookingColumns}};

enum Type : std::uint32_t { kBook, kCareful, kAny, kMove, kCancel, kAudit };
/// Of those that change something.
constexpr std::array kShares = {Share{kBook, 35}, Share{kCareful, 10}, Share{kAny, 15},
                                Share{kMove, 15}, Share{kCancel, 25}};

/// The booking is for the nights from kFrom up to kTo.
enum Choice : std::size_t { kFirst, kSecond, kFrom, kTo, kCoin };

constexpr std::uint64_t kDays = 14;
constexpr std::uint64_t kRolledBack = 16;
constexpr std::uint64_t kRoomsMost = 100'000;

class Booking final : public Generator {
 public:
  explicit Booking(const WorkloadOptions& options)
      : reads_(options.reads), most_(options.ops), rooms_(options.distribution, options.keys) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;

  void initial_keys(std::vector<std::int64_t>&) const override {}
  std::span<const table::Table> tables() const override { return kTables; }
  void initial_rows(std::vector<InitialRow>& rows) const override {
    for (std::uint64_t room = 0; room < rooms_.key_count(); ++room) {
      const auto id = static_cast<std::int64_t>(room);
      rows.push_back({kRoom, {.id = id, .cells = {1 + id % 4}}});
    }
  }

 private:
  double reads_;
  std::uint64_t most_;
  Sampler rooms_;
};

table::Test of_room(std::int64_t room) {
  return {.column = kBookedRoom, .least = room, .most = room};
}

/// The bookings of the room that overlap the nights of the plan.
Condition overlapping(const Plan& plan, table::Test room) {
  return {std::move(room),
          {.column = kArrival, .most = plan.choices[kTo] - 1},
          {.column = kDeparture, .least = plan.choices[kFrom] + 1}};
}

void insert(Draft& draft, const Plan& plan, std::int64_t room) {
  draft.insert_row(kBooking, {room, plan.choices[kFrom], plan.choices[kTo]});
}

void Booking::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  plan.type = kAudit;
  if (!rng.chance(reads_)) plan.type = draw(kShares, rng);
  const auto from = static_cast<std::int64_t>(rng.below(kDays));
  plan.choices = {static_cast<std::int64_t>(rooms_.sample(rng)),
                  static_cast<std::int64_t>(rooms_.sample(rng)), from,
                  from + 1 + static_cast<std::int64_t>(rng.below(most_)),
                  static_cast<std::int64_t>(rng.below(kRolledBack))};
  plan.rolls_back = plan.type == kBook && plan.choices[kCoin] == 0;
  const std::int64_t room = plan.choices[kFirst];
  Draft draft(plan);
  switch (plan.type) {
    case kBook:
      draft.select_rows(kBooking, overlapping(plan, of_room(room)));
      break;
    case kCareful:
      draft.request(Action::kLockRows, {.table = kRoom,
                                        .where = {{.least = room, .most = room}},
                                        .lock = table::Lock::kUpdate});
      draft.select_rows(kBooking, overlapping(plan, of_room(room)));
      break;
    case kAny:
      draft.select_rows(kBooking, overlapping(plan, {.column = kBookedRoom,
                                                     .in = {room, plan.choices[kSecond]}}));
      break;
    case kMove:
      draft.select_rows(kBooking, {of_room(room)});
      break;
    case kCancel:
      draft.remove_rows(
          kBooking,
          {of_room(room),
           {.column = kArrival, .least = plan.choices[kFrom], .most = plan.choices[kTo] - 1}});
      break;
    default:
      if (plan.choices[kCoin] % 2 == 0) {
        draft.select_rows(kBooking, {of_room(room)});
        draft.select_rows(kBooking, {of_room(room)});
      } else {
        Condition nights = overlapping(plan, {});
        nights.erase(nights.begin());
        draft.select_rows(kBooking, std::move(nights));
      }
      break;
  }
}

/// The first booking that was found, if it can go to the nights of the plan.
void move(Draft& draft, const Plan& plan) {
  const auto found = draft.found_by(0);
  if (found.empty()) return;
  for (const table::Row& row : found.subspan(1)) {
    const bool overlaps = row.cells[kArrival].value_or(0) < plan.choices[kTo] &&
                          row.cells[kDeparture].value_or(0) > plan.choices[kFrom];
    if (overlaps) return;
  }
  const std::int64_t id = found.front().id;
  draft.update_rows(kBooking, {{.least = id, .most = id}},
                    {{.column = kArrival, .value = plan.choices[kFrom]},
                     {.column = kDeparture, .value = plan.choices[kTo]}});
}

void Booking::extend(std::uint32_t /*session*/, Plan& plan, std::span<const Seen> results) {
  if (plan.stage > 1) return;
  Draft draft(plan, results);
  switch (plan.type) {
    case kBook:
    case kCareful:
      if (results.back().rows == 0) insert(draft, plan, plan.choices[kFirst]);
      break;
    case kAny:
      for (const std::int64_t room : {plan.choices[kFirst], plan.choices[kSecond]}) {
        bool is_free = true;
        for (const table::Row& row : draft.found_by(0)) {
          is_free = is_free && row.cells[kBookedRoom] != room;
        }
        if (is_free) return insert(draft, plan, room);
      }
      break;
    case kMove:
      return move(draft, plan);
    default:
      break;
  }
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<Booking>(options);
}

Status fits(const WorkloadOptions& options) {
  if (options.ops > kGroupMost) return out_of_range("ops", options.ops, 1, kGroupMost);
  if (options.keys > kRoomsMost) return out_of_range("keys", options.keys, 1, kRoomsMost);
  return ok_status();
}

constexpr std::array kRows = {
    WorkloadInfo{.name = "booking",
                 .summary = "bookings of rooms, which a condition on two columns keeps apart",
                 .source = "the meeting rooms of Kleppmann, Designing Data-Intensive "
                           "Applications (2017), chapter 7",
                 .make = make,
                 .needs = {.tables = true},
                 .ops_text = "nights of a booking at most",
                 .keys_text = "rooms",
                 .reads_text = kReadOnly,
                 .ops = 4,
                 .keys = 8,
                 .reads = 0.2,
                 .own = kOnlySavepoints,
                 .validate = fits}};

}  // namespace

const Workloads& booking_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
