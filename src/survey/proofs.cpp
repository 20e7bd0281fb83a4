#include "survey/proofs.hpp"

#include <algorithm>
#include <string>

#include "certify/certificate_io.hpp"
#include "certify/verify.hpp"

namespace isolde::survey {

Result<std::vector<ProofFile>> write_proofs(api::Checked& checked,
                                            std::span<const Level> levels,
                                            const std::filesystem::path& history) {
  std::vector<ProofFile> proofs;
  for (const Level level : levels) {
    const auto report = std::ranges::find(checked.report.levels, level, &LevelReport::level);
    const bool is_decided =
        report->verdict == Verdict::kHolds || report->verdict == Verdict::kViolated;
    if (!is_decided || std::ranges::count(proofs, level, &ProofFile::level) > 0) continue;
    const std::string name(info(level).name);
    const api::LentCertificate certificate(checked, *report);
    const certify::VerifyResult result = certify::verify(*checked.history, *certificate);
    if (!result.proves) {
      return Error{ErrorCode::kInternal, history.string() + ": the proof about " + name +
                                             " does not verify: " + result.reason};
    }
    std::filesystem::path file = history;
    file.replace_extension(name + ".certificate");
    const Status written =
        certify::write_certificate(*checked.history, *certificate, file.string());
    if (!written) return written.error();
    proofs.push_back({level, report->verdict, std::move(file)});
  }
  return proofs;
}

}  // namespace isolde::survey
