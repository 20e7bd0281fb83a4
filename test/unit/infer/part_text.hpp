// A part as text, for tests: a line for each transaction with its session, what it is of, reads
// and writes. Keys and transactions have their numbers in the whole, writes those in the part.
#pragma once

#include <string>

#include "infer/part.hpp"

namespace isolde::infer::test {

inline std::string text(const Part& part) {
  const Observations& seen = part.seen();
  const auto number = [](auto id) {
    return id.is_none() ? std::string("_") : std::to_string(id.raw());
  };
  std::string text;
  for (std::size_t t = 0; t < seen.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    text += part.history().session_name(part.history().session_of(txn)) + ": of " +
            number(part.whole(txn));
    for (const ReadFrom& read : seen.reads(txn)) {
      text += " r" + number(part.whole(read.key)) + "=" + number(read.source);
    }
    for (WriteId write = seen.first_write(txn); write != seen.end_write(txn);
         write = WriteId(write.raw() + 1)) {
      text += " w" + number(part.whole(seen.written_key(write))) + "=" + number(write);
    }
    text += "\n";
  }
  for (std::size_t k = 0; k < part.history().key_count(); ++k) {
    if (!seen.is_list(KeyId::at(k))) continue;
    text += "list " + number(part.whole(KeyId::at(k))) + ":";
    for (const WriteId write : seen.list_order(KeyId::at(k))) text += " " + number(write);
    text += "\n";
  }
  return text;
}

}  // namespace isolde::infer::test
