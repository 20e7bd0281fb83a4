// What isolde watch shows of itself: the server, the log, messages and a command on a
// violation. cmd_watch.cpp says here what happens, and knows nothing of the rest.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "cli/cli11.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"
#include "isolde/status.hpp"
#include "isolde/verdict.hpp"
#include "stream/rounds.hpp"

namespace isolde::cli {

/// How a watch ended.
struct WatchEnd {
  Verdict verdict = Verdict::kUnknown;
  std::string reason;  ///< of kUnknown
  std::uint64_t violations = 0;
};

/// A violation.
struct WatchFound {
  std::string text;    ///< the report for people
  std::string bundle;  ///< files that were written, or empty
  std::string certificate;
};

class WatchOutside {
 public:
  WatchOutside();
  ~WatchOutside();
  WatchOutside(const WatchOutside&) = delete;
  WatchOutside& operator=(const WatchOutside&) = delete;

  void add_to(CLI::App& app);
  /// Whether anything was asked for. Without that the others do nothing.
  bool is_on() const;
  /// Listens, before anything is read. ERRORS: kUsage, kEnvironment.
  Status start(const std::string& source, const std::vector<std::string>& files, Level level);
  /// Lines on standard error are those of the log.
  bool logs_to_stderr() const { return log_ == "-"; }
  /// A group has come.
  void came(const History& group);
  /// A round was made of it.
  void round(const stream::Rounds& rounds);
  /// A round has found no order: what is said of it. Until clear(), or the end.
  void suspect(const stream::Suspicion& suspicion, const std::string& text);
  /// There was nothing in it.
  void clear(const std::string& text);
  /// What became of a file that the watch writes, and how many lack something now.
  void disk(const std::string& line, std::size_t unwritten);
  /// The violation that rounds tell. Waits for the command. ERRORS: kEnvironment.
  Status found(const stream::Rounds& rounds, const WatchFound& found, base::Budget& budget);
  /// What an earlier process has found.
  void begin_behind(std::uint64_t violations, const std::string& lost);
  /// Of some transactions no order was found.
  void lose(const std::string& reason);
  /// The watch goes on behind that, or behind a violation: what is said of it, or nothing.
  void go_on(const std::string& text);
  /// The source cannot be read any further.
  void fail(const Error& error);
  /// It is over. Waits for what was asked for. ERRORS: kEnvironment, the first one.
  Status end(const stream::Rounds& rounds, const WatchEnd& end);

 private:
  struct Running;

  Status check() const;
  Status serve();
  void update(const stream::Rounds& rounds);
  void send(const char* event, const stream::Rounds& rounds, Verdict verdict,
            nlohmann::ordered_json about);
  void linger() const;

  std::string listen_;
  std::string token_file_;
  std::string certificate_;
  std::string key_;
  std::int64_t linger_ns_ = 0;
  std::string log_;
  std::string command_;
  std::string webhook_;
  std::unique_ptr<Running> running_;
};

}  // namespace isolde::cli
