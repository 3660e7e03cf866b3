#include "wright/model.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "core/context_window.h"
#include "offline/investigation.h"
#include "offline/markdown.h"
#include "offline/parsed_prompt.h"
#include "offline/plans.h"
#include "offline/transcript.h"
#include "offline/wording.h"

namespace wright {
namespace offline {
namespace {

constexpr std::size_t kLongestAnswer = 14'000;
constexpr std::int64_t kBytesPerToken = 4;

using Plan = std::string (*)(const ParsedPrompt&, Investigation&);

struct TopicPlan {
  Topic topic;
  Plan plan;
};

constexpr auto kPlans = std::to_array<TopicPlan>({
    {Topic::capabilities, plan_capabilities},
    {Topic::definition, plan_definition},
    {Topic::usage, plan_usage},
    {Topic::members, plan_members},
    {Topic::subclasses, plan_subclasses},
    {Topic::search, plan_search},
    {Topic::containing_files, plan_search},
    {Topic::find_files, plan_find_files},
    {Topic::file, plan_file},
    {Topic::folder, plan_folder},
    {Topic::project, plan_project},
    {Topic::how_to, plan_how_to},
    {Topic::entry_points, plan_entry_points},
    {Topic::dependencies, plan_manifests},
    {Topic::packages, plan_manifests},
    {Topic::flags, plan_flags},
    {Topic::todos, plan_todos},
    {Topic::licence, plan_licence},
    {Topic::unknown, plan_unknown},
});

Plan plan_for(Topic topic) {
  for (const TopicPlan& row : kPlans) {
    if (row.topic == topic) return row.plan;
  }
  return nullptr;
}

// What the last user message asks; "it" is looked up in what was asked before.
std::vector<ParsedPrompt> questions_of(const Transcript& transcript) {
  std::vector<ParsedPrompt> questions = understand_all(transcript.prompt);
  std::vector<ParsedPrompt> before;
  for (ParsedPrompt& question : questions) {
    const std::string asked = question.subject;
    for (auto earlier = before.rbegin(); earlier != before.rend(); ++earlier) {
      question = with_subject_of(std::move(question), *earlier);
    }
    for (const std::string& earlier : transcript.earlier) {
      if (question.subject != asked) break;
      question = with_subject_of(std::move(question), understand(earlier));
    }
    before.push_back(question);
  }
  return questions;
}

// What nobody here can do, so that it is not taken for a search.
bool is_work(const std::string& prompt) {
  static const RE2 kWork(
      R"((?i)^(?:write|fix|refactor|implement|change|add|remove|delete|create|generate|translate|rename|improve|optimi[sz]e|make|build|run|compile|install|draw|sing|tell)\b)");
  return RE2::PartialMatch(prompt, kWork);
}

// The plan for the question; where its folder turns out not to exist, the same without the folder.
std::string investigate(const ParsedPrompt& question, Investigation& look) {
  const bool is_unknown = question.topic == Topic::unknown;
  const bool prefers_tool =
      !look.offers_file_tools() || (is_unknown && mentions_other_tool(question, look));
  if (question.topic != Topic::capabilities && prefers_tool) {
    std::string answer = plan_other_tools(question, look);
    if (!answer.empty()) return answer;
  }
  if (question.topic == Topic::capabilities) return plan_capabilities(question, look);
  if (!look.offers_file_tools() || (is_unknown && is_work(question.prompt)))
    return cannot_answer(question, look);
  if (question.topic == Topic::set) return plan_set(question, look).value_or("");
  const Plan plan = plan_for(question.topic);
  std::string answer = plan(question, look);
  if (question.path.empty() || look.is_waiting() || !look.has_failed()) return answer;
  look.forget_problems();
  ParsedPrompt everywhere = question;
  everywhere.path.clear();
  answer = plan(everywhere, look);
  if (look.is_waiting()) return answer;
  return fmt::format(
      "I could not search {} (is there such a folder?), so this is about everything.\n\n{}",
      code_span(question.path), answer);
}

// The answers to all questions, one after the other; they are looked into at the same time.
std::string investigate_all(const std::vector<ParsedPrompt>& questions, Investigation& look) {
  if (questions.size() == 1) return investigate(questions.front(), look);
  AnswerText answer;
  std::string activity;
  for (const ParsedPrompt& question : questions) {
    const std::size_t calls = look.calls().size();
    const std::string part = investigate(question, look);
    answer.block(fmt::format("## {}?", question.prompt)).block(part);
    if (look.calls().size() == calls) continue;  // this one is answered, or waits for the others
    activity += (activity.empty() ? "" : " ") + part;
  }
  return look.is_waiting() ? activity : answer.text();
}

std::string with_problems(std::string answer, const Investigation& look) {
  if (answer.size() > kLongestAnswer) {
    answer = fmt::format("{}\n\n(the answer was cut here)", utf8_prefix(answer, kLongestAnswer));
  }
  if (!look.has_failed()) return answer;
  AnswerText notes;
  notes.paragraph(answer);
  notes.heading("What did not work");
  return notes.items(look.problems(), 5, "problems").text();
}

bool is_asked_for_summary(const Message& message) {
  const auto* told =
      message.parts.size() == 1 ? std::get_if<Notice>(&message.parts.front()) : nullptr;
  return told != nullptr && told->kind == Notice::Kind::summarise;
}

std::int64_t bytes_of(const Part& part) {
  struct Size {
    std::size_t operator()(const Text& p) const { return p.text.size(); }
    std::size_t operator()(const Reasoning& p) const { return p.text.size(); }
    std::size_t operator()(const Image&) const { return 0; }  // nobody looks at it
    std::size_t operator()(const ToolCall& p) const { return p.name.size() + p.arguments.size(); }
    std::size_t operator()(const ToolResult& p) const { return p.content.size(); }
    std::size_t operator()(const Notice& p) const { return p.text.size(); }
  };
  return static_cast<std::int64_t>(std::visit(Size{}, part));
}

std::int64_t tokens_for(std::int64_t bytes) {
  return (bytes + kBytesPerToken - 1) / kBytesPerToken;
}

// There is no tokeniser; a token is taken to be four bytes.
Usage estimated_usage(const Request& request, const std::vector<Part>& content) {
  auto input = static_cast<std::int64_t>(request.system.size());
  for (const Message& message : request.messages) {
    for (const Part& part : message.parts) input += bytes_of(part);
  }
  std::int64_t output = 0;
  for (const Part& part : content) output += bytes_of(part);
  Usage usage;
  usage.input_tokens = tokens_for(input);
  usage.output_tokens = tokens_for(output);
  return usage;
}

// Cuts a final answer that the request allows no room for.
StopReason limit(std::string& text, const Request& request) {
  if (request.sampling == nullptr || request.sampling->max_tokens <= 0) return StopReason::end_turn;
  const auto most = static_cast<std::size_t>(request.sampling->max_tokens * kBytesPerToken);
  if (text.size() <= most) return StopReason::end_turn;
  text = utf8_prefix(text, most);
  return StopReason::max_tokens;
}

// Whether an image or a file comes with what the user says now.
bool shows_something(const Request& request) {
  const auto said = std::ranges::find_if(request.messages.rbegin(), request.messages.rend(),
                                         [](const Message& each) { return each.is_from_user(); });
  return said != request.messages.rend() && std::ranges::any_of(said->parts, [](const Part& part) {
           return std::holds_alternative<Image>(part);
         });
}

Result<Response> complete(const Request& request, const ModelCall& call) {
  if (call.stop.stop_requested())
    return fail(ErrorCode::cancelled, "The offline planner was stopped");
  const ResponseFormat::Kind format = request.sampling == nullptr
                                          ? ResponseFormat::Kind::text
                                          : request.sampling->response_format.kind;
  if (format == ResponseFormat::Kind::json_schema) {
    return fail(ErrorCode::unsupported,
                "The offline planner cannot answer by a JSON schema; choose a language model");
  }
  if (shows_something(request)) {
    return fail(
        ErrorCode::unsupported,
        "The offline planner looks at no images or files. Choose a model that does: `wright "
        "models` lists them, --model NAME takes one");
  }
  // It has no words of its own for what was said.
  if (!request.messages.empty() && is_asked_for_summary(request.messages.back())) {
    return Response{.model = "planner"};
  }
  const Transcript transcript = read_transcript(request);
  Investigation look(request, transcript);
  std::vector<ParsedPrompt> questions = questions_of(transcript);
  if (!look.offers_file_tools()) {
    // What another tool is given is the whole message, as it was written.
    questions.resize(1);
    questions.front().prompt = trim(transcript.prompt);
  }
  const bool asks_about_us =
      questions.size() == 1 && questions.front().topic == Topic::capabilities;
  const auto answer = [&] {
    if (!asks_about_us && gathers_requirements(look)) {
      return plan_requirements(request, transcript, look);
    }
    if (!asks_about_us && is_about_database(transcript.prompt, look)) {
      return plan_database(transcript.prompt, look);
    }
    if (auto change = plan_change(transcript.prompt, look)) return std::move(*change);
    return investigate_all(questions, look);
  };
  std::string text = visible(answer());

  Response response;
  response.model = "planner";
  if (look.is_waiting()) {
    response.stop_reason = StopReason::tool_use;
    response.content.emplace_back(Text{text});
    for (const ToolCall& wanted : look.calls()) response.content.emplace_back(wanted);
  } else {
    text = with_problems(std::move(text), look);
    if (format == ResponseFormat::Kind::json_object) text = to_text(JsonObject{{"answer", text}});
    response.stop_reason = limit(text, request);
    response.content.emplace_back(Text{text});
  }
  response.usage = estimated_usage(request, response.content);
  if (call.on_text) call.on_text(text);
  return response;
}

}  // namespace
}  // namespace offline

Model offline_model() {
  return model_from("offline", "planner", offline::complete);
}

}  // namespace wright
