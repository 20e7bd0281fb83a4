// Text to certificate. Strict: an unknown, repeated or missing member, a number out of range
// and a line that does not belong are errors, because nobody should wonder what a proof says.
#include <simdjson.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/assert.hpp"
#include "certify/certificate_io.hpp"
#include "certify/certificate_names.hpp"
#include "certify/level_rules.hpp"
#include "history/level_names.hpp"
#include "history/texts.hpp"

namespace isolde::certify {
namespace {

namespace ondemand = simdjson::ondemand;
using JsonValue = simdjson::simdjson_result<ondemand::value>;

constexpr std::uint64_t kOpLimit = std::numeric_limits<std::uint32_t>::max();

/// Parses line by line. Every parsing member returns false after noting the first problem.
class Reader {
 public:
  Reader(std::string_view name, const History& history) : name_(name), history_(history) {}

  Result<Certificate> read(std::string_view bytes);

 private:
  enum class Verdict : std::uint8_t { kNone, kHolds, kViolated };

  bool fail(std::string problem) {
    ISOLDE_INVARIANT(!problem.empty());
    if (problem_.empty()) problem_ = std::move(problem);
    return false;
  }

  /// Calls `member(name, value)` for each member of the object.
  template <typename Member>
  bool each_member(simdjson::simdjson_result<ondemand::object> object, const char* what,
                   Member member);
  template <typename Item>
  bool each_item(JsonValue value, const char* what, Item item);

  bool read_line(const char* line, std::size_t length, std::size_t capacity);
  bool header(simdjson::simdjson_result<ondemand::object> object);
  bool header_member(std::string_view name, JsonValue value);
  bool body(simdjson::simdjson_result<ondemand::object> object);
  bool finish_order();
  bool finish_key_order();
  bool finish_body();
  KeyWitness key_witness() const;
  DirectProof proof();
  bool body_member(std::string_view name, JsonValue value);
  bool clause(JsonValue value);
  bool source(JsonValue value);
  bool claim(JsonValue value);
  bool wrong_result(JsonValue value);
  bool source_member(std::string_view name, JsonValue value, Claim& claim);
  bool edge(JsonValue value);
  bool edge_member(std::string_view name, JsonValue value, Edge& edge);
  bool key(JsonValue value, KeyId& into);

  bool once(unsigned member);
  bool number(JsonValue value, std::uint64_t limit, const char* what, std::uint64_t& into);
  bool number(JsonValue value, const char* what, std::uint32_t& into);
  bool txn(JsonValue value, TxnId& into);
  bool session(JsonValue value, SessionId& into);
  bool text(JsonValue value, const char* what, std::string_view& into);
  template <typename Names, typename Kind>
  bool kind(JsonValue value, const Names& names, const char* what, Kind& into);

  const std::string_view name_;
  const History& history_;
  ondemand::parser parser_;
  std::string problem_;
  std::unordered_map<std::string, KeyId> keys_;  // see key(); filled at the first edge

  Certificate certificate_;
  std::optional<Level> follows_from_;
  Verdict verdict_ = Verdict::kNone;
  std::optional<Finding> finding_;
  Witness witness_;
  SessionWitness apart_;
  Refutation refutation_;
  bool by_key_ = false;                         // a witness with an order for each key
  std::vector<std::vector<TxnId>> key_orders_;  // by key, as far as there are any
  std::optional<KeyExhaustion> exhaustion_;

