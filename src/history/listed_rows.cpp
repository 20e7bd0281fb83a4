// The rows that selections left out, as operations: at once, when a history is built, or later
// and only where somebody asks for them.
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "history/selections.hpp"
#include "isolde/history.hpp"

namespace isolde {
namespace {

/// At worst, unselected rows number selections times rows. Beyond this number, 4 GiB of them,
/// the history is refused.
constexpr std::size_t kAbsentsMax = std::size_t{1} << 28;

/// Gives what is noted of operations their new numbers.
class NotesMover {
 public:
  NotesMover(std::vector<Increment>& increments, std::vector<LockedRead>& locked,
             std::vector<std::uint32_t>& refused)
      : increments_(increments), locked_(locked), refused_(refused) {}

  /// From number to number. REQUIRES: ascending.
  void move(std::size_t from, std::size_t to) {
    const auto number = static_cast<std::uint32_t>(to);
    if (!increments_.empty() && increments_.front().op == from) {
      increments_.front().op = number;
      increments_ = increments_.subspan(1);
    }
    if (!locked_.empty() && locked_.front().op == from) {
      locked_.front().op = number;
      locked_ = locked_.subspan(1);
    }
    if (!refused_.empty() && refused_.front() == from) {
      refused_.front() = number;
      refused_ = refused_.subspan(1);
    }
  }

 private:
  std::span<Increment> increments_;
  std::span<LockedRead> locked_;
  std::span<std::uint32_t> refused_;
};

/// Finds the rows that each selection left out.
class LeftOut {
 public:
  LeftOut(const History& history, std::size_t selections)
      : selections_(selections), selected_in_(history.key_count(), 0) {}

  /// Appends those of the next selection, which excluded that predicate. Returns whether there
  /// are not too many by now. REQUIRES: the rows that it returned are the last of `ops`.
  bool add(std::span<const KeyId> keys, const Selection& selection, std::uint32_t excluded,
           std::vector<Op>& ops) {
    ++stamp_;
    for (std::size_t row = 0; row < selection.rows; ++row) {
      selected_in_[(ops.end() - 1 - static_cast<std::ptrdiff_t>(row))->key.raw()] = stamp_;
    }
    if (const std::size_t size = ops.size() + keys.size(); size > ops.capacity()) {
      // For all selections, if each leaves out as many: pages that nobody touches cost nothing.
      const std::size_t for_all = size / stamp_ * selections_;
      ops.reserve(std::clamp(for_all + for_all / 8, size + size / 4, 4 * size));
    }
    for (const KeyId key : keys) {
      if (selected_in_[key.raw()] == stamp_) continue;
      ops.push_back({Value::from_bits(excluded), key, OpKind::kReadAbsent});
    }
    count_ += keys.size();
    return count_ <= kAbsentsMax && ops.size() < 0xfffffffeU;
  }
  void skip() { ++stamp_; }

