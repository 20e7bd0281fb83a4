#include "stream/archive.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "base/sha256.hpp"
#include "io/native.hpp"
#include "io/native_binary.hpp"
#include "stream/durable_file.hpp"
#include "stream/file_source.hpp"
#include "stream/folder_source.hpp"

namespace isolde::stream {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHistory = FolderSource::kSuffix;
constexpr std::string_view kOrder = ".segments";
constexpr std::string_view kStart = ".start";

Error not_kept(const std::string& path, int reason) {
  return {ErrorCode::kEnvironment, path + ": " + std::strerror(reason)};
}

Result<std::string> all_of(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file) return not_kept(path, errno);
  if (file.peek() != std::ifstream::traits_type::eof() && !(text << file.rdbuf())) {
    return not_kept(path, EIO);
  }
  return std::move(text).str();
}

Result<std::string> digest_of(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return not_kept(path, errno);
  base::Sha256 hash;
  std::string piece(std::size_t{1} << 16, '\0');
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) ||
         file.gcount() > 0) {
    hash.add(std::string_view(piece).substr(0, static_cast<std::size_t>(file.gcount())));
  }
  if (file.bad()) return not_kept(path, EIO);
  return hash.digest();
}

/// The number in the name of one of its files; none: it is another file.
std::optional<TxnNumber> number_in(const std::string& name) {
  TxnNumber first = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), first);
  const std::string_view suffix(read.ptr,
                                static_cast<std::size_t>(name.data() + name.size() - read.ptr));
  const bool is_one = suffix == kHistory || suffix == kOrder || suffix == kStart;
  if (read.ec != std::errc() || !is_one) return std::nullopt;
  return first;
}

Error shorter(const std::string& path) {
  return {ErrorCode::kEnvironment,
          path + ": it has become shorter since the checkpoint; nothing can be added"};
}

/// An open file that has so many bytes, without what is behind them.
Result<int> reopened(const std::string& path, std::uint64_t bytes) {
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (error) return Error{ErrorCode::kEnvironment, path + ": " + error.message()};
  if (size < bytes) return shorter(path);
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return not_kept(path, errno);
  const auto end = static_cast<off_t>(bytes);
  if (ftruncate(file, end) != 0 || lseek(file, end, SEEK_SET) < 0) {
    const int reason = errno;
    close(file);
    return not_kept(path, reason);
  }
  return file;
}

}  // namespace

Archive::~Archive() {
  if (history_ >= 0) close(history_);
  if (chain_file_ >= 0) close(chain_file_);
}

std::string Archive::path(TxnNumber first, std::string_view suffix) const {
  return (fs::path(folder_) / (std::to_string(first) + std::string(suffix))).string();
}

void Archive::heed(const Status& status) {
  if (status_ && !status) status_ = status;
}

Status Archive::check_new(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(folder, error) && !error) return ok_status();
  const bool is_empty = fs::is_empty(folder, error);
  if (error) return Error{ErrorCode::kEnvironment, folder + ": " + error.message()};
  if (is_empty && fs::is_directory(folder, error)) return ok_status();
  return Error{ErrorCode::kUsage,
               folder +
                   ": there is something; choose a folder that is empty for the archive, "
                   "or go on with its checkpoint"};
}

Status Archive::begin(const std::string& folder, const ArchiveOptions& options) {
  if (const Status empty = check_new(folder); !empty) return empty;
  folder_ = folder;
  options_ = options;
  is_open_ = true;
  heed(create());
  return status_;
}

