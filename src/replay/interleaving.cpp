#include "replay/interleaving.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/assert.hpp"

namespace isolde::replay {
namespace {

std::vector<std::size_t> number_nodes(const History& history, const Statements& statements) {
  std::vector<std::size_t> first = {0};
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    first.push_back(first.back() + statements.of(TxnId::at(t)).size() + 2);
  }
  return first;
}

bool all_have_starts(const History& history) {
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    if (history.times(TxnId::at(t)).start == kNoTime) return false;
  }
  return true;
}

/// Places of transactions in the order of their starts or, without times, of the input.
std::vector<std::size_t> ranks(const History& history) {
  std::vector<std::size_t> order(history.txn_count());
  for (std::size_t t = 0; t < order.size(); ++t) order[t] = t;
  if (all_have_starts(history)) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return history.times(TxnId::at(a)).start < history.times(TxnId::at(b)).start;
    });
  }
  std::vector<std::size_t> rank(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return rank;
}

}  // namespace

Status can_be_replayed(const History& history) {
  const auto usage = [](std::string message) {
    return Error{ErrorCode::kUsage, std::move(message)};
  };
  if (history.txn_count() == 0) return usage("the history has no transactions to replay");
  if (history.open_increments() > 0) {
    return usage(
        "the history has increments whose results are not known, and only reads and writes of "
        "known values are replayed");
  }
  // Selections by bounds alone have no tests.
  const bool has_tests =
      history.has_selections() &&
      std::ranges::any_of(history.predicates(),
                          [](const PredicateView& each) { return !each.tests.empty(); });
  if (history.has_rows() || has_tests) {
    return usage(
        "the history has rows with columns or conditions beyond ranges, and cannot be "
        "replayed, nor played as steps, because steps select by ranges of keys and values");
  }
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    for (const Selection& selection : history.selections(TxnId::at(t))) {
      const Value equal = history.predicates()[selection.predicate].equal;
      if (equal.is_null() || equal.kind() == Value::Kind::kInteger) continue;
      return usage("the history selects rows whose value is " + history.text(equal) +
                   ", and only ranges of keys and values that are numbers are replayed");
    }
  }
  if (history.txn_count() > kMostTxns || history.op_count() > kMostOperations) {
    return usage("the history has " + std::to_string(history.txn_count()) +
                 " transactions with " + std::to_string(history.op_count()) +
                 " operations; at most " + std::to_string(kMostTxns) + " with " +
                 std::to_string(kMostOperations) +
                 " are replayed, so reduce it with isolde minimize first");
  }
  return ok_status();
}

Interleaving::Interleaving(const History& history, Deletions deletions)
    : history_(history),
      statements_(history, deletions),
      sources_(history),
      first_node_(number_nodes(history, statements_)),
      all_(first_node_.back()),
      loose_(0) {
  ISOLDE_CHECK(can_be_replayed(history).ok());
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    txn_of_.resize(first_node_[t + 1], TxnId::at(t));
  }
  add_program_and_sessions();
  add_times();
  for_reads([this](const ExternalRead& read) { add_reads_from(read); });
  for_exclusions([this](const Exclusion& read) { add_exclusion_source(read); });
  for_reads([this](const ExternalRead& read) { add_missed(read); });
  for_exclusions([this](const Exclusion& read) { add_excluded(read); });
  loose_ = all_;
  add_versions();
  for_reads([this](const ExternalRead& read) { add_snapshots(read); });
  add_versions_to_snapshots();
  for_reads([this](const ExternalRead& read) { guess_missed(read); });
  guess_versions();
  guess_exclusions();
  for_reads([this](const ExternalRead& read) { add_before_locks(read); });
  for_exclusions([this](const Exclusion& read) { add_excluded_before_locks(read); });
}

Step Interleaving::step_of(std::size_t node) const {
  const TxnId txn = txn_of_[node];
  if (node == begin_of(txn)) return {Step::Kind::kBegin, txn, 0};
  if (node != end_of(txn)) {
    const Statement& statement = statements_.of(txn)[node - begin_of(txn) - 1];
    return {statement.kind, txn, statement.op};
  }
  const bool aborts = history_.status(txn) == TxnStatus::kAborted;
  return {aborts ? Step::Kind::kRollback : Step::Kind::kCommit, txn, 0};
}

