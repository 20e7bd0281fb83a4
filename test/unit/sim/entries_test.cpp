// Goal: entries are found by their keys, and stay in the order in which they came. Method:
// random keys, many of which share a slot, beside a scan of a plain vector.
#include "sim/entries.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"

namespace isolde::sim {
namespace {

struct Entry {
  std::uint32_t key = 0;
  int number = 0;
};

void expect_same(const Entries<Entry>& entries, const std::vector<Entry>& plain) {
  ASSERT_EQ(entries.size(), plain.size());
  EXPECT_EQ(entries.empty(), plain.empty());
  std::size_t at = 0;
  for (const Entry& entry : entries) {
    EXPECT_EQ(entry.key, plain[at].key);
    EXPECT_EQ(entry.number, plain[at].number);
    ++at;
  }
}

TEST(Entries, AreThoseOfAScan) {
  base::Rng rng(3);
  Entries<Entry> entries;  // used again and again, as a session's transaction is
  for (int round = 0; round < 200; ++round) {
    entries.clear();
    std::vector<Entry> plain;
    const std::uint64_t size = rng.below(300);
    const std::uint64_t stride = std::uint64_t{1} << rng.below(24);
    Entries<Entry> saved;
    std::vector<Entry> plain_saved;
    for (std::uint64_t i = 0; i < size; ++i) {
      const auto key = static_cast<std::uint32_t>(rng.below(2 * size) * stride);
      const auto there = std::ranges::find(plain, key, &Entry::key);
      Entry* const found = entries.find(key);
      ASSERT_EQ(found != nullptr, there != plain.end());
      if (found != nullptr) {
        ASSERT_EQ(found->number, there->number);
        found->number = there->number = static_cast<int>(size + i);
      } else {
        entries.add(key).number = static_cast<int>(i);
        plain.push_back({key, static_cast<int>(i)});
      }
      if (rng.below(40) == 0) {  // a savepoint, and back to it
        saved = entries;
        plain_saved = plain;
      } else if (rng.below(80) == 0) {
        entries = saved;
        plain = plain_saved;
      }
    }
    expect_same(entries, plain);
  }
}

TEST(Entries, AreFoundOnBothSidesOfTheTable) {
  Entries<Entry> entries;
  constexpr std::uint32_t kMany = 1000;
  for (std::uint32_t i = 0; i < kMany; ++i) {
    EXPECT_EQ(entries.find(7 * i), nullptr);
    entries.add(7 * i).number = static_cast<int>(i);
    ASSERT_NE(entries.find(0), nullptr) << i;
    ASSERT_NE(entries.find(7 * i), nullptr) << i;
    EXPECT_EQ(entries.find(7 * i)->number, static_cast<int>(i));
    EXPECT_EQ(entries.find(7 * i + 1), nullptr);
  }
}

}  // namespace
}  // namespace isolde::sim
