// The option files of MariaDB's clients (my.cnf), for what a data source name leaves open.
//
// The client library can read them, too, but only while it connects, and over what was set
// before: then a file could take the encryption away that a data source name asks for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "db/dsn.hpp"

namespace isolde::db {

/// By name, with - for _. An option without a value has an empty one.
using ClientOptions = std::map<std::string, std::string>;

/// What the groups of all clients say in the files and in those that they include, the last one
/// said. ERRORS: kUsage for a file that cannot be read or is writable for all users, of which
/// only the path is told.
Result<ClientOptions> read_option_files(const std::vector<std::string>& paths);

/// Those files of the system and of the user that are there, as clients look for them.
std::vector<std::string> usual_option_files();

/// The data source name with what it leaves open as the options have it: server, user,
/// password, database, encryption. What it says itself counts more, and nothing of a server is
/// taken from the options where it names one.
Dsn with_client_options(Dsn dsn, const ClientOptions& options);

}  // namespace isolde::db
