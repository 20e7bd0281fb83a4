// Rows that selections left out, decided when they matter.
//
// A selection says of every key that it did not return that its version did not match. These
// reads are most operations of a history with selections, each with as many possible sources as
// its key has writers, and an execution that explains everything else gets nearly all of them
// right. So they wait: a level is decided on the history without them, and an execution found
// there is tried on them. The reads that it gets wrong count from then on, and the level is
// decided again. Solvers call this lazy refinement.
//
// Why this is right: what a history without some reads refutes is refuted, by the same proof,
// for a proof names the reads that it rests on. An execution of it that also explains the other
// reads is one of the whole history: the transactions of unknown outcome that took effect in it
// are among those that possibly did, and all reads are explained without the others.
//
// Repeatable read disregards these reads, but for one thing: of a row that matched at the start
// somebody must have left a version that does not, before the selection. So for that level such
// reads alone are tried, and they count as reads of a key that stands for that
// (History::with_replaced_rows()).
//
// COST: a round is what the history costs without these reads, and a step for each of them. In
// every round but the last some reads count that did not before. Rounds are limited; a level
// still open is decided with all reads, as are the levels at which an order of events does not
// tell the versions that reads returned.
//
// Where each session has an execution of its own, a read finds some version since what its
// session knows, and what it finds may be too late for a later read. Of two reads that do not
// go together both count then: whichever of them was not what is wrong, the next round is
// stricter.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <variant>

#include "base/assert.hpp"
#include "base/ways.hpp"
#include "check/pipeline.hpp"
#include "history/base_levels.hpp"
#include "infer/partial_sources.hpp"
#include "level/level_traits.hpp"
#include "search/groups.hpp"
#include "session/session_level.hpp"
#include "session/session_test.hpp"

namespace isolde::checker {
namespace {

constexpr int kMostRounds = 32;

// What an order at a level that was not asked for may cost: several rounds.
constexpr std::uint64_t kGuess = 1'000'000;
constexpr std::uint64_t kGuessPerOp = 60;
// With aggregates so many times as much, but no more than this part of the time that is left:
// the weak levels by themselves take far more than the order, where they are decided at all.
constexpr std::uint64_t kGuessOfResults = 256;
constexpr double kTimeOfGuess = 0.25;

/// Gives the operations of a reduced history the numbers that they have in the whole one.
class Renumbering {
 public:
  /// `stands_for`: by key, from number `keys` on, the key of the whole history.
  Renumbering(const History& reduced, const std::vector<std::uint32_t>& numbers,
              std::size_t keys, const std::vector<KeyId>& stands_for)
      : reduced_(reduced), numbers_(numbers), keys_(keys), stands_for_(stands_for) {}

  void apply(Proof& proof) const {
    if (auto* const witness = std::get_if<Witness>(&proof)) {
      for (ReadSource& source : witness->sources) apply(source.txn, source.op);
    } else if (auto* const finding = std::get_if<Finding>(&proof)) {
      apply(finding->txn, finding->op);
      const bool is_apart = finding->kind == FindingKind::kIncompatibleOrder;
      const bool has_other = is_apart || finding->kind == FindingKind::kNonRepeatableRead;
      if (has_other) apply(is_apart ? finding->other : finding->txn, finding->other_op);
    } else if (auto* const refutation = std::get_if<Refutation>(&proof)) {
      for (RefutationStep& step : refutation->steps) {
        for (Edge& edge : step.cycle) apply(edge.key);
        for (Claim& claim : step.claims) {
          if (claim.source.op != Claim::kNoOp) apply(claim.source.txn, claim.source.op);
        }
      }
    }
  }

 private:
  void apply(TxnId txn, std::uint32_t& op) const { op = numbers_[reduced_.first_op(txn) + op]; }
  void apply(KeyId& key) const {
    if (key.is_some() && key.raw() >= keys_) key = stands_for_[key.raw() - keys_];
  }

