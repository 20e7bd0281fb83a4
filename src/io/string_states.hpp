// A register that holds a string, put as a whole or appended to, and what it held before and
// after each append: read off the strings that were seen. A string that was seen is one that
// was put, or the empty one, with values appended behind it, each append once; where it can be
// taken apart in one way only, it tells for each value what stood in front of it. A value that
// several operations append stands behind as many strings; which of them is whose follows from
// times, or is not known.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace isolde::base {
class Budget;
}

namespace isolde::io {

/// Use: put() and append() for all operations, then see() for all strings by the end of the
/// operations that returned them, then resolve(), then effect(). REQUIRES of all: texts outlive
/// this.
class StringStates {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  /// An operation took effect between these, or never if `end` is kNever.
  struct Time {
    std::int64_t start = 0;
    std::int64_t end = kNever;
  };
  /// An append as the caller numbers it.
  using Append = std::size_t;

  /// Of an operation that may have happened. REQUIRES: not empty.
  void put(std::string_view value, Time time);
  void append(std::string_view value, Append append, Time time);
  /// Of one that failed: if nobody else appends its value, it is to blame where it shows.
  void failed_append(std::string_view value, Append append);
  void failed_put(std::string_view value);

  enum class Seen : std::uint8_t {
    kUnderstood,  ///< taken apart; or nothing makes such a string
    kAmbiguous,   ///< there are several ways to take it apart
    kStopped,     ///< the budget is used up
  };
  /// COST: linear in the string, times the number of different lengths of values.
  Seen see(std::string_view text, Time time, base::Budget& budget);

  /// Finds out what each append did. False when that is not certain, see unresolved().
  bool resolve();
  /// A value that several operations append, or one append and one put.
  std::string_view unresolved() const { return unresolved_; }

  struct Effect {
    std::string_view before;
    std::string_view after;
  };
  /// What the append found and left behind; none if nobody saw it. Where strings contradict
  /// each other, what some of them show is left behind by nothing.
  std::optional<Effect> effect(Append append) const;

  /// True for strings that were put or seen, and for what appends left behind.
  bool is_state(std::string_view text) const { return states_.contains(text); }

 private:
  struct Maker {
    Append append = 0;
    Time time;
  };
  /// A value behind a string.
  struct Occurrence {
    Effect effect;
    std::size_t base = 0;        // length of what was put, in front of all that was appended
    std::int64_t first_end = 0;  // of the operations that returned it
    bool optional = false;       // the value alone, which was put as well
  };
  struct Value {
    std::vector<Maker> makers;
    std::vector<Append> failed;
    std::vector<Occurrence> occurrences;
    std::uint64_t met = 0;  // the string it was met in last
    std::size_t times_met = 0;
  };
  /// A string that was returned.
  struct Returned {
    std::string_view text;
    std::size_t base = 0;
    std::int64_t last_start = 0;
  };
  /// A place in a string that can be reached from its beginning.
  struct Place {
    std::uint8_t ways = 0;  // 2: several
    std::size_t from = 0;   // where the last value begins; here, behind what was put
  };

  bool find_ways(std::string_view text, base::Budget& budget);
  void learn(std::string_view text, Time time);
  bool is_repeatable(const Occurrence& occurrence) const;
  bool starts_in_two_ways(std::string_view base) const {
    return !base.empty() && puts_.contains(base) && values_.contains(base);
  }
  bool may_have_made(const Maker& maker, const Occurrence& occurrence) const;
  bool may_be_unseen(const Maker& maker) const;
  bool resolve(Value& value);
  void assign(Value& value, const std::vector<std::size_t>& choice);

  std::unordered_map<std::string_view, std::vector<Time>> puts_;  // failed ones without times
  std::unordered_map<std::string_view, Value> values_;
  std::vector<std::size_t> put_lengths_;  // each once
  std::vector<std::size_t> value_lengths_;
  std::unordered_set<std::string_view> states_;
  std::unordered_map<std::string_view, std::size_t> returned_at_;
  std::vector<Returned> returned_;
  std::unordered_map<Append, Effect> effects_;
  std::vector<Place> places_;
  std::uint64_t strings_ = 0;
  std::int64_t first_write_end_ = kNever;
  std::string_view unresolved_;
};

}  // namespace isolde::io
