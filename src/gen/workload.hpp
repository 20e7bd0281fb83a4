// Workloads: what clients ask of a database. A workload is a row of a table (name, meaning and
// defaults of its parameters); a Planner turns the row and the parameters into one transaction
// after the other, in stages where later operations depend on what earlier ones saw.
// docs/workloads.md describes them for users.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gen/distribution.hpp"
#include "isolde/operation.hpp"
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
  kRwRegister,
  kLwt,
  kLostUpdate,
  kWriteSkew,
  kReadSkew,
  kLongFork,
  kCausality,
  kPhantom,
  kOnCall,
  kBank,
  kTwitter,
  kRubis,
  kTpcc,
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
  kRwRegister,        // likewise on registers
  kLwt,               // one read or compare-and-set
  kProbe,             // small transactions made for one anomaly
  kRows,              // likewise, by conditions on rows
  kApplication,       // transactions of a program, in several stages
};

struct WorkloadInfo {
  Workload workload;
  std::string_view name;
  std::string_view summary;
  std::string_view source;  // the paper or tool that it follows
  Shape shape;
  // What the common parameters mean for it; empty: it does not take the parameter.
  std::string_view ops_text;
  std::string_view keys_text;
  std::string_view reads_text;
  std::uint32_t ops;
  std::uint64_t keys;
  double reads;
  DistributionKind distribution;
};

// Everything that determines the transactions. What a workload does not take is ignored.
struct WorkloadOptions {
  Workload workload = Workload::kBlindwRw;
  std::uint32_t sessions = 24;
  std::uint64_t txns = 10'000;  // committed ones
  std::uint32_t ops = 8;        // in a transaction
  std::uint64_t keys = 10'000;
  double reads = 0.5;
  Distribution distribution;
  std::uint32_t appends_per_key = 32;  // kListAppend: no list grows beyond this
  std::uint32_t writes_per_key = 32;   // kRwRegister, kLwt: then a fresh key follows
  double inserts = 0.1;                // kLwt: share of the updates
  std::uint32_t values = 0;       // different ones of a key, beside its data; 0 = all unique
  bool deletes_selected = true;   // kRows: deletes by conditions, too; no user's choice
  double by_value = 0.5;          // kRows: share of the conditions on values alone
  std::uint32_t users = 1'000;    // kTwitter, kRubis
  std::uint32_t items = 10'000;   // kRubis, kTpcc
  std::uint32_t warehouses = 1;   // kTpcc
  std::uint32_t customers = 300;  // kTpcc: of a district
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

// The parameters that the workload takes: sessions, txns and seed always, others where they
// have a meaning.
std::vector<ParameterInfo> parameters(Workload workload);
bool takes(Workload workload, std::string_view parameter);

// What it needs of a database beyond registers.
bool uses_lists(Workload workload);
bool uses_compare_and_set(Workload workload);
bool uses_rows(Workload workload);

// ERRORS: kUsage for parameters that do not fit together, naming the parameter.
Status validate(const WorkloadOptions& options);

// Some workloads keep data in the low bits of the values that they write (a balance, the id of
// the next order): value = unique number << kPayloadBits | payload. Those of rows keep it in
// the high bits: value = payload << kLeadShift | unique number. Others have no payload.
inline constexpr unsigned kPayloadBits = 20;
inline constexpr unsigned kLeadShift = 61 - kPayloadBits;
inline constexpr std::int64_t kPayloadMask = (std::int64_t{1} << kPayloadBits) - 1;
constexpr std::int64_t payload(std::int64_t value) { return value & kPayloadMask; }

enum class Action : std::uint8_t {
  kRead,
  kWrite,
  kAppend,
  kReadList,
  kCompareAndSet,
  kDelete,          // the row of a key
  kSelect,          // all rows that a condition selects
  kDeleteSelected,  // likewise, and deletes them
};

inline constexpr std::int64_t kNoKey = -1;

// A condition, and the keys among which all rows are that can ever meet it.
struct RowCondition {
  Predicate predicate = {};
  std::int64_t first = 0;
  std::int64_t last = 0;
};

struct SeenRow {
  std::int64_t key = 0;
  std::int64_t value = 0;
};

// One operation to send. Written values and appended elements are unique in the whole workload
// (unless WorkloadOptions::values says otherwise), positive and below 2^61.
struct PlannedOp {
  std::int64_t value = 0;  // written or appended; 0 for reads
  // kCompareAndSet: 0 = only when the key was never written. kSelect, kDeleteSelected: index in
  // Plan::conditions.
  std::int64_t expected = 0;
  std::int64_t key = 0;  // kNoKey where there is a condition
  Action kind = Action::kRead;

