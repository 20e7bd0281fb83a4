// Messages of NATS: what a stream gives is what the recorder's file has, whatever became of the
// messages. The first byte of the input chooses. Even: the rest is a file, which is published
// in pieces, of which some come again, some twice and some not at all; the parts that are read
// are groups of the file, in its order, and all of them unless the source says that messages
// are missing. Odd: the rest is the messages, a line that is the header of each in front, and
// "%%%%" between them; they are read or refused with one line, and read once more in the same
// way.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/rng.hpp"
#include "io/group_reader.hpp"
#include "memory_file.hpp"
#include "sealing.hpp"
#include "stream/nats_source.hpp"

namespace {

using isolde::fuzz::require;
using isolde::stream::NatsBlock;
using isolde::stream::NatsMessage;
using isolde::stream::NatsOutcome;

constexpr std::size_t kFileAt = 9;  // in an input
constexpr const char* kAddress = "nats://host:4222/SHOP/one";
constexpr const char* kName = kAddress;
constexpr const char* kSubject = "SHOP.one";

std::vector<NatsMessage> messages;  // what the server has

class Connection : public isolde::stream::NatsConnection {
 public:
  NatsOutcome next(const std::string& /*stream*/, const std::string& /*subject*/,
                   std::uint64_t from, NatsMessage& message, std::string& /*error*/) override {
    if (from > messages.size()) return NatsOutcome::kNone;
    message = messages[from - 1];
    return NatsOutcome::kDone;
  }
  NatsOutcome at(const std::string& stream, std::uint64_t place, NatsMessage& message,
                 std::string& error) override {
    return next(stream, {}, place, message, error);
  }
  NatsOutcome about(const std::string& /*stream*/, isolde::stream::NatsStream& found,
                    std::string& /*error*/) override {
    found = {1, messages.size(), 1U << 20, true};
    return NatsOutcome::kDone;
  }
  // What follows is for who publishes.
  NatsOutcome last(const std::string&, const std::string&, NatsMessage&,
                   std::string&) override {
    return NatsOutcome::kNone;
  }
  NatsOutcome create(const std::string&, std::string&) override { return NatsOutcome::kDone; }
  NatsOutcome publish(const std::string&, const NatsMessage&, const std::string&, std::uint64_t,
                      std::uint64_t&, std::string&) override {
    return NatsOutcome::kRefused;
  }
  NatsOutcome acknowledge(const std::string&, const std::string&, const std::string&,
                          std::uint64_t, std::uint64_t, std::string&) override {
    return NatsOutcome::kDone;
  }
};

constexpr isolde::stream::NatsModule kModule{
    isolde::stream::kNatsModuleVersion,
    [](const isolde::stream::NatsAccess&, bool&, std::string&) {
      return std::unique_ptr<isolde::stream::NatsConnection>(std::make_unique<Connection>());
    }};

void add(std::string block, std::string data) {
  messages.push_back({messages.size() + 1, kSubject, std::move(block), std::move(data)});
}

/// How a source was read.
struct Reading {
  std::vector<std::uint64_t> parts;  ///< their digests
  std::string problem;
  std::string cut_off;
  bool was_told = false;  ///< that messages were passed over
  friend bool operator==(const Reading&, const Reading&) = default;
};

void finish(isolde::stream::Source& source, Reading& reading) {
  isolde::base::Budget budget;
  while (true) {
    auto next = source.next(budget);
    if (!next) {
      isolde::fuzz::require_readers_error(next.error(), kName);
      reading.problem = next.error().message;
      return;
    }
    if (next->part) reading.parts.push_back(next->part->history.digest());
    if (next->is_over) break;
  }
  reading.cut_off = source.cut_off();
}

isolde::stream::NatsSource source_of(Reading& reading) {
  const auto tell = [&](const std::string&) { reading.was_told = true; };
  return {kModule, *isolde::stream::parse_nats_address(kAddress), {.tell = tell}};
}

Reading read_stream() {
  Reading reading;
  isolde::stream::NatsSource source = source_of(reading);
  finish(source, reading);
  return reading;
}

/// By one process, and from behind its first part by another one.
void check_going_on(const Reading& whole) {
  if (whole.parts.empty()) return;
  Reading reading;
  isolde::stream::NatsSource before = source_of(reading);
  isolde::base::Budget budget;
  const auto first = before.next(budget);
  require(first.ok() && first->part, "what was read is read again");
  reading.parts.push_back(first->part->history.digest());
  isolde::stream::NatsSource behind = source_of(reading);
  require(behind.resume(before.position(), budget).ok(), "it goes on behind a part");
  finish(behind, reading);
  require(reading.parts == whole.parts && reading.problem == whole.problem,
          "it goes on as if nothing had happened", reading.problem);
}

/// What a publisher makes of a file, and what can be read of that.
void publish(const std::string& file, isolde::base::Rng& rng, Reading& groups) {
  const isolde::fuzz::MemoryFile there(file);
  auto reader = isolde::io::GroupReader::open(there.path());
  require(reader.ok(), "a file can be read");
  isolde::base::Budget budget;
  std::vector<std::pair<NatsBlock, std::string>> pieces;
  while (true) {
    std::string bytes;
    NatsBlock block;
    block.group = reader->before().groups;
    const auto group = reader->next(budget, &bytes);
    if (!group || !*group) break;
    groups.parts.push_back((*group)->digest());
    block.total = bytes.size();
    block.contents = reader->contents();
    const std::size_t most = 1 + rng.below(bytes.size());
    for (block.offset = 0; block.offset < bytes.size(); block.offset += most) {
      pieces.emplace_back(block, bytes.substr(block.offset, most));
    }
  }
  const double loss = rng.chance(0.5) ? 0 : 0.2;
  std::size_t furthest = 0;  // all pieces before it have come
  bool has_gap = false;
  for (std::size_t i = 0; i < pieces.size() && messages.size() <= 4 * pieces.size();) {
    const bool is_lost = rng.chance(loss);
    if (!is_lost) add(pieces[i].first.text(), pieces[i].second);
    // What comes after that is not read.
    has_gap = has_gap || (!is_lost && i > furthest);
    if (!is_lost && i == furthest && !has_gap) ++furthest;
    // Who did not hear that it was stored sends it again, and perhaps from farther before.
    i = rng.chance(0.2) ? rng.below(i + 1) : i + 1;
  }
  const bool is_all = furthest == pieces.size();
  groups.parts.resize(is_all ? groups.parts.size() : pieces[furthest].first.group);
  const bool is_inside = !is_all && pieces[furthest].first.offset > 0;
  groups.cut_off = has_gap || is_inside ? "something" : "";
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  if (size < kFileAt || data[0] % 2 == 1 || seed % 2 == 0) {
    return LLVMFuzzerMutate(data, size, most);
  }
  const std::uint64_t fate = isolde::base::Rng(seed).next();
  std::memcpy(data + 1, &fate, sizeof fate);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  messages.clear();
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 1) {
    while (true) {
      const std::size_t length = rest.find("%%%%");
      const std::string_view message = rest.substr(0, length);
      const std::size_t line = std::min(message.find('\n'), message.size());
      add(std::string(message.substr(0, line)),
          std::string(message.substr(std::min(line + 1, message.size()))));
      if (length == rest.npos) break;
      rest.remove_prefix(length + 4);
    }
    for (const NatsMessage& each : messages) {
      NatsBlock block;
      if (!isolde::stream::parse_nats_block(each.block, block)) continue;
      NatsBlock same;
      require(
          isolde::stream::parse_nats_block(block.text(), same) && same.text() == block.text(),
          "what is written is read as it was", block.text());
    }
    const Reading whole = read_stream();
    require(read_stream() == whole, "a stream is read once as ever");
    check_going_on(whole);
    return 0;
  }
  if (size < kFileAt) return 0;
  std::uint64_t fate = 0;
  std::memcpy(&fate, data + 1, sizeof fate);
  std::string file(rest.substr(sizeof fate));
  isolde::fuzz::seal_groups(file);
  isolde::base::Rng rng(fate);
  Reading groups;
  publish(file, rng, groups);
  const Reading whole = read_stream();
  require(whole.problem.empty(), "what a recorder published is read", whole.problem);
  require(whole.parts == groups.parts, "the stream gives the groups of the file");
  require(whole.cut_off.empty() == groups.cut_off.empty(), "it says whether a piece is missing",
          whole.cut_off);
  check_going_on(whole);
  return 0;
}
