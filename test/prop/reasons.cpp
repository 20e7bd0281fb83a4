#include "prop/reasons.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace isolde::prop {
namespace {

using explain::Ground;
using explain::ScenarioEdge;

/// Places in the list of what the transaction appended.
std::vector<std::size_t> places(const History& history, const Op& read, TxnId writer) {
  std::vector<std::size_t> found;
  const auto list = history.list(read);
  const auto ops = history.ops(writer);
  for (std::size_t at = 0; at < list.size(); ++at) {
    const bool is_its = std::any_of(ops.begin(), ops.end(), [&](const Op& op) {
      return op.kind == OpKind::kAppend && op.key == read.key && op.value == list[at];
    });
    if (is_its) found.push_back(at);
  }
  return found;
}

}  // namespace

bool ReasonReader::wrong(std::string what) {
  if (complaint_.empty())
    complaint_ = std::move(what) + " at '" + std::string(at_.rest()) + "'";
  return false;
}

bool ReasonReader::need(std::string_view words) {
  return at_.eat(words) || wrong("not '" + std::string(words) + "'");
}

bool ReasonReader::need(TxnId txn) {
  return at_.eat(txn) || wrong("not " + history_.txn_name(txn));
}

std::optional<Seen> ReasonReader::read(TxnId reader, KeyId key) {
  auto seen = at_.seen(reader, key);
  if (!seen) wrong(history_.txn_name(reader) + " did not read that");
  return seen;
}

/// `inside`: of a list any element counts, for who appended it was before.
bool ReasonReader::came_from(TxnId reader, const Seen& seen, TxnId writer, bool inside) {
  for (const std::uint32_t op : seen.ops) {
    const Op& read = history_.ops(reader)[op];
    const std::vector<TxnId> all = sources(history_, reader, read);
    const bool may = std::find(all.begin(), all.end(), writer) != all.end();
    if (may && (all.size() == 1 || supposed_)) return true;
    if (read.kind != OpKind::kReadList || (!inside && !seen.element)) continue;
    const std::vector<std::size_t> at = places(history_, read, writer);
    const auto place =
        seen.element ? std::find(at.begin(), at.end(), *seen.element) : at.begin();
    if (place != at.end()) return true;
  }
  return wrong(history_.txn_name(reader) + " did not read that from " +
               (writer.is_some() ? history_.txn_name(writer) : "nobody"));
}

/// The transaction wrote the key only after it had read it so.
bool ReasonReader::is_earlier_read(TxnId txn, const Seen& seen, KeyId key) {
  const auto ops = history_.ops(txn);
  for (std::uint32_t i = seen.ops.front(); i < ops.size(); ++i) {
    if (ops[i].is_write() && ops[i].key == key) return true;
  }
  return wrong(history_.txn_name(txn) + " did not write the key after that");
}

bool ReasonReader::session_order(const Edge& edge) {
  const SessionId session = history_.session_of(edge.from);
  const bool said = need(edge.from) && need(" is before ") && need(edge.to) &&
                    need(" in session " + history_.session_name(session));
  const bool so = session == history_.session_of(edge.to) &&
                  history_.position_of(edge.from) < history_.position_of(edge.to);
  return said && (so || wrong("not so in the session"));
}

bool ReasonReader::real_time(const Edge& edge) {
  const std::int64_t end = history_.times(edge.from).end;
  const std::int64_t start = history_.times(edge.to).start;
  if (!(end < start)) return wrong("it had not ended");
  if (!need(edge.from) || !need(" ended ")) return false;
  if (start - end < 1000 && !need(std::to_string(start - end) + " ns ")) return false;
  return need("before ") && need(edge.to) && need(" started") &&
         (edge.key.is_none() ||
          need(", and both use " + history_.text(history_.key_name(edge.key))));
}

bool ReasonReader::read_from(const Edge& edge) {
  if (!need(edge.to) || !need(" read ")) return false;
  const auto seen = read(edge.to, edge.key);
  if (!seen || !came_from(edge.to, *seen, edge.from, true)) return false;
  if (!history_.is_list(edge.key)) {
    const bool deletes = last_write(history_, edge.from, edge.key)->is_delete();
    return need(", which ") && need(edge.from) && need(deletes ? " deleted" : " wrote");
  }
  if (seen->element) return need(", which ") && need(edge.from) && need(" appended");
  return need(", of which ") && need(edge.from) && need(" appended ") &&
         (at_.eat_value(edge.from, edge.key) || wrong("appended something else"));
}

