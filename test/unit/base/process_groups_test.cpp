// Goal: groups that are known are killed, and no others. Method: programs that would run for
// long, each in a group of its own; the end of all is in a copy of this program, because it is
// for good.
#include "base/process_groups.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

namespace isolde::base {
namespace {

/// A process that leads a group and waits.
pid_t leader() {
  const pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    for (;;) pause();
  }
  setpgid(pid, pid);
  return pid;
}

int signal_that_ended(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/// What a copy of this program exits with that does the work.
template <typename Work>
int exit_of_copy(Work work) {
  const pid_t copy = fork();
  if (copy == 0) _exit(work());
  int status = 0;
  waitpid(copy, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool runs(pid_t pid) { return waitpid(pid, nullptr, WNOHANG) == 0; }

TEST(ProcessGroups, KillsThoseThatAreKnown) {
  const int wrong = exit_of_copy([] {
    std::vector<pid_t> all;
    for (int i = 0; i < 5; ++i) {
      all.push_back(leader());
      add_process_group(all.back());
    }
    // Their places are taken again by others.
    remove_process_group(all[1]);
    remove_process_group(all[3]);
    const pid_t again = leader();
    add_process_group(again);
    kill_process_groups();
    int failures = 0;
    for (const pid_t pid : {all[0], all[2], all[4], again}) {
      if (signal_that_ended(pid) != SIGKILL) ++failures;
    }
    for (const pid_t pid : {all[1], all[3]}) {
      if (!runs(pid)) ++failures;
      kill(pid, SIGTERM);
      if (signal_that_ended(pid) != SIGTERM) ++failures;
    }
    return failures;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(ProcessGroups, KillsThoseThatComeLater) {
  const int number = exit_of_copy([] {
    kill_process_groups();
    const pid_t late = leader();
    add_process_group(late);
    return signal_that_ended(late);
  });
  EXPECT_EQ(number, SIGKILL);
}

/// A thread is starting one when another one ends the program.
TEST(ProcessGroups, WaitsForThoseThatAreJustStarted) {
  const int number = exit_of_copy([] {
    std::atomic<bool> has_begun{false};
    std::atomic<pid_t> started{0};
    std::thread starter([&] {
      const GroupStart start;
      has_begun = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      started = leader();
      add_process_group(started);
    });
    while (!has_begun) std::this_thread::yield();
    kill_process_groups();
    const int ended = started == 0 ? 0 : signal_that_ended(started);
    starter.join();
    return ended;
  });
  EXPECT_EQ(number, SIGKILL);
}

TEST(ProcessGroups, StartsWithoutSignalsAndEndsWithThem) {
  sigset_t now;
  {
    const GroupStart start;
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    EXPECT_EQ(sigismember(&now, SIGINT), 1);
  }
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  EXPECT_EQ(sigismember(&now, SIGINT), 0);
}

}  // namespace
}  // namespace isolde::base
