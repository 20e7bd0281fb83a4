#include "explain/lists.hpp"

#include <algorithm>

#include "explain/phrase.hpp"
#include "history/texts.hpp"

namespace isolde::explain {
namespace {

constexpr std::size_t kShownWhole = 8;
constexpr std::size_t kShownFirst = 2;
constexpr std::size_t kShownLast = 3;
constexpr std::size_t kTold = 4;      // elements that are missing at the end, one by one
constexpr std::size_t kInCommon = 3;  // that make it worth to tell two lists as one

std::span<const Value> list_at(const History& history, OpRef ref) {
  return history.list(op_at(history, ref));
}

/// "the first 12 elements of", "the first element of".
std::string first(std::size_t count) {
  return count == 1 ? "first element" : "first " + elements(count);
}

}  // namespace

std::string elements(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " element" : " elements");
}

ListDifference difference(std::span<const Value> base, std::span<const Value> list) {
  const std::size_t shorter = std::min(base.size(), list.size());
  ListDifference found;
  while (found.prefix < shorter && base[found.prefix] == list[found.prefix]) ++found.prefix;
  const auto same_from_behind = [&](std::size_t count) {
    return base[base.size() - 1 - count] == list[list.size() - 1 - count];
  };
  while (found.prefix + found.suffix < shorter && same_from_behind(found.suffix)) {
    ++found.suffix;
  }
  const auto between = [&found](std::span<const Value> all) {
    return all.subspan(found.prefix, all.size() - found.prefix - found.suffix);
  };
  found.removed = between(base);
  found.added = between(list);
  return found;
}

std::vector<Value> applied(std::span<const Value> base, const ListDifference& difference) {
  const std::span<const Value> begin = base.first(difference.prefix);
  const std::span<const Value> end = base.last(difference.suffix);
  std::vector<Value> list(begin.begin(), begin.end());
  list.insert(list.end(), difference.added.begin(), difference.added.end());
  list.insert(list.end(), end.begin(), end.end());
  return list;
}

std::string list_text(const History& history, std::span<const Value> list,
                      std::span<const Value> marked) {
  std::vector<std::uint64_t> sorted;
  for (const Value element : marked) sorted.push_back(element.bits());
  std::sort(sorted.begin(), sorted.end());
  const auto is_shown = [&](std::size_t at) {
    return list.size() <= kShownWhole || at < kShownFirst || at + kShownLast >= list.size() ||
           std::binary_search(sorted.begin(), sorted.end(), list[at].bits());
  };
  std::string text = "[";
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (is_shown(at)) {
      text += (text.size() > 1 ? " " : "") + history.text(list[at]);
    } else if (!text.ends_with(" ...")) {
      text += " ...";
    }
  }
  return text + "]";
}

std::string difference_text(const History& history, std::string_view name,
                            std::span<const Value> base, std::span<const Value> list) {
  const ListDifference differs = difference(base, list);
  const std::string base_name(name);
  const std::string added = list_text(history, differs.added);
  const std::string removed = list_text(history, differs.removed);
  const std::size_t common = differs.prefix + differs.suffix;
  if (differs.added.empty() && differs.removed.empty()) return base_name;
  if (common == 0) return {};
  if (differs.removed.empty() && differs.suffix == 0) return base_name + " + " + added;
  if (differs.removed.empty() && differs.prefix == 0) return added + " + " + base_name;
  if (differs.added.empty() && differs.suffix == 0) {
    if (differs.removed.size() == 1) {
      return base_name + " without its last element " + history.text(differs.removed[0]);
    }
    if (differs.removed.size() <= kTold) {
      return base_name + " without its last " + elements(differs.removed.size()) + ' ' +
             removed;
    }
    return "the " + first(differs.prefix) + " of " + base_name + ", up to " +
           history.text(list.back());
  }
  if (common < kInCommon || differs.removed.size() > 2 * common) return {};
  const std::string place = differs.prefix == 0 ? std::string(" at its beginning")
                                                : " behind its " + first(differs.prefix);
  if (differs.added.empty()) return base_name + " without " + removed + place;
  if (differs.removed.empty()) return base_name + " with " + added + place;
  if (differs.suffix == 0) {
    return "the " + first(differs.prefix) + " of " + base_name + ", then " + added + " where " +
           base_name + " has " + removed;
  }
  return base_name + " with " + added + " in place of " + removed + place;
}

