// etcd, through the JSON gateway of its API, version 3.
//
// etcd has one kind of transaction: a single request "if these comparisons hold, do this, else
// that". Transactions of several steps are made from it in the client. This driver does what
// etcd's own client library does (package concurrency, "software transactional memory"), with
// its four levels: reads are remembered with the revision in which their key was last changed,
// writes are kept back, and the commit is one request that compares what the level asks for.
// - read-committed compares nothing.
// - repeatable-reads compares each key read: it must not have changed since.
// - serializable also reads everything at the revision of the first read.
// - serializable-snapshot also compares each key written: not newer than the first read.
// Comparing all reads at the moment of the commit makes what commits serializable, whatever the
// level's name; the levels above differ in what a transaction sees that will not commit.
//
// Requests are sent once. Whatever is not answered may have been done.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "db/base64.hpp"
#include "db/driver.hpp"
#include "db/http_client.hpp"
#include "db/key_values.hpp"
#include "db/tls.hpp"

namespace isolde::db {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint16_t kUsualPort = 2379;
constexpr char kSeparator = '/';

enum class Stm : std::uint8_t {
  kSerializableSnapshot,
  kSerializable,
  kRepeatableReads,
  kReadCommitted
};

/// In the order of Stm.
constexpr std::array<IsolationInfo, 4> kIsolations = {{
    {"serializable-snapshot", Level::kStrictSerializable,
     "reads at the revision of the first one; commit checks all keys read and written"},
    {"serializable", Level::kStrictSerializable,
     "reads at the revision of the first one; commit checks all keys read"},
    {"repeatable-reads", Level::kReadCommitted,
     "reads the newest values; commit checks all keys read, so what commits is serializable"},
    {"read-committed",
     Level::kReadCommitted,
     "reads the newest values; commit checks nothing; loses updates",
     {},
     "nothing is checked in between"},
}};

/// Which reads may come from the node's own state without asking the others. kAsStm: as etcd's
/// client does, that is all but the first ones of the two upper levels.
enum class ReadsFrom : std::uint8_t { kAsStm, kQuorum, kNode };

/// Codes of gRPC, which the gateway passes on.
enum Code : std::int64_t {
  kInvalidArgument = 3,
  kNotFound = 5,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kUnauthenticated = 16,
};

/// Why a request did not succeed.
struct Trouble {
  bool arrived = false;
  bool sent = false;
  std::int64_t code = 0;
  std::string message;

  /// The server has refused before doing anything, and will again.
  bool lasting() const {
    return code == kInvalidArgument || code == kNotFound || code == kPermissionDenied ||
           code == kUnauthenticated || code == kUnimplemented ||
           (code == kResourceExhausted && message.find("space") != std::string::npos);
  }
  /// The server has refused before doing anything.
  bool refused() const {
    return lasting() || code == kResourceExhausted || code == kFailedPrecondition ||
           code == kOutOfRange;
  }
  /// `changes`: whether the request would have changed something.
  Reply reply(bool changes) const {
    if (!arrived)
      return kv::lost(changes && sent ? Outcome::kUnknown : Outcome::kAborted, message);
    // A new connection gets a new token.
    if (code == kUnauthenticated) return kv::lost(Outcome::kAborted, message);
    if (lasting()) return kv::failed(message);
    return changes && !refused() ? kv::unknown(message) : kv::aborted(message);
  }
  Error error(const std::string& where) const {
    const bool ours =
        code == kInvalidArgument || code == kPermissionDenied || code == kUnauthenticated;
    return {ours ? ErrorCode::kUsage : ErrorCode::kEnvironment, where + ": " + message};
  }
};

Json range_of(const std::string& name) { return {{"key", base64_encode(name)}}; }

/// All names that begin with the prefix: from it to the prefix with its last character raised.
Json range_from(std::string prefix) {
  Json range = range_of(prefix);
  ++prefix.back();
  range["range_end"] = base64_encode(prefix);
  return range;
}

Json put_of(const std::string& name, std::string_view value) {
  return {{"request_put", {{"key", base64_encode(name)}, {"value", base64_encode(value)}}}};
}

Json get_of(const std::string& name) { return {{"request_range", range_of(name)}}; }

Json removal_of(Json range) { return {{"request_delete_range", std::move(range)}}; }

Json comparison(const std::string& name, const char* result, std::int64_t revision) {
  return {{"key", base64_encode(name)},
          {"target", "MOD"},
          {"result", result},
          {"mod_revision", std::to_string(revision)}};
}

Json value_comparison(const std::string& name, std::string_view value) {
  return {{"key", base64_encode(name)},
          {"target", "VALUE"},
          {"result", "EQUAL"},
          {"value", base64_encode(value)}};
}

/// A transaction request in the making.
struct Txn {
  Json compare = Json::array();
  Json success = Json::array();
  Json failure = Json::array();

