#include "stream/rounds_reader.hpp"

#include <optional>
#include <utility>

#include "history/certificate.hpp"

namespace isolde::stream {

void RoundsReader::let_reread(Rounds& rounds, Reread again) {
  rounds.reread = [this, again = std::move(again)](const Visit& visit) {
    const Status read = again(visit);
    if (!read) not_reread_ = read.error().message;
    return read;
  };
}

/// Before what was read is taken. False: nothing can be said of it.
bool RoundsReader::heed_clock(Rounds& rounds) {
  if (clock == nullptr) return true;
  if (const std::optional<std::int64_t> error = clock->error_ns()) {
    rounds.raise_clock_error(*error);
    return true;
  }
  if (!info(rounds.level()).real_time) {
    // Which time tells nothing of: whatever is settled by it, is so when clocks are a day off.
    rounds.raise_clock_error(kMaxClockErrorNs);
    return true;
  }
  stopped_ = clock->why_unknown();
  lacks_clock_ = true;
  return false;
}

Status RoundsReader::read(Source& source, Rounds& rounds, const GathererOptions& options,
                          base::Budget& budget) {
  Gatherer gatherer(source, options);
  while (true) {
    Result<std::optional<Part>> part = gatherer.next(rounds.open_count(), budget);
    if (!part) return part.error();
    if (!*part) break;
    if (!heed_clock(rounds)) return ok_status();
    const History& history = (*part)->history;
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      committed_ += history.status(TxnId::at(t)) == TxnStatus::kCommitted ? 1 : 0;
    }
    if (on_part) on_part(**part);
    not_reread_.clear();
    rounds.take(std::move((*part)->history), (*part)->open_since);
    if (on_round) {
      if (const Status heeded = on_round(gatherer); !heeded) return heeded;
    }
    if (rounds.verdict() != Verdict::kHolds) return ok_status();
  }
  contents_ = source.position().contents();
  stopped_ = source.cut_off();
  if (!stopped_.empty()) return ok_status();
  if (on_end) {
    if (const Status heeded = on_end(gatherer); !heeded) return heeded;
  }
  rounds.finish();
  return ok_status();
}

std::string RoundsReader::why_unknown(const Rounds& rounds) const {
  if (rounds.reason().empty()) return stopped_;
  if (not_reread_.empty()) return rounds.reason();
  return rounds.reason() +
         "; what is wrong was not found, for what came before is missing: " + not_reread_;
}

}  // namespace isolde::stream
