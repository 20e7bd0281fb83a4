#include "source/pace_guess.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "graph/topological.hpp"
#include "infer/event_graph.hpp"
#include "level/level_traits.hpp"
#include "prune/saturation.hpp"
#include "search/theory_search.hpp"
#include "source/alignment.hpp"
#include "source/source_guess.hpp"

namespace isolde::checker {
namespace {

using infer::EventGraph;
using infer::NodeId;
using infer::Observations;
using prune::Saturation;

constexpr std::uint64_t kTicksPerOp = 40'000;
constexpr std::uint64_t kConflicts = 10'000;
/// Of the supposed clock, for each transaction.
constexpr double kUnit = 1024;
/// Transactions of a session before and after one that move with it, at most: as many as run
/// within half of the kernel's width, or what is found narrowly is blurred again.
constexpr std::size_t kNear = 8;
/// The kernel's width at first, as a share of the transactions, and how it falls.
constexpr double kFirstWidth = 0.06;
constexpr double kNarrower = 0.95;
constexpr double kLonger = 1.5;
/// How far intervals go beyond the neighbours' places: in lives of a version, and in standard
/// deviations of the place.
constexpr double kLives = 0.6;
constexpr double kSpreads = 1.5;
/// A gap in a session that is so many times as long as most, and how many neighbours are looked
/// at for one.
constexpr double kLongGap = 4;
constexpr std::size_t kMisplaced = 2;
/// Shares of what saturation left of an interval: the first that is tried, and the end.
constexpr double kFirstShare = 0.75;
constexpr double kLastShare = 0.95;
/// A stage that leaves more than this share of the room is the last.
constexpr double kProgress = 0.98;

class Pace {
 public:
  Pace(const Observations& seen, const Groups& groups, const Question& question,
       const CheckOptions& options, CheckStatistics& statistics, base::Budget& budget)
      : seen_(seen),
        groups_(groups),
        question_(question),
        options_(options),
        statistics_(statistics),
        budget_(budget),
        level_(question.level),
        places_(seen.txn_count()),
        chains_(seen.history().session_count()) {
    level_.session_order = level_.real_time = true;
    const History& history = seen.history();
    for (std::size_t s = 0; s < chains_.size(); ++s) {
      const std::span<const TxnId> txns = history.session_txns(SessionId::at(s));
      std::copy_if(txns.begin(), txns.end(), std::back_inserter(chains_[s]),
                   [&](TxnId txn) { return is_certain(txn); });
      certain_.insert(certain_.end(), chains_[s].begin(), chains_[s].end());
    }
    count_ = static_cast<double>(certain_.size());
  }

  std::optional<Witness> run() {
    if (certain_.empty() || seen_.write_count() == 0) return std::nullopt;
    align();
    std::unique_ptr<Stage> stage = suppose_neighbourhoods();
    if (!stage) stage = suppose_equal_lengths();
    double share = kFirstShare;
    while (stage && !budget_.exhausted()) {
      if (auto witness = try_sources(*stage)) return witness;
      std::unique_ptr<Stage> next;
      while (!next && share < kLastShare && !budget_.exhausted()) {
        next = suppose_share(*stage, share);
        if (!next) share = (share + 1) / 2;
      }
      if (budget_.exhausted()) return std::nullopt;
      if (!next) return search(*stage);
      const bool is_shorter = next->room < stage->room * kProgress;
      stage = std::move(next);
      if (!is_shorter) return search(*stage);
    }
    return std::nullopt;
  }

 private:
  struct Stage {
    EventGraph events;
    prune::Derivation derived;
    std::vector<Saturation::Neighbours> neighbours;
    std::vector<NodeId> order;
    double room = 0;  // of all certain transactions: the places that remain
  };

  bool is_certain(TxnId txn) const { return seen_.is_included(txn) && !seen_.is_doubtful(txn); }

  /// Places for all transactions, in units of one transaction.
  void align() {
    for (const std::vector<TxnId>& chain : chains_) {
      for (std::size_t i = 0; i < chain.size(); ++i) {
        places_[chain[i].raw()] =
            count_ * (static_cast<double>(i) + 0.5) / static_cast<double>(chain.size());
      }
    }
    // A version lives for about so long: closer than that, gaps tell nothing.
    life_ = count_ * static_cast<double>(seen_.history().key_count()) /
            static_cast<double>(seen_.write_count());
    const double least = std::max(static_cast<double>(chains_.size()), 1.5 * life_);
    for (double width = kFirstWidth * count_; width > least && !budget_.exhausted();
         width *= kNarrower) {
      pull(width);
      const double near = width / 2 / static_cast<double>(chains_.size());
      for (const std::vector<TxnId>& chain : chains_) {
        move(chain, std::min(kNear, static_cast<std::size_t>(near)));
      }
      rank();
    }
  }

