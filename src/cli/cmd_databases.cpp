// isolde databases [NAME]: the databases that run can drive, or one with its isolation levels.
// isolde databases try DSN: whether a driver or adapter does what it says.
#include <CLI/CLI.hpp>

#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/database_options.hpp"
#include "cli/interrupt.hpp"
#include "db/driver.hpp"
#include "run/tryout.hpp"

namespace isolde::cli {
namespace {

std::string abilities(const db::Capabilities& capabilities) {
  std::string text = capabilities.embedded ? "embedded" : "server";
  if (capabilities.sql) text += ", SQL";
  if (capabilities.transactions) text += ", transactions";
  if (capabilities.lists) text += ", lists";
  if (capabilities.compare_and_set) text += ", compare-and-set";
  if (capabilities.increments) text += ", increments";
  if (capabilities.rows) text += ", conditions on rows";
  if (capabilities.tables) text += ", rows with columns";
  if (capabilities.aggregates) text += ", aggregates";
  if (capabilities.savepoints) text += ", savepoints";
  if (capabilities.skips_locked) text += ", skips locked rows";
  if (capabilities.endpoints) text += ", several endpoints";
  if (capabilities.sockets) text += ", connections can be cut";
  return text;
}

std::string ignored(const db::Capabilities& capabilities) {
  if (capabilities.unknown.empty()) return {};
  return "\n  not known, and ignored: " + std::string(capabilities.unknown);
}

std::string isolations(const db::DatabaseInfo& row) {
  if (row.isolations.empty()) return {};
  std::string text = "\n  --isolation, the first unless told otherwise:\n";
  for (const db::IsolationInfo& isolation : row.isolations) {
    text += "    " + padded(isolation.name, 28) +
            (isolation.claims ? "promises " + std::string(info(*isolation.claims).name)
                              : "promises no level: " + std::string(isolation.no_claim)) +
            "\n";
    if (!isolation.note.empty()) text += "      " + std::string(isolation.note) + "\n";
    if (!isolation.no_lists.empty()) {
      text += "      no lists: an append would be a read and a write, and " +
              std::string(isolation.no_lists) + "\n";
    }
  }
  return text;
}

/// Other schemes, and whose promises are taken then.
std::string also(const db::DatabaseInfo& row) {
  if (row.aliases.empty()) return {};
  std::string text = "  or ";
  for (const std::string_view alias : row.aliases) {
    text += (alias == row.aliases.front() ? "" : ", ") + std::string(alias) + "://";
  }
  return text +
         ": what speaks its protocol is taken to promise the same, unless --promise says "
         "otherwise\n";
}

std::string describe(const db::DatabaseInfo& row) {
  std::string text = db::called(row) + "\n  " + std::string(row.summary) + "\n  " +
                     abilities(row.capabilities) + ignored(row.capabilities) + "\n\n  --db " +
                     std::string(row.dsn) + "\n" + also(row);
  return text + isolations(row);
}

/// What is otherwise with the parameters that a row names.
std::string choices(const db::DatabaseInfo& row) {
  std::string text;
  for (const std::string_view choice : row.choices) {
    const Result<db::Dsn> dsn =
        db::parse_dsn(std::string(row.name) + ":?" + std::string(choice));
    if (!dsn) continue;
    const Result<const db::DatabaseInfo*> other =
        db::find_database_of(*dsn, db::OpenOptions().timeout_seconds);
    if (!other) continue;
    text += "\nWith --param " + std::string(choice) + "\n  " +
            abilities((*other)->capabilities) + "\n" + isolations(**other);
  }
  return text;
}

class DatabasesCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand(
        "databases", "List the databases that run can drive, or describe one");
    sub->add_option("database", database_,
                    "Name of a database, or a data source name, to ask an adapter")
        ->type_name("NAME");
    try_ = sub->add_subcommand(
        "try",
        "Try each operation of a database once, and tell what its driver, or your "
        "adapter, does wrong");
    target_.add_with_dsn_to(*try_);
    try_->footer(
        "Exit codes: 0 all is well, 1 something is not, 2 interrupted, 3 usage error, "
        "4 environment or internal error.");
    return sub;
  }

  ExitCode run() override {
    if (try_->parsed()) return try_out();
    if (!database_.empty()) {
      const Result<const db::DatabaseInfo*> row = named_or_asked();
      if (!row) return report(row.error());
      print(describe(**row));
      if ((*row)->chosen.empty()) print(choices(**row));
      return ExitCode::kSuccess;
    }
    for (const db::DatabaseInfo* row : db::all_databases()) {
      print(padded(row->name, 12) + std::string(row->summary) + "\n" + padded("", 12) +
            std::string(row->dsn) + "\n");
    }
    if (!db::absent_drivers().empty()) {
      print("\nNot in this build, and the packages of Debian that have what they need:\n");
    }
    for (const db::AbsentDriver& driver : db::absent_drivers()) {
      print(padded(driver.name, 12) + std::string(driver.packages) + "\n");
    }
    return ExitCode::kSuccess;
  }

 private:
  /// A row of the table; with a colon, that of the database which is there.
  Result<const db::DatabaseInfo*> named_or_asked() const {
    const bool is_name =
        database_.find(':') == std::string::npos && !db::is_keyword_form(database_);
    if (is_name) return db::find_database(database_);
    const Result<db::Dsn> dsn = db::parse_dsn(database_);
    if (!dsn) return dsn.error();
    return db::find_database_of(*dsn, db::OpenOptions().timeout_seconds);
  }

  ExitCode try_out() {
    if (const Status given = target_.check(); !given) return report(given.error());
    base::Budget budget;
    const InterruptGuard guard(budget);
    if (const Status launched = target_.launch(budget); !launched) {
      return report(launched.error());
    }
    const ExitCode code = try_out_there(budget);
    target_.shut_down();
    return code;
  }

  ExitCode try_out_there(base::Budget& budget) {
    if (const Status found = target_.find(budget); !found) return report(found.error());
    const Result<std::unique_ptr<db::Database>> database = target_.open(budget);
    if (!database) return report(database.error());
    print(base::printable_line((*database)->version()) + " at isolation " +
          base::printable_name(target_.isolation()) + ": " +
          abilities(target_.info().capabilities) + ignored(target_.info().capabilities) + "\n");
    const int problems = run::try_out(
        **database, target_.info().capabilities,
        [](std::string_view what, const std::string& problem) {
          print("  " + std::string(problem.empty() ? "ok     " : "WRONG  ") +
                std::string(what) +
                (problem.empty() ? "" : ": " + base::printable_line(problem)) + "\n");
        },
        budget);
    if (budget.exhausted()) print("Interrupted; the rest was not tried.\n");
    if (problems > 0) return ExitCode::kViolated;
    if (budget.exhausted()) return ExitCode::kUnknown;
    print("Nothing is wrong. What isolation it gives, isolde run tells.\n");
    return ExitCode::kSuccess;
  }

  CLI::App* try_ = nullptr;
  std::string database_;
  DatabaseArguments target_;
};

}  // namespace

std::unique_ptr<Command> make_databases_command() {
  return std::make_unique<DatabasesCommand>();
}

}  // namespace isolde::cli