bool ReasonReader::did(TxnId writer, KeyId key) {
  return at_.eat_did(writer, key) || wrong("it did something else");
}

bool ReasonReader::replaced_it(TxnId writer, KeyId key) {
  if (last_write(history_, writer, key)->is_delete()) return need(" and deleted it");
  return need(" and replaced it by ") &&
         (at_.eat_value(writer, key) || wrong("wrote something else"));
}

bool ReasonReader::found_nothing(TxnId reader, const Seen& seen) const {
  return history_.found_nothing(history_.ops(reader)[seen.ops.front()]);
}

bool ReasonReader::version_order(const ScenarioEdge& step, bool nested) {
  const Edge& edge = step.edge;
  const std::string_view mark = at_.mark();
  if (at_.eat(edge.to) && at_.eat(" read ")) {
    const auto seen = read(edge.to, edge.key);
    if (step.ground != Ground::kCertain) return wrong("a supposed order told as certain");
    return seen && need(" from ") && need(edge.from) && came_from(edge.to, *seen, edge.from) &&
           is_earlier_read(edge.to, *seen, edge.key) && replaced_it(edge.to, edge.key);
  }
  at_.back_to(mark);
  const bool list = history_.is_list(edge.key);
  return need(edge.from) && did(edge.from, edge.key) && need(" before ") && need(edge.to) &&
         (list ? need(" appended ") && at_.eat_value(edge.to, edge.key)
               : did(edge.to, edge.key)) &&
         why({edge.from, edge.to}, step, nested);
}

bool ReasonReader::missed_row(const ScenarioEdge& step, bool nested) {
  const Edge& edge = step.edge;
  for (const Op& op : history_.ops(edge.from)) {
    if (op.kind != OpKind::kReadAbsent || op.key != edge.key) continue;
    const std::string_view mark = at_.mark();
    if (!at_.eat(history_.text(history_.predicate(op)))) continue;
    // Another condition may begin with the same words.
    if (!at_.eat_number_of(edge.from, op) || !at_.eat(" and ") || !at_.key(edge.key)) {
      at_.back_to(mark);
      continue;
    }
    const std::vector<TxnId> all = sources(history_, edge.from, op);
    const bool may = std::find(all.begin(), all.end(), edge.via) != all.end();
    if (!may || (all.size() > 1 && !supposed_)) return wrong("it saw somebody else's version");
    return need(" was not among them, but ") && need(edge.to) && did(edge.to, edge.key) &&
           (edge.via.is_none() || why_older(step, nested));
  }
  return wrong("it did not select that");
}

/// Somebody read the list with what the writer appended; the reader read it without.
bool ReasonReader::seen_by_another(const Edge& edge, const Seen& seen) {
  if (!at_.eat(", which ")) return true;
  const std::optional<TxnId> other = at_.txn();
  if (!other || !need(" read ")) return wrong("nobody");
  const bool next = at_.eat("right after ");
  if (!next && !need("behind ")) return false;
  const Op& mine = history_.ops(edge.from)[seen.ops.front()];
  const Value last = history_.list(mine).back();
  if (!need(history_.text(last))) return false;
  const Value missed = last_write(history_, edge.to, edge.key)->value;
  for (const Op& op : history_.ops(*other)) {
    if (op.kind != OpKind::kReadList || op.key != edge.key) continue;
    const auto list = history_.list(op);
    const auto first = std::find(list.begin(), list.end(), last);
    const auto second = std::find(list.begin(), list.end(), missed);
    if (second == list.end() || first >= second) continue;
    if (!next || first + 1 == second) return true;
  }
  return wrong("it did not read the list so");
}

bool ReasonReader::missed_append(const ScenarioEdge& step, const Seen& seen) {
  const Edge& edge = step.edge;
  const bool said = need(", without ") && need(edge.to) && need("'s append of ") &&
                    (at_.eat_value(edge.to, edge.key) || wrong("appended something else"));
  if (!said) return false;
  const bool lacks = std::any_of(seen.ops.begin(), seen.ops.end(), [&](std::uint32_t op) {
    const Op& read = history_.ops(edge.from)[op];
    const std::size_t end = others_elements(history_, edge.from, read);
    const std::vector<std::size_t> at = places(history_, read, edge.to);
    return std::none_of(at.begin(), at.end(), [&](std::size_t i) { return i < end; });
  });
  if (!lacks) return wrong("the list has an append of it");
  if (!seen_by_another(edge, seen)) return false;
  return step.ground != Ground::kAssumed || assumed(" (assumed to come later");
}

