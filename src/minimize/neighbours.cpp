#include "minimize/neighbours.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

#include "base/hash.hpp"
#include "explain/core.hpp"
#include "infer/observations.hpp"

namespace isolde::minimize {
namespace {

void sort_out(std::vector<TxnId>& txns) {
  std::sort(txns.begin(), txns.end());
  txns.erase(std::unique(txns.begin(), txns.end()), txns.end());
  while (!txns.empty() && txns.back().is_none()) txns.pop_back();
}

std::vector<TxnId> users_of(const History& history, KeyId key) {
  std::vector<TxnId> users;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const std::span<const Op> ops = history.ops(TxnId::at(t));
    const bool uses = std::any_of(
        ops.begin(), ops.end(), [&](const Op& op) { return op.key == key && op.uses_item(); });
    if (uses) users.push_back(TxnId::at(t));
  }
  return users;
}

/// Paths of session order, reads and, where it binds, real time, from effects back to causes.
class CausePaths {
 public:
  CausePaths(const infer::Observations& seen, const LevelInfo& level,
             std::int64_t clock_error_ns)
      : seen_(seen), history_(seen.history()), clock_error_ns_(clock_error_ns) {
    if (!level.real_time) return;
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (history_.status(txn) != TxnStatus::kCommitted) continue;
      if (history_.times(txn).end != kNoTime) by_end_.push_back(txn);
    }
    std::sort(by_end_.begin(), by_end_.end(),
              [&](TxnId a, TxnId b) { return history_.times(a).end < history_.times(b).end; });
  }

  /// The transactions between the two on a shortest path, or none.
  std::vector<TxnId> between(TxnId cause, TxnId effect) {
    effect_of_.assign(history_.txn_count(), TxnId());
    open_ = {effect};
    ended_ = 0;
    for (std::size_t next = 0; next < open_.size(); ++next) {
      if (open_[next] == cause) return path(cause, effect);
      visit_causes(open_[next]);
    }
    return {};
  }

 private:
  void visit(TxnId cause, TxnId effect) {
    if (!seen_.is_included(cause) || effect_of_[cause.raw()].is_some()) return;
    effect_of_[cause.raw()] = effect;
    open_.push_back(cause);
  }

  void visit_causes(TxnId txn) {
    for (const infer::ReadFrom& read : seen_.reads(txn)) {
      if (read.source.is_some()) visit(seen_.writer(read.source), txn);
    }
    const std::span<const TxnId> session = history_.session_txns(history_.session_of(txn));
    for (std::uint32_t at = history_.position_of(txn); at-- > 0;) {
      visit(session[at], txn);
      if (seen_.is_included(session[at])) break;  // the others are its causes
    }
    const std::int64_t start = history_.times(txn).start;
    if (start == kNoTime) return;
    for (; ended_ < by_end_.size(); ++ended_) {
      if (history_.times(by_end_[ended_]).end >= start - clock_error_ns_) break;
      visit(by_end_[ended_], txn);
    }
  }

  std::vector<TxnId> path(TxnId cause, TxnId effect) const {
    std::vector<TxnId> txns;
    for (TxnId txn = cause; txn != effect; txn = effect_of_[txn.raw()]) txns.push_back(txn);
    return txns;
  }

  const infer::Observations& seen_;
  const History& history_;
  std::int64_t clock_error_ns_;
  std::vector<TxnId> by_end_;     // committed ones, where real time binds
  std::size_t ended_ = 0;         // the first of these have been visited
  std::vector<TxnId> effect_of_;  // by transaction: the next one on its path
  std::vector<TxnId> open_;       // in the order of visits
};

/// Collects what widened() adds, in two passes over the history.
class Widening {
 public:
  Widening(const History& history, SessionId session, Reach reach)
      : history_(history), session_(session), reach_(reach), keys_(history.key_count()) {}

  std::vector<TxnId> run(const std::vector<TxnId>& txns) {
    for (const TxnId txn : txns) ask_about(txn);
    for (std::size_t t = 0; t < history_.txn_count(); ++t) look_at(TxnId::at(t));
    std::vector<TxnId> all = txns;
    all.insert(all.end(), found_.begin(), found_.end());
    for (const auto& [writer, reader] : readers_) all.push_back(reader);
    for (const auto& [key, longest] : longest_) all.push_back(longest.reader);
    sort_out(all);
    return all;
  }

 private:
  struct Version {
    KeyId key;
    Value value;
    friend bool operator==(const Version&, const Version&) = default;
  };
  struct VersionHash {
    std::size_t operator()(const Version& version) const {
      return base::mix2(version.key.raw(), version.value.bits());
    }
  };
  struct Interest {
    bool is_read = false;
    TxnId in_doubt;  ///< its writer, if the outcome is unknown
  };
  struct Longest {
    std::size_t size = 0;
    TxnId reader;
  };
  enum KeyFlag : std::uint8_t { kVersions = 1, kAllWriters = 2, kLongest = 4 };

  Interest& interest(KeyId key, Value value) {
    keys_[key.raw()] |= kVersions;
    return versions_[{key, value}];
  }

  void ask_about(TxnId txn) {
    own_.clear();
    for (const Op& op : history_.ops(txn)) {
      if (op.is_write()) {
        if (op.kind == OpKind::kAppend) keys_[op.key.raw()] |= kLongest;
        if (op.kind == OpKind::kAppend) own_.insert({op.key, op.value});
        if (history_.status(txn) == TxnStatus::kIndeterminate) {
          interest(op.key, op.value).in_doubt = txn;
        }
      } else if (op.is_exclusion() && reach_ == Reach::kAll) {
        keys_[op.key.raw()] |= kAllWriters;
      } else if (op.kind == OpKind::kReadMatch && reach_ != Reach::kReaders) {
        keys_[op.key.raw()] |= kAllWriters;
      } else if (op.is_read() && reach_ != Reach::kReaders) {
        ask_about(op);
      }
    }
  }

