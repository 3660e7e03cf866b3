#include "http_message/response_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace wright::http {
namespace {

using State = ResponseParser::State;
using Fault = ResponseParser::Fault;

constexpr std::size_t kHeadBytes = 1000;

class Kept final : public ResponseSink {
 public:
  void on_head(HttpResponseHead arrived) override {
    ++heads;
    head = std::move(arrived);
  }
  bool on_body(std::string_view bytes) override {
    body += bytes;
    return !is_refusing;
  }

  int heads = 0;
  HttpResponseHead head;
  std::string body;
  bool is_refusing = false;
};

struct Read {
  State state;
  Fault fault;
  bool keeps_alive;
  Kept kept;
};

enum class Then : std::uint8_t { open, closed };

Read read(std::string_view bytes, std::size_t piece, Then then = Then::open) {
  Kept kept;
  ResponseParser parser(kHeadBytes, kept);
  for (std::size_t at = 0; at < bytes.size(); at += piece) parser.feed(bytes.substr(at, piece));
  if (then == Then::closed) parser.end();
  return {parser.state(), parser.fault(), parser.keeps_alive(), std::move(kept)};
}

TEST(ResponseParser, reads_the_same_however_the_bytes_come) {
  const std::string_view responses[] = {
      "HTTP/1.1 200 OK\r\nX-Odd:  two  words \r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nX-Odd: two  words\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nX-Trailer: x\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
      "HTTP/1.1 200 \r\nX-Odd: two  words\r\nContent-Length: 5\r\n\r\nhello"};
  for (const std::string_view response : responses) {
    for (std::size_t piece = 1; piece <= response.size(); ++piece) {
      const Read done = read(response, piece);
      ASSERT_EQ(done.state, State::done) << response << piece;
      EXPECT_TRUE(done.keeps_alive);
      EXPECT_EQ(done.kept.heads, 1);
      EXPECT_EQ(done.kept.head.status, 200);
      EXPECT_EQ(find_header(done.kept.head.headers, "x-odd"), "two  words");
      EXPECT_EQ(find_header(done.kept.head.headers, "link"), "");
      EXPECT_EQ(find_header(done.kept.head.headers, "x-trailer"), "");
      EXPECT_EQ(done.kept.body, "hello");
    }
  }
}

TEST(ResponseParser, knows_which_connections_can_be_used_again) {
  EXPECT_TRUE(read("HTTP/1.1 204 No Content\r\n\r\n", 100).keeps_alive);
  EXPECT_FALSE(read("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 100).keeps_alive);
  EXPECT_TRUE(read("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", 100)
                  .keeps_alive);
  EXPECT_FALSE(
      read("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", 100).keeps_alive);
  // More than the response: whose is it?
  const Read more = read("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200", 100);
  EXPECT_EQ(more.state, State::done);
  EXPECT_FALSE(more.keeps_alive);
}

TEST(ResponseParser, a_body_without_a_length_ends_with_the_connection) {
  const Read open = read("HTTP/1.1 200 OK\r\n\r\nhello", 7);
  EXPECT_EQ(open.state, State::body);
  const Read closed = read("HTTP/1.1 200 OK\r\n\r\nhello", 7, Then::closed);
  EXPECT_EQ(closed.state, State::done);
  EXPECT_EQ(closed.kept.body, "hello");
  EXPECT_FALSE(closed.keeps_alive);
}

TEST(ResponseParser, knows_a_cut_from_an_end) {
  for (const std::string_view cut :
       {"HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"}) {
    const Read read_of_it = read(cut, 100, Then::closed);
    EXPECT_EQ(read_of_it.state, State::broken) << cut;
    EXPECT_EQ(read_of_it.fault, Fault::cut) << cut;
  }
}

TEST(ResponseParser, refuses_what_two_readers_could_read_differently) {
  for (const std::string_view bytes :
       {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 000 OK\r\n\r\n"}) {
    for (const std::size_t piece : {std::size_t{1}, bytes.size()}) {
      const Read broken = read(bytes, piece);
      EXPECT_EQ(broken.state, State::broken) << bytes;
      EXPECT_EQ(broken.fault, Fault::malformed) << bytes;
    }
  }
}

TEST(ResponseParser, knows_what_is_no_http_at_all) {
  EXPECT_EQ(read("220 mail.example ESMTP\r\n", 100).fault, Fault::not_http);
  EXPECT_EQ(read("220 mail.example ESMTP\r\n", 1).fault, Fault::not_http);
}

TEST(ResponseParser, reads_no_head_without_end) {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  std::string many = head;
  while (many.size() < 2 * kHeadBytes) many += "X-More: x\r\n";
  std::string informational;
  while (informational.size() < 2 * kHeadBytes) {
    informational += "HTTP/1.1 103 Early\r\nLink: x\r\n\r\n";
  }
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  for (const std::string& bytes : {many, head + "X: " + std::string(2 * kHeadBytes, 'x'),
                                   informational, chunked + "5;" + std::string(2 * kHeadBytes, 'x'),
                                   chunked + "0\r\nX: " + std::string(2 * kHeadBytes, 'x')}) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{100}, bytes.size()}) {
      const Read endless = read(bytes, piece);
      EXPECT_EQ(endless.state, State::broken) << bytes.substr(0, 60) << piece;
      EXPECT_EQ(endless.fault, Fault::long_head) << bytes.substr(0, 60) << piece;
    }
  }
}

TEST(ResponseParser, stops_where_nothing_more_is_wanted) {
  Kept kept;
  kept.is_refusing = true;
  ResponseParser parser(kHeadBytes, kept);
  parser.feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n");
  EXPECT_EQ(parser.fault(), Fault::refused);
  EXPECT_EQ(kept.body, "he");
}

}  // namespace
}  // namespace wright::http
