#include "check/closure.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "history/base_levels.hpp"

namespace isolde::checker {
namespace {

std::optional<DirectProof> direct(const Proof& proof) {
  return std::visit(
      [](const auto& each) -> std::optional<DirectProof> {
        if constexpr (std::is_same_v<std::decay_t<decltype(each)>, Implication>) {
          return std::nullopt;
        } else {
          return DirectProof(each);
        }
      },
      proof);
}

class Closure {
 public:
  Closure(CheckReport& report, bool knows_timed) : report_(report), knows_timed_(knows_timed) {}

  /// implies_there() is transitive, so one pass over the decided levels is enough.
  void run() {
    const std::vector<LevelReport> decided = report_.levels;
    for (LevelReport& level : report_.levels) {
      if (level.verdict != Verdict::kUnknown) continue;
      if (!knows_timed_ && goes_by_database_times(info(level.level).base)) continue;
      const LevelReport* const source = find_source(decided, level.level);
      if (source == nullptr) continue;
      // First, because memory may run out here.
      level.proof = proof_by(*source);
      level.verdict = source->verdict;
      level.reason.clear();
    }
  }

 private:
  bool implies_here(Level stronger, Level weaker) const {
    return implies_there(stronger, weaker, report_.sessions_respect_time, report_.rows);
  }

  /// The weakest violated level that it implies, or the strongest that holds and implies it:
  /// levels are listed strong ones first.
  const LevelReport* find_source(const std::vector<LevelReport>& decided, Level level) const {
    const auto falls =
        std::find_if(decided.rbegin(), decided.rend(), [&](const LevelReport& other) {
          return other.verdict == Verdict::kViolated && implies_here(level, other.level);
        });
    if (falls != decided.rend()) return &*falls;
    const auto holds =
        std::find_if(decided.begin(), decided.end(), [&](const LevelReport& other) {
          return other.verdict == Verdict::kHolds && implies_here(other.level, level);
        });
    return holds != decided.end() ? &*holds : nullptr;
  }

  std::size_t proof_by(const LevelReport& source) {
    // What follows from it follows from what it follows from.
    if (std::holds_alternative<Implication>(report_.proofs[source.proof])) return source.proof;
    const auto [place, is_new] = proofs_.try_emplace(source.level, report_.proofs.size());
    if (is_new) {
      std::optional<DirectProof> proof = direct(report_.proofs[source.proof]);
      report_.proofs.emplace_back(Implication{source.level, std::move(proof).value()});
    }
    return place->second;
  }

  CheckReport& report_;
  const bool knows_timed_;
  std::map<Level, std::size_t> proofs_;  // by the level that others follow from
};

}  // namespace

void close_by_implication(CheckReport& report, bool knows_timed) {
  Closure(report, knows_timed).run();
}

}  // namespace isolde::checker
