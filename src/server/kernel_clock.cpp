#include "server/kernel_clock.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace isolde::server {

Result<KernelClock> KernelClock::create() {
  const auto failed = [](const char* step) {
    return Error{ErrorCode::kEnvironment, "cannot make a clock that can be set: " +
                                              std::string(step) + ": " + std::strerror(errno)};
  };
  const int file = memfd_create("isolde-clock", MFD_CLOEXEC);
  if (file < 0) return failed("memfd_create");
  void* memory = MAP_FAILED;
  if (ftruncate(file, sizeof(std::int64_t)) == 0) {
    memory = mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  if (memory == MAP_FAILED) {
    const Error error = failed("mmap");
    close(file);
    return error;
  }
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);
  // All zeros, as the file is, are an atomic 0.
  return KernelClock(file, static_cast<std::atomic<std::int64_t>*>(memory));
}

KernelClock::KernelClock(KernelClock&& other) noexcept
    : file_(std::exchange(other.file_, -1)), offset_(std::exchange(other.offset_, nullptr)) {}

KernelClock::~KernelClock() {
  if (file_ < 0) return;
  munmap(offset_, sizeof *offset_);
  close(file_);
}

void KernelClock::set(std::int64_t ahead_ns) { offset_->store(ahead_ns); }

}  // namespace isolde::server

#if defined(__x86_64__)

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

// What takes the place of the vDSO's functions: position-independent, as C calls it, and small
// enough of stack for Go's. The first word is the address of the offset.
//
// The time is kept as nanoseconds since 1970, which fit into 64 bits until 2262.
asm(R"(
  .pushsection .rodata
  .balign 16
isolde_clock_begin:
isolde_clock_offset:
  .quad 0

# clock_gettime(edi: which, rsi: where to)
isolde_clock_gettime:
  movl $228, %eax
  syscall
  testl %eax, %eax
  jnz 1f
  testl %edi, %edi               # CLOCK_REALTIME
  jz 2f
  cmpl $5, %edi                  # CLOCK_REALTIME_COARSE
  jz 2f
1:
  ret
2:
  movq isolde_clock_offset(%rip), %rcx
  movq (%rcx), %rcx
  testq %rcx, %rcx
  jz 3f
  imulq $1000000000, (%rsi), %rax
  addq 8(%rsi), %rax
  addq %rcx, %rax
  movl $1000000000, %ecx
  cqto
  idivq %rcx
  movq %rax, (%rsi)
  movq %rdx, 8(%rsi)
3:
  xorl %eax, %eax
  ret

# gettimeofday(rdi: where to, rsi: where the zone goes), each of which may be 0
isolde_clock_gettimeofday:
  movl $96, %eax
  syscall
  testl %eax, %eax
  jnz 4f
  testq %rdi, %rdi
  jz 4f
  pushq %rdi
  subq $16, %rsp
  xorl %edi, %edi
  movq %rsp, %rsi
  call isolde_clock_gettime
  movq (%rsp), %rcx
  movq 8(%rsp), %rax
  addq $16, %rsp
  popq %rdi
  movq %rcx, (%rdi)
  movl $1000, %ecx
  cqto
  idivq %rcx
  movq %rax, 8(%rdi)
  xorl %eax, %eax
4:
  ret

# time(rdi: where to as well, or 0)
isolde_clock_time:
  pushq %rdi
  subq $16, %rsp
  movl $5, %edi
  movq %rsp, %rsi
  call isolde_clock_gettime
  movq (%rsp), %rax
  addq $16, %rsp
  popq %rdi
  testq %rdi, %rdi
  jz 5f
  movq %rax, (%rdi)
5:
  ret
isolde_clock_end:
  .popsection
)");

