// A tree of sessions on a store in memory, driven by hand: what it writes and what it wants done is
// looked at before it happens.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session/session_tree.h"
#include "wright/store.h"
#include "wright/testing.h"

namespace wright::session::testing {

class TreeByHand {
 public:
  explicit TreeByHand(Agent agent, People people = People::may_answer_later)
      : agent_(std::make_shared<const Agent>(std::move(agent))),
        runner_(*store_->register_runner("by hand", std::chrono::hours(1))),
        tree_(options()) {
    tree_.plant_new({.agent = agent_, .people = people}, start(*agent_, "Go"),
                    {.agent_name = agent_->name, .user_prompt = "Go"});
  }

  Store& store() { return *store_; }
  SessionTree& tree() { return tree_; }
  SessionId session(NodeId node = kRoot) { return tree_.at(node).journal().session_id(); }
  RunnerId runner() const { return runner_; }
  void pass(std::int64_t milliseconds) { now_.steady_ms += milliseconds; }

  void begin() {
    TreeOutput output;
    tree_.begin(now_, output);
    keep(std::move(output));
  }
  void input(NodeId node, Input input) {
    TreeOutput output;
    tree_.step(now_, node, std::move(input), output);
    keep(std::move(output));
  }

  bool is_writing() const { return !batches_.empty(); }
  const Batch& batch() const { return batches_.front().second; }
  // Writes the next batch, and tells the tree.
  void write() {
    auto [node, batch] = std::move(batches_.front());
    batches_.pop_front();
    input(node, Written{std::move(store_->apply_all({&batch, 1}).front())});
  }
  // The next batch of this session overtakes those of others.
  void write_first(NodeId node) {
    std::ranges::stable_partition(batches_, [&](const auto& each) { return each.first == node; });
    write();
  }
  // The next batch is not applied.
  void refuse(Error error) {
    const NodeId node = batches_.front().first;
    batches_.pop_front();
    input(node, Written{std::unexpected(std::move(error))});
  }
  void write_all() {
    while (is_writing()) write();
  }

  // The next action of this kind, with its node; what stands before it is dropped.
  template <class Kind>
  std::optional<std::pair<NodeId, Kind>> take() {
    while (!actions_.empty()) {
      auto [node, action] = std::move(actions_.front());
      actions_.pop_front();
      if (auto* found = std::get_if<Kind>(&action)) return std::pair(node, std::move(*found));
    }
    return std::nullopt;
  }
  template <class Kind>
  bool wants() const {
    for (const auto& each : actions_) {
      if (std::holds_alternative<Kind>(each.second)) return true;
    }
    return false;
  }

  void answer_model(NodeId node, Response response) {
    input(node, ModelCame{std::move(response), 1});
  }
  void end_call(NodeId node, const RunCall& run, std::string text) {
    ToolOutcome outcome{
        .result = {.call_id = run.call->id, .name = run.call->name, .content = text},
        .response = Json(text)};
    input(node, CallEnded{run.call->id, run.attempt, std::move(outcome)});
  }
  void let_wait(NodeId node, const RunCall& run, Waiting waiting) {
    ToolOutcome outcome{.result = {.call_id = run.call->id, .name = run.call->name},
                        .waiting = std::move(waiting)};
    input(node, CallEnded{run.call->id, run.attempt, std::move(outcome)});
  }

 private:
  TreeOptions options() {
    return {.machine = {.has_store = true, .grace = std::chrono::milliseconds(50)},
            .runner = runner_};
  }
  void keep(TreeOutput output) {
    for (auto& each : output.batches) batches_.push_back(std::move(each));
    for (auto& each : output.actions) actions_.push_back(std::move(each));
  }

  const std::shared_ptr<const Agent> agent_;
  const std::unique_ptr<Store> store_ = open_memory_store();
  const RunnerId runner_;
  SessionTree tree_;
  Now now_;
  std::deque<std::pair<NodeId, Batch>> batches_;
  std::deque<std::pair<NodeId, Action>> actions_;
};

}  // namespace wright::session::testing
