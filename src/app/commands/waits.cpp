// `wright waits`: what runs wait for. `wright answer`: answers it.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <iterator>
#include <map>

#include "app/commands/commands.h"
#include "app/terminal/figures.h"
#include "app/terminal/interruption.h"
#include "app/terminal/person/person_answers.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/wiring/answers_without_keys.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/session_store.h"
#include "app/wiring/stored_session.h"
#include "core/try.h"
#include "store/readable_waits.h"
#include "store/status.h"
#include "wright/driver.h"

namespace wright::app {
namespace {

WaitStatus status_now(const StoredWait& wait) {
  return store::status_at(wait, system_clock_ms());
}

Json wait_json(const StoredWait& wait, const Session& root) {
  const auto time = [](const std::optional<std::int64_t>& at) {
    return at ? Json(*at) : Json(nullptr);
  };
  return {{"wait_id", wait.id},
          {"session_id", wait.session_id},
          {"root_session_id", root.id},
          {"agent", root.agent_name},
          {"kind", to_string(wait.kind)},
          {"status", to_string(status_now(wait))},
          {"shown", wait.shown},
          {"created_at", wait.created_at},
          {"expires_at", time(wait.expires_at)}};
}

// As a run that waits tells of it.
Result<PersonWait> person_wait(Store& store, const StoredWait& wait) {
  PersonWait told{.kind = wait.kind,
                  .shown = wait.shown,
                  .covers = wait.covers,
                  .wait_id = wait.id,
                  .session_id = wait.session_id};
  // That one alone: another one of its session may be damaged.
  const auto calls = TRY(store.get_tool_calls(
      wait.session_id, {.page = {.after = wait.call_id - 1, .before = wait.call_id + 1}}));
  if (!calls.empty()) {
    const StoredCall& call = calls.front();
    told.call = {call.tool_call_id, call.tool_name, call.request};
  }
  return told;
}

void tell_of_damage(SessionId session, const Error& error, Console& console) {
  console.note(fmt::format("{}. `wright sessions rm {}` removes session {}, which cannot go on.\n",
                           on_one_line(error.message), session, session));
}

// A wait that can be shown.
struct ShownWait {
  StoredWait stored = {};
  PersonWait told = {};
  Session root = {};
};

Result<ShownWait> shown_wait(Store& store, const StoredWait& wait) {
  auto root = TRY(root_session(store, wait.session_id));
  auto told = TRY(person_wait(store, wait));
  return ShownWait{wait, std::move(told), std::move(root)};
}

// Those that can be shown; of the others a person is told.
Result<std::vector<ShownWait>> open_waits(Store& store, WaitFilter filter, Console& console) {
  filter.status = WaitStatus::open;
  const auto found = TRY(store::readable_waits(store, filter));
  for (const store::DamagedWait& each : found.damaged) {
    tell_of_damage(each.session_id, each.error, console);
  }
  std::vector<ShownWait> shown;
  for (const StoredWait& wait : found.waits) {
    auto one = shown_wait(store, wait);
    if (one) {
      shown.push_back(std::move(*one));
    } else if (one.error().code == ErrorCode::storage) {
      tell_of_damage(wait.session_id, one.error(), console);
    } else {
      return std::unexpected(std::move(one).error());
    }
  }
  return shown;
}

Result<std::vector<PersonWait>> open_waits_of(Store& store, SessionId session, Console& console) {
  auto shown = TRY(open_waits(store, {.session_id = session}, console));
  std::vector<PersonWait> told;
  for (ShownWait& each : shown) told.push_back(std::move(each.told));
  return told;
}

void print_wait(const StoredWait& wait, const PersonWait& told, const Session& root,
                Console& console) {
  console.print_foreign(fmt::format("{:>4}  session {} · {} · {} · {}\n", wait.id, root.id,
                                    on_one_line(root.agent_name), shown_name(told.call.name),
                                    show_age(wait.created_at, system_clock_ms())));
  console.print_foreign(indented(wait_in_words(wait.kind, wait.shown, console.output()), 6) + "\n");
  const std::string what_to_do =
      status_now(wait) == WaitStatus::expired
          ? fmt::format("The time to answer is over. Go on with: wright resume {}", root.id)
          : how_to_answer(root.id, {&told, 1});
  console.print(fmt::format("      {}\n", what_to_do));
}

// {"id": "value"}; a name that comes twice has a list of values.
Result<Json> answers_from(const std::vector<std::string>& words) {
  JsonObject answers;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::invalid_argument, fmt::format("--set {} is not ID=VALUE", word));
    }
    const std::string id = word.substr(0, equals);
    Json value(word.substr(equals + 1));
    if (Json* before = answers.if_contains(id)) {
      if (!before->is_array()) *before = JsonArray{*before};
      before->get_array().push_back(std::move(value));
    } else {
      answers[id] = std::move(value);
    }
  }
  return answers;
}

