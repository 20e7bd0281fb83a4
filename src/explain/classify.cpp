// Naming rules. The class of a cycle follows Adya 1999 and Elle (Kingsbury & Alvaro, VLDB
// 2020): count the anti-dependencies (rw) and look whether two follow each other. Edges of the
// session order or of real time add a suffix, as in Elle. An mv edge says that a reader saw one
// write of a transaction and then missed another one: whichever version order is chosen, that
// reader and that writer form a cycle with one rw edge, so it counts as one.
//
// Plain names are patterns on the sequence of edge kinds, independent of where the cycle
// starts.
#include "explain/classify.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include "base/assert.hpp"
#include "explain/evidence.hpp"

namespace isolde::explain {
namespace {

constexpr std::array<std::string_view, 5> kClassNames = {"G0", "G1c", "G-single",
                                                         "G-nonadjacent", "G2-item"};

struct Lesson {
  std::string_view name;
  std::string_view text;
};

constexpr std::array kLessons = {
    Lesson{"write skew",
           "each of two transactions read what the other one was about to change, and neither "
           "saw the other's change; run one after the other, the second would have seen it"},
    Lesson{"lost update",
           "two transactions read the same version of an item and both wrote the item; the one "
           "that came second overwrote a change that it had never seen"},
    Lesson{"long fork",
           "two readers saw two independent writes in opposite orders, so there was no single "
           "line of states that both readers looked at"},
    Lesson{"fractured read",
           "a transaction saw one write of another transaction but not its other write, so it "
           "saw that transaction half done"},
    Lesson{
        "non-repeatable read",
        "a transaction read one item twice and got different versions of it, although it had "
        "not written the item in between"},
    Lesson{"read skew",
           "a transaction saw the effects of some writes but missed others that came earlier, "
           "so what it saw never existed at one moment"},
    Lesson{"causality violation",
           "a transaction saw an effect but missed its cause: something it read was written by "
           "somebody who had seen what it missed"},
    Lesson{"cyclic information flow",
           "transactions saw each other's writes in a circle, so each of them would have to "
           "finish before the other could start"},
    Lesson{"write cycle",
           "the writes of several transactions were interleaved, so that different items ended "
           "up with different last writers"},
    Lesson{"stale read",
           "a transaction read an old version although a newer one had been acknowledged to "
           "its writer before the reading transaction started"},
    Lesson{"real-time violation",
           "the database ordered transactions against the order in which clients saw them end "
           "and start"},
    Lesson{"read-your-writes violation",
           "a session wrote an item, and a later transaction of the same session read an older "
           "version of it"},
    Lesson{"monotonic-reads violation",
           "a session read a version of an item, and a later transaction of the same session "
           "read an older version of it"},
    Lesson{"monotonic-writes violation",
           "two writes of one session were applied in the opposite order"},
    Lesson{"writes-follow-reads violation",
           "a session saw a write and then wrote the item itself, but its write was placed "
           "before the one it had seen"},
    Lesson{"session guarantee violation",
           "the database ordered the transactions of one session against the order in which "
           "the session ran them"},
    Lesson{"read-only transaction anomaly",
           "two writers alone can be put in order, but a transaction that only reads saw a "
           "state between them that no such order passes through"},
    Lesson{"anti-dependency cycle",
           "several transactions each missed a write that the next one made, all the way "
           "around a circle, so none of them can have come first"},
    Lesson{"aborted read", "a transaction saw a value whose only writers were rolled back"},
    Lesson{"intermediate read",
           "a transaction saw a value that its writer replaced before it committed"},
    Lesson{"internal inconsistency",
           "a transaction did not see what it had itself written or read before"},
    Lesson{"future read", "a transaction read a value before it wrote that value itself"},
    Lesson{"unwritten read",
           "a transaction read a value that no transaction of the history ever wrote"},
    Lesson{"incompatible order",
           "two reads of one list show its elements in orders that no single list passes "
           "through"},
    Lesson{"duplicate elements", "a list holds an element more often than it was appended"},
};

constexpr std::string_view lesson_of(std::string_view name) {
  for (const Lesson& lesson : kLessons) {
    if (lesson.name == name) return lesson.text;
  }
  return {};
}

Anomaly anomaly(std::string type, std::string_view name) {
  ISOLDE_ASSERT(!lesson_of(name).empty());
  return Anomaly{std::move(type), name, lesson_of(name)};
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
  }
  return '?';
}

/// The kinds of a cycle's edges, one letter each, in the rotation that is first by alphabet;
/// runs of session or real-time edges count as one.
std::string pattern(const Cycle& cycle) {
  std::string letters;
  for (const Edge& edge : cycle) {
    const char next = letter(edge.kind);
    const bool run = next == 's' || next == 't';
    if (!run || letters.empty() || letters.back() != next) letters += next;
  }
  std::string least = letters;
  for (std::size_t i = 1; i < letters.size(); ++i) {
    std::rotate(letters.begin(), letters.begin() + 1, letters.end());
    least = std::min(least, letters);
  }
  return least;
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
  if (letters == "rsw" && same_key) return "writes-follow-reads violation";
  return "session guarantee violation";
}

std::string_view plain_name(const History& history, const Cycle& cycle) {
  const std::string letters = pattern(cycle);
  if (has(letters, 'm')) return "fractured read";
  if (has(letters, 't')) {
    return letters == "at" || letters == "art" ? "stale read" : "real-time violation";
  }
  if (has(letters, 's')) {
    const bool causal = cycle_class(cycle) == CycleClass::kGSingle && !has(letters, 'w') &&
                        !one_key(cycle) && has(letters, 'r');
    return causal ? "causality violation" : session_name(letters, one_key(cycle));
  }
  if (letters == "aa") return one_key(cycle) ? "anti-dependency cycle" : "write skew";
  if (letters == "ar") return one_key(cycle) ? "non-repeatable read" : "fractured read";
  if (letters == "arar") return "long fork";
  if (is_read_only_anomaly(history, cycle)) return "read-only transaction anomaly";
  switch (cycle_class(cycle)) {
    case CycleClass::kG0:
      return "write cycle";
    case CycleClass::kG1c:
      return "cyclic information flow";
    case CycleClass::kGSingle:
      return has(letters, 'w') ? "read skew" : "causality violation";
    case CycleClass::kGNonadjacent:
      return "long fork";
    case CycleClass::kG2Item:
      break;
  }
  return "anti-dependency cycle";
}

}  // namespace

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
    if (kind == EdgeKind::kMonotonicView) return CycleClass::kGSingle;
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
      return anomaly("garbage-read", "unwritten read");
    case FindingKind::kNonRepeatableRead:
      return anomaly("non-repeatable-read", "non-repeatable read");
    case FindingKind::kIncompatibleOrder:
      return anomaly("incompatible-order", "incompatible order");
    case FindingKind::kDuplicateElement:
      return anomaly("duplicate-elements", "duplicate elements");
  }
  return {};
}

