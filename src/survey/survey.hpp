// A survey of one database: all its isolation settings against all scenarios, as a table like
// Hermitage's, with a short random load at each setting beside it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/harm.hpp"
#include "survey/load.hpp"
#include "survey/play.hpp"
#include "survey/scenario.hpp"

namespace isolde::survey {

/// One row of the table.
struct Setting {
  std::string name;               ///< the database's own word
  std::string note;               ///< what it does, one line
  std::optional<Level> promised;  ///< by its makers
  std::string no_promise;         ///< why nothing is
  std::vector<Cell> cells;        ///< as many of the scenarios, in their order, as were played
  std::vector<Load> loads;
  Findings findings;

  bool breaks_promise() const {
    return promised && findings.verdict(*promised) == Findings::Verdict::kViolated;
  }
};

struct Survey {
  std::string database;  ///< data source name without its password
  std::string product;   ///< its name in data source names
  std::string version;
  std::vector<Scenario> scenarios;  ///< the columns
  std::vector<Setting> settings;    ///< the rows
  /// Why it ended early; empty: it did not.
  std::string stopped;
  bool has_loads = true;
  explain::Servers servers = explain::Servers::kUnknown;

  bool breaks_promise() const;
  /// Every cell was played and every promise decided.
  bool is_complete() const;
};

struct Options {
  std::chrono::nanoseconds step_wait = std::chrono::milliseconds(400);
  double load_seconds = 1;  ///< of each workload; 0: none
  std::uint64_t seed = 0;
  std::filesystem::path folder;  ///< gets a folder for each setting
  bool is_alone = false;         ///< as in Stage
};

/// What is surveyed.
struct Target {
  const db::DatabaseInfo& info;
  std::string display;
  /// Opens the database at this isolation, with an index on values where it is asked for.
  std::function<Result<std::unique_ptr<db::Database>>(std::string_view isolation,
                                                      bool with_index)>
      open;
  bool can_add_index = false;
};

/// `settings`: names of isolations of the row. What was done stays in `survey` when an error or
/// the budget ends it early. ERRORS: kEnvironment, kUsage, kInternal.
Status run_survey(const Target& target, std::span<const db::IsolationInfo> settings,
                  const Options& options, base::Budget& budget,
                  const std::function<void(std::string_view)>& progress, Survey& survey);

/// "read-committed" as the name of a file or folder.
std::string file_name(std::string_view setting);
/// Of what was played at a setting: "1-read-committed".
std::string folder_name(std::size_t row, std::string_view setting);

/// How to check and to play again what was kept.
struct Commands {
  bool is_kept = false;
  std::string target;  ///< options that name the database: "--server postgres"
};

/// The commands for a cell; empty where nothing was kept.
std::string check_command(const Scenario& scenario, const Cell& cell, const Commands& commands);
std::string replay_command(const Scenario& scenario, const Setting& setting, const Cell& cell,
                           const Commands& commands);
/// For a proof of the history; empty where nothing was kept.
std::string verify_command(const ProofFile& proof, const std::filesystem::path& history,
                           const Commands& commands);
/// The proof of what check_command() asks; none where that is not decided.
const ProofFile* proof_of(const Scenario& scenario, const Cell& cell);

/// For the history that breaks the promise; empty where none does, or nothing was kept.
std::string breach_command(const Setting& setting, const Commands& commands);
/// For the proof that it does.
std::string breach_proof_command(const Setting& setting, const Commands& commands);

/// "At read-committed: lost updates and write skew occur; dirty reads were prevented."
std::string plain_sentence(const Survey& survey, const Setting& setting);
/// What to do about transactions that the database aborts; empty where it aborts none.
std::string retry_sentence(const Setting& setting);
/// What the worst that occurs means for an application, and what helps; empty where none does.
std::string meaning_of(const Setting& setting);
std::string remedy_of(const Survey& survey, const Setting& setting);
/// "Promises read-committed: kept in what was played".
std::string promise_sentence(const Setting& setting);
/// "The strongest levels that nothing violated: ...".
std::string strongest_sentence(const Setting& setting);

std::string to_text(const Survey& survey, const Commands& commands);
/// docs/report.schema.json, its definition survey.
std::string to_json(const Survey& survey, const Commands& commands);

/// What a page of its own shows; the name is a path from the folder of all of them.
struct Page {
  std::string name;
  std::string json;  ///< for report::survey_page()
};
/// An index, whose cells lead to a page for each cell beside its history.
/// REQUIRES: the histories were kept.
std::vector<Page> to_pages(const Survey& survey, const Commands& commands);

}  // namespace isolde::survey
