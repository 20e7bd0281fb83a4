// Goal: bytes survive while the block grows, no page is taken that the budget has no room for,
// and what is handed over is padded with zeros.
#include "io/growing_block.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/budget.hpp"
#include "base/memory.hpp"

namespace isolde::io {
namespace {

constexpr std::size_t kStep = GrowingBlock::kStep;

char byte_at(std::size_t at) { return static_cast<char>('a' + at / 1000 % 23); }

void fill(GrowingBlock& block, std::size_t count) {
  base::Budget budget;
  while (block.size() < count) {
    char* const room = block.room(budget);
    ASSERT_NE(room, nullptr);
    const std::size_t some = std::min(count - block.size(), kStep - 1000);
    for (std::size_t i = 0; i < some; ++i) room[i] = byte_at(block.size() + i);
    std::memset(room + some, '!', 100);  // as unpackers do that look ahead
    block.add(some);
  }
}

TEST(GrowingBlock, KeepsItsBytesAndPadsThem) {
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{4096 * 3}, 3 * kStep - 1, 9 * kStep}) {
    GrowingBlock block;
    fill(block, count);
    const std::optional<MappedFile> memory = block.finish(64);
    ASSERT_TRUE(memory.has_value());
    const std::string_view bytes = memory->bytes();
    ASSERT_EQ(bytes.size(), count);
    memory->forget(0, count);  // nowhere to fetch it from again
    for (std::size_t i = 0; i < count; i += 999) ASSERT_EQ(bytes[i], byte_at(i)) << i;
    EXPECT_EQ(std::string_view(bytes.data() + count, 64), std::string(64, '\0'));
    EXPECT_EQ(block.size(), 0U);
  }
}

TEST(GrowingBlock, TakesMemoryAsItIsWritten) {
  const std::uint64_t before = base::anonymous_bytes();
  GrowingBlock block;
  fill(block, 40 * kStep + 1);
  // A block that doubles would have 64; sanitizers need an eighth more.
  EXPECT_LT(base::anonymous_bytes(), before + 50 * kStep);
}

TEST(GrowingBlock, StopsBeforeTheLimit) {
  const std::uint64_t limit = base::anonymous_bytes() + 20 * kStep;
  base::Budget budget(0, limit);
  GrowingBlock block;
  while (char* const room = block.room(budget)) {
    std::memset(room, 'x', kStep);
    block.add(kStep);
    ASSERT_LT(block.size(), 100 * kStep);
  }
  EXPECT_GT(block.size(), 10 * kStep);
  EXPECT_LE(base::anonymous_bytes(), limit + limit / 10);
  EXPECT_EQ(budget.stop(), base::Budget::Stop::kMemory);
}

}  // namespace
}  // namespace isolde::io
