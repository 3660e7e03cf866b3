// A tool's parameters are a C++ struct. Its JSON schema comes from the struct, and so do the
// checks: a call with bad arguments never reaches the function, and the model is told what was
// wrong.
#include <wright/wright.h>

#include <iostream>
#include <optional>
#include <vector>

enum class Unit { metre, foot };
WRIGHT_ENUM(Unit, metre, foot)

struct Size {
  double width = 0;
  double height = 0;
  Unit unit = Unit::metre;
};
WRIGHT_DESCRIBE(Size, WRIGHT_FIELD(width, "How wide").at_least(0.1).at_most(20),
                WRIGHT_FIELD(height, "How high").at_least(0.1).at_most(5),
                WRIGHT_FIELD(unit, "What the numbers count").with_default())

struct Wall {
  std::string colour;
  Size size;
  std::vector<Size> windows;
  std::optional<int> coats;
};
WRIGHT_DESCRIBE(Wall, WRIGHT_FIELD(colour, "Name of the colour").min_length(1).max_length(30),
                WRIGHT_FIELD(size, "The wall itself"),
                WRIGHT_FIELD(windows, "Holes that need no paint").max_items(8).with_default(),
                WRIGHT_FIELD(coats, "How often to paint; twice when absent").at_least(1).at_most(4))

struct Paint {
  std::string colour;
  double litres = 0;
};
WRIGHT_DESCRIBE(Paint, WRIGHT_FIELD(colour), WRIGHT_FIELD(litres))

double square_metres(const Size& size) {
  const double metres = size.unit == Unit::foot ? 0.3048 : 1.0;
  return size.width * metres * size.height * metres;
}

wright::Result<Paint> paint_for(const Wall& wall) {
  double area = square_metres(wall.size);
  for (const Size& window : wall.windows) area -= square_metres(window);
  if (area <= 0) {
    return wright::fail(wright::ErrorCode::invalid_argument, "The windows cover the whole wall");
  }
  constexpr double kSquareMetresPerLitre = 8;
  return Paint{wall.colour, area * wall.coats.value_or(2) / kSquareMetresPerLitre};
}

int main() {
  // Computing changes nothing, so a call may be repeated after a crash.
  const std::vector<wright::Tool> tools{wright::tool("paint_for", "How much paint a wall needs",
                                                     paint_for, {.effect = wright::Effect::read})};
  std::cout << "schema " << wright::to_pretty_text(tools[0].spec.parameters) << "\n\n";

  const auto call = [&](std::string arguments) {
    const wright::ToolOutcome outcome =
        wright::execute(tools, {}, {"call_1", "paint_for", std::move(arguments)}, {});
    std::cout << (outcome.result.is_error ? "error  " : "result ") << outcome.result.content
              << '\n';
  };
  call(R"({"colour": "blue", "size": {"width": 5, "height": 2.4},
           "windows": [{"width": 1, "height": 2}], "coats": 2})");
  call(R"({"colour": "red", "size": {"width": 10, "height": 4, "unit": "yard"}, "coats": 9})");
  call(R"({"colour": "red", "size": {"width": 1}})");
  call(R"({"colour": "red", "size": {"width": 1, "height": 1},
           "windows": [{"width": 2, "height": 2}]})");
  call("{\"colour\": ");
}
