// Small histories with hand-made proofs for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "history/certificate.hpp"
#include "isolde/history.hpp"
#include "support/history_dsl.hpp"

namespace isolde::explain {

inline TxnId txn(std::uint32_t number) { return TxnId(number); }
/// Keys are numbered in the order of first use in the history.
inline KeyId key(std::uint32_t number) { return KeyId(number); }

inline Edge wr(std::uint32_t from, std::uint32_t to, std::uint32_t on) {
  return {txn(from), txn(to), EdgeKind::kReadFrom, key(on), {}};
}
inline Edge ww(std::uint32_t from, std::uint32_t to, std::uint32_t on) {
  return {txn(from), txn(to), EdgeKind::kVersionOrder, key(on), {}};
}
/// `via` defaults to the initial version.
inline Edge rw(std::uint32_t from, std::uint32_t to, std::uint32_t on, TxnId via = {}) {
  return {txn(from), txn(to), EdgeKind::kAntiDependency, key(on), via};
}
inline Edge so(std::uint32_t from, std::uint32_t to) {
  return {txn(from), txn(to), EdgeKind::kSessionOrder, {}, {}};
}
inline Edge rt(std::uint32_t from, std::uint32_t to) {
  return {txn(from), txn(to), EdgeKind::kRealTime, {}, {}};
}

inline Certificate certificate(Level level, std::vector<RefutationStep> steps) {
  return {level, 0, 0, Refutation{std::move(steps)}};
}
inline Certificate cycle_certificate(Level level, std::vector<Edge> cycle) {
  return certificate(level, {{{}, std::move(cycle), {}}});
}

inline History write_skew() {
  return support::parse("A: r(x=_) r(y=_) w(x=1)\nB: r(x=_) r(y=_) w(y=2)");
}
inline Certificate write_skew_proof() {
  return cycle_certificate(Level::kSerializable, {rw(0, 1, 1), rw(1, 0, 0)});
}

/// B saw one of A's two writes.
inline History fractured_read() { return support::parse("A: w(x=1) w(y=1)\nB: r(x=1) r(y=_)"); }
inline Certificate fractured_read_proof() {
  return cycle_certificate(Level::kReadAtomic,
                           {{TxnId(0), TxnId(0), EdgeKind::kAtomicView, KeyId(1), TxnId(1)}});
}

/// A circle of so many transactions, each of which missed what the one before wrote.
inline History long_skew(std::uint32_t txns) {
  std::string text;
  for (std::uint32_t i = 0; i < txns; ++i) {
    const std::string number = std::to_string(i);
    text += "S" + number + ": r(k" + number + "=_) w(k" + std::to_string((i + 1) % txns) + "=" +
            number + "); ";
  }
  return support::parse(text.substr(0, text.size() - 2));
}
inline Certificate long_skew_proof(const History& history) {
  const auto txns = static_cast<std::uint32_t>(history.txn_count());
  std::vector<Edge> cycle;
  for (std::uint32_t i = 0; i < txns; ++i) {
    const std::uint32_t writer = (txns - i - 1) % txns;
    const std::uint32_t reader = (writer + 1) % txns;
    cycle.push_back({txn(reader),
                     txn(writer),
                     EdgeKind::kAntiDependency,
                     history.ops(txn(reader))[0].key,
                     {}});
  }
  return cycle_certificate(Level::kSerializable, std::move(cycle));
}

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << text;
}

}  // namespace isolde::explain
