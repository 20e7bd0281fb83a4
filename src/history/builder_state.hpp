// What a HistoryBuilder holds: the history so far, and what it needs to check and to finish it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "base/ways.hpp"
#include "history/interning.hpp"
#include "history/predicate_words.hpp"
#include "history/selections.hpp"
#include "isolde/history_builder.hpp"

namespace isolde {
namespace history {

enum class KeyUse : std::uint8_t { kUnknown, kRegister, kList };

inline std::uint64_t hash_of(std::span<const ColumnValue> columns) {
  std::uint64_t hash = columns.size();
  for (const ColumnValue& column : columns) {
    hash = base::mix2(hash, base::mix2(column.name.bits(), column.value.bits()));
  }
  return hash;
}

}  // namespace history

struct HistoryBuilder::State {
  History history;
  using KeyUse = history::KeyUse;

  history::WordTable key_slots;            // of all other keys
  std::vector<std::uint32_t> small_slots;  // of keys that are small integers, by the integer
  /// By key, once there was a list; before that there are only registers, and checking each
  /// key's use would slow loading measurably.
  std::vector<KeyUse> key_use;
  bool any_list = false;
  /// Keys that had contents before all transactions, in the order of the calls.
  struct Initial {
    KeyId key;
    Value value;                    ///< of a register, else null
    std::vector<Value> elements{};  ///< of a list
  };
  std::vector<Initial> initial;
  history::TextTable pool;
  std::vector<Value::Kind> pool_kinds;  // by slot
  history::TextTable sessions;
  /// A selection before its absent rows are known.
  struct Asked {
    std::size_t op = 0;  ///< first of the rows, among all operations
    std::uint32_t rows = 0;
    std::uint32_t predicate = 0;
    TxnId txn;
    std::uint32_t aggregate = Selection::kNoAggregate;
    std::uint32_t excluded = 0;  // predicate of what its absent rows were not
    LockMode lock = LockMode::kNone;
  };
  std::vector<Asked> asked;
  history::SlotTable predicate_slots;
  std::vector<Value> words;          // of one condition
  history::SlotTable rows;           // slots of the pool
  std::vector<Value> usual_columns;  // names of a row so far that may stand in this order
  /// Keys that hold_open() was called for.
  std::vector<std::pair<KeyId, Predicate::Bounds>> held_open;
  std::vector<std::size_t> selected_in;  // by key: the last selection that returned it, from 1
  bool lists_rows_later = false;
  Status status = ok_status();
  bool any_times = false;
  bool any_database_times = false;

  void fail(std::string message) {
    if (status.ok()) status = Error{ErrorCode::kBadInput, std::move(message)};
  }

  /// Most histories number their keys; looking them up in place takes a quarter of the time.
  const std::uint64_t small_keys = base::ways().small_keys;
  std::uint32_t find_or_insert_key(Value name, std::uint32_t fresh) {
    constexpr std::uint32_t kNoSlot = 0xffffffffU;
    const bool small = name.kind() == Value::Kind::kInteger &&
                       static_cast<std::uint64_t>(name.as_integer()) < small_keys;
    if (!small) return key_slots.find_or_insert(name.bits(), fresh);
    const auto number = static_cast<std::size_t>(name.as_integer());
    if (number >= small_slots.size()) small_slots.resize(std::bit_ceil(number + 64), kNoSlot);
    std::uint32_t& slot = small_slots[number];
    if (slot == kNoSlot) slot = fresh;
    return slot;
  }

  Value pooled(Value::Kind kind, std::string_view text) {
    return pooled(kind, text, history::TextTable::hash(text));
  }
  Value pooled(Value::Kind kind, std::string_view text, std::uint64_t hash) {
    const std::size_t next = pool_kinds.size();
    if (next >= 0xfffffffeU) fail("more than 2^32 - 2 different strings");
    const auto fresh = static_cast<std::uint32_t>(next);
    const std::uint32_t slot = pool.find_or_insert(hash, fresh, [&](std::uint32_t known) {
      return pool_kinds[known] == kind &&
             history.pooled_text(Value::pooled(kind, known)) == text;
    });
    if (slot == fresh) {
      pool_kinds.push_back(kind);
      history.pool_chars_.edit() += text;
      history.pool_begin_.edit().push_back(history.pool_chars_.size());
    }
    return Value::pooled(kind, slot);
  }

