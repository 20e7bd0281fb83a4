// Goal: files and folders of files, read as one history, are judged as it is.
// Method: simulated histories dealt to files by session, in groups; the order that was settled
// and the violation against check() of the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "history/copier.hpp"
#include "io/native.hpp"
#include "io/sink.hpp"
#include "prop/stream_judge.hpp"
#include "sim/simulate.hpp"
#include "stream/gatherer.hpp"
#include "stream/rounds.hpp"
#include "stream/source.hpp"
#include "support/seed.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::prop {
namespace {

using stream::Rounds;
using stream::TxnNumber;

/// Of each transaction which file has it: those of a session are in one.
std::vector<std::uint32_t> deal(const History& whole, std::uint32_t files, base::Rng& rng) {
  std::vector<std::uint32_t> of_session(whole.session_count());
  for (std::uint32_t& file : of_session) {
    file = static_cast<std::uint32_t>(rng.below(files));
  }
  std::vector<std::uint32_t> dealt;
  for (std::size_t t = 0; t < whole.txn_count(); ++t) {
    dealt.push_back(of_session[whole.session_of(TxnId::at(t)).raw()]);
  }
  return dealt;
}

/// Puts those transactions into the file in groups, each with its own open_since; or into
/// several files of a folder of that name.
void write_groups(const History& whole, const std::vector<std::size_t>& txns,
                  const std::string& path, base::Rng& rng) {
  const bool is_folder = rng.chance(0.3);
  const bool ends = rng.chance(0.5);
  const std::size_t most = 1 + rng.below(40);
  if (is_folder) std::filesystem::create_directory(path);
  std::string file = is_folder ? path + "/h1.isob" : path;
  std::string text;
  std::uint32_t number = 0;
  for (std::size_t begin = 0, end = 0; begin == 0 || begin < txns.size(); begin = end) {
    end = std::min(txns.size(), begin + 1 + rng.below(most));
    const std::vector<std::size_t> group(txns.begin() + static_cast<std::ptrdiff_t>(begin),
                                         txns.begin() + static_cast<std::ptrdiff_t>(end));
    stream::Joiner joiner;
    joiner.add(
        whole, 0, [&](std::size_t i) { return std::ranges::binary_search(group, i); },
        stream::kEnterNothing);
    std::int64_t open_since = std::numeric_limits<std::int64_t>::max() - 1;
    for (std::size_t i = end; i < txns.size(); ++i) {
      open_since = std::min(open_since, whole.times(TxnId::at(txns[i])).start);
    }
    if (rng.chance(0.1)) open_since = kNoTime;
    const bool is_cut = is_folder && end < txns.size() && rng.chance(0.1);
    const bool is_last = ends && (end == txns.size() || is_cut);
    const Result<History> part = joiner.finish();
    ASSERT_TRUE(part.ok()) << part.error().message;
    io::StringSink sink;
    ASSERT_TRUE(
        io::write_native_binary(*part, sink, true, {number++, ends, is_last, open_since}).ok());
    text += sink.text();
    if (!is_cut && end < txns.size()) continue;
    std::ofstream(file, std::ios::binary) << text;
    text.clear();
    number = 0;
    if (is_folder) file = path + "/h" + std::to_string(end + 10) + ".isob";
    if (end == txns.size()) break;
  }
}

/// The number of each transaction in the whole, in the order in which the source gave them.
std::vector<TxnId> given_order(const History& whole, const stream::Source& source) {
  std::map<std::string, std::deque<TxnId>> of_session;
  for (std::size_t t = 0; t < whole.txn_count(); ++t) {
    of_session[whole.session_name(whole.session_of(TxnId::at(t)))].push_back(TxnId::at(t));
  }
  std::vector<TxnId> order;
  base::Budget budget;
  const auto visit = [&](const History& part, TxnNumber first) {
    EXPECT_EQ(first, order.size());
    for (std::size_t t = 0; t < part.txn_count(); ++t) {
      std::string name = part.session_name(part.session_of(TxnId::at(t)));
      // Without the name of the file.
      while (!of_session.contains(name) && name.find('/') != name.npos) {
        name = name.substr(name.find('/') + 1);
      }
      if (of_session[name].empty()) continue;
      order.push_back(of_session[name].front());
      of_session[name].pop_front();
    }
  };
  const Status visited = source.visit_again(visit, budget);
  EXPECT_TRUE(visited.ok()) << visited.error().message;
  return order;
}

/// All that comes from the files. The order that is settled, by numbers of the whole.
Witness take_all(const History& whole, stream::Source& source,
                 const stream::GathererOptions& gathering, Rounds& rounds) {
  Witness witness;
  std::vector<TxnNumber> settled;
  base::Budget budget;
  rounds.on_settled = [&](std::span<const TxnNumber> order, std::uint64_t) {
    settled.insert(settled.end(), order.begin(), order.end());
  };
  rounds.reread = [&](const stream::Visit& visit) { return source.visit_again(visit, budget); };
  stream::Gatherer gatherer(source, gathering);
  while (true) {
    Result<std::optional<stream::Part>> part = gatherer.next(rounds.open_count(), budget);
    EXPECT_TRUE(part.ok()) << part.error().message;
    if (!part.ok() || !*part) break;
    rounds.take(std::move((*part)->history), (*part)->open_since);
  }
  EXPECT_EQ(source.cut_off(), "");
  rounds.finish();
  const std::vector<TxnId> order = given_order(whole, source);
  for (const TxnNumber number : settled) {
    witness.order.push_back(order.at(static_cast<std::size_t>(number)));
  }
  return witness;
}

TEST(Stream, SeveralFilesAgreeWithACheckOfTheWhole) {
  const std::uint64_t cases = support::case_count(600);
  Counts counts;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    const sim::SimulationOptions simulation = random_simulation(rng);
    const Result<History> whole = sim::simulate(simulation);
    ASSERT_TRUE(whole.ok()) << whole.error().message;
    const auto files = static_cast<std::uint32_t>(1 + rng.below(3));
    const std::vector<std::uint32_t> dealt = deal(*whole, files, rng);
    const io::TemporaryFolder folder;
    std::vector<std::string> paths;
    for (std::uint32_t file = 0; file < files; ++file) {
      std::vector<std::size_t> txns;
      for (std::size_t t = 0; t < dealt.size(); ++t) {
        if (dealt[t] == file) txns.push_back(t);
      }
      paths.push_back(folder.path("f" + std::to_string(file)));
      write_groups(*whole, txns, paths.back(), rng);
    }
    Result<std::unique_ptr<stream::Source>> source = stream::open_sources(paths, {});
    ASSERT_TRUE(source.ok()) << source.error().message;
    stream::RoundsOptions options;
    options.level = random_level(rng);
    options.clock_error_ns = 2 * simulation.clock_error_ns;
    options.left_open = rng.below(40);
    options.kept_ops = rng.below(400);
    base::Budget budget;
    Rounds rounds(options, budget);
    Witness witness =
        take_all(*whole, **source, {1 + rng.below(60), 1 + rng.below(300)}, rounds);
    witness.mentions = mentions_at(options);
    ASSERT_EQ(complaint(*whole, rounds, witness, options, counts), "")
        << "case " << i << ", fault " << sim::info(simulation.fault).name;
  }
  counts.print("files");
  EXPECT_TRUE(support::met(counts.holds, 4, cases));
  EXPECT_TRUE(support::met(counts.violated, 20, cases));
}

}  // namespace
}  // namespace isolde::prop
