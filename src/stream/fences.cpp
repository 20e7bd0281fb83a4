#include "stream/fences.hpp"

#include <xxhash.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "base/hash.hpp"

namespace isolde::stream {
namespace {

/// Who wrote a value: nobody here, or several.
constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kSeveral = kNobody - 1;

/// A value of a key. Where two have one by chance, somebody waits for nothing.
std::uint64_t cell_of(KeyId key, Value value) { return base::mix2(value.bits(), key.raw()); }

bool is_counted(const History& history, std::size_t i) {
  return history.status(TxnId::at(i)) != TxnStatus::kAborted;
}

/// visit(key, value) for what the transaction has read that somebody wrote.
template <typename Visit>
void each_value_seen(const History& history, TxnId txn, const Visit& visit) {
  for (const Op& op : history.ops(txn)) {
    if (op.kind == OpKind::kRead && !op.value.is_null()) visit(op.key, op.value);
    if (op.kind != OpKind::kReadList) continue;
    for (const Value element : history.list(op)) visit(op.key, element);
  }
}

/// Of open transactions, who certainly comes before whom, by sessions and fences.
class KnownPaths {
 public:
  KnownPaths(const History& open, KeyId key)
      : open_(open), key_(key), first_(open.txn_count() + 1) {
    for (std::size_t i = 0; i < open.txn_count(); ++i) {
      if (!is_counted(open, i)) continue;
      for (const Op& op : open.ops(TxnId::at(i))) {
        if (!op.is_write() || op.key != key) continue;
        const auto [known, is_new] =
            writers_.try_emplace(op.value.bits(), static_cast<std::uint32_t>(i));
        if (!is_new && known->second != i) known->second = kSeveral;
      }
    }
    find_predecessors();
    sort();
  }

  /// kNobody: nobody here, or nobody knows who.
  std::uint32_t writer_of(Value value) const {
    const auto found = writers_.find(value.bits());
    return found == writers_.end() || found->second == kSeveral ? kNobody : found->second;
  }
  std::span<const std::uint32_t> before(std::uint32_t txn) const {
    return std::span(before_).subspan(first_[txn], first_[txn + 1] - first_[txn]);
  }
  /// Each behind all that come before it; without those on a cycle, and behind one.
  const std::vector<std::uint32_t>& sorted() const { return sorted_; }

  /// That one, and all from which a path leads to it.
  std::vector<bool> leading_to(std::uint32_t last) const {
    std::vector<bool> leads(open_.txn_count());
    std::vector<std::uint32_t> next = {last};
    leads[last] = true;
    while (!next.empty()) {
      const std::uint32_t txn = next.back();
      next.pop_back();
      for (const std::uint32_t earlier : before(txn)) {
        if (!leads[earlier]) next.push_back(earlier);
        leads[earlier] = true;
      }
    }
    return leads;
  }

 private:
  void find_predecessors() {
    std::vector<std::uint32_t> last(open_.session_count(), kNobody);
    for (std::size_t i = 0; i < open_.txn_count(); ++i) {
      const auto txn = static_cast<std::uint32_t>(i);
      first_[i] = before_.size();
      if (!is_counted(open_, i)) continue;
      std::uint32_t& earlier = last[open_.session_of(TxnId::at(i)).raw()];
      if (earlier != kNobody) before_.push_back(earlier);
      earlier = txn;
      for (const Op& op : open_.ops(TxnId::at(i))) {
        if (op.key != key_ || op.kind != OpKind::kRead || op.value.is_null()) continue;
        const std::uint32_t writer = writer_of(op.value);
        if (writer != kNobody && writer != txn) before_.push_back(writer);
      }
    }
    first_.back() = before_.size();
  }

  void sort() {
    std::vector<std::uint32_t> missing(open_.txn_count());
    std::vector<std::size_t> first(open_.txn_count() + 1);
    for (const std::uint32_t earlier : before_) ++first[earlier + 1];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<std::uint32_t> behind(before_.size());
    std::vector<std::size_t> at(first.begin(), first.end() - 1);
    for (std::uint32_t i = 0; i < missing.size(); ++i) {
      missing[i] = static_cast<std::uint32_t>(before(i).size());
      for (const std::uint32_t earlier : before(i)) behind[at[earlier]++] = i;
      if (missing[i] == 0 && is_counted(open_, i)) sorted_.push_back(i);
    }
    for (std::size_t next = 0; next < sorted_.size(); ++next) {
      const std::uint32_t txn = sorted_[next];
      for (std::size_t i = first[txn]; i < first[txn + 1]; ++i) {
        if (--missing[behind[i]] == 0) sorted_.push_back(behind[i]);
      }
    }
  }

