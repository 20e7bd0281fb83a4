#include "certify/sum_range.hpp"

#include <map>
#include <set>

#include "certify/level_rules.hpp"
#include "certify/proof_parts.hpp"

namespace isolde::certify {
namespace {

using Wide = SumRange::Wide;

/// The number that a read of a counted key returned, if it tells one.
std::optional<std::int64_t> number_read(const History& history, const Op& op) {
  Value value = history.read_value(op);
  if (op.kind == OpKind::kRead) value = history.seen(op);
  if (value.kind() != Value::Kind::kInteger) return std::nullopt;
  return value.as_integer();
}

class Range {
 public:
  Range(const History& history, const LevelInfo& level, std::int64_t clock_error_ns,
        TxnId reader)
      : history_(history), level_(level), clock_error_ns_(clock_error_ns), reader_(reader) {}

  void find_counted();
  bool read(std::uint32_t op, bool together);
  SumRange add_up();

 private:
  bool in_order(TxnId first, TxnId second) const;

  const History& history_;
  const LevelInfo& level_;
  const std::int64_t clock_error_ns_;
  const TxnId reader_;
  std::set<KeyId> counted_;
  std::set<KeyId> read_;
  SumRange range_;
};

void Range::find_counted() {
  std::set<std::size_t> writes;  // those that belong to an increment
  for (const Increment& each : history_.increments()) {
    counted_.insert(history_.all_ops()[each.op].key);
    writes.insert(each.op + std::size_t{1});
  }
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (history_.status(txn) == TxnStatus::kAborted) continue;
    std::size_t at = history_.first_op(txn);
    for (const Op& op : history_.ops(txn)) {
      if (op.is_write() && !writes.contains(at)) counted_.erase(op.key);
      ++at;
    }
  }
}

/// False when `op` is none of the reads.
bool Range::read(std::uint32_t op, bool together) {
  bool is_among = false;
  std::set<KeyId> changed;
  std::uint32_t at = 0;
  for (const Op& each : history_.ops(reader_)) {
    const std::uint32_t place = at++;
    if (each.is_write()) changed.insert(each.key);
    if (!counted_.contains(each.key) || changed.contains(each.key)) continue;
    const std::optional<std::int64_t> number = number_read(history_, each);
    if (!number || (!together && place != op) || !read_.insert(each.key).second) continue;
    is_among = is_among || place == op;
    range_.keys.push_back(each.key);
    range_.reads.push_back(place);
    range_.found += *number;
    range_.begin += history_.initial(each.key).as_integer();
  }
  return is_among;
}

bool Range::in_order(TxnId first, TxnId second) const {
  // A session guarantee binds reads and updates of the session apart.
  const bool in_session = level_.session_order && !rules(level_).is_apart() &&
                          history_.session_of(first) == history_.session_of(second) &&
                          history_.position_of(first) < history_.position_of(second);
  return in_session || ((level_.real_time || rules(level_).real_time_by_key) &&
                        ended_before(history_, first, second, clock_error_ns_));
}

SumRange Range::add_up() {
  std::map<TxnId, Wide> steps;
  std::size_t txn = 0;
  for (const Increment& each : history_.increments()) {
    while (history_.first_op(TxnId::at(txn)) + history_.ops(TxnId::at(txn)).size() <= each.op) {
      ++txn;
    }
    const TxnId by = TxnId::at(txn);
    if (by == reader_ || history_.status(by) == TxnStatus::kAborted) continue;
    if (read_.contains(history_.all_ops()[each.op].key)) steps[by] += each.by;
  }
  for (const auto& [by, step] : steps) {
    if (in_order(reader_, by)) continue;
    range_.adders.push_back(by);
    const bool is_seen = rules(level_).loses_no_update() &&
                         history_.status(by) == TxnStatus::kCommitted && in_order(by, reader_);
    (is_seen ? range_.before : step < 0 ? range_.less : range_.more) += step;
  }
  return range_;
}

}  // namespace

std::optional<SumRange> sum_range(const History& history, const LevelInfo& level,
                                  std::int64_t clock_error_ns, TxnId txn, std::uint32_t op,
                                  bool together) {
  // What is missing may have added more.
  if (history.origin().truncated || history.open_increments() == 0) return std::nullopt;
  // Versions that rest on each other would lead nowhere. Nobody has asked of mixed levels.
  if (rules(level).is_mixed() || !rules(level).session.all_reads) return std::nullopt;
  const bool reads_apart = !rules(level).loses_no_update() || rules(level).test == Test::kKeys;
  if (together && reads_apart) return std::nullopt;
  Range range(history, level, clock_error_ns, txn);
  range.find_counted();
  if (!range.read(op, together)) return std::nullopt;
  return range.add_up();
}

}  // namespace isolde::certify
