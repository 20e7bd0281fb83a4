// TLS as a filter: OpenSSL works on memory, and what it makes of it goes through the stream
// below, which knows of sockets, time limits and signals.
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <utility>

#include "base/assert.hpp"
#include "db/stream.hpp"

namespace isolde::db {
namespace {

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;

/// The oldest complaint of OpenSSL in this thread, which is the cause of the others.
std::string complaint() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "TLS failed" : reason;
}

Result<Context> make_context(const Tls& tls) {
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_client_method()));
  ISOLDE_CHECK(context != nullptr);
  SSL_CTX* const raw = context.get();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  const bool has_authorities =
      tls.authorities.empty() ? SSL_CTX_set_default_verify_paths(raw) == 1
                              : SSL_CTX_load_verify_file(raw, tls.authorities.c_str()) == 1;
  if (!has_authorities) {
    return usage_error("sslrootcert: " + tls.authorities + ": " + complaint());
  }
  if (!tls.certificate.empty()) {
    if (SSL_CTX_use_certificate_chain_file(raw, tls.certificate.c_str()) != 1) {
      return usage_error("sslcert: " + tls.certificate + ": " + complaint());
    }
    if (SSL_CTX_use_PrivateKey_file(raw, tls.key.c_str(), SSL_FILETYPE_PEM) != 1) {
      return usage_error("sslkey: " + tls.key + ": " + complaint());
    }
  }
  const bool verifies = tls.mode != Tls::Mode::kRequire;
  SSL_CTX_set_verify(raw, verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  return context;
}

class TlsStream final : public Stream {
 public:
  TlsStream(std::unique_ptr<Stream> under, Context context, const Tls& tls,
            const std::string& host)
      : under_(std::move(under)),
        context_(std::move(context)),
        ssl_(SSL_new(context_.get())),
        hint_(hint_at_client_certificate(tls)) {
    ISOLDE_CHECK(ssl_ != nullptr);
    in_ = BIO_new(BIO_s_mem());
    out_ = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl_.get(), in_, out_);  // which belong to it now
    name(host, tls.mode == Tls::Mode::kVerifyFull);
  }

  ~TlsStream() override {
    // A farewell, for which nobody waits.
    if (!is_shaken_ || SSL_shutdown(ssl_.get()) < 0) return;
    static_cast<void>(flush(Clock::now()));
  }

  Status shake_hands(Clock::time_point deadline) {
    const Status done = repeat([this] { return SSL_connect(ssl_.get()); }, deadline);
    is_shaken_ = done.ok();
    return done;
  }

  Status send(std::string_view bytes, Clock::time_point deadline) override {
    if (bytes.empty()) return ok_status();
    std::size_t written = 0;
    const auto write = [&] {
      return SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written);
    };
    if (const Status done = repeat(write, deadline); !done) return with_hint(done.error());
    ISOLDE_CHECK(written == bytes.size());
    return flush(deadline);
  }

  Result<std::size_t> receive(std::span<char> bytes, Clock::time_point deadline) override {
    std::size_t count = 0;
    const auto read = [&] {
      return SSL_read_ex(ssl_.get(), bytes.data(), bytes.size(), &count);
    };
    if (const Status done = repeat(read, deadline); !done) return with_hint(done.error());
    hint_.clear();
    return count;
  }

 private:
  /// For servers of many names, and as what the certificate has to have.
  void name(const std::string& host, bool verifies) {
    X509_VERIFY_PARAM* const wanted = SSL_get0_param(ssl_.get());
    ASN1_OCTET_STRING* const address = a2i_IPADDRESS(host.c_str());
    const bool is_address = address != nullptr;
    ASN1_OCTET_STRING_free(address);
    std::string sent = host;  // as the macro SSL_set_tlsext_host_name has it
    if (!is_address) {
      SSL_ctrl(ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
               sent.data());
    }
    if (!verifies) return;
    const int set = is_address ? X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str())
                               : X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), 0);
    ISOLDE_CHECK(set == 1);
  }

  /// Until the step succeeds, with what it wants to send sent and what it waits for received.
  template <typename Step>
  Status repeat(const Step& step, Clock::time_point deadline) {
    while (true) {
      ERR_clear_error();
      const int result = step();
      const int wish = SSL_get_error(ssl_.get(), result);
      const Status flushed = flush(deadline);
      if (result > 0) return flushed;
      if (wish != SSL_ERROR_WANT_READ) return lost(wish);
      if (!flushed) return flushed;
      std::array<char, 16384> bytes;
      const Result<std::size_t> count = under_->receive(bytes, deadline);
      if (!count) return count.error();
      ISOLDE_CHECK(BIO_write(in_, bytes.data(), static_cast<int>(*count)) ==
                   static_cast<int>(*count));
    }
  }

  Error lost(int wish) const {
    if (wish == SSL_ERROR_ZERO_RETURN) {
      return {ErrorCode::kEnvironment, "Server closed the connection"};
    }
    const long verdict = SSL_get_verify_result(ssl_.get());
    if (verdict != X509_V_OK && SSL_get_verify_mode(ssl_.get()) != SSL_VERIFY_NONE) {
      ERR_clear_error();
      return {ErrorCode::kEnvironment,
              std::string("the server's certificate is not accepted: ") +
                  X509_verify_cert_error_string(verdict)};
    }
    return {ErrorCode::kEnvironment, "TLS: " + complaint()};
  }

  Error with_hint(Error error) const {
    if (error.code != ErrorCode::kLimit) error.message += hint_;
    return error;
  }

  /// Sends what OpenSSL has written.
  Status flush(Clock::time_point deadline) {
    std::array<char, 16384> bytes;
    while (BIO_ctrl_pending(out_) > 0) {
      const int size = BIO_read(out_, bytes.data(), static_cast<int>(bytes.size()));
      ISOLDE_CHECK(size > 0);
      const Status sent =
          under_->send({bytes.data(), static_cast<std::size_t>(size)}, deadline);
      if (!sent) return sent;
    }
    return ok_status();
  }

  std::unique_ptr<Stream> under_;
  Context context_;
  std::unique_ptr<SSL, FreeSsl> ssl_;
  BIO* in_ = nullptr;   // what the server has sent
  BIO* out_ = nullptr;  // what is to be sent
  bool is_shaken_ = false;
  std::string hint_;  // until the server has said something
};

}  // namespace

Result<std::unique_ptr<Stream>> tls_stream(std::unique_ptr<Stream> under, const Tls& tls,
                                           const std::string& host,
                                           Stream::Clock::time_point deadline) {
  Result<Context> context = make_context(tls);
  if (!context) return context.error();
  auto stream =
      std::make_unique<TlsStream>(std::move(under), std::move(context).value(), tls, host);
  if (const Status shaken = stream->shake_hands(deadline); !shaken) return shaken.error();
  return std::unique_ptr<Stream>(std::move(stream));
}

}  // namespace isolde::db
