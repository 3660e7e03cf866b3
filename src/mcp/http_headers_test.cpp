#include "mcp/http_headers.h"

#include <gtest/gtest.h>
#include <boost/json/object.hpp>

#include <algorithm>

namespace wright::mcp {
namespace {

Json schema_of_tool(std::string_view properties) {
  return parse_json(R"({"type":"object","properties":)" + std::string(properties) + "}").value();
}

TEST(McpHeaders, ValuesThatAreNotSafeAreEncodedAndComeBack) {
  for (const std::string_view text :
       {"plain", "", " spaces ", "a\nb", "käse", "=?base64?x?=", "a, b; c=d"}) {
    const std::string value = header_value(text);
    EXPECT_EQ(value.find_first_of("\r\n"), std::string::npos);
    EXPECT_EQ(from_header_value(value), text);
  }
  EXPECT_EQ(header_value("plain"), "plain");
  EXPECT_EQ(header_value("é"), "=?base64?w6k=?=");
  for (const std::string_view bad :
       {"=?base64?***?=", "=?base64?SGVsbG8?=", "=?base64?SGVs=?=", "=?base64?_-__?="}) {
    EXPECT_FALSE(from_header_value(bad)) << bad;
  }
}

TEST(McpHeaders, ARequestFitsItsOwnHeadersAndNoOthers) {
  const auto parameters =
      header_parameters(schema_of_tool(R"({"region":{"type":"string","x-mcp-header":"Region"},
        "inner":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}})"));
  ASSERT_TRUE(parameters);
  ASSERT_EQ(parameters->size(), 2U);
  Request request{.method = "tools/call"};
  request.params = parse_json(R"({"name":"x","arguments":{"region":"eu","inner":{"n":7}},"_meta":
        {"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})")
                       .value()
                       .as_object();
  const auto headers = request_headers(request.method, request.params, *parameters);
  EXPECT_FALSE(problem_with_headers(headers, request, *parameters));
  for (std::size_t i = 0; i < headers.size(); ++i) {
    auto without = headers;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(problem_with_headers(without, request, *parameters)->code, code::kHeaderMismatch);
    auto changed = headers;
    changed[i].value = "other";
    EXPECT_EQ(problem_with_headers(changed, request, *parameters)->code, code::kHeaderMismatch);
  }
  request.params["arguments"] = JsonObject{};
  EXPECT_TRUE(problem_with_headers(headers, request, *parameters));
}

TEST(McpHeaders, MarksThatNobodyMayFollowAreRefused) {
  for (const std::string_view properties :
       {R"({"a":{"type":"number","x-mcp-header":"A"}})",
        R"({"a":{"type":"string","x-mcp-header":""}})",
        R"({"a":{"type":"string","x-mcp-header":"A B"}})",
        R"({"a":{"type":"string","x-mcp-header":7}})",
        R"({"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}})"}) {
    EXPECT_FALSE(header_parameters(schema_of_tool(properties))) << properties;
  }
}

TEST(McpHeaders, RequestsAboutATaskNameIt) {
  Request request{.method = "tasks/get", .params = {{"taskId", "t 1"}}};
  request.params["_meta"] = JsonObject{{"io.modelcontextprotocol/protocolVersion", kModernVersion}};
  auto headers = request_headers(request.method, request.params, {});
  EXPECT_FALSE(problem_with_headers(headers, request, {}));
  const auto name = std::ranges::find(headers, "Mcp-Name", &HttpHeader::name);
  ASSERT_NE(name, headers.end());
  EXPECT_EQ(from_header_value(name->value), "t 1");
  name->value = "t2";
  EXPECT_EQ(problem_with_headers(headers, request, {})->code, code::kHeaderMismatch);
}

}  // namespace
}  // namespace wright::mcp
