#include "linear/partial_reads.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace isolde::checker {
namespace {

class Placement {
 public:
  Placement(const History& history, const RegisterOps& all, std::span<const TxnId> order)
      : history_(history), all_(all) {
    position_.assign(all.ops.size(), kNone);
    held_.push_back(Value::null());
    for (const TxnId txn : order) {
      const auto op = std::lower_bound(
          all.ops.begin(), all.ops.end(), txn,
          [](const RegisterOp& known, TxnId wanted) { return known.txn < wanted; });
      position_[static_cast<std::size_t>(op - all.ops.begin())] =
          static_cast<std::uint32_t>(order_.size());
      order_.push_back(static_cast<Op>(op - all.ops.begin()));
      held_.push_back(op->writes ? op->write : held_.back());
    }
  }

  bool run() {
    if (!find_loose()) return false;
    find_bounds();
    return place();
  }

  void merge(std::vector<TxnId>& order) const {
    std::size_t at = 0;
    for (const Op op : order_) {
      while (at < by_place_.size() && by_place_[at]->place <= position_[op]) {
        order.push_back(all_.ops[by_place_[at++]->op].txn);
      }
      order.push_back(all_.ops[op].txn);
    }
    for (; at < by_place_.size(); ++at) order.push_back(all_.ops[by_place_[at]->op].txn);
  }

 private:
  using Op = std::uint32_t;  // among all of the register
  static constexpr std::uint32_t kNone = 0xffffffffU;

  /// An operation that reads in part only. A place is the number of operations before it.
  struct Loose {
    Op op = 0;
    std::size_t partial = 0;  // where its own begin
    std::uint32_t first = 0;  // after all that ended before it
    std::uint32_t last = 0;   // before all that started after it
    std::uint32_t place = 0;
  };

  const Interval& time(Op op) const { return all_.ops[op].time; }

  bool fits(std::size_t first, std::uint32_t place) const {
    const Op op = all_.partial[first].op;
    for (std::size_t i = first; i < all_.partial.size() && all_.partial[i].op == op; ++i) {
      if (!history_.fits(all_.key, all_.partial[i].tells, held_[place])) return false;
    }
    return true;
  }

  /// Sorted by start. False when an operation in the order finds what does not fit.
  bool find_loose() {
    for (std::size_t i = 0; i < all_.partial.size(); ++i) {
      const Op op = all_.partial[i].op;
      if (i > 0 && all_.partial[i - 1].op == op) continue;
      if (position_[op] != kNone) {
        if (!fits(i, position_[op])) return false;
      } else if (!all_.ops[op].optional) {
        loose_.push_back({op, i, 0, 0, 0});
      }
    }
    std::sort(loose_.begin(), loose_.end(), [&](const Loose& a, const Loose& b) {
      return time(a.op).start != time(b.op).start ? time(a.op).start < time(b.op).start
                                                  : a.op < b.op;
    });
    return true;
  }

  void find_bounds() {
    std::vector<Op> others = order_;
    std::sort(others.begin(), others.end(),
              [&](Op a, Op b) { return time(a).end < time(b).end; });
    std::size_t ended = 0;
    std::uint32_t first = 0;
    for (Loose& loose : loose_) {
      for (; ended < others.size() && time(others[ended]).end < time(loose.op).start; ++ended) {
        first = std::max(first, position_[others[ended]] + 1);
      }
      loose.first = first;
    }
    for (Loose& loose : loose_) by_end_.push_back(&loose);
    std::sort(by_end_.begin(), by_end_.end(), [&](const Loose* a, const Loose* b) {
      return time(a->op).end < time(b->op).end;
    });
    std::sort(others.begin(), others.end(),
              [&](Op a, Op b) { return time(a).start > time(b).start; });
    std::size_t starting = 0;
    auto last = static_cast<std::uint32_t>(order_.size());
    for (auto loose = by_end_.rbegin(); loose != by_end_.rend(); ++loose) {
      for (; starting < others.size() && time(others[starting]).start > time((*loose)->op).end;
           ++starting) {
        last = std::min(last, position_[others[starting]]);
      }
      (*loose)->last = last;
    }
  }

  /// When an operation's turn comes, all that ended before it started are placed.
  bool place() {
    std::size_t ended = 0;
    std::uint32_t behind = 0;
    for (Loose& loose : loose_) {
      for (; ended < by_end_.size() && time(by_end_[ended]->op).end < time(loose.op).start;
           ++ended) {
        behind = std::max(behind, by_end_[ended]->place);
      }
      loose.place = std::max(loose.first, behind);
      while (loose.place <= loose.last && !fits(loose.partial, loose.place)) ++loose.place;
      if (loose.place > loose.last) return false;
    }
    for (const Loose& loose : loose_) by_place_.push_back(&loose);
    std::stable_sort(by_place_.begin(), by_place_.end(),
                     [](const Loose* a, const Loose* b) { return a->place < b->place; });
    return true;
  }

  const History& history_;
  const RegisterOps& all_;
  std::vector<Op> order_;
  std::vector<std::uint32_t> position_;  // by operation: in the order, or kNone
  std::vector<Value> held_;              // by place
  std::vector<Loose> loose_;
  std::vector<Loose*> by_end_;
  std::vector<const Loose*> by_place_;
};

}  // namespace

bool place_partial_reads(const History& history, const RegisterOps& all,
                         std::vector<TxnId>& order, std::size_t from) {
  Placement placement(history, all, std::span(order).subspan(from));
  if (!placement.run()) return false;
  order.resize(from);
  placement.merge(order);
  return true;
}

}  // namespace isolde::checker
