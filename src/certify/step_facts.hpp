// What a step of a refutation may take for granted: what is certain of the history (Facts), and
// what the step's clause denies. If one of these is not so, the clause is true anyway.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "certify/facts.hpp"
#include "history/certificate.hpp"

namespace isolde::certify {

class StepFacts {
 public:
  StepFacts(const History& history, bool with_absent_rows)
      : history_(history), known_(history, with_absent_rows) {}

  /// REQUIRES: nothing is supposed; the claims make sense.
  void suppose(const RefutationStep& step);
  void forget();

  /// What holds whatever is supposed.
  const Facts& known() const { return known_; }

  bool certain(TxnId txn) const { return known_.certain(txn) || supposed_.count(txn) != 0; }
  bool read_from(TxnId reader, TxnId writer, KeyId key) const;
  bool read_from(TxnId reader, TxnId writer) const;
  /// In program order.
  std::vector<SourcedRead> reads(TxnId txn) const;
  bool writes(TxnId txn, KeyId key) const;
  bool listed_before(TxnId a, TxnId b) const { return known_.listed_before(a, b); }

 private:
  const History& history_;
  const Facts known_;
  std::set<TxnId> supposed_;  // took effect
  std::map<TxnId, std::vector<SourcedRead>> supposed_reads_;
};

}  // namespace isolde::certify
