// Goal: what explanations make of a proof still proves the violation, and says nothing that the
// history contradicts. Method: random histories of all kinds, the engine's refutations and
// findings at all levels. Simplified proofs go through the verifier, and so do the steps that
// are told, as data; then the text is read back, and each sentence is held against the history.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "explain/closing.hpp"
#include "explain/narrate.hpp"
#include "explain/report_github.hpp"
#include "explain/report_sarif.hpp"
#include "explain/scenario.hpp"
#include "explain/simplify.hpp"
#include "explain/supply.hpp"
#include "history/current_reads.hpp"
#include "prop/argument_check.hpp"
#include "prop/prose_check.hpp"
#include "support/added_notes.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using explain::Scenario;
using explain::ScenarioEdge;
using explain::ScenarioStep;

support::PlainHistory random_case(base::Rng& rng) {
  support::RandomHistoryOptions options = support::random_options(rng);
  if (rng.below(4) == 0) options = support::random_selection_options(rng, rng.chance(0.5));
  if (rng.below(4) == 0) options.delete_share = 0.4;
  if (rng.below(3) == 0) options = support::random_row_options(rng);
  if (rng.below(5) == 0) options.duplicate_share = 0.3;
  options.txn_count += rng.below(4);
  return support::random_history(rng, options);
}

std::uint64_t circles_told = 0;
std::uint64_t alone_told = 0;  // cycles of one edge
std::uint64_t settled_first = 0;
std::uint64_t times_told = 0;    // in paths of causes
std::uint64_t causes_alone = 0;  // without a path

/// No transaction is said to come before itself, where there is less room than in a narrative.
std::string complaint_about_short_forms(const History& history, const Certificate& proof,
                                        const Scenario& scenario) {
  explain::ReportModel model{history, {}, {}, {proof.level}, {}};
  model.levels = {{proof.level, Verdict::kViolated, "", {}, scenario}};
  explain::SarifReport sarif("1");
  sarif.add(model);
  const std::string text = explain::to_annotations(model) + sarif.text();
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const std::string name = history.txn_name(TxnId::at(t));
    const std::string itself = name + " < " + name;
    for (std::size_t at = text.find(itself); at != std::string::npos;
         at = text.find(itself, at + 1)) {
      const bool is_whole =
          std::isalnum(static_cast<unsigned char>(text[at + itself.size()])) == 0;
      if (is_whole) return "before itself: " + text;
    }
  }
  for (const ScenarioStep& step : scenario.steps) {
    alone_told += step.cycle.size() == 1 ? 1 : 0;
  }
  return {};
}

std::string complaint_about(const History& history, const Certificate& proof) {
  if (!certify::verify(history, proof).proves) return "the engine's proof does not stand";
  const auto& refutation = std::get<Refutation>(proof.proof);
  Certificate simple = proof;
  simple.proof =
      explain::simplified(explain::Writers(history), info(proof.level).base, refutation);
  const certify::VerifyResult result = certify::verify(history, simple);
  if (!result.proves) return "the simplified proof does not stand: " + result.reason;
  const auto& steps = std::get<Refutation>(simple.proof).steps;
  if (steps.size() > refutation.steps.size()) return "the simplified proof is longer";
  if (const auto turned = explain::settled_first(explain::Writers(history),
                                                 info(proof.level).base, refutation)) {
    simple.proof = *turned;
    const certify::VerifyResult stands = certify::verify(history, simple);
    if (!stands.proves) return "what begins with what is settled is no proof: " + stands.reason;
    ++settled_first;
  }
  const Scenario scenario = explain::make_scenario(history, proof);
  const std::string text = explain::narrate(history, scenario, {});
  std::string wrong = complaint_about_argument(history, proof, scenario);
  if (wrong.empty()) wrong = complaint_about_narrative(history, scenario, text);
  if (wrong.empty()) wrong = complaint_about_short_forms(history, proof, scenario);
  const TxnNames names = own_names(history);
  for (const ScenarioStep& step : scenario.steps) {
    for (const ScenarioEdge& edge : step.cycle) {
      if (!wrong.empty()) break;
      wrong = complaint_about_reason(history, names, edge, edge.because);
      const auto at = edge.because.find(" is among the causes of ");
      if (at == std::string::npos) continue;
      times_told += edge.because.find(" started after ", at) == std::string::npos ? 0 : 1;
      if (edge.because.find(':', at) != std::string::npos) continue;
      ++causes_alone;
      // Whatever binds is told, where nothing need be supposed.
      if (!edge.supposed && wrong.empty()) wrong = "causes without a path: " + edge.because;
    }
  }
  explain::Names called(history);
  const std::string closing = explain::closing_text(history, called, scenario);
  circles_told += closing.starts_with("So ") ? 1 : 0;
  if (wrong.empty()) wrong = complaint_about_closing(history, names, closing);
  return wrong.empty() ? wrong : wrong + "\n" + text;
}