  bool has_condition() const {
    return kind == Action::kSelect || kind == Action::kDeleteSelected;
  }
  bool is_read() const { return kind == Action::kRead || kind == Action::kReadList; }
  // It puts a value of its own somewhere.
  bool has_value() const { return !is_read() && !has_condition() && kind != Action::kDelete; }
};

// What an operation returned; for writes, appends and reads of lists it says nothing.
struct Seen {
  // kRead: the value, 0 = never written. kCompareAndSet that was not applied: the value found,
  // where known.
  std::int64_t value = 0;
  bool applied = false;  // kCompareAndSet
  // False for a kCompareAndSet that was not applied when the database does not tell the value.
  bool known = true;
  // kSelect, kDeleteSelected: what it returned, in Plan::rows.
  std::uint32_t first_row = 0;
  std::uint32_t rows = 0;
};

// A transaction in the making. The caller owns it and reuses it for the session's next one.
struct Plan {
  std::vector<PlannedOp> ops;
  std::vector<RowCondition> conditions;
  std::vector<SeenRow> rows;  // whoever sends the operations adds what conditions returned
  // The client rolls it back when it is complete: not a failure, and nothing to repeat.
  bool rolls_back = false;

  // The workload's own: which transaction it is, how often it was extended, its first
  // operations, and the random choices that later stages follow.
  std::uint32_t type = 0;
  std::uint32_t stage = 0;
  std::size_t first_ops = 0;
  std::size_t first_conditions = 0;
  std::vector<std::int64_t> choices;
};

class Generator;

// Makes transactions for sessions that ask in any order. What a session gets depends on the
// seed, on its transactions so far and on what they saw, and on nothing else; except for the
// keys of workloads that replace keys, which are handed out in the order of the calls.
//
// Thread-safe for different sessions: calls for one session come from one thread at a time.
class Planner {
 public:
  // REQUIRES: validate(options).
  explicit Planner(const WorkloadOptions& options);
  ~Planner();
  Planner(Planner&&) noexcept;
  Planner& operator=(Planner&&) noexcept;

  // Replaces `plan` by the session's next transaction: its first operations, at least one.
  void plan(std::uint32_t session, Plan& plan);

  // When all operations so far are done: adds more, which may depend on what was seen
  // (results[i] belongs to plan.ops[i]); or adds none and returns false: the transaction is
  // complete. Must be called until it says so: workloads may learn from the results.
  bool extend(std::uint32_t session, Plan& plan, std::span<const Seen> results);

  // To send the same transaction once more: back to its first operations, with fresh values. A
  // database may have applied the first attempt, so its values must not return.
  void renew(std::uint32_t session, Plan& plan);

  // Adds another write (or append) to the key that plan.ops[op] writes, for faults.
  void write_again(std::uint32_t session, Plan& plan, std::size_t op);

  // Registers and lists that a run creates before it begins, as never written. Others come into
  // use later, by being written or read.
  std::vector<std::int64_t> initial_keys() const;
  std::vector<std::int64_t> initial_lists() const;

  // True when histories name keys by their number.
  bool is_integer_key() const;
  // The key as histories name it: "stock/1/17", or the number as text.
  std::string key_name(std::int64_t key) const;

 private:
  struct Session;

  std::uint64_t draw(std::int64_t number) const;
  void stamp(std::uint32_t session, Plan& plan, std::size_t from);

  std::unique_ptr<Generator> generator_;
  std::vector<Session> sessions_;
  bool has_payload_ = false;
  bool payload_leads_ = false;
  std::uint64_t seed_ = 0;
  std::uint32_t values_ = 0;
};

}  // namespace isolde::gen
