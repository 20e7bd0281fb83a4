// RoundsReader: takes a source through rounds, to its end or until the verdict is found.
//
// Who watches a source and who checks a large file do the same with it; what they tell of it
// meanwhile, and what they keep, is theirs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/budget.hpp"
#include "isolde/status.hpp"
#include "stream/common_clock.hpp"
#include "stream/gatherer.hpp"
#include "stream/rounds.hpp"
#include "stream/source.hpp"

namespace isolde::stream {

class RoundsReader {
 public:
  /// Is told what comes, before its round. May be empty.
  std::function<void(const Part& part)> on_part;
  /// A round was made, of which rounds tell the verdict. An error ends the reading. May be
  /// empty.
  std::function<Status(const Gatherer& gatherer)> on_round;
  /// Nothing more comes, and the last round is yet to be made. An error ends the reading. May
  /// be empty.
  std::function<Status(const Gatherer& gatherer)> on_end;

  /// That of the source: rounds count real time only for gaps that its clocks tell. Null: as
  /// their options say.
  const CommonClock* clock = nullptr;

  /// Of an earlier process, whose checkpoint this one goes on from.
  void begin_behind(std::uint64_t committed) { committed_ = committed; }
  /// What came before is read again by that, where a violation is looked for.
  void let_reread(Rounds& rounds, Reread again);

  /// To the end of the source, or until rounds.verdict() is not kHolds. Where the source is cut
  /// off the last round is not made. ERRORS: as Gatherer::next(), on_round and on_end.
  Status read(Source& source, Rounds& rounds, const GathererOptions& options,
              base::Budget& budget);
  /// It was not read to its end, for that reason.
  void stop(std::string reason) { stopped_ = std::move(reason); }

  /// The level is about real time, of which the clocks tell nothing that is certain; this is
  /// why_unknown().
  bool lacks_clock() const { return lacks_clock_; }
  /// Transactions that have committed.
  std::uint64_t committed() const { return committed_; }
  /// A checksum of what was read; 0 unless the source has come to an end.
  std::uint64_t contents() const { return contents_; }
  /// Why the level is unknown, a clause; empty: rounds tell the verdict.
  std::string why_unknown(const Rounds& rounds) const;

 private:
  bool heed_clock(Rounds& rounds);

  std::uint64_t committed_ = 0;
  std::uint64_t contents_ = 0;
  std::string stopped_;
  bool lacks_clock_ = false;
  std::string not_reread_;  // why what came before could not be read again
};

}  // namespace isolde::stream
