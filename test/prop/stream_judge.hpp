// What is wrong with what rounds say of a history, by checks of the whole.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"
#include "isolde/verdict.hpp"
#include "prop/stream_parts.hpp"
#include "sim/simulate.hpp"
#include "stream/rounds.hpp"

namespace isolde::prop {

using Orders = std::vector<std::vector<stream::TxnNumber>>;

struct ForgedOrders {
  std::uint64_t proved = 0;
  std::uint64_t refused = 0;
};

struct Counts {
  std::uint64_t holds = 0;
  std::uint64_t violated = 0;
  std::uint64_t unknown_of_holds = 0;
  std::uint64_t unknown_of_violated = 0;
  ForgedOrders forgeries;

  void print(const char* of) const {
    std::printf("%s: %llu hold, %llu violated, unknown: %llu that hold, %llu violated\n", of,
                number(holds), number(violated), number(unknown_of_holds),
                number(unknown_of_violated));
    std::printf("other orders: %llu proved, %llu refused by both verifiers\n",
                number(forgeries.proved), number(forgeries.refused));
  }
  static unsigned long long number(std::uint64_t count) { return count; }
};

Level order_level(const stream::RoundsOptions& options);

int mentions_at(const stream::RoundsOptions& options);

/// Of the history if it tells what keys held at the start, or else for some choice of that.
Verdict verdict_of(const History& whole, const stream::RoundsOptions& options);

/// Half of the time a level whose own order rounds look for.
Level random_level(base::Rng& rng);

/// The same of levels whose orders fences settle.
Level random_level_by_fences(base::Rng& rng);

/// The same rounds in processes that end after some parts and leave a checkpoint.
std::string complaint_of_restarts(const std::deque<Part>& parts,
                                  const stream::RoundsOptions& options,
                                  const stream::Rounds& whole, const Orders& orders);

/// What is wrong with what rounds say of the history, of which they settled that order; empty:
/// nothing.
std::string complaint(const History& whole, const stream::Rounds& rounds,
                      const Witness& witness, const stream::RoundsOptions& options,
                      Counts& counts);

/// The same of rounds of these parts.
std::string complaint(const History& whole, const std::deque<Part>& parts,
                      const stream::RoundsOptions& options, Counts& counts);

/// `name`: of the workload; empty: any.
sim::SimulationOptions random_simulation(base::Rng& rng, std::string_view name = {});

}  // namespace isolde::prop
