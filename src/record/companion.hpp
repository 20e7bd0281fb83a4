// What works beside a recorder on the text that it writes, and ends with it: in libisolde the
// groups that are made of the text (api/recording.cpp). The recorder's own library has none.
#pragma once

#include "isolde/recorder.hpp"

namespace isolde {

class Recorder::Companion {
 public:
  virtual ~Companion() = default;
  /// The text is complete. Called once, by one thread.
  virtual Status finish() = 0;
};

}  // namespace isolde
