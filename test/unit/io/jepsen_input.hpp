// What the tests of Jepsen's workloads share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "certify/verify.hpp"
#include "check/check.hpp"
#include "history/verdicts.hpp"
#include "unit/io/foreign_input.hpp"

namespace isolde::io {

inline Result<History> edn(std::string_view text) {
  return read_with("jepsen", one_file("h.edn", text));
}

inline void expect_refused(const std::vector<BrokenCase>& cases) {
  for (const BrokenCase& broken : cases) {
    const auto history = edn(broken.bytes);
    ASSERT_FALSE(history.ok()) << broken.what << ": " << text_of(history);
    EXPECT_EQ(history.error().code, ErrorCode::kBadInput) << broken.what;
    EXPECT_EQ(history.error().message.find(broken.message_start), 0U)
        << broken.what << ": " << history.error().message;
  }
}

/// The verdict, when the proofs of all verdicts are accepted.
inline Verdict proved_verdict(const History& history, Level level) {
  base::Budget budget;
  const CheckReport report = check(history, {}, budget);
  for (const LevelReport& row : report.levels) {
    if (row.verdict != Verdict::kHolds && row.verdict != Verdict::kViolated) continue;
    const Certificate certificate{row.level, history.digest(),    0, report.proofs[row.proof],
                                  false,     sums_of(report, row)};
    const certify::VerifyResult verified = certify::verify(history, certificate);
    EXPECT_TRUE(verified.proves) << info(row.level).name << ": " << verified.reason;
  }
  return report.levels[static_cast<std::size_t>(level)].verdict;
}

}  // namespace isolde::io
