// `wright serve` and `wright token`: the real program behind a Unix socket.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "process.h"

namespace wright::cli {
namespace {

// Sends a request and reads until the server closes.
std::string over_socket(const std::filesystem::path& path, const std::string& request) {
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

std::string request_for(const std::string& method, const std::string& path,
                        const std::string& body = {}) {
  return method + " " + path +
         " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(Serve, runs_sessions_that_other_commands_see_and_ends_with_a_signal) {
  const Home home;
  const auto socket = home.path() / "s";
  Process server({"serve", "--listen", "unix:" + socket.string()}, home.environment, home.project(),
                 Streams::pipes);
  server.await("Listening on unix:");
  EXPECT_TRUE(over_socket(socket, request_for("GET", "/readyz")).ends_with("ready\n"));
  const std::string begun = over_socket(
      socket, request_for("POST", "/v1/chat/completions",
                          R"({"model":"codebase-analysis","messages":[{"role":"user","content":)"
                          R"("Where is alpha_function defined?"}]})"));
  EXPECT_NE(begun.find("alpha_function"), std::string::npos) << begun;
  EXPECT_NE(over_socket(socket, request_for("GET", "/api/v1/sessions"))
                .find("\"agent\":\"codebase-analysis\""),
            std::string::npos);
  EXPECT_NE(over_socket(socket, request_for("GET", "/")).find("<title>Wright</title>"),
            std::string::npos);
  server.send(SIGTERM);
  EXPECT_EQ(server.finish().exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(socket));
  EXPECT_EQ(home.wright({"sessions", "show", "1", "--json"})
                .json()
                .at("session")
                .at("status")
                .as_string(),
            "completed");
}

TEST(Serve, refuses_an_address_that_others_can_reach_without_a_token) {
  const Home home;
  const Finished refused = home.wright({"serve", "--listen", "0.0.0.0:0"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.error.find("wright token add"), std::string::npos) << refused.error;
  EXPECT_EQ(home.wright({"serve", "--listen", "nonsense"}).exit_code, 1);
  EXPECT_EQ(home.wright({"serve", "--certificate", "x"}).exit_code, 2);
}

TEST(Token, is_shown_once_listed_by_name_and_removed) {
  const Home home;
  EXPECT_EQ(home.wright({"token", "add", "ci"}).exit_code, 2);
  EXPECT_EQ(home.wright({"token", "add", "ci", "--scope", "fly"}).exit_code, 2);
  const Finished added = home.wright({"token", "add", "ci", "--scope", "read,answer"});
  EXPECT_EQ(added.exit_code, 0);
  EXPECT_TRUE(added.output.starts_with("wright_")) << added.output;
  EXPECT_EQ(home.wright({"token"}).output, "ci  read,answer\n");
  EXPECT_EQ(home.wright({"token", "--json"}).json().at(0).at("name").as_string(), "ci");
  EXPECT_EQ(home.wright({"token", "add", "ci", "--scope", "read"}).exit_code, 1);
  EXPECT_EQ(home.wright({"token", "rm", "ci"}).exit_code, 0);
  EXPECT_EQ(home.wright({"token", "rm", "ci"}).exit_code, 1);
}

}  // namespace
}  // namespace wright::cli
