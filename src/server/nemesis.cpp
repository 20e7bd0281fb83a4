#include "server/nemesis.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/duration.hpp"
#include "base/rng.hpp"
#include "base/text.hpp"

namespace isolde::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kShortest = 1000;
constexpr std::int64_t kLongest = 86400 * kSecond;
/// How often to see whether all nodes are well when there is nothing else to do.
constexpr auto kLookInterval = std::chrono::milliseconds(200);

struct FaultInfo {
  std::string_view name;
  FaultSpec usual;
};

constexpr std::array<FaultInfo, 6> kFaults = {
    FaultInfo{"pause", {FaultKind::kPause, 5 * kSecond, 2 * kSecond}},
    FaultInfo{"kill", {FaultKind::kKill, 10 * kSecond, 1 * kSecond}},
    FaultInfo{"cut", {FaultKind::kCut, 1 * kSecond, 0}},
    FaultInfo{"partition", {FaultKind::kPartition, 10 * kSecond, 5 * kSecond}},
    FaultInfo{"failover", {FaultKind::kFailover, 20 * kSecond, 2 * kSecond}},
    FaultInfo{"clock", {FaultKind::kClock, 5 * kSecond, 3 * kSecond, 30 * kSecond}}};

/// What may be said of such a fault; the places of the times in `spec`.
struct Parameter {
  std::string_view name;
  std::int64_t FaultSpec::*place;
  std::int64_t shortest;
};
constexpr std::array<Parameter, 3> kParameters = {
    Parameter{"every", &FaultSpec::every_ns, kShortest},
    Parameter{"for", &FaultSpec::for_ns, 0}, Parameter{"by", &FaultSpec::by_ns, kShortest}};

std::span<const Parameter> parameters_of(FaultKind kind) {
  const std::size_t count = kind == FaultKind::kCut ? 1 : kind == FaultKind::kClock ? 3 : 2;
  return std::span(kParameters).first(count);
}

/// Parses "every=5s" into `spec`. `fault`: what was read of the fault, up to here.
Status parse_parameter(std::string_view text, std::string_view fault, FaultSpec& spec) {
  const std::string where = "fault '" + std::string(fault) + "': ";
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  std::string known;
  for (const Parameter& parameter : parameters_of(spec.kind)) {
    known += (known.empty() ? "" : ",") + std::string(parameter.name) + "=TIME";
    if (parameter.name != name) continue;
    const Result<std::int64_t> time =
        base::duration_between(equals == std::string_view::npos ? "" : text.substr(equals + 1),
                               parameter.shortest, kLongest);
    if (time) {
      spec.*parameter.place = *time;
      return ok_status();
    }
    return usage_error(where + std::string(name) + ": " + time.error().message);
  }
  return usage_error(where + "'" + std::string(text) + "' is not a parameter; expected " +
                     known);
}

Result<FaultSpec> usual_fault(std::string_view name) {
  std::vector<std::string_view> names;
  for (const FaultInfo& row : kFaults) {
    if (row.name == name) return row.usual;
    names.push_back(row.name);
  }
  return usage_error("unknown fault '" + std::string(name) + "'" +
                     base::did_you_mean(base::plain_name(name), names) + "; expected " +
                     base::joined(std::vector<std::string>(names.begin(), names.end()), "or") +
                     ", for example pause:every=5s,for=2s;kill");
}

}  // namespace

