#include "providers/context_overflow.h"

#include <algorithm>
#include <array>

#include "core/text.h"

namespace wright::providers {
namespace {

constexpr std::array<std::string_view, 9> kCodes{
    "context_length_exceeded", "exceed_context_size",    "context_window_exceeded",
    "model_context_window",    "too_many_prompt_tokens", "string_above_max_length",
    "token_limit_exceeded",    "context_limit_exceeded", "string_too_long",
};

// Numbers instead of names: Z.ai's for a prompt that is too long.
constexpr std::array<std::string_view, 1> kNumbers{"1261"};

// One of these says it.
constexpr auto kPhrases = std::to_array<std::string_view>({
    "maximum context length",                // OpenAI, OpenRouter, Mistral, vLLM, DeepSeek
    "context length exceeded",               // several
    "context length is only",                // vLLM
    "context window",                        // OpenAI's responses, MiniMax, LM Studio
    "context size",                          // llama.cpp
    "context limit",                         // Anthropic before 4.5
    "greater than the context length",       // LM Studio
    "exceeds the context length",            // Ollama
    "exceeded max context length",           // Ollama
    "longer than the model's context",       // SGLang, Together
    "longer than the maximum model length",  // vLLM
    "prompt is too long",                    // Anthropic, Fireworks
    "prompt too long",                       // Ollama
    "prompt exceeds max length",             // Z.ai
    "maximum prompt length",                 // xAI
    "input is too long",                     // Bedrock
    "input too long",                        // several
    "too many input tokens",                 // several
    "input token count",                     // Gemini
    "input tokens exceed",                   // OpenAI
    "prompt token count",                    // GitHub
    "maximum allowed input length",          // Poolside
    "range of input length",                 // Qwen
    "exceeded model token limit",            // Kimi
    "exceeds the maximum number of tokens",  // Gemini
    "`max_new_tokens` must be <=",           // TGI
    "max_new_tokens must be <=",             // Together
    "max_tokens must be at least 1, got -",  // vLLM, when the prompt alone fills the window
    "reduce the length of the messages",     // Groq, Cerebras
    "reduce the length of the input",        // vLLM
});

// All of a line say it.
using Together = std::array<std::string_view, 2>;
constexpr auto kTogether = std::to_array<Together>({
    {"`inputs` must have less than", "tokens"},  // TGI
    {"too many tokens", "prompt"},               // Cohere
    {"input length", "exceeds"},                 // several
});

bool holds_one_of(std::string_view text, std::span<const std::string_view> phrases) {
  return std::ranges::any_of(phrases, [&](std::string_view each) { return text.contains(each); });
}

}  // namespace

bool is_overflow_code(std::string_view code) {
  return is_one_of(code, kNumbers) || holds_one_of(code, kCodes);
}

bool is_overflow_in_words(std::string_view message) {
  return holds_one_of(message, kPhrases) ||
         std::ranges::any_of(kTogether, [&](const Together& phrases) {
           return message.contains(phrases[0]) && message.contains(phrases[1]);
         });
}

}  // namespace wright::providers
