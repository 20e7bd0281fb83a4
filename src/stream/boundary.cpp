#include "stream/boundary.hpp"

#include <xxhash.h>

#include <array>
#include <charconv>
#include <utility>

#include "base/assert.hpp"

namespace isolde::stream {
namespace {

bool is_text(Value value) {
  return value.kind() == Value::Kind::kString || value.kind() == Value::Kind::kLiteral;
}

/// What an integer is in checksums: the letter keeps it apart from texts.
std::string_view tagged(std::int64_t number, std::array<char, 24>& into) {
  into[0] = 'i';
  const auto end = std::to_chars(into.data() + 1, into.data() + into.size(), number);
  return {into.data(), static_cast<std::size_t>(end.ptr - into.data())};
}

std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

/// A value that is a text, in checksums.
std::string tagged(Value::Kind kind, std::string_view text) {
  return std::string(kind == Value::Kind::kString ? "s" : "l").append(text);
}

/// A chain as numbers that any history can have: its halves.
constexpr int kHalf = 32;

}  // namespace

ListPrefix extended(ListPrefix prefix, const History& history,
                    std::span<const Value> elements) {
  std::array<char, 24> digits{};
  for (const Value element : elements) {
    prefix.chain =
        is_text(element)
            ? hash_of(tagged(element.kind(), history.pooled_text(element)), prefix.chain)
            : hash_of(tagged(element.as_integer(), digits), prefix.chain);
  }
  prefix.length += elements.size();
  return prefix;
}

/// Of the checksum.
std::uint64_t Boundary::share(std::uint32_t at) const {
  if (at < lists_.size() && lists_[at].length > 0) {
    const ListPrefix& list = lists_[at];
    return hash_of("a" + std::to_string(list.length) + ":" + std::to_string(list.chain),
                   name_hashes_[at]);
  }
  const Value value = held_[at];
  if (value.is_null()) return 0;
  std::array<char, 24> digits{};
  if (!is_text(value)) return hash_of(tagged(value.as_integer(), digits), name_hashes_[at]);
  return hash_of(tagged(value.kind(), held_texts_[at]), name_hashes_[at]);
}

Boundary::Key Boundary::key(const History& history, KeyId key) {
  const Value name = history.key_name(key);
  const auto next = static_cast<std::uint32_t>(held_.size());
  Key entered;
  if (is_text(name)) {
    // What a literal says is never what a string says.
    std::string text = tagged(name.kind(), history.pooled_text(name));
    const auto [known, is_new] = texts_.try_emplace(std::move(text), next);
    entered.at_ = known->second;
    if (is_new) name_hashes_.push_back(hash_of(known->first));
  } else {
    const auto [known, is_new] = numbers_.try_emplace(name.as_integer(), next);
    entered.at_ = known->second;
    std::array<char, 24> digits{};
    if (is_new) name_hashes_.push_back(hash_of(tagged(name.as_integer(), digits)));
  }
  if (entered.at_ == next) {
    held_.emplace_back();
    is_empty_.push_back(false);
  }
  return entered;
}

std::vector<Boundary::Key> Boundary::keys(const History& history) {
  std::vector<Key> all;
  all.reserve(history.key_count());
  for (std::size_t at = 0; at < history.key_count(); ++at) {
    all.push_back(key(history, KeyId::at(at)));
  }
  return all;
}

Value Boundary::held(Key key, HistoryBuilder& builder) const {
  const Value value = held_[key.at_];
  if (!is_text(value)) return value;
  const std::string& text = held_texts_[value.slot()];
  return value.kind() == Value::Kind::kString ? builder.string(text) : builder.literal(text);
}

void Boundary::hold(Key key, const History& history, Value value) {
  sum_ -= share(key.at_);
  if (is_text(value)) {
    if (held_texts_.size() < held_.size()) held_texts_.resize(held_.size());
    held_texts_[key.at_] = history.pooled_text(value);
    value = Value::pooled(value.kind(), key.at_);
  }
  held_[key.at_] = value;
  sum_ += share(key.at_);
}

void Boundary::append(Key key, const History& history, std::span<const Value> elements) {
  if (elements.empty()) return;
  ISOLDE_CHECK(holds_nothing(key));
  if (lists_.size() <= key.at_) lists_.resize(held_.size());
  sum_ -= share(key.at_);
  lists_[key.at_] = extended(lists_[key.at_], history, elements);
  sum_ += share(key.at_);
}

void Boundary::begin_list(Key key, ListPrefix list) {
  ISOLDE_CHECK(!is_known(key));
  is_empty_[key.at_] = true;
  const std::uint64_t start = list.length - this->list(key).length;
  if (start > 0) {
    if (start_lengths_.size() <= key.at_) start_lengths_.resize(key.at_ + 1);
    start_lengths_[key.at_] = start;
  }
  if (list.length == 0) return;
  if (lists_.size() <= key.at_) lists_.resize(held_.size());
  sum_ -= share(key.at_);
  lists_[key.at_] = list;
  sum_ += share(key.at_);
}

void Boundary::forget() {
  held_.assign(held_.size(), Value());
  is_empty_.assign(held_.size(), false);
  held_texts_.clear();
  lists_.clear();
  start_lengths_.clear();
  sum_ = 0;
}

std::vector<std::uint32_t> Boundary::known_empty() const {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t at = 0; at < held_.size(); ++at) {
    if (is_empty_[at] && held_[at].is_null()) keys.push_back(at);
  }
  return keys;
}

