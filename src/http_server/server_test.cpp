// The server as a peer sees it: requests, responses, and where it listens.
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "core/temporary_folder_testing.h"
#include "http_server/listening.h"
#include "http_server/server_testing.h"

namespace wright::http {
namespace {

TEST(HttpServer, answers_several_requests_on_one_connection) {
  const auto server = served({}, echo);
  RawPeer peer(*server);
  peer.write("POST /a%20b?c=d HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
  const std::string first = peer.read_until("[hello]");
  EXPECT_TRUE(first.starts_with("HTTP/1.1 200 OK\r\n")) << first;
  EXPECT_NE(first.find("POST /a b [hello]"), std::string::npos) << first;
  peer.write(get("/second"));
  EXPECT_NE(peer.read_until("[]").find("GET /second []"), std::string::npos);
  EXPECT_EQ(server->figures().accepted, 1U);
  EXPECT_EQ(server->figures().requests, 2U);
}

TEST(HttpServer, answers_what_came_together_in_its_order_even_when_the_peer_has_ended) {
  const auto server = served({}, echo);
  RawPeer peer(*server);
  peer.write(get("/1") + get("/2") + get("/3"));
  peer.end_writing();
  const std::string all = peer.read_all();
  EXPECT_LT(all.find("/1 []"), all.find("/2 []"));
  EXPECT_LT(all.find("/2 []"), all.find("/3 []"));
  EXPECT_NE(all.find("/3 []"), std::string::npos);
}

TEST(HttpServer, reads_requests_that_come_byte_by_byte_and_bodies_in_chunks) {
  const auto server = served({}, echo);
  RawPeer peer(*server);
  for (const char c : std::string("PUT /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                                  "3\r\nabc\r\n2;e=f\r\nde\r\n0\r\n\r\n")) {
    peer.write({&c, 1});
  }
  EXPECT_NE(peer.read_until("]").find("PUT /x [abcde]"), std::string::npos);
}

TEST(HttpServer, tells_a_peer_that_waits_for_a_sign_to_go_on) {
  const auto server = served({}, echo);
  RawPeer peer(*server);
  peer.write("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(peer.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  peer.write("ok");
  EXPECT_NE(peer.read_until("]").find("[ok]"), std::string::npos);
}

TEST(HttpServer, sends_no_body_for_HEAD_and_closes_when_asked_to) {
  const auto server = served({}, echo);
  RawPeer peer(*server);
  peer.write("HEAD /abc HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string all = peer.read_all();
  EXPECT_NE(all.find("Content-Length: 12"), std::string::npos) << all;
  EXPECT_NE(all.find("Connection: close"), std::string::npos) << all;
  EXPECT_TRUE(all.ends_with("\r\n\r\n")) << all;
}

TEST(HttpServer, answers_500_when_a_handler_throws_or_forgets) {
  const auto server = served({}, [](const Request& request, const Responder&) {
    if (request.path == "/throws") throw std::runtime_error("a secret");
  });
  RawPeer peer(*server);
  peer.write(get("/throws") + get("/forgets"));
  const std::string both = peer.read_until("500}") + peer.read_until("500}");
  EXPECT_EQ(both.find("secret"), std::string::npos);
  EXPECT_NE(both.find("HTTP/1.1 500"), both.rfind("HTTP/1.1 500"));
}

TEST(HttpServer, leaves_out_headers_that_would_break_the_head) {
  const auto server = served({}, [](const Request&, const Responder& responder) {
    responder.send({.headers = {{"Good", "yes"}, {"Bad", "a\r\nInjected: b"}}, .body = "."});
  });
  RawPeer peer(*server);
  peer.write(get("/"));
  const std::string head = peer.read_until("\r\n\r\n");
  EXPECT_NE(head.find("Good: yes"), std::string::npos);
  EXPECT_EQ(head.find("Injected"), std::string::npos);
}

TEST(HttpServer, reads_parameters_of_the_query) {
  const Request request{.query = "a=1&b=x%20y+z&c&d=%zz"};
  EXPECT_EQ(request.parameter("a"), "1");
  EXPECT_EQ(request.parameter("b"), "x y z");
  EXPECT_EQ(request.parameter("c"), "");
  EXPECT_EQ(request.parameter("d"), std::nullopt);
  EXPECT_EQ(request.parameter("e"), std::nullopt);
}

class TemporarySocket {
 public:
  std::string path() const { return folder_ / "s"; }

 private:
  const TemporaryFolder folder_;
};

TEST(HttpServer, listens_on_a_unix_socket_for_its_owner_alone_and_removes_it) {
  const TemporarySocket place;
  {
    const auto server = served({.listen = {"unix:" + place.path()}},
                               [](const Request& request, const Responder& responder) {
                                 responder.send({.body = request.peer});
                               });
    struct stat status {};
    ASSERT_EQ(::stat(place.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    RawPeer peer(*server);
    peer.write(get("/"));
    EXPECT_TRUE(peer.read_until("unix").ends_with("unix"));
  }
  EXPECT_FALSE(std::filesystem::exists(place.path()));
}

TEST(HttpServer, takes_the_place_of_a_dead_unix_socket_but_not_of_a_living_one_or_a_file) {
  const TemporarySocket place;
  {  // left behind, as by a process that was killed
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, place.path().c_str(), sizeof(name.sun_path) - 1);
    const FileDescriptor dead(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(::bind(dead.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  }
  const auto server = served({.listen = {"unix:" + place.path()}}, echo);
  ASSERT_NE(server, nullptr);
  EXPECT_FALSE(Server::open({.listen = {"unix:" + place.path()}}, echo));
  const std::string file = place.path() + ".txt";
  std::fclose(std::fopen(file.c_str(), "w"));
  EXPECT_FALSE(Server::open({.listen = {"unix:" + file}}, echo));
}

TEST(HttpServer, serves_a_socket_that_somebody_else_has_opened) {
  auto opened = listen_on("127.0.0.1:0");
  ASSERT_TRUE(opened);
  const auto server = served({.sockets = {opened->descriptor.release()}}, echo);
  RawPeer peer(*server);
  peer.write(get("/given"));
  EXPECT_NE(peer.read_until("]").find("/given"), std::string::npos);
  EXPECT_FALSE(Server::open({.sockets = {::open("/dev/null", O_RDONLY)}}, echo));
}

TEST(HttpServer, says_what_is_wrong_with_an_address) {
  for (const char* address : {"", "7411", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:999999",
                              "127.0.0.1:65536", "127.0.0.1:99999",
                              "no.such.host.invalid:1", "unix:"}) {
    const auto server = Server::open({.listen = {address}}, echo);
    ASSERT_FALSE(server) << address;
    EXPECT_FALSE(server.error().message.empty());
  }
}

}  // namespace
}  // namespace wright::http
