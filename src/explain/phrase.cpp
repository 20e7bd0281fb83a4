#include "explain/phrase.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/memory_guard.hpp"
#include "base/text.hpp"
#include "explain/classify.hpp"
#include "explain/evidence.hpp"
#include "explain/lists.hpp"
#include "explain/sight.hpp"
#include "history/notation.hpp"
#include "history/texts.hpp"

namespace isolde::explain {
namespace {

constexpr std::string_view kAssumed = " (assumed)";
constexpr std::string_view kAssumedLater = " (assumed to come later)";

std::size_t position_in(std::span<const Value> list, Value value) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), value) - list.begin());
}

/// How the transaction came to know of a row.
std::string_view refusal(const History& history, const Op& op) {
  return history.is_refused_insert(op) ? " (its insert was refused)" : "";
}

bool is_long_list(const History& history, const Op& op) {
  return op.kind == OpKind::kReadList && history.list(op).size() > kShortList;
}

}  // namespace

std::string Names::of(TxnId txn) const {
  const auto given = names_.find(txn);
  return given == names_.end() ? history_->txn_name(txn) : given->second;
}

std::optional<std::size_t> Names::rank_of(TxnId txn) const {
  const auto found = mentioned_.find(txn);
  return found == mentioned_.end() ? std::nullopt : std::optional(found->second);
}

std::string op_text(const History& history, OpRef ref) {
  const Selection* const computed = aggregate_of(history, ref);
  return computed != nullptr ? history.text(*computed) : op_text(history, op_at(history, ref));
}

std::string op_text(const History& history, const Op& op) {
  if (!is_long_list(history, op)) return history.op_text(op);
  const std::span<const Value> list = history.list(op);
  const std::string text = "r(" + history.text(op.key) + ")=" + list_text(history, list);
  const bool is_whole = text.find(" ... ") == std::string::npos;
  return is_whole ? text : text + " (" + elements(list.size()) + ")";
}

std::string duration_text(std::int64_t nanoseconds) {
  static constexpr std::array<const char*, 4> kUnits = {"ns", "us", "ms", "s"};
  double amount = static_cast<double>(nanoseconds);
  std::size_t unit = 0;
  while (std::fabs(amount) >= 1000 && unit + 1 < kUnits.size()) {
    amount /= 1000;
    ++unit;
  }
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.3f %s", amount,
                kUnits[unit]);
  return text.data();
}

std::string Phrase::key(KeyId key) const { return history::key_text(history_, key); }

std::string Phrase::among(const Op& read) const {
  const PredicateView selected = history_.predicate(read);
  if (read.kind == OpKind::kReadMatch && selected == Predicate{}) return {};
  const std::string text = history_.text(selected);
  const std::string name = history_.text(history_.key_name(read.key));
  const bool is_by_key = text == key(read.key) || text == "rows with key " + name;
  return is_by_key ? "" : " among " + text;
}

std::string Phrase::state(const Op& op) const {
  if (op.kind == OpKind::kRead && op.value.is_null()) {
    const Value initial = history_.initial(op.key);
    if (!initial.is_null()) {
      return "the initial " + key(op.key) + " = " + history_.text(op.key, initial);
    }
    const ValueNotation* const notation = history::notation_of(history_, op.key);
    if (notation == nullptr || !notation->initial) return "the initial value of " + key(op.key);
    return key(op.key) + " = " + history_.text(op.key, op.value) + " (initial)";
  }
  if (op.kind == OpKind::kReadAbsent) return "no row " + key(op.key) + among(op);
  if (history_.found_nothing(op)) return "no " + key(op.key);
  if (history_.is_of_any_number(op)) return "some number " + key(op.key);
  if (op.kind == OpKind::kReadExcept) {
    return key(op.key) + " other than " + history_.text(history_.predicate(op));
  }
  if (const Value whole = history_.read_value(op); !whole.is_null()) {
    return key(op.key) + " = " + history_.text(op.key, whole);
  }
  if (op.kind == OpKind::kReadMatch) {
    const std::string row = history_.read_columns(op).empty()
                                ? "a row " + key(op.key) + std::string(refusal(history_, op))
                                : key(op.key) + " = " + history_.text(History::read_row(op));
    return row + among(op);
  }
  if (is_long_list(history_, op)) {
    const std::span<const Value> list = history_.list(op);
    return key(op.key) + " up to " + history_.text(list.back()) + " (" + elements(list.size()) +
           ")";
  }
  const std::string value = op.kind == OpKind::kReadList
                                ? list_text(history_, history_.seen_list(op))
                                : history_.text(op.key, op.value);
  return key(op.key) + " = " + value;
}

