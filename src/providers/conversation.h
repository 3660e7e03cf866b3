// A request's messages as turns that alternate between the user and the model, as Anthropic and
// Gemini want them: calls are answered in the turn after them, results before anything else. It
// knows no protocol and changes no content.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "wright/message.h"

namespace wright::providers {

struct Turn {
  enum class Speaker : std::uint8_t { user, model };
  Speaker speaker = Speaker::user;
  std::vector<const Part*> parts;  // never empty, no text that is blank
};

class Conversation {
 public:
  // Refers to the request's messages.
  //
  // A run keeps calls and results together, but messages may come from elsewhere or have been cut:
  // a call without a result gets one that says so, and a result without its call becomes text.
  explicit Conversation(const Request& request) : Conversation(request, request.messages) {}
  // Of its last messages only: those from a message of the model's on, or all.
  Conversation(const Request& request, std::span<const Message> messages);
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // The first is the user's; there is at least one.
  std::span<const Turn> turns() const { return turns_; }

  // The request's system text and those of system messages, separated by blank lines.
  const std::string& system() const { return system_; }

 private:
  void add(const Message& message);
  void add_part(Turn::Speaker speaker, const Part& part);
  void pair_calls_with_results();
  std::vector<const Part*> answered(const Turn& calls, std::vector<const Part*> said);
  const Part& keep(Part part) { return kept_.emplace_back(std::move(part)); }

  std::string system_;
  std::vector<Turn> turns_;
  std::deque<Part> kept_;  // parts that no message holds
};

}  // namespace wright::providers
