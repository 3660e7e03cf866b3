// Feeds the decoder of Gemini's answers.
#include "decoder_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return wright::fuzz::check_decoder(wright::providers::kGeminiGenerate,
                                     wright::Protocol::gemini_generate, data, size);
}
