#include "cli/archive_proof.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "base/memory_guard.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "certify/segment_replay.hpp"
#include "certify/segments.hpp"
#include "cli/files.hpp"
#include "cli/options.hpp"
#include "stream/file_source.hpp"

namespace isolde::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHistory = ".isob";
constexpr const char* kOrder = ".segments";
constexpr const char* kStart = ".start";

Result<std::string> digest_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::kEnvironment, path + ": it cannot be read"};
  base::Sha256 hash;
  std::string piece(std::size_t{1} << 16, '\0');
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) ||
         file.gcount() > 0) {
    hash.add(std::string_view(piece).substr(0, static_cast<std::size_t>(file.gcount())));
  }
  if (file.bad()) return Error{ErrorCode::kEnvironment, path + ": it cannot be read"};
  return hash.digest();
}

/// The chain by itself.
struct Chain {
  std::vector<certify::ArchiveLine::File> files;
  std::uint64_t deleted = 0;
  std::uint64_t next = 0;  ///< number of the first transaction behind all files
  std::optional<std::uint64_t> end;
};

class ArchiveVerification {
 public:
  ArchiveVerification(std::string folder, ArchiveProof& proof, certify::PartOfWhole* part,
                      base::Budget& budget)
      : folder_(std::move(folder)), proof_(proof), part_(part), budget_(budget) {}

  /// ERRORS: those of files. What is wrong with the archive is the proof's objection.
  Status run();

 private:
  Status read_chain();
  void take_line(const certify::ArchiveLine& line);
  Status check_names();
  Status check_digest(const std::string& path, const std::string& wanted);
  void begin_replay() {
    replay_ = std::make_unique<certify::SegmentReplay>(
        proof_.header.level, proof_.header.clock_error_ns, false, proof_.header.keys);
  }
  Status begin_file(std::uint64_t first, const certify::ArchiveLine::File* before);
  Status replay(std::uint64_t first);
  Result<bool> take(stream::FileSource& history);
  void object(std::string what) {
    if (proof_.objection.empty()) proof_.objection = std::move(what);
  }
  bool stands() const { return proof_.objection.empty(); }
  std::string path(std::uint64_t first, const char* suffix) const {
    return (fs::path(folder_) / (std::to_string(first) + suffix)).string();
  }

  std::string folder_;
  ArchiveProof& proof_;
  certify::PartOfWhole* part_;  // or none
  base::Budget& budget_;
  Chain chain_;
  std::unique_ptr<certify::SegmentReplay> replay_;
};

void ArchiveVerification::take_line(const certify::ArchiveLine& line) {
  if (chain_.end) return object("the chain goes on behind its end");
  if (line.end) {
    chain_.end = line.end;
  } else if (line.deleted) {
    const auto begins = [&](const certify::ArchiveLine::File& file) {
      return file.first == *line.deleted;
    };
    const bool is_place =
        *line.deleted == chain_.next || std::ranges::any_of(chain_.files, begins);
    if (!is_place || *line.deleted < chain_.deleted) {
      object("the chain says that something was deleted which is no beginning of it");
    }
    chain_.deleted = *line.deleted;
  } else {
    if (line.file->first != chain_.next) object("the chain lacks a file");
    chain_.next = line.file->first + line.file->transactions;
    chain_.files.push_back(*line.file);
  }
}

Status ArchiveVerification::read_chain() {
  const std::string name = (fs::path(folder_) / certify::kArchiveChain).string();
  Result<std::string> text = read_text(name);
  if (!text) return text.error();
  Result<certify::ArchiveChainReader> reader =
      certify::ArchiveChainReader::open(std::move(*text), name);
  if (!reader) return reader.error();
  proof_.header = reader->header();
  if (part_ != nullptr) part_->set_keys(proof_.header.keys);
  while (true) {
    const Result<std::optional<certify::ArchiveLine>> line = reader->next();
    if (!line) return line.error();
    if (!*line) break;
    take_line(**line);
  }
  proof_.chain = reader->chain();
  proof_.first = chain_.deleted;
  return ok_status();
}

/// Nothing else is called like one of its files. What was deleted may still be there.
Status ArchiveVerification::check_names() {
  std::error_code error;
  fs::directory_iterator at(folder_, error);
  std::vector<std::string> unknown;
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::uint64_t first = 0;
    const char* const last = name.data() + name.size();
    const auto read = std::from_chars(name.data(), last, first);
    const std::string suffix(read.ptr, static_cast<std::size_t>(last - read.ptr));
    if (suffix != kHistory && suffix != kOrder && suffix != kStart) continue;
    const bool is_known = read.ec == std::errc() && name == std::to_string(first) + suffix &&
                          (first < chain_.deleted || (!chain_.end && first == chain_.next) ||
                           std::ranges::any_of(chain_.files, [&](const auto& file) {
                             return file.first == first;
                           }));
    if (!is_known) unknown.push_back(name);
  }
  if (error) return Error{ErrorCode::kEnvironment, folder_ + ": " + error.message()};
  std::ranges::sort(unknown);
  if (!unknown.empty()) object("the chain does not know of " + unknown.front());
  return ok_status();
}

Status ArchiveVerification::check_digest(const std::string& path, const std::string& wanted) {
  const std::string name = fs::path(path).filename().string();
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    object(name + " is missing, and the chain does not say that it was deleted");
    return ok_status();
  }
  const Result<std::string> digest = digest_of(path);
  if (!digest) return digest.error();
  if (*digest != wanted) object(name + " was changed: the chain has another digest of it");
  return ok_status();
}

