// There is no standard, only what Ant once wrote and what Jenkins, GitLab and others read. The
// document keeps to Jenkins' schema, which all of them read; it has no time of day and no name
// of a machine, so that equal results are equal bytes but for the seconds.
#include "explain/report_junit.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "explain/encode.hpp"
#include "explain/narrate.hpp"
#include "explain/promise.hpp"
#include "explain/story.hpp"
#include "history/stats.hpp"

namespace isolde::explain {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + xml_attribute(value) + "\"";
}

std::string attribute(std::string_view name, std::size_t number) {
  return attribute(name, std::to_string(number));
}

/// Jenkins takes what is in front of the last dot as the name of a package.
std::string class_of(std::string_view file) {
  std::string name(file);
  std::replace(name.begin(), name.end(), '.', '_');
  return "isolde." + name;
}

std::string property(std::string_view name, std::string_view value) {
  return "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
}

std::string property(std::string_view name, std::uint64_t number) {
  return property(name, std::to_string(number));
}

std::string run_properties(const RunReport& run) {
  return property("database", run.database) + property("version", run.version) +
         property("isolation", run.isolation) + property("workload", run.workload) +
         property("seed", run.seed) + property("committed", run.committed) +
         property("aborted by the database", run.aborted) +
         property("rolled back by the client", run.rolled_back) +
         property("unknown outcome", run.unknown) + property("given up", run.given_up) +
         property("reconnects", run.reconnects) + property("faults", run.faults) +
         (run.stopped.empty() ? "" : property("stopped early", run.stopped));
}

std::string properties(const ReportModel& input) {
  const History& history = input.history;
  const StatusCounts counts = count_statuses(history);
  std::string text = "    <properties>\n";
  text += property("format", history.origin().format);
  text += property("sessions", history.session_count());
  text += property("transactions", history.txn_count());
  text += property("operations", history::operation_count(history));
  text += property("aborted", counts.aborted);
  text += property("indeterminate", counts.indeterminate);
  text += property("evidence", history::to_text(input.evidence));
  if (input.run) {
    text += run_properties(*input.run);
    text += property("promise", promise_text(input.run, input.levels));
  }
  return text + "    </properties>\n";
}

std::string problem(std::string_view tag, std::string_view type, std::string_view message,
                    std::string_view text) {
  return "      <" + std::string(tag) + attribute("message", message) +
         attribute("type", type) + ">" + xml_text(text) + "</" + std::string(tag) + ">\n";
}

std::string test_case(std::string_view file, std::string_view name,
                      const std::string& content) {
  const std::string head =
      "    <testcase" + attribute("name", name) + attribute("classname", class_of(file));
  return content.empty() ? head + "/>\n" : head + ">\n" + content + "    </testcase>\n";
}

using Counts = JunitReport::Counts;

/// What a run as a whole owes: that it came to its end, and that the promise was kept.
std::string run_cases(const ReportModel& input, Counts& counts) {
  const std::string& file = input.history.origin().file;
  ++counts.tests;
  std::string result;
  if (!input.run->stopped.empty()) {
    ++counts.errors;
    result = problem("error", "stopped early", input.run->stopped, "");
  }
  std::string text = test_case(file, "run to its end", result);
  const LevelOutcome* const promised = promised_outcome(input.run, input.levels);
  if (promised == nullptr) return text;
  ++counts.tests;
  const std::string words = promise_text(input.run, input.levels);
  result.clear();
  if (promised->is_violated()) {
    ++counts.failures;
    result = problem("failure", "broken promise", words, promised->why());
  } else if (promised->verdict != Verdict::kHolds) {
    ++counts.errors;
    result = problem("error", "unknown", words, promised->reason);
  }
  return text + test_case(file, "promised level", result);
}

}  // namespace

void JunitReport::add_suite(std::string_view file, const Counts& counts, double seconds,
                            const std::string& content) {
  suites_ += "  <testsuite" + attribute("name", file) + attribute("tests", counts.tests) +
             attribute("failures", counts.failures) + attribute("errors", counts.errors) +
             attribute("skipped", counts.skipped) + attribute("time", base::fixed(seconds, 6)) +
             ">\n" + content + "  </testsuite>\n";
  total_.tests += counts.tests;
  total_.failures += counts.failures;
  total_.errors += counts.errors;
  seconds_ += seconds;
}

void JunitReport::add(const ReportModel& input) {
  const std::string& file = input.history.origin().file;
  std::string content = input.loaded ? properties(input) : "";
  Counts counts;
  for (const LevelOutcome& outcome : input.levels) {
    ++counts.tests;
    std::string result;
    const std::string basis = basis_text(outcome);
    if (outcome.is_violated()) {
      ++counts.failures;
      const std::optional<Scenario>& scenario = outcome.scenario;
      result = problem("failure", scenario ? scenario->anomaly.type : std::string(kUnexplained),
                       outcome.why() + (basis.empty() ? "" : " (" + basis + ")"),
                       scenario ? narrate(input.history, *scenario, {}) : std::string());
    } else if (outcome.verdict == Verdict::kUnknown) {
      ++counts.errors;
      result = problem("error", "unknown", outcome.reason, "");
    } else if (outcome.verdict == Verdict::kNotApplicable) {
      ++counts.skipped;
      // Without an attribute: older schemas of Jenkins allow none.
      result = "      <skipped>" + xml_text(outcome.reason) + "</skipped>\n";
    } else if (!basis.empty()) {
      result = "      <system-out>" + xml_text(basis) + "</system-out>\n";
    }
    content += test_case(file, info(outcome.level).name, result);
  }
  if (input.run) content += run_cases(input, counts);
  std::string left_out;
  for (const std::string& line : remarks(input)) left_out += line + "\n";
  if (!left_out.empty()) {
    content +=
        "    <system-out>Left out or assumed:\n" + xml_text(left_out) + "</system-out>\n";
  }
  add_suite(file, counts, input.load_seconds + input.check_seconds + input.explain_seconds,
            content);
}

void JunitReport::add_failure(std::string_view file, std::string_view message) {
  const std::string content =
      test_case(file, "can be checked", problem("error", "not checked", message, ""));
  add_suite(file, {1, 0, 1, 0}, 0, content);
}

std::string JunitReport::text() {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
         attribute("name", "isolde") + attribute("tests", total_.tests) +
         attribute("failures", total_.failures) + attribute("errors", total_.errors) +
         attribute("time", base::fixed(seconds_, 6)) + ">\n" + suites_ + "</testsuites>\n";
}

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
