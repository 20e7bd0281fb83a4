// Loading bytes: files, directories, compression, and what is refused.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "base/memory.hpp"
#include "io_inputs.hpp"
#include "packed.hpp"
#include "support/address_space.hpp"
#include "support/forced_ways.hpp"
#include "temporary_folder.hpp"

namespace isolde::io {
namespace {

using support::AddressSpaceLimit;

Result<Inputs> load_path(const std::string& path) {
  base::Budget budget;
  return load(path, budget);
}

std::string loaded(const std::string& path) {
  const Result<Inputs> inputs = load_path(path);
  if (!inputs) return "error: " + inputs.error().message;
  EXPECT_EQ(inputs->files.size(), 1U);
  const Input& file = inputs->files[0];
  EXPECT_GE(file.padding(), Input::kPadding);
  const std::string_view bytes = file.view();
  // Reads what must be readable.
  EXPECT_EQ(std::string_view(bytes.data() + bytes.size(), Input::kPadding),
            std::string(Input::kPadding, '\0'));
  return std::string(bytes);
}

std::string problem(const Result<Inputs>& inputs, ErrorCode code) {
  if (inputs.ok()) return "no error";
  EXPECT_EQ(inputs.error().code, code);
  return inputs.error().message;
}

TEST(Load, ReadsPlainAndPackedFilesAlike) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += std::to_string(i) + "\n";
  EXPECT_TRUE(loaded(folder.put("plain", text)) == text);
  EXPECT_TRUE(loaded(folder.put("a.gz", gzip(text))) == text);
  EXPECT_TRUE(loaded(folder.put("a.zst", zstd(text))) == text);
  EXPECT_TRUE(loaded(folder.put("two", gzip(text) + gzip("end"))) == text + "end");
  EXPECT_TRUE(loaded(folder.put("frames", zstd(text) + zstd("end"))) == text + "end");
}

// Positions in them are others than in the file.
TEST(Load, TellsWhatWasPacked) {
  const TemporaryFolder folder;
  base::Budget budget;
  EXPECT_FALSE(load(folder.put("plain", "text"), budget)->files[0].compressed);
  EXPECT_TRUE(load(folder.put("a.gz", gzip("text")), budget)->files[0].compressed);
  EXPECT_TRUE(load(folder.put("a.zst", zstd("text")), budget)->files[0].compressed);
}

// Results that end exactly where the buffer that grows does.
TEST(Load, UnpacksWholeSteps) {
  const TemporaryFolder folder;
  for (const std::size_t size : {std::size_t{4} << 20, std::size_t{8} << 20}) {
    const std::string text(size, 'x');
    EXPECT_TRUE(loaded(folder.put("a.gz", gzip(text))) == text);
    EXPECT_TRUE(loaded(folder.put("a.zst", zstd(text))) == text);
    EXPECT_TRUE(loaded(folder.put("plain", text)) == text);
  }
}

// Around whole pages, where nothing of the file is left for the padding.
TEST(Load, MapsLargeFiles) {
  const TemporaryFolder folder;
  for (const int more : {-64, -63, -1, 0, 1}) {
    std::string text(static_cast<std::size_t>((1 << 20) + 4096 + more), 'x');
    for (std::size_t i = 0; i < text.size(); i += 1000) text[i] = static_cast<char>(i % 251);
    const std::string path = folder.put("plain", text);
    EXPECT_TRUE(loaded(path) == text);
    const Result<Inputs> inputs = load_path(path);
    ASSERT_TRUE(inputs.ok());
    ASSERT_TRUE(inputs->files[0].is_mapped());
    inputs->files[0].forget(1, text.size());
    EXPECT_TRUE(inputs->files[0].view() == text);
  }
}

// Goal: what is appended to a file that is mapped is not read as part of its last line. Method:
// a value, and the number that it becomes, both right.
TEST(Load, DoesNotSeeWhatIsAppendedToAMappedFile) {
  base::Ways ways;
  ways.map_from = 1;
  const support::ForcedWays forced(ways);
  const TemporaryFolder folder;
  const std::string path = folder.put("h.jsonl",
                                      "{\"isolde\":1,\"kind\":\"history\"}\n"
                                      "{\"session\":\"a\",\"ops\":[[\"w\",\"x\",1]]}\n"
                                      "{\"session\":\"b\",\"ops\":[[\"w\",\"x\",2");
  Result<Inputs> inputs = load_path(path);
  ASSERT_TRUE(inputs.ok());
  const std::string_view mapped = inputs->files[0].view();
  std::ofstream(path, std::ios::app) << "2]]} {\"session\":\"c\"}\n";
  ASSERT_EQ(mapped.data()[mapped.size()], '2') << "the system shows what was appended";
  base::Budget budget;
  const Result<History> history = read_native(*inputs, budget);
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_EQ(history->txn_count(), 1U);
  EXPECT_TRUE(history->origin().truncated);
}

// Goal: nor is what stands behind it looked at. Method: a page whose rest is plain characters,
// and behind it one that cannot be read.
TEST(Load, LooksAtNothingBehindTheLastLine) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages =
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto* const begin = static_cast<char*>(pages);
  const std::string_view text =
      "{\"isolde\":1,\"kind\":\"history\"}\n{\"session\":\"a\",\"ops\":[[\"w\",\"x\",\"v";
  std::memset(begin, 'a', page);
  text.copy(begin, text.size());
  ASSERT_EQ(mprotect(begin + page, page, PROT_NONE), 0);
  Inputs inputs{"h.jsonl", false, {}};
  inputs.files.emplace_back("h.jsonl", MappedFile(begin, text.size(), 2 * page, true));
  base::Budget budget;
  const Result<History> history = read_native(inputs, budget);
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_EQ(history->txn_count(), 0U);
}

