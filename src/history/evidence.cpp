// Two sorted lists. Marks, values by key, show which reads returned what somebody else had
// written; uses, transactions by key, show which transactions met. The number of overlapping
// pairs of intervals follows from the sorted starts and ends: all pairs except those of which
// one ended before the other started. When the first part of a history has some of everything,
// counting stops there: the counts are for people, who gain nothing from one more digit.
#include "history/evidence.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <span>
#include <tuple>
#include <vector>

#include "base/text.hpp"
#include "history/base_levels.hpp"

namespace isolde::history {
namespace {

constexpr std::size_t kGrowth = 8;
/// Versions to which reads of a part of a row are held in a history.
constexpr std::size_t kMostFits = std::size_t{1} << 18;

struct Mark {
  KeyId key;
  TxnId txn;
  std::uint64_t value = 0;
  bool reads = false;
};

/// A read that tells its version in part: which may be that of several writers.
struct PartialMark {
  KeyId key;
  TxnId txn;
  Partial read;
};

struct Use {
  KeyId key;
  SessionId session;
  std::int64_t start = 0;
  std::int64_t end = 0;
  bool writes = false;
  bool aborted = false;
};

std::uint64_t pairs(std::uint64_t count) { return count < 2 ? 0 : count * (count - 1) / 2; }

class Counter {
 public:
  Counter(const History& history, std::size_t txns) : history_(history), txns_(txns) {
    took_effect_.assign(txns, 0);
  }

  Evidence count() {
    count_reads();
    count_meetings();
    count_refused();
    look_at_sessions();
    result_.has_times = history_.has_times();
    return result_;
  }

  bool took_effect(std::size_t txn) const { return took_effect_[txn] != 0; }

 private:
  bool is_committed(TxnId txn) const { return history_.status(txn) == TxnStatus::kCommitted; }

  void collect_marks(TxnId txn, std::vector<Mark>& marks) {
    for (const Op& op : history_.ops(txn)) {
      if (op.is_write()) marks.push_back({op.key, txn, op.value.bits(), false});
      if (op.kind == OpKind::kRead && !op.value.is_null()) {
        marks.push_back({op.key, txn, op.value.bits(), true});
      }
      if (op.kind == OpKind::kReadMatch && is_committed(txn)) {
        partial_.push_back({op.key, txn, op.partial()});
      }
      if (op.kind != OpKind::kReadList) continue;
      const std::span<const Value> list = history_.list(op);
      if (!list.empty()) marks.push_back({op.key, txn, list.back().bits(), true});
    }
  }

  void count_reads() {
    std::vector<Mark> marks;
    for (std::size_t t = 0; t < txns_; ++t) {
      const TxnId txn = TxnId::at(t);
      took_effect_[t] = is_committed(txn) ? 1 : 0;
      collect_marks(txn, marks);
    }
    const auto place = [](const Mark& mark) {
      return std::tuple(mark.key, mark.value, mark.reads);
    };
    std::sort(marks.begin(), marks.end(),
              [&](const Mark& a, const Mark& b) { return place(a) < place(b); });
    for (std::size_t begin = 0; begin < marks.size();) {
      std::size_t end = begin;
      std::size_t reads = begin;
      while (end < marks.size() && marks[end].key == marks[begin].key &&
             marks[end].value == marks[begin].value) {
        reads += marks[end].reads ? 0 : 1;
        ++end;
      }
      const std::span<const Mark> group(marks);
      look_at_value(group.subspan(begin, reads - begin), group.subspan(reads, end - reads));
      begin = end;
    }
    for (const PartialMark& read : partial_) look_at_partial(read, marks);
  }

