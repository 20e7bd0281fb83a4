// Goal: the same operations are the same history, whoever writes them down: the builder,
// records, the C interface, both recorders, the text format. Method: random transactions told
// to each of them, compared by what the native writer makes of them; histories of C, which has
// no writer, by a certificate, which names the history's digest.
#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <map>
#include <regex>
#include <sstream>
#include <tuple>

#include "base/rng.hpp"
#include "io/native.hpp"
#include "io/scalar_text.hpp"
#include "isolde/history_builder.hpp"
#include "isolde/isolde.h"
#include "isolde/isolde.hpp"
#include "isolde/recorder.hpp"
#include "support/seed.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde {
namespace {

struct Transaction {
  std::string session;
  std::vector<OperationRecord> ops;
};

constexpr const char* kSessions[] = {"a", "b\""};

/// Random transactions, and what they refer to.
class Case {
 public:
  explicit Case(std::uint64_t seed) : rng_(seed), has_lists_(rng_.chance(0.5)) {
    const std::uint64_t count = 1 + rng_.below(6);
    for (std::uint64_t i = 0; i < count; ++i) {
      Transaction& txn = txns.emplace_back();
      txn.session = kSessions[rng_.below(2)];
      const std::uint64_t ops = rng_.below(6);
      for (std::uint64_t op = 0; op < ops; ++op) txn.ops.push_back(operation());
    }
  }

  bool has(RecordKind kind) const {
    for (const Transaction& txn : txns) {
      for (const OperationRecord& op : txn.ops) {
        if (op.kind == kind) return true;
      }
    }
    return false;
  }

  std::vector<Transaction> txns;

 private:
  Scalar integer() {
    constexpr std::int64_t kOdd[] = {Value::kIntegerMin, Value::kIntegerMax + 1,
                                     std::numeric_limits<std::int64_t>::min()};
    if (rng_.chance(0.1)) return kOdd[rng_.below(3)];
    return static_cast<std::int64_t>(rng_.below(6));
  }
  Scalar text() {
    static const std::string kTexts[] = {"", "3", "\"\\\n\x01", "\xc3\xa9"};
    return kTexts[rng_.below(4)];
  }
  Scalar scalar() { return rng_.chance(0.7) ? integer() : text(); }
  Scalar list_key() { return rng_.chance(0.5) ? "list" : "other list"; }

  OperationRecord operation() {
    if (has_lists_ && rng_.chance(0.3)) {
      if (rng_.chance(0.5)) {
        return {.kind = RecordKind::kAppend, .key = list_key(), .value = scalar()};
      }
      std::vector<Scalar>& seen = elements_.emplace_back();
      while (rng_.chance(0.6)) seen.push_back(scalar());
      return {.kind = RecordKind::kReadList, .key = list_key(), .elements = seen};
    }
    constexpr RecordKind kOthers[] = {RecordKind::kRead,    RecordKind::kWrite,
                                      RecordKind::kReadNot, RecordKind::kReadUnknown,
                                      RecordKind::kSelect,  RecordKind::kDelete};
    OperationRecord made;
    made.kind = kOthers[rng_.below(6)];
    if (made.kind == RecordKind::kSelect) return selection();
    made.key = scalar();
    made.value = scalar();
    if (made.kind == RecordKind::kRead && rng_.chance(0.3)) made.value = Scalar::null();
    return made;
  }

  Predicate::Bounds bounds() {
    Predicate::Bounds made;
    if (rng_.chance(0.8)) made.min = static_cast<std::int64_t>(rng_.below(6)) - 3;
    if (rng_.chance(0.8)) made.max = static_cast<std::int64_t>(rng_.below(6));
    return made;
  }

  OperationRecord selection() {
    ConditionRecord condition;
    // Lists have texts as keys, and a selection must not cover them.
    if (has_lists_ || rng_.chance(0.5)) condition.keys = bounds();
    if (rng_.chance(0.3)) condition.values = bounds();
    if (rng_.chance(0.3)) condition.equal = scalar();
    std::vector<RowRecord>& rows = rows_.emplace_back();
    for (std::int64_t key = 5; key >= 0; --key) {
      if (rng_.chance(0.3)) rows.push_back({key, scalar()});
    }
    if (rng_.chance(0.3)) rows.push_back({text(), scalar()});
    return {.kind = RecordKind::kSelect, .condition = condition, .rows = rows};
  }

