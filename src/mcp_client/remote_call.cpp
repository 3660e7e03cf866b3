#include "mcp_client/remote_call.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "core/try.h"
#include "core/unknown_outcome.h"
#include "mcp/content.h"
#include "mcp/elicitation.h"

namespace wright::mcp_client {
namespace {

constexpr std::string_view kElicit = "elicitation/create";
constexpr std::size_t kMostParked = 1000;

std::string key_of(const Context& context) {
  return fmt::format("{}/{}", context.session_id, context.call_id);
}

// "key.field" where the server asks several things at once.
std::string field_id(std::string_view key, std::string_view field, bool is_alone) {
  return is_alone ? std::string(field) : fmt::format("{}.{}", key, field);
}

// The answers of one form out of those to all of them.
Json answers_for(std::string_view key, const Json& answer, bool is_alone) {
  if (is_alone || !answer.is_object()) return answer;
  Json own = answer;
  Json* responses = own.get_object().if_contains("responses");
  if (responses == nullptr || !responses->is_array()) return own;
  const std::string prefix = fmt::format("{}.", key);
  JsonArray kept;
  for (Json& each : responses->get_array()) {
    JsonObject* response = each.if_object();
    const std::string id = response != nullptr ? mcp::text_in(*response, "question_id") : "";
    if (!id.starts_with(prefix)) continue;
    (*response)["question_id"] = id.substr(prefix.size());
    kept.push_back(std::move(each));
  }
  *responses = std::move(kept);
  return own;
}

// So that what the server does can be seen as part of the call.
void pass_on(const TraceContext& trace, JsonObject& params) {
  if (!trace.is_set()) return;
  Json& meta = params["_meta"];
  if (!meta.is_object()) meta.emplace_object();
  meta.get_object()["traceparent"] = trace.parent;
  if (!trace.state.empty()) meta.get_object()["tracestate"] = trace.state;
}

// Whether an answer that was given before is one to these questions.
bool answers_all(const Json& answer, const AskUserRequest& asked) {
  const JsonObject* object = answer.if_object();
  const Json* responses = object != nullptr ? object->if_contains("responses") : nullptr;
  if (responses == nullptr || !responses->is_array()) return false;
  return std::ranges::all_of(asked.questions, [&](const Question& question) {
    return question.is_optional ||
           std::ranges::any_of(responses->get_array(), [&](const Json& each) {
             return each.is_object() &&
                    mcp::text_in(each.get_object(), "question_id") == question.id;
           });
  });
}

std::unexpected<Error> outcome_unknown(std::string_view server, std::string_view why) {
  return std::unexpected(unknown_outcome(
      ErrorCode::unavailable,
      fmt::format("The outcome of this call is not known: the MCP server {} gave no answer "
                  "to it ({}). It may have happened or not, and it was not repeated. Find "
                  "out before you do it again.",
                  server, to_valid_utf8(std::string(why)))));
}

}  // namespace

std::optional<mcp::Problem> RemoteCalls::add_question(const std::string& key,
                                                      const std::string& method, JsonObject params,
                                                      Questions& questions) const {
  if (method == kElicit) {
    questions.forms[key] = std::move(params);
    return std::nullopt;
  }
  if (method != kSample || models_ == nullptr) {
    return mcp::Problem{mcp::code::kMethodNotFound, "this is not supported"};
  }
  auto form = consent_form(params);
  if (!form) return mcp::Problem{mcp::code::kInvalidParams, form.error().message};
  questions.forms[key] = std::move(*form);
  questions.samplings[key] = std::move(params);
  return std::nullopt;
}

Result<void> RemoteCalls::word(Questions& questions) const {
  const auto& forms = questions.forms;
  questions.asked = {.required = false};
  std::string prompt = fmt::format("The MCP server {} asks", connection_->name());
  for (const auto& [key, form] : forms) {
    auto request = TRY(mcp::questions_in(form));
    if (request.prompt && !request.prompt->empty()) prompt += fmt::format(": {}", *request.prompt);
    for (Question& question : request.questions) {
      question.id = field_id(key, question.id, forms.size() == 1);
      questions.asked.questions.push_back(std::move(question));
    }
  }
  questions.asked.prompt = to_valid_utf8(std::move(prompt));
  TRY(check(questions.asked));
  return {};
}

RemoteCalls::Answer RemoteCalls::answer_to(std::string_view key, const Questions& questions,
                                           const Json& given, const Context& context) const {
  JsonObject said = mcp::form_result(answers_for(key, given, questions.forms.size() == 1));
  const auto sampling = questions.samplings.find(key);
  if (sampling == questions.samplings.end()) return said;
  if (!is_consent(said)) return mcp::Problem{-1, "the person does not want the model to be asked"};
  auto answer = models_->answer(sampling->second, context);
  if (!answer) return mcp::Problem{mcp::code::kInternalError, answer.error().message};
  return std::move(*answer);
}

// In the newest revision an answer is a result, or there is none.
Result<JsonObject> RemoteCalls::responses_to(const Questions& questions, const Json& given,
                                             const Context& context) const {
  JsonObject responses;
  for (const auto& [key, form] : questions.forms) {
    auto answer = answer_to(key, questions, given, context);
    if (const auto* problem = std::get_if<mcp::Problem>(&answer)) {
      return fail(ErrorCode::tool_failed, fmt::format("The MCP server {} gets no answer: {}",
                                                      connection_->name(), problem->message));
    }
    responses[key] = std::get<JsonObject>(std::move(answer));
  }
  return responses;
}

Waiting RemoteCalls::park(const Context& context, Parked parked) {
  Waiting waiting{.kind = WaitKind::question, .shown = encode(parked.questions.asked)};
  const std::lock_guard lock(mutex_);
  // Those that nobody came back for.
  if (parked_.size() >= kMostParked) parked_.erase(parked_.begin());
  parked_.insert_or_assign(key_of(context), std::move(parked));
  return waiting;
}

std::optional<RemoteCalls::Parked> RemoteCalls::take_parked(const Context& context) {
  const std::lock_guard lock(mutex_);
  auto found = parked_.extract(key_of(context));
  if (found.empty()) return std::nullopt;
  return std::move(found.mapped());
}

Result<ToolReply> RemoteCalls::run(const RemoteToolCall& call, const Json& arguments,
                                   const Context& context, const MayBegin& may_begin) {
  JsonObject params{{"name", call.tool}, {"arguments", arguments}};
  pass_on(context.trace, params);
  const std::optional<Json>& given = context.answers.answer;
  auto parked = given ? take_parked(context) : std::nullopt;
  if (parked && parked->handle.number != 0) {
    // It is still under way, if the server still lives.
    const Answer answer =
        answer_to(parked->questions.forms.begin()->first, parked->questions, *given, context);
    if (connection_->answer(parked->handle, parked->question, answer)) {
      return finish(call, parked->handle, params, std::nullopt, context);
    }
  } else if (parked) {
    JsonObject again = parked->params;
    again["inputResponses"] = TRY(responses_to(parked->questions, *given, context));
    pass_on(context.trace, again);
    const auto handle = TRY(connection_->begin("tools/call", again, context.stop, call.repeated));
    return finish(call, handle, params, std::nullopt, context);
  }
  if (given) {
    // Another process, or another life of the server, had begun the call and was asked. Servers of
    // the older revisions ask in the middle of what they do.
    const auto server = TRY(connection_->open(context.stop));
    if (server.era == mcp::Era::legacy && call.effect == Effect::write) {
      return outcome_unknown(connection_->name(), "the process that called it has ended");
    }
  }
  (void)TRY(connection_->open(context.stop));  // which may take long
  if (may_begin) TRY(may_begin());
  if (context.still_ours) TRY(context.still_ours());
  const auto handle = TRY(connection_->begin("tools/call", params, context.stop, call.repeated));
  return finish(call, handle, params, given, context);
}

Result<Reached> RemoteCalls::go_on(const RemoteToolCall& call, const CallHandle& handle,
                                   std::chrono::steady_clock::time_point deadline,
                                   const Context& context) {
  WaitOptions options{.stop = context.stop, .timeout = call.timeout, .deadline = deadline};
  if (context.progress) {
    options.on_progress = [&](const mcp::Progress& progress) {
      std::string text = progress.message;
      if (progress.total && *progress.total > 0) {
        text = fmt::format("{:.0f} %{}{}", 100 * progress.progress / *progress.total,
                           text.empty() ? "" : " ", text);
      }
      if (!text.empty()) context.progress(text);
    };
  }
  return connection_->wait(handle, options);
}

// `params` are those of the call as it began; `spare` is an answer that was given before.
Result<ToolReply> RemoteCalls::finish(const RemoteToolCall& call, CallHandle handle,
                                      JsonObject params, std::optional<Json> spare,
                                      const Context& context) {
  constexpr int kMostRounds = 20;
  const auto deadline = std::chrono::steady_clock::now() + call.timeout;  // of all rounds together
  for (int round = 0; round < kMostRounds; ++round) {
    auto reached = TRY(go_on(call, handle, deadline, context));
    if (auto* result = std::get_if<JsonObject>(&reached)) {
      auto output = TRY(mcp::output_of(*result, call.output_schema));
      return output;
    }
    if (const auto* problem = std::get_if<mcp::Problem>(&reached)) {
      return fail(ErrorCode::tool_failed,
                  fmt::format("The MCP server {} refuses: {}", connection_->name(),
                              to_valid_utf8(problem->message)));
    }
    if (const auto* lost = std::get_if<Lost>(&reached)) {
      if (call.effect == Effect::write && lost->arrived == Arrived::maybe) {
        return outcome_unknown(connection_->name(), lost->why);
      }
      return fail(lost->code, fmt::format("The MCP server {} gave no answer: {}",
                                          connection_->name(), to_valid_utf8(lost->why)));
    }
    Parked parked;
    Questions& questions = parked.questions;
    if (auto* asked = std::get_if<Asked>(&reached)) {
      const auto problem =
          add_question("question", asked->method, std::move(asked->params), questions);
      if (problem) {
        connection_->answer(handle, asked->id, *problem);
        continue;
      }
      parked.handle = handle;
      parked.question = asked->id;
    } else {
      auto& needs = std::get<mcp::InputRequired>(reached);
      for (auto& [key, request] : needs.requests) {
        const auto problem =
            add_question(key, request.method, std::move(request.params), questions);
        if (problem) {
          return fail(ErrorCode::unsupported,
                      fmt::format("The MCP server {} needs {}, which cannot be had here: {}",
                                  connection_->name(), request.method, problem->message));
        }
      }
      parked.params = params;
      if (needs.state) parked.params["requestState"] = *needs.state;
      if (questions.forms.empty()) {
        // It only wants to be asked again.
        handle = TRY(connection_->begin("tools/call", parked.params, context.stop, call.repeated));
        continue;
      }
    }
    if (auto worded = word(questions); !worded) {
      if (parked.handle.number == 0) return std::unexpected(std::move(worded).error());
      connection_->answer(handle, parked.question, JsonObject{{"action", "cancel"}});
      continue;
    }
    if (spare && answers_all(*spare, questions.asked)) {
      const Json given = *std::exchange(spare, std::nullopt);
      if (parked.handle.number != 0) {
        connection_->answer(handle, parked.question,
                            answer_to(questions.forms.begin()->first, questions, given, context));
        continue;
      }
      parked.params["inputResponses"] = TRY(responses_to(questions, given, context));
      handle = TRY(connection_->begin("tools/call", parked.params, context.stop, call.repeated));
      continue;
    }
    return park(context, std::move(parked));
  }
  connection_->cancel(handle, "it asked too often");
  return fail(ErrorCode::limit_reached,
              fmt::format("The MCP server {} asks without end", connection_->name()));
}

}  // namespace wright::mcp_client