TEST(Load, ReadsStandardInput) {
  const TemporaryFolder folder;
  const std::string path = folder.put("in", gzip("hello"));
  const int saved = dup(STDIN_FILENO);
  ASSERT_NE(freopen(path.c_str(), "r", stdin), nullptr);
  const Result<Inputs> inputs = load_path("-");
  dup2(saved, STDIN_FILENO);
  close(saved);
  ASSERT_TRUE(inputs.ok());
  EXPECT_EQ(inputs->name, "-");
  EXPECT_EQ(inputs->files[0].name, "-");
  EXPECT_EQ(inputs->files[0].view(), "hello");
}

TEST(Load, ReadsDirectoriesInNaturalOrder) {
  const TemporaryFolder folder;
  for (const char* name :
       {"T10.log", "T2.log", "T02.log", "T1.log", "T1a.log", "S3.log", "t0"}) {
    folder.put(name, name);
  }
  folder.put(".hidden", "x");
  folder.put("T3.log.gz", gzip("packed"));
  std::filesystem::create_directory(folder.path("sub"));
  const Result<Inputs> inputs = load_path(folder.path());
  ASSERT_TRUE(inputs.ok());
  EXPECT_TRUE(inputs->is_directory);
  std::string order;
  for (const Input& file : inputs->files) {
    order += std::filesystem::path(file.name).filename().string() + " ";
  }
  EXPECT_EQ(order, "S3.log T1.log T1a.log T02.log T2.log T3.log.gz T10.log t0 ");
  EXPECT_EQ(inputs->files[5].view(), "packed");
  EXPECT_EQ(inputs->files[0].name, folder.path("S3.log"));
}

/// Enough for a format to be sure.
std::string viper_line(int n) {
  return "{\"value\": [[\"w\", " + std::to_string(n) + ", 1, true]]}\n";
}

