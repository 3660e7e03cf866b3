// semantic_search by words and by meaning, with vectors from a real server, however badly it
// behaves.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <fstream>
#include <mutex>

#include "entities/entity_testing.h"
#include "entities/identifier_words.h"
#include "net/canned_server_testing.h"
#include "wright/models.h"

namespace wright::entities {
namespace {

using net::testing::CannedServer;
using net::testing::Connection;
using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

// What texts mean to the server: a number for each of three ideas, and a little of everything.
JsonArray meaning_of(std::string_view text) {
  const std::array<Strings, 3> ideas{Strings{"parse", "decode", "read"},
                                     Strings{"render", "draw", "paint"},
                                     Strings{"cache", "remember", "keep"}};
  JsonArray vector{0.1};
  for (const Strings& idea : ideas) {
    double strength = 0;
    for (const std::string& word : identifier_words(text)) {
      if (std::ranges::find(idea, word) != idea.end()) strength += 1;
    }
    vector.push_back(Json(strength));
  }
  return vector;
}

// Speaks as OpenAI does, until it is told to do something else.
class MeaningServer {
 public:
  using Answer = std::function<void(Connection&, const JsonArray& texts)>;

  MeaningServer() : server_([this](Connection& connection) { answer(connection); }) {}

  void does(Answer instead) {
    const std::lock_guard lock(mutex_);
    instead_ = std::move(instead);
  }
  void behaves() { does({}); }

  // Texts that were sent, all requests together.
  Strings sent() {
    const std::lock_guard lock(mutex_);
    return sent_;
  }
  std::size_t longest_request() {
    const std::lock_guard lock(mutex_);
    return longest_request_;
  }
  int requests() const { return requests_; }

  static void says_vectors(Connection& connection, const JsonArray& texts) {
    JsonArray data;
    for (const Json& text : texts) {
      data.push_back(
          JsonObject{{"index", data.size()}, {"embedding", meaning_of(text.as_string())}});
    }
    connection.answer(200, to_text(JsonObject{{"data", std::move(data)}}), "Connection: close\r\n");
  }

  EmbeddingModel model() const {
    ModelsOptions options;
    options.retry = {.retries = 1, .first_wait = 1ms, .longest_wait = 1ms};
    options.find_key = [](const VendorInfo&) { return "sk-a-very-secret-key"; };
    options.find_base_url = [url = server_.url("/v1")](const VendorInfo&) { return url; };
    return Models(std::move(options)).embeddings("openai:meaning");
  }

 private:
  void answer(Connection& connection) {
    const std::string request = connection.read_request();
    if (request.empty()) return;
    ++requests_;
    const auto body = parse_json(request.substr(request.find("\r\n\r\n") + 4));
    ASSERT_TRUE(body) << request;
    EXPECT_EQ(body->at("model"), "meaning");
    const JsonArray& texts = body->at("input").as_array();
    Answer instead;
    {
      const std::lock_guard lock(mutex_);
      for (const Json& text : texts) sent_.emplace_back(text.as_string());
      longest_request_ = std::max(longest_request_, request.size());
      instead = instead_;
    }
    instead ? instead(connection, texts) : says_vectors(connection, texts);
  }

  std::mutex mutex_;
  Answer instead_;
  Strings sent_;
  std::size_t longest_request_ = 0;
  std::atomic<int> requests_ = 0;
  CannedServer server_;
};

class SemanticSearch : public ::testing::Test {
 protected:
  SemanticSearch() {
    tree.files().write("http.py", R"(
def parse_header(line):
    """Splits a line at its colon."""
    return line

def send(line):
    return line
)");
    tree.files().write("view.py", R"(
def render_page(page):
    return page

def draw_line(page):
    return page
)");
  }

  // New tools, as another process would have.
  const std::vector<Tool>& start_tools(std::chrono::milliseconds time = 60s) {
    CodeIndexOptions options = tree.options();
    options.embeddings = {
        .model = server.model(), .time_at_a_question = time, .pause_after_failure = 0ms};
    tools_ = code_entity_tools(std::move(options)).value();
    return tools_;
  }

  Json search(std::string_view query, std::string_view type = "function", int top_k = 2) {
    if (tools_.empty()) start_tools();
    return asked(
        tools_, "semantic_search",
        fmt::format(R"({{"entity_type":"{}","query":"{}","top_k":{}}})", type, query, top_k));
  }
  static Strings names(const Json& answer) { return each(answer, "name"); }
  static std::string note(const Json& answer) {
    const Json* note = answer.is_object() ? answer.get_object().if_contains("note") : nullptr;
    return note == nullptr ? "" : std::string(note->as_string());
  }

