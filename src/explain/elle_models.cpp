// Names and implications are those of Elle 0.2 (2026), which takes them from Adya, Bailis,
// Cerone and Daudjee. The implications only sort the models into weakest and others, and carry
// violations to the models without a level: whether a level is violated is decided here, by the
// engine's verdicts and by implies_there(). Elle's models of single objects, from linearizable
// to the session guarantees, are not among them: no anomaly of Elle's rules one out.
#include "explain/elle_models.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "explain/story.hpp"
#include "history/base_levels.hpp"

namespace isolde::explain {
namespace {

struct Model {
  std::string_view name;
  std::optional<Level> level;  ///< the same thing here
  std::array<std::string_view, 5> implied = {};
  bool forbids_lost_updates = false;  ///< by itself; those that imply it follow
};

/// The level that a model is, where it has not the level's own name.
struct OtherName {
  std::string_view name;
  Level level;
};
constexpr OtherName kOtherNames[] = {
    {"prefix", Level::kPrefixConsistency},
    // Adya's PL-2+, which Crooks et al. (PODC 2017) show to be the same.
    {"consistent-view", Level::kParallelSnapshotIsolation},
    {"strong-serializable", Level::kStrictSerializable},
};

std::optional<Level> level_of(std::string_view name) {
  for (const OtherName& other : kOtherNames) {
    if (name == other.name) return other.level;
  }
  for (const LevelInfo& row : all_levels()) {
    if (name == row.name) return row.level;
  }
  return std::nullopt;
}

Model model(std::string_view name, std::array<std::string_view, 5> implied = {},
            bool forbids_lost_updates = false) {
  return {name, level_of(name), implied, forbids_lost_updates};
}

/// Weaker models first: `implied` names earlier rows.
const std::array kModels = {
    model("read-uncommitted"),
    model("strong-session-read-uncommitted", {"read-uncommitted"}),
    model("strong-read-uncommitted", {"strong-session-read-uncommitted"}),
    model("read-committed", {"read-uncommitted"}),
    model("strong-session-read-committed",
          {"read-committed", "strong-session-read-uncommitted"}),
    model("strong-read-committed",
          {"strong-session-read-committed", "strong-read-uncommitted"}),
    model("monotonic-view", {"read-committed"}),
    model("monotonic-snapshot-read", {"read-committed"}),
    model("cursor-stability", {"read-committed"}, true),
    model("monotonic-atomic-view", {"read-committed"}),
    model("read-atomic", {"monotonic-atomic-view"}),
    model("update-atomic", {"read-atomic"}, true),
    model("causal-cerone", {"read-atomic"}),
    model("prefix", {"causal-cerone"}),
    model("parallel-snapshot-isolation", {"causal-cerone", "update-atomic"}),
    model("consistent-view", {"cursor-stability", "monotonic-view"}),
    model("forward-consistent-view", {"consistent-view"}),
    model("update-serializable", {"forward-consistent-view"}),
    model("repeatable-read", {"cursor-stability", "monotonic-atomic-view"}),
    model("snapshot-isolation",
          {"forward-consistent-view", "monotonic-atomic-view", "monotonic-snapshot-read",
           "parallel-snapshot-isolation", "prefix"}),
    model("strong-session-snapshot-isolation",
          {"snapshot-isolation", "strong-session-read-committed"}),
    model("strong-snapshot-isolation",
          {"strong-session-snapshot-isolation", "strong-read-committed"}),
    model("serializable", {"repeatable-read", "snapshot-isolation", "update-serializable"}),
    model("strong-session-serializable", {"serializable", "strong-session-snapshot-isolation"}),
    model("strong-serializable", {"strong-session-serializable", "strong-snapshot-isolation"}),
};

std::size_t row_of(std::string_view name) {
  const auto row = std::find_if(kModels.begin(), kModels.end(),
                                [&](const Model& model) { return model.name == name; });
  return static_cast<std::size_t>(row - kModels.begin());
}

bool holds(const ReportModel& input, const Model& model) {
  return std::any_of(input.levels.begin(), input.levels.end(), [&](const LevelOutcome& each) {
    return model.level == each.level && each.verdict == Verdict::kHolds;
  });
}

/// By its own verdict, or because it implies a level that is violated.
bool is_violated(const ReportModel& input, Level level) {
  return std::any_of(input.levels.begin(), input.levels.end(), [&](const LevelOutcome& each) {
    return each.is_violated() &&
           implies_there(level, each.level, input.sessions_respect_time, input.rows);
  });
}

bool shows_lost_update(const ReportModel& input) {
  return std::any_of(input.levels.begin(), input.levels.end(), [](const LevelOutcome& each) {
    return each.scenario && each.scenario->lost_update.has_value();
  });
}

/// A level that holds by its own verdict, or a model without one that such a level implies.
bool is_kept(const ReportModel& input, const Model& model) {
  if (model.level) return holds(input, model);
  return std::any_of(kModels.begin(), kModels.end(), [&](const Model& stronger) {
    const auto& implied = stronger.implied;
    return std::find(implied.begin(), implied.end(), model.name) != implied.end() &&
           is_kept(input, stronger);
  });
}

/// Where writers must only not overlap, one of the two may have written the row again after it
/// had been deleted.
bool may_write_again(const ReportModel& input) {
  return input.history.origin().rows_are_deleted;
}

/// Where selections left out rows, which transactions took effect is another question at
/// repeatable read, and a lost update elsewhere may be none there.
bool falls_by_lost_updates(const ReportModel& input, Level level) {
  const BaseLevel base = info(level).base;
  if (input.rows.left_out && disregards_left_out_rows(base)) return false;
  if (may_write_again(input) && !is_serial(base)) return false;
  return forbids_lost_updates(base);
}

bool is_ruled_out(const ReportModel& input, const Model& model, bool lost_update,
                  const std::array<bool, kModels.size()>& ruled_out) {
  if (is_kept(input, model)) return false;
  if (model.level) {
    return is_violated(input, *model.level) ||
           (lost_update && falls_by_lost_updates(input, *model.level));
  }
  if (lost_update && model.forbids_lost_updates && !may_write_again(input)) return true;
  return std::any_of(model.implied.begin(), model.implied.end(), [&](std::string_view weaker) {
    return !weaker.empty() && ruled_out[row_of(weaker)];
  });
}

}  // namespace

Boundary elle_boundary(const ReportModel& input) {
  const bool lost_update = shows_lost_update(input);
  std::array<bool, kModels.size()> ruled_out = {};
  std::array<bool, kModels.size()> weaker_is_out = {};
  Boundary boundary;
  for (std::size_t i = 0; i < kModels.size(); ++i) {
    const Model& model = kModels[i];
    ruled_out[i] = is_ruled_out(input, model, lost_update, ruled_out);
    for (const std::string_view weaker : model.implied) {
      if (weaker.empty()) continue;
      const std::size_t row = row_of(weaker);
      weaker_is_out[i] = weaker_is_out[i] || ruled_out[row] || weaker_is_out[row];
    }
    if (!ruled_out[i]) continue;
    (weaker_is_out[i] ? boundary.also_not : boundary.is_not).push_back(model.name);
  }
  std::sort(boundary.is_not.begin(), boundary.is_not.end());
  std::sort(boundary.also_not.begin(), boundary.also_not.end());
  return boundary;
}

std::string elle_type(const History& history, const Scenario& scenario) {
  if (scenario.lost_update) return "lost-update";
  const std::string& type = scenario.anomaly.type;
  // Elle's internal takes in reads that differ from the transaction's own earlier reads.
  if (type == "non-repeatable-read") return "internal";
  if (type == "PMP") return "G-single";
  const std::vector<const ScenarioEdge*> edges = scenario.edges();
  const bool predicate = std::any_of(edges.begin(), edges.end(), [&](const ScenarioEdge* each) {
    return is_of_predicate(history, each->edge);
  });
  if (predicate) return type;
  for (const std::string_view name : {"G-single", "G-nonadjacent"}) {
    if (!type.starts_with(name)) continue;
    return std::string(name) + "-item" + type.substr(name.size());
  }
  return type;
}

}  // namespace isolde::explain
