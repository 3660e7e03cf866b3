// What a person says of calls whose process ended while they ran.
#include "server/service_testing.h"

namespace wright::server {
namespace {

// A service with one session whose process ended while it paid.
struct Interrupted {
  Interrupted()
      : served([this] {
          Served what;
          what.tools.push_back(tool("pays", "Pays", [this] { return ++paid; }));
          return what;
        }()) {
    const auto created = served.store().create_session_with(
        {.agent_name = "parrot", .user_prompt = "Pay"},
        std::vector<Write>{
            AppendMessage{.message = Message::user("Pay")},
            AppendMessage{.message = {Role::assistant, {testing::call("pays", "{}", "pay-1")}},
                          .started_calls = 1}});
    EXPECT_TRUE(created);
    path = fmt::format("/api/v1/sessions/{}", created->first);
    id = created->first;
  }
  std::string told_after(const char* settlements) {
    const Answered answered = served.ask("POST", path + "/resume", settlements);
    EXPECT_EQ(answered.status, 202) << answered.body;
    (void)served.runtime().wait(id);
    return std::string(served.ask("GET", path).json().at("result").as_string());
  }

  int paid = 0;
  ServedService served;
  std::string path;
  SessionId id = 0;
};

TEST(Settlements, decide_what_the_model_is_told) {
  Interrupted done;
  EXPECT_EQ(done.told_after(R"({"settlements":{"pay-1":"done"}})"),
            "told: The process ended while this ran. A person has found that it was done");
  EXPECT_EQ(done.paid, 0);
  Interrupted failed;
  EXPECT_EQ(failed.told_after(R"({"settlements":{"pay-1":"failed"}})"),
            "told: The process ended while this ran. A person has found that it was not done");
  EXPECT_EQ(failed.paid, 0);
}

TEST(Settlements, let_a_call_run_again_only_where_they_say_so) {
  Interrupted retried;
  EXPECT_EQ(retried.told_after(R"({"settlements":{"pay-1":"retry"}})"), "told: 1");
  EXPECT_EQ(retried.paid, 1);
  Interrupted unsettled;
  EXPECT_NE(unsettled.told_after("{}").find("told: "), std::string::npos);
  EXPECT_EQ(unsettled.paid, 0) << "nobody knows whether it was done";
  const Json calls = unsettled.served.ask("GET", unsettled.path + "/calls").json();
  EXPECT_EQ(calls.at("calls").at(0).at("status"), Json("unknown"));
}

TEST(Settlements, that_make_no_sense_change_nothing) {
  Interrupted odd;
  for (const char* body : {R"({"settlements":{"pay-1":"perhaps"}})", R"({"settlements":[]})",
                           R"({"settlements":{"pay-1":7}})", R"({"settlements":"done"})"}) {
    EXPECT_EQ(odd.served.ask("POST", odd.path + "/resume", body).status, 400) << body;
  }
  EXPECT_EQ(odd.paid, 0);
  EXPECT_EQ(odd.served.ask("GET", odd.path).json().at("status"), Json("running"));
}

}  // namespace
}  // namespace wright::server
