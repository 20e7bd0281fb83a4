// VersionTheory: the theory of the search, over labelled edges. Assignments add edges to the
// event graph, which must stay acyclic; a cycle is a conflict, explained by the closed path
// that rests on the fewest decided choices. Three kinds of variables:
//
//   order   of two writers: one precedes the other in every version order (`ww`, `rw` edges)
//   source  "this read came from that write" (`wr`, `rw` edges; at weak levels view edges)
//   effect  "this transaction took effect", of doubtful ones: its edges count
//
// Clauses in the solver tie them: a read has one of its sources; a source took effect; a
// transaction that took effect has a source for each read. Without open reads there are only
// orders, and what serves the other kinds stays empty.
//
// Little is encoded in advance. A final check looks at the current order of events, which
// satisfies all decisions so far, and asks for what keeps it from being a witness:
//
//   final_order.cpp     pairs of writers around a broken read, and sources of reads
//   final_groups.cpp    sources that give an aggregate another result
//   final_parallel.cpp  orders behind a read that misses a write (parallel snapshot isolation)
//   final_judge.cpp     nothing: where an order tells no sources, a full choice is judged
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "graph/paths.hpp"
#include "graph/topological.hpp"
#include "history/verdicts.hpp"
#include "infer/event_graph.hpp"
#include "infer/open_index.hpp"
#include "isolde/level.hpp"
#include "level/level_traits.hpp"
#include "prune/saturation.hpp"
#include "refute/established.hpp"
#include "search/groups.hpp"
#include "search/order_check.hpp"
#include "solver/solver.hpp"
#include "solver/theory.hpp"

namespace isolde::checker {

/// Appends the literal unless it is present already, or none.
void add_once(std::vector<solver::Lit>& lits, solver::Lit lit);

/// A dependency and what it rests on: literals, derived facts, or neither.
struct LabelledEdge {
  static constexpr std::uint32_t kNoFact = prune::Derivation::kNone;

  Edge edge;
  std::array<solver::Lit, 2> lits;
  std::array<std::uint32_t, 2> facts = {kNoFact, kNoFact};
  std::uint32_t replaces = kNoFact;  ///< further literals: VersionTheory::replacements_
};

/// What a search needs to choose sources.
struct Choosing {
  /// Decides the level for observations whose sources were all chosen: a witness, a refutation,
  /// or none when a limit was met.
  using Judge = std::function<std::optional<Proof>(const infer::Observations& chosen)>;

  const LevelInfo& level;
  const Groups& groups;
  std::vector<WriteId> hints = {};  ///< sources to try first, by open read, or empty
  std::int64_t clock_error_ns = 0;
  Judge judge = nullptr;  ///< called where the order does not tell sources
};

/// Invariants: E1 the order of events agrees with every edge of the graph; E2 each variable of
/// the solver has a meaning; E3 an extra edge is there because a derived fact, an order or a
/// label says so, by its tag; labels_ shrinks with the trail; C1 a read has variables for all
/// of its possible sources or for none, where order_tells_sources() ascending by source; C2
/// readers_, overwriters_, orders_of_ and before_ grow and shrink with the trail, in stack
/// order.
class VersionTheory final : public solver::Theory {
 public:
  using Lit = solver::Lit;
  using Var = solver::Var;

  /// `order` is a topological order of the graph, whose extra edges are those of `derived`. All
  /// references must outlive this object. The observations have no finding and no ambiguity;
  /// with `choosing` they are from observe_open().
  VersionTheory(EventGraph& events, const prune::Derivation& derived,
                const std::vector<NodeId>& order, base::Budget& budget,
                std::optional<Choosing> choosing = std::nullopt);

  /// REQUIRES: called once, first. When the theory is stopped() then, or the budget has run
  /// out, nothing more may be called.
  void connect(solver::Solver& solver);

  bool assign(Lit lit, std::vector<Lit>& conflict) override;
  void backtrack(std::size_t count) override;
  Final final_check(std::vector<std::vector<Lit>>& conflicts) override;
  Lit prefer(Var var) const override;
  bool needs(Var var) const override;

  /// REQUIRES: the literal is about an order.
  VersionOrder order_of(Lit lit) const;

  /// After a model.
  Witness witness() const;
  /// REQUIRES: the solver has found that there is no model.
  Refutation refutation() const;

  /// These explain the theory's clauses, in the order in which they were reported.
  const std::vector<Lemma>& lemmas() const { return lemmas_; }
  /// Not empty: why the answer stays unknown.
  const std::string& stopped() const { return stopped_; }

