// Process groups that must not outlive this program, however it ends: an adapter of the user's
// that hangs notices nothing of our end. A handler of a signal that ends the program kills them
// all. (A wish of the kernel's, PR_SET_PDEATHSIG, would hang on the thread that has started the
// program, which is a session's and ends before it.)
#pragma once

#include <sys/types.h>

#include <csignal>

namespace isolde::base {

/// While it lives, kill_process_groups() waits for it, so that nothing is started that it does
/// not know of. Signals do not reach this thread meanwhile, whose handlers would wait for it.
class GroupStart {
 public:
  GroupStart();
  ~GroupStart();
  GroupStart(const GroupStart&) = delete;
  GroupStart& operator=(const GroupStart&) = delete;

 private:
  sigset_t before_;
};

/// From here on the group is known. Before GroupStart ends.
void add_process_group(pid_t group);
/// It is not known any more; before its number may be given to others.
void remove_process_group(pid_t group);

/// Kills all that are known, and those that are added later. A signal handler may call it.
void kill_process_groups();

}  // namespace isolde::base
