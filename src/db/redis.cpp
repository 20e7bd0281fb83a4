// Redis, through hiredis: its parser of answers and its way to write commands. The connection
// is ours (stream.hpp), because Debian's version, 0.14, knows nothing of TLS.
//
// A Redis transaction is a batch: between MULTI and EXEC commands are only queued, so a
// transaction that reads does so before MULTI and keeps its writes to itself until the end.
// Whether it may then write depends on WATCH, which makes EXEC refuse when a key changed since:
// optimistic concurrency control. "watch" watches every key before reading it; "multi" is what
// a program does that trusts MULTI alone, and loses updates.
#include <hiredis.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "db/driver.hpp"
#include "db/key_values.hpp"
#include "db/stream.hpp"
#include "db/tls.hpp"

namespace isolde::db {

const DatabaseInfo& redis_info();  // at the end of the file

namespace {

constexpr std::uint16_t kUsualPort = 6379;

constexpr std::array<IsolationInfo, 2> kIsolations = {{
    {"watch", Level::kStrictSerializable,
     "WATCH before each read, then MULTI and EXEC, which refuses when a watched key changed"},
    {"multi", Level::kReadCommitted,
     "reads without WATCH, then MULTI and EXEC: writes appear at once; loses updates"},
}};

constexpr std::string_view kAsynchronous =
    "its manual calls replication asynchronous, and promises nothing of reads on replicas";
constexpr std::array<IsolationInfo, 2> kIsolationsWithReplicas = {{
    {"watch", std::nullopt, kIsolations[0].note, kAsynchronous},
    {"multi", std::nullopt, kIsolations[1].note, kAsynchronous},
}};

/// Sets a register if it holds what is expected; tells 1, or 0 and what it holds.
constexpr const char* kCompareAndSet =
    "local found = redis.call('GET', KEYS[1]) "
    "if (ARGV[1] == 'null' and not found) or found == ARGV[1] then "
    "  redis.call('SET', KEYS[1], ARGV[2]) return {1} "
    "end "
    "return {0, found}";

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Answer = std::unique_ptr<redisReply, FreeReply>;

struct FreeContext {
  void operator()(redisContext* context) const { redisFree(context); }
};

using Command = std::vector<std::string>;

bool is_error(const redisReply& reply) { return reply.type == REDIS_REPLY_ERROR; }

std::string_view text_of(const redisReply& reply) {
  const bool has_text = reply.type == REDIS_REPLY_STRING || reply.type == REDIS_REPLY_STATUS ||
                        reply.type == REDIS_REPLY_ERROR;
  return has_text ? std::string_view(reply.str, static_cast<std::size_t>(reply.len))
                  : std::string_view();
}

std::span<redisReply* const> elements_of(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_ARRAY) return {};
  return {reply.element, reply.elements};
}

/// An answer that is a list of numbers. False when something else is in it.
bool numbers_of(const redisReply& reply, std::vector<std::int64_t>& numbers) {
  numbers.clear();
  if (reply.type != REDIS_REPLY_ARRAY) return false;
  for (const redisReply* element : elements_of(reply)) {
    const std::optional<std::int64_t> number = kv::parse_number(text_of(*element));
    if (!number) return false;
    numbers.push_back(*number);
  }
  return true;
}

/// Whether an error answer is about who we are or what the data is, so that trying again does
/// not help.
bool is_lasting(std::string_view error) {
  for (const char* begin : {"NOAUTH", "WRONGPASS", "NOPERM", "WRONGTYPE", "READONLY"}) {
    if (error.starts_with(begin)) return true;
  }
  return error.find("unknown command") != std::string_view::npos;
}

struct FreeReader {
  void operator()(redisReader* reader) const { redisReaderFree(reader); }
};

timeval timeval_of(double seconds) {
  timeval time;
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(time.tv_sec)) * 1e6);
  if (time.tv_sec == 0 && time.tv_usec == 0) time.tv_usec = 1;
  return time;
}

