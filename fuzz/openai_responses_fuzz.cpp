// Feeds the decoder of OpenAI's responses.
#include "decoder_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return wright::fuzz::check_decoder(wright::providers::kOpenAiResponses,
                                     wright::Protocol::openai_responses, data, size);
}
