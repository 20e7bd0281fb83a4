// What keys hold before the first transaction of a replay: the history's initial contents.
#pragma once

#include <vector>

#include "db/driver.hpp"
#include "isolde/recorder.hpp"
#include "isolde/status.hpp"
#include "replay/numbering.hpp"

namespace isolde::replay {

/// Keys that had contents, of those that operations use, in an order that depends on their
/// names.
std::vector<KeyId> keys_with_contents(const Numbering& numbering);

/// Writes them to the database, in a transaction that nobody records. REQUIRES:
/// database.create() has been called with the numbering's keys. ERRORS: kEnvironment.
Status load_contents(db::Database& database, const Numbering& numbering);

/// The same for the header of the recording. Refers to texts of the history.
std::vector<RecordedContents> recorded_contents(const Numbering& numbering);

}  // namespace isolde::replay
