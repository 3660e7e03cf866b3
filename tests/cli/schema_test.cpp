// `wright run --schema`: answers that a program can read, from a model behind HTTP.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <atomic>
#include <fstream>
#include <iterator>
#include <mutex>

#include "net/canned_server_testing.h"
#include "process.h"

namespace wright::cli {
namespace {

using net::testing::CannedServer;
using net::testing::Connection;

constexpr const char* kSchema =
    R"({"type":"object","properties":{"lines":{"type":"integer"}},"required":["lines"]})";

// A model that says these answers, the last one again and again.
class SayingModel {
 public:
  explicit SayingModel(std::vector<std::string> answers)
      : answers_(std::move(answers)), server_([this](Connection& c) { serve(c); }) {}

  std::string config() const {
    return "[agent]\nmodel = \"local:any\"\n[vendors.local]\nneeds_key = false\nprotocol = "
           "\"openai-chat\"\nbase_url = \"" +
           server_.url("/v1") + "\"\n";
  }
  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve(Connection& connection) {
    for (std::string request; !(request = connection.read_request()).empty();) {
      std::size_t n = 0;
      {
        const std::lock_guard lock(mutex_);
        n = std::min(requests_.size(), answers_.size() - 1);
        requests_.push_back(std::move(request));
      }
      const Json message{{"role", "assistant"}, {"content", answers_[n]}};
      const Json body{
          {"choices",
           JsonArray{JsonObject{{"index", 0}, {"message", message}, {"finish_reason", "stop"}}}}};
      connection.answer(200, to_text(body), "Content-Type: application/json\r\n");
    }
  }

  const std::vector<std::string> answers_;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  CannedServer server_;
};

Arguments asking(const Arguments& more) {
  Arguments arguments{"run", "codebase-analysis", "How long is a.txt?"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(RunWithSchema, prints_the_json_alone_and_asks_again_for_what_does_not_fit) {
  SayingModel model({"Seven lines.", "```json\n{\"lines\": 7}\n```"});
  const Home home;
  home.write_config(model.config());
  home.write_file("answer.schema.json", kSchema);
  const Finished run = home.wright(asking({"--schema", "answer.schema.json", "--stream"}));
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_EQ(run.output, "{\"lines\":7}\n");
  const auto requests = model.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_NE(requests[0].find("json_schema"), std::string::npos) << requests[0];
  EXPECT_NE(requests[1].find("The answer is not JSON"), std::string::npos) << requests[1];
  // The session is checked in the same way when it is replayed.
  EXPECT_EQ(home.wright({"replay", "1"}).exit_code, 0);
}

TEST(RunWithSchema, takes_the_schema_itself_and_puts_the_value_into_the_record) {
  SayingModel model({R"({"lines": 7})"});
  const Home home;
  home.write_config(model.config());
  const Finished run = home.wright(asking({"--schema", kSchema, "--json"}));
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_EQ(run.json().at("value"), (Json{{"lines", 7}}));
}

TEST(RunWithSchema, sends_and_keeps_no_keys_in_it) {
  SayingModel model({R"({"lines": 7})"});
  Home home;
  home.environment["OPENAI_API_KEY"] = "correct-horse-battery";
  home.write_config(model.config());
  const std::string schema =
      R"({"type":"object","description":"Not correct-horse-battery","properties":{"lines":{"type":"integer"}}})";
  const Finished run = home.wright(asking({"--schema", schema}));
  EXPECT_EQ(run.exit_code, 0) << run.error;
  const auto requests = model.requests();
  ASSERT_FALSE(requests.empty());
  EXPECT_NE(requests[0].find("Not [REDACTED]"), std::string::npos) << requests[0];
  std::ifstream database(home.database(), std::ios::binary);
  const std::string kept{std::istreambuf_iterator<char>(database), {}};
  EXPECT_NE(kept.find("Not [REDACTED]"), std::string::npos);
  EXPECT_EQ(kept.find("correct-horse-battery"), std::string::npos);
}

TEST(RunWithSchema, fails_when_the_model_never_fits_and_shows_what_it_said) {
  SayingModel model({"I do not know."});
  const Home home;
  home.write_config(model.config());
  const Finished run = home.wright(asking({"--schema", kSchema}));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.error.find("refused 3 times"), std::string::npos) << run.error;
  EXPECT_NE(run.output.find("I do not know."), std::string::npos);
  EXPECT_EQ(model.requests().size(), 3U);
}

TEST(RunWithSchema, refuses_what_is_no_schema_before_anything_is_asked) {
  SayingModel model({"{}"});
  const Home home;
  home.write_config(model.config());
  home.write_file("broken.json", "{");
  for (const char* given : {"broken.json", "nowhere.json", R"({"type": "thing"})", "{", "",
                            R"({"type": "string", "pattern": "(?=a)b"})"}) {
    const Finished run = home.wright(asking({"--schema", given}));
    EXPECT_EQ(run.exit_code, 2) << given << run.error;
    EXPECT_NE(run.error.find("--schema"), std::string::npos) << run.error;
  }
  EXPECT_TRUE(model.requests().empty());
}

}  // namespace
}  // namespace wright::cli
