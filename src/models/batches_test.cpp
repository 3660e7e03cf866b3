// Batches over real HTTP, with a server that answers as the vendors document it.
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <mutex>
#include <string>
#include <vector>

#include "net/canned_server_testing.h"
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

  Models models(const std::string& more_rows = {}) const {
    Catalogue catalogue = Catalogue::built_in();
    const std::string rows = "[vendors.openai]\nbase_url = \"" + server_.url("/v1") +
                             "\"\n[vendors.anthropic]\nbase_url = \"" + server_.url("/v1") +
                             "\"\n[vendors.mistral]\nbase_url = \"" + server_.url("/v1") +
                             "\"\n[vendors.gemini]\nbase_url = \"" + server_.url("/v1beta") +
                             "\"\n[vendors.azure]\nbase_url = \"" + server_.url("/openai/v1") +
                             "\"\n" + more_rows;
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

TEST(Batches, ask_for_the_files_that_the_vendor_names_or_say_why_not) {
  const auto results_with = [](const std::string& file) {
    const BatchServer server(
        {{"GET /v1/batches/batch_1",
          R"({"id":"batch_1","status":"completed","request_counts":{"total":1,"completed":0,"failed":1},"output_file_id":")" +
              file + R"("})"},
         {"GET /v1/files/file.1%3Aa/content", R"({"custom_id":"one","error":{"message":"no"}})"}});
    return server.models().batch_results("openai:batch_1");
  };
  const auto found = results_with("file.1:a");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->size(), 1U);
  for (const char* file : {"..", "a/b", "a\\u0000b", "a\\\\b", "a b"}) {
    const auto refused = results_with(file);
    ASSERT_FALSE(refused) << file;
    EXPECT_NE(refused.error().message.find("with an id that cannot be asked for: '"),
              std::string::npos)
        << refused.error().message;
  }
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

// The file in an upload, line by line.
std::vector<Json> uploaded_lines(const std::string& request) {
  std::vector<Json> lines;
  for (std::size_t at = 0; (at = request.find("{\"custom_id\"", at)) != std::string::npos;) {
    const std::size_t end = request.find('\n', at);
    const auto line = parse_json(request.substr(at, end - at));
    EXPECT_TRUE(line) << request;
    if (line) lines.push_back(*line);
    at = end;
  }
  return lines;
}

TEST(Batches, of_mistral_are_jobs) {
  const BatchServer server(
      {{"POST /v1/files", R"({"id":"3b6d45eb-e30b-416f-8019-f47e2e93d930","object":"file"})"},
       {"POST /v1/batch/jobs",
        R"({"id":"job-1","object":"batch","input_files":["3b6d45eb-e30b-416f-8019-f47e2e93d930"],"endpoint":"/v1/chat/completions","errors":[],"status":"QUEUED","created_at":1,"total_requests":0,"completed_requests":0,"succeeded_requests":0,"failed_requests":0})"},
       {"GET /v1/batch/jobs/job-1",
        R"({"id":"job-1","status":"SUCCESS","total_requests":2,"completed_requests":2,"succeeded_requests":1,"failed_requests":1,"output_file":"file-o","error_file":"file-e"})"},
       {"GET /v1/files/file-o/content",
        R"({"id":"x","custom_id":"one","response":{"status_code":200,"body":{"id":"c","object":"chat.completion","model":"mistral-small-latest","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Le modèle."}}],"usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8}}},"error":null})"},
       {"GET /v1/files/file-e/content",
        R"({"id":"y","custom_id":"two","response":{"status_code":422,"body":{"detail":[{"msg":"no"}]}},"error":null})"},
       {"GET /v1/batch/jobs?page_size=100", R"({"object":"list","total":0})"},
       {"POST /v1/batch/jobs/job-1/cancel",
        R"({"id":"job-1","status":"CANCELLATION_REQUESTED","total_requests":2})"}});
  const Models models = server.models();
  const auto submitted = models.submit_batch("mistral:mistral-small-latest", two_requests());
  ASSERT_TRUE(submitted) << submitted.error().message;
  EXPECT_EQ(submitted->id, "mistral:job-1");
  EXPECT_EQ(submitted->phase, BatchState::Phase::working);
  const auto sent = server.requests();
  ASSERT_EQ(sent.size(), 2U);
  const auto lines = uploaded_lines(sent[0]);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_FALSE(lines[0].as_object().contains("url"));
  EXPECT_EQ(lines[1].at("custom_id"), Json("two"));
  const auto job = parse_json(sent[1].substr(sent[1].find("\r\n\r\n") + 4));
  ASSERT_TRUE(job) << sent[1];
  EXPECT_EQ(job->at("input_files").at(0), Json("3b6d45eb-e30b-416f-8019-f47e2e93d930"));
  EXPECT_EQ(job->at("model"), Json("mistral-small-latest"));
  EXPECT_EQ(job->at("endpoint"), Json("/v1/chat/completions"));

  const auto results = models.batch_results(submitted->id);
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 2U);
  ASSERT_TRUE((*results)[0].response) << (*results)[0].response.error().message;
  EXPECT_EQ((*results)[0].response->text(), "Le modèle.");
  EXPECT_FALSE((*results)[1].response);
  const auto listed = models.batches("mistral");
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_TRUE(listed->empty());
  const auto cancelled = models.cancel_batch(submitted->id);
  ASSERT_TRUE(cancelled) << cancelled.error().message;
  EXPECT_EQ(cancelled->status, "CANCELLATION_REQUESTED");
}

