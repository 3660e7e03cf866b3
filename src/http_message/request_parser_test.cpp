#include "http_message/request_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace wright::http {
namespace {

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
