// Goal: a program with such a clock, and its descendants, take the time from it in all ways but
// the kernel's own, from their first instruction on; what measures durations goes on. Method: a
// real program that tells the time in all ways, linked with the C library and with all of it
// inside, which is then out of reach for a library that is preloaded.
#include "server/kernel_clock.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <sstream>
#include <thread>

#include "clock_tellers.hpp"
#include "server/folder.hpp"
#include "server/process.hpp"
#include "unit/server/test_processes.hpp"

namespace isolde::server {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 3600 * kSecond;

/// A line of clock_teller.c.
struct Told {
  int by_child = 0;
  std::int64_t kernel = 0;
  std::int64_t real = 0;
  std::int64_t coarse = 0;
  std::int64_t of_day = 0;
  std::int64_t plain = 0;
  std::int64_t kernel_steady = 0;
  std::int64_t steady = 0;

  bool is_ahead_by(std::int64_t ahead) const {
    // A line takes its time on a busy machine; whole seconds, and ticks, are told late.
    const auto near = [&](std::int64_t time, std::int64_t early) {
      const std::int64_t error = time - (kernel + ahead);
      return -early <= error && error < kSecond / 2;
    };
    return near(real, 0) && near(coarse, kSecond / 50) && near(of_day, 1000) &&
           near(plain, kSecond + kSecond / 50) && steady >= kernel_steady &&
           steady - kernel_steady < kSecond / 2;
  }
};

class KernelClockOf : public testing::TestWithParam<const char*> {
 protected:
  KernelClockOf() : folder_(make_cluster_folder("", std::nullopt).value()) {}
  ~KernelClockOf() override { remove_all(folder_); }

  Result<Process> started(const KernelClock& clock) const {
    Command command;
    command.argv = {GetParam()};
    command.folder = folder_;
    command.log = folder_ + "/log";
    command.clock = clock.file();
    return Process::start(command);
  }

  std::string log() const { return read_file(folder_ + "/log"); }

  /// The whole lines that the program, or its child, has told.
  std::vector<Told> told_by(int child) const {
    std::vector<Told> result;
    const std::string text = log();
    std::istringstream lines(text.substr(0, text.rfind('\n') + 1));
    for (Told t; lines >> t.by_child >> t.kernel >> t.real >> t.coarse >> t.of_day >> t.plain >>
                 t.kernel_steady >> t.steady;) {
      if (t.by_child == child) result.push_back(t);
    }
    return result;
  }