  CodeTree tree;
  MeaningServer server;
  std::vector<Tool> tools_;
};

TEST_F(SemanticSearch, finds_what_means_the_same_in_other_words) {
  const Json answer = search("decode");
  EXPECT_EQ(names(answer)[0], "parse_header");
  EXPECT_EQ(note(answer), "");
  EXPECT_GT(answer.at("entities").at(0).at("similarity").to_number<double>(), 0.9);
  EXPECT_EQ(answer.at("entities").at(0).at("score").to_number<double>(), 1);
  EXPECT_NE(answer.at("ranking").as_string().find("openai:meaning"), std::string::npos);
}

TEST_F(SemanticSearch, puts_what_has_the_words_and_the_meaning_first) {
  EXPECT_EQ(names(search("paint a line", "function", 3))[0], "draw_line");
}

TEST_F(SemanticSearch, sends_only_what_it_has_not_sent_before) {
  search("decode");
  const auto first = server.sent().size();
  EXPECT_EQ(first, 5U);  // the question and four functions
  search("paint");
  EXPECT_EQ(server.sent().size(), first + 1);
  start_tools();  // another process
  search("paint");
  EXPECT_EQ(server.sent().size(), first + 2);
  tree.files().write("view.py",
                     "def render_page(page):\n    return page\n\ndef keep(page): pass\n");
  EXPECT_EQ(names(search("remember"))[0], "keep");
  EXPECT_EQ(server.sent().size(), first + 4);  // the question and one function
  // What only moves means what it meant.
  std::filesystem::rename(tree.files().path() / "view.py", tree.files().path() / "moved.py");
  EXPECT_EQ(names(search("remember"))[0], "keep");
  EXPECT_EQ(server.sent().size(), first + 5);
}

TEST_F(SemanticSearch, does_not_find_what_has_gone) {
  search("paint");
  std::filesystem::remove(tree.files().path() / "view.py");
  for (const std::string& name : names(search("paint", "function", 20))) {
    EXPECT_TRUE(name == "parse_header" || name == "send") << name;
  }
}

TEST_F(SemanticSearch, sends_many_texts_at_a_time_and_never_too_much) {
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += fmt::format("def work_{}():\n    \"\"\"{}\"\"\"\n", i, std::string(5'000, 'x'));
  tree.files().write("many.py", text);
  EXPECT_EQ(note(search("decode")), "");
  EXPECT_EQ(server.sent().size(), 305U);
  EXPECT_LE(server.requests(), 5);
  EXPECT_LT(server.longest_request(), kMostEmbeddedBytes);
}

TEST_F(SemanticSearch, goes_by_words_while_the_server_fails_and_says_so) {
  server.does([](Connection& connection, const JsonArray&) {
    connection.answer(500, R"({"error":{"message":"out of vectors, sk-a-very-secret-key"}})",
                      "Connection: close\r\n");
  });
  const Json answer = search("header");
  EXPECT_EQ(names(answer), Strings{"parse_header"});
  EXPECT_TRUE(
      note(answer).starts_with("Ranked by words alone: openai:meaning gave no embeddings: "))
      << note(answer);
  EXPECT_NE(note(answer).find("out of vectors"), std::string::npos) << note(answer);
  EXPECT_EQ(note(answer).find("very-secret"), std::string::npos) << note(answer);
  EXPECT_FALSE(answer.at("entities").at(0).as_object().contains("similarity"));
  server.behaves();
  EXPECT_EQ(names(search("decode"))[0], "parse_header");
}

TEST_F(SemanticSearch, goes_by_words_when_there_is_no_server) {
  ModelsOptions models;
  models.retry.retries = 0;
  models.find_key = [](const VendorInfo&) { return "key"; };
  models.find_base_url = [](const VendorInfo&) { return "http://127.0.0.1:1/v1"; };
  CodeIndexOptions options = tree.options();
  options.embeddings.model = Models(std::move(models)).embeddings("openai:meaning");
  const auto tools = code_entity_tools(std::move(options)).value();
  const Json answer =
      asked(tools, "semantic_search", R"({"entity_type":"function","query":"header"})");
  EXPECT_EQ(names(answer), Strings{"parse_header"});
  EXPECT_FALSE(note(answer).empty());
}

TEST_F(SemanticSearch, leaves_a_server_that_failed_alone_for_a_while) {
  CodeIndexOptions options = tree.options();
  options.embeddings = {.model = server.model(), .pause_after_failure = std::chrono::hours(1)};
  tools_ = code_entity_tools(std::move(options)).value();
  server.does([](Connection& connection, const JsonArray&) {
    connection.answer(401, "{}", "Connection: close\r\n");
  });
  EXPECT_FALSE(note(search("header")).empty());
  EXPECT_EQ(server.requests(), 1);
  EXPECT_FALSE(note(search("header")).empty());
  EXPECT_EQ(server.requests(), 1);
}

TEST_F(SemanticSearch, keeps_what_came_before_the_server_died) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += fmt::format("def work_{}():\n    pass\n", i);
  tree.files().write("many.py", text);
  std::atomic<int> answers = 0;
  server.does([&](Connection& connection, const JsonArray& texts) {
    if (++answers <= 2) return MeaningServer::says_vectors(connection, texts);
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{\"data\":[{\"embedding\":");
    connection.reset();
  });
  const Json answer = search("decode");
  EXPECT_EQ(names(answer)[0], "parse_header");  // the first file's functions have vectors
  EXPECT_NE(note(answer).find("176 entities have no vector yet"), std::string::npos)
      << note(answer);
  server.behaves();
  const auto before = server.sent().size();
  EXPECT_EQ(note(search("decode")), "");
  EXPECT_EQ(server.sent().size(), before + 1 + 176);
}

TEST_F(SemanticSearch, goes_on_at_the_next_question_when_time_is_up) {
  start_tools(0ms);
  const Json answer = search("header");
  EXPECT_EQ(names(answer), Strings{"parse_header"});
  EXPECT_NE(note(answer).find("4 entities have no vector yet"), std::string::npos) << note(answer);
  start_tools();
  EXPECT_EQ(note(search("header")), "");
}

TEST_F(SemanticSearch, refuses_vectors_of_another_size_than_the_questions) {
  server.does([](Connection& connection, const JsonArray& texts) {
    JsonArray data;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      data.push_back(JsonObject{{"embedding", JsonArray(texts.size() + 1, 1.0)}});
    }
    connection.answer(200, to_text(JsonObject{{"data", std::move(data)}}), "Connection: close\r\n");
  });
  const Json answer = search("header");
  EXPECT_EQ(names(answer), Strings{"parse_header"});
  EXPECT_NE(note(answer).find("dimensions"), std::string::npos) << note(answer);
}

TEST_F(SemanticSearch, starts_anew_when_the_model_has_other_vectors_but_only_once) {
  search("decode");
  const auto with_dimensions = [&](std::size_t count) {
    server.does([count](Connection& connection, const JsonArray& texts) {
      JsonArray data;
      for (const Json& text : texts) {
        JsonArray vector = meaning_of(text.as_string());
        vector.resize(count, Json(0.0));
        data.push_back(JsonObject{{"embedding", std::move(vector)}});
      }
      connection.answer(200, to_text(JsonObject{{"data", std::move(data)}}),
                        "Connection: close\r\n");
    });
  };
  with_dimensions(9);
  const auto before = server.sent().size();
  Json answer = search("decode");
  EXPECT_EQ(names(answer)[0], "parse_header");
  EXPECT_EQ(note(answer), "");
  EXPECT_EQ(server.sent().size(), before + 5);
  with_dimensions(7);
  answer = search("header");
  EXPECT_EQ(names(answer), Strings{"parse_header"});
  EXPECT_NE(note(answer).find("now 9, now 7 dimensions"), std::string::npos) << note(answer);
  EXPECT_EQ(server.sent().size(), before + 6);
}

TEST_F(SemanticSearch, survives_every_answer_that_is_no_answer) {
  for (const std::string_view body :
       {"", "null", "{", "[]", "\xFF", R"({"data":[]})", R"({"data":[{"embedding":[]}]})",
        R"({"data":[{"embedding":[1e400,1]}]})", R"({"data":[{"embedding":"AAA="}]})",
        R"({"data":[{"embedding":[0,0,0]}]})"}) {
    server.does([body](Connection& connection, const JsonArray&) {
      connection.answer(200, body, "Connection: close\r\n");
    });
    const Json answer = search("header");
    EXPECT_EQ(names(answer), Strings{"parse_header"}) << body;
    EXPECT_FALSE(note(answer).empty()) << body;
  }
}

TEST_F(SemanticSearch, embeds_nothing_of_a_code_base_that_is_too_large) {
  CodeIndexOptions options = tree.options();
  options.embeddings = {.model = server.model(), .most_entities = 3};
  tools_ = code_entity_tools(std::move(options)).value();
  const Json answer = search("header");
  EXPECT_EQ(names(answer), Strings{"parse_header"});
  EXPECT_NE(note(answer).find("at most 3"), std::string::npos) << note(answer);
  EXPECT_EQ(server.sent(), Strings{"header"});
}

TEST_F(SemanticSearch, keeps_no_key_and_no_address) {
  search("decode");
  for (const auto& entry : std::filesystem::directory_iterator(tree.index_folder())) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(bytes.find("secret"), std::string::npos) << entry.path();
    EXPECT_EQ(bytes.find("127.0.0.1"), std::string::npos) << entry.path();
  }
}

TEST_F(SemanticSearch, ends_when_it_is_stopped) {
  std::stop_source stop;
  server.does([&](Connection& connection, const JsonArray&) {
    stop.request_stop();
    connection.wait_for_close();
  });
  start_tools();
  const auto tool = std::ranges::find_if(
      tools_, [](const Tool& each) { return each.spec.name == "semantic_search"; });
  Context context{.stop = stop.get_token()};
  const auto answer =
      tool->function(parse_json(R"({"entity_type":"function","query":"header"})").value(), context);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace wright::entities
