#include "source/source_guess.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <variant>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "infer/open_index.hpp"
#include "source/choice_guess.hpp"
#include "source/chosen.hpp"

namespace isolde::checker {
namespace {

using infer::EventGraph;
using infer::NodeId;
using infer::Observations;
using infer::OpenRead;
using infer::WriteId;

/// A walk along the order of events. Skips doubtful transactions: most did not take effect.
class Walk {
 public:
  Walk(const EventGraph& events, const prune::Derivation& derived, std::vector<WriteId> hints,
       base::Budget& budget)
      : events_(events),
        derived_(derived),
        seen_(events.observations()),
        budget_(budget),
        lists_of_(source_lists_by_write(seen_)),
        latest_(seen_.source_lists().size()),
        version_(seen_.history().key_count()),
        sources_(std::move(hints)) {
    ISOLDE_ASSERT(sources_.empty() || sources_.size() == seen_.open_reads().size());
    sources_.resize(seen_.open_reads().size());
    if (derived_.narrows()) written_.assign(seen_.write_count(), 0);
  }

  std::vector<WriteId> run(const std::vector<NodeId>& order) {
    for (const NodeId node : order) {
      if (!events_.is_txn(node)) continue;
      const TxnId txn = events_.txn(node);
      if (node == events_.begin(txn)) read(txn);
      if (node == events_.commit(txn) && !seen_.is_doubtful(txn)) write(txn);
      if (!budget_.spend(8)) break;
    }
    return std::move(sources_);
  }

 private:
  void read(TxnId txn) {
    const std::vector<OpenRead>& reads = seen_.open_reads();
    auto at =
        std::lower_bound(reads.begin(), reads.end(), txn,
                         [](const OpenRead& each, TxnId wanted) { return each.txn < wanted; });
    for (; at != reads.end() && at->txn == txn; ++at) {
      const auto number = static_cast<std::size_t>(at - reads.begin());
      WriteId& source = sources_[number];
      if (derived_.narrows()) {
        source = choose_of(derived_.sources(number), version_[at->key.raw()], source);
      } else if (source.is_none()) {
        source = choose(*at);
      }
    }
  }

  /// Of the remaining sources: the hint, the current version, or the last one written.
  WriteId choose_of(std::span<const WriteId> left, WriteId now, WriteId hint) const {
    if (left.size() == 1) return left[0];
    budget_.spend(left.size());
    WriteId latest;
    std::uint32_t latest_time = 0;
    bool has_now = false;
    for (const WriteId source : left) {
      if (source.is_some() && source == hint) return source;
      has_now = has_now || source == now;
      const std::uint32_t time = source.is_none() ? 0 : written_[source.raw()];
      if (time <= latest_time) continue;
      latest_time = time;
      latest = source;
    }
    if (has_now) return now;
    return latest.is_none() && !left.empty() ? left.back() : latest;
  }

  WriteId choose(const OpenRead& read) const {
    const infer::Sources sources = seen_.sources(read);
    const WriteId now = version_[read.key.raw()];
    if (now.is_none() ? read.is_initial : sources.contains(now)) return now;
    if (latest_[read.list].is_some()) return latest_[read.list];
    return read.is_initial || sources.empty() ? WriteId::none() : sources[0];
  }

  void write(TxnId txn) {
    for (const WriteId write : seen_.writes(txn)) {
      version_[seen_.written_key(write).raw()] = write;
      if (derived_.narrows()) written_[write.raw()] = ++time_;
      for (const std::uint32_t list : lists_of_.row(write.raw())) latest_[list] = write;
      budget_.spend(lists_of_.row(write.raw()).size() + 4);
    }
  }

  const EventGraph& events_;
  const prune::Derivation& derived_;
  const Observations& seen_;
  base::Budget& budget_;
  base::Csr<std::uint32_t> lists_of_;   // by write
  std::vector<WriteId> latest_;         // by source list: the one written last
  std::vector<WriteId> version_;        // by key: the current one
  std::vector<WriteId> sources_;        // by open read
  std::vector<std::uint32_t> written_;  // by write, where sources are narrowed: when
  std::uint32_t time_ = 0;
};

}  // namespace

std::vector<WriteId> told_sources(const Observations& seen, base::Budget& budget) {
  const History& history = seen.history();
  if (!history.has_versions()) return {};
  const auto name = [&](const Op& op) {
    return std::pair(std::uint64_t{op.key.raw()}, history.version(op).bits());
  };
  struct Hash {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& pair) const {
      return base::mix2(pair.first, pair.second);
    }
  };
  std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, TxnId, Hash> writers;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    if (!seen.is_included(TxnId::at(t))) continue;
    const std::span<const Op> ops = history.ops(TxnId::at(t));
    for (const Op& op : ops) {
      if (op.kind != OpKind::kWrite || history.version(op).is_null()) continue;
      writers.try_emplace(name(op), TxnId::at(t));
    }
    if (!budget.spend(ops.size() * 4)) return {};
  }
  std::vector<WriteId> sources;
  for (const OpenRead& read : seen.open_reads()) {
    WriteId& source = sources.emplace_back();
    const Op& op = history.ops(read.txn)[read.op];
    if (history.version(op).is_null()) continue;
    const auto writer = writers.find(name(op));
    if (writer == writers.end()) continue;
    const WriteId write = seen.find_write(writer->second, read.key);
    if (write.is_some() && seen.sources(read).contains(write)) source = write;
  }
  return sources;
}

std::vector<WriteId> sources_along(const EventGraph& events, const prune::Derivation& derived,
                                   const std::vector<NodeId>& order,
                                   const std::vector<WriteId>& hints, base::Budget& budget) {
  return Walk(events, derived, hints, budget).run(order);
}

std::optional<Witness> witness_with_sources(const Observations& seen, const Question& question,
                                            const std::vector<WriteId>& sources,
                                            const CheckOptions& options,
                                            CheckStatistics& statistics, base::Budget& budget) {
  const std::vector<OpenRead>& reads = seen.open_reads();
  ISOLDE_ASSERT(sources.size() == reads.size());
  const infer::SourceOf source_of = [&](TxnId reader, std::uint32_t op) {
    return seen.writer_or_none(sources[infer::find_open(seen, reader, op)]);
  };
  const Observations chosen = infer::observe_chosen(seen.history(), source_of, budget);
  if (budget.exhausted() || chosen.finding() || !chosen.ambiguity().empty())
    return std::nullopt;
  std::optional<Proof> proof =
      decide_chosen(chosen, question, options, statistics, Effort{.guess_only = true}, budget);
  auto* const found = proof ? std::get_if<Witness>(&*proof) : nullptr;
  if (found == nullptr) return std::nullopt;
  std::optional<Witness> witness = std::move(*found);
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const OpenRead& read = reads[i];
    if (!chosen.is_included(read.txn) || seen.sources(read).empty()) continue;
    witness->sources.push_back({read.txn, read.op, seen.writer_or_none(sources[i])});
  }
  return witness;
}

}  // namespace isolde::checker
