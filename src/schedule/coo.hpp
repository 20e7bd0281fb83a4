// The classes of anomalies of Coo (Li, Chen, Li: "Coo: Consistency Check for Transactional
// Databases", arXiv 2206.14602) and of its tool 3TS-Coo, each as the shortest interleaving that
// shows it, in several forms: on registers, on lists, by conditions, with deletions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/status.hpp"

namespace isolde::schedule {

struct CooClass {
  std::string_view name;  ///< Coo's, in lower case with hyphens
  /// RAT, WAT or IAT: anomalies of reads, of writes, and of what only intersects.
  std::string_view kind;
  /// From T1 to T2, and so on around to T1: "rw x, wr y".
  std::string_view edges;
  /// "R1x W2x C2 W1x C1": read, write, commit and abort by transaction and item. Transactions
  /// begin with their first step.
  std::string_view steps;
};

/// The 33 classes in Coo's order, and behind the class that they belong to what the tool has
/// besides.
std::span<const CooClass> coo_classes();

/// What items are, how they are read, and which writes delete.
struct Form {
  std::string_view name;
  std::string_view summary;
  bool lists = false;
  bool conditions = false;
  enum class Deletes : std::uint8_t { kNothing, kFirst, kLast };
  /// Of the writes of each item, which then are rows that are there before. The others insert
  /// or replace.
  Deletes deletes = Deletes::kNothing;
};

std::span<const Form> all_forms();

struct Schedule {
  std::string name;  ///< "lost-update.deletions"
  const CooClass* what;
  const Form* form;
};

/// Each class in each form that differs from the forms before it.
std::vector<Schedule> all_schedules();

/// A class alone is its first form. ERRORS: kUsage, saying where they are listed.
Result<Schedule> find_schedule(std::string_view name);

/// As replay::parse_steps() reads them. A session S writes what will be deleted, T1 is
/// the transaction of session A, T2 that of B and so on, and a session F reads all at the end.
std::string steps_of(const Schedule& schedule);

}  // namespace isolde::schedule
