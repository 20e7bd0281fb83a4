// isolde-nats.so: see stream/nats.hpp.
#include <nats/nats.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <limits>

#include "stream/nats.hpp"

namespace isolde::stream {
namespace {

constexpr std::int64_t kWaitMs = 2000;  // for an answer
constexpr std::int64_t kPauseMs = 200;  // before connecting again
constexpr std::int64_t kFetchMs = 300;  // for what is to be acknowledged

/// One of the library's objects.
template <typename T, void (*kDestroy)(T*)>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (object_ != nullptr) kDestroy(object_);
  }
  T* get() const { return object_; }
  T** into() { return &object_; }

 private:
  T* object_ = nullptr;
};

using Message = Owned<natsMsg, natsMsg_Destroy>;
using Options = Owned<natsOptions, natsOptions_Destroy>;
using Subscription = Owned<natsSubscription, natsSubscription_Destroy>;
using StreamInfo = Owned<jsStreamInfo, jsStreamInfo_Destroy>;
using ConsumerInfo = Owned<jsConsumerInfo, jsConsumerInfo_Destroy>;
using PubAck = Owned<jsPubAck, jsPubAck_Destroy>;
using Metadata = Owned<jsMsgMetaData, jsMsgMetaData_Destroy>;

bool is_away(natsStatus status) {
  switch (status) {
    case NATS_TIMEOUT:
    case NATS_NO_SERVER:
    case NATS_IO_ERROR:
    case NATS_NO_RESPONDERS:
    case NATS_CONNECTION_CLOSED:
    case NATS_CONNECTION_DISCONNECTED:
    case NATS_NOT_YET_CONNECTED:
    case NATS_STALE_CONNECTION:
      return true;
    default:
      return false;
  }
}

NatsOutcome outcome(natsStatus status, std::string& error) {
  if (status == NATS_OK) return NatsOutcome::kDone;
  if (status == NATS_NOT_FOUND) return NatsOutcome::kNone;
  error = natsStatus_GetText(status);
  if (status == NATS_NO_RESPONDERS) error = "nobody answers for JetStream there";
  if (is_away(status)) return NatsOutcome::kAway;
  natsStatus last = NATS_OK;
  const char* const more = nats_GetLastError(&last);
  if (last == status && more != nullptr && *more != '\0') error = more;
  return NatsOutcome::kRefused;
}

NatsMessage message_of(natsMsg* from) {
  NatsMessage message;
  message.sequence = natsMsg_GetSequence(from);
  message.subject = natsMsg_GetSubject(from);
  const char* block = nullptr;
  if (natsMsgHeader_Get(from, kNatsBlockHeader, &block) == NATS_OK) message.block = block;
  message.data.assign(natsMsg_GetData(from),
                      static_cast<std::size_t>(natsMsg_GetDataLength(from)));
  return message;
}

class Connection : public NatsConnection {
 public:
  ~Connection() override {
    jsCtx_Destroy(context_);
    natsConnection_Destroy(connection_);
  }

  natsStatus connect(natsOptions* options) {
    natsStatus status = natsConnection_Connect(&connection_, options);
    jsOptions wait;
    jsOptions_Init(&wait);
    wait.Wait = kWaitMs;
    if (status == NATS_OK) status = natsConnection_JetStream(&context_, connection_, &wait);
    return status;
  }

  NatsOutcome next(const std::string& stream, const std::string& subject, std::uint64_t from,
                   NatsMessage& message, std::string& error) override {
    jsDirectGetMsgOptions wanted;
    jsDirectGetMsgOptions_Init(&wanted);
    wanted.Sequence = from;
    wanted.NextBySubject = subject.c_str();
    return get(stream, wanted, message, error);
  }
  NatsOutcome at(const std::string& stream, std::uint64_t place, NatsMessage& message,
                 std::string& error) override {
    jsDirectGetMsgOptions wanted;
    jsDirectGetMsgOptions_Init(&wanted);
    wanted.Sequence = place;
    return get(stream, wanted, message, error);
  }
  NatsOutcome last(const std::string& stream, const std::string& subject, NatsMessage& message,
                   std::string& error) override {
    jsDirectGetMsgOptions wanted;
    jsDirectGetMsgOptions_Init(&wanted);
    wanted.LastBySubject = subject.c_str();
    return get(stream, wanted, message, error);
  }