std::string complaint_about_read(const History& history, const Certificate& proof) {
  // What is told of refused inserts is what they are where they count.
  const History shown = history::with_all_current_reads(history);
  const Scenario scenario = explain::make_scenario(shown, proof);
  const std::string text = explain::narrate(history, scenario, {});
  std::string wrong = complaint_about_narrative(shown, scenario, text);
  const std::string head = std::string(scenario.anomaly.name) + ": ";
  if (wrong.empty() && !scenario.statement.starts_with(head)) wrong = "no name";
  if (wrong.empty()) {
    wrong = complaint_about_finding(shown, own_names(history), *scenario.finding,
                                    scenario.statement.substr(head.size()));
  }
  return wrong.empty() ? wrong : wrong + "\n" + text;
}

TEST(SimplifiedProofs, StandAndAreTrue) {
  const std::uint64_t seed = support::run_seed();
  const std::uint64_t cases = support::case_count(8'000);
  std::uint64_t refutations = 0;
  std::uint64_t shorter = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(base::mix2(seed, i));
    const History history = support::build(random_case(rng));
    base::Budget budget(0, 0);
    const CheckReport report = check(history, {}, budget);
    for (const LevelReport& level : report.levels) {
      if (level.verdict != Verdict::kViolated) continue;
      const Certificate proof{level.level, history.digest(), 0, report.proofs[level.proof]};
      const auto* refutation = std::get_if<Refutation>(&proof.proof);
      const bool finding = std::holds_alternative<Finding>(proof.proof);
      if (refutation == nullptr && !finding) continue;
      refutations += finding ? 0 : 1;
      const std::string complaint =
          finding ? complaint_about_read(history, proof) : complaint_about(history, proof);
      ASSERT_EQ(complaint, "") << "seed " << seed << " case " << i << " at "
                               << info(level.level).name << "\n"
                               << support::to_text(support::to_plain(history));
      if (finding) continue;
      if (explain::simplified(explain::Writers(history), info(level.level).base, *refutation)
              .steps.size() < refutation->steps.size()) {
        ++shorter;
      }
    }
  }
  EXPECT_GT(refutations, cases / 10);
  EXPECT_GT(shorter, cases / 1000);
  EXPECT_GT(circles_told, cases / 20);
  EXPECT_GT(alone_told, cases / 100);
  EXPECT_GE(settled_first, cases / 1000);
  EXPECT_GE(times_told, cases / 1000);
  std::cout << settled_first << " begun with what is settled, " << times_told
            << " paths through real time, " << causes_alone << " untold\n";
}