Status Archive::create() {
  std::error_code error;
  fs::create_directory(folder_, error);
  if (error) return Error{ErrorCode::kEnvironment, folder_ + ": " + error.message()};
  const std::string chain = (fs::path(folder_) / certify::kArchiveChain).string();
  chain_file_ = open(chain.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (chain_file_ < 0) return not_kept(chain, errno);
  const std::string header = chain_.header(
      {options_.segments.level, options_.segments.clock_error_ns, options_.segments.keys});
  if (const int problem = append(chain_file_, header); problem != 0) {
    return not_kept(chain, problem);
  }
  chain_bytes_ = header.size();
  open_file(0);
  return status_ ? sync_folder_of((fs::path(folder_) / ".").string()) : status_;
}

Status Archive::go_on(const std::string& folder, const ArchiveOptions& options,
                      const Place& place) {
  folder_ = folder;
  options_ = options;
  is_open_ = true;
  if (place.chain_bytes == 0) {
    heed(check_nothing_came());
    if (status_) heed(remove_from(0));
    if (status_) heed(create());
    return status_;
  }
  // Nothing is changed before all of it is known to be that of the place.
  heed(read_chain(place));
  if (status_) heed(check_last(place));
  if (status_) heed(restore(place));
  if (status_) heed(remove_from(place.file.first + 1));
  if (status_) pass();
  return status_;
}

/// A process that ended before its first checkpoint with an archive has begun a file, and put
/// nothing into it. What is more than that is another archive.
Status Archive::check_nothing_came() const {
  std::error_code ignored;
  fs::directory_iterator at(folder_, ignored);
  for (const fs::directory_iterator end; !ignored && at != end; at.increment(ignored)) {
    const std::optional<TxnNumber> number = number_in(at->path().filename().string());
    const bool is_history = at->path().extension() == kHistory;
    if (!number || (*number == 0 && (!is_history || fs::file_size(*at, ignored) == 0)))
      continue;
    return Error{ErrorCode::kEnvironment,
                 folder_ +
                     ": it has an archive, of which the checkpoint does not know; choose "
                     "another folder, and remove the checkpoint to begin anew"};
  }
  return ok_status();
}

/// What the chain tells up to that place, of which nothing is changed.
Status Archive::read_chain(const Place& place) {
  const std::string name = (fs::path(folder_) / certify::kArchiveChain).string();
  Result<std::string> text = all_of(name);
  if (!text) return text.error();
  if (text->size() < place.chain_bytes) return shorter(name);
  text->resize(place.chain_bytes);
  Result<certify::ArchiveChainReader> reader =
      certify::ArchiveChainReader::open(std::move(*text), name);
  if (!reader) return reader.error();
  while (true) {
    const Result<std::optional<certify::ArchiveLine>> line = reader->next();
    if (!line) return line.error();
    if (!*line) break;
    if ((*line)->file) kept_.push_back(*(*line)->file);
    if ((*line)->deleted) deleted_ = *(*line)->deleted;
  }
  if (reader->chain() != place.chain) {
    return Error{ErrorCode::kEnvironment, name + ": it is not that of the checkpoint"};
  }
  for (; !kept_.empty() && kept_.front().first < deleted_; kept_.pop_front()) {
    doomed_.push_back(kept_.front().first);
  }
  return ok_status();
}

/// The file that is not complete begins with what was there.
Status Archive::check_last(const Place& place) const {
  const std::string name = path(place.file.first, kHistory);
  Result<std::unique_ptr<FileSource>> history = FileSource::open(name, {});
  if (!history) return history.error();
  std::error_code error;
  const std::uint64_t size = fs::file_size(name, error);
  if (error) return Error{ErrorCode::kEnvironment, name + ": " + error.message()};
  if (size < place.file.bytes) return shorter(name);
  base::Budget budget;
  const FilePosition read{.name = name,
                          .before = {.bytes = place.file.bytes, .groups = place.file.groups},
                          .contents = place.file.contents};
  if (!(*history)->resume({{read}}, budget)) {
    return Error{ErrorCode::kEnvironment, name + ": it is not that of the checkpoint"};
  }
  return SegmentsFile::check(path(place.file.first, kOrder), place.order);
}

/// Without what was written behind that place.
Status Archive::restore(const Place& place) {
  const std::string name = (fs::path(folder_) / certify::kArchiveChain).string();
  const Result<int> file = reopened(name, place.chain_bytes);
  if (!file) return file.error();
  chain_file_ = *file;
  chain_.go_on(place.chain);
  chain_bytes_ = place.chain_bytes;
  file_ = place.file;
  const Result<int> history = reopened(path(file_.first, kHistory), file_.bytes);
  if (!history) return history.error();
  history_ = *history;
  order_.emplace();
  return order_->go_on(path(file_.first, kOrder), place.order);
}

/// What an earlier process wrote behind its checkpoint.
Status Archive::remove_from(TxnNumber first) {
  std::error_code error;
  if (!fs::exists(folder_, error)) return ok_status();
  fs::directory_iterator at(folder_, error);
  std::vector<fs::path> later;
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    const std::optional<TxnNumber> number = number_in(at->path().filename().string());
    if (number && *number >= first) later.push_back(at->path());
  }
  for (const fs::path& each : later) {
    if (!error) fs::remove(each, error);
  }
  if (!error) return ok_status();
  return Error{ErrorCode::kEnvironment, folder_ + ": " + error.message()};
}

