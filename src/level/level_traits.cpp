#include "level/level_traits.hpp"

#include <array>

#include "base/assert.hpp"
#include "history/base_levels.hpp"

namespace isolde::checker {
namespace {

using enum BaseLevel;
using enum Method;
using Of = SessionRules::Of;

constexpr infer::Role kSerial = {};
constexpr infer::Role kSnapshots = {.snapshot = true};
constexpr infer::Role kPrefixes = {.snapshot = true, .forbids_concurrent_writers = false};
constexpr infer::Role kNoAntiDependencies = {.has_anti_dependencies = false};
/// Only read-from constrains a transaction.
constexpr infer::Role kCommits = {.forbids_concurrent_writers = false,
                                  .has_anti_dependencies = false};

// What rows of levels.def say of how a level is decided. A sweep looks for snapshot isolation
// in place of parallel snapshot isolation, and for prefix consistency at all levels below it.

constexpr LevelTraits decided(Method method, infer::Role role, infer::Role sweep) {
  const bool searches_sources = method != kKeyByKey && method != kShownOrders;
  return {{}, method, role, sweep, Views::kNone, searches_sources};
}

constexpr LevelTraits by_views(Views views) {
  return {{}, kViews, kCommits, kPrefixes, views, true};
}

constexpr LevelTraits by_rules(SessionRules rules) {
  return {{}, kSessions, kCommits, kPrefixes, Views::kNone, true, rules};
}

constexpr LevelTraits row_of(BaseLevel base, LevelTraits traits) {
  traits.base = base;
  return traits;
}

constexpr auto kTraits = std::to_array<LevelTraits>({
#define ISOLDE_BASE(base, implied, facts, traits) row_of(base, traits),
#include "isolde/levels.def"
});

infer::Encoding with_role(const LevelInfo& level, infer::Role role,
                          std::int64_t clock_error_ns) {
  infer::Encoding encoding;
  encoding.role = role;
  encoding.session_order = level.session_order;
  encoding.real_time = level.real_time;
  encoding.clock_error_ns = clock_error_ns;
  return encoding;
}

}  // namespace

const LevelTraits& traits(BaseLevel base) {
  const auto row = static_cast<std::size_t>(base);
  ISOLDE_CHECK(row < kTraits.size());
  return kTraits[row];
}

infer::Encoding encoding(const LevelInfo& level, std::int64_t clock_error_ns) {
  // Not of `level.level`: a mixture asks for its parts.
  const LevelTraits& row = traits(level.base);
  ISOLDE_CHECK(row.method != kMixedVersionOrders);
  infer::Encoding encoding = with_role(level, row.role, clock_error_ns);
  encoding.read_from = encoding.list_order = row.method != kShownOrders;
  encoding.real_time_by_key = binds_real_time_by_key(level.base);
  return encoding;
}

infer::Encoding sweep_encoding(const LevelInfo& level, std::int64_t clock_error_ns) {
  infer::Encoding encoding = with_role(level, traits(level.base).sweep, clock_error_ns);
  encoding.real_time = needs_times(level);
  return encoding;
}

}  // namespace isolde::checker
