// The server behind TLS: what a peer with a library of its own reads, and peers that do not finish.
#include <openssl/ssl.h>

#include <cstdlib>
#include <filesystem>

#include "core/temporary_folder_testing.h"
#include "http_server/server_testing.h"

namespace wright::http {
namespace {

using std::chrono::milliseconds;

// A key and a certificate that no authority has signed.
class Pair {
 public:
  Pair() {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        " -subj /CN=localhost -keyout '" +
        key() + "' -out '" + certificate() + "' 2>/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << "is openssl installed?";
  }

  std::string key() const { return folder_ / "key.pem"; }
  std::string certificate() const { return folder_ / "certificate.pem"; }

 private:
  const TemporaryFolder folder_;
};

ServerOptions secure(const Pair& pair) {
  ServerOptions options;
  options.certificate_file = pair.certificate();
  options.key_file = pair.key();
  return options;
}

class TlsPeer {
 public:
  explicit TlsPeer(const Server& server)
      : socket_(connect_to(server.addresses().at(0))),
        context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free),
        session_(SSL_new(context_.get()), SSL_free) {
    SSL_set_fd(session_.get(), socket_.get());
    EXPECT_EQ(SSL_connect(session_.get()), 1);
  }
  void write(std::string_view bytes) {
    EXPECT_GT(SSL_write(session_.get(), bytes.data(), static_cast<int>(bytes.size())), 0);
  }
  // All there is until it holds `mark`, or the server has closed.
  std::string read_until(std::string_view mark) {
    while (read_.find(mark) == std::string::npos) {
      char buffer[16 * 1024];
      const int count = SSL_read(session_.get(), buffer, sizeof(buffer));
      if (count <= 0) break;
      read_.append(buffer, static_cast<std::size_t>(count));
    }
    return read_;
  }
  std::string version() const { return SSL_get_version(session_.get()); }

 private:
  FileDescriptor socket_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<SSL, decltype(&SSL_free)> session_;
  std::string read_;
};

TEST(Tls, answers_requests_one_after_the_other) {
  const Pair pair;
  const auto server = served(secure(pair), echo);
  TlsPeer peer(*server);
  EXPECT_EQ(peer.version(), "TLSv1.3");
  peer.write("POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_NE(peer.read_until("POST /first [hello]").find("POST /first [hello]"), std::string::npos);
  peer.write("GET /second HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_NE(peer.read_until("/second []").find("GET /second []"), std::string::npos);
}

TEST(Tls, streams_and_drains) {
  const Pair pair;
  std::optional<Stream> stream;
  std::mutex mutex;
  const auto server = served(secure(pair), [&](const Request&, const Responder& responder) {
    const std::lock_guard lock(mutex);
    stream = responder.stream({}, {.ends_with_drain = true});
    stream->write("first");
  });
  TlsPeer peer(*server);
  peer.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_NE(peer.read_until("first").find("first"), std::string::npos);
  {
    const std::lock_guard lock(mutex);
    stream->write(std::string(300'000, 'x') + "second");
  }
  EXPECT_NE(peer.read_until("second").find("second"), std::string::npos);
  server->drain(milliseconds(10'000));
  EXPECT_TRUE(peer.read_until("there is no more").ends_with("0\r\n\r\n"));
}

TEST(Tls, does_not_wait_for_half_a_handshake_nor_answer_plain_words) {
  const Pair pair;
  ServerOptions options = secure(pair);
  options.header_time = milliseconds(100);
  const auto server = served(options, echo);
  RawPeer half(*server);
  half.write(std::string_view("\x16\x03\x01\x02\x00\x01", 6));
  EXPECT_EQ(half.read_all(), "");
  RawPeer plain(*server);
  plain.write(get("/"));
  EXPECT_EQ(plain.read_all().find("HTTP/1.1 200"), std::string::npos);
}

TEST(Tls, says_what_is_wrong_with_its_files) {
  ServerOptions options;
  options.listen = {"127.0.0.1:0"};
  options.certificate_file = "/nowhere/certificate.pem";
  options.key_file = "/nowhere/key.pem";
  const auto server = Server::open(options, echo);
  ASSERT_FALSE(server);
  EXPECT_NE(server.error().message.find("/nowhere/certificate.pem"), std::string::npos)
      << server.error().message;
}

}  // namespace
}  // namespace wright::http
