// What isolde watch shows to browsers: one page, which asks its own server for news.
#pragma once

#include <string>
#include <string_view>

namespace isolde::report {

/// The page: assets/watch.html around the status and what was before (watch/status_json.hpp).
/// The same bytes for the same input.
std::string watch_page(std::string_view json);

}  // namespace isolde::report
