// Segments and their verifier: whatever a file says, it is read or refused with one line, and
// what is accepted is so. The first byte of the input chooses a history of the table of known
// verdicts, the rest is the file. Where its order is accepted, the oracle, which tries every
// execution, finds one as well. A history that comes transaction by transaction, each as late
// as it may, has the same verdict as one that comes whole. Half of the mutations change the
// order and not the bytes.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "certify/segment_replay.hpp"
#include "certify/segments.hpp"
#include "history/copier.hpp"
#include "isolde/history_builder.hpp"
#include "memory_file.hpp"
#include "oracle/brute.hpp"
#include "sealing.hpp"
#include "stream/joiner.hpp"
#include "stream/restriction.hpp"
#include "support/history_dsl.hpp"
#include "support/oracle_histories.hpp"

namespace {

using isolde::History;
using isolde::KeyId;
using isolde::Level;
using isolde::OpKind;
using isolde::TxnId;
using isolde::Value;
using isolde::certify::SegmentReplay;
using isolde::fuzz::require;

struct File {
  isolde::certify::SegmentsHeader header;
  std::vector<isolde::certify::Segment> segments;
};

const std::vector<History>& histories() {
  static const std::vector<History> all = [] {
    std::vector<History> made;
    for (const auto& row : isolde::support::oracle_histories()) {
      History history = isolde::support::parse(std::string(row.text));
      // Of these nothing is verified, and parts of them, as made here, would not tell them.
      if (!history.has_selections()) made.push_back(std::move(history));
    }
    return made;
  }();
  return all;
}

/// Nothing: it is refused.
std::optional<File> read(const std::string& text) {
  const isolde::fuzz::MemoryFile file(text);
  auto reader = isolde::certify::SegmentsReader::open(file.path());
  if (!reader) {
    isolde::fuzz::require_readers_error(reader.error(), file.path());
    return std::nullopt;
  }
  File all{reader->header(), {}};
  while (true) {
    auto segment = reader->next();
    if (!segment) {
      isolde::fuzz::require_readers_error(segment.error(), file.path());
      return std::nullopt;
    }
    if (!*segment) break;
    all.segments.push_back(std::move(**segment));
  }
  require(reader->is_cut_off() == !text.ends_with('\n'), "a line in part is left out");
  return all;
}

std::string write(const File& file) {
  isolde::certify::SegmentsText text;
  std::string written = text.header(file.header);
  for (const auto& segment : file.segments) {
    written += segment.end ? text.end(*segment.end)
                           : text.settled(segment.order, segment.state.value_or(0));
  }
  return written;
}

constexpr Level kLevels[] = {Level::kStrictSerializable, Level::kStrongSnapshotIsolation,
                             Level::kStrongPrefixConsistency};

/// In segments of one size.
void set_order(File& file, const std::vector<std::uint64_t>& order, std::size_t txns,
               isolde::base::Rng& rng) {
  file.segments.clear();
  const std::size_t size = 1 + rng.below(std::max<std::size_t>(order.size(), 1));
  for (std::size_t begin = 0; begin < order.size(); begin += size) {
    const std::size_t end = std::min(order.size(), begin + size);
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = order.begin() + static_cast<std::ptrdiff_t>(end);
    file.segments.push_back({.order = {first, last}});
  }
  file.segments.push_back({.end = isolde::certify::Segment::End{txns, 0}});
}

/// Any order of what may have taken effect.
File any_file(const History& history, isolde::base::Rng& rng) {
  File file;
  file.header.level = kLevels[rng.below(std::size(kLevels))];
  file.header.initial_is_unknown = rng.chance(0.1);
  const std::size_t mentions = file.header.level == Level::kStrictSerializable ? 1 : 2;
  std::vector<std::uint64_t> order;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const isolde::TxnStatus status = history.status(TxnId::at(i));
    const bool is_unknown = status == isolde::TxnStatus::kIndeterminate;
    if (status == isolde::TxnStatus::kAborted || (is_unknown && rng.chance(0.5))) continue;
    order.insert(order.end(), mentions, i);
  }
  // Most of these histories tell their transactions in about the order that explains them.
  for (std::size_t swaps = rng.below(4); swaps > 0 && order.size() > 1; --swaps) {
    const std::size_t at = rng.below(order.size() - 1);
    std::swap(order[at], order[at + 1]);
  }
  set_order(file, order, history.txn_count(), rng);
  return file;
}

