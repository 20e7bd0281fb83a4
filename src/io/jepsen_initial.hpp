// The initial values of a log's registers, which are not in it. They are nil, unless the log
// itself shows another one: no operation shows nil, and the first that show anything show a
// value that nobody had begun to write, be it in vain, while no write had ended yet. That value
// is the initial one then. A compare-and-set that failed is no such write: most fail because
// they find another value, so that only the initial one explains who reads theirs. Where nil is
// neither shown nor expected and nothing shows another value either, the initial one is what a
// compare-and-set of unknown outcome expects and nobody wrote: no other lets it happen, and to
// all others it makes no difference. Where nobody writes the value, and no compare-and-set may
// have found nil, it is just called initial; else a transaction in front writes it, so that
// reads may have it from either.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "base/hash.hpp"
#include "io/jepsen_ops.hpp"

namespace isolde::io {

class InitialValues {
 public:
  explicit InitialValues(HistoryBuilder& builder) : builder_(builder) {}

  // What operations do, in the order of their invocations. REQUIRES: log.has_invocations().
  void see_write(KeyId key, Value value, const JepsenOperation& operation);
  /// What a compare-and-set that failed would have written.
  void see_failed_change(KeyId key, Value value);
  /// With `shown` it is known to have seen the value; else only if it happened.
  void see_read(KeyId key, Value value, bool shown, const JepsenOperation& operation);

  /// When all have been seen: finds the values, and writes those of which this has to be told
  /// from a value of the log. ERRORS: kBadInput for times that leave no room in front; kLimit.
  Status find(const JepsenLog& log, base::Budget& budget);

  /// What a read that showed the value has read.
  Value read_value(KeyId key, Value value) const;
  void add_note() const;

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  struct Version {
    std::uint32_t key = 0;
    std::uint64_t value = 0;
    friend bool operator==(const Version&, const Version&) = default;
  };
  struct VersionHash {
    std::size_t operator()(const Version& version) const {
      return base::mix2(version.key, version.value);
    }
  };
  /// What the log says about a key.
  struct Beginning {
    std::int64_t first_write_end = kNever;
    bool shows_nil = false;
    bool may_show_nil = false;  // a compare-and-set expects it
  };
  /// A read that no write can be known to come before.
  struct Candidate {
    KeyId key;
    Value value;
    std::int64_t end = 0;
  };
  struct Initial {
    Value value;
    bool is_written = false;  // by a transaction in front
  };

  void take(const Candidate& candidate);
  Status write_in_front(const JepsenLog& log);

  HistoryBuilder& builder_;
  /// When the first write of the value had begun; never, of one that only failed
  /// compare-and-sets would have written.
  std::unordered_map<Version, std::int64_t, VersionHash> begun_;
  std::unordered_map<std::uint32_t, Beginning> beginnings_;  // by key
  std::vector<Candidate> candidates_;
  std::vector<Candidate> expected_;  // by compare-and-sets of unknown outcome
  std::unordered_map<std::uint32_t, Initial> initial_;  // by key
  std::vector<KeyId> order_;  // of those that a transaction in front writes
};

}  // namespace isolde::io
