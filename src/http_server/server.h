// The HTTP server: HTTP/1.1 over TCP and Unix sockets. It moves requests and responses and puts a
// limit on everything; what a request means, and who may send it, is decided by the handler.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http_message/request.h"
#include "wright/error.h"
#include "wright/model.h"

namespace wright::http {

// Content-Length, Date and Connection are added by the server.
struct Response {
  int status = 200;
  std::vector<HttpHeader> headers = {};
  std::string body = {};
};

struct StreamOptions {
  // Written when nothing else was for that long, so that nobody between takes the connection for
  // dead: ": \n\n" for events. Empty: nothing is.
  std::string heartbeat = {};
  std::chrono::milliseconds heartbeat_time{15'000};
  // More bytes than this that the peer has not taken: it is too slow, and its connection is cut.
  std::size_t most_unsent = std::size_t{1} << 20;
  // Whether drain() ends it at once. For streams that have no end of their own.
  bool ends_with_drain = false;
};

// The body of a response that is written piece by piece. A handle; copies are the same stream. All
// functions may be called from any thread, and none of them blocks. When the last copy is gone the
// stream ends.
class Stream {
 public:
  class State;
  explicit Stream(std::shared_ptr<State> state) : state_(std::move(state)) {}

  // False when nobody reads any more: the peer is gone, was too slow, or the server ends.
  bool write(std::string bytes);
  // Back-pressure: how many bytes wait to be sent. One that makes a lot goes on in when_sent().
  std::size_t unsent() const;
  // Calls `then` once, in a thread of the server's handlers, as soon as nothing is unsent (perhaps
  // at once), or nobody reads any more.
  void when_sent(std::function<void()> then);
  // Calls `then` once, in a thread of the server's handlers, when nobody reads any more; not after
  // end(), and not because the server ends. One function a stream.
  void when_closed(std::function<void()> then);
  bool is_open() const;
  // What was written is still sent.
  void end();

 private:
  std::shared_ptr<State> state_;
};

// Answers one request, once, from any thread, now or later. A handle; when its last copy is gone
// without an answer, the peer gets status 500.
class Responder {
 public:
  class State;
  explicit Responder(std::shared_ptr<State> state) : state_(std::move(state)) {}

  // Only the first of these two counts.
  void send(Response response) const;
  // The head of the response; its body is ignored.
  Stream stream(Response head, StreamOptions options = {}) const;

  // Reads the body, of at most that many bytes, and calls `then` with it in a thread of the
  // server's handlers; at once where there is none. Once a request. Whoever sends more (413),
  // something broken (400, 431), too slowly (408), or while there is no room for it (503) is
  // answered without `then`, which is dropped, and so it is when somebody answers before.
  void read_body(std::size_t most, std::function<void(std::string body)> then) const;

  // Calls `then` once, in a thread of the server's handlers, when the peer goes away before its
  // request is answered; not because the server ends. One function a request.
  void when_closed(std::function<void()> then) const;

 private:
  std::shared_ptr<State> state_;
};

// Called when the head of a request has come, in one of the handlers' threads, several at a time;
// it may block for a moment. What it throws becomes status 500. The request is the handler's own.
//
// The body is empty until somebody asks for it with Responder::read_body(), so that nobody fills
// the memory before it is known who they are. An answer without having read a body that is there
// ends the connection.
using Handler = std::function<void(Request request, Responder responder)>;

// For servers that read every body, whoever sends it.
Handler with_body(std::size_t most, Handler handler);

struct ServerOptions {
  // "127.0.0.1:7411", "[::1]:7411", "0.0.0.0:0" (any free port), "unix:/run/wright.sock" (which is
  // made for its owner alone).
  std::vector<std::string> listen = {};
  // Sockets that somebody else has opened and listens on. The server owns them from now on.
  std::vector<int> sockets = {};
  int handler_threads = 4;
  // Requests that are answered from memory, told by their head: they have threads of their own, so
  // that they are answered while all other handlers wait for something. Called in the thread of the
  // sockets; may be empty.
  std::function<bool(const Request&)> is_prompt = {};
  // A request that no handler has begun with after that time is answered with status 503, and no
  // handler begins with it later.
  std::chrono::milliseconds handler_time{10'000};

  // PEM files: everything but Unix sockets speaks TLS then.
  std::string certificate_file = {};
  std::string key_file = {};

  std::size_t most_header_bytes = 32 * 1024;
  std::size_t most_body_bytes = std::size_t{32} << 20;  // whatever a handler asks for
  // All bodies that are being read, or wait for their handler, together.
  std::size_t most_bytes_of_bodies = std::size_t{256} << 20;
  std::size_t most_connections = 20'000;
  std::chrono::milliseconds header_time{10'000};  // from the first byte of a request to its body
  std::chrono::milliseconds body_time{60'000};
  std::chrono::milliseconds idle_time{75'000};  // between requests of a connection
  // A peer that has not taken everything must take that many bytes in that time, again and again;
  // it is cut otherwise, so that nobody holds a large response for ever.
  std::chrono::milliseconds write_time{30'000};
  std::size_t least_written = std::size_t{32} * 1024;
};

struct ServerFigures {
  std::size_t connections = 0;  // open now
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;  // for want of room
  std::uint64_t requests = 0;
  std::uint64_t cut = 0;  // by a limit of time or size
};

class Server {
 public:
  // Listens when it returns.
  static Result<std::unique_ptr<Server>> open(ServerOptions options, Handler handler);
  // Cuts what is left, and waits for handlers that run. Not from a handler.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Where it listens: as in ServerOptions, with the real ports.
  const std::vector<std::string>& addresses() const;
  ServerFigures figures() const;

  // Accepts nobody any more, closes what is idle, lets the rest end for that long, and cuts what is
  // left then. Blocks.
  void drain(std::chrono::milliseconds time);

 private:
  class Implementation;
  explicit Server(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace wright::http
