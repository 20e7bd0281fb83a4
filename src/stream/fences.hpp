// Fences: transactions that read and write one key, which nothing else uses, in every session
// (docs/recording.md). Where no clock tells, they tell what comes before all that is yet to
// come: a transaction from which a known path leads to the last one of every session.
//
// Known are session order, and which fence has read what which one wrote: no two write the same
// value. Each has read what the one before it wrote, so that all fences are one path. Who read
// from whom otherwise is not known, for a value may repeat, and who wrote it first be settled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "history/certificate.hpp"
#include "isolde/history.hpp"
#include "stream/settled_order.hpp"

namespace isolde::stream {

/// Which sessions are there. One counts from its first fence that committed until its last
/// transaction has an unknown outcome, or it was silent for too long. Memory: some words for
/// each session.
class Fences {
 public:
  /// `key`: of fences, as histories name it; a number is one of digits. `session_timeout_ns`: a
  /// session is dead of which nothing has come for longer, by the latest time that came; 0:
  /// however long.
  Fences(std::string key, std::int64_t session_timeout_ns)
      : key_(std::move(key)), session_timeout_ns_(session_timeout_ns) {}

  /// Those that come next, of each session in its order. False: a session goes on behind one of
  /// unknown outcome, which may take effect later, and yet comes before in the session.
  bool take(const History& part);

  /// From now on times of different sessions may be off by so much.
  void raise_clock_error(std::int64_t clock_error_ns) { clock_error_ns_ = clock_error_ns; }

  /// Some session did something before it had a fence, or is taken for dead that had one. What
  /// is yet to come may stand before anything then.
  bool has_strays() const { return has_strays_; }

  /// Of the transactions that have no place yet, all of them and in the order in which they
  /// came: which come before all that is yet to come. COST: three looks at each operation and
  /// element of a list.
  std::vector<bool> reached(const History& open);

  /// Two fences have read what one and the same has written: no order of all keeps them apart,
  /// and none that come later reach anything.
  bool is_forked() const { return is_forked_; }

 private:
  struct Session {
    std::int64_t latest = kNoTime;
    bool counts = false;
    bool is_unknown = false;  ///< the outcome of its last one is
  };

  bool is_dead(const Session& session) const;
  void leave(Session& session);

  std::string key_;
  std::int64_t session_timeout_ns_;
  std::int64_t clock_error_ns_ = 0;
  std::unordered_map<std::uint64_t, Session> sessions_;  // by hash of their names
  std::int64_t latest_ = kNoTime;
  bool has_strays_ = false;
  bool is_forked_ = false;  // what reached() has seen last
};

/// Those that have to wait for what is yet to come: they have read what nobody here has
/// written, or come behind one that has. Who is reached waits for nobody.
std::vector<bool> held_back(const History& open, const std::vector<bool>& reached);

/// A witness whose order begins with as many as possible of those that may be settled, each
/// with all that the order has before it and that it depends on; `count` in `settled` is how
/// many entries they are. COST: linear in the round.
struct SettledFirst {
  Witness witness;
  SettledOrder settled;
};
SettledFirst settled_first(const History& round, const Witness& witness,
                           bool keeps_writers_apart, std::vector<bool> may_settle);

}  // namespace isolde::stream
