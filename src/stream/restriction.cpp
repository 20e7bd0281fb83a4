#include "stream/restriction.hpp"

#include <fnmatch.h>

#include <utility>
#include <vector>

#include "history/copier.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::stream {

Result<History> restricted(const History& from, const std::function<bool(KeyId)>& keeps) {
  if (from.has_selections()) return from;
  HistoryBuilder builder;
  builder.origin() = from.origin();
  history::Copier copier(from, builder);
  std::vector<KeyId> keys(from.key_count());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const KeyId key = KeyId::at(i);
    if (!keeps(key)) continue;
    keys[i] = copier.key(key);
    copier.initial(key, keys[i]);
  }
  for (std::size_t t = 0; t < from.txn_count(); ++t) {
    copier.begin_txn(TxnId::at(t));
    for (const Op& op : from.ops(TxnId::at(t))) {
      if (!keys[op.key.raw()].is_none()) copier.op(op, keys[op.key.raw()]);
    }
  }
  for (const RecordedEvent& event : from.events()) copier.event(event);
  return builder.finish();
}

bool is_like(const History& history, KeyId key, const std::string& pattern) {
  const Value name = history.key_name(key);
  const bool is_text =
      name.kind() == Value::Kind::kString || name.kind() == Value::Kind::kLiteral;
  const std::string text =
      is_text ? std::string(history.pooled_text(name)) : history.json(name);
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

}  // namespace isolde::stream
