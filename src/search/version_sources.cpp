// Sources and effects in VersionTheory: variables and clauses for histories in which values
// repeat, and the edges that they add and take back. Cobra's polygraphs with read-from choices
// are the hyper-polygraphs of VeriStrong (arXiv 2511.14067), which encodes all of them in
// advance; here source variables are created when a final check asks for them, where an order
// of events tells sources.
#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "level/level_traits.hpp"
#include "search/version_theory.hpp"
#include "weak/visible.hpp"

namespace isolde::checker {

using graph::EdgeId;
using infer::OpenRead;
using infer::ReadFrom;
using solver::Lit;
using solver::Var;

namespace {

EdgeKind view_kind(BaseLevel base) {
  ISOLDE_INVARIANT(traits(base).views != Views::kNone);
  return traits(base).views == Views::kMonotonic ? EdgeKind::kMonotonicView
                                                 : EdgeKind::kAtomicView;
}

/// Memory of a source in the theory and the solver: some 110 bytes, and slack for growing
/// lists.
constexpr std::uint64_t kBytesPerSource = 256;
/// When lists of more grow, that takes a second or more, in which nobody looks at the clock;
/// these take half a gigabyte.
constexpr std::uint64_t kMostSources = std::uint64_t{1} << 22;

/// Better than any place in an order.
constexpr std::int64_t kHinted = std::int64_t{1} << 40;

}  // namespace

/// Enters derived readers and orders, whose edges are in the graph, so that later choices add
/// their edges with them.
void VersionTheory::add_derived() {
  for (std::uint32_t i = 0; i < derived_.facts.size(); ++i) {
    const prune::Fact& fact = derived_.facts[i];
    if (fact.kind == prune::Fact::Kind::kOrder) {
      seen_.for_each_common_key(fact.order, [&](WriteId before, WriteId) {
        overwriters_[before.raw()].push_back({fact.order.after, Lit(), i});
      });
    } else if (fact.kind == prune::Fact::Kind::kSource && fact.source.is_some()) {
      readers_[fact.source.raw()].push_back({seen_.open_reads()[fact.read].txn, Lit(), i});
    }
    budget_.spend(4);
  }
}

/// Doubtful writers also come after a read of the initial version; nothing follows from them.
void VersionTheory::add_doubtful_overwriters() {
  for (const prune::Fact& fact : derived_.facts) {
    if (fact.kind != prune::Fact::Kind::kSource || fact.source.is_some()) continue;
    const OpenRead& read = seen_.open_reads()[fact.read];
    const auto number = static_cast<std::uint32_t>(&fact - derived_.facts.data());
    for (const WriteId write : seen_.writes_of(read.key)) {
      const TxnId writer = seen_.writer(write);
      if (!seen_.is_doubtful(writer)) continue;
      const Edge edge{read.txn, writer, EdgeKind::kAntiDependency, read.key, TxnId::none()};
      std::vector<Lit> conflict;
      const bool fits = insert(events_.begin(read.txn), events_.commit(writer),
                               {edge, {}, {number, kNoFact}}, conflict);
      ISOLDE_CHECK(fits);
    }
    budget_.spend(seen_.writes_of(read.key).size());
  }
}

/// Creates the effect variables, and source variables where nothing asks for them later.
void VersionTheory::make_choices() {
  const std::size_t count = seen_.open_reads().size();
  ISOLDE_ASSERT(choosing_->hints.empty() || choosing_->hints.size() == count);
  readers_.resize(seen_.write_count());
  overwriters_.resize(seen_.write_count());
  orders_of_.resize(history_.txn_count());
  effect_var_.resize(history_.txn_count());
  add_derived();
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    if (!seen_.is_doubtful(TxnId::at(t))) continue;
    effect_var_[t] = make({Kind::kEffect, TxnId::at(t), {}, 0, {}});
  }
  sources_.resize(count);
  chosen_.assign(count, Var::none());
  same_as_.resize(count);
  session_writer_.resize(count);
  wanted_.assign(count, Var::none());
  for (std::uint32_t i = 0; i < count; ++i) {
    same_as_[i] = first_equal_read(i);
    ISOLDE_INVARIANT(same_as_[same_as_[i]] == same_as_[i]);
  }
  start_tallies();
  if (order_tells_sources()) {
    // The transaction cannot have taken effect.
    for (std::uint32_t i = 0; i < count; ++i) {
      if (candidate_count(i) == 0 && !make_sources(i)) return;
    }
    by_order_.resize(count);
    reads_of_ = base::Csr<std::uint32_t>::build(history_.key_count(), [&](const auto& add) {
      for (std::uint32_t i = 0; i < count; ++i) {
        if (same_as_[i] == i && !derived_.is_found(i)) add(seen_.open_reads()[i].key.raw(), i);
      }
    });
    add_doubtful_overwriters();
  } else if (make_all_sources() && !budget_.exhausted()) {
    add_views_of_known_reads();
  }
}

