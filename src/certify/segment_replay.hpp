// A history that is told part by part, with an order that is told segment by segment: the
// verifier of what rounds settle (docs/formats/segments.md).
//
// It runs the transactions one after the other in the order that is claimed, against what each
// register holds and how each list goes on, and looks whether each of them read what it says
// and whether real time is kept. With snapshots, a transaction reads where the order mentions
// it first and writes where it does so again. Where the level is about sessions in place of
// real time, it looks whether each session's transactions follow one another. It shares no code
// with src/stream. What it keeps is what each register holds, the transactions that have come
// and have no place yet, and those that have read and not written.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde::certify {

/// A level that real time or the order of sessions binds and that has one order of all commits:
/// serializability, snapshot isolation or prefix consistency of registers and lists.
/// Transactions are numbered in the order in which they come, from 0. Every function but the
/// counters returns an objection, one line; empty: none. After the first one nothing more may
/// be called but the counters. COST: an operation costs two looks into hash tables, a part that
/// comes the same for each key.
class SegmentReplay {
 public:
  /// `initial_is_unknown`: a key of which the first part does not tell what it held at the
  /// start held what the first read of it says, if that comes before all writes; a list, what
  /// stands there before all appends. `keys`:
  /// operations on others than are like this pattern say nothing; empty: all count. REQUIRES:
  /// proves(level).
  SegmentReplay(Level level, std::int64_t clock_error_ns, bool initial_is_unknown = false,
                std::string keys = {});
  static bool proves(Level level);
  /// From now on; it does not shrink.
  void raise_clock_error(std::int64_t clock_error_ns) {
    clock_error_ns_ = std::max(clock_error_ns_, clock_error_ns);
  }
  std::int64_t clock_error_ns() const { return clock_error_ns_; }

  /// What a place in the middle of a history begins with.
  struct Start {
    /// What they hold, as initial contents; of a list its length, and the upper and lower half
    /// of its chain.
    const History& registers;
    /// Lists that were read begin behind what the registers hold.
    const History& open;  ///< have come and have no place; labels are numbers, from 1
    std::uint64_t came = 0;
    std::int64_t latest_start = kNoTime;  ///< of those that have a place
  };
  /// Goes on from there, whatever came before. REQUIRES: nothing has come; the
  /// level is strict serializability.
  std::string begin(const Start& start);
  /// Whether this stands at that place: with the same registers and the same open transactions.
  bool is_at(const Start& start) const;

  /// The transactions that come next. The first part tells initial contents.
  std::string take(History part);
  /// The next ones of the order. REQUIRES: nothing. All must have come.
  std::string place(std::span<const std::uint64_t> numbers);
  /// Nothing more comes: every transaction that committed must have a place.
  std::string finish() const;

  std::uint64_t came() const { return came_; }
  std::uint64_t placed() const { return placed_; }
  std::uint64_t committed() const { return committed_; }
  /// A checksum of what the registers hold, as the format's page says.
  std::uint64_t state() const { return state_; }

 private:
  /// What a register holds.
  struct Held {
    Value::Kind kind = Value::Kind::kNull;
    std::int64_t integer = 0;
    std::string text;

    friend bool operator==(const Held&, const Held&) = default;
  };
  /// A list, or how one begins.
  struct List {
    std::uint64_t length = 0;
    std::uint64_t chain = 0;  ///< of the hashes of its elements, as the format's page says

