// The manual page, in the macros of man(7).
#include "cli/command_texts.hpp"
#include "cli/outputs.hpp"
#include "isolde/version.h"

namespace isolde::cli {
namespace {

/// One line as text: nothing in it is a request.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  if (!out.empty() && (out.front() == '.' || out.front() == '\'')) out.insert(0, "\\&");
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

/// Lines as they are.
std::string verbatim(std::string_view text) {
  std::string out = ".PP\n.nf\n";
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += escaped(text.substr(0, end)) + "\n";
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out + ".fi\n";
}

std::string item(const OptionText& option, bool is_argument) {
  std::string text = ".TP\n";
  for (const std::string& name : option.names) {
    text +=
        (name == option.names.front() ? "" : ", ") + (is_argument ? italic(name) : bold(name));
  }
  if (!is_argument && !option.value.empty()) text += " " + italic(option.value);
  text += "\n";
  if (!option.help.empty()) text += escaped(option.help) + ".\n";
  if (option.is_required) text += "Required.\n";
  if (option.is_repeated) text += "May be repeated.\n";
  if (!option.otherwise.empty()) text += "Default: " + escaped(option.otherwise) + ".\n";
  if (!option.excludes.empty()) {
    std::string names;
    for (const std::string& name : option.excludes) {
      names += (names.empty() ? "" : ", ") + bold(name);
    }
    text += "Not together with " + names + ".\n";
  }
  return text;
}

std::string synopsis(const CommandText& command) {
  std::string text = "isolde " + command.path + " [OPTIONS]";
  for (const OptionText& argument : command.arguments) {
    const std::string name = argument.names.front() + (argument.is_repeated ? "..." : "");
    text += argument.is_required ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string section(const CommandText& command) {
  std::string text = ".SS \"" + escaped(synopsis(command)) + "\"\n";
  text += escaped(command.summary) + ".\n";
  for (const OptionText& argument : command.arguments) text += item(argument, true);
  for (const OptionText& option : command.options) text += item(option, false);
  if (!command.footer.empty()) text += verbatim(command.footer);
  return text;
}

std::string_view whereto(explain::Form::Place place) {
  switch (place) {
    case explain::Form::Place::kReport:
      return "To standard output, in place of the report for people, for each history one: ";
    case explain::Form::Place::kBeside:
      return "To standard output, behind the report for people: ";
    case explain::Form::Place::kFile:
      return "To a file; \"-\" is standard output, in place of the report for people: ";
  }
  return {};
}

/// Where each form of a report goes, and what it keeps to.
std::string outputs() {
  std::string text =
      ".SH OUTPUTS\n" + bold("isolde check") +
      " and the other commands that have these options write verdicts in these forms, too:\n";
  for (const explain::Form* form : all_forms()) {
    if (form->name == explain::text_form().name) continue;
    text += ".TP\n" + bold("--" + std::string(form->name)) + "\n" +
            escaped(std::string(whereto(form->place)) + std::string(form->schema)) + ".\n";
  }
  return text;
}

/// What to try first: what it does, and the command.
std::string example(std::string_view what, std::string_view command) {
  return ".PP\n" + escaped(what) + "\n.PP\n.RS 4\n.nf\n" + bold(command) + "\n.fi\n.RE\n";
}

std::string examples() {
  return ".SH EXAMPLES\n" +
         example(
             "Decide all levels for a history of PostgreSQL, and explain what is violated:",
             "isolde check /usr/share/doc/isolde/demo/pg-repeatable-read-write-skew.jsonl") +
         example(
             "Ask for one level; the exit status tells the answer. Write a page to read in a "
             "browser:",
             "isolde check --level serializable --html report.html history.jsonl") +
         example("Prove the verdict, and check the proof with a verifier of its own:",
                 "isolde check --level serializable --certificate proof.jsonl history.jsonl\n"
                 "isolde verify proof.jsonl history.jsonl") +
         example("Run transactions on a database and check what came back:",
                 "isolde run --db sqlite:test.db --workload mini --out history.jsonl");
}

constexpr std::string_view kTutorial =
    "Whoever is new here finds ten minutes with a database in "
    "/usr/share/doc/isolde/docs/tutorial.md, and EXAMPLES below.";

constexpr std::string_view kSeeAlso =
    "The documentation is in /usr/share/doc/isolde where a package brought the program, and in "
    "the sources: docs/tutorial.md to begin with, docs/LEVELS.md on the levels, "
    "docs/ANOMALIES.md on the anomalies, docs/formats/native.md on histories, "
    "docs/report.schema.json on the reports for programs. Histories to try are in "
    "/usr/share/doc/isolde/demo, adapters for databases in /usr/share/doc/isolde/examples, "
    "programs in C and C++ in /usr/share/doc/libisolde-dev/examples, tests for pytest in "
    "/usr/share/doc/python3-isolde/examples.";

}  // namespace

std::string man_page(std::span<const CommandText> commands) {
  const CommandText& program = commands.front();
  std::string text = ".TH ISOLDE 1 \"\" \"isolde " ISOLDE_VERSION "\" \"User Commands\"\n";
  text += ".SH NAME\nisolde \\- tells which transaction isolation a database really gave\n";
  text += ".SH SYNOPSIS\n" + bold("isolde") + " " + italic("COMMAND") + " [" +
          italic("OPTIONS") + "]\n";
  text += ".SH DESCRIPTION\n" + escaped(program.summary) +
          "\nA history is what clients of a database sent and saw. " + bold("isolde levels") +
          " lists the isolation levels, " + bold("isolde databases") +
          " the databases that can be driven.\n.PP\n" + escaped(kTutorial) + "\n";
  text += ".SH OPTIONS\n";
  for (const OptionText& option : program.options) text += item(option, false);
  text += ".SH COMMANDS\n";
  for (const CommandText& command : commands.subspan(1)) text += section(command);
  text += outputs() + ".SH \"EXIT STATUS\"\n" +
          verbatim(std::string_view(program.footer).substr(kFirstSteps.size() + 1));
  return text + ".SH ENVIRONMENT\n.TP\n" + bold("NO_COLOR") +
         "\nWhen it is set, there are no colours on terminals.\n" + examples() +
         ".SH \"SEE ALSO\"\n" + escaped(kSeeAlso) + "\n";
}

}  // namespace isolde::cli
