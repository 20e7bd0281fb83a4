#include "certify/derivation.hpp"

#include <optional>
#include <unordered_set>

#include "base/assert.hpp"
#include "base/hash.hpp"

namespace isolde::certify {
namespace {

struct Hash {
  std::size_t operator()(const VersionOrder& order) const {
    return base::mix2(order.before.raw(), order.after.raw());
  }
  std::size_t operator()(const ReadSource& source) const {
    return base::mix2(base::mix2(source.txn.raw(), source.op), source.writer.raw());
  }
};

enum class Truth : std::uint8_t { kOpen, kTrue, kDenied };

ReadSource effect_of(TxnId txn) { return {txn, Claim::kNoOp, TxnId::none()}; }

/// Truth of statements under assumptions. Of two different transactions one commits first, so
/// assuming that order denies its reverse.
class Assumptions {
 public:
  Assumptions(const Facts& facts, PossibleSources* sources)
      : facts_(facts), sources_(sources) {}

  Truth truth(const VersionOrder& order) const {
    if (orders_.count(order) != 0) return Truth::kTrue;
    return orders_.count({order.after, order.before}) != 0 ? Truth::kDenied : Truth::kOpen;
  }
  Truth truth(const Claim& claim) const {
    const Truth known = truth(claim.source);
    if (known == Truth::kOpen || !claim.denied) return known;
    return known == Truth::kTrue ? Truth::kDenied : Truth::kTrue;
  }

  // Each returns false when the contrary is known.
  bool assume(const VersionOrder& order) {
    ISOLDE_INVARIANT(order.before != order.after);  // check_clause() was asked
    orders_.insert(order);
    return orders_.count({order.after, order.before}) == 0;
  }
  bool assume(const Claim& claim) {
    watch(claim.source.txn);
    if (claim.source.writer.is_some()) watch(claim.source.writer);
    if (claim.denied) {
      const bool was_true = truth(claim.source) == Truth::kTrue;
      denied_.insert(claim.source);
      return !was_true;
    }
    return accept(claim.source);
  }

  /// The reads of this transaction are looked at by propagate().
  void watch(TxnId txn) {
    if (watched_.insert(txn.raw()).second) watch_list_.push_back(txn);
  }

  enum class News : std::uint8_t { kNone, kSome, kContradiction };
  News propagate() {
    ISOLDE_ASSERT(sources_ != nullptr);
    News news = News::kNone;
    for (std::size_t i = 0; i < watch_list_.size(); ++i) {
      const TxnId txn = watch_list_[i];
      for (const PossibleRead& read : sources_->reads(txn)) {
        const News one = look_at(txn, read);
        if (one == News::kContradiction) return one;
        if (one == News::kSome) news = one;
      }
    }
    return news;
  }

 private:
  Truth truth(const ReadSource& source) const {
    const bool is_effect = source.op == Claim::kNoOp;
    if (true_.count(source) != 0 || (is_effect && facts_.certain(source.txn))) {
      return Truth::kTrue;
    }
    const bool impossible =
        !is_effect &&
        (denied_.count(effect_of(source.txn)) != 0 ||
         (source.writer.is_some() && denied_.count(effect_of(source.writer)) != 0));
    return impossible || denied_.count(source) != 0 ? Truth::kDenied : Truth::kOpen;
  }

  bool accept(const ReadSource& source) {
    if (truth(source) == Truth::kDenied) return false;
    true_.insert(source);
    if (source.op == Claim::kNoOp) return true;
    return accept(effect_of(source.txn)) &&
           (source.writer.is_none() || accept(effect_of(source.writer)));
  }

  /// A transaction that took effect has a source for the read.
  News look_at(TxnId txn, const PossibleRead& read) {
    const Truth effect = truth(effect_of(txn));
    if (effect == Truth::kDenied) return News::kNone;
    std::optional<ReadSource> open;
    const auto ends = [&](TxnId writer) {
      ISOLDE_INVARIANT(writer != txn);
      const ReadSource source{txn, read.op, writer};
      const Truth known = truth(source);
      if (known == Truth::kDenied) return false;
      const bool several = open.has_value();
      open = source;
      return several || known == Truth::kTrue;
    };
    if (read.is_initial && ends(TxnId::none())) return News::kNone;
    for (const TxnId writer : read.writers) {
      if (ends(writer)) return News::kNone;
    }
    if (!open && effect == Truth::kTrue) return News::kContradiction;
    if (!open) {
      denied_.insert(effect_of(txn));
      return News::kSome;
    }
    if (effect != Truth::kTrue) return News::kNone;
    if (!accept(*open)) return News::kContradiction;
    if (open->writer.is_some()) watch(open->writer);
    return News::kSome;
  }

  const Facts& facts_;
  PossibleSources* sources_;
  std::unordered_set<VersionOrder, Hash> orders_;
  std::unordered_set<ReadSource, Hash> true_;
  std::unordered_set<ReadSource, Hash> denied_;
  std::unordered_set<std::uint32_t> watched_;
  std::vector<TxnId> watch_list_;
};

/// What is left of a clause.
struct Rest {
  std::size_t open_count = 0;  ///< more than one: some; one: the statement below
  bool satisfied = false;
  std::optional<VersionOrder> order;
  std::optional<Claim> claim;
};

Rest rest_of(const RefutationStep& step, const Assumptions& assumptions) {
  Rest rest;
  const auto look = [&](const auto& statement, auto& into) {
    const Truth known = assumptions.truth(statement);
    rest.satisfied = rest.satisfied || known == Truth::kTrue;
    if (known != Truth::kOpen || into == statement) return;
    into = statement;
    ++rest.open_count;
  };
  for (const VersionOrder& order : step.clause) look(order, rest.order);
  for (const Claim& claim : step.claims) look(claim, rest.claim);
  return rest;
}

}  // namespace

Objection check_derivation(const std::vector<RefutationStep>& steps, std::size_t at,
                           const Facts& facts, PossibleSources* sources) {
  using News = Assumptions::News;
  ISOLDE_ASSERT(at < steps.size());
  const RefutationStep& step = steps[at];
  for (const std::uint32_t earlier : step.from) {
    if (earlier >= at) return "it refers to a step that is not an earlier one";
  }
  Assumptions assumptions(facts, sources);
  for (const VersionOrder& order : step.clause) {
    if (!assumptions.assume(VersionOrder{order.after, order.before})) return kNoObjection;
  }
  for (const Claim& claim : step.claims) {
    if (!assumptions.assume(Claim{claim.source, !claim.denied})) return kNoObjection;
  }
  for (const std::uint32_t earlier : step.from) {
    for (const Claim& claim : steps[earlier].claims) {
      assumptions.watch(claim.source.txn);
      if (claim.source.writer.is_some()) assumptions.watch(claim.source.writer);
    }
  }
  for (bool progress = true; progress;) {
    const News news = sources != nullptr ? assumptions.propagate() : News::kNone;
    if (news == News::kContradiction) return kNoObjection;
    progress = news == News::kSome;
    for (const std::uint32_t earlier : step.from) {
      const Rest rest = rest_of(steps[earlier], assumptions);
      if (rest.satisfied || rest.open_count > 1) continue;
      if (rest.open_count == 0) return kNoObjection;
      ISOLDE_INVARIANT(rest.order.has_value() != rest.claim.has_value());
      const bool fits =
          rest.order ? assumptions.assume(*rest.order) : assumptions.assume(*rest.claim);
      if (!fits) return kNoObjection;
      progress = true;
    }
  }
  return "its clause does not follow from the earlier steps by unit propagation";
}

}  // namespace isolde::certify
