// The names that PostgreSQL has for versions of rows.
//
// A row says which transaction wrote it (xmin; after a savepoint it is a subtransaction) by the
// lower 32 bits of a number that has 64. The upper ones, the epoch, are those of another such
// number of the same moment, whichever is nearest: a server keeps what it has not frozen within
// 2^31 of what it gives out, on either side, so only one whole number is that near. The other
// number is asked for by the statement itself. One that the session had asked for before would
// be too far away after 2^31 transactions.
//
// Behind a write that other number is that of the transaction, pg_current_xact_id(). A read
// must not ask for it: the function gives a number to a transaction that has none, and a
// transaction that only reads would be another one then (it writes to the log when it commits,
// and standbys refuse it). The end of the snapshot does there. That the writer may be past it,
// as one's own writes are, is why the nearest number is meant and not the next one below.
//
// Frozen rows keep xmin since 9.4, for ever: a row of 2^31 transactions ago gets another name
// than its writer did. No run of ours lasts so long.
#pragma once

#include <string>
#include <string_view>

namespace isolde::db {

/// SQL for the whole number nearest to `near` whose lower 32 bits are `in_row`; both are SQL of
/// integers of 64 bits. PostgreSQL and SQLite agree on what it means.
std::string nearest_whole(std::string_view in_row, std::string_view near);

/// sql::Dialect::version and version_behind.
struct VersionTexts {
  std::string read;
  std::string behind;
};

/// `xid8`: the server is at least kFirstWithXid8.
const VersionTexts& version_texts(bool xid8);

/// As in PQserverVersion(): whole numbers have a type of their own, and functions for it, from
/// 13 on. The older functions are still there, but deprecated.
inline constexpr int kFirstWithXid8 = 130000;

}  // namespace isolde::db