// One --set for a question with several options chooses one of them, which is a list as well.
Json with_lists(Json answers, const Json& shown) {
  JsonObject* given = answers.if_object();
  const JsonObject* asked = shown.if_object();
  const Json* questions = asked != nullptr ? asked->if_contains("questions") : nullptr;
  if (given == nullptr || questions == nullptr || !questions->is_array()) return answers;
  for (const Json& question : questions->get_array()) {
    const JsonObject* members = question.if_object();
    const Json* type = members != nullptr ? members->if_contains("type") : nullptr;
    const Json* id = members != nullptr ? members->if_contains("id") : nullptr;
    if (type == nullptr || *type != Json("multiselect") || id == nullptr || !id->is_string()) {
      continue;
    }
    Json* answer = given->if_contains(id->get_string());
    if (answer != nullptr && answer->is_string()) *answer = JsonArray{*answer};
  }
  return answers;
}

Json approval(Decision decision, const std::string& reason) {
  return {{"decision", to_string(decision)}, {"reason", reason}};
}

// What the command line says; absent when it leaves that to the person.
Result<std::optional<Json>> given_answer(const AnswerCommand& command) {
  if (command.approve) {
    const auto decision = TRY(decision_from(*command.approve));
    return approval(decision, "");
  }
  if (command.refuse) return approval(Decision::refuse, *command.refuse);
  if (command.answer) {
    auto parsed = parse_json(*command.answer);
    if (!parsed) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("--answer must be JSON: {}", parsed.error().message));
    }
    return std::move(*parsed);
  }
  if (command.set.empty()) return std::nullopt;
  return answers_from(command.set);
}

bool is_approval(const PersonWait& wait) {
  return wait.kind == WaitKind::approval;
}

// Those that are meant: the ones that are named, or the only one. A refusal may mean all that ask
// for an approval; nobody approves what they have not seen.
Result<std::vector<PersonWait>> choose(const AnswerCommand& command,
                                       const std::vector<PersonWait>& waits) {
  std::vector<PersonWait> chosen;
  for (const std::int64_t id : command.waits) {
    const auto found = std::ranges::find(waits, id, &PersonWait::wait_id);
    if (found == waits.end()) {
      return fail(ErrorCode::not_found,
                  fmt::format("The wait {} is not one of this session's open ones", id));
    }
    chosen.push_back(*found);
  }
  if (!chosen.empty()) return chosen;
  if (waits.size() == 1) return waits;
  if (command.refuse) {
    std::ranges::copy_if(waits, std::back_inserter(chosen), is_approval);
    if (!chosen.empty()) return chosen;
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} things wait in this session. Say which with --wait; `wright waits` "
                          "lists them",
                          waits.size()));
}

// A question has no yes and no.
Result<void> check_kind(const AnswerCommand& command, SessionId root, const PersonWait& wait) {
  if ((!command.approve && !command.refuse) || is_approval(wait)) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} asks a question, which {} does not answer. Answer with: {}",
                          shown_name(wait.call.name), command.approve ? "--approve" : "--refuse",
                          how_to_answer(root, {&wait, 1})));
}

class Answering {
 public:
  Answering(const AnswerCommand& command, Store& store, CommandContext context)
      : command_(command), store_(store), context_(context) {}

