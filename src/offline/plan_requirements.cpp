// Gathers requirements with the tool ask_user: asks once for what a wish leaves open, then writes
// the document.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "offline/plans.h"
#include "offline/process_request.h"
#include "offline/wording.h"
#include "wright/requirements.h"

namespace wright::offline {
namespace {

constexpr std::string_view kAskUser = "ask_user";
constexpr std::size_t kLongestStated = 400;
constexpr std::size_t kMostInList = 8;

constexpr std::string_view kPurpose = "purpose";
constexpr std::string_view kTrigger = "trigger";
constexpr std::string_view kActorsQuestion = "actors";
constexpr std::string_view kSourceTypes = "data_sources";
constexpr std::string_view kSourceNames = "data_source_names";
constexpr std::string_view kOutcome = "outcome";
constexpr std::string_view kExample = "example";

// What was asked in the whole conversation, and what came back.
struct Inquiry {
  bool has_asked = false;
  bool has_failed = false;  // nobody answered
  std::map<std::string, Json> answers;

  std::string text(std::string_view id) const {
    const auto found = answers.find(std::string(id));
    if (found == answers.end()) return {};
    const Json& answer = found->second;
    if (answer.is_string()) {
      const std::string said = without_credentials(std::string_view(answer.get_string()));
      return std::string(trim(utf8_prefix(said, kLongestStated)));
    }
    return answer.is_null() ? std::string() : to_text(answer);
  }