  const History& open_;
  const KeyId key_;                                           // of fences
  std::unordered_map<std::uint64_t, std::uint32_t> writers_;  // by value
  std::vector<std::uint32_t> before_;                         // by transaction, from first_ on
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> sorted_;
};

/// What the transaction has read of the key before it wrote it; nothing: it is no fence.
const Op* read_of_fence(const History& history, TxnId txn, KeyId key) {
  const Op* read = nullptr;
  for (const Op& op : history.ops(txn)) {
    if (op.key != key) continue;
    if (op.kind == OpKind::kRead && read == nullptr) read = &op;
    if (op.kind == OpKind::kWrite) return read;
  }
  return nullptr;
}

/// The fences of open transactions in their order, from the first one behind what is settled.
class Chain {
 public:
  Chain(const History& open, const KnownPaths& paths, KeyId key) : place_(open.txn_count()) {
    std::vector<bool> is_read(open.txn_count());
    for (std::size_t i = 0; i < open.txn_count(); ++i) {
      if (!is_counted(open, i)) continue;
      const Op* const read = read_of_fence(open, TxnId::at(i), key);
      if (read == nullptr || read->value.is_null()) continue;
      const std::uint32_t writer = paths.writer_of(read->value);
      if (writer != kNobody) is_read[writer] = true;
    }
    for (const std::uint32_t txn : paths.sorted()) {
      const Op* const read = read_of_fence(open, TxnId(txn), key);
      const bool is_there = open.status(TxnId(txn)) == TxnStatus::kCommitted || is_read[txn];
      if (read == nullptr || !is_there) continue;
      std::uint32_t place = 1;
      if (!read->value.is_null()) {
        const std::uint32_t writer = paths.writer_of(read->value);
        if (writer == kNobody || place_[writer] == 0) continue;
        place = place_[writer] + 1;
      }
      place_[txn] = place;
      if (at_.size() < place) {
        at_.push_back(txn);
      } else {
        end_ = std::min(end_, place);
      }
    }
    for (std::uint32_t& place : place_) {
      if (place >= end_) place = 0;
    }
  }

  /// From 1; 0: it is none of them.
  std::uint32_t place(std::uint32_t txn) const { return place_[txn]; }
  std::uint32_t at(std::uint32_t place) const { return at_[place - 1]; }
  bool is_forked() const { return end_ != kNobody; }

