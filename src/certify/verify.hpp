// The independent verifier: does a certificate prove its claim about a history?
//
// It shares no code with the engine that makes certificates, on purpose: it is the part of
// Isolde that has to be believed, so it is kept short, plain and slow where slow is simpler.
// Read it in this order: external_reads.hpp (what a read says), verify_witness.cpp (a level
// holds), verify_finding.cpp and facts.hpp with verify_refutation.cpp (a level is violated),
// verify_linear.cpp with verify_exhaustion.cpp (linearizability, key by key).
// docs/formats/certificate.md states the same conditions in prose, with the reasons.
#pragma once

#include <string>

#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::certify {

struct VerifyResult {
  bool proves = false;
  std::string reason;  ///< one line; empty when the certificate proves its claim
};

/// True when `certificate` proves that `history` satisfies, or violates, its level. Any content
/// is allowed, also ids that do not exist. COST: about linear for a witness, in time and
/// memory; for a refutation also proportional to its clauses.
VerifyResult verify(const History& history, const Certificate& certificate);

}  // namespace isolde::certify