bool ReasonReader::anti_dependency(const ScenarioEdge& step, bool nested) {
  const Edge& edge = step.edge;
  if (!need(edge.from)) return false;
  if (at_.eat(" selected ")) return missed_row(step, nested);
  if (!need(" read ")) return false;
  const auto seen = read(edge.from, edge.key);
  if (!seen) return false;
  if (history_.is_list(edge.key)) return missed_append(step, *seen);
  const auto replaced = [&] {
    return at_.eat_replaced(edge.to, edge.key) || wrong("wrote something else");
  };
  if (found_nothing(edge.from, *seen)) {
    return came_from(edge.from, *seen, edge.via) && need(", but ") && need(edge.to) &&
           did(edge.to, edge.key) && (edge.via.is_none() || why_older(step, nested));
  }
  if (edge.via.is_none()) {
    return came_from(edge.from, *seen, {}) && need(", which ") && need(edge.to) && replaced();
  }
  if (!came_from(edge.from, *seen, edge.via)) return false;
  const std::string_view mark = at_.mark();
  if (at_.eat(", which ") && at_.eat(edge.to) && at_.eat(" read as well and")) {
    // What it read has no words of its own.
    const auto ops = history_.ops(edge.to);
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      const std::vector<TxnId> all = sources(history_, edge.to, ops[i]);
      if (ops[i].kind != OpKind::kRead || ops[i].key != edge.key) continue;
      const bool is_possible = std::find(all.begin(), all.end(), edge.via) != all.end();
      const bool is_taken = std::find(step.taken.begin(), step.taken.end(),
                                      ReadSource{edge.to, i, edge.via}) != step.taken.end();
      if (!is_possible || (all.size() != 1 && !(supposed_ && is_taken))) continue;
      return is_earlier_read(edge.to, {{i}, {}}, edge.key) && replaced();
    }
    return wrong("it did not read it as well");
  }
  at_.back_to(mark);
  if (!need(" from ") || !need(edge.via)) return false;
  if (nested) {
    return need(" and not ") && need(edge.to) && need("'s ") &&
           (at_.eat_value(edge.to, edge.key) || wrong("wrote something else")) &&
           why_older(step, nested);
  }
  return need(", which ") && need(edge.to) && replaced() && why_older(step, nested);
}

bool ReasonReader::why_older(const ScenarioEdge& step, bool nested) {
  const VersionOrder order{step.edge.via, step.edge.to};
  if (!at_.eat(", and ")) return why(order, step, nested);
  if (!need(order.after) || !need(" came after ") || !need(order.before)) return false;
  if (!need(", for it read ")) return false;
  const auto seen = read(order.after);
  return seen && need(" from ") && need(order.before) &&
         came_from(order.after, *seen, order.before, true);
}

bool ReasonReader::assumed(std::string_view words) {
  left_open_ = supposed_;
  return need(words) && (left_open_ || need(")"));
}

bool ReasonReader::why(VersionOrder order, const ScenarioEdge& step, bool nested) {
  if (step.shown_by) {
    return need(", for ") && reason({*step.shown_by, Ground::kCertain, 0, {}}, true);
  }
  if (step.ground == Ground::kAssumed) return assumed(" (assumed");
  if (step.ground == Ground::kEstablished) {
    return need(" (step " + std::to_string(step.step) + ")");
  }
  return shown_order(order, step.edge.key, nested);
}

/// An element of the first one stands in front of one of the second one.
bool ReasonReader::list_shows(VersionOrder order, const Op& read) {
  const std::vector<std::size_t> first = places(history_, read, order.before);
  const std::vector<std::size_t> second = places(history_, read, order.after);
  return !first.empty() && !second.empty() &&
         *std::min_element(first.begin(), first.end()) <
             *std::max_element(second.begin(), second.end());
}

