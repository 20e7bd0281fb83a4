// Recorders that are killed. A child process records what several clients do with a small
// store in its memory, and tells through a pipe what it is about to send and what it has
// finished. It dies at a random moment, by SIGKILL from outside or by its own hand between two
// instructions of the recorder. Then the history must hold everything that was told, once.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "base/rng.hpp"
#include "io/group_reader.hpp"
#include "io/group_recording.hpp"
#include "isolde/recorder.hpp"
#include "recorded.hpp"
#include "support/seed.hpp"

namespace isolde {
namespace {

constexpr std::size_t kKeys = 5;
constexpr std::int64_t kThreads = 4;

/// Small enough that a pipe takes it as a whole.
struct Told {
  char what;  // o: recorder is open; w: value, d: a deletion is about to be sent; f: the end
  std::int64_t thread;
  std::int64_t generation;  // of the session's name
  std::int64_t position;
  std::int64_t value;  // d: how many there were in the transaction
};

class Child {
 public:
  /// `in_groups`: where groups follow the recorder at `path`, or empty.
  Child(std::string path, std::string in_groups, int report, std::uint64_t seed)
      : path_(std::move(path)), in_groups_(std::move(in_groups)), report_(report), rng_(seed) {}

  /// Ends by a signal, or by _exit when it can do no more.
  [[noreturn]] void run() {
    const bool by_its_own_hand = rng_.chance(0.3);
    if (by_its_own_hand) steps_left_ = static_cast<std::int64_t>(rng_.below(2000));
    RecorderOptions options;
    options.deletes = true;
    auto recorder = Recorder::open(path_, options);
    if (!recorder) _exit(3);
    std::optional<io::GroupRecording> groups;
    if (!in_groups_.empty()) {
      // Often in the middle of one.
      auto begun = io::GroupRecording::begin(
          in_groups_, {.period = std::chrono::milliseconds(1), .group_bytes = 20'000});
      if (!begun) _exit(6);
      groups = std::move(*begun);
    }
    tell({'o', 0, 0, 0, 0});
    std::vector<std::thread> clients;
    for (std::int64_t thread = 0; thread < kThreads; ++thread) {
      clients.emplace_back([&, thread, seed = rng_.next()] { work(**recorder, thread, seed); });
    }
    for (std::thread& client : clients) client.join();
    _exit(4);
  }

 private:
  void tell(const Told& told) {
    if (write(report_, &told, sizeof told) != sizeof told) _exit(5);
    if (steps_left_.fetch_sub(1) == 0) raise(SIGKILL);
  }

  void work(Recorder& recorder, std::int64_t thread, std::uint64_t seed) {
    base::Rng rng(seed);
    RecordedSession session = recorder.session("c" + std::to_string(thread));
    std::int64_t generation = 1;
    std::int64_t position = 0;
    std::int64_t value = thread << 40;
    const std::string filler(rng.below(3) == 0 ? 3000 : 0, 'x');
    while (true) {
      session.begin();
      const std::uint64_t ops = rng.below(8);
      std::int64_t deletions = 0;
      for (std::uint64_t i = 0; i < ops; ++i) {
        const std::size_t key = rng.below(kKeys);
        if (rng.chance(0.4)) {
          session.write(key_name(key, filler), ++value);
          tell({'w', thread, generation, position, value});
          store_[key] = value;
        } else if (rng.chance(0.2)) {
          session.remove(key_name(key, filler));
          tell({'d', thread, generation, position, ++deletions});
          store_[key] = 0;
        } else if (rng.chance(0.2)) {
          select(session, filler);
        } else {
          const std::int64_t seen = store_[key];
          session.read(key_name(key, filler),
                       seen == 0 ? RecordedValue::null() : RecordedValue(seen));
        }
      }
      const bool lost = rng.chance(0.05);
      if (lost) {
        session.unknown();
      } else if (rng.chance(0.1)) {
        session.abort();
      } else {
        session.commit();
      }
      tell({'f', thread, generation, position, lost ? 1 : 0});
      generation += lost ? 1 : 0;
      position = lost ? 0 : position + 1;
    }
  }

  void select(RecordedSession& session, const std::string& filler) {
    std::array<std::string, kKeys> names;
    std::vector<RecordedRow> rows;
    for (std::size_t key = 0; key < kKeys; ++key) {
      names[key] = key_name(key, filler);
      const std::int64_t seen = store_[key];
      if (seen != 0) rows.push_back({names[key], seen});
    }
    session.select({.values = RecordedBounds{.min = 1}}, rows);
  }

  static std::string key_name(std::size_t key, const std::string& filler) {
    return std::to_string(key) + filler;
  }

  std::string path_;
  std::string in_groups_;
  int report_;
  base::Rng rng_;
  std::atomic<std::int64_t> steps_left_ = -1;
  std::array<std::atomic<std::int64_t>, kKeys> store_{};
};

/// Takes what the child tells until it is dead; kills it when its time has come. Unless it is
/// to die early, its time begins when its recorder is open, which takes long on a busy machine.
std::vector<Told> watch(pid_t child, int report, std::chrono::microseconds time, bool early) {
  auto deadline = std::chrono::steady_clock::now() + (early ? time : std::chrono::seconds(60));
  std::vector<Told> all;
  bool killed = false;
  while (true) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (!killed && left.count() <= 0) {
      kill(child, SIGKILL);
      killed = true;
    }
    timespec wait = {0, std::clamp<long>(left.count(), 0, 999'999'999)};
    pollfd poll_for = {report, POLLIN, 0};
    if (ppoll(&poll_for, 1, killed ? nullptr : &wait, nullptr) <= 0) continue;
    std::array<Told, 256> some;
    const ssize_t count = read(report, some.data(), sizeof some);
    if (count <= 0) break;
    EXPECT_EQ(static_cast<std::size_t>(count) % sizeof(Told), 0U);
    if (all.empty() && !early) deadline = std::chrono::steady_clock::now() + time;
    all.insert(all.end(), some.begin(),
               some.begin() + static_cast<std::ptrdiff_t>(count) /
                                  static_cast<std::ptrdiff_t>(sizeof(Told)));
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  return all;
}

std::string session_name(const Told& told) {
  const std::string name = "c" + std::to_string(told.thread);
  return told.generation == 1 ? name : name + "/" + std::to_string(told.generation);
}

std::int64_t deletions_of(const History& history, TxnId txn) {
  return std::ranges::count_if(history.ops(txn), [](const Op& op) { return op.is_delete(); });
}

/// What was told against what was read back.
void compare(const std::vector<Told>& told, const History& history) {
  std::map<std::string, SessionId> sessions;
  for (std::size_t i = 0; i < history.session_count(); ++i) {
    sessions[history.session_name(SessionId::at(i))] = SessionId::at(i);
  }
  std::set<std::int64_t> written;
  std::set<std::int64_t> read;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    for (const Op& op : history.ops(TxnId::at(i))) {
      if (op.is_delete()) continue;
      if (op.is_write()) {
        ASSERT_TRUE(written.insert(op.value.as_integer()).second) << "a write stands twice";
      } else if (op.kind == OpKind::kRead && !op.value.is_null()) {
        read.insert(op.value.as_integer());
      }
    }
  }
  for (const std::int64_t value : read) {
    ASSERT_TRUE(written.contains(value)) << "nobody wrote " << value;
  }
  for (const Told& each : told) {
    if (each.what == 'o') continue;
    const auto found = sessions.find(session_name(each));
    ASSERT_NE(found, sessions.end()) << session_name(each);
    const auto txns = history.session_txns(found->second);
    const auto position = static_cast<std::size_t>(each.position);
    ASSERT_GT(txns.size(), position) << session_name(each);
    if (each.what == 'w') {
      ASSERT_TRUE(written.contains(each.value));
    } else if (each.what == 'd') {
      ASSERT_GE(deletions_of(history, txns[position]), each.value);
    } else {
      ASSERT_EQ(history.status(txns[position]) == TxnStatus::kIndeterminate, each.value == 1);
    }
  }
}

std::string ops_text(const History& history, TxnId txn) {
  std::string text;
  for (const Op& op : history.ops(txn)) {
    if (op.kind == OpKind::kReadAbsent) continue;
    std::string op_text = history.op_text(op);
    // Whether anything was deleted before is known of a whole history only.
    if (op_text.ends_with("=initial")) op_text.replace(op_text.size() - 7, 7, "nothing");
    text += " " + op_text;
  }
  return text;
}

/// The groups of a recorder that was killed hold the beginning of each session, as the history
/// does, and do not say that they are all. Gives the number of transactions.
std::size_t compare_groups(const std::string& path, const History& history) {
  std::map<std::string, std::vector<std::string>> texts;  // by session
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    texts[std::string(history.session_name(history.session_of(txn)))].push_back(
        ops_text(history, txn));
  }
  Result<io::GroupReader> reader = io::GroupReader::open(path);
  EXPECT_TRUE(reader.ok());
  std::map<std::string, std::size_t> next;
  std::size_t count = 0;
  base::Budget budget;
  while (true) {
    const Result<std::optional<History>> read = reader->next(budget);
    EXPECT_TRUE(read.ok()) << read.error().message;
    if (!read || !*read) break;
    const History& group = **read;
    for (std::size_t i = 0; i < group.txn_count(); ++i) {
      const TxnId txn = TxnId::at(i);
      const std::string session(group.session_name(group.session_of(txn)));
      const std::size_t at = next[session]++;
      const bool is_there = at < texts[session].size();
      const std::string known = is_there ? texts[session][at] : "nothing";
      EXPECT_TRUE(known == ops_text(group, txn)) << session << ":" << at;
    }
    count += group.txn_count();
  }
  EXPECT_FALSE(reader->before().at_end);
  return count;
}

/// Who follows the text after its recorder has died writes the same history, and that it is
/// all.
void compare_followed(const std::string& text, std::size_t group_bytes,
                      const History& history) {
  const std::string path = text + ".isob";
  Result<io::InflightWatch> recorder = io::InflightWatch::open(text);
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  EXPECT_FALSE(recorder->is_at_work());
  const auto groups =
      io::follow_text(text, path, std::move(*recorder), {.group_bytes = group_bytes});
  ASSERT_TRUE(groups.ok()) << groups.error().message;
  const Status finished = (*groups)->finish();
  ASSERT_TRUE(finished.ok()) << finished.error().message;
  EXPECT_TRUE((*groups)->has_end());
  const History followed = read_back(path);
  EXPECT_FALSE(followed.origin().truncated);
  ASSERT_EQ(followed.txn_count(), history.txn_count());
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    ASSERT_EQ(followed.txn_name(txn), history.txn_name(txn));
    ASSERT_EQ(ops_text(followed, txn), ops_text(history, txn));
    ASSERT_EQ(followed.status(txn), history.status(txn));
    ASSERT_EQ(followed.times(txn).start, history.times(txn).start);
    ASSERT_EQ(followed.times(txn).end, history.times(txn).end);
  }
}

void expect_order(const History& history) {
  for (std::size_t i = 0; i < history.session_count(); ++i) {
    std::int64_t last = -1;
    for (const TxnId txn : history.session_txns(SessionId::at(i))) {
      ASSERT_GT(history.times(txn).start, last);
      last = history.times(txn).end;
    }
  }
}

TEST(RecorderCrash, LosesNothingAtAnyMoment) {
  const std::uint64_t rounds = support::case_count(400);
  std::uint64_t transactions = 0;
  std::uint64_t under_way = 0;
  std::uint64_t just_ended = 0;
  std::uint64_t cut = 0;
  std::uint64_t in_groups = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    base::Rng rng(support::run_seed() + round * 0x9e3779b97f4a7c15ULL);
    const TemporaryFolder folder;
    const bool has_groups = rng.chance(0.2);
    const std::string file = has_groups ? "h.jsonl" : "h";
    const std::string groups = has_groups ? folder.path("h") : "";
    const std::string path = folder.path(file);
    int pipes[2];
    ASSERT_EQ(pipe(pipes), 0);
    const pid_t process = fork();
    ASSERT_GE(process, 0);
    if (process == 0) {
      close(pipes[0]);
      Child(path, groups, pipes[1], rng.next()).run();
    }
    close(pipes[1]);
    const std::chrono::microseconds time(rng.below(8000));
    const bool early = rng.chance(0.25);
    const std::vector<Told> told = watch(process, pipes[0], time, early);
    close(pipes[0]);
    const std::string bytes = folder.get(file);
    if (told.empty() && bytes.find('\n') == std::string::npos) continue;  // it had not begun
    base::Budget budget;
    const bool has_begun = has_groups && std::filesystem::exists(groups);
    const Result<History> history = io::read_history(has_begun ? groups : path, "", budget);
    ASSERT_TRUE(history.ok()) << message_of(history);
    if (has_begun) in_groups += compare_groups(groups, *history);
    ASSERT_FALSE(history->origin().truncated) << history->origin().notes.front();
    compare(told, *history);
    expect_order(*history);
    // Text beside groups is recorded in the same way.
    if (!has_groups && rng.chance(0.3)) {
      compare_followed(path, 5000 + rng.below(50'000), *history);
    }
    if (HasFatalFailure()) FAIL() << "round " << round << ", history " << path;
    transactions += history->txn_count();
    cut += bytes.back() == '\n' ? 0 : 1;
    for (const std::string& note : history->origin().notes) {
      under_way += note.find("under way when") != std::string::npos ? 1 : 0;
      just_ended += note.find("had just ended") != std::string::npos ? 1 : 0;
    }
  }
  std::cout << rounds << " deaths, " << transactions << " transactions; " << under_way
            << " with some under way, " << just_ended << " with some just ended, " << cut
            << " with a line cut off; " << in_groups << " transactions in groups\n";
  EXPECT_GE(under_way, rounds / 20);
  // With sanitizers few live long enough to write one.
  EXPECT_TRUE(in_groups > 0 || rounds < 200);
}

}  // namespace
}  // namespace isolde
