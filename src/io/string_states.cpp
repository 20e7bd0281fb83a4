#include "io/string_states.hpp"

#include <algorithm>

#include "base/budget.hpp"

namespace isolde::io {
namespace {

constexpr std::size_t kUnseen = ~std::size_t{0};
/// More ways to tell equal values apart are not tried.
constexpr std::size_t kChoicesMax = 4096;

void add_once(std::vector<std::size_t>& lengths, std::size_t length) {
  if (std::find(lengths.begin(), lengths.end(), length) == lengths.end()) {
    lengths.push_back(length);
  }
}

}  // namespace

void StringStates::put(std::string_view value, Time time) {
  failed_put(value);
  puts_[value].push_back(time);
  first_write_end_ = std::min(first_write_end_, time.end);
}

void StringStates::failed_put(std::string_view value) {
  puts_[value];
  add_once(put_lengths_, value.size());
  states_.insert(value);
}

void StringStates::append(std::string_view value, Append append, Time time) {
  values_[value].makers.push_back({append, time});
  add_once(value_lengths_, value.size());
  first_write_end_ = std::min(first_write_end_, time.end);
}

void StringStates::failed_append(std::string_view value, Append append) {
  values_[value].failed.push_back(append);
  add_once(value_lengths_, value.size());
}

StringStates::Seen StringStates::see(std::string_view text, Time time, base::Budget& budget) {
  states_.insert(text);
  const auto known = returned_at_.find(text);
  if (known != returned_at_.end()) {
    std::int64_t& last = returned_[known->second].last_start;
    last = std::max(last, time.start);
    return Seen::kUnderstood;
  }
  if (!find_ways(text, budget)) return Seen::kStopped;
  if (places_.back().ways > 1) return Seen::kAmbiguous;
  if (places_.back().ways == 1) learn(text, time);
  return Seen::kUnderstood;
}

/// Fills in the places of the string. A value that was also put counts at the beginning as put.
/// False when the budget is used up.
bool StringStates::find_ways(std::string_view text, base::Budget& budget) {
  places_.assign(text.size() + 1, {});
  places_[0].ways = 1;
  for (const std::size_t length : put_lengths_) {
    if (length <= text.size() && puts_.contains(text.substr(0, length))) {
      places_[length] = {1, length};
    }
  }
  if (!budget.spend(text.size() + put_lengths_.size())) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (places_[at].ways == 0) continue;
    for (const std::size_t length : value_lengths_) {
      if (length > text.size() - at || !values_.contains(text.substr(at, length))) continue;
      if (at == 0 && puts_.contains(text.substr(0, length))) continue;
      Place& behind = places_[at + length];
      behind.ways = static_cast<std::uint8_t>(std::min(2, behind.ways + places_[at].ways));
      behind.from = at;
    }
    if (!budget.spend(value_lengths_.size())) return false;
  }
  return true;
}

/// There is one way to take the string apart.
void StringStates::learn(std::string_view text, Time time) {
  ++strings_;
  bool too_often = false;
  std::size_t base = text.size();
  for (; places_[base].from != base; base = places_[base].from) {
    const std::size_t from = places_[base].from;
    Value& value = values_.find(text.substr(from, base - from))->second;
    if (value.met != strings_) value.times_met = 0;
    value.met = strings_;
    // An append takes effect once, so nothing makes a string that shows it twice.
    too_often = too_often || ++value.times_met > std::max<std::size_t>(1, value.makers.size());
  }
  if (too_often) return;
  returned_at_[text] = returned_.size();
  returned_.push_back({text, base, time.start});
  for (std::size_t at = text.size(); at != base; at = places_[at].from) {
    const std::size_t from = places_[at].from;
    Value& value = values_.find(text.substr(from, at - from))->second;
    const std::string_view before = text.substr(0, from);
    const bool known = std::any_of(
        value.occurrences.begin(), value.occurrences.end(),
        [&](const Occurrence& occurrence) { return occurrence.effect.before == before; });
    if (known) return;  // and then all in front of it, by something that ended sooner
    value.occurrences.push_back({{before, text.substr(0, at)}, base, time.end, false});
    states_.insert(text.substr(0, at));
  }
  const std::string_view put = text.substr(0, base);
  if (!starts_in_two_ways(put)) return;
  std::vector<Occurrence>& alone = values_.find(put)->second.occurrences;
  const bool known =
      std::any_of(alone.begin(), alone.end(), [](const Occurrence& o) { return o.optional; });
  if (!known) alone.push_back({{text.substr(0, 0), put}, 0, time.end, true});
}

