// The verifier against the oracle, without the engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include "base/hash.hpp"
#include "certify/verify.hpp"
#include "history/base_levels.hpp"
#include "oracle/brute.hpp"
#include "oracle/level_tests.hpp"
#include "support/applies.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde {
namespace {

bool is_snapshot(BaseLevel base) {
  return oracle::level_test(base).asks == oracle::Asks::kSnapshot;
}

// The oracle's execution as a witness.
Witness witness_of(const History& history, Level level, std::int64_t clock_error_ns,
                   const std::vector<TxnId>& order) {
  const bool is_mixed = info(level).base == BaseLevel::kMixed;
  if (!is_snapshot(info(level).base) && !is_mixed) return {1, order};
  oracle::Execution execution(history, order, clock_error_ns);
  std::vector<std::vector<TxnId>> snapshots_after(order.size() + 1);
  for (const TxnId txn : order) {
    LevelInfo own = info(level);
    if (is_mixed) own.base = info(history.stated_level(txn).value()).base;
    const std::size_t snapshot = is_snapshot(own.base)
                                     ? execution.snapshot_states(own, txn).back()
                                     : execution.order().size();
    snapshots_after[snapshot].push_back(txn);
    execution.push(txn);
  }
  Witness witness{2, {}};
  for (std::size_t state = 0; state <= order.size(); ++state) {
    if (state > 0) witness.order.push_back(order[state - 1]);
    const std::vector<TxnId>& starting = snapshots_after[state];
    witness.order.insert(witness.order.end(), starting.begin(), starting.end());
  }
  return witness;
}

Witness random_witness(const History& history, base::Rng& rng) {
  Witness witness{rng.chance(0.5) ? 1 : 2, {}};
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    if (history.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    if (history.status(TxnId::at(t)) == TxnStatus::kIndeterminate && rng.chance(0.5)) continue;
    for (int i = 0; i < witness.mentions; ++i) witness.order.push_back(TxnId::at(t));
  }
  for (std::size_t i = witness.order.size(); i > 1; --i) {
    // Near the order of the input, which is often right.
    if (rng.chance(0.3)) std::swap(witness.order[i - 1], witness.order[rng.below(i)]);
  }
  return witness;
}

// One execution for all sessions and keys; what is read uncommitted needs no order to speak of.
bool has_plain_witness(const LevelInfo& level, const History& history) {
  return support::applies(level.level, history) && !explains_sessions_apart(level.base) &&
         level.base != BaseLevel::kLinearizable && level.base != BaseLevel::kReadUncommitted;
}

bool asks_for_sources(BaseLevel base) {
  const oracle::Asks asks = oracle::level_test(base).asks;
  return asks != oracle::Asks::kForwardReads &&
         (oracle::asks_for_sources(base) || asks == oracle::Asks::kOwnLevel);
}

// Goal: the verifier accepts a witness exactly when the order it names passes the commit test.
// Method: orders found by the oracle must be accepted; random orders may be accepted only where
// the oracle says that the level holds.
TEST(Verifier, AcceptsTheWitnessesOfTheOracleAndNoWrongOnes) {
  const std::uint64_t cases = support::case_count(10'000);
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    base::Rng rng(seed);
    support::RandomHistoryOptions options = support::random_options(rng);
    if (i % 5 == 0) options.duplicate_share = 0.15;
    const support::PlainHistory plain = support::random_history(rng, options);
    const History history = support::build(plain);
    const auto clock_error_ns = static_cast<std::int64_t>(rng.below(2) * rng.below(12));
    for (const LevelInfo& level : all_levels()) {
      if (!has_plain_witness(level, history)) continue;
      const auto execution =
          oracle::brute_force_execution(history, level.level, clock_error_ns);
      Certificate certificate{level.level, history.digest(), clock_error_ns, {}};
      if (execution) {
        // Where values repeat, the oracle may take a read from a writer that the verifier,
        // which asks for the last one, would not choose.
        if (asks_for_sources(level.base) && support::has_duplicate_writes(plain)) continue;
        certificate.proof = witness_of(history, level.level, clock_error_ns, *execution);
        const certify::VerifyResult result = certify::verify(history, certificate);
        ASSERT_TRUE(result.proves)
            << level.name << ": " << result.reason << "; seed " << seed << "\n"
            << support::to_text(plain);
        continue;
      }
      for (int tries = 0; tries < 5; ++tries) {
        certificate.proof = random_witness(history, rng);
        ASSERT_FALSE(certify::verify(history, certificate).proves)
            << level.name << "; seed " << seed << "\n"
            << support::to_text(plain);
      }
    }
  }
}

TxnId random_txn(const History& history, base::Rng& rng) {
  if (rng.chance(0.1)) return TxnId::none();
  return TxnId::at(rng.below(history.txn_count()));
}

Finding random_finding(const History& history, base::Rng& rng) {
  Finding finding;
  finding.kind = static_cast<FindingKind>(rng.below(kFindingKindCount));
  finding.txn = random_txn(history, rng);
  finding.op = static_cast<std::uint32_t>(rng.below(5));
  finding.element = static_cast<std::uint32_t>(rng.below(2) * rng.below(3));
  if (rng.chance(0.5)) finding.other = random_txn(history, rng);
  finding.other_op = static_cast<std::uint32_t>(rng.below(2) * rng.below(5));
  return finding;
}

/// Edges by the database's times only count where it told them: more of them there.
EdgeKind random_edge_kind(const History& history, base::Rng& rng) {
  const bool timed = history.has_database_times() && rng.chance(0.6);
  const std::size_t first = timed ? static_cast<std::size_t>(EdgeKind::kCommitOrder) : 0;
  return static_cast<EdgeKind>(first + rng.below(kEdgeKindCount - first));
}

/// Now and then a read returns what nobody wrote, which a random history never does.
void unwrite_a_value(support::PlainHistory& plain, base::Rng& rng) {
  if (!rng.chance(0.1)) return;
  for (support::PlainTxn& txn : plain) {
    for (support::PlainOp& op : txn.ops) {
      if (op.kind == OpKind::kRead && rng.chance(0.3)) op.value = "987654";
    }
  }
}

// A cycle whose edges at least have keys that their transactions use.
Refutation random_refutation(const History& history, base::Rng& rng) {
  RefutationStep step;
  std::vector<TxnId> txns;
  for (std::uint64_t left = 1 + rng.below(3); left > 0; --left) {
    txns.push_back(TxnId::at(rng.below(history.txn_count())));
  }
  for (std::size_t i = 0; i < txns.size(); ++i) {
    Edge edge{txns[i], txns[(i + 1) % txns.size()], random_edge_kind(history, rng), {}, {}};
    const std::span<const Op> ops = history.ops(edge.to);
    if (edge.kind >= EdgeKind::kReadFrom && !ops.empty()) {
      edge.key = ops[rng.below(ops.size())].key;
    }
    if (edge.kind >= EdgeKind::kAntiDependency) edge.via = random_txn(history, rng);
    step.cycle.push_back(edge);
  }
  return {{step}};
}

/// What no forgery of a kind gets past says nothing: each kind is accepted now and then.
void expect_each(const char* what, std::span<const std::uint64_t> accepted,
                 std::uint64_t cases) {
  for (std::size_t kind = 0; kind < accepted.size(); ++kind) {
    std::printf("%s kind %zu: %llu accepted\n", what, kind,
                static_cast<unsigned long long>(accepted[kind]));
    EXPECT_TRUE(cases < 1'000 || accepted[kind] > 0) << what << " kind " << kind;
  }
}

// Goal: no false accusation gets past the verifier. Method: random findings and cycles; what is
// accepted must be a violation for the oracle too, and some of each kind must be accepted.
TEST(Verifier, AcceptsNoAccusationThatIsFalse) {
  const std::uint64_t cases = support::case_count(3'000);
  std::array<std::uint64_t, kFindingKindCount> findings{};
  std::array<std::uint64_t, kEdgeKindCount> edges{};
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{1} << 32) + i);
    base::Rng rng(seed);
    const double kind = rng.unit();
    support::PlainHistory plain =
        support::random_history(rng, kind < 0.2   ? support::random_selection_options(rng, true)
                                     : kind < 0.4 ? support::random_row_options(rng)
                                                  : support::random_options(rng));
    unwrite_a_value(plain, rng);
    const History history = support::build(plain);
    const auto clock_error_ns = static_cast<std::int64_t>(rng.below(2) * rng.below(12));
    for (const LevelInfo& level : all_levels()) {
      const bool needs_levels = level.base == BaseLevel::kMixed;
      if (needs_levels && !support::applies(level.level, history)) continue;
      const bool holds = oracle::brute_force_holds(history, level.level, clock_error_ns);
      Certificate certificate{level.level, history.digest(), clock_error_ns, {}};
      // Few cycles are closed where the database's times count.
      const bool timed = goes_by_database_times(level.base) && history.has_database_times();
      for (int tries = timed ? 600 : 90; tries > 0; --tries) {
        const bool is_finding = tries % 3 == 0;
        if (is_finding) {
          certificate.proof = random_finding(history, rng);
        } else {
          certificate.proof = random_refutation(history, rng);
        }
        if (!certify::verify(history, certificate).proves) continue;
        if (const auto* finding = std::get_if<Finding>(&certificate.proof)) {
          ++findings[static_cast<std::size_t>(finding->kind)];
        } else {
          for (const Edge& edge : std::get<Refutation>(certificate.proof).steps[0].cycle) {
            ++edges[static_cast<std::size_t>(edge.kind)];
          }
        }
        ASSERT_FALSE(holds) << level.name << (is_finding ? ", finding" : ", refutation")
                            << "; seed " << seed << "\n"
                            << support::to_text(plain);
      }
    }
  }
  // The last two are of increments, which have a test of their own (increment_prop.cpp).
  expect_each("finding", std::span(findings).first(kFindingKindCount - 2), cases);
  expect_each("edge", edges, cases);
}

}  // namespace
}  // namespace isolde