// What stands beside the sessions may be anything, as long as the format does not read it.
TEST(ReadHistory, LoadsOnlyTheMembersThatItsFormatReads) {
  const TemporaryFolder folder;
  for (int n = 0; n < 3; ++n) {
    folder.put("J" + std::to_string(n) + ".log", viper_line(n));
  }
  const std::string packed = gzip(std::string(std::size_t{64} << 20, 'x'));
  folder.put("notes.txt.gz", packed);
  folder.put("broken.gz", packed.substr(0, packed.size() / 2));
  folder.put("backup.tar", std::string(257, '\0') + "ustar");
  folder.put("core", "");
  std::filesystem::resize_file(folder.path("core"), std::uint64_t{1} << 34);
  base::Budget budget(0, base::anonymous_bytes() + (std::uint64_t{8} << 20));
  const Result<History> history = read_history(folder.path(), "", budget);
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_EQ(history->txn_count(), 3U);
}

TEST(ReadHistory, SaysWhatIsWrongWithAMemberThatItsFormatReads) {
  const TemporaryFolder folder;
  folder.put("J0.log", viper_line(0));
  const std::string packed = gzip(viper_line(1));
  folder.put("J1.log.gz", packed.substr(0, packed.size() - 9));
  base::Budget budget;
  Result<History> history = read_history(folder.path(), "", budget);
  ASSERT_FALSE(history.ok());
  EXPECT_TRUE(history.error().message.starts_with(folder.path("J1.log.gz") + "@"))
      << history.error().message;
  std::filesystem::remove(folder.path("J0.log"));
  std::filesystem::rename(folder.path("J1.log.gz"), folder.path("T1.log.gz"));
  history = read_history(folder.path(), "", budget);
  ASSERT_FALSE(history.ok());
  EXPECT_TRUE(history.error().message.starts_with(folder.path("T1.log.gz") + "@"))
      << history.error().message;
}

// Members of which detection sees a part only.
TEST(ReadHistory, ReadsWholeMembersPackedOrNot) {
  const TemporaryFolder folder;
  std::string text;
  for (int n = 0; n < 20000; ++n) text += viper_line(n);
  folder.put("J0.log", text);
  folder.put("J1.log.gz", gzip(text));
  folder.put("J2.log.zst", zstd(text));
  base::Budget budget;
  const Result<History> history = read_history(folder.path(), "", budget);
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_EQ(history->txn_count(), 60000U);
}

// Thousands of sessions are no reason to take thousands of buffers.
TEST(Load, TakesLittleForSmallMembers) {
  const TemporaryFolder folder;
  for (int n = 0; n < 2000; ++n) folder.put("J" + std::to_string(n) + ".log", viper_line(n));
  base::Budget budget(0, base::anonymous_bytes() + (std::uint64_t{16} << 20));
  const Result<Inputs> inputs = load(folder.path(), budget);
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;
  EXPECT_EQ(inputs->files.size(), 2000U);
  EXPECT_LT(inputs->files[0].padding(), 4096U);
}

// A pipe tells no size.
TEST(Load, ReadsPipes) {
  const TemporaryFolder folder;
  for (const std::size_t size :
       {std::size_t{10}, std::size_t{64} << 10, std::size_t{5} << 20}) {
    std::string text(size, 'x');
    for (std::size_t i = 0; i < size; i += 7) text[i] = static_cast<char>('a' + i % 26);
    const std::string path = folder.path("pipe" + std::to_string(size));
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(path, std::ios::binary) << text; });
    EXPECT_TRUE(loaded(path) == text);
    writer.join();
  }
}

// Whoever writes may open it late, write a byte and stall, or never open it.
TEST(Load, WaitsForAPipeNoLongerThanTheLimit) {
  const TemporaryFolder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto reason = [&](base::Budget& budget) {
    return problem(load(path, budget), ErrorCode::kLimit);
  };
  base::Budget nobody(0.05, 0);
  EXPECT_EQ(reason(nobody), path + ": time limit of 0.05 s reached while reading the input");
  base::Budget cancelled;
  std::thread canceller([&] {
    const int end = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(write(end, "x", 1), 1);
    cancelled.cancel();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    close(end);
  });
  EXPECT_EQ(reason(cancelled), path + ": interrupted while reading the input");
  canceller.join();
}