/// For levels that judge full choices. False when they would not fit.
bool VersionTheory::make_all_sources() {
  std::uint64_t count = 0;
  for (std::uint32_t i = 0; i < seen_.open_reads().size(); ++i) {
    if (same_as_[i] == i) count += candidate_count(i);
  }
  if (!has_room_for(count)) return false;
  for (std::uint32_t i = 0; i < seen_.open_reads().size() && !budget_.exhausted(); ++i) {
    if (same_as_[i] == i && !make_sources(i)) return false;
  }
  return true;
}

/// Notes when this many additional variables are too many.
bool VersionTheory::has_room_for(std::uint64_t sources) {
  if (meanings_.size() + sources <= kMostSources &&
      budget_.has_room(sources * kBytesPerSource)) {
    return true;
  }
  stopped_ = "its reads have " + std::to_string(meanings_.size() + sources) +
             " possible sources to decide, more than can be searched";
  return false;
}

std::size_t VersionTheory::candidate_count(std::uint32_t read) const {
  if (derived_.narrows()) return derived_.left[read];
  const OpenRead& open = seen_.open_reads()[read];
  return seen_.sources(open).size() + (open.is_initial ? 1 : 0);
}

bool VersionTheory::is_candidate(std::uint32_t read, WriteId source) const {
  if (derived_.narrows()) {
    const std::span<const WriteId> left = derived_.sources(read);
    return std::binary_search(left.begin(), left.end(), source);
  }
  const OpenRead& open = seen_.open_reads()[read];
  return source.is_none() ? open.is_initial : seen_.sources(open).contains(source);
}

/// The possible sources of the read; none, the initial version, comes last.
std::vector<WriteId> VersionTheory::candidates(std::uint32_t read) const {
  if (derived_.narrows()) {
    const std::span<const WriteId> left = derived_.sources(read);
    return {left.begin(), left.end()};
  }
  const infer::Sources listed = seen_.sources(seen_.open_reads()[read]);
  std::vector<WriteId> sources(listed.begin(), listed.end());
  if (seen_.open_reads()[read].is_initial) sources.push_back(WriteId::none());
  return sources;
}

/// Where all reads of a key by one transaction have one source, the first represents all.
std::uint32_t VersionTheory::first_equal_read(std::uint32_t read) const {
  const OpenRead& own = seen_.open_reads()[read];
  const LevelTraits& row = traits(level().base);
  if (row.views == Views::kMonotonic || row.method == Method::kMixedVersionOrders ||
      tests_each_read(level().base)) {
    return read;
  }
  // What an item returned matters beside those of the same aggregate, and claims name it.
  if (!groups().empty() && !groups().of_read(read).empty()) return read;
  budget_.spend(read - open_index_->begin(own.txn));
  const auto is_equal = [&](const OpenRead& other) {
    if (other.key != own.key || other.is_initial != own.is_initial) return false;
    if (other.list == own.list) return true;
    const infer::Sources sources = seen_.sources(own);
    if (seen_.sources(other).size() != sources.size()) return false;
    budget_.spend(sources.size());
    return seen_.sources(other) == sources;
  };
  for (std::uint32_t i = open_index_->begin(own.txn); i < read; ++i) {
    if (is_equal(seen_.open_reads()[i])) return i;
  }
  return read;
}

