#include "stream/publisher.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace isolde::stream {
namespace {

/// For the headers of a message; and a piece that is smaller than this is not worth a message.
constexpr std::uint64_t kHeaders = 1024;

}  // namespace

Publisher::Publisher(const NatsModule& module, NatsAddress address,
                     const PublisherOptions& options)
    : module_(module),
      address_(std::move(address)),
      options_(options),
      name_(address_.name_of(address_.recorders.front())),
      subject_(address_.stream + "." + address_.recorders.front()) {}

Error Publisher::error(ErrorCode code, const std::string& what) const {
  return {code, name_ + ": " + what};
}

void Publisher::tell(const std::string& what) const {
  if (options_.tell) options_.tell(name_ + ": " + what);
}

/// Of an answer that is none: waits a little, or says why that is of no use.
Status Publisher::await(NatsOutcome outcome, const std::string& why, base::Budget& budget) {
  if (outcome == NatsOutcome::kRefused) return error(ErrorCode::kEnvironment, why);
  if (outcome != NatsOutcome::kAway) {
    if (is_away_) tell("the server answers again");
    is_away_ = false;
    return ok_status();
  }
  const Clock::time_point now = Clock::now();
  if (!is_away_) away_since_ = now;
  if (!options_.follows && (!connection_ || now - away_since_ > kNatsPatience)) {
    return error(ErrorCode::kEnvironment, "the server does not answer: " + why);
  }
  if (!is_away_) tell("the server does not answer (" + why + "); it is asked again");
  is_away_ = true;
  std::this_thread::sleep_for(kNatsPause);
  if (!budget.look()) return error(ErrorCode::kLimit, budget.reason());
  return ok_status();
}

/// And the stream is there.
Status Publisher::connect(base::Budget& budget) {
  while (true) {
    bool is_refused = false;
    std::string why;
    std::unique_ptr<NatsConnection> made =
        module_.connect(nats_access(address_), is_refused, why);
    NatsStream stream;
    NatsOutcome outcome = is_refused ? NatsOutcome::kRefused : NatsOutcome::kAway;
    if (made) outcome = made->about(address_.stream, stream, why);
    if (outcome == NatsOutcome::kNone) {
      outcome = made->create(address_.stream, why);
      if (outcome == NatsOutcome::kDone) outcome = made->about(address_.stream, stream, why);
    }
    if (const Status fine = await(outcome, why, budget); !fine) return fine;
    if (outcome != NatsOutcome::kDone) continue;
    if (!stream.gives_by_place) {
      return error(ErrorCode::kEnvironment,
                   "the stream gives no messages by their place; allow it (nats stream edit " +
                       address_.stream + " --allow-direct)");
    }
    if (stream.most_bytes < 2 * kHeaders) {
      return error(ErrorCode::kEnvironment,
                   "the server takes messages of " + std::to_string(stream.most_bytes) +
                       " bytes at most; raise its max_payload, or the stream's max_msg_size");
    }
    most_bytes_ = stream.most_bytes - kHeaders;
    connection_ = std::move(made);
    return ok_status();
  }
}

/// How far the subject has come.
Status Publisher::find_last(base::Budget& budget) {
  NatsMessage message;
  NatsOutcome outcome = NatsOutcome::kAway;
  while (outcome == NatsOutcome::kAway) {
    std::string why;
    outcome = connection_->last(address_.stream, subject_, message, why);
    if (const Status fine = await(outcome, why, budget); !fine) return fine;
  }
  if (outcome == NatsOutcome::kNone && !last_) return ok_status();
  if (outcome == NatsOutcome::kNone || message.sequence < place_) {
    return error(ErrorCode::kEnvironment,
                 "the stream has lost messages that it had acknowledged; publish again, which "
                 "goes on behind those that it has");
  }
  NatsBlock block;
  if (!parse_nats_block(message.block, block)) {
    return error(ErrorCode::kBadInput,
                 "message " + std::to_string(message.sequence) +
                     " of the stream was not written by isolde publish; choose a name that no "
                     "other program publishes to");
  }
  last_ = block;
  last_size_ = message.data.size();
  place_ = message.sequence;
  return ok_status();
}