/// What the registers held, and who was open, is what came of the file before, or where the
/// order begins.
Status ArchiveVerification::begin_file(std::uint64_t first,
                                       const certify::ArchiveLine::File* before) {
  if (before == nullptr) {
    begin_replay();
    return ok_status();
  }
  const std::string name = path(first, kStart);
  if (const Status read = check_digest(name, before->next); !read || !stands()) return read;
  Result<std::unique_ptr<stream::FileSource>> source = stream::FileSource::open(name, {});
  if (!source) return source.error();
  std::vector<History> both;
  for (int i = 0; i < 2; ++i) {
    Result<stream::Source::Next> next = (*source)->next(budget_);
    if (!next) return next.error();
    if (next->part) both.push_back(std::move(next->part->history));
  }
  const std::string file = fs::path(name).filename().string();
  if (both.size() != 2) {
    object(file + " lacks what the registers held, or who was open");
    return ok_status();
  }
  const certify::SegmentReplay::Start start{both[0], both[1], first, before->latest_start};
  if (replay_) {
    if (!replay_->is_at(start)) object(file + " is not where the file before ends");
    return ok_status();
  }
  begin_replay();
  object(replay_->begin(start));
  if (part_ != nullptr && stands()) part_->take_start(start.registers, first);
  return ok_status();
}

/// False: there is no more, or what came is wrong.
Result<bool> ArchiveVerification::take(stream::FileSource& history) {
  Result<stream::Source::Next> next = history.next(budget_);
  if (!next) return next.error();
  if (!next->part) return false;
  if (part_ != nullptr) part_->take(next->part->history, replay_->came());
  object(replay_->take(std::move(next->part->history)));
  return stands();
}

Status ArchiveVerification::replay(std::uint64_t first) {
  Result<std::unique_ptr<stream::FileSource>> history =
      stream::FileSource::open(path(first, kHistory), {});
  if (!history) return history.error();
  Result<certify::SegmentsReader> segments = certify::SegmentsReader::open(path(first, kOrder));
  if (!segments) return segments.error();
  if (segments->header().level != proof_.header.level ||
      segments->header().clock_error_ns != proof_.header.clock_error_ns ||
      segments->header().keys != proof_.header.keys) {
    object("the segments of " + std::to_string(first) +
           " are of another level, clock error or other keys");
  }
  while (stands()) {
    const Result<std::optional<certify::Segment>> segment = segments->next();
    if (!segment) return segment.error();
    if (!*segment) break;
    replay_->raise_clock_error((*segment)->clock_error_ns);
    proof_.clock_error_ns = std::max(proof_.clock_error_ns, replay_->clock_error_ns());
    const auto last = std::ranges::max_element((*segment)->order);
    while (stands() && last != (*segment)->order.end() && *last >= replay_->came()) {
      const Result<bool> more = take(**history);
      if (!more) return more.error();
      if (!*more) break;
    }
    if (stands()) object(replay_->place((*segment)->order));
    if (stands() && (*segment)->state && *(*segment)->state != replay_->state()) {
      object("the registers do not hold what the segments of " + std::to_string(first) +
             " say");
    }
  }
  while (stands()) {
    const Result<bool> more = take(**history);
    if (!more) return more.error();
    if (!*more) break;
  }
  ++proof_.files;
  return ok_status();
}

Status ArchiveVerification::run() {
  if (const Status read = read_chain(); !read) return read;
  if (proof_.header.level != Level::kStrictSerializable) {
    object("archives prove strict serializability alone");
  }
  if (const Status read = check_names(); !read) return read;
  const certify::ArchiveLine::File* before = nullptr;
  for (const certify::ArchiveLine::File& file : chain_.files) {
    const certify::ArchiveLine::File* const last = std::exchange(before, &file);
    if (file.first < chain_.deleted || !stands()) continue;
    Status read = check_digest(path(file.first, kHistory), file.history);
    if (read && stands()) read = check_digest(path(file.first, kOrder), file.order);
    if (read && stands()) read = begin_file(file.first, last);
    if (read && stands()) read = replay(file.first);
    if (!read) return read;
    if (stands() && replay_->came() != file.first + file.transactions) {
      object("the chain has another number of transactions than the file " +
             std::to_string(file.first));
    }
  }
  proof_.clock_error_ns = std::max(proof_.clock_error_ns, proof_.header.clock_error_ns);
  std::error_code ignored;
  // A watch that was stopped in good order has told its last file, which nothing follows.
  const bool goes_on = before == nullptr || !before->next.empty();
  if (!chain_.end && goes_on && stands() && fs::exists(path(chain_.next, kOrder), ignored)) {
    Status read = begin_file(chain_.next, before);
    if (read && stands()) read = replay(chain_.next);
    if (!read) return read;
    proof_.has_open_file = true;
  }
  if (!replay_) {
    object("nothing of it was kept");
    return ok_status();
  }
  proof_.placed = replay_->placed();
  proof_.committed = replay_->committed();
  proof_.has_end = chain_.end.has_value();
  if (!proof_.has_end) return ok_status();
  if (*chain_.end != replay_->came()) {
    object("the chain has another number of transactions than its files");
  }
  if (stands()) object(replay_->finish());
  return ok_status();
}

}  // namespace

bool is_archive(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(path) / certify::kArchiveChain, ignored);
}

Result<ArchiveProof> verify_archive(const std::string& folder, certify::PartOfWhole* part) {
  base::Budget budget(0, default_memory_bytes());
  const base::MemoryGuard memory(budget);
  ArchiveProof proof;
  const Status read = ArchiveVerification(folder, proof, part, budget).run();
  if (!read) return read.error();
  return proof;
}

}  // namespace isolde::cli
