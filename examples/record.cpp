// A client that records what it does, so that `isolde check` can judge the database it talks
// to. The "database" is a map with a lock, to keep the example whole; put yours in its place.
//
//     c++ -std=c++20 record.cpp $(pkg-config --cflags --libs isolde) && ./a.out history.jsonl
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "isolde/recorder.hpp"

namespace {

enum class Reply { kCommitted, kRolledBack, kConnectionLost };

/// Stands for a connection to a database.
class Connection {
 public:
  void begin() { lock_.lock(); }
  std::optional<std::int64_t> get(const std::string& key) {
    const auto found = rows_.find(key);
    if (found == rows_.end()) return std::nullopt;
    return found->second;
  }
  void put(const std::string& key, std::int64_t value) { rows_[key] = value; }
  Reply commit() {
    const bool lost = ++commits_ % 100 == 0;
    lock_.unlock();
    return lost ? Reply::kConnectionLost : Reply::kCommitted;
  }

 private:
  static inline std::mutex lock_;
  static inline std::map<std::string, std::int64_t> rows_;
  static inline std::int64_t commits_ = 0;
};

void run_client(isolde::Recorder& recorder, int client) {
  Connection connection;
  isolde::RecordedSession session = recorder.session("client " + std::to_string(client));
  session.server("map:0 client " + std::to_string(client));  // as the server's log has it
  for (std::int64_t i = 0; i < 250; ++i) {
    const std::string key = "account " + std::to_string(i % 7);
    const std::int64_t value = client * 1'000'000 + i;  // no value is written twice

    session.begin();  // before the first request
    connection.begin();

    const auto seen = connection.get(key);
    session.read(key, seen ? *seen : isolde::RecordedValue::null());  // after the answer

    session.write(key, value);  // before the request
    connection.put(key, value);

    switch (connection.commit()) {
      case Reply::kCommitted:
        session.commit();
        break;
      case Reply::kRolledBack:
        session.abort();
        break;
      case Reply::kConnectionLost:  // a timeout as well: it may have committed, or may yet
        session.unknown();
        connection = Connection();
        break;
    }
  }
}

int fail(const isolde::Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  isolde::RecorderOptions options;
  options.about = {{"database", "a map with a lock"}, {"workload", "read, then write"}};
  auto recorder = isolde::Recorder::open(argc > 1 ? argv[1] : "history.jsonl", options);
  if (!recorder) return fail(recorder.error());

  std::vector<std::thread> clients;
  for (int i = 1; i <= 4; ++i) clients.emplace_back([&, i] { run_client(**recorder, i); });
  for (std::thread& client : clients) client.join();

  const isolde::Status closed = (*recorder)->close();  // all recorded, or why not
  return closed ? 0 : fail(closed.error());
}
