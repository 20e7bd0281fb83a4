#include "stream/nats_source.hpp"

#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "base/hash.hpp"
#include "io/native_binary.hpp"

namespace isolde::stream {
NatsSource::NatsSource(const NatsModule& module, NatsAddress address,
                       const SourceOptions& options, std::uint32_t most_groups)
    : module_(module),
      address_(std::move(address)),
      options_(options),
      most_groups_(most_groups),
      name_(address_.name_of(address_.recorders.front())),
      subject_(address_.stream + "." + address_.recorders.front()) {
  before_.session_prefix = options_.session_prefix;
  before_.clock = options_.clock;
}

Error NatsSource::error(ErrorCode code, const std::string& what) const {
  return {code, name_ + ": " + what};
}

void NatsSource::tell(const std::string& what) const {
  if (options_.tell) options_.tell(name_ + ": " + what);
}

/// What came of a question: true, there is an answer, be it that there is nothing. False: the
/// server is away.
Result<bool> NatsSource::heed(NatsOutcome outcome, const std::string& error) {
  if (outcome == NatsOutcome::kRefused) return this->error(ErrorCode::kEnvironment, error);
  if (outcome != NatsOutcome::kAway) {
    if (is_away_) tell("the server answers again");
    is_away_ = false;
    return true;
  }
  const Clock::time_point now = Clock::now();
  if (!is_away_) away_since_ = now;
  const bool was_there = connection_ != nullptr || goes_on_;
  if (!options_.follows && (!was_there || now - away_since_ > kNatsPatience)) {
    return this->error(ErrorCode::kEnvironment, "the server does not answer: " + error);
  }
  if (!is_away_) tell("the server does not answer (" + error + "); it is asked again");
  is_away_ = true;
  return false;
}

Status NatsSource::check_stream(const NatsStream& stream) const {
  if (stream.gives_by_place) return ok_status();
  return error(ErrorCode::kEnvironment,
               "the stream gives no messages by their place; allow it (nats stream edit " +
                   address_.stream +
                   " --allow-direct), as isolde publish does when it makes "
                   "one");
}

/// False: not now.
Result<bool> NatsSource::connect() {
  if (connection_) return true;
  bool is_refused = false;
  std::string why;
  std::unique_ptr<NatsConnection> made =
      module_.connect(nats_access(address_), is_refused, why);
  if (!made) return heed(is_refused ? NatsOutcome::kRefused : NatsOutcome::kAway, why);
  NatsStream stream;
  const NatsOutcome outcome = made->about(address_.stream, stream, why);
  if (outcome == NatsOutcome::kNone) {
    return error(ErrorCode::kEnvironment, "there is no such stream; isolde publish makes it");
  }
  Result<bool> there = heed(outcome, why);
  if (!there || !*there) return there;
  if (const Status fine = check_stream(stream); !fine) return fine.error();
  connection_ = std::move(made);
  return true;
}

/// A message behind those that were read. False: nothing comes of it.
Result<bool> NatsSource::add(NatsMessage message, base::Budget& budget) {
  const std::string which = "message " + std::to_string(message.sequence);
  read_to_ = message.sequence;
  ++begun_messages_;
  NatsBlock block;
  if (!parse_nats_block(message.block, block) ||
      message.data.size() > block.total - block.offset || message.data.empty()) {
    return error(ErrorCode::kBadInput,
                 which +
                     " of the stream was not written by isolde publish; choose a name that "
                     "no other program publishes to");
  }
  const bool has_begun = !bytes_.empty();
  if (block.group < before_.groups ||
      (block.group == before_.groups && block.offset < bytes_.size())) {
    if (repeated_++ == 0) {
      tell(which + " repeats a part of group " + std::to_string(block.group) +
           ", which was read before; it is passed over, as is what else was read");
    }
    return false;
  }
  if (block.group != before_.groups || block.offset != bytes_.size()) {
    cut_off_ = name_ + " lacks messages: " + which + " has a part of group " +
               std::to_string(block.group) + ", and the rest of group " +
               std::to_string(before_.groups) + " did not come before it";
    return false;
  }
  if (has_begun && (block.total != block_.total || block.contents != block_.contents)) {
    return error(ErrorCode::kBadInput,
                 which +
                     " of the stream is of another group with the same number; two "
                     "recorders have published under one name");
  }
  if (!budget.admits(bytes_.size() + message.data.size())) {
    return error(ErrorCode::kLimit, budget.reason());
  }
  block_ = block;
  if (has_begun) {
    bytes_ += message.data;
  } else {
    bytes_ = std::move(message.data);
  }
  return bytes_.size() == block_.total;
}

/// What is in the bytes of a whole group.
Result<Part> NatsSource::give(base::Budget& budget) {
  io::binary::Header header;
  if (bytes_.size() >= sizeof header) std::memcpy(&header, bytes_.data(), sizeof header);
  const std::uint64_t contents = base::mix2(contents_, header.hash);
  if (contents != block_.contents) {
    return error(ErrorCode::kBadInput,
                 "group " + std::to_string(block_.group) +
                     " does not follow on those before it; two recorders have published under "
                     "one name");
  }
  const io::Input group(name_, std::exchange(bytes_, {}));
  Result<History> history = io::read_native_binary_group(group, before_, budget);
  if (!history) return history.error();
  contents_ = contents;
  place_ = read_to_;
  messages_ += std::exchange(begun_messages_, 0);
  return Part{std::move(history).value(), before_.open_since, before_.at_end};
}

Result<Source::Next> NatsSource::next(base::Budget& budget) {
  while (before_.groups < most_groups_ && !before_.at_end && cut_off_.empty()) {
    if (!budget.look()) return error(ErrorCode::kLimit, budget.reason());
    Result<bool> there = connect();
    if (!there) return there.error();
    NatsMessage message;
    NatsOutcome outcome = NatsOutcome::kAway;
    if (*there) {
      std::string why;
      outcome = connection_->next(address_.stream, subject_, read_to_ + 1, message, why);
      there = heed(outcome, why);
      if (!there) return there.error();
    }
    if (outcome == NatsOutcome::kAway && options_.follows) return Next{};
    if (outcome == NatsOutcome::kAway) {
      std::this_thread::sleep_for(kNatsPause);
      continue;
    }
    if (outcome == NatsOutcome::kNone) {
      if (most_groups_ != kAll) cut_off_ = "the stream has become shorter";
      if (most_groups_ != kAll) break;
      return Next{std::nullopt, !options_.follows};
    }
    const Result<bool> whole = add(std::move(message), budget);
    if (!whole) return whole.error();
    if (!*whole) continue;
    Result<Part> part = give(budget);
    if (!part) return part.error();
    return Next{std::move(part).value()};
  }
  // Who visits what was read before needs all of it.
  if (most_groups_ != kAll && !cut_off_.empty()) {
    return error(ErrorCode::kEnvironment,
                 "the stream has no longer what was read: " + cut_off_);
  }
  return Next{std::nullopt, true};
}

Result<std::unique_ptr<Source>> NatsSource::again() const {
  SourceOptions options = options_;
  options.follows = false;
  options.tell = {};  // all of it was told
  return std::unique_ptr<Source>(
      std::make_unique<NatsSource>(module_, address_, options, before_.groups));
}

Position NatsSource::position() const {
  return {{{.source = 0,
            .name = name_,
            .before = before_,
            .contents = contents_,
            .place = place_}}};
}

Status NatsSource::resume(const Position& position, base::Budget& budget) {
  if (position.files.size() != 1) {
    return error(ErrorCode::kEnvironment, "what was read before is something else");
  }
  goes_on_ = true;
  const FilePosition& then = position.files.front();
  NatsMessage message;
  NatsStream stream;
  NatsOutcome found = NatsOutcome::kAway;
  for (NatsOutcome outcome = NatsOutcome::kAway; outcome == NatsOutcome::kAway;) {
    if (!budget.look()) return error(ErrorCode::kLimit, budget.reason());
    const Result<bool> there = connect();
    if (!there) return there.error();
    if (*there) {
      std::string why;
      outcome = connection_->about(address_.stream, stream, why);
      if (outcome == NatsOutcome::kDone && then.place > 0) {
        found = connection_->at(address_.stream, then.place, message, why);
        if (found == NatsOutcome::kAway) outcome = found;
      }
      if (const Result<bool> fine = heed(outcome, why); !fine) return fine.error();
    }
    if (outcome == NatsOutcome::kAway) std::this_thread::sleep_for(kNatsPause);
  }
  NatsBlock block;
  const bool is_same = found == NatsOutcome::kDone && message.subject == subject_ &&
                       parse_nats_block(message.block, block) &&
                       block.contents == then.contents;
  // Where it was deleted, the next message shows whether it is the same recorder's.
  const bool is_gone = found != NatsOutcome::kDone && then.place <= stream.last;
  if (then.place > 0 && !is_same && !is_gone) {
    return error(
        ErrorCode::kEnvironment,
        "the stream does not have what was read before at place " + std::to_string(then.place));
  }
  before_ = then.before;
  before_.session_prefix = options_.session_prefix;
  before_.clock = options_.clock;
  if (before_.clock) before_.clock->has_read(name_, before_);
  contents_ = then.contents;
  place_ = then.place;
  read_to_ = then.place;
  return ok_status();
}

std::string NatsSource::cut_off() const {
  if (!cut_off_.empty()) return cut_off_;
  if (!bytes_.empty()) return "the last group is cut off";
  return before_.end_is_told && !before_.at_end ? "no group says that it is the last" : "";
}

void NatsSource::acknowledge(const Position& position) {
  if (position.files.empty() || position.files.front().place == 0 || !connection_) return;
  // What is not said now is with the next checkpoint. The first time, one that died before may
  // have left some.
  std::string ignored;
  const std::uint64_t most = has_acknowledged_ ? messages_ : 0;
  const NatsOutcome said = connection_->acknowledge(
      address_.stream, subject_, "isolde-" + address_.recorders.front(),
      position.files.front().place, most, ignored);
  has_acknowledged_ = said == NatsOutcome::kDone;
  messages_ = 0;
}

}  // namespace isolde::stream