TEST(Batches, of_gemini_are_operations_with_their_results_in_them) {
  constexpr const char* kDone =
      R"({"name":"batches/b1","metadata":{"model":"models/gemini-2.5-flash","state":"BATCH_STATE_SUCCEEDED","batchStats":{"requestCount":"2","successfulRequestCount":"1","failedRequestCount":"1"}},"done":true,"response":{"inlinedResponses":{"inlinedResponses":[{"response":{"candidates":[{"content":{"role":"model","parts":[{"text":"A model."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":3},"modelVersion":"gemini-2.5-flash"},"metadata":{"key":"one"}},{"error":{"code":3,"message":"Odd argument","status":"INVALID_ARGUMENT"},"metadata":{"key":"two"}}]}}})";
  const BatchServer server(
      {{"POST /v1beta/models/gemini-2.5-flash:batchGenerateContent",
        R"({"name":"batches/b1","metadata":{"state":"BATCH_STATE_PENDING","batchStats":{"requestCount":"2","pendingRequestCount":"2"}}})"},
       {"GET /v1beta/batches/b1", kDone},
       {"GET /v1beta/batches?pageSize=100", std::string(R"({"operations":[)") + kDone + "]}"},
       {"POST /v1beta/batches/b1:cancel", "{}"}});
  const Models models = server.models();
  const auto submitted = models.submit_batch("gemini:gemini-2.5-flash", two_requests());
  ASSERT_TRUE(submitted) << submitted.error().message;
  EXPECT_EQ(submitted->id, "gemini:b1");
  EXPECT_EQ(submitted->total, 2);
  const auto sent = server.requests();
  ASSERT_EQ(sent.size(), 1U);
  const auto body = parse_json(sent[0].substr(sent[0].find("\r\n\r\n") + 4));
  ASSERT_TRUE(body) << sent[0];
  const Json& asked = body->at("batch").at("inputConfig").at("requests").at("requests");
  EXPECT_EQ(asked.at(1).at("metadata").at("key"), Json("two"));
  EXPECT_TRUE(asked.at(0).at("request").as_object().contains("contents"));

  const auto results = models.batch_results(submitted->id);
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 2U);
  EXPECT_EQ((*results)[0].id, "one");
  ASSERT_TRUE((*results)[0].response) << (*results)[0].response.error().message;
  EXPECT_EQ((*results)[0].response->text(), "A model.");
  EXPECT_EQ((*results)[1].response.error().code, ErrorCode::invalid_argument);
  EXPECT_NE((*results)[1].response.error().message.find("Odd argument"), std::string::npos);
  EXPECT_EQ(models.batches("gemini")->front().answered, 1);
  EXPECT_EQ(models.cancel_batch(submitted->id)->status, "BATCH_STATE_SUCCEEDED");
}