  /// How the operations so far use each key.
  std::vector<KeyUse> uses() const {
    if (any_list) return key_use;
    std::vector<KeyUse> uses(history.keys_.size(), KeyUse::kUnknown);
    for (const Op& op : history.ops_) {
      const bool tells = op.kind == OpKind::kWrite || op.kind == OpKind::kReadExcept ||
                         (op.kind == OpKind::kRead && !op.value.is_null());
      if (tells) uses[op.key.raw()] = KeyUse::kRegister;
    }
    for (const Initial& each : initial) uses[each.key.raw()] = KeyUse::kRegister;
    return uses;
  }

  /// Keeps the use of each key from here on.
  void keep_uses() {
    if (any_list) return;
    key_use = uses();
    any_list = true;
  }

  void use(KeyId key, KeyUse use) {
    if (any_list || use == KeyUse::kList) note_use(key, use);
  }

  void note_use(KeyId key, KeyUse use) {
    keep_uses();
    if (key_use.size() < history.keys_.size()) {
      key_use.resize(history.keys_.size(), KeyUse::kUnknown);
    }
    KeyUse& known = key_use[key.raw()];
    if (known == KeyUse::kUnknown) {
      known = use;
    } else if (known != use) {
      fail("key " + history.json(history.keys_[key.raw()]) +
           " is used both as a register (write) and as a list (append); use one of them");
    }
  }

  class ComingTexts;
  /// Returns their slots here, by the number there.
  std::vector<std::uint32_t> append_predicates(const State& other,
                                               const std::vector<Value>& values_there);
  void append_txns(const State& other, const std::vector<SessionId>& sessions_there,
                   const std::vector<Value>& values_there, std::uint64_t position_offset);
  void append_ops(const State& other, const std::vector<KeyId>& keys_there,
                  const std::vector<Value>& values_there,
                  const std::vector<std::uint32_t>& predicates_there);

  std::uint32_t slot_of(const PredicateView& predicate) {
    words.clear();
    PredicateTable::encode(predicate, words);
    return slot_of_words();
  }
  /// Of the condition in `words`.
  std::uint32_t slot_of_words() {
    std::uint32_t& slot = predicate_slots.slot(
        XXH3_64bits(words.data(), words.size() * sizeof(Value)), [&](std::uint32_t known) {
          return std::ranges::equal(history.predicates_->words(known), words);
        });
    if (slot != history::SlotTable::kEmpty) return slot;
    slot = static_cast<std::uint32_t>(history.predicates_.size());
    if (history::PredicateHead(words.front()).tests > 0) {
      history.origin_.rows_are_deleted = true;
    }
    history.predicates_.edit().add(words);
    return slot;
  }

  /// The row with these columns, ascending by name and each once.
  Value row(std::span<const ColumnValue> columns);
  /// HistoryBuilder::row(), by the book and where it need not look.
  Value row_of_any(std::span<const ColumnValue> columns);
  bool has_usual_columns(std::span<const ColumnValue> columns) const;
  /// As row() of what is new mostly. `text`: State::row_text() of the columns.
  Value add_row(std::span<const ColumnValue> columns, std::string_view text) {
    return add_row(columns, pooled(Value::Kind::kLiteral, text));
  }
  /// The same of a text in the pool.
  Value add_row(std::span<const ColumnValue> columns, Value row);
  /// Their JSON, whichever slots their values have.
  std::string row_text(std::span<const ColumnValue> columns) const;
  /// The row as it is written: a column that holds null is one that is not there.
  Value without_nulls(Value row);
  /// Of the operation, in the order so far.
  Value version_at(std::size_t op) const {
    return op < history.op_version_.size() ? history.op_version_[op] : Value();
  }
  void check_versions();
  void place_initial();
  void settle_initial_lists();
  void settle_initial_values();
  void settle_rows();
  void give_back_spare();
  void settle_deletions();
  void find_repeats();
  /// What missing transactions may have deleted or written again, and what reads say then.
  void settle_what_is_missing() {
    settle_deletions();
    open_reads_of_nothing();
    find_repeats();
  }

  void settle_increments();
  void open_numbers();
  void bound_sums();
  void open_reads_of_nothing();
  void check_aggregates();
  void lower_selections(const HistoryBuilder::GoOn& go_on);

  /// Once for all; where registers are read and written it is inlined.
  [[gnu::noinline]] void add(Op op) { add_here(op); }
  [[gnu::always_inline]] void add_here(Op op) {
    ISOLDE_CHECK(!history.txn_status_.empty());
    if (history.ops_.size() >= 0xfffffffeU) {
      return fail("more than 2^32 - 2 operations; split the history");
    }
    history.ops_.push_back(op);
  }
};

}  // namespace isolde
