#include "minimize/survey.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "check/check.hpp"
#include "minimize/restriction.hpp"

namespace isolde::minimize {
namespace {

bool is_read(const History& history, const Op& op) {
  return !op.is_write() && (op.kind != OpKind::kReadUnknown || history.is_refused_insert(op));
}

/// Leaves out the transaction's reads of these keys, and selections about them. False when
/// there are none.
bool leave_out_reads(const History& history, TxnId txn, const std::set<std::string>& keys,
                     Choice& choice) {
  const std::span<const Op> ops = history.ops(txn);
  bool any = false;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (!is_read(history, ops[i]) ||
        !keys.contains(history.json(history.key_name(ops[i].key)))) {
      continue;
    }
    const Selection* const selection = history.selection_of(txn, i);
    const std::uint32_t begin = selection == nullptr ? i : selection->first;
    const std::uint32_t end = selection == nullptr ? i + 1 : selection->end();
    for (std::uint32_t op = begin; op < end; ++op) choice.ops[history.first_op(txn) + op] = 0;
    any = true;
  }
  return any;
}

/// Leaves out what the violation needs: its reads, or, without any (when session order and time
/// contradict each other), one of its transactions.
void leave_out(const History& history, const Minimized& violation, Choice& choice) {
  bool any = false;
  for (std::size_t t = 0; t < violation.history.txn_count(); ++t) {
    std::set<std::string> keys;
    for (const Op& op : violation.history.ops(TxnId::at(t))) {
      if (!is_read(violation.history, op)) continue;
      keys.insert(violation.history.json(violation.history.key_name(op.key)));
    }
    any = leave_out_reads(history, violation.origin[t], keys, choice) || any;
  }
  if (!any) choice.txns[violation.origin.back().raw()] = 0;
}

class Surveyor {
 public:
  Surveyor(const History& whole, const Certificate& certificate, const MinimizeOptions& options,
           base::Budget& budget)
      : whole_(whole), left_(whole), proof_(certificate), options_(options), budget_(budget) {}

  Result<Survey> run(std::size_t limit) {
    while (true) {
      if (Status added = add(); !added) return added.error();
      if (budget_.exhausted()) {
        survey_.reason = budget_.reason();
        break;
      }
      if (survey_.violations.size() >= limit) {
        survey_.reason = "the limit of " + std::to_string(limit) + " was reached";
        break;
      }
      leave_out(whole_, survey_.violations.back(), left_);
      if (!find_next()) break;
    }
    return std::move(survey_);
  }

 private:
  /// The violation that the proof is about.
  Status add() {
    const History& history = part_ ? part_->history : whole_;
    MinimizeOptions options = options_;
    options.keep_argument = false;  // fewer reads hide fewer other violations
    Result<Minimized> made = minimize(history, proof_, options, budget_);
    if (!made) return made.error();
    if (part_) {
      for (TxnId& txn : made->origin) txn = part_->txns[txn.raw()];
    }
    // Otherwise it is not known well enough to tell it from others.
    if (!budget_.exhausted()) survey_.violations.push_back(std::move(*made));
    return ok_status();
  }

  bool find_next() {
    if (options_.progress) {
      options_.progress("looking for more violations, " +
                        std::to_string(survey_.violations.size()) + " so far");
    }
    part_ = restrict(whole_, left_);
    CheckOptions options;
    options.levels = {proof_.level};
    options.clock_error_ns = proof_.clock_error_ns;
    options.threads = options_.threads;
    CheckReport report = check(part_->history, options, budget_);
    const LevelReport& level = report.levels.at(0);
    if (level.verdict == Verdict::kViolated) {
      proof_.proof = std::move(report.proofs[level.proof]);
      return true;
    }
    survey_.is_complete = level.verdict != Verdict::kUnknown;
    if (!survey_.is_complete) survey_.reason = level.reason;
    return false;
  }

  const History& whole_;
  Choice left_;
  std::optional<Part> part_;  // none: the whole history
  Certificate proof_;         // about it
  const MinimizeOptions& options_;
  base::Budget& budget_;
  Survey survey_;
};

}  // namespace

Result<Survey> survey(const History& history, const Certificate& certificate, std::size_t limit,
                      const MinimizeOptions& options, base::Budget& budget) {
  return Surveyor(history, certificate.direct(), options, budget).run(limit);
}

}  // namespace isolde::minimize
