// ParallelTheory: the theory of parallel snapshot isolation. Assigned pairs keep the
// dependencies acyclic, as at the other levels; the final check rules out cycles with exactly
// one anti-dependency. It takes the orders of all undecided pairs from the current order of
// events, and looks for reads that miss a write. Undecided pairs that such a cycle rests on
// become variables, and the cycle is a conflict among them all. Conflicts are reported in
// batches, because each final check examines the whole order.
//
// Correct because a conflict is a cycle that the level forbids, and when no read misses a
// write, the current order is a witness. Terminates because no conflict is reported twice: all
// its literals are true or undecided when it is reported.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "search/edge_theory.hpp"
#include "search/parallel_check.hpp"

namespace isolde::checker {

class ParallelTheory final : public EdgeTheory {
 public:
  /// As for EdgeTheory.
  ParallelTheory(EventGraph& events, const prune::Derivation& derived,
                 const std::vector<NodeId>& order, base::Budget& budget);

  Final final_check(std::vector<std::vector<solver::Lit>>& conflicts) override;

 private:
  using Path = std::vector<graph::PathFinder::Step>;

  /// A cycle with one anti-dependency, and what it rests on.
  struct Cycle {
    std::vector<Edge> edges;
    std::vector<solver::Lit> choices;
    std::vector<VersionOrder> undecided;  ///< choices that are no variables yet
    std::vector<std::uint32_t> established;
  };

  /// The anti-dependency that closes a cycle.
  struct Closing {
    TxnId reader;
    infer::ReadFrom read;
    TxnId overwriter;
  };

  Final look_at_reads(std::vector<std::vector<solver::Lit>>& conflicts);
  Cycle explain(const MissedWrite& missed);
  Cycle close(Path path, const Closing& closing);
  Path path_to_reader(TxnId writer, TxnId reader);
  void shorten(Path& path);
  VersionOrder order_of_tag(std::uint32_t tag) const;
  VersionOrder rests_on(const Closing& closing) const;
  void rest_on(VersionOrder order, Cycle& cycle) const;
  std::uint32_t price_of(VersionOrder order) const;

  ParallelCheck check_;
  std::unordered_map<std::uint64_t, std::uint32_t> established_index_;  // packed order to tag
  std::uint32_t first_guess_ = 0;  // tags from here on: orders taken from the positions
  std::size_t next_reader_ = 0;    // where the next final check starts to look
};

}  // namespace isolde::checker
