// ChoiceTheory: the sources of reads as literals, next to the version orders, for histories in
// which values repeat.
//
// Three kinds of variables: an *order* of two writers, created lazily as in OrderTheory; a
// *source*, "this read came from that write"; and an *effect*, "this transaction took effect",
// for indeterminate ones that the certain reads do not decide. Clauses in the solver tie them:
// a read has one of its sources; a source took effect; a transaction that took effect has a
// source for each read. The theory turns assignments into edges: a source into a read-from edge
// and, with the orders of its writer, into anti-dependencies. Weaker levels have view edges
// instead, between the sources of two reads.
//
// Cobra's polygraphs with read-from choices are the hyper-polygraphs of VeriStrong (arXiv
// 2511.14067). Unlike VeriStrong, we encode little in advance: where an order of the events
// tells sources, the final check creates the source variables of a read that the current order
// gets wrong (choice_final.cpp); elsewhere all sources exist from the start, and a full choice
// is judged (choice_judge.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "graph/paths.hpp"
#include "graph/topological.hpp"
#include "infer/event_graph.hpp"
#include "infer/open_index.hpp"
#include "isolde/level.hpp"
#include "level/level_traits.hpp"
#include "refute/derived_edges.hpp"
#include "refute/established.hpp"
#include "search/edge_theory.hpp"
#include "search/order_check.hpp"
#include "solver/solver.hpp"
#include "solver/theory.hpp"

namespace isolde::checker {

/// Invariants: C1 each variable of the solver has a meaning; C2 each extra edge from
/// derived_edges_ on has a label, whose literals are true; C3 a read has variables for all of
/// its possible sources or for none, where order_tells_sources() ascending by source; C4
/// readers_, overwriters_ and orders_of_ grow and shrink with the trail, in stack order.
class ChoiceTheory final : public EdgeTheory {
 public:
  using Lit = solver::Lit;
  using Var = solver::Var;

  /// Decides the level for observations whose sources were all chosen: a witness, a refutation,
  /// or none when a limit was met.
  using Judge = std::function<std::optional<Proof>(const infer::Observations& chosen)>;

  /// `order` is a topological order of the graph, whose extra edges are those of `derived`; the
  /// observations are from observe_open(), without finding or ambiguity. All must outlive this
  /// object. `judge` is called where the order does not tell sources.
  ChoiceTheory(EventGraph& events, const prune::Derivation& derived, const LevelInfo& level,
               const std::vector<NodeId>& order, std::int64_t clock_error_ns, Judge judge,
               base::Budget& budget);

  /// Not empty: why no more variables can be created; the answer stays unknown.
  const std::string& stopped() const { return stopped_; }

  /// Creates the effect variables and, unless an order tells sources, all source variables with
  /// their clauses; else the final check creates those of the reads that need them.
  /// `hints` are sources to try first, by open read, or empty. REQUIRES: called once. When the
  /// budget runs out, or it is stopped(), nothing more may be called.
  void connect(solver::Solver& solver, const std::vector<WriteId>& hints);

  bool assign(Lit lit, std::vector<Lit>& conflict) override;
  void backtrack(std::size_t count) override;
  Final final_check(std::vector<std::vector<Lit>>& conflicts) override;
  Lit prefer(Var var) const override;
  bool needs(Var var) const override;

  /// The meaning of a literal: one of the two.
  struct Statement {
    std::optional<VersionOrder> order;
    Claim claim;
  };
  Statement statement_of(Lit lit) const;
  /// After a model.
  Witness witness() const;

 private:
  enum class Kind : std::uint8_t { kOrder, kSource, kEffect };
  struct Meaning {
    Kind kind = Kind::kOrder;
    TxnId first;  ///< kOrder: precedes `second` when true. kEffect: the transaction.
    TxnId second;
    std::uint32_t read = 0;  ///< kSource: index in open_reads()
    WriteId source;
  };
  /// A reader of a write, or a later writer, and the reason: a literal, a fact, or neither
  /// (certain).
  struct Chosen {
    TxnId txn;
    Lit lit;
    std::uint32_t fact = LabelledEdge::kNoFact;
  };

  /// Consecutive variables.
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  static constexpr std::uint32_t kNoVar = 0xffffffffU;
  static constexpr std::uint32_t kNoFact = LabelledEdge::kNoFact;

  bool order_tells_sources() const { return checker::order_tells_sources(level_.base); }
  bool took_effect(TxnId txn) const { return effective_[txn.raw()] != 0; }
  const infer::OpenRead& read_of(const Meaning& meaning) const {
    return seen_.open_reads()[meaning.read];
  }

  /// REQUIRES: the transaction is doubtful.
  Lit effect_lit(TxnId txn) const {
    ISOLDE_INVARIANT(effect_var_[txn.raw()] != kNoVar);
    return Lit(Var(effect_var_[txn.raw()]), false);
  }

