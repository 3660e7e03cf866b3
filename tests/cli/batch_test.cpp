// Batches from the command line, against a server that answers as Anthropic documents it.
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "net/canned_server_testing.h"
#include "process.h"

namespace wright::cli {
namespace {

class BatchCommands : public ::testing::Test {
 protected:
  BatchCommands() : server_([this](net::testing::Connection& connection) { serve(connection); }) {
    home_.environment["ANTHROPIC_API_KEY"] = "sk-ant-0123456789";
    home_.environment["ANTHROPIC_BASE_URL"] = server_.url("/v1");
  }

  void serve(net::testing::Connection& connection) {
    constexpr const char* kState =
        R"({"id":"msgbatch_1","processing_status":"ended","request_counts":{"processing":0,"succeeded":1,"errored":1,"canceled":0,"expired":0}})";
    constexpr const char* kAnswer =
        R"({"custom_id":"a","result":{"type":"succeeded","message":{"type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"Paris\u001b[31m"}],"stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":2}}}})";
    while (true) {
      const std::string request = connection.read_request();
      if (request.empty()) return;
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      if (request.starts_with("GET /v1/messages/batches/msgbatch_1/results ")) {
        connection.answer(
            200,
            std::string(kAnswer) +
                "\n"
                R"({"custom_id":"2","result":{"type":"errored","error":{"type":"error","error":{"type":"invalid_request_error","message":"too odd"}}}})");
      } else if (request.starts_with("GET /v1/messages/batches/msgbatch_short/results ")) {
        connection.answer(200, kAnswer);
      } else if (request.starts_with("GET /v1/messages/batches/msgbatch_short ")) {
        connection.answer(
            200,
            R"({"id":"msgbatch_short","processing_status":"ended","request_counts":{"succeeded":3}})");
      } else if (request.starts_with("GET /v1/messages/batches/msgbatch_odd/results ")) {
        connection.answer(200, odd_lines());
      } else if (request.starts_with("GET /v1/messages/batches/msgbatch_odd ")) {
        connection.answer(
            200,
            R"({"id":"msgbatch_odd","processing_status":"ended","request_counts":{"succeeded":2}})");
      } else if (request.starts_with("GET /v1/messages/batches/msgbatch_gone")) {
        connection.answer(
            404,
            R"({"type":"error","error":{"type":"not_found_error","message":"No such batch"}})");
      } else if (request.starts_with("GET /v1/messages/batches?")) {
        connection.answer(200, std::string(R"({"data":[)") + kState + "]}");
      } else {
        connection.answer(200, kState, "Content-Type: application/json\r\n");
      }
    }
  }

  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  static std::string result_of(const std::string& id, const std::string& text) {
    return R"({"custom_id":")" + id +
           R"(","result":{"type":"succeeded","message":{"type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":")" +
           text +
           R"("}],"stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":2}}}})" + "\n";
  }
  Finished odd_results(std::string lines) {
    {
      const std::lock_guard lock(mutex_);
      odd_lines_ = std::move(lines);
    }
    return home_.wright({"batch", "results", "anthropic:msgbatch_odd"});
  }

  std::string odd_lines() const {
    const std::lock_guard lock(mutex_);
    return odd_lines_;
  }

  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::string odd_lines_;
  net::testing::CannedServer server_;
  Home home_;
};

