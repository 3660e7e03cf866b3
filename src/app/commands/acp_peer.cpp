#include "app/commands/acp_peer.h"

#include <unistd.h>
#include <boost/json/object.hpp>

#include <array>
#include <cerrno>

#include "app/settings/file_output.h"

namespace wright::app {

void AcpPeer::serve(const OnRequest& on_request, const OnNotification& on_notification) {
  constexpr std::size_t kLongestLine = std::size_t{32} << 20;
  mcp::FrameReader reader(kLongestLine);
  std::array<char, 64 * 1024> buffer;
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (has_ended_) break;
    }
    const ssize_t count = ::read(input_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    reader.feed(
        std::string_view(buffer.data(), static_cast<std::size_t>(count)),
        [&](std::string_view line) { take(mcp::read_frame(line), on_request, on_notification); },
        [&] { take({{mcp::too_long()}}, on_request, on_notification); });
  }
  end();
}

void AcpPeer::take(mcp::Frame frame, const OnRequest& on_request,
                   const OnNotification& on_notification) {
  if (frame.is_batch) {
    return refuse(nullptr, {mcp::code::kInvalidRequest, "batches are not taken here"});
  }
  for (mcp::Message& message : frame.messages) {
    if (auto* request = std::get_if<mcp::Request>(&message)) {
      on_request(std::move(*request));
    } else if (const auto* notification = std::get_if<mcp::Notification>(&message)) {
      on_notification(*notification);
    } else if (auto* answer = std::get_if<mcp::Answer>(&message)) {
      take_answer(std::move(*answer));
    } else {
      const auto& malformed = std::get<mcp::Malformed>(message);
      if (!malformed.is_answer) {
        refuse(malformed.id, malformed.problem);
      } else if (malformed.is_null) {  // how some say that there is nothing to say
        take_answer({.id = malformed.id, .outcome = JsonObject()});
      } else {
        take_answer({.id = malformed.id, .outcome = malformed.problem});
      }
    }
  }
}

void AcpPeer::take_answer(mcp::Answer answer) {
  if (!answer.id.is_int64()) return;
  const std::int64_t id = answer.id.get_int64();
  std::unique_lock lock(mutex_);
  if (auto late = late_.extract(id)) {
    lock.unlock();
    if (const auto* result = std::get_if<JsonObject>(&answer.outcome)) late.mapped()(*result);
    return;
  }
  const auto found = asked_.find(id);
  // Only the first answer counts: a no does not become a yes.
  if (found == asked_.end() || found->second) return;
  found->second = std::move(answer);
  changed_.notify_all();
}

void AcpPeer::notify(std::string_view method, const JsonObject& params) {
  write(mcp::notification_text(method, params));
}

void AcpPeer::answer(const mcp::RequestId& id, JsonObject result) {
  write(mcp::result_text(id, std::move(result)));
}

// With the id in any case: null is how this protocol answers what it could not read.
void AcpPeer::refuse(const mcp::RequestId& id, const mcp::Problem& problem) {
  JsonObject error{{"code", problem.code}, {"message", problem.message}};
  if (!problem.data.is_null()) error["data"] = problem.data;
  write(to_text(JsonObject{{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}}));
}

void AcpPeer::tell(std::string_view method, const JsonObject& params) {
  const std::int64_t id = [&] {
    const std::lock_guard lock(mutex_);
    return ++last_id_;
  }();
  write(mcp::request_text(id, method, params));
}

bool AcpPeer::has_ended() const {
  const std::lock_guard lock(mutex_);
  return has_ended_;
}

Result<JsonObject> AcpPeer::ask(std::string_view method, const JsonObject& params,
                                const std::stop_token& stop, Late late) {
  std::unique_lock lock(mutex_);
  const std::int64_t id = ++last_id_;
  asked_.emplace(id, std::nullopt);
  lock.unlock();
  write(mcp::request_text(id, method, params));
  lock.lock();
  changed_.wait(lock, stop, [&] { return has_ended_ || asked_.at(id).has_value(); });
  std::optional<mcp::Answer> answer = std::move(asked_.at(id));
  asked_.erase(id);
  if (!answer && late && !has_ended_) late_.emplace(id, std::move(late));
  if (!answer) return fail(ErrorCode::cancelled, "the editor has not answered");
  if (const auto* problem = std::get_if<mcp::Problem>(&answer->outcome)) {
    return fail(ErrorCode::unavailable, problem->message);
  }
  return std::move(std::get<JsonObject>(answer->outcome));
}

void AcpPeer::write(std::string line) {
  line += '\n';
  const std::lock_guard lock(writing_);
  if (write_all(output_, line) != 0) end();
}

void AcpPeer::end() {
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  changed_.notify_all();
}

}  // namespace wright::app
