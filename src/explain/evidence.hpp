// Looks up, in the history, the operations that an edge or a version order rests on. Used for
// sentences only: when a proof claims what the history does not show, the lookups return
// nothing and the sentence becomes vaguer; it is the verifier's business to reject such proofs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "explain/writers.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// One operation of one transaction.
struct OpRef {
  TxnId txn;
  std::uint32_t op = 0;  ///< index in the transaction
};

const Op& op_at(const History& history, OpRef ref);
/// The aggregate that the operation is an item of, or null.
const Selection* aggregate_of(const History& history, OpRef ref);

/// What a list read shows in front of the reader's own elements.
std::span<const Value> before_own_elements(const History& history, TxnId reader,
                                           const Op& read);

/// The write of `key` in `txn` that others see: the last one.
std::optional<OpRef> final_write(const History& history, TxnId txn, KeyId key);

/// Whether what it left there is that the row is gone.
bool leaves_deleted(const History& history, TxnId txn, KeyId key);

/// Some read of the transaction returned what the other one left, or may have.
bool may_have_seen(const History& history, TxnId txn, KeyId key, TxnId writer);

/// Whether, of all that the transaction read of the key, something may be what the other one
/// left there.
bool may_have_met(const History& history, TxnId txn, KeyId key, TxnId writer);

/// The read of `key` in `reader`, from operation `begin` on and before it wrote the key itself,
/// that returned what `writer` left (the initial value when none). Others may have written the
/// same.
std::optional<OpRef> read_of(const History& history, TxnId reader, KeyId key, TxnId writer,
                             std::uint32_t begin = 0);

/// The first read in `reader` that saw a version by `writer`.
std::optional<OpRef> read_of(const History& history, TxnId reader, TxnId writer);

/// Where reads came from for the sake of an argument, in which several can have written what
/// was read.
using Taken = std::span<const ReadSource>;

/// As read_of(), but only where nobody else can have written what was read, or it is taken for
/// granted; of a list an element in the middle will do. COST: linear in the operations of both
/// and, of an exclusion, in the writers of the key.
std::optional<OpRef> sure_read_of(const Writers& writers, TxnId reader, KeyId key, TxnId writer,
                                  Taken taken, std::uint32_t begin = 0);

/// The read that a sentence about the two is about: a sure one, if there is one.
std::optional<OpRef> told_read_of(const Writers& writers, TxnId reader, KeyId key, TxnId writer,
                                  Taken taken, std::uint32_t begin = 0);

/// The first such read in `reader` of whatever `writer` wrote.
std::optional<OpRef> sure_read_of(const Writers& writers, TxnId reader, TxnId writer,
                                  Taken taken);

/// All other transactions that may have written what the read returned, in input order. None
/// where it is the initial value or only known what it is not. COST: as Writers::who_left() and
/// who_fits().
std::vector<TxnId> writers_of(const Writers& writers, OpRef read);

/// All other transactions that may have appended the element to the list that `reader` saw, in
/// input order. COST: as Writers::users_of_list(), and linear in their operations.
std::vector<TxnId> appenders_of(const Writers& writers, TxnId reader, KeyId key, Value element);

/// What shows that `order.before` precedes `order.after` in the version order of shared keys.
struct DirectOrder {
  enum class Kind : std::uint8_t {
    kRead,           ///< `after` read what `before` wrote
    kListOrder,      ///< a list read shows an element of `before` in front of one of `after`
    kListLacks,      ///< a list read shows an element of `before` and none of `after`
    kDatabaseTimes,  ///< `before` committed first by the database's times
  };
  Kind kind = Kind::kRead;
  OpRef read = {};  ///< not by the database's times
  KeyId key = {};
  std::size_t first = 0;   ///< place of the element of `before` in the list
  std::size_t second = 0;  ///< kListOrder: of that of `after`
  Value lacking = {};      ///< kListLacks: an element of `after`
  bool only_own = false;   ///< kListLacks: the list has such an element, the reader's own
};

/// Who may be called to witness.
struct Witnesses {
  BaseLevel base = BaseLevel::kSerializable;
  SessionId session = {};  ///< none: everybody's reads count, else only those of this one
  Taken taken = {};
};

/// On `about`, if that shows it, else on any key. COST: linear in the operations of both and,
/// of keys that are lists, n log n in those of all who use them.
std::optional<DirectOrder> direct_order(const Writers& writers, VersionOrder order, KeyId about,
                                        const Witnesses& witnesses);

/// `first` is an earlier transaction of the same session.
bool precedes_in_session(const History& history, TxnId first, TxnId second);

/// The first key, in the order of `first`'s operations, that both write.
std::optional<KeyId> common_written_key(const History& history, TxnId first, TxnId second);

/// Indexes of operations of `txn` on any of `keys`, in program order.
std::vector<std::uint32_t> ops_on(const History& history, TxnId txn,
                                  const std::vector<KeyId>& keys);

}  // namespace isolde::explain
