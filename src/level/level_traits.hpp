// What each base level asks of the engine, as data: one row for each. Who decides it, what its
// event graph looks like, what else is visible to a reader, and by which order a sweep may
// prove it follow from the row; so a new level is a row here, one in history/level.cpp, its
// text and its tests. The verifier has the meaning of the levels once more in its own words
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
  kDatabaseTimes,       ///< decide_timed(): the database tells the order of commits
  kViews,               ///< decide_weak(): one graph of what is visible, and no search
  kShownOrders,         ///< decide_uncommitted(): one graph of what lists show
  kSessions,            ///< decide_sessions(): an execution for each session
  kReadByRead,          ///< SequentialLevel: one execution, each read by itself
  kKeyByKey,            ///< decide_linear(): each key by itself
};

/// What is visible to a reader of a level with Method::kViews: each includes those before.
enum class Views : std::uint8_t { kNone, kMonotonic, kAtomic, kCausal };

/// A level with Method::kSessions.
struct SessionRules {
  enum class Of : std::uint8_t { kNothing, kUpdates, kReads, kAll };
  /// What the session did before that its reads may not miss; with kNothing, a read only needs
  /// its source to be committed.
  Of seen = Of::kNothing;
  Of ordered = Of::kNothing;         ///< of each session's transactions, in all executions
  bool all_reads_count = false;      ///< read-from binds the transactions of other sessions too
  bool writes_follow_reads = false;  ///< what a session read precedes its later updates
};

struct LevelTraits {
  BaseLevel base = BaseLevel::kSerializable;
  Method method = Method::kVersionOrders;
  infer::Role role = {};  ///< of each transaction, when all run at this level
  /// Of the order that a sweep looks for: the level's own, or that of a stronger level.
  infer::Role sweep = {};
  Views views = Views::kNone;
  /// Sources of reads are searched for where values repeat.
  bool searches_sources = false;
  SessionRules session = {};
};

/// COST: constant.
const LevelTraits& traits(BaseLevel base);

/// What the level's definition asks of the event graph. REQUIRES: it is not mixed.
infer::Encoding encoding(const LevelInfo& level, std::int64_t clock_error_ns);

/// What an order must satisfy that a sweep can find and that proves the level: the level's own
/// definition, or one that implies it.
infer::Encoding sweep_encoding(const LevelInfo& level, std::int64_t clock_error_ns);

/// EventLevel decides it.
inline bool finds_version_orders(BaseLevel base) {
  const Method method = traits(base).method;
  return method == Method::kVersionOrders || method == Method::kMixedVersionOrders;
}

/// Of a level whose edges are dependencies: all writes of a key are ordered.
inline bool orders_versions(BaseLevel base) {
  const Method method = traits(base).method;
  return method == Method::kVersionOrders || method == Method::kDatabaseTimes;
}

/// It allows cycles with several anti-dependencies, and none with one.
inline bool allows_long_forks(BaseLevel base) {
  return traits(base).method == Method::kVersionOrders &&
         !traits(base).role.has_anti_dependencies;
}

}  // namespace isolde::checker