Result<std::vector<FaultSpec>> parse_faults(std::string_view text) {
  std::vector<FaultSpec> faults;
  // A comma may precede another fault as well as another parameter; only the latter has a =
  // before any colon.
  bool open = false;
  std::size_t begin = 0;     // of what is read now
  std::size_t of_fault = 0;  // of the fault that it says something of
  while (true) {
    const std::size_t end = std::min(text.find_first_of(";,", begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    const std::size_t mark = part.find_first_of(":=");
    const bool parameter = open && mark != std::string_view::npos && part[mark] == '=';
    if (!parameter) {
      of_fault = begin;
      Result<FaultSpec> fault = usual_fault(part.substr(0, part.find(':')));
      if (!fault) return fault.error();
      faults.push_back(*fault);
      part = mark == std::string_view::npos ? std::string_view() : part.substr(mark + 1);
    }
    if (parameter || mark != std::string_view::npos) {
      const Status parsed =
          parse_parameter(part, text.substr(of_fault, end - of_fault), faults.back());
      if (!parsed) return parsed.error();
    }
    if (end == text.size()) return faults;
    open = text[end] == ',';
    begin = end + 1;
  }
}

std::string fault_text(const FaultSpec& spec) {
  const FaultInfo& row = kFaults[static_cast<std::size_t>(spec.kind)];
  std::string text(row.name);
  for (const Parameter& parameter : parameters_of(spec.kind)) {
    text += (text.size() == row.name.size() ? ":" : ",") + std::string(parameter.name) + "=" +
            base::duration_text(spec.*parameter.place);
  }
  return text;
}

Status check_fault(const FaultSpec& spec, const KindInfo& kind) {
  const std::string name(kind.name);
  if (spec.kind == FaultKind::kPartition && !kind.has_ways) {
    return usage_error("the fault partition parts the nodes of a cluster, and " + name +
                       " is one server");
  }
  if (spec.kind == FaultKind::kFailover && !kind.fails_over) {
    std::vector<std::string> able;
    for (const KindInfo& each : all_kinds()) {
      if (each.fails_over) able.emplace_back(each.name);
    }
    return usage_error(
        "the fault failover needs a primary and a replica that can take its place, as " +
        base::joined(able, "and") + " have them; " + name + " does not");
  }
  return ok_status();
}

Status check_fault(const FaultSpec& spec, const Cluster& cluster) {
  if (spec.kind == FaultKind::kCut) return ok_status();
  if (const Status has = check_fault(spec, cluster.kind()); !has) return has;
  const bool parts = spec.kind == FaultKind::kPartition || spec.kind == FaultKind::kFailover;
  if (parts && cluster.size() == 1) {
    return usage_error("one server alone has nobody to be parted from");
  }
  if (spec.kind == FaultKind::kFailover && cluster.size() != 2) {
    return usage_error("the fault failover is for a primary with one replica; set nodes=2");
  }
  if (cluster.nodes_to_spare() > 0) return ok_status();
  return usage_error("fewer than half of " + std::to_string(cluster.size()) +
                     " servers is none, so no fault hits one; --set nodes=3 makes a cluster "
                     "that can spare one");
}

/// One thread: waits for the next thing to do, does it, and so on.
class Nemesis::Loop {
 public:
  Loop(Cluster& cluster, std::vector<FaultSpec> faults, std::uint64_t seed, Listener listener,
       double heal_seconds)
      : cluster_(cluster),
        rng_(seed),
        listener_(std::move(listener)),
        heal_time_(std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(heal_seconds))) {
    for (const Node& node : cluster_.nodes()) names_.push_back(node.name);
    for (const FaultSpec& fault : faults) {
      if (fault.kind == FaultKind::kCut) continue;
      sources_.push_back({fault, Clock::now() + gap(fault)});
    }
    if (!sources_.empty()) thread_ = std::thread([this] { run(); });
  }

  void ask_to_stop() {
    {
      const std::lock_guard lock(mutex_);
      if (!stopping_) heal_end_ = Clock::now() + heal_time_;
      stopping_ = true;
    }
    changed_.notify_all();
  }

  Status stop() {
    ask_to_stop();
    if (thread_.joinable()) thread_.join();
    return failure();
  }

  Status failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  struct Source {
    FaultSpec fault;
    Clock::time_point next;
  };
  struct Active {
    FaultKind kind;
    std::size_t node;
    Clock::time_point end;
  };
  /// How a fault is done, and what is said of it.
  struct Deed {
    std::string words;
    Status done;
  };

  Clock::duration gap(const FaultSpec& fault) {
    const double share = 0.5 + rng_.unit();
    return std::chrono::nanoseconds(std::llround(static_cast<double>(fault.every_ns) * share));
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      lock.unlock();
      const Clock::time_point next = act();
      lock.lock();
      changed_.wait_until(lock, next, [this] { return stopping_; });
    }
    lock.unlock();
    while (!active_.empty()) end_first();
  }

  /// Does what is due. Returns when something is next.
  Clock::time_point act() {
    while (!active_.empty() && active_.front().end <= Clock::now()) end_first();
    while (may_begin()) {
      // Who waits longest comes first, so that frequent faults leave time for the others.
      Source& source =
          *std::min_element(sources_.begin(), sources_.end(),
                            [](const Source& a, const Source& b) { return a.next < b.next; });
      if (source.next > Clock::now()) break;
      begin(source.fault);
      source.next = Clock::now() + gap(source.fault);
    }
    Clock::time_point next = Clock::now() + kLookInterval;
    if (!active_.empty()) next = std::min(next, active_.front().end);
    // With no more nodes to spare, sources wait for the end of a fault.
    if (!may_begin()) return next;
    for (const Source& source : sources_) next = std::min(next, source.next);
    return next;
  }

  /// Whether all nodes are well, but for fewer than may be affected, and the end has not come.
  bool may_begin() {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_ || !failure_) return false;
    }
    std::size_t affected = 0;
    for (const Node& node : cluster_.nodes()) {
      affected += node.state == NodeState::kRunning ? 0 : 1;
      if (node.state != NodeState::kDied) continue;
      if (const Status alive = cluster_.check(); !alive) {
        fail({"lost " + node.name + ": " + alive.error().message, node.name}, alive.error());
      }
      return false;
    }
    return affected < cluster_.nodes_to_spare();
  }

  /// At a random node that runs, if there is one, unless the end has come meanwhile.
  void begin(const FaultSpec& fault) {
    std::vector<std::size_t> running;
    const std::vector<Node> nodes = cluster_.nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].state == NodeState::kRunning) running.push_back(i);
    }
    if (running.empty()) return;
    std::size_t node = running[rng_.below(running.size())];
    if (fault.kind == FaultKind::kFailover) {
      // Of the primary, if it runs and the one that is to replace it does, too.
      if (running.size() < 2 || running[0] != 0 || running[1] != 1) return;
      node = 0;
    }
    // Drawn before the lock: what is drawn depends on the seed alone.
    const bool ahead = fault.kind != FaultKind::kClock || rng_.chance(0.5);
    Deed deed{{}, ok_status()};
    {
      // Held so that whoever asks to stop has no fault begin behind his back.
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      deed = strike(fault, node, ahead);
    }
    const Status& done = deed.done;
    tell({deed.words, names_[node], {}}, done);
    if (!done) return;
    active_.push_back(
        {fault.kind, node, Clock::now() + std::chrono::nanoseconds(fault.for_ns)});
    std::stable_sort(active_.begin(), active_.end(),
                     [](const Active& a, const Active& b) { return a.end < b.end; });
  }

  Deed strike(const FaultSpec& fault, std::size_t node, bool ahead) {
    const std::string& name = names_[node];
    switch (fault.kind) {
      case FaultKind::kPause:
        return {"pause " + name, cluster_.pause(node)};
      case FaultKind::kKill:
        return {"kill " + name, cluster_.kill(node)};
      case FaultKind::kPartition:
      case FaultKind::kFailover:
        return {"part " + name, cluster_.part(node)};
      case FaultKind::kClock:
        return {"clock " + name + (ahead ? " +" : " -") + base::duration_text(fault.by_ns),
                cluster_.set_clock(node, ahead ? fault.by_ns : -fault.by_ns)};
      case FaultKind::kCut:
        break;
    }
    ISOLDE_CHECK(false);
    return {{}, ok_status()};
  }

  /// The end of any fault but kKill.
  Deed lift(const Active& fault) {
    const std::string& name = names_[fault.node];
    if (fault.kind == FaultKind::kPartition) return {"join " + name, cluster_.join(fault.node)};
    if (fault.kind == FaultKind::kFailover) return {"failover " + name, cluster_.fail_over()};
    if (fault.kind == FaultKind::kClock) {
      return {"clock " + name + " right", cluster_.right_clock(fault.node)};
    }
    return {"resume " + name, cluster_.resume(fault.node)};
  }

  /// Returns when the node serves: until then it must count as affected.
  void end_first() {
    const Active fault = active_.front();
    active_.erase(active_.begin());
    const auto give_up = [this] { return healed_enough(); };
    const std::string& name = names_[fault.node];
    if (fault.kind == FaultKind::kKill) {
      const Status restarted = cluster_.restart(fault.node, give_up);
      tell({"restart " + name, {}, name}, restarted);
      return;
    }
    const Deed ended = lift(fault);
    tell({ended.words, {}, name}, ended.done);
    if (!ended.done) return;
    const Status back = cluster_.await(fault.node, give_up);
    if (back || back.error().code == ErrorCode::kLimit) return;
    fail({"lost " + name + ": " + back.error().message, name}, back.error());
  }

  bool healed_enough() const {
    const std::lock_guard lock(mutex_);
    return stopping_ && Clock::now() >= heal_end_;
  }

  /// A fault, or its end, as FaultReport has it.
  struct News {
    std::string what;
    std::string begins = {};
    std::string ends = {};
  };

  void report(const News& news) { listener_({news.what, news.begins, news.ends}); }

  /// What did not happen neither begins nor ends anything.
  void tell(const News& news, const Status& done) {
    if (done) {
      report(news);
    } else if (done.error().code == ErrorCode::kLimit) {
      report({news.what + " not awaited"});
    } else {
      fail({news.what + " failed: " + done.error().message}, done.error());
    }
  }

  void fail(const News& news, const Error& error) {
    {
      const std::lock_guard lock(mutex_);
      if (failure_) failure_ = Error{error.code, news.what};
    }
    report(news);
  }

  Cluster& cluster_;
  base::Rng rng_;
  Listener listener_;
  const Clock::duration heal_time_;
  std::vector<std::string> names_;
  std::vector<Source> sources_;
  std::vector<Active> active_;  ///< by their ends
  mutable std::mutex mutex_;    ///< guards what follows
  std::condition_variable changed_;
  bool stopping_ = false;
  Clock::time_point heal_end_;
  Status failure_ = ok_status();
  std::thread thread_;
};

Nemesis::Nemesis(Cluster& cluster, std::vector<FaultSpec> faults, std::uint64_t seed,
                 Listener listener, double heal_seconds)
    : loop_(std::make_unique<Loop>(cluster, std::move(faults), seed, std::move(listener),
                                   heal_seconds)) {}

Nemesis::~Nemesis() { static_cast<void>(stop()); }

void Nemesis::ask_to_stop() { loop_->ask_to_stop(); }
Status Nemesis::stop() { return loop_->stop(); }
Status Nemesis::failure() const { return loop_->failure(); }

}  // namespace isolde::server
