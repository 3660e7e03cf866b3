// Names of attributes, in one place: OpenTelemetry's conventions for generative AI, and for MCP,
// still move.
#pragma once

#include <string_view>

namespace wright::telemetry::name {

inline constexpr std::string_view kOperation = "gen_ai.operation.name";
inline constexpr std::string_view kProvider = "gen_ai.provider.name";
inline constexpr std::string_view kAgent = "gen_ai.agent.name";
inline constexpr std::string_view kAgentDescription = "gen_ai.agent.description";
inline constexpr std::string_view kConversation = "gen_ai.conversation.id";
inline constexpr std::string_view kOutputType = "gen_ai.output.type";
inline constexpr std::string_view kRequestModel = "gen_ai.request.model";
inline constexpr std::string_view kMaxTokens = "gen_ai.request.max_tokens";
inline constexpr std::string_view kTemperature = "gen_ai.request.temperature";
inline constexpr std::string_view kTopP = "gen_ai.request.top_p";
inline constexpr std::string_view kStopSequences = "gen_ai.request.stop_sequences";
inline constexpr std::string_view kStream = "gen_ai.request.stream";
inline constexpr std::string_view kResponseId = "gen_ai.response.id";
inline constexpr std::string_view kResponseModel = "gen_ai.response.model";
inline constexpr std::string_view kFinishReasons = "gen_ai.response.finish_reasons";
inline constexpr std::string_view kTimeToFirstChunk = "gen_ai.response.time_to_first_chunk";
inline constexpr std::string_view kInputTokens = "gen_ai.usage.input_tokens";
inline constexpr std::string_view kOutputTokens = "gen_ai.usage.output_tokens";
inline constexpr std::string_view kCacheRead = "gen_ai.usage.cache_read.input_tokens";
inline constexpr std::string_view kCacheWrite = "gen_ai.usage.cache_creation.input_tokens";
inline constexpr std::string_view kReasoning = "gen_ai.usage.reasoning.output_tokens";
inline constexpr std::string_view kTool = "gen_ai.tool.name";
inline constexpr std::string_view kToolCall = "gen_ai.tool.call.id";
inline constexpr std::string_view kToolType = "gen_ai.tool.type";
inline constexpr std::string_view kToolDescription = "gen_ai.tool.description";
inline constexpr std::string_view kPrompt = "gen_ai.prompt.name";
inline constexpr std::string_view kErrorType = "error.type";
inline constexpr std::string_view kServerAddress = "server.address";
inline constexpr std::string_view kServerPort = "server.port";
// Only where content is wanted.
inline constexpr std::string_view kInputMessages = "gen_ai.input.messages";
inline constexpr std::string_view kInstructions = "gen_ai.system_instructions";
inline constexpr std::string_view kDefinitions = "gen_ai.tool.definitions";
inline constexpr std::string_view kOutputMessages = "gen_ai.output.messages";
inline constexpr std::string_view kArguments = "gen_ai.tool.call.arguments";
inline constexpr std::string_view kToolResult = "gen_ai.tool.call.result";
// Of requests over MCP.
inline constexpr std::string_view kMcpMethod = "mcp.method.name";
inline constexpr std::string_view kMcpSession = "mcp.session.id";
inline constexpr std::string_view kMcpVersion = "mcp.protocol.version";
inline constexpr std::string_view kMcpResource = "mcp.resource.uri";
inline constexpr std::string_view kRequestId = "jsonrpc.request.id";
inline constexpr std::string_view kStatusCode = "rpc.response.status_code";
inline constexpr std::string_view kTransport = "network.transport";
inline constexpr std::string_view kProtocol = "network.protocol.name";
// Wright's own.
inline constexpr std::string_view kCost = "wright.cost_usd";
inline constexpr std::string_view kRetries = "wright.retries";
inline constexpr std::string_view kIteration = "wright.iteration";
inline constexpr std::string_view kPhase = "wright.phase";
inline constexpr std::string_view kWaits = "wright.waits_for";

}  // namespace wright::telemetry::name
