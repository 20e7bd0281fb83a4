#include "stream/joint_source.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace isolde::stream {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// What a position says of each source; those behind the last one are left out.
std::vector<Position> each_of(const Position& position, std::size_t sources) {
  std::vector<Position> each(sources);
  for (const FilePosition& file : position.files) {
    if (file.source >= sources) continue;
    each[file.source].files.push_back(file);
    each[file.source].files.back().source = 0;
  }
  return each;
}

}  // namespace

JointSource::JointSource(std::vector<Named> sources) {
  for (Named& named : sources) members_.push_back({std::move(named)});
}

void JointSource::note(Member& member, const Part& part) {
  member.has_begun = true;
  member.open_since = std::max(member.open_since, part.open_since);
  member.is_last = part.is_last;
}

/// Since when transactions are open that are still to come.
std::int64_t JointSource::open_since() {
  std::int64_t earliest = kNever;
  for (const Member& member : members_) {
    const bool has_more = !member.is_over || member.is_cut_off;  // though it will not come
    if (has_more && !member.is_last) earliest = std::min(earliest, member.open_since);
  }
  // Where none comes, what was said last stays true.
  if (earliest != kNever) told_ = std::max(told_, earliest);
  return told_;
}

/// The first parts of all, once they are there.
Result<Source::Next> JointSource::begin(base::Budget& budget) {
  for (Member& member : members_) {
    if (member.has_begun) continue;
    Result<Next> next = member.named.source->next(budget);
    if (!next) return next.error();
    if (!next->part && !next->is_over) return Next{};
    member.has_begun = true;
    member.is_over = next->is_over;
    member.is_cut_off = next->is_over && !member.named.source->cut_off().empty();
    if (!next->part) continue;
    note(member, *next->part);
    firsts_.push_back(std::move(*next->part));
  }
  has_begun_ = true;
  // What rounds cannot check comes first, by itself, and ends the check.
  std::stable_partition(firsts_.begin(), firsts_.end(),
                        [](const Part& part) { return !Gathered::can_hold(part.history); });
  Gathered gathered;
  for (Part& part : std::exchange(firsts_, {})) {
    if (!Gathered::can_hold(part.history)) {
      firsts_.push_back(std::move(part));
    } else if (const Status added = gathered.add(std::move(part.history)); !added) {
      return added.error();
    }
  }
  if (!gathered.is_empty()) {
    Result<History> joined = gathered.take();
    if (!joined) return joined.error();
    firsts_.push_back({std::move(joined).value()});
  }
  std::reverse(firsts_.begin(), firsts_.end());
  return this->next(budget);
}

JointSource::Member* JointSource::earliest() {
  // What is lost of it the others may have read: nothing that comes later tells any more.
  if (std::ranges::any_of(members_, &Member::is_cut_off)) return nullptr;
  Member* earliest = nullptr;
  const auto watermark = [](const Member& member) {
    return member.is_last ? kNever : member.open_since;
  };
  for (Member& member : members_) {
    if (member.is_over) continue;
    if (earliest == nullptr || watermark(member) < watermark(*earliest)) earliest = &member;
  }
  return earliest;
}

Result<Source::Next> JointSource::next(base::Budget& budget) {
  if (!has_begun_) return begin(budget);
  if (!firsts_.empty()) {
    Part part = std::move(firsts_.back());
    firsts_.pop_back();
    part.open_since = open_since();
    return Next{std::move(part)};
  }
  while (Member* const member = earliest()) {
    Result<Next> next = member->named.source->next(budget);
    if (!next) return next.error();
    member->is_over = next->is_over;
    if (next->part) {
      note(*member, *next->part);
      if (tells_initial(next->part->history)) {
        return Error{ErrorCode::kBadInput,
                     next->part->history.origin().file +
                         ": it tells initial contents, which only first groups may"};
      }
      next->part->open_since = open_since();
      next->part->is_last = false;
      return next;
    }
    if (!next->is_over) return Next{};
    member->is_cut_off = !member->named.source->cut_off().empty();
  }
  return Next{std::nullopt, true};
}

bool JointSource::can_begin_anew() const {
  return std::ranges::all_of(
      members_, [](const Member& member) { return member.named.source->can_begin_anew(); });
}

/// Each member gives as many parts as it has given, and is over then. That changes nothing of
/// the order: as long as one has parts, its watermark is what it was, and the one that was next
/// still is.
Result<std::unique_ptr<Source>> JointSource::again() const {
  std::vector<Named> twins;
  for (const Member& member : members_) {
    if (!has_begun_) break;  // nothing was given yet
    Result<std::unique_ptr<Source>> twin = member.named.source->again();
    if (!twin) return twin.error();
    twins.push_back({member.named.name, std::move(*twin)});
  }
  return std::unique_ptr<Source>(std::make_unique<JointSource>(std::move(twins)));
}

Position JointSource::position() const {
  Position all;
  for (std::uint32_t i = 0; has_begun_ && i < members_.size(); ++i) {
    for (FilePosition& file : members_[i].named.source->position().files) {
      file.source = i;
      all.files.push_back(std::move(file));
    }
  }
  return all;
}

Status JointSource::resume(const Position& position, base::Budget& budget) {
  if (position.files.empty()) return ok_status();
  for (const FilePosition& file : position.files) {
    if (file.source < members_.size()) continue;
    return Error{ErrorCode::kEnvironment, file.name + ": it was read before, and is not now"};
  }
  const std::vector<Position> each = each_of(position, members_.size());
  for (std::size_t i = 0; i < each.size(); ++i) {
    Member& member = members_[i];
    if (const Status gone = member.named.source->resume(each[i], budget); !gone) return gone;
    for (const FilePosition& file : each[i].files) {
      member.open_since = std::max(member.open_since, file.before.open_since);
    }
    member.has_begun = true;
  }
  open_since();
  has_begun_ = true;
  return ok_status();
}

void JointSource::acknowledge(const Position& position) {
  const std::vector<Position> each = each_of(position, members_.size());
  for (std::size_t i = 0; i < each.size(); ++i) members_[i].named.source->acknowledge(each[i]);
}

std::string JointSource::cut_off() const {
  for (const Member& member : members_) {
    const std::string why = member.named.source->cut_off();
    if (!why.empty()) return member.named.name + ": " + why;
  }
  return "";
}

}  // namespace isolde::stream
