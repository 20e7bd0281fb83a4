// c-twitter: Cobra's clone of Twitter, with the transactions and the mix of its benchmark:
//   20 %  tweet: a tweet of one's own, and the pointer to the last one
//   40 %  follow or unfollow: an edge in both directions, and one's list of followed users
//   10 %  timeline: one's list, then the last tweet of everyone on it
//   10 %  show one's list
//   20 %  show the last tweets of a user
//
// A list of followed users has to fit into a payload: each user knows 20 others, drawn once by
// popularity, and the list is a bit for each of them. Cobra's timeline stops at 20 as well. The
// pointer's payload is the number of the user's last tweet; 0, as nobody has tweeted at first.
#include "base/hash.hpp"
#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

enum Row : std::size_t { kTweet, kLastTweet, kFollowing, kFollower, kFollowList };
enum Type : std::uint32_t { kTweets, kFollows, kTimeline, kShowFollows, kShowTweets };
enum Choice : std::size_t { kUser, kAcquaintance, kWish };

constexpr unsigned kUserBits = 20;
constexpr unsigned kAcquaintances = kPayloadBits;
constexpr std::int64_t kShown = 10;  // tweets of a user

constexpr std::array<Table, 5> kTables = {{
    {"tweet", {kUserBits, kPayloadBits}},  // user, number
    {"last-tweet", {kUserBits}},
    {"following", {kUserBits, kUserBits}},  // who, whom
    {"follower", {kUserBits, kUserBits}},   // whom, who
    {"follow-list", {kUserBits}},
}};

class Twitter : public Generator {
 public:
  explicit Twitter(const WorkloadOptions& options)
      : seed_(options.seed), users_(options.distribution, options.users) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;
  bool has_payload() const override { return true; }
  bool is_integer_key() const override { return false; }
  std::string key_name(std::int64_t key) const override { return space_.name(key); }
  std::string values_text() const override {
    return "last-tweet/* tweet@0+" + std::to_string(kPayloadBits) + " initial=0";
  }
  void initial_keys(std::vector<std::int64_t>& keys) const override;

 private:
  std::int64_t row(Row table, std::int64_t a, std::int64_t b = 0) const {
    return space_.key(table, a, b);
  }
  std::int64_t acquaintance(std::int64_t user, std::int64_t number) const;
  void tweet(const Plan& plan, Draft& draft) const;
  void follow(const Plan& plan, Draft& draft) const;
  void timeline(const Plan& plan, Draft& draft) const;
  void show_tweets(const Plan& plan, Draft& draft) const;

  std::uint64_t seed_;
  Sampler users_;
  KeySpace space_{kTables};
};

// Never the user itself.
std::int64_t Twitter::acquaintance(std::int64_t user, std::int64_t number) const {
  const auto row = static_cast<std::uint64_t>(user * kAcquaintances + number);
  base::Rng rng(base::mix2(seed_, base::mix(row)));
  const auto other = static_cast<std::int64_t>(users_.sample(rng));
  if (other != user) return other;
  return (user + 1) % static_cast<std::int64_t>(users_.key_count());
}

void Twitter::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  const std::uint64_t dice = rng.below(100);
  const auto user = static_cast<std::int64_t>(users_.sample(rng));
  const auto number = static_cast<std::int64_t>(rng.below(kAcquaintances));
  const bool wish = rng.chance(0.5);
  plan.choices = {user, number, wish ? 1 : 0};
  Draft draft(plan);
  if (dice < 20 || dice >= 80) {
    plan.type = dice < 20 ? kTweets : kShowTweets;
    return draft.read(row(kLastTweet, user));
  }
  plan.type = dice < 60 ? kFollows : (dice < 70 ? kTimeline : kShowFollows);
  draft.read(row(kFollowList, user));
}

void Twitter::extend(std::uint32_t /*session*/, Plan& plan, std::span<const Seen> results) {
  Draft draft(plan, results);
  switch (plan.type) {
    case kTimeline:
      return timeline(plan, draft);
    case kTweets:
      if (plan.stage == 1) tweet(plan, draft);
      return;
    case kFollows:
      if (plan.stage == 1) follow(plan, draft);
      return;
    case kShowTweets:
      if (plan.stage == 1) show_tweets(plan, draft);
      return;
    default:
      return;
  }
}

void Twitter::tweet(const Plan& plan, Draft& draft) const {
  const std::int64_t user = plan.choices[kUser];
  const std::int64_t number = payload(draft.payload_of(row(kLastTweet, user)) + 1);
  draft.write(row(kTweet, user, number));
  draft.write(row(kLastTweet, user), number);
}

void Twitter::follow(const Plan& plan, Draft& draft) const {
  const std::int64_t user = plan.choices[kUser];
  const std::int64_t other = acquaintance(user, plan.choices[kAcquaintance]);
  const std::int64_t bit = std::int64_t{1} << plan.choices[kAcquaintance];
  const std::int64_t wish = plan.choices[kWish];
  const std::int64_t list = draft.payload_of(row(kFollowList, user));
  draft.write(row(kFollowList, user), wish != 0 ? list | bit : list & ~bit);
  draft.write(row(kFollower, other, user), wish);
  draft.write(row(kFollowing, user, other), wish);
}

// The second stage asks for the pointers, the third for the tweets.
void Twitter::timeline(const Plan& plan, Draft& draft) const {
  const std::int64_t user = plan.choices[kUser];
  const std::int64_t list = draft.payload_of(row(kFollowList, user));
  for (std::int64_t number = 0; number < kAcquaintances; ++number) {
    if (((list >> number) & 1) == 0) continue;
    const std::int64_t other = acquaintance(user, number);
    if (plan.stage == 1) {
      draft.read(row(kLastTweet, other));
    } else if (plan.stage == 2) {
      const std::int64_t last = draft.payload_of(row(kLastTweet, other));
      if (last != 0) draft.read(row(kTweet, other, last));
    }
  }
}

void Twitter::show_tweets(const Plan& plan, Draft& draft) const {
  const std::int64_t user = plan.choices[kUser];
  const std::int64_t last = draft.payload_of(row(kLastTweet, user));
  for (std::int64_t number = last; number > 0 && number > last - kShown; --number) {
    draft.read(row(kTweet, user, number));
  }
}

void Twitter::initial_keys(std::vector<std::int64_t>& keys) const {
  const auto users = static_cast<std::int64_t>(users_.key_count());
  for (std::int64_t user = 0; user < users; ++user) {
    keys.push_back(row(kLastTweet, user));
    keys.push_back(row(kFollowList, user));
  }
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<Twitter>(options);
}

constexpr std::array kOwn = {
    OwnParameter{&WorkloadOptions::values, kRepeatedRows, 0, 0, kRowsMost},
    OwnParameter{&WorkloadOptions::users, "users at the start", 1'000, 2, kUsersMost}};

constexpr std::array kRows = {
    WorkloadInfo{.name = "c-twitter",
                 .summary = "tweets, follows and unfollows, and timelines",
                 .source = "Cobra (Tan et al., OSDI 2020), section 6: C-Twitter",
                 .make = make,
                 .distribution = DistributionKind::kZipfian,
                 .users = &WorkloadOptions::users,
                 .own = kOwn}};

}  // namespace

const Workloads& twitter_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
