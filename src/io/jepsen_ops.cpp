#include "io/jepsen_ops.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/budget.hpp"
#include "io/bad_input.hpp"
#include "io/jepsen_initial.hpp"

namespace isolde::io {
namespace {

std::string_view without_colon(std::string_view name) {
  if (name.starts_with(':')) name.remove_prefix(1);
  return name;
}

TxnStatus status_of(JepsenType completion) {
  switch (completion) {
    case JepsenType::kOk:
      return TxnStatus::kCommitted;
    case JepsenType::kFail:
      return TxnStatus::kAborted;
    default:
      return TxnStatus::kIndeterminate;
  }
}

/// Hands operations to the builder. With `reads_known` false every read becomes one of unknown
/// result.
class BuildOps final : public JepsenOps {
 public:
  BuildOps(HistoryBuilder& builder, bool reads_known, const InitialValues* initial)
      : builder_(builder), reads_known_(reads_known), initial_(initial) {}

  void write(Value key, Value value) override { builder_.write(builder_.key(key), value); }
  void append(Value key, Value element) override {
    builder_.append(builder_.key(key), element);
  }
  void read(Value key, Value value) override {
    const KeyId id = builder_.key(key);
    if (!reads_known_) {
      builder_.read_unknown(id);
    } else {
      builder_.read(id, initial_ == nullptr ? value : initial_->read_value(id, value));
    }
  }
  void read_list(Value key, std::span<const Value> elements) override {
    if (reads_known_) {
      builder_.read_list(builder_.key(key), elements);
    } else {
      builder_.read_unknown(builder_.key(key));
    }
  }

 private:
  HistoryBuilder& builder_;
  bool reads_known_;
  const InitialValues* initial_;
};

/// Shows them to whoever looks for the initial values.
class SeeOps final : public JepsenOps {
 public:
  SeeOps(HistoryBuilder& builder, InitialValues& initial, const JepsenOperation& operation)
      : builder_(builder), initial_(initial), operation_(operation) {}

  void write(Value key, Value value) override {
    initial_.see_write(builder_.key(key), value, operation_);
  }
  void append(Value, Value) override {}
  void read(Value key, Value value) override {
    if (operation_.end != JepsenType::kOk) return;
    initial_.see_read(builder_.key(key), value, true, operation_);
  }
  void read_list(Value, std::span<const Value>) override {}

