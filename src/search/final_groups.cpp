// Aggregates in VersionTheory: constraints on the sources of several reads together.
//
// A group is looked at when a source of one of its items is decided. If the sources decided so
// far cannot give its result, whatever the other items read, a few of them are a conflict. A
// tally of each group is kept up to date, so that only a conflict takes a look at all items: an
// audit of a table with a thousand rows has a source decided for each of them. At
// the levels where an order of events tells sources, the final check looks at what the order
// tells of the others; where the result is wrong, the sources that make it so are decided as
// they are, and the conflict follows.
//
// COST: what an item contributes, for each decision about it; linear in a group's items for
// each conflict, and in all items for each final check.
#include <algorithm>

#include "base/assert.hpp"
#include "base/ways.hpp"
#include "search/version_theory.hpp"

namespace isolde::checker {

using solver::Lit;
using solver::Var;

/// Of a read whose source was derived or decided.
std::optional<WriteId> VersionTheory::known_source(std::uint32_t read) const {
  if (derived_.is_found(read)) return derived_.facts[derived_.found_by[read]].source;
  const Lit lit = true_source(read);
  if (lit == Lit()) return std::nullopt;
  return meanings_[lit.var().raw()].source;
}

/// The literals of these items, and a lemma.
void VersionTheory::explain_result(const Groups::Group& group,
                                   const std::vector<std::uint32_t>& needed,
                                   std::vector<Lit>& conflict) {
  Lemma lemma;
  lemma.wrong_result = group.name;
  for (const std::uint32_t place : needed) {
    const std::uint32_t read = group.items[place].read;
    if (derived_.is_found(read)) {
      lemma.facts.push_back(derived_.found_by[read]);
    } else {
      add_once(conflict, true_source(read));
    }
  }
  lemmas_.push_back(std::move(lemma));
}

/// Of the sources that were derived.
void VersionTheory::start_tallies() {
  if (groups().empty()) return;
  groups_of_.resize(seen_.open_reads().size());
  tallies_.reserve(groups().all().size());
  for (const Groups::Group& group : groups().all()) {
    const auto number = static_cast<std::uint32_t>(tallies_.size());
    history::Tally& tally = tallies_.emplace_back(groups().aggregate_of(group));
    for (std::uint32_t place = 0; place < group.items.size(); ++place) {
      const Groups::Item& item = group.items[place];
      if (item.read == Groups::kNone) {
        tally.add(item.known);
      } else if (derived_.is_found(item.read)) {
        const prune::Fact& fact = derived_.facts[derived_.found_by[item.read]];
        tally.add(groups().span_of(group, item, fact.source));
      } else {
        tally.add(item.any);
      }
      if (item.read == Groups::kNone) continue;
      groups_of_[same_as_[item.read]].push_back({number, place, item.any});
    }
    if (!budget_.spend(8 * group.items.size() + 1)) return;
  }
}

/// The read has another chosen source.
void VersionTheory::move_tallies(std::uint32_t read) {
  if (groups().empty()) return;
  const WriteId source = meanings_[chosen_[read].raw()].source;
  for (InGroup& in : groups_of_[read]) {
    const Groups::Group& group = groups().all()[in.group];
    const Groups::Item& item = group.items[in.place];
    if (derived_.is_found(item.read)) continue;
    tallied_.push_back(in.now);
    tallies_[in.group].remove(in.now);
    in.now = groups().span_of(group, item, source);
    tallies_[in.group].add(in.now);
  }
  budget_.spend(8 * groups_of_[read].size());
}

void VersionTheory::move_tallies_back(std::uint32_t read) {
  if (groups().empty()) return;
  std::vector<InGroup>& all = groups_of_[read];
  for (auto in = all.rbegin(); in != all.rend(); ++in) {
    if (derived_.is_found(groups().all()[in->group].items[in->place].read)) continue;
    tallies_[in->group].remove(in->now);
    in->now = tallied_.back();
    tallied_.pop_back();
    tallies_[in->group].add(in->now);
  }
}

/// False when one of the groups with this read cannot have its result.
bool VersionTheory::check_groups(std::uint32_t read, Lit lit, std::vector<Lit>& conflict) {
  for (const InGroup& in : groups_of_[read]) {
    const bool is_possible = tallies_[in.group].allows();
    if (is_possible && base::ways().keep_tallies) continue;
    const Groups::Group& group = groups().all()[in.group];
    const auto needed = groups().explain(
        group, [&](const Groups::Item& item) { return known_source(item.read); },
        [&](const Groups::Item& item) { return !derived_.is_found(item.read); });
    ISOLDE_CHECK(is_possible == !needed.has_value());
    if (!needed) continue;
    explain_result(group, *needed, conflict);
    // A claim about any read says that the transaction took effect.
    add_once(conflict, lit);
    return false;
  }
  return true;
}

/// Requests the source as it is in the current order; false when it is decided.
bool VersionTheory::ask_for(std::uint32_t read, WriteId source) {
  const bool is_new = sources_[read].begin == sources_[read].end;
  if (is_new && !make_sources(read)) return true;  // stopped
  for (std::uint32_t var = sources_[read].begin; var < sources_[read].end; ++var) {
    if (meanings_[var].source != source) continue;
    if (!solver_->is_open(Var(var))) return false;
    wanted_[read] = Var(var);
    solver_->ask(Var(var));
    return true;
  }
  return false;
}

/// The current order is right but for aggregates: has the sources decided that make one wrong.
/// False: all have their results.
bool VersionTheory::ask_for_results(std::vector<std::vector<Lit>>& conflicts) {
  bool any = false;
  for (const Groups::Group& group : groups().all()) {
    if (!took_effect(group.name.txn)) continue;
    if (!stopped_.empty() || budget_.exhausted()) return true;
    const auto needed = groups().explain(
        group,
        [&](const Groups::Item& item) {
          const std::optional<WriteId> known = known_source(item.read);
          return known ? known : std::optional(by_order_[same_as_[item.read]]);
        },
        [&](const Groups::Item& item) { return !known_source(item.read); });
    if (!needed) continue;
    bool asked = false;
    for (const std::uint32_t place : *needed) {
      const std::uint32_t read = group.items[place].read;
      if (known_source(read)) continue;
      asked = ask_for(same_as_[read], by_order_[same_as_[read]]) || asked;
    }
    any = true;
    if (asked) continue;
    // Derived sources say it, or nothing explains the result.
    std::vector<Lit> conflict;
    explain_result(group, *needed, conflict);
    if (seen_.is_doubtful(group.name.txn)) add_once(conflict, effect_lit(group.name.txn));
    conflicts.push_back(std::move(conflict));
    return true;
  }
  return any;
}

}  // namespace isolde::checker
