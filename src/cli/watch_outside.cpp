#include "cli/watch_outside.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "api/checking.hpp"
#include "base/duration.hpp"
#include "base/memory_guard.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "report/page.hpp"
#include "watch/address.hpp"
#include "watch/board.hpp"
#include "watch/event_log.hpp"
#include "watch/hook.hpp"
#include "watch/http.hpp"
#include "watch/routes.hpp"
#include "watch/webhook.hpp"

namespace isolde::cli {
namespace {

using Json = nlohmann::ordered_json;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds kGap(10);
constexpr std::chrono::seconds kBetweenRounds(10);  // that are logged
constexpr std::chrono::seconds kHookLimit(60);
constexpr std::chrono::seconds kWebhookLimit(60);
constexpr std::chrono::seconds kFirstPause(1);

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

double seconds(Steady::duration length) {
  return std::chrono::duration<double>(length).count();
}

/// Keeps the figures once a second, for graphs and for whoever waits for news.
class Sampler {
 public:
  explicit Sampler(watch::Board& board) : board_(board) {
    // Signals are for the thread that checks.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Sampler() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

 private:
  void run() {
    // A limit on memory is for the check; a refusal here would end the program.
    const base::MemoryGuard::Deferral deferral;
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return over_; })) {
      board_.sample();
    }
  }

  watch::Board& board_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

/// The URL, or the first line of the file behind "@": it may be a secret.
Result<watch::WebhookUrl> webhook_url(const std::string& given) {
  if (!given.starts_with('@')) return watch::parse_webhook(given);
  const Result<std::string> text = read_text(given.substr(1));
  if (!text) return text.error();
  return watch::parse_webhook(text->substr(0, text->find_first_of("\r\n")));
}

watch::Found found_in(const stream::Violation& violation, const std::string& text,
                      base::Budget& budget) {
  watch::Found found{violation.history.txn_count(), text, ""};
  if (!report::can_write_pages()) return found;
  api::Checked checked = api::proved(violation.history, violation.certificate, budget);
  api::explain(checked);
  Result<std::string> page = report::to_html(checked.model);
  if (page) found.page = std::move(page).value();
  return found;
}

}  // namespace

struct WatchOutside::Running {
  Running(const std::string& of, std::string_view asked)
      : source(of),
        level(asked),
        board(of, level, now_ns),
        log(now_ns),
        rested(Steady::now()) {}

  std::string source;
  std::string level;
  watch::Board board;
  watch::EventLog log;
  std::optional<Sampler> sampler;
  std::unique_ptr<watch::Routes> routes;
  std::unique_ptr<watch::Webhook> webhook;
  std::unique_ptr<watch::HttpServer> server;  // ends before what it answers from

  watch::Figures figures;
  Steady::time_point rested;  // when the last round was over
  Steady::time_point began;   // when the group had come
  std::optional<Steady::time_point> logged;
};

WatchOutside::WatchOutside() = default;

WatchOutside::~WatchOutside() {
  if (running_) running_->board.close();
}

void WatchOutside::add_to(CLI::App& app) {
  const auto add = [&](const char* name, std::string& value, const char* type,
                       const char* help) {
    return app.add_option(name, value, help)->type_name(type);
  };
  add("--listen", listen_, "[ADDRESS:]PORT",
      "Serve a page about the watch, /metrics for Prometheus, /healthz and /status.json; "
      "without "
      "an address on this machine only, and 0 is any free port")
      ->check(available(watch::can_use_http()));
  add("--token-file", token_file_, "FILE",
      "Answer only who has the token on the first line of the file, as a bearer or a password");
  add("--tls-cert", certificate_, "FILE", "Serve HTTPS with this certificate, in PEM");
  add("--tls-key", key_, "FILE", "The key of the certificate, in PEM");
  add_duration(app, "--linger", linger_ns_,
               "After the end, go on serving for so long, or until interrupted");
  add("--log", log_, "FILE",
      "Append what happens as lines of JSON (docs/watch.schema.json, its definition event); - "
      "is "
      "standard error");
  add("--on-violation", command_, "COMMAND",
      "Run this by the shell when a violation is found, with ISOLDE_BUNDLE and more in its "
      "environment, for at most 60 seconds");
  add("--webhook", webhook_, "URL",
      "Post a message as JSON when a violation is found, and at the end; @FILE reads the URL "
      "from a file")
      ->check(available(watch::can_use_http()));
}

