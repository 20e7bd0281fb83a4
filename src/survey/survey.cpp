#include "survey/survey.hpp"

#include <algorithm>
#include <cctype>
#include <system_error>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "explain/lessons.hpp"
#include "run/reason.hpp"

namespace isolde::survey {
namespace {

/// Whether the names in `plain` are those of cells with an outcome that is asked for.
template <typename Predicate>
std::vector<std::string> plain_names(const Survey& survey, const Setting& setting,
                                     Predicate is_it) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < setting.cells.size(); ++i) {
    const std::string& name = survey.scenarios[i].plain;
    if (is_it(name) && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

/// What was violated, in a scenario or under a load.
struct Worst {
  std::string_view anomaly;
  Level level;
};

/// The most damaging violation; nothing: there is none.
std::optional<Worst> worst(const Setting& setting) {
  std::optional<Worst> worst;
  const auto add = [&](const std::string& anomaly, Level level) {
    const auto harm = [](std::string_view name) { return explain::lesson_of(name).harm; };
    if (!worst || harm(anomaly) < harm(worst->anomaly)) worst = Worst{anomaly, level};
  };
  for (const Cell& cell : setting.cells) {
    if (cell.violation) add(cell.violation->anomaly, cell.violation->level);
  }
  const std::optional<Breach>& breach = setting.findings.breach;
  if (breach && !breach->anomaly.empty()) add(breach->anomaly, breach->level);
  return worst;
}

/// What breaks the promise, as people call it; empty: nothing does.
std::string broken_name(const Setting& setting) {
  const std::optional<Breach>& breach = setting.findings.breach;
  if (!breach || breach->anomaly.empty()) return {};
  return std::string(explain::lesson_of(breach->anomaly).many);
}

/// How many servers the sessions of the survey go to.
explain::Servers servers_of(const Target& target, bool is_alone) {
  const Result<db::Dsn> dsn = db::parse_dsn(target.display);
  if (!dsn || dsn->scheme == "exec") return explain::Servers::kUnknown;
  if (dsn->endpoints.size() > 1) return explain::Servers::kSeveral;
  return is_alone || dsn->endpoints.size() == 1 ? explain::Servers::kOne
                                                : explain::Servers::kUnknown;
}

}  // namespace

bool Survey::breaks_promise() const {
  return std::ranges::any_of(settings,
                             [](const Setting& each) { return each.breaks_promise(); });
}

bool Survey::is_complete() const {
  return stopped.empty() && std::ranges::all_of(settings, [&](const Setting& setting) {
           const bool is_open =
               setting.promised &&
               setting.findings.verdict(*setting.promised) == Findings::Verdict::kOpen;
           const bool is_played = std::ranges::all_of(setting.cells, [](const Cell& cell) {
             return cell.finding.outcome != Outcome::kNotPlayed || cell.transcript.empty();
           });
           return !is_open && is_played && setting.cells.size() == scenarios.size();
         });
}

std::string folder_name(std::size_t row, std::string_view setting) {
  return file_name(std::to_string(row + 1) + "-" + std::string(setting));
}

std::string file_name(std::string_view setting) {
  std::string name;
  for (const char c : setting) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
    name += is_plain ? c : '_';
  }
  return name.empty() ? "_" : name;
}

static Status survey_setting(const Target& target, const db::IsolationInfo& row,
                             const Options& options, base::Budget& budget,
                             const std::function<void(std::string_view)>& progress,
                             Survey& survey) {
  Setting& setting = survey.settings.back();
  const auto open = [&](bool with_index) { return target.open(row.name, with_index); };
  {
    const Result<std::unique_ptr<db::Database>> database = open(false);
    if (!database) return database.error();
    survey.version = (*database)->version();
  }
  const Stage stage{
      .info = target.info,
      .open = open,
      .source = target.display,
      .version = survey.version,
      .isolation = setting.name,
      .promised = setting.promised,
      .is_alone = options.is_alone,
      .step_wait = options.step_wait,
      .folder = options.folder / folder_name(survey.settings.size() - 1, setting.name)};
  std::error_code error;
  std::filesystem::create_directories(stage.folder, error);
  if (error) {
    return Error{ErrorCode::kEnvironment,
                 stage.folder.string() + ": cannot make: " + error.message()};
  }
  for (const Scenario& scenario : survey.scenarios) {
    if (!budget.look()) return ok_status();
    progress(setting.name + ": " + scenario.column);
    Result<Cell> cell = play(scenario, stage, setting.findings, budget);
    if (!cell) return cell.error();
    setting.cells.push_back(std::move(cell).value());
  }
  if (options.load_seconds <= 0) return ok_status();
  for (const gen::Workload workload : loads_of(target.info)) {
    if (!budget.look()) return ok_status();
    progress(setting.name + ": " + std::string(gen::info(workload).name));
    Result<Load> load =
        run_load(workload, options.load_seconds, options.seed, stage, setting.findings, budget);
    if (!load) return load.error();
    setting.loads.push_back(std::move(load).value());
  }
  return ok_status();
}

Status run_survey(const Target& target, std::span<const db::IsolationInfo> settings,
                  const Options& options, base::Budget& budget,
                  const std::function<void(std::string_view)>& progress, Survey& survey) {
  Result<std::vector<Scenario>> scenarios = all_scenarios(target.can_add_index);
  if (!scenarios) return scenarios.error();
  survey.scenarios = std::move(scenarios).value();
  survey.database = target.display;
  survey.product = target.info.name;
  survey.servers = servers_of(target, options.is_alone);
  survey.has_loads = options.load_seconds > 0;
  for (const db::IsolationInfo& row : settings) {
    if (!budget.look()) break;
    Setting& setting = survey.settings.emplace_back();
    setting.name = row.name;
    setting.note = row.note;
    setting.promised = row.claims;
    setting.no_promise = row.no_claim;
    const Status done = survey_setting(target, row, options, budget, progress, survey);
    if (!done) {
      survey.stopped = done.error().message;
      return done;
    }
  }
  if (!budget.look()) survey.stopped = budget.reason();
  return ok_status();
}

/// The level that the cell is about.
static Level level_of(const Scenario& scenario, const Cell& cell) {
  return cell.violation ? cell.violation->level : scenario.forbidden_by.front();
}

std::string check_command(const Scenario& scenario, const Cell& cell,
                          const Commands& commands) {
  if (!commands.is_kept || cell.transcript.empty()) return {};
  return "isolde check --level " + std::string(info(level_of(scenario, cell)).name) + " " +
         base::shell_word(cell.history.string());
}

std::string verify_command(const ProofFile& proof, const std::filesystem::path& history,
                           const Commands& commands) {
  if (!commands.is_kept) return {};
  return "isolde verify " + base::shell_word(proof.certificate.string()) + " " +
         base::shell_word(history.string());
}

const ProofFile* proof_of(const Scenario& scenario, const Cell& cell) {
  const auto found =
      std::ranges::find(cell.proofs, level_of(scenario, cell), &ProofFile::level);
  return found == cell.proofs.end() ? nullptr : &*found;
}

std::string replay_command(const Scenario& scenario, const Setting& setting, const Cell& cell,
                           const Commands& commands) {
  if (!commands.is_kept || cell.transcript.empty()) return {};
  return "isolde replay " + commands.target + (scenario.has_index ? " --param index=1" : "") +
         " --isolation " + base::shell_word(setting.name) + " " +
         base::shell_word(cell.steps.string());
}

std::string breach_command(const Setting& setting, const Commands& commands) {
  if (!commands.is_kept || !setting.findings.breach) return {};
  return "isolde check --level " + std::string(info(*setting.promised).name) + " " +
         base::shell_word(setting.findings.breach->history.string());
}

std::string breach_proof_command(const Setting& setting, const Commands& commands) {
  if (!setting.findings.breach) return {};
  const std::filesystem::path& history = setting.findings.breach->history;
  const auto among = [&](const auto& played) {
    for (const auto& each : played) {
      if (each.history != history) continue;
      for (const ProofFile& proof : each.proofs) {
        if (proof.level == *setting.promised) return verify_command(proof, history, commands);
      }
    }
    return std::string();
  };
  const std::string of_cell = among(setting.cells);
  return of_cell.empty() ? among(setting.loads) : of_cell;
}

std::string plain_sentence(const Survey& survey, const Setting& setting) {
  const auto any = [&](const std::string& name, auto is_it) {
    for (std::size_t i = 0; i < setting.cells.size(); ++i) {
      if (survey.scenarios[i].plain == name && is_it(setting.cells[i].finding.outcome)) {
        return true;
      }
    }
    return false;
  };
  const auto occurs = [](Outcome outcome) { return outcome == Outcome::kOccurs; };
  const auto not_prevented = [](Outcome outcome) { return !is_prevented(outcome); };
  std::vector<std::string> seen =
      plain_names(survey, setting, [&](const std::string& name) { return any(name, occurs); });
  std::vector<std::string> not_seen = plain_names(
      survey, setting, [&](const std::string& name) { return !any(name, not_prevented); });
  std::string text = "At " + base::printable_name(setting.name) + ": ";
  if (setting.cells.empty()) return text + "nothing was played.";
  // What breaks the promise may have shown itself under a load only.
  const std::string broken = broken_name(setting);
  const bool is_new = !broken.empty() && std::ranges::find(seen, broken) == seen.end();
  std::erase(not_seen, broken);
  std::vector<std::string> parts;
  if (!seen.empty()) parts.push_back(base::joined(seen, "and") + " occur");
  if (is_new) parts.push_back(broken + " occur in " + setting.findings.breach->where);
  if (!not_seen.empty()) {
    parts.push_back((is_new ? "in the scenarios " : "") + base::joined(not_seen, "and") +
                    " were prevented");
  }
  if (parts.empty()) parts.emplace_back("what was played shows nothing");
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? "; " : "") + parts[i];
  return text + ".";
}

