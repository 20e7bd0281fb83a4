#include "report/measures.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace isolde::report {
namespace {

/// Both times, as offsets from a common origin: differences of times need not fit 63 bits.
struct Stay {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

std::uint64_t offset(std::int64_t time, std::int64_t origin) {
  return static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(origin);
}

std::int64_t saturated(std::uint64_t nanoseconds) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(nanoseconds, kMost));
}

bool has_both(TxnTimes times) {
  return times.start != kNoTime && times.end != kNoTime && times.start <= times.end;
}

class Measuring {
 public:
  explicit Measuring(const History& history) : history_(history) {}

  Measures measure(std::span<const KeyId> marked) {
    choose_intervals();
    count_outcomes();
    if (out_.timed) {
      measure_latency();
      measure_open();
    }
    measure_keys(marked);
    return std::move(out_);
  }

 private:
  void choose_intervals() {
    const std::size_t txns = history_.txn_count();
    std::int64_t last = kNoTime;
    std::size_t timed = 0;
    const bool measured = history_.has_times() && !history_.origin().times_are_order;
    for (std::size_t i = 0; i < txns && measured; ++i) {
      const TxnTimes times = history_.times(TxnId::at(i));
      if (!has_both(times)) continue;
      out_.origin = timed == 0 ? times.start : std::min(out_.origin, times.start);
      last = timed == 0 ? times.end : std::max(last, times.end);
      ++timed;
    }
    out_.timed = timed > 0;
    out_.left_out = out_.timed ? txns - timed : 0;
    // Beyond the last offset there is nothing, so the last interval need not be full.
    const std::uint64_t extent =
        out_.timed ? offset(last, out_.origin) : txns - std::min<std::size_t>(txns, 1);
    const std::size_t wanted = std::clamp(txns / 10, kIntervalsMin, kIntervalsMax);
    out_.length = extent / wanted + 1;
    out_.intervals.resize(txns == 0 ? 0 : extent / out_.length + 1);
  }

  std::optional<Stay> stay(TxnId txn) const {
    const TxnTimes times = history_.times(txn);
    if (!has_both(times)) return std::nullopt;
    return Stay{offset(times.start, out_.origin), offset(times.end, out_.origin)};
  }

  /// None for transactions that are left out.
  std::optional<std::size_t> interval(TxnId txn) const {
    if (!out_.timed) return out_.interval_of(txn.raw());
    const std::optional<Stay> times = stay(txn);
    if (!times) return std::nullopt;
    return out_.interval_of(times->end);
  }

  void count_outcomes() {
    for (std::size_t i = 0; i < history_.txn_count(); ++i) {
      const TxnId txn = TxnId::at(i);
      const std::optional<std::size_t> at = interval(txn);
      if (!at) continue;
      Interval& own = out_.intervals[*at];
      switch (history_.status(txn)) {
        case TxnStatus::kCommitted:
          ++own.committed;
          break;
        case TxnStatus::kAborted:
          ++own.aborted;
          break;
        case TxnStatus::kIndeterminate:
          ++own.indeterminate;
          break;
      }
    }
  }

