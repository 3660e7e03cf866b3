// Credentials over real HTTP and with real commands: obtained once, kept, renewed, refused.
#include "models/credentials.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "models/credential_command.h"
#include "models/provider_model.h"
#include "net/canned_server_testing.h"
#include "net/event_loop.h"

namespace wright::models {
namespace {

using namespace std::chrono_literals;

Result<StepAnswer> answer_of(const std::vector<std::string>& words,
                             std::chrono::milliseconds longest = 20s) {
  net::EventLoop loop;
  std::promise<Result<StepAnswer>> promise;
  loop.post([&] {
    run_credential_command(loop, {words}, longest, [&](Result<StepAnswer> answer) {
      promise.set_value(std::move(answer));
    });
  });
  return promise.get_future().get();
}

TEST(CredentialCommand, gives_what_was_printed_and_how_it_ended) {
  const auto answer = answer_of({"sh", "-c", "echo token; echo noise >&2; exit 7"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "token\n");
  EXPECT_EQ(answer->status, 7);
}

TEST(CredentialCommand, has_no_input_and_the_usual_signals) {
  const auto answer = answer_of({"sh", "-c", "cat; kill -TERM $$; echo still here"});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().message.contains("signal 15")) << answer.error().message;
}

TEST(CredentialCommand, that_is_not_there_is_an_error) {
  const auto answer = answer_of({"/nonexistent/program"});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().message.contains("/nonexistent/program"));
  EXPECT_FALSE(answer_of({}));
}

TEST(CredentialCommand, is_bounded_in_time_and_output) {
  const auto slow = answer_of({"sh", "-c", "sleep 600 & wait"}, 50ms);
  ASSERT_FALSE(slow);
  EXPECT_TRUE(slow.error().message.contains("longer than")) << slow.error().message;
  const auto loud = answer_of({"sh", "-c", "yes"});
  ASSERT_FALSE(loud);
  EXPECT_TRUE(loud.error().message.contains("printed more than")) << loud.error().message;
}

TEST(CredentialCommand, does_not_wait_for_what_it_left_behind) {
  const auto answer = answer_of({"sh", "-c", "echo token; sleep 600 & exit 0"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "token\n");
}

TEST(CredentialCommand, ends_with_its_loop) {
  std::atomic<bool> is_called = false;
  {
    net::EventLoop loop;
    std::promise<void> started;
    loop.post([&] {
      run_credential_command(loop, {{"sleep", "600"}}, 20s,
                             [&](const Result<StepAnswer>&) { is_called = true; });
      started.set_value();
    });
    started.get_future().wait();
  }
  EXPECT_FALSE(is_called);
}

// A recipe that counts, and answers what it is told to.
struct RecipeScript {
  std::atomic<int> begun = 0;
  std::atomic<std::int64_t> now = 1'000'000;
  std::function<Result<CredentialStep>(int number, Moment now)> answer;
};

class ScriptedRecipe : public CredentialRecipe {
 public:
  explicit ScriptedRecipe(std::shared_ptr<RecipeScript> script) : script_(std::move(script)) {}
  Result<CredentialStep> begin(Moment now) override {
    return script_->answer(++script_->begun, now);
  }
  Result<CredentialStep> next_step(Result<StepAnswer> answer, Moment now) override {
    if (!answer) return std::unexpected(answer.error());
    return Credential{providers::Token{answer->body}, now + 100s};
  }

 private:
  std::shared_ptr<RecipeScript> script_;
};

std::shared_ptr<Credentials> scripted(const std::shared_ptr<RecipeScript>& script) {
  return std::make_shared<Credentials>(std::make_unique<ScriptedRecipe>(script), [script] {
    return Moment(std::chrono::seconds(script->now.load()));
  });
}

std::string token_of(const Result<Credential>& credential) {
  return credential ? std::get<providers::Token>(credential->proof).text
                    : "error: " + credential.error().message;
}

TEST(Credentials, are_kept_until_shortly_before_they_expire) {
  const auto script = std::make_shared<RecipeScript>();
  script->answer = [](int number, Moment now) {
    return Credential{providers::Token{std::to_string(number)}, now + 3'600s};
  };
  net::HttpClient client;
  const auto credentials = scripted(script);
  const auto get = [&] { return token_of(credentials->get_and_wait(client, {})); };
  EXPECT_EQ(get(), "1");
  script->now += 3'500;
  EXPECT_EQ(get(), "1");
  script->now += 60;
  EXPECT_EQ(get(), "2");
  EXPECT_EQ(get(), "2");
}

TEST(Credentials, are_obtained_once_for_all_who_wait) {
  net::testing::CannedServer server([](net::testing::Connection& connection) {
    while (!connection.read_request().empty()) connection.answer(200, "token");
  });
  const auto script = std::make_shared<RecipeScript>();
  script->answer = [&](int, Moment) {
    return HttpRequest{.url = server.url("/t"), .method = "GET"};
  };
  const auto credentials = scripted(script);
  net::HttpClient client;
  std::vector<std::future<std::string>> waiting;
  for (int i = 0; i < 8; ++i) {
    waiting.push_back(std::async(std::launch::async,
                                 [&] { return token_of(credentials->get_and_wait(client, {})); }));
  }
  for (auto& one : waiting) EXPECT_EQ(one.get(), "token");
  EXPECT_EQ(script->begun, 1);
}

TEST(Credentials, an_error_is_told_to_all_and_not_kept) {
  const auto script = std::make_shared<RecipeScript>();
  script->answer = [](int number, Moment) -> Result<CredentialStep> {
    if (number == 1) return fail(ErrorCode::authentication, "not yet");
    return Credential{providers::Token{"later"}, {}};
  };
  net::HttpClient client;
  const auto credentials = scripted(script);
  EXPECT_EQ(token_of(credentials->get_and_wait(client, {})), "error: not yet");
  EXPECT_EQ(token_of(credentials->get_and_wait(client, {})), "later");
}

TEST(Credentials, a_recipe_that_never_ends_is_ended) {
  class Endless : public CredentialRecipe {
   public:
    Result<CredentialStep> begin(Moment) override { return CommandLine{{"true"}}; }
    Result<CredentialStep> next_step(Result<StepAnswer>, Moment) override {
      return CommandLine{{"true"}};
    }
  };
  net::HttpClient client;
  const auto credentials = std::make_shared<Credentials>(std::make_unique<Endless>());
  const auto result = credentials->get_and_wait(client, {});
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().message.contains("too many steps"));
}

TEST(Credentials, who_waits_when_the_client_ends_is_told) {
  net::testing::CannedServer server(
      [](net::testing::Connection& connection) { connection.wait_for_close(); });
  const auto script = std::make_shared<RecipeScript>();
  script->answer = [&](int, Moment) {
    return HttpRequest{.url = server.url("/"), .method = "GET"};
  };
  const auto credentials = scripted(script);
  std::promise<Result<Credential>> promise;
  {
    net::HttpClient client;
    std::promise<void> asked;
    client.loop().post([&] {
      credentials->get(client, [&](Result<Credential> result) { promise.set_value(result); });
      asked.set_value();
    });
    asked.get_future().wait();
  }
  const auto result = promise.get_future().get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::cancelled);
}

TEST(Credentials, are_never_traced) {
  net::testing::CannedServer server([](net::testing::Connection& connection) {
    while (!connection.read_request().empty()) connection.answer(200, "ya29.secret");
  });
  const auto script = std::make_shared<RecipeScript>();
  script->answer = [&](int, Moment) {
    return HttpRequest{.url = server.url("/token"), .body = "assertion=secret"};
  };
  std::string traced;
  {
    net::HttpClient client(
        {.trace = [&](const net::HttpTraceEvent& event) { traced += event.text; }});
    EXPECT_EQ(token_of(scripted(script)->get_and_wait(client, {})), "ya29.secret");
  }
  EXPECT_TRUE(traced.contains("/token"));
  EXPECT_FALSE(traced.contains("=secret")) << traced;
  EXPECT_FALSE(traced.contains("ya29")) << traced;
}

// --- With a model -----------------------------------------------------------------------------

constexpr std::string_view kChatAnswer =
    R"({"choices":[{"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]})";

