// The sentences about findings, read back.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "prop/prose_check.hpp"
#include "prop/sentence.hpp"

namespace isolde::prop {
namespace {

class FindingReader {
 public:
  FindingReader(const History& history, const TxnNames& names, const Finding& finding,
                std::string_view text)
      : history_(history), finding_(finding), at_(history, names, text) {}

  std::string complaint() {
    if (told() && at_.at_end()) return {};
    return (wrong_.empty() ? "not understood" : wrong_) + " at '" + std::string(at_.rest()) +
           "'";
  }

 private:
  const Op& read() const { return history_.ops(finding_.txn)[finding_.op]; }
  bool wrong(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
    return false;
  }

  bool told() {
    if (!at_.eat(finding_.txn) || !at_.eat(" read ")) return wrong("not the reader");
    if (finding_.kind == FindingKind::kNonRepeatableRead) return two_reads();
    const std::optional<Seen> seen = at_.seen(finding_.txn, read().key);
    const bool is_it =
        seen && std::find(seen->ops.begin(), seen->ops.end(), finding_.op) != seen->ops.end();
    if (!is_it) return wrong("it did not read that there");
    switch (finding_.kind) {
      case FindingKind::kInternal:
        return names_writers(finding_.op) && own_past();
      case FindingKind::kIncompatibleOrder:
        return disagreement();
      case FindingKind::kDuplicateElement:
        return duplicate();
      case FindingKind::kUnselectedRow:
        return names_writers(finding_.op) &&
               at_.eat(" as a row of a selection whose condition does not select it") &&
               history_.selection_of(finding_.txn, finding_.op) != nullptr;
      default:
        return written();
    }
  }

  /// Where only a part of what was read is known: what fits.
  bool is_it(Value written, Value value) const {
    return read().is_partial() ? history_.fits(read(), written) : written == value;
  }
  bool writes(TxnId txn, Value value, std::uint32_t from = 0) const {
    const auto ops = history_.ops(txn);
    return std::any_of(ops.begin() + from, ops.end(), [&](const Op& op) {
      return op.is_write() && op.key == read().key && is_it(op.value, value);
    });
  }
  bool anybody_writes(Value value, bool with_aborted) const {
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      const bool counts = with_aborted || history_.status(TxnId::at(t)) != TxnStatus::kAborted;
      if (counts && writes(TxnId::at(t), value)) return true;
    }
    return false;
  }

  /// What was there at the start is gone.
  bool gone() {
    const Op& op = read();
    const std::string key = at_.key_text(op.key);
    if (op.kind == OpKind::kReadList) {
      std::string held;
      for (const Value element : history_.initial_list(op.key)) {
        held += (held.empty() ? "" : " ") + history_.text(element);
      }
      return at_.eat(", but " + key + " began with [" + held + "]");
    }
    return at_.eat(", but " + key + " held " + history_.text(history_.initial(op.key)) +
                   " at the start, and no transaction ") &&
           (at_.eat("deleted it") || at_.eat("left a row there that does not match") ||
            at_.eat("left another value there")) &&
           !anybody_leaves_what_fits(true);
  }

  bool anybody_leaves_what_fits(bool with_aborted) const {
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      if (!with_aborted && history_.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
      for (const Op& op : history_.ops(TxnId::at(t))) {
        if (op.is_write() && op.key == read().key && history_.fits(read(), op.value))
          return true;
      }
    }
    return false;
  }

  /// Who would have taken away what was there at the start.
  bool taken_away() {
    switch (finding_.kind) {
      case FindingKind::kAbortedRead:
        return at_.eat(", and only the aborted ") && at_.eat(finding_.other) &&
               at_.eat(" wrote anything that explains it") && !anybody_leaves_what_fits(false);
      case FindingKind::kIntermediateRead:
        return at_.eat(", and ") && at_.eat(finding_.other) &&
               at_.eat(", which wrote what explains it,") &&
               at_.eat_replaced(finding_.other, read().key) && at_.eat(" before it ended");
      case FindingKind::kFutureRead:
        return at_.eat(", and what explains it, it wrote itself only later");
      default:
        return gone();
    }
  }