/// Aborted readers last: what they saw matters least.
template <typename Do>
void Interleaving::for_reads(Do act) const {
  for (const bool aborted : {false, true}) {
    for (const ExternalRead& read : sources_.reads()) {
      const bool is_aborted = history_.status(read.place.txn) == TxnStatus::kAborted;
      if (is_aborted == aborted) act(read);
    }
  }
}

template <typename Do>
void Interleaving::for_exclusions(Do act) const {
  for (const bool aborted : {false, true}) {
    for (const Exclusion& read : sources_.exclusions()) {
      const bool is_aborted = history_.status(read.place.txn) == TxnStatus::kAborted;
      if (is_aborted == aborted) act(read);
    }
  }
}

template <typename Do>
void Interleaving::for_versions(Do act) const {
  for (std::size_t k = 0; k < history_.key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    const std::vector<Writer>& writers = sources_.writers(key);
    for (std::size_t i = 0; i < writers.size(); ++i) {
      for (std::size_t j = 0; j < writers.size(); ++j) {
        if (sources_.older(key, i, j)) act(writers[i], writers[j]);
      }
    }
  }
}

// --- 1

void Interleaving::add_program_and_sessions() {
  for (std::size_t node = 0; node + 1 < txn_of_.size(); ++node) {
    if (txn_of_[node] == txn_of_[node + 1]) all_.add(node, node + 1);
  }
  for (std::size_t s = 0; s < history_.session_count(); ++s) {
    const std::span<const TxnId> txns = history_.session_txns(SessionId::at(s));
    for (std::size_t i = 0; i + 1 < txns.size(); ++i) {
      all_.add(end_of(txns[i]), begin_of(txns[i + 1]));
    }
  }
}

void Interleaving::add_times() {
  if (!history_.has_times()) return;
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    const TxnId first = TxnId::at(t);
    const std::int64_t end = history_.times(first).end;
    if (end == kNoTime || history_.status(first) == TxnStatus::kIndeterminate) continue;
    for (std::size_t u = 0; u < history_.txn_count(); ++u) {
      const std::int64_t start = history_.times(TxnId::at(u)).start;
      if (start != kNoTime && end < start) all_.add(end_of(first), begin_of(TxnId::at(u)));
    }
  }
}

// --- 2

bool Interleaving::saw(const ExternalRead& read, TxnId txn) const {
  return std::any_of(read.seen.begin(), read.seen.end(),
                     [txn](const Place& place) { return place.txn == txn; });
}

bool Interleaving::follow(const ExternalRead& read, Place source) {
  const std::size_t here = node_of(read.place);
  const std::span<const Op> ops = history_.ops(source.txn);
  std::optional<Place> next;  // where the source's transaction writes the key again
  for (std::uint32_t i = source.op + 1; i < ops.size() && !next; ++i) {
    if (ops[i].is_write() && ops[i].key == read.key) next = Place{source.txn, i};
  }
  const bool goes_on =
      next && std::find(read.seen.begin(), read.seen.end(), *next) != read.seen.end();
  if (goes_on) return all_.add(node_of(source), here);
  const bool aborted = history_.status(source.txn) == TxnStatus::kAborted;
  if (!next && !aborted && all_.add(end_of(source.txn), here)) return true;
  if (!all_.add(node_of(source), here)) return false;
  all_.add(here, next ? node_of(*next) : end_of(source.txn));
  return true;
}

void Interleaving::add_reads_from(const ExternalRead& read) {
  for (const Place source : read.seen) {
    if (follow(read, source) && read.ambiguous) return;
  }
}

// --- 3

bool Interleaving::miss(Place reader, const Writer& writer) {
  const std::size_t end = end_of(writer.txn);
  const std::size_t begin = begin_of(reader.txn);
  return all_.add(node_of(reader), end) || all_.add(begin + 1, end) || all_.add(begin, end);
}

