// What the server refuses, and for how long it waits.
#include "http_server/server_testing.h"

namespace wright::http {
namespace {

using std::chrono::milliseconds;

std::string answer_to(const ServerOptions& options, std::string_view bytes) {
  const auto server = served(options, echo);
  RawPeer peer(*server);
  peer.write(bytes);
  return peer.read_all();
}

TEST(HttpLimits, refuses_what_is_no_request_or_could_be_read_in_two_ways) {
  const std::string_view broken[] = {
      "\x16\x03\x01\x02\x00 not HTTP at all\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "GET http://other/ HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: "
      "chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      // A body that the parser would take for the next request.
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\nGET / HTTP/1.1\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\nContent-Length: 3\r\n\r\nabc",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"
      "\r\n0\r\n\r\n",
      "POST / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\n\r\n",
      "GET / HTTP/1.1\nHost: a\n\n\r\n\r\n",
  };
  for (const std::string_view bytes : broken) {
    const std::string answer = answer_to({}, bytes);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << bytes << " → " << answer;
    EXPECT_EQ(answer.find("HTTP/1.", 1), std::string::npos) << "a second answer: " << bytes;
  }
}

TEST(HttpLimits, refuses_heads_and_bodies_that_are_too_large) {
  ServerOptions small;
  small.most_header_bytes = 1000;
  small.most_body_bytes = 1000;
  const std::string long_header(2000, 'a');
  EXPECT_TRUE(answer_to(small, "GET / HTTP/1.1\r\nHost: a\r\nX: " + long_header + "\r\n\r\n")
                  .starts_with("HTTP/1.1 431"));
  EXPECT_TRUE(answer_to(small, "GET / HTTP/1.1\r\nHost: a\r\nX: " + long_header)
                  .starts_with("HTTP/1.1 431"));
  EXPECT_TRUE(answer_to(small, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n")
                  .starts_with("HTTP/1.1 413"));
  EXPECT_TRUE(
      answer_to(small, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" +
                           long_header)
          .starts_with("HTTP/1.1 413"));
  // In one go, as much as a connection takes while the handler is asked.
  const std::string head =
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
  for (const std::string& trailer :
       {"X: " + std::string(70'000, 'a'), std::string(70'000, 'X') + ": a"}) {
    EXPECT_TRUE(answer_to({}, head + trailer + "\r\n\r\n").starts_with("HTTP/1.1 431"));
  }
}

TEST(HttpLimits, does_not_wait_for_ever_for_the_rest_of_a_request) {
  ServerOptions quick;
  quick.header_time = milliseconds(30);
  quick.body_time = milliseconds(30);
  quick.idle_time = milliseconds(30);
  EXPECT_EQ(answer_to(quick, ""), "");
  EXPECT_TRUE(answer_to(quick, "GET / HT").starts_with("HTTP/1.1 408"));
  EXPECT_TRUE(answer_to(quick, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
                  .starts_with("HTTP/1.1 408"));
  EXPECT_TRUE(answer_to(quick, get("/then-nothing")).ends_with("GET /then-nothing []"));
}

TEST(HttpLimits, turns_peers_away_when_there_is_no_room) {
  ServerOptions options;
  options.most_connections = 2;
  const auto server = served(options, echo);
  RawPeer first(*server);
  RawPeer second(*server);
  first.write(get("/1"));
  second.write(get("/2"));
  EXPECT_NE(first.read_until("]").find("/1"), std::string::npos);
  EXPECT_NE(second.read_until("]").find("/2"), std::string::npos);
  RawPeer third(*server);
  EXPECT_EQ(third.read_all(), "");
  EXPECT_EQ(server->figures().refused, 1U);
  first.write(get("/again"));
  EXPECT_NE(first.read_until("]").find("/again"), std::string::npos);
}

}  // namespace
}  // namespace wright::http
