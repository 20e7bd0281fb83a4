// The workload table and the planner that follows it.
#include "gen/workload.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.hpp"
#include "base/hash.hpp"

namespace isolde::gen {
namespace {

constexpr auto kUniform = DistributionKind::kUniform;
constexpr auto kZipfian = DistributionKind::kZipfian;
constexpr auto kExponential = DistributionKind::kExponential;

constexpr std::string_view kCobra = "Cobra (Tan et al., OSDI 2020)";
constexpr std::string_view kVbox = "Vbox";
constexpr std::string_view kPolySi = "PolySI (Huang et al., VLDB 2023), defaults of Cobra";
constexpr std::string_view kMtc = "MTC, after Cobra's generator";
constexpr std::string_view kCrooks = "Crooks' thesis, section 5.6, after YCSB";
constexpr std::string_view kMtcMini = "MTC, definition 8";
constexpr std::string_view kElle = "Elle and Jepsen's list-append";

constexpr std::array<WorkloadInfo, 11> kWorkloads = {{
    {Workload::kBlindwRm, "blindw-rm", "transactions of only reads (90 %) or only writes",
     kCobra, Shape::kBlind, 8, 10'000, 0.9, kUniform},
    {Workload::kBlindwRw, "blindw-rw", "transactions of only reads (half) or only writes",
     kCobra, Shape::kBlind, 8, 10'000, 0.5, kUniform},
    {Workload::kBlindwRh, "blindw-rh", "transactions of only reads (80 %) or only writes",
     kVbox, Shape::kBlind, 8, 10'000, 0.8, kUniform},
    {Workload::kBlindwWr, "blindw-wr", "transactions of only reads (half) or only writes",
     kVbox, Shape::kBlind, 8, 10'000, 0.5, kUniform},
    {Workload::kBlindwWh, "blindw-wh", "transactions of only reads (20 %) or only writes",
     kVbox, Shape::kBlind, 8, 10'000, 0.2, kUniform},
    {Workload::kGeneral, "general", "each operation a read or a write by chance", kPolySi,
     Shape::kCoins, 8, 10'000, 0.5, kUniform},
    {Workload::kMixed, "mixed",
     "transactions of only reads (20 %), only writes (40 %) or read-modify-writes (40 %)", kMtc,
     Shape::kThreeKinds, 8, 10'000, 0.2, kUniform},
    {Workload::kYcsb, "ycsb",
     "read-only transactions (75 %), or half reads and then half writes", kCrooks,
     Shape::kReadsThenWrites, 6, 10'000, 0.75, kZipfian},
    {Workload::kRmw, "rmw", "pairs of a read and a write of the same key", kMtc,
     Shape::kReadModifyWrite, 8, 10'000, 0.2, kUniform},
    {Workload::kMini, "mini", "mini-transactions: one or two keys read, then perhaps written",
     kMtcMini, Shape::kMiniTransactions, 4, 1'000, 0.5, kUniform},
    {Workload::kListAppend, "list-append", "1 to --ops appends and reads of lists", kElle,
     Shape::kListAppend, 4, 100, 0.5, kExponential},
}};

constexpr bool table_is_in_enum_order() {
  for (std::size_t i = 0; i < kWorkloads.size(); ++i) {
    if (static_cast<std::size_t>(kWorkloads[i].workload) != i) return false;
  }
  return true;
}
static_assert(table_is_in_enum_order());

constexpr std::uint32_t kSessionsMax = 65'536;
constexpr std::uint32_t kOpsMax = 10'000;
constexpr std::uint64_t kKeysMax = std::uint64_t{1} << 26;
constexpr std::uint64_t kTxnsMax = 2'000'000'000;

std::string_view ops_summary(Shape shape) {
  switch (shape) {
    case Shape::kMiniTransactions:
      return "operations in a transaction at most: 2 (one key) to 4 (two keys)";
    case Shape::kListAppend:
      return "operations in a transaction at most";
    default:
      return "operations in a transaction";
  }
}

std::string_view reads_summary(Shape shape) {
  switch (shape) {
    case Shape::kCoins:
    case Shape::kListAppend:
      return "share of operations that read";
    case Shape::kMiniTransactions:
      return "share of keys that are read and not written";
    default:
      return "share of transactions that only read";
  }
}

// Fractions of at most two decimals, which is what the table has.
std::string share_text(double share) {
  const auto hundredths = static_cast<int>(share * 100 + 0.5);
  std::string text = "0.";
  text += std::to_string(hundredths);
  if (text.back() == '0') text.pop_back();
  return text;
}

Status usage(std::string message) { return Error{ErrorCode::kUsage, std::move(message)}; }

Status out_of_range(std::string_view name, std::uint64_t value, std::uint64_t least,
                    std::uint64_t most) {
  return usage("--" + std::string(name) + " " + std::to_string(value) + " is not between " +
               std::to_string(least) + " and " + std::to_string(most));
}

OpKind write_kind(Shape shape) {
  return shape == Shape::kListAppend ? OpKind::kAppend : OpKind::kWrite;
}

Distribution zipfian() {
  Distribution distribution;
  distribution.kind = kZipfian;
  return distribution;
}

bool has_key(const std::vector<PlannedOp>& ops, std::uint32_t key) {
  return std::ranges::find(ops, key, &PlannedOp::key) != ops.end();
}

}  // namespace

std::span<const WorkloadInfo> all_workloads() { return kWorkloads; }

const WorkloadInfo& info(Workload workload) {
  const auto row = static_cast<std::size_t>(workload);
  ISOLDE_CHECK(row < kWorkloads.size());
  return kWorkloads[row];
}

Result<Workload> parse_workload(std::string_view name) {
  const auto* const row = std::ranges::find(kWorkloads, name, &WorkloadInfo::name);
  if (row != kWorkloads.end()) return row->workload;
  std::string message = "no workload '" + std::string(name) + "'; use ";
  for (const WorkloadInfo& known : kWorkloads) {
    if (known.workload != kWorkloads.front().workload) message += ", ";
    message += known.name;
  }
  return Error{ErrorCode::kUsage, std::move(message)};
}

WorkloadOptions default_options(Workload workload) {
  const WorkloadInfo& row = info(workload);
  WorkloadOptions options;
  options.workload = workload;
  options.ops = row.ops;
  options.keys = row.keys;
  options.reads = row.reads;
  options.distribution.kind = row.distribution;
  return options;
}

std::vector<ParameterInfo> parameters(Workload workload) {
  const WorkloadInfo& row = info(workload);
  const WorkloadOptions options = default_options(workload);
  const bool lists = row.shape == Shape::kListAppend;
  std::vector<ParameterInfo> result = {
      {"sessions", "clients that work at the same time", std::to_string(options.sessions)},
      {"txns", "transactions to commit, all sessions together", std::to_string(options.txns)},
      {"ops", ops_summary(row.shape), std::to_string(options.ops)},
      {"keys", lists ? "lists in use at a time" : "keys", std::to_string(options.keys)},
      {"reads", reads_summary(row.shape), share_text(options.reads)},
      {"distribution", "how accesses spread over the keys", to_text(options.distribution)},
  };
  if (lists) {
    result.push_back({"appends-per-key",
                      "appends after which a fresh list replaces one, at most",
                      std::to_string(options.appends_per_key)});
  }
  result.push_back(
      {"seed", "start of the random numbers; same seed, same history", std::to_string(0)});
  return result;
}

Status validate(const WorkloadOptions& options) {
  const Shape shape = info(options.workload).shape;
  if (options.sessions < 1 || options.sessions > kSessionsMax) {
    return out_of_range("sessions", options.sessions, 1, kSessionsMax);
  }
  if (options.txns > kTxnsMax) return out_of_range("txns", options.txns, 0, kTxnsMax);
  if (options.ops < 1 || options.ops > kOpsMax) {
    return out_of_range("ops", options.ops, 1, kOpsMax);
  }
  if (options.keys < 1 || options.keys > kKeysMax) {
    return out_of_range("keys", options.keys, 1, kKeysMax);
  }
  if (!(options.reads >= 0 && options.reads <= 1)) {
    return usage("--reads must be a share between 0 and 1");
  }
  if (options.appends_per_key < 1 || options.appends_per_key > 1'000'000) {
    return out_of_range("appends-per-key", options.appends_per_key, 1, 1'000'000);
  }
  const bool pairs = shape == Shape::kReadModifyWrite || shape == Shape::kThreeKinds;
  const bool halves = pairs || shape == Shape::kReadsThenWrites;
  const std::string name(info(options.workload).name);
  if (shape == Shape::kMiniTransactions && (options.ops < 2 || options.ops > 4)) {
    return usage("--ops of workload " + name + " is 2 (one key), 3 or 4 (two keys)");
  }
  if (halves && options.ops < 2) return usage("workload " + name + " needs --ops 2 or more");
  const std::uint64_t distinct =
      pairs ? options.ops / 2 : (shape == Shape::kMiniTransactions ? (options.ops + 1) / 2 : 1);
  if (options.keys < distinct) {
    return usage("workload " + name + " uses " + std::to_string(distinct) +
                 " different keys in a transaction; --keys " + std::to_string(options.keys) +
                 " is too few");
  }
  return validate(options.distribution, options.keys);
}

Planner::Planner(const WorkloadOptions& options)
    : options_(options),
      shape_(info(options.workload).shape),
      keys_(options.distribution, options.keys),
      list_lengths_(zipfian(), options.appends_per_key),
      list_rng_(base::mix2(options.seed, kSessionsMax)) {
  ISOLDE_CHECK(validate(options).ok());
  session_rngs_.reserve(options.sessions);
  for (std::uint32_t session = 0; session < options.sessions; ++session) {
    session_rngs_.emplace_back(base::mix2(options.seed, session));
  }
  if (shape_ != Shape::kListAppend) return;
  lists_.resize(options.keys);
  for (std::uint32_t slot = 0; slot < options.keys; ++slot) replace_list(slot);
}

void Planner::plan(std::uint32_t session, std::vector<PlannedOp>& ops) {
  base::Rng& rng = session_rngs_[session];
  ops.clear();
  switch (shape_) {
    case Shape::kBlind:
      plan_single(rng, rng.chance(options_.reads), ops);
      break;
    case Shape::kCoins:
      plan_coins(rng, ops);
      break;
    case Shape::kThreeKinds:
      if (rng.chance(options_.reads)) {
        plan_single(rng, true, ops);
      } else if (rng.chance(0.5)) {
        plan_single(rng, false, ops);
      } else {
        plan_pairs(rng, ops);
      }
      break;
    case Shape::kReadsThenWrites:
      plan_reads_then_writes(rng, ops);
      break;
    case Shape::kReadModifyWrite:
      if (rng.chance(options_.reads)) {
        plan_single(rng, true, ops);
      } else {
        plan_pairs(rng, ops);
      }
      break;
    case Shape::kMiniTransactions:
      plan_mini(rng, ops);
      break;
    case Shape::kListAppend:
      plan_lists(rng, ops);
      break;
  }
  renew(ops);
}

void Planner::renew(std::vector<PlannedOp>& ops) {
  const OpKind write = write_kind(shape_);
  for (PlannedOp& op : ops) {
    if (op.kind == write) op.value = ++last_value_;
  }
}

std::uint32_t Planner::sample_key(base::Rng& rng) {
  return static_cast<std::uint32_t>(keys_.sample(rng));
}

// A key that `ops` does not have. Popular keys are drawn again and again, so after some tries
// the next free one is taken.
std::uint32_t Planner::sample_other_key(base::Rng& rng, const std::vector<PlannedOp>& ops) {
  std::uint32_t key = 0;
  for (int tries = 0; tries < 16; ++tries) {
    key = sample_key(rng);
    if (!has_key(ops, key)) return key;
  }
  while (has_key(ops, key)) key = static_cast<std::uint32_t>((key + 1ULL) % options_.keys);
  return key;
}

void Planner::plan_single(base::Rng& rng, bool reads, std::vector<PlannedOp>& ops) {
  for (std::uint32_t i = 0; i < options_.ops; ++i) {
    ops.push_back({0, sample_key(rng), reads ? OpKind::kRead : OpKind::kWrite});
  }
}

void Planner::plan_coins(base::Rng& rng, std::vector<PlannedOp>& ops) {
  for (std::uint32_t i = 0; i < options_.ops; ++i) {
    const bool read = rng.chance(options_.reads);
    ops.push_back({0, sample_key(rng), read ? OpKind::kRead : OpKind::kWrite});
  }
}

void Planner::plan_reads_then_writes(base::Rng& rng, std::vector<PlannedOp>& ops) {
  if (rng.chance(options_.reads)) return plan_single(rng, true, ops);
  for (std::uint32_t i = 0; i < options_.ops; ++i) {
    const bool read = i < options_.ops - options_.ops / 2;
    ops.push_back({0, sample_key(rng), read ? OpKind::kRead : OpKind::kWrite});
  }
}

void Planner::plan_pairs(base::Rng& rng, std::vector<PlannedOp>& ops) {
  for (std::uint32_t i = 0; i < options_.ops / 2; ++i) {
    const std::uint32_t key = sample_other_key(rng, ops);
    ops.push_back({0, key, OpKind::kRead});
    ops.push_back({0, key, OpKind::kWrite});
  }
}

// At most two reads, and at most two writes, each of a key read before.
void Planner::plan_mini(base::Rng& rng, std::vector<PlannedOp>& ops) {
  const std::uint64_t keys = 1 + rng.below((options_.ops + 1) / 2);
  const bool reads_first = rng.chance(0.5);
  for (std::uint64_t i = 0; i < keys; ++i) {
    const std::uint32_t key = sample_other_key(rng, ops);
    ops.push_back({0, key, OpKind::kRead});
    const bool fits = i == 0 || options_.ops == 4;
    if (fits && !rng.chance(options_.reads)) ops.push_back({0, key, OpKind::kWrite});
  }
  if (reads_first) {
    std::stable_partition(ops.begin(), ops.end(),
                          [](const PlannedOp& op) { return op.is_read(); });
  }
}

// Elle draws the number of appends anew for each list, mostly short: with one bound for all,
// lists end in step.
void Planner::replace_list(std::uint32_t slot) {
  lists_[slot] = {next_list_++,
                  static_cast<std::uint32_t>(list_lengths_.sample(list_rng_)) + 1};
}

void Planner::plan_lists(base::Rng& rng, std::vector<PlannedOp>& ops) {
  const std::uint64_t count = 1 + rng.below(options_.ops);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t slot = sample_key(rng);
    const bool read = rng.chance(options_.reads);
    // Only an append replaces a list that has had its appends: until then it can be read whole.
    if (!read && lists_[slot].appends_left == 0) replace_list(slot);
    ops.push_back({0, lists_[slot].key, read ? OpKind::kReadList : OpKind::kAppend});
    if (!read) --lists_[slot].appends_left;
  }
}

}  // namespace isolde::gen
