// Batches over real HTTP, with a server that answers as OpenAI and Anthropic document it.
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <mutex>
#include <string>
#include <vector>

#include "net/canned_server.h"
#include "wright/models.h"

namespace wright {
namespace {

// Answers by the first line of a request, and keeps all of them.
class BatchServer {
 public:
  struct Answer {
    std::string line;  // "POST /v1/files"
    std::string body;
    int status = 200;
  };
  using Answers = std::vector<Answer>;
  explicit BatchServer(Answers answers)
      : answers_(std::move(answers)),
        server_([this](net::testing::Connection& connection) { serve(connection); }) {}

  Models models() const {
    Catalogue catalogue = Catalogue::built_in();
    const std::string rows = "[vendors.openai]\nbase_url = \"" + server_.url("/v1") +
                             "\"\n[vendors.anthropic]\nbase_url = \"" + server_.url("/v1") + "\"\n";
    EXPECT_TRUE(catalogue.add(rows, "the test"));
    return Models({.catalogue = std::move(catalogue),
                   .find_key = [](const VendorInfo&) { return VendorSetting("sk-test"); }});
  }
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve(net::testing::Connection& connection) {
    while (true) {
      const std::string request = connection.read_request();
      if (request.empty()) return;
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      const Answer* found = nullptr;
      for (const Answer& each : answers_) {
        if (request.starts_with(each.line + " ")) found = &each;
      }
      if (found == nullptr) {
        connection.answer(404, R"({"error":{"message":"not here"}})");
      } else {
        connection.answer(found->status, found->body, "Content-Type: application/json\r\n");
      }
    }
  }

  mutable std::mutex mutex_;
  const std::vector<Answer> answers_;
  std::vector<std::string> requests_;
  net::testing::CannedServer server_;
};

std::vector<BatchRequest> two_requests() {
  return {{.id = "one", .messages = {Message::user("Who \"are\" you?")}, .system = "Be brief."},
          {.id = "two", .messages = {Message::user("Größe?")}}};
}

constexpr const char* kOpenAiDone =
    R"({"id":"batch_1","object":"batch","endpoint":"/v1/responses","status":"completed","input_file_id":"file-in","output_file_id":"file-out","error_file_id":"file-err","completion_window":"24h","created_at":1,"request_counts":{"total":2,"completed":1,"failed":1}})";

TEST(Batches, of_openai_are_a_file_a_batch_and_two_files_of_results) {
  const BatchServer server(
      {{"POST /v1/files", R"({"id":"file-in","object":"file","purpose":"batch"})"},
       {"POST /v1/batches",
        R"({"id":"batch_1","object":"batch","status":"validating","request_counts":{"total":0,"completed":0,"failed":0}})"},
       {"GET /v1/batches/batch_1", kOpenAiDone},
       {"GET /v1/files/file-out/content",
        "{\"id\":\"r1\",\"custom_id\":\"one\",\"response\":{\"status_code\":200,\"request_id\":"
        "\"q\","
        "\"body\":{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"completed\",\"model\":"
        "\"gpt-5-mini\",\"output\":[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{"
        "\"type\":\"output_text\",\"text\":\"A model.\"}]}],\"usage\":{\"input_tokens\":1000000,"
        "\"output_tokens\":0}}},\"error\":null}\n"},
       {"GET /v1/files/file-err/content",
        "{\"id\":\"r2\",\"custom_id\":\"two\",\"response\":{\"status_code\":429,\"body\":{"
        "\"error\":{"
        "\"message\":\"Too many\"}}},\"error\":null}\n"}});
  const Models models = server.models();
  const auto submitted = models.submit_batch("openai:gpt-5-mini", two_requests());
  ASSERT_TRUE(submitted) << submitted.error().message;
  EXPECT_EQ(submitted->id, "openai:batch_1");
  EXPECT_EQ(submitted->phase, BatchState::Phase::working);

  const auto sent = server.requests();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_NE(sent[0].find("multipart/form-data; boundary="), std::string::npos) << sent[0];
  EXPECT_EQ(sent[0].find("application/json\r\n"), std::string::npos) << "one content type";
  EXPECT_NE(sent[0].find("name=\"purpose\"\r\n\r\nbatch\r\n"), std::string::npos);
  const std::size_t begin = sent[0].find("{\"custom_id\"");
  ASSERT_NE(begin, std::string::npos) << sent[0];
  const auto first = parse_json(sent[0].substr(begin, sent[0].find('\n', begin) - begin));
  ASSERT_TRUE(first) << sent[0];
  EXPECT_EQ(first->at("url"), Json("/v1/responses"));
  EXPECT_EQ(first->at("body").at("instructions"), Json("Be brief."));
  EXPECT_NE(sent[1].find(R"("input_file_id":"file-in")"), std::string::npos) << sent[1];

  const auto state = models.batch(submitted->id);
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->phase, BatchState::Phase::ended);
  EXPECT_EQ(state->failed, 1);
  const auto results = models.batch_results(submitted->id);
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 2U);
  ASSERT_TRUE((*results)[0].response) << (*results)[0].response.error().message;
  EXPECT_EQ((*results)[0].response->text(), "A model.");
  const auto usual = models.endpoint("openai:gpt-5-mini")->model.price;
  ASSERT_TRUE(usual);
  EXPECT_DOUBLE_EQ((*results)[0].response->usage.cost_usd, usual->input / 2);
  ASSERT_FALSE((*results)[1].response);
  EXPECT_EQ((*results)[1].response.error().code, ErrorCode::rate_limited);
}