// There is no limit to blame.
TEST(Load, SaysThatTheSystemHasNoMemory) {
  const TemporaryFolder folder;
  const std::string path = folder.put("zeros", gzip(std::string(std::size_t{8} << 20, '\0')));
  const AddressSpaceLimit none(0);
  EXPECT_EQ(problem(load_path(path), ErrorCode::kLimit),
            path + ": not enough memory to read it");
}

TEST(Load, KeepsEmptyMembersOfADirectory) {
  const TemporaryFolder folder;
  folder.put("T0", "");
  folder.put("T1", "x");
  const Result<Inputs> inputs = load_path(folder.path());
  ASSERT_TRUE(inputs.ok());
  EXPECT_EQ(inputs->files.size(), 2U);
}

// What cannot be read is not nothing: a history without it may look violated.
TEST(Load, RefusesAMemberThatLeadsNowhere) {
  const TemporaryFolder folder;
  folder.put("T1.log", "x");
  std::filesystem::create_symlink(folder.path("gone"), folder.path("T0.log"));
  EXPECT_EQ(
      problem(load_path(folder.path()), ErrorCode::kEnvironment),
      folder.path("T0.log") + ": cannot be read: No such file or directory; check the path");
}

TEST(Load, SaysWhyNot) {
  const TemporaryFolder folder;
  const std::string missing = folder.path("missing");
  EXPECT_EQ(problem(load_path(missing), ErrorCode::kEnvironment),
            missing + ": cannot be read: No such file or directory; check the path");
  const std::string empty = folder.put("empty", "");
  EXPECT_EQ(problem(load_path(empty), ErrorCode::kBadInput),
            empty + ": is empty; expected a history");
  const TemporaryFolder bare;
  EXPECT_EQ(problem(load_path(bare.path()), ErrorCode::kBadInput),
            bare.path() +
                ": the directory has no non-empty files; expected the files of one history "
                "(subdirectories are not searched)");
  bare.put("T0", "");
  EXPECT_EQ(
      problem(load_path(bare.path()), ErrorCode::kBadInput).substr(bare.path().size(), 31),
      ": the directory has no non-empt");
}

TEST(Load, RefusesArchives) {
  const TemporaryFolder folder;
  std::string tar(512, '\0');
  tar.replace(257, 5, "ustar");
  const std::string plain = folder.put("a.tar", tar);
  EXPECT_EQ(problem(load_path(plain), ErrorCode::kBadInput),
            plain + ": is a tar archive; unpack the archive first and give the directory");
  const std::string packed = folder.put("a.tgz", gzip(tar));
  EXPECT_EQ(problem(load_path(packed), ErrorCode::kBadInput),
            packed + ": is a tar archive; unpack the archive first and give the directory");
  const std::string zip = folder.put("a.zip", "PK\x03\x04....");
  EXPECT_EQ(problem(load_path(zip), ErrorCode::kBadInput),
            zip + ": is a zip archive; unpack the archive first and give the directory");
  const std::string xz = folder.put("a.xz", std::string_view("\xfd"
                                                             "7zXZ\0...",
                                                             9));
  EXPECT_EQ(problem(load_path(xz), ErrorCode::kBadInput),
            xz + ": is xz data; unpack it first with xz -d");
  // Of two levels, and of an empty file.
  for (const char* bytes : {"BZh91AY&SY....", "BZh11AY&SY....", "BZh9\x17rE8P\x90...."}) {
    const std::string bzip2 = folder.put("a.bz2", bytes);
    EXPECT_EQ(problem(load_path(bzip2), ErrorCode::kBadInput),
              bzip2 + ": is bzip2 data; unpack it first with bzip2 -d");
  }
}

