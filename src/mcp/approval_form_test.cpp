#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "mcp/elicitation.h"

namespace wright::mcp {
namespace {

JsonObject parsed(std::string_view text) {
  return parse_json(text).value().as_object();
}

std::string message_of(std::string_view tool, const Json& shown) {
  const auto form = approval_form(tool, shown, DecisionHolds::for_this_call);
  return form ? text_in(*form, "message") : form.error().message;
}

TEST(ApprovalForm, offers_decisions) {
  const auto decisions = [](DecisionHolds holds) {
    const auto form = approval_form("bash", parsed(R"({"command":"rm"})"), holds);
    EXPECT_TRUE(form);
    EXPECT_NE(form->at("message").as_string().find("rm"), std::string::npos);
    return form->at("requestedSchema").at("properties").at("decision").at("enum");
  };
  EXPECT_EQ(decisions(DecisionHolds::for_its_kind_too),
            parse_json(R"(["once","session","refuse","never"])").value());
  // What nobody will remember is not offered.
  EXPECT_EQ(decisions(DecisionHolds::for_this_call), parse_json(R"(["once","refuse"])").value());
  EXPECT_EQ(approval_in_form(parsed(R"({"action":"accept","content":{"decision":"once"}})"))
                .value()
                .decision,
            Decision::once);
  EXPECT_EQ(approval_in_form(parsed(R"({"action":"decline"})")).value().decision, Decision::refuse);
  EXPECT_FALSE(approval_in_form(parsed(R"({"action":"accept","content":{"decision":"yes"}})")));
}

TEST(ApprovalForm, begins_with_what_is_asked_about_and_has_all_of_it) {
  const std::string line = "rm -f harmless.tmp #" + std::string(4500, ' ') + "\nrm -rf precious";
  const Json shown{{"tool", "bash"},
                   {"reason", "some of it\nis not allowed"},
                   {"arguments", {{"command", line}}},
                   {"commands", JsonArray{Json{{"command", "cd here"}, {"permission", "allow"}},
                                          Json{{"command", "rm   -rf\n precious"},
                                               {"permission", "ask"},
                                               {"reason", "it removes"}}}}};
  const std::string message = message_of("bash", shown);
  EXPECT_TRUE(
      message.starts_with("May bash run?\nsome of it is not allowed\nIt asks for:\n"
                          "  \"rm -rf precious\"\n    it removes\nAll of it:\n"))
      << message;
  EXPECT_NE(message.find("\"rm -f harmless.tmp # [4500 blanks] \\nrm -rf precious\""),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("cd here"), std::string::npos);
}

TEST(ApprovalForm, shows_what_cannot_be_seen) {
  const Json shown{{"tool", "write_file"},
                   {"arguments", {{"content", "ok\xF3\xA0\x81\x82\xE2\x80\xAE\xE2\xA0\x80\xEF\xBE\xA0."}}}};
  const std::string message = message_of("write_file", shown);
  EXPECT_NE(message.find("ok\\udb40\\udc42\\u202e\\u2800\\uffa0."), std::string::npos) << message;
}

TEST(ApprovalForm, shows_a_diff_line_by_line_before_the_arguments) {
  const Json shown{{"tool", "write_file"},
                   {"arguments", {{"content", "new\n"}}},
                   {"diff", "@@ -1 +1 @@\n-old\n+new\n"},
                   {"anything", "else"}};
  const std::string message = message_of("write_file", shown);
  const auto diff = message.find("\"-old\",\n    \"+new\"");
  EXPECT_LT(diff, message.find("\"arguments\"")) << message;
  EXPECT_NE(message.find("\"anything\": \"else\""), std::string::npos) << message;
}

// What is too long for a form is no question: it was cut, and who agreed had not seen the end.
TEST(ApprovalForm, is_none_where_it_would_not_show_everything) {
  const Json long_one{{"arguments", {{"command", std::string(kLongestApproval, 'x') + "; rm"}}}};
  const auto form = approval_form("bash", long_one, DecisionHolds::for_this_call);
  ASSERT_FALSE(form);
  EXPECT_EQ(form.error().code, ErrorCode::limit_reached);
  EXPECT_NE(form.error().message.find("64 KB at most"), std::string::npos) << form.error().message;
  const Json just{{"arguments", {{"command", std::string(kLongestApproval - 500, 'x') + "; rm"}}}};
  EXPECT_NE(message_of("bash", just).find("x; rm\""), std::string::npos);
}

TEST(ApprovalForm, hides_nothing_by_characters_that_nobody_sees) {
  const std::string message = message_of(
      "bash", Json{{"reason", "a\x1b[2Jb"},
                   {"arguments",
                    {{"command", "a\xe2\x80\xae z\xe3\x80\x80\xc2\xa0 \xc3\xa9 \xe2\x82\xac"}}}});
  EXPECT_NE(message.find("\"a\\u202e z\\u3000\\u00a0 \xc3\xa9 \xe2\x82\xac\""), std::string::npos)
      << message;
  EXPECT_EQ(message.find('\x1b'), std::string::npos) << message;
  EXPECT_EQ(message_of("x", Json()), "May x run?\n");
  EXPECT_EQ(message_of("x", Json("said")), "May x run?\n\"said\"");
}

}  // namespace
}  // namespace wright::mcp