TEST(Batches, of_gemini_may_have_their_results_in_a_file) {
  const BatchServer server(
      {{"GET /v1beta/batches/b1",
        R"({"name":"batches/b1","metadata":{"state":"BATCH_STATE_SUCCEEDED"},"response":{"responsesFile":"files/batch-b1"}})"},
       {"GET /download/v1beta/files/batch-b1:download?alt=media",
        R"({"key":"one","response":{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}]}})"
        "\n"},
       {"GET /v1beta/batches/b2",
        R"({"name":"batches/b2","metadata":{"state":"BATCH_STATE_FAILED"},"error":{"code":8,"message":"Too much"}})"}});
  const auto results = server.models().batch_results("gemini:b1");
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 1U);
  EXPECT_EQ((*results)[0].response->text(), "Hi");
  EXPECT_EQ(server.models().batch("gemini:b2")->status, "BATCH_STATE_FAILED (Too much)");
}

TEST(Batches, of_azure_wait_until_their_file_is_read) {
  for (const bool is_dated : {false, true}) {
    const std::string base = is_dated ? "/openai" : "/openai/v1";
    const std::string version = is_dated ? "?api-version=2024-10-21" : "";
    const BatchServer server(
        {{"POST " + base + "/files" + version,
          R"({"id":"file-1","status":"pending","purpose":"batch"})"},
         {"GET " + base + "/files/file-1" + version, R"({"id":"file-1","status":"processed"})"},
         {"POST " + base + "/batches" + version,
          R"({"id":"batch_1","status":"Validating","request_counts":{"total":null,"completed":null,"failed":null}})"},
         {"GET " + base + "/batches/batch_1" + version,
          R"({"id":"batch_1","status":"completed","request_counts":{"total":2,"completed":2,"failed":0},"output_file_id":"file-o","error_file_id":""})"},
         {"GET " + base + "/files/file-o/content" + version,
          R"({"custom_id":"one","response":{"status_code":200,"body":{"object":"chat.completion","model":"gpt-4o-mini","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Hi"}}]}},"error":null})"}});
    // The rows of the server end with those of Azure.
    const Models models =
        server.models(std::string(is_dated ? "api_version = \"2024-10-21\"\n" : "") +
                      "[models.\"azure:mine\"]\nprotocol = \"openai-chat\"\n");
    const auto submitted = models.submit_batch("azure:mine", two_requests());
    ASSERT_TRUE(submitted) << submitted.error().message;
    EXPECT_EQ(submitted->id, "azure:batch_1");
    EXPECT_EQ(submitted->status, "validating");
    const auto sent = server.requests();
    ASSERT_EQ(sent.size(), 3U);
    const auto lines = uploaded_lines(sent[0]);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].at("url"), Json("/chat/completions"));
    EXPECT_EQ(lines[0].at("body").at("model"), Json("mine"));
    EXPECT_NE(sent[2].find("api-key: sk-test"), std::string::npos) << sent[2];
    EXPECT_NE(sent[2].find(R"("endpoint":"/chat/completions")"), std::string::npos) << sent[2];
    const auto results = models.batch_results(submitted->id);
    ASSERT_TRUE(results) << results.error().message;
    EXPECT_EQ(results->front().response->text(), "Hi");
  }
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
  EXPECT_NE(refused(two_requests(), "ollama:llama3.2").find("no batches"), std::string::npos);
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
  const auto results = server.models().batch_results("openai:batch_1");
  ASSERT_TRUE(results);
  ASSERT_EQ(results->size(), 1U);
  ASSERT_FALSE(results->front().response);
  EXPECT_EQ(results->front().response.error().code, ErrorCode::protocol);
  EXPECT_TRUE(results->front().response.error().message.contains("Line 1 of the results"));
}

}  // namespace
}  // namespace wright
