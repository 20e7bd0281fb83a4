// Goal: however a reader goes through a mapped file, few of its pages stay in memory. Method:
// reads a file of zeros, which takes no disk, and waits for its pages to go.
#include "io/page_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/budget.hpp"
#include "base/memory.hpp"
#include "temporary_folder.hpp"

namespace isolde::io {
namespace {

constexpr std::size_t kSize = std::size_t{256} << 20;

unsigned read_all(std::string_view bytes) {
  unsigned sum = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 4096)
    sum += static_cast<unsigned>(bytes[at]);
  return sum;
}

void wait_for_at_most(std::uint64_t bytes) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (base::mapped_bytes() > bytes && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  EXPECT_LE(base::mapped_bytes(), bytes);
}

TEST(PageWatch, GivesPagesOfLargeFilesBack) {
  const TemporaryFolder folder;
  const std::string path = folder.put("zeros", "");
  std::filesystem::resize_file(path, kSize);
  base::Budget budget;
  const Result<Inputs> inputs = load(path, budget);
  ASSERT_TRUE(inputs.ok());
  const std::uint64_t before = base::mapped_bytes();
  EXPECT_EQ(read_all(inputs->files[0].view()), 0U);
  ASSERT_GT(base::mapped_bytes(), before + kSize / 2);  // without a watch
  inputs->files[0].forget(0, kSize);
  const PageWatch watch(*inputs);
  EXPECT_EQ(read_all(inputs->files[0].view()), 0U);
  wait_for_at_most(before + kSize / 2);
  EXPECT_EQ(read_all(inputs->files[0].view()), 0U);
}

// Goal: what was read before the watch begins, as to find the format, is not taken for the
// program's own.
TEST(PageWatch, GivesBackWhatWasReadBefore) {
  const TemporaryFolder folder;
  const std::string path = folder.put("zeros", "");
  std::filesystem::resize_file(path, kSize);
  base::Budget budget;
  const Result<Inputs> inputs = load(path, budget);
  ASSERT_TRUE(inputs.ok());
  const std::uint64_t before = base::mapped_bytes();
  EXPECT_EQ(read_all(inputs->files[0].view()), 0U);
  ASSERT_GT(base::mapped_bytes(), before + kSize / 2);
  const PageWatch watch(*inputs);
  EXPECT_EQ(read_all(inputs->files[0].view()), 0U);
  wait_for_at_most(before + kSize / 2);
}

}  // namespace
}  // namespace isolde::io
