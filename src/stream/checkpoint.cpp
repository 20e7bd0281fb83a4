#include "stream/checkpoint.hpp"

#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "base/clock_bound.hpp"
#include "history/level_names.hpp"
#include "io/native.hpp"
#include "stream/durable_file.hpp"

namespace isolde::stream {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kVersion = 4;

Error broken(const std::string& path, const std::string& what) {
  return {ErrorCode::kBadInput,
          path + ": " + what + "; remove it to begin from the beginning of the source"};
}

Error failed(const std::string& path, int reason) {
  return {ErrorCode::kEnvironment, path + ": " + std::strerror(reason)};
}

void put_time(Json& line, const char* name, std::int64_t time) {
  if (time != kNoTime) line[name] = time;
}

Json position_as_json(const Position& position) {
  Json files = Json::array();
  for (const FilePosition& file : position.files) {
    Json& each = files.emplace_back();
    each = Json({{"source", file.source},
                 {"name", file.name},
                 {"bytes", file.before.bytes},
                 {"groups", file.before.groups},
                 {"end_is_told", file.before.end_is_told},
                 {"at_end", file.before.at_end},
                 {"open_since", file.before.open_since},
                 {"clock_origin", file.before.clock_origin},
                 {"contents", file.contents},
                 {"is_over", file.is_over}});
    if (file.place > 0) each["place"] = file.place;
    if (!file.before.clock_host.empty()) each["clock_host"] = file.before.clock_host;
    put_time(each, "clock_monotonic", file.before.clock_monotonic_ns);
    put_time(each, "clock_error", file.before.clock_error_ns);
    if (file.before.shift_ns != 0) each["shift"] = file.before.shift_ns;
  }
  return files;
}

Position position_in(const Json& files) {
  Position position;
  for (const Json& each : files) {
    FilePosition& file = position.files.emplace_back();
    each.at("source").get_to(file.source);
    each.at("name").get_to(file.name);
    each.at("bytes").get_to(file.before.bytes);
    each.at("groups").get_to(file.before.groups);
    each.at("end_is_told").get_to(file.before.end_is_told);
    each.at("at_end").get_to(file.before.at_end);
    each.at("open_since").get_to(file.before.open_since);
    each.at("clock_origin").get_to(file.before.clock_origin);
    each.at("contents").get_to(file.contents);
    file.is_over = each.value("is_over", false);  // those of earlier builds do not tell
    file.place = each.value("place", std::uint64_t{0});
    file.before.clock_host = each.value("clock_host", "");
    file.before.clock_monotonic_ns = each.value("clock_monotonic", kNoTime);
    file.before.clock_error_ns = base::ClockBound::known(each.value("clock_error", kNoTime));
    file.before.shift_ns = each.value("shift", std::int64_t{0});
  }
  return position;
}

Json place_as_json(const SegmentsFile::Place& place) {
  return {{"number", place.text.segments}, {"chain", place.text.chain}, {"bytes", place.bytes}};
}

SegmentsFile::Place place_in(const Json& line) {
  SegmentsFile::Place place;
  line.at("number").get_to(place.text.segments);
  line.at("chain").get_to(place.text.chain);
  line.at("bytes").get_to(place.bytes);
  return place;
}

Json archive_as_json(const Archive::Place& place) {
  return {{"first", place.file.first},
          {"transactions", place.file.transactions},
          {"bytes", place.file.bytes},
          {"groups", place.file.groups},
          {"contents", place.file.contents},
          {"until", place.file.until},
          {"order", place_as_json(place.order)},
          {"chain_bytes", place.chain_bytes},
          {"chain", place.chain}};
}

Archive::Place archive_in(const Json& line) {
  Archive::Place place;
  line.at("first").get_to(place.file.first);
  line.at("transactions").get_to(place.file.transactions);
  line.at("bytes").get_to(place.file.bytes);
  line.at("groups").get_to(place.file.groups);
  line.at("contents").get_to(place.file.contents);
  line.at("until").get_to(place.file.until);
  place.order = place_in(line.at("order"));
  line.at("chain_bytes").get_to(place.chain_bytes);
  line.at("chain").get_to(place.chain);
  return place;
}

Json aftermath_as_json(const RoundsState& rounds) {
  return {{"behind", rounds.begun_behind},
          {"ended", rounds.aftermath->ended},
          {"since", rounds.aftermath->since},
          {"is_settled", rounds.aftermath->is_settled},
          {"cells", rounds.aftermath->cells}};
}

void aftermath_in(const Json& line, RoundsState& rounds) {
  Aftermath::State& state = rounds.aftermath.emplace();
  line.at("behind").get_to(rounds.begun_behind);
  line.at("ended").get_to(state.ended);
  line.at("since").get_to(state.since);
  line.at("is_settled").get_to(state.is_settled);
  line.at("cells").get_to(state.cells);
}

/// The histories behind the line, and their lengths in it.
Result<std::string> histories_of(const RoundsState& rounds, Json& lengths) {
  std::vector<const History*> histories{&rounds.boundary, &rounds.open};
  for (const NumberedPart& part : rounds.parts) histories.push_back(&part.history);
  std::string bytes;
  lengths = Json::array();
  for (const History* const history : histories) {
    io::StringSink sink;
    if (const Status written = io::write_native_binary(*history, sink); !written) {
      return written.error();
    }
    lengths.push_back(sink.text().size());
    bytes += sink.text();
  }
  return bytes;
}

/// A name of a file needs not be UTF-8; then it is not found again, which is said.
std::string dump(const Json& line) {
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Of the line without it, and what comes behind.
std::uint64_t checksum(const Json& line, std::string_view histories) {
  const std::string text = dump(line);
  return XXH3_64bits_withSeed(histories.data(), histories.size(),
                              XXH3_64bits(text.data(), text.size()));
}

/// Of keys, as far as options ask for it.
void what_is_known(const Json& line, Checkpoint& checkpoint) {
  RoundsState& rounds = checkpoint.rounds;
  checkpoint.options.initial_is_unknown = line.contains("initial");
  if (line.contains("known_empty")) line.at("known_empty").get_to(rounds.known_empty);
  if (line.contains("start_lengths")) line.at("start_lengths").get_to(rounds.start_lengths);
  checkpoint.options.keys = line.value("keys", "");
  checkpoint.options.is_incomplete = line.contains("incomplete");
  if (checkpoint.options.is_incomplete) {
    for (const Json& each : line.at("incomplete")) {
      IncompleteKey& key = rounds.incomplete.emplace_back();
      each.at(0).get_to(key.place);
      each.at(1).get_to(key.name);
      each.at(2).get_to(key.reads);
    }
    line.at("reread").get_to(rounds.reread);
  }
}

/// The line; null where a number in it is no whole one, for that would be made one, although it
/// may not fit. Throws what the library throws.
Json whole_numbers_in(const std::string& text) {
  bool has_others = false;
  const Json::parser_callback_t look = [&](int, Json::parse_event_t, Json& parsed) {
    has_others = has_others || parsed.is_number_float();
    return true;
  };
  Json line = Json::parse(text, look);
  return has_others ? Json() : line;
}

Result<History> history_in(const std::string& path, std::string_view bytes,
                           base::Budget& budget) {
  const io::Input input(path, std::string(bytes));
  io::GroupsBefore before;
  return io::read_native_binary_group(input, before, budget);
}

/// All but what the histories behind the line are.
void read_fields(const Json& line, Checkpoint& checkpoint) {
  RoundsOptions& options = checkpoint.options;
  RoundsState& rounds = checkpoint.rounds;
  line.at("clock_error_ns").get_to(options.clock_error_ns);
  rounds.clock_error_ns =
      std::max(options.clock_error_ns,
               base::ClockBound::known(line.value("sources_clock_error_ns", kNoTime)));
  what_is_known(line, checkpoint);
  line.at("left_open").get_to(options.left_open);
  line.at("most_open").get_to(options.most_open);
  line.at("kept_ops").get_to(options.kept_ops);
  line.at("transactions").get_to(rounds.txn_count);
  line.at("committed").get_to(checkpoint.committed);
  line.at("settled").get_to(rounds.settled);
  line.at("rounds").get_to(rounds.rounds);
  line.at("failures").get_to(rounds.failures);
  line.at("open_since").get_to(rounds.open_since);
  line.at("apart").get_to(rounds.apart);
  if (line.contains("takes_effect_within_ns")) {
    line.at("takes_effect_within_ns").get_to(options.takes_effect_within_ns);
    line.at("forgotten").get_to(rounds.forgotten);
    line.at("uses").get_to(rounds.uses);
  }
  line.at("first_start").get_to(rounds.first_start);
  rounds.latest_start = line.value("latest_start", kNoTime);  // that archives need
  line.at("latest").get_to(rounds.latest);
  if (line.contains("aftermath")) aftermath_in(line.at("aftermath"), rounds);
  checkpoint.violations = line.value("violations", std::uint64_t{0});
  checkpoint.lost = line.value("lost", "");
  line.at("begun").get_to(rounds.begun);
  line.at("sessions").get_to(rounds.sessions);
  rounds.least_gap = line.value("least_gap", rounds.sessions.empty()
                                                 ? std::numeric_limits<std::uint64_t>::max()
                                                 : std::uint64_t{0});
  checkpoint.position = position_in(line.at("files"));
  if (line.contains("segments")) checkpoint.segments = place_in(line.at("segments"));
  if (line.contains("archive")) checkpoint.archive = archive_in(line.at("archive"));
}

}  // namespace

Result<std::string> checkpoint_text(const Checkpoint& checkpoint) {
  const RoundsState& rounds = checkpoint.rounds;
  Json lengths;
  const Result<std::string> histories = histories_of(rounds, lengths);
  if (!histories) return histories.error();
  Json firsts = Json::array();
  for (const NumberedPart& part : rounds.parts) firsts.push_back(part.first);
  Json line;
  line["isolde-checkpoint"] = kVersion;
  line["level"] = info(checkpoint.options.level).name;
  line["clock_error_ns"] = checkpoint.options.clock_error_ns;
  if (rounds.clock_error_ns > checkpoint.options.clock_error_ns) {
    line["sources_clock_error_ns"] = rounds.clock_error_ns;
  }
  if (checkpoint.options.initial_is_unknown) line["initial"] = "unknown";
  if (!rounds.known_empty.empty()) line["known_empty"] = rounds.known_empty;
  if (!rounds.start_lengths.empty()) line["start_lengths"] = rounds.start_lengths;
  if (rounds.aftermath) line["aftermath"] = aftermath_as_json(rounds);
  if (checkpoint.violations > 0) line["violations"] = checkpoint.violations;
  if (!checkpoint.lost.empty()) line["lost"] = checkpoint.lost;
  if (!checkpoint.options.keys.empty()) line["keys"] = checkpoint.options.keys;
  if (checkpoint.options.is_incomplete) {
    Json keys = Json::array();
    for (const IncompleteKey& key : rounds.incomplete) {
      keys.push_back({key.place, key.name, key.reads});
    }
    line["incomplete"] = std::move(keys);
    line["reread"] = rounds.reread;
  }
  line["left_open"] = checkpoint.options.left_open;
  line["most_open"] = checkpoint.options.most_open;
  line["kept_ops"] = checkpoint.options.kept_ops;
  line["transactions"] = rounds.txn_count;
  line["committed"] = checkpoint.committed;
  line["settled"] = rounds.settled;
  line["rounds"] = rounds.rounds;
  line["failures"] = rounds.failures;
  line["open_since"] = rounds.open_since;
  line["apart"] = rounds.apart;
  if (checkpoint.options.takes_effect_within_ns != kNoTime) {
    line["takes_effect_within_ns"] = checkpoint.options.takes_effect_within_ns;
    line["forgotten"] = rounds.forgotten;
    line["uses"] = rounds.uses;
  }
  line["first_start"] = rounds.first_start;
  line["begun"] = rounds.begun;
  line["sessions"] = rounds.sessions;
  if (!rounds.sessions.empty()) line["least_gap"] = rounds.least_gap;
  line["latest_start"] = rounds.latest_start;
  line["latest"] = rounds.latest;
  line["sources"] = checkpoint.sources;
  line["segments_file"] = checkpoint.segments_file;
  line["archive_folder"] = checkpoint.archive_folder;
  line["files"] = position_as_json(checkpoint.position);
  if (checkpoint.segments) line["segments"] = place_as_json(*checkpoint.segments);
  if (checkpoint.archive) line["archive"] = archive_as_json(*checkpoint.archive);
  line["file"] = rounds.boundary.origin().file;
  line["parts"] = std::move(firsts);
  line["histories"] = std::move(lengths);
  line["checksum"] = checksum(line, *histories);
  return dump(line) + "\n" + *histories;
}

Status write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  const Result<std::string> text = checkpoint_text(checkpoint);
  if (!text) return text.error();
  const std::string fresh = path + ".new";
  if (const Status written = put_durably(fresh, *text); !written) {
    unlink(fresh.c_str());
    return written;
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return failed(path, errno);
  return sync_folder_of(path);
}

Result<Checkpoint> parse_checkpoint(const std::string& text, const std::string& path,
                                    base::Budget& budget) {
  const std::size_t end = text.find('\n');
  Checkpoint checkpoint;
  RoundsState& rounds = checkpoint.rounds;
  std::vector<std::uint64_t> lengths;
  std::vector<TxnNumber> firsts;
  std::string origin_file;
  std::string level;
  Json line;
  const std::string_view histories_text =
      end == std::string::npos ? std::string_view() : std::string_view(text).substr(end + 1);
  if (!text.starts_with(R"({"isolde-checkpoint":)")) {
    return Error{ErrorCode::kBadInput, path + ": it is no checkpoint; choose another file"};
  }
  try {
    line = whole_numbers_in(text.substr(0, end));
    const Json version = line.at("isolde-checkpoint");
    if (!version.is_number_unsigned() || version.get<std::uint64_t>() != kVersion) {
      return broken(path, "it is of another version");
    }
    // First of all, for numbers that are damaged may not fit.
    const Json expected = line.at("checksum");
    line.erase("checksum");
    if (!expected.is_number_unsigned() ||
        expected.get<std::uint64_t>() != checksum(line, histories_text)) {
      return broken(path, end == std::string::npos ? "it is cut off" : "it is damaged");
    }
    read_fields(line, checkpoint);
    line.at("level").get_to(level);
    line.at("sources").get_to(checkpoint.sources);
    line.at("segments_file").get_to(checkpoint.segments_file);
    line.at("archive_folder").get_to(checkpoint.archive_folder);
    line.at("file").get_to(origin_file);
    line.at("parts").get_to(firsts);
    line.at("histories").get_to(lengths);
  } catch (const Json::exception&) {
    return broken(path, "it is damaged");
  }
  std::string_view left = histories_text;
  constexpr std::size_t kBoundaryAndOpen = 2;
  const std::optional<Level> known = history::level_written(level);
  checkpoint.options.level = known.value_or(Level::kStrictSerializable);
  if (!known || !level_of_rounds(*known) ||
      lengths.size() != firsts.size() + kBoundaryAndOpen) {
    return broken(path, "it is damaged");
  }
  std::vector<History> histories;
  for (const std::uint64_t length : lengths) {
    if (length > left.size()) return broken(path, "it is damaged");
    // What was read from a file knows its name.
    Result<History> history = history_in(origin_file, left.substr(0, length), budget);
    if (!history) return history.error();
    histories.push_back(std::move(history).value());
    left.remove_prefix(length);
  }
  rounds.boundary = std::move(histories[0]);
  rounds.open = std::move(histories[1]);
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    rounds.parts.push_back({std::move(histories[i + kBoundaryAndOpen]), firsts[i]});
  }
  return checkpoint;
}

Result<std::optional<Checkpoint>> read_checkpoint(const std::string& path,
                                                  base::Budget& budget) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file && errno == ENOENT) return std::optional<Checkpoint>();
  if (!file) return failed(path, errno);
  std::ostringstream all;
  if (!(all << file.rdbuf())) return broken(path, "it is empty or cannot be read");
  Result<Checkpoint> checkpoint = parse_checkpoint(std::move(all).str(), path, budget);
  if (!checkpoint) return checkpoint.error();
  return std::optional(std::move(checkpoint).value());
}

}  // namespace isolde::stream
