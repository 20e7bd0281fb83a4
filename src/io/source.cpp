// Bytes of histories from files, directories and standard input, unpacked. Large plain files
// are mapped, everything else is read into memory, because every reader wants random access or
// simdjson's padding. Memory grows with the bytes that really come out,
// never with a length that some header claims, and the budget is asked at every step, so that a
// small compressed file that would unpack to a terabyte ends as kLimit instead of as a dead
// machine.
#include "io/source.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/budget.hpp"
#include "base/ways.hpp"
#include "history/inflight.hpp"
#include "io/bad_input.hpp"
#include "io/growing_block.hpp"
#include "io/inflight_watch.hpp"
#include "io/native.hpp"

namespace isolde::io {
namespace {

/// What is read or unpacked stays in a block of pages from here on.
constexpr std::size_t kLarge = std::size_t{1} << 20;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ > STDERR_FILENO) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

Error refused(const std::string& name, int reason) {
  std::string message = name + ": cannot be read: " + std::strerror(reason);
  if (reason == ENOENT) message += "; check the path";
  return {ErrorCode::kEnvironment, std::move(message)};
}

/// Also where the system has no more memory, although no limit is reached.
Error over_limit(const std::string& name, const base::Budget& budget) {
  if (!budget.exhausted()) {
    return {ErrorCode::kLimit, name + ": not enough memory to read it"};
  }
  return {ErrorCode::kLimit, name + ": " + budget.reason() + " while reading the input"};
}

/// What is small stands in a string of its size, because there may be thousands.
Result<Input> input_of(const std::string& name, GrowingBlock& block) {
  if (block.size() < kLarge) return Input::padded(name, block.text());
  std::optional<MappedFile> memory = block.finish(Input::kPadding);
  if (!memory) return Error{ErrorCode::kLimit, name + ": not enough memory to read it"};
  return Input(name, std::move(*memory));
}

/// A named pipe is opened without waiting for somebody who writes; Stream waits.
int open_to_read(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/// Bytes of an open file. What is no plain file may let us wait, and the limits are looked at
/// meanwhile.
class Stream {
 public:
  Stream(int descriptor, const std::string& name, base::Budget& budget)
      : descriptor_(descriptor), name_(name), budget_(budget) {
    struct stat about {};
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) return;
    is_plain_ = true;
    size_ = static_cast<std::size_t>(about.st_size);
  }

  /// Of a plain file; else 0.
  std::size_t size() const { return size_; }
  /// At most `count` bytes; none at the end.
  Result<std::size_t> read_some(char* out, std::size_t count);
  /// Reads until `count` bytes have come, or the end.
  Result<std::size_t> read_up_to(char* out, std::size_t count);

 private:
  Status wait();

  int descriptor_;
  const std::string& name_;
  base::Budget& budget_;
  bool is_plain_ = false;
  std::size_t size_ = 0;
};

/// Until there is something to read, be it the end.
Status Stream::wait() {
  constexpr double kMostMs = 100;
  while (budget_.look()) {
    pollfd what{descriptor_, POLLIN, 0};
    const double most_ms = std::min(budget_.seconds_left() * 1e3, kMostMs);
    const int ready = poll(&what, 1, static_cast<int>(most_ms) + 1);
    // What else is wrong the reading tells.
    if (ready > 0 || (ready < 0 && errno != EINTR)) return ok_status();
  }
  return over_limit(name_, budget_);
}

Result<std::size_t> Stream::read_some(char* out, std::size_t count) {
  while (true) {
    if (!is_plain_) {
      if (const Status there = wait(); !there) return there.error();
    }
    const ssize_t came = read(descriptor_, out, count);
    if (came >= 0) return static_cast<std::size_t>(came);
    if (errno != EINTR && errno != EAGAIN) return refused(name_, errno);
  }
}

Result<std::size_t> Stream::read_up_to(char* out, std::size_t count) {
  std::size_t used = 0;
  while (used < count) {
    const Result<std::size_t> came = read_some(out + used, count - used);
    if (!came) return came;
    if (*came == 0) break;
    used += *came;
  }
  return used;
}

/// The first bytes, up to `count`.
Result<std::string> read_head(Stream& stream, std::size_t count) {
  std::string head;
  const bool is_known = stream.size() > 0 && stream.size() < count;
  // One byte more tells whether there is more.
  head.resize(is_known ? stream.size() + 1 : count);
  Result<std::size_t> came = stream.read_up_to(head.data(), head.size());
  if (!came) return came.error();
  const bool has_grown = *came == head.size() && head.size() < count;
  head.resize(*came);
  if (!has_grown) return head;
  head.resize(count);
  const std::size_t first = *came;
  came = stream.read_up_to(head.data() + first, count - first);
  if (!came) return came.error();
  head.resize(first + *came);
  return head;
}

/// As much as a read takes from a pipe in a moment, so that limits are looked at.
constexpr std::size_t kPipeStep = std::size_t{64} << 10;

/// All bytes of what is small, or is no plain file.
Result<Input> read_all(int descriptor, const std::string& name, base::Budget& budget) {
  constexpr std::size_t kHead = std::size_t{64} << 10;
  Stream stream(descriptor, name, budget);
  Result<std::string> head = read_head(stream, kHead);
  if (!head) return head.error();
  if (head->size() < kHead) return Input::padded(name, std::move(*head));
  GrowingBlock block;
  char* room = block.room(budget);
  if (room == nullptr) return over_limit(name, budget);
  std::memcpy(room, head->data(), head->size());
  block.add(head->size());
  head->clear();
  head->shrink_to_fit();
  while (true) {
    room = block.room(budget);
    if (room == nullptr) return over_limit(name, budget);
    std::size_t used = 0;
    while (used < GrowingBlock::kStep) {
      const Result<std::size_t> count =
          stream.read_some(room + used, std::min(kPipeStep, GrowingBlock::kStep - used));
      if (!count) return count.error();
      if (*count == 0) {
        block.add(used);
        return input_of(name, block);
      }
      used += *count;
      if (!budget.spend(kPipeStep)) return over_limit(name, budget);
    }
    block.add(used);
  }
}

bool starts_with(std::string_view bytes, std::string_view magic, std::size_t offset = 0) {
  return bytes.size() >= offset && bytes.substr(offset).starts_with(magic);
}

struct Magic {
  std::string_view bytes;
  std::size_t offset;
  std::string_view advice;
};

/// Containers that people try and that are no history.
constexpr std::array<Magic, 4> kRefused = {{
    {"ustar", 257, "a tar archive; unpack the archive first and give the directory"},
    {"PK\x03\x04", 0, "a zip archive; unpack the archive first and give the directory"},
    {std::string_view("\xfd"
                      "7zXZ\0",
                      6),
     0, "xz data; unpack it first with xz -d"},
    {"\x04\x22\x4d\x18", 0, "lz4 data; unpack it first with lz4 -d"},
}};

/// The magic bytes of bzip2 and the level in between: of its first block, or of its end.
bool is_bzip2(std::string_view bytes) {
  return starts_with(bytes, "BZh") &&
         (starts_with(bytes, "1AY&SY", 4) || starts_with(bytes, "\x17\x72\x45\x38\x50\x90", 4));
}

/// What the byte order mark of a text says; empty when there is none. Binary formats begin with
/// small numbers, so that a character behind the mark tells them from text.
std::string_view byte_order_mark(std::string_view bytes) {
  const auto is_text = [](char c) { return c == '\n' || c == '\r' || c == '\t' || c >= ' '; };
  const auto is_wide = [&](std::size_t text, std::size_t zero) {
    return bytes.size() >= 6 && is_text(bytes[2 + text]) && is_text(bytes[4 + text]) &&
           bytes[2 + zero] == 0 && bytes[4 + zero] == 0;
  };
  if (starts_with(bytes, "\xef\xbb\xbf") && (bytes.size() == 3 || is_text(bytes[3]))) {
    return "begins with a byte order mark (EF BB BF); expected text without one; save it as "
           "UTF-8 without BOM, or cut the first three bytes off with tail -c +4";
  }
  if ((starts_with(bytes, "\xff\xfe") && is_wide(0, 1)) ||
      (starts_with(bytes, "\xfe\xff") && is_wide(1, 0))) {
    return "is UTF-16 text; expected UTF-8; convert it with iconv -f UTF-16 -t UTF-8";
  }
  return {};
}

constexpr std::string_view kGzip = "\x1f\x8b\x08";
constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";

/// `offset` counts packed bytes.
Error broken_packing(const std::string& name, std::size_t offset, std::string_view kind,
                     const std::string& reason) {
  return bad_byte(name, offset,
                  "broken " + std::string(kind) + " data: " + reason +
                      "; unpack by hand what is there, or copy the file again");
}

/// What comes out of packed bytes, all of it or the beginning. `packed` is given back as it is
/// read.
class Unpacking {
 public:
  Unpacking(const Input& packed, std::string_view bytes, std::size_t most, base::Budget& budget)
      : packed_(packed), bytes_(bytes), most_(most), budget_(budget) {}

