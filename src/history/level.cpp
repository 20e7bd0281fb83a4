#include "isolde/level.hpp"

#include <array>
#include <string>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "history/base_levels.hpp"
#include "history/level_names.hpp"

namespace isolde {
namespace {

using enum BaseLevel;

/// What binds besides the base.
struct Form {
  bool session_order;
  bool real_time;
};
constexpr Form kPlain = {false, false};
constexpr Form kWithSessions = {true, false};
constexpr Form kWithRealTime = {false, true};
constexpr Form kWithBoth = {true, true};

constexpr auto kLevels = std::to_array<LevelInfo>({
#define ISOLDE_LEVEL(level, name, alias, base, form, summary) \
  {Level::level, name, alias, base, form.session_order, form.real_time, summary},
#include "isolde/levels.def"
});

struct BaseRow {
  std::initializer_list<BaseLevel> implied;  ///< the next weaker ones
  history::BaseFacts facts;
};

#define ISOLDE_UNPACKED(...) __VA_ARGS__
#define ISOLDE_BASE(base, implied, facts, ...) \
  {{ISOLDE_UNPACKED implied}, {ISOLDE_UNPACKED facts}},
constexpr BaseRow kBases[] = {
#include "isolde/levels.def"
};
#undef ISOLDE_UNPACKED

constexpr std::size_t kBaseCount = std::size(kBases);

constexpr std::size_t at(BaseLevel base) { return static_cast<std::size_t>(base); }

/// As plain_name() leaves them.
constexpr auto kAdyaNames = std::to_array<history::AdyaName>({
    {"pl-3", Level::kSerializable},
    {"pl-2.99", Level::kRepeatableRead},
    {"pl-si", Level::kSnapshotIsolation},
    {"pl-2+", Level::kParallelSnapshotIsolation},
    {"pl-2", Level::kReadCommitted},
    {"pl-1", Level::kReadUncommitted},
});

/// Which base levels imply which, session order and real time being equal. Where the weaker one
/// contains session order, so does the row of the table, and implies() asks the stronger row
/// for it.
class BaseOrder {
 public:
  constexpr BaseOrder() {
    for (std::size_t base = 0; base < kBaseCount; ++base) implied_[base][base] = true;
    for (std::size_t base = 0; base < kBaseCount; ++base) {
      for (const BaseLevel weaker : kBases[base].implied) implied_[base][at(weaker)] = true;
    }
    for (std::size_t k = 0; k < kBaseCount; ++k) {
      for (std::size_t i = 0; i < kBaseCount; ++i) {
        for (std::size_t j = 0; j < kBaseCount; ++j) {
          if (implied_[i][k] && implied_[k][j]) implied_[i][j] = true;
        }
      }
    }
  }
  constexpr bool implies(BaseLevel stronger, BaseLevel weaker) const {
    return implied_[at(stronger)][at(weaker)];
  }

 private:
  bool implied_[kBaseCount][kBaseCount] = {};
};
constexpr BaseOrder kBaseOrder;

}  // namespace

std::span<const LevelInfo> all_levels() { return kLevels; }

const LevelInfo& info(Level level) {
  const auto row = static_cast<std::size_t>(level);
  ISOLDE_CHECK(row < kLevels.size());
  return kLevels[row];
}

std::optional<Level> history::level_written(std::string_view name) {
  for (const LevelInfo& row : kLevels) {
    if (name == row.name || (!row.alias.empty() && name == row.alias)) return row.level;
  }
  constexpr std::string_view kSession = "strong-session-";
  if (!name.starts_with(kSession)) return std::nullopt;
  name.remove_prefix(kSession.size());
  for (const LevelInfo& row : kLevels) {
    if (name == row.name && row.session_order && !row.real_time) return row.level;
  }
  return std::nullopt;
}

std::optional<Level> find_level(std::string_view name) {
  const std::string plain = base::plain_name(name);
  for (const history::AdyaName& each : kAdyaNames) {
    if (plain == each.name) return each.level;
  }
  if (const std::optional<Level> level = history::level_written(plain)) return level;
  for (const LevelInfo& row : kLevels) {
    if (plain == history::without_hyphens(row.name)) return row.level;
  }
  return std::nullopt;
}

std::span<const history::AdyaName> history::adya_names() { return kAdyaNames; }

bool implies(Level stronger, Level weaker, bool sessions_respect_time) {
  const LevelInfo& strong = info(stronger);
  const LevelInfo& weak = info(weaker);
  // Read committed requires only one execution in which all reads have read states; but that
  // execution need not respect sessions.
  if (strong.base == kWritesFollowReads && !weak.session_order && !weak.real_time) {
    return kBaseOrder.implies(kReadCommitted, weak.base);
  }
  // Real time binds only in part there.
  if (binds_real_time_by_key(weak.base)) {
    return strong.base == weak.base || (strong.base == kSerializable && strong.real_time);
  }
  if (binds_real_time_by_key(strong.base) && weak.base == kLinearizable) return true;
  if (!kBaseOrder.implies(strong.base, weak.base)) return false;
  if (weak.real_time && !strong.real_time) return false;
  return !weak.session_order || strong.session_order ||
         (strong.real_time && sessions_respect_time);
}

bool implies_there(Level stronger, Level weaker, bool sessions_respect_time, RowFacts rows) {
  const BaseLevel base = info(weaker).base;
  const BaseLevel strong = info(stronger).base;
  // Read committed asks as much of reads as writes-follow-reads and monotonic writes do.
  const bool asks_each_read =
      explains_sessions_apart(base) && !kBaseOrder.implies(kReadCommitted, base);
  const bool misses_deletions =
      (base == kLinearizable && strong != base && !kBaseOrder.implies(strong, kSerializable)) ||
      (asks_each_read && strong == kParallelSnapshot);
  if (rows.deleted && misses_deletions) return false;
  if (rows.refused && counts_refused_inserts(base) && !counts_refused_inserts(strong)) {
    return false;
  }
  const bool asks_less = rows.left_out && disregards_left_out_rows(strong) && base != strong &&
                         !kBaseOrder.implies(kReadCommitted, base);
  return !asks_less && implies(stronger, weaker, sessions_respect_time);
}

bool reads_one_state(BaseLevel base) {
  return is_serial(base) || kBaseOrder.implies(base, kPrefixConsistency);
}

bool is_serial(BaseLevel base) { return kBaseOrder.implies(base, kRepeatableRead); }

bool needs_times(const LevelInfo& level) {
  return level.real_time || binds_real_time_by_key(level.base);
}

const history::BaseFacts& history::facts(BaseLevel base) {
  ISOLDE_CHECK(at(base) < kBaseCount);
  return kBases[at(base)].facts;
}

bool reads_repeatably(BaseLevel base) {
  return base == kLinearizable || kBaseOrder.implies(base, kReadAtomic);
}

bool forbids_lost_updates(BaseLevel base) {
  return is_serial(base) || base == kLinearizable ||
         kBaseOrder.implies(base, kParallelSnapshot);
}

}  // namespace isolde
