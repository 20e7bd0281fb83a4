// What the tests of this folder share: proofs in short, and the verifier's word on them.
#pragma once

#include <string>

#include "certify/verify.hpp"
#include "history/certificate.hpp"
#include "unit/infer/observed.hpp"

namespace isolde::checker::test {

using infer::test::key;
using infer::test::Observed;
using infer::test::txn;

inline Edge so(std::uint32_t from, std::uint32_t to) {
  return {txn(from), txn(to), EdgeKind::kSessionOrder, {}, {}};
}
inline Edge rt(std::uint32_t from, std::uint32_t to) {
  return {txn(from), txn(to), EdgeKind::kRealTime, {}, {}};
}
inline Edge wr(std::uint32_t from, std::uint32_t to, std::uint32_t on = 0) {
  return {txn(from), txn(to), EdgeKind::kReadFrom, key(on), {}};
}
inline Edge ww(std::uint32_t from, std::uint32_t to, std::uint32_t on = 0) {
  return {txn(from), txn(to), EdgeKind::kVersionOrder, key(on), {}};
}
/// `via` defaults to the initial version.
inline Edge rw(std::uint32_t from, std::uint32_t to, std::uint32_t on = 0, TxnId via = {}) {
  return {txn(from), txn(to), EdgeKind::kAntiDependency, key(on), via};
}
inline Edge mv(std::uint32_t from, std::uint32_t to, std::uint32_t on, std::uint32_t via) {
  return {txn(from), txn(to), EdgeKind::kMonotonicView, key(on), txn(via)};
}
inline Edge av(std::uint32_t from, std::uint32_t to, std::uint32_t on, std::uint32_t via) {
  return {txn(from), txn(to), EdgeKind::kAtomicView, key(on), txn(via)};
}
inline Edge cv(std::uint32_t from, std::uint32_t to, std::uint32_t on, std::uint32_t via) {
  return {txn(from), txn(to), EdgeKind::kCausalView, key(on), txn(via)};
}

/// "holds" or "violated", after the verifier agreed; else its complaint.
inline std::string proved(const History& history, Level level, const Proof& proof,
                          std::int64_t clock_error_ns = 0) {
  const Certificate certificate{level, history.digest(), clock_error_ns, proof};
  const certify::VerifyResult result = certify::verify(history, certificate);
  if (!result.proves) return std::string(info(level).name) + ": " + result.reason;
  return certificate.holds() ? "holds" : "violated";
}

}  // namespace isolde::checker::test
