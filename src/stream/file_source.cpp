#include "stream/file_source.hpp"

#include "base/printable.hpp"
#include "io/group_recording.hpp"
#include "io/inflight_watch.hpp"

namespace isolde::stream {

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path,
                                                     const SourceOptions& options,
                                                     std::uint32_t most_groups) {
  Result<io::GroupReader> reader = io::GroupReader::open(path);
  if (!reader) return reader.error();
  if (options.follows) reader->wait_for_nothing();
  reader->set_session_prefix(options.session_prefix);
  reader->set_clock(options.clock);
  return std::make_unique<FileSource>(std::move(*reader), options.follows, most_groups);
}

Result<Source::Next> FileSource::next(base::Budget& budget) {
  if (reader_.before().groups >= most_groups_) return Next{std::nullopt, true};
  Result<std::optional<History>> group = reader_.next(budget);
  if (!group) return group.error();
  const io::GroupsBefore& before = reader_.before();
  if (*group) {
    // Only the next call finds out whether something stands behind the last one.
    return Next{Part{std::move(**group), before.open_since, before.at_end}};
  }
  if (most_groups_ != kAll) {
    return Error{ErrorCode::kEnvironment, reader_.path() + ": it has become shorter"};
  }
  if (!follows_ || before.at_end || reader_.is_closed() || is_left_alone_) {
    is_over_ = cut_off().empty();
    return Next{std::nullopt, true};
  }
  if (!has_dead_recorder()) return Next{};
  // Whatever it still has written is there now.
  is_left_alone_ = true;
  return next(budget);
}

/// A recorder in groups writes them from a text (io/group_recording.hpp).
bool FileSource::has_dead_recorder() const {
  return reader_.can_begin_anew() &&
         io::recorder_has_died(io::text_of_recording(reader_.path()));
}

Result<std::unique_ptr<Source>> FileSource::again() const {
  Result<io::GroupReader> reader = reader_.again();
  if (!reader) return reader.error();
  return std::unique_ptr<Source>(
      std::make_unique<FileSource>(std::move(*reader), follows_, reader_.before().groups));
}

FilePosition FileSource::file_position() const {
  return {0, reader_.path(), reader_.before(), reader_.contents(), is_over_};
}

Status FileSource::resume(const Position& position, base::Budget& budget) {
  if (position.files.size() != 1) {
    return Error{ErrorCode::kEnvironment,
                 reader_.path() + ": what was read before is not one file"};
  }
  const FilePosition& file = position.files.front();
  return reader_.skip(file.before, file.contents, budget);
}

std::string FileSource::cut_off() const {
  if (most_groups_ != kAll) return "";  // it has all that it is to have
  if (!reader_.before().at_end && (is_left_alone_ || has_dead_recorder())) {
    const std::string path = base::printable_path(reader_.path());
    return "its recorder died before the end; isolde convert --to native-binary " + path +
           " WHOLE makes a whole file of what it has left";
  }
  if (reader_.begun() > 0) return "the last group is cut off";
  const io::GroupsBefore& before = reader_.before();
  return before.end_is_told && !before.at_end ? "no group says that it is the last" : "";
}

}  // namespace isolde::stream
