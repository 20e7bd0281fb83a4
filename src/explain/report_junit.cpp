// JUnit XML, the form in which CI systems take test results: a suite for each history, a case
// for each level. A violated level that was promised or asked for is a failure, an undecided
// one an error, for nobody knows that it is all right. What nobody promised and nobody asked
// for breaks no build: JUnit has only "skipped" for what is no success and no failure, so its
// text says that the level was checked, and what came of it.
//
// There is no standard, only what Ant once wrote and what Jenkins, GitLab and others read. The
// document keeps to Jenkins' schema, which all of them read; it has no time of day and no name
// of a machine, so that equal results are equal bytes but for the seconds.
#include <algorithm>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "base/memory_guard.hpp"
#include "base/text.hpp"
#include "explain/encode.hpp"
#include "explain/form.hpp"
#include "explain/narrate.hpp"
#include "explain/promise.hpp"
#include "explain/story.hpp"
#include "explain/totals.hpp"
#include "history/stats.hpp"

namespace isolde::explain {
namespace {

using pugi::xml_node;

// Where there is no memory, pugixml leaves things out, and nobody would know.

xml_node element(xml_node parent, const char* name) {
  const xml_node made = parent.append_child(name);
  base::MemoryGuard::require(!made.empty());
  return made;
}

void set(xml_node node, const char* name, std::string_view value) {
  const std::string text = xml_characters(value);
  base::MemoryGuard::require(node.append_attribute(name).set_value(text.c_str()));
}

void set(xml_node node, const char* name, std::size_t number) {
  set(node, name, std::to_string(number));
}

void say(xml_node node, std::string_view words) {
  const std::string text = xml_characters(words);
  base::MemoryGuard::require(node.append_child(pugi::node_pcdata).set_value(text.c_str()));
}

/// Jenkins takes what is in front of the last dot as the name of a package.
std::string class_of(std::string_view file) {
  std::string name(file);
  std::replace(name.begin(), name.end(), '.', '_');
  return "isolde." + name;
}

void add_property(xml_node properties, std::string_view name, std::string_view value) {
  const xml_node property = element(properties, "property");
  set(property, "name", name);
  set(property, "value", value);
}

void add_property(xml_node properties, std::string_view name, std::uint64_t number) {
  add_property(properties, name, std::to_string(number));
}

void add_run_properties(xml_node properties, const RunReport& run) {
  add_property(properties, "database", run.database);
  add_property(properties, "version", run.version);
  add_property(properties, "isolation", run.isolation);
  add_property(properties, "workload", run.workload);
  add_property(properties, "seed", run.seed);
  add_property(properties, "committed", run.committed);
  add_property(properties, "aborted by the database", run.aborted);
  add_property(properties, "rolled back by the client", run.rolled_back);
  add_property(properties, "unknown outcome", run.unknown);
  add_property(properties, "given up", run.given_up);
  add_property(properties, "reconnects", run.reconnects);
  add_property(properties, "faults", run.faults);
  if (!run.stopped.empty()) add_property(properties, "stopped early", run.stopped);
}

void add_properties(xml_node suite, const ReportModel& input) {
  const History& history = input.history;
  const Extent extent = extent_of(input);
  const xml_node properties = element(suite, "properties");
  add_property(properties, "format", history.origin().format);
  add_property(properties, "sessions", extent.sessions);
  add_property(properties, "transactions", extent.transactions);
  add_property(properties, "operations", extent.operations);
  add_property(properties, "aborted", extent.aborted);
  add_property(properties, "indeterminate", extent.indeterminate);
  add_property(properties, "evidence", evidence_text(input));
  if (input.run) add_run_properties(properties, *input.run);
  if (input.promise) add_property(properties, "promise", promise_text(input));
}

struct Counts {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
};

void set_counts(xml_node node, const Counts& counts) {
  set(node, "tests", counts.tests);
  set(node, "failures", counts.failures);
  set(node, "errors", counts.errors);
}

/// A suite in the making; gone again unless it is completed.
class Suite {
 public:
  Suite(xml_node root, std::string_view file)
      : root_(root), file_(file), class_(class_of(file)), node_(element(root, "testsuite")) {}
  ~Suite() {
    if (!complete_) root_.remove_child(node_);
  }
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;

  xml_node node() const { return node_; }

  xml_node add_case(std::string_view name) {
    ++counts_.tests;
    const xml_node test = element(node_, "testcase");
    set(test, "name", name);
    set(test, "classname", class_);
    return test;
  }

  void fail(xml_node test, std::string_view type, std::string_view message,
            std::string_view text) {
    ++counts_.failures;
    add_problem(test, "failure", type, message, text);
  }

  void err(xml_node test, std::string_view type, std::string_view message,
           std::string_view text = {}) {
    ++counts_.errors;
    add_problem(test, "error", type, message, text);
  }

  void skip(xml_node test, std::string_view reason) {
    ++counts_.skipped;
    // Without an attribute: older schemas of Jenkins allow none.
    say(element(test, "skipped"), reason);
  }

  bool all_skipped() const { return counts_.tests > 0 && counts_.tests == counts_.skipped; }

  const Counts& complete(double seconds) {
    // pugixml's own memory is in no allocation that could be refused.
    base::MemoryGuard::ask();
    set(node_, "name", file_);
    set_counts(node_, counts_);
    set(node_, "skipped", counts_.skipped);
    set(node_, "time", base::fixed(seconds, 6));
    complete_ = true;
    return counts_;
  }

