#include "server/known_members.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "server/wishes.h"

namespace wright::server {
namespace {

constexpr std::string_view kChatMembers[] = {"model",
                                             "messages",
                                             "stream",
                                             "stream_options",
                                             "tools",
                                             "tool_choice",
                                             "parallel_tool_calls",
                                             "max_tokens",
                                             "max_completion_tokens",
                                             "temperature",
                                             "top_p",
                                             "stop",
                                             "reasoning_effort",
                                             "response_format",
                                             "n",
                                             "seed",
                                             "logprobs",
                                             "top_logprobs",
                                             "logit_bias",
                                             "presence_penalty",
                                             "frequency_penalty",
                                             "audio",
                                             "modalities",
                                             "moderation",
                                             "verbosity",
                                             "web_search_options",
                                             "functions",
                                             "function_call",
                                             "store",
                                             "service_tier",
                                             "metadata",
                                             "prediction",
                                             "prompt_cache_key",
                                             "prompt_cache_retention",
                                             "safety_identifier",
                                             "user"};
constexpr std::string_view kResponsesMembers[] = {"model",
                                                  "input",
                                                  "instructions",
                                                  "previous_response_id",
                                                  "stream",
                                                  "stream_options",
                                                  "tools",
                                                  "tool_choice",
                                                  "parallel_tool_calls",
                                                  "max_output_tokens",
                                                  "temperature",
                                                  "top_p",
                                                  "reasoning",
                                                  "text",
                                                  "metadata",
                                                  "include",
                                                  "background",
                                                  "context_management",
                                                  "conversation",
                                                  "max_tool_calls",
                                                  "moderation",
                                                  "prompt",
                                                  "service_tier",
                                                  "store",
                                                  "top_logprobs",
                                                  "prompt_cache_key",
                                                  "prompt_cache_retention",
                                                  "safety_identifier",
                                                  "truncation",
                                                  "user"};
constexpr std::string_view kMessagesMembers[] = {
    "model",         "messages",      "system",         "stream",
    "tools",         "tool_choice",   "max_tokens",     "temperature",
    "top_p",         "top_k",         "stop_sequences", "thinking",
    "output_config", "output_format", "container",      "context_management",
    "inference_geo", "mcp_servers",   "service_tier",   "cache_control",
    "metadata"};

std::span<const std::string_view> members_of(VendorProtocol protocol) {
  switch (protocol) {
    case VendorProtocol::chat: return kChatMembers;
    case VendorProtocol::responses: return kResponsesMembers;
    case VendorProtocol::messages: return kMessagesMembers;
  }
  return {};
}

}  // namespace

Result<void> check_members(const JsonObject& body, VendorProtocol protocol) {
  const auto known = members_of(protocol);
  for (const auto& member : body) {
    const std::string_view name = member.key();
    if (member.value().is_null() || std::ranges::find(known, name) != known.end()) continue;
    return refused_member(ErrorCode::invalid_argument, utf8_prefix(name, 100), "is not known here");
  }
  return {};
}

}  // namespace wright::server
