#include "replay/sources.hpp"

#include <algorithm>

namespace isolde::replay {
namespace {

/// What follows from pairs by joining them; pairs in both orders say nothing and go.
void close(std::vector<char>& known, std::size_t count) {
  for (std::size_t via = 0; via < count; ++via) {
    for (std::size_t a = 0; a < count; ++a) {
      if (known[a * count + via] == 0) continue;
      for (std::size_t b = 0; b < count; ++b) {
        if (known[via * count + b] != 0) known[a * count + b] = 1;
      }
    }
  }
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      if (known[a * count + b] == 0 || known[b * count + a] == 0) continue;
      known[a * count + b] = 0;
      known[b * count + a] = 0;
    }
  }
}

}  // namespace

Sources::Sources(const History& history) : history_(history) {
  find_writers();
  find_reads();
  find_orders();
}

void Sources::find_writers() {
  all_writers_.resize(history_.key_count());
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const bool aborted = history_.status(txn) == TxnStatus::kAborted;
    for (std::uint32_t i = 0; i < history_.ops(txn).size(); ++i) {
      const Op& op = history_.ops(txn)[i];
      if (!op.is_write()) continue;
      std::vector<Writer>& list = all_writers_[op.key.raw()];
      if (list.empty() || list.back().txn != txn) list.push_back({txn, {}, aborted});
      list.back().ops.push_back(i);
    }
  }
  writers_ = all_writers_;
  for (std::vector<Writer>& list : writers_) {
    std::erase_if(list, [](const Writer& writer) { return writer.aborted; });
  }
}

bool Sources::wrote_before(TxnId txn, std::uint32_t op, KeyId key) const {
  const std::span<const Op> ops = history_.ops(txn).first(op);
  return std::any_of(ops.begin(), ops.end(),
                     [key](const Op& own) { return own.is_write() && own.key == key; });
}

void Sources::find_reads() {
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    for (std::uint32_t i = 0; i < history_.ops(txn).size(); ++i) {
      const OpKind kind = history_.ops(txn)[i].kind;
      if (kind == OpKind::kRead) find_read(txn, i);
      if (kind == OpKind::kReadList) find_list_read(txn, i);
      if (history_.ops(txn)[i].is_exclusion()) find_exclusion(txn, i);
    }
  }
}

void Sources::find_read(TxnId txn, std::uint32_t op) {
  const Op& read = history_.ops(txn)[op];
  if (wrote_before(txn, op, read.key)) return;
  ExternalRead found{{txn, op}, read.key, {}};
  for (const Writer& writer : all_writers_[read.key.raw()]) {
    if (read.value.is_null() || writer.txn == txn) continue;
    // The last write of the value is the likelier source: it is what the transaction leaves.
    for (std::size_t i = writer.ops.size(); i-- > 0;) {
      if (history_.ops(writer.txn)[writer.ops[i]].value != read.value) continue;
      found.seen.push_back({writer.txn, writer.ops[i]});
      break;
    }
  }
  if (!read.value.is_null() && found.seen.empty()) return;  // nobody knows from where
  found.ambiguous = found.seen.size() > 1;
  reads_.push_back(std::move(found));
}

void Sources::find_list_read(TxnId txn, std::uint32_t op) {
  const Op& read = history_.ops(txn)[op];
  ExternalRead found{{txn, op}, read.key, {}};
  for (const Value element : history_.list(read)) {
    for (const Writer& writer : all_writers_[read.key.raw()]) {
      if (writer.txn == txn) continue;
      for (const std::uint32_t i : writer.ops) {
        if (history_.ops(writer.txn)[i].value == element) found.seen.push_back({writer.txn, i});
      }
    }
  }
  reads_.push_back(std::move(found));
}

/// What a transaction leaves is its last write of the key.
void Sources::find_exclusion(TxnId txn, std::uint32_t op) {
  const Op& read = history_.ops(txn)[op];
  if (wrote_before(txn, op, read.key)) return;
  Exclusion found{{txn, op}, read.key, history_.fits_initial(read), {}, {}};
  const std::vector<Writer>& list = writers(read.key);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].txn == txn) continue;
    const Value value = history_.ops(list[i].txn)[list[i].ops.back()].value;
    (history_.fits(read, value) ? found.fits : found.others).push_back(i);
  }
  if (!found.initial && found.fits.empty()) return find_dirty_read(txn, op);
  // Initial contents may be what it did not return.
  if (found.others.empty() && found.initial) return;
  exclusions_.push_back(std::move(found));
}

