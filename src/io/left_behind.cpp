#include "io/left_behind.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/budget.hpp"
#include "base/text.hpp"
#include "io/group_follower.hpp"
#include "io/leftovers.hpp"
#include "io/line_pieces.hpp"
#include "io/reader.hpp"
#include "io/source.hpp"
#include "isolde/history.hpp"

namespace isolde::io {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

/// A transaction of the folder.
struct Found {
  const LeftoverText* leftover = nullptr;
  std::string line;
  std::string session;
};

class Taker {
 public:
  Taker(std::string path, int text, bool is_second)
      : path_(std::move(path)),
        text_(text),
        header_(is_second ? "{\"isolde\":2,\"kind\":\"history\"}\n"
                          : "{\"isolde\":1,\"kind\":\"history\"}\n") {}

  Result<LeftBehind> take(const LeftoverTexts& texts, const Leftovers& folder);

 private:
  Result<Found> found(const LeftoverText& leftover, const Leftovers& folder);
  Status count(std::map<std::string, std::uint64_t>& sessions);
  Result<std::string> cut_line();

  const std::string path_;
  const int text_;
  const std::string header_;
  base::Budget unlimited_;
  std::uint64_t size_ = 0;
  std::uint64_t whole_ = 0;  // bytes in whole lines
};

/// The line made whole, and whose it is.
Result<Found> Taker::found(const LeftoverText& leftover, const Leftovers& folder) {
  Found found{.leftover = &leftover, .line = std::string(leftover.text), .session = {}};
  if (!leftover.is_whole()) {
    // It has no outcome: it breaks off inside of its operations, behind the first bracket.
    const std::size_t begin = found.line.find('{') + 1;
    found.line.insert(begin, R"("status":"indeterminate",)");
    found.line += "]}\n";
  }
  const Result<History> alone =
      read_bytes(header_ + found.line, leftover.file->name, "native", unlimited_);
  if (!alone || alone->txn_count() != 1) {
    const std::string problem = alone ? "the text is not a transaction" : alone.error().message;
    return bad_leftover(folder, *leftover.file, 64, problem);
  }
  found.session = alone->session_name(alone->session_of(TxnId::at(0)));
  return found;
}

/// How many transactions of these sessions the text has.
Status Taker::count(std::map<std::string, std::uint64_t>& sessions) {
  LinePieces pieces(path_, text_, kPieceBytes);
  while (true) {
    const Result<std::string> piece = pieces.next(size_);
    if (!piece) return piece.error();
    if (piece->empty()) break;
    // The text's own header is none of a part's, unless it is the first.
    const std::string text = pieces.lines_before() == 0 ? *piece : header_ + *piece;
    const Result<History> part = read_bytes(text, path_, "native", unlimited_);
    if (!part) return part.error();
    for (std::size_t i = 0; i < part->session_count(); ++i) {
      const SessionId session = SessionId::at(i);
      const auto known = sessions.find(part->session_name(session));
      if (known != sessions.end()) known->second += part->session_txns(session).size();
    }
  }
  whole_ = pieces.bytes();
  return ok_status();
}

/// Behind the last line that has a line break.
Result<std::string> Taker::cut_line() {
  std::string line(size_ - whole_, '\0');
  const ssize_t count = pread(text_, line.data(), line.size(), static_cast<off_t>(whole_));
  if (count < 0) {
    return cannot_be(path_, "read", errno);
  }
  line.resize(static_cast<std::size_t>(count));
  return line;
}

std::string event_line(const LeftBehind& left, std::size_t open) {
  std::string what = "the recorder ended before it could say that this is all; ";
  if (left.txns == 0) {
    what += "no transaction was under way";
  } else {
    what +=
        base::plural(left.txns, "transaction") + " taken from its folder of what was under way";
    if (open > 0) what += ", " + std::to_string(open) + " of them with unknown outcome";
  }
  return R"({"event":"stopped","what":")" + what + "\"}\n";
}

Result<LeftBehind> Taker::take(const LeftoverTexts& texts, const Leftovers& folder) {
  struct stat about {};
  if (fstat(text_, &about) != 0) {
    return cannot_be(path_, "read", errno);
  }
  size_ = static_cast<std::uint64_t>(about.st_size);
  std::vector<Found> all;
  std::map<std::string, std::uint64_t> known;
  for (const LeftoverText& leftover : texts.texts) {
    Result<Found> one = found(leftover, folder);
    if (!one) return one.error();
    known.emplace(one->session, 0);
    all.push_back(std::move(*one));
  }
  if (const Status counted = count(known); !counted) return counted.error();
  const Result<std::string> cut = cut_line();
  if (!cut) return cut.error();
  LeftBehind left;
  left.is_all = !texts.recording_stopped && (cut->empty() || is_cut_line_known(texts, *cut));
  std::size_t open = 0;
  for (const Found& one : all) {
    const std::uint64_t there = known[one.session];
    if (there > one.leftover->position) continue;
    if (there < one.leftover->position) left.is_all = false;
    left.lines += one.line;
    ++left.txns;
    if (!one.leftover->is_whole()) ++open;
  }
  left.lines += event_line(left, open);
  return left;
}

}  // namespace

Result<LeftBehind> left_behind(const std::string& path, int text, bool is_second) {
  Leftovers folder = look_for_leftovers(path);
  if (folder.state != Leftovers::State::kRead) return LeftBehind();
  base::Budget unlimited;
  if (const Status loaded = load_leftovers(folder, unlimited); !loaded) return loaded.error();
  const Result<LeftoverTexts> texts = parse_leftovers(folder);
  if (!texts) return texts.error();
  return Taker(path, text, is_second).take(*texts, folder);
}

}  // namespace isolde::io
