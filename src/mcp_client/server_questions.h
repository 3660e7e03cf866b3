// What a server asks in the middle of a request: a person's answers, that they open an address, or
// an answer of the model, for which a person is asked first.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "mcp/json_rpc.h"
#include "mcp_client/sampling.h"
#include "wright/log.h"
#include "wright/people.h"

namespace wright::mcp_client {

// Questions that are asked together, by the server's keys. A value, which goes through JSON.
class ServerQuestions {
 public:
  ServerQuestions() = default;
  // Our secrets in what is asked are hidden: from the person, from the store, and from the model.
  // What only looks like one is the server's own: the address of a login has to be whole.
  explicit ServerQuestions(const Redactor& redactor) : redactor_(redactor.sparing()) {}

  // What the server gets for one of them.
  using Answer = std::variant<JsonObject, mcp::Problem>;

  // A Problem: nobody can be asked that here. `models` may be null.
  std::optional<mcp::Problem> add(const std::string& key, std::string method, JsonObject params,
                                  const SamplingModels* models);
  bool empty() const { return asked_.empty(); }
  // Whether a person who was shown the one has been shown all of the other: the answer to one is
  // an answer to the other then, and to nothing else.
  bool is_same_as(const ServerQuestions& other) const;
  // The same, of the question of this key alone.
  bool is_same_at(std::string_view key, const ServerQuestions& other) const;

  // All of them as one request to a person. Refuses what nobody can answer.
  Result<AskUserRequest> worded(std::string_view server) const;

  // `given` is what the person answered to that request (AskUserResponse as JSON).
  Answer answer_to(std::string_view key, const Json& given, SamplingModels* models,
                   const Context& context) const;
  // The answer to the only one.
  Answer answer(const Json& given, SamplingModels* models, const Context& context) const;
  // To all of them, by their keys. In the newest revision an answer is a result, or there is none.
  Result<JsonObject> answers(const Json& given, SamplingModels* models,
                             const Context& context) const;

  Json to_json() const;
  static Result<ServerQuestions> from_json(const Json& json, const SamplingModels* models);

 private:
  struct Asked {
    std::string method = {};
    JsonObject params = {};
    JsonObject form = {};  // what a person is asked about it
  };
  static bool is_same(const Asked& one, const Asked& other);

  Redactor redactor_;
  std::map<std::string, Asked, std::less<>> asked_;
};

// What a person has said, and to what. It answers nothing else.
struct GivenAnswer {
  Json answer = {};  // AskUserResponse as JSON
  ServerQuestions questions = {};
};

}  // namespace wright::mcp_client
