// Checkpoints: whatever a file says, it is read or refused with one line; what was read can be
// written and read again; and rounds go on from it, or say why not.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "memory_file.hpp"
#include "sealing.hpp"
#include "stream/checkpoint.hpp"
#include "stream/rounds.hpp"

namespace {

using Json = nlohmann::ordered_json;
using isolde::fuzz::require;

/// With lengths of the histories behind the line that can be, and right checksums.
std::string sealed(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::string(text);
  Json line = Json::parse(text.substr(0, end), nullptr, false);
  std::string_view left = text.substr(end + 1);
  if (!line.is_object() || !line.contains("histories")) return std::string(text);
  Json& lengths = line["histories"];
  if (!lengths.is_array() || lengths.empty()) return std::string(text);
  std::string histories;
  for (Json& length : lengths) {
    if (!length.is_number_unsigned()) return std::string(text);
    const bool is_last = &length == &lengths.back();
    std::string history(left.substr(0, is_last ? left.size() : length.get<std::size_t>()));
    left.remove_prefix(history.size());
    isolde::fuzz::seal_groups(history);
    length = history.size();
    histories += history;
  }
  const auto dump = [&] { return line.dump(-1, ' ', false, Json::error_handler_t::replace); };
  line.erase("checksum");
  const std::string without = dump();
  line["checksum"] = XXH3_64bits_withSeed(histories.data(), histories.size(),
                                          XXH3_64bits(without.data(), without.size()));
  return dump() + "\n" + histories;
}

std::string text_of(const isolde::stream::Checkpoint& checkpoint) {
  const auto text = isolde::stream::checkpoint_text(checkpoint);
  require(text.ok(), "what was read can be written", text.ok() ? "" : text.error().message);
  return *text;
}

/// Rounds know there what they knew.
void go_on(isolde::stream::Checkpoint checkpoint, isolde::base::Budget& budget) {
  checkpoint.options.kept_ops = std::size_t{1} << 12;
  checkpoint.options.threads = 1;
  isolde::stream::Rounds rounds(checkpoint.options, budget);
  const isolde::Status restored = rounds.restore(std::move(checkpoint.rounds));
  if (!restored) {
    isolde::fuzz::require_readers_error(restored.error(), "");
    return;
  }
  if (rounds.verdict() == isolde::Verdict::kHolds) {
    require(rounds.state().ok(), "what is known can be told");
  }
  rounds.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = sealed(std::string_view(reinterpret_cast<const char*>(data), size));
  isolde::base::Budget budget;
  auto checkpoint = isolde::stream::parse_checkpoint(text, "fuzz", budget);
  if (!checkpoint) {
    isolde::fuzz::require_readers_error(checkpoint.error(), "");
    return 0;
  }
  const std::string again = text_of(*checkpoint);
  const auto same = isolde::stream::parse_checkpoint(again, "again", budget);
  require(same.ok(), "what was written is read", same.ok() ? "" : same.error().message);
  require(text_of(*same) == again, "what was written is read as it was", again);
  go_on(std::move(*checkpoint), budget);
  return 0;
}
