#include "cli/level_text.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "cli/command.hpp"
#include "explain/level_guide.hpp"
#include "history/texts.hpp"
#include "io/native.hpp"

namespace isolde::cli {
namespace {

std::string joined(const std::vector<Level>& levels) {
  std::string text;
  for (const Level level : levels) {
    if (!text.empty()) text += ", ";
    text += info(level).name;
  }
  return text;
}

/// The form of the base level that stands for it in headings: the plain one, or the only one.
const LevelInfo& plain_form(BaseLevel base) {
  const LevelInfo* plain = nullptr;
  for (const LevelInfo& row : all_levels()) {
    if (row.base == base) plain = &row;
  }
  ISOLDE_CHECK(plain != nullptr);
  return *plain;
}

std::string_view switch_text(const LevelInfo& level) {
  const bool has_plain = &plain_form(level.base) != &level;
  if (!has_plain) return "";
  return level.real_time ? "  and real time binds" : "  and session order binds";
}

/// "read-committed (plain, strong-session, strong)": one item for each base level.
std::string grouped(const std::vector<Level>& levels) {
  std::string text;
  std::vector<BaseLevel> done;
  for (const Level level : levels) {
    const BaseLevel base = info(level).base;
    if (std::find(done.begin(), done.end(), base) != done.end()) continue;
    done.push_back(base);
    std::string forms;
    std::size_t count = 0;
    for (const Level other : levels) {
      const LevelInfo& row = info(other);
      if (row.base != base) continue;
      ++count;
      forms += forms.empty() ? "" : ", ";
      const bool plain = &plain_form(base) == &row;
      forms += plain ? "plain" : row.real_time ? "with real time" : "with session order";
    }
    if (!text.empty()) text += "; ";
    const LevelInfo& first = count == 1 ? info(level) : plain_form(base);
    text += std::string(first.name) + (count == 1 ? "" : " (" + forms + ")");
  }
  return text;
}

std::string history_lines(const explain::LevelExample& example) {
  io::Inputs inputs;
  inputs.name = "example";
  inputs.files.push_back(io::Input::padded("example", explain::native_text(example)));
  base::Budget budget;
  const Result<History> history = io::read_native(inputs, budget);
  ISOLDE_CHECK(history.ok());
  std::string text;
  for (std::size_t t = 0; t < history->txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    text += "    " + history->txn_name(txn);
    for (const std::string& told : history::op_texts(*history, txn)) text += "  " + told;
    if (history->status(txn) == TxnStatus::kAborted) text += "  aborted";
    if (const auto level = history->stated_level(txn)) {
      text += "  at " + std::string(info(*level).name);
    }
    const auto span = [&](const char* what, std::int64_t from, std::int64_t to) {
      text += std::string("  ") + what + std::to_string(from) + " to " + std::to_string(to);
    };
    if (history->has_times()) span("time ", history->times(txn).start, history->times(txn).end);
    if (history->has_database_times()) {
      const DatabaseTimes times = history->database_times(txn);
      span("database time ", times.start, times.commit);
    }
    text += "\n";
  }
  return text;
}

std::string example_text(const LevelInfo& level) {
  std::string text;
  for (const explain::LevelExample& example : explain::examples_of(level.level)) {
    text += "\nExample: " + std::string(example.anomaly) + "\n" + history_lines(example);
    text += wrapped(example.why);
    text += wrapped("Violates " + std::string(level.name) + ". Satisfies " +
                    joined(explain::satisfied_levels(example)) + ".");
  }
  return text;
}

std::string neighbour_text(const LevelInfo& level) {
  std::vector<Level> weaker;
  std::vector<Level> stronger;
  std::vector<Level> in_turn;  // weaker where sessions respect time
  for (const LevelInfo& other : all_levels()) {
    if (other.level == level.level) continue;
    if (implies(level.level, other.level, false)) {
      weaker.push_back(other.level);
    } else if (implies(level.level, other.level, true)) {
      in_turn.push_back(other.level);
    }
    if (implies(other.level, level.level, false)) stronger.push_back(other.level);
  }
  const auto line = [](const std::string& what, const std::string& names) {
    return wrapped(what + ": " + (names.empty() ? "none" : names), 2);
  };
  std::string text = "\nWeaker and stronger levels\n";
  text += line("Next weaker", joined(explain::next_weaker(level.level)));
  text += line("All weaker", grouped(weaker));
  if (!in_turn.empty()) {
    text += line("Weaker too, where each session's transactions follow one another in time",
                 grouped(in_turn));
  }
  text += line("Next stronger", joined(explain::next_stronger(level.level)));
  text += line("All stronger", grouped(stronger));
  return text;
}

}  // namespace

std::string level_table() {
  std::string text;
  std::vector<BaseLevel> done;
  for (const LevelInfo& first : all_levels()) {
    if (std::find(done.begin(), done.end(), first.base) != done.end()) continue;
    done.push_back(first.base);
    text += std::string(plain_form(first.base).summary) + "\n";
    for (const LevelInfo& row : all_levels()) {
      if (row.base != first.base) continue;
      std::string line = "  " + padded(row.name, 43) + padded(row.alias, 11);
      line += switch_text(row);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  return text;
}

std::string level_text(const LevelInfo& level) {
  const explain::BaseGuide& guide = explain::guide(level.base);
  std::string text(level.name);
  if (!level.alias.empty()) text += " (" + std::string(level.alias) + ")";
  text += "\n" + wrapped(level.summary);
  text += "\nDefinition\n" + wrapped(guide.definition);
  const std::string_view form = explain::form_text(level);
  if (!form.empty()) text += wrapped(form);
  if (level.real_time) text += wrapped("Needs start and end times in the history.");
  text += wrapped("Sources: " + std::string(guide.source), 2);
  text += example_text(level);
  text += "\nWho claims it\n";
  text += wrapped((form.empty() ? "" : "Of the base level: ") + std::string(guide.claims));
  text += neighbour_text(level);
  text += "\nCost of deciding\n" + wrapped(guide.cost);
  return text;
}

}  // namespace isolde::cli