    friend bool operator==(const List&, const List&) = default;
  };
  enum class Use : std::uint8_t { kNone, kRegister, kList };
  struct Register {
    std::string name;  ///< as in the checksum
    Held held;
    List list;                    ///< in its place, where the key is one
    std::uint64_t version = 0;    ///< counts the transactions that wrote it
    std::uint64_t writer = 0;     ///< whose write is the one below; 1 + its number
    std::uint32_t own_write = 0;  ///< in Running::writes
    bool is_known = false;        ///< what it holds, perhaps nothing; or what a list began with
    bool is_changed = false;
    Use use = Use::kNone;
    std::uint64_t sum = 0;  ///< its share of the checksum
  };
  struct Part {
    History history;
    std::uint64_t first = 0;
    std::vector<std::uint32_t> registers;  ///< by its keys
    std::vector<bool> may_come;            ///< by transaction: it can have a place and has none
    std::size_t left = 0;                  ///< how many may come
    std::vector<List> bases;               ///< by its keys, what its lists begin behind; none
    std::vector<std::uint32_t> sessions;   ///< by its sessions, where their order counts
  };
  static constexpr std::uint32_t kNoSession = ~std::uint32_t{0};
  struct Step {
    std::uint32_t at = 0;
    OpKind kind = OpKind::kRead;
    Held value;
    List list = {};                   ///< that was read
    std::vector<Held> elements = {};  ///< of it, where it is not known what it began with
  };
  /// Of a part of which nearly all have a place: what may still come.
  struct Late {
    TxnTimes times;
    TxnStatus status = TxnStatus::kCommitted;
    std::vector<Step> steps;
    std::uint32_t session = kNoSession;
  };
  /// What has a place of a session.
  struct Session {
    std::uint64_t next = 0;   ///< the least number that may come
    bool is_running = false;  ///< one has begun and not committed
  };

  struct Write {
    std::uint32_t at = 0;
    Held value;
    std::uint64_t replaced = 0;       ///< the version that was there when it began
    std::vector<Held> elements = {};  ///< that it appended
    List list = {};                   ///< what it sees of it since then
  };
  /// It has read and not yet written.
  struct Running {
    std::uint64_t number = 0;
    TxnTimes times;
    TxnStatus status = TxnStatus::kCommitted;
    std::vector<Write> writes;  ///< one for each register
    std::uint32_t session = kNoSession;
  };

  /// In place of a register: the key is not checked.
  static constexpr std::uint32_t kLeftOut = ~std::uint32_t{0};

  bool counts(const History& history, KeyId key) const;
  Late late_of(const Part& part, std::size_t i) const;
  Step step_of(const Part& part, const Op& op) const;
  static List extended(List list, const Held& element);
  static List list_of(List list, const History& history, std::span<const Value> elements);
  static List list_told(std::span<const Value> numbers);
  std::uint64_t sum_of(std::uint64_t number, const Late& late) const;
  std::uint64_t sum_of_open() const;
  static Held content(const History& history, Value value);
  std::uint32_t register_of(const History& history, Value name);
  void set(std::uint32_t at, Held held, List list);
  std::string run(std::uint64_t number);
  std::string run_late(std::uint64_t number);
  std::string begin(std::uint64_t number, TxnTimes times, TxnStatus status,
                    std::uint32_t session);
  static std::uint32_t session_of(const Part& part, TxnId txn);
  std::string step(const Step& step);
  Write& own_write(std::uint32_t at);
  std::string step_on_list(const Step& step);
  bool begins_list(const Step& step, List there, std::size_t own_count);
  std::string end_step();
  std::string commit(const Running& running);
  std::string check_time(const Running& running) const;
  void update_state();
  void empty_old_parts();

  bool has_snapshots_;
  bool keeps_real_time_;  // else the order of sessions
  bool forbids_concurrent_writers_;
  std::int64_t clock_error_ns_;
  bool initial_is_unknown_;
  std::string keys_;
  Running running_;                                   // the one whose operations come now
  std::unordered_map<std::uint64_t, Running> begun_;  // with snapshots, by number
  std::deque<Part> parts_;                            // in the order in which they came
  std::unordered_map<std::uint64_t, Late> late_;
  std::unordered_map<std::string, std::uint32_t> session_names_;
  std::vector<Session> sessions_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::unordered_map<std::int64_t, std::uint32_t> by_number_;
  std::vector<Register> registers_;
  std::vector<std::uint32_t> changed_;
  std::int64_t latest_start_ = kNoTime;  // of those that have begun
  std::uint64_t came_ = 0;
  std::uint64_t placed_ = 0;
  std::uint64_t committed_ = 0;
  std::uint64_t committed_placed_ = 0;
  std::uint64_t state_ = 0;
};

}  // namespace isolde::certify
