// Reasons for edges, read back.
#pragma once

#include <optional>
#include <string>

#include "explain/scenario.hpp"
#include "prop/sentence.hpp"

namespace isolde::prop {

/// One reason, from left to right. Each reader of a form leaves the sentence behind the form,
/// or notes what is wrong.
class ReasonReader {
 public:
  /// `supposed`: the reason takes for granted where a read came from, and will say so.
  ReasonReader(const History& history, Sentence& sentence, bool supposed)
      : history_(history), at_(sentence), supposed_(supposed) {}

  /// False when something is wrong; complaint() tells what.
  bool reason(const explain::ScenarioEdge& edge, bool nested = false);
  const std::string& complaint() const { return complaint_; }
  /// It said that it supposes the order, in a bracket that is to say more.
  bool left_open() const { return left_open_; }

 private:
  bool assumed(std::string_view words);
  bool wrong(std::string what);
  bool need(std::string_view words);
  bool need(TxnId txn);
  std::optional<Seen> read(TxnId reader, KeyId key = {});
  bool came_from(TxnId reader, const Seen& seen, TxnId writer, bool inside = false);
  bool is_earlier_read(TxnId txn, const Seen& seen, KeyId key);

  bool session_order(const Edge& edge);
  bool real_time(const Edge& edge);
  bool read_from(const Edge& edge);
  /// " wrote x = 5", and so on.
  bool did(TxnId writer, KeyId key);
  /// " and replaced it by 5" or " and deleted it".
  bool replaced_it(TxnId writer, KeyId key);
  bool found_nothing(TxnId reader, const Seen& seen) const;
  bool version_order(const explain::ScenarioEdge& edge, bool nested);
  bool anti_dependency(const explain::ScenarioEdge& edge, bool nested);
  bool missed_append(const explain::ScenarioEdge& edge, const Seen& seen);
  bool seen_by_another(const Edge& edge, const Seen& seen);
  bool missed_row(const explain::ScenarioEdge& edge, bool nested);
  bool monotonic_view(const Edge& edge);
  bool visible(const Edge& edge);
  bool causes(const Edge& edge);
  bool database_times(const Edge& edge);

  bool why_older(const explain::ScenarioEdge& edge, bool nested);
  bool why(VersionOrder order, const explain::ScenarioEdge& edge, bool nested);
  bool shown_order(VersionOrder order, KeyId key, bool nested);
  bool list_shows(VersionOrder order, const Op& read);
  bool lacking(VersionOrder order, TxnId reader, const Op& read);

  const History& history_;
  Sentence& at_;
  bool supposed_;
  std::string complaint_;
  bool left_open_ = false;
};

}  // namespace isolde::prop