  std::vector<std::string> list(std::string_view id) const {
    const auto found = answers.find(std::string(id));
    std::vector<std::string> items;
    if (found == answers.end() || !found->second.is_array()) return items;
    for (const Json& each : found->second.get_array()) {
      if (each.is_string() && items.size() < kMostInList) {
        items.emplace_back(utf8_prefix(each.get_string(), kLongestStated));
      }
    }
    return items;
  }
};

void take_answers(std::string_view content, Inquiry& inquiry) {
  const auto result = parse_leniently(content);
  const JsonObject* object = result ? result->if_object() : nullptr;
  const Json* responses = object == nullptr ? nullptr : object->if_contains("responses");
  if (responses == nullptr) return;
  const auto take = [&](std::string_view id, const Json& answer) {
    inquiry.answers[std::string(id)] = answer;
  };
  // Some tools answer with a map instead of a list.
  if (const JsonObject* map = responses->if_object()) {
    for (const auto& member : *map) take(member.key(), member.value());
  }
  if (!responses->is_array()) return;
  for (const Json& each : responses->get_array()) {
    const JsonObject* response = each.if_object();
    const Json* id = response == nullptr ? nullptr : response->if_contains("question_id");
    const Json* answer = response == nullptr ? nullptr : response->if_contains("answer");
    if (id != nullptr && answer != nullptr && id->is_string()) take(id->get_string(), *answer);
  }
}

Inquiry inquiry_of(const Request& request) {
  Inquiry inquiry;
  std::set<std::string> ids;
  for (const Message& message : request.messages) {
    for (const Part& part : message.parts) {
      if (const auto* call = std::get_if<ToolCall>(&part); call != nullptr) {
        if (call->name == kAskUser) ids.insert(call->id);
      } else if (const auto* result = std::get_if<ToolResult>(&part); result != nullptr) {
        if (!ids.contains(result->call_id)) continue;
        inquiry.has_asked = true;
        inquiry.has_failed = result->is_error;
        if (!result->is_error) take_answers(result->content, inquiry);
      }
    }
  }
  return inquiry;
}

JsonObject question(std::string_view id, std::string_view text, std::string_view description,
                    std::string_view type = "text") {
  return {{"id", id}, {"question", text}, {"type", type}, {"description", description}};
}

JsonObject optional(JsonObject question) {
  question["optional"] = true;
  return question;
}

JsonObject with_options(JsonObject question, std::initializer_list<std::string_view> options) {
  JsonArray array;
  for (const std::string_view option : options) array.emplace_back(option);
  question["options"] = std::move(array);
  return question;
}

// What the wish leaves open, the most important first.
JsonArray questions_about(const ProcessRequest& wish) {
  JsonArray questions;
  const bool is_thing = !wish.thing.empty();
  if (is_thing || wish.is_foreign || wish.steps.empty()) {
    questions.push_back(
        is_thing
            ? question(kPurpose, fmt::format("What is the primary purpose of the {}?", wish.thing),
                       "What it is for, for example: sell bread online, show our portfolio")
            : question(kPurpose, "What shall be reached?",
                       "The result you want, for example: every invoice is booked the day it "
                       "arrives"));
  }
  if (wish.actors.empty()) {
    questions.push_back(question(kActorsQuestion,
                                 is_thing ? fmt::format("Who will use the {}?", wish.thing)
                                          : "Who takes part, and who gets the result?",
                                 "For example: customers, our sales team"));
  }
  if (!is_thing && wish.trigger.empty()) {
    questions.push_back(
        with_options(question(kTrigger, "What starts it?",
                              "Where several fit, choose the most frequent", "select"),
                     {"A schedule, such as every morning", "Something that arrives or changes",
                      "Somebody who asks for it"}));
  }
  if (wish.sources.empty()) {
    questions.push_back(
        with_options(question(kSourceTypes, "Where do the data come from?",
                              "The kinds of sources; access is set up later", "multiselect"),
                     {"Database", "Spreadsheet", "E-mail", "Files", "API of another system", "Form",
                      "Typed in by people", "Nothing yet"}));
    questions.push_back(optional(
        question(kSourceNames, "What are these sources called?",
                 "Names only, for example: Gmail, the table orders. No passwords or keys")));
  }
  if (wish.outcome.empty()) {
    questions.push_back(question(
        kOutcome,
        is_thing ? fmt::format("What shall somebody be able to do with the {}?", wish.thing)
                 : "What has happened when it is done, and who gets to know?",
        is_thing ? "The two or three most important things, for example: order, pay, track"
                 : "For example: a summary by e-mail to the sales team"));
  }
  if (wish.examples.empty()) {
    questions.push_back(optional(
        question(kExample,
                 is_thing ? "Is there an example that shows what you mean?"
                          : "Can you give a real example of what is processed?",
                 "For example: a page you like, the text of an e-mail, a row of a table")));
  }
  return questions;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty() && items.size() < kMostInList) {
    const std::size_t end =
        std::min({text.find(','), text.find(';'), text.find('\n'), text.size()});
    std::string_view item = trim(text.substr(0, end));
    if (item.starts_with("and ")) item.remove_prefix(4);
    if (!item.empty()) items.emplace_back(item);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return items;
}

void add_sources(const Inquiry& inquiry, RequirementsDocument& document) {
  const std::string names = inquiry.text(kSourceNames);
  for (const std::string& type : inquiry.list(kSourceTypes)) {
    if (type == "Nothing yet") continue;
    document.data_sources.push_back({type, {}, {}});
  }
  if (names.empty()) return;
  if (document.data_sources.size() == 1) {
    document.data_sources.front().name = names;
  } else {
    document.data_sources.push_back({"Named by the person", names, {}});
  }
}

void add_steps(const ProcessRequest& wish, const Inquiry& inquiry, RequirementsDocument& document) {
  if (const std::string trigger = inquiry.text(kTrigger); !trigger.empty()) {
    document.steps.push_back(fmt::format("It starts with: {}", trigger));
  }
  // "Build me a website" is the goal and no step of what it does.
  if (wish.thing.empty()) {
    document.steps.insert(document.steps.end(), wish.steps.begin(), wish.steps.end());
  }
  if (const std::string outcome = inquiry.text(kOutcome); !outcome.empty()) {
    document.steps.push_back(
        fmt::format("{}: {}", wish.thing.empty() ? "In the end" : "People can", outcome));
  }
}

void add_open_points(const ProcessRequest& wish, const Inquiry& inquiry,
                     RequirementsDocument& document) {
  const auto point = [&](std::string_view text) { document.open_points.emplace_back(text); };
  const bool is_thing = !wish.thing.empty();
  if (is_thing && inquiry.text(kPurpose).empty()) {
    point(fmt::format("What the {} is for is not settled.", wish.thing));
  }
  if (document.actors.empty()) point("Who takes part is not settled.");
  if (!is_thing && wish.trigger.empty() && inquiry.text(kTrigger).empty()) {
    point("What starts it is not settled.");
  }
  if (document.data_sources.empty()) {
    point("Where the data come from is not settled.");
  } else if (std::ranges::any_of(document.data_sources,
                                 [](const DataSource& source) { return source.name.empty(); })) {
    point("What some of the data sources are called is not known.");
  }
  if (wish.outcome.empty() && inquiry.text(kOutcome).empty()) {
    point("What comes out of it, and who gets it, is not settled.");
  }
  if (document.examples.empty()) point("There is no real example yet.");
}

RequirementsDocument document_of(const ProcessRequest& wish, const Inquiry& inquiry) {
  RequirementsDocument document;
  const std::string purpose = inquiry.text(kPurpose);
  document.goal = wish.goal;
  if (!purpose.empty()) {
    document.goal += fmt::format("{}{}", document.goal.empty() ? "" : ": ", purpose);
  }
  if (document.goal.empty()) document.goal = "Not settled";
  document.actors = wish.actors;
  for (std::string& actor : split_list(inquiry.text(kActorsQuestion))) {
    document.actors.push_back(std::move(actor));
  }
  document.data_sources = wish.sources;
  add_sources(inquiry, document);
  document.data_sources.insert(document.data_sources.end(), wish.targets.begin(),
                               wish.targets.end());
  add_steps(wish, inquiry, document);
  document.examples = wish.examples;
  if (std::string example = inquiry.text(kExample); !example.empty()) {
    document.examples.push_back(std::move(example));
  }
  add_open_points(wish, inquiry, document);
  return document;
}

std::string politely_declined() {
  return "I gather requirements for processes that software can carry out, and I see none in this "
         "message yet. Tell me what you would like to have automated or built: what shall happen, "
         "with which data, and what shall come out of it. For example: \"Every morning, read the "
         "new orders from our PostgreSQL database and e-mail a summary to the sales team.\"";
}

std::string introduction(const ProcessRequest& wish) {
  if (wish.is_foreign) {
    return "I am the offline planner and understand only a little English, so I ask about the "
           "essentials. Answer in whatever language you like.";
  }
  if (!wish.thing.empty()) {
    return fmt::format(
        "You would like to have a {}. Before it can be built I need to know what it is for, who "
        "uses it, and what it works with.",
        wish.thing);
  }
  return "I have understood what you want in general. A few things are missing before it can be "
         "built.";
}

// All that the person has said, oldest first.
std::string everything_said(const Transcript& transcript) {
  std::string text;
  for (auto earlier = transcript.earlier.rbegin(); earlier != transcript.earlier.rend();
       ++earlier) {
    if (understand_process(*earlier).is_wish) text += *earlier + "\n\n";
  }
  return text + transcript.prompt;
}

}  // namespace

bool gathers_requirements(const Investigation& look) {
  return look.offers(kAskUser) && look.tools().size() == 1;
}

std::string plan_requirements(const Request& request, const Transcript& transcript,
                              Investigation& look) {
  const ProcessRequest wish = understand_process(everything_said(transcript));
  const Inquiry inquiry = inquiry_of(request);
  if (!wish.is_wish && !wish.is_foreign && !inquiry.has_asked) return politely_declined();
  const bool is_clear = wish.is_clear();
  if (!is_clear && !inquiry.has_asked) {
    // The person reads the introduction above the questions; said here too, it would be said twice.
    look.call(kAskUser, {{"prompt", introduction(wish)}, {"questions", questions_about(wish)}});
    if (look.is_waiting()) return "I need to gather some information about your requirements.";
    look.forget_problems();
  }
  std::string words = "Thank you. These are the requirements as I understand them.";
  if (is_clear) words = "I understand what you want; nothing has to be asked first.";
  if (inquiry.has_failed) {
    words = "Nobody could answer my questions, so this is what the request itself says.";
  }
  return fmt::format("{}\n\n{}", words, to_answer(document_of(wish, inquiry)));
}

}  // namespace wright::offline
