// Rows that selections left out, looked up in the state that an execution has come to.
//
// As in pipeline_rows.cpp a level is decided without these rows, an execution found is tried on
// them, and those that it gets wrong count from then on. But there each of them is an
// operation, and their number grows with selections times versions: 100,000 transactions on a
// table of 10,000 rows that move leave out 100 million. Here they have no place in the history.
// The execution is played, and each selection is asked once more, of an index of the rows as
// they stand: whatever it finds and the selection did not return is wrong.
//
// The index: all versions, sorted by what a column holds, once for the whole history; a bit for
// each says whether the row stands there now. A condition on a column is a range of bits.
//
// A row that counts is first taken for a read of the version before or after those that should
// not have been there: an execution that explains this explains the row, and no read is open.
// Which of both is decided for all rows that a transaction missed, for it has one place: before
// all of them stood, or when all were gone, whichever is nearer. What a refutation names may
// have been wrong: the transaction of which that is least sure takes the other side, and what
// is named once more may have been any version that does not match.
//
// Why this is right: what holds, holds by an execution that explains all reads but these, and
// in which no selection missed a row that was there. What a transaction itself had written
// before is not in the execution's state, so that is compared directly. Nothing else is decided
// here: whatever is violated, or open, or asked at a level at which an order does not tell what
// each read returned, and does not follow from one that holds, is left to those who list the
// rows.
#include "check/unlisted_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "base/memory_guard.hpp"
#include "base/parallel.hpp"
#include "check/asked_levels.hpp"
#include "check/closure.hpp"
#include "check/stages.hpp"
#include "check/standing_rows.hpp"
#include "history/base_levels.hpp"
#include "history/selections.hpp"
#include "level/level_traits.hpp"
#include "weak/timed.hpp"

namespace isolde::checker {
namespace {

// Executions that get rows wrong again and again are better tried with all rows listed.
constexpr int kMostReplays = 32;

// Guesses refuted so many times in a row are many: all rows are open reads from then on.
constexpr int kMostTurns = 6;

/// A row that counts, and where the transaction has its place if it is not where the row's
/// `read` says.
struct Guess {
  LeftOutRow row;
  Value otherwise = {};        ///< read there; null: nothing that has a name
  std::uint32_t distance = 0;  ///< how much farther that is
};

/// Plays an execution.
class Replay {
  struct Missed {
    LeftOutRow row;
    StandingRows::Number number = 0;  ///< of the version that stood there
    std::uint32_t moment = 0;
  };

  /// Rows that the selection at hand returned, or that are out of question for another reason.
  class Marks {
   public:
    explicit Marks(std::size_t keys) : stamp_of_(keys, 0) {}
    void clear() { ++stamp_; }
    void add(KeyId key) { stamp_of_[key.raw()] = stamp_; }
    void add(std::span<const Op> rows) {
      for (const Op& row : rows) add(row.key);
    }
    bool has(KeyId key) const { return stamp_of_[key.raw()] == stamp_; }

   private:
    std::uint64_t stamp_ = 0;
    std::vector<std::uint64_t> stamp_of_;  // by key
  };

  /// What happens from one moment of an execution on, in a thread of its own.
  struct Part {
    Part(const History& history, StandingRows::State begin)
        : standing(std::move(begin)), returned(history.key_count()) {
      written_by.resize(history.key_count());
    }
    StandingRows::State standing;
    Marks returned;
    std::vector<TxnId> written_by;  // by key: the last reader so far that wrote it before
    std::vector<StandingRows::Number> own;  // written by the transaction so far
    std::vector<Missed> missed;
    bool misses_own = false;
  };

 public:
  Replay(const History& history, unsigned threads, base::Budget& budget)
      : history_(history),
        threads_(std::max(threads, 1U)),
        budget_(budget),
        rows_(history, threads, budget) {}

