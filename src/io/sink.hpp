// Where writers put bytes: a string in tests, a file in life.
#pragma once

#include <string>
#include <string_view>

#include "isolde/status.hpp"

namespace isolde::io {

/// Takes bytes in order. Writers hand over pieces of some hundred kilobytes, so that a virtual
/// call for each costs nothing.
class Sink {
 public:
  virtual ~Sink() = default;
  /// ERRORS: kEnvironment when the bytes cannot be stored.
  virtual Status write(std::string_view bytes) = 0;
};

class StringSink final : public Sink {
 public:
  Status write(std::string_view bytes) override {
    text_ += bytes;
    return ok_status();
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace isolde::io
