// Naming rules. The class of a cycle follows Adya 1999 and Elle (Kingsbury & Alvaro, VLDB
// 2020): count the anti-dependencies (rw) and look whether two follow each other. Edges of the
// session order or of real time add a suffix, as in Elle. A view edge (mv, av, cv) says that a
// transaction was visible to a reader that missed one of its writes: whichever version order is
// chosen, that reader and that writer form a cycle with one rw edge, so it counts as one. Types
// that Elle has beside the classes (dirty-update, cyclic-versions, internal, ...) are used
// where they say more.
//
// Plain names are patterns on the sequence of edge kinds, wherever the cycle starts.
#include "explain/classify.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/memory_guard.hpp"
#include "explain/evidence.hpp"
#include "explain/lessons.hpp"
#include "explain/level_guide.hpp"
#include "explain/sight.hpp"

namespace isolde::explain {
namespace {

constexpr std::array<std::string_view, 5> kClassNames = {"G0", "G1c", "G-single",
                                                         "G-nonadjacent", "G2-item"};

Anomaly anomaly(std::string type, std::string_view name) {
  const Lesson& lesson = lesson_of(name);
  return Anomaly{std::move(type), name, lesson.text, lesson.cause};
}

constexpr char letter(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kSessionOrder:
      return 's';
    case EdgeKind::kRealTime:
      return 't';
    case EdgeKind::kReadFrom:
      return 'r';
    case EdgeKind::kVersionOrder:
      return 'w';
    case EdgeKind::kAntiDependency:
      return 'a';
    case EdgeKind::kMonotonicView:
      return 'm';
    case EdgeKind::kAtomicView:
      return 'v';
    case EdgeKind::kCausalView:
      return 'c';
    case EdgeKind::kCommitOrder:
    case EdgeKind::kStartedBefore:
    case EdgeKind::kCommittedBefore:
      return 'd';
  }
  return '?';
}

/// Where the rotation begins that is first by alphabet. Of two candidates the one that loses
/// after some equal letters takes with it all that begin within these: COST: linear.
std::size_t least_rotation(std::string_view letters) {
  const std::size_t size = letters.size();
  std::size_t best = 0;
  std::size_t other = 1;
  std::size_t same = 0;
  while (best < size && other < size && same < size) {
    const char mine = letters[(best + same) % size];
    const char theirs = letters[(other + same) % size];
    if (mine == theirs) {
      ++same;
      continue;
    }
    (mine > theirs ? best : other) += same + 1;
    if (best == other) ++other;
    same = 0;
  }
  return std::min(best, other);
}

/// The kinds of a cycle's edges, one letter each, in the rotation that is first by alphabet;
/// runs of session or real-time edges count as one.
std::string pattern(const Cycle& cycle) {
  std::string letters;
  for (const Edge& edge : cycle) {
    const char next = letter(edge.kind);
    const bool run = next == 's' || next == 't' || next == 'd';
    if (!run || letters.empty() || letters.back() != next) letters += next;
  }
  std::rotate(letters.begin(),
              letters.begin() + static_cast<std::ptrdiff_t>(least_rotation(letters)),
              letters.end());
  return letters;
}

bool has(std::string_view letters, char wanted) {
  return letters.find(wanted) != std::string_view::npos;
}

bool one_key(const Cycle& cycle) {
  KeyId key;
  for (const Edge& edge : cycle) {
    if (edge.key.is_none()) continue;
    if (key.is_some() && key != edge.key) return false;
    key = edge.key;
  }
  return true;
}

bool writes_nothing(const History& history, TxnId txn) {
  const std::span<const Op> ops = history.ops(txn);
  return std::none_of(ops.begin(), ops.end(), [](const Op& op) { return op.is_write(); });
}

/// G2 that is not G2-item.
bool is_by_condition(const History& history, const Cycle& cycle) {
  return cycle_class(cycle) == CycleClass::kG2Item &&
         std::ranges::any_of(cycle,
                             [&](const Edge& edge) { return is_of_predicate(history, edge); });
}

/// A condition was asked for rows, and did not find this one as it was then. What a count or a
/// sum took in was there: that another transaction changed it is no phantom.
bool is_of_row_not_found(const History& history, const Edge& edge) {
  if (!is_of_predicate(history, edge)) return false;
  const OpRef read = *read_of(history, edge.from, edge.key, edge.via);
  const Selection* const computed = aggregate_of(history, read);
  if (computed == nullptr) return true;
  const Value found = edge.via.is_none()
                          ? history.initial(edge.key)
                          : op_at(history, *final_write(history, edge.via, edge.key)).value;
  return !history.selects(history.predicates()[computed->predicate], found);
}

bool is_phantom(const History& history, const Cycle& cycle) {
  return is_by_condition(history, cycle) && std::ranges::any_of(cycle, [&](const Edge& edge) {
           return is_of_row_not_found(history, edge);
         });
}

/// G2-item with three edges rw, rw, wr: the transaction that the wr edge leads to only reads.
bool is_read_only_anomaly(const History& history, const Cycle& cycle) {
  if (pattern(cycle) != "aar") return false;
  return std::any_of(cycle.begin(), cycle.end(), [&](const Edge& edge) {
    return edge.kind == EdgeKind::kReadFrom && writes_nothing(history, edge.to);
  });
}

std::string_view session_name(std::string_view letters, bool same_key) {
  if (letters == "as" && same_key) return "read-your-writes violation";
  if (letters == "ars" && same_key) return "monotonic-reads violation";
  if (letters == "sw" && same_key) return "monotonic-writes violation";
  if (letters == "rsw") return "writes-follow-reads violation";
  return "session guarantee violation";
}

/// As sight_of(), but nothing that does not bind at the level can have made the source visible.
/// Where it is open which write a read returned, the lookup knows no better.
Sight sight_at(Level level, const Writers& writers, const Edge& edge) {
  const Sight sight = sight_of(writers, edge);
  if (info(level).real_time) return sight;
  const bool is_of_session = info(level).session_order && needs_sessions(sight);
  if (edge.kind == EdgeKind::kAtomicView) return is_of_session ? sight : Sight::kRead;
  return sight == Sight::kRealTime ? Sight::kCauses : sight;
}

/// Some write that a view missed had been acknowledged before the viewer began.
bool misses_acknowledged(const History& history, const Cycle& cycle) {
  return std::ranges::any_of(cycle, [&](const Edge& edge) {
    return is_view(edge.kind) && ended_before(history, edge.from, edge.via);
  });
}

/// By the view edge that rests on most, in the order of Sight.
std::string_view view_name(Level level, const Writers& writers, const Cycle& cycle) {
  Sight most = Sight::kRead;
  bool monotonic = true;
  for (const Edge& edge : cycle) {
    if (!is_view(edge.kind)) continue;
    monotonic = monotonic && edge.kind == EdgeKind::kMonotonicView;
    most = std::max(most, sight_at(level, writers, edge));
  }
  switch (most) {
    case Sight::kRead:
      return monotonic ? "non-monotonic read" : "fractured read";
    case Sight::kOwnSession:
      return "read-your-writes violation";
    case Sight::kOwnSessionRead:
      return "monotonic-reads violation";
    case Sight::kRealTime:
      return misses_acknowledged(writers.history(), cycle) ? "stale read"
                                                           : "real-time violation";
    case Sight::kCauses:
    case Sight::kCausesInSession:
      break;
  }
  return "causality violation";
}

/// Two reads of one list of which neither continues the other. Findings say so at most levels;
/// at read uncommitted it is a cycle of that list's order.
bool has_incompatible_order(const History& history, const Cycle& cycle) {
  const KeyId key = cycle.front().key;
  if (key.is_none() || !one_key(cycle) || !history.is_list(key)) return false;
  std::span<const Value> longest;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (history.status(txn) != TxnStatus::kCommitted) continue;
    base::MemoryGuard::spend(history.ops(txn).size());
    for (const Op& op : history.ops(txn)) {
      if (op.kind != OpKind::kReadList || op.key != key) continue;
      const std::span<const Value> list = history.list(op);
      const std::size_t common = std::min(list.size(), longest.size());
      if (!std::equal(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(common),
                      longest.begin())) {
        return true;
      }
      if (list.size() > longest.size()) longest = list;
    }
  }
  return false;
}

