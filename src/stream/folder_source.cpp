#include "stream/folder_source.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "certify/archive_chain.hpp"
#include "io/source.hpp"
#include "stream/consumption.hpp"

namespace isolde::stream {
namespace {

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// What a folder gave, once more.
class FilesAgain : public Source {
 public:
  /// `current`: of the file that was not over; may be null.
  FilesAgain(std::vector<FilePosition> files, SourceOptions options,
             std::unique_ptr<Source> current)
      : files_(std::move(files)), options_(std::move(options)), last_(std::move(current)) {}

  Result<Next> next(base::Budget& budget) override {
    while (true) {
      if (!now_ && read_.files.size() < files_.size()) {
        const FilePosition& file = files_[read_.files.size()];
        Result<std::unique_ptr<FileSource>> opened =
            FileSource::open(file.name, options_, file.before.groups);
        if (!opened) return opened.error();
        now_ = std::move(*opened);
      } else if (!now_) {
        now_ = std::exchange(last_, nullptr);
        if (!now_) return Next{std::nullopt, true};
      }
      Result<Next> next = now_->next(budget);
      if (next && next->part) next->part->is_last = false;  // of the file
      if (!next || !next->is_over) return next;
      read_.files.push_back(now_->position().files.front());
      now_.reset();
    }
  }
  bool can_begin_anew() const override { return false; }
  Result<std::unique_ptr<Source>> again() const override {
    return Error{ErrorCode::kInternal, "a folder is visited once at a time"};
  }
  Position position() const override { return read_; }
  Status resume(const Position&, base::Budget&) override { return ok_status(); }
  std::string cut_off() const override { return ""; }

 private:
  std::vector<FilePosition> files_;
  SourceOptions options_;
  std::unique_ptr<Source> now_;
  std::unique_ptr<Source> last_;
  Position read_;
};

}  // namespace

/// The first one behind those that were begun; empty: there is none yet.
Result<std::string> FolderSource::next_name() const {
  std::vector<std::string> known;
  for (const FilePosition& file : done_) known.push_back(name_of(file.name));
  if (current_) known.push_back(name_of(current_->file_position().name));
  std::string first;
  std::error_code error;
  std::filesystem::directory_iterator at(path_, error);
  for (const std::filesystem::directory_iterator end; !error && at != end;
       at.increment(error)) {
    std::string name = at->path().filename().string();
    std::error_code ignored;
    if (name.starts_with('.') || !name.ends_with(kSuffix) || !at->is_regular_file(ignored)) {
      continue;
    }
    if (std::binary_search(known.begin(), known.end(), name, io::natural_less)) continue;
    if (!known.empty() && io::natural_less(name, known.back())) {
      return Error{ErrorCode::kBadInput, at->path().string() + ": it has come after " +
                                             known.back() + ", whose name is behind it"};
    }
    if (first.empty() || io::natural_less(name, first)) first = std::move(name);
  }
  if (error) return Error{ErrorCode::kEnvironment, path_ + ": " + error.message()};
  return first;
}

/// An archive that has deleted files begins in the middle of a history.
Status FolderSource::check_beginning(const std::string& name) const {
  const std::filesystem::path chain = std::filesystem::path(path_) / certify::kArchiveChain;
  std::error_code ignored;
  if (!done_.empty() || name == "0" + std::string(kSuffix) ||
      !std::filesystem::exists(chain, ignored)) {
    return ok_status();
  }
  return Error{ErrorCode::kBadInput,
               path_ +
                   ": it is an archive whose beginning was deleted, so what it has tells "
                   "nothing by itself; isolde verify " +
                   path_ + " looks at the order that was found"};
}

Status FolderSource::check_first(const History& part) {
  const bool is_first = std::ranges::all_of(
      done_, [](const FilePosition& file) { return file.before.groups == 0; });
  if (is_first || !tells_initial(part)) return ok_status();
  return Error{ErrorCode::kBadInput,
               part.origin().file +
                   ": it tells initial contents, which only the first file of a folder may"};
}

/// As FileSource's, but the next file ends it, too.
Result<Source::Next> FolderSource::next_of_file(base::Budget& budget) {
  Result<Next> next = current_->next(budget);
  if (!next || next->part || next->is_over) return next;
  const Result<std::string> following = next_name();
  if (!following) return following.error();
  if (following->empty()) return next;
  // More may have come between the two looks, but no more comes now.
  next = current_->next(budget);
  if (next && !next->part) next->is_over = true;
  return next;
}

Result<Source::Next> FolderSource::next(base::Budget& budget) {
  while (cut_off_.empty()) {
    if (!current_) {
      const Result<std::string> name = next_name();
      if (!name) return name.error();
      if (name->empty() && !options_.follows && done_.empty()) {
        cut_off_ = "no file in " + path_ + " is called *" + std::string(kSuffix);
      }
      if (name->empty()) return Next{std::nullopt, !options_.follows};
      if (const Status whole = check_beginning(*name); !whole) return whole.error();
      Result<std::unique_ptr<FileSource>> file =
          FileSource::open((std::filesystem::path(path_) / *name).string(), options_);
      if (!file) return file.error();
      current_ = std::move(*file);
    }
    Result<Next> next = next_of_file(budget);
    if (!next) return next;
    if (next->part) {
      const FilePosition file = current_->file_position();
      const Status fits =
          file.before.groups == 1 ? check_first(next->part->history) : ok_status();
      if (!fits) return fits.error();
      next->part->is_last = false;  // of the file
      return next;
    }
    if (!next->is_over) return next;
    const FilePosition file = current_->file_position();
    if (const std::string why = current_->cut_off(); !why.empty()) {
      cut_off_ = file.name + ": " + why;
      break;
    }
    done_.push_back(file);
    done_.back().is_over = true;
    current_.reset();
  }
  return Next{std::nullopt, true};
}

Result<std::unique_ptr<Source>> FolderSource::again() const {
  std::unique_ptr<Source> current;
  if (current_) {
    Result<std::unique_ptr<Source>> twin = current_->again();
    if (!twin) return twin.error();
    current = std::move(*twin);
  }
  return std::unique_ptr<Source>(
      std::make_unique<FilesAgain>(done_, options_, std::move(current)));
}

Position FolderSource::position() const {
  Position all{done_};
  if (current_) all.files.push_back(current_->file_position());
  return all;
}

Status FolderSource::resume(const Position& position, base::Budget& budget) {
  done_ = position.files;
  for (const FilePosition& file : done_) {
    if (options_.clock) options_.clock->has_read(file.name, file.before);
  }
  if (done_.empty()) return ok_status();
  const FilePosition last = done_.back();
  for (FilePosition& file : done_) file.is_over = true;
  // More may come of the last one, unless it says otherwise.
  if (last.before.at_end) return ok_status();
  if (options_.may_be_gone && last.is_over && is_gone(last.name)) return ok_status();
  done_.pop_back();
  Result<std::unique_ptr<FileSource>> file = FileSource::open(last.name, options_);
  if (!file) return file.error();
  current_ = std::move(*file);
  return current_->resume({{last}}, budget);
}

}  // namespace isolde::stream
