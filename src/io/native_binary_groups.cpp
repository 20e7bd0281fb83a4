// A whole history as groups of the native binary format, so that those who take it group by
// group (isolde watch, check --stream) can settle what came before and forget it. Each group
// says since when later ones are open, which here is known: the earliest start of those.
//
// What holds for the whole file, and all sessions, stand in the first group; keys stand where
// they are first used, or hold something at the start.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "history/copier.hpp"
#include "io/native.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

/// Transactions from the end of the group before on.
struct Cut {
  std::size_t end = 0;                ///< behind the last one
  std::int64_t open_since = kNoTime;  ///< the earliest start behind it, where all are known
};

std::vector<Cut> cuts(const History& history, const GroupLimits& limits) {
  std::vector<Cut> all;
  std::size_t txns = 0;
  std::size_t ops = 0;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const std::size_t more = history.ops(TxnId::at(t)).size();
    if (txns > 0 && (txns == limits.txns || ops + more > limits.ops)) {
      all.push_back({.end = t});
      txns = ops = 0;
    }
    ++txns;
    ops += more;
  }
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  std::size_t end = history.txn_count();
  for (auto cut = all.rbegin(); cut != all.rend(); ++cut) {
    // No time at all is the smallest one: from here back nothing is told.
    for (; end > cut->end; --end) {
      earliest = std::min(earliest, history.times(TxnId::at(end - 1)).start);
    }
    cut->open_since = earliest;
  }
  all.push_back({.end = history.txn_count()});
  return all;
}

/// Rounds take nothing else, and of rows and selections a part is not the same as in the whole.
bool can_be_parted(const History& history) {
  return history.has_times() && !history.has_selections() && !history.has_increments() &&
         !history.has_refused_inserts() && !history.has_rows() &&
         !history.origin().rows_are_deleted;
}

class Parts {
 public:
  explicit Parts(const History& history)
      : history_(history), keys_(history.key_count()), key_parts_(history.key_count()) {}

  /// The next transactions, up to `end`. ERRORS: as HistoryBuilder::finish().
  Result<History> next(std::size_t end) {
    HistoryBuilder into;
    into.origin().clock_error_ns = history_.origin().clock_error_ns;
    history::Copier copier(history_, into);
    if (++part_ == 1) add_what_holds_for_all(into, copier);
    for (; at_ < end; ++at_) {
      const TxnId txn = TxnId::at(at_);
      add_events(txn, copier);
      copier.begin_txn(txn);
      for (const Op& op : history_.ops(txn)) copier.op(op, key(op.key, copier));
    }
    if (end == history_.txn_count()) {
      for (; event_ < history_.events().size(); ++event_) {
        copier.event(history_.events()[event_]);
      }
    }
    return into.finish();
  }

 private:
  void add_what_holds_for_all(HistoryBuilder& into, history::Copier& copier) {
    into.origin() = history_.origin();
    for (std::size_t s = 0; s < history_.session_count(); ++s) {
      into.session(history_.session_name(SessionId::at(s)));
    }
    for (std::size_t k = 0; k < history_.key_count(); ++k) {
      const KeyId id = KeyId::at(k);
      if (history_.has_initial(id)) copier.initial(id, key(id, copier));
    }
  }

  /// The key of this part.
  KeyId key(KeyId key, history::Copier& copier) {
    std::uint32_t& part = key_parts_[key.raw()];
    if (part != part_) keys_[key.raw()] = copier.key(key);
    part = part_;
    return keys_[key.raw()];
  }

  /// Those that come next and were over when the transaction ended: with it, for those who take
  /// part by part. Their order stays that of the whole.
  void add_events(TxnId txn, history::Copier& copier) {
    const std::int64_t end = history_.times(txn).end;
    for (; event_ < history_.events().size() && history_.events()[event_].at <= end; ++event_) {
      copier.event(history_.events()[event_]);
    }
  }

  const History& history_;
  std::size_t at_ = 0;
  std::size_t event_ = 0;
  std::uint32_t part_ = 0;                // from 1
  std::vector<KeyId> keys_;               // of a part, by key
  std::vector<std::uint32_t> key_parts_;  // of which one
};

}  // namespace

Status write_native_binary_groups(const History& history, Sink& sink,
                                  const GroupLimits& limits) {
  std::vector<Cut> groups;
  if (can_be_parted(history)) groups = cuts(history, limits);
  if (groups.size() < 2) {
    return write_native_binary(history, sink, true, {.ends = true, .is_last = true});
  }
  Parts parts(history);
  std::uint32_t number = 0;
  for (const Cut& group : groups) {
    const Result<History> part = parts.next(group.end);
    if (!part) return part.error();
    const BinaryGroup about{.number = number,
                            .ends = number == 0,
                            .is_last = number + 1 == groups.size(),
                            .open_since = group.open_since};
    if (Status written = write_native_binary(*part, sink, true, about); !written) {
      return written;
    }
    ++number;
  }
  return ok_status();
}

}  // namespace isolde::io
