#include "prop/argument_check.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "certify/verify.hpp"
#include "explain/core.hpp"
#include "explain/simplify.hpp"

namespace isolde::prop {
namespace {

using explain::Ground;
using explain::Scenario;
using explain::ScenarioEdge;
using explain::ScenarioStep;

VersionOrder opposite(VersionOrder order) { return {order.after, order.before}; }

/// What the certificate format says an edge rests on, if anything.
std::optional<VersionOrder> order_behind(const Edge& edge) {
  if (edge.kind == EdgeKind::kVersionOrder) return VersionOrder{edge.from, edge.to};
  const bool replaced = edge.kind == EdgeKind::kAntiDependency && edge.via.is_some();
  return replaced ? std::optional(VersionOrder{edge.via, edge.to}) : std::nullopt;
}

bool contains(const std::vector<VersionOrder>& clause, VersionOrder order) {
  return std::find(clause.begin(), clause.end(), order) != clause.end();
}

/// An argument as one that nobody has read yet.
class Reader {
 public:
  Reader(const History& history, const Certificate& proof, const Scenario& scenario)
      : history_(history), proof_(proof), scenario_(scenario) {}

  std::string complaint() {
    if (scenario_.steps.empty()) return "no steps";
    const ScenarioStep& last = scenario_.steps.back();
    if (!last.clause.empty() || !last.claims.empty()) return "does not end in a contradiction";
    if (scenario_.lost_update) return about_lost_update(*scenario_.lost_update);
    for (const ScenarioStep& step : scenario_.steps) {
      if (std::string wrong = about(step); !wrong.empty()) {
        return "step " + std::to_string(step.number) + ": " + wrong;
      }
      by_number_[step.number] = &step;
    }
    if (scenario_.seen_update) return about_whole();
    if (std::string wrong = about_core(); !wrong.empty()) return wrong;
    return scenario_.complete() ? about_whole() : std::string();
  }

 private:
  std::string about(const ScenarioStep& step) const {
    if (by_number_.count(step.number) != 0) return "number comes twice";
    if (step.cycle.empty() && step.from.empty() && step.claims.empty()) return "from nothing";
    for (const std::size_t earlier : step.from) {
      const bool told = by_number_.count(earlier) != 0;
      if (earlier == 0 || earlier >= step.number) return "from a later step";
      if (scenario_.complete() && !told) return "from a step that is not told";
    }
    for (std::size_t i = 0; i < step.cycle.size(); ++i) {
      const Edge& edge = step.cycle[i].edge;
      const Edge& next = step.cycle[(i + 1) % step.cycle.size()].edge;
      if (edge.to != next.from) return "the cycle does not close";
      if (std::string wrong = about(step.cycle[i], step); !wrong.empty()) return wrong;
    }
    return {};
  }

  std::string about(const ScenarioEdge& edge, const ScenarioStep& step) const {
    const std::optional<VersionOrder> order = order_behind(edge.edge);
    const bool denied = order && contains(step.clause, opposite(*order));
    switch (edge.ground) {
      case Ground::kAssumed:
        return denied ? "" : "supposes what the clause does not deny";
      case Ground::kEstablished: {
        if (!order) return "an edge that rests on nothing needs no step";
        if (edge.step == 0 || edge.step >= step.number) return "calls on a later step";
        const auto fact = by_number_.find(edge.step);
        if (fact == by_number_.end()) {
          return scenario_.complete() ? "calls on a step that is not told" : "";
        }
        const bool says = fact->second->claims.empty() &&
                          fact->second->clause == std::vector<VersionOrder>{*order};
        return says ? "" : "calls on a step that says something else";
      }
      case Ground::kCertain:
        return denied ? "the clause denies what needs no supposing" : "";
    }
    return {};
  }

  /// Both read the same version of the key, neither that of the other one, and both wrote it.
  std::string about_lost_update(const explain::LostUpdate& lost) const {
    if (lost.first == lost.second) return "a lost update of one transaction";
    if (!writes(lost.first, lost.key) || !writes(lost.second, lost.key)) {
      return "a lost update without writes";
    }
    if (saw(lost.first, lost.second, lost.key) || saw(lost.second, lost.first, lost.key)) {
      return "a lost update that one of the two saw";
    }
    for (const Op* const first : reads_before_writing(lost.first, lost.key)) {
      for (const Op* const second : reads_before_writing(lost.second, lost.key)) {
        if (are_same(*first, *second)) return {};
      }
    }
    return "a lost update of two versions";
  }

  bool are_same(const Op& first, const Op& second) const {
    if (first.kind != second.kind || first.is_partial()) return false;
    if (first.kind != OpKind::kReadList) return first.value == second.value;
    return std::ranges::equal(history_.list(first), history_.list(second));
  }

  std::vector<const Op*> reads_before_writing(TxnId txn, KeyId key) const {
    std::vector<const Op*> reads;
    if (history_.status(txn) == TxnStatus::kAborted) return reads;
    for (const Op& op : history_.ops(txn)) {
      if (op.key != key) continue;
      if (op.is_write()) break;
      if (op.is_read()) reads.push_back(&op);
    }
    return reads;
  }

