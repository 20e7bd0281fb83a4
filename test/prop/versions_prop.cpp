// Goal: versions that the database tells are a hint, and with trust they are the sources.
// Method: random histories in which each write of a key has a value of its own are the truth.
// From each of them comes a history in which values repeat and versions tell what the unique
// values told. With its versions trusted it must be classified as the oracle classifies the
// truth. Without, it must be classified as without versions, whatever these say.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "certify/certificate_io.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "history/copier.hpp"
#include "isolde/history_builder.hpp"
#include "oracle/brute.hpp"
#include "support/applies.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

enum class Told : std::uint8_t {
  kNothing,
  kTruth,  ///< but for what follows from the rest
  kLies,   ///< the versions of other operations on the key, too
};

/// The truth with few values and, perhaps, versions.
class Blurred {
 public:
  Blurred(const History& truth, std::uint64_t values, base::Rng& rng)
      : truth_(truth), values_(values), rng_(rng), copier_(truth, builder_) {
    for (const Op& op : truth.all_ops()) {
      if (op.kind != OpKind::kWrite || op.is_delete()) continue;
      const KeyId key = op.key;
      versions_[{key.raw(), blurred(op.value).bits()}].insert(op.value.bits());
      all_versions_[key.raw()].push_back(op.value);
    }
    for (std::size_t k = 0; k < truth.key_count(); ++k) {
      const Value initial = truth.initial(KeyId::at(k));
      if (initial.is_null()) continue;
      versions_[{KeyId::at(k).raw(), blurred(initial).bits()}].insert(initial.bits());
      all_versions_[KeyId::at(k).raw()].push_back(initial);
    }
  }

  History build(Told told) {
    told_ = told;
    builder_.origin().truncated = truth_.origin().truncated;
    for (std::size_t k = 0; k < truth_.key_count(); ++k) {
      const KeyId key = KeyId::at(k);
      if (!truth_.has_initial(key)) continue;
      if (truth_.is_list(key)) {
        copier_.initial(key, copier_.key(key));
      } else {
        builder_.set_initial(copier_.key(key), blurred(truth_.initial(key)));
      }
    }
    for (std::size_t t = 0; t < truth_.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      copier_.begin_txn(txn);
      const std::span<const Op> ops = truth_.ops(txn);
      const std::span<const Selection> selections = truth_.selections(txn);
      std::size_t next = 0;
      for (std::uint32_t at = 0; at < ops.size() || next < selections.size();) {
        if (next < selections.size() && selections[next].first == at) {
          add(selections[next], ops);
          at = selections[next++].end();
        } else {
          add(txn, ops[at++]);
        }
      }
    }
    Result<History> history = builder_.finish();
    EXPECT_TRUE(history.ok()) << (history.ok() ? "" : history.error().message);
    return std::move(history).value();
  }

 private:
  /// One of few integers. Unique values are distinct words or numbers.
  Value blurred(Value value) const {
    if (value.is_absent()) return value;
    return Value::integer(static_cast<std::int64_t>(base::mix(value.bits()) % values_));
  }

  /// What is told of the version that has the value in the truth.
  Value version(KeyId key, Value value, bool is_write) {
    if (told_ == Told::kNothing || value.is_absent()) return {};
    if (told_ == Told::kLies) {
      const std::vector<Value>& all = all_versions_[key.raw()];
      if (all.empty() || rng_.chance(0.3)) return copier_.value(value);
      return copier_.value(all[rng_.below(all.size())]);
    }
    // Left out where it follows: of the only version with its value.
    const bool is_only = versions_[{key.raw(), blurred(value).bits()}].size() == 1;
    if (is_only && (is_write ? base::mix(value.bits()) % 4 == 0 : rng_.chance(0.2))) return {};
    return copier_.value(value);
  }

  void add(TxnId, const Op& op) {
    const KeyId key = copier_.key(op.key);
    if (op.kind == OpKind::kWrite && !op.is_delete()) {
      builder_.write(key, blurred(op.value));
      builder_.set_version(version(op.key, op.value, true));
    } else if (op.kind == OpKind::kRead) {
      builder_.read(key, blurred(truth_.seen(op)));
      builder_.set_version(version(op.key, truth_.seen(op), false));
    } else {
      copier_.op(op, key);
    }
  }

  void add(const Selection& selection, std::span<const Op> ops) {
    std::vector<Row> rows;
    for (const Op& row : ops.subspan(selection.first, selection.rows)) {
      const Value seen = truth_.seen(row);
      rows.push_back({copier_.key(row.key), blurred(seen), version(row.key, seen, false)});
    }
    builder_.select(copier_.predicate(truth_.predicates()[selection.predicate]), rows);
  }

  const History& truth_;
  const std::uint64_t values_;
  base::Rng& rng_;
  Told told_ = Told::kNothing;
  HistoryBuilder builder_;
  history::Copier copier_;
  // By key and blurred value: values in the truth.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::set<std::uint64_t>> versions_;
  std::map<std::uint32_t, std::vector<Value>> all_versions_;  // by key
};

struct Case {
  std::uint64_t seed = 0;
  support::PlainHistory plain;
  std::uint64_t values = 1;
};

