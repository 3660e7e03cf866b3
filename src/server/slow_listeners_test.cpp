// Listeners that fall behind while they listen: they get everything, once, when they read again.
#include <charconv>
#include <thread>

#include "server/service_testing.h"

namespace wright::server {
namespace {

std::vector<EventSequence> sequences_in(std::string_view text) {
  std::vector<EventSequence> ids;
  constexpr std::string_view kId = "id: ";
  for (std::size_t at = text.find(kId); at != text.npos; at = text.find(kId, at)) {
    at += kId.size();
    EventSequence id = 0;
    std::from_chars(text.data() + at, text.data() + text.size(), id);
    ids.push_back(id);
  }
  return ids;
}

TEST(SlowListeners, that_fall_behind_while_live_read_on_without_a_gap) {
  const auto store = open_memory_store();
  EventHub hub(*store, std::chrono::milliseconds(5));
  const auto http = http::served({}, [&](const http::Request&, const http::Responder& responder) {
    hub.listen(responder.stream({}, {.most_unsent = std::size_t{16} << 20}), 0, {});
  });
  const SessionId id = store->create_session({.agent_name = "a", .user_prompt = "b"}).value();
  std::vector<EventSequence> written;
  const auto add = [&](std::string type, std::size_t bytes) {
    const auto ids = store->apply_one(
        AppendEvents{id, {{std::move(type), JsonObject{{"text", std::string(bytes, 'x')}}}}});
    written.push_back(ids->events.front());
    hub.look();
  };
  add("first", 1);
  http::RawPeer peer(*http);
  peer.write(http::get("/"));
  std::string text = peer.read_until("first");
  // It is live now, and reads nothing: more than the sockets hold, and far more than the hub keeps
  // for one.
  constexpr int kEvents = 250;
  for (int i = 0; i < kEvents; ++i) add("more", 64 * 1024);
  // Another one is told everything meanwhile.
  http::RawPeer quick(*http);
  quick.write(http::get("/"));
  const std::string mark = fmt::format("id: {}\n", written.back());
  const std::string others = quick.read_until(mark);
  EXPECT_EQ(sequences_in(others), written);
  text += peer.read_until(mark);
  add("last", 1);
  text += peer.read_until("last");
  EXPECT_EQ(sequences_in(text), written) << "each once, in order, none left out";
  EXPECT_EQ(hub.listeners(), 2U);
}

}  // namespace
}  // namespace wright::server
