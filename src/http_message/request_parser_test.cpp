#include "http_message/request_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace wright::http {
namespace {

TEST(RequestParser, begins_behind_empty_lines_that_may_come_in_halves) {
  std::string bytes = "\r\n\r\n\r";
  EXPECT_FALSE(begins_after_empty_lines(bytes));
  EXPECT_EQ(bytes, "\r");
  bytes += "\nG";
  EXPECT_TRUE(begins_after_empty_lines(bytes));
  EXPECT_EQ(bytes, "G");
  bytes = "\rG";
  EXPECT_TRUE(begins_after_empty_lines(bytes)) << "and is refused";
  bytes.clear();
  EXPECT_FALSE(begins_after_empty_lines(bytes));
}

TEST(RequestParser, keeps_to_the_limit_of_a_head_however_the_bytes_come) {
  const std::string most = "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(66, 'y') + "\r\n\r\n";
  ASSERT_EQ(most.size(), 98U);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{20}, most.size()}) {
    for (const std::size_t limit : {most.size(), most.size() - 1}) {
      RequestParser parser({.header_bytes = limit});
      std::string bytes;
      for (std::size_t at = 0; at < most.size(); at += piece) {
        bytes += most.substr(at, piece);
        bytes.erase(0, parser.feed(bytes));
      }
      const bool is_refused = parser.state() == RequestParser::State::refused;
      EXPECT_EQ(is_refused, limit < most.size()) << piece << " bytes at once, at most " << limit;
      if (is_refused) EXPECT_EQ(parser.refused_status(), 431);
    }
  }
}

TEST(RequestParser, reads_the_same_however_the_bytes_come) {
  const std::string head = "POST /a%20b?c=d HTTP/1.1\r\nHost: x\r\n";
  struct Case {
    std::string rest;
    std::string body;
  };
  for (const Case& wanted :
       {Case{"Content-Length: 5\r\n\r\nhello", "hello"},
        Case{"Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello"},
        Case{"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", ""},
        Case{"Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n", ""}, Case{"\r\n", ""}}) {
    const std::string bytes = head + wanted.rest;
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
      RequestParser parser({.header_bytes = 1000, .body_bytes = 1000});
      std::string unread;
      for (std::size_t at = 0; at < bytes.size(); at += piece) {
        unread += bytes.substr(at, piece);
        const bool was_head = parser.state() == RequestParser::State::head;
        unread.erase(0, parser.feed(unread));
        if (was_head && parser.state() == RequestParser::State::body) {
          parser.want_body(1000);
          unread.erase(0, parser.feed(unread));
        }
      }
      ASSERT_EQ(parser.state(), RequestParser::State::done) << bytes << piece;
      EXPECT_EQ(parser.take_request().path, "/a b");
      EXPECT_EQ(parser.take_body(), wanted.body) << bytes << piece;
      EXPECT_EQ(unread, "");
    }
  }
}

}  // namespace
}  // namespace wright::http
