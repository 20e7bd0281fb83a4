// tenants: the rows of many tenants in three tables alike, each with the tenant, an index on
// it, and a value. A transaction reads rows by their ids, selects those of a tenant, or those
// of a tenant with some values, and inserts rows. Tenants do not last: after some 40
// transactions another one takes a tenant's place, so that all sessions work on few rows that
// are new.
//
// This is how a report against MySQL describes the program that saw fractured reads at
// SERIALIZABLE (bug 112446). Its primary key is (system, id): here the id has the tenant in its
// high bits, so that the rows of a tenant are neighbours in the primary key as well.
#include <atomic>

#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

using table::Condition;

enum Column : std::size_t { kTenant, kValue };
constexpr std::array kColumns = {table::Column{.name = "tenant", .indexed = true},
                                 table::Column{.name = "amount"}};
constexpr std::array kTables = {table::Table{"alpha", kColumns}, table::Table{"beta", kColumns},
                                table::Table{"gamma", kColumns}};

enum Type : std::uint32_t { kById, kOfTenant, kByValue };
/// Of the operations that read.
constexpr std::array kShares = {Share{kById, 40}, Share{kOfTenant, 30}, Share{kByValue, 30}};

constexpr std::uint64_t kLife = 40;  // transactions of a tenant, about
constexpr std::uint64_t kValues = 5;
constexpr unsigned kNumberBits = 16;
constexpr std::uint64_t kTenantsMost = 1'000;

class Tenants final : public Generator {
 public:
  explicit Tenants(const WorkloadOptions& options)
      : reads_(options.reads),
        ops_(options.ops),
        places_(options.distribution, options.keys),
        sessions_(options.sessions) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;

  void initial_keys(std::vector<std::int64_t>&) const override {}
  std::span<const table::Table> tables() const override { return kTables; }

 private:
  /// What a session has inserted for the tenants of a round, who are there at the same time.
  struct Made {
    std::uint64_t round = 0;
    std::uint64_t rows = 0;
  };

  std::int64_t draw_tenant(base::Rng& rng) {
    const std::uint64_t round = planned_.fetch_add(1) / (kLife * places_.key_count());
    return static_cast<std::int64_t>(round * places_.key_count() + places_.sample(rng));
  }
  static std::int64_t id_of(std::int64_t tenant, std::uint64_t number) {
    return tenant << kNumberBits | static_cast<std::int64_t>(number % (1U << kNumberBits));
  }
  void insert(Draft& draft, std::uint32_t session, std::int64_t tenant, base::Rng& rng);
  void read(Draft& draft, std::int64_t tenant, base::Rng& rng) const;

  double reads_;
  std::uint32_t ops_;
  Sampler places_;
  std::vector<Made> sessions_;
  std::atomic<std::uint64_t> planned_{0};  // transactions of all sessions
};

void Tenants::plan(std::uint32_t session, base::Rng& rng, Plan& plan) {
  const std::int64_t tenant = draw_tenant(rng);
  Draft draft(plan);
  for (std::uint32_t i = 0; i < ops_; ++i) {
    if (rng.chance(reads_)) {
      read(draft, tenant, rng);
    } else {
      insert(draft, session, tenant, rng);
    }
  }
}

/// With numbers that no other session gives out, the lowest first.
void Tenants::insert(Draft& draft, std::uint32_t session, std::int64_t tenant, base::Rng& rng) {
  Made& made = sessions_[session];
  const std::uint64_t round = static_cast<std::uint64_t>(tenant) / places_.key_count();
  if (made.round != round) made = {.round = round};
  const std::uint64_t number = made.rows++ * sessions_.size() + session;
  draft.request(Action::kInsertRow,
                {.table = static_cast<std::size_t>(rng.below(kTables.size())),
                 .id = id_of(tenant, number),
                 .cells = {tenant, static_cast<std::int64_t>(rng.below(kValues))}});
}

void Tenants::read(Draft& draft, std::int64_t tenant, base::Rng& rng) const {
  const std::size_t table = static_cast<std::size_t>(rng.below(kTables.size()));
  const std::uint32_t type = draw(kShares, rng);
  if (type == kById) {
    const std::int64_t id = id_of(tenant, rng.below(sessions_.size()));
    return draft.select_rows(table, {{.least = id, .most = id}});
  }
  Condition condition = {{.column = kTenant, .least = tenant, .most = tenant}};
  const auto value = static_cast<std::int64_t>(rng.below(kValues));
  if (type == kByValue) {
    condition.push_back({.column = kValue, .least = value, .most = value + 1});
  }
  draft.select_rows(table, std::move(condition));
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<Tenants>(options);
}

Status fits(const WorkloadOptions& options) {
  if (options.keys > kTenantsMost) return out_of_range("keys", options.keys, 1, kTenantsMost);
  return ok_status();
}

constexpr std::array kRows = {WorkloadInfo{
    .name = "tenants",
    .summary = "rows of tenants in three tables, inserted and selected by tenant and value",
    .source = "bugs.mysql.com 112446",
    .make = make,
    .needs = {.tables = true},
    .ops_text = kOps,
    .keys_text = "tenants at a time",
    .reads_text = "share of operations that read",
    .ops = 4,
    .keys = 1,
    .reads = 0.7,
    .own = kTurningBack,
    .validate = fits}};

}  // namespace

const Workloads& tenants_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
