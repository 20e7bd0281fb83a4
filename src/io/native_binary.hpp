// Layout of the native binary format; docs/formats/native-binary.md is the specification.
//
//   header | section table | section | section | ...
//
// This is a group; a file is one or several, each of the transactions that come next.
//
// All numbers are little-endian. Each section is one column: an array of equal elements, stored
// raw or as one zstd frame, at an offset that is a multiple of eight, so that a raw column can
// be used where it lies in a mapped file.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "isolde/history.hpp"

namespace isolde::io::binary {

static_assert(std::endian::native == std::endian::little,
              "columns are copied as they are; a big-endian machine needs swaps here");

inline constexpr std::string_view kMagic = "ISOLDEB1";
inline constexpr std::uint32_t kVersion = 1;
/// Of histories in which rows have columns, operations have versions or rows are deleted, or
/// may have been where records are missing.
inline constexpr std::uint32_t kVersionOfDeletes = 2;
/// A condition with tests of the key or of columns.
inline constexpr std::uint64_t kPredicateHasTests = 4;
/// No zstd section may unpack to more than this many times its stored size, so that memory
/// stays proportional to the file whatever it claims. Columns that pack better are stored raw.
inline constexpr std::uint64_t kRatioMax = 1024;

struct Header {
  std::array<char, 8> magic{};
  std::uint64_t hash = 0;  ///< XXH3 of all that follows, to the end of the section table
  std::uint32_t version = kVersion;
  std::uint32_t flags = 0;
  std::uint32_t section_count = 0;
  std::uint32_t group = 0;        ///< its number in the file
  std::uint64_t group_bytes = 0;  ///< from this header to the next one, or to the end
};
static_assert(sizeof(Header) == 40 && std::is_trivially_copyable_v<Header>);
inline constexpr std::size_t kHashedFrom = 16;
inline constexpr std::uint32_t kFlagTruncated = 1;
inline constexpr std::uint32_t kFlagTimesAreOrder = 2;
inline constexpr std::uint32_t kFlagVersionsAreOrdered = 4;
/// Of the first group: the last one of the complete file has kFlagLast.
inline constexpr std::uint32_t kFlagEnds = 8;
inline constexpr std::uint32_t kFlagLast = 16;

enum class Encoding : std::uint32_t { kRaw = 0, kZstd = 1 };

struct Section {
  std::uint32_t column = 0;
  Encoding encoding = Encoding::kRaw;
  std::uint64_t offset = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t raw_bytes = 0;
  std::uint64_t hash = 0;  ///< XXH3 of the stored bytes
};
static_assert(sizeof(Section) == 40 && std::is_trivially_copyable_v<Section>);

enum class Column : std::uint32_t {
  kSessionEnds = 1,  ///< end of each name in kSessionChars
  kSessionChars,
  kStringKinds,  ///< Value::Kind: 2 a string, 3 a literal
  kStringEnds,
  kStringChars,
  kKeys,  ///< value
  kTxnSessions,
  kTxnStatuses,
  kTxnStarts,  ///< difference to the start before; absent without times
  kTxnEnds,    ///< difference to the transaction's start
  kTxnLabels,  ///< value; absent without labels
  kTxnOpCounts,
  kOpKinds,
  kOpKeys,      ///< index into kKeys
  kOpValues,    ///< value; 0 for list reads and unknown reads
  kListCounts,  ///< one for each list read
  kListValues,  ///< value
  kNoteEnds,
  kNoteChars,
  kTxnDatabaseStarts,   ///< as kTxnStarts; absent without times of the database
  kTxnDatabaseCommits,  ///< as kTxnEnds
  kTxnLevels,           ///< 0 none, else a name below; absent without stated levels
  kLevelEnds,           ///< end of each level's name in kLevelChars
  kLevelChars,
  kPredicateBounds,  ///< of each condition: flags (1: of keys, 2: of values, 4: tests), then
                     ///< both bounds of keys and of values, 0 where there are none
  kPredicateEquals,  ///< value, null for none
  kTxnServers,       ///< value: null or a string; absent when no server is told
  kClockOrigin,      ///< nanoseconds since 1970, signed; absent when not recorded
  kSettingEnds,      ///< of database and isolation in kSettingChars; absent when not told
  kSettingChars,
  kEventParts,   ///< RecordedEvent::Part; these five are absent without events
  kEventTimes,   ///< signed
  kEventKinds,   ///< value: a string
  kEventTexts,   ///< value: null or a string
  kEventNames,   ///< value: a string, null for moments
  kPromiseEnds,  ///< of product, promised level, why there is none and perhaps whose it is, in
                 ///< kPromiseChars; absent when none of them is told
  kPromiseChars,
  kTestEnds,  ///< of each condition, in kTestChars: its tests of the key and of columns as
              ///< JSON, or nothing; absent when no condition has any
  kTestChars,
  kNotationEnds,  ///< of tables and values in kNotationChars; absent when neither is told
  kNotationChars,
  kOpVersions,   ///< value: of each operation, null where it has none; absent without versions
  kInitialKeys,  ///< index into kKeys; these four are absent without initial contents
  kInitialValues,     ///< value, null for a list
  kInitialCounts,     ///< of elements, 0 for a register
  kInitialElements,   ///< value
  kAggregateColumns,  ///< value: of each operation that is an aggregate; absent without any
  kAggregateResults,  ///< signed; 0 for null
  kIncrementSums,     ///< value: of each increment, null where unknown; absent without any
  kOpLocks,           ///< LockMode of each operation; absent when none has locked
  kOpenSince,       ///< signed: no transaction of a later group started before; absent: unknown
  kClockHost,       ///< characters of HistoryOrigin::clock_host; absent: unknown
  kClockMonotonic,  ///< HistoryOrigin::clock_monotonic_ns; absent: unknown
  kClockError,      ///< HistoryOrigin::clock_error_ns of the groups so far; absent: unknown
};
inline constexpr std::size_t kColumnCount = 54;

/// Kinds of operations are those of OpKind, and in place of the operations of a selection this
/// one: its key is the number of rows it returned, which follow as reads, and its value the row
/// of its condition in the columns of conditions, as an integer. A write of null is a deletion.
inline constexpr std::uint8_t kSelection = static_cast<std::uint8_t>(OpKind::kReadAbsent);
/// An aggregate in place of such operations: its key is its kind, and kNullResult where it
/// returned null, its value as of a selection.
inline constexpr std::uint8_t kAggregate = 7;
inline constexpr std::uint32_t kNullResult = 8;
/// An increment in place of its two operations; its value is what is added.
inline constexpr std::uint8_t kIncrement = 8;
/// An insert that was refused; it has no value.
inline constexpr std::uint8_t kRefusedInsert = 9;
inline constexpr std::size_t kBoundsWords = 5;
/// The longest name of a clock, in bytes.
inline constexpr std::size_t kMostOfHost = 256;

/// Element widths in bytes, by column number; column 0 does not exist.
inline constexpr std::array<std::uint8_t, kColumnCount + 1> kWidths = {
    0, 8, 1, 1, 8, 1, 8, 4, 1, 8, 8, 8, 4, 1, 4, 8, 4, 8, 8, 1, 8, 8, 1, 8, 1, 8, 8, 8,
    8, 8, 1, 1, 8, 8, 8, 8, 8, 1, 8, 1, 8, 1, 8, 4, 8, 4, 8, 8, 8, 8, 1, 8, 1, 8, 8};

inline constexpr std::uint64_t aligned(std::uint64_t offset) {
  return (offset + 7) & ~std::uint64_t{7};
}

}  // namespace isolde::io::binary
