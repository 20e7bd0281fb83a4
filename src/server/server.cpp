// What all kinds have in common: folder, ports, starting, waiting, faults, stopping.
//
// Two locks: one operation at a time (a restart may take a minute), and a short one for the
// state of the nodes, so that nodes() answers meanwhile.
#include "server/server.hpp"

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "base/assert.hpp"
#include "server/folder.hpp"
#include "server/kernel_clock.hpp"
#include "server/kind.hpp"
#include "server/lifeline.hpp"
#include "server/log_line.hpp"
#include "server/ports.hpp"
#include "server/proxy.hpp"

namespace isolde::server {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(10);
/// How long a server may take to end by itself before it is killed.
constexpr auto kPatience = std::chrono::seconds(10);
/// Somebody may take a port between our look and the server's start.
constexpr int kPortAttempts = 3;

// What a server did that has ended.
constexpr std::string_view kNotStarted = "did not start";
constexpr std::string_view kEnded = "exited";

Clock::time_point deadline_after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string log_place(const std::string& log) { return " (log: " + log + ")"; }

/// libfaketime, which tells programs another time.
Result<std::string> find_clock_library() {
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                             "/usr/lib64", "/usr/lib", "/usr/local/lib"}) {
    std::string path = std::string(folder) + "/faketime/libfaketime.so.1";
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return Error{ErrorCode::kEnvironment,
               "the fault clock needs libfaketime.so.1, which is not installed; install the "
               "package libfaketime"};
}

std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

}  // namespace

class Cluster::Impl {
 public:
  Impl(const Kind& kind, Plan plan, const LaunchOptions& options)
      : kind_(kind),
        plan_(std::move(plan)),
        timeout_seconds_(options.timeout_seconds),
        folder_wanted_(options.folder),
        temporary_(options.folder.empty()),
        can_part_(options.can_part),
        can_set_clock_(options.can_set_clock),
        cancelled_(options.cancelled),
        members_(plan_.sites.size()) {
    plan_.proxied = can_part_ && kind_.info().has_ways;
  }

  ~Impl() { stop(); }

  Status launch() {
    const std::lock_guard turn(operation_);
    const Status launched = launch_all();
    cancelled_ = nullptr;
    // The log that the message names must stay.
    keep_ = !launched && !plan_.folder.empty() &&
            launched.error().message.find("(log: " + plan_.folder) != std::string::npos;
    return launched;
  }

  std::string dsn() const { return dsn_of(kind_, plan_); }
  const std::string& folder() const { return plan_.folder; }
  std::size_t size() const { return members_.size(); }
  const KindInfo& kind() const { return kind_.info(); }
  std::size_t nodes_to_spare() const {
    const std::size_t nodes = members_.size();
    return nodes == 1 || kind_.info().replicas ? 1 : (nodes - 1) / 2;
  }
  bool keeps_folder() const { return !temporary_ || keep_; }