  /// The rows that its selections should have returned. The execution is played in as many
  /// parts as there are threads: what stands where one begins is known without asking.
  std::vector<Guess> run(const Witness& witness) {
    rows_.begin();
    std::vector<std::vector<Missed>> missed(threads_);
    std::vector<std::uint8_t> misses_own(threads_, 0);
    base::run_tasks(threads_, threads_, [&](std::size_t number, unsigned worker) {
      Part part = play(witness, number, worker);
      missed[number] = std::move(part.missed);
      misses_own[number] = part.misses_own ? 1 : 0;
    });
    for (const std::uint8_t each : misses_own) misses_own_ = misses_own_ || each != 0;
    std::vector<Missed> all = base::concatenate(threads_, missed);
    std::vector<Guess> guesses;
    for (auto first = all.begin(); first != all.end();) {
      const auto last = std::find_if(
          first, all.end(), [&](const Missed& each) { return each.row.txn != first->row.txn; });
      guess(std::span(first, last), guesses);
      first = last;
    }
    rows_.end();
    return guesses;
  }
  /// Some selection did not return a row that its own transaction had put there.
  bool misses_own() const { return misses_own_; }

  /// Whether any selection left out a row, whatever the execution.
  bool leaves_out() {
    Marks returned(history_.key_count());
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (history_.status(txn) == TxnStatus::kAborted) continue;
      for (const Selection& selection : history_.selections(txn)) {
        returned.clear();
        returned.add(history_.ops(txn).subspan(selection.first, selection.rows));
        if (could_find_some(selection.predicate, &returned)) return true;
        if (budget_.exhausted()) return false;
      }
    }
    return false;
  }

  /// Those that did not abort, returned no row and left some out, whatever the execution;
  /// ascending. What was decided stands, so nothing stops this.
  std::vector<TxnId> only_left_out() {
    rows_.begin();
    std::vector<TxnId> txns;
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      const bool counts = history_.status(txn) != TxnStatus::kAborted &&
                          std::ranges::none_of(history_.ops(txn), &Op::uses_item);
      const auto finds_some = [&](const Selection& selection) {
        return could_find_some(selection.predicate, nullptr);
      };
      if (counts && std::ranges::any_of(history_.selections(txn), finds_some)) {
        txns.push_back(txn);
      }
    }
    return txns;
  }

 private:
  static constexpr std::uint32_t kFar = 0xffffffffU;

  /// Appends the rows that one transaction missed. Of a row that several of its selections
  /// missed all have read the same version.
  void guess(std::span<Missed> missed, std::vector<Guess>& guesses) {
    std::ranges::stable_sort(
        missed, [](const Missed& a, const Missed& b) { return a.row.key < b.row.key; });
    const std::size_t begin = guesses.size();
    std::uint32_t to_before = 0;
    std::uint32_t to_after = 0;
    std::vector<std::uint32_t> predicates;
    for (auto first = missed.begin(); first != missed.end();) {
      const auto last = std::find_if(first, missed.end(), [&](const Missed& each) {
        return each.row.key != first->row.key;
      });
      predicates.clear();
      for (const Missed& each : std::span(first, last)) {
        predicates.push_back(history_.selections(each.row.txn)[each.row.selection].predicate);
      }
      const StandingRows::Aside back = rows_.before(first->number, predicates);
      const StandingRows::Aside on = rows_.after(first->number, predicates);
      const std::uint32_t moment = first->moment;
      to_before = std::max(to_before, back.nearest.is_null() ? kFar : moment - back.moment);
      to_after = std::max(to_after, on.nearest.is_null() ? kFar : on.moment - moment);
      for (; first != last; ++first) {
        guesses.push_back({first->row, on.nearest});
        guesses.back().row.read = back.nearest;
      }
    }
    const bool is_before = to_before <= to_after;
    for (Guess& each : std::span(guesses).subspan(begin)) {
      each.distance = is_before ? to_after - to_before : to_before - to_after;
      // Where only one of both has a name it is that.
      if (is_before ? each.row.read.is_null() : !each.otherwise.is_null()) {
        std::swap(each.row.read, each.otherwise);
      }
    }
  }

  bool is_selected(std::uint32_t number, const StandingRows::Version& row) const {
    const PredicateView predicate = history_.predicates()[number];
    return predicate.selects_key(history_.key_name(row.key)) &&
           history_.selects(predicate, row.value);
  }

  /// Some row that is not `returned`, whatever the execution.
  bool could_find_some(std::uint32_t predicate, const Marks* returned) {
    bool any = false;
    budget_.spend(rows_.find_ever(predicate, [&](KeyId key, StandingRows::Number number) {
      any = (returned == nullptr || !returned->has(key)) &&
            is_selected(predicate, rows_.version(number));
      return !any;
    }));
    return any;
  }

