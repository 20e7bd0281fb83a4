// What a database said, for counting how often it said so.
#pragma once

#include <string>
#include <string_view>

namespace isolde::run {

/// A message without what differs from one transaction to the next, so that equal reasons count
/// as one: other numbers than codes become #, quoted parts "...". Codes, which people look up,
/// stay: SQLSTATE 40001, error 1213, HTTP status 503, "database is locked (517)".
std::string reason_class(std::string_view message);

}  // namespace isolde::run
