#include "certify/verify.hpp"

#include <utility>
#include <variant>

#include "base/assert.hpp"
#include "certify/current_reads.hpp"
#include "certify/implication.hpp"
#include "certify/own_level.hpp"

namespace isolde::certify {

std::string name_of(const History& history, TxnId txn) {
  if (exists(history, txn)) return history.txn_name(txn);
  return txn.is_none() ? "no transaction" : "unknown transaction " + std::to_string(txn.raw());
}

bool ended_before(const History& history, TxnId earlier, TxnId later,
                  std::int64_t clock_error_ns) {
  if (history.status(earlier) != TxnStatus::kCommitted) return false;
  ISOLDE_INVARIANT(clock_error_ns >= 0);  // it becomes unsigned below
  const std::int64_t end = history.times(earlier).end;
  const std::int64_t start = history.times(later).start;
  if (end == kNoTime || start == kNoTime || start <= end) return false;
  // Unsigned, because the difference of two 64-bit times may need the 64th bit.
  const std::uint64_t gap = static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(end);
  return gap > static_cast<std::uint64_t>(clock_error_ns);
}

namespace {

/// `certificate` is about this history as its level reads it, and its proof is no implication.
Objection check_as_read(const History& history, const Certificate& certificate) {
  ISOLDE_ASSERT(!std::holds_alternative<Implication>(certificate.proof));
  const LevelInfo& level = info(certificate.level);
  const std::int64_t clock_error_ns = certificate.assumed_clock_error_ns();
  Objection objection;
  if (rules(level).is_mixed()) objection = check_stated_levels(history);
  if (!objection.empty()) return objection;
  if (rules(level).test == Test::kKeys) {
    return check_linearizable(history, clock_error_ns, certificate.proof);
  }
  if (const auto* witness = std::get_if<Witness>(&certificate.proof)) {
    return check_witness(history, level, clock_error_ns, *witness);
  }
  if (const auto* apart = std::get_if<SessionWitness>(&certificate.proof)) {
    return check_session_witness(history, level, *apart);
  }
  if (const auto* finding = std::get_if<Finding>(&certificate.proof)) {
    return check_finding(history, level, clock_error_ns, *finding);
  }
  if (const auto* refutation = std::get_if<Refutation>(&certificate.proof)) {
    return check_refutation(history, level, clock_error_ns, *refutation);
  }
  return "a proof of this form is for linearizability only";
}

/// Refused inserts as the level reads them, and increments with the certificate's sums.
template <typename Check>
Objection with_reading(const History& history, Level level, const Certificate& certificate,
                       const Check& check) {
  const bool has_sums = history.open_increments() > 0 && certificate.holds();
  if (!has_sums && !history.has_refused_inserts()) return check(history);
  const History read = with_refusals_read(history, level);
  if (!has_sums) return check(read);
  const Result<History> with_sums = read.with_sums(certificate.sums);
  return with_sums.ok() ? check(*with_sums) : with_sums.error().message;
}

Objection check_directly(const History& history, const Certificate& certificate) {
  return with_reading(history, certificate.level, certificate,
                      [&](const History& read) { return check_as_read(read, certificate); });
}

/// What holds implies what is weaker; what is violated takes what is stronger with it.
Objection check_by_way_of(const History& history, const Certificate& certificate,
                          const Implication& implication) {
  if (static_cast<std::size_t>(implication.level) >= all_levels().size()) {
    return "the level that it follows from does not exist";
  }
  const bool holds = certificate.holds();
  const Level stronger = holds ? implication.level : certificate.level;
  const Level weaker = holds ? certificate.level : implication.level;
  const std::int64_t clock_error_ns = certificate.assumed_clock_error_ns();
  // What the history is like, and then who may be in an execution of the stronger level.
  Objection objection = check_implication(history, stronger, weaker, clock_error_ns);
  if (!objection.empty()) return objection;
  objection = with_reading(history, stronger, certificate, [&](const History& read) {
    return check_implication(read, stronger, weaker, clock_error_ns);
  });
  if (objection.empty() && rules(info(certificate.level)).is_mixed()) {
    objection = with_reading(history, certificate.level, certificate,
                             [](const History& read) { return check_stated_levels(read); });
  }
  return objection.empty() ? check_directly(history, certificate.direct()) : objection;
}

Objection check_proof(const History& history, const Certificate& certificate) {
  const auto* const implication = std::get_if<Implication>(&certificate.proof);
  return implication == nullptr ? check_directly(history, certificate)
                                : check_by_way_of(history, certificate, *implication);
}

}  // namespace

VerifyResult verify(const History& history, const Certificate& certificate) {
  const auto level_row = static_cast<std::size_t>(certificate.level);
  if (level_row >= all_levels().size()) return {false, "the level does not exist"};
  if (certificate.clock_error_ns < 0) return {false, "the clock error is negative"};
  if (certificate.history_digest != history.digest()) {
    return {false, "the certificate is about another history (the digests differ)"};
  }
  if (history.trusts_versions() && !certificate.trusts_versions) {
    return {false, "the certificate does not say that it trusts versions"};
  }
  const bool needs_sums = history.open_increments() > 0 && certificate.holds();
  if (!needs_sums && !certificate.sums.empty()) {
    return {false, "it has sums where none are to be told"};
  }
  const Objection objection = check_proof(history, certificate);
  return {objection.empty(), objection};
}

}  // namespace isolde::certify
