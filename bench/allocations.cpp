#include "allocations.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// Threads that counted in one place would hold each other up, and be measured doing so.
struct alignas(64) Count {
  std::atomic<std::uint64_t> value{0};
};
constinit std::array<Count, 64> counts;
constinit std::atomic<std::size_t> threads{0};

std::atomic<std::uint64_t>& count() {
  thread_local constinit Count* own = nullptr;
  if (own == nullptr) own = &counts[threads.fetch_add(1) % counts.size()];
  return own->value;
}

}  // namespace

std::uint64_t wright::bench::allocations() {
  std::uint64_t sum = 0;
  for (const Count& each : counts) sum += each.value.load(std::memory_order_relaxed);
  return sum;
}

void* operator new(std::size_t size) {
  count().fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size != 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