 private:
  std::vector<std::uint32_t> place_;  // by transaction
  std::vector<std::uint32_t> at_;     // by place, the transaction
  std::uint32_t end_ = kNobody;       // where it has two ways to go on
};

std::uint64_t hash_of(const History& history, SessionId session) {
  const auto name = history.session_name(session);
  return XXH3_64bits(name.data(), name.size());
}

/// The key of that name; none: nobody uses it.
KeyId key_named(const History& history, const std::string& name) {
  for (std::size_t i = 0; i < history.key_count(); ++i) {
    if (history.text(KeyId::at(i)) == name) return KeyId::at(i);
  }
  return KeyId();
}

}  // namespace

bool Fences::is_dead(const Session& session) const {
  if (session_timeout_ns_ == 0 || session.latest == kNoTime) return false;
  return static_cast<std::uint64_t>(latest_) - static_cast<std::uint64_t>(session.latest) >
         static_cast<std::uint64_t>(session_timeout_ns_) +
             static_cast<std::uint64_t>(clock_error_ns_);
}

/// What it has done last may come late, and it may come back.
void Fences::leave(Session& session) {
  has_strays_ = has_strays_ || session.counts;
  session.counts = false;
}

bool Fences::take(const History& part) {
  const KeyId key = key_named(part, key_);
  const auto is_fence = [&](TxnId txn) {
    return !key.is_none() && read_of_fence(part, txn, key) != nullptr;
  };
  // In the order in which they came, for a session may have died in between.
  for (std::size_t i = 0; i < part.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    const TxnTimes times = part.times(txn);
    const std::int64_t time = std::max(times.start, times.end);
    Session& session = sessions_[hash_of(part, part.session_of(txn))];
    if (is_dead(session)) leave(session);
    latest_ = std::max(latest_, time);
    session.latest = std::max(session.latest, time);
    if (part.status(txn) == TxnStatus::kAborted) continue;
    if (session.is_unknown) return false;
    has_strays_ = has_strays_ || (!session.counts && !is_fence(txn));
    session.is_unknown = part.status(txn) != TxnStatus::kCommitted;
    session.counts = !session.is_unknown && (session.counts || is_fence(txn));
  }
  return true;
}

std::vector<bool> Fences::reached(const History& open) {
  const std::vector<bool> nobody(open.txn_count());
  is_forked_ = false;
  const KeyId key = key_named(open, key_);
  if (key.is_none()) return nobody;
  const KnownPaths paths(open, key);
  const Chain chain(open, paths, key);
  is_forked_ = chain.is_forked();
  // The last fence that leads to each of them.
  std::vector<std::uint32_t> place(open.txn_count());
  for (const std::uint32_t txn : paths.sorted()) {
    for (const std::uint32_t earlier : paths.before(txn)) {
      place[txn] = std::max(place[txn], place[earlier]);
    }
    place[txn] = std::max(place[txn], chain.place(txn));
  }
  std::unordered_map<std::uint64_t, std::uint32_t> last;  // by session: the place of its last
  for (std::size_t s = 0; s < open.session_count(); ++s) {
    for (const TxnId txn : open.session_txns(SessionId::at(s))) {
      if (open.status(txn) != TxnStatus::kCommitted) continue;
      last[hash_of(open, SessionId::at(s))] = place[txn.raw()];
    }
  }
  std::uint32_t all = kNobody;
  for (auto& [hash, session] : sessions_) {
    if (is_dead(session)) leave(session);
    if (!session.counts) continue;
    const auto found = last.find(hash);
    all = std::min(all, found == last.end() ? 0 : found->second);
  }
  return all == kNobody || all == 0 ? nobody : paths.leading_to(chain.at(all));
}

namespace {

/// Who has read what, of those that may have to wait.
class Readers {
 public:
  Readers(const History& open, const std::vector<bool>& reached) {
    for (std::size_t i = 0; i < open.txn_count(); ++i) {
      if (!is_counted(open, i) || reached[i]) continue;
      each_value_seen(open, TxnId::at(i), [&](KeyId key, Value value) {
        reads_.emplace_back(cell_of(key, value), static_cast<std::uint32_t>(i));
      });
    }
    std::ranges::sort(reads_);
  }

  template <typename Visit>
  void each_of(std::uint64_t cell, const Visit& visit) const {
    auto at = std::ranges::lower_bound(reads_, std::pair(cell, std::uint32_t{0}));
    for (; at != reads_.end() && at->first == cell; ++at) visit(at->second);
  }
  /// Of what nobody has written who is among them: visit(transaction).
  template <typename Visit>
  void each_missing(const History& open, const Visit& visit) const {
    std::vector<std::uint64_t> written;
    written.reserve(open.op_count() / 2);
    for (const Op& op : open.all_ops()) {
      if (op.is_write()) written.push_back(cell_of(op.key, op.value));
    }
    std::ranges::sort(written);
    auto next = written.begin();
    for (const auto& [seen, txn] : reads_) {
      while (next != written.end() && *next < seen) ++next;
      if (next == written.end() || *next != seen) visit(txn);
    }
  }

 private:
  std::vector<std::pair<std::uint64_t, std::uint32_t>> reads_;  // ascending
};

}  // namespace

std::vector<bool> held_back(const History& open, const std::vector<bool>& reached) {
  const Readers readers(open, reached);
  std::vector<bool> held(open.txn_count());
  std::vector<std::uint32_t> next;
  const auto hold = [&](std::uint32_t txn) {
    if (!is_counted(open, txn) || reached[txn] || held[txn]) return;
    held[txn] = true;
    next.push_back(txn);
  };
  readers.each_missing(open, hold);
  std::vector<std::size_t> place(open.txn_count());  // in its session
  for (std::size_t s = 0; s < open.session_count() && !next.empty(); ++s) {
    const auto txns = open.session_txns(SessionId::at(s));
    for (std::size_t i = 0; i < txns.size(); ++i) place[txns[i].raw()] = i;
  }
  while (!next.empty()) {
    const std::uint32_t txn = next.back();
    next.pop_back();
    const auto session = open.session_txns(open.session_of(TxnId(txn)));
    for (const TxnId later : session.subspan(place[txn] + 1)) {
      if (held[later.raw()]) break;  // so are those behind it, or will be
      hold(later.raw());
    }
    for (const Op& op : open.ops(TxnId(txn))) {
      if (op.is_write()) readers.each_of(cell_of(op.key, op.value), hold);
    }
  }
  return held;
}

namespace {

/// What of an order is left for later.
class LeftForLater {
 public:
  LeftForLater(const History& round, bool keeps_writers_apart)
      : round_(round),
        keeps_writers_apart_(keeps_writers_apart),
        writes_(round.key_count()),
        reads_(round.key_count()),
        sessions_(round.session_count()) {}