  Json request() const {
    return {{"compare", compare}, {"success", success}, {"failure", failure}};
  }
};

/// Empty: it is not there, or no text.
std::string text_at(const Json& answer, const char* where) {
  const Json::json_pointer pointer(where);
  if (!answer.contains(pointer)) return {};
  const auto* const text = answer[pointer].get_ptr<const std::string*>();
  return text == nullptr ? std::string() : *text;
}

/// Numbers of 64 bits come as texts, and zeros not at all.
std::int64_t number_at(const Json& answer, const char* where) {
  return kv::parse_number(text_at(answer, where)).value_or(0);
}

/// Of a transaction.
bool succeeded(const Json& answer) { return answer.value("succeeded", Json()) == true; }

/// What a range request found under one name.
struct Found {
  std::optional<std::string> value;
  std::int64_t changed = 0;   ///< revision of its last change, 0: it is not there
  std::int64_t revision = 0;  ///< of the store, when it was read
};

/// From the object that holds "kvs".
Found found_in(const Json& answer) {
  Found found;
  found.revision = number_at(answer, "/header/revision");
  if (!answer.contains("/kvs/0"_json_pointer)) return found;
  found.changed = number_at(answer, "/kvs/0/mod_revision");
  const std::string text = text_at(answer, "/kvs/0/value");  // absent: the value is empty
  found.value = base64_decode(text).value_or(text);
  return found;
}

/// One node of etcd, and requests to it.
class Node {
 public:
  Node(const Endpoint& endpoint, const Tls& tls, double timeout_seconds,
       const Cancelled& cancelled)
      : http_(url(endpoint, tls), timeout_seconds, tls, cancelled) {}

  const std::string& where() const { return http_.server(); }
  int socket() const { return http_.socket(); }

  /// Null: `answer` is there, until the next call.
  std::optional<Trouble> call(const std::string& path, const Json& request, Json& answer) {
    const std::string body = request.dump(-1, ' ', false, Json::error_handler_t::replace);
    return parse(http_.post("/v3/" + path, body), answer);
  }

  std::optional<Trouble> range(const Json& request, Found& found) {
    Json answer;
    if (std::optional<Trouble> trouble = call("kv/range", request, answer)) return trouble;
    found = found_in(answer);
    return std::nullopt;
  }

  std::optional<Trouble> log_in(const std::string& user, const std::string& password) {
    Json answer;
    const Json request = {{"name", user}, {"password", password}};
    if (std::optional<Trouble> trouble = call("auth/authenticate", request, answer)) {
      return trouble;
    }
    const std::string token = text_at(answer, "/token");
    if (!token.empty()) http_.add_header("Authorization: " + token);
    return std::nullopt;
  }

