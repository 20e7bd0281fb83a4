// The verifier: whatever a certificate says, what it accepts is so. The first byte of the input
// chooses a history of the table of known verdicts, the rest is the certificate. Each verdict
// that the verifier accepts is held against the oracle, which tries every execution. Half of
// the mutations change the proof and not the bytes, because few bytes that change leave a
// proof.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/rng.hpp"
#include "certify/certificate_io.hpp"
#include "certify/verify.hpp"
#include "fuzz_input.hpp"
#include "oracle/brute.hpp"
#include "support/applies.hpp"
#include "support/history_dsl.hpp"
#include "support/oracle_histories.hpp"

namespace {

using isolde::Certificate;
using isolde::History;

const std::vector<History>& histories() {
  static const std::vector<History> all = [] {
    std::vector<History> made;
    for (const auto& row : isolde::support::oracle_histories()) {
      made.push_back(isolde::support::parse(std::string(row.text)));
    }
    return made;
  }();
  return all;
}

const History& history_of(const std::uint8_t* data) {
  return histories()[data[0] % histories().size()];
}

isolde::Result<Certificate> certificate_of(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  return isolde::certify::parse_certificate(text, "fuzz", history_of(data));
}

/// Changes one thing about a proof.
class Mutator {
 public:
  Mutator(const History& history, std::uint64_t seed) : history_(history), rng_(seed) {}

  void change(Certificate& certificate) {
    if (rng_.chance(0.2)) {
      const auto levels = isolde::all_levels();
      certificate.level = levels[rng_.below(levels.size())].level;
    } else if (auto* const refutation = std::get_if<isolde::Refutation>(&certificate.proof)) {
      change(*refutation);
    } else if (auto* const witness = std::get_if<isolde::Witness>(&certificate.proof)) {
      change(witness->order);
    } else if (auto* const finding = std::get_if<isolde::Finding>(&certificate.proof)) {
      change(*finding);
    } else if (auto* const views = std::get_if<isolde::SessionWitness>(&certificate.proof)) {
      if (!views->executions.empty()) {
        change(views->executions[rng_.below(views->executions.size())].order);
      }
    }
  }

 private:
  isolde::TxnId any_txn() { return isolde::TxnId::at(rng_.below(history_.txn_count())); }
  isolde::KeyId any_key() { return isolde::KeyId::at(rng_.below(history_.key_count())); }

  void change(std::vector<isolde::TxnId>& order) {
    if (order.empty()) return;
    std::swap(order[rng_.below(order.size())], order[rng_.below(order.size())]);
  }

  void change(isolde::Finding& finding) {
    switch (rng_.below(4)) {
      case 0:
        finding.kind = static_cast<isolde::FindingKind>(rng_.below(isolde::kFindingKindCount));
        break;
      case 1:
        finding.txn = any_txn();
        break;
      case 2:
        finding.other = any_txn();
        break;
      default:
        finding.op = static_cast<std::uint32_t>(rng_.below(4));
    }
  }

  void change(isolde::Refutation& refutation) {
    if (refutation.steps.empty()) return;
    if (refutation.steps.size() > 1 && rng_.chance(0.2)) {
      // A conclusion without what it rests on.
      refutation.steps.erase(refutation.steps.begin() +
                             static_cast<std::ptrdiff_t>(rng_.below(refutation.steps.size())));
      return;
    }
    isolde::RefutationStep& step = refutation.steps[rng_.below(refutation.steps.size())];
    if (!step.clause.empty() && rng_.chance(0.2)) step.clause.pop_back();
    if (!step.cycle.empty()) change(step.cycle);
  }

  void change(std::vector<isolde::Edge>& cycle) {
    const std::size_t at = rng_.below(cycle.size());
    switch (rng_.below(6)) {
      case 0:
        cycle[at].kind = static_cast<isolde::EdgeKind>(rng_.below(isolde::kEdgeKindCount));
        break;
      case 1:
        cycle[at].from = any_txn();
        break;
      case 2:
        cycle[at].to = any_txn();
        break;
      case 3:
        cycle[at].via = rng_.chance(0.3) ? isolde::TxnId::none() : any_txn();
        break;
      case 4:
        if (history_.key_count() > 0) cycle[at].key = any_key();
        break;
      default:  // a shorter cycle, closed or not
        cycle.erase(cycle.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  const History& history_;
  isolde::base::Rng rng_;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  if (size == 0 || seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  isolde::Result<Certificate> read = certificate_of(data, size);
  if (!read) return LLVMFuzzerMutate(data, size, most);
  Mutator(history_of(data), seed).change(*read);
  const std::string text = isolde::certify::certificate_text(history_of(data), *read);
  if (text.size() + 1 > most) return size;
  std::copy(text.begin(), text.end(), data + 1);
  return text.size() + 1;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const History& history = histories()[data[0] % histories().size()];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  isolde::Result<Certificate> read = isolde::certify::parse_certificate(text, "fuzz", history);
  if (!read) return 0;
  Certificate& certificate = *read;
  certificate.history_digest = history.digest();
  const std::string again = isolde::certify::certificate_text(history, certificate);
  const auto same = isolde::certify::parse_certificate(again, "again", history);
  isolde::fuzz::require(same.ok() && isolde::certify::certificate_text(history, *same) == again,
                        "what is written is read as it was", again);
  if (!isolde::certify::verify(history, certificate).proves) return 0;
  if (!isolde::support::applies(certificate.level, history)) return 0;
  const bool holds =
      isolde::oracle::brute_force_holds(history, certificate.level, certificate.clock_error_ns);
  isolde::fuzz::require(holds == certificate.holds(), "what is accepted is so", again);
  return 0;
}
