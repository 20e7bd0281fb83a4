// Workloads of reads and writes on a fixed set of integer keys, decided before anything is
// sent.
#include <algorithm>

#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

// How a workload builds a transaction. "reads" is the parameter of that name.
enum class Shape : std::uint8_t {
  kBlind,             // only reads (share `reads` of the transactions) or only writes
  kCoins,             // each operation is a read with probability `reads`
  kThreeKinds,        // `reads` read-only; the others half write-only, half read-modify-write
  kReadsThenWrites,   // `reads` read-only; the others half reads, then half writes
  kReadModifyWrite,   // `reads` read-only; the others pairs of read and write of one key
  kMiniTransactions,  // one or two keys, each read and then written unless `reads` says no
};

bool has_key(const std::vector<PlannedOp>& ops, std::int64_t key) {
  return std::ranges::find(ops, key, &PlannedOp::key) != ops.end();
}

class Plain : public Generator {
 public:
  Plain(Shape shape, const WorkloadOptions& options)
      : ops_(options.ops),
        reads_(options.reads),
        shape_(shape),
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

template <Shape shape>
std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<Plain>(shape, options);
}

Status has_keys(const WorkloadOptions& options, std::uint32_t distinct) {
  if (options.keys >= distinct) return ok_status();
  return usage_error("workload " + std::string(options.workload.name()) + " uses " +
                     std::to_string(distinct) + " different keys in a transaction; --keys " +
                     std::to_string(options.keys) + " is too few");
}

Status has_halves(const WorkloadOptions& options) {
  if (options.ops >= 2) return ok_status();
  return usage_error("workload " + std::string(options.workload.name()) +
                     " needs --ops 2 or more");
}

Status has_pairs(const WorkloadOptions& options) {
  const Status halves = has_halves(options);
  return halves.ok() ? has_keys(options, options.ops / 2) : halves;
}

Status is_mini(const WorkloadOptions& options) {
  if (options.ops >= 2 && options.ops <= 4) return has_keys(options, (options.ops + 1) / 2);
  return usage_error("--ops of workload " + std::string(options.workload.name()) +
                     " is 2 (one key), 3 or 4 (two keys)");
}

constexpr std::string_view kCobra = "Cobra (Tan et al., OSDI 2020)";
constexpr std::string_view kVbox = "Vbox";
constexpr std::string_view kReadOps = "share of operations that read";

constexpr WorkloadInfo blind(std::string_view name, std::string_view summary,
                             std::string_view source, double reads) {
  return {.name = name,
          .summary = summary,
          .source = source,
          .make = make<Shape::kBlind>,
          .ops_text = kOps,
          .keys_text = kKeys,
          .reads_text = kReadOnly,
          .ops = 8,
          .keys = 10'000,
          .reads = reads};
}

constexpr std::array kGeneralOwn = {
    OwnParameter{&WorkloadOptions::values,
                 "different values written to a key, by chance; 0: every value is written once",
                 0, 0, 1U << 30}};

constexpr std::array kRows = {
    blind("blindw-rm", "transactions of only reads (90 %) or only writes", kCobra, 0.9),
    blind("blindw-rw", "transactions of only reads (half) or only writes", kCobra, 0.5),
    blind("blindw-rh", "transactions of only reads (80 %) or only writes", kVbox, 0.8),
    blind("blindw-wr", "transactions of only reads (half) or only writes", kVbox, 0.5),
    blind("blindw-wh", "transactions of only reads (20 %) or only writes", kVbox, 0.2),
    WorkloadInfo{.name = "general",
                 .summary = "each operation a read or a write by chance",
                 .source = "PolySI (Huang et al., VLDB 2023), defaults of Cobra",
                 .make = make<Shape::kCoins>,
                 .ops_text = kOps,
                 .keys_text = kKeys,
                 .reads_text = kReadOps,
                 .ops = 8,
                 .keys = 10'000,
                 .reads = 0.5,
                 .own = kGeneralOwn},
    WorkloadInfo{.name = "mixed",
                 .summary = "transactions of only reads (20 %), only writes (40 %) or "
                            "read-modify-writes (40 %)",
                 .source = "MTC, after Cobra's generator",
                 .make = make<Shape::kThreeKinds>,
                 .ops_text = kOps,
                 .keys_text = kKeys,
                 .reads_text = kReadOnly,
                 .ops = 8,
                 .keys = 10'000,
                 .reads = 0.2,
                 .validate = has_pairs},
    WorkloadInfo{.name = "ycsb",
                 .summary = "read-only transactions (75 %), or half reads and then half writes",
                 .source = "Crooks' thesis, section 5.6, after YCSB",
                 .make = make<Shape::kReadsThenWrites>,
                 .ops_text = kOps,
                 .keys_text = kKeys,
                 .reads_text = kReadOnly,
                 .ops = 6,
                 .keys = 10'000,
                 .reads = 0.75,
                 .distribution = DistributionKind::kZipfian,
                 .validate = has_halves},
    WorkloadInfo{.name = "rmw",
                 .summary = "pairs of a read and a write of the same key",
                 .source = "MTC, after Cobra's generator",
                 .make = make<Shape::kReadModifyWrite>,
                 .ops_text = kOps,
                 .keys_text = kKeys,
                 .reads_text = kReadOnly,
                 .ops = 8,
                 .keys = 10'000,
                 .reads = 0.2,
                 .validate = has_pairs},
    WorkloadInfo{.name = "mini",
                 .summary = "mini-transactions: one or two keys read, then perhaps written",
                 .source = "MTC, definition 8",
                 .make = make<Shape::kMiniTransactions>,
                 .ops_text = "operations in a transaction at most: 2 (one key) to 4 (two keys)",
                 .keys_text = kKeys,
                 .reads_text = "share of keys that are read and not written",
                 .ops = 4,
                 .keys = 1'000,
                 .reads = 0.5,
                 .validate = is_mini}};

}  // namespace

const Workloads& plain_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
