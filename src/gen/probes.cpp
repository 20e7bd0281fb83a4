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

enum class Anomaly : std::uint8_t {
  kLostUpdate,
  kWriteSkew,
  kReadSkew,
  kLongFork,
  kCausality,
};

class Probe : public Generator {
 public:
  Probe(Anomaly anomaly, const WorkloadOptions& options)
      : anomaly_(anomaly),
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

  Anomaly anomaly_;
  std::uint32_t group_size_;
  double reads_;
  Sampler places_;
  KeySpace space_{kTables};
};

void Probe::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  const auto place = static_cast<std::int64_t>(places_.sample(rng));
  const bool reads = rng.chance(reads_);
  if (anomaly_ == Anomaly::kLongFork) return plan_fork(rng, place, reads, plan);
  plan_pair(rng, space_.key(kX, place), space_.key(kY, place), reads, plan);
}

void Probe::plan_pair(base::Rng& rng, std::int64_t x, std::int64_t y, bool reads,
                      Plan& plan) const {
  Draft draft(plan);
  switch (anomaly_) {
    case Anomaly::kLostUpdate:
      draft.read(x);
      if (!reads) draft.write(x);
      break;
    case Anomaly::kWriteSkew:
      draft.read(x);
      draft.read(y);
      if (!reads) draft.write(rng.chance(0.5) ? x : y);
      break;
    case Anomaly::kReadSkew:
      if (reads) {
        draft.read(x);
        draft.read(y);
      } else {
        draft.write(x);
        draft.write(y);
      }
      break;
    default:  // causality
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
    if (anomaly_ == Anomaly::kLongFork) {
      for (std::int64_t i = 0; i < group_size_; ++i) {
        keys.push_back(space_.key(kMember, place, i));
      }
      continue;
    }
    keys.push_back(space_.key(kX, place));
    if (anomaly_ != Anomaly::kLostUpdate) keys.push_back(space_.key(kY, place));
  }
}

template <Anomaly anomaly>
std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<Probe>(anomaly, options);
}

Status has_group(const WorkloadOptions& options) {
  if (options.ops >= 2 && options.ops <= kGroupMost) return ok_status();
  return out_of_range("ops", options.ops, 2, kGroupMost);
}

constexpr std::string_view kHermitage = "Hermitage, repeated";
constexpr std::string_view kPairs = "pairs of keys";

constexpr std::array kRows = {
    WorkloadInfo{.name = "lost-update",
                 .summary = "probe: one hot key read, then written",
                 .source = kHermitage,
                 .make = make<Anomaly::kLostUpdate>,
                 .keys_text = kKeys,
                 .reads_text = kReadOnly,
                 .ops = 2,
                 .keys = 10,
                 .reads = 0.2},
    WorkloadInfo{.name = "write-skew",
                 .summary = "probe: both keys of a pair read, one written",
                 .source = kHermitage,
                 .make = make<Anomaly::kWriteSkew>,
                 .keys_text = kPairs,
                 .reads_text = kReadOnly,
                 .ops = 3,
                 .keys = 10,
                 .reads = 0.2},
    WorkloadInfo{.name = "read-skew",
                 .summary = "probe: both keys of a pair written, or both read",
                 .source = kHermitage,
                 .make = make<Anomaly::kReadSkew>,
                 .keys_text = kPairs,
                 .reads_text = kReadOnly,
                 .ops = 2,
                 .keys = 10,
                 .reads = 0.5},
    WorkloadInfo{.name = "long-fork",
                 .summary = "probe: a key of a group written, or all read",
                 .source = "Jepsen's long-fork",
                 .make = make<Anomaly::kLongFork>,
                 .ops_text = "keys in a group",
                 .keys_text = "groups of keys",
                 .reads_text = kReadOnly,
                 .ops = 3,
                 .keys = 10,
                 .reads = 0.5,
                 .validate = has_group},
    WorkloadInfo{.name = "causality",
                 .summary = "probe: x written; x read and then y written; or y and then x read",
                 .source = "the causality test of weak memory models",
                 .make = make<Anomaly::kCausality>,
                 .keys_text = kPairs,
                 .reads_text = kReadOnly,
                 .ops = 2,
                 .keys = 10,
                 .reads = 0.4}};

}  // namespace

const Workloads& probes_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
