#include "explain/place.hpp"

#include <algorithm>
#include <array>

namespace isolde::explain {

bool has_lines(std::string_view format) {
  static constexpr std::array<std::string_view, 4> kBinary = {"native-binary", "dbcop", "cobra",
                                                              "vbox"};
  return std::find(kBinary.begin(), kBinary.end(), format) == kBinary.end();
}

Place place_of(const History& history, const SessionFiles& files, TxnId txn) {
  const HistoryOrigin& origin = history.origin();
  Place place{origin.file == "-" ? "" : origin.file, 0, 0};
  if (!files.empty()) {
    const auto file = files.find(history.session_name(history.session_of(txn)));
    // A position means nothing without the file that it is in.
    if (file == files.end()) return place;
    place.file = file->second;
  }
  const std::uint64_t position = history.position_in_input(txn);
  (has_lines(origin.format) ? place.line : place.bytes) = position;
  return place;
}

}  // namespace isolde::explain
