// What AddressSanitizer does in this program: children are forked by the hundred and killed, so
// memory that is kept for reports makes each of them dear, and looking for leaks says nothing.
extern "C" const char* __asan_default_options();

extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0:malloc_context_size=1:detect_"
         "leaks=0";
}