std::string Phrase::seen(OpRef read) const {
  if (const Selection* const computed = aggregate_of(history_, read)) {
    return key(op_at(history_, read).key) + " for its " + history_.text(*computed);
  }
  return state(op_at(history_, read)) + among_equal(read);
}

/// " (2nd such read)", where there are several and one of them tells its version in part, so
/// that they may have returned different ones.
std::string Phrase::among_equal(OpRef read) const {
  const std::span<const Op> ops = history_.ops(read.txn);
  const KeyId key = ops[read.op].key;
  const auto may_be = [&](const Op& op) {
    return op.key == key && (op.kind == OpKind::kRead || op.is_partial());
  };
  const auto is_partial = [&](const Op& op) { return op.key == key && op.is_partial(); };
  if (!may_be(ops[read.op]) || std::none_of(ops.begin(), ops.end(), is_partial)) return {};
  const std::string words = state(ops[read.op]);
  bool any_partial = false;
  std::size_t before = 0;
  std::size_t all = 0;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (!may_be(ops[i]) || state(ops[i]) != words) continue;
    any_partial = any_partial || ops[i].is_partial();
    ++all;
    before += i < read.op ? 1 : 0;
  }
  if (all < 2 || !any_partial) return {};
  return " (" + base::ordinal(before + 1) + " such read)";
}

std::string Phrase::did(TxnId txn, KeyId written_key) const {
  const auto write = final_write(history_, txn, written_key);
  if (!write) return "wrote " + key(written_key);
  const Op& op = op_at(history_, *write);
  if (op.is_delete()) return "deleted " + key(op.key);
  if (op.kind == OpKind::kWrite) return "wrote " + state(op);
  return "appended " + history_.text(op.value) + " to " + key(op.key);
}

std::string Phrase::change(TxnId txn, KeyId changed) const {
  if (deleted(txn, changed)) return "deletion of " + key(changed);
  return (history_.is_list(changed) ? "append to " : "write of ") + key(changed);
}

bool Phrase::deleted(TxnId txn, KeyId written_key) const {
  const auto write = final_write(history_, txn, written_key);
  return write && op_at(history_, *write).is_delete();
}

std::string Phrase::replaced(TxnId txn, KeyId written_key) const {
  return deleted(txn, written_key) ? "deleted" : "replaced by " + value(txn, written_key);
}

std::string Phrase::value(TxnId txn, KeyId written_key) const {
  const auto write = final_write(history_, txn, written_key);
  if (!write) return "a later value";
  const Op& op = op_at(history_, *write);
  return op.is_delete() ? "deletion" : history_.text(op.key, op.value);
}

std::optional<OpRef> Phrase::last_read(TxnId reader, KeyId read_key, TxnId writer,
                                       Taken taken) const {
  const auto is_sure = [&](OpRef read) {
    const auto sure = sure_read_of(writers_, reader, read_key, writer, taken, read.op);
    return sure && sure->op == read.op;
  };
  std::optional<OpRef> last = told_read_of(writers_, reader, read_key, writer, taken);
  std::optional<OpRef> next = last;
  while (next) {
    if (is_sure(*next) || !is_sure(*last)) last = next;
    next = told_read_of(writers_, reader, read_key, writer, taken, next->op + 1);
  }
  return last;
}

std::string Phrase::read(TxnId reader, KeyId read_key, TxnId writer, Taken taken) const {
  const auto found = told_read_of(writers_, reader, read_key, writer, taken);
  return found ? seen(*found) : key(read_key);
}

/// An element of a list that was read: "5 in key 7 (the last of 40 elements)".
std::string Phrase::element(const Op& read, std::size_t at) const {
  const std::span<const Value> list = history_.list(read);
  const std::string place = at + 1 == list.size() ? "the last of " + elements(list.size())
                                                  : "element " + std::to_string(at + 1) +
                                                        " of " + std::to_string(list.size());
  return history_.text(list[at]) + " in " + key(read.key) + " (" + place + ")";
}

