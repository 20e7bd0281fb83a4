// Who left which value, and who took effect: tables over the whole history, for all that one
// explanation asks of it. Each is made when it is first asked for.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::explain {

/// Keeps a reference: the history outlives it. Transactions whose work was undone left nothing.
class Writers {
 public:
  explicit Writers(const History& history) : history_(history) {}

  const History& history() const { return history_; }

  /// A value that a transaction left to a key.
  struct Left {
    KeyId key;
    std::uint64_t value;
    TxnId writer;
    auto operator<=>(const Left&) const = default;
  };

  /// All who left the value, in input order. COST: the first call linear in the operations, the
  /// first for a key n log n in what was left to it.
  std::span<const Left> who_left(KeyId key, Value value) const;

  /// All that was left to the key, by value. COST: as who_left().
  std::span<const Left> all_left_to(KeyId key) const;

  /// All who left what fits the partial read, in input order. COST: the first call for a key
  /// and what is known linear in who left something to the key.
  std::span<const TxnId> who_fits(KeyId key, const Partial& partial) const;

  /// All who read or appended to the list, those whose work was undone as well, in input order.
  /// COST: the first call n log n in the operations.
  std::span<const TxnId> users_of_list(KeyId key) const;

  /// It committed, or only it can have written what one read that took effect. COST: the first
  /// call n log n in the operations and elements.
  bool took_effect(TxnId txn) const;

 private:
  /// What was left to each key, and where that begins.
  struct LeftByKey {
    std::vector<Left> all;
    std::vector<std::size_t> begin;
    std::vector<std::uint8_t> is_sorted;  ///< by key
  };
  /// By key: the users of the lists, where those of each begin.
  struct ListUsers {
    std::vector<TxnId> txns;
    std::vector<std::size_t> begin;
  };

  LeftByKey all_left() const;
  ListUsers all_list_users() const;
  std::vector<std::uint8_t> all_in_effect() const;
  std::vector<TxnId> surely_read_from(TxnId reader, std::span<const Left> appends) const;

  const History& history_;
  mutable std::optional<LeftByKey> left_;
  mutable std::map<std::pair<KeyId, Partial>, std::vector<TxnId>> fitting_;
  mutable std::optional<ListUsers> list_users_;
  mutable std::optional<std::vector<std::uint8_t>> in_effect_;  // by transaction
};

/// The only one of them besides the reader, or none.
TxnId only_other(std::span<const TxnId> writers, TxnId reader);

}  // namespace isolde::explain
