// Any bytes as a cassette: refused with a reason, or read, written again the same, and replayed by
// an agent that is made of it.
#include "wright/replay.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wright;
  const std::string_view text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes
  const auto recorded = cassette_from(text);
  if (!recorded) {
    if (recorded.error().message.empty()) std::abort();
    return 0;
  }
  const std::string written = cassette_text(*recorded, Redactor{});
  const auto again = cassette_from(written);
  if (!again || cassette_text(*again, Redactor{}) != written) std::abort();
  if (const auto report = replay(recorded_agent(*recorded), *recorded)) {
    (void)updated(*recorded, *report);
  } else if (report.error().message.empty()) {
    std::abort();
  }
  return 0;
}