 private:
  HistoryBuilder& builder_;
  InitialValues& initial_;
  const JepsenOperation& operation_;
};

}  // namespace

bool parse_jepsen_type(std::string_view text, JepsenType& type) {
  const std::string_view name = without_colon(text);
  if (name == "invoke") {
    type = JepsenType::kInvoke;
  } else if (name == "ok") {
    type = JepsenType::kOk;
  } else if (name == "fail") {
    type = JepsenType::kFail;
  } else if (name == "info") {
    type = JepsenType::kInfo;
  } else {
    return false;
  }
  return true;
}

JepsenOpKind parse_jepsen_op(std::string_view name) {
  name = without_colon(name);
  if (name == "r" || name == "read") return JepsenOpKind::kRead;
  if (name == "w" || name == "write" || name == "i") return JepsenOpKind::kWrite;
  if (name == "append") return JepsenOpKind::kAppend;
  if (name == "d" || name == "range") return JepsenOpKind::kPredicate;
  return JepsenOpKind::kOther;
}

std::string uncovered_operation(JepsenOpKind kind, std::string_view name) {
  std::string what = "found operation " + shown(name) + "; expected r, w or append";
  if (kind == JepsenOpKind::kPredicate) {
    what += "; predicate reads and deletes are not covered yet";
  }
  return what;
}

std::string shown_function(std::string_view name) {
  const bool plain = name.size() <= 24 && std::all_of(name.begin(), name.end(), [](char c) {
                       return c > ' ' && c <= '~';
                     });
  return plain ? std::string(name) : shown(name);
}

Status JepsenLog::set_time(JepsenEntry& entry) {
  if (last_time_ == std::numeric_limits<std::int64_t>::max()) {
    return bad_line(file_, entry.line,
                    "found an entry after the time 2^63 - 1; expected :time in nanoseconds");
  }
  const std::int64_t wanted =
      entry.has_time ? entry.time : static_cast<std::int64_t>(entries_.size());
  last_time_ = std::max(last_time_ + 1, wanted);
  entry.time = last_time_;
  any_time_ = any_time_ || entry.has_time;
  return ok_status();
}

Status JepsenLog::add(JepsenEntry entry) {
  const Status timed = set_time(entry);
  if (!timed) return timed.error();
  Process& process = entry.has_process ? processes_[entry.process] : nameless_;
  const std::size_t number = entries_.size();
  if (entry.type == JepsenType::kInvoke) {
    if (process.open_txn != kNone) {
      const std::uint64_t line = entries_[txns_[process.open_txn].first].line;
      return bad_line(file_, entry.line,
                      "found :invoke of " +
                          (entry.has_process ? "process " + std::to_string(entry.process)
                                             : std::string("an operation without :process")) +
                          "; expected the completion of the one invoked in line " +
                          std::to_string(line) +
                          " first; a process runs one operation at a time");
    }
    process.open_txn = txns_.size();
    txns_.push_back({number, kNone, process.life});
  } else {
    if (process.open_txn != kNone) {
      txns_[process.open_txn].completion = number;
    } else {
      txns_.push_back({number, number, process.life});
      ++lone_completions_;
    }
    process.open_txn = kNone;
    if (entry.type == JepsenType::kInfo) ++process.life;
  }
  entries_.push_back(entry);
  return ok_status();
}

std::string JepsenLog::session_name(std::size_t number) const {
  const Txn& txn = txns_[number];
  const JepsenEntry& entry = entries_[txn.first];
  // Without a process nothing is known about who ran it, so it is a session of its own.
  std::string name;
  if (!entry.has_process) {
    name += 't';
    name += std::to_string(number);
    return name;
  }
  name += std::to_string(entry.process);
  if (txn.life > 0) {
    name += '.';
    name += std::to_string(txn.life);
  }
  return name;
}

TxnTimes JepsenLog::times_of(const Txn& txn) const {
  // Without invocations the log does not say what came before what.
  if (lone_completions_ > 0) return {};
  TxnTimes times{entries_[txn.first].time, kNoTime};
  if (txn.completion != kNone && entries_[txn.completion].type != JepsenType::kInfo) {
    times.end = entries_[txn.completion].time;
  }
  return times;
}

Status JepsenTransactions::hand_to(const JepsenOperation& operation, JepsenOps& ops) {
  const bool happened = operation.end == JepsenType::kOk;
  const JepsenEntry& source = operation.source();
  if (!source.f.empty() && source.f != "txn" && !syntax_.has_operations(source)) {
    return bad_line(file_, source.line,
                    "found workload :f " + shown_function(source.f) +
                        ", which is not covered; " + std::string(syntax_.covered()) +
                        " are; expected :value to be a vector of operations like "
                        "[:append k v] or [:w k v]");
  }
  // What never answered may have nothing to show; what is :ok must say what it did.
  if (!happened && syntax_.has_no_value(source)) return ok_status();
  return syntax_.read_operations(source, ops);
}

Status JepsenTransactions::pass_on(const JepsenOperation& operation) {
  BuildOps ops(builder_, operation.end == JepsenType::kOk, initial_);
  return hand_to(operation, ops);
}

Status JepsenTransactions::find_initial_values(const JepsenLog& log, InitialValues& initial,
                                               base::Budget& budget) {
  if (!log.has_invocations()) return ok_status();
  for (std::size_t number = 0; number < log.size(); ++number) {
    const JepsenOperation operation = log.operation(number);
    SeeOps ops(builder_, initial, operation);
    const Status status = hand_to(operation, ops);
    if (budget.exhausted()) return out_of_budget(file_, budget);
    if (!status) return status.error();
  }
  initial_ = &initial;
  return initial.find(log, budget);
}

JepsenOperation JepsenLog::operation(std::size_t number) const {
  const Txn& txn = txns_[number];
  JepsenOperation operation{number, &entries_[txn.first]};
  if (txn.completion == kNone) return operation;
  operation.completion = &entries_[txn.completion];
  operation.end = operation.completion->type;
  return operation;
}

Status JepsenLog::pass_on_txn(std::size_t number, JepsenWorkload& workload) {
  const Txn& txn = txns_[number];
  const JepsenOperation operation = this->operation(number);
  const JepsenEntry& first = *operation.first;
  if (txn.life > 0 && first.has_process) ++returned_processes_;
  builder_.begin_txn(builder_.session(session_name(number)), first.line);
  builder_.set_status(status_of(operation.end));
  builder_.set_label(first.index);
  builder_.set_times(times_of(txn));
  if (txn.completion != kNone && txn.completion != txn.first) {
    builder_.set_completion_in_input(operation.completion->line);
  }
  if (const Status status = workload.pass_on(operation); !status) return status.error();
  if (builder_.status()) return ok_status();
  return bad_line(file_, operation.source().line, builder_.status().error().message);
}

Status JepsenLog::pass_on(JepsenWorkload& workload, base::Budget& budget) {
  for (std::size_t number = 0; number < txns_.size(); ++number) {
    const Status status = pass_on_txn(number, workload);
    // The workload may have been stopped in the middle of a value.
    if (budget.exhausted()) return out_of_budget(file_, budget);
    if (!status) return status.error();
    if (!budget.spend(entries_[txns_[number].first].value.size())) {
      return out_of_budget(file_, budget);
    }
  }
  builder_.origin().times_are_order = !any_time_ && lone_completions_ == 0;
  std::vector<std::string>& notes = builder_.origin().notes;
  if (lone_completions_ > 0) {
    notes.push_back(counted(lone_completions_, "completion") +
                    " without :invoke; real-time order is not known");
  }
  if (returned_processes_ > 0) {
    notes.push_back(counted(returned_processes_, "transaction") +
                    " of a process id that came back after :info; taken as another session");
  }
  return ok_status();
}

}  // namespace isolde::io
