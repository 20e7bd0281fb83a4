#include "prop/sentence.hpp"

#include <algorithm>

namespace isolde::prop {
namespace {

constexpr std::size_t kShort = 6;  // lists of up to so many elements are told as they are

std::string counted(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " element" : " elements");
}

}  // namespace

const Op* last_write(const History& history, TxnId txn, KeyId key) {
  const Op* last = nullptr;
  for (const Op& op : history.ops(txn)) {
    if (op.is_write() && op.key == key) last = &op;
  }
  return last;
}

std::size_t others_elements(const History& history, TxnId reader, const Op& read) {
  const auto list = history.list(read);
  std::size_t end = list.size();
  for (const Op& op : history.ops(reader)) {
    if (op.kind != OpKind::kAppend || op.key != read.key) continue;
    const auto own = std::find(list.begin(), list.end(), op.value);
    end = std::min(end, static_cast<std::size_t>(own - list.begin()));
  }
  return end;
}

std::vector<TxnId> sources(const History& history, TxnId reader, const Op& read) {
  std::vector<TxnId> found;
  const auto wrote = [&](auto fits) {
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (txn == reader || history.status(txn) == TxnStatus::kAborted) continue;
      const Op* const last = last_write(history, txn, read.key);
      if (last != nullptr && fits(last->value)) found.push_back(txn);
    }
  };
  if (read.is_partial()) {
    if (history.fits_initial(read)) found.push_back({});
    wrote([&](Value value) { return history.fits(read, value); });
  } else if (read.kind == OpKind::kReadList) {
    const std::size_t end = others_elements(history, reader, read);
    if (end == 0) return {TxnId()};
    wrote([&](Value value) { return value == history.list(read)[end - 1]; });
  } else if (read.value.is_null()) {
    return {TxnId()};
  } else {
    wrote([&](Value value) { return value == read.value; });
  }
  return found;
}

bool Sentence::ends_word(std::string_view words) const {
  if (words.size() >= rest_.size()) return true;
  return std::string_view(" ,;:.)").find(rest_[words.size()]) != std::string_view::npos;
}

bool Sentence::eat(std::string_view words) {
  if (!rest_.starts_with(words)) return false;
  rest_.remove_prefix(words.size());
  return true;
}

bool Sentence::eat(TxnId txn) {
  const std::string_view before = rest_;
  if (this->txn() == txn) return true;
  rest_ = before;
  return false;
}

std::optional<TxnId> Sentence::txn() {
  const std::pair<std::string, TxnId>* best = nullptr;
  for (const auto& name : names_) {
    if (!rest_.starts_with(name.first)) continue;
    if (best == nullptr || name.first.size() > best->first.size()) best = &name;
  }
  if (best == nullptr) return std::nullopt;
  rest_.remove_prefix(best->first.size());
  return best->second;
}

std::string Sentence::key_text(KeyId key) const {
  const Value name = history_.key_name(key);
  return (name.kind() == Value::Kind::kString ? "" : "key ") + history_.text(name);
}

