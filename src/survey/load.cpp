#include "survey/load.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "api/checking.hpp"
#include "io/reader.hpp"
#include "isolde/recorder.hpp"
#include "run/executor.hpp"

namespace isolde::survey {
namespace {

constexpr std::uint32_t kSessions = 6;
/// Enough for a fast database to show what it does, and checked in a moment.
constexpr std::uint64_t kTransactions = 2000;
/// A selection tells of many rows at once, and takes longer to be decided.
constexpr std::uint64_t kSelectingTransactions = 500;
constexpr std::uint64_t kKeys = 12;
/// What is not decided by then stays open: whoever asked for a survey does not wait for the
/// hardest level of one load.
constexpr double kCheckSeconds = 20;

run::ExecutorOptions options_of(gen::Workload workload, std::uint64_t seed,
                                const db::Capabilities& can) {
  run::ExecutorOptions options;
  options.workload = gen::default_options(workload);
  options.workload.sessions = kSessions;
  options.workload.txns =
      gen::info(workload).needs.rows ? kSelectingTransactions : kTransactions;
  options.workload.deletes_selected = can.deletes_selected;
  if (!can.savepoints) options.workload.savepoints = 0;
  options.workload.seed = seed;
  if (gen::takes(workload, "keys")) options.workload.keys = kKeys;
  options.reconnect_seconds = 5;
  options.finish_seconds = 5;
  return options;
}

}  // namespace

std::vector<gen::Workload> loads_of(const db::DatabaseInfo& info) {
  // One statement appends there. Elsewhere an append may be a read and a write, which loses the
  // appends of others where updates may be lost; of a list that is a worse thing to happen.
  const bool has_lists = info.capabilities.lists && info.capabilities.sql;
  std::vector<gen::Workload> loads = {
      has_lists ? gen::Workload("list-append") : gen::Workload("rw-register"),
      gen::Workload("lost-update"), gen::Workload("write-skew"), gen::Workload("read-skew")};
  if (info.capabilities.rows) {
    loads.insert(loads.end(), {gen::Workload("phantom"), gen::Workload("on-call")});
  }
  return loads;
}

/// Ends after `seconds` or when enough is there, whichever comes first.
static Result<run::RunStatistics> drive(gen::Planner& planner, Recorder& recorder,
                                        const run::ExecutorOptions& options, double seconds,
                                        db::Database& database, base::Budget& whole) {
  base::Budget budget;
  bool is_over = false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const auto watch = [&](const run::RunStatistics&) {
    is_over = is_over || std::chrono::steady_clock::now() >= end;
    if (is_over || !whole.look()) budget.cancel();
  };
  Result<run::RunStatistics> done =
      run::execute(database, planner, recorder, options, budget, watch);
  // It was meant to end so.
  if (done && is_over && done->stopped == "interrupted") done->stopped.clear();
  return done;
}

Result<Load> run_load(gen::Workload workload, double seconds, std::uint64_t seed,
                      const Stage& stage, Findings& findings, base::Budget& budget) {
  Load load;
  load.workload = gen::info(workload).name;
  load.history = stage.folder / (load.workload + ".jsonl");
  const run::ExecutorOptions options = options_of(workload, seed, stage.info.capabilities);
  gen::Planner planner(options.workload);
  const Result<std::unique_ptr<db::Database>> database = stage.open(false);
  if (!database) return database.error();
  const Status made = (*database)->create(planner.initial_keys(), planner.initial_lists());
  if (!made) return made.error();
  RecorderOptions about;
  about.about = {{"database", stage.version},
                 {"source", stage.source},
                 {"isolation", stage.isolation},
                 {"workload", load.workload},
                 {"seed", std::to_string(seed)}};
  std::ranges::copy(planner.notation(), std::back_inserter(about.about));
  about.deletes = gen::info(workload).needs.rows || (*database)->locks_reads();
  {
    const Result<std::unique_ptr<Recorder>> recorder =
        Recorder::open(load.history.string(), about);
    Status closed = recorder ? ok_status() : Status(recorder.error());
    if (closed) {
      Result<run::RunStatistics> done =
          drive(planner, **recorder, options, seconds, **database, budget);
      closed = (*recorder)->close();
      if (!done) closed = done.error();
      if (done) {
        load.committed = done->committed;
        load.aborted = done->aborted;
        for (const auto& [reason, count] : done->reasons.counts()) load.reasons[reason] = count;
        load.stopped = std::move(done->stopped);
      }
    }
    const Status removed = (*database)->destroy();
    if (!closed) return closed.error();
    if (!removed) return removed.error();
  }
  if (!budget.look()) {
    load.stopped = "not checked: " + budget.reason();
    return load;
  }
  base::Budget limited(std::min(kCheckSeconds, budget.seconds_left()), 0);
  limited.ask_at_looks([&budget] { return !budget.look(); });
  const Result<History> history = io::read_history(load.history.string(), "native", limited);
  if (!history) return history.error();
  api::Checked checked = api::check(*history, {}, limited);
  const Status added = add_history(checked, stage, load.workload, load.history, findings);
  if (!added) return added.error();
  if (!stage.promised) return load;
  Result<std::vector<ProofFile>> proofs =
      write_proofs(checked, std::span(&*stage.promised, 1), load.history);
  if (!proofs) return proofs.error();
  load.proofs = std::move(proofs).value();
  return load;
}

}  // namespace isolde::survey
