// Certificates as files: JSON Lines, specified in docs/formats/certificate.md. Transactions are
// numbered by their position in the history, so a certificate is only readable together with
// the history that it is about.
#pragma once

#include <string>
#include <string_view>

#include "history/certificate.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::certify {

/// Writes the certificate to the file, or to standard output for "-". The bytes depend only on
/// history and certificate. REQUIRES: all ids in it exist in the history. ERRORS: kEnvironment.
Status write_certificate(const History& history, const Certificate& certificate,
                         const std::string& path);

/// The same as text.
std::string certificate_text(const History& history, const Certificate& certificate);

/// Reads the file, or standard input for "-". ERRORS: kEnvironment; kBadInput "file:line: ..."
/// for anything that is not a certificate for a history of this size. Says nothing about
/// whether it proves anything: verify() does.
Result<Certificate> read_certificate(const std::string& path, const History& history);

/// The same from memory; `name` is for messages.
Result<Certificate> parse_certificate(std::string_view bytes, std::string_view name,
                                      const History& history);

}  // namespace isolde::certify
