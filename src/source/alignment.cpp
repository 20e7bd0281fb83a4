#include "source/alignment.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "source/value_tracks.hpp"

namespace isolde::checker {
namespace {

using infer::Observations;

/// In the first sweep sessions are aligned in so many parts, then each by itself: what the
/// others of its part would tell counts most for those that are far off.
constexpr std::size_t kSweeps = 3;
constexpr std::size_t kFirstParts = 6;
constexpr std::size_t kMostParts = 64;
/// Width of a bin as a share of the time that a version lives.
constexpr double kWidth = 0.4;
/// Standard deviation of places at first, in bins.
constexpr double kSpread = 3;
/// Chances of reads to be wrong: places are, at first more than later.
constexpr double kFirstDoubt = 0.3;
constexpr double kLastDoubt = 0.2;
/// How far places may be off, in standard deviations of a session's random walk at half time,
/// and in bins at least; and how that falls from sweep to sweep.
constexpr double kReach = 8;
constexpr double kLeastReach = 8;
constexpr double kNearer = 0.5;
/// Chances below this share of the largest are left out.
constexpr float kSmall = 1e-4F;
/// No bin is impossible.
constexpr float kLeast = 1e-18F;
/// After so many factors rows are scaled, before they leave the range of floats.
constexpr std::size_t kUsesToScale = 4;
/// Bins times states of all keys, and bins times transactions of a session.
constexpr std::size_t kMostCells = std::size_t{1} << 23;

class Alignment {
 public:
  Alignment(const Observations& seen, const std::vector<std::vector<TxnId>>& chains,
            const std::vector<double>& places, base::Budget& budget)
      : chains_(chains), budget_(budget), tracks_(seen, budget), places_(seen.txn_count()) {
    for (const std::vector<TxnId>& chain : chains) count_ += static_cast<double>(chain.size());
    const double life = count_ * static_cast<double>(seen.history().key_count()) /
                        static_cast<double>(seen.write_count());
    const double step = static_cast<double>(chains.size());
    const double least = count_ * static_cast<double>(tracks_.state_count()) / kMostCells;
    width_ = std::max({std::min(kWidth * life, step / 2), 1.0, least});
    bins_ = static_cast<std::size_t>(std::ceil(count_ / width_));
    for (std::size_t t = 0; t < places_.size(); ++t) places_[t] = {places[t], kSpread * width_};
    chances_.resize(places_.size());
  }

  std::vector<SupposedPlace> run() {
    const std::uint64_t cells = std::uint64_t{bins_} * tracks_.state_count();
    const std::uint64_t bytes = (cells * 4 + kMostCells * 2) * sizeof(float);
    if (cells == 0 || chains_.size() < 2 || !budget_.has_room(bytes)) return {};
    for (const std::vector<TxnId>& chain : chains_) {
      for (const TxnId txn : chain) spread_out(txn);
    }
    double reach = kReach;
    for (std::size_t sweep = 0; sweep < kSweeps; ++sweep) {
      const double share = static_cast<double>(sweep) / (kSweeps - 1);
      const auto doubt = static_cast<float>(kFirstDoubt + (kLastDoubt - kFirstDoubt) * share);
      const std::size_t parts = sweep == 0 ? kFirstParts : kMostParts;
      align_all(std::min(parts, chains_.size()), doubt, reach);
      if (budget_.exhausted()) return {};
      reach *= kNearer;
    }
    return std::move(places_);
  }

 private:
  /// The bins that a transaction may be in, and by bin a number.
  struct Row {
    std::size_t first = 0;
    std::vector<float> at;
    std::size_t end() const { return first + at.size(); }
  };

  std::size_t bin_of(double place) const {
    const double bin = std::clamp(place / width_, 0.0, static_cast<double>(bins_ - 1));
    return static_cast<std::size_t>(bin);
  }

