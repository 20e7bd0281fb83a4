// Ctrl-C ends the work in hand and lets the partial result be printed; a second one, later than
// a second after it, ends the program, and what it has started with it. And the signals that
// have nothing to do with people: of files, pipes and faults.
#pragma once

#include "base/budget.hpp"
#include "isolde/status.hpp"

namespace isolde::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP cancel the budget. One made meanwhile takes its
/// place until that one's end, for work within work.
class InterruptGuard {
 public:
  /// With `news` the first one only tells that line, which ends with a line break and is never
  /// freed, on standard error, and the next one cancels.
  explicit InterruptGuard(base::Budget& budget, const char* news = nullptr);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  base::Budget* outer_;
  const char* outer_news_;
};

/// Somebody has interrupted, and after a second the program has still not ended: standard error
/// tells that what is under way ends first, or this line, like the news above, while one lives.
class WaitingNotice {
 public:
  explicit WaitingNotice(const char* line);
  ~WaitingNotice();
  WaitingNotice(const WaitingNotice&) = delete;
  WaitingNotice& operator=(const WaitingNotice&) = delete;

 private:
  const char* outer_;
};

/// Whether such a signal has cancelled anything since the program began: what a command would
/// do after that is not wanted any more.
bool was_interrupted();

/// Why something failed before the first transaction: an exhausted budget where there is one,
/// because who waits no longer says nothing of the database. Wrong usage stays what it is.
Error before_first_transaction(const Error& error, base::Budget& budget);

/// Called where standard output or error could not be written. Whether nobody reads it any
/// more, as behind `| head`: then the work in hand is cancelled as by an interruption, so that
/// the program ends in order.
bool heed_lost_reader(int descriptor);
/// At the very end: if that was so, the program ends by SIGPIPE, as others do at once.
void end_as_without_reader();

/// From here on, a file that would grow beyond its limit (ulimit -f) is an error of the write,
/// as a full disk is, and so is a pipe that nobody reads; a mapped file that cannot be read any
/// more, because somebody shortened it or its disk is gone (io/mapped_file.hpp), ends the
/// program with one line and the exit code for trouble with the machine; and when a fault or
/// Ctrl-\ ends it, no process group of base/process_groups is left.
void handle_other_signals();

}  // namespace isolde::cli
