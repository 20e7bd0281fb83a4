#include "cli/segments_proof.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/budget.hpp"
#include "base/memory_guard.hpp"
#include "base/text.hpp"
#include "certify/segment_replay.hpp"
#include "cli/options.hpp"
#include "cli/proof_input.hpp"
#include "io/reader.hpp"
#include "io/source.hpp"
#include "stream/source.hpp"

namespace isolde::cli {
namespace {

/// The history, part by part: of the native-binary format a group at a time, of others all.
class Parts {
 public:
  static Result<Parts> open(const std::vector<std::string>& paths, const std::string& format,
                            base::Budget& budget) {
    Parts parts;
    const std::string& path = paths.front();
    if (paths.size() > 1 || format == "native-binary" || io::is_directory(path) ||
        (format.empty() && head_has(path, "ISOLDEB1"))) {
      Result<std::unique_ptr<stream::Source>> source =
          stream::open_sources(paths, {.clock = parts.clock_.get()});
      if (!source) return source.error();
      parts.source_ = std::move(source).value();
      return parts;
    }
    Result<History> whole = io::read_history(path, format, budget);
    if (!whole) return whole.error();
    parts.whole_ = std::move(whole).value();
    return parts;
  }

  /// Nothing: no more comes.
  Result<std::optional<History>> next(base::Budget& budget) {
    while (source_) {
      Result<stream::Source::Next> next = source_->next(budget);
      if (!next) return next.error();
      if (next->part) return std::optional<History>(std::move(next->part->history));
      if (next->is_over) return std::optional<History>();
    }
    return std::exchange(whole_, std::nullopt);
  }
  /// Why what was read is not all; empty: it is.
  std::string missing() const { return source_ ? source_->cut_off() : ""; }
  /// A checksum of the files, where the format has one.
  std::optional<std::uint64_t> contents() const {
    return source_ ? std::optional(source_->position().contents()) : std::nullopt;
  }

 private:
  // At one place, wherever the parts are moved.
  std::unique_ptr<stream::CommonClock> clock_ = std::make_unique<stream::CommonClock>();
  std::unique_ptr<stream::Source> source_;
  std::optional<History> whole_;
};

class Verification {
 public:
  Verification(Parts parts, const certify::SegmentsHeader& header, base::Budget& budget)
      : parts_(std::move(parts)),
        budget_(budget),
        replay_(header.level, header.clock_error_ns, header.initial_is_unknown, header.keys) {}

  Status add(const certify::Segment& segment, SegmentsProof& proof) {
    if (segment.end) return end(*segment.end, proof);
    replay_.raise_clock_error(segment.clock_error_ns);
    proof.clock_error_ns = replay_.clock_error_ns();
    // What comes first tells what registers held at the start, which counts for every state.
    const auto last = std::ranges::max_element(segment.order);
    const std::uint64_t needed = last == segment.order.end() ? 0 : *last;
    while (needed >= replay_.came()) {
      const Result<bool> more = take(proof);
      if (!more) return more.error();
      if (!*more) break;
    }
    if (proof.objection.empty()) proof.objection = replay_.place(segment.order);
    const bool differs = segment.state && *segment.state != replay_.state();
    if (proof.objection.empty() && differs) {
      proof.objection =
          "the registers do not hold what segment " + std::to_string(proof.segments) + " says";
    }
    ++proof.segments;
    return ok_status();
  }

  void tell(SegmentsProof& proof) const {
    proof.came = replay_.came();
    proof.placed = replay_.placed();
    proof.committed = replay_.committed();
    if (proof.objection.empty() && !has_end_) {
      proof.objection = "the file has no end: " + base::plural(proof.segments, "segment") +
                        " with " + base::plural(proof.placed, "transaction") +
                        ", and nothing wrong so far";
    }
  }

 private:
  /// False: there is no more, or what came is wrong.
  Result<bool> take(SegmentsProof& proof) {
    Result<std::optional<History>> part = parts_.next(budget_);
    if (!part) return part.error();
    if (!*part) return false;
    proof.objection = replay_.take(std::move(**part));
    return proof.objection.empty();
  }

  Status end(const certify::Segment::End& end, SegmentsProof& proof) {
    has_end_ = true;
    while (true) {
      const Result<bool> more = take(proof);
      if (!more) return more.error();
      if (!*more) break;
    }
    if (proof.objection.empty()) proof.objection = parts_.missing();
    if (proof.objection.empty() && end.transactions != replay_.came()) {
      proof.objection = "the segments are about " +
                        base::plural(end.transactions, "transaction") + ", the history has " +
                        base::grouped(replay_.came());
    }
    const std::optional<std::uint64_t> contents = parts_.contents();
    if (proof.objection.empty() && contents && *contents != end.contents) {
      proof.objection = "the segments are about another file";
    }
    if (proof.objection.empty()) proof.objection = replay_.finish();
    return ok_status();
  }

  Parts parts_;
  base::Budget& budget_;
  certify::SegmentReplay replay_;
  bool has_end_ = false;
};

Result<SegmentsProof> verify(certify::SegmentsReader& segments,
                             const std::vector<std::string>& histories,
                             const std::string& format, base::Budget& budget) {
  SegmentsProof proof;
  proof.header = segments.header();
  proof.clock_error_ns = proof.header.clock_error_ns;
  if (!certify::SegmentReplay::proves(proof.header.level)) {
    proof.objection =
        std::string("segments prove nothing of ") + std::string(info(proof.header.level).name);
    return proof;
  }
  Result<Parts> parts = Parts::open(histories, format, budget);
  if (!parts) return parts.error();
  Verification verification(std::move(parts).value(), proof.header, budget);
  while (proof.objection.empty()) {
    const Result<std::optional<certify::Segment>> segment = segments.next();
    if (!segment) return segment.error();
    if (!*segment) break;
    if (const Status read = verification.add(**segment, proof); !read) return read.error();
  }
  verification.tell(proof);
  return proof;
}

}  // namespace

bool is_segments_file(const std::string& path) {
  return head_has(path, certify::kSegmentsBegin);
}

Result<SegmentsProof> verify_segments(const std::string& segments,
                                      const std::vector<std::string>& histories,
                                      const std::string& format) {
  base::Budget budget(0, default_memory_bytes());
  const base::MemoryGuard memory(budget);
  Result<certify::SegmentsReader> reader = certify::SegmentsReader::open(segments);
  if (!reader) return reader.error();
  return verify(*reader, histories, format, budget);
}

}  // namespace isolde::cli
