// What the last sentence of a circle says, clause by clause.
#include <algorithm>

#include "prop/prose_check.hpp"
#include "prop/sentence.hpp"

namespace isolde::prop {
namespace {

struct Change {
  TxnId writer;
  KeyId key;
};

class Closing {
 public:
  Closing(const History& history, const TxnNames& names, std::string_view text)
      : history_(history), at_(history, names, text) {}

  std::string complaint() {
    if (at_.at_end()) return {};
    if (!at_.eat("So ")) return {};  // of writers: the rule that they broke
    const bool told = fork_or_clauses();
    if (told && at_.at_end()) return {};
    return "false from here on: '" + std::string(at_.rest()) + "'";
  }

 private:
  /// "T1's write of x", which T1 did.
  std::optional<Change> change() {
    const std::optional<TxnId> writer = at_.txn();
    if (!writer || !at_.eat("'s ")) return {};
    const bool appends = at_.eat("append to ");
    const bool deletes = !appends && at_.eat("deletion of ");
    if (!appends && !deletes && !at_.eat("write of ")) return {};
    const std::optional<KeyId> key = at_.key();
    const Op* const last = key ? last_write(history_, *writer, *key) : nullptr;
    if (last == nullptr || last->is_delete() != deletes) return {};
    if ((last->kind == OpKind::kAppend) != appends) return {};
    return Change{*writer, *key};
  }

  bool may_show(TxnId reader, const Op& read, const Change& change) const {
    if (read.key != change.key || !(read.is_read() || read.is_partial())) return false;
    if (read.kind == OpKind::kReadList) {
      const Value element = last_write(history_, change.writer, change.key)->value;
      return std::ranges::count(history_.list(read), element) > 0;
    }
    return std::ranges::count(sources(history_, reader, read), change.writer) > 0;
  }

  bool saw(TxnId reader, const Change& change) const {
    return std::ranges::any_of(history_.ops(reader),
                               [&](const Op& op) { return may_show(reader, op, change); });
  }

  /// It read the key, and nothing that can only have been this. Behind its own write it reads
  /// what it wrote.
  bool missed(TxnId reader, const Change& change) const {
    bool looked = false;
    for (const Op& op : history_.ops(reader)) {
      if (op.key == change.key && op.kind == OpKind::kWrite) break;
      if (op.key != change.key || !(op.is_read() || op.is_partial())) continue;
      looked = true;
      const bool is_list = op.kind == OpKind::kReadList;
      const bool only_this = may_show(reader, op, change) &&
                             (is_list || sources(history_, reader, op).size() == 1);
      if (only_this) return false;
    }
    return looked;
  }

  bool fork_or_clauses() {
    const std::string_view mark = at_.mark();
    if (fork()) return true;
    at_.back_to(mark);
    while (true) {
      if (!clause()) return false;
      if (at_.eat(", and still ") || at_.eat(", ")) continue;
      if (at_.eat(" and ")) continue;
      break;
    }
    if (at_.eat(": neither can have come first.")) return true;
    return at_.eat(": none of them can have come first.") || at_.eat(".");
  }

  bool clause() {
    const std::string_view mark = at_.mark();
    if (const std::optional<Change> later = change()) {
      if (!at_.eat(" came after ")) return false;
      const std::optional<TxnId> first = at_.txn();
      return first && at_.eat("'s") && last_write(history_, *first, later->key) != nullptr;
    }
    at_.back_to(mark);
    const std::optional<TxnId> who = at_.txn();
    if (!who) return false;
    if (at_.eat(" did not see ")) {
      const std::optional<Change> what = change();
      return what && missed(*who, *what);
    }
    if (at_.eat(" saw ")) {
      const std::optional<Change> what = change();
      return what && saw(*who, *what);
    }
    if (at_.eat(" came after ")) {
      const std::optional<TxnId> first = at_.txn();
      return first && at_.eat(" in its session") &&
             history_.session_of(*first) == history_.session_of(*who) && *first < *who;
    }
    if (!at_.eat(" started after ")) return false;
    const std::optional<TxnId> first = at_.txn();
    return first && at_.eat(" had ended") &&
           history_.times(*first).end < history_.times(*who).start;
  }

  /// "T1 saw T3's write of x and not T4's write of y".
  bool half(TxnId& reader, TxnId& seen, TxnId& unseen) {
    const std::optional<TxnId> who = at_.txn();
    if (!who || !at_.eat(" saw ")) return false;
    const std::optional<Change> yes = change();
    if (!yes || !at_.eat(" and not ")) return false;
    const std::optional<Change> no = change();
    if (!no || !saw(*who, *yes) || !missed(*who, *no)) return false;
    reader = *who;
    seen = yes->writer;
    unseen = no->writer;
    return true;
  }

  bool fork() {
    TxnId one, first, not_first, other, second, not_second;
    if (!half(one, first, not_first) || !at_.eat(", while ")) return false;
    if (!half(other, second, not_second)) return false;
    return first == not_second && second == not_first && at_.eat(": for ") && at_.eat(one) &&
           at_.eat(" ") && at_.eat(first) && at_.eat(" came first, and for ") &&
           at_.eat(other) && at_.eat(" ") && at_.eat(second) && at_.eat(".");
  }

  const History& history_;
  Sentence at_;
};

}  // namespace

std::string complaint_about_closing(const History& history, const TxnNames& names,
                                    std::string_view text) {
  return Closing(history, names, text).complaint();
}

}  // namespace isolde::prop
