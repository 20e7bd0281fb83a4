// The steps of an interleaving as a script for people: SQL for SQL databases, to be pasted step
// by step into a window for each session; words for others. Like the permutations of
// PostgreSQL's isolationtester and the transcripts of Hermitage.
#pragma once

#include <span>
#include <string>

#include "db/sql.hpp"
#include "replay/interleaving.hpp"
#include "replay/numbering.hpp"

namespace isolde::replay {

struct ScriptOptions {
  std::string source;                     ///< name of the history
  std::string database;                   ///< name in the table of databases
  std::string isolation;                  ///< its own name for it
  const db::sql::Shell* shell = nullptr;  ///< SQL databases; null: words
};

/// `steps` are those of an interleaving of numbering.history(). After each read stands what the
/// history has for it, and what it returns when the transactions run one after the other in the
/// order in which these steps end them.
std::string script(const Numbering& numbering, std::span<const Step> steps,
                   const ScriptOptions& options);

}  // namespace isolde::replay
