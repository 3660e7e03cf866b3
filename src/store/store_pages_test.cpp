// What every store promises about reading lists page by page, and about events.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

class StorePages : public StoreSuite {
 protected:
  template <class Value>
  static std::vector<std::int64_t> ids_of(const std::vector<Value>& values) {
    std::vector<std::int64_t> ids;
    for (const Value& value : values) {
      if constexpr (requires { value.sequence; }) {
        ids.push_back(value.sequence);
      } else {
        ids.push_back(value.id);
      }
    }
    return ids;
  }

  // Holds read(page) against all ids, which are in order.
  template <class Read>
  static void expect_pages(const std::vector<std::int64_t>& all, Read read) {
    ASSERT_GE(all.size(), 5U);
    using Ids = std::vector<std::int64_t>;
    using Keep = Page::Keep;
    EXPECT_EQ(read({}), all);
    EXPECT_EQ(read({.limit = 0}), Ids{});
    EXPECT_EQ(read({.limit = 2}), Ids(all.begin(), all.begin() + 2));
    EXPECT_EQ(read({.limit = 2, .keep = Keep::last}), Ids(all.end() - 2, all.end()));
    EXPECT_EQ(read({.keep = Keep::last}), all) << "oldest first all the same";
    EXPECT_EQ(read({.after = all[1]}), Ids(all.begin() + 2, all.end()));
    EXPECT_EQ(read({.before = all[2]}), Ids(all.begin(), all.begin() + 2));
    EXPECT_EQ(read({.after = all[0], .before = all[3]}), (Ids{all[1], all[2]}));
    EXPECT_EQ(read({.after = all.back()}), Ids{});
    EXPECT_EQ(read({.before = all[3], .limit = 1, .keep = Keep::last}), Ids{all[2]});
    Ids forward;
    for (Page page{.limit = 2};;) {
      const Ids more = read(page);
      if (more.empty()) break;
      forward.insert(forward.end(), more.begin(), more.end());
      page.after = more.back();
    }
    EXPECT_EQ(forward, all);
    Ids backward;
    for (Page page{.limit = 2, .keep = Keep::last};;) {
      const Ids more = read(page);
      if (more.empty()) break;
      backward.insert(backward.begin(), more.begin(), more.end());
      page.before = more.front();
    }
    EXPECT_EQ(backward, all);
  }
};
INSTANTIATE_TEST_SUITE_P(Every, StorePages, kEveryStore, name_of_kind);

TEST_P(StorePages, of_messages) {
  const SessionId id = new_session();
  const SessionId other = new_session();
  std::vector<std::int64_t> all;
  for (int i = 0; i < 7; ++i) {
    now_ -= 10;  // order is by id
    all.push_back(value_of(store().create_message(id, Role::user, "x")));
    value_of(store().create_message(other, Role::user, "y"));
  }
  expect_pages(all,
               [&](const Page& page) { return ids_of(value_of(store().get_messages(id, page))); });
  EXPECT_EQ(code_of(store().get_messages(4711, {.limit = 1})), ErrorCode::not_found);
}

TEST_P(StorePages, of_calls_and_of_calls_in_one_status) {
  const SessionId id = new_session();
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> failed;
  for (int i = 0; i < 12; ++i) {
    all.push_back(call_in(id, i % 2 == 0 ? CallStatus::failed : CallStatus::pending));
    if (i % 2 == 0) failed.push_back(all.back());
  }
  expect_pages(all, [&](const Page& page) {
    return ids_of(value_of(store().get_tool_calls(id, {.page = page})));
  });
  expect_pages(failed, [&](const Page& page) {
    return ids_of(value_of(store().get_tool_calls(id, {CallStatus::failed, page})));
  });
  EXPECT_EQ(code_of(store().get_tool_calls(4711, {.status = CallStatus::failed})),
            ErrorCode::not_found);
}

TEST_P(StorePages, of_waits) {
  const SessionId id = new_session();
  std::vector<std::int64_t> all;
  for (int i = 0; i < 6; ++i) {
    const SessionId session = i % 2 == 0 ? id : new_child(id);
    const CallId call = call_in(session, CallStatus::waiting);
    all.push_back(value_of(store().apply_one(OpenWait{session, call})).waits.front());
  }
  expect_pages(
      all, [&](const Page& page) { return ids_of(value_of(store().get_waits({.page = page}))); });
  expect_pages(all, [&](const Page& page) {
    return ids_of(
        value_of(store().get_waits({.session_id = id, .status = WaitStatus::open, .page = page})));
  });
}

