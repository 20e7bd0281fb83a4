#include "source/value_tracks.hpp"

#include <algorithm>
#include <cmath>

#include "base/assert.hpp"
#include "infer/open_index.hpp"
#include "source/choice_guess.hpp"

namespace isolde::checker {
namespace {

using infer::Observations;
using infer::OpenRead;
using infer::WriteId;

constexpr std::uint32_t kNoState = 0xffffffffU;
/// No value is excluded altogether.
constexpr float kLeastError = 1e-7F;
/// So much of a read does not count.
constexpr float kNegligible = 1e-4F;
/// How much half of a bin's reads can say, as a logarithm: more would leave the range of
/// floats.
constexpr float kMost = 30;

}  // namespace

/// `written` writes are expected, at any time of the bin.
ValueTracks::Change ValueTracks::change_by(float written) {
  Change change;
  change.kept = std::exp(-written);
  // The differences below would round to noise.
  const bool is_little = written < 0.01F;
  change.put = is_little ? 1 - written / 2 : (1 - change.kept) / written;
  change.met = change.put;
  change.set = is_little ? 0.5F - written / 6 : (1 - change.met) / written;
  return change;
}

ValueTracks::ValueTracks(const Observations& seen, base::Budget& budget) : budget_(budget) {
  const infer::SourceLists& lists = seen.source_lists();
  const base::Csr<std::uint32_t> lists_of = source_lists_by_write(seen);
  const auto is_list_of = [&](std::uint32_t list, WriteId write) {
    return lists_of.row(write.raw()).front() == list;
  };
  std::vector<std::vector<std::uint32_t>> lists_of_key(seen.history().key_count());
  for (std::uint32_t list = 0; list < lists.size(); ++list) {
    const std::span<const WriteId> writes = lists.list(list);
    const bool is_value = std::all_of(writes.begin(), writes.end(),
                                      [&](WriteId write) { return is_list_of(list, write); });
    if (writes.empty() || !is_value) continue;
    lists_of_key[seen.written_key(writes.front()).raw()].push_back(list);
  }
  std::vector<std::uint32_t> first_of_key(lists_of_key.size(), kNoState);
  std::vector<std::uint32_t> state_of_list(lists.size(), kNoState);
  for (std::size_t k = 0; k < lists_of_key.size(); ++k) {
    if (lists_of_key[k].empty()) continue;
    const auto first = static_cast<std::uint32_t>(key_of_.size());
    const auto count = static_cast<std::uint32_t>(2 + lists_of_key[k].size());
    first_of_key[k] = first;
    for (std::uint32_t i = 2; i < count; ++i) state_of_list[lists_of_key[k][i - 2]] = first + i;
    key_of_.insert(key_of_.end(), count, static_cast<std::uint32_t>(keys_.size()));
    keys_.push_back({first, count});
  }
  budget_.spend((lists.write_count() + lists.size() + seen.write_count()) * 8);
  const infer::OpenIndex open_index(seen);
  uses_ = base::Csr<Use>::build(seen.txn_count(), [&](const auto& add) {
    for (std::size_t t = 0; t < seen.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (!seen.is_included(txn)) continue;
      for (const infer::ReadFrom& read : seen.reads(txn)) {
        const std::uint32_t first = first_of_key[read.key.raw()];
        if (read.source.is_none() && first != kNoState) add(t, Use{first, false});
      }
      for (std::uint32_t i = open_index.begin(txn); i < open_index.end(txn); ++i) {
        const OpenRead& read = seen.open_reads()[i];
        const std::uint32_t state = state_of_list[read.list];
        if (!read.is_initial && state != kNoState) add(t, Use{state, false});
      }
      for (const WriteId write : seen.writes(txn)) {
        const std::uint32_t first = first_of_key[seen.written_key(write).raw()];
        if (first == kNoState) continue;
        const std::span<const std::uint32_t> its_lists = lists_of.row(write.raw());
        const std::uint32_t state =
            its_lists.empty() ? kNoState : state_of_list[its_lists.front()];
        add(t, Use{state == kNoState ? first + 1 : state, true});
      }
    }
  });
  budget_.spend(uses_.item_count() * 8);
}

void ValueTracks::start(std::size_t bin_count) {
  bins_ = bin_count;
  const std::size_t cells = bin_count * state_count();
  reads_.assign(cells, 0);
  writes_.assign(cells, 0);
  read_fits_.resize(cells);
  write_fits_.resize(cells);
  budget_.spend(cells);
}

void ValueTracks::count(TxnId txn, std::size_t first_bin, std::span<const float> chances,
                        float sign) {
  ISOLDE_ASSERT(first_bin + chances.size() <= bins_);
  for (const Use use : uses(txn)) {
    const Key& key = keys_[key_of_[use.state]];
    std::vector<float>& counts = use.is_write ? writes_ : reads_;
    std::size_t cell = key.first * bins_ + first_bin * key.count + (use.state - key.first);
    for (const float chance : chances) {
      counts[cell] += sign * chance;
      cell += key.count;
    }
  }
  budget_.spend((uses(txn).size() + 1) * chances.size());
}

bool ValueTracks::follow(float doubt) {
  for (const Key& key : keys_) {
    forward(key, doubt);
    backward(key, doubt);
    if (!budget_.spend(std::uint64_t{key.count} * bins_ * 16)) return false;
  }
  return true;
}

/// The chance of each state before each bin. Half of a bin's reads tell of the state before the
/// bin's writes, half of that after them.
void ValueTracks::forward(const Key& key, float doubt) {
  const std::size_t count = key.count;
  const float weight = 0.5F * std::log((1 - doubt) * static_cast<float>(count - 1) / doubt);
  before_.assign((bins_ + 1) * count, 0);
  before_[0] = 1;
  told_.resize(bins_ * count);
  changes_.resize(bins_);
  for (std::size_t bin = 0; bin < bins_; ++bin) {
    const std::size_t cell = key.first * bins_ + bin * count;
    float* const told = &told_[bin * count];
    float* const writes = &writes_[cell];
    const float* const before = &before_[bin * count];
    float written = 0;
    float agreed = 0;
    for (std::size_t i = 0; i < count; ++i) {
      writes[i] = std::max(writes[i], 0.0F);  // removing leaves rounding errors
      written += writes[i];
      const float read = reads_[cell + i];
      told[i] = read < kNegligible ? 1 : std::exp(std::min(weight * read, kMost));
      agreed += before[i] * told[i];
    }
    const Change change = change_by(written);
    changes_[bin] = change;
    float* const after = &before_[(bin + 1) * count];
    float sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      after[i] =
          (before[i] * told[i] * change.kept + agreed * change.put * writes[i]) * told[i] +
          kLeastError;
      sum += after[i];
    }
    for (std::size_t i = 0; i < count; ++i) after[i] /= sum;
  }
}

