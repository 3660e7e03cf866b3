// An answer as a C++ value. The schema of the type goes to the model; an answer that does not fit
// is told to the model and asked for again, so what comes back can be used as it is.
#include <wright/testing.h>
#include <wright/wright.h>

#include <iostream>

enum class Mood { pleased, neutral, angry };
WRIGHT_ENUM(Mood, pleased, neutral, angry)

struct Item {
  std::string product;
  std::optional<int> quantity;
};
struct Ticket {
  std::string customer;
  Mood mood = Mood::neutral;
  std::vector<Item> items;
};

// What a model might say: at first in words, then with a mood that is none, then as it should.
wright::Model model() {
  using wright::testing::says;
  return wright::testing::ScriptedModel(
             {says("Ada is angry about two lamps."),
              says(R"({"customer": "Ada", "mood": "furious", "items": []})"),
              says("```json\n"
                   R"({"customer": "Ada", "mood": "angry",
                       "items": [{"product": "lamp", "quantity": 2}, {"product": "bulb"}]})"
                   "\n```")})
      .model();
}

int main() {
  const wright::Agent clerk{.instructions = "Read support mail.", .model = model()};
  const auto ticket =
      wright::run_as<Ticket>(clerk, "Both lamps broke again, and the bulb too! Ada");
  if (!ticket) {
    std::cerr << ticket.error().message << '\n' << answer_of(ticket.error()) << '\n';
    return 1;
  }
  std::cout << ticket->customer << (ticket->mood == Mood::angry ? " is angry" : "") << '\n';
  for (const Item& item : ticket->items) {
    std::cout << "- " << item.quantity.value_or(1) << ' ' << item.product << '\n';
  }
}
