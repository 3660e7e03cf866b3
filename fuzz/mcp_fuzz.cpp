// Feeds both sides of MCP. Whatever the bytes are: no crash, the same lines however they are cut,
// and everything that is said is one line of JSON.
#include <boost/json/object.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "mcp/client.h"
#include "mcp/content.h"
#include "mcp/elicitation.h"
#include "mcp/server.h"

namespace {

using namespace wright;
using namespace wright::mcp;

std::vector<std::string> lines_of(std::string_view bytes, std::size_t piece) {
  std::vector<std::string> lines;
  FrameReader reader(1000);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(
        bytes.substr(at, piece), [&](std::string_view line) { lines.emplace_back(line); },
        [&] { lines.emplace_back("too long"); });
  }
  return lines;
}

void expect_line(std::string_view line) {
  if (line.find('\n') != std::string_view::npos || !parse_json(line)) std::abort();
}

void serve(const std::vector<std::string>& lines) {
  ServerMachine machine(std::make_shared<ServerOffer>(ServerOffer{.self = {"fuzz", "", "1"},
                                                                  .has_resources = true,
                                                                  .has_prompts = true,
                                                                  .has_completions = true,
                                                                  .has_logging = true,
                                                                  .has_tasks = true,
                                                                  .state_key = "key"}));
  int turn = 0;
  const auto perform = [&](ServerActions actions) {
    while (!actions.empty()) {
      ServerActions more;
      for (ServerAction& action : actions) {
        if (const auto* said = std::get_if<SendLine>(&action)) expect_line(said->line);
        const auto* begun = std::get_if<BeginWork>(&action);
        if (begun == nullptr) continue;
        const WorkId id = begun->work.id;
        (void)machine.report(id, {1, {}, "x"});
        WorkOutcome outcome = Finished{begun->work.params};
        if (++turn % 3 == 1 && begun->work.answers.empty()) {
          outcome = NeedsInput{{{"k", "elicitation/create", {}}}, begun->work.params};
        }
        for (ServerAction& each : machine.finish(0, id, std::move(outcome))) {
          more.push_back(std::move(each));
        }
      }
      actions = std::move(more);
    }
  };
  for (const std::string& line : lines) perform(machine.receive(0, line));
  perform(machine.announce(Change::tools));
  perform(machine.close());
}

void ask(const std::vector<std::string>& lines) {
  ClientMachine machine({.capabilities = {{"elicitation", JsonObject{}}, {"roots", JsonObject{}}},
                         .has_tasks = true});
  (void)machine.start();
  for (const std::string& line : lines) {
    for (const ClientAction& action : machine.receive(line)) {
      if (const auto* frame = std::get_if<SendFrame>(&action)) expect_line(frame->line);
      if (std::holds_alternative<ServerReady>(action)) {
        (void)machine.call("tools/list", {});
        (void)machine.call("tools/call", {{"name", "x"}, {"task", JsonObject{}}});
      }
      if (const auto* asks = std::get_if<ServerAsks>(&action)) {
        if (const auto questions = questions_in(asks->params)) (void)form_of(*questions);
        (void)defaults_of(asks->params);
      }
      if (const auto* ended = std::get_if<CallEnded>(&action)) {
        if (const auto* result = std::get_if<JsonObject>(&ended->outcome)) {
          (void)output_of(*result, {});
          (void)resource_output(*result);
          (void)prompt_messages(*result);
          (void)remote_tool(*result);
          (void)form_result(*result);
          for (const Era era : {Era::legacy, Era::modern}) {
            if (const auto task = task_from(*result, era))
              expect_line(to_text(to_json(*task, era)));
          }
        }
      }
    }
  }
  (void)machine.lose({});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes as text
  const auto lines = lines_of(bytes, bytes.size() + 1);
  if (lines_of(bytes, 1) != lines || lines_of(bytes, 7) != lines) std::abort();
  serve(lines);
  ask(lines);
  return 0;
}