/// Changes one thing about an order.
void change(File& file, std::size_t txns, isolde::base::Rng& rng) {
  std::vector<std::uint64_t> order;
  for (const auto& segment : file.segments) {
    order.insert(order.end(), segment.order.begin(), segment.order.end());
  }
  const std::size_t most = std::max<std::size_t>(txns, 1);
  const auto place = [&] { return rng.below(order.size()); };
  const auto at = [&] { return order.begin() + static_cast<std::ptrdiff_t>(place()); };
  switch (order.empty() ? 0 : rng.below(7)) {
    case 0:
      order.push_back(rng.below(most));
      break;
    case 1:
      order.erase(at());
      break;
    case 2:
      order[place()] = rng.below(most);
      break;
    case 3:
      file.header.level = kLevels[rng.below(std::size(kLevels))];
      break;
    case 4:
      file.header.initial_is_unknown = !file.header.initial_is_unknown;
      break;
    case 5:
      order.insert(at(), order[place()]);
      break;
    default:
      std::swap(order[place()], order[place()]);
  }
  set_order(file, order, txns, rng);
}

SegmentReplay replay_of(const File& file) {
  return SegmentReplay(file.header.level, file.header.clock_error_ns,
                       file.header.initial_is_unknown, file.header.keys);
}

bool accepts_whole(const File& file, const History& history) {
  SegmentReplay replay = replay_of(file);
  if (!replay.take(history).empty()) return false;
  for (const auto& segment : file.segments) {
    if (!replay.place(segment.order).empty()) return false;
  }
  return replay.finish().empty();
}

/// A transaction, and of the first one what keys held at the start.
History part_of(const History& history, std::size_t at) {
  isolde::stream::Joiner joiner;
  if (at == 0) require(joiner.add_initial(history), "keys have one content each");
  joiner.add(
      history, 0, [&](std::size_t i) { return i == at; },
      [](isolde::HistoryBuilder&, KeyId, KeyId) {});
  auto part = joiner.finish();
  require(part.ok(), "a transaction is a history");
  return std::move(part).value();
}

bool accepts_parts(const File& file, const History& history) {
  SegmentReplay replay = replay_of(file);
  std::size_t came = 0;
  const auto take = [&] { return replay.take(part_of(history, came++)).empty(); };
  for (const auto& segment : file.segments) {
    for (const std::uint64_t number : segment.order) {
      while (number >= came && came < history.txn_count()) {
        if (!take()) return false;
      }
      if (!replay.place({&number, 1}).empty()) return false;
    }
  }
  while (came < history.txn_count()) {
    if (!take()) return false;
  }
  return replay.finish().empty();
}

/// With what keys that tell nothing held at the start.
History with_initial(const History& from,
                     const std::vector<std::pair<KeyId, std::vector<Value>>>& contents) {
  isolde::HistoryBuilder builder;
  builder.origin() = from.origin();
  isolde::history::Copier copier(from, builder);
  for (std::size_t k = 0; k < from.key_count(); ++k) {
    copier.initial(KeyId::at(k), copier.key(KeyId::at(k)));
  }
  for (const auto& [key, held] : contents) {
    if (held.empty()) continue;
    std::vector<Value> values;
    for (const Value value : held) values.push_back(copier.value(value));
    if (from.is_list(key)) {
      builder.set_initial_list(copier.key(key), values);
    } else {
      builder.set_initial(copier.key(key), values.front());
    }
  }
  for (std::size_t t = 0; t < from.txn_count(); ++t) {
    copier.begin_txn(TxnId::at(t));
    for (const isolde::Op& op : from.ops(TxnId::at(t))) copier.op(op, copier.key(op.key));
  }
  auto made = builder.finish();
  require(made.ok(), "keys hold something at the start");
  return std::move(made).value();
}

