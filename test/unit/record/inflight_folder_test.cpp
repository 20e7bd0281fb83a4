// The recorder's folder by the bytes that lie in it at each moment.
#include "record/inflight_folder.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "unit/io/temporary_folder.hpp"

namespace isolde::record {
namespace {

std::string put(Slot& slot, std::string_view text) {
  EXPECT_EQ(slot.reserve(text.size()), 0);
  std::memcpy(slot.end(), text.data(), text.size());
  slot.publish(slot.end() + text.size());
  return std::string(slot.text());
}

inflight::SlotHeader header_of(const std::string& bytes) {
  inflight::SlotHeader header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

TEST(InflightFolder, HasEachByteOnFileAtOnce) {
  const io::TemporaryFolder folder;
  auto inflight = InflightFolder::create(folder.path("h"));
  ASSERT_TRUE(inflight.ok()) << inflight.error().message;
  const Result<Slot*> slot = (*inflight)->add_slot();
  ASSERT_TRUE(slot.ok()) << slot.error().message;
  (*slot)->clear(3);
  EXPECT_EQ(put(**slot, "abc"), "abc");
  EXPECT_EQ(put(**slot, "def"), "abcdef");
  (*slot)->shorten(4);
  const std::string bytes = folder.get("h.inflight/1");
  EXPECT_EQ(bytes.substr(0, 8), inflight::kSlotMagic);
  EXPECT_EQ(header_of(bytes).position, 3U);
  EXPECT_EQ(header_of(bytes).length, 4U);
  EXPECT_EQ(bytes.substr(64, 4), "abcd");
  EXPECT_EQ(folder.get("h.inflight/0").substr(0, 8), inflight::kLedgerMagic);
}

TEST(InflightFolder, SlotsGrow) {
  const io::TemporaryFolder folder;
  auto inflight = InflightFolder::create(folder.path("h"));
  ASSERT_TRUE(inflight.ok()) << inflight.error().message;
  Slot& slot = **(*inflight)->add_slot();
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string piece(static_cast<std::size_t>(i), static_cast<char>('a' + i % 26));
    expected += piece;
    put(slot, piece);
  }
  EXPECT_EQ(slot.text(), expected);
  const std::string bytes = folder.get("h.inflight/1");
  EXPECT_EQ(header_of(bytes).length, expected.size());
  EXPECT_EQ(bytes.substr(64, expected.size()), expected);
}

TEST(InflightFolder, IsGoneWhenRemoved) {
  const io::TemporaryFolder folder;
  auto inflight = InflightFolder::create(folder.path("h"));
  ASSERT_TRUE(inflight.ok()) << inflight.error().message;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE((*inflight)->add_slot().ok());
  EXPECT_FALSE(InflightFolder::create(folder.path("h")).ok());
  (*inflight)->remove();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(InflightFolder, TellsThatRecordingStopped) {
  const io::TemporaryFolder folder;
  auto inflight = InflightFolder::create(folder.path("h"));
  ASSERT_TRUE(inflight.ok()) << inflight.error().message;
  (*inflight)->mark_stopped();
  inflight::Ledger ledger{};
  std::memcpy(&ledger, folder.get("h.inflight/0").data(), sizeof ledger);
  EXPECT_EQ(ledger.stopped, 1U);
  EXPECT_EQ(ledger.slots, 0U);
}

}  // namespace
}  // namespace isolde::record
