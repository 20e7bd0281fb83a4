// FileSource: the groups of one file, or of a pipe.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "io/group_reader.hpp"
#include "stream/source.hpp"

namespace isolde::stream {

class FileSource : public Source {
 public:
  /// Otherwise, as of what again() gives, it has just so many groups.
  static constexpr std::uint32_t kAll = std::numeric_limits<std::uint32_t>::max();
  /// ERRORS: kEnvironment with path and reason.
  static Result<std::unique_ptr<FileSource>> open(const std::string& path,
                                                  const SourceOptions& options,
                                                  std::uint32_t most_groups = kAll);
  FileSource(io::GroupReader reader, bool follows, std::uint32_t most_groups = kAll)
      : reader_(std::move(reader)), follows_(follows), most_groups_(most_groups) {}

  Result<Next> next(base::Budget& budget) override;
  bool can_begin_anew() const override { return reader_.can_begin_anew(); }
  Result<std::unique_ptr<Source>> again() const override;
  Position position() const override { return {{file_position()}}; }
  Status resume(const Position& position, base::Budget& budget) override;
  std::string cut_off() const override;

  FilePosition file_position() const;

 private:
  bool has_dead_recorder() const;

  io::GroupReader reader_;
  bool follows_;
  std::uint32_t most_groups_;
  bool is_over_ = false;
  bool is_left_alone_ = false;  // nobody writes to it any more
};

}  // namespace isolde::stream