/// As bytes of the protocol, behind `bytes`.
void append_command(const Command& command, std::string& bytes) {
  std::vector<const char*> words;
  std::vector<std::size_t> lengths;
  for (const std::string& word : command) {
    words.push_back(word.data());
    lengths.push_back(word.size());
  }
  char* text = nullptr;
  const int size = redisFormatCommandArgv(&text, static_cast<int>(words.size()), words.data(),
                                          lengths.data());
  ISOLDE_CHECK(size > 0);
  bytes.append(text, static_cast<std::size_t>(size));
  redisFreeCommand(text);
}

/// A connection, and requests on it.
class Connection {
 public:
  /// ERRORS: kUsage for bad files of certificates and refused passwords; kEnvironment.
  static Result<Connection> open(const Dsn& dsn, std::size_t number, const Tls& tls,
                                 double timeout_seconds, const Cancelled& cancelled = {});

  /// Sends the commands together and waits for all answers. Fewer answers than commands: the
  /// connection is lost, problem() says why.
  std::vector<Answer> ask(std::span<const Command> commands);
  /// One command; null when the connection is lost.
  Answer ask(const Command& command) {
    std::vector<Answer> answers = ask({&command, 1});
    return answers.empty() ? nullptr : std::move(answers.front());
  }

  int socket() const { return context_->fd; }
  /// Its address and its number for us, as in CLIENT LIST.
  const std::string& server() const { return server_; }
  std::string problem() const { return "Redis: " + problem_; }

 private:
  Connection() = default;
  Status log_in(const Dsn& dsn, const std::string& where);
  /// The next answer; null when there is none, for problem_.
  Answer next(Stream::Clock::time_point deadline);
  Stream::Clock::time_point deadline() const { return Stream::Clock::now() + timeout_; }

  std::unique_ptr<redisContext, FreeContext> context_;  // which owns the socket
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<redisReader, FreeReader> reader_;
  Stream::Clock::duration timeout_{};
  std::string problem_;
  std::string server_;
};

std::vector<Answer> Connection::ask(std::span<const Command> commands) {
  const Stream::Clock::time_point end = deadline();
  std::string bytes;
  for (const Command& command : commands) append_command(command, bytes);
  std::vector<Answer> answers;
  if (const Status sent = stream_->send(bytes, end); !sent) {
    problem_ = sent.error().message;
    return answers;
  }
  while (answers.size() < commands.size()) {
    Answer answer = next(end);
    if (!answer) break;
    answers.push_back(std::move(answer));
  }
  return answers;
}

Answer Connection::next(Stream::Clock::time_point end) {
  while (true) {
    void* answer = nullptr;
    if (redisReaderGetReply(reader_.get(), &answer) != REDIS_OK) {
      problem_ = reader_->errstr;
      return nullptr;
    }
    if (answer != nullptr) return Answer(static_cast<redisReply*>(answer));
    std::array<char, 16384> bytes;
    const Result<std::size_t> count = stream_->receive(bytes, end);
    if (!count) {
      problem_ = count.error().message;
      return nullptr;
    }
    redisReaderFeed(reader_.get(), bytes.data(), *count);
  }
}

Result<Connection> Connection::open(const Dsn& dsn, std::size_t number, const Tls& tls,
                                    double timeout_seconds, const Cancelled& cancelled) {
  Endpoint endpoint = dsn.endpoints.empty() ? Endpoint{"127.0.0.1", 0} : dsn.endpoints[number];
  if (endpoint.port == 0) endpoint.port = kUsualPort;
  const bool local = endpoint.host.starts_with('/');
  const std::string where =
      local ? endpoint.host : endpoint.host + ":" + std::to_string(endpoint.port);
  const timeval timeout = timeval_of(timeout_seconds);

  Connection connection;
  connection.timeout_ = std::chrono::duration_cast<Stream::Clock::duration>(
      std::chrono::duration<double>(timeout_seconds));
  connection.context_.reset(
      local ? redisConnectUnixWithTimeout(endpoint.host.c_str(), timeout)
            : redisConnectWithTimeout(endpoint.host.c_str(), endpoint.port, timeout));
  redisContext* context = connection.context_.get();
  if (context == nullptr || context->err != 0) {
    const char* why = context == nullptr ? "out of memory" : context->errstr;
    return Error{ErrorCode::kEnvironment, "no Redis at " + where + ": " + why};
  }
  connection.stream_ = plain_stream(context->fd, cancelled);
  if (tls.is_on()) {
    auto encrypted =
        tls_stream(std::move(connection.stream_), tls, endpoint.host, connection.deadline());
    if (!encrypted) {
      return Error{encrypted.error().code == ErrorCode::kUsage ? ErrorCode::kUsage
                                                               : ErrorCode::kEnvironment,
                   where + ": " + encrypted.error().message};
    }
    connection.stream_ = std::move(encrypted).value();
  }
  connection.reader_.reset(redisReaderCreate());
  if (const Status in = connection.log_in(dsn, where); !in) return in.error();
  connection.server_ = where;
  // Redis before version 5 refuses, and so may an access list.
  const Answer client = connection.ask(Command{"CLIENT", "ID"});
  if (!client) return Error{ErrorCode::kEnvironment, where + ": " + connection.problem()};
  if (client->type == REDIS_REPLY_INTEGER) {
    connection.server_ += " client " + std::to_string(client->integer);
  }
  return connection;
}

