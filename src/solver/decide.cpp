// Decisions: the unassigned variable of highest activity (VSIDS, Moskewicz et al. 2001), in a
// binary heap; ties go to the older variable, which keeps runs reproducible. The value is the
// theory's preference (order-guided polarity as in VeriStrong, arXiv 2511.14067).
//
// A variable that no recent conflict involved and that the theory does not need is skipped; it
// leaves the heap until the theory requests it. Conflicts jump back far, over thousands of
// unrelated decisions, and most of these need not be made again.
#include "base/assert.hpp"
#include "solver/solver.hpp"

namespace isolde::solver {

namespace {
constexpr std::uint32_t kNotInHeap = 0xffffffffU;
constexpr double kRescale = 1e100;
/// In units of what a conflict adds: a variable with more was in one of the last hundred or so
/// conflicts, and is decided whether the theory needs it or not.
constexpr double kContested = 0.01;
}  // namespace

bool Solver::decide() {
  while (!heap_.empty()) {
    const Var var = heap_pop();
    if (value(Lit(var, false)) != kUnset) continue;
    if (activity_[var.raw()] <= increment_ * kContested && !theory_.needs(var)) {
      budget_.spend(2);
      continue;
    }
    // Clauses and theory have nothing more to say.
    ISOLDE_ASSERT(propagated_ == trail_.size() && reported_ == trail_.size());
    limits_.push_back(trail_.size());
    const Lit preferred = theory_.prefer(var);
    ISOLDE_ASSERT(preferred.var() == var);
    assign(preferred, ClauseRef::none());
    budget_.spend(4);
    return true;
  }
  return false;
}

void Solver::bump(Var var) {
  activity_[var.raw()] += increment_;
  if (activity_[var.raw()] > kRescale) {
    for (double& activity : activity_) activity /= kRescale;
    increment_ /= kRescale;
  }
  if (heap_place_[var.raw()] == kNotInHeap) return;
  ISOLDE_INVARIANT(heap_[heap_place_[var.raw()]] == var);
  sift_up(heap_place_[var.raw()]);
}

bool Solver::heap_less(Var a, Var b) const {
  const double difference = activity_[a.raw()] - activity_[b.raw()];
  return difference > 0 || (difference == 0 && a < b);
}

void Solver::heap_insert(Var var) {
  if (heap_place_[var.raw()] != kNotInHeap) return;
  heap_place_[var.raw()] = static_cast<std::uint32_t>(heap_.size());
  heap_.push_back(var);
  sift_up(heap_.size() - 1);
}

Var Solver::heap_pop() {
  ISOLDE_ASSERT(!heap_.empty());
  const Var top = heap_.front();
  ISOLDE_INVARIANT(heap_place_[top.raw()] == 0);
  heap_place_[top.raw()] = kNotInHeap;
  const Var last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) {
    heap_.front() = last;
    heap_place_[last.raw()] = 0;
    sift_down(0);
  }
  return top;
}

void Solver::sift_up(std::size_t at) {
  const Var var = heap_[at];
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (!heap_less(var, heap_[parent])) break;
    heap_[at] = heap_[parent];
    heap_place_[heap_[at].raw()] = static_cast<std::uint32_t>(at);
    at = parent;
  }
  heap_[at] = var;
  heap_place_[var.raw()] = static_cast<std::uint32_t>(at);
}

void Solver::sift_down(std::size_t at) {
  const Var var = heap_[at];
  while (true) {
    std::size_t child = at * 2 + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_less(heap_[child + 1], heap_[child])) ++child;
    if (!heap_less(heap_[child], var)) break;
    heap_[at] = heap_[child];
    heap_place_[heap_[at].raw()] = static_cast<std::uint32_t>(at);
    at = child;
  }
  heap_[at] = var;
  heap_place_[var.raw()] = static_cast<std::uint32_t>(at);
}

}  // namespace isolde::solver
