// What went wrong, told once for all levels that fall by it, with everything that a picture of
// it needs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "explain/report_model.hpp"
#include "explain/scenario.hpp"
#include "explain/supply_text.hpp"
#include "isolde/history.hpp"

namespace isolde::report {

/// One arrow: `from` comes before `to` in every order that explains the history.
struct Arrow {
  TxnId from;
  TxnId to;
  std::string_view kind;  ///< so, rt, wr, ...
  KeyId key;              ///< none for so and rt
  std::string because;    ///< with the names T1, T2, ..., without full stop
  bool assumed = false;   ///< rests on what the step supposes
};

/// A step of the argument.
struct Chapter {
  std::size_t number = 1;  ///< of the step, as in the text
  std::string heading;     ///< "Suppose T1 wrote x before T2"; empty for a story in one
  /// What follows: "T2 wrote x before T1", "From steps 1 and 2: a contradiction"; empty where
  /// the arrows say it.
  std::string conclusion;
  /// Of the story, in the order of the cycle. None where the step only joins others.
  std::vector<std::size_t> arrows;
  /// Of the story: not part of the cycle, but what its arrows rest on.
  std::vector<std::size_t> evidence;
  std::vector<explain::ScenarioTxn> txns;  ///< whom it speaks of
  std::vector<std::size_t> from;           ///< numbers of the steps that it joins
  std::size_t left_out = 0;                ///< arrows of the cycle for which there was no room
};

/// Bytes of a text. One about as many transactions as are shown has less.
inline constexpr std::size_t kTextTold = 200000;

struct Story {
  const explain::Scenario* scenario = nullptr;
  std::vector<Level> levels;               ///< that are violated by it, as the outcomes come
  std::vector<explain::ScenarioTxn> txns;  ///< those told of first, explain::kTxnsDrawn at most
  std::string text;  ///< explain::narrate; of a long one the beginning, up to kTextTold
  bool text_is_cut = false;
  std::string finding;  ///< what a single read shows, with the names T1, T2, ...
  std::string closing;  ///< explain::closing_text(), and totals that were read
  std::vector<explain::SupplyLine> reasons;  ///< why no write supplied the read
  /// Of what is not linearizable: an order that gets furthest. Of an exhaustion that of the
  /// scenario; of other proofs, which have none, it is looked for, on the key that they are
  /// about.
  explain::Furthest furthest;
  KeyId ordered_key;  ///< none: no order was looked for
  /// Names of its last transactions, kRunningShown at most, and the one that has no place in
  /// it.
  std::vector<std::string> order;
  std::string unplaced;
  std::vector<Arrow> arrows;  ///< between `txns`, each once, explain::kArrowsDrawn at most
  std::vector<Chapter> chapters;
};

/// The violations among `outcomes`, the most damaging anomaly first; among equals first what
/// breaks the `weakest` levels, then the others, weaker ones first. Pointers lead into
/// `outcomes`.
std::vector<Story> tell_stories(const History& history,
                                std::span<const explain::LevelOutcome> outcomes,
                                std::span<const Level> weakest);

}  // namespace isolde::report
