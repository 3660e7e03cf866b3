// Feeds the decoder of OpenAI's chat completions.
#include "decoder_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return wright::fuzz::check_decoder(wright::providers::kOpenAiChat, wright::Protocol::openai_chat,
                                     data, size);
}
