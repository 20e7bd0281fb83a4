#include "certify/verify.hpp"

#include <utility>
#include <variant>

#include "certify/own_level.hpp"

namespace isolde::certify {

std::string name_of(const History& history, TxnId txn) {
  if (exists(history, txn)) return history.txn_name(txn);
  return txn.is_none() ? "no transaction" : "unknown transaction " + std::to_string(txn.raw());
}

bool ended_before(const History& history, TxnId earlier, TxnId later,
                  std::int64_t clock_error_ns) {
  if (history.status(earlier) != TxnStatus::kCommitted) return false;
  const std::int64_t end = history.times(earlier).end;
  const std::int64_t start = history.times(later).start;
  if (end == kNoTime || start == kNoTime || start <= end) return false;
  // Unsigned, because the difference of two 64-bit times may need the 64th bit.
  const std::uint64_t gap = static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(end);
  return gap > static_cast<std::uint64_t>(clock_error_ns);
}

VerifyResult verify(const History& history, const Certificate& certificate) {
  const auto level_row = static_cast<std::size_t>(certificate.level);
  if (level_row >= all_levels().size()) return {false, "the level does not exist"};
  if (certificate.clock_error_ns < 0) return {false, "the clock error is negative"};
  if (certificate.history_digest != history.digest()) {
    return {false, "the certificate is about another history (the digests differ)"};
  }
  const LevelInfo& level = info(certificate.level);
  const std::int64_t clock_error_ns = certificate.clock_error_ns;
  Objection objection;
  if (level.base == BaseLevel::kMixed) objection = check_stated_levels(history);
  if (!objection.empty()) return {false, std::move(objection)};
  if (level.base == BaseLevel::kLinearizable) {
    objection = check_linearizable(history, clock_error_ns, certificate.proof);
  } else if (const auto* witness = std::get_if<Witness>(&certificate.proof)) {
    objection = check_witness(history, level, clock_error_ns, *witness);
  } else if (const auto* apart = std::get_if<SessionWitness>(&certificate.proof)) {
    objection = check_session_witness(history, level, *apart);
  } else if (const auto* finding = std::get_if<Finding>(&certificate.proof)) {
    objection = check_finding(history, level, *finding);
  } else if (const auto* refutation = std::get_if<Refutation>(&certificate.proof)) {
    objection = check_refutation(history, level, clock_error_ns, *refutation);
  } else {
    objection = "a proof of this form is for linearizability only";
  }
  return {objection.empty(), std::move(objection)};
}

}  // namespace isolde::certify
