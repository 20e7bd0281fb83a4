#include "stream/settled_lists.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace isolde::stream {
namespace {

/// From where to where lists of a key are cut.
struct Cut {
  ListPrefix from;
  ListPrefix to;
};

/// False: the list does not begin so.
bool cut(const Cut& at, const History& history, std::vector<Value>& elements) {
  const std::uint64_t count = at.to.length - at.from.length;
  if (count == 0) return true;
  if (elements.size() < count) return false;
  const auto end = elements.begin() + static_cast<std::ptrdiff_t>(count);
  if (extended(at.from, history, {elements.begin(), end}) != at.to) return false;
  elements.erase(elements.begin(), end);
  return true;
}

Joiner::EditList edit(std::vector<Cut> cuts) {
  return [cuts = std::move(cuts)](const History& history, KeyId key,
                                  std::vector<Value>& elements) {
    return cut(cuts[key.raw()], history, elements);
  };
}

}  // namespace

bool has_lists(const History& history) {
  for (std::size_t key = 0; key < history.key_count(); ++key) {
    if (history.is_list(KeyId::at(key))) return true;
  }
  return false;
}

bool is_nobodys(const History& part, Value element) {
  return element.kind() == Value::Kind::kLiteral && !part.is_row(element) &&
         part.pooled_text(element) == Joiner::kNobodys;
}

bool appends_nobodys(const History& part) {
  return std::ranges::any_of(part.all_ops(), [&](const Op& op) {
    return op.is_write() && is_nobodys(part, op.value);
  });
}

std::size_t elements_read(const History& history) {
  if (!has_lists(history)) return 0;
  std::size_t count = 0;
  for (const Op& op : history.all_ops()) {
    if (op.kind == OpKind::kReadList) count += history.list(op).size();
  }
  return count;
}

Joiner::EditList cut_to_settled(const History& part, Boundary& boundary,
                                bool initial_is_unknown) {
  if (!boundary.has_lists()) return {};
  std::vector<Cut> cuts(part.key_count());
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const Boundary::Key key = boundary.key(part, KeyId::at(i));
    if (!initial_is_unknown || boundary.is_known(key)) cuts[i].to = boundary.list(key);
  }
  return edit(std::move(cuts));
}

Joiner::EditList cut_further(const History& round, Boundary& boundary,
                             const ListsBefore& before) {
  if (before.empty()) return {};
  std::vector<Cut> cuts(round.key_count());
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const Boundary::Key key = boundary.key(round, KeyId::at(i));
    const auto known = before.find(Boundary::place(key));
    if (known != before.end()) cuts[i] = {known->second, boundary.list(key)};
  }
  return edit(std::move(cuts));
}

Joiner::EditList cut_to_fronts(const std::vector<ListFront>& fronts) {
  if (fronts.empty()) return {};
  return [&fronts](const History&, KeyId key, std::vector<Value>& elements) {
    const ListFront& front = fronts[key.raw()];
    if (!front.must_fit) return true;
    const auto count = static_cast<std::ptrdiff_t>(front.elements.size());
    const bool begins =
        front.is_told && elements.size() >= front.elements.size() &&
        std::equal(front.elements.begin(), front.elements.end(), elements.begin());
    if (begins) elements.erase(elements.begin(), elements.begin() + count);
    return begins;
  };
}

std::string mixed_key(const History& part, Boundary& boundary) {
  std::vector<bool> is_settled_list(part.key_count());
  for (std::size_t i = 0; i < part.key_count(); ++i) {
    const KeyId id = KeyId::at(i);
    const Boundary::Key key = boundary.key(part, id);
    if (part.is_list(id) && !boundary.holds_nothing(key)) return part.text(id);
    is_settled_list[i] = !part.is_list(id) && boundary.list(key).length > 0;
  }
  for (const Op& op : part.all_ops()) {
    const bool is_nothing = op.kind == OpKind::kRead && op.value.is_null();
    if (is_settled_list[op.key.raw()] && op.uses_item() && !is_nothing) {
      return part.text(op.key);
    }
  }
  return {};
}

}  // namespace isolde::stream
