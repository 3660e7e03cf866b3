// compile_catalogue IN.toml OUT.cpp: the catalogue as constants, so that nobody has to read TOML
// when the program starts. Run by the build.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "providers/catalogue_document.h"

namespace {

using wright::providers::CatalogueValue;
using Kind = CatalogueValue::Kind;

std::string quoted(std::string_view text) {
  std::string made = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte >= 0x7F || c == '"' || c == '\\' || c == '?') {
      made += fmt::format("\\{:03o}", byte);
    } else {
      made += c;
    }
  }
  return made + '"';
}

class Writer {
 public:
  // The initialiser of `value`. Arrays that it refers to are written before.
  std::string initialiser(const CatalogueValue& value) {
    std::string text = fmt::format("{{.name = {}", quoted(value.name));
    switch (value.kind) {
      case Kind::none:
      case Kind::time: break;
      case Kind::boolean:
        text += fmt::format(", .kind = Kind::boolean, .boolean = {}", value.boolean);
        break;
      case Kind::integer:
        text += fmt::format(", .kind = Kind::integer, .integer = {}, .number = {}.0", value.integer,
                            value.integer);
        break;
      case Kind::number:
        text += fmt::format(", .kind = Kind::number, .number = {:.17g}", value.number);
        break;
      case Kind::string:
        text += fmt::format(", .kind = Kind::string, .text = {}", quoted(value.text));
        break;
      case Kind::array:
      case Kind::table:
        text += fmt::format(", .kind = Kind::{}", value.kind == Kind::table ? "table" : "array");
        if (value.count > 0)
          text += fmt::format(", .first = {}, .count = {}", array(value), value.count);
        break;
    }
    return text + '}';
  }

  const std::string& arrays() const { return arrays_; }

 private:
  std::string array(const CatalogueValue& value) {
    std::string elements;
    for (const CatalogueValue& element : value.elements()) {
      elements += "    " + initialiser(element) + ",\n";
    }
    const std::string name = fmt::format("kValues{}", ++last_array_);
    arrays_ += fmt::format("constexpr CatalogueValue {}[] = {{\n{}}};\n", name, elements);
    return name;
  }

  std::string arrays_;
  int last_array_ = 0;
};

int give_up(const std::string& why) {
  std::cerr << "compile_catalogue: " << why << '\n';
  return 1;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return give_up("say IN.toml and OUT.cpp");
  std::ifstream in(words[1]);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return give_up(std::string("cannot read ") + words[1]);
  const auto document = wright::providers::CatalogueDocument::from(text.str(), words[1]);
  if (!document) return give_up(document.error().message);
  Writer writer;
  const std::string root = writer.initialiser(document->root());
  std::ofstream out(words[2]);
  out << "// Written by compile_catalogue from catalogue.toml.\n"
         "#include \"providers/catalogue_value.h\"\n\n"
         "namespace wright::providers {\nnamespace {\n\n"
         "using Kind = CatalogueValue::Kind;\n\n"
      << writer.arrays() << "\n}  // namespace\n\nconstexpr CatalogueValue kBuiltInRows = " << root
      << ";\n\n}  // namespace wright::providers\n";
  out.close();
  return out ? 0 : give_up(std::string("cannot write ") + words[2]);
}
