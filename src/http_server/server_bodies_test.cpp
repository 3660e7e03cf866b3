// Bodies: read when somebody asks for them, and never more than there is room for.
#include <future>
#include <vector>

#include "http_server/server_testing.h"

namespace wright::http {
namespace {

std::string post(std::string_view path, std::string_view more) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" + std::string(more) + "\r\n";
}

// Writes pieces until the server has answered; says how much that was.
std::size_t write_until_answered(RawPeer& peer, const std::string& piece, std::size_t most) {
  std::size_t written = 0;
  while (written < most && !peer.has_something()) {
    peer.write(piece);
    written += piece.size();
  }
  return written;
}

TEST(HttpBodies, have_no_extensions_or_trailers_without_end) {
  const auto server = served({}, echo);
  constexpr std::size_t kMost = std::size_t{64} << 20;
  const std::string chunked = post("/", "Transfer-Encoding: chunked\r\n");
  const std::string trailer = "A: " + std::string(1000, 'b') + "\r\n";
  const std::pair<std::string, std::string> attacks[] = {
      {"1;x=", std::string(16 * 1024, 'a')},
      {"0\r\n", trailer},
      {"0\r\nA: ", std::string(16 * 1024, 'a')},
      {std::string(16 * 1024, '0'), std::string(16 * 1024, '0')},
  };
  for (const auto& [begin, piece] : attacks) {
    RawPeer peer(*server);
    peer.write(chunked + begin);
    EXPECT_LT(write_until_answered(peer, piece, kMost), kMost) << begin.substr(0, 8);
    EXPECT_TRUE(peer.read_until("\r\n\r\n").starts_with("HTTP/1.1 4")) << begin.substr(0, 8);
  }
}

TEST(HttpBodies, may_have_extensions_and_trailers) {
  const auto server = served({}, echo);
  RawPeer peer(*server);
  peer.write(post("/a", "Transfer-Encoding: chunked\r\n") +
             "2;x=y\r\nab\r\n1\r\nc\r\n0\r\nMore: words\r\n\r\n" + get("/b"));
  EXPECT_NE(peer.read_until("]").find("POST /a [abc]"), std::string::npos);
  EXPECT_NE(peer.read_until("]").find("GET /b []"), std::string::npos);
}

TEST(HttpBodies, are_not_read_of_those_who_are_refused) {
  const auto server = served({}, [](const Request& request, const Responder& responder) {
    if (request.path == "/no") return responder.send({.status = 401});
    responder.read_body(
        10, [responder](const std::string& body) { responder.send({.body = "[" + body + "]"}); });
  });
  for (const std::string& head :
       {post("/no", "Content-Length: 1000000\r\n"), post("/no", "Transfer-Encoding: chunked\r\n"),
        post("/no", "Content-Length: 5\r\nExpect: 100-continue\r\n")}) {
    RawPeer peer(*server);
    peer.write(head);  // and nothing of the body
    const std::string answer = peer.read_all();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 401")) << answer;
    EXPECT_NE(answer.find("Connection: close"), std::string::npos) << answer;
  }
  for (const std::string& head :
       {post("/", "Content-Length: 11\r\nExpect: 100-continue\r\n"),
        post("/", "Transfer-Encoding: chunked\r\n") + "b\r\nabcdefghijk\r\n",
        post("/", "Transfer-Encoding: chunked\r\n") + "6\r\nabcdef\r\n5\r\nghijk\r\n"}) {
    RawPeer peer(*server);
    peer.write(head);
    EXPECT_TRUE(peer.read_all().starts_with("HTTP/1.1 413")) << head;
  }
  RawPeer peer(*server);
  peer.write(post("/", "Content-Length: 10\r\nExpect: 100-continue\r\n"));
  EXPECT_EQ(peer.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  peer.write("0123456789");
  EXPECT_TRUE(peer.read_until("]").ends_with("[0123456789]"));
  peer.write(get("/"));
  EXPECT_TRUE(peer.read_until("]").ends_with("[]")) << "the connection goes on";
}

TEST(HttpBodies, have_to_wait_while_others_fill_the_room) {
  ServerOptions options;
  options.most_bytes_of_bodies = 1000;
  const auto server = served(options, echo);
  RawPeer first(*server);
  first.write(post("/first", "Content-Length: 900\r\nExpect: 100-continue\r\n"));
  first.read_until("100 Continue\r\n\r\n");  // it has its room
  for (const std::string& sent : {post("/", "Content-Length: 101\r\n") + std::string(101, 'x'),
                                  post("/", "Transfer-Encoding: chunked\r\n") + "65\r\n" +
                                      std::string(101, 'x') + "\r\n0\r\n\r\n"}) {
    RawPeer second(*server);
    second.write(sent);
    const std::string answer = second.read_all();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 503")) << answer;
    EXPECT_NE(answer.find("Retry-After: "), std::string::npos) << answer;
  }
  RawPeer small(*server);
  small.write(post("/small", "Content-Length: 100\r\n") + std::string(100, 'y'));
  EXPECT_NE(small.read_until("]").find("[yyy"), std::string::npos);
  first.write(std::string(900, 'z'));
  EXPECT_NE(first.read_until("]").find("[zzz"), std::string::npos);
  // What was taken is given back, also by one who leaves in the middle.
  for (int i = 0; i < 3; ++i) {
    RawPeer leaving(*server);
    leaving.write(post("/", "Content-Length: 900\r\nExpect: 100-continue\r\n"));
    EXPECT_NE(leaving.read_until("100 Continue\r\n\r\n"), "");
    leaving.end_writing();
    EXPECT_EQ(leaving.read_all(), "");
  }
}

TEST(HttpBodies, leave_nothing_behind_when_handlers_fail_or_forget) {
  ServerOptions options;
  options.most_bytes_of_bodies = 10;
  const auto server = served(options, [](const Request& request, const Responder& responder) {
    if (request.path == "/forgets") return;
    responder.read_body(10, [responder](const std::string&) { throw 1; });
  });
  for (const char* path : {"/throws", "/forgets", "/throws", "/forgets"}) {
    RawPeer peer(*server);
    peer.write(post(path, "Content-Length: 10\r\nConnection: close\r\n") + "0123456789");
    EXPECT_TRUE(peer.read_all().starts_with("HTTP/1.1 500")) << path;
  }
}

TEST(HttpBodies, are_dropped_when_somebody_answers_before_they_are_whole) {
  std::promise<Responder> given;
  const auto server = served({}, [&](const Request&, const Responder& responder) {
    responder.read_body(100, [responder](const std::string&) { ADD_FAILURE(); });
    given.set_value(responder);
  });
  RawPeer peer(*server);
  peer.write(post("/", "Content-Length: 10\r\n") + "01234");
  given.get_future().get().send({.status = 202});
  const std::string answer = peer.read_all();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 202")) << answer;
  EXPECT_NE(answer.find("Connection: close"), std::string::npos) << answer;
}

}  // namespace
}  // namespace wright::http