/// Every transaction replaced the version of the one before it: the versions of one item follow
/// each other in a circle.
bool has_cyclic_versions(const History& history, const Cycle& cycle) {
  const KeyId key = cycle.front().key;
  if (key.is_none() || !one_key(cycle) || history.is_list(key)) return false;
  return std::all_of(cycle.begin(), cycle.end(), [&](const Edge& edge) {
    return (edge.kind == EdgeKind::kReadFrom || edge.kind == EdgeKind::kVersionOrder) &&
           final_write(history, edge.to, key);
  });
}

/// The later one of two writers of an item missed something that the earlier one, or somebody
/// before that, had done: nobody read from two different states.
bool writes_unseen(const Cycle& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (cycle[i].kind == EdgeKind::kVersionOrder &&
        cycle[(i + 1) % cycle.size()].kind == EdgeKind::kAntiDependency) {
      return true;
    }
  }
  return false;
}

/// Of two transactions that wrote the same item the later one missed the earlier one: a lost
/// update if it had read the item (P4 of Berenson et al.), a lost delete if the earlier one had
/// deleted the row and the later one wrote it again. REQUIRES: one ww and one rw.
std::string_view overwriting_name(const History& history, const Cycle& cycle) {
  const bool is_first = cycle[0].kind == EdgeKind::kVersionOrder;
  const Edge& order = cycle[is_first ? 0 : 1];
  if (may_have_seen(history, order.to, order.key, order.from)) return {};
  if (leaves_deleted(history, order.from, order.key) &&
      !leaves_deleted(history, order.to, order.key)) {
    return "lost delete";
  }
  if (!one_key(cycle)) return {};
  // Where the earlier one saw what the later one wrote, nothing of that was lost.
  return may_have_met(history, order.from, order.key, order.to) ? "" : "lost update";
}

