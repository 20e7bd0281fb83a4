// Linearizability of one register with unique values, in near-linear time.
//
// A version with its readers is a cluster; clusters tied by read-modify-write operations follow
// one another without a gap and form a block. The first end and the last start in a block fix
// its order to other blocks (the zones of Gibbons & Korach, "Testing shared memories", SIAM J.
// Comput. 1997, for chains of clusters): block A precedes B when something in A ended before
// something in B started. No order exists when two blocks precede each other, when a block
// contradicts real time in itself, or when two operations overwrite the same version; otherwise
// blocks one after the other are a witness. Pairs of blocks suffice: take a longer cycle, and
// in it the block A with the first end of all. Its predecessor C in the cycle has something
// that started after an end in C's own predecessor, so after that first end; hence A precedes C
// as well.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "history/certificate.hpp"
#include "isolde/history.hpp"
#include "linear/key_table.hpp"

namespace isolde::checker {

/// What a transaction does to one register.
struct RegisterOp {
  TxnId txn;
  bool optional = false;  ///< outcome unknown: took effect or not
  bool reads = false;
  bool writes = false;
  /// Its reads agree with one state, its own writes and the conditions they were selected by.
  bool sound = true;
  Value read;   ///< before its own writes
  Value write;  ///< the last one
  Interval time;
};

/// When `op` finds the register, it holds what the partial read tells.
struct RegisterPartial {
  std::uint32_t op =
      0;  ///< among all of the register; it reads no value, or not before writing
  Partial tells;
};

/// All operations on one register.
struct RegisterOps {
  KeyId key;
  std::vector<RegisterOp> ops;           ///< by transactions that are not aborted, ascending
  std::vector<RegisterPartial> partial;  ///< ascending by operation

  /// REQUIRES: entries of one register.
  void collect(const History& history, std::span<const KeyTable::Entry> entries,
               std::int64_t clock_error_ns);

 private:
  void add(const History& history, const Op& part);
  void settle_partial(const History& history);
  std::size_t unsettled_ = 0;  // partial reads of the current operation begin here
};

class RegisterZones {
 public:
  enum class Outcome : std::uint8_t {
    kHolds,
    kViolated,
    kUnclear,  ///< a value is written twice, or a read has no source
  };

  /// Appends a witness to `order`, or fills in the refutation. Ignores partial reads: the
  /// witness lacks operations that do nothing else. COST: O(n log n) for sorting blocks and
  /// readers by time; one hash probe for each read and write.
  Outcome decide(KeyId key, std::span<const RegisterOp> ops, std::vector<TxnId>& order,
                 Refutation& refutation);

 private:
  using Op = std::uint32_t;       // position in ops_
  using Version = std::uint32_t;  // the operation that wrote it, or initial()

  static constexpr std::uint32_t kNone = 0xffffffffU;
  static constexpr std::uint32_t kBroken = 0xfffffffeU;

  /// A chain of versions, chain_[begin] up to chain_[end].
  struct Block {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::int64_t first_end = kForever;
    std::int64_t last_start = kNoTime;
    Op first_to_end = kNone;
    Op last_to_start = kNone;
  };

  Version initial() const { return static_cast<Version>(ops_.size()); }
  TxnId writer(Version version) const {
    return version == initial() ? TxnId::none() : ops_[version].txn;
  }
  /// The version that the operation leaves or, if it only reads, finds.
  Version version_of(Op op) const { return ops_[op].writes ? op : source_[op]; }

  bool find_sources();
  bool include();
  bool link();
  void group_readers();
  bool make_blocks();
  bool scan(Block& block);
  bool arrange(std::vector<TxnId>& order);
  void emit(const Block& block, std::vector<TxnId>& order);

  void refute_lost_update(Op first, Op second);
  void refute_circle(Op start);
  void refute_inside(Op later, Op earlier);
  void refute_pair(const Block& a, const Block& c);
  void move_target(Version before, Version& target, Version wanted);
  void move_source(Version& source, Version after, Version wanted);
  Edge real_time(Op from, Op to) const;
  Edge read_from(Version from, Op to) const;
  Edge onwards(Op from, Version to) const;
  Edge replaced(Version from, Version to) const;
  Edge missed(Op from, Version to) const;
  void add_step(std::vector<Edge> cycle, std::vector<VersionOrder> clause);

  KeyId key_;
  std::span<const RegisterOp> ops_;
  Refutation* refutation_ = nullptr;

  std::vector<std::uint32_t> slots_;  // hash table of operations by value written
  std::vector<Version> source_;       // by operation: version read, kNone or kBroken
  std::vector<std::uint8_t> included_;
  std::vector<Op> work_;
  std::vector<Op> next_;                     // by version: who read and replaced it
  std::vector<std::uint32_t> reader_begin_;  // CSR by version: who only read it
  std::vector<Op> readers_;
  std::vector<Version> chain_;         // versions, block after block
  std::vector<std::uint32_t> place_;   // by version: position in chain_
  std::vector<Block> blocks_;          // the first one begins with the initial version
  std::vector<std::uint32_t> by_end_;  // blocks but the first
  std::vector<std::uint32_t> by_start_;
  std::vector<std::uint8_t> emitted_;
};

}  // namespace isolde::checker