Status Connection::log_in(const Dsn& dsn, const std::string& where) {
  std::vector<Command> commands;
  if (!dsn.user.empty()) {
    commands.push_back({"AUTH", dsn.user, dsn.password});
  } else if (!dsn.password.empty()) {
    commands.push_back({"AUTH", dsn.password});
  }
  if (!dsn.path.empty()) commands.push_back({"SELECT", dsn.path});
  commands.push_back({"PING"});
  for (const Command& command : commands) {
    const Answer answer = ask(command);
    if (!answer) return Error{ErrorCode::kEnvironment, where + ": " + problem()};
    if (!is_error(*answer)) continue;
    const std::string said(text_of(*answer));
    const bool ours = is_lasting(said) || command[0] != "PING";
    return Error{ours ? ErrorCode::kUsage : ErrorCode::kEnvironment,
                 where + ": Redis refused " + command[0] + ": " + said};
  }
  return ok_status();
}

/// Writes of a transaction, sent with the commit.
struct WriteBuffer {
  std::map<Key, std::int64_t> registers;
  std::map<Key, std::vector<std::int64_t>> appended;

  std::vector<std::pair<Key, std::int64_t>> increments;  // in the order of the transaction

  bool empty() const { return registers.empty() && appended.empty() && increments.empty(); }
};

class RedisSession final : public Session {
 public:
  RedisSession(Connection connection, bool watch)
      : connection_(std::move(connection)), watch_(watch) {}

  int socket() const override { return connection_.socket(); }
  std::string server() const override { return connection_.server(); }
  Reply begin() override {
    ISOLDE_CHECK(!open_);
    open_ = true;
    sums_.clear();
    if (watched_.empty()) return {};
    // The transaction before ended without EXEC or UNWATCH.
    watched_.clear();
    const Answer answer = connection_.ask(Command{"UNWATCH"});
    return answer ? Reply{} : end(kv::lost(Outcome::kAborted, connection_.problem()));
  }

  Reply read(Key key, std::optional<std::int64_t>& value) override {
    ISOLDE_CHECK(open_);
    value.reset();
    if (const auto own = writes_.registers.find(key); own != writes_.registers.end()) {
      value = own->second;
      return {};
    }
    const std::string name = kv::register_name(key);
    Answer answer;
    if (Reply reply = fetch(name, {"GET", name}, answer); !reply.ok()) return reply;
    if (answer->type == REDIS_REPLY_NIL) return {};
    value = kv::parse_number(text_of(*answer));
    return value ? Reply{} : end(kv::not_a_value(name, text_of(*answer)));
  }

  /// INCRBY, as all writes at the end: the answer to EXEC tells the sum.
  Reply increment(Key key, std::int64_t by, std::optional<std::int64_t>& sum) override {
    ISOLDE_CHECK(open_);
    sum.reset();
    writes_.increments.emplace_back(key, by);
    return {};
  }
  std::vector<std::int64_t> sums() const override { return sums_; }

  Reply write(Key key, std::int64_t value) override {
    ISOLDE_CHECK(open_);
    writes_.registers[key] = value;
    return {};
  }

