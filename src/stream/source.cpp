#include "stream/source.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "base/hash.hpp"
#include "io/source.hpp"
#include "stream/consumption.hpp"
#include "stream/file_source.hpp"
#include "stream/folder_source.hpp"
#include "stream/joint_source.hpp"
#include "stream/nats_source.hpp"

namespace isolde::stream {
namespace {

bool is_same(const FilePosition& one, const FilePosition& other) {
  return one.source == other.source && one.contents == other.contents &&
         one.before.groups == other.before.groups && one.before.bytes == other.before.bytes;
}

/// A file that was over and was deleted since.
class GoneFile : public Source {
 public:
  GoneFile(std::string path, CommonClock* clock) : clock_(clock) {
    file_.name = std::move(path);
  }

  Result<Next> next(base::Budget&) override {
    if (!file_.is_over) return gone();
    return Next{std::nullopt, true};
  }
  bool can_begin_anew() const override { return true; }
  Result<std::unique_ptr<Source>> again() const override { return gone(); }
  Position position() const override { return {{file_}}; }
  Status resume(const Position& position, base::Budget&) override {
    if (position.files.size() != 1 || !position.files.front().is_over) return gone();
    file_ = position.files.front();
    if (clock_ != nullptr) clock_->has_read(file_.name, file_.before);
    return ok_status();
  }
  std::string cut_off() const override { return ""; }

 private:
  Error gone() const {
    return {ErrorCode::kEnvironment, file_.name + ": " + std::strerror(ENOENT)};
  }

  FilePosition file_;
  CommonClock* clock_;
};

Result<std::unique_ptr<Source>> open_nats(const std::string& path,
                                          const SourceOptions& options) {
  Result<NatsAddress> address = parse_nats_address(path);
  if (!address) return address.error();
  const Result<const NatsModule*> module = nats_module();
  if (!module) return module.error();
  return std::unique_ptr<Source>(
      std::make_unique<NatsSource>(**module, std::move(*address), options));
}

/// With each recorder of an address by itself.
Result<std::vector<std::string>> one_by_one(std::span<const std::string> paths) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    if (!is_nats_address(path)) {
      all.push_back(path);
      continue;
    }
    const Result<NatsAddress> address = parse_nats_address(path);
    if (!address) return address.error();
    const std::string before = path.substr(0, path.rfind('/') + 1);
    for (const std::string& recorder : address->recorders) all.push_back(before + recorder);
  }
  return all;
}

/// For messages and names of sessions.
std::string name_of(const std::string& path) {
  if (!is_nats_address(path)) return path;
  const Result<NatsAddress> address = parse_nats_address(path);
  return address ? address->name_of(address->recorders.front()) : path;
}

}  // namespace

std::uint64_t Position::contents() const {
  std::uint64_t all = 0;
  for (const FilePosition& file : files) all = base::mix2(all, file.contents);
  return all;
}

Status Source::visit_again(const Visit& visit, base::Budget& budget) const {
  const Result<std::unique_ptr<Source>> twin = again();
  if (!twin) return twin.error();
  TxnNumber first = 0;
  for (bool is_over = false; !is_over;) {
    const Result<Next> next = (*twin)->next(budget);
    if (!next) return next.error();
    if (next->part) {
      visit(next->part->history, first);
      first += next->part->history.txn_count();
    }
    is_over = next->is_over;
  }
  const Position then = position();
  const Position now = (*twin)->position();
  for (std::size_t i = 0; i < then.files.size(); ++i) {
    if (i < now.files.size() && is_same(then.files[i], now.files[i])) continue;
    return Error{ErrorCode::kEnvironment,
                 then.files[i].name + ": it has changed while it was read"};
  }
  return ok_status();
}

Status wait_until_there(std::span<const std::string> paths,
                        const std::function<void(const std::string& line)>& tell,
                        base::Budget& budget) {
  constexpr std::chrono::milliseconds kPause(20);
  for (const std::string& path : paths) {
    if (path == "-" || is_nats_address(path)) continue;
    std::error_code ignored;
    for (bool is_told = false; !std::filesystem::exists(path, ignored); is_told = true) {
      if (!is_told) tell(path + " is not there yet, and is waited for");
      std::this_thread::sleep_for(kPause);
      if (!budget.look()) return Error{ErrorCode::kLimit, budget.reason()};
    }
  }
  return ok_status();
}

Result<std::unique_ptr<Source>> open_source(const std::string& path,
                                            const SourceOptions& options) {
  if (is_nats_address(path)) return open_nats(path, options);
  if (io::is_directory(path)) {
    return std::unique_ptr<Source>(std::make_unique<FolderSource>(path, options));
  }
  if (options.may_be_gone && is_gone(path)) {
    return std::unique_ptr<Source>(std::make_unique<GoneFile>(path, options.clock));
  }
  Result<std::unique_ptr<FileSource>> file = FileSource::open(path, options);
  if (!file) return file.error();
  return std::unique_ptr<Source>(std::move(*file));
}

Result<std::unique_ptr<Source>> open_sources(std::span<const std::string> given,
                                             SourceOptions options) {
  const Result<std::vector<std::string>> all = one_by_one(given);
  if (!all) return all.error();
  const std::vector<std::string>& paths = *all;
  if (paths.size() == 1) return open_source(paths.front(), options);
  std::vector<JointSource::Named> sources;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::error_code ignored;
      if (paths[i] != paths[j] && !std::filesystem::equivalent(paths[i], paths[j], ignored)) {
        continue;
      }
      return Error{ErrorCode::kUsage, paths[i] + " is given twice"};
    }
    const std::string name = name_of(paths[i]);
    options.session_prefix = name + "/";
    Result<std::unique_ptr<Source>> source = open_source(paths[i], options);
    if (!source) return source.error();
    sources.push_back({name, std::move(*source)});
  }
  return std::unique_ptr<Source>(std::make_unique<JointSource>(std::move(sources)));
}

}  // namespace isolde::stream
