// Goal: edges that skip a version are found where it is certain who wrote that, and nowhere
// else.
#include "minimize/between.hpp"

#include <gtest/gtest.h>

#include "support/history_dsl.hpp"

namespace isolde::minimize {
namespace {

/// The writer that stands between the first transaction and the last, which replaced what the
/// first had read; empty when nobody is found.
std::string between(const char* text) {
  const History whole = support::parse(text);
  const TxnId last = TxnId::at(whole.txn_count() - 1);
  Certificate proof{Level::kSerializable, whole.digest(), 0, {}};
  const KeyId key = whole.ops(TxnId(0))[0].key;
  proof.proof =
      Refutation{{{{}, {{TxnId(0), last, EdgeKind::kAntiDependency, key, {}}}, {}, {}}}, {}};
  std::vector<TxnId> origin;
  for (std::size_t t = 0; t < whole.txn_count(); ++t) origin.push_back(TxnId::at(t));
  const std::vector<Skipping> found = skipping_edges(whole, whole, origin, proof);
  return found.empty() ? "" : whole.txn_name(found[0].between);
}

TEST(Between, IsWhoWroteWhatTheWriterReadAndTheReaderMissed) {
  EXPECT_EQ(between("P: r(x=_) ; T: w(x=1) ; W: r(x=1) w(x=2)"), "T:0");
  EXPECT_EQ(between("P: r(x=0) ; T: w(x=1) ; W: r(x=1) w(x=2)"), "T:0");
  EXPECT_EQ(between("P: r(x=[]) ; T: a(x=1) ; W: r(x=[1]) a(x=2)"), "T:0");
}

TEST(Between, IsNobodyWhereThatIsNotCertain) {
  EXPECT_EQ(between("P: r(x=1) ; T: w(x=1) ; W: r(x=1) w(x=2)"), "");    // P saw it
  EXPECT_EQ(between("P: r(x=_) ; T: w(x=1) ; W: w(x=2)"), "");           // W did not
  EXPECT_EQ(between("P: r(x=_) ; T: w(x=1) ; W: w(x=2) r(x=2)"), "");    // but its own
  EXPECT_EQ(between("P: r(x=_) ; T: w(x=1) ! ; W: r(x=1) w(x=2)"), "");  // undone
  EXPECT_EQ(between("P: r(x=_) ; S: w(x=1) ; T: w(x=1) ; W: r(x=1) w(x=2)"), "");
  EXPECT_EQ(between("P: r(x=_) w(x=1) ; W: r(x=1) w(x=2)"), "");  // P itself
  EXPECT_EQ(between("P: r(x=[1 2]) ; T: a(x=1) ; W: r(x=[1]) a(x=3)"), "");
}

}  // namespace
}  // namespace isolde::minimize
