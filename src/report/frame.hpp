// The parts of a page that are the same each time. embed.py makes them from assets/ and D3 when
// Isolde is built.
#pragma once

#include <string>
#include <string_view>

namespace isolde::report {

struct Frame {
  std::string_view before;  ///< up to the opening tag of the element that holds the data
  std::string_view behind;  ///< from its closing tag on
};

/// Of pages about one history; only where can_write_pages().
Frame report_frame();
/// Of pages about two.
Frame comparison_frame();
/// Of pages about one database and its isolation settings.
Frame survey_frame();
/// Of the page of a watch, which may ask the server that it came from for news.
Frame watch_frame();

/// The page with the data, an object of JSON, in which '<' becomes an escape: the object cannot
/// end the element that it stands in.
std::string framed(const Frame& frame, std::string_view json);

}  // namespace isolde::report
