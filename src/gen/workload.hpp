// Workloads: what clients ask of a database. A workload is a row (name, meaning and defaults of
// its parameters) in the file that builds its transactions; a Planner turns the row and the
// parameters into one transaction after the other, in stages where later operations depend on
// what earlier ones saw. docs/workloads.md describes them for users.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gen/distribution.hpp"
#include "gen/plan.hpp"
#include "history/tables.hpp"
#include "isolde/status.hpp"

namespace isolde::gen {

// The name of a workload that there is.
class Workload {
 public:
  // REQUIRES: the name is that of a row, and lives as long as the program.
  constexpr explicit Workload(std::string_view name) : name_(name) {}
  constexpr std::string_view name() const { return name_; }
  friend constexpr bool operator==(Workload, Workload) = default;

 private:
  std::string_view name_;
};

class Generator;
struct WorkloadOptions;

// A parameter that only some workloads have: the rows of parameters.def.
using OwnField = std::variant<std::uint32_t WorkloadOptions::*, double WorkloadOptions::*>;

// What it is to one of them.
struct OwnParameter {
  OwnField field;
  std::string_view summary;
  double standard = 0;      // the default
  std::uint32_t least = 0;  // of a number; a double is a share, from 0 to 1
  std::uint32_t most = 0;
};

// What a workload needs of a database beyond registers.
struct WorkloadNeeds {
  bool lists = false;
  bool compare_and_set = false;
  bool rows = false;
  bool tables = false;      // of rows with columns
  bool aggregates = false;  // of such rows
  bool savepoints = false;
  bool increments = false;
};

struct WorkloadInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;  // the paper or tool that it follows
  std::unique_ptr<Generator> (*make)(const WorkloadOptions& options) = nullptr;
  WorkloadNeeds needs = {};
  // What the common parameters mean for it; empty: it does not take the parameter.
  std::string_view ops_text = {};
  std::string_view keys_text = {};
  std::string_view reads_text = {};
  std::uint32_t ops = 0;
  std::uint64_t keys = 0;
  double reads = 0;
  std::uint64_t txns = 10'000;  // fewer where more take minutes to check
  DistributionKind distribution = DistributionKind::kUniform;
  // Among how many the distribution chooses, where not among the keys: the users.
  std::uint32_t WorkloadOptions::*users = nullptr;
  std::span<const OwnParameter> own = {};
  // What its parameters have to do with one another; null: nothing.
  Status (*validate)(const WorkloadOptions& options) = nullptr;

  constexpr Workload workload() const { return Workload(name); }
};

// Everything that determines the transactions. What a workload does not take is ignored.
struct WorkloadOptions {
  Workload workload = Workload("blindw-rw");
  std::uint32_t sessions = 24;
  std::uint64_t txns = 10'000;  // committed ones
  std::uint32_t ops = 8;        // in a transaction
  std::uint64_t keys = 10'000;
  double reads = 0.5;
  Distribution distribution;
  bool deletes_selected = true;  // rows: deletes by conditions, too; no user's choice
  // What some workloads have besides; their rows have the defaults.
#define PARAMETER(field, option, type, help) type field = 0;
#include "gen/parameters.def"
#undef PARAMETER
  // Transactions of a session between two fences, which read and write kFenceKey; each session
  // begins with one. 0: there are none.
  std::uint32_t fence_every = 0;
  std::uint64_t seed = 0;
  // Sessions that only read, since what they are connected to takes no writes. No user's
  // choice; those beyond the end write.
  std::vector<bool> readers = {};
};

// A parameter as a user sees it, with its default for one workload.
struct ParameterInfo {
  std::string_view name;
  std::string_view summary;
  std::string default_text;
};

// A parameter as an option: those that only some workloads have, in the order of the help.
struct ParameterOption {
  std::string_view name;
  std::string help;  // which workloads have it, and what it is
  OwnField field;
};
const std::vector<ParameterOption>& own_parameters();

// In the order of the files in CMakeLists.txt, and of the rows in each.
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

// ERRORS: kUsage for parameters that do not fit together, naming the parameter.
Status validate(const WorkloadOptions& options);
// Whether sessions that only read would have anything to do. REQUIRES: validate(options).
// ERRORS: kUsage.
Status validate_readers(const WorkloadOptions& options);

