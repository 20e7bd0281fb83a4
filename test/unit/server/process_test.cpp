// Goal: programs are started as asked, failures name step and reason, and stopping, continuing
// and killing reach descendants, even those in sessions of their own. Method: small shell
// scripts in a temporary folder.
#include "server/process.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "server/folder.hpp"
#include "unit/server/test_processes.hpp"

namespace isolde::server {
namespace {

class ProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::string> made = make_cluster_folder("", std::nullopt);
    ASSERT_TRUE(made.ok());
    folder_ = made.value();
  }
  void TearDown() override { remove_all(folder_); }

  Command shell(const std::string& script) const {
    return {{"/bin/sh", "-c", script}, folder_, folder_ + "/log", std::nullopt, 0};
  }
  Process started(const std::string& script) const {
    Result<Process> process = Process::start(shell(script));
    EXPECT_TRUE(process.ok()) << (process.ok() ? "" : process.error().message);
    return process.ok() ? std::move(process).value() : Process();
  }
  std::string log() const { return read_file(folder_ + "/log"); }

  static constexpr auto kLong = std::chrono::seconds(20);
  std::string folder_;
};

TEST_F(ProcessTest, RunsInItsFolderWithAFewVariables) {
  ::setenv("ETCD_NAME", "surprise", 1);
  const Process process = started("pwd; echo $LC_ALL; echo [$ETCD_NAME]; exit 3");
  ::unsetenv("ETCD_NAME");
  ASSERT_TRUE(process.wait_until(Clock::now() + kLong));
  EXPECT_EQ(process.ending(), "exit status 3");
  EXPECT_EQ(log(), folder_ + "\nC\n[]\n");
}

TEST_F(ProcessTest, FindsProgramsInItsOwnFolderFirst) {
  Command command = shell("true; /bin/sh -c 'date; exec ls /'");
  command.programs = folder_ + "/bin";
  ASSERT_TRUE(make_folder(command.programs, std::nullopt).ok());
  for (const char* const name : {"/date", "/ls"}) {
    ASSERT_TRUE(write_file(command.programs + name, "#!/bin/sh\necho ours\n", std::nullopt,
                           FileKind::kProgram)
                    .ok());
  }
  const Result<Process> process = Process::start(command);
  ASSERT_TRUE(process.ok());
  ASSERT_TRUE(process->wait_until(Clock::now() + kLong));
  EXPECT_EQ(log(), "ours\nours\n");
  struct stat status {};
  ASSERT_EQ(stat(command.log.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U) << "what servers say is nobody else's business";
}

TEST_F(ProcessTest, SignalsOfTheStarterAreNotInherited) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const Process process = started("kill -TERM $$; sleep 30");
  sigprocmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(process.wait_until(Clock::now() + kLong));
  EXPECT_EQ(process.ending(), "signal " + std::to_string(SIGTERM));
}

TEST_F(ProcessTest, TellsWhyAProgramCannotStart) {
  Command command = shell("");
  command.argv = {folder_ + "/missing"};
  Result<Process> process = Process::start(command);
  ASSERT_FALSE(process.ok());
  EXPECT_EQ(process.error().message,
            "cannot start " + folder_ + "/missing: No such file or directory");
  command = shell("");
  command.folder = folder_ + "/nowhere";
  process = Process::start(command);
  ASSERT_FALSE(process.ok());
  EXPECT_EQ(process.error().message,
            "cannot enter " + folder_ + "/nowhere: No such file or directory");
  command = shell("");
  command.log = folder_ + "/nowhere/log";
  process = Process::start(command);
  ASSERT_FALSE(process.ok());
  EXPECT_EQ(process.error().code, ErrorCode::kEnvironment);
}

TEST_F(ProcessTest, RunsAsAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can run programs as somebody else";
  const Result<Owner> owner = find_owner("nobody");
  ASSERT_TRUE(owner.ok());
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
  Command command = shell("id -un; id -G");
  command.owner = *owner;
  const Result<Process> process = Process::start(command);
  ASSERT_TRUE(process.ok());
  ASSERT_TRUE(process->wait_until(Clock::now() + kLong));
  EXPECT_EQ(log(), "nobody\n" + std::to_string(owner->gid) + "\n");
}

TEST_F(ProcessTest, StopsAndContinuesDescendants) {
  // The grandchild, in a session of its own, counts as long as it runs.
  const Process process =
      started("setsid sh -c 'while :; do echo x >>ticks; sleep 0.01; done' & wait");
  const auto ticks = [this] { return read_file(folder_ + "/ticks").size(); };
  ASSERT_TRUE(becomes([&] { return ticks() > 4; }, 20));
  process.freeze();
  const std::size_t before = ticks();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(ticks(), before);
  EXPECT_TRUE(process.running());
  process.thaw();
  EXPECT_TRUE(becomes([&] { return ticks() > before; }, 20));
}

TEST_F(ProcessTest, KillsDescendants) {
  Process process = started("setsid sh -c 'sleep 30; :' & sleep 30 & wait");
  ASSERT_TRUE(becomes([&] { return processes_in(folder_).size() == 4; }, 20));
  process.kill_tree();
  EXPECT_TRUE(processes_in(folder_).empty());
  EXPECT_EQ(process.ending(), "signal 9");
  const pid_t pid = process.pid();
  EXPECT_TRUE(exists(pid)) << "the zombie keeps the number";
  process.finish();
  EXPECT_FALSE(exists(pid));
}

TEST_F(ProcessTest, KillsWhatIsStopped) {
  Process process = started("sleep 30 & wait");
  process.freeze();
  process.kill_tree();
  EXPECT_TRUE(processes_in(folder_).empty());
}

TEST_F(ProcessTest, FinishingTakesOrphansOfTheGroupAlong) {
  {
    const Process process = started("(sleep 30 &) ; exit 0");
    ASSERT_TRUE(process.wait_until(Clock::now() + kLong));
    EXPECT_FALSE(processes_in(folder_).empty());
  }
  EXPECT_TRUE(becomes([&] { return processes_in(folder_).empty(); }, 20));
}

TEST(Owner, UnknownUsersAreAnError) {
  const Result<Owner> owner = find_owner("no-such-user-here");
  ASSERT_FALSE(owner.ok());
  EXPECT_EQ(owner.error().message, "there is no user 'no-such-user-here' on this system");
}

}  // namespace
}  // namespace isolde::server
