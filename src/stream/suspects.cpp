#include "stream/suspects.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "certify/verify.hpp"
#include "check/check.hpp"
#include "stream/common_clock.hpp"
#include "stream/initial_contents.hpp"
#include "stream/settled_lists.hpp"
#include "stream/settled_order.hpp"
#include "stream/writers.hpp"

namespace isolde::stream {
namespace {

/// What some read returned that nobody else in the round wrote and that was not there before,
/// or not any more.
struct Suspect {
  Boundary::Key key;
  std::string seen;      ///< as JSON; "null": it found nothing
  std::string expected;  ///< what the key held before the round; "null": nothing
};

/// More of them are not looked at.
constexpr std::size_t kMostSuspects = 64;

/// Values of keys in a history.
class Cells {
 public:
  /// Those for which takes(place of the transaction, op) is true.
  template <typename Takes>
  Cells(const History& history, const Takes& takes) {
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      for (const Op& op : history.ops(TxnId::at(t))) {
        if (takes(t, op)) add(history, op);
      }
    }
    std::ranges::sort(cells_);
  }
  bool has(KeyId key, Value value) const {
    return std::ranges::binary_search(cells_, std::pair(key.raw(), value.bits()));
  }
  bool has(const Op& op) const { return has(op.key, op.value); }

 private:
  /// Of a list that was read its last element: who appended that saw the others.
  void add(const History& history, const Op& op) {
    Value value = op.value;
    if (op.kind == OpKind::kReadList) {
      value = history.list(op).empty() ? Value() : history.list(op).back();
    }
    cells_.emplace_back(op.key.raw(), value.bits());
  }

  std::vector<std::pair<std::uint32_t, std::uint64_t>> cells_;
};

Cells written_in(const History& history) {
  return Cells(history, [](std::size_t, const Op& op) { return op.is_write(); });
}

/// A read that tells a value, perhaps that there was none, or a list. Others may be from
/// anybody.
bool tells_value(const Op& op) {
  return op.kind == OpKind::kRead || op.kind == OpKind::kReadList;
}

/// A read of a list, or of a key that held nothing, which may be one.
bool is_empty_list(const History& history, const Op& op) {
  if (op.kind == OpKind::kReadList) return history.list(op).empty();
  return op.kind == OpKind::kRead && history.seen(op).is_null() && history.is_list(op.key);
}

/// What the read returned, if that is one value, also where it may have been there before.
Value value_seen(const History& history, const Op& op) {
  if (op.kind == OpKind::kReadMatch) return history.read_value(op);
  return op.kind == OpKind::kRead ? history.seen(op) : Value();
}

/// visit(value) for what somebody wrote or appended, or it was there before, if the operation
/// tells that.
template <typename VisitValue>
void each_seen(const History& history, const Op& op, const VisitValue& visit) {
  if (op.kind != OpKind::kReadList) {
    const Value value = value_seen(history, op);
    if (!value.is_null()) visit(value);
    return;
  }
  for (const Value element : history.seen_list(op)) visit(element);
}

/// A list without those elements behind its front for which keeps(element) is false. The front
/// is what was there at the start; of a list that does not begin with it, whatever is in it
/// stays.
template <typename Element, typename IsSame, typename Keeps>
void keep_of_list(std::vector<Value>& elements, std::span<const Element> front,
                  const IsSame& is_same, const Keeps& keeps) {
  const bool begins = elements.size() >= front.size() &&
                      std::equal(front.begin(), front.end(), elements.begin(), is_same);
  std::size_t at = 0;
  std::erase_if(elements, [&](Value element) {
    if (begins) return at++ >= front.size() && !keeps(element);
    const auto is_it = [&](const Element& each) { return is_same(each, element); };
    return std::none_of(front.begin(), front.end(), is_it) && !keeps(element);
  });
}

/// The operation is among those of the history that are marked.
bool is_read_in(const std::vector<bool>& marked, const History& history, const Op& op) {
  return !marked.empty() && marked[static_cast<std::size_t>(&op - history.all_ops().data())];
}

/// What keys held at the start, as the source tells.
class Told {
 public:
  /// Of the keys that takes(key) names.
  template <typename Takes>
  void take(const History& first, Boundary& boundary, const Takes& takes) {
    HistoryBuilder builder;
    history::Copier copier(first, builder);
    for (std::size_t k = 0; k < first.key_count(); ++k) {
      const KeyId key = KeyId::at(k);
      const Boundary::Key known = boundary.key(first, key);
      if (!first.has_initial(key) || !takes(known)) continue;
      const KeyId copy = copier.key(key);
      copier.initial(key, copy);
      keys_.emplace(known, copy);
    }
    Result<History> contents = builder.finish();
    if (contents) {
      contents_ = std::move(contents).value();
    } else {
      keys_.clear();
    }
  }
  /// Of a register, as JSON; empty: it tells nothing.
  std::string json(Boundary::Key key) const {
    const auto found = keys_.find(key);
    if (found == keys_.end()) return "";
    const Value held = contents_.initial(found->second);
    return held.is_null() ? "" : contents_.json(held);
  }
  /// Of a list, as JSON.
  std::vector<std::string> list(Boundary::Key key) const {
    std::vector<std::string> elements;
    const auto found = keys_.find(key);
    if (found == keys_.end()) return elements;
    for (const Value element : contents_.initial_list(found->second)) {
      elements.push_back(contents_.json(element));
    }
    return elements;
  }
  void enter(HistoryBuilder& into, KeyId key, Boundary::Key known) const {
    const auto found = keys_.find(known);
    if (found == keys_.end()) return;
    history::Copier(contents_, into).initial(found->second, key);
  }

