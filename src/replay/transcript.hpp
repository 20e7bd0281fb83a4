// What happened when an interleaving was played, for people: step by step, and why nothing went
// wrong, when nothing did.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "replay/interleaving.hpp"
#include "replay/numbering.hpp"
#include "replay/player.hpp"

namespace isolde::replay {

struct TranscriptOptions {
  bool in_turn = true;                ///< the steps were given out in their order
  std::string_view was = "recorded";  ///< what the values are that the history has for reads
  std::span<const std::string> statements = {};  ///< of scripted steps
};

/// A line for each step: session, operation, for reads what the history has and what was read
/// now, and whether the step waited or ended its transaction.
std::string transcript(const Numbering& numbering, std::span<const Step> steps,
                       std::span<const StepResult> results, const TranscriptOptions& options);

/// What stood in the way, over several attempts.
class Obstacles {
 public:
  void add(std::span<const Step> steps, std::span<const StepResult> results, bool in_turn);

  /// Sentences, a line each with this indent; says at least something.
  std::string text(std::size_t indent) const;

 private:
  std::size_t attempts_ = 0;
  std::size_t refused_ = 0;  ///< attempts in which the database ended a transaction
  std::size_t waited_ = 0;   ///< of the others: in which a step waited
  std::size_t smooth_ = 0;   ///< the rest
  std::map<std::string, std::size_t> words_;  ///< what the database said, and how often
};

}  // namespace isolde::replay