TEST_F(BatchCommands, submit_show_and_fetch_a_batch) {
  home_.write_file(
      "prompts.jsonl",
      "{\"id\": \"a\", \"prompt\": \"The capital of France?\", \"system\": \"One word.\"}\n"
      "\nWhat is odd about sk-ant-0123456789?\n");
  const Finished sent = home_.wright(
      {"batch", "submit", "prompts.jsonl", "--model", "anthropic:claude-sonnet-4-5", "--json"});
  ASSERT_EQ(sent.exit_code, 0) << sent.error;
  EXPECT_EQ(sent.json().at("id"), Json("anthropic:msgbatch_1"));
  ASSERT_EQ(requests().size(), 1U);
  EXPECT_TRUE(has(requests()[0], R"("custom_id":"a")")) << requests()[0];
  EXPECT_TRUE(has(requests()[0], R"("custom_id":"3")")) << "by its line: " << requests()[0];
  EXPECT_TRUE(has(requests()[0], "One word."));
  EXPECT_TRUE(has(requests()[0], "odd about [REDACTED]?")) << requests()[0];

  const Finished shown = home_.wright({"batch", "show", "anthropic:msgbatch_1"});
  EXPECT_EQ(shown.output, "anthropic:msgbatch_1  ended  1 of 2 answered, 1 failed\n");
  EXPECT_EQ(home_.wright({"batch"}).output, shown.output);
  EXPECT_EQ(home_.wright({"batch", "cancel", "anthropic:msgbatch_1"}).exit_code, 0);

  const Finished results = home_.wright({"batch", "results", "anthropic:msgbatch_1"});
  EXPECT_EQ(results.exit_code, 1) << "one of them failed";
  EXPECT_TRUE(has(results.output, R"("answer":"Paris)")) << results.output;
  EXPECT_TRUE(has(results.output, "too odd")) << results.output;
  EXPECT_FALSE(has(results.output, "\x1b")) << "no model controls a terminal";
  EXPECT_TRUE(has(results.error, "1 of 2 requests failed")) << results.error;
}

TEST_F(BatchCommands, say_that_fewer_results_came_than_the_vendor_counts) {
  const Finished results = home_.wright({"batch", "results", "anthropic:msgbatch_short"});
  EXPECT_EQ(results.exit_code, 1);
  EXPECT_TRUE(has(results.output, R"("answer":"Paris)")) << results.output;
  EXPECT_TRUE(has(results.error,
                  "1 of 3 results came: the vendor counts 3 requests as answered and 0 as failed"))
      << results.error;
}

TEST_F(BatchCommands, hide_a_key_that_the_vendor_repeats) {
  const Finished results = odd_results(
      result_of("1", "Your key is sk-ant-0123456789.") +
      R"({"custom_id":"2","result":{"type":"errored","error":{"type":"error","error":{"type":"x","message":"bad key sk-ant-0123456789"}}}})"
      "\n"
      R"({"custom_id":"3","result":{"type":"expired sk-ant-0123456789"}})");
  EXPECT_TRUE(has(results.output, "Your key is [REDACTED].")) << results.output;
  EXPECT_TRUE(has(results.output, "bad key [")) << results.output;
  EXPECT_FALSE(has(results.output + results.error, "sk-ant-0123456789")) << results.output;
}

TEST_F(BatchCommands, show_the_answers_beside_a_line_that_cannot_be_read) {
  const Finished results =
      odd_results(result_of("1", "Paris") + "\n{broken\n" + result_of("2", "Rome"));
  EXPECT_EQ(results.exit_code, 1);
  EXPECT_TRUE(has(results.output, R"("answer":"Paris")")) << results.output;
  EXPECT_TRUE(has(results.output, R"("answer":"Rome")")) << results.output;
  EXPECT_TRUE(has(results.output, R"({"id":null,"error":"Line 3 of the results)"))
      << results.output;
  EXPECT_TRUE(has(results.error, "1 of 3 requests failed")) << results.error;
}

TEST_F(BatchCommands, say_that_one_answer_came_twice_and_another_did_not) {
  const Finished results = odd_results(result_of("1", "Paris") + result_of("1", "Rome"));
  EXPECT_EQ(results.exit_code, 1);
  EXPECT_TRUE(has(results.output, "Paris")) << results.output;
  EXPECT_TRUE(has(results.output, "Rome")) << results.output;
  EXPECT_TRUE(has(results.error, "2 results came for the id 1")) << results.error;
  EXPECT_TRUE(has(results.error, "1 of 2 results came")) << results.error;
}

TEST_F(BatchCommands, that_miss_a_batch_name_the_list_of_batches) {
  for (const char* word : {"show", "results"}) {
    const Finished gone = home_.wright({"batch", word, "anthropic:msgbatch_gone"});
    EXPECT_EQ(gone.exit_code, 1);
    EXPECT_TRUE(has(gone.error, "`wright batch` lists what there is.")) << gone.error;
  }
}

TEST_F(BatchCommands, refuse_what_cannot_be_a_batch) {
  home_.write_file("bad.jsonl", "{\"prompt\": 5}\n");
  home_.write_file("empty.jsonl", "\n\n");
  const auto submit = [&](const char* file, const char* model) {
    return home_.wright({"batch", "submit", file, "--model", model});
  };
  const Finished bad = submit("bad.jsonl", "anthropic:claude-sonnet-4-5");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_TRUE(has(bad.error, "line 1 must be a prompt")) << bad.error;
  EXPECT_TRUE(has(submit("empty.jsonl", "anthropic:claude-sonnet-4-5").error, "no requests"));
  EXPECT_EQ(submit("nowhere.jsonl", "anthropic:claude-sonnet-4-5").exit_code, 2);
  EXPECT_NE(submit("bad.jsonl", "offline").exit_code, 0);
  EXPECT_EQ(home_.wright({"batch", "show"}).exit_code, 2);
  EXPECT_NE(home_.wright({"batch", "show", "anthropic:../../x"}).exit_code, 0);
  home_.write_file("key.jsonl", "What?\n{\"prompt\": \"x\", \"sytem\": \"Be brief.\"}\n");
  const Finished key = submit("key.jsonl", "anthropic:claude-sonnet-4-5");
  EXPECT_EQ(key.exit_code, 2);
  EXPECT_TRUE(has(key.error, "line 2: unknown key 'sytem'; did you mean 'system'?")) << key.error;
  EXPECT_TRUE(has(key.error, "The keys are id, prompt, system")) << key.error;
  home_.write_file("number.jsonl", "{\"prompt\": \"x\", \"id\": 7}\n");
  EXPECT_TRUE(has(submit("number.jsonl", "anthropic:claude-sonnet-4-5").error, "id is 7"));
  home_.write_file("bytes.jsonl", "What?\nIs \xff odd?\n");
  const Finished bytes = submit("bytes.jsonl", "anthropic:claude-sonnet-4-5");
  EXPECT_EQ(bytes.exit_code, 2);
  EXPECT_TRUE(has(bytes.error, "line 2 is not valid UTF-8")) << bytes.error;
  EXPECT_TRUE(requests().empty());
}

}  // namespace
}  // namespace wright::cli
