// Responses that are written piece by piece, peers that go away, and the end of a server.
#include <atomic>
#include <future>
#include <latch>
#include <mutex>
#include <optional>

#include "http_server/server_testing.h"

namespace wright::http {
namespace {

using std::chrono::milliseconds;

// Gives streams of a server to the test.
struct StreamSource {
  std::promise<Stream> opened = {};
  StreamOptions options = {};

  Handler handler() {
    return [this](const Request&, const Responder& responder) {
      opened.set_value(
          responder.stream({.headers = {{"Content-Type", "text/event-stream"}}}, options));
    };
  }
};

TEST(HttpStreams, arrive_in_pieces_and_leave_the_connection_usable) {
  const auto server = served({}, [](const Request& request, const Responder& responder) {
    if (request.path != "/stream") return echo(request, responder);
    Stream stream = responder.stream({});
    EXPECT_TRUE(stream.write("one "));
    EXPECT_TRUE(stream.write(""));
    EXPECT_TRUE(stream.write("two"));
  });  // the end of the last handle ends it
  RawPeer peer(*server);
  peer.write(get("/stream") + get("/after"));
  const std::string all = peer.read_until("/after []");
  EXPECT_NE(all.find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_NE(all.find("4\r\none \r\n3\r\ntwo\r\n0\r\n\r\n"), std::string::npos) << all;
}

TEST(HttpStreams, end_with_the_connection_for_old_peers) {
  const auto server = served({}, [](const Request&, const Responder& responder) {
    responder.stream({}).write("all of it");
  });
  RawPeer peer(*server);
  peer.write("GET / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(peer.read_all().ends_with("\r\n\r\nall of it"));
}

TEST(HttpStreams, are_cut_when_the_peer_does_not_read) {
  StreamSource source;
  source.options.most_unsent = 256 * 1024;
  const auto server = served({}, source.handler());
  RawPeer peer(*server);
  peer.write(get("/"));
  Stream stream = source.opened.get_future().get();
  std::promise<void> closed;
  stream.when_closed([&] { closed.set_value(); });
  const std::string piece(64 * 1024, 'x');
  int written = 0;
  while (stream.write(piece)) {
    ASSERT_LT(++written, 10'000) << "no peer takes that much without reading";
  }
  closed.get_future().get();
  EXPECT_FALSE(stream.is_open());
  EXPECT_EQ(stream.unsent(), 0U);
}

TEST(HttpStreams, go_on_when_what_was_written_is_sent) {
  StreamSource source;
  const auto server = served({}, source.handler());
  RawPeer peer(*server);
  peer.write(get("/"));
  Stream stream = source.opened.get_future().get();
  // Far more than may be unsent, but never more than a piece at a time.
  constexpr int kPieces = 100;
  const std::string piece(100 * 1024, 'y');
  int left = kPieces;
  std::promise<void> done;
  std::function<void()> go_on = [&] {
    if (left-- == 0) {
      stream.end();
      return done.set_value();
    }
    EXPECT_TRUE(stream.write(piece));
    stream.when_sent(go_on);
  };
  stream.when_sent(go_on);
  const std::string all = peer.read_until("\r\n0\r\n\r\n");
  done.get_future().get();
  EXPECT_GT(all.size(), kPieces * piece.size());
}

TEST(HttpStreams, say_when_the_peer_has_gone) {
  StreamSource source;
  const auto server = served({}, source.handler());
  RawPeer peer(*server);
  peer.write(get("/"));
  Stream stream = source.opened.get_future().get();
  std::promise<void> closed;
  stream.when_closed([&] { closed.set_value(); });
  EXPECT_TRUE(stream.write("x"));
  peer.read_until("1\r\nx\r\n");
  peer.leave();
  closed.get_future().get();
  EXPECT_FALSE(stream.write("more"));
}

TEST(HttpStreams, have_heartbeats_while_nothing_else_is_said) {
  StreamSource source;
  source.options.heartbeat = ": \n\n";
  source.options.heartbeat_time = milliseconds(5);
  const auto server = served({}, source.handler());
  RawPeer peer(*server);
  peer.write(get("/"));
  const Stream stream = source.opened.get_future().get();
  peer.read_until(": \n\n");
  peer.read_until(": \n\n");
}

TEST(HttpStreams, tell_a_handler_that_its_peer_did_not_wait) {
  std::promise<void> gone;
  std::promise<Responder> held;
  const auto server = served({}, [&](const Request&, const Responder& responder) {
    responder.when_closed([&] { gone.set_value(); });
    held.set_value(responder);
  });
  RawPeer peer(*server);
  peer.write(get("/"));
  const Responder responder = held.get_future().get();
  peer.leave();
  gone.get_future().get();
  responder.send({.body = "too late"});
}

TEST(HttpStreams, outlive_their_server_harmlessly) {
  std::optional<Stream> stream;
  std::optional<Responder> responder;
  std::atomic<int> gone = 0;
  std::latch both(2);
  auto server = served({}, [&](const Request& request, const Responder& given) {
    if (request.path == "/stream") {
      stream = given.stream({});
      stream->when_closed([&] { ++gone; });
    } else {
      responder = given;
      responder->when_closed([&] { ++gone; });
    }
    both.count_down();
  });
  RawPeer first(*server);
  RawPeer second(*server);
  first.write(get("/stream"));
  second.write(get("/held"));
  both.wait();
  server.reset();
  EXPECT_EQ(gone, 0) << "no peer has gone away";
  EXPECT_FALSE(stream->write("x"));
  EXPECT_FALSE(stream->is_open());
  responder->send({.body = "to nobody"});
  EXPECT_FALSE(responder->stream({}).write("x"));
}

TEST(HttpDrain, ends_what_is_idle_or_endless_and_waits_for_the_rest) {
  std::promise<Responder> held;
  std::promise<void> streams;
  std::optional<Stream> endless;
  const auto server = served({}, [&](const Request& request, const Responder& responder) {
    if (request.path == "/idle") return echo(request, responder);
    if (request.path == "/held") return held.set_value(responder);
    StreamOptions options;
    options.ends_with_drain = true;
    endless = responder.stream({}, options);
    endless->write("event");
    streams.set_value();
  });
  RawPeer idle(*server);
  idle.write(get("/idle"));
  idle.read_until("[]");
  RawPeer listening(*server);
  listening.write(get("/endless"));
  streams.get_future().get();
  RawPeer busy(*server);
  busy.write(get("/held"));
  const Responder responder = held.get_future().get();
  auto drained = std::async(std::launch::async, [&] { server->drain(milliseconds(20'000)); });
  EXPECT_EQ(idle.read_all(), "");
  EXPECT_TRUE(listening.read_all().ends_with("5\r\nevent\r\n0\r\n\r\n"));
  responder.send({.body = "in time"});
  EXPECT_TRUE(busy.read_all().ends_with("in time"));
  listening.leave();
  busy.leave();
  drained.get();
  EXPECT_EQ(server->figures().connections, 0U);
}

TEST(HttpDrain, cuts_what_does_not_end_in_time) {
  std::promise<Responder> held;
  const auto server =
      served({}, [&](const Request&, const Responder& responder) { held.set_value(responder); });
  RawPeer busy(*server);
  busy.write(get("/"));
  const Responder responder = held.get_future().get();
  server->drain(milliseconds(10));
  EXPECT_EQ(busy.read_all(), "");
  EXPECT_EQ(server->figures().connections, 0U);
}

}  // namespace
}  // namespace wright::http
