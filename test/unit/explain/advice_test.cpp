// Goal: what helps against an anomaly, the one change against all and the promises of the
// databases never contradict one another. Method: histories with known anomalies, as if
// recorded at each setting of each database from one server and from several; and the tables
// themselves.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"
#include "explain/forbids.hpp"
#include "explain/harm.hpp"
#include "explain/lessons.hpp"
#include "explain/promise.hpp"
#include "explain/summary.hpp"
#include "io/reader.hpp"
#include "unit/explain/reported.hpp"

namespace isolde::explain {
namespace {

constexpr std::string_view kLostWithFractured =
    R"({"session":"A","ops":[["r","x",null],["w","x",1]]}
{"session":"B","ops":[["r","x",null],["w","x",2]]}
{"session":"C","ops":[["w","y",1],["w","z",1]]}
{"session":"D","ops":[["r","y",null],["r","z",1]]}
)";
constexpr std::string_view kSkewWithStale =
    R"({"session":"E","start":0,"end":10,"ops":[["r","u",null],["w","v",1]]}
{"session":"F","start":0,"end":10,"ops":[["r","v",null],["w","u",1]]}
{"session":"C","start":20,"end":30,"ops":[["w","y",1]]}
{"session":"D","start":40,"end":50,"ops":[["r","y",null]]}
)";
// The order of a session makes the second write follow the first one.
constexpr std::string_view kCausalAndFractured =
    R"({"session":"A","start":0,"end":10,"ops":[["w","x",1]]}
{"session":"A","start":11,"end":20,"ops":[["w","y",1]]}
{"session":"B","start":5,"end":40,"ops":[["r","x",null],["r","y",1]]}
{"session":"C","start":41,"end":50,"ops":[["w","p",1],["w","q",1]]}
{"session":"D","start":42,"end":60,"ops":[["r","p",null],["r","q",1]]}
)";
// Snapshot isolation lets a row be written again that was deleted.
constexpr std::string_view kLostOntoDeleted =
    R"({"session":"S","start":0,"end":10,"ops":[["w","x",10],["w","z",5]]}
{"session":"B","start":30,"end":40,"ops":[["r","x",10],["delete","x"],["w","y",1]]}
{"session":"A","start":20,"end":50,"ops":[["r","x",10],["r","y",null],["w","x",12]]}
{"session":"F","start":60,"end":70,"ops":[["r","y",1],["r","x",12]]}
)";
constexpr std::array kHistories = {kLostWithFractured, kSkewWithStale, kCausalAndFractured,
                                   kLostOntoDeleted};

struct Case {
  std::string database;
  std::string isolation = {};
  Servers servers = Servers::kUnknown;
  std::optional<Promise> promise = {};
};

Summary summary_at(std::string_view lines, const Case& at) {
  std::string text = R"({"isolde":2,"kind":"history","database":")" + at.database +
                     R"(","isolation":")" + at.isolation + '"';
  if (at.servers != Servers::kUnknown) {
    text += R"(,"source":"postgres://u,v@h:1)" +
            std::string(at.servers == Servers::kSeveral ? ",h:2" : "") + R"(/d?a=b,c")";
  }
  text += "}\n";
  base::Budget budget;
  const Result<History> history = io::read_bytes(text.append(lines), "h", "native", budget);
  EXPECT_TRUE(history.ok());
  ReportModel model = report_on(*history);
  model.promise = at.promise;
  return summary_of(model);
}

std::vector<Advice> advice_in(const Summary& summary) {
  std::vector<Advice> all = summary.more_remedies;
  if (!summary.occurs.empty())
    all.insert(all.begin(), {{summary.occurs.front()}, summary.remedy});
  return all;
}