  const History& reduced_;
  const std::vector<std::uint32_t>& numbers_;
  const std::size_t keys_;
  const std::vector<KeyId>& stands_for_;
};

/// The reads of rows left out, in an execution that ignored them.
class LeftOutAlong {
 public:
  /// What a read of a row that was left out asks for.
  enum class Asks : std::uint8_t {
    kState,     ///< that the present version does not match
    kSources,   ///< the same, and the witness is told which one it is
    kReplaced,  ///< where the initial one matches, that some version so far does not
  };

  LeftOutAlong(const History& history, Asks asks, base::Budget& budget)
      : history_(history),
        asks_(asks),
        budget_(budget),
        version_(history.key_count()),
        written_by_(history.key_count()) {}

  /// The reads that the execution gets wrong, ascending, as places in History::all_ops().
  /// `known`: these are right, and in the witness already. REQUIRES: called once.
  std::vector<std::uint32_t> run(Witness& witness, std::span<const std::uint32_t> known) {
    known_ = known;
    std::vector<std::uint8_t> has_begun(history_.txn_count(), 0);
    for (const TxnId txn : witness.order) {
      const bool begins = std::exchange(has_begun[txn.raw()], std::uint8_t{1}) == 0;
      if (begins) read(txn, witness);
      if (!begins || witness.mentions == 1) write(txn);
      if (!budget_.spend(history_.ops(txn).size() + 1)) break;
    }
    std::ranges::sort(wrong_);
    return std::move(wrong_);
  }

 private:
  struct Version {
    TxnId writer;
    Value value;
  };

  void read(TxnId txn, Witness& witness) {
    const std::span<const Op> ops = history_.ops(txn);
    auto known = std::ranges::lower_bound(known_, history_.first_op(txn));
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      const Op& op = ops[i];
      if (op.kind == OpKind::kWrite) written_by_[op.key.raw()] = txn;
      if (op.kind != OpKind::kReadAbsent || written_by_[op.key.raw()] == txn) continue;
      if (known != known_.end() && *known == history_.first_op(txn) + i) {
        ++known;
        continue;
      }
      const Version& version = version_[op.key.raw()];
      if (!explains(version, op)) {
        wrong_.push_back(history_.first_op(txn) + i);
      } else if (asks_ == Asks::kSources) {
        witness.sources.push_back({txn, i, version.writer});
      }
      budget_.spend(4);
    }
  }

  bool explains(const Version& version, const Op& op) {
    if (asks_ != Asks::kReplaced) return history_.fits(op, version.value);
    if (history_.fits_initial(op)) return true;
    const std::vector<Value>& values = values_so_far_[op.key.raw()];
    budget_.spend(values.size());
    return std::ranges::any_of(values, [&](Value value) { return history_.fits(op, value); });
  }

  void write(TxnId txn) {
    for (const Op& op : history_.ops(txn)) {
      if (op.kind == OpKind::kWrite) version_[op.key.raw()] = {txn, op.value};
    }
    if (asks_ != Asks::kReplaced || !history_.has_initial_contents()) return;
    // Only what the transaction leaves becomes a version.
    for (const Op& op : history_.ops(txn)) {
      if (op.kind != OpKind::kWrite || history_.initial(op.key).is_null()) continue;
      std::vector<Value>& values = values_so_far_[op.key.raw()];
      const Value left = version_[op.key.raw()].value;
      if (std::ranges::find(values, left) == values.end()) values.push_back(left);
    }
  }

  const History& history_;
  Asks asks_;
  base::Budget& budget_;
  std::span<const std::uint32_t> known_;
  std::vector<Version> version_;   // by key: the current one
  std::vector<TxnId> written_by_;  // by key: the last reader so far that wrote it before
  std::vector<std::vector<Value>> values_so_far_ =  // by key with initial contents: of versions
      std::vector<std::vector<Value>>(history_.key_count());
  std::vector<std::uint32_t> wrong_;
};

/// The place of a read of a row that was left out.
std::optional<std::uint32_t> left_out_at(const History& history,
                                         const SessionTest::Read& read) {
  const std::span<const Op> ops = history.ops(read.txn);
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind != OpKind::kReadAbsent || ops[i].key != read.key) continue;
    if (history.step(read.txn, i) == read.step) return history.first_op(read.txn) + i;
  }
  return std::nullopt;
}

