// A way to a PostgreSQL that cuts connections in the middle of a message and holds others back. It
// is a process of its own, which ends with the test, and listens on 127.0.0.1 alone.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

namespace wright::faults {

class RoughProxy {
 public:
  // `socket` is the server's. The parent must have one thread.
  RoughProxy(const std::string& socket, unsigned seed, std::chrono::milliseconds longest_delay);
  ~RoughProxy();
  RoughProxy(const RoughProxy&) = delete;
  RoughProxy& operator=(const RoughProxy&) = delete;

  int port() const { return port_; }
  // It is calm at first.
  void be_rough() const { tell('r'); }
  void be_calm() const { tell('c'); }

 private:
  void tell(char weather) const;

  int port_ = 0;
  int weather_ = -1;  // the end of a pipe that is written to
  pid_t process_ = -1;
};

}  // namespace wright::faults