bool WatchOutside::is_on() const {
  return !(listen_.empty() && log_.empty() && command_.empty() && webhook_.empty());
}

Status WatchOutside::check() const {
  if (certificate_.empty() != key_.empty()) {
    return Error{ErrorCode::kUsage, "--tls-cert and --tls-key belong together"};
  }
  if (listen_.empty()) return ok_status();
  const Result<watch::Address> address = watch::parse_address(listen_);
  if (!address) return address.error();
  if (address->loopback || (!token_file_.empty() && !certificate_.empty())) return ok_status();
  return Error{ErrorCode::kUsage, address->text() +
                                      " can be reached from other machines: give --token-file, "
                                      "--tls-cert and --tls-key, too"};
}

Status WatchOutside::serve() {
  watch::Address address = *watch::parse_address(listen_);
  watch::Access access;
  if (!token_file_.empty()) {
    const Result<std::string> token = watch::read_token(token_file_);
    if (!token) return token.error();
    access.token = *token;
  }
  access.loopback_only = address.loopback && access.token.empty();
  const Result<const watch::HttpModule*> module = watch::http_module();
  if (!module) return module.error();
  running_->routes = std::make_unique<watch::Routes>(running_->board, std::move(access));
  watch::ServeOptions options{address.host, address.port, certificate_, key_, {}, {}};
  options.answer = [this](const watch::HttpRequest& request) {
    return running_->routes->answer(request);
  };
  options.on_thread = [](const std::function<void()>& work) {
    // A limit on memory is for the check; a refusal here would end the program.
    const base::MemoryGuard::Deferral deferral;
    work();
  };
  std::string error;
  running_->server = (*module)->serve(options, error);
  if (!running_->server) {
    return Error{ErrorCode::kEnvironment, "cannot listen on " + address.text() + ": " + error};
  }
  address.port = static_cast<std::uint16_t>(running_->server->port());
  const std::string url =
      (certificate_.empty() ? "http://" : "https://") + address.text() + "/";
  running_->log.write("listening", {{"url", url}});
  std::fprintf(stderr, "isolde: listening on %s\n", url.c_str());
  return ok_status();
}

Status WatchOutside::start(const std::string& source, const std::vector<std::string>& files,
                           Level level) {
  if (const Status fine = check(); !fine) return fine;
  if (!is_on()) return ok_status();
  running_ = std::make_unique<Running>(source, info(level).name);
  if (!log_.empty()) {
    for (const std::string& file : files) {
      if (log_ == "-") break;
      if (const Status safe = check_output(log_, file); !safe) return safe;
    }
    if (const Status opened = running_->log.open(log_); !opened) return opened;
  }
  running_->log.write("start", {{"source", source}, {"level", running_->level}});
  if (!webhook_.empty()) {
    const Result<watch::WebhookUrl> url = webhook_url(webhook_);
    if (!url) return url.error();
    const Result<const watch::HttpModule*> module = watch::http_module();
    if (!module) return module.error();
    running_->webhook = std::make_unique<watch::Webhook>(
        [url = *url, module = *module](const std::string& body, std::string& error) {
          return module->post({url.origin, url.path, body}, error);
        },
        kFirstPause);
  }
  if (listen_.empty()) return ok_status();
  running_->sampler.emplace(running_->board);
  return serve();
}

