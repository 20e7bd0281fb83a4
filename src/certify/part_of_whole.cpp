#include "certify/part_of_whole.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <optional>

#include "base/printable.hpp"
#include "base/text.hpp"

namespace isolde::certify {
namespace {

std::string named(std::uint64_t number) { return "#" + base::grouped(number + 1); }

/// What a read says of its key.
struct Said {
  enum class Kind : std::uint8_t { kNothingAtAll, kValues, kOther };
  Kind kind = Kind::kNothingAtAll;
  std::vector<std::string> values = {};  ///< as JSON; none: it found nothing, or an empty list
};

Said said_by(const History& history, const Op& op) {
  Said said{.kind = Said::Kind::kValues};
  std::optional<Value> value;
  if (op.kind == OpKind::kReadUnknown && !history.is_refused_insert(op)) return {};
  if (op.kind == OpKind::kReadList) {
    for (const Value each : history.seen_list(op)) said.values.push_back(history.json(each));
  } else if (op.kind == OpKind::kRead) {
    value = history.seen(op);
  } else if (op.kind == OpKind::kReadMatch && !history.read_value(op).is_null()) {
    value = history.read_value(op);
  } else if (!history.found_nothing(op)) {
    return {.kind = Said::Kind::kOther};
  }
  if (value && !value->is_null()) said.values.push_back(history.json(*value));
  return said;
}

/// What a key held at the start, as JSON.
std::vector<std::string> initial_of(const History& history, KeyId key) {
  std::vector<std::string> contents;
  for (const Value each : history.initial_list(key)) contents.push_back(history.json(each));
  if (const Value held = history.initial(key); !held.is_null()) {
    contents.push_back(history.json(held));
  }
  return contents;
}

/// Where the part tells of a transaction besides, the whole tells the same.
bool is_stated_alike(const History& part, TxnId txn, const History& whole, TxnId other) {
  const DatabaseTimes times = part.database_times(txn);
  const DatabaseTimes there = whole.database_times(other);
  return (times.start == kNoTime || times.start == there.start) &&
         (times.commit == kNoTime || times.commit == there.commit) &&
         (!part.stated_level(txn) || part.stated_level(txn) == whole.stated_level(other));
}

}  // namespace

PartOfWhole::PartOfWhole(const History& part) : part_(part) {
  if (part.has_selections() || part.has_increments()) {
    object("selections and increments are not held against an archive");
  }
  if (part.trusts_versions()) object("versions are not held against an archive");
  for (std::size_t i = 0; i < part.key_count(); ++i) {
    const KeyId key = KeyId::at(i);
    by_name_.emplace(part.json(part.key_name(key)), i);
    keys_.push_back({.name = part.text(key),
                     .initial = initial_of(part, key),
                     .is_list = part.is_list(key)});
  }
  for (std::size_t i = 0; i < part.txn_count(); ++i) note_txn(TxnId::at(i));
}

void PartOfWhole::note_txn(TxnId txn) {
  const Value label = part_.label(txn);
  if (label.kind() != Value::Kind::kInteger || label.as_integer() < 1) {
    return object(
        "its transactions have no numbers (\"id\") by which they could be found there");
  }
  const std::uint64_t number = static_cast<std::uint64_t>(label.as_integer()) - 1;
  // So the order of each session is that of the whole.
  if (!numbers_.empty() && number <= numbers_.rbegin()->first) {
    return object(named(number) + " stands behind " + named(numbers_.rbegin()->first) +
                  ", against the order of numbers");
  }
  numbers_.emplace(number, txn);
  for (const Op& op : part_.ops(txn)) note_op(number, op);
}

void PartOfWhole::note_op(std::uint64_t number, const Op& op) {
  Key& key = keys_[op.key.raw()];
  if (op.is_write()) {
    key.written.insert(part_.json(op.value));
    return;
  }
  for (std::string& value : said_by(part_, op).values) {
    key.read.try_emplace(std::move(value), number);
  }
}

/// By keys of the whole; null: the part does not use it.
std::vector<const PartOfWhole::Key*> PartOfWhole::keys_of(const History& whole) const {
  std::vector<const Key*> keys(whole.key_count());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto found = by_name_.find(whole.json(whole.key_name(KeyId::at(i))));
    if (found != by_name_.end()) keys[i] = &keys_[found->second];
  }
  return keys;
}