  /// Who wrote the value, or why nobody did.
  bool written() {
    const bool list = read().kind == OpKind::kReadList;
    if (read().is_exclusion()) return taken_away();
    if (finding_.kind == FindingKind::kUnwrittenRead && finding_.element == 0 &&
        history_.lacks_initial_list(read())) {
      return gone();
    }
    const Value value = list ? history_.list(read())[finding_.element] : read().value;
    const std::string wrote = list ? " appended" : " wrote";
    if (finding_.kind == FindingKind::kIntermediateRead) return replaced(list, value);
    const std::string which = list ? ", whose element " + history_.text(value) : ", which";
    if (!at_.eat(which) && !at_.eat(", which")) return wrong("not which");
    switch (finding_.kind) {
      case FindingKind::kAbortedRead:
        return at_.eat(" only the aborted ") && at_.eat(finding_.other) && at_.eat(wrote) &&
               history_.status(finding_.other) == TxnStatus::kAborted &&
               writes(finding_.other, value) && !anybody_writes(value, false);
      case FindingKind::kFutureRead:
        return at_.eat((list ? " it appended" : " it wrote") +
                       std::string(" itself only later")) &&
               writes(finding_.txn, value, finding_.op);
      case FindingKind::kUnwrittenRead:
        return at_.eat(" no transaction" + wrote) && !anybody_writes(value, true);
      default:
        return wrong("another kind");
    }
  }

  bool replaced(bool list, Value value) {
    const TxnId writer = finding_.other;
    if (!writes(writer, value)) return wrong("it did not write that");
    if (list) {
      return at_.eat(", which ends in the middle of ") && at_.eat(writer) &&
             at_.eat("'s appends, after " + history_.text(value));
    }
    return at_.eat(", which ") && at_.eat(writer) && at_.eat_replaced(writer, read().key) &&
           at_.eat(" before it ended") &&
           !is_it(last_write(history_, writer, read().key)->value, value);
  }

  /// What it did to the key before: the last read or write, and appends behind it.
  bool own_past() {
    if (at_.eat(", which disagrees with its own earlier operations on " +
                at_.key_text(read().key))) {
      return true;
    }
    if (!at_.eat(", although it had ")) return false;
    const auto ops = history_.ops(finding_.txn).first(finding_.op);
    if (at_.eat("deleted ")) {
      return last_write_here(ops)->is_delete() && at_.eat(at_.key_text(read().key) + " before");
    }
    if (at_.eat("written ")) {
      return wrote_here(ops) && at_.eat(" before");
    }
    if (at_.eat("read ")) {
      const auto seen = at_.seen(finding_.txn, read().key);
      if (!seen || seen->ops.front() >= finding_.op)
        return wrong("it did not read that before");
      if (!at_.eat(" and appended ")) return at_.eat(" before");
    } else if (!at_.eat("appended ")) {
      return false;
    }
    bool first = true;
    for (const Op& op : ops) {
      if (op.kind != OpKind::kAppend || op.key != read().key) continue;
      const std::string_view mark = at_.mark();
      if (!first && !at_.eat(", ")) break;
      if (!at_.eat(history_.text(op.value))) {
        at_.back_to(mark);
        continue;  // those before the read that is told
      }
      first = false;
    }
    return !first && at_.eat(" before");
  }

  const Op* last_write_here(std::span<const Op> ops) {
    const Op* last = nullptr;
    for (const Op& op : ops) {
      if (op.kind == OpKind::kWrite && op.key == read().key) last = &op;
    }
    return last;
  }

  bool wrote_here(std::span<const Op> ops) {
    const Op* const last = last_write_here(ops);
    return last != nullptr &&
           at_.eat(at_.key_text(last->key) + " = " + history_.text(last->value));
  }

  /// " from T2 or T3": all who may have written what the read returned, unless they are many.
  bool names_writers(std::uint32_t op) {
    const Op& what = history_.ops(finding_.txn)[op];
    const std::vector<TxnId> writers = sources(history_, finding_.txn, what);
    const bool nobody = what.is_exclusion() || writers.empty() || writers.front().is_none();
    return nobody || names_all(writers, " from ");
  }

