// Conversations over real HTTP, in every protocol, whole and streamed, with a server nobody here
// wrote. That server does not check what it is sent, so the tests look at that as well.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <mutex>

#include "vendors.h"
#include "wright/wright.h"

namespace wright::http {
namespace {

using namespace std::chrono_literals;

struct Place {
  std::string city;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(city, "Name of the city"))

struct Way {
  std::string_view name;  // of the vendor in the catalogue below
  Delivery delivery;
};

constexpr std::string_view kTestKey = "test-key-0123456789";

class Provider : public ::testing::TestWithParam<Way> {
 protected:
  static void SetUpTestSuite() { vendors_ = std::make_unique<Vendors>(); }
  static void TearDownTestSuite() { vendors_.reset(); }

  static Models models(RetryOptions retry = {.first_wait = 1ms}) {
    Catalogue catalogue = Catalogue::built_in();
    const std::string url = vendors_->url();
    const auto added = catalogue.add(fmt::format(R"(
[vendors.chat]
protocol = "openai-chat"
base_url = "{0}/v1"
needs_key = true
[vendors.responses]
protocol = "openai-responses"
base_url = "{0}/v1"
needs_key = true
[vendors.anthropic]
base_url = "{0}"
[vendors.gemini]
base_url = "{0}"
[vendors.ollama]
base_url = "{0}"
[vendors.azure]
base_url = "{0}"
api_version = "2024-10-21"
[vendors.bedrock]
base_url = "{0}"
[vendors.vertex]
base_url = "{0}/v1/projects/p/locations/l/publishers/google"
)",
                                                 url),
                                     "test");
    EXPECT_TRUE(added) << added.error().message;
    return Models({.catalogue = std::move(catalogue),
                   .find_key = [](const VendorInfo&) { return std::string(kTestKey); },
                   .retry = retry});
  }

  std::string prompt(std::string_view text) const {
    return fmt::format("{} {} #{}", text, GetParam().name, ++number_);
  }

  Agent agent(const Models& models) {
    return Agent{.name = "tester",
                 .instructions = "Be brief.",
                 .model = models.get(fmt::format("{}:some-model", GetParam().name)),
                 .tools = {tool("weather", "Weather in a city",
                                [this](const Place& place) {
                                  const std::lock_guard lock(asked_mutex_);
                                  asked_.push_back(place.city);
                                  return "sunny in " + place.city;
                                },
                                {.effect = Effect::read})}};
  }

  Result<RunResult> ask(const Agent& agent, const std::string& prompt) {
    streamed_.clear();
    retries_.clear();
    return run(agent, prompt,
               {.observer =
                    [this](const Event& event) {
                      if (const auto* delta = std::get_if<TextDelta>(&event)) {
                        streamed_ += delta->text;
                      } else if (const auto* retried = std::get_if<ModelRetried>(&event)) {
                        retries_.push_back(*&retried->retry.error);
                        waits_.push_back(retried->retry.wait);
                        streamed_.clear();
                      }
                    },
                .delivery = GetParam().delivery});
  }

  bool is(std::string_view name) const { return GetParam().name == name; }
  bool has_arguments_as_objects() const {
    return is("gemini") || is("ollama") || is("bedrock") || is("vertex");
  }
  bool is_streamed() const { return GetParam().delivery == Delivery::streamed; }

  static std::unique_ptr<Vendors> vendors_;
  static int number_;
  std::mutex asked_mutex_;  // calls of one turn run at once
  std::vector<std::string> asked_;
  std::string streamed_;
  std::vector<Error> retries_;
  std::vector<std::chrono::milliseconds> waits_;
};

std::unique_ptr<Vendors> Provider::vendors_;
int Provider::number_ = 0;

TEST_P(Provider, calls_a_tool_and_answers) {
  const auto asked = ask(agent(models()), prompt("one city"));
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asked->text, "It is sunny in Oslo, and 20° warm. ☀");
  EXPECT_EQ(asked_, std::vector<std::string>{"Oslo"});
  EXPECT_EQ(asked->iterations, 2);
  if (is_streamed()) {
    EXPECT_EQ(streamed_, "Let me look.It is sunny in Oslo, and 20° warm. ☀");
  }
  EXPECT_TRUE(retries_.empty());
}