bool has(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

/// "it promises nothing against A and B": A and B, without what only order forbids.
bool is_left(const std::string& one_change, const Lesson& lesson) {
  const std::string_view words = "it promises nothing against ";
  const std::size_t at = one_change.find(words);
  if (at == std::string::npos) return false;
  const std::string rest = one_change.substr(at + words.size());
  const std::string left = rest.substr(0, rest.find(", nor against"));
  const std::size_t found = left.find(lesson.many);
  return found != std::string::npos &&
         !left.substr(found + lesson.many.size()).starts_with(" in which a session");
}

/// The sentences of one history do not contradict one another, nor the promises.
void expect_agreement(const Summary& summary, const DatabaseRemedies& database,
                      Servers servers) {
  const std::string& change = summary.one_change;
  if (database.settings.empty()) {
    EXPECT_EQ(change, "");
  }
  for (const Setting& setting : database.settings) {
    const std::string set =
        setting.how.empty() ? "set " + std::string(setting.name) : std::string(setting.how);
    if (!has(change, set)) continue;
    const std::optional<Level> promise = setting.promise_of(servers);
    const bool is_alone = change.starts_with("send all transactions to one server, and ");
    EXPECT_EQ(has(change, "which promises"), !is_alone) << change;
    if (!is_alone) {
      ASSERT_TRUE(promise) << change;
      EXPECT_TRUE(has(change, "which promises " + std::string(info(*promise).name))) << change;
    }
    for (const Advice& advice : advice_in(summary)) {
      for (const Lesson* lesson : advice.against) {
        const bool leads = has(advice.text, "use " + std::string(setting.name)) &&
                           !has(advice.text, "its own past");
        EXPECT_FALSE(leads && is_left(change, *lesson)) << change << "\n" << advice.text;
      }
    }
  }
  for (const Advice& advice : advice_in(summary)) {
    if (servers == Servers::kOne) {
      EXPECT_FALSE(has(advice.text, "replica") || has(advice.text, "leader")) << advice.text;
    }
    for (const Setting& setting : database.settings) {
      if (!has(advice.text, "use " + std::string(setting.name)) || !setting.promise) continue;
      if (setting.promise_of(servers) == setting.promise) continue;
      EXPECT_TRUE(advice.text.starts_with("send all transactions to one server"))
          << advice.text;
    }
  }
}

TEST(Advice, NeverContradictsItselfNorThePromises) {
  std::size_t changes = 0;
  for (const DatabaseRemedies* database : all_remedies()) {
    const std::string name =
        std::string(database->database) + " 1 " + std::string(database->engine);
    std::vector<std::string> isolations = {""};
    for (const Setting& setting : database->settings) {
      isolations.push_back(base::plain_name(setting.name));
    }
    for (const Remedy& remedy : database->remedies) {
      isolations.emplace_back(remedy.isolation);
    }
    for (const std::string& isolation : isolations) {
      for (const Servers servers : {Servers::kUnknown, Servers::kOne, Servers::kSeveral}) {
        for (const std::string_view lines : kHistories) {
          SCOPED_TRACE(name + " at " + isolation + ", servers " +
                       std::to_string(static_cast<int>(servers)) + "\n" + std::string(lines));
          const Summary summary = summary_at(lines, {name, isolation, servers});
          expect_agreement(summary, *database, servers);
          changes += summary.one_change.empty() ? 0 : 1;
        }
      }
    }
  }
  EXPECT_GT(changes, 20U);
}

TEST(Advice, TheTablesNameWhatTheirSettingsPromise) {
  for (const DatabaseRemedies* database : all_remedies()) {
    for (const Setting& setting : database->settings) {
      const std::string use = "use " + std::string(setting.name);
      for (const Remedy& remedy : database->remedies) {
        const std::size_t at = remedy.text.find(use);
        if (at == std::string_view::npos) continue;
        const std::string_view rest = remedy.text.substr(at + use.size());
        // "READ COMMITTED or any isolation above it"; a parameter promises more than the
        // setting.
        if (rest.starts_with(" with ")) continue;
        EXPECT_EQ(remedy.cure, setting.promise) << remedy.text;
      }
      // Several servers are not promised more than one.
      EXPECT_TRUE(!setting.promise_of_several ||
                  implies(*setting.promise, *setting.promise_of_several, false))
          << setting.name;
    }
  }
}

// Goal: advice for MariaDB speaks of settings that MariaDB has.
TEST(Advice, OfMariaDbNamesItsSettings) {
  const auto text = [](const char* database, const char* isolation) {
    std::string all;
    for (const Advice& advice :
         advice_in(summary_at(kCausalAndFractured, {database, isolation}))) {
      all += advice.text + "\n";
    }
    return all;
  };
  for (const char* const database : {"MariaDB 10.11.19", "MariaDB 10.5.1", "MariaDB 11.8.1"}) {
    for (const char* const isolation : {"read-committed", "repeatable-read"}) {
      EXPECT_FALSE(has(text(database, isolation), "snapshot isolation"))
          << text(database, isolation);
    }
  }
  constexpr std::string_view kBack = R"({"session":"A","ops":[["w","x",1]]}
{"session":"B","ops":[["r","x",1],["w","x",2]]}
{"session":"C","ops":[["r","x",2]]}
{"session":"C","ops":[["r","x",1]]}
)";
  const Summary back = summary_at(kBack, {"MariaDB 10.11.19", "read-uncommitted"});
  EXPECT_TRUE(back.remedy.starts_with("do without READ UNCOMMITTED")) << back.remedy;
  EXPECT_FALSE(has(summary_at(kBack, {"MariaDB 10.11.19", "read-committed"}).remedy, "UNCOMM"));
}

