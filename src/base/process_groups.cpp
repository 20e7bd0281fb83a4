#include "base/process_groups.hpp"

#include <atomic>
#include <ctime>
#include <memory>

namespace isolde::base {
namespace {

struct Place {
  std::atomic<pid_t> group{0};  // 0: free
  Place* next = nullptr;
};

// Handlers walk the list at any time, so places are used again and never freed.
std::atomic<Place*> places{nullptr};
std::atomic<int> starting{0};
std::atomic<bool> ending{false};
static_assert(std::atomic<Place*>::is_always_lock_free);
static_assert(std::atomic<pid_t>::is_always_lock_free);

/// Starting takes a moment; who started for longer is in trouble himself.
constexpr int kLooks = 1000;
constexpr timespec kBetweenLooks = {0, 1'000'000};

}  // namespace

GroupStart::GroupStart() : before_() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before_);
  ++starting;
}

GroupStart::~GroupStart() {
  --starting;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void add_process_group(pid_t group) {
  if (ending.load()) kill(-group, SIGKILL);
  for (Place* place = places.load(); place != nullptr; place = place->next) {
    pid_t free = 0;
    if (place->group.compare_exchange_strong(free, group)) return;
  }
  auto made = std::make_unique<Place>();
  made->group = group;
  made->next = places.load();
  while (!places.compare_exchange_weak(made->next, made.get())) {
  }
  [[maybe_unused]] const Place* const kept = made.release();
}

void remove_process_group(pid_t group) {
  for (Place* place = places.load(); place != nullptr; place = place->next) {
    pid_t wanted = group;
    if (place->group.compare_exchange_strong(wanted, 0)) return;
  }
}

void kill_process_groups() {
  ending = true;
  for (int look = 0; look < kLooks && starting.load() > 0; ++look) {
    nanosleep(&kBetweenLooks, nullptr);
  }
  for (const Place* place = places.load(); place != nullptr; place = place->next) {
    if (const pid_t group = place->group.load(); group > 0) kill(-group, SIGKILL);
  }
}

}  // namespace isolde::base