  base::Rng rng_;
  bool has_lists_;
  std::deque<std::vector<Scalar>> elements_;
  std::deque<std::vector<RowRecord>> rows_;
};

std::string written(const Result<History>& history) {
  if (!history) return history.error().message;
  io::StringSink sink;
  EXPECT_TRUE(io::write_native(*history, sink).ok());
  return sink.text();
}

Result<History> by_records(const Case& told) {
  HistoryBuilder builder;
  for (const Transaction& txn : told.txns) {
    builder.begin_txn(builder.session(txn.session));
    for (const OperationRecord& op : txn.ops) builder.add(op);
  }
  return builder.finish();
}

class Calls {
 public:
  Result<History> history(const Case& told) {
    for (const Transaction& txn : told.txns) {
      builder_.begin_txn(builder_.session(txn.session));
      for (const OperationRecord& op : txn.ops) add(op);
    }
    return builder_.finish();
  }

 private:
  Value value(const Scalar& scalar) {
    if (scalar.kind() == Scalar::Kind::kNull) return Value::null();
    if (scalar.kind() == Scalar::Kind::kText) return builder_.string(scalar.text());
    return builder_.integer(scalar.number());
  }

  void add(const OperationRecord& op) {
    if (op.kind == RecordKind::kSelect) return select(op);
    const KeyId key = builder_.key(value(op.key));
    switch (op.kind) {
      case RecordKind::kRead:
        return builder_.read(key, value(op.value));
      case RecordKind::kWrite:
        return builder_.write(key, value(op.value));
      case RecordKind::kAppend:
        return builder_.append(key, value(op.value));
      case RecordKind::kReadList: {
        std::vector<Value> seen;
        for (const Scalar& element : op.elements) seen.push_back(value(element));
        return builder_.read_list(key, seen);
      }
      case RecordKind::kReadUnknown:
        return builder_.read_unknown(key);
      case RecordKind::kReadNot:
        return builder_.read_except(key, value(op.value));
      case RecordKind::kDelete:
        return builder_.remove(key);
      case RecordKind::kSelect:
        break;
    }
  }

  void select(const OperationRecord& op) {
    std::vector<Row> rows;
    const Value equal = value(op.condition->equal);
    for (const RowRecord& row : op.rows) {
      const KeyId key = builder_.key(value(row.key));
      rows.push_back({key, value(row.value)});
    }
    builder_.select({op.condition->keys, op.condition->values, equal, {}}, rows);
  }