/// The read, and the one before it in its transaction by which that had seen the writer in
/// question, or who had seen it: the read found a row that had been deleted before. COST: that
/// of sure_read_of().
bool is_row_seen_again(const Writers& writers, TxnId reader, KeyId key, TxnId version,
                       TxnId deleter, std::optional<OpRef> known_by) {
  const History& history = writers.history();
  if (version.is_none() || !leaves_deleted(history, deleter, key)) return false;
  const std::optional<OpRef> read = read_of(history, reader, key, version);
  return read && op_at(history, *read).is_read() && known_by && known_by->op < read->op;
}

/// A transaction saw a row after it had seen, itself or through others, that it was deleted. Of
/// several view edges each must say so: only together do they contradict.
bool has_resurrected_row(const Writers& writers, const Cycle& cycle) {
  const History& history = writers.history();
  bool has_row = false;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const Edge& edge = cycle[i];
    const Edge& before = cycle[(i + cycle.size() - 1) % cycle.size()];
    if (is_view(edge.kind)) {
      has_row = edge.to != edge.from &&
                is_row_seen_again(writers, edge.via, edge.key, edge.to, edge.from,
                                  sure_read_of(writers, edge.via, edge.from, {}));
      if (!has_row) return false;
    } else if (edge.kind == EdgeKind::kAntiDependency) {
      has_row = before.kind == EdgeKind::kReadFrom &&
                is_row_seen_again(writers, edge.from, edge.key, edge.via, edge.to,
                                  read_of(history, before.to, before.key, before.from));
      if (!has_row) return false;
    }
  }
  return has_row;
}

/// What the transaction left of the key; none: what the key held at the beginning.
Value left_by(const History& history, TxnId txn, KeyId key) {
  if (txn.is_none()) return history.initial(key);
  const std::optional<OpRef> write = final_write(history, txn, key);
  return write ? op_at(history, *write).value : history.initial(key);
}

/// The reader computed something of the rows of a condition that has one of the two versions
/// among them and not the other.
bool tells_apart(const History& history, TxnId reader, KeyId key, Value missed, Value seen) {
  const std::span<const Op> ops = history.ops(reader);
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (ops[i].key != key) continue;
    const Selection* const computed = aggregate_of(history, {reader, i});
    if (computed == nullptr) continue;
    const PredicateView predicate = history.predicates()[computed->predicate];
    if (history.selects(predicate, missed) != history.selects(predicate, seen)) return true;
  }
  return false;
}

std::size_t reads_on(const History& history, TxnId txn, KeyId key) {
  return static_cast<std::size_t>(std::ranges::count_if(history.ops(txn), [&](const Op& op) {
    return op.key == key && !op.is_write() && op.kind != OpKind::kReadUnknown;
  }));
}

