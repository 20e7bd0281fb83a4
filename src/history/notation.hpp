// Notation as the header of a recording has it: two strings, since recorders in any language
// can write them.
//
//   "tables": "item orders"
//   "values": "account/* balance@0+20 initial=100 keys=10 total=1000; * group@41+20"
//
// Also what a value says by it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::history {

/// Nothing where the text is not of that form.
std::optional<std::vector<std::string>> parse_tables(std::string_view text);
std::optional<std::vector<ValueNotation>> parse_values(std::string_view text);

/// What the parsers take for the same again; empty for none.
std::string tables_text(std::span<const std::string> tables);
std::string values_text(std::span<const ValueNotation> values);

/// What the values of the register hold; null where nothing is known.
const ValueNotation* notation_of(const History& history, KeyId key);

/// What the first field of the value says; nothing where it has none.
std::optional<std::int64_t> amount(const ValueNotation& notation, Value value);

/// "balance 70 (#3)": the fields, and in brackets what is left of the value, its number.
/// REQUIRES: number >= 0.
std::string fields_text(const ValueNotation& notation, std::int64_t number);

/// "group 3", where the notation of all values has the bounds as a condition on fields.
std::string fields_text(const History& history, const Predicate::Bounds& values);

/// "orders/5 to orders/9", "orders" for all rows of the table; empty where these are not keys
/// of one table.
std::string rows_name(const History& history, const Predicate::Bounds& keys);

/// "orders/5" for the key of a row of a table; empty for any other.
std::string row_name(const History& history, Value key);

}  // namespace isolde::history