/// What was read from the writer: of a long list only its element.
std::string Phrase::seen_of(OpRef read, TxnId writer) const {
  const Op& op = op_at(history_, read);
  const auto write = final_write(history_, writer, op.key);
  if (!write || !is_long_list(history_, op)) return seen(read);
  const std::span<const Value> list = history_.list(op);
  const std::size_t at = position_in(list, op_at(history_, *write).value);
  return at < list.size() ? element(op, at) : state(op);
}

/// How a list shows the order of two elements: "7 right after 5". `key` is the one that the
/// sentence is about. REQUIRES: kListOrder.
std::string Phrase::order_seen(const DirectOrder& direct, KeyId key) const {
  const Op& read = op_at(history_, direct.read);
  if (!is_long_list(history_, read)) return state(read);
  const std::span<const Value> list = history_.list(read);
  return history_.text(list[direct.second]) +
         (direct.second == direct.first + 1 ? " right after " : " behind ") +
         history_.text(list[direct.first]) +
         (read.key == key ? "" : " in " + this->key(read.key));
}

/// A long list lacks what `writer` appended; who is the first told of that saw both, and where:
/// ", which T3 read right after 5".
std::string Phrase::witness(const Op& read, TxnId reader, TxnId writer) const {
  const auto write = final_write(history_, writer, read.key);
  if (!write || !is_long_list(history_, read)) return {};
  const Value missed = op_at(history_, *write).value;
  const Value last = history_.list(read).back();
  std::string text;
  std::optional<std::size_t> first;
  for (const TxnId txn : writers_.users_of_list(read.key)) {
    const std::optional<std::size_t> rank = names_.rank_of(txn);
    if (!rank || (first && *rank > *first) || txn == reader || txn == writer) continue;
    for (const Op& op : history_.ops(txn)) {
      if (op.kind != OpKind::kReadList || op.key != read.key) continue;
      const std::span<const Value> list = history_.list(op);
      const std::size_t at = position_in(list, last);
      const std::size_t later = position_in(list, missed);
      if (later >= list.size() || at >= later) continue;
      first = rank;
      text = ", which " + names_.of(txn) + " read" +
             (later == at + 1 ? " right after " : " behind ") + history_.text(last);
      break;
    }
  }
  return text;
}

/// "T2 read y = 3 from T1", "T3 read 7 right after 5", "T3 read x = [1 2], without 5".
std::string Phrase::shown(VersionOrder order, const DirectOrder& direct, KeyId key) const {
  if (direct.kind == DirectOrder::Kind::kDatabaseTimes) {
    return database_time({order.before, order.after, EdgeKind::kCommitOrder, {}, {}});
  }
  const Op& op = op_at(history_, direct.read);
  const std::string text = names_.of(direct.read.txn) + " read ";
  switch (direct.kind) {
    case DirectOrder::Kind::kRead:
      return text + seen_of(direct.read, order.before) + " from " + names_.of(order.before);
    case DirectOrder::Kind::kListOrder:
      return text + order_seen(direct, key);
    default:
      break;
  }
  const std::string seen = is_long_list(history_, op) ? element(op, direct.first) : state(op);
  return text + seen + ", without " + history_.text(direct.lacking) +
         (direct.only_own ? " but its own" : "");
}

std::string Phrase::why(VersionOrder order, const Reason& reason, KeyId key) const {
  if (reason.shown_by != nullptr) {
    const Reason nested{Ground::kCertain, 0,           nullptr,        reason.direct,
                        reason.taken,     reason.path, /*nested=*/true};
    return ", for " + because(*reason.shown_by, nested);
  }
  if (reason.ground == Ground::kAssumed) return std::string(kAssumed);
  if (reason.ground == Ground::kEstablished) {
    return " (step " + std::to_string(reason.step) + ")";
  }
  if (reason.direct == nullptr) return {};
  const std::string text = shown(order, *reason.direct, key);
  return reason.nested ? " (" + text + ")" : ", for " + text;
}

void Phrase::add_supposed(Ground ground, std::string& because) const {
  const std::string others = history_.predicates().empty() ? ", for others wrote this value"
                                                           : ", for others wrote what fits";
  const bool has_order = ground == Ground::kAssumed &&
                         (because.ends_with(kAssumed) || because.ends_with(kAssumedLater));
  if (!has_order) {
    because += " (assumed" + others + (history_.predicates().empty() ? " too)" : ", too)");
    return;
  }
  because.pop_back();
  because += "; whose version was read is assumed, too" + others + ")";
}