  Reply read_list(Key key, std::vector<std::int64_t>& elements) override {
    ISOLDE_CHECK(open_);
    const std::string name = kv::list_name(key);
    Answer answer;
    elements.clear();
    if (Reply reply = fetch(name, {"LRANGE", name, "0", "-1"}, answer); !reply.ok()) {
      return reply;
    }
    if (!numbers_of(*answer, elements)) return end(kv::not_a_value(name, "a list of others"));
    if (const auto own = writes_.appended.find(key); own != writes_.appended.end()) {
      elements.insert(elements.end(), own->second.begin(), own->second.end());
    }
    return {};
  }

  Reply append(Key key, std::int64_t element) override {
    ISOLDE_CHECK(open_);
    writes_.appended[key].push_back(element);
    return {};
  }

  /// A script in Lua, the only statements that Redis has.
  Reply statement(const std::string& text) override;
  Reply compare_and_set(Key key, std::optional<std::int64_t> expected, std::int64_t value,
                        CasResult& result) override;
  Reply commit() override;

  Reply rollback() override {
    ISOLDE_CHECK(open_);
    if (!watched_.empty()) {
      if (!connection_.ask(Command{"UNWATCH"})) {
        return end(kv::lost(Outcome::kAborted, connection_.problem()));
      }
      watched_.clear();
    }
    return end({});
  }

 private:
  /// Sends the command, and before it WATCH where that is due.
  Reply fetch(const std::string& name, Command command, Answer& answer) {
    std::vector<Command> commands;
    if (watch_ && watched_.insert(name).second) commands.push_back({"WATCH", name});
    commands.push_back(std::move(command));
    std::vector<Answer> answers = connection_.ask(commands);
    if (answers.size() < commands.size()) {
      return end(kv::lost(Outcome::kAborted, connection_.problem()));
    }
    for (const Answer& each : answers) {
      if (is_error(*each)) return end(refused(text_of(*each)));
    }
    answer = std::move(answers.back());
    return {};
  }

  static Reply refused(std::string_view error) {
    std::string message = "Redis: " + std::string(error);
    return is_lasting(error) ? kv::failed(std::move(message)) : kv::aborted(std::move(message));
  }

  Reply end(Reply reply) {
    open_ = false;
    writes_ = {};
    return reply;
  }

  Connection connection_;
  const bool watch_;
  std::vector<std::int64_t> sums_;  // of the transaction before
  bool open_ = false;
  std::set<std::string> watched_;
  WriteBuffer writes_;
};

Reply RedisSession::commit() {
  ISOLDE_CHECK(open_);
  // Without writes EXEC still tells whether the reads were all true at one moment.
  if (writes_.empty() && watched_.empty()) return end({});
  std::vector<Command> commands = {{"MULTI"}};
  for (const auto& [key, value] : writes_.registers) {
    commands.push_back({"SET", kv::register_name(key), std::to_string(value)});
  }
  for (const auto& [key, elements] : writes_.appended) {
    Command command = {"RPUSH", kv::list_name(key)};
    for (const std::int64_t element : elements) command.push_back(std::to_string(element));
    commands.push_back(std::move(command));
  }
  for (const auto& [key, by] : writes_.increments) {
    commands.push_back({"INCRBY", kv::register_name(key), std::to_string(by)});
  }
  commands.push_back({"EXEC"});
  const std::vector<Answer> answers = connection_.ask(commands);
  watched_.clear();
  if (answers.size() < commands.size()) {
    return end(kv::lost(Outcome::kUnknown, connection_.problem()));
  }
  const redisReply& executed = *answers.back();
  if (executed.type == REDIS_REPLY_NIL) return end(kv::aborted("Redis: a watched key changed"));
  if (executed.type == REDIS_REPLY_ARRAY) {
    // There is no rollback: where one command failed, the others have been done.
    for (const redisReply* each : elements_of(executed)) {
      if (is_error(*each)) return end(kv::unknown("Redis: " + std::string(text_of(*each))));
    }
    const std::span<redisReply* const> done = elements_of(executed);
    const std::size_t count = writes_.increments.size();
    for (std::size_t i = done.size() - std::min(count, done.size()); i < done.size(); ++i) {
      if (done[i]->type == REDIS_REPLY_INTEGER) sums_.push_back(done[i]->integer);
    }
    if (sums_.size() != count) return end(kv::unknown("Redis: INCRBY told no sum"));
    return end({});
  }
  for (const Answer& answer : answers) {
    // The first error is the reason, the one of EXEC only says that there was one.
    if (is_error(*answer)) return end(refused(text_of(*answer)));
  }
  return end(kv::unknown("Redis: unexpected answer to EXEC"));
}

