#include "telemetry/otlp.h"

#include <gtest/gtest.h>

#include <bit>

#include "telemetry/telemetry_testing.h"
#include "wright/json.h"

namespace wright::telemetry {
namespace {

using testing::at_path;

Span example() {
  Span span{.name = "chat \"m\"\n",
            .kind = SpanKind::client,
            .began_ns = 1'794'846'135'690'000'001,
            .ended_ns = 1'794'846'135'690'000'999,
            .attributes = {{"gen_ai.operation.name", "chat"},
                           {"gen_ai.usage.input_tokens", std::int64_t{-3}},
                           {"wright.cost_usd", 0.5},
                           {"gen_ai.request.stream", true},
                           {"gen_ai.response.finish_reasons", std::vector<std::string>{"stop"}}},
            .links = {{.state = "c=d"}},
            .has_failed = true,
            .error = "broken \xff text"};
  span.trace.fill(0xab);
  span.id.fill(0x01);
  span.parent.fill(0x02);
  span.state = "a=b";
  span.links[0].trace.fill(0xcd);
  span.links[0].id.fill(0x03);
  return span;
}

TEST(Otlp, is_json_that_collectors_read) {
  const Span span = example();
  const auto json =
      parse_json(encode(Encoding::json, {{"service.name", "x\"y"}}, std::span(&span, 1)));
  ASSERT_TRUE(json) << json.error().message;
  const Json& group = json->at("resourceSpans").at(0);
  EXPECT_EQ(group.at("resource").at("attributes").at(0).at("value").at("stringValue"), "x\"y");
  EXPECT_EQ(group.at("scopeSpans").at(0).at("scope").at("name"), "wright");
  const Json& told = group.at("scopeSpans").at(0).at("spans").at(0);
  EXPECT_EQ(told.at("traceId"), "abababababababababababababababab");
  EXPECT_EQ(told.at("spanId"), "0101010101010101");
  EXPECT_EQ(told.at("parentSpanId"), "0202020202020202");
  EXPECT_EQ(told.at("traceState"), "a=b");
  EXPECT_EQ(told.at("name"), "chat \"m\"\n");
  EXPECT_EQ(told.at("kind"), 3);
  EXPECT_EQ(told.at("startTimeUnixNano"), "1794846135690000001");
  EXPECT_EQ(told.at("status").at("code"), 2);
  const Json& attributes = told.at("attributes");
  EXPECT_EQ(attributes.at(1).at("value").at("intValue"), "-3");
  EXPECT_EQ(attributes.at(2).at("value").at("doubleValue").to_number<double>(), 0.5);
  EXPECT_EQ(attributes.at(3).at("value").at("boolValue"), true);
  EXPECT_EQ(attributes.at(4).at("value").at("arrayValue").at("values").at(0).at("stringValue"),
            "stop");
  EXPECT_EQ(told.at("links").at(0).at("traceId"), "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd");
  EXPECT_EQ(told.at("links").at(0).at("spanId"), "0303030303030303");
  EXPECT_EQ(told.at("links").at(0).at("traceState"), "c=d");
}

TEST(Otlp, is_protobuf_with_the_numbers_of_its_schema) {
  const std::vector<Span> spans{example(), Span{.name = "root"}};
  const std::string bytes = encode(Encoding::protobuf, {{"service.name", "x"}}, spans);
  // resource_spans, resource, attributes, key.
  ASSERT_EQ(at_path(bytes, {1, 1, 1, 1}).size(), 1U);
  EXPECT_EQ(at_path(bytes, {1, 1, 1, 1})[0].bytes, "service.name");
  EXPECT_EQ(at_path(bytes, {1, 1, 1, 2, 1})[0].bytes, "x");
  const auto all = at_path(bytes, {1, 2, 2});
  ASSERT_EQ(all.size(), 2U);
  const std::string& span = all[0].bytes;
  EXPECT_EQ(at_path(span, {1})[0].bytes, std::string(16, '\xab'));
  EXPECT_EQ(at_path(span, {2})[0].bytes, std::string(8, '\x01'));
  EXPECT_EQ(at_path(span, {4})[0].bytes, std::string(8, '\x02'));
  EXPECT_EQ(at_path(span, {5})[0].bytes, "chat \"m\"\n");
  EXPECT_EQ(at_path(span, {6})[0].value, 3U);
  EXPECT_EQ(at_path(span, {7})[0].value, 1'794'846'135'690'000'001U);
  EXPECT_EQ(at_path(span, {8})[0].value, 1'794'846'135'690'000'999U);
  EXPECT_EQ(at_path(span, {9}).size(), 5U);
  EXPECT_EQ(static_cast<std::int64_t>(at_path(span, {9, 2, 3})[0].value), -3);
  EXPECT_EQ(std::bit_cast<double>(at_path(span, {9, 2, 4})[0].value), 0.5);
  EXPECT_EQ(at_path(span, {9, 2, 2})[0].value, 1U);
  EXPECT_EQ(at_path(span, {9, 2, 5, 1, 1})[0].bytes, "stop");
  EXPECT_EQ(at_path(span, {13, 1})[0].bytes, std::string(16, '\xcd'));
  EXPECT_EQ(at_path(span, {13, 2})[0].bytes, std::string(8, '\x03'));
  EXPECT_EQ(at_path(span, {13, 3})[0].bytes, "c=d");
  EXPECT_EQ(at_path(span, {15, 3})[0].value, 2U);
  EXPECT_TRUE(is_valid_utf8(at_path(span, {15, 2})[0].bytes));
  EXPECT_TRUE(at_path(all[1].bytes, {4}).empty());
  EXPECT_TRUE(at_path(all[1].bytes, {15}).empty());
}

}  // namespace
}  // namespace wright::telemetry
