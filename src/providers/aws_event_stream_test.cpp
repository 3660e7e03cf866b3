#include "providers/aws_event_stream.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "providers/codec_testing.h"
#include "providers/digest.h"

namespace wright::providers {
namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

std::string big_endian(std::uint32_t number) {
  return bytes({static_cast<int>(number >> 24), static_cast<int>(number >> 16 & 255),
                static_cast<int>(number >> 8 & 255), static_cast<int>(number & 255)});
}

std::string frame_of(const std::string& headers, std::string_view payload) {
  std::string frame = big_endian(static_cast<std::uint32_t>(16 + headers.size() + payload.size())) +
                      big_endian(static_cast<std::uint32_t>(headers.size()));
  frame += big_endian(crc32(frame));
  frame += headers;
  frame += payload;
  return frame + big_endian(crc32(frame));
}

std::string string_header(std::string_view name, std::string_view value) {
  return bytes({static_cast<int>(name.size())}) + std::string(name) +
         bytes({7, static_cast<int>(value.size() >> 8), static_cast<int>(value.size() & 255)}) +
         std::string(value);
}

std::string event_frame(std::string_view type, std::string_view payload) {
  return frame_of(string_header(":message-type", "event") + string_header(":event-type", type) +
                      string_header(":content-type", "application/json"),
                  payload);
}

struct Read {
  std::vector<std::string> events;  // "type payload"
  std::string problem = {};
};

Read read_in_pieces(std::string_view stream, std::size_t size) {
  AwsEventStream reader;
  Read read;
  while (!stream.empty()) {
    const std::string_view piece = stream.substr(0, size);
    stream.remove_prefix(piece.size());
    const auto fed = reader.feed(piece, [&](const AwsEvent& event) {
      read.events.push_back(std::string(event.event_type) + " " + std::string(event.payload));
      return Result<void>();
    });
    if (!fed) {
      read.problem = fed.error().message;
      break;
    }
  }
  return read;
}

// The vectors that AWS publishes with its own readers.
TEST(AwsEventStream, reads_the_published_vectors) {
  const std::string empty = bytes({0, 0, 0, 16, 0, 0, 0, 0, 5, 194, 72, 235, 125, 152, 200, 255});
  const std::string payload = bytes({0, 0, 0, 29, 0, 0, 0, 0, 253, 82, 140, 90}) + "{'foo':'bar'}" +
                              bytes({195, 101, 57, 54});
  const std::string header = bytes({0, 0, 0, 61, 0, 0, 0, 32, 7, 253, 131, 150, 12}) +
                             "content-type" + bytes({7, 0, 16}) + "application/json" +
                             "{'foo':'bar'}" + bytes({141, 156, 8, 177});
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{1'000}}) {
    const Read read = read_in_pieces(empty + payload + header, size);
    EXPECT_EQ(read.problem, "");
    EXPECT_EQ(read.events, (std::vector<std::string>{" ", " {'foo':'bar'}", " {'foo':'bar'}"}));
  }
}

TEST(AwsEventStream, reads_frames_that_are_cut_anywhere) {
  std::string stream;
  for (int i = 0; i < 20; ++i) {
    stream +=
        event_frame("e" + std::to_string(i), std::string(static_cast<std::size_t>(i * 37), 'x'));
  }
  const Read whole = read_in_pieces(stream, stream.size());
  EXPECT_EQ(whole.events.size(), 20U);
  for (std::size_t size = 1; size < 60; ++size) {
    EXPECT_EQ(read_in_pieces(stream, size).events, whole.events) << size;
  }
}

TEST(AwsEventStream, skips_headers_of_every_other_kind) {
  const auto other = [](int type, std::string_view value) {
    return bytes({1}) + "h" + bytes({type}) + std::string(value);
  };
  const std::string headers = other(0, "") + other(1, "") + other(2, "1") + other(3, "12") +
                              other(4, "1234") + other(5, "12345678") +
                              other(6, bytes({0, 2}) + "ab") + other(8, "12345678") +
                              other(9, "1234567890123456") + string_header(":event-type", "last");
  EXPECT_EQ(read_in_pieces(frame_of(headers, "p"), 3).events, std::vector<std::string>{"last p"});
}

TEST(AwsEventStream, notices_every_changed_byte) {
  const std::string stream = event_frame("contentBlockDelta", "{\"delta\":{\"text\":\"a\"}}");
  for (std::size_t i = 0; i < stream.size(); ++i) {
    for (const int change : {1, 128}) {
      std::string broken = stream;
      broken[i] = static_cast<char>(broken[i] ^ change);
      const Read read = read_in_pieces(broken + stream, 11);
      EXPECT_TRUE(read.events.empty()) << i;
      EXPECT_NE(read.problem, "") << i;
    }
  }
}

// Lengths whose own checksum is right: a server that lies, not a line that is broken.
TEST(AwsEventStream, believes_no_impossible_length) {
  const auto claim = [](std::uint32_t total, std::uint32_t headers) {
    std::string prelude = big_endian(total) + big_endian(headers);
    return prelude + big_endian(crc32(prelude)) + std::string(64, 'x');
  };
  for (const auto& [total, headers] : {std::pair{0U, 0U},
                                       {15U, 0U},
                                       {0xFFFFFFFFU, 0U},
                                       {(16U << 20) + 1, 0U},
                                       {40U, 25U},
                                       {1U << 20, 200U << 10},
                                       {16U, 0xFFFFFFFFU}}) {
    EXPECT_NE(read_in_pieces(claim(total, headers), 100).problem, "") << total << ' ' << headers;
  }
  EXPECT_EQ(read_in_pieces(claim(16U << 20, 0U), 100).problem, "");  // still waiting
}

TEST(AwsEventStream, refuses_headers_that_end_in_the_middle) {
  const std::string header = string_header(":event-type", "abc");
  for (std::size_t size = 1; size < header.size(); ++size) {
    EXPECT_NE(read_in_pieces(frame_of(header.substr(0, size), ""), 100).problem, "") << size;
  }
  EXPECT_NE(read_in_pieces(frame_of(bytes({1}) + "h" + bytes({10}), ""), 100).problem, "");
}

// --- Converse on top of it ------------------------------------------------------------------

Endpoint bedrock() {
  return testing::endpoint_of("bedrock:amazon.nova-lite-v1:0");
}

TEST(Converse, an_exception_in_the_stream_is_an_error_of_its_kind) {
  const auto failing = [](std::string_view type, std::string_view message) {
    return frame_of(
        string_header(":message-type", "exception") + string_header(":exception-type", type),
        message);
  };
  const auto code = [&](std::string_view type) {
    const auto read = testing::decoded(kBedrockConverse, bedrock(), {},
                                       failing(type, R"({"message":"Too many tokens"})"));
    EXPECT_FALSE(read);
    EXPECT_TRUE(read.error().message.contains("Too many tokens")) << read.error().message;
    return read ? ErrorCode::internal : read.error().code;
  };
  EXPECT_EQ(code("throttlingException"), ErrorCode::rate_limited);
  EXPECT_EQ(code("serviceUnavailableException"), ErrorCode::overloaded);
  EXPECT_EQ(code("validationException"), ErrorCode::invalid_argument);
  EXPECT_EQ(code("internalServerException"), ErrorCode::unavailable);
  EXPECT_EQ(code("modelStreamErrorException"), ErrorCode::unavailable);
}

TEST(Converse, a_broken_stream_is_named_and_never_an_answer) {
  const std::string stream =
      event_frame("messageStart", R"({"role":"assistant"})") +
      event_frame("contentBlockDelta", R"({"contentBlockIndex":0,"delta":{"text":"Hi"}})") +
      event_frame("messageStop", R"({"stopReason":"end_turn"})");
  const auto whole = testing::decoded(kBedrockConverse, bedrock(), {}, stream);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(whole->text(), "Hi");
  for (std::size_t size = 0; size < stream.size(); ++size) {
    const auto cut = testing::decoded(kBedrockConverse, bedrock(), {}, stream.substr(0, size));
    ASSERT_FALSE(cut) << size;
    EXPECT_EQ(cut.error().code, ErrorCode::answer_cut) << size;
  }
  std::string changed = stream;
  changed[40] = static_cast<char>(changed[40] ^ 1);
  const auto broken = testing::decoded(kBedrockConverse, bedrock(), {}, changed);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::protocol);
  EXPECT_TRUE(broken.error().message.contains("checksum")) << broken.error().message;
  const auto no_json =
      testing::decoded(kBedrockConverse, bedrock(), {}, event_frame("messageStart", "{"));
  ASSERT_FALSE(no_json);
  EXPECT_EQ(no_json.error().code, ErrorCode::protocol);
}

