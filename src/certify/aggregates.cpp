#include "certify/aggregates.hpp"

#include <algorithm>
#include <map>

#include "base/assert.hpp"

namespace isolde::certify {
namespace {

__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): as in Tally

/// What the version puts into the aggregate, if anything. Null: the initial one.
std::optional<std::int64_t> part(const History& history, const Selection& selection, KeyId key,
                                 Value version) {
  const Aggregate& asked = *history.aggregate(selection);
  version = history.plain(version.is_null() ? history.initial(key) : version);
  if (!history.selects(history.predicates()[selection.predicate], version)) {
    return std::nullopt;
  }
  if (asked.kind == AggregateKind::kCount || asked.kind == AggregateKind::kExists) return 1;
  Value held = version;
  if (!asked.column.is_null()) {
    if (!history.is_row(version)) return std::nullopt;
    held = history.column(version, asked.column);
  }
  if (held.kind() != Value::Kind::kInteger) return std::nullopt;
  return held.as_integer();
}

/// Results that are not ruled out. Each item reads one of some versions.
class Bounds {
 public:
  Bounds(const History& history, const Selection& selection)
      : history_(history), selection_(selection), asked_(*history.aggregate(selection)) {}

  /// False: the item has no version to read, so there is no such execution.
  bool add_item(KeyId key, std::span<const Value> versions) {
    bool may_be_left_out = false;
    std::optional<std::int64_t> least;
    std::optional<std::int64_t> most;
    bool meets = false;
    for (const Value version : versions) {
      const std::optional<std::int64_t> one = part(history_, selection_, key, version);
      if (!one) {
        may_be_left_out = true;
        continue;
      }
      least = std::min(least.value_or(*one), *one);
      most = std::max(most.value_or(*one), *one);
      meets = meets || one == asked_.result;
    }
    if (least) {
      at_most_ += 1;
      at_least_ += may_be_left_out ? 0 : 1;
      sum_from_ += may_be_left_out ? std::min<std::int64_t>(*least, 0) : *least;
      sum_to_ += may_be_left_out ? std::max<std::int64_t>(*most, 0) : *most;
      if (meets) any_meets_ = true;
      if (!may_be_left_out && asked_.result) {
        all_below_ = all_below_ || *most < *asked_.result;
        all_above_ = all_above_ || *least > *asked_.result;
      }
    }
    return !versions.empty();
  }

  bool may_be_right() const {
    switch (asked_.kind) {
      case AggregateKind::kCount:
        return at_least_ <= *asked_.result && *asked_.result <= at_most_;
      case AggregateKind::kExists:
        return *asked_.result == 1 ? at_most_ > 0 : at_least_ == 0;
      case AggregateKind::kSum:
        if (!asked_.result) return at_least_ == 0;
        return at_most_ > 0 && sum_from_ <= *asked_.result && *asked_.result <= sum_to_;
      case AggregateKind::kMin:
        return asked_.result ? any_meets_ && !all_below_ : at_least_ == 0;
      case AggregateKind::kMax:
        return asked_.result ? any_meets_ && !all_above_ : at_least_ == 0;
    }
    return false;
  }

 private:
  const History& history_;
  const Selection& selection_;
  const Aggregate& asked_;
  std::int64_t at_least_ = 0;  // items that count
  std::int64_t at_most_ = 0;
  Wide sum_from_ = 0;
  Wide sum_to_ = 0;
  bool any_meets_ = false;  // some item may hold what was returned
  bool all_below_ = false;  // some item holds less, whatever it read
  bool all_above_ = false;
};

/// What the transaction itself has written to the key before the operation.
std::optional<Value> own_version(std::span<const Op> ops, std::uint32_t before, KeyId key) {
  for (std::uint32_t at = before; at-- > 0;) {
    if (ops[at].kind == OpKind::kWrite && ops[at].key == key) return ops[at].value;
  }
  return std::nullopt;
}

Value last_version(const History& history, TxnId writer, KeyId key) {
  if (writer.is_none()) return Value();
  const std::span<const Op> ops = history.ops(writer);
  return own_version(ops, static_cast<std::uint32_t>(ops.size()), key).value_or(Value());
}

}  // namespace

