// Recorders that write groups (io/group_recording.hpp), for programs.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "io/group_recording.hpp"
#include "isolde/isolde.hpp"
#include "record/companion.hpp"

namespace isolde {
namespace {

/// So that isolde watch, which needs half a second, tells within one.
constexpr std::chrono::milliseconds kPeriod{250};

class Groups final : public Recorder::Companion {
 public:
  Groups(std::string text, io::GroupRecording groups)
      : text_(std::move(text)), groups_(std::move(groups)) {}

  /// Then the text has nothing that the groups do not have.
  Status finish() override {
    if (Status finished = groups_.finish(); !finished) return finished;
    std::error_code error;
    std::filesystem::remove(text_, error);
    if (!error) return ok_status();
    return Error{ErrorCode::kEnvironment, text_ + ": cannot be removed: " + error.message()};
  }

 private:
  const std::string text_;
  io::GroupRecording groups_;
};

}  // namespace

Result<std::unique_ptr<Recorder>> record_in_groups(const std::string& path,
                                                   const RecorderOptions& options) {
  if (!options.enabled) return Recorder::open(path, options);
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    return usage_error(path + ": exists; a history needs a new file, so choose another");
  }
  const std::string text = io::text_of_recording(path);
  Result<std::unique_ptr<Recorder>> recorder = Recorder::open(text, options);
  if (!recorder) return recorder.error();
  Result<io::GroupRecording> groups =
      io::GroupRecording::begin(path, {.period = kPeriod, .mode = options.mode});
  if (!groups) {
    static_cast<void>((*recorder)->close());
    std::filesystem::remove(text, ignored);
    return groups.error();
  }
  (*recorder)->accompany(std::make_unique<Groups>(text, std::move(*groups)));
  return recorder;
}

}  // namespace isolde
