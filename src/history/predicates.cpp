#include "isolde/predicates.hpp"

#include "base/assert.hpp"
#include "history/predicate_words.hpp"

namespace isolde {
namespace {

Value word_of(std::int64_t number) {
  return Value::from_bits(static_cast<std::uint64_t>(number));
}

Predicate::Bounds bounds_at(const Value* words) {
  return {static_cast<std::int64_t>(words[0].bits()),
          static_cast<std::int64_t>(words[1].bits())};
}

void append(const std::optional<Predicate::Bounds>& bounds, std::vector<Value>& words) {
  if (!bounds) return;
  words.push_back(word_of(bounds->min));
  words.push_back(word_of(bounds->max));
}

}  // namespace

bool PredicateView::Test::passes(Value held) const {
  if (is_null) return held.is_null();
  if (held.is_null()) return false;
  const auto names = [&](std::span<const Value> some) {
    return std::find(some.begin(), some.end(), held) != some.end();
  };
  return (!bounds || bounds->contain(held)) && (!in || names(*in)) && !names(not_in);
}

bool operator==(const PredicateView::Test& a, const PredicateView::Test& b) {
  return a.column == b.column && a.is_null == b.is_null && a.bounds == b.bounds &&
         a.in.has_value() == b.in.has_value() && (!a.in || std::ranges::equal(*a.in, *b.in)) &&
         std::ranges::equal(a.not_in, b.not_in);
}

PredicateView::Test PredicateView::Tests::Iterator::operator*() const {
  Test test;
  if (owned_ != nullptr) {
    test.column = owned_->column;
    test.is_null = owned_->is_null;
    test.bounds = owned_->bounds;
    if (owned_->in) test.in = *owned_->in;
    test.not_in = owned_->not_in;
    return test;
  }
  const history::TestHead head(words_);
  const Value* const lists = words_ + head.lists_begin();
  test.column = head.column;
  test.is_null = head.is_null;
  if (head.has_bounds) test.bounds = bounds_at(words_ + head.bounds_begin());
  if (head.has_in) test.in = std::span<const Value>(lists, head.in);
  test.not_in = {lists + head.in, head.not_in};
  return test;
}

PredicateView::Tests::Iterator& PredicateView::Tests::Iterator::operator++() {
  if (owned_ != nullptr) {
    ++owned_;
  } else {
    words_ += history::TestHead(words_).size();
  }
  return *this;
}

PredicateView::PredicateView(std::span<const Value> words) {
  const history::PredicateHead head(words.front());
  const Value* next = words.data() + 1;
  for (const auto& [has, bounds] :
       {std::pair(head.has_keys, &keys), {head.has_values, &values}}) {
    if (!has) continue;
    *bounds = bounds_at(next);
    next += 2;
  }
  if (head.has_equal) equal = *next;
  tests = Tests(head.tests, words.data() + head.size(), words.data() + words.size());
}

Predicate::Test PredicateView::Test::owned() const {
  Predicate::Test copy;
  copy.column = column;
  copy.is_null = is_null;
  copy.bounds = bounds;
  if (in) copy.in.emplace(in->begin(), in->end());
  copy.not_in.assign(not_in.begin(), not_in.end());
  return copy;
}

Predicate PredicateView::owned() const {
  Predicate copy{keys, values, equal, {}};
  copy.tests.reserve(tests.size());
  for (const Test& test : tests) copy.tests.push_back(test.owned());
  return copy;
}

bool PredicateView::asks_for_columns() const {
  return std::any_of(tests.begin(), tests.end(),
                     [](const Test& test) { return !test.column.is_null(); });
}

bool PredicateView::selects_key(Value name) const {
  return (!keys || keys->contain(name)) &&
         std::all_of(tests.begin(), tests.end(), [&](const Test& test) {
           return !test.column.is_null() || test.passes(name);
         });
}

void PredicateTable::encode(const PredicateView& predicate, std::vector<Value>& words) {
  words.push_back(history::PredicateHead(predicate).word());
  append(predicate.keys, words);
  append(predicate.values, words);
  if (!predicate.equal.is_null()) words.push_back(predicate.equal);
  for (const PredicateView::Test& test : predicate.tests) {
    history::TestHead(test).append(words);
    append(test.bounds, words);
    if (test.in) words.insert(words.end(), test.in->begin(), test.in->end());
    words.insert(words.end(), test.not_in.begin(), test.not_in.end());
  }
}

}  // namespace isolde