/// What the whole does not tell, the part does not tell either. Where it is the part that tells
/// nothing, no read of it may have returned what was there.
void PartOfWhole::compare_initial(const History& whole, const std::vector<const Key*>& keys) {
  std::set<const Key*> told;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const KeyId id = KeyId::at(i);
    if (keys[i] == nullptr || !whole.has_initial(id)) continue;
    const Key& key = *keys[i];
    const std::vector<std::string> there = initial_of(whole, id);
    if (key.initial.empty()) {
      for (const std::string& value : there) {
        const auto read = key.read.find(value);
        if (read == key.read.end()) continue;
        return object(key.name + " held " + base::printable_line(value) +
                      " at the start, which " + named(read->second) +
                      " has read and the bundle does not tell");
      }
    } else if (key.initial != there || key.is_list != !whole.initial_list(id).empty()) {
      return object(key.name + " held something else at the start than the bundle says");
    } else {
      told.insert(&key);
    }
  }
  for (const Key& key : keys_) {
    if (key.initial.empty() || told.contains(&key)) continue;
    return object(key.name + " held nothing at the start, and the bundle says that it did");
  }
}

void PartOfWhole::take_start(const History& registers, std::uint64_t first) {
  came_ = first;
  for (const auto& [number, txn] : numbers_) not_kept_ += number < first ? 1 : 0;
  const std::vector<const Key*> keys = keys_of(registers);
  for (std::size_t i = 0; i < keys.size() && objection_.empty(); ++i) {
    const Value held = registers.initial(KeyId::at(i));
    if (keys[i] == nullptr || held.is_null()) continue;
    const std::string value = registers.json(held);
    const Key& key = *keys[i];
    const auto read = key.read.find(value);
    if (read == key.read.end() || std::ranges::count(key.initial, value) > 0) continue;
    // One of the bundle who was not kept may have written it.
    const bool is_known =
        std::any_of(numbers_.begin(), numbers_.lower_bound(first), [&](const auto& each) {
          return std::ranges::any_of(part_.ops(each.second), [&](const Op& op) {
            return op.is_write() && &keys_[op.key.raw()] == &key &&
                   part_.json(op.value) == value;
          });
        });
    if (is_known) continue;
    object(key.name + " held " + base::printable_line(value) +
           " where the files begin that were kept, so somebody who is not in the bundle wrote "
           "what " +
           named(read->second) + " has read");
  }
}

/// Somebody who is not in the part, and may have taken effect, wrote what was read in it.
void PartOfWhole::look_for_writers(const History& whole, TxnId txn, std::uint64_t number,
                                   const std::vector<const Key*>& keys) {
  if (whole.status(txn) == TxnStatus::kAborted) return;
  for (const Op& op : whole.ops(txn)) {
    const Key* const key = keys[op.key.raw()];
    if (!op.is_write() || key == nullptr || key->read.empty()) continue;
    const auto read = key->read.find(whole.json(op.value));
    if (read == key->read.end()) continue;
    return object(named(number) + ", which is not in the bundle, wrote " +
                  base::printable_line(read->first) + " of " + key->name + ", which " +
                  named(read->second) + " has read");
  }
}

/// What was left out of a list are elements that nobody in the part wrote.
bool PartOfWhole::is_less_of_list(const Key& key, const std::vector<std::string>& all,
                                  const std::vector<std::string>& some) const {
  auto next = some.begin();
  for (const std::string& element : all) {
    const bool is_there = next != some.end() && *next == element;
    const bool is_needed =
        key.written.contains(element) || std::ranges::count(key.initial, element) > 0;
    if (!is_there && is_needed) return false;
    if (is_there) ++next;
  }
  return next == some.end();
}

