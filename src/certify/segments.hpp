// The order of rounds as a file: a header, and a line for each segment. The page is
// docs/formats/segments.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/level.hpp"
#include "isolde/status.hpp"

namespace isolde::certify {

/// How every file of segments begins.
inline constexpr std::string_view kSegmentsBegin = R"({"isolde-segments":)";

struct SegmentsHeader {
  Level level = Level::kStrictSerializable;
  std::int64_t clock_error_ns = 0;
  /// Keys held at the start what their first reads say.
  bool initial_is_unknown = false;
  /// Of keys that are like this pattern alone; empty: of all.
  std::string keys = {};
};

/// A line: what one round settled, or a part of that.
struct Segment {
  /// Transactions by their places in what came, from 0.
  std::vector<std::uint64_t> order;
  /// A checksum of what the registers hold behind it; not told where the round goes on.
  std::optional<std::uint64_t> state;
  /// From here on real time counts only for gaps larger than this; 0: as before.
  std::int64_t clock_error_ns = 0;
  /// Of the last line: all of the history that came.
  struct End {
    std::uint64_t transactions = 0;
    std::uint64_t contents = 0;  ///< a checksum of the source
  };
  std::optional<End> end;
};

/// Makes the lines of a file, each with a checksum of all up to it.
class SegmentsText {
 public:
  /// What the next line needs to know of those before.
  struct Place {
    std::uint64_t segments = 0;
    std::uint64_t chain = 0;
  };

  /// The first line.
  std::string header(const SegmentsHeader& header);
  /// The next lines: what a round settled. `clock_error_ns`: where it is not the header's.
  std::string settled(std::span<const std::uint64_t> order, std::uint64_t state,
                      std::optional<std::int64_t> clock_error_ns = {});
  /// The last line.
  std::string end(const Segment::End& end);

  Place place() const { return place_; }
  /// How the line in front of that place ends.
  static std::string end_before(const Place& place);
  /// The next line is one behind that place.
  void go_on(const Place& place) { place_ = place; }

 private:
  std::string sealed(std::string line);
  Place place_;
};

/// Reads a file of segments line by line. Memory: that of a line.
class SegmentsReader {
 public:
  /// The header. ERRORS: kEnvironment; kBadInput with the line.
  static Result<SegmentsReader> open(const std::string& path);
  SegmentsReader(SegmentsReader&&) noexcept;
  SegmentsReader& operator=(SegmentsReader&&) noexcept;
  ~SegmentsReader();

  const SegmentsHeader& header() const { return header_; }
  /// The next one; nothing at the end of the file. A last line that is there in part is left
  /// out: its writer was stopped. ERRORS: kBadInput with the line; kEnvironment.
  Result<std::optional<Segment>> next();
  /// What was left out at the end.
  bool is_cut_off() const { return is_cut_off_; }

 private:
  struct State;
  explicit SegmentsReader(std::unique_ptr<State> state);
  Result<std::optional<std::string>> line();

  std::unique_ptr<State> state_;
  SegmentsHeader header_;
  bool is_cut_off_ = false;
};

}  // namespace isolde::certify
