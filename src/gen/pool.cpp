// list-append and rw-register: random reads and updates of a pool of keys that are replaced
// when they have had their updates.
#include "gen/active_keys.hpp"
#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

class Pool : public Generator {
 public:
  explicit Pool(const WorkloadOptions& options)
      : lists_(info(options.workload).shape == Shape::kListAppend),
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

}  // namespace

std::unique_ptr<Generator> make_pool(const WorkloadOptions& options) {
  return std::make_unique<Pool>(options);
}

}  // namespace isolde::gen
