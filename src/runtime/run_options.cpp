#include "runtime/run_options.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/text_pieces.h"

namespace wright::runtime {
namespace {

// Text as it comes, or, where it is delivered whole, when it is there.
void tell_text(const Event& event, const RunOptions& options) {
  if (const auto* delta = std::get_if<TextDelta>(&event)) {
    options.on_text({delta->text, delta->phase});
  } else if (const auto* ended = std::get_if<ModelEnded>(&event);
             ended != nullptr && options.delivery == Delivery::whole) {
    tell_texts(ended->response.content, options.on_text);
  }
}

}  // namespace

Observer observer_of(const RunOptions& options) {
  if (!options.on_text) return options.observer;
  RunOptions heard{
      .observer = options.observer, .on_text = options.on_text, .delivery = options.delivery};
  return [heard = std::move(heard)](const Event& event, const EventOrigin& origin) {
    if (origin.depth == 0) tell_text(event, heard);
    if (heard.observer) heard.observer(event, origin);
  };
}

Result<void> check_not_stopped(const RunOptions& options) {
  if (!options.stop.stop_requested()) return {};
  return fail(ErrorCode::cancelled, "The run was cancelled");
}

session::SessionPlan plan_of(std::shared_ptr<const Agent> agent, const RunOptions& options,
                             People people) {
  if (options.interceptors) {
    auto copy = std::make_shared<Agent>(*agent);
    copy->interceptors = *options.interceptors;
    agent = std::move(copy);
  }
  session::SessionPlan plan{.agent = std::move(agent), .people = people, .config = options.config};
  return in_debug_mode_if_wanted(std::move(plan), options.debug);
}

}  // namespace wright::runtime