/// The same, or less of it.
bool PartOfWhole::is_same(const Op& op, const History& whole, const Op& other) const {
  const Key& key = keys_[op.key.raw()];
  if (op.is_write() != other.is_write()) return false;
  if (part_.json(part_.key_name(op.key)) != whole.json(whole.key_name(other.key))) return false;
  if (op.is_write()) {
    return op.kind == other.kind && part_.json(op.value) == whole.json(other.value);
  }
  const Said here = said_by(part_, op);
  const Said there = said_by(whole, other);
  if (here.kind == Said::Kind::kOther || there.kind == Said::Kind::kOther) return false;
  if (here.kind == Said::Kind::kNothingAtAll) return true;
  if (there.kind == Said::Kind::kNothingAtAll) return false;
  const bool is_list = other.kind == OpKind::kReadList;
  if (!here.values.empty() && is_list != (op.kind == OpKind::kReadList)) return false;
  return is_list ? is_less_of_list(key, there.values, here.values)
                 : here.values == there.values;
}

bool PartOfWhole::counts(const History& whole, const Op& op) const {
  if (pattern_.empty()) return true;
  const Value name = whole.key_name(op.key);
  const bool is_number = name.kind() == Value::Kind::kInteger;
  const std::string text = is_number ? whole.json(name) : std::string(whole.pooled_text(name));
  return fnmatch(pattern_.c_str(), text.c_str(), 0) == 0;
}

/// What the whole has in place of it; empty: the same.
std::string PartOfWhole::difference(TxnId txn, const History& whole, TxnId other) const {
  const TxnTimes times = part_.times(txn);
  const TxnTimes there = whole.times(other);
  if (part_.session_name(part_.session_of(txn)) !=
      whole.session_name(whole.session_of(other))) {
    return "another session";
  }
  if (part_.status(txn) != whole.status(other)) return "another outcome";
  if (times.start != there.start || times.end != there.end) return "other times";
  if (!is_stated_alike(part_, txn, whole, other))
    return "another level or other database times";
  const std::span<const Op> ops = part_.ops(txn);
  std::vector<const Op*> others;
  for (const Op& op : whole.ops(other)) {
    if (counts(whole, op)) others.push_back(&op);
  }
  if (ops.size() != others.size()) return "another number of operations";
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!is_same(ops[i], whole, *others[i]))
      return "another operation " + std::to_string(i + 1);
  }
  return {};
}

void PartOfWhole::compare(std::uint64_t number, TxnId txn, const History& whole, TxnId other) {
  const std::string what = difference(txn, whole, other);
  if (what.empty()) {
    ++found_;
  } else {
    object(named(number) + " has " + what + " in the archive");
  }
}

void PartOfWhole::take(const History& whole, std::uint64_t first) {
  came_ = first + whole.txn_count();
  if (!objection_.empty()) return;
  const std::vector<const Key*> keys = keys_of(whole);
  if (first == 0) compare_initial(whole, keys);
  auto next = numbers_.lower_bound(first);
  for (std::size_t t = 0; t < whole.txn_count() && objection_.empty(); ++t) {
    if (next != numbers_.end() && next->first == first + t) {
      compare(next->first, next->second, whole, TxnId::at(t));
      ++next;
    } else {
      look_for_writers(whole, TxnId::at(t), first + t, keys);
    }
  }
}

void PartOfWhole::finish() {
  if (!numbers_.empty() && numbers_.rbegin()->first >= came_) {
    return object(named(numbers_.rbegin()->first) + " is not in the archive, which has " +
                  base::plural(came_, "transaction"));
  }
  if (found_ > 0 || !objection_.empty()) return;
  object(numbers_.empty() ? "it has no transactions"
                          : "all of its transactions were deleted from the archive");
}

}  // namespace isolde::certify
