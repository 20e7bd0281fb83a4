// Goal: linearizability is decided rightly where of some reads only is known what they did not
// return. Method: random histories of one register; small ones against the definition, tried
// out on all orders, longer ones against the complete search; every proof must convince the
// verifier.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "base/rng.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "isolde/history_builder.hpp"
#include "linear/key_search.hpp"
#include "linear/partial_reads.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

std::string text_of(const History& history) {
  std::string text;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    text += history.txn_name(txn) + ":";
    for (const Op& op : history.ops(txn)) text += " " + history.op_text(op);
    if (history.status(txn) == TxnStatus::kAborted) text += " !";
    if (history.status(txn) == TxnStatus::kIndeterminate) text += " ?";
    const TxnTimes times = history.times(txn);
    text += " @" + std::to_string(times.start) + "," + std::to_string(times.end) + "\n";
  }
  return text;
}

/// What the state is after the transaction, or false where its reads do not fit.
bool carry_out(const History& history, TxnId txn, Value& state) {
  for (const Op& op : history.ops(txn)) {
    if (op.kind == OpKind::kRead && op.value != state) return false;
    if (op.is_exclusion() && history.predicate(op).selects_value(state)) return false;
    if (op.kind == OpKind::kWrite) state = op.value;
  }
  return true;
}

/// Whether some order of what committed, and of some of what may have, explains all reads.
/// `done` and `state` say what is in the order already.
bool is_linearizable(const History& history, std::vector<bool>& done, Value state) {
  bool complete = true;
  std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (done[i] || history.status(TxnId::at(i)) != TxnStatus::kCommitted) continue;
    complete = false;
    first_end = std::min(first_end, history.times(TxnId::at(i)).end);
  }
  if (complete) return true;
  for (std::size_t i = 0; i < done.size(); ++i) {
    const TxnId next = TxnId::at(i);
    if (done[i] || history.status(next) == TxnStatus::kAborted) continue;
    if (history.times(next).start > first_end) continue;
    Value after = state;
    if (!carry_out(history, next, after)) continue;
    done[i] = true;
    const bool found = is_linearizable(history, done, after);
    done[i] = false;
    if (found) return true;
  }
  return false;
}

struct Shape {
  std::size_t count = 0;
  std::uint64_t overlap = 1;   // of intervals, in steps
  double repeated = 0;         // share of the writes that repeat a value
  double wrong = 0;            // share of the reads that are out of date
  double unknown_outcome = 0;  // share of the transactions
};

/// A register that works, seen by clients; some of what they see is wrong.
class Register {
 public:
  Register(base::Rng& rng, const Shape& shape) : rng_(rng), shape_(shape) {}

  History make() {
    key_ = builder_.key(builder_.string("x"));
    for (std::size_t i = 0; i < shape_.count; ++i) add(static_cast<std::int64_t>(i));
    return *builder_.finish();
  }

 private:
  void add(std::int64_t number) {
    const std::int64_t point = 1000 + number * 10;
    builder_.begin_txn(builder_.session("s" + std::to_string(number)));
    builder_.set_times({point - static_cast<std::int64_t>(rng_.below(10 * shape_.overlap)),
                        point + static_cast<std::int64_t>(rng_.below(10 * shape_.overlap))});
    const bool aborts = rng_.chance(0.03);
    const bool is_unknown = !aborts && rng_.chance(shape_.unknown_outcome);
    if (aborts) builder_.set_status(TxnStatus::kAborted);
    if (is_unknown) builder_.set_status(TxnStatus::kIndeterminate);
    const bool takes_effect = !aborts && (!is_unknown || rng_.chance(0.5));
    const Value before = state_;
    switch (rng_.below(8)) {
      case 0:
      case 1:
        read();
        break;
      case 2:  // compare-and-set
        read();
        write();
        break;
      case 3:
        exclude();
        write();
        if (rng_.chance(0.2)) exclude();
        break;
      case 4:
        write();
        break;
      default:
        exclude();
        if (rng_.chance(0.2)) exclude();
        if (rng_.chance(0.1)) read();
        break;
    }
    if (!takes_effect) state_ = before;
    if (takes_effect && state_ != before) states_.push_back(state_);
  }