std::string Phrase::order(VersionOrder order, KeyId about) const {
  const auto shared =
      about.is_some() ? about : common_written_key(history_, order.before, order.after);
  const bool list = shared && history_.is_list(*shared);
  return names_.of(order.before) + (list ? " appended to " : " wrote ") +
         (shared ? key(*shared) : "its version") + " before " + names_.of(order.after);
}

std::string Phrase::claim(const Claim& claim) const {
  const ReadSource& source = claim.source;
  const std::string reader = names_.of(source.txn);
  if (source.op == Claim::kNoOp) {
    return reader + (claim.denied ? " did not take effect" : " took effect");
  }
  const OpRef ref{source.txn, source.op};
  if (aggregate_of(history_, ref) != nullptr) {
    return reader + (claim.denied ? " did not find " : " found ") + item(ref, source.writer);
  }
  std::string text = reader + (claim.denied ? " did not read " : " read ") + seen(ref);
  if (source.writer.is_some()) text += " from " + names_.of(source.writer);
  return text;
}

/// The item of an aggregate, in the version that it had then.
std::string Phrase::item(OpRef read, TxnId writer) const {
  const KeyId key = op_at(history_, read).key;
  std::string text = this->key(key);
  if (writer.is_some()) {
    text += " as " + names_.of(writer) + " left it";
  } else {
    text += history_.initial(key).is_null() ? " absent" : " as it was at the start";
  }
  return text + " for its " + history_.text(*aggregate_of(history_, read));
}

std::string Phrase::on_record(OpRef read) const {
  const Selection* const computed = aggregate_of(history_, read);
  return computed != nullptr ? "computed " + history_.text(*computed) : "read " + seen(read);
}

std::string Phrase::read_from(const Edge& edge, Taken taken) const {
  const std::string reader = names_.of(edge.to);
  const std::string writer = names_.of(edge.from);
  const std::string seen = reader + " read " + read(edge.to, edge.key, edge.from, taken);
  if (!history_.is_list(edge.key)) {
    return seen + ", which " + writer + (deleted(edge.from, edge.key) ? " deleted" : " wrote");
  }
  const auto found = told_read_of(writers_, edge.to, edge.key, edge.from, taken);
  const auto write = final_write(history_, edge.from, edge.key);
  if (found && write && is_long_list(history_, op_at(history_, *found))) {
    return reader + " read " + seen_of(*found, edge.from) + ", which " + writer + " appended";
  }
  return seen + ", of which " + writer + " appended " + value(edge.from, edge.key);
}

namespace {

/// The later writer read this key from the earlier one.
bool is_read_of(const Phrase::Reason& reason, KeyId key) {
  return reason.direct != nullptr && reason.shown_by == nullptr &&
         reason.direct->kind == DirectOrder::Kind::kRead && reason.direct->key == key;
}

}  // namespace

std::string Phrase::version_order(const Edge& edge, const Reason& reason) const {
  const std::string first = names_.of(edge.from);
  const std::string second = names_.of(edge.to);
  if (is_read_of(reason, edge.key) && !history_.is_list(edge.key)) {
    return second + " read " + read(edge.to, edge.key, edge.from, reason.taken) + " from " +
           first +
           (deleted(edge.to, edge.key) ? " and deleted it"
                                       : " and replaced it by " + value(edge.to, edge.key));
  }
  const std::string why_first = why({edge.from, edge.to}, reason, edge.key);
  if (history_.is_list(edge.key)) {
    return first + " " + did(edge.from, edge.key) + " before " + second + " appended " +
           value(edge.to, edge.key) + why_first;
  }
  return first + " " + did(edge.from, edge.key) + " before " + second + " " +
         did(edge.to, edge.key) + why_first;
}

/// Why the version that was read is older than the one that replaced it.
std::string Phrase::why_older(const Edge& edge, const Reason& reason) const {
  const VersionOrder order{edge.via, edge.to};
  const DirectOrder* const direct = reason.shown_by == nullptr ? reason.direct : nullptr;
  const bool by_other_key =
      direct != nullptr && direct->kind == DirectOrder::Kind::kRead && direct->key != edge.key;
  if (!by_other_key || reason.nested) return why(order, reason, edge.key);
  return ", and " + names_.of(order.after) + " came after " + names_.of(order.before) +
         ", for it read " + seen_of(direct->read, order.before) + " from " +
         names_.of(order.before);
}

