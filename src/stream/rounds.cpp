#include "stream/rounds.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/assert.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "isolde/history_builder.hpp"
#include "stream/held_back.hpp"

namespace isolde::stream {
namespace {

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// What rounds do not know yet, a clause; empty: nothing.
std::string not_known(const History& part) {
  if (part.origin().truncated) return "the input is cut off";
  if (part.txn_count() == 0) return {};
  if (!part.has_times()) return "transactions have no times, which this level is about";
  if (part.has_selections()) return "selections are not checked in rounds";
  if (part.has_increments()) return "increments are not checked in rounds";
  if (part.has_refused_inserts()) return "refused inserts are not checked in rounds";
  if (part.origin().rows_are_deleted) {
    return "rows with columns and rows that are deleted are not checked in rounds";
  }
  for (std::size_t key = 0; key < part.key_count(); ++key) {
    if (part.is_list(KeyId::at(key))) return "lists are not checked in rounds";
  }
  return {};
}

/// In operations, as which a transaction counts, too, and the part itself: those that have none
/// take memory as well.
std::size_t size_of(const History& part) { return 1 + part.txn_count() + part.op_count(); }

}  // namespace

CheckOptions Rounds::check_options() const {
  CheckOptions options;
  options.levels = {Level::kStrictSerializable};
  options.clock_error_ns = options_.clock_error_ns;
  options.threads = options_.threads;
  return options;
}

void Rounds::give_up(std::string reason) {
  ISOLDE_CHECK(!reason.empty());
  if (reason_.empty()) reason_ = std::move(reason);
}

void Rounds::take_initial(const History& part) {
  for (std::size_t key = 0; key < part.key_count(); ++key) {
    const KeyId id = KeyId::at(key);
    const Value initial = part.initial(id);
    if (!initial.is_null()) boundary_.hold(boundary_.key(part, id), part, initial);
  }
}

void Rounds::keep(History part, TxnNumber first) {
  last_size_ += size_of(part);
  last_.push_back({std::move(part), first});
  for (; last_.size() > 1 && last_size_ > options_.kept_ops; last_.pop_front()) {
    last_size_ -= size_of(last_.front().history);
  }
}

void Rounds::take(History part, std::int64_t open_since) {
  const TxnNumber first = std::exchange(txn_count_, txn_count_ + part.txn_count());
  if (verdict() != Verdict::kHolds) return;
  if (std::string what = not_known(part); !what.empty()) return give_up(std::move(what));
  for (std::size_t t = 0; t < part.txn_count(); ++t) {
    if (part.times(TxnId::at(t)).start >= open_since_) continue;
    return give_up("a transaction started before those that were said to be open");
  }
  // Only finish() is about all that there is.
  open_since = std::min(open_since, kForever - 1);
  open_since_ = std::max(open_since_, open_since);
  if (first == 0) take_initial(part);
  if (first == 0) origin_ = part.origin();
  for (std::size_t t = 0; t < part.txn_count() && first == 0; ++t) {
    const std::int64_t start = part.times(TxnId::at(t)).start;
    if (start != kNoTime) first_start_ = std::min(start, first_start_.value_or(start));
  }
  keep(std::move(part), first);
  round(&last_.back(), open_since_);
}

void Rounds::finish() {
  if (verdict() == Verdict::kHolds && open_.txn_count() > 0) round(nullptr, kForever);
}

Result<RoundsState> Rounds::state() const {
  ISOLDE_CHECK(verdict() == Verdict::kHolds);
  Result<History> boundary = boundary_.contents(origin_);
  if (!boundary) return boundary.error();
  Joiner joiner(Joiner::Labels::kNumbers);
  joiner.add(open_, Joiner::kOwnNumbers, kAll, kEnterNothing);
  Result<History> open = joiner.finish();
  if (!open) return open.error();
  return RoundsState{.txn_count = txn_count_,
                     .settled = settled_,
                     .rounds = rounds_,
                     .failures = failures_,
                     .open_since = open_since_,
                     .first_start = first_start(),
                     .boundary = std::move(boundary).value(),
                     .open = std::move(open).value(),
                     .parts = {last_.begin(), last_.end()}};
}

Status Rounds::restore(RoundsState state) {
  ISOLDE_CHECK(txn_count_ == 0);
  Joiner joiner;
  joiner.add(state.open, Joiner::kLabelledNumbers, kAll, kEnterNothing);
  Result<History> open = joiner.finish();
  if (!open) return open.error();
  open_ = std::move(open).value();
  boundary_.restore(state.boundary);
  for (NumberedPart& part : state.parts) keep(std::move(part.history), part.first);
  txn_count_ = state.txn_count;
  settled_ = state.settled;
  rounds_ = state.rounds;
  failures_ = state.failures;
  open_since_ = state.open_since;
  if (state.first_start != kNoTime) first_start_ = state.first_start;
  origin_ = state.boundary.origin();
  return ok_status();
}

/// With what the boundary holds as initial contents.
Result<Rounds::Round> Rounds::join(std::span<const NumberedPart* const> parts,
                                   const std::vector<bool>& held) {
  Round round;
  Joiner joiner;
  std::size_t txns = 0;
  std::size_t ops = 0;
  for (const NumberedPart* const part : parts) {
    txns += part->history.txn_count();
    ops += part->history.op_count();
  }
  if (!budget_.spend(txns + ops)) return Error{ErrorCode::kLimit, budget_.reason()};
  joiner.reserve(txns, ops);
  for (const NumberedPart* const part : parts) {
    joiner.add(
        part->history, part->first, [&](std::size_t i) { return held.empty() || !held[i]; },
        [&](HistoryBuilder& into, KeyId key, KeyId old) {
          if (key.raw() < round.keys.size()) return;
          const Boundary::Key known = boundary_.key(part->history, old);
          round.keys.push_back(known);
          if (boundary_.holds_nothing(known)) return;
          into.set_initial(key, boundary_.held(known, into));
        });
  }
  Result<History> joined = joiner.finish();
  if (!joined) return joined.error();
  round.part = {std::move(joined).value(), Joiner::kOwnNumbers};
  return round;
}

void Rounds::round(const NumberedPart* part, std::int64_t open_since) {
  const NumberedPart open{std::exchange(open_, {}), Joiner::kOwnNumbers};
  std::vector<const NumberedPart*> parts{&open};
  if (part != nullptr) parts.push_back(part);
  const Result<Round> all = join(parts, {});
  if (!all) return give_up(all.error().message);
  const History& history = all->part.history;
  std::vector<bool> held;
  if (open_since != kForever) held = held_back(history, open_since, options_.clock_error_ns);
  const std::int64_t before = settled_before(history, open_since);
  std::vector<bool> is_done(history.txn_count());
  const Times times{before, late_from(open_since)};
  // Nobody knows what may still come, so nothing can be settled.
  if (times.late_from == kNoTime) return leave_open(history, before, is_done);
  ++rounds_;
  if (std::ranges::find(held, true) == held.end()) {
    settle(*all, times, {}, is_done);
  } else {
    const std::array whole{&all->part};
    const Result<Round> some = join(whole, held);
    if (!some) return give_up(some.error().message);
    settle(*some, times, held, is_done);
  }
  if (verdict() == Verdict::kHolds) leave_open(history, before, is_done);
}

/// What ended before this is settled: whatever comes later started after it by more than the
/// clock error. But so many that ended last stay open.
std::int64_t Rounds::settled_before(const History& open, std::int64_t open_since) const {
  const std::int64_t before = late_from(open_since);
  if (before == kForever || options_.left_open == 0) return before;
  std::vector<std::int64_t> ends;
  for (std::size_t t = 0; t < open.txn_count(); ++t) {
    const std::int64_t end = open.times(TxnId::at(t)).end;
    if (end != kNoTime) ends.push_back(end);
  }
  if (ends.size() <= options_.left_open) return kNoTime;
  const auto last = ends.end() - static_cast<std::ptrdiff_t>(options_.left_open);
  std::nth_element(ends.begin(), last, ends.end());
  return std::min(before, *last);
}

/// By then all have come that a transaction that ended before may have read from.
std::int64_t Rounds::late_from(std::int64_t open_since) const {
  if (open_since == kForever) return kForever;
  return std::max(open_since, kNoTime + options_.clock_error_ns) - options_.clock_error_ns;
}

bool Rounds::is_verified(const Round& round, const Witness& witness) const {
  const History& history = round.part.history;
  const Certificate certificate{Level::kStrictSerializable, history.digest(),
                                options_.clock_error_ns, witness};
  return certify::verify(history, certificate).proves;
}

/// The order of the round's transactions, if there is one.
std::optional<Witness> Rounds::witness_of(const Round& round, std::int64_t late_from) {
  CheckReport report = check(round.part.history, check_options(), budget_);
  const LevelReport& level = report.levels.front();
  if (level.verdict == Verdict::kHolds) {
    auto* const witness = std::get_if<Witness>(&report.proofs[level.proof]);
    failures_ = 0;
    ISOLDE_CHECK(witness != nullptr && witness->mentions == 1);
    if (!options_.verifies || is_verified(round, *witness)) return std::move(*witness);
    give_up("the order of a round was not verified, which is an error of the program");
    return std::nullopt;
  }
  if (level.verdict != Verdict::kViolated) {
    give_up(level.reason);
    return std::nullopt;
  }
  const FailedRound failed{round.part.history, round.keys, late_from, last_, origin_};
  violation_ = find_violation(failed, boundary_, reread, check_options(), budget_);
  // What comes next may tell more of those that ended last.
  constexpr std::size_t kMostFailures = 2;
  if (++failures_ <= kMostFailures && late_from != kForever) return std::nullopt;
  give_up(std::string("no order of what came then fits behind what was settled before, ") +
          (reread ? "which may be more than the history says"
                  : "so something is probably wrong; a file can be read again to find what"));
  return std::nullopt;
}

namespace {

/// How many from the beginning of the order on are settled: they ended before that, or a
/// settled one read from them.
std::size_t settled_prefix(const History& round, std::span<const TxnId> order,
                           std::int64_t before) {
  std::vector<std::uint32_t> writers(round.key_count(), kNone);  // places in the order
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sources;  // reader, writer
  std::vector<bool> settled(order.size());
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    const std::int64_t end = round.times(order[place]).end;
    settled[place] = before == kForever || (end != kNoTime && end < before);
    for (const Op& op : round.ops(order[place])) {
      std::uint32_t& writer = writers[op.key.raw()];
      if (op.is_write()) {
        writer = place;
      } else if (op.uses_item() && writer != kNone && writer != place) {
        sources.emplace_back(place, writer);
      }
    }
  }
  for (auto source = sources.rbegin(); source != sources.rend(); ++source) {
    if (settled[source->first]) settled[source->second] = true;
  }
  return static_cast<std::size_t>(std::find(settled.begin(), settled.end(), false) -
                                  settled.begin());
}

}  // namespace

