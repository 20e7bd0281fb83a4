// Forcing one way or the other where the program has two (base/ways.hpp).
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "base/ways.hpp"

namespace isolde::support {

/// As long as this lives, everything goes these ways. REQUIRES: one at a time.
class ForcedWays {
 public:
  explicit ForcedWays(const base::Ways& ways) : saved_(base::ways()) { base::ways() = ways; }
  ~ForcedWays() { base::ways() = saved_; }
  ForcedWays(const ForcedWays&) = delete;
  ForcedWays& operator=(const ForcedWays&) = delete;

 private:
  base::Ways saved_;
};

struct NamedWays {
  std::string name;
  base::Ways ways;
};

/// The ways that small inputs do not go by themselves, and those that large ones do not.
inline base::Ways ways_of_large() {
  base::Ways ways;
  ways.map_from = 0;
  ways.usual_lines = false;
  ways.small_keys = 0;
  ways.short_txn = 0;
  ways.join_reads = false;
  ways.join_pile = 1;
  ways.rows_by = base::Ways::RowsBy::kContent;
  ways.kept_rows = 0;
  ways.index_columns = false;
  ways.share_conditions = false;
  ways.rows_when_needed = false;
  ways.value_stride = 1;
  ways.find_contradictions = false;
  ways.keep_tallies = false;
  return ways;
}
inline base::Ways ways_of_small() {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  base::Ways ways;
  ways.map_from = kAll;
  ways.small_keys = std::uint64_t{1} << 24;
  ways.short_txn = kAll;
  ways.join_pile = std::size_t{1} << 40;
  ways.rows_by = base::Ways::RowsBy::kKeys;
  ways.value_stride = std::size_t{1} << 32;
  return ways;
}

/// Each switch that checking meets, by itself to each side: so failures name the one to blame.
inline std::vector<NamedWays> ways_of_checking() {
  const base::Ways large = ways_of_large();
  const base::Ways small = ways_of_small();
  std::vector<NamedWays> all;
  const auto add = [&](const char* name, auto member) {
    for (const bool is_large : {false, true}) {
      base::Ways ways;
      ways.*member = (is_large ? large : small).*member;
      all.push_back({std::string(name) + (is_large ? ", large" : ", small"), ways});
    }
  };
  add("small_keys", &base::Ways::small_keys);
  add("short_txn", &base::Ways::short_txn);
  add("join_reads", &base::Ways::join_reads);
  add("join_pile", &base::Ways::join_pile);
  add("rows_by", &base::Ways::rows_by);
  add("kept_rows", &base::Ways::kept_rows);
  add("index_columns", &base::Ways::index_columns);
  add("share_conditions", &base::Ways::share_conditions);
  return all;
}

}  // namespace isolde::support
