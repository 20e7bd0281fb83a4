// Proof steps that establish facts, each from those that it rests on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "history/certificate.hpp"

namespace isolde::checker {

/// Numbers of facts still to be justified, last first.
using NeededFacts = std::priority_queue<std::uint32_t>;

/// Why a clause holds that a theory found: a cycle, or an aggregate with another result, and
/// the derived facts that it rests on; or steps that refer to each other, of which the last one
/// states the clause.
struct Lemma {
  std::vector<Edge> cycle;
  std::vector<std::uint32_t> facts;
  std::vector<RefutationStep> steps = {};
  std::optional<WrongResult> wrong_result = {};  ///< in place of a cycle
};

/// The steps of one fact; the last one states it. Those without a cycle follow from the steps
/// before them and from the facts in `rests_on`.
struct Justification {
  std::vector<RefutationStep> steps;
  std::vector<std::uint32_t> rests_on;
};

/// Steps for facts, and where each fact is stated.
struct Established {
  std::vector<RefutationStep> steps;
  std::unordered_map<std::uint32_t, std::uint32_t> places;  ///< by fact: its last step

  /// Appends the justification's steps. REQUIRES: what it rests on is present.
  void add(Justification justification) {
    ISOLDE_ASSERT(!justification.steps.empty());
    const auto first = static_cast<std::uint32_t>(steps.size());
    for (RefutationStep& step : justification.steps) {
      if (step.is_derived()) {
        for (std::uint32_t at = first; at < steps.size(); ++at) step.from.push_back(at);
        for (const std::uint32_t fact : justification.rests_on) {
          ISOLDE_INVARIANT(places.contains(fact));
          step.from.push_back(places.at(fact));
        }
      }
      steps.push_back(std::move(step));
    }
  }

  /// Appends steps that refer to each other.
  void add_all(const std::vector<RefutationStep>& more) {
    const auto first = static_cast<std::uint32_t>(steps.size());
    for (const RefutationStep& step : more) {
      steps.push_back(step);
      for (std::uint32_t& at : steps.back().from) at += first;
    }
  }
};

/// Steps for the needed facts and all that these rest on, in the order in which they were
/// derived. `justify(number, needed)` returns those of one fact and adds what it rests on: only
/// earlier facts, so that each comes once.
template <typename Justify>
Established establish(NeededFacts needed, const Justify& justify, base::Budget& budget) {
  std::vector<std::pair<std::uint32_t, Justification>> found;
  std::uint32_t last = 0xffffffffU;
  while (!needed.empty()) {
    const std::uint32_t number = needed.top();
    needed.pop();
    if (number == last) continue;
    ISOLDE_CHECK(number < last);
    last = number;
    found.emplace_back(number, justify(number, needed));
    budget.spend(1024);
  }
  std::reverse(found.begin(), found.end());
  Established out;
  for (auto& [number, justification] : found) {
    out.add(std::move(justification));
    out.places[number] = static_cast<std::uint32_t>(out.steps.size() - 1);
  }
  return out;
}

}  // namespace isolde::checker
