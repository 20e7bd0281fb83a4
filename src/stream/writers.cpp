#include "stream/writers.hpp"

#include <algorithm>
#include <span>

namespace isolde::stream {
namespace {

/// More writers of a value are not told apart: mostly there is one.
constexpr std::size_t kMostWriters = 16;

bool is_number(Value value) { return value.kind() == Value::Kind::kInteger; }

}  // namespace

const Writers::Cell* Writers::Cells::find(const History& history, Value value) const {
  if (is_number(value)) {
    const auto found = numbers.find(value.as_integer());
    return found == numbers.end() ? nullptr : &found->second;
  }
  if (texts.empty() || value.is_null()) return nullptr;
  const auto found = texts.find(history.json(value));
  return found == texts.end() ? nullptr : &found->second;
}

void Writers::look_for(const History& history, Boundary::Key key, Value value) {
  Cells& cells = cells_[key];
  const bool is_new = is_number(value) ? cells.numbers.try_emplace(value.as_integer()).second
                                       : cells.texts.try_emplace(history.json(value)).second;
  size_ += is_new ? 1 : 0;
}

bool Writers::looks_for(const History& history, Boundary::Key key, Value value) const {
  const auto cells = cells_.find(key);
  return cells != cells_.end() && cells->second.find(history, value) != nullptr;
}

void Writers::visit(const History& part, TxnNumber first) {
  std::vector<Cells*> cells(part.key_count());
  const auto cell = [&](KeyId key, Value value) -> Cell* {
    Cells* const here = cells[key.raw()];
    return here == nullptr ? nullptr : const_cast<Cell*>(here->find(part, value));
  };
  for (std::size_t i = 0; i < part.key_count(); ++i) {
    const KeyId key = KeyId::at(i);
    const auto found = cells_.find(boundary_.key(part, key));
    if (found == cells_.end()) continue;
    cells[i] = &found->second;
    if (Cell* const initial = cell(key, part.initial(key))) initial->was_there = true;
    for (const Value element : part.initial_list(key)) {
      if (Cell* const initial = cell(key, element)) initial->was_there = true;
    }
  }
  for (std::size_t t = 0; t < part.txn_count(); ++t) {
    if (part.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    for (const Op& op : part.ops(TxnId::at(t))) {
      Cell* const written = op.is_write() ? cell(op.key, op.value) : nullptr;
      if (written == nullptr) continue;
      if (!written->writers.empty() && written->writers.back() == first + t) continue;
      if (besides_.contains(first + t)) continue;
      if (written->writers.size() == kMostWriters) {
        written->has_more = true;
      } else {
        written->writers.push_back(first + t);
      }
    }
  }
}

Writers::Answer Writers::others(const History& history, KeyId key, Value value,
                                const std::set<TxnNumber>& besides) const {
  const auto cells = cells_.find(boundary_.key(history, key));
  const Cell* const cell = cells == cells_.end() ? nullptr : cells->second.find(history, value);
  if (cell == nullptr) return Answer::kNotKnown;
  const auto is_other = [&](TxnNumber number) { return !besides.contains(number); };
  const std::span<const Value> list = history.initial_list(key);
  const bool is_told =
      history.initial(key) == value || std::ranges::find(list, value) != list.end();
  if ((cell->was_there && !is_told) || std::ranges::any_of(cell->writers, is_other)) {
    return Answer::kSomebody;
  }
  return cell->has_more ? Answer::kNotKnown : Answer::kNobody;
}

}  // namespace isolde::stream
