#include "cli/proof_input.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/budget.hpp"
#include "base/memory_guard.hpp"
#include "certify/certificate_io.hpp"
#include "cli/options.hpp"
#include "io/reader.hpp"

namespace isolde::cli {

void ProofInput::add_to(CLI::App& app) {
  app.add_option("certificate", certificate_path, "File that check --certificate wrote")
      ->required()
      ->type_name("CERTIFICATE");
  app.add_option("history", history_path, "The history that it is about")
      ->required()
      ->type_name("HISTORY");
  add_format(app, format);
}

bool head_has(const std::string& path, std::string_view text) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::string head(io::kHeadBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head.substr(0, head.find('\n')).find(text) != std::string::npos;
}

namespace {

/// The two files in the wrong order, or two of a kind.
Status check_kinds(const ProofInput& input) {
  constexpr const char* kOrder = "; give the certificate first, then its history";
  const auto wrong = [&](const std::string& path, const char* what) {
    return Error{ErrorCode::kUsage, path + what + kOrder};
  };
  if (head_has(input.certificate_path, "\"isolde\":")) {
    return wrong(input.certificate_path, " is a history, not a certificate");
  }
  if (head_has(input.history_path, "\"isolde-certificate\":")) {
    return wrong(input.history_path, " is a certificate, not a history");
  }
  return ok_status();
}

}  // namespace

Result<LoadedProof> load_proof(const ProofInput& input) {
  if (const Status right = check_kinds(input); !right) return right.error();
  base::Budget budget(0, default_memory_bytes());
  const base::MemoryGuard memory(budget);
  Result<History> history = io::read_history(input.history_path, input.format, budget);
  if (!history) return history.error();
  Result<Certificate> certificate = certify::read_certificate(input.certificate_path, *history);
  if (!certificate) return certificate.error();
  if (certificate->trusts_versions) history = history->with_trusted_versions();
  if (!history) return history.error();
  certify::VerifyResult result = certify::verify(*history, *certificate);
  return LoadedProof{std::move(history).value(), std::move(certificate).value(),
                     std::move(result)};
}

}  // namespace isolde::cli
