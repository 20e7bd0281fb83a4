// Workloads of reads and writes on a fixed set of integer keys, decided before anything is
// sent.
#include <algorithm>

#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

bool has_key(const std::vector<PlannedOp>& ops, std::int64_t key) {
  return std::ranges::find(ops, key, &PlannedOp::key) != ops.end();
}

class Plain : public Generator {
 public:
  explicit Plain(const WorkloadOptions& options)
      : ops_(options.ops),
        reads_(options.reads),
        shape_(info(options.workload).shape),
        keys_(options.distribution, options.keys) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void initial_keys(std::vector<std::int64_t>& keys) const override;

 private:
  std::int64_t sample(base::Rng& rng) const {
    return static_cast<std::int64_t>(keys_.sample(rng));
  }
  std::int64_t sample_other(base::Rng& rng, const Plan& plan) const;
  void add(base::Rng& rng, bool read, Plan& plan) const;
  void plan_single(base::Rng& rng, bool reads, Plan& plan) const;
  void plan_coins(base::Rng& rng, Plan& plan) const;
  void plan_reads_then_writes(base::Rng& rng, Plan& plan) const;
  void plan_pairs(base::Rng& rng, Plan& plan) const;
  void plan_mini(base::Rng& rng, Plan& plan) const;

  std::uint32_t ops_;
  double reads_;
  Shape shape_;
  Sampler keys_;
};

void Plain::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  switch (shape_) {
    case Shape::kBlind:
      return plan_single(rng, rng.chance(reads_), plan);
    case Shape::kCoins:
      return plan_coins(rng, plan);
    case Shape::kThreeKinds:
      if (rng.chance(reads_)) return plan_single(rng, true, plan);
      if (rng.chance(0.5)) return plan_single(rng, false, plan);
      return plan_pairs(rng, plan);
    case Shape::kReadsThenWrites:
      return plan_reads_then_writes(rng, plan);
    case Shape::kReadModifyWrite:
      return rng.chance(reads_) ? plan_single(rng, true, plan) : plan_pairs(rng, plan);
    default:
      return plan_mini(rng, plan);
  }
}

void Plain::initial_keys(std::vector<std::int64_t>& keys) const {
  for (std::uint64_t key = 0; key < keys_.key_count(); ++key) {
    keys.push_back(static_cast<std::int64_t>(key));
  }
}

// A key that the plan does not have. Popular keys are drawn again and again, so after some
// tries the next free one is taken.
std::int64_t Plain::sample_other(base::Rng& rng, const Plan& plan) const {
  std::int64_t key = 0;
  for (int tries = 0; tries < 16; ++tries) {
    key = sample(rng);
    if (!has_key(plan.ops, key)) return key;
  }
  const auto count = static_cast<std::int64_t>(keys_.key_count());
  while (has_key(plan.ops, key)) key = (key + 1) % count;
  return key;
}

void Plain::add(base::Rng& rng, bool read, Plan& plan) const {
  plan.ops.push_back({0, 0, sample(rng), read ? Action::kRead : Action::kWrite});
}

void Plain::plan_single(base::Rng& rng, bool reads, Plan& plan) const {
  for (std::uint32_t i = 0; i < ops_; ++i) add(rng, reads, plan);
}

void Plain::plan_coins(base::Rng& rng, Plan& plan) const {
  for (std::uint32_t i = 0; i < ops_; ++i) {
    const bool read = rng.chance(reads_);
    add(rng, read, plan);
  }
}

void Plain::plan_reads_then_writes(base::Rng& rng, Plan& plan) const {
  if (rng.chance(reads_)) return plan_single(rng, true, plan);
  for (std::uint32_t i = 0; i < ops_; ++i) add(rng, i < ops_ - ops_ / 2, plan);
}

void Plain::plan_pairs(base::Rng& rng, Plan& plan) const {
  Draft draft(plan);
  for (std::uint32_t i = 0; i < ops_ / 2; ++i) {
    const std::int64_t key = sample_other(rng, plan);
    draft.read(key);
    draft.write(key);
  }
}

// At most two reads, and at most two writes, each of a key read before.
void Plain::plan_mini(base::Rng& rng, Plan& plan) const {
  Draft draft(plan);
  const std::uint64_t keys = 1 + rng.below((ops_ + 1) / 2);
  const bool reads_first = rng.chance(0.5);
  for (std::uint64_t i = 0; i < keys; ++i) {
    const std::int64_t key = sample_other(rng, plan);
    draft.read(key);
    const bool fits = i == 0 || ops_ == 4;
    if (fits && !rng.chance(reads_)) draft.write(key);
  }
  if (reads_first) {
    std::stable_partition(plan.ops.begin(), plan.ops.end(),
                          [](const PlannedOp& op) { return op.is_read(); });
  }
}

}  // namespace

std::unique_ptr<Generator> make_plain(const WorkloadOptions& options) {
  return std::make_unique<Plain>(options);
}

}  // namespace isolde::gen
