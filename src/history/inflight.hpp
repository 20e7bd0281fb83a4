// How a recorder keeps what its sessions are doing at this moment, so that it survives the
// recorder's death: the folder FILE.inflight beside the history FILE. Written by src/record/,
// read by src/io/; docs/formats/native.md describes it for people.
//
// FILE.inflight/0 is the ledger, one for the whole folder. FILE.inflight/1, /2, ... are slots:
// each belongs to one session at a time and holds the line of its transaction as far as it has
// come. All are mapped into the recorder's memory, so that a store is on record as soon as the
// processor has done it: when the process dies, the kernel still has the page. When the machine
// dies, the page is lost; the boot id detects that.
//
// Order of stores in a slot: `position` and the text first, then `length`, which makes them
// count. Text beyond `length` means nothing. A length of 0: no transaction is under way.
//
// While the recorder is at work, `open` tells others since when a transaction is under way
// (io/inflight_watch.hpp). It is stored before the start is taken from the clock, and cleared
// when the line is in the history. So whoever takes the time first, then looks at all slots and
// finds no earlier start, knows: what is not in the history then has not started before.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace isolde::inflight {

static_assert(std::endian::native == std::endian::little, "files are mapped as they are");

inline constexpr std::string_view kSuffix = ".inflight";
inline constexpr std::string_view kLedgerMagic = "IsoldeL1";
inline constexpr std::string_view kSlotMagic = "IsoldeS1";

/// Random number that Linux draws at each boot, as text.
inline constexpr const char* kBootIdPath = "/proc/sys/kernel/random/boot_id";
inline constexpr std::size_t kBootIdSize = 36;

struct Ledger {
  std::array<char, 8> magic;
  std::uint64_t slots;    ///< files 1 to this exist; any further ones hold nothing
  std::uint64_t stopped;  ///< not 0: recording stopped at an error, so that more is missing
  std::array<char, kBootIdSize> boot_id;  ///< zeros: not known
  std::array<char, 4> unused;
};
static_assert(sizeof(Ledger) == 64);

/// Behind the ledger in its file: how others can tell the time of the history.
struct LedgerClock {
  std::uint64_t is_told;
  std::int64_t origin;  ///< of the machine's monotonic clock, in nanoseconds: time 0
};
static_assert(sizeof(LedgerClock) == 16);

struct SlotHeader {
  std::array<char, 8> magic;
  std::uint64_t position;  ///< of the transaction in its session, from 0
  std::uint64_t length;    ///< bytes of text after this header that count
  std::uint64_t open;      ///< kNotOpen, kOpening, or kOpened + the start of the transaction
  std::array<char, 32> unused;
};
inline constexpr std::uint64_t kNotOpen = 0;
inline constexpr std::uint64_t kOpening = 1;  ///< one begins, and its start is being taken
inline constexpr std::uint64_t kOpened = 2;
static_assert(sizeof(SlotHeader) == 64);

}  // namespace isolde::inflight
