#include "sandbox/first_process_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

#ifdef WRIGHT_FIRST_PROCESS
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    ".globl wright_first_process_start\n"
    "wright_first_process_start:\n"
    ".incbin \"" WRIGHT_FIRST_PROCESS
    "\"\n"
    ".globl wright_first_process_end\n"
    "wright_first_process_end:\n"
    ".text\n");
extern "C" const char wright_first_process_start[];
extern "C" const char wright_first_process_end[];
#else
static const char wright_first_process_start[] = "";
static const char* const wright_first_process_end = wright_first_process_start;
#endif

namespace wright::sandbox {

Result<FileDescriptor> first_process_file() {
  const auto bytes =
      static_cast<std::size_t>(wright_first_process_end - wright_first_process_start);
  if (bytes == 0) return fail(ErrorCode::unsupported, "not built for this kind of processor");
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  FileDescriptor file(::memfd_create("wright-run", kFlags | MFD_EXEC));
  // Kernels before 6.3 do not know the flag and execute such files without it.
  if (!file.is_open()) file = FileDescriptor(::memfd_create("wright-run", kFlags));
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  // Above the descriptors of a child's streams.
  FileDescriptor above;
  if (file.is_open() &&
      ::write(file.get(), wright_first_process_start, bytes) == static_cast<ssize_t>(bytes) &&
      ::fcntl(file.get(), F_ADD_SEALS, kSeals) == 0) {
    above = FileDescriptor(::fcntl(file.get(), F_DUPFD_CLOEXEC, 10));
  }
  if (!above.is_open()) {
    return fail(ErrorCode::unavailable, fmt::format("Cannot create the first process of a run: {}",
                                                    std::generic_category().message(errno)));
  }
  return above;
}

}  // namespace wright::sandbox
