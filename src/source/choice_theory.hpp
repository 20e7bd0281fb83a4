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

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "infer/event_graph.hpp"
#include "infer/open_index.hpp"
#include "isolde/level.hpp"
#include "level/level_traits.hpp"
#include "search/order_theory.hpp"
#include "source/groups.hpp"

namespace isolde::checker {

/// Invariants: C1 a read has variables for all of its possible sources or for none, where
/// order_tells_sources() ascending by source; C2 readers_, overwriters_, orders_of_ and before_
/// grow and shrink with the trail, in stack order.
class ChoiceTheory final : public OrderTheory {
 public:
  using Lit = solver::Lit;
  using Var = solver::Var;

  /// Decides the level for observations whose sources were all chosen: a witness, a refutation,
  /// or none when a limit was met.
  using Judge = std::function<std::optional<Proof>(const infer::Observations& chosen)>;

  /// As for OrderTheory; the observations are from observe_open(), without finding or
  /// ambiguity. `hints` are sources to try first, by open read, or empty. `judge` is called
  /// where the order does not tell sources.
  ChoiceTheory(EventGraph& events, const prune::Derivation& derived, const LevelInfo& level,
               const std::vector<NodeId>& order, const Groups& groups,
               const std::vector<WriteId>& hints, std::int64_t clock_error_ns, Judge judge,
               base::Budget& budget);

  /// Creates the effect variables and, unless an order tells sources, all source variables with
  /// their clauses; else the final check creates those of the reads that need them.
  void connect(solver::Solver& solver) override;

  void backtrack(std::size_t count) override;
  Final final_check(std::vector<std::vector<Lit>>& conflicts) override;
  Lit prefer(Var var) const override;
  bool needs(Var var) const override;

  Witness witness() const override;

 private:
  using Kind = Meaning::Kind;
  /// A reader of a write, or a later writer, and the reason: a literal, a fact, or neither
  /// (certain).
  struct Chosen {
    TxnId txn;
    Lit lit;
    std::uint32_t fact = LabelledEdge::kNoFact;
  };
  /// What OrderCheck is to take into account.
  struct Choices;

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
  const Meaning& meaning_of(Lit lit) const { return meanings_[lit.var().raw()]; }

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

  void state(Lit lit, RefutationStep& step) const override;
  bool apply(Lit lit, std::vector<Lit>& conflict) override;
  void undo(Lit lit);
  bool assign_order(const VersionOrder& order, Lit lit, std::vector<Lit>& conflict);
  bool assign_source(const Meaning& meaning, Lit lit, std::vector<Lit>& conflict);
  bool assign_effect(TxnId txn, Lit lit, std::vector<Lit>& conflict);
  bool add_order_edges(const VersionOrder& order, Lit lit, std::vector<Lit>& conflict);
  bool add_views(const Meaning& meaning, Lit lit, std::vector<Lit>& conflict);
  bool add_view(TxnId visible, WriteId source, KeyId key, TxnId reader, std::array<Lit, 2> lits,
                std::vector<Lit>& conflict);
  Lit true_source(std::uint32_t read) const;

  void add_effects(const std::vector<Edge>& cycle, std::vector<Lit>& conflict) const override;
  template <typename Visit>
  void for_chosen_readers(const VersionOrder& order, const Visit& visit) const;

  // Final check where the order of events tells sources.
  bool look() override;
  bool ask_for_more() override;
  bool fits(KeyId key, std::span<const WriteId> writes);
  WriteId version_before(NodeId event, std::span<const WriteId> writes) const;
  bool may_come_from(std::uint32_t read, WriteId source) const;
  bool ask_for_source(std::uint32_t read);
  std::int64_t place(std::uint32_t read, WriteId source) const;
  WriteId source_of(std::uint32_t read) const;
  bool is_settled(const VersionOrder& order) const override;
  void on_move(NodeId node) override;
  void touch(TxnId txn);

  // Aggregates (choice_groups.cpp).
  void start_tallies();
  void move_tallies(std::uint32_t read);
  void move_tallies_back(std::uint32_t read);
  bool check_groups(std::uint32_t read, Lit lit, std::vector<Lit>& conflict);
  bool ask_for_results(std::vector<std::vector<Lit>>& conflicts);
  bool ask_for(std::uint32_t read, WriteId source);
  std::optional<WriteId> known_source(std::uint32_t read) const;
  void explain_result(const Groups::Group& group, const std::vector<std::uint32_t>& needed,
                      std::vector<Lit>& conflict);

  // Full assignments of the other levels.
  Final judge_sources(std::vector<Lit>& conflict);
  infer::Observations observe_choices() const;
  void shorten(Lemma& lemma, std::vector<Lit>& conflict);
  bool is_shorter_without(Lit dropped, Lemma& lemma, std::vector<Lit>& conflict);
  Lit judged_source(std::uint32_t read) const;
  Lemma under_choice(const infer::Observations& chosen, const Refutation& refutation,
                     std::vector<Lit>& conflict) const;
  void deny(const std::vector<Lit>& lits, RefutationStep& step) const;
  bool explain_edge(const infer::Observations& chosen, const Edge& edge,
                    std::vector<Lit>& lits) const;
  bool explain_read(TxnId reader, KeyId key, TxnId writer, std::vector<Lit>& lits) const;
  bool explain_order(VersionOrder order, std::vector<Lit>& lits) const;
  bool explain_leaving(TxnId txn, std::vector<Lit>& lits) const;
  bool explain_view(const Edge& edge, std::vector<Lit>& lits) const;
  bool explain_past(const Edge& edge, std::vector<Lit>& lits) const;

  const History& history_;
  const LevelInfo& level_;
  const Groups& groups_;
  std::int64_t clock_error_ns_;
  std::vector<WriteId> hints_;

  std::vector<Lit> judged_with_;  // the only choices that count while a conflict is shortened
  std::vector<Range> sources_;    // by open read: its variables
  std::vector<Var> chosen_;       // by open read: the first of them that is true
  std::vector<std::uint32_t> same_as_;  // by open read: the one with its variables
  infer::OpenIndex open_index_;
  std::vector<std::uint32_t> effect_var_;         // by transaction: of doubtful ones
  std::vector<std::uint8_t> effective_;           // by transaction
  std::vector<TxnId> session_writer_;             // by open read: see add_views()
  std::vector<std::vector<Chosen>> readers_;      // by write: found or chosen to have read it
  std::vector<std::vector<Chosen>> overwriters_;  // by write: derived or decided to be later
  std::vector<std::vector<Lit>> orders_of_;       // by transaction: decided, if it is doubtful

  std::vector<Var> before_;  // by true source on the trail: the read's chosen_ before it
  Judge judge_;
  Witness judged_;  // of the last full choice

  base::Csr<std::uint32_t> reads_of_;  // by key: open reads that have variables
  std::vector<WriteId> by_order_;      // by open read without a true source: see check_reads()
  std::vector<std::uint32_t> unsettled_;
  /// An item of a group, and what it contributes by the source that is chosen.
  struct InGroup {
    std::uint32_t group;
    std::uint32_t place;
    history::Span now;
  };
  std::vector<std::vector<InGroup>> groups_of_;  // by open read with variables
  std::vector<history::Tally> tallies_;          // by group: of all items, as they are now
  std::vector<history::Span> tallied_;  // what items contributed before, in stack order
  std::vector<Var> wanted_;  // by open read: the source that the final check asked for last
};

}  // namespace isolde::checker
