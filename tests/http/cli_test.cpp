// The real binary over real HTTP: what a person with a key sees, and what is kept of it.
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <fstream>
#include <sstream>

#include "cli/process.h"
#include "vendors.h"

namespace wright::http {
namespace {

constexpr const char* kKey = "sk-ant-0123456789-abcdefghij-klmnopqrst";

class ProviderCli : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { vendors_ = std::make_unique<Vendors>(); }
  static void TearDownTestSuite() { vendors_.reset(); }

  ProviderCli() {
    home_.environment["ANTHROPIC_BASE_URL"] = vendors_->url();
    home_.environment["ANTHROPIC_API_KEY"] = kKey;
  }

  cli::Arguments run(const std::string& prompt, cli::Arguments more = {}) const {
    cli::Arguments arguments{"run", "codebase-analysis", prompt, "--model",
                             "anthropic:claude-sonnet-4-5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  static std::string content_of(const std::filesystem::path& path) {
    std::stringstream content;
    content << std::ifstream(path).rdbuf();
    return content.str();
  }

  // Everything that was written below the home folder.
  std::string everything_kept() const {
    std::string all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home_.path())) {
      if (entry.is_regular_file()) all += content_of(entry.path());
    }
    return all;
  }

  static std::unique_ptr<Vendors> vendors_;
  cli::Home home_;
};

std::unique_ptr<Vendors> ProviderCli::vendors_;

TEST_F(ProviderCli, answers_and_keeps_the_session_without_the_key) {
  const auto finished = home_.wright(run("trickle please", {"--trace-http", "trace.txt"}));
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_EQ(finished.output, "drop by drop\n");
  const auto shown = home_.wright({"sessions", "show", "last", "--json"});
  EXPECT_NE(shown.output.find("\"claude-sonnet-4-5\""), std::string::npos) << shown.output;
  const std::string trace = content_of(home_.project() / "trace.txt");
  EXPECT_NE(trace.find("x-api-key: ***"), std::string::npos) << trace;
  EXPECT_NE(trace.find("trickle please"), std::string::npos);
  EXPECT_NE(trace.find("HTTP 200"), std::string::npos);
  EXPECT_EQ(everything_kept().find(kKey), std::string::npos);
  EXPECT_EQ((finished.output + finished.error).find(kKey), std::string::npos);
}

TEST_F(ProviderCli, text_appears_once_on_a_terminal_and_is_streamed) {
  const auto finished = home_.wright_on_terminal(run("trickle please", {"--trace-http", "t.txt"}));
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  const std::size_t first = finished.output.find("drop by drop");
  ASSERT_NE(first, std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find("drop by drop", first + 1), std::string::npos) << finished.output;
  const std::string trace = content_of(home_.project() / "t.txt");
  EXPECT_NE(trace.find("text_delta"), std::string::npos) << "it was not streamed";
}

TEST_F(ProviderCli, without_a_stream_the_answer_comes_whole) {
  const auto finished =
      home_.wright_on_terminal(run("trickle please", {"--no-stream", "--trace-http", "t.txt"}));
  EXPECT_NE(finished.output.find("drop by drop"), std::string::npos);
  EXPECT_EQ(content_of(home_.project() / "t.txt").find("text_delta"), std::string::npos);
}

// The model stands in the agent's file, not in the settings.
TEST_F(ProviderCli, a_session_goes_on_with_the_model_of_its_agent) {
  const auto folder = home_.path() / ".config/wright/agents";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "dripper.toml")
      << "instructions = 'Drip.'\nmodel = 'anthropic:claude-sonnet-4-5'\n";
  EXPECT_EQ(home_.wright({"run", "dripper", "trickle please"}).output, "drop by drop\n");
  const auto again = home_.wright({"chat", "--continue"}, "trickle again please\n");
  EXPECT_EQ(again.exit_code, 0) << again.error;
  EXPECT_EQ(again.output, "drop by drop\n") << again.error;
  EXPECT_NE(again.error.find("anthropic:claude-sonnet-4-5"), std::string::npos) << again.error;
}

