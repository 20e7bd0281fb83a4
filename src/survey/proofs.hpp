// Proofs of what a survey says of a history, as certificate files beside it: whoever does not
// trust the survey verifies them.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "api/checking.hpp"
#include "isolde/level.hpp"
#include "isolde/status.hpp"
#include "isolde/verdict.hpp"

namespace isolde::survey {

/// A certificate in a file, which the verifier has accepted.
struct ProofFile {
  Level level = Level::kSerializable;
  Verdict verdict = Verdict::kHolds;  ///< holds or violated
  std::filesystem::path certificate;
};

/// Verifies the proofs of those of the levels that are decided, each once, and writes them:
/// "g0.jsonl" has "g0.read-committed.certificate". REQUIRES: the levels were asked for. ERRORS:
/// kEnvironment; kInternal where a proof does not verify. COST: linear in the history, for each
/// of these levels.
Result<std::vector<ProofFile>> write_proofs(api::Checked& checked,
                                            std::span<const Level> levels,
                                            const std::filesystem::path& history);

}  // namespace isolde::survey
