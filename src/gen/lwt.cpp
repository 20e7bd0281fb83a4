// lwt: transactions of one operation, as key-value stores without transactions offer them. A
// session remembers for each key the value that it saw last, and sets the key from that value:
// it fails when somebody else was faster, and learns the present value from the failure.
#include "gen/active_keys.hpp"
#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

class Lwt : public Generator {
 public:
  explicit Lwt(const WorkloadOptions& options)
      : reads_(options.reads),
        inserts_(options.inserts),
        places_(options.distribution, options.keys),
        keys_(options.keys, options.writes_per_key, options.seed),
        sessions_(options.sessions) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;

  void initial_keys(std::vector<std::int64_t>& keys) const override {
    for (std::uint64_t place = 0; place < places_.key_count(); ++place) {
      keys.push_back(keys_.peek(place));
    }
  }

 private:
  // What a session knows of the key at a place.
  struct Memory {
    std::int64_t key = kNothing;
    std::int64_t value = 0;
    static constexpr std::int64_t kNothing = -1;
  };
  struct alignas(64) Session {
    std::vector<Memory> memories;  // by place; made at the first transaction
  };

  double reads_;
  double inserts_;
  Sampler places_;
  ActiveKeys keys_;
  std::vector<Session> sessions_;
};

void Lwt::plan(std::uint32_t session, base::Rng& rng, Plan& plan) {
  std::vector<Memory>& memories = sessions_[session].memories;
  memories.resize(places_.key_count());
  const std::uint64_t place = places_.sample(rng);
  const bool reads = rng.chance(reads_);
  const bool inserts = rng.chance(inserts_);
  plan.choices.push_back(static_cast<std::int64_t>(place));
  Draft draft(plan);
  if (reads) return draft.read(keys_.peek(place));
  const std::int64_t key = keys_.take(place);
  const Memory& memory = memories[place];
  // Nothing is known of the key: it may be a fresh one, so try to be its first writer.
  const bool knows = memory.key == key;
  draft.compare_and_set(key, inserts || !knows ? 0 : memory.value);
}

void Lwt::extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) {
  Memory& memory = sessions_[session].memories[static_cast<std::size_t>(plan.choices[0])];
  const PlannedOp& op = plan.ops[0];
  const Seen& seen = results[0];
  if (op.kind == Action::kCompareAndSet && seen.applied) {
    memory = {op.key, op.value};
  } else if (seen.known) {
    memory = {op.key, seen.value};
  } else if (memory.key == op.key) {
    memory = {};  // out of date
  }
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<Lwt>(options);
}

constexpr std::array kOwn = {
    OwnParameter{&WorkloadOptions::writes_per_key, kRenewal, 100, 1, kRenewalMost},
    OwnParameter{&WorkloadOptions::inserts,
                 "share of updates that insert if not exists, whatever the session knows",
                 0.1}};

constexpr std::array kRows = {
    WorkloadInfo{.name = "lwt",
                 .summary = "one compare-and-set, insert-if-not-exists or read",
                 .source = "MTC, section IV-E",
                 .make = make,
                 .needs = {.compare_and_set = true},
                 .keys_text = "keys in use at a time",
                 .reads_text = kReadOnly,
                 .ops = 1,
                 .keys = 20,
                 .reads = 0.2,
                 .own = kOwn}};

}  // namespace

const Workloads& lwt_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
