// Numbers that transactions add to, by statements of the database's own: UPDATE ... SET v = v +
// 3, INCRBY. Between the number that it finds and the one that it leaves nothing may come, at
// any isolation.
//
//   counter     adds 1 to 3 to each of up to --ops numbers; others read as many
//   bank-added  moves an amount from one account to another by two increments; audits read all.
//               Accounts begin with nothing, and may owe
//
// An increment writes no value of its own, so what was read tells a version by what was added
// to it. Keys are few, so that they meet, and each is counted once in a transaction, in the
// order of keys, so that transactions do not wait for one another in a circle.
#include <algorithm>

#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

constexpr std::uint64_t kStepMost = 3;
constexpr std::uint64_t kAmountMost = 10;

/// Keys that are read, or that are added to, and how much is added to each.
class Counter final : public Generator {
 public:
  Counter(const WorkloadOptions& options, bool is_bank)
      : reads_(options.reads),
        ops_(options.ops),
        is_bank_(is_bank),
        keys_(options.distribution, options.keys) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;

  void initial_keys(std::vector<std::int64_t>& keys) const override {
    for (std::uint64_t key = 0; key < keys_.key_count(); ++key) {
      keys.push_back(static_cast<std::int64_t>(key));
    }
  }

 private:
  double reads_;
  std::uint64_t ops_;
  bool is_bank_;
  Sampler keys_;
};

void Counter::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  Draft draft(plan);
  const bool reads = rng.chance(reads_);
  if (is_bank_ && reads) {
    for (std::uint64_t key = 0; key < keys_.key_count(); ++key) {
      draft.read(static_cast<std::int64_t>(key));
    }
    return;
  }
  const std::uint64_t most = std::min<std::uint64_t>(ops_, keys_.key_count());
  const std::uint64_t count = is_bank_ ? 2 : 1 + rng.below(most);
  std::vector<std::int64_t> chosen;
  while (chosen.size() < count) {
    const auto next = static_cast<std::int64_t>(keys_.sample(rng));
    if (std::ranges::find(chosen, next) == chosen.end()) chosen.push_back(next);
  }
  const auto amount = 1 + static_cast<std::int64_t>(rng.below(kAmountMost));
  const bool gives_to_lower = is_bank_ && rng.chance(0.5);
  std::ranges::sort(chosen);
  for (const std::int64_t key : chosen) {
    if (reads) {
      draft.read(key);
    } else if (is_bank_) {
      const bool takes = (key == chosen.front()) != gives_to_lower;
      draft.increment(key, takes ? -amount : amount);
    } else {
      draft.increment(key, 1 + static_cast<std::int64_t>(rng.below(kStepMost)));
    }
  }
}

std::unique_ptr<Generator> make_counter(const WorkloadOptions& options) {
  return std::make_unique<Counter>(options, false);
}

std::unique_ptr<Generator> make_bank(const WorkloadOptions& options) {
  return std::make_unique<Counter>(options, true);
}

Status has_few_operations(const WorkloadOptions& options) {
  if (options.ops <= kGroupMost) return ok_status();
  return out_of_range("ops", options.ops, 1, kGroupMost);
}

Status has_accounts(const WorkloadOptions& options) {
  if (options.keys >= 2 && options.keys <= kGroupMost) return ok_status();
  return out_of_range("keys", options.keys, 2, kGroupMost);
}

constexpr std::array kRows = {
    WorkloadInfo{.name = "counter",
                 .summary = "increments of a few numbers, and reads of them",
                 .source = "Jepsen's counter",
                 .make = make_counter,
                 .needs = {.increments = true},
                 .ops_text = "numbers that a transaction adds to or reads, at most",
                 .keys_text = "numbers",
                 .reads_text = kReadOnly,
                 .ops = 3,
                 .keys = 5,
                 .reads = 0.4,
                 .txns = 1'000,
                 .validate = has_few_operations},
    WorkloadInfo{.name = "bank-added",
                 .summary = "transfers by two increments, and audits that read all accounts",
                 .source = "Jepsen's bank",
                 .make = make_bank,
                 .needs = {.increments = true},
                 .keys_text = "accounts",
                 .reads_text = "share of audits",
                 .ops = 2,
                 .keys = 5,
                 .reads = 0.3,
                 .txns = 1'000,
                 .validate = has_accounts}};

}  // namespace

const Workloads& counter_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
