#include "prop/stream_judge.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/budget.hpp"
#include "certify/certificate_io.hpp"
#include "certify/segment_replay.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "stream/checkpoint.hpp"
#include "support/history_dsl.hpp"

namespace isolde::prop {

using stream::Rounds;
using stream::TxnNumber;

Level order_level(const stream::RoundsOptions& options) {
  return stream::level_of_orders(options).value();
}

int mentions_at(const stream::RoundsOptions& options) {
  return info(order_level(options)).base == info(Level::kSerializable).base ? 1 : 2;
}

namespace {

Verdict verdict_at(const History& whole, const stream::RoundsOptions& rounds) {
  CheckOptions options;
  options.levels = {rounds.level};
  options.clock_error_ns = rounds.clock_error_ns;
  base::Budget budget;
  return check(whole, options, budget).levels.front().verdict;
}

/// The history for each choice of what the keys of which it tells nothing held at the start:
/// nothing, or some value or beginning of a list that is read of it. What nobody reads is as
/// good as nothing, unless somebody reads that; then it explains less.
std::vector<History> with_each_start(const History& whole) {
  const support::PlainHistory plain = support::to_plain(whole);
  std::map<std::string, std::vector<support::PlainOp>> contents;
  const auto add = [&](support::PlainOp held) {
    std::vector<support::PlainOp>& known = contents[held.key];
    if (std::ranges::find(known, held) == known.end()) known.push_back(std::move(held));
  };
  for (const support::PlainTxn& txn : plain) {
    for (const support::PlainOp& op : txn.ops) {
      if (op.kind == OpKind::kRead && !op.value.empty()) {
        add({OpKind::kWrite, op.key, op.value, {}});
      }
      for (std::size_t i = 1; op.kind == OpKind::kReadList && i <= op.list.size(); ++i) {
        const auto end = op.list.begin() + static_cast<std::ptrdiff_t>(i);
        add({OpKind::kReadList, op.key, "", {op.list.begin(), end}});
      }
    }
  }
  for (const support::PlainOp& told : plain.start) contents.erase(told.key);
  std::vector<support::PlainHistory> all{plain};
  for (const auto& [key, each] : contents) {
    for (std::size_t i = all.size(); i > 0; --i) {
      for (const support::PlainOp& held : each) {
        all.push_back(all[i - 1]);
        all.back().start.push_back(held);
      }
    }
  }
  std::vector<History> built;
  for (const support::PlainHistory& each : all) built.push_back(support::build(each));
  return built;
}

}  // namespace

Verdict verdict_of(const History& whole, const stream::RoundsOptions& options) {
  if (!options.initial_is_unknown) return verdict_at(whole, options);
  Verdict best = Verdict::kViolated;
  for (const History& each : with_each_start(whole)) {
    const Verdict verdict = verdict_at(each, options);
    if (verdict == Verdict::kHolds) return verdict;
    if (verdict == Verdict::kUnknown) best = verdict;
  }
  return best;
}

namespace {

constexpr std::string_view kNoEffect = "did not take effect";

/// Why the order is no witness of the history, for any choice of what is not told; empty: it
/// is.
std::string objection(const History& whole, const Witness& witness,
                      const stream::RoundsOptions& options) {
  std::string reason;
  const auto proves = [&](const History& history) {
    const Certificate certificate{order_level(options), history.digest(),
                                  options.clock_error_ns, witness};
    const certify::VerifyResult verified = certify::verify(history, certificate);
    if (!verified.proves && !reason.ends_with(kNoEffect)) reason = verified.reason;
    return verified.proves;
  };
  if (!options.initial_is_unknown) return proves(whole) ? "" : reason;
  return std::ranges::any_of(with_each_start(whole), proves) ? "" : reason;
}

/// A verifier that takes parts and orders as they come, against the one that takes the whole.
std::string objection(const std::deque<Part>& parts, const Witness& witness,
                      const stream::RoundsOptions& options) {
  certify::SegmentReplay replay(order_level(options), options.clock_error_ns,
                                options.initial_is_unknown);
  std::string objection;
  for (const Part& part : parts) {
    if (objection.empty()) objection = replay.take(part.history);
  }
  for (const TxnId txn : witness.order) {
    const std::uint64_t number = txn.raw();
    if (objection.empty()) objection = replay.place({&number, 1});
  }
  return objection.empty() ? replay.finish() : objection;
}

Witness forged(Witness witness, std::size_t txn_count, base::Rng& rng) {
  std::vector<TxnId>& order = witness.order;
  if (order.empty() || rng.chance(0.1)) return witness;
  for (std::size_t changes = 1 + rng.below(2); changes > 0 && !order.empty(); --changes) {
    const std::size_t at = rng.below(order.size());
    switch (rng.below(4)) {
      case 0:
        std::swap(order[at], order[rng.below(order.size())]);
        break;
      case 1:
        std::swap(order[at], order[std::min(at + 1, order.size() - 1)]);
        break;
      case 2:
        order[at] = TxnId::at(rng.below(txn_count));
        break;
      default:
        order.erase(order.begin() + static_cast<std::ptrdiff_t>(at));
        break;
    }
  }
  return witness;
}

/// Whether both verifiers of an order say the same of it and of others like it.
std::string disagreement(const History& whole, const std::deque<Part>& parts,
                         const Witness& witness, const stream::RoundsOptions& options,
                         ForgedOrders& forgeries) {
  base::Rng rng(whole.digest());
  for (int i = 0; i < 8; ++i) {
    const Witness other = forged(witness, whole.txn_count(), rng);
    const std::string reason = objection(whole, other, options);
    const std::string found = objection(parts, other, options);
    ++(reason.empty() ? forgeries.proved : forgeries.refused);
    if (reason.empty() == found.empty()) continue;
    // With one choice of initial contents somebody was read from, with another not, who may
    // have taken effect all the same.
    if (options.initial_is_unknown && reason.ends_with(kNoEffect)) continue;
    return "one verifier says '" + reason + "', the other '" + found + "'";
  }
  return "";
}

}  // namespace

Level random_level(base::Rng& rng) {
  constexpr std::array kOwn{Level::kStrictSerializable, Level::kStrongSnapshotIsolation,
                            Level::kStrongPrefixConsistency};
  if (rng.chance(0.5)) return kOwn[rng.below(kOwn.size())];
  while (true) {
    const Level level = all_levels()[rng.below(all_levels().size())].level;
    if (stream::level_of_rounds(level)) return level;
  }
}

Level random_level_by_fences(base::Rng& rng) {
  constexpr std::array kOwn{Level::kStrongSessionSerializable,
                            Level::kStrongSessionSnapshotIsolation,
                            Level::kStrongSessionPrefixConsistency};
  if (rng.chance(0.6)) return kOwn[rng.below(kOwn.size())];
  while (true) {
    const Level level = all_levels()[rng.below(all_levels().size())].level;
    if (stream::level_of_fences(level)) return level;
  }
}

std::string complaint_of_restarts(const std::deque<Part>& parts,
                                  const stream::RoundsOptions& options, const Rounds& whole,
                                  const Orders& orders) {
  base::Rng rng(parts.size() + whole.txn_count());
  // Writing takes much longer than a round of so few.
  const double stays = rng.chance(0.7) ? 1.0 : 0.9;
  base::Budget budget;
  Orders settled;
  const auto note = [&](std::span<const TxnNumber> order, std::uint64_t) {
    settled.emplace_back(order.begin(), order.end());
  };
  std::size_t taken = 0;
  const auto reread = reread_of(parts, taken);
  std::optional<Rounds> rounds;
  const auto begin = [&] {
    rounds.emplace(options, budget);
    rounds->on_settled = note;
    rounds->reread = reread;
  };
  begin();
  for (const Part& part : parts) {
    ++taken;
    rounds->take(History(part.history), part.open_since);
    if (rounds->verdict() != Verdict::kHolds || rng.chance(stays)) continue;
    Result<stream::RoundsState> state = rounds->state();
    if (!state) return "no state: " + state.error().message;
    const Result<std::string> text =
        stream::checkpoint_text({.options = options,
                                 .rounds = std::move(state).value(),
                                 .position = {},
                                 .segments = {}});
    if (!text) return "no checkpoint: " + text.error().message;
    Result<stream::Checkpoint> read = stream::parse_checkpoint(*text, "checkpoint", budget);
    if (!read) return "not read: " + read.error().message;
    begin();
    if (const Status restored = rounds->restore(std::move(read->rounds)); !restored) {
      return "not restored: " + restored.error().message;
    }
  }
  rounds->finish();
  if (settled != orders) return "restarts settle something else";
  if (rounds->verdict() != whole.verdict() || rounds->reason() != whole.reason()) {
    return "restarts end otherwise: " + rounds->reason();
  }
  if (rounds->settled() != whole.settled() || rounds->rounds() != whole.rounds()) {
    return "restarts count otherwise";
  }
  if (!whole.violation()) return "";
  const stream::Violation& one = *whole.violation();
  const stream::Violation& other = *rounds->violation();
  const bool is_same = certify::certificate_text(one.history, one.certificate) ==
                       certify::certificate_text(other.history, other.certificate);
  return is_same ? "" : "restarts find another violation";
}

std::string complaint(const History& whole, const Rounds& rounds, const Witness& witness,
                      const stream::RoundsOptions& options, Counts& counts) {
  const Verdict truth = verdict_of(whole, options);
  if (rounds.txn_count() != whole.txn_count()) return "transactions are missing";
  if (rounds.verdict() == Verdict::kHolds) {
    ++counts.holds;
    const std::string reason = objection(whole, witness, options);
    if (!reason.empty()) return "the order is no witness: " + reason;
    if (truth != Verdict::kViolated) return "";
    return std::string("the whole violates ") + std::string(info(options.level).name);
  }
  if (rounds.verdict() == Verdict::kViolated) {
    ++counts.violated;
    const stream::Violation& violation = *rounds.violation();
    if (violation.certificate.level != options.level)
      return "the violation is of another level";
    const certify::VerifyResult verified =
        certify::verify(violation.history, violation.certificate);
    if (!verified.proves) return "the violation is none: " + verified.reason;
    if (options.initial_is_unknown &&
        verdict_of(violation.history, options) != Verdict::kViolated) {
      return "the violation is none for some contents at the start";
    }
    // A check of the whole may not decide it where elements of a list repeat.
    if (truth != Verdict::kHolds) return "";
    return "the whole is " + std::string(name(truth)) + " at " +
           std::string(info(options.level).name) + ", not so " +
           support::to_text(violation.history);
  }
  if (rounds.reason().empty()) return "no reason";
  if (truth == Verdict::kHolds) ++counts.unknown_of_holds;
  if (truth == Verdict::kViolated) ++counts.unknown_of_violated;
  return "";
}

std::string complaint(const History& whole, const std::deque<Part>& parts,
                      const stream::RoundsOptions& options, Counts& counts) {
  base::Budget budget;
  Rounds rounds(options, budget);
  Witness witness;
  witness.mentions = mentions_at(options);
  Orders orders;
  certify::SegmentReplay replay(order_level(options), options.clock_error_ns,
                                options.initial_is_unknown);
  std::string objected;
  const auto object = [&](std::string what) {
    if (objected.empty()) objected = std::move(what);
  };
  rounds.on_settled = [&](std::span<const TxnNumber> order, std::uint64_t sum) {
    orders.emplace_back(order.begin(), order.end());
    for (const TxnNumber number : order) {
      witness.order.push_back(TxnId::at(static_cast<std::size_t>(number)));
    }
    if (objected.empty()) object(replay.place(order));
    if (objected.empty() && replay.state() != sum) object("the states differ");
  };
  std::size_t taken = 0;
  rounds.reread = reread_of(parts, taken);
  for (const Part& part : parts) {
    ++taken;
    if (objected.empty()) object(replay.take(part.history));
    rounds.take(History(part.history), part.open_since);
  }
  rounds.finish();
  // Where fences settle there are no checkpoints yet.
  const bool restarts = options.fence.empty();
  const std::string restarted =
      restarts ? complaint_of_restarts(parts, options, rounds, orders) : "";
  if (!restarted.empty()) return restarted;
  if (!objected.empty()) return "a segment is not proved: " + objected;
  if (rounds.verdict() == Verdict::kHolds) {
    if (const std::string rest = replay.finish(); !rest.empty()) return "not all: " + rest;
    std::string differ = disagreement(whole, parts, witness, options, counts.forgeries);
    if (!differ.empty()) return differ;
  }
  return complaint(whole, rounds, witness, options, counts);
}

sim::SimulationOptions random_simulation(base::Rng& rng, std::string_view name) {
  sim::SimulationOptions options;
  options.workload = gen::default_options(gen::Workload(!name.empty()     ? name
                                                        : rng.chance(0.5) ? "general"
                                                        : rng.chance(0.5) ? "blindw-rw"
                                                                          : "rmw"));
  options.workload.seed = rng.next();
  options.workload.sessions = static_cast<std::uint32_t>(2 + rng.below(7));
  options.workload.txns = 20 + rng.below(180);
  options.workload.ops = static_cast<std::uint32_t>(2 + rng.below(4));
  options.workload.keys = 2 + rng.below(30);
  options.lost_reply_rate = rng.chance(0.5) ? 0.03 : 0;
  options.clock_error_ns = rng.chance(0.3) ? 20'000 : 0;
  if (rng.chance(0.5)) return options;
  const auto faults = sim::all_faults();
  const auto& fault = faults[rng.below(faults.size())];
  options.fault = fault.fault;
  options.fault_rate = 0.02;
  options.fault_after = 0.5;
  if (!sim::validate(options).ok()) options.fault = sim::Fault::kNone;
  return options;
}

}  // namespace isolde::prop