bool Boundary::restore_known_empty(const std::vector<std::uint32_t>& keys) {
  for (const std::uint32_t at : keys) {
    if (at >= held_.size()) return false;
    is_empty_[at] = true;
  }
  return true;
}

bool Boundary::restore_start_lengths(std::vector<std::uint64_t> lengths) {
  if (lengths.size() > held_.size()) return false;
  start_lengths_ = std::move(lengths);
  return true;
}

Result<History> Boundary::contents(const HistoryOrigin& origin) const {
  struct Name {
    const std::string* text = nullptr;
    std::int64_t number = 0;
  };
  std::vector<Name> names(held_.size());
  for (const auto& [number, at] : numbers_) names[at].number = number;
  for (const auto& [text, at] : texts_) names[at].text = &text;
  HistoryBuilder builder;
  builder.origin() = origin;
  for (std::uint32_t at = 0; at < names.size(); ++at) {
    const Name& name = names[at];
    Key key;
    key.at_ = at;
    Value written = Value::integer(name.number);
    if (name.text != nullptr) {
      const std::string_view text = std::string_view(*name.text).substr(1);
      written = name.text->front() == 's' ? builder.string(text) : builder.literal(text);
    }
    const KeyId id = builder.key(written);
    if (!holds_nothing(key)) builder.set_initial(id, held(key, builder));
    const ListPrefix prefix = list(key);
    if (prefix.length == 0) continue;
    const std::array numbers{
        Value::integer(static_cast<std::int64_t>(prefix.length)),
        Value::integer(static_cast<std::int64_t>(prefix.chain >> kHalf)),
        Value::integer(static_cast<std::int64_t>(prefix.chain << kHalf >> kHalf))};
    builder.set_initial_list(id, numbers);
  }
  return builder.finish();
}

bool Boundary::restore(const History& contents) {
  ISOLDE_CHECK(held_.empty());
  for (std::size_t i = 0; i < contents.key_count(); ++i) {
    const KeyId id = KeyId::at(i);
    const Key entered = key(contents, id);
    if (!contents.initial(id).is_null()) hold(entered, contents, contents.initial(id));
    const std::span<const Value> numbers = contents.initial_list(id);
    if (numbers.empty()) continue;
    std::array<std::uint64_t, 3> told{};
    if (numbers.size() != told.size()) return false;
    for (std::size_t at = 0; at < told.size(); ++at) {
      const bool is_number = numbers[at].kind() == Value::Kind::kInteger;
      if (!is_number || numbers[at].as_integer() < 0) return false;
      told[at] = static_cast<std::uint64_t>(numbers[at].as_integer());
    }
    if (told[0] == 0 || (told[1] | told[2]) >> kHalf != 0) return false;
    lists_.resize(held_.size());
    lists_[entered.at_] = {told[0], told[1] << kHalf | told[2]};
    sum_ += share(entered.at_);
  }
  return true;
}

}  // namespace isolde::stream