  /// A read counts when some version that fits is another session's, and none is of its own.
  void look_at_partial(const PartialMark& read, std::span<const Mark> marks) {
    const SessionId own = history_.session_of(read.txn);
    bool of_others = false;
    bool of_own = history_.fits(read.key, read.read, Value::null());
    const auto first = std::ranges::lower_bound(marks, read.key, {}, &Mark::key);
    for (auto at = first; at != marks.end() && at->key == read.key; ++at) {
      const Mark& mark = *at;
      if (mark.reads) continue;
      if (++fits_ > kMostFits) {
        result_.reads_are_sure = false;
        return;
      }
      if (!history_.fits(read.key, read.read, Value::from_bits(mark.value))) continue;
      const bool is_own = history_.session_of(mark.txn) == own;
      of_own = of_own || is_own;
      of_others = of_others || !is_own;
    }
    if (of_others && of_own) result_.reads_are_sure = false;
    if (of_others && !of_own) ++result_.reads_from_others;
  }

  /// Who wrote a value and who read it. Where several wrote it, a read counts when none of its
  /// own session did.
  void look_at_value(std::span<const Mark> writes, std::span<const Mark> reads) {
    if (writes.empty() || reads.empty()) return;
    writers_.clear();
    for (const Mark& write : writes) writers_.push_back(history_.session_of(write.txn));
    std::sort(writers_.begin(), writers_.end());
    for (const Mark& read : reads) {
      if (!is_committed(read.txn)) continue;
      const SessionId own = history_.session_of(read.txn);
      if (!std::binary_search(writers_.begin(), writers_.end(), own)) {
        ++result_.reads_from_others;
      }
      if (writes.size() > 1 || writes[0].txn == read.txn) continue;
      if (history_.status(writes[0].txn) == TxnStatus::kIndeterminate) {
        took_effect_[writes[0].txn.raw()] = 1;
      }
    }
  }

  /// One use for each key of each transaction that took effect; of aborted ones their writes,
  /// which nobody may see. One of unknown outcome from which nobody read is left out by every
  /// verdict, and has no end: it would meet all that came later.
  std::vector<Use> collect_uses() const {
    std::vector<Use> uses;
    std::vector<std::pair<KeyId, bool>> keys;
    for (std::size_t t = 0; t < txns_; ++t) {
      const TxnId txn = TxnId::at(t);
      const bool is_left_out =
          took_effect_[t] == 0 && history_.status(txn) == TxnStatus::kIndeterminate;
      if (is_left_out) continue;
      keys.clear();
      for (const Op& op : history_.ops(txn)) {
        if (op.uses_item() && (op.is_write() || took_effect_[t] != 0)) {
          keys.emplace_back(op.key, op.is_write());
        }
      }
      std::sort(keys.begin(), keys.end());
      const TxnTimes times = history_.times(txn);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i + 1 < keys.size() && keys[i + 1].first == keys[i].first) continue;
        Use use{keys[i].first, history_.session_of(txn)};
        use.start = times.start;  // kNoTime is before all times
        use.end = times.end == kNoTime ? std::numeric_limits<std::int64_t>::max() : times.end;
        use.writes = keys[i].second;
        use.aborted = took_effect_[t] == 0;
        uses.push_back(use);
      }
    }
    return uses;
  }