TEST_F(ProviderCli, a_refused_key_fails_the_run_and_says_what_to_do) {
  const auto finished = home_.wright(run("refused please"));
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(finished.error.find("ANTHROPIC_API_KEY"), std::string::npos) << finished.error;
  const auto sessions = home_.wright({"sessions", "--json"}).json();
  EXPECT_EQ(sessions.as_array().at(0).at("status"), "failed");
  EXPECT_EQ(everything_kept().find(kKey), std::string::npos);
}

TEST_F(ProviderCli, a_missing_key_is_told_before_anything_is_sent) {
  home_.environment.erase("ANTHROPIC_API_KEY");
  const auto finished = home_.wright(run("hello"));
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(finished.error.find("Set the environment variable ANTHROPIC_API_KEY"),
            std::string::npos)
      << finished.error;
}

TEST_F(ProviderCli, a_dead_server_is_replaced_by_the_fallback) {
  home_.environment["OLLAMA_BASE_URL"] = "http://127.0.0.1:1";
  const auto finished = home_.wright({"run", "codebase-analysis", "trickle please", "--model",
                                      "ollama:qwen3", "--set", "http.retries=0", "--set",
                                      "agent.fallback=anthropic:claude-sonnet-4-5"});
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_EQ(finished.output, "drop by drop\n");
  EXPECT_NE(finished.error.find("asking anthropic:claude-sonnet-4-5"), std::string::npos)
      << finished.error;
}

TEST_F(ProviderCli, doctor_asks_providers_when_it_may) {
  const auto quiet = home_.wright({"doctor", "--json"});
  EXPECT_NE(quiet.output.find("Anthropic; `wright doctor --online` asks each"), std::string::npos)
      << quiet.output;
  const auto online = home_.wright({"doctor", "--online"});
  EXPECT_NE(online.output.find("answers within"), std::string::npos) << online.output;
}

TEST_F(ProviderCli, models_tells_which_have_a_key) {
  const auto models = home_.wright({"models", "--json"}).json();
  for (const Json& vendor : models.as_array()) {
    if (vendor.at("vendor") == "anthropic") {
      EXPECT_EQ(vendor.at("key"), "set");
    }
    if (vendor.at("vendor") == "openai") {
      EXPECT_EQ(vendor.at("key"), "missing");
    }
    if (vendor.at("vendor") == "ollama") {
      EXPECT_EQ(vendor.at("key"), "not needed");
    }
  }
  EXPECT_EQ(home_.wright({"models", "opnai"}).exit_code, 2);
}

TEST_F(ProviderCli, compares_the_catalogue_with_what_a_vendor_lists) {
  home_.environment["OPENAI_BASE_URL"] = vendors_->url() + "/v1";
  home_.environment["OPENAI_API_KEY"] = kKey;
  const auto compared = home_.wright({"models", "openai", "--compare", "--json"});
  EXPECT_EQ(compared.exit_code, 0) << compared.error;
  const auto json = parse_json(compared.output);
  ASSERT_TRUE(json) << compared.output;
  const Json& openai = json->as_array().at(0);
  EXPECT_EQ(openai.at("vendor"), Json("openai"));
  EXPECT_GT(openai.at("listed").to_number<int>(), 0) << compared.output;
  EXPECT_FALSE(openai.at("not_listed").as_array().empty()) << compared.output;
  const auto text = home_.wright({"models", "openai", "--compare"});
  EXPECT_NE(text.output.find("not listed there"), std::string::npos) << text.output;
  EXPECT_EQ((text.output + text.error).find(kKey), std::string::npos);
}

TEST_F(ProviderCli, a_vendor_that_does_not_answer_is_named_and_the_exit_code_says_so) {
  home_.environment["GROQ_BASE_URL"] = "http://127.0.0.1:1/v1";
  home_.environment["GROQ_API_KEY"] = kKey;
  const auto compared = home_.wright({"models", "groq", "--compare", "--json"});
  EXPECT_EQ(compared.exit_code, 1) << compared.output;
  EXPECT_NE(compared.output.find("\"error\""), std::string::npos) << compared.output;
}

}  // namespace
}  // namespace wright::http
