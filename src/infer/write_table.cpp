#include "infer/write_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.hpp"
#include "base/parallel.hpp"
#include "infer/local_keys.hpp"

namespace isolde::infer {

/// A write whose cell is being prefetched.
struct WriteTable::Pending {
  std::uint64_t hash = 0;
  Value value;
  KeyId key;
  Writer writer;
};

WriteTable::WriteTable(const History& history, base::Budget& budget, unsigned threads)
    : history_(&history), parts_(std::max(threads, 1U)) {
  // Writers are stored shifted by one bit.
  ISOLDE_CHECK(history.txn_count() < (std::size_t{1} << 31) - 2);
  std::size_t write_count = 0;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    for (const Op& op : history.ops(TxnId::at(t))) write_count += op.is_write() ? 1 : 0;
  }
  const std::size_t share = write_count / parts_.size();
  base::run_tasks(threads, parts_.size(), [&](std::size_t number, unsigned worker) {
    parts_[number].cells.resize(share + share / 2 + 16);
    base::BudgetShare work(budget, worker);
    fill(number, work);
    arrange(parts_[number], work);
  });
}

void WriteTable::fill(std::size_t number, base::BudgetShare& budget) {
  constexpr std::size_t kAhead = 16;
  std::array<Pending, kAhead> pending;
  std::size_t count = 0;
  Part& part = parts_[number];
  const auto enter = [&](const Pending& write) {
    part.insert(write.hash, write.key, write.value, write.writer);
  };
  LocalKeys keys;
  std::vector<std::uint8_t> is_overwritten;
  for (std::size_t t = 0; t < history_->txn_count(); ++t) {
    const std::span<const Op> ops = history_->ops(TxnId::at(t));
    if (!budget.spend(ops.size())) return;
    const std::span<const std::uint32_t> first_uses = keys.first_uses(ops);
    is_overwritten.assign(ops.size(), 0);
    // Going backwards, the first write of a key is its final one.
    for (std::size_t i = ops.size(); i-- > 0;) {
      const Op& op = ops[i];
      if (!op.is_write()) continue;
      const bool is_final =
          std::exchange(is_overwritten[first_uses[i]], std::uint8_t{1}) == 0 ||
          op.kind == OpKind::kAppend;
      const std::uint64_t hash = hash_of(op.key, op.value);
      if (number_of_part(hash) != number) continue;
      __builtin_prefetch(&part.cells[part.home(hash)], 1);
      Pending& place = pending[count % kAhead];
      if (count >= kAhead) enter(place);
      place = {hash, op.value, op.key, {TxnId::at(t), is_final}};
      ++count;
    }
  }
  for (std::size_t i = count < kAhead ? 0 : count - kAhead; i < count; ++i) {
    enter(pending[i % kAhead]);
  }
}

/// Readable writers come first, then overwritten ones, then aborted ones; the latter two in
/// reverse order, since the last is named where a read has no other source. So judge() needs to
/// look at only a few, however many there are.
void WriteTable::arrange(Part& part, base::BudgetShare& budget) const {
  const auto is_aborted = [&](const Writer& writer) {
    return history_->status(writer.txn) == TxnStatus::kAborted;
  };
  for (auto& [name, writers] : part.several) {
    if (!budget.spend(writers.size() * 4)) return;
    const auto readable = std::stable_partition(
        writers.begin(), writers.end(), [&](const Writer& each) { return is_readable(each); });
    const auto overwritten = std::stable_partition(
        readable, writers.end(), [&](const Writer& each) { return !is_aborted(each); });
    std::reverse(readable, overwritten);
    std::reverse(overwritten, writers.end());
  }
}

/// The cell with the value, or the free cell for it.
std::size_t WriteTable::Part::place(std::uint64_t hash, KeyId key, Value value) const {
  std::size_t at = home(hash);
  while (cells[at].writer != kEmpty &&
         (cells[at].value != value.bits() || cells[at].key != key.raw())) {
    if (++at == cells.size()) at = 0;
  }
  return at;
}

void WriteTable::Part::insert(std::uint64_t hash, KeyId key, Value value, Writer writer) {
  Cell& cell = cells[place(hash, key, value)];
  const std::uint32_t packed = (writer.txn.raw() << 1) | (writer.is_final ? 1U : 0U);
  if (cell.writer == kEmpty) {
    cell = {value.bits(), key.raw(), packed};
    if (++used * 4 > cells.size() * 3) grow();
    return;
  }
  std::vector<Writer>& all = several[{value.bits(), key.raw()}];
  if (cell.writer != kSeveral) {
    all.push_back(unpacked(cell.writer));
    cell.writer = kSeveral;
  }
  all.push_back(writer);
}

void WriteTable::Part::grow() {
  const std::vector<Cell> old = std::exchange(cells, std::vector<Cell>(cells.size() * 2));
  for (const Cell& cell : old) {
    if (cell.writer == kEmpty) continue;
    const KeyId key(cell.key);
    const Value value = Value::from_bits(cell.value);
    cells[place(hash_of(key, value), key, value)] = cell;
  }
}

bool WriteTable::has_repeats() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return !part.several.empty(); });
}

WriteTable::Answer WriteTable::find(TxnId reader, KeyId key, Value value) const {
  const std::uint64_t hash = hash_of(key, value);
  const Part& part = part_of(hash);
  const Cell& cell = part.cells[part.place(hash, key, value)];
  if (cell.writer == kEmpty) return {Source::kUnwritten, TxnId::none()};
  if (cell.writer == kSeveral) {
    const std::vector<Writer>& all = part.several.at({value.bits(), key.raw()});
    return judge(reader, all.data(), all.size());
  }
  const Writer only = unpacked(cell.writer);
  return judge(reader, &only, 1);
}

/// Candidates are the transactions that did not abort, other than the reader, whose final value
/// it is. If there is exactly one, it was read from: no other is readable in any execution. If
/// there is none, the read is a violation, whichever reason is named. The same transaction
/// comes twice only when it appended the element twice.
WriteTable::Answer WriteTable::judge(TxnId reader, const Writer* writers,
                                     std::size_t count) const {
  Answer readable{Source::kUnwritten, TxnId::none()};
  bool own = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Writer& writer = writers[i];
    if (is_readable(writer)) {
      if (writer.txn == reader) {
        own = true;
      } else if (readable.txn.is_none()) {
        readable = {Source::kWriter, writer.txn};
      } else {
        return {Source::kAmbiguous, TxnId::none()};
      }
      continue;
    }
    if (readable.txn.is_some()) break;
    if (writer.txn == reader) {
      own = true;
    } else if (history_->status(writer.txn) != TxnStatus::kAborted) {
      return {Source::kIntermediate, writer.txn};
    } else {
      return own ? Answer{Source::kFuture, reader} : Answer{Source::kAborted, writer.txn};
    }
  }
  if (readable.txn.is_some()) return readable;
  return own ? Answer{Source::kFuture, reader} : readable;
}

}  // namespace isolde::infer
