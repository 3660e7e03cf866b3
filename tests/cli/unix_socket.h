// Requests to a server behind a Unix socket.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

namespace wright::cli {

// Sends a request and reads until the server closes.
inline std::string over_socket(const std::filesystem::path& path, const std::string& request) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, path.c_str(), sizeof(name.sun_path) - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  EXPECT_EQ(::send(socket, request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  std::string all;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::recv(socket, buffer, sizeof(buffer), 0)) > 0;) {
    all.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(socket);
  return all;
}

inline std::string request_for(const std::string& method, const std::string& path,
                        const std::string& body = {}) {
  return method + " " + path +
         " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace wright::cli