bool Publisher::is_there(const NatsBlock& block) const {
  return last_ && (block.group < last_->group ||
                   (block.group == last_->group && block.offset < last_->offset + last_size_));
}

Status Publisher::check_same(const NatsBlock& group) const {
  if (!last_ || last_->group != group.group) return ok_status();
  if (last_->contents == group.contents && last_->total == group.total) return ok_status();
  return error(ErrorCode::kBadInput, "the recorder has published another file: its group " +
                                         std::to_string(group.group) +
                                         " is another one; choose another name for this file");
}

Status Publisher::send(std::string_view piece, const NatsBlock& block, base::Budget& budget) {
  const std::string id = address_.recorders.front() + ":" + std::to_string(block.group) + ":" +
                         std::to_string(block.offset);
  const NatsMessage message{
      .sequence = 0, .subject = subject_, .block = block.text(), .data = std::string(piece)};
  while (true) {
    std::string why;
    std::uint64_t place = 0;
    const NatsOutcome outcome =
        connection_->publish(address_.stream, message, id, place_, place, why);
    if (outcome == NatsOutcome::kDone) {
      last_ = block;
      last_size_ = piece.size();
      place_ = place;
      ++counts_.messages;
    }
    if (outcome == NatsOutcome::kNone) {
      return error(ErrorCode::kEnvironment, "the stream has gone");
    }
    const bool was_away = is_away_;
    if (const Status fine = await(outcome, why, budget); !fine) return fine;
    if (outcome == NatsOutcome::kDone) return ok_status();
    if (outcome != NatsOutcome::kBehind) continue;
    // An acknowledgement was lost, or somebody else publishes.
    const std::uint64_t before = place_;
    if (const Status found = find_last(budget); !found) return found;
    if (const Status same = check_same(block); !same) return same;
    if (!was_away && !has_met_other_)
      tell("another publisher sends the same recorder's groups");
    has_met_other_ = has_met_other_ || !was_away;
    if (is_there(block)) return ok_status();
    if (place_ == before) {
      return error(ErrorCode::kEnvironment,
                   "the server takes the message for one that it had, and does not have it; "
                   "was the stream emptied? Publish again when its window for duplicates is "
                   "over");
    }
  }
}

/// What of it is not there yet.
Status Publisher::send_group(const std::string& bytes, const NatsBlock& group,
                             base::Budget& budget) {
  if (const Status same = check_same(group); !same) return same;
  NatsBlock block = group;
  while (block.offset < bytes.size()) {
    if (last_ && last_->group > group.group) return ok_status();
    if (last_ && last_->group == group.group) {
      block.offset = std::max(block.offset, last_->offset + last_size_);
      if (block.offset >= bytes.size()) break;
    }
    const std::string_view piece = std::string_view(bytes).substr(block.offset, most_bytes_);
    if (const Status sent = send(piece, block, budget); !sent) return sent;
  }
  return ok_status();
}

Status Publisher::publish(io::GroupReader& file, base::Budget& budget) {
  if (const Status connected = connect(budget); !connected) return connected;
  if (const Status found = find_last(budget); !found) return found;
  while (true) {
    std::string bytes;
    const Result<std::optional<History>> group = file.next(budget, &bytes);
    if (!group) return group.error();
    if (!*group) {
      if (!options_.follows || file.before().at_end || file.is_closed()) break;
      std::this_thread::sleep_for(kNatsPause);
      if (!budget.look()) return error(ErrorCode::kLimit, budget.reason());
      continue;
    }
    const NatsBlock block{.group = file.before().groups - 1,
                          .offset = 0,
                          .total = bytes.size(),
                          .contents = file.contents()};
    const std::uint64_t before = counts_.messages;
    if (const Status sent = send_group(bytes, block, budget); !sent) return sent;
    if (counts_.messages == before) {
      ++counts_.there;
      continue;
    }
    ++counts_.groups;
    counts_.txns += (*group)->txn_count();
  }
  if (!last_ || last_->group < file.before().groups) return ok_status();
  return error(ErrorCode::kBadInput, "the recorder has published more groups than " +
                                         file.path() + " has; is it another file?");
}

}  // namespace isolde::stream