  /// A first guess at the chances: normal.
  void spread_out(TxnId txn) {
    const SupposedPlace& place = places_[txn.raw()];
    Row& row = chances_[txn.raw()];
    row.first = bin_of(place.middle - 3 * place.spread);
    row.at.resize(bin_of(place.middle + 3 * place.spread) + 1 - row.first);
    float sum = 0;
    for (std::size_t i = 0; i < row.at.size(); ++i) {
      const double place_of_bin = (static_cast<double>(row.first + i) + 0.5) * width_;
      const double off = (place_of_bin - place.middle) / place.spread;
      row.at[i] = static_cast<float>(std::exp(-off * off / 2));
      sum += row.at[i];
    }
    for (float& each : row.at) each /= sum;
  }

  void align_all(std::size_t parts, float doubt, double reach) {
    tracks_.start(bins_);
    for (const std::vector<TxnId>& chain : chains_) add(chain);
    for (std::size_t part = 0; part < parts; ++part) {
      for (std::size_t s = part; s < chains_.size(); s += parts) remove(chains_[s]);
      if (!tracks_.follow(doubt)) return;
      for (std::size_t s = part; s < chains_.size(); s += parts) align(chains_[s], reach);
      if (budget_.exhausted()) return;
      for (std::size_t s = part; s < chains_.size(); s += parts) add(chains_[s]);
    }
  }

  void add(const std::vector<TxnId>& chain) {
    for (const TxnId txn : chain) {
      tracks_.add(txn, chances_[txn.raw()].first, chances_[txn.raw()].at);
    }
  }

  void remove(const std::vector<TxnId>& chain) {
    for (const TxnId txn : chain) {
      tracks_.remove(txn, chances_[txn.raw()].first, chances_[txn.raw()].at);
    }
  }

  /// Forward and backward along the session.
  void align(const std::vector<TxnId>& chain, double reach) {
    if (chain.empty()) return;
    const auto length = static_cast<double>(chain.size());
    const double step = count_ / length / width_;  // in bins
    const auto stay = static_cast<float>(step / (1 + step));
    const double most = static_cast<double>(kMostCells) / length / 2;
    const double off =
        std::min(std::max(reach * step * std::sqrt(length) / 2, kLeastReach), most) * width_;
    fits_.resize(std::max(fits_.size(), chain.size()));
    forward_.resize(fits_.size());
    for (std::size_t i = 0; i < chain.size(); ++i) {
      look_around(chain[i], off, fits_[i]);
      come_from(i == 0 ? nullptr : &forward_[i - 1], fits_[i], stay, forward_[i]);
      if (!budget_.spend(fits_[i].at.size() * 16)) return;
    }
    for (std::size_t i = chain.size(); i-- > 0;) {
      go_on(i + 1 == chain.size() ? nullptr : &fits_[i + 1], fits_[i], stay, later_);
      place(chain[i], forward_[i], later_);
      // From here on fits_[i] also tells how all that follows fits.
      for (std::size_t k = 0; k < later_.at.size(); ++k) fits_[i].at[k] *= later_.at[k];
      scale(fits_[i].at);
      if (!budget_.spend(later_.at.size() * 16)) return;
    }
  }

  /// How the transaction fits in each bin near its place.
  void look_around(TxnId txn, double off, Row& fits) {
    const double middle = places_[txn.raw()].middle;
    fits.first = bin_of(middle - off);
    fits.at.assign(bin_of(middle + off) + 1 - fits.first, 1);
    const std::span<const ValueTracks::Use> uses = tracks_.uses(txn);
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const std::span<const float> each = tracks_.fits(uses[i]).subspan(fits.first);
      for (std::size_t k = 0; k < fits.at.size(); ++k) {
        fits.at[k] *=
            each[k] > kLeast && each[k] < 1 / kLeast ? each[k] : kLeast;  // no number: none
      }
      if (i % kUsesToScale == kUsesToScale - 1) scale(fits.at);
    }
    scale(fits.at);
    budget_.spend(fits.at.size() * uses.size());
  }

