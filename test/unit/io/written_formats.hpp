// One history of registers in the formats that Isolde reads: bytes for tests that need a file
// of a certain size in each of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/native.hpp"
#include "unit/io/foreign_input.hpp"

namespace isolde::io {

struct PlainOp {
  bool write = false;
  std::uint64_t key = 0;
  std::uint64_t value = 0;   ///< 0: the initial state. Each value is written once
  std::uint64_t writer = 0;  ///< of a read: which transaction's write it saw
};

struct PlainTxn {
  std::uint64_t number = 0;  ///< from 1
  std::uint64_t session = 0;
  std::vector<PlainOp> ops;
};

/// Names within the folder, or one file, and what is in it.
using Files = std::vector<std::pair<std::string, std::string>>;

/// Transactions one after the other, in turns by two sessions; each reads two keys and writes
/// them. With `lose_update`, one in the middle reads a version that was overwritten.
inline std::vector<PlainTxn> plain_history(std::uint64_t txns, bool lose_update) {
  constexpr std::uint64_t kKeys = 16;
  std::vector<PlainOp> state(kKeys);
  std::vector<PlainTxn> history;
  std::uint64_t last_value = 0;
  for (std::uint64_t i = 0; i < txns; ++i) {
    PlainTxn txn{i + 1, i % 2, {}};
    for (const std::uint64_t key : {i % kKeys, (i * 7 + 3) % kKeys}) {
      if (!txn.ops.empty() && txn.ops.front().key == key) continue;
      txn.ops.push_back({false, key, state[key].value, state[key].writer});
      txn.ops.push_back({true, key, ++last_value, txn.number});
      // The write is forgotten: the next transaction reads what this one read.
      if (!(lose_update && i == txns / 2)) state[key] = txn.ops.back();
    }
    history.push_back(std::move(txn));
  }
  return history;
}

/// Single calls on one key, one after the other: writes and reads in turns. With `stale`, a
/// read in the middle returns what was overwritten.
inline std::vector<PlainTxn> plain_calls(std::uint64_t calls, bool stale) {
  std::vector<PlainTxn> history;
  for (std::uint64_t i = 0; i < calls; ++i) {
    const bool write = i % 2 == 0;
    const std::uint64_t now = i / 2 + 1;
    const std::uint64_t value = stale && i / 2 == calls / 4 && !write ? now - 1 : now;
    history.push_back({i + 1, i % 2, {{write, 0, value, value * 2 - 1}}});
  }
  return history;
}

inline std::vector<PlainTxn> of_session(const std::vector<PlainTxn>& history,
                                        std::uint64_t session) {
  std::vector<PlainTxn> found;
  for (const PlainTxn& txn : history) {
    if (txn.session == session) found.push_back(txn);
  }
  return found;
}

inline Files as_dbcop(const std::vector<PlainTxn>& history) {
  Bytes bytes;
  for (std::uint64_t i = 0; i < 5; ++i) bytes.little64(i);
  bytes.little64(4).text("test").little64(19).text("2019-04-02T10:59:36").little64(0);
  bytes.little64(2);
  for (const std::uint64_t session : {0UL, 1UL}) {
    const std::vector<PlainTxn> txns = of_session(history, session);
    bytes.little64(txns.size());
    for (const PlainTxn& txn : txns) {
      bytes.little64(txn.ops.size());
      for (const PlainOp& op : txn.ops) {
        bytes.tag(op.write ? 1 : 0).little64(op.key).little64(op.value).tag(1);
      }
      bytes.tag(1);
    }
  }
  return {{"history.bincode", bytes.str()}};
}

inline Files as_cobra(const std::vector<PlainTxn>& history) {
  constexpr std::uint64_t kInitial = 0xbebeebee;
  Files files;
  for (const std::uint64_t session : {0UL, 1UL}) {
    Bytes bytes;
    for (const PlainTxn& txn : of_session(history, session)) {
      bytes.tag('S').big64(txn.number);
      for (const PlainOp& op : txn.ops) {
        bytes.tag(op.write ? 'W' : 'R');
        if (!op.write) bytes.big64(op.value == 0 ? kInitial : op.writer);
        bytes.big64(op.value == 0 ? kInitial : op.value).big64(op.key).big64(op.value);
      }
      bytes.tag('C').big64(txn.number);
    }
    files.emplace_back("T" + std::to_string(session) + ".log", bytes.str());
  }
  return files;
}

inline Files as_vbox(const std::vector<PlainTxn>& history) {
  Files files;
  for (const std::uint64_t session : {0UL, 1UL}) {
    Bytes bytes;
    const auto record = [&](char tag, std::uint64_t id, std::uint64_t start,
                            std::uint64_t end) -> Bytes& {
      return bytes.tag(tag).little32(id).little64(start).little64(end);
    };
    const std::vector<PlainTxn> txns = of_session(history, session);
    for (const PlainTxn& txn : txns) {
      const std::uint64_t start = txn.number * 100;
      record('T', txn.number, start, start + 50);
      const auto operation = [&](const PlainOp& op) {
        record(op.write ? 'W' : 'R', op.write ? op.value : 0, start + 10, start + 20);
        bytes.little64(op.key);
        if (op.write) {
          bytes.little64(0).little32(op.value);
        } else {
          bytes.little32(op.writer).little32(op.value);
        }
      };
      for (const PlainOp& op : txn.ops) operation(op);
      // The last operation is there twice, so that no record ends at a power of two.
      if (&txn == &txns.front()) operation(txn.ops.back());
      record('C', 0, start + 40, start + 50);
    }
    files.emplace_back(std::to_string(session) + ".log", bytes.str());
  }
  return files;
}

inline History history_of(const std::vector<PlainTxn>& history) {
  const std::string bytes = as_dbcop(history).front().second;
  return read_with("dbcop", one_file("history.bincode", bytes)).value();
}

inline Files as_native(const std::vector<PlainTxn>& history) {
  StringSink sink;
  EXPECT_TRUE(write_native(history_of(history), sink).ok());
  return {{"history.jsonl", sink.text()}};
}

inline Files as_native_binary(const std::vector<PlainTxn>& history) {
  StringSink sink;
  EXPECT_TRUE(write_native_binary(history_of(history), sink, false).ok());
  return {{"history.isolde", sink.text()}};
}

}  // namespace isolde::io