std::vector<SessionWitness::Execution> executions_of(const Proof& proof,
                                                     const Observations& seen) {
  if (const auto* const each = std::get_if<SessionWitness>(&proof)) return each->executions;
  const Witness& witness = std::get<Witness>(proof);
  ISOLDE_CHECK(witness.mentions == 1);
  return {{sessions_in(seen), witness.order}};
}

}  // namespace

Pipeline::Reduced Pipeline::decide_without_rows(Level level,
                                                std::span<const std::uint32_t> kept) {
  if (!budget_.spend(history_.op_count())) {
    return {{level, Verdict::kUnknown, budget_.reason(), 0}, std::nullopt};
  }
  std::vector<std::uint32_t> numbers;
  std::vector<KeyId> stands_for;
  const bool disregards = disregards_left_out_rows(info(level).base);
  const History history = disregards ? history_.with_replaced_rows(kept, numbers, stands_for)
                                     : history_.without_absent_reads(kept, numbers);
  CheckOptions options = options_;
  options.levels = {level};
  const Extract extract = kept.empty() || disregards ? Extract::kFewRows : Extract::kOpenRows;
  CheckReport report = check_extract(history, extract, options, budget_).report;
  // Which transactions took effect, and so what holds of sessions, may differ there.
  verdicts_.statistics().add_work(report.statistics);
  verdicts_.count_included(report.statistics.included_txns);
  Reduced reduced{report.levels[0], std::nullopt};
  const Verdict verdict = reduced.level.verdict;
  if (verdict == Verdict::kHolds || verdict == Verdict::kViolated) {
    reduced.proof = std::move(report.proofs[reduced.level.proof]);
    Renumbering(history, numbers, history_.key_count(), stands_for).apply(*reduced.proof);
  }
  return reduced;
}

void Pipeline::decide_items(std::size_t i) {
  const LevelInfo& level = verdicts_.row(i);
  std::vector<std::uint32_t> kept;  // of rows that matched at the start
  while (true) {
    Reduced reduced = decide_without_rows(level.level, kept);
    if (!reduced.proof) return verdicts_.leave_undecided(i, reduced.level.reason);
    auto* const witness = std::get_if<Witness>(&*reduced.proof);
    std::vector<std::uint32_t> wrong;
    if (witness != nullptr) {
      wrong =
          LeftOutAlong(history_, LeftOutAlong::Asks::kReplaced, budget_).run(*witness, kept);
      if (budget_.exhausted()) return;
    }
    if (wrong.empty()) {
      // What the items of an aggregate read counts, but not what they missed.
      if (verdicts_.has_results() && proves_holding(*reduced.proof) &&
          !has_items_read(level, *reduced.proof)) {
        return settle_impossible_or_leave(i);
      }
      const std::size_t at = verdicts_.add(explained(std::move(*reduced.proof)));
      return verdicts_.close(i, reduced.level.verdict, at);
    }
    if (history_.origin().truncated) {
      return verdicts_.leave_undecided(i, why_cut_off(wrong.front()));
    }
    std::vector<std::uint32_t> all;
    std::ranges::set_union(kept, wrong, std::back_inserter(all));
    kept = std::move(all);
  }
}

/// Of a row that matched at the start, and that nobody left otherwise, a finding about the
/// whole history says what there was.
Proof Pipeline::explained(Proof proof) {
  const auto* const finding = std::get_if<Finding>(&proof);
  if (finding == nullptr) return proof;
  // The reader's own write may be the only final one that fits.
  const bool is_of_row =
      finding->kind == FindingKind::kUnwrittenRead || finding->kind == FindingKind::kFutureRead;
  if (!is_of_row) return proof;
  if (!history_.ops(finding->txn)[finding->op].is_exclusion()) return proof;
  const auto known = infer::unexplained_row(history_, finding->txn, finding->op, budget_);
  return known ? Proof(*known) : proof;
}

