// What AddressSanitizer does in the program of a build for tests. They start it by the ten
// thousand, so looking for leaks, which costs something at every end, is left to the programs of
// the unit tests.

// The sanitizer's names.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char* __asan_default_options();

extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
