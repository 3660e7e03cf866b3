#include "mcp_client/connection.h"

#include "mcp_client/connection_state.h"

namespace wright::mcp_client {

Connection::Connection(ConnectionOptions options)
    : state_(std::make_shared<State>(std::move(options))) {}

Connection::~Connection() {
  state_->close();
}

const std::string& Connection::name() const {
  return state_->options().name;
}

const Redactor& Connection::redactor() const {
  return state_->options().redactor;
}

Result<mcp::ServerView> Connection::open(const std::stop_token& stop) {
  return state_->open(stop);
}

Result<CallHandle> Connection::begin(std::string_view method, JsonObject params,
                                     const std::stop_token& stop,
                                     const std::vector<mcp::HeaderParameter>& repeated) {
  return state_->begin(method, std::move(params), stop, repeated);
}

Result<Reached> Connection::wait(const CallHandle& call, const WaitOptions& options) {
  return state_->wait(call, options);
}

bool Connection::answer(const CallHandle& call, const mcp::RequestId& id,
                        const std::variant<JsonObject, mcp::Problem>& outcome) {
  return state_->answer(call, id, outcome);
}

void Connection::cancel(const CallHandle& call, std::string_view reason) {
  state_->cancel(call, reason);
}

std::vector<std::string> Connection::take_updates() {
  return state_->take_updates();
}

std::uint64_t Connection::changes(mcp::Change change) const {
  return state_->changes(change);
}

void Connection::on_change(std::function<void(mcp::Change)> tell) {
  state_->on_change(std::move(tell));
}

}  // namespace wright::mcp_client