void Interleaving::add_missed(const ExternalRead& read) {
  if (read.ambiguous) return;
  const std::vector<Writer>& writers = sources_.writers(read.key);
  std::optional<std::size_t> source;
  if (!read.seen.empty()) {
    source = sources_.position(read.key, read.seen.back().txn);
    if (!source) return;
  }
  for (std::size_t i = 0; i < writers.size(); ++i) {
    if (writers[i].txn == read.place.txn || saw(read, writers[i].txn)) continue;
    if (!source || sources_.older(read.key, *source, i)) miss(read.place, writers[i]);
  }
}

/// Of the versions that it may have read the oldest one, if that is known and the initial one
/// is none of them.
const Writer* Interleaving::first_that_fits(const Exclusion& read) const {
  if (read.initial) return nullptr;
  for (const std::size_t first : read.fits) {
    const bool is_oldest = std::ranges::all_of(read.fits, [&](std::size_t other) {
      return other == first || sources_.older(read.key, first, other);
    });
    if (is_oldest) return &sources_.writers(read.key)[first];
  }
  return nullptr;
}

void Interleaving::add_exclusion_source(const Exclusion& read) {
  const Writer* const first = first_that_fits(read);
  if (first == nullptr) return;
  const std::size_t here = node_of(read.place);
  if (all_.add(end_of(first->txn), here)) return;
  all_.add(node_of({first->txn, first->ops.back()}), here);
}

/// The transaction read the key again, and what that writer had left by then.
bool Interleaving::sees_later(const Exclusion& read, TxnId writer) const {
  return std::ranges::any_of(sources_.reads(), [&](const ExternalRead& later) {
    return later.key == read.key && later.place.txn == read.place.txn &&
           later.place.op > read.place.op && !later.ambiguous && saw(later, writer);
  });
}

void Interleaving::add_excluded(const Exclusion& read) {
  for (const std::size_t other : read.others) {
    const bool all_are_older = std::ranges::all_of(
        read.fits, [&](std::size_t fit) { return sources_.older(read.key, fit, other); });
    const TxnId writer = sources_.writers(read.key)[other].txn;
    if (all_are_older || sees_later(read, writer))
      miss(read.place, sources_.writers(read.key)[other]);
  }
}

// --- 4 and 5

void Interleaving::add_versions() {
  for_versions([this](const Writer& older, const Writer& newer) {
    const std::size_t write = first_write(newer);
    if (all_.add(end_of(older.txn), write)) return;
    all_.add(node_of({older.txn, older.ops.back()}), write);
  });
}

void Interleaving::add_versions_to_snapshots() {
  for_versions([this](const Writer& older, const Writer& newer) {
    all_.add(end_of(older.txn), begin_of(newer.txn));
  });
}

void Interleaving::add_snapshots(const ExternalRead& read) {
  if (read.ambiguous) return;
  for (const Place source : read.seen) {
    if (history_.status(source.txn) == TxnStatus::kAborted) continue;
    all_.add(end_of(source.txn), begin_of(read.place.txn));
  }
}

// --- 6

bool Interleaving::ended_first(TxnId a, TxnId b) const {
  const std::int64_t first = history_.times(a).end;
  const std::int64_t second = history_.times(b).end;
  if (first == kNoTime || second == kNoTime || first == second) return a < b;
  return first < second;
}

void Interleaving::guess_missed(const ExternalRead& read) {
  if (read.ambiguous || read.seen.empty()) return;
  const auto source = sources_.position(read.key, read.seen.back().txn);
  if (!source) return;
  const std::vector<Writer>& writers = sources_.writers(read.key);
  const Writer& from = writers[*source];
  for (std::size_t i = 0; i < writers.size(); ++i) {
    const Writer& other = writers[i];
    if (other.txn == read.place.txn || saw(read, other.txn)) continue;
    if (sources_.older(read.key, i, *source) || sources_.older(read.key, *source, i)) continue;
    const std::size_t end = end_of(other.txn);
    const std::size_t replacing = first_write(from);
    if (all_.before(end, end_of(from.txn))) continue;
    const bool later = all_.before(end_of(from.txn), end) || ended_first(from.txn, other.txn);
    if (!later && all_.add(end, replacing)) continue;
    if (!all_.add(node_of(read.place), end) && !all_.add(end, replacing))
      miss(read.place, other);
  }
}

