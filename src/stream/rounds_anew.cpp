// Rounds behind a violation (stream/aftermath.hpp).
#include <optional>
#include <utility>

#include "stream/joiner.hpp"
#include "stream/rounds.hpp"

namespace isolde::stream {

bool Rounds::can_begin_anew() const {
  const bool is_lost = violation_ || finds_no_order_;
  // What was left out may be read for ever, and takes memory.
  constexpr std::size_t kMostCells = std::size_t{1} << 23;
  if (aftermath_ && aftermath_->state().cells.size() > kMostCells) return false;
  return is_lost &&
         implies(options_.level, Level::kStrongReadAtomic, /*sessions_respect_time=*/false);
}

Status Rounds::begin_anew() {
  Joiner joiner;
  apart_.add_to(joiner);
  const Result<History> apart = joiner.finish();
  if (!apart) return apart.error();
  if (!budget_.spend(apart->op_count() + open_.op_count() + boundary_.key_count())) {
    return Error{ErrorCode::kLimit, budget_.reason()};
  }
  Aftermath begun(latest_, options_.clock_error_ns, aftermath_ ? &*aftermath_ : nullptr);
  begun.add(*apart);
  begun.add(open_);
  aftermath_ = std::move(begun);
  options_.initial_is_unknown = true;
  begun_behind_ = txn_count_;
  violation_.reset();
  reason_.clear();
  finds_no_order_ = false;
  failures_ = 0;
  boundary_.forget();
  apart_ = PossibleWriters(boundary_, budget_);
  open_ = {};
  begun_.clear();
  last_.clear();
  last_size_ = 0;
  return ok_status();
}

/// Those that came before may violate the level without any other, which was told.
bool Rounds::is_new(const History& violation) const {
  if (begun_behind_ == 0) return true;
  for (std::size_t t = 0; t < violation.txn_count(); ++t) {
    if (violation.position_in_input(TxnId::at(t)) > begun_behind_) return true;
  }
  return false;
}

/// All have come that are left out.
void Rounds::end_wait() {
  aftermath_->settle();
  const std::vector<bool> is_theirs = aftermath_->reads_in(open_);
  Joiner joiner;
  joiner.edit_lists(aftermath_->without_theirs(open_));
  joiner.add(
      open_, Joiner::kOwnNumbers,
      [&](std::size_t i) { return !aftermath_->is_before(open_, TxnId::at(i)); }, kEnterNothing,
      [&](std::size_t, const Op& op) {
        return is_theirs.empty() || !is_theirs[op_place(open_, op)];
      });
  Result<History> left = joiner.finish();
  if (!left) return give_up(left.error().message);
  open_ = std::move(left).value();
}

}  // namespace isolde::stream