// Some workloads keep data in the low bits of the values that they write (a balance, the id of
// the next order): value = unique number << kPayloadBits | payload. Those of rows keep it in
// the high bits: value = payload << kLeadShift | unique number. Others have no payload.
inline constexpr unsigned kPayloadBits = 20;
inline constexpr unsigned kLeadShift = 61 - kPayloadBits;
inline constexpr std::int64_t kPayloadMask = (std::int64_t{1} << kPayloadBits) - 1;
constexpr std::int64_t payload(std::int64_t value) { return value & kPayloadMask; }

// A register of fences alone (docs/recording.md, "Fences"), beyond the keys of all workloads,
// and what histories call it.
inline constexpr std::int64_t kFenceKey = std::int64_t{1} << 61;
inline constexpr std::string_view kFenceName = "fence";
// Whether the workload's transactions are of registers and lists, so that fences can be among
// them.
bool takes_fences(Workload workload);

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

  // Replaces `plan` by the session's next transaction: its first operations, at least one. Of
  // one of WorkloadOptions::readers, the next one that reads anything, up to its first writes.
  // REQUIRES: validate_readers(), where there are any.
  void plan(std::uint32_t session, Plan& plan);

  // When all operations so far are done: adds more, which may depend on what was seen, or goes
  // back to a savepoint and begins once more from there
  // (results[i] belongs to plan.ops[i]); or adds none and returns false: the transaction is
  // complete. Must be called until it says so: workloads may learn from the results.
  bool extend(std::uint32_t session, Plan& plan, std::span<const Seen> results);

  // To send the same transaction once more: back to its first operations, with fresh values. A
  // database may have applied the first attempt, so its values must not return.
  void renew(std::uint32_t session, Plan& plan);

  // The session's next transaction is a fence, if there are any: its last one did not commit,
  // or it goes on under a new name.
  void fence(std::uint32_t session);

  // Adds another write (or append) to the key that plan.ops[op] writes, for faults.
  void write_again(std::uint32_t session, Plan& plan, std::size_t op);

  // Registers and lists that a run creates before it begins, as never written. Others come into
  // use later, by being written or read.
  std::vector<std::int64_t> initial_keys() const;
  std::vector<std::int64_t> initial_lists() const;

  // Tables that a run makes, and what is in them at the beginning: somebody has to insert it
  // before the first transaction, on record. The tables live as long as the program.
  std::span<const table::Table> tables() const;
  std::vector<InitialRow> initial_rows() const;

  // Fields of a recording's header: what keys and values stand for (history/notation.hpp).
  std::vector<std::pair<std::string, std::string>> notation() const;

  // True when histories name keys by their number, but for kFenceKey.
  bool is_integer_key() const;
  // The key as histories name it: "stock/1/17", or the number as text.
  std::string key_name(std::int64_t key) const;
  bool is_named_by_number(std::int64_t key) const {
    return key != kFenceKey && is_integer_key();
  }
  bool has_fences() const { return fence_every_ > 0; }

 private:
  struct Session;

  std::uint64_t draw(std::int64_t number) const;
  static void clear(Plan& plan);
  void draw_transaction(std::uint32_t session, Plan& plan);
  bool is_time_for_fence(std::uint32_t session);
  void plan_fence(std::uint32_t session, Plan& plan);
  void have_second_thoughts(std::uint32_t session, Plan& plan);
  std::span<const Seen> without_detour(std::uint32_t session, const Plan& plan,
                                       std::span<const Seen> results);
  static void go_back(Plan& plan);
  bool leave_reads(std::uint32_t session, Plan& plan, std::size_t from) const;
  void stamp(std::uint32_t session, Plan& plan, std::size_t from);

  std::unique_ptr<Generator> generator_;
  std::vector<Session> sessions_;
  bool has_payload_ = false;
  bool payload_leads_ = false;
  std::uint64_t seed_ = 0;
  std::uint32_t values_ = 0;
  std::uint32_t fence_every_ = 0;
  double savepoints_ = 0;
  double rollbacks_ = 0;
};

}  // namespace isolde::gen
