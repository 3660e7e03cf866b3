#include "http_server/tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <utility>

namespace wright::http {
namespace {

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
struct FreeSession {
  void operator()(SSL* session) const { SSL_free(session); }
};

std::unexpected<Error> tls_error(const std::string& what) {
  char text[256] = {};
  ERR_error_string_n(ERR_get_error(), text, sizeof(text));
  ERR_clear_error();
  return fail(ErrorCode::invalid_argument, fmt::format("{}: {}", what, text));
}

int choose_http_1_1(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                    const unsigned char* offered, unsigned offered_size, void*) {
  static constexpr unsigned char kHttp[] = "\x08http/1.1";
  unsigned char* found = nullptr;
  const int result =
      SSL_select_next_proto(&found, chosen_size, kHttp, sizeof(kHttp) - 1, offered, offered_size);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

struct TlsContext::Parts {
  std::unique_ptr<SSL_CTX, FreeContext> context;
};
struct TlsSession::Parts {
  std::unique_ptr<SSL, FreeSession> session;
  std::string unsealed;  // what waits for the handshake
};

TlsContext::TlsContext(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
TlsContext::~TlsContext() = default;
TlsSession::TlsSession(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
TlsSession::~TlsSession() = default;

Result<std::unique_ptr<TlsContext>> TlsContext::open(const std::string& certificate_file,
                                                     const std::string& key_file) {
  auto parts = std::make_unique<Parts>();
  parts->context.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* context = parts->context.get();
  if (context == nullptr) return tls_error("Cannot set up TLS");
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  // A key with a password would ask at the terminal, which a server may not have.
  SSL_CTX_set_default_passwd_cb(context, [](char*, int, int, void*) { return -1; });
  SSL_CTX_set_alpn_select_cb(context, choose_http_1_1, nullptr);
  if (SSL_CTX_use_certificate_chain_file(context, certificate_file.c_str()) != 1) {
    return tls_error(fmt::format("Cannot use the certificate in {}", certificate_file));
  }
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return tls_error(
        fmt::format("Cannot use the key in {} (it must be that of the certificate, and have no "
                    "password)",
                    key_file));
  }
  return std::unique_ptr<TlsContext>(new TlsContext(std::move(parts)));
}

std::unique_ptr<TlsSession> TlsContext::session() {
  auto parts = std::make_unique<TlsSession::Parts>();
  parts->session.reset(SSL_new(parts_->context.get()));
  SSL_set_bio(parts->session.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_accept_state(parts->session.get());
  return std::make_unique<TlsSession>(std::move(parts));
}

Result<std::string> TlsSession::opened(std::string_view bytes) {
  SSL* session = parts_->session.get();
  BIO_write(SSL_get_rbio(session), bytes.data(), static_cast<int>(bytes.size()));
  std::string plain;
  char piece[16 * 1024];
  for (;;) {
    ERR_clear_error();
    const int count = SSL_read(session, piece, sizeof(piece));
    if (count > 0) {
      plain.append(piece, static_cast<std::size_t>(count));
      continue;
    }
    const int error = SSL_get_error(session, count);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_ZERO_RETURN) break;
    ERR_clear_error();
    return fail(ErrorCode::protocol, "The peer does not speak TLS as it should");
  }
  if (!parts_->unsealed.empty() && SSL_is_init_finished(session) != 0) {
    seal(std::exchange(parts_->unsealed, {}));
  }
  return plain;
}

void TlsSession::seal(std::string_view bytes) {
  SSL* session = parts_->session.get();
  if (SSL_is_init_finished(session) == 0) {
    parts_->unsealed += bytes;
    return;
  }
  ERR_clear_error();
  if (!bytes.empty()) SSL_write(session, bytes.data(), static_cast<int>(bytes.size()));
}

std::string TlsSession::output() {
  BIO* out = SSL_get_wbio(parts_->session.get());
  std::string bytes(BIO_ctrl_pending(out), '\0');
  if (bytes.empty()) return bytes;
  const int count = BIO_read(out, bytes.data(), static_cast<int>(bytes.size()));
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return bytes;
}

bool TlsSession::has_ended() const {
  return (SSL_get_shutdown(parts_->session.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
}

}  // namespace wright::http
