// What each base level requires of the engine, from its row in levels.def. The row determines
// which part decides the level, what its event graph looks like, what else is visible to a
// reader, and which order a sweep looks for. CONTRIBUTING.md lists what else a new level takes.
// The verifier states the meaning of the levels independently
// (src/certify), on purpose.
#pragma once

#include <cstdint>

#include "infer/event_graph.hpp"
#include "isolde/level.hpp"

namespace isolde::checker {

/// Which part of the engine decides a level.
enum class Method : std::uint8_t {
  kVersionOrders,       ///< EventLevel: version orders are searched
  kMixedVersionOrders,  ///< the same, with a role for each transaction
  kDatabaseTimes,       ///< decide_timed(): the database tells the commit order
  kViews,               ///< decide_weak(): one graph of what is visible, no search
  kShownOrders,         ///< decide_uncommitted(): one graph of what lists show
  kSessions,            ///< decide_sessions(): an execution for each session
  kReadByRead,          ///< SequentialLevel: one execution, read by read
  kKeyByKey,            ///< decide_linear(): key by key
};

/// What is visible to a reader at a level with Method::kViews; each includes those before it.
enum class Views : std::uint8_t { kNone, kMonotonic, kAtomic, kCausal };

/// A level with Method::kSessions.
struct SessionRules {
  enum class Of : std::uint8_t { kNothing, kUpdates, kReads, kAll };
  /// The session's earlier transactions that its reads must see; with kNothing, a read only
  /// needs its source to be committed.
  Of seen = Of::kNothing;
  Of ordered = Of::kNothing;         ///< of each session's transactions, in all executions
  bool all_reads_count = false;      ///< read-from binds the transactions of other sessions too
  bool writes_follow_reads = false;  ///< what a session read precedes its later updates
};

struct LevelTraits {
  BaseLevel base = BaseLevel::kSerializable;
  Method method = Method::kVersionOrders;
  infer::Role role = {};  ///< of each transaction, when all run at this level
  /// For the order that a sweep looks for: the level's own role, or a stronger level's.
  infer::Role sweep = {};
  Views views = Views::kNone;
  /// Where values repeat, the sources of reads are searched.
  bool searches_sources = false;
  SessionRules session = {};
};

/// COST: constant.
const LevelTraits& traits(BaseLevel base);

/// What the level's definition requires of the event graph. REQUIRES: it is not mixed.
infer::Encoding encoding(const LevelInfo& level, std::int64_t clock_error_ns);

/// What an order found by a sweep must satisfy to prove the level: the level's own definition,
/// or one that implies it.
infer::Encoding sweep_encoding(const LevelInfo& level, std::int64_t clock_error_ns);

/// EventLevel decides it.
inline bool finds_version_orders(BaseLevel base) {
  const Method method = traits(base).method;
  return method == Method::kVersionOrders || method == Method::kMixedVersionOrders;
}

/// Of all that was read only the orders that lists show count.
inline bool is_uncommitted(Level level) {
  return traits(info(level).base).method == Method::kShownOrders;
}

/// Each key is decided by itself.
inline bool is_told_by_key(Level level) {
  return traits(info(level).base).method == Method::kKeyByKey;
}

/// Any earlier commit explains a read, whatever the others of its transaction returned.
inline bool reads_bind_apart(BaseLevel base) {
  return traits(base).method == Method::kViews && traits(base).views == Views::kNone;
}

/// Each transaction states its own level.
inline bool is_mixed(Level level) {
  return traits(info(level).base).method == Method::kMixedVersionOrders;
}

/// All writes of a key are ordered: the level's edges are dependencies.
inline bool orders_versions(BaseLevel base) {
  const Method method = traits(base).method;
  return method == Method::kVersionOrders || method == Method::kMixedVersionOrders ||
         method == Method::kDatabaseTimes;
}

/// Its tests look at each read by itself, in an order chosen for all sessions or for each.
inline bool tests_each_read(BaseLevel base) {
  const Method method = traits(base).method;
  return method == Method::kReadByRead || method == Method::kSessions;
}

/// It allows cycles with several anti-dependencies, and none with one.
inline bool allows_long_forks(BaseLevel base) {
  return traits(base).method == Method::kVersionOrders &&
         !traits(base).role.has_anti_dependencies;
}

/// Why such a level may stay undecided.
inline constexpr const char* kInsertedAgain =
    "rows that were deleted and inserted again leave too much open";

/// Who writes a key that was deleted need not have seen the deletion.
inline bool lets_insert_again(BaseLevel base) {
  return allows_long_forks(base) || traits(base).method == Method::kDatabaseTimes ||
         (finds_version_orders(base) && traits(base).role.snapshot &&
          traits(base).role.forbids_concurrent_writers);
}

/// Where values repeat, an order of the events tells which version each read found; at the
/// other levels that search sources, all sources must be chosen.
inline bool order_tells_sources(BaseLevel base) {
  return traits(base).method == Method::kVersionOrders && !allows_long_forks(base);
}

}  // namespace isolde::checker