  bool names_all(const std::vector<TxnId>& writers, const char* before) {
    constexpr std::size_t kMost = 3;
    if (writers.size() > kMost) return true;
    for (std::size_t i = 0; i < writers.size(); ++i) {
      const char* const word = i == 0 ? before : i + 1 == writers.size() ? " or " : ", ";
      if (!at_.eat(word) || !at_.eat(writers[i])) return wrong("does not say who wrote it");
    }
    return true;
  }

  /// Both with all who may have written what they returned.
  bool two_reads() {
    const auto one = [&](std::uint32_t op, std::string_view end) {
      const auto seen = at_.seen(finding_.txn, read().key);
      const bool is_it =
          seen && std::find(seen->ops.begin(), seen->ops.end(), op) != seen->ops.end();
      if (!is_it) return wrong("it did not read that there");
      return names_writers(op) && at_.eat(end);
    };
    if (finding_.other_op >= finding_.op || !one(finding_.other_op, " first and ") ||
        !one(finding_.op, " later")) {
      return false;
    }
    const Op& other = history_.ops(finding_.txn)[finding_.other_op];
    if (!read().is_partial() || !other.is_partial()) return true;
    return at_.eat("; no version of " + at_.key_text(read().key) + " is both") &&
           !share_a_version(read(), other);
  }

  /// The initial version, or what some other transaction left.
  bool share_a_version(const Op& one, const Op& two) const {
    const auto fit = [&](Value value) {
      return history_.fits(one, value) && history_.fits(two, value);
    };
    if (fit(Value())) return true;
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      if (TxnId::at(t) == finding_.txn || history_.status(TxnId::at(t)) == TxnStatus::kAborted)
        continue;
      const Op* const last = last_write(history_, TxnId::at(t), one.key);
      if (last != nullptr && fit(last->value)) return true;
    }
    return false;
  }

  bool disagreement() {
    if (!at_.eat(", and ") || !at_.eat(finding_.other) || !at_.eat(" read ")) return false;
    const auto seen = at_.seen(finding_.other, read().key);
    if (!seen || !at_.eat("; neither list continues the other")) return false;
    const auto mine = history_.list(read());
    const auto theirs = history_.list(history_.ops(finding_.other)[finding_.other_op]);
    std::size_t same = 0;
    while (same < std::min(mine.size(), theirs.size()) && mine[same] == theirs[same]) ++same;
    if (same == std::min(mine.size(), theirs.size())) return wrong("one continues the other");
    if (at_.at_end()) return true;
    if (history_.lacks_initial_list(read())) return wrong("shows an element of nobody's");
    const std::string where =
        same == 0   ? ": from the first element on, "
        : same == 1 ? ": after the same first element, "
                    : ": after the same first " + std::to_string(same) + " elements, ";
    if (!at_.eat(where)) return wrong("not from there on");
    at_.back_to({});  // the lists themselves
    return true;
  }

  bool duplicate() {
    const auto list = history_.list(read());
    const Value element = list[finding_.element];
    if (!at_.eat(", which holds " + history_.text(element))) return wrong("not which");
    std::vector<TxnId> appenders;
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      const bool counts = txn != finding_.txn && history_.status(txn) != TxnStatus::kAborted;
      if (counts && writes(txn, element)) appenders.push_back(txn);
    }
    const bool is_told = !appenders.empty() && appenders.size() <= 3;
    return names_all(appenders, " (appended by ") && (!is_told || at_.eat(")")) &&
           at_.eat(" more than once") && std::count(list.begin(), list.end(), element) > 1;
  }

  const History& history_;
  const Finding& finding_;
  Sentence at_;
  std::string wrong_;
};

}  // namespace

std::string complaint_about_finding(const History& history, const TxnNames& names,
                                    const Finding& finding, std::string_view text) {
  const std::string wrong = FindingReader(history, names, finding, text).complaint();
  return wrong.empty() ? wrong : wrong + ", of '" + std::string(text) + "'";
}

}  // namespace isolde::prop
