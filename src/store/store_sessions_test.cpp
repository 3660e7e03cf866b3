// What every store promises about sessions: keeping, listing and deleting them.
#include <gtest/gtest.h>

#include <set>

#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

class StoreSessions : public StoreSuite {};
INSTANTIATE_TEST_SUITE_P(Every, StoreSessions, kEveryStore, name_of_kind);

TEST_P(StoreSessions, keeps_every_field_of_a_new_session) {
  const SessionId parent = new_session();
  const SessionId id =
      value_of(store().create_session({.agent_name = "codebase-analysis",
                                       .provider = "openai",
                                       .model = "gpt-5-mini",
                                       .system_prompt = "Be brief.",
                                       .user_prompt = "Where is X?",
                                       .parent_session_id = parent,
                                       .config = {{"limit", 3}, {"deep", {1, 2}}}}));
  const Session session = value_of(store().get_session(id));
  EXPECT_EQ(session.id, id);
  EXPECT_GT(id, parent);
  EXPECT_EQ(session.agent_name, "codebase-analysis");
  EXPECT_EQ(session.provider, "openai");
  EXPECT_EQ(session.model, "gpt-5-mini");
  EXPECT_EQ(session.system_prompt, "Be brief.");
  EXPECT_EQ(session.user_prompt, "Where is X?");
  EXPECT_EQ(session.status, SessionStatus::running);
  EXPECT_EQ(session.started_at, now_);
  EXPECT_EQ(session.ended_at, std::nullopt);
  EXPECT_EQ(session.result, std::nullopt);
  EXPECT_EQ(session.error, std::nullopt);
  EXPECT_EQ(session.parent_session_id, parent);
  EXPECT_EQ(session.usage, Usage{});
  EXPECT_EQ(session.iterations, 0);
  EXPECT_EQ(to_text(session.config), R"({"limit":3,"deep":[1,2]})");
  EXPECT_EQ(session.format_version, 1);
  EXPECT_EQ(session.parent_call_id, std::nullopt);
  EXPECT_EQ(session.forked_from, std::nullopt);
  EXPECT_EQ(session.runner_id, std::nullopt);
  EXPECT_EQ(session.lease_epoch, 0);
  EXPECT_TRUE(session.feedback.is_null());
}

TEST_P(StoreSessions, knows_which_call_of_its_parent_a_session_answers) {
  const SessionId parent = new_session();
  const CallId call = new_call(parent);
  const SessionId other = new_session();
  NewSession child = session_named("child");
  child.parent_call_id = call;
  EXPECT_EQ(code_of(store().create_session(child)), ErrorCode::invalid_argument);
  child.parent_session_id = other;
  EXPECT_EQ(code_of(store().create_session(child)), ErrorCode::not_found);
  child.parent_session_id = parent;
  child.parent_call_id = call + 100;
  EXPECT_EQ(code_of(store().create_session(child)), ErrorCode::not_found);
  child.parent_call_id = call;
  const SessionId id = value_of(store().create_session(child));
  EXPECT_EQ(value_of(store().get_session(id)).parent_call_id, call);
  EXPECT_EQ(value_of(store().list_sessions({})).size(), 3U);
}

TEST_P(StoreSessions, moves_a_conversation_to_another_agent_and_keeps_feedback) {
  const SessionId id = new_session();
  const Json feedback{{"limitations", {"no regex"}}};
  value_of(apply_one(
      store(),
      UpdateSession{.session_id = id, .agent_name = "specialist\xFF", .feedback = feedback}));
  value_of(apply_one(store(), UpdateSession{.session_id = id, .iterations = 3}));
  const Session session = value_of(store().get_session(id));
  EXPECT_EQ(session.agent_name, "specialist\xEF\xBF\xBD");
  EXPECT_EQ(session.feedback, feedback);
  EXPECT_EQ(session.status, SessionStatus::running);
  EXPECT_EQ(value_of(store().list_sessions({.limit = 1})).front().feedback, feedback);
}