Reply RedisSession::statement(const std::string& text) {
  const Answer answer = connection_.ask(Command{"EVAL", text, "0"});
  if (!answer) return kv::lost(Outcome::kUnknown, connection_.problem());
  return is_error(*answer) ? refused(text_of(*answer)) : Reply{};
}

Reply RedisSession::compare_and_set(Key key, std::optional<std::int64_t> expected,
                                    std::int64_t value, CasResult& result) {
  if (open_) return kv::read_and_set(*this, key, expected, value, result);
  result = {};
  const std::string name = kv::register_name(key);
  const std::string wanted = expected ? std::to_string(*expected) : "null";
  const Answer answer = connection_.ask(
      Command{"EVAL", kCompareAndSet, "1", name, wanted, std::to_string(value)});
  if (!answer) return kv::lost(Outcome::kUnknown, connection_.problem());
  if (is_error(*answer)) return refused(text_of(*answer));
  const std::span<redisReply* const> parts = elements_of(*answer);
  if (parts.empty() || parts[0]->type != REDIS_REPLY_INTEGER) {
    return kv::unknown("Redis: unexpected answer to the script");
  }
  result.applied = parts[0]->integer == 1;
  if (result.applied) return {};
  std::optional<std::int64_t> found;
  if (parts.size() > 1 && parts[1]->type == REDIS_REPLY_STRING) {
    found = kv::parse_number(text_of(*parts[1]));
    if (!found) return kv::not_a_value(name, text_of(*parts[1]));
  }
  result.seen = found;
  return {};
}

class RedisDatabase final : public Database {
 public:
  /// `replicas`: for each endpoint, whether it takes no writes.
  RedisDatabase(Dsn dsn, Tls tls, const OpenOptions& options, std::string version,
                std::vector<bool> replicas)
      : dsn_(std::move(dsn)),
        tls_(std::move(tls)),
        options_(options),
        version_(std::move(version)),
        replicas_(std::move(replicas)) {}

  std::string version() const override { return version_; }
  bool only_reads(std::uint32_t session) const override {
    return replicas_[session % replicas_.size()];
  }
  Status create(std::span<const Key> registers, std::span<const Key> lists) override;

  Result<std::unique_ptr<Session>> connect(std::uint32_t session) override {
    Result<Connection> connection = open(session % replicas_.size());
    if (!connection) return connection.error();
    return std::unique_ptr<Session>(std::make_unique<RedisSession>(
        std::move(*connection), options_.isolation == kIsolations[0].name));
  }

  Status destroy() override {
    Result<Connection> connection = open(0);
    if (!connection) return connection.error();
    bool marked = false;
    if (const Status looked = look_for_owner(*connection, marked); !looked) return looked;
    return marked ? remove(*connection) : ok_status();
  }

 private:
  Error error(ErrorCode code, const std::string& message) const {
    return {code, dsn_.display() + ": " + message};
  }
  Error error_of(const Connection& connection, const Answer& answer) const {
    if (!answer) return error(ErrorCode::kEnvironment, connection.problem());
    const std::string_view said = text_of(*answer);
    return error(is_lasting(said) ? ErrorCode::kUsage : ErrorCode::kEnvironment,
                 "Redis: " + std::string(said));
  }

  Result<Connection> open(std::size_t endpoint) const {
    return Connection::open(dsn_, endpoint, tls_, options_.timeout_seconds);
  }
  Status look_for_owner(Connection& connection, bool& marked) const;
  Status await_copies() const;
  Result<std::vector<std::string>> names(Connection& connection) const;
  Status remove(Connection& connection) const;