 private:
  History contents_;
  std::map<Boundary::Key, KeyId> keys_;
};

class Search {
 public:
  Search(const FailedRound& failed, const CheckOptions& options, Boundary& boundary,
         const Reread& reread, base::Budget& budget)
      : failed_(failed),
        options_(options),
        boundary_(boundary),
        reread_(reread),
        budget_(budget),
        writers_(boundary) {}

  void find_suspects();
  Status look_for_writers();
  std::optional<Violation> violation();

 private:
  /// For each key of a history the suspects of it.
  std::vector<std::vector<const Suspect*>> by_key(const History& history);
  /// By key of a history: it is a list of which somebody has read what is not there.
  std::vector<bool> suspect_lists(const History& history);
  bool reads_first(const History& part, TxnId txn, const Op& op, const Suspect& suspect);
  /// By key of the history, of lists of which it is not known what they began with: those
  /// elements of one that was read, all of which may have been there at the start.
  using Starts = std::vector<std::optional<std::set<std::uint64_t>>>;
  bool has_open_start(const History& history, KeyId key) {
    return failed_.initial_is_unknown && history.is_list(key) &&
           told_.list(boundary_.key(history, key)).empty();
  }
  bool may_tell(const History& history, TxnId txn) const;
  Starts starts_of_lists(const History& all);
  std::set<TxnId> readers_of_nothing(const History& from, const std::set<TxnId>& named);
  Joiner::EditList without_others(const History& all, const Cells& written,
                                  const Starts& starts);
  void guess_reads();
  void expect_reads_of(const History& history, TxnId txn);
  void visit(const History& part, TxnNumber first, TxnNumber before);
  std::optional<Violation> check(Result<History> history);
  std::optional<Violation> narrowed(const Violation& violation, bool has_orders);
  bool has_all_writers(const Violation& violation);
  std::optional<Violation> with_first_reads(const Violation& violation);
  void take_told(const History& first);
  void note_reads(const History& part,
                  const std::vector<std::vector<const Suspect*>>& suspects);
  /// By operation: what was there at the start, which is not known, may be what it returned.
  std::vector<bool> open_reads(const History& history) const {
    if (!failed_.initial_is_unknown) return {};
    return may_be_initial(history, options_.clock_error_ns);
  }
  static std::set<TxnId> earlier_writers(const History& from, const std::set<TxnId>& named);
  static std::set<TxnId> readers_of_most(const History& from, const std::set<TxnId>& named);

