// What isolde watch has found: violations, one behind the other, and files with their
// transactions and proofs.
//
// A watch that follows a source goes on behind a violation (stream/rounds.hpp, begin_anew()),
// and behind transactions of which no order was found. The level stays violated, or unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/cli11.hpp"
#include "isolde/status.hpp"
#include "stream/rounds.hpp"

namespace isolde::cli {

class WatchFindings {
 public:
  /// The parser keeps references into this object.
  void add_to(CLI::App& app);
  /// Of a violation, the first one and no other; or empty.
  const std::string& bundle() const { return bundle_; }
  const std::string& certificate() const { return certificate_; }
  /// ERRORS: kUsage.
  Status check() const;
  /// Files that are not to be overwritten by those of later violations.
  void keep_from(const std::vector<std::string>& files);

  /// How many there were in earlier processes, behind whose checkpoint this one goes on, and
  /// why there was no order, perhaps empty.
  void begin_behind(std::uint64_t violations, std::string lost);
  /// Whether the watch goes on behind what rounds tell, which is not among those so far.
  bool goes_on(const stream::Rounds& rounds) const;
  /// A violation: keeps it if it is the first, and writes its files. ERRORS: kEnvironment.
  Status add(const stream::Violation& violation);
  /// No order was found, for that reason, of what came behind so many that are settled.
  void lose(const std::string& reason, stream::TxnNumber settled);
  /// Files of violations that an earlier run has found and this one has not, which are told.
  void remove_earlier(const std::string& source) const;

  /// With those of earlier processes.
  std::uint64_t count() const { return count_; }
  /// Of this process.
  const std::optional<stream::Violation>& first() const { return first_; }
  /// Why no order was found the first time; or empty.
  const std::string& lost() const { return lost_; }
  /// Of first().
  std::string first_bundle() const { return numbered(bundle_, first_number_); }
  /// Those of the last violation; empty where none was asked for.
  std::string last_bundle() const { return numbered(bundle_, count_); }
  std::string last_certificate() const { return numbered(certificate_, count_); }
  /// What there is besides the first one, in sentences; or empty.
  std::string about_others() const;

 private:
  /// The file of the violation with that number, from 1.
  static std::string numbered(const std::string& path, std::uint64_t number);

  std::string bundle_;
  std::string certificate_;
  bool exits_ = false;
  std::uint64_t most_ = 100;
  std::uint64_t before_ = 0;
  std::uint64_t count_ = 0;
  std::optional<stream::Violation> first_;
  std::uint64_t first_number_ = 0;
  std::vector<std::string> others_;  // files
  std::string lost_;
  stream::TxnNumber settled_ = 0;  // when no order was found
  std::size_t losses_ = 0;         // since then
};

}  // namespace isolde::cli
