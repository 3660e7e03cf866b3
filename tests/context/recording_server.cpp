#include "context/recording_server.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

namespace wright::context {
namespace {

using net::testing::Connection;

constexpr std::int64_t kBytesOfToken = 4;

// The words by which a summary is asked for.
bool asks_for_summary(std::string_view message) {
  return message.find("must know") != std::string_view::npos;
}

std::string text_at(const Json& json, std::string_view key) {
  const auto* object = json.if_object();
  const Json* value = object != nullptr ? object->if_contains(key) : nullptr;
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

std::int64_t number_at(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

// A mark for the cache is not a part of what is cached.
std::string without_cache_mark(std::string message) {
  constexpr std::string_view kMark = R"(,"cache_control":{"type":"ephemeral"})";
  for (std::size_t at = message.find(kMark); at != std::string::npos; at = message.find(kMark)) {
    message.erase(at, kMark.size());
  }
  return message;
}

Recorded recorded(std::string_view request) {
  Recorded made;
  made.body = request.substr(request.find("\r\n\r\n") + 4);
  const auto json = parse_json(made.body);
  if (!json || !json->is_object()) return made;
  const JsonObject& body = json->get_object();
  std::size_t bytes = 0;
  for (const std::string_view key : {"system", "tools"}) {
    if (const Json* part = body.if_contains(key)) bytes += to_text(*part).size();
  }
  if (const Json* messages = body.if_contains("messages"); messages && messages->is_array()) {
    for (const Json& message : messages->get_array()) {
      made.messages.push_back(without_cache_mark(to_text(message)));
      made.roles.push_back(text_at(message, "role"));
      bytes += made.messages.back().size();
    }
  }
  made.tokens = static_cast<std::int64_t>(bytes) / kBytesOfToken;
  made.is_summary = !made.messages.empty() && asks_for_summary(made.messages.back());
  for (const std::string_view key : {"max_tokens", "max_completion_tokens"}) {
    made.answer = std::max(made.answer, number_at(body, key));
  }
  if (const Json* options = body.if_contains("options"); options && options->is_object()) {
    made.num_ctx = number_at(options->get_object(), "num_ctx");
    made.answer = number_at(options->get_object(), "num_predict");
  }
  return made;
}

std::string_view usual_refusal(Shape shape) {
  switch (shape) {
    case Shape::openai:
      return "This model's maximum context length is {} tokens. Please reduce it.";
    case Shape::anthropic: return "prompt is too long: 999999 tokens > {} maximum";
    case Shape::ollama: return "the input length exceeds the context length of {} tokens";
  }
  return {};
}

std::string refusal(Shape shape, const std::string& words) {
  if (shape == Shape::anthropic) {
    return to_text(JsonObject{{"type", "error"},
                              {"error", {{"type", "invalid_request_error"}, {"message", words}}}});
  }
  if (shape == Shape::ollama) return to_text(JsonObject{{"error", words}});
  return to_text(JsonObject{{"error",
                             {{"message", words},
                              {"type", "invalid_request_error"},
                              {"code", "context_length_exceeded"}}}});
}

// What the model says: words, or calls of `look`.
struct Said {
  std::string words = {};
  int first_call = 0;
  int calls = 0;
};

std::string openai_answer(const Said& said, std::int64_t tokens) {
  JsonObject message{{"role", "assistant"}, {"content", said.words}};
  if (said.calls > 0) {
    JsonArray calls;
    for (int i = said.first_call; i < said.first_call + said.calls; ++i) {
      calls.push_back(JsonObject{
          {"id", fmt::format("call{}", i)},
          {"type", "function"},
          {"function", {{"name", "look"}, {"arguments", fmt::format(R"({{"at":{}}})", i)}}}});
    }
    message["tool_calls"] = std::move(calls);
  }
  return to_text(JsonObject{
      {"choices", JsonArray{JsonObject{{"index", 0},
                                       {"message", std::move(message)},
                                       {"finish_reason", said.calls > 0 ? "tool_calls" : "stop"}}}},
      {"usage", {{"prompt_tokens", tokens}, {"completion_tokens", 10}}}});
}

std::string anthropic_answer(const Said& said, std::int64_t tokens) {
  JsonArray content;
  if (!said.words.empty()) content.push_back(JsonObject{{"type", "text"}, {"text", said.words}});
  for (int i = said.first_call; i < said.first_call + said.calls; ++i) {
    content.push_back(JsonObject{{"type", "tool_use"},
                                 {"id", fmt::format("call{}", i)},
                                 {"name", "look"},
                                 {"input", {{"at", i}}}});
  }
  return to_text(JsonObject{{"type", "message"},
                            {"role", "assistant"},
                            {"model", "m"},
                            {"content", std::move(content)},
                            {"stop_reason", said.calls > 0 ? "tool_use" : "end_turn"},
                            {"usage", {{"input_tokens", tokens}, {"output_tokens", 10}}}});
}

std::string ollama_answer(const Said& said, std::int64_t tokens) {
  JsonObject message{{"role", "assistant"}, {"content", said.words}};
  if (said.calls > 0) {
    JsonArray calls;
    for (int i = said.first_call; i < said.first_call + said.calls; ++i) {
      calls.push_back(
          JsonObject{{"function", JsonObject{{"name", "look"}, {"arguments", {{"at", i}}}}}});
    }
    message["tool_calls"] = std::move(calls);
  }
  return to_text(JsonObject{{"model", "m"},
                            {"message", std::move(message)},
                            {"done", true},
                            {"done_reason", "stop"},
                            {"prompt_eval_count", tokens},
                            {"eval_count", 10}});
}

// Ids of the calls in a message, or of the results in it; Ollama has none.
void collect_ids(const std::string& message, std::string_view before,
                 std::vector<std::string>& ids) {
  for (std::size_t at = message.find(before); at != std::string::npos;
       at = message.find(before, at + 1)) {
    const std::size_t begin = at + before.size();
    ids.push_back(message.substr(begin, message.find('"', begin) - begin));
  }
}

int orphans_in(const Recorded& request) {
  std::multiset<std::string> open;
  int orphans = 0;
  for (const std::string& message : request.messages) {
    std::vector<std::string> calls;
    std::vector<std::string> results;
    collect_ids(message, R"("tool_call_id":")", results);
    collect_ids(message, R"("tool_use_id":")", results);
    collect_ids(message, R"("id":")", calls);
    for (const std::string& id : results) {
      const auto found = open.find(id);
      if (found == open.end()) {
        ++orphans;
      } else {
        open.erase(found);
      }
    }
    open.insert(calls.begin(), calls.end());
  }
  return orphans + static_cast<int>(open.size());
}

int most_in_a_row(const Recorded& request) {
  int most = 0;
  int count = 0;
  std::string last;
  for (const std::string& role : request.roles) {
    if (role == "tool" || role == "system") {
      last = role;
      continue;
    }
    count = role == last ? count + 1 : 1;
    last = role;
    most = std::max(most, count);
  }
  return most;
}

bool begins_with(const Recorded& request, const Recorded& before) {
  return request.messages.size() >= before.messages.size() &&
         std::ranges::equal(before.messages,
                            std::span(request.messages).first(before.messages.size()));
}

}  // namespace

std::string_view name_of(Shape shape) {
  switch (shape) {
    case Shape::openai: return "openai";
    case Shape::anthropic: return "anthropic";
    case Shape::ollama: return "ollama";
  }
  return {};
}

RecordingServer::RecordingServer(ServerOptions options)
    : options_(std::move(options)),
      server_([this](Connection& connection) { serve(connection); }) {}

std::string RecordingServer::url() const {
  return server_.url(options_.shape == Shape::ollama ? "/api" : "/v1");
}

Model RecordingServer::model(std::int64_t window) const {
  constexpr std::array<std::string_view, 3> kProtocols{"openai-chat", "anthropic-messages",
                                                       "ollama-chat"};
  Catalogue catalogue = Catalogue::built_in();
  std::string rows =
      fmt::format("[vendors.fake]\nneeds_key = false\nprotocol = \"{}\"\nbase_url = \"{}\"\n",
                  kProtocols[static_cast<std::size_t>(options_.shape)], url());
  if (window > 0) rows += fmt::format("[models.\"fake:small\"]\ncontext_tokens = {}\n", window);
  if (const auto added = catalogue.add(rows, "the test"); !added) return {};
  return Models({.catalogue = std::move(catalogue), .retry = {.retries = 0}}).get("fake:small");
}

std::vector<Recorded> RecordingServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void RecordingServer::serve(Connection& connection) {
  while (true) {
    const std::string request = connection.read_request();
    if (request.empty()) return;
    Recorded made = recorded(request);
    const std::int64_t taken = made.tokens + (options_.counts_answer ? made.answer : 0);
    const std::lock_guard lock(mutex_);
    made.is_refused =
        options_.window > 0 && !options_.drops_the_beginning && taken > options_.window;
    std::string body;
    if (options_.is_overloaded) {
      connection.answer(503, R"({"error":{"message":"overloaded"}})");
      continue;
    }
    if (made.is_refused) {
      const std::string words(options_.refusal.empty() ? usual_refusal(options_.shape)
                                                       : std::string_view(options_.refusal));
      body = refusal(options_.shape, fmt::format(fmt::runtime(words), options_.window));
    } else {
      body = answer(made);
    }
    const int status = made.is_refused ? 400 : 200;
    requests_.push_back(std::move(made));
    connection.answer(status, body, "Content-Type: application/json\r\n");
  }
}

std::string RecordingServer::answer(const Recorded& recorded) {
  Said said;
  if (recorded.is_summary) {
    said.words = options_.summary();
  } else {
    const std::string& last = recorded.messages.back();
    const bool is_question =
        recorded.roles.back() == "user" && last.find("tool_result") == std::string::npos;
    if (is_question) looked_ = 0;
    if (looked_ >= options_.looks) {
      said.words = "I have looked.";
    } else {
      ++looked_;
      said.first_call = calls_ + 1;
      said.calls = options_.side_by_side;
      calls_ += said.calls;
    }
  }
  // A server that drops the beginning has read no more than its window.
  const std::int64_t read = options_.drops_the_beginning && options_.window > 0
                                ? std::min(recorded.tokens, options_.window)
                                : recorded.tokens;
  switch (options_.shape) {
    case Shape::openai: return openai_answer(said, read);
    case Shape::anthropic: return anthropic_answer(said, read);
    case Shape::ollama: return ollama_answer(said, read);
  }
  return {};
}

Figures figures_of(const std::vector<Recorded>& requests, std::int64_t window) {
  Figures figures;
  const Recorded* before = nullptr;
  for (const Recorded& request : requests) {
    figures.tokens += request.is_refused ? 0 : request.tokens;
    figures.orphans += orphans_in(request);
    figures.in_a_row = std::max(figures.in_a_row, most_in_a_row(request));
    if (request.is_refused) ++figures.refused;
    if (window > 0 && request.tokens > window) ++figures.over;
    if (request.is_summary) {
      ++figures.summaries;
      figures.summary_tokens += request.tokens;
      continue;
    }
    ++figures.requests;
    figures.largest = std::max(figures.largest, request.tokens);
    if (before != nullptr && !begins_with(request, *before)) ++figures.breaks;
    before = &request;
  }
  return figures;
}

}  // namespace wright::context
