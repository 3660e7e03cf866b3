#include "app/settings/mcp_servers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/settings/config.h"

namespace wright::app {
namespace {

const Environment kEnvironment({{"TOKEN", "s3cret"}, {"HOME", "/home/x"}});

TEST(McpServers, EveryKeyIsRead) {
  const auto file = parse_config(R"([mcp.servers.files]
command = "npx"
args = ["-y", "thing"]
env = { KEY = "${TOKEN}" }
cwd = "sub"
agents = ["reviewer"]
tools = ["read_*"]
effects = { "read_*" = "read", "*" = "write" }
timeout = "5s"
startup_timeout = "1m"
sandbox = "required"
network = "on"
revision = "2025-11-25"
enabled = false

[mcp.servers.docs]
url = "https://example.com/mcp"
headers = { Authorization = "Bearer ${TOKEN}" }
)",
                                 "c.toml", kEnvironment);
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->mcp_servers.size(), 2U);
  const McpServer& docs = file->mcp_servers[0];
  const McpServer& files = file->mcp_servers[1];
  EXPECT_EQ(files.command, (std::vector<std::string>{"npx", "-y", "thing"}));
  EXPECT_EQ(files.environment.at("KEY"), "s3cret");
  EXPECT_EQ(files.timeout, std::chrono::seconds(5));
  EXPECT_EQ(files.sandbox, SandboxMode::required);
  EXPECT_EQ(files.revisions, McpRevisions::legacy);
  EXPECT_FALSE(files.is_enabled);
  EXPECT_EQ(files.effects.size(), 2U);
  EXPECT_TRUE(files.is_for("reviewer"));
  EXPECT_FALSE(files.is_for("other"));
  EXPECT_TRUE(docs.is_for("other"));
  EXPECT_EQ(docs.headers.front().second, "Bearer s3cret");
}

TEST(McpServers, SecretsAreKnownAndNotShown) {
  const Environment environment({{"TOKEN", "s3cret\n"}, {"HOME", "/home/x"}, {"PLACE", "cellar"}});
  const auto file = parse_config(R"([mcp.servers.a]
command = "prog"
args = ["--token=${TOKEN}", "${HOME}/a", "${PLACE}"]

[mcp.servers.c]
command = "prog"
env = { API_TOKEN = "literal", GITHUB_KEY = "${PLACE}", MODE = "quickly", GIT_AUTHOR_NAME = "ada lovelace", AUTH_ENABLED = "true", SSH_KEY_PATH = "keys/ssh" }

[mcp.servers.b]
url = "https://ada:pass-word@example.com/mcp?k=${TOKEN}"
headers = { Authorization = "Bearer ${TOKEN}", Accept-Language = "en" }
)",
                                 "c.toml", environment);
  ASSERT_TRUE(file) << file.error().message;
  const McpServer& a = file->mcp_servers[0];
  EXPECT_EQ(a.shown, "prog --token=${TOKEN} ${HOME}/a ${PLACE}");
  EXPECT_EQ(a.secrets, std::vector<std::string>{"s3cret"});
  EXPECT_EQ(a.expanded, (std::vector<std::string>{"s3cret", "cellar"}));
  const McpServer& b = file->mcp_servers[1];
  EXPECT_EQ(b.shown, "https://***@example.com/mcp?k=${TOKEN}");
  EXPECT_EQ(b.headers.back().second, "Bearer s3cret");  // without the line end of the file
  for (const std::string_view secret : {"Bearer s3cret", "s3cret", "pass-word"}) {
    EXPECT_NE(std::ranges::find(b.secrets, secret), b.secrets.end()) << secret;
  }
  EXPECT_EQ(std::ranges::find(b.secrets, "en"), b.secrets.end());
  const McpServer& c = file->mcp_servers[2];
  EXPECT_EQ(c.secrets, (std::vector<std::string>{"literal", "cellar"}));
}