/// Variables and clauses of one read; false when they would not fit.
bool VersionTheory::make_sources(std::uint32_t read) {
  const OpenRead& open = seen_.open_reads()[read];
  ISOLDE_ASSERT(sources_[read].begin == sources_[read].end);
  std::vector<WriteId> sources = candidates(read);
  ISOLDE_INVARIANT(std::is_sorted(sources.begin(), sources.end()));
  if (!has_room_for(sources.size())) return false;
  // The preferred decision comes first, unless the final check requested it.
  if (sources.size() > 1 && !order_tells_sources()) {
    std::iter_swap(sources.begin(), std::ranges::max_element(sources, {}, [&](WriteId source) {
                     return place(read, source);
                   }));
  }
  std::vector<Lit> some;
  if (seen_.is_doubtful(open.txn)) some.push_back(~effect_lit(open.txn));
  sources_[read].begin = sources_[read].end = static_cast<std::uint32_t>(meanings_.size());
  for (const WriteId source : sources) {
    const Var var = make({Kind::kSource, open.txn, seen_.writer_or_none(source), read, source},
                         !order_tells_sources());
    sources_[read].end = var.raw() + 1;
    some.push_back(Lit(var, false));
    if (seen_.is_doubtful(open.txn)) solver_->require({Lit(var, true), effect_lit(open.txn)});
    if (source.is_some() && seen_.is_doubtful(seen_.writer(source))) {
      solver_->require({Lit(var, true), effect_lit(seen_.writer(source))});
    }
  }
  solver_->require(some);
  budget_.spend(sources.size() * 16);
  if (!level().session_order || traits(level().base).views < Views::kAtomic) return true;
  const std::span<const TxnId> session = history_.session_txns(history_.session_of(open.txn));
  for (std::size_t at = history_.position_of(open.txn); at-- > 0;) {
    if (!took_effect(session[at]) || seen_.find_write(session[at], open.key).is_none()) {
      continue;
    }
    session_writer_[read] = session[at];
    break;
  }
  return true;
}

/// What is visible whatever is chosen. An edge that does not fit is found again at the end.
void VersionTheory::add_views_of_known_reads() {
  for (const Edge& edge : direct_views(seen_, level(), choosing_->clock_error_ns, budget_)) {
    if (edge.from != edge.to) {
      try_insert(events_.commit(edge.from), events_.begin(edge.to), {edge, {}});
    }
  }
}

/// One source is enough: the best in the current order of events.
Lit VersionTheory::prefer_source(Var var) const {
  const Meaning& meaning = meanings_[var.raw()];
  if (true_source(meaning.read) != Lit()) return Lit(var, true);
  if (wanted_[meaning.read] == var) return Lit(var, false);
  const std::int64_t own = place(meaning.read, meaning.source);
  const Range all = sources_[meaning.read];
  budget_.spend(all.end - all.begin);
  for (std::uint32_t other = all.begin; other < all.end; ++other) {
    if (other == var.raw() || solver_->is_true(Lit(Var(other), true))) continue;
    if (place(meaning.read, meanings_[other].source) > own) return Lit(var, true);
  }
  return Lit(var, false);
}

/// The source's rank in the current order of events: best is the last one before the reader.
std::int64_t VersionTheory::place(std::uint32_t read, WriteId source) const {
  if (source.is_none()) return 0;
  if (!choosing_->hints.empty() && choosing_->hints[read] == source) return kHinted;
  const std::int64_t reader = order_.position(events_.begin(seen_.open_reads()[read].txn));
  const std::int64_t at = order_.position(events_.commit(seen_.writer(source)));
  return at < reader ? at + 1 : -at;
}

// ---- Assignments

/// As apply(), also of sources and effects.
bool VersionTheory::choose(Lit lit, std::vector<Lit>& conflict) {
  const Meaning& meaning = meaning_of(lit);
  if (meaning.kind == Kind::kOrder) return assign_order(order_of(lit), lit, conflict);
  if (lit.negated()) return true;
  if (meaning.kind == Kind::kEffect) return assign_effect(meaning.first, lit, conflict);
  Var& chosen = chosen_[meaning.read];
  before_.push_back(chosen);
  if (chosen.is_none() || lit.var() < chosen) {
    chosen = lit.var();
    move_tallies(meaning.read);
  }
  return assign_source(meaning, lit, conflict) &&
         (groups().empty() || check_groups(meaning.read, lit, conflict));
}

