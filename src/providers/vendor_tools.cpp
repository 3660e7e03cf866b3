#include "providers/vendor_tools.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/text.h"
#include "providers/response_json.h"
#include "wright/tool.h"

namespace wright::providers {
namespace {

struct NamedTool {
  Protocol protocol;
  std::string_view name;
  std::string_view written;
};

constexpr std::array kNamedTools{
    NamedTool{Protocol::openai_responses, "web_search", R"({"type":"web_search"})"},
    NamedTool{Protocol::openai_responses, "code_execution",
              R"({"type":"code_interpreter","container":{"type":"auto"}})"},
    NamedTool{Protocol::anthropic_messages, "web_search",
              R"({"type":"web_search_20250305","name":"web_search"})"},
    NamedTool{Protocol::anthropic_messages, "web_fetch",
              R"({"type":"web_fetch_20250910","name":"web_fetch"})"},
    NamedTool{Protocol::anthropic_messages, "code_execution",
              R"({"type":"code_execution_20250825","name":"code_execution"})"},
    NamedTool{Protocol::gemini_generate, "web_search", R"({"googleSearch":{}})"},
    NamedTool{Protocol::gemini_generate, "web_fetch", R"({"urlContext":{}})"},
    NamedTool{Protocol::gemini_generate, "code_execution", R"({"codeExecution":{}})"},
};

// Where a list of tools may have others than functions.
bool has_tools_of_its_own(Protocol protocol) {
  return protocol != Protocol::ollama_chat && protocol != Protocol::bedrock_converse;
}

std::unexpected<Error> no_such_tool(const Endpoint& endpoint, std::string_view name) {
  std::string known;
  for (const NamedTool& each : kNamedTools) {
    if (each.protocol != endpoint.protocol()) continue;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", each.name);
  }
  return fail(
      ErrorCode::unsupported,
      fmt::format("{} runs no {} for {}. {}, or leave it out of vendor_tools",
                  endpoint.vendor.title.empty() ? endpoint.vendor.name : endpoint.vendor.title,
                  name, endpoint.model.name,
                  known.empty() ? "Choose a model of OpenAI, Anthropic or Gemini"
                                : fmt::format("There is {}", known)));
}

Result<Json> written_tool(const Endpoint& endpoint, const Json& wanted) {
  if (wanted.is_object()) {
    if (!has_tools_of_its_own(endpoint.protocol())) return no_such_tool(endpoint, "tool");
    return wanted;
  }
  const std::string_view name = text_in(&wanted);
  for (const NamedTool& each : kNamedTools) {
    if (each.protocol == endpoint.protocol() && each.name == name) return parse_json(each.written);
  }
  return no_such_tool(endpoint, name);
}

// "a: 1", what there is of it on one line each.
void add_line(std::string& words, std::string_view line) {
  constexpr std::size_t kLongestLine = 500;
  line = trimmed(line);
  if (line.empty()) return;
  if (!words.empty()) words += '\n';
  words += utf8_prefix(line, kLongestLine);
  if (line.size() > kLongestLine) words += "…";
}

void add_found(std::string& words, const JsonArray* found) {
  constexpr std::size_t kMostShown = 10;
  for (std::size_t i = 0; found != nullptr && i < std::min(found->size(), kMostShown); ++i) {
    const Json* one = &(*found)[i];
    if (const Json* web = field(one, "web")) one = web;  // Gemini's
    std::string_view url = text_field(one, "url");
    if (url.empty()) url = text_field(one, "uri");
    const std::string_view title = text_field(one, "title");
    add_line(words, title.empty() || url.empty() ? fmt::format("{}{}", title, url)
                                                 : fmt::format("{} <{}>", title, url));
  }
}

// What was asked for: the words, the page or the code.
void add_asked(std::string& words, const Json* input) {
  for (const std::string_view key : {"query", "url", "pattern", "code", "command"}) {
    add_line(words, text_field(input, key));
  }
  for (const std::string_view key : {"queries", "urls", "webSearchQueries"}) {
    const JsonArray* list = array_in(field(input, key));
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      add_line(words, text_in(&(*list)[i]));
    }
  }
}

void add_given(std::string& words, const Json* output) {
  for (const std::string_view key : {"stdout", "stderr", "output", "logs", "error_code"}) {
    add_line(words, text_field(output, key));
  }
}

std::string_view name_of_part(const Json& part) {
  constexpr std::array<std::string_view, 4> kParts{"executableCode", "codeExecutionResult",
                                                   "toolCall", "toolResponse"};
  for (const std::string_view name : kParts) {
    if (field(&part, name) != nullptr) return name;
  }
  return {};
}

}  // namespace

Result<JsonArray> vendor_tools(const Endpoint& endpoint, const Request& request) {
  JsonArray written;
  if (request.tool_choice().kind == ToolChoice::Kind::none) return written;
  for (const Json& wanted : request.sampling->vendor_tools) {
    auto tool = written_tool(endpoint, wanted);
    if (!tool) return std::unexpected(std::move(tool).error());
    const std::string_view name =
        wanted.is_string() ? text_in(&wanted) : text_field(&wanted, "name");
    const bool is_taken = !name.empty() && std::ranges::any_of(request.tools, [&](const Tool& own) {
      return own.spec.name == name;
    });
    if (is_taken) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} is both a tool of the agent and one that runs at the vendor. "
                              "Leave it out of tools or of vendor_tools",
                              name));
    }
    written.push_back(std::move(*tool));
  }
  return written;
}

bool is_item_of_vendors_tool(std::string_view type) {
  constexpr std::array<std::string_view, 6> kItems{"web_search_call",  "code_interpreter_call",
                                                   "file_search_call", "image_generation_call",
                                                   "mcp_call",         "mcp_list_tools"};
  return std::ranges::find(kItems, type) != kItems.end();
}

bool is_part_of_vendors_tool(const Json& part) {
  return !name_of_part(part).empty();
}

std::string words_of_grounding(const Json* metadata) {
  std::string words;
  add_asked(words, metadata);
  add_found(words, array_in(field(metadata, "groundingChunks")));
  return words.empty() ? words : valid_text("[googleSearch]\n" + words);
}

std::string words_of_vendors_tool(const Json& block) {
  if (const std::string_view name = name_of_part(block); !name.empty()) {
    const Json* part = field(&block, name);
    std::string words = fmt::format("[{}]", name);
    add_asked(words, part);
    add_asked(words, field(part, "args"));
    add_given(words, part);
    return valid_text(words);
  }
  const std::string_view type = text_field(&block, "type");
  const std::string_view name = text_field(&block, "name");
  std::string words = fmt::format("[{}]", name.empty() ? type : name);
  for (const std::string_view key : {"input", "action"}) add_asked(words, field(&block, key));
  add_asked(words, &block);
  const Json* content = field(&block, "content");
  add_given(words, content);
  add_found(words, array_in(content));
  add_found(words, array_in(field(&block, "results")));
  add_found(words, array_in(field(field(&block, "action"), "sources")));
  const JsonArray* outputs = array_in(field(&block, "outputs"));
  for (std::size_t i = 0; outputs != nullptr && i < outputs->size(); ++i) {
    add_given(words, &(*outputs)[i]);
  }
  return valid_text(words);
}

}  // namespace wright::providers
