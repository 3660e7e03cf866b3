// fetch_url and web_search with the real program: off unless the user turns them on, and then under
// the same rules as every tool.
#include <gtest/gtest.h>

#include <future>

#include "net/canned_server_testing.h"
#include "process.h"

namespace wright::cli {
namespace {

using net::testing::CannedServer;
using net::testing::Connection;

void answer_with_page(Connection& connection) {
  while (!connection.read_request().empty()) {
    connection.answer(200, "<title>T</title><h1>Hello</h1>", "Content-Type: text/html\r\n");
  }
}

Arguments fetch(const std::string& url) {
  return {"tools", "call", "fetch_url", to_text(Json{{"url", url}})};
}

TEST(WebTools, are_off_and_say_how_to_turn_them_on) {
  CannedServer server(answer_with_page);
  const Home home;
  EXPECT_EQ(home.wright({"tools"}).output.find("fetch_url("), std::string::npos);
  const Finished fetched = home.wright(fetch(server.url()));
  EXPECT_EQ(fetched.exit_code, 2);
  EXPECT_NE(fetched.error.find("--set web.fetch=true"), std::string::npos) << fetched.error;
  const Finished searched = home.wright({"tools", "call", "web_search", R"({"query": "x"})"});
  EXPECT_EQ(searched.exit_code, 2);
  EXPECT_NE(searched.error.find("web.search="), std::string::npos) << searched.error;
  EXPECT_EQ(server.connections(), 0);
}

TEST(WebTools, reach_this_machine_only_where_the_user_allows_it) {
  CannedServer server(answer_with_page);
  const Home home;
  home.write_config("[web]\nfetch = true\n[tool_execution]\nenable_metadata = false\n");
  EXPECT_NE(home.wright({"tools"}).output.find("fetch_url(url, max_bytes?, format?)  read"),
            std::string::npos);
  const Finished refused = home.wright(fetch(server.url()));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(
      refused.error.find("127.0.0.1 leads to 127.0.0.1, which is not an address of the public "
                         "internet"),
      std::string::npos)
      << refused.error;
  EXPECT_EQ(server.connections(), 0);

  home.write_config(
      "[web]\nfetch = true\nallow = [\"127.0.0.1\"]\n[tool_execution]\nenable_metadata = false\n");
  const Finished fetched = home.wright(fetch(server.url("/x")));
  EXPECT_EQ(fetched.exit_code, 0) << fetched.error;
  const Json page = fetched.json();
  EXPECT_EQ(page.at("title").as_string(), "T");
  EXPECT_EQ(page.at("content").as_string(), "# Hello");
}

TEST(WebTools, pass_the_permissions_like_every_tool) {
  CannedServer server(answer_with_page);
  const Home home;
  const std::string allow = "[web]\nfetch = true\nallow = [\"127.0.0.1\"]\n[permissions]\n";
  home.write_config(allow + "\"fetch_*\" = \"ask\"\n");
  EXPECT_EQ(home.wright(fetch(server.url())).exit_code, 3);
  home.write_config(allow + "\"fetch_url\" = \"deny\"\n");
  EXPECT_EQ(home.wright(fetch(server.url())).exit_code, 1);
  EXPECT_EQ(server.connections(), 0);
}

TEST(WebTools, search_with_the_key_of_the_environment_and_never_show_it) {
  std::promise<std::string> read;
  CannedServer server([&](Connection& connection) {
    read.set_value(connection.read_request());
    connection.answer(200, R"({"results": [{"title": "One", "url": "https://one.example/",
                               "content": "your key is key-0123456789abcdef0123"}]})");
  });
  Home home;
  home.environment["WEBSEARCH_API_KEY"] = "key-0123456789abcdef0123";
  home.write_config("[web]\nsearch = \"" + server.url("/search") +
                    "\"\nsearch_header = \"X-Key\"\n");
  const Finished found = home.wright({"tools", "call", "web_search", R"({"query": "x"})"});
  EXPECT_EQ(found.exit_code, 0) << found.error;
  const std::string request = read.get_future().get();
  EXPECT_NE(request.find("\r\nX-Key: key-0123456789abcdef0123\r\n"), std::string::npos) << request;
  EXPECT_NE(found.output.find("https://one.example/"), std::string::npos) << found.output;
  EXPECT_EQ(found.output.find("key-0123456789abcdef0123"), std::string::npos) << found.output;
  const Finished config = home.wright({"config"});
  EXPECT_EQ(config.output.find("key-0123456789abcdef0123"), std::string::npos);
}

}  // namespace
}  // namespace wright::cli