TEST_P(StorePages, of_sessions) {
  std::vector<std::int64_t> all;
  for (int i = 0; i < 7; ++i) all.insert(all.begin(), new_session());
  std::vector<std::int64_t> read;
  for (SessionFilter filter{.limit = 3};;) {
    const auto more = ids_of(value_of(store().list_sessions(filter)));
    if (more.empty()) break;
    read.insert(read.end(), more.begin(), more.end());
    filter.before = more.back();
    new_session();  // what comes meanwhile moves nothing
  }
  EXPECT_EQ(read, all);
  EXPECT_EQ(ids_of(value_of(store().list_sessions({.after = all[2], .before = all[0]}))),
            std::vector{all[1]});
}

TEST_P(StorePages, roots_and_ended_sessions_can_be_asked_for) {
  const SessionId root = new_session();
  const SessionId child = new_child(root);
  EXPECT_EQ(ids_of(value_of(store().list_sessions({.is_root = true}))), std::vector{root});
  EXPECT_TRUE(value_of(store().list_sessions({.ended_before = now_ + 100})).empty());
  now_ += 10;
  set_status(child, SessionStatus::failed);
  EXPECT_TRUE(value_of(store().list_sessions({.ended_before = now_})).empty());
  EXPECT_EQ(ids_of(value_of(store().list_sessions({.ended_before = now_ + 1}))),
            std::vector{child});
}

TEST_P(StorePages, of_events) {
  const SessionId root = new_session();
  const SessionId child = new_child(root);
  const SessionId other = new_session();
  EXPECT_TRUE(value_of(store().get_events({})).empty());
  const std::vector<Write> writes{
      AppendEvents{root, {{"started", {{"a", 1}}}, {"text\xFF", nullptr, now_ - 5}}},
      AppendEvents{child, {{"started", Json("x")}}}, AppendEvents{other, {{"other", 1}}},
      AppendEvents{root, {{"ended", 2}}}};
  const std::vector<EventSequence> given = value_of(store().apply(writes)).events;
  ASSERT_EQ(given.size(), 5U);
  EXPECT_TRUE(std::is_sorted(given.begin(), given.end()));

  const auto events = value_of(store().get_events({}));
  EXPECT_EQ(ids_of(events), given);
  EXPECT_EQ(events[0].session_id, root);
  EXPECT_EQ(events[0].type, "started");
  EXPECT_EQ(events[0].data, (Json{{"a", 1}}));
  EXPECT_EQ(events[0].at, now_);
  EXPECT_EQ(events[1].type, "text\xEF\xBF\xBD");
  EXPECT_TRUE(events[1].data.is_null());
  EXPECT_EQ(events[1].at, now_ - 5);
  using Ids = std::vector<EventSequence>;
  EXPECT_EQ(ids_of(value_of(store().get_events({.after = given[1], .limit = 2}))),
            (Ids{given[2], given[3]}));
  EXPECT_EQ(ids_of(value_of(store().get_events({.session_id = root}))),
            (Ids{given[0], given[1], given[2], given[4]}));
  EXPECT_EQ(ids_of(value_of(store().get_events({.after = given[2], .session_id = root}))),
            Ids{given[4]});
  EXPECT_EQ(ids_of(value_of(store().get_events({.session_id = child}))), Ids{given[2]});
  EXPECT_EQ(code_of(store().get_events({.session_id = 4711})), ErrorCode::not_found);

  expect_ok(store().delete_session(other));
  EXPECT_EQ(value_of(store().get_events({})).size(), 4U);
  const auto next = value_of(store().apply_one(AppendEvents{root, {{"more", 1}}})).events;
  EXPECT_GT(next.front(), given.back());
}

TEST_P(StorePages, an_event_belongs_to_a_session_and_to_its_batch) {
  EXPECT_EQ(code_of(store().apply_one(AppendEvents{4711, {{"x", 1}}})), ErrorCode::not_found);
  EXPECT_EQ(code_of(store().apply_one(AppendEvents{4711, {}})), ErrorCode::not_found);
  const SessionId id = new_session();
  const std::vector<Write> writes{AppendEvents{id, {{"x", 1}}}, UpdateCall{.call_id = 4711}};
  EXPECT_FALSE(store().apply(writes));
  EXPECT_TRUE(value_of(store().get_events({})).empty());
  Json deep = 1;
  for (int level = 0; level <= kMaxJsonDepth; ++level) deep = JsonArray{std::move(deep)};
  EXPECT_EQ(code_of(store().apply_one(AppendEvents{id, {{"x", deep}}})),
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace wright::store
