#include "minimize/between.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "explain/evidence.hpp"
#include "explain/writers.hpp"

namespace isolde::minimize {
namespace {

/// The cycle of a proof that is a single cycle.
const std::vector<Edge>* only_cycle(const Certificate& proof) {
  const auto* const refutation = std::get_if<Refutation>(&proof.proof);
  if (refutation == nullptr || refutation->steps.size() != 1) return nullptr;
  return &refutation->steps.front().cycle;
}

/// Each history numbers its keys differently.
std::optional<KeyId> key_in(const History& whole, TxnId txn, const std::string& name) {
  for (const Op& op : whole.ops(txn)) {
    if (whole.json(whole.key_name(op.key)) == name) return op.key;
  }
  return std::nullopt;
}

/// The first version of a key that a transaction saw before it wrote the key.
struct Seen {
  Value value;                      ///< of a list its last element; null: the initial version
  std::span<const Value> elements;  ///< of a list
};

std::optional<Seen> seen_by(const History& whole, TxnId txn, KeyId key) {
  for (const Op& op : whole.ops(txn)) {
    if (op.key != key) continue;
    if (op.kind == OpKind::kRead) return Seen{op.value, {}};
    if (op.kind == OpKind::kReadList) {
      const std::span<const Value> list = explain::before_own_elements(whole, txn, op);
      return Seen{list.empty() ? Value() : list.back(), list};
    }
    if (op.kind == OpKind::kWrite || op.kind == OpKind::kAppend) break;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Skipping> skipping_edges(const History& whole, const History& part,
                                     const std::vector<TxnId>& origin,
                                     const Certificate& proof) {
  std::vector<Skipping> found;
  const std::vector<Edge>* const cycle = only_cycle(proof);
  if (cycle == nullptr) return found;
  const explain::Writers writers(whole);
  for (const Edge& edge : *cycle) {
    if (edge.kind != EdgeKind::kAntiDependency || edge.key.is_none()) continue;
    const TxnId reader = origin[edge.from.raw()];
    const TxnId writer = origin[edge.to.raw()];
    const auto key = key_in(whole, writer, part.json(part.key_name(edge.key)));
    if (!key) continue;
    const std::optional<Seen> missed = seen_by(whole, writer, *key);
    const std::optional<Seen> seen = seen_by(whole, reader, *key);
    if (!missed || !seen || missed->value.is_null() || missed->value == seen->value) continue;
    if (std::ranges::find(seen->elements, missed->value) != seen->elements.end()) continue;
    const auto who = writers.who_left(*key, missed->value);
    if (who.size() != 1) continue;
    const TxnId between = who.front().writer;
    const bool is_other = between != reader && between != writer &&
                          whole.status(between) == TxnStatus::kCommitted;
    if (is_other) found.push_back({reader, writer, between, *key});
  }
  return found;
}

}  // namespace isolde::minimize
