// ReadNotes: problems with the reads of a part of the history or of all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "infer/observations.hpp"

namespace isolde::infer {

/// The first of each kind.
struct ReadNotes {
  std::optional<Finding> finding;
  std::optional<Finding> non_repeatable;
  std::string ambiguity;

  bool stopped() const { return finding || !ambiguity.empty(); }

  void add_finding(FindingKind kind, TxnId txn, std::size_t op, std::size_t element = 0,
                   TxnId other = {}, std::size_t other_op = 0) {
    if (finding) return;
    finding = Finding{kind,
                      txn,
                      static_cast<std::uint32_t>(op),
                      static_cast<std::uint32_t>(element),
                      other,
                      static_cast<std::uint32_t>(other_op)};
  }

  void add_non_repeatable(TxnId txn, std::size_t op, std::uint32_t earlier) {
    if (non_repeatable) return;
    non_repeatable = Finding{FindingKind::kNonRepeatableRead,
                             txn,
                             static_cast<std::uint32_t>(op),
                             0,
                             TxnId::none(),
                             earlier};
  }

  void add_later(ReadNotes&& later) {
    if (!finding) finding = later.finding;
    if (!non_repeatable) non_repeatable = later.non_repeatable;
    if (ambiguity.empty()) ambiguity = std::move(later.ambiguity);
  }
};

}  // namespace isolde::infer