void VersionTheory::undo(Lit lit) {
  const Meaning& meaning = meaning_of(lit);
  if (meaning.kind == Kind::kOrder) {
    const VersionOrder order = order_of(lit);
    seen_.for_each_common_key(order, [&](WriteId before, WriteId) {
      ISOLDE_INVARIANT(overwriters_[before.raw()].back().lit == lit);  // C2
      overwriters_[before.raw()].pop_back();
    });
    for (const TxnId txn : {order.before, order.after}) {
      if (!seen_.is_doubtful(txn)) continue;
      ISOLDE_INVARIANT(orders_of_[txn.raw()].back() == lit);  // C2
      orders_of_[txn.raw()].pop_back();
    }
  } else if (!lit.negated() && meaning.kind == Kind::kEffect) {
    ISOLDE_INVARIANT(took_effect(meaning.first) && seen_.is_doubtful(meaning.first));
    effective_[meaning.first.raw()] = 0;
    touch(meaning.first);
  } else if (!lit.negated()) {
    if (chosen_[meaning.read] != before_.back()) move_tallies_back(meaning.read);
    chosen_[meaning.read] = before_.back();
    before_.pop_back();
    if (meaning.source.is_some()) {
      ISOLDE_INVARIANT(readers_[meaning.source.raw()].back().lit == lit);  // C2
      readers_[meaning.source.raw()].pop_back();
    }
    if (check_) check_->mark(read_of(meaning).key);
  }
}

bool VersionTheory::assign_order(const VersionOrder& order, Lit lit,
                                 std::vector<Lit>& conflict) {
  seen_.for_each_common_key(order, [&](WriteId before, WriteId) {
    overwriters_[before.raw()].push_back({order.after, lit});
  });
  for (const TxnId txn : {order.before, order.after}) {
    if (seen_.is_doubtful(txn)) orders_of_[txn.raw()].push_back(lit);
  }
  return add_order(order, lit, conflict);
}

bool VersionTheory::assign_source(const Meaning& meaning, Lit lit, std::vector<Lit>& conflict) {
  const TxnId reader = meaning.first;
  const KeyId key = read_of(meaning).key;
  if (check_) check_->mark(key);
  if (meaning.source.is_some()) {
    readers_[meaning.source.raw()].push_back({reader, lit});
    const Edge edge{meaning.second, reader, EdgeKind::kReadFrom, key, TxnId::none()};
    if (!insert(events_.commit(meaning.second), events_.begin(reader), {edge, {lit, {}}},
                conflict)) {
      return false;
    }
  }
  if (!order_tells_sources()) return add_views(meaning, lit, conflict);
  const auto missed = [&](const Chosen& next) {
    if (next.txn == reader) return true;
    const Edge edge{reader, next.txn, EdgeKind::kAntiDependency, key, meaning.second};
    return insert(events_.begin(reader), events_.commit(next.txn),
                  {edge, {lit, next.lit}, {next.fact, kNoFact}}, conflict);
  };
  if (meaning.source.is_none()) {
    for (const WriteId write : seen_.writes_of(key)) {
      if (!missed({seen_.writer(write), Lit()})) return false;
    }
    return true;
  }
  if (!took_effect(meaning.second)) return true;  // its orders follow with its effect
  for (const Chosen& next : overwriters_[meaning.source.raw()]) {
    if (took_effect(next.txn) && !missed(next)) return false;
  }
  return true;
}

/// Adds its successors in the session, and the orders decided before.
bool VersionTheory::assign_effect(TxnId txn, Lit lit, std::vector<Lit>& conflict) {
  ISOLDE_INVARIANT(!took_effect(txn));
  effective_[txn.raw()] = 1;
  touch(txn);
  if (events_.encoding().session_order) {
    const std::span<const TxnId> session = history_.session_txns(history_.session_of(txn));
    for (std::size_t at = history_.position_of(txn) + 1; at < session.size(); ++at) {
      if (!seen_.is_included(session[at])) continue;
      const Edge edge{txn, session[at], EdgeKind::kSessionOrder, KeyId::none(), TxnId::none()};
      if (!insert(events_.commit(txn), events_.begin(session[at]), {edge, {lit, {}}},
                  conflict)) {
        return false;
      }
      if (!seen_.is_doubtful(session[at])) break;
    }
  }
  for (const Lit order : orders_of_[txn.raw()]) {
    if (!add_order(order_of(order), order, conflict)) return false;
  }
  return true;
}

Lit VersionTheory::true_source(std::uint32_t read) const {
  const Var chosen = chosen_[same_as_[read]];
  return chosen.is_none() ? Lit() : Lit(chosen, false);
}

