// Feeds the reader of server-sent events. Whatever the bytes are: no crash, and the same events
// however they are cut.
#include "core/server_sent_events.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

Events read(std::string_view bytes, std::size_t piece_size) {
  Events events;
  const auto keep = [&](const wright::ServerSentEvent& event) -> wright::Result<void> {
    events.emplace_back(event.type, event.data);
    return {};
  };
  wright::ServerSentEvents reader;
  for (std::size_t at = 0; at < bytes.size(); at += piece_size) {
    if (!reader.feed(bytes.substr(at, piece_size), keep)) std::abort();
  }
  if (!reader.finish(keep)) std::abort();
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes as text
  const Events whole = read(bytes, bytes.size() + 1);
  if (read(bytes, 1) != whole || read(bytes, 5) != whole) std::abort();
  return 0;
}