// Goal: the same of what a transaction's own reads contradict, refused inserts among them.
TEST(Contradictions, AreToldAsTheyAre) {
  const std::uint64_t seed = support::run_seed();
  const std::uint64_t cases = support::case_count(4'000);
  std::uint64_t told = 0, refused = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(base::mix2(seed, (std::uint64_t{91} << 32) + i));
    const support::PlainHistory plain = random_case(rng);
    const History history =
        support::with_added(support::build(plain), support::Added::kRefusals, rng);
    base::Budget budget(0, 0);
    const CheckReport report = check(history, {}, budget);
    for (const LevelReport& level : report.levels) {
      if (level.verdict != Verdict::kViolated) continue;
      const Proof& proof = report.proofs[level.proof];
      const auto* const finding = std::get_if<Finding>(&proof);
      if (finding == nullptr || finding->kind != FindingKind::kNonRepeatableRead) continue;
      ++told;
      for (const std::uint32_t op : {finding->op, finding->other_op}) {
        refused += history.is_refused_insert(history.ops(finding->txn)[op]) ? 1 : 0;
      }
      const std::string complaint =
          complaint_about_read(history, {level.level, history.digest(), 0, proof});
      ASSERT_EQ(complaint, "") << "seed " << seed << " case " << i << " at "
                               << info(level.level).name << "\n"
                               << support::to_text(plain);
    }
  }
  std::printf("%llu told, %llu refused inserts in them\n",
              static_cast<unsigned long long>(told), static_cast<unsigned long long>(refused));
  EXPECT_TRUE(support::met(told, 10, cases));
  EXPECT_TRUE(support::met(refused, 50, cases));
}

/// One register with few values, compare-and-sets and lost replies; some reads are wrong.
support::PlainHistory register_history(base::Rng& rng) {
  support::PlainHistory history;
  std::string value;
  const std::uint64_t overlap = 1 + rng.below(6);
  const std::size_t count = 5 + rng.below(40);
  const double wrong = rng.below(2) == 0 ? 0 : 0.1;
  for (std::size_t i = 0; i < count; ++i) {
    support::PlainTxn txn;
    txn.session = "s" + std::to_string(i);
    const auto point = static_cast<std::int64_t>(100 + i * 10);
    txn.times = {point - static_cast<std::int64_t>(rng.below(10 * overlap)),
                 point + static_cast<std::int64_t>(rng.below(10 * overlap))};
    const bool is_known = rng.below(8) != 0;
    if (!is_known) txn.status = TxnStatus::kIndeterminate;
    const std::uint64_t kind = rng.below(3);
    const std::string next = std::to_string(rng.below(4));
    const std::string seen = rng.chance(wrong) ? std::to_string(rng.below(4)) : value;
    if (kind != 0) txn.ops.push_back({OpKind::kRead, "x", seen, {}});
    if (kind != 1) txn.ops.push_back({OpKind::kWrite, "x", next, {}});
    if (kind != 1 && (is_known || rng.below(2) == 0)) value = next;
    history.push_back(std::move(txn));
  }
  return history;
}

// Goal: a read is called impossible only where it is. Method: registers whose values repeat,
// many of them linearizable by a verified proof.
TEST(Unsupplied, OnlyWhereNoOrderIsPossible) {
  const std::uint64_t seed = support::run_seed();
  const std::uint64_t cases = support::case_count(10'000);
  std::uint64_t held = 0, violated = 0, explained = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(base::mix2(seed, (std::uint64_t{90} << 32) + i));
    const support::PlainHistory plain = register_history(rng);
    const History history = support::build(plain);
    CheckOptions options;
    options.levels = {Level::kLinearizable};
    base::Budget budget;
    const CheckReport report = check(history, options, budget);
    const LevelReport& level = report.levels.at(0);
    const bool found = explain::find_unsupplied(history, KeyId::at(0)).has_value();
    ASSERT_TRUE(level.verdict == Verdict::kHolds || level.verdict == Verdict::kViolated);
    const Certificate proof{level.level, history.digest(), 0, report.proofs.at(level.proof)};
    ASSERT_TRUE(certify::verify(history, proof).proves);
    if (level.verdict == Verdict::kHolds) {
      ++held;
      ASSERT_FALSE(found) << "seed " << seed << " case " << i << "\n"
                          << support::to_text(plain);
    } else {
      ++violated;
      explained += found ? 1 : 0;
    }
  }
  std::printf("%llu held, %llu violated, %llu of them explained\n",
              static_cast<unsigned long long>(held), static_cast<unsigned long long>(violated),
              static_cast<unsigned long long>(explained));
  EXPECT_GT(held, cases / 10);
  EXPECT_GT(explained, violated / 10);
}

}  // namespace
}  // namespace isolde::prop
