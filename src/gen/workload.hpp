// Workloads: what clients ask of a database. A workload is a row of a table (name, shape,
// default parameters); a Planner turns the row and the parameters into one transaction after
// the other. docs/workloads.md describes them for users.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.hpp"
#include "gen/distribution.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::gen {

enum class Workload : std::uint8_t {
  kBlindwRm,
  kBlindwRw,
  kBlindwRh,
  kBlindwWr,
  kBlindwWh,
  kGeneral,
  kMixed,
  kYcsb,
  kRmw,
  kMini,
  kListAppend,
};

// How a workload builds a transaction. "reads" is the parameter of that name.
enum class Shape : std::uint8_t {
  kBlind,             // only reads (share `reads` of the transactions) or only writes
  kCoins,             // each operation is a read with probability `reads`
  kThreeKinds,        // `reads` read-only; the others half write-only, half read-modify-write
  kReadsThenWrites,   // `reads` read-only; the others half reads, then half writes
  kReadModifyWrite,   // `reads` read-only; the others pairs of read and write of one key
  kMiniTransactions,  // one or two keys, each read and then written unless `reads` says no
  kListAppend,        // 1 to `ops` operations on lists, each a read with probability `reads`
};

struct WorkloadInfo {
  Workload workload;
  std::string_view name;
  std::string_view summary;
  std::string_view source;  // the paper or tool that it follows
  Shape shape;
  std::uint32_t ops;
  std::uint64_t keys;
  double reads;
  DistributionKind distribution;
};

// Everything that determines the transactions.
struct WorkloadOptions {
  Workload workload = Workload::kBlindwRw;
  std::uint32_t sessions = 24;
  std::uint64_t txns = 10'000;  // committed ones
  std::uint32_t ops = 8;        // in a transaction
  std::uint64_t keys = 10'000;
  double reads = 0.5;
  Distribution distribution;
  // kListAppend: no list grows beyond this many appends.
  std::uint32_t appends_per_key = 32;
  std::uint64_t seed = 0;
};

// A parameter as a user sees it, with its default for one workload.
struct ParameterInfo {
  std::string_view name;
  std::string_view summary;
  std::string default_text;
};

std::span<const WorkloadInfo> all_workloads();
const WorkloadInfo& info(Workload workload);

// ERRORS: kUsage, listing the known names.
Result<Workload> parse_workload(std::string_view name);

// The workload with its defaults.
WorkloadOptions default_options(Workload workload);

// The parameters that the workload takes: sessions, txns, ops, keys, reads, distribution, seed,
// and appends-per-key where it has a meaning.
std::vector<ParameterInfo> parameters(Workload workload);

// ERRORS: kUsage for parameters that do not fit together, naming the parameter.
Status validate(const WorkloadOptions& options);

// One operation to send. Reads have no value; written values and appended elements are unique
// in the whole workload.
struct PlannedOp {
  std::int64_t value = 0;
  std::uint32_t key = 0;
  OpKind kind = OpKind::kRead;  // kRead, kWrite, kAppend or kReadList

  bool is_read() const { return kind == OpKind::kRead || kind == OpKind::kReadList; }
};
static_assert(sizeof(PlannedOp) == 16);

// Makes transactions for sessions that ask in any order. What a session gets depends on the
// seed and on the number of its transactions so far only, except for values and list keys,
// which are handed out in the order of the calls.
class Planner {
 public:
  // REQUIRES: validate(options).
  explicit Planner(const WorkloadOptions& options);

  // Replaces `ops` by the session's next transaction.
  void plan(std::uint32_t session, std::vector<PlannedOp>& ops);

  // Gives the writes fresh values, to send the same transaction once more: a database may have
  // applied the first attempt, so its values must not return.
  void renew(std::vector<PlannedOp>& ops);

 private:
  std::uint32_t sample_key(base::Rng& rng);
  std::uint32_t sample_other_key(base::Rng& rng, const std::vector<PlannedOp>& ops);
  void replace_list(std::uint32_t slot);

  void plan_single(base::Rng& rng, bool reads, std::vector<PlannedOp>& ops);
  void plan_coins(base::Rng& rng, std::vector<PlannedOp>& ops);
  void plan_reads_then_writes(base::Rng& rng, std::vector<PlannedOp>& ops);
  void plan_pairs(base::Rng& rng, std::vector<PlannedOp>& ops);
  void plan_mini(base::Rng& rng, std::vector<PlannedOp>& ops);
  void plan_lists(base::Rng& rng, std::vector<PlannedOp>& ops);

  // A place in the set of lists in use. A list that has had its appends is replaced.
  struct ListSlot {
    std::uint32_t key = 0;
    std::uint32_t appends_left = 0;
  };

  WorkloadOptions options_;
  Shape shape_;
  Sampler keys_;
  Sampler list_lengths_;
  std::vector<base::Rng> session_rngs_;
  base::Rng list_rng_;
  std::vector<ListSlot> lists_;
  std::uint32_t next_list_ = 0;
  std::int64_t last_value_ = 0;
};

}  // namespace isolde::gen
