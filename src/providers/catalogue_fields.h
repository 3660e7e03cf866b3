// The keys of catalogue rows: what each is called in TOML, which values it takes and which field it
// sets. It reads single values and knows nothing about rows and files.
#pragma once

#include <expected>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "providers/catalogue_value.h"
#include "wright/provider.h"

namespace wright::providers {

template <class Row>
struct CatalogueField {
  std::string_view name;
  // The change that the value makes to a row, or what is wrong with the value ("must be …").
  std::expected<std::function<void(Row&)>, std::string> (*read)(const CatalogueValue& node);
};

std::span<const CatalogueField<VendorInfo>> vendor_fields();
std::span<const CatalogueField<ModelInfo>> model_fields();
std::span<const CatalogueField<Quirks>> quirk_fields();

// "a string", "a table", … for messages.
std::string_view kind_of(const CatalogueValue& node);

}  // namespace wright::providers