// Goal: where single objects were called and no database is named, nothing speaks of isolations
// or statements. Method: a compare-and-set that won twice; and what transactions did.
TEST(Advice, OfCallsSpeaksOfNoIsolations) {
  const auto advice = [](std::string_view log) {
    base::Budget budget;
    const Result<History> history = io::read_bytes(std::string(log), "h.edn", "jepsen", budget);
    EXPECT_TRUE(history.ok());
    const Summary summary = summary_of(report_on(*history));
    EXPECT_FALSE(summary.occurs.empty());
    std::string text = summary.one_change + summary.locking;
    for (const Advice& each : advice_in(summary)) text += each.text + "\n";
    return text;
  };
  const std::string calls = advice(R"({:type :invoke, :f :write, :value 1, :process 0}
{:type :ok, :f :write, :value 1, :process 0}
{:type :invoke, :f :cas, :value [1 2], :process 1}
{:type :invoke, :f :cas, :value [1 2], :process 2}
{:type :ok, :f :cas, :value [1 2], :process 1}
{:type :ok, :f :cas, :value [1 2], :process 2}
)");
  EXPECT_TRUE(has(calls, "compare-and-set")) << calls;
  EXPECT_FALSE(has(calls, "isolation") || has(calls, "statement") || has(calls, "lock"))
      << calls;
  const std::string txns =
      advice(R"({:type :invoke, :f :txn, :value [[:r x nil] [:w y 1]], :process 1}
{:type :invoke, :f :txn, :value [[:r y nil] [:w x 1]], :process 2}
{:type :ok, :f :txn, :value [[:r x nil] [:w y 1]], :process 1}
{:type :ok, :f :txn, :value [[:r y nil] [:w x 1]], :process 2}
)");
  EXPECT_TRUE(has(txns, "isolation")) << txns;
}

TEST(Advice, OfSeveralServersIsNotWhatIsPromisedOfOne) {
  const auto change = [](std::string database, Servers servers) {
    return summary_at(kSkewWithStale, {std::move(database), "read-committed", servers})
        .one_change;
  };
  for (const char* const database : {"PostgreSQL 15", "MariaDB 10.11.19"}) {
    EXPECT_TRUE(has(change(database, Servers::kOne), "which promises serializable"));
    const std::string several = change(database, Servers::kSeveral);
    EXPECT_TRUE(
        several.starts_with("send all transactions to one server, and set SERIALIZABLE"))
        << several;
    EXPECT_FALSE(has(several, "which promises")) << several;
  }
  const std::string redis =
      summary_at(kLostWithFractured, {"Redis 7", "multi", Servers::kSeveral}).one_change;
  EXPECT_TRUE(redis.starts_with("send all transactions to one server, and WATCH")) << redis;
}

