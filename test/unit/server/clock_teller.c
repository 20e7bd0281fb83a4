// Tells the time in all ways, again and again, as does a child of its own: for the test of
// clocks that can be set. Each line has nanoseconds, by the kernel first.
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long in_ns(struct timespec time) {
  const int is_right = time.tv_nsec >= 0 && time.tv_nsec < 1000000000;
  return is_right ? time.tv_sec * 1000000000LL + time.tv_nsec : -1;
}

static long long clock_of(clockid_t which) {
  struct timespec time = {0, -1};
  return clock_gettime(which, &time) == 0 ? in_ns(time) : -1;
}

static long long of_day(void) {
  struct timeval time = {0, -1};
  struct timezone zone = {-1, -1};
  // The C library's header says that it is somewhere, and the kernel that it need not be.
  struct timeval* volatile nowhere = NULL;
  const int is_right = gettimeofday(&time, NULL) == 0 && gettimeofday(nowhere, &zone) == 0 &&
                       zone.tz_dsttime != -1 && time.tv_usec >= 0 && time.tv_usec < 1000000;
  return is_right ? time.tv_sec * 1000000000LL + time.tv_usec * 1000 : -1;
}

static long long plain(void) {
  time_t told = 0;
  const time_t returned = time(&told);
  const time_t again = time(NULL);
  return told == returned && again - told <= 1 ? told * 1000000000LL : -1;
}

int main(void) {
  const int is_child = fork() == 0;
  const pid_t parent = getppid();
  struct timespec nap = {0, 5000000};
  struct timespec nothing;
  errno = 0;
  if (clock_gettime(12345, &nothing) == 0 || errno != EINVAL) return 1;
  for (int i = 0; i < 4000 && (!is_child || getppid() == parent); ++i) {
    struct timespec real = {0, 0};
    struct timespec steady = {0, 0};
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &real);
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &steady);
    printf("%d %lld %lld %lld %lld %lld %lld %lld\n", is_child, in_ns(real),
           clock_of(CLOCK_REALTIME), clock_of(CLOCK_REALTIME_COARSE), of_day(), plain(),
           in_ns(steady), clock_of(CLOCK_MONOTONIC));
    fflush(stdout);
    nanosleep(&nap, NULL);
  }
  return 0;
}
