// NatsSource: the groups that a recorder published to a stream of NATS JetStream, as
// `isolde publish` does (publisher.hpp).
//
// A group is one message, or several where it is larger than the server takes. Each says which
// bytes of which group it has and what all groups to that one are (NatsBlock), so that it does
// not matter how often a message was published, or whether one is missing: what was read before
// is passed over, and where something is missing the source ends, and says what. Messages are
// asked for by their place in the stream, so the server keeps nothing about this reader, and a
// server that was away is asked again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "stream/nats.hpp"
#include "stream/source.hpp"

namespace isolde::stream {

class NatsSource : public Source {
 public:
  static constexpr std::uint32_t kAll = std::numeric_limits<std::uint32_t>::max();
  /// It connects when something is asked of it. `most_groups` as FileSource's.
  NatsSource(const NatsModule& module, NatsAddress address, const SourceOptions& options,
             std::uint32_t most_groups = kAll);

  Result<Next> next(base::Budget& budget) override;
  bool can_begin_anew() const override { return true; }
  Result<std::unique_ptr<Source>> again() const override;
  Position position() const override;
  Status resume(const Position& position, base::Budget& budget) override;
  std::string cut_off() const override;
  /// The durable consumer `isolde-RECORDER` of the stream stands behind the position.
  void acknowledge(const Position& position) override;

 private:
  using Clock = std::chrono::steady_clock;

  Result<bool> connect();
  Status check_stream(const NatsStream& stream) const;
  Result<bool> heed(NatsOutcome outcome, const std::string& error);
  Result<bool> add(NatsMessage message, base::Budget& budget);
  Result<Part> give(base::Budget& budget);
  Error error(ErrorCode code, const std::string& what) const;
  void tell(const std::string& what) const;

  const NatsModule& module_;
  NatsAddress address_;  // of one recorder
  SourceOptions options_;
  std::uint32_t most_groups_;
  std::string name_;
  std::string subject_;
  std::unique_ptr<NatsConnection> connection_;

  io::GroupsBefore before_;
  std::uint64_t contents_ = 0;
  std::uint64_t place_ = 0;           // of the last message of the last whole group
  std::uint64_t read_to_ = 0;         // of the last message
  NatsBlock block_;                   // of the group that has begun
  std::string bytes_;                 // of it, so far
  std::uint64_t repeated_ = 0;        // messages that were passed over
  std::uint64_t begun_messages_ = 0;  // behind place_
  std::uint64_t messages_ = 0;        // up to place_, since they were acknowledged
  bool has_acknowledged_ = false;
  bool goes_on_ = false;  // there was a server, of which the position tells
  bool is_away_ = false;
  Clock::time_point away_since_;
  std::string cut_off_;
};

}  // namespace isolde::stream