TEST_P(StoreSessions, goes_on_with_another_model_and_config) {
  const SessionId id =
      value_of(store().create_session({.agent_name = "a",
                                       .provider = "old",
                                       .model = "one",
                                       .user_prompt = "?",
                                       .config = JsonObject{{"model", "old:one"}}}));
  value_of(apply_one(store(), UpdateSession{.session_id = id,
                                            .provider = "new",
                                            .model = "tw\xff",
                                            .config = JsonObject{{"model", "new:two"}}}));
  Session session = value_of(store().get_session(id));
  EXPECT_EQ(session.provider, "new");
  EXPECT_EQ(session.model, "tw\xef\xbf\xbd");
  EXPECT_EQ(session.config, Json(JsonObject{{"model", "new:two"}}));
  EXPECT_EQ(code_of(apply_one(store(), UpdateSession{.session_id = id, .config = Json(7)})),
            ErrorCode::invalid_argument);
  value_of(apply_one(store(), UpdateSession{.session_id = id, .iterations = 2}));
  session = value_of(store().get_session(id));
  EXPECT_EQ(session.model, "tw\xef\xbf\xbd");
  EXPECT_EQ(session.config, Json(JsonObject{{"model", "new:two"}}));
  value_of(apply_one(store(), UpdateSession{.session_id = id, .config = Json()}));
  EXPECT_TRUE(value_of(store().get_session(id)).config.is_null());
}

TEST_P(StoreSessions, keeps_what_requests_leave_out) {
  const SessionId id = new_session();
  const Json cut{{"summarised", 4}, {"summary", "It was like this"}};
  value_of(apply_one(store(), UpdateSession{.session_id = id, .context = cut}));
  value_of(apply_one(store(), UpdateSession{.session_id = id, .iterations = 3}));
  EXPECT_EQ(value_of(store().get_session(id)).context, cut);
  EXPECT_EQ(value_of(store().list_sessions({.limit = 1})).front().context, cut);
}

TEST_P(StoreSessions, refuses_feedback_that_could_not_be_read_back) {
  Json deep = 1;
  for (int level = 0; level <= kMaxJsonDepth; ++level) deep = JsonArray{std::move(deep)};
  const SessionId id = new_session();
  EXPECT_EQ(code_of(apply_one(store(), UpdateSession{.session_id = id, .feedback = deep})),
            ErrorCode::invalid_argument);
  EXPECT_TRUE(value_of(store().get_session(id)).feedback.is_null());
}

TEST_P(StoreSessions, keeps_a_missing_system_prompt_apart_from_an_empty_one) {
  NewSession session = session_named("tester");
  const auto missing = value_of(store().create_session(session));
  session.system_prompt = "";
  const auto empty = value_of(store().create_session(session));
  EXPECT_EQ(value_of(store().get_session(missing)).system_prompt, std::nullopt);
  EXPECT_EQ(value_of(store().get_session(empty)).system_prompt, "");
  EXPECT_TRUE(value_of(store().get_session(empty)).config.is_null());
}

TEST_P(StoreSessions, refuses_a_session_with_an_unknown_parent_or_a_config_that_is_no_object) {
  NewSession orphan = session_named("tester");
  orphan.parent_session_id = 77;
  EXPECT_EQ(code_of(store().create_session(orphan)), ErrorCode::not_found);
  NewSession odd = session_named("tester");
  odd.config = JsonArray{1};
  EXPECT_EQ(code_of(store().create_session(odd)), ErrorCode::invalid_argument);
  EXPECT_TRUE(value_of(store().list_sessions({})).empty());
}

TEST_P(StoreSessions, completes_and_fails_a_session_with_the_time_of_its_end) {
  const SessionId good = new_session();
  const SessionId bad = new_session();
  now_ += 500;
  expect_ok(store().complete_session(good, "The answer"));
  expect_ok(store().fail_session(bad, "Maximum iteration limit reached"));
  EXPECT_EQ(value_of(store().get_session(good)).status, SessionStatus::completed);
  EXPECT_EQ(value_of(store().get_session(good)).result, "The answer");
  EXPECT_EQ(value_of(store().get_session(good)).error, std::nullopt);
  EXPECT_EQ(value_of(store().get_session(good)).ended_at, now_);
  EXPECT_EQ(value_of(store().get_session(bad)).status, SessionStatus::failed);
  EXPECT_EQ(value_of(store().get_session(bad)).error, "Maximum iteration limit reached");
  EXPECT_EQ(value_of(store().get_session(bad)).result, std::nullopt);
  EXPECT_EQ(value_of(store().get_session(bad)).ended_at, now_);
}

