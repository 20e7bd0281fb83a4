// Whether a server answers, asked in its own protocol.
//
// Just enough of each protocol for one question over loopback without a password, so that
// starting servers needs neither client libraries nor client programs. An open port alone would
// not do: PostgreSQL opens it while it still recovers, and a Galera node while it still copies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace isolde::server {

// Each opens a connection of its own and gives up after about a second.

/// PostgreSQL lets the user in.
bool postgres_answers(std::uint16_t port, std::string_view user, std::string_view database);

/// MariaDB's answer to a query by root: the last column of the first row. Nothing when it did
/// not answer so.
std::optional<std::string> mariadb_query(std::uint16_t port, std::string_view sql);

/// Redis says PONG on its unix socket.
bool redis_answers(const std::string& socket_path);

/// etcd says that it is healthy, which includes that there is a leader.
bool etcd_answers(std::uint16_t port);

}  // namespace isolde::server