  void count_meetings() {
    std::vector<Use> uses = collect_uses();
    std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
      return std::tie(a.key, a.session, a.start) < std::tie(b.key, b.session, b.start);
    });
    for (std::size_t begin = 0; begin < uses.size();) {
      std::size_t end = begin;
      while (end < uses.size() && uses[end].key == uses[begin].key) ++end;
      count_key(std::span<const Use>(uses).subspan(begin, end - begin));
      begin = end;
    }
  }

  void count_key(std::span<const Use> uses) {
    std::uint64_t writers = 0;
    for (const Use& use : uses) writers += use.writes && !use.aborted ? 1 : 0;
    if (writers > 1) result_.versions_replaced += writers - 1;
    const auto is_reader = [](const Use& use) { return !use.writes; };
    const auto is_aborted = [](const Use& use) { return use.aborted; };  // only writers
    // Pairs of which one wrote and one took effect.
    result_.meetings +=
        pairs(uses.size()) -
        pairs(static_cast<std::uint64_t>(std::ranges::count_if(uses, is_reader))) -
        pairs(static_cast<std::uint64_t>(std::ranges::count_if(uses, is_aborted)));
    const auto overlapping = [&](std::span<const Use> of) {
      return overlaps(of, [](const Use&) { return true; }) - overlaps(of, is_reader) -
             overlaps(of, is_aborted);
    };
    result_.overlapping_meetings += overlapping(uses);
    for (std::size_t begin = 0; begin < uses.size();) {
      std::size_t end = begin + 1;
      bool waits = true;  // one after the other, as sessions do
      while (end < uses.size() && uses[end].session == uses[begin].session) {
        waits = waits && uses[end - 1].end < uses[end].start;
        ++end;
      }
      if (!waits) {
        result_.overlapping_meetings -= overlapping(uses.subspan(begin, end - begin));
      }
      begin = end;
    }
  }

  void count_refused() {
    if (!history_.has_refused_inserts()) return;
    for (std::size_t t = 0; t < txns_; ++t) {
      if (took_effect_[t] == 0) continue;
      result_.refused_inserts += static_cast<std::uint64_t>(
          std::ranges::count_if(history_.ops(TxnId::at(t)),
                                [&](const Op& op) { return history_.is_refused_insert(op); }));
    }
  }

  void look_at_sessions() {
    std::vector<std::uint8_t> met(history_.session_count(), 0);
    for (std::size_t t = 0; t < txns_ && !result_.sessions_go_on; ++t) {
      if (took_effect_[t] == 0) continue;
      std::uint8_t& before = met[history_.session_of(TxnId::at(t)).raw()];
      result_.sessions_go_on = before != 0;
      before = 1;
    }
  }

  template <typename Filter>
  std::uint64_t overlaps(std::span<const Use> uses, const Filter& filter) {
    starts_.clear();
    ends_.clear();
    for (const Use& use : uses) {
      if (!filter(use)) continue;
      starts_.push_back(use.start);
      ends_.push_back(use.end);
    }
    if (starts_.size() < 2) return 0;
    std::sort(starts_.begin(), starts_.end());
    std::sort(ends_.begin(), ends_.end());
    std::uint64_t apart = 0;
    std::size_t ended = 0;
    for (const std::int64_t start : starts_) {
      while (ended < ends_.size() && ends_[ended] < start) ++ended;
      apart += ended;
    }
    return pairs(starts_.size()) - apart;
  }

  const History& history_;
  std::size_t txns_;
  std::vector<std::uint8_t> took_effect_;
  std::vector<PartialMark> partial_;  // reads of committed transactions
  std::size_t fits_ = 0;
  std::vector<SessionId> writers_;    // of look_at_value()
  std::vector<std::int64_t> starts_;  // of overlaps()
  std::vector<std::int64_t> ends_;
  Evidence result_;
};

/// How many transactions have this many operations, at least one.
std::size_t txns_with(const History& history, std::size_t ops) {
  std::size_t low = 0;
  std::size_t high = history.txn_count();
  while (low < high) {
    const std::size_t middle = low + (high - low + 1) / 2;
    const TxnId last = TxnId::at(middle - 1);
    if (history.first_op(last) + history.ops(last).size() <= ops) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return std::max<std::size_t>(low, std::min<std::size_t>(history.txn_count(), 1));
}

bool uses_item(const Op& op) { return op.uses_item(); }

/// Its client learned something, or changed it.
bool uses_some(const History& history, TxnId txn, std::span<const TxnId> only_left_out) {
  return std::ranges::any_of(history.ops(txn), uses_item) ||
         std::ranges::binary_search(only_left_out, txn);
}

bool has_some_of_each(const Evidence& evidence) {
  return evidence.overlapping_meetings > 0 && evidence.reads_from_others > 0 &&
         evidence.versions_replaced > 0;
}

/// Levels that constrain all transactions that do not overlap.
bool orders_all(const LevelInfo& level) {
  return needs_times(level) || goes_by_database_times(level.base) ||
         level.base == BaseLevel::kMixed;
}

/// Levels that constrain transactions of one session.
bool orders_sessions(const LevelInfo& level) {
  return level.session_order || explains_sessions_apart(level.base);
}

std::string counted(bool exact, std::uint64_t count) {
  return (exact ? "" : "at least ") + base::grouped(count);
}

/// What can be counted without memory.
Evidence committed_alone(const History& history) {
  Evidence evidence;
  evidence.exact = false;
  evidence.has_times = history.has_times();
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const std::span<const Op> ops = history.ops(TxnId::at(t));
    const bool counts = history.status(TxnId::at(t)) == TxnStatus::kCommitted;
    if (counts && std::any_of(ops.begin(), ops.end(), uses_item)) ++evidence.in_effect;
  }
  return evidence;
}