std::string Pipeline::why_cut_off(std::uint32_t place) const {
  TxnId txn;
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    if (history_.first_op(TxnId::at(t)) <= place) txn = TxnId::at(t);
  }
  return infer::why_cut_off(history_, txn, history_.all_ops()[place]);
}

void Pipeline::decide_rows_when_needed() {
  if (!base::ways().rows_when_needed || !verdicts_.rows().left_out) return;
  verdicts_.in_turn([&](std::size_t i) {
    const LevelInfo& row = verdicts_.row(i);
    // Where time orders the transactions that use a key, each read of it says something.
    if (order_tells_sources(row.base) && !encoding(row, 0).real_time_by_key) {
      if (auto proof = decide_with_rows_that_matter(row))
        verdicts_.settle(i, std::move(*proof));
    }
  });
  decide_committed_rows();
  for (const Level level :
       {Level::kStrictSerializable, Level::kStrongSessionSnapshotIsolation}) {
    guess_with_rows_that_matter(info(level));
  }
  decide_session_rows_when_needed();
}

/// Where a read may come from any transaction that committed before, a row that was left out
/// may always be the unborn version: these reads say nothing, unless the row matched at the
/// start.
void Pipeline::decide_committed_rows() {
  if (verdicts_.has_results() || !base::ways().rows_when_needed) return;
  if (!budget_.spend(history_.op_count())) return;
  const bool may_be_unborn = std::ranges::all_of(history_.all_ops(), [&](const Op& op) {
    return op.kind != OpKind::kReadAbsent || history_.fits_initial(op);
  });
  if (!may_be_unborn) return;
  verdicts_.in_turn([&](std::size_t i) {
    const LevelInfo& row = verdicts_.row(i);
    if (!reads_bind_apart(row.base)) return;
    verdicts_.say("deciding without the rows that were left out", row);
    Reduced reduced = decide_without_rows(row.level, {});
    if (reduced.proof) verdicts_.settle(i, std::move(*reduced.proof));
  });
}

/// At the levels that grant each session an execution of its own. What writes follow reads
/// binds is the source of each read, which an order does not tell.
void Pipeline::decide_session_rows_when_needed() {
  if (verdicts_.has_results() || budget_.exhausted()) return;
  std::optional<Observations> seen;
  verdicts_.in_turn([&](std::size_t i) {
    const LevelTraits& level = traits(verdicts_.row(i).base);
    if (level.method != Method::kSessions || level.session.writes_follow_reads) return;
    if (!seen) seen = infer::observe_open(history_, budget_);
    if (budget_.exhausted() || seen->finding() || !seen->ambiguity().empty()) return;
    verdicts_.note_open_reads(!seen->open_reads().empty());
    decide_session_rows_when_needed(*seen, i);
  });
}

void Pipeline::decide_session_rows_when_needed(const Observations& seen, std::size_t i) {
  const LevelInfo& row = verdicts_.row(i);
  SessionTest test(seen, row.base);
  for (int round = 0; round < kMostRounds && !budget_.exhausted(); ++round) {
    verdicts_.say("deciding with the rows that matter", row);
    Reduced reduced = decide_without_rows(row.level, rows_that_count_);
    if (!reduced.proof) return;
    if (!proves_holding(*reduced.proof)) return verdicts_.settle(i, std::move(*reduced.proof));
    std::set<std::uint32_t> wrong;
    bool is_right = true;
    for (const SessionWitness::Execution& each : executions_of(*reduced.proof, seen)) {
      const auto reads = test.in_the_way(each.order, each.sessions, budget_);
      if (!reads) return;
      for (const SessionTest::Read& read : *reads) {
        is_right = false;
        if (const auto place = left_out_at(history_, read)) wrong.insert(*place);
      }
    }
    if (is_right) return verdicts_.settle(i, std::move(*reduced.proof));
    if (!count_rows({wrong.begin(), wrong.end()})) return;
  }
}