  const std::string folder_;
};

TEST_P(KernelClockOf, IsTakenForTheTimeInAllWays) {
  Result<KernelClock> clock = KernelClock::create();
  ASSERT_TRUE(clock.ok()) << clock.error().message;
  const Result<Process> process = started(*clock);
  ASSERT_TRUE(process.ok()) << process.error().message;
  for (const std::int64_t ahead :
       {std::int64_t{0}, kHour, -kHour, kSecond / 2 + 1, -kSecond - 1, std::int64_t{0}}) {
    clock->set(ahead);
    for (const int child : {0, 1}) {
      const std::size_t before = told_by(child).size();
      // The next line may have begun before.
      ASSERT_TRUE(becomes([&] { return told_by(child).size() > before + 1; }, 10))
          << ahead << " " << log();
      EXPECT_TRUE(told_by(child).at(before + 1).is_ahead_by(ahead))
          << ahead << " " << child << ": " << log();
    }
  }
  EXPECT_TRUE(process->running()) << process->ending();
}

TEST_P(KernelClockOf, IsThereFromTheFirstInstructionOnAndStays) {
  std::optional<KernelClock> clock;
  {
    Result<KernelClock> created = KernelClock::create();
    ASSERT_TRUE(created.ok()) << created.error().message;
    clock.emplace(std::move(created).value());
  }
  clock->set(-kHour);
  const Result<Process> process = started(*clock);
  ASSERT_TRUE(process.ok()) << process.error().message;
  ASSERT_TRUE(becomes([&] { return !told_by(0).empty() && !told_by(1).empty(); }, 10)) << log();
  EXPECT_TRUE(told_by(0).front().is_ahead_by(-kHour)) << log();
  EXPECT_TRUE(told_by(1).front().is_ahead_by(-kHour)) << log();
  // Nobody traces it any more, and it does not have our file open.
  const std::string status = read_file("/proc/" + std::to_string(process->pid()) + "/status");
  EXPECT_NE(status.find("TracerPid:\t0\n"), std::string::npos) << status;
  const std::string file =
      "/proc/" + std::to_string(process->pid()) + "/fd/" + std::to_string(clock->file());
  EXPECT_NE(access(file.c_str(), F_OK), 0);
  const std::size_t before = told_by(0).size();
  clock.reset();
  ASSERT_TRUE(becomes([&] { return told_by(0).size() > before; }, 10)) << log();
  EXPECT_TRUE(told_by(0).back().is_ahead_by(-kHour)) << log();
}

TEST_P(KernelClockOf, TwoProgramsHaveTheirOwn) {
  Result<KernelClock> clock = KernelClock::create();
  Result<KernelClock> other = KernelClock::create();
  ASSERT_TRUE(clock.ok() && other.ok());
  other->set(kHour);
  const Result<Process> process = started(*clock);
  ASSERT_TRUE(process.ok()) << process.error().message;
  ASSERT_TRUE(becomes([&] { return !told_by(0).empty(); }, 10)) << log();
  EXPECT_TRUE(told_by(0).back().is_ahead_by(0)) << log();
}

INSTANTIATE_TEST_SUITE_P(Server, KernelClockOf, testing::Values(CLOCK_TELLERS));

/// The calling thread, and what it starts, may trace nobody from now on.
bool forbid_tracing() {
  std::array<sock_filter, 4> filter = {
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program = {filter.size(), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_P(KernelClockOf, IsRefusedWhereNobodyMayTrace) {
  const Result<KernelClock> clock = KernelClock::create();
  ASSERT_TRUE(clock.ok());
  bool forbidden = false;
  std::string told;
  std::thread([&] {
    forbidden = forbid_tracing();
    const Result<Process> process = started(*clock);
    if (!process) told = process.error().message;
  }).join();
  if (!forbidden) GTEST_SKIP() << "no filter for system calls here";
  EXPECT_EQ(told, "cannot set the clock of " + std::string(GetParam()) +
                      ": ptrace: Operation not permitted");
  EXPECT_EQ(log(), "");
}

TEST(KernelClock, AProgramOfAnotherArchitectureIsRefused) {
  // For 32 bits: a header of the file, one of its only segment, and exit(0).
  constexpr std::uint32_t kAddress = 0x08048000;
  constexpr std::uint32_t kHeaders = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr);
  constexpr std::array<unsigned char, 9> kCode = {0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80};
  Elf32_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_386;
  header.e_version = EV_CURRENT;
  header.e_entry = kAddress + kHeaders;
  header.e_phoff = header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf32_Phdr);
  header.e_phnum = 1;
  Elf32_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_vaddr = kAddress;
  segment.p_filesz = segment.p_memsz = kHeaders + kCode.size();
  segment.p_flags = PF_R | PF_X;
  segment.p_align = 4096;
  std::string program(reinterpret_cast<const char*>(&header), sizeof header);
  program.append(reinterpret_cast<const char*>(&segment), sizeof segment);
  program.append(kCode.begin(), kCode.end());

  const std::string folder = make_cluster_folder("", std::nullopt).value();
  Command command;
  command.argv = {folder + "/program"};
  command.folder = folder;
  command.log = folder + "/log";
  ASSERT_TRUE(write_file(command.argv[0], program, std::nullopt, FileKind::kProgram).ok());
  const Result<Process> as_usual = Process::start(command);
  if (as_usual) {
    as_usual->wait_until(Clock::now() + std::chrono::seconds(10));
    EXPECT_EQ(as_usual->ending(), "exit status 0");
    const Result<KernelClock> clock = KernelClock::create();
    ASSERT_TRUE(clock.ok());
    command.clock = clock->file();
    const Result<Process> process = Process::start(command);
    EXPECT_FALSE(process.ok());
    EXPECT_EQ(process ? "" : process.error().message,
              "cannot set the clock of " + command.argv[0] +
                  ": it is of another architecture, or has no vDSO");
  }
  remove_all(folder);
  if (!as_usual) GTEST_SKIP() << as_usual.error().message;
}

TEST(KernelClock, AProgramThatCannotBeStartedIsToldOf) {
  const Result<KernelClock> clock = KernelClock::create();
  ASSERT_TRUE(clock.ok());
  Command command;
  command.argv = {"/nowhere/program"};
  command.folder = "/";
  command.log = "/dev/null";
  command.clock = clock->file();
  const Result<Process> process = Process::start(command);
  ASSERT_FALSE(process.ok());
  EXPECT_EQ(process.error().message,
            "cannot start /nowhere/program: No such file or directory");
}

}  // namespace
}  // namespace isolde::server
