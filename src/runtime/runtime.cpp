// The concurrent driver, as its users see it.
#include "runtime/runtime_implementation.h"

#include <utility>

#include "core/try.h"
#include "core/user_message.h"
#include "runtime/said_messages.h"

namespace wright {
namespace {

using runtime::ResumeRequest;

Result<void> check_given(const AgentPointer& agent) {
  if (agent != nullptr) return {};
  return fail(ErrorCode::invalid_argument, "There is no agent: the pointer is null");
}

}  // namespace

Runtime::Runtime(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

Runtime::~Runtime() = default;

Result<std::unique_ptr<Runtime>> Runtime::open(RuntimeOptions options) {
  std::unique_ptr<Store> own;
  if (options.store == nullptr) own = open_memory_store();
  // Where nothing is stored, this process alone is registered, in memory.
  Store& store = own ? *own : *options.store;
  auto runner = TRY(runtime::RunnerRegistration::open(store, options.lease_time));
  return std::unique_ptr<Runtime>(new Runtime(std::make_unique<Implementation>(
      std::move(options), std::move(own), store, std::move(runner))));
}

Store* Runtime::store() {
  return implementation_->store();
}

Result<SessionId> Runtime::start(AgentPointer agent, std::string_view prompt, RunOptions options) {
  return start(std::move(agent), Message::user(std::string(prompt)), std::move(options));
}

Result<SessionId> Runtime::start(AgentPointer agent, Message prompt, RunOptions options) {
  TRY(check_given(agent));
  return implementation_->start(std::move(agent), std::move(prompt), std::move(options));
}

Result<void> Runtime::send(AgentPointer agent, SessionId id, std::string_view message,
                           RunOptions options) {
  return send(std::move(agent), id, Message::user(std::string(message)), std::move(options));
}

Result<void> Runtime::send(AgentPointer agent, SessionId id, Message message, RunOptions options) {
  TRY(check_given(agent));
  ResumeRequest request{.id = id};
  request.said = TRY(checked_user_message(std::move(message)));
  request.config = options.config;
  return implementation_->load_tree(std::move(request), std::move(agent), std::move(options));
}

Result<void> Runtime::steer(AgentPointer agent, SessionId id, Message message, RunOptions options) {
  TRY(check_given(agent));
  return implementation_->steer(std::move(agent), id, std::move(message), std::move(options));
}

Result<void> Runtime::resume(AgentPointer agent, SessionId id, RunOptions options) {
  TRY(check_given(agent));
  ResumeRequest request{
      .id = id, .settlements = options.settlements, .reopens = options.reopens};
  return implementation_->load_tree(std::move(request), std::move(agent), std::move(options));
}

Result<std::vector<SessionId>> Runtime::resume_abandoned(std::size_t most) {
  return implementation_->resume_abandoned(most);
}

Result<std::vector<SessionId>> Runtime::claim(std::size_t most,
                                              const std::vector<std::string>& agent_names) {
  return implementation_->claim(most, agent_names);
}

Result<void> Runtime::cancel(SessionId id, std::string reason) {
  return implementation_->cancel(id, std::move(reason));
}

Result<StoredWait> Runtime::answer(WaitId id, const Json& answer, std::string answered_by) {
  return implementation_->answer(id, answer, std::move(answered_by));
}

Result<RunResult> Runtime::wait(SessionId id) {
  return implementation_->wait(id, std::nullopt);
}

Result<RunResult> Runtime::wait(SessionId id, std::chrono::milliseconds most) {
  return implementation_->wait(id, most);
}

Result<Subscription> Runtime::subscribe(SessionId id, std::uint64_t after, Listener listener) {
  return implementation_->subscribe(id, after, std::move(listener));
}

std::size_t Runtime::running() const {
  return implementation_->running();
}

bool Runtime::may_drive(const Session& session) const {
  return implementation_->may_drive(session);
}

void Runtime::drain(std::chrono::milliseconds time) {
  implementation_->drain(time);
}

}  // namespace wright