OperationTexts::OperationTexts(const History& history, const Scenario& scenario)
    : history_(history) {
  std::vector<OpRef> reads;  // of lists, in the order of the text
  for (const ScenarioTxn& member : scenario.txns) {
    for (const std::uint32_t op : member.ops) {
      const OpRef ref{member.txn, op};
      if (op_at(history, ref).kind == OpKind::kReadList) reads.push_back(ref);
    }
  }
  std::vector<KeyId> keys;
  for (const OpRef ref : reads) {
    const KeyId key = op_at(history, ref).key;
    if (list_at(history, ref).size() <= kShortList) continue;
    if (named_.try_emplace(key, Named{ref, {}, {}}).second) keys.push_back(key);
  }
  std::vector<KeyId> shared;  // keys whose base helps to tell another read
  for (const KeyId key : keys) {
    Named& base = named_.at(key);
    base.name = "L";
    const bool helps = std::any_of(reads.begin(), reads.end(), [&](OpRef ref) {
      return op_at(history, ref).key == key && !difference_to(base, ref).empty();
    });
    if (helps) {
      shared.push_back(key);
    } else {
      base.name.clear();
    }
  }
  for (std::size_t i = 0; shared.size() > 1 && i < shared.size(); ++i) {
    named_.at(shared[i]).name = "L" + std::to_string(i + 1);
  }
  for (const ScenarioTxn& member : scenario.txns) {
    for (const Op& op : history.ops(member.txn)) {
      if (op.kind != OpKind::kAppend) continue;
      const auto base = named_.find(op.key);
      if (base != named_.end()) base->second.marked.push_back(op.value);
    }
  }
}

const OperationTexts::Named* OperationTexts::base_of(const Op& op) const {
  if (op.kind != OpKind::kReadList) return nullptr;
  const auto base = named_.find(op.key);
  return base == named_.end() ? nullptr : &base->second;
}

/// Empty: it is told by itself.
std::string OperationTexts::difference_to(const Named& base, OpRef ref) const {
  const std::span<const Value> list = list_at(history_, ref);
  const bool is_base = base.read.txn == ref.txn && base.read.op == ref.op;
  if (base.name.empty() || is_base || list.size() <= kShortList) return {};
  return difference_text(history_, base.name, list_at(history_, base.read), list);
}

std::string OperationTexts::of(OpRef ref) const {
  const Op& op = op_at(history_, ref);
  const Named* const base = base_of(op);
  const std::span<const Value> list =
      base == nullptr ? std::span<const Value>() : history_.list(op);
  if (base == nullptr || list.size() <= kShortList) return op_text(history_, ref);
  const std::string read = "r(" + history_.text(op.key) + ")=";
  const std::string differs = difference_to(*base, ref);
  const bool is_base = base->read.txn == ref.txn && base->read.op == ref.op;
  if (!differs.empty() && differs == base->name) return read + differs;
  const std::string count = " (" + elements(list.size()) + ")";
  if (!differs.empty()) return read + differs + count;
  const bool is_named = is_base && !base->name.empty();
  const std::string name = is_named ? base->name + ", which is " : std::string();
  return read + name + list_text(history_, list, base->marked) + count;
}

std::vector<OperationTexts::Told> OperationTexts::of(const ScenarioTxn& member) const {
  std::vector<Told> all;
  const Selection* last = nullptr;
  for (const std::uint32_t op : member.ops) {
    const Selection* const selection = history_.selection_of(member.txn, op);
    if (selection == nullptr) {
      const OpRef ref{member.txn, op};
      all.push_back({{op}, of(ref), is_long(ref)});
    } else if (selection == last) {
      all.back().ops.push_back(op);
    } else {
      all.push_back({{op}, {}, true});
    }
    last = selection;
  }
  for (Told& told : all) {
    const Selection* const selection = history_.selection_of(member.txn, told.ops.front());
    if (selection == nullptr) continue;
    told.text = history::selection_text(history_, member.txn, *selection, told.ops);
  }
  return all;
}

bool OperationTexts::is_long(OpRef ref) const {
  const Op& op = op_at(history_, ref);
  return base_of(op) != nullptr && history_.list(op).size() > kShortList;
}

}  // namespace isolde::explain