  Status gzip();
  Status zstd();
  GrowingBlock& block() { return block_; }

 private:
  bool has_enough() const { return block_.size() >= most_; }
  Error refused_by_zstd(std::size_t offset, std::size_t code) const;
  Error over() const { return over_limit(packed_.name, budget_); }
  Error broken(std::size_t offset, std::string_view kind, const std::string& reason) const {
    return broken_packing(packed_.name, offset, kind, reason);
  }
  void forget(std::size_t read) {
    if (read - forgotten_ < GrowingBlock::kStep) return;
    packed_.forget(forgotten_, read);
    forgotten_ = read;
  }

  const Input& packed_;
  std::string_view bytes_;
  std::size_t most_;
  base::Budget& budget_;
  GrowingBlock block_;
  std::size_t forgotten_ = 0;
};

/// All members of a gzip file.
Status Unpacking::gzip() {
  constexpr int kGzipOnly = 15 + 16;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) {
    return Error{ErrorCode::kLimit, packed_.name + ": not enough memory to unpack"};
  }
  const std::unique_ptr<z_stream, int (*)(z_streamp)> closer(&stream, inflateEnd);
  std::string_view rest = bytes_;
  while (!has_enough()) {
    // zlib counts in 32 bits, so that both sides are fed in pieces.
    const std::size_t piece = std::min<std::size_t>(rest.size(), 1U << 30);
    char* const room = block_.room(budget_);
    if (room == nullptr) return over();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    stream.avail_in = static_cast<uInt>(piece);
    stream.next_out = reinterpret_cast<Bytef*>(room);
    stream.avail_out = static_cast<uInt>(GrowingBlock::kStep);
    const int state = inflate(&stream, Z_NO_FLUSH);
    rest.remove_prefix(piece - stream.avail_in);
    block_.add(GrowingBlock::kStep - stream.avail_out);
    forget(bytes_.size() - rest.size());
    if (state == Z_STREAM_END) {
      if (rest.empty()) break;
      if (!starts_with(rest, kGzip))
        return broken(bytes_.size() - rest.size(), "gzip", "other bytes follow the end");
      inflateReset(&stream);
    } else if (state != Z_OK && state != Z_BUF_ERROR) {
      return broken(bytes_.size() - rest.size(), "gzip",
                    stream.msg != nullptr ? stream.msg : "bad block");
    } else if (rest.empty() && stream.avail_out != 0 && !has_enough()) {
      return broken(bytes_.size(), "gzip", "it ends too early");
    }
  }
  return ok_status();
}

