#include "io/register_log.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/assert.hpp"
#include "base/budget.hpp"
#include "io/bad_input.hpp"

namespace isolde::io {

std::uint32_t RegisterLog::session(std::string_view name) {
  const auto fresh = static_cast<std::uint32_t>(session_names_.size());
  const auto [entry, inserted] = session_slots_.try_emplace(std::string(name), fresh);
  if (inserted) session_names_.emplace_back(name);
  return entry->second;
}

void RegisterLog::begin(std::uint32_t session, std::uint64_t position) {
  Txn txn;
  txn.session = session;
  txn.position = position;
  txn.op_begin = ops_.size();
  txns_.push_back(txn);
}

void RegisterLog::add(Op op) {
  ISOLDE_ASSERT(!txns_.empty());
  key_bound_ = std::max(key_bound_, std::size_t{op.key.raw()} + 1);
  ops_.push_back(op);
}

bool RegisterLog::writes_only_zeros(std::size_t txn) const {
  const std::size_t begin = txns_[txn].op_begin;
  const std::size_t end = op_end(txn);
  if (begin == end || txns_[txn].status != TxnStatus::kCommitted) return false;
  std::unordered_set<std::uint32_t> keys;
  for (std::size_t at = begin; at < end; ++at) {
    if (ops_[at].kind != OpKind::kWrite || ops_[at].value != Value::integer(0)) return false;
    if (!keys.insert(ops_[at].key.raw()).second) return false;
  }
  return true;
}

void RegisterLog::find_initial_txn() {
  std::vector<std::size_t> first(session_names_.size(), 0);
  std::vector<std::uint32_t> count(session_names_.size(), 0);
  for (std::size_t txn = 0; txn < txns_.size(); ++txn) {
    if (count[txns_[txn].session]++ == 0) first[txns_[txn].session] = txn;
  }
  std::vector<std::size_t> candidates;
  for (std::size_t session = 0; session < session_names_.size(); ++session) {
    if (count[session] == 1 && writes_only_zeros(first[session])) {
      candidates.push_back(first[session]);
    }
  }
  if (candidates.size() == 1) txns_[candidates.front()].initial = true;
}

bool RegisterLog::collect_initial_values(base::Budget& budget) {
  Initial by_default;
  if (rules_.zero_is_initial) by_default.value = Value::integer(0);
  initial_.assign(key_bound_, by_default);
  for (std::size_t txn = 0; txn < txns_.size(); ++txn) {
    if (!budget.spend(1)) return false;
    if (!txns_[txn].initial) continue;
    for (std::size_t at = txns_[txn].op_begin; at < op_end(txn); ++at) {
      if (ops_[at].kind != OpKind::kWrite) continue;
      Initial& initial = initial_[ops_[at].key.raw()];
      initial.value = ops_[at].value;
      initial.written_out = true;
    }
  }
  for (std::size_t txn = 0; txn < txns_.size(); ++txn) {
    if (!budget.spend(op_end(txn) - txns_[txn].op_begin + 1)) return false;
    if (txns_[txn].initial || txns_[txn].status == TxnStatus::kAborted) continue;
    for (std::size_t at = txns_[txn].op_begin; at < op_end(txn); ++at) {
      Initial& initial = initial_[ops_[at].key.raw()];
      if (ops_[at].kind == OpKind::kWrite && ops_[at].value == initial.value) {
        initial.written_again = true;
      }
    }
  }
  return true;
}

bool RegisterLog::take_unwritten_as_initial(base::Budget& budget) {
  std::unordered_set<Version, VersionHash> written = failed_writes_;
  std::vector<bool> is_known(key_bound_, false);
  for (const Op& op : ops_) {
    if (!budget.spend(8)) return false;
    const Initial& initial = initial_[op.key.raw()];
    const bool is_initial = op.value == initial.value && !initial.written_again;
    if (op.kind == OpKind::kWrite) written.insert({op.key, op.value});
    if (op.kind == OpKind::kRead && (op.value.is_null() || is_initial)) {
      is_known[op.key.raw()] = true;
    }
  }
  for (const Op& op : ops_) {
    if (!budget.spend(8)) return false;
    if (op.kind != OpKind::kRead || is_known[op.key.raw()]) continue;
    if (written.contains({op.key, op.value})) continue;
    is_known[op.key.raw()] = true;
    initial_[op.key.raw()] = {.value = op.value};
    ++unwritten_;
  }
  return true;
}

void RegisterLog::note_interpretation() {
  std::vector<std::string>& notes = builder_.origin().notes;
  for (std::size_t txn = 0; txn < txns_.size(); ++txn) {
    if (!txns_[txn].initial) continue;
    notes.push_back("a transaction of session " + session_names_[txns_[txn].session] +
                    " holds the initial state (" +
                    counted(op_end(txn) - txns_[txn].op_begin, "write") +
                    ") and was taken as such, not as a transaction");
  }
  if (unwritten_ > 0) {
    notes.push_back("the initial value of " + counted(unwritten_, "key") +
                    " is not given; a value that was read there and that no transaction wrote "
                    "was taken as the initial one");
  }
  std::uint64_t taken_for_the_write = 0;
  std::uint64_t open = 0;
  for (const Initial& key : initial_) {
    if (key.written_again) ++(key.written_out ? open : taken_for_the_write);
  }
  const std::string again = "a transaction writes the initial value of ";
  if (taken_for_the_write > 0) {
    notes.push_back(again + counted(taken_for_the_write, "key") +
                    "; reads of that value were taken as reads of that write");
  }
  if (open > 0) {
    notes.push_back(
        again + counted(open, "key") +
        ", which the input holds too; a read of that value is of one or the other, so "
        "it was taken to say nothing");
  }
}

void RegisterLog::pass_on_op(std::size_t txn, const Op& op) {
  Initial& initial = initial_[op.key.raw()];
  const bool is_initial = op.value == initial.value && !initial.written_again;
  switch (op.kind) {
    case OpKind::kRead:
      if (is_initial) {
        builder_.read(op.key, Value::null());
      } else if (op.value == initial.value && initial.written_out &&
                 initial.last_writer != txn) {
        builder_.read_unknown(op.key);
      } else if (op.value.is_null() && initial.written_out) {
        // The key had a value from the beginning, so nobody can have found nothing there.
        builder_.read(op.key, builder_.string("nothing"));
      } else {
        builder_.read(op.key, op.value);
      }
      break;
    case OpKind::kWrite:
      initial.last_writer = txn;
      // An aborted write of the initial value cannot be told from the initial state by reads.
      if (txns_[txn].status != TxnStatus::kAborted || !is_initial) {
        builder_.write(op.key, op.value);
      }
      break;
    default:
      builder_.read_unknown(op.key);
      break;
  }
}

bool RegisterLog::pass_on(base::Budget& budget) {
  if (rules_.find_initial) find_initial_txn();
  if (!collect_initial_values(budget)) return false;
  const bool has_initial =
      std::any_of(txns_.begin(), txns_.end(), [](const Txn& txn) { return txn.initial; });
  const bool guesses = rules_.unwritten_is_initial && !has_initial;
  if (guesses && !take_unwritten_as_initial(budget)) return false;
  note_interpretation();
  std::vector<SessionId> sessions(session_names_.size());
  for (std::size_t i = 0; i < txns_.size(); ++i) {
    const Txn& txn = txns_[i];
    if (txn.initial) continue;
    SessionId& session = sessions[txn.session];
    if (session.is_none()) session = builder_.session(session_names_[txn.session]);
    builder_.begin_txn(session, txn.position);
    builder_.set_status(txn.status);
    builder_.set_label(txn.label);
    builder_.set_times(txn.times);
    if (txn.failed > 0) builder_.origin().failed_ops[builder_.txn_count() - 1] = txn.failed;
    for (std::size_t at = txn.op_begin; at < op_end(i); ++at) pass_on_op(i, ops_[at]);
    if (!budget.spend(8 * (op_end(i) - txn.op_begin + 1))) return false;
  }
  return true;
}

}  // namespace isolde::io