  std::vector<Node> nodes() const {
    const std::lock_guard lock(state_);
    std::vector<Node> result;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const bool running = members_[i].process.running();
      result.push_back({plan_.sites[i].name, kind_.endpoint(plan_, i),
                        running ? members_[i].process.pid() : 0, state_of(i)});
    }
    return result;
  }

  Status check() {
    const std::lock_guard lock(state_);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (state_of(i) != NodeState::kDied) continue;
      keep_ = true;
      return failure(i, kEnded, members_[i].process.ending(), plan_.sites[i].log);
    }
    return ok_status();
  }

  Status pause(std::size_t node) {
    const std::lock_guard turn(operation_);
    if (const Status right = expect(node, {NodeState::kRunning}); !right) return right;
    members_[node].process.freeze();
    set_state(node, NodeState::kPaused);
    return ok_status();
  }

  Status resume(std::size_t node) {
    const std::lock_guard turn(operation_);
    if (const Status right = expect(node, {NodeState::kPaused}); !right) return right;
    members_[node].process.thaw();
    set_state(node, NodeState::kRunning);
    return ok_status();
  }

  Status kill(std::size_t node) {
    const std::lock_guard turn(operation_);
    const Status right = expect(node, {NodeState::kRunning, NodeState::kPaused});
    if (!right) return right;
    // First, so that nobody takes it for one that died by itself.
    set_state(node, NodeState::kKilled);
    members_[node].process.kill_tree();
    forget(node);
    return ok_status();
  }

  Status part(std::size_t node) {
    const std::lock_guard turn(operation_);
    if (const Status right = expect(node, {NodeState::kRunning}); !right) return right;
    return impair(node, set_apart(node, true));
  }

  Status join(std::size_t node) {
    const std::lock_guard turn(operation_);
    if (const Status right = expect(node, {NodeState::kImpaired}); !right) return right;
    return restore(node, set_apart(node, false));
  }

  Status fail_over() {
    const std::lock_guard turn(operation_);
    if (const Status right = expect(0, {NodeState::kImpaired}); !right) return right;
    for (std::size_t i = 0; i < members_.size(); ++i) set_state(i, NodeState::kKilled);
    for (Member& member : members_) member.process.kill_tree();
    for (std::size_t i = 0; i < members_.size(); ++i) forget(i);
    if (const Status joined = set_apart(0, false); !joined) return joined;
    const Status moved = watched(0, {}, [&] {
      for (const Command& command : kind_.take_over(plan_)) {
        const Status done = run_to_end(0, command, deadline_after(timeout_seconds_));
        if (!done) return done;
      }
      return ok_status();
    });
    return moved ? start_all_again() : moved;
  }

  Status set_clock(std::size_t node, std::int64_t ahead_ns) {
    const std::lock_guard turn(operation_);
    if (const Status right = expect(node, {NodeState::kRunning}); !right) return right;
    return impair(node, write_clock(node, ahead_ns));
  }

  Status right_clock(std::size_t node) {
    const std::lock_guard turn(operation_);
    if (const Status right = expect(node, {NodeState::kImpaired}); !right) return right;
    return restore(node, write_clock(node, 0));
  }

  Status restart(std::size_t node, const std::function<bool()>& give_up) {
    const std::lock_guard turn(operation_);
    const Status right = expect(node, {NodeState::kKilled, NodeState::kDied});
    if (!right) return right;
    return watched(node, give_up, [&] { return start_again(node); });
  }

  Status crash() {
    const std::lock_guard turn(operation_);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Status right = expect(i, {NodeState::kRunning, NodeState::kPaused});
      if (!right) return right;
    }
    for (std::size_t i = 0; i < members_.size(); ++i) set_state(i, NodeState::kKilled);
    for (Member& member : members_) member.process.kill_tree();
    for (std::size_t i = 0; i < members_.size(); ++i) forget(i);
    return start_all_again();
  }

  Status await(std::size_t node, const std::function<bool()>& give_up) {
    const std::lock_guard turn(operation_);
    const Status right = expect(node, {NodeState::kRunning, NodeState::kDied});
    if (!right) return right;
    if (kind_.needs_majority() && !majority_with(node)) return ok_status();
    return watched(node, give_up, [&] {
      return wait_until_ready(node, deadline_after(timeout_seconds_), kEnded);
    });
  }

  void stop() {
    stopping_ = true;
    const std::lock_guard turn(operation_);
    if (stopped_) return;
    stopped_ = true;
    for (std::size_t i = members_.size(); i-- > 0;) end(i);
    proxy_.reset();
    if (temporary_ && !keep_ && !plan_.folder.empty()) remove_all(plan_.folder);
  }

 private:
  struct Member {
    Process process;
    NodeState state = NodeState::kKilled;
    pid_t last_pid = 0;
  };

  // ---- impairments

  Status set_apart(std::size_t node, bool apart) {
    ISOLDE_CHECK(proxy_ != nullptr);
    apart ? proxy_->part(node) : proxy_->join(node);
    return ok_status();
  }

  Status impair(std::size_t node, const Status& done) {
    if (done) set_state(node, NodeState::kImpaired);
    return done;
  }

  Status restore(std::size_t node, const Status& done) {
    if (done) set_state(node, NodeState::kRunning);
    return done;
  }

  /// The process's own thread asks, so it holds no lock of ours.
  std::optional<std::size_t> node_of(pid_t process) const {
    const std::lock_guard lock(state_);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].process.pid() == process) return i;
    }
    return std::nullopt;
  }

  Status start_proxy() {
    if (!plan_.proxied) return ok_status();
    Result<std::unique_ptr<Proxy>> proxy = Proxy::start(
        kind_.links(plan_), plan_.owner, [this](pid_t process) { return node_of(process); });
    if (!proxy) return proxy.error();
    proxy_ = std::move(proxy).value();
    return ok_status();
  }

  std::string clock_file(std::size_t node) const { return plan_.sites[node].folder + ".clock"; }

  Status write_clock(std::size_t node, std::int64_t ahead_ns) {
    ISOLDE_CHECK(can_set_clock_);
    if (kind_.info().has_kernel_clock) {
      kernel_clocks_[node].set(ahead_ns);
      return ok_status();
    }
    // Seconds with a sign and a fraction, in libfaketime's words.
    const double seconds = static_cast<double>(ahead_ns) * 1e-9;
    std::string text = std::to_string(seconds);
    if (seconds >= 0) text.insert(0, "+");
    return write_file(clock_file(node), text + "\n", plan_.owner);
  }

  /// With a clock that can be set, if that is wanted.
  Command with_clock(std::size_t node, Command command) const {
    if (!can_set_clock_) return command;
    if (kind_.info().has_kernel_clock) {
      command.clock = kernel_clocks_[node].file();
      return command;
    }
    command.preloads.push_back(clock_library_);
    for (const std::string& variable : {"FAKETIME_TIMESTAMP_FILE=" + clock_file(node),
                                        // How long what the file says is kept, in seconds.
                                        std::string("FAKETIME_CACHE_DURATION=1"),
                                        // What measures durations goes on as it should.
                                        std::string("FAKETIME_DONT_FAKE_MONOTONIC=1")}) {
      command.variables.push_back(variable);
    }
    return command;
  }

  // ---- starting again

  Status start_again(std::size_t node) {
    const Clock::time_point deadline = deadline_after(timeout_seconds_);
    forget(node);
    const Status recovered = recover(node, deadline);
    return recovered ? start_recovered(node, deadline) : recovered;
  }

  /// All have ended.
  Status start_all_again() {
    const auto soon = [this] { return deadline_after(timeout_seconds_); };
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Status recovered = watched(i, {}, [&] { return recover(i, soon()); });
      if (!recovered) return recovered;
      order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return kind_.position(plan_, a) > kind_.position(plan_, b);
    });
    for (const std::size_t i : order) {
      const Status started = watched(i, {}, [&] { return start_recovered(i, soon()); });
      if (!started) return started;
    }
    // Those that were not awaited, because there was no majority yet.
    for (const std::size_t i : order) {
      const auto wait = [&] { return wait_until_ready(i, soon(), kNotStarted); };
      if (const Status ready = watched(i, {}, wait); !ready) return ready;
    }
    return ok_status();
  }

  Status recover(std::size_t node, Clock::time_point deadline) {
    const auto command = kind_.recover(plan_, node);
    return command ? run_to_end(node, *command, deadline) : ok_status();
  }

  Status start_recovered(std::size_t node, Clock::time_point deadline) {
    const Role role = others_run(node) ? Role::kMember : Role::kFounder;
    const Status arranged = kind_.rearrange(plan_, node, role);
    if (!arranged) return arranged;
    const Status started = start(node, role);
    if (!started) return started;
    if (!kind_.needs_majority() || majority_with(node)) {
      return wait_until_ready(node, deadline, kNotStarted);
    }
    set_state(node, NodeState::kRunning);
    return ok_status();
  }

  /// Work that may be given up. When it fails, whoever reads the message finds the log.
  template <typename Work>
  Status watched(std::size_t node, const std::function<bool()>& give_up, Work work) {
    cancelled_ = give_up;
    const Status done = work();
    cancelled_ = nullptr;
    if (done || done.error().code == ErrorCode::kLimit) return done;
    keep_ = true;
    Error error = done.error();
    if (error.message.find("(log: ") == std::string::npos) {
      error.message += log_place(plan_.sites[node].log);
    }
    return error;
  }

  // ---- launching

  Status launch_all() {
    const Clock::time_point deadline = deadline_after(timeout_seconds_);
    Result<std::string> folder = make_cluster_folder(folder_wanted_, plan_.owner);
    if (!folder) return folder.error();
    plan_.folder = std::move(folder).value();
    for (int attempt = 1;; ++attempt) {
      const Status done = attempt_all(deadline);
      const bool taken =
          !done && done.error().message.find("in use") != std::string::npos && !interrupted();
      if (!taken || attempt == kPortAttempts) return done;
      clear();
    }
  }

  Status attempt_all(Clock::time_point deadline) {
    Status status = find_clocks();
    if (status) status = lay_out();
    for (std::size_t i = 0; status && i < members_.size(); ++i) status = create(i, deadline);
    if (status) status = start_proxy();
    for (std::size_t i = 0; status && i < members_.size(); ++i) {
      status = start(i, i == 0 ? Role::kFounder : Role::kMember);
      if (status && kind_.one_by_one()) status = wait_until_ready(i, deadline, kNotStarted);
    }
    for (std::size_t i = 0; status && i < members_.size(); ++i) {
      status = wait_until_ready(i, deadline, kNotStarted);
    }
    return status;
  }

  Status find_clocks() {
    if (!can_set_clock_) return ok_status();
    if (kind_.info().has_kernel_clock) {
      while (kernel_clocks_.size() < members_.size()) {
        Result<KernelClock> clock = KernelClock::create();
        if (!clock) return clock.error();
        kernel_clocks_.push_back(std::move(clock).value());
      }
      return ok_status();
    }
    Result<std::string> library = find_clock_library();
    if (!library) return library.error();
    clock_library_ = std::move(library).value();
    return ok_status();
  }

  /// Names, folders and ports of all nodes.
  Status lay_out() {
    const Result<std::vector<std::uint16_t>> ports =
        free_ports(members_.size() * kind_.ports(plan_));
    if (!ports) return ports.error();
    auto next = ports->begin();
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Site& site = plan_.sites[i];
      site.name = "n" + std::to_string(i + 1);
      site.folder = plan_.folder + "/" + site.name;
      site.log = site.folder + ".log";
      const auto end = next + static_cast<std::ptrdiff_t>(kind_.ports(plan_));
      site.ports.assign(next, end);
      next = end;
      Status made = make_folder(site.folder, plan_.owner);
      if (made && can_set_clock_) made = write_clock(i, 0);
      if (!made) return made;
    }
    return ok_status();
  }

  Status create(std::size_t node, Clock::time_point deadline) {
    for (const Command& command : kind_.create(plan_, node)) {
      const Status done = run_to_end(node, command, deadline);
      if (!done) return done;
    }
    return kind_.arrange(plan_, node);
  }

  /// Back to an empty folder.
  void clear() {
    for (std::size_t i = members_.size(); i-- > 0;) {
      end(i);
      remove_all(plan_.sites[i].folder);
      remove_all(plan_.sites[i].log);
      remove_all(clock_file(i));
    }
    proxy_.reset();
  }

  // ---- programs

  Status run_to_end(std::size_t node, const Command& command, Clock::time_point deadline) {
    const Result<Process> process = line_.start(command);
    if (!process) return process.error();
    while (process->running()) {
      if (interrupted()) return interruption();
      if (Clock::now() >= deadline) return late(node, command.log);
      std::this_thread::sleep_for(kPollInterval);
    }
    const std::string ending = process->ending();
    return ending == "exit status 0" ? ok_status()
                                     : failure(node, kNotStarted, ending, command.log);
  }

  Status start(std::size_t node, Role role) {
    Result<Process> process = line_.start(with_clock(node, kind_.start(plan_, node, role)));
    if (!process) return process.error();
    const std::lock_guard lock(state_);
    members_[node].last_pid = process->pid();
    members_[node].process = std::move(process).value();
    return ok_status();
  }

  /// `otherwise`: what to say of a server that has ended.
  Status wait_until_ready(std::size_t node, Clock::time_point deadline,
                          std::string_view otherwise) {
    const std::string& log = plan_.sites[node].log;
    while (!is_ready(kind_, plan_, node)) {
      const std::string ending = members_[node].process.ending();
      if (!ending.empty()) return failure(node, otherwise, ending, log);
      if (interrupted()) return interruption();
      if (Clock::now() >= deadline) return late(node, log);
      std::this_thread::sleep_for(kPollInterval);
    }
    // Somebody else's server may have one of our ports; ours has then ended.
    const std::string ending = members_[node].process.ending();
    if (!ending.empty()) return failure(node, otherwise, ending, log);
    set_state(node, NodeState::kRunning);
    return ok_status();
  }

  bool interrupted() const { return stopping_ || (cancelled_ && cancelled_()); }

  static Error interruption() {
    return {ErrorCode::kLimit, "interrupted before the server was ready"};
  }

  std::string title(std::size_t node) const {
    const std::string name(kind_.info().name);
    return members_.size() == 1 ? name : name + " " + plan_.sites[node].name;
  }

  Error failure(std::size_t node, std::string_view what, const std::string& ending,
                const std::string& log) const {
    std::string said = telling_line(read_file(log));
    const std::string more =
        what == kNotStarted ? kind_.said_elsewhere(plan_, node) : std::string();
    if (!more.empty()) said += "; " + more;
    return {ErrorCode::kEnvironment, title(node) + " " + std::string(what) + " (" + ending +
                                         "): " + said + log_place(log)};
  }

  Error late(std::size_t node, const std::string& log) const {
    return {ErrorCode::kEnvironment, title(node) + " was not ready after " +
                                         seconds_text(timeout_seconds_) + ": " +
                                         telling_line(read_file(log)) + log_place(log)};
  }

  // ---- states

  /// REQUIRES: one of the locks.
  NodeState state_of(std::size_t node) const {
    const Member& member = members_[node];
    const bool up = member.state == NodeState::kRunning || member.state == NodeState::kPaused ||
                    member.state == NodeState::kImpaired;
    return up && !member.process.running() ? NodeState::kDied : member.state;
  }

  void set_state(std::size_t node, NodeState state) {
    const std::lock_guard lock(state_);
    members_[node].state = state;
  }

  void forget(std::size_t node) {
    const std::lock_guard lock(state_);
    members_[node].process.finish();
    if (!clock_library_.empty() && members_[node].last_pid != 0) {
      // What libfaketime leaves behind of a program that was killed.
      const std::string pid = std::to_string(members_[node].last_pid);
      remove_all("/dev/shm/faketime_shm_" + pid);
      remove_all("/dev/shm/sem.faketime_sem_" + pid);
    }
    members_[node].state = NodeState::kKilled;
  }

  bool others_run(std::size_t node) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (i != node && members_[i].process.running()) return true;
    }
    return false;
  }

  bool majority_with(std::size_t node) const {
    std::size_t running = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (i == node || state_of(i) == NodeState::kRunning) ++running;
    }
    return running > members_.size() / 2;
  }

  Status expect(std::size_t node, std::initializer_list<NodeState> states) const {
    ISOLDE_CHECK(node < members_.size());
    const NodeState now = state_of(node);
    for (const NodeState state : states) {
      if (now == state && !stopped_) return ok_status();
    }
    constexpr std::string_view kWords[] = {"running", "paused", "impaired", "killed", "dead"};
    return Error{ErrorCode::kUsage,
                 title(node) + " is " + std::string(kWords[static_cast<std::size_t>(now)])};
  }

  /// For good.
  void end(std::size_t node) {
    Member& member = members_[node];
    const int number = temporary_ ? kind_.quick_stop() : kind_.clean_stop();
    if (number != 0 && member.process.running()) {
      member.process.signal(number);
      // A stopped process takes no signal but SIGKILL.
      if (member.state == NodeState::kPaused) member.process.thaw();
      member.process.wait_until(Clock::now() + kPatience);
    }
    forget(node);
    if (member.last_pid != 0) kind_.clean_up(plan_, node, member.last_pid);
    member.last_pid = 0;
  }

  const Kind& kind_;
  Plan plan_;
  const double timeout_seconds_;
  const std::string folder_wanted_;
  const bool temporary_;
  const bool can_part_;
  const bool can_set_clock_;
  std::function<bool()> cancelled_;  ///< of the operation under way
  LifeLine line_;                    ///< outlives the processes
  std::mutex operation_;
  mutable std::mutex state_;  ///< guards members_ against nodes() and the proxy
  std::vector<Member> members_;
  std::unique_ptr<Proxy> proxy_;
  std::string clock_library_;
  std::vector<KernelClock> kernel_clocks_;  ///< where a kind has them, one for each node
  std::atomic<bool> stopping_ = false;
  bool stopped_ = false;
  std::atomic<bool> keep_ = false;
};