/// `held`: which of the open ones the round lacks. Marks those of them that are settled.
void Rounds::settle(const Round& round, const Times& times, const std::vector<bool>& held,
                    std::vector<bool>& is_done) {
  const History& history = round.part.history;
  if (history.txn_count() == 0) return;
  const std::optional<Witness> witness = witness_of(round, times.late_from);
  if (!witness) return;
  const std::size_t count = settled_prefix(history, witness->order, times.settled_before);
  std::vector<std::uint32_t> places;  // by transaction of the round, among the open ones
  for (std::uint32_t i = 0; i < is_done.size(); ++i) {
    if (held.empty() || !held[i]) places.push_back(i);
  }
  std::vector<Value> written(history.key_count());
  std::vector<TxnNumber> numbers;
  for (const TxnId txn : std::span(witness->order).first(count)) {
    is_done[places[txn.raw()]] = true;
    numbers.push_back(history.position_in_input(txn) - 1);
    for (const Op& op : history.ops(txn)) {
      if (op.is_write()) written[op.key.raw()] = op.value;
    }
  }
  for (std::size_t key = 0; key < written.size(); ++key) {
    if (!written[key].is_null()) boundary_.hold(round.keys[key], history, written[key]);
  }
  settled_ += count;
  if (count > 0) settled_until_ = times.settled_before;
  if (on_settled) on_settled(numbers, boundary_.sum());
}

void Rounds::leave_open(const History& open, std::int64_t before,
                        const std::vector<bool>& is_done) {
  // What an aborted transaction wrote may still be read by what overlapped it.
  const auto stays = [&](std::size_t i) {
    const TxnId txn = TxnId::at(i);
    const std::int64_t end = open.times(txn).end;
    const bool is_over = before == kForever || (end != kNoTime && end < before);
    return !is_done[i] && !(is_over && open.status(txn) == TxnStatus::kAborted);
  };
  Joiner joiner;
  joiner.add(open, Joiner::kOwnNumbers, stays, kEnterNothing);
  Result<History> left = joiner.finish();
  if (!left) return give_up(left.error().message);
  open_ = std::move(left).value();
  if (open_.txn_count() > options_.most_open) {
    give_up("more than " + std::to_string(options_.most_open) +
            " transactions are not settled");
  }
}

}  // namespace isolde::stream
