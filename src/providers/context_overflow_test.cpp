#include "providers/context_overflow.h"

#include <gtest/gtest.h>

#include "wright/provider.h"

namespace wright::providers {
namespace {

ErrorCode code_of(int status, std::string_view body) {
  Endpoint endpoint;
  endpoint.vendor = {.name = "test", .title = "Test"};
  endpoint.model.name = "model";
  return error_from(endpoint, {.status = status}, body).code;
}

struct Said {
  std::string_view server;
  int status;
  std::string_view body;
};

// As the servers say it, from their documentation and from what people have reported.
TEST(ContextOverflow, is_known_in_the_words_of_every_server) {
  for (
      const Said& said : std::vector<Said>{
          {"OpenAI", 400,
           R"({"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}})"},
          {"OpenAI's responses", 400,
           R"({"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","code":null}})"},
          {"OpenAI, a configured limit", 400,
           R"({"error":{"message":"Input tokens exceed the configured limit of 272000 tokens.","code":"context_length_exceeded"}})"},
          {"Anthropic", 400,
           R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}})"},
          {"Anthropic before 4.5", 400,
           R"({"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 90402 + 116650 > 204648, decrease input length or `max_tokens` and try again"}})"},
          {"Gemini", 400,
           R"({"error":{"code":400,"message":"The input token count (2845475) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}})"},
          {"vLLM", 400,
           R"({"object":"error","message":"You passed 9001 input tokens and requested 1000 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 7192 tokens.","type":"BadRequestError","code":400})"},
          {"vLLM, a full window", 400,
           R"({"object":"error","message":"max_tokens must be at least 1, got -186.","type":"BadRequestError","code":400})"},
          {"vLLM, newer", 400,
           R"({"error":{"message":"The decoder prompt (length 9001) is longer than the maximum model length of 8192.","type":"BadRequestError","code":400}})"},
          {"LM Studio", 400,
           R"({"error":"The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input"})"},
          {"Z.ai", 400, R"({"error":{"code":"1261","message":"Prompt exceeds max length"}})"},
          {"Z.ai, a number", 400, R"({"error":{"code":1261,"message":"输入超长"}})"},
          {"Kimi", 400,
           R"~({"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)","type":"invalid_request_error"}})~"},
          {"TGI", 422,
           R"({"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 1244 `inputs` tokens and 1000 `max_new_tokens`","error_type":"validation"})"},
          {"TGI, the input alone", 422,
           R"({"error":"Input validation error: `inputs` must have less than 1024 tokens. Given: 1168","error_type":"validation"})"},
          {"Together", 422,
           R"({"error":{"message":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 1000 `max_new_tokens`","type":"invalid_request_error","code":null}})"},
          {"Together, newer", 400,
           R"({"error":{"message":"The input (140000 tokens) is longer than the model's context length (131072 tokens).","type":"invalid_request_error"}})"},
          {"Qwen", 400,
           R"({"error":{"code":"invalid_parameter_error","message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]","type":"invalid_request_error"}})"},
          {"Mistral", 400,
           R"({"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","code":3051})"},
          {"xAI", 400,
           R"({"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 136973 tokens."})"},
          {"Groq", 400,
           R"({"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded"}})"},
          {"llama.cpp", 400,
           R"({"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}})"},
          {"Ollama", 400,
           R"({"error":"prompt too long; exceeded max context length by 5000 tokens"})"},
          {"Ollama, embedding", 400, R"({"error":"the input length exceeds the context length"})"},
          {"SGLang", 400,
           R"({"object":"error","message":"The input (9001 tokens) is longer than the model's context length (8192 tokens).","type":"BadRequestError"})"},
          {"MiniMax", 400,
           R"~({"type":"error","error":{"type":"bad_request_error","message":"invalid params, context window exceeds limit (2013)"}})~"},
          {"OpenRouter, Poolside", 400,
           R"({"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Input length 131393 exceeds the maximum allowed input length of 131040 tokens.\"}}","provider_name":"Poolside"}}})"},
          {"GitHub", 413,
           R"({"error":{"code":"tokens_limit_reached","message":"prompt token count of 130000 exceeds the limit of 128000"}})"},
          {"Bedrock", 400, R"({"message":"Input is too long for requested model."})"},
          {"Cohere", 400,
           R"({"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5129."})"},
          {"an answer with status 200", 200, R"({"error":{"message":"context length exceeded"}})"},
      }) {
    EXPECT_EQ(code_of(said.status, said.body), ErrorCode::context_too_long) << said.server;
  }
}

TEST(ContextOverflow, is_not_seen_where_there_is_none) {
  for (
      const Said& said : std::vector<Said>{
          {"Anthropic's rate limit", 429,
           R"({"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 40,000 input tokens per minute"}})"},
          {"Gemini's quota", 429,
           R"({"error":{"code":429,"message":"Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_input_token_count, limit: 250000","status":"RESOURCE_EXHAUSTED"}})"},
          {"Bedrock's throttle", 429,
           R"({"message":"Too many tokens, please wait before trying again."})"},
          {"OpenRouter's credit", 402,
           R"({"error":{"message":"Prompt tokens limit exceeded: 69120 > 36608. To increase, visit https://openrouter.ai/settings/credits","code":402}})"},
          {"too many output tokens", 400,
           R"({"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude"}})"},
          {"another number", 400, R"({"error":{"code":"12610","message":"No"}})"},
          {"a key", 401, R"({"error":{"message":"maximum context length"}})"},
          {"a broken gateway", 502, "maximum context length"},
      }) {
    EXPECT_NE(code_of(said.status, said.body), ErrorCode::context_too_long) << said.server;
  }
}

}  // namespace
}  // namespace wright::providers
