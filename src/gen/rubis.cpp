// c-rubis: Cobra's auction site after RUBiS, with the transactions and the mix of its
// benchmark:
//   10 %  register an account: its region exists, its nick name and number are free
//   15 %  register an item for an existing seller
//   15 %  bid: the item's price rises, and the bid is on record
//   20 %  comment on somebody, whose rating changes
//   40 %  view five items and three ratings
//
// Accounts and items of the start are rows that were never written. New rows get numbers that
// no other session uses; one in five looks at a row goes to those that some session has
// probably made already, all sessions being about equally fast.
#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

enum Row : std::size_t { kUser, kNick, kRating, kRegion, kItem, kBid, kComment };
enum Type : std::uint32_t { kRegisterUser, kRegisterItem, kBids, kComments, kViews };

// Positions in Plan::choices: what it is about, the new record's number, by how much.
enum Choice : std::size_t { kId, kRecord, kAmount };
constexpr std::size_t kSeller = kRecord;  // of a new item

constexpr std::int64_t kAbsent = -1;
constexpr std::int64_t kRegions = 62;
constexpr std::size_t kItemsViewed = 5;
constexpr std::size_t kRatingsViewed = 3;
constexpr std::int64_t kFirstPrice = 10;
constexpr unsigned kIdBits = 56;
constexpr double kShareOfNew = 0.2;

constexpr std::array<Table, 7> kTables = {{
    {"user", {kIdBits}},
    {"nick", {kIdBits}},
    {"rating", {kIdBits}},
    {"region", {8}},
    {"item", {kIdBits}},
    {"bid", {kIdBits}},
    {"comment", {kIdBits}},
}};

class Rubis : public Generator {
 public:
  explicit Rubis(const WorkloadOptions& options)
      : items_(options.items),
        users_(options.distribution, options.users),
        sessions_(options.sessions) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;
  bool has_payload() const override { return true; }
  bool is_integer_key() const override { return false; }
  std::string key_name(std::int64_t key) const override { return space_.name(key); }
  std::string values_text() const override {
    return "item/* price@0+" + std::to_string(kPayloadBits);
  }
  void initial_keys(std::vector<std::int64_t>& keys) const override;

 private:
  struct alignas(64) Session {
    std::int64_t users = 0;  // made so far
    std::int64_t items = 0;
    std::int64_t others = 0;
  };

  std::int64_t row(Row table, std::int64_t id) const { return space_.key(table, id); }
  std::int64_t user_count() const { return static_cast<std::int64_t>(users_.key_count()); }
  // Row number `made` of those that the session adds to `initial` ones.
  std::int64_t fresh(std::int64_t initial, std::int64_t made, std::uint32_t session) const {
    return initial + made * static_cast<std::int64_t>(sessions_.size()) + session;
  }
  std::int64_t pick_user(base::Rng& rng, std::uint32_t session) const;
  std::int64_t pick_item(base::Rng& rng, std::uint32_t session) const;
  bool exists(const Draft& draft, Row table, std::int64_t id) const;
  bool pick_fresh(base::Rng& rng, std::int64_t initial, std::int64_t made,
                  std::int64_t& id) const;

  std::int64_t items_;
  Sampler users_;
  std::vector<Session> sessions_;
  KeySpace space_{kTables};
};

bool Rubis::pick_fresh(base::Rng& rng, std::int64_t initial, std::int64_t made,
                       std::int64_t& id) const {
  if (!rng.chance(kShareOfNew) || made == 0) return false;
  const auto number = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(made)));
  id = fresh(initial, number, static_cast<std::uint32_t>(rng.below(sessions_.size())));
  return true;
}

std::int64_t Rubis::pick_user(base::Rng& rng, std::uint32_t session) const {
  std::int64_t id = 0;
  if (pick_fresh(rng, user_count(), sessions_[session].users, id)) return id;
  return static_cast<std::int64_t>(users_.sample(rng));
}

std::int64_t Rubis::pick_item(base::Rng& rng, std::uint32_t session) const {
  std::int64_t id = 0;
  if (pick_fresh(rng, items_, sessions_[session].items, id)) return id;
  return static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(items_)));
}

