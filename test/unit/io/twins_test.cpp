// Goal: however the bytes of a history arrive, it is the same history with the same verdicts.
// Files of a mebibyte and more are mapped, packed ones and pipes are read into memory; both
// ways are held against each other for each format, and for each file of a folder.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "support/seed.hpp"
#include "temporary_folder.hpp"
#include "unit/io/packed.hpp"
#include "unit/io/written_texts.hpp"

namespace isolde::io {
namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20;

/// Everything that a run says of the history, each proof verified.
std::string account_of(const Result<History>& history) {
  if (!history.ok()) return "error: " + history.error().message;
  std::string text = std::to_string(history->txn_count()) + " transactions, digest " +
                     std::to_string(history->digest()) + "\n" + notes_of(*history);
  CheckOptions options;
  options.levels = {Level::kSnapshotIsolation, Level::kSerializable, Level::kLinearizable};
  base::Budget budget;
  const CheckReport report = check(*history, options, budget);
  for (const LevelReport& level : report.levels) {
    text += std::string(info(level.level).name) + " " + std::string(name(level.verdict)) + "\n";
    if (level.verdict != Verdict::kHolds && level.verdict != Verdict::kViolated) continue;
    const Certificate certificate{level.level, history->digest(), 0,
                                  report.proofs[level.proof]};
    const certify::VerifyResult verified = certify::verify(*history, certificate);
    EXPECT_TRUE(verified.proves) << verified.reason;
  }
  return text;
}

std::string account_of(const std::string& path, unsigned threads = 1) {
  base::Budget budget;
  return account_of(read_history(path, "", budget, threads));
}

/// Puts one form of a history into a folder of its own, or gives it as a file.
class Forms {
 public:
  explicit Forms(Files files) : files_(std::move(files)) {}

  bool is_folder() const { return files_.size() > 1; }
  const Files& files() const { return files_; }

  /// The member `at` packed; all when `at` is the number of members.
  std::string packed(std::string (*pack)(std::string_view), std::string_view suffix,
                     std::size_t at) const {
    return put([&](std::size_t member, std::string& name, std::string& bytes) {
      if (at != files_.size() && at != member) return;
      name += suffix;
      bytes = pack(bytes);
    });
  }

  std::string plain() const {
    return put([](std::size_t, std::string&, std::string&) {});
  }

 private:
  template <typename Change>
  std::string put(Change change) const {
    const std::string place = folder_.path(std::to_string(++places_));
    std::filesystem::create_directory(place);
    std::string path;
    for (std::size_t member = 0; member < files_.size(); ++member) {
      auto [name, bytes] = files_[member];
      change(member, name, bytes);
      path = folder_.put(std::to_string(places_) + "/" + name, bytes);
    }
    return is_folder() ? place : path;
  }

  Files files_;
  TemporaryFolder folder_;
  mutable int places_ = 0;
};

/// Standard input is another file while this lives.
class StandardInput {
 public:
  explicit StandardInput(int file) : saved_(dup(STDIN_FILENO)) { dup2(file, STDIN_FILENO); }
  ~StandardInput() {
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int saved_;
};

std::string account_of_standard_input(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const StandardInput input(file);
  close(file);
  return account_of("-");
}

/// Through a named pipe that somebody fills.
std::string account_of_pipe(const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = folder.path("pipe");
  EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << bytes; });
  const std::string account = account_of(path);
  writer.join();
  return account;
}

class Twins : public testing::TestWithParam<Written> {};

/// Whether to look at the history, with or without an anomaly: where there are to be few cases
/// at one of the two, another one in each run.
bool is_chosen(const Written& written, bool lose_update) {
  if (support::case_count(100) >= 50) return true;
  return base::mix2(support::run_seed(), written.txns) % 2 == (lose_update ? 1 : 0);
}

TEST_P(Twins, AreTheSameHistory) {
  const Written& written = GetParam();
  for (const bool lose_update : {false, true}) {
    if (!is_chosen(written, lose_update)) continue;
    const Forms forms(written.write(written.calls ? plain_calls(written.txns, lose_update)
                                                  : plain_history(written.txns, lose_update)));
    for (const auto& [name, bytes] : forms.files()) EXPECT_GT(bytes.size(), kLarge) << name;
    const std::string plain = forms.plain();
    base::Budget budget;
    const Result<Inputs> inputs = load(plain, budget);
    ASSERT_TRUE(inputs.ok());
    for (const Input& file : inputs->files) EXPECT_TRUE(file.is_mapped()) << file.name;
    const std::string account = account_of(plain);
    // What is compared is worth it: all transactions are there, and the anomaly shows.
    EXPECT_EQ(account.substr(0, account.find(' ')), std::to_string(written.txns)) << account;
    const std::string verdict = std::string(written.calls ? "linearizable" : "serializable") +
                                (lose_update ? " violated" : " holds");
    EXPECT_NE(account.find(verdict), std::string::npos) << account;

    EXPECT_EQ(account_of(plain, 3), account);
    const std::size_t members = forms.files().size();
    for (std::size_t at = members > 1 ? 0 : 1; at <= members; ++at) {
      EXPECT_EQ(account_of(forms.packed(gzip, ".gz", at)), account) << "gzip, member " << at;
      EXPECT_EQ(account_of(forms.packed(zstd, ".zst", at)), account) << "zstd, member " << at;
    }
    if (forms.is_folder()) continue;
    EXPECT_EQ(account_of_standard_input(plain), account);
    EXPECT_EQ(account_of_pipe(forms.files().front().second), account);
  }
}

/// As account_of(), or the error without the name of the file.
std::string account_of_damaged(const std::string& path, const char* format) {
  base::Budget budget;
  const Result<History> history = read_history(path, format, budget);
  if (history.ok()) return account_of(history);
  EXPECT_EQ(history.error().code, ErrorCode::kBadInput) << history.error().message;
  EXPECT_TRUE(history.error().message.starts_with(path)) << history.error().message;
  return "error" + history.error().message.substr(path.size());
}

/// Damage is found at the same place, and nothing that is no history is taken for one.
TEST_P(Twins, AreDamagedInTheSameWay) {
  const Written& written = GetParam();
  const Files files = written.write(written.calls ? plain_calls(written.txns, false)
                                                  : plain_history(written.txns, false));
  const std::string& whole = files.front().second;
  std::string flipped = whole;
  char& middle = flipped[flipped.size() / 2];
  middle = middle == 'x' ? 'y' : 'x';
  const std::string brackets(kLarge + 1, '[');
  const TemporaryFolder folder;
  for (const std::string& bytes : {brackets, flipped, whole.substr(0, whole.size() - 3)}) {
    const std::string plain = folder.put("plain", bytes);
    const std::string account = account_of_damaged(plain, written.format);
    EXPECT_EQ(account_of_damaged(folder.put("a.gz", gzip(bytes)), written.format), account);
    EXPECT_EQ(account_of_damaged(folder.put("a.zst", zstd(bytes)), written.format), account);
    EXPECT_TRUE(bytes != brackets || account.starts_with("error")) << account;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Twins, testing::ValuesIn(kWritten), [](const auto& each) {
  std::string name = each.param.format;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(TwinsTest, CoverAllFormats) {
  for (const Format* format : formats()) {
    EXPECT_TRUE(std::any_of(std::begin(kWritten), std::end(kWritten), [&](const Written& each) {
      return each.format == format->name;
    })) << format->name;
  }
}

}  // namespace
}  // namespace isolde::io
