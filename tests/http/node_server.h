// A server written for Node.js or, as x.py, for Python, as a child process: it prints a line about
// where it listens, and ends when its standard input does.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace wright::http {

class NodeServer {
 public:
  // Fails the test program when the server says nothing.
  explicit NodeServer(const std::string& script, const std::vector<std::string>& arguments = {});
  ~NodeServer();
  NodeServer(const NodeServer&) = delete;
  NodeServer& operator=(const NodeServer&) = delete;

  // The first line that it printed.
  const std::string& place() const { return place_; }

 private:
  pid_t id_ = -1;
  int input_ = -1;
  std::string place_;
};

}  // namespace wright::http