std::optional<KeyId> Sentence::key(KeyId wanted) {
  for (std::size_t k = 0; k < history_.key_count(); ++k) {
    const std::string text = key_text(KeyId::at(k));
    if (wanted.is_some() && wanted != KeyId::at(k)) continue;
    if (!rest_.starts_with(text) || !ends_word(text)) continue;
    rest_.remove_prefix(text.size());
    return KeyId::at(k);
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, std::optional<std::size_t>>> Sentence::texts(
    const Op& op) const {
  const std::string key = key_text(op.key);
  std::string among;
  if (op.kind == OpKind::kReadAbsent || op.kind == OpKind::kReadMatch) {
    const PredicateView selected = history_.predicate(op);
    among = " among " + history_.text(selected);
    const std::string name = history_.text(history_.key_name(op.key));
    const bool is_by_key =
        history_.text(selected) == key || among.ends_with(" rows with key " + name);
    if (is_by_key || (op.kind == OpKind::kReadMatch && selected == Predicate{})) among = "";
  }
  switch (op.kind) {
    case OpKind::kRead:
      if (history_.seen(op).is_null()) return {{"the initial value of " + key, {}}};
      if (op.value.is_null()) {
        return {{"the initial " + key + " = " + history_.text(history_.seen(op)), {}}};
      }
      return {{key + " = " + history_.text(op.value), {}}};
    case OpKind::kReadAbsent:
      return {{"no row " + key + among, {}}};
    case OpKind::kReadExcept:
      if (history_.found_nothing(op)) return {{"no " + key, {}}};
      return {{key + " other than " + history_.text(history_.predicate(op)), {}}};
    case OpKind::kReadMatch: {
      std::string text = "a row " + key;
      if (history_.is_refused_insert(op)) text += " (its insert was refused)";
      const Value either = history_.read_value(op);
      if (!either.is_null()) return {{key + " = " + history_.text(either), {}}};
      std::string row;
      for (const ColumnValue& column : history_.read_columns(op)) {
        row += (row.empty() ? "{" : ", ") + history_.text(column.name) + ": " +
               history_.text(column.value);
      }
      if (!row.empty()) text = key + " = " + row + "}";
      return {{text + among, {}}};
    }
    case OpKind::kReadList:
      break;
    default:
      return {};
  }
  const auto list = history_.list(op);
  if (list.size() <= kShort) {
    std::string text;
    for (const Value element : history_.seen_list(op)) {
      text += (text.empty() ? "" : " ") + history_.text(element);
    }
    return {{key + " = [" + text + "]", {}}};
  }
  std::vector<std::pair<std::string, std::optional<std::size_t>>> all;
  std::string whole;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string one = history_.text(list[i]);
    whole += (i == 0 ? "" : " ") + one;
    if (list.size() <= kShort) continue;
    const bool last = i + 1 == list.size();
    all.push_back({one + " in " + key +
                       (last ? " (the last of " + counted(list.size()) + ")"
                             : " (element " + std::to_string(i + 1) + " of " +
                                   std::to_string(list.size()) + ")"),
                   i});
  }
  all.push_back(
      {key + " up to " + history_.text(list.back()) + " (" + counted(list.size()) + ")", {}});
  return all;
}

namespace {

std::string nth(std::size_t number) {
  const std::size_t tens = number % 100;
  const char* ending = "th";
  if (number % 10 == 1 && tens != 11) ending = "st";
  if (number % 10 == 2 && tens != 12) ending = "nd";
  if (number % 10 == 3 && tens != 13) ending = "rd";
  return std::to_string(number) + ending;
}

}  // namespace

std::optional<Seen> Sentence::seen(TxnId reader, KeyId key) {
  std::string best;
  Seen found;
  const auto ops = history_.ops(reader);
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (key.is_some() && ops[i].key != key) continue;
    for (const auto& [text, element] : texts(ops[i])) {
      if (!rest_.starts_with(text) || !ends_word(text) || text.size() < best.size()) continue;
      if (text != best) found = {{}, element};
      best = text;
      found.ops.push_back(i);
    }
  }
  if (best.empty()) return std::nullopt;
  rest_.remove_prefix(best.size());
  return which(reader, std::move(found));
}

/// " (2nd such read)" after words that several partial reads of the transaction have.
std::optional<Seen> Sentence::which(TxnId reader, Seen found) {
  const bool any_partial =
      std::any_of(found.ops.begin(), found.ops.end(),
                  [&](std::uint32_t op) { return history_.ops(reader)[op].is_partial(); });
  if (!any_partial || found.ops.size() < 2) return found;
  for (std::size_t i = 0; i < found.ops.size(); ++i) {
    if (!eat(" (" + nth(i + 1) + " such read)")) continue;
    return Seen{{found.ops[i]}, found.element};
  }
  return std::nullopt;
}

bool Sentence::eat_number_of(TxnId reader, const Op& read) {
  std::vector<const Op*> equal;
  for (const Op& op : history_.ops(reader)) {
    if (op.key == read.key && texts(op) == texts(read)) equal.push_back(&op);
  }
  if (equal.size() < 2) return true;
  const auto at = std::find(equal.begin(), equal.end(), &read);
  return eat(" (" + nth(static_cast<std::size_t>(at - equal.begin()) + 1) + " such read)");
}

bool Sentence::eat_value(TxnId writer, KeyId key) {
  const Op* const last = last_write(history_, writer, key);
  if (last == nullptr) return false;
  return eat_whole(last->is_delete() ? "deletion" : history_.text(last->value));
}

bool Sentence::eat_did(TxnId writer, KeyId key) {
  if (history_.is_list(key)) {
    return eat(" appended ") && eat_value(writer, key) && eat(" to ") &&
           this->key(key).has_value();
  }
  const Op* const last = last_write(history_, writer, key);
  if (last != nullptr && last->is_delete()) {
    return eat(" deleted ") && this->key(key).has_value();
  }
  return eat(" wrote ") && this->key(key).has_value() && eat(" = ") && eat_value(writer, key);
}

bool Sentence::eat_replaced(TxnId writer, KeyId key) {
  const Op* const last = last_write(history_, writer, key);
  if (last != nullptr && last->is_delete()) return eat(" deleted");
  return eat(" replaced by ") && eat_value(writer, key);
}

}  // namespace isolde::prop