Evidence count(const History& history, base::Budget& budget, std::size_t enough_ops,
               std::span<const TxnId> only_left_out) {
  Evidence evidence;
  const std::size_t all = history.txn_count();
  for (std::size_t ops = enough_ops;; ops *= kGrowth) {
    const std::size_t txns = txns_with(history, ops);
    Counter counter(history, txns);
    evidence = counter.count();
    evidence.exact = txns == all;
    if (!evidence.exact && !has_some_of_each(evidence) && budget.spend(ops) && budget.look()) {
      continue;
    }
    for (std::size_t t = 0; t < all; ++t) {
      const TxnId txn = TxnId::at(t);
      const bool counts =
          t < txns ? counter.took_effect(t) : history.status(txn) == TxnStatus::kCommitted;
      if (counts && uses_some(history, txn, only_left_out)) ++evidence.in_effect;
    }
    return evidence;
  }
}

}  // namespace

Evidence evidence_of(const History& history, base::Budget& budget, std::size_t enough_ops,
                     std::span<const TxnId> only_left_out) {
  try {
    Evidence evidence = count(history, budget, enough_ops, only_left_out);
    // Who left a row out has met who wrote it.
    evidence.exact = evidence.exact && !history.has_unlisted_rows();
    return evidence;
  } catch (const std::bad_alloc&) {
    return committed_alone(history);
  }
}

Trial trial(const Evidence& evidence, const LevelInfo& level) {
  const bool apart = orders_all(level) || (orders_sessions(level) && evidence.sessions_go_on);
  const bool met = (apart ? evidence.meetings : evidence.overlapping_meetings) > 0;
  if (met) return Trial::kTried;
  return evidence.exact ? Trial::kUntried : Trial::kNotCounted;
}

std::string why_untried(const Evidence& evidence) {
  const bool some = evidence.meetings > 0;
  return std::string("no two ") + (some && evidence.has_times ? "overlapping " : "") +
         "transactions " + (some && !evidence.has_times ? "of different sessions " : "") +
         "used a key that one of them wrote";
}

std::string to_text(const Evidence& evidence) {
  std::string text =
      base::grouped(evidence.in_effect) +
      (evidence.in_effect == 1 ? " transaction" : " transactions") + " took effect; " +
      (evidence.has_times ? "overlapping transactions met "
                          : "transactions of different sessions met ") +
      counted(evidence.exact, evidence.overlapping_meetings) +
      (evidence.overlapping_meetings == 1 ? " time" : " times") +
      " on a key that one of them wrote; " +
      counted(evidence.exact && evidence.reads_are_sure, evidence.reads_from_others) +
      (evidence.reads_from_others == 1 ? " read" : " reads") +
      " saw another session's write; " + counted(evidence.exact, evidence.versions_replaced) +
      (evidence.versions_replaced == 1 ? " version was" : " versions were") + " replaced";
  if (evidence.refused_inserts > 0) {
    text += "; " + counted(evidence.exact, evidence.refused_inserts) +
            (evidence.refused_inserts == 1 ? " insert was" : " inserts were") +
            " refused by a row that was there";
  }
  if (!evidence.has_times && evidence.in_effect > 0)
    text += "; whether transactions overlapped is not known, for there are no times";
  return text;
}

}  // namespace isolde::history