// Accepts one token only, and says so with what it was given.
class Gate {
 public:
  Gate()
      : server_([this](net::testing::Connection& connection) {
          for (std::string request = connection.read_request(); !request.empty();
               request = connection.read_request()) {
            ++asked_;
            const bool is_right = request.contains("Bearer " + wanted_ + "\r\n");
            if (is_right) {
              connection.answer(200, kChatAnswer, "Content-Type: application/json\r\n");
            } else {
              connection.answer(401,
                                fmt::format(R"({{"error":{{"message":"no: {}"}}}})", "stale-1"));
            }
          }
        }) {}

  Result<Response> ask(const std::shared_ptr<Credentials>& credentials) {
    Endpoint endpoint;
    endpoint.vendor.name = "gate";
    endpoint.vendor.title = "Gate";
    endpoint.vendor.base_url = server_.url("/v1");
    endpoint.model.name = "m";
    const auto client = std::make_shared<net::HttpClient>();
    const auto model =
        provider_model({{endpoint, std::make_shared<Pacer>(Pace{}), credentials}}, {}, client);
    const std::vector<Message> messages{Message::user("Hi")};
    const Sampling sampling;
    return model->complete({.messages = messages, .sampling = &sampling}, {});
  }

  int asked() const { return asked_; }
  void want(std::string token) { wanted_ = std::move(token); }