 private:
  /// What a variable says when it is true.
  struct Meaning {
    enum class Kind : std::uint8_t {
      kOrder,   ///< `first` precedes `second`
      kSource,  ///< the open read, by `first`, came from `source`, by `second`
      kEffect,  ///< `first` took effect
    };
    Kind kind = Kind::kOrder;
    TxnId first;
    TxnId second;
    std::uint32_t read = 0;
    WriteId source;
  };
  using Kind = Meaning::Kind;
  /// A reader of a write, or a later writer, and the reason, as of a LabelledEdge.
  struct Chosen {
    TxnId txn;
    Lit lit;
    std::uint32_t fact = LabelledEdge::kNoFact;
  };
  struct Range {  ///< consecutive variables
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  struct Mark {
    Lit lit;
    std::uint32_t labels;  ///< before it
    std::size_t edges;     ///< extra edges before it
  };
  struct Choices;  ///< what OrderCheck is to take into account
  /// The final check where an order of events alone does not tell what was read.
  struct FinalCheck {
    virtual ~FinalCheck() = default;
    virtual Final run(std::vector<std::vector<Lit>>& conflicts) = 0;
  };
  class Parallel;
  class Judging;
  /// An item of a group, and what it contributes by the source that is chosen.
  struct InGroup {
    std::uint32_t group;
    std::uint32_t place;
    history::Span now;
  };

  static constexpr std::uint32_t kNoFact = LabelledEdge::kNoFact;
  static constexpr std::uint32_t kLabelled = 0x80000000U;
  static constexpr std::uint32_t kDerivedPrice = 4;
  static constexpr std::uint32_t kChoicePrice = 16;

  /// Tags of extra edges: below first_choice() numbers of derived facts; then, below
  /// end_of_choices(), literals of orders; from kLabelled on labels.
  std::uint32_t first_choice() const {
    return static_cast<std::uint32_t>(derived_.facts.size());
  }
  std::uint32_t end_of_choices() const {
    return first_choice() + static_cast<std::uint32_t>(meanings_.size() * 2);
  }
  const Meaning& meaning_of(Lit lit) const { return meanings_[lit.var().raw()]; }
  const infer::OpenRead& read_of(const Meaning& meaning) const {
    return seen_.open_reads()[meaning.read];
  }
  const LevelInfo& level() const { return choosing_->level; }
  const Groups& groups() const { return choosing_->groups; }
  bool order_tells_sources() const { return check_.has_value(); }
  bool took_effect(TxnId txn) const { return effective_[txn.raw()] != 0; }
  /// REQUIRES: the transaction is doubtful.
  Lit effect_lit(TxnId txn) const {
    ISOLDE_INVARIANT(effect_var_[txn.raw()].is_some());
    return Lit(effect_var_[txn.raw()], false);
  }

  // Variables, edges and conflicts of all kinds.
  Var make(const Meaning& meaning, bool wanted = true);
  void state(Lit lit, RefutationStep& step) const;
  bool ask_for_order(TxnId a, TxnId b);
  std::optional<Lit> find_literal(VersionOrder order) const;
  bool apply(Lit lit, std::vector<Lit>& conflict);
  bool add_order(const VersionOrder& order, Lit lit, std::vector<Lit>& conflict);
  bool try_insert(NodeId from, NodeId to, const LabelledEdge& label);
  bool insert(NodeId from, NodeId to, const LabelledEdge& label, std::vector<Lit>& conflict);
  void report_moves();
  bool is_direct(VersionOrder order) const;
  std::uint32_t price(graph::EdgeId edge) const;
  void explain(NodeId from, NodeId to, const LabelledEdge& closing, std::vector<Lit>& conflict);
  LabelledEdge label_of(graph::EdgeId edge) const;