Case make_case(std::uint64_t number) {
  Case made{base::mix2(support::run_seed(), number), {}, 1};
  base::Rng rng(made.seed);
  // Without conditions on values and "not this one", which repeated values would make others.
  support::RandomHistoryOptions options = number % 3 == 0
                                              ? support::random_selection_options(rng, false)
                                              : support::random_options(rng);
  options.exclusion_share = 0;
  options.duplicate_share = 0;
  options.start_share = rng.chance(0.4) ? 0.7 : 0;
  if (number % 3 == 1) options.delete_share = 0.2;
  if (number % 3 == 1) options.list_share = 0;
  made.plain = support::random_history(rng, options);
  made.values = 1 + rng.below(3);
  return made;
}

std::vector<Verdict> verdicts_of(const History& history, std::string& complaint) {
  base::Budget budget;
  const CheckReport report = check(history, {}, budget);
  std::vector<Verdict> verdicts;
  for (const LevelReport& level : report.levels) {
    verdicts.push_back(level.verdict);
    if (level.verdict != Verdict::kHolds && level.verdict != Verdict::kViolated) continue;
    const Certificate made{level.level, history.digest(), 0, report.proofs[level.proof],
                           history.trusts_versions()};
    // Through the file, as anybody would have it.
    const Result<Certificate> read =
        certify::parse_certificate(certify::certificate_text(history, made), "c", history);
    if (!read || read->trusts_versions != history.trusts_versions()) {
      complaint = "the certificate cannot be read back";
      return verdicts;
    }
    const certify::VerifyResult result = certify::verify(history, *read);
    if (!result.proves) {
      complaint = std::string(info(level.level).name) + ": " + result.reason;
      return verdicts;
    }
  }
  return verdicts;
}

struct Tally {
  std::uint64_t held = 0;
  std::uint64_t violated = 0;
  std::uint64_t contradictions = 0;
  std::uint64_t decided_by_trust = 0;
  std::uint64_t open = 0;  ///< without versions, and not with them
};

/// What is decided differently; to decide what was open is what hints are for.
std::string changes(const std::vector<Verdict>& without, const std::vector<Verdict>& guided,
                    Tally& tally) {
  for (std::size_t i = 0; i < without.size(); ++i) {
    if (without[i] == guided[i]) continue;
    const std::string what = std::string(all_levels()[i].name) + ": versions have made " +
                             std::string(name(guided[i])) + " of " +
                             std::string(name(without[i]));
    if (without[i] != Verdict::kUnknown) return what;
    ++tally.open;
    std::printf("%s\n", what.c_str());
  }
  return "";
}

std::string complain(const Case& tried, Tally& tally) {
  const History truth = support::build(tried.plain);
  base::Rng rng(tried.seed);
  const History told = Blurred(truth, tried.values, rng).build(Told::kTruth);
  const Result<History> trusted = told.with_trusted_versions();
  if (!trusted) {
    // A read of what nobody wrote, where others wrote the same.
    ++tally.contradictions;
    return trusted.error().message.find("no transaction wrote") != std::string::npos
               ? ""
               : trusted.error().message;
  }
  std::string complaint;
  const std::vector<Verdict> verdicts = verdicts_of(*trusted, complaint);
  if (!complaint.empty()) return "trusted: " + complaint;
  std::size_t at = 0;
  for (const LevelInfo& level : all_levels()) {
    const Verdict verdict = verdicts[at++];
    if (!support::applies(level.level, truth)) continue;
    if (verdict != Verdict::kHolds && verdict != Verdict::kViolated) continue;
    ++(verdict == Verdict::kHolds ? tally.held : tally.violated);
    if (oracle::brute_force_holds(truth, level.level, 0) == (verdict == Verdict::kHolds)) {
      continue;
    }
    return std::string(level.name) + ": with versions trusted " + std::string(name(verdict)) +
           ", and the oracle says the opposite of the truth";
  }
  const std::vector<Verdict> without =
      verdicts_of(Blurred(truth, tried.values, rng).build(Told::kNothing), complaint);
  if (!complaint.empty()) return "without: " + complaint;
  if (without != verdicts) ++tally.decided_by_trust;
  for (const Told hint : {Told::kTruth, Told::kLies}) {
    const History hinted = Blurred(truth, tried.values, rng).build(hint);
    const std::vector<Verdict> guided = verdicts_of(hinted, complaint);
    if (!complaint.empty()) return "hinted: " + complaint;
    const std::string changed = changes(without, guided, tally);
    if (!changed.empty()) return changed;
  }
  return "";
}

TEST(Versions, DecideWhenTrustedAndElseChangeNothing) {
  Tally tally;
  for (std::uint64_t i = 0; i < support::case_count(6'000); ++i) {
    const Case tried = make_case(i);
    const std::string complaint = complain(tried, tally);
    if (complaint.empty()) continue;
    FAIL() << complaint << "\nseed " << tried.seed << ", case " << i << ", " << tried.values
           << " values of\n"
           << support::to_text(tried.plain);
  }
  std::printf("%llu held, %llu violated, %llu decided by trust, %llu contradictions\n",
              static_cast<unsigned long long>(tally.held),
              static_cast<unsigned long long>(tally.violated),
              static_cast<unsigned long long>(tally.decided_by_trust),
              static_cast<unsigned long long>(tally.contradictions));
  EXPECT_GT(tally.held, 0U);
  EXPECT_GT(tally.violated, 0U);
  EXPECT_GT(tally.decided_by_trust, 0U);
}

}  // namespace
}  // namespace isolde::prop