  ExitCode answer(SessionId root, const std::vector<PersonWait>& waits) {
    const auto given = given_answer(command_);
    if (!given) return complain_about(given.error(), context_.console);
    if (!*given) return ask(root, waits);
    const auto chosen = choose(command_, waits);
    if (!chosen) return complain_about(chosen.error(), context_.console);
    for (const PersonWait& wait : *chosen) {
      const auto checked = check_kind(command_, root, wait);
      if (!checked) return complain_about(checked.error(), context_.console);
    }
    for (const PersonWait& wait : *chosen) {
      const Json answer = command_.set.empty() ? **given : with_lists(**given, wait.shown);
      const auto stored =
          answer_wait(store_, wait.wait_id, answer, person_name(context_.environment));
      if (!stored) return complain_about(stored.error(), context_.console);
    }
    return done(root);
  }

 private:
  ExitCode ask(SessionId root, const std::vector<PersonWait>& waits) {
    if (!standard_input_is_terminal() || !context_.console.error().is_terminal) {
      context_.console.complain("nobody is at a terminal to be asked",
                                "Answer with " + how_to_answer(root, waits) + ".");
      return ExitCode::usage;
    }
    Interruption interruption;
    interruption.watch({});
    const auto given = answer_at_terminal(waits, store_, context_, interruption.token());
    if (!given) return complain_about(given.error(), context_.console);
    if (*given == PersonAnswered::no) {
      context_.console.note("  Not answered; the session still waits.\n");
      return ExitCode::waiting;
    }
    return done(root);
  }

  ExitCode done(SessionId root) {
    const auto left = open_waits_of(store_, root, context_.console);
    if (!left) return complain_about(left.error(), context_.console);
    if (command_.output == OutputFormat::json) {
      context_.console.print(
          to_text(
              JsonObject{{"session_id", root}, {"answered", true}, {"open_waits", left->size()}}) +
          "\n");
      return ExitCode::ok;
    }
    context_.console.note(left->empty()
                              ? fmt::format("  Answered. Go on with: wright resume {}\n", root)
                              : fmt::format("  Answered; {} more to answer.\n", left->size()));
    return ExitCode::ok;
  }

  const AnswerCommand& command_;
  Store& store_;
  CommandContext context_;
};

}  // namespace

ExitCode execute(const WaitsCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto store = open_existing_store(*settings);
  if (!store) return complain_about(store.error(), context.console);
  JsonArray listed;
  bool is_empty = true;
  if (*store) {
    const auto waits = open_waits(**store, {.tenant = command.tenant}, context.console);
    if (!waits) return complain_about(waits.error(), context.console);
    is_empty = waits->empty();
    for (const ShownWait& wait : *waits) {
      if (command.output == OutputFormat::json) {
        listed.push_back(wait_json(wait.stored, wait.root));
      } else {
        print_wait(wait.stored, wait.told, wait.root, context.console);
      }
    }
  }
  if (command.output == OutputFormat::json) {
    context.console.print_json(to_text(listed) + "\n");
  } else if (is_empty) {
    context.console.note("  Nothing waits for a person.\n");
  }
  return ExitCode::ok;
}

ExitCode execute(const AnswerCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  auto store = open_existing_store(*settings);
  if (!store) return complain_about(store.error(), context.console);
  *store = answers_without_keys(std::move(*store), known_keys(*settings, context.environment));
  const auto id = session_id_from(command.id, store->get());
  if (!id) return complain_about(id.error(), context.console);
  const auto root = find_root(**store, *id);
  if (!root) return complain_about(root.error(), context.console);
  const auto waits = open_waits_of(**store, root->id, context.console);
  if (!waits) return complain_about(waits.error(), context.console);
  if (waits->empty() && root->status == SessionStatus::waiting) {
    context.console.complain(
        root->cancel_reason
            ? fmt::format("session {} is to be cancelled", root->id)
            : fmt::format("session {} waits for nobody any more: its questions are answered, or "
                          "the time for it is over",
                          root->id),
        fmt::format("Go on with: wright resume {}", root->id));
    return ExitCode::failed;
  }
  if (waits->empty()) {
    context.console.complain(
        fmt::format("session {} waits for nobody; it is {}", root->id, to_string(root->status)),
        "`wright waits` lists what waits.");
    return ExitCode::failed;
  }
  return Answering(command, **store, context).answer(root->id, *waits);
}

}  // namespace wright::app