  const Dsn dsn_;
  const Tls tls_;
  const OpenOptions options_;
  const std::string version_;
  const std::vector<bool> replicas_;
};

Status RedisDatabase::look_for_owner(Connection& connection, bool& marked) const {
  const Answer answer = connection.ask(Command{"GET", kv::owner_name()});
  if (!answer || is_error(*answer)) return error_of(connection, answer);
  marked = text_of(*answer) == kv::kOwner;
  return ok_status();
}

/// All names that begin as ours do, each once.
Result<std::vector<std::string>> RedisDatabase::names(Connection& connection) const {
  std::set<std::string> found;
  std::string cursor = "0";
  do {
    const Answer answer =
        connection.ask(Command{"SCAN", cursor, "MATCH", "isolde:*", "COUNT", "1000"});
    if (!answer || is_error(*answer)) return error_of(connection, answer);
    const std::span<redisReply* const> parts = elements_of(*answer);
    if (parts.size() != 2) return error(ErrorCode::kEnvironment, "unexpected answer to SCAN");
    cursor = text_of(*parts[0]);
    for (const redisReply* name : elements_of(*parts[1])) found.emplace(text_of(*name));
  } while (cursor != "0");
  return std::vector<std::string>(found.begin(), found.end());
}

/// Removes our keys, the marker last, so that what an interruption leaves is still ours.
Status RedisDatabase::remove(Connection& connection) const {
  Result<std::vector<std::string>> found = names(connection);
  if (!found) return found.error();
  std::vector<Command> commands;
  for (const std::string& name : *found) {
    if (kv::is_own_name(name) && name != kv::owner_name()) commands.push_back({"DEL", name});
  }
  commands.push_back({"DEL", kv::owner_name()});
  constexpr std::size_t kAtOnce = 1000;
  for (std::size_t i = 0; i < commands.size(); i += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, commands.size() - i);
    const std::vector<Answer> answers = connection.ask(std::span(commands).subspan(i, count));
    for (const Answer& answer : answers) {
      if (is_error(*answer)) return error_of(connection, answer);
    }
    if (answers.size() < count) return error_of(connection, nullptr);
  }
  return ok_status();
}