/// What only an option of zstd's unpacks is not broken, as far as anybody can tell.
Error Unpacking::refused_by_zstd(std::size_t offset, std::size_t code) const {
  switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_dictionary_wrong:
      return bad_byte(packed_.name, offset,
                      "it was compressed with a dictionary, or is damaged; unpack it with zstd "
                      "-d -D DICTIONARY, or copy the file again");
    case ZSTD_error_frameParameter_windowTooLarge:
      return bad_byte(packed_.name, offset,
                      "it was compressed in a large window, or is damaged; unpack it with "
                      "zstd's option long=31, or copy the file again");
    default:
      return broken(offset, "zstd", ZSTD_getErrorName(code));
  }
}

/// All frames of a zstd file.
Status Unpacking::zstd() {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                        ZSTD_freeDCtx);
  if (!context) {
    return Error{ErrorCode::kLimit, packed_.name + ": not enough memory to unpack"};
  }
  ZSTD_inBuffer in = {bytes_.data(), bytes_.size(), 0};
  while (!has_enough()) {
    char* const room = block_.room(budget_);
    if (room == nullptr) return over();
    ZSTD_outBuffer target = {room, GrowingBlock::kStep, 0};
    const std::size_t missing = ZSTD_decompressStream(context.get(), &target, &in);
    if (ZSTD_isError(missing) != 0U) return refused_by_zstd(in.pos, missing);
    block_.add(target.pos);
    forget(in.pos);
    if (in.pos < in.size) continue;
    if (missing == 0) break;
    if (target.pos < target.size && !has_enough())
      return broken(in.size, "zstd", "it ends too early");
  }
  return ok_status();
}

