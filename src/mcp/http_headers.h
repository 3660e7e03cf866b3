// What the newest revision repeats of a request in headers, so that proxies can route it: which
// revision, which method, which tool, and parameters that their schema marks with x-mcp-header.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/json_rpc.h"
#include "wright/model.h"

namespace wright::mcp {

inline constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";
inline constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
inline constexpr std::string_view kMethodHeader = "Mcp-Method";
inline constexpr std::string_view kNameHeader = "Mcp-Name";

// A parameter that is repeated: where it stands in the arguments, and the end of its header's name.
struct HeaderParameter {
  std::vector<std::string> path = {};
  std::string header = {};
};
// Those of a tool. Refuses marks that no client may follow: on other types, twice, without a name.
Result<std::vector<HeaderParameter>> header_parameters(const Json& input_schema);

// What goes with a request: all of the headers above.
std::vector<HttpHeader> request_headers(std::string_view method, const JsonObject& params,
                                        const std::vector<HeaderParameter>& parameters = {});

// What is wrong with the headers of a request (code::kHeaderMismatch), or nothing.
std::optional<Problem> problem_with_headers(const std::vector<HttpHeader>& headers,
                                            const Request& request,
                                            const std::vector<HeaderParameter>& parameters = {});

// A value as it may stand in a header: as it is, or as =?base64?…?= where that would not be safe.
std::string header_value(std::string_view text);
// Back. Absent where the base64 is none.
std::optional<std::string> from_header_value(std::string_view value);

}  // namespace wright::mcp
