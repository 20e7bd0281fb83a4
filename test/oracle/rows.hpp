// Rows and conditions on columns as docs/LEVELS.md and docs/formats/native.md describe them,
// from the JSON text of a row. Written for the oracle: it shares nothing with
// History::selects() and History::fits() but the record of what was asked and told.
#pragma once

#include "isolde/history.hpp"

namespace isolde::oracle {

/// The predicate selects a row of some key that it selects and that holds this version; null:
/// there is none.
bool meets(const History& history, const PredicateView& predicate, Value version);

/// The read, a kReadMatch, may have returned this version.
bool may_have_returned(const History& history, const Op& read, Value version);

/// The read returned a row of a selection that the predicate cannot have selected: because of
/// its key, or of what was told of it.
bool is_outside(const History& history, const PredicateView& predicate, const Op& read);

}  // namespace isolde::oracle