  void pull(double width) {
    pulls_.assign(seen_.txn_count(), {});
    std::vector<std::pair<std::size_t, double>> close;  // transactions, and what they weigh
    for (const infer::OpenRead& read : seen_.open_reads()) {
      const std::size_t reader = read.txn.raw();
      const infer::Sources sources = seen_.sources(read);
      if (!budget_.spend(8 + sources.size() * 4)) return;
      close.clear();
      double all = 0.01;
      for (const infer::WriteId source : sources) {
        const std::size_t writer = seen_.writer(source).raw();
        const double gap = places_[reader] - places_[writer];
        if (std::abs(gap) > 3 * width) continue;
        close.emplace_back(writer, std::exp(-gap * gap / (2 * width * width)));
        all += close.back().second;
      }
      for (const auto& [writer, weight] : close) {
        const double part = weight / all;
        const double gap = places_[reader] - places_[writer];
        pulls_[writer] = {pulls_[writer].sum + gap * part, pulls_[writer].weight + part};
        pulls_[reader] = {pulls_[reader].sum - gap * part, pulls_[reader].weight + part};
      }
    }
  }

  void move(const std::vector<TxnId>& chain, std::size_t neighbours) {
    double last = -count_;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const std::size_t end = std::min(chain.size(), i + neighbours + 1);
      Pull near = {0, 1};
      for (std::size_t j = i - std::min(i, neighbours); j < end; ++j) {
        near.sum += pulls_[chain[j].raw()].sum;
        near.weight += pulls_[chain[j].raw()].weight;
      }
      double& place = places_[chain[i].raw()];
      last = place = std::max(last, place + near.sum / near.weight);
    }
    budget_.spend(chain.size() * (neighbours + 1) * 4);
  }

  /// Spreads the places evenly.
  void rank() {
    std::stable_sort(certain_.begin(), certain_.end(),
                     [&](TxnId a, TxnId b) { return places_[a.raw()] < places_[b.raw()]; });
    for (std::size_t i = 0; i < certain_.size(); ++i) {
      places_[certain_[i].raw()] = static_cast<double>(i);
    }
    budget_.spend(certain_.size() * 16);
  }

  /// From the place of the session's previous transaction to that of its next one, and beyond
  /// these as far as places are in doubt: a place by itself may be wrong, but hardly those of
  /// its neighbours.
  std::unique_ptr<Stage> suppose_neighbourhoods() {
    const std::vector<SupposedPlace> supposed =
        align_by_values(seen_, chains_, places_, budget_);
    if (supposed.empty()) return nullptr;
    std::vector<std::pair<double, double>> around(supposed.size());
    std::vector<double> along;  // a session, with the beginning and the end of all
    for (const std::vector<TxnId>& chain : chains_) {
      along.assign(1, 0);
      for (const TxnId txn : chain) along.push_back(supposed[txn.raw()].middle);
      along.push_back(count_);
      for (std::size_t i = 0; i < chain.size(); ++i) {
        around[chain[i].raw()] = {along[last_before(along, i)],
                                  along[first_after(along, i + 2)]};
      }
    }
    std::unique_ptr<Stage> stage;
    for (double scale = 1; !stage && scale * life_ < count_ / 4 && !budget_.exhausted();
         scale *= kLonger) {
      stage = saturate([&](TxnId txn) {
        const auto [first, last] = around[txn.raw()];
        const double beyond = scale * (kLives * life_ + kSpreads * supposed[txn.raw()].spread);
        return std::pair((first + last) / 2, last - first + 2 * beyond);
      });
    }
    return stage;
  }

  /// Where one or two transactions stand next to a long gap, they may belong to its other end:
  /// the neighbour is then the one across the gap.
  std::size_t last_before(const std::vector<double>& along, std::size_t at) const {
    for (std::size_t i = at; i > 0 && i + kMisplaced > at; --i) {
      if (along[i] - along[i - 1] > long_gap()) return i - 1;
    }
    return at;
  }
  std::size_t first_after(const std::vector<double>& along, std::size_t at) const {
    for (std::size_t i = at; i + 1 < along.size() && i < at + kMisplaced; ++i) {
      if (along[i + 1] - along[i] > long_gap()) return i + 1;
    }
    return at;
  }
  double long_gap() const { return kLongGap * static_cast<double>(chains_.size()); }

