// bank: money that must not appear or vanish. An account's balance is the payload of its value;
// one that was never written has 100. Transfers never overdraw what they saw.
#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

constexpr std::int64_t kInitialBalance = 100;
constexpr std::uint64_t kAmountMax = 10;

enum Type : std::uint32_t { kTransfer, kAudit };
enum Choice : std::size_t { kFrom, kTo, kAmount };

constexpr std::array<Table, 1> kTables = {{{"account", {26}}}};

class Bank : public Generator {
 public:
  explicit Bank(const WorkloadOptions& options)
      : audits_(options.reads), accounts_(options.distribution, options.keys) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;
  bool has_payload() const override { return true; }
  bool is_integer_key() const override { return false; }
  std::string key_name(std::int64_t key) const override { return space_.name(key); }

  std::string values_text() const override {
    return "account/* balance@0+" + std::to_string(kPayloadBits) +
           " initial=" + std::to_string(kInitialBalance) + " keys=" + std::to_string(count()) +
           " total=" + std::to_string(count() * kInitialBalance);
  }
  void initial_keys(std::vector<std::int64_t>& keys) const override {
    for (std::int64_t i = 0; i < count(); ++i) keys.push_back(space_.key(0, i));
  }

 private:
  std::int64_t count() const { return static_cast<std::int64_t>(accounts_.key_count()); }

  double audits_;
  Sampler accounts_;
  KeySpace space_{kTables};
};

void Bank::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  Draft draft(plan);
  plan.type = rng.chance(audits_) ? kAudit : kTransfer;
  if (plan.type == kAudit) {
    for (std::int64_t i = 0; i < count(); ++i) draft.read(space_.key(0, i));
    return;
  }
  const auto from = static_cast<std::int64_t>(accounts_.sample(rng));
  auto to = static_cast<std::int64_t>(accounts_.sample(rng));
  if (to == from) to = (from + 1) % count();
  plan.choices = {space_.key(0, from), space_.key(0, to),
                  1 + static_cast<std::int64_t>(rng.below(kAmountMax))};
  draft.read(plan.choices[kFrom]);
  draft.read(plan.choices[kTo]);
}

void Bank::extend(std::uint32_t /*session*/, Plan& plan, std::span<const Seen> results) {
  if (plan.type == kAudit || plan.stage > 1) return;
  Draft draft(plan, results);
  const std::int64_t from = draft.payload_of(plan.choices[kFrom], kInitialBalance);
  const std::int64_t to = draft.payload_of(plan.choices[kTo], kInitialBalance);
  const std::int64_t amount = plan.choices[kAmount];
  // Where updates get lost, money appears; a balance beyond what a value holds must not wrap.
  if (from < amount || to + amount > kPayloadMask) return;
  draft.write(plan.choices[kFrom], from - amount);
  draft.write(plan.choices[kTo], to + amount);
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<Bank>(options);
}

Status fits(const WorkloadOptions& options) {
  constexpr std::uint64_t kMost = 10'000;  // 100 each fit into one balance
  if (options.keys >= 2 && options.keys <= kMost) return ok_status();
  return out_of_range("keys", options.keys, 2, kMost);
}

constexpr std::array kRows = {
    WorkloadInfo{.name = "bank",
                 .summary = "transfers between accounts, and audits that read all",
                 .source = "Jepsen's bank",
                 .make = make,
                 .keys_text = "accounts",
                 .reads_text = "share of audits",
                 .ops = 4,
                 .keys = 10,
                 .reads = 0.2,
                 .validate = fits}};

}  // namespace

const Workloads& bank_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
