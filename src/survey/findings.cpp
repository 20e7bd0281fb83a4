#include "survey/findings.hpp"

#include <algorithm>

namespace isolde::survey {

void Findings::add(const explain::ReportModel& model) {
  sessions_respect_time_ = sessions_respect_time_ && model.sessions_respect_time;
  rows_seen_.left_out = rows_seen_.left_out || model.rows.left_out;
  rows_seen_.deleted = rows_seen_.deleted || model.rows.deleted;
  rows_seen_.refused = rows_seen_.refused || model.rows.refused;
  for (const explain::LevelOutcome& outcome : model.levels) {
    Row& row = rows_[outcome.level];
    switch (outcome.verdict) {
      case isolde::Verdict::kViolated:
        row.is_violated = true;
        break;
      case isolde::Verdict::kHolds:
        row.held = true;
        row.tried = row.tried || outcome.trial == history::Trial::kTried;
        break;
      case isolde::Verdict::kUnknown:
        row.is_open = true;
        break;
      case isolde::Verdict::kNotApplicable:
        break;
    }
  }
}

Findings::Verdict Findings::verdict(Level level) const {
  const auto found = rows_.find(level);
  if (found == rows_.end()) return Verdict::kOpen;
  const Row& row = found->second;
  if (row.is_violated) return Verdict::kViolated;
  if (row.is_open || !row.held) return Verdict::kOpen;
  return row.tried ? Verdict::kHeld : Verdict::kUntried;
}

std::vector<Level> Findings::strongest() const {
  std::vector<Level> held;
  for (const auto& [level, row] : rows_) {
    if (verdict(level) == Verdict::kHeld) held.push_back(level);
  }
  std::vector<Level> strongest;
  for (const Level level : held) {
    const bool is_implied = std::ranges::any_of(held, [&](Level other) {
      return other != level && implies_there(other, level, sessions_respect_time_, rows_seen_);
    });
    if (!is_implied) strongest.push_back(level);
  }
  return strongest;
}

std::string_view promise_word(Findings::Verdict verdict) {
  switch (verdict) {
    case Findings::Verdict::kViolated:
      return "BROKEN";
    case Findings::Verdict::kHeld:
      return "kept in what was played";
    case Findings::Verdict::kUntried:
      return "kept in what was played, which did not put it to the test";
    case Findings::Verdict::kOpen:
      break;
  }
  return "not decided";
}

}  // namespace isolde::survey
