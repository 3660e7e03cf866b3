// Feeds the decoder of Anthropic's answers.
#include "decoder_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return wright::fuzz::check_decoder(wright::providers::kAnthropicMessages,
                                     wright::Protocol::anthropic_messages, data, size);
}
