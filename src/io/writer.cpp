// Files that appear whole or not at all: written under a hidden temporary name in the same
// folder, synced, then renamed. Pipes, devices and standard output are written directly.
#include "io/writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "io/native.hpp"

namespace isolde::io {
namespace {

namespace fs = std::filesystem;

class FileSink final : public Sink {
 public:
  explicit FileSink(const std::string& path) : path_(path) {}
  ~FileSink() override {
    if (descriptor_ > STDERR_FILENO) close(descriptor_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
  }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  Status open_file();
  Status write(std::string_view bytes) override;
  /// Gives the file its name.
  Status commit();

 private:
  Error refused() const {
    return {ErrorCode::kEnvironment, path_ + ": cannot be written: " + std::strerror(errno)};
  }

  std::string path_;
  std::string target_;
  std::string temporary_;  // empty when bytes go to the target itself
  int descriptor_ = -1;
};

Status FileSink::open_file() {
  if (path_ == "-") {
    descriptor_ = STDOUT_FILENO;
    return ok_status();
  }
  std::error_code missing;
  const fs::file_status status = fs::status(path_, missing);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    // A link stays a link: what it points to is replaced.
    const fs::path resolved = fs::weakly_canonical(path_, missing);
    target_ = missing ? path_ : resolved.string();
    const fs::path target(target_);
    fs::path hidden = target.parent_path() / ".";
    hidden += target.filename();
    hidden += ".tmp" + std::to_string(getpid());
    temporary_ = hidden.string();
    // Values may be confidential, as for the recorder; who has opened the file that is replaced
    // to others wants it so.
    const auto mode =
        fs::exists(status) ? static_cast<mode_t>(status.permissions()) & 0666U : 0600U;
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  }
  if (descriptor_ >= 0) return ok_status();
  temporary_.clear();
  return refused();
}

Status FileSink::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refused();
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return ok_status();
}

Status FileSink::commit() {
  if (temporary_.empty()) return ok_status();
  if (fsync(descriptor_) != 0) return refused();
  if (rename(temporary_.c_str(), target_.c_str()) != 0) return refused();
  temporary_.clear();
  return ok_status();
}

/// Packs what passes through. finish() writes the end.
class PackingSink : public Sink {
 public:
  explicit PackingSink(Sink& target) : target_(target) {}
  virtual Status finish() = 0;

 protected:
  Status pass_on(std::size_t count) {
    return count == 0 ? ok_status() : target_.write(std::string_view(buffer_.data(), count));
  }
  std::vector<char>& buffer() { return buffer_; }

 private:
  Sink& target_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 17);
};

class GzipSink final : public PackingSink {
 public:
  explicit GzipSink(Sink& target) : PackingSink(target) {
    constexpr int kGzipOnly = 15 + 16;
    constexpr int kMemoryLevel = 8;
    ready_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipOnly, kMemoryLevel,
                          Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~GzipSink() override { deflateEnd(&stream_); }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;

  Status write(std::string_view bytes) override {
    constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
    while (!bytes.empty()) {
      if (Status status = pack(bytes.substr(0, kMost), Z_NO_FLUSH); !status) return status;
      bytes.remove_prefix(std::min(bytes.size(), kMost));
    }
    return ok_status();
  }
  Status finish() override { return pack({}, Z_FINISH); }

 private:
  Status pack(std::string_view bytes, int flush) {
    if (!ready_) return Error{ErrorCode::kEnvironment, "not enough memory to pack gzip"};
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer().data());
      stream_.avail_out = static_cast<uInt>(buffer().size());
      deflate(&stream_, flush);
      if (Status status = pass_on(buffer().size() - stream_.avail_out); !status) return status;
    } while (stream_.avail_out == 0);
    return ok_status();
  }

  z_stream stream_{};
  bool ready_ = false;
};

class ZstdSink final : public PackingSink {
 public:
  explicit ZstdSink(Sink& target)
      : PackingSink(target), context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    if (!context_) return;
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  Status write(std::string_view bytes) override { return pack(bytes, ZSTD_e_continue); }
  Status finish() override { return pack({}, ZSTD_e_end); }

