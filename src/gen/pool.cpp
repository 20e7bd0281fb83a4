// list-append and rw-register: random reads and updates of a pool of keys that are replaced
// when they have had their updates.
#include "gen/active_keys.hpp"
#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

class Pool : public Generator {
 public:
  Pool(bool lists, const WorkloadOptions& options)
      : lists_(lists),
        ops_(options.ops),
        reads_(options.reads),
        places_(options.distribution, options.keys),
        keys_(options.keys, lists_ ? options.appends_per_key : options.writes_per_key,
              options.seed) {}

  bool has_lists() const override { return lists_; }

  void plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) override {
    const std::uint64_t count = 1 + rng.below(ops_);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t place = places_.sample(rng);
      if (rng.chance(reads_)) {
        const Action read = lists_ ? Action::kReadList : Action::kRead;
        plan.ops.push_back({0, 0, keys_.peek(place), read});
      } else {
        const Action update = lists_ ? Action::kAppend : Action::kWrite;
        plan.ops.push_back({0, 0, keys_.take(place), update});
      }
    }
  }

  void initial_keys(std::vector<std::int64_t>& keys) const override {
    for (std::uint64_t place = 0; place < places_.key_count(); ++place) {
      keys.push_back(keys_.peek(place));
    }
  }

 private:
  bool lists_;
  std::uint32_t ops_;
  double reads_;
  Sampler places_;
  ActiveKeys keys_;
};

template <bool lists>
std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<Pool>(lists, options);
}

constexpr std::string_view kOpsAtMost = "operations in a transaction at most";
constexpr std::string_view kReadOps = "share of operations that read";

/// Nothing turns back unless it is asked for, so that a seed gives the histories that it has
/// always given.
constexpr OwnParameter unless_asked(OwnParameter parameter) {
  parameter.standard = 0;
  return parameter;
}

constexpr std::array kListOwn = {
    OwnParameter{&WorkloadOptions::appends_per_key,
                 "appends after which a fresh list replaces one, at most", 32, 1, kRenewalMost},
    unless_asked(kSavepoints), unless_asked(kRollbacks)};
constexpr std::array kRegisterOwn = {
    OwnParameter{&WorkloadOptions::writes_per_key, kRenewal, 32, 1, kRenewalMost}};

constexpr std::array kRows = {
    WorkloadInfo{.name = "list-append",
                 .summary = "1 to --ops appends and reads of lists",
                 .source = "Elle and Jepsen's list-append",
                 .make = make<true>,
                 .needs = {.lists = true},
                 .ops_text = kOpsAtMost,
                 .keys_text = "lists in use at a time",
                 .reads_text = kReadOps,
                 .ops = 4,
                 .keys = 100,
                 .reads = 0.5,
                 .distribution = DistributionKind::kExponential,
                 .own = kListOwn},
    WorkloadInfo{.name = "rw-register",
                 .summary = "1 to --ops writes and reads of registers",
                 .source = "Elle and Jepsen's rw-register",
                 .make = make<false>,
                 .ops_text = kOpsAtMost,
                 .keys_text = "keys in use at a time",
                 .reads_text = kReadOps,
                 .ops = 4,
                 .keys = 100,
                 .reads = 0.5,
                 .distribution = DistributionKind::kExponential,
                 .own = kRegisterOwn}};

}  // namespace

const Workloads& pool_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
