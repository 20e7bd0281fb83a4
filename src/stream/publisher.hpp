// Publisher: sends the groups of a recorder's file to a stream of NATS JetStream, from which a
// watch takes them (nats_source.hpp).
//
// The stream knows how far it has come: what the last message of the recorder's subject says.
// So nothing is kept beside it; a publisher that begins anew reads its file from the beginning,
// passes over what is there, and sees by the checksum of all groups that it is the same file.
// Each message is stored only behind the one before it, so two publishers of one file do not
// disturb each other, and those of two files under one name are told apart.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.hpp"
#include "io/group_reader.hpp"
#include "isolde/status.hpp"
#include "stream/nats.hpp"

namespace isolde::stream {

struct PublisherOptions {
  /// A server that is away is waited for as long as it takes; and more at the end of the file.
  bool follows = false;
  /// Is told what is worth a line. May be empty.
  std::function<void(const std::string& line)> tell = {};
};

class Publisher {
 public:
  /// What was done.
  struct Counts {
    std::uint64_t txns = 0;  ///< those in `groups`
    std::uint64_t groups = 0;
    std::uint64_t messages = 0;
    std::uint64_t there = 0;  ///< groups that the stream had before
  };

  /// REQUIRES: the address has one recorder.
  Publisher(const NatsModule& module, NatsAddress address, const PublisherOptions& options);

  /// All groups of the file, as long as there are some. A stream that is not there is made.
  /// ERRORS: kBadInput: the recorder has published another file, or it is damaged;
  /// kEnvironment; kLimit.
  Status publish(io::GroupReader& file, base::Budget& budget);
  const Counts& counts() const { return counts_; }

 private:
  using Clock = std::chrono::steady_clock;

  Status connect(base::Budget& budget);
  Status await(NatsOutcome outcome, const std::string& why, base::Budget& budget);
  Status find_last(base::Budget& budget);
  Status send_group(const std::string& bytes, const NatsBlock& group, base::Budget& budget);
  Status send(std::string_view piece, const NatsBlock& block, base::Budget& budget);
  Status check_same(const NatsBlock& group) const;
  bool is_there(const NatsBlock& block) const;
  Error error(ErrorCode code, const std::string& what) const;
  void tell(const std::string& what) const;

  const NatsModule& module_;
  NatsAddress address_;
  PublisherOptions options_;
  std::string name_;
  std::string subject_;
  std::unique_ptr<NatsConnection> connection_;
  std::size_t most_bytes_ = 0;  // in a piece

  std::optional<NatsBlock> last_;  // of the subject
  std::uint64_t last_size_ = 0;    // bytes of that message
  std::uint64_t place_ = 0;        // where that message stands
  bool is_away_ = false;
  bool has_met_other_ = false;
  Clock::time_point away_since_;
  Counts counts_;
};

}  // namespace isolde::stream
