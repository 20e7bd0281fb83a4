// Reading back what a test has recorded.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "io/reader.hpp"
#include "isolde/history.hpp"
#include "isolde/recorder.hpp"
#include "unit/io/io_inputs.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde {

using io::message_of;
using io::TemporaryFolder;

inline std::unique_ptr<Recorder> open_recorder(const std::string& path,
                                               const RecorderOptions& options = {}) {
  auto recorder = Recorder::open(path, options);
  EXPECT_TRUE(recorder.ok()) << recorder.error().message;
  return std::move(*recorder);
}

inline std::string message_of(const Status& status) {
  return status.ok() ? "no error" : status.error().message;
}

/// As the program reads it: by detection, with what lies beside it.
inline History read_back(const std::string& path) {
  base::Budget budget;
  Result<History> history = io::read_history(path, "", budget);
  EXPECT_TRUE(history.ok()) << message_of(history);
  return std::move(history).value();
}

/// "a:0 r(x)=1 w(x)=2", one line for each transaction, with * or ! behind the name where it is
/// indeterminate or aborted.
inline std::vector<std::string> texts_of(const History& history) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    std::string text = history.txn_name(txn);
    if (history.status(txn) == TxnStatus::kIndeterminate) text += '*';
    if (history.status(txn) == TxnStatus::kAborted) text += '!';
    for (const Op& op : history.ops(txn)) text += " " + history.op_text(op);
    texts.push_back(text);
  }
  return texts;
}

}  // namespace isolde
