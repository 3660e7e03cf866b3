#include "entities/word_search.h"

#include "entities/entity_testing.h"

namespace wright::entities {
namespace {

using tools::Strings;

class WordSearch : public ::testing::Test {
 protected:
  Strings names(std::string_view query, int top_k = 20) {
    return each(search(query, top_k), "name");
  }
  Json search(std::string_view query, int top_k = 20) {
    return tree.ask(
        "semantic_search",
        to_text(JsonObject{{"entity_type", "function"}, {"query", query}, {"top_k", top_k}}));
  }
  // One function a file, all in files whose names say nothing.
  void write(std::string_view name, std::string_view comment = "") {
    tree.files().write(fmt::format("f{}.py", files_++),
                       fmt::format("def {}(x):\n    \"\"\"{}\"\"\"\n", name, comment));
  }

  CodeTree tree;
  int files_ = 0;
};

TEST_F(WordSearch, prefers_names_to_comments) {
  write("other", "Parses the header.");
  write("parse_header");
  write("parse", "The header.");
  EXPECT_EQ(names("parse header"), (Strings{"parse_header", "parse", "other"}));
}

TEST_F(WordSearch, prefers_names_with_nothing_else_in_them) {
  write("parse_request_header_line_slowly");
  write("parse_request");
  EXPECT_EQ(names("parse request"), (Strings{"parse_request", "parse_request_header_line_slowly"}));
}

TEST_F(WordSearch, prefers_those_with_more_of_the_words_and_with_the_rarer_ones) {
  write("session_token");
  write("session_cache");
  write("session_view");
  write("token_view");
  write("nothing");
  const Strings found = names("the session of a token");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0], "session_token");
  EXPECT_EQ(found[1], "token_view");
  EXPECT_EQ(names("the session of a token", 1), (Strings{"session_token"}));
}

TEST_F(WordSearch, falls_back_to_those_with_some_of_the_words) {
  write("session_cache");
  write("session_view");
  write("session_token");
  write("zebra");
  const Strings found = names("session zebra unicorn");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0], "zebra");  // the rarer word says more
}

TEST_F(WordSearch, gives_scores_that_tell_the_better_from_the_worse) {
  write("parse_header");
  write("other", "Parse: the header.");
  const Json answer = search("parse header");
  ASSERT_EQ(answer.at("count").to_number<int>(), 2);
  EXPECT_EQ(answer.at("entities").at(0).at("score").to_number<double>(), 1);
  EXPECT_LT(answer.at("entities").at(1).at("score").to_number<double>(), 0.7);
}

TEST_F(WordSearch, knows_the_forms_of_words) {
  write("parsed_headers");
  EXPECT_EQ(names("parsing a header"), (Strings{"parsed_headers"}));
}

TEST_F(WordSearch, is_not_confused_by_the_names_of_types) {
  write("call_function");
  write("other");
  EXPECT_EQ(names("function"), (Strings{"call_function"}));
}

TEST_F(WordSearch, looks_for_fillers_when_there_is_nothing_else) {
  write("what_is_it");
  EXPECT_EQ(names("what is it"), (Strings{"what_is_it"}));
}

TEST_F(WordSearch, survives_whatever_is_asked) {
  write("token_of_user");
  std::string many;
  for (int i = 0; i < 150; ++i) many += fmt::format("w{} ", i);
  for (const std::string& query :
       {std::string("user\u2019s token"), std::string("\U0001F600 token"),
        std::string("tok\u00e9n"), std::string("token\" OR name : x NEAR("),
        std::string("AND OR NOT token"), many + "token", std::string(999, 'x'),
        std::string("\u4e2d\u6587 token"), std::string("token*^")}) {
    EXPECT_TRUE(search(query).is_object()) << query << search(query);
  }
  EXPECT_EQ(names("user\u2019s token"), (Strings{"token_of_user"}));
  EXPECT_TRUE(search("\u2019 \U0001F600").is_string());
}

}  // namespace
}  // namespace wright::entities