 private:
  Status pack(std::string_view bytes, ZSTD_EndDirective mode) {
    if (!context_) return Error{ErrorCode::kEnvironment, "not enough memory to pack zstd"};
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    while (true) {
      ZSTD_outBuffer out = {buffer().data(), buffer().size(), 0};
      const std::size_t left = ZSTD_compressStream2(context_.get(), &out, &in, mode);
      if (ZSTD_isError(left) != 0U) {
        return Error{ErrorCode::kEnvironment,
                     std::string("zstd cannot pack: ") + ZSTD_getErrorName(left)};
      }
      if (Status status = pass_on(out.pos); !status) return status;
      if (mode == ZSTD_e_end ? left == 0 : in.pos == in.size) return ok_status();
    }
  }

  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_;
};

struct Form {
  std::string_view format;
  Remarks remarks;
};

Status write_in_format(const History& history, Form form, Sink& sink) {
  return form.format == "native" ? write_native(history, sink, form.remarks)
                                 : write_native_binary_groups(history, sink);
}

/// A file that is packed when its name says so.
class PackedFile {
 public:
  explicit PackedFile(const std::string& path) : path_(path), file_(path) {
    if (path.ends_with(".gz")) packing_ = std::make_unique<GzipSink>(file_);
    if (path.ends_with(".zst")) packing_ = std::make_unique<ZstdSink>(file_);
  }

  Status open() { return file_.open_file(); }
  Sink& sink() { return packing_ ? static_cast<Sink&>(*packing_) : file_; }
  Status commit() {
    if (packing_) {
      if (Status status = packing_->finish(); !status) return told(status);
    }
    return file_.commit();
  }
  /// Writers do not know where their bytes go; the path belongs into every message.
  Status told(const Status& status) const {
    if (status.ok() || status.error().message.starts_with(path_)) return status;
    return Error{status.error().code, path_ + ": " + status.error().message};
  }

 private:
  std::string path_;
  FileSink file_;
  std::unique_ptr<PackingSink> packing_;
};

}  // namespace

Status write_history(const History& history, std::string_view format, const std::string& path,
                     Remarks remarks) {
  if (format != "native" && format != "native-binary") {
    return Error{ErrorCode::kUsage, "cannot write format '" + std::string(format) +
                                        "'; histories are written as native or native-binary"};
  }
  PackedFile file(path);
  if (Status status = file.open(); !status) return status;
  if (Status status = write_in_format(history, Form{format, remarks}, file.sink()); !status) {
    return file.told(status);
  }
  return file.commit();
}

class GroupedFile::Output {
 public:
  explicit Output(const std::string& path) : file_(path) {}
  Status open() { return file_.open(); }
  Status add(const History& part, const PartEnd& end) {
    const BinaryGroup group{.number = groups_,
                            .ends = groups_ == 0,
                            .is_last = end.is_last,
                            .open_since = end.open_since};
    ++groups_;
    return file_.told(write_native_binary(part, file_.sink(), true, group));
  }
  Status commit() { return file_.commit(); }

 private:
  PackedFile file_;
  std::uint32_t groups_ = 0;
};

Result<GroupedFile> GroupedFile::create(const std::string& path) {
  auto output = std::make_unique<Output>(path);
  if (Status status = output->open(); !status) return status.error();
  return GroupedFile(std::move(output));
}

GroupedFile::GroupedFile(std::unique_ptr<Output> output) : output_(std::move(output)) {}
GroupedFile::GroupedFile(GroupedFile&&) noexcept = default;
GroupedFile& GroupedFile::operator=(GroupedFile&&) noexcept = default;
GroupedFile::~GroupedFile() = default;

Status GroupedFile::add(const History& part, const PartEnd& end) {
  return output_->add(part, end);
}
Status GroupedFile::commit() { return output_->commit(); }

}  // namespace isolde::io
