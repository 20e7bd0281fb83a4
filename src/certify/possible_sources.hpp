// From where reads may have come, whichever indeterminate transactions took effect and
// whichever of several transactions that wrote a value a read saw. Facts (facts.hpp) is what is
// certain; this is what else is possible.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "certify/external_reads.hpp"
#include "certify/final_writes.hpp"
#include "certify/value_table.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::certify {

/// If its transaction took effect, the read came from one of these.
struct PossibleRead {
  std::uint32_t op = 0;
  KeyId key;
  bool is_initial = false;     ///< possibly from the initial value
  std::vector<TxnId> writers;  ///< neither aborted nor the reader; wrote last what it may be
};

class PossibleSources {
 public:
  /// `session`: the level asks nothing of the reads of others; none: of all. COST: linear in
  /// the history.
  explicit PossibleSources(const History& history, bool with_absent_rows = true,
                           SessionId session = SessionId::none());

  /// Reads of registers, in program order, of which the level asks for something. A read that
  /// contradicts the transaction's own writes has no source at all. Where the history is cut
  /// off, reads of values that nobody wrote are left out: what is missing may have written
  /// them. COST: linear in the transaction's operations, once.
  const std::vector<PossibleRead>& reads(TxnId txn);

  /// The claim is about a read that could have come from there, or about a transaction that
  /// could have taken effect.
  bool makes_sense(const Claim& claim);

 private:
  std::vector<PossibleRead> look_up(TxnId txn);

  const History& history_;
  const SessionId session_;
  ReadSplitter splitter_;
  ValueTable<std::vector<TxnId>> last_writers_;  // registers only
  FinalWrites final_writes_;
  std::unordered_map<std::uint32_t, std::vector<PossibleRead>> reads_;
};

}  // namespace isolde::certify
