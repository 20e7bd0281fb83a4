#include "cli/watch_findings.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "certify/certificate_io.hpp"
#include "cli/files.hpp"
#include "cli/options.hpp"
#include "io/writer.hpp"

namespace isolde::cli {

void WatchFindings::add_to(CLI::App& app) {
  app.add_option("--bundle", bundle_,
                 "Write the transactions of a violation, as a history of their own; those of "
                 "the second one to a file with .2 in its name, and so on")
      ->type_name("HISTORY");
  app.add_option("--certificate", certificate_,
                 "Write the proof of a violation, which is about the bundle; with --bundle")
      ->type_name("FILE");
  app.add_flag("--exit-on-violation", exits_,
               "End at the first violation; without --follow, the watch does that anyway");
  whole_number(app.add_option("--max-violations", most_,
                              "With --follow, end when so many violations were found"))
      ->type_name("N")
      ->capture_default_str();
}

Status WatchFindings::check() const {
  if (!certificate_.empty() && bundle_.empty()) {
    return Error{ErrorCode::kUsage, "--certificate is about the bundle; give --bundle too"};
  }
  if (most_ == 0) {
    return Error{ErrorCode::kUsage, "--max-violations: the watch ends at 1 at the earliest"};
  }
  return ok_status();
}

void WatchFindings::begin_behind(std::uint64_t violations, std::string lost) {
  before_ = count_ = violations;
  lost_ = std::move(lost);
}

bool WatchFindings::goes_on(const stream::Rounds& rounds) const {
  // Each loss may take reading all again, and so many without anything settled in between mean
  // that nothing fits any more.
  constexpr std::size_t kMostLosses = 100;
  if (!rounds.can_begin_anew()) return false;
  if (!rounds.violation()) return rounds.settled() > settled_ || losses_ < kMostLosses;
  return !exits_ && count_ + 1 < most_;
}

Status WatchFindings::add(const stream::Violation& violation) {
  ++count_;
  if (!first_) {
    first_ = violation;
    first_number_ = count_;
  }
  if (bundle_.empty()) return ok_status();
  for (const std::string& path : {last_bundle(), last_certificate()}) {
    const auto is_same = [&](const std::string& other) {
      std::error_code ignored;
      return other == path || std::filesystem::equivalent(other, path, ignored);
    };
    if (count_ == 1 || path.empty()) continue;
    const bool is_base = path == bundle_ || path == certificate_;
    if (!is_base && std::ranges::none_of(others_, is_same)) continue;
    return Error{ErrorCode::kEnvironment,
                 path + " is another file of this watch; the violation is not written"};
  }
  const Status written = io::write_history(violation.history, "native", last_bundle());
  if (!written || certificate_.empty()) return written;
  return certify::write_certificate(violation.history, violation.certificate,
                                    last_certificate());
}

void WatchFindings::keep_from(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (!file.empty()) others_.push_back(file);
  }
}

void WatchFindings::lose(const std::string& reason, stream::TxnNumber settled) {
  if (lost_.empty()) lost_ = reason;
  losses_ = settled > settled_ ? 1 : losses_ + 1;
  settled_ = settled;
}

void WatchFindings::remove_earlier(const std::string& source) const {
  const char* const why =
      count_ == 0 ? "no violation was found" : "there were not so many violations";
  for (const std::string& path : {bundle_, certificate_}) {
    if (path.empty()) continue;
    for (std::uint64_t number = count_ + 1;; ++number) {
      const std::string earlier = numbered(path, number);
      std::error_code ignored;
      if (!std::filesystem::exists(earlier, ignored)) break;
      cli::remove_earlier(earlier, source, why);
      if (std::filesystem::exists(earlier, ignored)) break;
    }
  }
}

std::string WatchFindings::numbered(const std::string& path, std::uint64_t number) {
  if (path.empty() || number <= 1) return path;
  const std::size_t name = path.find_last_of('/') + 1;  // 0 where there is none
  const std::size_t dot = path.find('.', name + 1);
  const std::size_t at = dot == std::string::npos ? path.size() : dot;
  return path.substr(0, at) + "." + std::to_string(number) + path.substr(at);
}

std::string WatchFindings::about_others() const {
  std::string text;
  if (before_ > 0) {
    text = base::plural(before_, "violation") +
           " had been found before the checkpoint behind which this watch went on. ";
  }
  if (count_ > before_ + 1) {
    text += base::plural(count_ - before_, "violation") + " were found" +
            (before_ > 0 ? " since" : "") + "; this is the first";
    text += bundle_.empty() ? ". "
                            : ", and the last one's transactions are in " +
                                  base::printable_path(last_bundle()) + ". ";
  }
  if (!lost_.empty() && count_ > 0) text += "Of other transactions no order was found. ";
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace isolde::cli
