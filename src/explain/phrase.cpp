#include "explain/phrase.hpp"

#include <array>
#include <cmath>
#include <cstdio>

#include "explain/evidence.hpp"
#include "explain/sight.hpp"

namespace isolde::explain {
namespace {

constexpr std::size_t kListShown = 8;  // longer lists keep their first two and last five

std::string list_text(const History& history, const Op& op) {
  const std::span<const Value> list = history.list(op);
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) text += ' ';
    if (list.size() > kListShown && i == 2) {
      text += "...";
      i = list.size() - 6;
      continue;
    }
    text += history.text(list[i]);
  }
  return text + "]";
}

}  // namespace

std::string Names::of(TxnId txn) const {
  const auto given = names_.find(txn);
  return given == names_.end() ? history_->txn_name(txn) : given->second;
}

std::string op_text(const History& history, const Op& op) {
  if (op.kind != OpKind::kReadList || history.list(op).size() <= kListShown) {
    return history.op_text(op);
  }
  return "r(" + history.text(history.key_name(op.key)) + ")=" + list_text(history, op);
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

std::string Phrase::key(KeyId key) const {
  const Value name = history_.key_name(key);
  const std::string text = history_.text(name);
  return name.kind() == Value::Kind::kString ? text : "key " + text;
}

std::string Phrase::state(const Op& op) const {
  if (op.kind == OpKind::kRead && op.value.is_null()) return "the initial " + key(op.key);
  if (op.kind == OpKind::kReadAbsent) {
    return "no row " + key(op.key) + " among " + history_.text(history_.predicate(op));
  }
  if (op.kind == OpKind::kReadExcept) {
    return key(op.key) + " other than " + history_.text(history_.predicate(op));
  }
  const std::string value =
      op.kind == OpKind::kReadList ? list_text(history_, op) : history_.text(op.value);
  return key(op.key) + " = " + value;
}

std::string Phrase::written(TxnId txn, KeyId written_key) const {
  const auto write = final_write(history_, txn, written_key);
  if (!write) return key(written_key);
  const Op& op = op_at(history_, *write);
  if (op.kind == OpKind::kAppend) return history_.text(op.value) + " to " + key(op.key);
  return state(op);
}

std::string Phrase::value(TxnId txn, KeyId written_key) const {
  const auto write = final_write(history_, txn, written_key);
  return write ? history_.text(op_at(history_, *write).value) : "a later value";
}

std::string Phrase::read(TxnId reader, KeyId read_key, TxnId writer) const {
  const auto found = read_of(history_, reader, read_key, writer);
  return found ? state(op_at(history_, *found)) : key(read_key);
}

std::string Phrase::why(VersionOrder order, const Reason& reason) const {
  if (reason.shown_by != nullptr) {
    return ", for " +
           this->reason(*reason.shown_by, {Ground::kCertain, 0, nullptr, /*nested=*/true});
  }
  if (reason.ground == Ground::kAssumed) return " (assumed)";
  if (reason.ground == Ground::kEstablished) {
    return " (step " + std::to_string(reason.step) + ")";
  }
  const auto direct = direct_order(history_, order);
  if (!direct) return {};
  const Op& op = op_at(history_, direct->read);
  const std::string reader = names_.of(direct->read.txn);
  std::string text = reader + " read " + state(op);
  if (direct->read.txn == order.after) text += " from " + names_.of(order.before);
  return reason.nested ? " (" + text + ")" : ", for " + text;
}

std::string Phrase::order(VersionOrder order) const {
  const auto shared = common_written_key(history_, order.before, order.after);
  return names_.of(order.before) + " wrote " + (shared ? key(*shared) : "its version") +
         " before " + names_.of(order.after);
}

std::string Phrase::claim(const Claim& claim) const {
  const ReadSource& source = claim.source;
  const std::string reader = names_.of(source.txn);
  if (source.op == Claim::kNoOp) {
    return reader + (claim.denied ? " did not take effect" : " took effect");
  }
  std::string text = reader + (claim.denied ? " did not read " : " read ") +
                     state(op_at(history_, {source.txn, source.op}));
  if (source.writer.is_some()) text += " from " + names_.of(source.writer);
  return text;
}

std::string Phrase::read_from(const Edge& edge) const {
  const std::string reader = names_.of(edge.to);
  const std::string writer = names_.of(edge.from);
  const std::string seen = reader + " read " + read(edge.to, edge.key, edge.from);
  if (!history_.is_list(edge.key)) return seen + ", which " + writer + " wrote";
  return seen + ", and " + writer + " appended " + written(edge.from, edge.key);
}

std::string Phrase::version_order(const Edge& edge, const Reason& reason) const {
  const std::string first = names_.of(edge.from);
  const std::string second = names_.of(edge.to);
  const auto direct = direct_order(history_, {edge.from, edge.to});
  if (reason.ground == Ground::kCertain && direct && direct->key == edge.key &&
      direct->read.txn == edge.to && !history_.is_list(edge.key)) {
    return second + " read " + read(edge.to, edge.key, edge.from) + " from " + first +
           " and replaced it by " + value(edge.to, edge.key);
  }
  const char* verb = history_.is_list(edge.key) ? " appended " : " wrote ";
  return first + verb + written(edge.from, edge.key) + " before " + second + verb +
         written(edge.to, edge.key) + why({edge.from, edge.to}, reason);
}

std::string Phrase::anti_dependency(const Edge& edge, const Reason& reason) const {
  const auto found = read_of(history_, edge.from, edge.key, edge.via);
  if (found && op_at(history_, *found).kind == OpKind::kReadAbsent) {
    return names_.of(edge.from) + " selected " +
           history_.text(history_.predicate(op_at(history_, *found))) + " and " +
           key(edge.key) + " was not among them, but " + names_.of(edge.to) + " wrote " +
           written(edge.to, edge.key) +
           (edge.via.is_some() ? why({edge.via, edge.to}, reason) : std::string());
  }
  const std::string reader = names_.of(edge.from);
  const std::string writer = names_.of(edge.to);
  const std::string seen = reader + " read " + read(edge.from, edge.key, edge.via);
  if (history_.is_list(edge.key)) {
    const std::string missed =
        seen + ", without " + writer + "'s append of " + written(edge.to, edge.key);
    return reason.ground == Ground::kAssumed ? missed + " (assumed to come later)" : missed;
  }
  if (edge.via.is_none()) {
    return seen + ", which " + writer + " replaced by " + value(edge.to, edge.key);
  }
  if (reason.ground == Ground::kCertain && read_of(history_, edge.to, edge.key, edge.via)) {
    return seen + ", which " + writer + " read as well and replaced by " +
           value(edge.to, edge.key);
  }
  return seen + " from " + names_.of(edge.via) + ", which " + writer + " replaced by " +
         value(edge.to, edge.key) + why({edge.via, edge.to}, reason);
}

std::string Phrase::monotonic_view(const Edge& edge) const {
  const std::string viewer = names_.of(edge.via);
  const std::string seen = names_.of(edge.from);
  // `to` is `from` itself when the version read later is the initial one.
  const bool initial = edge.to == edge.from;
  const TxnId source = initial ? TxnId::none() : edge.to;
  std::string first = viewer + " had read from " + seen;
  std::optional<OpRef> later = read_of(history_, edge.via, edge.key, source);
  if (const std::optional<OpRef> found = read_of(history_, edge.via, edge.from)) {
    // No row of a selection is read later than another.
    const Selection* const selection = history_.selection_of(edge.via, found->op);
    const std::uint32_t next = selection == nullptr ? found->op + 1 : selection->end();
    const auto behind = read_of(history_, edge.via, edge.key, source, next);
    if (behind) later = behind;
    if (behind || selection == nullptr) {
      first = viewer + " read " + state(op_at(history_, *found)) + " from " + seen;
    }
  }
  std::string then = later ? state(op_at(history_, *later)) : key(edge.key);
  if (!initial) then += " from " + names_.of(edge.to);
  return first + " and later " + then + ", although " + seen + " wrote " +
         written(edge.from, edge.key) + " too";
}

std::string Phrase::visible(const Edge& edge) const {
  const std::string viewer = names_.of(edge.via);
  const std::string seen = names_.of(edge.from);
  const bool initial = edge.to == edge.from;
  std::string text =
      viewer + " read " +
      (initial ? read(edge.via, edge.key, {})
               : read(edge.via, edge.key, edge.to) + " from " + names_.of(edge.to)) +
      ", although " + seen + " wrote " + written(edge.from, edge.key) + " and ";
  if (edge.kind == EdgeKind::kCausalView) {
    return text + "is among its causes" + causes(edge.from, edge.via);
  }
  if (const std::optional<OpRef> found = read_of(history_, edge.via, edge.from)) {
    return text + viewer + " read " + state(op_at(history_, *found)) + " from it";
  }
  if (history_.session_of(edge.from) == history_.session_of(edge.via)) {
    return text + "came before it in session " +
           history_.session_name(history_.session_of(edge.from));
  }
  return text + "had ended before " + viewer + " started";
}

std::string Phrase::causes(TxnId cause, TxnId effect) const {
  constexpr std::size_t kStepsTold = 5;
  const std::vector<CausalStep> path = causal_path(history_, cause, effect);
  if (path.empty() || path.size() > kStepsTold) return {};
  std::string text = ": ";
  for (std::size_t i = 0; i < path.size(); ++i) {
    const CausalStep& step = path[i];
    if (i > 0) text += i + 1 == path.size() ? " and " : ", ";
    text += names_.of(step.to);
    if (step.key.is_none()) {
      text += " came after " + names_.of(step.from) + " in its session";
    } else {
      text += " read " + read(step.to, step.key, step.from) + " from " + names_.of(step.from);
    }
  }
  return text;
}

std::string Phrase::database_time(const Edge& edge) const {
  const DatabaseTimes first = history_.database_times(edge.from);
  const DatabaseTimes second = history_.database_times(edge.to);
  const bool from_start = edge.kind == EdgeKind::kStartedBefore;
  const bool to_start = edge.kind == EdgeKind::kCommittedBefore;
  return "by the database's times " + names_.of(edge.from) +
         (from_start ? " started at " : " committed at ") +
         std::to_string(from_start ? first.start : first.commit) + ", before " +
         names_.of(edge.to) + (to_start ? " started at " : " committed at ") +
         std::to_string(to_start ? second.start : second.commit);
}

std::string Phrase::real_time(const Edge& edge) const {
  const TxnTimes first = history_.times(edge.from);
  const TxnTimes second = history_.times(edge.to);
  // At the level where only transactions that use the same key are ordered by time.
  const std::string both =
      edge.key.is_some() ? ", and both use " + history_.text(history_.key_name(edge.key)) : "";
  if (first.end == kNoTime || second.start == kNoTime) {
    return names_.of(edge.from) + " ended before " + names_.of(edge.to) + " started" + both;
  }
  return names_.of(edge.from) + " ended " + duration_text(second.start - first.end) +
         " before " + names_.of(edge.to) + " started" + both;
}

std::string Phrase::because(const Edge& edge, Ground ground, std::size_t step,
                            const Edge* shown_by) const {
  return reason(edge, {ground, step, shown_by});
}

std::string Phrase::reason(const Edge& edge, const Reason& reason) const {
  switch (edge.kind) {
    case EdgeKind::kSessionOrder:
      return names_.of(edge.from) + " is before " + names_.of(edge.to) + " in session " +
             history_.session_name(history_.session_of(edge.from));
    case EdgeKind::kRealTime:
      return real_time(edge);
    case EdgeKind::kReadFrom:
      return read_from(edge);
    case EdgeKind::kVersionOrder:
      return version_order(edge, reason);
    case EdgeKind::kAntiDependency:
      return anti_dependency(edge, reason);
    case EdgeKind::kMonotonicView:
      return monotonic_view(edge);
    case EdgeKind::kAtomicView:
    case EdgeKind::kCausalView:
      return visible(edge);
    case EdgeKind::kCommitOrder:
    case EdgeKind::kStartedBefore:
    case EdgeKind::kCommittedBefore:
      return database_time(edge);
  }
  return {};
}

std::string Phrase::finding(const Finding& finding) const {
  const std::string reader = names_.of(finding.txn);
  const Op& op = history_.ops(finding.txn)[finding.op];
  const std::string seen = reader + " read " + state(op);
  std::string element;
  if (op.kind == OpKind::kReadList && finding.element < history_.list(op).size()) {
    element = history_.text(history_.list(op)[finding.element]);
  }
  const bool list = !element.empty();
  const std::string what = list ? "whose element " + element : std::string("which");
  switch (finding.kind) {
    case FindingKind::kInternal:
      return seen + ", which disagrees with its own earlier operations on " + key(op.key);
    case FindingKind::kAbortedRead:
      return seen + ", " + what + " only the aborted " + names_.of(finding.other) + " wrote";
    case FindingKind::kIntermediateRead:
      if (list) {
        return seen + ", which ends in the middle of " + names_.of(finding.other) +
               "'s appends, after " + element;
      }
      return seen + ", which " + names_.of(finding.other) + " replaced by " +
             value(finding.other, op.key) + " before it ended";
    case FindingKind::kFutureRead:
      return seen + ", " + what + " it wrote itself only later";
    case FindingKind::kUnwrittenRead:
      return seen + ", " + what + " no transaction wrote";
    case FindingKind::kNonRepeatableRead:
      return reader + " read " + state(history_.ops(finding.txn)[finding.other_op]) +
             " first and " + state(op) + " later";
    case FindingKind::kIncompatibleOrder:
      return seen + ", and " + names_.of(finding.other) + " read " +
             state(history_.ops(finding.other)[finding.other_op]) +
             "; neither list continues the other";
    case FindingKind::kDuplicateElement:
      return seen + ", which holds " + element + " more than once";
    case FindingKind::kUnselectedRow:
      return seen + " as a row of a selection whose condition does not select it";
  }
  return {};
}

}  // namespace isolde::explain
