// A database on disk, and what the offline model with the real sqlite_reader says about it.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

#include "core/temporary_folder_testing.h"
#include "wright/agents.h"
#include "wright/model.h"

namespace wright {

class DatabaseFixture : public ::testing::Test {
 protected:
  void execute(const std::string& sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / "test.db").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }

  std::string ask(const std::string& prompt) const {
    const auto agent =
        sqlite_analysis_agent({.databases = {{.path = folder_ / "test.db"}}}, offline_model());
    if (!agent) return "error: " + agent.error().message;
    std::vector<Message> messages{Message::user(prompt)};
    for (int turn = 0; turn < 6; ++turn) {
      Request request;
      request.messages = messages;
      request.tools = agent->tools;
      request.sampling = &agent->sampling;
      const auto response = agent->model.complete(request);
      if (!response) return "error: " + response.error().message;
      Message said{.role = Role::assistant, .parts = response->content};
      Message results{.role = Role::tool, .parts = {}};
      std::string text = said.text();
      for (const Part& part : said.parts) {
        const auto* call = std::get_if<ToolCall>(&part);
        if (call == nullptr) continue;
        results.parts.emplace_back(wright::execute(agent->tools, {}, *call, Context{}).result);
      }
      if (results.parts.empty()) return text;
      messages.push_back(std::move(said));
      messages.push_back(std::move(results));
    }
    return "error: no answer";
  }

  // Not answered, and with no figures that look like an answer.
  void expect_refusal(const std::string& prompt, const std::string& part = {}) const {
    const std::string answer = ask(prompt);
    EXPECT_TRUE(answer.starts_with("I cannot answer")) << prompt << ":\n" << answer;
    EXPECT_NE(answer.find(part), std::string::npos) << prompt << " lacks " << part << ":\n"
                                                    << answer;
  }

  void expect_answer(const std::string& prompt, const std::vector<std::string>& parts) const {
    const std::string answer = ask(prompt);
    for (const std::string& part : parts) {
      EXPECT_NE(answer.find(part), std::string::npos) << prompt << " lacks " << part << ":\n"
                                                      << answer;
    }
  }

  const TemporaryFolder folder_;
};

}  // namespace wright
