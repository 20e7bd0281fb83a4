// PartialSources: possible sources of partial reads, of which only is known what the version
// did not hold (negative reads), or some of its columns and by what it was selected. The
// initial version may be what a negative read returned; every final write that fits may be what
// either did. What readers of the same key with the same knowledge share is computed once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/csr.hpp"
#include "base/hash.hpp"
#include "base/numbering.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::infer {

class PartialSources {
 public:
  /// COST: linear in the operations and in the columns written, nothing for a history without
  /// such reads.
  PartialSources(const History& history, base::Budget& budget);

  /// Transactions that did not abort and whose final write of the key fits, ascending; may
  /// include the reader itself, which does not count. Empty: no write is possible, or the
  /// budget ran out. Valid until the next call. REQUIRES: op.is_partial(). COST: once for each
  /// key and what is known of its value, linear in the key's writers or, where the read told
  /// columns, in those that agree in one of them; for a predicate that any row fits constant.
  std::span<const TxnId> find(const Op& op);
  /// Whether there is one besides the reader.
  bool any(TxnId reader, const Op& op);
  /// One besides the reader whose write all of these reads of one key can have returned, or
  /// none, also when the budget ran out. COST: that of find() for each, and the shortest of
  /// what these find, times the number of reads.
  TxnId common(TxnId reader, std::span<const Op* const> reads);
  /// The only one besides the reader, if there is one.
  TxnId only(TxnId reader, const Op& op);

 private:
  struct FinalWrite {
    TxnId txn;
    Value value;
  };
  /// A column of a final write.
  struct Held {
    std::uint32_t column = 0;  // slot of the name
    Value value;
    FinalWrite write;
  };

  /// A key and what is known of its value.
  struct Name {
    KeyId key;
    Partial read;
    friend bool operator==(const Name&, const Name&) = default;
  };
  struct NameHash {
    std::size_t operator()(const Name& name) const {
      return base::mix2(name.read.what,
                        std::uint64_t{name.key.raw()} * 2 + (name.read.is_negative ? 1 : 0));
    }
  };

  struct WordsHash {
    std::size_t operator()(const std::vector<std::uint64_t>& words) const {
      std::uint64_t hash = 0;
      for (const std::uint64_t word : words) hash = base::mix2(hash, word);
      return hash;
    }
  };
  static constexpr std::uint32_t kNotMet = 0xffffffffU;

  std::span<const Held> with(KeyId key, const ColumnValue& column) const;
  void add_fitting(const Op& op, const Partial& partial);
  std::uint32_t alike(std::uint32_t predicate);
  Partial alike(const Partial& read);

  const History& history_;
  base::Budget& budget_;
  base::Csr<FinalWrite> writes_;  // by key
  base::Csr<Held> held_;          // by key, sorted; where columns were told
  /// By predicate, the first one met that asks the same of a value, whatever it asks of keys.
  std::vector<std::uint32_t> alike_;
  base::Numbering<std::vector<std::uint64_t>, WordsHash> questions_;
  std::vector<std::uint32_t> asked_first_;  // by question
  base::Numbering<Name, NameHash> known_;
  std::vector<TxnId> found_;                  // what fits, one name after the other
  std::vector<std::size_t> found_end_ = {0};  // by number, from 1: where in found_ its own end
};

/// Why a read of a row that no final write of a transaction that did not abort fits cannot be:
/// from whom it was all the same. None: the budget ran out. COST: linear in the operations.
std::optional<Finding> unexplained_row(const History& history, TxnId txn, std::uint32_t op,
                                       base::Budget& budget);

/// "transaction a:1 read only a part of key 7, and there are several versions ..." REQUIRES:
/// `read` is one of the transaction's operations.
std::string why_open(const History& history, TxnId txn, const Op& read);
/// The same where what is missing may have written what it read.
std::string why_cut_off(const History& history, TxnId txn, const Op& read);

}  // namespace isolde::infer
