#include "minimize/minimize.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "certify/verify.hpp"
#include "check/check.hpp"
#include "explain/core.hpp"
#include "history/current_reads.hpp"
#include "history/level_names.hpp"
#include "level/level_traits.hpp"
#include "minimize/between.hpp"
#include "minimize/contradiction.hpp"
#include "minimize/neighbours.hpp"
#include "minimize/restriction.hpp"

namespace isolde::minimize {
namespace {

/// A run of operations that are left out together: one, or those of a selection.
struct Unit {
  std::size_t begin = 0;  ///< among all operations of the history
  std::size_t end = 0;
};

constexpr std::string_view kMinimisedFor = "minimised for ";

/// Notes for readers of a part.
std::vector<std::string> notes(const History& whole, Level level, const Part& part) {
  std::vector<std::string> lines = {std::string(kMinimisedFor) + std::string(info(level).name) +
                                    ": " + std::to_string(part.history.txn_count()) + " of " +
                                    std::to_string(whole.txn_count()) +
                                    " transactions, each with a part of its operations"};
  if (part.lists_are_shorter) {
    lines.emplace_back("lists are without the elements whose appends were left out");
  }
  if (part.rows_are_missing) {
    lines.emplace_back("selections are without the rows whose writes were left out");
  }
  return lines;
}

std::vector<Unit> units_of(const History& history) {
  std::vector<Unit> units;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const std::size_t first = history.first_op(txn);
    const std::size_t end = first + history.ops(txn).size();
    for (std::size_t at = first; at < end;) {
      const Selection* const selection = history.selection_of(txn, at - first);
      units.push_back({at, selection == nullptr ? at + 1 : first + selection->end()});
      at = units.back().end;
    }
  }
  return units;
}

Choice only(const History& history, const std::vector<TxnId>& txns) {
  Choice choice(history);
  std::fill(choice.txns.begin(), choice.txns.end(), std::uint8_t{0});
  for (const TxnId txn : txns) choice.txns[txn.raw()] = 1;
  return choice;
}

/// Work limit of one check: far more than a successful check of a part takes, and independent
/// of the machine.
constexpr std::uint64_t kTicks = 100'000'000;
constexpr std::uint64_t kTicksPerOp = 1000;

class Minimizer {
 public:
  Minimizer(const History& whole, const Certificate& certificate,
            const MinimizeOptions& options, base::Budget& budget)
      : whole_(whole), proof_(certificate), options_(options), budget_(budget) {
    check_options_.levels = {certificate.level};
    check_options_.clock_error_ns = certificate.clock_error_ns;
  }

  /// Starts from a part. None when that does not violate the level.
  Result<std::optional<Minimized>> run_from(const Choice& choice) {
    if (!take(choice)) return std::optional<Minimized>();
    follow_proof();
    reduce();
    Result<Minimized> made = finish();
    if (!made) return made.error();
    return std::optional(std::move(made).value());
  }

  Result<Minimized> run() {
    if (take_contradiction()) return finish();
    follow_proof();
    reduce();
    if (options_.keep_argument) simplify();
    take_contradiction();
    return finish();
  }

 private:
  void reduce() {
    bool changed = true;
    while (changed && !budget_.exhausted()) {
      is_undecided_ = false;
      changed = leave_out(&Minimizer::txn_count, &Minimizer::without_txns);
      changed = leave_out(&Minimizer::unit_count, &Minimizer::without_units) || changed;
    }
  }

  /// The same transactions again, this time with operations that shorten the argument: a read
  /// that was left out may have shown who wrote first.
  void simplify() {
    if (!part_ || budget_.exhausted() || argument_steps(proof_) <= 1) return;
    const Choice choice = only(whole_, part_->txns);
    Part smallest = *std::exchange(part_, std::nullopt);
    const Certificate proof = proof_;
    const bool was_undecided = is_undecided_;
    if (take(choice)) {
      keeps_argument_ = true;
      reduce();
      keeps_argument_ = false;
    }
    const auto size = [](const History& history, const Certificate& argument) {
      return std::pair(history.txn_count(), argument_steps(argument));
    };
    const bool is_better =
        part_ && size(part_->history, proof_) < size(smallest.history, proof);
    if (is_better && !budget_.exhausted()) return;
    part_ = std::move(smallest);
    proof_ = proof;
    is_undecided_ = was_undecided;
  }