TEST_P(StoreSessions, an_ended_status_sets_the_end_and_a_living_one_clears_it) {
  const SessionId id = new_session();
  for (const SessionStatus status : kSessionStatuses) {
    value_of(apply_one(store(), UpdateSession{.session_id = id, .status = SessionStatus::failed}));
    now_ += 10;
    value_of(apply_one(store(), UpdateSession{.session_id = id, .status = status}));
    const Session session = value_of(store().get_session(id));
    EXPECT_EQ(session.status, status);
    const bool lives = status == SessionStatus::running || status == SessionStatus::waiting ||
                       status == SessionStatus::queued;
    EXPECT_EQ(session.ended_at, lives ? std::nullopt : std::optional(now_)) << to_string(status);
  }
}

TEST_P(StoreSessions, an_update_of_a_session_leaves_alone_what_has_no_value) {
  const SessionId id = new_session();
  const Usage usage{10, 20, 3, 4, 5, 0.125};
  value_of(apply_one(store(), UpdateSession{.session_id = id, .usage = usage, .iterations = 2}));
  expect_ok(store().complete_session(id, "done"));
  const std::int64_t ended_at = now_;
  now_ += 1000;
  value_of(apply_one(store(), UpdateSession{.session_id = id, .error = "later"}));
  const Session session = value_of(store().get_session(id));
  EXPECT_EQ(session.usage, usage);
  EXPECT_EQ(session.iterations, 2);
  EXPECT_EQ(session.result, "done");
  EXPECT_EQ(session.error, "later");
  EXPECT_EQ(session.status, SessionStatus::completed);
  EXPECT_EQ(session.ended_at, ended_at);
}

TEST_P(StoreSessions, deletes_a_session_with_its_messages_calls_and_descendants_only) {
  const SessionId kept = new_session();
  const SessionId root = new_session();
  NewSession child = session_named("child");
  child.parent_session_id = root;
  const SessionId son = value_of(store().create_session(child));
  child.parent_session_id = son;
  const SessionId grandson = value_of(store().create_session(child));
  const SessionId sibling = new_session();
  value_of(store().create_message(son, Role::user, "hello"));
  const CallId call = new_call(son);
  const CallId kept_call = new_call(kept);

  expect_ok(store().delete_session(root));
  for (const SessionId gone : {root, son, grandson}) {
    EXPECT_EQ(code_of(store().get_session(gone)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store().get_messages(gone)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store().get_tool_calls(gone)), ErrorCode::not_found);
  }
  EXPECT_EQ(code_of(store().start_tool_call(call)), ErrorCode::not_found);
  EXPECT_EQ(value_of(store().get_session(sibling)).id, sibling);
  expect_ok(store().start_tool_call(kept_call));
}

TEST_P(StoreSessions, deletes_a_very_long_line_of_descendants) {
  NewSession session = session_named("tester");
  const SessionId root = value_of(store().create_session(session));
  session.parent_session_id = root;
  for (int i = 0; i < 1200; ++i) {
    session.parent_session_id = value_of(store().create_session(session));
  }
  expect_ok(store().delete_session(root));
  EXPECT_TRUE(value_of(store().list_sessions({})).empty());
}

TEST_P(StoreSessions, never_gives_out_the_id_of_a_deleted_session_again) {
  new_session();
  const SessionId deleted = new_session();
  expect_ok(store().delete_session(deleted));
  EXPECT_GT(new_session(), deleted);
}

TEST_P(StoreSessions, lists_sessions_newest_first_whatever_the_clock_said) {
  const SessionId first = new_session();
  now_ -= 1'000'000;
  const SessionId second = new_session();
  now_ += 1;
  const SessionId third = new_session();
  const auto ids = [](const std::vector<Session>& sessions) {
    std::vector<SessionId> found;
    for (const Session& session : sessions) found.push_back(session.id);
    return found;
  };
  EXPECT_EQ(ids(value_of(store().list_sessions({}))), (std::vector{third, second, first}));
  EXPECT_EQ(ids(value_of(store().list_sessions({.limit = 2}))), (std::vector{third, second}));
  EXPECT_TRUE(value_of(store().list_sessions({.limit = 0})).empty());
  EXPECT_EQ(value_of(store().list_sessions({.limit = SIZE_MAX})).size(), 3U);
  EXPECT_EQ(ids(value_of(store().list_sessions({.started_since = now_}))),
            (std::vector{third, first}));
}

