// Lists as differences. Two reads of one long list usually differ in a few elements at its end;
// a reader of an explanation wants these, and not to compare columns of numbers.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/evidence.hpp"
#include "explain/scenario.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// What one list has in place of a run of elements of another, the base.
struct ListDifference {
  std::size_t prefix = 0;          ///< elements that both begin with
  std::size_t suffix = 0;          ///< and behind these, elements that both end with
  std::span<const Value> removed;  ///< of the base, between prefix and suffix
  std::span<const Value> added;    ///< of the list, there
};

/// With the longest prefix that both have, and then the longest suffix. The lists outlive it.
ListDifference difference(std::span<const Value> base, std::span<const Value> list);

/// The list that differs so from the base. REQUIRES: made with this base.
std::vector<Value> applied(std::span<const Value> base, const ListDifference& difference);

/// Lists of up to so many elements are told as they are.
inline constexpr std::size_t kShortList = 6;

/// "1 element", "2 elements".
std::string elements(std::size_t count);

/// "[1 2 3 4]". Of a long list only the beginning, the end and, in between, the elements among
/// `marked`, with "..." for what is left out.
std::string list_text(const History& history, std::span<const Value> list,
                      std::span<const Value> marked = {});

/// "L + [5 6]", "L without its last element 4", "the first 12 elements of L, then [5] where L
/// has [7 8]". Empty when the lists have so little in common that the list by itself is
/// clearer.
std::string difference_text(const History& history, std::string_view name,
                            std::span<const Value> base, std::span<const Value> list);

/// How the operations of a scenario are told next to each other: of several reads of one long
/// list the first gets a name, and the others tell how they differ from it.
class OperationTexts {
 public:
  /// What is told together: one operation, or those of one selection.
  struct Told {
    std::vector<std::uint32_t> ops;
    std::string text;
    bool is_long = false;  ///< has many blanks, so that it is better read on a line of its own
  };

  /// Keeps a reference to the history, which outlives it.
  OperationTexts(const History& history, const Scenario& scenario);

  /// In program order: "r(7)=L, which is [1 2 ... 39 40] (40 elements)", "w(x)=1",
  /// "select(keys 1 to 9) -> 5; left out 1, 2".
  std::vector<Told> of(const ScenarioTxn& member) const;

 private:
  std::string of(OpRef ref) const;
  bool is_long(OpRef ref) const;

  struct Named {
    OpRef read;
    std::string name;           ///< empty: no other read is told by it
    std::vector<Value> marked;  ///< elements that transactions of the scenario appended
  };
  const Named* base_of(const Op& op) const;
  std::string difference_to(const Named& base, OpRef ref) const;

  const History& history_;
  std::map<KeyId, Named> named_;  // first long read of each key
};

}  // namespace isolde::explain