  Value seen() {
    return rng_.chance(shape_.wrong) ? states_[rng_.below(states_.size())] : state_;
  }
  void read() { builder_.read(key_, seen()); }

  void write() {
    if (rng_.chance(shape_.repeated) && last_ > 0) {
      state_ = Value::integer(1 + static_cast<std::int64_t>(rng_.below(3)));
    } else {
      state_ = Value::integer(++last_);
    }
    builder_.write(key_, state_);
  }

  /// Of some value around, or of several; seldom of what is there.
  void exclude() {
    const Value found = seen();
    Predicate excluded;
    const std::int64_t first =
        std::max<std::int64_t>(1, last_ - static_cast<std::int64_t>(rng_.below(4))) +
        static_cast<std::int64_t>(rng_.below(2));
    if (rng_.chance(0.8)) {
      excluded.equal = Value::integer(first);
    } else {
      excluded.values =
          Predicate::Bounds{first, first + static_cast<std::int64_t>(rng_.below(3))};
    }
    if (PredicateView(excluded).selects_value(found)) return builder_.read(key_, found);
    builder_.read_except(key_, excluded);
  }

  base::Rng& rng_;
  const Shape shape_;
  HistoryBuilder builder_;
  KeyId key_;
  Value state_;
  std::vector<Value> states_ = {Value::null()};
  std::int64_t last_ = 0;
};

/// "holds" or "violated" with a proof that verifies, or what is wrong.
std::string proved(const History& history) {
  CheckOptions options;
  options.levels = {Level::kLinearizable};
  base::Budget budget;
  const CheckReport report = check(history, options, budget);
  const LevelReport& level = report.levels.at(0);
  if (level.verdict != Verdict::kHolds && level.verdict != Verdict::kViolated) {
    return std::string(name(level.verdict)) + ": " + level.reason;
  }
  const Certificate certificate{Level::kLinearizable, history.digest(), 0,
                                report.proofs.at(level.proof)};
  if (certificate.holds() != (level.verdict == Verdict::kHolds)) return "the opposite proof";
  const certify::VerifyResult result = certify::verify(history, certificate);
  return result.proves ? std::string(name(level.verdict)) : "not proved: " + result.reason;
}

Shape random_shape(base::Rng& rng, std::size_t count) {
  Shape shape;
  shape.count = count;
  shape.overlap = 1 + rng.below(6);
  shape.repeated = rng.chance(0.5) ? 0.5 : 0;
  shape.wrong = rng.chance(0.5) ? 0.4 : 0;
  shape.unknown_outcome = rng.chance(0.5) ? 0.3 : 0;
  return shape;
}