 private:
  std::size_t selections_;
  std::size_t stamp_ = 0;                 // of the last selection, from 1
  std::vector<std::size_t> selected_in_;  // by key: the last selection that returned it
  std::size_t count_ = 0;
};

}  // namespace

/// Puts the absent rows of each selection after the rows that it returned.
Status History::list_rows(std::span<const std::uint32_t> excluded, const ListRows& go_on) {
  ISOLDE_ASSERT(rows_are_unlisted_ && excluded.size() == selections_.size());
  const auto is_aborted = [&](std::size_t txn) {
    return txn_status_[txn] == TxnStatus::kAborted;
  };
  std::vector<Op> writes;
  for (std::size_t txn = 0; txn < txn_count(); ++txn) {
    if (is_aborted(txn)) continue;
    for (std::size_t op = op_begin_[txn]; op < op_begin_[txn + 1]; ++op) {
      if (ops_[op].is_write()) writes.emplace_back(ops_[op]);
    }
  }
  history::RowIndex index(*this, writes);
  LeftOut left_out(*this, selections_.size());
  std::vector<Op> ops;
  std::vector<Value> versions;
  ops.reserve(ops_.size());
  NotesMover notes(increments_, locked_reads_, refused_inserts_);
  std::size_t next = 0;  // of selections_
  for (std::size_t txn = 0; txn < txn_count(); ++txn) {
    const std::size_t end = op_begin_[txn + 1];
    const std::size_t first = op_begin_[txn];
    std::size_t at = first;
    const std::size_t begin = ops.size();
    op_begin_[txn] = static_cast<std::uint32_t>(begin);
    const auto copy_to = [&](std::size_t stop) {
      for (; at < stop; ++at) {
        if (at < op_version_.size() && !op_version_[at].is_null()) {
          versions.resize(ops.size() + 1);
          versions.back() = op_version_[at];
        }
        notes.move(at, ops.size());
        ops.push_back(ops_[at]);
      }
    };
    for (; next < selection_begin_[txn + 1]; ++next) {
      Selection& selection = selections_[next];
      copy_to(first + selection.first);
      selection.first = static_cast<std::uint32_t>(ops.size() - begin);
      copy_to(at + selection.rows);
      const std::size_t before = ops.size();
      if (const KeyId list = index.find_list(selection.predicate); list.is_some()) {
        return Error{ErrorCode::kBadInput,
                     "a selection covers key " + json(key_name(list)) +
                         ", which is a list; selections are of registers"};
      }
      if (is_aborted(txn)) {
        left_out.skip();
      } else if (!left_out.add(index.find(selection.predicate), selection, excluded[next],
                               ops)) {
        return Error{ErrorCode::kBadInput,
                     "the selections leave out more than 2^28 rows in all; split the history"};
      }
      if (go_on && !go_on(index.cost(selection.predicate))) {
        return Error{ErrorCode::kLimit, "stopped while looking for rows that were left out"};
      }
      selection.absents = static_cast<std::uint32_t>(ops.size() - before);
    }
    copy_to(end);
  }
  op_begin_.back() = static_cast<std::uint32_t>(ops.size());
  ops_ = std::move(ops);
  op_version_ = std::move(versions);
  rows_are_unlisted_ = false;
  return ok_status();
}

bool History::rows_may_be_unlisted() const {
  const bool any_list = std::ranges::find(key_is_list_, 1) != key_is_list_.end();
  return !any_list && aggregates_.empty() && increments_.empty() && refused_inserts_.empty() &&
         !origin_.truncated;
}

Status History::list_rows(const ListRows& go_on) {
  if (!rows_are_unlisted_) return ok_status();
  std::vector<std::uint32_t> excluded;
  for (const Selection& selection : selections_) excluded.push_back(selection.predicate);
  const bool has_versions = this->has_versions();
  if (Status status = list_rows(excluded, go_on); !status) return status;
  if (has_versions) op_version_.resize(ops_.size());
  return ok_status();
}

void History::list_rows_for_now(std::span<const LeftOutRow> rows) {
  ISOLDE_ASSERT(rows_are_unlisted_);
  std::vector<Op> ops;
  std::vector<Value> versions;
  ops.reserve(ops_.size() + rows.size());
  if (has_versions()) versions.reserve(ops_.size() + rows.size());
  auto next = rows.begin();
  for (std::size_t t = 0; t < txn_count(); ++t) {
    const std::size_t old_begin = op_begin_[t];
    std::size_t at = old_begin;
    const auto begin = static_cast<std::uint32_t>(ops.size());
    op_begin_[t] = begin;
    const auto copy_to = [&](std::size_t end) {
      for (; at < end; ++at) {
        ops.push_back(ops_[at]);
        if (has_versions()) versions.push_back(op_version_[at]);
      }
    };
    const std::uint32_t first_selection = selection_begin_[t];
    for (std::uint32_t i = first_selection; i < selection_begin_[t + 1]; ++i) {
      Selection& selection = selections_[i];
      const std::size_t first = old_begin + selection.first;
      copy_to(first);
      selection.first = static_cast<std::uint32_t>(ops.size()) - begin;
      copy_to(first + selection.rows);
      const std::size_t before = ops.size();
      for (; next != rows.end() && next->txn == TxnId::at(t) &&
             next->selection == i - first_selection;
           ++next) {
        const bool is_open = next->read.is_null();
        ops.push_back({is_open ? Value::from_bits(selection.predicate) : next->read, next->key,
                       is_open ? OpKind::kReadAbsent : OpKind::kRead});
        if (has_versions()) versions.emplace_back();
      }
      selection.absents = static_cast<std::uint32_t>(ops.size() - before);
    }
    copy_to(op_begin_[t + 1]);
  }
  op_begin_.back() = static_cast<std::uint32_t>(ops.size());
  ISOLDE_ASSERT(next == rows.end());
  ops_ = std::move(ops);
  op_version_ = std::move(versions);
  rows_are_unlisted_ = false;
}

void History::unlist_rows() {
  ISOLDE_ASSERT(!rows_are_unlisted_);
  std::size_t size = 0;
  for (std::size_t t = 0; t < txn_count(); ++t) {
    const std::size_t old_begin = op_begin_[t];
    std::size_t at = old_begin;
    const std::size_t begin = size;
    op_begin_[t] = static_cast<std::uint32_t>(begin);
    const auto keep_to = [&](std::size_t end) {
      for (; at < end; ++at, ++size) {
        ops_[size] = ops_[at];
        if (has_versions()) op_version_[size] = op_version_[at];
      }
    };
    for (std::uint32_t i = selection_begin_[t]; i < selection_begin_[t + 1]; ++i) {
      Selection& selection = selections_[i];
      const std::size_t first = old_begin + selection.first;
      keep_to(first);
      selection.first = static_cast<std::uint32_t>(size - begin);
      keep_to(first + selection.rows);
      at += std::exchange(selection.absents, 0);
    }
    keep_to(op_begin_[t + 1]);
  }
  op_begin_.back() = static_cast<std::uint32_t>(size);
  ops_.erase(ops_.begin() + static_cast<std::ptrdiff_t>(size), ops_.end());
  if (has_versions()) {
    op_version_.erase(op_version_.begin() + static_cast<std::ptrdiff_t>(size),
                      op_version_.end());
  }
  rows_are_unlisted_ = true;
}

}  // namespace isolde
