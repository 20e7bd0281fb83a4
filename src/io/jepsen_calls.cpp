#include "io/jepsen_calls.hpp"

#include "io/bad_input.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {

Result<std::size_t> JepsenCalls::add(JepsenType type, std::int64_t process,
                                     std::string_view file, std::uint64_t line) {
  ++clock_;
  Process& caller = processes_[process];
  if (type == JepsenType::kInvoke) {
    if (caller.open) {
      return bad_line(file, line,
                      "found :invoke of process " + std::to_string(process) +
                          "; expected the end of the one in line " +
                          std::to_string(calls_[*caller.open].line) + " first");
    }
    caller.open = calls_.size();
    JepsenCall& call = calls_.emplace_back();
    call.process = process;
    call.life = caller.life;
    call.line = line;
    call.times.start = clock_;
    return *caller.open;
  }
  if (!caller.open) {
    return bad_line(file, line,
                    "found the end of an operation that process " + std::to_string(process) +
                        " did not invoke; expected :invoke");
  }
  const std::size_t ended = *caller.open;
  caller.open.reset();
  calls_[ended].end_line = line;
  if (type == JepsenType::kInfo) {
    ++caller.life;
    return ended;
  }
  calls_[ended].status = type == JepsenType::kOk ? TxnStatus::kCommitted : TxnStatus::kAborted;
  calls_[ended].times.end = clock_;
  return ended;
}

void JepsenCalls::begin_txn(HistoryBuilder& builder, std::size_t call) const {
  const JepsenCall& begun = calls_[call];
  std::string session = std::to_string(begun.process);
  if (begun.life > 0) (session += '.') += std::to_string(begun.life);
  builder.begin_txn(builder.session(session), begun.line);
  builder.set_status(begun.status);
  builder.set_times(begun.times);
  builder.set_completion_in_input(begun.end_line);
  builder.origin().times_are_order = true;
}

}  // namespace isolde::io
