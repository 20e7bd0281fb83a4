// Goal: read committed and monotonic atomic view. Method: hand histories, the verifier's word
// on every proof, and the brute-force oracle on random histories.
#include "weak/weak.hpp"

#include <gtest/gtest.h>

#include "oracle/brute.hpp"
#include "support/proved.hpp"
#include "support/random_history.hpp"

namespace isolde::checker {
namespace {

using test::Observed;
using test::proved;
using enum Level;

std::string weak_verdict(const Observed& observed, Level level) {
  base::Budget budget;
  return proved(*observed.history, level,
                decide_weak(observed.seen, info(level), 0, budget).value());
}

struct WeakCase {
  const char* what;
  const char* text;
  const char* read_committed;
  const char* atomic_view;
};

TEST(Weak, HandMadeHistories) {
  const WeakCase cases[] = {
      {"nothing", "A: nop", "holds", "holds"},
      {"lost update", "A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)", "holds", "holds"},
      {"circular flow (G1c)", "A: w(x=1) r(y=1) ; B: r(x=1) w(y=1)", "violated", "violated"},
      {"circular flow through a list", "A: a(l=1) r(x=1) ; B: a(l=2) w(x=1) ; C: r(l=[2 1])",
       "holds", "holds"},
      {"list order against read-from", "A: a(l=1) r(x=1) ; B: a(l=2) w(x=1) ; C: r(l=[1 2])",
       "violated", "violated"},
      {"half of a transaction, initial after", "A: w(x=1) w(y=1) ; B: r(x=1) r(y=_)", "holds",
       "violated"},
      {"half of a transaction, initial before", "A: w(x=1) w(y=1) ; B: r(y=_) r(x=1)", "holds",
       "holds"},
      {"half of a transaction, older after", "A: w(y=0) | w(x=1) w(y=1) ; B: r(x=1) r(y=0)",
       "holds", "violated"},
      {"session order against read-from", "A: r(x=1) | w(x=1)", "holds", "violated"},
  };
  for (const WeakCase& each : cases) {
    const Observed observed(each.text);
    EXPECT_EQ(weak_verdict(observed, kReadCommitted), each.read_committed) << each.what;
    EXPECT_EQ(weak_verdict(observed, kStrongSessionMonotonicAtomicView), each.atomic_view)
        << each.what;
  }
}

TEST(Weak, OneEdgeCanBeTheWholeCycle) {
  const Observed observed("A: w(x=1) w(y=1) ; B: r(x=1) r(y=_)");
  base::Budget budget;
  const std::optional<Proof> proof =
      decide_weak(observed.seen, info(kStrongSessionMonotonicAtomicView), 0, budget);
  Refutation expected;
  expected.steps.push_back({{}, {test::mv(0, 0, 1, 1)}, {}});
  EXPECT_EQ(proof, Proof(expected));
}

TEST(Weak, AgreesWithTheOracle) {
  int violated = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const support::PlainHistory plain = support::random_history(seed);
    if (support::has_duplicate_writes(plain)) continue;
    const Observed observed(support::build(plain));
    if (observed.seen.finding() || !observed.seen.ambiguity().empty()) continue;
    for (const Level level : {kReadCommitted, kStrongSessionMonotonicAtomicView}) {
      const bool holds = oracle::brute_force_holds(*observed.history, level, 0);
      ASSERT_EQ(weak_verdict(observed, level), holds ? "holds" : "violated")
          << "seed " << seed << "\n"
          << support::to_text(plain);
      violated += holds ? 0 : 1;
    }
  }
  EXPECT_GT(violated, 20);
}

/// An answer that is not finished is none: not a refutation without steps, not a model.
TEST(Weak, StopsWithoutAProof) {
  const Observed observed("A: w(x=1) w(y=1) ; B: r(x=1) r(y=1)");
  for (const Level level : {kReadCommitted, kReadAtomic, kTransactionalCausal}) {
    base::Budget budget;
    budget.cancel_after(0);
    EXPECT_FALSE(decide_weak(observed.seen, info(level), 0, budget)) << info(level).name;
  }
  base::Budget budget;
  budget.cancel_after(0);
  EXPECT_FALSE(decide_uncommitted(observed.seen, info(kReadUncommitted), 0, budget));
}

}  // namespace
}  // namespace isolde::checker