/// A proof about the whole history, if one is found.
std::optional<Proof> Pipeline::decide_with_rows_that_matter(const LevelInfo& row) {
  // Levels whose tests are about sources may follow from this one's proof.
  bool names_sources = false;
  verdicts_.for_each_open([&](std::size_t other) {
    const BaseLevel base = verdicts_.row(other).base;
    names_sources = names_sources || !order_tells_sources(base);
  });
  using Asks = LeftOutAlong::Asks;
  const Asks asks = names_sources ? Asks::kSources : Asks::kState;
  for (int round = 0; round < kMostRounds && !budget_.exhausted(); ++round) {
    verdicts_.say("deciding with the rows that matter", row);
    Reduced reduced = decide_without_rows(row.level, rows_that_count_);
    if (!reduced.proof) return std::nullopt;
    auto* const witness = std::get_if<Witness>(&*reduced.proof);
    if (witness == nullptr) return std::move(reduced.proof);
    const std::vector<std::uint32_t> wrong =
        LeftOutAlong(history_, asks, budget_).run(*witness, rows_that_count_);
    const std::vector<WrongResult> results =
        verdicts_.has_results() ? wrong_results(history_, row, *witness, budget_)
                                : std::vector<WrongResult>();
    if (budget_.exhausted()) return std::nullopt;
    if (wrong.empty() && results.empty()) return std::move(reduced.proof);
    const bool any_rows = count_rows(wrong);
    if (!count_results(results) && !any_rows) return std::nullopt;
  }
  return std::nullopt;
}

/// At weak levels the version behind each row that was left out counts, and there are many.
/// Most databases give more than was asked for: an order at a level that was not asked for is
/// found without them, and proves the weaker ones. That there is none proves nothing.
void Pipeline::guess_with_rows_that_matter(const LevelInfo& row) {
  const auto is_asked = [&](const LevelReport& each) { return each.level == row.level; };
  if (std::ranges::any_of(verdicts_.levels(), is_asked)) return;
  if (needs_times(row) && !history_.has_times()) return;
  bool helps = false;
  verdicts_.for_each_open([&](std::size_t i) {
    const LevelInfo& level = verdicts_.row(i);
    helps = helps ||
            (!order_tells_sources(level.base) && verdicts_.implies(row.level, level.level));
  });
  if (!helps) return;
  const std::uint64_t usual = kGuess + kGuessPerOp * history_.op_count();
  const base::Budget::Allowance allowance(
      budget_, (verdicts_.has_results() ? kGuessOfResults : 1) * usual);
  const base::Budget::Share share(
      budget_, (verdicts_.has_results() ? kTimeOfGuess : 1) * budget_.seconds_left());
  std::optional<Proof> proof = decide_with_rows_that_matter(row);
  if (!proof || !std::holds_alternative<Witness>(*proof)) return;
  const std::size_t at = verdicts_.add(std::move(*proof));
  verdicts_.share_witness(row, at);
  if (verdicts_.has_results()) share_by_implication(row, at);
}

/// Where executions do not tell what aggregates saw, the level follows from the order at the
/// one that was not asked for, and no proof of its own says so.
void Pipeline::share_by_implication(const LevelInfo& proved, std::size_t at) {
  std::optional<std::size_t> implication;
  verdicts_.for_each_open([&](std::size_t i) {
    const LevelInfo& level = verdicts_.row(i);
    if (verdicts_.is_about_other_reads(i) || goes_by_database_times(level.base)) return;
    if (!verdicts_.implies(proved.level, level.level)) {
      return;
    }
    if (!implication) {
      auto witness = std::get<Witness>(verdicts_.proof(at));
      implication = verdicts_.add(Implication{proved.level, std::move(witness)});
    }
    verdicts_.close(i, Verdict::kHolds, *implication);
  });
}

}  // namespace isolde::checker
