// Goal: requests and answers between threads and a program. Method: test/support/adapter.py
// with its faults, and shell commands.
#include "db/adapter_process.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "support/source_dir.hpp"

namespace isolde::db {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string adapter(const std::string& fault) {
  return "exec python3 " + std::string(support::source_dir()) + "/test/support/adapter.py " +
         fault;
}

std::unique_ptr<AdapterProcess> started(const std::string& command) {
  Result<std::unique_ptr<AdapterProcess>> process = AdapterProcess::start(command);
  EXPECT_TRUE(process) << process.error().message;
  return std::move(process).value();
}

Result<std::string> ask(AdapterProcess& process, const std::string& rest,
                        std::chrono::nanoseconds timeout = seconds(10)) {
  const std::uint64_t id = process.next_id();
  return process.ask(id, "{\"id\":" + std::to_string(id) + "," + rest + "}", timeout);
}

TEST(AdapterProcess, AnswersEachThreadWithItsOwn) {
  const auto process = started(adapter("late"));  // answers reads in pairs, the second first
  for (int session = 1; session <= 2; ++session) {
    const std::string number = std::to_string(session);
    ASSERT_TRUE(ask(*process, "\"do\":\"begin\",\"session\":" + number));
    ASSERT_TRUE(ask(
        *process, "\"do\":\"write\",\"session\":" + number + ",\"key\":1,\"value\":" + number));
  }
  std::vector<std::thread> threads;
  for (int session = 1; session <= 2; ++session) {
    threads.emplace_back([&process, number = std::to_string(session)] {
      for (int i = 0; i < 100; ++i) {
        const Result<std::string> answer =
            ask(*process, "\"do\":\"read\",\"session\":" + number + ",\"key\":1");
        ASSERT_TRUE(answer) << answer.error().message;
        EXPECT_NE(answer->find("\"value\": " + number + "}"), std::string::npos) << *answer;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(AdapterProcess, TellsHowItEnded) {
  const auto message = [](const std::string& command, ErrorCode code) {
    const auto process = started(command);
    const Result<std::string> answer = ask(*process, "\"do\":\"hello\"");
    EXPECT_FALSE(answer);
    EXPECT_TRUE(process->is_over());
    EXPECT_EQ(answer.error().code, code);
    return answer.error().message;
  };
  EXPECT_EQ(message("exit 5", ErrorCode::kEnvironment), "it has ended with exit status 5");
  EXPECT_EQ(message("kill -9 $$", ErrorCode::kEnvironment), "it was ended by signal 9");
  EXPECT_EQ(message("exec >&-; sleep 30", ErrorCode::kEnvironment), "it has closed its output");
  // No shell stays behind it that holds the output open.
  EXPECT_EQ(message("python3 -c 'import os, time; os.close(1); time.sleep(30)'",
                    ErrorCode::kEnvironment),
            "it has closed its output");
  EXPECT_EQ(message("head -c 20000000 /dev/zero | tr '\\0' x", ErrorCode::kBadInput),
            "it has sent a line of more than 16 MB");
}

// Goal: one program takes the place of the shell; whatever needs the shell has it.
TEST(AdapterProcess, RunsWhateverTheShellTakes) {
  const auto answer = [](const std::string& command) {
    const auto process = started(command);
    const Result<std::string> said = ask(*process, "\"do\":\"hello\"");
    return said ? *said : said.error().message;
  };
  const std::string one = R"({"id":1})";
  const std::string answers = "sed -u 's/.*/" + one + "/'";
  EXPECT_EQ(answer(answers), one);
  EXPECT_EQ(answer("\t" + answers + "; exit 5"), one);
  EXPECT_EQ(answer("sed -u 's/.*/;" + one + "|/' | sed -u 's/[;|]//g'"), one);
  EXPECT_EQ(answer("A='" + one + "' sh -c 'read x; echo \"$A\"'"), one);
  EXPECT_EQ(answer("true && " + answers), one);
  EXPECT_EQ(answer("cd / \n" + answers), one);
  EXPECT_EQ(answer("exit 5"), "it has ended with exit status 5");
  EXPECT_EQ(answer("/bin/true"), "it has ended with exit status 0");
  EXPECT_EQ(answer("./no-such-program"), "it has ended with exit status 127");
}

// Goal: what it has written last tells more than that it has ended, also where it ended before
// anybody asked.
TEST(AdapterProcess, TellsWhatItSaidBeforeItEnded) {
  const auto error_of = [](const std::string& command) {
    const auto process = started(command);
    std::this_thread::sleep_for(milliseconds(200));
    const Result<std::string> answer = ask(*process, "\"do\":\"hello\"");
    EXPECT_FALSE(answer);
    EXPECT_TRUE(process->end()) << "it is told twice";
    return answer.error();
  };
  const Error line = error_of("echo Segfault; exit 3");
  EXPECT_EQ(line.code, ErrorCode::kBadInput);
  EXPECT_EQ(line.message,
            "expected one JSON object a line with the request's \"id\", got Segfault");
  const Error half = error_of("printf Segfault; exit 3");
  EXPECT_EQ(half.code, ErrorCode::kEnvironment);
  EXPECT_EQ(half.message,
            "it has ended with exit status 3, and its last line has no end: Segfault");
  EXPECT_EQ(error_of("exec <&-; sleep 30").message, "it has closed its input");
}

TEST(AdapterProcess, TellsWhatItSaysBehindItsLastAnswer) {
  const auto end_of = [](const std::string& command) {
    const auto process = started(command);
    const Result<std::string> answer = ask(*process, "\"do\":\"hello\"");
    EXPECT_TRUE(answer) << answer.error().message;
    const Status ended = process->end();
    return ended ? std::string() : ended.error().message;
  };
  const std::string answers = "read x; echo '{\"id\":1}'; ";
  const std::string expected =
      "expected one JSON object a line with the request's \"id\", got bye";
  EXPECT_EQ(end_of(answers + "cat"), "");
  EXPECT_EQ(end_of(answers + "exit 3"), "");
  EXPECT_EQ(end_of(answers + "cat; echo; echo bye"), expected);
  EXPECT_EQ(end_of(answers + "echo bye; cat"), expected);
  EXPECT_EQ(end_of(answers + "printf bye"), expected);
  EXPECT_EQ(end_of(answers + "printf bye; sleep 30"), expected);
}

TEST(AdapterProcess, DropsAnswersThatComeTooLate) {
  const auto process = started(
      "read x; sleep 0.3; echo '{\"id\":1}'; read x; echo '{\"id\":2,\"right\":true}'; cat");
  const Result<std::string> late = ask(*process, "\"do\":\"x\"", milliseconds(50));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kLimit);
  EXPECT_FALSE(process->is_over());
  const Result<std::string> next = ask(*process, "\"do\":\"y\"");
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(*next, "{\"id\":2,\"right\":true}");
}

// Goal: what does not read its input does not block the one who asks.
TEST(AdapterProcess, DoesNotWaitForOneThatDoesNotListen) {
  const auto process = started("sleep 30");
  const Result<std::string> answer =
      ask(*process, "\"text\":\"" + std::string(8 << 20, 'x') + "\"", milliseconds(100));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "it does not read its input");
}

}  // namespace
}  // namespace isolde::db