/// Whether the same may have been left behind twice, by operations that do the same.
bool StringStates::is_repeatable(const Occurrence& occurrence) const {
  const std::string_view base = occurrence.effect.after.substr(0, occurrence.base);
  const auto put = puts_.find(base);
  if (base.empty() || put == puts_.end()) return false;
  return put->second.size() + (values_.contains(base) ? 1 : 0) > 1;
}

bool StringStates::may_have_made(const Maker& maker, const Occurrence& occurrence) const {
  // The empty string is there before all writes, and never again.
  if (occurrence.effect.before.empty() && first_write_end_ < maker.time.start) return false;
  // One of several that left it behind may have begun after the first of them was seen.
  if (is_repeatable(occurrence)) return true;
  if (occurrence.first_end < maker.time.start) return false;
  // What was returned after the append is not a beginning of what it found.
  const std::string_view before = occurrence.effect.before;
  return std::none_of(returned_.begin(), returned_.end(), [&](const Returned& returned) {
    return returned.last_start > maker.time.end && returned.base == occurrence.base &&
           before.starts_with(returned.text);
  });
}

/// What was returned later then begins with something that was put later.
bool StringStates::may_be_unseen(const Maker& maker) const {
  return std::all_of(returned_.begin(), returned_.end(), [&](const Returned& returned) {
    if (returned.last_start < maker.time.end) return true;
    const std::string_view base = returned.text.substr(0, returned.base);
    if (starts_in_two_ways(base)) return true;
    const auto put = puts_.find(base);
    if (base.empty() || put == puts_.end()) return false;
    return std::any_of(put->second.begin(), put->second.end(),
                       [&](const Time& time) { return time.end > maker.time.start; });
  });
}

bool StringStates::resolve() {
  for (auto& [text, value] : values_) {
    if (resolve(value)) continue;
    unresolved_ = unresolved_.empty() ? text : std::min(unresolved_, text);
  }
  return unresolved_.empty();
}

/// Tries all ways to tell which append made which occurrence. Any of them that explains the
/// strings is a way in which things may have happened; so it must be the only one.
bool StringStates::resolve(Value& value) {
  if (value.makers.empty()) {
    if (!value.failed.empty()) value.makers.push_back({value.failed.front(), {}});
    if (!value.occurrences.empty() && !value.makers.empty()) assign(value, {0});
    return true;
  }
  const std::vector<Occurrence>& occurrences = value.occurrences;
  if (occurrences.empty()) return true;
  const std::size_t makers = value.makers.size();
  if (makers == 1 && !occurrences.front().optional && occurrences.size() == 1) {
    assign(value, {0});
    return true;
  }
  std::vector<std::vector<std::size_t>> options(makers);
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < makers; ++i) {
    for (std::size_t o = 0; o < occurrences.size(); ++o) {
      if (may_have_made(value.makers[i], occurrences[o])) options[i].push_back(o);
    }
    if (may_be_unseen(value.makers[i])) options[i].push_back(kUnseen);
    combinations *= options[i].size();
    if (combinations > kChoicesMax) return false;
  }
  std::vector<std::size_t> choice(makers);
  std::vector<std::size_t> found;
  for (std::size_t number = 0; number < combinations; ++number) {
    std::vector<std::size_t> made(occurrences.size(), 0);
    std::size_t rest = number;
    for (std::size_t i = 0; i < makers; ++i) {
      choice[i] = options[i][rest % options[i].size()];
      rest /= options[i].size();
      if (choice[i] != kUnseen) ++made[choice[i]];
    }
    bool explains = true;
    for (std::size_t o = 0; o < occurrences.size(); ++o) {
      const bool too_few = made[o] == 0 && !occurrences[o].optional;
      const bool too_many = made[o] > 1 && !is_repeatable(occurrences[o]);
      explains = explains && !too_few && !too_many;
    }
    if (!explains) continue;
    if (!found.empty()) return false;
    found = choice;
  }
  // Nothing explains the strings; nor will it with any other effects.
  if (found.empty()) {
    for (std::size_t i = 0; i < makers; ++i) {
      found.push_back(i < occurrences.size() ? i : kUnseen);
    }
  }
  assign(value, found);
  return true;
}

void StringStates::assign(Value& value, const std::vector<std::size_t>& choice) {
  for (std::size_t i = 0; i < choice.size(); ++i) {
    if (choice[i] == kUnseen) continue;
    effects_[value.makers[i].append] = value.occurrences[choice[i]].effect;
  }
}

std::optional<StringStates::Effect> StringStates::effect(Append append) const {
  const auto found = effects_.find(append);
  if (found == effects_.end()) return std::nullopt;
  return found->second;
}

}  // namespace isolde::io
