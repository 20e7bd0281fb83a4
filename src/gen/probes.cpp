// Probes: small transactions on few hot keys, each workload made so that one anomaly shows
// where the database allows it. What Hermitage does once by hand with two clients, they do all
// the time with many.
#include <algorithm>

#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

enum : std::size_t { kX, kY, kMember };

constexpr std::array<Table, 3> kTables = {{
    {"x", {26}}, {"y", {26}}, {"fork", {26, 10}},  // group, member
}};

class Probe : public Generator {
 public:
  explicit Probe(const WorkloadOptions& options)
      : workload_(options.workload),
        group_size_(options.ops),
        reads_(options.reads),
        places_(options.distribution, options.keys) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void initial_keys(std::vector<std::int64_t>& keys) const override;
  bool is_integer_key() const override { return false; }
  std::string key_name(std::int64_t key) const override { return space_.name(key); }

 private:
  void plan_pair(base::Rng& rng, std::int64_t x, std::int64_t y, bool reads, Plan& plan) const;
  void plan_fork(base::Rng& rng, std::int64_t group, bool reads, Plan& plan) const;

  Workload workload_;
  std::uint32_t group_size_;
  double reads_;
  Sampler places_;
  KeySpace space_{kTables};
};

void Probe::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  const auto place = static_cast<std::int64_t>(places_.sample(rng));
  const bool reads = rng.chance(reads_);
  if (workload_ == Workload::kLongFork) return plan_fork(rng, place, reads, plan);
  plan_pair(rng, space_.key(kX, place), space_.key(kY, place), reads, plan);
}

void Probe::plan_pair(base::Rng& rng, std::int64_t x, std::int64_t y, bool reads,
                      Plan& plan) const {
  Draft draft(plan);
  switch (workload_) {
    case Workload::kLostUpdate:
      draft.read(x);
      if (!reads) draft.write(x);
      break;
    case Workload::kWriteSkew:
      draft.read(x);
      draft.read(y);
      if (!reads) draft.write(rng.chance(0.5) ? x : y);
      break;
    case Workload::kReadSkew:
      if (reads) {
        draft.read(x);
        draft.read(y);
      } else {
        draft.write(x);
        draft.write(y);
      }
      break;
    default:  // kCausality
      if (reads) {
        draft.read(y);
        draft.read(x);
      } else if (rng.chance(0.5)) {
        draft.write(x);
      } else {
        draft.read(x);
        draft.write(y);
      }
  }
}

// Readers begin anywhere in the group and go either way round.
void Probe::plan_fork(base::Rng& rng, std::int64_t group, bool reads, Plan& plan) const {
  Draft draft(plan);
  const auto first = static_cast<std::int64_t>(rng.below(group_size_));
  if (!reads) return draft.write(space_.key(kMember, group, first));
  for (std::int64_t i = 0; i < group_size_; ++i) {
    draft.read(space_.key(kMember, group, (first + i) % group_size_));
  }
  if (rng.chance(0.5)) std::ranges::reverse(plan.ops);
}

void Probe::initial_keys(std::vector<std::int64_t>& keys) const {
  const auto places = static_cast<std::int64_t>(places_.key_count());
  for (std::int64_t place = 0; place < places; ++place) {
    if (workload_ == Workload::kLongFork) {
      for (std::int64_t i = 0; i < group_size_; ++i) {
        keys.push_back(space_.key(kMember, place, i));
      }
      continue;
    }
    keys.push_back(space_.key(kX, place));
    if (workload_ != Workload::kLostUpdate) keys.push_back(space_.key(kY, place));
  }
}

}  // namespace

std::unique_ptr<Generator> make_probe(const WorkloadOptions& options) {
  return std::make_unique<Probe>(options);
}

}  // namespace isolde::gen
