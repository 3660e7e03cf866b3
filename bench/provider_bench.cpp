// What it costs to read answers: a completion of about 2 KB, and a stream of 1,000 chunks, in
// pieces of the size that a TLS record brings. ns per byte, and heap allocations for one answer.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>

#include "allocations.h"
#include "wright/provider.h"

namespace wright {
namespace {

Endpoint endpoint(Protocol protocol) {
  Endpoint endpoint;
  endpoint.vendor.name = "example";
  endpoint.vendor.protocol = protocol;
  endpoint.model.name = "model";
  return endpoint;
}

void decode(benchmark::State& state, Protocol protocol, const std::string& answer) {
  constexpr std::size_t kPiece = 1400;
  const Endpoint at = endpoint(protocol);
  const Sampling sampling;
  const Request request{.sampling = &sampling};
  const ResponseDecoder::TextSink on_text = [](std::string_view text) {
    benchmark::DoNotOptimize(text.data());
  };
  const std::uint64_t before = bench::allocations();
  for (auto _ : state) {
    const auto decoder = make_decoder(at, request);
    for (std::size_t begin = 0; begin < answer.size(); begin += kPiece) {
      const auto fed = decoder->feed(std::string_view(answer).substr(begin, kPiece), on_text);
      if (!fed) return state.SkipWithError(fed.error().message.c_str());
    }
    const auto response = decoder->finish();
    if (!response) return state.SkipWithError(response.error().message.c_str());
    benchmark::DoNotOptimize(response->content.data());
  }
  const auto bytes = static_cast<double>(answer.size());
  state.counters["bytes"] = bytes;
  state.counters["ns_per_byte"] = benchmark::Counter(
      bytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["allocations"] = benchmark::Counter(
      static_cast<double>(bench::allocations() - before), benchmark::Counter::kAvgIterations);
}

std::string words(int bytes) {
  std::string text;
  while (text.size() < static_cast<std::size_t>(bytes)) text += "the quick brown fox ";
  return text;
}

void chat_completion(benchmark::State& state) {
  decode(state, Protocol::openai_chat,
         fmt::format(R"({{"id":"c","object":"chat.completion","created":1,"model":"m","choices":)"
                     R"([{{"index":0,"message":{{"role":"assistant","content":"{}","tool_calls":)"
                     R"([{{"id":"call_1","type":"function","function":{{"name":"f","arguments":)"
                     R"("{{\"a\":1}}"}}}}]}},"finish_reason":"tool_calls"}}],"usage":)"
                     R"({{"prompt_tokens":10,"completion_tokens":400,"total_tokens":410}}}})",
                     words(1650)));
}
BENCHMARK(chat_completion);

void chat_stream(benchmark::State& state) {
  const std::string_view chunk =
      R"(data: {{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":)"
      R"([{{"index":0,"delta":{{{}}},"finish_reason":{}}}]}})"
      "\n\n";
  std::string stream;
  for (int i = 0; i < 1000; ++i) {
    stream += fmt::format(fmt::runtime(chunk), "\"content\":\" word\"", "null");
  }
  stream += fmt::format(fmt::runtime(chunk), "", "\"stop\"") + "data: [DONE]\n\n";
  decode(state, Protocol::openai_chat, stream);
}
BENCHMARK(chat_stream);

void responses_completion(benchmark::State& state) {
  decode(state, Protocol::openai_responses,
         fmt::format(R"({{"id":"r","object":"response","status":"completed","model":"m","output":)"
                     R"([{{"type":"message","role":"assistant","content":[{{"type":)"
                     R"("output_text","text":"{}"}}]}},{{"type":"function_call","call_id":)"
                     R"("call_1","name":"f","arguments":"{{\"a\":1}}"}}],"usage":)"
                     R"({{"input_tokens":10,"output_tokens":400,"total_tokens":410}}}})",
                     words(1650)));
}
BENCHMARK(responses_completion);

void responses_stream(benchmark::State& state) {
  std::string stream;
  for (int i = 0; i < 1000; ++i) {
    stream += fmt::format(
        "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\","
        "\"sequence_number\":{},\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,"
        "\"delta\":\" word\",\"logprobs\":[]}}\n\n",
        i);
  }
  stream +=
      "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":"
      "\"completed\",\"model\":\"m\",\"output\":[]}}\n\n";
  decode(state, Protocol::openai_responses, stream);
}
BENCHMARK(responses_stream);

void anthropic_completion(benchmark::State& state) {
  decode(state, Protocol::anthropic_messages,
         fmt::format(R"({{"id":"msg_1","type":"message","role":"assistant","model":"m","content":)"
                     R"([{{"type":"text","text":"{}"}},{{"type":"tool_use","id":"toolu_1",)"
                     R"("name":"f","input":{{"a":1}}}}],"stop_reason":"tool_use","usage":)"
                     R"({{"input_tokens":10,"output_tokens":400}}}})",
                     words(1650)));
}
BENCHMARK(anthropic_completion);

void anthropic_stream(benchmark::State& state) {
  std::string stream =
      "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\","
      "\"model\":\"m\",\"usage\":{\"input_tokens\":10,\"output_tokens\":1}}}\n\n"
      "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
      "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";
  for (int i = 0; i < 1000; ++i) {
    stream +=
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
        "\"delta\":{\"type\":\"text_delta\",\"text\":\" word\"}}\n\n";
  }
  stream +=
      "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
      "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
      "\"end_turn\"},\"usage\":{\"output_tokens\":1000}}\n\n"
      "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
  decode(state, Protocol::anthropic_messages, stream);
}
BENCHMARK(anthropic_stream);

std::string gemini_piece(std::string_view text, std::string_view reason) {
  return fmt::format(
      R"({{"candidates":[{{"content":{{"parts":[{{"text":"{}"}}],"role":"model"}}{},"index":0}}],)"
      R"("usageMetadata":{{"promptTokenCount":10,"candidatesTokenCount":400,"totalTokenCount":)"
      R"(410}},"modelVersion":"m"}})",
      text, reason);
}

void gemini_completion(benchmark::State& state) {
  decode(state, Protocol::gemini_generate, gemini_piece(words(1750), R"(,"finishReason":"STOP")"));
}
BENCHMARK(gemini_completion);

void gemini_stream(benchmark::State& state) {
  std::string stream;
  for (int i = 0; i < 1000; ++i) {
    stream += fmt::format("data: {}\r\n\r\n", gemini_piece(" word", ""));
  }
  stream += fmt::format("data: {}\r\n\r\n", gemini_piece(".", R"(,"finishReason":"STOP")"));
  decode(state, Protocol::gemini_generate, stream);
}
BENCHMARK(gemini_stream);

std::string ollama_piece(std::string_view text, std::string_view end) {
  return fmt::format(
      R"({{"model":"m","created_at":"2025-01-01T00:00:00Z","message":{{"role":"assistant",)"
      R"("content":"{}"}},"done":{}}})"
      "\n",
      text, end);
}

constexpr std::string_view kOllamaEnd =
    R"(true,"done_reason":"stop","prompt_eval_count":10,"eval_count":400)";

void ollama_completion(benchmark::State& state) {
  decode(state, Protocol::ollama_chat, ollama_piece(words(1800), kOllamaEnd));
}
BENCHMARK(ollama_completion);

void ollama_stream(benchmark::State& state) {
  std::string stream;
  for (int i = 0; i < 1000; ++i) stream += ollama_piece(" word", "false");
  decode(state, Protocol::ollama_chat, stream + ollama_piece("", kOllamaEnd));
}
BENCHMARK(ollama_stream);

}  // namespace
}  // namespace wright
