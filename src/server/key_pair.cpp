#include "server/key_pair.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

#include "base/assert.hpp"

namespace isolde::server {
namespace {

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
using Text = std::unique_ptr<BIO, Free<BIO_free_all>>;

Error failure() {
  const char* const reason = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return {ErrorCode::kEnvironment, "cannot make a key for the servers: " +
                                       std::string(reason == nullptr ? "OpenSSL" : reason)};
}

Text new_text() {
  Text text(BIO_new(BIO_s_mem()));
  ISOLDE_CHECK(text != nullptr);
  return text;
}

std::string content(const Text& text) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

/// From the first day that certificates know to the last.
bool set_times(X509* certificate) {
  return ASN1_TIME_set(X509_getm_notBefore(certificate), 0) != nullptr &&
         ASN1_TIME_set_string(X509_getm_notAfter(certificate), "99991231235959Z") == 1;
}

bool set_name(X509* certificate) {
  X509_NAME* const name = X509_get_subject_name(certificate);
  return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                    reinterpret_cast<const unsigned char*>("isolde"), -1, -1,
                                    0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1;
}

bool make_authority(X509* certificate) {
  const Extension extension(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_basic_constraints, "critical,CA:TRUE"));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

}  // namespace

Result<KeyPair> make_key_pair() {
  ERR_clear_error();
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  if (key == nullptr || certificate == nullptr) return failure();
  X509* const raw = certificate.get();
  const bool made = X509_set_version(raw, X509_VERSION_3) == 1 &&
                    ASN1_INTEGER_set(X509_get_serialNumber(raw), 1) == 1 && set_times(raw) &&
                    set_name(raw) && make_authority(raw) &&
                    X509_set_pubkey(raw, key.get()) == 1 &&
                    X509_sign(raw, key.get(), EVP_sha256()) > 0;
  const Text key_text = new_text();
  const Text certificate_text = new_text();
  if (!made ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                               nullptr) != 1 ||
      PEM_write_bio_X509(certificate_text.get(), raw) != 1) {
    return failure();
  }
  return KeyPair{content(key_text), content(certificate_text)};
}

}  // namespace isolde::server