/// Until all endpoints have the marker, and with it all that came before.
Status RedisDatabase::await_copies() const {
  const auto end =
      Stream::Clock::now() + std::chrono::duration<double>(options_.timeout_seconds);
  for (std::size_t i = 1; i < replicas_.size(); ++i) {
    Result<Connection> connection = open(i);
    if (!connection) return connection.error();
    bool marked = false;
    while (!marked) {
      if (const Status looked = look_for_owner(*connection, marked); !looked) return looked;
      if (marked) break;
      if (Stream::Clock::now() > end) {
        return error(ErrorCode::kEnvironment,
                     "endpoint " + std::to_string(i + 1) +
                         " does not show what was written through the first one; is it its "
                         "replica?");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  return ok_status();
}

Status RedisDatabase::create(std::span<const Key>, std::span<const Key>) {
  if (replicas_.front()) {
    return usage_error(
        "the first endpoint of the DSN is a replica, which takes no writes; name "
        "the primary first");
  }
  Result<Connection> connection = open(0);
  if (!connection) return connection.error();
  Result<std::vector<std::string>> found = names(*connection);
  if (!found) return found.error();
  bool marked = false;
  if (!found->empty()) {
    if (const Status looked = look_for_owner(*connection, marked); !looked) return looked;
    if (!marked) {
      return error(ErrorCode::kUsage,
                   "has keys isolde:* that Isolde did not create; use another database");
    }
    if (!options_.force_reset) {
      return error(ErrorCode::kUsage,
                   "has the keys of an earlier run; remove them or use --force-reset");
    }
    if (Status removed = remove(*connection); !removed) return removed;
  }
  // NX: of two runs that begin together, one goes on. Registers and lists without a value have
  // no key.
  const Answer answer =
      connection->ask(Command{"SET", kv::owner_name(), std::string(kv::kOwner), "NX"});
  if (!answer || is_error(*answer)) return error_of(*connection, answer);
  if (answer->type == REDIS_REPLY_NIL) {
    return error(ErrorCode::kUsage, "another run has just started there");
  }
  return await_copies();
}

/// "redis_version:7.0.15" in the answer to INFO.
std::string version_in(std::string_view text) {
  constexpr std::string_view kField = "redis_version:";
  const std::size_t at = text.find(kField);
  if (at == std::string_view::npos) return "Redis";
  text.remove_prefix(at + kField.size());
  return "Redis " + std::string(text.substr(0, text.find_first_of("\r\n")));
}

Result<Tls> tls_in(const Dsn& dsn) {
  const bool by_scheme = dsn.scheme == "rediss" || dsn.scheme == "valkeys";
  return tls_of(dsn, by_scheme ? Tls::Mode::kVerifyFull : Tls::Mode::kOff);
}

/// Those who may not ask for the role may not be told.
bool is_replica(Connection& connection) {
  const Answer answer = connection.ask(Command{"ROLE"});
  if (!answer || is_error(*answer)) return false;
  const std::span<redisReply* const> parts = elements_of(*answer);
  return !parts.empty() && text_of(*parts[0]) == "slave";
}

Result<std::unique_ptr<Database>> open_redis(const Dsn& dsn, const OpenOptions& options,
                                             const Cancelled& cancelled) {
  const Status known = check_parameters(dsn, with_tls_parameters({}));
  if (!known) return known.error();
  const Result<Tls> tls = tls_in(dsn);
  if (!tls) return tls.error();
  const std::int64_t database =
      kv::parse_number(dsn.path.empty() ? "0" : dsn.path).value_or(-1);
  if (database < 0) {
    return Error{ErrorCode::kUsage, "redis: database '" + dsn.path +
                                        "' is not a number; expected redis://HOST:PORT/NUMBER"};
  }
  std::string version;
  std::vector<bool> replicas;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, dsn.endpoints.size()); ++i) {
    Result<Connection> connection =
        Connection::open(dsn, i, *tls, options.timeout_seconds, cancelled);
    if (!connection) return connection.error();
    replicas.push_back(is_replica(*connection));
    if (i > 0) continue;
    const Answer answer = connection->ask(Command{"INFO", "server"});
    if (!answer) return Error{ErrorCode::kEnvironment, connection->problem()};
    version = version_in(text_of(*answer));
  }
  return std::unique_ptr<Database>(std::make_unique<RedisDatabase>(
      dsn, *tls, options, std::move(version), std::move(replicas)));
}

/// Replicas among the endpoints make promises smaller. What is wrong with the data source name,
/// or an endpoint, is for open_redis() to tell.
Result<const DatabaseInfo*> describe(const Dsn& dsn, double timeout_seconds,
                                     const Cancelled& cancelled) {
  static const DatabaseInfo kWithReplicas = [] {
    DatabaseInfo info = redis_info();
    info.isolations = info.isolations_with_replicas;
    return info;
  }();
  const Result<Tls> tls = tls_in(dsn);
  for (std::size_t i = 1; tls && i < dsn.endpoints.size(); ++i) {
    Result<Connection> connection = Connection::open(dsn, i, *tls, timeout_seconds, cancelled);
    if (!connection) break;
    if (is_replica(*connection)) return &kWithReplicas;
  }
  return &redis_info();
}

}  // namespace

const DatabaseInfo& redis_info() {
  static constexpr std::array<std::string_view, 3> kAliases = {"rediss", "valkey", "valkeys"};
  static const DatabaseInfo kInfo = {
      .name = "redis",
      .summary = "Redis through hiredis",
      .dsn =
          "redis://USER:PASSWORD@HOST:PORT/NUMBER, rediss:// with TLS, or "
          "redis://%2Fpath%2Fof.sock/NUMBER",
      .capabilities = {.lists = true,
                       .compare_and_set = true,
                       .increments = true,
                       .endpoints = true,
                       .sockets = true},
      .isolations = kIsolations,
      .open = open_redis,
      .describe = describe,
      .aliases = kAliases,
      .isolations_with_replicas = kIsolationsWithReplicas,
  };
  return kInfo;
}

}  // namespace isolde::db