std::string Phrase::anti_dependency(const Edge& edge, const Reason& reason) const {
  const auto found = told_read_of(writers_, edge.from, edge.key, edge.via, reason.taken);
  if (found && aggregate_of(history_, *found) != nullptr) {
    return names_.of(edge.from) + " found " + item(*found, edge.via) + ", but " +
           names_.of(edge.to) + " " + did(edge.to, edge.key) +
           (edge.via.is_some() ? why_older(edge, reason) : std::string());
  }
  if (found && op_at(history_, *found).kind == OpKind::kReadAbsent) {
    return names_.of(edge.from) + " selected " +
           history_.text(history_.predicate(op_at(history_, *found))) + among_equal(*found) +
           " and " + key(edge.key) + " was not among them, but " + names_.of(edge.to) + " " +
           did(edge.to, edge.key) +
           (edge.via.is_some() ? why_older(edge, reason) : std::string());
  }
  const std::string reader = names_.of(edge.from);
  const std::string writer = names_.of(edge.to);
  const std::string seen = reader + " read " + (found ? this->seen(*found) : key(edge.key));
  if (history_.is_list(edge.key)) {
    std::string missed =
        seen + ", without " + writer + "'s append of " + value(edge.to, edge.key) +
        (found ? witness(op_at(history_, *found), edge.from, edge.to) : std::string());
    return reason.ground == Ground::kAssumed ? missed.append(kAssumedLater) : missed;
  }
  if (found && history_.found_nothing(op_at(history_, *found))) {
    return seen + ", but " + writer + " " + did(edge.to, edge.key) +
           (edge.via.is_some() ? why_older(edge, reason) : std::string());
  }
  if (edge.via.is_none()) return seen + ", which " + writer + " " + replaced(edge.to, edge.key);
  if (is_read_of(reason, edge.key) && op_at(history_, reason.direct->read).is_read()) {
    return seen + ", which " + writer + " read as well and " + replaced(edge.to, edge.key);
  }
  if (reason.nested) {
    return seen + " from " + names_.of(edge.via) + " and not " + writer + "'s " +
           value(edge.to, edge.key) + why_older(edge, reason);
  }
  return seen + " from " + names_.of(edge.via) + ", which " + writer + " " +
         replaced(edge.to, edge.key) + why_older(edge, reason);
}

std::string Phrase::monotonic_view(const Edge& edge, Taken taken) const {
  const std::string viewer = names_.of(edge.via);
  const std::string seen = names_.of(edge.from);
  // `to` is `from` itself when the version read later is the initial one.
  const bool initial = edge.to == edge.from;
  const TxnId source = initial ? TxnId::none() : edge.to;
  std::string first = viewer + " had read from " + seen;
  // Whichever read saw it, if one of these is later the last one is.
  std::optional<OpRef> later = last_read(edge.via, edge.key, source, taken);
  if (const auto found = sure_read_of(writers_, edge.via, edge.from, taken)) {
    // No row of a selection is read later than another.
    const Selection* const selection = history_.selection_of(edge.via, found->op);
    const std::uint32_t next = selection == nullptr ? found->op + 1 : selection->end();
    const auto behind = told_read_of(writers_, edge.via, edge.key, source, taken, next);
    if (behind) later = behind;
    // A read that tells less may be earlier than the one that is sure.
    const bool is_later = selection == nullptr && (!later || later->op > found->op);
    if (behind || is_later) {
      first = viewer + " read " + seen_of(*found, edge.from) + " from " + seen;
    }
  }
  std::string then = later ? this->seen(*later) : key(edge.key);
  if (!initial) then += " from " + names_.of(edge.to);
  return first + " and later " + then + ", although " + seen + " " + did(edge.from, edge.key) +
         " too";
}

std::string Phrase::visible(const Edge& edge, const Reason& reason) const {
  const std::string viewer = names_.of(edge.via);
  const std::string seen = names_.of(edge.from);
  const bool initial = edge.to == edge.from;
  std::string text = viewer + " read " +
                     read(edge.via, edge.key, initial ? TxnId() : edge.to, reason.taken) +
                     (initial ? std::string() : " from " + names_.of(edge.to)) + ", although " +
                     seen + " " + did(edge.from, edge.key) + " and ";
  if (const auto found = sure_read_of(writers_, edge.via, edge.from, reason.taken)) {
    return text + viewer + " read " + seen_of(*found, edge.from) + " from " + seen;
  }
  const bool through_others = edge.kind == EdgeKind::kCausalView;
  if (!reason.path.empty()) {
    return text + "is among the causes of " + viewer + causes(reason);
  }
  if (precedes_in_session(history_, edge.from, edge.via)) {
    return text + "came before " + viewer + " in session " +
           history::session_text(history_, history_.session_of(edge.from));
  }
  // Where several may have written what was read, no single path need be the one.
  if (through_others && !ended_before(history_, edge.from, edge.via)) {
    return text + "is among the causes of " + viewer;
  }
  return text + "had ended before " + viewer + " started";
}