TEST_P(Provider, calls_tools_in_parallel) {
  const auto asked = ask(agent(models()), prompt("two cities"));
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asked->text, "Sunny in both.");
  std::ranges::sort(asked_);  // either may begin first
  EXPECT_EQ(asked_, (std::vector<std::string>{"Oslo", "Rome"}));
}

const Json* at(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* found = &json;
  for (const std::string_view key : path) {
    if (found == nullptr) return nullptr;
    if (const JsonArray* array = found->if_array()) {
      const auto index = static_cast<std::size_t>(std::stoul(std::string(key)));
      found = index < array->size() ? &(*array)[index] : nullptr;
    } else {
      found = found->is_object() ? found->get_object().if_contains(key) : nullptr;
    }
  }
  return found;
}

std::string text_at(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* found = at(json, path);
  if (found == nullptr) return "(absent)";
  return found->is_string() ? std::string(found->get_string()) : to_text(*found);
}

// The objects in `array` whose `key` is `value`.
std::vector<Json> with(const Json* array, std::string_view key, std::string_view value) {
  std::vector<Json> found;
  if (array == nullptr || !array->is_array()) return found;
  for (const Json& item : array->get_array()) {
    if (text_at(item, {key}) == value) found.push_back(item);
  }
  return found;
}

TEST_P(Provider, sends_what_its_protocol_demands) {
  const std::string said = prompt("two cities");
  ASSERT_TRUE(ask(agent(models()), said));
  const JsonArray sent = vendors_->requests_with(said);
  ASSERT_EQ(sent.size(), 2U);
  for (const Json& request : sent) {
    const Json& headers = *at(request, {"headers"});
    EXPECT_EQ(text_at(headers, {"content-type"}), "application/json");
    EXPECT_TRUE(text_at(headers, {"user-agent"}).starts_with("wright/"));
    if (is("anthropic")) {
      EXPECT_EQ(text_at(headers, {"anthropic-version"}), "2023-06-01");
      EXPECT_NE(text_at(headers, {"x-api-key"}), "(absent)");
    } else if (is("azure")) {
      EXPECT_NE(text_at(headers, {"api-key"}), "(absent)");
      EXPECT_EQ(text_at(headers, {"authorization"}), "(absent)");
    } else if (is("gemini")) {
      EXPECT_NE(text_at(headers, {"x-goog-api-key"}), "(absent)");
      EXPECT_EQ(text_at(request, {"path"}).find("key="), std::string::npos);
    } else {
      EXPECT_NE(text_at(headers, {"authorization"}), "(absent)");
    }
  }
}

// aimock keeps bodies as it understood them, in one form for all protocols: every call of the first
// answer must come back with a result of the same id, after it, in order.
TEST_P(Provider, sends_results_back_with_the_ids_of_their_calls) {
  const std::string said = prompt("two cities");
  ASSERT_TRUE(ask(agent(models()), said));
  const JsonArray sent = vendors_->requests_with(said);
  ASSERT_EQ(sent.size(), 2U);
  const Json* messages = at(sent[1], {"body", "messages"});
  ASSERT_NE(messages, nullptr) << to_text(sent[1]);
  std::vector<Json> calls;
  for (const Json& assistant : with(messages, "role", "assistant")) {
    const Json* own = at(assistant, {"tool_calls"});
    ASSERT_NE(own, nullptr) << to_text(*messages);
    for (const Json& call : own->get_array()) calls.push_back(call);
  }
  ASSERT_EQ(calls.size(), 2U) << to_text(*messages);
  const auto results = with(messages, "role", "tool");
  ASSERT_EQ(results.size(), 2U) << to_text(*messages);
  const char* const cities[] = {"Oslo", "Rome"};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NE(text_at(results[i], {"content"}).find(cities[i]), std::string::npos);
    if (is("ollama")) continue;  // a protocol without ids: the order tells
    EXPECT_EQ(text_at(results[i], {"tool_call_id"}), text_at(calls[i], {"id"}));
  }
  EXPECT_NE(to_text(*messages).find("Be brief."), std::string::npos);
}