Result<std::unique_ptr<Cluster>> Cluster::launch(std::string_view name,
                                                 const LaunchOptions& options) {
  const Result<const Kind*> kind = find_kind(name);
  if (!kind) return kind.error();
  Result<Plan> plan = make_plan(**kind, options.settings);
  if (!plan) return plan.error();
  auto impl = std::make_unique<Impl>(**kind, std::move(plan).value(), options);
  const Status launched = impl->launch();
  if (!launched) return launched.error();
  return std::make_unique<Cluster>(Passkey(), std::move(impl));
}

Cluster::Cluster(Passkey, std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Cluster::~Cluster() = default;

std::string Cluster::dsn() const { return impl_->dsn(); }
std::string Cluster::folder() const { return impl_->folder(); }
std::vector<Node> Cluster::nodes() const { return impl_->nodes(); }
std::size_t Cluster::size() const { return impl_->size(); }
const KindInfo& Cluster::kind() const { return impl_->kind(); }
std::size_t Cluster::nodes_to_spare() const { return impl_->nodes_to_spare(); }
bool Cluster::keeps_folder() const { return impl_->keeps_folder(); }
Status Cluster::pause(std::size_t node) { return impl_->pause(node); }
Status Cluster::resume(std::size_t node) { return impl_->resume(node); }
Status Cluster::kill(std::size_t node) { return impl_->kill(node); }
Status Cluster::part(std::size_t node) { return impl_->part(node); }
Status Cluster::join(std::size_t node) { return impl_->join(node); }
Status Cluster::fail_over() { return impl_->fail_over(); }
Status Cluster::set_clock(std::size_t node, std::int64_t ahead_ns) {
  return impl_->set_clock(node, ahead_ns);
}
Status Cluster::right_clock(std::size_t node) { return impl_->right_clock(node); }
Status Cluster::restart(std::size_t node, const std::function<bool()>& give_up) {
  return impl_->restart(node, give_up);
}
Status Cluster::await(std::size_t node, const std::function<bool()>& give_up) {
  return impl_->await(node, give_up);
}
Status Cluster::crash() { return impl_->crash(); }
Status Cluster::check() { return impl_->check(); }
void Cluster::stop() { impl_->stop(); }

}  // namespace isolde::server
