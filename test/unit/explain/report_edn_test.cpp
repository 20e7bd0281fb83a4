#include "explain/report_edn.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/hash.hpp"
#include "io/edn_lexer.hpp"
#include "isolde/history_builder.hpp"
#include "support/history_dsl.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"
#include "unit/explain/reported.hpp"

namespace isolde::explain {
namespace {

using Entries = std::map<std::string, std::string>;

/// Keys and values of a map that is all of the text, values as they stand there. Empty with a
/// failure when that is not so.
Entries entries_of(const std::string& text) {
  io::EdnLexer lexer("edn", text);
  io::EdnToken token;
  EXPECT_TRUE(lexer.next(token) && token.opens("{")) << text;
  Entries entries;
  while (lexer.next(token) && token.kind != io::EdnKind::kClose) {
    EXPECT_EQ(token.kind, io::EdnKind::kKeyword) << text;
    const std::string key(token.text);
    if (!lexer.next(token)) break;
    const std::size_t begin = token.offset;
    if (!lexer.skip_form(token)) break;
    EXPECT_TRUE(entries.emplace(key, text.substr(begin, lexer.offset() - begin)).second) << key;
  }
  EXPECT_EQ(token.text, "}") << text;
  EXPECT_TRUE(lexer.next(token) && token.kind == io::EdnKind::kEnd) << text;
  return entries;
}

Entries edn_of(const char* text, std::vector<Level> levels = {}) {
  const History history = support::parse(text);
  return entries_of(to_edn(report_on(history, std::move(levels))));
}

constexpr const char* kSkew = "1: r(x=_) w(y=1) ; 2: r(y=_) w(x=1)";

// Goal: the keys of Elle's published result maps, with what belongs there.
TEST(ReportEdn, HasTheKeysOfElle) {
  const Entries skew = edn_of(kSkew, {Level::kSerializable});
  EXPECT_EQ(skew.at(":valid?"), "false");
  EXPECT_EQ(skew.at(":anomaly-types"), "(:G2-item)");
  EXPECT_EQ(skew.at(":not"), "#{:serializable}");
  EXPECT_EQ(skew.at(":also-not"), "#{:strong-serializable :strong-session-serializable}");
  EXPECT_EQ(skew.at(":isolde/levels"), "{:violated #{:serializable}}");
  const Entries anomalies = entries_of(skew.at(":anomalies"));
  const std::string& cases = anomalies.at(":G2-item");
  ASSERT_EQ(cases.front(), '[');
  const Entries cycle = entries_of(cases.substr(1, cases.size() - 2));
  EXPECT_EQ(cycle.at(":type"), ":G2-item");
  EXPECT_NE(
      cycle.at(":cycle").find("{:type :ok, :f :txn, :value [[:r \"x\" nil] [:w \"y\" 1]], "
                              ":process 1, :isolde/txn \"s1:0\"}"),
      std::string::npos)
      << cycle.at(":cycle");
  EXPECT_NE(cycle.at(":steps").find("{:type :rw, :key \"x\", :value nil, :value' 1, "
                                    ":a-mop-index 0, :b-mop-index 1, "),
            std::string::npos)
      << cycle.at(":steps");
}

// Goal: validity is relative to what was asked for, as it is to Elle's :consistency-models.
TEST(ReportEdn, IsValidWhereWhatWasAskedForHolds) {
  const Entries holds = edn_of(kSkew, {Level::kSnapshotIsolation});
  EXPECT_EQ(holds.at(":valid?"), "true");
  EXPECT_FALSE(holds.contains(":anomaly-types"));
  EXPECT_FALSE(holds.contains(":not"));
  const Entries open = edn_of(kSkew, {Level::kStrongSnapshotIsolation});
  EXPECT_EQ(open.at(":valid?"), ":unknown");
  EXPECT_EQ(open.at(":anomaly-types"), "()");
  EXPECT_EQ(open.at(":not"), "#{}");
  EXPECT_EQ(open.at(":isolde/reasons"),
            "{\"the history has no start and end times\" #{:strong-snapshot-isolation}}");
  EXPECT_EQ(edn_of("A: w(x=1)").at(":valid?"), "true");  // levels that do not apply say nothing
}

TEST(ReportEdn, ShowsFindingsLostUpdatesAndLists) {
  const Entries aborted =
      entries_of(edn_of("A: a(l=1) ! ; B: r(l=[1])", {Level::kReadCommitted}).at(":anomalies"));
  EXPECT_NE(aborted.at(":G1a").find(":mop [:r \"l\" [1]], :element 1, :writer {:type :fail"),
            std::string::npos)
      << aborted.at(":G1a");
  const Entries lost =
      entries_of(edn_of("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)", {Level::kSnapshotIsolation})
                     .at(":anomalies"));
  EXPECT_TRUE(
      lost.at(":lost-update").starts_with("[{:key \"x\", :value nil, :txns [{:type :ok"));
  const Entries order = entries_of(
      edn_of("A: a(l=1) ; B: a(l=2) ; C: r(l=[1 2]) ; D: r(l=[2 1])", {Level::kSerializable})
          .at(":anomalies"));
  EXPECT_TRUE(order.at(":incompatible-order").starts_with("[{:key \"l\", :values [["));
}

// Goal: keys of Jepsen's histories come out as they went in; elsewhere they are strings.
TEST(ReportEdn, WritesKeywordsOfJepsen) {
  for (const bool jepsen : {true, false}) {
    HistoryBuilder builder;
    builder.origin().format = jepsen ? "jepsen" : "native";
    builder.begin_txn(builder.session("0"));
    builder.read(builder.key(builder.string(":x")), builder.literal("0.5"));
    const Result<History> history = builder.finish();
    ASSERT_TRUE(history);
    const Entries edn = entries_of(to_edn(report_on(*history, {Level::kReadCommitted})));
    const char* const mop = jepsen ? "[:r :x 0.5]" : "[:r \":x\" 0.5]";
    EXPECT_NE(edn.at(":anomalies").find(mop), std::string::npos) << edn.at(":anomalies");
  }
}

TEST(ReportEdn, TellsOfWhatCouldNotBeRead) {
  const Entries edn = entries_of(failure_edn("a \"b\"", "bad"));
  EXPECT_EQ(edn.at(":valid?"), ":unknown");
  EXPECT_EQ(edn.at(":error"), "\"bad\"");
  EXPECT_EQ(edn.at(":isolde/file"), "\"a \\\"b\\\"\"");
}

// Goal: any report is one form with the keys that its validity calls for. Method: random
// histories of all features.
TEST(ReportEdn, IsOneFormForAnyHistory) {
  const std::uint64_t seed = support::run_seed();
  const std::uint64_t cases = support::case_count(500);
  std::uint64_t invalid = 0;
  for (std::uint64_t number = 0; number < cases; ++number) {
    const History history = support::build(support::random_history(base::mix2(seed, number)));
    const Entries edn = entries_of(to_edn(report_on(history)));
    const bool valid = edn.at(":valid?") == "true";
    EXPECT_EQ(edn.contains(":anomalies"), !valid) << support::to_text(history);
    if (edn.at(":valid?") != "false") continue;
    ++invalid;
    EXPECT_NE(edn.at(":anomaly-types"), "()") << support::to_text(history);
    EXPECT_FALSE(entries_of(edn.at(":anomalies")).empty()) << support::to_text(history);
  }
  EXPECT_GT(invalid, cases / 10);
}

}  // namespace
}  // namespace isolde::explain