std::string Phrase::causes(const Reason& reason) const {
  constexpr std::size_t kStepsTold = 5;
  const std::span<const CausalStep> path = reason.path;
  if (path.size() > kStepsTold) return {};
  std::string text = ": ";
  for (std::size_t i = 0; i < path.size(); ++i) {
    const CausalStep& step = path[i];
    if (i > 0) text += i + 1 == path.size() ? " and " : ", ";
    text += names_.of(step.to);
    if (step.by_time) {
      text += " started after " + names_.of(step.from) + " had ended";
    } else if (step.key.is_none()) {
      text += " came after " + names_.of(step.from) + " in its session";
    } else {
      text += " read " + read(step.to, step.key, step.from, reason.taken) + " from " +
              names_.of(step.from);
    }
  }
  return text;
}

std::string Phrase::database_time(const Edge& edge) const {
  const DatabaseTimes first = history_.database_times(edge.from);
  const DatabaseTimes second = history_.database_times(edge.to);
  const bool from_start = edge.kind == EdgeKind::kStartedBefore;
  const bool to_start = edge.kind == EdgeKind::kCommittedBefore;
  const std::int64_t before = from_start ? first.start : first.commit;
  // A snapshot that is taken at the very moment of a commit does not hold it.
  const bool same = before == (to_start ? second.start : second.commit);
  return "by the database's times " + names_.of(edge.from) +
         (from_start ? " started at " : " committed at ") + std::to_string(before) +
         (same ? ", not after " : ", before ") + names_.of(edge.to) +
         (to_start ? " started at " : " committed at ") +
         std::to_string(to_start ? second.start : second.commit);
}

std::string Phrase::real_time(const Edge& edge) const {
  const TxnTimes first = history_.times(edge.from);
  const TxnTimes second = history_.times(edge.to);
  // At the level where only transactions that use the same key are ordered by time.
  const std::string both =
      edge.key.is_some() ? ", and both use " + history_.text(edge.key) : "";
  if (first.end == kNoTime || second.start == kNoTime) {
    return names_.of(edge.from) + " ended before " + names_.of(edge.to) + " started" + both;
  }
  if (history_.origin().times_are_order) {
    return names_.of(edge.from) + " ended (event " + std::to_string(first.end) + ") before " +
           names_.of(edge.to) + " started (event " + std::to_string(second.start) + ")" + both;
  }
  return names_.of(edge.from) + " ended " + duration_text(second.start - first.end) +
         " before " + names_.of(edge.to) + " started" + both;
}

std::string Phrase::because(const Edge& edge, const Reason& reason) const {
  switch (edge.kind) {
    case EdgeKind::kSessionOrder:
      return names_.of(edge.from) + " is before " + names_.of(edge.to) + " in session " +
             history::session_text(history_, history_.session_of(edge.from));
    case EdgeKind::kRealTime:
      return real_time(edge);
    case EdgeKind::kReadFrom:
      return read_from(edge, reason.taken);
    case EdgeKind::kVersionOrder:
      return version_order(edge, reason);
    case EdgeKind::kAntiDependency:
      return anti_dependency(edge, reason);
    case EdgeKind::kMonotonicView:
      return monotonic_view(edge, reason.taken);
    case EdgeKind::kAtomicView:
    case EdgeKind::kCausalView:
      return visible(edge, reason);
    case EdgeKind::kCommitOrder:
    case EdgeKind::kStartedBefore:
    case EdgeKind::kCommittedBefore:
      return database_time(edge);
  }
  return {};
}

/// "x = 5 from T2", "x = 5 from T2 or T3" where both wrote it.
std::string Phrase::with_writers(OpRef read) const {
  const std::string writers = either_of(writers_of(writers_, read));
  return seen(read) + (writers.empty() ? "" : " from " + writers);
}