  std::optional<Trouble> version(std::string& text) {
    Json answer;
    if (std::optional<Trouble> trouble = parse(http_.get("/version"), answer)) return trouble;
    const std::string number = text_at(answer, "/etcdserver");
    if (number.empty()) {
      return Trouble{true, true, 0, "this is not etcd: /version has no etcdserver"};
    }
    text = "etcd " + number;
    return std::nullopt;
  }

 private:
  static std::string url(const Endpoint& endpoint, const Tls& tls) {
    if (endpoint.host.starts_with('/')) return endpoint.host;
    return (tls.is_on() ? "https://" : "http://") + address(endpoint);
  }

  static std::string address(const Endpoint& endpoint) {
    const bool colons = endpoint.host.find(':') != std::string::npos;
    const std::string host = colons ? "[" + endpoint.host + "]" : endpoint.host;
    return host + ":" + std::to_string(endpoint.port == 0 ? kUsualPort : endpoint.port);
  }

  static std::optional<Trouble> parse(const HttpAnswer& http, Json& answer) {
    if (!http.arrived) return Trouble{false, http.sent, 0, "etcd: " + http.problem};
    answer = Json::parse(http.body, nullptr, false);
    const bool json = answer.is_object();
    if (json && http.status == 200) return std::nullopt;
    Trouble trouble = {true, true, 0, {}};
    if (http.status == 404) trouble.code = kUnimplemented;
    if (json) {
      trouble.message = text_at(answer, "/error");
      const Json code = answer.value("code", Json());
      if (code.is_number_integer()) trouble.code = code.get<std::int64_t>();
    }
    if (trouble.message.empty()) trouble.message = "HTTP status " + std::to_string(http.status);
    trouble.message = "etcd: " + trouble.message;
    return trouble;
  }

  HttpClient http_;
};

class EtcdSession final : public Session {
 public:
  EtcdSession(Node node, Stm level, ReadsFrom reads, bool versions)
      : node_(std::move(node)), level_(level), reads_(reads), versions_(versions) {}

  Reply begin() override {
    ISOLDE_CHECK(!open_);
    open_ = true;
    version_of_writes_.reset();
    return {};
  }

  Reply read(Key key, std::optional<std::int64_t>& value) override {
    const std::string name = kv::register_name(key, kSeparator);
    std::optional<std::string> text;
    value.reset();
    version_.reset();
    if (Reply reply = get(name, text); !reply.ok()) return reply;
    if (!text) return {};
    const auto known = reads_made_.find(name);
    const bool is_own = writes_.contains(name);
    if (versions_ && !is_own && known != reads_made_.end()) version_ = known->second.changed;
    value = kv::parse_number(*text);
    return value ? Reply{} : end(kv::not_a_value(name, *text));
  }

  Reply write(Key key, std::int64_t value) override {
    ISOLDE_CHECK(open_);
    version_.reset();
    writes_[kv::register_name(key, kSeparator)] = std::to_string(value);
    return {};
  }

  /// Revisions of keys; a write gets that of its commit.
  std::optional<std::int64_t> version() const override { return version_; }
  std::optional<std::int64_t> version_of_writes() const override { return version_of_writes_; }

  Reply read_list(Key key, std::vector<std::int64_t>& elements) override {
    const std::string name = kv::list_name(key, kSeparator);
    std::optional<std::string> text;
    elements.clear();
    if (Reply reply = get(name, text); !reply.ok()) return reply;
    if (text && !kv::parse_list(*text, elements)) return end(kv::not_a_value(name, *text));
    return {};
  }

  /// Reads and writes: etcd has no lists.
  Reply append(Key key, std::int64_t element) override {
    std::vector<std::int64_t> elements;
    if (Reply reply = read_list(key, elements); !reply.ok()) return reply;
    elements.push_back(element);
    writes_[kv::list_name(key, kSeparator)] = kv::list_text(elements);
    return {};
  }

  Reply compare_and_set(Key key, std::optional<std::int64_t> expected, std::int64_t value,
                        CasResult& result) override;
  Reply commit() override;

