#include "explain/results.hpp"

#include <map>
#include <optional>

#include "base/memory_guard.hpp"
#include "history/aggregates.hpp"

namespace isolde::explain {
namespace {

std::optional<Value> last_write(std::span<const Op> ops, KeyId key) {
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    if (op->kind == OpKind::kWrite && op->key == key) return op->value;
  }
  return std::nullopt;
}

/// What is possible of the items: their versions as the claims have them, or any.
class Possible {
 public:
  Possible(const History& history, const WrongResult& wrong, const std::vector<Claim>& claims)
      : history_(history),
        txn_(wrong.txn),
        selection_(history.selections(wrong.txn)[wrong.selection]),
        aggregate_(*history.aggregate(selection_)) {
    for (const Claim& claim : claims) {
      if (claim.source.txn != txn_ || claim.source.op == Claim::kNoOp) continue;
      if (claim.denied) taken_.emplace(claim.source.op, claim.source.writer);
    }
    for (std::uint32_t op = selection_.first; op < selection_.end(); ++op) add(op);
  }

  std::string text() const {
    const std::string with = all_             ? ""
                             : taken_.empty() ? " in any versions"
                                              : " whatever else it read";
    if (!aggregate_.looks_at_values()) {
      if (all_) return count(must_) + " of the versions that it read meet the condition";
      const bool is_more = must_ > aggregate_.result.value_or(0);
      const auto rows = is_more ? must_ : may_;
      return (is_more ? "at least " : "at most ") + count(rows) +
             (rows == 1 ? " row meets" : " rows meet") + " the condition" + with;
    }
    if (!aggregate_.result)
      return "at least " + count(must_) + " of its rows holds a number" + with;
    if (aggregate_.kind == AggregateKind::kSum) {
      if (all_ && may_ > 0) return "the sum of the versions that it read is " + number(least_);
      if (may_ == 0) return "none of its rows holds a number" + with;
      return (least_ > *aggregate_.result ? "the sum is at least " + number(least_)
                                          : "the sum is at most " + number(most_)) +
             with;
    }
    return std::string("this is not the ") +
           (aggregate_.kind == AggregateKind::kMin ? "least" : "greatest") +
           " that its rows hold" + (all_ ? " in the versions that it read" : with);
  }

 private:
  __extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): as in Tally

  static std::string count(std::int64_t number) { return std::to_string(number); }
  static std::string number(Wide wide) {
    const bool is_negative = wide < 0;
    std::string digits;
    for (Wide left = is_negative ? -wide : wide; left > 0 || digits.empty(); left /= 10) {
      digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(left % 10)));
    }
    return (is_negative ? "-" : "") + digits;
  }

  void add(std::uint32_t at) {
    const Op& item = history_.ops(txn_)[at];
    history::Span any;
    bool first = true;
    const auto offer = [&](Value version) {
      any.add(history::share_of(history_, selection_, item.key, version), aggregate_, first);
      first = false;
    };
    const auto taken = taken_.find(at);
    if (const auto own = last_write(history_.ops(txn_).first(selection_.first), item.key)) {
      offer(*own);
    } else if (taken != taken_.end()) {
      offer(taken->second.is_none()
                ? Value()
                : last_write(history_.ops(taken->second), item.key).value_or(Value()));
    } else {
      all_ = false;
      if (history_.fits_initial(item)) offer(Value());
      for (std::size_t t = 0; t < history_.txn_count(); ++t) {
        const TxnId writer = TxnId::at(t);
        if (writer == txn_ || history_.status(writer) == TxnStatus::kAborted) continue;
        base::MemoryGuard::spend(history_.ops(writer).size());
        const auto version = last_write(history_.ops(writer), item.key);
        if (version && history_.fits(item, *version)) offer(*version);
      }
    }
    must_ += any.must_count ? 1 : 0;
    may_ += any.may_count ? 1 : 0;
    if (!any.may_count) return;
    least_ += any.must_count ? any.least : std::min<std::int64_t>(any.least, 0);
    most_ += any.must_count ? any.most : std::max<std::int64_t>(any.most, 0);
  }

  const History& history_;
  const TxnId txn_;
  const Selection& selection_;
  const Aggregate& aggregate_;
  std::map<std::uint32_t, TxnId> taken_;  // sources that are taken for granted, by operation
  bool all_ = true;                       // of all items
  std::int64_t must_ = 0;
  std::int64_t may_ = 0;
  Wide least_ = 0;
  Wide most_ = 0;
};

}  // namespace

std::span<const Op> items_of(const History& history, const WrongResult& wrong) {
  const Selection& selection = history.selections(wrong.txn)[wrong.selection];
  return history.ops(wrong.txn).subspan(selection.first + selection.rows, selection.absents);
}

std::string result_text(const History& history, const WrongResult& wrong,
                        const std::vector<Claim>& claims) {
  const Selection& selection = history.selections(wrong.txn)[wrong.selection];
  return "computed " + history.text(selection) + ", but " +
         Possible(history, wrong, claims).text();
}

}  // namespace isolde::explain
