// Reads TOML as catalogue values.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "providers/catalogue_value.h"
#include "wright/error.h"

namespace wright::providers {

class CatalogueDocument {
 public:
  // `origin` names the text in the error.
  static Result<CatalogueDocument> from(std::string_view toml, std::string_view origin);
  ~CatalogueDocument();
  CatalogueDocument(CatalogueDocument&& other) noexcept;
  CatalogueDocument& operator=(CatalogueDocument&& other) noexcept;

  // A table; as long as the document is there. Sections, rows and keys are in the order of the
  // text, what is below a key in the order of names.
  const CatalogueValue& root() const { return root_; }

 private:
  struct Parts;
  CatalogueDocument();

  std::unique_ptr<Parts> parts_;
  CatalogueValue root_;
};

}  // namespace wright::providers