  Reply rollback() override {
    ISOLDE_CHECK(open_);
    return end({});
  }

  int socket() const override { return node_.socket(); }
  std::string server() const override {
    const std::size_t scheme = node_.where().find("://");
    return scheme == std::string::npos ? node_.where() : node_.where().substr(scheme + 3);
  }

 private:
  bool fixes_revision() const {
    return level_ == Stm::kSerializableSnapshot || level_ == Stm::kSerializable;
  }

  Json request_of(const std::string& name) const {
    Json request = range_of(name);
    const bool fixed = fixes_revision() && !reads_made_.empty();
    if (fixed) request["revision"] = std::to_string(first_revision_);
    // The node has the revision: it has just answered with it.
    const bool node = fixed || reads_ == ReadsFrom::kNode ||
                      (reads_ == ReadsFrom::kAsStm && !fixes_revision());
    if (node) request["serializable"] = true;
    return request;
  }

  Reply get(const std::string& name, std::optional<std::string>& text) {
    ISOLDE_CHECK(open_);
    if (const auto own = writes_.find(name); own != writes_.end()) {
      text = own->second;
      return {};
    }
    if (const auto known = reads_made_.find(name); known != reads_made_.end()) {
      text = known->second.value;
      return {};
    }
    Found found;
    if (const auto trouble = node_.range(request_of(name), found)) {
      return end(trouble->reply(false));
    }
    if (reads_made_.empty()) first_revision_ = found.revision;
    text = found.value;
    reads_made_.emplace(name, std::move(found));
    return {};
  }

  Txn commit_request() const;

  Reply end(Reply reply) {
    open_ = false;
    reads_made_.clear();
    writes_.clear();
    return reply;
  }

  Node node_;
  const Stm level_;
  const ReadsFrom reads_;
  bool open_ = false;
  std::map<std::string, Found> reads_made_;
  std::int64_t first_revision_ = 0;
  std::map<std::string, std::string> writes_;
  const bool versions_;
  std::optional<std::int64_t> version_;
  std::optional<std::int64_t> version_of_writes_;
};

Txn EtcdSession::commit_request() const {
  Txn txn;
  for (const auto& [name, value] : writes_) txn.success.push_back(put_of(name, value));
  if (level_ == Stm::kReadCommitted) return txn;
  for (const auto& [name, found] : reads_made_) {
    txn.compare.push_back(comparison(name, "EQUAL", found.changed));
    // etcd's client fetches them for its next attempt. We do not need the values, but it is
    // these reads that make etcd ask the other nodes before it answers a request that only
    // compares.
    if (fixes_revision()) {
      txn.failure.push_back(get_of(name));
    }
  }
  if (level_ == Stm::kSerializableSnapshot && !reads_made_.empty()) {
    for (const auto& [name, value] : writes_) {
      txn.compare.push_back(comparison(name, "LESS", first_revision_ + 1));
    }
  }
  return txn;
}

Reply EtcdSession::commit() {
  ISOLDE_CHECK(open_);
  const Txn txn = commit_request();
  if (txn.compare.empty() && txn.success.empty()) return end({});
  Json answer;
  if (const auto trouble = node_.call("kv/txn", txn.request(), answer)) {
    return end(trouble->reply(!writes_.empty()));
  }
  if (succeeded(answer)) {
    const std::int64_t revision = number_at(answer, "/header/revision");
    if (versions_ && !writes_.empty() && revision > 0) version_of_writes_ = revision;
    return end({});
  }
  return end(kv::aborted("etcd: a key has changed since the transaction read it"));
}

Reply EtcdSession::compare_and_set(Key key, std::optional<std::int64_t> expected,
                                   std::int64_t value, CasResult& result) {
  if (open_) return kv::read_and_set(*this, key, expected, value, result);
  result = {};
  const std::string name = kv::register_name(key, kSeparator);
  Txn txn;
  txn.compare.push_back(expected ? value_comparison(name, std::to_string(*expected))
                                 : comparison(name, "EQUAL", 0));
  txn.success.push_back(put_of(name, std::to_string(value)));
  txn.failure.push_back(get_of(name));
  Json answer;
  if (const auto trouble = node_.call("kv/txn", txn.request(), answer)) {
    return trouble->reply(true);
  }
  result.applied = succeeded(answer);
  if (result.applied) return {};
  const auto range = "/responses/0/response_range"_json_pointer;
  if (!answer.contains(range)) return {};
  std::optional<std::int64_t> seen;
  if (const Found found = found_in(answer[range]); found.value) {
    seen = kv::parse_number(*found.value);
    if (!seen) return kv::not_a_value(name, *found.value);
  }
  result.seen = seen;
  return {};
}

class EtcdDatabase final : public Database {
 public:
  EtcdDatabase(Dsn dsn, Tls tls, Stm level, ReadsFrom reads, const OpenOptions& options)
      : dsn_(std::move(dsn)),
        tls_(std::move(tls)),
        level_(level),
        reads_(reads),
        options_(options) {}

