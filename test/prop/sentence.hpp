// A sentence that is read from left to right, with the history in hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isolde/history.hpp"
#include "prop/prose_check.hpp"

namespace isolde::prop {

/// What a sentence says that somebody read: the reads of that transaction that fit the words.
struct Seen {
  std::vector<std::uint32_t> ops;
  std::optional<std::size_t> element;  ///< of a list only this one is told
};

class Sentence {
 public:
  Sentence(const History& history, const TxnNames& names, std::string_view text)
      : history_(history), names_(names), rest_(text) {}

  std::string_view rest() const { return rest_; }
  bool at_end() const { return rest_.empty(); }
  std::string_view mark() const { return rest_; }
  void back_to(std::string_view mark) { rest_ = mark; }

  /// Takes the words if they come next.
  bool eat(std::string_view words);
  /// The same for words that end there, so that 1 is not taken for the beginning of 10.
  bool eat_whole(std::string_view words) { return ends_word(words) && eat(words); }
  /// Takes the transaction's name if it comes next.
  bool eat(TxnId txn);
  /// The transaction that is named next.
  std::optional<TxnId> txn();
  /// A key by its text; the one wanted, if any.
  std::optional<KeyId> key(KeyId wanted = {});
  /// What follows "T1 read", as something that the reader did read; of `key`, if any.
  std::optional<Seen> seen(TxnId reader, KeyId key = {});
  /// Which of the partial reads with its words this one is, where there are several.
  bool eat_number_of(TxnId reader, const Op& read);
  /// The value that the transaction wrote last to the key.
  bool eat_value(TxnId writer, KeyId key);
  /// " wrote x = 5", " deleted x" or " appended 5 to x": what it did to the key in the end.
  bool eat_did(TxnId writer, KeyId key);
  /// " replaced by 5" or " deleted": the same of what somebody else had left there.
  bool eat_replaced(TxnId writer, KeyId key);

  std::string key_text(KeyId key) const;

 private:
  std::optional<Seen> which(TxnId reader, Seen found);
  bool ends_word(std::string_view words) const;
  std::vector<std::pair<std::string, std::optional<std::size_t>>> texts(const Op& op) const;

  const History& history_;
  const TxnNames& names_;
  std::string_view rest_;
};

/// The last write, which is what others may see.
const Op* last_write(const History& history, TxnId txn, KeyId key);

/// What a list read shows in front of the reader's own elements.
std::size_t others_elements(const History& history, TxnId reader, const Op& read);

/// All that may have written what the read returned, in input order; none stands for nobody.
std::vector<TxnId> sources(const History& history, TxnId reader, const Op& read);

}  // namespace isolde::prop