void Rubis::plan(std::uint32_t session, base::Rng& rng, Plan& plan) {
  Session& state = sessions_[session];
  const std::uint64_t dice = rng.below(100);
  Draft draft(plan);
  if (dice < 10) {
    plan.type = kRegisterUser;
    const std::int64_t user = fresh(user_count(), state.users++, session);
    plan.choices = {user};
    draft.read(row(kRegion, user % kRegions));
    draft.read(row(kNick, user));
    draft.read(row(kUser, user));
  } else if (dice < 25) {
    plan.type = kRegisterItem;
    const std::int64_t seller = pick_user(rng, session);
    plan.choices = {fresh(items_, state.items++, session), seller};
    draft.read(row(kUser, seller));
  } else if (dice < 40) {
    plan.type = kBids;
    const std::int64_t item = pick_item(rng, session);
    plan.choices = {item, fresh(0, state.others++, session),
                    1 + static_cast<std::int64_t>(rng.below(5))};
    draft.read(row(kItem, item));
  } else if (dice < 60) {
    plan.type = kComments;
    const std::int64_t whom = pick_user(rng, session);
    plan.choices = {whom, fresh(0, state.others++, session),
                    static_cast<std::int64_t>(rng.below(5))};
    draft.write(row(kComment, plan.choices[kRecord]));
    draft.read(row(kUser, whom));
    draft.read(row(kRating, whom));
  } else {
    plan.type = kViews;
    for (std::size_t i = 0; i < kItemsViewed; ++i) {
      draft.read(row(kItem, pick_item(rng, session)));
    }
    for (std::size_t i = 0; i < kRatingsViewed; ++i) {
      draft.read(row(kRating, pick_user(rng, session)));
    }
  }
}

// A row of the start exists although it was never written.
bool Rubis::exists(const Draft& draft, Row table, std::int64_t id) const {
  const std::int64_t initial = table == kItem ? items_ : user_count();
  return id < initial || draft.payload_of(row(table, id), kAbsent) != kAbsent;
}

void Rubis::extend(std::uint32_t /*session*/, Plan& plan, std::span<const Seen> results) {
  if (plan.type == kViews || plan.stage > 1) return;
  Draft draft(plan, results);
  const std::int64_t id = plan.choices[kId];
  if (plan.type == kRegisterUser) {
    draft.write(row(kUser, id));
    draft.write(row(kNick, id));
    draft.write(row(kRating, id));
  } else if (plan.type == kRegisterItem) {
    if (exists(draft, kUser, plan.choices[kSeller])) draft.write(row(kItem, id), kFirstPrice);
  } else if (plan.type == kBids) {
    if (!exists(draft, kItem, id)) return;
    const std::int64_t price =
        draft.payload_of(row(kItem, id), kFirstPrice) + plan.choices[kAmount];
    draft.write(row(kItem, id), price);
    draft.write(row(kBid, plan.choices[kRecord]), price);
  } else if (exists(draft, kUser, id)) {
    draft.write(row(kRating, id), draft.payload_of(row(kRating, id)) + plan.choices[kAmount]);
  }
}

void Rubis::initial_keys(std::vector<std::int64_t>& keys) const {
  for (std::int64_t region = 0; region < kRegions; ++region) {
    keys.push_back(row(kRegion, region));
  }
  for (std::int64_t user = 0; user < user_count(); ++user) {
    keys.push_back(row(kUser, user));
    keys.push_back(row(kNick, user));
    keys.push_back(row(kRating, user));
  }
  for (std::int64_t item = 0; item < items_; ++item) keys.push_back(row(kItem, item));
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<Rubis>(options);
}

constexpr std::array kOwn = {
    OwnParameter{&WorkloadOptions::values, kRepeatedRows, 0, 0, kRowsMost},
    OwnParameter{&WorkloadOptions::users, "accounts at the start; Cobra: 20000", 2'000, 1,
                 kUsersMost},
    OwnParameter{&WorkloadOptions::items, "items at the start; Cobra: 200000", 20'000, 1,
                 1U << 24}};

constexpr std::array kRows = {
    WorkloadInfo{.name = "c-rubis",
                 .summary = "an auction site: accounts, items, bids, comments, views",
                 .source = "Cobra (Tan et al., OSDI 2020), section 6: C-RUBiS",
                 .make = make,
                 .distribution = DistributionKind::kZipfian,
                 .users = &WorkloadOptions::users,
                 .own = kOwn}};

}  // namespace

const Workloads& rubis_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
