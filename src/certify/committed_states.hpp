// What every external read can have returned, in an execution that is carried out transaction
// by transaction: the states that commits left behind.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "certify/external_reads.hpp"
#include "certify/value_table.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::certify {

/// Position in the order of a transaction; kInitial stands before all of them.
using Position = std::int64_t;
inline constexpr Position kInitial = -1;
inline constexpr Position kNowhere = -2;

/// Invariants: C1 positions ascend in each list and in the versions of each key, in the latter
/// strictly; C2 where values_ are kept, each version has one.
class CommittedStates {
 public:
  /// `sources` are those that the witness names.
  CommittedStates(const History& history, std::span<const ReadSource> sources)
      : history_(history), list_(history.key_count()), versions_(history.key_count()) {
    if (!history.predicates().empty()) values_.resize(history.key_count());
    for (const ReadSource& source : sources) named_[{source.txn, source.op}] = source.writer;
    if (!named_.empty()) commit_.assign(history.txn_count(), kNowhere);
  }

  /// The transaction takes effect; `at` is its place in the order, larger than all before.
  void commit(TxnId txn, std::uint32_t at);

  /// Who left what the reader's read returned, or kNowhere: the source that the witness names,
  /// if it does. Else, where several transactions wrote the value, the latest of those that
  /// already committed; any of them would be allowed, and the witness is then judged by this
  /// one.
  Position find_source(TxnId reader, const ExternalRead& read);

  /// What the transaction at that position left in the register. REQUIRES: it is one of the
  /// key's versions, or kInitial; the history has conditions.
  Value version_at(KeyId key, Position position) const;

  /// Positions of the key's writers so far, ascending.
  const std::vector<std::uint32_t>& versions(KeyId key) const { return versions_[key.raw()]; }

 private:
  struct Element {
    Value value;
    std::uint32_t writer = 0;  ///< position of the transaction that appended it
  };

  Position named_source(TxnId writer, const ExternalRead& read) const;
  Position latest_source(const ExternalRead& read);
  Position find_fitting(const ExternalRead& read) const;

  const History& history_;
  std::vector<std::vector<Element>> list_;            // by key: the list now
  std::vector<std::vector<std::uint32_t>> versions_;  // by key
  std::vector<std::vector<Value>> values_;            // of versions of registers, or empty
  ValueTable<std::uint32_t> last_writer_;             // of registers, by final value
  std::map<std::pair<TxnId, std::uint32_t>, TxnId> named_;  // by read
  std::vector<Position> commit_;  // by transaction, when sources are named
};

}  // namespace isolde::certify