void WatchOutside::came(const History& group) {
  if (!running_) return;
  Running& now = *running_;
  now.began = Steady::now();
  const Steady::duration waited = now.began - now.rested;
  if (waited >= kGap && now.figures.groups > 0) {
    const std::string text = "nothing came for " + base::fixed(seconds(waited), 1) + " s";
    now.board.mark("gap", text);
    now.log.write("gap", {{"source", now.source}, {"seconds", seconds(waited)}});
  }
  now.board.came();
  watch::Figures& figures = now.figures;
  ++figures.groups;
  figures.operations += group.op_count();
  for (std::size_t t = 0; t < group.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    figures.committed += group.status(txn) == TxnStatus::kCommitted ? 1 : 0;
    figures.newest_end = std::max(figures.newest_end, group.times(txn).end);
  }
  for (const RecordedEvent& event : group.events()) {
    const bool ends = event.part == RecordedEvent::Part::kEnds;
    std::string text = group.text(event.kind);
    if (!event.what.is_null()) text += ": " + group.text(event.what);
    if (ends) text += " " + group.text(event.name) + " ends";
    now.log.write("fault", {{"source", now.source}, {"text", text}});
    now.board.mark("fault", std::move(text));
  }
}

void WatchOutside::update(const stream::Rounds& rounds) {
  watch::Figures& figures = running_->figures;
  figures.transactions = rounds.txn_count();
  figures.settled = rounds.settled();
  figures.settled_until = rounds.settled_until();
  figures.open = rounds.open_count();
  figures.apart = rounds.apart_count();
  figures.keys = rounds.key_count();
  figures.rounds = rounds.rounds();
  const std::vector<stream::IncompleteKey>& incomplete = rounds.incomplete_keys();
  if (incomplete.size() > figures.incomplete_keys) {
    const std::string& first = incomplete[figures.incomplete_keys].name;
    const std::size_t others = incomplete.size() - figures.incomplete_keys - 1;
    std::string text = "somebody who is not recorded writes " + first;
    if (others > 0) text += " and " + plural(others, "other key");
    running_->log.write(
        "incomplete",
        {{"source", running_->source}, {"text", text}, {"incomplete_keys", incomplete.size()}});
    running_->board.mark("incomplete", std::move(text));
  }
  figures.incomplete_keys = incomplete.size();
  running_->board.update(figures);
}

void WatchOutside::round(const stream::Rounds& rounds) {
  if (!running_) return;
  Running& now = *running_;
  now.rested = Steady::now();
  now.figures.round_seconds = seconds(now.rested - now.began);
  update(rounds);
  if (now.logged && now.rested - *now.logged < kBetweenRounds) return;
  now.logged = now.rested;
  now.log.write("round", {{"source", now.source},
                          {"rounds", now.figures.rounds},
                          {"transactions", now.figures.transactions},
                          {"settled", now.figures.settled},
                          {"open", now.figures.open},
                          {"keys", now.figures.keys},
                          {"seconds", now.figures.round_seconds}});
}