/// Of each key of which the history tells nothing, what it may have held: nothing, what
/// somebody read, or how a list that somebody read begins.
bool holds_with_some_contents(const History& history, const File& file) {
  std::vector<std::pair<KeyId, std::vector<std::vector<Value>>>> choices;
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    if (history.has_initial(KeyId::at(k))) continue;
    choices.push_back({KeyId::at(k), {{}}});
  }
  for (auto& [key, values] : choices) {
    for (const isolde::Op& op : history.all_ops()) {
      if (op.key != key) continue;
      std::vector<Value> seen;
      if (op.kind == OpKind::kReadList) seen = history.seen_list(op);
      if (op.kind == OpKind::kRead && !history.seen(op).is_null()) seen = {history.seen(op)};
      for (; !seen.empty(); seen.pop_back()) {
        if (std::ranges::find(values, seen) == values.end()) values.push_back(seen);
      }
    }
  }
  std::vector<std::size_t> chosen(choices.size());
  while (true) {
    std::vector<std::pair<KeyId, std::vector<Value>>> contents;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      contents.emplace_back(choices[i].first, choices[i].second[chosen[i]]);
    }
    if (isolde::oracle::brute_force_holds(with_initial(history, contents), file.header.level,
                                          file.header.clock_error_ns)) {
      return true;
    }
    std::size_t i = 0;
    while (i < chosen.size() && ++chosen[i] == choices[i].second.size()) chosen[i++] = 0;
    if (i == chosen.size()) return false;
  }
}

/// What is claimed, decided by trying every execution.
bool holds(const History& history, const File& file) {
  const auto counts = [&](KeyId key) {
    return file.header.keys.empty() || isolde::stream::is_like(history, key, file.header.keys);
  };
  auto restricted = isolde::stream::restricted(history, counts);
  require(restricted.ok(), "some keys are a history");
  if (file.header.initial_is_unknown) return holds_with_some_contents(*restricted, file);
  return isolde::oracle::brute_force_holds(*restricted, file.header.level,
                                           file.header.clock_error_ns);
}

/// Remembers, for the oracle takes long.
bool is_known_to_hold(std::size_t which, const File& file) {
  static std::map<std::pair<std::size_t, std::string>, bool> known;
  const File header{file.header, {}};
  const auto [found, is_new] = known.try_emplace({which, write(header)}, false);
  if (is_new) found->second = holds(histories()[which], file);
  return found->second;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  if (size == 0 || seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  isolde::base::Rng rng(seed);
  std::optional<File> file;
  if (rng.chance(0.5)) {
    data[0] = static_cast<std::uint8_t>(rng.next());
    file = any_file(histories()[data[0] % histories().size()], rng);
  } else {
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    file = read(isolde::fuzz::seal_segments(text));
    if (!file) return LLVMFuzzerMutate(data, size, most);
    change(*file, histories()[data[0] % histories().size()].txn_count(), rng);
  }
  const std::string changed = write(*file);
  if (changed.size() + 1 > most) return size;
  std::copy(changed.begin(), changed.end(), data + 1);
  return changed.size() + 1;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t which = data[0] % histories().size();
  const History& history = histories()[which];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::optional<File> file = read(isolde::fuzz::seal_segments(text));
  if (!file) return 0;
  const std::string again = write(*file);
  const std::optional<File> same = read(again);
  require(same && write(*same) == again, "what is written is read as it was", again);
  if (!SegmentReplay::proves(file->header.level)) return 0;
  const bool accepted = accepts_whole(*file, history);
  require(accepts_parts(*file, history) == accepted, "parts are what the whole is", again);
  require(!accepted || is_known_to_hold(which, *file), "what is accepted is so", again);
  return 0;
}
