// Names of a history as what drivers take: keys and values as integers, sessions as letters.
//
// Integers stay. Other names (strings, fractions, numbers beyond 64 bits) get the smallest
// integers from 0 (keys) or 1 (values) that the history does not use itself and that none of
// its conditions asks for, in the order in which its operations mention them. So different ones
// stay different, conditions select what they did, and what the database returns can be told in
// the history's own words.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/driver.hpp"
#include "isolde/history.hpp"
#include "isolde/recorder.hpp"

namespace isolde::replay {

/// Keeps a reference to the history.
class Numbering {
 public:
  enum class Sessions : std::uint8_t {
    kLetters,  ///< A, B, C, ...
    kNames,    ///< as the history calls them
  };
  explicit Numbering(const History& history, Sessions sessions = Sessions::kLetters);

  const History& history() const { return history_; }
  /// Keys that operations use, in the order of their numbers.
  const std::vector<db::Key>& registers() const { return registers_; }
  const std::vector<db::Key>& lists() const { return lists_; }
  db::Key key(KeyId key) const { return keys_[key.raw()]; }
  /// REQUIRES: the value is not null and some operation of the history has it.
  std::int64_t value(Value value) const;
  /// As the database is asked. REQUIRES: no tests, and `equal` is null or an integer.
  static db::Condition condition(const PredicateView& predicate);
  /// The key of that number, among those that operations use.
  std::optional<KeyId> key_of(db::Key number) const;

  /// A, B, ..., Z, AA, ...
  static std::string session_letter(std::size_t session);
  /// What the session is called: for recorders, byte by byte.
  std::string recorded_session(std::size_t session) const;
  /// The same for people.
  std::string session(TxnId txn) const;

  /// A key for the recorder: its name, or its number where the recorder has no such names.
  RecordedValue recorded_key(KeyId key) const;
  /// The same of a number; one that stands for no name is itself.
  RecordedValue recorded_key(db::Key key) const;
  /// A value that the database returned, or that is written, likewise. A number that stands for
  /// nothing in the history is itself.
  RecordedValue recorded_value(std::int64_t number) const;
  /// The same for people, on one line.
  std::string text(std::int64_t number) const;
  /// The same as reports tell a value of the key: "balance 97 (#240)"; nothing: the initial
  /// one. Where the history has no notation for it, as text().
  std::string told(KeyId key, std::optional<std::int64_t> number) const;
  std::string key_text(KeyId key) const;
  std::string session_name(std::size_t session) const;

  /// Numbers that stand for names, and the names.
  std::vector<std::pair<std::int64_t, std::string>> key_table() const;
  std::vector<std::pair<std::int64_t, std::string>> value_table() const;

 private:
  void number_keys();
  void number_values();

  const History& history_;
  const Sessions sessions_;
  std::vector<db::Key> keys_;  // by KeyId
  std::map<db::Key, KeyId> key_of_;
  std::vector<db::Key> registers_;
  std::vector<db::Key> lists_;
  std::map<std::uint64_t, std::int64_t> values_;  // by Value::bits(); no integers
  std::map<std::int64_t, Value> names_;           // the other way round
};

}  // namespace isolde::replay
