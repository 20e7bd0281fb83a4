// What there is to say of each anomaly by itself: what happened, and which mechanism of a
// database usually breaks so.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/harm.hpp"

namespace isolde::explain {

struct Lesson {
  std::string_view name;  ///< as in Anomaly
  std::string_view many;  ///< what there is where it occurs: "lost updates"
  Harm harm;
  std::string_view text;   ///< one sentence for somebody who never heard of it, no full stop
  std::string_view cause;  ///< one more: where to look
};

/// One for each name. docs/ANOMALIES.md has the causes, too, in its section "Where to look".
std::span<const Lesson> all_lessons();

/// Their names; docs/ANOMALIES.md has an example of each.
std::vector<std::string_view> anomaly_names();

/// REQUIRES: there is one of that name.
const Lesson& lesson_of(std::string_view name);

/// What occurs, those of one kind together: "dirty reads (aborted reads, G1a, and intermediate
/// reads, G1b)" of two of Lesson::many.
std::vector<std::string> together(std::span<const std::string> names);

}  // namespace isolde::explain
