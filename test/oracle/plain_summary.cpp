#include "oracle/plain_summary.hpp"

#include <algorithm>
#include <set>

namespace isolde::oracle {

using support::PlainHistory;
using support::PlainOp;
using support::PlainTxn;

namespace {

void add_external(Summary& out, const std::string& key, Version seen) {
  out.ops.push_back(static_cast<int>(out.reads.size()));
  out.reads.push_back({key, std::move(seen)});
}

void add_list_read(Summary& out, const PlainOp& op, const Version& own) {
  Version seen = op.list;
  for (std::size_t i = own.size(); i > 0; --i) {
    if (seen.empty() || seen.back() != own[i - 1]) out.contradicts_itself = true;
    if (!seen.empty()) seen.pop_back();
  }
  add_external(out, op.key, std::move(seen));
}

void add_read(Summary& out, const PlainOp& op, const Version& own) {
  if (own.empty()) {
    add_external(out, op.key, op.value.empty() ? Version() : Version(1, op.value));
    return;
  }
  if (own.back() != op.value) out.contradicts_itself = true;
  out.ops.push_back(-1);
}

}  // namespace

Summary summarise(const PlainTxn& txn) {
  Summary out;
  out.txn = &txn;
  for (const PlainOp& op : txn.ops) {
    Version& own = out.writes[op.key];
    switch (op.kind) {
      case OpKind::kWrite:
        own.assign(1, op.value);
        out.ops.push_back(-1);
        break;
      case OpKind::kAppend:
        own.push_back(op.value);
        out.ops.push_back(-1);
        break;
      case OpKind::kRead:
        add_read(out, op, own);
        break;
      case OpKind::kReadList:
        add_list_read(out, op, own);
        break;
      case OpKind::kReadUnknown:
        break;
    }
  }
  std::erase_if(out.writes, [](const auto& write) { return write.second.empty(); });
  return out;
}

bool is_list_key(const PlainHistory& history, const std::string& key) {
  for (const PlainTxn& txn : history) {
    for (const PlainOp& op : txn.ops) {
      if (op.key == key && op.kind == OpKind::kAppend) return true;
    }
  }
  return false;
}

bool is_earlier_in_session(const PlainTxn& a, const PlainTxn& b) {
  // Transactions are numbered in the order of the input, so addresses tell session order.
  return a.session == b.session && &a < &b;
}

// A read with unknown result is no use of a key.
static bool have_common_key(const PlainTxn& a, const PlainTxn& b) {
  std::set<std::string> keys;
  for (const support::PlainOp& op : a.ops) {
    if (op.kind != OpKind::kReadUnknown) keys.insert(op.key);
  }
  return std::any_of(b.ops.begin(), b.ops.end(), [&](const support::PlainOp& op) {
    return op.kind != OpKind::kReadUnknown && keys.contains(op.key);
  });
}

bool must_precede(const PlainTxn& a, const PlainTxn& b, Level level,
                  std::int64_t clock_error_ns) {
  const LevelInfo& row = info(level);
  if (row.session_order && is_earlier_in_session(a, b)) return true;
  if (a.status != TxnStatus::kCommitted) return false;  // may take effect after its end
  const bool binds =
      row.real_time || (row.base == BaseLevel::kPerKeyStrict && have_common_key(a, b));
  return binds && a.times.end != kNoTime && b.times.start != kNoTime &&
         b.times.start - a.times.end > clock_error_ns;
}

bool some_choice(const PlainHistory& history,
                 const std::function<bool(const std::vector<Summary>&)>& holds) {
  for (std::uint32_t choice = 0; choice < (1U << history.size()); ++choice) {
    std::vector<Summary> chosen;
    bool is_possible = true;
    for (std::size_t t = 0; t < history.size() && is_possible; ++t) {
      const bool is_in = (choice >> t & 1U) != 0;
      if (history[t].status == TxnStatus::kCommitted) is_possible = is_in;
      if (history[t].status == TxnStatus::kAborted) is_possible = !is_in;
      if (is_in) chosen.push_back(summarise(history[t]));
    }
    for (const Summary& txn : chosen) is_possible = is_possible && !txn.contradicts_itself;
    if (is_possible && holds(chosen)) return true;
  }
  return false;
}

}  // namespace isolde::oracle