extern "C" {
extern const unsigned char isolde_clock_begin[] __attribute__((visibility("hidden")));
extern const unsigned char isolde_clock_gettime[] __attribute__((visibility("hidden")));
extern const unsigned char isolde_clock_gettimeofday[] __attribute__((visibility("hidden")));
extern const unsigned char isolde_clock_time[] __attribute__((visibility("hidden")));
extern const unsigned char isolde_clock_end[] __attribute__((visibility("hidden")));
}

namespace isolde::server {
namespace {

using Word = std::uint64_t;

/// mov $TARGET, %rax; jmp *%rax
constexpr std::size_t kJumpSize = 12;
constexpr std::array<unsigned char, 2> kMove = {0x48, 0xb8};
constexpr std::array<unsigned char, 2> kJump = {0xff, 0xe0};
constexpr std::array<unsigned char, 2> kSystemCall = {0x0f, 0x05};
/// The code segment of programs of 64 bits.
constexpr Word kWideCode = 0x33;

struct Replacement {
  const char* name;
  const unsigned char* by;
};
constexpr std::array<Replacement, 3> kReplacements = {
    Replacement{"__vdso_clock_gettime", isolde_clock_gettime},
    Replacement{"__vdso_gettimeofday", isolde_clock_gettimeofday},
    Replacement{"__vdso_time", isolde_clock_time}};

/// Where a function is in the kernel's library, which is the same for us and the program.
std::optional<Word> place_in_library(const char* name) {
  void* library = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) return std::nullopt;
  void* const found = dlsym(library, name);
  dlclose(library);
  Dl_info info;
  void* symbol = nullptr;
  if (found == nullptr || dladdr1(found, &info, &symbol, RTLD_DL_SYMENT) == 0 ||
      symbol == nullptr || static_cast<const ElfW(Sym)*>(symbol)->st_size < kJumpSize) {
    return std::nullopt;
  }
  return reinterpret_cast<Word>(found) - getauxval(AT_SYSINFO_EHDR);
}

/// A program that the calling thread traces, while it is stopped. After a failure, failed() is
/// true and whatever is done does nothing.
class Traced {
 public:
  explicit Traced(pid_t pid) : pid_(pid) {}

  bool failed() const { return failed_; }

  user_regs_struct registers() {
    user_regs_struct result{};
    ask(PTRACE_GETREGS, &result);
    return result;
  }
  void set_registers(user_regs_struct wanted) { ask(PTRACE_SETREGS, &wanted); }

  Word peek(Word at) {
    errno = 0;
    const long word = failed_ ? 0 : ptrace(PTRACE_PEEKDATA, pid_, at, nullptr);
    if (errno != 0) failed_ = true;
    return static_cast<Word>(word);
  }

  void write(Word at, const unsigned char* bytes, std::size_t size) {
    for (std::size_t done = 0; done < size && !failed_; done += sizeof(Word)) {
      const std::size_t count = std::min(sizeof(Word), size - done);
      Word word = count < sizeof word ? peek(at + done) : 0;
      std::memcpy(&word, bytes + done, count);
      if (failed_ || ptrace(PTRACE_POKEDATA, pid_, at + done, word) != 0) failed_ = true;
    }
  }

  /// Makes the program call the system. REQUIRES: its next instruction does so.
  Word call(user_regs_struct ready, Word number, std::array<Word, 6> arguments) {
    ready.orig_rax = ~Word{0};  // there is no call that the kernel could take up again
    ready.rax = number;
    ready.rdi = arguments[0];
    ready.rsi = arguments[1];
    ready.rdx = arguments[2];
    ready.r10 = arguments[3];
    ready.r8 = arguments[4];
    ready.r9 = arguments[5];
    set_registers(ready);
    ask(PTRACE_SINGLESTEP, nullptr);
    siginfo_t info{};
    if (failed_ ||
        waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WEXITED | WNOWAIT) != 0 ||
        info.si_code != CLD_TRAPPED || info.si_status != SIGTRAP) {
      failed_ = true;
      return 0;
    }
    const Word result = registers().rax;
    if (result > ~Word{4096}) failed_ = true;  // an error's number, negative
    return result;
  }

