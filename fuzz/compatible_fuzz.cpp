// Any JSON as a request in each of the three vendors' protocols: read, or refused with a reason.
// What is read and ends with the user's words can be told.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "server/conversation.h"
#include "server/imported_history.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wright;
  using namespace wright::server;
  const std::string_view text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes
  const auto json = parse_json(text);
  if (!json || !json->is_object()) return 0;
  for (const auto read :
       {conversation_from_chat, conversation_from_responses, conversation_from_messages}) {
    auto conversation = read(json->get_object());
    if (!conversation) {
      if (conversation.error().message.empty()) std::abort();
      continue;
    }
    (void)conversation->results();
    const auto told = as_conversation(std::move(conversation->messages));
    if (!told && told.error().message.empty()) std::abort();
  }
  return 0;
}
