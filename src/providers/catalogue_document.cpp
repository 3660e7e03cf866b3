// Exceptions of toml++ are caught here.
#include "providers/catalogue_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <toml++/toml.h>

namespace wright::providers {
namespace {

constexpr int kDepthOfKeys = 3;  // section, row, key

int line_of(const toml::source_region& source) {
  return static_cast<int>(source.begin.line);
}

}  // namespace

struct CatalogueDocument::Parts {
  toml::table document;
  std::deque<std::vector<CatalogueValue>> elements;

  CatalogueValue value_of(const toml::node& node, int depth);
  CatalogueValue with_elements(CatalogueValue value, std::vector<CatalogueValue> values) {
    const auto& kept = elements.emplace_back(std::move(values));
    value.first = kept.data();
    value.count = kept.size();
    return value;
  }
  CatalogueValue table_of(const toml::table& table, int depth);
};

// toml++ sorts by name; the order of the text is that of the positions.
CatalogueValue CatalogueDocument::Parts::table_of(const toml::table& table, int depth) {
  std::vector<std::pair<toml::source_position, CatalogueValue>> placed;
  for (const auto& [name, node] : table) {
    CatalogueValue value = value_of(node, depth + 1);
    value.name = name.str();
    value.line = line_of(name.source());
    placed.emplace_back(name.source().begin, value);
  }
  if (depth < kDepthOfKeys) {
    std::ranges::sort(placed, [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  std::vector<CatalogueValue> values;
  for (const auto& [place, value] : placed) values.push_back(value);
  return with_elements({.kind = CatalogueValue::Kind::table}, std::move(values));
}

CatalogueValue CatalogueDocument::Parts::value_of(const toml::node& node, int depth) {
  using Kind = CatalogueValue::Kind;
  switch (node.type()) {
    case toml::node_type::table: return table_of(*node.as_table(), depth);
    case toml::node_type::array: {
      std::vector<CatalogueValue> values;
      for (const toml::node& element : *node.as_array()) {
        values.push_back(value_of(element, kDepthOfKeys));
      }
      return with_elements({.kind = Kind::array}, std::move(values));
    }
    case toml::node_type::string: return {.kind = Kind::string, .text = node.as_string()->get()};
    case toml::node_type::integer:
      return {.kind = Kind::integer,
              .integer = node.as_integer()->get(),
              .number = static_cast<double>(node.as_integer()->get())};
    case toml::node_type::floating_point:
      return {.kind = Kind::number, .number = node.as_floating_point()->get()};
    case toml::node_type::boolean:
      return {.kind = Kind::boolean, .boolean = node.as_boolean()->get()};
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time: return {.kind = Kind::time};
    case toml::node_type::none: break;
  }
  return {};
}

CatalogueDocument::CatalogueDocument() : parts_(std::make_unique<Parts>()) {}
CatalogueDocument::~CatalogueDocument() = default;
CatalogueDocument::CatalogueDocument(CatalogueDocument&& other) noexcept = default;
CatalogueDocument& CatalogueDocument::operator=(CatalogueDocument&& other) noexcept = default;

Result<CatalogueDocument> CatalogueDocument::from(std::string_view toml, std::string_view origin) {
  try {
    CatalogueDocument made;
    made.parts_->document = toml::parse(toml, origin);
    made.root_ = made.parts_->table_of(made.parts_->document, 0);
    return made;
  } catch (const toml::parse_error& error) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}:{}: not valid TOML: {}", origin, line_of(error.source()),
                            error.description()));
  }
}

}  // namespace wright::providers
