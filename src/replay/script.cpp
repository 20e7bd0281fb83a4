#include "replay/script.hpp"

#include <algorithm>
#include <vector>

#include "base/printable.hpp"
#include "replay/contents.hpp"
#include "replay/serial_run.hpp"
#include "replay/wording.hpp"

namespace isolde::replay {
namespace {

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

class ScriptWriter {
 public:
  ScriptWriter(const Numbering& numbering, std::span<const Step> steps,
               const ScriptOptions& options)
      : numbering_(numbering),
        history_(numbering.history()),
        steps_(steps),
        options_(options),
        shell_(options.shell),
        wording_(numbering, shell_ != nullptr ? Notation::kSql : Notation::kNames),
        serial_(numbering.history(), steps) {}

  std::string write() {
    header();
    tables();
    if (shell_ != nullptr) {
      set_up();
    } else {
      say_contents();
      line("");
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) step(i);
    if (shell_ != nullptr) clean_up();
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += text + "\n"; }
  /// A remark: a comment where the rest is SQL.
  void say(const std::string& text) {
    if (shell_ == nullptr) return line(text);
    line(text.empty() ? "--" : "-- " + text);
  }
  void statement(const std::string& text) {
    if (!text.starts_with("EXECUTE BLOCK ")) return line(text + ";");
    // Its own semicolons would end the statement in Firebird's shell.
    line("SET TERM ^ ;");
    line(text + "^");
    line("SET TERM ; ^");
  }
  void statements(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      statement(text);
      if (!shell_->commits_alone) statement(shell_->commit);
    }
  }

  void header();
  void tables();
  void set_up();
  std::vector<std::string> contents() const;
  void say_contents();
  void clean_up();
  void step(std::size_t index);
  std::string remark(const Step& step) const;
  std::vector<std::string> sql(const Step& step) const;
  std::vector<std::string> selection_sql(const Step& step) const;
  void results(const Step& step);
  void compare(const std::string& recorded, const std::string& expected, bool differs);