/// Of another item than this one the reader returned what the writer left.
bool read_another(const History& history, TxnId reader, TxnId writer, KeyId key) {
  return std::ranges::any_of(history.ops(writer), [&](const Op& write) {
    if (!write.is_write() || write.key == key) return false;
    const std::optional<OpRef> read = read_of(history, reader, write.key, writer);
    return read && op_at(history, *read).kind != OpKind::kReadAbsent;
  });
}

/// A transaction read one item twice, and one version is a row of a condition of which it
/// computed something, the other is not. Selections of such rows are findings of their own.
bool is_condition_met_twice(const History& history, const Cycle& cycle) {
  if (!history.has_aggregates() || !one_key(cycle)) return false;
  if (pattern(cycle) == "ar") {
    const Edge& missed = cycle[cycle[0].kind == EdgeKind::kAntiDependency ? 0 : 1];
    return reads_on(history, missed.from, missed.key) > 1 &&
           tells_apart(history, missed.from, missed.key,
                       left_by(history, missed.via, missed.key),
                       left_by(history, missed.to, missed.key));
  }
  if (cycle.size() != 1 || !is_view(cycle[0].kind)) return false;
  const Edge& view = cycle[0];  // of the initial version
  return reads_on(history, view.via, view.key) > 1 &&
         !precedes_in_session(history, view.from, view.via) &&
         !read_another(history, view.via, view.from, view.key) &&
         tells_apart(history, view.via, view.key, history.initial(view.key),
                     left_by(history, view.from, view.key));
}

/// A name that says more than plain_name(), or nothing. `is_bound`: sessions or real time are
/// needed, which have names of their own.
std::string_view narrower_name(const Writers& writers, const Cycle& cycle, bool is_bound) {
  const std::string letters = pattern(cycle);
  if (letters == "aw") return overwriting_name(writers.history(), cycle);
  if (is_bound || cycle_class(cycle) != CycleClass::kGSingle) return {};
  return has_resurrected_row(writers, cycle) ? "resurrected row" : "";
}

/// Which of several cases gives the violation its name: the last class, which all of them
/// justify, and of that one a case in which a write missed the one that it replaced. Levels
/// below those that let no writers overlap forbid the other cases: where they hold, it was none
/// of these.
std::pair<CycleClass, bool> weight(const Cycle& cycle) {
  return {cycle_class(cycle), writes_unseen(cycle)};
}

std::string_view plain_name(Level level, const Writers& writers, const Cycle& cycle) {
  const History& history = writers.history();
  const std::string letters = pattern(cycle);
  if (has(letters, 'd'))
    return has(letters, 'a') ? "stale snapshot" : "snapshot from the future";
  if (has(letters, 'm') || has(letters, 'v') || has(letters, 'c')) {
    return view_name(level, writers, cycle);
  }
  if (has(letters, 't')) {
    return letters == "at" || letters == "art" ? "stale read" : "real-time violation";
  }
  if (has(letters, 's') && cycle_class(cycle) <= CycleClass::kGSingle) {
    const bool causal = cycle_class(cycle) == CycleClass::kGSingle && !has(letters, 'w') &&
                        !one_key(cycle) && has(letters, 'r');
    return causal ? "causality violation" : session_name(letters, one_key(cycle));
  }
  if (letters == "aa") return one_key(cycle) ? "anti-dependency cycle" : "write skew";
  if (letters == "ar") return one_key(cycle) ? "non-repeatable read" : "fractured read";
  if (letters == "arar") return "long fork";
  if (has_cyclic_versions(history, cycle)) return "cyclic versions";
  if (letters.find_first_not_of('w') == std::string::npos &&
      has_incompatible_order(history, cycle)) {
    return "incompatible order";
  }
  if (is_read_only_anomaly(history, cycle)) return "read-only transaction anomaly";
  switch (cycle_class(cycle)) {
    case CycleClass::kG0:
      return "write cycle";
    case CycleClass::kG1c:
      return "cyclic information flow";
    case CycleClass::kGSingle:
      if (writes_unseen(cycle)) return "conflicting writers";
      return has(letters, 'w') ? "read skew" : "causality violation";
    case CycleClass::kGNonadjacent:
      return "long fork";
    case CycleClass::kG2Item:
      break;
  }
  return "anti-dependency cycle";
}

