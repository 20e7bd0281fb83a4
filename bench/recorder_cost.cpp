// What recording costs a client: nanoseconds for each operation and each transaction, with
// recording off, with one thread and with several.
//
//     recorder_cost [FOLDER]    writes its histories to FOLDER (default: /tmp)
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "isolde/recorder.hpp"

namespace {

constexpr int kTransactions = 200'000;

void work(isolde::Recorder& recorder, int thread, int transactions, int operations) {
  isolde::RecordedSession session = recorder.session("client " + std::to_string(thread));
  std::int64_t value = 1'000'000'000LL * thread;
  for (int i = 0; i < transactions; ++i) {
    session.begin();
    for (int op = 0; op < operations; op += 2) {
      session.read(op, ++value);
      session.write(op + 1, value);
    }
    session.commit();
  }
}

/// Nanoseconds for a transaction, by the clock on the wall.
double measure(const std::string& path, bool enabled, int threads, int operations) {
  isolde::RecorderOptions options;
  options.enabled = enabled;
  auto recorder = isolde::Recorder::open(path, options);
  if (!recorder) {
    std::fprintf(stderr, "%s\n", recorder.error().message.c_str());
    return -1;
  }
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> clients;
  for (int thread = 0; thread < threads; ++thread) {
    clients.emplace_back(
        [&, thread] { work(**recorder, thread, kTransactions / threads, operations); });
  }
  for (std::thread& client : clients) client.join();
  const std::chrono::duration<double, std::nano> taken =
      std::chrono::steady_clock::now() - begin;
  const isolde::Status closed = (*recorder)->close();
  if (!closed) std::fprintf(stderr, "%s\n", closed.error().message.c_str());
  unlink(path.c_str());
  return taken.count() / kTransactions;
}

double best(const std::string& path, bool enabled, int threads, int operations) {
  double least = 1e18;
  for (int i = 0; i < 5; ++i) {
    least = std::min(least, measure(path, enabled, threads, operations));
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = std::string(argc > 1 ? argv[1] : "/tmp") + "/recorder_cost.jsonl";
  for (const int threads : {1, 2, 8}) {
    for (const int operations : {0, 2, 8, 32}) {
      std::printf("%d threads, %2d operations: %8.0f ns a transaction, off %6.0f ns\n", threads,
                  operations, best(path, true, threads, operations),
                  best(path, false, threads, operations));
    }
  }
  return 0;
}
