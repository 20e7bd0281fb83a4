// One check from history to report: decide, weigh the evidence, explain. The command line and
// the functions of the library (isolde/isolde.hpp) are two users of this; neither decides or
// words anything by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "check/check.hpp"
#include "explain/report_model.hpp"
#include "history/certificate.hpp"
#include "history/evidence.hpp"
#include "isolde/history.hpp"

namespace isolde::api {

struct Settings {
  CheckOptions check;
  /// Levels that hold are unknown when fewer transactions took effect.
  std::uint64_t min_committed = 1;
  /// Levels that hold are unknown when the history does not put them to the test.
  bool require_evidence = false;
};

/// A history's verdicts, for the renderers. The history outlives it.
struct Checked {
  const History* history = nullptr;
  CheckReport report;                        ///< verdicts with proofs
  explain::ReportModel model;                ///< of *history
  std::optional<std::uint64_t> digest = {};  ///< of *history, once a certificate was needed
  /// Where inserts were refused, the model is of this: *history with these as reads.
  std::unique_ptr<const History> shown = {};
};

/// Decides, counts the evidence, and takes back what holds on none. Levels not decided within
/// the budget are unknown. Nothing is explained yet.
Checked check(const History& history, const Settings& settings, base::Budget& budget);
/// The same of a history that may have unlisted rows (History::has_unlisted_rows()). Where the
/// check needs them it lists them. Where it does not, all levels hold or do not apply, and they
/// stay unlisted: nobody may verify or explain then. ERRORS: as History::list_rows().
Result<Checked> check_listing(History& history, const Settings& settings, base::Budget& budget);

/// As if the check had been asked for that level and had found this proof, weighed as there.
/// Nothing is explained yet. REQUIRES: the certificate is verified. COST: linear in the
/// history.
Checked proved(const History& history, const Certificate& certificate, base::Budget& budget);

/// As if a check had found this report, and that evidence of the whole, weighed as there.
/// Nothing is explained yet. Levels without a proof (kNoProof) stay unexplained.
Checked reported(const History& history, CheckReport report, const history::Evidence& evidence,
                 const Settings& settings);

/// Stands for a history that limits did not let in.
History empty_history(const std::string& file, const std::string& format);
/// Of such a history: nothing is known of any level. `reason` is one printable line.
Checked not_loaded(const History& empty, const Settings& settings, const std::string& reason);

/// Does work that looks at no limits. Returns why it was ended before its end, or nothing.
using Within = std::function<std::string(const std::function<void()>& work)>;

/// Verifies the proof of each decided level (certify::verify). Of a proof that does not stand
/// the verdict is taken back, and this returns one printable line; nothing of that kind is
/// expected. A level whose proof the limits have no room for is unknown. Those that were
/// verified before, and have none here, count on. COST: linear in the
/// history for each decided level.
std::vector<std::string> verify_proofs(Checked& checked, const Within& within);

/// Tells of each violated level what is wrong, as far as the limits have room for it.
void explain(Checked& checked, const Within& within);
/// The same without limits.
void explain(Checked& checked);

/// The certificate of a decided level. COST: copies the proof.
Certificate certificate(const Checked& checked, const LevelReport& level);

/// The certificate of a decided level, without a copy of the proof: while it lives, the proof
/// is in it and not in the report. COST: with the digest, a pass over the history, the first
/// time; without it the certificate is for explanations only, which tell no digest.
class LentCertificate {
 public:
  enum class Digest : std::uint8_t { kWith, kWithout };
  LentCertificate(Checked& checked, const LevelReport& level, Digest digest = Digest::kWith);
  ~LentCertificate();
  LentCertificate(const LentCertificate&) = delete;
  LentCertificate& operator=(const LentCertificate&) = delete;

  const Certificate& operator*() const { return certificate_; }

 private:
  Proof& proof_;
  Certificate certificate_;
};

/// Why what is there says nothing of a level that it satisfies: too few transactions took
/// effect, or the input is cut off. Empty: it does say something.
std::string why_no_verdict(const History& history, const history::Evidence& evidence,
                           std::uint64_t min_committed);

}  // namespace isolde::api
