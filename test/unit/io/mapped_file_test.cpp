// A file as memory.
#include "io/mapped_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "temporary_folder.hpp"

namespace isolde::io {
namespace {

class MappedFileTest : public testing::Test {
 protected:
  std::optional<MappedFile> map(const std::string& text, std::size_t padding) {
    const int file =
        open(folder_.put(std::to_string(++files_), text).c_str(), O_RDONLY | O_CLOEXEC);
    std::optional<MappedFile> mapped = MappedFile::map(file, text.size(), padding);
    close(file);
    return mapped;
  }

 private:
  TemporaryFolder folder_;
  int files_ = 0;
};

TEST_F(MappedFileTest, HasZerosBehindTheFile) {
  for (const std::size_t size : {1U, 4095U, 4096U, 4097U}) {
    const std::string text(size, 'x');
    const auto mapped = map(text, 5000);
    ASSERT_TRUE(mapped.has_value());
    EXPECT_EQ(mapped->bytes(), text);
    EXPECT_EQ(std::string_view(mapped->bytes().data() + size, 5000), std::string(5000, '\0'));
  }
}

TEST_F(MappedFileTest, RemembersWhatItForgot) {
  const std::string text(3 * 4096 + 17, 'x');
  const auto mapped = map(text, 64);
  ASSERT_TRUE(mapped.has_value());
  mapped->forget(0, text.size());
  mapped->forget(5, 5);
  mapped->forget(4097, 2 * 4096 + 1);
  EXPECT_EQ(mapped->bytes(), text);
}

TEST_F(MappedFileTest, Moves) {
  std::optional<MappedFile> first = map("first", 64);
  std::optional<MappedFile> second = map("second", 64);
  ASSERT_TRUE(first.has_value() && second.has_value());
  MappedFile moved = std::move(*first);
  EXPECT_EQ(moved.bytes(), "first");
  moved = std::move(*second);
  EXPECT_EQ(moved.bytes(), "second");
}

TEST_F(MappedFileTest, IsNoneForWhatCannotBeMapped) {
  EXPECT_FALSE(MappedFile::map(-1, 10, 64).has_value());
}

}  // namespace
}  // namespace isolde::io
