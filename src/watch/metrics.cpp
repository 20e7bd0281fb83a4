#include "watch/metrics.hpp"

#include <array>
#include <charconv>
#include <string_view>

#include "isolde/version.h"

namespace isolde::watch {
namespace {

/// The shortest digits that are this number.
std::string number_text(double number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), end.ptr};
}

/// A label's value, as the format escapes it.
std::string label(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out;
}

class Writer {
 public:
  void head(std::string_view name, std::string_view type, std::string_view help) {
    const std::string full = "isolde_" + std::string(name);
    out_ += "# HELP " + full + " " + std::string(help) + "\n# TYPE " + full + " " +
            std::string(type) + "\n";
  }
  void line(std::string_view name, const std::string& labels, const std::string& value) {
    out_ += "isolde_" + std::string(name) + labels + " " + value + "\n";
  }
  void counter(std::string_view name, std::string_view help, std::uint64_t value) {
    head(name, "counter", help);
    line(name, "", std::to_string(value));
  }
  void gauge(std::string_view name, std::string_view help, std::optional<double> value) {
    if (!value) return;
    head(name, "gauge", help);
    line(name, "", number_text(*value));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

double count(std::uint64_t number) { return static_cast<double>(number); }

}  // namespace

std::string metrics(const View& view) {
  const Figures& figures = view.figures;
  Writer out;
  out.head("build_info", "gauge", "The version that runs; always 1.");
  out.line("build_info", "{version=\"" ISOLDE_VERSION "\"}", "1");
  out.head("level_verdict", "gauge",
           "1 for the verdict on the isolation level so far, 0 for the others.");
  for (const char* const verdict : {"holds", "violated", "unknown"}) {
    out.line("level_verdict",
             "{level=\"" + label(view.level) + "\",verdict=\"" + verdict + "\"}",
             view.verdict == verdict ? "1" : "0");
  }
  out.gauge("watch_suspected",
            "Whether a violation is suspected, of which there is no verdict yet.",
            view.suspicion.empty() ? 0 : 1);
  out.counter("violations_total", "Violations found.", view.violations);
  out.counter("transactions_total", "Transactions read from the source.", figures.transactions);
  out.counter("committed_transactions_total", "Of these, transactions that committed.",
              figures.committed);
  out.counter("operations_total", "Operations of the transactions read.", figures.operations);
  out.counter("settled_transactions_total",
              "Transactions that have a place in the order for good.", figures.settled);
  out.gauge("open_transactions", "Transactions kept, whose place is still open.",
            count(figures.open));
  out.gauge("indeterminate_transactions",
            "Transactions of unknown outcome that are kept, and from which nobody has read.",
            count(figures.apart));
  out.gauge("keys", "Keys whose contents are kept.", count(figures.keys));
  out.counter("groups_total", "Groups of transactions read from the source.", figures.groups);
  out.counter("rounds_total", "Checks of what was open and what had come.", figures.rounds);
  out.gauge("round_duration_seconds", "What the last round took.", figures.round_seconds);
  out.gauge("lag_seconds",
            "From the newest end of a transaction that was read to now, by the clients' clock.",
            view.now.lag);
  out.gauge("unsettled_seconds",
            "From what is settled to the newest end of a transaction that was read.",
            view.now.unsettled);
  out.gauge("last_group_age_seconds", "Since something came from the source.",
            view.since_group);
  out.counter("gaps_total", "Times when nothing came for long.", view.gaps);
  out.counter("faults_total", "Faults and other events that the source told of.", view.faults);
  out.gauge("incomplete_keys", "Keys that somebody writes who is not recorded.",
            count(figures.incomplete_keys));
  out.gauge("unwritten_files",
            "Checkpoint and segments that lack something, for they cannot be written.",
            count(figures.unwritten_files));
  out.gauge("resident_memory_bytes", "Resident memory of the program.", count(view.now.memory));
  out.gauge("start_time_seconds", "When the watch began, since 1970.", view.started);
  out.gauge("ended", "Whether the watch is over, and no more is read.", view.ended ? 1 : 0);
  return out.take();
}

}  // namespace isolde::watch
