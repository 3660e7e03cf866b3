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

struct Told {
  RequestParser::State state = RequestParser::State::head;
  int refused = 0;
  std::string path;
  std::string body;
  std::string unread;
};

// One request, as a connection reads it: what is not taken comes again, with more behind it.
Told told_in_pieces(const std::string& bytes, std::size_t piece) {
  RequestParser parser({.header_bytes = 1000, .body_bytes = 1000});
  Told told;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    told.unread += bytes.substr(at, piece);
    const bool was_head = parser.state() == RequestParser::State::head;
    told.unread.erase(0, parser.feed(told.unread));
    if (was_head && parser.state() == RequestParser::State::body) {
      parser.want_body(1000);
      told.unread.erase(0, parser.feed(told.unread));
    }
  }
  told.state = parser.state();
  told.refused = parser.refused_status();
  told.path = parser.take_request().path;
  told.body = parser.take_body();
  return told;
}

const std::string kPost = "POST /a%20b?c=d HTTP/1.1\r\nHost: x\r\n";
const std::string kChunked = kPost + "Transfer-Encoding: chunked\r\n\r\n";

TEST(RequestParser, reads_the_same_however_the_bytes_come) {
  struct Case {
    std::string bytes;
    std::string body;
    std::string unread = {};
  };
  const std::string next = "GET /\" HTTP/1.1\r\nHost: x\r\n\r\n";
  for (const Case& wanted :
       {Case{kPost + "Content-Length: 5\r\n\r\nhello", "hello"}, Case{kPost + "\r\n", ""},
        Case{kChunked + "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello"},
        Case{kChunked + "0\r\n\r\n", ""}, Case{kChunked + "0\r\nX: y\r\n\r\n", ""},
        Case{kChunked + "0002 \r\nhe\r\n0;x\r\nA: b\r\nC:\r\n\r\n", "he"},
        Case{kChunked + "A\r\n0123456789\r\n0\r\n\r\n", "0123456789"},
        Case{kChunked + "2;a=\"\\\"b\"\r\nhe\r\n0\r\n\r\n", "he"},
        Case{kChunked + "2\r\n\"\"\r\n0\r\n\r\n" + next, "\"\"", next}}) {
    for (std::size_t piece = 1; piece <= wanted.bytes.size(); ++piece) {
      const Told told = told_in_pieces(wanted.bytes, piece);
      ASSERT_EQ(told.state, RequestParser::State::done) << wanted.bytes << piece;
      EXPECT_EQ(told.path, "/a b");
      EXPECT_EQ(told.body, wanted.body) << wanted.bytes << piece;
      EXPECT_EQ(told.unread, wanted.unread);
    }
  }
}

TEST(RequestParser, refuses_the_same_however_the_bytes_come) {
  struct Case {
    std::string bytes;
    int status = 400;
  };
  for (const Case& wanted :
       {Case{"\x16\x03\x01"},
        Case{"GET / HTTP/1.1\nHost: x\n\n"},
        Case{"GET / HTTP/1.1\r\nHost: x\n\r\n"},
        Case{"GET / HTTP/1.1\r\nHost: x\r\nY" + std::string(1000, 'y'), 431},
        Case{"GET / HTTP/1.1\r\nHost" + std::string(1000, 'y') + "\r\n\r\n", 431},
        Case{kPost + "Content-Length: 1001\r\n\r\n", 413},
        Case{kChunked + "3e9\r\n" + std::string(1001, 'y') + "\r\n0\r\n\r\n", 413},
        Case{kChunked + "0\r\nX: " + std::string(70'000, 'y') + "\r\n\r\n", 431},
        Case{kChunked + "0\r\n" + std::string(70'000, 'y') + ": x\r\n\r\n", 431},
        Case{kChunked + "2;" + std::string(1100, 'y') + "\r\nhe\r\n0\r\n\r\n", 431},
        Case{kChunked + std::string(1100, '0') + "2\r\nhe\r\n0\r\n\r\n", 431},
        Case{kChunked + "0\r\nX : y\r\n\r\n"},
        Case{kChunked + "0\r\n y\r\n\r\n"},
        Case{kChunked + "0\r\nX: y\n\r\n"},
        Case{kChunked + "2\nhe\r\n0\r\n\r\n"},
        Case{kChunked + "-2\r\nhe\r\n0\r\n\r\n"},
        Case{kChunked + "0x2\r\nhe\r\n0\r\n\r\n"},
        Case{kChunked + "\r\nhe\r\n0\r\n\r\n"},
        Case{kChunked + "2 3\r\nhe\r\n0\r\n\r\n"},
        Case{kChunked + "10000000000000000\r\nhe\r\n0\r\n\r\n"},
        Case{kChunked + "ffffffffffffffff\r\nhe\r\n0\r\n\r\n", 413},
        Case{kChunked + "g\r\nhe\r\n0\r\n\r\n"},
        Case{kChunked + "2\r\nhello\r\n0\r\n\r\n"},
        Case{kChunked + "2;a=\"b\r\nhe\r\n0\r\n\r\n"},
        Case{kChunked + "2\r\nhe\r\n2;a=\"b\\\"\r\nhe\r\n0\r\n\r\n"}}) {
    const std::size_t step = wanted.bytes.size() > 10'000 ? 997 : 1;
    for (std::size_t piece = 1; piece <= wanted.bytes.size(); piece += step) {
      const Told told = told_in_pieces(wanted.bytes, piece);
      ASSERT_EQ(told.state, RequestParser::State::refused) << wanted.bytes << piece;
      EXPECT_EQ(told.refused, wanted.status) << wanted.bytes << piece;
    }
  }
}

}  // namespace
}  // namespace wright::http
