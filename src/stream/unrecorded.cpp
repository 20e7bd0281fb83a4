#include "stream/unrecorded.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "stream/initial_contents.hpp"
#include "stream/settled_lists.hpp"

namespace isolde::stream {
namespace {

/// What of keys is missing; as JSON, for each history numbers values for itself.
class Missing {
 public:
  Missing(const UnrecordedSearch& search, Boundary& boundary) : boundary_(boundary) {
    const History& round = search.history;
    Written written;
    for (const Op& op : round.all_ops()) {
      if (op.is_write()) written.emplace_back(op.key.raw(), op.value.bits());
    }
    std::ranges::sort(written);
    const std::vector<bool> is_early = may_be_initial(round, search.clock_error_ns);
    for (std::size_t t = 0; t < round.txn_count(); ++t) {
      if (round.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
      for (const Op& op : round.ops(TxnId::at(t))) {
        const std::size_t key = op.key.raw();
        if (op.kind == OpKind::kReadList) {
          note_list(search, op, round.position_in_input(TxnId::at(t)) - 1, written);
          continue;
        }
        const Value seen = op.kind == OpKind::kRead ? round.seen(op) : Value();
        const bool was_there = op.value.is_null() ||
                               (!search.contents.empty() && search.contents[key] == op.value);
        const auto place = static_cast<std::size_t>(&op - round.all_ops().data());
        if (seen.is_null() || (was_there && is_early[place])) continue;
        if (std::ranges::binary_search(written, std::pair(op.key.raw(), seen.bits()))) continue;
        values_[search.keys[key]].insert(round.json(seen));
      }
    }
    note_whole_lists(search.parts);
  }

  bool is_empty() const { return values_.empty(); }
  bool has(Boundary::Key key) const { return values_.contains(key); }

  /// What is in the part is not missing.
  void find_in(const History& part) {
    if (is_empty()) return;
    std::vector<std::set<std::string>*> missing(part.key_count());
    for (std::size_t key = 0; key < part.key_count(); ++key) {
      const KeyId id = KeyId::at(key);
      const auto found = values_.find(boundary_.key(part, id));
      if (found == values_.end()) continue;
      found->second.erase(part.json(part.initial(id)));
      for (const Value element : part.initial_list(id)) {
        found->second.erase(part.json(element));
      }
      missing[key] = &found->second;
    }
    for (const Op& op : part.all_ops()) {
      std::set<std::string>* const values = missing[op.key.raw()];
      if (op.is_write() && values != nullptr) values->erase(part.json(op.value));
    }
    std::erase_if(values_, [](const auto& each) { return each.second.empty(); });
  }

 private:
  using Written = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

  void note_list(const UnrecordedSearch& search, const Op& op, TxnNumber number,
                 const Written& written) {
    const History& round = search.history;
    std::span<const Value> elements = round.list(op);
    const Boundary::Key key = search.keys[op.key.raw()];
    if (!search.fronts.empty()) {
      const std::vector<Value>& front = search.fronts[op.key.raw()].elements;
      const bool begins = elements.size() >= front.size() &&
                          std::equal(front.begin(), front.end(), elements.begin());
      if (begins) elements = elements.subspan(front.size());
    }
    for (const Value element : elements) {
      if (is_nobodys(round, element)) {
        does_not_fit_.emplace(number, key);
      } else if (!std::ranges::binary_search(written,
                                             std::pair(op.key.raw(), element.bits()))) {
        values_[key].insert(round.json(element));
      }
    }
  }

  /// Of lists that do not fit, which the round does not have any more.
  void note_whole_lists(const std::deque<NumberedPart>& parts) {
    for (const NumberedPart& part : parts) {
      const History& history = part.history;
      auto at = does_not_fit_.lower_bound({part.first, Boundary::Key()});
      for (; at != does_not_fit_.end(); ++at) {
        const auto& [number, key] = *at;
        if (number - part.first >= history.txn_count()) break;
        const TxnId txn = TxnId::at(static_cast<std::size_t>(number - part.first));
        for (const Op& op : history.ops(txn)) {
          if (op.kind != OpKind::kReadList || boundary_.key(history, op.key) != key) continue;
          const std::vector<Value> elements = history.seen_list(op);
          const std::uint64_t start = boundary_.start_length(key);
          for (std::size_t i = static_cast<std::size_t>(start); i < elements.size(); ++i) {
            values_[key].insert(history.json(elements[i]));
          }
        }
      }
    }
  }

  Boundary& boundary_;
  std::map<Boundary::Key, std::set<std::string>> values_;
  std::set<std::pair<TxnNumber, Boundary::Key>> does_not_fit_;
};

}  // namespace

Result<Unrecorded> find_unrecorded(const UnrecordedSearch& search, Boundary& boundary) {
  Unrecorded result;
  Missing missing(search, boundary);
  for (const NumberedPart& part : search.parts) missing.find_in(part.history);
  const bool has_all = search.parts.empty() || search.parts.front().first == 0;
  if (!missing.is_empty() && !has_all && search.reread) {
    result.has_reread = true;
    const Status read =
        search.reread([&](const History& part, TxnNumber) { missing.find_in(part); });
    if (!read) return read.error();
  }
  if (missing.is_empty()) return result;
  for (const Boundary::Key key : search.keys) result.is_key.push_back(missing.has(key));
  return result;
}

}  // namespace isolde::stream
