#include "mcp/content.h"

#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace wright::mcp {
namespace {

JsonObject object(std::string_view text) {
  return parse_json(text).value().as_object();
}

TEST(McpContent, HintsBecomeEffectsAndEffectsHints) {
  const auto effect = [](std::string_view hints) {
    return remote_tool(object(R"({"name":"x","inputSchema":{"type":"object"},"annotations":)" +
                              std::string(hints) + "}"))
        .value()
        .effect;
  };
  const auto destroys = [](std::string_view hints) {
    return remote_tool(object(R"({"name":"x","inputSchema":{"type":"object"},"annotations":)" +
                              std::string(hints) + "}"))
        .value()
        .destroys;
  };
  EXPECT_EQ(destroys("{}"), std::nullopt);
  EXPECT_EQ(destroys(R"({"destructiveHint":"yes"})"), std::nullopt);
  EXPECT_EQ(destroys(R"({"destructiveHint":true})"), true);
  EXPECT_EQ(destroys(R"({"destructiveHint":false})"), false);
  EXPECT_EQ(effect(R"({"readOnlyHint":true})"), Effect::read);
  EXPECT_EQ(effect(R"({"idempotentHint":true})"), Effect::idempotent);
  EXPECT_EQ(effect("{}"), Effect::write);
  EXPECT_EQ(effect(R"({"readOnlyHint":"yes"})"), Effect::write);
  for (const Effect each : {Effect::read, Effect::idempotent, Effect::write}) {
    const auto told = remote_tool(tool_json({.name = "x", .options = {.effect = each}})).value();
    EXPECT_EQ(told.effect, each);
    EXPECT_EQ(told.destroys, each != Effect::read);
  }
}

TEST(McpContent, ToolsThatCannotBeUsedAreRefused) {
  for (const std::string_view text : {"{}", R"({"name":"","inputSchema":{}})", R"({"name":"x"})",
                                      R"({"name":"x","inputSchema":7})"}) {
    EXPECT_FALSE(remote_tool(object(text))) << text;
  }
  EXPECT_FALSE(remote_tool(7));
}

TEST(McpContent, TextImagesAndLinksReachTheModel) {
  const auto output = output_of(object(R"({"content":[{"type":"text","text":"one"},
    {"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},
    {"type":"resource_link","uri":"file:///a","name":"a"},
    {"type":"resource","resource":{"uri":"x:y","text":"inner"}},
    {"type":"resource","resource":{"uri":"x:z","blob":"R0lGODlh","mimeType":"image/gif"}},
    {"type":"audio","data":"","mimeType":"audio/wav"},{"type":"new"},7]})"),
                                {});
  ASSERT_TRUE(output);
  const std::string text(output->value.as_string());
  for (const std::string_view part : {"one", "file:///a", "inner", "audio/wav", "'new'"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  ASSERT_EQ(output->images.size(), 2U);
  EXPECT_EQ(output->images[0], (Image{"image/png", "iVBORw0KGgo="}));
}

TEST(McpContent, ImagesAreCheckedBeforeAModelGetsThem) {
  const auto shown = [](std::string media, std::string data, std::size_t times = 1) {
    JsonArray content;
    for (std::size_t i = 0; i < times; ++i) {
      content.push_back({{"type", "image"}, {"mimeType", media}, {"data", data}});
    }
    return output_of({{"content", content}}, {}).value();
  };
  EXPECT_EQ(shown("image/png", "iVBORw0KGgo=").images.size(), 1U);
  for (const auto& [media, data] : std::vector<std::pair<std::string, std::string>>{
           {"image/png\r\nX: y", "iVBORw0KGgo="},
           {"image/p,ng", "iVBORw0KGgo="},
           {"text/html", "iVBORw0KGgo="},
           {"png", "iVBORw0KGgo="},
           {"", "iVBORw0KGgo="},
           {"image/svg+xml", "PHN2Zy8+"},
           {"image/png", "aW1n"},
           {"image/png", "JVBERi0="},
           {"image/png", "aW1"},
           {"image/png", "iVBORw0KGgo=\""},
           {"image/png", "a=1n"},
           {"image/png", ""},
           {"image/png", "iVBORw0KGgoA" + std::string(5'000'004, 'A')}}) {
    const auto left_out = shown(media, data);
    EXPECT_TRUE(left_out.images.empty()) << media << " " << data.substr(0, 10);
    const std::string text(left_out.value.as_string());
    EXPECT_NE(text.find("not shown"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
  EXPECT_EQ(shown("image/png", "iVBORw0KGgo=", 30).images.size(), 20U);
  EXPECT_EQ(shown("image/png", "iVBORw0KGgoA" + std::string(3'999'988, 'A'), 8).images.size(), 5U);
  EXPECT_EQ(shown("image/jpg", "iVBORw0KGgo=").images.front().media_type, "image/png");
  const auto resource = output_of(object(R"({"content":[{"type":"resource","resource":
    {"uri":"x:z","blob":"not base64","mimeType":"image/gif"}}]})"),
                                  {})
                            .value();
  EXPECT_TRUE(resource.images.empty());
}

TEST(McpContent, StructuredContentIsHeldToItsSchema) {
  const auto schema = JsonSchema::compile(
      object(R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})"));
  ASSERT_TRUE(schema);
  const auto good = output_of(
      object(R"({"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}})"),
      *schema);
  ASSERT_TRUE(good);
  EXPECT_EQ(good->value, Json(JsonObject{{"n", 1}}));
  const auto part = output_of(object(R"({"content":[],"structuredContent":{"n":"1"}})"), *schema);
  ASSERT_FALSE(part);
  EXPECT_TRUE(part.error().message.ends_with("its own schema: n must be an integer, not a string"))
      << part.error().message;
  const auto whole = output_of(object(R"({"content":[],"structuredContent":7})"), *schema);
  ASSERT_FALSE(whole);
  EXPECT_TRUE(
      whole.error().message.ends_with("its own schema: it must be an object, not an integer"))
      << whole.error().message;
  EXPECT_FALSE(output_of(object(R"({"content":[]})"), *schema));
  // An error need not fit.
  const auto error =
      output_of(object(R"({"content":[{"type":"text","text":"no"}],"isError":true})"), *schema);
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().message, "no");
  EXPECT_EQ(error.error().code, ErrorCode::tool_failed);
}

TEST(McpContent, WhatToolsAnswerIsAResult) {
  ToolOutcome outcome{.result = {.content = "fine", .images = {{"image/png", "aW1n"}}}};
  EXPECT_EQ(call_result(outcome), object(R"({"content":[{"type":"text","text":"fine"},
              {"type":"image","data":"aW1n","mimeType":"image/png"}]})"));
  outcome.result = {.content = "broken", .is_error = true};
  EXPECT_EQ(call_result(outcome),
            object(R"({"content":[{"type":"text","text":"broken"}],"isError":true})"));
}

TEST(McpContent, PromptsAreMessages) {
  const auto messages = prompt_messages(object(R"({"messages":[
    {"role":"user","content":{"type":"text","text":"hi"}},
    {"role":"assistant","content":{"type":"text","text":"ho"}}]})"));
  ASSERT_TRUE(messages);
  ASSERT_EQ(messages->size(), 2U);
  EXPECT_EQ((*messages)[1].role, Role::assistant);
  EXPECT_FALSE(prompt_messages({}));
}

}  // namespace
}  // namespace wright::mcp