/// A file of two bytes may be the beginning of one that was cut off.
bool is_gzip(std::string_view bytes) {
  return starts_with(bytes, kGzip) || bytes == kGzip.substr(0, 2);
}

bool is_packed(std::string_view bytes) { return is_gzip(bytes) || starts_with(bytes, kZstd); }

/// Unpacked, if it is packed: all of it, or `most` bytes at least if there are as many.
Result<Input> unpacked(Input input, std::size_t most, base::Budget& budget) {
  const std::string_view bytes = input.view();
  if (!is_packed(bytes)) return input;
  Unpacking unpacking(input, bytes, most, budget);
  const Status status = is_gzip(bytes) ? unpacking.gzip() : unpacking.zstd();
  if (!status) return status.error();
  Result<Input> whole = input_of(input.name, unpacking.block());
  if (whole) whole->compressed = true;
  return whole;
}

Status check_kind(const Input& input) {
  for (const Magic& magic : kRefused) {
    if (!starts_with(input.view(), magic.bytes, magic.offset)) continue;
    return Error{ErrorCode::kBadInput, input.name + ": is " + std::string(magic.advice)};
  }
  if (is_bzip2(input.view())) {
    return Error{ErrorCode::kBadInput,
                 input.name + ": is bzip2 data; unpack it first with bzip2 -d"};
  }
  const std::string_view mark = byte_order_mark(input.view());
  if (!mark.empty()) return bad_byte(input.name, 0, mark);
  return ok_status();
}

Result<Input> finish_input(Input input, base::Budget& budget) {
  Result<Input> whole = unpacked(std::move(input), ~std::size_t{0}, budget);
  if (!whole) return whole;
  if (const Status kind = check_kind(*whole); !kind) return kind.error();
  return whole;
}

/// None for what is small, no plain file, or cannot be mapped.
std::optional<MappedFile> map_large(int descriptor) {
  struct stat about {};
  if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  // Standard input may have been read in part.
  if (about.st_size == 0 || static_cast<std::size_t>(about.st_size) < base::ways().map_from ||
      lseek(descriptor, 0, SEEK_CUR) != 0) {
    return std::nullopt;
  }
  return MappedFile::map(descriptor, static_cast<std::size_t>(about.st_size), Input::kPadding);
}

Result<Input> load_file(const std::string& name, base::Budget& budget) {
  const Descriptor file(name == "-" ? STDIN_FILENO : open_to_read(name));
  if (file.number() < 0) return refused(name, errno);
  if (auto mapped = map_large(file.number())) {
    return finish_input(Input(name, std::move(*mapped)), budget);
  }
  Result<Input> input = read_all(file.number(), name, budget);
  if (!input) return input;
  return finish_input(std::move(*input), budget);
}

/// The beginning of a file, longer than what detection looks at if the file is.
Result<Input> load_head(const std::string& name, base::Budget& budget) {
  constexpr std::size_t kMost = kHeadBytes + 1;
  // Out of which so much comes when it is packed: blocks of zstd are of 128 KiB.
  constexpr std::size_t kPackedMost = std::size_t{160} << 10;
  const Descriptor file(open_to_read(name));
  if (file.number() < 0) return refused(name, errno);
  Stream stream(file.number(), name, budget);
  Result<std::string> bytes = read_head(stream, kMost);
  if (!bytes) return bytes.error();
  const bool packed = is_packed(*bytes);
  if (packed && bytes->size() == kMost) {
    const std::size_t first = bytes->size();
    bytes->resize(kPackedMost);
    const Result<std::size_t> came =
        stream.read_up_to(bytes->data() + first, kPackedMost - first);
    if (!came) return came.error();
    bytes->resize(first + *came);
  }
  const bool is_cut = bytes->size() == kPackedMost;
  Result<Input> head = unpacked(Input::padded(name, std::move(*bytes)), kMost, budget);
  if (!head && is_cut) return Input(name, std::string());
  if (!head) return head;
  if (const Status kind = check_kind(*head); !kind) return kind.error();
  if (packed) {
    Input first = Input::padded(name, std::string(head->view().substr(0, kMost)));
    first.compressed = true;
    return first;
  }
  return head;
}