void Archive::open_file(TxnNumber first) {
  const std::int64_t until = file_.until;
  file_ = {};
  file_.first = first;
  file_.until = until;
  const std::string name = path(first, kHistory);
  history_ = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (history_ < 0) return heed(not_kept(name, errno));
  order_.emplace();
  heed(order_->begin(path(first, kOrder), options_.segments));
}

void Archive::came(const History& part, std::int64_t open_since) {
  if (!is_open_ || !status_) return;
  io::StringSink sink;
  const io::BinaryGroup group{.number = file_.groups, .open_since = open_since};
  const Status made = io::write_native_binary(part, sink, true, group);
  if (!made) return heed(made);
  io::binary::Header header;
  std::memcpy(&header, sink.text().data(), sizeof header);
  if (const int problem = append(history_, sink.text()); problem != 0) {
    return heed(not_kept(path(file_.first, kHistory), problem));
  }
  ++file_.groups;
  file_.bytes += sink.text().size();
  file_.transactions += part.txn_count();
  file_.contents = base::mix2(file_.contents, header.hash);
  for (std::size_t t = 0; t < part.txn_count(); ++t) {
    file_.until = std::max(file_.until, part.times(TxnId::at(t)).end);
  }
}

void Archive::settled(std::span<const TxnNumber> order, std::uint64_t state,
                      std::optional<std::int64_t> clock_error_ns) {
  if (!is_open_ || !status_) return;
  order_->settled(order, state, clock_error_ns);
  heed(order_->status());
}

void Archive::round_is_over(const Rounds& rounds) {
  if (!is_open_ || !status_ || file_.transactions == 0) return;
  if (file_.bytes < options_.file_bytes) return;
  close_file(&rounds);
  if (!status_) return;
  open_file(kept_.back().first + kept_.back().transactions);
  if (status_) heed(sync_folder_of((fs::path(folder_) / ".").string()));
  if (status_) retire();
}

/// What the next file begins with.
Result<std::string> Archive::write_start(const Rounds& rounds) {
  const Result<RoundsState> state = rounds.state();
  if (!state) return state.error();
  io::StringSink sink;
  Status written = io::write_native_binary(state->boundary, sink);
  if (written) written = io::write_native_binary(state->open, sink, true, {.number = 1});
  if (written) written = put_durably(path(rounds.txn_count(), kStart), sink.text());
  if (!written) return written.error();
  return sink.text();
}

/// A line for it. `rounds`: another one follows.
void Archive::close_file(const Rounds* rounds) {
  const Result<Place> place = sync();
  if (!place) return;
  heed(order_->finish(nullptr));
  if (close(std::exchange(history_, -1)) != 0)
    heed(not_kept(path(file_.first, kHistory), errno));
  if (!status_) return;
  file_.size = file_.bytes + place->order.bytes;
  const std::string start = path(file_.first, kStart);
  std::error_code error;
  if (file_.first > 0) file_.size += fs::file_size(start, error);
  if (error) return heed(Error{ErrorCode::kEnvironment, start + ": " + error.message()});
  const Result<std::string> history = digest_of(path(file_.first, kHistory));
  const Result<std::string> order = digest_of(path(file_.first, kOrder));
  if (!history) return heed(history.error());
  if (!order) return heed(order.error());
  file_.history = *history;
  file_.order = *order;
  if (rounds != nullptr) {
    const Result<std::string> next = write_start(*rounds);
    if (!next) return heed(next.error());
    file_.next = base::sha256(*next);
    file_.latest_start = rounds->latest_start();
  }
  put_line({.file = file_});
  kept_.push_back(file_);
}