  NatsOutcome about(const std::string& stream, NatsStream& found, std::string& error) override {
    StreamInfo info;
    jsErrCode code{};
    const natsStatus status =
        js_GetStreamInfo(info.into(), context_, stream.c_str(), nullptr, &code);
    if (status != NATS_OK) return outcome(status, error);
    found.first = info.get()->State.FirstSeq;
    found.last = info.get()->State.LastSeq;
    found.gives_by_place = info.get()->Config->AllowDirect;
    found.most_bytes = static_cast<std::uint64_t>(
        std::max<std::int64_t>(natsConnection_GetMaxPayload(connection_), 0));
    const std::int64_t most = info.get()->Config->MaxMsgSize;
    if (most > 0)
      found.most_bytes = std::min(found.most_bytes, static_cast<std::uint64_t>(most));
    return NatsOutcome::kDone;
  }

  NatsOutcome create(const std::string& stream, std::string& error) override {
    const std::string subjects = stream + ".>";
    const char* all[] = {subjects.c_str()};
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = stream.c_str();
    config.Subjects = all;
    config.SubjectsLen = 1;
    config.Retention = js_LimitsPolicy;
    config.Storage = js_FileStorage;
    config.AllowDirect = true;
    jsErrCode code{};
    const natsStatus status = js_AddStream(nullptr, context_, &config, nullptr, &code);
    // Another collector was faster.
    if (code == JSStreamNameExistErr) return NatsOutcome::kDone;
    return outcome(status, error);
  }

  NatsOutcome publish(const std::string& stream, const NatsMessage& message,
                      const std::string& id, std::uint64_t behind, std::uint64_t& sequence,
                      std::string& error) override {
    Message made;
    natsStatus status =
        natsMsg_Create(made.into(), message.subject.c_str(), nullptr, message.data.data(),
                       static_cast<int>(message.data.size()));
    if (status == NATS_OK) {
      status = natsMsgHeader_Set(made.get(), kNatsBlockHeader, message.block.c_str());
    }
    if (status != NATS_OK) return outcome(status, error);
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.MsgId = id.c_str();
    options.ExpectStream = stream.c_str();
    options.ExpectLastSubjectSeq = behind;
    options.ExpectNoMessage = behind == 0;
    PubAck stored;
    jsErrCode code{};
    status = js_PublishMsg(stored.into(), context_, made.get(), &options, &code);
    if (code == JSStreamWrongLastSequenceErr) return NatsOutcome::kBehind;
    if (status != NATS_OK) return outcome(status, error);
    if (stored.get()->Duplicate) return NatsOutcome::kBehind;
    sequence = stored.get()->Sequence;
    return NatsOutcome::kDone;
  }

  NatsOutcome acknowledge(const std::string& stream, const std::string& subject,
                          const std::string& consumer, std::uint64_t up_to, std::uint64_t most,
                          std::string& error) override {
    jsConsumerConfig config;
    jsConsumerConfig_Init(&config);
    config.Durable = consumer.c_str();
    config.DeliverPolicy = js_DeliverAll;
    config.AckPolicy = js_AckExplicit;
    config.FilterSubject = subject.c_str();
    config.HeadersOnly = true;
    jsErrCode code{};
    ConsumerInfo consumer_now;
    natsStatus status =
        js_AddConsumer(consumer_now.into(), context_, stream.c_str(), &config, nullptr, &code);
    if (status != NATS_OK) return outcome(status, error);
    std::uint64_t left =
        consumer_now.get()->NumPending + static_cast<std::uint64_t>(std::max<std::int64_t>(
                                             consumer_now.get()->NumAckPending, 0));
    if (most > 0) left = std::min(left, most);
    Subscription messages;
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Stream = stream.c_str();
    options.Consumer = consumer.c_str();
    options.Config = config;
    status = js_PullSubscribe(messages.into(), context_, subject.c_str(), consumer.c_str(),
                              nullptr, &options, &code);
    bool more = status == NATS_OK;
    while (more && left > 0) {
      constexpr std::uint64_t kMost = 256;
      natsMsgList list{};
      status = natsSubscription_Fetch(&list, messages.get(),
                                      static_cast<int>(std::min(left, kMost)), kFetchMs, &code);
      more = status == NATS_OK && list.Count > 0;
      for (int i = 0; i < list.Count; ++i) more &= acknowledge(list.Msgs[i], up_to);
      left -= std::min(left, static_cast<std::uint64_t>(list.Count));
      natsMsgList_Destroy(&list);
    }
    // Somebody who died has some of them; they come again.
    if (status == NATS_TIMEOUT || status == NATS_NOT_FOUND) status = NATS_OK;
    natsConnection_FlushTimeout(connection_, kWaitMs);
    return outcome(status, error);
  }

