#include "stream/unrecorded.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "stream/initial_contents.hpp"

namespace isolde::stream {
namespace {

/// What of keys is missing; as JSON, for each history numbers values for itself.
class Missing {
 public:
  Missing(const UnrecordedSearch& search, Boundary& boundary) : boundary_(boundary) {
    const History& round = search.history;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> written;
    for (const Op& op : round.all_ops()) {
      if (op.is_write()) written.emplace_back(op.key.raw(), op.value.bits());
    }
    std::ranges::sort(written);
    const std::vector<bool> is_early = may_be_initial(round, search.clock_error_ns);
    for (std::size_t t = 0; t < round.txn_count(); ++t) {
      if (round.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
      for (const Op& op : round.ops(TxnId::at(t))) {
        const std::size_t key = op.key.raw();
        const Value seen = op.kind == OpKind::kRead ? round.seen(op) : Value();
        const bool was_there = op.value.is_null() ||
                               (!search.contents.empty() && search.contents[key] == op.value);
        const auto place = static_cast<std::size_t>(&op - round.all_ops().data());
        if (seen.is_null() || (was_there && is_early[place])) continue;
        if (std::ranges::binary_search(written, std::pair(op.key.raw(), seen.bits()))) continue;
        values_[search.keys[key]].insert(round.json(seen));
      }
    }
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
      missing[key] = &found->second;
    }
    for (const Op& op : part.all_ops()) {
      std::set<std::string>* const values = missing[op.key.raw()];
      if (op.is_write() && values != nullptr) values->erase(part.json(op.value));
    }
    std::erase_if(values_, [](const auto& each) { return each.second.empty(); });
  }

 private:
  Boundary& boundary_;
  std::map<Boundary::Key, std::set<std::string>> values_;
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