/// To the log and the webhook.
void WatchOutside::send(const char* event, const stream::Rounds& rounds, Verdict verdict,
                        Json about) {
  Running& now = *running_;
  Json all = {{"source", now.source},
              {"level", now.level},
              {"verdict", name(verdict)},
              {"transactions", rounds.txn_count()},
              {"settled", rounds.settled()}};
  all.update(about);
  now.log.write(event, all);
  if (!now.webhook) return;
  Json message = {{"event", event}};
  message.update(all);
  now.webhook->send(message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Status WatchOutside::found(const stream::Rounds& rounds, const WatchFound& found,
                           base::Budget& budget) {
  if (!running_) return ok_status();
  Running& now = *running_;
  update(rounds);
  now.board.mark("violation", now.level + " is violated");
  now.board.find(found_in(*rounds.violation(), found.text, budget));
  now.board.sample();
  const auto or_null = [](const std::string& path) {
    return path.empty() ? Json() : Json(path);
  };
  send("violation", rounds, Verdict::kViolated,
       {{"violation",
         {{"transactions", rounds.violation()->history.txn_count()}, {"text", found.text}}},
        {"bundle", or_null(found.bundle)},
        {"certificate", or_null(found.certificate)}});
  if (command_.empty()) return ok_status();
  return watch::run_hook({command_,
                          {{"ISOLDE_BUNDLE", found.bundle},
                           {"ISOLDE_CERTIFICATE", found.certificate},
                           {"ISOLDE_SOURCE", now.source},
                           {"ISOLDE_LEVEL", now.level}},
                          kHookLimit});
}

void WatchOutside::begin_behind(std::uint64_t violations, const std::string& lost) {
  if (running_) running_->board.begin_behind(violations, lost);
}

void WatchOutside::lose(const std::string& reason) {
  if (running_) running_->board.lose(reason);
}

void WatchOutside::go_on(const std::string& text) {
  if (!running_) return;
  running_->board.suspect("");
  if (text.empty()) return;
  running_->board.mark("goes-on", text);
  running_->log.write("goes-on", {{"source", running_->source}, {"text", text}});
}

void WatchOutside::suspect(const stream::Suspicion& suspicion, const std::string& text) {
  if (!running_) return;
  running_->board.suspect(text);
  Json named = Json::array();
  for (const stream::TxnNumber number : suspicion.named) named.push_back(number + 1);
  const auto or_null = [](std::int64_t time) { return time == kNoTime ? Json() : Json(time); };
  running_->log.write("suspected", {{"source", running_->source},
                                    {"level", running_->level},
                                    {"first", suspicion.first + 1},
                                    {"last", suspicion.last + 1},
                                    {"start", or_null(suspicion.begin)},
                                    {"end", or_null(suspicion.end)},
                                    {"named", std::move(named)},
                                    {"text", text}});
}

void WatchOutside::clear(const std::string& text) {
  if (!running_) return;
  running_->board.suspect("");
  running_->board.mark("cleared", text);
  running_->log.write("cleared", {{"source", running_->source}, {"text", text}});
}

void WatchOutside::disk(const std::string& line, std::size_t unwritten) {
  if (!running_) return;
  Running& now = *running_;
  now.figures.unwritten_files = unwritten;
  now.board.update(now.figures);
  now.board.mark("disk", line);
  now.log.write("disk", {{"source", now.source}, {"text", line}, {"unwritten", unwritten}});
}

void WatchOutside::fail(const Error& error) {
  if (!running_) return;
  const Json about = {{"source", running_->source}, {"error", told(error)}};
  running_->log.write("error", about);
  if (!running_->webhook) return;
  Json message = {{"event", "error"}};
  message.update(about);
  running_->webhook->send(message.dump(-1, ' ', false, Json::error_handler_t::replace));
  static_cast<void>(running_->webhook->finish(kWebhookLimit));
}

void WatchOutside::linger() const {
  if (!running_->server || linger_ns_ == 0) return;
  constexpr std::chrono::milliseconds kPause(50);
  const Steady::time_point deadline = Steady::now() + std::chrono::nanoseconds(linger_ns_);
  while (!was_interrupted() && Steady::now() < deadline) std::this_thread::sleep_for(kPause);
}

Status WatchOutside::end(const stream::Rounds& rounds, const WatchEnd& end) {
  if (!running_) return ok_status();
  Running& now = *running_;
  update(rounds);
  now.board.end(std::string(name(end.verdict)), end.reason);
  now.board.sample();
  Json about = Json::object();
  if (!end.reason.empty()) about["reason"] = end.reason;
  if (end.violations > 0) about["violations"] = end.violations;
  send("end", rounds, end.verdict, std::move(about));
  const Status sent = now.webhook ? now.webhook->finish(kWebhookLimit) : ok_status();
  const Status logged = now.log.status();
  linger();
  return sent ? logged : sent;
}

}  // namespace isolde::cli