TEST(Batches, of_anthropic_are_one_request_and_one_stream_of_lines) {
  const BatchServer server(
      {{"POST /v1/messages/batches",
        R"({"id":"msgbatch_1","type":"message_batch","processing_status":"in_progress","request_counts":{"processing":2,"succeeded":0,"errored":0,"canceled":0,"expired":0},"results_url":null})"},
       {"GET /v1/messages/batches/msgbatch_1",
        R"({"id":"msgbatch_1","type":"message_batch","processing_status":"ended","request_counts":{"processing":0,"succeeded":1,"errored":1,"canceled":0,"expired":1},"results_url":"https://elsewhere.example/results"})"},
       {"GET /v1/messages/batches/msgbatch_1/results",
        "{\"custom_id\":\"one\",\"result\":{\"type\":\"succeeded\",\"message\":{\"id\":\"m\","
        "\"type\":"
        "\"message\",\"role\":\"assistant\",\"model\":\"claude-sonnet-4-5\",\"content\":[{\"type\":"
        "\"text\",\"text\":\"Claude.\"}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":"
        "5,"
        "\"output_tokens\":2}}}}\n"
        "{\"custom_id\":\"two\",\"result\":{\"type\":\"errored\",\"error\":{\"type\":\"error\","
        "\"error\":{\"type\":\"invalid_request_error\",\"message\":\"no\"}}}}\n"
        "\n{\"custom_id\":\"three\",\"result\":{\"type\":\"expired\"}}"},
       {"GET /v1/messages/batches?limit=100",
        R"({"data":[{"id":"msgbatch_1","processing_status":"ended","request_counts":{}}],"has_more":false})"},
       {"POST /v1/messages/batches/msgbatch_1/cancel",
        R"({"id":"msgbatch_1","processing_status":"canceling","request_counts":{"processing":2}})"}});
  const Models models = server.models();
  const auto submitted = models.submit_batch("anthropic:claude-sonnet-4-5", two_requests());
  ASSERT_TRUE(submitted) << submitted.error().message;
  EXPECT_EQ(submitted->id, "anthropic:msgbatch_1");
  EXPECT_EQ(submitted->total, 2);
  const auto sent = server.requests();
  ASSERT_EQ(sent.size(), 1U);
  const auto body = parse_json(sent[0].substr(sent[0].find("\r\n\r\n") + 4));
  ASSERT_TRUE(body) << sent[0];
  EXPECT_EQ(body->at("requests").at(1).at("custom_id"), Json("two"));
  EXPECT_EQ(body->at("requests").at(0).at("params").at("model"), Json("claude-sonnet-4-5"));

  const auto results = models.batch_results(submitted->id);
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 3U);
  EXPECT_EQ((*results)[0].response->text(), "Claude.");
  EXPECT_EQ((*results)[1].response.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ((*results)[2].id, "three");
  EXPECT_NE((*results)[2].response.error().message.find("expired"), std::string::npos);
  const auto listed = models.batches("anthropic");
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(listed->front().id, "anthropic:msgbatch_1");
  const auto cancelled = models.cancel_batch(submitted->id);
  ASSERT_TRUE(cancelled) << cancelled.error().message;
  EXPECT_EQ(cancelled->status, "canceling");
}

TEST(Batches, that_work_have_no_results_yet) {
  const BatchServer server(BatchServer::Answers{
      {"GET /v1/batches/batch_1",
       R"({"id":"batch_1","status":"in_progress","request_counts":{"total":2,"completed":1,"failed":0}})"}});
  const auto results = server.models().batch_results("openai:batch_1");
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ErrorCode::unavailable);
  EXPECT_NE(results.error().message.find("1 of 2"), std::string::npos) << results.error().message;
}

TEST(Batches, refuse_what_no_vendor_takes_before_anything_is_sent) {
  const BatchServer server(BatchServer::Answers{});
  const Models models = server.models();
  const auto refused = [&](std::vector<BatchRequest> requests, const char* model) {
    const auto submitted = models.submit_batch(model, requests);
    EXPECT_FALSE(submitted);
    return submitted ? std::string() : submitted.error().message;
  };
  EXPECT_NE(refused({}, "openai:gpt-5-mini").find("no requests"), std::string::npos);
  EXPECT_NE(refused({{.id = "a"}, {.id = "a"}}, "openai:gpt-5-mini").find("twice"),
            std::string::npos);
  EXPECT_NE(refused({{.id = "a/../b"}}, "openai:gpt-5-mini").find("letters"), std::string::npos);
  EXPECT_NE(refused({{.id = "\xff"}}, "openai:gpt-5-mini").find("letters"), std::string::npos);
  EXPECT_NE(refused(two_requests(), "gemini:gemini-2.5-flash").find("no batches"),
            std::string::npos);
  EXPECT_FALSE(models.batch("openai:../models"));
  EXPECT_FALSE(models.batch("batch_1"));
  EXPECT_TRUE(server.requests().empty());
}

TEST(Batches, take_no_garbage_for_an_answer) {
  for (const char* body : {"", "null", "[]", "{\"id\":5}", "{\"id\":\"a/b\"}", "\xff"}) {
    const BatchServer server(BatchServer::Answers{{"GET /v1/batches/batch_1", body}});
    EXPECT_FALSE(server.models().batch("openai:batch_1")) << body;
  }
  const BatchServer server({{"GET /v1/batches/batch_1", kOpenAiDone},
                            {"GET /v1/files/file-out/content", "not json\n"},
                            {"GET /v1/files/file-err/content", ""}});
  EXPECT_FALSE(server.models().batch_results("openai:batch_1"));
}

}  // namespace
}  // namespace wright
