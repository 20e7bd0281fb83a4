// Goal: the memory of machine and control groups is found where systems tell it, and mapped
// files do not count as memory of the process. Method: folders that look like /proc and /sys.
#include "base/memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace isolde::base {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMachine = std::uint64_t{16'000'000} * 1024;

/// A folder with files of a system that has 16 GB.
class System {
 public:
  System() {
    std::string path = fs::temp_directory_path() / "isolde-memory-XXXXXX";
    root_ = mkdtemp(path.data());
    put("/proc/meminfo",
        "MemTotal:       16000000 kB\nMemFree:         1000000 kB\nHugePages_Total:       0\n");
  }
  ~System() { fs::remove_all(root_); }
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  System& put(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
    return *this;
  }
  std::uint64_t bytes() const { return available_bytes(root_); }

 private:
  std::string root_;
};

TEST(AvailableBytes, OfTheMachineWithoutGroups) {
  EXPECT_EQ(System().bytes(), kMachine);
  EXPECT_EQ(System().put("/proc/self/cgroup", "0::/\n").bytes(), kMachine);
  EXPECT_EQ(available_bytes("/nowhere"), 0U);
  EXPECT_GT(available_bytes(), 0U);
}

TEST(AvailableBytes, MeminfoWithoutTheFirstLine) {
  System system;
  system.put("/proc/meminfo", "MemFree:  1000 kB\nMemTotal:  2000 kB\n");
  EXPECT_EQ(system.bytes(), 2000U * 1024);
}

TEST(AvailableBytes, LeastLimitAlongThePathOfVersion2) {
  System system;
  system.put("/proc/self/cgroup", "0::/user.slice/user-0.slice/run.scope\n");
  const std::string top = "/sys/fs/cgroup";
  system.put(top + "/user.slice/memory.max", "8000000000\n");
  EXPECT_EQ(system.bytes(), 8000000000U);
  system.put(top + "/user.slice/user-0.slice/run.scope/memory.max", "max\n");
  EXPECT_EQ(system.bytes(), 8000000000U);
  system.put(top + "/user.slice/user-0.slice/memory.max", "3000000000\n");
  EXPECT_EQ(system.bytes(), 3000000000U);
  system.put(top + "/user.slice/user-0.slice/run.scope/memory.max", "5000000000\n");
  EXPECT_EQ(system.bytes(), 3000000000U);
  // A neighbour's is none of ours.
  system.put(top + "/user.slice/user-1.slice/memory.max", "1000\n");
  EXPECT_EQ(system.bytes(), 3000000000U);
}

TEST(AvailableBytes, InAContainerTheGroupIsTheTop) {
  System system;
  system.put("/proc/self/cgroup", "0::/docker/0123abcd\n")
      .put("/sys/fs/cgroup/memory.max", "536870912\n");
  EXPECT_EQ(system.bytes(), 536870912U);
}

TEST(AvailableBytes, LimitsOfVersion1) {
  System system;
  system.put("/proc/self/cgroup",
             "9:name=systemd:/\n8:pids:/jobs\n4:cpu,memory:/jobs/7\n3:memoryless:/other\n"
             "2:cpuacct:/a:b\n0::/\n");
  const std::string top = "/sys/fs/cgroup/memory";
  system.put(top + "/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(system.bytes(), kMachine);
  system.put(top + "/other/memory.limit_in_bytes", "1000\n");
  EXPECT_EQ(system.bytes(), kMachine);
  system.put(top + "/jobs/memory.limit_in_bytes", "2000000000\n");
  EXPECT_EQ(system.bytes(), 2000000000U);
  system.put(top + "/jobs/7/memory.limit_in_bytes", "1000000000\n");
  EXPECT_EQ(system.bytes(), 1000000000U);
}

TEST(AvailableBytes, BothVersionsSideBySide) {
  System system;
  system.put("/proc/self/cgroup", "4:memory:/\n0::/run.scope\n")
      .put("/sys/fs/cgroup/unified/run.scope/memory.max", "700000000\n")
      .put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "900000000\n");
  EXPECT_EQ(system.bytes(), 700000000U);
}

TEST(AvailableBytes, WhatIsNoLimitIsNone) {
  for (const char* text : {"", "max", "12x\n", "-1\n", "99999999999999999999999999\n"}) {
    System system;
    system.put("/proc/self/cgroup", "0::/a\nnonsense\n1:\n")
        .put("/sys/fs/cgroup/a/memory.max", text);
    EXPECT_EQ(system.bytes(), kMachine) << text;
  }
}

// What a process writes is its memory, what it reads of a mapped file is not.
TEST(AnonymousBytes, CountWhatIsAllocatedAndNotWhatIsMapped) {
  constexpr std::size_t kSize = std::size_t{64} << 20;
  const std::uint64_t before = anonymous_bytes();
  const std::uint64_t mapped_before = mapped_bytes();
  ASSERT_GT(before, 0U);
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(ftruncate(fileno(file), kSize), 0);
  void* const pages = mmap(nullptr, kSize, PROT_READ, MAP_PRIVATE, fileno(file), 0);
  ASSERT_NE(pages, MAP_FAILED);
  unsigned sum = 0;
  for (std::size_t at = 0; at < kSize; at += 4096) {
    sum += *static_cast<volatile unsigned char*>(static_cast<unsigned char*>(pages) + at);
  }
  EXPECT_EQ(sum, 0U);
  EXPECT_LT(anonymous_bytes(), before + kSize / 2);
  EXPECT_GT(mapped_bytes(), mapped_before + kSize / 2);
  EXPECT_GT(resident_bytes(), before + kSize / 2);
  munmap(pages, kSize);
  std::fclose(file);
  const std::vector<char> written(kSize, 'x');
  EXPECT_GT(anonymous_bytes(), before + kSize / 2);
  EXPECT_GE(peak_resident_bytes(), kSize);
  // Or the compiler does without what nobody reads.
  EXPECT_EQ(static_cast<const volatile char&>(written.back()), 'x');
}

}  // namespace
}  // namespace isolde::base
