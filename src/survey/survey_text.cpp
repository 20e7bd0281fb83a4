#include <algorithm>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "survey/survey.hpp"

namespace isolde::survey {
namespace {

constexpr std::size_t kColumns = 80;

std::string cell_word(const Setting& setting, std::size_t column) {
  if (column >= setting.cells.size()) return "";
  return std::string(name(setting.cells[column].finding.outcome));
}

/// Columns `from` to `to` of the table.
std::string block(const Survey& survey, std::size_t first_width,
                  const std::vector<std::size_t>& widths, std::size_t from, std::size_t to) {
  const auto line = [&](const std::string& first, auto cell) {
    std::string text = base::padded(first, first_width);
    for (std::size_t i = from; i < to; ++i) text += base::padded(cell(i), widths[i] + 2);
    while (text.ends_with(' ')) text.pop_back();
    return text + "\n";
  };
  std::string text = line("", [&](std::size_t i) { return survey.scenarios[i].column; });
  for (const Setting& setting : survey.settings) {
    text += line(base::printable_name(setting.name),
                 [&](std::size_t i) { return cell_word(setting, i); });
  }
  return text;
}

/// As many columns beside each other as a terminal has room for, and the rest below.
std::string table(const Survey& survey) {
  std::size_t first_width = 0;
  std::vector<std::size_t> widths;
  for (const Scenario& scenario : survey.scenarios) widths.push_back(scenario.column.size());
  for (const Setting& setting : survey.settings) {
    first_width = std::max(first_width, base::printable_name(setting.name).size() + 2);
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], cell_word(setting, i).size());
    }
  }
  std::string text;
  for (std::size_t from = 0; from < widths.size();) {
    std::size_t to = from;
    std::size_t width = first_width;
    while (to < widths.size() && (to == from || width + widths[to] <= kColumns)) {
      width += widths[to++] + 2;
    }
    text += (from > 0 ? "\n" : "") + block(survey, first_width, widths, from, to);
    from = to;
  }
  return text;
}

std::string legend(const Survey& survey) {
  std::string text;
  for (const Outcome outcome :
       {Outcome::kOccurs, Outcome::kOther, Outcome::kBlocked, Outcome::kDeadlock,
        Outcome::kAborted, Outcome::kConsistent, Outcome::kNotPlayed}) {
    const bool is_there = std::ranges::any_of(survey.settings, [&](const Setting& setting) {
      return std::ranges::any_of(
          setting.cells, [&](const Cell& cell) { return cell.finding.outcome == outcome; });
    });
    if (is_there) {
      text += "  " + base::padded(name(outcome), 10) + std::string(meaning(outcome)) + "\n";
    }
  }
  return text;
}

/// What the columns are about, by the beginnings of their titles; and the bracket of a cell.
std::string columns_legend(const Survey& survey) {
  std::string text;
  for (const Scenario& scenario : survey.scenarios) {
    text += (text.empty() ? "Columns: " : "; ") + scenario.column + ", " +
            scenario.title.substr(0, scenario.title.find(':'));
  }
  text = base::wrapped(text + ".", 2);
  const bool any = std::ranges::any_of(survey.settings, [](const Setting& setting) {
    return std::ranges::any_of(setting.cells,
                               [](const Cell& cell) { return cell.violation.has_value(); });
  });
  if (!any) return text;
  return text + base::wrapped(
                    "In brackets below: the weakest level that forbids what happened, in the "
                    "terms of isolde levels, whatever the database calls by that name. What a "
                    "setting does not promise is no defect.",
                    2);
}

std::string loads_text(const Setting& setting) {
  if (setting.loads.empty()) return {};
  std::vector<std::string> names;
  std::uint64_t committed = 0;
  std::uint64_t aborted = 0;
  std::string stopped;
  for (const Load& load : setting.loads) {
    names.push_back(load.workload);
    committed += load.committed;
    aborted += load.aborted;
    if (!load.stopped.empty()) {
      stopped +=
          " " + load.workload + " stopped early: " + base::printable_line(load.stopped) + ".";
    }
  }
  return "Random load (" + base::joined(names, "and") +
         "): " + base::plural(committed, "transaction") + " committed, " +
         base::grouped(aborted) + " aborted." + stopped;
}

/// The column's name, then what its cell says, wrapped beside it.
std::string cell_line(const std::string& column, const Cell& cell, std::size_t width) {
  std::string word(name(cell.finding.outcome));
  // The legend says it all.
  if (cell.finding.outcome != Outcome::kConsistent) word += ": " + cell.finding.how;
  const std::string room(width - 1, '-');
  std::string line = base::wrapped(room + " " + word, width);
  return line.replace(2, room.size(), base::padded(column, room.size()));
}

std::string setting_text(const Survey& survey, const Setting& setting,
                         const Commands& commands) {
  std::string text = base::printable_name(setting.name) + "\n";
  const auto paragraph = [&](const std::string& sentence) {
    if (!sentence.empty()) text += base::wrapped(sentence);
  };
  const auto lead = [](std::string_view words, const std::string& rest) {
    return rest.empty() ? "" : std::string(words) + rest + ".";
  };
  paragraph(promise_sentence(setting) + ".");
  for (const std::string& command :
       {breach_command(setting, commands), breach_proof_command(setting, commands)}) {
    if (!command.empty()) text += "    " + base::printable_line(command) + "\n";
  }
  paragraph(plain_sentence(survey, setting));
  paragraph(lead("That means: ", meaning_of(setting)));
  paragraph(lead("What helps: ", remedy_of(survey, setting)));
  paragraph(retry_sentence(setting));
  paragraph(loads_text(setting));
  if (!setting.cells.empty()) paragraph(strongest_sentence(setting));
  std::size_t width = 0;
  for (const Scenario& scenario : survey.scenarios) {
    width = std::max(width, scenario.column.size() + 2);
  }
  for (std::size_t i = 0; i < setting.cells.size(); ++i) {
    const Cell& cell = setting.cells[i];
    text += cell_line(survey.scenarios[i].column, cell, width);
    const ProofFile* const proof = proof_of(survey.scenarios[i], cell);
    for (const std::string& command :
         {check_command(survey.scenarios[i], cell, commands),
          proof != nullptr ? verify_command(*proof, cell.history, commands) : std::string(),
          replay_command(survey.scenarios[i], setting, cell, commands)}) {
      if (!command.empty())
        text += base::padded("", width + 2) + base::printable_line(command) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string to_text(const Survey& survey, const Commands& commands) {
  std::string text = base::printable_line(survey.version) + ": " +
                     base::plural(survey.settings.size(), "isolation setting") + ", " +
                     base::plural(survey.scenarios.size(), "scenario") + "\n\n" +
                     table(survey) + "\n" + legend(survey) + "\n" + columns_legend(survey);
  for (const Setting& setting : survey.settings) {
    text += "\n" + setting_text(survey, setting, commands);
  }
  if (!survey.stopped.empty()) {
    text += "\nStopped early: " + base::printable_line(survey.stopped) + "\n";
  }
  if (!commands.is_kept) {
    text += "\nNothing was kept; with --keep DIR each history is, with its steps and proofs.\n";
  }
  return text;
}

}  // namespace isolde::survey
