// Gatherer: parts of a source, put together until a round is worth its while.
//
// A round takes as long as a check of what is open and what has come. Where parts are small, as
// those of a recorder that writes one every half second, most of that is for what is open; so
// parts are gathered until there are as many transactions as are open, and enough besides.
// Whoever follows a source does not wait for these long.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "base/budget.hpp"
#include "isolde/status.hpp"
#include "stream/gathered.hpp"
#include "stream/source.hpp"

namespace isolde::stream {

struct GathererOptions {
  /// So many transactions, or operations, are enough; in proportion more where more
  /// transactions than that are open.
  std::size_t txns = std::size_t{1} << 16;
  std::size_t ops = std::size_t{1} << 20;
  /// Where there is nothing now, it is waited for, and what was gathered is given after so
  /// long. Otherwise what is gathered depends on what the source holds alone.
  bool follows = false;
  std::chrono::milliseconds patience{500};
};

class Gatherer {
 public:
  /// `source` outlives this object.
  Gatherer(Source& source, const GathererOptions& options)
      : source_(source), options_(options) {}

  /// What comes next; nothing: no more comes. `open`: how many transactions are open. ERRORS:
  /// as Source::next() and Gathered::add(), once what came before was given; kLimit.
  Result<std::optional<Part>> next(std::size_t open, base::Budget& budget);

  /// Of the source, behind what next() gave. None where more was read already, of which rounds
  /// can make nothing.
  std::optional<Position> position() const;

 private:
  using Clock = std::chrono::steady_clock;

  bool is_enough(std::size_t open) const;
  Result<std::optional<Part>> give(std::int64_t open_since);

  Source& source_;
  GathererOptions options_;
  Gathered gathered_;
  std::optional<Error> problem_;  // once what was gathered before is given
  std::optional<Part> held_;      // not to be put together with what was gathered
};

}  // namespace isolde::stream
