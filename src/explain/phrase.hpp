// Sentences about edges, version orders and transactions, the same words in every output.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "certify/sum_range.hpp"
#include "explain/core.hpp"
#include "explain/evidence.hpp"
#include "explain/sight.hpp"
#include "explain/writers.hpp"
#include "history/certificate.hpp"
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
  void mention(TxnId txn) { mentioned_.try_emplace(txn, mentioned_.size()); }
  /// How many were told of before it; none when it is not told of.
  std::optional<std::size_t> rank_of(TxnId txn) const;

 private:
  const History* history_;
  std::map<TxnId, std::string> names_;
  std::map<TxnId, std::size_t> mentioned_;
};

/// Makes sentences. Keeps references: history, names and writers outlive it.
class Phrase {
 public:
  Phrase(const History& history, const Names& names)
      : history_(history), names_(names), own_writers_(history), writers_(own_writers_) {}
  /// With tables that others use as well.
  Phrase(const Writers& writers, const Names& names)
      : history_(writers.history()), names_(names), own_writers_(history_), writers_(writers) {}
  Phrase(const Phrase&) = delete;
  Phrase& operator=(const Phrase&) = delete;

  /// What an edge holds by.
  struct Reason {
    Ground ground = Ground::kCertain;
    std::size_t step = 0;            ///< the one, from 1, that established its order; or 0
    const Edge* shown_by = nullptr;  ///< alone rules out the opposite of its order; or null
    const DirectOrder* direct = nullptr;  ///< shows its order, or that of `shown_by`; or null
    Taken taken = {};
    std::span<const CausalStep> path = {};  ///< from what a reader missed to the reader
    bool nested = false;                    ///< part of another reason
  };

  /// Why `edge.from` precedes `edge.to`, without full stop: "T2 read x = 5, which T1 wrote".
  std::string because(const Edge& edge, const Reason& reason) const;

  /// Ends the reason for an edge that takes for granted where a read came from: " (assumed, for
  /// others wrote this value too)". Where it ends by saying that it supposes the order, both
  /// stand in one bracket.
  void add_supposed(Ground ground, std::string& because) const;

  /// "T1 wrote x before T2"; of a key that both wrote where `about` is none.
  std::string order(VersionOrder order, KeyId about = {}) const;

  /// "T2 read x = 5 from T1", "T2 did not read x = 5 from T1", "T1 took effect".
  std::string claim(const Claim& claim) const;

  /// What the finding saw, without full stop.
  std::string finding(const Finding& finding) const;
  /// The same of one about what increments add up to.
  std::string sums(const certify::SumRange& range, TxnId reader) const;

  /// "x = 5" or "key 7 = 5": what an operation read or wrote; of a long list "key 7 up to 99
  /// (40 elements)".
  std::string state(const Op& op) const;
  /// " among rows with state open"; nothing of a row that was looked for by its key alone.
  std::string among(const Op& read) const;
  /// The same of a read, with its number among those of the transaction that have the same
  /// words and tell their version in part only: "x = {a: 1} (2nd such read)".
  std::string seen(OpRef read) const;
  /// "read x = 1", or what was computed of rows, of which no single one is known to be read.
  std::string on_record(OpRef read) const;
  std::string item(OpRef read, TxnId writer) const;
  std::string key(KeyId key) const;
  /// "write of x", "append to x", "deletion of x": what the transaction did to it in the end.
  std::string change(TxnId txn, KeyId key) const;

 private:
  std::string among_equal(OpRef read) const;
  std::string read_from(const Edge& edge, Taken taken) const;
  std::string version_order(const Edge& edge, const Reason& reason) const;
  std::string anti_dependency(const Edge& edge, const Reason& reason) const;
  std::string monotonic_view(const Edge& edge, Taken taken) const;
  std::string visible(const Edge& edge, const Reason& reason) const;
  /// ": T3 came after T1 in its session and T2 read y = 3 from T3".
  std::string causes(const Reason& reason) const;
  std::string database_time(const Edge& edge) const;
  std::string real_time(const Edge& edge) const;
  std::string did(TxnId txn, KeyId key) const;
  bool deleted(TxnId txn, KeyId key) const;
  std::string replaced(TxnId txn, KeyId key) const;
  std::string value(TxnId txn, KeyId key) const;
  std::optional<OpRef> last_read(TxnId reader, KeyId key, TxnId writer, Taken taken) const;
  std::string read(TxnId reader, KeyId key, TxnId writer, Taken taken) const;
  std::string element(const Op& read, std::size_t at) const;
  std::string seen_of(OpRef read, TxnId writer) const;
  std::string order_seen(const DirectOrder& direct, KeyId key) const;
  std::string witness(const Op& read, TxnId reader, TxnId writer) const;
  std::string disagreement(const Finding& finding) const;
  std::string with_writers(OpRef read) const;
  /// "T2 or T3"; empty where there are none, or too many to name.
  std::string either_of(const std::vector<TxnId>& writers) const;
  /// " (appended by T2)", of the element that the finding is about.
  std::string appended_by(const Finding& finding) const;
  std::string own_past(const Finding& finding) const;
  std::string other_type(KeyId key, Value value) const;
  std::string gone(const Op& read) const;
  std::string row_finding(const Finding& finding) const;
  std::string list_finding(const Finding& finding, const std::string& element) const;
  std::string shown(VersionOrder order, const DirectOrder& direct, KeyId key) const;
  std::string why_older(const Edge& edge, const Reason& reason) const;
  /// ", for T2 read y = 3 from T1", " (T2 read y = 3 from T1)", " (step 2)", " (assumed)".
  std::string why(VersionOrder order, const Reason& reason, KeyId key) const;

  const History& history_;
  const Names& names_;
  Writers own_writers_;  // made when a sentence first needs it, which few do
  const Writers& writers_;
};

/// When more may have written a value, none of them is named.
inline constexpr std::size_t kWritersTold = 3;

/// r(x)=[1 2 ... 98 99] (40 elements) with long lists shortened; otherwise History::op_text.
std::string op_text(const History& history, const Op& op);
/// The same, and the whole aggregate for an item: count(rows with qty 3) = 2.
std::string op_text(const History& history, OpRef ref);

/// "1.250 ms"; three decimals of the largest unit that gives at least one.
std::string duration_text(std::int64_t nanoseconds);

}  // namespace isolde::explain