  void ask_about(const Op& read) {
    if (read.kind == OpKind::kRead) {
      interest(read.key, read.value).is_read = true;
      return;
    }
    const std::span<const Value> list = history_.list(read);
    for (std::size_t i = list.size(); i-- > 0;) {
      interest(read.key, list[i]).is_read = true;
      if (reach_ != Reach::kAll && !own_.contains({read.key, list[i]})) break;
    }
  }

  void look_at(TxnId txn) {
    if (history_.status(txn) == TxnStatus::kAborted && reach_ == Reach::kReaders) {
      return;
    }
    for (const Op& op : history_.ops(txn)) {
      const std::uint8_t flags = keys_[op.key.raw()];
      if (flags == 0) continue;
      if (op.is_write()) {
        look_at_write(txn, op, flags);
      } else if (op.is_read() && history_.status(txn) != TxnStatus::kAborted) {
        look_at_read(txn, op, flags);
      }
    }
  }

  void look_at_write(TxnId txn, const Op& op, std::uint8_t flags) {
    bool wanted = (flags & kAllWriters) != 0;
    if (const auto known = versions_.find({op.key, op.value}); known != versions_.end()) {
      wanted = wanted || known->second.is_read;
    }
    if (wanted) found_.push_back(txn);
  }

  void look_at_read(TxnId txn, const Op& op, std::uint8_t flags) {
    if (op.kind == OpKind::kRead) return look_at_value(txn, {op.key, op.value});
    if ((flags & kVersions) != 0) {
      for (const Value element : history_.list(op)) look_at_value(txn, {op.key, element});
    }
    const bool counts = history_.status(txn) == TxnStatus::kCommitted &&
                        (session_.is_none() || history_.session_of(txn) == session_);
    if ((flags & kLongest) == 0 || !counts) return;
    Longest& longest = longest_[op.key.raw()];
    if (history_.list(op).size() > longest.size) longest = {history_.list(op).size(), txn};
  }

  /// Prefers committed readers.
  void look_at_value(TxnId txn, Version version) {
    const auto known = versions_.find(version);
    if (known == versions_.end() || known->second.in_doubt.is_none()) return;
    if (known->second.in_doubt == txn) return;
    TxnId& reader = readers_[known->second.in_doubt.raw()];
    const bool is_better =
        reader.is_none() || (history_.status(reader) != TxnStatus::kCommitted &&
                             history_.status(txn) == TxnStatus::kCommitted);
    if (is_better) reader = txn;
  }

  const History& history_;
  SessionId session_;
  Reach reach_;
  std::vector<std::uint8_t> keys_;  // flags
  std::unordered_map<Version, Interest, VersionHash> versions_;
  std::unordered_set<Version, VersionHash> own_;      // appended by the transaction asked about
  std::unordered_map<std::uint32_t, TxnId> readers_;  // by writer
  std::unordered_map<std::uint32_t, Longest> longest_;  // by key
  std::vector<TxnId> found_;
};

}  // namespace

std::vector<TxnId> named_txns(const History& history, const Certificate& certificate) {
  std::vector<TxnId> txns;
  if (const auto* finding = std::get_if<Finding>(&certificate.proof)) {
    txns = {finding->txn, finding->other};
  } else if (const auto* exhaustion = std::get_if<KeyExhaustion>(&certificate.proof)) {
    txns = users_of(history, exhaustion->key);
  } else if (const auto* refutation = std::get_if<Refutation>(&certificate.proof)) {
    for (const explain::CoreStep& step : explain::proof_core(history, *refutation)) {
      for (const VersionOrder& order : step.clause) {
        txns.insert(txns.end(), {order.before, order.after});
      }
      for (const Edge& edge : step.cycle) {
        txns.insert(txns.end(), {edge.from, edge.to, edge.via});
      }
      for (const Claim& claim : step.claims) {
        txns.insert(txns.end(), {claim.source.txn, claim.source.writer});
      }
    }
  }
  sort_out(txns);
  return txns;
}

std::vector<TxnId> causes_of_views(const History& history, const Certificate& certificate,
                                   base::Budget& budget) {
  const auto* const refutation = std::get_if<Refutation>(&certificate.proof);
  if (refutation == nullptr) return {};
  std::vector<Edge> views;
  for (const RefutationStep& step : refutation->steps) {
    std::copy_if(step.cycle.begin(), step.cycle.end(), std::back_inserter(views),
                 [](const Edge& edge) { return edge.kind == EdgeKind::kCausalView; });
  }
  if (views.empty()) return {};
  const infer::Observations seen = infer::observe(history, budget);
  if (budget.exhausted() || seen.finding() || !seen.ambiguity().empty()) return {};
  CausePaths paths(seen, info(certificate.level), certificate.clock_error_ns);
  std::vector<TxnId> txns;
  for (const Edge& edge : views) {
    const std::vector<TxnId> path = paths.between(edge.from, edge.via);
    txns.insert(txns.end(), path.begin(), path.end());
  }
  sort_out(txns);
  return txns;
}

std::vector<TxnId> widened(const History& history, const std::vector<TxnId>& txns,
                           SessionId session, Reach reach) {
  return Widening(history, session, reach).run(txns);
}

}  // namespace isolde::minimize
