// What a database said, for counting how often it said so.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isolde::run {

/// A message without what differs from one transaction to the next, so that equal reasons count
/// as one: other numbers than codes become #, quoted parts "...". Codes, which people look up,
/// stay: SQLSTATE 40001, error 1213, HTTP status 503, "database is locked (517)".
std::string reason_class(std::string_view message);

/// How often the database said what.
class ReasonCounts {
 public:
  void add(std::string_view message);
  void add(const ReasonCounts& other);

  /// By class. Where all messages of a class were the same, that message: it is a sentence,
  /// and one with blanks in it is none.
  std::vector<std::pair<std::string, std::uint64_t>> counts() const;

 private:
  struct Row {
    std::uint64_t count = 0;
    std::string message;
    bool is_one = true;  ///< all of them said this
  };
  std::map<std::string, Row> rows_;
};

}  // namespace isolde::run
