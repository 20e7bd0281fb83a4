#include "io/leftovers.hpp"

#include <cstddef>
#include <cstring>
#include <string>

#include "history/inflight.hpp"
#include "io/bad_input.hpp"

namespace isolde::io {
namespace {

template <typename Record>
bool take_record(const Input& file, std::string_view magic, Record& out) {
  if (file.view().size() < sizeof out) return false;
  std::memcpy(&out, file.view().data(), sizeof out);
  return std::string_view(out.magic.data(), out.magic.size()) == magic;
}

std::string wrong_magic(const Input& file, std::string_view magic) {
  return "found " + shown(file.view().substr(0, magic.size())) + "; expected " + shown(magic) +
         " and the rest of a record of 64 bytes";
}

constexpr const char* kWhatFolder =
    " holds the transactions that were under way when the recorder died; without it the "
    "history can be read as one that is cut off";

}  // namespace

Error bad_leftover(const Leftovers& leftovers, const Input& file, std::uint64_t offset,
                   std::string_view problem) {
  return bad_byte(file.name, offset,
                  std::string(problem) + "; the folder " + leftovers.name + kWhatFolder);
}

Result<LeftoverTexts> parse_leftovers(const Leftovers& leftovers) {
  if (leftovers.files.empty()) {
    return Error{ErrorCode::kBadInput,
                 leftovers.name + "/0: is missing; the folder" + kWhatFolder};
  }
  const Input& first = leftovers.files.front();
  inflight::Ledger ledger{};
  if (!take_record(first, inflight::kLedgerMagic, ledger)) {
    return bad_leftover(leftovers, first, 0, wrong_magic(first, inflight::kLedgerMagic));
  }
  const std::uint64_t found = leftovers.files.size() - 1;
  if (ledger.slots != found) {
    return bad_leftover(leftovers, first, offsetof(inflight::Ledger, slots),
                        "found " + counted(found, "file") + " besides this one; expected " +
                            std::to_string(ledger.slots));
  }
  LeftoverTexts result;
  result.recording_stopped = ledger.stopped != 0;
  for (std::size_t i = 1; i < leftovers.files.size(); ++i) {
    const Input& file = leftovers.files[i];
    inflight::SlotHeader header{};
    if (!take_record(file, inflight::kSlotMagic, header)) {
      return bad_leftover(leftovers, file, 0, wrong_magic(file, inflight::kSlotMagic));
    }
    const std::string_view rest = file.view().substr(sizeof header);
    if (header.length > rest.size()) {
      return bad_leftover(leftovers, file, offsetof(inflight::SlotHeader, length),
                          "found a text of " + counted(header.length, "byte") +
                              "; expected at most the " + std::to_string(rest.size()) +
                              " that the file has");
    }
    if (header.length == 0) continue;
    result.texts.push_back({&file, header.position, rest.substr(0, header.length)});
  }
  return result;
}

bool is_cut_line_known(const LeftoverTexts& leftovers, std::string_view line) {
  constexpr std::string_view kEvent = "{\"event\":";
  if (line.starts_with(kEvent) || kEvent.starts_with(line)) return true;
  for (const LeftoverText& leftover : leftovers.texts) {
    if (leftover.is_whole() && leftover.text.starts_with(line)) return true;
  }
  return false;
}

}  // namespace isolde::io