  /// Before it wrote, it read the value that the other one wrote last.
  bool saw(TxnId reader, TxnId writer, KeyId key) const {
    const Op* left = nullptr;
    for (const Op& op : history_.ops(writer)) {
      if (op.is_write() && op.key == key) left = &op;
    }
    const auto shows = [&](const Op* op) {
      if (op->kind == OpKind::kReadUnknown) return false;
      if (op->is_partial()) return history_.fits(*op, left->value);
      if (op->kind != OpKind::kReadList) return op->value == left->value;
      return std::ranges::find(history_.list(*op), left->value) != history_.list(*op).end();
    };
    return std::ranges::any_of(reads_before_writing(reader, key), shows);
  }

  bool writes(TxnId txn, KeyId key) const {
    const auto ops = history_.ops(txn);
    return std::any_of(ops.begin(), ops.end(),
                       [&](const Op& op) { return op.is_write() && op.key == key; });
  }

  /// What is told are steps of the core of the simplified proof, which is a proof itself, or
  /// of the one that begins with what two transactions settle.
  std::string about_core() const {
    const explain::Writers writers(history_);
    const BaseLevel base = info(proof_.level).base;
    const auto& refutation = std::get<Refutation>(proof_.proof);
    std::string wrong = about_core_of(explain::simplified(writers, base, refutation));
    const auto turned = explain::settled_first(writers, base, refutation);
    if (!turned) return wrong;
    const std::string wrong_too = about_core_of(*turned);
    if (wrong.starts_with(kNoProof)) return wrong;
    if (wrong_too.starts_with(kNoProof)) return "begun with what is settled, " + wrong_too;
    return wrong_too.empty() ? wrong_too : wrong;
  }

  static constexpr std::string_view kNoProof = "the core of the proof does not stand";

  std::string about_core_of(const Refutation& simple) const {
    std::vector<explain::CoreStep> core = explain::proof_core(history_, simple);
    Refutation refutation;
    refutation.session = simple.session;
    for (explain::CoreStep& step : core) {
      RefutationStep plain{step.clause, step.cycle, {}, step.claims};
      for (const std::size_t from : step.from) {
        plain.from.push_back(static_cast<std::uint32_t>(from));
      }
      refutation.steps.push_back(std::move(plain));
      explain::straighten(history_, step);
    }
    if (const std::string wrong = refuted(std::move(refutation)); !wrong.empty()) {
      return std::string(kNoProof) + ": " + wrong;
    }
    auto at = core.begin();
    for (const ScenarioStep& step : scenario_.steps) {
      at = std::find_if(at, core.end(), [&](const explain::CoreStep& known) {
        return known.clause == step.clause && known.claims == step.claims &&
               std::equal(known.cycle.begin(), known.cycle.end(), step.cycle.begin(),
                          step.cycle.end(), [](const Edge& edge, const ScenarioEdge& told) {
                            return edge == told.edge;
                          });
      });
      if (at++ == core.end()) return "tells a step that the proof does not have";
    }
    return {};
  }

  /// The steps as a certificate of their own. An order that two transactions settle between
  /// them, and that is told where it is used, is a step in front of the first use.
  std::string about_whole() const {
    Refutation whole;
    whole.session = scenario_.session;
    std::map<std::size_t, std::uint32_t> place;  // by number
    for (const ScenarioStep& step : scenario_.steps) {
      RefutationStep plain{step.clause, {}, {}, step.claims};
      for (const ScenarioEdge& edge : step.cycle) {
        plain.cycle.push_back(as_proved(edge.edge));
        if (!edge.shown_by) continue;
        const std::optional<VersionOrder> order = order_behind(edge.edge);
        if (!order) return "an edge that rests on nothing needs nothing that shows it";
        const Edge wrong{
            order->after, order->before, EdgeKind::kVersionOrder, edge.edge.key, {}};
        whole.steps.push_back({{*order}, {as_proved(*edge.shown_by), wrong}, {}, {}});
      }
      for (const std::size_t earlier : step.from) plain.from.push_back(place.at(earlier));
      place[step.number] = static_cast<std::uint32_t>(whole.steps.size());
      whole.steps.push_back(std::move(plain));
    }
    const std::string wrong = refuted(std::move(whole));
    return wrong.empty() ? wrong : "what is told does not prove it: " + wrong;
  }

  /// Explanations say of real time within a session that the session has this order; where
  /// only real time binds, a proof has to say it by times.
  Edge as_proved(Edge edge) const {
    const LevelInfo& level = info(proof_.level);
    const bool by_time = level.real_time && !level.session_order;
    if (edge.kind == EdgeKind::kSessionOrder && by_time) edge.kind = EdgeKind::kRealTime;
    return edge;
  }

  std::string refuted(Refutation refutation) const {
    Certificate certificate = proof_;
    certificate.proof = std::move(refutation);
    const certify::VerifyResult result = certify::verify(history_, certificate);
    return result.proves ? "" : result.reason;
  }

  const History& history_;
  const Certificate& proof_;
  const Scenario& scenario_;
  std::map<std::size_t, const ScenarioStep*> by_number_;
};

}  // namespace

std::string complaint_about_argument(const History& history, const Certificate& proof,
                                     const explain::Scenario& scenario) {
  return Reader(history, proof, scenario).complaint();
}

}  // namespace isolde::prop
