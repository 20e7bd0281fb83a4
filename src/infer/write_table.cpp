#include "infer/write_table.hpp"

#include <bit>

#include "base/assert.hpp"
#include "base/hash.hpp"

namespace isolde::infer {
namespace {

std::uint64_t hash_of(std::uint64_t value, std::uint32_t key) { return base::mix2(value, key); }

}  // namespace

std::size_t WriteTable::NameHash::operator()(const Name& name) const {
  return hash_of(name.value, name.key);
}

WriteTable::WriteTable(const History& history, base::Budget& budget) : history_(&history) {
  // Writers are kept shifted by one bit.
  ISOLDE_CHECK(history.txn_count() < (std::size_t{1} << 31) - 2);
  std::size_t write_count = 0;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    for (const Op& op : history.ops(TxnId::at(t))) write_count += op.is_write() ? 1 : 0;
  }
  cells_.resize(std::bit_ceil(write_count + write_count / 2 + 16));

  // Walking a transaction backwards, the first write of a key met is its final one.
  std::vector<std::uint32_t> seen_in(history.key_count(), kEmpty);
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const std::span<const Op> ops = history.ops(TxnId::at(t));
    if (!budget.spend(ops.size())) return;
    for (std::size_t i = ops.size(); i-- > 0;) {
      const Op& op = ops[i];
      if (!op.is_write()) continue;
      std::uint32_t& seen = seen_in[op.key.raw()];
      const bool is_final = op.kind == OpKind::kAppend || seen != t;
      seen = static_cast<std::uint32_t>(t);
      insert(op.key, op.value, {TxnId::at(t), is_final});
    }
  }
}

const WriteTable::Cell& WriteTable::locate(KeyId key, Value value) const {
  const std::size_t mask = cells_.size() - 1;
  std::size_t at = hash_of(value.bits(), key.raw()) & mask;
  while (cells_[at].writer != kEmpty &&
         (cells_[at].value != value.bits() || cells_[at].key != key.raw())) {
    at = (at + 1) & mask;
  }
  return cells_[at];
}

void WriteTable::insert(KeyId key, Value value, Writer writer) {
  Cell& cell = const_cast<Cell&>(locate(key, value));  // NOLINT: the table is ours to change
  const std::uint32_t packed = (writer.txn.raw() << 1) | (writer.is_final ? 1U : 0U);
  if (cell.writer == kEmpty) {
    cell = {value.bits(), key.raw(), packed};
    return;
  }
  std::vector<Writer>& all = several_[{value.bits(), key.raw()}];
  if (cell.writer != kSeveral) {
    all.push_back({TxnId(cell.writer >> 1), (cell.writer & 1U) != 0});
    cell.writer = kSeveral;
  }
  all.push_back(writer);
}

WriteTable::Answer WriteTable::find(TxnId reader, KeyId key, Value value) const {
  const Cell& cell = locate(key, value);
  if (cell.writer == kEmpty) return {Source::kUnwritten, TxnId::none()};
  if (cell.writer == kSeveral) {
    const std::vector<Writer>& all = several_.at({value.bits(), key.raw()});
    return judge(reader, all.data(), all.size());
  }
  const Writer only{TxnId(cell.writer >> 1), (cell.writer & 1U) != 0};
  return judge(reader, &only, 1);
}

/// Candidates are the transactions that did not abort, other than the reader, whose final value
/// it is. With exactly one, that one was read from: the others are not readable in any
/// execution. With none the read is a violation, whichever of the reasons is named. The same
/// transaction comes twice only when it appended the element twice.
WriteTable::Answer WriteTable::judge(TxnId reader, const Writer* writers,
                                     std::size_t count) const {
  Answer readable{Source::kUnwritten, TxnId::none()};
  Answer intermediate{Source::kUnwritten, TxnId::none()};
  Answer aborted{Source::kUnwritten, TxnId::none()};
  bool own = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Writer& writer = writers[i];
    if (writer.txn == reader) {
      own = true;
    } else if (history_->status(writer.txn) == TxnStatus::kAborted) {
      aborted = {Source::kAborted, writer.txn};
    } else if (!writer.is_final) {
      intermediate = {Source::kIntermediate, writer.txn};
    } else if (readable.txn.is_none()) {
      readable = {Source::kWriter, writer.txn};
    } else {
      return {Source::kAmbiguous, TxnId::none()};
    }
  }
  if (readable.txn.is_some()) return readable;
  if (intermediate.txn.is_some()) return intermediate;
  return own ? Answer{Source::kFuture, reader} : aborted;
}

std::vector<TxnId> WriteTable::candidates(TxnId reader, KeyId key, Value value) const {
  const Cell& cell = locate(key, value);
  if (cell.writer == kEmpty) return {};
  std::vector<Writer> all;
  if (cell.writer == kSeveral) {
    all = several_.at({value.bits(), key.raw()});
  } else {
    all.push_back({TxnId(cell.writer >> 1), (cell.writer & 1U) != 0});
  }
  std::vector<TxnId> found;
  for (const Writer& writer : all) {
    const bool readable = writer.is_final && writer.txn != reader &&
                          history_->status(writer.txn) != TxnStatus::kAborted;
    if (readable) found.push_back(writer.txn);
  }
  return found;
}

}  // namespace isolde::infer
