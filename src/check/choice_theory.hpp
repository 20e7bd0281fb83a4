// ChoiceTheory: the sources of reads as literals, next to the version orders, for histories in
// which values repeat.
//
// Three kinds of variables: an *order* of two writers, as in OrderTheory and made as lazily; a
// *source*, "this read came from that write"; and an *effect*, "this transaction took effect",
// for the indeterminate ones of which the certain reads do not tell. The solver is given the
// clauses that tie them: a read has one of its sources; a source took effect; a transaction
// that took effect has a source for each read. The theory turns what is assigned into edges: a
// source into a read-from edge and, with the orders of its writer, into anti-dependencies. The
// weaker levels have view edges instead, between the sources of two reads.
//
// The polygraphs of Cobra with read-from choices are the hyper-polygraphs of VeriStrong
// (arXiv 2511.14067); unlike there, nothing is written out in advance but the sources.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/budget.hpp"
#include "check/level_traits.hpp"
#include "check/order_check.hpp"
#include "graph/paths.hpp"
#include "graph/topological.hpp"
#include "infer/event_graph.hpp"
#include "isolde/level.hpp"
#include "solver/solver.hpp"
#include "solver/theory.hpp"

namespace isolde::checker {

/// Appends the literal unless it is there already, or none.
inline void add_once(std::vector<solver::Lit>& lits, solver::Lit lit) {
  if (lit == solver::Lit()) return;
  if (std::find(lits.begin(), lits.end(), lit) == lits.end()) lits.push_back(lit);
}

class ChoiceTheory final : public solver::Theory {
 public:
  using Lit = solver::Lit;
  using Var = solver::Var;

  /// `order` is a topological order of the graph, which has no extra edges; the observations
  /// are from observe_open(), without finding or ambiguity. All must outlive this object.
  ChoiceTheory(EventGraph& events, const LevelInfo& level, const std::vector<NodeId>& order,
               std::int64_t clock_error_ns, base::Budget& budget);

  /// How many variables of sources connect() makes.
  std::uint64_t count_sources() const;

  /// Makes the variables of sources and effects, and their clauses. `hints` are sources to try
  /// first, by open read, or empty. REQUIRES: called once. When the budget runs out, nothing
  /// more may be called.
  void connect(solver::Solver& solver, const std::vector<WriteId>& hints);

  bool assign(Lit lit, std::vector<Lit>& conflict) override;
  void backtrack(std::size_t count) override;
  Final final_check(std::vector<std::vector<Lit>>& conflicts) override;
  Lit prefer(Var var) const override;

  /// What a literal says: one of the two.
  struct Statement {
    std::optional<VersionOrder> order;
    Claim claim;
  };
  Statement statement_of(Lit lit) const;
  /// Cycles behind the theory's clauses, in the order in which they were reported.
  const std::vector<std::vector<Edge>>& lemmas() const { return lemmas_; }
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
  /// An edge that is in the graph as long as the literals are true.
  struct Label {
    Edge edge;
    std::array<Lit, 2> lits;
  };
  struct Chosen {
    TxnId txn;  ///< a reader of the write, or a writer that comes after it
    Lit lit;
  };

  /// Variables one after the other.
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  static constexpr std::uint32_t kNoVar = 0xffffffffU;

  bool orders_versions() const { return checker::orders_versions(level_.base); }
  bool took_effect(TxnId txn) const { return effective_[txn.raw()] != 0; }
  const infer::OpenRead& read_of(const Meaning& meaning) const {
    return seen_.open_reads()[meaning.read];
  }
  TxnId writer_of(WriteId write) const {
    return write.is_none() ? TxnId::none() : seen_.writer(write);
  }

  /// REQUIRES: the transaction is doubtful.
  Lit effect_lit(TxnId txn) const { return Lit(Var(effect_var_[txn.raw()]), false); }

  void add_views_of_known_reads();
  void make_sources(std::uint32_t read);
  std::uint32_t first_equal_read(std::uint32_t read) const;
  std::uint32_t guess(std::uint32_t read) const;

  bool assign_order(const VersionOrder& order, Lit lit, std::vector<Lit>& conflict);
  bool assign_source(const Meaning& meaning, Lit lit, std::vector<Lit>& conflict);
  bool assign_effect(TxnId txn, Lit lit, std::vector<Lit>& conflict);
  bool add_order_edges(const VersionOrder& order, Lit lit, std::vector<Lit>& conflict);
  bool add_views(const Meaning& meaning, Lit lit, std::vector<Lit>& conflict);
  bool add_view(TxnId visible, WriteId source, KeyId key, TxnId reader, std::array<Lit, 2> lits,
                std::vector<Lit>& conflict);
  template <typename Visit>
  void for_each_common_key(const VersionOrder& order, const Visit& visit) const;
  Lit true_source(std::uint32_t read) const;

  bool insert(NodeId from, NodeId to, const Label& label, std::vector<Lit>& conflict);
  void explain(NodeId from, NodeId to, const Label& label, std::vector<Lit>& conflict);
  void add_effects(const std::vector<Edge>& cycle, std::vector<Lit>& conflict) const;

  // Full assignments of levels that order all versions of a key.
  void find_broken();
  void check_key(KeyId key);
  bool add_pair(TxnId a, TxnId b);
  void touch(TxnId txn);
  void touch(KeyId key);

  // Full assignments of the other levels.
  Final judge_sources();
  bool explain_edge(const infer::Observations& chosen, const Edge& edge);
  bool explain_read(TxnId reader, KeyId key, TxnId writer);
  bool explain_view(const Edge& edge);
  bool explain_past(const Edge& edge);
  Lit source_lit(TxnId reader, KeyId key, TxnId writer) const;

  EventGraph& events_;
  const infer::Observations& seen_;
  const History& history_;
  const LevelInfo& level_;
  std::int64_t clock_error_ns_;
  base::Budget& budget_;
  solver::Solver* solver_ = nullptr;
  std::vector<WriteId> hints_;

  std::vector<Meaning> meanings_;          // by variable
  std::vector<Range> sources_;             // by open read: its variables
  std::vector<Var> chosen_;                // by open read: the first of them that is true
  std::vector<std::uint32_t> same_as_;     // by open read: the one with its variables
  std::vector<std::uint32_t> first_open_;  // by transaction: first of its open reads
  std::vector<std::uint32_t> effect_var_;  // by transaction: of doubtful ones
  std::vector<std::uint8_t> effective_;    // by transaction
  std::vector<TxnId> session_writer_;      // by open read: see add_views()
  std::unordered_map<std::uint64_t, Var> pair_index_;
  std::vector<std::vector<Chosen>> readers_;      // by write: chosen to have read from it
  std::vector<std::vector<Chosen>> overwriters_;  // by write: decided to come after it
  std::vector<std::vector<Lit>> orders_of_;       // by transaction: decided, if it is doubtful

  struct Mark {
    Lit lit;
    std::size_t edges;
    Var chosen;  ///< of a source: the read's before
  };
  std::vector<Mark> trail_;
  std::vector<Label> labels_;  // by extra edge
  graph::IncrementalOrder order_;
  graph::PathFinder paths_;
  std::vector<std::vector<Edge>> lemmas_;
  std::vector<Lit> objection_;
  Witness weak_witness_;

  base::Csr<WriteId> sorted_;  // by key
  std::vector<KeyId> marked_;
  std::vector<std::uint8_t> is_marked_;
  std::vector<BrokenPair> broken_;
};

}  // namespace isolde::checker