void Archive::put_line(const certify::ArchiveLine& line) {
  const std::string text = chain_.line(line);
  const int problem = append(chain_file_, text);
  chain_bytes_ += text.size();
  if (problem != 0)
    heed(not_kept((fs::path(folder_) / certify::kArchiveChain).string(), problem));
}

/// Files that are too old, or too many, will be deleted.
void Archive::retire() {
  std::uint64_t bytes = 0;
  for (const certify::ArchiveLine::File& file : kept_) bytes += file.size;
  const auto is_doomed = [&](const certify::ArchiveLine::File& file) {
    if (options_.keep_bytes && bytes > *options_.keep_bytes) return true;
    if (!options_.keep_ns || file.until == kNoTime) return false;
    // Without a sign, since differences of 64-bit times may not fit.
    const std::uint64_t age =
        static_cast<std::uint64_t>(file_.until) - static_cast<std::uint64_t>(file.until);
    return age > static_cast<std::uint64_t>(*options_.keep_ns);
  };
  const std::size_t before = doomed_.size();
  while (!kept_.empty() && is_doomed(kept_.front())) {
    doomed_.push_back(kept_.front().first);
    bytes -= kept_.front().size;
    deleted_ = kept_.front().first + kept_.front().transactions;
    kept_.pop_front();
  }
  if (doomed_.size() > before) put_line({.deleted = deleted_});
}

Result<Archive::Place> Archive::sync() {
  ISOLDE_CHECK(is_open_);
  if (!status_) return status_.error();
  const Result<SegmentsFile::Place> order = order_->sync();
  if (!order) heed(order.error());
  if (fsync(history_) != 0) heed(not_kept(path(file_.first, kHistory), errno));
  if (fsync(chain_file_) != 0) heed(not_kept(folder_, errno));
  if (!status_) return status_.error();
  return Place{file_, *order, chain_bytes_, chain_.chain()};
}

void Archive::pass() {
  for (const TxnNumber first : std::exchange(doomed_, {})) {
    for (const std::string_view suffix : {kHistory, kOrder, kStart}) {
      const std::string name = path(first, suffix);
      if (unlink(name.c_str()) != 0 && errno != ENOENT) heed(not_kept(name, errno));
    }
  }
}

Status Archive::finish(std::optional<std::uint64_t> end, bool deletes) {
  if (!is_open_ || !status_) return status_;
  close_file(nullptr);
  if (status_ && end) put_line({.end = *end});
  if (status_ && fsync(chain_file_) != 0) heed(not_kept(folder_, errno));
  if (status_ && deletes) pass();
  is_open_ = false;
  return status_;
}

Status Archive::visit_again(const Visit& visit, base::Budget& budget) const {
  if (!status_) return status_;
  if (deleted_ > 0) {
    return Error{ErrorCode::kEnvironment, folder_ + ": the archive has deleted the first " +
                                              std::to_string(deleted_) + " transactions"};
  }
  Position all;
  for (const certify::ArchiveLine::File& file : kept_) {
    all.files.push_back({.name = path(file.first, kHistory),
                         .before = {.bytes = file.bytes, .groups = file.groups},
                         .contents = file.contents,
                         .is_over = true});
  }
  all.files.push_back({.name = path(file_.first, kHistory),
                       .before = {.bytes = file_.bytes, .groups = file_.groups},
                       .contents = file_.contents});
  FolderSource folder(folder_, {});
  if (const Status there = folder.resume(all, budget); !there) return there;
  return folder.visit_again(visit, budget);
}

}  // namespace isolde::stream