  void index_reads();
  bool make_all_sources();
  bool has_room_for(std::uint64_t sources);
  void add_derived();
  void add_doubtful_overwriters();
  void add_views_of_known_reads();
  std::vector<WriteId> candidates(std::uint32_t read) const;
  std::size_t candidate_count(std::uint32_t read) const;
  bool is_candidate(std::uint32_t read, WriteId source) const;
  bool make_sources(std::uint32_t read);
  std::uint32_t first_equal_read(std::uint32_t read) const;
  std::uint32_t guess(std::uint32_t read, const std::vector<WriteId>& sources) const;

  bool assign_order(const VersionOrder& order, Lit lit, std::vector<Lit>& conflict);
  bool assign_source(const Meaning& meaning, Lit lit, std::vector<Lit>& conflict);
  bool assign_effect(TxnId txn, Lit lit, std::vector<Lit>& conflict);
  bool add_order_edges(const VersionOrder& order, Lit lit, std::vector<Lit>& conflict);
  bool add_views(const Meaning& meaning, Lit lit, std::vector<Lit>& conflict);
  bool add_view(TxnId visible, WriteId source, KeyId key, TxnId reader, std::array<Lit, 2> lits,
                std::vector<Lit>& conflict);
  Lit true_source(std::uint32_t read) const;

  bool insert(NodeId from, NodeId to, const LabelledEdge& label, std::vector<Lit>& conflict);
  LabelledEdge label_of(graph::EdgeId edge) const override;
  std::uint32_t price(graph::EdgeId edge) const override;
  void on_new_order(VersionOrder pair) override;
  void add_effects(const std::vector<Edge>& cycle, std::vector<Lit>& conflict) const;

  // Final check where the order of events tells sources.
  void touch_moved();
  Final replace_live_versions(std::vector<std::vector<Lit>>& conflicts);
  void find_broken();
  void check_key(KeyId key);
  void check_reads(KeyId key);
  WriteId version_before(NodeId event, std::span<const WriteId> writes) const;
  bool may_come_from(std::uint32_t read, WriteId source) const;
  bool ask_for_source(std::uint32_t read);
  std::int64_t place(std::uint32_t read, WriteId source) const;
  WriteId source_of(std::uint32_t read) const;
  bool is_settled(const VersionOrder& order) const;
  void touch(TxnId txn);
  void touch(KeyId key);

  // Full assignments of the other levels.
  Final judge_sources(std::vector<Lit>& conflict);
  Lemma under_choice(const infer::Observations& chosen, const Refutation& refutation,
                     std::vector<Lit>& conflict) const;
  void deny(const std::vector<Lit>& lits, RefutationStep& step) const;
  bool explain_edge(const infer::Observations& chosen, const Edge& edge,
                    std::vector<Lit>& lits) const;
  bool explain_read(TxnId reader, KeyId key, TxnId writer, std::vector<Lit>& lits) const;
  template <typename Visit>
  void for_deletions_under(const Edge& edge, const Visit& visit) const;
  bool explain_order(VersionOrder order, std::vector<Lit>& lits) const;
  bool explain_leaving(TxnId txn, std::vector<Lit>& lits) const;
  bool explain_view(const Edge& edge, std::vector<Lit>& lits) const;
  bool explain_past(const Edge& edge, std::vector<Lit>& lits) const;

  const prune::Derivation& derived_;
  const infer::Observations& seen_;
  const History& history_;
  const LevelInfo& level_;
  std::int64_t clock_error_ns_;
  std::vector<WriteId> hints_;

  std::vector<Meaning> meanings_;       // by variable
  std::vector<Range> sources_;          // by open read: its variables
  std::vector<Var> chosen_;             // by open read: the first of them that is true
  std::vector<std::uint32_t> same_as_;  // by open read: the one with its variables
  infer::OpenIndex open_index_;
  std::vector<std::uint32_t> effect_var_;         // by transaction: of doubtful ones
  std::vector<std::uint8_t> effective_;           // by transaction
  std::vector<TxnId> session_writer_;             // by open read: see add_views()
  std::vector<std::vector<Chosen>> readers_;      // by write: found or chosen to have read it
  std::vector<std::vector<Chosen>> overwriters_;  // by write: derived or decided to be later
  std::vector<std::vector<Lit>> orders_of_;       // by transaction: decided, if it is doubtful

  struct Mark {
    Lit lit;
    std::size_t edges;
    Var chosen;  ///< of a source: the read's before
  };
  std::vector<Mark> trail_;
  std::size_t derived_edges_;         // extra edges below are the derivation's
  std::vector<LabelledEdge> labels_;  // by extra edge from there on
  Judge judge_;
  Witness judged_;  // of the last full choice

  base::Csr<WriteId> sorted_;          // by key
  base::Csr<std::uint32_t> reads_of_;  // by key: open reads that have variables
  std::vector<WriteId> by_order_;      // by open read without a true source: see check_reads()
  std::vector<std::uint32_t> unsettled_;
  std::vector<Var> wanted_;  // by open read: the source that the final check asked for last
  std::string stopped_;
  std::vector<KeyId> marked_;
  std::vector<std::uint8_t> is_marked_;
  std::vector<BrokenPair> broken_;
};

}  // namespace isolde::checker