  const FailedRound& failed_;
  const CheckOptions& options_;
  Boundary& boundary_;
  const Reread& reread_;
  base::Budget& budget_;
  std::vector<Suspect> suspects_;
  std::set<Boundary::Key> suspect_lists_;
  std::map<std::pair<Boundary::Key, std::string>, std::int64_t> first_ends_;
  Joiner joined_;
  Told told_;
  struct FirstRead {
    std::int64_t start = kForever;
    std::string value;  ///< as JSON
  };
  std::map<Boundary::Key, FirstRead> first_reads_;  // of suspects' keys, that found something
  Writers writers_;                                 // of what the violation may have read
};

void Search::find_suspects() {
  const History& round = failed_.history;
  const Cells written = written_in(round);
  const std::vector<bool> is_early = may_be_initial(round, options_.clock_error_ns);
  // Without times any read may be of what was there before, and the proof tells which matter.
  std::set<TxnId> named;
  if (failed_.is_late && failed_.proof != nullptr) named = named_by(*failed_.proof);
  for (std::size_t t = 0; t < round.txn_count(); ++t) {
    if (round.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    const bool is_named = named.contains(TxnId::at(t));
    for (const Op& op : round.ops(TxnId::at(t))) {
      if (op.kind == OpKind::kReadList) {
        const bool is_one = std::ranges::any_of(
            round.list(op), [&](Value element) { return !written.has(op.key, element); });
        if (is_one) suspect_lists_.insert(failed_.keys[op.key.raw()]);
        continue;
      }
      const Value seen = op.kind == OpKind::kRead ? round.seen(op) : Value();
      const bool is_there =
          op.value.is_null() ? !is_named && is_read_in(is_early, round, op) : written.has(op);
      const bool sees_old = !seen.is_null() && !is_there;
      if (!sees_old && !round.found_nothing(op)) continue;
      if (suspects_.size() == kMostSuspects) return;
      suspects_.push_back({failed_.keys[op.key.raw()],
                           sees_old ? round.json(seen) : std::string("null"),
                           round.json(round.initial(op.key))});
    }
  }
}

std::vector<std::vector<const Suspect*>> Search::by_key(const History& history) {
  std::vector<std::vector<const Suspect*>> result(history.key_count());
  for (std::size_t i = 0; i < history.key_count(); ++i) {
    const Boundary::Key key = boundary_.key(history, KeyId::at(i));
    for (const Suspect& suspect : suspects_) {
      if (suspect.key == key) result[i].push_back(&suspect);
    }
  }
  return result;
}

std::vector<bool> Search::suspect_lists(const History& history) {
  std::vector<bool> result(history.key_count());
  for (std::size_t i = 0; i < result.size() && !suspect_lists_.empty(); ++i) {
    result[i] = suspect_lists_.contains(boundary_.key(history, KeyId::at(i)));
  }
  return result;
}

/// It read what the suspect saw, or should have seen, and ended before all others that came so
/// far and did: who wrote that has taken effect by then, whatever is known of its outcome.
bool Search::reads_first(const History& part, TxnId txn, const Op& op, const Suspect& suspect) {
  if (op.kind != OpKind::kRead || part.status(txn) != TxnStatus::kCommitted) return false;
  const std::int64_t end = part.times(txn).end;
  const std::string value = part.json(part.seen(op));
  if (end == kNoTime || value == "null") return false;
  if (value != suspect.seen && value != suspect.expected) return false;
  const auto [first, is_new] = first_ends_.try_emplace({suspect.key, value}, end);
  if (!is_new && first->second <= end) return false;
  first->second = end;
  return true;
}

void Search::visit(const History& part, TxnNumber first, TxnNumber before) {
  const std::vector<std::vector<const Suspect*>> suspects = by_key(part);
  // A hash does not tell which elements a list lacks.
  const std::vector<bool> is_suspect_list = suspect_lists(part);
  const auto concerns = [&](std::size_t i) {
    bool found = false;
    for (const Op& op : part.ops(TxnId::at(i))) {
      found = found || (op.kind == OpKind::kAppend && is_suspect_list[op.key.raw()]);
      for (const Suspect* const suspect : suspects[op.key.raw()]) {
        if (!op.is_write()) {
          found = reads_first(part, TxnId::at(i), op, *suspect) || found;
          continue;
        }
        const std::string value = part.json(op.value);
        found = found || value == suspect->seen || value == suspect->expected;
      }
    }
    return found && first + i < before;
  };
  joined_.add(part, first, concerns, kEnterNothing);
  if (first == 0) take_told(part);
  if (failed_.initial_is_unknown) note_reads(part, suspects);
}

/// Of keys of suspects and of the last transactions, which are all that a violation needs.
void Search::take_told(const History& first) {
  if (!tells_initial(first)) return;
  std::set<Boundary::Key> used = suspect_lists_;
  for (const Suspect& suspect : suspects_) used.insert(suspect.key);
  for (const NumberedPart& part : failed_.parts) {
    for (std::size_t key = 0; key < part.history.key_count(); ++key) {
      used.insert(boundary_.key(part.history, KeyId::at(key)));
    }
  }
  told_.take(first, boundary_, [&](Boundary::Key key) { return used.contains(key); });
}

void Search::note_reads(const History& part,
                        const std::vector<std::vector<const Suspect*>>& suspects) {
  for (std::size_t t = 0; t < part.txn_count(); ++t) {
    if (part.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    const std::int64_t start = part.times(TxnId::at(t)).start;
    for (const Op& op : part.ops(TxnId::at(t))) {
      if (suspects[op.key.raw()].empty() || op.kind != OpKind::kRead) continue;
      if (op.value.is_null()) continue;
      FirstRead& first = first_reads_[suspects[op.key.raw()].front()->key];
      if (start < first.start) first = {start, part.json(op.value)};
    }
  }
}

void Search::expect_reads_of(const History& history, TxnId txn) {
  constexpr std::size_t kMostReads = 4096;
  for (const Op& op : history.ops(txn)) {
    each_seen(history, op, [&](Value seen) {
      if (writers_.size() >= kMostReads) return;
      writers_.look_for(history, boundary_.key(history, op.key), seen);
    });
  }
}

/// What those read whom a violation will name, as far as one can tell: those whom the round's
/// proof names, and of the last ones who wrote what these read, or another value of a suspect's
/// key.
void Search::guess_reads() {
  const History& round = failed_.history;
  for (std::size_t t = 0; t < round.txn_count(); ++t) {
    for (const Op& op : round.ops(TxnId::at(t))) {
      const Value seen = op.kind == OpKind::kRead ? round.seen(op) : Value();
      const auto is_it = [&](const Suspect& suspect) {
        return suspect.key == failed_.keys[op.key.raw()] && suspect.seen == round.json(seen);
      };
      if (seen.is_null() || std::ranges::none_of(suspects_, is_it)) continue;
      expect_reads_of(round, TxnId::at(t));
    }
  }
  if (failed_.proof != nullptr) {
    for (const TxnId txn : named_by(*failed_.proof)) expect_reads_of(round, txn);
  }
  std::vector<std::pair<const History*, TxnId>> sources;
  std::vector<std::pair<const History*, TxnId>> replacing;
  for (const NumberedPart& part : failed_.parts) {
    const History& history = part.history;
    const std::vector<std::vector<const Suspect*>> suspects = by_key(history);
    std::vector<std::optional<Boundary::Key>> read(history.key_count());
    for (std::size_t i = 0; i < read.size(); ++i) {
      const Boundary::Key key = boundary_.key(history, KeyId::at(i));
      if (writers_.looks_for_some(key)) read[i] = key;
    }
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      for (const Op& op : history.ops(TxnId::at(t))) {
        if (!op.is_write()) continue;
        const std::optional<Boundary::Key>& key = read[op.key.raw()];
        if (key && writers_.looks_for(history, *key, op.value)) {
          sources.emplace_back(&history, TxnId::at(t));
        } else if (!suspects[op.key.raw()].empty()) {
          replacing.emplace_back(&history, TxnId::at(t));
        }
      }
    }
  }
  for (const auto& [history, txn] : sources) expect_reads_of(*history, txn);
  for (const auto& [history, txn] : replacing) expect_reads_of(*history, txn);
}

Status Search::look_for_writers() {
  if (suspects_.empty() && suspect_lists_.empty()) return ok_status();
  if (failed_.guesses) guess_reads();
  const TxnNumber before = failed_.parts.front().first;
  return reread_([&](const History& part, TxnNumber first) {
    visit(part, first, before);
    writers_.visit(part, first);
  });
}

/// What it has read is not from those who have not come yet.
bool Search::may_tell(const History& history, TxnId txn) const {
  if (failed_.is_late) return !failed_.is_late(history.position_in_input(txn) - 1);
  const std::int64_t end = history.times(txn).end;
  return end != kNoTime && end < failed_.late_from;
}

/// A list begins with what was there at the start, whoever reads it. So nothing was there that
/// one of those does not have who read it: here the shortest.
Search::Starts Search::starts_of_lists(const History& all) {
  Starts starts(all.key_count());
  std::vector<bool> is_open(all.key_count());
  for (std::size_t key = 0; key < is_open.size(); ++key) {
    is_open[key] = has_open_start(all, KeyId::at(key));
  }
  std::vector<std::optional<std::span<const Value>>> shortest(all.key_count());
  for (std::size_t t = 0; t < all.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (all.status(txn) != TxnStatus::kCommitted || !may_tell(all, txn)) continue;
    for (const Op& op : all.ops(txn)) {
      if (!is_open[op.key.raw()] || !tells_value(op)) continue;
      std::optional<std::span<const Value>>& known = shortest[op.key.raw()];
      const std::span<const Value> read =
          op.kind == OpKind::kReadList ? all.list(op) : std::span<const Value>();
      if (!known || read.size() < known->size()) known = read;
    }
  }
  for (std::size_t key = 0; key < starts.size(); ++key) {
    if (!shortest[key]) continue;
    std::set<std::uint64_t>& elements = starts[key].emplace();
    for (const Value element : *shortest[key]) elements.insert(element.bits());
  }
  return starts;
}

/// Lists as they are without what those appended who are not here, or may have been there at
/// the start. What nobody has appended stays, as far as all who appended are here: that is so
/// of suspects where all who write are recorded.
Joiner::EditList Search::without_others(const History& all, const Cells& written,
                                        const Starts& starts) {
  if (!has_lists(all)) return {};
  std::vector<std::vector<std::string>> told(all.key_count());
  for (std::size_t key = 0; key < told.size(); ++key) {
    told[key] = told_.list(boundary_.key(all, KeyId::at(key)));
  }
  std::vector<bool> is_suspect(all.key_count());
  if (!failed_.is_incomplete) is_suspect = suspect_lists(all);
  return [&written, &starts, is_suspect = std::move(is_suspect), told = std::move(told)](
             const History& from, KeyId key, std::vector<Value>& elements) {
    const auto was_there = [&](Value element) {
      return starts[key.raw()] && starts[key.raw()]->contains(element.bits());
    };
    keep_of_list(
        elements, std::span<const std::string>(told[key.raw()]),
        [&](const std::string& text, Value element) { return text == from.json(element); },
        [&](Value element) {
          return !was_there(element) && (is_suspect[key.raw()] || written.has(key, element));
        });
    return true;
  };
}

std::optional<Violation> Search::violation() {
  for (const NumberedPart& part : failed_.parts) {
    joined_.add(part.history, part.first, kAll, kEnterNothing);
  }
  if (suspects_.empty() && suspect_lists_.empty() && failed_.parts.front().first == 0) {
    take_told(failed_.parts.front().history);
  }
  const Result<History> all = joined_.finish();
  if (!all) return std::nullopt;
  const Cells written = written_in(*all);
  const std::vector<std::vector<const Suspect*>> suspects = by_key(*all);
  const auto is_suspect = [&](const Op& op) {
    if (suspects[op.key.raw()].empty()) return false;
    const std::string value = all->json(op.value);
    return std::ranges::any_of(suspects[op.key.raw()],
                               [&](const Suspect* each) { return each->seen == value; });
  };
  // What somebody has written who is not here tells nothing. All who wrote what a suspect saw
  // are here; there may be nobody.
  const std::vector<bool> is_open = open_reads(*all);
  std::vector<bool> is_left_out(all->key_count());
  for (std::size_t key = 0; key < is_left_out.size() && failed_.is_incomplete; ++key) {
    is_left_out[key] = failed_.is_incomplete(boundary_.key(*all, KeyId::at(key)));
  }
  std::vector<std::string> told(all->key_count());
  for (std::size_t key = 0; key < told.size(); ++key) {
    told[key] = told_.json(boundary_.key(*all, KeyId::at(key)));
  }
  const auto is_told = [&](const Op& op) {
    return !told[op.key.raw()].empty() && told[op.key.raw()] == all->json(op.value);
  };
  const Starts starts = starts_of_lists(*all);
  const auto tells = [&](std::size_t i, const Op& op) {
    if (is_left_out[op.key.raw()] || !may_tell(*all, TxnId::at(i))) return false;
    if (!tells_value(op)) return false;
    if (has_open_start(*all, op.key)) return starts[op.key.raw()].has_value();
    if (is_read_in(is_open, *all, op)) return false;
    if (op.kind == OpKind::kReadList) return true;
    if (op.value.is_null() || written.has(op) || is_told(op)) return true;
    return !failed_.is_incomplete && is_suspect(op);
  };
  Joiner part(Joiner::Labels::kNumbers);
  part.set_origin(failed_.origin);
  part.edit_lists(without_others(*all, written, starts));
  // Nor what may have been there at the start as well as appended.
  part.leave_out([&](const History&, const Op& op) {
    return op.kind == OpKind::kAppend && starts[op.key.raw()] &&
           starts[op.key.raw()]->contains(op.value.bits());
  });
  part.add(
      *all, Joiner::kOwnNumbers, kAll,
      [&](HistoryBuilder& into, KeyId key, KeyId old) {
        told_.enter(into, key, boundary_.key(*all, old));
      },
      tells);
  std::optional<Violation> found = check(part.finish());
  if (!found) return found;
  std::optional<Violation> less = narrowed(*found, false);
  if (!less && has_lists(*all)) less = narrowed(*found, true);
  if (less && has_all_writers(*less)) {
    found = std::move(less);
  } else if (!has_all_writers(*found)) {
    return std::nullopt;
  }
  std::optional<Violation> plain = with_first_reads(*found);
  return plain ? std::move(plain) : std::move(found);
}

/// What nobody has written and the first read of a key in all that came returned was there at
/// the start, or that read is a violation by itself. So the rest may count on it, and then
/// mostly shows a stale read in place of one from nowhere.
std::optional<Violation> Search::with_first_reads(const Violation& violation) {
  if (!failed_.initial_is_unknown) return std::nullopt;
  const History& from = violation.history;
  const Cells written = written_in(from);
  std::vector<Value> first(from.key_count());
  for (const Op& op : from.all_ops()) {
    if (op.kind != OpKind::kRead || op.value.is_null() || written.has(op)) continue;
    const auto known = first_reads_.find(boundary_.key(from, op.key));
    if (known == first_reads_.end() || known->second.value != from.json(op.value)) continue;
    first[op.key.raw()] = op.value;
  }
  if (std::ranges::all_of(first, &Value::is_null)) return std::nullopt;
  Joiner part(Joiner::Labels::kNumbers);
  part.set_origin(failed_.origin);
  part.add(from, Joiner::kOwnNumbers, kAll, [&](HistoryBuilder& into, KeyId key, KeyId old) {
    const Value told = from.initial(old);
    const Value held = told.is_null() ? first[old.raw()] : told;
    if (!held.is_null()) into.set_initial(key, history::Copier(from, into).value(held));
  });
  std::optional<Violation> plain = check(part.finish());
  if (plain) plain->rests_on_first_reads = true;
  return plain;
}

/// Nobody else has written what the reads of the violation return, nor was it there before.
bool Search::has_all_writers(const Violation& violation) {
  const History& history = violation.history;
  std::set<TxnNumber> numbers;
  std::vector<std::pair<KeyId, Value>> seen;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    numbers.insert(history.position_in_input(TxnId::at(t)) - 1);
    for (const Op& op : history.ops(TxnId::at(t))) {
      each_seen(history, op, [&](Value value) { seen.emplace_back(op.key, value); });
    }
  }
  using Answer = Writers::Answer;
  const auto ask = [&](const Writers& writers) {
    Answer all = Answer::kNobody;
    for (const auto& [key, value] : seen) {
      const Answer each = writers.others(history, key, value, numbers);
      if (each == Answer::kSomebody) return each;
      if (each == Answer::kNotKnown) all = each;
    }
    return all;
  };
  const Answer guessed = ask(writers_);
  if (guessed != Answer::kNotKnown) return guessed == Answer::kNobody;
  Writers writers(boundary_, numbers);
  for (const auto& [key, value] : seen) {
    writers.look_for(history, boundary_.key(history, key), value);
  }
  const Status read =
      reread_([&](const History& part, TxnNumber first) { writers.visit(part, first); });
  return read.ok() && ask(writers) == Answer::kNobody;
}

std::optional<Violation> Search::check(Result<History> history) {
  if (!history) return std::nullopt;
  CheckReport report = isolde::check(*history, options_, budget_);
  const LevelReport& level = report.levels.front();
  if (level.verdict != Verdict::kViolated) return std::nullopt;
  Certificate certificate{level.level, history->digest(), options_.clock_error_ns,
                          std::move(report.proofs[level.proof])};
  if (!certify::verify(*history, certificate).proves) return std::nullopt;
  return Violation{std::move(history).value(), std::move(certificate), false};
}

/// For each read of those that are named one who had written the key before and ended: so it is
/// not what was there at the start.
std::set<TxnId> Search::earlier_writers(const History& from, const std::set<TxnId>& named) {
  std::vector<bool> is_read(from.key_count());
  for (const TxnId txn : named) {
    for (const Op& op : from.ops(txn)) {
      if (tells_value(op) && !from.is_list(op.key)) is_read[op.key.raw()] = true;
    }
  }
  std::vector<TxnId> first(from.key_count());
  for (std::size_t t = 0; t < from.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const std::int64_t end = from.times(txn).end;
    if (from.status(txn) != TxnStatus::kCommitted || end == kNoTime) continue;
    for (const Op& op : from.ops(txn)) {
      TxnId& known = first[op.key.raw()];
      if (!op.is_write() || !is_read[op.key.raw()]) continue;
      if (known.is_none() || end < from.times(known).end) known = txn;
    }
  }
  std::set<TxnId> writers;
  for (const TxnId txn : first) {
    if (!txn.is_none()) writers.insert(txn);
  }
  return writers;
}

/// Of each list that those use who are named, one who read most of it: its order is what others
/// are compared with.
std::set<TxnId> Search::readers_of_most(const History& from, const std::set<TxnId>& named) {
  std::vector<bool> is_used(from.key_count());
  for (const TxnId txn : named) {
    for (const Op& op : from.ops(txn)) is_used[op.key.raw()] = true;
  }
  std::vector<std::pair<std::size_t, TxnId>> most(from.key_count());
  for (std::size_t t = 0; t < from.txn_count(); ++t) {
    for (const Op& op : from.ops(TxnId::at(t))) {
      if (op.kind != OpKind::kReadList || !is_used[op.key.raw()]) continue;
      auto& [length, reader] = most[op.key.raw()];
      if (from.list(op).size() <= length) continue;
      length = from.list(op).size();
      reader = TxnId::at(t);
    }
  }
  std::set<TxnId> readers;
  for (const auto& [length, reader] : most) {
    if (length > 0) readers.insert(reader);
  }
  return readers;
}

/// For each list of which it is not known what it began with, and which those use who are
/// named, one who found nothing in it: so nothing was there at the start, but for what is left
/// out.
std::set<TxnId> Search::readers_of_nothing(const History& from, const std::set<TxnId>& named) {
  std::vector<bool> is_used(from.key_count());
  for (const TxnId txn : named) {
    for (const Op& op : from.ops(txn)) {
      if (tells_value(op)) is_used[op.key.raw()] = has_open_start(from, op.key);
    }
  }
  std::set<TxnId> readers;
  const auto look_at = [&](TxnId txn) {
    if (from.status(txn) != TxnStatus::kCommitted) return;
    for (const Op& op : from.ops(txn)) {
      if (!is_used[op.key.raw()] || !is_empty_list(from, op)) continue;
      is_used[op.key.raw()] = false;
      readers.insert(txn);
    }
  };
  for (const TxnId txn : named) look_at(txn);
  for (std::size_t t = 0; t < from.txn_count(); ++t) look_at(TxnId::at(t));
  return readers;
}

/// The transactions that the proof names, and those that these read from, alone, where these
/// are a violation, too. `has_orders`: and those who read most of the lists.
std::optional<Violation> Search::narrowed(const Violation& violation, bool has_orders) {
  const History& from = violation.history;
  std::set<TxnId> named = named_by(violation.certificate.proof);
  if (named.empty()) return std::nullopt;
  if (has_orders) named.merge(readers_of_most(from, named));
  const auto is_named = [&](std::size_t i) { return named.contains(TxnId::at(i)); };
  const Cells seen(from, [&](std::size_t t, const Op& op) {
    return is_named(t) && tells_value(op) &&
           (op.kind == OpKind::kReadList || !op.value.is_null());
  });
  for (std::size_t t = 0; t < from.txn_count(); ++t) {
    const bool is_source = std::ranges::any_of(
        from.ops(TxnId::at(t)), [&](const Op& op) { return op.is_write() && seen.has(op); });
    if (is_source) named.insert(TxnId::at(t));
  }
  const std::set<TxnId> read_from = named;
  std::set<TxnId> find_nothing;
  if (failed_.initial_is_unknown) {
    named.merge(earlier_writers(from, read_from));
    find_nothing = readers_of_nothing(from, read_from);
    named.insert(find_nothing.begin(), find_nothing.end());
  }
  // What those who are left out have written is not told; what nobody has written is.
  const Cells here(from,
                   [&](std::size_t t, const Op& op) { return is_named(t) && op.is_write(); });
  const Cells there = written_in(from);
  Joiner part(Joiner::Labels::kNumbers);
  part.set_origin(failed_.origin);
  part.edit_lists([&](const History&, KeyId key, std::vector<Value>& elements) {
    keep_of_list(elements, from.initial_list(key), std::equal_to<Value>(), [&](Value element) {
      return here.has(key, element) || !there.has(key, element);
    });
    return true;
  });
  part.add(
      from, Joiner::kOwnNumbers, is_named,
      [&](HistoryBuilder& into, KeyId key, KeyId old) {
        told_.enter(into, key, boundary_.key(from, old));
      },
      [&](std::size_t i, const Op& op) {
        const bool finds_nothing =
            find_nothing.contains(TxnId::at(i)) && is_empty_list(from, op);
        if (finds_nothing) return true;
        if (!read_from.contains(TxnId::at(i))) return false;
        if (op.kind == OpKind::kReadList) return true;
        return op.value.is_null() || here.has(op) || !there.has(op);
      });
  return check(part.finish());
}

}  // namespace

