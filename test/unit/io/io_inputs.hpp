// Inputs and odd histories for tests of src/io.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.hpp"
#include "base/rng.hpp"
#include "io/native.hpp"
#include "io/reader.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {

/// A file as load() would give it, with nothing sensible in the padding.
inline Inputs inputs_of(std::string_view bytes) {
  std::string copy(bytes);
  copy.resize(bytes.size() + Input::kPadding, '"');
  copy.resize(bytes.size());
  Inputs inputs{"h", false, {}};
  inputs.files.emplace_back("h", std::move(copy));
  return inputs;
}

inline Result<History> read_native_text(std::string_view bytes) {
  base::Budget budget;
  return read_native(inputs_of(bytes), budget);
}

inline Result<History> read_binary_text(std::string_view bytes) {
  base::Budget budget;
  return read_native_binary(inputs_of(bytes), budget);
}

/// The message of a failed reading, "no error" otherwise.
inline std::string message_of(const Result<History>& result) {
  return result.ok() ? "no error" : result.error().message;
}

/// A line for each event: kind, text, name, part and time.
inline std::string events_of(const History& history) {
  std::string out;
  for (const RecordedEvent& event : history.events()) {
    for (const Value text : {event.kind, event.what, event.name}) {
      out += history.json(text) + " ";
    }
    out += std::to_string(static_cast<int>(event.part)) + " ";
    out += (event.at == kNoTime ? "-" : std::to_string(event.at)) + "\n";
  }
  return out;
}

/// Equal in everything that a format promises to keep.
inline void expect_same(const History& a, const History& b) {
  EXPECT_EQ(a.digest(), b.digest());
  EXPECT_EQ(a.origin().truncated, b.origin().truncated);
  EXPECT_EQ(a.origin().rows_are_deleted, b.origin().rows_are_deleted);
  EXPECT_EQ(a.origin().clock_origin, b.origin().clock_origin);
  EXPECT_EQ(a.origin().clock_host, b.origin().clock_host);
  EXPECT_EQ(a.origin().clock_monotonic_ns, b.origin().clock_monotonic_ns);
  EXPECT_EQ(a.origin().clock_error_ns, b.origin().clock_error_ns);
  EXPECT_EQ(a.origin().times_are_order, b.origin().times_are_order);
  EXPECT_EQ(a.origin().versions_are_ordered, b.origin().versions_are_ordered);
  EXPECT_EQ(a.has_versions(), b.has_versions());
  EXPECT_EQ(a.origin().database, b.origin().database);
  EXPECT_EQ(a.origin().isolation, b.origin().isolation);
  EXPECT_EQ(a.origin().product, b.origin().product);
  EXPECT_EQ(a.origin().promise, b.origin().promise);
  EXPECT_EQ(a.origin().notation, b.origin().notation);
  EXPECT_EQ(a.origin().no_promise, b.origin().no_promise);
  EXPECT_EQ(a.origin().notes, b.origin().notes);
  EXPECT_EQ(a.has_servers(), b.has_servers());
  EXPECT_EQ(events_of(a), events_of(b));
  ASSERT_EQ(a.session_count(), b.session_count());
  ASSERT_EQ(a.txn_count(), b.txn_count());
  ASSERT_EQ(a.op_count(), b.op_count());
  for (std::size_t i = 0; i < a.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    ASSERT_EQ(a.txn_name(txn), b.txn_name(txn));
    ASSERT_EQ(a.status(txn), b.status(txn));
    ASSERT_EQ(a.times(txn).start, b.times(txn).start);
    ASSERT_EQ(a.times(txn).end, b.times(txn).end);
    ASSERT_EQ(a.json(a.label(txn)), b.json(b.label(txn)));
    ASSERT_EQ(a.json(a.server(txn)), b.json(b.server(txn)));
    ASSERT_EQ(a.ops(txn).size(), b.ops(txn).size());
    for (std::size_t op = 0; op < a.ops(txn).size(); ++op) {
      ASSERT_EQ(a.op_text(a.ops(txn)[op]), b.op_text(b.ops(txn)[op]));
      ASSERT_EQ(a.key_name(a.ops(txn)[op].key).kind(), b.key_name(b.ops(txn)[op].key).kind());
      ASSERT_EQ(a.ops(txn)[op].kind, b.ops(txn)[op].kind);
      ASSERT_EQ(a.json(a.version(a.ops(txn)[op])), b.json(b.version(b.ops(txn)[op])));
    }
    ASSERT_EQ(a.selections(txn).size(), b.selections(txn).size());
    for (std::size_t at = 0; at < a.selections(txn).size(); ++at) {
      const Selection& one = a.selections(txn)[at];
      const Selection& two = b.selections(txn)[at];
      ASSERT_EQ(one.first, two.first);
      ASSERT_EQ(one.rows, two.rows);
      ASSERT_EQ(one.absents, two.absents);
      ASSERT_EQ(a.text(a.predicates()[one.predicate]), b.text(b.predicates()[two.predicate]));
    }
  }
}

}  // namespace isolde::io