 private:
  std::string wanted_ = "stale-1";
  std::atomic<int> asked_ = 0;
  net::testing::CannedServer server_;
};

std::shared_ptr<RecipeScript> numbered_tokens() {
  const auto script = std::make_shared<RecipeScript>();
  script->answer = [](int number, Moment now) {
    return Credential{providers::Token{"stale-" + std::to_string(number)}, now + 3'600s};
  };
  return script;
}

TEST(ModelWithCredentials, sends_the_token) {
  Gate gate;
  const auto credentials = scripted(numbered_tokens());
  const auto answer = gate.ask(credentials);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text(), "Hi");
  EXPECT_EQ(gate.asked(), 1);
}

TEST(ModelWithCredentials, renews_a_refused_token_once) {
  Gate gate;
  gate.want("stale-2");
  const auto script = numbered_tokens();
  const auto answer = gate.ask(scripted(script));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(gate.asked(), 2);
  EXPECT_EQ(script->begun, 2);
}

TEST(ModelWithCredentials, gives_up_after_that_and_never_shows_the_token) {
  Gate gate;
  gate.want("something else");
  const auto script = numbered_tokens();
  script->answer = [](int, Moment now) {
    return Credential{providers::Token{"stale-1"}, now + 3'600s};
  };
  const auto answer = gate.ask(scripted(script));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::authentication);
  EXPECT_EQ(gate.asked(), 2);
  EXPECT_FALSE(answer.error().message.contains("stale-1")) << answer.error().message;
}

TEST(ModelWithCredentials, a_command_that_fails_is_the_answer) {
  Gate gate;
  VendorInfo vendor{.title = "Gate", .key_command = {"sh", "-c", "exit 4"}};
  const auto answer = gate.ask(std::make_shared<Credentials>(command_recipe(vendor)));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::authentication);
  EXPECT_TRUE(answer.error().message.contains("exit code 4")) << answer.error().message;
  EXPECT_EQ(gate.asked(), 0);
}

}  // namespace
}  // namespace wright::models