std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

std::string_view without_zeros(std::string_view digits) {
  while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
  return digits;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    const std::string_view digits_a = without_zeros(take_digits(a));
    const std::string_view digits_b = without_zeros(take_digits(b));
    if (!digits_a.empty() && !digits_b.empty()) {
      if (digits_a.size() != digits_b.size()) return digits_a.size() < digits_b.size();
      if (digits_a != digits_b) return digits_a < digits_b;
    } else if (!digits_a.empty() || !digits_b.empty()) {
      return !digits_a.empty();  // a number comes before a letter
    } else {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;
}

namespace {

Result<std::vector<std::string>> member_names(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code unreadable;
    const fs::file_status kind = at->status(unreadable);
    // A link that leads nowhere is left to whoever wants to read it: it is not nothing.
    if (name.starts_with('.') || (fs::exists(kind) && !fs::is_regular_file(kind))) continue;
    names.push_back(name);
  }
  if (error) return refused(path, error.value());
  std::sort(names.begin(), names.end(), natural_less);
  return names;
}

bool has_content(const std::filesystem::directory_entry& entry) {
  std::error_code error;
  return entry.is_regular_file(error) && entry.file_size(error) > 0 && !error;
}

/// Of the folders below this one that hold a file with something in it, and of their names, the
/// last one: runs are mostly called by their times, as Jepsen's are. Empty where there is none.
class LastFolder {
 public:
  explicit LastFolder(base::Budget& budget) : budget_(budget) {}

  std::string below(const std::filesystem::path& path) {
    look(path, 0);
    return last_.string();
  }

 private:
  static constexpr int kDeepest = 4;  // Jepsen's have two levels

  static bool is_hidden(const std::filesystem::path& path) {
    return path.filename().string().starts_with('.');
  }

  void look(const std::filesystem::path& path, int depth) {
    namespace fs = std::filesystem;
    std::error_code error;
    bool holds_any = false;
    for (fs::directory_iterator at(path, error), end; !error && at != end;
         at.increment(error)) {
      if (!budget_.spend(1)) return;
      if (is_hidden(at->path())) continue;
      std::error_code ignored;
      holds_any = holds_any || has_content(*at);
      const bool is_folder = at->is_directory(ignored) && !at->is_symlink(ignored);
      if (is_folder && depth < kDeepest) look(at->path(), depth + 1);
    }
    if (holds_any && depth > 0 && comes_later(path)) last_ = path;
  }

  bool comes_later(const std::filesystem::path& path) const {
    const std::string name = path.filename().string();
    const std::string other = last_.filename().string();
    if (name == other) return natural_less(last_.string(), path.string());
    return natural_less(other, name);
  }

  base::Budget& budget_;
  std::filesystem::path last_;
};

/// Of a folder without files of any size: which of those below it to give, where it has any.
Error nothing_in(const std::string& path, base::Budget& budget) {
  const std::filesystem::path latest = std::filesystem::path(path) / "latest";
  const std::string run =
      is_directory(latest.string()) ? latest.string() : LastFolder(budget).below(path);
  if (run.empty()) {
    return {ErrorCode::kBadInput,
            path +
                ": the directory has no non-empty files; expected the files of one "
                "history (subdirectories are not searched)"};
  }
  return {ErrorCode::kBadInput,
          path + ": has no files; name one of the folders in it, for example " + run};
}

bool is_locked(int file) {
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/// What a mapped file holds after the machine's death is anybody's guess.
bool is_of_this_boot(const inflight::Ledger& ledger) {
  const Descriptor file(open(inflight::kBootIdPath, O_RDONLY | O_CLOEXEC));
  std::array<char, inflight::kBootIdSize> id{};
  return read(file.number(), id.data(), id.size()) == static_cast<ssize_t>(id.size()) &&
         id == ledger.boot_id;
}

}  // namespace

Leftovers look_for_leftovers(const std::string& path) {
  Leftovers leftovers;
  leftovers.name = path + std::string(inflight::kSuffix);
  std::error_code error;
  if (path == "-" || !std::filesystem::is_directory(leftovers.name, error)) return leftovers;
  leftovers.state = Leftovers::State::kRead;
  const Descriptor ledger(open_to_read(leftovers.name + "/0"));
  inflight::Ledger record{};
  if (read(ledger.number(), &record, sizeof record) != sizeof record) return leftovers;
  if (is_locked(ledger.number())) {
    leftovers.state = Leftovers::State::kInUse;
  } else if (!is_of_this_boot(record)) {
    leftovers.state = Leftovers::State::kOtherRun;
  }
  return leftovers;
}

bool recorder_has_died(const std::string& history) {
  const Descriptor ledger(open_to_read(history + std::string(inflight::kSuffix) + "/0"));
  if (ledger.number() < 0 || is_locked(ledger.number())) return false;
  // One that is done removes the file before its lock ends.
  struct stat about {};
  inflight::Ledger record{};
  return fstat(ledger.number(), &about) == 0 && about.st_nlink > 0 &&
         read(ledger.number(), &record, sizeof record) == sizeof record;
}

Status load_leftovers(Leftovers& leftovers, base::Budget& budget) {
  std::uint64_t slots = 0;
  for (std::uint64_t number = 0; number <= slots; ++number) {
    const std::string name = leftovers.name + "/" + std::to_string(number);
    const Descriptor file(open_to_read(name));
    if (file.number() < 0 && errno == ENOENT) break;  // the native reader says what that means
    if (file.number() < 0) return refused(name, errno);
    Result<Input> input = read_all(file.number(), name, budget);
    if (!input) return input.error();
    if (number == 0 && input->view().size() >= sizeof(inflight::Ledger)) {
      std::memcpy(&slots, input->view().data() + offsetof(inflight::Ledger, slots),
                  sizeof slots);
    }
    leftovers.files.push_back(std::move(*input));
  }
  return ok_status();
}

Input Input::padded(std::string path, std::string bytes) {
  const std::size_t size = bytes.size();
  bytes.reserve(size + kPadding);
  bytes.resize(size + kPadding);
  bytes.resize(size);
  return {std::move(path), std::move(bytes)};
}

bool is_directory(const std::string& path) {
  std::error_code error;
  return path != "-" && std::filesystem::is_directory(path, error);
}

Result<Directory> look_into(const std::string& path, base::Budget& budget) {
  const Result<std::vector<std::string>> names = member_names(path);
  if (!names) return names.error();
  Directory directory{{path, true, {}}, {}};
  bool all_empty = true;
  for (const std::string& name : *names) {
    const std::string member = path + (path.ends_with('/') ? "" : "/") + name;
    if (!budget.spend(kHeadBytes)) return over_limit(member, budget);
    Result<Input> head = load_head(member, budget);
    if (!head && head.error().code == ErrorCode::kLimit) return head.error();
    if (!head && !directory.problem) directory.problem = head.error();
    all_empty = all_empty && head && head->view().empty();
    directory.inputs.files.push_back(head ? std::move(*head) : Input(member, std::string()));
  }
  if (all_empty) return nothing_in(path, budget);
  return directory;
}

Status load_members(Inputs& inputs, bool (*takes)(std::string_view), base::Budget& budget) {
  for (Input& member : inputs.files) {
    if (takes != nullptr && !takes(member.name)) continue;
    Result<Input> input = load_file(member.name, budget);
    if (!input) return input.error();
    member = std::move(*input);
  }
  return ok_status();
}

Result<Inputs> load(const std::string& path, base::Budget& budget) {
  if (is_directory(path)) {
    Result<Directory> directory = look_into(path, budget);
    if (!directory) return directory.error();
    if (Status loaded = load_members(directory->inputs, nullptr, budget); !loaded) {
      return loaded.error();
    }
    return std::move(directory->inputs);
  }
  Leftovers leftovers = look_for_leftovers(path);
  Result<Input> input = load_file(path, budget);
  if (!input) return input.error();
  if (!budget.look()) return over_limit(path, budget);
  if (input->view().empty()) {
    return Error{ErrorCode::kBadInput, path + ": is empty; expected a history"};
  }
  Inputs inputs{path, false, {}};
  inputs.files.push_back(std::move(*input));
  if (leftovers.state != Leftovers::State::kNone && detect_native(inputs) > 0) {
    inputs.leftovers = std::move(leftovers);
    if (inputs.leftovers.state == Leftovers::State::kRead) {
      if (Status loaded = load_leftovers(inputs.leftovers, budget); !loaded) {
        return loaded.error();
      }
    }
  }
  return inputs;
}

}  // namespace isolde::io