  HistoryBuilder builder_;
};

RecordedValue recorded(const Scalar& scalar) {
  if (scalar.kind() == Scalar::Kind::kNull) return RecordedValue::null();
  if (scalar.kind() == Scalar::Kind::kText) return scalar.text();
  return scalar.number();
}

void record_selection(RecordedSession& session, const OperationRecord& op) {
  RecordedCondition condition;
  if (const auto& keys = op.condition->keys) condition.keys = {keys->min, keys->max};
  if (const auto& values = op.condition->values) condition.values = {values->min, values->max};
  condition.equal = recorded(op.condition->equal);
  std::vector<RecordedRow> rows;
  for (const RowRecord& row : op.rows) rows.push_back({recorded(row.key), recorded(row.value)});
  session.select(condition, rows);
}

void record(RecordedSession& session, const OperationRecord& op) {
  const RecordedValue key = recorded(op.key);
  switch (op.kind) {
    case RecordKind::kRead:
      return session.read(key, recorded(op.value));
    case RecordKind::kWrite:
      return session.write(key, recorded(op.value));
    case RecordKind::kAppend:
      return session.append(key, recorded(op.value));
    case RecordKind::kReadList: {
      std::vector<RecordedValue> seen;
      for (const Scalar& element : op.elements) seen.push_back(recorded(element));
      return session.read_list(key, seen);
    }
    case RecordKind::kReadUnknown:
      return session.read_unknown(key);
    case RecordKind::kReadNot:
      return session.read_not(key, recorded(op.value));
    case RecordKind::kDelete:
      return session.remove(key);
    case RecordKind::kSelect:
      return record_selection(session, op);
  }
}

/// What a recorder wrote, without times and what else is the recorder's own.
std::string without_times(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::string kept;
  while (std::getline(lines, line)) {
    if (line.starts_with("{\"event\"")) continue;
    if (line.starts_with("{\"isolde\"")) line = line.substr(0, line.find(",\"ends\"")) + '}';
    kept += std::regex_replace(line, std::regex(",\"(start|end)\":\\d+"), "") + '\n';
  }
  return kept;
}

Result<History> by_recorder(const Case& told) {
  const io::TemporaryFolder folder;
  RecorderOptions options;
  options.deletes = told.has(RecordKind::kDelete);
  auto recorder = Recorder::open(folder.path("h"), options);
  EXPECT_TRUE(recorder.ok());
  std::map<std::string, RecordedSession> sessions;
  for (const char* const name : kSessions) sessions.emplace(name, (*recorder)->session(name));
  for (const Transaction& txn : told.txns) {
    RecordedSession& session = sessions.at(txn.session);
    session.begin();
    for (const OperationRecord& op : txn.ops) record(session, op);
    session.commit();
  }
  const Status closed = (*recorder)->close();
  if (!closed) return closed.error();
  return parse(without_times(folder.get("h")), "recorded");
}

isolde_value in_c(const Scalar& scalar) {
  if (scalar.kind() == Scalar::Kind::kNull) return {};
  if (scalar.kind() == Scalar::Kind::kInteger) {
    return {ISOLDE_INTEGER, scalar.number(), nullptr, 0};
  }
  return {ISOLDE_TEXT, 0, scalar.text().data(), scalar.text().size()};
}

/// An operation as C has it, while this lives.
class InC {
 public:
  explicit InC(const OperationRecord& op) {
    made_.size = sizeof made_;
    made_.kind = static_cast<int>(op.kind);
    made_.key = in_c(op.key);
    made_.value = in_c(op.value);
    for (const Scalar& element : op.elements) elements_.push_back(in_c(element));
    made_.elements = elements_.data();
    made_.element_count = elements_.size();
    for (const RowRecord& row : op.rows) rows_.push_back({in_c(row.key), in_c(row.value)});
    made_.rows = rows_.data();
    made_.row_count = rows_.size();
    if (!op.condition) return;
    made_.condition = &condition_;
    condition_.equal = in_c(op.condition->equal);
    condition_.has_keys = op.condition->keys ? 1 : 0;
    condition_.has_values = op.condition->values ? 1 : 0;
    const Predicate::Bounds keys = op.condition->keys.value_or(Predicate::Bounds{7, 7});
    const Predicate::Bounds values = op.condition->values.value_or(Predicate::Bounds{7, 7});
    std::tie(condition_.min_key, condition_.max_key) = std::tie(keys.min, keys.max);
    std::tie(condition_.min_value, condition_.max_value) = std::tie(values.min, values.max);
  }
  InC(const InC&) = delete;
  InC& operator=(const InC&) = delete;
  const isolde_operation* get() const { return &made_; }