std::string Phrase::either_of(const std::vector<TxnId>& writers) const {
  if (writers.size() > kWritersTold) return {};
  std::vector<std::string> names;
  for (const TxnId writer : writers) names.push_back(names_.of(writer));
  return base::joined(names, "or");
}

std::string Phrase::appended_by(const Finding& finding) const {
  const Op& read = history_.ops(finding.txn)[finding.op];
  const Value element = history_.list(read)[finding.element];
  const std::string writers = either_of(appenders_of(writers_, finding.txn, read.key, element));
  return writers.empty() ? "" : " (appended by " + writers + ")";
}

/// Two list reads of which neither continues the other.
std::string Phrase::disagreement(const Finding& finding) const {
  const Op& mine = history_.ops(finding.txn)[finding.op];
  const Op& theirs = history_.ops(finding.other)[finding.other_op];
  const std::string reader = names_.of(finding.txn);
  const std::string other = names_.of(finding.other);
  const std::string both =
      reader + " read " + state(mine) + ", and " + other + " read " + state(theirs);
  const std::string neither = both + "; neither list continues the other";
  const std::size_t same = difference(history_.list(theirs), history_.list(mine)).prefix;
  const bool both_short = !is_long_list(history_, mine) && !is_long_list(history_, theirs);
  if (both_short && same == 0) return neither;
  if (history_.lacks_initial_list(mine) || history_.lacks_initial_list(theirs)) return neither;
  const std::string where = same == 0   ? "from the first element on"
                            : same == 1 ? "after the same first element"
                                        : "after the same first " + elements(same);
  return neither + ": " + where + ", " + reader + " saw " +
         list_text(history_, history_.list(mine).subspan(same)) + " and " + other + " saw " +
         list_text(history_, history_.list(theirs).subspan(same));
}

/// What a transaction had done to an item before a read of it that does not fit: "it had read
/// x = 1 and appended 2 before".
std::string Phrase::own_past(const Finding& finding) const {
  const std::span<const Op> ops = history_.ops(finding.txn);
  const Op& read = ops[finding.op];
  std::string seen;
  std::string wrote;
  for (std::uint32_t i = 0; i < finding.op; ++i) {
    const Op& op = ops[i];
    if (op.key != read.key) continue;
    if (op.kind == OpKind::kAppend) {
      wrote += (wrote.empty() ? "" : ", ") + history_.text(op.value);
    } else if (op.kind == OpKind::kWrite) {
      seen = op.is_delete() ? "deleted " + key(op.key) : "written " + state(op);
    } else if (op.is_read() || op.kind == OpKind::kReadMatch) {
      seen = "read " + this->seen({finding.txn, i});
      wrote.clear();
    } else {
      return {};
    }
  }
  if (!wrote.empty()) wrote = (seen.empty() ? "appended " : " and appended ") + wrote;
  return seen + wrote;
}

/// Of a value that nobody wrote: who wrote one of another type that looks the same. "1" and 1
/// are different values, and whoever records a history may have mixed them up.
std::string Phrase::other_type(KeyId key, Value value) const {
  const auto type = [](Value of) {
    if (of.kind() == Value::Kind::kString) return " as a string";
    return of.kind() == Value::Kind::kInteger ? " as a number" : " as a literal";
  };
  const std::string text = history_.text(value);
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    base::MemoryGuard::spend(history_.ops(TxnId::at(t)).size());
    for (const Op& op : history_.ops(TxnId::at(t))) {
      if (!op.is_write() || op.key != key || op.value == value) continue;
      if (history_.text(op.value) != text) continue;
      return "; " + names_.of(TxnId::at(t)) + " wrote " + history_.json(op.value) +
             type(op.value) + ", which is another value than " + history_.json(value) +
             type(value);
    }
  }
  return {};
}

/// `element`: text of the one that the finding is about.
std::string Phrase::list_finding(const Finding& finding, const std::string& element) const {
  const std::string reader = names_.of(finding.txn);
  const Op& op = history_.ops(finding.txn)[finding.op];
  const std::string one =
      is_long_list(history_, op)
          ? reader + " read " + this->element(op, finding.element) + ", which"
          : reader + " read " + state(op) + ", whose element " + element;
  switch (finding.kind) {
    case FindingKind::kAbortedRead:
      return one + " only the aborted " + names_.of(finding.other) + " appended";
    case FindingKind::kFutureRead:
      return one + " it appended itself only later";
    case FindingKind::kUnwrittenRead:
      return one + " no transaction appended" +
             other_type(op.key, history_.list(op)[finding.element]);
    case FindingKind::kIntermediateRead:
      return reader + " read " + state(op) + ", which ends in the middle of " +
             names_.of(finding.other) + "'s appends, after " + element;
    default:
      return {};
  }
}