/// Compares the new source with those of the transaction's other reads: what one read shows is
/// visible to the others (monotonic atomic view: to later ones, not within one selection).
bool VersionTheory::add_views(const Meaning& meaning, Lit lit, std::vector<Lit>& conflict) {
  if (traits(level().base).views == Views::kNone) return true;
  const TxnId reader = meaning.first;
  const OpenRead& own = read_of(meaning);
  const bool later_only = traits(level().base).views == Views::kMonotonic;
  const std::uint32_t own_step = history_.step(reader, own.op);
  const auto pair = [&](KeyId key, WriteId source, std::strong_ordering place, Lit other) {
    const TxnId writer = seen_.writer_or_none(source);
    const std::array<Lit, 2> lits{lit, other};
    const bool is_later = place == std::strong_ordering::greater;
    const bool is_earlier = place == std::strong_ordering::less;
    if (meaning.second.is_some() && (is_later || !later_only) && writer != meaning.second &&
        seen_.find_write(meaning.second, key).is_some() &&
        !add_view(meaning.second, source, key, reader, lits, conflict)) {
      return false;
    }
    return writer.is_none() || (later_only && !is_earlier) || writer == meaning.second ||
           seen_.find_write(writer, own.key).is_none() ||
           add_view(writer, meaning.source, own.key, reader, lits, conflict);
  };
  const std::span<const ReadFrom> known = seen_.reads(reader);
  for (std::uint32_t i = 0; i < known.size(); ++i) {
    const bool is_together = history_.has_selections() && seen_.step(reader, i) == own_step;
    const auto place = is_together     ? std::strong_ordering::equal
                       : i < own.place ? std::strong_ordering::less
                                       : std::strong_ordering::greater;
    if (!pair(known[i].key, known[i].source, place, Lit())) return false;
  }
  for (std::uint32_t i = open_index_->begin(reader); i < open_index_->end(reader); ++i) {
    if (same_as_[i] != i || i == meaning.read) continue;
    const Lit other = true_source(i);
    if (other == Lit()) continue;
    const WriteId source = meanings_[other.var().raw()].source;
    const OpenRead& read = seen_.open_reads()[i];
    if (!pair(read.key, source, history_.step(reader, read.op) <=> own_step, other)) {
      return false;
    }
  }
  const TxnId before = session_writer_[meaning.read];
  return before.is_none() || before == meaning.second ||
         add_view(before, meaning.source, own.key, reader, {lit, Lit()}, conflict);
}

/// `visible` precedes the source; if that is the initial value, the axiom is violated.
bool VersionTheory::add_view(TxnId visible, WriteId source, KeyId key, TxnId reader,
                             std::array<Lit, 2> lits, std::vector<Lit>& conflict) {
  const TxnId writer = source.is_none() ? visible : seen_.writer(source);
  const Edge edge{visible, writer, view_kind(level().base), key, reader};
  if (visible != writer) {
    return insert(events_.commit(visible), events_.begin(writer), {edge, lits}, conflict);
  }
  for (const Lit each : lits) add_once(conflict, each);
  add_effects({edge}, conflict);
  lemmas_.push_back({{edge}, {}});
  return false;
}

/// The transactions of a cycle must have taken effect.
void VersionTheory::add_effects(const std::vector<Edge>& cycle,
                                std::vector<Lit>& conflict) const {
  for (const Edge& edge : cycle) {
    for (const TxnId txn : {edge.from, edge.to, edge.via}) {
      if (txn.is_none() || !seen_.is_doubtful(txn)) continue;
      const Lit effect = effect_lit(txn);
      ISOLDE_CHECK(solver_->is_true(effect));
      add_once(conflict, effect);
    }
  }
}

// ---- Answers

void VersionTheory::add_sources(Witness& witness) const {
  std::vector<std::uint8_t> is_in(history_.txn_count(), 0);
  for (const TxnId txn : witness.order) is_in[txn.raw()] = 1;
  for (std::uint32_t i = 0; i < seen_.open_reads().size(); ++i) {
    const OpenRead& read = seen_.open_reads()[i];
    if (is_in[read.txn.raw()] == 0 || seen_.sources(read).empty()) continue;
    ISOLDE_INVARIANT(derived_.is_found(i) || is_candidate(same_as_[i], source_of(i)));
    witness.sources.push_back({read.txn, read.op, seen_.writer_or_none(source_of(i))});
  }
}

/// After a model.
WriteId VersionTheory::source_of(std::uint32_t read) const {
  if (derived_.is_found(read)) return derived_.facts[derived_.found_by[read]].source;
  const Var chosen = chosen_[same_as_[read]];
  return chosen.is_some() ? meanings_[chosen.raw()].source : by_order_[same_as_[read]];
}

}  // namespace isolde::checker