Objection check_aggregates(const History& history, TxnId txn,
                           std::span<const ExternalRead> reads,
                           std::span<const Position> sources, const CommittedStates& states) {
  return check_aggregates(history, txn, [&](std::uint32_t op) {
    const auto read = std::lower_bound(
        reads.begin(), reads.end(), op,
        [](const ExternalRead& each, std::uint32_t wanted) { return each.op < wanted; });
    ISOLDE_INVARIANT(read != reads.end() && read->op == op);
    return states.version_at(read->key,
                             sources[static_cast<std::size_t>(read - reads.begin())]);
  });
}

bool has_aggregate(const History& history, TxnId txn) {
  const std::span<const Selection> selections = history.selections(txn);
  return std::any_of(selections.begin(), selections.end(),
                     [](const Selection& each) { return each.is_aggregate(); });
}

Objection check_aggregates(const History& history, TxnId txn, const VersionRead& version_of) {
  if (!history.has_aggregates() || !has_aggregate(history, txn)) return kNoObjection;
  const std::span<const Op> ops = history.ops(txn);
  std::map<KeyId, Value> own;
  std::uint32_t next = 0;
  for (const Selection& selection : history.selections(txn)) {
    for (; next < selection.first; ++next) {
      if (ops[next].kind == OpKind::kWrite) own[ops[next].key] = ops[next].value;
    }
    if (!selection.is_aggregate()) continue;
    Bounds bounds(history, selection);
    for (std::uint32_t op = selection.first; op < selection.end(); ++op) {
      const auto written = own.find(ops[op].key);
      const Value version = written == own.end() ? version_of(op) : written->second;
      bounds.add_item(ops[op].key, std::span(&version, 1));
    }
    if (!bounds.may_be_right()) {
      return name_of(history, txn) + " computed " + history.text(selection) +
             ", which is not so of the versions that it read";
    }
  }
  return kNoObjection;
}

Objection check_wrong_result(const History& history, const RefutationStep& step,
                             PossibleSources& sources, bool is_certain) {
  const WrongResult& wrong = *step.wrong_result;
  if (!exists(history, wrong.txn) || history.status(wrong.txn) == TxnStatus::kAborted) {
    return "its aggregate is of no transaction that may have taken effect";
  }
  const std::span<const Selection> selections = history.selections(wrong.txn);
  if (wrong.selection >= selections.size() || !selections[wrong.selection].is_aggregate()) {
    return "there is no such aggregate";
  }
  if (history.origin().truncated) return "what is missing may have been counted, too";
  // What is taken for granted: that these transactions took effect, and these sources.
  std::map<std::uint32_t, TxnId> supposed;
  std::map<std::uint32_t, std::vector<TxnId>> excluded;
  for (const Claim& claim : step.claims) {
    const ReadSource& source = claim.source;
    if (claim.denied && (source.txn == wrong.txn || source.writer == wrong.txn)) {
      is_certain = true;
    }
    if (source.txn != wrong.txn || source.op == Claim::kNoOp) continue;
    if (claim.denied) {
      supposed.emplace(source.op, source.writer);
    } else {
      excluded[source.op].push_back(source.writer);
    }
  }
  if (!is_certain) return "the transaction of its aggregate need not have taken effect";
  const Selection& selection = selections[wrong.selection];
  const std::span<const Op> ops = history.ops(wrong.txn);
  Bounds bounds(history, selection);
  const std::vector<PossibleRead>& reads = sources.reads(wrong.txn);
  auto read = reads.begin();
  for (std::uint32_t op = selection.first; op < selection.end(); ++op) {
    const KeyId key = ops[op].key;
    if (const std::optional<Value> own = own_version(ops, selection.first, key)) {
      bounds.add_item(key, std::span(&*own, 1));
      continue;
    }
    while (read != reads.end() && read->op < op) ++read;
    if (read == reads.end() || read->op != op) {
      return "the level asks nothing of what its aggregate read";
    }
    std::vector<Value> versions;
    const auto known = supposed.find(op);
    const std::vector<TxnId>& not_these = excluded[op];
    const auto offer = [&](TxnId writer) {
      const bool is_out =
          known != supposed.end()
              ? known->second != writer
              : std::find(not_these.begin(), not_these.end(), writer) != not_these.end();
      if (!is_out) versions.push_back(last_version(history, writer, key));
    };
    if (read->is_initial) offer(TxnId::none());
    for (const TxnId writer : read->writers) offer(writer);
    if (!bounds.add_item(key, versions)) return kNoObjection;
  }
  return bounds.may_be_right() ? "its aggregate may have this result" : kNoObjection;
}

}  // namespace isolde::certify