  /// The transaction's snapshot cannot come before what is left.
  bool holds_begin(TxnId txn) const {
    if (sessions_[round_.session_of(txn).raw()]) return true;
    return std::ranges::any_of(round_.ops(txn), [&](const Op& op) {
      return writes_[op.key.raw()] && (!op.is_write() || keeps_writers_apart_);
    });
  }
  bool holds_commit(TxnId txn) const {
    return std::ranges::any_of(round_.ops(txn), [&](const Op& op) {
      return op.is_write() && (writes_[op.key.raw()] || reads_[op.key.raw()]);
    });
  }
  void leave_begin(TxnId txn) {
    for (const Op& op : round_.ops(txn)) {
      if (!op.is_write()) reads_[op.key.raw()] = true;
    }
  }
  void leave_commit(TxnId txn) {
    sessions_[round_.session_of(txn).raw()] = true;
    for (const Op& op : round_.ops(txn)) {
      if (op.is_write()) writes_[op.key.raw()] = true;
    }
  }

 private:
  const History& round_;
  const bool keeps_writers_apart_;
  std::vector<bool> writes_;  // by key: one is left
  std::vector<bool> reads_;
  std::vector<bool> sessions_;  // something of it is left
};

/// By transaction of the round: it may be settled, now or in part.
SettledFirst settled_once(const History& round, const Witness& witness,
                          bool keeps_writers_apart, const std::vector<bool>& may_settle) {
  LeftForLater left(round, keeps_writers_apart);
  std::vector<std::uint8_t> seen(round.txn_count());  // how often
  std::vector<bool> begins(round.txn_count());        // its snapshot is settled
  SettledFirst first;
  first.witness = {witness.mentions, {}, witness.sources};
  first.settled.begun.resize(witness.mentions == 2 ? round.txn_count() : 0);
  std::vector<TxnId> rest;
  for (const TxnId txn : witness.order) {
    const std::size_t i = txn.raw();
    const bool is_begin = seen[i] == 0;
    const bool is_commit = ++seen[i] == witness.mentions;
    bool settles = may_settle[i];
    if (is_begin) settles = settles && !left.holds_begin(txn);
    if (!is_begin) settles = settles && begins[i];
    if (is_commit) settles = settles && !left.holds_commit(txn);
    if (is_begin) begins[i] = settles;
    if (!settles && is_begin) left.leave_begin(txn);
    if (!settles && is_commit) left.leave_commit(txn);
    (settles ? first.witness.order : rest).push_back(txn);
    if (witness.mentions == 2) {
      first.settled.begun[i] = begins[i] && !(is_commit && settles);
    }
  }
  first.settled.count = first.witness.order.size();
  first.witness.order.insert(first.witness.order.end(), rest.begin(), rest.end());
  return first;
}

}  // namespace

SettledFirst settled_first(const History& round, const Witness& witness,
                           bool keeps_writers_apart, std::vector<bool> may_settle) {
  while (true) {
    SettledFirst first = settled_once(round, witness, keeps_writers_apart, may_settle);
    // Who is not known to have committed may turn out not to have been there at all.
    bool is_certain = true;
    for (std::size_t i = 0; i < first.settled.begun.size(); ++i) {
      if (!first.settled.begun[i]) continue;
      if (round.status(TxnId::at(i)) == TxnStatus::kCommitted) continue;
      may_settle[i] = false;
      is_certain = false;
    }
    if (is_certain) return first;
  }
}

}  // namespace isolde::stream