void Sources::find_dirty_read(TxnId txn, std::uint32_t op) {
  const Op& read = history_.ops(txn)[op];
  ExternalRead found{{txn, op}, read.key, {}};
  for (const Writer& writer : all_writers_[read.key.raw()]) {
    if (writer.txn == txn) continue;
    for (const std::uint32_t i : writer.ops) {
      if (!history_.fits(read, history_.ops(writer.txn)[i].value)) continue;
      found.seen.push_back({writer.txn, i});
      break;
    }
  }
  if (found.seen.empty()) return;
  found.ambiguous = found.seen.size() > 1;
  reads_.push_back(std::move(found));
}

std::optional<std::size_t> Sources::position(KeyId key, TxnId txn) const {
  const std::vector<Writer>& list = writers(key);
  const auto found = std::find_if(list.begin(), list.end(),
                                  [txn](const Writer& writer) { return writer.txn == txn; });
  if (found == list.end()) return std::nullopt;
  return static_cast<std::size_t>(found - list.begin());
}

void Sources::find_orders() {
  older_.resize(history_.key_count());
  for (std::size_t k = 0; k < history_.key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    Order& order = older_[k];
    order.count = writers(key).size();
    order.known.assign(order.count * order.count, 0);
    if (history_.is_list(key)) {
      order_list(key, order);
    } else {
      order_registers(key, order);
    }
    close(order.known, order.count);
  }
}

void Sources::order_registers(KeyId key, Order& order) const {
  for (const ExternalRead& read : reads_) {
    if (read.key != key || read.ambiguous || read.seen.empty()) continue;
    const auto from = position(key, read.seen[0].txn);
    const auto to = position(key, read.place.txn);
    if (from && to) order.known[*from * order.count + *to] = 1;
  }
  order_by_readers(key, order);
}

/// What a transaction reads next is newer.
void Sources::order_by_readers(KeyId key, Order& order) const {
  std::vector<std::pair<Place, std::size_t>> seen;  // and from whom
  for (const ExternalRead& read : reads_) {
    if (read.key != key || read.ambiguous || read.seen.empty()) continue;
    if (const auto from = position(key, read.seen[0].txn)) seen.emplace_back(read.place, *from);
  }
  for (const Exclusion& read : exclusions_) {
    const bool is_clear = read.key == key && !read.initial && read.fits.size() == 1;
    if (is_clear) seen.emplace_back(read.place, read.fits[0]);
  }
  std::ranges::sort(seen, {}, [](const auto& each) {
    return std::pair(each.first.txn.raw(), each.first.op);
  });
  for (std::size_t i = 0; i + 1 < seen.size(); ++i) {
    const bool by_one = seen[i].first.txn == seen[i + 1].first.txn;
    if (!by_one || seen[i].second == seen[i + 1].second) continue;
    order.known[seen[i].second * order.count + seen[i + 1].second] = 1;
  }
}

void Sources::order_list(KeyId key, Order& order) const {
  const ExternalRead* longest = nullptr;
  for (const ExternalRead& read : reads_) {
    if (read.key != key || read.seen.empty()) continue;
    if (longest == nullptr || read.seen.size() > longest->seen.size()) longest = &read;
    for (std::size_t i = 0; i + 1 < read.seen.size(); ++i) {
      const auto from = position(key, read.seen[i].txn);
      const auto to = position(key, read.seen[i + 1].txn);
      if (from && to && *from != *to) order.known[*from * order.count + *to] = 1;
    }
  }
  if (longest == nullptr) return;
  const auto last = position(key, longest->seen.back().txn);
  for (std::size_t i = 0; last && i < order.count; ++i) {
    const TxnId txn = writers(key)[i].txn;
    const bool shown = std::any_of(longest->seen.begin(), longest->seen.end(),
                                   [txn](const Place& place) { return place.txn == txn; });
    if (!shown) order.known[*last * order.count + i] = 1;
  }
}

}  // namespace isolde::replay