// Clients tell which servers they were on, and so does a promise that is not that of one.
TEST(Advice, KnowsSeveralServersByMoreThanTheSource) {
  const auto change = [](const std::string& header, const std::string& lines) {
    base::Budget budget;
    const Result<History> history = io::read_bytes(
        R"({"isolde":1,"kind":"history","database":"PostgreSQL 15",)" + header + "}\n" + lines,
        "h", "native", budget);
    EXPECT_TRUE(history.ok());
    const ReportModel model = report_on(*history);
    return setup_of(model).servers;
  };
  const std::string lines = R"({"session":"A","server":"h:1 backend 1","ops":[["w","x",1]]}
{"session":"B","server":"h:1 backend 2","ops":[["r","x",1]]}
)";
  EXPECT_EQ(change(R"("isolation":"serializable")", lines), Servers::kOne);
  EXPECT_EQ(change(R"("isolation":"serializable")",
                   lines + R"({"session":"C","server":"h:2 backend 1","ops":[["r","x",1]]})"),
            Servers::kSeveral);
  EXPECT_EQ(change(R"("isolation":"serializable","promise":"snapshot-isolation")", lines),
            Servers::kSeveral);
  EXPECT_EQ(
      change(
          R"("isolation":"serializable","promise":"snapshot-isolation","promised_by":"user")",
          lines),
      Servers::kOne);
  EXPECT_EQ(change(R"("isolation":"serializable")", R"({"session":"A","ops":[["w","x",1]]})"),
            Servers::kUnknown);
}

TEST(Advice, LeadsToNoLevelThatHoldsInThisHistory) {
  const Summary summary =
      summary_at(kLostOntoDeleted, {"PostgreSQL 15", "repeatable-read", Servers::kOne});
  for (const Advice& advice : advice_in(summary)) {
    EXPECT_FALSE(has(advice.text, "snapshot isolation")) << advice.text;
    EXPECT_FALSE(has(advice.text, "REPEATABLE READ")) << advice.text;
  }
  EXPECT_FALSE(has(summary.one_change, "nothing against anti-dependency"))
      << summary.one_change;
}

TEST(Advice, SaysInBothPlacesWhatOnlyOrderForbids) {
  const Summary summary =
      summary_at(kCausalAndFractured, {"PostgreSQL 15", "read-committed", Servers::kOne});
  const auto causal = std::ranges::find_if(summary.occurs, [](const Lesson* lesson) {
    return lesson->name == "causality violation";
  });
  ASSERT_NE(causal, summary.occurs.end());
  for (const Advice& advice : advice_in(summary)) {
    if (std::ranges::find(advice.against, *causal) == advice.against.end()) continue;
    EXPECT_EQ(has(advice.text, "its own past"), has(summary.one_change, "its own past"))
        << advice.text << "\n"
        << summary.one_change;
  }
}

// What the makers promise counts, and not what the isolation is called.
TEST(Advice, TrustsAPromiseMoreThanAName) {
  const Promise promise{"H2", "serializable", Level::kSnapshotIsolation, ""};
  const Summary known =
      summary_at(kSkewWithStale, {"H2 2.1", "serializable", Servers::kUnknown, promise});
  const Summary unknown = summary_at(kSkewWithStale, {"H2 2.1", "serializable"});
  EXPECT_TRUE(unknown.remedy.starts_with("an isolation of this name")) << unknown.remedy;
  EXPECT_TRUE(known.remedy.starts_with("lock what a decision rests on")) << known.remedy;
}

TEST(Advice, TellsOnlyWhatTheTransactionsDid) {
  EXPECT_FALSE(has(meaning_of("conflicting writers"), "read"));
  EXPECT_TRUE(has(meaning_of("lost update"), "read a balance"));
  EXPECT_FALSE(has(meaning_of("lost delete"), "balance"));
  EXPECT_EQ(meaning_of("write skew"), meaning_of(Harm::kBrokenRule));
}

}  // namespace
}  // namespace isolde::explain
