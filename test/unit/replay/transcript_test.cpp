// Goal: a transcript tells of each step what became of it, and of several attempts what stood
// in the way.
#include "replay/transcript.hpp"

#include <gtest/gtest.h>

#include "support/history_dsl.hpp"

namespace isolde::replay {
namespace {

using State = StepResult::State;

StepResult result(State state, std::size_t done_at, std::string message = {}) {
  StepResult made;
  made.state = state;
  made.done_at = done_at;
  made.message = std::move(message);
  return made;
}

TEST(Transcript, TellsOfEachStep) {
  const History history = support::parse("A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)");
  const Numbering numbering(history);
  const std::vector<Step> steps = Interleaving(history).steps();
  std::vector<StepResult> results;
  for (std::size_t i = 0; i < 8; ++i) results.push_back(result(State::kDone, i));
  results[3] = result(State::kDone, 5);
  results[3].value = 1;
  results[6] = result(State::kAborted, 6, "conflict");
  results[7] = result(State::kSkipped, 7);
  EXPECT_EQ(transcript(numbering, steps, results, {}),
            "    1  A  begin\n"
            "    2  A  r(x)     recorded null, now null\n"
            "    3  B  begin\n"
            "    4  B  r(x)     recorded null, now 1  waited until step 6\n"
            "    5  A  w(x, 1)\n"
            "    6  A  commit\n"
            "    7  B  w(x, 2)  aborted: conflict\n"
            "    8  B  commit   left out, the transaction is over\n");
}

TEST(Transcript, TellsOfSelections) {
  const History history =
      support::parse("A: s(keys=1..9:) s(keys=1..9: 3=foo) d(3) ; B: w(3=foo) w(x=1)");
  const Numbering numbering(history);
  const std::vector<Step> steps = Interleaving(history).steps();
  std::vector<StepResult> results;
  for (std::size_t i = 0; i < 8; ++i) results.push_back(result(State::kDone, i));
  results[1].rows = {{3, numbering.value(history.ops(TxnId(1))[0].value)}};
  results[6] = result(State::kSkipped, 6);
  EXPECT_EQ(transcript(numbering, steps, results, {}),
            "    1  A  begin\n"
            "    2  A  select(keys 1 to 9)  recorded [], now [3=foo]\n"
            "    3  B  begin\n"
            "    4  B  w(3, foo)\n"
            "    5  B  w(x, 1)\n"
            "    6  B  commit\n"
            "    7  A  delete(keys 1 to 9)  left out, the transaction is over\n"
            "    8  A  commit\n");
}

TEST(Obstacles, CountsAttempts) {
  const std::vector<Step> steps(2);
  Obstacles obstacles;
  obstacles.add(steps, std::vector{result(State::kDone, 0), result(State::kDone, 1)}, true);
  obstacles.add(steps, std::vector{result(State::kDone, 1), result(State::kDone, 1)}, true);
  for (int i = 0; i < 2; ++i) {
    obstacles.add(steps,
                  std::vector{result(State::kDone, 1), result(State::kAborted, 1, "deadlock")},
                  true);
  }
  EXPECT_EQ(
      obstacles.text(2),
      "  In 2 attempts the database aborted transactions:\n"
      "    2 times: deadlock\n"
      "  In 1 attempt it let steps wait for other sessions, and all reads returned what the "
      "level allows.\n"
      "  In 1 attempt no step had to wait, and all reads returned what the level allows.\n");
}

}  // namespace
}  // namespace isolde::replay