  // The line being read: which members it had, as bits, and its contents.
  unsigned seen_ = 0;
  Finding line_finding_;
  SessionWitness::Execution line_execution_;
  RefutationStep step_;
  KeyId line_key_;
  TxnId line_until_;
};

// Members of header and body lines, as bits of Reader::seen_.
enum : unsigned {
  kVersion = 1U << 0,
  kLevel = 1U << 1,
  kVerdict = 1U << 2,
  kHistory = 1U << 3,
  kTransactions = 1U << 4,
  kClockError = 1U << 5,
  kMentions = 1U << 6,
  kOrder = 1U << 7,
  kFinding = 1U << 8,
  kTransaction = 1U << 9,
  kOp = 1U << 10,
  kElement = 1U << 11,
  kOther = 1U << 12,
  kOtherOp = 1U << 13,
  kClause = 1U << 14,
  kCycle = 1U << 15,
  kFrom = 1U << 16,
  kSessionOf = 1U << 17,
  kSessionsOf = 1U << 18,
  kKey = 1U << 19,
  kUntil = 1U << 20,
  kSources = 1U << 21,
  kClaims = 1U << 22,
  kIs = 1U << 23,
  kFollowsFrom = 1U << 24,
  kVersions = 1U << 25,
  kWrongResult = 1U << 26,
  kSums = 1U << 27,
};

bool Reader::once(unsigned member) {
  ISOLDE_INVARIANT(member != 0 && (member & (member - 1)) == 0);
  if ((seen_ & member) != 0) return fail("a member appears twice");
  seen_ |= member;
  return true;
}

template <typename Member>
bool Reader::each_member(simdjson::simdjson_result<ondemand::object> object, const char* what,
                         Member member) {
  ondemand::object members;
  const simdjson::error_code error = std::move(object).get(members);
  if (error == simdjson::INCORRECT_TYPE) {
    return fail(std::string("expected ") + what + ", a JSON object");
  }
  if (error != simdjson::SUCCESS) return fail("broken JSON");
  for (auto field : members) {
    std::string_view name;
    if (field.unescaped_key().get(name) != simdjson::SUCCESS) return fail("broken JSON");
    if (!member(name, field.value())) return false;
  }
  return true;
}

template <typename Item>
bool Reader::each_item(JsonValue value, const char* what, Item item) {
  ondemand::array items;
  const simdjson::error_code error = value.get_array().get(items);
  if (error == simdjson::INCORRECT_TYPE) {
    return fail(std::string("expected ") + what + ", a JSON array");
  }
  if (error != simdjson::SUCCESS) return fail("broken JSON");
  for (auto element : items) {
    if (element.error() != simdjson::SUCCESS) return fail("broken JSON");
    if (!item(element)) return false;
  }
  return true;
}

bool Reader::number(JsonValue value, std::uint64_t limit, const char* what,
                    std::uint64_t& into) {
  if (value.get_uint64().get(into) == simdjson::SUCCESS && into < limit) return true;
  return fail(std::string("expected ") + what + ", a whole number from 0 and below " +
              std::to_string(limit));
}

bool Reader::number(JsonValue value, const char* what, std::uint32_t& into) {
  std::uint64_t wide = 0;
  if (!number(value, kOpLimit, what, wide)) return false;
  into = static_cast<std::uint32_t>(wide);
  return true;
}

bool Reader::txn(JsonValue value, TxnId& into) {
  std::uint64_t wide = 0;
  if (!number(value, history_.txn_count(), "the number of a transaction", wide)) return false;
  into = TxnId(static_cast<std::uint32_t>(wide));
  return true;
}

/// Sessions go by any of their transactions.
bool Reader::session(JsonValue value, SessionId& into) {
  TxnId member;
  if (!txn(value, member)) return false;
  into = history_.session_of(member);
  return true;
}

bool Reader::text(JsonValue value, const char* what, std::string_view& into) {
  if (value.get_string().get(into) == simdjson::SUCCESS) return true;
  return fail(std::string("expected ") + what + ", a string");
}

template <typename Names, typename Kind>
bool Reader::kind(JsonValue value, const Names& names, const char* what, Kind& into) {
  std::string_view found;
  if (!text(value, what, found)) return false;
  for (const auto& [known, name] : names) {
    if (name != found) continue;
    into = known;
    return true;
  }
  return fail(std::string("unknown ") + what + " '" + std::string(found) + "'");
}

bool Reader::header(simdjson::simdjson_result<ondemand::object> object) {
  const bool read = each_member(
      object, "the header",
      [&](std::string_view name, JsonValue value) { return header_member(name, value); });
  if (!read) return false;
  constexpr unsigned kAlways =
      kVersion | kLevel | kVerdict | kHistory | kTransactions | kClockError;
  if ((seen_ & kAlways) != kAlways) {
    return fail(
        "the header needs isolde-certificate, level, verdict, history, transactions "
        "and clock_error_ns");
  }
  const bool mentions = (seen_ & kMentions) != 0;
  const bool holds = verdict_ == Verdict::kHolds;
  const Level proved = follows_from_.value_or(certificate_.level);
  by_key_ = holds && !mentions && rules(info(proved)).test == Test::kKeys;
  if (mentions != holds && !by_key_) {
    return fail("mentions belongs to the verdict 'holds' and to no other");
  }
  if (follows_from_ == certificate_.level) {
    return fail("follows_from names the level itself; it is for a proof of another level");
  }
  if ((seen_ & kSessionOf) != 0 && verdict_ != Verdict::kViolated) {
    return fail("session_of belongs to the verdict 'violated'; an order has sessions_of");
  }
  return true;
}

bool parse_digest(std::string_view digits, std::uint64_t& into) {
  into = 0;
  for (const char c : digits) {
    const bool letter = c >= 'a' && c <= 'f';
    if (!letter && (c < '0' || c > '9')) return false;
    into = into * 16 + static_cast<std::uint64_t>(letter ? c - 'a' + 10 : c - '0');
  }
  return digits.size() == 16;
}

bool Reader::header_member(std::string_view name, JsonValue value) {
  std::uint64_t wide = 0;
  std::string_view word;
  if (name == "isolde-certificate") {
    if (!once(kVersion) || !number(value, kOpLimit, "the format's version", wide)) return false;
    return wide == 1 || fail("version " + std::to_string(wide) +
                             " of the format is unknown; this program reads version 1");
  }
  if (name == "level" || name == "follows_from") {
    const bool is_claim = name == "level";
    if (!once(is_claim ? kLevel : kFollowsFrom) || !text(value, "a level", word)) return false;
    const std::optional<Level> level = history::level_written(word);
    if (level && is_claim) certificate_.level = *level;
    if (level && !is_claim) follows_from_ = *level;
    return level || fail("unknown level '" + std::string(word) + "'");
  }
  if (name == "verdict") {
    if (!once(kVerdict) || !text(value, "the verdict", word)) return false;
    if (word == "holds") verdict_ = Verdict::kHolds;
    if (word == "violated") verdict_ = Verdict::kViolated;
    return verdict_ != Verdict::kNone || fail("the verdict is neither holds nor violated");
  }
  if (name == "history") {
    if (!once(kHistory) || !text(value, "the history's digest", word)) return false;
    return parse_digest(word, certificate_.history_digest) ||
           fail("the history's digest is not 16 hexadecimal digits");
  }
  if (name == "transactions") {
    if (!once(kTransactions) || !number(value, kOpLimit, "a count", wide)) return false;
    return wide == history_.txn_count() ||
           fail("the certificate is about a history of " + std::to_string(wide) +
                " transactions, this one has " + std::to_string(history_.txn_count()));
  }
  if (name == "clock_error_ns") {
    constexpr auto kLimit = static_cast<std::uint64_t>(kMaxClockErrorNs) + 1;
    if (!once(kClockError)) return false;
    if (value.get_uint64().get(wide) != simdjson::SUCCESS || wide >= kLimit) {
      return fail("clock_error_ns is no whole number from 0 to " +
                  std::to_string(kMaxClockErrorNs) + " nanoseconds, which is a day");
    }
    certificate_.clock_error_ns = static_cast<std::int64_t>(wide);
    return true;
  }
  if (name == "versions") {
    if (!once(kVersions) || !text(value, "versions", word)) return false;
    certificate_.trusts_versions = word == "trusted";
    return certificate_.trusts_versions ||
           fail("versions of a proof are \"trusted\" or absent");
  }
  if (name == "mentions") {
    if (!once(kMentions) || !number(value, 3, "1 or 2", wide)) return false;
    witness_.mentions = static_cast<int>(wide);
    return wide != 0 || fail("mentions is neither 1 nor 2");
  }
  if (name == "session_of") {
    return once(kSessionOf) && session(value, refutation_.session);
  }
  return fail("unknown member '" + std::string(name) + "' in the header");
}

bool Reader::body(simdjson::simdjson_result<ondemand::object> object) {
  line_finding_ = {};
  line_execution_ = {};
  step_ = {};
  const bool read = each_member(
      object, "a line of the proof",
      [&](std::string_view name, JsonValue value) { return body_member(name, value); });
  return read && finish_body();
}

/// A line with sessions begins an execution for these; one without goes on with the last one,
/// or with the only one of a proof that tells no sessions apart.
bool Reader::finish_order() {
  if (by_key_) return finish_key_order();
  if (seen_ == kSources) return true;
  if (seen_ != kOrder && seen_ != (kOrder | kSessionsOf)) {
    return fail(
        "expected {\"order\":[...]}, perhaps with sessions_of, or {\"sources\":[...]}, "
        "and nothing else");
  }
  if ((seen_ & kSessionsOf) != 0) {
    if (!witness_.order.empty()) return fail("sessions_of must be in the first line too");
    if (witness_.mentions != 1) return fail("sessions_of does not go with mentions 2");
    apart_.executions.push_back(std::move(line_execution_));
    return true;
  }
  std::vector<TxnId>& order =
      apart_.executions.empty() ? witness_.order : apart_.executions.back().order;
  order.insert(order.end(), line_execution_.order.begin(), line_execution_.order.end());
  return true;
}

/// A line goes on with the order of its key.
bool Reader::finish_key_order() {
  if (seen_ != (kKey | kOrder)) return fail("expected {\"key\":...,\"order\":[...]}");
  if (key_orders_.empty()) key_orders_.resize(history_.key_count());
  std::vector<TxnId>& order = key_orders_[line_key_.raw()];
  order.insert(order.end(), line_execution_.order.begin(), line_execution_.order.end());
  return true;
}

bool Reader::finish_body() {
  if (seen_ == kSums) return true;
  if (verdict_ == Verdict::kHolds) return finish_order();
  if (finding_ || exhaustion_) {
    return fail("a finding is the whole proof: it is the only line after the header");
  }
  if (seen_ == (kKey | kUntil)) {
    if (!refutation_.steps.empty()) return fail("expected another step");
    exhaustion_ = KeyExhaustion{line_key_, line_until_};
    return true;
  }
  if ((seen_ & kFinding) != 0) {
    const unsigned allowed = kFinding | kTransaction | kOp | kElement | kOther | kOtherOp;
    const unsigned needed = kFinding | kTransaction | kOp;
    if ((seen_ & needed) != needed || (seen_ & ~allowed) != 0) {
      return fail("expected a finding with transaction and op");
    }
    if (!refutation_.steps.empty()) {
      return fail("a finding is the whole proof: it is the only line after the header");
    }
    finding_ = line_finding_;
    return true;
  }
  const unsigned without_claims = seen_ & ~unsigned{kClaims};
  if (without_claims != (kClause | kCycle) && without_claims != (kClause | kFrom) &&
      without_claims != (kClause | kWrongResult)) {
    return fail("expected a clause with either cycle or from, or a finding");
  }
  refutation_.steps.push_back(std::move(step_));
  return true;
}

KeyWitness Reader::key_witness() const {
  KeyWitness witness;
  witness.begin.assign(history_.key_count() + 1, 0);
  ISOLDE_ASSERT(key_orders_.empty() || key_orders_.size() == history_.key_count());
  for (std::size_t key = 0; key < key_orders_.size(); ++key) {
    witness.begin[key] = witness.order.size();
    witness.order.insert(witness.order.end(), key_orders_[key].begin(), key_orders_[key].end());
  }
  witness.begin.back() = witness.order.size();
  return witness;
}

bool Reader::body_member(std::string_view name, JsonValue value) {
  Finding& finding = line_finding_;
  if (name == "order") {
    return once(kOrder) && each_item(value, "transactions", [&](JsonValue item) {
             TxnId next;
             if (!txn(item, next)) return false;
             line_execution_.order.push_back(next);
             return true;
           });
  }
  if (name == "sessions_of") {
    return once(kSessionsOf) && each_item(value, "transactions", [&](JsonValue item) {
             line_execution_.sessions.emplace_back();
             return session(item, line_execution_.sessions.back());
           });
  }
  if (name == "sums") {
    return once(kSums) && each_item(value, "numbers", [&](JsonValue item) {
             std::int64_t sum = 0;
             if (item.get_int64().get(sum) != simdjson::SUCCESS) {
               return fail("expected the sum of an increment, an integer");
             }
             certificate_.sums.push_back(sum);
             return true;
           });
  }
  if (name == "key") return once(kKey) && key(value, line_key_);
  if (name == "until") return once(kUntil) && txn(value, line_until_);
  if (name == "sources") {
    return once(kSources) &&
           each_item(value, "sources of reads", [&](JsonValue item) { return source(item); });
  }
  if (name == "clause") return once(kClause) && clause(value);
  if (name == "claims") {
    return once(kClaims) &&
           each_item(value, "claims", [&](JsonValue item) { return claim(item); });
  }
  if (name == "cycle") {
    return once(kCycle) &&
           each_item(value, "edges", [&](JsonValue item) { return edge(item); });
  }
  if (name == "wrong_result") return once(kWrongResult) && wrong_result(value);
  if (name == "from") {
    return once(kFrom) && each_item(value, "earlier steps", [&](JsonValue item) {
             std::uint64_t step = 0;
             if (!number(item, refutation_.steps.size(), "an earlier step", step)) return false;
             step_.from.push_back(static_cast<std::uint32_t>(step));
             return true;
           });
  }
  if (name == "finding") {
    return once(kFinding) && kind(value, kFindingNames, "finding", finding.kind);
  }
  if (name == "transaction") return once(kTransaction) && txn(value, finding.txn);
  if (name == "other") return once(kOther) && txn(value, finding.other);
  if (name == "op") return once(kOp) && number(value, "an operation", finding.op);
  if (name == "element") return once(kElement) && number(value, "an index", finding.element);
  if (name == "other_op") {
    return once(kOtherOp) && number(value, "an operation", finding.other_op);
  }
  return fail("unknown member '" + std::string(name) + "'");
}

bool Reader::clause(JsonValue value) {
  return each_item(value, "pairs of transactions", [&](JsonValue pair) {
    std::vector<TxnId> two;
    const bool read = each_item(pair, "a pair of transactions", [&](JsonValue item) {
      two.emplace_back();
      return two.size() <= 2 ? txn(item, two.back()) : fail("a pair has more than two members");
    });
    if (!read || two.size() != 2) return fail("a pair has fewer than two members");
    step_.clause.push_back({two[0], two[1]});
    return true;
  });
}

bool Reader::wrong_result(JsonValue value) {
  WrongResult wrong;
  const unsigned of_line = std::exchange(seen_, 0);
  const bool good = each_member(
      value.get_object(), "a wrong result", [&](std::string_view name, JsonValue member) {
        if (name == "transaction") return once(kTransaction) && txn(member, wrong.txn);
        if (name == "selection") {
          return once(kOp) && number(member, "a selection", wrong.selection);
        }
        return fail("unknown member '" + std::string(name) + "'");
      });
  const unsigned members = std::exchange(seen_, of_line);
  if (!good) return false;
  if (members != (kTransaction | kOp)) {
    return fail("a wrong result needs transaction and selection");
  }
  step_.wrong_result = wrong;
  return true;
}

bool Reader::source(JsonValue value) {
  Claim read;
  const unsigned of_line = std::exchange(seen_, 0);
  const bool good =
      each_member(value.get_object(), "a source", [&](std::string_view name, JsonValue member) {
        return source_member(name, member, read);
      });
  const unsigned members = std::exchange(seen_, of_line);
  if (!good) return false;
  if ((members & ~unsigned{kOther}) != (kTransaction | kOp)) {
    return fail("a source needs transaction and op");
  }
  witness_.sources.push_back(read.source);
  return true;
}

bool Reader::claim(JsonValue value) {
  Claim claim;
  claim.source.op = Claim::kNoOp;
  const unsigned of_line = std::exchange(seen_, 0);
  const bool good =
      each_member(value.get_object(), "a claim", [&](std::string_view name, JsonValue member) {
        return source_member(name, member, claim);
      });
  const unsigned members = std::exchange(seen_, of_line);
  if (!good) return false;
  if ((members & (kTransaction | kIs)) != (kTransaction | kIs)) {
    return fail("a claim needs transaction and is");
  }
  if ((members & kOther) != 0 && (members & kOp) == 0) return fail("a writer needs an op");
  step_.claims.push_back(claim);
  return true;
}

bool Reader::source_member(std::string_view name, JsonValue value, Claim& claim) {
  if (name == "transaction") return once(kTransaction) && txn(value, claim.source.txn);
  if (name == "op") return once(kOp) && number(value, "an operation", claim.source.op);
  if (name == "writer") return once(kOther) && txn(value, claim.source.writer);
  if (name == "is") {
    bool is = false;
    if (!once(kIs)) return false;
    if (value.get_bool().get(is) != simdjson::SUCCESS) return fail("expected true or false");
    claim.denied = !is;
    return true;
  }
  return fail("unknown member '" + std::string(name) + "' about a read");
}

bool Reader::edge(JsonValue value) {
  Edge edge;
  const unsigned of_line = std::exchange(seen_, 0);
  bool has_kind = false;
  const bool read =
      each_member(value.get_object(), "an edge", [&](std::string_view name, JsonValue member) {
        has_kind = has_kind || name == "kind";
        return edge_member(name, member, edge);
      });
  seen_ = of_line;
  if (!read) return false;
  if (edge.from.is_none() || edge.to.is_none() || !has_kind) {
    return fail("an edge needs from, to and kind");
  }
  step_.cycle.push_back(edge);
  return true;
}

bool Reader::edge_member(std::string_view name, JsonValue value, Edge& edge) {
  if (name == "from") return once(kFrom) && txn(value, edge.from);
  if (name == "to") return once(kTransaction) && txn(value, edge.to);
  if (name == "via") return once(kOther) && txn(value, edge.via);
  if (name == "key") return once(kElement) && key(value, edge.key);
  if (name == "kind") return once(kOp) && kind(value, kEdgeNames, "kind of edge", edge.kind);
  return fail("unknown member '" + std::string(name) + "' in an edge");
}

/// Keys are looked up by their kind, string or other scalar, and their text.
bool Reader::key(JsonValue value, KeyId& into) {
  const auto table_name = [](bool is_string, std::string_view name) {
    std::string full(1, is_string ? 's' : 'l');
    return full += name;
  };
  if (keys_.empty()) {
    for (std::size_t i = 0; i < history_.key_count(); ++i) {
      const Value name = history_.key_name(KeyId::at(i));
      const bool is_string = name.kind() == Value::Kind::kString;
      keys_.emplace(table_name(is_string, history::exact_text(history_, name)), KeyId::at(i));
    }
  }
  ondemand::json_type type;
  if (value.type().get(type) != simdjson::SUCCESS) return fail("broken JSON");
  const bool is_string = type == ondemand::json_type::string;
  std::string_view name;
  if (is_string) {
    if (!text(value, "a key", name)) return false;
  } else if (type == ondemand::json_type::object || type == ondemand::json_type::array) {
    return fail("expected a key, a JSON scalar");
  } else {
    if (value.raw_json_token().get(name) != simdjson::SUCCESS) return fail("broken JSON");
    name = name.substr(0, name.find_last_not_of(" \t\r\n") + 1);
  }
  const auto found = keys_.find(table_name(is_string, name));
  if (found == keys_.end()) return fail("the history has no key '" + std::string(name) + "'");
  into = found->second;
  return true;
}

bool Reader::read_line(const char* line, std::size_t length, std::size_t capacity) {
  ondemand::document document;
  if (parser_.iterate(line, length, capacity).get(document) != simdjson::SUCCESS) {
    return fail("broken JSON");
  }
  seen_ = 0;
  const bool read =
      verdict_ == Verdict::kNone ? header(document.get_object()) : body(document.get_object());
  if (!read) return false;
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS ||
         fail("text after the end of the JSON object");
}

/// Of the lines behind the header. Takes them.
DirectProof Reader::proof() {
  ISOLDE_ASSERT(verdict_ != Verdict::kNone);
  ISOLDE_ASSERT(!by_key_ || verdict_ == Verdict::kHolds);
  if (!apart_.executions.empty()) return std::move(apart_);
  if (by_key_) return key_witness();
  if (verdict_ == Verdict::kHolds) return std::move(witness_);
  // finish_body() takes one of these three.
  ISOLDE_ASSERT(refutation_.steps.empty() || !(exhaustion_ || finding_));
  ISOLDE_ASSERT(!exhaustion_ || !finding_);
  if (exhaustion_) return *exhaustion_;
  if (finding_) return *finding_;
  return std::move(refutation_);
}

Result<Certificate> Reader::read(std::string_view bytes) {
  // simdjson reads a little beyond the end of what it parses.
  std::string padded;
  padded.reserve(bytes.size() + simdjson::SIMDJSON_PADDING);
  padded = bytes;
  std::size_t line_number = 0;
  for (std::size_t at = 0; at < padded.size();) {
    ++line_number;
    const std::size_t end = std::min(padded.find('\n', at), padded.size());
    if (!read_line(padded.data() + at, end - at, padded.capacity() - at)) {
      ISOLDE_ASSERT(!problem_.empty());  // whoever returned false said why
      return Error{ErrorCode::kBadInput,
                   std::string(name_) + ":" + std::to_string(line_number) + ": " + problem_};
    }
    at = end + 1;
  }
  if (verdict_ == Verdict::kNone) {
    return Error{ErrorCode::kBadInput, std::string(name_) + ":1: the file is empty"};
  }
  if (follows_from_) {
    certificate_.proof = Implication{*follows_from_, proof()};
  } else {
    certificate_.proof = as_proof(proof());
  }
  return std::move(certificate_);
}

Result<std::string> read_file(const std::string& path) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  std::string bytes;
  bool good = file != nullptr;
  char buffer[1 << 16];
  while (good) {
    const std::size_t count = std::fread(buffer, 1, sizeof buffer, file);
    bytes.append(buffer, count);
    if (count < sizeof buffer) break;
  }
  good = good && std::ferror(file) == 0;
  const int error = good ? 0 : errno;
  if (file != nullptr && file != stdin) std::fclose(file);
  if (good) return bytes;
  return Error{ErrorCode::kEnvironment,
               path + ": cannot read the certificate: " + std::strerror(error)};
}

}  // namespace

Result<Certificate> parse_certificate(std::string_view bytes, std::string_view name,
                                      const History& history) {
  return Reader(name, history).read(bytes);
}

Result<Certificate> read_certificate(const std::string& path, const History& history) {
  Result<std::string> bytes = read_file(path);
  if (!bytes.ok()) return bytes.error();
  return parse_certificate(*bytes, path, history);
}

}  // namespace isolde::certify
