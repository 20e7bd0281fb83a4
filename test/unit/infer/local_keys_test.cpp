// Goal: each operation leads to the first of its key. Method: transactions of all lengths
// around the change of method, with few and with many keys, against a map.
#include "infer/local_keys.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/rng.hpp"

namespace isolde::infer {
namespace {

TEST(LocalKeys, LeadToTheFirstUse) {
  base::Rng rng(7);
  LocalKeys keys;
  for (std::size_t length = 0; length < 80; ++length) {
    for (const std::uint64_t key_count : {1U, 3U, 1000U}) {
      std::vector<Op> ops(length);
      for (Op& op : ops) op.key = KeyId(static_cast<std::uint32_t>(rng.below(key_count)));
      const std::span<const std::uint32_t> first_uses = keys.first_uses(ops);
      ASSERT_EQ(first_uses.size(), length);
      std::map<KeyId, std::uint32_t> first;
      for (std::uint32_t i = 0; i < length; ++i) {
        EXPECT_EQ(first_uses[i], first.try_emplace(ops[i].key, i).first->second);
      }
    }
  }
}

}  // namespace
}  // namespace isolde::infer
