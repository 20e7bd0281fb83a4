// The workload table, and the parameters of each row.
#include "gen/workload.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.hpp"

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
constexpr std::string_view kElleRegister = "Elle and Jepsen's rw-register";
constexpr std::string_view kMtcLwt = "MTC, section IV-E";
constexpr std::string_view kHermitage = "Hermitage, repeated";
constexpr std::string_view kCahill = "Cahill, Roehm and Fekete (SIGMOD 2008), section 2";
constexpr std::string_view kJepsenFork = "Jepsen's long-fork";
constexpr std::string_view kBurckhardt = "the causality test of weak memory models";
constexpr std::string_view kJepsenBank = "Jepsen's bank";
constexpr std::string_view kTwitter = "Cobra (Tan et al., OSDI 2020), section 6: C-Twitter";
constexpr std::string_view kRubis = "Cobra (Tan et al., OSDI 2020), section 6: C-RUBiS";
constexpr std::string_view kTpcc = "TPC-C, revision 5.11, in the mix of Cobra's section 6";

constexpr std::string_view kOps = "operations in a transaction";
constexpr std::string_view kOpsAtMost = "operations in a transaction at most";
constexpr std::string_view kKeys = "keys";
constexpr std::string_view kReadOnly = "share of transactions that only read";
constexpr std::string_view kReadOps = "share of operations that read";
constexpr std::string_view kPairs = "pairs of keys";

