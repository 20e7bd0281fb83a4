// Strong 32-bit ids. An Index<Tag> is a position in one particular array; ids with different
// tags never convert into each other or into integers by accident, and cost what a uint32_t
// costs (cf. or-tools' StrongInt, TigerBeetle's rule that index and count are different types).
// No call fails, and each takes constant time.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "isolde/language.hpp"

namespace isolde {

template <typename Tag>
class Index {
 public:
  using Rep = std::uint32_t;

  /// The invalid id.
  constexpr Index() = default;
  constexpr explicit Index(Rep raw) : raw_(raw) {}
  /// From an array position. REQUIRES: position < max_count(), which builders check once.
  static constexpr Index at(std::size_t position) { return Index(static_cast<Rep>(position)); }

  /// "No such thing"; the default value.
  static constexpr Index none() { return Index(); }
  /// Ids are below this bound; the last value means none().
  static constexpr std::size_t max_count() { return kNone; }

  constexpr bool is_none() const { return raw_ == kNone; }
  constexpr bool is_some() const { return raw_ != kNone; }
  constexpr Rep raw() const { return raw_; }

  friend constexpr bool operator==(Index, Index) = default;
  friend constexpr auto operator<=>(Index, Index) = default;

 private:
  static constexpr Rep kNone = std::numeric_limits<Rep>::max();
  Rep raw_ = kNone;
};

}  // namespace isolde

template <typename Tag>
struct std::hash<isolde::Index<Tag>> {
  std::size_t operator()(isolde::Index<Tag> id) const noexcept { return id.raw(); }
};
