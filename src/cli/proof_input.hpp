// `verify` and `explain` take the same two arguments: a certificate and its history.
#pragma once

#include <string>
#include <string_view>

#include "certify/verify.hpp"
#include "cli/cli11.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::cli {

struct ProofInput {
  std::string certificate_path;
  std::string history_path;
  std::string format;

  void add_to(CLI::App& app);
};

/// Whether the file's first line has the text, as far as heads of files go. Pipes are not
/// looked into, for what was read from them is gone.
bool head_has(const std::string& path, std::string_view text);

struct LoadedProof {
  History history;
  Certificate certificate;
  certify::VerifyResult result;
};

/// Reads both files and runs the independent verifier. Where the certificate trusts versions,
/// so does the history. ERRORS: those of the readers.
Result<LoadedProof> load_proof(const ProofInput& input);

}  // namespace isolde::cli
