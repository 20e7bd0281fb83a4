// Archives: whatever is in a folder, it is read or refused with one line, and what is accepted
// is so. Files begin with a line that is their name, and "%%%%" separates them. Digests are
// made right before. Where an archive of which nothing was deleted is accepted, the oracle,
// which tries every execution, finds an order as well.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/sha256.hpp"
#include "certify/archive_chain.hpp"
#include "cli/archive_proof.hpp"
#include "io/group_reader.hpp"
#include "memory_file.hpp"
#include "oracle/brute.hpp"
#include "sealing.hpp"
#include "stream/joiner.hpp"

namespace {

namespace fs = std::filesystem;
using isolde::fuzz::require;
using Files = std::map<std::string, std::string>;

Files files_in(std::string_view text) {
  constexpr std::string_view kSeparator = "%%%%";
  Files files;
  while (true) {
    const std::size_t length = text.find(kSeparator);
    const std::string_view file = text.substr(0, length);
    const std::size_t end = file.find('\n');
    const std::string name(file.substr(0, end));
    // Names of the archive alone; the rest is for the folder's own test.
    const bool is_one = !name.empty() && name.size() < 16 &&
                        name.find_first_not_of("0123456789abcdefghimnorstuw.") == name.npos &&
                        name.front() != '.';
    if (is_one && end != file.npos) files[name] = file.substr(end + 1);
    if (length == text.npos) return files;
    text.remove_prefix(length + kSeparator.size());
  }
}

std::string digest_of(const Files& files, const std::string& name) {
  const auto found = files.find(name);
  return found == files.end() ? std::string(64, '0') : isolde::base::sha256(found->second);
}

/// The line of a file with the digests of that file.
std::string with_digests(const Files& files, const std::string& line) {
  using Json = nlohmann::ordered_json;
  Json told = Json::parse(line + "}", nullptr, false);
  if (!told.is_object() || !told.contains("file") || !told["file"].is_number_unsigned()) {
    return line;
  }
  const auto first = told["file"].get<std::uint64_t>();
  told["history"] = digest_of(files, std::to_string(first) + ".isob");
  told["order"] = digest_of(files, std::to_string(first) + ".segments");
  if (told.contains("next") && told.contains("transactions") &&
      told["transactions"].is_number_unsigned()) {
    const std::uint64_t next = first + told["transactions"].get<std::uint64_t>();
    told["next"] = digest_of(files, std::to_string(next) + ".start");
  }
  std::string changed = told.dump(-1, ' ', false, Json::error_handler_t::replace);
  changed.pop_back();
  return changed;
}

void seal(Files& files) {
  for (auto& [name, bytes] : files) {
    if (name.ends_with(".segments")) bytes = isolde::fuzz::seal_segments(bytes);
    if (name.ends_with(".isob") || name.ends_with(".start")) {
      isolde::fuzz::seal_groups(bytes);
    }
  }
  std::string& chain = files["chain"];
  chain = isolde::fuzz::seal_lines(chain, [&](const std::string& before, std::string& line) {
    line = with_digests(files, line);
    return isolde::base::sha256(before + line);
  });
}

/// What is read of a chain can be written, and is read as it was.
void check_chain(const std::string& text) {
  auto reader = isolde::certify::ArchiveChainReader::open(text, "fuzz");
  if (!reader) return isolde::fuzz::require_readers_error(reader.error(), "fuzz");
  isolde::certify::ArchiveChainText again;
  std::string written = again.header(reader->header());
  while (true) {
    const auto line = reader->next();
    if (!line) return isolde::fuzz::require_readers_error(line.error(), "fuzz");
    if (!*line) break;
    written += again.line(**line);
  }
  auto reread = isolde::certify::ArchiveChainReader::open(written, "again");
  require(reread.ok(), "what is written is read", written);
  isolde::certify::ArchiveChainText third;
  std::string once_more = third.header(reread->header());
  while (true) {
    const auto line = reread->next();
    require(line.ok(), "what is written is read", written);
    if (!*line) break;
    once_more += third.line(**line);
  }
  require(once_more == written, "what is written is read as it was", written);
}

/// One for the process.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "isolde-fuzz-XXXXXX").string();
    require(mkdtemp(pattern.data()) != nullptr, "this machine has temporary folders");
    path_ = pattern;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// With these files and no others.
  const fs::path& with(const Files& files) const {
    for (const auto& each : fs::directory_iterator(path_)) fs::remove(each);
    for (const auto& [name, bytes] : files) {
      std::ofstream(path_ / name, std::ios::binary) << bytes;
    }
    return path_;
  }

 private:
  fs::path path_;
};

/// All transactions of an archive.
isolde::History all_of(const fs::path& folder, const Files& files) {
  std::map<std::uint64_t, std::string> histories;
  for (const auto& [name, bytes] : files) {
    if (name.ends_with(".isob")) histories[std::stoull(name)] = (folder / name).string();
  }
  isolde::base::Budget budget;
  isolde::stream::Joiner joiner;
  for (const auto& [first, path] : histories) {
    auto reader = isolde::io::GroupReader::open(path);
    require(reader.ok(), "what was verified can be read");
    while (true) {
      const auto part = reader->next(budget);
      require(part.ok(), "what was verified can be read");
      if (!*part) break;
      require(joiner.add_initial(**part), "keys have one content each");
      joiner.add(
          **part, 0, [](std::size_t) { return true; },
          [](isolde::HistoryBuilder&, isolde::KeyId, isolde::KeyId) {});
    }
  }
  auto joined = joiner.finish();
  require(joined.ok(), "what was verified is a history");
  return std::move(joined).value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Files files = files_in(std::string_view(reinterpret_cast<const char*>(data), size));
  seal(files);
  check_chain(files["chain"]);
  static const Folder folder;
  const fs::path& there = folder.with(files);
  const auto proof = isolde::cli::verify_archive(there.string());
  if (!proof) {
    require(proof.error().message.find('\n') == std::string::npos, "errors are one line",
            proof.error().message);
    return 0;
  }
  require(proof->objection.find('\n') == std::string::npos, "an objection is one line",
          proof->objection);
  constexpr std::uint64_t kMost = 7;  // transactions, for the oracle
  if (!proof->objection.empty() || proof->first > 0 || proof->placed > kMost) return 0;
  const isolde::History history = all_of(there, files);
  require(isolde::oracle::brute_force_holds(history, proof->header.level,
                                            proof->header.clock_error_ns),
          "what is accepted is so");
  return 0;
}
