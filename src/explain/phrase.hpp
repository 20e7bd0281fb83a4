// Sentences about edges, version orders and transactions, the same words in every output.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "explain/core.hpp"
#include "isolde/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// How transactions are called: by their own names (s1:4) or by the short names of a narrative
/// (T1) where one was given.
class Names {
 public:
  explicit Names(const History& history) : history_(&history) {}
  void give(TxnId txn, std::string name) {
    names_[txn] = std::move(name);
    mention(txn);
  }
  std::string of(TxnId txn) const;

  /// The transaction is told of, so that a sentence may call it to witness.
  void mention(TxnId txn) { mentioned_.push_back(txn); }
  std::span<const TxnId> mentioned() const { return mentioned_; }

 private:
  const History* history_;
  std::map<TxnId, std::string> names_;
  std::vector<TxnId> mentioned_;
};

/// Makes sentences. Keeps references: history and names outlive it.
class Phrase {
 public:
  Phrase(const History& history, const Names& names) : history_(history), names_(names) {}

  /// Why `edge.from` precedes `edge.to`, without full stop: "T2 read x = 5, which T1 wrote".
  /// `step` is the number, from 1, of the step that established the order; 0 when none did.
  /// `shown_by`: a dependency that alone rules out the opposite order, or null.
  std::string because(const Edge& edge, Ground ground, std::size_t step,
                      const Edge* shown_by = nullptr) const;

  /// "T1 wrote x before T2"; of a key that both wrote where `about` is none.
  std::string order(VersionOrder order, KeyId about = {}) const;

  /// "T2 read x = 5 from T1", "T2 did not read x = 5 from T1", "T1 took effect".
  std::string claim(const Claim& claim) const;

  /// What the finding saw, without full stop.
  std::string finding(const Finding& finding) const;

  /// "x = 5" or "key 7 = 5": what an operation read or wrote; of a long list "key 7 up to 99
  /// (40 elements)".
  std::string state(const Op& op) const;
  std::string key(KeyId key) const;

 private:
  struct Reason {
    Ground ground;
    std::size_t step;
    const Edge* shown_by;
    bool nested = false;  ///< part of another reason
  };
  std::string reason(const Edge& edge, const Reason& reason) const;

  std::string read_from(const Edge& edge) const;
  std::string version_order(const Edge& edge, const Reason& reason) const;
  std::string anti_dependency(const Edge& edge, const Reason& reason) const;
  std::string monotonic_view(const Edge& edge) const;
  std::string visible(const Edge& edge) const;
  /// ": T3 came after T1 in its session and T2 read y = 3 from T3".
  std::string causes(TxnId cause, TxnId effect) const;
  std::string database_time(const Edge& edge) const;
  std::string real_time(const Edge& edge) const;
  const char* verb(KeyId key) const;
  std::string written(TxnId txn, KeyId key) const;
  std::string value(TxnId txn, KeyId key) const;
  std::string read(TxnId reader, KeyId key, TxnId writer) const;
  std::string element(const Op& read, std::size_t at) const;
  std::string seen_of(const Op& read, TxnId writer) const;
  std::string order_seen(const Op& read, VersionOrder order, KeyId key) const;
  std::string witness(const Op& read, TxnId reader, TxnId writer) const;
  std::string disagreement(const Finding& finding) const;
  std::string own_past(const Finding& finding) const;
  std::string other_type(KeyId key, Value value) const;
  std::string list_finding(const Finding& finding, const std::string& element) const;
  std::string lacking(VersionOrder order, KeyId key) const;
  std::string why_older(const Edge& edge, const Reason& reason) const;
  /// ", for T2 read y = 3 from T1", " (T2 read y = 3 from T1)", " (step 2)", " (assumed)".
  std::string why(VersionOrder order, const Reason& reason, KeyId key) const;

  const History& history_;
  const Names& names_;
};

/// Ends the reason for an edge that takes for granted where a read came from.
inline constexpr const char* kSupposed = " (assumed, for others wrote this value too)";

/// r(x)=[1 2 ... 98 99] (40 elements) with long lists shortened; otherwise History::op_text.
std::string op_text(const History& history, const Op& op);

/// "1.250 ms"; three decimals of the largest unit that gives at least one.
std::string duration_text(std::int64_t nanoseconds);

}  // namespace isolde::explain