void Interleaving::guess_versions() {
  for (std::size_t k = 0; k < history_.key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    std::vector<const Writer*> order;
    for (const Writer& writer : sources_.writers(key)) order.push_back(&writer);
    std::stable_sort(order.begin(), order.end(), [this](const Writer* a, const Writer* b) {
      return ended_first(a->txn, b->txn);
    });
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j) {
        if (all_.add(end_of(order[i]->txn), first_write(*order[j]))) continue;
        all_.add(end_of(order[j]->txn), first_write(*order[i]));
      }
    }
  }
}

/// Positions in the writers of the key in the order of their versions as far as it is settled;
/// else of their ends.
std::vector<std::size_t> Interleaving::in_order(KeyId key) const {
  const std::vector<Writer>& writers = sources_.writers(key);
  std::vector<std::size_t> left(writers.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
    return ended_first(writers[a].txn, writers[b].txn);
  });
  std::vector<std::size_t> order;
  while (!left.empty()) {
    const auto is_next = [&](std::size_t position) {
      return std::ranges::none_of(left, [&](std::size_t other) {
        return all_.before(end_of(writers[other].txn), end_of(writers[position].txn));
      });
    };
    const auto next = std::find_if(left.begin(), left.end(), is_next);
    ISOLDE_ASSERT(next != left.end());  // it is an order
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

std::vector<Interleaving::Gap> Interleaving::gaps(const Exclusion& read,
                                                  std::span<const std::size_t> order) const {
  const std::vector<Writer>& writers = sources_.writers(read.key);
  std::vector<Gap> found;
  bool is_open = read.initial;
  if (is_open) found.emplace_back();
  for (const std::size_t position : order) {
    const Writer& writer = writers[position];
    if (writer.txn == read.place.txn) continue;
    const bool fits = std::ranges::find(read.fits, position) != read.fits.end();
    if (fits && !is_open) found.push_back({&writer, nullptr});
    if (!fits && is_open) found.back().until = &writer;
    is_open = fits;
  }
  return found;
}

bool Interleaving::is_possible(const Exclusion& read, const Gap& gap) const {
  const std::size_t here = node_of(read.place);
  if (gap.from != nullptr && all_.before(here, end_of(gap.from->txn))) return false;
  return gap.until == nullptr || !all_.before(end_of(gap.until->txn), here);
}

/// REQUIRES: there are gaps, in their order.
const Interleaving::Gap& Interleaving::likeliest(const Exclusion& read,
                                                 std::span<const Gap> gaps) const {
  const Gap* best = gaps.data();
  for (const Gap& gap : gaps) {
    if (gap.from != nullptr && ended_first(gap.from->txn, read.place.txn)) best = &gap;
  }
  return *best;
}

void Interleaving::settle(const Exclusion& read, const Gap& gap) {
  if (gap.from != nullptr) {
    const std::size_t end = end_of(gap.from->txn);
    all_.add(end, node_of(read.place));
    all_.add(end, begin_of(read.place.txn));
  }
  if (gap.until != nullptr) miss(read.place, *gap.until);
}

/// Those that leave no choice come first, each time anew.
void Interleaving::guess_exclusions() {
  std::vector<std::vector<std::size_t>> orders;  // by key
  for (std::size_t k = 0; k < history_.key_count(); ++k) {
    orders.push_back(in_order(KeyId::at(k)));
  }
  struct Choice {
    const Exclusion* read;
    std::vector<Gap> gaps;
  };
  std::vector<Choice> left;
  for_exclusions([&](const Exclusion& read) {
    left.push_back({&read, gaps(read, orders[read.key.raw()])});
  });
  while (!left.empty()) {
    auto next = left.begin();
    for (auto each = left.begin(); each != left.end(); ++each) {
      std::erase_if(each->gaps, [&](const Gap& gap) { return !is_possible(*each->read, gap); });
      if (each->gaps.size() < 2) {
        next = each;
        break;
      }
    }
    if (!next->gaps.empty()) settle(*next->read, likeliest(*next->read, next->gaps));
    left.erase(next);
  }
}

// --- 7

void Interleaving::add_before_locks(const ExternalRead& read) {
  for (const Writer& writer : sources_.writers(read.key)) {
    if (writer.txn == read.place.txn || saw(read, writer.txn)) continue;
    const std::size_t here = node_of(read.place);
    if (all_.before(here, end_of(writer.txn))) all_.add(here, first_write(writer));
  }
}

void Interleaving::add_excluded_before_locks(const Exclusion& read) {
  const std::size_t here = node_of(read.place);
  for (const std::size_t other : read.others) {
    const Writer& writer = sources_.writers(read.key)[other];
    if (all_.before(here, end_of(writer.txn))) all_.add(here, first_write(writer));
  }
}

// --- One order of them

/// Kahn's algorithm, on transactions: each has one step that is next.
class Interleaving::Scheduler {
 public:
  Scheduler(const Interleaving& owner, const Precedence& order)
      : owner_(owner), order_(order), waits_for_(order.size(), 0), next_(owner.first_node_) {
    next_.pop_back();
    for (std::size_t node = 0; node < order.size(); ++node) {
      for (const std::size_t after : order.successors(node)) ++waits_for_[after];
    }
  }

  std::size_t txn_count() const { return next_.size(); }
  bool is_over(std::size_t txn) const { return next_[txn] == owner_.first_node_[txn + 1]; }
  bool is_ready(std::size_t txn) const { return !is_over(txn) && waits_for_[next_[txn]] == 0; }
  /// Ready, and does not merely begin.
  bool can_go_on(std::size_t txn) const {
    if (!is_ready(txn)) return false;
    return next_[txn] != owner_.first_node_[txn] || waits_for_[next_[txn] + 1] == 1;
  }
  void take(std::size_t txn) {
    const std::size_t node = next_[txn]++;
    for (const std::size_t after : order_.successors(node)) --waits_for_[after];
    steps_.push_back(owner_.step_of(node));
  }
  bool is_done() const { return steps_.size() == order_.size(); }
  std::vector<Step> steps() && { return std::move(steps_); }

 private:
  const Interleaving& owner_;
  const Precedence& order_;
  std::vector<std::size_t> waits_for_;  // by node
  std::vector<std::size_t> next_;       // by transaction
  std::vector<Step> steps_;
};

std::vector<Step> Interleaving::steps() const {
  const std::vector<std::size_t> rank = ranks(history_);
  std::vector<std::size_t> by_rank(rank.size());
  for (std::size_t t = 0; t < rank.size(); ++t) by_rank[rank[t]] = t;
  Scheduler scheduler(*this, all_);
  std::size_t current = by_rank[0];
  while (!scheduler.is_done()) {
    if (!scheduler.can_go_on(current)) {
      auto next = std::find_if(by_rank.begin(), by_rank.end(),
                               [&](std::size_t txn) { return scheduler.can_go_on(txn); });
      if (next == by_rank.end()) {
        next = std::find_if(by_rank.begin(), by_rank.end(),
                            [&](std::size_t txn) { return scheduler.is_ready(txn); });
      }
      ISOLDE_CHECK(next != by_rank.end());
      current = *next;
    }
    scheduler.take(current);
  }
  return std::move(scheduler).steps();
}

std::vector<Step> Interleaving::shuffled(base::Rng& rng) const {
  Scheduler scheduler(*this, loose_);
  std::vector<std::size_t> ready;
  while (!scheduler.is_done()) {
    ready.clear();
    for (std::size_t txn = 0; txn < scheduler.txn_count(); ++txn) {
      if (scheduler.is_ready(txn)) ready.push_back(txn);
    }
    ISOLDE_CHECK(!ready.empty());
    scheduler.take(ready[rng.below(ready.size())]);
  }
  return std::move(scheduler).steps();
}

}  // namespace isolde::replay
