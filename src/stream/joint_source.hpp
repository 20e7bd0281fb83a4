// JointSource: several sources as one.
//
// The next part comes from the source of which the earliest transactions may still come: the
// one whose own watermark (the `open_since` of its last part) is smallest, and of equal ones
// the first. Where that one has nothing yet, all wait. So the order is one of what the sources
// hold, whenever it was written. No transaction of a later part starts before the smallest of
// these watermarks; a source that is over counts no more.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stream/gathered.hpp"
#include "stream/source.hpp"

namespace isolde::stream {

/// The first part has the first ones of all sources, so that all initial contents come with it.
class JointSource : public Source {
 public:
  struct Named {
    std::string name;  ///< for messages
    std::unique_ptr<Source> source;
  };
  explicit JointSource(std::vector<Named> sources);

  /// ERRORS: also kBadInput: their initial contents differ, or come later than in a first part.
  Result<Next> next(base::Budget& budget) override;
  bool can_begin_anew() const override;
  Result<std::unique_ptr<Source>> again() const override;
  Position position() const override;
  Status resume(const Position& position, base::Budget& budget) override;
  std::string cut_off() const override;
  void acknowledge(const Position& position) override;

 private:
  struct Member {
    Named named;
    std::int64_t open_since = kNoTime;
    bool has_begun = false;  // its first part was read, or there is none
    bool is_last = false;    // what was read was its last part
    bool is_over = false;
    bool is_cut_off = false;  // and not at its end
  };

  Result<Next> begin(base::Budget& budget);
  void note(Member& member, const Part& part);
  Member* earliest();
  std::int64_t open_since();

  std::vector<Member> members_;
  std::vector<Part> firsts_;  // until all are there; then the last one is given next
  bool has_begun_ = false;
  std::int64_t told_ = kNoTime;
};

}  // namespace isolde::stream