TEST(Load, RefusesByteOrderMarks) {
  const TemporaryFolder folder;
  const std::string text = "{\"isolde\":1}\n";
  std::string little = "\xff\xfe";
  std::string big = "\xfe\xff";
  for (const char c : text) {
    little += std::string{c, '\0'};
    big += std::string{'\0', c};
  }
  for (const std::string& marked : {"\xef\xbb\xbf" + text, gzip("\xef\xbb\xbf" + text)}) {
    const std::string path = folder.put("utf8", marked);
    EXPECT_EQ(problem(load_path(path), ErrorCode::kBadInput),
              path +
                  "@0: begins with a byte order mark (EF BB BF); expected text without one; "
                  "save it as UTF-8 without BOM, or cut the first three bytes off with "
                  "tail -c +4");
  }
  for (const std::string& marked : {little, big}) {
    const std::string path = folder.put("utf16", marked);
    EXPECT_EQ(problem(load_path(path), ErrorCode::kBadInput),
              path +
                  "@0: is UTF-16 text; expected UTF-8; convert it with iconv -f UTF-16 -t "
                  "UTF-8");
  }
  // Numbers of binary formats that begin alike.
  for (const std::uint64_t number : {0xfeffULL, 0xbfbbefULL, 0x8b1fULL}) {
    std::string bytes(64, '\0');
    std::memcpy(bytes.data(), &number, sizeof number);
    EXPECT_EQ(loaded(folder.put("binary", bytes)), bytes);
  }
}

// Goal: what zstd unpacks by an option is not called broken, and the option is named.
TEST(Load, TellsHowToUnpackWhatNeedsAnOption) {
  const TemporaryFolder folder;
  const std::string magic = "\x28\xb5\x2f\xfd";
  const std::string block({'\x09', '\0', '\0', 'x'});
  // One segment of one byte, with dictionary 7; and a window of 2^31 bytes.
  const std::string dictionary = folder.put("dictionary", magic + "\x21\x07\x01" + block);
  const std::string window = folder.put("window", magic + std::string({'\0', '\xa8'}) + block);
  EXPECT_NE(problem(load_path(dictionary), ErrorCode::kBadInput)
                .find(": it was compressed with a dictionary, or is damaged; unpack it with "
                      "zstd -d -D DICTIONARY"),
            std::string::npos);
  EXPECT_NE(problem(load_path(window), ErrorCode::kBadInput)
                .find("large window, or is damaged; unpack it with zstd's option long=31"),
            std::string::npos);
}

TEST(Load, RefusesBrokenPacking) {
  const TemporaryFolder folder;
  for (const std::string& whole : {gzip("some text to pack"), zstd("some text to pack")}) {
    for (std::size_t cut = 5; cut < whole.size(); ++cut) {
      const std::string path = folder.put("cut", whole.substr(0, cut));
      const std::string message = problem(load_path(path), ErrorCode::kBadInput);
      const std::string place = "@" + std::to_string(cut) + ": broken ";
      EXPECT_EQ(message.substr(path.size(), place.size()), place) << message;
      EXPECT_NE(message.find(" data: it ends too early; "), std::string::npos) << message;
    }
  }
  const std::string two = folder.put("two", "\x1f\x8b");
  EXPECT_EQ(problem(load_path(two), ErrorCode::kBadInput),
            two +
                "@2: broken gzip data: it ends too early; unpack by hand what is there, or "
                "copy the file again");
  const std::string tail = folder.put("tail", gzip("x") + "rest");
  EXPECT_EQ(problem(load_path(tail), ErrorCode::kBadInput),
            tail +
                "@21: broken gzip data: other bytes follow the end; unpack by hand what is "
                "there, or copy the file again");
}

// 256 MiB of zeros in a few kilobytes must stop at the limit instead of unpacking.
TEST(Load, StopsUnpackingAtTheMemoryLimit) {
  const TemporaryFolder folder;
  const std::string zeros(std::size_t{256} << 20, '\0');
  for (const std::string& bomb : {gzip(zeros), zstd(zeros)}) {
    const std::string path = folder.put("bomb", bomb);
    base::Budget budget(0, 1);  // already over
    const Result<Inputs> inputs = load(path, budget);
    EXPECT_EQ(problem(inputs, ErrorCode::kLimit),
              path + ": memory limit of 1 byte reached while reading the input");
  }
}

}  // namespace
}  // namespace isolde::io