/// What others had appended has nothing of `after`, and the list not what is named, unless the
/// reader appended that too.
bool ReasonReader::lacking(VersionOrder order, TxnId reader, const Op& read) {
  const auto list = history_.list(read);
  const auto appended = [&](TxnId txn, Value value) {
    const auto ops = history_.ops(txn);
    return std::any_of(ops.begin(), ops.end(), [&](const Op& op) {
      return op.kind == OpKind::kAppend && op.key == read.key && op.value == value;
    });
  };
  const Op* named = nullptr;
  for (const Op& op : history_.ops(order.after)) {
    if (op.kind != OpKind::kAppend || op.key != read.key) continue;
    if (at_.eat_whole(history_.text(op.value))) {
      named = &op;
      break;
    }
  }
  if (named == nullptr) return wrong("appended something else");
  const bool own = at_.eat(" but its own");
  const bool there = std::find(list.begin(), list.end(), named->value) != list.end();
  if (own != there || (own && !appended(reader, named->value))) return wrong("the list has it");
  const std::size_t end = others_elements(history_, reader, read);
  const std::vector<std::size_t> first = places(history_, read, order.before);
  const std::vector<std::size_t> second = places(history_, read, order.after);
  const auto by_others = [&](std::size_t at) { return at < end; };
  return (std::any_of(first.begin(), first.end(), by_others) &&
          std::none_of(second.begin(), second.end(), by_others)) ||
         wrong("not lacking");
}

/// An order that needs no supposing has a reason, which is true.
bool ReasonReader::shown_order(VersionOrder order, KeyId key, bool nested) {
  const bool bracket = nested && at_.eat(" (");
  if (!bracket && !at_.eat(", for ")) return wrong("an order without a reason");
  if (at_.eat("by the database's times ")) {
    const std::int64_t first = history_.database_times(order.before).commit;
    const std::int64_t second = history_.database_times(order.after).commit;
    return need(order.before) && need(" committed at " + std::to_string(first)) &&
           need(", before ") && need(order.after) &&
           need(" committed at " + std::to_string(second)) &&
           (first < second || wrong("not before")) && (!bracket || need(")"));
  }
  const std::optional<TxnId> reader = at_.txn();
  if (!reader || !need(" read ")) return wrong("nobody");
  const auto close = [&] { return !bracket || need(")"); };
  const std::string_view mark = at_.mark();
  if (const auto seen = at_.seen(*reader)) {
    if (at_.eat(" from ")) {
      return *reader == order.after && need(order.before) &&
             came_from(*reader, *seen, order.before, true) && close();
    }
    const Op& read = history_.ops(*reader)[seen->ops.front()];
    if (read.kind != OpKind::kReadList) return wrong("says nothing of the order");
    if (at_.eat(", without ")) return lacking(order, *reader, read) && close();
    return (list_shows(order, read) || wrong("not in this order")) && close();
  }
  at_.back_to(mark);
  // Of a long list: "7 right after 5".
  for (const Op& op : history_.ops(*reader)) {
    if (op.kind != OpKind::kReadList || !list_shows(order, op)) continue;
    for (const std::size_t later : places(history_, op, order.after)) {
      for (const std::size_t first : places(history_, op, order.before)) {
        if (first >= later) continue;
        const std::string words = history_.text(history_.list(op)[later]) +
                                  (later == first + 1 ? " right after " : " behind ") +
                                  history_.text(history_.list(op)[first]) +
                                  (op.key == key ? "" : " in " + at_.key_text(op.key));
        if (at_.eat_whole(words)) return close();
      }
    }
  }
  return wrong("it did not read that");
}

bool ReasonReader::monotonic_view(const Edge& edge) {
  const bool initial = edge.to == edge.from;
  if (!need(edge.via)) return false;
  std::uint32_t first = 0;
  if (at_.eat(" had read from ")) {
    if (!need(edge.from)) return false;
  } else {
    if (!need(" read ")) return false;
    const auto seen = read(edge.via);
    if (!seen || !need(" from ") || !need(edge.from)) return false;
    if (!came_from(edge.via, *seen, edge.from, true)) return false;
    first = history_.step(edge.via, seen->ops.front());
  }
  if (!need(" and later ")) return false;
  const auto later = read(edge.via, edge.key);
  if (!later) return false;
  if (history_.step(edge.via, later->ops.back()) <= first) return wrong("not later");
  if (!initial && (!need(" from ") || !need(edge.to))) return false;
  return came_from(edge.via, *later, initial ? TxnId() : edge.to) && need(", although ") &&
         need(edge.from) && did(edge.from, edge.key) && need(" too");
}

