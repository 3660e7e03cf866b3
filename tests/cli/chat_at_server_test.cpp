// `wright chat --server` at a terminal, while the server comes and goes.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <boost/json/array.hpp>

#include <csignal>
#include <string>
#include <vector>

#include "process.h"

namespace wright::cli {
namespace {

// Nobody listens there any more.
int free_port() {
  const int bound = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(bound, reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(bound, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ::close(bound);
  return ntohs(address.sin_port);
}

// What the shell printed is told with the first message that the server takes.
TEST(ChatAtServer, keeps_what_was_not_taken_for_the_next_message) {
  Home home;
  home.environment["NO_COLOR"] = "1";
  home.environment["WRIGHT_MODEL"] = "offline";  // who has chosen is not asked
  const std::string port = std::to_string(free_port());
  const std::vector<std::string> serve{"serve", "--listen", "127.0.0.1:" + port};
  Process first(serve, home.environment, home.project(), Streams::pipes);
  first.await("Ctrl-C ends it");
  Process chat({"chat", "codebase-analysis", "--server", "http://127.0.0.1:" + port},
               home.environment, home.project(), Streams::terminal);
  chat.await("> ");
  chat.write("!echo so many: $((6*7))\r");
  chat.await("so many: 42");
  first.send(SIGTERM);
  EXPECT_EQ(first.finish().exit_code, 0);
  chat.write("hello\r");
  chat.await("There is no server at");
  Process second(serve, home.environment, home.project(), Streams::pipes);
  second.await("Ctrl-C ends it");
  chat.write("hello again\r");
  chat.await("session 1 ·");
  chat.write("and once more\r");
  chat.await("session 1 ·");
  chat.write("\x04");
  EXPECT_EQ(chat.finish().exit_code, 0);
  second.send(SIGTERM);
  EXPECT_EQ(second.finish().exit_code, 0);
  std::vector<std::string> said;
  const Json transcript = home.wright({"sessions", "show", "1", "--json"}).json();
  for (const Json& message : transcript.at("messages").as_array()) {
    if (message.at("role").as_string() == "user") said.push_back(to_text(message));
  }
  ASSERT_EQ(said.size(), 2U) << to_text(transcript);
  EXPECT_TRUE(has(said[0], "so many: 42")) << said[0];
  EXPECT_TRUE(has(said[0], "hello again")) << said[0];
  EXPECT_FALSE(has(said[1], "so many: 42")) << "it is told once";
}

TEST(ChatAtServer, says_nothing_of_keys) {
  Home home;
  home.environment["NO_COLOR"] = "1";
  home.environment["WRIGHT_MODEL"] = "offline";
  const std::string port = std::to_string(free_port());
  Process server({"serve", "--listen", "127.0.0.1:" + port}, home.environment, home.project(),
                 Streams::pipes);
  server.await("Ctrl-C ends it");
  home.environment["OPENAI_API_KEY"] = "correct-horse-battery";  // of the person alone
  Process chat({"chat", "codebase-analysis", "--server", "http://127.0.0.1:" + port},
               home.environment, home.project(), Streams::terminal);
  chat.await("> ");
  chat.write("!echo key=$OPENAI_API_KEY\r");
  chat.await("key=correct-horse-battery");
  chat.write("why not correct-horse-battery?\r");
  chat.await("session 1 ·");
  chat.write("and correct-horse-battery?\r");
  chat.await("session 1 ·");
  chat.write("\x04");
  EXPECT_EQ(chat.finish().exit_code, 0);
  server.send(SIGTERM);
  EXPECT_EQ(server.finish().exit_code, 0);
  const std::string kept = home.wright({"sessions", "show", "1", "--json"}).output;
  EXPECT_FALSE(has(kept, "correct-horse")) << kept;
  for (const char* words : {"key=[REDACTED]", "why not [REDACTED]?", "and [REDACTED]?"}) {
    EXPECT_TRUE(has(kept, words)) << words << " in " << kept;
  }
}

}  // namespace
}  // namespace wright::cli
