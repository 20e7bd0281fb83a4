// Ctrl-C ends the work in hand and lets the partial result be printed; a second one, later than
// a second after it, ends the program. And the signals that have nothing to do with people:
// of files.
#pragma once

#include "base/budget.hpp"
#include "isolde/status.hpp"

namespace isolde::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP cancel the budget. One made meanwhile takes its
/// place until that one's end, for work within work.
class InterruptGuard {
 public:
  explicit InterruptGuard(base::Budget& budget);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  base::Budget* outer_;
};

/// Whether such a signal has cancelled anything since the program began: what a command would
/// do after that is not wanted any more.
bool was_interrupted();

/// Why something failed before the first transaction: an exhausted budget where there is one,
/// because who waits no longer says nothing of the database. Wrong usage stays what it is.
Error before_first_transaction(const Error& error, base::Budget& budget);

/// From here on, a file that would grow beyond its limit (ulimit -f) is an error of the write,
/// as a full disk is; and a mapped file that cannot be read any more, because somebody
/// shortened it or its disk is gone (io/mapped_file.hpp), ends the program with one line and
/// the exit code for trouble with the machine.
void handle_file_signals();

}  // namespace isolde::cli