  Part play(const Witness& witness, std::size_t number, unsigned worker) {
    const std::span<const TxnId> order = witness.order;
    const std::size_t begin = base::part_begin(order.size(), threads_, number);
    const std::size_t end = base::part_begin(order.size(), threads_, number + 1);
    base::BudgetShare budget(budget_, worker);
    budget.spend(begin);
    std::vector<std::uint8_t> has_begun(history_.txn_count(), 0);
    std::vector<TxnId> written;  // whose writes took effect, one after the other
    const auto begins = [&](TxnId txn) {
      return std::exchange(has_begun[txn.raw()], std::uint8_t{1}) == 0;
    };
    for (const TxnId txn : order.first(begin)) {
      if (!begins(txn) || witness.mentions == 1) written.push_back(txn);
    }
    Part part(history_, rows_.state_after(written));
    for (std::size_t at = begin; at < end; ++at) {
      const TxnId txn = order[at];
      const auto moment = static_cast<std::uint32_t>(at + 1);
      const bool is_first = begins(txn);
      if (is_first) read(txn, moment, part, budget);
      if (!is_first || witness.mentions == 1) write(txn, moment, part);
      if (!budget.spend(history_.ops(txn).size() + 1)) break;
    }
    return part;
  }

  void read(TxnId txn, std::uint32_t moment, Part& part, base::BudgetShare& budget) const {
    const std::span<const Op> ops = history_.ops(txn);
    const std::span<const Selection> selections = history_.selections(txn);
    std::uint32_t at = 0;
    StandingRows::Number next = rows_.first_write(txn);
    part.own.clear();
    for (std::uint32_t number = 0; number < selections.size(); ++number) {
      for (; at < selections[number].first; ++at) {
        if (ops[at].kind != OpKind::kWrite) continue;
        part.written_by[ops[at].key.raw()] = txn;
        part.own.push_back(next++);
      }
      ask(txn, number, moment, part, budget);
    }
  }

  void ask(TxnId txn, std::uint32_t number, std::uint32_t moment, Part& part,
           base::BudgetShare& budget) const {
    const Selection& selection = history_.selections(txn)[number];
    const std::uint32_t predicate = selection.predicate;
    part.returned.clear();
    part.returned.add(history_.ops(txn).subspan(selection.first, selection.rows));
    const std::size_t before = part.missed.size();
    budget.spend(
        rows_.find(part.standing, predicate, [&](KeyId key, StandingRows::Number standing) {
          if (part.returned.has(key) || part.written_by[key.raw()] == txn) return;
          if (!is_selected(predicate, rows_.version(standing))) return;
          part.missed.push_back({{txn, number, key}, standing, moment});
        }));
    std::sort(part.missed.begin() + static_cast<std::ptrdiff_t>(before), part.missed.end(),
              [](const Missed& a, const Missed& b) { return a.row.key < b.row.key; });
    budget.spend(part.own.size());
    // The last write of each counts.
    for (std::size_t i = part.own.size(); i-- > 0 && !part.misses_own;) {
      const StandingRows::Version& row = rows_.version(part.own[i]);
      if (part.returned.has(row.key)) continue;
      part.returned.add(row.key);
      part.misses_own = !row.value.is_dead() && rows_.may_select(predicate, part.own[i]) &&
                        is_selected(predicate, row);
    }
  }

  void write(TxnId txn, std::uint32_t moment, Part& part) {
    StandingRows::Number number = rows_.first_write(txn);
    for (const Op& op : history_.ops(txn)) {
      if (op.kind == OpKind::kWrite) rows_.put(part.standing, number++, moment);
    }
  }

  const History& history_;
  const unsigned threads_;
  base::Budget& budget_;
  StandingRows rows_;
  bool misses_own_ = false;
};

bool comes_before(const Guess& a, const Guess& b) {
  const auto place = [](const LeftOutRow& row) {
    return std::tuple(row.txn, row.selection, row.key);
  };
  return place(a.row) < place(b.row);
}