 private:
  static void add_problem(xml_node test, const char* tag, std::string_view type,
                          std::string_view message, std::string_view text) {
    const xml_node problem = element(test, tag);
    set(problem, "message", message);
    set(problem, "type", type);
    if (!text.empty()) say(problem, text);
  }

  xml_node root_;
  const std::string file_;
  const std::string class_;
  xml_node node_;  // last: what throws before it has added nothing
  Counts counts_;
  bool complete_ = false;
};

/// The argument, and where the recording tells of a total what it came to.
std::string failure_text(const ReportModel& input, const LevelOutcome& outcome,
                         const std::string& totals) {
  if (!outcome.scenario) return {};
  const std::string text = narrate(input.history, *outcome.scenario, {});
  return totals.empty() ? text : text + "\n" + totals + "\n";
}

/// Of the level that the database promises: what came of it.
std::string promise_of(const ReportModel& input, const LevelOutcome& outcome) {
  return &outcome == promised_outcome(input) ? promise_text(input) : std::string();
}

std::string joined(std::string text, const std::string& more) {
  if (!text.empty() && !more.empty()) text += "; ";
  return text += more;
}

void add_level(Suite& suite, const ReportModel& input, const LevelOutcome& outcome,
               const std::string& totals) {
  const xml_node test = suite.add_case(info(outcome.level).name);
  const std::string basis = basis_text(outcome);
  const std::string promise = promise_of(input, outcome);
  // A document about one level is about that level.
  const bool counts =
      input.levels.size() == 1 || is_failure(input, std::span(&outcome.level, 1));
  if (outcome.is_violated()) {
    const std::optional<Scenario>& scenario = outcome.scenario;
    const std::string message =
        joined(outcome.why() + (basis.empty() ? "" : " (" + basis + ")"), promise);
    const std::string text = failure_text(input, outcome, totals);
    if (counts) {
      suite.fail(test, scenario ? scenario->anomaly.type : std::string(kUnexplained), message,
                 text);
    } else {
      suite.skip(
          test,
          "checked, and violated; no failure, for it was neither promised nor asked for: " +
              message + (text.empty() ? "" : "\n\n" + text));
    }
  } else if (outcome.verdict == Verdict::kUnknown) {
    if (counts) {
      suite.err(test, "unknown", joined(outcome.reason, promise));
    } else {
      suite.skip(test, "not decided; no error, for it was neither promised nor asked for: " +
                           outcome.reason);
    }
  } else if (outcome.verdict == Verdict::kNotApplicable) {
    suite.skip(test, outcome.reason);
  } else if (!promise.empty() || !basis.empty()) {
    say(element(test, "system-out"), joined(promise, basis));
  }
}

void add_run(Suite& suite, const RunReport& run) {
  const xml_node end = suite.add_case("run to its end");
  if (!run.stopped.empty()) suite.err(end, "stopped early", run.stopped);
}

/// The case of a history by itself, and what it says where nothing was decided.
constexpr const char* kWhole = "can be checked";
constexpr const char* kNotChecked = "not checked";

/// All suites as one document.
class JunitReport final : public Collection {
 public:
  JunitReport() {
    xml_node declaration = document_.append_child(pugi::node_declaration);
    set(declaration, "version", "1.0");
    set(declaration, "encoding", "UTF-8");
    root_ = element(document_, "testsuites");
    set(root_, "name", "isolde");
  }

  void add(const ReportModel& input) override {
    Suite suite(root_, input.history.origin().file);
    if (input.loaded) add_properties(suite.node(), input);
    const std::string totals = totals_text(input.history);
    for (const LevelOutcome& outcome : input.levels) {
      add_level(suite, input, outcome, totals);
    }
    if (input.run) add_run(suite, *input.run);
    // Where nobody asked for a level all are left out, and a build would be green over nothing.
    if (!input.loaded && suite.all_skipped()) {
      suite.err(suite.add_case(kWhole), kNotChecked, input.levels.front().reason);
    }
    std::string left_out;
    for (const std::string& line : remarks(input)) left_out += line + "\n";
    if (!left_out.empty()) {
      say(element(suite.node(), "system-out"), "Left out or assumed:\n" + left_out);
    }
    close(suite, input.load_seconds + input.check_seconds + input.explain_seconds);
  }

  void add_failure(std::string_view file, std::string_view message) override {
    Suite suite(root_, file);
    suite.err(suite.add_case(kWhole), kNotChecked, message);
    close(suite, 0);
  }

  std::string text() override {
    set_counts(root_, total_);
    set(root_, "time", base::fixed(seconds_, 6));
    std::ostringstream out;
    document_.save(out, "  ");
    return std::move(out).str();
  }

 private:
  void close(Suite& suite, double seconds) {
    const Counts& counts = suite.complete(seconds);
    total_.tests += counts.tests;
    total_.failures += counts.failures;
    total_.errors += counts.errors;
    seconds_ += seconds;
  }

  pugi::xml_document document_;
  xml_node root_;
  Counts total_;
  double seconds_ = 0;
};

}  // namespace

const Form& junit_form() {
  static constexpr Form kForm = {
      .name = "junit",
      .help =
          "Write JUnit XML: a suite for each history, a test for each level; best together "
          "with --level. - is standard output, in place of the report",
      .schema = "JUnit XML as Jenkins has it",
      .collect = []() -> std::unique_ptr<Collection> {
        return std::make_unique<JunitReport>();
      }};
  return kForm;
}

}  // namespace isolde::explain
