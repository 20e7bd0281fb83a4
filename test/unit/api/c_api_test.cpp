// Goal: isolde/isolde.h: handles, ownership and errors. Method: each function at least once;
// with address sanitizer a leak or a use after free fails the test.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "isolde/isolde.h"
#include "isolde/isolde.hpp"
#include "unit/io/temporary_folder.hpp"

namespace {

/// The message of a failed call, freed.
std::string taken(char* text) {
  if (text == nullptr) return "(none)";
  std::string copy = text;
  isolde_free(text);
  return copy;
}

isolde_value integer(std::int64_t number) { return {ISOLDE_INTEGER, number, nullptr, 0}; }

isolde_value text(const char* characters) {
  return {ISOLDE_TEXT, 0, characters, std::string(characters).size()};
}

isolde_operation operation(int kind, isolde_value key, isolde_value value = {}) {
  isolde_operation made = {};
  made.size = sizeof made;
  made.kind = kind;
  made.key = key;
  made.value = value;
  return made;
}

void add(isolde_builder* builder, int kind, isolde_value key, isolde_value value = {}) {
  const isolde_operation made = operation(kind, key, value);
  isolde_builder_add(builder, &made);
}

/// Of rows with keys from 0 to 10.
void add_aggregate(isolde_builder* builder, const isolde_aggregate& computed) {
  const isolde_condition condition = {1, 0, 10, 0, 0, 0, {}, nullptr, 0};
  isolde_operation made = operation(ISOLDE_AGGREGATE, {});
  made.condition = &condition;
  made.aggregate = &computed;
  isolde_builder_add(builder, &made);
}

isolde_history* skew() {
  isolde_builder* const builder = isolde_builder_new();
  for (const char* const own : {"x", "y"}) {
    isolde_builder_begin(builder, own);
    isolde_builder_label(builder, "named");
    isolde_builder_times(builder, 10, 20);
    add(builder, ISOLDE_READ, text("x"));
    add(builder, ISOLDE_READ, text("y"));
    add(builder, ISOLDE_WRITE, text(own), integer(1));
    isolde_builder_outcome(builder, ISOLDE_COMMITTED);
  }
  isolde_history* history = nullptr;
  EXPECT_EQ(isolde_builder_finish(builder, &history, nullptr), ISOLDE_OK);
  isolde_builder_free(builder);
  return history;
}

TEST(CInterface, ListsLevels) {
  EXPECT_STREQ(isolde_version(), ISOLDE_VERSION);
  bool found = false;
  for (std::size_t i = 0; i < isolde_level_count(); ++i) {
    EXPECT_NE(std::string(isolde_level_name(i)), "");
    EXPECT_NE(std::string(isolde_level_summary(i)), "");
    found = found || std::string(isolde_level_alias(i)) == "ser";
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(isolde_level_name(isolde_level_count()), nullptr);
  for (const char* name :
       {"read-committed", "rc", "RC", "Read Committed", "READ_COMMITTED", "PL-2", "pl 2"}) {
    EXPECT_STREQ(isolde_level_name(isolde_level_find(name)), "read-committed") << name;
  }
  EXPECT_STREQ(isolde_level_name(isolde_level_find("PL-3")), "serializable");
  for (const char* name : {"best", "PL-2L", "PL-"}) {
    EXPECT_EQ(isolde_level_find(name), isolde_level_count()) << name;
  }
}

/// What is no number compares with nothing, and would be no limit.
TEST(CInterface, RefusesSecondsThatAreNone) {
  isolde_history* const history = skew();
  isolde_options* const options = isolde_options_new();
  for (const double wrong : {-1.0, -1e-9, std::numeric_limits<double>::quiet_NaN()}) {
    isolde_options_seconds(options, wrong);
    char* error = nullptr;
    isolde_report* report = nullptr;
    EXPECT_EQ(isolde_check(history, options, &report, &error), ISOLDE_USAGE);
    EXPECT_EQ(taken(error), "seconds is " + std::to_string(wrong) + "; expected 0 or more");
    isolde_history* read = nullptr;
    EXPECT_EQ(isolde_parse("", 0, "none", options, &read, &error), ISOLDE_USAGE);
    EXPECT_EQ(taken(error).substr(0, 10), "seconds is");
    EXPECT_EQ(isolde_load("nowhere", options, &read, &error), ISOLDE_USAGE);
    EXPECT_EQ(taken(error).substr(0, 10), "seconds is");
    EXPECT_EQ(report, nullptr);
    EXPECT_EQ(read, nullptr);
  }
  isolde_options_free(options);
  isolde_history_free(history);
}

TEST(CInterface, ChecksAndProves) {
  isolde_history* const history = skew();
  EXPECT_EQ(isolde_history_sessions(history), 2U);
  EXPECT_EQ(isolde_history_transactions(history), 2U);
  EXPECT_EQ(isolde_history_operations(history), 6U);
  EXPECT_EQ(isolde_history_keys(history), 2U);
  isolde_options* const options = isolde_options_new();
  char* error = nullptr;
  EXPECT_EQ(isolde_options_level(options, "serializable", &error), ISOLDE_OK);
  EXPECT_EQ(isolde_options_level(options, "si", nullptr), ISOLDE_OK);
  EXPECT_EQ(isolde_options_level(options, "best", &error), ISOLDE_USAGE);
  EXPECT_EQ(taken(error), "unknown level 'best'; docs/LEVELS.md has them all");
  isolde_options_seconds(options, 60);
  isolde_options_memory(options, std::uint64_t{1} << 33);
  isolde_options_threads(options, 0);
  isolde_report* none = nullptr;
  EXPECT_EQ(isolde_check(history, options, &none, &error), ISOLDE_USAGE);
  EXPECT_EQ(taken(error), "threads is 0; expected a whole number from 1 to 1024");
  isolde_options_threads(options, 2);
  isolde_options_clock_error(options, -1);
  EXPECT_EQ(isolde_check(history, options, &none, &error), ISOLDE_USAGE);
  EXPECT_EQ(taken(error), "the clock error is -1 ns; expected 0 or more, and at most a day");
  isolde_options_clock_error(options, 0);
  isolde_options_require_evidence(options, 1);
  isolde_options_verify(options, 1);
  isolde_options_min_committed(options, 2);
  isolde_report* report = nullptr;
  ASSERT_EQ(isolde_check(history, options, &report, nullptr), ISOLDE_OK);
  isolde_options_free(options);
  ASSERT_EQ(isolde_report_size(report), 2U);
  isolde_level_result row = {};
  ASSERT_EQ(isolde_report_level(report, 0, &row), ISOLDE_OK);
  EXPECT_STREQ(row.level, "serializable");
  EXPECT_EQ(row.verdict, ISOLDE_VIOLATED);
  EXPECT_NE(std::string(row.reason).find("write skew"), std::string::npos) << row.reason;
  EXPECT_EQ(row.follows_from, nullptr);
  EXPECT_EQ(isolde_report_level(report, 2, &row), ISOLDE_USAGE);
  EXPECT_EQ(isolde_report_verdict(report, "si"), ISOLDE_HOLDS);
  EXPECT_EQ(isolde_report_verdict(report, "rc"), ISOLDE_UNKNOWN);
  EXPECT_EQ(isolde_report_verdict(report, "best"), ISOLDE_UNKNOWN);
  const std::string text = taken(isolde_report_render(report, "text", nullptr));
  EXPECT_NE(text.find("T1"), std::string::npos);
  EXPECT_NE(text.find("Verified: the proofs of 2 decided levels\n"), std::string::npos) << text;
  EXPECT_EQ(isolde_report_render(report, "poem", &error), nullptr);
  EXPECT_NE(taken(error).find("unknown form"), std::string::npos);
  EXPECT_EQ(isolde_report_certificate(report, "rc", &error), nullptr);
  EXPECT_NE(taken(error).find("read-committed is not decided"), std::string::npos);
  char* const proof = isolde_report_certificate(report, "ser", nullptr);
  ASSERT_NE(proof, nullptr);
  isolde_report_free(report);
  isolde_verification verified = {};
  ASSERT_EQ(isolde_verify(history, proof, &verified, nullptr), ISOLDE_OK);
  EXPECT_EQ(verified.proves, 1);
  EXPECT_STREQ(verified.level, "serializable");
  EXPECT_EQ(verified.verdict, ISOLDE_VIOLATED);
  EXPECT_TRUE(taken(verified.claim).starts_with("serializable is violated"));
  EXPECT_EQ(taken(verified.reason), "");
  EXPECT_NE(taken(isolde_explanation(history, proof, nullptr)).find("Write skew"),
            std::string::npos);
  EXPECT_EQ(isolde_verify(history, "no", &verified, &error), ISOLDE_BAD_INPUT);
  EXPECT_NE(taken(error), "(none)");
  isolde_free(proof);
  isolde_history_free(history);
}

TEST(CInterface, TellsTheFirstProblemOfABuilder) {
  const auto problem = [](const auto& calls) {
    isolde_builder* const builder = isolde_builder_new();
    calls(builder);
    isolde_history* history = nullptr;
    char* error = nullptr;
    EXPECT_EQ(isolde_builder_finish(builder, &history, &error), ISOLDE_BAD_INPUT);
    EXPECT_EQ(history, nullptr);
    // It is empty now, and nobody is to take that for a history.
    EXPECT_EQ(isolde_builder_finish(builder, &history, nullptr), ISOLDE_USAGE);
    EXPECT_EQ(history, nullptr);
    isolde_builder_begin(builder, "s");
    EXPECT_EQ(isolde_builder_finish(builder, &history, nullptr), ISOLDE_OK);
    EXPECT_EQ(isolde_history_transactions(history), 1U);
    isolde_history_free(history);
    isolde_builder_free(builder);
    return taken(error);
  };
  EXPECT_EQ(problem([](isolde_builder* b) { add(b, ISOLDE_READ, text("x")); }),
            "an operation needs a transaction; begin one first");
  EXPECT_EQ(problem([](isolde_builder* b) { isolde_builder_outcome(b, ISOLDE_ABORTED); }),
            "there is no transaction yet; begin one first");
  EXPECT_EQ(problem([](isolde_builder* b) {
              isolde_builder_begin(b, "s");
              isolde_operation other = operation(ISOLDE_READ, text("x"));
              other.size = 8;
              isolde_builder_add(b, &other);
            }),
            "an operation has another size than this version of the library expects");
  EXPECT_EQ(problem([](isolde_builder* b) {
              isolde_builder_begin(b, "s");
              isolde_operation other = operation(ISOLDE_READ, text("x"));
              const isolde_column column = {"c", integer(1)};
              other.columns = &column;
              other.column_count = 1;
              isolde_builder_add(b, &other);
            }),
            "columns are counted without has_columns");
  EXPECT_EQ(problem([](isolde_builder* b) {
              isolde_builder_begin(b, "s");
              add(b, 17, text("x"));
            }),
            "there is no such kind of operation");
  const auto problem_of = [&](const isolde_aggregate& computed) {
    return problem([&](isolde_builder* b) {
      isolde_builder_begin(b, "s");
      add_aggregate(b, computed);
    });
  };
  EXPECT_EQ(problem_of({17, nullptr, 1, 0}), "there is no such kind of aggregate");
  EXPECT_EQ(problem_of({ISOLDE_COUNT, "c", 1, 0}), "a count is of no column");
  EXPECT_EQ(problem_of({ISOLDE_COUNT, nullptr, 0, 0}), "a count is a number from 0");
  EXPECT_EQ(problem_of({ISOLDE_SUM, "\xff", 1, 0}), "the name of a column is not UTF-8");
}

TEST(CInterface, TakesAllKindsOfOperations) {
  isolde_builder* const builder = isolde_builder_new();
  isolde_builder_begin(builder, "s");
  add(builder, ISOLDE_WRITE, integer(1), text("one"));
  add(builder, ISOLDE_APPEND, text("list"), {ISOLDE_LITERAL, 0, "0.5", 3});
  isolde_operation list = operation(ISOLDE_READ_LIST, text("list"));
  const isolde_value elements[] = {{ISOLDE_LITERAL, 0, "0.5", 3}};
  list.elements = elements;
  list.element_count = 1;
  isolde_builder_add(builder, &list);
  add(builder, ISOLDE_READ_UNKNOWN, text("gone"));
  add(builder, ISOLDE_READ_NOT, text("other"), integer(5));
  isolde_operation select = operation(ISOLDE_SELECT, {});
  const isolde_condition condition = {1, 0, 10, 0, 0, 0, {}, nullptr, 0};
  const isolde_row rows[] = {{integer(1), text("one"), nullptr, 0, nullptr}};
  select.condition = &condition;
  select.rows = rows;
  select.row_count = 1;
  isolde_builder_add(builder, &select);
  add_aggregate(builder, {ISOLDE_COUNT, nullptr, 1, 1});
  add(builder, ISOLDE_DELETE, integer(1));
  isolde_history* history = nullptr;
  char* error = nullptr;
  ASSERT_EQ(isolde_builder_finish(builder, &history, &error), ISOLDE_OK) << taken(error);
  EXPECT_EQ(isolde_history_operations(history), 9U);  // a selected row is one, and a counted
  isolde_report* report = nullptr;
  ASSERT_EQ(isolde_check(history, nullptr, &report, nullptr), ISOLDE_OK);
  EXPECT_EQ(isolde_report_verdict(report, "ser"), ISOLDE_HOLDS);
  isolde_report_free(report);
  isolde_history_free(history);
  isolde_builder_free(builder);
}

TEST(CInterface, CallsBack) {
  isolde_options* const options = isolde_options_new();
  int said = 0;
  isolde_options_progress(
      options, [](const char*, void* user) { ++*static_cast<int*>(user); }, &said);
  isolde_options_cancelled(
      options, [](void*) { return 1; }, nullptr);
  isolde_history* const history = skew();
  isolde_report* report = nullptr;
  ASSERT_EQ(isolde_check(history, options, &report, nullptr), ISOLDE_OK);
  EXPECT_GT(said, 0);
  EXPECT_EQ(isolde_report_verdict(report, "ser"), ISOLDE_UNKNOWN);
  isolde_report_free(report);
  isolde_options_progress(options, nullptr, nullptr);
  isolde_options_cancelled(options, nullptr, nullptr);
  isolde_options_explain(options, 0);
  said = 0;
  ASSERT_EQ(isolde_check(history, options, &report, nullptr), ISOLDE_OK);
  EXPECT_EQ(said, 0);
  EXPECT_EQ(isolde_report_verdict(report, "ser"), ISOLDE_VIOLATED);
  isolde_report_free(report);
  isolde_history_free(history);
  isolde_options_free(options);
}

TEST(CInterface, RecordsAndReadsBack) {
  const isolde::io::TemporaryFolder folder;
  const std::string path = folder.path("h.jsonl");
  const char* const names[] = {"database"};
  const char* const texts[] = {"toy"};
  isolde_recorder* recorder = nullptr;
  char* error = nullptr;
  ASSERT_EQ(isolde_recorder_open(path.c_str(), names, texts, 1, 0, &recorder, &error),
            ISOLDE_OK)
      << taken(error);
  isolde_session* const session = isolde_recorder_session(recorder, "c");
  isolde_session_server(session, "db:1");
  isolde_session_begin(session);
  const isolde_operation write = operation(ISOLDE_WRITE, text("x"), integer(1));
  EXPECT_EQ(isolde_session_add(session, &write, nullptr), ISOLDE_OK);
  const isolde_operation half =
      operation(ISOLDE_WRITE, text("x"), {ISOLDE_LITERAL, 0, "0.5", 3});
  EXPECT_EQ(isolde_session_add(session, &half, &error), ISOLDE_USAGE);
  EXPECT_EQ(taken(error), "only integers and texts can be recorded; encode others as text");
  const isolde_operation refused = operation(ISOLDE_WRITE, text("x"), integer(2));
  EXPECT_EQ(isolde_session_add(session, &refused, nullptr), ISOLDE_OK);
  isolde_session_drop_last(session);
  isolde_session_end(session, ISOLDE_COMMITTED);
  isolde_recorder_event(recorder, "fault", "none");
  isolde_recorder_event_span(recorder, "fault", "pause n1", "n1", nullptr);
  isolde_recorder_event_span(recorder, "fault", "resume n1", nullptr, "n1");
  isolde_recorder_event_span(recorder, "fault", "none", nullptr, nullptr);
  EXPECT_EQ(isolde_recorder_close(recorder, nullptr), ISOLDE_OK);
  isolde_session_free(session);
  isolde_recorder_free(recorder);
  EXPECT_EQ(isolde_recorder_open(path.c_str(), nullptr, nullptr, 0, 0, &recorder, &error),
            ISOLDE_USAGE);
  EXPECT_NE(taken(error).find("exists"), std::string::npos);
  isolde_history* history = nullptr;
  ASSERT_EQ(isolde_load(path.c_str(), nullptr, &history, &error), ISOLDE_OK) << taken(error);
  EXPECT_EQ(isolde_history_transactions(history), 1U);
  EXPECT_EQ(isolde_history_operations(history), 1U);
  isolde_report* report = nullptr;
  ASSERT_EQ(isolde_check(history, nullptr, &report, &error), ISOLDE_OK) << taken(error);
  const nlohmann::json events =
      nlohmann::json::parse(taken(isolde_report_render(report, "json", nullptr)))["events"];
  EXPECT_EQ(events["kinds"]["fault"], 4);
  ASSERT_EQ(events["list"].size(), 3U);
  const nlohmann::json& pause = events["list"][1];
  EXPECT_EQ(pause["name"], "n1");
  EXPECT_EQ(pause["end"]["what"], "resume n1");
  EXPECT_LE(pause["at"].get<std::int64_t>(), pause["end"]["at"].get<std::int64_t>());
  isolde_report_free(report);
  isolde_history_free(history);
  EXPECT_EQ(isolde_load("/nowhere", nullptr, &history, &error), ISOLDE_ENVIRONMENT);
  EXPECT_NE(taken(error), "(none)");
}

// Goal: a deletion that cannot be recorded is told at once, and is no hole in the history
// either.
TEST(CInterface, RecordsDeletionsWhereItWasToldOfThem) {
  const isolde::io::TemporaryFolder folder;
  for (const int deletes : {0, 1}) {
    const std::string path = folder.path(std::to_string(deletes));
    isolde_recorder* recorder = nullptr;
    char* error = nullptr;
    ASSERT_EQ(
        isolde_recorder_open(path.c_str(), nullptr, nullptr, 0, deletes, &recorder, &error),
        ISOLDE_OK)
        << taken(error);
    isolde_session* const session = isolde_recorder_session(recorder, "c");
    isolde_session_begin(session);
    const isolde_operation remove = operation(ISOLDE_DELETE, text("x"));
    EXPECT_EQ(isolde_session_add(session, &remove, &error), deletes ? ISOLDE_OK : ISOLDE_USAGE);
    isolde_session_end(session, ISOLDE_COMMITTED);
    EXPECT_EQ(isolde_recorder_close(recorder, nullptr), deletes ? ISOLDE_OK : ISOLDE_USAGE);
    isolde_session_free(session);
    isolde_recorder_free(recorder);
    if (deletes == 0) {
      EXPECT_EQ(taken(error), "a deletion needs a recorder that was opened with `deletes`");
    }
    const auto history = isolde::load(path);
    ASSERT_TRUE(history) << history.error().message;
    EXPECT_EQ(history->origin().truncated, deletes == 0);
    EXPECT_EQ(history->origin().rows_are_deleted, deletes == 1);
  }
}

// Goal: as for deletions, and one that cannot be is refused without harm.
TEST(CInterface, RecordsAggregatesWhereItWasToldOfThem) {
  const isolde::io::TemporaryFolder folder;
  const isolde_condition condition = {};
  const isolde_aggregate wrong = {ISOLDE_COUNT, nullptr, 1, -1};
  const isolde_aggregate right = {ISOLDE_COUNT, nullptr, 1, 0};
  isolde_operation count = operation(ISOLDE_AGGREGATE, {});
  count.condition = &condition;
  for (const int deletes : {0, 1}) {
    const std::string path = folder.path(std::to_string(deletes));
    isolde_recorder* recorder = nullptr;
    char* error = nullptr;
    ASSERT_EQ(
        isolde_recorder_open(path.c_str(), nullptr, nullptr, 0, deletes, &recorder, &error),
        ISOLDE_OK)
        << taken(error);
    isolde_session* const session = isolde_recorder_session(recorder, "c");
    isolde_session_begin(session);
    count.aggregate = &wrong;
    EXPECT_EQ(isolde_session_add(session, &count, &error), ISOLDE_USAGE);
    EXPECT_EQ(taken(error), "a count is a number from 0");
    count.aggregate = &right;
    error = nullptr;
    EXPECT_EQ(isolde_session_add(session, &count, &error), deletes ? ISOLDE_OK : ISOLDE_USAGE);
    EXPECT_EQ(taken(error), deletes ? "(none)"
                                    : "an aggregate needs a recorder that was opened with "
                                      "`deletes`");
    isolde_session_end(session, ISOLDE_COMMITTED);
    EXPECT_EQ(isolde_recorder_close(recorder, nullptr), deletes ? ISOLDE_OK : ISOLDE_USAGE);
    isolde_session_free(session);
    isolde_recorder_free(recorder);
    const auto history = isolde::load(path);
    ASSERT_TRUE(history) << history.error().message;
    EXPECT_EQ(history->origin().truncated, deletes == 0);
    ASSERT_EQ(history->txn_count(), 1U);
    EXPECT_EQ(history->selections(isolde::TxnId(0)).size(), deletes ? 1U : 0U);
  }
}

// Goal: sums come behind the answers, or with the reply to the commit.
TEST(CInterface, RecordsIncrementsAndTheirSums) {
  const isolde::io::TemporaryFolder folder;
  const std::string path = folder.path("h");
  isolde_recorder* recorder = nullptr;
  ASSERT_EQ(isolde_recorder_open(path.c_str(), nullptr, nullptr, 0, 1, &recorder, nullptr),
            ISOLDE_OK);
  isolde_session* const session = isolde_recorder_session(recorder, "c");
  const auto add = [&](const char* key, std::int64_t by, const isolde_value* sum = nullptr) {
    isolde_operation increment = operation(ISOLDE_INCREMENT, text(key), integer(by));
    increment.sum = sum;
    return isolde_session_add(session, &increment, nullptr);
  };
  const isolde_value eight = integer(8);
  char* error = nullptr;
  isolde_session_begin(session);
  EXPECT_EQ(add("x", 3, &eight), ISOLDE_OK);
  EXPECT_EQ(add("x", -1), ISOLDE_OK);
  EXPECT_EQ(isolde_session_sum(session, 7, &error), ISOLDE_OK);
  EXPECT_EQ(add("gone", 1), ISOLDE_OK);
  isolde_session_drop_last(session);
  EXPECT_EQ(add("z", 2), ISOLDE_OK);
  EXPECT_EQ(isolde_session_sum(session, INT64_MAX, &error), ISOLDE_USAGE);
  EXPECT_EQ(taken(error), "the sum that an increment has left is no integer of 62 bits");
  isolde_session_end(session, ISOLDE_COMMITTED);
  isolde_session_begin(session);
  EXPECT_EQ(add("x", 5), ISOLDE_OK);
  EXPECT_EQ(add("z", 6), ISOLDE_OK);
  const std::int64_t wrong[] = {12, INT64_MIN};
  EXPECT_EQ(isolde_session_sums(session, wrong, 2, nullptr), ISOLDE_USAGE);
  const std::int64_t sums[] = {12, -4};
  EXPECT_EQ(isolde_session_sums(session, sums, 2, &error), ISOLDE_OK);
  isolde_session_end(session, ISOLDE_COMMITTED);
  EXPECT_EQ(isolde_recorder_close(recorder, nullptr), ISOLDE_OK);
  isolde_session_free(session);
  isolde_recorder_free(recorder);
  const std::string written = folder.get("h");
  EXPECT_NE(written.find(R"([["inc","x",3,8],["inc","x",-1,7],["inc","z",2]])"),
            std::string::npos)
      << written;
  EXPECT_NE(written.find(R"([["inc","x",5,12],["inc","z",6,-4]])"), std::string::npos)
      << written;
}

// Goal: the version that only the reply to the commit tells is that of all writes and deletions
// without one of their own, and of nothing else. Without `deletes`, and of null, it is refused.
TEST(CInterface, RecordsTheVersionThatACommitTells) {
  const isolde::io::TemporaryFolder folder;
  for (const bool deletes : {true, false}) {
    const std::string path = folder.path(deletes ? "h" : "h1");
    isolde_recorder* recorder = nullptr;
    ASSERT_EQ(
        isolde_recorder_open(path.c_str(), nullptr, nullptr, 0, deletes, &recorder, nullptr),
        ISOLDE_OK);
    isolde_session* const session = isolde_recorder_session(recorder, "c");
    const auto add = [&](int kind, const char* key, isolde_value value = {}) {
      const isolde_operation asked = operation(kind, text(key), value);
      return isolde_session_add(session, &asked, nullptr);
    };
    const isolde_value at_once = integer(17);
    const isolde_value null{};
    const isolde_value later = text("22");
    char* error = nullptr;
    isolde_session_begin(session);
    EXPECT_EQ(add(ISOLDE_READ, "x", integer(1)), ISOLDE_OK);
    EXPECT_EQ(add(ISOLDE_WRITE, "x", integer(2)), ISOLDE_OK);
    if (deletes) {
      EXPECT_EQ(isolde_session_version(session, &at_once, nullptr), ISOLDE_OK);
      EXPECT_EQ(add(ISOLDE_DELETE, "y"), ISOLDE_OK);
    }
    EXPECT_EQ(add(ISOLDE_WRITE, "z", integer(3)), ISOLDE_OK);
    EXPECT_EQ(isolde_session_version_of_writes(session, &null, &error), ISOLDE_USAGE);
    EXPECT_EQ(taken(error), "null is no version");
    EXPECT_EQ(isolde_session_version_of_writes(session, &later, &error),
              deletes ? ISOLDE_OK : ISOLDE_USAGE);
    if (!deletes) {
      EXPECT_EQ(taken(error), "a version needs a recorder that was opened with `deletes`");
    }
    isolde_session_end(session, ISOLDE_COMMITTED);
    EXPECT_EQ(isolde_recorder_close(recorder, nullptr), deletes ? ISOLDE_OK : ISOLDE_USAGE);
    isolde_session_free(session);
    isolde_recorder_free(recorder);
  }
  const std::string written = folder.get("h");
  EXPECT_NE(written.find(R"([["r","x",1],["w","x",2,{"version":17}],)"
                         R"(["delete","y",{"version":"22"}],["w","z",3,{"version":"22"}]])"),
            std::string::npos)
      << written;
}

TEST(CInterface, RecordsSelectionsThatHaveAllParts) {
  const isolde::io::TemporaryFolder folder;
  const std::string path = folder.path("h.jsonl");
  isolde_recorder* recorder = nullptr;
  ASSERT_EQ(isolde_recorder_open(path.c_str(), nullptr, nullptr, 0, 0, &recorder, nullptr),
            ISOLDE_OK);
  isolde_session* const session = isolde_recorder_session(recorder, "c");
  isolde_session_begin(session);
  const auto problem = [session](const isolde_operation& asked) {
    char* error = nullptr;
    return isolde_session_add(session, &asked, &error) == ISOLDE_OK ? "" : taken(error);
  };
  const char* const only_integers =
      "only integers and texts can be recorded; encode others as text";
  const isolde_value half = {ISOLDE_LITERAL, 0, "0.5", 3};
  isolde_operation select = operation(ISOLDE_SELECT, {});
  EXPECT_EQ(problem(select), "a selection needs a condition");
  isolde_condition condition = {};
  select.condition = &condition;
  const isolde_row rows[] = {{integer(1), half, nullptr, 0, nullptr}};
  select.rows = rows;
  select.row_count = 1;
  EXPECT_EQ(problem(select), only_integers);
  select.row_count = 0;
  EXPECT_EQ(problem(select), "");
  condition.equal = half;
  EXPECT_EQ(problem(select), only_integers);
  isolde_operation read = operation(ISOLDE_READ, text("x"));
  read.condition = &condition;
  condition.equal = {};
  EXPECT_EQ(problem(read), "only selections and aggregates have a condition");
  EXPECT_EQ(problem(operation(ISOLDE_DELETE, {})), "an operation needs a key");
  isolde_session_end(session, ISOLDE_COMMITTED);
  EXPECT_EQ(isolde_recorder_close(recorder, nullptr), ISOLDE_OK);
  isolde_session_free(session);
  isolde_recorder_free(recorder);
  const auto history = isolde::load(path);
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->selections(isolde::TxnId(0)).size(), 1U);
}

TEST(CInterface, FreesNothing) {
  isolde_free(nullptr);
  isolde_options_free(nullptr);
  isolde_history_free(nullptr);
  isolde_builder_free(nullptr);
  isolde_report_free(nullptr);
  isolde_session_free(nullptr);
  isolde_recorder_free(nullptr);
}

}  // namespace
