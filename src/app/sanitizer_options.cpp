// What AddressSanitizer does in the program of a build for tests. They start it by the ten thousand, so what costs
// something at every start and end is left to the programs of the unit tests: looking for leaks, and uses of what was
// on a stack. Such memory is looked for in the program, too, by `make sanitize`.
extern "C" const char* __asan_default_options();

#ifdef WRIGHT_WATCHES_STACKS
#define WRIGHT_STACKS ""
#else
#define WRIGHT_STACKS ":detect_stack_use_after_return=0"
#endif

extern "C" const char* __asan_default_options() {
  return "detect_leaks=0:malloc_context_size=8:quarantine_size_mb=16" WRIGHT_STACKS;
}
