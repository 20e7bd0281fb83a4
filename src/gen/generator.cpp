#include "gen/generator.hpp"

#include "base/assert.hpp"

namespace isolde::gen {
namespace {

constexpr unsigned kTableBits = 4;
constexpr unsigned kColumnBitsMax = 57;

}  // namespace

std::uint32_t draw(std::span<const Share> shares, base::Rng& rng) {
  std::uint64_t at = rng.below(100);
  for (const Share& share : shares) {
    if (at < share.percent) return share.type;
    at -= share.percent;
  }
  return shares.back().type;
}

std::optional<std::size_t> Draft::last_on(std::int64_t key) const {
  for (std::size_t i = results_.size(); i > 0; --i) {
    if (planned(i - 1).key == key) return i - 1;
  }
  return std::nullopt;
}

std::int64_t Draft::payload_of(std::int64_t key, std::int64_t initial) const {
  const std::optional<std::size_t> op = last_on(key);
  if (!op) return initial;
  const std::int64_t value = planned(*op).is_read() ? results_[*op].value : planned(*op).value;
  return value == 0 ? initial : payload(value);
}

bool Draft::wrote(std::int64_t key) const {
  const std::optional<std::size_t> op = last_on(key);
  return op && !planned(*op).is_read();
}

KeySpace::KeySpace(std::span<const Table> tables) : tables_(tables) {
  ISOLDE_CHECK(tables.size() <= std::size_t{1} << kTableBits);
  for (const Table& table : tables) {
    unsigned bits = 0;
    for (const std::uint8_t column : table.bits) bits += column;
    ISOLDE_CHECK(bits <= kColumnBitsMax);
  }
}

std::int64_t KeySpace::key(std::size_t table, std::int64_t a, std::int64_t b, std::int64_t c,
                           std::int64_t d) const {
  ISOLDE_ASSERT(table < tables_.size());
  const std::array<std::int64_t, 4> row = {a, b, c, d};
  std::int64_t key = 0;
  for (std::size_t column = 0; column < row.size(); ++column) {
    const unsigned bits = tables_[table].bits[column];
    ISOLDE_ASSERT(row[column] >= 0 && row[column] >> bits == 0);
    key = (key << bits) | row[column];
  }
  return (key << kTableBits) | static_cast<std::int64_t>(table);
}

std::string KeySpace::name(std::int64_t key) const {
  const Table& table = tables_[table_of(key)];
  std::int64_t rest = key >> kTableBits;
  std::string columns;
  for (std::size_t column = table.bits.size(); column > 0; --column) {
    const unsigned bits = table.bits[column - 1];
    if (bits == 0) continue;
    columns.insert(0, "/" + std::to_string(rest & ((std::int64_t{1} << bits) - 1)));
    rest >>= bits;
  }
  return std::string(table.name) + columns;
}

}  // namespace isolde::gen