 private:
  isolde_operation made_ = {};
  isolde_condition condition_ = {};
  std::vector<isolde_value> elements_;
  std::vector<isolde_row> rows_;
};

/// A certificate about the history that C has built.
std::string certificate_by_c(const Case& told) {
  isolde_builder* const builder = isolde_builder_new();
  for (const Transaction& txn : told.txns) {
    isolde_builder_begin(builder, txn.session.c_str());
    for (const OperationRecord& op : txn.ops) isolde_builder_add(builder, InC(op).get());
  }
  isolde_history* history = nullptr;
  EXPECT_EQ(isolde_builder_finish(builder, &history, nullptr), ISOLDE_OK);
  isolde_options* const options = isolde_options_new();
  EXPECT_EQ(isolde_options_level(options, "read-committed", nullptr), ISOLDE_OK);
  isolde_options_min_committed(options, 0);
  isolde_report* report = nullptr;
  EXPECT_EQ(isolde_check(history, options, &report, nullptr), ISOLDE_OK);
  char* const certificate = isolde_report_certificate(report, "read-committed", nullptr);
  std::string copy = certificate == nullptr ? "" : certificate;
  isolde_free(certificate);
  isolde_report_free(report);
  isolde_options_free(options);
  isolde_history_free(history);
  isolde_builder_free(builder);
  return copy;
}

Result<History> by_recorder_of_c(const Case& told) {
  const io::TemporaryFolder folder;
  isolde_recorder* recorder = nullptr;
  const int deletes = told.has(RecordKind::kDelete) ? 1 : 0;
  EXPECT_EQ(isolde_recorder_open(folder.path("h").c_str(), nullptr, nullptr, 0, deletes,
                                 &recorder, nullptr),
            ISOLDE_OK);
  std::map<std::string, isolde_session*> sessions;
  for (const char* const name : kSessions) {
    sessions[name] = isolde_recorder_session(recorder, name);
  }
  for (const Transaction& txn : told.txns) {
    isolde_session* const session = sessions[txn.session];
    isolde_session_begin(session);
    for (const OperationRecord& op : txn.ops) {
      EXPECT_EQ(isolde_session_add(session, InC(op).get(), nullptr), ISOLDE_OK);
    }
    isolde_session_end(session, ISOLDE_COMMITTED);
  }
  EXPECT_EQ(isolde_recorder_close(recorder, nullptr), ISOLDE_OK);
  for (const auto& [name, session] : sessions) isolde_session_free(session);
  isolde_recorder_free(recorder);
  return parse(without_times(folder.get("h")), "recorded");
}

std::string json(const Scalar& scalar) {
  if (scalar.kind() == Scalar::Kind::kNull) return "null";
  if (scalar.kind() == Scalar::Kind::kInteger) return std::to_string(scalar.number());
  std::string text;
  io::append_json_string(text, scalar.text());
  return text;
}

std::string json(const ConditionRecord& condition) {
  std::string parts;
  const auto add = [&](const char* name, const std::string& part) {
    ((((parts += parts.empty() ? "" : ",") += '"') += name) += "\":") += part;
  };
  const auto bounds = [](const Predicate::Bounds& each) {
    return '[' + std::to_string(each.min) + ',' + std::to_string(each.max) + ']';
  };
  if (condition.equal.kind() != Scalar::Kind::kNull) add("equal", json(condition.equal));
  if (condition.values) add("values", bounds(*condition.values));
  if (condition.keys) add("keys", bounds(*condition.keys));
  return '{' + parts + '}';
}

std::string json(const OperationRecord& op) {
  std::string list;
  for (const Scalar& element : op.elements) list += (list.empty() ? "" : ",") + json(element);
  for (const RowRecord& row : op.rows) {
    list += (list.empty() ? "[" : ",[") + json(row.key) + ',' + json(row.value) + ']';
  }
  const std::string key = json(op.key);
  switch (op.kind) {
    case RecordKind::kRead:
      return "[\"r\"," + key + ',' + json(op.value) + ']';
    case RecordKind::kWrite:
      return "[\"w\"," + key + ',' + json(op.value) + ']';
    case RecordKind::kAppend:
      return "[\"append\"," + key + ',' + json(op.value) + ']';
    case RecordKind::kReadList:
      return "[\"r\"," + key + ",[" + list + "]]";
    case RecordKind::kReadUnknown:
      return "[\"r\"," + key + ']';
    case RecordKind::kReadNot:
      return "[\"r\"," + key + ",{\"not\":" + json(op.value) + "}]";
    case RecordKind::kDelete:
      return "[\"delete\"," + key + ']';
    case RecordKind::kSelect:
      break;
  }
  return "[\"select\"," + json(*op.condition) + ",[" + list + "]]";
}

Result<History> by_text(const Case& told) {
  std::string text = told.has(RecordKind::kDelete) ? "{\"isolde\":2,\"kind\":\"history\"}\n"
                                                   : "{\"isolde\":1,\"kind\":\"history\"}\n";
  for (const Transaction& txn : told.txns) {
    text += "{\"session\":" + json(Scalar(txn.session)) + ",\"ops\":[";
    for (std::size_t op = 0; op < txn.ops.size(); ++op) {
      text += (op == 0 ? "" : ",") + json(txn.ops[op]);
    }
    text += "]}\n";
  }
  return parse(text, "text");
}

TEST(SameHistory, WhoeverWritesItDown) {
  const std::uint64_t cases = support::case_count(1000);
  std::uint64_t deleting = 0;
  std::uint64_t selecting = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const Case told(support::run_seed() + i * 0x9e3779b97f4a7c15ULL);
    deleting += told.has(RecordKind::kDelete) ? 1 : 0;
    selecting += told.has(RecordKind::kSelect) ? 1 : 0;
    const Result<History> history = by_text(told);
    ASSERT_TRUE(history) << history.error().message;
    const std::string expected = written(history);
    ASSERT_EQ(written(Calls().history(told)), expected);
    ASSERT_EQ(written(by_records(told)), expected);
    ASSERT_EQ(written(by_recorder(told)), expected);
    ASSERT_EQ(written(by_recorder_of_c(told)), expected);
    const Result<Verification> verified = verify(*history, certificate_by_c(told));
    ASSERT_TRUE(verified) << expected << verified.error().message;
    ASSERT_TRUE(verified->proves) << expected << verified->reason;
  }
  EXPECT_TRUE(support::met(deleting, 4, cases));
  EXPECT_TRUE(support::met(selecting, 4, cases));
}

}  // namespace
}  // namespace isolde
