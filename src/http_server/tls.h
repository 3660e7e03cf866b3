// TLS as a filter of bytes. Opens no socket.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright::http {

class TlsSession {
 public:
  struct Parts;
  explicit TlsSession(std::unique_ptr<Parts> parts);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // What the peer sent → what it says. An error ends the connection; output() may still be sent.
  Result<std::string> opened(std::string_view bytes);
  void seal(std::string_view bytes);
  // What is to be sent to the peer.
  std::string output();
  bool has_ended() const;  // the peer said so

 private:
  std::unique_ptr<Parts> parts_;
};

class TlsContext {
 public:
  static Result<std::unique_ptr<TlsContext>> open(const std::string& certificate_file,
                                                  const std::string& key_file);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  std::unique_ptr<TlsSession> session();

 private:
  struct Parts;
  explicit TlsContext(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace wright::http
