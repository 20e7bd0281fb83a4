// Joiner: transactions of several histories, one behind the other, as one history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "history/copier.hpp"
#include "isolde/history.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::stream {

/// A transaction by its place in what has come, from 0.
using TxnNumber = std::uint64_t;

/// For Joiner::add().
inline constexpr auto kAll = [](std::size_t) { return true; };
inline constexpr auto kEnterNothing = [](HistoryBuilder&, KeyId, KeyId) {};

/// Positions in the input of the result are 1 + TxnNumber.
class Joiner {
 public:
  /// For what was made by this class, and tells itself which numbers its transactions have.
  static constexpr TxnNumber kOwnNumbers = ~TxnNumber{0};
  /// For what was made by this class with Labels::kNumbers, and came from a file.
  static constexpr TxnNumber kLabelledNumbers = kOwnNumbers - 1;

  /// Whether transactions are called by their numbers, from 1, or by session and place in it.
  enum class Labels : std::uint8_t { kNone, kNumbers };
  explicit Joiner(Labels labels = Labels::kNone) : labels_(labels) {}

  /// An element that nobody appends: a number that is as rare as two lists with one hash.
  static constexpr std::string_view kNobodys = "0.7159360842717064189235506114493820";

  /// Changes what a list of a history had when it was read. False: in its place comes a list
  /// that nobody can have read.
  using EditList =
      std::function<bool(const History& from, KeyId key, std::vector<Value>& elements)>;
  /// For what is added from now on; empty: all lists are as they were read.
  void edit_lists(EditList edit) { edit_list_ = std::move(edit); }

  /// An operation that is not to be taken over.
  using LeaveOut = std::function<bool(const History& from, const Op& op)>;
  /// For what is added from now on; empty: none.
  void leave_out(LeaveOut leave_out) { leave_out_ = std::move(leave_out); }

  void reserve(std::size_t txns, std::size_t ops) { builder_.reserve(txns, ops); }

  /// Those transactions for whose place in `from` takes(i) is true. The first one has the
  /// number `first`. enter(builder, key, key in `from`) is called before the first use of a
  /// key.
  template <typename Takes, typename Enter>
  void add(const History& from, TxnNumber first, const Takes& takes, const Enter& enter) {
    add(from, first, takes, enter, [](std::size_t, const Op&) { return true; });
  }
  /// Of reads for which tells(place of the transaction, op) is false the result is not known.
  template <typename Takes, typename Enter, typename Tells>
  void add(const History& from, TxnNumber first, const Takes& takes, const Enter& enter,
           const Tells& tells) {
    add(from, first, takes, enter, tells,
        [](HistoryBuilder&, std::size_t, std::span<const KeyId>) {});
  }
  /// begin(builder, place of the transaction, keys by those in `from`) may add operations
  /// before the transaction's own. Those keys are there that it uses.
  template <typename Takes, typename Enter, typename Tells, typename Begin>
  void add(const History& from, TxnNumber first, const Takes& takes, const Enter& enter,
           const Tells& tells, const Begin& begin) {
    history::Copier copier(from, builder_);
    std::vector<KeyId> keys(from.key_count());
    std::vector<SessionId> sessions(from.session_count());
    for (std::size_t i = 0; i < from.txn_count() && builder_.status().ok(); ++i) {
      const TxnId txn = TxnId::at(i);
      if (!takes(i)) continue;
      SessionId& session = sessions[from.session_of(txn).raw()];
      if (session.is_none()) {
        session = builder_.session(from.session_name(from.session_of(txn)));
      }
      for (const Op& op : from.ops(txn)) {
        KeyId& key = keys[op.key.raw()];
        if (!key.is_none()) continue;
        key = copier.key(op.key);
        enter(builder_, key, op.key);
      }
      const std::uint64_t position = position_of(from, first, i);
      builder_.begin_txn(session, position);
      if (labels_ == Labels::kNumbers) {
        builder_.set_label(builder_.integer(static_cast<std::int64_t>(position)));
      }
      builder_.set_status(from.status(txn));
      builder_.set_times(from.times(txn));
      begin(builder_, i, std::span<const KeyId>(keys));
      for (const Op& op : from.ops(txn)) {
        const KeyId key = keys[op.key.raw()];
        if (leave_out_ && leave_out_(from, op)) continue;
        if (op.is_write() || tells(i, op)) {
          add(from, op, key, copier);
        } else {
          builder_.read_unknown(key);
        }
      }
    }
  }

  /// Initial contents, also of keys that nobody uses. False: those of a key are not what an
  /// earlier call has told.
  bool add_initial(const History& from) {
    history::Copier copier(from, builder_);
    for (std::size_t k = 0; k < from.key_count(); ++k) {
      const KeyId id = KeyId::at(k);
      if (!from.has_initial(id)) continue;
      const KeyId key = copier.key(id);
      std::vector<Value> contents;  // of a register, one
      for (const Value element : from.initial_list(id)) {
        contents.push_back(copier.value(element));
      }
      const bool is_list = !contents.empty();
      if (!is_list) contents.push_back(copier.value(from.initial(id)));
      const auto [known, is_new] = initial_.try_emplace(key.raw(), contents);
      if (known->second != contents) return false;
      if (!is_new) continue;
      if (is_list) {
        builder_.set_initial_list(key, contents);
      } else {
        builder_.set_initial(key, contents.front());
      }
    }
    return true;
  }

  /// What is known of the input as a whole, but for what was left out on reading it.
  void set_origin(const HistoryOrigin& origin) {
    builder_.origin() = origin;
    builder_.origin().positions_are_numbers = true;
  }

  /// Once, last. ERRORS: as HistoryBuilder::finish().
  Result<History> finish() { return builder_.finish(); }

 private:
  static std::uint64_t position_of(const History& from, TxnNumber first, std::size_t i) {
    if (first == kOwnNumbers) return from.position_in_input(TxnId::at(i));
    if (first != kLabelledNumbers) return first + i + 1;
    return static_cast<std::uint64_t>(from.label(TxnId::at(i)).as_integer());
  }

  /// False: it is to be copied as it is. REQUIRES: lists are edited.
  [[gnu::noinline]] bool add_list(const History& from, const Op& op, KeyId key,
                                  history::Copier& copier) {
    // Where nobody else uses the key as a list, an empty one is nothing that was read.
    const bool is_list = op.kind == OpKind::kReadList;
    const bool is_nothing = op.kind == OpKind::kRead && from.seen(op).is_null();
    if (!is_list && !is_nothing) return false;
    elements_ = is_list ? from.seen_list(op) : std::vector<Value>();
    if (!edit_list_(from, op.key, elements_)) {
      const Value nobodys = builder_.literal(kNobodys);
      builder_.read_list(key, {&nobodys, 1});
    } else if (is_list) {
      copier.read_list(key, elements_);
    } else {
      return false;
    }
    return true;
  }

  void add(const History& from, const Op& op, KeyId key, history::Copier& copier) {
    const bool is_small = op.value.kind() == Value::Kind::kInteger;
    if (op.kind == OpKind::kRead && is_small) {
      builder_.read(key, op.value);
    } else if (op.kind == OpKind::kWrite && is_small) {
      builder_.write(key, op.value);
    } else if (!edit_list_ || !add_list(from, op, key, copier)) {
      copier.op(op, key);
    }
  }

  HistoryBuilder builder_;
  std::unordered_map<std::uint32_t, std::vector<Value>> initial_;
  Labels labels_;
  EditList edit_list_;
  LeaveOut leave_out_;
  std::vector<Value> elements_;
};

}  // namespace isolde::stream
