// Goal: isolde/isolde.hpp as its users see it. Method: small histories, every verdict verified;
// limits, cancellation and errors of each kind.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "isolde/isolde.hpp"
#include "support/history_dsl.hpp"
#include "support/random_history.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde {
namespace {

constexpr const char* kLostUpdate =
    "{\"isolde\":1,\"kind\":\"history\"}\n"
    "{\"session\":\"a\",\"ops\":[[\"r\",\"x\",null],[\"w\",\"x\",1]]}\n"
    "{\"session\":\"b\",\"ops\":[[\"r\",\"x\",null],[\"w\",\"x\",2]]}\n";

History lost_update() { return std::move(parse(kLostUpdate, "lost-update")).value(); }

CheckRequest at(std::vector<Level> levels) {
  CheckRequest request;
  request.levels = std::move(levels);
  return request;
}

TEST(Library, TellsItsVersion) {
  EXPECT_EQ(version(), ISOLDE_VERSION);
  const std::string numbers = std::to_string(ISOLDE_VERSION_MAJOR) + "." +
                              std::to_string(ISOLDE_VERSION_MINOR) + "." +
                              std::to_string(ISOLDE_VERSION_PATCH);
  EXPECT_EQ(numbers, ISOLDE_VERSION);
}

TEST(Library, ReadsFilesAndBytesAlike) {
  const io::TemporaryFolder folder;
  const Result<History> file = load(folder.put("h.jsonl", kLostUpdate));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->digest(), lost_update().digest());
  LoadOptions options;
  options.format = "native";
  EXPECT_TRUE(parse(kLostUpdate, "x", options));
}

TEST(Library, SaysWhatIsWrongWithTheInput) {
  const auto problem = [](const Result<History>& history) {
    EXPECT_FALSE(history.ok());
    return history.ok() ? Error() : history.error();
  };
  EXPECT_EQ(problem(load("/nowhere/h.jsonl")).code, ErrorCode::kEnvironment);
  const Error bad = problem(parse("{\"isolde\":1,\"kind\":\"history\"}\n{\n", "mine"));
  EXPECT_EQ(bad.code, ErrorCode::kBadInput);
  EXPECT_TRUE(bad.message.starts_with("mine:2: ")) << bad.message;
  LoadOptions options;
  options.format = "nothing";
  EXPECT_EQ(problem(parse(kLostUpdate, "x", options)).code, ErrorCode::kUsage);
  options.format.clear();
  options.watch.cancelled = [] { return true; };
  std::string large = kLostUpdate;
  for (int i = 0; i < 200000; ++i) {
    large += "{\"session\":\"c\",\"ops\":[[\"w\",\"y\"," + std::to_string(i) + "]]}\n";
  }
  EXPECT_EQ(problem(parse(large, "x", options)).code, ErrorCode::kLimit);
}

// Goal: what a message says to do can be done with this library.
TEST(Library, SpeaksOfItsOwnNames) {
  const auto problem = [](const std::string& bytes) {
    return parse(bytes, "mine").error().message;
  };
  EXPECT_TRUE(problem("hello").starts_with(
      "mine: no format recognises this input; name one of them with the option 'format': "));
  EXPECT_EQ(problem("{\"isolde-certificate\":2}\n"),
            "mine: is a certificate, not a history; verify() and explanation() take it, "
            "together with its history");
  EXPECT_EQ(problem("{\"isolde\":2,\"kind\":\"history\"}\n"
                    "{\"session\":\"a\",\"level\":\"best\",\"ops\":[]}\n"),
            "mine:2: \"level\" is not the name of a level; docs/LEVELS.md has them all");
}

// Goal: as the program's --threads, which names the same range.
TEST(Library, RefusesNumbersOfThreadsThatAreNone) {
  for (const unsigned threads : {0U, 1025U, ~0U}) {
    const std::string expected =
        "threads is " + std::to_string(threads) + "; expected a whole number from 1 to 1024";
    LoadOptions options;
    options.threads = threads;
    CheckRequest request;
    request.threads = threads;
    const Error errors[] = {load("/nowhere/h.jsonl", options).error(),
                            parse(kLostUpdate, "x", options).error(),
                            check(lost_update(), request).error()};
    for (const Error& error : errors) {
      EXPECT_EQ(error.code, ErrorCode::kUsage);
      EXPECT_EQ(error.message, expected);
    }
  }
  CheckRequest most;
  most.threads = 1024;
  EXPECT_TRUE(check(lost_update(), most));
}