  /// Finds a node that answers.
  Status look(const Cancelled& cancelled);

  std::string version() const override { return version_; }
  Status create(std::span<const Key> registers, std::span<const Key> lists) override;

  Result<std::unique_ptr<Session>> connect(std::uint32_t session) override {
    Result<Node> node = open_node(dsn_.endpoints[session % dsn_.endpoints.size()]);
    if (!node) return node.error();
    return std::unique_ptr<Session>(
        std::make_unique<EtcdSession>(std::move(*node), level_, reads_, options_.versions));
  }

  Status destroy() override;

 private:
  Result<Node> open_node(const Endpoint& endpoint, const Cancelled& cancelled = {}) const;
  /// The first node that answers.
  Result<Node> any_node(const Cancelled& cancelled = {}) const;
  /// Nothing is done when the marker is not there.
  Status remove(Node& node) const;

  const Dsn dsn_;
  const Tls tls_;
  const Stm level_;
  const ReadsFrom reads_;
  const OpenOptions options_;
  std::string version_;
};

Result<Node> EtcdDatabase::open_node(const Endpoint& endpoint,
                                     const Cancelled& cancelled) const {
  Node node(endpoint, tls_, options_.timeout_seconds, cancelled);
  if (!dsn_.user.empty()) {
    if (const auto trouble = node.log_in(dsn_.user, dsn_.password)) {
      return trouble->error(node.where());
    }
  }
  Found ignored;
  Json request = range_of(kv::owner_name(kSeparator));
  request["serializable"] = true;
  if (const auto trouble = node.range(request, ignored)) return trouble->error(node.where());
  return node;
}

Result<Node> EtcdDatabase::any_node(const Cancelled& cancelled) const {
  std::optional<Error> first;
  for (const Endpoint& endpoint : dsn_.endpoints) {
    Result<Node> node = open_node(endpoint, cancelled);
    if (node) return node;
    if (!first) first = node.error();
  }
  return *first;
}

Status EtcdDatabase::look(const Cancelled& cancelled) {
  Result<Node> node = any_node(cancelled);
  if (!node) return node.error();
  if (const auto trouble = node->version(version_)) return trouble->error(node->where());
  return ok_status();
}

Status EtcdDatabase::remove(Node& node) const {
  const std::string owner = kv::owner_name(kSeparator);
  Txn txn;
  txn.compare.push_back(value_comparison(owner, kv::kOwner));
  for (const char* prefix : {"isolde/register/", "isolde/list/"}) {
    txn.success.push_back(removal_of(range_from(prefix)));
  }
  txn.success.push_back(removal_of(range_of(owner)));
  Json answer;
  if (const auto trouble = node.call("kv/txn", txn.request(), answer)) {
    return trouble->error(node.where());
  }
  return ok_status();
}

Status EtcdDatabase::create(std::span<const Key>, std::span<const Key>) {
  Result<Node> node = any_node();
  if (!node) return node.error();
  const std::string owner = kv::owner_name(kSeparator);
  Found mark;
  if (const auto trouble = node->range(range_of(owner), mark)) {
    return trouble->error(node->where());
  }
  const bool marked = mark.value == kv::kOwner;
  if (marked && !options_.force_reset) {
    return Error{ErrorCode::kUsage, node->where() +
                                        ": has the keys of an earlier run; remove "
                                        "them or use --force-reset"};
  }
  if (marked) {
    if (Status removed = remove(*node); !removed) return removed;
  } else {
    Found other;
    Json all = range_from("isolde/");
    all["limit"] = "1";
    if (const auto trouble = node->range(all, other)) return trouble->error(node->where());
    if (other.value) {
      return Error{
          ErrorCode::kUsage,
          node->where() + ": has keys isolde/* that Isolde did not create; use another etcd"};
    }
  }
  // Of two runs that begin together, one goes on. Registers and lists without a value have no
  // key.
  Txn txn;
  txn.compare.push_back(comparison(owner, "EQUAL", 0));
  txn.success.push_back(put_of(owner, kv::kOwner));
  Json answer;
  if (const auto trouble = node->call("kv/txn", txn.request(), answer)) {
    return trouble->error(node->where());
  }
  if (succeeded(answer)) return ok_status();
  return Error{ErrorCode::kUsage, node->where() + ": another run has just started there"};
}

Status EtcdDatabase::destroy() {
  Result<Node> node = any_node();
  if (!node) return node.error();
  return remove(*node);
}

Result<std::unique_ptr<Database>> open_etcd(const Dsn& dsn, const OpenOptions& options,
                                            const Cancelled& cancelled) {
  const Status known = check_parameters(dsn, with_tls_parameters({"reads"}));
  if (!known) return known.error();
  const Result<Tls> tls = tls_of(dsn);
  if (!tls) return tls.error();
  if (!dsn.path.empty()) {
    return Error{ErrorCode::kUsage,
                 "etcd has no databases; expected etcd://HOST:PORT without /" + dsn.path};
  }
  Dsn complete = dsn;
  if (complete.endpoints.empty()) complete.endpoints.push_back({"127.0.0.1", kUsualPort});
  constexpr std::array<std::string_view, 2> kReads = {"linearizable", "serializable"};
  const Result<std::string> asked = word_in(dsn, "reads", kReads, {});
  if (!asked) return asked.error();
  const ReadsFrom reads = asked->empty()            ? ReadsFrom::kAsStm
                          : *asked == kReads.back() ? ReadsFrom::kNode
                                                    : ReadsFrom::kQuorum;
  std::size_t row = 0;
  while (row < kIsolations.size() && kIsolations[row].name != options.isolation) ++row;
  ISOLDE_CHECK(row < kIsolations.size());
  auto database = std::make_unique<EtcdDatabase>(std::move(complete), *tls,
                                                 static_cast<Stm>(row), reads, options);
  if (const Status found = database->look(cancelled); !found) return found.error();
  return std::unique_ptr<Database>(std::move(database));
}

}  // namespace

const DatabaseInfo& etcd_info() {
  static const DatabaseInfo kInfo = {
      .name = "etcd",
      .summary = "etcd through its JSON gateway, with the transactions of its client library",
      .dsn =
          "etcd://USER:PASSWORD@HOST:PORT,HOST:PORT,...?reads=linearizable|serializable"
          "&sslmode=disable",
      .capabilities = {.lists = true,
                       .compare_and_set = true,
                       .endpoints = true,
                       .sockets = true,
                       .versions = Capabilities::Versions::kOrder},
      .isolations = kIsolations,
      .open = open_etcd,
  };
  return kInfo;
}

}  // namespace isolde::db