std::string retry_sentence(const Setting& setting) {
  std::vector<std::string> messages;
  bool deadlock = false;
  const auto add = [&](std::string_view said) {
    const std::string message = run::reason_class(said);
    if (std::ranges::find(messages, message) == messages.end()) messages.push_back(message);
  };
  for (const Cell& cell : setting.cells) {
    deadlock = deadlock || cell.finding.outcome == Outcome::kDeadlock;
    if (cell.finding.outcome == Outcome::kAborted) add(cell.finding.message);
  }
  if (!deadlock && messages.empty()) return {};
  constexpr std::size_t kShown = 3;
  if (messages.size() > kShown) messages.resize(kShown);
  if (deadlock) messages.insert(messages.begin(), "a deadlock");
  return "Run a transaction again that the database aborts because of " +
         base::joined(messages, "or") + ".";
}

std::string meaning_of(const Setting& setting) {
  const std::optional<Worst> violation = worst(setting);
  return violation ? std::string(explain::meaning_of(violation->anomaly)) : "";
}

std::string remedy_of(const Survey& survey, const Setting& setting) {
  const std::optional<Worst> violation = worst(setting);
  if (!violation) return {};
  const auto is_promised = [&](Level level) {
    return setting.promised && implies(*setting.promised, level, false);
  };
  if (is_promised(violation->level)) {
    return "the database promises that this does not happen: it is a defect, or the setup "
           "breaks a rule of the manual";
  }
  // Its version tells the engine of the tables, too.
  const std::string& database = survey.version.empty() ? survey.product : survey.version;
  explain::Setup setup{database, setting.name, survey.servers};
  setup.promise_is_known = setting.promised || !setting.no_promise.empty();
  setup.promise = setting.promised;
  const explain::Remedy& row =
      explain::remedy_for(explain::lesson_of(violation->anomaly).harm, setup,
                          [&](Level level) { return !is_promised(level); });
  const bool is_kept_there =
      !row.cure || explain::promised_there(database, *row.cure, survey.servers) == row.cure;
  return (is_kept_there ? "" : "send all transactions to one server, and ") +
         std::string(row.text);
}

std::string promise_sentence(const Setting& setting) {
  if (!setting.promised) return "Promises none of the levels: " + setting.no_promise;
  const std::string text = "Promises " + std::string(info(*setting.promised).name) + ": ";
  const Findings::Verdict verdict = setting.findings.verdict(*setting.promised);
  std::string word(promise_word(verdict));
  if (verdict == Findings::Verdict::kViolated) {
    const Breach& breach = *setting.findings.breach;
    word += ", in " + breach.where + ": " + breach.statement;
  }
  return text + word;
}

std::string strongest_sentence(const Setting& setting) {
  std::vector<std::string> names;
  for (const Level level : setting.findings.strongest()) {
    names.emplace_back(info(level).name);
  }
  if (names.empty()) return "No level was put to the test and held.";
  return "The strongest " + std::string(names.size() == 1 ? "level" : "levels") +
         " that nothing violated: " + base::joined(names, "and") + ".";
}

}  // namespace isolde::survey