/// What comes after each bin, and with it what fits in the bin.
void ValueTracks::backward(const Key& key, float doubt) {
  const std::size_t count = key.count;
  const float by_chance = doubt / static_cast<float>(count);
  std::vector<float> later(count, 1);  // by state after the bin: what it says of what follows
  std::vector<float> here(count);
  std::vector<float> now(count);
  for (std::size_t bin = bins_; bin-- > 0;) {
    const float* const told = &told_[bin * count];
    const float* const writes = &writes_[key.first * bins_ + bin * count];
    const float* const before = &before_[bin * count];
    const Change& change = changes_[bin];
    float replaced = 0;  // what follows once a write of this bin has replaced the value
    float agreed = 0;
    for (std::size_t i = 0; i < count; ++i) {
      later[i] *= told[i];
      replaced += writes[i] * later[i];
      agreed += before[i] * told[i];
    }
    float all = 0;
    for (std::size_t i = 0; i < count; ++i) {
      now[i] = before[i] * told[i] * change.met + agreed * change.set * writes[i];
      here[i] = change.met * later[i] + change.set * replaced;
      all += now[i] * here[i];
    }
    const float share = (1 - doubt) / all;
    float sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t fit = (key.first + i) * bins_ + bin;
      read_fits_[fit] = now[i] * here[i] * share + by_chance;
      write_fits_[fit] = here[i] * share + doubt;
      later[i] = (change.kept * later[i] + change.put * replaced) * told[i];
      sum += later[i];
    }
    for (float& each : later) each *= static_cast<float>(count) / sum;
  }
}

}  // namespace isolde::checker