TEST_P(Provider, waits_as_long_as_it_is_told_when_it_asked_too_often) {
  const auto asked = ask(agent(models()), prompt(fmt::format("limited {}", GetParam().name)));
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asked->text, "Here I am.");
  // Whole and streamed share the server's count: only the first of them meets the failure.
  if (retries_.empty()) return;
  EXPECT_EQ(retries_[0].code, ErrorCode::rate_limited);
  EXPECT_NE(retries_[0].message.find("You ask too often"), std::string::npos);
  EXPECT_GE(waits_[0], 1s);
}

TEST_P(Provider, gets_over_passing_failures) {
  for (const char* failure : {"overloaded", "unwell", "cut"}) {
    const auto asked = ask(agent(models()), prompt(fmt::format("{} {}", failure, GetParam().name)));
    ASSERT_TRUE(asked) << failure << ": " << asked.error().message;
    // A cut is met by streams only; where it was met, the first text is void.
    if (std::string_view(failure) != "cut" || !retries_.empty()) {
      EXPECT_EQ(asked->text, "Here I am.") << failure;
    }
    if (is_streamed()) {
      EXPECT_EQ(streamed_, asked->text);
    }
  }
}

TEST_P(Provider, does_not_repeat_a_refused_key_and_never_shows_it) {
  const std::string said = prompt("refused");
  const auto asked = ask(agent(models()), said);
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().code, ErrorCode::authentication);
  EXPECT_EQ(vendors_->requests_with(said).size(), 1U);
  EXPECT_EQ((asked.error().message + to_text(asked.error().detail)).find(kTestKey),
            std::string::npos);
}

TEST_P(Provider, tells_the_model_about_broken_arguments) {
  if (has_arguments_as_objects()) GTEST_SKIP() << "arguments are objects in this protocol";
  const auto asked = ask(agent(models()), prompt("broken arguments"));
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asked->text, "Sorry about that.");
  EXPECT_TRUE(asked_.empty());
}

TEST_P(Provider, never_runs_half_a_call) {
  if (has_arguments_as_objects()) GTEST_SKIP() << "arguments are objects in this protocol";
  const auto asked = ask(agent(models()), prompt("half a call"));
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asked->text, "A short answer.");
  EXPECT_TRUE(asked_.empty());
}

TEST_P(Provider, takes_text_drop_by_drop) {
  const auto asked = ask(agent(models()), prompt("trickle"));
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asked->text, "drop by drop");
}

TEST_P(Provider, comes_through_chaos) {
  const Models shared = models({.retries = 20, .first_wait = 1ms, .longest_wait = 5ms});
  for (int i = 0; i < 10; ++i) {
    asked_.clear();
    const auto asked = ask(agent(shared), prompt("chaos"));
    ASSERT_TRUE(asked) << asked.error().message;
    EXPECT_EQ(asked->text, "Through it all.");
    EXPECT_EQ(asked_, std::vector<std::string>{"Oslo"}) << "a call was lost or done twice";
  }
}

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const std::string_view name :
       {"chat", "responses", "anthropic", "gemini", "ollama", "azure", "bedrock", "vertex"}) {
    ways.push_back({name, Delivery::whole});
    ways.push_back({name, Delivery::streamed});
  }
  return ways;
}

INSTANTIATE_TEST_SUITE_P(OverHttp, Provider, ::testing::ValuesIn(all_ways()), [](const auto& info) {
  return fmt::format("{}_{}", info.param.name,
                     info.param.delivery == Delivery::whole ? "whole" : "streamed");
});

}  // namespace
}  // namespace wright::http