Anomaly classify(const History& history, std::span<const Cycle> cycles) {
  ISOLDE_CHECK(!cycles.empty());
  const Cycle* worst = &cycles.front();
  bool sessions = false;
  bool real_time = false;
  for (const Cycle& cycle : cycles) {
    if (cycle_class(cycle) > cycle_class(*worst)) worst = &cycle;
    for (const Edge& edge : cycle) {
      sessions = sessions || edge.kind == EdgeKind::kSessionOrder;
      real_time = real_time || edge.kind == EdgeKind::kRealTime;
    }
  }
  std::string type(kClassNames[static_cast<std::size_t>(cycle_class(*worst))]);
  if (real_time) {
    type += "-realtime";
  } else if (sessions) {
    type += "-process";
  }
  return anomaly(std::move(type), plain_name(history, *worst));
}

Anomaly lost_update_anomaly() { return anomaly("G-single", "lost update"); }

std::optional<LostUpdate> find_lost_update(const History& history,
                                           std::span<const TxnId> txns) {
  // The first read of each key that each transaction also writes, by key and version.
  std::map<std::tuple<KeyId, std::vector<std::uint64_t>>, std::vector<TxnId>> readers;
  for (TxnId txn : txns) {
    std::vector<KeyId> seen;
    for (const Op& op : history.ops(txn)) {
      if (op.kind == OpKind::kReadUnknown) continue;
      if (std::find(seen.begin(), seen.end(), op.key) != seen.end()) continue;
      seen.push_back(op.key);
      if (!op.is_read() || !final_write(history, txn, op.key)) continue;
      std::vector<std::uint64_t> version;
      if (op.kind == OpKind::kReadList) {
        for (Value element : history.list(op)) version.push_back(element.bits());
      } else if (!op.value.is_null()) {
        version.push_back(op.value.bits());
      }
      readers[{op.key, std::move(version)}].push_back(txn);
    }
  }
  for (const auto& [read, who] : readers) {
    if (who.size() < 2) continue;
    const auto& [key, version] = read;
    LostUpdate found{who[0], who[1], key, {}};
    if (version.empty()) return found;
    std::size_t writers = 0;
    for (std::size_t t = 0; t < history.txn_count() && writers < 2; ++t) {
      const TxnId txn = TxnId::at(t);
      for (const Op& op : history.ops(txn)) {
        if (!op.is_write() || op.key != key || op.value.bits() != version.back()) continue;
        ++writers;
        found.version = txn;
      }
    }
    if (writers == 1) return found;
  }
  return std::nullopt;
}

}  // namespace isolde::explain
