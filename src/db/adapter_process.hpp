// A program that drives a database for us: started by a command, asked and answering in lines
// of JSON over its standard input and output (docs/adapters.md). Any number of threads may ask
// at once; each answer says to which request it belongs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "db/cancelled.hpp"
#include "isolde/status.hpp"

namespace isolde::db {

class AdapterProcess {
 public:
  /// Starts the command with the system's shell, in a process group of its own, which is known
  /// to base/process_groups. What it writes to standard error goes where ours goes. ERRORS:
  /// kEnvironment.
  static Result<std::unique_ptr<AdapterProcess>> start(const std::string& command);
  /// For start().
  AdapterProcess(pid_t pid, int input, int output);
  /// Closes its input, gives it a moment to end unless end() did, and kills what is left of its
  /// group.
  ~AdapterProcess();
  AdapterProcess(const AdapterProcess&) = delete;
  AdapterProcess& operator=(const AdapterProcess&) = delete;

  /// Nothing more is to be heard from it, and whoever asked was told why.
  bool is_over();
  /// For the request's field "id".
  std::uint64_t next_id();

  /// Sends the line, without its line break, and waits for the answer to that id: one JSON
  /// object, as text. ERRORS: kLimit: no answer within the time, or before it is
  /// cancelled; kEnvironment: the program has
  /// ended; kBadInput: it does not keep to the protocol. Nothing more is to be heard from it
  /// after the last two. One line, without the command.
  Result<std::string> ask(std::uint64_t id, std::string_view line,
                          std::chrono::nanoseconds timeout, const Cancelled& cancelled = {});

  /// Closes its input, gives it a moment to end, and listens to what it says last. REQUIRES:
  /// nobody asks any more. ERRORS: kBadInput: that was no answer, or half a line, and nobody
  /// was told of it.
  Status end();

 private:
  using Clock = std::chrono::steady_clock;

  Status send(std::string_view line, Clock::time_point deadline);
  void hear(std::unique_lock<std::mutex>& lock, Clock::time_point deadline);
  void hear_to_its_end();
  Error tell_end();
  void listen(Clock::time_point deadline);
  void take_lines();
  void take_line(const std::string& line);
  std::string ending(std::string_view seen);
  void end_with(Error why);

  const pid_t pid_;
  const int input_;   // the program's standard input
  const int output_;  // and output
  std::mutex sending_;
  std::mutex mutex_;  // of what follows
  std::condition_variable heard_;
  bool listening_ = false;  // some thread reads for all
  std::string buffer_;      // what came of the next line; that thread's
  std::map<std::uint64_t, std::string> answers_;
  std::set<std::uint64_t> awaited_;    // asked and not answered
  std::set<std::uint64_t> abandoned_;  // whose answers nobody waits for any more
  std::uint64_t last_id_ = 0;
  std::optional<Error> end_;    // why nothing more is to be heard
  bool is_told_ = false;        // to somebody who asked
  bool is_waited_for_ = false;  // by end()
};

}  // namespace isolde::db