TEST(Library, DecidesProvesAndTells) {
  const History history = lost_update();
  const Result<Report> report = check(history);
  ASSERT_TRUE(report);
  EXPECT_GE(report->levels().size(), 30U);  // some only concern histories of another kind
  EXPECT_EQ(report->verdict(Level::kSerializable), Verdict::kViolated);
  EXPECT_EQ(report->verdict(Level::kReadCommitted), Verdict::kHolds);
  for (const LevelResult& row : report->levels()) {
    const Result<std::string> proof = report->certificate(row.level);
    if (row.verdict != Verdict::kHolds && row.verdict != Verdict::kViolated) {
      EXPECT_FALSE(row.reason.empty());
      ASSERT_FALSE(proof);
      EXPECT_EQ(proof.error().code, ErrorCode::kUsage);
      continue;
    }
    ASSERT_TRUE(proof);
    const Result<Verification> verified = verify(history, *proof);
    ASSERT_TRUE(verified);
    EXPECT_TRUE(verified->proves) << verified->reason;
    EXPECT_EQ(verified->level, row.level);
    EXPECT_EQ(verified->verdict, row.verdict);
    EXPECT_EQ(row.reason.empty(), row.verdict == Verdict::kHolds);
    const Result<std::string> words = explanation(history, *proof);
    ASSERT_TRUE(words);
    EXPECT_TRUE(words->starts_with(verified->claim)) << *words;
  }
  ASSERT_FALSE(report->weakest_violated().empty());
  EXPECT_EQ(report->verdict(report->weakest_violated().front()), Verdict::kViolated);
  ASSERT_FALSE(report->strongest_held().empty());
  EXPECT_EQ(report->verdict(report->strongest_held().front()), Verdict::kHolds);
}

TEST(Library, RendersEachForm) {
  const History history = lost_update();
  const Result<Report> report = check(history, at({Level::kSerializable}));
  ASSERT_TRUE(report);
  EXPECT_EQ(*report->render("text"), report->text());
  EXPECT_EQ(*report->render("json"), report->json() + "\n");
  EXPECT_TRUE(report->text().starts_with("lost-update: native, 2 sessions")) << report->text();
  EXPECT_TRUE(report->render("junit")->starts_with("<?xml"));
  EXPECT_NE(report->render("sarif")->find("\"2.1.0\""), std::string::npos);
  EXPECT_TRUE(report->render("edn")->starts_with("{:valid? false"));
  EXPECT_TRUE(report->render("dot")->starts_with("digraph"));
  EXPECT_TRUE(report->render("github")->starts_with("::error "));
  const Result<std::string> none = report->render("poem");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "unknown form 'poem'; the forms are text, json, dot, junit, sarif, edn, github");
}

TEST(Library, RefusesWhatProvesNothing) {
  const History history = lost_update();
  const std::string proof =
      *check(history, at({Level::kSerializable}))->certificate(Level::kSerializable);
  const History other = support::parse("A: r(x=_) w(x=1) ; B: r(x=1) w(x=2)");
  const Result<Verification> verified = verify(other, proof);
  ASSERT_TRUE(verified);
  EXPECT_FALSE(verified->proves);
  EXPECT_FALSE(verified->reason.empty());
  const Result<std::string> words = explanation(other, proof);
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().code, ErrorCode::kUsage);
  EXPECT_EQ(verify(history, "no certificate").error().code, ErrorCode::kBadInput);
}

TEST(Library, CountsTheEvidenceOnRequest) {
  const History history = support::parse("A: w(x=1) ; B: w(y=1)");
  CheckRequest request = at({Level::kSerializable});
  EXPECT_EQ(check(history, request)->verdict(Level::kSerializable), Verdict::kHolds);
  EXPECT_FALSE(check(history, request)->levels()[0].tried);
  request.require_evidence = true;
  EXPECT_EQ(check(history, request)->verdict(Level::kSerializable), Verdict::kUnknown);
  request.require_evidence = false;
  request.min_committed = 3;
  EXPECT_EQ(check(history, request)->verdict(Level::kSerializable), Verdict::kUnknown);
}

TEST(Library, EndsWhenAsked) {
  const History history = support::build(support::random_history(5));
  CheckRequest request;
  request.watch.cancelled = [] { return true; };
  const Result<Report> report = check(history, request);
  ASSERT_TRUE(report);
  for (const LevelResult& row : report->levels()) {
    if (row.verdict == Verdict::kUnknown) {
      EXPECT_EQ(row.reason, "interrupted");
    }
  }
  EXPECT_EQ(report->verdict(Level::kSerializable), Verdict::kUnknown);
}

TEST(Library, ExplainsOnlyWhenAsked) {
  const History history = lost_update();
  CheckRequest request = at({Level::kSerializable});
  request.explain = false;
  const Result<Report> report = check(history, request);
  EXPECT_EQ(report->verdict(Level::kSerializable), Verdict::kViolated);
  EXPECT_EQ(report->levels()[0].reason, "not explained: not asked for");
  EXPECT_TRUE(report->certificate(Level::kSerializable));
}

TEST(Library, TellsItsProgress) {
  std::vector<std::string> said;
  LoadOptions options;
  options.watch.progress = [&](std::string_view work) { said.emplace_back(work); };
  CheckRequest request;
  request.watch = options.watch;
  const Result<History> history = parse(kLostUpdate, "mine", options);
  ASSERT_TRUE(check(*history, request));
  ASSERT_GE(said.size(), 2U);
  EXPECT_EQ(said[0], "reading mine");
  EXPECT_EQ(said[1], "resolving reads");
}

// Goal: nothing is shared between calls but what is immutable.
TEST(Library, IsUsedByManyThreads) {
  const History history = lost_update();
  const std::string expected = check(history)->text();
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        const History own = lost_update();
        CheckRequest request;
        request.limits = {60, std::uint64_t{1} << 33};
        const Result<Report> mine = check(own, request);
        const Result<Report> shared = check(history);
        const std::string proof = *mine->certificate(Level::kSerializable);
        if (mine->text() == expected && shared->text() == expected &&
            verify(history, proof)->proves) {
          ++right;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 20);
}

}  // namespace
}  // namespace isolde
