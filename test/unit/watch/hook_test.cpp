#include "watch/hook.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace isolde::watch {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct HookTest : testing::Test {
  std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("hook" + std::to_string(getpid()));
  void SetUp() override { std::filesystem::create_directory(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Status run(const std::string& command, std::chrono::milliseconds limit = seconds(30),
             const std::string& bundle = "b") {
    return run_hook(
        {command, {{"ISOLDE_BUNDLE", bundle}, {"OUT", (folder / "out").string()}}, limit});
  }
  std::string out() const {
    std::ostringstream text;
    text << std::ifstream(folder / "out").rdbuf();
    return text.str();
  }
};

TEST_F(HookTest, TextsAreOnlyInTheEnvironment) {
  setenv("ISOLDE_BUNDLE", "an older one", 1);
  setenv("ISOLDE_HOOK_TEST", "kept", 1);
  const std::string evil = "$(touch " + (folder / "evil").string() + ")'; false \"";
  const Status done = run("printf '%s|%s' \"$ISOLDE_BUNDLE\" \"$ISOLDE_HOOK_TEST\" > \"$OUT\"",
                          seconds(30), evil);
  EXPECT_TRUE(done.ok());
  EXPECT_EQ(out(), evil + "|kept");
  EXPECT_FALSE(std::filesystem::exists(folder / "evil"));
  unsetenv("ISOLDE_BUNDLE");
}

TEST_F(HookTest, HasNoInputAndDefaultSignals) {
  EXPECT_TRUE(run("cat > \"$OUT\"; exec grep SigBlk /proc/self/status >> \"$OUT\"").ok());
  EXPECT_EQ(out(), "SigBlk:\t0000000000000000\n");
}

TEST_F(HookTest, TellsHowItEnded) {
  EXPECT_NE(run("exit 3").error().message.find("exit code 3"), std::string::npos);
  EXPECT_NE(run("kill -9 $$").error().message.find("signal 9"), std::string::npos);
  EXPECT_EQ(run("exit 3").error().code, ErrorCode::kEnvironment);
}

TEST_F(HookTest, IsKilledWithAllThatItStarted) {
  const auto begin = std::chrono::steady_clock::now();
  const Status done = run("(sleep 1; echo late > \"$OUT\") & sleep 60", milliseconds(200));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(20));
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().message.find("200ms"), std::string::npos) << done.error().message;
  std::this_thread::sleep_for(milliseconds(1500));
  EXPECT_EQ(out(), "");
}

}  // namespace
}  // namespace isolde::watch