TEST(Converse, bytes_that_are_no_text_still_make_a_valid_request) {
  testing::body_of(kBedrockConverse, bedrock(), testing::with_bytes_that_are_no_text());
}

TEST(Converse, marks_the_cache_only_for_models_that_have_one) {
  testing::Asked asked{.system = "Be brief.", .tools = {Tool{{.name = "weather"}, {}}}};
  const auto marks = [&](std::string_view id) {
    return testing::count_of(testing::body_of(kBedrockConverse, testing::endpoint_of(id), asked),
                             "cachePoint");
  };
  EXPECT_EQ(marks("bedrock:anthropic.claude-sonnet-4-5-20250929-v1:0"), 3);
  EXPECT_EQ(marks("bedrock:amazon.nova-lite-v1:0"), 2);
  EXPECT_EQ(marks("bedrock:meta.llama3-3-70b-instruct-v1:0"), 0);
}

TEST(Converse, ids_are_never_longer_than_bedrock_takes) {
  testing::Asked asked;
  const std::string id(200, 'a');
  asked.messages = {Message::user("Hi"),
                    {Role::assistant, {ToolCall{id, "t", "{}"}, ToolCall{id + "b", "t", "{}"}}},
                    Message::tool({.call_id = id, .name = "t", .content = "1"}),
                    Message::tool({.call_id = id + "b", .name = "t", .content = "2"})};
  const Json body = testing::body_of(kBedrockConverse, bedrock(), asked);
  const JsonArray& calls = body.at("messages").at(1).at("content").get_array();
  const JsonArray& results = body.at("messages").at(2).at("content").get_array();
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& sent = calls[i].at("toolUse").at("toolUseId").get_string();
    EXPECT_LE(sent.size(), 64U);
    EXPECT_EQ(sent, results[i].at("toolResult").at("toolUseId").get_string());
  }
  EXPECT_NE(calls[0].at("toolUse").at("toolUseId"), calls[1].at("toolUse").at("toolUseId"));
}

}  // namespace
}  // namespace wright::providers
