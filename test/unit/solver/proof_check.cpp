#include "unit/solver/proof_check.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

namespace isolde::solver::test {
namespace {

bool denies(const ProofStep& step, const std::vector<Lit>& conflict) {
  std::set<std::uint32_t> clause;
  std::set<std::uint32_t> negated;
  for (const Lit lit : step.clause) clause.insert(lit.code());
  for (const Lit lit : conflict) negated.insert((~lit).code());
  return clause == negated && clause.size() == step.clause.size();
}

/// Whether all literals of the step false, and then unit propagation over the steps it names,
/// ends in a contradiction.
bool follows(const std::vector<ProofStep>& proof, const ProofStep& step) {
  std::set<std::uint32_t> is_false;
  for (const Lit lit : step.clause) is_false.insert(lit.code());
  for (bool news = true; news;) {
    news = false;
    for (const ProofId id : step.from) {
      std::set<std::uint32_t> open;
      for (const Lit lit : proof[id.raw()].clause) {
        if (!is_false.contains(lit.code())) open.insert(lit.code());
      }
      if (open.empty()) return true;
      if (open.size() > 1) continue;
      news = is_false.insert((~Lit::from_code(*open.begin())).code()).second || news;
    }
  }
  return false;
}

}  // namespace

std::string complaint_about(const std::vector<ProofStep>& proof,
                            const std::vector<std::vector<Lit>>& taught) {
  if (proof.empty() || !proof.back().clause.empty()) return "the last step is not empty";
  std::vector<bool> is_used(proof.size(), false);
  is_used.back() = true;
  for (std::size_t i = 0; i < proof.size(); ++i) {
    const ProofStep& step = proof[i];
    const std::string at = "step " + std::to_string(i);
    if (step.is_input) {
      if (!step.from.empty()) return at + " is required, and derived too";
      continue;
    }
    if (step.from.empty()) {
      if (step.theory_index >= taught.size()) return at + " names no conflict of the theory";
      if (!denies(step, taught[step.theory_index])) return at + " does not deny its conflict";
      continue;
    }
    for (const ProofId id : step.from) {
      if (id.is_none() || id.raw() >= i) return at + " names a step that is not earlier";
      is_used[id.raw()] = true;
    }
    if (!follows(proof, step)) return at + " does not follow";
  }
  const auto unused = std::find(is_used.begin(), is_used.end(), false);
  if (unused != is_used.end()) {
    return "nothing uses step " + std::to_string(unused - is_used.begin());
  }
  return "";
}

}  // namespace isolde::solver::test