 private:
  NatsOutcome get(const std::string& stream, jsDirectGetMsgOptions& wanted,
                  NatsMessage& message, std::string& error) {
    Message found;
    const natsStatus status =
        js_DirectGetMsg(found.into(), context_, stream.c_str(), nullptr, &wanted);
    if (status == NATS_OK) message = message_of(found.get());
    return outcome(status, error);
  }

  /// False: it is one behind these, of which another time will come.
  static bool acknowledge(natsMsg* message, std::uint64_t up_to) {
    Metadata about;
    if (natsMsg_GetMetaData(about.into(), message) != NATS_OK) return false;
    if (about.get()->Sequence.Stream <= up_to) return natsMsg_Ack(message, nullptr) == NATS_OK;
    natsMsg_Nak(message, nullptr);
    return false;
  }

  natsConnection* connection_ = nullptr;
  jsCtx* context_ = nullptr;
};

natsStatus set(natsOptions* options, const NatsAccess& access) {
  natsStatus status = natsOptions_SetURL(options, access.server.c_str());
  const auto then = [&](natsStatus next) {
    if (status == NATS_OK) status = next;
  };
  constexpr int kForEver = -1;
  then(natsOptions_SetName(options, "isolde"));
  then(natsOptions_SetTimeout(options, kWaitMs));
  then(natsOptions_SetMaxReconnect(options, kForEver));
  then(natsOptions_SetReconnectWait(options, kPauseMs));
  then(natsOptions_SetFailRequestsOnDisconnect(options, true));
  if (!access.user.empty()) {
    then(natsOptions_SetUserInfo(options, access.user.c_str(), access.password.c_str()));
  }
  if (!access.credentials.empty()) {
    then(natsOptions_SetUserCredentialsFromFiles(options, access.credentials.c_str(), nullptr));
  }
  if (access.server.starts_with("tls://")) then(natsOptions_SetSecure(options, true));
  if (!access.authority.empty()) {
    then(natsOptions_LoadCATrustedCertificates(options, access.authority.c_str()));
  }
  if (!access.certificate.empty()) {
    then(natsOptions_LoadCertificatesChain(options, access.certificate.c_str(),
                                           access.key.c_str()));
  }
  return status;
}

std::unique_ptr<NatsConnection> connect(const NatsAccess& access, bool& is_refused,
                                        std::string& error) {
  // Signals are for the thread that checks; the library's threads inherit what is set here.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  Options options;
  natsStatus status = natsOptions_Create(options.into());
  if (status == NATS_OK) status = set(options.get(), access);
  auto connection = std::make_unique<Connection>();
  if (status == NATS_OK) status = connection->connect(options.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (status == NATS_OK) return connection;
  is_refused = outcome(status, error) == NatsOutcome::kRefused;
  return nullptr;
}

}  // namespace
}  // namespace isolde::stream

extern "C" __attribute__((visibility("default"))) const isolde::stream::NatsModule*
isolde_nats_module() {
  static constexpr isolde::stream::NatsModule kModule{isolde::stream::kNatsModuleVersion,
                                                      isolde::stream::connect};
  return &kModule;
}
