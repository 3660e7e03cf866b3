// The work that every turn has, without a network and without a clock, for a tool that counts
// instructions: counts are the same on a busy machine. See instruction_counts.py.
//
//   instruction_counts PIECE TIMES     does the piece that often
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/kept_history.h"
#include "measure.h"
#include "wright/interceptors.h"
#include "wright/provider.h"
#include "wright/run.h"
#include "wright/store.h"
#include "wright/testing.h"
#include "wright/tool.h"

namespace {

using namespace wright;

struct Query {
  std::string query;
  int limit = 10;
  std::string order;
  bool exact = false;
  std::vector<std::string> fields;
};
WRIGHT_DESCRIBE(Query, WRIGHT_FIELD(query).min_length(1).max_length(2000),
                WRIGHT_FIELD(limit).at_least(1).at_most(1000), WRIGHT_FIELD(order),
                WRIGHT_FIELD(exact), WRIGHT_FIELD(fields).max_items(20))

struct Found {
  std::string path;
  int line = 0;
};
WRIGHT_DESCRIBE(Found, WRIGHT_FIELD(path), WRIGHT_FIELD(line))

constexpr std::string_view kArguments = R"({"path":"src/main.cpp","limit":20,"mode":"text"})";
constexpr std::string_view kResult =
    R"({"ok":true,"path":"src/main.cpp","bytes":1044,"head":"lorem ipsum dolor sit amet"})";
constexpr int kHistory = 20;  // turns that a conversation has had before it is looked at

template <class T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "instruction_counts: %s\n", result.error().message.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

Agent patient_agent() {
  Agent agent{.name = "bench",
              .instructions = "You are a careful assistant. Use the tool when you need it."};
  const Json parameters = {{"type", "object"},
                           {"properties",
                            {{"path", {{"type", "string"}}},
                             {"limit", {{"type", "integer"}}},
                             {"mode", {{"type", "string"}, {"enum", {"text", "binary"}}}}}},
                           {"required", {"path", "limit", "mode"}}};
  agent.tools = {
      must(tool({.name = "read_file",
                 .description = "Read a file from the workspace.",
                 .parameters = parameters},
                [](const Json& given, const Context&) -> Result<Json> { return given; }))};
  agent.limits.max_iterations = 1'000'000'000;
  agent.limits.max_repeats.reset();
  return agent;
}

void take_turn(const Agent& agent, Run& run) {
  static_cast<void>(next(agent, run));
  must(accept(run, ModelAnswered{testing::calls(
                       {testing::call("read_file", std::string(kArguments),
                                      "call_" + std::to_string(run.messages.size()))})}));
  const Step step = next(agent, run);
  for (const ToolCall& call : std::get<CallTools>(step).calls) {
    must(accept(
        run,
        ToolFinished{{.call_id = call.id, .name = call.name, .content = std::string(kResult)}}));
  }
}

Run begun(const Agent& agent) {
  Run run = start(agent, "Read the files you need and summarise what they hold.");
  for (int i = 0; i < kHistory; ++i) take_turn(agent, run);
  return run;
}

std::vector<Message> conversation(int turns) {
  std::vector<Message> messages{
      Message::user("Read the files you need and summarise what they hold.")};
  for (int i = 0; i < turns; ++i) {
    const ToolCall call{"call_" + std::to_string(i), "read_file", std::string(kArguments)};
    messages.push_back({Role::assistant, {call}});
    messages.push_back(
        Message::tool({.call_id = call.id, .name = call.name, .content = std::string(kResult)}));
  }
  return messages;
}

Endpoint endpoint(Protocol protocol) {
  Endpoint made;
  made.vendor.name = "example";
  made.vendor.protocol = protocol;
  made.vendor.base_url = "http://127.0.0.1/v1";
  made.model.name = "model";
  return made;
}

void next_and_accept(int times) {
  const Agent agent = patient_agent();
  Run run = begun(agent);
  for (int i = 0; i < times; ++i) take_turn(agent, run);
}

// Every turn sends a request of the conversation so far, which grows by two messages.
void encode_turns(Protocol protocol, int times) {
  const Agent agent = patient_agent();
  const Endpoint to = endpoint(protocol);
  const std::vector<Message> messages = conversation(kHistory + times);
  RequestMemory memory;
  for (int i = 0; i <= times; ++i) {
    const auto shown = static_cast<std::size_t>(1 + 2 * (kHistory + i));
    const Request request{.messages = std::span(messages).first(shown),
                          .system = agent.instructions,
                          .tools = agent.tools,
                          .sampling = &agent.sampling,
                          .memory = &memory};
    KeptHistory::continue_with(memory, request);  // as a driver says
    static_cast<void>(must(encode(to, request, Delivery::whole)));
  }
}

void decode_answers(int times) {
  const Agent agent = patient_agent();
  const Endpoint from = endpoint(Protocol::openai_chat);
  const std::vector<Message> messages = conversation(kHistory);
  const Request request{.messages = messages, .tools = agent.tools, .sampling = &agent.sampling};
  const std::string answer =
      R"({"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,)"
      R"("message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":)"
      R"("function","function":{"name":"read_file","arguments":"{\"path\":\"a\",\"limit\":20,)"
      R"(\"mode\":\"text\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":100,)"
      R"("completion_tokens":20,"total_tokens":120}})";
  for (int i = 0; i < times; ++i) {
    const auto decoder = make_decoder(from, request);
    must(decoder->feed(answer, {}));
    static_cast<void>(must(decoder->finish()));
  }
}