TEST(McpServers, OrdinaryWordsAreNoSecretsOfWhatPeopleSay) {
  McpServer server{.environment = {{"POSTGRES_PASSWORD", "postgres"},
                                   {"API_TOKEN", "files-token-2"},
                                   {"KEY_NUMBER", "0815471108154711"},
                                   {"TOKEN_SIZE", "100000"},
                                   {"TOKEN_URL", "https://log.example.com/oauth2/token"},
                                   {"SECRET_URL", "https://log.example.com/in/docs-token-1"}},
                   .url = "https://ada:pass@example.com/mcp",
                   .headers = {{"Authorization", "Bearer test"},
                               {"X-Api-Key", "8080"},
                               {"X-Auth-Token", "docs-token-1"}}};
  note_secrets(server);
  const auto knows = [&](const std::vector<std::string>& list, std::string_view value) {
    return std::ranges::find(list, value) != list.end();
  };
  for (const char* word : {"test", "pass", "8080"}) {
    EXPECT_FALSE(knows(server.secrets, word)) << word;
    EXPECT_TRUE(knows(server.expanded, word)) << word;
  }
  for (const char* plain : {"100000", "https://log.example.com/oauth2/token"}) {
    EXPECT_FALSE(knows(server.secrets, plain)) << plain;
  }
  EXPECT_TRUE(knows(server.secrets, "postgres")) << "results are without it";
  const auto sure = server.unmistakable_secrets();
  EXPECT_FALSE(knows(sure, "postgres"));
  for (const char* token : {"files-token-2", "0815471108154711", "docs-token-1",
                            "https://log.example.com/in/docs-token-1"}) {
    EXPECT_TRUE(knows(server.secrets, token)) << token;
    EXPECT_TRUE(knows(sure, token)) << token;
  }
}

TEST(McpServers, WhatIsWrongIsToldWithItsLine) {
  const auto message = [](std::string_view text) {
    const auto file = parse_config(text, "c.toml", kEnvironment);
    return file ? std::string("fine") : file.error().message;
  };
  const auto expect = [&](std::string_view text, std::string_view part) {
    EXPECT_NE(message(text).find(part), std::string::npos) << message(text);
  };
  expect("[mcp.servers.x]\n", "needs either a command or a url");
  expect("[mcp.servers.x]\ncommand = \"a\"\nurl = \"http://b\"\n", "needs either");
  expect("[mcp.servers.x]\ncomand = \"a\"\n",
         "c.toml:2: mcp.servers.x.comand: unknown key; did you");
  expect("[mcp.servers.x]\ncommand = 7\n", "must be a string in quotes, not an integer");
  expect("[mcp.servers.x]\ncommand = \"a\"\nargs = [7]\n", "an array of strings");
  expect("[mcp.servers.x]\nurl = \"ftp://b\"\n", "must begin with http");
  expect("[mcp.servers.x]\ncommand = \"a\"\ntimeout = \"soon\"\n", "a duration");
  expect("[mcp.servers.x]\ncommand = \"a\"\neffects = { \"*\" = \"none\" }\n",
         "read, idempotent or");
  expect("[mcp.servers.x]\ncommand = \"${NOT_SET}\"\n", "NOT_SET");
  expect("[mcp.servers.\"a b\"]\ncommand = \"a\"\n", "letters, digits and -");
  expect("[mcp]\nserver = 1\n", "[mcp.servers.NAME]");
  expect("[mcp.servers.x]\nurl = \"http://b\"\nheaders = { X = \"a\\r\\nInjected: y\" }\n",
         "the value of 'X' has a line break");
  expect("[mcp.servers.x]\nurl = \"http://b\"\nheaders = { \"X Y\" = \"a\" }\n",
         "cannot be the name of a header");
  expect("[mcp.servers.x]\nurl = \"http://b/ c\"\n", "must not have a space");
}

}  // namespace
}  // namespace wright::app
