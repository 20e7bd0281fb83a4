// Goal: a refutation is accepted only when every step holds and together they rule out every
// order. Method: the classical anomalies (oracles O4b, O5, ... of Crooks 2019) with proofs by
// hand, and each proof broken in one point.
#include <gtest/gtest.h>

#include "notation.hpp"
#include "support/history_dsl.hpp"

namespace isolde::certify::test {
namespace {

using enum Level;
using Steps = std::vector<RefutationStep>;

RefutationStep by_cycle(std::vector<VersionOrder> clause, std::vector<Edge> cycle) {
  return {std::move(clause), std::move(cycle), {}};
}
RefutationStep by_steps(std::vector<VersionOrder> clause, std::vector<std::uint32_t> from) {
  return {std::move(clause), {}, std::move(from)};
}

std::string refute(const History& history, Level level, const Steps& steps) {
  return outcome(history, refuted(history, level, steps));
}

TEST(VerifyRefutation, WriteSkewIsNotSerializable) {
  // O8.
  const History h = history({"A r:x=_ r:y=_ w:x=1", "B r:x=_ r:y=_ w:y=2"});
  const std::vector<Edge> skew = {rw(0, 1, key(h, "y"), -1), rw(1, 0, key(h, "x"), -1)};
  EXPECT_EQ(cycle(h, kSerializable, skew), "proves");
  EXPECT_EQ(cycle(h, kStrictSerializable, skew), "proves");
  EXPECT_EQ(cycle(h, kSnapshotIsolation, skew),
            "step 0: edge 0: it ends at a commit, but the next edge starts at the snapshot "
            "before it");
  EXPECT_EQ(cycle(h, kReadCommitted, skew),
            "step 0: edge 0: the level has no edges of this kind");
}

TEST(VerifyRefutation, LostUpdateIsNotSnapshotIsolation) {
  // O5. Whoever commits second did not see the first, though it must follow it.
  const History h = history({"A r:x=_ w:x=1", "B r:x=_ w:x=2"});
  const KeyId x = key(h, "x");
  const RefutationStep a_is_not_first = by_cycle({order(1, 0)}, {ww(0, 1, x), rw(1, 0, x, -1)});
  const RefutationStep b_is_not_first = by_cycle({}, {ww(1, 0, x), rw(0, 1, x, -1)});
  EXPECT_EQ(refute(h, kSnapshotIsolation, {a_is_not_first, b_is_not_first}), "proves");
  EXPECT_EQ(refute(h, kSnapshotIsolation, {b_is_not_first}),
            "step 0: edge 0: it assumes that B:0 precedes A:0, but its clause does not say so");
  EXPECT_EQ(refute(h, kSnapshotIsolation, {a_is_not_first}),
            "the last step's clause is not empty");
  RefutationStep no_literal = a_is_not_first;
  no_literal.clause.clear();
  EXPECT_EQ(refute(h, kSnapshotIsolation, {no_literal}),
            "step 0: edge 0: it assumes that A:0 precedes B:0, but its clause does not say so");
  RefutationStep wrong_way = a_is_not_first;
  wrong_way.clause = {order(0, 1)};
  EXPECT_NE(refute(h, kSnapshotIsolation, {wrong_way, b_is_not_first}), "proves");
  // The anti-dependencies alone are a cycle for serializability only.
  EXPECT_EQ(cycle(h, kSerializable, {rw(0, 1, x, -1), rw(1, 0, x, -1)}), "proves");
  EXPECT_NE(cycle(h, kSnapshotIsolation, {rw(0, 1, x, -1), rw(1, 0, x, -1)}), "proves");
}

TEST(VerifyRefutation, LongForkIsNotSnapshotIsolation) {
  // O13b.
  const History h = history({"A w:x=2", "B w:y=2", "C r:x=2 r:y=_", "D r:x=_ r:y=2"});
  const KeyId x = key(h, "x");
  const KeyId y = key(h, "y");
  const std::vector<Edge> fork = {wr(0, 2, x), rw(2, 1, y, -1), wr(1, 3, y), rw(3, 0, x, -1)};
  EXPECT_EQ(cycle(h, kSnapshotIsolation, fork), "proves");
  EXPECT_EQ(cycle(h, kSerializable, fork), "proves");
  std::vector<Edge> gap = fork;
  gap.erase(gap.begin() + 2);
  EXPECT_EQ(cycle(h, kSerializable, gap),
            "step 0: edge 1: the next edge starts at another transaction");
  std::vector<Edge> open = fork;
  open.pop_back();
  EXPECT_EQ(cycle(h, kSerializable, open),
            "step 0: edge 2: the next edge starts at another transaction");
}

TEST(VerifyRefutation, CaseDistinctionOnAVersionOrder) {
  // O4b: C sees b before, and a after, whichever of A and B came first.
  const History h = history({"A w:a=1 w:b=1", "B w:a=2 w:b=2", "C r:a=2 r:b=1"});
  const KeyId a = key(h, "a");
  const KeyId b = key(h, "b");
  const RefutationStep one = by_cycle({order(1, 0)}, {rw(2, 1, b, 0), wr(1, 2, a)});
  const RefutationStep two = by_cycle({order(0, 1)}, {rw(2, 0, a, 1), wr(0, 2, b)});
  EXPECT_EQ(refute(h, kSerializable, {one, two, by_steps({}, {0, 1})}), "proves");
  EXPECT_EQ(refute(h, kSnapshotIsolation, {one, two, by_steps({}, {1, 0})}), "proves");
  EXPECT_EQ(refute(h, kSerializable, {one, two, by_steps({}, {0})}),
            "step 2: its clause does not follow from the earlier steps by unit propagation");
  EXPECT_EQ(refute(h, kSerializable, {one, two, by_steps({}, {0, 2})}),
            "step 2: it refers to a step that is not an earlier one");
  EXPECT_EQ(refute(h, kSerializable, {by_steps({}, {0})}),
            "step 0: it refers to a step that is not an earlier one");
}

TEST(VerifyRefutation, CircularReadsAreNotReadCommitted) {
  // O28.
  const History h = history({"A w:x=1 r:y=2", "B w:y=2 r:x=1"});
  for (const LevelInfo& level : ordinary_levels()) {
    EXPECT_EQ(cycle(h, level.level, {wr(0, 1, key(h, "x")), wr(1, 0, key(h, "y"))}), "proves")
        << level.name;
  }
}

TEST(VerifyRefutation, FracturedReadIsNotMonotonic) {
  // O29: C sees A's x and then the initial y.
  const History h =
      history({"A w:x=1 w:y=1", "B w:y=2", "C r:x=1 r:y=_", "D r:y=2 r:x=1 r:y=2"});
  const KeyId x = key(h, "x");
  const KeyId y = key(h, "y");
  EXPECT_EQ(cycle(h, kStrongSessionMonotonicAtomicView, {mv(0, 0, y, 2)}), "proves");
  EXPECT_NE(cycle(h, kReadCommitted, {mv(0, 0, y, 2)}), "proves");
  EXPECT_NE(cycle(h, kSerializable, {mv(0, 0, y, 2)}), "proves");
  EXPECT_NE(cycle(h, kStrongSessionMonotonicAtomicView, {mv(0, 0, x, 2)}), "proves");
  EXPECT_NE(cycle(h, kStrongSessionMonotonicAtomicView, {mv(1, 1, y, 2)}), "proves");
  EXPECT_NE(cycle(h, kStrongSessionMonotonicAtomicView, {mv(0, 0, y, 3)}), "proves");
  EXPECT_NE(cycle(h, kStrongSessionMonotonicAtomicView, {mv(0, 0, y, 7)}), "proves");
}

TEST(VerifyRefutation, MonotonicViewOrdersTwoWriters) {
  // C read from A and then y from B, so A precedes B; D the other way round.
  const std::vector<std::string> txns = {"A w:x=1 w:y=1", "B w:x=2 w:y=2", "C r:x=1 r:y=2"};
  std::vector<std::string> both = txns;
  both.push_back("D r:x=2 r:y=1");
  const History h = history(both);
  const KeyId y = key(h, "y");
  EXPECT_EQ(cycle(h, kStrongSessionMonotonicAtomicView, {mv(0, 1, y, 2), mv(1, 0, y, 3)}),
            "proves");
  std::vector<std::string> reversed = txns;
  reversed.push_back("D r:y=1 r:x=2");
  const History r = history(reversed);
  EXPECT_EQ(cycle(r, kStrongSessionMonotonicAtomicView,
                  {mv(0, 1, key(r, "y"), 2), mv(1, 0, key(r, "y"), 3)}),
            "step 0: edge 1: B:0 was not visible to D:0");
  EXPECT_EQ(cycle(r, kStrongSessionMonotonicAtomicView, {mv(0, 1, key(r, "x"), 3)}),
            "step 0: edge 0: the next edge starts at another transaction");
}

TEST(VerifyRefutation, SessionOrder) {
  // O22.
  const History h = history({"A w:x=1", "A r:x=_", "B w:y=1"});
  const KeyId x = key(h, "x");
  EXPECT_EQ(cycle(h, kStrongSessionSerializable, {so(0, 1), rw(1, 0, x, -1)}), "proves");
  EXPECT_EQ(cycle(h, kStrongSessionSnapshotIsolation, {so(0, 1), rw(1, 0, x, -1)}), "proves");
  EXPECT_EQ(cycle(h, kSerializable, {so(0, 1), rw(1, 0, x, -1)}),
            "step 0: edge 0: the level has no edges of this kind");
  EXPECT_EQ(cycle(h, kStrictSerializable, {so(0, 1), rw(1, 0, x, -1)}),
            "step 0: edge 0: the level has no edges of this kind");
  EXPECT_EQ(cycle(h, kStrongSessionSerializable, {so(0, 1), so(1, 0)}),
            "step 0: edge 1: the session does not order them so");
  EXPECT_EQ(cycle(h, kStrongSessionSerializable, {so(0, 2), so(2, 0)}),
            "step 0: edge 0: the session does not order them so");
  EXPECT_EQ(cycle(h, kStrongSessionSerializable, {so(0, 0)}),
            "step 0: edge 0: the session does not order them so");
}

TEST(VerifyRefutation, RealTime) {
  // O32.
  const History h = history({"A@10-20 w:x=1", "B@30-40 r:x=_"});
  const KeyId x = key(h, "x");
  Certificate certificate =
      refuted(h, kStrictSerializable, {by_cycle({}, {rt(0, 1), rw(1, 0, x, -1)})});
  EXPECT_EQ(outcome(h, certificate), "proves");
  certificate.clock_error_ns = 9;
  EXPECT_EQ(outcome(h, certificate), "proves");
  certificate.clock_error_ns = 10;
  EXPECT_EQ(outcome(h, certificate),
            "step 0: edge 0: the first had not surely ended when the second started");
  certificate.level = kSerializable;
  EXPECT_EQ(outcome(h, certificate), "step 0: edge 0: the level has no edges of this kind");
  EXPECT_EQ(cycle(h, kStrongSnapshotIsolation, {rt(0, 1), rw(1, 0, x, -1)}), "proves");
  EXPECT_NE(cycle(h, kStrictSerializable, {rt(1, 0), rw(0, 1, x, -1)}), "proves");
}

TEST(VerifyRefutation, RealTimeNeedsBothTimesAndAKnownOutcome) {
  const History untimed = history({"A w:x=1", "B@30-40 r:x=_"});
  EXPECT_NE(cycle(untimed, kStrictSerializable, {rt(0, 1), rw(1, 0, key(untimed, "x"), -1)}),
            "proves");
  const History unknown = history({"A?@10-20 w:x=1", "B@30-40 r:x=_", "C r:x=1"});
  EXPECT_NE(cycle(unknown, kStrictSerializable, {rt(0, 1), rw(1, 0, key(unknown, "x"), -1)}),
            "proves");
}

/// Whether "A precedes B because B read x from A" is accepted, by a proof in which nothing else
/// can be wrong: the edges back rest on the session.
std::string read_from(std::vector<std::string> others, const std::string& writer,
                      const std::string& reader) {
  others.insert(others.begin(), {"S " + reader, "S " + writer});
  const History h = history(others);
  return cycle(h, kStrongSessionSerializable, {so(0, 1), wr(1, 0, key(h, "x"))});
}

TEST(VerifyRefutation, ReadFromNeedsTheOnlyWriter) {
  const std::string unsure =
      "step 0: edge 1: S:0 did not, or not surely, read the key from S:1";
  EXPECT_EQ(read_from({}, "w:x=1", "r:x=1"), "proves");
  EXPECT_EQ(read_from({}, "w:x=2", "r:x=1"), unsure);
  EXPECT_EQ(read_from({}, "w:y=1", "r:x=1"), unsure);
  EXPECT_EQ(read_from({}, "w:x=1", "r:x=_"), unsure);
  EXPECT_EQ(read_from({}, "w:x=1", "w:x=1 r:x=1"), unsure);
  EXPECT_EQ(read_from({"B w:x=1"}, "w:x=1", "r:x=1"), unsure);
  EXPECT_EQ(read_from({"B? w:x=1"}, "w:x=1", "r:x=1"), unsure);
  EXPECT_EQ(read_from({"B! w:x=1"}, "w:x=1", "r:x=1"), "proves");
  // Not final: such a write is never read from.
  EXPECT_EQ(read_from({"B w:x=1 w:x=2"}, "w:x=1", "r:x=1"), "proves");
  EXPECT_EQ(read_from({}, "w:x=1 w:x=2", "r:x=1"), unsure);
  // The reader's own later write is not what it read.
  EXPECT_EQ(read_from({}, "w:x=1", "r:x=1 w:x=1"), "proves");
  EXPECT_EQ(read_from({"B w:x=1"}, "w:x=1", "r:x=1 w:x=1"), unsure);
}

TEST(VerifyRefutation, NobodyReadsFromItself) {
  const History h = history({"A r:x=1 w:x=1"});
  EXPECT_EQ(cycle(h, kSerializable, {wr(0, 0, key(h, "x"))}),
            "step 0: edge 0: A:0 did not, or not surely, read the key from A:0");
}

TEST(VerifyRefutation, ListReadFromIsAboutTheLastElement) {
  const std::string unsure =
      "step 0: edge 1: S:0 did not, or not surely, read the key from S:1";
  EXPECT_EQ(read_from({}, "a:x=1", "r:x=[1]"), "proves");
  EXPECT_EQ(read_from({"B a:x=2"}, "a:x=1", "r:x=[2,1]"), "proves");
  EXPECT_EQ(read_from({"B a:x=2"}, "a:x=1", "r:x=[1,2]"), unsure);
  EXPECT_EQ(read_from({}, "a:x=1", "a:x=2 r:x=[1,2]"), "proves");
  EXPECT_EQ(read_from({}, "a:x=1 a:x=2", "r:x=[1]"), unsure);
}

TEST(VerifyRefutation, ConcernsOnlyWhatTookEffect) {
  const auto edge = [&](const std::vector<std::string>& txns) {
    const History h = history(txns);
    return cycle(h, kStrongSessionSerializable, {so(0, 1), rw(1, 0, key(h, "x"), -1)});
  };
  EXPECT_EQ(edge({"A w:x=1", "A r:x=_"}), "proves");
  EXPECT_EQ(edge({"A! w:x=1", "A r:x=_"}), "step 0: edge 0: A:0 may not have taken effect");
  EXPECT_EQ(edge({"A? w:x=1", "A r:x=_"}), "step 0: edge 0: A:0 may not have taken effect");
  EXPECT_EQ(edge({"A w:x=1", "A? r:x=_"}), "step 0: edge 0: A:1 may not have taken effect");
  // Somebody read from it, or from who read from it, and nobody else can have written that.
  EXPECT_EQ(edge({"A? w:x=1", "A r:x=_", "B r:x=1"}), "proves");
  EXPECT_EQ(edge({"A? w:x=1", "A r:x=_", "B? r:x=1 w:y=2", "C r:y=2"}), "proves");
  EXPECT_EQ(edge({"A? w:x=1", "A r:x=_", "B? r:x=1"}),
            "step 0: edge 0: A:0 may not have taken effect");
  EXPECT_EQ(edge({"A? w:x=1", "A r:x=_", "B r:x=1", "C? w:x=1"}),
            "step 0: edge 0: A:0 may not have taken effect");
  EXPECT_EQ(edge({"A? a:x=1", "A r:x=[]", "B a:x=2", "C r:x=[1,2]"}), "proves");
  EXPECT_EQ(edge({"A? a:x=1", "A r:x=[]", "B a:x=2", "C r:x=[1,2]", "D? a:x=1"}),
            "step 0: edge 0: A:0 may not have taken effect");
}

TEST(VerifyRefutation, AntiDependencyNeedsTheVersionThatWasRead) {
  const History h = history({"A w:x=1", "B r:x=1 w:x=2", "C r:x=1 w:y=3", "C r:y=_"});
  const KeyId x = key(h, "x");
  const KeyId y = key(h, "y");
  const auto with = [&](const Edge& edge) {
    return refute(
        h, kSerializable,
        {by_cycle({order(1, 0), order(0, 2)}, {edge, edge, edge}), by_cycle({}, {edge})});
  };
  const std::string connected = "step 0: edge 0: the next edge starts at another transaction";
  EXPECT_EQ(with(rw(2, 1, x, 0)), connected);  // the edge itself is right
  EXPECT_EQ(with(rw(3, 2, y, -1)), connected);
  EXPECT_EQ(with(rw(2, 1, x, -1)),
            "step 0: edge 0: C:0 did not, or not surely, read this version of the key");
  EXPECT_EQ(with(rw(2, 1, y, 0)),
            "step 0: edge 0: C:0 did not, or not surely, read this version of the key");
  EXPECT_EQ(with(rw(2, 2, x, 0)), "step 0: edge 0: its transactions are not different");
  EXPECT_EQ(with(rw(2, 0, x, 0)), "step 0: edge 0: its transactions are not different");
  EXPECT_EQ(with(rw(3, 1, y, -1)), "step 0: edge 0: B:0 does not write the key");
  EXPECT_EQ(with(rw(2, 1, KeyId(), 0)),
            "step 0: edge 0: C:0 did not, or not surely, read this version of the key");
  EXPECT_EQ(with(rw(2, 7, x, 0)), "step 0: edge 0: there is unknown transaction 7 in it");
  Edge odd = rw(2, 1, x, 0);
  odd.kind = static_cast<EdgeKind>(99);
  EXPECT_EQ(with(odd), "step 0: edge 0: the level has no edges of this kind");
}

TEST(VerifyRefutation, VersionOrderNeedsABasis) {
  const History h = history({"A w:x=1 w:y=1", "B w:x=2", "C r:x=_"});
  const KeyId x = key(h, "x");
  EXPECT_EQ(cycle(h, kSerializable, {ww(0, 1, x), ww(1, 0, x)}),
            "step 0: edge 0: it assumes that A:0 precedes B:0, but its clause does not say so");
  EXPECT_EQ(refute(h, kSerializable,
                   {by_cycle({order(0, 1), order(1, 0)}, {ww(0, 1, x), ww(1, 0, x)})}),
            "the last step's clause is not empty");
  EXPECT_EQ(cycle(h, kSerializable, {ww(0, 1, key(h, "y"))}),
            "step 0: edge 0: they do not both write the key");
  EXPECT_EQ(cycle(h, kSerializable, {ww(0, 0, x)}),
            "step 0: edge 0: it orders a transaction with itself");
}

TEST(VerifyRefutation, ReadingFromAWriterIsFollowingIt) {
  // B updates x after reading A's y: the order on x is direct.
  const History h = history({"A w:x=1 w:y=1", "B r:y=1 w:x=2", "B r:x=1"});
  const KeyId x = key(h, "x");
  EXPECT_EQ(cycle(h, kStrongSessionSerializable, {so(1, 2), rw(2, 1, x, 0)}), "proves");
  EXPECT_EQ(cycle(h, kStrongSessionSnapshotIsolation, {so(1, 2), rw(2, 1, x, 0)}), "proves");
}

TEST(VerifyRefutation, EstablishedOrdersMayBeUsedLater) {
  const History h = history({"A w:a=1 w:b=1", "B w:a=2 w:b=2", "C r:a=2 r:b=1", "D w:a=4"});
  const KeyId a = key(h, "a");
  const KeyId b = key(h, "b");
  const RefutationStep b_first = by_cycle({order(1, 0)}, {rw(2, 1, b, 0), wr(1, 2, a)});
  const RefutationStep contradiction = by_cycle({}, {rw(2, 0, a, 1), wr(0, 2, b)});
  EXPECT_EQ(refute(h, kSerializable, {b_first, contradiction}), "proves");
  EXPECT_NE(refute(h, kSerializable, {contradiction}), "proves");
  // A clause of two statements establishes neither.
  RefutationStep weaker = b_first;
  weaker.clause.push_back(order(3, 0));
  EXPECT_EQ(refute(h, kSerializable, {weaker, contradiction}),
            "step 1: edge 0: it assumes that B:0 precedes A:0, but its clause does not say so");
}

/// What a ww edge from one transaction to another is worth at read committed, where it must
/// rest on a list read; the session gives the way back... through a read, as there are no
/// sessions.
std::string listed(const std::vector<std::string>& txns, std::uint32_t from, std::uint32_t to) {
  const History h = history(txns);
  return cycle(h, kReadCommitted, {ww(from, to, key(h, "l")), wr(to, from, key(h, "x"))});
}

TEST(VerifyRefutation, ListReadsShowVersionOrders) {
  const std::string a = "A r:x=9 a:l=1";
  const std::string b = "B w:x=9 a:l=2";
  const std::string unshown =
      "step 0: edge 0: at this level no read shows the order of the writes";
  EXPECT_EQ(listed({a, b, "C r:l=[1,2]"}, 0, 1), "proves");
  EXPECT_EQ(listed({a, b, "C r:l=[2,1]"}, 0, 1), unshown);
  EXPECT_EQ(listed({a, b}, 0, 1), unshown);
  // B is not in the list, so it comes after all that are.
  EXPECT_EQ(listed({a, b, "C r:l=[1]"}, 0, 1), "proves");
  EXPECT_EQ(listed({a, b, "C r:l=[2]"}, 0, 1), unshown);
  EXPECT_EQ(listed({a, b, "C r:l=[]"}, 0, 1), unshown);
  // The longest list decides.
  EXPECT_EQ(listed({a, b, "C r:l=[2]", "D r:l=[2,1]"}, 0, 1), unshown);
  // Reads of transactions without effect show nothing, own appends neither.
  EXPECT_EQ(listed({a, b, "C! r:l=[1,2]"}, 0, 1), unshown);
  EXPECT_EQ(listed({a, b, "C? r:l=[1,2]"}, 0, 1), unshown);
  EXPECT_EQ(listed({"A r:x=9 a:l=1 r:l=[1]", b}, 0, 1), unshown);
}

TEST(VerifyRefutation, RepeatedElementsShowNothing) {
  const std::string unshown =
      "step 0: edge 0: at this level no read shows the order of the writes";
  // Element 1 may be A's or C's.
  EXPECT_EQ(listed({"A r:x=9 a:l=1", "B w:x=9 a:l=2", "C a:l=1", "D r:l=[1,2]"}, 0, 1),
            unshown);
  EXPECT_EQ(listed({"A w:x=9 a:l=1", "B r:x=9 a:l=2", "C a:l=1", "D r:l=[1,2]"}, 1, 0),
            unshown);
  EXPECT_EQ(listed({"A w:x=9 a:l=1", "B r:x=9 a:l=2", "C a:l=1", "D r:l=[2]"}, 1, 0), "proves");
  // Another element of A tells them apart.
  EXPECT_EQ(
      listed({"A r:x=9 a:l=1 a:l=3", "B w:x=9 a:l=2", "C a:l=1", "D r:l=[1,3,2,1]"}, 0, 1),
      "proves");
}

class Derivation : public testing::Test {
 protected:
  // Nothing is certain here but that a circle of three version orders is impossible.
  const History h_ = history({"A w:x=1", "B w:x=2", "C w:x=3"});
  const KeyId x_ = key(h_, "x");
  const RefutationStep no_circle_ = by_cycle({order(1, 0), order(2, 1), order(0, 2)},
                                             {ww(0, 1, x_), ww(1, 2, x_), ww(2, 0, x_)});
  std::string derive(const std::vector<VersionOrder>& clause,
                     const std::vector<std::uint32_t>& from) {
    return refute(h_, kSerializable, {no_circle_, by_steps(clause, from)});
  }
  const std::string follows_ = "the last step's clause is not empty";
  const std::string does_not_ =
      "step 1: its clause does not follow from the earlier steps by unit propagation";
};

TEST_F(Derivation, FollowsByUnitPropagation) {
  EXPECT_EQ(derive({order(0, 2), order(1, 0), order(2, 1)}, {0}), follows_);
  EXPECT_EQ(derive({order(0, 2), order(1, 0), order(2, 1), order(0, 1)}, {0}), follows_);
  EXPECT_EQ(derive({order(1, 0), order(2, 1)}, {0}), does_not_);
  EXPECT_EQ(derive({order(1, 0), order(2, 1), order(2, 0)}, {0}), does_not_);
  EXPECT_EQ(derive({}, {0}), does_not_);
  EXPECT_EQ(derive({order(0, 2), order(1, 0), order(2, 1)}, {}), does_not_);
  EXPECT_EQ(derive({order(0, 1), order(1, 0)}, {0}), follows_);  // of two, one is first
}

TEST_F(Derivation, RejectsWhatIsNotAStep) {
  const std::string bad = "step 1: its clause does not order two transactions of the history";
  EXPECT_EQ(derive({order(0, 3)}, {0}), bad);
  EXPECT_EQ(derive({order(1, 1)}, {0}), bad);
  EXPECT_EQ(derive({{TxnId(), txn(0)}}, {0}), bad);
  RefutationStep both = no_circle_;
  both.from = {0};
  EXPECT_EQ(refute(h_, kSerializable, {no_circle_, both}),
            "step 1: it has both a cycle and earlier steps");
  EXPECT_EQ(refute(h_, kSerializable, {}), "the refutation has no steps");
  EXPECT_EQ(refute(h_, kSerializable, {by_steps({}, {})}),
            "step 0: its clause does not follow from the earlier steps by unit propagation");
}

TEST(VerifyRefutation, DerivationInAnyOrder) {
  // Units found late make earlier clauses of `from` useful.
  const History h = history({"A w:a=1 w:b=1", "B w:a=2 w:b=2", "C r:a=2 r:b=1", "D w:a=4"});
  const KeyId a = key(h, "a");
  const KeyId b = key(h, "b");
  RefutationStep weak = by_cycle({order(0, 1)}, {rw(2, 0, a, 1), wr(0, 2, b)});
  weak.clause.push_back(order(3, 1));
  const RefutationStep b_first = by_cycle({order(1, 0)}, {rw(2, 1, b, 0), wr(1, 2, a)});
  EXPECT_EQ(refute(h, kSerializable, {weak, b_first, by_steps({order(3, 1)}, {0, 1})}),
            "the last step's clause is not empty");
  EXPECT_EQ(refute(h, kSerializable, {weak, b_first, by_steps({}, {0, 1})}),
            "step 2: its clause does not follow from the earlier steps by unit propagation");
}

// A client cannot tell in which order a selection looked at its rows.
TEST(VerifyRefutation, RowsOfASelectionAreNotEarlierThanOthers) {
  const auto of = [](const std::string& reads) {
    const History h = support::parse("A: w(1=1) w(2=1) ; B: " + reads);
    return cycle(h, kMonotonicAtomicView, {mv(0, 0, key(h, "2"), 1)});
  };
  EXPECT_EQ(of("s(: 1=1)"), "step 0: edge 0: A:0 was not visible to B:0");
  EXPECT_EQ(of("s(: 1=1) r(2=_)"), "proves");
  EXPECT_EQ(of("r(1=1) s(: 1=1)"), "proves");
  EXPECT_EQ(of("r(2=_) s(: 1=1)"), "step 0: edge 0: A:0 was not visible to B:0");
  EXPECT_EQ(of("s(: 1=1) s(: 1=1)"), "proves");
}

}  // namespace
}  // namespace isolde::certify::test
