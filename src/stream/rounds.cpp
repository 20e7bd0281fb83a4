#include "stream/rounds.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/assert.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "history/base_levels.hpp"
#include "isolde/history_builder.hpp"
#include "level/level_traits.hpp"
#include "stream/common_clock.hpp"
#include "stream/held_back.hpp"
#include "stream/initial_contents.hpp"
#include "stream/open_window.hpp"
#include "stream/restriction.hpp"
#include "stream/settled_lists.hpp"
#include "stream/settled_order.hpp"
#include "stream/unrecorded.hpp"

namespace isolde::stream {
namespace {

constexpr const char* kTooSoon =
    "transactions of a session follow one another sooner than its clock may be off, so that an "
    "order of all need not keep that of the session";

/// What rounds do not know yet, a clause; empty: nothing.
std::string not_known(const History& part, bool has_fences) {
  if (part.origin().truncated) return "the input is cut off";
  if (part.txn_count() == 0) return {};
  if (!part.has_times() && !has_fences) {
    return "transactions have no times, which this level is about";
  }
  if (part.has_selections()) return "selections are not checked in rounds";
  if (part.has_increments()) return "increments are not checked in rounds";
  if (part.has_refused_inserts()) return "refused inserts are not checked in rounds";
  if (part.origin().rows_are_deleted) {
    return "rows with columns and rows that are deleted are not checked in rounds";
  }
  return {};
}

int mentions_at(Level level) { return checker::traits(info(level).base).role.snapshot ? 2 : 1; }

/// An order of a stronger level serves, too; in it each transaction commits as it begins.
Witness as_mentioned(Witness witness, Level level) {
  if (witness.mentions == mentions_at(level)) return witness;
  ISOLDE_CHECK(witness.mentions == 1);
  Witness twice;
  twice.mentions = 2;
  twice.order.reserve(2 * witness.order.size());
  for (const TxnId txn : witness.order) twice.order.insert(twice.order.end(), 2, txn);
  return twice;
}

std::vector<TxnNumber> sorted(const std::unordered_set<TxnNumber>& numbers) {
  std::vector<TxnNumber> all(numbers.begin(), numbers.end());
  std::ranges::sort(all);
  return all;
}

Joiner::EditList one_after_other(Joiner::EditList first, Joiner::EditList second) {
  if (!first) return second;
  if (!second) return first;
  return [first = std::move(first), second = std::move(second)](const History& from, KeyId key,
                                                                std::vector<Value>& elements) {
    return first(from, key, elements) && second(from, key, elements);
  };
}

/// In operations, as which a transaction counts, too, an element of a list that was read, and
/// the part itself: those that have none take memory as well.
std::size_t size_of(const History& part) {
  return 1 + part.txn_count() + part.op_count() + elements_read(part);
}

}  // namespace

Rounds::Rounds(const RoundsOptions& options, base::Budget& budget)
    : options_(options),
      order_level_(level_of_orders(options).value_or(options.level)),
      budget_(budget),
      apart_(boundary_, budget),
      deadlines_(options.takes_effect_within_ns, options.clock_error_ns) {
  ISOLDE_CHECK(level_of_orders(options));
  if (!options.fence.empty()) {
    ISOLDE_CHECK(!options.initial_is_unknown && !options.is_incomplete && options.keys.empty());
    fences_.emplace(options.fence, options.session_timeout_ns);
    // With those that nobody has read from, sessions would come in another order.
    options_.keeps_apart = false;
    return;
  }
  if (info(options.level).session_order) sessions_.emplace(options.clock_error_ns);
}

CheckOptions Rounds::check_options(Level level) const {
  CheckOptions options;
  options.levels = {level};
  options.clock_error_ns = options_.clock_error_ns;
  options.threads = options_.threads;
  return options;
}

void Rounds::limit_search(std::optional<base::Budget::Allowance>& limit,
                          const History& round) const {
  if (budget_.limits_time()) return;
  limit.emplace(budget_, options_.most_ticks + options_.most_ticks_per_op * round.op_count());
}

void Rounds::raise_clock_error(std::int64_t clock_error_ns) {
  if (clock_error_ns <= options_.clock_error_ns) return;
  options_.clock_error_ns = clock_error_ns;
  deadlines_.raise_clock_error(clock_error_ns);
  if (fences_) fences_->raise_clock_error(clock_error_ns);
  if (!sessions_ || sessions_->raise_clock_error(clock_error_ns)) return;
  if (verdict() != Verdict::kHolds) return;
  give_up(kTooSoon);
}

void Rounds::give_up(std::string reason) {
  ISOLDE_CHECK(!reason.empty());
  if (reason_.empty()) reason_ = std::move(reason);
}

void Rounds::take_initial(const History& part) {
  for (std::size_t key = 0; key < part.key_count(); ++key) {
    const KeyId id = KeyId::at(key);
    if (!part.has_initial(id)) continue;
    const Boundary::Key known = boundary_.key(part, id);
    const Value initial = part.initial(id);
    if (!initial.is_null()) boundary_.hold(known, part, initial);
    if (initial.is_null() && options_.initial_is_unknown) boundary_.hold_nothing(known);
    boundary_.append(known, part, part.initial_list(id));
  }
}

void Rounds::keep(History part, TxnNumber first) {
  last_size_ += size_of(part);
  last_.push_back({std::move(part), first});
  for (; last_.size() > 1 && last_size_ > options_.kept_ops; last_.pop_front()) {
    last_size_ -= size_of(last_.front().history);
  }
}

namespace {

/// The part as it is to be checked.
Result<History> checked(const History& part, const std::string& keys) {
  return restricted(part, [&](KeyId key) { return is_like(part, key, keys); });
}

}  // namespace

/// What reread() reads, as it is checked.
Reread Rounds::reread_checked() const {
  if (!reread || options_.keys.empty()) return reread;
  return [this](const Visit& visit) {
    Status failed = ok_status();
    const Status read = reread([&](const History& part, TxnNumber first) {
      const Result<History> some = checked(part, options_.keys);
      if (some) {
        visit(*some, first);
      } else if (failed) {
        failed = some.error();
      }
    });
    return read ? failed : read;
  };
}

void Rounds::take(History part, std::int64_t open_since) {
  const TxnNumber first = std::exchange(txn_count_, txn_count_ + part.txn_count());
  if (verdict() != Verdict::kHolds) return;
  if (!options_.keys.empty()) {
    Result<History> some = checked(part, options_.keys);
    if (!some) return give_up(some.error().message);
    part = std::move(some).value();
  }
  if (std::string what = not_known(part, !options_.fence.empty()); !what.empty()) {
    return give_up(std::move(what));
  }
  if (has_lists(part) && appends_nobodys(part)) {
    return give_up("a list has the element " + std::string(Joiner::kNobodys) +
                   ", which stands for lists that nobody can have read");
  }
  if (has_lists(part) || boundary_.has_lists()) {
    const std::string mixed = mixed_key(part, boundary_);
    if (!mixed.empty()) {
      return give_up("key " + mixed +
                     " is used both as a register and as a list; use one of them");
    }
  }
  for (std::size_t t = 0; t < part.txn_count(); ++t) {
    has_unknown_outcomes_ |= part.status(TxnId::at(t)) == TxnStatus::kIndeterminate;
    const TxnTimes times = part.times(TxnId::at(t));
    latest_ = std::max({latest_, times.start, times.end});
    if (times.start >= open_since_ || fences_) continue;
    return give_up("a transaction started before those that were said to be open");
  }
  if (sessions_ && !sessions_->take(part)) {
    return give_up(options_.clock_error_ns > 0
                       ? kTooSoon
                       : "transactions of a session overlap in time, so that an order of all "
                         "need not keep that of the session");
  }
  if (fences_ && !fences_->take(part)) {
    return give_up(
        "a session goes on behind a transaction of unknown outcome, which may take effect "
        "later and yet comes before in the session");
  }
  // Only finish() is about all that there is.
  open_since = std::min(open_since, kForever - 1);
  open_since_ = std::max(open_since_, open_since);
  if (first > 0 && tells_initial(part)) {
    return give_up("initial contents come behind transactions, and not with the first ones");
  }
  if (first == 0) take_initial(part);
  if (first == 0) origin_ = part.origin();
  for (std::size_t t = 0; t < part.txn_count() && first == 0; ++t) {
    const std::int64_t start = part.times(TxnId::at(t)).start;
    if (start != kNoTime) first_start_ = std::min(start, first_start_.value_or(start));
  }
  // The last part that came before is asked for its starts: the last one of all need not tell
  // who is open, for then nobody is.
  if (options_.most_window_ns != 0 && open_since_ != kNoTime && !last_.empty()) {
    std::string what = open_for_too_long(last_.back().history, open_since_, first_start_,
                                         options_.most_window_ns);
    if (!what.empty()) return give_up(std::move(what));
  }
  count_reads(part);
  keep(std::move(part), first);
  if (fences_) return round_by_fences(&last_.back(), false);
  if (!is_waiting()) return round(&last_.back(), open_since_);
  aftermath_->add(last_.back().history);
  round(&last_.back(), kNoTime);
  if (open_since_ <= aftermath_->since()) return;
  end_wait();
  if (verdict() == Verdict::kHolds) round(nullptr, open_since_);
}

void Rounds::finish() {
  if (is_waiting() && verdict() == Verdict::kHolds) end_wait();
  if (verdict() != Verdict::kHolds || open_.txn_count() == 0) return;
  if (fences_) return round_by_fences(nullptr, true);
  round(nullptr, kForever);
}

Result<RoundsState> Rounds::state() const {
  ISOLDE_CHECK(verdict() == Verdict::kHolds);
  Result<History> boundary = boundary_.contents(origin_);
  if (!boundary) return boundary.error();
  Joiner joiner(Joiner::Labels::kNumbers);
  std::vector<std::size_t> apart = apart_.add_to(joiner);
  joiner.add(open_, Joiner::kOwnNumbers, kAll, kEnterNothing);
  Result<History> open = joiner.finish();
  if (!open) return open.error();
  return RoundsState{
      .txn_count = txn_count_,
      .settled = settled_,
      .rounds = rounds_,
      .failures = failures_,
      .open_since = open_since_,
      .first_start = first_start(),
      .latest_start = latest_start_,
      .boundary = std::move(boundary).value(),
      .known_empty = boundary_.known_empty(),
      .start_lengths = boundary_.start_lengths(),
      .incomplete = incomplete_,
      .reread = reread_,
      .open = std::move(open).value(),
      .apart = std::move(apart),
      .forgotten = forgotten_,
      .uses = deadlines_.uses(),
      .begun = sorted(begun_),
      .clock_error_ns = options_.clock_error_ns,
      .sessions = sessions_ ? sessions_->ends() : SessionTimes::Ends(),
      .least_gap = sessions_ ? sessions_->least_gap() : 0,
      .parts = {last_.begin(), last_.end()},
      .latest = latest_,
      .begun_behind = begun_behind_,
      .aftermath = aftermath_ ? std::optional(aftermath_->state()) : std::nullopt};
}

Status Rounds::restore(RoundsState state) {
  ISOLDE_CHECK(txn_count_ == 0);
  for (std::size_t i = 0; i < state.open.txn_count(); ++i) {
    const Value number = state.open.label(TxnId::at(i));
    if (number.kind() != Value::Kind::kInteger || number.as_integer() <= 0) {
      return Error{ErrorCode::kBadInput,
                   "the checkpoint tells of a transaction that has no number"};
    }
  }
  raise_clock_error(state.clock_error_ns);
  if (sessions_) sessions_->restore(state.sessions, state.least_gap);
  begun_ = {state.begun.begin(), state.begun.end()};
  if (!boundary_.restore(state.boundary)) {
    return Error{ErrorCode::kBadInput, "the checkpoint tells of a list what cannot be"};
  }
  if (const Status apart = apart_.restore(state.open, state.apart); !apart) return apart;
  forgotten_ = state.forgotten;
  deadlines_.restore(std::move(state.uses));
  Joiner joiner;
  joiner.add(
      state.open, Joiner::kLabelledNumbers, [&](std::size_t i) { return i >= apart_.size(); },
      kEnterNothing);
  Result<History> open = joiner.finish();
  if (!open) return open.error();
  open_ = std::move(open).value();
  has_unknown_outcomes_ = state.open.txn_count() > 0;  // perhaps
  if (!boundary_.restore_known_empty(state.known_empty) ||
      !boundary_.restore_start_lengths(std::move(state.start_lengths))) {
    return Error{ErrorCode::kBadInput, "the checkpoint tells of keys that it does not have"};
  }
  for (IncompleteKey& key : state.incomplete) {
    if (key.place >= boundary_.key_count()) {
      return Error{ErrorCode::kBadInput, "the checkpoint tells of keys that it does not have"};
    }
    add_incomplete(std::move(key));
  }
  reread_ = state.reread;
  for (NumberedPart& part : state.parts) keep(std::move(part.history), part.first);
  txn_count_ = state.txn_count;
  settled_ = state.settled;
  rounds_ = state.rounds;
  failures_ = state.failures;
  open_since_ = state.open_since;
  latest_ = state.latest;
  begun_behind_ = state.begun_behind;
  if (state.aftermath) {
    aftermath_.emplace(std::move(*state.aftermath));
    options_.initial_is_unknown = true;
  }
  latest_start_ = state.latest_start;
  if (state.first_start != kNoTime) first_start_ = state.first_start;
  origin_ = state.boundary.origin();
  return ok_status();
}

/// With what registers hold at the boundary as initial contents, and lists behind what is
/// settled of them.
Result<Rounds::Round> Rounds::join(std::span<const NumberedPart* const> parts,
                                   const std::vector<bool>& held) {
  Round round;
  Joiner joiner;
  std::size_t txns = 0;
  std::size_t ops = 0;
  std::size_t elements = 0;
  for (const NumberedPart* const part : parts) {
    txns += part->history.txn_count();
    ops += part->history.op_count();
    elements += elements_read(part->history);
  }
  if (!budget_.spend(txns + ops + elements)) return Error{ErrorCode::kLimit, budget_.reason()};
  joiner.reserve(txns, ops);
  std::vector<bool> says_nothing;  // by key of the part: what is read of it
  for (const NumberedPart* const part : parts) {
    says_nothing.assign(part->history.key_count(), false);
    // What is made here is cut already.
    const bool is_cut = part->first == Joiner::kOwnNumbers;
    std::vector<bool> is_theirs;  // by operation: a read of those that are left out
    Joiner::EditList edit;
    if (!is_cut) {
      edit = cut_to_settled(part->history, boundary_, options_.initial_is_unknown);
    }
    if (aftermath_ && aftermath_->is_settled() && !is_cut) {
      is_theirs = aftermath_->reads_in(part->history);
      edit = one_after_other(aftermath_->without_theirs(part->history), std::move(edit));
    }
    joiner.edit_lists(std::move(edit));
    joiner.add(
        part->history, part->first, [&](std::size_t i) { return held.empty() || !held[i]; },
        [&](HistoryBuilder& into, KeyId key, KeyId old) {
          if (key.raw() < round.keys.size()) {
            says_nothing[old.raw()] = is_incomplete(round.keys[key.raw()]);
            return;
          }
          const Boundary::Key known = boundary_.key(part->history, old);
          round.keys.push_back(known);
          says_nothing[old.raw()] = is_incomplete(known);
          if (boundary_.holds_nothing(known)) return;
          into.set_initial(key, boundary_.held(known, into));
        },
        [&](std::size_t, const Op& op) {
          return !says_nothing[op.key.raw()] &&
                 (is_theirs.empty() || !is_theirs[op_place(part->history, op)]);
        });
  }
  Result<History> joined = joiner.finish();
  if (!joined) return joined.error();
  round.part = {std::move(joined).value(), Joiner::kOwnNumbers};
  return round;
}

void Rounds::round(const NumberedPart* part, std::int64_t open_since) {
  const NumberedPart open{std::exchange(open_, {}), Joiner::kOwnNumbers};
  NumberedPart read{{}, Joiner::kOwnNumbers};  // from now on
  if (part != nullptr) {
    Result<History> given = apart_.give_read_in(part->history);
    if (!given) return give_up(given.error().message);
    read.history = std::move(given).value();
  }
  std::vector<const NumberedPart*> parts{&read, &open};
  if (part != nullptr) parts.push_back(part);
  Result<Round> all = join(parts, {});
  if (!all) return give_up(all.error().message);
  const History& history = all->part.history;
  std::vector<bool> held;
  if (open_since != kForever) {
    held = held_back(history, begun_among(history), open_since, options_.clock_error_ns);
  }
  const std::int64_t before = settled_before(history, open_since);
  std::vector<Fate> fates(history.txn_count(), Fate::kOpen);
  const Times times{before, late_from(open_since)};
  // Nobody knows what may still come, so nothing can be settled.
  if (times.late_from == kNoTime) return leave_open(history, before, fates);
  ++rounds_;
  if (std::ranges::find(held, true) == held.end()) {
    decide(*all, times, {}, fates);
  } else {
    const std::array whole{&all->part};
    const Result<Round> some = join(whole, held);
    if (!some) return give_up(some.error().message);
    decide(*some, times, held, fates);
  }
  if (verdict() == Verdict::kHolds) return leave_open(history, before, fates);
  open_ = std::move(all->part.history);
}

bool Rounds::is_incomplete(Boundary::Key key) const {
  const std::uint32_t place = Boundary::place(key);
  return place < incomplete_at_.size() && incomplete_at_[place] > 0;
}

void Rounds::add_incomplete(IncompleteKey key) {
  if (incomplete_at_.size() <= key.place) incomplete_at_.resize(key.place + 1);
  incomplete_.push_back(std::move(key));
  incomplete_at_[incomplete_.back().place] = static_cast<std::uint32_t>(incomplete_.size());
}

/// Those of keys that are known to be incomplete.
void Rounds::count_reads(const History& part) {
  if (incomplete_.empty()) return;
  std::vector<std::uint64_t> reads(part.key_count());
  for (std::size_t t = 0; t < part.txn_count(); ++t) {
    if (part.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    for (const Op& op : part.ops(TxnId::at(t))) {
      if (!op.is_write() && op.uses_item()) ++reads[op.key.raw()];
    }
  }
  for (std::size_t key = 0; key < reads.size(); ++key) {
    if (reads[key] == 0) continue;
    const Boundary::Key known = boundary_.key(part, KeyId::at(key));
    if (!is_incomplete(known)) continue;
    incomplete_[incomplete_at_[Boundary::place(known)] - 1].reads += reads[key];
  }
}

/// Whether there are more. Reading again is worth no more time than reading has taken, twice;
/// beyond that what came long ago counts as not recorded, which says less.
bool Rounds::find_incomplete(const Round& round, const Shown& shown) {
  const History& history = round.part.history;
  constexpr std::uint64_t kMostTimes = 2;
  static const Reread kNone;
  const Reread again = reread_checked();
  const bool may_reread = reread_ / kMostTimes <= txn_count_;
  const Result<Unrecorded> found =
      find_unrecorded({history, round.keys, shown.contents, shown.fronts,
                       options_.clock_error_ns, last_, may_reread ? again : kNone},
                      boundary_);
  if (!found) {
    give_up(found.error().message);
    return false;
  }
  if (found->has_reread) reread_ += txn_count_;
  if (found->is_key.empty()) return false;
  std::vector<std::uint64_t> reads(history.key_count());
  for (const Op& op : history.all_ops()) {
    if (!op.is_write() && op.uses_item()) ++reads[op.key.raw()];
  }
  for (std::size_t key = 0; key < reads.size(); ++key) {
    if (!found->is_key[key]) continue;
    add_incomplete(
        {Boundary::place(round.keys[key]), history.text(KeyId::at(key)), reads[key]});
  }
  return true;
}

/// Where initial contents are not known, with those that the round shows.
void Rounds::decide(const Round& round, const Times& times, const std::vector<bool>& held,
                    std::vector<Fate>& fates) {
  if (options_.initial_is_unknown && !budget_.spend(elements_read(round.part.history))) {
    return give_up(budget_.reason());
  }
  const Shown shown = shown_by(round);
  const bool is_changed = !shown.contents.empty() || !shown.fronts.empty();
  const auto settle_as_shown = [&](bool leaves_out) {
    if (!is_changed && !leaves_out) return settle(round, times, held, fates);
    const Result<Round> changed = with_initial(round, shown);
    if (!changed) return give_up(changed.error().message);
    settle(*changed, times, held, fates);
  };
  // Where there is an order, everybody has read from somebody who is here, and nobody need be
  // looked for.
  awaits_unrecorded_ = options_.is_incomplete;
  settle_as_shown(false);
  if (!options_.is_incomplete || std::exchange(awaits_unrecorded_, false)) return;
  if (verdict() != Verdict::kHolds) return;
  const bool lacks = find_incomplete(round, shown);
  if (verdict() == Verdict::kHolds) settle_as_shown(lacks);
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
  const Certificate certificate{order_level_, history.digest(), options_.clock_error_ns,
                                witness};
  return certify::verify(history, certificate).proves;
}

/// Only real time says that nobody reads from those who come later, and only where a snapshot
/// has all that had ended is it not what was there at the start.
bool Rounds::tells_violations(Level level, std::int64_t late_from) const {
  if (fences_ && late_from != kForever) {
    // Where updates may be lost, who comes late may have read a fence that others have, too.
    return !fences_->has_strays() && forbids_lost_updates(info(level).base) &&
           implies(level, Level::kStrongSessionReadAtomic, /*sessions_respect_time=*/false);
  }
  if (options_.initial_is_unknown) {
    return implies(level, Level::kStrongReadAtomic, /*sessions_respect_time=*/false);
  }
  return info(level).real_time || late_from == kForever;
}

/// Of what is asked; and of what its orders would have to be, where that is more.
/// `proof`: that the round has no order.
void Rounds::look_for_violation(const Round& round, const Proof& proof,
                                std::int64_t late_from) {
  FailedRound failed{round.part.history,          round.keys, late_from, last_, origin_,
                     options_.initial_is_unknown, &proof};
  if (options_.is_incomplete) {
    failed.is_incomplete = [this](Boundary::Key key) { return is_incomplete(key); };
  }
  if (fences_) {
    failed.is_late = [this](TxnNumber number) { return may_read_later_.contains(number); };
  }
  const Reread again = reread_checked();
  std::optional<base::Budget::Allowance> limit;
  limit_search(limit, round.part.history);
  if (tells_violations(options_.level, late_from)) {
    violation_ =
        find_violation(failed, boundary_, again, check_options(options_.level), budget_);
  }
  if (violation_ && !is_new(violation_->history)) violation_.reset();
  if (violation_ || order_level_ == options_.level) return;
  if (find_violation(failed, boundary_, again, check_options(order_level_), budget_)) {
    finds_no_order_ = true;
    give_up(std::string(info(order_level_).name) +
            " is violated, and only an order that keeps it can be settled");
  }
}

/// The proof rests on somebody who may have read from those who are yet to come.
bool Rounds::awaits_fences(const Round& round, const Proof& proof,
                           std::int64_t late_from) const {
  if (!fences_ || late_from == kForever) return false;
  return std::ranges::any_of(named_by(proof), [&](TxnId txn) {
    return may_read_later_.contains(round.part.history.position_in_input(txn) - 1);
  });
}

/// The order of the round's transactions, if there is one.
std::optional<Witness> Rounds::witness_of(const Round& round, std::int64_t late_from) {
  std::optional<base::Budget::Allowance> limit;
  limit_search(limit, round.part.history);
  CheckReport report = check(round.part.history, check_options(order_level_), budget_);
  limit.reset();
  const LevelReport& level = report.levels.front();
  if (level.verdict == Verdict::kHolds) {
    auto* const witness = std::get_if<Witness>(&report.proofs[level.proof]);
    failures_ = 0;
    ISOLDE_CHECK(witness != nullptr);
    if (!options_.verifies || is_verified(round, *witness)) {
      return as_mentioned(std::move(*witness), order_level_);
    }
    give_up("the order of a round was not verified, which is an error of the program");
    return std::nullopt;
  }
  if (level.verdict != Verdict::kViolated) {
    // Only the limit above gives none.
    give_up(!level.reason.empty() ? level.reason
                                  : "a round takes very long, as where many values repeat; "
                                    "with --timeout it takes as long as that allows");
    return std::nullopt;
  }
  if (std::exchange(awaits_unrecorded_, false)) return std::nullopt;
  const Proof& proof = report.proofs[level.proof];
  if (on_suspected) on_suspected(suspicion_of(round.part.history, proof));
  look_for_violation(round, proof, late_from);
  if (verdict() != Verdict::kHolds) return std::nullopt;
  if (awaits_fences(round, proof, late_from)) return std::nullopt;
  // What comes next may tell more of those that ended last.
  constexpr std::size_t kMostFailures = 2;
  if (++failures_ <= kMostFailures && late_from != kForever) return std::nullopt;
  finds_no_order_ = true;
  give_up(
      std::string("no order of what came then fits behind what was settled before, ") +
      (reread ? "which may be more than the history says"
              : "so something is probably wrong; a file can be read again to find what") +
      (forgotten_ > 0 ? ", or a transaction that was forgotten took effect after all" : ""));
  return std::nullopt;
}

/// Those that had begun before find in their keys what these held then. Where values repeat, a
/// round may take another one's for that.
bool Rounds::commits_settled(const Round& round, std::span<const TxnId> order) {
  const infer::Role role = checker::traits(info(order_level_).base).role;
  if (!role.forbids_concurrent_writers || begun_.empty()) return true;
  const History& history = round.part.history;
  const std::vector<bool> begun = begun_among(history);
  std::vector<std::uint32_t> holders(history.key_count());
  const auto hold = [&](TxnId txn, int change) {
    for (const Op& op : history.ops(txn)) {
      if (op.is_write()) holders[op.key.raw()] += static_cast<std::uint32_t>(change);
    }
  };
  for (std::size_t t = 0; t < begun.size(); ++t) {
    if (begun[t]) hold(TxnId::at(t), 1);
  }
  std::vector<std::uint8_t> is_mentioned(history.txn_count());
  for (const TxnId txn : order) {
    if (std::exchange(is_mentioned[txn.raw()], 1) == 0) continue;
    if (begun[txn.raw()]) hold(txn, -1);
    const bool is_free = std::ranges::none_of(history.ops(txn), [&](const Op& op) {
      return op.is_write() && holders[op.key.raw()] > 0;
    });
    if (!is_free) return false;
  }
  return true;
}

/// `held`: which of the open ones the round lacks. Says what becomes of the others.
void Rounds::settle(const Round& round, const Times& times, const std::vector<bool>& held,
                    std::vector<Fate>& fates) {
  const History& history = round.part.history;
  if (history.txn_count() == 0) return;
  const std::optional<Witness> found = witness_of(round, times.late_from);
  if (!found) return;
  const SettledFirst first = settled_of(round, *found, times);
  const Witness* const witness = &first.witness;
  const SettledOrder& settled = first.settled;
  if (fences_ && options_.verifies && !is_verified(round, *witness)) {
    return give_up("the order of a round was not verified, which is an error of the program");
  }
  const std::span<const TxnId> order = std::span(witness->order).first(settled.count);
  if (!commits_settled(round, order)) {
    return give_up("values that repeat leave open which version a transaction has replaced");
  }
  learn_initial(round, order, witness->mentions);
  std::vector<std::uint32_t> places;  // by transaction of the round, among the open ones
  for (std::uint32_t i = 0; i < fates.size(); ++i) {
    if (held.empty() || !held[i]) places.push_back(i);
  }
  std::vector<Value> written(history.key_count());
  std::vector<std::vector<Value>> appended(has_lists(history) ? history.key_count() : 0);
  std::vector<TxnNumber> numbers;
  std::vector<std::uint8_t> is_mentioned(history.txn_count());
  for (const TxnId txn : order) {
    const TxnNumber number = history.position_in_input(txn) - 1;
    if (witness->mentions == 2 && std::exchange(is_mentioned[txn.raw()], 1) == 0) {
      if (begun_.erase(number) == 0) numbers.push_back(number);
      if (settled.begun[txn.raw()]) begun_.insert(number);
      fates[places[txn.raw()]] = Fate::kBegun;
      continue;
    }
    numbers.push_back(number);
    latest_start_ = std::max(latest_start_, history.times(txn).start);
    fates[places[txn.raw()]] = Fate::kDone;
    ++settled_;
    deadlines_.settle(history, txn, round.keys);
    for (const Op& op : history.ops(txn)) {
      if (op.kind == OpKind::kWrite) written[op.key.raw()] = op.value;
      if (op.kind == OpKind::kAppend) appended[op.key.raw()].push_back(op.value);
    }
  }
  for (std::size_t key = 0; key < written.size(); ++key) {
    if (!written[key].is_null()) boundary_.hold(round.keys[key], history, written[key]);
  }
  for (std::size_t key = 0; key < appended.size(); ++key) {
    if (appended[key].empty()) continue;
    const Boundary::Key known = round.keys[key];
    if (!options_.initial_is_unknown || boundary_.is_known(known)) {
      lists_before_.emplace(Boundary::place(known), boundary_.list(known));
    }
    boundary_.append(known, history, appended[key]);
  }
  if (settled.count > 0) settled_until_ = times.settled_before;
  if (on_settled) on_settled(numbers, boundary_.sum());
}

std::vector<bool> Rounds::begun_among(const History& open) const {
  std::vector<bool> begun(open.txn_count());
  for (std::size_t t = 0; t < begun.size() && !begun_.empty(); ++t) {
    begun[t] = begun_.contains(open.position_in_input(TxnId::at(t)) - 1);
  }
  return begun;
}

bool Rounds::is_over(const History& open, std::size_t i, std::int64_t before) const {
  if (fences_) return i + options_.left_open < open.txn_count();
  const std::int64_t end = open.times(TxnId::at(i)).end;
  return before == kForever || (end != kNoTime && end < before);
}

void Rounds::leave_open(const History& open, std::int64_t before,
                        const std::vector<Fate>& fates) {
  // What an aborted transaction wrote may still be read by what overlapped it.
  const auto stays = [&](std::size_t i) {
    return fates[i] != Fate::kDone &&
           !(open.status(TxnId::at(i)) == TxnStatus::kAborted && is_over(open, i, before));
  };
  std::vector<bool> unread;  // empty: none is kept apart
  if (options_.keeps_apart && has_unknown_outcomes_ && !is_waiting()) {
    std::vector<bool> left_open(open.txn_count());
    for (std::size_t i = 0; i < left_open.size(); ++i) left_open[i] = stays(i);
    unread = set_apart(open, left_open);
    if (verdict() != Verdict::kHolds) return;
  }
  if (apart_.size() > options_.most_apart && before != kForever) {
    return give_up("nobody knows whether more than " + std::to_string(options_.most_apart) +
                   " transactions took effect from which nobody has read");
  }
  const auto is_left = [&](std::size_t i) {
    return stays(i) && (unread.empty() || !unread[i]);
  };
  // Of those that have begun in this round, only what they write is left, and what was there.
  const bool holds_keys =
      checker::traits(info(order_level_).base).role.forbids_concurrent_writers;
  const auto begin = [&](HistoryBuilder& into, std::size_t i, std::span<const KeyId> keys) {
    if (fates[i] != Fate::kBegun || !holds_keys) return;
    for (const Op& op : open.ops(TxnId::at(i))) {
      if (!op.is_write()) continue;
      const Boundary::Key key = boundary_.key(open, op.key);
      if (options_.initial_is_unknown && !boundary_.is_known(key)) continue;
      if (op.kind == OpKind::kAppend) {
        into.read_list(keys[op.key.raw()], {});
        continue;
      }
      into.read(keys[op.key.raw()],
                boundary_.holds_nothing(key) ? Value() : boundary_.held(key, into));
    }
  };
  Joiner joiner;
  joiner.edit_lists(cut_further(open, boundary_, lists_before_));
  lists_before_.clear();
  joiner.add(
      open, Joiner::kOwnNumbers, is_left, kEnterNothing,
      [&](std::size_t i, const Op&) { return fates[i] != Fate::kBegun; }, begin);
  Result<History> left = joiner.finish();
  if (!left) return give_up(left.error().message);
  open_ = std::move(left).value();
  if (open_.txn_count() > options_.most_open) {
    give_up("more than " + std::to_string(options_.most_open) +
            " transactions are not settled" +
            (has_forked_fences() ? ", for two fences have read the same, so that they are no "
                                   "chain"
             : fences_           ? ", for some session has made no fence for long"
                                 : ""));
  }
}

}  // namespace isolde::stream
