#include "certify/possible_sources.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace isolde::certify {

PossibleSources::PossibleSources(const History& history, bool with_absent_rows,
                                 SessionId session)
    : history_(history),
      session_(session),
      splitter_(history, with_absent_rows),
      final_writes_(history) {
  std::vector<TxnId> seen(history.key_count());  // by key: the last transaction that wrote it
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    const std::span<const Op> ops = history.ops(txn);
    // Backwards, so that the first write of a key we meet is the final one.
    for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
      if (op->kind != OpKind::kWrite || seen[op->key.raw()] == txn) continue;
      seen[op->key.raw()] = txn;
      std::vector<TxnId>& writers = last_writers_.add(op->key, op->value);
      ISOLDE_INVARIANT(writers.empty() || writers.back() < txn);
      writers.push_back(txn);
    }
  }
}

const std::vector<PossibleRead>& PossibleSources::reads(TxnId txn) {
  const auto known = reads_.find(txn.raw());
  if (known != reads_.end()) return known->second;
  return reads_.emplace(txn.raw(), look_up(txn)).first->second;
}

std::vector<PossibleRead> PossibleSources::look_up(TxnId txn) {
  std::vector<PossibleRead> found;
  if (session_.is_some() && history_.session_of(txn) != session_) return found;
  splitter_.split(txn);
  for (const std::uint32_t op : splitter_.inconsistent()) {
    found.push_back({op, history_.ops(txn)[op].key, false, {}});
  }
  for (const ExternalRead& read : splitter_.external()) {
    if (history_.is_list(read.key)) continue;
    const bool may_be_initial =
        read.is_initial() || (read.partial && read.fits_initial(history_));
    PossibleRead possible{read.op, read.key, may_be_initial, {}};
    const std::vector<TxnId>* writers = read.partial ? &final_writes_.fitting(read)
                                        : read.is_initial()
                                            ? nullptr
                                            : last_writers_.find(read.key, read.value);
    if (writers != nullptr) {
      possible.writers = *writers;
      std::erase(possible.writers, txn);
    }
    const bool unexplained =
        (!possible.is_initial && possible.writers.empty()) ||
        (read.partial && read.may_be_of_a_write(history_));  // by what is missing, too
    if (unexplained && history_.origin().truncated) continue;
    const bool is_nothing = read.is_initial() && history_.initial(read.key).is_null();
    if (history_.origin().values_repeat && !read.partial && !is_nothing) continue;
    found.push_back(std::move(possible));
  }
  std::sort(found.begin(), found.end(),
            [](const PossibleRead& a, const PossibleRead& b) { return a.op < b.op; });
  // The splitter names each read once.
  ISOLDE_INVARIANT(std::adjacent_find(found.begin(), found.end(),
                                      [](const PossibleRead& a, const PossibleRead& b) {
                                        return a.op == b.op;
                                      }) == found.end());
  return found;
}

bool PossibleSources::makes_sense(const Claim& claim) {
  const ReadSource& source = claim.source;
  if (source.txn.raw() >= history_.txn_count()) return false;
  if (history_.status(source.txn) == TxnStatus::kAborted) return false;
  if (source.op == Claim::kNoOp) return source.writer.is_none();
  for (const PossibleRead& read : reads(source.txn)) {
    if (read.op != source.op) continue;
    if (source.writer.is_none()) return read.is_initial;
    return std::find(read.writers.begin(), read.writers.end(), source.writer) !=
           read.writers.end();
  }
  return false;
}

}  // namespace isolde::certify
