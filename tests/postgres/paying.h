// For tests with the real program: an agent whose model behind HTTP has it run commands that leave
// evidence in a file.
#pragma once

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "cli/process.h"
#include "net/canned_server_testing.h"

namespace wright::cli {

// Whoever says "Pay 7" gets two commands, one after the other, and then an answer.
class PayingModel {
 public:
  std::string config() const {
    return fmt::format(
        "[agent]\nmodel = \"local:any\"\nwritable = [\".\"]\n[bash]\npreset = \"none\"\n"
        "[bash.rules]\n\"./pay.sh *\" = \"allow\"\n[vendors.local]\nneeds_key = false\n"
        "protocol = \"openai-chat\"\nbase_url = \"{}\"\n",
        server_.url("/v1"));
  }

 private:
  static void serve(net::testing::Connection& connection) {
    for (std::string request; !(request = connection.read_request()).empty();) {
      const auto body = parse_json(request.substr(request.find("\r\n\r\n") + 4));
      connection.answer(200, body ? to_text(answer_to(*body)) : "{}",
                        "Content-Type: application/json\r\n");
    }
  }
  static Json answer_to(const Json& body) {
    std::string number;
    int answered = 0;
    for (const Json& message : body.at("messages").as_array()) {
      const std::string text = to_text(message);
      if (const std::size_t at = text.find("Pay "); number.empty() && at != std::string::npos) {
        number = text.substr(at + 4, text.find_first_not_of("0123456789", at + 4) - at - 4);
      }
      answered += message.at("role").as_string() == "assistant" ? 1 : 0;
    }
    JsonObject message{{"role", "assistant"}, {"content", "Paid " + number}};
    if (answered < 2) {
      const std::string command =
          to_text(Json{{"command", fmt::format("./pay.sh {}-{}", number, answered)}});
      message["content"] = nullptr;
      message["tool_calls"] =
          JsonArray{JsonObject{{"id", fmt::format("call_{}", answered)},
                               {"type", "function"},
                               {"function", JsonObject{{"name", "bash"}, {"arguments", command}}}}};
    }
    return {{"choices",
             JsonArray{JsonObject{{"index", 0}, {"message", message}, {"finish_reason", "stop"}}}},
            {"usage", JsonObject{{"prompt_tokens", 10}, {"completion_tokens", 5}}}};
  }

  net::testing::CannedServer server_{serve};
};

// The agent `payer`, and its command, which notes that it begins, does `meanwhile`, and notes that
// it did its work.
inline void prepare_payer(Home& home, const PayingModel& model, std::string_view meanwhile) {
  home.write_config(model.config());
  home.write_file("pay.sh", fmt::format("#!/bin/sh\necho \"begins $1\" >> ledger\n{}\n"
                                        "echo \"did $1\" >> ledger\n",
                                        meanwhile));
  std::filesystem::permissions(home.project() / "pay.sh", std::filesystem::perms::owner_all);
  const std::filesystem::path agents = home.path() / ".config/wright/agents";
  std::filesystem::create_directories(agents);
  std::ofstream(agents / "payer.toml") << "instructions = \"Pay.\"\ntools = [\"bash\"]\n";
}

// How often each line is in it.
inline std::map<std::string, int> ledger_of(const Home& home) {
  std::map<std::string, int> counts;
  std::ifstream file(home.project() / "ledger");
  for (std::string line; std::getline(file, line);) ++counts[line];
  return counts;
}

}  // namespace wright::cli
