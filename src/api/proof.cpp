#include "api/proof.hpp"

#include <variant>

#include "base/duration.hpp"
#include "base/text.hpp"

namespace isolde::api {
namespace {

/// What kind of proof it is, behind "holds" or "is violated".
std::string way_of(const Certificate& certificate) {
  if (const auto* witness = std::get_if<Witness>(&certificate.proof)) {
    const std::size_t txns =
        witness->order.size() /
        static_cast<std::size_t>(witness->mentions > 0 ? witness->mentions : 1);
    return "by an order of " + base::plural(txns, "transaction");
  }
  if (const auto* apart = std::get_if<SessionWitness>(&certificate.proof)) {
    return "by " + std::to_string(apart->executions.size()) + " orders for different sessions";
  }
  if (std::holds_alternative<Finding>(certificate.proof)) return "by a single read";
  if (const auto* orders = std::get_if<KeyWitness>(&certificate.proof)) {
    const std::size_t keys = orders->begin.size() - 1;
    return keys == 1 ? "by an order for the key"
                     : "by an order for each of " + std::to_string(keys) + " keys";
  }
  if (std::holds_alternative<KeyExhaustion>(certificate.proof)) {
    return "by trying all orders of one key";
  }
  const std::vector<RefutationStep>& steps = std::get<Refutation>(certificate.proof).steps;
  if (steps.size() != 1) return "by an argument of " + std::to_string(steps.size()) + " steps";
  return steps.front().wrong_result ? "by a single result" : "by a cycle";
}

}  // namespace

std::string claim(const Certificate& certificate) {
  const std::string verdict = certificate.holds() ? " holds" : " is violated";
  std::string text = std::string(info(certificate.level).name) + verdict;
  if (const auto* implication = std::get_if<Implication>(&certificate.proof)) {
    text += ", because " + std::string(info(implication->level).name) + verdict;
  }
  text += ", " + way_of(certificate.direct());
  const std::int64_t clock_error_ns = certificate.assumed_clock_error_ns();
  if (clock_error_ns > 0) {
    text += ", with clocks up to " + base::duration_text(clock_error_ns) + " apart";
  }
  if (certificate.trusts_versions) text += ", with versions trusted";
  return text;
}

std::string caveat(const History& history, const Certificate& certificate,
                   const history::Evidence& evidence) {
  const bool is_cut_off = history.origin().truncated;
  if (!certificate.holds()) {
    if (!is_cut_off) return {};
    return "but the input is cut off; " + std::string(history::kViolatedPart);
  }
  std::string text;
  if (evidence.in_effect == 0) {
    text = "no transaction took effect, so it says nothing of the database";
  } else if (history::trial(evidence, info(certificate.level)) == history::Trial::kUntried) {
    text = history::why_untried(evidence) + ", so the level was not put to the test";
  }
  if (is_cut_off) {
    text += std::string(text.empty() ? "" : "; ") + "the input is cut off; what is there holds";
  }
  return text.empty() ? text : "but " + text;
}

}  // namespace isolde::api