TEST(Exclusions, AgreeWithTheDefinition) {
  std::uint64_t held = 0, violated = 0;
  for (std::uint64_t i = 0; i < support::case_count(20'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{75} << 32) + i);
    base::Rng rng(seed);
    const Shape shape = random_shape(rng, 2 + rng.below(6));
    const History history = Register(rng, shape).make();
    std::vector<bool> done(history.txn_count(), false);
    const bool holds = is_linearizable(history, done, Value::null());
    ASSERT_EQ(proved(history), holds ? "holds" : "violated") << "seed " << seed << "\n"
                                                             << text_of(history);
    ++(holds ? held : violated);
  }
  EXPECT_GT(held, 0U);
  EXPECT_GT(violated, 0U);
  std::printf("%llu held, %llu violated\n", static_cast<unsigned long long>(held),
              static_cast<unsigned long long>(violated));
}

TEST(Exclusions, BothWaysToDecideARegisterAgree) {
  std::uint64_t held = 0, violated = 0;
  for (std::uint64_t i = 0; i < support::case_count(4'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{76} << 32) + i);
    base::Rng rng(seed);
    Shape shape = random_shape(rng, 2 + rng.below(60));
    shape.repeated = 0;
    shape.wrong = rng.chance(0.5) ? 0.05 : 0;
    const History history = Register(rng, shape).make();
    base::Budget budget;
    const checker::KeyTable table(history);
    const checker::KeySearchAnswer answer =
        checker::search_key(history, table.entries(KeyId::at(0)), 0, budget);
    if (answer.outcome == checker::KeySearchAnswer::Outcome::kStopped) continue;
    const bool holds = answer.outcome == checker::KeySearchAnswer::Outcome::kHolds;
    ASSERT_EQ(proved(history), holds ? "holds" : "violated") << "seed " << seed << "\n"
                                                             << text_of(history);
    ++(holds ? held : violated);
    if (holds) continue;
    const Certificate searched{Level::kLinearizable, history.digest(), 0,
                               KeyExhaustion{KeyId::at(0), answer.until}};
    const certify::VerifyResult result = certify::verify(history, searched);
    ASSERT_TRUE(result.proves) << result.reason << "\nseed " << seed << "\n"
                               << text_of(history);
  }
  EXPECT_GT(held, 0U);
  EXPECT_GT(violated, 0U);
  std::printf("%llu held, %llu violated\n", static_cast<unsigned long long>(held),
              static_cast<unsigned long long>(violated));
}

/// Of the committed transactions that use the key, in the order found: "1 0 2".
std::string placed(const History& history, std::vector<TxnId> order) {
  checker::RegisterOps all;
  const checker::KeyTable table(history);
  all.collect(history, table.entries(KeyId::at(0)), 0);
  if (!checker::place_partial_reads(history, all, order, 0)) return "no place";
  std::string text;
  for (const TxnId txn : order) text += (text.empty() ? "" : " ") + std::to_string(txn.raw());
  return text;
}

TEST(Exclusions, GoToTheEarliestPlace) {
  HistoryBuilder builder;
  const KeyId key = builder.key(builder.string("x"));
  const auto begin = [&](std::int64_t start, std::int64_t end) {
    builder.begin_txn(builder.session(std::to_string(start)));
    builder.set_times({start, end});
  };
  begin(10, 19);
  builder.write(key, Value::integer(1));
  begin(20, 39);
  builder.write(key, Value::integer(2));
  begin(22, 30);  // after the first write, not of its value
  builder.read_except(key, Value::integer(1));
  begin(31, 34);  // after that
  builder.read_except(key, Value::integer(7));
  begin(5, 40);  // anywhere
  builder.read_except(key, Value::integer(1));
  const History history = *builder.finish();
  EXPECT_EQ(placed(history, {TxnId(0), TxnId(1)}), "4 0 1 2 3");
  EXPECT_EQ(placed(history, {TxnId(1), TxnId(0)}), "no place");
}

/// What was known before must stay known: a proof of one history is held against another.
TEST(Exclusions, ProofsThatSurviveAChangeAreStillTrue) {
  std::uint64_t survived = 0, fell = 0;
  for (std::uint64_t i = 0; i < support::case_count(4'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{77} << 32) + i);
    base::Rng rng(seed);
    const Shape shape = random_shape(rng, 2 + rng.below(5));
    const std::uint64_t state = rng.next();
    base::Rng first(state), second(state);
    const History before = Register(first, shape).make();
    Shape other = shape;  // the same random numbers, read in another way
    other.wrong = 0.6;
    const History after = Register(second, other).make();
    if (after.digest() == before.digest()) continue;
    CheckOptions options;
    options.levels = {Level::kLinearizable};
    base::Budget budget;
    const CheckReport report = check(before, options, budget);
    if (report.proofs.empty()) continue;
    const Certificate certificate{Level::kLinearizable, after.digest(), 0,
                                  report.proofs.at(report.levels.at(0).proof)};
    const bool stands = certify::verify(after, certificate).proves;
    ++(stands ? survived : fell);
    if (!stands) continue;
    std::vector<bool> done(after.txn_count(), false);
    ASSERT_EQ(certificate.holds(), is_linearizable(after, done, Value::null()))
        << "seed " << seed << "\n"
        << text_of(before) << "verifies also for\n"
        << text_of(after);
  }
  EXPECT_GT(survived, 0U);
  EXPECT_GT(fell, 0U);
}

}  // namespace
}  // namespace isolde::prop
