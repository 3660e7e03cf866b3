#include "core/server_sent_events.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wright {
namespace {

struct Seen {
  std::string type;
  std::string data;
  bool operator==(const Seen&) const = default;
};

// What the pieces say, each as long as `length_of` says.
template <class LengthOf>
std::vector<Seen> events_of(std::string_view stream, LengthOf length_of) {
  std::vector<Seen> seen;
  ServerSentEvents events;
  const auto keep = [&](const ServerSentEvent& event) -> Result<void> {
    seen.push_back({std::string(event.type), std::string(event.data)});
    return {};
  };
  while (!stream.empty()) {
    const std::size_t length = std::min<std::size_t>(length_of(), stream.size());
    EXPECT_TRUE(events.feed(stream.substr(0, length), keep));
    stream.remove_prefix(length);
  }
  EXPECT_TRUE(events.finish(keep));
  return seen;
}

std::vector<Seen> events_of(std::string_view stream) {
  return events_of(stream, [&] { return stream.size(); });
}

TEST(ServerSentEvents, reads_types_and_data) {
  EXPECT_EQ(events_of("event: ping\ndata: {}\n\ndata: two\n\n"),
            (std::vector<Seen>{{"ping", "{}"}, {"message", "two"}}));
}

TEST(ServerSentEvents, joins_data_lines_by_newlines) {
  EXPECT_EQ(events_of("data: a\ndata\ndata:b\ndata:  c\n\n"),
            (std::vector<Seen>{{"message", "a\n\nb\n c"}}));
}

TEST(ServerSentEvents, passes_over_comments_ids_retries_and_events_without_data) {
  EXPECT_EQ(events_of(": keep-alive\n\nid: 7\nretry: 10\n\nevent: x\n\nunknown: y\ndata: z\n\n"),
            (std::vector<Seen>{{"message", "z"}}));
}

TEST(ServerSentEvents, takes_every_kind_of_line_end) {
  const std::vector<Seen> expected{{"a", "1\n2"}, {"message", "3"}};
  EXPECT_EQ(events_of("event: a\r\ndata: 1\r\ndata: 2\r\n\r\ndata: 3\r\n\r\n"), expected);
  EXPECT_EQ(events_of("event: a\rdata: 1\rdata: 2\r\rdata: 3\r\r"), expected);
  EXPECT_EQ(events_of("event: a\ndata: 1\r\ndata: 2\r\n\ndata: 3\n\r\n"), expected);
}

TEST(ServerSentEvents, does_not_need_the_last_blank_line) {
  EXPECT_EQ(events_of("data: 1\n\ndata: [DONE]"),
            (std::vector<Seen>{{"message", "1"}, {"message", "[DONE]"}}));
}

TEST(ServerSentEvents, drops_a_byte_order_mark_at_the_start_only) {
  EXPECT_EQ(events_of("\xEF\xBB\xBF"
                      "data: 1\n\n"),
            (std::vector<Seen>{{"message", "1"}}));
  EXPECT_EQ(events_of("data: 1\n\n\xEF\xBB\xBF"
                      "data: 2\n\n"),
            (std::vector<Seen>{{"message", "1"}}));
}

TEST(ServerSentEvents, means_the_same_wherever_the_stream_is_cut) {
  const std::string_view stream =
      "\xEF\xBB\xBF: hi\r\n\r\nevent: a\r\ndata: gr\xC3\xBC\xC3\x9F\r\ndata: 2\r\n\r\n"
      "data: x\n\n\n\rdata:\n\nevent: end\ndata: [DONE]\n\n";
  const auto whole = events_of(stream);
  ASSERT_EQ(whole.size(), 4U);
  EXPECT_EQ(events_of(stream, [] { return 1; }), whole);
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    EXPECT_EQ(events_of(stream, [&] { return 1 + random() % 9; }), whole);
  }
}

TEST(ServerSentEvents, stops_at_the_first_error_of_the_reader) {
  ServerSentEvents events;
  int calls = 0;
  const auto fed = events.feed("data: 1\n\ndata: 2\n\n", [&](const ServerSentEvent&) {
    ++calls;
    return Result<void>(fail(ErrorCode::protocol, "no"));
  });
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().message, "no");
  EXPECT_EQ(calls, 1);
}

TEST(ServerSentEvents, refuses_a_line_without_end) {
  LineSplitter lines(10);
  const auto ignore = [](std::string_view) { return Result<void>(); };
  EXPECT_TRUE(lines.feed("0123456789\n", ignore));
  EXPECT_TRUE(lines.feed("01234", ignore));
  const auto fed = lines.feed("567890", ignore);
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().code, ErrorCode::protocol);
}

// What a line is, said without looking ahead.
std::vector<std::string> lines_one_by_one(std::string_view bytes) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\n' && i > 0 && bytes[i - 1] == '\r') continue;
    if (bytes[i] == '\n' || bytes[i] == '\r') {
      lines.push_back(std::exchange(line, {}));
    } else {
      line += bytes[i];
    }
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

TEST(LineSplitter, finds_every_line_end_wherever_the_bytes_are_cut) {
  constexpr std::size_t kBytes = 7;
  constexpr int kTexts = 3 * 3 * 3 * 3 * 3 * 3 * 3;
  for (int number = 0; number < kTexts; ++number) {
    std::string text;
    for (int rest = number; text.size() < kBytes; rest /= 3) text += "x\r\n"[rest % 3];
    for (std::size_t cut = 0; cut <= kBytes; ++cut) {
      LineSplitter splitter(kBytes);
      std::vector<std::string> lines;
      const auto keep = [&](std::string_view line) -> Result<void> {
        lines.emplace_back(line);
        return {};
      };
      ASSERT_TRUE(splitter.feed(text.substr(0, cut), keep));
      ASSERT_TRUE(splitter.feed(text.substr(cut), keep));
      ASSERT_TRUE(splitter.finish(keep));
      ASSERT_EQ(lines, lines_one_by_one(text)) << "text " << number << " cut at " << cut;
    }
  }
}

}  // namespace
}  // namespace wright