  // Sources and effects (version_sources.cpp).
  void add_derived();
  void make_choices();
  bool choose(Lit lit, std::vector<Lit>& conflict);
  Lit prefer_source(Var var) const;
  void add_sources(Witness& witness) const;
  bool make_all_sources();
  bool has_room_for(std::uint64_t sources);
  void add_doubtful_overwriters();
  void add_views_of_known_reads();
  std::vector<WriteId> candidates(std::uint32_t read) const;
  std::size_t candidate_count(std::uint32_t read) const;
  bool is_candidate(std::uint32_t read, WriteId source) const;
  bool make_sources(std::uint32_t read);
  std::uint32_t first_equal_read(std::uint32_t read) const;
  std::int64_t place(std::uint32_t read, WriteId source) const;
  void undo(Lit lit);
  bool assign_order(const VersionOrder& order, Lit lit, std::vector<Lit>& conflict);
  bool assign_source(const Meaning& meaning, Lit lit, std::vector<Lit>& conflict);
  bool assign_effect(TxnId txn, Lit lit, std::vector<Lit>& conflict);
  bool add_views(const Meaning& meaning, Lit lit, std::vector<Lit>& conflict);
  bool add_view(TxnId visible, WriteId source, KeyId key, TxnId reader, std::array<Lit, 2> lits,
                std::vector<Lit>& conflict);
  Lit true_source(std::uint32_t read) const;
  void add_effects(const std::vector<Edge>& cycle, std::vector<Lit>& conflict) const;
  template <typename Visit>
  void for_chosen_readers(const VersionOrder& order, const Visit& visit) const;
  WriteId source_of(std::uint32_t read) const;

  // Final checks.
  void look_for_missed_writes();
  void judge_sources();
  Final check_order(std::vector<std::vector<Lit>>& conflicts);
  bool ask_for_broken();
  bool is_settled(const VersionOrder& order) const;
  void touch(TxnId txn);
  bool ask_for_deletions(const BrokenPair& pair);
  std::optional<LabelledEdge> replacement(const BrokenPair& pair);
  Final replace_live_versions(std::vector<std::vector<Lit>>& conflicts);
  bool fits(KeyId key, std::span<const WriteId> writes);
  WriteId version_before(NodeId event, std::span<const WriteId> writes) const;
  bool may_come_from(std::uint32_t read, WriteId source) const;
  bool ask_for_source(std::uint32_t read);
  void start_tallies();
  void move_tallies(std::uint32_t read);
  void move_tallies_back(std::uint32_t read);
  bool check_groups(std::uint32_t read, Lit lit, std::vector<Lit>& conflict);
  bool ask_for_results(std::vector<std::vector<Lit>>& conflicts);
  bool ask_for(std::uint32_t read, WriteId source);
  std::optional<WriteId> known_source(std::uint32_t read) const;
  void explain_result(const Groups::Group& group, const std::vector<std::uint32_t>& needed,
                      std::vector<Lit>& conflict);

  EventGraph& events_;
  const prune::Derivation& derived_;
  const Observations& seen_;
  const History& history_;
  base::Budget& budget_;
  const std::optional<Choosing> choosing_;
  solver::Solver* solver_ = nullptr;
  graph::IncrementalOrder order_;
  graph::PathFinder paths_;
  std::vector<Lemma> lemmas_;
  std::vector<Meaning> meanings_;                      // by variable
  std::unordered_map<std::uint64_t, Var> order_vars_;  // by packed pair, lower first
  std::vector<Mark> trail_;                            // by assignment
  std::vector<LabelledEdge> labels_;                   // by tag
  std::vector<std::vector<Lit>> replacements_;         // see LabelledEdge
  std::string stopped_;

  std::optional<OrderCheck> check_;
  std::unique_ptr<FinalCheck> other_check_;  // without a check_
  std::vector<BrokenPair> broken_;

  // Sources and effects.
  std::optional<infer::OpenIndex> open_index_;
  std::vector<std::uint8_t> effective_;           // by transaction
  std::vector<Var> effect_var_;                   // by transaction: of doubtful ones
  std::vector<Range> sources_;                    // by open read: its variables
  std::vector<Var> chosen_;                       // by open read: the first that is true
  std::vector<std::uint32_t> same_as_;            // by open read: the one with its variables
  std::vector<TxnId> session_writer_;             // by open read: see add_views()
  std::vector<std::vector<Chosen>> readers_;      // by write: found or chosen to have read it
  std::vector<std::vector<Chosen>> overwriters_;  // by write: derived or decided to be later
  std::vector<std::vector<Lit>> orders_of_;       // by transaction: decided, if it is doubtful
  std::vector<Var> before_;  // by true source on the trail: the read's chosen_ before it
  std::vector<Var> wanted_;  // by open read: the source that the final check asked for last
  base::Csr<std::uint32_t> reads_of_;  // by key: open reads that have variables
  std::vector<WriteId> by_order_;      // by open read without a true source: see fits()
  std::vector<std::uint32_t> unsettled_;
  std::vector<std::vector<InGroup>> groups_of_;  // by open read with variables
  std::vector<history::Tally> tallies_;          // by group: of all items, as they are now
  std::vector<history::Span> tallied_;  // what items contributed before, in stack order
  Witness judged_;                      // of the last full choice
};

}  // namespace isolde::checker