/// What was there at the start was gone, and no transaction can have taken it away: "but it
/// held 5 at the start, and no transaction left it without a row".
std::string Phrase::gone(const Op& read) const {
  const std::string name = key(read.key);
  if (read.kind == OpKind::kReadList) {
    return ", but " + name + " began with " +
           list_text(history_, history_.initial_list(read.key));
  }
  const std::string held = ", but " + name + " held " +
                           history_.text(read.key, history_.initial(read.key)) +
                           " at the start, and no transaction ";
  if (history_.found_nothing(read)) return held + "deleted it";
  return held + (read.kind == OpKind::kReadAbsent ? "left a row there that does not match"
                                                  : "left another value there");
}

/// Of a row that matched at the start, or was there, and that a transaction did not find: who
/// would have taken it away.
std::string Phrase::row_finding(const Finding& finding) const {
  const Op& op = history_.ops(finding.txn)[finding.op];
  const std::string seen =
      names_.of(finding.txn) + " read " + this->seen({finding.txn, finding.op});
  switch (finding.kind) {
    case FindingKind::kAbortedRead:
      return seen + ", and only the aborted " + names_.of(finding.other) +
             " wrote anything that explains it";
    case FindingKind::kIntermediateRead:
      return seen + ", and " + names_.of(finding.other) + ", which wrote what explains it, " +
             replaced(finding.other, op.key) + " before it ended";
    case FindingKind::kFutureRead:
      return seen + ", and what explains it, it wrote itself only later";
    default:
      return {};
  }
}

std::string Phrase::finding(const Finding& finding) const {
  const std::string reader = names_.of(finding.txn);
  const Op& op = history_.ops(finding.txn)[finding.op];
  const std::string seen = reader + " read " + this->seen({finding.txn, finding.op});
  if (is_about_initial_contents(history_, finding)) return seen + gone(op);
  if (op.is_exclusion()) {
    const std::string told = row_finding(finding);
    if (!told.empty()) return told;
  }
  std::string element;
  if (op.kind == OpKind::kReadList && finding.element < history_.list(op).size()) {
    element = history_.text(history_.list(op)[finding.element]);
  }
  if (!element.empty()) {
    const std::string told = list_finding(finding, element);
    if (!told.empty()) return told;
  }
  const auto read_from = [&] {
    return reader + " read " + with_writers({finding.txn, finding.op});
  };
  switch (finding.kind) {
    case FindingKind::kInternal:
      if (const std::string past = own_past(finding); !past.empty()) {
        return read_from() + ", although it had " + past + " before";
      }
      return read_from() + ", which disagrees with its own earlier operations on " +
             key(op.key);
    case FindingKind::kAbortedRead:
      return seen + ", which only the aborted " + names_.of(finding.other) + " wrote";
    case FindingKind::kIntermediateRead:
      return seen + ", which " + names_.of(finding.other) + " " +
             replaced(finding.other, op.key) + " before it ended";
    case FindingKind::kFutureRead:
      return seen + ", which it wrote itself only later";
    case FindingKind::kUnwrittenRead:
      if (is_of_counted(history_, finding)) return seen + ", which no increments add up to";
      if (op.kind == OpKind::kReadMatch) return seen + ", which no transaction wrote";
      return seen + ", which no transaction wrote" + other_type(op.key, op.value);
    case FindingKind::kNonRepeatableRead:
      return reader + " read " + with_writers({finding.txn, finding.other_op}) + " first and " +
             with_writers({finding.txn, finding.op}) + " later" +
             (op.is_partial() && history_.ops(finding.txn)[finding.other_op].is_partial()
                  ? "; no version of " + key(op.key) + " is both"
                  : "");
    case FindingKind::kIncompatibleOrder:
      return disagreement(finding);
    case FindingKind::kDuplicateElement:
      return seen + ", which holds " + element + appended_by(finding) + " more than once";
    case FindingKind::kUnselectedRow:
      return read_from() + " as a row of a selection whose condition does not select it";
    case FindingKind::kImpossibleNumber:
    case FindingKind::kImpossibleTotal:
      return seen + ", which no increments add up to";
  }
  return {};
}

}  // namespace isolde::explain