constexpr std::array<WorkloadInfo, 24> kWorkloads = {{
    {Workload::kBlindwRm, "blindw-rm", "transactions of only reads (90 %) or only writes",
     kCobra, Shape::kBlind, kOps, kKeys, kReadOnly, 8, 10'000, 0.9, kUniform},
    {Workload::kBlindwRw, "blindw-rw", "transactions of only reads (half) or only writes",
     kCobra, Shape::kBlind, kOps, kKeys, kReadOnly, 8, 10'000, 0.5, kUniform},
    {Workload::kBlindwRh, "blindw-rh", "transactions of only reads (80 %) or only writes",
     kVbox, Shape::kBlind, kOps, kKeys, kReadOnly, 8, 10'000, 0.8, kUniform},
    {Workload::kBlindwWr, "blindw-wr", "transactions of only reads (half) or only writes",
     kVbox, Shape::kBlind, kOps, kKeys, kReadOnly, 8, 10'000, 0.5, kUniform},
    {Workload::kBlindwWh, "blindw-wh", "transactions of only reads (20 %) or only writes",
     kVbox, Shape::kBlind, kOps, kKeys, kReadOnly, 8, 10'000, 0.2, kUniform},
    {Workload::kGeneral, "general", "each operation a read or a write by chance", kPolySi,
     Shape::kCoins, kOps, kKeys, kReadOps, 8, 10'000, 0.5, kUniform},
    {Workload::kMixed, "mixed",
     "transactions of only reads (20 %), only writes (40 %) or read-modify-writes (40 %)", kMtc,
     Shape::kThreeKinds, kOps, kKeys, kReadOnly, 8, 10'000, 0.2, kUniform},
    {Workload::kYcsb, "ycsb",
     "read-only transactions (75 %), or half reads and then half writes", kCrooks,
     Shape::kReadsThenWrites, kOps, kKeys, kReadOnly, 6, 10'000, 0.75, kZipfian},
    {Workload::kRmw, "rmw", "pairs of a read and a write of the same key", kMtc,
     Shape::kReadModifyWrite, kOps, kKeys, kReadOnly, 8, 10'000, 0.2, kUniform},
    {Workload::kMini, "mini", "mini-transactions: one or two keys read, then perhaps written",
     kMtcMini, Shape::kMiniTransactions,
     "operations in a transaction at most: 2 (one key) to 4 (two keys)", kKeys,
     "share of keys that are read and not written", 4, 1'000, 0.5, kUniform},
    {Workload::kListAppend, "list-append", "1 to --ops appends and reads of lists", kElle,
     Shape::kListAppend, kOpsAtMost, "lists in use at a time", kReadOps, 4, 100, 0.5,
     kExponential},
    {Workload::kRwRegister, "rw-register", "1 to --ops writes and reads of registers",
     kElleRegister, Shape::kRwRegister, kOpsAtMost, "keys in use at a time", kReadOps, 4, 100,
     0.5, kExponential},
    {Workload::kLwt, "lwt", "one compare-and-set, insert-if-not-exists or read", kMtcLwt,
     Shape::kLwt, "", "keys in use at a time", kReadOnly, 1, 20, 0.2, kUniform},
    {Workload::kLostUpdate, "lost-update", "probe: one hot key read, then written", kHermitage,
     Shape::kProbe, "", kKeys, kReadOnly, 2, 10, 0.2, kUniform},
    {Workload::kWriteSkew, "write-skew", "probe: both keys of a pair read, one written",
     kHermitage, Shape::kProbe, "", kPairs, kReadOnly, 3, 10, 0.2, kUniform},
    {Workload::kReadSkew, "read-skew", "probe: both keys of a pair written, or both read",
     kHermitage, Shape::kProbe, "", kPairs, kReadOnly, 2, 10, 0.5, kUniform},
    {Workload::kLongFork, "long-fork", "probe: a key of a group written, or all read",
     kJepsenFork, Shape::kProbe, "keys in a group", "groups of keys", kReadOnly, 3, 10, 0.5,
     kUniform},
    {Workload::kCausality, "causality",
     "probe: x written; x read and then y written; or y and then x read", kBurckhardt,
     Shape::kProbe, "", kPairs, kReadOnly, 2, 10, 0.4, kUniform},
    {Workload::kPhantom, "phantom",
     "probe: rows of a group selected by a condition, then one inserted or some deleted",
     kHermitage, Shape::kRows, "rows of a group at most", "groups of rows", kReadOnly, 4, 10,
     0.2, kUniform},
    {Workload::kOnCall, "on-call",
     "probe: doctors on call selected by a condition, then one put on or taken off", kCahill,
     Shape::kRows, "doctors of a group", "groups of doctors", kReadOnly, 4, 10, 0.2, kUniform},
    {Workload::kBank, "bank", "transfers between accounts, and audits that read all",
     kJepsenBank, Shape::kApplication, "", "accounts", "share of audits", 4, 10, 0.2, kUniform},
    {Workload::kTwitter, "c-twitter", "tweets, follows and unfollows, and timelines", kTwitter,
     Shape::kApplication, "", "", "", 0, 0, 0, kZipfian},
    {Workload::kRubis, "c-rubis", "an auction site: accounts, items, bids, comments, views",
     kRubis, Shape::kApplication, "", "", "", 0, 0, 0, kZipfian},
    {Workload::kTpcc, "tpcc", "order processing of a wholesaler, five kinds of transactions",
     kTpcc, Shape::kApplication, "", "", "", 0, 0, 0, kUniform},
}};

constexpr bool table_is_in_enum_order() {
  for (std::size_t i = 0; i < kWorkloads.size(); ++i) {
    if (static_cast<std::size_t>(kWorkloads[i].workload) != i) return false;
  }
  return true;
}
static_assert(table_is_in_enum_order());

// Parameters that only some workloads have: a number or a share.
struct OwnParameter {
  Workload workload;
  std::string_view name;
  std::string_view summary;
  std::uint32_t WorkloadOptions::*number;
  double WorkloadOptions::*share;
  double standard;
  std::uint32_t least;
  std::uint32_t most;
};

constexpr std::string_view kRenewal = "updates after which a fresh key replaces one, at most";
constexpr std::uint32_t kRenewalMax = 1'000'000;
constexpr std::string_view kByValue = "share of the conditions on values alone, not on keys";
constexpr std::string_view kRepeats =
    "numbers that tell rows with equal data apart, by chance; 1: equal data are equal values; "
    "0: every value is written once";
constexpr std::uint32_t kRowsMost = 1U << 30;
constexpr std::uint32_t kUsersMax = 1U << 20;

constexpr std::array<OwnParameter, 15> kOwnParameters = {{
    {Workload::kGeneral, "values",
     "different values written to a key, by chance; 0: every value is written once",
     &WorkloadOptions::values, nullptr, 0, 0, 1U << 30},
    {Workload::kListAppend, "appends-per-key",
     "appends after which a fresh list replaces one, at most",
     &WorkloadOptions::appends_per_key, nullptr, 32, 1, kRenewalMax},
    {Workload::kRwRegister, "writes-per-key", kRenewal, &WorkloadOptions::writes_per_key,
     nullptr, 32, 1, kRenewalMax},
    {Workload::kLwt, "writes-per-key", kRenewal, &WorkloadOptions::writes_per_key, nullptr, 100,
     1, kRenewalMax},
    {Workload::kLwt, "inserts",
     "share of updates that insert if not exists, whatever the session knows", nullptr,
     &WorkloadOptions::inserts, 0.1, 0, 1},
    {Workload::kPhantom, "by-value", kByValue, nullptr, &WorkloadOptions::by_value, 0.5, 0, 1},
    {Workload::kOnCall, "by-value", kByValue, nullptr, &WorkloadOptions::by_value, 0.5, 0, 1},
    {Workload::kTwitter, "values", kRepeats, &WorkloadOptions::values, nullptr, 0, 0,
     kRowsMost},
    {Workload::kTwitter, "users", "users at the start", &WorkloadOptions::users, nullptr, 1'000,
     2, kUsersMax},
    {Workload::kRubis, "values", kRepeats, &WorkloadOptions::values, nullptr, 0, 0, kRowsMost},
    {Workload::kRubis, "users", "accounts at the start; Cobra: 20000", &WorkloadOptions::users,
     nullptr, 2'000, 1, kUsersMax},
    {Workload::kRubis, "items", "items at the start; Cobra: 200000", &WorkloadOptions::items,
     nullptr, 20'000, 1, 1U << 24},
    {Workload::kTpcc, "warehouses", "the scale, 10 districts each",
     &WorkloadOptions::warehouses, nullptr, 1, 1, 4'000},
    {Workload::kTpcc, "customers", "customers of a district; TPC-C: 3000",
     &WorkloadOptions::customers, nullptr, 300, 1, 3'000},
    {Workload::kTpcc, "items", "items, in stock in each warehouse; TPC-C: 100000",
     &WorkloadOptions::items, nullptr, 10'000, 1, 100'000},
}};

constexpr std::uint32_t kSessionsMax = 65'536;
constexpr std::uint32_t kOpsMax = 10'000;
constexpr std::uint64_t kKeysMax = std::uint64_t{1} << 26;
constexpr std::uint64_t kTxnsMax = 2'000'000'000;
constexpr std::uint64_t kAccountsMax = 10'000;  // 100 each fit into one balance
constexpr std::uint64_t kGroupMax = 1'000;
constexpr std::uint64_t kRowGroupsMax = std::uint64_t{1} << 19;  // two payloads each

// Fractions of at most two decimals, which is what the tables have.
std::string share_text(double share) {
  const auto hundredths = static_cast<int>(share * 100 + 0.5);
  std::string text = "0.";
  text += std::to_string(hundredths);
  if (text.back() == '0') text.pop_back();
  return text;
}

Status out_of_range(std::string_view name, std::uint64_t value, std::uint64_t least,
                    std::uint64_t most) {
  return usage_error("--" + std::string(name) + " " + std::to_string(value) +
                     " is not between " + std::to_string(least) + " and " +
                     std::to_string(most));
}

std::string number_text(const OwnParameter& parameter) {
  if (parameter.share != nullptr) return share_text(parameter.standard);
  return std::to_string(static_cast<std::uint32_t>(parameter.standard));
}

// How many keys the distribution spreads over; 0 when the workload takes none.
std::uint64_t domain(const WorkloadOptions& options) {
  switch (options.workload) {
    case Workload::kTwitter:
    case Workload::kRubis:
      return options.users;
    case Workload::kTpcc:
      return 0;
    default:
      return options.keys;
  }
}

Status validate_common(const WorkloadOptions& options) {
  const WorkloadInfo& row = info(options.workload);
  if (options.sessions < 1 || options.sessions > kSessionsMax) {
    return out_of_range("sessions", options.sessions, 1, kSessionsMax);
  }
  if (options.txns > kTxnsMax) return out_of_range("txns", options.txns, 0, kTxnsMax);
  if (!row.ops_text.empty() && (options.ops < 1 || options.ops > kOpsMax)) {
    return out_of_range("ops", options.ops, 1, kOpsMax);
  }
  if (!row.keys_text.empty() && (options.keys < 1 || options.keys > kKeysMax)) {
    return out_of_range("keys", options.keys, 1, kKeysMax);
  }
  if (!row.reads_text.empty() && !(options.reads >= 0 && options.reads <= 1)) {
    return usage_error("--reads must be a share between 0 and 1");
  }
  return ok_status();
}

Status validate_own(const WorkloadOptions& options) {
  for (const OwnParameter& parameter : kOwnParameters) {
    if (parameter.workload != options.workload) continue;
    if (parameter.number != nullptr) {
      const std::uint32_t value = options.*parameter.number;
      if (value >= parameter.least && value <= parameter.most) continue;
      return out_of_range(parameter.name, value, parameter.least, parameter.most);
    }
    const double value = options.*parameter.share;
    if (!(value >= 0 && value <= 1)) {
      return usage_error("--" + std::string(parameter.name) +
                         " must be a share between 0 and 1");
    }
  }
  return ok_status();
}

// What several parameters have to do with one another.
Status validate_together(const WorkloadOptions& options) {
  const Shape shape = info(options.workload).shape;
  const bool pairs = shape == Shape::kReadModifyWrite || shape == Shape::kThreeKinds;
  const bool halves = pairs || shape == Shape::kReadsThenWrites;
  const std::string name(info(options.workload).name);
  if (shape == Shape::kMiniTransactions && (options.ops < 2 || options.ops > 4)) {
    return usage_error("--ops of workload " + name + " is 2 (one key), 3 or 4 (two keys)");
  }
  if (halves && options.ops < 2)
    return usage_error("workload " + name + " needs --ops 2 or more");
  if (options.workload == Workload::kLongFork && (options.ops < 2 || options.ops > kGroupMax)) {
    return out_of_range("ops", options.ops, 2, kGroupMax);
  }
  if (shape == Shape::kRows && (options.ops < 1 || options.ops > kGroupMax)) {
    return out_of_range("ops", options.ops, 1, kGroupMax);
  }
  if (shape == Shape::kRows && options.keys > kRowGroupsMax) {
    return out_of_range("keys", options.keys, 1, kRowGroupsMax);
  }
  if (options.workload == Workload::kBank &&
      (options.keys < 2 || options.keys > kAccountsMax)) {
    return out_of_range("keys", options.keys, 2, kAccountsMax);
  }
  std::uint64_t distinct = 1;
  if (pairs) distinct = options.ops / 2;
  if (shape == Shape::kMiniTransactions) distinct = (options.ops + 1) / 2;
  if (!info(options.workload).keys_text.empty() && options.keys < distinct) {
    return usage_error("workload " + name + " uses " + std::to_string(distinct) +
                       " different keys in a transaction; --keys " +
                       std::to_string(options.keys) + " is too few");
  }
  return ok_status();
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
  for (const OwnParameter& parameter : kOwnParameters) {
    if (parameter.workload != workload) continue;
    if (parameter.number != nullptr) {
      options.*parameter.number = static_cast<std::uint32_t>(parameter.standard);
    } else {
      options.*parameter.share = parameter.standard;
    }
  }
  return options;
}

std::vector<ParameterInfo> parameters(Workload workload) {
  const WorkloadInfo& row = info(workload);
  const WorkloadOptions options = default_options(workload);
  std::vector<ParameterInfo> result = {
      {"sessions", "clients that work at the same time", std::to_string(options.sessions)},
      {"txns", "transactions to commit, all sessions together", std::to_string(options.txns)},
  };
  const auto add = [&result](std::string_view name, std::string_view text,
                             std::string standard) {
    if (!text.empty()) result.push_back({name, text, std::move(standard)});
  };
  add("ops", row.ops_text, std::to_string(options.ops));
  add("keys", row.keys_text, std::to_string(options.keys));
  add("reads", row.reads_text, share_text(options.reads));
  const bool users = row.keys_text.empty();
  if (domain(options) > 0) {
    add("distribution",
        users ? "how accesses spread over the users" : "how accesses spread over the keys",
        to_text(options.distribution));
  }
  for (const OwnParameter& parameter : kOwnParameters) {
    if (parameter.workload != workload) continue;
    add(parameter.name, parameter.summary, number_text(parameter));
  }
  result.push_back({"seed",
                    "start of the random numbers; the same seed asks for the same transactions",
                    std::to_string(0)});
  return result;
}

bool takes(Workload workload, std::string_view parameter) {
  const std::vector<ParameterInfo> all = parameters(workload);
  return std::ranges::find(all, parameter, &ParameterInfo::name) != all.end();
}

bool uses_lists(Workload workload) { return info(workload).shape == Shape::kListAppend; }

bool uses_compare_and_set(Workload workload) { return info(workload).shape == Shape::kLwt; }

bool uses_rows(Workload workload) { return info(workload).shape == Shape::kRows; }

Status validate(const WorkloadOptions& options) {
  if (const Status status = validate_common(options); !status.ok()) return status;
  if (const Status status = validate_own(options); !status.ok()) return status;
  if (const Status status = validate_together(options); !status.ok()) return status;
  const std::uint64_t spread = domain(options);
  return spread == 0 ? ok_status() : validate(options.distribution, spread);
}

}  // namespace isolde::gen
