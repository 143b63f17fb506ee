// For a test: a program of which every iteration is exactly five instructions. "--fail" exits with 7,
// "--illegal" executes an undefined instruction.
#include <cstdlib>
#include <cstring>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (std::strcmp(argv[1], "--fail") == 0) {
    const char message[] = "no luck\n";
    return write(STDERR_FILENO, message, sizeof message - 1) > 0 ? 7 : 8;
  }
  if (std::strcmp(argv[1], "--illegal") == 0) __builtin_trap();
  unsigned long n = std::strtoul(argv[1], nullptr, 10);
#if defined(__x86_64__)
  asm volatile("1: nop\n nop\n nop\n dec %0\n jnz 1b" : "+r"(n) : : "cc");
#elif defined(__aarch64__)
  asm volatile("1: nop\n nop\n nop\n subs %0, %0, #1\n b.ne 1b" : "+r"(n) : : "cc");
#else
  return 3;
#endif
  return 0;
}
