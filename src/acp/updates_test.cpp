#include "acp/updates.h"

#include <gtest/gtest.h>

#include "wright/testing.h"

namespace wright::acp {
namespace {

using testing::call;

TEST(AcpUpdates, tell_remarks_as_thoughts_and_the_rest_as_the_message) {
  for (const auto& [phase, kind] : {std::pair{Text::Phase::commentary, "agent_thought_chunk"},
                                    std::pair{Text::Phase::final_answer, "agent_message_chunk"},
                                    std::pair{Text::Phase::unmarked, "agent_message_chunk"}}) {
    const JsonObject update = words_chunk({std::string_view("I look."), phase});
    EXPECT_EQ(update.at("sessionUpdate"), Json(kind));
    EXPECT_EQ(update.at("content").at("text"), Json("I look."));
  }
}

TEST(AcpUpdates, tell_calls_with_kind_title_and_places) {
  const auto read =
      call_begun(call("read_file", R"({"path": "a/b.cpp", "offset": 7})", "c1"), "/w");
  EXPECT_EQ(read.at("kind").as_string(), "read");
  EXPECT_EQ(read.at("title").as_string(), "read_file a/b.cpp");
  EXPECT_EQ(read.at("locations").at(0).at("path").as_string(), "/w/a/b.cpp");
  EXPECT_EQ(read.at("locations").at(0).at("line").to_number<int>(), 7);
  const auto bash = call_begun(call("bash", R"({"command": "make\ntest"})", "c2"), "/w");
  EXPECT_EQ(bash.at("title").as_string(), "make test");
  EXPECT_EQ(bash.at("kind").as_string(), "execute");
  const auto broken = call_begun(call("odd", "{\xff", "c3"), "/w");
  EXPECT_EQ(broken.at("kind").as_string(), "other");
  EXPECT_TRUE(is_valid_utf8(to_text(broken)));
}

TEST(AcpUpdates, know_the_files_that_a_call_writes) {
  EXPECT_EQ(written_paths(call("write_file", R"({"path": "x", "content": ""})")),
            std::vector<std::string>{"x"});
  const Json patch{{"patch",
                    "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n"
                    "*** Add File: c\n+new\n*** End Patch"}};
  EXPECT_EQ(written_paths(call("apply_patch", to_text(patch))),
            (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(written_paths(call("read_file", R"({"path": "x"})")).empty());
  EXPECT_TRUE(written_paths(call("apply_patch", R"({"patch": "nonsense"})")).empty());
}

TEST(AcpUpdates, show_changes_as_diffs_and_other_results_as_text) {
  const auto edit = call("write_file", R"({"path": "x", "content": "new"})", "c1");
  const auto made = call_ended(edit, {.content = "{}"}, {{"/w/x", std::nullopt, "new"}});
  EXPECT_EQ(made.at("status").as_string(), "completed");
  EXPECT_TRUE(made.at("content").at(0).at("oldText").is_null());
  EXPECT_EQ(made.at("content").at(0).at("newText").as_string(), "new");
  const auto failed = call_ended(edit, {.content = "no such file", .is_error = true}, {});
  EXPECT_EQ(failed.at("status").as_string(), "failed");
  EXPECT_EQ(failed.at("content").at(0).at("content").at("text").as_string(), "no such file");
}

TEST(AcpUpdates, read_prompts_with_images) {
  const auto prompt =
      prompt_of(parse_json(R"([{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="},
                     {"type": "resource", "resource": {"uri": "file:///w/a.pdf",
                        "mimeType": "application/pdf", "blob": "JVBERi0="}}])")
                    .value()
                    .as_array());
  ASSERT_TRUE(prompt) << prompt.error().message;
  EXPECT_EQ(prompt->text, "/w/a.pdf");
  EXPECT_EQ(prompt->images,
            (std::vector<Image>{{"image/png", "iVBORw0KGgo="}, {"application/pdf", "JVBERi0="}}));
  for (const char* bad : {R"({"type": "image", "mimeType": "image/png", "data": "no base64"})",
                          R"({"type": "image", "mimeType": "png", "data": "iVBORw0KGgo="})",
                          R"({"type": "image", "mimeType": "image/png", "data": "aGk="})",
                          R"({"type": "image", "data": 1})"}) {
    EXPECT_FALSE(prompt_of({parse_json(bad).value()})) << bad;
  }
  EXPECT_EQ(user_chunk(prompt->images[0]).at("content").at("type").as_string(), "image");
  EXPECT_EQ(user_chunk(prompt->images[1]).at("content").at("type").as_string(), "text");
}

TEST(AcpUpdates, read_prompts_with_links_and_resources) {
  const auto text = prompt_of(parse_json(R"([{"type": "text", "text": "Look at"},
                     {"type": "resource_link", "uri": "file:///w/a%20b.txt", "name": "a b"},
                     {"type": "resource", "resource": {"uri": "file:///w/c", "text": "``` inside"}}])")
                                  .value()
                                  .as_array());
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(text->text, "Look at @/w/a b.txt \n\n/w/c:\n````\n``` inside\n````");
  EXPECT_FALSE(prompt_of({JsonObject{{"type", "audio"}}}));
  EXPECT_FALSE(prompt_of({JsonObject{{"type", "text"}, {"text", " \n"}}}));
  EXPECT_FALSE(prompt_of({1}));
}

TEST(AcpUpdates, ask_for_permission_for_what_would_run) {
  const std::string hidden = "echo fine" + std::string(300, ' ') + "; rm -rf NEW";
  PersonWait wait{
      .call = call("bash", R"({"command": "rm -rf OLD"})", "c1"),
      .kind = WaitKind::approval,
      .shown = {{"question", "May it?"},
                {"arguments", {{"command", hidden}}},
                {"commands", JsonArray{Json{{"command", "echo fine"}, {"permission", "allow"}},
                                       Json{{"command", "rm -rf NEW"},
                                            {"permission", "ask"},
                                            {"reason", "it removes"}}}}}};
  const auto asked = permission_request(wait, "/w").at("toolCall").as_object();
  EXPECT_EQ(asked.at("title").as_string(), "echo fine ; rm -rf NEW");
  EXPECT_EQ(asked.at("rawInput").at("command").as_string(), hidden);
  const std::string text = to_text(asked.at("content"));
  EXPECT_NE(text.find("rm -rf NEW"), std::string::npos);
  EXPECT_NE(text.find("it removes"), std::string::npos);
  EXPECT_EQ(to_text(asked).find("OLD"), std::string::npos);

  const std::string longer = "echo " + std::string(5000, 'x') + "; rm ``` all";
  wait.shown = {{"arguments", {{"command", longer}}}};
  const auto cut = permission_request(wait, "/w").at("toolCall").as_object();
  EXPECT_NE(std::string(cut.at("title").as_string()).find("… (5017 bytes in all)"),
            std::string::npos);
  const auto& block = cut.at("content").at(0).at("content").at("text").as_string();
  EXPECT_NE(std::string(block).find(longer + "\n````"), std::string::npos);

  wait.shown = "odd";
  EXPECT_EQ(permission_request(wait, "/w").at("toolCall").at("title").as_string(), "rm -rf OLD");
}

TEST(AcpUpdates, take_only_offered_choices_for_permission) {
  const auto chosen = [](std::string_view text) {
    return chosen_approval(parse_json(text)->as_object());
  };
  EXPECT_EQ(chosen(R"({"outcome": {"outcome": "selected", "optionId": "once"}})")->decision,
            Decision::once);
  EXPECT_EQ(chosen(R"({"outcome": {"outcome": "selected", "optionId": "everything"}})")->decision,
            Decision::refuse);
  EXPECT_FALSE(chosen(R"({"outcome": {"outcome": "cancelled"}})"));
  EXPECT_FALSE(chosen(R"({})"));
}

TEST(AcpUpdates, put_questions_into_forms_but_no_passwords) {
  AskUserRequest request{.questions = {{.id = "db",
                                        .question = "Which?",
                                        .type = QuestionType::select,
                                        .options = std::vector<std::string>{"a", "b"}}}};
  const auto form = question_form(request);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->at("requestedSchema").at("properties").at("db").at("enum").as_array().size(), 2U);
  request.questions.push_back({.id = "p", .question = "Secret?", .type = QuestionType::password});
  EXPECT_FALSE(question_form(request));
}

}  // namespace
}  // namespace wright::acp
