#include "search/order_theory.hpp"

#include <utility>

#include "base/assert.hpp"
#include "level/level_traits.hpp"

namespace isolde::checker {

using solver::Lit;

bool OrderTheory::look() {
  broken_.clear();
  check_.find_broken([&](NodeId node) { return order_.position(node); }, broken_, budget_);
  return broken_.empty();
}

bool OrderTheory::is_settled(const VersionOrder& order) const {
  bool settled = true;
  events_.order_edges(order, [&](NodeId from, NodeId to) {
    settled = settled && order_.position(from) < order_.position(to);
  });
  return settled;
}

/// All decisions are in the graph, so no conflict can occur here, but where rows are deleted.
solver::Theory::Final OrderTheory::final_check(std::vector<std::vector<Lit>>& conflicts) {
  const bool is_model = look();
  if (budget_.exhausted()) return Final::kStopped;
  if (is_model) return Final::kModel;
  bool any = false;
  for (const BrokenPair& pair : broken_) any = ask_for_order(pair.first, pair.second) || any;
  any = ask_for_more() || any;
  if (!stopped_.empty() || budget_.exhausted()) return Final::kStopped;
  if (any) return Final::kMore;
  // Where a row may have been inserted again, the edges of an order do not say all.
  ISOLDE_CHECK(seen_.has_deletions());
  return replace_live_versions(conflicts);
}

/// All orders are decided, and their edges do not say that a writer has seen the version before
/// its own, because deletions might be in between. Where they are not, this adds that edge.
solver::Theory::Final OrderTheory::replace_live_versions(
    std::vector<std::vector<Lit>>& conflicts) {
  bool any = false;
  for (const BrokenPair& pair : broken_) any = ask_for_deletions(pair) || any;
  if (any) return Final::kMore;
  for (const BrokenPair& pair : broken_) {
    const std::optional<LabelledEdge> replaces = replacement(pair);
    if (!replaces) continue;
    any = true;
    std::vector<Lit> conflict;
    if (!insert(events_.commit(pair.first), events_.begin(pair.second), *replaces, conflict)) {
      conflicts.push_back(std::move(conflict));
      return Final::kMore;
    }
    report_moves();
  }
  if (any) return final_check(conflicts);
  stopped_ = kInsertedAgain;
  return Final::kStopped;
}

/// Requests the orders that say of each deletion of the key where it is; false when all are
/// decided.
bool OrderTheory::ask_for_deletions(const BrokenPair& pair) {
  bool any = false;
  for_deleters(pair, [&](TxnId txn) {
    any = ask_for_order(txn, pair.first) || any;
    any = ask_for_order(txn, pair.second) || any;
  });
  return any;
}

/// The edge that makes the second writer see the first one's version, which it replaces, with
/// the orders that say so; none where the version is dead, or a deletion may not have taken
/// effect. REQUIRES: all these orders are decided, and nothing is between the two now.
std::optional<LabelledEdge> OrderTheory::replacement(const BrokenPair& pair) {
  const WriteId version = seen_.find_write(pair.first, pair.key);
  if (seen_.is_dead(version) ||
      events_.replace(version, pair.second) != events_.begin(pair.second) ||
      !seen_.all_deleters_are_certain(pair.key)) {
    return std::nullopt;
  }
  const auto position = [&](TxnId txn) { return order_.position(events_.commit(txn)); };
  std::vector<Lit> lits;
  const auto add = [&](TxnId before, TxnId after) {
    const std::optional<Lit> lit = find_literal({before, after});
    ISOLDE_CHECK(lit && solver_->is_true(*lit));
    add_once(lits, *lit);
  };
  add(pair.first, pair.second);
  for_deleters(pair, [&](TxnId txn) {
    if (position(txn) < position(pair.first)) return add(txn, pair.first);
    ISOLDE_CHECK(position(pair.second) < position(txn));
    add(pair.second, txn);
  });
  LabelledEdge label;
  label.edge = {pair.first, pair.second, EdgeKind::kVersionOrder, pair.key, TxnId::none()};
  label.replaces = static_cast<std::uint32_t>(replacements_.size());
  replacements_.push_back(std::move(lits));
  return label;
}

}  // namespace isolde::checker