// The same call in a stream, whose arguments come word by word.
void decode_streams(int times) {
  const Agent agent = patient_agent();
  const Endpoint from = endpoint(Protocol::openai_chat);
  const std::vector<Message> messages = conversation(kHistory);
  const Request request{.messages = messages, .tools = agent.tools, .sampling = &agent.sampling};
  const auto chunk = [](std::string_view delta, std::string_view reason) {
    return R"(data: {"id":"chatcmpl-00000004d65d","object":"chat.completion.chunk","created":1,)"
           R"("model":"model","system_fingerprint":"fp","choices":[{"index":0,"delta":)" +
           std::string(delta) + R"(,"logprobs":null,"finish_reason":)" + std::string(reason) +
           "}]}\n\n";
  };
  std::string stream =
      chunk(R"({"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":)"
            R"("function","function":{"name":"read_file","arguments":""}}]})",
            "null");
  for (const std::string_view piece :
       {R"({\")", "path", R"(\":\")", "src", "/", "main", ".cpp", R"(\",\")", "limit", R"(\":)",
        "20", R"(,\")", "mode", R"(\":\")", "text", R"(\"})"}) {
    stream += chunk(
        R"({"tool_calls":[{"index":0,"function":{"arguments":")" + std::string(piece) + R"("}}]})",
        "null");
  }
  stream += chunk("{}", R"("tool_calls")") + "data: [DONE]\n\n";
  for (int i = 0; i < times; ++i) {
    const auto decoder = make_decoder(from, request);
    must(decoder->feed(stream, {}));
    static_cast<void>(must(decoder->finish()));
  }
}

// One call through the pipeline, as in pipeline_bench.
void call_tools(const std::vector<Interceptor>& interceptors, int times) {
  const std::vector<Tool> tools{tool("search", "",
                                     [](const Query& query) {
                                       return Found{"run.cpp", query.limit};
                                     },
                                     {.effect = Effect::read})};
  const ToolCall call = testing::call(
      "search",
      R"({"query":"who wrote the run machine","limit":10,"order":"descending","exact":false,)"
      R"("fields":["path","line"]})",
      "call_1");
  const Context context{.agent_name = "helper", .call_id = call.id};
  for (int i = 0; i < times; ++i) {
    if (execute(tools, interceptors, call, context).result.is_error) std::exit(1);
  }
}

std::vector<Interceptor> all_conveniences() {
  return conveniences({}, line_logger(LogFormat::json, LogLevel::debug, [](std::string_view line) {
                        if (line.empty()) std::exit(1);
                      }));
}

// As a driver writes it: the model's answer with its call, and the result of the call.
void store_turns(int times) {
  const bench::Folder folder;
  auto store = must(open_sqlite_store(folder.database()));
  const std::vector<Write> registered{
      RegisterRunner{.name = "bench", .time = std::chrono::minutes(10)}};
  const RunnerId runner = must(store->apply(registered)).runners.front();
  const SessionId id = must(store->create_session({.agent_name = "bench",
                                                   .provider = "example",
                                                   .model = "model",
                                                   .user_prompt = "Go",
                                                   .runner_id = runner}));
  for (int i = 0; i < times; ++i) {
    const ToolCall call{"call_" + std::to_string(i), "read_file", std::string(kArguments)};
    const std::vector<Write> asked{
        HoldLease{.session_id = id, .runner_id = runner},
        AppendMessage{.session_id = id, .message = {Role::assistant, {call}}, .started_calls = 1},
        UpdateSession{.session_id = id, .usage = Usage{i, i}, .iterations = i}};
    const BatchIds ids = must(store->apply(asked));
    const std::vector<Write> answered{
        HoldLease{.session_id = id, .runner_id = runner},
        UpdateCall{.call_id = ids.calls.front(),
                   .status = CallStatus::completed,
                   .response = Json(kResult),
                   .execution_time_ms = 1},
        AppendMessage{
            .session_id = id,
            .message = Message::tool(
                {.call_id = call.id, .name = call.name, .content = std::string(kResult)})}};
    static_cast<void>(must(store->apply(answered)));
  }
}

}  // namespace

int main(int count, char** words) {
  std::map<std::string, std::function<void(int)>, std::less<>> pieces{
      {"next_and_accept", next_and_accept},
      {"call_tool", [](int times) { call_tools({}, times); }},
      {"call_tool_with_conveniences", [](int times) { call_tools(all_conveniences(), times); }},
      {"decode_openai_chat", decode_answers},
      {"decode_openai_chat_stream", decode_streams},
      {"store_in_sqlite", store_turns}};
  for (const Protocol protocol :
       {Protocol::openai_chat, Protocol::openai_responses, Protocol::anthropic_messages,
        Protocol::gemini_generate, Protocol::ollama_chat, Protocol::bedrock_converse}) {
    std::string name = "encode_" + std::string(to_string(protocol));
    for (char& c : name) c = c == '-' ? '_' : c;
    pieces[name] = [=](int times) { encode_turns(protocol, times); };
  }
  if (count == 1) {
    for (const auto& [name, piece] : pieces) std::puts(name.c_str());
    return 0;
  }
  const auto piece = count == 3 ? pieces.find(std::string_view(words[1])) : pieces.end();
  if (piece == pieces.end()) {
    std::fprintf(stderr, "usage: instruction_counts [PIECE TIMES]\n");
    return 1;
  }
  piece->second(std::atoi(words[2]));
}
