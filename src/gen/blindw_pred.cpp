// blindw-pred: BlindW with conditions, the workload of Vbox. A table has rows (k, v1, v2); each
// transaction either selects rows --ops times or updates rows --ops times, by a range of v1 or
// of v2.
//
// --scan is how many rows a condition finds on average. An update adds the same to the column
// that it asked for in all rows that it found, so that they are where another range was. Rows
// stay spread over the column, and a range of a width has as many of them at the end of a run
// as at its beginning, but for chance.
#include "base/hash.hpp"
#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

enum Column : std::size_t { kV1, kV2 };
/// Locking depends on an index, so one column has none.
constexpr std::array kColumns = {table::Column{.name = "v1", .indexed = true},
                                 table::Column{.name = "v2"}};
constexpr std::array kTables = {table::Table{"blindw", kColumns}};

/// From one row's value to the next, on average.
constexpr std::int64_t kSpacing = 1'000;
constexpr std::uint64_t kRowsMost = 1'000'000;

class BlindWPred final : public Generator {
 public:
  explicit BlindWPred(const WorkloadOptions& options)
      : reads_(options.reads),
        ops_(options.ops),
        rows_(options.distribution, options.keys),
        width_(std::min<std::int64_t>(options.scan, row_count()) * kSpacing) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;

  void initial_keys(std::vector<std::int64_t>&) const override {}
  std::span<const table::Table> tables() const override { return kTables; }
  void initial_rows(std::vector<InitialRow>& rows) const override;

 private:
  std::int64_t row_count() const { return static_cast<std::int64_t>(rows_.key_count()); }
  /// The least value of a range.
  std::int64_t draw_range(base::Rng& rng) {
    const std::int64_t last = row_count() * kSpacing - width_;
    const std::int64_t within = static_cast<std::int64_t>(rng.below(kSpacing));
    return std::min(static_cast<std::int64_t>(rows_.sample(rng)) * kSpacing + within, last);
  }

  double reads_;
  std::uint32_t ops_;
  Sampler rows_;
  std::int64_t width_;
};

void BlindWPred::initial_rows(std::vector<InitialRow>& rows) const {
  for (std::int64_t row = 0; row < row_count(); ++row) {
    // Neighbours in v1 are none in v2.
    const auto other = static_cast<std::int64_t>(base::mix(static_cast<std::uint64_t>(row)) %
                                                 rows_.key_count());
    rows.push_back({0, {.id = row, .cells = {row * kSpacing, other * kSpacing}}});
  }
}

void BlindWPred::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  const bool reads = rng.chance(reads_);
  Draft draft(plan);
  for (std::uint32_t i = 0; i < ops_; ++i) {
    const std::size_t column = rng.chance(0.5) ? kV1 : kV2;
    const std::int64_t least = draw_range(rng);
    table::Condition range = {{.column = column, .least = least, .most = least + width_ - 1}};
    if (reads) {
      draft.select_rows(0, std::move(range));
    } else {
      const std::int64_t by = draw_range(rng) - least;
      draft.update_rows(0, std::move(range), {{.column = column, .value = by, .adds = true}});
    }
  }
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<BlindWPred>(options);
}

Status fits(const WorkloadOptions& options) {
  if (options.keys > kRowsMost) return out_of_range("keys", options.keys, 1, kRowsMost);
  return ok_status();
}

constexpr std::array kOwn = {
    OwnParameter{.field = &WorkloadOptions::scan,
                 .summary = "rows that a condition selects, on average",
                 .standard = 2,
                 .least = 1,
                 .most = 10'000},
    kSavepoints, kRollbacks};

constexpr std::array kRows = {WorkloadInfo{
    .name = "blindw-pred",
    .summary = "transactions of only selections (half) or only updates, by ranges of columns",
    .source = "Vbox, BlindW-Pred",
    .make = make,
    .needs = {.tables = true},
    .ops_text = kOps,
    .keys_text = "rows",
    .reads_text = "share of transactions that only read",
    .ops = 8,
    .keys = 1'000,
    .reads = 0.5,
    .own = kOwn,
    .validate = fits}};

}  // namespace

const Workloads& blindw_pred_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
