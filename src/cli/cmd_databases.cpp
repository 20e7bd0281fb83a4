// isolde databases [NAME]: the databases that run can drive, or one with its isolation levels.
#include <CLI/CLI.hpp>

#include "cli/command.hpp"
#include "db/driver.hpp"

namespace isolde::cli {
namespace {

std::string abilities(const db::Capabilities& capabilities) {
  std::string text = capabilities.embedded ? "embedded" : "server";
  if (capabilities.sql) text += ", SQL";
  if (capabilities.transactions) text += ", transactions";
  if (capabilities.lists) text += ", lists";
  if (capabilities.compare_and_set) text += ", compare-and-set";
  if (capabilities.endpoints) text += ", several endpoints";
  if (capabilities.sockets) text += ", connections can be cut";
  return text;
}

std::string describe(const db::DatabaseInfo& row) {
  std::string text = std::string(row.name) + "\n  " + std::string(row.summary) + "\n  " +
                     abilities(row.capabilities) + "\n\n  --db " + std::string(row.dsn) +
                     "\n\n  --isolation, the first unless told otherwise:\n";
  for (const db::IsolationInfo& isolation : row.isolations) {
    text += "    " + padded(isolation.name, 28) +
            (isolation.claims ? "promises " + std::string(info(*isolation.claims).name)
                              : "promises no level: " + std::string(isolation.no_claim)) +
            "\n";
    if (!isolation.note.empty()) text += "      " + std::string(isolation.note) + "\n";
  }
  return text;
}

class DatabasesCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& app) override {
    CLI::App* sub = app.add_subcommand(
        "databases", "List the databases that run can drive, or describe one");
    sub->add_option("database", database_, "Name of a database")->type_name("NAME");
    return sub;
  }

  ExitCode run() override {
    if (!database_.empty()) {
      const Result<const db::DatabaseInfo*> row = db::find_database(database_);
      if (!row) return report(row.error());
      print(describe(**row));
      return ExitCode::kSuccess;
    }
    for (const db::DatabaseInfo* row : db::all_databases()) {
      print(padded(row->name, 10) + std::string(row->summary) + "\n" + padded("", 10) +
            std::string(row->dsn) + "\n");
    }
    return ExitCode::kSuccess;
  }

 private:
  std::string database_;
};

}  // namespace

std::unique_ptr<Command> make_databases_command() {
  return std::make_unique<DatabasesCommand>();
}

}  // namespace isolde::cli