  std::unique_ptr<Stage> suppose_equal_lengths() {
    std::unique_ptr<Stage> stage;
    for (double length = static_cast<double>(chains_.size());
         !stage && length < count_ / 2 && !budget_.exhausted(); length *= kLonger) {
      stage = saturate([&](TxnId txn) { return std::pair(places_[txn.raw()], length); });
    }
    return stage;
  }

  std::unique_ptr<Stage> suppose_share(const Stage& stage, double share) {
    return saturate([&](TxnId txn) {
      const Saturation::Neighbours& around = stage.neighbours[txn.raw()];
      const double low = around.before;
      const double high = count_ - 1 - around.after;
      return std::pair((low + high) / 2, (high - low) / 2 * share + 1);
    });
  }

  /// `interval(txn)`: its middle and its length. None when the supposition contradicts itself.
  template <typename Interval>
  std::unique_ptr<Stage> saturate(const Interval& interval) {
    infer::Encoding supposed = encoding(level_, 0);
    supposed.supposed.resize(seen_.txn_count(), {kNoTime, kNoTime});
    for (const TxnId txn : certain_) {
      const auto [middle, length] = interval(txn);
      supposed.supposed[txn.raw()] = {std::llround((middle - length / 2) * kUnit),
                                      std::llround((middle + length / 2) * kUnit)};
    }
    auto stage =
        std::make_unique<Stage>(Stage{EventGraph(seen_, supposed, budget_), {}, {}, {}, 0});
    Saturation saturation(stage->events, budget_);
    const Saturation::Outcome outcome = saturation.run();
    statistics_.saturation_rounds += saturation.rounds();
    if (outcome != Saturation::Outcome::kFixpoint) return nullptr;
    stage->neighbours = saturation.neighbours();
    for (const TxnId txn : certain_) {
      const Saturation::Neighbours& around = stage->neighbours[txn.raw()];
      stage->room += count_ - around.before - around.after;
    }
    stage->derived = saturation.take();
    const EventGraph& events = stage->events;
    std::vector<std::uint32_t> wish(events.graph().node_count(), 0);
    for (std::size_t node = 0; node < events.event_count(); ++node) {
      const TxnId txn = events.txn(NodeId::at(node));
      const Saturation::Neighbours& around = stage->neighbours[txn.raw()];
      const auto middle = static_cast<std::uint32_t>(certain_.size()) + around.before;
      wish[node] =
          (middle - around.after) * 2 + (NodeId::at(node) == events.commit(txn) ? 1 : 0);
    }
    stage->order = graph::topological_order(events.graph(), wish, budget_);
    if (budget_.exhausted()) return nullptr;
    ISOLDE_CHECK(stage->order.size() == wish.size());
    return stage;
  }

  std::optional<Witness> try_sources(const Stage& stage) {
    std::optional<Witness> witness = witness_with_sources(
        seen_, question_, sources_along(stage.events, stage.derived, stage.order, {}, budget_),
        options_, statistics_, budget_);
    if (witness && !groups_.are_explained_by(*witness, question_.level)) return std::nullopt;
    return witness;
  }

  std::optional<Witness> search(Stage& stage) {
    TheorySearch search(stage.events, stage.derived, stage.order, statistics_, budget_,
                        Choosing{level_, groups_});
    if (budget_.exhausted() || !search.stopped().empty()) return std::nullopt;
    if (search.solve(kConflicts) != solver::Answer::kSat) return std::nullopt;
    return search.witness();
  }

  struct Pull {
    double sum = 0;
    double weight = 0;
  };

  const Observations& seen_;
  const Groups& groups_;
  const Question& question_;
  const CheckOptions& options_;
  CheckStatistics& statistics_;
  base::Budget& budget_;
  LevelInfo level_;
  std::vector<double> places_;              // by transaction
  std::vector<Pull> pulls_;                 // by transaction
  std::vector<std::vector<TxnId>> chains_;  // by session: certain transactions
  std::vector<TxnId> certain_;
  double count_ = 0;  // of these
  double life_ = 1;   // of a version, in places
};

}  // namespace

std::optional<Witness> guess_by_pace(const Observations& seen, const Groups& groups,
                                     const Question& question, const CheckOptions& options,
                                     CheckStatistics& statistics, base::Budget& budget) {
  const base::Budget::Allowance allowance(
      budget, kTicksPerOp * (seen.history().op_count() + seen.txn_count()));
  std::optional<Witness> witness =
      Pace(seen, groups, question, options, statistics, budget).run();
  return budget.exhausted() ? std::nullopt : witness;
}

}  // namespace isolde::checker