 private:
  void ask(__ptrace_request request, void* data) {
    if (!failed_ && ptrace(request, pid_, nullptr, data) != 0) failed_ = true;
  }

  pid_t pid_;
  bool failed_ = false;
};

/// Where the program has the kernel's library; 0: nowhere. From its stack, where the kernel has
/// put how many arguments there are, these, 0, the environment, 0, and pairs of numbers.
Word library_of(Traced& program, Word stack) {
  Word at = stack + sizeof(Word) * (program.peek(stack) + 2);
  while (program.peek(at) != 0) at += sizeof(Word);
  for (at += sizeof(Word); const Word kind = program.peek(at); at += 2 * sizeof(Word)) {
    if (kind == AT_SYSINFO_EHDR) return program.peek(at + sizeof(Word));
  }
  return 0;
}

/// Whether it is the same as ours, by its header.
bool is_ours(Traced& program, Word library) {
  std::array<Word, sizeof(ElfW(Ehdr)) / sizeof(Word)> header;
  const Word ours = getauxval(AT_SYSINFO_EHDR);
  if (ours == 0 || library == 0) return false;
  std::memcpy(header.data(), reinterpret_cast<const void*>(ours), sizeof header);
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (program.peek(library + i * sizeof(Word)) != header[i]) return false;
  }
  return !program.failed();
}

/// Places our code into the program, and returns its address there.
Word place_code(Traced& program, const user_regs_struct& start, int file) {
  const std::size_t size = static_cast<std::size_t>(isolde_clock_end - isolde_clock_begin);
  std::array<unsigned char, sizeof(Word)> before;
  const Word instruction = program.peek(start.rip);
  std::memcpy(before.data(), &instruction, sizeof instruction);
  program.write(start.rip, kSystemCall.data(), kSystemCall.size());
  const Word code =
      program.call(start, SYS_mmap,
                   {0, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, ~Word{0}, 0});
  const Word from = static_cast<Word>(file);
  const Word offset =
      program.call(start, SYS_mmap, {0, sizeof(std::int64_t), PROT_READ, MAP_SHARED, from, 0});
  program.call(start, SYS_close, {from, 0, 0, 0, 0, 0});
  program.write(start.rip, before.data(), before.size());
  program.set_registers(start);

  std::vector<unsigned char> bytes(isolde_clock_begin, isolde_clock_end);
  std::memcpy(bytes.data(), &offset, sizeof offset);
  program.write(code, bytes.data(), bytes.size());
  return code;
}

}  // namespace

const char* install_kernel_clock(pid_t pid, int file) {
  constexpr const char* kOther = "it is of another architecture, or has no vDSO";
  std::array<Word, kReplacements.size()> places;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::optional<Word> place = place_in_library(kReplacements[i].name);
    if (!place) return "this system's vDSO has no such functions as are known here";
    places[i] = *place;
  }
  Traced program(pid);
  const user_regs_struct start = program.registers();
  if (!program.failed() && start.cs != kWideCode) return kOther;
  const Word library = library_of(program, start.rsp);
  if (!program.failed() && !is_ours(program, library)) return kOther;
  const Word code = place_code(program, start, file);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Word target = code + static_cast<Word>(kReplacements[i].by - isolde_clock_begin);
    std::array<unsigned char, kJumpSize> jump;
    std::memcpy(jump.data(), kMove.data(), kMove.size());
    std::memcpy(jump.data() + kMove.size(), &target, sizeof target);
    std::memcpy(jump.data() + kMove.size() + sizeof target, kJump.data(), kJump.size());
    program.write(library + places[i], jump.data(), jump.size());
  }
  return program.failed() ? "this system does not let its memory be written" : nullptr;
}

}  // namespace isolde::server

#else

namespace isolde::server {

const char* install_kernel_clock(pid_t, int) { return "that is known for x86-64 only"; }

}  // namespace isolde::server

#endif
