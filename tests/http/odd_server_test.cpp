// What a person sees when a server answers oddly, with the real program.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <mutex>

#include "cli/process.h"
#include "net/canned_server_testing.h"

namespace wright::http {
namespace {

using net::testing::CannedServer;
using net::testing::Connection;

// Answers the n-th request with the n-th body, and the last one to all that follow.
class OddServer {
 public:
  explicit OddServer(std::vector<std::string> bodies, int status = 200)
      : bodies_(std::move(bodies)), status_(status), server_([this](Connection& connection) {
          const std::string request = connection.read_request();
          std::string body;
          {
            const std::lock_guard lock(mutex_);
            body = bodies_[std::min(requests_.size(), bodies_.size() - 1)];
            requests_.push_back(request);
          }
          connection.answer(status_, body, "Connection: close\r\n");
        }) {}

  std::string url() const { return server_.url("/v1"); }
  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  std::vector<std::string> bodies_;
  int status_;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  CannedServer server_;
};

std::string one_completion(std::string_view content) {
  return R"({"choices":[{"index":0,"message":{"role":"assistant","content":")" +
         std::string(content) + R"("},"finish_reason":"stop"}]})";
}

cli::Finished ask_there(cli::Home& home, const std::string& base_url, cli::Arguments more = {},
                        std::string_view protocol = "openai-chat") {
  home.write_config("[vendors.there]\nprotocol = \"" + std::string(protocol) + "\"\nbase_url = \"" +
                    base_url + "\"\n");
  cli::Arguments arguments{"run", "codebase-analysis", "hello", "--model", "there:any"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return home.wright(arguments);
}

TEST(OddServer, that_says_nothing_twice_ends_the_run) {
  OddServer server({one_completion("")});
  cli::Home home;
  const cli::Finished finished = ask_there(home, server.url());
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(finished.output, "");
  EXPECT_NE(finished.error.find("without having said anything"), std::string::npos)
      << finished.error;
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(OddServer, that_says_something_the_second_time_is_heard) {
  OddServer server({one_completion(""), one_completion("Hello")});
  cli::Home home;
  const cli::Finished finished = ask_there(home, server.url());
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_EQ(finished.output, "Hello\n");
}

TEST(OddServer, that_does_not_know_the_api_is_called_what_it_is) {
  OddServer server({"It works!"});
  cli::Home home;
  const cli::Finished finished = ask_there(home, server.url());
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(finished.error.find("plain text instead of a model's answer: It works!"),
            std::string::npos)
      << finished.error;
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(OddServer, that_has_too_little_room_is_asked_again_with_less) {
  OddServer server(
      {R"({"object":"error","message":"However, the model's context length is only 10 tokens","code":400})"},
      400);
  cli::Home home;
  const cli::Finished finished = ask_there(home, server.url());
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(finished.error.find("longer than any can read"), std::string::npos) << finished.error;
}

TEST(OddServer, that_tells_remarks_from_answers_is_understood_and_told_so_again) {
  const std::string first =
      R"({"status":"completed","output":[{"type":"message","role":"assistant","phase":"commentary",)"
      R"("content":[{"type":"output_text","text":"I look first."}]},)"
      R"({"type":"message","role":"assistant","phase":"final_answer",)"
      R"("content":[{"type":"output_text","text":"It is empty."}]}]})";
  OddServer server({first});
  cli::Home home;
  const cli::Finished finished = ask_there(home, server.url(), {}, "openai-responses");
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_EQ(finished.output, "It is empty.\n");
  EXPECT_NE(finished.error.find("I look first."), std::string::npos) << finished.error;
  const cli::Finished again = home.wright({"chat", "--continue"}, "And now?\n");
  EXPECT_EQ(again.exit_code, 0) << again.error;
  const std::string sent = server.requests().back();
  EXPECT_NE(sent.find(R"("content":"I look first.","phase":"commentary")"), std::string::npos)
      << sent;
  EXPECT_NE(sent.find(R"("content":"It is empty.","phase":"final_answer")"), std::string::npos)
      << sent;
}

// The catalogue beside an answer in the form of OpenRouter's documentation.
TEST(OddServer, that_lists_models_with_other_figures_is_compared_with_the_catalogue) {
  std::ifstream file(WRIGHT_HTTP_FOLDER "/openrouter_models.json");
  OddServer server({std::string{std::istreambuf_iterator<char>(file), {}}});
  cli::Home home;
  home.environment["OPENROUTER_BASE_URL"] = server.url();
  home.environment["OPENROUTER_API_KEY"] = "sk-or-secret";
  const cli::Finished finished = home.wright({"models", "openrouter", "--compare"});
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_EQ(finished.output.substr(0, finished.output.find("  not listed there")),
            "openrouter  lists 4 models, 2 differences\n"
            "  openai/gpt-5-mini  context_tokens: here 400000, there 500000\n"
            "  openai/gpt-5-mini  price.input: here 0.25, there 0.3\n")
      << finished.output;
  EXPECT_NE(finished.output.find("anthropic/claude-opus-4.7"), std::string::npos);
  EXPECT_NE(finished.output.find("without a row here: openrouter/auto, somebody/a-new-model\n"),
            std::string::npos)
      << finished.output;
  EXPECT_NE(server.requests().front().find("GET /v1/models"), std::string::npos);
}

// The stream of the golden case `phases`.
std::string stream_with_phases() {
  std::ifstream file(WRIGHT_GOLDEN "/openai-responses/phases/stream.txt");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OddServer, that_streams_remarks_and_an_answer_has_only_the_answer_on_standard_output) {
  const std::string stream = stream_with_phases();
  ASSERT_FALSE(stream.empty());
  OddServer server({stream});
  cli::Home home;
  const cli::Finished finished = ask_there(home, server.url(), {"--stream"}, "openai-responses");
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_NE(server.requests().front().find(R"("stream":true)"), std::string::npos);
  EXPECT_EQ(finished.output, "It is empty.\n");
  EXPECT_NE(finished.error.find("· I look at the file first — one moment.\n"), std::string::npos)
      << finished.error;
}

TEST(OddServer, that_streams_nothing_but_a_remark_has_answered_with_it) {
  OddServer server(
      {R"(data: {"type":"response.output_item.added","output_index":0,"item":{"type":"message","role":"assistant","content":[],"phase":"commentary"}})"
       "\n\n"
       R"(data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"I look first."})"
       "\n\n"
       R"(data: {"type":"response.completed","response":{"status":"completed","output":[]}})"
       "\n\n"});
  cli::Home home;
  const cli::Finished finished = ask_there(home, server.url(), {"--stream"}, "openai-responses");
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_EQ(finished.output, "I look first.\n");
}

TEST(OddServer, that_pauses_a_turn_gets_it_back_and_what_it_cites_is_shown) {
  const std::string search =
      R"({"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}})";
  const std::string citation =
      R"({"type":"web_search_result_location","url":"https://example.com/a","title":"A","encrypted_index":"Eo8B","cited_text":"Cold."})";
  const std::string paused =
      R"({"type":"message","role":"assistant","model":"any","content":[{"type":"text","text":"I search."},)" +
      search + R"(],"stop_reason":"pause_turn","usage":{"input_tokens":100,"output_tokens":10}})";
  const std::string found =
      R"({"type":"message","role":"assistant","model":"any","content":[{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]},{"type":"text","text":"It is cold.","citations":[)" +
      citation + R"(]}],"stop_reason":"end_turn","usage":{"input_tokens":120,"output_tokens":5}})";
  OddServer server({paused, found});
  cli::Home home;
  const cli::Finished finished = ask_there(home, server.url(), {"--json"}, "anthropic-messages");
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_EQ(finished.json().at("answer"), Json("It is cold."));
  EXPECT_EQ(finished.json().at("sources"), Json("Sources:\n[1] A <https://example.com/a>"));
  EXPECT_EQ(finished.json().at("usage").at("output_tokens"), Json(15)) << "both count";
  ASSERT_EQ(server.requests().size(), 2U);
  const std::string sent = server.requests().back();
  EXPECT_NE(sent.find(R"({"role":"assistant","content":[{"type":"text","text":"I search."},)" +
                      search + "]}]"),
            std::string::npos)
      << sent;
  EXPECT_EQ(sent.find("paused"), std::string::npos) << sent;
  const cli::Finished shown = home.wright({"sessions", "show", "1"});
  EXPECT_NE(shown.output.find("[1] A <https://example.com/a>"), std::string::npos) << shown.output;
  // It goes on as one turn, and with what it cited.
  const cli::Finished again = home.wright({"chat", "--continue"}, "And now?\n");
  EXPECT_EQ(again.exit_code, 0) << again.error;
  EXPECT_NE(again.output.find("It is cold.\n\nSources:\n[1] A <https://example.com/a>\n"),
            std::string::npos)
      << again.output;
  const std::string third = server.requests().back();
  EXPECT_NE(third.find(search + R"(,{"type":"web_search_tool_result")"), std::string::npos)
      << third;
  EXPECT_NE(third.find(R"("citations":[)" + citation + "]"), std::string::npos) << third;
}

TEST(OddSettings, name_the_variable_and_its_value) {
  cli::Home home;
  home.environment["OPENAI_API_KEY"] = "sk-test";
  home.environment["OPENAI_BASE_URL"] = "foo";
  const cli::Finished finished =
      home.wright({"run", "codebase-analysis", "hello", "--model", "openai:gpt-5-mini"});
  EXPECT_NE(finished.exit_code, 0);
  EXPECT_NE(finished.error.find("OPENAI_BASE_URL = 'foo'"), std::string::npos) << finished.error;
  home.environment["OPENAI_API_KEY"] = " ";
  home.environment.erase("OPENAI_BASE_URL");
  const cli::Finished blank =
      home.wright({"run", "codebase-analysis", "hello", "--model", "openai:gpt-5-mini"});
  EXPECT_NE(blank.exit_code, 0);
  EXPECT_NE(blank.error.find("OPENAI_API_KEY"), std::string::npos) << blank.error;
  EXPECT_NE(blank.error.find("blanks"), std::string::npos) << blank.error;
}

TEST(OddSettings, keys_are_sent_without_the_blanks_around_them) {
  OddServer server({one_completion("Hello")});
  cli::Home home;
  home.environment["OPENROUTER_API_KEY"] = " sk-or-key-1234567890 \n";
  home.environment["OPENROUTER_BASE_URL"] = server.url();
  const cli::Finished finished = home.wright(
      {"run", "codebase-analysis", "hello", "--model", "openrouter:any", "--trace-http", "t.txt"});
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_NE(server.requests().front().find("Bearer sk-or-key-1234567890\r\n"), std::string::npos);
}

TEST(OddSettings, ollama_is_found_where_its_own_programs_find_it) {
  OddServer server(
      {R"({"message":{"role":"assistant","content":"Hello"},"done":true,"done_reason":"stop"})"});
  cli::Home home;
  std::string host = server.url();
  host = host.substr(7, host.find('/', 7) - 7);
  home.environment["OLLAMA_HOST"] = host;
  const cli::Finished finished =
      home.wright({"run", "codebase-analysis", "hello", "--model", "ollama:any"});
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_TRUE(server.requests().front().starts_with("POST /api/chat "))
      << server.requests().front();
}

TEST(OddSettings, a_trace_file_that_others_could_read_is_closed_to_them) {
  OddServer server({one_completion("Hello")});
  cli::Home home;
  const auto trace = home.project() / "trace.txt";
  std::ofstream(trace) << "before\n";
  ASSERT_EQ(::chmod(trace.c_str(), 0644), 0);
  const cli::Finished finished = ask_there(home, server.url(), {"--trace-http", "trace.txt"});
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  struct stat file {};
  ASSERT_EQ(::stat(trace.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777U, 0600U);
}

}  // namespace
}  // namespace wright::http
