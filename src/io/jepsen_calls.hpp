// Logs of single operations: a process invokes one and learns its end, in the order of the
// log. What such logs share, whatever their syntax and whatever the operations are:
//
//   :ok      it happened
//   :fail    it did not happen
//   :info    or no end at all: it may have happened, at any time since. The process is not used
//            again; should its id come back all the same, that is another session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/jepsen_ops.hpp"
#include "isolde/history_builder.hpp"
#include "isolde/status.hpp"

namespace isolde::io {

/// An invocation with its end. Times are positions in the log.
struct JepsenCall {
  std::int64_t process = 0;
  std::uint32_t life = 0;  ///< how often the process id was retired before
  std::uint64_t line = 0;  ///< of the invocation
  std::uint64_t end_line = 0;
  TxnStatus status = TxnStatus::kIndeterminate;
  TxnTimes times;
};

class JepsenCalls {
 public:
  /// Takes in the log's next line and tells the number of the call that it begins or ends.
  /// ERRORS: an invocation while another is open; an end without invocation.
  Result<std::size_t> add(JepsenType type, std::int64_t process, std::string_view file,
                          std::uint64_t line);

  std::size_t size() const { return calls_.size(); }
  JepsenCall& operator[](std::size_t call) { return calls_[call]; }
  const JepsenCall& operator[](std::size_t call) const { return calls_[call]; }

  /// Begins the call's transaction in its process's session.
  void begin_txn(HistoryBuilder& builder, std::size_t call) const;

 private:
  struct Process {
    std::optional<std::size_t> open;
    std::uint32_t life = 0;
  };

  std::vector<JepsenCall> calls_;
  std::unordered_map<std::int64_t, Process> processes_;
  std::int64_t clock_ = 0;
};

}  // namespace isolde::io
