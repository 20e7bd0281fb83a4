// What of NATS JetStream a source and a collector need: messages of a subject by their place in
// a stream, and to put one behind the last. libnats does it, in a module of its own,
// isolde-nats.so, which is loaded when an address is named, so that the program does not need
// the library. The second half of this header is all that the two have in common.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/status.hpp"

namespace isolde::stream {

/// "nats://HOST:PORT/STREAM/RECORDER,RECORDER"; tls:// is encrypted.
struct NatsAddress {
  std::string server;  ///< "nats://host:port", without user
  std::string user;
  std::string stream;
  std::vector<std::string> recorders;

  /// For messages: without user.
  std::string name_of(const std::string& recorder) const;
};

bool is_nats_address(std::string_view path);
/// ERRORS: kUsage, which quotes no password. At least one recorder, all different.
Result<NatsAddress> parse_nats_address(std::string_view path);

/// What follows a recorder's subject, as a header of each message: which bytes these are, of
/// which group of the recorder's file.
struct NatsBlock {
  std::uint32_t group = 0;
  std::uint64_t offset = 0;    ///< of the message's bytes in the group
  std::uint64_t total = 0;     ///< bytes of the group
  std::uint64_t contents = 0;  ///< io::GroupReader::contents() behind the group

  std::string text() const;
};
/// Who does not follow waits so long for a server that was there, and asks again after a pause.
constexpr std::chrono::seconds kNatsPatience(30);
constexpr std::chrono::milliseconds kNatsPause(100);

constexpr const char* kNatsBlockHeader = "Isolde-Block";
/// False: the text is something else.
bool parse_nats_block(std::string_view text, NatsBlock& block);

// ---- What the module has -----------------------------------------------------------------

/// From the environment, by the names that the program `nats` uses. Empty: not given.
struct NatsAccess {
  std::string server;
  std::string user;         ///< NATS_USER, unless the address has one
  std::string password;     ///< NATS_PASSWORD
  std::string credentials;  ///< NATS_CREDS, a file
  std::string authority;    ///< NATS_CA, a file
  std::string certificate;  ///< NATS_CERT, a file
  std::string key;          ///< NATS_KEY, a file
};

enum class NatsOutcome {
  kDone,
  kNone,     ///< there is no such message, or stream
  kAway,     ///< the server does not answer now
  kBehind,   ///< of publish(): another message is the last one, or it has this one already
  kRefused,  ///< it says no
};

struct NatsMessage {
  std::uint64_t sequence = 0;  ///< its place in the stream
  std::string subject;
  std::string block;  ///< the header above; empty: it has none
  std::string data;
};

struct NatsStream {
  std::uint64_t first = 0;  ///< the places that it has
  std::uint64_t last = 0;
  std::uint64_t most_bytes = 0;  ///< in a message, with headers
  bool gives_by_place = false;   ///< "allow direct"
};

/// Threads: one at a time. It connects again by itself. No call takes longer than some seconds.
/// `error` says why something was not done.
class NatsConnection {
 public:
  virtual ~NatsConnection() = default;
  /// The first message of the subject that stands at that place or behind it.
  virtual NatsOutcome next(const std::string& stream, const std::string& subject,
                           std::uint64_t from, NatsMessage& message, std::string& error) = 0;
  virtual NatsOutcome at(const std::string& stream, std::uint64_t place, NatsMessage& message,
                         std::string& error) = 0;
  virtual NatsOutcome last(const std::string& stream, const std::string& subject,
                           NatsMessage& message, std::string& error) = 0;
  virtual NatsOutcome about(const std::string& stream, NatsStream& found,
                            std::string& error) = 0;
  /// On disk, with all subjects that begin with its name, and without limits.
  virtual NatsOutcome create(const std::string& stream, std::string& error) = 0;
  /// `id` is what the server knows duplicates by. Where the last message of the subject does
  /// not stand at `behind` (0: there is none), nothing is stored.
  virtual NatsOutcome publish(const std::string& stream, const NatsMessage& message,
                              const std::string& id, std::uint64_t behind,
                              std::uint64_t& sequence, std::string& error) = 0;
  /// Moves the durable consumer of that name, which it makes, behind the messages of the
  /// subject up to that place. There are at most so many; 0: nobody knows.
  virtual NatsOutcome acknowledge(const std::string& stream, const std::string& subject,
                                  const std::string& consumer, std::uint64_t up_to,
                                  std::uint64_t most, std::string& error) = 0;
};

struct NatsModule {
  int version;
  /// Null: `error` says why; `is_refused` that it is of no use to try again.
  std::unique_ptr<NatsConnection> (*connect)(const NatsAccess& access, bool& is_refused,
                                             std::string& error);
};
/// Changes with what is above.
constexpr int kNatsModuleVersion = 1;

/// Whether this build has the module. ERRORS: kUsage, saying what it lacks.
Status can_use_nats();
/// Loads it. ERRORS: kUsage as above; kEnvironment: it is not where it was
/// installed.
Result<const NatsModule*> nats_module();
NatsAccess nats_access(const NatsAddress& address);

}  // namespace isolde::stream
