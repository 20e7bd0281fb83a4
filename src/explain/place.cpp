#include "explain/place.hpp"

#include <algorithm>
#include <array>

#include "base/printable.hpp"

namespace isolde::explain {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

bool has_lines(std::string_view format) {
  static constexpr std::array<std::string_view, 4> kBinary = {"native-binary", "dbcop", "cobra",
                                                              "vbox"};
  return std::find(kBinary.begin(), kBinary.end(), format) == kBinary.end();
}

Place place_of(const History& history, TxnId txn) {
  const HistoryOrigin& origin = history.origin();
  Place place;
  place.file = origin.file == "-" ? "" : origin.file;
  if (!origin.session_files.empty()) {
    const auto file = origin.session_files.find(history.session_name(history.session_of(txn)));
    // A position means nothing without the file that it is in.
    if (file == origin.session_files.end()) return place;
    place.file = file->second;
  }
  const std::uint64_t position = history.position_in_input(txn);
  if (origin.positions_are_numbers) {
    place.number = position;
  } else if (has_lines(origin.format)) {
    place.line = position;
    place.end_line = history.completion_in_input(txn);
  } else {
    place.bytes = position;
    place.is_decompressed = origin.compressed;
  }
  return place;
}

std::string place_text(const History& history, TxnId txn) {
  const Place place = place_of(history, txn);
  std::string text;
  if (place.line > 0 && place.end_line > 0) {
    text = "lines " + std::to_string(place.line) + " and " + std::to_string(place.end_line);
  } else if (place.line > 0) {
    text = "line " + std::to_string(place.line);
  } else if (place.bytes > 0) {
    text = "byte " + std::to_string(place.bytes);
    if (place.is_decompressed) text += " (decompressed)";
  } else if (place.number > 0) {
    text = "transaction " + std::to_string(place.number) + " of the file";
  }
  const std::string& folder = history.origin().file;
  const bool is_in_folder = place.file != folder && !history.origin().session_files.empty();
  if (!is_in_folder || place.file.empty()) return text;
  return base::printable_path(base_name(place.file)) + (text.empty() ? "" : ", " + text);
}

std::size_t failed_ops(const History& history, TxnId txn) {
  const auto& all = history.origin().failed_ops;
  const auto found = all.find(txn.raw());
  return found == all.end() ? 0 : found->second;
}

std::string setting_text(const HistoryOrigin& origin) {
  std::string text = base::printable_name(origin.database);
  if (origin.isolation.empty()) return text;
  if (!text.empty()) text += ", ";
  return text + "isolation " + base::printable_name(origin.isolation);
}

}  // namespace isolde::explain