  /// By bin the chance that the transaction is there, as far as those before it tell.
  static void come_from(const Row* before, const Row& fits, float stay, Row& chances) {
    chances.first = fits.first;
    chances.at.resize(fits.at.size());
    float reached = 1;
    std::size_t bin = fits.first;
    if (before != nullptr) {
      reached = 0;
      for (bin = before->first; bin < fits.first; ++bin) {
        reached = reached * stay + (bin < before->end() ? before->at[bin - before->first] : 0);
      }
    }
    for (; bin < fits.end(); ++bin) {
      reached *= stay;
      if (before != nullptr && bin >= before->first && bin < before->end()) {
        reached += before->at[bin - before->first];
      }
      reached += kLeast;
      chances.at[bin - fits.first] = reached * fits.at[bin - fits.first];
    }
    scale(chances.at);
  }

  /// By bin of `here` how those after the transaction would fit if it is there.
  static void go_on(const Row* after, const Row& here, float stay, Row& later) {
    later.first = here.first;
    later.at.resize(here.at.size());
    float reached = after == nullptr ? 1 : 0;
    std::size_t bin = after == nullptr ? here.end() : std::max(here.end(), after->end());
    while (bin-- > here.first) {
      reached *= stay;
      if (after != nullptr && bin >= after->first && bin < after->end()) {
        reached += after->at[bin - after->first];
      }
      reached += kLeast;
      if (bin < here.end()) later.at[bin - here.first] = reached;
    }
    scale(later.at);
  }

  /// So that the largest is one and none vanishes.
  static void scale(std::vector<float>& row) {
    float most = 0;
    for (const float each : row) most = std::max(most, each);
    if (!(most > 0)) {  // all vanished: it tells nothing
      std::fill(row.begin(), row.end(), 1.0F);
      return;
    }
    const float factor = 1 / most;
    for (float& each : row) each = each * factor + kLeast;
  }

  void place(TxnId txn, const Row& chances, const Row& later) {
    std::vector<float>& at = both_;
    at.resize(chances.at.size());
    float sum = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
      at[k] = chances.at[k] * later.at[k];
      sum += at[k];
    }
    const float least = *std::max_element(at.begin(), at.end()) * kSmall;
    std::size_t first = at.size();
    std::size_t last = 0;
    double middle = 0;
    double square = 0;
    double mass = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
      if (at[k] < least) continue;
      at[k] /= sum;
      mass += at[k];
      first = std::min(first, k);
      last = k;
      const double bin = static_cast<double>(k) + 0.5;
      middle += at[k] * bin;
      square += at[k] * bin * bin;
    }
    middle /= mass;
    square /= mass;
    places_[txn.raw()] = {(static_cast<double>(chances.first) + middle) * width_,
                          std::sqrt(std::max(square - middle * middle, 0.0)) * width_};
    Row& row = chances_[txn.raw()];
    row.first = chances.first + first;
    row.at.assign(at.begin() + static_cast<std::ptrdiff_t>(first),
                  at.begin() + static_cast<std::ptrdiff_t>(last + 1));
  }

  const std::vector<std::vector<TxnId>>& chains_;
  base::Budget& budget_;
  ValueTracks tracks_;
  std::vector<SupposedPlace> places_;  // by transaction
  std::vector<Row> chances_;           // by transaction: to be in a bin
  double count_ = 0;                   // of transactions
  double width_ = 1;                   // of a bin
  std::size_t bins_ = 0;
  // Of the session in hand, by its transaction.
  std::vector<Row> fits_;
  std::vector<Row> forward_;
  Row later_;
  std::vector<float> both_;
};

}  // namespace

std::vector<SupposedPlace> align_by_values(const Observations& seen,
                                           const std::vector<std::vector<TxnId>>& chains,
                                           const std::vector<double>& places,
                                           base::Budget& budget) {
  return Alignment(seen, chains, places, budget).run();
}

}  // namespace isolde::checker
