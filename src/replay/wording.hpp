// Steps and what reads return, in words: the same ones in scripts and in transcripts.
#pragma once

#include <span>
#include <string>

#include "replay/interleaving.hpp"
#include "replay/numbering.hpp"
#include "replay/serial_run.hpp"

namespace isolde::replay {

/// How values are shown.
enum class Notation : std::uint8_t {
  kNames,  ///< as in the history: null, 5, foo, [1 2]
  kSql,    ///< as a shell prints the columns of the drivers' tables: NULL, 5, ",1,2"
  kTold,   ///< as reports tell them: "balance 97 (#240)" where the history has a notation
};

/// Keeps a reference to the numbering. Where the history has a notation for values, names and
/// SQL are followed by what they stand for: "251658337 = balance 97 (#240)".
class Wording {
 public:
  Wording(const Numbering& numbering, Notation notation)
      : numbering_(numbering), notation_(notation) {}

  /// "r(x)", "w(x, 5)", "append(l, 5)", "select(keys 1 to 9)", "begin", "commit", "rollback",
  /// "send commit"; always in names. `statements`: those of scripted steps.
  std::string step(const Step& step, std::span<const std::string> statements = {}) const;

  /// What the history has for a read: also "no answer" and "not 5".
  std::string recorded(TxnId txn, std::uint32_t op) const;
  std::string expected(const SerialRun& serial, TxnId txn, std::uint32_t op) const;
  /// Likewise for a selection: its rows, or what it computed.
  std::string recorded(TxnId txn, const Selection& selection) const;
  std::string expected(const SerialRun& serial, TxnId txn, const Selection& selection) const;

  /// What a database returned just now; nothing: never written.
  std::string number(KeyId key, std::optional<std::int64_t> value) const;
  std::string number(std::optional<std::int64_t> value) const;
  /// What was computed of rows is a number, whatever numbers stand for.
  std::string computed(std::optional<std::int64_t> result) const;
  std::string numbers(std::span<const std::int64_t> elements) const;
  /// "[1=10 2=20]"; in SQL, by numbers.
  std::string rows(std::span<const db::Row> rows) const;

 private:
  /// "1=10"; without a value, which is not known: "1".
  std::string row(db::Key key, std::optional<std::int64_t> value) const;
  std::string selection(const Step& step) const;
  /// Behind the text of a value, what it stands for.
  std::string explained(KeyId key, std::optional<std::int64_t> value, std::string text) const;
  std::string action(const Step& step, std::span<const std::string> statements) const;
  std::string value(KeyId key, Value value) const;
  std::string list(std::span<const Value> elements) const;

  const Numbering& numbering_;
  const Notation notation_;
};

/// "session A", "sessions A and B", "sessions A to D".
std::string sessions_text(std::size_t count);

}  // namespace isolde::replay