  const History& current() const { return part_ ? part_->history : whole_; }

  /// A proof that the history violates the level, if one is found.
  std::optional<Certificate> violation(const History& history) {
    ++checks_;
    constexpr std::size_t kWorthThreads = 50000;  // operations: some milliseconds of work
    check_options_.threads = history.op_count() < kWorthThreads ? 1 : options_.threads;
    const base::Budget::Allowance allowance(budget_, kTicks + kTicksPerOp * history.op_count());
    CheckReport report = check(history, check_options_, budget_);
    const LevelReport& level = report.levels.at(0);
    if (level.verdict == Verdict::kUnknown && is_last_ && !is_undecided_) {
      is_undecided_ = true;
      why_undecided_ = level.reason;
    }
    if (level.verdict != Verdict::kViolated) return std::nullopt;
    return Certificate{level.level, 0, check_options_.clock_error_ns,
                       std::move(report.proofs[level.proof]), history.trusts_versions()};
  }

  /// Continues with the chosen part when it violates the level.
  bool take(const Choice& choice) {
    if (!budget_.look()) return false;
    const RealTime time = RealTime::of(proof_.level, proof_.clock_error_ns);
    Part part = restrict(current(), choice, time);
    std::optional<Certificate> proof = violation(part.history);
    if (!proof) return false;
    const bool as_many = part.history.txn_count() == current().txn_count();
    if (keeps_argument_ && as_many && argument_steps(*proof) > argument_steps(proof_)) {
      return false;
    }
    continue_with(std::move(part), std::move(*proof));
    return true;
  }

  void continue_with(Part part, Certificate proof) {
    if (part_) {
      for (TxnId& txn : part.txns) txn = part_->txns[txn.raw()];
      part.lists_are_shorter = part.lists_are_shorter || part_->lists_are_shorter;
      part.rows_are_missing = part.rows_are_missing || part_->rows_are_missing;
    }
    part_ = std::move(part);
    proof_ = std::move(proof);
  }

  /// Continues with two reads that contradict each other, if those are the proof, and as long
  /// as both are needed. Nothing may be left out of that.
  bool take_contradiction() {
    if (options_.skip_proofs || !std::holds_alternative<Finding>(proof_.proof)) return false;
    if (!budget_.look()) return false;
    const std::optional<Choice> choice =
        contradiction_alone(history::as_read_at(current(), proof_.level), proof_);
    if (!choice) return false;
    Part part = restrict(current(), *choice);
    std::optional<Certificate> proof = violation(part.history);
    if (!proof) return false;
    const auto* const finding = std::get_if<Finding>(&proof->proof);
    const auto* const known = std::get_if<Finding>(&proof_.proof);
    if (finding == nullptr || finding->kind != known->kind ||
        part.txns[finding->txn.raw()] != known->txn || has_spare(part.history)) {
      return false;
    }
    continue_with(std::move(part), std::move(*proof));
    is_undecided_ = false;
    return true;
  }

  /// Reduces the current part to what its proof needs, as long as that helps.
  void follow_proof() {
    bool smaller = !options_.skip_proofs;
    while (smaller && !budget_.exhausted()) {
      say("cutting");
      smaller = take_neighbours();
    }
  }

  /// Whether something can be left out of the history, which is small. Then there is another
  /// violation in it, which need not be one of the whole.
  bool has_spare(const History& history) {
    const RealTime time = RealTime::of(proof_.level, proof_.clock_error_ns);
    std::vector<Choice> smaller;
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      smaller.emplace_back(history).txns[t] = 0;
    }
    for (const Unit& unit : units_of(history)) {
      Choice& choice = smaller.emplace_back(history);
      for (std::size_t op = unit.begin; op < unit.end; ++op) choice.ops[op] = 0;
    }
    return std::ranges::any_of(smaller, [&](const Choice& choice) {
      return violation(restrict(history, choice, time).history).has_value();
    });
  }