TEST_P(StoreSessions, lists_only_sessions_that_meet_every_condition) {
  const SessionId plain = value_of(store().create_session(session_named("a", "Find the BUG_50%")));
  const SessionId answered = value_of(store().create_session(session_named("b", "Say")));
  expect_ok(store().complete_session(answered, "a bug it is"));
  NewSession child = session_named("a", "nothing");
  child.parent_session_id = plain;
  const SessionId kid = value_of(store().create_session(child));

  const auto only = [&](const SessionFilter& filter) {
    std::set<SessionId> found;
    for (const Session& session : value_of(store().list_sessions(filter))) found.insert(session.id);
    return found;
  };
  using Ids = std::set<SessionId>;
  EXPECT_EQ(only({.agent_name = "a"}), (Ids{plain, kid}));
  EXPECT_EQ(only({.agent_name = "A"}), Ids{});
  EXPECT_EQ(only({.status = SessionStatus::completed}), Ids{answered});
  EXPECT_EQ(only({.parent_session_id = plain}), Ids{kid});
  EXPECT_EQ(only({.parent_session_id = 99}), Ids{});
  EXPECT_EQ(only({.text = "bug"}), (Ids{plain, answered}));
  EXPECT_EQ(only({.text = "Bug_50%"}), Ids{plain});
  EXPECT_EQ(only({.text = "b_g"}), Ids{});
  EXPECT_EQ(only({.agent_name = "a", .status = SessionStatus::running, .text = "BUG"}), Ids{plain});
}

TEST_P(StoreSessions, finds_text_behind_a_nul_byte) {
  using namespace std::string_literals;
  const SessionId id = value_of(store().create_session(session_named("a", "before\0after"s)));
  EXPECT_EQ(value_of(store().list_sessions({.text = "AFTER"})).size(), 1U);
  EXPECT_EQ(value_of(store().get_session(id)).user_prompt, "before\0after"s);
}

}  // namespace

TEST(StoreStatus, every_name_leads_back_to_its_status) {
  for (const SessionStatus status : kSessionStatuses) {
    EXPECT_EQ(value_of(session_status_from(to_string(status))), status);
  }
  for (const CallStatus status : kCallStatuses) {
    EXPECT_EQ(value_of(call_status_from(to_string(status))), status);
  }
  for (const WaitKind kind : {WaitKind::question, WaitKind::approval, WaitKind::result}) {
    EXPECT_EQ(value_of(wait_kind_from(to_string(kind))), kind);
  }
  for (const WaitStatus status :
       {WaitStatus::open, WaitStatus::answered, WaitStatus::expired, WaitStatus::cancelled}) {
    EXPECT_EQ(value_of(wait_status_from(to_string(status))), status);
  }
  EXPECT_EQ(code_of(wait_kind_from("answered")), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(wait_status_from("question")), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(session_status_from("Running")), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(call_status_from("")), ErrorCode::invalid_argument);
}

TEST(StoreClock, tells_milliseconds_since_1970) {
  const std::int64_t now = system_clock_ms();
  EXPECT_GT(now, 1'600'000'000'000);
  EXPECT_LT(now, 10'000'000'000'000);
}

TEST(StoreClock, is_the_systems_where_none_is_given) {
  const std::int64_t before = system_clock_ms();
  const auto memory = open_memory_store(Clock());
  const auto sqlite = value_of(open_sqlite_store(":memory:", {.clock = Clock()}));
  ASSERT_NE(sqlite, nullptr);
  for (Store* store : {memory.get(), sqlite.get()}) {
    const SessionId id = value_of(store->create_session(session_named("a")));
    EXPECT_GE(value_of(store->get_session(id)).started_at, before);
  }
}

}  // namespace wright::store