  void measure_latency() {
    std::vector<std::vector<std::uint64_t>> stays(out_.intervals.size());
    for (std::size_t i = 0; i < history_.txn_count(); ++i) {
      const TxnId txn = TxnId::at(i);
      const std::optional<Stay> times = stay(txn);
      if (!times || history_.status(txn) != TxnStatus::kCommitted) continue;
      stays[out_.interval_of(times->end)].push_back(times->end - times->start);
    }
    for (std::size_t i = 0; i < stays.size(); ++i) {
      std::vector<std::uint64_t>& all = stays[i];
      if (all.empty()) continue;
      const auto at = [&all](std::size_t percent) {
        const auto place =
            all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) * percent / 100);
        std::nth_element(all.begin(), place, all.end());
        return saturated(*place);
      };
      out_.intervals[i].median_ns = at(50);
      out_.intervals[i].p95_ns = at(95);
      out_.intervals[i].max_ns = at(100);
    }
  }

  /// Intervals that a transaction covers completely are counted by differences, so that long
  /// transactions cost no more than short ones.
  void measure_open() {
    const auto length = static_cast<double>(out_.length);
    std::vector<std::int64_t> change(out_.intervals.size() + 1, 0);
    for (std::size_t i = 0; i < history_.txn_count(); ++i) {
      const std::optional<Stay> times = stay(TxnId::at(i));
      if (!times) continue;
      const std::size_t first = out_.interval_of(times->start);
      const std::size_t last = out_.interval_of(times->end);
      const auto part = [&](std::uint64_t nanoseconds) {
        return static_cast<double>(nanoseconds) / length;
      };
      if (first == last) {
        out_.intervals[first].open += part(times->end - times->start);
        continue;
      }
      out_.intervals[first].open += part((first + 1) * out_.length - times->start);
      out_.intervals[last].open += part(times->end - last * out_.length);
      ++change[first + 1];
      --change[last];
    }
    std::int64_t covering = 0;
    for (std::size_t i = 0; i < out_.intervals.size(); ++i) {
      covering += change[i];
      out_.intervals[i].open += static_cast<double>(covering);
    }
  }

  static bool counts(const Op& op) {
    return op.is_write() || op.is_read() || op.kind == OpKind::kReadUnknown;
  }

  void measure_keys(std::span<const KeyId> marked) {
    std::vector<KeyHeat> all(history_.key_count());
    for (std::size_t i = 0; i < all.size(); ++i) all[i].key = KeyId::at(i);
    for (std::size_t i = 0; i < history_.txn_count(); ++i) {
      for (const Op& op : history_.ops(TxnId::at(i))) {
        if (counts(op)) ++(op.is_write() ? all[op.key.raw()].writes : all[op.key.raw()].reads);
      }
    }
    out_.keys_total = all.size();
    std::vector<std::uint8_t> wanted(all.size(), 0);
    for (KeyId key : marked) wanted[key.raw()] = 1;
    const auto hotter = [](const KeyHeat& a, const KeyHeat& b) {
      const std::uint64_t x = a.reads + a.writes;
      const std::uint64_t y = b.reads + b.writes;
      return x != y ? x > y : a.key < b.key;
    };
    const std::size_t hot = std::min(kHotKeys, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(hot), all.end(),
                      hotter);
    std::size_t more = kHotKeys / 2;  // of those that are marked but not hot
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i >= hot && (wanted[all[i].key.raw()] == 0 || more == 0)) continue;
      if (i >= hot) --more;
      out_.keys.push_back(all[i]);
    }
    std::sort(out_.keys.begin(), out_.keys.end(), hotter);
    count_heat();
  }

  void count_heat() {
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> row(history_.key_count(), kNone);
    for (std::size_t i = 0; i < out_.keys.size(); ++i) {
      out_.keys[i].uses.assign(out_.intervals.size(), 0);
      row[out_.keys[i].key.raw()] = static_cast<std::uint32_t>(i);
    }
    for (std::size_t i = 0; i < history_.txn_count(); ++i) {
      const std::optional<std::size_t> at = interval(TxnId::at(i));
      if (!at) continue;
      for (const Op& op : history_.ops(TxnId::at(i))) {
        const std::uint32_t own = row[op.key.raw()];
        if (own != kNone && counts(op)) ++out_.keys[own].uses[*at];
      }
    }
  }

  const History& history_;
  Measures out_;
};

}  // namespace

std::size_t Measures::interval_of(std::uint64_t offset) const {
  return std::min(static_cast<std::size_t>(offset / length), intervals.size() - 1);
}

Measures measure(const History& history, std::span<const KeyId> marked) {
  return Measuring(history).measure(marked);
}

}  // namespace isolde::report