  const Numbering& numbering_;
  const History& history_;
  const std::span<const Step> steps_;
  const ScriptOptions& options_;
  const db::sql::Shell* const shell_;
  const Wording wording_;
  const SerialRun serial_;
  std::string text_;
};

void ScriptWriter::header() {
  const std::size_t sessions = history_.session_count();
  const std::string windows =
      sessions == 1 ? "one window" : std::to_string(sessions) + " windows";
  const std::string database(shell_ != nullptr ? shell_->database
                                               : std::string_view(options_.database));
  say("Replay of " + base::printable_path(options_.source) + " in " + database +
      " at isolation " + base::printable_name(options_.isolation) + ".");
  say("");
  if (shell_ != nullptr) {
    say("Open " + windows + " of " + std::string(shell_->program) +
        " on one database for tests: " + sessions_text(sessions) +
        ". Paste each step into the");
    say("window of its session, in this order. If a step waits, leave it and go on in another");
    say("window. When the database refuses a step, its transaction is over: type");
    say("ROLLBACK there, and leave out the transaction's other steps.");
  } else {
    say("A client for each of " + sessions_text(sessions) + "; one step after the other.");
  }
  if (shell_ != nullptr && !shell_->note.empty()) say("Note: " + shell_->note + ".");
  say("");
  say("recorded: what the read returned in the history. expected: what it returns when the");
  say("transactions run one after the other, in the order in which they end here. Where the");
  say("two differ, there is an arrow.");
}

void ScriptWriter::tables() {
  say("");
  for (std::size_t s = 0; s < history_.session_count(); ++s) {
    say(padded("session " + Numbering::session_letter(s), 12) + numbering_.session_name(s) +
        " in the history");
  }
  if (shell_ == nullptr) return;
  for (const auto& [number, name] : numbering_.key_table()) {
    say(padded("key " + std::to_string(number), 12) + name);
  }
  for (const auto& [number, name] : numbering_.value_table()) {
    say(padded("value " + std::to_string(number), 12) + name);
  }
}

void ScriptWriter::set_up() {
  if (!shell_->connect.empty()) {
    line("");
    say("At the beginning, in each window");
    for (const std::string& text : shell_->connect) statement(text);
  }
  line("");
  say("Set-up, in one window");
  statements(db::sql::set_up_texts(*shell_, numbering_.registers(), numbering_.lists()));
  statements(contents());
}

/// What the keys held before all transactions, as statements.
std::vector<std::string> ScriptWriter::contents() const {
  using db::sql::Request;
  std::vector<std::string> texts;
  const auto add = [&](Request request, KeyId key, Value value) {
    texts.push_back(db::sql::request_text(*shell_->dialect, shell_->layout, request,
                                          numbering_.key(key), numbering_.value(value)));
  };
  for (const KeyId key : keys_with_contents(numbering_)) {
    for (const Value element : history_.initial_list(key)) add(Request::kAppend, key, element);
    if (!history_.is_list(key)) add(Request::kWrite, key, history_.initial(key));
  }
  return texts;
}

/// The same in words.
void ScriptWriter::say_contents() {
  const std::vector<KeyId> keys = keys_with_contents(numbering_);
  if (keys.empty()) return;
  line("");
  for (const KeyId key : keys) {
    std::string held = history_.text(history_.initial(key));
    if (history_.is_list(key)) {
      held.clear();
      for (const Value element : history_.initial_list(key)) {
        held += (held.empty() ? "[" : " ") + history_.text(element);
      }
      held += "]";
    }
    say("before the first step " + numbering_.key_text(key) + " holds " + held);
  }
}

void ScriptWriter::clean_up() {
  line("");
  say("Clean-up, in one window");
  statements(db::sql::clean_up_texts(*shell_, !numbering_.registers().empty(),
                                     !numbering_.lists().empty()));
}

/// What a step means in the history, beside its operation.
std::string ScriptWriter::remark(const Step& step) const {
  switch (step.kind) {
    case Step::Kind::kBegin:
      return "begins transaction " + std::to_string(history_.position_of(step.txn) + 1);
    case Step::Kind::kOperation:
    case Step::Kind::kSelect:
    case Step::Kind::kDeleteSelected:
    case Step::Kind::kAggregate:
      return wording_.step(step);
    case Step::Kind::kCommit: {
      const bool unknown = history_.status(step.txn) == TxnStatus::kIndeterminate;
      return unknown ? "commits (in the history the outcome is unknown)" : "commits";
    }
    case Step::Kind::kRollback:
      return "rolls back (in the history it aborted)";
    case Step::Kind::kStatement:
    case Step::Kind::kWait:
    case Step::Kind::kCrash:
      break;  // these scripts are made of histories
  }
  return {};
}

std::vector<std::string> ScriptWriter::selection_sql(const Step& step) const {
  const Selection& selection = history_.selections(step.txn)[step.op];
  const db::Condition where = Numbering::condition(history_.predicates()[selection.predicate]);
  if (const Aggregate* const computed = history_.aggregate(selection); computed != nullptr) {
    return {db::sql::aggregate_text(*shell_->dialect, shell_->layout, where, computed->kind)};
  }
  const bool deletes = step.kind == Step::Kind::kDeleteSelected;
  const db::sql::Locking by = db::sql::locking(*shell_->dialect, shell_->layout,
                                               deletes ? LockMode::kNone : selection.lock);
  return db::sql::condition_texts(
      by.dialect, by.layout,
      deletes ? db::sql::Statement::kDeleteAll : db::sql::Statement::kSelect, where);
}

/// More than one where keys are spread over several tables.
std::vector<std::string> ScriptWriter::sql(const Step& step) const {
  using db::sql::Request;
  if (step.kind == Step::Kind::kBegin) return {shell_->begin};
  if (step.kind == Step::Kind::kCommit) return {shell_->commit};
  if (step.kind == Step::Kind::kRollback) return {shell_->rollback};
  if (step.kind != Step::Kind::kOperation) return selection_sql(step);
  const Op& op = history_.ops(step.txn)[step.op];
  const bool is_list = history_.is_list(op.key);
  if (op.is_delete()) {
    return {db::sql::request_text(*shell_->dialect, shell_->layout, Request::kDelete,
                                  numbering_.key(op.key), 0)};
  }
  const Request request = op.is_write() ? (is_list ? Request::kAppend : Request::kWrite)
                                        : (is_list ? Request::kReadList : Request::kRead);
  const db::sql::Locking by =
      db::sql::locking(*shell_->dialect, shell_->layout, history_.lock(op));
  return {db::sql::request_text(by.dialect, by.layout, request, numbering_.key(op.key),
                                op.is_write() ? numbering_.value(op.value) : 0)};
}

void ScriptWriter::results(const Step& step) {
  const bool selects = step.kind == Step::Kind::kSelect ||
                       step.kind == Step::Kind::kDeleteSelected ||
                       step.kind == Step::Kind::kAggregate;
  if (selects) {
    const Selection& selection = history_.selections(step.txn)[step.op];
    return compare(wording_.recorded(step.txn, selection),
                   wording_.expected(serial_, step.txn, selection),
                   !serial_.agrees(step.txn, selection));
  }
  if (step.kind != Step::Kind::kOperation || history_.ops(step.txn)[step.op].is_write()) return;
  compare(wording_.recorded(step.txn, step.op), wording_.expected(serial_, step.txn, step.op),
          !serial_.agrees(step.txn, step.op));
}

void ScriptWriter::compare(const std::string& recorded, const std::string& expected,
                           bool differs) {
  const bool same = recorded == expected;
  say(same ? "   recorded and expected: " + recorded
           : "   recorded: " + recorded + ", expected: " + expected + (differs ? "  <--" : ""));
}

void ScriptWriter::step(std::size_t index) {
  const Step& step = steps_[index];
  const std::string number = std::to_string(index + 1) + ". ";
  if (shell_ != nullptr) line("");
  say(number + "session " + numbering_.session(step.txn) + ": " + remark(step));
  if (shell_ != nullptr) {
    for (const std::string& text : sql(step)) statement(text);
  }
  results(step);
}

}  // namespace

std::string script(const Numbering& numbering, std::span<const Step> steps,
                   const ScriptOptions& options) {
  return ScriptWriter(numbering, steps, options).write();
}

}  // namespace isolde::replay