/// What a proof of a violation rests on.
class Named {
 public:
  explicit Named(const Proof& proof) {
    if (const auto* const finding = std::get_if<Finding>(&proof)) {
      txns_ = {finding->txn, finding->other};
    } else if (const auto* const refutation = std::get_if<Refutation>(&proof)) {
      for (const RefutationStep& step : refutation->steps) {
        for (const Edge& edge : step.cycle) add(edge);
      }
    } else {
      all_ = true;
    }
    std::ranges::sort(txns_);
    std::ranges::sort(reads_);
  }

  bool has(const LeftOutRow& row) const {
    return all_ ||
           (reads_.empty() ? std::ranges::binary_search(txns_, row.txn)
                           : std::ranges::binary_search(reads_, std::pair(row.txn, row.key)));
  }

 private:
  void add(const Edge& edge) {
    if (edge.key.is_none()) return;
    for (const TxnId txn : {edge.from, edge.to}) {
      reads_.emplace_back(txn, edge.key);
    }
  }

  bool all_ = false;
  std::vector<TxnId> txns_;
  std::vector<std::pair<TxnId, KeyId>> reads_;
};

/// Whatever happens, the history is as it was before.
class ListedForNow {
 public:
  ListedForNow(History& history, std::span<const LeftOutRow> rows) : history_(history) {
    history.list_rows_for_now(rows);
  }
  ListedForNow(const ListedForNow&) = delete;
  ListedForNow& operator=(const ListedForNow&) = delete;
  ~ListedForNow() { history_.unlist_rows(); }

 private:
  History& history_;
};

class UnlistedRows {
 public:
  UnlistedRows(History& history, const CheckOptions& options, base::Budget& budget)
      : history_(history),
        options_(options),
        budget_(budget),
        replay_(history, options.threads, budget) {}

  std::optional<UnlistedReport> run() {
    if (budget_.exhausted()) return std::nullopt;  // the index may not be whole
    report_.rows = {replay_.leaves_out(), history_.origin().rows_are_deleted, false};
    // Else listing them costs nothing.
    if (!report_.rows.left_out || budget_.exhausted()) return std::nullopt;
    report_.levels = undecided_levels(history_, options_);
    leave_out_timed();
    if (!may_follow()) return std::nullopt;
    for (LevelReport& level : report_.levels) {
      if (level.verdict != Verdict::kUnknown || follows(level.level, true)) continue;
      if (is_told_by_order(level.level) && !decide(level)) return std::nullopt;
    }
    close_by_implication(report_, false);
    for (const LevelReport& level : report_.levels) {
      if (level.verdict == Verdict::kUnknown) return std::nullopt;
    }
    return UnlistedReport{std::move(report_), replay_.only_left_out()};
  }

 private:
  /// Repeatable read disregards these rows, and so which transactions of unknown outcome only
  /// they show.
  static bool is_told_by_order(Level level) {
    const LevelInfo& row = info(level);
    return !disregards_left_out_rows(row.base) && order_tells_sources(row.base) &&
           !encoding(row, 0).real_time_by_key;
  }

  void leave_out_timed() {
    const std::string reason = why_not_timed(history_);
    if (reason.empty()) return;
    for (LevelReport& level : report_.levels) {
      if (goes_by_database_times(info(level.level).base)) {
        level = {level.level, Verdict::kNotApplicable, reason, 0};
      }
    }
  }

  /// From a level that holds, or might.
  bool follows(Level level, bool holds) const {
    return std::ranges::any_of(report_.levels, [&](const LevelReport& other) {
      const bool counts =
          holds ? other.verdict == Verdict::kHolds
                : other.verdict == Verdict::kUnknown && is_told_by_order(other.level);
      return counts && implies_there(other.level, level,
                                     !holds || report_.sessions_respect_time, report_.rows);
    });
  }

  bool may_follow() const {
    return std::ranges::all_of(report_.levels, [&](const LevelReport& level) {
      return level.verdict == Verdict::kNotApplicable || is_told_by_order(level.level) ||
             follows(level.level, false);
    });
  }

