// From rows to changes of a catalogue. It checks everything before it changes anything.
#pragma once

#include <string>
#include <string_view>

#include "wright/provider.h"

namespace wright {

class CatalogueRows {
 public:
  // `catalogue` with the rows of `toml` on top. The error lists every problem, one per line:
  // "origin:line: key: what".
  static Result<Catalogue> added(Catalogue catalogue, std::string_view toml,
                                 std::string_view origin, Catalogue::OtherSections other_sections);

  // The rows that are compiled into the program.
  static Catalogue built_in();

 private:
  class Reader;
};

// Whether a vendor may have this name: it appears before the colon in "vendor:model" and in the
// names of settings.
bool is_vendor_name(std::string_view name);
// Whether a model may: any text on one line.
bool is_model_name(std::string_view name);

}  // namespace wright
