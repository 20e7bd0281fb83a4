// What several histories of one isolation setting say together: a level is violated when one of
// them violates it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "explain/report_model.hpp"
#include "isolde/level.hpp"

namespace isolde::survey {

/// A violation of the promised level, with a verified proof.
struct Breach {
  std::string where;      ///< what the history is of
  std::string statement;  ///< no full stop
  std::filesystem::path history;
  Level level = Level::kSerializable;
  std::string anomaly = {};  ///< as in explain::Anomaly
};

class Findings {
 public:
  void add(const explain::ReportModel& model);
  /// Of the first history that breaks the promise.
  std::optional<Breach> breach;

  enum class Verdict : std::uint8_t {
    kViolated,
    kHeld,     ///< in every history, and one put it to the test
    kUntried,  ///< in every history, and none put it to the test
    kOpen,     ///< not decided in one of them, or it applies to none
  };
  Verdict verdict(Level level) const;
  /// Levels that held and are implied by no other one that held.
  std::vector<Level> strongest() const;

 private:
  struct Row {
    bool is_violated = false;
    bool is_open = false;
    bool held = false;
    bool tried = false;
  };
  std::map<Level, Row> rows_;
  bool sessions_respect_time_ = true;
  RowFacts rows_seen_;  ///< in any of the histories
};

/// What became of a promise: "kept in what was played", "BROKEN", "not decided", ...
std::string_view promise_word(Findings::Verdict verdict);

}  // namespace isolde::survey