  /// Whether it holds, or does not apply.
  bool decide(LevelReport& level) {
    CheckOptions options = options_;
    options.levels = {level.level};
    for (int round = 0; round < kMostReplays && budget_.spend(history_.op_count()); ++round) {
      CheckReport found = decide_with_rows(options);
      note_work(found);
      const LevelReport& outcome = found.levels.front();
      if (outcome.verdict == Verdict::kNotApplicable) {
        level = outcome;
        return true;
      }
      if (outcome.verdict != Verdict::kHolds) {
        const bool is_violated = outcome.verdict == Verdict::kViolated;
        if (!(is_violated ? take_back(found.proofs[outcome.proof]) : open_all())) return false;
        continue;
      }
      turns_ = 0;
      auto* const witness = std::get_if<Witness>(&found.proofs[outcome.proof]);
      if (witness == nullptr) return false;
      std::vector<Guess> missed = replay_.run(*witness);
      if (budget_.exhausted() || replay_.misses_own()) return false;
      if (missed.empty()) {
        // The order tells what was read.
        witness->sources.clear();
        level = {level.level, Verdict::kHolds, "", report_.proofs.size()};
        report_.proofs.push_back(std::move(found.proofs[outcome.proof]));
        return true;
      }
      if (!count(std::move(missed))) return false;
    }
    return false;
  }

  CheckReport decide_with_rows(const CheckOptions& options) {
    std::optional<ListedForNow> listed;
    bool any_open = false;
    if (!guesses_.empty()) {
      std::vector<LeftOutRow> rows;
      for (const Guess& guess : guesses_) {
        rows.push_back(guess.row);
        any_open = any_open || guess.row.read.is_null();
      }
      listed.emplace(history_, rows);
    }
    return check_extract(history_, any_open ? Extract::kOpenRows : Extract::kFewRows, options,
                         budget_)
        .report;
  }

  /// Of the guesses that a refutation rests on one is wrong. Returns whether there were any.
  bool take_back(const Proof& proof) {
    const Named named(proof);
    const Guess* least_sure = nullptr;
    bool any = false;
    for (const Guess& guess : guesses_) {
      if (guess.row.read.is_null() || !named.has(guess.row)) continue;
      any = true;
      if (guess.otherwise.is_null()) continue;
      if (least_sure == nullptr || guess.distance < least_sure->distance) least_sure = &guess;
    }
    if (!any || ++turns_ > kMostTurns) return open_all();
    if (least_sure != nullptr) {
      turn(least_sure->row.txn);
      return true;
    }
    for (Guess& guess : guesses_) {
      if (named.has(guess.row)) guess.row.read = {};
    }
    return true;
  }

  void turn(TxnId txn) {
    for (Guess& guess : guesses_) {
      const bool has_two = !guess.row.read.is_null() && !guess.otherwise.is_null();
      if (guess.row.txn == txn && has_two) {
        guess.row.read = std::exchange(guess.otherwise, Value());
      }
    }
  }

  /// All that was guessed is open from here on.
  bool open_all() {
    bool any = false;
    for (Guess& guess : guesses_) {
      any = any || !guess.row.read.is_null();
      guess.row.read = {};
    }
    may_guess_ = false;
    return any;
  }

  void note_work(const CheckReport& found) {
    CheckStatistics& all = report_.statistics;
    all.included_txns = std::max(all.included_txns, found.statistics.included_txns);
    all.add_work(found.statistics);
    report_.sessions_respect_time = found.sessions_respect_time;
  }

  /// False where they counted already.
  bool count(std::vector<Guess> missed) {
    if (!may_guess_) {
      for (Guess& guess : missed) guess.row.read = {};
    }
    std::ranges::sort(missed, comes_before);
    std::vector<Guess> all;
    std::ranges::set_union(guesses_, missed, std::back_inserter(all), comes_before);
    const bool any = all.size() > guesses_.size();
    guesses_ = std::move(all);
    return any;
  }

  History& history_;
  const CheckOptions& options_;
  base::Budget& budget_;
  Replay replay_;
  CheckReport report_;
  std::vector<Guess> guesses_;  // the rows that count, ascending
  bool may_guess_ = true;       // LeftOutRow::read
  int turns_ = 0;               // since the last execution
};

}  // namespace

std::optional<UnlistedReport> check_unlisted(History& history, const CheckOptions& options,
                                             base::Budget& budget) {
  std::optional<UnlistedReport> report;
  base::fits_memory([&] { report = UnlistedRows(history, options, budget).run(); });
  return report;
}

}  // namespace isolde::checker
