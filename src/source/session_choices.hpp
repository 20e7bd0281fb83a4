// Causal consistency and the session guarantees where values repeat: a search of sources for
// each session.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "history/verdicts.hpp"
#include "infer/observations.hpp"
#include "isolde/history.hpp"
#include "level/check_options.hpp"
#include "session/session_view.hpp"
#include "source/choices.hpp"

namespace isolde::checker {

/// The search of any level that searches sources. REQUIRES: as ChoiceLevel, but the question
/// names no session; the observations may have a finding that is_excused().
std::unique_ptr<SourceSearch> make_source_search(const infer::Observations& seen,
                                                 const Question& question,
                                                 const CheckOptions& options,
                                                 CheckStatistics& statistics,
                                                 base::Budget& budget);

/// One session after the other. Which doubtful transactions took effect is the same for all of
/// them: what one session's execution needs is settled for the others, and when another needs
/// more, the search starts over with that. Where a session has no execution with what is
/// settled, its own doubtful transactions are excluded, or else it begins. A level is violated
/// when a session has none while nothing is settled or excluded; that no set of doubtful
/// transactions serves all sessions is not shown, and leaves the level unknown.
class SessionChoices final : public SourceSearch {
 public:
  /// As ChoiceLevel, at a level that grants each session an execution of its own.
  SessionChoices(const infer::Observations& seen, const LevelInfo& level,
                 const CheckOptions& options, CheckStatistics& statistics,
                 base::Budget& budget);

  /// An order by time, tested for all sessions at once; search() goes on with those that it
  /// does not explain.
  std::optional<Proof> guess() override;
  std::optional<Proof> search(std::uint64_t conflict_limit) override;
  const std::string& stopped() const override { return stopped_; }

 private:
  /// What is searched for one session.
  struct Part {
    History history;
    infer::Observations seen;
  };

  void serve_by_time();
  std::optional<Proof> start();
  std::optional<Proof> accept(Proof proof);
  void take(Witness witness);
  void begin_with(SessionId session);
  void restart_without(SessionId session);
  void give_way_to(SessionId session);
  bool exclude_own(SessionId session);

  const infer::Observations& seen_;
  const LevelInfo& level_;
  const CheckOptions& options_;
  CheckStatistics& statistics_;
  base::Budget& budget_;
  bool has_guessed_ = false;
  std::vector<SessionId> left_;  // the last is next
  const bool has_doubtful_;
  std::vector<bool> has_begun_;  // by session: others gave way to it
  std::vector<Effect> effects_;  // by transaction; empty while all are open
  std::vector<SessionWitness::Execution> executions_;
  std::unique_ptr<Part> part_;  // of the engine, unless that searches all reads
  std::unique_ptr<ChoiceLevel> engine_;
  std::string stopped_;
};

}  // namespace isolde::checker
