// `wright serve` and `wright token`: the real program behind a Unix socket.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "process.h"
#include "unix_socket.h"

namespace wright::cli {
namespace {

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
  const Finished second = home.wright({"serve", "--listen", "unix:" + socket.string()});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_NE(second.error.find("something else listens there"), std::string::npos) << second.error;
  server.send(SIGTERM);
  server.await("Ending");
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
  const Finished nonsense = home.wright({"serve", "--listen", "nonsense"});
  EXPECT_EQ(nonsense.exit_code, 2);
  EXPECT_NE(nonsense.error.find("HOST:PORT"), std::string::npos) << nonsense.error;
  EXPECT_EQ(home.wright({"serve", "--certificate", "x"}).exit_code, 2);
}

TEST(Serve, refuses_a_webhook_that_cannot_be_reached_and_takes_any_case_of_its_scheme) {
  Home home;
  home.environment["WRIGHT_WEBHOOK_SECRET"] = "a-secret-that-is-long-enough";
  for (const char* url : {"http://", "http:///hook", "https://name:secret-word@example.com/hook",
                          "http://example.com:99999/", "http://example.com:0/", "ftp://example.com",
                          "example.com/hook", "http:example.com"}) {
    const Finished refused = home.wright({"serve", "--webhook", url});
    EXPECT_EQ(refused.exit_code, 2) << url;
    EXPECT_TRUE(has(refused.error, "--webhook needs a URL such as")) << refused.error;
    EXPECT_FALSE(has(refused.error, "secret-word")) << refused.error;
  }
  // The address comes after the webhook.
  const Finished taken =
      home.wright({"serve", "--webhook", "HTTP://example.com/hook", "--listen", "nonsense"});
  EXPECT_TRUE(has(taken.error, "HOST:PORT")) << taken.error;
}

// A desktop whose browser writes down what it is to show.
void put_desktop_into(Home& home) {
  const auto folder = home.path() / "desktop";
  std::filesystem::create_directories(folder);
  const auto program = folder / "xdg-open";
  std::ofstream(program) << "#!/bin/sh\necho \"$@\" > '" << (home.path() / "shown").string()
                         << ".new'\nmv '" << (home.path() / "shown").string() << ".new' '"
                         << (home.path() / "shown").string() << "'\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  home.environment["PATH"] = folder.string() + ":/usr/bin:/bin";
  home.environment["DISPLAY"] = ":99";
}

// What the browser was to show; waits for it.
std::string shown_in(const Home& home) {
  std::string line;
  for (int i = 0; i < 2'000 && line.empty(); ++i) {
    std::ifstream file(home.path() / "shown");
    if (!std::getline(file, line)) ::usleep(10'000);
  }
  return line;
}

TEST(Serve, opens_its_link_in_a_browser_when_somebody_is_there) {
  Home home;
  put_desktop_into(home);
  Process server({"serve", "--listen", "127.0.0.1:0"}, home.environment, home.project(),
                 Streams::terminal);
  server.await("Ctrl-C ends it");
  // Everybody may read what a program is started with, and nobody else the page.
  const std::string page = shown_in(home);
  EXPECT_EQ(page.find("code="), std::string::npos) << page;
  struct stat status {};
  ASSERT_EQ(::stat(page.c_str(), &status), 0) << page;
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  std::ifstream file(page);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t begin = text.find("url=") + 4;
  const std::string link = text.substr(begin, text.find('"', begin) - begin);
  EXPECT_TRUE(link.starts_with("http://127.0.0.1:")) << text;
  EXPECT_NE(link.find("/#code="), std::string::npos) << text;
  server.send(SIGTERM);
  const Finished finished = server.finish();
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_NE(finished.output.find("Dashboard, once: " + link), std::string::npos)
      << finished.output;
  EXPECT_FALSE(std::filesystem::exists(page));
}

TEST(Serve, opens_no_browser_where_nobody_is_or_wants_one) {
  struct Case {
    Arguments more;
    Streams streams;
  };
  for (const Case& each : {Case{{"--no-open"}, Streams::terminal}, Case{{}, Streams::pipes}}) {
    Home home;
    put_desktop_into(home);
    Arguments arguments{"serve", "--listen", "127.0.0.1:0"};
    arguments.insert(arguments.end(), each.more.begin(), each.more.end());
    Process server(arguments, home.environment, home.project(), each.streams);
    server.await("Ctrl-C ends it");
    server.send(SIGTERM);
    EXPECT_EQ(server.finish().exit_code, 0);
    EXPECT_FALSE(std::filesystem::exists(home.path() / "shown"));
  }
}

TEST(Serve, prints_a_link_for_this_machine_where_it_listens_everywhere) {
  const Home home;
  ASSERT_EQ(home.wright({"token", "add", "ci", "--scope", "read"}).exit_code, 0);
  Process server({"serve", "--listen", "0.0.0.0:0"}, home.environment, home.project(),
                 Streams::pipes);
  server.await("Ctrl-C ends it");
  server.send(SIGTERM);
  const Finished finished = server.finish();
  EXPECT_NE(finished.error.find("Dashboard, once: http://127.0.0.1:"), std::string::npos)
      << finished.error;
  EXPECT_NE(finished.error.find("Others can reach it"), std::string::npos) << finished.error;
}

// As systemd does it: the socket is open before the program is there.
TEST(Serve, takes_sockets_that_somebody_else_opened) {
  const Home home;
  const auto path = home.path() / "given";
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, path.c_str(), sizeof(name.sun_path) - 1);
  const int given = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(given, reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  ASSERT_EQ(::listen(given, 8), 0);
  std::vector<std::string> variables{"LISTEN_FDS=1", "LISTEN_PID="};
  for (const auto& [key, value] : home.environment) variables.push_back(key + "=" + value);
  variables[1].reserve(40);
  std::vector<char*> pointers;
  for (std::string& variable : variables) pointers.push_back(variable.data());
  pointers.push_back(nullptr);
  const std::string folder = home.project().string();
  const pid_t child = ::fork();
  if (child == 0) {
    std::snprintf(pointers[1], 40, "LISTEN_PID=%d", static_cast<int>(::getpid()));
    if (given == 3 ? ::fcntl(3, F_SETFD, 0) != 0 : ::dup2(given, 3) != 3) ::_exit(126);
    if (::chdir(folder.c_str()) != 0) ::_exit(126);
    ::execle(WRIGHT_PROGRAM, "wright", "serve", nullptr, pointers.data());
    ::_exit(127);
  }
  ::close(given);
  EXPECT_TRUE(over_socket(path, request_for("GET", "/readyz")).ends_with("ready\n"));
  ::kill(child, SIGINT);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(std::filesystem::exists(path)) << "whoever made it removes it";
}

TEST(Token, of_a_tenant_begins_and_sees_its_sessions_alone) {
  const Home home;
  EXPECT_EQ(home.wright({"token", "add", "a", "--scope", "run", "--tenant", "a b"}).exit_code, 2);
  std::string token =
      home.wright({"token", "add", "web", "--scope", "run", "--tenant", "shop"}).output;
  token.pop_back();
  EXPECT_EQ(home.wright({"token"}).output, "web  run  for shop\n");
  EXPECT_EQ(home.wright({"token", "--json"}).json().at(0).at("tenant").as_string(), "shop");
  ASSERT_EQ(home.wright({"run", "codebase-analysis", "--tenant", "bank", "hello"}).exit_code, 0);
  const auto socket = home.path() / "s";
  Process server({"serve", "--listen", "unix:" + socket.string()}, home.environment, home.project(),
                 Streams::pipes);
  server.await("Listening on unix:");
  const auto ask = [&](std::string request) {
    const std::string_view mark = "Connection: close\r\n";
    request.insert(request.find(mark), "Authorization: Bearer " + token + "\r\n");
    return over_socket(socket, request);
  };
  EXPECT_TRUE(has(ask(request_for("GET", "/api/v1/sessions/1")), "There is no session 1"));
  EXPECT_TRUE(has(ask(request_for("POST", "/v1/chat/completions",
                                  R"({"model":"codebase-analysis","messages":[{"role":"user",)"
                                  R"("content":"hello"}]})")),
                  "200 OK"));
  const std::string listed = ask(request_for("GET", "/api/v1/sessions"));
  EXPECT_TRUE(has(listed, "\"tenant\":\"shop\"")) << listed;
  EXPECT_FALSE(has(listed, "bank")) << listed;
  server.send(SIGTERM);
  EXPECT_EQ(server.finish().exit_code, 0);
  const auto runs = [&](const std::string& tenant) {
    return home.wright({"stats", "--json", "--tenant", tenant}).json();
  };
  EXPECT_EQ(runs("shop").at("all").at("runs").at("count"), 1);
  EXPECT_EQ(runs("nobody").at("all").at("runs").at("count"), 0);
  EXPECT_EQ(home.wright({"waits", "--json", "--tenant", "shop"}).output, "[]\n");
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
