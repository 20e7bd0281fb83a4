// The tests, for a session se and an execution e of all transactions (Table 4.1). T' ->se T: T'
// is earlier in session se. sf and sl: first and last read state of an operation, which for
// writes and internal reads are the first state and the one before the transaction. PREREAD:
// every read has a read state.
//   read-your-writes     [S1] PREREAD of se; for all operations o of T, T' ->se T with writes:
//                             s_T' is at or before sl_o
//   monotonic-reads      [S2] PREREAD of se; IRC(T); for all operations o of T and o' of T'
//   ->se
//                             T: sf_o' is at or before sl_o
//   monotonic-writes     [S3] PREREAD of se; in every session: Ti ->se' Tj, both with writes:
//                             s_Ti is before s_Tj
//   writes-follow-reads  [S4] PREREAD of all; in every session: Ti ->se' Tj, Tj with writes: sf
//                             of all operations of Ti is before s_Tj
//   causal               [S5] PREREAD of all; IRC(T); for all operations o of T, T' ->se T:
//   s_T'
//                             is at or before sl_o; in every session: Ti ->se' Tj: s_Ti is
//                             before s_Tj
// All conditions are about one transaction, or about two of one session, and about states
// before them. So an execution can be built transaction by transaction: each condition is
// looked at as soon as all that it speaks of is in.
#include "oracle/session_tests.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace isolde::oracle {
namespace {

class SessionTest {
 public:
  SessionTest(const Execution& execution, BaseLevel base, SessionId session)
      : execution_(execution), base_(base), session_(session) {}

  // Whether the reads of the transaction must have read states.
  bool asks_for_reads(TxnId txn) const { return asks_for_all_reads(base_) || is_own(txn); }

  // Conditions about the transaction, and about it and those that are in already.
  bool passes(const Step& step) const {
    const bool is_irc = base_ == BaseLevel::kMonotonicReads || base_ == BaseLevel::kCausal;
    if (is_irc && is_own(step.txn) && !execution_.reads_forward(step)) return false;
    return std::all_of(execution_.steps().begin(), execution_.steps().end(),
                       [&](const Step& other) {
                         if (execution_.precedes_in_session(other.txn, step.txn))
                           return agree(other, step);
                         if (execution_.precedes_in_session(step.txn, other.txn))
                           return agree(step, other);
                         return true;
                       });
  }

 private:
  bool is_own(TxnId txn) const { return execution_.history().session_of(txn) == session_; }
  bool has_writes(const Step& step) const {
    return !execution_.effects(step.txn).writes.empty();
  }

  static bool all_reach(const Step& step, std::size_t state) {
    return std::all_of(step.ops.begin(), step.ops.end(),
                       [&](const StateRange& op) { return state <= op.last; });
  }

  // Conditions about Ti ->se' Tj.
  bool agree(const Step& ti, const Step& tj) const {
    const auto& reads_of_ti = ti.ops;
    switch (base_) {
      case BaseLevel::kReadYourWrites:
        return !is_own(tj.txn) || !has_writes(ti) || all_reach(tj, ti.position);
      case BaseLevel::kMonotonicReads:
        return !is_own(tj.txn) ||
               std::all_of(reads_of_ti.begin(), reads_of_ti.end(),
                           [&](const StateRange& op) { return all_reach(tj, op.first); });
      case BaseLevel::kMonotonicWrites:
        return !has_writes(ti) || !has_writes(tj) || ti.position < tj.position;
      case BaseLevel::kWritesFollowReads:
        return !has_writes(tj) ||
               std::all_of(reads_of_ti.begin(), reads_of_ti.end(),
                           [&](const StateRange& op) { return op.first < tj.position; });
      case BaseLevel::kCausal:
        return ti.position < tj.position && (!is_own(tj.txn) || all_reach(tj, ti.position));
      default:
        ISOLDE_CHECK(false);
        return false;
    }
  }

  const Execution& execution_;
  BaseLevel base_;
  SessionId session_;
};

bool complete(Execution& execution, const SessionTest& test) {
  if (execution.is_complete()) return true;
  for (const TxnId txn : execution.included()) {
    if (execution.contains(txn)) continue;
    std::vector<Step> steps = {execution.bare_step(txn)};
    if (test.asks_for_reads(txn)) steps = execution.explained_steps(txn);
    for (Step& step : steps) {
      if (!test.passes(step)) continue;
      execution.push(std::move(step));
      if (complete(execution, test)) return true;
      execution.pop();
    }
  }
  return false;
}

}  // namespace

bool asks_for_all_reads(BaseLevel base) {
  return base == BaseLevel::kWritesFollowReads || base == BaseLevel::kCausal;
}

bool complete_for_session(Execution& execution, BaseLevel base, SessionId session) {
  return complete(execution, SessionTest(execution, base, session));
}

}  // namespace isolde::oracle