  bool take_neighbours() {
    std::optional<History> reading;
    if (current().has_refused_inserts()) {
      reading = history::as_read_at(current(), proof_.level);
    }
    const History& history = reading ? *reading : current();
    const auto* const refutation = std::get_if<Refutation>(&proof_.proof);
    const SessionId session = refutation == nullptr ? SessionId() : refutation->session;
    std::vector<TxnId> txns = named_txns(history, proof_);
    const std::vector<TxnId> causes = causes_of_views(history, proof_, budget_);
    txns.insert(txns.end(), causes.begin(), causes.end());
    for (const Reach reach : {Reach::kReaders, Reach::kSources, Reach::kSources, Reach::kAll}) {
      txns = widened(history, txns, session, reach);
      if (txns.size() >= history.txn_count()) return false;
      if (take(only(history, txns))) return true;
    }
    return false;
  }

  std::size_t txn_count() const { return current().txn_count(); }
  Choice without_txns(std::size_t begin, std::size_t end) const {
    Choice choice(current());
    for (std::size_t t = begin; t < end; ++t) choice.txns[t] = 0;
    return choice;
  }

  std::size_t unit_count() const { return units_of(current()).size(); }
  Choice without_units(std::size_t begin, std::size_t end) const {
    Choice choice(current());
    const std::vector<Unit> units = units_of(current());
    for (std::size_t u = begin; u < end; ++u) {
      for (std::size_t op = units[u].begin; op < units[u].end; ++op) choice.ops[op] = 0;
    }
    return choice;
  }

  using Count = std::size_t (Minimizer::*)() const;
  using Without = Choice (Minimizer::*)(std::size_t, std::size_t) const;

  /// Leaves out ever shorter runs of numbered things, until no single one can be. True when
  /// something was left out.
  bool leave_out(Count count, Without without) {
    bool any = false;
    std::size_t run = std::bit_floor((this->*count)());
    while (run > 0 && !budget_.exhausted()) {
      is_last_ = run == 1;
      const bool changed = leave_out_runs(run, count, without);
      is_last_ = false;
      any = any || changed;
      if (run == 1 && changed) continue;
      run /= 2;
    }
    return any;
  }

  bool leave_out_runs(std::size_t run, Count count, Without without) {
    bool any = false;
    for (std::size_t begin = 0; begin < (this->*count)();) {
      if (budget_.exhausted()) break;
      say("minimising");
      const std::size_t end = std::min(begin + run, (this->*count)());
      if (!take((this->*without)(begin, end))) {
        begin = end;
        continue;
      }
      any = true;
      const std::size_t before = current().txn_count();
      follow_proof();
      if (current().txn_count() < before) return true;
    }
    return any;
  }

  void say(std::string_view work) const {
    if (!options_.progress) return;
    options_.progress(std::string(work) + ", " + std::to_string(current().txn_count()) +
                      " transactions left");
  }

  Result<Minimized> finish() {
    Minimized result;
    result.is_minimal = !budget_.exhausted() && !is_undecided_;
    if (budget_.exhausted()) {
      result.reason = budget_.reason();
    } else if (is_undecided_) {
      result.reason = "a smaller part could not be decided";
      if (!why_undecided_.empty()) result.reason += ": " + why_undecided_;
    }
    if (!part_) {
      part_ = Part{whole_, {}, false, false};
      for (std::size_t t = 0; t < whole_.txn_count(); ++t) part_->txns.push_back(TxnId::at(t));
    } else {
      // The same once more, with notes: numbers of transactions and operations stay.
      part_->history = restrict(part_->history, Choice(part_->history), {},
                                notes(whole_, proof_.level, *part_))
                           .history;
    }
    result.history = std::move(part_->history);
    result.origin = std::move(part_->txns);
    result.certificate = std::move(proof_);
    result.certificate.history_digest = result.history.digest();
    result.checks = checks_;
    const certify::VerifyResult verified = certify::verify(result.history, result.certificate);
    if (verified.proves) return result;
    return Error{ErrorCode::kInternal,
                 "the verifier rejects the proof of the reduced history: " + verified.reason};
  }

  const History& whole_;
  std::optional<Part> part_;  // none: the whole history
  Certificate proof_;         // about the current history
  const MinimizeOptions& options_;
  base::Budget& budget_;
  CheckOptions check_options_;
  std::uint64_t checks_ = 0;
  bool keeps_argument_ = false;  // operations that shorten the argument stay
  bool is_last_ = false;         // single transactions or operations are being left out
  bool is_undecided_ = false;    // and some part was not decided then
  std::string why_undecided_;
};

}  // namespace

