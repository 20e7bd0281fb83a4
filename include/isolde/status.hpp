// Result<T>: the channel for bad input and environment errors. Verdicts travel in CheckReport,
// and bugs stop the program through ISOLDE_CHECK (src/base/assert.hpp); the three never share a
// channel.
//
// All are values that own what they hold. Threads: several may read one object. COST: that of
// the value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace isolde {

enum class ErrorCode : std::uint8_t {
  kUsage,     ///< the caller asked for something that does not exist or does not fit together
  kBadInput,  ///< a file does not follow its format
  kEnvironment,  ///< the machine refused: missing file, no permission, disk full
  kLimit,        ///< a limit of time or memory was reached before the work was done
  kInternal,     ///< a bug in Isolde
};

/// One problem, described so that the reader can act on it without reading our code.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  /// One line: where (file:line or file@byte), what was found, what was expected, what to do.
  std::string message;
};

/// What the caller asked for does not exist or does not fit together.
inline Error usage_error(std::string message) {
  return {ErrorCode::kUsage, std::move(message)};
}

/// A value or an Error. Check before use.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// REQUIRES: ok().
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }

  /// REQUIRES: !ok().
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// For functions that return nothing on success.
struct Unit {};
using Status = Result<Unit>;

inline Status ok_status() { return Unit{}; }

}  // namespace isolde
