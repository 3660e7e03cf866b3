// A program of its own, without any library: the first process of a run in its own PID namespace.
// It starts the real program, reaps orphans, and ends with the program; the kernel then kills
// everything else in the namespace. The real program cannot be the first process itself: signals
// that it sends to itself would do nothing, and orphans would remain as zombies.
//
// Arguments: any name, the path of the program, the arguments of the program with its name first.
// It writes one int to descriptor 3: 0 when the program has started, otherwise the errno.
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/prctl.h>
#include <linux/signal.h>

namespace {

constexpr int kReport = 3;
constexpr long kInterrupted = -4;

#if defined(__aarch64__)
long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
                   : "memory", "cc");
  return x0;
}
__asm__(".globl _start\n_start: mov x0, sp\n  bl first_process\n");
#elif defined(__x86_64__)
long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
  long result = number;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory", "cc");
  return result;
}
__asm__(".globl _start\n_start: mov %rsp, %rdi\n  and $-16, %rsp\n  call first_process\n");
#else
#error "not for this architecture"
#endif

[[noreturn]] void leave(int code) {
  for (;;) call(__NR_exit_group, code);
}

void tell(long descriptor, int problem) {
  call(__NR_write, descriptor, reinterpret_cast<long>(&problem), sizeof problem);
}

[[noreturn]] void become_the_program(char** arguments, char** environment, int report) {
  call(__NR_setsid);
  call(__NR_close, kReport);
  const long problem =
      call(__NR_execve, reinterpret_cast<long>(arguments[1]), reinterpret_cast<long>(arguments + 2),
           reinterpret_cast<long>(environment));
  tell(report, static_cast<int>(-problem));
  leave(127);
}

}  // namespace

extern "C" [[noreturn]] void first_process(long* stack) {
  auto** arguments = reinterpret_cast<char**>(stack + 1);
  call(__NR_prctl, PR_SET_NAME, reinterpret_cast<long>(arguments[0]));
  char** environment = arguments + stack[0] + 1;
  int ends[2] = {-1, -1};
  call(__NR_pipe2, reinterpret_cast<long>(ends), O_CLOEXEC);
  const long program = call(__NR_clone, SIGCHLD);
  if (program == 0) become_the_program(arguments, environment, ends[1]);
  call(__NR_close, ends[1]);
  int problem = program < 0 ? static_cast<int>(-program) : 0;
  long count = 0;
  // When the program starts, nothing arrives, because the descriptor is closed.
  do count = call(__NR_read, ends[0], reinterpret_cast<long>(&problem), sizeof problem);
  while (count == kInterrupted);
  tell(kReport, problem);
  if (problem != 0) leave(127);
  for (int descriptor = 0; descriptor <= kReport; ++descriptor) call(__NR_close, descriptor);
  call(__NR_close, ends[0]);
  for (;;) {
    int status = 0;
    const long ended = call(__NR_wait4, -1, reinterpret_cast<long>(&status));
    if (ended < 0 && ended != kInterrupted) leave(126);
    if (ended != program) continue;
    const int signal = status & 0x7F;
    leave(signal == 0 ? (status >> 8) & 0xFF : 128 + signal);
  }
}