std::size_t argument_steps(const Certificate& proof) {
  if (std::holds_alternative<KeyExhaustion>(proof.proof)) {
    return std::numeric_limits<std::size_t>::max();
  }
  const auto* const refutation = std::get_if<Refutation>(&proof.proof);
  return refutation == nullptr ? 1 : explain::proof_core(*refutation).size();
}

Result<Minimized> minimize(const History& history, const Certificate& certificate,
                           const MinimizeOptions& options, base::Budget& budget) {
  // Without a deletion, the write that came behind it may be a violation that the whole has
  // not.
  if (history.origin().rows_are_deleted &&
      checker::lets_insert_again(info(certificate.level).base)) {
    return Error{
        ErrorCode::kUsage,
        "a history with deletions cannot be made smaller at this level: whoever wrote a "
        "row again need not have seen that it was deleted, so each deletion counts"};
  }
  return Minimizer(history, certificate.direct(), options, budget).run();
}

namespace {

/// The part with all operations of its transactions, where its proof, a cycle, also proves
/// that: so that no transaction seems to have done less than it did.
std::optional<Minimized> with_all_operations(const History& whole, const Minimized& part) {
  const Certificate& proof = part.certificate;
  const auto* const refutation = std::get_if<Refutation>(&proof.proof);
  if (refutation == nullptr || refutation->steps.size() != 1) return std::nullopt;
  const Choice all = only(whole, part.origin);
  const RealTime time = RealTime::of(proof.level, proof.clock_error_ns);
  Part full = restrict(whole, all, time);
  if (full.txns != part.origin) return std::nullopt;
  full = restrict(whole, all, time, notes(whole, proof.level, full));
  const auto name = [](const History& history, KeyId key) { return history.text(key); };
  std::map<std::string, KeyId> keys;
  for (std::size_t k = 0; k < full.history.key_count(); ++k) {
    keys.emplace(name(full.history, KeyId::at(k)), KeyId::at(k));
  }
  Refutation same = *refutation;
  for (Edge& edge : same.steps[0].cycle) {
    if (edge.key.is_none()) continue;
    const auto found = keys.find(name(part.history, edge.key));
    if (found == keys.end()) return std::nullopt;
    edge.key = found->second;
  }
  Minimized result = part;
  result.history = std::move(full.history);
  result.is_minimal = false;
  result.reason = "its transactions have operations that the argument does not need";
  result.certificate.proof = std::move(same);
  result.certificate.history_digest = result.history.digest();
  if (!certify::verify(result.history, result.certificate).proves) return std::nullopt;
  return result;
}

}  // namespace

Result<std::optional<Minimized>> with_writers_between(const History& history,
                                                      const Minimized& made,
                                                      const MinimizeOptions& options,
                                                      base::Budget& budget) {
  const std::vector<Skipping> edges =
      skipping_edges(history, made.history, made.origin, made.certificate);
  if (edges.empty()) return std::optional<Minimized>();
  std::vector<TxnId> txns = made.origin;
  for (const Skipping& edge : edges) txns.push_back(edge.between);
  Choice choice = only(history, txns);
  for (const Skipping& edge : edges) {
    const std::span<const Op> ops = history.ops(edge.writer);
    for (std::size_t op = 0; op < ops.size(); ++op) {
      const bool writes = ops[op].kind == OpKind::kWrite || ops[op].kind == OpKind::kAppend;
      if (writes && ops[op].key == edge.key) choice.ops[history.first_op(edge.writer) + op] = 0;
    }
  }
  Result<std::optional<Minimized>> longer =
      Minimizer(history, made.certificate, options, budget).run_from(choice);
  if (!longer || !*longer) return longer;
  const auto has_one = [&](const Skipping& edge) {
    return std::ranges::find((*longer)->origin, edge.between) != (*longer)->origin.end();
  };
  if (!std::ranges::any_of(edges, has_one)) return std::optional<Minimized>();
  if (auto full = with_all_operations(history, **longer)) return full;
  return longer;
}

std::optional<Level> minimised_for(const History& history) {
  for (const std::string_view note : history.origin().notes) {
    if (!note.starts_with(kMinimisedFor)) continue;
    const std::string_view level = note.substr(kMinimisedFor.size());
    return history::level_written(level.substr(0, level.find(':')));
  }
  return std::nullopt;
}

}  // namespace isolde::minimize
