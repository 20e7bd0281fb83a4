// Proofs: what a verdict rests on. A level that holds is proved by a witness: one order of the
// transactions that passes the level's commit test, or one for each session. A violated level
// is proved by a finding (one transaction that no order can explain) or by a refutation: cycles
// of dependencies that rule out every order. docs/formats/certificate.md specifies the file
// format and what the verifier checks; certify/verify.hpp is that verifier, and shares no code
// with the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "isolde/history.hpp"
#include "isolde/level.hpp"

namespace isolde {

/// Read `op` of `txn` returned the final write of `writer`. Where several transactions wrote
/// the value, the history alone does not determine the writer.
struct ReadSource {
  TxnId txn;
  std::uint32_t op = 0;
  TxnId writer;  ///< none: the initial value
  friend bool operator==(const ReadSource&, const ReadSource&) = default;
};

/// One execution. It lists each included transaction once, in commit order (the snapshot is
/// then the state just before), or twice: first its snapshot, then its commit. Included are the
/// committed transactions and those indeterminate ones that an included transaction read from.
struct Witness {
  int mentions = 1;  ///< 1 or 2
  std::vector<TxnId> order;
  /// The sources of reads whose value several transactions wrote. Counts where the level's test
  /// is about sources; a read that is not listed came from the latest possible one.
  std::vector<ReadSource> sources = {};
  friend bool operator==(const Witness&, const Witness&) = default;
};

/// Executions for the levels that grant each session its own (causal and the four session
/// guarantees): every session with included transactions is in exactly one of them, and every
/// execution orders all included transactions. Where one execution explains all sessions the
/// proof is a Witness with one mention.
struct SessionWitness {
  struct Execution {
    std::vector<SessionId> sessions;  ///< whose transactions it explains
    std::vector<TxnId> order;
    friend bool operator==(const Execution&, const Execution&) = default;
  };
  std::vector<Execution> executions;
  friend bool operator==(const SessionWitness&, const SessionWitness&) = default;
};

enum class FindingKind : std::uint8_t {
  kInternal,           ///< a read disagrees with the transaction's own earlier operations
  kAbortedRead,        ///< G1a: the value was written only by aborted transactions
  kIntermediateRead,   ///< G1b: the value is not the writer's last one for the key
  kFutureRead,         ///< the value is written only later in the same transaction
  kUnwrittenRead,      ///< nobody wrote the value
  kNonRepeatableRead,  ///< two reads of one key saw different writers (snapshot levels and up)
  kIncompatibleOrder,  ///< two list reads of which neither is a prefix of the other
  kDuplicateElement,   ///< a list read holds an element twice
  kUnselectedRow,      ///< a selection returned a row that its condition does not select
  kImpossibleNumber,   ///< no increments add up to the number that was read
  kImpossibleTotal,    ///< nor to what the transaction read of several keys in all
};
inline constexpr std::size_t kFindingKindCount =
    static_cast<std::size_t>(FindingKind::kImpossibleTotal) + 1;

/// A violation shown by one or two reads alone.
struct Finding {
  FindingKind kind = FindingKind::kInternal;
  TxnId txn;             ///< the reader; always included
  std::uint32_t op = 0;  ///< index of the read in the transaction, from 0
  /// List reads: index of the element that is aborted, unwritten, repeated, or the last one
  /// seen of the writer's incomplete elements (intermediate). Otherwise 0.
  std::uint32_t element = 0;
  /// kAbortedRead, kIntermediateRead: a writer of the value. kNonRepeatableRead: none.
  /// kIncompatibleOrder: the other reader. Otherwise none.
  TxnId other;
  /// kNonRepeatableRead: the earlier read in `txn`. kIncompatibleOrder: the read in `other`.
  std::uint32_t other_op = 0;
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// "before precedes after in the version order of every key both write."
struct VersionOrder {
  TxnId before;
  TxnId after;
  friend bool operator==(const VersionOrder&, const VersionOrder&) = default;
};

/// "This transaction took effect, and this read of it has this source", or the negation. With
/// kNoOp in place of the read: "it took effect".
struct Claim {
  static constexpr std::uint32_t kNoOp = 0xffffffffU;
  ReadSource source;
  bool denied = false;
  friend bool operator==(const Claim&, const Claim&) = default;
};

enum class EdgeKind : std::uint8_t {
  kSessionOrder,    ///< so: same session, earlier
  kRealTime,        ///< rt: `from` ended before `to` started
  kReadFrom,        ///< wr: `to` read key from `from`
  kVersionOrder,    ///< ww: both write key, `from` first
  kAntiDependency,  ///< rw: `from` read key from `via`, which precedes `to`'s write of it
  // The axioms of Biswas & Enea: `via` read key from `to` although `from`, which also writes
  // key, was visible to it; so `from` precedes `to`. from == to says that `via` read the
  // initial version. What makes `from` visible:
  kMonotonicView,  ///< mv: `via` read from it earlier (monotonic-atomic-view, read-atomic and
                   ///< transactional-causal)
  kAtomicView,     ///< av: `via` read from it, or it precedes `via` in session or real time,
                   ///< whichever binds (read-atomic and transactional-causal)
  kCausalView,     ///< cv: a path of such dependencies leads to `via` (transactional-causal)
  // By the database's own times (levels defined by them):
  kCommitOrder,      ///< co: `from` committed before `to` did
  kStartedBefore,    ///< sc: `from` started before `to` committed, so its snapshot lacks `to`
  kCommittedBefore,  ///< cs: `from` committed before `to` started, so the snapshot of `to`
                     ///< holds it (commit-ordered-strong-snapshot-isolation)
};
inline constexpr std::size_t kEdgeKindCount =
    static_cast<std::size_t>(EdgeKind::kCommittedBefore) + 1;

constexpr bool is_view(EdgeKind kind) {
  return kind == EdgeKind::kMonotonicView || kind == EdgeKind::kAtomicView ||
         kind == EdgeKind::kCausalView;
}

/// One dependency: `from` precedes `to` in every acceptable order, provided the version order
/// it rests on (ww: from before to; rw: via before to) holds.
struct Edge {
  TxnId from;
  TxnId to;
  EdgeKind kind = EdgeKind::kSessionOrder;
  KeyId key;  ///< none for so and rt
  TxnId via;  ///< rw: writer of the version read, none for the initial one; views: the reader
  friend bool operator==(const Edge&, const Edge&) = default;
};

/// "The transaction's selection of that number, which is an aggregate, does not have its result
/// from these versions."
struct WrongResult {
  TxnId txn;
  std::uint32_t selection = 0;  ///< in History::selections()
  friend bool operator==(const WrongResult&, const WrongResult&) = default;
};

/// One step of a refutation. It establishes a clause: at least one of `clause` and `claims` is
/// true in every acceptable order. A step with a cycle may assume what its claims deny. A
/// version order that an edge rests on is *direct* when the later writer read from the earlier
/// one (any key), or when list reads show both on one key in that order (an append that the
/// longest list read does not show comes after all that it shows); *established* when an
/// earlier step's clause consists of it alone; and *assumed* otherwise. REQUIRES: for every
/// assumed order (a before b), the clause has (b before a).
struct RefutationStep {
  std::vector<VersionOrder> clause;
  /// Not empty: a cycle; edge i leads to where edge i+1 starts, the last to the first.
  std::vector<Edge> cycle;
  /// For steps without a cycle: earlier steps (by position) from which the clause follows by
  /// unit propagation, in an order in which they can be used, as far as possible.
  std::vector<std::uint32_t> from;
  /// Only where values repeat: the rest of the clause, about the sources of reads.
  std::vector<Claim> claims = {};
  /// In place of a cycle: if no claim of the clause is true, this has another result.
  std::optional<WrongResult> wrong_result = {};
  /// It follows from earlier steps, or from what holds of all reads.
  bool is_derived() const { return cycle.empty() && !wrong_result; }
  friend bool operator==(const RefutationStep&, const RefutationStep&) = default;
};

/// Ends with a step whose clause is empty. A single step with a cycle and an empty clause is
/// the simple case: a cycle in which every edge is certain.
struct Refutation {
  std::vector<RefutationStep> steps;
  /// Levels that grant each session its own execution: the session without one. Otherwise none.
  SessionId session = {};
  friend bool operator==(const Refutation&, const Refutation&) = default;
};

/// Linearizable: an order for each key. Key k has order[begin[k]] up to order[begin[k + 1]]:
/// the committed transactions with an operation on it and some of the indeterminate ones, each
/// once.
struct KeyWitness {
  std::vector<std::size_t> begin;  ///< one for each key of the history, and one more
  std::vector<TxnId> order;
  friend bool operator==(const KeyWitness&, const KeyWitness&) = default;
};

/// Not linearizable, on a key where values repeat: no order of its operations explains all that
/// had returned when `until` returned. The verifier tries all orders itself.
struct KeyExhaustion {
  KeyId key;
  TxnId until;  ///< committed, and uses the key
  friend bool operator==(const KeyExhaustion&, const KeyExhaustion&) = default;
};

using DirectProof =
    std::variant<Witness, Finding, Refutation, SessionWitness, KeyWitness, KeyExhaustion>;

/// Another level holds and implies this one; or it is violated and this one implies it. `proof`
/// is about that other level, and decides this one only through it.
struct Implication {
  Level level = Level::kSerializable;  ///< the other level
  DirectProof proof;
  friend bool operator==(const Implication&, const Implication&) = default;
};

using Proof = std::variant<Witness, Finding, Refutation, SessionWitness, KeyWitness,
                           KeyExhaustion, Implication>;

/// The proof proves that a level holds, not that it is violated.
inline bool proves_holding(const DirectProof& proof) {
  return std::holds_alternative<Witness>(proof) ||
         std::holds_alternative<SessionWitness>(proof) ||
         std::holds_alternative<KeyWitness>(proof);
}
inline bool proves_holding(const Proof& proof) {
  if (const auto* implication = std::get_if<Implication>(&proof)) {
    return proves_holding(implication->proof);
  }
  return std::holds_alternative<Witness>(proof) ||
         std::holds_alternative<SessionWitness>(proof) ||
         std::holds_alternative<KeyWitness>(proof);
}

inline Proof as_proof(DirectProof proof) {
  return std::visit([](auto&& each) { return Proof(std::move(each)); }, std::move(proof));
}

/// The largest clock error that a certificate may assume: a day. With more, real time says
/// nothing.
inline constexpr std::int64_t kMaxClockErrorNs = std::int64_t{86'400} * 1'000'000'000;

/// A proof together with what it proves.
struct Certificate {
  Level level = Level::kSerializable;
  std::uint64_t history_digest = 0;
  std::int64_t clock_error_ns = 0;  ///< real-time edges need a gap larger than this
  Proof proof;
  /// The proof is about the history with its versions trusted
  /// (History::with_trusted_versions()).
  bool trusts_versions = false;
  /// The proof is about the history with these sums of increments (History::with_sums()); for
  /// levels that hold, where sums are not known.
  std::vector<std::int64_t> sums = {};

  bool holds() const { return proves_holding(proof); }

  /// The clock error that the proof rests on: 0 where real time binds neither at the level nor
  /// at the one that it follows from.
  std::int64_t assumed_clock_error_ns() const {
    const auto* const implication = std::get_if<Implication>(&proof);
    const bool uses_clocks = needs_times(info(level)) ||
                             (implication != nullptr && needs_times(info(implication->level)));
    return uses_clocks ? clock_error_ns : 0;
  }

  /// The certificate of the level that the proof is about: for an Implication the other
  /// level's, else this one.
  Certificate direct() const {
    const auto* const implication = std::get_if<Implication>(&proof);
    if (implication == nullptr) return *this;
    return {implication->level,           history_digest,  clock_error_ns,
            as_proof(implication->proof), trusts_versions, sums};
  }
};

}  // namespace isolde