bool ReasonReader::visible(const Edge& edge) {
  const bool initial = edge.to == edge.from;
  if (!need(edge.via) || !need(" read ")) return false;
  const auto missed = read(edge.via, edge.key);
  if (!missed || (!initial && (!need(" from ") || !need(edge.to)))) return false;
  const bool said = came_from(edge.via, *missed, initial ? TxnId() : edge.to) &&
                    need(", although ") && need(edge.from) && did(edge.from, edge.key) &&
                    need(" and ");
  if (!said) return false;
  if (at_.eat("had ended before ")) {
    const bool ended = history_.times(edge.from).end < history_.times(edge.via).start;
    return need(edge.via) && need(" started") && (ended || wrong("it had not ended"));
  }
  if (at_.eat("came before ")) {
    const SessionId session = history_.session_of(edge.from);
    const bool so = session == history_.session_of(edge.via) &&
                    history_.position_of(edge.from) < history_.position_of(edge.via);
    return need(edge.via) && need(" in session " + history_.session_name(session)) &&
           (so || wrong("not so in the session"));
  }
  if (at_.eat("is among the causes of ")) return need(edge.via) && causes(edge);
  if (!need(edge.via) || !need(" read ")) return false;
  const auto seen = read(edge.via);
  return seen && need(" from ") && need(edge.from) &&
         came_from(edge.via, *seen, edge.from, true);
}

/// A path from the source to the viewer.
bool ReasonReader::causes(const Edge& edge) {
  if (!at_.rest().starts_with(':')) return true;  // too long to tell
  if (!need(": ")) return false;
  TxnId last = edge.from;
  while (last != edge.via) {
    const std::optional<TxnId> next = at_.txn();
    if (!next) return wrong("nobody");
    if (at_.eat(" came after ")) {
      const bool so = history_.session_of(*next) == history_.session_of(last) &&
                      history_.position_of(last) < history_.position_of(*next);
      if (!need(last) || !need(" in its session")) return false;
      if (!so) return wrong("not so in the session");
    } else if (at_.eat(" started after ")) {
      const bool so = history_.status(last) == TxnStatus::kCommitted &&
                      history_.times(last).end < history_.times(*next).start;
      if (!need(last) || !need(" had ended")) return false;
      if (!so) return wrong("it had not ended");
    } else {
      if (!need(" read ")) return false;
      const auto seen = read(*next);
      if (!seen || !need(" from ") || !need(last)) return false;
      if (!came_from(*next, *seen, last, true)) return false;
    }
    last = *next;
    if (last != edge.via && !at_.eat(", ") && !need(" and ")) return false;
  }
  return true;
}

bool ReasonReader::database_times(const Edge& edge) {
  const bool from_start = edge.kind == EdgeKind::kStartedBefore;
  const bool to_start = edge.kind == EdgeKind::kCommittedBefore;
  const DatabaseTimes first = history_.database_times(edge.from);
  const DatabaseTimes second = history_.database_times(edge.to);
  const std::int64_t before = from_start ? first.start : first.commit;
  const std::int64_t after = to_start ? second.start : second.commit;
  return need("by the database's times ") && need(edge.from) &&
         need((from_start ? " started at " : " committed at ") + std::to_string(before)) &&
         need(before == after ? ", not after " : ", before ") && need(edge.to) &&
         need((to_start ? " started at " : " committed at ") + std::to_string(after)) &&
         (before < after || (before == after && from_start && !to_start) ||
          wrong("not before"));
}

bool ReasonReader::reason(const ScenarioEdge& step, bool nested) {
  switch (step.edge.kind) {
    case EdgeKind::kSessionOrder:
      return session_order(step.edge);
    case EdgeKind::kRealTime:
      return real_time(step.edge);
    case EdgeKind::kReadFrom:
      return read_from(step.edge);
    case EdgeKind::kVersionOrder:
      return version_order(step, nested);
    case EdgeKind::kAntiDependency:
      return anti_dependency(step, nested);
    case EdgeKind::kMonotonicView:
      return monotonic_view(step.edge);
    case EdgeKind::kAtomicView:
    case EdgeKind::kCausalView:
      return visible(step.edge);
    case EdgeKind::kCommitOrder:
    case EdgeKind::kStartedBefore:
    case EdgeKind::kCommittedBefore:
      return database_times(step.edge);
  }
  return wrong("an unknown kind");
}

}  // namespace isolde::prop