/// The name of what a session was promised, or nothing at levels that promise more.
std::string_view guarantee_name(BaseLevel base, const Cycle& cycle) {
  switch (cycle_class(cycle)) {
    case CycleClass::kGSingle:
      return guide(base).one_missed;
    case CycleClass::kGNonadjacent:
      return guide(base).several_missed;
    default:
      return {};
  }
}

std::string_view internal_name(const History& history, const Finding& finding) {
  const std::span<const Op> ops = history.ops(finding.txn);
  const Op& read = ops[finding.op];
  const auto shows = [&](const Op& write) {
    if (read.kind != OpKind::kReadList) return write.value == read.value;
    const std::span<const Value> list = history.list(read);
    return std::find(list.begin(), list.end(), write.value) != list.end();
  };
  bool wrote = false;
  bool saw_some = false;
  bool saw_last = false;
  for (std::uint32_t i = 0; i < finding.op; ++i) {
    if (!ops[i].is_write() || ops[i].key != read.key) continue;
    wrote = true;
    saw_last = shows(ops[i]);
    saw_some = saw_some || saw_last;
  }
  if (!wrote || saw_last) return "internal inconsistency";
  return saw_some ? "not my last write" : "not my own write";
}

/// A transaction that committed built on the aborted write: the reader wrote the item
/// afterwards, or the list that it read goes on with another one's append.
bool is_dirty_update(const History& history, const Finding& finding) {
  const std::span<const Op> ops = history.ops(finding.txn);
  const Op& read = ops[finding.op];
  const bool committed = history.status(finding.txn) == TxnStatus::kCommitted;
  for (std::size_t i = finding.op + 1; committed && i < ops.size(); ++i) {
    if (ops[i].is_write() && ops[i].key == read.key) return true;
  }
  if (read.kind != OpKind::kReadList || finding.element >= history.list(read).size()) {
    return false;
  }
  const std::span<const Value> later = history.list(read).subspan(finding.element + 1);
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    if (history.status(TxnId::at(t)) != TxnStatus::kCommitted) continue;
    base::MemoryGuard::spend(history.ops(TxnId::at(t)).size());
    for (const Op& op : history.ops(TxnId::at(t))) {
      if (op.kind == OpKind::kAppend && op.key == read.key &&
          std::find(later.begin(), later.end(), op.value) != later.end()) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

bool is_of_predicate(const History& history, const Edge& edge) {
  if (edge.kind != EdgeKind::kAntiDependency) return false;
  const std::optional<OpRef> read = read_of(history, edge.from, edge.key, edge.via);
  return read && op_at(history, *read).kind == OpKind::kReadAbsent;
}

std::string label(const Anomaly& anomaly) {
  std::string text(anomaly.name);
  std::string hyphenated = text;
  std::replace(hyphenated.begin(), hyphenated.end(), ' ', '-');
  if (anomaly.type != hyphenated) text += " (" + anomaly.type + ")";
  return text;
}

CycleClass cycle_class(const Cycle& cycle) {
  std::size_t missed = 0;
  std::size_t adjacent = 0;
  bool reads = false;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const EdgeKind kind = cycle[i].kind;
    if (is_view(kind)) return CycleClass::kGSingle;
    reads = reads || kind == EdgeKind::kReadFrom;
    if (kind != EdgeKind::kAntiDependency) continue;
    ++missed;
    if (cycle[(i + 1) % cycle.size()].kind == EdgeKind::kAntiDependency) ++adjacent;
  }
  if (missed == 0) return reads ? CycleClass::kG1c : CycleClass::kG0;
  if (missed == 1) return CycleClass::kGSingle;
  return adjacent == 0 ? CycleClass::kGNonadjacent : CycleClass::kG2Item;
}

Anomaly classify(FindingKind kind) {
  switch (kind) {
    case FindingKind::kInternal:
      return anomaly("internal", "internal inconsistency");
    case FindingKind::kAbortedRead:
      return anomaly("G1a", "aborted read");
    case FindingKind::kIntermediateRead:
      return anomaly("G1b", "intermediate read");
    case FindingKind::kFutureRead:
      return anomaly("future-read", "future read");
    case FindingKind::kUnwrittenRead:
      return anomaly("garbage-read", "thin-air read");
    case FindingKind::kNonRepeatableRead:
      return anomaly("non-repeatable-read", "non-repeatable read");
    case FindingKind::kIncompatibleOrder:
      return anomaly("incompatible-order", "incompatible order");
    case FindingKind::kDuplicateElement:
      return anomaly("duplicate-elements", "duplicate elements");
    case FindingKind::kUnselectedRow:
      return anomaly("unselected-row", "row outside of the condition");
    case FindingKind::kImpossibleNumber:
      return anomaly("impossible-number", "impossible number");
    case FindingKind::kImpossibleTotal:
      return anomaly("impossible-total", "impossible total");
  }
  return {};
}

Anomaly missed_increment() { return anomaly("missed-increment", "missed increment"); }

bool is_about_initial_contents(const History& history, const Finding& finding) {
  if (finding.kind != FindingKind::kUnwrittenRead) return false;
  const Op& read = history.ops(finding.txn)[finding.op];
  return read.is_exclusion() || (finding.element == 0 && history.lacks_initial_list(read));
}

Anomaly classify(const History& history, const Finding& finding) {
  if (is_about_initial_contents(history, finding)) {
    return anomaly("lost-initial-contents", "lost initial contents");
  }
  if (is_of_counted(history, finding)) return classify(FindingKind::kImpossibleNumber);
  if (finding.kind == FindingKind::kInternal) {
    return anomaly("internal", internal_name(history, finding));
  }
  if (finding.kind == FindingKind::kNonRepeatableRead) {
    const std::span<const Op> ops = history.ops(finding.txn);
    const bool is_left_out = ops[finding.op].kind == OpKind::kReadAbsent ||
                             ops[finding.other_op].kind == OpKind::kReadAbsent;
    if (is_left_out) return anomaly("PMP", "phantom read");
  }
  if (finding.kind == FindingKind::kAbortedRead && is_dirty_update(history, finding)) {
    return anomaly("dirty-update", "dirty update");
  }
  return classify(finding.kind);
}

Anomaly classify(const Writers& writers, std::span<const Cycle> cycles, Level level,
                 std::span<const Edge> evidence) {
  const History& history = writers.history();
  ISOLDE_CHECK(!cycles.empty());
  bool sessions = false;
  bool real_time = false;
  for (const Edge& edge : evidence) {
    sessions = sessions || edge.kind == EdgeKind::kSessionOrder;
    real_time = real_time || edge.kind == EdgeKind::kRealTime;
  }
  for (const Cycle& cycle : cycles) {
    for (const Edge& edge : cycle) {
      const Sight sight = is_view(edge.kind) ? sight_at(level, writers, edge) : Sight::kRead;
      sessions = sessions || edge.kind == EdgeKind::kSessionOrder || needs_sessions(sight);
      real_time = real_time || edge.kind == EdgeKind::kRealTime || sight == Sight::kRealTime;
    }
  }
  const Cycle& worst = *std::ranges::max_element(cycles, {}, weight);
  const std::string_view guarantee = guarantee_name(info(level).base, worst);
  const bool is_met_twice = std::ranges::all_of(cycles, [&](const Cycle& cycle) {
    return weight(cycle) < weight(worst) || is_condition_met_twice(history, cycle);
  });
  if (is_met_twice && guarantee.empty()) return anomaly("PMP", "phantom read");
  std::string_view name =
      is_phantom(history, worst) ? "phantom" : plain_name(level, writers, worst);
  if (name == "cyclic versions") return anomaly("cyclic-versions", name);
  if (name == "incompatible order") return anomaly("incompatible-order", name);
  std::string type(is_by_condition(history, worst)
                       ? "G2"
                       : kClassNames[static_cast<std::size_t>(cycle_class(worst))]);
  if (real_time) {
    type += "-realtime";
  } else if (sessions) {
    type += "-process";
  }
  if (!guarantee.empty()) return anomaly(std::move(type), guarantee);
  const auto narrower = [&](const Cycle& cycle) {
    return narrower_name(writers, cycle, sessions || real_time);
  };
  const std::string_view found = narrower(worst);
  const bool is_in_all = std::ranges::all_of(cycles, [&](const Cycle& cycle) {
    return weight(cycle) < weight(worst) || narrower(cycle) == found;
  });
  return anomaly(std::move(type), !found.empty() && is_in_all ? found : name);
}

Anomaly exhaustion_anomaly() { return anomaly("not-linearizable", "no possible order"); }

Anomaly wrong_result_anomaly() { return anomaly("wrong-result", "impossible result"); }

Anomaly lost_update_anomaly() { return anomaly("G-single", "lost update"); }

}  // namespace isolde::explain