std::set<TxnId> named_by(const Proof& proof) {
  std::set<TxnId> named;
  const auto add = [&](TxnId txn) {
    if (!txn.is_none()) named.insert(txn);
  };
  if (const auto* const finding = std::get_if<Finding>(&proof)) {
    add(finding->txn);
    add(finding->other);
  } else if (const auto* const refutation = std::get_if<Refutation>(&proof)) {
    for (const RefutationStep& step : refutation->steps) {
      for (const VersionOrder& order : step.clause) {
        add(order.before);
        add(order.after);
      }
      for (const Edge& edge : step.cycle) {
        for (const TxnId txn : {edge.from, edge.to, edge.via}) add(txn);
      }
    }
  }
  return named;
}

Suspicion suspicion_of(const History& round, const Proof& proof) {
  Suspicion suspicion;
  suspicion.first = std::numeric_limits<TxnNumber>::max();
  for (std::size_t t = 0; t < round.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const TxnNumber number = round.position_in_input(txn) - 1;
    const TxnTimes times = round.times(txn);
    suspicion.first = std::min(suspicion.first, number);
    suspicion.last = std::max(suspicion.last, number);
    const bool is_earliest = suspicion.begin == kNoTime || times.start < suspicion.begin;
    if (times.start != kNoTime && is_earliest) suspicion.begin = times.start;
    suspicion.end = std::max(suspicion.end, times.end);
  }
  for (const TxnId txn : named_by(proof)) {
    suspicion.named.push_back(round.position_in_input(txn) - 1);
  }
  std::ranges::sort(suspicion.named);
  return suspicion;
}

std::optional<Violation> find_violation(const FailedRound& failed, Boundary& boundary,
                                        const Reread& reread, const CheckOptions& options,
                                        base::Budget& budget) {
  if (!reread || failed.parts.empty()) return std::nullopt;
  Search search(failed, options, boundary, reread, budget);
  search.find_suspects();
  if (!search.look_for_writers()) return std::nullopt;
  return search.violation();
}

}  // namespace isolde::stream
