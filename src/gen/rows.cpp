// Probes of conditions: rows come and go, and transactions decide by what a condition selects.
//
//   phantom  a group holds at most --ops rows. Who finds fewer inserts one, who finds it full
//            deletes one, or all by the condition; readers select twice. Two that see the same
//            gap and both fill it have each missed the other's row.
//   on-call  a group of --ops doctors, of whom one at least shall be on call. Who finds two or
//            more takes one off, who finds fewer puts one on: rows change and so come under the
//            condition, or leave it.
//
// A condition names the rows by their keys, or by their values alone, which is where an index
// on values makes a difference. The group, and whether a doctor is on call, lead in the value,
// so that a range of values is a condition on them.
#include <algorithm>

#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

enum Type : std::uint32_t { kReader, kWriter };
enum Choice : std::size_t { kGroup, kPlace, kByValue, kWhole };

/// One deletion in so many takes the whole group.
constexpr std::uint64_t kWholeGroups = 4;

class Rows : public Generator {
 public:
  explicit Rows(const WorkloadOptions& options)
      : reads_(options.reads),
        by_value_(options.by_value),
        deletes_selected_(options.deletes_selected),
        most_(options.ops),
        groups_(options.distribution, options.keys) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;
  void initial_keys(std::vector<std::int64_t>&) const override {}  // rows come and go
  bool has_payload() const override { return true; }
  bool payload_leads() const override { return true; }

 protected:
  /// Keys of the group: so many that there is always a free one.
  virtual std::int64_t places() const = 0;
  /// The payload of the rows to look for, and whether all rows of the group have it.
  virtual std::int64_t wanted(std::int64_t group) const = 0;
  virtual bool wants_all() const = 0;

  std::int64_t most() const { return most_; }
  std::int64_t key(const Plan& plan, std::int64_t place) const {
    return plan.choices[kGroup] * places() + place % places();
  }
  void select(Draft& draft, const Plan& plan, bool deletes = false) const;

 private:
  double reads_;
  double by_value_;
  bool deletes_selected_;
  std::int64_t most_;
  Sampler groups_;
};

void Rows::plan(std::uint32_t /*session*/, base::Rng& rng, Plan& plan) {
  plan.type = rng.chance(reads_) ? kReader : kWriter;
  const auto group = static_cast<std::int64_t>(groups_.sample(rng));
  plan.choices = {
      group, static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(places()))),
      rng.chance(by_value_) ? 1 : 0, rng.below(kWholeGroups) == 0 && deletes_selected_ ? 1 : 0};
  Draft draft(plan);
  select(draft, plan);
  if (plan.type == kReader) select(draft, plan);
}

void Rows::select(Draft& draft, const Plan& plan, bool deletes) const {
  const std::int64_t group = plan.choices[kGroup];
  RowCondition condition{.first = group * places(), .last = (group + 1) * places() - 1};
  if (plan.choices[kByValue] == 0) condition.predicate.keys = {condition.first, condition.last};
  if (plan.choices[kByValue] != 0 || !wants_all()) {
    const std::int64_t low = wanted(group) << kLeadShift;
    condition.predicate.values = {low, low + (std::int64_t{1} << kLeadShift) - 1};
  }
  draft.select(condition, deletes);
}

class Phantom final : public Rows {
 public:
  using Rows::Rows;

  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;
  std::string values_text() const override {
    return "* group@" + std::to_string(kLeadShift) + "+" + std::to_string(kPayloadBits);
  }

 private:
  std::int64_t places() const override { return 2 * most(); }
  std::int64_t wanted(std::int64_t group) const override { return group; }
  bool wants_all() const override { return true; }
};

void Phantom::extend(std::uint32_t /*session*/, Plan& plan, std::span<const Seen> results) {
  if (plan.type == kReader || plan.stage > 1) return;
  Draft draft(plan, results);
  const std::span<const SeenRow> rows = draft.rows_of(0);
  std::int64_t place = plan.choices[kPlace];
  if (static_cast<std::int64_t>(rows.size()) < most()) {
    const auto is_taken = [&](std::int64_t at) {
      return std::ranges::find(rows, key(plan, at), &SeenRow::key) != rows.end();
    };
    while (is_taken(place)) ++place;
    draft.write(key(plan, place), plan.choices[kGroup]);
  } else if (plan.choices[kWhole] != 0) {
    select(draft, plan, true);
  } else {
    draft.remove(rows[static_cast<std::size_t>(place) % rows.size()].key);
  }
}

class OnCall final : public Rows {
 public:
  using Rows::Rows;

  void extend(std::uint32_t session, Plan& plan, std::span<const Seen> results) override;
  std::string values_text() const override {
    return "* group@" + std::to_string(kLeadShift + 1) + "+" +
           std::to_string(kPayloadBits - 1) + " on-call@" + std::to_string(kLeadShift) + "+1";
  }

 private:
  std::int64_t places() const override { return most(); }
  std::int64_t wanted(std::int64_t group) const override { return 2 * group + 1; }
  bool wants_all() const override { return false; }
};

void OnCall::extend(std::uint32_t /*session*/, Plan& plan, std::span<const Seen> results) {
  if (plan.type == kReader || plan.stage > 1) return;
  Draft draft(plan, results);
  const std::span<const SeenRow> rows = draft.rows_of(0);
  const std::int64_t place = plan.choices[kPlace];
  const std::int64_t off = 2 * plan.choices[kGroup];
  if (rows.size() >= 2) {
    draft.write(rows[static_cast<std::size_t>(place) % rows.size()].key, off);
  } else {
    draft.write(key(plan, place), off + 1);
  }
}

template <typename Kind>
std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<Kind>(options);
}

Status fits(const WorkloadOptions& options) {
  constexpr std::uint64_t kGroupsMost = std::uint64_t{1} << 19;  // two payloads each
  if (options.ops < 1 || options.ops > kGroupMost) {
    return out_of_range("ops", options.ops, 1, kGroupMost);
  }
  if (options.keys > kGroupsMost) return out_of_range("keys", options.keys, 1, kGroupsMost);
  return ok_status();
}

constexpr std::array kOwn = {
    OwnParameter{&WorkloadOptions::by_value,
                 "share of the conditions on values alone, not on keys", 0.5},
    kSavepoints, kRollbacks};

constexpr std::array kRows = {
    WorkloadInfo{
        .name = "phantom",
        .summary =
            "probe: rows of a group selected by a condition, then one inserted or some deleted",
        .source = "Hermitage, repeated",
        .make = make<Phantom>,
        .needs = {.rows = true},
        .ops_text = "rows of a group at most",
        .keys_text = "groups of rows",
        .reads_text = kReadOnly,
        .ops = 4,
        .keys = 10,
        .reads = 0.2,
        .own = kOwn,
        .validate = fits},
    WorkloadInfo{
        .name = "on-call",
        .summary =
            "probe: doctors on call selected by a condition, then one put on or taken off",
        .source = "Cahill, Roehm and Fekete (SIGMOD 2008), section 2",
        .make = make<OnCall>,
        .needs = {.rows = true},
        .ops_text = "doctors of a group",
        .keys_text = "groups of doctors",
        .reads_text = kReadOnly,
        .ops = 4,
        .keys = 10,
        .reads = 0.2,
        .own = kOwn,
        .validate = fits}};

}  // namespace

const Workloads& rows_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
